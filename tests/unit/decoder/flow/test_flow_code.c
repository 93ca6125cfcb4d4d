/* The table of a program's instructions: kinds and links, ranges that overlap and touch. */
#include "check.h"
#include "random.h"

#include <earshot/error.h>
#include <stdio.h>

#include "decoder/flow/flow_code.h"
#include "decoder/flow/return_stack.h"

#define BASE UINT64_C(0x80000000)

static void put_opcode(uint8_t *bytes, uint32_t opcode)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(opcode >> 8 * i);
}

static struct ear_flow_code *code_of(
	uint64_t address, const uint8_t *bytes, size_t size, unsigned xlen)
{
	struct ear_flow_code *code;

	assert_int_equal(ear_flow_code_new(&code), 0);
	assert_int_equal(ear_flow_code_add(code, address, bytes, size), 0);
	assert_int_equal(ear_flow_code_finish(code, xlen), 0);
	return code;
}

/* One row an instruction; target: of a branch or jump at BASE, or the value of an upper one. */
static const struct {
	const char *name;
	uint32_t opcode;
	unsigned xlens; /* 32 | 64 */
	enum ear_flow_kind kind;
	unsigned link;
	unsigned rd, rs1;
	uint64_t target;
} rows[] = {
	{"beq x1, x2, 8", 0x00208463, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE + 8},
	{"bne x1, x2, 8", 0x00209463, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE + 8},
	{"blt x1, x2, -4", 0xfe20cee3, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE - 4},
	{"bge x1, x2, 8", 0x0020d463, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE + 8},
	{"bltu x1, x2, 8", 0x0020e463, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE + 8},
	{"bgeu x1, x2, 8", 0x0020f463, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE + 8},
	{"c.beqz x8, 8", 0xc401, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE + 8},
	{"c.bnez x8, 8", 0xe401, 96, EAR_FLOW_BRANCH, 0, 0, 0, BASE + 8},
	{"jal x0, 16", 0x0100006f, 96, EAR_FLOW_JUMP, 0, 0, 0, BASE + 16},
	{"jal x1, 16", 0x010000ef, 96, EAR_FLOW_JUMP, EAR_FLOW_CALL | EAR_FLOW_CALL_X1, 1, 0,
		BASE + 16},
	{"jal x5, 16", 0x010002ef, 96, EAR_FLOW_JUMP, EAR_FLOW_CALL, 5, 0, BASE + 16},
	{"jal x10, 16", 0x0100056f, 96, EAR_FLOW_JUMP, 0, 10, 0, BASE + 16},
	{"c.j 16", 0xa801, 96, EAR_FLOW_JUMP, 0, 0, 0, BASE + 16},
	{"c.jal 16", 0x2801, 32, EAR_FLOW_JUMP, EAR_FLOW_CALL | EAR_FLOW_CALL_X1, 1, 0, BASE + 16},
	{"c.addiw x16, 0", 0x2801, 64, EAR_FLOW_OTHER, 0, 0, 0, 0},
	{"jalr x0, 256(x0)", 0x10000067, 96, EAR_FLOW_JUMP, EAR_FLOW_ABSOLUTE, 0, 0, 256},
	{"jalr x1, -4(x0)", 0xffc000e7, 96, EAR_FLOW_JUMP,
		EAR_FLOW_ABSOLUTE | EAR_FLOW_CALL | EAR_FLOW_CALL_X1, 1, 0, UINT64_MAX - 3},
	{"jalr x0, 0(x10)", 0x00050067, 96, EAR_FLOW_INDIRECT, 0, 0, 10, 0},
	{"jalr x0, 0(x1)", 0x00008067, 96, EAR_FLOW_INDIRECT, EAR_FLOW_RETURN | EAR_FLOW_RETURN_X1,
		0, 1, 0},
	{"jalr x0, 0(x5)", 0x00028067, 96, EAR_FLOW_INDIRECT, EAR_FLOW_RETURN, 0, 5, 0},
	{"jalr x6, 0(x1)", 0x00008367, 96, EAR_FLOW_INDIRECT, EAR_FLOW_RETURN, 6, 1, 0},
	{"jalr x1, 0(x10)", 0x000500e7, 96, EAR_FLOW_INDIRECT, EAR_FLOW_CALL | EAR_FLOW_CALL_X1, 1,
		10, 0},
	{"jalr x5, 0(x1)", 0x000082e7, 96, EAR_FLOW_INDIRECT, EAR_FLOW_CALL | EAR_FLOW_RETURN, 5, 1,
		0},
	{"jalr x1, 0(x5)", 0x000280e7, 96, EAR_FLOW_INDIRECT,
		EAR_FLOW_CALL | EAR_FLOW_RETURN | EAR_FLOW_CALL_X1, 1, 5, 0},
	{"jalr x1, 0(x1)", 0x000080e7, 96, EAR_FLOW_INDIRECT, EAR_FLOW_CALL | EAR_FLOW_CALL_X1, 1,
		1, 0},
	{"c.jr x1", 0x8082, 96, EAR_FLOW_INDIRECT, EAR_FLOW_RETURN | EAR_FLOW_RETURN_X1, 0, 1, 0},
	{"c.jr x5", 0x8282, 96, EAR_FLOW_INDIRECT, EAR_FLOW_RETURN, 0, 5, 0},
	{"c.jr x10", 0x8502, 96, EAR_FLOW_INDIRECT, 0, 0, 10, 0},
	{"c.jalr x10", 0x9502, 96, EAR_FLOW_INDIRECT, EAR_FLOW_CALL | EAR_FLOW_CALL_X1, 1, 10, 0},
	{"c.jalr x5", 0x9282, 96, EAR_FLOW_INDIRECT,
		EAR_FLOW_CALL | EAR_FLOW_RETURN | EAR_FLOW_CALL_X1, 1, 5, 0},
	{"c.jalr x1", 0x9082, 96, EAR_FLOW_INDIRECT, EAR_FLOW_CALL | EAR_FLOW_CALL_X1, 1, 1, 0},
	{"mret", 0x30200073, 96, EAR_FLOW_TRAP_RETURN, 0, 0, 0, 0},
	{"sret", 0x10200073, 96, EAR_FLOW_TRAP_RETURN, 0, 0, 0, 0},
	{"uret", 0x00200073, 96, EAR_FLOW_TRAP_RETURN, 0, 0, 0, 0},
	{"dret", 0x7b200073, 96, EAR_FLOW_TRAP_RETURN, 0, 0, 0, 0},
	{"mnret", 0x70200073, 96, EAR_FLOW_TRAP_RETURN, 0, 0, 0, 0},
	{"lui x10, 0x12345", 0x12345537, 96, EAR_FLOW_UPPER, EAR_FLOW_ABSOLUTE, 10, 0, 0x12345000},
	{"lui x10, 0x80000", 0x80000537, 96, EAR_FLOW_UPPER, EAR_FLOW_ABSOLUTE, 10, 0,
		UINT64_C(0xffffffff80000000)},
	{"c.lui x10, 1", 0x6505, 96, EAR_FLOW_UPPER, EAR_FLOW_ABSOLUTE, 10, 0, 0x1000},
	{"c.lui x10, -1", 0x757d, 96, EAR_FLOW_UPPER, EAR_FLOW_ABSOLUTE, 10, 0,
		UINT64_C(0xfffffffffffff000)},
	{"auipc x6, 2", 0x00002317, 96, EAR_FLOW_UPPER, 0, 6, 0, BASE + 0x2000},
	{"c.addi16sp 16", 0x6141, 96, EAR_FLOW_OTHER, 0, 0, 0, 0},
	{"ecall", 0x00000073, 96, EAR_FLOW_TRAPS, 0, 0, 0, 0},
	{"ebreak", 0x00100073, 96, EAR_FLOW_TRAPS, 0, 0, 0, 0},
	{"c.ebreak", 0x9002, 96, EAR_FLOW_TRAPS, 0, 0, 0, 0},
	{"the halfword 0", 0x0000, 96, EAR_FLOW_TRAPS, 0, 0, 0, 0},
	{"wfi", 0x10500073, 96, EAR_FLOW_OTHER, 0, 0, 0, 0},
	{"addi", 0x00150513, 96, EAR_FLOW_OTHER, 0, 0, 0, 0},
	{"c.mv x10, x11", 0x852e, 96, EAR_FLOW_OTHER, 0, 0, 0, 0},
	{"c.add x10, x11", 0x952e, 96, EAR_FLOW_OTHER, 0, 0, 0, 0},
	{"vadd.vv", 0x022180d7, 96, EAR_FLOW_OTHER, 0, 0, 0, 0},
	{"custom-0", 0x0000000b, 96, EAR_FLOW_OTHER, 0, 0, 0, 0},
};

static void each_instruction_has_its_kind_and_links(void **state)
{
	(void)state;

	for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
		unsigned xlen = i % 2 ? 64 : 32;
		uint8_t bytes[4];
		struct ear_flow_range range = {0};

		if (!(rows[i / 2].xlens & xlen))
			continue;
		put_opcode(bytes, rows[i / 2].opcode);
		size_t size = (rows[i / 2].opcode & 3) == 3 ? 4 : 2;
		struct ear_flow_code *code = code_of(BASE, bytes, size, xlen);
		const struct ear_flow_instruction *found = ear_flow_code_at(code, &range, BASE);
		if (!found || found->kind != rows[i / 2].kind || found->link != rows[i / 2].link ||
			found->rd != rows[i / 2].rd || found->rs1 != rows[i / 2].rs1)
			fail_msg("%s of RV%u", rows[i / 2].name, xlen);
		assert_int_equal(found->size, size);
		assert_int_equal(found->opcode, rows[i / 2].opcode);
		if (rows[i / 2].target)
			assert_int_equal(ear_flow_target(found, BASE), rows[i / 2].target);
		ear_flow_code_free(code);
	}
}

static void a_jump_with_a_base_has_its_immediate(void **state)
{
	(void)state;
	uint8_t bytes[4];
	struct ear_flow_range range = {0};

	put_opcode(bytes, 0xff4302e7); /* jalr x5, -12(x6) */
	struct ear_flow_code *code = code_of(BASE, bytes, 4, 32);
	const struct ear_flow_instruction *found = ear_flow_code_at(code, &range, BASE);
	assert_non_null(found);
	assert_int_equal(found->offset, -12);
	assert_int_equal(found->rs1, 6);
	ear_flow_code_free(code);
}

/* Up to the next instruction that may not go to the one after it, or the end of the code. */
static void a_straight_piece_is_measured(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0x13, 0, 0, 0, 0x01, 0, 0x37, 0x15, 0,
		0,                                            /* nop c.nop lui */
		0x01, 0xa8, 0x01, 0, 0x13, 0, 0, 0, 0x13, 0}; /* c.j, c.nop, nop, half of one */
	static const unsigned expected[] = {5, 0, 3, 2, 0, 0, 3, 2, 0, 0};
	struct ear_flow_range range = {0};
	struct ear_flow_code *code = code_of(BASE, bytes, sizeof(bytes), 32);
	static uint8_t many[4 * 40000];

	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		const struct ear_flow_instruction *found =
			ear_flow_code_at(code, &range, BASE + 2 * i);
		assert_int_equal(found ? found->straight : 0, expected[i]);
	}
	ear_flow_code_free(code);
	for (size_t i = 0; i < sizeof(many); i += 4)
		many[i] = 0x13;
	code = code_of(0, many, sizeof(many), 32);
	range = (struct ear_flow_range){0};
	uint64_t at = 0, pieces = 0;
	for (; at < sizeof(many); pieces++) {
		const struct ear_flow_instruction *found = ear_flow_code_at(code, &range, at);
		assert_non_null(found);
		assert_above(found->straight, 1);
		assert_int_equal(found->straight % 2, 0);
		at += 2 * (uint64_t)found->straight;
	}
	assert_int_equal(at, sizeof(many));
	assert_at_most(pieces, 3);
	ear_flow_code_free(code);
}

static void outside_of_the_code_there_is_nothing(void **state)
{
	(void)state;
	uint8_t bytes[8] = {0x13, 0, 0, 0, 0x01, 0, 0x13, 0}; /* nop, c.nop, half of a nop */
	struct ear_flow_range range = {0};
	struct ear_flow_code *code = code_of(BASE, bytes, sizeof(bytes), 32);

	assert_non_null(ear_flow_code_at(code, &range, BASE));
	assert_non_null(ear_flow_code_at(code, &range, BASE + 4));
	assert_null(ear_flow_code_at(code, &range, BASE + 6)); /* it ends outside */
	assert_null(ear_flow_code_at(code, &range, BASE + 8));
	assert_null(ear_flow_code_at(code, &range, BASE - 2));
	assert_null(ear_flow_code_at(code, &range, BASE + 1));
	assert_null(ear_flow_code_at(code, &range, 0));
	assert_null(ear_flow_code_at(code, &range, UINT64_MAX));
	assert_null(ear_flow_code_at(NULL, &(struct ear_flow_range){0}, BASE));
	ear_flow_code_free(code);
	ear_flow_code_free(NULL);
}

static void an_opcode_of_more_than_four_bytes_is_none(void **state)
{
	(void)state;
	uint8_t bytes[8] = {0x1f, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
	struct ear_flow_range range = {0};
	struct ear_flow_code *code = code_of(0, bytes, sizeof(bytes), 64);

	assert_null(ear_flow_code_at(code, &range, 0));
	assert_null(ear_flow_code_at(code, &range, 4));
	ear_flow_code_free(code);
}

/* An instruction of 4 bytes that begins in one range and ends in the next; an odd range. */
static void ranges_that_touch_are_one(void **state)
{
	(void)state;
	uint8_t bytes[4];
	struct ear_flow_range range = {0};
	struct ear_flow_code *code;

	put_opcode(bytes, 0x00150513);
	assert_int_equal(ear_flow_code_new(&code), 0);
	assert_int_equal(ear_flow_code_add(code, BASE + 3, bytes + 3, 1), 0);
	assert_int_equal(ear_flow_code_add(code, BASE + 9, bytes, 3), 0);
	assert_int_equal(ear_flow_code_add(code, BASE, bytes, 3), 0);
	assert_int_equal(ear_flow_code_finish(code, 32), 0);
	const struct ear_flow_instruction *found = ear_flow_code_at(code, &range, BASE);
	assert_non_null(found);
	assert_int_equal(found->opcode, 0x00150513);
	assert_int_equal(range.size, 4);
	found = ear_flow_code_at(code, &range, BASE + 10);
	assert_non_null(found); /* 05 15 is c.addi */
	assert_int_equal(found->opcode, 0x1505);
	assert_int_equal(range.size, 2);
	ear_flow_code_free(code);
}

/* Random ranges over a small memory, against an array of bytes. */
static void of_ranges_that_overlap_the_last_one_holds(void **state)
{
	(void)state;
	struct random random = {7};

	for (unsigned round = 0; round < 300; round++) {
		int memory[64];
		struct ear_flow_code *code;
		struct ear_flow_range range = {0};
		uint64_t base = round % 3 == 0 ? UINT64_MAX - 66 : BASE + round % 2;

		for (size_t i = 0; i < COUNT_OF(memory); i++)
			memory[i] = -1;
		assert_int_equal(ear_flow_code_new(&code), 0);
		for (unsigned i = 0; i < 5; i++) {
			uint8_t bytes[64];
			size_t at = random_below(&random, 64),
			       size = random_below(&random, 65 - at);
			for (size_t j = 0; j < size; j++) {
				/* no opcode of 4 bytes, so each halfword is one */
				bytes[j] = (uint8_t)(random_next(&random) >> 32 & 0xfd);
				bytes[j] &= (base + at + j) % 2 ? 0xff : 0xfc;
				memory[at + j] = bytes[j];
			}
			assert_int_equal(ear_flow_code_add(code, base + at, bytes, size), 0);
		}
		assert_int_equal(ear_flow_code_finish(code, 64), 0);
		for (size_t at = base & 1; at + 1 < COUNT_OF(memory); at += 2) {
			const struct ear_flow_instruction *found =
				ear_flow_code_at(code, &range, base + at);
			bool there = memory[at] >= 0 && memory[at + 1] >= 0;
			assert_int_equal(found != NULL, there);
			if (found)
				assert_int_equal(found->opcode, memory[at] | memory[at + 1] << 8);
		}
		ear_flow_code_free(code);
	}
}

static void too_much_code_is_refused(void **state)
{
	(void)state;
	uint8_t *bytes = calloc(1, EAR_FLOW_CODE_MAX);
	struct ear_flow_code *code;

	assert_non_null(bytes);
	assert_int_equal(ear_flow_code_new(&code), 0);
	assert_int_equal(ear_flow_code_add(code, UINT64_MAX - 2, bytes, 4), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_flow_code_add(code, 0, bytes, EAR_FLOW_CODE_MAX + 1), EAR_E_FULL);
	assert_int_equal(ear_flow_code_add(code, 0, bytes, EAR_FLOW_CODE_MAX - 1), 0);
	assert_int_equal(ear_flow_code_add(code, 0, bytes, 2), EAR_E_FULL);
	ear_flow_code_free(code);
	assert_int_equal(ear_flow_code_new(&code), 0);
	for (unsigned i = 0; i < EAR_FLOW_RANGES_MAX; i++)
		assert_int_equal(ear_flow_code_add(code, 4 * (uint64_t)i, bytes, 1), 0);
	assert_int_equal(ear_flow_code_add(code, 0, bytes, 1), EAR_E_FULL);
	ear_flow_code_free(code);
	free(bytes);
}

/* Random pushes and pops, saved and loaded now and then, against an array that drops its first. */
static void a_full_stack_drops_its_oldest_address(void **state)
{
	(void)state;
	static const uint32_t depths[] = {0, 1, 2, 3, 32, EAR_RETURN_STACK_MAX};
	static struct ear_return_stack stack, loaded;
	static uint8_t bytes[8 * EAR_RETURN_STACK_MAX + 8];
	struct random random = {3};

	for (size_t i = 0; i < COUNT_OF(depths); i++) {
		uint64_t model[EAR_RETURN_STACK_MAX + 1], found = 0;
		size_t count = 0;

		stack = (struct ear_return_stack){.depth = depths[i]};
		for (unsigned step = 0; step < 5000; step++) {
			if (random_below(&random, 5) < 3) {
				uint64_t address = random_next(&random);
				ear_return_stack_push(&stack, address);
				model[count++] = address;
				if (count > depths[i])
					memmove(model, model + 1, --count * sizeof(*model));
			} else if (count > 0) {
				assert_int_equal(ear_return_stack_top(&stack), model[count - 1]);
				assert_true(ear_return_stack_pop(&stack, &found));
				assert_int_equal(found, model[--count]);
			} else {
				assert_false(ear_return_stack_pop(&stack, &found));
			}
			assert_int_equal(stack.count, count);
			if (!random_once_in(&random, 50))
				continue;
			struct ear_state_walk save = {.bytes = bytes, .size = sizeof(bytes)};
			ear_return_stack_walk(&stack, &save);
			struct ear_state_walk load = {
				.bytes = bytes, .size = save.at, .loading = true};
			loaded = (struct ear_return_stack){.depth = depths[i]};
			ear_return_stack_walk(&loaded, &load);
			assert_false(load.bad);
			assert_int_equal(load.at, save.at);
			stack = loaded;
		}
		ear_return_stack_clear(&stack);
		assert_false(ear_return_stack_pop(&stack, &found));
	}
}

static void a_saved_stack_that_is_too_deep_is_refused(void **state)
{
	(void)state;
	static struct ear_return_stack stack = {.depth = 2};
	uint8_t bytes[64] = {3};
	struct ear_state_walk load = {.bytes = bytes, .size = sizeof(bytes), .loading = true};

	ear_return_stack_walk(&stack, &load);
	assert_true(load.bad);
	assert_int_equal(stack.count, 0);
}

/* Of what traps, also that which is no instruction. */
static void bits_that_cannot_be_decoded_are_there(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0xff, 0xff, 0xff, 0xff, 0x13, 0, 0, 0, 0xff, 0xff};
	struct ear_flow_range range = {0};
	struct ear_flow_code *code;

	assert_int_equal(ear_flow_code_new(&code), 0);
	assert_int_equal(ear_flow_code_add(code, 0x1000, bytes, sizeof(bytes)), 0);
	assert_int_equal(ear_flow_code_finish(code, 32), 0);
	assert_null(ear_flow_code_at(code, &range, 0x1000));
	const struct ear_flow_instruction *at = ear_flow_code_bits_at(code, &range, 0x1000);
	assert_non_null(at);
	assert_int_equal(at->opcode, 0xffffffff);
	assert_int_equal(at->bits_size, 4);
	assert_int_equal(ear_flow_code_bits_at(code, &range, 0x1004)->opcode, 0x13);
	assert_null(ear_flow_code_bits_at(code, &range, 0x1001));
	assert_null(ear_flow_code_bits_at(code, &range, 0x1008)); /* cut */
	assert_null(ear_flow_code_bits_at(code, &range, 0x100a));
	ear_flow_code_free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_that_cannot_be_decoded_are_there),
		cmocka_unit_test(each_instruction_has_its_kind_and_links),
		cmocka_unit_test(a_jump_with_a_base_has_its_immediate),
		cmocka_unit_test(a_straight_piece_is_measured),
		cmocka_unit_test(outside_of_the_code_there_is_nothing),
		cmocka_unit_test(an_opcode_of_more_than_four_bytes_is_none),
		cmocka_unit_test(ranges_that_touch_are_one),
		cmocka_unit_test(of_ranges_that_overlap_the_last_one_holds),
		cmocka_unit_test(too_much_code_is_refused),
		cmocka_unit_test(a_full_stack_drops_its_oldest_address),
		cmocka_unit_test(a_saved_stack_that_is_too_deep_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
