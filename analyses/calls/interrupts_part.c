/* Parts: a part reports the records that may change something, and who joins follows them as if it
 * had read them. These are traps, first records of handlers, SYSTEM instructions, values of mstatus
 * and sstatus, changes of privilege, the first record of a hart, and the one after each of these.
 * What a CSR instruction reads from a register that the part has not written is what the hart has
 * there at the end of the part before.
 */
#include "analyses/calls/interrupts_private.h"

#include <earshot/error.h>

#define STATUS_MAX 255u /* values of mstatus and sstatus of a record */

enum row {
	ROW_MOMENT, /* hart, number, pc, ticks, 2 * its records in the part + timed */
	ROW_STATUS, /* hart, 1: mstatus, 0: sstatus, value: of the record that follows */
	ROW_RECORD, /* hart, number, pc, ticks, flags, privilege, xlen, opcode, cause, known, value:
		     * what the register has that the instruction reads */
	ROW_GAP,    /* nothing */
	ROW_EVENT,  /* ticks: of one that was asked for */
	ROW_X,      /* hart, register, value: at the end */
	ROW_FACTS,  /* records */
	ROW_KINDS
};

static const uint8_t sizes[ROW_KINDS] = {5, 3, 11, 0, 1, 3, 1};

static int report(struct ear_interrupts *interrupts, enum row row, const uint64_t *numbers)
{
	return ear_rows_add(&interrupts->rows, row, numbers, sizes[row]) ? 0 : EAR_E_NO_MEMORY;
}

/* ---- Reporting. ---- */

static int report_moment(struct ear_interrupts *interrupts, const struct ear_interrupts_hart *hart)
{
	const struct ear_interrupts_moment *last = &hart->last;
	const uint64_t numbers[] = {
		hart->number, last->number, last->pc, last->ticks, 2 * last->records + last->timed};

	return hart->begun && !hart->reported ? report(interrupts, ROW_MOMENT, numbers) : 0;
}

static int report_status(struct ear_interrupts *interrupts, const struct ear_record *record)
{
	int result = 0;

	for (size_t i = 0; i < record->register_count && result == 0; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		const uint64_t numbers[] = {record->hart, reg->number == CSR_MSTATUS, reg->value};
		if (reg->reg_class == EAR_REGISTER_CSR &&
			(reg->number == CSR_MSTATUS || reg->number == CSR_SSTATUS))
			result = report(interrupts, ROW_STATUS, numbers);
	}
	return result;
}

static int report_record(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_record *record, uint64_t number)
{
	const bool no_opcode = record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_OPCODE;
	const unsigned source = record->opcode >> 15 & 31;
	const bool known = hart->x_known >> source & 1;
	const uint64_t numbers[] = {hart->number, number, record->pc, record->ticks,
		record->flags | (no_opcode ? EAR_RECORD_NO_OPCODE : 0u), record->privilege,
		record->xlen, no_opcode ? 0 : record->opcode, record->cause, known,
		known ? hart->x[source] : 0};

	int result = report_moment(interrupts, hart);
	if (result == 0)
		result = report_status(interrupts, record);
	return result ? result : report(interrupts, ROW_RECORD, numbers);
}

static bool is_system(const struct ear_record *record)
{
	return record->isa == EAR_ISA_RISCV && !(record->flags & EAR_RECORD_NO_OPCODE) &&
	       (record->opcode & 0x7f) == 0x73;
}

static bool has_status(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			(record->registers[i].number == CSR_MSTATUS ||
				record->registers[i].number == CSR_SSTATUS))
			return true;
	return false;
}

static void keep_x(struct ear_interrupts_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_X || reg->number == 0 || reg->number > 31)
			continue;
		hart->x[reg->number] = reg->value;
		hart->x_known |= 1u << reg->number;
	}
}

static uint8_t privilege_of(uint32_t flags, uint8_t privilege)
{
	return flags & EAR_RECORD_NO_PRIVILEGE ? EAR_PRIVILEGE_M : privilege;
}

static int follow(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_record *record, uint64_t number)
{
	const uint8_t privilege = privilege_of(record->flags, record->privilege);
	const bool changes =
		record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_HANDLER) ||
		is_system(record) || has_status(record);
	const bool reported =
		changes || hart->followed || !hart->begun || privilege != hart->privilege;
	const int result = reported ? report_record(interrupts, hart, record, number) : 0;

	hart->privilege = privilege;
	hart->followed = changes;
	hart->reported = reported;
	hart->begun = true;
	hart->last = (struct ear_interrupts_moment){.number = number,
		.pc = record->pc,
		.ticks = record->ticks,
		.records = hart->last.records + 1,
		.timed = record->flags & EAR_RECORD_HAS_TIME};
	keep_x(hart, record);
	return result;
}

static bool is_system_opcode(const struct ear_batch *batch, size_t i)
{
	return (batch->compacts[i].opcode & 0x7f) == 0x73;
}

/* Records of a run, from this one to the next SYSTEM instruction, that change nothing. Returns how
 * far that is. */
static size_t pass(struct ear_interrupts_hart *hart, const struct ear_batch *batch, size_t from)
{
	const struct ear_compact_run *run = batch->run;
	uint32_t written = 0;
	size_t i = from;

	do {
		const struct ear_compact_record *record = &batch->compacts[i];
		hart->x[record->rd & 31] = record->rd ? record->result : 0;
		written |= 1u << (record->rd & 31);
	} while (++i < batch->count && !is_system_opcode(batch, i));
	hart->x_known |= written;
	hart->reported = false;
	hart->last = (struct ear_interrupts_moment){.number = batch->number + i - 1,
		.pc = batch->compacts[i - 1].pc,
		.ticks = run->ticks + batch->compacts[i - 1].ticks,
		.records = hart->last.records + (i - from),
		.timed = i == 1 ? run->first_timed : run->all_timed};
	return i;
}

static int follow_run(struct ear_interrupts *interrupts, struct ear_interrupts_hart *hart,
	const struct ear_batch *batch)
{
	const struct ear_compact_run *run = batch->run;
	const bool notable =
		run->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_HANDLER);
	int result = 0;

	for (size_t i = 0; i < batch->count && result == 0;) {
		if (notable || hart->followed || !hart->begun || is_system_opcode(batch, i) ||
			privilege_of(run->flags, run->privilege) != hart->privilege) {
			result = follow(
				interrupts, hart, ear_batch_record(batch, i), batch->number + i);
			i++;
		} else {
			i = pass(hart, batch, i);
		}
	}
	return result;
}

static int report_other(struct ear_interrupts *interrupts, const struct ear_record *record)
{
	if (ear_interrupts_is_event(interrupts, record))
		return report(interrupts, ROW_EVENT, &record->ticks);
	if (record->kind != EAR_RECORD_GAP)
		return 0;
	for (size_t i = 0; i < interrupts->hart_count; i++)
		ear_interrupts_forget(interrupts->harts[i]);
	return report(interrupts, ROW_GAP, &record->ticks);
}

static int report_batch(struct ear_interrupts *interrupts, const struct ear_batch *batch)
{
	struct ear_interrupts_hart *hart;

	if (batch->record && batch->record->kind != EAR_RECORD_INSTRUCTION)
		return report_other(interrupts, batch->record);
	const int result = ear_interrupts_hart_of(
		interrupts, batch->run ? batch->run->hart : batch->record->hart, &hart);
	if (result)
		return result;
	interrupts->facts.records += batch->count;
	return batch->run ? follow_run(interrupts, hart, batch)
			  : follow(interrupts, hart, batch->record, batch->number);
}

void ear_interrupts_open(struct ear_interrupts *interrupts)
{
	interrupts->take_batch = report_batch;
}

int ear_interrupts_end(struct ear_interrupts *interrupts)
{
	int result = 0;

	for (size_t i = 0; i < interrupts->hart_count; i++) {
		const struct ear_interrupts_hart *hart = interrupts->harts[i];
		if (result == 0)
			result = report_moment(interrupts, hart);
		for (unsigned x = 1; x < 32 && result == 0; x++) {
			const uint64_t numbers[] = {hart->number, x, hart->x[x]};
			if (hart->x_known >> x & 1)
				result = report(interrupts, ROW_X, numbers);
		}
	}
	return result ? result : report(interrupts, ROW_FACTS, &interrupts->facts.records);
}

/* ---- Joining. ---- */

struct join {
	struct ear_interrupts *sum;
	struct ear_record_register status[STATUS_MAX]; /* of the record that follows */
	unsigned status_count;
};

static int join_record(struct join *join, struct ear_interrupts_hart *hart, const uint64_t *numbers)
{
	const unsigned source = numbers[7] >> 15 & 31;
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.hart = hart->number,
		.pc = numbers[2],
		.ticks = numbers[3],
		.flags = (uint32_t)numbers[4],
		.privilege = (uint8_t)numbers[5],
		.xlen = (uint8_t)numbers[6],
		.opcode = numbers[7],
		.cause = numbers[8],
		.isa = EAR_ISA_RISCV,
		.registers = join->status,
		.register_count = join->status_count};

	if (numbers[9] && source > 0) {
		hart->x[source] = numbers[10];
		hart->x_known |= 1u << source;
	}
	ear_interrupts_take(join->sum, hart, &record, numbers[1]);
	join->status_count = 0;
	return 0;
}

static int join_status(struct join *join, const uint64_t *numbers)
{
	if (join->status_count == STATUS_MAX)
		return EAR_E_BAD_FILE;
	join->status[join->status_count++] =
		(struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
			.number = numbers[1] ? CSR_MSTATUS : CSR_SSTATUS,
			.value = numbers[2]};
	return 0;
}

static void join_moment(struct ear_interrupts_hart *hart, const uint64_t *numbers)
{
	hart->begun = true;
	hart->last = (struct ear_interrupts_moment){.number = numbers[1],
		.pc = numbers[2],
		.ticks = numbers[3],
		.records = hart->base + numbers[4] / 2,
		.timed = numbers[4] & 1};
}

/* Of a hart. */
static int join_row(struct join *join, enum row row, const uint64_t *numbers)
{
	struct ear_interrupts_hart *hart;

	if (numbers[0] > UINT16_MAX)
		return EAR_E_BAD_FILE;
	const int result = ear_interrupts_hart_of(join->sum, (uint16_t)numbers[0], &hart);
	if (result)
		return result;
	switch (row) {
	case ROW_MOMENT: join_moment(hart, numbers); return 0;
	case ROW_STATUS: return join_status(join, numbers);
	case ROW_RECORD: return join_record(join, hart, numbers);
	default: break;
	}
	if (numbers[1] == 0 || numbers[1] > 31)
		return EAR_E_BAD_FILE;
	hart->x[numbers[1]] = numbers[2];
	hart->x_known |= 1u << numbers[1];
	return 0;
}

static int take_row(struct join *join, unsigned row, const uint64_t *numbers)
{
	const struct ear_record gap = {.kind = EAR_RECORD_GAP};
	struct ear_interrupts *sum = join->sum;

	switch (row) {
	case ROW_GAP: ear_interrupts_take_other(sum, &gap); return 0;
	case ROW_EVENT:
		sum->has_event = true;
		sum->event_ticks = numbers[0];
		return 0;
	case ROW_FACTS: sum->facts.records += numbers[0]; return 0;
	default: return join_row(join, (enum row)row, numbers);
	}
}

int ear_interrupts_join(struct ear_interrupts *interrupts, struct ear_interrupts *part)
{
	struct join join = {.sum = interrupts};
	uint64_t numbers[EAR_ROWS_NUMBERS] = {0};
	unsigned row, count;
	int result = 0;

	for (size_t i = 0; i < interrupts->hart_count; i++)
		interrupts->harts[i]->base = interrupts->harts[i]->last.records;
	ear_rows_rewind(&part->rows);
	while (result == 0 && ear_rows_next(&part->rows, &row, numbers, &count))
		result = row < ROW_KINDS && count == sizes[row] ? take_row(&join, row, numbers)
								: EAR_E_BAD_FILE;
	return result;
}
