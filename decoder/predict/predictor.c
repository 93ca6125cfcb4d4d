#include "decoder/predict/predictor.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/isa/csr.h"
#include "decoder/predict/checker.h"
#include "decoder/predict/predictor_inside.h"

enum walk { WALK_RUN, WALK_DECODE, WALK_ENCODE, WALK_SETTLE };

static const struct ear_operation no_operation = {.kind = EAR_DO_NOTHING};

int ear_predictor_init(struct ear_predictor *predictor, const struct ear_unit *unit,
	const struct ear_geometry *geometry)
{
	memset(predictor, 0, sizeof(*predictor));
	predictor->geometry = *geometry;
	predictor->xlen = unit->xlen;
	predictor->flen = unit->flen;
	predictor->csr_slots = unit->csr_slots;
	predictor->paddr = unit->features & EAR_REG_FEATURES_PADDR_MASK;

	int result = ear_shadow_init(&predictor->code, &geometry->code);
	if (result == 0 && !geometry->unified)
		result = ear_shadow_init(&predictor->data, &geometry->data);
	predictor->operations =
		calloc((size_t)1 << EAR_OPERATION_CACHE_LOG2, sizeof(*predictor->operations));
	predictor->placed = calloc((size_t)1 << EAR_PLACED_LOG2, sizeof(*predictor->placed));
	predictor->code_marks = calloc((size_t)1 << EAR_CODE_MARKS_LOG2, 1);
	if (result || !predictor->operations || !predictor->placed || !predictor->code_marks) {
		ear_predictor_fini(predictor);
		return EAR_E_NO_MEMORY;
	}
	/* Every place of the cache must hold the operation of some opcode. */
	for (size_t i = 0; i < (size_t)1 << EAR_OPERATION_CACHE_LOG2; i++)
		ear_operation_decode(&predictor->operations[i], 0, unit->xlen, unit->flen);
	ear_predictor_reset(predictor, 0);
	return 0;
}

void ear_predictor_fini(struct ear_predictor *predictor)
{
	ear_shadow_fini(&predictor->code);
	ear_shadow_fini(&predictor->data);
	free(predictor->operations);
	free(predictor->placed);
	free(predictor->code_marks);
	predictor->operations = NULL;
	predictor->placed = NULL;
	predictor->code_marks = NULL;
}

void ear_predictor_code_changed(struct ear_predictor *predictor)
{
	if (++predictor->generation != 0)
		return;
	memset(predictor->placed, 0, sizeof(*predictor->placed) << EAR_PLACED_LOG2);
	predictor->generation = 1;
}

void ear_predictor_reset(struct ear_predictor *predictor, uint64_t order)
{
	predictor->order = order;
	predictor->pc = 0;
	predictor->intr = predictor->debug = predictor->virt = false;
	predictor->mode = EAR_MODE_M;
	predictor->ixl = predictor->xlen == 64 ? 2 : 1;
	memset(predictor->x, 0, sizeof(predictor->x));
	memset(predictor->f, 0, sizeof(predictor->f));
	predictor->fcsr = 0;
	predictor->mstatus = predictor->mtvec = predictor->mepc = 0;
	predictor->mcause = predictor->mtval = 0;
	memset(predictor->csrs, 0, sizeof(predictor->csrs));
	predictor->irq_cause = ((uint64_t)1 << (predictor->xlen - 1)) | EAR_INTERRUPT_TIMER;
	predictor->irq_without_insn = false;
	predictor->misaligned_traps = predictor->unknown_traps = false;
	predictor->trap_lists_mstatush = predictor->xlen == 32;
	predictor->mret_mpp = 0;
	predictor->tval_zero = 0;
	predictor->raised = 0;
	predictor->trapped_before = false;
	predictor->trap_pc = predictor->trap_cause = 0;
	memset(predictor->pc_pages, 0, sizeof(predictor->pc_pages));
	memset(predictor->data_pages, 0, sizeof(predictor->data_pages));
	memset(predictor->dictionary, 0, sizeof(predictor->dictionary));
	ear_shadow_clear(&predictor->code);
	if (!predictor->geometry.unified)
		ear_shadow_clear(&predictor->data);
	predictor->digest = 0;
	memset(predictor->code_marks, 0, (size_t)1 << EAR_CODE_MARKS_LOG2);
	ear_predictor_code_changed(predictor);
}

/* Opcodes -------------------------------------------------------------------------------------- */

/* The place of an opcode in the dictionary. docs/predict.md, section 3. */
static inline uint16_t dictionary_place(const struct ear_predictor *predictor, uint32_t insn)
{
	unsigned bits = predictor->geometry.dictionary_log2;
	uint32_t hash = insn ^ insn >> 9 ^ insn >> 18 ^ insn >> 27;

	return (uint16_t)(hash & ((1u << bits) - 1));
}

static void learn_insn(struct ear_predictor *predictor, const struct ear_retire *entry)
{
	if (predictor->geometry.dictionary_log2)
		predictor->dictionary[dictionary_place(predictor, entry->insn)] = entry->insn;
	if (!entry->irq)
		ear_shadow_write(&predictor->code, (uint32_t)entry->pc_rdata,
			ear_opcode_is_compressed(entry->insn) ? 3 : 0xF, entry->insn);
	ear_predictor_code_changed(predictor);
}

/* CSRs ----------------------------------------------------------------------------------------- */

static struct ear_remembered_csr *csr_place(struct ear_predictor *predictor, unsigned number)
{
	unsigned hash = number ^ number >> 6;

	return &predictor->csrs[hash & ((1u << predictor->geometry.csr_log2) - 1)];
}

static uint64_t read_csr(struct ear_predictor *predictor, unsigned number)
{
	const struct ear_remembered_csr *place;

	switch (number) {
	case EAR_CSR_MSTATUS: return predictor->mstatus;
	case EAR_CSR_MTVEC: return predictor->mtvec;
	case EAR_CSR_MEPC: return predictor->mepc;
	case EAR_CSR_MCAUSE: return predictor->mcause;
	case EAR_CSR_MTVAL: return predictor->mtval;
	default: break;
	}
	if (predictor->flen) {
		switch (number) {
		case EAR_CSR_FFLAGS: return predictor->fcsr & EAR_FCSR_FFLAGS;
		case EAR_CSR_FRM: return predictor->fcsr >> EAR_FCSR_FRM_SHIFT;
		case EAR_CSR_FCSR: return predictor->fcsr;
		default: break;
		}
	}
	place = csr_place(predictor, number);
	return predictor->geometry.csr_log2 && place->number == number ? place->value : 0;
}

static void write_csr(struct ear_predictor *predictor, unsigned number, uint64_t value)
{
	switch (number) {
	case EAR_CSR_MSTATUS: predictor->mstatus = value; return;
	case EAR_CSR_MTVEC: predictor->mtvec = value; return;
	case EAR_CSR_MEPC: predictor->mepc = value; return;
	case EAR_CSR_MCAUSE: predictor->mcause = value; return;
	case EAR_CSR_MTVAL: predictor->mtval = value; return;
	default: break;
	}
	if (predictor->flen) {
		switch (number) {
		case EAR_CSR_FFLAGS:
			predictor->fcsr = (uint8_t)((predictor->fcsr & EAR_FCSR_FRM) |
						    (value & EAR_FCSR_FFLAGS));
			return;
		case EAR_CSR_FRM:
			predictor->fcsr = (uint8_t)((predictor->fcsr & EAR_FCSR_FFLAGS) |
						    (value & 7) << EAR_FCSR_FRM_SHIFT);
			return;
		case EAR_CSR_FCSR: predictor->fcsr = (uint8_t)value; return;
		default: break;
		}
	}
	if (predictor->geometry.csr_log2)
		*csr_place(predictor, number) =
			(struct ear_remembered_csr){(uint16_t)number, value};
}

/* mtval of a trap. */
static uint64_t trap_value(const struct ear_predictor *predictor, const struct ear_retire *entry)
{
	if (entry->irq || entry->cause > 15 || predictor->tval_zero >> entry->cause & 1)
		return 0;
	switch (entry->cause) {
	case EAR_EXCEPTION_FETCH_MISALIGNED:
	case EAR_EXCEPTION_FETCH_FAULT:
	case EAR_EXCEPTION_BREAKPOINT:
	case EAR_EXCEPTION_FETCH_PAGE: return entry->pc_rdata;
	case EAR_EXCEPTION_ILLEGAL: return entry->insn;
	case EAR_EXCEPTION_LOAD_MISALIGNED:
	case EAR_EXCEPTION_LOAD_FAULT:
	case EAR_EXCEPTION_STORE_MISALIGNED:
	case EAR_EXCEPTION_STORE_FAULT:
	case EAR_EXCEPTION_LOAD_PAGE:
	case EAR_EXCEPTION_STORE_PAGE: return entry->mem_addr;
	default: return 0;
	}
}

static uint64_t mstatus_of_trap(const struct ear_predictor *predictor, unsigned mode)
{
	uint64_t old = predictor->mstatus;
	uint64_t kept = old & ~(EAR_MSTATUS_MIE | EAR_MSTATUS_MPIE | EAR_MSTATUS_MPP);

	return kept | (old & EAR_MSTATUS_MIE ? EAR_MSTATUS_MPIE : 0) |
	       (uint64_t)mode << EAR_MSTATUS_MPP_SHIFT;
}

static uint64_t mstatus_of_mret(const struct ear_predictor *predictor)
{
	uint64_t old = predictor->mstatus;
	uint64_t kept = old & ~(EAR_MSTATUS_MIE | EAR_MSTATUS_MPP);

	if ((old & EAR_MSTATUS_MPP) != EAR_MSTATUS_MPP)
		kept &= ~EAR_MSTATUS_MPRV;
	return kept | EAR_MSTATUS_MPIE | (old & EAR_MSTATUS_MPIE ? EAR_MSTATUS_MIE : 0) |
	       (uint64_t)predictor->mret_mpp << EAR_MSTATUS_MPP_SHIFT;
}

/* What a CSR instruction writes, given the old value. Returns false if it does not write. */
static bool csr_written(uint64_t *value, const struct ear_operation *op, uint64_t a, uint64_t old)
{
	uint64_t source = op->function >= 4 ? (uint64_t)op->imm : a;

	switch (op->function & 3) {
	case 1: *value = source; return true;
	case 2: *value = old | source; return op->imm != 0;
	default: *value = old & ~source; return op->imm != 0;
	}
}

/* The CSR writes that are expected of the entry, all of them. Returns their number. */
static unsigned expect_csrs(struct ear_predictor *predictor, struct ear_retire_csr *csrs,
	const struct ear_retire *entry, const struct ear_operation *op, uint64_t a)
{
	unsigned count = 0;

	if (entry->trap) {
		csrs[count++] = (struct ear_retire_csr){EAR_CSR_MEPC, entry->pc_rdata};
		csrs[count++] = (struct ear_retire_csr){EAR_CSR_MCAUSE, entry->cause};
		csrs[count++] =
			(struct ear_retire_csr){EAR_CSR_MTVAL, trap_value(predictor, entry)};
		csrs[count++] = (struct ear_retire_csr){
			EAR_CSR_MSTATUS, mstatus_of_trap(predictor, entry->mode)};
	} else if (op->kind == EAR_DO_MRET) {
		csrs[count++] =
			(struct ear_retire_csr){EAR_CSR_MSTATUS, mstatus_of_mret(predictor)};
	} else if (op->kind == EAR_DO_CSR) {
		uint64_t old = entry->rd_addr ? entry->rd_wdata : read_csr(predictor, op->csr);
		uint64_t value;
		if (csr_written(&value, op, a, old))
			csrs[count++] =
				(struct ear_retire_csr){op->csr, truncate(value, predictor->xlen)};
		return count;
	}
	if (count && predictor->trap_lists_mstatush)
		csrs[count++] = (struct ear_retire_csr){EAR_CSR_MSTATUSH, 0};
	return count;
}

static bool same_csrs(
	const struct ear_retire *entry, const struct ear_retire_csr *csrs, unsigned count)
{
	bool same = entry->csr_count == count;

	for (unsigned i = 0; same && i < count; i++)
		same = entry->csrs[i].number == csrs[i].number &&
		       entry->csrs[i].value == csrs[i].value;
	return same;
}

/* A list that fills all slots may have been cut: what was expected is believed then. */
static void learn_csrs(struct ear_predictor *predictor, const struct ear_retire *entry,
	const struct ear_operation *op, const struct ear_retire_csr *expected, unsigned count)
{
	if (op->kind == EAR_DO_CSR && !entry->trap && entry->rd_addr)
		write_csr(predictor, op->csr, entry->rd_wdata);
	if (entry->csr_count == predictor->csr_slots) {
		for (unsigned i = 0; i < count; i++)
			write_csr(predictor, expected[i].number, expected[i].value);
	}
	for (unsigned i = 0; i < entry->csr_count; i++)
		write_csr(predictor, entry->csrs[i].number, entry->csrs[i].value);
}

/* Habits of the core that show in the CSR writes of traps and returns. */
static void learn_trap_csrs(struct ear_predictor *predictor, const struct ear_retire *entry)
{
	for (unsigned i = 0; i < entry->csr_count; i++) {
		const struct ear_retire_csr *csr = &entry->csrs[i];
		if (csr->number == EAR_CSR_MTVAL && entry->trap && !entry->irq && entry->cause < 16)
			predictor->tval_zero =
				(uint16_t)((predictor->tval_zero & ~(1u << entry->cause)) |
					   (unsigned)(csr->value == 0) << entry->cause);
		if (csr->number == EAR_CSR_MSTATUS && !entry->trap)
			predictor->mret_mpp = csr->value >> EAR_MSTATUS_MPP_SHIFT & 3;
	}
	if (entry->csr_count)
		predictor->trap_lists_mstatush =
			entry->csrs[entry->csr_count - 1].number == EAR_CSR_MSTATUSH;
}

/* Traps ---------------------------------------------------------------------------------------- */

static inline bool is_misaligned(const struct ear_operation *op, uint64_t address)
{
	return op->flags & EAR_OPERATION_MEMORY && address & (op->access - 1u);
}

static bool expect_trap(const struct ear_predictor *predictor, const struct ear_retire *entry,
	const struct ear_operation *op, uint64_t address, uint64_t *cause)
{
	*cause = 0;
	if (predictor->geometry.base)
		return false;
	if (entry->irq)
		*cause = predictor->irq_cause;
	else if (op->kind == EAR_DO_ECALL)
		*cause = EAR_EXCEPTION_ECALL_U + entry->mode;
	else if (op->kind == EAR_DO_EBREAK)
		*cause = EAR_EXCEPTION_BREAKPOINT;
	else if (predictor->misaligned_traps && is_misaligned(op, address))
		*cause = op->flags & EAR_OPERATION_WRITES ? EAR_EXCEPTION_STORE_MISALIGNED
							  : EAR_EXCEPTION_LOAD_MISALIGNED;
	else if (predictor->unknown_traps && op->kind == EAR_DO_UNKNOWN)
		*cause = EAR_EXCEPTION_ILLEGAL;
	else if (predictor->trapped_before && entry->pc_rdata == predictor->trap_pc)
		*cause = predictor->trap_cause;
	else
		return false;
	return true;
}

static void learn_trap(struct ear_predictor *predictor, const struct ear_retire *entry,
	const struct ear_operation *op, uint64_t address)
{
	if (predictor->geometry.base)
		return;
	if (entry->irq) {
		predictor->irq_cause = entry->cause;
		predictor->irq_without_insn = entry->insn == 0;
		return;
	}
	if (is_misaligned(op, address))
		predictor->misaligned_traps = entry->trap;
	if (op->kind == EAR_DO_UNKNOWN)
		predictor->unknown_traps = entry->trap && entry->cause == EAR_EXCEPTION_ILLEGAL;
	if (op->kind == EAR_DO_ECALL || op->kind == EAR_DO_EBREAK)
		return;
	if (entry->trap) {
		predictor->trapped_before = true;
		predictor->trap_pc = entry->pc_rdata;
		predictor->trap_cause = entry->cause;
	} else if (predictor->trapped_before && predictor->trap_pc == entry->pc_rdata) {
		predictor->trapped_before = false;
	}
}

static uint64_t handler(const struct ear_predictor *predictor, const struct ear_retire *entry)
{
	uint64_t base = predictor->mtvec & ~EAR_MTVEC_MODE;
	bool vectored =
		(predictor->mtvec & EAR_MTVEC_MODE) == EAR_MTVEC_MODE_VECTORED && entry->irq;

	return truncate(base + (vectored ? entry->cause << 2 : 0), predictor->xlen);
}

/* Physical addresses --------------------------------------------------------------------------- */

static uint64_t expect_physical(const struct ear_translation *pages, uint64_t address)
{
	const struct ear_translation *page = &pages[address >> 12 & (EAR_TRANSLATIONS - 1)];

	return page->none ? 0 : address + page->difference;
}

static void learn_physical(struct ear_translation *pages, uint64_t address, uint64_t physical)
{
	pages[address >> 12 & (EAR_TRANSLATIONS - 1)] =
		(struct ear_translation){.none = physical == 0, .difference = physical - address};
}

/* Digest --------------------------------------------------------------------------------------- */

/* docs/predict.md, section 6. */
static inline uint32_t digest_step(
	const struct ear_predictor *predictor, const struct ear_retire *entry)
{
	uint32_t status = (uint32_t)entry->trap | (uint32_t)entry->halt << 1 |
			  (uint32_t)entry->intr << 2 | (uint32_t)entry->irq << 3 |
			  (uint32_t)entry->mode << 4 | (uint32_t)entry->ixl << 6 |
			  (uint32_t)entry->debug << 8 | (uint32_t)entry->virt << 9 |
			  (uint32_t)entry->rs1_addr << 10 | (uint32_t)entry->rs2_addr << 15 |
			  (uint32_t)entry->rd_addr << 20 | (uint32_t)entry->csr_count << 25;
	uint32_t masks = (uint32_t)entry->mem_rmask | (uint32_t)entry->mem_wmask << 8;
	uint32_t fold = status ^ rotate(masks, 1) ^ rotate(entry->order, 2) ^
			rotate(entry->insn, 3) ^ rotate(entry->pc_rdata, 5) ^
			rotate(entry->pc_wdata, 7) ^ rotate(entry->rs1_rdata, 9) ^
			rotate(entry->rs2_rdata, 11) ^ rotate(entry->rd_wdata, 13) ^
			rotate(entry->mem_addr, 15) ^ rotate(entry->mem_rdata, 17) ^
			rotate(entry->mem_wdata, 19) ^ rotate(entry->cause, 21);

	if (predictor->flen)
		fold ^= rotate(entry->frd_wdata, 23) ^
			rotate((uint32_t)entry->frd_valid | (uint32_t)entry->frd_addr << 1 |
					(uint32_t)entry->fflags << 6,
				25);
	if (predictor->paddr)
		fold ^= rotate(entry->pc_paddr, 27) ^ rotate(entry->mem_paddr, 29);
	for (unsigned i = 0; i < entry->csr_count; i++)
		fold ^= rotate(entry->csrs[i].value, 4 + 2 * i) ^
			rotate(entry->csrs[i].number, 6 + 2 * i);
	return advance(predictor->digest, fold);
}

/* The walk ------------------------------------------------------------------------------------- */

/* What a field is predicted to be meets what it is. The encoder has the entry and notes a
 * difference; the decoder has the differences and fills in the entry. An encoder that does not
 * know a field takes the prediction for it.
 */
#define DIFFERS(bit) (walk == WALK_DECODE && difference->mask & (bit))
#define UNKNOWN(bit) (walk == WALK_SETTLE && difference->unknown & (bit))
#define ENCODES      (walk == WALK_ENCODE || walk == WALK_SETTLE)
#define SETTLE(bit, field, guess) \
	do { \
		if (!ENCODES || UNKNOWN(bit)) { \
			if (!DIFFERS(bit)) \
				entry->field = (guess); \
		} else if (entry->field != (guess)) { \
			difference->mask |= (bit); \
		} \
	} while (0)

/* A value that is sent as a difference of width bits to base. */
#define SETTLE_VALUE(bit, field, guess, base, width) \
	do { \
		if (UNKNOWN(bit)) { \
			entry->field = guess; \
		} else if (ENCODES) { \
			if (entry->field != (guess)) { \
				if (!(difference->mask & EAR_DIFFER_RDATA)) \
					difference->expected = (base); \
				difference->mask |= (bit); \
			} \
		} else if (!DIFFERS(bit)) { \
			entry->field = guess; \
		} else if (difference->relative) { \
			entry->field = ear_low_bits(entry->field + (base), width); \
		} \
	} while (0)

/* One entry: predict, settle, learn. Every field is predicted from the state and from the true
 * fields before it, so encoder and decoder come to the same. In a run nothing differs, and
 * what could only be learned from a difference is left out.
 */
static inline __attribute__((always_inline)) void walk_entry(struct ear_predictor *predictor,
	struct ear_retire *entry, struct ear_difference *difference, const enum walk walk,
	const unsigned xlen)
{
	const bool operands = predictor->geometry.operands;

	SETTLE(EAR_DIFFER_ORDER, order, predictor->order);
	SETTLE(EAR_DIFFER_PC, pc_rdata, predictor->pc);
	SETTLE(EAR_DIFFER_HEAD, halt, false);
	SETTLE(EAR_DIFFER_HEAD, intr, predictor->intr);
	SETTLE(EAR_DIFFER_HEAD, mode, predictor->mode);
	SETTLE(EAR_DIFFER_HEAD, ixl, predictor->ixl);
	SETTLE(EAR_DIFFER_HEAD, debug, predictor->debug);
	SETTLE(EAR_DIFFER_HEAD, virt, predictor->virt);
	SETTLE(EAR_DIFFER_IRQ, irq, false);
	const uint64_t pc = entry->pc_rdata;
	const bool irq = walk != WALK_RUN && entry->irq;

	/* Opcode. */
	uint32_t expected_insn = irq && predictor->irq_without_insn ? 0 : fetch(predictor, pc);
	SETTLE(EAR_DIFFER_INSN, insn, expected_insn);
	if (walk == WALK_DECODE && difference->mask & EAR_DIFFER_INSN && difference->from_number)
		entry->insn = predictor->dictionary[difference->number];
	if (walk != WALK_RUN && difference->mask & EAR_DIFFER_INSN) {
		if (ENCODES) {
			difference->number = dictionary_place(predictor, entry->insn);
			difference->from_number =
				predictor->geometry.dictionary_log2 &&
				predictor->dictionary[difference->number] == entry->insn;
		}
		learn_insn(predictor, entry);
	}
	const struct ear_operation *op = find_operation(predictor, entry->insn);
	const unsigned size = op->size;
	if (irq)
		op = &no_operation;

	/* Operands. */
	uint64_t a, b;
	if (operands) {
		SETTLE(EAR_DIFFER_NUMBERS, rs1_addr, op->rs1);
		SETTLE(EAR_DIFFER_NUMBERS, rs2_addr, op->rs2);
		SETTLE(EAR_DIFFER_RS1, rs1_rdata, predictor->x[entry->rs1_addr]);
		SETTLE(EAR_DIFFER_RS2, rs2_rdata, predictor->x[entry->rs2_addr]);
		a = entry->rs1_rdata;
		b = entry->rs2_rdata;
		if (walk != WALK_RUN) {
			predictor->x[entry->rs1_addr] = a;
			predictor->x[entry->rs2_addr] = b;
			predictor->x[0] = 0;
		}
	} else {
		SETTLE(EAR_DIFFER_NUMBERS, rs1_addr, 0);
		SETTLE(EAR_DIFFER_NUMBERS, rs2_addr, 0);
		SETTLE(EAR_DIFFER_RS1, rs1_rdata, 0);
		SETTLE(EAR_DIFFER_RS2, rs2_rdata, 0);
		a = predictor->x[op->rs1];
		b = predictor->x[op->rs2];
	}
	const uint64_t imm = (uint64_t)(int64_t)op->imm;

	/* Trap. */
	const uint64_t address = op->flags & EAR_OPERATION_MEMORY ? truncate(a + imm, xlen) : 0;
	uint64_t cause;
	bool trap = expect_trap(predictor, entry, op, address, &cause);
	SETTLE(EAR_DIFFER_TRAP, trap, trap);
	SETTLE(EAR_DIFFER_TRAP, cause, entry->trap ? cause : 0);
	trap = entry->trap;

	/* Memory. */
	const unsigned whole = (1u << op->access) - 1;
	const uint8_t mask = (uint8_t)(trap ? 0 : whole & (xlen == 32 ? 0xF : 0xFF));
	const bool reads = op->flags & EAR_OPERATION_READS,
		   writes = op->flags & EAR_OPERATION_WRITES;
	SETTLE(EAR_DIFFER_ADDRESS, mem_addr, address);
	SETTLE(EAR_DIFFER_MASKS, mem_rmask, reads ? mask : 0);
	SETTLE(EAR_DIFFER_MASKS, mem_wmask, writes ? mask : 0);
	if (entry->mem_rmask) {
		struct ear_shadow *pool = data_pool(predictor);
		uint32_t low = (uint32_t)entry->mem_addr;
		unsigned width = 8 * ear_mask_size(entry->mem_rmask);
		uint64_t known = ear_shadow_read(pool, low, entry->mem_rmask);
		SETTLE_VALUE(EAR_DIFFER_RDATA, mem_rdata, known, known, width ? width : xlen);
		if (walk != WALK_RUN && difference->mask & EAR_DIFFER_RDATA) {
			ear_shadow_write(pool, low, entry->mem_rmask, entry->mem_rdata);
			if (predictor->geometry.unified)
				ear_predictor_code_changed(predictor);
		}
	} else {
		SETTLE_VALUE(EAR_DIFFER_RDATA, mem_rdata, 0, 0, xlen);
	}
	if (entry->mem_wmask) {
		uint64_t stored = op->kind == EAR_DO_FSTORE ? predictor->f[op->frs]
				  : op->flags & EAR_OPERATION_READS
					  ? ear_check_amo(op, entry->mem_rdata, b)
					  : b;
		SETTLE(EAR_DIFFER_WDATA, mem_wdata, ear_masked_bytes(stored, entry->mem_wmask));
		ear_shadow_write(data_pool(predictor), (uint32_t)entry->mem_addr, entry->mem_wmask,
			entry->mem_wdata);
		if (predictor->geometry.unified)
			ear_predictor_code_changed(predictor);
	} else {
		SETTLE(EAR_DIFFER_WDATA, mem_wdata, 0);
	}

	/* Result and next pc. */
	struct ear_checked checked = {.next_pc = pc + size};
	if (!trap) {
		switch (op->kind) {
		case EAR_DO_LOAD:
		case EAR_DO_LR: checked.result = ear_check_load(op, entry->mem_rdata); break;
		case EAR_DO_CSR: checked.result = op->rd ? read_csr(predictor, op->csr) : 0; break;
		case EAR_DO_FMVTOX:
			checked.result = ear_check_load(op, predictor->f[op->frs]);
			break;
		case EAR_DO_MRET: checked.next_pc = predictor->mepc; break;
		case EAR_DO_SRET: checked.next_pc = read_csr(predictor, EAR_CSR_SEPC); break;
		default:
			if (op->flags & EAR_OPERATION_READS)
				checked.result = ear_check_load(op, entry->mem_rdata);
			else
				ear_check(&checked, op, pc, a, b, &predictor->geometry, xlen);
		}
	}
	SETTLE(EAR_DIFFER_RD_ADDR, rd_addr, trap ? 0 : op->rd);
	const uint64_t result = entry->rd_addr ? truncate(checked.result, xlen) : 0;
	SETTLE_VALUE(EAR_DIFFER_RD, rd_wdata, result, ear_is_division(op) ? 0 : result, xlen);

	/* Floating point. */
	if (predictor->flen) {
		bool to_f =
			!trap && (op->kind == EAR_DO_FLOAD || op->kind == EAR_DO_FCOPY ||
					 op->kind == EAR_DO_FCOMPUTE || op->kind == EAR_DO_FMVTOF);
		SETTLE(EAR_DIFFER_FRD, frd_valid, to_f);
		SETTLE(EAR_DIFFER_FRD, frd_addr, to_f ? op->frd : 0);
		SETTLE(EAR_DIFFER_FRD, fflags,
			!trap && op->flags & EAR_OPERATION_FLAGS ? predictor->raised : 0);
		uint64_t value = op->kind == EAR_DO_FLOAD    ? entry->mem_rdata
				 : op->kind == EAR_DO_FCOPY  ? predictor->f[op->frs]
				 : op->kind == EAR_DO_FMVTOF ? a
							     : 0;
		SETTLE(EAR_DIFFER_FVALUE, frd_wdata,
			entry->frd_valid ? ear_check_box(op, value, predictor->flen) : 0);
		if (entry->frd_valid)
			predictor->f[entry->frd_addr] = entry->frd_wdata;
		if (op->flags & EAR_OPERATION_FLAGS)
			predictor->raised = entry->fflags;
		predictor->fcsr |= entry->fflags;
	} else if (!ENCODES) {
		entry->frd_valid = false;
		entry->frd_addr = entry->fflags = 0;
		entry->frd_wdata = 0;
	}

	SETTLE(EAR_DIFFER_NEXT_PC, pc_wdata,
		trap ? handler(predictor, entry) : truncate(checked.next_pc, xlen));

	/* CSRs. The lists are short and mostly empty. */
	bool special = trap || op->kind == EAR_DO_CSR || op->kind == EAR_DO_MRET;
	if (special || (ENCODES && entry->csr_count) || DIFFERS(EAR_DIFFER_CSR)) {
		struct ear_retire_csr expected[EAR_RETIRE_CSRS_MAX];
		unsigned count = expect_csrs(predictor, expected, entry, op, a);
		unsigned listed = count < predictor->csr_slots ? count : predictor->csr_slots;
		if (ENCODES) {
			if (!same_csrs(entry, expected, listed))
				difference->mask |= EAR_DIFFER_CSR;
		} else if (!DIFFERS(EAR_DIFFER_CSR)) {
			entry->csr_count = (uint8_t)listed;
			memcpy(entry->csrs, expected, listed * sizeof(*expected));
		}
		uint64_t mstatus = predictor->mstatus;
		learn_csrs(predictor, entry, op, expected, count);
		if (trap || op->kind == EAR_DO_MRET)
			learn_trap_csrs(predictor, entry);
		predictor->mode = trap ? EAR_MODE_M
				  : op->kind == EAR_DO_MRET
					  ? (uint8_t)(mstatus >> EAR_MSTATUS_MPP_SHIFT & 3)
					  : entry->mode;
	} else {
		if (!ENCODES)
			entry->csr_count = 0;
		predictor->mode = op->kind == EAR_DO_SRET
					  ? (uint8_t)(predictor->mstatus & EAR_MSTATUS_SPP ? 1 : 0)
					  : entry->mode;
	}

	if (predictor->paddr) {
		SETTLE(EAR_DIFFER_PADDR, pc_paddr, expect_physical(predictor->pc_pages, pc));
		SETTLE(EAR_DIFFER_PADDR, mem_paddr,
			op->flags & EAR_OPERATION_MEMORY
				? expect_physical(predictor->data_pages, entry->mem_addr)
				: 0);
		learn_physical(predictor->pc_pages, pc, entry->pc_paddr);
		if (op->flags & EAR_OPERATION_MEMORY)
			learn_physical(predictor->data_pages, entry->mem_addr, entry->mem_paddr);
	} else if (!ENCODES) {
		entry->pc_paddr = entry->mem_paddr = 0;
	}

	/* Learn the rest. */
	learn_trap(predictor, entry, op, address);
	if (entry->rd_addr)
		predictor->x[entry->rd_addr] = entry->rd_wdata;
	predictor->order = entry->order + 1;
	predictor->pc = entry->pc_wdata;
	predictor->intr = entry->trap;
	if (walk != WALK_RUN) {
		predictor->ixl = entry->ixl;
		predictor->debug = entry->debug;
		predictor->virt = entry->virt;
	}
	predictor->digest = digest_step(predictor, entry);
}

void ear_predictor_encode(struct ear_predictor *predictor, const struct ear_retire *entry,
	struct ear_difference *difference)
{
	/* The walk of the encoder only reads the entry. */
	struct ear_retire *same = (struct ear_retire *)entry;

	*difference = (struct ear_difference){.mask = 0};
	if (predictor->xlen == 32)
		walk_entry(predictor, same, difference, WALK_ENCODE, 32);
	else
		walk_entry(predictor, same, difference, WALK_ENCODE, 64);
}

void ear_predictor_settle(struct ear_predictor *predictor, struct ear_retire *entry,
	struct ear_difference *difference, uint32_t unknown)
{
	*difference = (struct ear_difference){.unknown = unknown};
	if (predictor->xlen == 32)
		walk_entry(predictor, entry, difference, WALK_SETTLE, 32);
	else
		walk_entry(predictor, entry, difference, WALK_SETTLE, 64);
}

void ear_predictor_decode(struct ear_predictor *predictor, struct ear_retire *entry,
	const struct ear_difference *difference)
{
	struct ear_difference given = *difference;

	if (predictor->xlen == 32)
		walk_entry(predictor, entry, &given, WALK_DECODE, 32);
	else
		walk_entry(predictor, entry, &given, WALK_DECODE, 64);
	entry->xlen = predictor->xlen;
}

void ear_predictor_run(struct ear_predictor *predictor, struct ear_retire *entry)
{
	entry->xlen = predictor->xlen;
	if (predictor->xlen == 32)
		walk_entry(predictor, entry, NULL, WALK_RUN, 32);
	else
		walk_entry(predictor, entry, NULL, WALK_RUN, 64);
}
