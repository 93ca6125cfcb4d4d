/* CSRs of a diversion. What an instruction wrote is known only where every core keeps it: all bits
 * of the scratch registers, a few fields of others, and bits that did not change. Counters, and
 * what devices set, are unknown.
 */
#include "library/diversion/diversion_internal.h"

#define CSR_MIE      0x304u
#define CSR_SIE      0x104u
#define CSR_SSCRATCH 0x140u
#define CSR_MSCRATCH 0x340u
#define CSR_MEPC     0x341u
#define CSR_SEPC     0x141u

#define STATUS_ENABLES UINT64_C(0x88) /* MIE, MPIE */
#define STATUS_FS      UINT64_C(0x6000)
#define STATUS_MPRV    UINT64_C(0x20000)

static const struct infer_value unknown = {0, 0};

bool diversion_csr_is_volatile(unsigned number)
{
	const unsigned in_group = number & 0xffu;

	switch (number) {
	case 0x015: /* seed */
	case 0x144: /* sip, hip, vsip, mip */
	case 0x244:
	case 0x644:
	case 0x344:
	case 0x15c: /* stopei, stopi, mtopei, mtopi, scountovf */
	case 0xdb0:
	case 0x35c:
	case 0xfb0:
	case 0xda0: return true;
	default:
		return (number >> 8 == 0xb || number >> 8 == 0xc) && in_group < 0xa0; /* counters */
	}
}

static struct infer_value ask(const struct ear_diversion *diversion, unsigned number)
{
	const struct ear_moment_view *view = &diversion->view;
	uint64_t value;

	if (diversion_csr_is_volatile(number) || !view->read_register ||
		!view->read_register(view->context, 4096 + number, &value))
		return unknown;
	return infer_to_xlen(infer_exactly(value), diversion->xlen);
}

/* fcsr is kept; its parts are parts of it. */
static struct infer_value ask_fcsr(const struct ear_diversion *diversion)
{
	const struct infer_value all = ask(diversion, CSR_FCSR), frm = ask(diversion, CSR_FRM),
				 flags = ask(diversion, CSR_FFLAGS);

	if (infer_is_known(all))
		return infer_exactly(all.value & 0xff);
	return (struct infer_value){(frm.value & 7) << 5 | (flags.value & 0x1f),
		~UINT64_C(0xff) | (infer_is_known(frm) ? 0xe0u : 0u) |
			(infer_is_known(flags) ? 0x1fu : 0u)};
}

static struct infer_value *get(struct ear_diversion *diversion, unsigned number)
{
	struct infer_value *csr = &diversion->csrs[number];

	if (!diversion->has_csr[number])
		*csr = number == CSR_FCSR ? ask_fcsr(diversion) : ask(diversion, number);
	diversion->has_csr[number] = true;
	return csr;
}

struct infer_value diversion_csr_read(struct ear_diversion *diversion, unsigned number)
{
	const struct infer_value fcsr = *get(diversion, CSR_FCSR);

	if (number == CSR_FFLAGS)
		return infer_zero_extend(fcsr, 5);
	if (number == CSR_FRM)
		return (struct infer_value){fcsr.value >> 5, fcsr.known >> 5 | ~(UINT64_MAX >> 5)};
	return *get(diversion, number);
}

/* Bits that are as written: wherever the bits of mask are, and where nothing changes. */
static struct infer_value keep(struct infer_value old, struct infer_value new, uint64_t mask)
{
	const uint64_t same = ~(old.value ^ new.value) & old.known;
	const uint64_t known = new.known &(same | mask);

	return (struct infer_value){new.value &known, known};
}

/* The low bits of a pc that no instruction can have, and the upper ones, may be lost. */
static bool is_pc(const struct ear_diversion *diversion, struct infer_value value)
{
	return infer_is_known(value) && !(value.value & 3) &&
	       (diversion->xlen == 32 ||
		       (int64_t)(value.value << 25) >> 25 == (int64_t)value.value);
}

static void write_status(struct ear_diversion *diversion, unsigned number, struct infer_value value)
{
	const unsigned other = number == CSR_MSTATUS ? CSR_SSTATUS : CSR_MSTATUS;
	struct infer_value *csr = get(diversion, number);

	*csr = keep(*csr, value, number == CSR_MSTATUS ? STATUS_ENABLES : 0);
	*get(diversion, other) = unknown;
}

void diversion_csr_write(struct ear_diversion *diversion, unsigned number, struct infer_value value)
{
	struct infer_value *csr = get(diversion, number);
	const struct infer_value fcsr = *get(diversion, CSR_FCSR);

	switch (number) {
	case CSR_FFLAGS:
		diversion->csrs[CSR_FCSR] =
			(struct infer_value){(fcsr.value & ~UINT64_C(0x1f)) | (value.value & 0x1f),
				(fcsr.known & ~UINT64_C(0x1f)) | (value.known & 0x1f)};
		break;
	case CSR_FRM:
		diversion->csrs[CSR_FCSR] =
			(struct infer_value){(fcsr.value & 0x1f) | (value.value & 7) << 5,
				(fcsr.known & ~UINT64_C(0xe0)) | (value.known & 7) << 5};
		break;
	case CSR_FCSR: *csr = infer_zero_extend(value, 8); break;
	case CSR_MSTATUS:
	case CSR_SSTATUS: write_status(diversion, number, value); break;
	case CSR_MIE:
	case CSR_SIE:
		*csr = keep(*csr, value, ~value.value); /* no bit can be read as 1 then */
		*get(diversion, number ^ CSR_MIE ^ CSR_SIE) = unknown;
		break;
	case CSR_SSCRATCH:
	case CSR_MSCRATCH: *csr = value; break;
	case CSR_MEPC:
	case CSR_SEPC: *csr = is_pc(diversion, value) ? value : keep(*csr, value, 0); break;
	default: *csr = keep(*csr, value, 0); break;
	}
}

/* ---- Whether it can be done. ---- */

bool diversion_csr_float(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	struct infer_value status = diversion_csr_read(diversion, CSR_MSTATUS);

	if ((status.known & STATUS_FS) != STATUS_FS)
		status = diversion_csr_read(diversion, CSR_SSTATUS);
	if (status.value & status.known & STATUS_FS)
		return true;
	if ((status.known & STATUS_FS) == STATUS_FS)
		return diversion_end(
			plan, "floating point is switched off (mstatus.FS is 0): a trap");
	return diversion_end(plan, "whether floating point is switched on is unknown: mstatus.FS "
				   "(set $mstatus = 0x6000 says that it is)");
}

void diversion_csr_dirty(struct ear_diversion *diversion)
{
	static const unsigned both[] = {CSR_MSTATUS, CSR_SSTATUS};
	const uint64_t bits = STATUS_FS | UINT64_C(1) << (diversion->xlen - 1);

	for (unsigned i = 0; i < 2; i++) {
		struct infer_value *status = get(diversion, both[i]);
		status->value |= bits;
		status->known |= bits;
	}
}

static bool is_allowed(
	struct ear_diversion *diversion, struct diversion_plan *plan, unsigned number, bool writes)
{
	const unsigned needed = number >> 8 & 3;

	if (needed > 0 && !diversion->has_privilege)
		return diversion_end(plan,
			"whether the hart may access this CSR is unknown: its privilege "
			"(set $priv = 3 says machine mode)");
	if (diversion->has_privilege && diversion->privilege > EAR_PRIVILEGE_M)
		return diversion_end(plan, "CSRs of a virtual machine are not modelled");
	if (diversion->has_privilege && needed > diversion->privilege)
		return diversion_end(plan, "the hart may not access this CSR: a trap");
	if (writes && number >> 10 == 3)
		return diversion_end(plan, "this CSR cannot be written: a trap");
	if (number >= CSR_FFLAGS && number <= CSR_FCSR)
		return diversion_csr_float(diversion, plan);
	return true;
}

/* Does the write change what this does not model: translation, extensions, whose memory it is? */
static bool changes_more(unsigned number, struct infer_value old, struct infer_value new)
{
	const uint64_t differs = ~old.known | ~new.known | (old.value ^ new.value);

	switch (number) {
	case 0x180: /* satp, vsatp, hgatp */
	case 0x280:
	case 0x680:
	case 0x301: return differs; /* misa */
	case CSR_MSTATUS: return new.value &STATUS_MPRV;
	default: return false;
	}
}

bool diversion_csr(struct ear_diversion *diversion, struct diversion_plan *plan)
{
	const struct ear_semantics *op = &plan->op;
	const unsigned number = op->wide >> 20, field = ear_semantics_bits(op->wide, 15, 5);
	const unsigned function = ear_semantics_bits(op->wide, 12, 2);
	const bool immediate = ear_semantics_bits(op->wide, 14, 1) != 0;
	const bool writes = function == 1 || field != 0;

	if (!is_allowed(diversion, plan, number, writes))
		return false;
	const struct infer_value old = diversion_csr_read(diversion, number);
	const struct infer_value source = immediate ? infer_exactly(field) : plan->a.value;
	plan->writes_x = true;
	plan->result = (struct diversion_register){old, {ORIGIN_CSR, number, plan->step->pc}};
	if (!writes)
		return true;
	plan->csr_value = function == 1 ? source
					: infer_compute(function == 2 ? EAR_SEM_OR : EAR_SEM_ANDN,
						  old, source, false, diversion->xlen);
	plan->csr = number;
	plan->writes_csr = true;
	if (changes_more(number, old, plan->csr_value))
		return diversion_end(plan,
			"it changes how the hart works (CSR 0x%x), which is not "
			"modelled",
			number);
	return true;
}
