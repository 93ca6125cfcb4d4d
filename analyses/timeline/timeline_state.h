#ifndef EAR_ANALYSES_TIMELINE_STATE_H
#define EAR_ANALYSES_TIMELINE_STATE_H

#include <earshot/calls.h>

#include "analyses/base/part_frames.h"
#include "analyses/base/rows.h"
#include "analyses/timeline/slices.h"
#include "analyses/timeline/timeline_counter.h"
#include "analyses/timeline/timeline_heap.h"
#include "analyses/timeline/timeline_instants.h"
#include "analyses/timeline/timeline_methods.h"
#include "analyses/timeline/timeline_names.h"
#include "analyses/timeline/timeline_tasks.h"
#include "analyses/timeline/timeline_types.h"

/* What a timeline has, for its modules. */

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

/* When something happened: at a record. */
struct timeline_at {
	uint64_t number;
	uint64_t ticks; /* if it is timed */
	bool timed;
};

struct timeline_hart {
	uint16_t number;
	uint64_t now;     /* time of its last record, */
	uint64_t record;  /* and the number of that; EAR_TIMELINE_BEFORE: there was none */
	uint64_t counted; /* time of the last one that the counters have */
	bool seen;        /* it has one */
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

	/* Of who reads the records: */
	bool reported_privilege; /* it is last_privilege */
	uint8_t last_privilege;
	bool timed; /* there were ticks: the first and the last ones, */
	uint64_t first_ticks, last_ticks;
	uint64_t backwards; /* and how often they went back */

	/* Of a part: the next record is reported alone, for something may begin, or end, at it. */
	bool reported;
	uint32_t reported_mark; /* of the record that was reported last */
	/* Of who joins one: what there was before it. */
	struct timeline_heap_registers before;
};

/* Records of a part that were not reported yet: they are reported as the last one. */
struct timeline_unreported {
	struct timeline_hart *hart; /* NULL: there are none */
	uint32_t mark;
	uint64_t records;
	struct timeline_at last;
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
	unsigned looked;        /* records whose time was looked at; 2: result.has_time is known */
	uint64_t looked_number; /* of the last of them */
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

	char title[256]; /* "": none was said */

	/* A part: what happened, for who joins it. */
	struct ear_rows rows;
	bool from_file;
	struct timeline_unreported unreported;
	uint32_t marks; /* that it gave; the first active_marks were active at its begin */
	uint32_t active_marks;
	uint32_t *jumped; /* those of frames in which a function of the heap was jumped to */
	uint32_t jumped_count, jumped_capacity;
	bool starting;
	struct ear_part_frames frames; /* of who joins parts */

	/* ear_timeline_next. Counters are those of each hart, then those of users. */
	uint32_t next_slice, next_instant, next_counter, next_sample;
	uint32_t counter_track; /* the first track of counters */
	uint32_t *
		ends; /* numbers of slices whose end is to come, the first one on top of the heap */
	uint32_t end_count, end_capacity;
};

#endif
