/* The 8051 core of the FX2LP's model against Debian's s51 (uCsim), which others wrote.
 *
 * A random program has a case for each of the 255 opcodes: set every register, execute the one
 * instruction, write the whole internal RAM and the registers to a page of external memory. Both
 * run it; all 64 KiB of external memory must be equal. So each instruction is checked alone, with
 * all its effects.
 */
#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fx2model/mcs51.h"
#include "random.h"

#define MEMORY_SIZE  65536
#define CASE_COUNT   255
#define PROGRAM_RUNS 4
#define SCRATCH_PAGE 0xFF /* of MOVX; the pages before it are the log */
#define SKIPPED      77

/* Internal RAM that belongs to the frame around the cases. */
enum {
	SAVED_ACC = 0x70,
	SAVED_PSW,
	SAVED_B,
	SAVED_SP,
	SAVED_DPL,
	SAVED_DPH,
	SAVED_R0,
	RETURN_HIGH,
	RETURN_LOW,
	LOG_PAGE = 0x7E,
	SKIPPED_OVER = 0x6F, /* written by the instruction that a branch may skip */
};

enum {
	SAVE_ADDRESS = 0x0100,
	START_ADDRESS = 0x0200,
	SETUP_SIZE = 134,
	CASE_SIZE_MAX = SETUP_SIZE + 20,
};

struct program {
	uint8_t code[MEMORY_SIZE];
	uint16_t position;
	uint16_t end; /* an instruction that jumps to itself */
	uint8_t opcodes[CASE_COUNT];
	uint8_t favourite; /* of the case */
	struct random random;
};

static void emit(struct program *program, unsigned count, const uint8_t *bytes)
{
	memcpy(program->code + program->position, bytes, count);
	program->position = (uint16_t)(program->position + count);
}

#define EMIT(program, ...) emit(program, sizeof((uint8_t[]){__VA_ARGS__}), (uint8_t[]){__VA_ARGS__})

static uint8_t high(uint16_t value)
{
	return (uint8_t)(value >> 8);
}

static uint8_t any(struct program *program)
{
	return (uint8_t)random_next(&program->random);
}

/* A value to calculate with. Half of them are the case's favourite or its negative, so that sums of
 * 256 and equal operands, where flags change, are no rarity.
 */
static uint8_t operand(struct program *program)
{
	switch (random_below(&program->random, 4)) {
	case 0: return program->favourite;
	case 1: return (uint8_t)-program->favourite;
	default: return any(program);
	}
}

static uint8_t between(struct program *program, unsigned low, unsigned high_limit)
{
	return (uint8_t)(low + random_below(&program->random, high_limit - low + 1));
}

static void move_immediate(struct program *program, uint8_t address, uint8_t value)
{
	EMIT(program, 0x75, address, value);
}

/* A direct address to write: internal RAM of the cases, or a register of the processor. */
static uint8_t direct_target(struct program *program)
{
	static const uint8_t registers[] = {MCS51_ACC, MCS51_B, MCS51_PSW, MCS51_DPL, MCS51_DPH};

	if (random_once_in(&program->random, 3))
		return registers[random_below(&program->random, COUNT_OF(registers))];
	return between(program, 0x08, 0x6E);
}

static uint8_t direct_source(struct program *program)
{
	return random_once_in(&program->random, 8) ? MCS51_SP : direct_target(program);
}

static uint8_t bit_target(struct program *program)
{
	static const uint8_t registers[] = {MCS51_ACC, MCS51_B, MCS51_PSW};

	if (random_once_in(&program->random, 2))
		return registers[random_below(&program->random, COUNT_OF(registers))] |
		       between(program, 0, 7);
	return between(program, 0x00, 0x7F);
}

/* A pointer that @R0 and @R1 may have. */
static uint8_t pointer(struct program *program)
{
	return random_once_in(&program->random, 2) ? between(program, 0x08, 0x6E)
						   : between(program, 0x80, 0xEF);
}

/* Everything that an instruction can read gets a new value; the accumulator comes last. The data
 * pointer of MOVC stays away from the end of the memory, where s51 does not wrap.
 */
static void emit_setup(struct program *program, uint8_t opcode)
{
	static const uint8_t edges[] = {0x00, 0x01, 0x0F, 0x10, 0x7F, 0x80, 0x99, 0x9A, 0xFF};
	bool edge = random_once_in(&program->random, 2);
	bool is_product = opcode == 0xA4 && edge; /* of 255 */

	program->favourite =
		edge ? edges[random_below(&program->random, COUNT_OF(edges))] : any(program);
	for (uint8_t address = 0; address < 0x20; address++)
		move_immediate(
			program, address, (address & 7) < 2 ? pointer(program) : operand(program));
	for (int i = 0; i < 6; i++)
		move_immediate(program, between(program, 0x20, 0x2F), any(program));
	move_immediate(program, SKIPPED_OVER, 0);
	move_immediate(program, MCS51_B, is_product ? 0x05 : operand(program));
	move_immediate(program, MCS51_DPL, any(program));
	move_immediate(
		program, MCS51_DPH, opcode == 0x93 ? between(program, 0, 0xFE) : SCRATCH_PAGE);
	move_immediate(program, MCS51_SP, between(program, 0x80, 0xD0));
	move_immediate(program, MCS51_PSW, any(program));
	EMIT(program, 0x74, is_product ? 0x33 : operand(program));
}

/* An instruction whose last byte is the distance of a branch, forwards or backwards. */
static void emit_branch(struct program *program, unsigned count, const uint8_t *bytes)
{
	uint8_t value = any(program);

	if (random_once_in(&program->random, 2)) {
		emit(program, count, bytes);
		EMIT(program, 3);
		move_immediate(program, SKIPPED_OVER, value);
		return;
	}
	EMIT(program, 0x80, 5);
	move_immediate(program, SKIPPED_OVER, value);
	EMIT(program, 0x80, (uint8_t)(count + 1));
	emit(program, count, bytes);
	EMIT(program, (uint8_t)(-(int)count - 6));
}

#define EMIT_BRANCH(program, ...) \
	emit_branch(program, sizeof((uint8_t[]){__VA_ARGS__}), (uint8_t[]){__VA_ARGS__})

/* The address after count more bytes and the instruction that is to be skipped. */
static uint16_t skip_target(const struct program *program, unsigned count)
{
	return (uint16_t)(program->position + count + 3);
}

static void emit_jump(struct program *program, uint8_t opcode)
{
	uint16_t target;
	uint8_t acc;

	switch (opcode) {
	case 0x02:
	case 0x12:
		target = skip_target(program, 3);
		EMIT(program, opcode, high(target), (uint8_t)target);
		break;
	case 0x22:
	case 0x32: /* the return address lies ready on the stack */
		target = skip_target(program, 10);
		move_immediate(program, 0x51, high(target));
		move_immediate(program, 0x50, (uint8_t)target);
		move_immediate(program, MCS51_SP, 0x51);
		EMIT(program, opcode);
		break;
	case 0x73:
		acc = any(program);
		target = (uint16_t)(skip_target(program, 6) - acc);
		EMIT(program, 0x90, high(target), (uint8_t)target, 0x74, acc, opcode);
		break;
	default: /* AJMP, ACALL: the caller has seen to the page */
		target = skip_target(program, 2);
		EMIT(program, opcode, (uint8_t)target);
	}
	move_immediate(program, SKIPPED_OVER, any(program));
}

/* Columns 0, 2 and 3 without the jumps. */
static void emit_other(struct program *program, uint8_t opcode)
{
	switch (opcode) {
	case 0x10:
	case 0x20:
	case 0x30: EMIT_BRANCH(program, opcode, bit_target(program)); break;
	case 0x40:
	case 0x50:
	case 0x60:
	case 0x70:
	case 0x80: EMIT_BRANCH(program, opcode); break;
	case 0x42:
	case 0x52:
	case 0x62:
	case 0xD0: EMIT(program, opcode, direct_target(program)); break;
	case 0xC0:
		EMIT(program, opcode,
			random_once_in(&program->random, 2) ? MCS51_SP : direct_source(program));
		break;
	case 0x43:
	case 0x53:
	case 0x63: EMIT(program, opcode, direct_target(program), any(program)); break;
	case 0x72:
	case 0x82:
	case 0x92:
	case 0xA0:
	case 0xA2:
	case 0xB0:
	case 0xB2:
	case 0xC2:
	case 0xD2: EMIT(program, opcode, bit_target(program)); break;
	case 0x90: EMIT(program, opcode, any(program), any(program)); break;
	default: EMIT(program, opcode); break;
	}
}

static void emit_instruction(struct program *program, uint8_t opcode)
{
	uint8_t row = opcode >> 4, column = opcode & 15;

	if (column == 1 || opcode == 0x02 || opcode == 0x12 || opcode == 0x22 || opcode == 0x32 ||
		opcode == 0x73)
		emit_jump(program, opcode);
	else if (column < 4)
		emit_other(program, opcode);
	else if (row == 0xB) /* CJNE */
		EMIT_BRANCH(
			program, opcode, column == 5 ? direct_source(program) : operand(program));
	else if (opcode == 0xD5)
		EMIT_BRANCH(program, opcode, direct_target(program));
	else if (row == 0xD && column >= 8)
		EMIT_BRANCH(program, opcode);
	else if (opcode == 0x75)
		EMIT(program, opcode, direct_target(program), any(program));
	else if (opcode == 0x85)
		EMIT(program, opcode, direct_source(program), direct_target(program));
	else if (row == 8 && column >= 6)
		EMIT(program, opcode, direct_target(program));
	else if (row == 0xA && column >= 6)
		EMIT(program, opcode, direct_source(program));
	else if (row == 7)
		EMIT(program, opcode, any(program));
	else if (column == 5)
		EMIT(program, opcode,
			row < 2 || row == 0xC || row == 0xF ? direct_target(program)
							    : direct_source(program));
	else if (column == 4 && (row == 9 || (row >= 2 && row <= 6)))
		EMIT(program, opcode, operand(program));
	else
		EMIT(program, opcode);
}

/* Can this opcode be here? AJMP and ACALL hold three bits of their target, and the target must
 * be in the block of 2 KiB in which the next instruction is.
 */
static bool fits(const struct program *program, uint8_t opcode)
{
	uint16_t next = (uint16_t)(program->position + SETUP_SIZE + 2);
	uint16_t target = next + 3;

	if ((opcode & 15) != 1)
		return true;
	return (target >> 8 & 7) == opcode >> 5 && ((next ^ target) & 0xF800) == 0;
}

static void emit_case(struct program *program, uint8_t opcode)
{
	uint16_t begin = program->position;

	emit_setup(program, opcode);
	assert_int_equal(program->position, begin + SETUP_SIZE);
	emit_instruction(program, opcode);
	EMIT(program, 0x12, high(SAVE_ADDRESS), (uint8_t)SAVE_ADDRESS);
}

static void emit_frame(struct program *program)
{
	program->position = 0;
	EMIT(program, 0x02, high(START_ADDRESS), (uint8_t)START_ADDRESS);

	/* The registers as the instruction left them, then the whole internal RAM. */
	program->position = SAVE_ADDRESS;
	EMIT(program, 0xF5, SAVED_ACC, 0x85, MCS51_PSW, SAVED_PSW, 0x85, MCS51_B, SAVED_B);
	EMIT(program, 0x85, MCS51_DPL, SAVED_DPL, 0x85, MCS51_DPH, SAVED_DPH);
	EMIT(program, 0xD0, RETURN_HIGH, 0xD0, RETURN_LOW, 0x85, MCS51_SP, SAVED_SP);
	move_immediate(program, MCS51_PSW, 0);
	EMIT(program, 0x85, 0x00, SAVED_R0, 0x85, LOG_PAGE, MCS51_DPH);
	move_immediate(program, MCS51_DPL, 0);
	EMIT(program, 0x78, 0x00);                                      /* MOV R0,#0 */
	EMIT(program, 0xE6, 0xF0, 0xA3, 0x08, 0xB8, 0x00, (uint8_t)-7); /* until R0 is 0 again */
	EMIT(program, 0x05, LOG_PAGE);
	move_immediate(program, MCS51_SP, 0x79);
	EMIT(program, 0xC0, RETURN_LOW, 0xC0, RETURN_HIGH, 0x22);

	/* Memory that both begin with: internal n at address n, the scratch page 0. */
	program->position = START_ADDRESS;
	EMIT(program, 0x78, 0xFF, 0xE8, 0xF6, 0xD8, (uint8_t)-4); /* @R0 = R0, DJNZ R0 */
	EMIT(program, 0x90, SCRATCH_PAGE, 0x00, 0xE4, 0xF0, 0xA3, 0xD8, (uint8_t)-4);
	move_immediate(program, LOG_PAGE, 0);
}

/* Where in left[0 .. count-1] the next opcode is: one that only fits here, or any that fits. */
static unsigned choose(struct program *program, const uint8_t *left, unsigned count)
{
	unsigned start = (unsigned)random_below(&program->random, count);

	for (unsigned i = 0; i < count; i++)
		if ((left[i] & 15) == 1 && fits(program, left[i]))
			return i;
	for (unsigned i = 0; i < count; i++)
		if (fits(program, left[(start + i) % count]))
			return (start + i) % count;
	return count;
}

static void make_program(struct program *program, uint64_t seed)
{
	uint8_t left[CASE_COUNT];
	unsigned count = 0;

	program->random = (struct random){seed * 0x9E3779B97F4A7C15u + 1};
	for (size_t i = 0; i < MEMORY_SIZE; i++)
		program->code[i] = any(program);
	for (unsigned opcode = 0; opcode < 256; opcode++)
		if (opcode != 0xA5)
			left[count++] = (uint8_t)opcode;
	assert_int_equal(count, CASE_COUNT);

	emit_frame(program);
	while (count > 0) {
		unsigned chosen = choose(program, left, count);

		assert_below(program->position, MEMORY_SIZE - 256 - CASE_SIZE_MAX);
		if (chosen == count) { /* on to where one fits */
			uint16_t next = (uint16_t)((program->position + 3 + 64) & ~63);

			EMIT(program, 0x02, high(next), (uint8_t)next);
			program->position = next;
			continue;
		}
		program->opcodes[CASE_COUNT - count] = left[chosen];
		emit_case(program, left[chosen]);
		left[chosen] = left[--count];
	}
	program->end = program->position;
	EMIT(program, 0x80, 0xFE);
}

static uint8_t read_xdata(void *context, uint16_t address)
{
	return ((uint8_t *)context)[address];
}

static void write_xdata(void *context, uint16_t address, uint8_t value)
{
	((uint8_t *)context)[address] = value;
}

static void run_own(const struct program *program, uint8_t *xdata)
{
	static const struct mcs51_hooks hooks = {
		.xdata_read = read_xdata, .xdata_write = write_xdata};
	struct mcs51 cpu = {.code = program->code, .hooks = &hooks, .context = xdata};

	mcs51_reset(&cpu);
	while (cpu.pc != program->end) {
		mcs51_step(&cpu);
		assert_below(cpu.instructions, 10000000);
	}
}

/* Intel HEX, 32 bytes a line. */
static void write_hex(FILE *file, const uint8_t *bytes)
{
	for (unsigned address = 0; address < MEMORY_SIZE; address += 32) {
		unsigned sum = 32 + (address >> 8) + (address & 255);

		fprintf(file, ":20%04X00", address);
		for (unsigned i = 0; i < 32; i++) {
			fprintf(file, "%02X", bytes[address + i]);
			sum += bytes[address + i];
		}
		fprintf(file, "%02X\n", -sum & 255);
	}
	fprintf(file, ":00000001FF\n");
}

/* A line of a dump: address, then up to 16 bytes in columns of 3 characters, then text. */
static unsigned read_dump_line(const char *line, uint8_t *xdata)
{
	enum { FIRST_COLUMN = 28 };
	unsigned address, count = 0, value;

	if (strlen(line) < FIRST_COLUMN || strspn(line + 6, " ") != FIRST_COLUMN - 6 ||
		sscanf(line, "0x%4x", &address) != 1)
		return 0;
	while (count < 16 && sscanf(line + FIRST_COLUMN + 3 * count, "%2x", &value) == 1 &&
		line[FIRST_COLUMN + 3 * count] != ' ') {
		assert_below(address + count, MEMORY_SIZE);
		xdata[address + count++] = (uint8_t)value;
	}
	return count;
}

static void run_s51(const struct program *program, uint8_t *xdata)
{
	char hex_path[] = "/tmp/earshot-mcs51-XXXXXX.ihx", command[256], line[256];
	int file = mkstemps(hex_path, 4);
	FILE *stream = fdopen(file, "w");
	unsigned count = 0;

	assert_non_null(stream);
	write_hex(stream, program->code);
	assert_int_equal(fclose(stream), 0);
	snprintf(command, sizeof(command),
		"printf 'break 0x%04x\\nrun\\ndump xram 0 0xffff 16\\nquit\\n' | timeout 30 s51 -b "
		"-t 52 %s 2>&1",
		program->end, hex_path);
	stream = popen(command, "r");
	assert_non_null(stream);
	while (fgets(line, sizeof(line), stream))
		count += read_dump_line(line, xdata);
	pclose(stream);
	unlink(hex_path);
	if (count != MEMORY_SIZE)
		fail_msg("s51 gave %u bytes of its memory instead of 65536", count);
}

/* s51 lets an instruction write the parity bit, until the accumulator changes; in the chip the bit
 * follows the accumulator in every cycle (Intel's manual, "PSW").
 */
static bool is_parity_written(const uint8_t *own, const uint8_t *others, unsigned address)
{
	uint8_t accumulator = own[(address & 0xFF00) | SAVED_ACC];

	return (address & 0xFF) == SAVED_PSW && (own[address] ^ others[address]) == MCS51_PSW_P &&
	       (own[address] & MCS51_PSW_P) == __builtin_parity(accumulator);
}

static void every_instruction_does_what_s51_does(void **state)
{
	static struct program program;
	static uint8_t own[MEMORY_SIZE], others[MEMORY_SIZE];

	(void)state;
	for (unsigned run = 0; run < PROGRAM_RUNS; run++) {
		make_program(&program, run + 1);
		memset(own, 0x55, sizeof(own));
		memset(others, 0xAA, sizeof(others));
		run_own(&program, own);
		run_s51(&program, others);
		for (unsigned address = 0; address < MEMORY_SIZE; address++)
			if (own[address] != others[address] &&
				!is_parity_written(own, others, address))
				fail_msg(
					"program %u, opcode %02X, byte %02X: ours %02X, s51's %02X",
					run + 1, program.opcodes[(address >> 8) % CASE_COUNT],
					address & 255, own[address], others[address]);
	}
}

/* The chip's own: two data pointers, MPAGE and stretched MOVX, which s51 does not have. */
static void the_second_data_pointer_is_chosen_by_dps(void **state)
{
	static const uint8_t code[MEMORY_SIZE] = {
		0x90, 0x12, 0x34,                    /* MOV DPTR,#1234 */
		0x75, MCS51_DPS, 1,                  /* the other one */
		0x90, 0x56, 0x78, 0xA3,              /* MOV DPTR,#5678; INC DPTR */
		0x74, 0x9A, 0xF0,                    /* MOVX @DPTR,A */
		0x05, MCS51_DPS,                     /* bit 0 is 0 again */
		0xF0,                                /* MOVX @DPTR,A */
		0x75, MCS51_MPAGE, 0x20, 0x78, 0x05, /* MPAGE; MOV R0,#5 */
		0xF2,                                /* MOVX @R0,A */
	};
	static uint8_t xdata[MEMORY_SIZE];
	static const struct mcs51_hooks hooks = {
		.xdata_read = read_xdata, .xdata_write = write_xdata};
	struct mcs51 cpu = {.fx2 = true, .code = code, .hooks = &hooks, .context = xdata};

	(void)state;
	mcs51_reset(&cpu);
	for (int i = 0; i < 11; i++)
		mcs51_step(&cpu);
	assert_int_equal(xdata[0x5679], 0x9A);
	assert_int_equal(xdata[0x1234], 0x9A);
	assert_int_equal(xdata[0x2005], 0x9A);
	assert_int_equal(cpu.cycles, 3 + 3 + 3 + 3 + 2 + 3 + 2 + 3 + 3 + 2 + 3);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest own_tests[] = {
		cmocka_unit_test(the_second_data_pointer_is_chosen_by_dps)};
	static const struct CMUnitTest s51_tests[] = {
		cmocka_unit_test(every_instruction_does_what_s51_does)};

	if (argc < 2 || strcmp(argv[1], "s51") != 0)
		return cmocka_run_group_tests(own_tests, NULL, NULL);
	if (system("command -v s51 >/dev/null") != 0) {
		printf("skipped: no s51; it is in Debian's package sdcc-ucsim\n");
		return SKIPPED;
	}
	return cmocka_run_group_tests(s51_tests, NULL, NULL);
}
