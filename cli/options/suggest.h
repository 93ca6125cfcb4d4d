#ifndef EAR_SUGGEST_H
#define EAR_SUGGEST_H

#include <stddef.h>

/* The name that was probably meant by word: the nearest of count names if few letters differ.
 * Returns NULL if none is near.
 */
const char *suggest(const char *word, const char *const *names, size_t count);

#endif
