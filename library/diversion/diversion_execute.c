/* One instruction of a diversion: what it does is found by library/check/semantics from values of
 * which each bit is known or not (library/infer/infer_value.h). It ends where something unknown
 * decides.
 */
#include <inttypes.h>

#include "common/hash.h"
#include "library/diversion/diversion_internal.h"

#define CACHE_BITS 9
#define BOX        (UINT64_C(0xffffffff) << 32)

_Static_assert(DIVERSION_CACHE == 1u << CACHE_BITS, "slots");

/* ---- Values. ---- */

static uint64_t to_xlen(const struct ear_diversion *diversion, uint64_t value)
{
	return diversion->xlen == 32 ? (uint32_t)value : value;
}

static struct infer_value immediate(const struct diversion_plan *plan)
{
	return infer_exactly((uint64_t)(int64_t)plan->op.imm);
}

/* Of the operands, the one that is not known. */
static const struct diversion_origin *blame(const struct diversion_plan *plan)
{
	return infer_is_known(plan->a.value) ? &plan->b.origin : &plan->a.origin;
}

static void write_x(struct diversion_plan *plan, struct infer_value value)
{
	plan->writes_x = true;
	plan->result = (struct diversion_register){value, *blame(plan)};
}

/* ---- Branches and jumps. ---- */

static bool is_less(
	const struct ear_diversion *diversion, const struct diversion_plan *plan, bool is_signed)
{
	const struct infer_value a = plan->a.value, b = plan->b.value;

	if (!is_signed)
		return a.value < b.value;
	return (int64_t)infer_sign_extend(a, diversion->xlen).value <
	       (int64_t)infer_sign_extend(b, diversion->xlen).value;
}

/* Is it taken? 1, 0; -1: that is not known. Bits that differ and a sign are enough for some. */
static int decide(const struct ear_diversion *diversion, const struct diversion_plan *plan)
{
	const struct ear_semantics *op = &plan->op;
	const bool known = op->rs1 == op->rs2 ||
			   (infer_is_known(plan->a.value) && infer_is_known(plan->b.value));
	const uint64_t sign = UINT64_C(1) << (diversion->xlen - 1);

	switch (op->kind) {
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
		if (!known && !infer_differs(plan->a.value, plan->b.value))
			return -1;
		return (known && plan->a.value.value == plan->b.value.value) ==
		       (op->kind == EAR_SEM_BEQ);
	case EAR_SEM_BLT:
	case EAR_SEM_BGE:
		if (!known && (op->rs2 != 0 || !(plan->a.value.known & sign)))
			return -1;
		return is_less(diversion, plan, true) == (op->kind == EAR_SEM_BLT);
	default: return !known ? -1 : is_less(diversion, plan, false) == (op->kind == EAR_SEM_BLTU);
	}
}

static bool branch(const struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const int taken = decide(diversion, plan);

	if (taken < 0)
		return diversion_unknown(plan, "a branch", blame(plan));
	if (taken)
		plan->step->next_pc = plan->step->pc + (uint64_t)(int64_t)plan->op.imm;
	return true;
}

static bool jump(const struct ear_diversion *diversion, struct diversion_plan *plan)
{
	struct infer_value target =
		infer_to_xlen(infer_add(plan->a.value, immediate(plan)), diversion->xlen);

	target.known |= 1;
	if (!infer_is_known(target))
		return diversion_unknown(plan, "a jump", &plan->a.origin);
	write_x(plan, infer_exactly(plan->step->next_pc));
	plan->step->next_pc = target.value & ~UINT64_C(1);
	return true;
}

/* ---- Accesses. ---- */

static bool find_address(const struct ear_diversion *diversion, struct diversion_plan *plan,
	struct infer_value offset, unsigned size)
{
	const struct infer_value address =
		infer_to_xlen(infer_add(plan->a.value, offset), diversion->xlen);

	if (!infer_is_known(address))
		return diversion_unknown(plan, "the address of an access", &plan->a.origin);
	if (address.value & (size - 1))
		return diversion_end(plan,
			"an access of %u bytes at 0x%" PRIx64
			" is not aligned: whether the core traps is unknown",
			size, address.value);
	plan->address = address.value;
	plan->size = size;
	return true;
}

/* Where the first byte is that is not known. */
static struct diversion_origin origin_of_load(struct ear_diversion *diversion,
	const struct diversion_plan *plan, struct infer_value value)
{
	unsigned i = 0;

	while (i < plan->size - 1 && (value.known >> 8 * i & 0xff) == 0xff)
		i++;
	return (struct diversion_origin){
		diversion_is_memory(diversion, plan->address + i) ? ORIGIN_MEMORY : ORIGIN_DEVICE,
		plan->address + i, plan->step->pc};
}

static bool load(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const unsigned kind = plan->op.kind;
	const unsigned size = 1u << (ear_semantics_bits(plan->op.wide, 12, 3) & 3);

	if (!find_address(diversion, plan, immediate(plan), size))
		return false;
	plan->reads = true;
	struct infer_value value = diversion_load(diversion, plan->address, size);
	plan->result.origin = origin_of_load(diversion, plan, value);
	if (kind == EAR_SEM_FLOAD) {
		plan->writes_f = true;
		plan->rd = ear_semantics_bits(plan->op.wide, 7, 5);
		if (size == 4)
			value = infer_zero_extend(value, 32);
		if (size == 4 && diversion->flen != 32)
			value.value |= BOX;
	} else {
		const bool is_signed =
			kind != EAR_SEM_LBU && kind != EAR_SEM_LHU && kind != EAR_SEM_LWU;
		plan->writes_x = true;
		value = is_signed ? infer_sign_extend(value, 8 * size)
				  : infer_zero_extend(value, 8 * size);
	}
	plan->result.value = value;
	return true;
}

static bool store(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const unsigned size = 1u << (ear_semantics_bits(plan->op.wide, 12, 3) & 3);

	plan->writes = true;
	plan->stored = plan->op.kind == EAR_SEM_FSTORE
			       ? diversion->f[ear_semantics_bits(plan->op.wide, 20, 5)].value
			       : plan->b.value;
	return find_address(diversion, plan, immediate(plan), size);
}

static bool load_reserved(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const unsigned size = 1u << (ear_semantics_bits(plan->op.wide, 12, 3) & 3);

	if (!find_address(diversion, plan, infer_exactly(0), size))
		return false;
	struct infer_value value = diversion_load(diversion, plan->address, size);
	plan->reads = plan->reserves = plan->writes_x = true;
	plan->result = (struct diversion_register){
		infer_sign_extend(value, 8 * size), origin_of_load(diversion, plan, value)};
	return true;
}

static bool store_conditional(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const unsigned size = 1u << (ear_semantics_bits(plan->op.wide, 12, 3) & 3);

	if (!find_address(diversion, plan, infer_exactly(0), size))
		return false;
	if (!diversion->reservation_known)
		return diversion_end(plan, "whether the hart holds a reservation is unknown: its "
					   "lr was before the diversion");
	plan->writes = diversion->reserved && diversion->reservation == plan->address;
	plan->releases = true;
	plan->stored = plan->b.value;
	write_x(plan, infer_exactly(!plan->writes));
	return true;
}

static bool atomic(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const unsigned size = 1u << (ear_semantics_bits(plan->op.wide, 12, 3) & 3);
	const unsigned function = plan->op.wide >> 27;

	if (!find_address(diversion, plan, infer_exactly(0), size))
		return false;
	struct infer_value value = diversion_load(diversion, plan->address, size);
	const struct infer_value old = infer_sign_extend(value, 8 * size);
	const struct infer_value operand = infer_sign_extend(plan->b.value, 8 * size);
	plan->reads = plan->writes = plan->writes_x = true;
	plan->result = (struct diversion_register){old, origin_of_load(diversion, plan, value)};
	if (function == 1) /* amoswap */
		plan->stored = operand;
	else if (infer_is_known(old) && infer_is_known(operand))
		plan->stored =
			infer_exactly(ear_semantics_amo(function, size, old.value, operand.value));
	return true;
}

/* ---- One instruction. ---- */

static void compute(const struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const struct ear_semantics *op = &plan->op;
	const struct infer_value b =
		infer_to_xlen(infer_add(plan->b.value, immediate(plan)), diversion->xlen);

	write_x(plan, infer_compute((enum ear_semantics_kind)op->kind, plan->a.value, b,
			      op->rs1 == op->rs2 && op->imm == 0, diversion->xlen));
}

static bool execute(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	struct ear_diversion_step *step = plan->step;

	switch (plan->op.kind) {
	case EAR_SEM_ILLEGAL:
		return diversion_end(
			plan, "opcode 0x%" PRIx32 " is not modelled, or traps", plan->op.insn);
	case EAR_SEM_ECALL: return diversion_end(plan, "an ecall: a trap");
	case EAR_SEM_EBREAK: return diversion_end(plan, "an ebreak: a trap");
	case EAR_SEM_MRET: return diversion_end(plan, "mret: returns from traps are not followed");
	case EAR_SEM_WFI: return diversion_end(plan, "wfi: no interrupt comes in a diversion");
	case EAR_SEM_FENCE: return true;
	case EAR_SEM_JAL:
		write_x(plan, infer_exactly(step->next_pc));
		step->next_pc = step->pc + immediate(plan).value;
		return true;
	case EAR_SEM_JALR: return jump(diversion, plan);
	case EAR_SEM_AUIPC:
		write_x(plan, infer_exactly(step->pc + immediate(plan).value));
		return true;
	case EAR_SEM_BEQ:
	case EAR_SEM_BNE:
	case EAR_SEM_BLT:
	case EAR_SEM_BGE:
	case EAR_SEM_BLTU:
	case EAR_SEM_BGEU: return branch(diversion, plan);
	case EAR_SEM_CSR: return diversion_csr(diversion, plan);
	case EAR_SEM_LR: return load_reserved(diversion, plan);
	case EAR_SEM_SC: return store_conditional(diversion, plan);
	case EAR_SEM_AMO: return atomic(diversion, plan);
	case EAR_SEM_FLOAD: return diversion_csr_float(diversion, plan) && load(diversion, plan);
	case EAR_SEM_FSTORE: return diversion_csr_float(diversion, plan) && store(diversion, plan);
	case EAR_SEM_FLOAT: return diversion_float(diversion, plan);
	case EAR_SEM_SB:
	case EAR_SEM_SH:
	case EAR_SEM_SW:
	case EAR_SEM_SD: return store(diversion, plan);
	default:
		if (plan->op.kind < EAR_SEM_ADD)
			return load(diversion, plan);
		compute(diversion, plan);
		return true;
	}
}

static void decode(struct ear_diversion *diversion, struct ear_semantics *op, uint32_t insn)
{
	struct ear_semantics *slot = &diversion->cache[ear_hash_slot32(insn, CACHE_BITS)];

	if (slot->insn != insn || slot->size == 0)
		ear_semantics_decode(slot, insn, diversion->xlen, EAR_SEMANTICS_ALL);
	*op = *slot;
}

/* The opcode at pc. False: it ends here. */
static bool fetch(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const uint64_t pc = plan->step->pc;
	struct infer_value code = diversion_load(diversion, pc, 2);
	const bool is_short = (code.value & 3) != 3;

	if ((uint16_t)code.known == UINT16_MAX && !is_short)
		code = diversion_load(diversion, pc, 4);
	if (pc & 1)
		return diversion_end(plan, "no instruction is at an odd address: a trap");
	if (!infer_is_known(infer_zero_extend(code, is_short ? 16 : 32)))
		return diversion_end(plan, "the code is unknown there (its program: --elf FILE)");
	decode(diversion, &plan->op, (uint32_t)code.value);
	return true;
}

bool diversion_plan(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	struct ear_diversion_step *step = plan->step;

	step->pc = diversion->pc;
	step->text[0] = '\0';
	if (!fetch(diversion, plan))
		return false;
	step->next_pc = to_xlen(diversion, step->pc + plan->op.size);
	plan->a = diversion->x[plan->op.rs1];
	plan->b = diversion->x[plan->op.rs2];
	plan->rd = plan->op.rd;
	if (!execute(diversion, plan))
		return false;
	step->next_pc = to_xlen(diversion, step->next_pc);
	step->reads = plan->reads;
	step->writes = plan->writes;
	step->access_size = plan->size;
	step->address = plan->address;
	return true;
}
