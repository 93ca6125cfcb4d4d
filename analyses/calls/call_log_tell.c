/* Rows of a part. With sums, frames that are entered in it are written at its end, if they are open
 * then: with the state that their hart had when they were entered, in that order.
 */
#include "analyses/calls/call_log_tell.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/calls/call_log_begun.h"

const uint8_t call_log_row_sizes[CALL_LOG_ROW_KINDS] = {5, 6, 7, 3, 4, 3, 5, 3, 1, 1, 4};

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

/* The order in which functions are met is that of the whole. */
static void tell_functions(struct ear_call_log *log)
{
	const uint64_t count = log->own ? ear_call_sum_count(log->own) : 0;

	if (count == log->met)
		return;
	log->met = count;
	tell(log, CALL_LOG_ROW_FUNCTIONS, &count);
}

void call_log_tell_end(
	struct ear_call_log *log, uint16_t hart, uint32_t mark, enum ear_call_log_end end)
{
	const uint64_t numbers[] = {hart, mark, end};

	tell_functions(log);
	tell_harts(log);
	tell(log, CALL_LOG_ROW_LEAVE, numbers);
}

void call_log_tell_tail(struct ear_call_log *log, const struct call_log_hart *hart, uint32_t mark,
	uint64_t call_pc, uint64_t pc)
{
	const uint64_t numbers[] = {hart->number, mark, call_pc, pc};

	tell_functions(log);
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

/* ---- With sums. ---- */

void call_log_tell_call(struct ear_call_log *log, const struct ear_call_log_call *call)
{
	const uint64_t numbers[] = {call->function,
		call->kind + 4 * (uint64_t)call->end + 64 * (uint64_t)call->has_clocks,
		call->records, call->clocks};

	tell_functions(log);
	tell(log, CALL_LOG_ROW_CALL, numbers);
}

/* The mark by which a frame was told of. */
static uint32_t told_mark(const struct ear_call_log *log, uint32_t mark)
{
	return !log->own || mark <= log->active ? mark : log->open[mark - log->active].told;
}

/* As it was when it began. */
static void tell_open(struct ear_call_log *log, uint32_t number)
{
	struct call_log_open *open = &log->open[number];
	const struct ear_call_log_call *call = &log->ending[number];
	const uint64_t hart[] = {open->hart, open->records, call->number, open->ticks,
		open->timed + 2 * (uint64_t)call->xlen};
	const uint32_t below = told_mark(log, open->below);
	const uint64_t tail[] = {open->hart, below, call->call_pc, call->entry};
	const uint64_t enter[] = {open->hart, open->position, call->kind, below, call->entry,
		call->call_pc, call->number};

	tell(log, CALL_LOG_ROW_HART, hart);
	if (call->kind == EAR_CALL_LOG_TAIL) {
		tell(log, CALL_LOG_ROW_TAIL, tail);
	} else {
		tell(log, CALL_LOG_ROW_ENTER, enter);
		open->told = ++log->marks;
	}
}

static void tell_all_open(struct ear_call_log *log)
{
	size_t count;
	struct call_log_begun *begun = call_log_list_begun(log, &count);

	if (!begun)
		log->failed = EAR_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		tell_open(log, begun[i].number);
	log->facts.calls -= count;
	for (size_t i = 0; i < log->hart_count; i++)
		log->harts[i].told = UINT64_MAX;
	free(begun);
}

/* ---- The end. ---- */

void call_log_tell_rest(struct ear_call_log *log)
{
	const uint64_t facts[] = {log->facts.records, log->facts.gaps, log->facts.pathless};

	if (log->own)
		tell_all_open(log);
	tell_harts(log);
	for (size_t i = 0; i < log->hart_count; i++) {
		const struct call_log_hart *hart = &log->harts[i];
		const uint64_t numbers[] = {hart->number, told_mark(log, hart->mark),
			hart->range.pc, hart->range.first, hart->opcode};
		if (hart->records)
			tell(log, CALL_LOG_ROW_LAST, numbers);
	}
	tell(log, CALL_LOG_ROW_FACTS, facts);
}
