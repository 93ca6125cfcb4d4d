/* F and D. Of an operand that is not known, of a core with or without D, nothing is known. Where
 * the rounding mode is not known, a result is known if all modes give it.
 */
#include "library/check/semantics/semantics_float.h"
#include "library/diversion/diversion_internal.h"

#define MODES    5u
#define FMV_X_W  0xe0000053u /* it needs no more than the lower half */
#define FMV_MASK 0xfff0707fu

static const uint8_t field_at[3] = {15, 20, 27};

/* Returns whether all operands are known; else *origin says of which not. */
static bool gather(const struct ear_diversion *diversion, struct diversion_plan *plan,
	struct ear_float_operands *operands, struct diversion_origin *origin)
{
	const struct ear_semantics *op = &plan->op;
	const unsigned reads = ear_semantics_float_reads(op);
	bool known = infer_is_known(plan->a.value);

	*operands = (struct ear_float_operands){
		.x = plan->a.value.value, .flen = diversion->flen == 32 ? 32 : 64};
	*origin = plan->a.origin;
	for (unsigned i = 0; i < 3; i++) {
		const struct diversion_register *reg =
			&diversion->f[ear_semantics_bits(op->wide, field_at[i], 5)];
		operands->f[i] = reg->value.value;
		if ((reads >> i & 1) && !infer_is_known(reg->value)) {
			*origin = reg->origin;
			known = false;
		}
	}
	return known;
}

/* Of all rounding modes that are possible. Returns false: there is none. */
static bool compute(struct ear_diversion *diversion, struct diversion_plan *plan,
	struct ear_float_operands *operands, struct infer_value *flags)
{
	const struct infer_value frm = diversion_csr_read(diversion, CSR_FRM);
	struct ear_float_result first = {.value = 0}, result;
	bool any = false;

	plan->result.value = infer_exactly(0);
	*flags = infer_exactly(0);
	for (unsigned mode = 0; mode < MODES; mode++) {
		operands->frm = infer_is_known(frm) ? (unsigned)frm.value & 7 : mode;
		if (!ear_semantics_float(&plan->op, operands, &result))
			continue;
		if (any && first.value != result.value)
			plan->result = (struct diversion_register){
				{0, 0}, {ORIGIN_CSR, CSR_FRM, plan->step->pc}};
		if (any && first.flags != result.flags)
			*flags = infer_zero_extend((struct infer_value){0, 0}, 5);
		if (!any)
			first = result;
		any = true;
	}
	plan->result.value.value = first.value & plan->result.value.known;
	flags->value = first.flags & flags->known;
	return any;
}

bool diversion_float(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const struct ear_semantics *op = &plan->op;
	struct ear_float_operands operands;
	struct infer_value flags = infer_zero_extend((struct infer_value){0, 0}, 5);

	if (!diversion_csr_float(diversion, plan))
		return false;
	plan->writes_f = ear_semantics_float_writes_f(op);
	plan->writes_x = !plan->writes_f;
	plan->rd = ear_semantics_bits(op->wide, 7, 5);
	if (gather(diversion, plan, &operands, &plan->result.origin)) {
		if (!compute(diversion, plan, &operands, &flags))
			return diversion_end(plan, "its rounding mode is reserved: a trap");
	} else if ((op->wide & FMV_MASK) == FMV_X_W) {
		plan->result.value = infer_sign_extend(
			diversion->f[ear_semantics_bits(op->wide, 15, 5)].value, 32);
		flags = infer_exactly(0);
	} else {
		plan->result.value = (struct infer_value){0, 0};
	}
	plan->writes_flags = true;
	plan->flags = infer_compute(
		EAR_SEM_OR, diversion_csr_read(diversion, CSR_FFLAGS), flags, false, 64);
	return true;
}
