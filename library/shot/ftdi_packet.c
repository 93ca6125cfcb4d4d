/* Dumps of what an FTDI chip sent, as a sniffer or a driver of one's own keeps them: each packet of
 * USB begins with the status of the modem lines and of the line, which is nearly always the same.
 */
#include "library/shot/ftdi_packet.h"

#include <stdbool.h>
#include <string.h>

/* Modem status has 0001 in its low bits, line status no error and nothing reserved. */
static bool is_status(const uint8_t *bytes)
{
	return (bytes[0] & 0x0F) == 1 && (bytes[1] & 0x9F) == 0;
}

size_t ear_ftdi_packet(const uint8_t *bytes, size_t size)
{
	for (size_t packet = 64; packet <= 512; packet *= 8) {
		size_t at = 0;
		while (at + 2 <= size && is_status(bytes + at) && memcmp(bytes, bytes + at, 2) == 0)
			at += packet;
		if (at + 2 > size && size >= 4 * packet)
			return packet;
	}
	return 0;
}
