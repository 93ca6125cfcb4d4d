#ifndef EAR_DIFF_READ_H
#define EAR_DIFF_READ_H

#include "cli/commands/diff/diff.h"

/* The records of both sides, for the comparison: those of a task alone if one was asked for. */

/* Both are open. Sets options.next. */
void diff_read_begin(struct diff *diff);

/* ear_compare_harts_options.skip_equal: context is the struct diff. */
size_t diff_read_skip(void *context, struct ear_equal_lines *harts, size_t keep);

#endif
