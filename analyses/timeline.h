#ifndef EAR_ANALYSES_TIMELINE_H
#define EAR_ANALYSES_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/calls.h>
#include <earshot/names.h>
#include <earshot/trace.h>

/* A run over time: calls, handlers, privileges, tasks and gaps as slices on tracks, traps,
 * interrupts and events as instants, and counters. docs/analyses.md, section 5.
 *
 *     ear_timeline_new(&timeline, names, &options);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_timeline_batch(timeline, &batch);
 *     ear_timeline_finish(timeline);
 *     while (ear_timeline_next(timeline, &event))
 *             ... event
 *     ear_timeline_free(timeline);
 *
 * Memory is bounded by the number of slices.
 */
struct ear_timeline;

struct ear_timeline_options {
	uint64_t slices_max; /* 0: 2 M */
	uint64_t least;      /* duration of a slice */
	uint32_t depth;      /* calls that are deeper are no slices; 0: all are */
	const char *task;    /* only its calls and methods: its number or name; NULL: any */
};

#define EAR_TIMELINE_SLICES_MAX (2u << 20)

/* names NULL: there are none; they must stay, and so must options->task. Returns 0 and *timeline;
 * EAR_E_NO_MEMORY. */
int ear_timeline_new(struct ear_timeline **timeline, struct ear_names *names,
	const struct ear_timeline_options *options);
void ear_timeline_free(struct ear_timeline *timeline); /* NULL is fine */

/* The first batch is at moment, not at the begin of the trace: as ear_calls_start. */
int ear_timeline_start(struct ear_timeline *timeline, struct ear_moment *moment,
	const struct ear_progress *progress);

/* Returns 0, EAR_E_NO_MEMORY, or EAR_E_FULL: too many harts. */
int ear_timeline_batch(struct ear_timeline *timeline, const struct ear_batch *batch);

/* No more batches. Returns 0 or EAR_E_NO_MEMORY. */
int ear_timeline_finish(struct ear_timeline *timeline);

/* After that: tracks, 0 .. count - 1. */
enum ear_timeline_track_kind {
	EAR_TRACK_CALLS, /* of a stack: the slices are within each other */
	EAR_TRACK_HART,  /* instants, and gaps */
	EAR_TRACK_PRIVILEGE,
	EAR_TRACK_TASKS,
	EAR_TRACK_METHODS, /* of a task, whichever hart runs it: as CALLS */
	EAR_TRACK_COUNTER,
};

struct ear_timeline_track {
	uint8_t kind; /* enum ear_timeline_track_kind */
	uint16_t hart;
	char name[96];
	uint64_t merged; /* slices of it that are neither there nor counted in another one */
};

size_t ear_timeline_track_count(const struct ear_timeline *timeline);
const struct ear_timeline_track *ear_timeline_track(
	const struct ear_timeline *timeline, size_t track);

/* Where the track is shown: 0 is the first one. */
uint32_t ear_timeline_track_rank(const struct ear_timeline *timeline, size_t track);

enum ear_timeline_event_kind {
	EAR_TIMELINE_BEGIN, /* of a slice */
	EAR_TIMELINE_END,   /* of the newest slice of the track */
	EAR_TIMELINE_INSTANT,
	EAR_TIMELINE_COUNTER,
};

/* Category of a slice or an instant. */
enum ear_timeline_category {
	EAR_TIMELINE_CALL,
	EAR_TIMELINE_TRAP,      /* slice: its handler */
	EAR_TIMELINE_INTERRUPT, /* slice: its handler */
	EAR_TIMELINE_BASE,      /* what ran when a task, or what follows a gap, began */
	EAR_TIMELINE_PRIVILEGE,
	EAR_TIMELINE_TASK,
	EAR_TIMELINE_GAP,
	EAR_TIMELINE_EVENT,
	EAR_TIMELINE_MARK,
	EAR_TIMELINE_METHOD,
	EAR_TIMELINE_CATEGORIES
};

const char *ear_timeline_category_name(unsigned category); /* "call" */

enum ear_timeline_how {
	EAR_TIMELINE_RETURNED,
	EAR_TIMELINE_UNWOUND,
	EAR_TIMELINE_FORGOTTEN, /* there was a gap */
	EAR_TIMELINE_CUT,       /* the trace ended */
};

#define EAR_TIMELINE_BEFORE UINT64_MAX

/* "unwound"; NULL of one that returned. */
const char *ear_timeline_how_name(unsigned how);

struct ear_timeline_event {
	uint8_t kind;     /* enum ear_timeline_event_kind */
	uint8_t category; /* not of COUNTER */
	uint8_t how;      /* of BEGIN: how the slice ends */
	uint32_t track;
	uint64_t time;
	uint64_t duration;    /* of BEGIN */
	uint64_t merged;      /* of BEGIN: slices in it that are not there */
	uint64_t record;      /* number of the instruction record that it came with, or before;
			       * EAR_TIMELINE_BEFORE: of one before the first batch */
	uint32_t name_number; /* the same name has the same number; not of COUNTER and END */
	const char *name;     /* of BEGIN and INSTANT; "": address says what it is */
	uint64_t address;     /* of a function without a name */
	double value;         /* of COUNTER */
};

/* Events in order: those of a track by time, all of a slice between its begin and its end. Returns
 * false after the last one, and begins anew then. */
bool ear_timeline_next(struct ear_timeline *timeline, struct ear_timeline_event *event);

struct ear_timeline_result {
	bool has_time;    /* time is that of the records, else their numbers */
	uint64_t records; /* of instructions and interrupts */
	uint64_t slices;  /* that are there */
	uint64_t merged;  /* that are not */
	uint64_t least;   /* duration of those that are there */
	uint64_t instants, instants_left_out;
	uint64_t backwards; /* records whose time is before that of one before them of the hart */
	uint64_t gaps;
	uint64_t pathless; /* records of which no calls are known */
};

struct ear_timeline_result ear_timeline_result(const struct ear_timeline *timeline);

#endif
