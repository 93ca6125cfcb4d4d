#ifndef EAR_WHISPER_EQUAL_H
#define EAR_WHISPER_EQUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/base/line_compare.h"

/* Lines of two Whisper CSVs that are equal, byte for byte. */

/* The equal lines at the beginnings of a[0 .. size-1] and b[0 .. size-1], both with EAR_TEXT_SLACK
 * readable bytes after them. columns: 9, 10 or 12, in the usual order.
 *
 * The run ends before the first line that is not a record, or has an effect on later lines: a
 * header, a comment line, a page walk, a write of the rounding mode. A write of vtype is the state
 * of its hart in the run. The last keep lines of each hart are left out.
 */
void ear_whisper_equal_find(struct ear_line_run *run, const char *a, const char *b, size_t size,
	size_t columns, size_t keep);

/* Shorten a run, line by line from its end, until the last keep lines of each hart are outside, or
 * all that it had. Call ear_whisper_leave_line for each line while open is not 0.
 */
struct ear_whisper_leave {
	size_t keep;
	size_t open; /* harts that still need a line */
	uint64_t left[EAR_EQUAL_HARTS_MAX];
};

void ear_whisper_leave_begin(
	struct ear_whisper_leave *leave, const struct ear_line_run *run, size_t keep);
void ear_whisper_leave_line(
	struct ear_whisper_leave *leave, struct ear_line_run *run, unsigned hart);
void ear_whisper_leave_end(struct ear_line_run *run);

/* Look at one line, which ends before end. Returns the end of the line, or NULL if a run ends
 * before it, as above. */
struct ear_whisper_line_end {
	const char *body; /* the end of the columns before the hart */
	unsigned hart;
	uint8_t vtype; /* ear_vtype_pack() if the line writes it, else 0 */
};

const char *ear_whisper_equal_line(
	const char *line, const char *end, size_t columns, struct ear_whisper_line_end *found);

#endif
