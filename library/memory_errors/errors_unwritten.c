/* Which bits of registers come from bytes that nothing wrote, and what depends on them.
 *
 * Reading such bytes is no error: programs copy structs with holes, strings in words, registers to
 * be saved. Only a branch that they decide, or an address that they make, is one. So each register
 * has a mask of unknown bits, which instructions pass on as exactly as they can be: of a sum the
 * lowest and the highest value say which bits are known, of a comparison whether it always has the
 * same result. Where that is not done here (floating point, division, atomic operations, other
 * extensions), the result counts as known. A load makes unknown bits only if nothing wrote any of
 * its bytes, or if it has back what was stored there: a value of which some bits are unknown keeps
 * these where it is stored, for a load of the same bytes.
 *
 * Hardly any record has to do with a register of this kind; of the others nothing is decoded.
 */
#include "library/memory_errors/memory_errors_internal.h"

#include <stdlib.h>
#include <string.h>

struct operand {
	uint64_t value, unknown;
};

/* ---- Bits. ---- */

static uint64_t width(const struct ear_memory_checker *checker)
{
	return checker->xlen == 32 ? UINT32_MAX : UINT64_MAX;
}

static uint64_t low(struct operand a)
{
	return a.value & ~a.unknown;
}

static uint64_t high(struct operand a)
{
	return a.value | a.unknown;
}

static uint64_t of_sum(struct operand a, struct operand b)
{
	return ((low(a) + low(b)) ^ (high(a) + high(b))) | a.unknown | b.unknown;
}

static uint64_t of_difference(struct operand a, struct operand b)
{
	return ((low(a) - high(b)) ^ (high(a) - low(b))) | a.unknown | b.unknown;
}

static uint64_t of_and(struct operand a, struct operand b)
{
	return (a.unknown | b.unknown) & high(a) & high(b);
}

static uint64_t of_or(struct operand a, struct operand b)
{
	return (a.unknown | b.unknown) & ~low(a) & ~low(b);
}

static uint64_t sign_extended(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

/* Does a < b always give the same result? */
static bool is_less_known(const struct ear_memory_checker *checker, struct operand a,
	struct operand b, bool is_signed)
{
	const uint64_t sign = is_signed ? UINT64_C(1) << (checker->xlen - 1) : 0;

	if ((a.unknown | b.unknown) & sign)
		return false;
	a.value = (a.value ^ sign) & width(checker);
	b.value = (b.value ^ sign) & width(checker);
	return high(a) < low(b) || low(a) >= high(b);
}

static bool is_equal_known(struct operand a, struct operand b)
{
	const uint64_t unknown = a.unknown | b.unknown;

	return unknown == 0 || ((a.value ^ b.value) & ~unknown) != 0;
}

/* All bits from the lowest unknown one on. */
static uint64_t upward(uint64_t unknown)
{
	return unknown ? ~((unknown & (~unknown + 1)) - 1) : 0;
}

static uint64_t of_shift(const struct ear_memory_checker *checker, enum ear_semantics_kind kind,
	struct operand a, struct operand b)
{
	const unsigned by = (unsigned)(b.value & (checker->xlen - 1));
	const uint64_t all = width(checker), sign = UINT64_C(1) << (checker->xlen - 1);

	if (b.unknown)
		return all;
	if (kind == EAR_SEM_SLL)
		return a.unknown << by & all;
	if (kind == EAR_SEM_SRL || !(a.unknown & sign))
		return (a.unknown & all) >> by;
	return ((a.unknown & all) >> by | ~(all >> by)) & all;
}

/* Of the lower 32 bits, in a register of 64. */
static uint64_t of_word_shift(enum ear_semantics_kind kind, struct operand a, struct operand b)
{
	const unsigned by = (unsigned)(b.value & 31);
	const uint32_t unknown = (uint32_t)a.unknown;

	if (b.unknown)
		return UINT64_MAX;
	if (kind == EAR_SEM_SLLW)
		return sign_extended(unknown << by);
	if (kind == EAR_SEM_SRLW)
		return sign_extended(unknown >> by);
	return (uint64_t)(int64_t)((int32_t)unknown >> by);
}

static uint64_t of_product(struct operand a, struct operand b)
{
	const bool is_zero = (a.unknown == 0 && a.value == 0) || (b.unknown == 0 && b.value == 0);

	return is_zero ? 0 : upward(a.unknown | b.unknown);
}

static struct operand shifted(struct operand a, unsigned by)
{
	return (struct operand){a.value << by, a.unknown << by};
}

static struct operand inverted(struct operand a)
{
	return (struct operand){~a.value, a.unknown};
}

/* Unknown bits of the result. */
static uint64_t compute(const struct ear_memory_checker *checker, enum ear_semantics_kind kind,
	struct operand a, struct operand b)
{
	switch (kind) {
	case EAR_SEM_ADD: return of_sum(a, b);
	case EAR_SEM_SUB: return of_difference(a, b);
	case EAR_SEM_ADDW: return sign_extended(of_sum(a, b));
	case EAR_SEM_SUBW: return sign_extended(of_difference(a, b));
	case EAR_SEM_XOR:
	case EAR_SEM_XNOR: return a.unknown | b.unknown;
	case EAR_SEM_OR: return of_or(a, b);
	case EAR_SEM_AND: return of_and(a, b);
	case EAR_SEM_ORN: return of_or(a, inverted(b));
	case EAR_SEM_ANDN: return of_and(a, inverted(b));
	case EAR_SEM_SLL:
	case EAR_SEM_SRL:
	case EAR_SEM_SRA: return of_shift(checker, kind, a, b);
	case EAR_SEM_SLLW:
	case EAR_SEM_SRLW:
	case EAR_SEM_SRAW: return of_word_shift(kind, a, b);
	case EAR_SEM_SLT: return !is_less_known(checker, a, b, true);
	case EAR_SEM_SLTU: return !is_less_known(checker, a, b, false);
	case EAR_SEM_MUL: return of_product(a, b);
	case EAR_SEM_MULW: return sign_extended(of_product(a, b));
	case EAR_SEM_SH1ADD: return of_sum(shifted(a, 1), b);
	case EAR_SEM_SH2ADD: return of_sum(shifted(a, 2), b);
	case EAR_SEM_SH3ADD: return of_sum(shifted(a, 3), b);
	case EAR_SEM_SEXT_B: return (uint64_t)(int64_t)(int8_t)(uint8_t)a.unknown;
	case EAR_SEM_SEXT_H: return (uint64_t)(int64_t)(int16_t)(uint16_t)a.unknown;
	case EAR_SEM_ZEXT_H: return a.unknown & UINT16_MAX;
	default: return 0;
	}
}

/* ---- Registers. ---- */

static void set(struct checker_hart *hart, uint8_t rd, uint64_t unknown, uint32_t read)
{
	if (rd == 0)
		return;
	hart->unknown[rd] = unknown;
	hart->reads[rd] = read;
	hart->tainted &= ~(1u << rd);
	hart->tainted |= (uint32_t)(unknown != 0) << rd;
}

static void blame(
	struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc, unsigned reg)
{
	const struct shadow_read *read = &checker->reads[hart->reads[reg] % READS_MAX];
	const bool is_there = read->serial == hart->reads[reg];

	/* Once is enough. */
	set(hart, (uint8_t)reg, 0, 0);
	if (hart->in_heap || !is_there)
		return;
	struct ear_memory_error *error = ear_checker_blame(checker, EAR_MEMORY_UNWRITTEN, hart, pc);
	if (!error)
		return;
	const struct ear_memory_block *block = ear_heap_near(&checker->heap, read->address);
	error->moment = (struct ear_memory_moment){read->number, read->pc};
	error->address = read->address;
	error->size = read->size;
	error->has_block =
		block && !block->is_free && read->address - block->address < block->bytes;
	if (error->has_block)
		error->block = *block;
}

static struct operand operand_of(const struct checker_hart *hart, unsigned reg)
{
	return (struct operand){hart->x[reg], hart->unknown[reg]};
}

static void check_branch(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct ear_semantics *op, uint64_t pc)
{
	const struct operand a = operand_of(hart, op->rs1), b = operand_of(hart, op->rs2);
	const bool is_known = op->kind <= EAR_SEM_BNE
				      ? is_equal_known(a, b)
				      : is_less_known(checker, a, b, op->kind <= EAR_SEM_BGE);

	if (!is_known)
		blame(checker, hart, pc, a.unknown ? op->rs1 : op->rs2);
}

/* Registers of 32 bits have zeros above, whatever the trace has. */
static void trim(const struct ear_memory_checker *checker, struct operand *a)
{
	a->value &= width(checker);
	a->unknown &= width(checker);
}

static void take_computation(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct ear_semantics *op, const struct checker_step *step)
{
	struct operand a = operand_of(hart, op->rs1), b = operand_of(hart, op->rs2);

	if (op->imm != 0)
		b = (struct operand){(uint64_t)(int64_t)op->imm, 0};
	const uint32_t read = a.unknown ? hart->reads[op->rs1] : hart->reads[op->rs2];
	trim(checker, &a);
	trim(checker, &b);
	const bool may_be = (a.unknown | b.unknown) != 0;
	set(hart, step->rd, may_be ? compute(checker, op->kind, a, b) & width(checker) : 0, read);
}

/* The register that makes the address of an access, or of a jump. */
static bool has_base(const struct ear_semantics *op)
{
	return (op->kind >= EAR_SEM_LB && op->kind <= EAR_SEM_SD) || op->kind == EAR_SEM_JALR ||
	       (op->kind >= EAR_SEM_LR && op->kind <= EAR_SEM_FSTORE);
}

void ear_unwritten_step(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step)
{
	struct ear_semantics op;

	ear_semantics_decode(&op, step->opcode, checker->xlen, EAR_SEMANTICS_ALL);
	if (has_base(&op) && hart->tainted >> op.rs1 & 1)
		blame(checker, hart, step->pc, op.rs1);
	if (op.kind >= EAR_SEM_BEQ && op.kind <= EAR_SEM_BGEU) {
		if (hart->tainted & (1u << op.rs1 | 1u << op.rs2))
			check_branch(checker, hart, &op, step->pc);
	} else if (op.kind >= EAR_SEM_ADD && step->rd == op.rd) {
		take_computation(checker, hart, &op, step);
	} else {
		set(hart, step->rd, 0, 0);
	}
}

void ear_unwritten_forget(struct checker_hart *hart)
{
	hart->tainted = hart->float_tainted = 0;
	memset(hart->unknown, 0, sizeof(hart->unknown));
	memset(hart->float_unknown, 0, sizeof(hart->float_unknown));
}

/* ---- Memory. ---- */

static uint64_t bytes_mask(unsigned size)
{
	return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static struct shadow_read *look_for_read(const struct ear_memory_checker *checker, uint32_t serial)
{
	struct shadow_read *read =
		serial && checker->reads ? &checker->reads[serial % READS_MAX] : NULL;

	return read && read->serial == serial ? read : NULL;
}

/* Its serial; 0: memory is short. */
static uint32_t add_read(struct ear_memory_checker *checker, const struct shadow_read *read)
{
	if (!checker->reads)
		checker->reads = calloc(READS_MAX, sizeof(*checker->reads));
	if (!checker->reads) {
		checker->failed = true;
		return 0;
	}
	if (++checker->read_serial == 0)
		checker->read_serial = 1;
	checker->reads[checker->read_serial % READS_MAX] = *read;
	checker->reads[checker->read_serial % READS_MAX].serial = checker->read_serial;
	return checker->read_serial;
}

static uint32_t kept_read(struct ear_memory_checker *checker, uint64_t address)
{
	const struct shadow_page *page = shadow_page(&checker->shadow, address);

	return page && page->reads ? page->reads[address % PAGE / 4] : 0;
}

static void keep_read(struct ear_memory_checker *checker, uint64_t address, uint32_t read)
{
	struct shadow_page *page =
		ear_byte_shadow_make(&checker->shadow, address & ~(uint64_t)(PAGE - 1));

	if (page && !page->reads)
		page->reads = calloc(PAGE / 4, sizeof(*page->reads));
	if (page && page->reads)
		page->reads[address % PAGE / 4] = read;
	else
		checker->failed |= page != NULL;
}

/* The read that made the bytes what they are: this one, or the one of what was copied there. 0:
 * memory is short. */
static uint32_t read_of(struct ear_memory_checker *checker, const struct checker_step *step)
{
	const uint32_t before = kept_read(checker, step->address);
	const struct shadow_read made = {.number = checker->number,
		.pc = step->pc,
		.address = step->address,
		.size = step->size};

	return look_for_read(checker, before) ? before : add_read(checker, &made);
}

static void load(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step, uint64_t unknown, uint32_t read)
{
	struct ear_semantics op;

	ear_semantics_decode(&op, step->opcode, checker->xlen, EAR_SEMANTICS_ALL);
	if (op.kind == EAR_SEM_FLOAD) {
		const unsigned fd = op.wide >> 7 & 31;
		hart->float_unknown[fd] = unknown;
		hart->float_reads[fd] = read;
		hart->float_tainted |= 1u << fd;
		return;
	}
	if (op.kind < EAR_SEM_LB || op.kind > EAR_SEM_LWU)
		return;
	/* The sign bit makes all bits above it. */
	const unsigned above = 64 - 8u * step->size;
	if (op.kind <= EAR_SEM_LD)
		unknown = (uint64_t)((int64_t)(unknown << above) >> above);
	set(hart, step->rd, unknown & width(checker), read);
}

void ear_unwritten_load(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step)
{
	const uint32_t read = read_of(checker, step);

	if (read)
		load(checker, hart, step, bytes_mask(step->size), read);
}

void ear_unwritten_reload(struct ear_memory_checker *checker, struct checker_hart *hart,
	const struct checker_step *step)
{
	const uint32_t serial = kept_read(checker, step->address);
	const struct shadow_read *read = look_for_read(checker, serial);

	if (read && read->mixed_address == step->address && read->mixed_size == step->size)
		load(checker, hart, step, read->unknown, serial);
}

/* Some bits are known: what is loaded from there in the same way is what was stored. */
static void store_mixed(struct ear_memory_checker *checker, const struct checker_step *step,
	uint64_t unknown, uint32_t serial)
{
	const struct shadow_read *read = look_for_read(checker, serial);

	if (!read)
		return;
	struct shadow_read mixed = *read;
	mixed.mixed_address = step->address;
	mixed.mixed_size = step->size;
	mixed.unknown = unknown;
	const uint32_t made = add_read(checker, &mixed);
	if (made == 0)
		return;
	ear_byte_shadow_set(&checker->shadow, SHADOW_MIXED, step->address, step->size);
	keep_read(checker, step->address, made);
}

void ear_unwritten_store(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct checker_step *step)
{
	struct ear_semantics op;

	ear_semantics_decode(&op, step->opcode, checker->xlen, EAR_SEMANTICS_ALL);
	const bool is_float = op.kind == EAR_SEM_FSTORE;
	const unsigned rs2 = is_float ? op.wide >> 20 & 31 : op.rs2;
	if (!is_float && (op.kind < EAR_SEM_SB || op.kind > EAR_SEM_SD))
		return;
	const uint64_t all = bytes_mask(step->size);
	const uint64_t unknown = (is_float ? hart->float_unknown[rs2] : hart->unknown[rs2]) & all;
	const uint32_t read = is_float ? hart->float_reads[rs2] : hart->reads[rs2];
	if (unknown == 0)
		return;
	if (unknown != all) {
		store_mixed(checker, step, unknown, read);
		return;
	}
	ear_byte_shadow_set(&checker->shadow, SHADOW_UNWRITTEN, step->address, step->size);
	for (unsigned i = 0; i < step->size; i++)
		keep_read(checker, step->address + i, read);
}
