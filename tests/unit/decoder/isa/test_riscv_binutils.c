/* The instruction table against an independent one: GNU binutils.
 *
 * Opcodes are assembled with ".insn", disassembled by objdump, and compared with what the
 * table says, as legality, mnemonic, registers and immediates. Every 16-bit encoding is
 * tried (in the gate each fifth), and random 32-bit ones of three sorts: instances of each row,
 * instances with one bit flipped, and plain noise. All this for RV32 and for RV64.
 *
 * The two differ on purpose in a few places. Each is a rule below, with its reason; what no
 * rule explains is a failure.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/isa/inst_table.h"

#define EXTENSIONS \
	"imafdqc_zicsr_zifencei_zihintpause_zawrs_zicbom_zicbop_zicboz_zba_zbb_zbc_zbs_zbkb_" \
	"zbkx_zkn_zks_zfh_h_svinval"

#define INSTANCES_PER_ROW (50 / EAR_TEST_LESS)
#define FLIPS_PER_ROW     (30 / EAR_TEST_LESS)
#define NOISE_COUNT       (15000 / EAR_TEST_LESS)
#define STEP              (EAR_TEST_LESS > 1 ? 5u : 1u) /* odd: all quadrants have their share */
#define OPCODES_MAX       160000

struct corpus {
	uint32_t opcodes[OPCODES_MAX];
	unsigned count;
};

static struct corpus corpus;
static char folder[64];

/* xorshift32: the same opcodes in every run. */
static uint32_t next_random(void)
{
	static uint32_t state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void add_opcode(uint32_t opcode)
{
	/* The assembler takes 11111 in the low bits for a longer instruction. */
	if ((opcode & 0x1f) == 0x1f)
		return;
	assert_below(corpus.count, OPCODES_MAX);
	corpus.opcodes[corpus.count++] = opcode;
}

static void collect_opcodes(unsigned wide)
{
	corpus.count = 0;
	for (uint32_t opcode = 0; opcode < 0x10000; opcode += STEP) {
		if ((opcode & 3) != 3)
			add_opcode(opcode);
	}
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		const struct ear_inst_row *row = &ear_inst_rows[id];

		if (row->mask[wide] == 0 || (row->match & 3) != 3 || row->kind >= EAR_KIND_VLOAD)
			continue;
		for (unsigned i = 0; i < INSTANCES_PER_ROW; i++)
			add_opcode(row->match | (next_random() & ~row->mask[wide]));
		for (unsigned i = 0; i < FLIPS_PER_ROW; i++) {
			uint32_t flip = UINT32_C(1) << (2 + next_random() % 30);

			add_opcode((row->match | (next_random() & ~row->mask[wide])) ^ flip);
		}
	}
	for (uint32_t csr = 0; csr < 4096; csr++)
		add_opcode(csr << 20 | 0x2073);
	for (unsigned i = 0; i < NOISE_COUNT; i++)
		add_opcode(next_random() | 3);
}

static bool tool_is_missing(const char *tool)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", tool);
	return system(command) != 0;
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static FILE *disassemble_corpus(unsigned xlen)
{
	char command[512];
	char path[128];
	FILE *source;

	snprintf(path, sizeof(path), "%s/corpus.s", folder);
	source = fopen(path, "w");
	assert_non_null(source);
	for (unsigned i = 0; i < corpus.count; i++)
		fprintf(source, ".insn 0x%x\n", (unsigned)corpus.opcodes[i]);
	assert_int_equal(fclose(source), 0);

	snprintf(command, sizeof(command),
		"riscv64-unknown-elf-as -march=rv%u" EXTENSIONS " -mabi=%s -o %s/corpus.o %s", xlen,
		xlen == 64 ? "lp64d" : "ilp32d", folder, path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command),
		"riscv64-unknown-elf-objdump -d -M numeric,no-aliases %s/corpus.o", folder);
	return popen(command, "r");
}

/* "x10,": a register of the operand list, with what follows it. */
static int put_register(char *to, const struct ear_operand *operand, const char *after)
{
	return sprintf(
		to, "%c%d%s", operand->kind == EAR_OPERAND_F ? 'f' : 'x', operand->value, after);
}

static int put_registers(char *to, const struct ear_inst *inst, unsigned first, unsigned last)
{
	int length = 0;

	for (unsigned i = first; i <= last; i++)
		length += put_register(to + length, &inst->operands[i], i < last ? "," : "");
	return length;
}

static int put_target(char *to, const struct ear_inst *inst, uint64_t pc)
{
	uint64_t target = pc + (uint64_t)inst->imm;

	if (inst->xlen == 32)
		target &= UINT32_MAX;
	return sprintf(to, "%llx", (unsigned long long)target);
}

static int put_order(char *to, int32_t order)
{
	char *start = to;

	if (order & 8)
		*to++ = 'i';
	if (order & 4)
		*to++ = 'o';
	if (order & 2)
		*to++ = 'r';
	if (order & 1)
		*to++ = 'w';
	*to = '\0';
	/* Rule: an empty set is "unknown". */
	return to == start ? sprintf(to, "unknown") : (int)(to - start);
}

/* Conversions to wider formats, which are always exact. Rule: binutils knows them with rm 0 only
 * and does not write it.
 */
static bool is_exact_conversion(const struct ear_inst *inst)
{
	switch (inst->id) {
	case EAR_INST_FCVT_S_H:
	case EAR_INST_FCVT_D_W:
	case EAR_INST_FCVT_D_WU:
	case EAR_INST_FCVT_D_S:
	case EAR_INST_FCVT_D_H:
	case EAR_INST_FCVT_Q_W:
	case EAR_INST_FCVT_Q_WU:
	case EAR_INST_FCVT_Q_H:
	case EAR_INST_FCVT_Q_S:
	case EAR_INST_FCVT_Q_D: return true;
	default: return false;
	}
}

/* Rule: a dynamic rounding mode is not written, but for two that do not write rne; reserved ones
 * are "unknown".
 */
static int put_rounding(char *to, const struct ear_inst *inst)
{
	static const char *const names[] = {
		"rne", "rtz", "rdn", "rup", "rmm", "unknown", "unknown", "dyn"};
	bool is_one_of_two = inst->id == EAR_INST_FCVT_Q_L || inst->id == EAR_INST_FCVT_Q_LU;

	if (!(inst->flags & EAR_INST_ROUNDS) || is_exact_conversion(inst) ||
		inst->rm == (is_one_of_two ? 0 : 7))
		return 0;
	return sprintf(to, ",%s", names[inst->rm]);
}

/* Rule: hints that are newer are what they were before. */
static const char *binutils_name(const struct ear_inst *inst)
{
	switch (inst->extension) {
	case EAR_EXT_ZIHINTNTL: return "add";
	case EAR_EXT_C_ZIHINTNTL: return "c.add";
	case EAR_EXT_ZICFILP: return "auipc";
	default: return ear_inst_name(inst->id);
	}
}

/* Mnemonic, a blank and the operands as objdump -M numeric,no-aliases writes them. A CSR
 * is a number if csr_name is NULL.
 */
static void binutils_text(char *to, const struct ear_inst *inst, uint64_t pc, const char *csr_name)
{
	const struct ear_operand *operands = inst->operands;
	unsigned last = inst->operand_count - 1u;

	to += sprintf(to, "%s", binutils_name(inst));
	if (inst->flags & EAR_INST_ACQUIRE)
		to += sprintf(to, inst->flags & EAR_INST_RELEASE ? ".aqrl" : ".aq");
	else if (inst->flags & EAR_INST_RELEASE)
		to += sprintf(to, ".rl");
	*to++ = ' ';
	*to = '\0';

	switch ((enum ear_inst_format)ear_inst_rows[inst->id].format) {
	case FORMAT_NONE: break;
	case FORMAT_R:
	case FORMAT_R2:
	case FORMAT_RS1_RS2:
	case FORMAT_FFF:
	case FORMAT_FFFF:
	case FORMAT_FF:
	case FORMAT_XFF:
	case FORMAT_XF:
	case FORMAT_FX:
		to += put_registers(to, inst, 0, last);
		put_rounding(to, inst);
		break;
	case FORMAT_ZEXT: put_registers(to, inst, 0, 1); break;
	case FORMAT_I:
		to += put_register(to, &operands[0], ",");
		to += put_register(to, &operands[1], ",");
		sprintf(to, "%d", operands[2].value);
		break;
	case FORMAT_SHIFT:
		to += put_register(to, &operands[0], ",");
		to += put_register(to, &operands[1], ",");
		sprintf(to, "0x%x", (unsigned)operands[2].value);
		break;
	case FORMAT_LOAD:
	case FORMAT_FLOAD:
	case FORMAT_STORE:
	case FORMAT_FSTORE:
	case FORMAT_JALR:
	case FORMAT_CL_B:
	case FORMAT_CL_H:
	case FORMAT_CL_W:
	case FORMAT_CL_D:
	case FORMAT_CFL_W:
	case FORMAT_CFL_D:
	case FORMAT_CS_B:
	case FORMAT_CS_H:
	case FORMAT_CS_W:
	case FORMAT_CS_D:
	case FORMAT_CFS_W:
	case FORMAT_CFS_D:
	case FORMAT_CLSP_W:
	case FORMAT_CLSP_D:
	case FORMAT_CFLSP_W:
	case FORMAT_CFLSP_D:
	case FORMAT_CSSP_W:
	case FORMAT_CSSP_D:
	case FORMAT_CFSSP_W:
	case FORMAT_CFSSP_D:
		to += put_register(to, &operands[0], ",");
		to += sprintf(to, "%d(", operands[2].value);
		put_register(to, &operands[1], ")");
		break;
	case FORMAT_BRANCH:
		to += put_register(to, &operands[0], ",");
		to += put_register(to, &operands[1], ",");
		put_target(to, inst, pc);
		break;
	case FORMAT_LUI:
	case FORMAT_AUIPC:
	case FORMAT_CLUI:
		to += put_register(to, &operands[0], ",");
		sprintf(to, "0x%x", (unsigned)operands[1].value >> 12);
		break;
	case FORMAT_JAL:
		to += put_register(to, &operands[0], ",");
		put_target(to, inst, pc);
		break;
	case FORMAT_CSR:
	case FORMAT_CSRI:
		to += put_register(to, &operands[0], ",");
		if (csr_name != NULL)
			to += sprintf(to, "%s,", csr_name);
		else
			to += sprintf(to, "0x%x,", inst->csr);
		if (operands[1].kind == EAR_OPERAND_IMM)
			sprintf(to, "%d", operands[1].value);
		else
			put_register(to, &operands[1], "");
		break;
	case FORMAT_FENCE:
		if (inst->id == EAR_INST_FENCE_TSO)
			break;
		to += put_order(to, operands[0].value);
		*to++ = ',';
		put_order(to, operands[1].value);
		break;
	case FORMAT_CBO:
		*to++ = '(';
		put_register(to, &operands[0], ")");
		break;
	case FORMAT_AMO:
		to += put_register(to, &operands[0], ",");
		to += put_register(to, &operands[2], ",(");
		put_register(to, &operands[1], ")");
		break;
	case FORMAT_LR:
	case FORMAT_HLV:
	case FORMAT_HSV:
		to += put_register(to, &operands[0], ",(");
		put_register(to, &operands[1], ")");
		break;
	case FORMAT_CIW:
		to += put_register(to, &operands[0], ",x2,");
		sprintf(to, "%d", operands[2].value);
		break;
	case FORMAT_CI:
	case FORMAT_CLI:
	case FORMAT_CADDI16SP:
	case FORMAT_CB_ANDI:
		to += put_register(to, &operands[0], ",");
		sprintf(to, "%d", operands[2].value);
		break;
	case FORMAT_CSLLI:
	case FORMAT_CB_SHIFT:
		if (operands[2].value == 0) { /* Rule: no shift at all is a c.slli64 */
			to[-1] = '6';
			to += sprintf(to, "4 ");
			put_register(to, &operands[0], "");
			break;
		}
		to += put_register(to, &operands[0], ",");
		sprintf(to, "0x%x", (unsigned)operands[2].value);
		break;
	case FORMAT_CA:
	case FORMAT_CMV:
	case FORMAT_CADD:
		to += put_register(to, &operands[0], ",");
		put_register(to, &operands[2], "");
		break;
	case FORMAT_CU: put_register(to, &operands[0], ""); break;
	case FORMAT_CJ:
	case FORMAT_CJAL: put_target(to, inst, pc); break;
	case FORMAT_CB:
		to += put_register(to, &operands[0], ",");
		put_target(to, inst, pc);
		break;
	case FORMAT_CJR:
	case FORMAT_CJALR: put_register(to, &operands[1], ""); break;
	case FORMAT_R_BS:
		to += put_registers(to, inst, 0, 2);
		sprintf(to, ",0x%x", (unsigned)operands[3].value);
		break;
	case FORMAT_RNUM:
		to += put_registers(to, inst, 0, 1);
		sprintf(to, ",0x%x", (unsigned)operands[2].value);
		break;
	case FORMAT_PREFETCH:
		to += sprintf(to, "%d(", operands[1].value);
		put_register(to, &operands[0], ")");
		break;
	default: sprintf(to, "newer than binutils 2.40"); break;
	}
}

/* One line of objdump: its address, and mnemonic and operands with one blank between, or
 * "illegal" for data. False for lines that are no instruction.
 */
static bool parse_line(char *line, uint64_t *pc, char *text)
{
	char *field;

	if (line[0] != ' ' || strchr(line, '\t') == NULL)
		return false;
	*pc = strtoull(line, NULL, 16);
	field = strchr(line, '\t') + 1;       /* the opcode */
	field = strchr(field, '\t') + 1;      /* the mnemonic */
	field[strcspn(field, "\n<#")] = '\0'; /* symbols and comments */
	if (field[0] == '.') {
		strcpy(text, "illegal ");
		return true;
	}
	for (; *field != '\0'; field++) {
		if (*field != ' ')
			*text++ = *field == '\t' ? ' ' : *field;
	}
	*text = '\0';
	return true;
}

static bool is_newer_than_binutils(unsigned extension)
{
	switch (extension) {
	case EAR_EXT_ZICOND:
	case EAR_EXT_ZCB:
	case EAR_EXT_ZCB_ZBA:
	case EAR_EXT_ZCB_ZBB:
	case EAR_EXT_ZCB_ZMMUL:
	case EAR_EXT_SMRNMI:
	case EAR_EXT_SSCTR:
	case EAR_EXT_ZILSD:
	case EAR_EXT_ZABHA:
	case EAR_EXT_ZACAS:
	case EAR_EXT_ZABHA_ZACAS:
	case EAR_EXT_ZALASR:
	case EAR_EXT_ZICFISS:
	case EAR_EXT_C_ZICFISS:
	case EAR_EXT_ZIMOP:
	case EAR_EXT_ZCMOP:
	case EAR_EXT_ZFA:
	case EAR_EXT_D_ZFA:
	case EAR_EXT_Q_ZFA:
	case EAR_EXT_ZFH_ZFA:
	case EAR_EXT_ZFBFMIN: return true;
	default: return false;
	}
}

/* What the table decodes and binutils 2.40 does not. */
static bool binutils_lacks(const struct ear_inst *inst)
{
	if (ear_inst_is_vector(inst) || /* not asked for */
		is_newer_than_binutils(inst->extension))
		return true;
	/* Volume I: "implementations shall ignore" reserved fields of fences, and treat a
	 * reserved fm as 0. Binutils knows them with zeros only, and fence.tso as rw,rw.
	 */
	if (inst->id == EAR_INST_FENCE_TSO)
		return inst->opcode != 0x8330000f;
	if (inst->id == EAR_INST_FENCE)
		return (inst->opcode & 0xf00fff80) != 0;
	if (inst->id == EAR_INST_FENCE_I)
		return (inst->opcode & 0xffffff80) != 0;
	return is_exact_conversion(inst) && inst->rm != 0;
}

/* What binutils decodes, if it does, and the table has to call illegal. */
static bool is_binutils_only(uint32_t opcode, unsigned xlen)
{
	/* Returns and a fence of drafts of volume II. */
	if (opcode == 0x00200073 || opcode == 0x20200073 || (opcode & 0xfff07fff) == 0x10400073)
		return true;
	/* Defined as illegal, with a name; and reserved encodings: c.addi16sp by 0, and the AES
	 * rounds 11 to 15.
	 */
	if (opcode == 0x0000 || opcode == 0x6101 ||
		((opcode & 0xff00707f) == 0x31001013 && (opcode >> 20 & 15) > 10))
		return true;
	/* Shifts by 32 and more on RV32 (slli, srli, srai and the Zbb and Zbs immediates, and
	 * c.slli, c.srli, c.srai): reserved for custom extensions.
	 */
	if (xlen == 64)
		return false;
	if ((opcode & 3) == 3)
		return (opcode & 0x0200307f) == 0x02001013;
	return (opcode & 0xf003) == 0x1002 || (opcode & 0xf803) == 0x9001;
}

/* Binutils does not know the newest CSRs nor those of vendors, and Whisper does not know
 * some of drafts (ustatus, ...). The names have to agree where both have one.
 */
static const char *common_csr_name(const struct ear_inst *inst, const char *theirs)
{
	const char *csr = strchr(theirs, ',');

	if (inst->kind != EAR_KIND_CSR || csr == NULL || strncmp(csr, ",0x", 3) == 0)
		return NULL;
	return ear_csr_name(inst->csr);
}

static bool agrees(const struct ear_inst *inst, uint64_t pc, const char *theirs)
{
	char ours[256];

	if (binutils_lacks(inst) && !is_binutils_only(inst->opcode, inst->xlen))
		return strcmp(theirs, "illegal ") == 0;
	if (strcmp(theirs, "illegal ") != 0 && is_binutils_only(inst->opcode, inst->xlen))
		return inst->id == EAR_INST_ILLEGAL || inst->id == EAR_INST_SCTRCLR;
	binutils_text(ours, inst, pc, common_csr_name(inst, theirs));
	if (strcmp(ours, theirs) == 0)
		return true;
	print_message("rv%u %08x: table %s, binutils %s\n", inst->xlen, (unsigned)inst->opcode,
		ours, theirs);
	return false;
}

static void compare_with_binutils(unsigned xlen)
{
	char line[256];
	char theirs[256];
	unsigned compared = 0;
	unsigned wrong = 0;
	uint64_t pc;
	FILE *listing;

	if (tool_is_missing("riscv64-unknown-elf-as") ||
		tool_is_missing("riscv64-unknown-elf-objdump"))
		fail_msg("%s",
			"riscv64-unknown-elf binutils are missing: scripts/setup installs them");
	collect_opcodes(xlen == 64);
	listing = disassemble_corpus(xlen);
	assert_non_null(listing);
	while (fgets(line, sizeof(line), listing) != NULL) {
		struct ear_inst inst;

		if (!parse_line(line, &pc, theirs))
			continue;
		ear_inst_decode(&inst, corpus.opcodes[compared], xlen);
		compared++;
		if (strchr(theirs, ' ') == NULL)
			strcat(theirs, " ");
		if (!agrees(&inst, pc, theirs))
			wrong++;
	}
	assert_int_equal(pclose(listing), 0);
	remove_file("corpus.s");
	remove_file("corpus.o");
	assert_int_equal(compared, corpus.count);
	assert_int_equal(wrong, 0);
}

static void rv32_agrees_with_binutils(void **state)
{
	(void)state;
	compare_with_binutils(32);
}

static void rv64_agrees_with_binutils(void **state)
{
	(void)state;
	compare_with_binutils(64);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/ear-riscv-XXXXXX");
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
	(void)state;
	remove_file("corpus.s");
	remove_file("corpus.o");
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rv32_agrees_with_binutils),
		cmocka_unit_test(rv64_agrees_with_binutils),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
