/* Strings by value: the part of ear_port.h that is too long to be inlined. Build it with the same
 * macros as what uses it; software without EAR_PORT_BY_VALUE and ear_port_mark_text needs it not.
 */
#include "ear_port.h"

#ifndef EAR_PORT_OFF

/* Of these bytes the first size, 4 at most. */
static inline uint32_t load(const uint8_t *text, size_t size)
{
	uint32_t value = text[0];

	if (size > 1)
		value |= (uint32_t)text[1] << 8;
	if (size > 2)
		value |= (uint32_t)text[2] << 16;
	if (size > 3)
		value |= (uint32_t)text[3] << 24;
	return value;
}

/* Zero bytes after the end do no harm, except in arguments: those are sent to the byte. */
void ear_port_send(unsigned number, uint32_t value, const char *text, size_t size)
{
	volatile uint32_t *string =
		ear_port_register(number < EAR_PORT_USER ? EAR_PORT_STRING : EAR_PORT_USER_STRING);
	const uint8_t *at = (const uint8_t *)text;

	/* Else the host would look for the string at address 0. */
	if (size == 0 && number < EAR_PORT_USER)
		ear_port_store(EAR_PORT_STRING_BYTE, 0);
	for (; size >= 4; size -= 4, at += 4)
		*string = load(at, 4);
	if (size > 0 && number >= EAR_PORT_USER)
		*string = load(at, size);
	else
		for (; size > 0; size--)
			ear_port_store(EAR_PORT_STRING_BYTE, *at++);
	ear_port_store(number, value);
}

#else

void ear_port_send(unsigned number, uint32_t value, const char *text, size_t size)
{
	(void)number;
	(void)value;
	(void)text;
	(void)size;
}

#endif
