/* Whisper's text log, read and written. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#include "decoder/formats/formats.h"

#define LOG "whisper-log"

static void check_equal(const char *name, const char *got, const char *want, size_t want_size)
{
	for (size_t i = 0; i < want_size; i++)
		if (got[i] != want[i])
			fail_msg("%s, byte %zu:\n%.100s\nnot\n%.100s", name, i, got + i, want + i);
}

static const char *const names[] = {"atomtrap", "intsort", "timer"};

static void every_file_comes_out_as_it_went_in(void **state)
{
	(void)state;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char name[64];
		struct trip trip;
		size_t size, written;
		snprintf(name, sizeof(name), "whisper/%s-default.log", names[i]);
		char *text = trip_load(name, &size);
		assert_string_equal(ear_reader_detect(text, size)->name, LOG);
		trip_read(&trip, LOG, text, size, NULL);
		assert_int_equal(trip.result, 0);
		assert_int_equal(trip.bad + trip.warnings, 0);
		char *again = trip_write(LOG, trip.records, trip.count, &written);
		check_equal(name, again, text, size);
		assert_int_equal(written, size);
		trip_fini(&trip);
		free(again);
		free(text);
	}
}

/* Whisper wrote both of the same run: one can be made of the other, in both directions. */
static void csv_and_log_of_one_run_are_made_of_each_other(void **state)
{
	(void)state;
	static const char *const both[] = {"atomtrap", "timer"};

	for (size_t i = 0; i < COUNT_OF(both); i++) {
		char name[64];
		struct trip csv, log;
		size_t csv_size, log_size, written;
		snprintf(name, sizeof(name), "whisper/%s.csv", both[i]);
		char *csv_text = trip_load(name, &csv_size);
		snprintf(name, sizeof(name), "whisper/%s-default.log", both[i]);
		char *log_text = trip_load(name, &log_size);
		trip_read(&csv, "whisper", csv_text, csv_size, NULL);
		trip_read(&log, LOG, log_text, log_size, NULL);

		char *made = trip_write(LOG, csv.records, csv.count, &written);
		check_equal("log of CSV", made, log_text, log_size);
		assert_int_equal(written, log_size);
		free(made);
		made = trip_write("whisper", log.records, log.count, &written);
		check_equal("CSV of log", made, csv_text, csv_size);
		assert_int_equal(written, csv_size);
		free(made);
		trip_fini(&csv);
		trip_fini(&log);
		free(csv_text);
		free(log_text);
	}
}

/* Vectors and cbo.zero; masks are not in the log. */
static void vectors_are_written_and_read(void **state)
{
	(void)state;
	struct trip csv, log;
	size_t size;

	trip_read_file(&csv, "whisper", "whisper/vector.csv");
	char *text = trip_write(LOG, csv.records, csv.count, &size);
	assert_non_null(strstr(text,
		"#3 0  M 000000008000008e 0005e107 v 02 00000004000000030000000200000001 "
		"vle32.v v2, (x11), v0.t [0x80001000:0x90001000;0x80001004:0x90001004;0x80001008;"
		"0x8000100c]\n"));
	assert_non_null(
		strstr(text, "vadd.vv  v6, v3, v2 +\n#4 0  M 0000000080000092 02310357 v 07 "));
	assert_non_null(strstr(text, "#5 0  M 000000008000009c 02066327 r 0000000000000000 "
				     "0000000000000000 vse32.v v6, (x12) "
				     "[0x80001040=0x00000004;0x80001044=0x0000000a]\n"));
	assert_non_null(strstr(text, "#8 0 VS 00000000800000a8"));

	trip_read(&log, LOG, text, size, NULL);
	assert_int_equal(log.bad + log.warnings, 0);
	assert_int_equal(log.count, csv.count);
	for (size_t i = 0; i < csv.count; i++) {
		const struct ear_record *a = csv.records[i], *b = log.records[i];
		assert_int_equal(a->pc, b->pc);
		assert_int_equal(a->opcode, b->opcode);
		assert_int_equal(a->privilege, b->privilege);
		assert_int_equal(a->cause, b->cause);
		assert_int_equal(a->register_count, b->register_count);
		for (size_t k = 0; k < a->register_count; k++) {
			assert_int_equal(a->registers[k].number, b->registers[k].number);
			if (a->registers[k].reg_class == EAR_REGISTER_V)
				assert_memory_equal(a->registers[k].text.bytes,
					b->registers[k].text.bytes, a->registers[k].text_size);
			else
				assert_int_equal(a->registers[k].value, b->registers[k].value);
		}
	}
	assert_int_equal(log.records[4]->memory_count, 2);
	assert_int_equal(log.records[4]->memory[1].value, 10);
	assert_int_equal(log.records[4]->memory[1].size, 4);
	assert_int_equal(log.records[6]->memory_count, 4);
	trip_fini(&csv);
	trip_fini(&log);
	free(text);
}

/* No element of the store is written: Whisper shows empty brackets. */
static void a_store_with_all_elements_masked_has_empty_brackets(void **state)
{
	(void)state;
	static const char csv[] =
		"pc, inst, modified regs, source operands, memory, inst info, privilege, trap, "
		"disassembly, hartid\n"
		"80000100,5da27,,v20;x11,80002240m=0;80002242m=0,v,m,,vse16.v v20; (x11); v0.t,0\n";
	static const char want[] = "#1 0  M 80000100 0005da27 r 00         00000000  "
				   "vse16.v v20, (x11), v0.t []\n";
	struct trip trip;
	size_t size;

	trip_read(&trip, "whisper", csv, sizeof(csv) - 1, NULL);
	char *text = trip_write(LOG, trip.records, trip.count, &size);
	assert_string_equal(text, want);
	trip_fini(&trip);
	trip_read(&trip, LOG, text, size, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 1);
	free(text);
	text = trip_write(LOG, trip.records, trip.count, &size);
	assert_string_equal(text, want);
	trip_fini(&trip);
	free(text);
}

static void the_log_of_veer_iss_has_no_privilege(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, LOG, "whisper/veer.log");
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 6);
	assert_int_equal(trip.records[0]->flags, EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_TAKEN);
	assert_int_equal(trip.records[0]->next_pc, 0x70001FD6);
	assert_int_equal(trip.records[3]->next_pc, 0x70001FAC);
	assert_int_equal(trip.records[0]->xlen, 64);
	assert_memory_equal(trip.records[2]->extra->disassembly.text, "addi     x3, x3, 0x1c2", 22);
	assert_int_equal(trip.records[2]->extra->disassembly.size, 22);
	assert_int_equal(trip.records[5]->memory_count, 1);
	assert_int_equal(trip.records[5]->memory[0].address, 0xFFFFFFFDB8);
	assert_int_equal(trip.records[5]->memory[0].value, 1);
	assert_int_equal(trip.records[5]->memory[0].size, 8);
	trip_fini(&trip);
}

static void lines_besides_the_records_are_understood(void **state)
{
	(void)state;
	static const char text[] =
		"_start:\n"
		"#1 0 HS 80000000 00001197 r 03         80001000  auipc    x3, 0x1\n"
		"\n"
		"# gap: 2 records missing; index 1 to 2; hart 0; damaged bytes; stream byte 0\n"
		"#4 0  M 80000004 40018193 r 03         80001400  addi     x3, x3, 1024  +\n"
		"iptw:  +\n"
		" gpa: 0x80000004  +\n"
		"  0x80007008=0x20001801, ma=read,write  +\n"
		" res:0x80000004\n"
		"#5 0  M 80000008 00000297 r 05         80000008  auipc    x5, 0x0\n";
	struct trip trip;

	trip_read(&trip, LOG, text, strlen(text), NULL);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.warnings, 1); /* the page walk */
	assert_int_equal(trip.count, 4);
	assert_int_equal(trip.records[0]->privilege, EAR_PRIVILEGE_S);
	assert_int_equal(trip.records[0]->extra->line, 2);
	assert_int_equal(trip.records[1]->kind, EAR_RECORD_GAP);
	assert_int_equal(trip.records[2]->index, 3);
	assert_null(trip.records[2]->extra->disassembly.text);
	assert_int_equal(trip.records[3]->index, 4);
	trip_fini(&trip);
}

static void bad_lines_are_reported_with_their_position_and_skipped(void **state)
{
	(void)state;
	static const struct {
		const char *line, *cause;
	} rows[] = {
		{"#0 0  M 80000000 00001197 r 03 80001000  x",
			"the line does not begin with # and a number"},
		{"something", "the line does not begin with # and a number"},
		{"#1 65536  M 80000000 00001197 r 03 80001000  x",
			"the hart is not a number up to 65535"},
		{"#1 0  M 8000000 00001197 r 03 80001000  x", "the pc has neither 8 nor 16 digits"},
		{"#1 0  M 80000000 001197 r 03 80001000  x",
			"the opcode has neither 4 nor 8 digits"},
		{"#1 0  M 80000000 00001197 ", "the kind of change is missing"},
		{"#1 0  M 80000000 00001197 r zz 80001000  x",
			"the number of what changed is not hexadecimal"},
		{"#1 0  M 80000000 00001197 r 03 ", "the value is not hexadecimal"},
		{"#1 0  M 80000000 00001197 v 03 123 x",
			"the record is too long, or a vector's value is bad"},
		{"#1 0  M 80000000 00001197 r 03 80001000  x [0xzz]",
			"the accesses in brackets cannot be read"},
	};
	static const char good[] =
		"#7 0  M 80000000 00001197 r 03         80001000  auipc    x3, 0x1\n";

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct trip trip;
		char text[1000];
		snprintf(text, sizeof(text), "%s%s\n%s", good, rows[i].line, good);
		trip_read(&trip, LOG, text, strlen(text), NULL);
		if (trip.bad != 1 || strcmp(trip.messages[0].cause, rows[i].cause) != 0)
			fail_msg(
				"%s: %s", rows[i].line, trip.bad ? trip.messages[0].cause : "good");
		assert_int_equal(trip.count, 2);
		assert_int_equal(trip.messages[0].line, 2);
		trip_fini(&trip);
	}
}

/* The record stays, with the changes that were understood. */
static void a_change_of_another_kind_or_number_is_a_word(void **state)
{
	(void)state;
	static const char *const rows[] = {"q 03 80001000", "r 20 80001000", "f 20 80001000",
		"c 1000 80001000", "v 20 0102", "pmp 3 1f"};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct trip trip;
		char text[200], word[20];
		snprintf(text, sizeof(text),
			"#1 0  M 80000000 00001197 %s  auipc    x3, 0x1  +\n"
			"#1 0  M 80000000 00001197 r 03 80001000  auipc    x3, 0x1\n",
			rows[i]);
		snprintf(word, sizeof(word), "%s", rows[i]);
		*strchr(word, ' ') = '\0';
		trip_read(&trip, LOG, text, strlen(text), NULL);
		assert_int_equal(trip.bad, 0);
		assert_string_equal(trip.word, word);
		assert_int_equal(trip.word_line, 1);
		assert_int_equal(trip.count, 1);
		assert_int_equal(trip.skipped, 1);
		assert_int_equal(trip.records[0]->register_count, 1);
		trip_fini(&trip);
	}
}

static void an_unfinished_record_is_reported(void **state)
{
	(void)state;
	static const char text[] =
		"#1 0  M 80000186 3402d7f3 r 0f         deadbeef  csrrwi   x15, mscratch, 0x5  +\n"
		"#2 0  M 8000018a 340167f3 r 0f         00000005  csrrsi   x15, mscratch, 0x2\n"
		"#3 0  M 8000018e     4785 r 0f         00000001  c.li     x15, 0x1  +\n";
	struct trip trip;

	trip_read(&trip, LOG, text, strlen(text), NULL);
	assert_int_equal(trip.result, 0);
	assert_int_equal(trip.count, 0);
	assert_int_equal(trip.bad, 1);
	assert_string_equal(
		trip.messages[0].cause, "the record of the line before is not finished");
	assert_int_equal(trip.warnings, 1);
	assert_string_equal(trip.messages[1].cause, "the last line is cut off");
	trip_fini(&trip);
}

static void lines_of_a_record_agree(void **state)
{
	(void)state;
	static const char form[] =
		"#1 0  M 80000186 3402d7f3 r 0f         deadbeef  csrrwi   x15, mscratch, 0x5  +\n"
		"#1 0  M %s %s c 0340     00000005  csrrwi   x15, mscratch, 0x5\n"
		"#2 0  M 8000018e     4785 r 0f         00000001  c.li     x15, 0x1\n";
	static const char *const rows[][2] = {
		{"80000186", "3402d7f3"}, {"80000187", "3402d7f3"}, {"80000186", "3402d7f2"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[sizeof(form) + 16];
		struct trip trip;

		snprintf(text, sizeof(text), form, rows[i][0], rows[i][1]);
		trip_read(&trip, LOG, text, strlen(text), NULL);
		assert_int_equal(trip.result, 0);
		assert_int_equal(trip.bad, i > 0);
		assert_int_equal(trip.count, i > 0 ? 1 : 2);
		if (i > 0)
			assert_non_null(strstr(trip.messages[0].cause, "its pc or opcode"));
		trip_fini(&trip);
	}
}

static void check_random_records(uint8_t xlen)
{
	enum { COUNT = 5000 };
	struct random random = {4711};
	struct ear_record *records = calloc(COUNT, sizeof(*records));
	struct ear_record **list = calloc(COUNT, sizeof(*list));
	struct ear_record_register(*registers)[3] = calloc(COUNT, sizeof(*registers));
	struct ear_record_access *memory = calloc(COUNT, sizeof(*memory));
	struct trip trip;
	size_t size;

	/* addi, lw, sw and c.li: what has no consequences for the pc. */
	static const struct {
		uint32_t opcode;
		bool load, store;
	} insts[] = {{0x40018193, false, false}, {0x00052783, true, false},
		{0x00F5A023, false, true}, {0x4785, false, false}};
	for (size_t i = 0; i < COUNT; i++) {
		struct ear_record *record = list[i] = &records[i];
		size_t kind = (size_t)random_below(&random, COUNT_OF(insts));
		*record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
			.hart = (uint16_t)random_below(&random, 3),
			.index = i,
			.xlen = xlen,
			.privilege = (uint8_t)random_below(&random, 2),
			.opcode = insts[kind].opcode,
			.opcode_size = (insts[kind].opcode & 3) == 3 ? 4 : 2,
			.registers = registers[i],
			.memory = &memory[i]};
		uint64_t mask = record->xlen == 32 ? UINT32_MAX : UINT64_MAX;
		record->pc = random_next(&random) & mask;
		record->next_pc = (record->pc + record->opcode_size) & mask;
		if (insts[kind].load || insts[kind].store)
			memory[i] =
				(struct ear_record_access){.address = random_next(&random) & mask,
					.size = 4,
					.write = insts[kind].store,
					.has_value = insts[kind].store,
					.has_physical = random_once_in(&random, 2)};
		record->memory_count = insts[kind].load || insts[kind].store;
		if (memory[i].has_value)
			memory[i].value = (uint32_t)random_next(&random);
		if (memory[i].has_physical)
			memory[i].physical = memory[i].address ^ 0x100;
		if (random_below(&random, 2))
			registers[i][record->register_count++] =
				(struct ear_record_register){.reg_class = EAR_REGISTER_X,
					.number = 1 + (uint16_t)random_below(&random, 31),
					.value = random_next(&random) & mask};
		if (random_once_in(&random, 3))
			registers[i][record->register_count++] = (struct ear_record_register){
				.reg_class = EAR_REGISTER_F,
				.size = i % 3 ? 8 : 4,
				.number = (uint16_t)random_below(&random, 32),
				.value = random_next(&random) & (i % 3 ? UINT64_MAX : UINT32_MAX)};
		if (random_once_in(&random, 3))
			registers[i][record->register_count++] =
				(struct ear_record_register){.reg_class = EAR_REGISTER_CSR,
					.number = 4 + (uint16_t)random_below(&random, 4092),
					.value = random_next(&random) & mask};
	}
	char *text = trip_write(LOG, list, COUNT, &size);
	trip_read(&trip, LOG, text, size, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		const char *field = trip_record_difference(list[i], trip.records[i]);
		if (field)
			fail_msg("record %zu: %s", i, field);
	}
	trip_fini(&trip);
	free(text);
	free(memory);
	free(registers);
	free(list);
	free(records);
}

static void random_records_come_back(void **state)
{
	(void)state;
	check_random_records(32);
	check_random_records(64);
}

static void damage_ends_well(void **state)
{
	(void)state;
	struct trip csv;
	size_t size;

	trip_read_file(&csv, "whisper", "whisper/vector.csv");
	char *text = trip_write(LOG, csv.records, csv.count, &size);
	trip_torture(LOG, text, size, 5000);
	free(text);
	trip_fini(&csv);
	text = trip_load("whisper/veer.log", &size);
	trip_torture(LOG, text, size, 5000);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_record_agree),
		cmocka_unit_test(every_file_comes_out_as_it_went_in),
		cmocka_unit_test(csv_and_log_of_one_run_are_made_of_each_other),
		cmocka_unit_test(vectors_are_written_and_read),
		cmocka_unit_test(a_store_with_all_elements_masked_has_empty_brackets),
		cmocka_unit_test(the_log_of_veer_iss_has_no_privilege),
		cmocka_unit_test(lines_besides_the_records_are_understood),
		cmocka_unit_test(bad_lines_are_reported_with_their_position_and_skipped),
		cmocka_unit_test(a_change_of_another_kind_or_number_is_a_word),
		cmocka_unit_test(an_unfinished_record_is_reported),
		cmocka_unit_test(random_records_come_back),
		cmocka_unit_test(damage_ends_well),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
