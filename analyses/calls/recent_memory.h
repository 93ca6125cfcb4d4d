#ifndef EAR_ANALYSES_RECENT_MEMORY_H
#define EAR_ANALYSES_RECENT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/record.h>

/* What memory holds, as far as accesses showed it not long ago: lines of 64 bytes in a table in
 * which a new one takes the place of an old one. Memory is flat, and what is known is right.
 */
#define EAR_RECENT_LINE  64u
#define EAR_RECENT_LINES 32768u /* a power of two */

struct ear_recent_line {
	uint64_t address; /* of its first byte */
	uint64_t known;   /* a bit a byte */
	uint8_t bytes[EAR_RECENT_LINE];
};

struct ear_recent_memory {
	struct ear_recent_line lines[EAR_RECENT_LINES]; /* all zero: nothing is known */
};

/* size bytes from address on hold value, lowest byte first; known false: they hold something else
 * now. A size of 0 or more than 8: what is there is not known. */
void ear_recent_memory_put(struct ear_recent_memory *memory, uint64_t address, unsigned size,
	uint64_t value, bool known);

void ear_recent_memory_forget(struct ear_recent_memory *memory);

/* EAR_RECENT_LINE bytes from address on, and a bit for each that is known. */
uint64_t ear_recent_memory_get(
	const struct ear_recent_memory *memory, uint64_t address, uint8_t *bytes);

#endif
