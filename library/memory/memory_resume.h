#ifndef EAR_MEMORY_RESUME_H
#define EAR_MEMORY_RESUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

/* A part of memory_merge.h that continues what nobody has in memory any more, but can be asked, as
 * of an index: only what loads of the part saw first is asked for.
 *
 *     part: seeded (memory_expected.h), with all its records
 *     ear_memory_resume(whole, volatiles, forgotten);     whole: fresh, without an image
 *     ear_memory_first_blocks(part, &numbers, &count);
 *     for each:  ear_memory_resume_block(whole, number, bytes, known, settled);
 *     ear_memory_merge(whole, part, &border);
 *
 * Afterwards the volatile bytes of whole are those of the whole trace; all else in it is of no use.
 */

#define EAR_MEMORY_BLOCK 1024u /* bytes */

/* What was found before: the set (ear_memory_volatile_load), and whether everything was forgotten
 * at least once. Returns 0 or EAR_E_NO_MEMORY. */
int ear_memory_resume(
	struct ear_memory *whole, const struct ear_memory_volatile *volatiles, bool forgotten);

/* Address / EAR_MEMORY_BLOCK of all blocks of which a load of the part saw a byte before anything
 * else did, in order. Returns 0 and *numbers, of malloc, or EAR_E_NO_MEMORY. */
int ear_memory_first_blocks(const struct ear_memory *part, uint64_t **numbers, size_t *count);

/* What the EAR_MEMORY_BLOCK bytes of a block were before the part. settled: the trace says
 * something of the byte, if only that it is not known. Returns 0, EAR_E_NO_MEMORY. */
int ear_memory_resume_block(struct ear_memory *whole, uint64_t number, const uint8_t *bytes,
	const bool *known, const bool *settled);

#endif
