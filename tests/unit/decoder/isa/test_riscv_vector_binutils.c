/* The vector instructions against an independent table: GNU binutils.
 *
 * Random instances of each row, and the same with one bit flipped, are assembled with ".insn" and
 * disassembled by objdump. Its text is Whisper's without blanks, so that mnemonics, registers,
 * their order, immediates, vtype and the mask are compared. Binutils 2.40 knows V and no Zv*.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/isa/inst_table.h"

#define INSTANCES_PER_ROW 24
#define FLIPS_PER_ROW     12
#define OPCODES_MAX       60000

static uint32_t opcodes[OPCODES_MAX];
static unsigned opcode_count;
static char folder[64];

/* xorshift32: the same opcodes in every run. */
static uint32_t next_random(void)
{
	static uint32_t state = 362436069u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void add_opcode(uint32_t opcode)
{
	/* The assembler takes 11111 in the low bits for a longer instruction. */
	if ((opcode & 3) != 3 || (opcode & 0x1f) == 0x1f)
		return;
	assert_below(opcode_count, OPCODES_MAX);
	opcodes[opcode_count++] = opcode;
}

static void collect_opcodes(void)
{
	opcode_count = 0;
	for (unsigned id = 1; id < EAR_INST_COUNT; id++) {
		const struct ear_inst_row *row = &ear_inst_rows[id];

		if (row->kind < EAR_KIND_VLOAD)
			continue;
		for (unsigned i = 0; i < INSTANCES_PER_ROW; i++)
			add_opcode(row->match | (next_random() & ~row->mask[1]));
		for (unsigned i = 0; i < FLIPS_PER_ROW; i++)
			add_opcode((row->match | (next_random() & ~row->mask[1])) ^
				   UINT32_C(1) << (12 + next_random() % 20));
	}
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static FILE *disassemble(void)
{
	char command[512];
	char path[128];
	FILE *source;

	snprintf(path, sizeof(path), "%s/vector.s", folder);
	source = fopen(path, "w");
	assert_non_null(source);
	for (unsigned i = 0; i < opcode_count; i++)
		fprintf(source, ".insn 0x%x\n", (unsigned)opcodes[i]);
	assert_int_equal(fclose(source), 0);
	snprintf(command, sizeof(command),
		"riscv64-unknown-elf-as -march=rv64imafdcv -mabi=lp64d -o %s/vector.o %s", folder,
		path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command),
		"riscv64-unknown-elf-objdump -d -M numeric,no-aliases %s/vector.o", folder);
	return popen(command, "r");
}

/* Mnemonic, a blank, operands without blanks; "illegal" for data. False for other lines. */
static bool parse_line(char *line, char *text)
{
	char *field;

	if (line[0] != ' ' || strchr(line, '\t') == NULL)
		return false;
	field = strchr(strchr(line, '\t') + 1, '\t') + 1;
	field[strcspn(field, "\n<#")] = '\0';
	if (field[0] == '.') {
		strcpy(text, "illegal");
		return true;
	}
	for (; *field != '\0'; field++)
		if (*field != ' ')
			*text++ = *field == '\t' ? ' ' : *field;
	*text = '\0';
	return true;
}

static bool is_ratified_v(const struct ear_inst *inst)
{
	return inst->extension == EAR_EXT_ZVE32X || inst->extension == EAR_EXT_ZVE32F ||
	       inst->extension == EAR_EXT_ZVE64X;
}

/* Ratified after binutils 2.40, drafts, and what the manual reserves and Whisper names. */
static bool is_lacking(const struct ear_inst *inst)
{
	return inst->kind != EAR_KIND_ILLEGAL && !is_ratified_v(inst);
}

/* Encodings that the manual defines, and binutils takes with a mask that they do not have, or with
 * any number of registers.
 */
static bool is_binutils_only(const char *theirs)
{
	static const char *const names[] = {"vneg.v", "vncvt", "vmvnfr"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(theirs, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void write_ours(char *to, const struct ear_inst *inst)
{
	char text[EAR_INST_TEXT_SIZE];
	const char *from = text;

	ear_inst_disassemble(text, sizeof(text), inst);
	for (; *from != '\0'; from++)
		if (*from != ' ' || from[-1] != ',')
			*to++ = *from;
	*to = '\0';
}

/* Rules: "carry" is v0 for both; binutils writes a vtype with reserved bits as a number, and the
 * pseudo-instruction of whole-register loads of bytes.
 */
static bool agrees(const struct ear_inst *inst, const char *theirs)
{
	char ours[128];

	if (is_lacking(inst))
		return strcmp(theirs, "illegal") == 0;
	if (inst->kind == EAR_KIND_ILLEGAL && is_binutils_only(theirs))
		return true;
	write_ours(ours, inst);
	if (strcmp(ours, theirs) == 0)
		return true;
	if (inst->id == EAR_INST_VSETVLI || inst->id == EAR_INST_VSETIVLI) {
		bool reserved = inst->imm >> 8 != 0 || (inst->imm & 7) == 4 || inst->imm & 0x20;
		size_t start = (size_t)(strrchr(theirs, ',') - theirs) + 1;
		return reserved && strncmp(ours, theirs, start) == 0 &&
		       strtol(theirs + start, NULL, 0) == inst->imm;
	}
	return false;
}

static void vectors_agree_with_binutils(void **state)
{
	char line[256], theirs[256];
	unsigned compared = 0, wrong = 0, known = 0;
	FILE *listing;

	(void)state;
	if (system("command -v riscv64-unknown-elf-as >/dev/null") != 0 ||
		system("command -v riscv64-unknown-elf-objdump >/dev/null") != 0)
		fail_msg("%s",
			"riscv64-unknown-elf binutils are missing: scripts/setup installs them");
	collect_opcodes();
	listing = disassemble();
	assert_non_null(listing);
	while (fgets(line, sizeof(line), listing) != NULL) {
		struct ear_inst inst;

		if (!parse_line(line, theirs))
			continue;
		ear_inst_decode(&inst, opcodes[compared++], 64);
		if (!ear_inst_is_vector(&inst) && inst.kind != EAR_KIND_ILLEGAL)
			continue; /* flipped to a scalar one */
		known += is_ratified_v(&inst);
		if (!agrees(&inst, theirs)) {
			char ours[128];
			write_ours(ours, &inst);
			if (wrong++ < 40)
				print_message("%08x: table %s, binutils %s\n",
					(unsigned)inst.opcode, ours, theirs);
		}
	}
	assert_int_equal(pclose(listing), 0);
	assert_int_equal(compared, opcode_count);
	assert_above(known, 10000);
	assert_int_equal(wrong, 0);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/ear-vector-XXXXXX");
	return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
	(void)state;
	remove_file("vector.s");
	remove_file("vector.o");
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_agree_with_binutils),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
