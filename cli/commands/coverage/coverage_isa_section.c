/* Sections are found by the extension first, and within it by class or mnemonic. */
#include "cli/commands/coverage/coverage_isa_section.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decoder/isa/inst.h"

static const char *const extension_names[EAR_EXT_COUNT] = {
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

static bool begins(const char *name, const char *text)
{
	return strncmp(name, text, strlen(text)) == 0;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static bool has_immediate(const struct ear_instruction *instruction)
{
	for (unsigned i = 0; i < instruction->operand_count; i++)
		if (instruction->operands[i].is_immediate)
			return true;
	return false;
}

/* ---- The base, and what is near to it. ---- */

static const char *base_computational(const struct ear_instruction *instruction)
{
	const char *name = instruction->mnemonic;
	const bool immediate = has_immediate(instruction);

	if (name[strlen(name) - 1] == 'w')
		return immediate ? "I: RV64I, Integer Register-Immediate Instructions"
				 : "I: RV64I, Integer Register-Register Operations";
	return immediate ? "I: RV32I, Integer Register-Immediate Instructions"
			 : "I: RV32I, Integer Register-Register Instructions";
}

static const char *base_section(const struct ear_instruction *instruction)
{
	static const char *const wide[] = {"lwu", "ld", "sd", NULL};
	const char *name = instruction->mnemonic;

	switch (instruction->instruction_class) {
	case EAR_CLASS_LOAD:
	case EAR_CLASS_STORE:
		return is_one_of(name, wide) ? "I: RV64I, Load and Store Instructions"
					     : "I: RV32I, Load and Store Instructions";
	case EAR_CLASS_BRANCH: return "I: RV32I, Conditional Branches";
	case EAR_CLASS_JUMP: return "I: RV32I, Unconditional Jumps";
	case EAR_CLASS_FENCE: return "I: RV32I, Memory Ordering Instructions";
	case EAR_CLASS_SYSTEM:
		if (strcmp(name, "dret") == 0)
			return "the RISC-V Debug Specification";
		if (strcmp(name, "wfi") == 0)
			return "II: Wait for Interrupt";
		return name[0] == 'e' ? "I: RV32I, Environment Call and Breakpoints"
				      : "II: Trap-Return Instructions";
	default: return base_computational(instruction);
	}
}

static const char *compressed_section(const struct ear_instruction *instruction)
{
	static const char *const immediate[] = {"c.addi", "c.addiw", "c.addi16sp", "c.addi4spn",
		"c.slli", "c.srli", "c.srai", "c.andi", NULL};
	const char *name = instruction->mnemonic;

	switch (instruction->instruction_class) {
	case EAR_CLASS_LOAD:
	case EAR_CLASS_STORE:
		return strstr(name, "sp") ? "I: Zca, Stack-Pointer-Based Loads and Stores"
					  : "I: Zca, Register-Based Loads and Stores";
	case EAR_CLASS_BRANCH:
	case EAR_CLASS_JUMP: return "I: Zca, Control Transfer Instructions";
	case EAR_CLASS_SYSTEM: return "I: Zca, Breakpoint Instruction";
	default: break;
	}
	if (strcmp(name, "c.nop") == 0)
		return "I: Zca, NOP Instruction";
	if (strcmp(name, "c.li") == 0 || strcmp(name, "c.lui") == 0)
		return "I: Zca, Integer Constant-Generation Instructions";
	return is_one_of(name, immediate) ? "I: Zca, Integer Register-Immediate Operations"
					  : "I: Zca, Integer Register-Register Operations";
}

/* ---- Floating point. ---- */

enum float_kind { FLOAT_MEMORY, FLOAT_COMPUTES, FLOAT_CONVERTS, FLOAT_COMPARES, FLOAT_CLASSIFIES };

static enum float_kind float_kind_of(const struct ear_instruction *instruction)
{
	const char *name = instruction->mnemonic;

	if (instruction->instruction_class != EAR_CLASS_FP)
		return FLOAT_MEMORY;
	if (begins(name, "fcvt.") || begins(name, "fmv.") || begins(name, "fsgnj"))
		return FLOAT_CONVERTS;
	if (begins(name, "feq.") || begins(name, "flt.") || begins(name, "fle."))
		return FLOAT_COMPARES;
	return begins(name, "fclass.") ? FLOAT_CLASSIFIES : FLOAT_COMPUTES;
}

static const char *float_section(const struct ear_instruction *instruction, unsigned extension)
{
	static const char *const sections[4][5] = {
		{"I: F, Single-Precision Load and Store Instructions",
			"I: F, Single-Precision Floating-Point Computational Instructions",
			"I: F, Single-Precision Floating-Point Conversion and Move Instructions",
			"I: F, Single-Precision Floating-Point Compare Instructions",
			"I: F, Single-Precision Floating-Point Classify Instruction"},
		{"I: D, Double-Precision Load and Store Instructions",
			"I: D, Double-Precision Floating-Point Computational Instructions",
			"I: D, Double-Precision Floating-Point Conversion and Move Instructions",
			"I: D, Double-Precision Floating-Point Compare Instructions",
			"I: D, Double-Precision Floating-Point Classify Instruction"},
		{"I: Q, Quad-Precision Load and Store Instructions",
			"I: Q, Quad-Precision Computational Instructions",
			"I: Q, Quad-Precision Convert and Move Instructions",
			"I: Q, Quad-Precision Floating-Point Compare Instructions",
			"I: Q, Quad-Precision Floating-Point Classify Instruction"},
		{"I: Zfh, Half-Precision Load and Store Instructions",
			"I: Zfh, Half-Precision Computational Instructions",
			"I: Zfh, Half-Precision Conversion and Move Instructions",
			"I: Zfh, Half-Precision Floating-Point Compare Instructions",
			"I: Zfh, Half-Precision Floating-Point Classify Instruction"}};
	const unsigned row = extension == EAR_EXT_F   ? 0
			     : extension == EAR_EXT_D ? 1
			     : extension == EAR_EXT_Q ? 2
						      : 3;

	return sections[row][float_kind_of(instruction)];
}

static const char *more_float_section(const char *name)
{
	if (begins(name, "fli."))
		return "I: Zfa, Load-Immediate Instructions";
	if (begins(name, "fminm.") || begins(name, "fmaxm."))
		return "I: Zfa, Minimum and Maximum Instructions";
	if (begins(name, "fround"))
		return "I: Zfa, Round-to-Integer Instructions";
	if (begins(name, "fcvtmod"))
		return "I: Zfa, Modular Convert-to-Integer Instruction";
	if (begins(name, "fmv"))
		return "I: Zfa, Move Instructions";
	return "I: Zfa, Comparison Instructions";
}

/* ---- Vectors. ---- */

#define V "I: Base Vector Architecture, "

static const char *vector_section(const struct ear_instruction *instruction)
{
	static const struct {
		const char *begin, *section;
	} rows[] = {
		{"vset", V "Configuration-Setting Instructions"},
		{"vred", V "Vector Reduction Operations"},
		{"vwred", V "Vector Reduction Operations"},
		{"vfred", V "Vector Reduction Operations"},
		{"vfwred", V "Vector Reduction Operations"},
		{"vcpop.m", V "Vector Mask Instructions"},
		{"vfirst.m", V "Vector Mask Instructions"},
		{"vmsbf.m", V "Vector Mask Instructions"},
		{"vmsif.m", V "Vector Mask Instructions"},
		{"vmsof.m", V "Vector Mask Instructions"},
		{"viota.m", V "Vector Mask Instructions"},
		{"vid.v", V "Vector Mask Instructions"},
		{"vslide", V "Vector Integer Permutation Instructions"},
		{"vrgather", V "Vector Integer Permutation Instructions"},
		{"vcompress", V "Vector Integer Permutation Instructions"},
		{"vmv.x.s", V "Vector Integer Permutation Instructions"},
		{"vmv.s.x", V "Vector Integer Permutation Instructions"},
		{"vmv1r", V "Vector Integer Permutation Instructions"},
		{"vmv2r", V "Vector Integer Permutation Instructions"},
		{"vmv4r", V "Vector Integer Permutation Instructions"},
		{"vmv8r", V "Vector Integer Permutation Instructions"},
		{"vfmv.f.s", V "Vector Floating-Point Permutation Instructions"},
		{"vfmv.s.f", V "Vector Floating-Point Permutation Instructions"},
		{"vfslide1", V "Vector Floating-Point Permutation Instructions"},
		{"vsadd", V "Vector Fixed-Point Arithmetic Instructions"},
		{"vssub", V "Vector Fixed-Point Arithmetic Instructions"},
		{"vaadd", V "Vector Fixed-Point Arithmetic Instructions"},
		{"vasub", V "Vector Fixed-Point Arithmetic Instructions"},
		{"vsmul", V "Vector Fixed-Point Arithmetic Instructions"},
		{"vssr", V "Vector Fixed-Point Arithmetic Instructions"},
		{"vnclip", V "Vector Fixed-Point Arithmetic Instructions"},
		{"vf", V "Vector Floating-Point Instructions"},
		{"vmf", V "Vector Floating-Point Instructions"},
	};
	const char *name = instruction->mnemonic;
	const size_t size = strlen(name);

	if (instruction->instruction_class != EAR_CLASS_VECTOR)
		return V "Vector Loads and Stores";
	if (size > 3 && strcmp(name + size - 3, ".mm") == 0)
		return V "Vector Mask Instructions";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (begins(name, rows[i].begin))
			return rows[i].section;
	return V "Vector Integer Arithmetic Instructions";
}

#undef V

/* ---- The others. ---- */

static const char *shadow_stack_section(const char *name)
{
	if (strstr(name, "sspush"))
		return "I: Control-Flow Integrity (CFI), Push to the Shadow Stack";
	if (strstr(name, "sspopchk"))
		return "I: Control-Flow Integrity (CFI), Pop from the Shadow Stack";
	if (begins(name, "ssrdp"))
		return "I: Control-Flow Integrity (CFI), Read ssp into a Register";
	return "I: Control-Flow Integrity (CFI), Atomic Swap from a Shadow Stack Location";
}

static const char *hypervisor_section(const char *name)
{
	return begins(name, "hf") ? "II: H, Hypervisor Memory-Management Fence Instructions"
				  : "II: H, Hypervisor Virtual-Machine Load and Store Instructions";
}

/* Extensions whose instructions are in one section. */
static const char *section_of_extension(unsigned extension)
{
	switch (extension) {
	case EAR_EXT_A:
	case EAR_EXT_ZAAMO: return "I: Zaamo Extension for Atomic Memory Operations";
	case EAR_EXT_ZALRSC:
		return "I: Zalrsc Extension for Load-Reserved/Store-Conditional Instructions";
	case EAR_EXT_ZABHA:
	case EAR_EXT_ZABHA_ZACAS:
		return "I: Zabha, Byte and Halfword Atomic Memory Operation Instructions";
	case EAR_EXT_ZACAS:
		return "I: Zacas, Word/Doubleword/Quadword CAS (amocas.w/d/q) Instructions";
	case EAR_EXT_ZAWRS: return "I: Zawrs, Wait-on-Reservation-Set Instructions";
	case EAR_EXT_ZICSR: return "I: Zicsr, CSR Instructions";
	case EAR_EXT_ZIFENCEI: return "I: Zifencei Extension for Instruction-Fetch Fence";
	case EAR_EXT_ZIHINTPAUSE: return "I: Zihintpause Extension for Pause Hint";
	case EAR_EXT_ZIHINTNTL:
	case EAR_EXT_C_ZIHINTNTL: return "I: Zihintntl Extension for Non-Temporal Locality Hints";
	case EAR_EXT_ZIMOP: return "I: Zimop Extension for May-Be-Operations";
	case EAR_EXT_ZCMOP: return "I: Zcmop Extension for Compressed May-Be-Operations";
	case EAR_EXT_ZICFILP: return "I: Control-Flow Integrity (CFI), Landing Pad Instruction";
	case EAR_EXT_ZFHMIN:
	case EAR_EXT_D_ZFHMIN:
	case EAR_EXT_Q_ZFHMIN:
		return "I: Zfhmin Extension for Half-Precision Floating-Point Conversions";
	case EAR_EXT_SVINVAL:
	case EAR_EXT_H_SVINVAL:
		return "II: Svinval Extension for Fine-Grained Address-Translation Cache "
		       "Invalidation";
	case EAR_EXT_SMRNMI: return "II: Smrnmi, MNRET Instruction";
	case EAR_EXT_SMCTR:
	case EAR_EXT_SSCTR: return "II: Smctr, Supervisor CTR Clear Instruction";
	case EAR_EXT_ZVBB: return "I: Zvbb Vector Extension for Basic Bit Manipulation";
	case EAR_EXT_ZVBC: return "I: Zvbc Vector Extension for Carry-less Multiplication";
	case EAR_EXT_ZVFBFMIN: return "I: Zvfbfmin Vector Extension for BF16 Conversions";
	case EAR_EXT_ZVFBFWMA:
		return "I: Zvfbfwma Vector Extension for BF16 Widening Multiply-Accumulation";
	case EAR_EXT_ZVKB:
		return "I: Vector Cryptography Extensions, Zvkb Vector Cryptography "
		       "Bit-manipulation";
	case EAR_EXT_ZVKG: return "I: Vector Cryptography Extensions, Zvkg Vector GCM/GMAC";
	case EAR_EXT_ZVKNED:
		return "I: Vector Cryptography Extensions, Zvkned NIST Suite: Vector AES Block "
		       "Cipher";
	case EAR_EXT_ZVKNHA:
	case EAR_EXT_ZVKNHB:
		return "I: Vector Cryptography Extensions, Zvknha and Zvknhb NIST Suite: Vector "
		       "SHA-2 Secure Hash";
	case EAR_EXT_ZVKSED:
		return "I: Vector Cryptography Extensions, Zvksed ShangMi Suite: SM4 Block Cipher";
	case EAR_EXT_ZVKSH:
		return "I: Vector Cryptography Extensions, Zvksh ShangMi Suite: SM3 Secure Hash";
	default: return NULL;
	}
}

/* Extensions with a section for each instruction, which has its name: their chapter. */
static const char *chapter_of(unsigned extension)
{
	switch (extension) {
	case EAR_EXT_ZCB:
	case EAR_EXT_ZCB_ZBA:
	case EAR_EXT_ZCB_ZBB:
	case EAR_EXT_ZCB_ZMMUL: return "Zcb";
	case EAR_EXT_ZCMP: return "Zcmp";
	case EAR_EXT_ZCMT: return "Zcmt";
	case EAR_EXT_ZILSD: return "Zilsd";
	case EAR_EXT_ZCLSD: return "Zclsd";
	case EAR_EXT_ZICOND: return "Zicond";
	case EAR_EXT_ZFBFMIN: return "Zfbfmin";
	case EAR_EXT_ZICBOM:
	case EAR_EXT_ZICBOP:
	case EAR_EXT_ZICBOZ: return "Cache Management Operations (CMOs)";
	case EAR_EXT_ZBA:
	case EAR_EXT_ZBB:
	case EAR_EXT_ZBC:
	case EAR_EXT_ZBS:
	case EAR_EXT_ZBKB:
	case EAR_EXT_ZBKC:
	case EAR_EXT_ZBKX:
	case EAR_EXT_ZBB_ZBKB:
	case EAR_EXT_ZBC_ZBKC: return "Bit Manipulation Extensions";
	case EAR_EXT_ZKND:
	case EAR_EXT_ZKNE:
	case EAR_EXT_ZKN_AES:
	case EAR_EXT_ZKNH:
	case EAR_EXT_ZKSED:
	case EAR_EXT_ZKSH: return "Scalar Cryptography Extensions";
	default: return NULL;
	}
}

static const char *section_by_class(const struct ear_instruction *instruction, unsigned extension)
{
	const char *name = instruction->mnemonic;

	switch (extension) {
	case EAR_EXT_I: return base_section(instruction);
	case EAR_EXT_S:
		return begins(name, "sfence") ? "II: Supervisor Memory-Management Fence Instruction"
					      : "II: Trap-Return Instructions";
	case EAR_EXT_H: return hypervisor_section(name);
	case EAR_EXT_M:
	case EAR_EXT_ZMMUL:
		return instruction->instruction_class == EAR_CLASS_DIV
			       ? "I: M, Division Operations"
			       : "I: M, Multiplication Operations";
	case EAR_EXT_C:
	case EAR_EXT_ZCA: return compressed_section(instruction);
	case EAR_EXT_ZCF:
		return strstr(name, "sp") ? "I: Zcf, Stack-Pointer-Based Loads and Stores"
					  : "I: Zcf, Register-Based Loads and Stores";
	case EAR_EXT_ZCD:
		return strstr(name, "sp") ? "I: Zcd, Stack-Pointer-Based Loads and Stores"
					  : "I: Zcd, Register-Based Loads and Stores";
	case EAR_EXT_F:
	case EAR_EXT_D:
	case EAR_EXT_Q:
	case EAR_EXT_ZFH: return float_section(instruction, extension);
	case EAR_EXT_ZFA:
	case EAR_EXT_D_ZFA:
	case EAR_EXT_Q_ZFA:
	case EAR_EXT_ZFH_ZFA: return more_float_section(name);
	case EAR_EXT_ZALASR:
		return name[0] == 'l' ? "I: Zalasr, Load Acquire" : "I: Zalasr, Store Release";
	case EAR_EXT_ZICFISS:
	case EAR_EXT_C_ZICFISS: return shadow_stack_section(name);
	default: break;
	}
	return section_of_extension(extension);
}

void isa_section_of(char section[ISA_SECTION_MAX], const struct ear_instruction *instruction,
	unsigned extension)
{
	const char *own = section_by_class(instruction, extension);
	const char *chapter = chapter_of(extension);
	const bool is_draft = extension >= EAR_EXT_ZVABD;

	if (!own && !chapter && !is_draft && instruction->instruction_class >= EAR_CLASS_VLOAD)
		own = vector_section(instruction);
	if (own)
		snprintf(section, ISA_SECTION_MAX, "%s", own);
	else if (chapter)
		snprintf(section, ISA_SECTION_MAX, "I: %s, %s", chapter, instruction->mnemonic);
	else
		snprintf(section, ISA_SECTION_MAX, "the draft of %s", extension_names[extension]);
}

const char *isa_section_of_csr(unsigned number, bool is_named)
{
	static const char *const sections[4] = {
		"II: Currently allocated RISC-V unprivileged CSR addresses",
		"II: Currently allocated RISC-V supervisor-level CSR addresses",
		"II: Currently allocated RISC-V hypervisor and VS CSR addresses",
		"II: Currently allocated RISC-V machine-level CSR addresses"};

	return is_named ? sections[number >> 8 & 3] : "II: CSR Address Mapping Conventions";
}
