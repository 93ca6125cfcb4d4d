/* Which records belong to interrupt handlers. library/compare/handler.h */
#include "check.h"

#include <string.h>

#include "decoder/isa/opcode.h"
#include "library/compare/handler.h"

#define CHECK(condition, ...) \
	do { \
		if (!(condition)) \
			fail_msg(__VA_ARGS__); \
	} while (0)

#define CAUSE_TIMER ((uint64_t)1 << 63 | 7)

static struct ear_handler handler;
static uint64_t next_index;

static bool push(struct ear_record record)
{
	record.kind = EAR_RECORD_INSTRUCTION;
	record.xlen = 64;
	record.index = next_index++;
	record.next_pc = record.pc + 4;
	if (record.opcode == 0)
		record.opcode = 0x13;
	return ear_handler_push(&handler, &record);
}

static bool plain(uint64_t pc, uint8_t privilege)
{
	return push((struct ear_record){.pc = pc, .privilege = privilege});
}

static bool interrupt(uint64_t pc, uint8_t privilege)
{
	return push((struct ear_record){.pc = pc,
		.privilege = privilege,
		.flags = EAR_RECORD_INTERRUPT,
		.cause = CAUSE_TIMER});
}

static bool trap(uint64_t pc, uint8_t privilege)
{
	return push((struct ear_record){
		.pc = pc, .privilege = privilege, .flags = EAR_RECORD_TRAP, .cause = 2});
}

static bool leave(uint64_t pc, uint64_t opcode, uint8_t privilege)
{
	return push((struct ear_record){.pc = pc, .opcode = opcode, .privilege = privilege});
}

static int begin(void **state)
{
	(void)state;
	memset(&handler, 0, sizeof(handler));
	next_index = 0;
	return 0;
}

static void a_handler_lasts_from_its_interrupt_to_its_xret(void **state)
{
	static const uint32_t returns[] = {EAR_OPCODE_MRET, EAR_OPCODE_SRET, EAR_OPCODE_MNRET};

	for (unsigned i = 0; i < 3; i++) {
		begin(state);
		CHECK(!plain(0x100, EAR_PRIVILEGE_M), "return %u", i);
		CHECK(interrupt(0x104, EAR_PRIVILEGE_M), "return %u", i);
		CHECK(plain(0x800, EAR_PRIVILEGE_M), "return %u", i);
		CHECK(leave(0x804, returns[i], EAR_PRIVILEGE_M), "return %u", i);
		CHECK(!plain(0x104, EAR_PRIVILEGE_M), "return %u", i);
		assert_int_equal(handler.statistics.handlers, 1);
		assert_int_equal(handler.statistics.records, 3);
		assert_int_equal(handler.statistics.switched, 0);
		assert_int_equal(handler.statistics.open, 0);
	}
}

static void an_exception_outside_of_a_handler_is_none(void **state)
{
	(void)state;
	CHECK(!trap(0x100, EAR_PRIVILEGE_U), "the exception");
	CHECK(!plain(0x800, EAR_PRIVILEGE_M), "its handler");
	CHECK(interrupt(0x804, EAR_PRIVILEGE_M), "an interrupt in it");
	CHECK(plain(0x900, EAR_PRIVILEGE_M), "the handler of that");
	CHECK(leave(0x904, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "its xRET");
	CHECK(!leave(0x804, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "that of the exception");
	CHECK(!plain(0x104, EAR_PRIVILEGE_U), "the program");
}

static void each_trap_inside_takes_an_xret_more(void **state)
{
	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_M), "outer");
	CHECK(trap(0x800, EAR_PRIVILEGE_M), "an exception in it");
	CHECK(interrupt(0x900, EAR_PRIVILEGE_M), "an interrupt in its handler");
	CHECK(plain(0x800, EAR_PRIVILEGE_M), "inner");
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t to[] = {0x900, 0x804, 0x100};
		CHECK(leave(0xa00, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "xRET %u", i);
		CHECK(plain(to[i], EAR_PRIVILEGE_M) == (i < 2), "after xRET %u", i);
	}
	assert_int_equal(handler.statistics.handlers, 2);
	assert_int_equal(handler.statistics.switched, 0);
}

static void an_xret_that_traps_is_a_trap(void **state)
{
	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_U), "the interrupt");
	CHECK(push((struct ear_record){.pc = 0x800,
		      .opcode = EAR_OPCODE_MRET,
		      .privilege = EAR_PRIVILEGE_S,
		      .flags = EAR_RECORD_TRAP,
		      .cause = 2}),
		"mret in S mode");
	CHECK(leave(0xa00, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "the handler of that");
	CHECK(leave(0x804, EAR_OPCODE_SRET, EAR_PRIVILEGE_S), "the end");
	CHECK(!plain(0x100, EAR_PRIVILEGE_U), "the program");
}

static void a_return_elsewhere_ends_the_handler_and_is_counted(void **state)
{
	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_M), "the interrupt");
	CHECK(leave(0x800, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "the end");
	CHECK(!plain(0x2000, EAR_PRIVILEGE_M), "another task");
	CHECK(handler.has_switch, "seen here");
	assert_int_equal(handler.last_switch.from, 0x100);
	assert_int_equal(handler.last_switch.to, 0x2000);
	assert_int_equal(handler.statistics.switched, 1);
	CHECK(!plain(0x2004, EAR_PRIVILEGE_M), "it continues");
	CHECK(!handler.has_switch, "not again");
}

static void a_lower_privilege_closes_what_never_returned(void **state)
{
	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_U), "the interrupt");
	CHECK(plain(0x800, EAR_PRIVILEGE_S), "in S mode");
	CHECK(trap(0x804, EAR_PRIVILEGE_S), "an exception");
	CHECK(plain(0x900, EAR_PRIVILEGE_S), "that leaves");
	CHECK(leave(0x904, EAR_OPCODE_SRET, EAR_PRIVILEGE_S), "straight to the program");
	CHECK(!plain(0x300, EAR_PRIVILEGE_U), "elsewhere in it");
	assert_int_equal(handler.statistics.switched, 1);
	assert_int_equal(handler.statistics.open, 0);
}

static void the_interrupted_pc_closes_what_never_returned(void **state)
{
	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_M), "the interrupt");
	CHECK(trap(0x804, EAR_PRIVILEGE_M), "an exception");
	CHECK(leave(0x904, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "straight to the program");
	CHECK(!plain(0x100, EAR_PRIVILEGE_M), "the program");
}

/* A function that the program and its handler use: its pc comes twice. */
static void a_return_to_an_inner_interrupt_at_the_same_pc_closes_that_one(void **state)
{
	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_M), "outer");
	CHECK(plain(0x800, EAR_PRIVILEGE_M), "its handler");
	CHECK(interrupt(0x100, EAR_PRIVILEGE_M), "inner, in the same function");
	CHECK(leave(0x900, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "end of the inner one");
	CHECK(plain(0x100, EAR_PRIVILEGE_M), "still in the outer one");
	CHECK(leave(0x900, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "end of the outer one");
	CHECK(!plain(0x100, EAR_PRIVILEGE_M), "the program");
}

static void a_gap_ends_a_handler(void **state)
{
	const struct ear_record gap = {.kind = EAR_RECORD_GAP};

	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_M), "the interrupt");
	CHECK(!ear_handler_push(&handler, &gap), "the gap itself");
	CHECK(!plain(0x804, EAR_PRIVILEGE_M), "after it nothing is known");
	assert_int_equal(handler.statistics.cut, 1);
	assert_int_equal(handler.statistics.open, 0);
}

static void a_handler_that_does_not_return_stays_open(void **state)
{
	(void)state;
	CHECK(interrupt(0x100, EAR_PRIVILEGE_M), "the interrupt");
	for (unsigned i = 0; i < 1000; i++)
		CHECK(plain(0x800, EAR_PRIVILEGE_M), "record %u", i);
	assert_int_equal(handler.statistics.open, 1);
	assert_int_equal(handler.statistics.longest, 1001);
}

static void nesting_deeper_than_is_kept_is_counted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3 * EAR_HANDLER_DEPTH_MAX; i++)
		CHECK(interrupt(0x100 + i, EAR_PRIVILEGE_M), "interrupt %u", i);
	for (unsigned i = 3 * EAR_HANDLER_DEPTH_MAX; i > 0; i--)
		CHECK(leave(0x9000, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "xRET %u", i);
	CHECK(!plain(0x100, EAR_PRIVILEGE_M), "the program");
}

/* Formats that mark the first instruction of a handler, and have no record of the interrupt. */
static void a_mark_begins_a_handler_where_no_trap_came_before(void **state)
{
	(void)state;
	CHECK(!plain(0x100, EAR_PRIVILEGE_M), "the program");
	CHECK(push((struct ear_record){.pc = 0x800, .flags = EAR_RECORD_HANDLER}), "the mark");
	CHECK(leave(0x804, EAR_OPCODE_MRET, EAR_PRIVILEGE_M), "the end");
	CHECK(!plain(0x104, EAR_PRIVILEGE_M), "the program");
	assert_int_equal(handler.statistics.switched, 0);
	CHECK(!trap(0x108, EAR_PRIVILEGE_M), "an exception");
	CHECK(!push((struct ear_record){.pc = 0x800, .flags = EAR_RECORD_HANDLER}), "its mark");
	next_index += 5;
	CHECK(!push((struct ear_record){.pc = 0x800, .flags = EAR_RECORD_HANDLER}),
		"after records that a filter held back");
}

static void an_interrupt_of_another_instruction_set_begins_nothing(void **state)
{
	(void)state;
	CHECK(!push((struct ear_record){
		      .pc = 0x100, .isa = EAR_ISA_A32, .flags = EAR_RECORD_INTERRUPT}),
		"the interrupt");
	CHECK(!push((struct ear_record){.pc = 0x18, .isa = EAR_ISA_A32}), "its handler");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_handler_lasts_from_its_interrupt_to_its_xret, begin),
		cmocka_unit_test_setup(an_exception_outside_of_a_handler_is_none, begin),
		cmocka_unit_test_setup(each_trap_inside_takes_an_xret_more, begin),
		cmocka_unit_test_setup(an_xret_that_traps_is_a_trap, begin),
		cmocka_unit_test_setup(a_return_elsewhere_ends_the_handler_and_is_counted, begin),
		cmocka_unit_test_setup(a_lower_privilege_closes_what_never_returned, begin),
		cmocka_unit_test_setup(the_interrupted_pc_closes_what_never_returned, begin),
		cmocka_unit_test_setup(
			a_return_to_an_inner_interrupt_at_the_same_pc_closes_that_one, begin),
		cmocka_unit_test_setup(a_gap_ends_a_handler, begin),
		cmocka_unit_test_setup(a_handler_that_does_not_return_stays_open, begin),
		cmocka_unit_test_setup(nesting_deeper_than_is_kept_is_counted, begin),
		cmocka_unit_test_setup(a_mark_begins_a_handler_where_no_trap_came_before, begin),
		cmocka_unit_test_setup(
			an_interrupt_of_another_instruction_set_begins_nothing, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
