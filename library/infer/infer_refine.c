/* One instruction in all directions: the result from the operands, and each operand from the result
 * and the other one.
 *
 * Most is done bit by bit, since programs mix parts of registers: of x ^ (x << 13) the lowest 13
 * bits are known first, and they say what the next 13 are. Comparisons say something of the bits
 * that all numbers of a range share. Where few bits are missing all possibilities are tried, which
 * is exact for any operation: that way the polynomial of a CRC says which bit was shifted out.
 */
#include "library/infer/infer_refine.h"

#define TRIED_BITS 6u /* unknown bits of both operands: 64 possibilities */

bool infer_learn(struct infer_value *value, struct infer_value other)
{
	struct infer_value joined = infer_join(*value, other);
	bool more = joined.known != value->known && !infer_differs(*value, other);

	if (more)
		*value = joined;
	return more;
}

static uint64_t mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Only these bits of a value. */
static struct infer_value only(struct infer_value value, uint64_t mask)
{
	return (struct infer_value){value.value & mask, value.known & mask};
}

static struct infer_value moved_left(struct infer_value value, unsigned by)
{
	return (struct infer_value){value.value << by, value.known << by};
}

static struct infer_value moved_right(struct infer_value value, unsigned by)
{
	return (struct infer_value){value.value >> by, value.known >> by};
}

static struct infer_value subtract(struct infer_value a, struct infer_value b)
{
	return infer_compute(EAR_SEM_SUB, a, b, false, 64);
}

static struct infer_value invert(struct infer_value a)
{
	return (struct infer_value){~a.value & a.known, a.known};
}

static struct infer_value exclusive(struct infer_value a, struct infer_value b)
{
	uint64_t known = a.known & b.known;

	return (struct infer_value){(a.value ^ b.value) & known, known};
}

/* Ranges -------------------------------------------------------------------------------------- */

static uint64_t least(struct infer_value value)
{
	return value.value;
}

static uint64_t greatest(struct infer_value value)
{
	return value.value | ~value.known;
}

/* The value is one of low .. high: it has the bits that both begin with. */
static void limit(struct infer_value *value, uint64_t low, uint64_t high)
{
	uint64_t differs = low ^ high;
	unsigned shared = differs ? (unsigned)__builtin_clzll(differs) : 64;
	uint64_t known = shared ? ~mask_of(64 - shared) : 0;

	if (low <= high)
		infer_learn(value, (struct infer_value){low & known, known});
}

/* In the order of signed numbers. */
static struct infer_value biased(struct infer_value value, bool is_signed, unsigned xlen)
{
	uint64_t sign = (uint64_t)1 << (xlen - 1);

	if (is_signed)
		value.value ^= sign & value.known;
	return value;
}

/* a < b, or not. */
static void compare(
	struct infer_value *a, struct infer_value *b, bool less, bool is_signed, unsigned xlen)
{
	struct infer_value x = biased(*a, is_signed, xlen), y = biased(*b, is_signed, xlen);

	if (less && greatest(y) > 0 && least(x) < UINT64_MAX) {
		uint64_t top = greatest(y) - 1, bottom = least(x) + 1;
		limit(&x, least(x), top < greatest(x) ? top : greatest(x));
		limit(&y, bottom > least(y) ? bottom : least(y), greatest(y));
	} else if (!less) {
		limit(&x, least(x) > least(y) ? least(x) : least(y), greatest(x));
		limit(&y, least(y), greatest(y) < greatest(x) ? greatest(y) : greatest(x));
	}
	infer_learn(a, biased(x, is_signed, xlen));
	infer_learn(b, biased(y, is_signed, xlen));
}

static void set_less(struct infer_value *a, struct infer_value *b, struct infer_value *result,
	bool is_signed, unsigned xlen)
{
	struct infer_value x = biased(*a, is_signed, xlen), y = biased(*b, is_signed, xlen);

	if (greatest(x) < least(y))
		infer_learn(result, infer_exactly(1));
	if (least(x) >= greatest(y))
		infer_learn(result, infer_exactly(0));
	if (result->known & 1)
		compare(a, b, result->value & 1, is_signed, xlen);
}

/* Operations ---------------------------------------------------------------------------------- */

static void refine_shift(enum ear_semantics_kind kind, unsigned xlen, struct infer_value *a,
	unsigned by, struct infer_value result)
{
	struct infer_value low = only(result, UINT32_MAX);
	uint64_t all = mask_of(xlen);

	switch (kind) {
	case EAR_SEM_SLL:
		by &= xlen - 1;
		infer_learn(a, moved_right(only(result, all), by));
		break;
	case EAR_SEM_SRL:
	case EAR_SEM_SRA:
		by &= xlen - 1;
		infer_learn(a, only(moved_left(result, by), all));
		break;
	case EAR_SEM_SLLW: infer_learn(a, moved_right(low, by & 31)); break;
	case EAR_SEM_SLLI_UW:
		by &= xlen - 1;
		infer_learn(a, only(moved_right(only(result, all), by), UINT32_MAX));
		break;
	case EAR_SEM_ROL:
		by = -by;
		/* fall through */
	case EAR_SEM_ROR:
		by &= xlen - 1;
		result = only(result, all);
		infer_learn(a, by ? only((struct infer_value){result.value << by |
								      result.value >> (xlen - by),
						 result.known << by | result.known >> (xlen - by)},
					    all)
				  : result);
		break;
	case EAR_SEM_ROLW:
		by = -by;
		/* fall through */
	case EAR_SEM_RORW:
		by &= 31;
		infer_learn(
			a, by ? only((struct infer_value){low.value << by | low.value >> (32 - by),
					     low.known << by | low.known >> (32 - by)},
					UINT32_MAX)
			      : low);
		break;
	default: infer_learn(a, only(moved_left(low, by & 31), UINT32_MAX)); break;
	}
}

/* The inverse of an odd number: each step doubles the bits that are right. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t found = odd;

	for (int i = 0; i < 5; i++)
		found *= 2 - odd * found;
	return found;
}

/* The lowest bits that are known without a hole. */
static unsigned low_known(struct infer_value value)
{
	return infer_is_known(value) ? 64 : (unsigned)__builtin_ctzll(~value.known);
}

/* A factor by the product and the other factor, which is odd but for some zeros at its end. */
static void divide(struct infer_value *factor, struct infer_value other, struct infer_value product,
	unsigned xlen)
{
	unsigned bits = low_known(product), zeros;

	if ((other.known & mask_of(xlen)) != mask_of(xlen) || (other.value & mask_of(xlen)) == 0)
		return;
	zeros = (unsigned)__builtin_ctzll(other.value);
	bits = bits < xlen ? bits : xlen;
	if (bits <= zeros)
		return;
	infer_learn(factor,
		only(infer_exactly((product.value >> zeros) * inverse(other.value >> zeros)),
			mask_of(bits - zeros)));
}

/* xlen: 32 for MULW, too. */
static void refine_product(
	struct infer_value *a, struct infer_value *b, struct infer_value *result, unsigned xlen)
{
	unsigned of_a = low_known(*a), of_b = low_known(*b);
	unsigned bits = of_a < of_b ? of_a : of_b;

	infer_learn(result,
		only(infer_exactly(a->value * b->value), mask_of(bits < xlen ? bits : xlen)));
	divide(a, *b, *result, xlen);
	divide(b, *a, *result, xlen);
}

static void refine_sum(unsigned xlen, struct infer_value *a, struct infer_value *b,
	struct infer_value result, uint64_t mask)
{
	struct infer_value of_a = subtract(result, *b), of_b = subtract(result, *a);

	mask &= mask_of(xlen);
	infer_learn(a, only(of_a, mask));
	infer_learn(b, only(of_b, mask));
}

/* a shifted, and its upper half left out, plus b. */
static void refine_scaled(unsigned by, bool word, unsigned xlen, struct infer_value *a,
	struct infer_value *b, struct infer_value *result)
{
	uint64_t all = mask_of(xlen);
	struct infer_value used = word ? infer_zero_extend(*a, 32) : *a;
	struct infer_value scaled = {used.value << by, used.known << by | mask_of(by)};

	infer_learn(result, infer_to_xlen(infer_add(scaled, *b), xlen));
	infer_learn(b, only(subtract(*result, scaled), all));
	scaled = only(subtract(*result, *b), all);
	infer_learn(a, only(moved_right(scaled, by), word ? UINT32_MAX : all));
}

/* result: the bits of a register alone, since an inverted operand has ones above them. */
static void refine_bits(enum ear_semantics_kind kind, struct infer_value *a, struct infer_value *b,
	struct infer_value result)
{
	struct infer_value other = *b, found;

	if (kind == EAR_SEM_ANDN || kind == EAR_SEM_ORN || kind == EAR_SEM_XNOR)
		other = invert(other);
	switch (kind) {
	case EAR_SEM_AND:
	case EAR_SEM_ANDN: /* a one says that both are; a zero beside a one is the other's */
		infer_learn(a, only(result, result.value | other.value));
		found = only(result, result.value | a->value);
		break;
	case EAR_SEM_OR:
	case EAR_SEM_ORN: {
		uint64_t zeros = result.known & ~result.value;
		infer_learn(a, only(result, zeros | (other.known & ~other.value)));
		found = only(result, zeros | (a->known & ~a->value));
		break;
	}
	default:
		infer_learn(a, exclusive(result, other));
		found = exclusive(result, *a);
		break;
	}
	infer_learn(b, kind == EAR_SEM_AND || kind == EAR_SEM_OR || kind == EAR_SEM_XOR
			       ? found
			       : invert(found));
}

/* All possibilities --------------------------------------------------------------------------- */

/* Try all operands that are possible. */
static void try_all(enum ear_semantics_kind kind, unsigned xlen, bool same, uint64_t used,
	struct infer_value *a, struct infer_value *b, struct infer_value *result)
{
	uint64_t of_a = ~a->known, of_b = same ? 0 : ~b->known & used;
	unsigned bits_a = (unsigned)__builtin_popcountll(of_a);
	unsigned bits = bits_a + (unsigned)__builtin_popcountll(of_b);
	struct infer_tried as = {0, 0}, bs = {0, 0}, results = {0, 0};

	if (bits == 0 || bits > TRIED_BITS)
		return;
	for (unsigned i = 0; i < 1u << bits; i++) {
		uint64_t x = infer_choose(*a, of_a, i);
		uint64_t y = same ? x : infer_choose(*b, of_b, i >> bits_a);
		uint64_t z = xlen == 32 ? ear_semantics_compute_32(kind, x, y)
					: ear_semantics_compute_64(kind, x, y);
		if ((z ^ result->value) & result->known)
			continue;
		infer_try(&as, infer_exactly(x));
		infer_try(&bs, infer_exactly(y));
		infer_try(&results, infer_exactly(z));
	}
	infer_learn(a, infer_tried(&as));
	if (!same)
		infer_learn(b, only(infer_tried(&bs), used | b->known));
	infer_learn(result, infer_tried(&results));
}

static bool is_shift(enum ear_semantics_kind kind)
{
	return kind == EAR_SEM_SLL || kind == EAR_SEM_SRL || kind == EAR_SEM_SRA ||
	       kind == EAR_SEM_SLLW || kind == EAR_SEM_SRLW || kind == EAR_SEM_SRAW ||
	       kind == EAR_SEM_ROL || kind == EAR_SEM_ROR || kind == EAR_SEM_ROLW ||
	       kind == EAR_SEM_RORW || kind == EAR_SEM_SLLI_UW;
}

static void refine_different(enum ear_semantics_kind kind, unsigned xlen, struct infer_value *a,
	struct infer_value *b, struct infer_value *result)
{
	struct infer_value low = only(*result, UINT32_MAX), all = only(*result, mask_of(xlen));

	switch (kind) {
	case EAR_SEM_ADD: refine_sum(xlen, a, b, *result, UINT64_MAX); break;
	case EAR_SEM_ADDW: refine_sum(xlen, a, b, low, UINT32_MAX); break;
	case EAR_SEM_SUB:
		infer_learn(a, infer_to_xlen(infer_add(*result, *b), xlen));
		infer_learn(b, only(subtract(*a, *result), mask_of(xlen)));
		break;
	case EAR_SEM_SUBW:
		infer_learn(a, only(infer_add(low, *b), UINT32_MAX));
		infer_learn(b, only(subtract(*a, low), UINT32_MAX));
		break;
	case EAR_SEM_AND:
	case EAR_SEM_OR:
	case EAR_SEM_XOR:
	case EAR_SEM_ANDN:
	case EAR_SEM_ORN:
	case EAR_SEM_XNOR: refine_bits(kind, a, b, all); break;
	case EAR_SEM_MUL: refine_product(a, b, result, xlen); break;
	case EAR_SEM_MULW: refine_product(a, b, result, 32); break;
	case EAR_SEM_SH1ADD:
	case EAR_SEM_SH2ADD:
	case EAR_SEM_SH3ADD:
		refine_scaled(1 + kind - EAR_SEM_SH1ADD, false, xlen, a, b, result);
		break;
	case EAR_SEM_ADD_UW:
	case EAR_SEM_SH1ADD_UW:
	case EAR_SEM_SH2ADD_UW:
	case EAR_SEM_SH3ADD_UW:
		refine_scaled(kind - EAR_SEM_ADD_UW, true, xlen, a, b, result);
		break;
	case EAR_SEM_SLT: set_less(a, b, result, true, xlen); break;
	case EAR_SEM_SLTU: set_less(a, b, result, false, xlen); break;
	case EAR_SEM_SEXT_B: infer_learn(a, only(*result, 0xff)); break;
	case EAR_SEM_SEXT_H:
	case EAR_SEM_ZEXT_H: infer_learn(a, only(*result, 0xffff)); break;
	case EAR_SEM_REV8:
		infer_learn(a, (struct infer_value){__builtin_bswap64(result->value) >> (64 - xlen),
				       __builtin_bswap64(result->known) >> (64 - xlen)});
		break;
	default:
		if (is_shift(kind) && infer_is_known(*b))
			refine_shift(kind, xlen, a, (unsigned)b->value, *result);
		break;
	}
}

void infer_refine(enum ear_semantics_kind kind, unsigned xlen, bool same, struct infer_value *a,
	struct infer_value *b, struct infer_value *result)
{
	infer_learn(result, infer_compute(kind, *a, *b, same, xlen));
	if (infer_is_known(*a) && infer_is_known(*b))
		return;
	if (!same)
		refine_different(kind, xlen, a, b, result);
	try_all(kind, xlen, same, is_shift(kind) ? xlen - 1u : UINT64_MAX, a, b, result);
	if (same)
		*b = *a;
}

void infer_refine_branch(enum ear_semantics_kind kind, unsigned xlen, bool taken,
	struct infer_value *a, struct infer_value *b)
{
	switch (kind) {
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
		if (taken != (kind == EAR_SEM_BEQ))
			break;
		infer_learn(a, *b);
		infer_learn(b, *a);
		break;
	case EAR_SEM_BLT:
	case EAR_SEM_BGE: compare(a, b, taken == (kind == EAR_SEM_BLT), true, xlen); break;
	default: compare(a, b, taken == (kind == EAR_SEM_BLTU), false, xlen); break;
	}
}
