#ifndef EAR_COVERAGE_LINES_H
#define EAR_COVERAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/names.h>

#include "analyses/coverage.h"

/* What was covered of the sources of a program: lines, functions and branches of each file, those
 * that never ran included. docs/analyses.md, section 6, has the rules.
 */
struct coverage_line {
	uint32_t line;
	uint64_t count;
	bool left_out, no_branches; /* marks in the source say so */
};

struct coverage_branch {
	uint32_t line;
	uint64_t address;
	uint64_t taken, not_taken;
	bool executed;
	bool hidden; /* some outcomes are not known: a way that was not seen may have been gone */
};

struct coverage_function {
	const char *name;
	size_t name_size;
	uint32_t line;
	uint64_t count;
};

struct coverage_counts {
	uint64_t lines, lines_hit, functions, functions_hit, branches, branches_hit;
};

struct coverage_file {
	const char *path; /* as the options map it */
	struct coverage_line *lines;
	struct coverage_branch *branches;
	struct coverage_function *functions;
	size_t line_count, branch_count, function_count;
	struct coverage_counts counts;
};

#define COVERAGE_OPTIONS_MAX 64

struct coverage_filter {
	const char *old_prefix[COVERAGE_OPTIONS_MAX]; /* --source; the text before its "=" */
	size_t old_size[COVERAGE_OPTIONS_MAX];
	const char *new_prefix[COVERAGE_OPTIONS_MAX];
	unsigned source_count;
	const char *ignored[COVERAGE_OPTIONS_MAX]; /* --ignore */
	unsigned ignored_count;
};

struct coverage_lines {
	struct coverage_file *files; /* by path; those that have lines */
	size_t file_count;
	struct coverage_counts counts;
	struct coverage_lines_store *store;
};

/* Returns false if memory is short. Free it in any case; the names must stay until then. */
bool coverage_lines_make(struct coverage_lines *lines, const struct ear_coverage *coverage,
	struct ear_names *names, const struct coverage_filter *filter);
void coverage_lines_free(struct coverage_lines *lines);

#endif
