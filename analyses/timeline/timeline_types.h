#ifndef EAR_ANALYSES_TIMELINE_TYPES_H
#define EAR_ANALYSES_TIMELINE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* What a timeline takes and hands out: timeline.h. */
struct ear_timeline;
struct ear_names;

struct ear_timeline_options {
	uint64_t slices_max;     /* 0: 2 M */
	uint64_t least;          /* duration of a slice */
	uint32_t depth;          /* calls that are deeper are no slices; 0: all are */
	const char *task;        /* only its calls and methods: its number or name; NULL: any */
	struct ear_names *names; /* of ear_timeline_analysis; NULL: there are none */
	bool part;               /* of a trace: it is only joined, and needs nothing of the above */
	/* A part of this one, which may be used at the same time; NULL: what it follows is said by
	 * the names. */
	const struct ear_timeline *whole;
};

#define EAR_TIMELINE_SLICES_MAX (2u << 20)

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

enum ear_timeline_how {
	EAR_TIMELINE_RETURNED,
	EAR_TIMELINE_UNWOUND,
	EAR_TIMELINE_FORGOTTEN, /* there was a gap */
	EAR_TIMELINE_CUT,       /* the trace ended */
};

#define EAR_TIMELINE_BEFORE UINT64_MAX

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

struct ear_timeline_result {
	bool has_time;    /* time is that of the records, else their numbers */
	uint64_t records; /* of instructions and interrupts */
	uint64_t slices;  /* that are there */
	uint64_t merged;  /* that are not */
	uint64_t least;   /* duration of those that are there */
	uint64_t instants, instants_left_out;
	uint64_t backwards; /* how often the time of a hart went back */
	uint64_t gaps;
	uint64_t pathless; /* records of which no calls are known */
};

#endif
