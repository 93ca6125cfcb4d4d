/* One entry through the predictor: predict each field, resolve it, train.
 *
 * Every field is predicted from the state and from the true fields before it. To resolve a field is
 * to bring prediction and truth together: the encoder has the entry and marks a difference; the
 * decoder has the differences and fills in the entry. So both sides run this one source, in the
 * order of docs/predict.md, section 5, and their states stay equal.
 *
 * Mode and XLEN are constants at each call of step(), and all parts of it are inlined: the compiler
 * makes eight specialised functions, in which no branch on either remains.
 */
#include <string.h>

#include "decoder/predict/checker.h"
#include "decoder/predict/predictor_csr.h"

enum step_mode {
	STEP_RUN,     /* decoder: nothing differs; what only a difference could train is left out */
	STEP_DECODE,  /* decoder: difference lists the fields that differ */
	STEP_ENCODE,  /* encoder: the entry is only read */
	STEP_RESOLVE, /* encoder: the fields of difference->unknown are filled in */
};

struct step {
	struct ear_predictor *predictor;
	struct ear_retire *entry;
	struct ear_difference *difference; /* STEP_RUN: NULL */
	enum step_mode mode;
	unsigned xlen;

	const struct ear_operation *op; /* of the opcode; of an interrupt: nothing */
	unsigned size;                  /* bytes of the opcode */
	uint64_t a, b;                  /* operands */
	uint64_t address;               /* of a memory operation, else 0 */
};

static const struct ear_operation no_operation = {.kind = EAR_DO_NOTHING};

/* Resolving a field ---------------------------------------------------------------------------- */

EAR_STEP_INLINE bool encodes(const struct step *step)
{
	return step->mode == STEP_ENCODE || step->mode == STEP_RESOLVE;
}

/* Decoder: does the field differ? */
EAR_STEP_INLINE bool differs(const struct step *step, uint32_t bit)
{
	return step->mode == STEP_DECODE && step->difference->mask & bit;
}

/* Encoder: is the field unknown, so that the prediction is taken for it? */
EAR_STEP_INLINE bool is_unknown(const struct step *step, uint32_t bit)
{
	return step->mode == STEP_RESOLVE && step->difference->unknown & bit;
}

/* Encoder: is the field the truth? In a decoder it holds nothing yet, and must not even be read. */
EAR_STEP_INLINE bool has_truth(const struct step *step, uint32_t bit)
{
	return encodes(step) && !is_unknown(step, bit);
}

EAR_STEP_INLINE void mark(const struct step *step, uint32_t bit, bool differ)
{
	if (differ)
		step->difference->mask |= bit;
}

/* Resolve the field of this EAR_DIFFER_*, by its type. */
EAR_STEP_INLINE void resolve_bool(
	const struct step *step, uint32_t bit, bool *field, bool prediction)
{
	if (has_truth(step, bit))
		mark(step, bit, *field != prediction);
	else if (!differs(step, bit))
		*field = prediction;
}

EAR_STEP_INLINE void resolve_u8(
	const struct step *step, uint32_t bit, uint8_t *field, uint8_t prediction)
{
	if (has_truth(step, bit))
		mark(step, bit, *field != prediction);
	else if (!differs(step, bit))
		*field = prediction;
}

EAR_STEP_INLINE void resolve_u32(
	const struct step *step, uint32_t bit, uint32_t *field, uint32_t prediction)
{
	if (has_truth(step, bit))
		mark(step, bit, *field != prediction);
	else if (!differs(step, bit))
		*field = prediction;
}

EAR_STEP_INLINE void resolve_u64(
	const struct step *step, uint32_t bit, uint64_t *field, uint64_t prediction)
{
	if (has_truth(step, bit))
		mark(step, bit, *field != prediction);
	else if (!differs(step, bit))
		*field = prediction;
}

/* Resolve a value that may be sent as a difference of width bits to base. */
EAR_STEP_INLINE void resolve_value(const struct step *step, uint32_t bit, uint64_t *field,
	uint64_t prediction, uint64_t base, unsigned width)
{
	struct ear_difference *difference = step->difference;

	if (has_truth(step, bit)) {
		if (*field == prediction)
			return;
		if (!(difference->mask & EAR_DIFFER_RDATA))
			difference->expected = base;
		difference->mask |= bit;
	} else if (!differs(step, bit)) {
		*field = prediction;
	} else if (difference->relative) {
		*field = ear_low_bits(*field + base, width);
	}
}

/* Head and opcode ------------------------------------------------------------------------------ */

EAR_STEP_INLINE bool is_irq(const struct step *step)
{
	return step->mode != STEP_RUN && step->entry->irq;
}

EAR_STEP_INLINE void step_head(const struct step *step)
{
	const struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;

	resolve_u64(step, EAR_DIFFER_ORDER, &entry->order, predictor->order);
	resolve_u64(step, EAR_DIFFER_PC, &entry->pc_rdata, predictor->pc);
	resolve_bool(step, EAR_DIFFER_HEAD, &entry->halt, false);
	resolve_bool(step, EAR_DIFFER_HEAD, &entry->intr, predictor->intr);
	resolve_u8(step, EAR_DIFFER_HEAD, &entry->mode, predictor->mode);
	resolve_u8(step, EAR_DIFFER_HEAD, &entry->ixl, predictor->ixl);
	resolve_bool(step, EAR_DIFFER_HEAD, &entry->debug, predictor->debug);
	resolve_bool(step, EAR_DIFFER_HEAD, &entry->virt, predictor->virt);
	resolve_bool(step, EAR_DIFFER_IRQ, &entry->irq, false);
}

/* The index of an opcode in the dictionary. docs/predict.md, section 3. */
static inline uint16_t dictionary_index(const struct ear_predictor *predictor, uint32_t insn)
{
	unsigned bits = predictor->geometry.dictionary_log2;
	uint32_t hash = insn ^ insn >> 9 ^ insn >> 18 ^ insn >> 27;

	return (uint16_t)(hash & ((1u << bits) - 1));
}

static void train_opcode(struct ear_predictor *predictor, const struct ear_retire *entry)
{
	if (predictor->geometry.dictionary_log2)
		predictor->dictionary[dictionary_index(predictor, entry->insn)] = entry->insn;
	if (!entry->irq)
		ear_shadow_write(&predictor->code, (uint32_t)entry->pc_rdata,
			ear_opcode_is_compressed(entry->insn) ? 3 : 0xF, entry->insn);
	ear_predictor_code_changed(predictor);
}

EAR_STEP_INLINE void step_opcode(struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;
	struct ear_difference *difference = step->difference;
	const bool irq = is_irq(step);
	const uint32_t expected =
		irq && predictor->irq_without_insn ? 0 : fetch(predictor, entry->pc_rdata);

	resolve_u32(step, EAR_DIFFER_INSN, &entry->insn, expected);
	if (differs(step, EAR_DIFFER_INSN) && difference->from_number)
		entry->insn = predictor->dictionary[difference->number];
	if (step->mode != STEP_RUN && difference->mask & EAR_DIFFER_INSN) {
		if (encodes(step)) {
			difference->number = dictionary_index(predictor, entry->insn);
			difference->from_number =
				predictor->geometry.dictionary_log2 &&
				predictor->dictionary[difference->number] == entry->insn;
		}
		train_opcode(predictor, entry);
	}
	step->op = find_operation(predictor, entry->insn);
	step->size = step->op->size;
	if (irq)
		step->op = &no_operation;
}

EAR_STEP_INLINE void step_operands(struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;

	if (!predictor->geometry.operands) {
		resolve_u8(step, EAR_DIFFER_NUMBERS, &entry->rs1_addr, 0);
		resolve_u8(step, EAR_DIFFER_NUMBERS, &entry->rs2_addr, 0);
		resolve_u64(step, EAR_DIFFER_RS1, &entry->rs1_rdata, 0);
		resolve_u64(step, EAR_DIFFER_RS2, &entry->rs2_rdata, 0);
		step->a = predictor->x[step->op->rs1];
		step->b = predictor->x[step->op->rs2];
		return;
	}
	resolve_u8(step, EAR_DIFFER_NUMBERS, &entry->rs1_addr, step->op->rs1);
	resolve_u8(step, EAR_DIFFER_NUMBERS, &entry->rs2_addr, step->op->rs2);
	resolve_u64(step, EAR_DIFFER_RS1, &entry->rs1_rdata, predictor->x[entry->rs1_addr]);
	resolve_u64(step, EAR_DIFFER_RS2, &entry->rs2_rdata, predictor->x[entry->rs2_addr]);
	step->a = entry->rs1_rdata;
	step->b = entry->rs2_rdata;
	if (step->mode != STEP_RUN) {
		predictor->x[entry->rs1_addr] = step->a;
		predictor->x[entry->rs2_addr] = step->b;
		predictor->x[0] = 0;
	}
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

EAR_STEP_INLINE void step_trap(struct step *step)
{
	const struct ear_operation *op = step->op;
	struct ear_retire *entry = step->entry;
	const uint64_t imm = (uint64_t)(int64_t)op->imm;
	uint64_t cause;

	step->address = op->flags & EAR_OPERATION_MEMORY ? to_xlen(step->a + imm, step->xlen) : 0;
	bool trap = expect_trap(step->predictor, entry, op, step->address, &cause);
	resolve_bool(step, EAR_DIFFER_TRAP, &entry->trap, trap);
	resolve_u64(step, EAR_DIFFER_TRAP, &entry->cause, entry->trap ? cause : 0);
}

/* What the core does at misaligned accesses, unknown opcodes and interrupts, and where it trapped
 * last.
 */
static void train_traps(struct ear_predictor *predictor, const struct ear_retire *entry,
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

static uint64_t trap_handler(const struct ear_predictor *predictor, const struct ear_retire *entry)
{
	uint64_t base = predictor->mtvec & ~EAR_MTVEC_MODE;
	bool vectored =
		(predictor->mtvec & EAR_MTVEC_MODE) == EAR_MTVEC_MODE_VECTORED && entry->irq;

	return to_xlen(base + (vectored ? entry->cause << 2 : 0), predictor->xlen);
}

/* Memory --------------------------------------------------------------------------------------- */

EAR_STEP_INLINE void step_load(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;

	if (!entry->mem_rmask) {
		resolve_value(step, EAR_DIFFER_RDATA, &entry->mem_rdata, 0, 0, step->xlen);
		return;
	}
	struct ear_shadow *cache = data_cache(predictor);
	uint32_t address = (uint32_t)entry->mem_addr;
	unsigned width = 8 * ear_mask_size(entry->mem_rmask);
	uint64_t known = ear_shadow_read(cache, address, entry->mem_rmask);
	resolve_value(step, EAR_DIFFER_RDATA, &entry->mem_rdata, known, known,
		width ? width : step->xlen);
	if (step->mode != STEP_RUN && step->difference->mask & EAR_DIFFER_RDATA) {
		ear_shadow_write(cache, address, entry->mem_rmask, entry->mem_rdata);
		if (predictor->geometry.unified)
			ear_predictor_code_changed(predictor);
	}
}

EAR_STEP_INLINE void step_store(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;
	const struct ear_operation *op = step->op;

	if (!entry->mem_wmask) {
		resolve_u64(step, EAR_DIFFER_WDATA, &entry->mem_wdata, 0);
		return;
	}
	uint64_t stored = op->kind == EAR_DO_FSTORE ? predictor->f[op->frs]
			  : op->flags & EAR_OPERATION_READS
				  ? ear_check_amo(op, entry->mem_rdata, step->b)
				  : step->b;
	resolve_u64(step, EAR_DIFFER_WDATA, &entry->mem_wdata,
		ear_masked_bytes(stored, entry->mem_wmask));
	ear_shadow_write(data_cache(predictor), (uint32_t)entry->mem_addr, entry->mem_wmask,
		entry->mem_wdata);
	if (predictor->geometry.unified)
		ear_predictor_code_changed(predictor);
}

EAR_STEP_INLINE void step_memory(const struct step *step)
{
	struct ear_retire *entry = step->entry;
	const struct ear_operation *op = step->op;
	const unsigned whole = (1u << op->access) - 1;
	const uint8_t mask = (uint8_t)(entry->trap ? 0 : whole & (step->xlen == 32 ? 0xF : 0xFF));
	const bool reads = op->flags & EAR_OPERATION_READS;
	const bool writes = op->flags & EAR_OPERATION_WRITES;

	resolve_u64(step, EAR_DIFFER_ADDRESS, &entry->mem_addr, step->address);
	resolve_u8(step, EAR_DIFFER_MASKS, &entry->mem_rmask, reads ? mask : 0);
	resolve_u8(step, EAR_DIFFER_MASKS, &entry->mem_wmask, writes ? mask : 0);
	step_load(step);
	step_store(step);
}

/* Result --------------------------------------------------------------------------------------- */

/* The result and the next pc that the operation gives; a trap gives neither. */
EAR_STEP_INLINE struct ear_checked compute(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	const struct ear_retire *entry = step->entry;
	const struct ear_operation *op = step->op;
	struct ear_checked checked = {.next_pc = entry->pc_rdata + step->size};

	if (entry->trap)
		return checked;
	switch (op->kind) {
	case EAR_DO_LOAD:
	case EAR_DO_LR: checked.result = ear_check_load(op, entry->mem_rdata); break;
	case EAR_DO_CSR: checked.result = op->rd ? read_csr(predictor, op->csr) : 0; break;
	case EAR_DO_FMVTOX: checked.result = ear_check_load(op, predictor->f[op->frs]); break;
	case EAR_DO_MRET: checked.next_pc = predictor->mepc; break;
	case EAR_DO_SRET: checked.next_pc = read_csr(predictor, EAR_CSR_SEPC); break;
	default:
		if (op->flags & EAR_OPERATION_READS)
			checked.result = ear_check_load(op, entry->mem_rdata);
		else
			ear_check(&checked, op, entry->pc_rdata, step->a, step->b,
				&predictor->geometry, step->xlen);
	}
	return checked;
}

EAR_STEP_INLINE void step_result(const struct step *step, const struct ear_checked *checked)
{
	struct ear_retire *entry = step->entry;
	const struct ear_operation *op = step->op;

	resolve_u8(step, EAR_DIFFER_RD_ADDR, &entry->rd_addr, entry->trap ? 0 : op->rd);
	const uint64_t result = entry->rd_addr ? to_xlen(checked->result, step->xlen) : 0;
	resolve_value(step, EAR_DIFFER_RD, &entry->rd_wdata, result,
		ear_is_division(op) ? 0 : result, step->xlen);
}

/* Floating point ------------------------------------------------------------------------------- */

EAR_STEP_INLINE void step_float(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;
	const struct ear_operation *op = step->op;
	const bool to_f =
		!entry->trap && (op->kind == EAR_DO_FLOAD || op->kind == EAR_DO_FCOPY ||
					op->kind == EAR_DO_FCOMPUTE || op->kind == EAR_DO_FMVTOF);
	const bool raises = !entry->trap && op->flags & EAR_OPERATION_FLAGS;

	resolve_bool(step, EAR_DIFFER_FRD, &entry->frd_valid, to_f);
	resolve_u8(step, EAR_DIFFER_FRD, &entry->frd_addr, to_f ? op->frd : 0);
	resolve_u8(step, EAR_DIFFER_FRD, &entry->fflags, raises ? predictor->raised : 0);
	uint64_t value = op->kind == EAR_DO_FLOAD    ? entry->mem_rdata
			 : op->kind == EAR_DO_FCOPY  ? predictor->f[op->frs]
			 : op->kind == EAR_DO_FMVTOF ? step->a
						     : 0;
	resolve_u64(step, EAR_DIFFER_FVALUE, &entry->frd_wdata,
		entry->frd_valid ? ear_check_box(op, value, predictor->flen) : 0);
	if (entry->frd_valid)
		predictor->f[entry->frd_addr] = entry->frd_wdata;
	if (op->flags & EAR_OPERATION_FLAGS)
		predictor->raised = entry->fflags;
	predictor->fcsr |= entry->fflags;
}

static inline void clear_float(struct ear_retire *entry)
{
	entry->frd_valid = false;
	entry->frd_addr = entry->fflags = 0;
	entry->frd_wdata = 0;
}

/* CSRs and privilege --------------------------------------------------------------------------- */

static bool same_csrs(
	const struct ear_retire *entry, const struct ear_retire_csr *csrs, unsigned count)
{
	bool same = entry->csr_count == count;

	for (unsigned i = 0; same && i < count; i++)
		same = entry->csrs[i].number == csrs[i].number &&
		       entry->csrs[i].value == csrs[i].value;
	return same;
}

/* An entry that writes CSRs, or is expected to. */
EAR_STEP_INLINE void resolve_csrs(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;
	struct ear_retire_csr expected[EAR_RETIRE_CSRS_MAX];
	unsigned count = expect_csrs(predictor, expected, entry, step->op, step->a);
	unsigned listed = count < predictor->csr_slots ? count : predictor->csr_slots;

	if (encodes(step)) {
		if (!same_csrs(entry, expected, listed))
			step->difference->mask |= EAR_DIFFER_CSR;
	} else if (!differs(step, EAR_DIFFER_CSR)) {
		entry->csr_count = (uint8_t)listed;
		memcpy(entry->csrs, expected, listed * sizeof(*expected));
	}
	train_csrs(predictor, entry, step->op, expected, count);
}

/* CSRs, and the privilege mode that is expected next. Nearly all entries list no CSR. */
EAR_STEP_INLINE void step_csrs(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;
	const unsigned kind = step->op->kind;
	const uint64_t mstatus = predictor->mstatus; /* before this entry */
	const bool special = entry->trap || kind == EAR_DO_CSR || kind == EAR_DO_MRET;

	if (special || (encodes(step) && entry->csr_count) || differs(step, EAR_DIFFER_CSR)) {
		resolve_csrs(step);
		predictor->mode = entry->trap ? EAR_MODE_M
				  : kind == EAR_DO_MRET
					  ? (uint8_t)(mstatus >> EAR_MSTATUS_MPP_SHIFT & 3)
					  : entry->mode;
		return;
	}
	if (!encodes(step))
		entry->csr_count = 0;
	predictor->mode =
		kind == EAR_DO_SRET ? (uint8_t)(mstatus & EAR_MSTATUS_SPP ? 1 : 0) : entry->mode;
}

/* Physical addresses --------------------------------------------------------------------------- */

static uint64_t expect_physical(const struct ear_translation *pages, uint64_t address)
{
	const struct ear_translation *page = &pages[address >> 12 & (EAR_TRANSLATIONS - 1)];

	return page->none ? 0 : address + page->difference;
}

static void train_physical(struct ear_translation *pages, uint64_t address, uint64_t physical)
{
	pages[address >> 12 & (EAR_TRANSLATIONS - 1)] =
		(struct ear_translation){.none = physical == 0, .difference = physical - address};
}

EAR_STEP_INLINE void step_physical(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	struct ear_retire *entry = step->entry;
	const bool memory = step->op->flags & EAR_OPERATION_MEMORY;

	resolve_u64(step, EAR_DIFFER_PADDR, &entry->pc_paddr,
		expect_physical(predictor->pc_pages, entry->pc_rdata));
	resolve_u64(step, EAR_DIFFER_PADDR, &entry->mem_paddr,
		memory ? expect_physical(predictor->data_pages, entry->mem_addr) : 0);
	train_physical(predictor->pc_pages, entry->pc_rdata, entry->pc_paddr);
	if (memory)
		train_physical(predictor->data_pages, entry->mem_addr, entry->mem_paddr);
}

/* The end of the entry ------------------------------------------------------------------------- */

/* docs/predict.md, section 6. */
static inline uint32_t digest_entry(
	const struct ear_predictor *predictor, const struct ear_retire *entry)
{
	uint32_t status = (uint32_t)entry->trap | (uint32_t)entry->halt << 1 |
			  (uint32_t)entry->intr << 2 | (uint32_t)entry->irq << 3 |
			  (uint32_t)entry->mode << 4 | (uint32_t)entry->ixl << 6 |
			  (uint32_t)entry->debug << 8 | (uint32_t)entry->virt << 9 |
			  (uint32_t)entry->rs1_addr << 10 | (uint32_t)entry->rs2_addr << 15 |
			  (uint32_t)entry->rd_addr << 20 | (uint32_t)entry->csr_count << 25;
	uint32_t masks = (uint32_t)entry->mem_rmask | (uint32_t)entry->mem_wmask << 8;
	uint32_t sum = status ^ digest_term(masks, 1) ^ digest_term(entry->order, 2) ^
		       digest_term(entry->insn, 3) ^ digest_term(entry->pc_rdata, 5) ^
		       digest_term(entry->pc_wdata, 7) ^ digest_term(entry->rs1_rdata, 9) ^
		       digest_term(entry->rs2_rdata, 11) ^ digest_term(entry->rd_wdata, 13) ^
		       digest_term(entry->mem_addr, 15) ^ digest_term(entry->mem_rdata, 17) ^
		       digest_term(entry->mem_wdata, 19) ^ digest_term(entry->cause, 21);

	if (predictor->flen)
		sum ^= digest_term(entry->frd_wdata, 23) ^
		       digest_term((uint32_t)entry->frd_valid | (uint32_t)entry->frd_addr << 1 |
					   (uint32_t)entry->fflags << 6,
			       25);
	if (predictor->paddr)
		sum ^= digest_term(entry->pc_paddr, 27) ^ digest_term(entry->mem_paddr, 29);
	for (unsigned i = 0; i < entry->csr_count; i++)
		sum ^= digest_term(entry->csrs[i].value, 4 + 2 * i) ^
		       digest_term(entry->csrs[i].number, 6 + 2 * i);
	return digest_advance(predictor->digest, sum);
}

/* Train what no field before has trained, and advance the digest. */
EAR_STEP_INLINE void step_end(const struct step *step)
{
	struct ear_predictor *predictor = step->predictor;
	const struct ear_retire *entry = step->entry;

	train_traps(predictor, entry, step->op, step->address);
	if (entry->rd_addr)
		predictor->x[entry->rd_addr] = entry->rd_wdata;
	predictor->order = entry->order + 1;
	predictor->pc = entry->pc_wdata;
	predictor->intr = entry->trap;
	if (step->mode != STEP_RUN) {
		predictor->ixl = entry->ixl;
		predictor->debug = entry->debug;
		predictor->virt = entry->virt;
	}
	predictor->digest = digest_entry(predictor, entry);
}

EAR_STEP_INLINE void step(struct ear_predictor *predictor, struct ear_retire *entry,
	struct ear_difference *difference, const enum step_mode mode, const unsigned xlen)
{
	struct step step = {.predictor = predictor,
		.entry = entry,
		.difference = difference,
		.mode = mode,
		.xlen = xlen};

	step_head(&step);
	step_opcode(&step);
	step_operands(&step);
	step_trap(&step);
	step_memory(&step);
	const struct ear_checked checked = compute(&step);
	step_result(&step, &checked);
	if (predictor->flen)
		step_float(&step);
	else if (!encodes(&step))
		clear_float(entry);
	resolve_u64(&step, EAR_DIFFER_NEXT_PC, &entry->pc_wdata,
		entry->trap ? trap_handler(predictor, entry) : to_xlen(checked.next_pc, xlen));
	step_csrs(&step);
	if (predictor->paddr)
		step_physical(&step);
	else if (!encodes(&step))
		entry->pc_paddr = entry->mem_paddr = 0;
	step_end(&step);
}

void ear_predictor_encode(struct ear_predictor *predictor, const struct ear_retire *entry,
	struct ear_difference *difference)
{
	/* STEP_ENCODE only reads the entry. */
	struct ear_retire *same = (struct ear_retire *)entry;

	*difference = (struct ear_difference){.mask = 0};
	if (predictor->xlen == 32)
		step(predictor, same, difference, STEP_ENCODE, 32);
	else
		step(predictor, same, difference, STEP_ENCODE, 64);
}

void ear_predictor_resolve(struct ear_predictor *predictor, struct ear_retire *entry,
	struct ear_difference *difference, uint32_t unknown)
{
	*difference = (struct ear_difference){.unknown = unknown};
	if (predictor->xlen == 32)
		step(predictor, entry, difference, STEP_RESOLVE, 32);
	else
		step(predictor, entry, difference, STEP_RESOLVE, 64);
}

void ear_predictor_decode(struct ear_predictor *predictor, struct ear_retire *entry,
	const struct ear_difference *difference)
{
	struct ear_difference given = *difference;

	if (predictor->xlen == 32)
		step(predictor, entry, &given, STEP_DECODE, 32);
	else
		step(predictor, entry, &given, STEP_DECODE, 64);
	entry->xlen = predictor->xlen;
}

void ear_predictor_run(struct ear_predictor *predictor, struct ear_retire *entry)
{
	entry->xlen = predictor->xlen;
	if (predictor->xlen == 32)
		step(predictor, entry, NULL, STEP_RUN, 32);
	else
		step(predictor, entry, NULL, STEP_RUN, 64);
}
