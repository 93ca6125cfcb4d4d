#ifndef EAR_GREP_COUNTS_H
#define EAR_GREP_COUNTS_H

#include <earshot/record.h>
#include <stdbool.h>

/* 'earshot grep --count-by': how many matches there are of each function, pc or hart. */
struct ear_names;

enum grep_count_key { GREP_COUNT_FUNCTION, GREP_COUNT_PC, GREP_COUNT_HART };

#define GREP_COUNT_WORDS "function pc hart" /* in the order of the keys */

struct grep_counts;

/* names: for FUNCTION, and for PC if they are to be shown, else NULL; stays the caller's. Returns
 * NULL if memory is short. */
struct grep_counts *grep_counts_new(enum grep_count_key key, struct ear_names *names);
void grep_counts_free(struct grep_counts *counts); /* NULL is fine */

/* Count a match. What finds no memory is missing, and grep_counts_print says so. */
void grep_counts_add(struct grep_counts *counts, const struct ear_record *record);

/* A line for each key, the most frequent first. Returns false after printing that some are missing.
 */
bool grep_counts_print(struct grep_counts *counts);

#endif
