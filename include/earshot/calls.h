#ifndef EAR_CALLS_H
#define EAR_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/call_frame.h>
#include <earshot/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Paths of calls, for who reads a whole trace: by which calls each instruction was reached.
 *
 *     struct ear_calls *calls;
 *     struct ear_batch batch = {.size = sizeof(batch)};
 *
 *     ear_calls_new(&calls, NULL);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_calls_batch(calls, &batch, take, context);
 *     for (uint32_t i = 1; i <= ear_calls_count(calls); i++)
 *             ... ear_calls_path(calls, i, &path)
 *     ear_calls_free(calls);
 *
 * A *path* is a call stack without what changes from one call to the next: where was called from,
 * what was entered, and the path of the caller. So all calls of a function from the same place, in
 * the same path, are one path; and paths are a tree. Stacks are followed by the rules of
 * docs/library.md, section 8, through tasks, handlers and longjmp; after a gap a path begins anew.
 * A moment (moment.h) has the stack at one place without reading the others.
 *
 * For the thread that uses it. Nothing of the trace is kept.
 */
struct ear_calls;

struct ear_calls_options {
	size_t size; /* sizeof(struct ear_calls_options) */
	/* The path of an interrupt's handler is below what it interrupted. Without it, it is a root
	 * of its own. */
	bool interrupts_inside;
	uint32_t
		paths_max; /* where there are so many, deeper ones are none of their own; 0: 2^20 */
};

#define EAR_CALLS_DEFAULTS \
	{ \
		.size = sizeof(struct ear_calls_options) \
	}

struct ear_call_path {
	size_t size;      /* sizeof(struct ear_call_path), filled in by the caller */
	uint32_t parent;  /* path of the caller; 0: it is a root */
	uint8_t kind;     /* enum ear_call_frame_kind; BASE: who called it is not known */
	uint16_t hart;    /* BASE, and of handlers that are roots; others have their root's */
	uint64_t call_pc; /* of the instruction that called, or trapped; of a root: undefined */
	uint64_t entry;   /* where it began; after a tail call another function may be there.
			   * BASE: undefined */
	uint64_t entered; /* how often; for BASE how often a stack began with an unknown function */
};

/* options NULL: the defaults. Returns 0 and *calls; EAR_E_NO_MEMORY, EAR_E_BAD_ARGUMENT (size). */
int ear_calls_new(struct ear_calls **calls, const struct ear_calls_options *options);
void ear_calls_free(struct ear_calls *calls); /* NULL is fine */

/* Records first .. first + count - 1 of the batch are instructions, or interrupts, of one path; 0:
 * there is no stack (no opcodes, another instruction set). A record that calls belongs to the
 * caller, one that returns to the callee, and an interrupt to what it interrupted. Returns
 * 0 to go on; any other value ends ear_calls_batch, which returns it. */
typedef int ear_calls_take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path);

/* The next batch of the trace. One that does not follow the last one is after a gap.
 *
 * Returns 0, what take returned, EAR_E_NO_MEMORY, or EAR_E_FULL: more than 1024 harts. */
int ear_calls_batch(struct ear_calls *calls, const struct ear_batch *batch, ear_calls_take *take,
	void *context);

/* The trace, or the part of it that is read, ended: what was called by its last record counts as
 * entered, too. No more batches may come. Returns 0 or EAR_E_NO_MEMORY. */
int ear_calls_end(struct ear_calls *calls);

/* Parts. Who reads a part of a trace only begins it with the stacks of that moment, before the
 * first batch:
 *
 *     ear_moment_new(&moment, trace, position, NULL);
 *     ear_calls_start(calls, moment, NULL);
 *     ear_trace_seek(trace, position, NULL);
 *
 * Frames that are active there have paths, and count as entered in the part in which they were. So
 * each record has the path that it has when the whole is read, and times entered of consecutive
 * parts add up. A path is the same one in two parts if parent, kind, hart, call_pc and entry are:
 * ear_calls_add finds it.
 *
 * Returns 0; EAR_E_BAD_ARGUMENT: a batch came before; EAR_E_UNSUPPORTED: no calls are known there,
 * and nothing was changed; EAR_E_CANCELLED, or an error as ear_moment_stack. */
struct ear_moment;
struct ear_progress;
int ear_calls_start(
	struct ear_calls *calls, struct ear_moment *moment, const struct ear_progress *progress);

/* Calls in time: when each frame is entered, and when it is left.
 *
 * A record that calls, traps or is an interrupt enters a frame, one that returns leaves it. Before
 * either is said, take has had all records up to that one. Where there is no record of an interrupt
 * the first instruction of its handler enters the frame, and take has had the one before. */
enum ear_call_end {
	EAR_CALL_RETURNED,  /* to where it was to return to */
	EAR_CALL_UNWOUND,   /* by longjmp, an exception, a new task in the memory of its stack */
	EAR_CALL_FORGOTTEN, /* there was a gap, or a limit was reached: when it ended is not known
			     */
};

struct ear_call_change {
	size_t size; /* of the library's struct */
	uint16_t hart;
	uint8_t end;                 /* enum ear_call_end; of a frame that is entered undefined */
	uint64_t position;           /* of the record that enters or leaves it */
	struct ear_call_frame frame; /* CALL, TRAP or INTERRUPT */
	uint32_t mark;               /* that it has; 0 if it is entered now */
	uint32_t below;              /* entered: the mark of the frame below it; 0: a base */
};

struct ear_calls_watch {
	size_t size; /* sizeof(struct ear_calls_watch) */
	/* Returns a mark of its own for the frame, 1 or more. */
	uint32_t (*entered)(void *context, const struct ear_call_change *change);
	/* Of those that end together, the newest comes first. */
	void (*left)(void *context, const struct ear_call_change *change);
	void *context;
};

/* Before the first batch and ear_calls_start, which says of the frames that are active there that
 * they are entered, those below first: with the position at which they were. Returns 0;
 * EAR_E_BAD_ARGUMENT (size, or a batch came before). */
int ear_calls_set_watch(struct ear_calls *calls, const struct ear_calls_watch *watch);

/* The mark of the newest frame of a hart; 0: a base, or there is none. In take it is the mark
 * of the records that are taken. */
uint32_t ear_calls_mark(const struct ear_calls *calls, uint16_t hart);

/* The number of a path, one of these calls as parent, which is made if it is not there: to put
 * together what others read. entered is added to that which it has. Returns 0 and *number;
 * EAR_E_BAD_ARGUMENT (size 0, a parent that is not there, or a hart other than its), or
 * EAR_E_NO_MEMORY. Where there are paths_max, *number is parent. */
int ear_calls_add(struct ear_calls *calls, const struct ear_call_path *path, uint32_t *number);

/* Paths are 1 .. count; a parent has a lower number than those it called. */
uint32_t ear_calls_count(const struct ear_calls *calls);
/* False, and *path is untouched: there is no such path, or size is 0. */
bool ear_calls_path(const struct ear_calls *calls, uint32_t number, struct ear_call_path *path);
/* Was paths_max reached? What is deeper counts for the path above it. */
bool ear_calls_limited(const struct ear_calls *calls);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
