/* Following a run: what happens is said to timeline_harts.c, timeline_calls.c and
 * timeline_events.c, which know nothing of batches; a part reports it (timeline_report.h) to the
 * join. timeline_next.c hands out what they made of it.
 */
#include "analyses/timeline/timeline.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/timeline/timeline_calls.h"
#include "analyses/timeline/timeline_events.h"
#include "analyses/timeline/timeline_harts.h"
#include "analyses/timeline/timeline_report.h"

#define WINDOW (UINT64_C(1) << TIMELINE_WINDOW_SHIFT)

/* ---- Time. ---- */

static struct timeline_at at_of(const struct ear_batch *batch, size_t i)
{
	if (batch->record)
		return (struct timeline_at){batch->number, batch->record->ticks,
			batch->record->flags & EAR_RECORD_HAS_TIME};
	return (struct timeline_at){batch->number + i, batch->run->ticks + batch->compacts[i].ticks,
		i == 0 ? batch->run->first_timed : batch->run->all_timed};
}

static void note_ticks(struct timeline_hart *hart, const struct timeline_at *at)
{
	if (!at->timed)
		return;
	if (!hart->timed)
		hart->first_ticks = at->ticks;
	else if (at->ticks < hart->last_ticks)
		hart->backwards++;
	hart->timed = true;
	hart->last_ticks = at->ticks;
}

/* ---- Records. ---- */

/* How many records of a run, from first up to end, are in the smallest window of the counters that
 * the first one is in, as far as that matters; *last: when the latest one is. Windows of numbers
 * matter in a part that is to be a file. */
static size_t same_window(const struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_batch *batch, size_t first, size_t end, struct timeline_at *last)
{
	const bool part = timeline->options.part, by_ticks = part || timeline->result.has_time;
	const uint64_t room = WINDOW - (batch->number + first) % WINDOW;

	*last = at_of(batch, first);
	note_ticks(hart, last);
	if (part && !timeline->options.whole && end - first > room)
		end = first + (size_t)room;
	size_t i = first + 1;
	for (; i < end; i++) {
		const struct timeline_at at = at_of(batch, i);
		if (at.timed != last->timed ||
			(by_ticks && at.timed && at.ticks / WINDOW != last->ticks / WINDOW))
			break;
		if (!at.timed) {
			i = end - 1; /* so are all others */
			continue;
		}
		note_ticks(hart, &at);
		if (at.ticks > last->ticks)
			last->ticks = at.ticks;
	}
	last->number = batch->number + i - 1;
	return i - first;
}

static int count_records(struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark,
	const struct ear_batch *batch, size_t first, size_t records)
{
	const size_t end = first + records;
	const bool part = timeline->options.part;
	struct timeline_at last;
	int result = 0;

	for (size_t count; first < end && result == 0; first += count) {
		const size_t to = part && timeline_reports_alone(hart, mark) ? first + 1 : end;
		count = same_window(timeline, hart, batch, first, to, &last);
		result = (part ? timeline_report_count : timeline_count)(
			timeline, hart, mark, &last, count);
	}
	return result;
}

static void take_privilege(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_batch *batch, const struct timeline_at *at)
{
	const uint32_t flags = batch->run ? batch->run->flags : batch->record->flags;
	const uint8_t privilege = batch->run ? batch->run->privilege : batch->record->privilege;

	if (flags & EAR_RECORD_NO_PRIVILEGE || privilege > EAR_PRIVILEGE_DEBUG ||
		(hart->reported_privilege && hart->last_privilege == privilege))
		return;
	hart->reported_privilege = true;
	hart->last_privilege = privilege;
	if (timeline->options.part)
		timeline_report_privilege(timeline, hart, privilege, at);
	else
		timeline_privilege(timeline, hart, privilege, at->number);
}

static void take_trap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_record *record, const struct timeline_at *at)
{
	const struct timeline_trap trap = {.interrupt = record->flags & EAR_RECORD_INTERRUPT,
		.has_cause = !(record->flags & EAR_RECORD_NO_CAUSE) && record->isa == EAR_ISA_RISCV,
		.xlen = record->xlen,
		.cause = record->cause};

	if (timeline->options.part)
		timeline_report_trap(timeline, hart, &trap, at);
	else
		timeline_trap(timeline, hart, &trap, at->number);
}

/* a0 and a1 after the records; and where a function of the heap begins, for which none needs to be
 * called: a function may end with a jump to it. */
static void take_heap(struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark,
	const struct ear_batch *batch, size_t first, size_t records)
{
	const struct timeline_heap *heap = &timeline->heap;
	size_t done = first;

	for (size_t i = first; i < first + records && mark; i++) {
		const uint64_t pc = batch->run ? batch->compacts[i].pc : batch->record->pc;
		if (!timeline_heap_may_be_function(heap, pc) ||
			!timeline_heap_is_function(heap, pc))
			continue;
		timeline_heap_registers(&hart->registers, batch, done, i - done);
		done = i;
		if (timeline->options.part)
			timeline_report_jump(timeline, hart, mark, pc);
		else
			timeline_jump(timeline, hart, mark, pc);
	}
	timeline_heap_registers(&hart->registers, batch, done, first + records - done);
}

/* ear_calls_take. */
static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t records, uint32_t path)
{
	struct ear_timeline *timeline = context;
	const uint16_t number = batch->run ? batch->run->hart : batch->record->hart;
	struct timeline_hart *hart = timeline_take_hart(timeline, number);
	const struct timeline_at at = at_of(batch, first);

	if (!hart)
		return timeline->failed;
	if (!timeline->options.part) {
		const struct timeline_at second = at_of(batch, records > 1 ? first + 1 : first);
		timeline_look(timeline, &at);
		timeline_look(timeline, &second);
		timeline_arrive(timeline, hart, &at);
	}
	take_privilege(timeline, hart, batch, &at);
	if (batch->record && batch->record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		take_trap(timeline, hart, batch->record, &at);
	const uint32_t mark = ear_calls_mark(timeline->calls, number);
	if (timeline->has_heap)
		take_heap(timeline, hart, mark, batch, first, records);
	timeline->result.pathless += path ? 0 : records;
	int result = count_records(timeline, hart, mark, batch, first, records);
	return result ? result : timeline_failure(timeline);
}

static int take_gap(struct ear_timeline *timeline, const struct ear_batch *batch)
{
	struct timeline_hart *hart = timeline_take_hart(timeline, batch->record->hart);
	const struct ear_gap *gap = &batch->record->u.gap;

	if (!hart)
		return timeline->failed;
	const bool forgotten = ear_calls_mark(timeline->calls, hart->number) == 0;
	hart->registers = (struct timeline_heap_registers){.forgotten = true};
	if (timeline->options.part)
		timeline_report_gap(timeline, hart, gap, forgotten, batch->number);
	else
		timeline_gap(timeline, hart, gap, forgotten, batch->number);
	return 0;
}

static int take_event(struct ear_timeline *timeline, const struct ear_batch *batch)
{
	struct timeline_hart *hart = timeline_take_hart(timeline, batch->record->hart);
	const struct timeline_at at = at_of(batch, 0);

	if (!hart)
		return timeline->failed;
	note_ticks(hart, &at);
	if (timeline->options.part)
		timeline_report_event(timeline, hart, &batch->record->u.event, &at);
	else
		timeline_event(timeline, hart, &batch->record->u.event, &at);
	return 0;
}

int ear_timeline_batch(struct ear_timeline *timeline, const struct ear_batch *batch)
{
	int result = ear_calls_batch(timeline->calls, batch, take, timeline);

	if (result == 0 && batch->record && batch->record->kind == EAR_RECORD_GAP)
		result = take_gap(timeline, batch);
	if (result == 0 && batch->record && batch->record->kind == EAR_RECORD_EVENT)
		result = take_event(timeline, batch);
	return result ? result : timeline_failure(timeline);
}

int ear_timeline_start(struct ear_timeline *timeline, struct ear_moment *moment,
	const struct ear_progress *progress)
{
	timeline->starting = true;
	int result = ear_calls_start(timeline->calls, moment, progress);
	timeline->starting = false;
	timeline->active_marks = timeline->marks;
	return result == EAR_E_UNSUPPORTED ? 0 : result;
}

/* ear_calls_watch */
static uint32_t enter(void *context, const struct ear_call_change *change)
{
	struct ear_timeline *timeline = context;

	return (timeline->options.part ? timeline_report_enter : timeline_enter)(timeline, change);
}

/* ear_calls_watch */
static void leave(void *context, const struct ear_call_change *change)
{
	struct ear_timeline *timeline = context;

	(timeline->options.part ? timeline_report_leave : timeline_leave)(timeline, change);
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
	/* By which calls a frame was reached is not asked for. */
	const struct ear_calls_options calls = {.size = sizeof(calls), .paths_max = 1};

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
		result = ear_calls_new(&timeline->calls, &calls);
	if (result == 0)
		result = ear_calls_set_watch(timeline->calls, &watch);
	if (result == 0)
		result = timeline_names_init(&timeline->name_list, names);
	timeline->has_heap = timeline->options.whole ? timeline_heap_like(&timeline->heap,
							       &timeline->options.whole->heap)
						     : timeline_heap_find(&timeline->heap, names);
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
	free(timeline->jumped);
	free(timeline->tracks);
	timeline_instants_fini(&timeline->instants);
	free(timeline->ends);
	timeline_tasks_free(timeline->tasks);
	timeline_methods_fini(&timeline->methods);
	ear_calls_free(timeline->calls);
	ear_slices_fini(&timeline->slices);
	ear_rows_fini(&timeline->rows);
	ear_part_frames_fini(&timeline->frames);
	free(timeline);
}
