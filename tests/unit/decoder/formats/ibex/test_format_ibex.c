/* Traces of the Ibex core's tracer. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#include "decoder/formats/formats.h"

struct expected {
	uint64_t ticks, pc, opcode, next_pc;
	uint32_t flags;
	uint8_t registers, accesses, reads;
};

#define ALWAYS (EAR_RECORD_HAS_TIME | EAR_RECORD_NO_PRIVILEGE)

static const struct expected rv32[] = {
	{6, 0x100080, 0x2d00006f, 0x100350, EAR_RECORD_TAKEN, 0, 0, 0},
	{7, 0x100350, 0x00000093, 0x100354, 0, 1, 0, 0},
	{8, 0x100354, 0xfff40413, 0x100358, 0, 1, 0, 1},
	{9, 0x100358, 0x4481, 0x10035a, 0, 1, 0, 0},
	{11, 0x10035a, 0x0084a303, 0x10035e, 0, 1, 1, 1},
	{13, 0x10035e, 0x00648423, 0x100362, 0, 0, 1, 2},
	{15, 0x100362, 0x00649523, 0x100366, 0, 0, 1, 2},
	{16, 0x100366, 0x0064a623, 0x10036a, 0, 0, 1, 2},
	{18, 0x10036a, 0xfe0310e3, 0x10034a, EAR_RECORD_TAKEN, 0, 0, 1},
	{21, 0x10034a, 0x00000073, 0x100000, EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE, 0, 0, 0},
	{26, 0x100000, 0x00000013, 0x100004, 0, 0, 0, 0},
	{31, 0x100004, 0xc0102573, 0x100008, EAR_RECORD_HANDLER, 1, 0, 0},
	{32, 0x100008, 0x0000000b, 0, EAR_RECORD_TRAP | EAR_RECORD_NO_NEXT_PC, 0, 0, 0},
};

static void every_line_of_the_sample_is_understood(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "ibex", "ibex/rv32.log");
	assert_int_equal(trip.result, 0);
	if (trip.bad + trip.warnings)
		fail_msg("line %lu: %s", trip.messages[0].line, trip.messages[0].cause);
	assert_int_equal(trip.count, COUNT_OF(rv32));
	for (size_t i = 0; i < trip.count; i++) {
		const struct ear_record *record = trip.records[i];
		const struct expected *want = &rv32[i];
		if (record->ticks != want->ticks || record->pc != want->pc ||
			record->opcode != want->opcode || record->next_pc != want->next_pc ||
			record->flags != (want->flags | ALWAYS) ||
			record->register_count != want->registers ||
			record->memory_count != want->accesses ||
			record->extra->read_count != want->reads || record->xlen != 32)
			fail_msg("record %zu: time %lu pc %lx opcode %lx next %lx flags %x, %zu "
				 "registers, %zu accesses, %zu reads",
				i, record->ticks, record->pc, record->opcode, record->next_pc,
				record->flags, record->register_count, record->memory_count,
				record->extra->read_count);
	}
	trip_fini(&trip);
}

static void values_and_partial_stores_are_what_the_lines_say(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "ibex", "ibex/rv32.log");
	assert_int_equal(trip.records[2]->registers[0].value, 0x7fff);
	assert_int_equal(trip.records[2]->extra->reads[0].value, 0x8000);
	assert_int_equal(trip.records[3]->opcode_size, 2);

	const struct ear_record_access *load = &trip.records[4]->memory[0];
	const struct ear_record_access *byte = &trip.records[5]->memory[0];
	const struct ear_record_access *half = &trip.records[6]->memory[0];
	const struct ear_record_access *word = &trip.records[7]->memory[0];
	assert_false(load->write);
	assert_int_equal(load->size, 4);
	assert_int_equal(load->value, 0x2a);
	assert_true(byte->write);
	assert_int_equal(byte->address, 0x1008);
	assert_int_equal(byte->size, 1);
	assert_int_equal(byte->value, 0x2a);
	assert_int_equal(half->address, 0x100a);
	assert_int_equal(half->size, 2);
	assert_int_equal(half->value, 0x2a);
	assert_int_equal(word->size, 4);
	assert_int_equal(trip.records[12]->cause, 2);
	assert_memory_equal(trip.records[12]->extra->disassembly.text, "custom0 x1", 10);
	trip_fini(&trip);
}

/* The documentation shows the columns with blanks; relatives have 16 digits and a unit. */
static void relatives_of_the_format_are_read(void **state)
{
	(void)state;
	static const char text[] =
		"            134         63 00000156 fff40413 addi    x8,x8,-1    x8:0x00008000  "
		"x8=0x00007fff\n";
	static const char wide[] = "140ns\t66\t000000000000015a\t00000073\tebreak\n";
	struct trip trip;

	trip_read(&trip, "ibex", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 1);
	assert_int_equal(trip.records[0]->ticks, 63);
	assert_int_equal(trip.records[0]->xlen, 32);
	assert_int_equal(trip.records[0]->registers[0].value, 0x7fff);
	trip_fini(&trip);
	trip_read(&trip, "ibex", wide, sizeof(wide) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 1);
	assert_int_equal(trip.records[0]->xlen, 64);
	trip_fini(&trip);
}

static void bad_lines_are_reported(void **state)
{
	(void)state;
	static const struct {
		const char *line, *cause;
	} rows[] = {
		{"1 hello", "the columns time, cycle, pc and opcode are missing or malformed"},
		{"1\t2\t00000100",
			"the columns time, cycle, pc and opcode are missing or malformed"},
		{"1\t2\t00000100\t123456789\tnop\t",
			"the columns time, cycle, pc and opcode are missing or malformed"},
		{"1\t2\t00000100\t00648423\tsb\tPA:0x00000100 store:0x????????",
			"a register or an access is malformed"},
		{"1\t2\t00000100\t00648423\tsb\tPA:0x00000100 store:0x12??34??",
			"a register or an access is malformed"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[200];
		struct trip trip;
		snprintf(text, sizeof(text), "%s\n3\t3\t00000104\t00000013\tnop\t\n", rows[i].line);
		trip_read(&trip, "ibex", text, strlen(text), NULL);
		assert_int_equal(trip.count, 1);
		assert_int_equal(trip.bad, 1);
		assert_int_equal(trip.messages[0].line, 1);
		assert_string_equal(trip.messages[0].cause, rows[i].cause);
		trip_fini(&trip);
	}
}

static void lines_of_a_console_are_no_gap(void **state)
{
	static const char text[] = "1\t2\t00000100\t00000013\tnop\t\n"
				   "UART: hello\n"
				   "3\t3\t00000104\t00000013\tnop\t\n";
	struct trip trip;

	(void)state;
	trip_read(&trip, "ibex", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.count, 2);
	assert_int_equal(trip.skipped, 0);
	assert_int_equal(trip.messages[0].line, 2);
	trip_fini(&trip);
}

static void a_word_that_is_not_understood_leaves_the_record(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"1\t2\t00000100\t00000013\tnop\tx32=0x00000001",
		"1\t2\t00000100\t00000013\tnop\tx1=0x00000001 y",
		"1\t2\t00000100\t00000013\tnop a=b x1=0x00000001",
	};

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct trip trip;
		trip_read(&trip, "ibex", lines[i], strlen(lines[i]), NULL);
		assert_int_equal(trip.bad, 0);
		assert_int_equal(trip.count, 1);
		assert_int_equal(trip.skipped, 1); /* a gap beside it */
		assert_int_equal(trip.records[0]->register_count, i > 0);
		trip_fini(&trip);
	}
}

static void damaged_traces_end_in_an_orderly_way(void **state)
{
	(void)state;
	size_t size;
	char *text = trip_load("ibex/rv32.log", &size);

	assert_string_equal(ear_reader_detect(text, size)->name, "ibex");
	trip_torture("ibex", text, size, 10000);
	free(text);
}

static void a_record_does_not_go_where_one_after_a_skipped_line_is(void **state)
{
	(void)state;
	static const char text[] =
		"Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n"
		"30\t15\t80000000\t00000013\taddi x0, x0, 0\n"
		"36\t18\t80000004\t0000zz13\taddi x0, x0, 0\n"
		"42\t21\t80000008\t00000013\taddi x0, x0, 0\n"
		"48\t24\t8000000c\t00000013\taddi x0, x0, 0\n";
	struct trip trip;

	trip_read(&trip, "ibex", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad, 1);
	for (size_t i = 0, known = 0; i < trip.count; i++) {
		const struct ear_record *record = trip.records[i];
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		known += !(record->flags & EAR_RECORD_NO_NEXT_PC);
		assert_int_equal(known, record->pc >= 0x80000008); /* of that alone */
	}
	trip_fini(&trip);
}

static const struct ear_record *read_one(struct trip *trip, const char *line)
{
	trip_read(trip, "ibex", line, strlen(line), NULL);
	if (trip->bad || trip->count != 1)
		fail_msg("%s: %u bad, %zu records", line, trip->bad, trip->count);
	return trip->records[0];
}

/* From October 2019 to 2024 a load has the value of the write port as "store:", and a store that of
 * the read port as "load:". */
static void the_opcode_decides_over_the_word_before_a_value(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		unsigned accesses, size;
		bool write, has_value;
		uint64_t value;
	} rows[] = {
		{"1\t2\t80000082\t40b2\tc.lwsp x1,12(x2)\t x2:0x8000a0e0  x1=0x80000020 "
		 "PA:0x8000a0ec store:0x00000007",
			1, 4, false, false, 0},
		{"1\t2\t80000048\t01160023\tsb x17,0(x12)\tx12:0x800000a0 x17:0x11223344 "
		 "PA:0x800000a0 store:0x11223344 load:0x00000007",
			1, 1, true, true, 0x44},
		{"1\t2\t8000004c\t01261123\tsh x18,2(x12)\t PA:0x800000a2 load:0x00000007", 1, 2,
			true, false, 0},
		{"1\t2\t8000002a\t00d6272f\tamoadd.w x14,x13,(x12)\tx14=0x11223344 "
		 "PA:0x800000a0 store:0x11223347 load:0x00000000",
			2, 4, true, true, 0x11223347},
		{"1\t2\t80000040\t00158883\tlb x17,1(x11)\tx17=0xffffff80 PA:0x800000a5 "
		 "load:0xffffff80",
			1, 1, false, true, 0x80},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct trip trip;
		const struct ear_record *record = read_one(&trip, rows[i].line);
		assert_int_equal(record->memory_count, rows[i].accesses);
		const struct ear_record_access *access = &record->memory[rows[i].accesses - 1];
		assert_int_equal(access->write, rows[i].write);
		assert_int_equal(access->size, rows[i].size);
		assert_int_equal(access->has_value, rows[i].has_value);
		assert_int_equal(access->value, rows[i].value);
		assert_false(record->memory[0].write && rows[i].accesses == 2);
		trip_fini(&trip);
	}
}

static void columns_of_2019_are_read(void **state)
{
	(void)state;
	static const char text[] =
		"                Time          Cycles PC       Instr    Mnemonic\n"
		"              134 ns              63 00000156 fff40413 addi             x8, x8, -1   "
		"                x8=0x00007fff  x8:0x00008000\n"
		"              136 ns              64 0000015a 00842303 lw               x6, 8(x8)   "
		"                 x6=0x0000002a  x8:0x00001000 PA:0x00001008  load:0x0000002a\n";
	struct trip trip;

	assert_string_equal(ear_reader_detect(text, sizeof(text) - 1)->name, "ibex");
	trip_read(&trip, "ibex", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 2);
	assert_int_equal(trip.records[0]->ticks, 63);
	assert_int_equal(trip.records[0]->registers[0].value, 0x7fff);
	assert_int_equal(trip.records[1]->extra->read_count, 1);
	assert_int_equal(trip.records[1]->memory[0].value, 0x2a);
	trip_fini(&trip);
}

/* CHERIoT: a capability is its address here, and one in memory has 8 bytes. */
static void capabilities_have_an_address(void **state)
{
	(void)state;
	static const char text[] =
		"1\t2\t80000004\t0f010113\tcincoffsetimm c2,c2,240\t x2:0x8000a000+0x1000000ff "
		"x2=0x8000a0f0+0x1000000ff\n"
		"1\t3\t80000008\t00813023\tcsc c8,0(c2)\t x2:0x8000a0f0+0x1000000ff "
		"PA:0x8000a0f0 store:0x00001000+0x1000000fe\n"
		"1\t4\t8000000c\t    4515\tc.li x10,5\tx10=0x00000005\n";
	struct trip trip;

	trip_read(&trip, "ibex", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.warnings, 1);
	assert_int_equal(trip.count, 3);
	assert_int_equal(trip.records[0]->registers[0].value, 0x8000a0f0);
	assert_int_equal(trip.records[1]->memory[0].size, 8);
	assert_int_equal(trip.records[1]->memory[0].value, 0x000000fe00001000);
	assert_true(trip.records[1]->memory[0].write);
	assert_int_equal(trip.records[2]->opcode_size, 2);
	trip_fini(&trip);
}

/* cm.push: a line for each store and for the new stack pointer. */
static void steps_of_one_instruction_are_one_record(void **state)
{
	(void)state;
	static const char text[] =
		"1\t2\t00000100\tfe112e23\tsw x1,-4(x2)\t x2:0x00001000  x1:0x00000055 "
		"PA:0x00000ffc store:0x00000055 expand_insn: (0xb842 cm.push\t{ra},-16)\n"
		"1\t3\t00000100\tff010113\taddi x2,x2,-16\t x2:0x00001000  x2=0x00000ff0 "
		"expand_insn: (0xb842 cm.push\t{ra},-16)\n"
		"1\t4\t00000102\t00000013\taddi x0,x0,0\t\n";
	struct trip trip;

	trip_read(&trip, "ibex", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 2);
	assert_int_equal(trip.records[0]->opcode, 0xb842);
	assert_int_equal(trip.records[0]->opcode_size, 2);
	assert_int_equal(trip.records[0]->memory_count, 1);
	assert_int_equal(trip.records[0]->memory[0].value, 0x55);
	assert_int_equal(trip.records[0]->registers[0].value, 0xff0);
	assert_int_equal(trip.records[0]->next_pc, 0x102);
	trip_fini(&trip);
}

/* Before 2026 neither a trap nor a handler is marked: the next pc shows them. */
static void unmarked_traps_and_handlers_are_found(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		uint32_t before, next;
		uint64_t next_pc;
		unsigned warnings;
	} rows[] = {
		{"0000000b\tINVALID", EAR_RECORD_TRAP, 0, 0, 0},
		{"00000073\tecall", EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE, 0, 0, 0},
		{"9002\tc.ebreak", EAR_RECORD_TRAP, 0, 0, 0},
		{"00108093\taddi x1,x1,1\tx1=0x00000001", 0, EAR_RECORD_HANDLER, 0x104, 0},
		{"00208463\tbeq x1,x2,108", EAR_RECORD_NO_NEXT_PC, EAR_RECORD_HANDLER, 0, 0},
		{"0080006f\tjal x0,108", EAR_RECORD_TAKEN, EAR_RECORD_HANDLER, 0x108, 0},
		{"00008067\tjalr x0,0(x1)", EAR_RECORD_TAKEN, 0, 0x200, 0},
		{"30200073\tmret", 0, 0, 0x200, 0},
		{"0004a303\tlw x6,0(x9)\tPA:0x00001008 store:0x00000000", 0, EAR_RECORD_HANDLER,
			0x104, 1},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[200];
		struct trip trip;
		snprintf(text, sizeof(text),
			"1\t2\t00000100\t%s\n9\t9\t00000200\t00000013\tnop\t\n", rows[i].line);
		trip_read(&trip, "ibex", text, strlen(text), NULL);
		if (trip.bad || trip.warnings != rows[i].warnings || trip.count != 2 ||
			(!(rows[i].before & EAR_RECORD_TRAP) &&
				trip.records[0]->flags != (rows[i].before | ALWAYS)) ||
			(trip.records[0]->flags & EAR_RECORD_TRAP) !=
				(rows[i].before & EAR_RECORD_TRAP) ||
			(trip.records[1]->flags & EAR_RECORD_HANDLER) != rows[i].next ||
			(rows[i].next_pc && trip.records[0]->next_pc != rows[i].next_pc))
			fail_msg("%s: flags %x and %x, next pc %lx", rows[i].line,
				trip.records[0]->flags, trip.records[1]->flags,
				trip.records[0]->next_pc);
		trip_fini(&trip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_of_the_sample_is_understood),
		cmocka_unit_test(values_and_partial_stores_are_what_the_lines_say),
		cmocka_unit_test(relatives_of_the_format_are_read),
		cmocka_unit_test(bad_lines_are_reported),
		cmocka_unit_test(lines_of_a_console_are_no_gap),
		cmocka_unit_test(a_word_that_is_not_understood_leaves_the_record),
		cmocka_unit_test(damaged_traces_end_in_an_orderly_way),
		cmocka_unit_test(the_opcode_decides_over_the_word_before_a_value),
		cmocka_unit_test(columns_of_2019_are_read),
		cmocka_unit_test(capabilities_have_an_address),
		cmocka_unit_test(steps_of_one_instruction_are_one_record),
		cmocka_unit_test(unmarked_traps_and_handlers_are_found),
		cmocka_unit_test(a_record_does_not_go_where_one_after_a_skipped_line_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
