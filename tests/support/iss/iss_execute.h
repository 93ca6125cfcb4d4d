/* The instructions themselves, for one width: iss_execute_32.c and iss_execute_64.c define XLEN
 * and include this file, so that the compiler knows the width of everything.
 *
 * RISC-V unprivileged specification. Registers are 64 bits wide in memory; those of RV32 have
 * zeros above.
 */
#include <string.h>

#include "iss_state.h"
#include "library/check/semantics/semantics_compute.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Memory ----------------------------------------------------------------------------------- */

/* The result of an access: 0, or the cause of the trap for a load; a store's is two more. */
enum access { ACCESS_DONE = 0, ACCESS_MISALIGNED = 4, ACCESS_FAULT = 5 };

static inline bool in_memory(const struct ear_iss *iss, uint64_t address, unsigned size)
{
	return address - EAR_ISS_MEMORY_BASE <= iss->memory_size - size;
}

static inline enum access load(
	struct ear_iss *iss, uint64_t address, unsigned size, uint64_t *value)
{
	if (UNLIKELY(address & (size - 1)) && iss->options.misaligned_traps)
		return ACCESS_MISALIGNED;
	if (LIKELY(in_memory(iss, address, size))) {
		const uint8_t *at = iss->memory + (address - EAR_ISS_MEMORY_BASE);
		uint16_t half;
		uint32_t full;

		switch (size) {
		case 1: *value = *at; break;
		case 2:
			memcpy(&half, at, 2);
			*value = half;
			break;
		case 4:
			memcpy(&full, at, 4);
			*value = full;
			break;
		default: memcpy(value, at, 8); break;
		}
		return ACCESS_DONE;
	}
	if (address & (size - 1))
		return ACCESS_MISALIGNED;
	return iss_device_load(iss, address, size, value) ? ACCESS_DONE : ACCESS_FAULT;
}

static inline void write_memory(
	struct ear_iss *iss, uint64_t address, unsigned size, uint64_t value)
{
	memcpy(iss->memory + (address - EAR_ISS_MEMORY_BASE), &value, size);
	if (UNLIKELY(address == iss->tohost) && iss->has_tohost && size >= 4 && (value & 1)) {
		iss->ended = true;
		iss->end = EAR_ISS_EXITED;
		iss->exit_code = (int)(value >> 1 & 0x7fffffff);
	}
}

static inline enum access store(
	struct ear_iss *iss, uint64_t address, unsigned size, uint64_t value)
{
	if (UNLIKELY(address & (size - 1)) && iss->options.misaligned_traps)
		return ACCESS_MISALIGNED;
	if (LIKELY(in_memory(iss, address, size))) {
		switch (size) {
		case 1: write_memory(iss, address, 1, value); break;
		case 2: write_memory(iss, address, 2, value); break;
		case 4: write_memory(iss, address, 4, value); break;
		default: write_memory(iss, address, 8, value); break;
		}
		return ACCESS_DONE;
	}
	if (address & (size - 1))
		return ACCESS_MISALIGNED;
	return iss_device_store(iss, address, size, value) ? ACCESS_DONE : ACCESS_FAULT;
}

static inline uint64_t low_bytes(uint64_t value, unsigned size)
{
	return size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

static inline uint8_t mask_of(unsigned size)
{
	return (uint8_t)((1u << size) - 1);
}

/* The mask and data of the port, which has room for XLEN bits only. */
static inline void show_read(struct ear_retire *entry, unsigned size, uint64_t value)
{
	entry->mem_rmask = mask_of(size > XLEN / 8 ? XLEN / 8 : size);
	entry->mem_rdata = (word)value;
}

static inline void show_write(struct ear_retire *entry, unsigned size, uint64_t value)
{
	entry->mem_wmask = mask_of(size > XLEN / 8 ? XLEN / 8 : size);
	entry->mem_wdata = (word)low_bytes(value, size);
}

/* LR, SC and AMO at entry->mem_addr. Returns 0 or the cause of the trap. */
static enum access execute_atomic(struct ear_iss *iss, struct ear_retire *entry,
	const struct ear_semantics *op, word operand, word *result)
{
	unsigned size = 1u << ear_semantics_bits(op->wide, 12, 3);
	uint64_t address = entry->mem_addr, old, new;
	bool loads = op->kind == EAR_SEM_LR;

	if (address & (size - 1))
		return loads ? ACCESS_MISALIGNED : ACCESS_MISALIGNED + 2;
	if (!in_memory(iss, address, size))
		return loads ? ACCESS_FAULT : ACCESS_FAULT + 2;
	if (op->kind == EAR_SEM_SC) {
		bool holds = iss->reserved && iss->reservation == address;

		iss->reserved = false;
		if (iss->seen)
			holds = iss->seen->mem_wmask != 0;
		else if (holds && iss->options.sc_failure)
			holds = iss_random_below(iss, 1000) >= iss->options.sc_failure;
		*result = !holds;
		if (!holds)
			return ACCESS_DONE;
		store(iss, address, size, operand);
		show_write(entry, size, operand);
		return ACCESS_DONE;
	}
	load(iss, address, size, &old);
	show_read(entry, size, old);
	*result = size == 4 ? from_32((uint32_t)old) : (word)old;
	if (loads) {
		iss->reserved = true;
		iss->reservation = address;
		return ACCESS_DONE;
	}
	new = ear_semantics_amo(op->wide >> 27, size, old, operand);
	store(iss, address, size, new);
	show_write(entry, size, new);
	return ACCESS_DONE;
}

/* FLW, FLD, FSW, FSD. Returns 0 or the cause of the trap. */
static enum access execute_float_memory(
	struct ear_iss *iss, struct ear_retire *entry, const struct ear_semantics *op)
{
	unsigned size = ear_semantics_bits(op->wide, 12, 3) == 2 ? 4 : 8;
	uint64_t value;
	enum access access;

	if (!iss_float_enabled(iss))
		return ISS_CAUSE_ILLEGAL;
	if (op->kind == EAR_SEM_FLOAD) {
		access = load(iss, entry->mem_addr, size, &value);
		if (access != ACCESS_DONE)
			return access;
		show_read(entry, size, value);
		if (size == 4 && iss_has(iss, EAR_ISS_D))
			value |= UINT64_C(0xffffffff) << 32;
		iss_float_write(iss, entry, ear_semantics_bits(op->wide, 7, 5), value);
		return ACCESS_DONE;
	}
	value = iss->f[ear_semantics_bits(op->wide, 20, 5)];
	access = store(iss, entry->mem_addr, size, value);
	if (access != ACCESS_DONE)
		return access + 2;
	show_write(entry, size, value);
	return ACCESS_DONE;
}

/* Fetch --------------------------------------------------------------------------------------- */

/* Fetch and decode at pc. NULL: nothing can be fetched there. Opcodes are decoded once: a slot
 * is good as long as it holds the very opcode that memory has, so new code needs no care. */
static inline const struct ear_semantics *fetch(struct ear_iss *iss, uint64_t *fault)
{
	uint64_t pc = iss->pc;
	struct ear_semantics *op = &iss->cache[pc >> 1 & (ISS_CACHE_SLOTS - 1)];
	uint32_t insn;

	if (UNLIKELY(!in_memory(iss, pc, 2))) {
		*fault = pc;
		return NULL;
	}
	memcpy(&insn, iss->memory + (pc - EAR_ISS_MEMORY_BASE), 4); /* there is room behind */
	if ((insn & 3) != 3) {
		insn &= 0xffff;
	} else if (UNLIKELY(!in_memory(iss, pc, 4))) {
		*fault = pc + 2;
		return NULL;
	}
	if (UNLIKELY(op->insn != insn || op->size == 0))
		ear_semantics_decode(op, insn, XLEN, iss->options.extensions);
	return op;
}

/* One entry -------------------------------------------------------------------------------- */

/* Everything but the CSRs, field by field: a memset of this size costs as much as all the rest. */
static inline void begin_entry(struct ear_iss *iss, struct ear_retire *entry)
{
	entry->order = iss->order++;
	entry->pc_rdata = iss->pc;
	entry->pc_wdata = 0;
	entry->rs1_rdata = 0;
	entry->rs2_rdata = 0;
	entry->rd_wdata = 0;
	entry->mem_addr = 0;
	entry->mem_rdata = 0;
	entry->mem_wdata = 0;
	entry->cause = 0;
	entry->frd_wdata = 0;
	entry->pc_paddr = 0;
	entry->mem_paddr = 0;
	entry->insn = 0;
	entry->xlen = XLEN;
	entry->trap = false;
	entry->halt = false;
	entry->intr = iss->intr;
	entry->irq = false;
	entry->debug = false;
	entry->virt = false;
	entry->mode = iss->mode;
	entry->ixl = XLEN == 32 ? 1 : 2;
	entry->rs1_addr = 0;
	entry->rs2_addr = 0;
	entry->rd_addr = 0;
	entry->mem_rmask = 0;
	entry->mem_wmask = 0;
	entry->frd_valid = false;
	entry->frd_addr = 0;
	entry->fflags = 0;
	entry->csr_count = 0;
	iss->intr = false;
}

static inline bool wants_interrupt(const struct ear_iss *iss)
{
	return iss->seen ? iss->seen->irq : iss->irq_ready;
}

static inline bool step(struct ear_iss *iss, struct ear_retire *entry, const bool bugs)
{
	const struct ear_semantics *op;
	word a, b, address, result = 0, next;
	uint64_t value, fault = 0;
	enum access access = ACCESS_DONE;

	if (UNLIKELY(iss->ended))
		return false;
	if (UNLIKELY(--iss->until_event == 0))
		iss_advance(iss);
	begin_entry(iss, entry);
	op = fetch(iss, &fault);
	if (UNLIKELY(wants_interrupt(iss))) {
		entry->insn = op ? op->insn : 0;
		iss_interrupt(iss, entry);
		return true;
	}
	if (UNLIKELY(!op)) {
		iss_trap(iss, entry, ISS_CAUSE_FETCH_FAULT, fault);
		return true;
	}
	entry->insn = op->insn;
	if (bugs)
		iss_bug_upset(iss);
	a = (word)iss->x[op->rs1];
	b = (word)iss->x[op->rs2];
	if (bugs)
		a = (word)iss_bug_operand(iss, op, a);
	entry->rs1_addr = op->rs1;
	entry->rs2_addr = op->rs2;
	entry->rs1_rdata = a;
	entry->rs2_rdata = b;
	next = (word)iss->pc + op->size;
	address = a + (word)(sword)op->imm;

	switch (op->kind) {
	case EAR_SEM_ILLEGAL: goto illegal;
	case EAR_SEM_JAL:
		result = next;
		next = (word)iss->pc + (word)(sword)op->imm;
		break;
	case EAR_SEM_JALR:
		result = next;
		next = address & ~(word)1;
		break;
	case EAR_SEM_AUIPC: result = (word)iss->pc + (word)(sword)op->imm; break;

#define BRANCH(condition) \
	if (condition) \
		next = (word)iss->pc + (word)(sword)op->imm; \
	break
	case EAR_SEM_BEQ: BRANCH(a == b);
	case EAR_SEM_BNE: BRANCH(a != b);
	case EAR_SEM_BLT: BRANCH((sword)a < (sword)b);
	case EAR_SEM_BGE: BRANCH((sword)a >= (sword)b);
	case EAR_SEM_BLTU: BRANCH(a < b);
	case EAR_SEM_BGEU: BRANCH(a >= b);
#undef BRANCH

#define LOAD(size, type) \
	entry->mem_addr = address; \
	access = load(iss, address, size, &value); \
	if (UNLIKELY(access != ACCESS_DONE)) \
		goto fault; \
	show_read(entry, size, value); \
	result = (word)(sword)(type)value; \
	break
	case EAR_SEM_LB: LOAD(1, int8_t);
	case EAR_SEM_LH: LOAD(2, int16_t);
	case EAR_SEM_LW: LOAD(4, int32_t);
	case EAR_SEM_LD: LOAD(8, int64_t);
	case EAR_SEM_LBU: LOAD(1, uint8_t);
	case EAR_SEM_LHU: LOAD(2, uint16_t);
	case EAR_SEM_LWU: LOAD(4, uint32_t);
#undef LOAD

#define STORE(size) \
	entry->mem_addr = address; \
	if (bugs && in_memory(iss, address, size) && address % (size) == 0 && \
		iss_bug_loses_store(iss)) \
		access = ACCESS_DONE; \
	else \
		access = store(iss, address, size, b); \
	if (UNLIKELY(access != ACCESS_DONE)) { \
		access += 2; \
		goto fault; \
	} \
	show_write(entry, size, b); \
	break
	case EAR_SEM_SB: STORE(1);
	case EAR_SEM_SH: STORE(2);
	case EAR_SEM_SW: STORE(4);
	case EAR_SEM_SD: STORE(8);
#undef STORE

	case EAR_SEM_FENCE: break;
	case EAR_SEM_ECALL:
		iss_trap(iss, entry,
			iss->mode == ISS_MODE_M ? ISS_CAUSE_ECALL_M : ISS_CAUSE_ECALL_U, 0);
		return true;
	case EAR_SEM_EBREAK: iss_trap(iss, entry, ISS_CAUSE_BREAKPOINT, 0); return true;
	case EAR_SEM_MRET:
		if (iss->mode != ISS_MODE_M)
			goto illegal;
		iss_mret(iss, entry);
		return true;
	case EAR_SEM_WFI: iss_sleep(iss); break;
	case EAR_SEM_CSR:
		if (!iss_csr_execute(iss, entry, op, a, &value))
			goto illegal;
		result = (word)value;
		break;
	case EAR_SEM_LR:
	case EAR_SEM_SC:
	case EAR_SEM_AMO:
		entry->mem_addr = a;
		access = execute_atomic(iss, entry, op, b, &result);
		if (access != ACCESS_DONE)
			goto fault;
		break;
	case EAR_SEM_FLOAD:
	case EAR_SEM_FSTORE:
		entry->mem_addr = address;
		access = execute_float_memory(iss, entry, op);
		if ((int)access == ISS_CAUSE_ILLEGAL)
			goto illegal;
		if (access != ACCESS_DONE)
			goto fault;
		break;
	case EAR_SEM_FLOAT:
		if (!iss_float_execute(iss, entry, op, a, &value))
			goto illegal;
		result = (word)value;
		break;
	default: result = compute(op->kind, a, b + (word)(sword)op->imm); break;
	}

	if (bugs)
		result = (word)iss_bug_result(iss, op, a, result);
	if (op->rd != 0) {
		entry->rd_addr = op->rd;
		entry->rd_wdata = result;
		iss->x[op->rd] = result;
	}
	entry->pc_wdata = next;
	iss->pc = next;
	return true;

fault:
	iss_trap(iss, entry, access, address);
	return true;
illegal:
	/* An opcode that means nothing reads nothing. */
	entry->rs1_addr = 0;
	entry->rs2_addr = 0;
	entry->rs1_rdata = 0;
	entry->rs2_rdata = 0;
	entry->mem_addr = 0;
	iss_trap(iss, entry, ISS_CAUSE_ILLEGAL, op->insn);
	return true;
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

size_t JOIN(iss_run_, XLEN)(struct ear_iss *iss, struct ear_retire *entries, size_t count)
{
	size_t k = 0;

	if (iss->bug.bug.kind != EAR_ISS_BUG_NONE) {
		while (k < count && step(iss, &entries[k], true))
			k++;
	} else {
		while (k < count && step(iss, &entries[k], false))
			k++;
	}
	return k;
}
