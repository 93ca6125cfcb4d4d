#ifndef EAR_PREDICTOR_CSR_H
#define EAR_PREDICTOR_CSR_H

#include "decoder/isa/csr.h"
#include "decoder/predict/predictor_internal.h"

/* The predictor's CSRs. docs/predict.md, section 5, "CSR writes".
 *
 * A part of predictor_step.c, which alone includes it: with static functions the compiler decodes
 * programs full of CSR accesses 3 % faster than with a file of their own.
 *
 * The trap CSRs and fcsr have members of their own, others share a small direct-mapped table. A
 * unit lists the writes of an entry in at most CSR_SLOTS slots: a list that fills them may be cut,
 * and the expected writes are then taken to be true before those that are listed.
 */

static unsigned csr_slot(const struct ear_predictor *predictor, unsigned number)
{
	unsigned hash = number ^ number >> 6;

	return hash & ((1u << predictor->geometry.csr_log2) - 1);
}

static uint64_t read_csr(const struct ear_predictor *predictor, unsigned number)
{
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
	if (!predictor->geometry.csr_log2)
		return 0;

	const struct ear_remembered_csr *csr = &predictor->csrs[csr_slot(predictor, number)];
	return csr->number == number ? csr->value : 0;
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
		predictor->csrs[csr_slot(predictor, number)] =
			(struct ear_remembered_csr){(uint16_t)number, value};
}

/* Expected writes ------------------------------------------------------------------------------ */

static uint64_t mtval_of_trap(const struct ear_predictor *predictor, const struct ear_retire *entry)
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

/* The value that a CSR instruction writes, given the old one. Returns false if it writes none. */
static bool csr_written(uint64_t *value, const struct ear_operation *op, uint64_t a, uint64_t old)
{
	uint64_t source = op->function >= 4 ? (uint64_t)op->imm : a;

	switch (op->function & 3) {
	case 1: *value = source; return true;
	case 2: *value = old | source; return op->imm != 0;
	default: *value = old & ~source; return op->imm != 0;
	}
}

/* All CSR writes that are expected of the entry, in order, into csrs[0 .. EAR_RETIRE_CSRS_MAX-1]; a
 * is the first operand. Returns their number, which may be more than the port has slots.
 */
static unsigned expect_csrs(const struct ear_predictor *predictor, struct ear_retire_csr *csrs,
	const struct ear_retire *entry, const struct ear_operation *op, uint64_t a)
{
	unsigned count = 0;

	if (entry->trap) {
		csrs[count++] = (struct ear_retire_csr){EAR_CSR_MEPC, entry->pc_rdata};
		csrs[count++] = (struct ear_retire_csr){EAR_CSR_MCAUSE, entry->cause};
		csrs[count++] =
			(struct ear_retire_csr){EAR_CSR_MTVAL, mtval_of_trap(predictor, entry)};
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
				(struct ear_retire_csr){op->csr, to_xlen(value, predictor->xlen)};
		return count;
	}
	if (count && predictor->trap_lists_mstatush)
		csrs[count++] = (struct ear_retire_csr){EAR_CSR_MSTATUSH, 0};
	return count;
}

/* Training ------------------------------------------------------------------------------------- */

/* Conventions of the core that show in the CSR writes of traps and mret. */
static void train_conventions(struct ear_predictor *predictor, const struct ear_retire *entry)
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

/* Train the predictor with the CSR writes that the entry lists and those that were expected. */
static void train_csrs(struct ear_predictor *predictor, const struct ear_retire *entry,
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
	if (entry->trap || op->kind == EAR_DO_MRET)
		train_conventions(predictor, entry);
}

#endif
