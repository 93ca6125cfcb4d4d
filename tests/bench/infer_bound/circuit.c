/* Instructions as clauses.
 *
 * Each bit that is not constant is a variable, and a gate has the clauses that say what it is
 * (Tseitin). Constants are worked out here, so what the trace fixes costs nothing: a product with a
 * known factor has a row for each of its ones. A division is the product that it is the inverse of.
 * What is not modelled is fixed to what it was in the run: that leaves out worlds, and adds none.
 */
#include "circuit.h"

#include <ccadical.h>
#include <stddef.h>

void circuit_init(struct circuit *circuit)
{
	/* With these the solver takes clauses away, which those that come later need. */
	static const char *const off[] = {"elim", "block", "cover", "condition"};

	*circuit = (struct circuit){.sat = ccadical_init(), .variables = 1};
	for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		ccadical_set_option(circuit->sat, off[i], 0);
	circuit_clause(circuit, CIRCUIT_TRUE, 0, 0);
}

void circuit_fini(struct circuit *circuit)
{
	ccadical_release(circuit->sat);
}

void circuit_clause(struct circuit *circuit, int a, int b, int c)
{
	const int literals[] = {a, b, c};

	for (unsigned i = 0; i < 3; i++)
		if (literals[i] != 0)
			ccadical_add(circuit->sat, literals[i]);
	ccadical_add(circuit->sat, 0);
}

int circuit_free(struct circuit *circuit, bool truth)
{
	int variable = ++circuit->variables;

	return truth ? -variable : variable; /* the solver tries true first */
}

static bool is_constant(int literal)
{
	return literal == CIRCUIT_TRUE || literal == CIRCUIT_FALSE;
}

/* Gates --------------------------------------------------------------------------------------- */

static int make_and(struct circuit *circuit, int a, int b)
{
	if (a == CIRCUIT_FALSE || b == CIRCUIT_FALSE || a == -b)
		return CIRCUIT_FALSE;
	if (a == CIRCUIT_TRUE || a == b)
		return b;
	if (b == CIRCUIT_TRUE)
		return a;
	int out = ++circuit->variables;
	circuit_clause(circuit, -out, a, 0);
	circuit_clause(circuit, -out, b, 0);
	circuit_clause(circuit, out, -a, -b);
	return out;
}

static int make_or(struct circuit *circuit, int a, int b)
{
	return -make_and(circuit, -a, -b);
}

static int make_xor(struct circuit *circuit, int a, int b)
{
	if (is_constant(a))
		return a == CIRCUIT_TRUE ? -b : b;
	if (is_constant(b))
		return b == CIRCUIT_TRUE ? -a : a;
	if (a == b)
		return CIRCUIT_FALSE;
	if (a == -b)
		return CIRCUIT_TRUE;
	int out = ++circuit->variables;
	circuit_clause(circuit, -out, a, b);
	circuit_clause(circuit, -out, -a, -b);
	circuit_clause(circuit, out, -a, b);
	circuit_clause(circuit, out, a, -b);
	return out;
}

int circuit_choose(struct circuit *circuit, int select, int a, int b)
{
	if (a == b || select == CIRCUIT_TRUE)
		return a;
	if (select == CIRCUIT_FALSE)
		return b;
	if (is_constant(a) || is_constant(b) || a == -b)
		return make_or(
			circuit, make_and(circuit, select, a), make_and(circuit, -select, b));
	int out = ++circuit->variables;
	circuit_clause(circuit, -select, -out, a);
	circuit_clause(circuit, -select, out, -a);
	circuit_clause(circuit, select, -out, b);
	circuit_clause(circuit, select, out, -b);
	circuit_clause(circuit, -out, a, b);
	circuit_clause(circuit, out, -a, -b);
	return out;
}

/* At least two of three. */
static int majority(struct circuit *circuit, int a, int b, int c)
{
	if (is_constant(a))
		return a == CIRCUIT_TRUE ? make_or(circuit, b, c) : make_and(circuit, b, c);
	if (is_constant(b))
		return b == CIRCUIT_TRUE ? make_or(circuit, a, c) : make_and(circuit, a, c);
	if (is_constant(c))
		return c == CIRCUIT_TRUE ? make_or(circuit, a, b) : make_and(circuit, a, b);
	if (a == b || a == -b)
		return a == b ? a : c;
	int out = ++circuit->variables;
	circuit_clause(circuit, -out, a, b);
	circuit_clause(circuit, -out, a, c);
	circuit_clause(circuit, -out, b, c);
	circuit_clause(circuit, out, -a, -b);
	circuit_clause(circuit, out, -a, -c);
	circuit_clause(circuit, out, -b, -c);
	return out;
}

/* Words --------------------------------------------------------------------------------------- */

struct circuit_word circuit_constant(uint64_t value)
{
	struct circuit_word word = {.truth = value};

	for (unsigned i = 0; i < 64; i++)
		word.bits[i] = value >> i & 1 ? CIRCUIT_TRUE : CIRCUIT_FALSE;
	return word;
}

struct circuit_word circuit_unknown(struct circuit *circuit, uint64_t truth, unsigned xlen)
{
	struct circuit_word word = circuit_constant(0);

	word.truth = truth;
	for (unsigned i = 0; i < xlen; i++)
		word.bits[i] = circuit_free(circuit, truth >> i & 1);
	return word;
}

bool circuit_is_constant(const struct circuit_word *word)
{
	for (unsigned i = 0; i < 64; i++)
		if (!is_constant(word->bits[i]))
			return false;
	return true;
}

void circuit_fix(struct circuit *circuit, const struct circuit_word *word)
{
	for (unsigned i = 0; i < 64; i++) {
		int literal = word->truth >> i & 1 ? word->bits[i] : -word->bits[i];
		if (literal != CIRCUIT_TRUE)
			circuit_clause(circuit, literal, 0, 0);
	}
}

int circuit_differs(struct circuit *circuit, const struct circuit_word *word)
{
	int differs = ++circuit->variables;

	ccadical_add(circuit->sat, -differs);
	for (unsigned i = 0; i < 64; i++)
		if (!is_constant(word->bits[i]))
			ccadical_add(circuit->sat,
				word->truth >> i & 1 ? -word->bits[i] : word->bits[i]);
	ccadical_add(circuit->sat, 0);
	return differs;
}

uint64_t circuit_value(const struct circuit *circuit, const struct circuit_word *word)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 64; i++) {
		int bit = word->bits[i];
		bool set = is_constant(bit) ? bit == CIRCUIT_TRUE
					    : (ccadical_val(circuit->sat, bit < 0 ? -bit : bit) >
						      0) == (bit > 0);
		value |= (uint64_t)set << i;
	}
	return value;
}

struct circuit_word circuit_extend(const struct circuit_word *word, unsigned bits, bool sign)
{
	struct circuit_word out = *word;

	for (unsigned i = bits; i < 64; i++)
		out.bits[i] = sign ? word->bits[bits - 1] : CIRCUIT_FALSE;
	return out; /* the caller knows the truth */
}

static struct circuit_word invert(const struct circuit_word *word)
{
	struct circuit_word out;

	out.truth = ~word->truth;
	for (unsigned i = 0; i < 64; i++)
		out.bits[i] = -word->bits[i];
	return out;
}

/* a + b + carry over some bits; *carry_out may be NULL. */
static struct circuit_word add(struct circuit *circuit, const struct circuit_word *a,
	const struct circuit_word *b, int carry, unsigned bits, int *carry_out)
{
	struct circuit_word sum = circuit_constant(0);

	for (unsigned i = 0; i < bits; i++) {
		int x = a->bits[i], y = b->bits[i];
		sum.bits[i] = make_xor(circuit, make_xor(circuit, x, y), carry);
		if (i + 1 < bits || carry_out)
			carry = majority(circuit, x, y, carry);
	}
	if (carry_out)
		*carry_out = carry;
	return sum;
}

static struct circuit_word subtract(struct circuit *circuit, const struct circuit_word *a,
	const struct circuit_word *b, unsigned bits)
{
	struct circuit_word inverted = invert(b);

	return add(circuit, a, &inverted, CIRCUIT_TRUE, bits, NULL);
}

/* a < b. */
static int less(struct circuit *circuit, const struct circuit_word *a, const struct circuit_word *b,
	bool is_signed, unsigned xlen)
{
	struct circuit_word x = *a, y = *b;
	int carry = CIRCUIT_TRUE;

	if (is_signed) {
		x.bits[xlen - 1] = -x.bits[xlen - 1];
		y.bits[xlen - 1] = -y.bits[xlen - 1];
	}
	for (unsigned i = 0; i < xlen; i++)
		carry = majority(circuit, x.bits[i], -y.bits[i], carry);
	return -carry;
}

int circuit_equal(
	struct circuit *circuit, const struct circuit_word *a, const struct circuit_word *b)
{
	int same = CIRCUIT_TRUE;

	for (unsigned i = 0; i < 64; i++)
		same = make_and(circuit, same, -make_xor(circuit, a->bits[i], b->bits[i]));
	return same;
}

static struct circuit_word choose_word(struct circuit *circuit, int select,
	const struct circuit_word *a, const struct circuit_word *b)
{
	struct circuit_word out;

	out.truth = 0;
	for (unsigned i = 0; i < 64; i++)
		out.bits[i] = circuit_choose(circuit, select, a->bits[i], b->bits[i]);
	return out;
}

enum shift { LEFT, RIGHT, RIGHT_SIGNED, ROTATE };

/* Among the lowest bits; the others are 0. */
static struct circuit_word shift(struct circuit *circuit, const struct circuit_word *a,
	const struct circuit_word *by, enum shift how, unsigned bits)
{
	struct circuit_word out = circuit_extend(a, bits, false), moved;
	const int fill = how == RIGHT_SIGNED ? a->bits[bits - 1] : CIRCUIT_FALSE;

	for (unsigned stage = 0; 1u << stage < bits; stage++) {
		unsigned step = 1u << stage;
		moved = circuit_constant(0);
		for (unsigned i = 0; i < bits; i++) {
			if (how == LEFT)
				moved.bits[i] = i >= step ? out.bits[i - step] : CIRCUIT_FALSE;
			else if (how == ROTATE) /* right */
				moved.bits[i] = out.bits[(i + step) % bits];
			else
				moved.bits[i] = i + step < bits ? out.bits[i + step] : fill;
		}
		out = choose_word(circuit, by->bits[stage], &moved, &out);
	}
	return out;
}

/* The lowest bits of a product. 2 * bits of it are wanted where the upper half is: then both are
 * extended before. rows: bits of b that count. */
static struct circuit_word multiply(struct circuit *circuit, const struct circuit_word *a,
	const struct circuit_word *b, unsigned bits)
{
	struct circuit_word sum = circuit_constant(0), row;
	const struct circuit_word *rows = b, *columns = a;

	if (circuit_is_constant(a)) {
		rows = a;
		columns = b;
	}
	for (unsigned i = 0; i < bits; i++) {
		if (rows->bits[i] == CIRCUIT_FALSE)
			continue;
		row = circuit_constant(0);
		for (unsigned k = i; k < bits; k++)
			row.bits[k] = make_and(circuit, columns->bits[k - i], rows->bits[i]);
		sum = add(circuit, &sum, &row, CIRCUIT_FALSE, bits, NULL);
	}
	return sum;
}

/* The upper half of a product of 32 bits. */
static struct circuit_word multiply_high(struct circuit *circuit, const struct circuit_word *a,
	const struct circuit_word *b, bool a_signed, bool b_signed)
{
	struct circuit_word x = circuit_extend(a, 32, a_signed);
	struct circuit_word y = circuit_extend(b, 32, b_signed);
	struct circuit_word product = multiply(circuit, &x, &y, 64), high = circuit_constant(0);

	for (unsigned i = 0; i < 32; i++)
		high.bits[i] = product.bits[i + 32];
	return high;
}

/* Quotient and remainder of numbers without a sign, in 32 bits at most: a = q b + r, r < b. Where b
 * was 0 in the run both are fixed by the caller. */
static void divide(struct circuit *circuit, const struct circuit_word *a,
	const struct circuit_word *b, struct circuit_word *quotient, struct circuit_word *rest)
{
	struct circuit_word q = circuit_unknown(circuit, a->truth / b->truth, 32);
	struct circuit_word r = circuit_unknown(circuit, a->truth % b->truth, 32);
	struct circuit_word product = multiply(circuit, &q, b, 64);
	struct circuit_word sum = add(circuit, &product, &r, CIRCUIT_FALSE, 64, NULL);

	circuit_clause(circuit, circuit_equal(circuit, &sum, a), 0, 0);
	circuit_clause(circuit, less(circuit, &r, b, false, 32), 0, 0); /* so b is not 0 */
	*quotient = q;
	*rest = r;
}

static struct circuit_word bitwise(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b)
{
	struct circuit_word out;

	out.truth = 0;
	for (unsigned i = 0; i < 64; i++) {
		int x = a->bits[i], y = b->bits[i];
		switch (kind) {
		case EAR_SEM_AND: out.bits[i] = make_and(circuit, x, y); break;
		case EAR_SEM_ANDN: out.bits[i] = make_and(circuit, x, -y); break;
		case EAR_SEM_OR: out.bits[i] = make_or(circuit, x, y); break;
		case EAR_SEM_ORN: out.bits[i] = make_or(circuit, x, -y); break;
		case EAR_SEM_XNOR: out.bits[i] = -make_xor(circuit, x, y); break;
		default: out.bits[i] = make_xor(circuit, x, y); break;
		}
	}
	return out;
}

static struct circuit_word scaled(struct circuit *circuit, const struct circuit_word *a,
	const struct circuit_word *b, unsigned by, bool word, unsigned xlen)
{
	struct circuit_word used = word ? circuit_extend(a, 32, false) : *a;
	struct circuit_word amount = circuit_constant(by);
	struct circuit_word moved = shift(circuit, &used, &amount, LEFT, 64);

	return add(circuit, &moved, b, CIRCUIT_FALSE, xlen, NULL);
}

static struct circuit_word from_literal(int literal)
{
	struct circuit_word out = circuit_constant(0);

	out.bits[0] = literal;
	return out;
}

static struct circuit_word reverse_bytes(const struct circuit_word *a, unsigned xlen)
{
	struct circuit_word out = circuit_constant(0);

	for (unsigned i = 0; i < xlen; i++)
		out.bits[i] = a->bits[xlen - 8 - i / 8 * 8 + i % 8];
	return out;
}

static struct circuit_word one_bit(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b, unsigned xlen)
{
	struct circuit_word one = circuit_constant(1), mask;

	if (kind == EAR_SEM_BEXT) {
		mask = shift(circuit, a, b, RIGHT, xlen);
		return from_literal(mask.bits[0]);
	}
	mask = shift(circuit, &one, b, LEFT, xlen);
	return bitwise(circuit,
		kind == EAR_SEM_BCLR   ? EAR_SEM_ANDN
		: kind == EAR_SEM_BSET ? EAR_SEM_OR
				       : EAR_SEM_XOR,
		a, &mask);
}

/* Divisions: 32 bits at most are in the operands as they were in the run, and stay so. Signs are
 * those of the run. */
static bool divide_any(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b, struct circuit_word *out,
	unsigned xlen)
{
	bool word = kind >= EAR_SEM_DIVW && kind <= EAR_SEM_REMUW;
	bool is_signed = kind == EAR_SEM_DIV || kind == EAR_SEM_REM || kind == EAR_SEM_DIVW ||
			 kind == EAR_SEM_REMW;
	bool rest = kind == EAR_SEM_REM || kind == EAR_SEM_REMU || kind == EAR_SEM_REMW ||
		    kind == EAR_SEM_REMUW;
	unsigned bits = word ? 32 : xlen;
	struct circuit_word x = circuit_extend(a, bits, false), y = circuit_extend(b, bits, false);
	struct circuit_word quotient, remains;

	x.truth = bits == 32 ? (uint32_t)a->truth : a->truth;
	y.truth = bits == 32 ? (uint32_t)b->truth : b->truth;
	if (y.truth == 0 || (x.truth | y.truth) >> (is_signed ? 31 : 32))
		return false;
	for (unsigned i = is_signed ? 31 : 32; i < bits; i++) {
		circuit_clause(circuit, -x.bits[i], 0, 0);
		circuit_clause(circuit, -y.bits[i], 0, 0);
		x.bits[i] = y.bits[i] = CIRCUIT_FALSE;
	}
	divide(circuit, &x, &y, &quotient, &remains);
	*out = circuit_extend(rest ? &remains : &quotient, word ? 32 : xlen, word);
	return true;
}

static struct circuit_word word_of(const struct circuit_word *word, unsigned xlen)
{
	return xlen == 64 ? circuit_extend(word, 32, true) : *word;
}

static bool compute(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b, unsigned xlen,
	struct circuit_word *out)
{
	struct circuit_word other;

	switch (kind) {
	case EAR_SEM_ADD: *out = add(circuit, a, b, CIRCUIT_FALSE, xlen, NULL); break;
	case EAR_SEM_SUB: *out = subtract(circuit, a, b, xlen); break;
	case EAR_SEM_SLL: *out = shift(circuit, a, b, LEFT, xlen); break;
	case EAR_SEM_SRL: *out = shift(circuit, a, b, RIGHT, xlen); break;
	case EAR_SEM_SRA: *out = shift(circuit, a, b, RIGHT_SIGNED, xlen); break;
	case EAR_SEM_ROR: *out = shift(circuit, a, b, ROTATE, xlen); break;
	case EAR_SEM_ROL:
		other = circuit_constant(0);
		other = subtract(circuit, &other, b, 64);
		*out = shift(circuit, a, &other, ROTATE, xlen);
		break;
	case EAR_SEM_RORW:
		other = shift(circuit, a, b, ROTATE, 32);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_ROLW:
		other = circuit_constant(0);
		other = subtract(circuit, &other, b, 64);
		other = shift(circuit, a, &other, ROTATE, 32);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_SLT: *out = from_literal(less(circuit, a, b, true, xlen)); break;
	case EAR_SEM_SLTU: *out = from_literal(less(circuit, a, b, false, xlen)); break;
	case EAR_SEM_XOR:
	case EAR_SEM_OR:
	case EAR_SEM_AND:
	case EAR_SEM_ANDN:
	case EAR_SEM_ORN:
	case EAR_SEM_XNOR: *out = bitwise(circuit, kind, a, b); break;
	case EAR_SEM_ADDW:
		other = add(circuit, a, b, CIRCUIT_FALSE, 32, NULL);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_SUBW:
		other = subtract(circuit, a, b, 32);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_SLLW:
		other = shift(circuit, a, b, LEFT, 32);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_SRLW:
		other = shift(circuit, a, b, RIGHT, 32);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_SRAW:
		other = shift(circuit, a, b, RIGHT_SIGNED, 32);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_MUL: *out = multiply(circuit, a, b, xlen); break;
	case EAR_SEM_MULW:
		other = multiply(circuit, a, b, 32);
		*out = word_of(&other, xlen);
		break;
	case EAR_SEM_MULH:
	case EAR_SEM_MULHU:
	case EAR_SEM_MULHSU:
		if (xlen == 64)
			return false;
		*out = multiply_high(circuit, a, b, kind != EAR_SEM_MULHU, kind == EAR_SEM_MULH);
		break;
	case EAR_SEM_DIV:
	case EAR_SEM_DIVU:
	case EAR_SEM_REM:
	case EAR_SEM_REMU:
	case EAR_SEM_DIVW:
	case EAR_SEM_DIVUW:
	case EAR_SEM_REMW:
	case EAR_SEM_REMUW: return divide_any(circuit, kind, a, b, out, xlen);
	case EAR_SEM_SH1ADD:
	case EAR_SEM_SH2ADD:
	case EAR_SEM_SH3ADD:
		*out = scaled(circuit, a, b, 1 + kind - EAR_SEM_SH1ADD, false, xlen);
		break;
	case EAR_SEM_ADD_UW:
	case EAR_SEM_SH1ADD_UW:
	case EAR_SEM_SH2ADD_UW:
	case EAR_SEM_SH3ADD_UW:
		*out = scaled(circuit, a, b, kind - EAR_SEM_ADD_UW, true, xlen);
		break;
	case EAR_SEM_SLLI_UW:
		other = circuit_extend(a, 32, false);
		*out = shift(circuit, &other, b, LEFT, 64);
		break;
	case EAR_SEM_MAX:
	case EAR_SEM_MAXU:
		*out = choose_word(circuit, less(circuit, a, b, kind == EAR_SEM_MAX, xlen), b, a);
		break;
	case EAR_SEM_MIN:
	case EAR_SEM_MINU:
		*out = choose_word(circuit, less(circuit, a, b, kind == EAR_SEM_MIN, xlen), a, b);
		break;
	case EAR_SEM_SEXT_B:
	case EAR_SEM_SEXT_H:
		other = circuit_extend(a, kind == EAR_SEM_SEXT_B ? 8 : 16, true);
		*out = circuit_extend(&other, xlen, false);
		break;
	case EAR_SEM_ZEXT_H: *out = circuit_extend(a, 16, false); break;
	case EAR_SEM_REV8: *out = reverse_bytes(a, xlen); break;
	case EAR_SEM_BCLR:
	case EAR_SEM_BEXT:
	case EAR_SEM_BINV:
	case EAR_SEM_BSET: *out = one_bit(circuit, kind, a, b, xlen); break;
	default: return false;
	}
	return true;
}

struct circuit_word circuit_compute(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b, unsigned xlen)
{
	uint64_t truth = xlen == 32 ? ear_semantics_compute_32(kind, a->truth, b->truth)
				    : ear_semantics_compute_64(kind, a->truth, b->truth);
	struct circuit_word out;

	if ((circuit_is_constant(a) && circuit_is_constant(b)) ||
		!compute(circuit, kind, a, b, xlen, &out)) {
		circuit_fix(circuit, a);
		circuit_fix(circuit, b);
		return circuit_constant(truth);
	}
	out.truth = truth;
	return out;
}

int circuit_branch(struct circuit *circuit, enum ear_semantics_kind kind,
	const struct circuit_word *a, const struct circuit_word *b, unsigned xlen)
{
	switch (kind) {
	case EAR_SEM_BEQ: return circuit_equal(circuit, a, b);
	case EAR_SEM_BNE: return -circuit_equal(circuit, a, b);
	case EAR_SEM_BLT: return less(circuit, a, b, true, xlen);
	case EAR_SEM_BGE: return -less(circuit, a, b, true, xlen);
	case EAR_SEM_BLTU: return less(circuit, a, b, false, xlen);
	default: return -less(circuit, a, b, false, xlen);
	}
}

struct circuit_word circuit_amo(struct circuit *circuit, unsigned function, unsigned size,
	const struct circuit_word *old, const struct circuit_word *operand)
{
	uint64_t truth = ear_semantics_amo(function, size, old->truth, operand->truth);
	struct circuit_word out;

	switch (function) {
	case 0x00: out = add(circuit, old, operand, CIRCUIT_FALSE, 8 * size, NULL); break;
	case 0x01: out = *operand; break;
	case 0x04: out = bitwise(circuit, EAR_SEM_XOR, old, operand); break;
	case 0x08: out = bitwise(circuit, EAR_SEM_OR, old, operand); break;
	case 0x0c: out = bitwise(circuit, EAR_SEM_AND, old, operand); break;
	default:
		circuit_fix(circuit, old);
		circuit_fix(circuit, operand);
		return circuit_constant(truth);
	}
	out.truth = truth;
	return out;
}
