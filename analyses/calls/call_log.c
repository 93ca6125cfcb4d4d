/* Calls in the order of their begin. Frames come and go as ear_calls says; each has a mark, the
 * number of its call in a table of those that are open (call_log_open.c). A part only reports what
 * happened (call_log_report.h).
 */
#include "analyses/calls/call_log.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

#include "analyses/calls/call_log_open.h"
#include "analyses/calls/call_log_report.h"

#define WINDOW     EAR_CALL_LOG_WINDOW
#define HARTS_KEPT 256u /* whose registers are asked for at a moment */

/* The number of the record that entered the frame. */
static uint64_t number_of(
	const struct ear_call_log *log, const struct call_log_hart *hart, uint64_t position)
{
	return log->batch && position >= log->batch->position
		       ? log->batch->number + (position - log->batch->position)
		       : hart->last;
}

/* In a part with sums. */
static uint32_t begin_own(struct ear_call_log *log, const struct call_log_hart *hart,
	const struct ear_call_log_call *call, const struct ear_call_change *change)
{
	const uint32_t number = call_log_begin(log, hart, call, change->position);

	if (number == 0)
		return 0;
	log->open[number].below = change->below;
	return log->active + number;
}

static uint32_t entered(void *context, const struct ear_call_change *change)
{
	static const uint8_t kinds[] = {[EAR_FRAME_CALL] = EAR_CALL_LOG_CALL,
		[EAR_FRAME_TRAP] = EAR_CALL_LOG_TRAP,
		[EAR_FRAME_INTERRUPT] = EAR_CALL_LOG_INTERRUPT};
	struct ear_call_log *log = context;
	const struct call_log_hart *hart = call_log_hart(log, change->hart);

	if (!hart) {
		log->failed = EAR_E_NO_MEMORY;
		return 0;
	}
	struct ear_call_log_call call = {.hart = change->hart,
		.kind = kinds[change->frame.kind & 3],
		.xlen = hart->xlen,
		.number = number_of(log, hart, change->position),
		.entry = change->frame.entry,
		.call_pc = change->frame.call_pc};
	if (log->own && !log->starting)
		return begin_own(log, hart, &call, change);
	if (log->is_part)
		return call_log_report_begin(log, &call, change);
	call.depth = call_log_depth(log, change->below);
	return call_log_begin(log, hart, &call, change->position);
}

static void left(void *context, const struct ear_call_change *change)
{
	static const enum ear_call_log_end ends[] = {[EAR_CALL_RETURNED] = EAR_CALL_LOG_RETURNED,
		[EAR_CALL_UNWOUND] = EAR_CALL_LOG_UNWOUND,
		[EAR_CALL_FORGOTTEN] = EAR_CALL_LOG_FORGOTTEN};
	struct ear_call_log *log = context;
	struct call_log_hart *hart = call_log_hart(log, change->hart);

	if (!hart || change->mark == 0)
		return;
	if (hart->mark == change->mark)
		hart->mark = 0;
	if (call_log_reports(log, change->mark))
		call_log_report_end(log, change->hart, change->mark, ends[change->end]);
	else
		call_log_end(log, change->mark - log->active, hart, ends[change->end]);
}

/* ---- Records. ---- */

static void keep_register(struct call_log_hart *hart, const struct ear_record_register *reg)
{
	const unsigned number = reg->number - 10u;

	if (reg->reg_class == EAR_REGISTER_X && reg->number == 2) {
		hart->sp = reg->value;
		hart->sp_known = true;
	}
	if (number >= 8)
		return;
	if (reg->reg_class == EAR_REGISTER_X) {
		hart->registers.x[number] = reg->value;
		hart->registers.known |= 1u << number;
	} else if (reg->reg_class == EAR_REGISTER_F) {
		hart->registers.f[number] = reg->value;
		hart->registers.known |= 256u << number;
	}
}

static void take_record(struct ear_call_log *log, struct call_log_hart *hart, uint32_t mark,
	const struct ear_record *record)
{
	if (log->names && record->pc - hart->range.first > hart->range.last - hart->range.first)
		call_log_arrive(log, hart, mark, hart->range.pc, record->pc);
	hart->range.pc = record->pc;
	for (size_t i = 0; i < record->register_count; i++)
		keep_register(hart, &record->registers[i]);
	for (size_t i = 0; i < record->memory_count && log->recent; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (!access->masked && !access->aborted &&
			(access->write || ear_access_is_known(access)))
			ear_recent_memory_put(log->recent, access->address, access->size,
				access->value, ear_access_is_known(access));
	}
	hart->opcode =
		record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)
			? 0
			: (uint32_t)record->opcode;
	hart->timed = record->flags & EAR_RECORD_HAS_TIME;
	hart->ticks = record->ticks;
	hart->mark = mark;
	hart->records++;
}

static void take_run(struct ear_call_log *log, struct call_log_hart *hart, uint32_t mark,
	const struct ear_batch *batch, size_t first, size_t end)
{
	const struct ear_compact_record *compacts = batch->compacts;

	for (size_t i = first; i < end; i++) {
		const struct ear_compact_record *record = &compacts[i];
		if (log->names &&
			record->pc - hart->range.first > hart->range.last - hart->range.first) {
			if (i > first) {
				hart->last = batch->number + i - 1;
				hart->timed =
					i == 1 ? batch->run->first_timed : batch->run->all_timed;
				hart->ticks = batch->run->ticks + compacts[i - 1].ticks;
			}
			call_log_arrive(log, hart, mark, hart->range.pc, record->pc);
		}
		hart->range.pc = record->pc;
		if (record->rd - 10u < 8) {
			hart->registers.x[record->rd - 10u] = record->result;
			hart->registers.known |= 1u << (record->rd - 10u);
		} else if (record->rd == 2) {
			hart->sp = record->result;
			hart->sp_known = true;
		}
		if (log->recent && record->size != EAR_COMPACT_NO_ACCESS)
			ear_recent_memory_put(
				log->recent, record->address, record->size, record->data, true);
		hart->opcode = record->opcode;
		hart->mark = mark;
		hart->records++;
	}
	hart->timed = end == 1 ? batch->run->first_timed : batch->run->all_timed;
	hart->ticks = batch->run->ticks + compacts[end - 1].ticks;
}

/* ear_calls_take. */
static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	struct ear_call_log *log = context;
	struct call_log_hart *hart =
		call_log_hart(log, batch->run ? batch->run->hart : batch->record->hart);

	if (!hart)
		return EAR_E_NO_MEMORY;
	const uint32_t mark = path ? ear_calls_mark(log->calls, hart->number) : 0;
	hart->xlen = batch->run ? batch->run->xlen : batch->record->xlen;
	log->facts.records += count;
	log->facts.pathless += path ? 0 : count;
	if (batch->run)
		take_run(log, hart, mark, batch, first, first + count);
	else
		take_record(log, hart, mark, batch->record);
	hart->last = batch->number + first + count - 1;
	return log->failed;
}

/* ---- The whole. ---- */

/* take, of a part with sums. */
static int add_to_own(void *context, const struct ear_call_log_call *call)
{
	struct ear_call_log *log = context;
	const int result = ear_call_sum_add_apart(log->own, call);

	if (result == 1)
		call_log_report_call(log, call);
	return result == 1 ? log->failed : result;
}

static int make_own(struct ear_call_log *log)
{
	if (!log->is_part || !log->options.sums)
		return 0;
	log->options.by_end = true;
	log->options.take = add_to_own;
	log->options.context = log;
	return ear_call_sum_new(&log->own);
}

int ear_call_log_new(struct ear_call_log **log_out, struct ear_names *names,
	const struct ear_call_log_options *options)
{
	struct ear_call_log *log = calloc(1, sizeof(*log));

	if (!log)
		return EAR_E_NO_MEMORY;
	const struct ear_calls_watch watch = {
		.size = sizeof(watch), .entered = entered, .left = left, .context = log};
	/* By which calls a frame was reached is not asked for. */
	const struct ear_calls_options calls = {.size = sizeof(calls), .paths_max = 1};
	log->options = *options;
	log->names = names;
	log->is_part = options->part;
	log->ring = calloc(options->by_end || options->part ? 1 : WINDOW, sizeof(*log->ring));
	if (options->registers) {
		log->registers = calloc(2 * (size_t)WINDOW, sizeof(*log->registers));
		log->memory = calloc(WINDOW, sizeof(*log->memory));
		log->recent = calloc(1, sizeof(*log->recent));
	}
	if (!log->ring ||
		(options->registers && (!log->registers || !log->memory || !log->recent)) ||
		ear_calls_new(&log->calls, &calls) != 0 ||
		ear_calls_set_watch(log->calls, &watch) != 0 || make_own(log) != 0) {
		ear_call_log_free(log);
		return EAR_E_NO_MEMORY;
	}
	*log_out = log;
	return 0;
}

void ear_call_log_free(struct ear_call_log *log)
{
	if (!log)
		return;
	ear_calls_free(log->calls);
	free(log->harts);
	free(log->open);
	free(log->ending);
	free(log->ring);
	free(log->registers);
	free(log->memory);
	free(log->recent);
	ear_rows_fini(&log->rows);
	ear_part_frames_fini(&log->frames);
	ear_call_sum_free(log->own);
	free(log);
}

static int start_registers(struct ear_call_log *log, struct ear_moment *moment)
{
	for (uint16_t number = 0; number < HARTS_KEPT; number++) {
		struct ear_call_registers registers = {.known = 0};
		for (unsigned i = 0; i < 8; i++) {
			if (ear_moment_register(
				    moment, number, EAR_REGISTER_X, 10 + i, &registers.x[i]))
				registers.known |= 1u << i;
			if (ear_moment_register(
				    moment, number, EAR_REGISTER_F, 10 + i, &registers.f[i]))
				registers.known |= 256u << i;
		}
		uint64_t sp = 0;
		const bool has_sp = ear_moment_register(moment, number, EAR_REGISTER_X, 2, &sp);
		struct call_log_hart *hart = registers.known ? call_log_hart(log, number) : NULL;
		if (registers.known && !hart)
			return EAR_E_NO_MEMORY;
		if (hart)
			hart->registers = registers;
		if (hart && has_sp) {
			hart->sp = sp;
			hart->sp_known = true;
		}
	}
	return 0;
}

int ear_call_log_start(struct ear_call_log *log, struct ear_moment *moment)
{
	log->starting = true;
	int result = ear_calls_start(log->calls, moment, NULL);
	log->starting = false;
	log->active = log->own ? log->marks : 0;
	if (result == 0 && log->registers)
		result = start_registers(log, moment);
	return result ? result : log->failed;
}

void ear_call_log_skip(struct ear_call_log *log, bool skipped)
{
	log->skipped = skipped;
}

int ear_call_log_batch(struct ear_call_log *log, const struct ear_batch *batch)
{
	if (batch->record && batch->record->kind == EAR_RECORD_GAP) {
		log->facts.gaps++;
		for (size_t i = 0; i < log->hart_count; i++)
			log->harts[i].registers.known = log->harts[i].sp_known = 0;
		if (log->recent)
			ear_recent_memory_forget(log->recent);
	}
	log->batch = batch;
	int result = ear_calls_batch(log->calls, batch, take, log);
	log->batch = NULL;
	return result ? result : log->failed;
}

int ear_call_log_finish(struct ear_call_log *log)
{
	if (log->is_part)
		call_log_report_rest(log);
	else
		call_log_close(log);
	return log->failed;
}

struct ear_call_log_facts ear_call_log_facts(const struct ear_call_log *log)
{
	return log->facts;
}
