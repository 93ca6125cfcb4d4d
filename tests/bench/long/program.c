/* The runtime of the programs, and their work: machine code by the assembler beside this file. */
#include "program.h"

#include <assert.h>
#include <string.h>

#define CSR_MSTATUS  0x300
#define CSR_MIE      0x304
#define CSR_MTVEC    0x305
#define CSR_MSCRATCH 0x340
#define CSR_MEPC     0x341
#define CSR_MCAUSE   0x342

#define MTIMECMP_UPPER 0x2004 /* for lui */
#define MTIME_UPPER    0x200C /* mtime is 8 bytes before */

/* Words of the data, by their offset from gp. */
#define G_COUNTER    0
#define G_SELDOM     8
#define G_TICKS      64
#define G_TRAPS      72
#define G_NEXT_TIME  80
#define G_LAST_TIME  88
#define G_RARE_COUNT 96
#define G_LINE       104
#define G_LINE_LEFT  112
#define G_WORD_LEFT  120
#define G_RARE_TABLE 128 /* PROGRAM_RARE_COUNT, and one that never comes */
#define G_PERIOD     192
#define G_LINE_EVERY 200
#define G_WORD_EVERY 208
#define G_SEED       216
#define G_TABLE      512 /* of addresses */
#define G_BYTECODE   1024

/* In the zero part. */
#define SPARSE    PROGRAM_SPARSE
#define VARIABLES (PROGRAM_BSS + 0x1000)
#define VALUES    (PROGRAM_BSS + 0x1400)
#define WORDS     (PROGRAM_BSS + 0x2000)
#define TABLE     (PROGRAM_BSS + 0x10000)

#define WORDS_COUNT  1024
#define TABLE_SIZE   65536
#define ARRAY_MAX    (UINT64_C(32) << 20)
#define TICKS_MAX    16384
#define PERIOD_LEAST 2000 /* records */

const char program_names[] = "interpreter, stream, calls, table";

static void put_data(struct program *program, size_t offset, uint64_t value)
{
	assert(offset + 8 <= PROGRAM_DATA_SIZE);
	for (size_t i = 0; i < 8; i++)
		program->data[offset + i] = (uint8_t)(value >> 8 * i);
}

/* A word of XLEN bits of a table. */
static void put_entry(struct program *program, size_t table, size_t index, uint64_t value)
{
	size_t width = program->as.xlen / 8, offset = table + index * width;

	assert(offset + width <= PROGRAM_DATA_SIZE);
	for (size_t i = 0; i < width; i++)
		program->data[offset + i] = (uint8_t)(value >> 8 * i);
}

static void add_region(struct program *program, const char *name, uint64_t address, uint64_t size)
{
	assert(program->region_count < PROGRAM_REGIONS_MAX);
	program->regions[program->region_count++] = (struct program_region){name, address, size};
}

/* word at offset += by; the register keeps the sum. */
static void add_to(struct assembler *as, int offset, unsigned reg, int by)
{
	as_load(as, reg, offset, GP);
	as_addi(as, reg, reg, by);
	as_store(as, reg, offset, GP);
}

/* Runtime ----------------------------------------------------------------------------------- */

/* mtime counts half as fast as instructions (the simulator's default). */
static void choose_times(struct program *program, uint64_t records, uint64_t seed)
{
	uint64_t period = records / TICKS_MAX;
	if (period < PERIOD_LEAST)
		period = PERIOD_LEAST;
	uint64_t ticks = records / period, lines = PROGRAM_SPARSE_SIZE / 64;
	uint64_t line_every = ticks / (lines + 2), word_every = ticks / 5;

	put_data(program, G_PERIOD, period / 2);
	put_data(program, G_NEXT_TIME, period / 2);
	put_data(program, G_LINE_EVERY, line_every ? line_every : 1);
	put_data(program, G_LINE_LEFT, line_every ? line_every : 1);
	put_data(program, G_WORD_EVERY, word_every ? word_every : 1);
	put_data(program, G_WORD_LEFT, word_every ? word_every : 1);
	put_data(program, G_SEED, (seed * 0x9E3779B97F4A7C15u | 1) & 0x7FFFFFFF);
	put_entry(program, G_RARE_TABLE, 0, ticks / 10 + 1);
	put_entry(program, G_RARE_TABLE, 1, ticks / 2 + 1);
	put_entry(program, G_RARE_TABLE, 2, ticks - ticks / 10);
	put_entry(program, G_RARE_TABLE, PROGRAM_RARE_COUNT, UINT64_MAX);
}

static void build_rare(struct program *program, unsigned label)
{
	struct assembler *as = &program->as;

	as_function(as, label, "rare");
	add_to(as, G_RARE_COUNT, T1, 1);
	as_return(as);
	program->rare = as_address_of(as, label);
}

/* t0 holds the tick. */
static void build_write_line(struct assembler *as, unsigned label)
{
	int width = (int)as->xlen / 8;

	as_function(as, label, "write_line");
	as_load(as, T1, G_LINE, GP);
	as_addi(as, T2, T1, 1);
	as_andi(as, T2, T2, PROGRAM_SPARSE_SIZE / 64 - 1);
	as_store(as, T2, G_LINE, GP);
	as_slli(as, T1, T1, 6);
	as_la(as, T2, SPARSE);
	as_op(as, AS_ADD, T1, T1, T2);
	for (int offset = 0; offset < 64; offset += width)
		as_store(as, T0, offset, T1);
	as_return(as);
}

/* Every so many ticks: count down, and go on behind `label` in the others. */
static void every(struct assembler *as, int left, int interval, unsigned label)
{
	as_load(as, T1, left, GP);
	as_addi(as, T1, T1, -1);
	as_store(as, T1, left, GP);
	as_branch(as, AS_NE, T1, ZERO, label);
	as_load(as, T1, interval, GP);
	as_store(as, T1, left, GP);
}

static void build_tick(struct program *program, unsigned label, unsigned rare, unsigned write_line)
{
	struct assembler *as = &program->as;
	unsigned not_rare = as_label(as), no_line = as_label(as), no_word = as_label(as);
	unsigned shift = as->xlen == 64 ? 3 : 2;

	as_function(as, label, "tick");
	as_addi(as, SP, SP, -16);
	as_store(as, RA, 0, SP);
	add_to(as, G_TICKS, T0, 1);
	as_csr_write(as, CSR_MSCRATCH, T0);
	as_load(as, T1, G_NEXT_TIME, GP);
	as_load(as, T2, G_PERIOD, GP);
	as_op(as, AS_ADD, T1, T1, T2);
	as_store(as, T1, G_NEXT_TIME, GP);
	as_lui(as, T2, MTIMECMP_UPPER);
	as_store(as, T1, 0, T2);
	as_lui(as, T2, MTIME_UPPER);
	as_load(as, T1, -8, T2);
	as_store(as, T1, G_LAST_TIME, GP);

	as_load(as, T1, G_RARE_COUNT, GP);
	as_slli(as, T1, T1, shift);
	as_op(as, AS_ADD, T1, T1, GP);
	as_load(as, T1, G_RARE_TABLE, T1);
	as_branch(as, AS_NE, T1, T0, not_rare);
	as_call(as, rare);
	as_here(as, not_rare);
	every(as, G_LINE_LEFT, G_LINE_EVERY, no_line);
	as_call(as, write_line);
	as_here(as, no_line);
	every(as, G_WORD_LEFT, G_WORD_EVERY, no_word);
	as_load(as, T1, G_SELDOM, GP);
	as_op(as, AS_ADD, T1, T1, T0);
	as_store(as, T1, G_SELDOM, GP);
	as_here(as, no_word);
	as_load(as, RA, 0, SP);
	as_addi(as, SP, SP, 16);
	as_return(as);
}

static void build_trap_entry(struct assembler *as, unsigned label, unsigned tick)
{
	static const uint8_t saved[] = {RA, T0, T1, T2, A0, A1};
	unsigned interrupt = as_label(as), out = as_label(as);
	int width = (int)as->xlen / 8;

	as_function(as, label, "trap_entry");
	as_addi(as, SP, SP, -64);
	for (int i = 0; i < (int)sizeof(saved); i++)
		as_store(as, saved[i], i * width, SP);
	as_csr_read(as, T0, CSR_MCAUSE);
	as_branch(as, AS_LT, T0, ZERO, interrupt);
	as_csr_read(as, T0, CSR_MEPC);
	as_addi(as, T0, T0, 4);
	as_csr_write(as, CSR_MEPC, T0);
	add_to(as, G_TRAPS, T0, 1);
	as_jump(as, out);
	as_here(as, interrupt);
	as_call(as, tick);
	as_here(as, out);
	for (int i = 0; i < (int)sizeof(saved); i++)
		as_load(as, saved[i], i * width, SP);
	as_addi(as, SP, SP, 64);
	as_mret(as);
}

static void build_runtime(struct program *program, unsigned main)
{
	struct assembler *as = &program->as;
	unsigned start = as_label(as), trap_entry = as_label(as), tick = as_label(as);
	unsigned rare = as_label(as), write_line = as_label(as), entry = as_label(as);

	/* The trap handler's address is aligned to 4: it comes second, behind a jump. */
	as_function(as, start, "_start");
	as_jump(as, entry);
	build_trap_entry(as, trap_entry, tick);
	build_tick(program, tick, rare, write_line);
	build_rare(program, rare);
	build_write_line(as, write_line);
	as_function(as, entry, "start");
	as_la(as, SP, PROGRAM_TOP);
	as_la(as, GP, PROGRAM_DATA);
	as_la(as, T0, as_address_of(as, trap_entry));
	as_csr_write(as, CSR_MTVEC, T0);
	as_load(as, T0, G_NEXT_TIME, GP);
	as_lui(as, T1, MTIMECMP_UPPER);
	as_store(as, T0, 0, T1);
	if (as->xlen == 32)
		as_store(as, ZERO, 4, T1);
	as_li(as, T0, 0x80);
	as_csr_write(as, CSR_MIE, T0);
	as_csr_set(as, CSR_MSTATUS, 8);
	as_call(as, main);

	as_object(as, "counter", PROGRAM_DATA + G_COUNTER, 8);
	as_object(as, "seldom", PROGRAM_DATA + G_SELDOM, 8);
	as_object(as, "ticks", PROGRAM_DATA + G_TICKS, 8);
	as_object(as, "traps", PROGRAM_DATA + G_TRAPS, 8);
	as_object(as, "sparse", SPARSE, PROGRAM_SPARSE_SIZE);
	add_region(program, "globals", PROGRAM_DATA, PROGRAM_DATA_SIZE);
	add_region(program, "sparse", SPARSE, PROGRAM_SPARSE_SIZE);
}

/* Interpreter -------------------------------------------------------------------------------- */

enum bytecode {
	B_PUSH,
	B_LOAD,
	B_STORE,
	B_ADD,
	B_XOR,
	B_MUL,
	B_SHIFT,
	B_GET,
	B_PUT,
	B_LOOP,
	B_NATIVE,
	B_SYSTEM,
	B_AGAIN,
	B_COUNT
};

static const char *const handler_names[B_COUNT] = {"do_push", "do_load", "do_store", "do_add",
	"do_xor", "do_mul", "do_shift", "do_get", "do_put", "do_loop", "do_native", "do_system",
	"do_again"};

/* An endless loop: a counted one over an array of words, a call and a trap. */
static const uint8_t bytecode[] = {
	B_PUSH,
	200,
	B_STORE,
	0, /* n = 200 */
	B_LOAD,
	1,
	B_PUSH,
	5,
	B_MUL,
	0,
	B_PUSH,
	3,
	B_ADD,
	0,
	B_STORE,
	1, /* loop: a = 5 a + 3 */
	B_LOAD,
	2,
	B_LOAD,
	1,
	B_SHIFT,
	7,
	B_XOR,
	0,
	B_STORE,
	2, /* b ^= a >> 7 */
	B_LOAD,
	2,
	B_LOAD,
	1,
	B_SHIFT,
	3,
	B_PUT,
	0, /* words[a >> 3] = b */
	B_LOAD,
	3,
	B_LOAD,
	2,
	B_GET,
	0,
	B_ADD,
	0,
	B_STORE,
	3, /* c += words[b] */
	B_LOAD,
	0,
	B_PUSH,
	255,
	B_ADD,
	1,
	B_STORE,
	0, /* n += -1, see do_add */
	B_LOAD,
	0,
	B_LOOP,
	52, /* if n != 0: loop */
	B_LOAD,
	3,
	B_NATIVE,
	0,
	B_STORE,
	4, /* d = native(c) */
	B_SYSTEM,
	0,
	B_AGAIN,
	0,
};

/* Operands of a binary operation: t2 on top, t3 below it; s1 is left behind t3. */
static void pop_two(struct assembler *as)
{
	as_lw(as, T2, -4, S1);
	as_lw(as, T3, -8, S1);
	as_addi(as, S1, S1, -4);
}

static void build_handler(
	struct program *program, enum bytecode code, unsigned dispatch, unsigned native)
{
	struct assembler *as = &program->as;
	unsigned label = as_label(as);

	as_function(as, label, handler_names[code]);
	put_entry(program, G_TABLE, code, as_address_of(as, label));
	switch (code) {
	case B_PUSH:
		as_sw(as, T1, 0, S1);
		as_addi(as, S1, S1, 4);
		break;
	case B_LOAD:
		as_slli(as, T1, T1, 2);
		as_op(as, AS_ADD, T1, T1, S2);
		as_lw(as, T1, 0, T1);
		as_sw(as, T1, 0, S1);
		as_addi(as, S1, S1, 4);
		break;
	case B_STORE:
		as_addi(as, S1, S1, -4);
		as_lw(as, T2, 0, S1);
		as_slli(as, T1, T1, 2);
		as_op(as, AS_ADD, T1, T1, S2);
		as_sw(as, T2, 0, T1);
		break;
	case B_ADD: /* with argument 1 the upper operand is a signed byte */
		pop_two(as);
		as_slli(as, T1, T1, 8);
		as_op(as, AS_SUB, T2, T2, T1);
		as_op(as, AS_ADD, T2, T2, T3);
		as_sw(as, T2, -4, S1);
		break;
	case B_XOR:
		pop_two(as);
		as_op(as, AS_XOR, T2, T2, T3);
		as_sw(as, T2, -4, S1);
		break;
	case B_MUL:
		pop_two(as);
		as_op(as, AS_MUL, T2, T2, T3);
		as_sw(as, T2, -4, S1);
		break;
	case B_SHIFT:
		as_lw(as, T2, -4, S1);
		as_op(as, AS_SRL, T2, T2, T1);
		as_sw(as, T2, -4, S1);
		break;
	case B_GET:
		as_lw(as, T2, -4, S1);
		as_andi(as, T2, T2, WORDS_COUNT - 1);
		as_slli(as, T2, T2, 2);
		as_op(as, AS_ADD, T2, T2, S4);
		as_lw(as, T2, 0, T2);
		as_sw(as, T2, -4, S1);
		break;
	case B_PUT:
		pop_two(as);
		as_addi(as, S1, S1, -4);
		as_andi(as, T2, T2, WORDS_COUNT - 1);
		as_slli(as, T2, T2, 2);
		as_op(as, AS_ADD, T2, T2, S4);
		as_sw(as, T3, 0, T2);
		break;
	case B_LOOP:
		as_addi(as, S1, S1, -4);
		as_lw(as, T2, 0, S1);
		as_branch(as, AS_EQ, T2, ZERO, dispatch);
		as_op(as, AS_SUB, S0, S0, T1);
		break;
	case B_NATIVE:
		as_lw(as, A0, -4, S1);
		as_call(as, native);
		as_sw(as, A0, -4, S1);
		break;
	case B_SYSTEM: as_ecall(as); break;
	default: as_la(as, S0, PROGRAM_DATA + G_BYTECODE); break;
	}
	as_jump(as, dispatch);
}

/* a0 = a0 and 16 words of the array, mixed; counts its calls. */
static void build_native(struct assembler *as, unsigned label)
{
	unsigned loop = as_label(as);

	as_function(as, label, "native");
	as_addi(as, SP, SP, -16);
	as_sw(as, RA, 12, SP);
	as_sw(as, S0, 8, SP);
	add_to(as, G_COUNTER, T0, 1);
	as_li(as, S0, 16);
	as_mv(as, T1, S4);
	as_here(as, loop);
	as_lw(as, T2, 0, T1);
	as_op(as, AS_XOR, A0, A0, T2);
	as_slli(as, T2, A0, 5);
	as_op(as, AS_ADD, A0, A0, T2);
	as_addi(as, T1, T1, 4);
	as_addi(as, S0, S0, -1);
	as_branch(as, AS_NE, S0, ZERO, loop);
	as_lw(as, S0, 8, SP);
	as_lw(as, RA, 12, SP);
	as_addi(as, SP, SP, 16);
	as_return(as);
}

static void build_interpreter(struct program *program, unsigned main)
{
	struct assembler *as = &program->as;
	unsigned dispatch = as_label(as), native = as_label(as);

	memcpy(program->data + G_BYTECODE, bytecode, sizeof(bytecode));
	build_native(as, native);
	as_function(as, main, "main");
	as_la(as, S0, PROGRAM_DATA + G_BYTECODE);
	as_la(as, S1, VALUES);
	as_la(as, S2, VARIABLES);
	as_la(as, S3, PROGRAM_DATA + G_TABLE);
	as_la(as, S4, WORDS);
	as_load(as, T0, G_SEED, GP);
	as_sw(as, T0, 4, S2);
	as_here(as, dispatch);
	as_lbu(as, T0, 0, S0);
	as_lbu(as, T1, 1, S0);
	as_addi(as, S0, S0, 2);
	as_slli(as, T0, T0, 2);
	as_op(as, AS_ADD, T0, T0, S3);
	as_lw(as, T0, 0, T0);
	as_jump_register(as, T0);
	for (int code = 0; code < B_COUNT; code++)
		build_handler(program, (enum bytecode)code, dispatch, native);
	as_object(as, "bytecode", PROGRAM_DATA + G_BYTECODE, sizeof(bytecode));
	as_object(as, "handlers", PROGRAM_DATA + G_TABLE, (uint64_t)4 * B_COUNT);
	as_object(as, "variables", VARIABLES, 32);
	as_object(as, "values", VALUES, 64);
	as_object(as, "words", WORDS, (uint64_t)4 * WORDS_COUNT);
	add_region(program, "variables", VARIABLES, 0x1000);
	add_region(program, "words", WORDS, (uint64_t)4 * WORDS_COUNT);
}

/* Stream -------------------------------------------------------------------------------------- */

/* Three arrays of so many bytes: the first is filled with a sequence of the seed, then again and
 * again: one becomes three times another plus the third, and they change places.
 */
static void build_stream(struct program *program, unsigned main, uint64_t records)
{
	struct assembler *as = &program->as;
	unsigned fill = as_label(as), again = as_label(as), loop = as_label(as);
	uint64_t size = records / 8 & ~UINT64_C(4095);

	size = size < 4096 ? 4096 : size > ARRAY_MAX ? ARRAY_MAX : size;
	program->array_size = size;
	put_data(program, G_TABLE, size);
	as_function(as, main, "main");
	as_load(as, S3, G_TABLE, GP);
	for (unsigned i = 0; i < 3; i++)
		as_la(as, S4 + i, PROGRAM_ARRAYS + i * size);
	as_load(as, T0, G_SEED, GP);
	as_mv(as, S0, S4);
	as_op(as, AS_ADD, S8, S4, S3);
	as_li(as, T1, 0x19660D);
	as_here(as, fill);
	as_op(as, AS_MUL, T0, T0, T1);
	as_addi(as, T0, T0, 1013);
	as_store(as, T0, 0, S0);
	as_addi(as, S0, S0, 8);
	as_branch(as, AS_NE, S0, S8, fill);
	as_here(as, again);
	as_mv(as, S0, S4);
	as_mv(as, S1, S5);
	as_mv(as, S2, S6);
	as_op(as, AS_ADD, S8, S4, S3);
	as_here(as, loop);
	as_load(as, T0, 0, S0);
	as_load(as, T1, 0, S1);
	as_slli(as, T2, T0, 1);
	as_op(as, AS_ADD, T0, T0, T2);
	as_op(as, AS_ADD, T0, T0, T1);
	as_store(as, T0, 0, S2);
	as_addi(as, S0, S0, 8);
	as_addi(as, S1, S1, 8);
	as_addi(as, S2, S2, 8);
	as_branch(as, AS_NE, S0, S8, loop);
	add_to(as, G_COUNTER, T0, 1);
	as_csr_write(as, CSR_MSCRATCH, S4);
	as_ecall(as);
	as_mv(as, T0, S4);
	as_mv(as, S4, S6);
	as_mv(as, S6, S5);
	as_mv(as, S5, T0);
	as_jump(as, again);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = {"array_a", "array_b", "array_c"};
		as_object(as, names[i], PROGRAM_ARRAYS + i * size, size);
		add_region(program, names[i], PROGRAM_ARRAYS + i * size, size);
	}
}

/* Calls --------------------------------------------------------------------------------------- */

/* a0 = a function of a1, by jumping on to another one in the last. */
static void build_leaves(struct program *program)
{
	struct assembler *as = &program->as;
	unsigned first = 0;

	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[] = {"leaf_a", "leaf_b", "leaf_c", "leaf_tail"};
		unsigned label = as_label(as);

		as_function(as, label, names[i]);
		put_entry(program, G_TABLE, i, as_address_of(as, label));
		as_slli(as, A0, A1, i + 1);
		as_op(as, AS_XOR, A0, A0, A1);
		if (i == 0)
			first = label;
		if (i == 3)
			as_jump(as, first);
		else
			as_return(as);
	}
}

/* walk(a0: depth, a1: number): calls itself once, now and then twice; at the end a leaf through a
 * table of addresses.
 */
static void build_walk(struct assembler *as, unsigned walk)
{
	unsigned bottom = as_label(as), once = as_label(as);

	as_function(as, walk, "walk");
	as_branch(as, AS_EQ, A0, ZERO, bottom);
	as_addi(as, SP, SP, -32);
	as_store(as, RA, 24, SP);
	as_store(as, S0, 16, SP);
	as_store(as, S1, 8, SP);
	as_mv(as, S0, A0);
	as_mv(as, S1, A1);
	as_addi(as, A0, A0, -1);
	as_slli(as, T0, A1, 3);
	as_op(as, AS_ADD, A1, A1, T0);
	as_addi(as, A1, A1, 7);
	as_call(as, walk);
	as_andi(as, T0, S1, 56);
	as_branch(as, AS_NE, T0, ZERO, once);
	as_op(as, AS_XOR, A1, A0, S1);
	as_srli(as, A0, S0, 3);
	as_call(as, walk);
	as_here(as, once);
	as_op(as, AS_ADD, A0, A0, S0);
	as_load(as, S1, 8, SP);
	as_load(as, S0, 16, SP);
	as_load(as, RA, 24, SP);
	as_addi(as, SP, SP, 32);
	as_return(as);

	as_here(as, bottom);
	as_addi(as, SP, SP, -16);
	as_store(as, RA, 8, SP);
	as_andi(as, T0, A1, 24);
	as_op(as, AS_ADD, T0, T0, GP);
	as_load(as, T0, G_TABLE, T0);
	as_call_register(as, T0);
	as_load(as, RA, 8, SP);
	as_addi(as, SP, SP, 16);
	as_return(as);
}

static void build_calls(struct program *program, unsigned main)
{
	struct assembler *as = &program->as;
	unsigned walk = as_label(as), loop = as_label(as), flat = as_label(as);

	build_leaves(program);
	build_walk(as, walk);
	as_function(as, main, "main");
	as_load(as, S2, G_SEED, GP);
	as_li(as, S3, 0x19660D);
	as_here(as, loop);
	add_to(as, G_COUNTER, S4, 1);
	as_op(as, AS_MUL, S2, S2, S3);
	as_addi(as, S2, S2, 1013);
	as_srli(as, A1, S2, 13);
	as_andi(as, A0, A1, 15);
	as_andi(as, T0, S4, 15);
	as_branch(as, AS_NE, T0, ZERO, flat);
	as_andi(as, A0, A1, 2047); /* every 16th time up to 2000 frames deep */
	as_ecall(as);
	as_here(as, flat);
	as_call(as, walk);
	as_jump(as, loop);
	as_object(as, "leaves", PROGRAM_DATA + G_TABLE, 32);
	add_region(program, "stack", PROGRAM_TOP - 0x12000, 0x12000);
}

/* Table --------------------------------------------------------------------------------------- */

/* Changes of random entries, and of the counter after each. */
static void build_table(struct program *program, unsigned main)
{
	struct assembler *as = &program->as;
	unsigned loop = as_label(as), update = as_label(as);

	as_function(as, update, "update");
	as_load(as, T0, 0, A0);
	as_slli(as, T1, T0, 2);
	as_op(as, AS_ADD, T0, T0, T1);
	as_op(as, AS_ADD, T0, T0, A1);
	as_store(as, T0, 0, A0);
	as_return(as);

	as_function(as, main, "main");
	as_load(as, S2, G_SEED, GP);
	as_li(as, S3, 0x19660D);
	as_la(as, S5, TABLE);
	as_li(as, S6, TABLE_SIZE - 8);
	as_here(as, loop);
	as_op(as, AS_MUL, S2, S2, S3);
	as_addi(as, S2, S2, 1013);
	as_srli(as, A1, S2, 9);
	as_op(as, AS_AND, A0, A1, S6);
	as_op(as, AS_ADD, A0, A0, S5);
	as_call(as, update);
	add_to(as, G_COUNTER, T0, 1);
	as_andi(as, T1, T0, 2047);
	as_branch(as, AS_NE, T1, ZERO, loop);
	as_csr_write(as, CSR_MSCRATCH, T0);
	as_ecall(as);
	as_jump(as, loop);
	as_object(as, "table", TABLE, TABLE_SIZE);
	add_region(program, "table", TABLE, TABLE_SIZE);
}

int program_build(struct program *program, const char *name, uint64_t records, uint64_t seed)
{
	static const char *const names[] = {"interpreter", "stream", "calls", "table"};
	size_t which = 0;

	while (which < 4 && strcmp(names[which], name) != 0)
		which++;
	if (which == 4)
		return -1;
	memset(program, 0, sizeof(*program));
	program->name = names[which];
	as_init(&program->as, which == 0 ? 32 : 64, PROGRAM_CODE);
	unsigned main = as_label(&program->as);
	choose_times(program, records, seed);
	build_runtime(program, main);
	switch (which) {
	case 0: build_interpreter(program, main); break;
	case 1: build_stream(program, main, records); break;
	case 2: build_calls(program, main); break;
	default: build_table(program, main); break;
	}
	as_finish(&program->as);
	program->memory_size = PROGRAM_ARRAYS - PROGRAM_CODE + 3 * program->array_size;
	return 0;
}
