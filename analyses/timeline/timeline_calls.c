/* Frames that are entered and left are slices on the track of their stack, for within a stack they
 * end in the order in which they began, the last one first. */
#include "analyses/timeline/timeline_calls.h"

#include <string.h>

#include "analyses/timeline/timeline_harts.h"

bool timeline_wants(const struct ear_timeline *timeline, uint64_t pid)
{
	const char *wanted = timeline->options.task;

	if (!wanted)
		return true;
	return timeline->wanted_is_pid
		       ? pid == timeline->wanted_pid
		       : strcmp(timeline_tasks_name(timeline->tasks, pid), wanted) == 0;
}

static bool is_wanted(const struct ear_timeline *timeline, const struct timeline_hart *hart)
{
	if (!timeline->options.task)
		return true;
	return hart->has_task && timeline_wants(timeline, hart->task);
}

static void note_task(struct timeline_stack *stack, const struct timeline_hart *hart)
{
	if (!hart->has_task)
		return;
	if (stack->has_task && stack->task != hart->task)
		stack->several_tasks = true;
	stack->has_task = true;
	stack->task = hart->task;
}

/* What called from the bottom of a stack lasts from when nothing that was called ran. */
static void take_base(struct ear_timeline *timeline, struct timeline_hart *hart,
	struct timeline_stack *stack, const struct ear_call_change *change)
{
	const struct ear_slice *top = ear_slices_top(&timeline->slices, stack->track);
	const uint32_t name = timeline_names_function(&timeline->name_list, change->frame.call_pc);
	uint64_t since = hart->at_base ? hart->base_since : hart->now;

	if (top && top->kind != EAR_TIMELINE_BASE)
		return;
	if (top && top->name == name)
		return;
	if (top) {
		ear_slices_end(&timeline->slices, stack->base, hart->now, EAR_TIMELINE_RETURNED);
		since = hart->now;
	}
	/* hart->base_since may be the time of another stack, which is not before this one's. */
	const struct ear_slice_what what = {
		hart->record, name, EAR_TIMELINE_BASE, !is_wanted(timeline, hart)};
	stack->base = ear_slices_begin(&timeline->slices, stack->track, &what, since);
}

uint32_t timeline_enter(struct ear_timeline *timeline, const struct ear_call_change *change)
{
	static const uint8_t categories[] = {[EAR_FRAME_BASE] = EAR_TIMELINE_BASE,
		[EAR_FRAME_CALL] = EAR_TIMELINE_CALL,
		[EAR_FRAME_TRAP] = EAR_TIMELINE_TRAP,
		[EAR_FRAME_INTERRUPT] = EAR_TIMELINE_INTERRUPT};
	struct timeline_hart *hart = timeline_take_hart(timeline, change->hart);
	struct timeline_stack *stack =
		hart ? timeline_take_stack(timeline, hart, change->frame.stack) : NULL;

	if (!stack)
		return 1;
	if (change->below == 0)
		take_base(timeline, hart, stack, change);
	if (change->frame.kind == EAR_FRAME_CALL)
		note_task(stack, hart);
	const struct ear_slice *top = ear_slices_top(&timeline->slices, stack->track);
	const struct ear_slice_what what = {hart->record,
		timeline_names_function(&timeline->name_list, change->frame.entry),
		categories[change->frame.kind & 3],
		(top && timeline->options.depth && top->depth >= timeline->options.depth) ||
			!is_wanted(timeline, hart)};
	const uint32_t mark = ear_slices_begin(&timeline->slices, stack->track, &what, hart->now);
	if (timeline->has_heap && change->frame.kind == EAR_FRAME_CALL)
		timeline_heap_enter(&timeline->heap, &stack->heap_call, &hart->registers,
			change->frame.entry, mark);
	return mark ? mark : 1;
}

void timeline_jump(
	struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark, uint64_t entry)
{
	if (mark >= timeline->slices.used) /* memory is short */
		return;
	const uint32_t track = timeline->slices.list[mark].track;
	for (uint32_t i = 0; i < hart->stack_count; i++)
		if (hart->stacks[i].track == track)
			timeline_heap_enter(&timeline->heap, &hart->stacks[i].heap_call,
				&hart->registers, entry, mark);
}

int timeline_add_count(struct ear_timeline *timeline, const struct timeline_hart *hart,
	uint64_t number, int64_t value)
{
	size_t i = 0;

	while (i < timeline->user_count && timeline->users[i].number != number)
		i++;
	if (i == TIMELINE_USERS_MAX)
		return 0;
	if (i == timeline->user_count) {
		timeline->user_count++;
		timeline->users[i] = (struct timeline_user){
			.number = number, .counter = {.kind = TIMELINE_LAST}};
	}
	struct timeline_counter *counter = &timeline->users[i].counter;
	const uint64_t now = hart->now > counter->last ? hart->now : counter->last;
	return timeline_counter_add(counter, now, value);
}

static void leave_heap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_call_change *change)
{
	struct timeline_stack *stack = timeline_take_stack(timeline, hart, change->frame.stack);

	if (!stack || stack->heap_call.kind == TIMELINE_HEAP_NONE ||
		stack->heap_call.mark != change->mark)
		return;
	if (change->end != EAR_CALL_RETURNED) {
		stack->heap_call.kind = TIMELINE_HEAP_NONE;
		return;
	}
	if (!timeline_heap_leave(&timeline->heap, &stack->heap_call, &hart->registers))
		return;
	const uint64_t in_use = timeline->heap.in_use;
	int result = timeline_add_count(timeline, hart, TIMELINE_HEAP_COUNTER,
		in_use < INT64_MAX ? (int64_t)in_use : INT64_MAX);
	if (result || timeline->heap.failed)
		timeline->failed = result ? result : timeline->heap.failed;
}

void timeline_leave(struct ear_timeline *timeline, const struct ear_call_change *change)
{
	static const uint8_t hows[] = {[EAR_CALL_RETURNED] = EAR_TIMELINE_RETURNED,
		[EAR_CALL_UNWOUND] = EAR_TIMELINE_UNWOUND,
		[EAR_CALL_FORGOTTEN] = EAR_TIMELINE_FORGOTTEN};
	struct timeline_hart *hart = timeline_take_hart(timeline, change->hart);

	if (!hart || timeline_failure(timeline))
		return;
	if (timeline->has_heap)
		leave_heap(timeline, hart, change);
	ear_slices_end(&timeline->slices, change->mark, hart->now, hows[change->end % 3]);
}

/* They begin when the first record arrives. */
static int begin_counters(
	const struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t depth)
{
	int result = 0;

	if (!hart->depth.begun)
		result = timeline_counter_add(&hart->depth, hart->now, depth);
	if (result == 0 && timeline->result.has_time && !hart->rate.begun)
		result = timeline_counter_add(&hart->rate, hart->now, 0);
	return result;
}

/* Of all windows from one time to another; of that one if the first is behind it. */
static int add_depth(struct timeline_counter *counter, uint64_t from, uint64_t to, uint32_t depth)
{
	from = from > counter->last ? from : counter->last; /* it was there before */
	int result = timeline_counter_add(counter, from < to ? from : to, depth);

	while (result == 0 && from < to && timeline_counter_next(counter, &from) && from <= to)
		result = timeline_counter_add(counter, from, depth);
	return result;
}

int timeline_count(struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark,
	const struct timeline_at *last, uint64_t records)
{
	const uint32_t depth =
		mark && mark < timeline->slices.used ? timeline->slices.list[mark].depth : 0;

	if (depth > 0) {
		hart->at_base = false;
	} else if (!hart->at_base) {
		hart->at_base = true;
		hart->base_since = hart->now;
	}
	int result = begin_counters(timeline, hart, depth);
	const uint64_t from = timeline->result.has_time ? UINT64_MAX : last->number - records + 1;
	timeline_set_now(timeline, hart, last);
	hart->record = last->number;
	hart->counted = hart->now;
	timeline->result.records += records;
	if (result == 0)
		result = add_depth(&hart->depth, from, hart->now, depth);
	if (result == 0 && timeline->result.has_time)
		result = timeline_counter_add(&hart->rate, hart->now, (int64_t)records);
	return result;
}
