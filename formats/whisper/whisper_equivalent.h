#ifndef EAR_WHISPER_EQUIVALENT_H
#define EAR_WHISPER_EQUIVALENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/whisper/whisper_line.h"
#include "formats/whisper/whisper_pattern.h"

/* Lines of two Whisper CSVs that are not the same and make the same record, told without reading
 * them as records: each is like a line that its reader has seen (whisper_pattern.h), the two that
 * they are like make the same record but for registers and memory, and those columns are equal,
 * byte for byte.
 *
 *     80000050,a2a023,   ,x10;x5;i0,   80001040=1,   s,m,,sw       x10; 0x0(x5),0\n
 *     pattern           pattern                    pattern
 *                     ^                 ^  equal in both texts
 *
 * What its reader has not seen, as a trap, or does not remember, as a text of its own, must be
 * equal in all columns before the disassembly.
 */

/* One of the texts, at the beginning of a line. */
struct ear_whisper_text {
	const char *at, *end; /* whole lines */
	const struct ear_whisper_patterns *patterns;
	const struct ear_whisper_hart *harts;
	unsigned xlen;
	size_t columns; /* 9, 10 or 12 */
	bool taught;    /* its reader does not learn more by reading */
};

/* Where a pair of lines ends, from where the search began, and its hart. */
struct ear_whisper_pair {
	uint32_t end[2];
	uint16_t hart;
};

#define EAR_WHISPER_PAIRS_MAX 2048 /* a good number for most */

/* The pairs from where the texts stand up to the first one that is not certain: none of them has an
 * effect on the lines behind it. *others: how many of them may be such that no reader has seen,
 * which takes twice as long; becomes less by those that are. Returns how many pairs there are, at
 * most most.
 */
size_t ear_whisper_equivalent_find(struct ear_whisper_pair *pairs, size_t most,
	const struct ear_whisper_text *a, const struct ear_whisper_text *b, size_t *others);

#endif
