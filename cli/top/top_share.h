#ifndef EAR_TOP_SHARE_H
#define EAR_TOP_SHARE_H

#include "cli/show/json.h"
#include "cli/top/top_frame.h"

/* What all ways to show an interval need. */

/* The idle share, and of what it is one. NULL: it is not known, because a hart that waits in wfi
 * retires nothing and records have no time, or because there is no opcode. */
const char *top_idle_share(
	const struct ear_top_sum *sum, const struct ear_top_idle *idle, double *share);

/* Per second; 0 without rates. */
double top_rate(const struct top_frame *frame, uint64_t count);

/* "main", or "0x80000040", or "?" if it is not known. Safe to show, as is the next. */
void top_function_text(char *text, size_t size, const char *name, uint64_t entry);

/* "fw.c:12", or "". */
void top_line_text(char *text, size_t size, const struct ear_top_pc *pc);

/* "12.3k", "4.56M", "789": three digits and a unit. */
#define TOP_SHORT_SIZE 24
const char *top_short(char text[TOP_SHORT_SIZE], double value);

/* A word for a state: "running", "ended", "interrupted", "failed". */
const char *top_state_word(enum top_state state);

/* Put the interval, or with sum all since the beginning, as an object: its view was taken so. */
void top_put_json(struct json *json, const struct top_frame *frame, bool sum);

/* Print the interval. Return false if standard output cannot be written. */
bool top_print_json(const struct top_frame *frame);
bool top_print_plain(const struct top_frame *frame);

#endif
