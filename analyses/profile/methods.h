#ifndef EAR_ANALYSES_METHODS_H
#define EAR_ANALYSES_METHODS_H

#include <earshot/tasks.h>
#include <earshot/trace.h>

#include "analyses/profile/profile.h"

/* Where an interpreter spent its instructions, by the methods that it says it runs: method-enter,
 * -exit and -unwind of a virtual machine, and native-... of what it calls.
 * docs/analyses/profile.md, section 6.
 *
 *     ear_methods_new(&methods);
 *     ear_tasks_set_event(tasks, ear_methods_event, methods);
 *     ... ear_tasks_batch, with ear_methods_records for what it hands out
 *     count = ear_methods_finish(methods, &rows);
 */
struct ear_methods;

struct ear_method {
	bool known, native; /* not known: records outside of all methods */
	uint64_t address;
	char *name; /* of the symbol event that was last before its first call; NULL: none came */
	uint64_t calls;
	struct ear_profile_counts self, inclusive; /* a record counts once for a method */
};

int ear_methods_new(struct ear_methods **methods);  /* 0 or EAR_E_NO_MEMORY */
void ear_methods_free(struct ear_methods *methods); /* NULL is fine */

/* Before the first record: the trace cannot show these (ear_trace_carries). */
void ear_methods_lacks(struct ear_methods *methods, bool traps, bool interrupts);

/* ear_tasks_event, and what ear_tasks_take needs: records of one task. A record that is no
 * instruction: count 1. Both return 0 or EAR_E_NO_MEMORY. */
int ear_methods_event(void *methods, const struct ear_record *event);
int ear_methods_records(struct ear_methods *methods, struct ear_tasks *tasks,
	const struct ear_batch *batch, size_t first, size_t count, uint32_t task);

/* Parts: what comes before a part is its events, and what ear_methods_before takes, a record that
 * is no instruction. Then counting begins, with the methods that run there. */
void ear_methods_before(struct ear_methods *methods, const struct ear_record *record);
void ear_methods_begin(struct ear_methods *methods);

/* next comes after what methods has counted, and knew what came before it. It is to be freed.
 * Returns 0 or EAR_E_NO_MEMORY. */
int ear_methods_join(struct ear_methods *methods, struct ear_methods *next);

/* In files (part.h); into a new one. events: of tasks, for who reads it. */
void ear_methods_write(
	const struct ear_methods *methods, struct ear_part_writer *writer, uint64_t events);
bool ear_methods_read(
	struct ear_methods *methods, struct ear_part_reader *reader, uint64_t *events);

/* The methods, those with most records of their own first. */
size_t ear_methods_finish(struct ear_methods *methods, const struct ear_method **rows);
struct ear_profile_counts ear_methods_total(const struct ear_methods *methods);
struct ear_profile_shows ear_methods_shows(const struct ear_methods *methods);
/* Methods that were left without having been entered, or deeper than is followed. */
uint64_t ear_methods_unmatched(const struct ear_methods *methods);

#endif
