/* The forward pass: one instruction after the other, executed on what is known.
 *
 * Nothing is supposed. An instruction of which something is not known gives what is certain, and
 * one that library/check/semantics does not have makes all unknown. What the trace shows comes
 * before what was computed; where the two differ, something changed a value that the trace does not
 * have, so all is unknown from there, and it is counted.
 */
#include "library/infer/infer_forward.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "common/hash.h"
#include "library/infer/infer_access.h"
#include "library/infer/infer_csr.h"
#include "library/infer/infer_float.h"
#include "library/infer/infer_internal.h"

#define SRET   0x10200073u
#define FENCES 0xfe007fffu /* sfence.vma: the operands left out */
#define SFENCE 0x12000073u

/* Harts --------------------------------------------------------------------------------------- */

static struct infer_hart *get_hart(struct ear_infer *infer, const struct ear_record *record)
{
	const uint16_t number = record->hart;

	for (size_t i = 0; i < infer->hart_count; i++)
		if (infer->harts[i]->hart == number)
			return infer->harts[i];
	if (infer->hart_count == INFER_HARTS_MAX)
		return NULL;
	struct infer_hart *hart = calloc(1, sizeof(*hart));
	if (!hart)
		return NULL;
	hart->hart = number;
	infer_forget_hart(hart);
	infer->harts[infer->hart_count++] = hart;
	if (infer->hart_count > 1 && !infer->memory.shared) { /* each may store at any time */
		infer->counts.loads_unshared = infer->counts.loads_inferred;
		infer->counts.shared_from = record->index;
		infer->memory.shared = true;
		infer_memory_forget(&infer->memory);
	}
	return hart;
}

int ear_infer_new(struct ear_infer **infer, const struct infer_options *options)
{
	struct ear_infer *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->options = *options;
	made->cache = calloc(INFER_CACHE, sizeof(*made->cache));
	if (!made->cache || infer_memory_init(&made->memory, &made->options) != 0) {
		ear_infer_free(made);
		return EAR_E_NO_MEMORY;
	}
	*infer = made;
	return 0;
}

void ear_infer_free(struct ear_infer *infer)
{
	if (!infer)
		return;
	for (size_t i = 0; i < infer->hart_count; i++)
		free(infer->harts[i]);
	infer_memory_fini(&infer->memory);
	free(infer->cache);
	free(infer);
}

const struct ear_infer_counts *ear_infer_counts(const struct ear_infer *infer)
{
	return &infer->counts;
}

/* What a record shows ------------------------------------------------------------------------- */

/* A value that is shown with at most 32 bits may be all of the register, or its lower half. */
static struct infer_value shown_float(const struct ear_infer *infer, uint64_t value)
{
	return (struct infer_value){
		value, value > UINT32_MAX || infer->doubles ? UINT64_MAX : UINT32_MAX};
}

static void take_registers(
	struct ear_infer *infer, struct infer_hart *hart, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_X && reg->number % 32 != 0)
			hart->x[reg->number % 32] =
				infer_to_xlen(infer_exactly(reg->value), hart->xlen);
		else if (reg->reg_class == EAR_REGISTER_F)
			hart->f[reg->number % 32] = shown_float(infer, reg->value);
		else if (reg->reg_class == EAR_REGISTER_CSR)
			infer_csr_show(hart, reg->number, reg->value);
	}
}

/* An access without an instruction: a bus sees it. */
static void take_accesses(struct ear_infer *infer, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		struct infer_value value = {access->value, ~access->unknown};
		if (!access->has_value || access->masked || access->aborted)
			value = (struct infer_value){0, 0};
		if (access->size == 0 && access->write)
			infer_memory_forget(&infer->memory);
		else if (access->size != 0 && (access->write || infer_is_known(value)))
			infer_memory_store(&infer->memory, access->address, access->size, value);
	}
}

/* What branches and jumps say ----------------------------------------------------------------- */

static uint64_t to_xlen(const struct infer_step *step, uint64_t value)
{
	return step->hart->xlen == 32 ? (uint32_t)value : value;
}

static uint64_t imm(const struct infer_step *step)
{
	return (uint64_t)(int64_t)step->op->imm;
}

/* The register holds this, too. */
static void learn(struct infer_step *step, unsigned number, struct infer_value value)
{
	struct infer_value *reg = &step->hart->x[number];

	if (infer_differs(*reg, value))
		step->contradicted = true;
	else if (number != 0)
		*reg = infer_join(*reg, value);
	if (number == step->op->rs1)
		step->a = *reg;
	if (number == step->op->rs2)
		step->b = *reg;
}

static bool is_less(struct infer_value a, struct infer_value b, bool is_signed, unsigned xlen)
{
	if (!is_signed)
		return a.value < b.value;
	return (int64_t)infer_sign_extend(a, xlen).value <
	       (int64_t)infer_sign_extend(b, xlen).value;
}

static bool holds(const struct infer_step *step)
{
	unsigned xlen = step->hart->xlen;

	switch (step->op->kind) {
	case EAR_SEM_BEQ: return step->a.value == step->b.value;
	case EAR_SEM_BNE: return step->a.value != step->b.value;
	case EAR_SEM_BLT: return is_less(step->a, step->b, true, xlen);
	case EAR_SEM_BGE: return !is_less(step->a, step->b, true, xlen);
	case EAR_SEM_BLTU: return is_less(step->a, step->b, false, xlen);
	default: return !is_less(step->a, step->b, false, xlen);
	}
}

static void branch(struct infer_step *step, uint64_t after)
{
	const struct ear_semantics *op = step->op;
	uint64_t target = to_xlen(step, step->record->pc + imm(step));
	bool taken = step->next == target;

	if (!step->next_known || target == after || (!taken && step->next != after))
		return;
	step->facts->branched = true;
	step->facts->taken = taken;
	if (step->after_conditional && op->rs1 == step->hart->conditional.rd && op->rs2 == 0 &&
		(op->kind == EAR_SEM_BEQ || op->kind == EAR_SEM_BNE))
		infer_access_resolve(step->infer, step->hart, taken == (op->kind == EAR_SEM_BEQ));
	if (infer_is_known(step->a) && infer_is_known(step->b)) {
		step->contradicted |= holds(step) != taken;
		return;
	}
	if (op->kind == (taken ? EAR_SEM_BEQ : EAR_SEM_BNE)) {
		learn(step, op->rs1, step->b);
		learn(step, op->rs2, step->a);
	} else if (op->rs2 == 0 && (op->kind == EAR_SEM_BLT || op->kind == EAR_SEM_BGE)) {
		uint64_t sign = (uint64_t)1 << (step->hart->xlen - 1);
		bool negative = taken == (op->kind == EAR_SEM_BLT);
		learn(step, op->rs1, (struct infer_value){negative ? sign : 0, sign});
	}
}

/* The lowest bit of the sum is not in the target. */
static void jump(struct infer_step *step)
{
	if (!step->next_known || !step->infer->options.shows_traps)
		return;
	struct infer_value target = {step->next, ~(uint64_t)1};
	struct infer_value sum = infer_to_xlen(target, step->hart->xlen);
	struct infer_value source = infer_compute(
		EAR_SEM_SUB, sum, infer_exactly(to_xlen(step, imm(step))), false, step->hart->xlen);
	learn(step, step->op->rs1, source);
}

/* Where can the instruction go, as far as that is known? */
static bool may_go_on(const struct infer_step *step, uint64_t after)
{
	const struct ear_semantics *op = step->op;
	struct infer_value target;

	switch (op->kind) {
	case EAR_SEM_JAL: return step->next == to_xlen(step, step->record->pc + imm(step));
	case EAR_SEM_JALR:
		target = infer_add(step->a, infer_exactly(imm(step)));
		target = infer_to_xlen(target, step->hart->xlen);
		target.known &= ~(uint64_t)1;
		target.value &= ~(uint64_t)1;
		return !infer_differs(target, infer_exactly(step->next));
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
	case EAR_SEM_BLT:
	case EAR_SEM_BGE:
	case EAR_SEM_BLTU:
	case EAR_SEM_BGEU:
		return step->next == after ||
		       step->next == to_xlen(step, step->record->pc + imm(step));
	case EAR_SEM_MRET: return true;
	default: return step->next == after;
	}
}

/* One instruction ----------------------------------------------------------------------------- */

static void execute(struct infer_step *step)
{
	const struct ear_semantics *op = step->op;
	const uint64_t pc = step->record->pc, after = to_xlen(step, pc + op->size);

	switch (op->kind) {
	case EAR_SEM_ILLEGAL: step->unfollowed = true; break;
	case EAR_SEM_ECALL:
	case EAR_SEM_EBREAK: /* the trace does not have what executed it */
		step->unfollowed = !step->doubtful;
		break;
	case EAR_SEM_JAL: infer_write_x(step, infer_exactly(after)); break;
	case EAR_SEM_JALR:
		if (!step->doubtful)
			jump(step);
		infer_write_x(step, infer_exactly(after));
		break;
	case EAR_SEM_AUIPC: infer_write_x(step, infer_exactly(pc + imm(step))); break;
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
	case EAR_SEM_BLT:
	case EAR_SEM_BGE:
	case EAR_SEM_BLTU:
	case EAR_SEM_BGEU: branch(step, after); break;
	case EAR_SEM_FENCE:
	case EAR_SEM_WFI: break;
	case EAR_SEM_MRET:
		if (step->next_known && step->infer->options.shows_traps)
			infer_csr_show(step->hart, 0x341, step->next);
		break;
	case EAR_SEM_CSR: infer_csr(step); break;
	case EAR_SEM_FLOAT: infer_float(step); break;
	default:
		if (op->kind < EAR_SEM_ADD) {
			infer_access(step);
			break;
		}
		struct infer_value b = infer_add(step->b, infer_exactly(imm(step)));
		infer_write_x(step, infer_compute((enum ear_semantics_kind)op->kind, step->a,
					    infer_to_xlen(b, step->hart->xlen),
					    op->rs1 == op->rs2 && op->imm == 0, step->hart->xlen));
		break;
	}
}

/* A register that it wrote: as shown, else as computed. */
static void write_register(
	struct infer_step *step, unsigned reg_class, struct infer_value *registers)
{
	struct ear_infer_counts *counts = &step->infer->counts;
	const struct ear_record_register *shown =
		infer_shown(step->record, reg_class, step->number);
	struct infer_value result = step->result;
	/* Of an f register there may be no more than its lower half. */
	bool whole = reg_class == EAR_REGISTER_X || step->infer->doubles;

	if (reg_class == EAR_REGISTER_X && step->number == 0)
		return;
	if (reg_class == EAR_REGISTER_X)
		result = infer_to_xlen(result, step->hart->xlen);
	counts->writes++;
	if (shown) {
		struct infer_value seen =
			reg_class == EAR_REGISTER_X
				? infer_to_xlen(infer_exactly(shown->value), step->hart->xlen)
				: shown_float(step->infer, shown->value);
		step->contradicted |= !step->doubtful && infer_differs(result, seen);
		counts->writes_shown++;
		return; /* taken with all that is shown */
	}
	if (step->doubtful)
		result = (struct infer_value){0, 0};
	registers[step->number] = result;
	if (!infer_is_known(result) || !whole)
		return;
	counts->writes_inferred++;
	step->inferred->registers[step->inferred->register_count++] = (struct ear_record_register){
		.reg_class = (uint8_t)reg_class,
		.number = (uint16_t)step->number,
		.value = result.value,
	};
}

static void contradict(struct ear_infer *infer, const struct ear_record *record)
{
	if (infer->counts.contradictions++ == 0)
		infer->counts.first_contradiction = record->index;
	infer_forget(infer);
}

/* An instruction that does not go where it must: a trap that the trace does not have, or missing
 * records. */
static void find_doubt(struct infer_step *step)
{
	uint64_t after = to_xlen(step, step->record->pc + step->op->size);
	struct infer_hart *hart = step->hart;

	if (!step->next_known || step->op->kind == EAR_SEM_ILLEGAL || may_go_on(step, after))
		return;
	step->doubtful = true;
	if (!step->infer->options.shows_traps && infer_csr_is_handler(hart, step->next)) {
		bool trapped = step->op->kind == EAR_SEM_ECALL || step->op->kind == EAR_SEM_EBREAK;
		hart->trap = (struct infer_trap){.pending = true,
			.pc = {trapped ? step->record->pc : 0, trapped ? UINT64_MAX : 0}};
	} else if (step->op->kind == EAR_SEM_JALR) {
		step->contradicted = true; /* or records are missing */
	} else {
		step->unfollowed = true;
	}
}

static bool is_ordinary(const struct ear_semantics *op, uint32_t opcode)
{
	return op->kind != EAR_SEM_ILLEGAL || opcode == SRET || (opcode & FENCES) == SFENCE;
}

/* Joins what is known of the result from elsewhere. */
static void keep_facts(struct infer_step *step)
{
	struct infer_facts *facts = step->facts;
	const struct ear_record_register *shown =
		infer_shown(step->record, EAR_REGISTER_X, step->op->rd);

	facts->op = *step->op;
	facts->xlen = step->hart->xlen;
	facts->executed = true;
	facts->a = step->a;
	facts->b = step->b;
	facts->writes_x = step->writes_x;
	if (!step->writes_x || step->writes_f)
		return;
	struct infer_value result = infer_to_xlen(step->result, step->hart->xlen);
	if (infer_differs(result, facts->result))
		step->contradicted = true;
	else
		step->result = infer_join(result, facts->result);
	facts->result =
		shown ? infer_to_xlen(infer_exactly(shown->value), step->hart->xlen) : step->result;
}

/* Does it show a register that the instruction does not write? */
static bool shows_others(const struct infer_step *step)
{
	for (size_t i = 0; i < step->record->register_count; i++)
		if (step->record->registers[i].reg_class == EAR_REGISTER_X &&
			step->record->registers[i].number != step->op->rd)
			return true;
	return false;
}

static void run(struct infer_step *step)
{
	const struct ear_record *record = step->record;
	struct infer_hart *hart = step->hart;
	struct ear_infer *infer = step->infer;
	bool ordinary = is_ordinary(step->op, (uint32_t)record->opcode);

	step->a = hart->x[step->op->rs1];
	step->b = hart->x[step->op->rs2];
	step->after_conditional = hart->conditional.pending;
	hart->conditional.pending = false;
	learn(step, step->op->rs1, step->facts->a);
	learn(step, step->op->rs2, step->facts->b);
	step->contradicted |=
		infer_memory_refutes(&infer->memory, record->pc, step->op->size, record->opcode);
	find_doubt(step);
	if (step->op->kind != EAR_SEM_ILLEGAL || !ordinary)
		execute(step);
	else if ((uint32_t)record->opcode != SRET && !infer->options.reset)
		infer_translate(infer); /* it orders page tables */
	infer->counts.instructions++;
	keep_facts(step);
	if (step->writes_x)
		write_register(step, EAR_REGISTER_X, hart->x);
	if (step->writes_f)
		write_register(step, EAR_REGISTER_F, hart->f);
	if (step->contradicted || step->unfollowed || step->doubtful)
		*step->inferred = (struct ear_inferred){.register_count = 0};
	if (step->contradicted)
		contradict(infer, record);
	else if (step->unfollowed)
		infer_forget(infer);
	step->facts->barrier |=
		step->contradicted || step->unfollowed || step->doubtful || shows_others(step);
	take_registers(infer, hart, record);
}

/* May the instruction have stored something before it trapped? Part of a store that crosses a
 * boundary may be done, and nobody knows what an instruction does that is not known. */
static bool may_have_stored(const struct ear_record *record, const struct ear_semantics *op)
{
	/* Fetches, illegal instructions, breakpoints and environment calls. */
	const uint64_t before =
		1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 0xf00u | 1u << 12 | 1u << 20;

	if (record->flags & EAR_RECORD_INTERRUPT)
		return false;
	if (!(record->flags & EAR_RECORD_NO_CAUSE) && record->cause < 32 &&
		before >> record->cause & 1)
		return false;
	return record->flags & EAR_RECORD_NO_OPCODE || op->kind == EAR_SEM_ILLEGAL ||
	       op->kind == EAR_SEM_AMO || op->kind == EAR_SEM_SC || op->kind == EAR_SEM_FSTORE ||
	       (op->kind >= EAR_SEM_SB && op->kind <= EAR_SEM_SD);
}

/* Returns whether it is certain that it stored nothing. */
static bool trap(struct ear_infer *infer, struct infer_hart *hart, const struct ear_record *record,
	const struct ear_semantics *op)
{
	const bool stored = may_have_stored(record, op);
	struct infer_value none = {0, 0};

	hart->conditional.pending = false;
	if (stored) {
		struct infer_value offset = infer_exactly((uint64_t)(int64_t)op->imm);
		struct infer_value address =
			infer_to_xlen(infer_add(hart->x[op->rs1], offset), hart->xlen);
		bool known = !(record->flags & EAR_RECORD_NO_OPCODE) &&
			     op->kind != EAR_SEM_ILLEGAL && infer_is_known(address);
		if (known)
			infer_memory_store(&infer->memory, address.value, 8, none);
		else
			infer_memory_forget(&infer->memory);
	}
	hart->trap = (struct infer_trap){.pending = true,
		.pc = infer_exactly(record->pc),
		.cause = record->flags & EAR_RECORD_NO_CAUSE ? none : infer_exactly(record->cause)};
	if (record->extra && record->extra->has_trap_value)
		hart->trap.value = infer_exactly(record->extra->trap_value);
	take_registers(infer, hart, record);
	return !stored;
}

/* Records ------------------------------------------------------------------------------------- */

static const struct ear_semantics *decode(struct ear_infer *infer, uint32_t opcode, uint8_t xlen)
{
	struct infer_cached *cached = &infer->cache[ear_hash_slot32(opcode, INFER_CACHE_BITS)];

	if (cached->opcode != opcode || cached->xlen != xlen) {
		cached->opcode = opcode;
		cached->xlen = xlen;
		ear_semantics_decode(&cached->op, opcode, xlen, EAR_SEMANTICS_ALL);
	}
	return &cached->op;
}

/* The pc after the record's instruction, if it is known. */
static bool find_next(const struct ear_record *record, const struct ear_record *next, uint64_t *pc)
{
	bool follows = next && next->kind == EAR_RECORD_INSTRUCTION && next->hart == record->hart &&
		       !(next->flags & EAR_RECORD_HANDLER);

	*pc = !(record->flags & EAR_RECORD_NO_NEXT_PC) ? record->next_pc : follows ? next->pc : 0;
	return follows || !(record->flags & EAR_RECORD_NO_NEXT_PC);
}

/* Does the record follow what was before it? Else all is unknown. */
static void arrive(
	struct ear_infer *infer, struct infer_hart *hart, const struct ear_record *record)
{
	bool expected = !hart->pc_known || hart->pc == record->pc;
	/* Numbers may be of the hart or of the trace. A filter leaves numbers out. */
	bool counted = !hart->seen || record->index == hart->index || record->index == infer->index;

	if (hart->seen && (hart->xlen != record->xlen || !counted))
		infer_forget(infer);
	else if (record->flags & EAR_RECORD_HANDLER && !hart->trap.pending)
		hart->trap = (struct infer_trap){.pending = true,
			.pc = {hart->pc_known ? hart->pc : 0, hart->pc_known ? UINT64_MAX : 0}};
	else if (!expected && !infer->options.shows_traps && infer_csr_is_handler(hart, record->pc))
		hart->trap = (struct infer_trap){.pending = true, .pc = infer_exactly(hart->pc)};
	else if (!expected && !(record->flags & EAR_RECORD_HANDLER))
		infer_forget(infer);
	hart->xlen = record->xlen;
	if (hart->trap.pending)
		infer_csr_trap(hart, record);
	/* Only a trace from the reset on shows where addresses begin to be translated. */
	if (!(record->flags & EAR_RECORD_NO_PRIVILEGE) && !infer->memory.moved &&
		((record->privilege == EAR_PRIVILEGE_S && !infer->options.reset) ||
			record->privilege == EAR_PRIVILEGE_VS ||
			record->privilege == EAR_PRIVILEGE_VU))
		infer_translate(infer);
}

/* A trace of pcs alone: the opcode is what memory holds there. */
static bool find_opcode(
	struct ear_infer *infer, const struct ear_record *record, struct ear_record *with)
{
	struct infer_value code = infer_memory_load(&infer->memory, record->pc, 2);
	const bool is_short = (code.value & 3) != 3;

	if (!is_short)
		code = infer_memory_load(&infer->memory, record->pc, 4);
	*with = *record;
	with->opcode = code.value;
	with->flags &= ~(uint32_t)EAR_RECORD_NO_OPCODE;
	return infer_is_known(infer_zero_extend(code, is_short ? 16 : 32));
}

static void take_instruction(struct ear_infer *infer, struct infer_hart *hart,
	const struct ear_record *record, const struct ear_record *next,
	struct ear_inferred *inferred, struct infer_facts *facts)
{
	struct infer_step step = {.infer = infer,
		.hart = hart,
		.record = record,
		.inferred = inferred,
		.facts = facts};
	bool stopped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	bool debug = !(record->flags & EAR_RECORD_NO_PRIVILEGE) &&
		     record->privilege == EAR_PRIVILEGE_DEBUG;
	struct ear_record with;

	arrive(infer, hart, record);
	if (record->flags & EAR_RECORD_NO_OPCODE && find_opcode(infer, record, &with))
		step.record = record = &with;
	step.op = decode(infer, (uint32_t)record->opcode, record->xlen);
	step.next_known = find_next(record, next, &step.next);
	step.next = to_xlen(&step, step.next);
	if (stopped)
		facts->barrier |= !trap(infer, hart, record, step.op);
	else if (debug || record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_SKIPPED))
		infer_forget(infer);
	else
		run(&step);
	if (record->flags & EAR_RECORD_HALT) /* a debugger may change anything */
		infer_forget(infer);
	hart->seen = true;
	hart->index = infer->index = record->index + 1;
	hart->pc_known = step.next_known && !(stopped && record->flags & EAR_RECORD_NO_NEXT_PC);
	hart->pc = step.next;
}

int infer_step_with(struct ear_infer *infer, const struct ear_record *record,
	const struct ear_record *next, struct ear_inferred *inferred, struct infer_facts *facts)
{
	const uint64_t forgotten = infer->counts.forgotten;
	struct infer_hart *hart;

	/* What else than an instruction changes something. */
	facts->barrier = record->kind == EAR_RECORD_MEMORY || record->kind == EAR_RECORD_REGISTERS;
	facts->executed = false;

	inferred->register_count = inferred->memory_count = 0;
	switch (record->kind) {
	case EAR_RECORD_GAP:
		if (ear_gap_forgets(&record->u.gap))
			infer_forget(infer);
		break;
	case EAR_RECORD_MEMORY: take_accesses(infer, record); break;
	case EAR_RECORD_REGISTERS:
	case EAR_RECORD_INSTRUCTION:
		hart = get_hart(infer, record);
		if (!hart)
			return EAR_E_NO_MEMORY;
		if (record->kind == EAR_RECORD_REGISTERS)
			take_registers(infer, hart, record);
		else if (record->isa != EAR_ISA_RISCV || (record->xlen != 32 && record->xlen != 64))
			infer_forget(infer);
		else
			take_instruction(infer, hart, record, next, inferred, facts);
		break;
	default: break;
	}
	facts->barrier |= infer->counts.forgotten != forgotten;
	return infer->memory.bytes.failed ? EAR_E_NO_MEMORY : 0;
}

int ear_infer_step(struct ear_infer *infer, const struct ear_record *record,
	const struct ear_record *next, struct ear_inferred *inferred)
{
	struct infer_facts facts = {.size = 0};

	return infer_step_with(infer, record, next, inferred, &facts);
}
