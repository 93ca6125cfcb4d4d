/* Parts of a timeline. What a part reported (timeline_report.h) happens in the whole.
 */
#include <stdio.h>

#include <earshot/error.h>

#include "analyses/timeline/timeline.h"
#include "analyses/timeline/timeline_calls.h"
#include "analyses/timeline/timeline_events.h"
#include "analyses/timeline/timeline_harts.h"
#include "analyses/timeline/timeline_report.h"

#define RECORDS_MAX (UINT64_C(1) << TIMELINE_WINDOW_SHIFT) /* of a row of a file */

/* ---- Frames. ---- */

static int enter(struct ear_timeline *sum, uint16_t hart, const uint64_t *numbers, bool is_active)
{
	const struct ear_call_change change = {.hart = hart,
		.position = numbers[1],
		.frame = {.kind = numbers[2] & 3,
			.position = numbers[1],
			.stack = (uint32_t)numbers[3],
			.entry = numbers[4],
			.call_pc = numbers[5]},
		.below = !(numbers[2] & 4)};
	uint32_t mark = 0;

	if (numbers[2] > 7 || numbers[3] > UINT32_MAX)
		return EAR_E_BAD_FILE;
	if (is_active)
		mark = ear_part_frames_find(&sum->frames, hart, numbers[1]);
	if (mark == 0)
		mark = timeline_enter(sum, &change);
	return ear_part_frames_add(&sum->frames, hart, numbers[1], mark) ? 0 : EAR_E_NO_MEMORY;
}

static int leave(struct ear_timeline *sum, uint16_t hart, const uint64_t *numbers)
{
	const struct ear_call_change change = {.hart = hart,
		.end = (uint8_t)numbers[2],
		.frame = {.stack = (uint32_t)numbers[3]},
		.mark = ear_part_frames_end(&sum->frames, numbers[1])};

	if (change.mark == 0 || numbers[2] > EAR_CALL_FORGOTTEN || numbers[3] > UINT32_MAX)
		return EAR_E_BAD_FILE;
	timeline_leave(sum, &change);
	return 0;
}

static int jump(struct ear_timeline *sum, struct timeline_hart *hart, const uint64_t *numbers)
{
	uint32_t mark;

	if (!ear_part_frames_get(&sum->frames, numbers[1], &mark) || mark == 0)
		return EAR_E_BAD_FILE;
	if (sum->has_heap)
		timeline_jump(sum, hart, mark, numbers[2]);
	return 0;
}

/* ---- Records. ---- */

static int count(struct ear_timeline *sum, struct timeline_hart *hart, const uint64_t *numbers)
{
	const uint64_t records = numbers[4] / 2;
	const struct timeline_at last = {numbers[2], numbers[3], numbers[4] & 1},
				 first = {numbers[2] - (records - 1), numbers[3], last.timed},
				 second = {first.number + (records > 1), numbers[3], last.timed};
	uint32_t mark;

	if (!ear_part_frames_get(&sum->frames, numbers[1], &mark) || records == 0)
		return EAR_E_BAD_FILE;
	timeline_look(sum, &first);
	timeline_look(sum, &second);
	timeline_arrive(sum, hart, &last);
	return timeline_count(sum, hart, mark, &last, records);
}

static int take_privilege(
	struct ear_timeline *sum, struct timeline_hart *hart, const uint64_t *numbers)
{
	const struct timeline_at at = {numbers[1], numbers[2], numbers[3]};

	if (numbers[4] > EAR_PRIVILEGE_DEBUG)
		return EAR_E_BAD_FILE;
	timeline_arrive(sum, hart, &at);
	timeline_privilege(sum, hart, (uint8_t)numbers[4], at.number);
	return 0;
}

static int take_trap(struct ear_timeline *sum, struct timeline_hart *hart, const uint64_t *numbers)
{
	const struct timeline_at at = {numbers[1], numbers[2], numbers[3]};
	const struct timeline_trap trap = {
		numbers[4] & 1, numbers[4] & 2, (uint8_t)(numbers[4] >> 2), numbers[5]};

	timeline_arrive(sum, hart, &at);
	timeline_trap(sum, hart, &trap, at.number);
	return 0;
}

/* ---- Others. ---- */

static void take_registers(struct timeline_hart *hart, const uint64_t *numbers)
{
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t state = numbers[3] >> 2 * i & 3;
		const bool before = state == TIMELINE_REGISTER_BEFORE;
		hart->registers.value[i] = before ? hart->before.value[i] : numbers[1 + i];
		hart->registers.known[i] =
			before ? hart->before.known[i] : state == TIMELINE_REGISTER_KNOWN;
	}
}

static int take_gap(struct ear_timeline *sum, struct timeline_hart *hart, const uint64_t *numbers)
{
	const struct ear_gap gap = {.count_known = numbers[2] & 1,
		.upper_bound = numbers[2] & 2,
		.count = numbers[3],
		.reason = (enum ear_gap_reason)(numbers[4] & UINT8_MAX)};

	timeline_gap(sum, hart, &gap, numbers[2] & 4, numbers[1]);
	return 0;
}

static int take_event(struct ear_timeline *sum, struct timeline_hart *hart, const uint64_t *numbers,
	unsigned many)
{
	const unsigned fixed = timeline_row_sizes[TIMELINE_ROW_EVENT];
	const bool has_text = numbers[6] != TIMELINE_NO_TEXT;
	const uint64_t size = has_text ? numbers[6] : 0;
	const struct timeline_at at = {numbers[1], numbers[2], numbers[3]};
	char text[TIMELINE_EVENT_TEXT];

	if (numbers[4] > UINT8_MAX || numbers[5] > UINT32_MAX || size > TIMELINE_EVENT_TEXT ||
		many != fixed + (size + 7) / 8)
		return EAR_E_BAD_FILE;
	for (size_t i = 0; i < size; i++)
		text[i] = (char)(numbers[fixed + i / 8] >> i % 8 * 8);
	const struct ear_event event = {.source = (uint8_t)numbers[4],
		.value = (uint32_t)numbers[5],
		.name = {has_text ? text : NULL, (size_t)size}};
	timeline_event(sum, hart, &event, &at);
	return 0;
}

/* From the part before to this one time may go back, too. */
static void take_ticks(struct timeline_hart *hart, const uint64_t *numbers)
{
	hart->backwards += numbers[3] + (hart->timed && numbers[1] < hart->last_ticks);
	hart->timed = true;
	hart->last_ticks = numbers[2];
}

static int take_row(struct ear_timeline *sum, unsigned row, const uint64_t *numbers, unsigned many)
{
	if (row == TIMELINE_ROW_FACTS) {
		sum->result.pathless += numbers[0];
		return sum->has_heap && !numbers[1] ? EAR_E_BAD_FILE : 0;
	}
	if (numbers[0] > UINT16_MAX)
		return EAR_E_BAD_FILE;
	struct timeline_hart *hart = timeline_take_hart(sum, (uint16_t)numbers[0]);
	if (!hart)
		return sum->failed;
	switch ((enum timeline_row)row) {
	case TIMELINE_ROW_COUNT: return count(sum, hart, numbers);
	case TIMELINE_ROW_PRIVILEGE: return take_privilege(sum, hart, numbers);
	case TIMELINE_ROW_TRAP: return take_trap(sum, hart, numbers);
	case TIMELINE_ROW_ACTIVE:
	case TIMELINE_ROW_ENTER:
		return enter(sum, hart->number, numbers, row == TIMELINE_ROW_ACTIVE);
	case TIMELINE_ROW_LEAVE: return leave(sum, hart->number, numbers);
	case TIMELINE_ROW_REGISTERS: take_registers(hart, numbers); return 0;
	case TIMELINE_ROW_JUMP: return jump(sum, hart, numbers);
	case TIMELINE_ROW_GAP: return take_gap(sum, hart, numbers);
	case TIMELINE_ROW_EVENT: return take_event(sum, hart, numbers, many);
	default: take_ticks(hart, numbers); return 0;
	}
}

static bool is_row(
	const struct ear_timeline *part, unsigned row, const uint64_t *numbers, unsigned many)
{
	if (row == TIMELINE_ROW_COUNT && part->from_file && numbers[4] / 2 > RECORDS_MAX)
		return false;
	return row < TIMELINE_ROW_KINDS &&
	       (row == TIMELINE_ROW_EVENT ? many >= timeline_row_sizes[row]
					  : many == timeline_row_sizes[row]);
}

int ear_timeline_join(struct ear_timeline *sum, struct ear_timeline *part)
{
	uint64_t numbers[EAR_ROWS_NUMBERS] = {0};
	unsigned row, many;
	int result = part->failed;

	for (size_t i = 0; i < sum->hart_count; i++)
		sum->harts[i]->before = sum->harts[i]->registers;
	ear_rows_rewind(&part->rows);
	while (result == 0 && ear_rows_next(&part->rows, &row, numbers, &many)) {
		result = is_row(part, row, numbers, many) ? take_row(sum, row, numbers, many)
							  : EAR_E_BAD_FILE;
		result = result ? result : timeline_failure(sum);
	}
	if (result == 0 && !ear_part_frames_next(&sum->frames))
		result = EAR_E_NO_MEMORY;
	if (!sum->title[0])
		ear_timeline_set_title(sum, part->title);
	return result;
}

void ear_timeline_set_title(struct ear_timeline *timeline, const char *title)
{
	snprintf(timeline->title, sizeof(timeline->title), "%s", title);
}

const char *ear_timeline_title(const struct ear_timeline *timeline)
{
	return timeline->title[0] ? timeline->title : NULL;
}

bool ear_timeline_has_heap(const struct ear_timeline *timeline)
{
	return timeline->has_heap;
}
