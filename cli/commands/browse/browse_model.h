#ifndef CLI_BROWSE_MODEL_H
#define CLI_BROWSE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/history.h>
#include <earshot/instruction.h>
#include <earshot/names.h>
#include <earshot/trace.h>

#include "cli/commands/browse/browse_calls.h"

/* What 'earshot browse' knows, without a screen: a record of a trace that the cursor is on, and how
 * it moves. What registers and memory held is that after the record, as `earshot state --at N`.
 *
 * Moves return 1; 0: there is nothing in that direction, *why says what, and nothing has changed;
 * or an error of the trace, with its sentence in *why: the cursor stays where it was.
 */
#define BROWSE_WHY_MAX   512
#define BROWSE_TRAIL_MAX 256

enum browse_fold { BROWSE_FOLD_NONE, BROWSE_FOLD_CALLS, BROWSE_FOLD_LOOPS, BROWSE_FOLDS };

struct browse_model {
	struct ear_trace *trace;
	struct ear_names *names; /* NULL: there are none */
	struct ear_instructions *instructions;
	const struct ear_progress *progress;

	struct ear_history *history; /* at the record after the cursor */
	struct ear_history *around;  /* for records outside of its window */
	struct browse_calls calls;   /* of its window */
	uint64_t cursor;
	bool empty; /* there is no record */

	bool counted; /* what the trace has is known: it has an index, or its end was read */
	struct ear_trace_counts counts;

	enum browse_fold fold; /* of rows */
	char why[BROWSE_WHY_MAX];

	/* Where jumps came from, and went to. */
	uint64_t trail[BROWSE_TRAIL_MAX];
	size_t trail_at, trail_count;
};

/* The model is on the first record. The trace and the names are the caller's. Returns 0, or an
 * error, which model->why has; after EAR_E_CANCELLED the next model of the trace has no index. */
int browse_model_open(struct browse_model *model, struct ear_trace *trace, struct ear_names *names,
	const struct ear_progress *progress);

/* To the last instruction, with no place in the trail. Returns 0, or an error as above: the model
 * is where it was. */
int browse_model_end(struct browse_model *model);
void browse_model_close(struct browse_model *model);

/* ---- Where it is. ---- */

/* Of the trace; NULL: it ends before. Valid until the next call. */
const struct ear_record *browse_model_record(struct browse_model *model, uint64_t position);

/* Number of the instruction at a position, or of the next one. False: it is not there. */
bool browse_model_number(struct browse_model *model, uint64_t position, uint64_t *number);

/* Of the cursor, 0 .. 100; -1: not known. */
double browse_model_percent(const struct browse_model *model);

/* The calls around the cursor. */
const struct browse_calls *browse_model_calls(struct browse_model *model);

/* ---- Rows: what the list of records shows. ---- */

/* Records first .. last: one of them, or a call or rounds of a loop that are folded to a line. */
struct browse_row {
	uint64_t first, last;
	const struct browse_node *fold; /* NULL: one record. Valid until the cursor moves */
	bool cut;                       /* the fold is longer: the rest is not in the window */
};

/* The row that begins at position, or ends before it. False: there is none. */
bool browse_row_at(struct browse_model *model, uint64_t position, struct browse_row *row);
bool browse_row_before(struct browse_model *model, uint64_t position, struct browse_row *row);

/* ---- Moves. ---- */

/* To a record, without and with its place in the trail. One beyond the end is the last one. */
int browse_go(struct browse_model *model, uint64_t position);
int browse_jump(struct browse_model *model, uint64_t position);

/* Along the trail. */
int browse_back(struct browse_model *model);
int browse_forth(struct browse_model *model);

/* By count rows, forward or backward. */
int browse_rows(struct browse_model *model, int64_t count);

/* The next record of the hart; the same without what is called; until the frame ends, or to where
 * it was called; to another line of the source. */
int browse_step(struct browse_model *model, enum ear_direction direction);
int browse_over(struct browse_model *model, enum ear_direction direction);
int browse_out(struct browse_model *model, enum ear_direction direction);
int browse_line(struct browse_model *model, enum ear_direction direction);

/* To the next record that meets a query; what names it in the message, "a trap". */
int browse_find(struct browse_model *model, const struct ear_query *query,
	enum ear_direction direction, const char *what);

/* The next record that calls, or returns. */
int browse_call(struct browse_model *model, enum ear_direction direction);
int browse_return(struct browse_model *model, enum ear_direction direction);

/* Leave the loop that the cursor is in. */
int browse_leave_loop(struct browse_model *model, enum ear_direction direction);

/* To a place as people write it (docs/moments.md), and to a part of the trace in percent. */
int browse_moment(struct browse_model *model, const char *text);
int browse_percent(struct browse_model *model, double percent);

/* Nothing is there: the sentence, and 0. */
int browse_none(struct browse_model *model, const char *form, ...)
	__attribute__((format(printf, 2, 3)));

/* The last error of the trace: its sentence, and result. */
int browse_fail(struct browse_model *model, int result);

#endif
