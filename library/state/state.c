/* What every register of every hart holds, from what the records write.
 *
 * A register is known from its first write on. Where a record may have changed one that it does not
 * list, that register becomes unknown: after a gap all of them, after an instruction whose result
 * is not listed its destination, after a trap without listed CSR writes the CSRs of traps
 * (state_csr.c). A value is never guessed.
 *
 * Most records of a compact run only write one x register; a table of the opcodes says which. The
 * others take the way of single records.
 */
#include "library/state/state.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decoder/isa/opcode.h"
#include "decoder/isa/plain_opcode.h"
#include "library/state/state_private.h"

static int make_state(struct ear_state **state, bool part)
{
	struct ear_state *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->initial.x_known = 1; /* x0 */
	made->part = part;
	made->source.shows_fflags = true;
	ear_hart_settle(&made->initial, !part);
	*state = made;
	return 0;
}

int ear_state_new(struct ear_state **state)
{
	return make_state(state, false);
}

int ear_state_new_part(struct ear_state **state)
{
	return make_state(state, true);
}

void ear_state_free(struct ear_state *state)
{
	if (!state)
		return;
	for (size_t i = 0; i < state->hart_capacity; i++) {
		if (!state->harts[i])
			continue;
		ear_hart_free(state->harts[i]);
		free(state->harts[i]);
	}
	free(state->harts);
	ear_hart_free(&state->initial);
	free(state);
}

void ear_state_set_source(struct ear_state *state, const struct ear_state_source *source)
{
	state->source = *source;
	state->follows = true;
}

int ear_state_add(struct ear_state *state, uint16_t number, struct ear_hart *hart)
{
	const size_t end = state->hart_capacity;

	if (!EAR_ARRAY_RESERVE(state->harts, &state->hart_capacity, number + 1u))
		return EAR_E_NO_MEMORY;
	memset(state->harts + end, 0, (state->hart_capacity - end) * sizeof(*state->harts));
	state->harts[number] = hart;
	state->hart_count++;
	return 0;
}

/* The hart, which begins with the initial state when it is seen first. */
int ear_state_reach(struct ear_state *state, uint16_t number, struct ear_hart **hart)
{
	*hart = ear_state_find(state, number);
	if (*hart)
		return 0;
	if (state->hart_count == EAR_STATE_HARTS_MAX)
		return EAR_E_FULL;
	struct ear_hart *made = malloc(sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	if (ear_hart_copy(made, &state->initial) || ear_state_add(state, number, made)) {
		ear_hart_free(made);
		free(made);
		return EAR_E_NO_MEMORY;
	}
	made->expected.hart = number;
	*hart = made;
	return 0;
}

static int copy_hart(struct ear_state *state, uint16_t number, const struct ear_hart *hart)
{
	struct ear_hart *made = calloc(1, sizeof(*made));

	if (!made || ear_state_add(state, number, made)) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	return ear_hart_copy(made, hart);
}

int ear_state_clone(struct ear_state **clone, const struct ear_state *state)
{
	struct ear_state *made = malloc(sizeof(*made));
	int result = made ? 0 : EAR_E_NO_MEMORY;

	if (result)
		return result;
	*made = *state;
	made->harts = NULL;
	made->hart_capacity = 0;
	made->hart_count = 0;
	result = ear_hart_copy(&made->initial, &state->initial);
	for (size_t i = 0; i < state->hart_capacity && !result; i++)
		if (state->harts[i])
			result = copy_hart(made, (uint16_t)i, state->harts[i]);
	if (result)
		ear_state_free(made);
	else
		*clone = made;
	return result;
}

/* What the source says that was read, was there. */
static void learn_reads(struct ear_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; record->extra && i < record->extra->read_count; i++) {
		const struct ear_record_register *reg = &record->extra->reads[i];
		if (reg->reg_class == EAR_REGISTER_X || reg->reg_class == EAR_REGISTER_F)
			ear_hart_set(hart, reg->reg_class, reg->number, reg->value);
		else if (reg->reg_class == EAR_REGISTER_CSR &&
			 !ear_csr_is_ambiguous(reg->number, record))
			ear_hart_write_csr(hart, reg->number, reg->value);
	}
}

/* csrrs x5, mcycle, x0: what rd got is what the CSR held. */
static void find_csr(const struct ear_hart *hart, struct ear_step *step)
{
	const struct ear_record *record = step->record;
	unsigned rd = (unsigned)record->opcode >> 7 & 31;

	if (step->inst.kind != EAR_KIND_CSR)
		return;
	step->csr_known = ear_hart_get(hart, EAR_REGISTER_CSR, step->inst.csr, &step->csr);
	for (size_t i = 0; i < record->register_count && !(record->flags & EAR_RECORD_TRAP); i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_X && reg->number == rd && rd != 0) {
			step->csr_known = true;
			step->csr = reg->value;
		}
	}
}

static void apply(struct ear_hart *hart, const struct ear_record_register *reg,
	const struct ear_record *record)
{
	struct ear_text name = {reg->text.name, reg->text_size};

	switch ((enum ear_register_class)reg->reg_class) {
	case EAR_REGISTER_X:
	case EAR_REGISTER_F: ear_hart_set(hart, reg->reg_class, reg->number, reg->value); break;
	case EAR_REGISTER_CSR: ear_hart_write_csr(hart, reg->number, reg->value); break;
	case EAR_REGISTER_V:
		ear_hart_set_vector(hart, reg->number, reg->text.bytes, reg->text_size);
		break;
	default:
		ear_hart_set_name(hart, name, reg->value, !ear_register_unknown(reg));
		/* Which number such a register of RISC-V has, only its format knows. */
		if ((reg->unknown || reg->note_size) && record->isa == EAR_ISA_RISCV &&
			record->kind == EAR_RECORD_INSTRUCTION)
			ear_hart_forget(hart);
	}
}

/* All that can fail comes first, so that an error leaves the state as it was. */
static int reserve(struct ear_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_NAMED && ear_hart_reserve_names(hart))
			return EAR_E_NO_MEMORY;
		if (reg->reg_class == EAR_REGISTER_V &&
			!ear_hart_reserve_vector(&hart->v[reg->number & 31], reg->text_size))
			return EAR_E_NO_MEMORY;
	}
	return 0;
}

/* ---- What instructions write that the record does not list. ---- */

static bool lists(
	const struct ear_record *record, enum ear_register_class reg_class, unsigned number)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class &&
			record->registers[i].number == number)
			return true;
	return false;
}

static bool lists_any(const struct ear_record *record, enum ear_register_class reg_class)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class)
			return true;
	return false;
}

/* Vector registers: which ones depends on vtype, so all those that are not listed; but a list that
 * begins with the destination is taken to be complete. */
static void lose_group(struct ear_hart *hart, const struct ear_record *record, unsigned first)
{
	if (lists(record, EAR_REGISTER_V, first))
		return;
	for (unsigned i = 0; i < 32; i++)
		if (!lists(record, EAR_REGISTER_V, i))
			ear_hart_lose_vector(hart, i);
}

static void lose_operand(
	struct ear_hart *hart, const struct ear_record *record, const struct ear_operand *operand)
{
	enum ear_register_class reg_class =
		operand->kind == EAR_OPERAND_X ? EAR_REGISTER_X : EAR_REGISTER_F;
	unsigned count = operand->kind == EAR_OPERAND_X ? operand->count : 1;

	for (unsigned i = 0; i < count; i++) {
		unsigned number = ((unsigned)operand->value + i) & 31;
		if (!lists(record, reg_class, number) &&
			(count > 1 || !lists_any(record, reg_class)))
			ear_hart_lose(hart, reg_class, number);
	}
}

/* Zcmp has encodings of Zcd: what writes an x register is one of its moves, pushes or pops. */
static void lose_zcmp(struct ear_hart *hart, const struct ear_record *record)
{
	if (!lists_any(record, EAR_REGISTER_X))
		return;
	for (unsigned i = 1; i < 32; i++) /* ra, sp, s0 to s11, a0, a1 */
		if ((i < 3 || (i > 7 && i < 12) || (i > 17 && i < 28)) &&
			!lists(record, EAR_REGISTER_X, i))
			ear_hart_lose(hart, EAR_REGISTER_X, i);
}

static void lose_unlisted(struct ear_hart *hart, const struct ear_step *step)
{
	const struct ear_record *record = step->record;
	const uint32_t none = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED;

	if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV)
		return;
	/* A vector load that trapped has loaded some elements. */
	if (record->flags & EAR_RECORD_TRAP && step->inst.kind == EAR_KIND_VLOAD)
		for (unsigned i = 0; i < 32; i++)
			ear_hart_lose_vector(hart, i);
	if (record->flags & none)
		return;
	if (step->inst.id == EAR_INST_C_FSDSP)
		lose_zcmp(hart, record);
	for (size_t i = 0; i < step->inst.operand_count; i++) {
		const struct ear_operand *operand = &step->inst.operands[i];
		if (!(operand->access & EAR_OPERAND_WRITE))
			continue;
		if (operand->kind == EAR_OPERAND_V)
			lose_group(hart, record, (unsigned)operand->value);
		else if (operand->kind == EAR_OPERAND_X || operand->kind == EAR_OPERAND_F)
			lose_operand(hart, record, operand);
	}
}

/* ---- Which instruction follows which. ---- */

static void arrive(
	struct ear_state *state, struct ear_hart *hart, struct ear_arrival *arrival, unsigned xlen)
{
	const struct ear_arrival_rules rules = {.captured = state->source.captured};
	struct ear_expected *expected = &hart->expected;

	arrival->any_index = state->next_known && arrival->index == state->next_index;
	if (!state->follows) {
		hart->xlen = (uint8_t)xlen;
		return;
	}
	if (!hart->seen && state->part) {
		expected->has_first = true;
		expected->first_of_numbers = !state->numbered;
		expected->first = *arrival;
		hart->first_xlen = (uint8_t)xlen;
	} else {
		ear_hart_continue(hart, &rules, arrival, xlen);
	}
	/* A debugger changes registers without a record. */
	if (arrival->privilege == EAR_PRIVILEGE_DEBUG)
		ear_hart_forget(hart);
	expected->privilege = arrival->privilege;
	hart->xlen = (uint8_t)xlen;
}

void ear_hart_continue(struct ear_hart *hart, const struct ear_arrival_rules *rules,
	const struct ear_arrival *arrival, unsigned xlen)
{
	const struct ear_expected *expected = &hart->expected;

	if (ear_arrival_breaks(rules, hart->seen ? expected : NULL, arrival) ||
		(hart->seen && hart->xlen && xlen != hart->xlen))
		ear_hart_forget(hart);
	else if (hart->seen &&
		 ((arrival->handler && !hart->trapped) ||
			 (arrival->riscv && expected->pc_known && expected->pc != arrival->pc)))
		ear_hart_trap(hart);
}

static void expect(
	struct ear_state *state, struct ear_hart *hart, uint64_t index, uint64_t pc, bool pc_known)
{
	struct ear_expected *expected = &hart->expected;

	expected->index = state->next_index = index;
	expected->index_known = state->next_known = true;
	expected->pc = pc;
	expected->pc_known = pc_known;
	hart->seen = state->numbered = true;
}

static void follow_kind(
	struct ear_state *state, struct ear_hart *hart, const struct ear_record *record)
{
	const bool gap = record->kind == EAR_RECORD_GAP && ear_gap_forgets(&record->u.gap);

	if (gap)
		ear_hart_forget(hart);
	/* What comes after it is not compared with what was before it. */
	if (gap || (record->kind == EAR_RECORD_REGISTERS && record->register_count > 0)) {
		hart->expected.index_known = hart->expected.pc_known = false;
		hart->expected.privilege = EAR_ARRIVAL_UNSAID;
		hart->trapped = false;
		hart->seen = state->numbered = true;
		state->next_known = false;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	hart->next_pc = record->next_pc;
	hart->next_pc_known = !(record->flags & EAR_RECORD_NO_NEXT_PC);
	hart->next_pc_settled = true;
	hart->trapped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	expect(state, hart, record->index + 1, record->next_pc, ear_arrival_knows_next(record));
}

int ear_state_push(struct ear_state *state, const struct ear_record *record)
{
	struct ear_step step = {.record = record};
	struct ear_hart *hart;

	int result = ear_state_reach(state, record->hart, &hart);
	if (result == 0)
		result = reserve(hart, record);
	if (result)
		return result;

	if (record->kind == EAR_RECORD_INSTRUCTION) {
		struct ear_arrival arrival = ear_arrival_of(record);
		arrive(state, hart, &arrival, record->xlen);
	}
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION &&
			   !(record->flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE));
	if (instruction && record->isa == EAR_ISA_RISCV &&
		(record->xlen == 32 || record->xlen == 64))
		ear_inst_decode(&step.inst, (uint32_t)record->opcode, record->xlen);
	learn_reads(hart, record);
	find_csr(hart, &step);
	ear_hart_begin_csrs(hart, &step);
	lose_unlisted(hart, &step);
	for (size_t i = 0; i < record->register_count; i++)
		apply(hart, &record->registers[i], record);
	ear_hart_end_csrs(hart, &step, &state->source);
	follow_kind(state, hart, record);
	return 0;
}

/* ---- Compact runs. ---- */

/* Does the record do nothing but write the register that it lists? */
static inline bool is_plain_compact(const struct ear_compact_record *compact, bool is_64)
{
	bool goes_on = !(compact->flags & EAR_COMPACT_TAKEN);

	if (compact->rd > 31)
		return false;
	switch (ear_plain_class(compact->opcode, is_64)) {
	case EAR_PLAIN_WRITES: return compact->rd != 0 && goes_on;
	case EAR_PLAIN_JUMPS:
		return compact->rd != 0 || (!ear_opcode_is_compressed(compact->opcode) &&
						   (compact->opcode >> 7 & 31) == 0);
	case EAR_PLAIN_NOTHING: return compact->rd == 0 && goes_on;
	case EAR_PLAIN_BRANCH: return compact->rd == 0;
	default: return false;
	}
}

/* As after record i of the run. */
static void leave(struct ear_state *state, struct ear_hart *hart, const struct ear_compact_run *run,
	uint64_t next_pc, size_t i)
{
	bool known = !(run->flags & EAR_RECORD_NO_NEXT_PC);
	bool stopped = run->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	hart->next_pc = next_pc;
	hart->next_pc_known = known;
	hart->next_pc_settled = true;
	hart->trapped = stopped;
	expect(state, hart, run->first_index + i + 1, next_pc, known && !stopped);
}

/* Flags of a run whose records can be more than they look. */
#define UNUSUAL \
	(EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_SKIPPED | EAR_RECORD_NO_OPCODE | \
		EAR_RECORD_HANDLER | EAR_RECORD_NO_NEXT_PC)

static void write_plain(struct ear_hart *hart, unsigned rd, uint64_t value)
{
	hart->x[rd] = rd ? value : 0;
	hart->x_known |= 1u << rd;
	hart->x_settled |= 1u << rd;
}

/* A run of which every record does what is_plain_compact asks. */
static void push_ordinary(struct ear_state *state, struct ear_hart *hart,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	struct ear_arrival arrival = ear_arrival_of_run(run, compacts[0].pc);
	uint32_t written = 0;

	arrive(state, hart, &arrival, run->xlen);
	for (size_t i = 0; i < run->count; i++) {
		unsigned rd = compacts[i].rd & 31;
		hart->x[rd] = compacts[i].result;
		written |= 1u << rd;
	}
	hart->x[0] = 0;
	hart->x_known |= written;
	hart->x_settled |= written;
	leave(state, hart, run, compacts[run->count - 1].next_pc, run->count - 1);
}

int ear_state_push_run(struct ear_state *state, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts)
{
	struct ear_expanded_record expanded;
	struct ear_hart *hart;
	bool is_64 = run->xlen == 64, usual = !(run->flags & UNUSUAL), prepared = false;

	int result = run->count > 0 ? ear_state_reach(state, run->hart, &hart) : 1;
	if (result)
		return result > 0 ? 0 : result;
	usual &= run->privilege != EAR_PRIVILEGE_DEBUG;
	if (usual && run->ordinary) {
		push_ordinary(state, hart, run, compacts);
		return 0;
	}
	for (size_t i = 0; i < run->count && result == 0; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		bool follows = i == 0 || !state->follows || compact->pc == hart->expected.pc;

		if (usual && follows && is_plain_compact(compact, is_64)) {
			if (i == 0) {
				struct ear_arrival arrival =
					ear_arrival_of_run(run, compacts[0].pc);
				arrive(state, hart, &arrival, run->xlen);
			}
			write_plain(hart, compact->rd, compact->result);
			hart->expected.pc = compact->next_pc;
			continue;
		}
		/* What is expected next was not kept up to date. */
		if (i > 0)
			leave(state, hart, run, compacts[i - 1].next_pc, i - 1);
		if (!prepared)
			ear_compact_run_begin(&expanded, run);
		prepared = true;
		result = ear_state_push(state, ear_compact_run_get(&expanded, run, compact, i));
	}
	if (result == 0)
		leave(state, hart, run, compacts[run->count - 1].next_pc, run->count - 1);
	return result;
}

int ear_state_push_summary(struct ear_state *state, const struct ear_run_summary *summary)
{
	const struct ear_compact_run *run = &summary->run;
	const uint64_t *value = summary->values;
	struct ear_hart *hart;

	int result = ear_state_reach(state, run->hart, &hart);
	if (result)
		return result > 0 ? 0 : result;
	struct ear_arrival arrival = ear_arrival_of_run(run, summary->pc);
	arrive(state, hart, &arrival, run->xlen);
	for (uint32_t left = summary->written; left != 0; left &= left - 1)
		hart->x[__builtin_ctz(left)] = *value++;
	hart->x_known |= summary->written | 1u;
	hart->x_settled |= summary->written | 1u;
	leave(state, hart, run, summary->next_pc, run->count - 1);
	return 0;
}

/* Has the record a compact form that a run can have? */
static bool is_ordinary(const struct ear_record *record)
{
	const struct ear_record_register *reg = record->registers;

	return record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV &&
	       !(record->flags & UNUSUAL) && record->fflags == 0 && record->register_count <= 1 &&
	       (record->register_count == 0 ||
		       (reg->reg_class == EAR_REGISTER_X && reg->number - 1u < 31)) &&
	       (record->xlen == 32 || record->xlen == 64) && record->opcode >> 32 == 0 &&
	       !(record->extra && record->extra->read_count > 0);
}

int ear_state_follow(struct ear_state *state, const struct ear_record *record)
{
	if (!is_ordinary(record))
		return ear_state_push(state, record);
	uint64_t after = record->pc + record->opcode_size;
	bool moves = record->flags & EAR_RECORD_TAKEN ||
		     record->next_pc != (record->xlen == 32 ? (uint32_t)after : after);
	const struct ear_compact_record compact = {
		.pc = record->pc,
		.next_pc = record->next_pc,
		.opcode = (uint32_t)record->opcode,
		.opcode_size = record->opcode_size,
		.rd = record->register_count ? (uint8_t)record->registers[0].number : 0,
		.result = record->register_count ? record->registers[0].value : 0,
		.flags = moves ? EAR_COMPACT_TAKEN : 0,
	};
	if (!is_plain_compact(&compact, record->xlen == 64))
		return ear_state_push(state, record);
	const struct ear_compact_run run = {
		.count = 1,
		.first_index = record->index,
		.flags = record->flags & ~(uint32_t)(EAR_RECORD_TAKEN | EAR_RECORD_HAS_TIME),
		.hart = record->hart,
		.xlen = record->xlen,
		.privilege = record->privilege,
	};
	return ear_state_push_run(state, &run, &compact);
}

static const struct ear_hart *look_up(const struct ear_state *state, uint16_t hart)
{
	const struct ear_hart *found = ear_state_find(state, hart);

	return found ? found : &state->initial;
}

bool ear_state_register(const struct ear_state *state, uint16_t hart,
	enum ear_register_class reg_class, unsigned number, uint64_t *value)
{
	assert(reg_class == EAR_REGISTER_X || reg_class == EAR_REGISTER_F ||
		reg_class == EAR_REGISTER_CSR);
	return ear_hart_get(look_up(state, hart), reg_class, number, value);
}

const uint8_t *ear_state_vector(
	const struct ear_state *state, uint16_t hart, unsigned number, size_t *size)
{
	const struct ear_state_vector *vector = &look_up(state, hart)->v[number & 31];

	if (!vector->known)
		return NULL;
	*size = vector->size;
	return vector->bytes;
}

bool ear_state_named(
	const struct ear_state *state, uint16_t hart, struct ear_text name, uint64_t *value)
{
	const struct ear_state_named *named = ear_hart_find_name(look_up(state, hart), name);

	if (named && named->known)
		*value = named->value;
	return named && named->known;
}

bool ear_state_next_pc(const struct ear_state *state, uint16_t hart, uint64_t *pc)
{
	const struct ear_hart *found = look_up(state, hart);

	if (found->next_pc_known)
		*pc = found->next_pc;
	return found->next_pc_known;
}
