#ifndef EAR_COVERAGE_LINES_H
#define EAR_COVERAGE_LINES_H

#include "cli/commands/coverage/coverage_files.h"
#include "cli/input/source_paths.h"

/* What was covered of the sources of a program: lines, functions and branches of each file, those
 * that never ran included. docs/analyses/coverage.md has the rules.
 */

/* Sources that cannot be read are left out, unless all_sources is set or none can be read. With
 * no_inline the functions that were inlined are none of their own; their lines count as ever.
 * Returns false if memory is short. Free it in any case; the names must stay until then. */
bool coverage_lines_make(struct coverage_lines *lines, const struct ear_coverage *coverage,
	struct ear_names *names, const struct source_paths *paths, bool all_sources,
	bool no_inline);
void coverage_lines_free(struct coverage_lines *lines);

#endif
