#ifndef EAR_CHECK_JUNIT_H
#define EAR_CHECK_JUNIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <earshot/check.h>

/* What a check found as JUnit has it: a test case for each rule, which fails by its violations and
 * is skipped if it was never checked. So a CI server shows it.
 */

struct check_junit_rule {
	uint64_t number, pc; /* of the first violation */
	char place[336], text[EAR_VIOLATION_TEXT_MAX];
};

struct check_junit {
	const char *path; /* NULL: none is wanted; "-": standard output */
	FILE *file;
	struct check_junit_rule rules[EAR_CHECK_RULES];
	bool found[EAR_CHECK_RULES];
};

/* Open the file, before the process gives up the right to. Returns false after printing why it
 * cannot be. */
bool check_junit_open(struct check_junit *junit);

/* A violation; only the first one of each rule is kept. place: " main+4 (fw.c:12)", or "". */
void check_junit_note(
	struct check_junit *junit, const struct ear_violation *violation, const char *place);

/* Write the file, and close it. error: why the check could not be done, NULL: it was. rules: those
 * that are wanted, 0: all. Returns false after printing why it cannot be. */
bool check_junit_write(struct check_junit *junit, const char *trace, uint32_t rules,
	const struct ear_check_counts *counts, const char *error);

#endif
