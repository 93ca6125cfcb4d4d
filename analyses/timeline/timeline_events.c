/* Gaps, traps, privilege, tasks, methods and what software says. */
#include "analyses/timeline/timeline_events.h"

#include <inttypes.h>
#include <stdio.h>

#include <earshot/error.h>

#include "analyses/timeline/timeline_calls.h"
#include "analyses/timeline/timeline_harts.h"

#define NONE UINT32_MAX

static void add_instant(struct ear_timeline *timeline, struct timeline_hart *hart, uint64_t record,
	unsigned category, const char *text)
{
	const uint32_t track = timeline_hart_track(timeline, hart, &hart->track, EAR_TRACK_HART);
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

void timeline_trap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct timeline_trap *trap, uint64_t number)
{
	static const char *const traps[] = {"instruction address misaligned",
		"instruction access fault", "illegal instruction", "breakpoint",
		"load address misaligned", "load access fault", "store address misaligned",
		"store access fault", "ecall from U", "ecall from S", "ecall from VS",
		"ecall from M", "instruction page fault", "load page fault", "exception 14",
		"store page fault"};
	const char *what = trap->interrupt ? "interrupt" : "exception";
	char text[64];

	if (!trap->has_cause)
		snprintf(text, sizeof(text), "%s", what);
	else if (!trap->interrupt && trap->cause < sizeof(traps) / sizeof(traps[0]))
		snprintf(text, sizeof(text), "%s", traps[trap->cause]);
	else
		snprintf(text, sizeof(text), "%s %" PRIu64, what,
			trap->cause & ~(UINT64_C(1) << (trap->xlen == 64 ? 63 : 31)));
	add_instant(timeline, hart, number,
		trap->interrupt ? EAR_TIMELINE_INTERRUPT : EAR_TIMELINE_TRAP, text);
}

void timeline_privilege(struct ear_timeline *timeline, struct timeline_hart *hart,
	uint8_t privilege, uint64_t number)
{
	static const char *const names[] = {[EAR_PRIVILEGE_U] = "U",
		[EAR_PRIVILEGE_S] = "S",
		[EAR_PRIVILEGE_RESERVED] = "reserved",
		[EAR_PRIVILEGE_M] = "M",
		[EAR_PRIVILEGE_VU] = "VU",
		[EAR_PRIVILEGE_VS] = "VS",
		[EAR_PRIVILEGE_DEBUG] = "debug"};

	if (hart->privilege_mark && hart->privilege == privilege)
		return;
	if (hart->privilege_mark)
		ear_slices_end(
			&timeline->slices, hart->privilege_mark, hart->now, EAR_TIMELINE_RETURNED);
	const uint32_t track =
		timeline_hart_track(timeline, hart, &hart->privilege_track, EAR_TRACK_PRIVILEGE);
	const struct ear_slice_what what = {number,
		timeline_names_text(&timeline->name_list, names[privilege]), EAR_TIMELINE_PRIVILEGE,
		false};
	hart->privilege = privilege;
	hart->privilege_mark =
		track == NONE ? 0 : ear_slices_begin(&timeline->slices, track, &what, hart->now);
}

/* All that was called is over for who follows the calls; so is what called it. */
static void forget_calls(struct ear_timeline *timeline, struct timeline_hart *hart)
{
	for (uint32_t i = 0; i < hart->stack_count; i++) {
		const struct ear_slice *top =
			ear_slices_top(&timeline->slices, hart->stacks[i].track);
		if (top && top->kind == EAR_TIMELINE_BASE)
			ear_slices_end(&timeline->slices, hart->stacks[i].base, hart->now,
				EAR_TIMELINE_FORGOTTEN);
	}
	hart->at_base = false;
}

void timeline_gap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_gap *gap, bool forgotten, uint64_t number)
{
	char text[160];

	timeline->result.gaps++;
	timeline_methods_forget(&timeline->methods, &timeline->slices, EAR_TIMELINE_FORGOTTEN);
	if (forgotten)
		forget_calls(timeline, hart);
	const uint32_t track = timeline_hart_track(timeline, hart, &hart->track, EAR_TRACK_HART);
	if (track == NONE)
		return;
	if (hart->gap_mark)
		ear_slices_end(&timeline->slices, hart->gap_mark, hart->now, EAR_TIMELINE_RETURNED);
	if (gap->count_known)
		snprintf(text, sizeof(text), "gap: %s%" PRIu64 " records: %s",
			gap->upper_bound ? "at most " : "", gap->count,
			ear_gap_reason_text(gap->reason));
	else
		snprintf(text, sizeof(text), "gap: %s", ear_gap_reason_text(gap->reason));
	const struct ear_slice_what what = {
		number, timeline_names_text(&timeline->name_list, text), EAR_TIMELINE_GAP, false};
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
	const uint32_t track =
		timeline_hart_track(timeline, hart, &hart->task_track, EAR_TRACK_TASKS);
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
		record, name, EAR_TIMELINE_METHOD, !timeline_wants(timeline, event->pid)};
	timeline_methods_enter(task, &timeline->slices, event, &what, hart->now);
}

void timeline_event(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_event *event, const struct timeline_at *at)
{
	const uint64_t record = at->number;
	struct timeline_task_event said;
	struct ear_event own = *event;
	int result = 0;

	if (own.name.size > TIMELINE_EVENT_TEXT)
		own.name.size = TIMELINE_EVENT_TEXT;
	/* Before the first instruction it is not known what time is. Numbers are those of
	 * instructions. */
	if (hart->record != EAR_TIMELINE_BEFORE && timeline->result.has_time)
		timeline_set_now(timeline, hart, at);
	timeline_tasks_take(timeline->tasks, &own, hart->has_task ? &hart->task : NULL, &said);
	switch (said.kind) {
	case TIMELINE_TASK_NONE: break;
	case TIMELINE_TASK_SWITCH: switch_task(timeline, hart, said.pid, record); break;
	case TIMELINE_TASK_COUNT:
		result = timeline_add_count(timeline, hart, said.pid, said.value);
		break;
	case TIMELINE_TASK_ENTER:
	case TIMELINE_TASK_LEAVE: take_method(timeline, hart, &said, record); break;
	case TIMELINE_TASK_MARK:
		add_instant(timeline, hart, record, EAR_TIMELINE_MARK, said.text);
		break;
	case TIMELINE_TASK_OTHER:
		add_instant(timeline, hart, record, EAR_TIMELINE_EVENT, said.text);
		break;
	}
	if (result)
		timeline->failed = result;
}
