#ifndef EAR_ANALYSES_TIMELINE_HARTS_H
#define EAR_ANALYSES_TIMELINE_HARTS_H

#include "analyses/timeline/timeline_state.h"

/* What has failed, or 0. */
int timeline_failure(const struct ear_timeline *timeline);

/* One more track. Returns its number; UINT32_MAX: memory is short. */
uint32_t timeline_add_track(struct ear_timeline *timeline, uint16_t hart, unsigned kind);

/* NULL: memory is short, or there are too many. */
struct timeline_hart *timeline_take_hart(struct ear_timeline *timeline, uint16_t number);
/* *track, which is a track of the hart, made if it is none yet. */
uint32_t timeline_hart_track(struct ear_timeline *timeline, struct timeline_hart *hart,
	uint32_t *track, enum ear_timeline_track_kind kind);
/* NULL: memory is short. */
struct timeline_stack *timeline_take_stack(
	struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t number);

/* It is the time of a record, or of an event, now. */
void timeline_set_now(
	struct ear_timeline *timeline, struct timeline_hart *hart, const struct timeline_at *at);
/* The next record that there is, of any hart, looked at before it is taken. The first two say
 * whether there is time. */
void timeline_look(struct ear_timeline *timeline, const struct timeline_at *at);
/* The next record of a hart is there: it is its time now, and what lasted up to it ends. */
void timeline_arrive(
	struct ear_timeline *timeline, struct timeline_hart *hart, const struct timeline_at *at);

#endif
