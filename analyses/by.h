#ifndef EAR_ANALYSES_BY_H
#define EAR_ANALYSES_BY_H

#include <earshot/tasks.h>
#include <earshot/trace.h>

#include "analyses/profile.h"

/* What a run did, by what it was done for: a row for each task, process, privilege or hart. All
 * rows together are all records. docs/analyses.md, section 3.
 */
enum ear_by_key { EAR_BY_TASK, EAR_BY_PROCESS, EAR_BY_PRIVILEGE, EAR_BY_HART };

struct ear_by_row {
	bool known;
	uint64_t key; /* if known: number of the task (tasks.h); pid of the process; privilege; hart
		       */
	struct ear_profile_counts counts;
};

struct ear_by;

/* tasks: for TASK and PROCESS, else NULL; they are the caller's, and get the batches first. Returns
 * 0 and *by, or EAR_E_NO_MEMORY. */
int ear_by_new(struct ear_by **by, enum ear_by_key key, struct ear_tasks *tasks);
void ear_by_free(struct ear_by *by); /* NULL is fine */

/* Records of a batch, all of one task (0: not known, or no tasks). Returns 0 or EAR_E_NO_MEMORY.
 * A gap, or another record that is no instruction: count 1. */
int ear_by_records(struct ear_by *by, const struct ear_batch *batch, size_t first, size_t count,
	uint32_t task);

/* The rows, those with most records first. */
size_t ear_by_finish(struct ear_by *by, const struct ear_by_row **rows);
/* The sum of all rows. */
struct ear_profile_counts ear_by_total(const struct ear_by *by);
struct ear_profile_shows ear_by_shows(const struct ear_by *by);

#endif
