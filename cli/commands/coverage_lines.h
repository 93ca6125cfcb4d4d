#ifndef EAR_COVERAGE_LINES_H
#define EAR_COVERAGE_LINES_H

#include "cli/commands/coverage_files.h"

/* What was covered of the sources of a program: lines, functions and branches of each file, those
 * that never ran included. docs/analyses.md, section 6, has the rules.
 */
#define COVERAGE_OPTIONS_MAX 64

struct coverage_filter {
	const char *old_prefix[COVERAGE_OPTIONS_MAX]; /* --source; the text before its "=" */
	size_t old_size[COVERAGE_OPTIONS_MAX];
	const char *new_prefix[COVERAGE_OPTIONS_MAX];
	unsigned source_count;
	const char *ignored[COVERAGE_OPTIONS_MAX]; /* --ignore */
	unsigned ignored_count;
};

/* Returns false if memory is short. Free it in any case; the names must stay until then. */
bool coverage_lines_make(struct coverage_lines *lines, const struct ear_coverage *coverage,
	struct ear_names *names, const struct coverage_filter *filter);
void coverage_lines_free(struct coverage_lines *lines);

#endif
