#ifndef EAR_TOP_RUN_H
#define EAR_TOP_RUN_H

#include "cli/top/top_options.h"
#include "cli/top/top_source.h"

/* A live view from its first record to its end. */

/* Count and show until the source ends, --count is reached, or the user has seen enough. Returns 0
 * at the end of the source, 1 if it ended before, or what source->next returned. *output_failed:
 * standard output cannot be written; it was reported. */
int top_run(
	const struct top_source *source, const struct top_options *options, bool *output_failed);

/* Where functions of --idle begin. Returns how many, or -1 after printing that there is none. */
int top_find_idle(const struct top_options *options, struct ear_names *names, uint64_t *entries,
	unsigned max);

#endif
