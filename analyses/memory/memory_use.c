/* What a run did with memory. A page that is touched has bitmaps of its bytes, found by a small
 * cache before the table; counts by symbol are in ranges of addresses, found likewise. So an access
 * is two look-ups and a few additions.
 */
#include "analyses/memory/memory_part.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define CAUSE_LOAD  4u /* misaligned */
#define CAUSE_STORE 6u
#define CSR_MTVAL   0x343u
#define CSR_STVAL   0x143u

/* ---- Instructions. ---- */

static void execute_fresh(
	struct ear_usage *memory, struct memory_bits *bits, const struct memory_step *step)
{
	const unsigned offset = step->pc % EAR_USAGE_PAGE;
	const struct memory_access access = {
		.address = step->pc, .pc = step->pc, .has_pc = true, .hart = step->hart};

	bool is_written = false;

	bits->is_executed = true;
	for (unsigned i = offset; i < offset + step->size && i < EAR_USAGE_PAGE; i++)
		is_written |= bits->written[i / 64] >> i % 64 & 1;
	if (memory->part) {
		struct memory_access run = access;
		run.size = step->size;
		if (!(memory_part_bits(bits)->known_executed[offset / 128] >> offset / 2 % 64 & 1))
			ear_usage_add_open(memory,
				&(struct memory_open_access){&run, is_written, 0, MEMORY_OPEN_RUN});
	} else if (is_written) {
		ear_usage_blame(memory, EAR_USAGE_RUN_WRITTEN, &access, step->size);
	}
}

static inline void execute(struct ear_usage *memory, const struct memory_step *step)
{
	const uint64_t page = step->pc & ~(uint64_t)(EAR_USAGE_PAGE - 1);
	const unsigned half = step->pc / 2 % (EAR_USAGE_PAGE / 2);

	if (memory->code_page != page || !memory->code_bits) {
		const uint32_t number = memory_page(memory, page);
		memory->code_page = page;
		memory->code_bits = number == NONE ? NULL : memory->bits[number];
		if (!memory->code_bits)
			return;
	}
	struct memory_bits *bits = memory->code_bits;
	if (!(bits->executed[half / 64] >> half % 64 & 1)) {
		execute_fresh(memory, bits, step);
		bits->executed[half / 64] |= UINT64_C(1) << half % 64;
	}
	if (step->size > 2 && half + 1 < EAR_USAGE_PAGE / 2)
		bits->executed[(half + 1) / 64] |= UINT64_C(1) << (half + 1) % 64;
}

/* Room for its number. */
static bool grow_harts(struct ear_usage *memory, uint16_t number)
{
	void *grown = realloc(memory->harts, (number + UINT32_C(1)) * sizeof(struct memory_hart *));

	if (!grown)
		return false;
	memory->harts = grown;
	while (memory->hart_count <= number)
		memory->harts[memory->hart_count++] = NULL;
	return true;
}

struct memory_hart *ear_usage_hart(struct ear_usage *memory, uint16_t number)
{
	if (number < memory->hart_count && memory->harts[number])
		return memory->harts[number];
	struct memory_hart *hart = calloc(1, sizeof(*hart));
	if (!hart || (number >= memory->hart_count && !grow_harts(memory, number))) {
		free(hart);
		memory->failed = true;
		return NULL;
	}
	hart->stack = NONE;
	hart->number = number;
	memory->harts[number] = hart;
	if (memory->part)
		ear_usage_part_hart(memory, hart);
	return hart;
}

static inline void take_step(
	struct ear_usage *memory, struct memory_hart *hart, const struct memory_step *step)
{
	if (!memory->options.physical)
		execute(memory, step);
	/* At the entry of a function, before it does anything; and after it returned. */
	if (memory->call_count > 0 || hart->is_at_top || ear_usage_heap_wants(memory, step->pc))
		ear_usage_heap_step(memory, hart, step);
	if (step->rd == 0)
		return;
	hart->x[step->rd] = step->result;
	hart->known |= 1u << step->rd;
	if (step->rd == 2)
		ear_usage_sp(memory, hart, step);
}

static void check_begin(struct ear_usage *memory, uint64_t pc)
{
	const struct ear_names *names = memory->options.names;
	bool found = false;

	memory->started = true;
	memory->facts.begin = memory->number;
	ear_usage_set_step_end(memory);
	ear_usage_begin_intervals(memory);
	if (memory->part)
		ear_usage_part_first(memory);
	for (size_t i = 0; names && i < ear_names_file_count(names); i++) {
		const struct ear_names_file *file = ear_names_file(names, i);
		found |= file->entry + file->offset == pc;
	}
	memory->facts.late = memory->facts.has_image && !found;
}

static void take_run(struct ear_usage *memory, const struct ear_batch *batch)
{
	const struct ear_compact_run *run = batch->run;
	struct memory_hart *hart = ear_usage_hart(memory, run->hart);
	struct memory_step step = {.hart = run->hart, .riscv = true};

	if (!hart)
		return;
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_compact_record *compact = &batch->compacts[i];
		memory->number = batch->number + i;
		memory_advance(memory);
		step.pc = compact->pc;
		step.result = compact->result;
		step.opcode = compact->opcode;
		step.size = compact->opcode_size;
		step.rd = compact->rd & 31;
		take_step(memory, hart, &step);
		if (compact->size == EAR_COMPACT_NO_ACCESS)
			continue;
		if (memory->options.physical) {
			memory->facts.unphysical++;
			continue;
		}
		const struct memory_access access = {compact->address, compact->pc, run->hart,
			compact->size, compact->flags & EAR_COMPACT_WRITE, true};
		hart->is_accessing |= !memory->muted;
		ear_usage_access(memory, &access);
		if (access.write && (memory->call_count | memory->stores_left) > 0)
			ear_usage_heap_store(memory, run->hart, compact->address, compact->data);
	}
	memory->seen += batch->count;
	memory->facts.records += memory->muted ? 0 : batch->count;
}

/* An access that was misaligned and trapped touched nothing. */
static void take_trap(struct ear_usage *memory, const struct ear_record *record)
{
	struct memory_access access = {.pc = record->pc, .hart = record->hart, .has_pc = true};
	bool has_address = false;

	if (record->isa != EAR_ISA_RISCV || record->flags & EAR_RECORD_NO_CAUSE ||
		(record->cause != CAUSE_LOAD && record->cause != CAUSE_STORE))
		return;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_CSR &&
			(reg->number == CSR_MTVAL || reg->number == CSR_STVAL)) {
			access.address = reg->value;
			has_address = true;
		}
	}
	if (record->memory_count > 0 && !has_address) {
		access.address = record->memory[0].address;
		has_address = true;
	}
	struct ear_usage_site *site = ear_usage_blame(memory, EAR_USAGE_MISALIGNED, &access, 0);
	if (site) {
		site->trapped++;
		if (site->count == 1)
			site->has_address = has_address;
	}
}

static void take_accesses(
	struct ear_usage *memory, struct memory_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *from = &record->memory[i];
		struct memory_access access = {from->address, record->pc, record->hart, from->size,
			from->write, record->kind == EAR_RECORD_INSTRUCTION};
		if (from->masked || from->aborted || from->attributes & EAR_BUS_OPCODE)
			continue;
		if (memory->options.physical && !from->has_physical) {
			memory->facts.unphysical++;
			continue;
		}
		if (memory->options.physical)
			access.address = from->physical;
		if (!access.has_pc)
			access.pc = 0;
		hart->is_accessing |= !memory->muted;
		ear_usage_access(memory, &access);
		if (from->write && from->has_value &&
			(memory->call_count | memory->stores_left) > 0)
			ear_usage_heap_store(memory, record->hart, from->address, from->value);
	}
}

static void take_instruction(
	struct ear_usage *memory, struct memory_hart *hart, const struct ear_record *record)
{
	struct memory_step step = {
		.pc = record->pc,
		.opcode = (uint32_t)record->opcode,
		.hart = record->hart,
		.size = record->opcode_size,
		.riscv = record->isa == EAR_ISA_RISCV,
	};

	memory_advance(memory);
	memory->seen++;
	memory->facts.records += !memory->muted;
	memory->facts.other_isa |= !step.riscv;
	if (record->flags & EAR_RECORD_INTERRUPT)
		return;
	if (record->flags & EAR_RECORD_TRAP) {
		take_trap(memory, record);
		return;
	}
	if (record->flags & EAR_RECORD_NO_OPCODE)
		step.opcode = 0;
	if (step.size == 0)
		step.size = 2;
	for (size_t i = 0; i < record->register_count && step.riscv; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_X || reg->number > 31)
			continue;
		step.rd = (uint8_t)reg->number;
		step.result = reg->value;
		break;
	}
	take_step(memory, hart, &step);
	take_accesses(memory, hart, record);
}

void ear_usage_gap(struct ear_usage *memory)
{
	if (memory->facts.gaps++ == 0)
		memory->facts.first_gap = memory->number;
	memory->call_count = 0;
	if (memory->part)
		ear_usage_report_gap(memory);
	for (uint32_t i = 0; i < memory->hart_count; i++)
		if (memory->harts[i]) {
			memory->harts[i]->known = 0;
			memory->harts[i]->stack = NONE;
		}
}

int ear_usage_batch(void *count, const struct ear_batch *batch)
{
	const uint32_t odd = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE;
	struct ear_usage *memory = count;

	memory->number = batch->number;
	if (!memory->started && (!batch->record || batch->record->kind == EAR_RECORD_INSTRUCTION))
		check_begin(memory, ear_batch_record(batch, 0)->pc);
	if (!batch->record && !(batch->run->flags & odd)) {
		take_run(memory, batch);
		return memory->failed ? EAR_E_NO_MEMORY : 0;
	}
	for (size_t i = 0; i < batch->count; i++) {
		const struct ear_record *record = ear_batch_record(batch, i);
		struct memory_hart *hart = ear_usage_hart(memory, record->hart);
		memory->number = batch->number + i;
		if (!hart)
			break;
		switch (record->kind) {
		case EAR_RECORD_INSTRUCTION: take_instruction(memory, hart, record); break;
		case EAR_RECORD_GAP: ear_usage_gap(memory); break;
		case EAR_RECORD_MEMORY: take_accesses(memory, hart, record); break;
		default: break;
		}
	}
	return memory->failed ? EAR_E_NO_MEMORY : 0;
}
