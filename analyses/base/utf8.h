#ifndef EAR_ANALYSES_UTF8_H
#define EAR_ANALYSES_UTF8_H

#include <stddef.h>

/* Bytes of the character at the begin of a text that ends with a zero byte: 1 .. 4; 0: there is no
 * character of UTF-8. */
static inline size_t ear_utf8_size(const unsigned char *at)
{
	size_t size = 0;

	if (*at < 0x80)
		size = 1;
	else if (*at >= 0xc2 && *at < 0xe0)
		size = 2;
	else if (*at >= 0xe0 && *at < 0xf0)
		size = 3;
	else if (*at >= 0xf0 && *at < 0xf5)
		size = 4;
	for (size_t i = 1; i < size; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than needed, halves of pairs, beyond the last one. */
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
		(*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
		return 0;
	return size;
}

#endif
