/* The end of a timeline: names of tracks, what is still open, and answers. */
#include <inttypes.h>
#include <stdio.h>

#include <earshot/error.h>

#include "analyses/timeline/timeline.h"
#include "analyses/timeline/timeline_harts.h"
#include "analyses/timeline/timeline_report.h"

static void name_stack(struct ear_timeline *timeline, const struct timeline_hart *hart,
	const struct timeline_stack *stack, uint32_t number)
{
	struct ear_timeline_track *track = &timeline->tracks[stack->track];
	const char *name = stack->has_task ? timeline_tasks_name(timeline->tasks, stack->task) : "";
	int size = snprintf(
		track->name, sizeof(track->name), "hart %u stack %" PRIu32, hart->number, number);

	if (stack->has_task && !stack->several_tasks)
		snprintf(track->name + size, sizeof(track->name) - (size_t)size,
			": task %" PRIu64 "%s%s", stack->task, name[0] ? " " : "", name);
}

static void name_methods(struct ear_timeline *timeline, const struct timeline_method_task *task)
{
	struct ear_timeline_track *track = &timeline->tracks[task->track];
	const char *name = timeline_tasks_name(timeline->tasks, task->pid);

	snprintf(track->name, sizeof(track->name), "methods of task %" PRIu64 "%s%s", task->pid,
		name[0] ? " " : "", name);
}

/* Counters come last. */
static int name_tracks(struct ear_timeline *timeline)
{
	static const char *const words[] = {[EAR_TRACK_HART] = "",
		[EAR_TRACK_PRIVILEGE] = " privilege",
		[EAR_TRACK_TASKS] = " tasks"};

	for (uint32_t i = 0; i < timeline->slices.track_count; i++) {
		struct ear_timeline_track *track = &timeline->tracks[i];
		if (track->kind != EAR_TRACK_CALLS && track->kind != EAR_TRACK_METHODS)
			snprintf(track->name, sizeof(track->name), "hart %u%s", track->hart,
				words[track->kind % 4]);
		track->merged = timeline->slices.merged[i];
	}
	for (size_t i = 0; i < timeline->hart_count; i++)
		for (uint32_t j = 0; j < timeline->harts[i]->stack_count; j++)
			name_stack(timeline, timeline->harts[i], &timeline->harts[i]->stacks[j], j);
	for (uint32_t i = 0; i < timeline->methods.count; i++)
		if (timeline->methods.tasks[i]->track != UINT32_MAX)
			name_methods(timeline, timeline->methods.tasks[i]);
	timeline->counter_track = timeline->slices.track_count;
	for (size_t i = 0; i < 2 * timeline->hart_count + timeline->user_count; i++) {
		const bool of_user = i >= 2 * timeline->hart_count;
		const uint16_t hart = of_user ? 0 : timeline->harts[i / 2]->number;
		uint32_t track = timeline_add_track(timeline, hart, EAR_TRACK_COUNTER);
		if (track == UINT32_MAX)
			return EAR_E_NO_MEMORY;
		char *name = timeline->tracks[track].name;
		if (of_user && timeline->users[i - 2 * timeline->hart_count].number ==
				       TIMELINE_HEAP_COUNTER)
			snprintf(name, sizeof(timeline->tracks->name), "heap in use, bytes");
		else if (of_user)
			snprintf(name, sizeof(timeline->tracks->name), "counter %" PRIu64,
				timeline->users[i - 2 * timeline->hart_count].number);
		else
			snprintf(name, sizeof(timeline->tracks->name), "hart %u %s", hart,
				i % 2 ? "depth of calls" : "instructions per clock");
	}
	return 0;
}

static uint64_t end_of_hart(const struct ear_timeline *timeline, uint16_t number)
{
	for (size_t i = 0; i < timeline->hart_count; i++)
		if (timeline->harts[i]->number == number)
			return timeline->harts[i]->now;
	return 0;
}

/* Any hart may have run a task last. */
static void end_methods(struct ear_timeline *timeline)
{
	uint64_t end = 0;

	for (size_t i = 0; i < timeline->hart_count; i++)
		end = timeline->harts[i]->now > end ? timeline->harts[i]->now : end;
	for (uint32_t i = 0; i < timeline->methods.count; i++)
		if (timeline->methods.tasks[i]->track != UINT32_MAX)
			ear_slices_end_track(&timeline->slices, timeline->methods.tasks[i]->track,
				end, EAR_TIMELINE_CUT);
}

/* The rate is that of the time up to the last record. */
static void end_counters(struct ear_timeline *timeline)
{
	for (size_t i = 0; i < timeline->hart_count; i++)
		timeline->harts[i]->rate.last = timeline->harts[i]->counted;
}

int ear_timeline_finish(struct ear_timeline *timeline)
{
	if (timeline->options.part) {
		timeline_report_rest(timeline);
		return timeline->failed;
	}
	end_counters(timeline);
	end_methods(timeline);
	for (uint32_t i = 0; i < timeline->slices.track_count; i++)
		ear_slices_end_track(&timeline->slices, i,
			end_of_hart(timeline, timeline->tracks[i].hart), EAR_TIMELINE_CUT);
	int result = name_tracks(timeline);
	if (result == 0)
		result = ear_slices_sort(&timeline->slices);
	timeline->result.backwards = 0;
	for (size_t i = 0; i < timeline->hart_count && timeline->result.has_time; i++)
		timeline->result.backwards += timeline->harts[i]->backwards;
	timeline->result.slices = timeline->slices.kept;
	timeline->result.merged = timeline->slices.merged_count;
	timeline->result.least = timeline->slices.least;
	timeline->result.instants = timeline->instants.count;
	timeline->result.instants_left_out = timeline->instants.left_out;
	return result;
}

size_t ear_timeline_track_count(const struct ear_timeline *timeline)
{
	return timeline->slices.track_count;
}

const struct ear_timeline_track *ear_timeline_track(
	const struct ear_timeline *timeline, size_t track)
{
	return &timeline->tracks[track];
}

struct ear_timeline_result ear_timeline_result(const struct ear_timeline *timeline)
{
	return timeline->result;
}
