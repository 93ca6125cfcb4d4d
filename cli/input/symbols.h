#ifndef EAR_SYMBOLS_H
#define EAR_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* The symbols of an ELF file, for options that take addresses. */
struct symbols;

/* Read path. Returns NULL after printing why not. */
struct symbols *symbols_open(const char *path);
void symbols_close(struct symbols *symbols);

/* First and last address of a function or object; last = first if its size is unknown.
 * Returns false if there is no such symbol.
 */
bool symbols_find(const struct symbols *symbols, const char *name, uint64_t *first, uint64_t *last);

#endif
