#include "iss_state.h"
#include "soft_float.h"

/* Instructions that compute with F registers. RISC-V unprivileged specification, chapters "F" and
 * "D". The decoder has refused what is reserved; here comes what depends on the state.
 */

#define OP_FMADD     0x43
#define OP_FMSUB     0x47
#define OP_FNMSUB    0x4b
#define OP_FNMADD    0x4f
#define BOX          (UINT64_C(0xffffffff) << 32)
#define ROUNDING_CSR 7 /* take the rounding mode from frm */

/* One instruction taken apart. */
struct operation {
	struct soft_float soft;
	unsigned function;           /* bits 31:27 */
	unsigned funct3, select, rd; /* select: the rs2 field */
	bool is_double;
	uint64_t a, b, c; /* F operands, unboxed */
};

static uint64_t read_register(const struct ear_iss *iss, unsigned number, bool is_double)
{
	uint64_t value = iss->f[number];

	if (is_double)
		return value;
	if (iss_has(iss, EAR_ISS_D) && (value & BOX) != BOX)
		return soft_nan(&soft_single); /* no single-precision number is in there */
	return (uint32_t)value;
}

void iss_float_write(struct ear_iss *iss, struct ear_retire *entry, unsigned number, uint64_t value)
{
	iss->f[number] = value;
	entry->frd_valid = true;
	entry->frd_addr = (uint8_t)number;
	entry->frd_wdata = value;
	iss_float_dirty(iss);
}

static void write_result(struct ear_iss *iss, struct ear_retire *entry,
	const struct operation *operation, uint64_t value)
{
	if (!operation->is_double && iss_has(iss, EAR_ISS_D))
		value |= BOX;
	iss_float_write(iss, entry, operation->rd, value);
}

/* False: the rounding mode is reserved. */
static bool take_rounding(const struct ear_iss *iss, struct operation *operation)
{
	unsigned mode = operation->funct3 == ROUNDING_CSR ? iss->csr.frm : operation->funct3;

	operation->soft.rounding = (enum soft_rounding)mode;
	return mode <= SOFT_RMM;
}

static uint64_t multiply_add(struct operation *operation, unsigned opcode)
{
	const struct soft_format *format = operation->soft.format;
	uint64_t a = operation->a, c = operation->c;

	if (opcode == OP_FNMSUB || opcode == OP_FNMADD)
		a = soft_negate(format, a);
	if (opcode == OP_FMSUB || opcode == OP_FNMADD)
		c = soft_negate(format, c);
	return soft_fma(&operation->soft, a, operation->b, c);
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
	struct soft_float *soft = &operation->soft;

	switch (operation->funct3) {
	case 0: return soft_less_equal(soft, operation->a, operation->b);
	case 1: return soft_less(soft, operation->a, operation->b);
	default: return soft_equal(soft, operation->a, operation->b);
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

/* fmv to x: the bits as they are. */
static uint64_t move_to_integer(
	const struct ear_iss *iss, const struct operation *operation, unsigned number)
{
	uint64_t value = iss->f[number];

	return operation->is_double ? value : (uint64_t)(int64_t)(int32_t)value;
}

/* Operations with a rounding mode whose result is an F register. */
static uint64_t arithmetic(struct operation *operation)
{
	struct soft_float *soft = &operation->soft;

	switch (operation->function) {
	case 0x00: return soft_add(soft, operation->a, operation->b);
	case 0x01: return soft_add(soft, operation->a, soft_negate(soft->format, operation->b));
	case 0x02: return soft_mul(soft, operation->a, operation->b);
	case 0x03: return soft_div(soft, operation->a, operation->b);
	default: return soft_sqrt(soft, operation->a);
	}
}

/* OP-FP. False: illegal. */
static bool execute(struct ear_iss *iss, struct ear_retire *entry, struct operation *operation,
	uint32_t wide, uint64_t integer, uint64_t *result)
{
	struct soft_float *soft = &operation->soft;
	unsigned bits = operation->select < 2 ? 32 : 64;
	bool is_signed = !(operation->select & 1);

	switch (operation->function) {
	case 0x04: write_result(iss, entry, operation, inject_sign(operation)); return true;
	case 0x05:
		write_result(iss, entry, operation,
			(operation->funct3 == 0 ? soft_min : soft_max)(
				soft, operation->a, operation->b));
		return true;
	case 0x14: *result = compare(operation); return true;
	case 0x1c:
		*result = operation->funct3 == 1
				  ? soft_class(soft->format, operation->a)
				  : move_to_integer(iss, operation, iss_bits(wide, 15, 5));
		return true;
	case 0x1e:
		write_result(
			iss, entry, operation, operation->is_double ? integer : (uint32_t)integer);
		return true;
	default: break;
	}
	if (!take_rounding(iss, operation))
		return false;
	switch (operation->function) {
	case 0x08:
		write_result(iss, entry, operation,
			soft_convert(soft,
				read_register(iss, iss_bits(wide, 15, 5), operation->select == 1),
				operation->select == 1 ? &soft_double : &soft_single));
		return true;
	case 0x18: *result = soft_to_integer(soft, operation->a, bits, is_signed); return true;
	case 0x1a:
		write_result(iss, entry, operation,
			soft_from_integer(
				soft, integer_operand(integer, operation->select), is_signed));
		return true;
	default: write_result(iss, entry, operation, arithmetic(operation)); return true;
	}
}

bool iss_float_execute(struct ear_iss *iss, struct ear_retire *entry, const struct iss_op *op,
	uint64_t a, uint64_t *result)
{
	uint32_t wide = op->wide;
	struct operation operation = {
		.function = wide >> 27,
		.funct3 = iss_bits(wide, 12, 3),
		.select = iss_bits(wide, 20, 5),
		.rd = iss_bits(wide, 7, 5),
		.is_double = iss_bits(wide, 25, 2) == 1,
	};
	unsigned opcode = wide & 0x7f;

	if (!iss_float_enabled(iss))
		return false;
	operation.soft.format = operation.is_double ? &soft_double : &soft_single;
	operation.a = read_register(iss, iss_bits(wide, 15, 5), operation.is_double);
	operation.b = read_register(iss, operation.select, operation.is_double);
	*result = 0;
	if (opcode <= OP_FNMADD) {
		operation.c = read_register(iss, operation.function, operation.is_double);
		if (!take_rounding(iss, &operation))
			return false;
		write_result(iss, entry, &operation, multiply_add(&operation, opcode));
	} else if (!execute(iss, entry, &operation, wide, a, result)) {
		return false;
	}
	if (operation.soft.flags) {
		entry->fflags = (uint8_t)operation.soft.flags;
		iss->csr.fflags |= entry->fflags;
		iss_float_dirty(iss);
	}
	return true;
}
