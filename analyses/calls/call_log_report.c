/* Rows of a part. With sums, frames that are entered in it are written at its end, if they are open
 * then: with the state that their hart had when they were entered, in that order.
 */
#include "analyses/calls/call_log_report.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/calls/call_log_begun.h"

const uint8_t call_log_row_sizes[CALL_LOG_ROW_KINDS] = {5, 6, 7, 3, 4, 3, 5, 3, 1, 1, 4};

static void report(struct ear_call_log *log, enum call_log_row row, const uint64_t *numbers)
{
	if (!ear_rows_add(&log->rows, row, numbers, call_log_row_sizes[row]))
		log->failed = EAR_E_NO_MEMORY;
}

/* Where each hart is now, as far as it is not known from earlier rows. */
static void report_harts(struct ear_call_log *log)
{
	for (size_t i = 0; i < log->hart_count; i++) {
		struct call_log_hart *hart = &log->harts[i];
		const uint64_t numbers[] = {hart->number, hart->records, hart->last, hart->ticks,
			hart->timed + 2 * (uint64_t)hart->xlen};
		if (hart->reported == hart->records)
			continue;
		hart->reported = hart->records;
		report(log, CALL_LOG_ROW_HART, numbers);
	}
}

/* What may begin a call comes. */
static void report_skip(struct ear_call_log *log)
{
	const uint64_t skipped = log->skipped;

	if (log->skipped != log->reported_skipped)
		report(log, CALL_LOG_ROW_SKIP, &skipped);
	log->reported_skipped = log->skipped;
}

uint32_t call_log_report_begin(struct ear_call_log *log, const struct ear_call_log_call *call,
	const struct ear_call_change *change)
{
	const bool has_number = log->batch && change->position >= log->batch->position;
	const uint64_t numbers[] = {call->hart, change->position, call->kind, change->below,
		call->entry, call->call_pc, has_number ? call->number : CALL_LOG_NO_NUMBER};

	report_harts(log);
	report_skip(log);
	report(log, log->starting ? CALL_LOG_ROW_ACTIVE : CALL_LOG_ROW_ENTER, numbers);
	return ++log->marks;
}

/* The order in which functions are met is that of the whole. */
static void report_functions(struct ear_call_log *log)
{
	const uint64_t count = log->own ? ear_call_sum_count(log->own) : 0;

	if (count == log->met)
		return;
	log->met = count;
	report(log, CALL_LOG_ROW_FUNCTIONS, &count);
}

void call_log_report_end(
	struct ear_call_log *log, uint16_t hart, uint32_t mark, enum ear_call_log_end end)
{
	const uint64_t numbers[] = {hart, mark, end};

	report_functions(log);
	report_harts(log);
	report(log, CALL_LOG_ROW_LEAVE, numbers);
}

void call_log_report_tail(struct ear_call_log *log, const struct call_log_hart *hart, uint32_t mark,
	uint64_t call_pc, uint64_t pc)
{
	const uint64_t numbers[] = {hart->number, mark, call_pc, pc};

	report_functions(log);
	report_harts(log);
	report_skip(log);
	report(log, CALL_LOG_ROW_TAIL, numbers);
}

void call_log_report_first(
	struct ear_call_log *log, const struct call_log_hart *hart, uint32_t mark, uint64_t pc)
{
	const uint64_t numbers[] = {hart->number, mark, pc};

	report_harts(log);
	report_skip(log);
	report(log, CALL_LOG_ROW_FIRST, numbers);
}

/* ---- With sums. ---- */

void call_log_report_call(struct ear_call_log *log, const struct ear_call_log_call *call)
{
	const uint64_t numbers[] = {call->function,
		call->kind + 4 * (uint64_t)call->end + 64 * (uint64_t)call->has_clocks,
		call->records, call->clocks};

	report_functions(log);
	report(log, CALL_LOG_ROW_CALL, numbers);
}

/* The mark by which a frame was reported. */
static uint32_t reported_mark(const struct ear_call_log *log, uint32_t mark)
{
	return !log->own || mark <= log->active ? mark : log->open[mark - log->active].reported;
}

/* As it was when it began. */
static void report_open(struct ear_call_log *log, uint32_t number)
{
	struct call_log_open *open = &log->open[number];
	const struct ear_call_log_call *call = &log->ending[number];
	const uint64_t hart[] = {open->hart, open->records, call->number, open->ticks,
		open->timed + 2 * (uint64_t)call->xlen};
	const uint32_t below = reported_mark(log, open->below);
	const uint64_t tail[] = {open->hart, below, call->call_pc, call->entry};
	const uint64_t enter[] = {open->hart, open->position, call->kind, below, call->entry,
		call->call_pc, call->number};

	report(log, CALL_LOG_ROW_HART, hart);
	if (call->kind == EAR_CALL_LOG_TAIL) {
		report(log, CALL_LOG_ROW_TAIL, tail);
	} else {
		report(log, CALL_LOG_ROW_ENTER, enter);
		open->reported = ++log->marks;
	}
}

static void report_all_open(struct ear_call_log *log)
{
	size_t count;
	struct call_log_begun *begun = call_log_list_begun(log, &count);

	if (!begun)
		log->failed = EAR_E_NO_MEMORY;
	for (size_t i = 0; i < count; i++)
		report_open(log, begun[i].number);
	log->facts.calls -= count;
	for (size_t i = 0; i < log->hart_count; i++)
		log->harts[i].reported = UINT64_MAX;
	free(begun);
}

/* ---- The end. ---- */

void call_log_report_rest(struct ear_call_log *log)
{
	const uint64_t facts[] = {log->facts.records, log->facts.gaps, log->facts.pathless};

	if (log->own)
		report_all_open(log);
	report_harts(log);
	for (size_t i = 0; i < log->hart_count; i++) {
		const struct call_log_hart *hart = &log->harts[i];
		const uint64_t numbers[] = {hart->number, reported_mark(log, hart->mark),
			hart->range.pc, hart->range.first, hart->opcode};
		if (hart->records)
			report(log, CALL_LOG_ROW_LAST, numbers);
	}
	report(log, CALL_LOG_ROW_FACTS, facts);
}
