#ifndef EAR_ANALYSES_TIMELINE_PRIVATE_H
#define EAR_ANALYSES_TIMELINE_PRIVATE_H

#include "analyses/slices.h"
#include "analyses/timeline.h"
#include "analyses/timeline_counter.h"
#include "analyses/timeline_heap.h"
#include "analyses/timeline_instants.h"
#include "analyses/timeline_methods.h"
#include "analyses/timeline_names.h"
#include "analyses/timeline_tasks.h"

#define TIMELINE_HARTS_MAX  1024u
#define TIMELINE_STACKS_MAX 256u /* of a hart that have a track of their own */

struct timeline_stack {
	uint32_t number, track;
	uint32_t base;      /* mark of what ran when it began, a slice; 0: none */
	uint32_t base_name; /* its name */
	uint64_t task;      /* that ran in it; */
	bool has_task, several_tasks;
	struct timeline_heap_call heap_call;
};

struct timeline_hart {
	uint16_t number;
	uint64_t now;    /* time of its last record, */
	uint64_t record; /* and the number of that; EAR_TIMELINE_BEFORE: there was none */
	bool seen;       /* it has one */
	bool at_base;
	uint64_t base_since;
	struct timeline_stack *stacks;
	uint32_t stack_count, last_stack;
	uint32_t track;                       /* instants and gaps; UINT32_MAX: none yet */
	uint32_t privilege_track, task_track; /* UINT32_MAX: none yet */
	uint32_t gap_mark, privilege_mark, task_mark;
	uint8_t privilege;
	bool has_task;
	uint64_t task;
	struct timeline_heap_registers registers; /* if there is a heap */
	struct timeline_counter rate, depth;      /* instructions; calls */
};

#define TIMELINE_HEAP_COUNTER UINT64_MAX /* what the heap has is one of them */
#define TIMELINE_USERS_MAX    64u

/* A counter of the user. */
struct timeline_user {
	uint64_t number;
	struct timeline_counter counter;
};

struct ear_timeline {
	struct ear_timeline_options options;
	struct ear_calls *calls;
	struct ear_slices slices;
	struct ear_timeline_result result;
	unsigned looked; /* records whose time was looked at; 2: result.has_time is known */
	int failed;

	struct timeline_hart **harts;
	size_t hart_count;
	struct timeline_hart *last_hart;
	struct ear_timeline_track *tracks;

	struct timeline_names name_list;
	struct timeline_instants instants;

	struct timeline_tasks *tasks;
	struct timeline_methods methods;
	bool has_heap;
	struct timeline_heap heap;
	struct timeline_user users[TIMELINE_USERS_MAX];
	size_t user_count;
	uint64_t wanted_pid; /* of options.task, if it is a number */
	bool wanted_is_pid;

	/* ear_timeline_next. Counters are those of each hart, then those of users. */
	uint32_t next_slice, next_instant, next_counter, next_sample;
	uint32_t counter_track; /* the first track of counters */
	uint32_t *
		ends; /* numbers of slices whose end is to come, the first one on top of the heap */
	uint32_t end_count, end_capacity;
};

/* One more track. Returns its number; UINT32_MAX: memory is short. */
uint32_t timeline_add_track(struct ear_timeline *timeline, uint16_t hart, unsigned kind);

#endif
