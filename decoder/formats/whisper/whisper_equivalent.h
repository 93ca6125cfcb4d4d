#ifndef EAR_WHISPER_EQUIVALENT_H
#define EAR_WHISPER_EQUIVALENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/line_compare.h"
#include "decoder/formats/whisper/whisper_line.h"
#include "decoder/formats/whisper/whisper_pattern.h"

/* Lines of two Whisper CSVs that differ and decode to the same record, found without decoding them.
 *
 * Each line matches a pattern of its reader (whisper_pattern.h); the two patterns hold the same
 * record but for registers and memory, and those columns are equal, byte for byte:
 *
 *     80000050,a2a023,   ,x10;x5;i0,   80001040=1,   s,m,,sw       x10; 0x0(x5),0\n
 *     pattern            pattern                     pattern
 *                     ^                ^ equal in both texts
 *
 * A line without a pattern, such as a trap or a line with an unusual disassembly, must be equal in
 * all columns before the disassembly.
 */

/* One of the texts, at the beginning of a line. */
struct ear_whisper_text {
	const char *at, *end; /* whole lines */
	const struct ear_whisper_patterns *patterns;
	const struct ear_whisper_hart *harts;
	unsigned xlen;
	size_t columns; /* 9, 10 or 12 */
};

/* As find_equivalent of line_compare.h, with *budget for lines without a pattern. */
size_t ear_whisper_equivalent_find(struct ear_line_pair *pairs, size_t max,
	const struct ear_whisper_text *a, const struct ear_whisper_text *b, size_t *budget);

#endif
