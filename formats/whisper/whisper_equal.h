#ifndef EAR_WHISPER_EQUAL_H
#define EAR_WHISPER_EQUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/line_compare.h"

/* Lines of two Whisper CSVs that are equal, byte for byte. */

/* Compare a and b, both at the beginning of a line, of which size bytes are there and after that
 * EAR_TEXT_SLACK more that may be read. columns: 9, 10 or 12, in the usual order. Of the equal
 * lines the last keep of each hart are left out, and all from the first one on that is more than a
 * record whose line has no effect on others: a header, a comment line, a page walk, a write of the
 * rounding mode.
 */
void ear_whisper_equal_find(struct ear_line_run *run, const char *a, const char *b, size_t size,
	size_t columns, size_t keep);

/* To leave lines that were counted, from the last one back: until keep of each hart are left, or it
 * has none among those that are not.
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

/* One line, which begins at line and ends before end: its hart, and *body, where the columns end
 * that stand before the hart. Returns what is after it, or NULL if it is none that can be passed,
 * as above.
 */
const char *ear_whisper_equal_line(
	const char *line, const char *end, size_t columns, const char **body, unsigned *hart);

#endif
