#ifndef EAR_ANALYSES_BY_H
#define EAR_ANALYSES_BY_H

#include <earshot/tasks.h>
#include <earshot/trace.h>

#include "analyses/profile/profile.h"

/* What a run did, by what it was done for: a row for each task, process, privilege or hart. All
 * rows together are all records. docs/analyses/profile.md, section 6.
 */
enum ear_by_key { EAR_BY_TASK, EAR_BY_PROCESS, EAR_BY_PRIVILEGE, EAR_BY_HART };

struct ear_by_row {
	bool known;
	uint64_t key; /* if known: number of the task (tasks.h); pid of the process; privilege; hart
		       */
	struct ear_profile_counts counts;
};

/* A task: what is known of it at the end. */
struct ear_by_task {
	uint64_t pid, process;
	bool has_process;
	char *name; /* "": not known */
};

struct ear_by;

/* tasks: for TASK and PROCESS, else NULL; they are the caller's, and get the batches first. Returns
 * 0 and *by, or EAR_E_NO_MEMORY. */
int ear_by_new(struct ear_by **by, enum ear_by_key key, struct ear_tasks *tasks);
void ear_by_free(struct ear_by *by); /* NULL is fine */

/* Before the first record: the trace cannot show these (ear_trace_carries). */
void ear_by_lacks(struct ear_by *by, bool traps, bool interrupts);

/* Records of a batch, all of one task (0: not known, or no tasks). Returns 0 or EAR_E_NO_MEMORY.
 * A gap, or another record that is no instruction: count 1. */
int ear_by_records(struct ear_by *by, const struct ear_batch *batch, size_t first, size_t count,
	uint32_t task);

/* No more batches come: what is known of the tasks is kept, and they are needed no more. Returns 0
 * or EAR_E_NO_MEMORY. */
int ear_by_end(struct ear_by *by);

/* Parts, that have ended: next comes after what by has counted, and had tasks that know what came
 * before it. next is to be freed. Returns 0 or EAR_E_NO_MEMORY. */
int ear_by_join(struct ear_by *by, struct ear_by *next);

/* In files (part.h), that have ended; into a new one without tasks. */
void ear_by_write(const struct ear_by *by, struct ear_part_writer *writer);
bool ear_by_read(struct ear_by *by, struct ear_part_reader *reader);

/* The rows, those with most records first. */
size_t ear_by_finish(struct ear_by *by, const struct ear_by_row **rows);
/* After ear_by_end. The task with a number, NULL: there is none; the first one with a pid, whose
 * name is that of the process; and events of tasks. */
const struct ear_by_task *ear_by_task(const struct ear_by *by, uint64_t number);
const struct ear_by_task *ear_by_process(const struct ear_by *by, uint64_t pid);
uint64_t ear_by_events(const struct ear_by *by);
/* The sum of all rows. */
struct ear_profile_counts ear_by_total(const struct ear_by *by);
struct ear_profile_shows ear_by_shows(const struct ear_by *by);

#endif
