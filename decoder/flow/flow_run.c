/* The records of a branch trace.
 *
 * A run takes the records that have the same hart, privilege and XLEN. The time of a message is
 * that of one instruction, and a run has one time at its beginning: so an instruction with a time
 * begins a run.
 */
#include "decoder/flow/flow_run.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ear_flow_run_init(struct ear_flow_run *run)
{
	memset(run, 0, sizeof(*run));
	for (size_t i = 0; i < EAR_COMPACT_RUN_MAX; i++)
		run->compacts[i].size = EAR_COMPACT_NO_ACCESS;
}

static void begin(struct ear_flow_run *run, struct ear_flow_hart *hart, uint64_t offset)
{
	run->run = (struct ear_compact_run){
		.first_index = hart->index,
		.stream_offset = offset,
		.ticks = hart->timed ? hart->time : 0,
		.flags = hart->privilege_known ? 0 : EAR_RECORD_NO_PRIVILEGE,
		.hart = hart->hart,
		.xlen = hart->xlen,
		.privilege = hart->privilege_known ? hart->privilege : 0,
		.first_timed = hart->timed,
	};
	hart->timed = false;
}

bool ear_flow_run_open(struct ear_flow_run *run, struct ear_flow_hart *hart, uint64_t offset)
{
	if (run->has_record)
		return false;
	if (run->run.count == 0)
		begin(run, hart, offset);
	if (offset - run->run.stream_offset > UINT32_MAX)
		return false;
	run->offset = (uint32_t)(offset - run->run.stream_offset);
	bool known = !(run->run.flags & EAR_RECORD_NO_PRIVILEGE);
	return run->run.count < EAR_COMPACT_RUN_MAX && !hart->timed &&
	       run->run.hart == hart->hart && run->run.xlen == hart->xlen &&
	       known == hart->privilege_known && (!known || run->run.privilege == hart->privilege);
}

/* Begin the other record. The time waits for an instruction where it is none's own. */
static struct ear_record *begin_record(struct ear_flow_run *run, const struct ear_flow_hart *hart,
	enum ear_record_kind kind, uint64_t offset)
{
	assert(!run->has_record);
	run->has_record = true;
	run->extra = (struct ear_record_extra){0};
	run->record = (struct ear_record){
		.kind = (uint8_t)kind,
		.hart = hart->hart,
		.index = hart->index,
		.stream_offset = offset,
	};
	return &run->record;
}

static void take_time(struct ear_record *record, struct ear_flow_hart *hart)
{
	if (!hart->timed)
		return;
	record->flags |= EAR_RECORD_HAS_TIME;
	record->ticks = hart->time;
	hart->timed = false;
}

struct ear_record *ear_flow_run_trap(struct ear_flow_run *run, struct ear_flow_hart *hart,
	const struct ear_flow_instruction *instruction, uint64_t epc, uint64_t next_pc,
	uint32_t flags, uint64_t offset)
{
	struct ear_record *record = begin_record(run, hart, EAR_RECORD_INSTRUCTION, offset);

	record->flags = flags | (hart->privilege_known ? 0 : EAR_RECORD_NO_PRIVILEGE) |
			(instruction ? 0 : EAR_RECORD_NO_OPCODE);
	record->xlen = hart->xlen;
	record->privilege = hart->privilege_known ? hart->privilege : 0;
	record->pc = epc;
	record->next_pc = next_pc;
	if (instruction) {
		record->opcode = instruction->opcode;
		record->opcode_size = instruction->bits_size;
	}
	take_time(record, hart);
	hart->index++;
	return record;
}

struct ear_record *ear_flow_run_gap(struct ear_flow_run *run, const struct ear_flow_hart *hart,
	enum ear_gap_reason reason, uint64_t bytes, uint64_t offset)
{
	struct ear_record *record = begin_record(run, hart, EAR_RECORD_GAP, offset);

	record->u.gap = (struct ear_gap){
		.reason = reason, .skipped_bytes = bytes, .at_start = hart->index == 0};
	return record;
}

void ear_flow_run_no_code(struct ear_flow_run *run, const struct ear_flow_hart *hart,
	uint64_t address, uint64_t offset)
{
	ear_flow_run_gap(run, hart, EAR_GAP_NO_CODE, 0, offset)->u.gap.first = address;
}

void ear_flow_run_event(struct ear_flow_run *run, struct ear_flow_hart *hart, uint64_t offset,
	const char *format, ...)
{
	struct ear_record *record = begin_record(run, hart, EAR_RECORD_EVENT, offset);
	va_list arguments;

	va_start(arguments, format);
	int size = vsnprintf(run->text, sizeof(run->text), format, arguments);
	va_end(arguments);
	assert(size >= 0 && (size_t)size < sizeof(run->text));
	record->u.event.name = (struct ear_text){run->text, (size_t)size};
	take_time(record, hart);
}

void ear_flow_run_clear(struct ear_flow_run *run)
{
	run->run.count = 0;
	run->has_record = false;
	run->given = 0;
}

int ear_flow_run_next(struct ear_flow_run *run, const struct ear_record **record)
{
	if (run->given < run->run.count) {
		if (run->given == 0)
			ear_compact_run_begin(&run->expanded, &run->run);
		*record = ear_compact_run_get(
			&run->expanded, &run->run, &run->compacts[run->given], run->given);
		run->given++;
		return 1;
	}
	bool last = run->has_record;
	ear_flow_run_clear(run);
	if (last)
		*record = &run->record;
	return last;
}

int ear_flow_run_take(struct ear_flow_run *run, const struct ear_compact_run **compacts,
	const struct ear_record **record)
{
	const bool whole = run->given == 0 && run->run.count > 0;

	*compacts = whole ? &run->run : NULL;
	if (!whole)
		return ear_flow_run_next(run, record);
	run->given = run->run.count;
	return 1;
}
