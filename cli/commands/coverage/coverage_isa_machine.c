#include "cli/commands/coverage/coverage_isa_machine.h"

#include <stdio.h>

static const char *const privilege_names[EAR_ISA_PRIVILEGES] = {
	"U", "S", "reserved", "M", "VU", "VS", "debug", "unknown"};

/* ---- Traps. ---- */

static uint64_t trap_count(
	const struct ear_isa_sums *sums, bool is_interrupt, unsigned privilege, unsigned cause)
{
	return is_interrupt ? sums->interrupts[privilege][cause]
			    : sums->exceptions[privilege][cause];
}

/* In all privileges. */
static uint64_t traps_of(const struct ear_isa_sums *sums, bool is_interrupt, unsigned cause)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < EAR_ISA_PRIVILEGES; i++)
		sum += trap_count(sums, is_interrupt, i, cause);
	return sum;
}

/* Of a cause; and from each mode that ran, but for calls, which say theirs. */
static void add_trap(struct isa_bins *bins, const struct ear_isa_sums *sums, const char *name,
	bool is_interrupt, unsigned cause)
{
	const struct isa_of of = {
		is_interrupt ? "interrupt" : "exception", name, ISA_SECTION_CAUSE};
	const bool known = is_interrupt ? sums->has_interrupts : sums->has_traps;
	const bool is_call = !is_interrupt && cause >= 8 && cause <= 11;
	char what[32];

	snprintf(what, sizeof(what), "%u", cause);
	isa_bins_add(bins, &of, what, known, traps_of(sums, is_interrupt, cause));
	for (unsigned i = 0; i < EAR_ISA_PRIVILEGES - 1 && !is_call; i++) {
		if (sums->privileges[i] == 0 || i == EAR_PRIVILEGE_DEBUG)
			continue;
		snprintf(what, sizeof(what), "%u from %s", cause, privilege_names[i]);
		isa_bins_add(bins, &of, what, known, trap_count(sums, is_interrupt, i, cause));
	}
}

static void add_traps(struct isa_bins *bins, const struct isa_mnemonics *mnemonics)
{
	static const struct {
		uint8_t cause;
		bool interrupt;
		char mode; /* only with this mode; 'M': always */
		const char *name;
	} causes[] = {
		{0, false, 'M', "instruction address misaligned"},
		{1, false, 'M', "instruction access fault"},
		{2, false, 'M', "illegal instruction"},
		{3, false, 'M', "breakpoint"},
		{4, false, 'M', "load address misaligned"},
		{5, false, 'M', "load access fault"},
		{6, false, 'M', "store address misaligned"},
		{7, false, 'M', "store access fault"},
		{8, false, 'U', "ecall from U"},
		{9, false, 'S', "ecall from S"},
		{10, false, 'H', "ecall from VS"},
		{11, false, 'M', "ecall from M"},
		{12, false, 'S', "instruction page fault"},
		{13, false, 'S', "load page fault"},
		{15, false, 'S', "store page fault"},
		{16, false, 'X', "double trap"},
		{18, false, 'X', "software check"},
		{19, false, 'X', "hardware error"},
		{20, false, 'H', "instruction guest-page fault"},
		{21, false, 'H', "load guest-page fault"},
		{22, false, 'H', "virtual instruction"},
		{23, false, 'H', "store guest-page fault"},
		{1, true, 'S', "supervisor software"},
		{2, true, 'H', "virtual supervisor software"},
		{3, true, 'M', "machine software"},
		{5, true, 'S', "supervisor timer"},
		{6, true, 'H', "virtual supervisor timer"},
		{7, true, 'M', "machine timer"},
		{9, true, 'S', "supervisor external"},
		{10, true, 'H', "virtual supervisor external"},
		{11, true, 'M', "machine external"},
		{12, true, 'H', "supervisor guest external"},
		{13, true, 'X', "counter overflow"},
	};
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(mnemonics->coverage);
	const bool supervisor = mnemonics->wanted[EAR_EXT_S];
	const bool user = supervisor || sums->privileges[EAR_PRIVILEGE_U] > 0;
	const bool hypervisor = mnemonics->wanted[EAR_EXT_H];
	bool listed[2][EAR_ISA_CAUSES] = {{false}};

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		const char mode = causes[i].mode;
		if (traps_of(sums, causes[i].interrupt, causes[i].cause) == 0 &&
			((mode == 'S' && !supervisor) || (mode == 'U' && !user) ||
				(mode == 'H' && !hypervisor) || mode == 'X'))
			continue;
		listed[causes[i].interrupt][causes[i].cause] = true;
		add_trap(bins, sums, causes[i].name, causes[i].interrupt, causes[i].cause);
	}
	for (unsigned kind = 0; kind < 2; kind++)
		for (unsigned cause = 0; cause < EAR_ISA_CAUSES; cause++)
			if (!listed[kind][cause] && traps_of(sums, kind, cause) > 0)
				add_trap(bins, sums, "other", kind, cause);
}

/* ---- Privileges. ---- */

static void add_privileges(struct isa_bins *bins, const struct ear_isa_sums *sums)
{
	struct isa_of of = {"privilege", "transition", ISA_SECTION_PRIVILEGE};
	char what[32];

	for (unsigned from = 0; from < EAR_ISA_PRIVILEGES; from++)
		for (unsigned to = 0; to < EAR_ISA_PRIVILEGES; to++) {
			if (from == to || sums->privileges[from] == 0 || sums->privileges[to] == 0)
				continue;
			of.section = from == EAR_PRIVILEGE_DEBUG || to == EAR_PRIVILEGE_DEBUG
					     ? ISA_SECTION_DEBUG
					     : ISA_SECTION_PRIVILEGE;
			snprintf(what, sizeof(what), "%s to %s", privilege_names[from],
				privilege_names[to]);
			isa_bins_add(bins, &of, what, true, sums->transitions[from][to]);
		}
	if (!sums->has_privilege)
		isa_bins_add(bins, &of, "any", false, 0);
}

/* ---- CSRs. ---- */

/* Those that a hart must have for what ran on it. */
static bool is_needed(const struct isa_mnemonics *mnemonics, unsigned number)
{
	static const struct {
		uint16_t first, last;
		char what;
	} ranges[] = {
		{0x001, 0x003, 'F'},
		{0x008, 0x00A, 'V'},
		{0x00F, 0x00F, 'V'},
		{0x100, 0x100, 'S'},
		{0x104, 0x106, 'S'},
		{0x140, 0x144, 'S'},
		{0x180, 0x180, 'S'},
		{0x300, 0x301, 'M'},
		{0x302, 0x303, 'D'},
		{0x304, 0x305, 'M'},
		{0x306, 0x306, 'U'},
		{0x310, 0x310, '3'},
		{0x340, 0x344, 'M'},
		{0xC20, 0xC22, 'V'},
		{0xF11, 0xF14, 'M'},
	};
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(mnemonics->coverage);
	const bool machine = sums->privileges[EAR_PRIVILEGE_M] > 0;
	const bool supervisor = mnemonics->wanted[EAR_EXT_S];

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (number < ranges[i].first || number > ranges[i].last)
			continue;
		switch (ranges[i].what) {
		case 'F': return mnemonics->wanted[EAR_EXT_F];
		case 'V': return mnemonics->wanted[EAR_EXT_ZVE32X];
		case 'S': return supervisor;
		case 'D': return supervisor && machine;
		case 'U': return machine && sums->privileges[EAR_PRIVILEGE_U] > 0;
		case '3': return machine && mnemonics->xlen == 32;
		default: return machine;
		}
	}
	return false;
}

static void add_csrs(struct isa_bins *bins, const struct isa_mnemonics *mnemonics)
{
	static const char *const ways[EAR_ISA_CSR_WAYS] = {
		"read", "written", "bits set", "bits cleared"};
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(mnemonics->coverage);
	char name[32];

	for (unsigned number = 0; number < 4096; number++) {
		uint64_t sum = 0;
		for (unsigned i = 0; i < EAR_ISA_CSR_WAYS; i++)
			sum += sums->csrs[i][number];
		if (sum == 0 && !(mnemonics->wanted[EAR_EXT_ZICSR] && is_needed(mnemonics, number)))
			continue;
		ear_register_name(EAR_REGISTER_CSR, number, name, sizeof(name));
		/* Those without a name have their number: "c1984". */
		const bool is_named = name[0] != 'c' || name[1] < '0' || name[1] > '9';
		const struct isa_of of = {"csr", name, isa_section_of_csr(number, is_named)};
		for (unsigned i = 0; i < EAR_ISA_CSR_WAYS; i++)
			if (i == EAR_ISA_CSR_READ || number >> 10 != 3) /* they are read only */
				isa_bins_add(bins, &of, ways[i], true, sums->csrs[i][number]);
	}
}

void isa_machine_add(struct isa_bins *bins, const struct isa_mnemonics *mnemonics)
{
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(mnemonics->coverage);

	add_traps(bins, mnemonics);
	add_privileges(bins, sums);
	add_csrs(bins, mnemonics);
}
