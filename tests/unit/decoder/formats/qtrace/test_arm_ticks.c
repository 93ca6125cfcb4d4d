/* Clocks of ARM and Thumb instructions, and where their blocks end. That both are the emulator's is
 * held against a trace of it in tests/e2e/test_android.py; here is what that trace does not have.
 */
#include "check.h"

#include "decoder/formats/qtrace/arm_flow.h"
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

static void a_block_ends_where_the_run_may_continue_elsewhere(void **state)
{
	(void)state;
	static const uint32_t ends[] = {
		0x0A000000, 0xEB000000, 0xFA000000, /* beq, bl, blx */
		0xE12FFF1E, 0xE12FFF33, 0xE12FFF21, /* bx, blx, bxj */
		0xE1A0F00E, 0xE08FF100, 0x13A0F000, /* mov, add, movne to the pc */
		0x979FF100, 0xE59FF010, 0xE8BD8010, /* ldrls, ldr, pop */
		0xEF000000, 0xE1200070,             /* svc, bkpt */
		0xE121F000, 0xE321F0D3, 0xF10C0080, /* msr cpsr_c, cpsid */
		0xE320F003, 0xF8BD0A00,             /* wfi, rfe */
		0xEE010F10, 0xEE070F90, 0xEEE10A10, /* mcr p15, vmsr fpscr */
	};
	static const uint32_t continues[] = {
		0xE3A00000, 0xE1A0000F, 0xE15F0001, /* mov r0; mov r0, pc; cmp pc, r1 */
		0xE50FF010, 0xE5900000, 0xE92D8010, /* str pc; ldr r0; push {r4, pc} */
		0xE010F190, 0xE16F0F11, 0xE10F0000, /* muls, clz, mrs */
		0xE1D100B0, 0xE320F000, 0xEE110F10, /* ldrh, nop, mrc */
		0xE3500004, 0xEE300A00, 0xF5D1F000, /* cmp, vadd, pld */
	};
	static const struct {
		uint32_t opcode;
		uint8_t size;
		bool ends;
	} thumb[] = {
		{0xD1FA, 2, true}, {0xDF00, 2, true}, {0xE7FE, 2, true},    /* bne, svc, b */
		{0x4770, 2, true}, {0x4788, 2, true}, {0x46F7, 2, true},    /* bx, blx, mov pc */
		{0x4487, 2, true}, {0xBD10, 2, true}, {0xBE00, 2, true},    /* add pc, pop, bkpt */
		{0xB672, 2, true}, {0xF000F801, 4, true},                   /* cpsid, bl */
		{0xF47FAFFE, 4, true}, {0xE8BD8010, 4, true},               /* bne.w, pop.w */
		{0xE8DFF001, 4, true}, {0xF8DFF004, 4, true},               /* tbb, ldr.w pc */
		{0x1C68, 2, false}, {0x4608, 2, false}, {0x45F8, 2, false}, /* adds, mov, cmp */
		{0xB510, 2, false}, {0xBC10, 2, false}, {0x4801, 2, false}, /* push, pop, ldr */
		{0xB100, 2, true}, {0xEA4F0001, 4, false}, {0xF04F0001, 4, false}, /* cbz, mov.w */
		{0xE92D8010, 4, false}, {0xF8DF1004, 4, false}, /* push.w, ldr.w */
	};

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (!ear_arm_ends_block(ends[i]))
			fail_msg("%08x does not end a block", ends[i]);
	for (size_t i = 0; i < COUNT_OF(continues); i++)
		if (ear_arm_ends_block(continues[i]))
			fail_msg("%08x ends a block", continues[i]);
	for (size_t i = 0; i < COUNT_OF(thumb); i++)
		if (ear_thumb_ends_block(thumb[i].opcode, thumb[i].size) != thumb[i].ends)
			fail_msg("%x: not %d", thumb[i].opcode, thumb[i].ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_loaded_is_there_one_clock_later),
		cmocka_unit_test(lists_take_a_clock_a_register),
		cmocka_unit_test(multiplications_take_longer),
		cmocka_unit_test(jumps),
		cmocka_unit_test(a_block_begins_with_all_registers),
		cmocka_unit_test(a_block_ends_where_the_run_may_continue_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
