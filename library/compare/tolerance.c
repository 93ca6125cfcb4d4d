/* Follows values that depend on tolerated reads.
 *
 * A register is marked if the two sides may rightly hold different values in it; the mark says
 * where that comes from. Two equal results clear a mark whatever they were made of, so as long as
 * the sides agree only the writes of a record are looked at, and no instruction is decoded. A pair
 * that differs is decoded once: what its marked inputs can reach is made equal in a copy of B's
 * record, and the comparison of records decides about the rest. So its rules are the same with and
 * without tolerance.
 */
#include "library/compare/tolerance.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "library/compare/tolerance_flow.h"
#include "library/compare/tolerance_marks.h"

struct ear_tolerance {
	struct ear_tolerance_sources sources;
	struct ear_followed *memory[2];
};

struct ear_tolerance_hart {
	struct ear_tolerance *tolerance;
	struct ear_marks sides[2];
	struct ear_decision last; /* of the pair passed last, if it went by a marked value */
	char *scratch;            /* for the copy of B's registers and accesses */
	size_t scratch_size;
	struct ear_tolerance_hart *probe; /* NULL: none was asked for yet */
	bool is_probe, any_load;
};

struct ear_tolerance *ear_tolerance_new(const struct ear_tolerance_options *options)
{
	struct ear_tolerance *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	assert(options->range_count <= EAR_TOLERANCE_RANGES_MAX);
	made->sources.options = *options;
	made->memory[0] = ear_followed_new();
	made->memory[1] = ear_followed_new();
	if (made->memory[0] && made->memory[1])
		return made;
	ear_tolerance_free(made);
	return NULL;
}

void ear_tolerance_free(struct ear_tolerance *tolerance)
{
	if (!tolerance)
		return;
	ear_followed_free(tolerance->memory[0]);
	ear_followed_free(tolerance->memory[1]);
	free(tolerance);
}

const struct ear_tolerance_source *ear_tolerance_source(
	const struct ear_tolerance *tolerance, size_t number)
{
	return number < tolerance->sources.count ? &tolerance->sources.list[number] : NULL;
}

uint64_t ear_tolerance_lost(const struct ear_tolerance *tolerance)
{
	return ear_followed_lost(tolerance->memory[0]) + ear_followed_lost(tolerance->memory[1]);
}

struct ear_tolerance_hart *ear_tolerance_hart_new(struct ear_tolerance *tolerance)
{
	struct ear_tolerance_hart *made = calloc(1, sizeof(*made));

	if (made)
		made->tolerance = tolerance;
	return made;
}

void ear_tolerance_hart_free(struct ear_tolerance_hart *hart)
{
	if (!hart)
		return;
	ear_tolerance_hart_free(hart->probe);
	free(hart->scratch);
	free(hart);
}

struct ear_tolerance_hart *ear_tolerance_probe(struct ear_tolerance_hart *hart, bool any_load)
{
	if (!hart->probe)
		hart->probe = ear_tolerance_hart_new(hart->tolerance);
	if (hart->probe) {
		hart->probe->is_probe = true;
		hart->probe->any_load = any_load;
		memcpy(hart->probe->sides, hart->sides, sizeof(hart->sides));
	}
	return hart->probe;
}

static void find_flow(const struct ear_tolerance_hart *hart, struct ear_flow *flow,
	const struct ear_record *a, const struct ear_record *b, const uint64_t numbers[2])
{
	const struct ear_flow_state state = {
		.sources = &hart->tolerance->sources,
		.memory = hart->tolerance->memory,
		.marks = hart->sides,
		.any_load = hart->any_load,
	};

	ear_flow_find(flow, &state, a, b, numbers);
}

/* Comparing -------------------------------------------------------------------------------- */

static void copy_register(struct ear_record_register *registers, const struct ear_record *a,
	const struct ear_record *b, enum ear_register_class reg_class, unsigned number)
{
	const struct ear_record_register *from = ear_flow_write(a, reg_class, number);
	const struct ear_record_register *to = ear_flow_write(b, reg_class, number);

	if (from && to)
		registers[to - b->registers].value = from->value;
}

static void copy_accesses(struct ear_record_access *accesses, const struct ear_record *a,
	const struct ear_record *b, bool write)
{
	const struct ear_record_access *from = ear_flow_access(a, write),
				       *to = ear_flow_access(b, write);

	if (from && to && from->address == to->address)
		accesses[to - b->memory].value = from->value;
}

/* B's record with A's values wherever the flow depends on tolerated reads. */
static void make_equal(const struct ear_flow *flow, struct ear_record *copy,
	struct ear_record_register *registers, struct ear_record_access *accesses)
{
	const struct ear_record *a = flow->records[0], *b = flow->records[1];
	const struct ear_inst *inst = &flow->inst;

	for (unsigned i = 0; i < inst->operand_count && ear_flow_depends(flow->result); i++)
		if (ear_flow_is_register(&inst->operands[i]) &&
			inst->operands[i].access & EAR_OPERAND_WRITE)
			for (unsigned at = 0; at < inst->operands[i].count; at++)
				copy_register(registers, a, b, ear_flow_class(&inst->operands[i]),
					((unsigned)inst->operands[i].value + at) & 31);
	if (ear_flow_depends(flow->result) && inst->kind == EAR_KIND_FP) {
		copy->fflags = a->fflags;
		copy_register(registers, a, b, EAR_REGISTER_CSR, EAR_CSR_FFLAGS);
		copy_register(registers, a, b, EAR_REGISTER_CSR, EAR_CSR_FCSR);
	}
	if (ear_flow_depends(flow->csr))
		copy_register(registers, a, b, EAR_REGISTER_CSR, inst->csr);
	if (ear_flow_depends(flow->result) && ear_flow_accesses_memory(inst))
		copy_accesses(accesses, a, b, false);
	if (ear_flow_depends(flow->store))
		copy_accesses(accesses, a, b, true);
}

static bool reserve(struct ear_tolerance_hart *hart, size_t size)
{
	if (size <= hart->scratch_size)
		return true;
	char *grown = realloc(hart->scratch, size);
	if (!grown)
		return false;
	hart->scratch = grown;
	hart->scratch_size = size;
	return true;
}

bool ear_tolerance_compare(struct ear_tolerance_hart *hart,
	struct ear_record_difference *difference, const struct ear_record *a,
	const struct ear_record *b, const struct ear_pair_comparison *how)
{
	static const uint64_t numbers[2] = {0, 0};
	struct ear_flow flow;

	if (how->same(how->context, difference, a, b))
		return true;
	find_flow(hart, &flow, a, b, numbers);
	if (!ear_flow_depends(flow.result) && !ear_flow_depends(flow.store) &&
		!ear_flow_depends(flow.csr))
		return false;
	size_t register_size = b->register_count * sizeof(*b->registers);
	size_t memory_size = b->memory_count * sizeof(*b->memory);
	if (!reserve(hart, register_size + memory_size + 1))
		return false;
	struct ear_record copy = *b;
	struct ear_record_register *registers = (struct ear_record_register *)(void *)hart->scratch;
	struct ear_record_access *accesses =
		(struct ear_record_access *)(void *)(hart->scratch + register_size);
	if (register_size)
		memcpy(registers, b->registers, register_size);
	if (memory_size)
		memcpy(accesses, b->memory, memory_size);
	copy.registers = registers;
	copy.memory = accesses;
	make_equal(&flow, &copy, registers, accesses);
	return how->same(how->context, difference, a, &copy);
}

/* Passing ---------------------------------------------------------------------------------- */

static void count_tolerated(
	struct ear_tolerance_hart *hart, const struct ear_origin origins[2], bool read)
{
	struct ear_tolerance *tolerance = hart->tolerance;
	uint32_t source = origins[0].source ? origins[0].source : origins[1].source;

	if (source == 0 || hart->is_probe)
		return;
	if (read)
		tolerance->sources.list[source - 1].reads++;
	else
		tolerance->sources.list[source - 1].values++;
}

/* A register was written on the sides that have a record: mark it where the values differ and
 * depend on tolerated reads. Returns whether they differ on both sides. */
static bool pass_register(struct ear_tolerance_hart *hart, const struct ear_flow *flow,
	enum ear_register_class reg_class, unsigned number, const struct ear_origin origins[2])
{
	const struct ear_record_register *writes[2];

	for (unsigned side = 0; side < 2; side++)
		writes[side] = ear_flow_write(flow->records[side], reg_class, number);
	bool differ = !writes[0] || !writes[1] || writes[0]->value != writes[1]->value;
	for (unsigned side = 0; side < 2; side++) {
		if (!flow->records[side])
			continue;
		struct ear_origin origin = differ ? origins[side] : (struct ear_origin){0};
		origin.has_value = writes[side] != NULL;
		origin.value = writes[side] ? writes[side]->value : 0;
		ear_marks_set(&hart->sides[side], reg_class, number, &origin);
	}
	return differ && writes[0] && writes[1];
}

static void pass_registers(struct ear_tolerance_hart *hart, const struct ear_flow *flow)
{
	const struct ear_inst *inst = &flow->inst;

	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct ear_operand *operand = &inst->operands[i];
		if (!(operand->access & EAR_OPERAND_WRITE))
			continue;
		for (unsigned at = 0; at < operand->count && ear_flow_is_register(operand); at++)
			if (pass_register(hart, flow, ear_flow_class(operand),
				    ((unsigned)operand->value + at) & 31, flow->result))
				count_tolerated(hart, flow->result, flow->read);
		if (operand->kind == EAR_OPERAND_CSR &&
			pass_register(hart, flow, EAR_REGISTER_CSR, inst->csr, flow->csr))
			count_tolerated(hart, flow->csr, false);
	}
	for (unsigned side = 0; side < 2 && inst->kind == EAR_KIND_FP; side++) {
		const struct ear_record *const *records = flow->records;
		bool differ =
			!records[0] || !records[1] || records[0]->fflags != records[1]->fflags;
		if (differ && records[side] && flow->result[side].source)
			ear_marks_set(&hart->sides[side], EAR_REGISTER_CSR, EAR_CSR_FFLAGS,
				&flow->result[side]);
	}
}

/* What is stored on a side. Bytes that are equal on both sides are not followed. */
static void pass_stores(struct ear_tolerance_hart *hart, const struct ear_flow *flow)
{
	const struct ear_record_access *single[2] = {
		ear_flow_access(flow->records[0], true), ear_flow_access(flow->records[1], true)};
	bool same = single[0] && single[1] && single[0]->has_value && single[1]->has_value &&
		    single[0]->value == single[1]->value;

	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record *record = flow->records[side];
		for (size_t i = 0; record && i < record->memory_count; i++) {
			const struct ear_record_access *access = &record->memory[i];
			unsigned size = ear_flow_access_size(access, &flow->inst);
			struct ear_origin origin = {0};
			if (!access->write || access->masked || size == 0)
				continue;
			if (access == single[side] && !same)
				origin = flow->store[side];
			origin.has_value = access->has_value;
			origin.value = access->value;
			ear_followed_store(
				hart->tolerance->memory[side], access->address, size, &origin);
		}
	}
	if (single[0] && single[1] && !same)
		count_tolerated(hart, flow->store, false);
}

/* Clear the marks of what a record writes: no tolerated read is in it, or it is set again. */
static void clear_writes(struct ear_marks *marks, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		ear_marks_clear(marks, record->registers[i].reg_class, record->registers[i].number);
}

static void pass_outcome(struct ear_tolerance_hart *hart, const struct ear_flow *flow)
{
	for (unsigned side = 0; side < 2; side++)
		if (flow->records[side])
			clear_writes(&hart->sides[side], flow->records[side]);
	if (flow->inst.kind != EAR_KIND_ILLEGAL)
		pass_registers(hart, flow);
	if (!hart->is_probe)
		pass_stores(hart, flow);
}

/* Do both records show the same values, written as far as they are known? */
static bool same_values(const struct ear_record *a, const struct ear_record *b, bool has_marks)
{
	if (a->register_count != b->register_count || a->memory_count != b->memory_count ||
		a->fflags != b->fflags)
		return false;
	for (size_t i = 0; i < a->register_count; i++)
		if (a->registers[i].reg_class != b->registers[i].reg_class ||
			a->registers[i].number != b->registers[i].number ||
			a->registers[i].value != b->registers[i].value)
			return false;
	for (size_t i = 0; i < a->memory_count; i++) {
		const struct ear_record_access *of_a = &a->memory[i], *of_b = &b->memory[i];
		bool known = of_a->has_value && of_b->has_value;
		if (of_a->write != of_b->write || of_a->address != of_b->address)
			return false;
		if (known ? of_a->value != of_b->value : of_a->write && has_marks)
			return false;
	}
	return true;
}

/* Both records wrote the same values. */
static void pass_same(struct ear_tolerance_hart *hart, const struct ear_record *const records[2])
{
	static const struct ear_origin none;

	for (unsigned side = 0; side < 2; side++) {
		const struct ear_record *record = records[side];
		struct ear_followed *memory = hart->tolerance->memory[side];
		if (ear_marks_any(&hart->sides[side]))
			clear_writes(&hart->sides[side], record);
		if (hart->is_probe || ear_followed_count(memory) == 0)
			continue;
		for (size_t i = 0; i < record->memory_count; i++)
			if (record->memory[i].write && record->memory[i].size - 1u < 8)
				ear_followed_store(memory, record->memory[i].address,
					record->memory[i].size, &none);
	}
}

/* Deciding --------------------------------------------------------------------------------- */

/* The mark of a register on either side, with the source and the records that read it. */
static bool describe(const struct ear_tolerance_hart *hart, struct ear_decision *decision,
	enum ear_register_class reg_class, unsigned number)
{
	const struct ear_origin *marks[2];

	for (unsigned side = 0; side < 2; side++)
		marks[side] = ear_marks_find(&hart->sides[side], reg_class, number);
	if (!marks[0] && !marks[1])
		return false;
	decision->reg_class = (uint8_t)reg_class;
	decision->number = (uint16_t)number;
	decision->source =
		hart->tolerance->sources.list[(marks[0] ? marks[0] : marks[1])->source - 1];
	for (unsigned side = 0; side < 2; side++)
		decision->records[side] =
			marks[side] ? marks[side]->record : EAR_DECISION_NO_RECORD;
	return true;
}

static bool describe_operand(const struct ear_tolerance_hart *hart, struct ear_decision *decision,
	const struct ear_inst *inst, unsigned place)
{
	unsigned number;

	for (unsigned side = 0; side < 2; side++)
		if (ear_flow_operand(&hart->sides[side], inst, place, &number))
			return describe(
				hart, decision, ear_flow_class(&inst->operands[place]), number);
	return false;
}

/* Where the instruction goes depends on a marked register. */
static bool goes_by_mark(const struct ear_tolerance_hart *hart, const struct ear_inst *inst,
	const struct ear_record *record, struct ear_decision *decision)
{
	*decision = (struct ear_decision){.kind = EAR_DECISION_JUMP, .pc = record->pc};
	if (inst->kind == EAR_KIND_SYSTEM)
		return (inst->opcode == EAR_OPCODE_MRET &&
			       describe(hart, decision, EAR_REGISTER_CSR, EAR_CSR_MEPC)) ||
		       (inst->opcode == EAR_OPCODE_SRET &&
			       describe(hart, decision, EAR_REGISTER_CSR, EAR_CSR_SEPC));
	if (inst->kind != EAR_KIND_BRANCH && inst->kind != EAR_KIND_JUMP)
		return false;
	if (inst->kind == EAR_KIND_BRANCH)
		decision->kind = EAR_DECISION_BRANCH;
	for (unsigned place = 0; place < inst->operand_count; place++)
		if (describe_operand(hart, decision, inst, place))
			return true;
	return false;
}

bool ear_tolerance_decided(const struct ear_tolerance_hart *hart, const struct ear_record *a,
	const struct ear_record *b, const struct ear_record_difference *difference,
	struct ear_decision *decision)
{
	struct ear_inst inst;
	struct ear_record executed = *a;

	*decision = (struct ear_decision){0};
	if (!ear_marks_any(&hart->sides[0]) && !ear_marks_any(&hart->sides[1]))
		return false;
	if (difference->field == EAR_COMPARE_TRAP || difference->field == EAR_COMPARE_ADDRESS)
		executed.flags &= ~(uint32_t)EAR_RECORD_TRAP;
	if (a->opcode != b->opcode || !ear_flow_decode(&inst, &executed))
		return false;
	if (difference->field == EAR_COMPARE_TARGET && goes_by_mark(hart, &inst, a, decision))
		return true;
	*decision = (struct ear_decision){.kind = EAR_DECISION_ADDRESS, .pc = a->pc};
	if ((difference->field == EAR_COMPARE_TRAP || difference->field == EAR_COMPARE_ADDRESS) &&
		(ear_flow_accesses_memory(&inst) || inst.kind == EAR_KIND_CACHE) &&
		describe_operand(hart, decision, &inst, ear_flow_base(&inst)))
		return true;
	*decision = (struct ear_decision){0};
	return false;
}

bool ear_tolerance_decided_before(
	const struct ear_tolerance_hart *hart, struct ear_decision *decision)
{
	*decision = hart->last;
	return decision->kind != EAR_DECISION_NONE;
}

/* Can the opcode be a branch, a jump or an xRET? */
static bool may_jump(uint64_t opcode)
{
	if (ear_opcode_is_compressed(opcode))
		return (opcode & 3) == 1 ? (opcode >> 13 & 7) != 0 : (opcode >> 13 & 7) - 4 < 2;
	unsigned major = ear_opcode_major(opcode);
	return major == EAR_OPCODE_BRANCH || major == EAR_OPCODE_JALR || major == EAR_OPCODE_SYSTEM;
}

/* A branch or jump by a marked register, for the case that the sides go apart after it. */
static void remember_decision(struct ear_tolerance_hart *hart, const struct ear_record *record)
{
	struct ear_inst inst;

	hart->last.kind = EAR_DECISION_NONE;
	if (!ear_marks_any(&hart->sides[0]) && !ear_marks_any(&hart->sides[1]))
		return;
	if (!may_jump(record->opcode) || !ear_flow_decode(&inst, record) ||
		!goes_by_mark(hart, &inst, record, &hart->last))
		hart->last.kind = EAR_DECISION_NONE;
}

void ear_tolerance_pass_pair(struct ear_tolerance_hart *hart, const struct ear_record *a,
	const struct ear_record *b, const uint64_t numbers[2])
{
	struct ear_flow flow;

	remember_decision(hart, a);
	bool has_marks = ear_marks_any(&hart->sides[0]) || ear_marks_any(&hart->sides[1]);
	if (same_values(a, b, has_marks)) {
		pass_same(hart, (const struct ear_record *const[]){a, b});
		return;
	}
	find_flow(hart, &flow, a, b, numbers);
	pass_outcome(hart, &flow);
}

void ear_tolerance_pass(struct ear_tolerance_hart *hart, unsigned side,
	const struct ear_record *record, uint64_t number)
{
	struct ear_flow flow;
	const uint64_t numbers[2] = {number, number};

	hart->last.kind = EAR_DECISION_NONE;
	if (record->kind == EAR_RECORD_GAP) {
		hart->sides[side].x_set = hart->sides[side].f_set = 0;
		hart->sides[side].csr_count = 0;
		ear_followed_clear(hart->tolerance->memory[side]);
		return;
	}
	find_flow(hart, &flow, side == 0 ? record : NULL, side == 1 ? record : NULL, numbers);
	pass_outcome(hart, &flow);
}
