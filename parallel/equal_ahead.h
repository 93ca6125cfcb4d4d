#ifndef EAR_EQUAL_AHEAD_H
#define EAR_EQUAL_AHEAD_H

#include <stddef.h>

#include "formats/base/reader.h"

/* ear_reader_skip_equal by several threads: each compares a chunk of the two files, in places that
 * are equally far from where the readers stand. For long texts that are the same for long.
 *
 * Where lines are not equal but make equal records (whisper_equivalent.h), the places are not
 * equally far. Each thread looks for the line of B that goes with the first of its chunk of A, near
 * where it should be. That it was the right one shows when the chunks are put together: each must
 * begin where the one before it has ended.
 */
struct ear_equal_ahead;

/* For two readers of plain files; jobs: threads, the caller's included. Call it before a record was
 * read. Returns 0 and *ahead, to be freed before the readers; EAR_E_UNSUPPORTED if the texts are
 * not such; EAR_E_NO_MEMORY.
 */
int ear_equal_ahead_new(struct ear_equal_ahead **ahead, struct ear_reader *reader,
	struct ear_reader *other, unsigned jobs);
void ear_equal_ahead_free(struct ear_equal_ahead *ahead);

/* As ear_reader_skip_equal, from where the two readers stand now; more than keep lines are left. */
size_t ear_equal_ahead_skip(
	struct ear_equal_ahead *ahead, struct ear_equal_lines *harts, size_t keep);

#endif
