#ifndef EAR_EQUAL_AHEAD_H
#define EAR_EQUAL_AHEAD_H

#include <stddef.h>

#include "decoder/formats/base/reader.h"

/* ear_reader_skip_equal by several threads, for long texts with long equal parts: each thread
 * compares a part of the two files.
 *
 * Equal lines are at the same distance from the next lines of both readers. Equivalent lines
 * (line_compare.h) are not: a thread searches for the line of B that belongs to the first line of
 * its part of A, near where it should be. The guess is checked when the parts are put together:
 * each must begin where the one before it has ended.
 */
struct ear_equal_ahead;

/* For two readers of plain files; jobs: threads, the caller's included. Call it before a record was
 * read. Returns 0 and *ahead, to be freed before the readers; EAR_E_UNSUPPORTED if the texts are
 * not such; EAR_E_NO_MEMORY.
 */
int ear_equal_ahead_new(struct ear_equal_ahead **ahead, struct ear_reader *reader,
	struct ear_reader *other, unsigned jobs);
void ear_equal_ahead_free(struct ear_equal_ahead *ahead);

/* As ear_reader_skip_equal, from the next lines of the two readers; more than keep lines are left.
 */
size_t ear_equal_ahead_skip(
	struct ear_equal_ahead *ahead, struct ear_equal_lines *harts, size_t keep);

#endif
