/* Names of CSRs: an array by number, because the numbers are sparse but few (4096), and a row in
 * the wrong order cannot compile to a wrong name.
 */
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"

/* Entries first + 3 .. first + 31, name3suffix .. name31suffix. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): string literals, which the compiler joins */
#define COUNTER(first, name, number, suffix) [(first) + (number)] = name #number suffix
#define COUNTERS(first, name, suffix) \
	COUNTER(first, name, 3, suffix), COUNTER(first, name, 4, suffix), \
		COUNTER(first, name, 5, suffix), COUNTER(first, name, 6, suffix), \
		COUNTER(first, name, 7, suffix), COUNTER(first, name, 8, suffix), \
		COUNTER(first, name, 9, suffix), COUNTER(first, name, 10, suffix), \
		COUNTER(first, name, 11, suffix), COUNTER(first, name, 12, suffix), \
		COUNTER(first, name, 13, suffix), COUNTER(first, name, 14, suffix), \
		COUNTER(first, name, 15, suffix), COUNTER(first, name, 16, suffix), \
		COUNTER(first, name, 17, suffix), COUNTER(first, name, 18, suffix), \
		COUNTER(first, name, 19, suffix), COUNTER(first, name, 20, suffix), \
		COUNTER(first, name, 21, suffix), COUNTER(first, name, 22, suffix), \
		COUNTER(first, name, 23, suffix), COUNTER(first, name, 24, suffix), \
		COUNTER(first, name, 25, suffix), COUNTER(first, name, 26, suffix), \
		COUNTER(first, name, 27, suffix), COUNTER(first, name, 28, suffix), \
		COUNTER(first, name, 29, suffix), COUNTER(first, name, 30, suffix), \
		COUNTER(first, name, 31, suffix)

/* Entries first + at .. first + at + 15, name<at> .. name<at + 15>. */
/* NOLINTNEXTLINE(bugprone-macro-parentheses): string literals, which the compiler joins */
#define NUMBERED(first, name, number) [(first) + (number)] = name #number
#define NUMBERED_8(first, name, a, b, c, d, e, f, g, h) \
	NUMBERED(first, name, a), NUMBERED(first, name, b), NUMBERED(first, name, c), \
		NUMBERED(first, name, d), NUMBERED(first, name, e), NUMBERED(first, name, f), \
		NUMBERED(first, name, g), NUMBERED(first, name, h)
#define NUMBERED_16(first, name) \
	NUMBERED_8(first, name, 0, 1, 2, 3, 4, 5, 6, 7), \
		NUMBERED_8(first, name, 8, 9, 10, 11, 12, 13, 14, 15)
#define NUMBERED_64(first, name) \
	NUMBERED_16(first, name), NUMBERED_8(first, name, 16, 17, 18, 19, 20, 21, 22, 23), \
		NUMBERED_8(first, name, 24, 25, 26, 27, 28, 29, 30, 31), \
		NUMBERED_8(first, name, 32, 33, 34, 35, 36, 37, 38, 39), \
		NUMBERED_8(first, name, 40, 41, 42, 43, 44, 45, 46, 47), \
		NUMBERED_8(first, name, 48, 49, 50, 51, 52, 53, 54, 55), \
		NUMBERED_8(first, name, 56, 57, 58, 59, 60, 61, 62, 63)

/* Volume II, "CSR Listing", and the specifications of the extensions. */
static const char *const names[EAR_CSR_COUNT] = {
	/* Unprivileged: floating point, vector, entropy, shadow stack */
	[0x001] = "fflags",
	[0x002] = "frm",
	[0x003] = "fcsr",
	[0x008] = "vstart",
	[0x009] = "vxsat",
	[0x00a] = "vxrm",
	[0x00f] = "vcsr",
	[0x011] = "ssp",
	[0x015] = "seed",
	/* Supervisor */
	[0x100] = "sstatus",
	[0x104] = "sie",
	[0x105] = "stvec",
	[0x106] = "scounteren",
	[0x10a] = "senvcfg",
	[0x10c] = "sstateen0",
	[0x10d] = "sstateen1",
	[0x10e] = "sstateen2",
	[0x10f] = "sstateen3",
	[0x114] = "sieh",
	[0x120] = "scountinhibit",
	[0x140] = "sscratch",
	[0x141] = "sepc",
	[0x142] = "scause",
	[0x143] = "stval",
	[0x144] = "sip",
	[0x14d] = "stimecmp",
	[0x150] = "siselect",
	[0x151] = "sireg",
	[0x152] = "sireg2",
	[0x153] = "sireg3",
	[0x154] = "siph",
	[0x155] = "sireg4",
	[0x156] = "sireg5",
	[0x157] = "sireg6",
	[0x15c] = "stopei",
	[0x15d] = "stimecmph",
	[0x180] = "satp",
	[0x181] = "srmcfg",
	/* Virtual supervisor */
	[0x200] = "vsstatus",
	[0x204] = "vsie",
	[0x205] = "vstvec",
	[0x214] = "vsieh",
	[0x240] = "vsscratch",
	[0x241] = "vsepc",
	[0x242] = "vscause",
	[0x243] = "vstval",
	[0x244] = "vsip",
	[0x24d] = "vstimecmp",
	[0x250] = "vsiselect",
	[0x251] = "vsireg",
	[0x252] = "vsireg2",
	[0x253] = "vsireg3",
	[0x254] = "vsiph",
	[0x255] = "vsireg4",
	[0x256] = "vsireg5",
	[0x257] = "vsireg6",
	[0x25c] = "vstopei",
	[0x25d] = "vstimecmph",
	[0x280] = "vsatp",
	/* Machine */
	[0x300] = "mstatus",
	[0x301] = "misa",
	[0x302] = "medeleg",
	[0x303] = "mideleg",
	[0x304] = "mie",
	[0x305] = "mtvec",
	[0x306] = "mcounteren",
	[0x308] = "mvien",
	[0x309] = "mvip",
	[0x30a] = "menvcfg",
	[0x30c] = "mstateen0",
	[0x30d] = "mstateen1",
	[0x30e] = "mstateen2",
	[0x30f] = "mstateen3",
	[0x310] = "mstatush",
	[0x313] = "midelegh",
	[0x314] = "mieh",
	[0x318] = "mvienh",
	[0x319] = "mviph",
	[0x31a] = "menvcfgh",
	[0x31c] = "mstateen0h",
	[0x31d] = "mstateen1h",
	[0x31e] = "mstateen2h",
	[0x31f] = "mstateen3h",
	[0x320] = "mcountinhibit",
	[0x321] = "mcyclecfg",
	[0x322] = "minstretcfg",
	COUNTERS(0x320, "mhpmevent", ""),
	/* Machine trap handling */
	[0x340] = "mscratch",
	[0x341] = "mepc",
	[0x342] = "mcause",
	[0x343] = "mtval",
	[0x344] = "mip",
	[0x34a] = "mtinst",
	[0x34b] = "mtval2",
	[0x350] = "miselect",
	[0x351] = "mireg",
	[0x352] = "mireg2",
	[0x353] = "mireg3",
	[0x354] = "miph",
	[0x355] = "mireg4",
	[0x356] = "mireg5",
	[0x357] = "mireg6",
	[0x35c] = "mtopei",
	/* Physical memory protection */
	NUMBERED_16(0x3a0, "pmpcfg"),
	NUMBERED_64(0x3b0, "pmpaddr"),
	/* Triggers, context and hypervisor */
	[0x5a8] = "scontext",
	[0x600] = "hstatus",
	[0x602] = "hedeleg",
	[0x603] = "hideleg",
	[0x604] = "hie",
	[0x605] = "htimedelta",
	[0x606] = "hcounteren",
	[0x607] = "hgeie",
	[0x608] = "hvien",
	[0x609] = "hvictl",
	[0x60a] = "henvcfg",
	[0x60c] = "hstateen0",
	[0x60d] = "hstateen1",
	[0x60e] = "hstateen2",
	[0x60f] = "hstateen3",
	[0x613] = "hidelegh",
	[0x615] = "htimedeltah",
	[0x618] = "hvienh",
	[0x61a] = "henvcfgh",
	[0x61c] = "hstateen0h",
	[0x61d] = "hstateen1h",
	[0x61e] = "hstateen2h",
	[0x61f] = "hstateen3h",
	[0x643] = "htval",
	[0x644] = "hip",
	[0x645] = "hvip",
	[0x646] = "hviprio1",
	[0x647] = "hviprio2",
	[0x64a] = "htinst",
	[0x655] = "hviph",
	[0x656] = "hviprio1h",
	[0x657] = "hviprio2h",
	[0x680] = "hgatp",
	[0x6a8] = "hcontext",
	/* Machine counter configuration, resumable non-maskable interrupts, security */
	[0x721] = "mcyclecfgh",
	[0x722] = "minstretcfgh",
	COUNTERS(0x720, "mhpmevent", "h"),
	[0x740] = "mnscratch",
	[0x741] = "mnepc",
	[0x742] = "mncause",
	[0x744] = "mnstatus",
	[0x747] = "mseccfg",
	[0x757] = "mseccfgh",
	/* Debug and trace */
	[0x7a0] = "tselect",
	[0x7a1] = "tdata1",
	[0x7a2] = "tdata2",
	[0x7a3] = "tdata3",
	[0x7a4] = "tinfo",
	[0x7a5] = "tcontrol",
	[0x7a8] = "mcontext",
	[0x7aa] = "mscontext",
	[0x7b0] = "dcsr",
	[0x7b1] = "dpc",
	[0x7b2] = "dscratch0",
	[0x7b3] = "dscratch1",
	/* Left to vendors; the names are Whisper's */
	[0x7c7] = "c_matp",
	NUMBERED_16(0x7e0, "pmacfg"),
	NUMBERED_16(0x7f0, "pmamask"),
	/* Machine counters */
	[0xb00] = "mcycle",
	[0xb02] = "minstret",
	COUNTERS(0xb00, "mhpmcounter", ""),
	[0xb80] = "mcycleh",
	[0xb82] = "minstreth",
	COUNTERS(0xb80, "mhpmcounter", "h"),
	/* Unprivileged counters and vector state */
	[0xc00] = "cycle",
	[0xc01] = "time",
	[0xc02] = "instret",
	COUNTERS(0xc00, "hpmcounter", ""),
	[0xc20] = "vl",
	[0xc21] = "vtype",
	[0xc22] = "vlenb",
	[0xc80] = "cycleh",
	[0xc81] = "timeh",
	[0xc82] = "instreth",
	COUNTERS(0xc80, "hpmcounter", "h"),
	/* Read-only: supervisor, hypervisor, machine */
	[0xda0] = "scountovf",
	[0xdb0] = "stopi",
	[0xe12] = "hgeip",
	[0xeb0] = "vstopi",
	[0xf11] = "mvendorid",
	[0xf12] = "marchid",
	[0xf13] = "mimpid",
	[0xf14] = "mhartid",
	[0xf15] = "mconfigptr",
	[0xfb0] = "mtopi",
};

const char *ear_csr_name(unsigned number)
{
	return number < EAR_CSR_COUNT ? names[number] : NULL;
}

/* CSRs that Spike knows and Whisper does not: CLIC, control transfer records, jump tables and
 * others. */
static const char *const spike_names[EAR_CSR_COUNT] = {
	[0x007] = "utvt",
	[0x017] = "jvt",
	[0x045] = "unxti",
	[0x046] = "uintstatus",
	[0x048] = "uscratchcsw",
	[0x049] = "uscratchcswl",
	[0x107] = "stvt",
	[0x145] = "snxti",
	[0x146] = "sintstatus",
	[0x148] = "sscratchcsw",
	[0x149] = "sscratchcswl",
	[0x14e] = "sctrctl",
	[0x14f] = "sctrstatus",
	[0x15f] = "sctrdepth",
	[0x183] = "spmpen",
	[0x193] = "spmpenh",
	[0x24e] = "vsctrctl",
	[0x307] = "mtvt",
	[0x312] = "medelegh",
	[0x316] = "mpmpdeleg",
	[0x345] = "mnxti",
	[0x346] = "mintstatus",
	[0x348] = "mscratchcsw",
	[0x349] = "mscratchcswl",
	[0x34e] = "mctrctl",
	[0x612] = "hedelegh",
};

/* What Whisper calls c_matp and pmacfg0 .. pmamask15 is the vendors' for Spike. */
static bool is_whispers(unsigned number)
{
	return number == 0x7c7 || (number >= 0x7e0 && number <= 0x7ff);
}

const char *ear_csr_spike_name(unsigned number)
{
	if (number >= EAR_CSR_COUNT || is_whispers(number))
		return NULL;
	return names[number] ? names[number] : spike_names[number];
}

bool ear_csr_is_rv32_only(unsigned number)
{
	switch (number) {
	case 0x114: /* sieh */
	case 0x154: /* siph */
	case 0x15d: /* stimecmph */
	case 0x214: /* vsieh */
	case 0x254: /* vsiph */
	case 0x25d: /* vstimecmph */
	case 0x310: /* mstatush */
	case 0x313: /* midelegh */
	case 0x314: /* mieh */
	case 0x318: /* mvienh */
	case 0x319: /* mviph */
	case 0x31a: /* menvcfgh */
	case 0x31c: /* mstateen0h .. mstateen3h */
	case 0x31d:
	case 0x31e:
	case 0x31f:
	case 0x354: /* miph */
	case 0x613: /* hidelegh */
	case 0x618: /* hvienh */
	case 0x61c: /* hstateen0h .. hstateen3h */
	case 0x61d:
	case 0x61e:
	case 0x61f:
	case 0x655: /* hviph */
	case 0x656: /* hviprio1h */
	case 0x657: /* hviprio2h */
	case 0x757: /* mseccfgh */ return true;
	default:
		return (number >= 0x721 && number <= 0x73f) || /* mcyclecfgh .. mhpmevent31h */
		       (number >= 0xb80 && number <= 0xb9f);   /* mcycleh .. mhpmcounter31h */
	}
}
