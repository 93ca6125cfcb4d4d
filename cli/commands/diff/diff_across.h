#ifndef EAR_DIFF_ACROSS_H
#define EAR_DIFF_ACROSS_H

#include <stdbool.h>

#include "cli/commands/diff/diff.h"
#include "cli/options/options.h"
#include "cli/show/json.h"

/* 'earshot diff' of two runs whose time differs: --interrupts and --tolerate, and what they did. */

/* The list of --tolerate, for a struct diff: "clocks,counters,devices=0x2000000+0xc000,uart". */
command_take diff_take_tolerate;

/* The inputs are open, and their program is known: get ready. Returns false after printing why it
 * cannot be. */
bool diff_across_begin(struct diff *diff);
void diff_across_end(struct diff *diff);

/* After the sentence of an event: was it decided by a tolerated value, or did a handler switch
 * tasks? Lines of text, or members of the event's object. */
void diff_across_report(const struct diff *diff, const struct ear_compare_event *event);
void diff_across_json(
	const struct diff *diff, struct json *json, const struct ear_compare_event *event);

/* What was left out and tolerated: lines after the summary, or members of its object. */
void diff_across_summary(const struct diff *diff);
void diff_across_json_summary(const struct diff *diff, struct json *json);

/* Were records left out, as those of handlers? */
bool diff_across_skipped_all(const struct diff *diff);

/* Warn of handlers that are suspiciously long. */
void diff_across_warn(const struct diff *diff);

#endif
