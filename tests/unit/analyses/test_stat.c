/* Runs in numbers: which of them the hash distinguishes. What is counted is held against another
 * count by tests/e2e/test_stat.py, parts by test_analysis.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/stat/stat.h"

static uint64_t hash_of(const struct ear_record *first, const struct ear_record *second)
{
	const struct ear_analysis_setup setup = {.options = NULL};
	const struct ear_batch batches[] = {
		{.size = sizeof(struct ear_batch), .count = 1, .record = first},
		{.size = sizeof(struct ear_batch), .count = 1, .record = second}};
	void *count;

	assert_int_equal(ear_stat_analysis.create(&count, &setup), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(ear_stat_analysis.batch(count, &batches[i]), 0);
	const uint64_t hash = ear_stat_numbers(count)->hash;
	ear_stat_analysis.free(count);
	return hash;
}

/* Order, harts, values, accesses: each of them counts. */
static void the_hash_distinguishes_runs(void **state)
{
	struct ear_record_register regs[2] = {{.number = 5, .value = 1}, {.number = 5, .value = 2}};
	struct ear_record_access accesses[2] = {{.address = 16, .size = 4, .has_value = true},
		{.address = 16, .size = 4, .has_value = true, .write = true}};
	const struct ear_record records[] = {
		{.pc = 0x100, .opcode = 0x13, .opcode_size = 4, .xlen = 32},
		{.pc = 0x104, .opcode = 0x13, .opcode_size = 4, .xlen = 32},
		{.pc = 0x100, .opcode = 0x93, .opcode_size = 4, .xlen = 32},
		{.pc = 0x100, .opcode = 0x13, .opcode_size = 4, .xlen = 32, .hart = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.registers = &regs[0],
			.register_count = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.registers = &regs[1],
			.register_count = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.memory = &accesses[0],
			.memory_count = 1},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.memory = &accesses[1],
			.memory_count = 1},
		{.pc = 0x100, .opcode = 0x13, .xlen = 32, .flags = EAR_RECORD_TRAP},
		{.pc = 0x100, .opcode = 0x13, .xlen = 32, .flags = EAR_RECORD_TRAP, .cause = 2},
		{.pc = 0x100,
			.opcode = 0x13,
			.xlen = 32,
			.flags = EAR_RECORD_INTERRUPT,
			.cause = 2},
	};
	enum { COUNT = sizeof(records) / sizeof(records[0]) };
	uint64_t hashes[COUNT * COUNT];

	(void)state;
	for (size_t i = 0; i < COUNT * COUNT; i++) {
		hashes[i] = hash_of(&records[i / COUNT], &records[i % COUNT]);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(hashes[i], hashes[j]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hash_distinguishes_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
