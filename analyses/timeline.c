/* Following a run: frames that are entered and left (earshot/calls.h) are slices on the track of
 * their stack, for within a stack they end in the order in which they began, the last one first.
 * Everything else comes with the records themselves. timeline_next.c hands it out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/timeline_private.h"

#define NONE UINT32_MAX

static int failure(const struct ear_timeline *timeline)
{
	if (timeline->failed)
		return timeline->failed;
	return timeline->slices.failed ? timeline->slices.failed : timeline->name_list.failed;
}

/* ---- Harts and tracks. ---- */

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

static struct timeline_hart *take_hart(struct ear_timeline *timeline, uint16_t number)
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

static uint32_t hart_track(struct ear_timeline *timeline, struct timeline_hart *hart,
	uint32_t *track, enum ear_timeline_track_kind kind)
{
	if (*track == NONE)
		*track = timeline_add_track(timeline, hart->number, kind);
	return *track;
}

/* The track of a stack. If there are too many, one on which nothing lasts gets another meaning. */
static struct timeline_stack *take_stack(
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

/* ---- Instants. ---- */

static void add_instant(struct ear_timeline *timeline, struct timeline_hart *hart, uint64_t record,
	unsigned category, const char *text)
{
	const uint32_t track = hart_track(timeline, hart, &hart->track, EAR_TRACK_HART);
	if (track == NONE)
		return;
	const struct timeline_instant instant = {.time = hart->now,
		.order = ear_slices_order(&timeline->slices),
		.record = record,
		.track = track,
		.name = timeline_names_text(&timeline->name_list, text),
		.category = (uint8_t)category};
	int result = timeline_instants_add(&timeline->instants, &instant);
	if (result)
		timeline->failed = result;
}

static void add_trap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_record *record, uint64_t number)
{
	static const char *const traps[] = {"instruction address misaligned",
		"instruction access fault", "illegal instruction", "breakpoint",
		"load address misaligned", "load access fault", "store address misaligned",
		"store access fault", "ecall from U", "ecall from S", "ecall from VS",
		"ecall from M", "instruction page fault", "load page fault", "exception 14",
		"store page fault"};
	const bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	const char *what = interrupt ? "interrupt" : "exception";
	char text[64];

	if (record->flags & EAR_RECORD_NO_CAUSE || record->isa != EAR_ISA_RISCV)
		snprintf(text, sizeof(text), "%s", what);
	else if (!interrupt && record->cause < sizeof(traps) / sizeof(traps[0]))
		snprintf(text, sizeof(text), "%s", traps[record->cause]);
	else
		snprintf(text, sizeof(text), "%s %" PRIu64, what,
			record->cause & ~(UINT64_C(1) << (record->xlen == 64 ? 63 : 31)));
	add_instant(timeline, hart, number, interrupt ? EAR_TIMELINE_INTERRUPT : EAR_TIMELINE_TRAP,
		text);
}

/* ---- Calls. ---- */

static bool is_wanted_pid(const struct ear_timeline *timeline, uint64_t pid)
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
	return hart->has_task && is_wanted_pid(timeline, hart->task);
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

static uint32_t enter(void *context, const struct ear_call_change *change)
{
	static const uint8_t categories[] = {[EAR_FRAME_BASE] = EAR_TIMELINE_BASE,
		[EAR_FRAME_CALL] = EAR_TIMELINE_CALL,
		[EAR_FRAME_TRAP] = EAR_TIMELINE_TRAP,
		[EAR_FRAME_INTERRUPT] = EAR_TIMELINE_INTERRUPT};
	struct ear_timeline *timeline = context;
	struct timeline_hart *hart = take_hart(timeline, change->hart);
	struct timeline_stack *stack =
		hart ? take_stack(timeline, hart, change->frame.stack) : NULL;

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

static int add_count(struct ear_timeline *timeline, const struct timeline_hart *hart,
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
	struct timeline_stack *stack = take_stack(timeline, hart, change->frame.stack);

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
	int result = add_count(timeline, hart, TIMELINE_HEAP_COUNTER,
		in_use < INT64_MAX ? (int64_t)in_use : INT64_MAX);
	if (result || timeline->heap.failed)
		timeline->failed = result ? result : timeline->heap.failed;
}

static void leave(void *context, const struct ear_call_change *change)
{
	static const uint8_t hows[] = {[EAR_CALL_RETURNED] = EAR_TIMELINE_RETURNED,
		[EAR_CALL_UNWOUND] = EAR_TIMELINE_UNWOUND,
		[EAR_CALL_FORGOTTEN] = EAR_TIMELINE_FORGOTTEN};
	struct ear_timeline *timeline = context;
	struct timeline_hart *hart = take_hart(timeline, change->hart);

	if (!hart || failure(timeline))
		return;
	if (timeline->has_heap)
		leave_heap(timeline, hart, change);
	ear_slices_end(&timeline->slices, change->mark, hart->now, hows[change->end % 3]);
}

/* ---- Records. ---- */

static void set_now(struct ear_timeline *timeline, struct timeline_hart *hart, bool timed,
	uint64_t ticks, uint64_t number)
{
	const uint64_t now = timeline->result.has_time ? ticks : number;

	if (timeline->result.has_time && !timed)
		return;
	if (hart->seen && now < hart->now)
		timeline->result.backwards++;
	else
		hart->now = now;
	hart->seen = true;
}

/* What began before the first record of a hart has the time of that. */
static void begin_hart(struct ear_timeline *timeline, const struct timeline_hart *hart)
{
	for (uint32_t i = 0; i < timeline->slices.track_count; i++)
		if (timeline->tracks[i].hart == hart->number)
			ear_slices_move(&timeline->slices, i, hart->now);
	for (uint32_t i = 0; i < timeline->instants.count; i++)
		if (timeline->instants.list[i].track == hart->track)
			timeline->instants.list[i].time = hart->now;
}

static void end_gap(struct ear_timeline *timeline, struct timeline_hart *hart)
{
	if (hart->gap_mark)
		ear_slices_end(&timeline->slices, hart->gap_mark, hart->now, EAR_TIMELINE_RETURNED);
	hart->gap_mark = 0;
}

static void set_privilege(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_batch *batch, size_t i)
{
	static const char *const names[] = {[EAR_PRIVILEGE_U] = "U",
		[EAR_PRIVILEGE_S] = "S",
		[EAR_PRIVILEGE_RESERVED] = "reserved",
		[EAR_PRIVILEGE_M] = "M",
		[EAR_PRIVILEGE_VU] = "VU",
		[EAR_PRIVILEGE_VS] = "VS",
		[EAR_PRIVILEGE_DEBUG] = "debug"};
	const uint32_t flags = batch->run ? batch->run->flags : batch->record->flags;
	const uint8_t privilege = batch->run ? batch->run->privilege : batch->record->privilege;

	if (flags & EAR_RECORD_NO_PRIVILEGE || privilege > EAR_PRIVILEGE_DEBUG ||
		(hart->privilege_mark && hart->privilege == privilege))
		return;
	if (hart->privilege_mark)
		ear_slices_end(
			&timeline->slices, hart->privilege_mark, hart->now, EAR_TIMELINE_RETURNED);
	const uint32_t track =
		hart_track(timeline, hart, &hart->privilege_track, EAR_TRACK_PRIVILEGE);
	const struct ear_slice_what what = {batch->number + i,
		timeline_names_text(&timeline->name_list, names[privilege]), EAR_TIMELINE_PRIVILEGE,
		false};
	hart->privilege = privilege;
	hart->privilege_mark =
		track == NONE ? 0 : ear_slices_begin(&timeline->slices, track, &what, hart->now);
}

static uint32_t depth_of(const struct ear_timeline *timeline, const struct timeline_hart *hart)
{
	const uint32_t mark = ear_calls_mark(timeline->calls, hart->number);

	return mark && mark < timeline->slices.used ? timeline->slices.list[mark].depth : 0;
}

static int count(struct ear_timeline *timeline, struct timeline_hart *hart, size_t records)
{
	const uint32_t depth = depth_of(timeline, hart);

	if (depth > 0) {
		hart->at_base = false;
	} else if (!hart->at_base) {
		hart->at_base = true;
		hart->base_since = hart->now;
	}
	int result = timeline_counter_add(&hart->depth, hart->now, depth);
	if (result == 0 && timeline->result.has_time)
		result = timeline_counter_add(&hart->rate, hart->now, (int64_t)records);
	return result;
}

/* Records first .. last of a run: each counts at its time. The first one's is there. */
static int count_run(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_batch *batch, size_t first, size_t last)
{
	const struct ear_compact_record *compacts = batch->compacts;
	const struct ear_compact_run *run = batch->run;
	size_t from = first;
	int result = 0;

	if (timeline->result.has_time && run->all_timed) {
		for (size_t i = first + 1; i <= last && result == 0; i++) {
			if (compacts[i].ticks == compacts[from].ticks)
				continue;
			result = count(timeline, hart, i - from);
			set_now(timeline, hart, true, run->ticks + compacts[i].ticks,
				batch->number + i);
			from = i;
		}
	}
	if (result == 0)
		result = count(timeline, hart, last + 1 - from);
	set_now(timeline, hart, last == 0 ? run->first_timed : run->all_timed,
		run->ticks + compacts[last].ticks, batch->number + last);
	return result;
}

/* Captures have the time of a few records, the first of them among these, even if no more was asked
 * for. So the second one says whether there is time. */
static void look_at_time(struct ear_timeline *timeline, bool timed)
{
	if (timeline->looked++ == 0)
		timeline->result.has_time = timed;
	else if (timeline->result.has_time && !timed) {
		timeline->result.has_time = false;
		for (size_t i = 0; i < timeline->hart_count; i++) {
			struct timeline_hart *hart = timeline->harts[i];
			if (hart->record == EAR_TIMELINE_BEFORE)
				continue;
			hart->now = hart->base_since = hart->record;
			begin_hart(timeline, hart);
			timeline_counter_fini(&hart->depth);
			timeline_counter_fini(&hart->rate);
		}
	}
}

static void look_at_first(
	struct ear_timeline *timeline, const struct ear_batch *batch, size_t first)
{
	if (timeline->looked >= 2)
		return;
	if (batch->record) {
		look_at_time(timeline, batch->record->flags & EAR_RECORD_HAS_TIME);
		return;
	}
	look_at_time(timeline, first == 0 ? batch->run->first_timed : batch->run->all_timed);
	if (batch->count > 1 && timeline->looked < 2)
		look_at_time(timeline, batch->run->all_timed);
}

/* ear_calls_take. */
static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t records, uint32_t path)
{
	struct ear_timeline *timeline = context;
	const uint16_t number = batch->run ? batch->run->hart : batch->record->hart;
	struct timeline_hart *hart = take_hart(timeline, number);
	const size_t last = first + records - 1;

	if (!hart)
		return timeline->failed;
	look_at_first(timeline, batch, first);
	/* At the begin of a stretch something may end, or begin. */
	if (batch->run)
		set_now(timeline, hart,
			first == 0 ? batch->run->first_timed : batch->run->all_timed,
			batch->run->ticks + batch->compacts[first].ticks, batch->number + first);
	else
		set_now(timeline, hart, batch->record->flags & EAR_RECORD_HAS_TIME,
			batch->record->ticks, batch->number);
	if (hart->record == EAR_TIMELINE_BEFORE)
		begin_hart(timeline, hart);
	hart->record = batch->number + last;
	end_gap(timeline, hart);
	set_privilege(timeline, hart, batch, first);
	if (batch->record && batch->record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		add_trap(timeline, hart, batch->record, batch->number);
	if (timeline->has_heap)
		timeline_heap_registers(&hart->registers, batch, first, records);
	int result = batch->run ? count_run(timeline, hart, batch, first, last)
				: count(timeline, hart, records);
	timeline->result.records += records;
	timeline->result.pathless += path ? 0 : records;
	return result ? result : failure(timeline);
}

/* ---- What is no instruction. ---- */

static void take_gap(struct ear_timeline *timeline, const struct ear_batch *batch)
{
	struct timeline_hart *hart = take_hart(timeline, batch->record->hart);
	const struct ear_gap *gap = &batch->record->u.gap;
	char text[160];

	timeline->result.gaps++;
	timeline_methods_forget(&timeline->methods, &timeline->slices, EAR_TIMELINE_FORGOTTEN);
	if (hart)
		hart->registers = (struct timeline_heap_registers){.known = {false, false}};
	/* All that was called is over for who follows the calls; so is what called it. */
	for (size_t i = 0; i < timeline->hart_count; i++) {
		struct timeline_hart *other = timeline->harts[i];
		for (uint32_t j = 0; j < other->stack_count; j++) {
			const struct ear_slice *top =
				ear_slices_top(&timeline->slices, other->stacks[j].track);
			if (top && top->kind == EAR_TIMELINE_BASE &&
				!ear_calls_mark(timeline->calls, other->number))
				ear_slices_end(&timeline->slices, other->stacks[j].base, other->now,
					EAR_TIMELINE_FORGOTTEN);
		}
		other->at_base =
			other->at_base && ear_calls_mark(timeline->calls, other->number) != 0;
	}
	const uint32_t track =
		hart ? hart_track(timeline, hart, &hart->track, EAR_TRACK_HART) : NONE;
	if (track == NONE)
		return;
	end_gap(timeline, hart);
	if (gap->count_known)
		snprintf(text, sizeof(text), "gap: %s%" PRIu64 " records: %s",
			gap->upper_bound ? "at most " : "", gap->count,
			ear_gap_reason_text(gap->reason));
	else
		snprintf(text, sizeof(text), "gap: %s", ear_gap_reason_text(gap->reason));
	const struct ear_slice_what what = {batch->number,
		timeline_names_text(&timeline->name_list, text), EAR_TIMELINE_GAP, false};
	hart->gap_mark = ear_slices_begin(&timeline->slices, track, &what, hart->now);
}

static void switch_task(
	struct ear_timeline *timeline, struct timeline_hart *hart, uint64_t pid, uint64_t record)
{
	char text[96];

	if (hart->has_task && hart->task == pid && hart->task_mark)
		return;
	if (hart->task_mark)
		ear_slices_end(
			&timeline->slices, hart->task_mark, hart->now, EAR_TIMELINE_RETURNED);
	hart->has_task = true;
	hart->task = pid;
	const uint32_t track = hart_track(timeline, hart, &hart->task_track, EAR_TRACK_TASKS);
	if (track == NONE)
		return;
	const char *name = timeline_tasks_name(timeline->tasks, pid);
	snprintf(text, sizeof(text), "task %" PRIu64 "%s%s", pid, name[0] ? " " : "", name);
	const struct ear_slice_what what = {
		record, timeline_names_text(&timeline->name_list, text), EAR_TIMELINE_TASK, false};
	hart->task_mark = ear_slices_begin(&timeline->slices, track, &what, hart->now);
}

static void take_method(struct ear_timeline *timeline, const struct timeline_hart *hart,
	const struct timeline_task_event *event, uint64_t record)
{
	bool full = false;
	struct timeline_method_task *task =
		timeline_methods_task(&timeline->methods, event->pid, &full);

	if (!task) {
		timeline->failed = full ? timeline->failed : EAR_E_NO_MEMORY;
		return;
	}
	if (task->track == NONE)
		task->track = timeline_add_track(timeline, hart->number, EAR_TRACK_METHODS);
	if (task->track == NONE)
		return;
	if (event->kind == TIMELINE_TASK_LEAVE) {
		timeline_methods_leave(task, &timeline->slices, event,
			event->unwound ? EAR_TIMELINE_UNWOUND : EAR_TIMELINE_RETURNED,
			EAR_TIMELINE_UNWOUND, hart->now);
		return;
	}
	/* What the software called it, else what is at its address. */
	const uint32_t name =
		event->text[0] ? timeline_names_text(&timeline->name_list, event->text)
			       : timeline_names_function(&timeline->name_list, event->address);
	const struct ear_slice_what what = {
		record, name, EAR_TIMELINE_METHOD, !is_wanted_pid(timeline, event->pid)};
	timeline_methods_enter(task, &timeline->slices, event, &what, hart->now);
}

static void take_event(struct ear_timeline *timeline, const struct ear_batch *batch)
{
	struct timeline_hart *hart = take_hart(timeline, batch->record->hart);
	struct timeline_task_event event;
	int result = 0;

	if (!hart)
		return;
	/* Before the first instruction it is not known what time is. Numbers are those of
	 * instructions. */
	if (hart->record != EAR_TIMELINE_BEFORE && timeline->result.has_time)
		set_now(timeline, hart, batch->record->flags & EAR_RECORD_HAS_TIME,
			batch->record->ticks, batch->number);
	timeline_tasks_take(
		timeline->tasks, batch->record, hart->has_task ? &hart->task : NULL, &event);
	switch (event.kind) {
	case TIMELINE_TASK_NONE: break;
	case TIMELINE_TASK_SWITCH: switch_task(timeline, hart, event.pid, batch->number); break;
	case TIMELINE_TASK_COUNT: result = add_count(timeline, hart, event.pid, event.value); break;
	case TIMELINE_TASK_ENTER:
	case TIMELINE_TASK_LEAVE: take_method(timeline, hart, &event, batch->number); break;
	case TIMELINE_TASK_MARK:
		add_instant(timeline, hart, batch->number, EAR_TIMELINE_MARK, event.text);
		break;
	case TIMELINE_TASK_OTHER:
		add_instant(timeline, hart, batch->number, EAR_TIMELINE_EVENT, event.text);
		break;
	}
	if (result)
		timeline->failed = result;
}

int ear_timeline_batch(struct ear_timeline *timeline, const struct ear_batch *batch)
{
	int result = ear_calls_batch(timeline->calls, batch, take, timeline);

	if (result == 0 && batch->record && batch->record->kind == EAR_RECORD_GAP)
		take_gap(timeline, batch);
	if (result == 0 && batch->record && batch->record->kind == EAR_RECORD_EVENT)
		take_event(timeline, batch);
	return result ? result : failure(timeline);
}

int ear_timeline_start(struct ear_timeline *timeline, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	int result = ear_calls_start(timeline->calls, moment, progress);

	return result == EAR_E_UNSUPPORTED ? 0 : result;
}

/* ---- Begin and end. ---- */

static bool parse_pid(const char *text, uint64_t *pid)
{
	char *end;

	*pid = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

int ear_timeline_new(struct ear_timeline **timeline_out, struct ear_names *names,
	const struct ear_timeline_options *options)
{
	struct ear_timeline *timeline = calloc(1, sizeof(*timeline));
	const struct ear_calls_watch watch = {sizeof(watch), enter, leave, timeline};

	if (!timeline)
		return EAR_E_NO_MEMORY;
	if (options)
		timeline->options = *options;
	if (timeline->options.slices_max == 0)
		timeline->options.slices_max = EAR_TIMELINE_SLICES_MAX;
	if (timeline->options.task)
		timeline->wanted_is_pid = parse_pid(timeline->options.task, &timeline->wanted_pid);
	int result = ear_slices_init(
		&timeline->slices, timeline->options.slices_max, timeline->options.least);
	timeline->tasks = timeline_tasks_new();
	if (result == 0 && !timeline->tasks)
		result = EAR_E_NO_MEMORY;
	if (result == 0)
		result = ear_calls_new(&timeline->calls, NULL);
	if (result == 0)
		result = ear_calls_set_watch(timeline->calls, &watch);
	if (result == 0)
		result = timeline_names_init(&timeline->name_list, names);
	timeline->has_heap = timeline_heap_find(&timeline->heap, names);
	if (result)
		ear_timeline_free(timeline);
	else
		*timeline_out = timeline;
	return result;
}

void ear_timeline_free(struct ear_timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->hart_count; i++) {
		timeline_counter_fini(&timeline->harts[i]->rate);
		timeline_counter_fini(&timeline->harts[i]->depth);
		free(timeline->harts[i]->stacks);
		free(timeline->harts[i]);
	}
	free(timeline->harts);
	for (size_t i = 0; i < timeline->user_count; i++)
		timeline_counter_fini(&timeline->users[i].counter);
	timeline_names_fini(&timeline->name_list);
	timeline_heap_fini(&timeline->heap);
	free(timeline->tracks);
	timeline_instants_fini(&timeline->instants);
	free(timeline->ends);
	timeline_tasks_free(timeline->tasks);
	timeline_methods_fini(&timeline->methods);
	ear_calls_free(timeline->calls);
	ear_slices_fini(&timeline->slices);
	free(timeline);
}
