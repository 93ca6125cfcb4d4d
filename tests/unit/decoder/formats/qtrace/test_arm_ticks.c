/* Clocks of ARM and Thumb instructions. That they are the emulator's is held against a trace of it
 * in tests/e2e/test_android.py; here is what that trace does not have.
 */
#include "check.h"

#include "decoder/formats/qtrace/arm_ticks.h"

struct row {
	uint32_t opcode;
	unsigned clocks;
};

static void check_arm(const struct row *rows, size_t count)
{
	struct ear_arm_ticks ticks;

	ear_arm_ticks_begin(&ticks);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(ear_arm_ticks_arm(&ticks, rows[i].opcode), rows[i].clocks);
}

static void check_thumb(const struct row *rows, size_t count)
{
	struct ear_arm_ticks ticks;

	ear_arm_ticks_begin(&ticks);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(
			ear_arm_ticks_thumb(&ticks, (uint16_t)rows[i].opcode), rows[i].clocks);
}

#define ARM(...) \
	do { \
		const struct row rows[] = {__VA_ARGS__}; \
		check_arm(rows, sizeof(rows) / sizeof(rows[0])); \
	} while (0)
#define THUMB(...) \
	do { \
		const struct row rows[] = {__VA_ARGS__}; \
		check_thumb(rows, sizeof(rows) / sizeof(rows[0])); \
	} while (0)

static void what_is_loaded_is_there_one_clock_later(void **state)
{
	(void)state;
	ARM({0xE5910000, 1}, {0xE0802002, 2});                  /* ldr r0, [r1]; add r2, r0, r2 */
	ARM({0xE5914000, 1}, {0xE1A03003, 1}, {0xE0842002, 1}); /* with another one between */
	ARM({0xE5910000, 1}, {0xE1A03003, 2});                  /* mov, whose first source is 0 */
	ARM({0xE1D100B0, 1}, {0xE0802002, 1});                  /* ldrh */
	ARM({0xE1D100D0, 1}, {0xE0802002, 3});                  /* ldrsb is two clocks late */
	ARM({0xE591F000, 5});                                   /* ldr pc */
	THUMB({0x6808, 1}, {0x1840, 2});                        /* ldr r0, [r1]; adds r0, r0, r1 */
	THUMB({0x7808, 1}, {0x3001, 3});                        /* ldrb r0, [r1]; adds r0, #1 */
	THUMB({0x4801, 1}, {0x3001, 2});                        /* ldr r0, [pc, #4] */
}

static void lists_take_a_clock_a_register(void **state)
{
	(void)state;
	ARM({0xE92D4010, 2}, {0xE8BD8010, 6}); /* push {r4, lr}; pop {r4, pc} */
	ARM({0xE92D4FF0, 9});
	ARM({0xE8900001, 2},
		{0xE0802002, 1}); /* one register takes two clocks, and is there then */
	THUMB({0xB5F0, 5}, {0xBDF0, 5}, {0xC806, 2});
}

static void multiplications_take_longer(void **state)
{
	(void)state;
	ARM({0xE0000291, 3}); /* mul */
	ARM({0xE0203291, 3}); /* mla */
	ARM({0xE0810392, 4}); /* umull */
	ARM({0xE1020093, 2}); /* swp */
	ARM({0xE1A00312, 2}); /* mov r0, r2, lsl r3 */
}

static void jumps(void **state)
{
	(void)state;
	ARM({0xEA000000, 1}, {0xFA000000, 3}, {0xF57FF05F, 1}, {0xE12FFF1E, 1}, {0xE16F0F10, 1});
	THUMB({0xD000, 3}, {0xDF00, 1}, {0xE000, 3}, {0xF000, 1}, {0xF800, 3}, {0x4770, 3});
	THUMB({0xE800, 3}, {0xE801, 1}, {0xB081, 1});
}

static void a_block_begins_with_all_registers(void **state)
{
	struct ear_arm_ticks ticks;

	(void)state;
	ear_arm_ticks_begin(&ticks);
	assert_int_equal(ear_arm_ticks_arm(&ticks, 0xE5910000), 1);
	ear_arm_ticks_begin(&ticks);
	assert_int_equal(ear_arm_ticks_arm(&ticks, 0xE0802002), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_loaded_is_there_one_clock_later),
		cmocka_unit_test(lists_take_a_clock_a_register),
		cmocka_unit_test(multiplications_take_longer),
		cmocka_unit_test(jumps),
		cmocka_unit_test(a_block_begins_with_all_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
