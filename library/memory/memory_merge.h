#ifndef EAR_MEMORY_MERGE_H
#define EAR_MEMORY_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/memory/memory_types.h"

/* Parts of memory_state.h: a trace in pieces, each by itself, put together in order.
 *
 *     whole: ear_memory_new without options.part, with the image
 *     for each part, in any thread:  ear_memory_new with options.part; push its records, and
 *                                    take its changes at each checkpoint
 *     for each part, in order:       ear_memory_merge(whole, part, &border)
 *
 * Afterwards whole is as if it had been given all the records: its bytes, its volatile bytes, what
 * it expects next. Changes of a part are complete but for its beginning: border.forgotten says that
 * everything was forgotten before the first record of the part, and border.written is to be added
 * to `written` of the part's changes that are forgotten.
 */
struct ear_memory_border {
	bool forgotten;   /* before the first record of the part; written is that until then */
	uint64_t written; /* segments of the image that were written before the part */
};

/* Returns 0 and *border. Returns 1, with whole as it was, where something before the part says that
 * records are missing in the middle of it (several harts, of which one comes later in the part and
 * has jumped): make the part again, after ear_memory_seed(part, whole). EAR_E_NO_MEMORY, an error
 * of the spill: whole is of no more use.
 * With overflows in either, less may be known than in one pass, and fewer volatile bytes be found.
 */
int ear_memory_merge(
	struct ear_memory *whole, struct ear_memory *part, struct ear_memory_border *border);

#endif
