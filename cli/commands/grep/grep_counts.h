#ifndef EAR_GREP_COUNTS_H
#define EAR_GREP_COUNTS_H

#include <earshot/record.h>
#include <stdbool.h>

#include "library/tasks/task_follower.h"

/* 'earshot grep --count-by': how many matches there are of each function, pc, hart or task. */
struct ear_names;

enum grep_count_key { GREP_COUNT_FUNCTION, GREP_COUNT_PC, GREP_COUNT_HART, GREP_COUNT_TASK };

#define GREP_COUNT_WORDS "function pc hart task" /* in the order of the keys */

struct grep_counts;

/* names: for FUNCTION, and for PC if they are to be shown, else NULL; stays the caller's. Returns
 * NULL if memory is short. */
struct grep_counts *grep_counts_new(enum grep_count_key key, struct ear_names *names);
void grep_counts_free(struct grep_counts *counts); /* NULL is fine */

/* Count a match. task: that it is of, NULL if that is not known. What finds no memory is missing,
 * and grep_counts_print says so. */
void grep_counts_add(
	struct grep_counts *counts, const struct ear_record *record, const struct ear_task *task);

/* A line for each key, the most frequent first. tasks: for TASK, their names, those that they had
 * last. Returns false after printing that some are missing.
 */
bool grep_counts_print(struct grep_counts *counts, const struct ear_task_follower *tasks);

#endif
