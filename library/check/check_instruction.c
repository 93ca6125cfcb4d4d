/* Instructions that executed to their end: operands, result, where they go. */
#include "library/check/check_instruction.h"

#include <inttypes.h>
#include <stdio.h>

#include "decoder/isa/csr.h"
#include "library/check/check_access.h"
#include "library/check/check_csr.h"
#include "library/check/check_operand.h"
#include "library/check/check_trap.h"
#include "library/check/semantics/semantics_float.h"

#define SRET 0x10200073u
#define BOX  (UINT64_C(0xffffffff) << 32)

/* Results ------------------------------------------------------------------------------------- */

static void violate_result(struct ear_checker *checker, const struct ear_semantics *op,
	const struct check_operands *operands, uint64_t expected, uint64_t shown)
{
	char name[32], of[96];
	int used = 0;

	check_mnemonic(checker, name, sizeof(name));
	of[0] = '\0';
	if (op->rs1)
		used = snprintf(of, sizeof(of), " of x%u=0x%" PRIx64, op->rs1, operands->a.value);
	if (op->rs2)
		used += snprintf(of + used, sizeof(of) - (size_t)used, "%s x%u=0x%" PRIx64,
			used ? " and" : " of", op->rs2, operands->b.value);
	if (op->imm && op->kind >= EAR_SEM_ADD)
		snprintf(of + used, sizeof(of) - (size_t)used, "%s %" PRId32, used ? " and" : " of",
			op->imm);
	check_violate(checker, EAR_CHECK_RESULT, expected, shown,
		"x%u is 0x%" PRIx64 ", but %s%s is 0x%" PRIx64, op->rd, shown, name, of, expected);
}

/* The x register that the instruction writes, and its value. A source that is no capture may leave
 * out what it wrote. */
static void check_rd(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *operands,
	const struct check_value *result)
{
	const struct ear_record *record = checker->record;
	const struct ear_record_register *shown = check_written(record, EAR_REGISTER_X, -1);
	char name[32];

	if (op->rd == 0) {
		if (shown && (shown->number != 0 || shown->value != 0))
			check_violate(checker, EAR_CHECK_RESULT, 0, shown->number, "%s writes x%u",
				check_mnemonic(checker, name, sizeof(name)), shown->number);
		return;
	}
	if (!shown) {
		if (checker->options.captured)
			check_violate(checker, EAR_CHECK_RESULT, op->rd, 0, "%s does not write x%u",
				check_mnemonic(checker, name, sizeof(name)), op->rd);
		else
			check_skip(checker, EAR_CHECK_RESULT, EAR_CHECK_ABSENT);
		hart->x_known &= ~(1u << op->rd);
		return;
	}
	uint64_t value = check_word(hart, shown->value);
	if (shown->number != op->rd)
		check_violate(checker, EAR_CHECK_RESULT, op->rd, shown->number,
			"%s writes x%u instead of x%u", check_mnemonic(checker, name, sizeof(name)),
			shown->number, op->rd);
	else if (!result->known)
		check_skip(checker, EAR_CHECK_RESULT, EAR_CHECK_UNKNOWN);
	else if (value == result->value)
		check_pass(checker, EAR_CHECK_RESULT);
	else
		violate_result(checker, op, operands, result->value, value);
}

/* Registers that the instruction does not write. The first x register is check_rd's. */
static void check_others(struct ear_checker *checker, const struct ear_semantics *op)
{
	const struct ear_record *record = checker->record;
	unsigned frd = ear_semantics_bits(op->wide, 7, 5);
	bool judged = op->kind == EAR_SEM_FLOAT || op->kind == EAR_SEM_FLOAD;
	char name[32];

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		bool is_x = reg->reg_class == EAR_REGISTER_X;
		bool wrong =
			is_x ? judged && reg->number != op->rd && reg->number != 0
			     : reg->reg_class == EAR_REGISTER_F &&
					!(ear_semantics_float_writes_f(op) && reg->number == frd);
		if (wrong)
			check_violate(checker, EAR_CHECK_RESULT, 0, reg->number,
				"%s writes %c%u, too", check_mnemonic(checker, name, sizeof(name)),
				is_x ? 'x' : 'f', reg->number);
		judged |= is_x;
	}
}

/* Where it goes ------------------------------------------------------------------------------- */

static void check_next(
	struct ear_checker *checker, struct check_hart *hart, const struct check_value *next)
{
	const struct ear_record *record = checker->record;
	char name[32];

	if (record->flags & EAR_RECORD_NO_NEXT_PC) {
		check_skip(checker, EAR_CHECK_NEXT_PC, EAR_CHECK_ABSENT);
		hart->goes = *next;
		return;
	}
	uint64_t shown = check_word(hart, record->next_pc);
	if (!next->known) {
		check_skip(checker, EAR_CHECK_NEXT_PC, EAR_CHECK_UNKNOWN);
		check_trap_may_hide(checker, hart);
	} else if (shown == next->value)
		check_pass(checker, EAR_CHECK_NEXT_PC);
	else if (!check_trap_hides(checker, hart, EAR_CHECK_NEXT_PC, next->value, shown))
		check_violate(checker, EAR_CHECK_NEXT_PC, next->value, shown,
			"%s at 0x%" PRIx64 " goes to 0x%" PRIx64 ", not to 0x%" PRIx64,
			check_mnemonic(checker, name, sizeof(name)), record->pc, shown,
			next->value);
}

static bool is_taken(unsigned kind, uint64_t a, uint64_t b, unsigned xlen)
{
	int64_t left = xlen == 32 ? (int32_t)a : (int64_t)a;
	int64_t right = xlen == 32 ? (int32_t)b : (int64_t)b;

	switch (kind) {
	case EAR_SEM_BEQ: return a == b;
	case EAR_SEM_BNE: return a != b;
	case EAR_SEM_BLT: return left < right;
	case EAR_SEM_BGE: return left >= right;
	case EAR_SEM_BLTU: return a < b;
	default: return a >= b;
	}
}

static struct check_value branch_target(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *operands)
{
	const struct ear_record *record = checker->record;
	uint64_t through = check_word(hart, record->pc + op->size);
	uint64_t target = check_word(hart, record->pc + (uint64_t)(int64_t)op->imm);

	if (operands->a.known && operands->b.known)
		return (struct check_value){
			is_taken(op->kind, operands->a.value, operands->b.value, hart->xlen)
				? target
				: through,
			true};
	if (record->flags & EAR_RECORD_NO_NEXT_PC)
		return (struct check_value){0, false};
	/* One of the two. */
	uint64_t shown = check_word(hart, record->next_pc);
	bool one = shown == target || shown == through;
	return (struct check_value){through, !one};
}

/* Kinds -----------------------------------------------------------------------------------------
 */

static struct check_value compute(const struct check_hart *hart, const struct ear_semantics *op,
	const struct check_operands *operands)
{
	uint64_t b = check_word(hart, operands->b.value + (uint64_t)(int64_t)op->imm);
	enum ear_semantics_kind kind = (enum ear_semantics_kind)op->kind;

	if (!operands->a.known || !operands->b.known)
		return (struct check_value){0, false};
	return (struct check_value){hart->xlen == 32
					    ? ear_semantics_compute_32(kind, operands->a.value, b)
					    : ear_semantics_compute_64(kind, operands->a.value, b),
		true};
}

/* F and D ----------------------------------------------------------------------------------------
 */

/* The register is written by single precision: is it boxed? */
static void learn_flen(struct check_hart *hart, const struct ear_semantics *op, uint64_t value)
{
	bool is_double = ear_semantics_bits(op->wide, 25, 2) == 1;

	if (hart->flen == 0)
		hart->flen = is_double || (value & BOX) == BOX ? 64 : 32;
}

static struct check_value read_f(const struct check_hart *hart, unsigned number)
{
	return (struct check_value){hart->f[number], hart->f_known >> number & 1};
}

/* Rounding modes that the instruction may have used: a set. */
static unsigned possible_modes(const struct ear_checker *checker, const struct check_hart *hart)
{
	if (hart->frm.known)
		return 1u << (hart->frm.value & 7);
	return checker->record->frm ? 1u << (checker->record->frm & 7) : 0x1f;
}

static bool float_matches(const struct ear_checker *checker, const struct check_hart *hart,
	const struct ear_semantics *op, struct ear_float_operands *operands,
	const struct ear_record_register *shown, struct ear_float_result *result)
{
	unsigned modes = possible_modes(checker, hart);

	for (unsigned mode = 0; mode < 8; mode++) {
		operands->frm = mode;
		if (!(modes >> mode & 1) || !ear_semantics_float(op, operands, result))
			continue;
		uint64_t value = result->is_float ? shown->value : check_word(hart, shown->value);
		uint64_t expected =
			result->is_float ? result->value : check_word(hart, result->value);
		if (value == expected &&
			(!checker->options.captured || result->flags == checker->record->fflags))
			return true;
	}
	return false;
}

static void check_float(struct ear_checker *checker, struct check_hart *hart,
	const struct ear_semantics *op, const struct check_operands *integer)
{
	const struct ear_record *record = checker->record;
	unsigned reads = ear_semantics_float_reads(op), rd = ear_semantics_bits(op->wide, 7, 5);
	struct ear_float_operands operands = {.x = integer->a.value};
	struct ear_float_result result = {.value = 0};
	bool known = integer->a.known, to_x = op->rd != 0;
	char name[32];
	static const uint8_t at[3] = {15, 20, 27};

	hart->fflags.known &= checker->options.captured;
	for (unsigned i = 0; i < 3; i++) {
		struct check_value value = read_f(hart, ear_semantics_bits(op->wide, at[i], 5));
		operands.f[i] = value.value;
		known &= value.known || !(reads >> i & 1);
	}
	const struct ear_record_register *shown = check_written(
		record, to_x ? EAR_REGISTER_X : EAR_REGISTER_F, to_x ? op->rd : (int)rd);
	if (!shown) {
		check_skip(checker, EAR_CHECK_RESULT, EAR_CHECK_ABSENT);
		if (to_x)
			hart->x_known &= ~(1u << op->rd);
		else
			hart->f_known &= ~(1u << rd);
		return;
	}
	if (!to_x)
		learn_flen(hart, op, shown->value);
	operands.flen = hart->flen == 32 ? 32 : 64;
	if (!known || hart->flen == 0)
		check_skip(checker, EAR_CHECK_RESULT, EAR_CHECK_UNKNOWN);
	else if (float_matches(checker, hart, op, &operands, shown, &result))
		check_pass(checker, EAR_CHECK_RESULT);
	else
		check_violate(checker, EAR_CHECK_RESULT, result.value, shown->value,
			"%s%u is 0x%" PRIx64 " with flags 0x%x, but %s gives 0x%" PRIx64
			" with flags 0x%x",
			to_x ? "x" : "f", to_x ? op->rd : rd, shown->value, record->fflags,
			check_mnemonic(checker, name, sizeof(name)), result.value, result.flags);
}

/* One instruction ----------------------------------------------------------------------------- */

/* What it did is believed, and counted. */
static void skip_instruction(struct ear_checker *checker, enum ear_check_reason reason)
{
	checker->last->returned = true; /* perhaps MNRET */
	checker->last->fflags.known &= checker->options.captured;

	check_skip(checker, EAR_CHECK_RESULT, reason);
	check_skip(checker, EAR_CHECK_NEXT_PC, reason);
	check_no_accesses(checker, false);
}

void check_instruction(struct ear_checker *checker, struct check_hart *hart)
{
	const struct ear_record *record = checker->record;
	struct check_operands operands;
	struct check_value result = {0, false}, next = {0, true};

	if (record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_SKIPPED)) {
		skip_instruction(checker, EAR_CHECK_ABSENT);
		return;
	}
	if ((uint32_t)record->opcode == SRET) {
		check_return(checker, hart, false);
		return;
	}
	const struct ear_semantics *op =
		check_decode(checker, (uint32_t)record->opcode, record->xlen);
	if (op->kind == EAR_SEM_ILLEGAL || op->kind == EAR_SEM_ECALL ||
		op->kind == EAR_SEM_EBREAK) {
		skip_instruction(checker, EAR_CHECK_EXTENSION);
		return;
	}
	if (op->kind == EAR_SEM_MRET) {
		check_return(checker, hart, true);
		return;
	}
	operands.a = check_operand(checker, hart, op->rs1);
	operands.b = check_operand(checker, hart, op->rs2);
	next.value = check_word(hart, record->pc + op->size);
	switch (op->kind) {
	case EAR_SEM_JAL:
	case EAR_SEM_AUIPC:
		result = (struct check_value){
			check_word(hart, record->pc + (uint64_t)(int64_t)op->imm), true};
		if (op->kind == EAR_SEM_JAL) {
			struct check_value link = next;
			next = result;
			result = link;
		}
		break;
	case EAR_SEM_JALR:
		result = next;
		next.value = check_word(hart, operands.a.value + (uint64_t)(int64_t)op->imm) &
			     ~(uint64_t)1;
		next.known = operands.a.known;
		break;
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
	case EAR_SEM_BLT:
	case EAR_SEM_BGE:
	case EAR_SEM_BLTU:
	case EAR_SEM_BGEU: next = branch_target(checker, hart, op, &operands); break;
	case EAR_SEM_FENCE:
	case EAR_SEM_WFI: break;
	case EAR_SEM_CSR: result = check_csr(checker, hart, op, &operands); break;
	case EAR_SEM_FLOAT: break;
	default:
		if (op->kind >= EAR_SEM_ADD)
			result = compute(hart, op, &operands);
		else
			result = check_accesses(checker, hart, op, &operands);
		break;
	}
	if (op->kind == EAR_SEM_FLOAT)
		check_float(checker, hart, op, &operands);
	else if (op->kind != EAR_SEM_FLOAD)
		check_rd(checker, hart, op, &operands, &result);
	check_others(checker, op);
	if (op->kind >= EAR_SEM_ADD || op->kind < EAR_SEM_LB || op->kind == EAR_SEM_FLOAT ||
		op->kind == EAR_SEM_CSR)
		check_no_accesses(checker, true);
	check_next(checker, hart, &next);
}
