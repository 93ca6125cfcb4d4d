/* Parts of a call log. What a part reported (call_log_report.h) happens in the whole:
 * frames begin and end, at the state that their hart has then.
 */
#include "analyses/calls/call_log.h"

#include <earshot/error.h>

#include "analyses/calls/call_log_open.h"
#include "analyses/calls/call_log_report.h"

#define HARTS_MAX 1024u

struct join {
	struct ear_call_log *sum;
	const struct ear_call_sum *own; /* of the part; NULL: none */
	size_t met;                     /* functions of it that the sum has met */
};

static int enter(struct ear_call_log *sum, struct call_log_hart *hart, const uint64_t *numbers,
	bool is_active)
{
	uint32_t below, mark = 0;

	if (numbers[2] > EAR_CALL_LOG_INTERRUPT ||
		!ear_part_frames_get(&sum->frames, numbers[3], &below))
		return EAR_E_BAD_FILE;
	if (is_active)
		mark = ear_part_frames_find(&sum->frames, hart->number, numbers[1]);
	if (mark == 0) {
		const struct ear_call_log_call call = {.hart = hart->number,
			.kind = (uint8_t)numbers[2],
			.xlen = hart->xlen,
			.depth = call_log_depth(sum, below),
			.number = numbers[6] == CALL_LOG_NO_NUMBER ? hart->last : numbers[6],
			.entry = numbers[4],
			.call_pc = numbers[5]};
		sum->starting = is_active;
		mark = call_log_begin(sum, hart, &call, numbers[1]);
		sum->starting = false;
	}
	if (mark == 0 || !ear_part_frames_add(&sum->frames, hart->number, numbers[1], mark))
		return EAR_E_NO_MEMORY;
	return sum->failed;
}

static int leave(struct ear_call_log *sum, struct call_log_hart *hart, const uint64_t *numbers)
{
	const uint32_t mark = ear_part_frames_end(&sum->frames, numbers[1]);

	if (numbers[2] > EAR_CALL_LOG_WAITED || mark == 0)
		return EAR_E_BAD_FILE;
	if (hart->mark == mark)
		hart->mark = 0;
	call_log_end(sum, mark, hart, (enum ear_call_log_end)numbers[2]);
	return sum->failed;
}

static int take_last(struct ear_call_log *sum, struct call_log_hart *hart, const uint64_t *numbers)
{
	if (!ear_part_frames_get(&sum->frames, numbers[1], &hart->mark))
		return EAR_E_BAD_FILE;
	hart->range = *call_log_range(sum, numbers[3]);
	hart->range.pc = numbers[2];
	hart->opcode = (uint32_t)numbers[4];
	return 0;
}

static int take_first(struct ear_call_log *sum, struct call_log_hart *hart, const uint64_t *numbers)
{
	const uint64_t pc = numbers[2];
	uint32_t mark;

	if (!ear_part_frames_get(&sum->frames, numbers[1], &mark))
		return EAR_E_BAD_FILE;
	if (sum->names && pc - hart->range.first > hart->range.last - hart->range.first)
		call_log_arrive(sum, hart, mark, hart->range.pc, pc);
	return sum->failed;
}

static int tail(struct ear_call_log *sum, struct call_log_hart *hart, const uint64_t *numbers)
{
	uint32_t mark;

	if (!ear_part_frames_get(&sum->frames, numbers[1], &mark) || mark == 0)
		return EAR_E_BAD_FILE;
	call_log_tail(sum, hart, mark, numbers[2], numbers[3]);
	return sum->failed;
}

static void take_facts(struct ear_call_log *sum, const uint64_t *numbers)
{
	sum->facts.records += numbers[0];
	sum->facts.gaps += numbers[1];
	sum->facts.pathless += numbers[2];
}

static int meet_functions(struct join *join, size_t end)
{
	const size_t first = join->met;

	join->met = end;
	return ear_call_sum_meet(join->sum->options.sum, join->own, first, end);
}

static int take_call(struct ear_call_log *sum, const uint64_t *numbers)
{
	const struct ear_call_log_call call = {.function = numbers[0],
		.kind = numbers[1] & 3,
		.end = numbers[1] >> 2 & 7,
		.has_clocks = numbers[1] >> 6,
		.records = numbers[2],
		.clocks = numbers[3]};

	return ear_call_sum_add(sum->options.sum, &call);
}

static int take_row(struct join *join, unsigned row, const uint64_t *numbers)
{
	struct ear_call_log *sum = join->sum;

	switch (row) {
	case CALL_LOG_ROW_FACTS: take_facts(sum, numbers); return 0;
	case CALL_LOG_ROW_FUNCTIONS: return meet_functions(join, numbers[0]);
	case CALL_LOG_ROW_CALL: return take_call(sum, numbers);
	default: break;
	}
	if (row == CALL_LOG_ROW_SKIP) {
		sum->skipped = numbers[0] == 1;
		return numbers[0] > 1 ? EAR_E_BAD_FILE : 0;
	}
	struct call_log_hart *hart =
		numbers[0] > UINT16_MAX ? NULL : call_log_hart(sum, (uint16_t)numbers[0]);
	if (!hart || sum->hart_count > HARTS_MAX)
		return numbers[0] > UINT16_MAX || hart ? EAR_E_BAD_FILE : EAR_E_NO_MEMORY;
	switch ((enum call_log_row)row) {
	case CALL_LOG_ROW_HART:
		hart->records = hart->before + numbers[1];
		hart->last = numbers[2];
		hart->ticks = numbers[3];
		hart->timed = numbers[4] & 1;
		hart->xlen = (uint8_t)(numbers[4] >> 1);
		return 0;
	case CALL_LOG_ROW_ACTIVE:
	case CALL_LOG_ROW_ENTER: return enter(sum, hart, numbers, row == CALL_LOG_ROW_ACTIVE);
	case CALL_LOG_ROW_LEAVE: return leave(sum, hart, numbers);
	case CALL_LOG_ROW_TAIL: return tail(sum, hart, numbers);
	case CALL_LOG_ROW_FIRST: return take_first(sum, hart, numbers);
	default: return take_last(sum, hart, numbers);
	}
}

/* What the part has summed up. */
static int join_own(struct join *join, const struct ear_call_log *part)
{
	join->sum->facts.calls += part->facts.calls;
	join->sum->facts.has_time |= part->facts.has_time;
	return ear_call_sum_join(join->sum->options.sum, part->own);
}

int ear_call_log_join(struct ear_call_log *sum, struct ear_call_log *part)
{
	struct join join = {.sum = sum, .own = part->own};
	const unsigned kinds = part->own ? CALL_LOG_ROW_KINDS : CALL_LOG_ROW_FILE_KINDS;
	uint64_t numbers[EAR_ROWS_NUMBERS] = {0};
	unsigned row, count;
	int result = part->failed;

	sum->skipped = false;
	for (size_t i = 0; i < sum->hart_count; i++)
		sum->harts[i].before = sum->harts[i].records;
	ear_rows_rewind(&part->rows);
	while (result == 0 && ear_rows_next(&part->rows, &row, numbers, &count))
		result = row < kinds && (count == call_log_row_sizes[row])
				 ? take_row(&join, row, numbers)
				 : EAR_E_BAD_FILE;
	if (result == 0 && part->own)
		result = join_own(&join, part);
	if (result == 0 && !ear_part_frames_next(&sum->frames))
		result = EAR_E_NO_MEMORY;
	return result;
}
