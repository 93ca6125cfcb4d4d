/* The bins of an instruction set. Which instructions there are, and which registers their operands
 * can be, is asked of the decoder: all opcodes of 2 bytes, and of each row of the table all
 * registers in each of its fields.
 */
#include "cli/commands/coverage_isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/inst.h"

enum { RD, RS1, RS2, OPERANDS };

static const char *const operand_names[OPERANDS] = {"rd", "rs1", "rs2"};
static const char *const value_names[EAR_ISA_VALUE_COUNT] = {
	"0", "1", "-1", "min", "max", "positive", "negative"};

enum { WHERE_RV32 = 1, WHERE_RV64 = 2, WHERE_BOTH = 3, WHERE_SHIFT = 3, WHERE_CSHIFT = 3 };

static const struct row {
	const char *name;
	uint32_t match, mask;
	uint8_t extension; /* enum ear_inst_extension */
	uint8_t xlens;     /* WHERE_... */
} rows[] = {
#define INST(id, mnemonic, bits, care, where, some, layout, what, bytes, set, ext) \
	{mnemonic, (bits), (care), EAR_EXT_##ext, WHERE_##where},
#include "decoder/isa/inst_list.def"
#undef INST
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

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

static const char *const isa_names[EAR_EXT_COUNT] = {
#define EXTENSION(id, name) [EAR_EXT_##id] = (name),
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

struct mnemonic {
	const char *name;
	struct ear_instruction sample;
	uint8_t extension;
	uint64_t possible[OPERANDS]; /* sets of registers */
	bool apart;                  /* rd and rs1 can differ */
	uint64_t executed;
	uint64_t registers[OPERANDS][64];
	uint64_t same[3]; /* rd and rs1, rd and rs2, rs1 and rs2 */
	uint64_t branches[4];
	uint64_t bins[EAR_ISA_BINS];
};

struct maker {
	struct isa_bins *bins;
	const struct ear_instructions *instructions;
	const struct ear_isa_coverage *coverage;
	struct mnemonic *mnemonics;
	size_t mnemonic_count;
	bool wanted[EAR_EXT_COUNT];
	bool failed;
};

/* Where the manual has it: its volume, and the name of the section. */
static const char *section_of(const struct mnemonic *mnemonic)
{
	const unsigned what = mnemonic->sample.instruction_class;

	switch (mnemonic->extension) {
	case EAR_EXT_I:
		switch (what) {
		case EAR_CLASS_LOAD:
		case EAR_CLASS_STORE: return "I: Load and Store Instructions";
		case EAR_CLASS_BRANCH:
		case EAR_CLASS_JUMP: return "I: Control Transfer Instructions";
		case EAR_CLASS_FENCE: return "I: Memory Ordering Instructions";
		case EAR_CLASS_SYSTEM:
			if (strcmp(mnemonic->name, "dret") == 0)
				return "Debug Specification";
			return mnemonic->name[0] == 'e'
				       ? "I: Environment Call and Breakpoints"
				       : "II: Machine-Mode Privileged Instructions";
		default: return "I: Integer Computational Instructions";
		}
	case EAR_EXT_S: return "II: Supervisor-Level ISA";
	case EAR_EXT_H: return "II: Hypervisor Extension";
	case EAR_EXT_M:
	case EAR_EXT_ZMMUL:
		return what == EAR_CLASS_DIV ? "I: M, Division Operations"
					     : "I: M, Multiplication Operations";
	case EAR_EXT_A:
	case EAR_EXT_ZAAMO: return "I: A, Atomic Memory Operations";
	case EAR_EXT_ZALRSC: return "I: A, Load-Reserved/Store-Conditional Instructions";
	case EAR_EXT_ZICSR: return "I: Zicsr, CSR Instructions";
	case EAR_EXT_ZIFENCEI: return "I: Zifencei";
	case EAR_EXT_C:
	case EAR_EXT_ZCA:
	case EAR_EXT_ZCF:
	case EAR_EXT_ZCD: return "I: C, Compressed Instructions";
	case EAR_EXT_F: return "I: F, Single-Precision Floating-Point";
	case EAR_EXT_D: return "I: D, Double-Precision Floating-Point";
	case EAR_EXT_ZBA:
	case EAR_EXT_ZBB:
	case EAR_EXT_ZBC:
	case EAR_EXT_ZBS:
	case EAR_EXT_ZBB_ZBKB:
	case EAR_EXT_ZBC_ZBKC: return "I: B, Bit Manipulation";
	default: break;
	}
	if (what >= EAR_CLASS_VLOAD)
		return "I: V, Vector Operations";
	return extension_names[mnemonic->extension];
}

/* ---- What there is. ---- */

static struct mnemonic *find_mnemonic(
	struct maker *maker, const struct ear_instruction *instruction)
{
	for (size_t i = 0; i < maker->mnemonic_count; i++)
		if (maker->mnemonics[i].sample.opcode_size == instruction->opcode_size &&
			(maker->mnemonics[i].name == instruction->mnemonic ||
				strcmp(maker->mnemonics[i].name, instruction->mnemonic) == 0))
			return &maker->mnemonics[i];
	return NULL;
}

/* There is at most one for each row. */
static struct mnemonic *add_mnemonic(
	struct maker *maker, const struct ear_instruction *instruction, uint8_t extension)
{
	struct mnemonic *own = find_mnemonic(maker, instruction);

	if (own || maker->mnemonic_count == ROW_COUNT)
		return own;
	own = &maker->mnemonics[maker->mnemonic_count++];
	own->name = instruction->mnemonic;
	own->sample = *instruction;
	own->extension = extension;
	return own;
}

static void take_possible(struct mnemonic *mnemonic, const struct ear_instruction *instruction)
{
	const struct ear_isa_operands operands = ear_isa_operands_of(instruction);
	const uint8_t registers[OPERANDS] = {operands.rd, operands.rs1, operands.rs2};

	mnemonic->apart = mnemonic->apart || operands.rd != operands.rs1;
	for (unsigned i = 0; i < OPERANDS; i++)
		if (registers[i] != EAR_ISA_NO_REGISTER)
			mnemonic->possible[i] |= UINT64_C(1) << registers[i];
}

static bool decode(const struct maker *maker, struct ear_instruction *instruction, uint32_t opcode)
{
	*instruction = (struct ear_instruction){.size = sizeof(*instruction)};
	return ear_instruction_decode(
		       maker->instructions, instruction, opcode, maker->bins->xlen) == 0 &&
	       instruction->instruction_class != EAR_CLASS_ILLEGAL;
}

static bool exists(const struct maker *maker, const struct row *row)
{
	return row->xlens & (maker->bins->xlen == 32 ? WHERE_RV32 : WHERE_RV64);
}

static const struct row *row_of(const struct maker *maker, uint32_t opcode, const char *name)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (exists(maker, &rows[i]) && (opcode & rows[i].mask) == rows[i].match &&
			strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

static void find_long(struct maker *maker, const struct row *row)
{
	static const unsigned fields[] = {7, 15, 20};

	for (unsigned i = 0; i < 3; i++)
		for (uint32_t number = 0; number < 32; number++) {
			const uint32_t others =
				UINT32_C(1) << 7 | UINT32_C(2) << 15 | UINT32_C(4) << 20;
			const uint32_t bits =
				(others & ~(UINT32_C(31) << fields[i])) | number << fields[i];
			struct ear_instruction instruction;
			if (!decode(maker, &instruction, row->match | (bits & ~row->mask)) ||
				strcmp(instruction.mnemonic, row->name) != 0)
				continue;
			struct mnemonic *mnemonic =
				add_mnemonic(maker, &instruction, row->extension);
			if (mnemonic)
				take_possible(mnemonic, &instruction);
		}
}

static void find_mnemonics(struct maker *maker)
{
	for (uint32_t opcode = 0; opcode < 0x10000; opcode++) {
		struct ear_instruction instruction;
		if ((opcode & 3) == 3 || !decode(maker, &instruction, opcode))
			continue;
		struct mnemonic *mnemonic = find_mnemonic(maker, &instruction);
		const struct row *row =
			mnemonic ? NULL : row_of(maker, opcode, instruction.mnemonic);
		if (row && maker->wanted[row->extension])
			mnemonic = add_mnemonic(maker, &instruction, row->extension);
		if (mnemonic)
			take_possible(mnemonic, &instruction);
	}
	for (size_t i = 0; i < ROW_COUNT; i++)
		if ((rows[i].match & 3) == 3 && exists(maker, &rows[i]) &&
			maker->wanted[rows[i].extension])
			find_long(maker, &rows[i]);
}

/* ---- What was hit. ---- */

static bool goes_back(const struct ear_instruction *instruction)
{
	for (unsigned i = 0; i < instruction->operand_count; i++)
		if (instruction->operands[i].is_immediate)
			return instruction->operands[i].immediate < 0;
	return false;
}

static void sum_opcode(struct mnemonic *sum, const struct ear_isa_opcode *opcode)
{
	const struct ear_isa_operands *operands = &opcode->operands;
	const uint8_t registers[OPERANDS] = {operands->rd, operands->rs1, operands->rs2};
	const bool back = goes_back(&opcode->instruction);

	sum->executed += opcode->executed;
	for (unsigned i = 0; i < OPERANDS; i++)
		if (registers[i] != EAR_ISA_NO_REGISTER)
			sum->registers[i][registers[i]] += opcode->executed;
	if (operands->rd != EAR_ISA_NO_REGISTER) {
		sum->same[0] += operands->rd == operands->rs1 ? opcode->executed : 0;
		sum->same[1] += operands->rd == operands->rs2 ? opcode->executed : 0;
	}
	if (operands->rs1 != EAR_ISA_NO_REGISTER)
		sum->same[2] += operands->rs1 == operands->rs2 ? opcode->executed : 0;
	for (unsigned i = 0; i < EAR_ISA_BINS; i++)
		sum->bins[i] += opcode->bins[i];
	if (opcode->instruction.instruction_class == EAR_CLASS_BRANCH) {
		sum->branches[back] += opcode->bins[EAR_ISA_TAKEN];
		sum->branches[2 + back] += opcode->bins[EAR_ISA_NOT_TAKEN];
	} else {
		sum->branches[back] += opcode->executed;
	}
}

static void choose_xlen(struct maker *maker)
{
	uint64_t executed[2] = {0};

	for (size_t i = 0; i < ear_isa_coverage_count(maker->coverage); i++) {
		const struct ear_isa_opcode *opcode = ear_isa_coverage_opcode(maker->coverage, i);
		executed[opcode->xlen == 64] += opcode->executed;
	}
	if (maker->bins->xlen == 0)
		maker->bins->xlen = executed[1] > executed[0] ? 64 : 32;
	maker->bins->other_xlen = executed[maker->bins->xlen == 32] > 0;
}

/* What the extensions imply that are wanted. */
static void close_extensions(struct maker *maker)
{
	char text[1024];
	size_t used = (size_t)snprintf(text, sizeof(text), "rv%ui", maker->bins->xlen);
	struct ear_inst_set set;
	const char *at;
	size_t size;

	for (unsigned i = 0; i < EAR_EXT_COUNT; i++) {
		if (!maker->wanted[i] || !isa_names[i] || !isa_names[i][0] || i == EAR_EXT_I)
			continue;
		const size_t length = strlen(isa_names[i]);
		if (used + length + 2 > sizeof(text))
			break;
		text[used++] = '_';
		memcpy(text + used, isa_names[i], length + 1);
		used += length;
	}
	if (ear_inst_set_parse(&set, text, &at, &size) == 0)
		for (unsigned i = 0; i < EAR_EXT_COUNT; i++)
			maker->wanted[i] = maker->wanted[i] || set.bits[i / 64] >> i % 64 & 1;
}

static void choose_extensions(struct maker *maker, const char *march)
{
	struct ear_inst_set set;
	const char *at;
	size_t size;

	if (march && ear_inst_set_parse(&set, march, &at, &size) == 0) {
		maker->bins->xlen = set.xlen;
		for (unsigned i = 0; i < EAR_EXT_COUNT; i++)
			maker->wanted[i] = set.bits[i / 64] >> i % 64 & 1;
	}
	choose_xlen(maker);
	maker->wanted[EAR_EXT_I] = true;
	bool supervisor = ear_isa_coverage_sums(maker->coverage)->privileges[EAR_PRIVILEGE_S] > 0;
	for (size_t i = 0; i < ear_isa_coverage_count(maker->coverage); i++) {
		const struct ear_isa_opcode *opcode = ear_isa_coverage_opcode(maker->coverage, i);
		if (opcode->xlen != maker->bins->xlen || opcode->executed == 0)
			continue;
		const struct row *row = row_of(maker, opcode->opcode, opcode->instruction.mnemonic);
		if (row && !march)
			maker->wanted[row->extension] = true;
		supervisor = supervisor || (row && row->extension == EAR_EXT_S);
	}
	if (!march)
		close_extensions(maker);
	maker->wanted[EAR_EXT_S] = supervisor; /* no name of an ISA says it */
}

/* ---- Bins. ---- */

static void add(struct maker *maker, const char *group, const char *name, const char *what,
	const char *section, bool known, uint64_t count)
{
	struct isa_bins *bins = maker->bins;

	if (bins->count == bins->room) {
		const size_t room = bins->room ? 2 * bins->room : 1024;
		struct isa_bin *grown = reallocarray(bins->bins, room, sizeof(*grown));
		maker->failed = maker->failed || !grown;
		if (!grown)
			return;
		bins->bins = grown;
		bins->room = room;
	}
	struct isa_bin *bin = &bins->bins[bins->count++];
	*bin = (struct isa_bin){.group = group, .section = section, .known = known, .count = count};
	snprintf(bin->name, sizeof(bin->name), "%s", name);
	snprintf(bin->what, sizeof(bin->what), "%s", what);
}

static void add_registers(struct maker *maker, const struct mnemonic *own)
{
	const char *section = section_of(own);
	char what[32];

	for (unsigned i = 0; i < OPERANDS; i++) {
		if ((own->possible[i] & (own->possible[i] - 1)) == 0)
			continue; /* implied */
		if (i == RS1 && !own->apart)
			continue;
		for (unsigned number = 0; number < 64; number++) {
			if (!(own->possible[i] >> number & 1))
				continue;
			snprintf(what, sizeof(what), "%s=%c%u", operand_names[i],
				number < 32 ? 'x' : 'f', number & 31);
			add(maker, "register", own->name, what, section, true,
				own->registers[i][number]);
		}
	}
	static const struct {
		unsigned a, b;
		const char *what;
	} same[] = {{RD, RS1, "rd=rs1"}, {RD, RS2, "rd=rs2"}, {RS1, RS2, "rs1=rs2"}};
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t both = own->possible[same[i].a] & own->possible[same[i].b];
		if ((both & (both - 1)) != 0 && (i > 0 || own->apart))
			add(maker, "alias", own->name, same[i].what, section, true, own->same[i]);
	}
}

static void add_values(struct maker *maker, const struct mnemonic *own)
{
	const unsigned what = own->sample.instruction_class;
	const bool known = ear_isa_coverage_sums(maker->coverage)->has_values;
	const uint64_t x_registers = UINT32_MAX - UINT64_C(1);
	char text[32];

	if (what != EAR_CLASS_ALU && what != EAR_CLASS_MUL && what != EAR_CLASS_DIV &&
		what != EAR_CLASS_BRANCH)
		return;
	for (unsigned i = 0; i < OPERANDS; i++) {
		if (!(own->possible[i] & x_registers))
			continue;
		for (unsigned value = 0; value < EAR_ISA_VALUE_COUNT; value++) {
			/* Comparisons and upper immediates have few results. */
			if (i == RD && strncmp(own->name, "slt", 3) == 0 && value > EAR_ISA_ONE)
				continue;
			if (i == RD && strstr(own->name, "lui") &&
				(value == EAR_ISA_ONE || value == EAR_ISA_MINUS_ONE ||
					value == EAR_ISA_MAX))
				continue;
			snprintf(text, sizeof(text), "%s %s", operand_names[i], value_names[value]);
			add(maker, "value", own->name, text, section_of(own), known,
				own->bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT * i + value]);
		}
	}
}

static void add_ways(struct maker *maker, const struct mnemonic *own)
{
	static const char *const ways[] = {"taken forward", "taken backward", "not taken forward",
		"not taken backward", "forward", "backward"};
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(maker->coverage);
	const unsigned what = own->sample.instruction_class;

	if (what == EAR_CLASS_BRANCH)
		for (unsigned i = 0; i < 4; i++)
			add(maker, "branch", own->name, ways[i], section_of(own),
				sums->has_directions, own->branches[i]);
	else if (what == EAR_CLASS_JUMP && !(own->sample.flags & EAR_INSTRUCTION_INDIRECT))
		for (unsigned i = 0; i < 2; i++)
			add(maker, "branch", own->name, ways[4 + i], section_of(own), true,
				own->branches[i]);
	if ((what == EAR_CLASS_LOAD || what == EAR_CLASS_STORE) && own->sample.access_size > 1 &&
		own->sample.access_size <= 8) {
		add(maker, "access", own->name, "aligned", section_of(own), sums->has_accesses,
			own->bins[EAR_ISA_ALIGNED]);
		add(maker, "access", own->name, "misaligned", section_of(own), sums->has_accesses,
			own->bins[EAR_ISA_MISALIGNED]);
	}
}

static void add_hazards(struct maker *maker, const struct mnemonic *own)
{
	static const struct {
		const char *name;
		unsigned bin;
		bool reads;
	} hazards[] = {{"raw", EAR_ISA_RAW, true}, {"load-use", EAR_ISA_LOAD_USE, true},
		{"waw", EAR_ISA_WAW, false}};
	const bool reads = ((own->possible[RS1] | own->possible[RS2]) & ~UINT64_C(1)) != 0;
	const bool writes = (own->possible[RD] & ~UINT64_C(1)) != 0;
	char what[32];

	for (unsigned i = 0; i < 3; i++)
		for (unsigned distance = 1; distance <= 3; distance++) {
			if (!(hazards[i].reads ? reads : writes))
				continue;
			snprintf(what, sizeof(what), "%s at %u", hazards[i].name, distance);
			add(maker, "hazard", own->name, what, section_of(own), true,
				own->bins[hazards[i].bin + distance - 1]);
		}
}

/* In all privileges. */
static uint64_t traps_of(const struct ear_isa_sums *sums, bool is_interrupt, unsigned cause)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < EAR_ISA_PRIVILEGES; i++)
		sum += is_interrupt ? sums->interrupts[i][cause] : sums->exceptions[i][cause];
	return sum;
}

static void add_traps(struct maker *maker)
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
		{11, false, 'M', "ecall from M"},
		{12, false, 'S', "instruction page fault"},
		{13, false, 'S', "load page fault"},
		{15, false, 'S', "store page fault"},
		{1, true, 'S', "supervisor software"},
		{3, true, 'M', "machine software"},
		{5, true, 'S', "supervisor timer"},
		{7, true, 'M', "machine timer"},
		{9, true, 'S', "supervisor external"},
		{11, true, 'M', "machine external"},
	};
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(maker->coverage);
	const bool supervisor = maker->wanted[EAR_EXT_S];
	const bool user = supervisor || sums->privileges[EAR_PRIVILEGE_U] > 0;
	bool listed[2][EAR_ISA_CAUSES] = {{false}};
	char what[32];

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		const unsigned cause = causes[i].cause;
		const uint64_t count = traps_of(sums, causes[i].interrupt, cause);
		if (count == 0 && ((causes[i].mode == 'S' && !supervisor) ||
					  (causes[i].mode == 'U' && !user)))
			continue;
		listed[causes[i].interrupt][cause] = true;
		snprintf(what, sizeof(what), "%u", cause);
		add(maker, causes[i].interrupt ? "interrupt" : "exception", causes[i].name, what,
			"II: Machine Cause (mcause) Register", true, count);
	}
	for (unsigned kind = 0; kind < 2; kind++)
		for (unsigned cause = 0; cause < EAR_ISA_CAUSES; cause++) {
			const uint64_t count = traps_of(sums, kind, cause);
			if (listed[kind][cause] || count == 0)
				continue;
			snprintf(what, sizeof(what), "%u", cause);
			add(maker, kind ? "interrupt" : "exception", "other", what,
				"II: Machine Cause (mcause) Register", true, count);
		}
}

static void add_privileges(struct maker *maker)
{
	static const char *const names[EAR_ISA_PRIVILEGES] = {
		"U", "S", "reserved", "M", "VU", "VS", "debug", "7"};
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(maker->coverage);
	char what[32];

	for (unsigned from = 0; from < EAR_ISA_PRIVILEGES; from++)
		for (unsigned to = 0; to < EAR_ISA_PRIVILEGES; to++) {
			if (from == to || sums->privileges[from] == 0 || sums->privileges[to] == 0)
				continue;
			snprintf(what, sizeof(what), "%s to %s", names[from], names[to]);
			add(maker, "privilege", "transition", what, "II: Privilege Levels", true,
				sums->transitions[from][to]);
		}
	if (!sums->has_privilege)
		add(maker, "privilege", "transition", "any", "II: Privilege Levels", false, 0);
}

static void add_csrs(struct maker *maker)
{
	const struct ear_isa_sums *sums = ear_isa_coverage_sums(maker->coverage);
	char name[32];

	for (unsigned number = 0; number < 4096; number++) {
		uint64_t counts[EAR_ISA_CSR_WAYS], sum = 0;
		for (unsigned i = 0; i < EAR_ISA_CSR_WAYS; i++) {
			counts[i] = sums->csrs[i][number];
			sum += counts[i];
		}
		if (sum == 0)
			continue;
		ear_register_name(EAR_REGISTER_CSR, number, name, sizeof(name));
		add(maker, "csr", name, "read", "II: CSR Listing", true, counts[EAR_ISA_CSR_READ]);
		if (number >> 10 != 3) /* the others are read only */
			add(maker, "csr", name, "written", "II: CSR Listing", true,
				sum - counts[EAR_ISA_CSR_READ]);
	}
}

static void name_extensions(struct maker *maker)
{
	char *text = maker->bins->extensions;
	size_t used = 0;

	for (unsigned i = 0; i < EAR_EXT_COUNT; i++) {
		bool some = false;
		for (size_t j = 0; j < maker->mnemonic_count && !some; j++)
			some = maker->mnemonics[j].extension == i;
		if (!some || !extension_names[i])
			continue;
		const int length = snprintf(text + used, sizeof(maker->bins->extensions) - used,
			"%s%s", used > 0 ? " " : "", extension_names[i]);
		if (length < 0 || (size_t)length >= sizeof(maker->bins->extensions) - used)
			break;
		used += (size_t)length;
	}
}

bool isa_bins_make(struct isa_bins *bins, const struct ear_isa_coverage *coverage,
	const struct ear_instructions *instructions, const char *march)
{
	struct maker maker = {.bins = bins, .instructions = instructions, .coverage = coverage};

	*bins = (struct isa_bins){0};
	maker.mnemonics = calloc(ROW_COUNT, sizeof(*maker.mnemonics));
	if (!maker.mnemonics)
		return false;
	choose_extensions(&maker, march);
	find_mnemonics(&maker);
	for (size_t i = 0; i < ear_isa_coverage_count(coverage); i++) {
		const struct ear_isa_opcode *opcode = ear_isa_coverage_opcode(coverage, i);
		struct mnemonic *sum = opcode->xlen == bins->xlen
					       ? find_mnemonic(&maker, &opcode->instruction)
					       : NULL;
		if (sum)
			sum_opcode(sum, opcode);
	}
	for (size_t i = 0; i < maker.mnemonic_count; i++) {
		const struct mnemonic *own = &maker.mnemonics[i];
		add(&maker, "opcode", own->name, "executed", section_of(own), true, own->executed);
		add_registers(&maker, own);
		add_values(&maker, own);
		add_ways(&maker, own);
		add_hazards(&maker, own);
	}
	add_traps(&maker);
	add_privileges(&maker);
	add_csrs(&maker);
	name_extensions(&maker);
	free(maker.mnemonics);
	return !maker.failed;
}

void isa_bins_free(struct isa_bins *bins)
{
	free(bins->bins);
	*bins = (struct isa_bins){0};
}
