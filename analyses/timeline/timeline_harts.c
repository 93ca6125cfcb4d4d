/* Harts, their tracks and stacks, and what time it is on them. */
#include "analyses/timeline/timeline_harts.h"

#include <stdlib.h>

#include <earshot/error.h>

#define NONE UINT32_MAX

int timeline_failure(const struct ear_timeline *timeline)
{
	if (timeline->failed)
		return timeline->failed;
	return timeline->slices.failed ? timeline->slices.failed : timeline->name_list.failed;
}

uint32_t timeline_add_track(struct ear_timeline *timeline, uint16_t hart, unsigned kind)
{
	struct ear_timeline_track *tracks = realloc(
		timeline->tracks, ((size_t)timeline->slices.track_count + 1) * sizeof(*tracks));

	if (!tracks) {
		timeline->failed = EAR_E_NO_MEMORY;
		return NONE;
	}
	timeline->tracks = tracks;
	const uint32_t track = ear_slices_add_track(&timeline->slices);
	if (track == NONE) {
		timeline->failed = EAR_E_NO_MEMORY;
		return NONE;
	}
	tracks[track] = (struct ear_timeline_track){.kind = (uint8_t)kind, .hart = hart};
	return track;
}

struct timeline_hart *timeline_take_hart(struct ear_timeline *timeline, uint16_t number)
{
	if (timeline->last_hart && timeline->last_hart->number == number)
		return timeline->last_hart;
	for (size_t i = 0; i < timeline->hart_count; i++)
		if (timeline->harts[i]->number == number)
			return timeline->last_hart = timeline->harts[i];
	struct timeline_hart **harts = NULL, *hart = NULL;
	if (timeline->hart_count < TIMELINE_HARTS_MAX)
		harts = realloc(timeline->harts,
			(timeline->hart_count + 1) * sizeof(struct timeline_hart *));
	if (harts) {
		timeline->harts = harts;
		hart = calloc(1, sizeof(*hart));
	}
	if (!hart) {
		timeline->failed =
			timeline->hart_count < TIMELINE_HARTS_MAX ? EAR_E_NO_MEMORY : EAR_E_FULL;
		return NULL;
	}
	hart->number = number;
	hart->record = EAR_TIMELINE_BEFORE;
	hart->track = hart->privilege_track = hart->task_track = NONE;
	hart->rate.kind = TIMELINE_SUM;
	hart->depth.kind = TIMELINE_MOST;
	harts[timeline->hart_count++] = timeline->last_hart = hart;
	return hart;
}

uint32_t timeline_hart_track(struct ear_timeline *timeline, struct timeline_hart *hart,
	uint32_t *track, enum ear_timeline_track_kind kind)
{
	if (*track == NONE)
		*track = timeline_add_track(timeline, hart->number, kind);
	return *track;
}

/* The track of a stack. If there are too many, one on which nothing lasts gets another meaning. */
struct timeline_stack *timeline_take_stack(
	struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t number)
{
	if (hart->last_stack < hart->stack_count && hart->stacks[hart->last_stack].number == number)
		return &hart->stacks[hart->last_stack];
	for (hart->last_stack = 0; hart->last_stack < hart->stack_count; hart->last_stack++)
		if (hart->stacks[hart->last_stack].number == number)
			return &hart->stacks[hart->last_stack];
	if (hart->stack_count == TIMELINE_STACKS_MAX) {
		hart->last_stack = 0;
		for (uint32_t i = 0; i < hart->stack_count; i++)
			if (!ear_slices_top(&timeline->slices, hart->stacks[i].track))
				hart->last_stack = i;
		hart->stacks[hart->last_stack].number = number;
		return &hart->stacks[hart->last_stack];
	}
	struct timeline_stack *stacks =
		realloc(hart->stacks, (hart->stack_count + 1u) * sizeof(*stacks));
	if (!stacks) {
		timeline->failed = EAR_E_NO_MEMORY;
		return NULL;
	}
	hart->stacks = stacks;
	const uint32_t track = timeline_add_track(timeline, hart->number, EAR_TRACK_CALLS);
	if (track == NONE)
		return NULL;
	hart->stacks[hart->stack_count] = (struct timeline_stack){.number = number, .track = track};
	return &hart->stacks[hart->stack_count++];
}

/* ---- Time. ---- */

void timeline_set_now(
	struct ear_timeline *timeline, struct timeline_hart *hart, const struct timeline_at *at)
{
	const uint64_t now = timeline->result.has_time ? at->ticks : at->number;

	if (timeline->result.has_time && !at->timed)
		return;
	if (!hart->seen || now > hart->now)
		hart->now = now;
	hart->seen = true;
}

/* What began, or was, before the time of the hart's first record was known is at that time. */
static void move_to_now(struct ear_timeline *timeline, const struct timeline_hart *hart)
{
	bool any = false;

	for (uint32_t i = 0; i < timeline->slices.track_count; i++) {
		if (timeline->tracks[i].hart != hart->number)
			continue;
		ear_slices_move(&timeline->slices, i, hart->now);
		any |= timeline->tracks[i].kind != EAR_TRACK_METHODS;
	}
	for (uint32_t mark = 1; any && mark < timeline->slices.used; mark++) {
		const struct ear_timeline_track *track =
			&timeline->tracks[timeline->slices.list[mark].track];
		if (track->hart == hart->number && track->kind != EAR_TRACK_METHODS)
			ear_slices_move_ended(&timeline->slices, mark, hart->now);
	}
	for (uint32_t i = 0; i < timeline->instants.count; i++)
		if (timeline->instants.list[i].track == hart->track)
			timeline->instants.list[i].time = hart->now;
}

/* The last value of a counter is that of a time, and others are none. */
static void restart_counter(
	struct ear_timeline *timeline, struct timeline_counter *counter, uint64_t now)
{
	int64_t value;

	if (!timeline_counter_last(counter, &value))
		return;
	timeline_counter_fini(counter);
	int result = timeline_counter_add(counter, now, value);
	timeline->failed = result ? result : timeline->failed;
}

/* Times were taken for those of the records: they are their numbers. */
static void forget_time(struct ear_timeline *timeline)
{
	timeline->result.has_time = false;
	for (size_t i = 0; i < timeline->hart_count; i++) {
		struct timeline_hart *hart = timeline->harts[i];
		if (hart->record == EAR_TIMELINE_BEFORE)
			continue;
		hart->now = hart->base_since = hart->counted = hart->record;
		move_to_now(timeline, hart);
		restart_counter(timeline, &hart->depth, hart->now);
		timeline_counter_fini(&hart->rate);
		for (size_t j = 0; j < timeline->user_count; j++)
			restart_counter(timeline, &timeline->users[j].counter, hart->now);
	}
	for (uint32_t i = 0; i < timeline->methods.count; i++)
		timeline->methods.tasks[i]->now = 0;
}

/* Captures have the time of a few records, the first of them among these, even if no more was asked
 * for. So the second one says whether there is time. */
void timeline_look(struct ear_timeline *timeline, const struct timeline_at *at)
{
	if (timeline->looked >= 2 ||
		(timeline->looked == 1 && timeline->looked_number == at->number))
		return;
	timeline->looked_number = at->number;
	if (timeline->looked++ == 0)
		timeline->result.has_time = at->timed;
	else if (timeline->result.has_time && !at->timed)
		forget_time(timeline);
}

void timeline_arrive(
	struct ear_timeline *timeline, struct timeline_hart *hart, const struct timeline_at *at)
{
	timeline_look(timeline, at);
	timeline_set_now(timeline, hart, at);
	if (hart->record == EAR_TIMELINE_BEFORE)
		move_to_now(timeline, hart);
	hart->record = at->number;
	if (hart->gap_mark)
		ear_slices_end(&timeline->slices, hart->gap_mark, hart->now, EAR_TIMELINE_RETURNED);
	hart->gap_mark = 0;
}
