/* What computes with F registers. These are kept as a core with D has them, single precision in its
 * box: a core with F alone has the same low halves. So f registers are inferred only once an
 * instruction of D has executed, which says that there is no other half.
 *
 * Where the rounding mode is not known, a result is known if all modes give it.
 */
#include "library/infer/infer_float.h"

#include "library/check/semantics/semantics_float.h"

#define MODES       5u
#define FMT(op)     ear_semantics_bits((op)->wide, 25, 2)
#define FIELD_AT(i) ((i) == 0 ? 15u : (i) == 1 ? 20u : 27u)

/* Of the number-th mode of those that are possible. Returns false: the mode does not exist. */
static bool compute(const struct infer_step *step, struct ear_float_operands *operands,
	unsigned mode, struct ear_float_result *result)
{
	operands->frm = mode;
	return ear_semantics_float(step->op, operands, result);
}

static bool gather(const struct infer_step *step, struct ear_float_operands *operands)
{
	const struct ear_semantics *op = step->op;
	unsigned reads = ear_semantics_float_reads(op);
	bool known = infer_is_known(step->a);

	*operands = (struct ear_float_operands){.x = step->a.value, .flen = 64};
	for (unsigned i = 0; i < 3; i++) {
		struct infer_value value =
			step->hart->f[ear_semantics_bits(op->wide, FIELD_AT(i), 5)];
		operands->f[i] = value.value;
		known &= infer_is_known(value) || !(reads >> i & 1);
	}
	return known;
}

/* The result and its flags, if all modes that are possible agree on them. */
static void find_result(struct infer_step *step, struct infer_value *flags)
{
	const struct infer_value frm = step->hart->csrs[INFER_FRM];
	struct ear_float_operands operands;
	struct ear_float_result result, first = {.value = 0};
	unsigned from = 0, to = MODES;
	bool any = false;

	*flags = (struct infer_value){0, 0};
	if (!gather(step, &operands))
		return;
	if (infer_is_known(frm)) {
		from = (unsigned)frm.value & 7;
		to = from + 1;
	}
	step->result = (struct infer_value){0, UINT64_MAX};
	*flags = infer_exactly(0);
	for (unsigned mode = from; mode < to; mode++) {
		if (!compute(step, &operands, mode, &result))
			continue;
		if (any && first.value != result.value)
			step->result = (struct infer_value){0, 0};
		if (any && first.flags != result.flags)
			*flags = (struct infer_value){0, 0};
		if (!any)
			first = result;
		any = true;
	}
	if (!any) { /* no mode fits, but it executed: what is known of frm is wrong */
		step->contradicted = true;
		return;
	}
	step->result.value = first.value & step->result.known;
	flags->value = first.flags & flags->known;
}

/* FMV between x and f registers: only a core with f registers has them. */
static bool moves(const struct ear_semantics *op)
{
	unsigned function = op->wide >> 27;

	return function == 0x1e || (function == 0x1c && ear_semantics_bits(op->wide, 12, 3) == 0);
}

void infer_float(struct infer_step *step)
{
	const struct ear_semantics *op = step->op;
	struct infer_value flags = {0, 0}, *all = &step->hart->csrs[INFER_FFLAGS];

	step->infer->floats |= moves(op);
	step->infer->doubles |= step->infer->floats && FMT(op) == 1;
	step->result = flags;
	if (step->infer->floats)
		find_result(step, &flags);
	step->writes_f = ear_semantics_float_writes_f(op);
	/* It may be one of Zfinx, which has no f registers. */
	step->writes_x = op->rd != 0 || !step->infer->floats;
	step->number = ear_semantics_bits(op->wide, 7, 5);
	/* fflags collects them. */
	*all = infer_compute(EAR_SEM_OR, *all, flags, false, 64);
	if (step->doubtful)
		*all = (struct infer_value){0, 0};
}
