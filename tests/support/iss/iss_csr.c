#include "iss_state.h"

/* CSRs, traps and interrupts. RISC-V privileged specification 1.12, M and U mode. A CSR that
 * is not listed here does not exist. Where the demo core (hdl/soc/ear_demo_csr.v) has a choice
 * made, the same is made here.
 */

#define CSR_FFLAGS        0x001
#define CSR_FRM           0x002
#define CSR_FCSR          0x003
#define CSR_MSTATUS       0x300
#define CSR_MISA          0x301
#define CSR_MIE           0x304
#define CSR_MTVEC         0x305
#define CSR_MCOUNTEREN    0x306
#define CSR_MSTATUSH      0x310
#define CSR_MCOUNTINHIBIT 0x320
#define CSR_MSCRATCH      0x340
#define CSR_MEPC          0x341
#define CSR_MCAUSE        0x342
#define CSR_MTVAL         0x343
#define CSR_MIP           0x344
#define CSR_PMPCFG0       0x3a0
#define CSR_PMPADDR15     0x3bf
#define CSR_MCYCLE        0xb00
#define CSR_MINSTRET      0xb02
#define CSR_MCYCLEH       0xb80
#define CSR_MINSTRETH     0xb82
#define CSR_CYCLE         0xc00
#define CSR_TIME          0xc01
#define CSR_INSTRET       0xc02
#define CSR_CYCLEH        0xc80
#define CSR_TIMEH         0xc81
#define CSR_INSTRETH      0xc82
#define CSR_MVENDORID     0xf11
#define CSR_MARCHID       0xf12
#define CSR_MIMPID        0xf13
#define CSR_MHARTID       0xf14
#define CSR_MCONFIGPTR    0xf15

#define MSTATUS_MIE   (UINT64_C(1) << 3)
#define MSTATUS_MPIE  (UINT64_C(1) << 7)
#define MSTATUS_MPP   (UINT64_C(3) << 11)
#define MSTATUS_FS    (UINT64_C(3) << 13)
#define MSTATUS_UXL64 (UINT64_C(2) << 32)

#define IRQ_ALL (ISS_IRQ_SOFTWARE | ISS_IRQ_TIMER | ISS_IRQ_EXTERNAL)

static uint64_t xlen_mask(const struct ear_iss *iss)
{
	return iss->xlen == 32 ? 0xffffffff : ~UINT64_C(0);
}

static uint64_t top_bit(const struct ear_iss *iss)
{
	return UINT64_C(1) << (iss->xlen - 1);
}

/* mstatus ---------------------------------------------------------------------------------- */

static uint64_t mstatus_read(const struct ear_iss *iss)
{
	uint64_t value = iss->csr.mstatus;

	if ((value & MSTATUS_FS) == MSTATUS_FS)
		value |= top_bit(iss); /* SD */
	if (iss->xlen == 64 && iss_has(iss, EAR_ISS_U))
		value |= MSTATUS_UXL64;
	return value;
}

static void mstatus_write(struct ear_iss *iss, uint64_t value)
{
	uint64_t writable = MSTATUS_MIE | MSTATUS_MPIE, mpp = value & MSTATUS_MPP;

	if (iss_has(iss, EAR_ISS_F))
		writable |= MSTATUS_FS;
	if (iss_has(iss, EAR_ISS_U) && (mpp == 0 || mpp == MSTATUS_MPP))
		writable |= MSTATUS_MPP;
	iss->csr.mstatus = (iss->csr.mstatus & ~writable) | (value & writable);
	iss_irq_update(iss);
}

bool iss_float_enabled(const struct ear_iss *iss)
{
	return (iss->csr.mstatus & MSTATUS_FS) != 0;
}

void iss_float_dirty(struct ear_iss *iss)
{
	iss->csr.mstatus |= MSTATUS_FS;
}

void iss_irq_update(struct ear_iss *iss)
{
	bool enabled = iss->mode != ISS_MODE_M || (iss->csr.mstatus & MSTATUS_MIE);

	iss->irq_ready = enabled && (iss->pending & iss->csr.mie) != 0;
}

/* Traps ------------------------------------------------------------------------------------ */

static void list_csr(struct ear_retire *entry, uint16_t number, uint64_t value)
{
	entry->csrs[entry->csr_count++] = (struct ear_retire_csr){number, value};
}

static void list_mstatus(const struct ear_iss *iss, struct ear_retire *entry)
{
	list_csr(entry, CSR_MSTATUS, mstatus_read(iss));
	if (iss->xlen == 32)
		list_csr(entry, CSR_MSTATUSH, 0);
}

/* The entry keeps its operands and mem_addr; masks, data and rd are 0. */
void iss_trap(struct ear_iss *iss, struct ear_retire *entry, uint64_t cause, uint64_t value)
{
	uint64_t status = iss->csr.mstatus, target = iss->csr.mtvec & ~UINT64_C(3);

	status &= ~(MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPP);
	if (iss->csr.mstatus & MSTATUS_MIE)
		status |= MSTATUS_MPIE;
	if (iss->mode == ISS_MODE_M)
		status |= MSTATUS_MPP;
	if ((iss->csr.mtvec & 1) && (cause & top_bit(iss)))
		target += 4 * (cause & 0x3f);
	iss->csr.mstatus = status;
	iss->csr.mepc = iss->pc;
	iss->csr.mcause = cause;
	iss->csr.mtval = value & xlen_mask(iss);
	iss->mode = ISS_MODE_M;
	iss->pc = target & xlen_mask(iss);
	iss->intr = true;
	iss->trap_count++;
	iss_irq_update(iss);

	entry->trap = true;
	entry->cause = cause;
	entry->pc_wdata = iss->pc;
	list_csr(entry, CSR_MEPC, iss->csr.mepc);
	list_csr(entry, CSR_MCAUSE, cause);
	list_csr(entry, CSR_MTVAL, iss->csr.mtval);
	list_mstatus(iss, entry);
}

void iss_interrupt(struct ear_iss *iss, struct ear_retire *entry)
{
	uint32_t ready = iss->pending & iss->csr.mie;
	uint64_t code = ready & ISS_IRQ_EXTERNAL ? 11 : ready & ISS_IRQ_SOFTWARE ? 3 : 7;

	/* Beside a core, the world outside is as the core saw it; mie is not outside. */
	if (iss->seen) {
		uint64_t seen = iss->seen->cause & ~top_bit(iss);

		if (seen < 32 && (iss->csr.mie >> seen & 1))
			code = seen;
	}
	entry->irq = true;
	iss_trap(iss, entry, top_bit(iss) | code, 0);
}

void iss_mret(struct ear_iss *iss, struct ear_retire *entry)
{
	uint64_t status = iss->csr.mstatus & ~MSTATUS_MIE;
	bool user = iss_has(iss, EAR_ISS_U);

	if (status & MSTATUS_MPIE)
		status |= MSTATUS_MIE;
	status |= MSTATUS_MPIE;
	iss->mode = status & MSTATUS_MPP ? ISS_MODE_M : ISS_MODE_U;
	if (user)
		status &= ~MSTATUS_MPP;
	iss->csr.mstatus = status;
	iss->pc = iss->csr.mepc;
	iss_irq_update(iss);
	entry->pc_wdata = iss->pc;
	list_mstatus(iss, entry);
}

/* Counters --------------------------------------------------------------------------------- */

/* Instructions that retired before the one at hand. */
static uint64_t retired(const struct ear_iss *iss)
{
	return iss->order - 1 - iss->trap_count;
}

static uint64_t cycles(const struct ear_iss *iss)
{
	return iss->order + iss->extra_cycles;
}

static uint64_t counter_read(const struct iss_counter *counter, uint64_t now)
{
	return counter->inhibited ? counter->frozen : now + counter->offset;
}

/* The instruction that writes a counter does not count itself: the next one reads the value. */
static void counter_write(struct iss_counter *counter, uint64_t now, uint64_t value)
{
	counter->frozen = value;
	counter->offset = value - (now + 1);
}

/* The instruction that stops a counter still counts, the one that starts it does not. */
static void counter_inhibit(struct iss_counter *counter, uint64_t now, bool inhibited)
{
	if (inhibited && !counter->inhibited)
		counter->frozen = now + 1 + counter->offset;
	if (!inhibited && counter->inhibited)
		counter->offset = counter->frozen - (now + 1);
	counter->inhibited = inhibited;
}

/* Reading ---------------------------------------------------------------------------------- */

static uint32_t misa(const struct ear_iss *iss)
{
	static const struct {
		uint32_t extension;
		char letter;
	} letters[] = {{EAR_ISS_M, 'm'}, {EAR_ISS_A, 'a'}, {EAR_ISS_F, 'f'}, {EAR_ISS_D, 'd'},
		{EAR_ISS_C, 'c'}, {EAR_ISS_U, 'u'}};
	uint32_t value = 1u << ('i' - 'a');

	for (size_t k = 0; k < sizeof(letters) / sizeof(letters[0]); k++)
		if (iss_has(iss, letters[k].extension))
			value |= 1u << (letters[k].letter - 'a');
	return value;
}

/* Performance counters and their selectors: all exist for M mode, all read as 0. */
static bool is_hpm(const struct ear_iss *iss, unsigned number)
{
	unsigned base = number & ~31u;

	return (number & 31) > 2 &&
	       (base == 0x320 || base == 0xb00 || (base == 0xb80 && iss->xlen == 32));
}

/* What a counter reads as; false: this is none. */
static bool read_counter(const struct ear_iss *iss, unsigned number, uint64_t *value)
{
	const struct ear_retire *seen = iss->seen;

	switch (number) {
	case CSR_MCYCLE:
	case CSR_CYCLE:
	case CSR_MCYCLEH:
	case CSR_CYCLEH: *value = counter_read(&iss->csr.cycle, cycles(iss)); break;
	case CSR_MINSTRET:
	case CSR_INSTRET:
	case CSR_MINSTRETH:
	case CSR_INSTRETH:
		*value = counter_read(&iss->csr.instret, retired(iss));
		seen = NULL;
		break;
	case CSR_TIME:
	case CSR_TIMEH: *value = iss->mtime; break;
	default: return false;
	}
	if (number & 0x80) {
		if (iss->xlen == 64)
			return false;
		*value >>= 32;
	}
	if (seen)
		*value = seen->rd_wdata;
	return true;
}

/* mip beside a core: rd if it was read, else the value that it has afterwards. */
static uint64_t read_pending(const struct ear_iss *iss)
{
	const struct ear_retire *seen = iss->seen;

	if (!seen)
		return iss->pending;
	return (seen->rd_addr            ? seen->rd_wdata
		       : seen->csr_count ? seen->csrs[0].value
					 : 0) &
	       IRQ_ALL;
}

/* False: there is no such CSR. */
bool iss_csr_read(const struct ear_iss *iss, unsigned number, uint64_t *value)
{
	const struct iss_csrs *csr = &iss->csr;

	switch (number) {
	case CSR_MSTATUS: *value = mstatus_read(iss); return true;
	case CSR_MISA:
		*value = misa(iss) | (iss->xlen == 32 ? UINT64_C(1) << 30 : UINT64_C(2) << 62);
		return true;
	case CSR_MIE: *value = csr->mie; return true;
	case CSR_MTVEC: *value = csr->mtvec; return true;
	case CSR_MCOUNTEREN: *value = csr->mcounteren; return iss_has(iss, EAR_ISS_U);
	case CSR_MSTATUSH: *value = 0; return iss->xlen == 32;
	case CSR_MCOUNTINHIBIT:
		*value = (csr->instret.inhibited ? 4u : 0u) | (csr->cycle.inhibited ? 1u : 0u);
		return true;
	case CSR_MSCRATCH: *value = csr->mscratch; return true;
	case CSR_MEPC: *value = csr->mepc; return true;
	case CSR_MCAUSE: *value = csr->mcause; return true;
	case CSR_MTVAL: *value = csr->mtval; return true;
	case CSR_MIP: *value = read_pending(iss); return true;
	case CSR_MHARTID:
	case CSR_MVENDORID:
	case CSR_MARCHID:
	case CSR_MIMPID:
	case CSR_MCONFIGPTR: *value = 0; return true;
	case CSR_FFLAGS: *value = csr->fflags; return iss_float_enabled(iss);
	case CSR_FRM: *value = csr->frm; return iss_float_enabled(iss);
	case CSR_FCSR:
		*value = (uint64_t)csr->frm << 5 | csr->fflags;
		return iss_float_enabled(iss);
	default: break;
	}
	if (read_counter(iss, number, value))
		return true;
	*value = 0;
	/* Memory protection is there, has no regions, and so does not protect. */
	if (number >= CSR_PMPCFG0 && number <= CSR_PMPADDR15)
		return iss_has(iss, EAR_ISS_U);
	return is_hpm(iss, number);
}

/* Writing ---------------------------------------------------------------------------------- */

static void write_counter(struct ear_iss *iss, unsigned number, uint64_t value)
{
	bool is_cycle = number == CSR_MCYCLE || number == CSR_MCYCLEH;
	struct iss_counter *counter = is_cycle ? &iss->csr.cycle : &iss->csr.instret;
	uint64_t now = is_cycle ? cycles(iss) : retired(iss), old = counter_read(counter, now);

	if (iss->xlen == 32) {
		if (number & 0x80)
			value = value << 32 | (uint32_t)old;
		else
			value |= old >> 32 << 32;
	}
	counter_write(counter, now, value);
}

static void csr_write(struct ear_iss *iss, unsigned number, uint64_t value)
{
	struct iss_csrs *csr = &iss->csr;

	switch (number) {
	case CSR_MSTATUS: mstatus_write(iss, value); return;
	case CSR_MIE:
		csr->mie = (uint32_t)value & IRQ_ALL;
		iss_irq_update(iss);
		return;
	case CSR_MTVEC:
		if (!(value & 2)) /* modes 2 and 3 are reserved: such a write changes nothing */
			csr->mtvec = value;
		return;
	case CSR_MCOUNTEREN: csr->mcounteren = (uint32_t)value & 7; return;
	case CSR_MCOUNTINHIBIT:
		counter_inhibit(&csr->cycle, cycles(iss), (value & 1) != 0);
		counter_inhibit(&csr->instret, retired(iss), (value & 4) != 0);
		return;
	case CSR_MSCRATCH: csr->mscratch = value; return;
	case CSR_MEPC: csr->mepc = value & ~UINT64_C(1); return;
	case CSR_MCAUSE: csr->mcause = value; return;
	case CSR_MTVAL: csr->mtval = value; return;
	case CSR_MCYCLE:
	case CSR_MINSTRET:
	case CSR_MCYCLEH:
	case CSR_MINSTRETH: write_counter(iss, number, value); return;
	case CSR_FFLAGS: csr->fflags = value & 31; break;
	case CSR_FRM: csr->frm = value & 7; break;
	case CSR_FCSR:
		csr->fflags = value & 31;
		csr->frm = value >> 5 & 7;
		break;
	default: return;
	}
	iss_float_dirty(iss);
}

/* What the CSR reads as right after value was written to it. */
static uint64_t value_after(const struct ear_iss *iss, unsigned number, uint64_t value)
{
	uint64_t now = value;

	switch (number) {
	case CSR_MCYCLE:
	case CSR_MINSTRET:
	case CSR_MCYCLEH:
	case CSR_MINSTRETH: return value;
	default: iss_csr_read(iss, number, &now); return now;
	}
}

static bool may_access(const struct ear_iss *iss, unsigned number, bool writes)
{
	if (writes && number >> 10 == 3)
		return false;
	if ((number >> 8 & 3) > iss->mode)
		return false;
	if (iss->mode == ISS_MODE_U && (number & ~0x9fu) == 0xc00) {
		unsigned index = number & 31;

		return index < 3 && (iss->csr.mcounteren >> index & 1);
	}
	return true;
}

bool iss_csr_execute(struct ear_iss *iss, struct ear_retire *entry, const struct ear_semantics *op,
	uint64_t a, uint64_t *result)
{
	unsigned number = op->wide >> 20, funct3 = ear_semantics_bits(op->wide, 12, 3);
	unsigned field = ear_semantics_bits(op->wide, 15, 5);
	bool writes = (funct3 & 3) == 1 || field != 0;
	uint64_t operand = funct3 & 4 ? field : a, old, value;

	if (!may_access(iss, number, writes) || !iss_csr_read(iss, number, &old))
		return false;
	*result = old;
	if (!writes)
		return true;
	value = (funct3 & 3) == 1 ? operand : (funct3 & 3) == 2 ? old | operand : old & ~operand;
	csr_write(iss, number, value);
	list_csr(entry, (uint16_t)number, value_after(iss, number, value));
	return true;
}

void iss_csr_reset(struct ear_iss *iss)
{
	iss->csr.mstatus = iss_has(iss, EAR_ISS_U) ? 0 : MSTATUS_MPP;
	iss->mode = ISS_MODE_M;
	iss_irq_update(iss);
}
