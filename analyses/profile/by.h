#ifndef EAR_ANALYSES_BY_H
#define EAR_ANALYSES_BY_H

#include "analyses/profile/profile.h"

/* What a run did, by what it was done for: a row for each task, process, privilege or hart. All
 * rows together are all records. docs/analyses/profile.md, section 6.
 */
enum ear_by_key { EAR_BY_TASK, EAR_BY_PROCESS, EAR_BY_PRIVILEGE, EAR_BY_HART, EAR_BY_KEYS };

/* By their keys. The first two need a follower of tasks. Their options are struct
 * ear_profile_options, not NULL, of which what the trace cannot show matters. */
extern const struct ear_analysis ear_by_analyses[EAR_BY_KEYS];

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

/* The rows, those with most records first. */
size_t ear_by_finish(struct ear_by *by, const struct ear_by_row **rows);
/* The task with a number, NULL: there is none; the first one with a pid, whose name is that of the
 * process; and events of tasks. */
const struct ear_by_task *ear_by_task(const struct ear_by *by, uint64_t number);
const struct ear_by_task *ear_by_process(const struct ear_by *by, uint64_t pid);
uint64_t ear_by_events(const struct ear_by *by);
/* The sum of all rows. */
struct ear_profile_counts ear_by_total(const struct ear_by *by);
struct ear_profile_shows ear_by_shows(const struct ear_by *by);

#endif
