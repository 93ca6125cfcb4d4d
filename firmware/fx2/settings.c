/* The settings block of the image, at a fixed address, so that a host can change it without
 * building firmware. It is checked at every use: a wrong block counts as empty, because a chip that
 * does not start can say nothing about it.
 */
#include "settings.h"

#include <stdbool.h>

#include "common/protocol/ear_protocol.h"

#define SETTINGS_VERSION 1

/* Constants of this file are in a segment of their own, which the linker puts at EAR_USB_SETTINGS:
 * see CMakeLists.txt.
 */
const __code uint8_t settings[EAR_USB_SETTINGS_SIZE] = {'E', 'A', 'R', 'S', SETTINGS_VERSION};

static bool is_valid(void)
{
	return settings[0] == 'E' && settings[1] == 'A' && settings[2] == 'R' &&
	       settings[3] == 'S' && settings[EAR_USB_SETTINGS_VERSION] == SETTINGS_VERSION;
}

uint8_t settings_link(void)
{
	return is_valid() ? settings[EAR_USB_SETTINGS_LINK] : 0;
}

uint8_t settings_serial_length(void)
{
	uint8_t length = settings[EAR_USB_SETTINGS_SERIAL_LENGTH], i;

	if (!is_valid() || length > EAR_USB_SETTINGS_SERIAL_MAX)
		return 0;
	for (i = 0; i < length; i++) {
		uint8_t letter = settings[EAR_USB_SETTINGS_SERIAL + i];

		if (letter < 0x21 || letter > 0x7E)
			return 0;
	}
	return length;
}
