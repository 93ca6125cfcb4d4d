/* Operations on values of which some bits are known.
 *
 * With all bits of both operands the result is what library/check/semantics has. With fewer of them
 * only what programs do with parts of a register is followed: logic, sums, shifts, and extensions.
 * Of anything else nothing is known, which is never wrong.
 */
#include "library/infer/infer_value.h"

static const struct infer_value unknown = {0, 0};

uint64_t infer_choose(struct infer_value value, uint64_t missing, unsigned number)
{
	uint64_t chosen = value.value;

	for (; missing; missing &= missing - 1, number >>= 1)
		if (number & 1)
			chosen |= missing & -missing;
	return chosen;
}

void infer_try(struct infer_tried *tried, struct infer_value value)
{
	tried->ones |= value.value | ~value.known;
	tried->zeros |= ~value.value;
}

struct infer_value infer_tried(const struct infer_tried *tried)
{
	uint64_t known = tried->ones ^ tried->zeros;

	return (struct infer_value){tried->ones & known, known};
}

struct infer_value infer_zero_extend(struct infer_value value, unsigned bits)
{
	uint64_t mask = UINT64_MAX >> (64 - bits);

	return (struct infer_value){value.value & mask, value.known | ~mask};
}

struct infer_value infer_sign_extend(struct infer_value value, unsigned bits)
{
	unsigned shift = 64 - bits;

	/* The sign is known for each bit above, or for none: so it is for "known", too. */
	return (struct infer_value){(uint64_t)((int64_t)(value.value << shift) >> shift),
		(uint64_t)((int64_t)(value.known << shift) >> shift)};
}

struct infer_value infer_to_xlen(struct infer_value value, unsigned xlen)
{
	return xlen == 32 ? infer_zero_extend(value, 32) : value;
}

/* A carry is known where it is the same with all unknown bits 0 and with all of them 1: it grows
 * with the operands. */
static struct infer_value add(struct infer_value a, struct infer_value b, unsigned carry)
{
	uint64_t a_most = a.value | ~a.known, b_most = b.value | ~b.known;
	uint64_t least = a.value + b.value + carry, most = a_most + b_most + carry;
	uint64_t differs = (least ^ a.value ^ b.value) ^ (most ^ a_most ^ b_most);
	uint64_t known = a.known & b.known & ~differs;

	return (struct infer_value){least & known, known};
}

static struct infer_value invert(struct infer_value a)
{
	return (struct infer_value){~a.value & a.known, a.known};
}

struct infer_value infer_add(struct infer_value a, struct infer_value b)
{
	return add(a, b, 0);
}

static struct infer_value and (struct infer_value a, struct infer_value b)
{
	uint64_t zero = (a.known & ~a.value) | (b.known & ~b.value);

	return (struct infer_value){a.value & b.value, (a.known & b.known) | zero};
}

static struct infer_value or (struct infer_value a, struct infer_value b)
{
	return (struct infer_value){a.value | b.value, (a.known & b.known) | a.value | b.value};
}

static struct infer_value xor
	(struct infer_value a, struct infer_value b) {
		uint64_t known = a.known & b.known;

		return (struct infer_value){(a.value ^ b.value) & known, known};
	}

	static struct infer_value left(struct infer_value a, unsigned by)
{
	return (struct infer_value){a.value << by, a.known << by | ~(UINT64_MAX << by)};
}

static struct infer_value right(struct infer_value a, unsigned by)
{
	return (struct infer_value){a.value >> by, a.known >> by | ~(UINT64_MAX >> by)};
}

static struct infer_value right_signed(struct infer_value a, unsigned by)
{
	return (struct infer_value){
		(uint64_t)((int64_t)a.value >> by), (uint64_t)((int64_t)a.known >> by)};
}

static struct infer_value shift(
	enum ear_semantics_kind kind, struct infer_value a, unsigned by, unsigned xlen)
{
	switch (kind) {
	case EAR_SEM_SLL: return left(a, by & (xlen - 1));
	case EAR_SEM_SRL: return right(a, by & (xlen - 1));
	case EAR_SEM_SRA: return right_signed(infer_sign_extend(a, xlen), by & (xlen - 1));
	case EAR_SEM_SLLW: return infer_sign_extend(left(a, by & 31), 32);
	case EAR_SEM_SRLW: return infer_sign_extend(right(infer_zero_extend(a, 32), by & 31), 32);
	default: return right_signed(infer_sign_extend(a, 32), by & 31);
	}
}

/* Some bits are not known. */
static struct infer_value compute_part(enum ear_semantics_kind kind, struct infer_value a,
	struct infer_value b, bool same, unsigned xlen)
{
	switch (kind) {
	case EAR_SEM_ADD: return add(a, b, 0);
	case EAR_SEM_SUB: return same ? infer_exactly(0) : add(a, invert(b), 1);
	case EAR_SEM_ADDW: return infer_sign_extend(add(a, b, 0), 32);
	case EAR_SEM_SUBW:
		return same ? infer_exactly(0) : infer_sign_extend(add(a, invert(b), 1), 32);
	case EAR_SEM_AND: return and(a, b);
	case EAR_SEM_OR: return or (a, b);
	case EAR_SEM_XOR: return same ? infer_exactly(0) : xor(a, b);
	case EAR_SEM_ANDN: return and(a, invert(b));
	case EAR_SEM_ORN: return or (a, invert(b));
	case EAR_SEM_XNOR: return xor(a, invert(b));
	case EAR_SEM_SLL:
	case EAR_SEM_SRL:
	case EAR_SEM_SRA:
	case EAR_SEM_SLLW:
	case EAR_SEM_SRLW:
	case EAR_SEM_SRAW:
		return infer_is_known(b) ? shift(kind, a, (unsigned)b.value & 63, xlen) : unknown;
	case EAR_SEM_SEXT_B: return infer_sign_extend(a, 8);
	case EAR_SEM_SEXT_H: return infer_sign_extend(a, 16);
	case EAR_SEM_ZEXT_H: return infer_zero_extend(a, 16);
	case EAR_SEM_SLT:
	case EAR_SEM_SLTU: return (struct infer_value){0, ~(uint64_t)1};
	case EAR_SEM_MUL:
		return (infer_is_known(a) && a.value == 0) || (infer_is_known(b) && b.value == 0)
			       ? infer_exactly(0)
			       : unknown;
	default: return unknown;
	}
}

struct infer_value infer_compute(enum ear_semantics_kind kind, struct infer_value a,
	struct infer_value b, bool same, unsigned xlen)
{
	if (!infer_is_known(a) || !infer_is_known(b))
		return infer_to_xlen(compute_part(kind, a, b, same, xlen), xlen);
	return infer_exactly(xlen == 32 ? ear_semantics_compute_32(kind, a.value, b.value)
					: ear_semantics_compute_64(kind, a.value, b.value));
}
