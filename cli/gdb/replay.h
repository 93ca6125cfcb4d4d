#ifndef EAR_GDB_REPLAY_H
#define EAR_GDB_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/diversion.h>
#include <earshot/history.h>
#include <earshot/search.h>
#include <earshot/trace.h>

#include "cli/gdb/options.h"
#include "cli/gdb/points.h"
#include "cli/gdb/wire/expression.h"

/* A run that was recorded, as a debugger sees it: a *present*, which is a position in the trace,
 * and what moves it. What is shown is the state before the record at the present: that
 * instruction comes next.
 *
 * The present is always at an instruction, at a gap or at the end. What lies between (events,
 * accesses without an instruction) is passed over.
 *
 * One step of a hart is one instruction. A trap whose handler returned is a part of the step, as
 * long as handlers_over is set: an interrupt of the step before it, an exception of its own step.
 * A handler has returned where its hart, by an instruction that returns from traps, comes back to
 * where it was, with the same stack pointer; so another task may have run in between. Whoever steps
 * out of a handler at its end, or into it from its beginning, goes back the same way.
 */
enum ear_gdb_reason {
	EAR_GDB_STEPPED,
	EAR_GDB_BREAK,
	EAR_GDB_WATCH,   /* the access comes next; backward it is about to be undone */
	EAR_GDB_CAUGHT,  /* a trap that is to be caught */
	EAR_GDB_GAP,     /* records are missing here */
	EAR_GDB_BEGIN,   /* the first record */
	EAR_GDB_END,     /* the last one */
	EAR_GDB_STOPPED, /* the client interrupted it */
	EAR_GDB_FAILED,  /* the trace cannot be read: ear_trace_error */
};

struct ear_gdb_stop {
	enum ear_gdb_reason reason;
	uint16_t hart;
	enum ear_gdb_kind watch; /* WATCH */
	uint64_t address;        /* of the watchpoint */
	uint64_t cause;          /* CAUGHT, without the interrupt bit */
	bool is_interrupt;
	char text[EAR_GDB_TEXT_MAX]; /* what a user should know beside it; or "" */
};

#define EAR_GDB_TRAIL 1024u

struct ear_gdb_replay {
	struct ear_trace *trace;
	struct ear_history *history;
	bool captured; /* indexes are exact */
	uint64_t present;

	struct ear_gdb_points points;
	unsigned caught; /* set of EAR_QUERY_EXCEPTION and _INTERRUPT */
	bool has_cause;  /* only those of this cause */
	uint64_t cause;
	bool handlers_over;
	bool arrived; /* the present was come to, and not shown: a breakpoint there counts */

	/* Positions of returns from handlers and of traps that were stepped through. */
	uint64_t trail[EAR_GDB_TRAIL];
	size_t trail_count;

	/* What the hart diverted does instead (divert.h); NULL: nothing. */
	struct ear_diversion *diversion;
	uint16_t diverted;
	uint64_t diverted_steps; /* since then */

	/* Asked now and then while something is searched: true ends it. */
	bool (*interrupted)(void *context);
	void *context;
	struct ear_progress progress; /* which asks, too */
	uint64_t scanned;             /* records, since it was asked */
};

/* context for interrupted; *replay must not move afterwards. Returns as ear_history_new. */
int ear_gdb_replay_init(struct ear_gdb_replay *replay, struct ear_trace *trace, bool captured,
	bool (*interrupted)(void *context), void *context);
void ear_gdb_replay_fini(struct ear_gdb_replay *replay);

/* Another handle of the same run, without the first dropped records; the present stays at its
 * record, if that is still there, or goes to the end. Returns as ear_history_new; then all is as it
 * was. */
int ear_gdb_replay_change(
	struct ear_gdb_replay *replay, struct ear_trace *trace, uint64_t dropped, bool to_end);

/* Go to a position; beyond the end is the end. Returns as ear_history_move. */
int ear_gdb_goto(struct ear_gdb_replay *replay, uint64_t position);

/* Let the present be the first instruction or gap at position or after it, or the end: a part of a
 * longer move. Returns as ear_gdb_goto. */
int ear_gdb_settle(struct ear_gdb_replay *replay, uint64_t position);

/* Nothing is diverted any more. Whatever moves the present does this first. */
void ear_gdb_rejoin(struct ear_gdb_replay *replay);

/* The functions below answer of the diversion, where there is one, but for the ones of the recorded
 * run. */

/* What the hart holds at the present, and where it is. False: it is not known. */
bool ear_gdb_register(struct ear_gdb_replay *replay, uint16_t hart, unsigned number,
	uint64_t *value); /* number: target.h */
bool ear_gdb_pc(struct ear_gdb_replay *replay, uint16_t hart, uint64_t *pc);

/* Bytes at the present. Returns how many of the first are known, or an error of the trace. */
int64_t ear_gdb_memory(
	struct ear_gdb_replay *replay, uint64_t address, uint8_t *bytes, size_t size);

/* Of the recorded run; known[i] is 0 for a byte that is not known. Likewise. */
bool ear_gdb_recorded_register(
	struct ear_gdb_replay *replay, uint16_t hart, unsigned number, uint64_t *value);
int64_t ear_gdb_recorded_memory(struct ear_gdb_replay *replay, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size);

/* The record at the present; NULL at the end. Valid until the replay is used again. */
const struct ear_record *ear_gdb_record(struct ear_gdb_replay *replay);

/* The last instruction record of the hart before position, in the window of the history; NULL:
 * none, or there is a gap. Likewise. */
const struct ear_record *ear_gdb_before(
	struct ear_gdb_replay *replay, uint16_t hart, uint64_t position);

/* The number of the next instruction. It makes the record above invalid. */
uint64_t ear_gdb_number(struct ear_gdb_replay *replay);

/* The hart that comes next; at the end, the last one. */
uint16_t ear_gdb_hart(struct ear_gdb_replay *replay);

#endif
