/* The reader of N-Trace: bytes of a file to records, from anywhere where its state was saved; what
 * it says of missing code and of units; which files it takes for its own. */
#include "ntrace_trip.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "decoder/formats/ntrace/reader_ntrace.h"

#define COUNT 3000u

static struct trip trip;
static FILE *file;

/* The stream as a file. */
static void make_file(struct random *random, unsigned round)
{
	struct ear_ntrace_unit unit = trip_random_unit(round % 2 ? 64 : 32, random);
	const struct branch_walk walk = {.traps = 50, .straight = 3};

	unit.src_bits = unit.stack = unit.sijump = unit.alljumps = unit.extend = 0;
	trip_init(&trip, &unit, &walk, COUNT, random);
	file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(trip.bytes, 1, trip.size, file), trip.size);
	assert_int_equal(fflush(file), 0);
}

static void drop_file(void)
{
	fclose(file);
	trip_fini(&trip);
}

static struct ear_text_input *open_input(void)
{
	struct ear_text_input *input;

	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	assert_int_equal(ear_text_input_new(&input, fileno(file), NULL, 0), 0);
	ear_text_input_use_offsets(input);
	return input;
}

static struct ear_reader *open_reader(struct ear_text_input *input)
{
	const struct ear_reader_options options = {.code = trip.program.code};
	struct ear_reader *reader;
	char fault[100];

	assert_int_equal(ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault)), 0);
	return reader;
}

/* Records from number on are those that were encoded, up to the event of the end. */
static void assert_rest(struct ear_reader *reader, size_t number)
{
	const struct ear_record *record;

	for (; number < COUNT; number++) {
		assert_int_equal(ear_reader_next(reader, &record), 1);
		assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
		assert_int_equal(record->index, number);
		assert_int_equal(record->pc, trip.records[number].pc);
		assert_int_equal(record->next_pc, trip.records[number].next_pc);
		assert_int_equal(record->xlen, trip.unit.xlen);
	}
	assert_int_equal(ear_reader_next(reader, &record), 1);
	assert_int_equal(record->kind, EAR_RECORD_EVENT);
	assert_int_equal(ear_reader_next(reader, &record), 0);
	assert_int_equal(ear_reader_next(reader, &record), 0);
}

static void a_file_is_read_to_its_end(void **state)
{
	(void)state;
	struct random random = {21};

	for (unsigned round = 0; round < 10; round++) {
		make_file(&random, round);
		struct ear_text_input *input = open_input();
		struct ear_reader *reader = open_reader(input);
		assert_rest(reader, 0);
		ear_reader_free(reader);
		ear_text_input_free(input);
		drop_file();
	}
}

/* Runs, and some records one by one between them. */
static void runs_have_the_same_records(void **state)
{
	(void)state;
	struct random random = {23};

	for (unsigned round = 0; round < 10; round++) {
		make_file(&random, round);
		struct ear_text_input *input = open_input();
		struct ear_reader *reader = open_reader(input);
		const struct ear_compact_record *compacts;
		const struct ear_compact_run *run = NULL;
		const struct ear_record *record;
		size_t number = 0, runs = 0;
		while (number < COUNT) {
			if (random_once_in(&random, 3))
				assert_int_equal(ear_reader_next(reader, &record), 1);
			else
				assert_int_equal(
					ear_reader_next_run(reader, &run, &compacts, &record), 1);
			assert_int_equal(run ? run->first_index : record->index, number);
			for (size_t i = 0; run && i < run->count; i++, number++) {
				assert_int_equal(compacts[i].pc, trip.records[number].pc);
				assert_int_equal(compacts[i].next_pc, trip.records[number].next_pc);
				assert_int_equal(compacts[i].opcode, trip.records[number].opcode);
			}
			if (!run)
				assert_int_equal(record->pc, trip.records[number++].pc);
			runs += run != NULL;
			run = NULL;
		}
		assert_above(runs, 10);
		struct ear_reader_hart hart = reader->harts[0];
		assert_int_equal(hart.next_index, COUNT);
		assert_rest(reader, COUNT);
		ear_reader_free(reader);
		ear_text_input_free(input);
		drop_file();
	}
}

static void a_saved_reader_continues_where_it_was(void **state)
{
	(void)state;
	struct random random = {22};
	static uint8_t saved[1 << 14];

	for (unsigned round = 0; round < 4; round++) {
		size_t count = 0;
		make_file(&random, round);
		struct ear_text_input *input = open_input();
		struct ear_reader *reader = open_reader(input);
		for (size_t number = 1; number < COUNT; number++) {
			const struct ear_record *record;
			uint64_t offset, line_number;
			assert_int_equal(ear_reader_next(reader, &record), 1);
			if (number % 7 || !reader->resume->place(reader, &offset, &line_number))
				continue;
			struct ear_state_walk save = {.bytes = saved, .size = sizeof(saved)};
			assert_int_equal(reader->resume->walk(reader, &save), 0);
			assert_false(save.bad);
			struct ear_text_input *other_input = open_input();
			assert_int_equal(ear_text_input_go_to(other_input, offset, line_number), 0);
			struct ear_reader *other = open_reader(other_input);
			struct ear_state_walk load = {
				.bytes = saved, .size = save.at, .loading = true};
			assert_int_equal(other->resume->walk(other, &load), 0);
			assert_false(load.bad);
			assert_rest(other, number);
			ear_reader_free(other);
			ear_text_input_free(other_input);
			count++;
		}
		assert_above(count, 3);
		ear_reader_free(reader);
		ear_text_input_free(input);
		drop_file();
	}
}

static char heard[100];

static int hear(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind)
{
	(void)context;
	(void)line_number;
	(void)offset;
	(void)kind;
	snprintf(heard, sizeof(heard), "%s", cause);
	return 0;
}

/* --- Buffers in memory --- */

#define RING_SIZE 256u
#define RAM_START UINT64_C(0x280000000)

/* A file of these bytes. */
static struct ear_text_input *input_of(const uint8_t *bytes, size_t size)
{
	file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fflush(file), 0);
	return open_input();
}

/* The instructions of the stream's first size bytes, by a decoder. */
static struct trip_output decode_before(size_t size)
{
	trip.unit.ring = (struct ear_flow_ring_unit){.wrapped = 0};
	return trip_decode(&trip, trip.bytes, size, size);
}

/* Read a file of these bytes with a unit: the last instructions are those of expected. Returns how
 * many there are. */
static size_t read_ring(const uint8_t *bytes, size_t size, const char *unit,
	const struct trip_output *expected, size_t *gaps)
{
	static size_t indexes[TRIP_RECORDS_MAX]; /* of the instructions among expected */
	struct ear_text_input *input = input_of(bytes, size);
	struct ear_reader *reader;
	const struct ear_record *record;
	uint64_t pcs[1000];
	char fault[EAR_FLOW_FAULT_SIZE];
	size_t count = 0, all = 0;
	int result;

	const struct ear_reader_options options = {.code = trip.program.code, .unit = unit};
	assert_int_equal(ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault)), 0);
	*gaps = 0;
	while ((result = ear_reader_next(reader, &record)) == 1) {
		*gaps += record->kind == EAR_RECORD_GAP;
		assert_below(count, COUNT_OF(pcs));
		if (record->kind == EAR_RECORD_INSTRUCTION)
			pcs[count++] = record->pc;
	}
	for (size_t i = 0; i < expected->count; i++)
		if (expected->records[i].kind == EAR_RECORD_INSTRUCTION)
			indexes[all++] = i;
	assert_at_most(count, all);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(pcs[i], expected->records[indexes[all - count + i]].pc);
	ear_reader_free(reader);
	ear_text_input_free(input);
	fclose(file);
	return count;
}

/* The sink of a stream has written its first bytes, word by word, into its memory. */
static void a_ring_of_a_sink_has_what_the_stream_has_after_a_synchronisation(void **state)
{
	(void)state;
	struct random random = {31};
	uint8_t ring[RING_SIZE];
	char unit[200];
	size_t gaps;

	for (unsigned round = 0; round < 4; round++) {
		struct ear_ntrace_unit parameters = trip_random_unit(round % 2 ? 64 : 32, &random);
		const struct branch_walk walk = {.traps = 50, .straight = 3};
		parameters.src_bits = parameters.alljumps = parameters.extend = 0;
		parameters.sijump = parameters.stack = 0;
		parameters.sync_every = 5;
		trip_init(&trip, &parameters, &walk, 600, &random);
		memset(ring, 0xA5, sizeof(ring));
		for (size_t at = 0; at < trip.size; at++) {
			ring[at % RING_SIZE] = trip.bytes[at];
			const size_t next = at + 1, place = next % RING_SIZE;
			if (next % 4)
				continue;
			snprintf(unit, sizeof(unit),
				"{\"stack\": 0, \"ram\": {\"ram_start\": \"0x%" PRIx64
				"\", \"ram_limit\": %" PRIu64 ", \"ram_wp\": %" PRIu64 "}}",
				RAM_START, RAM_START + RING_SIZE - 4,
				RAM_START + place + (next >= RING_SIZE));
			const struct trip_output expected = decode_before(next);
			size_t count = read_ring(ring, RING_SIZE, unit, &expected, &gaps);
			size_t before = expected.count - expected.gaps;
			assert_true(next < RING_SIZE ? count == before : count > 0);
			assert_at_most(gaps, next < RING_SIZE ? expected.gaps : 2);
		}
		trip_fini(&trip);
	}
}

/* docs/branch-trace.md, "Buffers in memory": c.nop four times and c.beqz back to the first. */
static void the_example_of_a_ring_has_twenty_instructions(void **state)
{
	(void)state;
	static const uint8_t code_bytes[] = {1, 0, 1, 0, 1, 0, 1, 0, 0x65, 0xDC};
	static const uint8_t bytes[] = {0x09, 0xFF, 0x0C, 0x17, 0x0C, 0x17, 0x0C, 0x17, 0x0C, 0x17,
		0xFF, 0xFF, 0x17, 0x0C, 0x17, 0x24};
	struct trip_output expected = trip_output();
	size_t gaps;

	for (size_t i = 0; i < 20; i++)
		expected.records[expected.count++] =
			(struct ear_record){.kind = EAR_RECORD_INSTRUCTION, .pc = 0x7E + i % 5 * 2};
	assert_int_equal(ear_flow_code_new(&trip.program.code), 0);
	assert_int_equal(
		ear_flow_code_add(trip.program.code, 0x7E, code_bytes, sizeof(code_bytes)), 0);
	assert_int_equal(ear_flow_code_finish(trip.program.code, 32), 0);
	assert_int_equal(read_ring(bytes, sizeof(bytes),
				 "{\"ram_start\": \"0x80001000\", \"ram_limit\": \"0x8000100c\", "
				 "\"ram_wp\": \"0x8000100d\"}",
				 &expected, &gaps),
		20);
	assert_int_equal(gaps, 1);
	ear_flow_code_free(trip.program.code);
}

/* The first line is of the file: its unit is in force, and --unit after it. */
static void a_file_may_say_its_unit(void **state)
{
	(void)state;
	static const struct {
		const char *line, *unit, *fault;
		size_t count;
	} rows[] = {
		{"{\"earshot\": \"ntrace\", \"src_bits\": 3, \"stack\": 0}\n", NULL, NULL, COUNT},
		{"{\"earshot\": \"ntrace\", \"src_bits\": 0}\n", NULL, NULL, 0},
		{"{\"earshot\": \"ntrace\"}\n", "{\"src_bits\": 3, \"stack\": 0}", NULL, COUNT},
		{"{\"earshot\": \"ntrace\", \"src_bits\": 13}\n", NULL, "\"src_bits\"", 0},
		{"{\"earshot\": \"ntrace\", \"src_bits\": 3", NULL, "has no end", 0},
		{"{\"earshot\": \"ntrace\" 3}\n", NULL, "not a JSON object", 0},
	};
	static uint8_t bytes[COUNT * EAR_NTRACE_MESSAGE_MAX];
	struct random random = {41};
	struct ear_ntrace_unit unit = ear_ntrace_default_unit;
	const struct branch_walk walk = {.traps = 50, .straight = 3};

	unit.xlen = 32;
	unit.src_bits = 3;
	unit.stack = 0;
	trip_init(&trip, &unit, &walk, COUNT, &random);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct ear_reader_options options = {
			.unit = rows[i].unit, .code = trip.program.code};
		const size_t length = strlen(rows[i].line);
		const bool cut = rows[i].line[length - 1] != '\n';
		struct ear_reader *reader;
		const struct ear_record *record;
		char fault[EAR_FLOW_FAULT_SIZE] = "";
		size_t count = 0;
		memcpy(bytes, rows[i].line, length);
		memcpy(bytes + length, trip.bytes, trip.size);
		struct ear_text_input *input = input_of(bytes, cut ? length : length + trip.size);
		assert_int_equal(ear_reader_ntrace_detect((const char *)bytes, length), 100);
		int result = ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault));
		if (rows[i].fault) {
			assert_int_not_equal(result, 0);
			assert_contains(fault, rows[i].fault);
		} else {
			uint64_t offset, line_number;
			assert_int_equal(result, 0);
			while (ear_reader_next(reader, &record) == 1) {
				count += record->kind == EAR_RECORD_INSTRUCTION;
				assert_true(record->stream_offset >= length);
				assert_false(reader->resume->place(reader, &offset, &line_number));
			}
			assert_int_equal(count, rows[i].count);
			ear_reader_free(reader);
		}
		ear_text_input_free(input);
		fclose(file);
	}
	trip_fini(&trip);
}

static void a_dump_that_is_not_the_whole_ring_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *unit, *fault;
		size_t size;
	} rows[] = {
		{"{\"wrapped\": 1, \"head_offset\": 9}", "ends before the write pointer", 8},
		{"{\"ram_limit\": 252, \"ram_wp\": 5}", "shorter than the buffer", 252},
		{"{\"ram_limit\": 252, \"ram_wp\": 5}", NULL, 256},
		{"{\"ram_limit\": 252, \"ram_wp\": 5}", NULL, 2000},
		{"{\"ram_limit\": 240, \"ram_wp\": 8}", NULL, 8},
	};
	static const uint8_t bytes[2000];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct ear_reader_options options = {.unit = rows[i].unit, .xlen = 32};
		struct ear_text_input *input = input_of(bytes, rows[i].size);
		struct ear_reader *reader;
		const struct ear_record *record;
		char fault[EAR_FLOW_FAULT_SIZE];
		int result = 1;
		assert_int_equal(
			ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault)), 0);
		while (result == 1)
			result = ear_reader_next(reader, &record);
		assert_int_equal(result, rows[i].fault ? EAR_E_BAD_FILE : 0);
		if (rows[i].fault)
			assert_contains(reader->fault(reader), rows[i].fault);
		else
			assert_null(reader->fault(reader));
		ear_reader_free(reader);
		ear_text_input_free(input);
		fclose(file);
	}
}

/* c.nop and a call into memory that no range has; then the next message continues. */
static void missing_code_is_reported_with_its_address(void **state)
{
	(void)state;
	static const uint8_t code_bytes[] = {0x01, 0x00, 0x6f, 0x00, 0x10, 0x00, 0x01, 0x00};
	const struct ear_ntrace_message messages[] = {
		{.tcode = EAR_NTRACE_SYNC, .sync = 5, .address = 0x1000},
		{.tcode = EAR_NTRACE_HISTORY, .icnt = 9, .address = 0x1000 ^ 0x1006, .history = 1},
		{.tcode = EAR_NTRACE_STOP, .icnt = 1},
	};
	static const struct {
		uint8_t kind;
		uint64_t pc;
	} expected[] = {{EAR_RECORD_INSTRUCTION, 0x1000}, {EAR_RECORD_INSTRUCTION, 0x1002},
		{EAR_RECORD_GAP, 0x1802}, {EAR_RECORD_INSTRUCTION, 0x1006}, {EAR_RECORD_EVENT, 0}};
	struct ear_flow_code *code;
	struct ear_reader *reader;
	struct ear_text_input *input;
	struct ear_ntrace_unit unit = ear_ntrace_default_unit;
	const struct ear_record *record;
	uint8_t bytes[EAR_NTRACE_MESSAGE_MAX];
	char fault[100];

	unit.xlen = 32;
	file = tmpfile();
	assert_non_null(file);
	for (size_t i = 0; i < COUNT_OF(messages); i++)
		fwrite(bytes, 1, ear_ntrace_put(bytes, &messages[i], &unit), file);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(ear_flow_code_new(&code), 0);
	assert_int_equal(ear_flow_code_add(code, 0x1000, code_bytes, sizeof(code_bytes)), 0);
	assert_int_equal(ear_flow_code_finish(code, 32), 0);
	const struct ear_reader_options options = {.code = code, .report = hear};
	input = open_input();
	assert_int_equal(ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault)), 0);
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		assert_int_equal(ear_reader_next(reader, &record), 1);
		assert_int_equal(record->kind, expected[i].kind);
		if (record->kind == EAR_RECORD_GAP)
			assert_int_equal(record->u.gap.first, expected[i].pc);
		else
			assert_int_equal(record->pc, expected[i].pc);
	}
	assert_int_equal(ear_reader_next(reader, &record), 0);
	assert_string_equal(heard, "no code at 0x1802: give its ELF (--elf)");
	ear_reader_free(reader);
	ear_text_input_free(input);
	ear_flow_code_free(code);
	fclose(file);
}

static void a_unit_that_is_not_known_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *unit, *fault;
	} refused[] = {
		{"nonsuch", "'nonsuch' is not a unit that is known"},
		{"", "'' is not a unit"},
		{"{\"xlen\": 48}", "\"xlen\": neither 32 nor 64"},
		{"{\"stack\": 33}", "\"stack\": not a number from 0 to 32"},
		{"{\"wrapped\": 2}", "\"wrapped\": not a number from 0 to 1"},
		{"{\"ram_limit\": 252, \"ram_wp\": 256}", "\"ram_wp\" is not from"},
		{"{\"ram_start\": 8, \"ram_limit\": 252, \"ram_wp\": 4}", "\"ram_wp\" is not"},
		{"{\"ram_limit\": \"0x100000000\"}", "4 GiB"},
	};
	static const char *const known[] = {
		"sifive", "nexrv", "ntrace", "ntrace-btm", "ntrace-htm", " {\"xlen\": 64}"};
	struct ear_text_input *input;
	struct ear_reader *reader;
	char fault[100];

	assert_int_equal(ear_text_input_new_empty(&input), 0);
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		const struct ear_reader_options options = {.unit = refused[i].unit, .xlen = 32};
		assert_int_equal(
			ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault)),
			EAR_E_BAD_ARGUMENT);
		assert_contains(fault, refused[i].fault);
	}
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		const struct ear_reader_options options = {.unit = known[i], .xlen = 32};
		assert_int_equal(
			ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault)), 0);
		ear_reader_free(reader);
	}
	ear_text_input_free(input);
}

/* In-circuit trace, and a message of a vendor twice, between the beginning and the end. */
static void messages_that_are_passed_over_are_named(void **state)
{
	(void)state;
	static const uint8_t code_bytes[] = {0x01, 0x00, 0x01, 0x00};
	static const char bytes[] = "\x24\x15\xFF" /* ProgTraceSync at 0x7E */
				    "\x88\x03"
				    "\xE0\x07\xE0\x0B"
				    "\x84\x10\x07"; /* disabled, I-CNT 1 */
	static const char *const causes[] = {
		"messages of TCODE 34 (in-circuit trace) are passed over",
		"messages of TCODE 56 (of a vendor) are passed over"};
	struct ear_flow_code *code;
	struct ear_reader *reader;
	const struct ear_record *record;
	char fault[EAR_FLOW_FAULT_SIZE];

	for (unsigned both = 0; both < 2; both++) {
		file = tmpfile();
		assert_non_null(file);
		fwrite(bytes, 1, both ? sizeof(bytes) - 1 : 5, file);
		assert_int_equal(fflush(file), 0);
		assert_int_equal(ear_flow_code_new(&code), 0);
		assert_int_equal(ear_flow_code_add(code, 0x7E, code_bytes, sizeof(code_bytes)), 0);
		assert_int_equal(ear_flow_code_finish(code, 32), 0);
		const struct ear_reader_options options = {.code = code, .report = hear};
		struct ear_text_input *input = open_input();
		assert_int_equal(
			ear_reader_ntrace_make(&reader, input, &options, fault, sizeof(fault)), 0);
		heard[0] = '\0';
		while (ear_reader_next(reader, &record) == 1)
			continue;
		assert_string_equal(heard, causes[both]);
		ear_reader_free(reader);
		ear_text_input_free(input);
		ear_flow_code_free(code);
		fclose(file);
	}
}

static void streams_are_recognised_and_others_not(void **state)
{
	(void)state;
	struct random random = {23};
	char noise[4096];
	static const char text[] = "core   0: 0x80000000 (0x00000297) auipc t0, 0x0\n"
				   "core   0: 0x80000004 (0x02028593) addi a1, t0, 32\n";

	for (unsigned round = 0; round < 20; round++) {
		make_file(&random, round);
		assert_int_equal(ear_reader_ntrace_detect((const char *)trip.bytes, trip.size), 90);
		assert_int_equal(ear_reader_ntrace_detect((const char *)trip.bytes, 8), 0);
		trip.bytes[trip.size - 1] = EAR_NTRACE_RESERVED; /* damage is far from the begin */
		size_t messages = 0;
		for (size_t i = 0; i < trip.size; i++)
			messages += (trip.bytes[i] & 3) == EAR_NTRACE_END_MESSAGE;
		assert_int_equal(ear_reader_ntrace_detect((const char *)trip.bytes, trip.size),
			messages >= 64 ? 90 : 0);
		drop_file();
	}
	assert_int_equal(ear_reader_ntrace_detect(text, sizeof(text) - 1), 0);
	for (unsigned round = 0; round < 2000; round++) {
		for (size_t i = 0; i < sizeof(noise); i++)
			noise[i] = (char)(random_next(&random) >> 32);
		assert_int_equal(ear_reader_ntrace_detect(noise, sizeof(noise)), 0);
	}
	memset(noise, 0, sizeof(noise));
	assert_int_equal(ear_reader_ntrace_detect(noise, sizeof(noise)), 0);
	memset(noise, 0xff, sizeof(noise));
	assert_int_equal(ear_reader_ntrace_detect(noise, sizeof(noise)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_to_its_end),
		cmocka_unit_test(runs_have_the_same_records),
		cmocka_unit_test(a_saved_reader_continues_where_it_was),
		cmocka_unit_test(a_ring_of_a_sink_has_what_the_stream_has_after_a_synchronisation),
		cmocka_unit_test(the_example_of_a_ring_has_twenty_instructions),
		cmocka_unit_test(a_file_may_say_its_unit),
		cmocka_unit_test(a_dump_that_is_not_the_whole_ring_is_refused),
		cmocka_unit_test(missing_code_is_reported_with_its_address),
		cmocka_unit_test(a_unit_that_is_not_known_is_refused),
		cmocka_unit_test(messages_that_are_passed_over_are_named),
		cmocka_unit_test(streams_are_recognised_and_others_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
