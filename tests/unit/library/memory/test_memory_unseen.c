/* Memory from sources that list where an access went and not, or not all of, its value. */
#include "check.h"

#include <stdio.h>

#include "library/memory/memory_state.h"

#define ADDRESS 0x80001000u
#define LW_X5   0x00032283u /* lw x5, 0(x6) */
#define LBU_X5  0x00034283u
#define FLD_F5  0x00033287u
#define FSD_F5  0x00533027u
#define LW_X0   0x00032003u
#define POP_RA  0xba42u /* cm.pop {ra}, 16 */
#define SW_X5   0x00532023u

/* A trace that is written down instruction by instruction. */
struct trace {
	struct ear_memory *memory;
	struct ear_record record;
	struct ear_record_register registers[2];
	struct ear_record_access access;
};

static void begin(struct trace *trace, bool captured)
{
	const struct ear_memory_options options = {.captured = captured};

	memset(trace, 0, sizeof(*trace));
	assert_int_equal(ear_memory_new(&trace->memory, &options), 0);
	trace->record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 32,
		.privilege = 3,
		.pc = 0x80000000,
		.next_pc = 0x80000000,
		.opcode_size = 4,
		.registers = trace->registers,
		.memory = &trace->access,
		.memory_count = 1};
	trace->access.address = ADDRESS;
}

static void push(struct trace *trace, uint32_t opcode)
{
	trace->record.opcode = opcode;
	assert_int_equal(ear_memory_push(trace->memory, &trace->record), 0);
	trace->record.index++;
}

/* A load of which the source lists the address and the register that it wrote. */
static void load(
	struct trace *trace, uint32_t opcode, enum ear_register_class reg_class, uint64_t value)
{
	trace->access.write = trace->access.has_value = false;
	trace->registers[0] = (struct ear_record_register){
		.reg_class = (uint8_t)reg_class, .number = 5, .value = value};
	trace->record.register_count = 1;
	push(trace, opcode);
}

static void store(struct trace *trace, uint32_t opcode, uint64_t value, unsigned size)
{
	trace->access.write = trace->access.has_value = true;
	trace->access.value = value;
	trace->access.size = (uint8_t)size;
	trace->record.register_count = 0;
	push(trace, opcode);
	trace->access.size = 0;
}

/* What the eight bytes at ADDRESS hold: 2 digits each, "--" where unknown. */
static void expect(struct trace *trace, const char *wanted)
{
	char text[17] = "";
	uint8_t bytes[8];
	bool known[8];

	assert_at_least(ear_memory_read(trace->memory, ADDRESS, bytes, known, 8), 0);
	for (unsigned i = 0; i < 8; i++)
		snprintf(text + 2 * i, 3, known[i] ? "%02x" : "--", bytes[i]);
	assert_string_equal(text, wanted);
}

static void the_register_tells_what_a_load_read(void **state)
{
	struct trace trace;

	(void)state;
	begin(&trace, false);
	load(&trace, LW_X5, EAR_REGISTER_X, 0x44332211);
	expect(&trace, "11223344--------");
	load(&trace, FLD_F5, EAR_REGISTER_F, 0x8877665544332211);
	expect(&trace, "1122334455667788");
	ear_memory_free(trace.memory);
}

static void loads_that_differ_are_seen(void **state)
{
	struct trace trace;

	(void)state;
	begin(&trace, false);
	store(&trace, SW_X5, 0x44332211, 4);
	expect(&trace, "11223344--------");
	load(&trace, LBU_X5, EAR_REGISTER_X, 0x12); /* nobody has stored that */
	expect(&trace, "--223344--------");
	ear_memory_free(trace.memory);
}

static void a_load_into_x0_or_several_registers_tells_nothing(void **state)
{
	struct trace trace;

	(void)state;
	begin(&trace, false);
	trace.record.register_count = 0;
	push(&trace, LW_X0);
	expect(&trace, "----------------");
	trace.registers[1] = (struct ear_record_register){.number = 2, .value = 7};
	trace.registers[0] = (struct ear_record_register){.number = 1, .value = 9};
	trace.record.register_count = 2;
	trace.record.opcode_size = 2;
	push(&trace, POP_RA);
	expect(&trace, "----------------");
	ear_memory_free(trace.memory);
}

static void a_load_that_trapped_tells_nothing(void **state)
{
	struct trace trace;

	(void)state;
	begin(&trace, false);
	trace.record.flags = EAR_RECORD_TRAP;
	load(&trace, LW_X5, EAR_REGISTER_X, 1);
	expect(&trace, "----------------");
	ear_memory_free(trace.memory);
}

static void the_upper_half_of_a_double_that_a_text_does_not_have_is_unknown(void **state)
{
	struct trace trace;

	(void)state;
	begin(&trace, false);
	store(&trace, FSD_F5, 0x8877665544332211, 8);
	expect(&trace, "1122334455667788");
	store(&trace, FSD_F5, 0x01010101, 8); /* from a port of 32 bits, perhaps */
	expect(&trace, "01010101--------");
	ear_memory_free(trace.memory);
}

static void so_it_is_in_a_run(void **state)
{
	const struct ear_compact_run run = {.count = 2, .xlen = 32, .privilege = 3};
	const struct ear_compact_record compacts[] = {{.pc = 0x80000000,
							      .next_pc = 0x80000004,
							      .address = ADDRESS,
							      .data = 0x8877665544332211,
							      .opcode = FSD_F5,
							      .opcode_size = 4,
							      .size = 8,
							      .flags = EAR_COMPACT_WRITE},
		{.pc = 0x80000004,
			.next_pc = 0x80000008,
			.address = ADDRESS,
			.data = 0x01010101,
			.opcode = FSD_F5,
			.opcode_size = 4,
			.size = 8,
			.flags = EAR_COMPACT_WRITE}};
	struct trace trace;

	(void)state;
	begin(&trace, false);
	assert_int_equal(ear_memory_push_run(trace.memory, &run, compacts), 0);
	expect(&trace, "01010101--------");
	ear_memory_free(trace.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_register_tells_what_a_load_read),
		cmocka_unit_test(loads_that_differ_are_seen),
		cmocka_unit_test(a_load_into_x0_or_several_registers_tells_nothing),
		cmocka_unit_test(a_load_that_trapped_tells_nothing),
		cmocka_unit_test(the_upper_half_of_a_double_that_a_text_does_not_have_is_unknown),
		cmocka_unit_test(so_it_is_in_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
