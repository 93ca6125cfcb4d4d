#include "analyses/call_log_tell.h"

#include <earshot/error.h>

const uint8_t call_log_row_sizes[CALL_LOG_ROW_KINDS] = {5, 6, 7, 3, 4, 3, 5, 3, 1};

static void tell(struct ear_call_log *log, enum call_log_row row, const uint64_t *numbers)
{
	if (!ear_rows_add(&log->rows, row, numbers, call_log_row_sizes[row]))
		log->failed = EAR_E_NO_MEMORY;
}

/* Where each hart is now, as far as it is not known from earlier rows. */
static void tell_harts(struct ear_call_log *log)
{
	for (size_t i = 0; i < log->hart_count; i++) {
		struct call_log_hart *hart = &log->harts[i];
		const uint64_t numbers[] = {hart->number, hart->records, hart->last, hart->ticks,
			hart->timed + 2 * (uint64_t)hart->xlen};
		if (hart->told == hart->records)
			continue;
		hart->told = hart->records;
		tell(log, CALL_LOG_ROW_HART, numbers);
	}
}

/* What may begin a call comes. */
static void tell_skip(struct ear_call_log *log)
{
	const uint64_t skipped = log->skipped;

	if (log->skipped != log->told_skipped)
		tell(log, CALL_LOG_ROW_SKIP, &skipped);
	log->told_skipped = log->skipped;
}

uint32_t call_log_tell_begin(struct ear_call_log *log, const struct ear_call_log_call *call,
	const struct ear_call_change *change)
{
	const bool has_number = log->batch && change->position >= log->batch->position;
	const uint64_t numbers[] = {call->hart, change->position, call->kind, change->below,
		call->entry, call->call_pc, has_number ? call->number : CALL_LOG_NO_NUMBER};

	tell_harts(log);
	tell_skip(log);
	tell(log, log->starting ? CALL_LOG_ROW_ACTIVE : CALL_LOG_ROW_ENTER, numbers);
	return ++log->marks;
}

void call_log_tell_end(
	struct ear_call_log *log, uint16_t hart, uint32_t mark, enum ear_call_log_end end)
{
	const uint64_t numbers[] = {hart, mark, end};

	tell_harts(log);
	tell(log, CALL_LOG_ROW_LEAVE, numbers);
}

void call_log_tell_tail(struct ear_call_log *log, const struct call_log_hart *hart, uint32_t mark,
	uint64_t call_pc, uint64_t pc)
{
	const uint64_t numbers[] = {hart->number, mark, call_pc, pc};

	tell_harts(log);
	tell_skip(log);
	tell(log, CALL_LOG_ROW_TAIL, numbers);
}

void call_log_tell_first(
	struct ear_call_log *log, const struct call_log_hart *hart, uint32_t mark, uint64_t pc)
{
	const uint64_t numbers[] = {hart->number, mark, pc};

	tell_harts(log);
	tell_skip(log);
	tell(log, CALL_LOG_ROW_FIRST, numbers);
}

void call_log_tell_rest(struct ear_call_log *log)
{
	const uint64_t facts[] = {log->facts.records, log->facts.gaps, log->facts.pathless};

	tell_harts(log);
	for (size_t i = 0; i < log->hart_count; i++) {
		const struct call_log_hart *hart = &log->harts[i];
		const uint64_t numbers[] = {
			hart->number, hart->mark, hart->range.pc, hart->range.first, hart->opcode};
		if (hart->records)
			tell(log, CALL_LOG_ROW_LAST, numbers);
	}
	tell(log, CALL_LOG_ROW_FACTS, facts);
}
