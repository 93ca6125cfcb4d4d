/* The trace CSV of riscv-dv, read and written. */
#define _GNU_SOURCE /* stpcpy */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#include "decoder/formats/formats.h"

#define NAME "riscv-dv"

static void the_sample_is_understood(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, NAME, "riscv-dv/rv32.csv");
	assert_int_equal(trip.result, 0);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 9);
	for (size_t i = 0; i < trip.count; i++) {
		assert_int_equal(trip.records[i]->xlen, 32);
		assert_int_equal(trip.records[i]->privilege, EAR_PRIVILEGE_M);
		assert_int_equal(trip.records[i]->extra->line, i + 2);
	}
	const struct ear_record *csr = trip.records[1], *load = trip.records[2];
	assert_int_equal(csr->registers[0].reg_class, EAR_REGISTER_CSR);
	assert_int_equal(csr->registers[0].number, 0x305);
	assert_int_equal(load->registers[0].number, 10);
	assert_int_equal(load->registers[0].value, 7);
	/* Rows may be missing: only what the opcode says is sure. */
	assert_true(load->flags & EAR_RECORD_NO_NEXT_PC);
	assert_true(trip.records[3]->flags & EAR_RECORD_TAKEN);
	assert_int_equal(trip.records[3]->next_pc, 0x80000008);
	assert_false(trip.records[5]->flags & (EAR_RECORD_TAKEN | EAR_RECORD_NO_NEXT_PC));
	assert_int_equal(trip.records[6]->next_pc, 0x80000110);
	assert_int_equal(trip.records[7]->registers[0].reg_class, EAR_REGISTER_F);
	assert_int_equal(trip.records[7]->registers[0].number, 15);
	assert_true(trip.records[8]->flags & EAR_RECORD_NO_NEXT_PC);
	assert_int_equal(trip.records[8]->opcode_size, 2);
	trip_fini(&trip);
}

static void the_sample_is_written_byte_for_byte(void **state)
{
	(void)state;
	struct trip trip;
	size_t size, written;
	char *text = trip_load("riscv-dv/rv32.csv", &size);

	trip_read(&trip, NAME, text, size, NULL);
	char *again = trip_write(NAME, trip.records, trip.count, &written);
	assert_string_equal(again, text);
	trip_fini(&trip);
	free(again);
	free(text);
}

/* Converters differ: order of columns, 0x, blanks, names of CSRs and modes. */
static void relatives_of_the_format_are_read(void **state)
{
	(void)state;
	static const char text[] =
		"gpr,csr,pc,more,binary,mode,instr_str\n"
		"x5:0x1; t1:0x2,c768_mstatus:1800;0x305:4;c1984:5,0x80000000,1,0x13,M,\"a "
		"\"\"b\"\"\"\n"
		"gpr,csr,pc,more,binary,mode,instr_str\n"
		"\n"
		"zero:0,,ffffffff80000004,,0000000b,,\"my.op   a0, \"\"q\"\"\"\n"
		"fp:1,,8,,,VS,\n";
	struct trip trip;

	trip_read(&trip, NAME, text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 3);
	assert_int_equal(trip.records[0]->register_count, 5);
	assert_int_equal(trip.records[0]->registers[2].number, 768);
	assert_int_equal(trip.records[0]->registers[3].number, 0x305);
	assert_int_equal(trip.records[0]->registers[4].number, 1984);
	assert_int_equal(trip.records[1]->xlen, 64);
	assert_int_equal(trip.records[1]->register_count, 0); /* x0 is no write */
	assert_true(trip.records[1]->flags & EAR_RECORD_NO_PRIVILEGE);
	assert_int_equal(trip.records[1]->extra->disassembly.size, 15);
	assert_memory_equal(trip.records[1]->extra->disassembly.text, "my.op   a0, \"q\"", 15);
	assert_true(trip.records[2]->flags & EAR_RECORD_NO_OPCODE);
	assert_int_equal(trip.records[2]->registers[0].number, 8);
	assert_int_equal(trip.records[2]->privilege, EAR_PRIVILEGE_VS);
	trip_fini(&trip);
}

static void bad_lines_are_reported_with_number_and_cause(void **state)
{
	(void)state;
	static const struct {
		const char *line, *cause;
	} rows[] = {
		{",,,,13,3,,,", "the pc is missing or malformed"},
		{"8000000g,,,,13,3,,,", "the pc is missing or malformed"},
		{"80000000,,,,123456789,3,,,",
			"the opcode is not a hexadecimal number of at most 32 bits"},
		{"80000000,,,,13,K,,,", "the mode is unknown"},
		{"80000000,,a0,,13,3,,,", "a register has no value"},
		{"80000000,,a0:,,13,3,,,", "a register value is not a number"},
		{"80000000,,,,13,3,\"abc,,", "the line is not one of a CSV file"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[400];
		struct trip trip;
		snprintf(text, sizeof(text),
			"pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n"
			"%s\n80000000,,,,13,3,,,\n",
			rows[i].line);
		trip_read(&trip, NAME, text, strlen(text), NULL);
		assert_int_equal(trip.count, 1);
		assert_int_equal(trip.bad, 1);
		assert_int_equal(trip.messages[0].line, 2);
		assert_string_equal(trip.messages[0].cause, rows[i].cause);
		trip_fini(&trip);
	}
}

/* As riscv-dv has them from a Spike that prints 64 bits of every pc. */
static void sign_extended_pcs_of_rv32_are_those_of_rv32(void **state)
{
	static const struct {
		const char *lines;
		unsigned xlen;
		uint64_t pc;
	} rows[] = {
		{"ffffffff80000000,,sp:8000a000,,13,3,,,\nffffffff80000004,,a0:00000001,,13,3,,,\n",
			32, 0x80000000},
		{"ffffffff80000000,,sp:8000a000,,13,3,,,\nffffffff80000004,,a0:1,,13,3,,,\n", 32,
			0x80000000},
		{"ffffffff80000000,,a0:1,,13,3,,,\nffffffff80000004,,a0:1,,1b,3,,,\n", 64,
			0xffffffff80000000},
		{"ffffffff80000000,,a0:ffffffff80001000,,13,3,,,\n"
		 "ffffffff80000004,,a0:1,,13,3,,,\n",
			64, 0xffffffff80000000},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[400];
		struct trip trip;
		snprintf(text, sizeof(text),
			"pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n%s", rows[i].lines);
		trip_read(&trip, NAME, text, strlen(text), NULL);
		assert_int_equal(trip.count, 2);
		assert_int_equal(trip.bad + trip.warnings, 0);
		assert_int_equal(trip.records[0]->xlen, rows[i].xlen);
		assert_same(trip.records[0]->pc, rows[i].pc);
		trip_fini(&trip);
	}
}

/* Numbers without leading zeros: XLEN 32 is a guess after a long beginning of small values. */
static void a_wide_value_after_the_beginning_is_read_as_rv64(void **state)
{
	static const char begin[] = "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n";
	static const struct {
		const char *line, *wide;
		unsigned xlen;
	} rows[] = {
		{"1000,,a0:5,,150513,3,,,\n", "1004,,a0:ffffffff80000000,,150513,3,,,\n", 64},
		{"1000,,a0:5,,150513,3,,,\n", "1004,,a0:123456780,,150513,3,,,\n", 32},
		{"1000,,a0:00000005,,150513,3,,,\n", "1004,,a0:1234567800,,150513,3,,,\n", 32},
		{"ffffffff80000000,,a0:5,,13,3,,,\n",
			"ffffffff80000004,,a0:1234567800,,150513,3,,,\n", 64},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const size_t line = strlen(rows[i].line), wide = strlen(rows[i].wide);
		const size_t count = 300000 / line;
		const bool taken_back = rows[i].xlen == 64;
		char *text = malloc(sizeof(begin) + (count + 1) * line + 200 * wide), *at = text;
		struct trip trip;

		assert_non_null(text);
		at = stpcpy(at, begin);
		for (size_t k = 0; k < count; k++)
			at = stpcpy(at, rows[i].line);
		for (size_t k = 0; k < 200; k++)
			at = stpcpy(at, rows[i].wide);
		trip_read(&trip, NAME, text, (size_t)(at - text), NULL);
		assert_int_equal(trip.warnings, taken_back);
		assert_int_equal(trip.bad, taken_back ? 0 : 200);
		assert_int_equal(trip.count, taken_back ? count + 200 : count);
		assert_int_equal(trip.records[0]->xlen, 32);
		const struct ear_record *last = trip.records[trip.count - 1];
		assert_int_equal(last->xlen, rows[i].xlen);
		if (taken_back) {
			assert_string_equal(trip.messages[0].cause, EAR_READER_IS_64);
			assert_int_equal(trip.messages[0].line, count + 2);
			assert_true(last->registers[0].value >> 36);
			assert_true(i == 0 || last->pc == 0xffffffff80000004);
		}
		trip_fini(&trip);
		free(text);
	}
}

/* The record is there, and what is known of it. */
static void an_unknown_register_is_a_word_that_was_not_understood(void **state)
{
	static const char *const rows[] = {"80000000,,q7:1;a0:2,,13,3,,,",
		"80000000,,a0:2,mfoo:1,13,3,,,", "80000000,,x2=8000a000;a0:2,,13,3,,,"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[400];
		struct trip trip;
		snprintf(text, sizeof(text),
			"pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\n"
			"%s\n80000004,,,,13,3,,,\n",
			rows[i]);
		trip_read(&trip, NAME, text, strlen(text), NULL);
		assert_int_equal(trip.count, 2);
		assert_int_equal(trip.bad + trip.warnings, 0);
		assert_int_equal(trip.skipped, 1);
		assert_int_equal(trip.records[0]->register_count, 1);
		assert_int_equal(trip.records[0]->registers[0].value, 2);
		trip_fini(&trip);
	}
}

static void random_records_come_back(void **state)
{
	(void)state;
	static const uint8_t privileges[] = {EAR_PRIVILEGE_U, EAR_PRIVILEGE_S,
		EAR_PRIVILEGE_RESERVED, EAR_PRIVILEGE_M, EAR_PRIVILEGE_VU, EAR_PRIVILEGE_VS,
		EAR_PRIVILEGE_DEBUG};
	struct random random = {20260104};

	for (unsigned round = 0; round < 2000; round++) {
		unsigned xlen = round % 2 ? 32 : 64;
		uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;
		struct ear_record_register registers[3] = {
			{.reg_class = EAR_REGISTER_X,
				.number = (uint16_t)(1 + random_below(&random, 31)),
				.value = random_next(&random) & mask},
			{.reg_class = EAR_REGISTER_F,
				.number = (uint16_t)random_below(&random, 32),
				.value = random_next(&random)},
			{.reg_class = EAR_REGISTER_CSR,
				.number = (uint16_t)random_below(&random, 4096),
				.value = random_next(&random) & mask}};
		struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
			.xlen = (uint8_t)xlen,
			.pc = random_next(&random) & mask,
			.privilege = privileges[random_below(&random, 7)],
			.opcode = (uint32_t)random_next(&random) | 3,
			.opcode_size = 4,
			.flags = EAR_RECORD_NO_NEXT_PC,
			.registers = registers,
			.register_count = random_below(&random, 4)};
		struct ear_record *list[] = {&record};
		struct trip trip;
		size_t size;

		char *text = trip_write(NAME, list, 1, &size);
		trip_read(&trip, NAME, text, size, NULL);
		if (trip.count != 1 || trip.bad > 0)
			fail_msg("%s: %s", text, trip.messages[0].cause);
		/* Where it went follows from the opcode. */
		trip.records[0]->next_pc = 0;
		trip.records[0]->flags |= EAR_RECORD_NO_NEXT_PC;
		trip.records[0]->flags &= ~(uint32_t)EAR_RECORD_TAKEN;
		const char *field = trip_record_difference(&record, trip.records[0]);
		if (field)
			fail_msg("%s: %s", field, text);
		trip_fini(&trip);
		free(text);
	}
}

static void damaged_files_end_in_an_orderly_way(void **state)
{
	(void)state;
	size_t size;
	char *text = trip_load("riscv-dv/rv32.csv", &size);

	assert_string_equal(ear_reader_detect(text, size)->name, NAME);
	trip_torture(NAME, text, size, 10000);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sample_is_understood),
		cmocka_unit_test(the_sample_is_written_byte_for_byte),
		cmocka_unit_test(relatives_of_the_format_are_read),
		cmocka_unit_test(bad_lines_are_reported_with_number_and_cause),
		cmocka_unit_test(sign_extended_pcs_of_rv32_are_those_of_rv32),
		cmocka_unit_test(a_wide_value_after_the_beginning_is_read_as_rv64),
		cmocka_unit_test(an_unknown_register_is_a_word_that_was_not_understood),
		cmocka_unit_test(random_records_come_back),
		cmocka_unit_test(damaged_files_end_in_an_orderly_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
