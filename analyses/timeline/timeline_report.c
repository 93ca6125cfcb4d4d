#include "analyses/timeline/timeline_report.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/timeline/timeline_heap.h"

const uint8_t timeline_row_sizes[TIMELINE_ROW_KINDS] = {5, 5, 6, 6, 6, 4, 4, 5, 7, 4, 2, 3};

static void add_row(struct ear_timeline *timeline, enum timeline_row row, const uint64_t *numbers)
{
	if (!ear_rows_add(&timeline->rows, row, numbers, timeline_row_sizes[row]))
		timeline->failed = EAR_E_NO_MEMORY;
}

/* ---- Records. ---- */

static void report_unreported(struct ear_timeline *timeline)
{
	const struct timeline_unreported *unreported = &timeline->unreported;

	if (!unreported->hart)
		return;
	const uint64_t numbers[] = {unreported->hart->number, unreported->mark,
		unreported->last.number, unreported->last.ticks,
		unreported->last.timed + 2 * unreported->records};
	add_row(timeline, TIMELINE_ROW_COUNT, numbers);
	timeline->unreported.hart = NULL;
}

static bool same_window(uint64_t a, uint64_t b)
{
	return a >> TIMELINE_WINDOW_SHIFT == b >> TIMELINE_WINDOW_SHIFT;
}

bool timeline_reports_alone(const struct timeline_hart *hart, uint32_t mark)
{
	return !hart->reported || (mark == 0 && hart->reported_mark != 0);
}

int timeline_report_count(struct ear_timeline *timeline, struct timeline_hart *hart, uint32_t mark,
	const struct timeline_at *last, uint64_t records)
{
	struct timeline_unreported *unreported = &timeline->unreported;
	const bool alone = timeline_reports_alone(hart, mark);

	hart->reported = true;
	hart->reported_mark = mark;
	if (!alone && unreported->hart == hart && unreported->mark == mark &&
		unreported->last.number + records == last->number &&
		unreported->last.timed == last->timed &&
		(timeline->options.whole || same_window(unreported->last.number, last->number)) &&
		(!last->timed || same_window(unreported->last.ticks, last->ticks))) {
		unreported->last.number = last->number;
		if (last->ticks > unreported->last.ticks)
			unreported->last.ticks = last->ticks;
		unreported->records += records;
		return timeline->failed;
	}
	report_unreported(timeline);
	*unreported = (struct timeline_unreported){hart, mark, records, *last};
	if (alone)
		report_unreported(timeline);
	return timeline->failed;
}

void timeline_report_privilege(struct ear_timeline *timeline, const struct timeline_hart *hart,
	uint8_t privilege, const struct timeline_at *at)
{
	const uint64_t numbers[] = {hart->number, at->number, at->ticks, at->timed, privilege};

	report_unreported(timeline);
	add_row(timeline, TIMELINE_ROW_PRIVILEGE, numbers);
}

void timeline_report_trap(struct ear_timeline *timeline, const struct timeline_hart *hart,
	const struct timeline_trap *trap, const struct timeline_at *at)
{
	const uint64_t numbers[] = {hart->number, at->number, at->ticks, at->timed,
		trap->interrupt + 2 * (uint64_t)trap->has_cause + 4 * (uint64_t)trap->xlen,
		trap->cause};

	report_unreported(timeline);
	add_row(timeline, TIMELINE_ROW_TRAP, numbers);
}

/* ---- Frames. ---- */

static uint64_t state_of(const struct timeline_heap_registers *registers, unsigned i)
{
	if (registers->known[i])
		return TIMELINE_REGISTER_KNOWN;
	return registers->forgotten ? TIMELINE_REGISTER_FORGOTTEN : TIMELINE_REGISTER_BEFORE;
}

static void report_registers(struct ear_timeline *timeline, const struct timeline_hart *hart)
{
	const struct timeline_heap_registers *registers = &hart->registers;
	const uint64_t numbers[] = {hart->number, registers->value[0], registers->value[1],
		state_of(registers, 0) + 4 * state_of(registers, 1)};

	add_row(timeline, TIMELINE_ROW_REGISTERS, numbers);
}

static void report_registers_of(struct ear_timeline *timeline, uint16_t hart)
{
	for (size_t i = 0; i < timeline->hart_count; i++)
		if (timeline->harts[i]->number == hart)
			report_registers(timeline, timeline->harts[i]);
}

/* Calls of the heap's functions need what registers are. */
static bool calls_heap(const struct ear_timeline *timeline, const struct ear_call_change *change)
{
	return timeline->has_heap && !timeline->starting && change->frame.kind == EAR_FRAME_CALL &&
	       timeline_heap_is_function(&timeline->heap, change->frame.entry);
}

static uint32_t find_jumped(const struct ear_timeline *timeline, uint32_t mark)
{
	uint32_t i = 0;

	while (i < timeline->jumped_count && timeline->jumped[i] != mark)
		i++;
	return i;
}

/* Did it jump to such a function? In a frame of the parts before it may have. */
static bool has_jumped(struct ear_timeline *timeline, uint32_t mark)
{
	const uint32_t at = find_jumped(timeline, mark);

	if (!timeline->has_heap)
		return false;
	if (at < timeline->jumped_count) {
		timeline->jumped[at] = timeline->jumped[--timeline->jumped_count];
		return true;
	}
	return mark <= timeline->active_marks;
}

void timeline_report_jump(struct ear_timeline *timeline, const struct timeline_hart *hart,
	uint32_t mark, uint64_t entry)
{
	const uint64_t numbers[] = {hart->number, mark, entry};

	if (timeline->jumped_count == timeline->jumped_capacity) {
		const uint32_t capacity = 2 * timeline->jumped_capacity + 16;
		uint32_t *jumped = realloc(timeline->jumped, capacity * sizeof(*jumped));
		if (!jumped) {
			timeline->failed = EAR_E_NO_MEMORY;
			return;
		}
		timeline->jumped = jumped;
		timeline->jumped_capacity = capacity;
	}
	if (find_jumped(timeline, mark) == timeline->jumped_count)
		timeline->jumped[timeline->jumped_count++] = mark;
	report_unreported(timeline);
	report_registers(timeline, hart);
	add_row(timeline, TIMELINE_ROW_JUMP, numbers);
}

uint32_t timeline_report_enter(struct ear_timeline *timeline, const struct ear_call_change *change)
{
	const struct ear_call_frame *frame = &change->frame;
	const uint64_t numbers[] = {change->hart, change->position,
		frame->kind + 4 * (uint64_t)(change->below == 0), frame->stack, frame->entry,
		frame->call_pc};

	report_unreported(timeline);
	if (calls_heap(timeline, change))
		report_registers_of(timeline, change->hart);
	add_row(timeline, timeline->starting ? TIMELINE_ROW_ACTIVE : TIMELINE_ROW_ENTER, numbers);
	return ++timeline->marks;
}

void timeline_report_leave(struct ear_timeline *timeline, const struct ear_call_change *change)
{
	const uint64_t numbers[] = {change->hart, change->mark, change->end, change->frame.stack};

	report_unreported(timeline);
	if (has_jumped(timeline, change->mark) || calls_heap(timeline, change))
		report_registers_of(timeline, change->hart);
	add_row(timeline, TIMELINE_ROW_LEAVE, numbers);
}

/* ---- Others. ---- */

void timeline_report_gap(struct ear_timeline *timeline, struct timeline_hart *hart,
	const struct ear_gap *gap, bool forgotten, uint64_t number)
{
	const uint64_t numbers[] = {hart->number, number,
		gap->count_known + 2 * (uint64_t)gap->upper_bound + 4 * (uint64_t)forgotten,
		gap->count, gap->reason};

	report_unreported(timeline);
	add_row(timeline, TIMELINE_ROW_GAP, numbers);
	hart->reported = false;
}

void timeline_report_event(struct ear_timeline *timeline, const struct timeline_hart *hart,
	const struct ear_event *event, const struct timeline_at *at)
{
	const struct ear_text text = event->name;
	const size_t size = text.size < TIMELINE_EVENT_TEXT ? text.size : TIMELINE_EVENT_TEXT;
	uint64_t numbers[EAR_ROWS_NUMBERS] = {hart->number, at->number, at->ticks, at->timed,
		event->source, event->value, text.text ? size : TIMELINE_NO_TEXT};
	unsigned count = timeline_row_sizes[TIMELINE_ROW_EVENT];

	for (size_t i = 0; text.text && i < size; i++)
		numbers[count + i / 8] |= (uint64_t)(uint8_t)text.text[i] << i % 8 * 8;
	count += text.text ? (unsigned)(size + 7) / 8 : 0;
	report_unreported(timeline);
	if (!ear_rows_add(&timeline->rows, TIMELINE_ROW_EVENT, numbers, count))
		timeline->failed = EAR_E_NO_MEMORY;
}

void timeline_report_rest(struct ear_timeline *timeline)
{
	report_unreported(timeline);
	for (size_t i = 0; i < timeline->hart_count; i++) {
		const struct timeline_hart *hart = timeline->harts[i];
		const uint64_t numbers[] = {
			hart->number, hart->first_ticks, hart->last_ticks, hart->backwards};
		if (timeline->has_heap)
			report_registers(timeline, hart);
		if (hart->timed)
			add_row(timeline, TIMELINE_ROW_TICKS, numbers);
	}
	const uint64_t facts[] = {timeline->result.pathless, timeline->has_heap};
	add_row(timeline, TIMELINE_ROW_FACTS, facts);
}
