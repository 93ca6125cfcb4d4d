/* CSRs of state.h: which can be known, which are views of others, and which change although no
 * record lists them.
 *
 * Only the CSRs of is_followed() are ever known: those of the ratified extensions whose value is
 * the one written last, until something happens that is handled here. All others are not: counters,
 * time, pending interrupts, debug and trigger registers, registers that select what others show,
 * and those of vendors.
 */
#include <string.h>

#include "decoder/isa/opcode.h"
#include "decoder/isa/plain_opcode.h"
#include "library/state/hart.h"

#define MSTATUS_FS_SHIFT 13
#define MSTATUS_VS_SHIFT 9

enum {
	CSR_JVT = 0x017,
	CSR_STVEC = 0x105,
	CSR_SCOUNTEREN = 0x106,
	CSR_SENVCFG = 0x10A,
	CSR_SSTATEEN0 = 0x10C,
	CSR_SSCRATCH = 0x140,
	CSR_STIMECMP = 0x14D,
	CSR_STIMECMPH = 0x15D,
	CSR_VSTVEC = 0x205,
	CSR_VSSCRATCH = 0x240,
	CSR_VSTIMECMP = 0x24D,
	CSR_VSTIMECMPH = 0x25D,
	CSR_MISA = 0x301,
	CSR_MEDELEG = 0x302,
	CSR_MCOUNTEREN = 0x306,
	CSR_MENVCFG = 0x30A,
	CSR_MSTATEEN0 = 0x30C,
	CSR_MEDELEGH = 0x312,
	CSR_MENVCFGH = 0x31A,
	CSR_MSTATEEN0H = 0x31C,
	CSR_MCOUNTINHIBIT = 0x320,
	CSR_MSCRATCH = 0x340,
	CSR_MSCRATCHCSW = 0x348,
	CSR_MSCRATCHCSWL = 0x349,
	CSR_MNXTI = 0x345,
	CSR_MVIEN = 0x308,
	CSR_PMPCFG0 = 0x3A0,
	CSR_PMPADDR0 = 0x3B0,
	CSR_PMPADDR63 = 0x3EF,
	CSR_HEDELEG = 0x602,
	CSR_HTIMEDELTA = 0x605,
	CSR_HCOUNTEREN = 0x606,
	CSR_HGEIE = 0x607,
	CSR_HENVCFG = 0x60A,
	CSR_HSTATEEN0 = 0x60C,
	CSR_HEDELEGH = 0x612,
	CSR_HTIMEDELTAH = 0x615,
	CSR_HENVCFGH = 0x61A,
	CSR_HSTATEEN0H = 0x61C,
	CSR_MSECCFG = 0x747,
	CSR_MSECCFGH = 0x757,
	CSR_VLENB = 0xC22,
	CSR_MVENDORID = 0xF11,
	CSR_MCONFIGPTR = 0xF15,
};

/* Is the value that which was written last, as long as nothing below changes it? */
static bool is_followed(unsigned csr)
{
	if ((csr >= CSR_PMPCFG0 && csr <= CSR_PMPADDR63) ||
		(csr >= CSR_MVENDORID && csr <= CSR_MCONFIGPTR))
		return true;
	switch (csr & ~3u) { /* four of each */
	case CSR_SSTATEEN0:
	case CSR_MSTATEEN0:
	case CSR_MSTATEEN0H:
	case CSR_HSTATEEN0:
	case CSR_HSTATEEN0H: return true;
	default: break;
	}
	switch (csr) {
	case EAR_CSR_FFLAGS:
	case EAR_CSR_FRM:
	case EAR_CSR_VSTART:
	case EAR_CSR_VXSAT:
	case EAR_CSR_VXRM:
	case CSR_JVT:
	case EAR_CSR_SSTATUS:
	case EAR_CSR_SIE:
	case CSR_STVEC:
	case CSR_SCOUNTEREN:
	case CSR_SENVCFG:
	case CSR_SSCRATCH:
	case EAR_CSR_SEPC:
	case EAR_CSR_SCAUSE:
	case EAR_CSR_STVAL:
	case CSR_STIMECMP:
	case CSR_STIMECMPH:
	case EAR_CSR_SATP:
	case EAR_CSR_VSSTATUS:
	case EAR_CSR_VSIE:
	case CSR_VSTVEC:
	case CSR_VSSCRATCH:
	case EAR_CSR_VSEPC:
	case EAR_CSR_VSCAUSE:
	case EAR_CSR_VSTVAL:
	case CSR_VSTIMECMP:
	case CSR_VSTIMECMPH:
	case EAR_CSR_VSATP:
	case EAR_CSR_MSTATUS:
	case CSR_MISA:
	case CSR_MEDELEG:
	case CSR_MEDELEGH:
	case EAR_CSR_MIDELEG:
	case EAR_CSR_MIE:
	case EAR_CSR_MTVEC:
	case CSR_MCOUNTEREN:
	case CSR_MENVCFG:
	case CSR_MENVCFGH:
	case EAR_CSR_MSTATUSH:
	case CSR_MCOUNTINHIBIT:
	case CSR_MSCRATCH:
	case EAR_CSR_MEPC:
	case EAR_CSR_MCAUSE:
	case EAR_CSR_MTVAL:
	case EAR_CSR_MTINST:
	case EAR_CSR_MTVAL2:
	case EAR_CSR_HSTATUS:
	case CSR_HEDELEG:
	case CSR_HEDELEGH:
	case EAR_CSR_HIDELEG:
	case EAR_CSR_HIE:
	case CSR_HTIMEDELTA:
	case CSR_HTIMEDELTAH:
	case CSR_HCOUNTEREN:
	case CSR_HGEIE:
	case CSR_HENVCFG:
	case CSR_HENVCFGH:
	case EAR_CSR_HTVAL:
	case EAR_CSR_HTINST:
	case EAR_CSR_HGATP:
	case CSR_MSECCFG:
	case CSR_MSECCFGH:
	case EAR_CSR_VL:
	case EAR_CSR_VTYPE:
	case CSR_VLENB: return true;
	default: return false;
	}
}

static void lose(struct ear_hart *hart, unsigned csr)
{
	ear_hart_lose(hart, EAR_REGISTER_CSR, csr);
}

static void lose_list(struct ear_hart *hart, const uint16_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lose(hart, list[i]);
}

#define LOSE(hart, ...) \
	lose_list(hart, (const uint16_t[]){__VA_ARGS__}, \
		sizeof((const uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

/* CSRs that show what was written, or depend on it. */
static void follow_views(struct ear_hart *hart, unsigned csr, uint64_t value)
{
	switch (csr) {
	case EAR_CSR_MSTATUS: LOSE(hart, EAR_CSR_SSTATUS); break;
	case EAR_CSR_VSSTATUS: LOSE(hart, EAR_CSR_SSTATUS); break;
	case EAR_CSR_SSTATUS: LOSE(hart, EAR_CSR_MSTATUS, EAR_CSR_VSSTATUS); break;
	case EAR_CSR_MIE:
	case EAR_CSR_SIE:
	case EAR_CSR_HIE:
	case EAR_CSR_VSIE:
		for (unsigned i = 0; i < 4; i++) {
			static const uint16_t views[] = {
				EAR_CSR_MIE, EAR_CSR_SIE, EAR_CSR_HIE, EAR_CSR_VSIE};
			if (views[i] != csr)
				lose(hart, views[i]);
		}
		break;
	/* What can be enabled depends on what is delegated. */
	case EAR_CSR_MIDELEG:
	case EAR_CSR_HIDELEG:
	case CSR_MVIEN: LOSE(hart, EAR_CSR_SIE, EAR_CSR_HIE, EAR_CSR_VSIE); break;
	/* What these switch off reads as 0 elsewhere. */
	case CSR_MENVCFG:
	case CSR_MENVCFGH:
	case CSR_HENVCFG:
	case CSR_HENVCFGH:
		if (csr == CSR_MENVCFG || csr == CSR_MENVCFGH)
			LOSE(hart, CSR_HENVCFG, CSR_HENVCFGH);
		LOSE(hart, CSR_SENVCFG);
		break;
	case EAR_CSR_MTVEC: hart->clic |= (value & EAR_MTVEC_MODE) == EAR_MTVEC_MODE; break;
	default: break;
	}
	for (unsigned i = 0; i < 4; i++) {
		if (csr >> 2 == CSR_MSTATEEN0 >> 2 || csr >> 2 == CSR_MSTATEEN0H >> 2)
			LOSE(hart, (uint16_t)(CSR_HSTATEEN0 + i), (uint16_t)(CSR_HSTATEEN0H + i),
				(uint16_t)(CSR_SSTATEEN0 + i));
		if (csr >> 2 == CSR_HSTATEEN0 >> 2 || csr >> 2 == CSR_HSTATEEN0H >> 2)
			LOSE(hart, (uint16_t)(CSR_SSTATEEN0 + i));
	}
	/* The granularity shows in the address, by the mode. */
	if (csr >= CSR_PMPCFG0 && csr < CSR_PMPADDR0)
		for (unsigned i = CSR_PMPADDR0; i <= CSR_PMPADDR63; i++)
			lose(hart, i);
	/* Which extensions there are shows in all kinds of places. */
	if (csr == CSR_MISA)
		for (unsigned i = 0; i < EAR_CSR_COUNT; i++)
			if (i != csr)
				lose(hart, i);
}

void ear_hart_lose_clic(struct ear_hart *hart)
{
	LOSE(hart, EAR_CSR_MSTATUS, EAR_CSR_MCAUSE, CSR_MSCRATCH);
}

void ear_hart_write_csr(struct ear_hart *hart, unsigned csr, uint64_t value)
{
	switch (csr) {
	case EAR_CSR_FCSR:
		ear_hart_set(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS, value & EAR_FCSR_FFLAGS);
		ear_hart_set(hart, EAR_REGISTER_CSR, EAR_CSR_FRM, value >> EAR_FCSR_FRM_SHIFT & 7);
		return;
	case EAR_CSR_VCSR:
		ear_hart_set(hart, EAR_REGISTER_CSR, EAR_CSR_VXSAT, value & 1);
		ear_hart_set(hart, EAR_REGISTER_CSR, EAR_CSR_VXRM, value >> 1 & 3);
		return;
	default: break;
	}
	if (is_followed(csr))
		ear_hart_set(hart, EAR_REGISTER_CSR, csr, value);
	follow_views(hart, csr, value);
	if (hart->clic)
		ear_hart_lose_clic(hart);
}

bool ear_csr_is_ambiguous(unsigned csr, const struct ear_record *record)
{
	unsigned block = csr >> 8;

	if (block != 1 && block != 2)
		return false;
	return record->flags & EAR_RECORD_NO_PRIVILEGE || record->privilege == EAR_PRIVILEGE_VS ||
	       record->privilege == EAR_PRIVILEGE_VU;
}

static bool lists_csr(const struct ear_record *record, unsigned csr)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			record->registers[i].number == csr)
			return true;
	return false;
}

/* Written, to a value that is not listed. */
static void lose_csr(struct ear_hart *hart, unsigned csr, const struct ear_record *record)
{
	static const uint16_t parts[][3] = {{EAR_CSR_FCSR, EAR_CSR_FFLAGS, EAR_CSR_FRM},
		{EAR_CSR_VCSR, EAR_CSR_VXSAT, EAR_CSR_VXRM}};

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 1; k < 3 && parts[i][0] == csr; k++)
			if (!lists_csr(record, parts[i][k]))
				lose(hart, parts[i][k]);
	/* It may be a CLIC from now on. */
	follow_views(hart, csr, csr == EAR_CSR_MTVEC ? EAR_MTVEC_MODE : 0);
	lose(hart, csr);
	if (hart->clic)
		ear_hart_lose_clic(hart);
}

/* To which privilege a trap goes shows in the CSRs that it writes; if it lists none, to any. Those
 * that it does not list of these are unknown. */
static void follow_trap(struct ear_hart *hart, const struct ear_record *record)
{
	bool machine = lists_csr(record, EAR_CSR_MCAUSE);
	bool supervisor = !machine &&
			  (lists_csr(record, EAR_CSR_SCAUSE) || lists_csr(record, EAR_CSR_VSCAUSE));

	LOSE(hart, EAR_CSR_MSTATUS, EAR_CSR_MSTATUSH, EAR_CSR_SSTATUS, EAR_CSR_VSSTATUS,
		EAR_CSR_HSTATUS);
	if (!supervisor)
		LOSE(hart, EAR_CSR_MEPC, EAR_CSR_MCAUSE, EAR_CSR_MTVAL, EAR_CSR_MTINST,
			EAR_CSR_MTVAL2);
	if (!machine)
		LOSE(hart, EAR_CSR_SEPC, EAR_CSR_SCAUSE, EAR_CSR_STVAL, EAR_CSR_VSEPC,
			EAR_CSR_VSCAUSE, EAR_CSR_VSTVAL, EAR_CSR_HTVAL, EAR_CSR_HTINST);
}

void ear_hart_trap(struct ear_hart *hart)
{
	static const struct ear_record nothing_listed;

	follow_trap(hart, &nothing_listed);
}

/* Of cores that do not report traps they show as jumps of instructions that do not jump. */
static bool goes_astray(const struct ear_step *step)
{
	const struct ear_record *record = step->record;
	uint64_t next = record->pc + record->opcode_size;

	return step->inst.kind != EAR_KIND_ILLEGAL && step->inst.kind != EAR_KIND_BRANCH &&
	       step->inst.kind != EAR_KIND_JUMP && !(record->flags & EAR_RECORD_NO_NEXT_PC) &&
	       record->next_pc != (record->xlen == 32 ? (uint32_t)next : next);
}

static bool is_return(const struct ear_step *step)
{
	switch (step->inst.id) {
	case EAR_INST_MRET:
	case EAR_INST_SRET:
	case EAR_INST_MNRET: return true;
	default: return false;
	}
}

void ear_hart_begin_csrs(struct ear_hart *hart, const struct ear_step *step)
{
	const struct ear_record *record = step->record;

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)) {
		follow_trap(hart, record);
		if (ear_inst_is_vector(&step->inst))
			lose(hart, EAR_CSR_VSTART);
	} else if (is_return(step)) {
		LOSE(hart, EAR_CSR_MSTATUS, EAR_CSR_MSTATUSH, EAR_CSR_SSTATUS, EAR_CSR_VSSTATUS,
			EAR_CSR_HSTATUS);
	} else if (goes_astray(step)) {
		ear_hart_trap(hart);
	}
}

/* ---- State that becomes dirty, flags that are raised. ---- */

/* A field of mstatus or one of its views may have become 3. */
static void dirty(struct ear_hart *hart, unsigned shift)
{
	static const uint16_t views[] = {EAR_CSR_MSTATUS, EAR_CSR_SSTATUS, EAR_CSR_VSSTATUS};
	uint64_t value;

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (ear_hart_get(hart, EAR_REGISTER_CSR, views[i], &value) &&
			(value >> shift & 3) != 3)
			lose(hart, views[i]);
}

static void dirty_float(struct ear_hart *hart)
{
	dirty(hart, MSTATUS_FS_SHIFT);
	hart->pending.dirty_f = true;
}

static void dirty_vector(struct ear_hart *hart)
{
	dirty(hart, MSTATUS_VS_SHIFT);
	hart->pending.dirty_v = true;
}

static void dirty_all(struct ear_hart *hart)
{
	hart->pending.dirty_all = true;
	LOSE(hart, EAR_CSR_MSTATUS, EAR_CSR_SSTATUS, EAR_CSR_VSSTATUS);
}

static void raise_flags(struct ear_hart *hart, uint8_t flags)
{
	uint64_t value;

	if (ear_hart_get(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS, &value))
		ear_hart_set(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS, value | flags);
	else if (!ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS) &&
		 !hart->pending.fflags_open)
		hart->pending.fflags |= flags; /* those after it change nothing */
}

static void open_flags(struct ear_hart *hart)
{
	uint64_t value;

	if (ear_hart_get(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS, &value) &&
		value != EAR_FCSR_FFLAGS)
		lose(hart, EAR_CSR_FFLAGS);
	else if (!ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS))
		hart->pending.fflags_open = true;
}

static void end_vstart(struct ear_hart *hart)
{
	uint64_t value;

	if (ear_hart_get(hart, EAR_REGISTER_CSR, EAR_CSR_VSTART, &value) && value != 0)
		lose(hart, EAR_CSR_VSTART);
	else if (!ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_VSTART))
		hart->pending.vstart = true;
}

static void open_vxsat(struct ear_hart *hart)
{
	uint64_t value;

	if (ear_hart_get(hart, EAR_REGISTER_CSR, EAR_CSR_VXSAT, &value) && value == 0)
		lose(hart, EAR_CSR_VXSAT);
	else if (!ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_VXSAT))
		hart->pending.vxsat = true;
}

void ear_hart_apply_pending(struct ear_hart *hart, const struct ear_state_pending *pending)
{
	if (pending->dirty_f)
		dirty_float(hart);
	if (pending->dirty_v)
		dirty_vector(hart);
	if (pending->dirty_all)
		dirty_all(hart);
	if (pending->fflags)
		raise_flags(hart, pending->fflags);
	if (pending->fflags_open)
		open_flags(hart);
	if (pending->vstart)
		end_vstart(hart);
	if (pending->vxsat)
		open_vxsat(hart);
}

/* OP-V: funct3 1 and 5 are floating point; of 0, 3 and 4 those of funct6 saturate. */
static bool is_vector_float(uint32_t opcode)
{
	return (opcode >> 12 & 7) == 1 || (opcode >> 12 & 7) == 5;
}

static bool can_saturate(uint32_t opcode)
{
	unsigned funct3 = opcode >> 12 & 7, funct6 = opcode >> 26;

	if (funct3 != 0 && funct3 != 3 && funct3 != 4)
		return false;
	return (funct6 >= 0x20 && funct6 <= 0x23) || funct6 == 0x27 || funct6 == 0x2E ||
	       funct6 == 0x2F;
}

static bool is_fault_only_first(uint32_t opcode)
{
	return (opcode >> 20 & 31) == 0x10 && (opcode >> 26 & 3) == 0;
}

static void end_vector(struct ear_hart *hart, const struct ear_step *step)
{
	const struct ear_record *record = step->record;
	uint32_t opcode = (uint32_t)record->opcode;
	bool sets = ear_opcode_major(opcode) == EAR_OPCODE_OP_V && (opcode >> 12 & 7) == 7;

	dirty_vector(hart);
	end_vstart(hart);
	if (sets && !lists_csr(record, EAR_CSR_VTYPE))
		lose(hart, EAR_CSR_VTYPE);
	if ((sets || (step->inst.kind == EAR_KIND_VLOAD && is_fault_only_first(opcode))) &&
		!lists_csr(record, EAR_CSR_VL))
		lose(hart, EAR_CSR_VL);
	if (step->inst.kind == EAR_KIND_VECTOR && !lists_csr(record, EAR_CSR_VXSAT) &&
		!lists_csr(record, EAR_CSR_VCSR) && can_saturate(opcode))
		open_vxsat(hart);
}

/* csrrs and csrrc with x0 or 0 only read. */
static bool writes_csr(uint64_t opcode)
{
	return (opcode >> 12 & 3) == 1 || (opcode >> 15 & 31) != 0;
}

static void end_csr(struct ear_hart *hart, const struct ear_step *step)
{
	unsigned csr = step->inst.csr;

	/* Reading these is an action of its own. */
	if (csr == CSR_MNXTI || csr == CSR_MSCRATCHCSW || csr == CSR_MSCRATCHCSWL) {
		hart->clic = true;
		ear_hart_lose_clic(hart);
	}
	if (csr >= EAR_CSR_FFLAGS && csr <= EAR_CSR_FCSR)
		dirty_float(hart);
	if (csr == EAR_CSR_VSTART || csr == EAR_CSR_VXSAT || csr == EAR_CSR_VXRM ||
		csr == EAR_CSR_VCSR)
		dirty_vector(hart);
	if (writes_csr(step->record->opcode)) {
		if (!lists_csr(step->record, csr))
			lose_csr(hart, csr, step->record);
		return;
	}
	/* What was read is what it holds. */
	if (step->csr_known && !ear_csr_is_ambiguous(csr, step->record)) {
		if (is_followed(csr))
			ear_hart_set(hart, EAR_REGISTER_CSR, csr, step->csr);
		else if (csr == EAR_CSR_FCSR || csr == EAR_CSR_VCSR)
			ear_hart_write_csr(hart, csr, step->csr);
	}
	if (hart->clic)
		ear_hart_lose_clic(hart);
}

/* May raise flags of floating point. */
static bool is_arithmetic(const struct ear_step *step)
{
	return step->inst.kind == EAR_KIND_FP ||
	       (step->inst.kind == EAR_KIND_VECTOR &&
		       is_vector_float((uint32_t)step->record->opcode));
}

void ear_hart_end_csrs(
	struct ear_hart *hart, const struct ear_step *step, const struct ear_state_source *source)
{
	const struct ear_record *record = step->record;
	const uint32_t other = EAR_RECORD_INTERRUPT | EAR_RECORD_TRAP | EAR_RECORD_SKIPPED;

	if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV)
		return;
	/* In virtual machines the numbers of S mode mean other registers. */
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_CSR && ear_csr_is_ambiguous(reg->number, record))
			LOSE(hart, (uint16_t)((reg->number & 0xFF) | 0x100),
				(uint16_t)((reg->number & 0xFF) | 0x200));
	}
	if (record->flags & other)
		return;
	if (record->fflags)
		raise_flags(hart, record->fflags);
	if (record->flags & EAR_RECORD_NO_OPCODE)
		return;
	if (step->inst.kind == EAR_KIND_ILLEGAL) {
		if (ear_plain_class((uint32_t)record->opcode, record->xlen == 64) != EAR_PLAIN_NOT)
			return;
		/* An instruction that is not known, and was executed. */
		dirty_all(hart);
		open_flags(hart);
		LOSE(hart, EAR_CSR_VSTART, EAR_CSR_VXSAT, EAR_CSR_VXRM, EAR_CSR_VL, EAR_CSR_VTYPE);
		return;
	}
	if (step->inst.kind == EAR_KIND_FP || step->inst.flags & EAR_INST_FLOAT)
		dirty_float(hart);
	if (is_arithmetic(step)) {
		if (step->inst.kind == EAR_KIND_VECTOR)
			dirty_float(hart);
		if (!source->shows_fflags && !lists_csr(record, EAR_CSR_FFLAGS) &&
			!lists_csr(record, EAR_CSR_FCSR))
			open_flags(hart);
	}
	if (ear_inst_is_vector(&step->inst))
		end_vector(hart, step);
	if (step->inst.kind == EAR_KIND_CSR)
		end_csr(hart, step);
}
