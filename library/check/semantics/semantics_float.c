/* Instructions that compute with f registers. The decoder has refused what is reserved; here comes
 * what depends on the state.
 */
#include "library/check/semantics/semantics_float.h"

#include "library/check/semantics/soft_float.h"

#define OP_FMADD     0x43
#define OP_FMSUB     0x47
#define OP_FNMSUB    0x4b
#define OP_FNMADD    0x4f
#define BOX          (UINT64_C(0xffffffff) << 32)
#define ROUNDING_CSR 7 /* take the rounding mode from frm */

/* One instruction taken apart. */
struct operation {
	const struct ear_float_operands *operands;
	struct ear_soft_float soft;
	unsigned function;       /* bits 31:27 */
	unsigned funct3, select; /* select: the rs2 field */
	bool is_double;
	uint64_t a, b, c; /* f operands, unboxed */
};

static uint64_t unbox(const struct ear_float_operands *operands, uint64_t value, bool is_double)
{
	if (is_double)
		return value;
	if (operands->flen == 64 && (value & BOX) != BOX)
		return ear_soft_nan(&ear_soft_single); /* no single-precision number is in there */
	return (uint32_t)value;
}

static void write_float(
	const struct operation *operation, struct ear_float_result *result, uint64_t value)
{
	if (!operation->is_double && operation->operands->flen == 64)
		value |= BOX;
	result->value = value;
	result->is_float = true;
}

/* False: the rounding mode is reserved. */
static bool take_rounding(struct operation *operation)
{
	unsigned mode =
		operation->funct3 == ROUNDING_CSR ? operation->operands->frm : operation->funct3;

	operation->soft.rounding = (enum ear_soft_rounding)mode;
	return mode <= EAR_SOFT_RMM;
}

static uint64_t multiply_add(struct operation *operation, unsigned opcode)
{
	const struct ear_soft_format *format = operation->soft.format;
	uint64_t a = operation->a, c = operation->c;

	if (opcode == OP_FNMSUB || opcode == OP_FNMADD)
		a = ear_soft_negate(format, a);
	if (opcode == OP_FMSUB || opcode == OP_FNMADD)
		c = ear_soft_negate(format, c);
	return ear_soft_fma(&operation->soft, a, operation->b, c);
}

static uint64_t inject_sign(const struct operation *operation)
{
	uint64_t sign = operation->is_double ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	uint64_t a = operation->a, b = operation->b;

	switch (operation->funct3) {
	case 0: return (a & ~sign) | (b & sign);
	case 1: return (a & ~sign) | (~b & sign);
	default: return a ^ (b & sign);
	}
}

static uint64_t compare(struct operation *operation)
{
	struct ear_soft_float *soft = &operation->soft;

	switch (operation->funct3) {
	case 0: return ear_soft_less_equal(soft, operation->a, operation->b);
	case 1: return ear_soft_less(soft, operation->a, operation->b);
	default: return ear_soft_equal(soft, operation->a, operation->b);
	}
}

/* The integer operand of a conversion: select 0 w, 1 wu, 2 l, 3 lu. */
static uint64_t integer_operand(uint64_t a, unsigned select)
{
	switch (select) {
	case 0: return (uint64_t)(int64_t)(int32_t)a;
	case 1: return (uint32_t)a;
	default: return a;
	}
}

/* Operations with a rounding mode whose result is an F register. */
static uint64_t arithmetic(struct operation *operation)
{
	struct ear_soft_float *soft = &operation->soft;

	switch (operation->function) {
	case 0x00: return ear_soft_add(soft, operation->a, operation->b);
	case 0x01:
		return ear_soft_add(
			soft, operation->a, ear_soft_negate(soft->format, operation->b));
	case 0x02: return ear_soft_mul(soft, operation->a, operation->b);
	case 0x03: return ear_soft_div(soft, operation->a, operation->b);
	default: return ear_soft_sqrt(soft, operation->a);
	}
}

/* OP-FP. False: the rounding mode is reserved. */
static bool execute(struct operation *operation, struct ear_float_result *result)
{
	const struct ear_float_operands *operands = operation->operands;
	struct ear_soft_float *soft = &operation->soft;
	unsigned bits = operation->select < 2 ? 32 : 64;
	bool is_signed = !(operation->select & 1);

	switch (operation->function) {
	case 0x04: write_float(operation, result, inject_sign(operation)); return true;
	case 0x05:
		write_float(operation, result,
			(operation->funct3 == 0 ? ear_soft_min : ear_soft_max)(
				soft, operation->a, operation->b));
		return true;
	case 0x14: result->value = compare(operation); return true;
	case 0x1c:
		if (operation->funct3 == 1)
			result->value = ear_soft_class(soft->format, operation->a);
		else /* fmv to x: the bits as they are */
			result->value = operation->is_double
						? operands->f[0]
						: (uint64_t)(int64_t)(int32_t)operands->f[0];
		return true;
	case 0x1e:
		write_float(operation, result,
			operation->is_double ? operands->x : (uint32_t)operands->x);
		return true;
	default: break;
	}
	if (!take_rounding(operation))
		return false;
	switch (operation->function) {
	case 0x08: {
		bool from_double = operation->select == 1;
		write_float(operation, result,
			ear_soft_convert(soft, unbox(operands, operands->f[0], from_double),
				from_double ? &ear_soft_double : &ear_soft_single));
		return true;
	}
	case 0x18:
		result->value = ear_soft_to_integer(soft, operation->a, bits, is_signed);
		return true;
	case 0x1a:
		write_float(operation, result,
			ear_soft_from_integer(
				soft, integer_operand(operands->x, operation->select), is_signed));
		return true;
	default: write_float(operation, result, arithmetic(operation)); return true;
	}
}

unsigned ear_semantics_float_reads(const struct ear_semantics *op)
{
	if ((op->wide & 0x7f) <= OP_FNMADD)
		return 7;
	switch (op->wide >> 27) {
	case 0x08:
	case 0x0b:
	case 0x18:
	case 0x1c: return 1; /* conversions, sqrt, fmv to x, fclass */
	case 0x1a:
	case 0x1e: return 0; /* from an x register */
	default: return 3;
	}
}

bool ear_semantics_float_writes_f(const struct ear_semantics *op)
{
	unsigned function = op->wide >> 27;

	if (op->kind != EAR_SEM_FLOAT)
		return op->kind == EAR_SEM_FLOAD;
	/* Comparisons, conversions, moves and classes go to x registers. */
	return (op->wide & 0x7f) <= OP_FNMADD ||
	       (function != 0x14 && function != 0x18 && function != 0x1c);
}

bool ear_semantics_float(const struct ear_semantics *op, const struct ear_float_operands *operands,
	struct ear_float_result *result)
{
	struct operation operation = {
		.operands = operands,
		.function = op->wide >> 27,
		.funct3 = ear_semantics_bits(op->wide, 12, 3),
		.select = ear_semantics_bits(op->wide, 20, 5),
		.is_double = ear_semantics_bits(op->wide, 25, 2) == 1,
	};
	unsigned opcode = op->wide & 0x7f;

	*result = (struct ear_float_result){.value = 0};
	operation.soft.format = operation.is_double ? &ear_soft_double : &ear_soft_single;
	operation.a = unbox(operands, operands->f[0], operation.is_double);
	operation.b = unbox(operands, operands->f[1], operation.is_double);
	operation.c = unbox(operands, operands->f[2], operation.is_double);
	if (opcode <= OP_FNMADD) {
		if (!take_rounding(&operation))
			return false;
		write_float(&operation, result, multiply_add(&operation, opcode));
	} else if (!execute(&operation, result)) {
		return false;
	}
	result->flags = operation.soft.flags;
	return true;
}
