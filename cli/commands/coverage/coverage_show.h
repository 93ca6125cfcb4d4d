#ifndef EAR_COVERAGE_SHOW_H
#define EAR_COVERAGE_SHOW_H

#include <stdio.h>

#include "cli/commands/coverage/coverage_lines.h"
#include "cli/show/verdict.h"

/* A tracefile of lcov. Whether it could be written is said by the file. */
void coverage_write_lcov(FILE *file, const struct coverage_lines *lines);

/* To standard output: a table by file, and what never ran. */
void coverage_show_table(const struct coverage_lines *lines);
void coverage_show_uncovered(const struct coverage_lines *lines);

/* Both as one JSON object; what never ran if uncovered. */
void coverage_show_json(
	const struct coverage_lines *lines, bool uncovered, const struct verdict *verdict);

#endif
