/* Backward: from what a register holds later to what its last writer wrote, and from there, where
 * the instruction can be turned around, to what that one read.
 *
 * Memory goes the same way. What a load sees was there since the last store to these bytes, so it
 * is what that store wrote, and what every load between them saw. Before a store to an unknown
 * address nothing is known.
 */
#include "library/infer/infer_backward.h"

#include <earshot/error.h>

struct backward {
	struct infer_value x[32];
	struct infer_memory memory;
	unsigned xlen;
};

static void forget(struct backward *backward)
{
	for (unsigned i = 1; i < 32; i++)
		backward->x[i] = (struct infer_value){0, 0};
	infer_memory_forget(&backward->memory);
}

/* Both are right, so what either knows is. If they differ, something is supposed that does not
 * hold: the forward pass finds it. */
static void add(struct infer_value *to, struct infer_value value)
{
	if (!infer_differs(*to, value))
		*to = infer_join(*to, value);
}

static struct infer_value subtract(
	const struct backward *backward, struct infer_value a, struct infer_value b)
{
	return infer_compute(EAR_SEM_SUB, a, b, false, backward->xlen);
}

static struct infer_value low_half(struct infer_value value)
{
	return (struct infer_value){value.value & UINT32_MAX, value.known & UINT32_MAX};
}

/* Bits of a result that an operand has, where the other one lets them through. */
static struct infer_value passed(struct infer_value result, uint64_t through)
{
	return (struct infer_value){result.value & through, result.known & through};
}

/* What the operands of an instruction were, by its result. *a is rs1; *b is rs2 and the immediate.
 */
static void invert(const struct backward *backward, const struct infer_facts *step,
	struct infer_value *a, struct infer_value *b)
{
	const struct infer_value result = step->result;
	unsigned xlen = backward->xlen;

	switch (step->op.kind) {
	case EAR_SEM_ADD:
		add(a, subtract(backward, result, *b));
		add(b, subtract(backward, result, *a));
		break;
	case EAR_SEM_SUB:
		add(a, infer_to_xlen(infer_add(result, *b), xlen));
		add(b, subtract(backward, *a, result));
		break;
	case EAR_SEM_ADDW: add(a, low_half(subtract(backward, result, *b))); break;
	case EAR_SEM_SUBW: add(a, low_half(infer_add(result, *b))); break;
	case EAR_SEM_XOR:
		add(a, infer_compute(EAR_SEM_XOR, result, *b, false, xlen));
		add(b, infer_compute(EAR_SEM_XOR, result, *a, false, xlen));
		break;
	case EAR_SEM_AND:
		add(a, passed(result, b->value));
		add(b, passed(result, a->value));
		break;
	case EAR_SEM_OR:
		add(a, passed(result, ~b->value & b->known));
		add(b, passed(result, ~a->value & a->known));
		break;
	default: break;
	}
}

static void turn_around(struct backward *backward, struct infer_facts *step)
{
	const struct ear_semantics *op = &step->op;
	struct infer_value imm = infer_exactly((uint64_t)(int64_t)op->imm);
	struct infer_value b = infer_to_xlen(infer_add(step->b, imm), backward->xlen);

	if (op->kind < EAR_SEM_ADD || (op->rs1 == op->rs2 && op->rs1 != 0))
		return;
	invert(backward, step, &step->a, &b);
	if (op->rs2 != 0) /* then there is no immediate */
		add(&step->b, b);
}

/* What a load saw: by the register, and by what is known of memory later. */
static void load(struct backward *backward, struct infer_facts *step)
{
	struct infer_value seen = infer_zero_extend(step->result, 8u * step->size);

	seen.known &= UINT64_MAX >> (64 - 8 * step->size);
	if (step->writes_x)
		add(&step->loaded, seen);
	if (!infer_is_known(step->address))
		return;
	if (step->op.kind == EAR_SEM_AMO) /* later is after its store */
		infer_memory_store(&backward->memory, step->address.value, step->size,
			(struct infer_value){0, 0});
	add(&step->loaded, infer_memory_load(&backward->memory, step->address.value, step->size));
	infer_memory_show(&backward->memory, step->address.value, step->size, step->loaded);
}

static void store(struct backward *backward, struct infer_facts *step)
{
	bool certain = step->op.kind >= EAR_SEM_SB && step->op.kind <= EAR_SEM_SD;

	if (!infer_is_known(step->address)) {
		infer_memory_forget(&backward->memory);
		return;
	}
	if (certain)
		add(&step->b,
			infer_memory_load(&backward->memory, step->address.value, step->size));
	infer_memory_store(
		&backward->memory, step->address.value, step->size, (struct infer_value){0, 0});
}

static void take_step(struct backward *backward, struct infer_facts *step)
{
	const struct ear_semantics *op = &step->op;

	if (step->barrier) {
		forget(backward);
		return;
	}
	if (!step->executed)
		return;
	backward->xlen = step->xlen;
	if (step->writes_x) {
		add(&step->result, backward->x[op->rd]);
		backward->x[op->rd] = (struct infer_value){0, 0};
	}
	add(&step->a, backward->x[op->rs1]);
	add(&step->b, backward->x[op->rs2]);
	if (step->size > 0 && step->loads)
		load(backward, step);
	else if (step->size > 0)
		store(backward, step);
	turn_around(backward, step);
	if (op->rs1 != 0)
		add(&backward->x[op->rs1], step->a);
	if (op->rs2 != 0)
		add(&backward->x[op->rs2], step->b);
}

static void take_registers(struct backward *backward, const struct ear_infer_held *held)
{
	for (unsigned i = 1; i < 32; i++)
		add(&backward->x[i], infer_exactly(held->x[i]));
}

/* No more of it than the steps touch: a snapshot may be large. */
static void take_memory(struct backward *backward, const struct infer_facts *steps, size_t count,
	const struct ear_infer_snapshot *snapshot)
{
	for (size_t i = 0; i < count; i++)
		if (steps[i].size > 0 && infer_is_known(steps[i].address))
			infer_memory_show(&backward->memory, steps[i].address.value, steps[i].size,
				infer_snapshot_load(
					snapshot, steps[i].address.value, steps[i].size));
}

int infer_backward(const struct ear_infer *infer, struct infer_facts *steps, size_t count,
	const struct infer_end *end)
{
	struct infer_options options = infer->options;
	struct backward backward = {.xlen = 64};

	options.reset = false;
	int result = infer_memory_init(&backward.memory, &options);
	if (result)
		return result;
	backward.memory.shared = infer->memory.shared;
	backward.memory.moved = infer->memory.moved;
	for (size_t i = 0; i < options.image_count; i++)
		backward.memory.written[i] = infer->memory.written[i];
	for (unsigned i = 0; i < 32; i++)
		backward.x[i] = infer->harts[0]->x[i];
	if (end && end->memory)
		take_memory(&backward, steps, count, end->memory);
	while (count > 0) {
		if (end && end->at == count)
			take_registers(&backward, end->held);
		take_step(&backward, &steps[--count]);
	}
	result = backward.memory.bytes.failed ? EAR_E_NO_MEMORY : 0;
	infer_memory_fini(&backward.memory);
	return result;
}
