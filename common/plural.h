#ifndef EAR_PLURAL_H
#define EAR_PLURAL_H

#include <stdint.h>

/* What a noun takes after this count: "" or "s". */
static inline const char *ear_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif
