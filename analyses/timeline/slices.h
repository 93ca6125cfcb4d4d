#ifndef EAR_ANALYSES_SLICES_H
#define EAR_ANALYSES_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slices: what lasted from one time to another, on tracks, each within the one below it. There are
 * at most so many, however long the trace is: when there would be more, the least duration of a
 * slice is raised until half of them are gone, and slices that are shorter are counted in the one
 * that they were in. A slice lasts at least as long as those in it, so what is above a slice that
 * stays, stays.
 *
 *     mark = ear_slices_begin(slices, track, &what, time);
 *     ear_slices_end(slices, mark, time, how);
 *     ear_slices_close(slices, time);
 *     ear_slices_sort(slices);
 *     ... ear_slices_at
 */
struct ear_slice {
	uint64_t begin, end;
	uint64_t begin_order,
		end_order; /* among all begins and ends of slices, and ear_slices_order */
	uint64_t merged;   /* slices in it that are not there */
	uint64_t position; /* the caller's own, as the next ones */
	uint32_t name;
	uint8_t kind;
	uint8_t how;   /* it ended */
	uint8_t state; /* of slices.c */
	bool hidden;   /* it is merged when it ends */
	uint32_t track;
	uint32_t below; /* mark of the slice it is in; 0: none. While slices are made. */
	uint32_t depth; /* 1: none is below */
};

struct ear_slice_place {
	uint64_t order;
	uint32_t mark;
};

/* What of a slice the caller says. */
struct ear_slice_what {
	uint64_t position;
	uint32_t name;
	uint8_t kind;
	bool hidden;
};

struct ear_slices {
	uint64_t max, least;    /* least duration, which grows */
	struct ear_slice *list; /* by mark */
	uint32_t used, capacity, kept;
	uint32_t free;    /* mark of the first free one; 0: none */
	uint32_t *tops;   /* by track: mark of the newest slice that has not ended; 0: none */
	uint64_t *merged; /* by track: those that were in no slice */
	uint32_t track_count;
	uint64_t order;
	uint64_t merged_count;
	uint64_t crossed;               /* slices that ended before one that was in them */
	int failed;                     /* EAR_E_NO_MEMORY: what comes after it is not there */
	struct ear_slice_place *sorted; /* by begin_order */
};

/* max: slices at most, 1 or more; least: duration, at first. Returns 0 or EAR_E_NO_MEMORY. */
int ear_slices_init(struct ear_slices *slices, uint64_t max, uint64_t least);
void ear_slices_fini(struct ear_slices *slices);

/* One more track. Returns its number; UINT32_MAX: memory is short. */
uint32_t ear_slices_add_track(struct ear_slices *slices);

/* The newest slice of a track; NULL: none. Valid until the next one begins. */
const struct ear_slice *ear_slices_top(const struct ear_slices *slices, uint32_t track);

/* Returns its mark, 1 or more; 0: memory is short. */
uint32_t ear_slices_begin(struct ear_slices *slices, uint32_t track,
	const struct ear_slice_what *what, uint64_t time);
/* Those of a track that have not ended began at time, which is not before they did. */
void ear_slices_move(struct ear_slices *slices, uint32_t track, uint64_t time);
/* One that has ended was at time, for no time. */
void ear_slices_move_ended(struct ear_slices *slices, uint32_t mark, uint64_t time);
/* With all that are in it. mark 0: nothing. */
void ear_slices_end(struct ear_slices *slices, uint32_t mark, uint64_t time, uint8_t how);
/* All that are there of a track. */
void ear_slices_end_track(struct ear_slices *slices, uint32_t track, uint64_t time, uint8_t how);

/* A number between those of begins and ends, for what else there is at one time. */
uint64_t ear_slices_order(struct ear_slices *slices);

/* No slice begins or ends any more. Returns 0 or EAR_E_NO_MEMORY. */
int ear_slices_sort(struct ear_slices *slices);
/* After that, i is 0 .. kept - 1. */
const struct ear_slice *ear_slices_at(const struct ear_slices *slices, uint32_t i);

#endif
