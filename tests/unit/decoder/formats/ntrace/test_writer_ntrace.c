/* The writer of N-Trace: what it writes is read back, also where records are missing or stop; what
 * it refuses. */
#define _GNU_SOURCE /* memmem */
#include "ntrace_trip.h"

#include <earshot/error.h>
#include <stdio.h>

#include "decoder/formats/ntrace/writer_ntrace.h"

#define COUNT 500u

static struct ear_record records[COUNT];

static struct ear_writer *writer_make(
	struct ear_text_output *text, const struct ear_writer_options *options)
{
	struct ear_writer *writer;
	char fault[EAR_FLOW_FAULT_SIZE];

	assert_int_equal(ear_writer_ntrace_make(&writer, text, options, fault, sizeof(fault)), 0);
	return writer;
}

/* Write the records that keep says, with a gap for the others, and read them back into *output. */
static void travel(
	struct trip *trip, const char *unit, bool (*keep)(size_t), struct trip_output *output)
{
	const struct ear_writer_options options = {.unit = unit, .code = trip->program.code};
	const struct ear_record gap = {
		.kind = EAR_RECORD_GAP, .u.gap = {.reason = EAR_GAP_HOST_RING}};
	struct ear_text_output text;
	char fault[EAR_FLOW_FAULT_SIZE];

	assert_int_equal(ear_text_output_init_memory(&text), 0);
	struct ear_writer *writer = writer_make(&text, &options);
	for (size_t i = 0; i < COUNT; i++) {
		if (!keep || keep(i))
			assert_int_equal(ear_writer_push(writer, &records[i]), 0);
		else if (keep(i - 1))
			assert_int_equal(ear_writer_push(writer, &gap), 0);
	}
	assert_int_equal(ear_writer_finish(writer), 0);
	ear_writer_free(writer);
	assert_int_equal(ear_ntrace_unit_read(&trip->unit, NULL, unit, fault), 0);
	trip->unit.xlen = trip->program.xlen;
	*output = trip_decode(trip, (const uint8_t *)text.buffer, text.used, text.used);
	ear_text_output_fini(&text);
}

static const char *const units[] = {NULL, "{\"htm\": 0, \"sync_every\": 20}",
	"{\"htm\": 1, \"stack\": 32, \"sijump\": 1, \"src_bits\": 3, \"repeat_branch\": true}"};

static void records_are_read_back(void **state)
{
	(void)state;
	struct random random = {31};
	const struct branch_walk walk = {.traps = 40, .straight = 3};

	for (unsigned round = 0; round < 12; round++) {
		struct trip trip;
		struct trip_output output;
		branch_program_init(&trip.program, round % 2 ? 64 : 32, &random);
		branch_program_walk(&trip.program, &walk, &random, records, COUNT);
		travel(&trip, units[round % COUNT_OF(units)], NULL, &output);
		assert_int_equal(output.gaps, 0);
		assert_int_equal(output.count, COUNT);
		for (size_t i = 0; i < COUNT; i++) {
			assert_int_equal(output.records[i].pc, records[i].pc);
			assert_int_equal(output.records[i].next_pc, records[i].next_pc);
		}
		branch_program_fini(&trip.program);
	}
}

static bool leave_some_out(size_t i)
{
	return i % 100 < 70;
}

static void where_records_are_missing_is_a_gap(void **state)
{
	(void)state;
	struct random random = {32};
	const struct branch_walk walk = {.straight = 3};

	for (unsigned round = 0; round < 12; round++) {
		struct trip trip;
		struct trip_output output;
		size_t number = 0;
		branch_program_init(&trip.program, round % 2 ? 64 : 32, &random);
		branch_program_walk(&trip.program, &walk, &random, records, COUNT);
		travel(&trip, units[round % COUNT_OF(units)], leave_some_out, &output);
		assert_int_equal(output.gaps, COUNT / 100);
		for (size_t i = 0; i < output.count; i++) {
			while (!leave_some_out(number))
				number++;
			if (output.records[i].kind == EAR_RECORD_GAP)
				assert_int_equal(number % 100, 0);
			else
				assert_int_equal(output.records[i].pc, records[number++].pc);
		}
		while (number < COUNT && !leave_some_out(number))
			number++;
		assert_int_equal(number, COUNT);
		branch_program_fini(&trip.program);
	}
}

/* A nop at pc 0, and then another record. */
static void what_cannot_be_written_is_refused_or_a_gap(void **state)
{
	(void)state;
	const struct ear_record nop = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 32,
		.opcode = 0x13,
		.opcode_size = 4,
		.next_pc = 4};
	const struct {
		const char *unit;
		uint16_t hart;
		uint8_t xlen, isa;
		uint32_t flags;
		int result;
		bool lost; /* an Error message */
	} rows[] = {
		{NULL, 0, 32, EAR_ISA_RISCV, 0, 0, false},
		{NULL, 1, 32, EAR_ISA_RISCV, 0, EAR_E_UNSUPPORTED, false},
		{NULL, 0, 64, EAR_ISA_RISCV, 0, 0, true},
		{NULL, 0, 32, EAR_ISA_A32, 0, 0, true},
		{NULL, 0, 32, EAR_ISA_RISCV, EAR_RECORD_NO_OPCODE, 0, true},
		{"{\"src_bits\": 1}", 1, 32, EAR_ISA_RISCV, 0, 0, false},
		{"{\"src_bits\": 1}", 2, 32, EAR_ISA_RISCV, 0, EAR_E_UNSUPPORTED, false},
	};
	char fault[EAR_FLOW_FAULT_SIZE];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct ear_writer_options options = {.unit = rows[i].unit};
		struct ear_text_output text;
		assert_int_equal(ear_text_output_init_memory(&text), 0);
		struct ear_writer *writer = writer_make(&text, &options);
		struct ear_record record = nop;
		assert_int_equal(ear_writer_push(writer, &nop), 0);
		record.pc = 4;
		record.next_pc = 8;
		record.hart = rows[i].hart;
		record.xlen = rows[i].xlen;
		record.isa = rows[i].isa;
		record.flags = rows[i].flags;
		assert_int_equal(ear_writer_push(writer, &record), rows[i].result);
		assert_int_equal(ear_writer_finish(writer), 0);
		/* TCODE 8, ETYPE 0, ECODE: program trace. */
		bool lost = memmem(text.buffer, text.used, "\x20\x00\x07", 3) != NULL;
		assert_int_equal(lost, rows[i].lost);
		ear_writer_free(writer);
		ear_text_output_fini(&text);
	}
	const struct ear_writer_options options = {.unit = "{\"htm\": 5}"};
	struct ear_text_output text = {.fd = -1};
	struct ear_writer *writer;
	assert_int_equal(ear_writer_ntrace_make(&writer, &text, &options, fault, sizeof(fault)),
		EAR_E_BAD_ARGUMENT);
	assert_string_equal(fault, "\"htm\": not a number from 0 to 2");
}

/* The writer of one hart leaves out the others, as it does for a file of each. */
static void each_hart_without_src_has_a_file(void **state)
{
	(void)state;
	const struct ear_writer_options options = {.one_hart = true, .hart = 1};
	struct ear_text_output text;

	assert_int_equal(ear_text_output_init_memory(&text), 0);
	struct ear_writer *writer = writer_make(&text, &options);
	for (uint16_t hart = 0; hart < 2; hart++) {
		const struct ear_record nop = {.kind = EAR_RECORD_INSTRUCTION,
			.hart = hart,
			.xlen = 32,
			.opcode = 0x13,
			.opcode_size = 4,
			.next_pc = 4};
		assert_int_equal(ear_writer_push(writer, &nop), 0);
		assert_int_equal(ear_writer_finish(writer), 0);
		assert_int_equal(text.used > 0, hart == 1);
	}
	ear_writer_free(writer);
	ear_text_output_fini(&text);
}

static void opcodes_that_records_lack_are_of_the_program(void **state)
{
	(void)state;
	struct random random = {33};
	const struct branch_walk walk = {.straight = 3};
	struct trip trip;
	struct trip_output output;

	branch_program_init(&trip.program, 32, &random);
	branch_program_walk(&trip.program, &walk, &random, records, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		records[i].flags |= EAR_RECORD_NO_OPCODE;
		records[i].opcode = 0;
	}
	travel(&trip, NULL, NULL, &output);
	assert_int_equal(output.gaps, 0);
	assert_int_equal(output.count, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(output.records[i].pc, records[i].pc);
	branch_program_fini(&trip.program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_read_back),
		cmocka_unit_test(where_records_are_missing_is_a_gap),
		cmocka_unit_test(what_cannot_be_written_is_refused_or_a_gap),
		cmocka_unit_test(each_hart_without_src_has_a_file),
		cmocka_unit_test(opcodes_that_records_lack_are_of_the_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
