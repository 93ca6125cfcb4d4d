/* The bins of each instruction: what its operands, modes and neighbours can be, as far as it can
 * have them at all.
 */
#include "cli/commands/coverage/coverage_isa.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands/coverage/coverage_isa_machine.h"
#include "cli/commands/coverage/coverage_isa_mnemonics.h"

struct maker {
	struct isa_bins *bins;
	const struct isa_mnemonics *mnemonics;
	const struct ear_isa_sums *sums;
};

static void add(const struct maker *maker, const char *group, const struct isa_mnemonic *own,
	const char *what, bool known, uint64_t count)
{
	const struct isa_of of = {group, own->name, own->section};

	isa_bins_add(maker->bins, &of, what, known, count);
}

/* The same of another section than that of the instruction. */
static void add_of(const struct maker *maker, const char *group, const struct isa_mnemonic *own,
	const char *section, const char *what, bool known, uint64_t count)
{
	const struct isa_of of = {group, own->name, section};

	isa_bins_add(maker->bins, &of, what, known, count);
}

static bool begins(const struct isa_mnemonic *own, const char *text)
{
	return strncmp(own->name, text, strlen(text)) == 0;
}

static bool is_memory(unsigned what)
{
	return what == EAR_CLASS_LOAD || what == EAR_CLASS_STORE;
}

/* ---- Operands. ---- */

static void add_registers(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const names[ISA_OPERANDS] = {"rd", "rs1", "rs2", "rs3"};
	char what[32];

	for (unsigned i = 0; i < ISA_OPERANDS; i++) {
		if (isa_operand_choices(own, i) < 2)
			continue; /* implied */
		if (i == ISA_RS1 && !own->apart)
			continue;
		for (unsigned number = 0; number < EAR_ISA_REGISTERS; number++) {
			if (!isa_operand_can_be(own, i, number))
				continue;
			snprintf(what, sizeof(what), "%s=%c%u", names[i], "xfv"[number / 32],
				number % 32);
			add(maker, "register", own, what, true, own->registers[i][number]);
		}
	}
}

static void add_aliases(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const struct {
		unsigned a, b;
		const char *what;
	} same[ISA_SAMES] = {{ISA_RD, ISA_RS1, "rd=rs1"}, {ISA_RD, ISA_RS2, "rd=rs2"},
		{ISA_RD, ISA_RS3, "rd=rs3"}, {ISA_RS1, ISA_RS2, "rs1=rs2"}};

	for (unsigned i = 0; i < ISA_SAMES; i++) {
		unsigned both = 0;
		for (unsigned number = 0; number < EAR_ISA_REGISTERS; number++)
			both += isa_operand_can_be(own, same[i].a, number) &&
				isa_operand_can_be(own, same[i].b, number);
		if (both > 1 && (i > 0 || own->apart))
			add(maker, "alias", own, same[i].what, true, own->same[i]);
	}
}

static bool compares(const struct isa_mnemonic *own)
{
	return begins(own, "slt") || begins(own, "feq.") || begins(own, "flt") ||
	       begins(own, "fle");
}

/* Values that a result never has. */
static bool is_out_of_reach(const struct isa_mnemonic *own, unsigned value)
{
	if (own->formats[0] != EAR_ISA_INTEGER) {
		/* Only what copies bits gives a signaling NaN. */
		return value == EAR_ISA_FLOAT_SIGNALING_NAN && !begins(own, "fsgnj") &&
		       !begins(own, "fmv");
	}
	if (compares(own))
		return value > EAR_ISA_ONE;
	if (begins(own, "fclass."))
		return value != EAR_ISA_ONE && value != EAR_ISA_POSITIVE;
	return strstr(own->name, "lui") &&
	       (value == EAR_ISA_ONE || value == EAR_ISA_MINUS_ONE || value == EAR_ISA_MAX);
}

static void add_values(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const slots[EAR_ISA_SLOTS] = {"rd", "rs1", "rs2"};
	static const char *const integers[EAR_ISA_VALUE_COUNT] = {
		"0", "1", "-1", "min", "max", "positive", "negative"};
	static const char *const floats[EAR_ISA_FLOAT_COUNT] = {"-inf", "negative", "-subnormal",
		"-0", "+0", "+subnormal", "positive", "+inf", "signaling NaN", "quiet NaN"};
	char text[32];

	for (unsigned i = 0; i < EAR_ISA_SLOTS; i++) {
		const bool is_integer = own->formats[i] == EAR_ISA_INTEGER;
		const unsigned count = is_integer ? EAR_ISA_VALUE_COUNT : EAR_ISA_FLOAT_COUNT;
		if (own->formats[i] == EAR_ISA_NO_VALUE ||
			(isa_operand_choices(own, i) == 1 && isa_operand_can_be(own, i, 0)))
			continue;
		for (unsigned value = 0; value < count; value++) {
			if (i == 0 && is_out_of_reach(own, value))
				continue;
			snprintf(text, sizeof(text), "%s %s", slots[i],
				is_integer ? integers[value] : floats[value]);
			add(maker, "value", own, text, maker->sums->has_values,
				own->bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT * i + value]);
		}
	}
}

/* Two operands at once. */
static void add_pairs(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const signs[4] = {
		"rs1 +, rs2 +", "rs1 +, rs2 -", "rs1 -, rs2 +", "rs1 -, rs2 -"};
	const bool known = maker->sums->has_values;
	const bool is_signed = begins(own, "div") || begins(own, "rem");

	if (own->formats[1] != EAR_ISA_INTEGER || own->formats[2] != EAR_ISA_INTEGER ||
		isa_operand_choices(own, ISA_RS1) < 2 || isa_operand_choices(own, ISA_RS2) < 2)
		return;
	for (unsigned i = 0; i < 4; i++)
		add(maker, "signs", own, signs[i], known, own->bins[EAR_ISA_SIGNS + i]);
	if (own->sample.instruction_class == EAR_CLASS_DIV && is_signed && !strchr(own->name, 'u'))
		add(maker, "value", own, "min by -1", known, own->bins[EAR_ISA_OVERFLOWS]);
}

static void add_immediates(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const names[ISA_IMMEDIATES] = {
		"imm 0", "imm min", "imm max", "imm positive", "imm negative"};
	const unsigned what = own->sample.instruction_class;
	const bool can_be[ISA_IMMEDIATES] = {own->min <= 0 && own->max >= 0,
		own->min<0, own->max> 0, own->max > 1, own->min < -1};

	if (!own->has_immediate || own->min == own->max ||
		(what != EAR_CLASS_ALU && !is_memory(what) && what != EAR_CLASS_JUMP &&
			what != EAR_CLASS_BRANCH))
		return;
	for (unsigned i = 0; i < ISA_IMMEDIATES; i++)
		if (can_be[i])
			add(maker, "immediate", own, names[i], true, own->immediates[i]);
}

/* ---- What it does. ---- */

static void add_branches(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const ways[] = {"taken forward", "taken backward", "not taken forward",
		"not taken backward", "forward", "backward"};
	static const char *const distances[ISA_DISTANCE_GROUPS] = {
		"below 16 bytes", "16 to 255 bytes", "256 to 4095 bytes", "4096 bytes and more"};
	const unsigned what = own->sample.instruction_class;
	const bool jumps =
		what == EAR_CLASS_JUMP && !(own->sample.flags & EAR_INSTRUCTION_INDIRECT);

	if (what == EAR_CLASS_BRANCH)
		for (unsigned i = 0; i < 4; i++)
			add(maker, "branch", own, ways[i], maker->sums->has_directions,
				own->branches[i]);
	for (unsigned i = 0; i < 2 && jumps; i++)
		add(maker, "branch", own, ways[4 + i], true, own->branches[i]);
	if (what != EAR_CLASS_BRANCH && !jumps)
		return;
	for (unsigned i = 0; i <= isa_distance_group(own->max); i++)
		add(maker, "distance", own, distances[i], true, own->distances[i]);
}

static void add_accesses(const struct maker *maker, const struct isa_mnemonic *own)
{
	const unsigned what = own->sample.instruction_class, size = own->sample.access_size;
	const bool known = maker->sums->has_accesses;

	if (is_memory(what) && size > 1 && size <= 8) {
		add(maker, "access", own, "aligned", known, own->bins[EAR_ISA_ALIGNED]);
		add(maker, "access", own, "misaligned", known, own->bins[EAR_ISA_MISALIGNED]);
		add(maker, "access", own, "over a multiple of 4096", known,
			own->bins[EAR_ISA_CROSSES]);
	}
	if (what == EAR_CLASS_SC) {
		add(maker, "access", own, "stored", maker->sums->has_values,
			own->bins[EAR_ISA_SC_STORED]);
		add(maker, "access", own, "failed", maker->sums->has_values,
			own->bins[EAR_ISA_SC_FAILED]);
	}
	if (is_memory(what) || (what >= EAR_CLASS_AMO && what <= EAR_CLASS_SC) ||
		what == EAR_CLASS_CSR || what == EAR_CLASS_VLOAD || what == EAR_CLASS_VSTORE)
		add(maker, "trap", own, "trapped", maker->sums->has_traps,
			own->bins[EAR_ISA_TRAPPED]);
	if (maker->mnemonics->wanted[EAR_EXT_ZCA]) {
		add_of(maker, "place", own, ISA_SECTION_PLACE, "at a multiple of 4", true,
			own->bins[EAR_ISA_AT_4]);
		add_of(maker, "place", own, ISA_SECTION_PLACE, "at 2 more", true,
			own->bins[EAR_ISA_AT_2]);
	}
}

static bool has_others_than_x0(const struct isa_mnemonic *own, unsigned operand)
{
	return (own->possible[operand][0] & ~UINT64_C(1)) != 0 || own->possible[operand][1] != 0;
}

static void add_hazards(const struct maker *maker, const struct isa_mnemonic *own)
{
	const unsigned what = own->sample.instruction_class;
	bool reads = false, loads = false;
	const bool writes = has_others_than_x0(own, ISA_RD);

	for (unsigned i = ISA_RS1; i < ISA_OPERANDS; i++) {
		reads = reads || has_others_than_x0(own, i);
		loads = loads || (own->possible[i][0] & ~UINT64_C(1)) != 0;
	}
	const struct {
		const char *name;
		unsigned bin;
		bool is, known;
	} hazards[] = {{"raw", EAR_ISA_RAW, reads, true},
		{"load-use", EAR_ISA_LOAD_USE, loads, true}, {"waw", EAR_ISA_WAW, writes, true},
		{"war", EAR_ISA_WAR, writes, true},
		{"csr", EAR_ISA_CSR_RAW, what == EAR_CLASS_CSR, true},
		{"store-load", EAR_ISA_STORE_LOAD, what == EAR_CLASS_LOAD,
			maker->sums->has_accesses}};
	char text[32];

	for (unsigned i = 0; i < sizeof(hazards) / sizeof(hazards[0]); i++)
		for (unsigned distance = 1; distance <= EAR_ISA_DISTANCES; distance++) {
			if (!hazards[i].is)
				continue;
			snprintf(text, sizeof(text), "%s at %u", hazards[i].name, distance);
			add(maker, "hazard", own, text, hazards[i].known,
				own->bins[hazards[i].bin + distance - 1]);
		}
}

/* ---- Modes. ---- */

static void add_rounding(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const modes[5] = {"rne", "rtz", "rdn", "rup", "rmm"};
	char text[32];

	if (!own->rounds || own->sample.instruction_class != EAR_CLASS_FP)
		return;
	for (unsigned i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "rm=%s", modes[i]);
		add_of(maker, "rounding", own, ISA_SECTION_ROUNDING, text, true, own->rounding[i]);
	}
	add_of(maker, "rounding", own, ISA_SECTION_ROUNDING, "rm=dyn", true, own->rounding[7]);
	for (unsigned i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "rm=dyn, frm=%s", modes[i]);
		add_of(maker, "rounding", own, ISA_SECTION_ROUNDING, text,
			maker->sums->has_rounding, own->bins[EAR_ISA_ROUNDS + i]);
	}
}

enum { NX = 1, UF = 2, OF = 4, DZ = 8, NV = 16 };

/* The flags that an instruction can raise. */
static unsigned flags_of(const struct isa_mnemonic *own)
{
	static const struct {
		const char *begin;
		unsigned flags;
	} rows[] = {
		{"fadd.", NV | OF | NX},
		{"fsub.", NV | OF | NX},
		{"fmul.", NV | OF | UF | NX},
		{"fdiv.", NV | DZ | OF | UF | NX},
		{"fsqrt.", NV | NX},
		{"fmadd.", NV | OF | UF | NX},
		{"fmsub.", NV | OF | UF | NX},
		{"fnmadd.", NV | OF | UF | NX},
		{"fnmsub.", NV | OF | UF | NX},
		{"fmin", NV},
		{"fmax", NV},
		{"feq.", NV},
		{"flt", NV},
		{"fle", NV},
		{"froundnx.", NV | NX},
		{"fround.", NV},
		{"fcvtmod.", NV | NX},
		{"fcvt.w", NV | NX},
		{"fcvt.l", NV | NX},
		{"fcvt.s.w", NX},
		{"fcvt.s.l", NX},
		{"fcvt.h.w", OF | NX},
		{"fcvt.h.l", OF | NX},
		{"fcvt.d.l", NX},
		{"fcvt.s.d", NV | OF | UF | NX},
		{"fcvt.s.q", NV | OF | UF | NX},
		{"fcvt.d.q", NV | OF | UF | NX},
		{"fcvt.h.s", NV | OF | UF | NX},
		{"fcvt.h.d", NV | OF | UF | NX},
		{"fcvt.h.q", NV | OF | UF | NX},
		{"fcvt.bf16.s", NV | OF | UF | NX},
		{"fcvt.s.h", NV},
		{"fcvt.s.bf16", NV},
		{"fcvt.d.s", NV},
		{"fcvt.d.h", NV},
		{"fcvt.q.s", NV},
		{"fcvt.q.d", NV},
		{"fcvt.q.h", NV},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (begins(own, rows[i].begin))
			return rows[i].flags;
	return 0;
}

static void add_flags(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const names[5] = {"NX", "UF", "OF", "DZ", "NV"};
	const unsigned flags = own->sample.instruction_class == EAR_CLASS_FP ? flags_of(own) : 0;

	for (unsigned i = 0; i < 5; i++)
		if (flags >> i & 1)
			add_of(maker, "flag", own, ISA_SECTION_ROUNDING, names[i],
				maker->sums->has_flags, own->bins[EAR_ISA_RAISES + i]);
}

static void add_vector_modes(const struct maker *maker, const struct isa_mnemonic *own)
{
	static const char *const widths[4] = {"SEW=8", "SEW=16", "SEW=32", "SEW=64"};
	static const char *const groups[8] = {
		"LMUL=1", "LMUL=2", "LMUL=4", "LMUL=8", NULL, "LMUL=1/8", "LMUL=1/4", "LMUL=1/2"};
	const bool known = maker->sums->has_vtype;

	if (own->sample.instruction_class < EAR_CLASS_VLOAD)
		return;
	if (own->masks) {
		add_of(maker, "vector", own, ISA_SECTION_MASK, "masked", true, own->masked[1]);
		add_of(maker, "vector", own, ISA_SECTION_MASK, "not masked", true, own->masked[0]);
	}
	if (begins(own, "vset"))
		return;
	for (unsigned i = 0; i < 4; i++)
		add_of(maker, "vector", own, ISA_SECTION_SEW, widths[i], known,
			own->bins[EAR_ISA_SEW + i]);
	for (unsigned i = 0; i < 8; i++)
		if (groups[i])
			add_of(maker, "vector", own, ISA_SECTION_LMUL, groups[i], known,
				own->bins[EAR_ISA_LMUL + i]);
}

/* ---- All of it. ---- */

static const char *const extension_names[EAR_EXT_COUNT] = {
#define EXTENSION(id, name) [EAR_EXT_##id] = #id,
#define IMPLIES(...)
#define BOTH(...)
#define BOTH_RV32(...)
#define SILENT(...)
#define PROFILE(...)
#include "decoder/isa/inst_extension.def"
#undef EXTENSION
#undef IMPLIES
#undef BOTH
#undef BOTH_RV32
#undef SILENT
#undef PROFILE
};

static void name_extensions(const struct maker *maker)
{
	const struct isa_mnemonics *mnemonics = maker->mnemonics;
	char *text = maker->bins->extensions;
	size_t used = 0;

	for (unsigned i = 0; i < EAR_EXT_COUNT; i++) {
		bool some = false;
		for (size_t j = 0; j < mnemonics->count && !some; j++)
			some = mnemonics->list[j].extension == i;
		if (!some || !extension_names[i])
			continue;
		const int length = snprintf(text + used, sizeof(maker->bins->extensions) - used,
			"%s%s", used > 0 ? " " : "", extension_names[i]);
		if (length < 0 || (size_t)length >= sizeof(maker->bins->extensions) - used)
			break;
		used += (size_t)length;
	}
}

static void add_instruction(const struct maker *maker, const struct isa_mnemonic *own)
{
	add(maker, "opcode", own, "executed", true, own->executed);
	add_registers(maker, own);
	add_aliases(maker, own);
	add_values(maker, own);
	add_pairs(maker, own);
	add_immediates(maker, own);
	add_branches(maker, own);
	add_accesses(maker, own);
	add_rounding(maker, own);
	add_flags(maker, own);
	add_vector_modes(maker, own);
	add_hazards(maker, own);
}

bool isa_bins_make(struct isa_bins *bins, const struct ear_isa_coverage *coverage,
	const struct ear_instructions *instructions, const char *march)
{
	struct isa_mnemonics mnemonics;
	const struct maker maker = {bins, &mnemonics, ear_isa_coverage_sums(coverage)};

	*bins = (struct isa_bins){0};
	if (!isa_mnemonics_make(&mnemonics, coverage, instructions, march))
		return false;
	bins->xlen = mnemonics.xlen;
	bins->other_xlen = mnemonics.other_xlen;
	for (size_t i = 0; i < mnemonics.count; i++)
		add_instruction(&maker, &mnemonics.list[i]);
	isa_machine_add(bins, &mnemonics);
	name_extensions(&maker);
	isa_mnemonics_free(&mnemonics);
	return !bins->failed;
}
