#ifndef EAR_GREP_SHOW_H
#define EAR_GREP_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/commands/grep/grep_conditions.h"
#include "cli/commands/grep/grep_counts.h"
#include "cli/input/source_input.h"
#include "cli/input/task_input.h"
#include "cli/input/trace_input.h"
#include "cli/output/comments.h"
#include "cli/show/record_text.h"
#include "decoder/formats/base/writer.h"
#include "decoder/record/privilege_change.h"
#include "decoder/record/record_copy.h"

#define GREP_CONTEXT_MAX 1000 /* records before or after a match */

/* Which part of the trace, and how many of its matches from which end. Numbers are those of
 * instruction records, from 0. */
struct grep_window {
	struct moment_option from, to; /* both included */
	bool first, last;              /* one match, or grep.most of them, from that end */
	/* Only with first or last: places that limit, not included. */
	struct moment_option before, after;
	bool no_index;
};

struct grep {
	struct source_input input;
	struct conditions conditions;
	const struct ear_writer_format *format;
	uint64_t most; /* matches; UINT64_MAX all */
	struct grep_window window;
	bool by_key; /* --count-by: */
	enum grep_count_key count_key;
	struct grep_counts *counts; /* NULL: not asked for */
	bool asked_library;         /* which says itself what is wrong with the file */
	struct verdict verdict;
	uint64_t number; /* instruction records so far, where the trace is scanned */
	unsigned before, after;
	bool count_only, places, wants_names;
	bool silent;             /* only the exit status, */
	bool quiet;              /* or no messages; the first has the second */
	struct ear_names *names; /* to be shown with places; NULL: not wanted */
	struct comments comments;
	bool refused; /* the format holds one hart, and there is another */

	struct ear_text_output text;
	struct ear_writer *writer;
	struct record_text line;                         /* with places */
	struct ear_record_copy copies[GREP_CONTEXT_MAX]; /* ring of the records before */
	uint64_t copy_numbers[GREP_CONTEXT_MAX];
	unsigned copy_count, copy_next;
	unsigned after_left;
	bool separate; /* records were left out since the last one shown */
	uint64_t matches;
	struct ear_privileges privileges; /* --mode-change, where the trace is scanned */
	bool mode_changed;                /* by the record that came last */
	const char *task;                 /* --task; NULL: not given */
	bool with_tasks;                  /* something asks for them */
	struct task_input tasks;
	unsigned jobs;
	double last_progress;
};

/* The next record of the trace, before grep_take, also one that grep_take does not get. Returns 0
 * or EAR_E_NO_MEMORY.
 */
int grep_note(struct grep *grep, const struct ear_record *record);

/* A record of the trace, in order: counted and shown if it matches, or if it is around a match.
 * number: instructions before it. Returns 1 to continue, 0 if that was enough, or an error.
 */
int grep_take(struct grep *grep, const struct ear_record *record, uint64_t number);

/* A record that was found, or is around one, whatever the conditions say. Returns as grep_take. */
int grep_show_one(
	struct grep *grep, const struct ear_record *record, uint64_t number, bool matches);

/* Records were left out before the one that is shown next. */
void grep_leave_out(struct grep *grep);

/* Records that do not match were not given to grep_take. */
void grep_pass_over(struct grep *grep);

void grep_show_progress(struct grep *grep);

#endif
