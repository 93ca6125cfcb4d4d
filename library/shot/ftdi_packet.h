#ifndef EAR_FTDI_PACKET_H
#define EAR_FTDI_PACKET_H

#include <stddef.h>
#include <stdint.h>

/* The size of the packets, 64 or 512, if each begins with the two status bytes of an FTDI chip, as
 * far as bytes go; else 0. At least 4 packets must be there. */
size_t ear_ftdi_packet(const uint8_t *bytes, size_t size);

#endif
