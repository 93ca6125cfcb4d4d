/* What a step is: the predicates of state.h. */
#include "library/state/state.h"

static bool is_instruction(const struct ear_step *step)
{
	return step->record->kind == EAR_RECORD_INSTRUCTION &&
	       !(step->record->flags & EAR_RECORD_INTERRUPT);
}

static bool is_riscv(const struct ear_step *step)
{
	return is_instruction(step) && step->inst.kind != EAR_KIND_ILLEGAL;
}

static bool is_kind(const struct ear_step *step, enum ear_inst_kind kind)
{
	return is_riscv(step) && step->inst.kind == kind;
}

static bool is_other(const struct ear_step *step)
{
	return is_instruction(step) && step->record->isa != EAR_ISA_RISCV;
}

bool ear_step_is_executed(const struct ear_step *step)
{
	return is_instruction(step) &&
	       !(step->record->flags & (EAR_RECORD_TRAP | EAR_RECORD_SKIPPED));
}

bool ear_step_is_load(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_LOAD) || is_kind(step, EAR_KIND_LR) ||
	       is_kind(step, EAR_KIND_VLOAD) ||
	       (is_riscv(step) && step->inst.flags & EAR_INST_POPS) ||
	       (is_other(step) && ear_step_access(step, false));
}

bool ear_step_is_store(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_STORE) || is_kind(step, EAR_KIND_SC) ||
	       is_kind(step, EAR_KIND_VSTORE) || (is_other(step) && ear_step_access(step, true));
}

bool ear_step_is_atomic(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_AMO) || is_kind(step, EAR_KIND_LR) ||
	       is_kind(step, EAR_KIND_SC);
}

bool ear_step_is_branch(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_BRANCH);
}

bool ear_step_is_jump(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_JUMP);
}

bool ear_step_is_call(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_JUMP) && step->inst.flags & EAR_INST_CALL;
}

bool ear_step_is_return(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_JUMP) && step->inst.flags & EAR_INST_RETURN;
}

bool ear_step_is_taken(const struct ear_step *step)
{
	return is_instruction(step) && step->record->flags & EAR_RECORD_TAKEN;
}

bool ear_step_is_csr(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_CSR);
}

bool ear_step_is_float(const struct ear_step *step)
{
	return is_riscv(step) && step->inst.flags & EAR_INST_FLOAT;
}

bool ear_step_is_mul(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_MUL);
}

bool ear_step_is_div(const struct ear_step *step)
{
	return is_kind(step, EAR_KIND_DIV);
}

bool ear_step_is_compressed(const struct ear_step *step)
{
	return is_riscv(step) && step->inst.size == 2;
}

bool ear_step_is_trap(const struct ear_step *step)
{
	return step->record->kind == EAR_RECORD_INSTRUCTION &&
	       step->record->flags & EAR_RECORD_TRAP;
}

bool ear_step_is_interrupt(const struct ear_step *step)
{
	return step->record->kind == EAR_RECORD_INSTRUCTION &&
	       step->record->flags & EAR_RECORD_INTERRUPT;
}

const struct ear_record_access *ear_step_access(const struct ear_step *step, bool write)
{
	for (size_t i = 0; i < step->record->memory_count; i++)
		if (step->record->memory[i].write == write)
			return &step->record->memory[i];
	return NULL;
}

const struct ear_walk *ear_step_walk(const struct ear_step *step, bool data, size_t index)
{
	const struct ear_record_extra *extra = step->record->extra;

	for (size_t i = 0; extra && i < extra->walk_count; i++)
		if (extra->walks[i].data == data && index-- == 0)
			return &extra->walks[i];
	return NULL;
}
