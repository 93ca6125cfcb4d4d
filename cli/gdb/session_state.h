#ifndef EAR_GDB_SESSION_STATE_H
#define EAR_GDB_SESSION_STATE_H

#include <earshot/instruction.h>
#include <earshot/tasks.h>

#include "cli/gdb/frames.h"
#include "cli/gdb/options.h"
#include "cli/gdb/replay.h"
#include "cli/gdb/wire/link.h"

#define EAR_GDB_HARTS_MAX     256u
#define EAR_GDB_BOOKMARKS_MAX 256u
#define EAR_GDB_NAME_MAX      64u

/* The state of a session, for its parts. */

/* A place with a name. */
struct ear_gdb_bookmark {
	char name[EAR_GDB_NAME_MAX];
	uint64_t position, number;
};

/* Records of a hart that one task ran. */
struct ear_gdb_task_span {
	uint64_t first, end; /* positions; of other harts there may be some between */
	uint64_t number;     /* of the instruction after the last one */
	uint32_t task;       /* 0: not known */
	uint16_t hart;
};

/* A thread of GDB, at the present. */
struct ear_gdb_thread {
	uint32_t task; /* 0: a hart */
	uint16_t hart; /* or the one that ran the task last */
	bool runs;
	/* Of a task that does not run: where it was left. Else the present. */
	uint64_t position, number;
};

struct ear_gdb_tasks {
	bool tried;
	struct ear_tasks *tasks; /* NULL: nothing says which task runs */
	struct ear_gdb_task_span *spans;
	size_t count, room;
	/* Of each task at the present, by number - 1; those that have not run yet have number 0. */
	uint64_t present;
	struct ear_gdb_thread *last;
	struct ear_moment *moment; /* where the one was left that was asked for */
};

struct ear_gdb_session {
	const struct ear_gdb_options *options;
	struct ear_gdb_link link;
	struct ear_gdb_replay replay;
	struct ear_gdb_frames frames;
	struct ear_instructions *instructions;
	unsigned xlen;
	bool running; /* GDB waits for the program to stop, not for a reply */
	bool done;
	bool held; /* the core of a run that continues */
	bool over; /* it does not */
	/* Records and bookmarks that were evicted, and not reported yet. */
	uint64_t forgotten, unseen; /* unseen: after the present at that time */
	size_t forgotten_bookmarks;

	char *target; /* XML */
	size_t target_size;

	/* The hart of registers and memory, and that of steps by bs and s. */
	uint16_t hart, step_hart;
	uint32_t task; /* the task of registers, if it is not what a hart runs; 0: none */
	bool steps_any;
	uint16_t harts[EAR_GDB_HARTS_MAX]; /* seen so far, ascending */
	size_t hart_count;
	struct ear_gdb_tasks tasks;
	struct ear_gdb_stop stop; /* the last one */

	int file; /* the program, open for the client; -1 */

	struct ear_gdb_bookmark bookmarks[EAR_GDB_BOOKMARKS_MAX];
	size_t bookmark_count;
	bool diverted_unsaid;           /* a diversion began, and the user does not know */
	unsigned refused;               /* attempts to change the past */
	char refusal[EAR_GDB_TEXT_MAX]; /* the last one */
};

#endif
