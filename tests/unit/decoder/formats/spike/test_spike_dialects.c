/* The lines of Spike as other tools write them, and between other lines: a text for each, and what
 * its records must hold. */
#define _GNU_SOURCE /* stpcpy */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#include "decoder/formats/base/lacks.h"
#include "decoder/formats/formats.h"
#include "decoder/record/field.h"

/* A record in a line: what is not of interest is left out of the text. */
static void print_record(char *to, size_t size, const struct ear_record *record)
{
	int at = snprintf(to, size, "%u %lx %lx", record->hart, record->pc, record->opcode);

	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		at += snprintf(to + at, size - (size_t)at, " %s %lx",
			record->flags & EAR_RECORD_TRAP ? "trap" : "interrupt", record->cause);
	if (record->flags & EAR_RECORD_HANDLER)
		at += snprintf(to + at, size - (size_t)at, " handler");
	for (size_t i = 0; i < record->register_count; i++)
		at += snprintf(to + at, size - (size_t)at, " %c%u=%lx",
			"xfcv"[record->registers[i].reg_class], record -> registers[i].number,
			record->registers[i].value);
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		at += snprintf(to + at, size - (size_t)at, " %s%u[%lx]",
			access->write ? "store" : "load", access->size, access->address);
		if (access->has_value)
			at += snprintf(to + at, size - (size_t)at, "=%lx", access->value);
	}
}

/* The records of a text are these; and so many lines are reported. */
static void assert_records(const char *text, unsigned reports, const char *const *want)
{
	struct trip trip;
	size_t count = 0;

	trip_read(&trip, "spike", text, strlen(text), NULL);
	if (trip.bad + trip.warnings != reports)
		fail_msg(
			"%u bad, %u warnings: %s", trip.bad, trip.warnings, trip.messages[0].cause);
	for (; want[count]; count++) {
		char have[512] = "";
		if (count < trip.count)
			print_record(have, sizeof(have), trip.records[count]);
		assert_string_equal(have, want[count]);
	}
	assert_int_equal(trip.count, count);
	trip_fini(&trip);
}

#define RECORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static uint64_t lacks(const char *text)
{
	const struct ear_reader_options options = {0};

	assert_string_equal(ear_reader_detect(text, strlen(text))->name, "spike");
	return ear_reader_lacks(ear_reader_find("spike"), &options, text, strlen(text));
}

#define HAS(set, field) ((set) >> EAR_FIELD_##field & 1)

/* CVA6 prints all digits of a register as the data of each store. */
static void stores_of_cva6_have_the_size_of_their_opcode(void **state)
{
	(void)state;
	assert_records(
		"core   0: 0x000000008000006e (0x0075a023) DASM(0075a023)\n"
		"3 0x000000008000006e (0x0075a023) mem 0x00000000800000a4 0x1122334455667788\n"
		"core   0: 0x0000000080000072 (0x01160023) DASM(01160023)\n"
		"3 0x0000000080000072 (0x01160023) mem 0x00000000800000a0 0x1122334455667788\n"
		"core   0: 0x0000000080000076 (0x00a5b02f) DASM(00a5b02f)\n"
		"3 0x0000000080000076 (0x00a5b02f) x 0 0x0000000000000001 mem "
		"0x00000000800000a0 mem 0x00000000800000a0 0x0000000000000007\n",
		0,
		RECORDS("0 8000006e 75a023 store4[800000a4]=55667788",
			"0 80000072 1160023 store1[800000a0]=88",
			"0 80000076 a5b02f load8[800000a0] store8[800000a0]=7"));
}

static void exceptions_and_interrupts_of_cva6_are_read(void **state)
{
	(void)state;
	static const char text[] =
		"core   0: 0x0000000080000034 (0x00000785) DASM(00000785)\n"
		"3 0x0000000080000034 (0x0785) x15 0x0000000000000001\n"
		"ILLEGAL_INSTR exception @ 0x0000000080000038 (0x0000000b)\n"
		"core   0: 0x0000000080000088 (0x00000013) DASM(00000013)\n"
		"3 0x0000000080000088 (0x00000013)\n"
		"INSTR_PAGE_FAULT exception @ 0x000000008000008c (0x00000013)\n"
		"core   INTERRUPT 0: 0x0000000080000100 (0x00000013) DASM(00000013)\n"
		"3 0x0000000080000100 (0x00000013)\n"
		"core   0: 0x0000000080000104 (0x34029073) DASM(34029073)\n"
		"3 0x0000000080000104 (0x34029073)\n"
		"core   INTERRUPT 0: 0x0000000080000100 (0x00000013) DASM(00000013)\n"
		"3 0x0000000080000100 (0x00000013)\n"
		"NEW_ONE exception @ 0x0000000080000104 (0x0001)\n";
	struct trip trip;

	assert_records(text, 0,
		RECORDS("0 80000034 785 x15=1", "0 80000038 b trap 2", "0 80000088 13",
			"0 8000008c 0 trap c", "0 80000100 13 handler", "0 80000104 34029073",
			"0 80000100 13 handler", "0 80000104 1 trap 0"));
	trip_read(&trip, "spike", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.records[5]->next_pc, 0x80000108); /* not the handler */
	assert_true(trip.records[7]->flags & EAR_RECORD_NO_CAUSE);
	assert_null(trip.records[0]->extra->disassembly.text);
	trip_fini(&trip);
	const uint64_t set = lacks(text);
	assert_true(HAS(set, INTERRUPT) && HAS(set, CSR_WRITE));
	assert_false(HAS(set, TRAP) || HAS(set, X_WRITE) || HAS(set, PRIVILEGE));
}

/* A load and a division of Rocket: their values come some instructions later, or not at all. */
static void late_values_of_rocket_join_their_records(void **state)
{
	(void)state;
	static const char text[] = "3 0x00080000084 (0x000060a2) x1 p1 0xXXXXXXXXXXXXXXXX\n"
				   "3 0x00080000086 (0x00000141) x2 0x000000008000a0f0\n"
				   "3 0x00080000088 (0x02dacb33) x22 p22 0xXXXXXXXXXXXXXXXX\n"
				   "x1 p1 0x0000000080000022\n"
				   "3 0x0008000008c (0x00053007) f0 p32 0xXXXXXXXXXXXXXXXX\n"
				   "x22 p22 0x0000000000000005\n"
				   "3 0x00080000090 (0x0000e406)\n"
				   "f0 p32 0x3ff0000000000000\n"
				   "3 0xff80000094 (0x02dacb33) x22 p22 0xXXXXXXXXXXXXXXXX\n";

	assert_records(text, 1,
		RECORDS("0 80000084 60a2 x1=80000022", "0 80000086 141 x2=8000a0f0",
			"0 80000088 2dacb33 x22=5", "0 8000008c 53007 f0=3ff0000000000000",
			"0 80000090 e406", "0 ffffffff80000094 2dacb33"));
	const uint64_t set = lacks(text);
	assert_true(HAS(set, TRAP) && HAS(set, INTERRUPT) && HAS(set, STORE_ADDRESS));
	assert_true(HAS(set, LOAD_ADDRESS));
	assert_false(HAS(set, X_WRITE) || HAS(set, F_WRITE));
}

static void a_value_that_never_comes_holds_nothing_back_for_long(void **state)
{
	(void)state;
	char text[16384] = "3 0x00080000000 (0x02dacb33) x22 p22 0xXXXXXXXXXXXXXXXX\n";
	size_t at = strlen(text);
	struct trip trip;

	for (unsigned i = 1; i <= 200; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "3 0x%011lx (0x00000013)\n",
			0x80000000ul + 4 * i);
	trip_read(&trip, "spike", text, at, NULL);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.count, 201);
	for (size_t i = 0; i < trip.count; i++)
		assert_int_equal(trip.records[i]->index, i);
	trip_fini(&trip);
	at = (size_t)snprintf(text, sizeof(text), "3 0x00080000000 (0x00000013)\nx5 p5 0x5\n");
	trip_read(&trip, "spike", text, at, NULL);
	assert_int_equal(trip.bad, 1); /* of no instruction */
	trip_fini(&trip);
}

/* BOOM has no placeholders; Spike of 2019 has no "core" in commit lines. */
static void commits_alone_are_read(void **state)
{
	(void)state;
	static const char boom[] = "3 0x0000000080000014 (0x4515) x10 0x0000000000000005\n"
				   "3 0x0000000080000016 (0x00000597) x11 0x0000000080000016\n"
				   "1 0xffffffff8000001a (0x00053007) f0 0x3ff0000000000000\n"
				   "1 0xffffffff8000001e (0x34029073) \n";
	static const char old[] =
		"core   0: 0x0000000080000014 (0x00004515) c.li    a0, 5\n"
		"3 0x0000000080000014 (0x4515) x10 0x0000000000000005\n"
		"core   0: 0x0000000080000016 (0x0000000b) unknown\n"
		"core   0: exception trap_illegal_instruction, epc 0x0000000080000016\n"
		"core   0:           badaddr 0x000000000000000b\n";

	assert_records(boom, 0,
		RECORDS("0 80000014 4515 x10=5", "0 80000016 597 x11=80000016",
			"0 ffffffff8000001a 53007 f0=3ff0000000000000",
			"0 ffffffff8000001e 34029073"));
	assert_true(HAS(lacks(boom), TRAP));
	assert_records(old, 0, RECORDS("0 80000014 4515 x10=5", "0 80000016 b trap 2"));
	assert_false(HAS(lacks(old), TRAP) || HAS(lacks(old), INTERRUPT));
}

/* -l alone has no effects, which is not the same as having none. */
static void a_listing_lacks_what_instructions_do(void **state)
{
	(void)state;
	const uint64_t set = lacks("core   0: 0x80000000 (0x0000a117) auipc   sp, 0xa\n"
				   "core   0: 0x80000010 (0x30529073) csrw    mtvec, t0\n"
				   "core   0: 0x8000006e (0x0075a023) sw      t2, 0(a1)\n");

	assert_true(HAS(set, X_WRITE) && HAS(set, CSR_WRITE) && HAS(set, STORE_VALUE));
	assert_true(HAS(set, PRIVILEGE));
	assert_false(HAS(set, TRAP) || HAS(set, F_WRITE));
}

/* Output of the program and prompts of the debugger, on lines of their own or not. */
static void other_lines_are_passed_over(void **state)
{
	(void)state;
	char text[16384] = "core   0: 0x80000000 (0x00004515) c.li    a0, 5\n";
	size_t at = strlen(text);

	for (unsigned i = 0; i < 120; i++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "[    0.%u] Linux version line %u\n", i, i);
	snprintf(text + at, sizeof(text) - at,
		"3 of 4 tests passed\n"
		"core   0: 3 0x80000000 (0x4515) x10 0x00000005\n"
		"(spike) core   0: 0x80000002 (0x00000013) nop\n"
		": core   0: 3 0x80000002 (0x00000013)\n"
		"Hello, corecore   0: 3 0x80000006 (0x00000013)\n"
		"0x0000000000000005\n");
	assert_records(
		text, 122, RECORDS("0 80000000 4515 x10=5", "0 80000002 13", "0 80000006 13"));
}

static void assert_unpaired(const char *text, uint64_t count, uint64_t line)
{
	struct trip trip;

	trip_read(&trip, "spike", text, strlen(text), NULL);
	assert_int_equal(trip.unpaired, count);
	assert_int_equal(trip.unpaired_line, line);
	trip_fini(&trip);
}

#define ADDI(pc)     "core   0: 0x800000" pc " (0x00150513) addi    a0, a0, 1\n"
#define ADDI_DID(pc) "core   0: 3 0x800000" pc " (0x00150513) x10 0x00000001\n"
#define SB(pc)       "core   0: 0x800000" pc " (0x00a58023) sb      a0, 0(a1)\n"
#define SB_DID(pc)   "core   0: 3 0x800000" pc " (0x00a58023) mem 0x80001000 0x01\n"

static void lines_without_a_partner_are_counted_where_there_are_pairs(void **state)
{
	(void)state;
	assert_unpaired(ADDI("00") ADDI_DID("00") ADDI_DID("04") ADDI("08") ADDI_DID("08"), 1, 3);
	assert_unpaired(ADDI("00") ADDI("04") ADDI_DID("04") ADDI_DID("08"), 2, 1);
	/* One kind of line only; the last line, whose commit may be to come. */
	assert_unpaired(ADDI("00") ADDI("04") SB("08"), 0, 0);
	assert_unpaired(ADDI_DID("00") ADDI_DID("04") SB_DID("08"), 0, 0);
	assert_unpaired(ADDI("00") ADDI_DID("00") ADDI("04"), 0, 0);
	/* Old versions have commit lines of writes only. */
	assert_unpaired(SB("00") ADDI("04") ADDI_DID("04") SB("08") ADDI("0c"), 0, 0);
	assert_unpaired(SB("00") ADDI("04") ADDI_DID("04") SB("08") SB_DID("08"), 1, 1);
	/* A repeat, an exception, and the first instruction after an interrupt. */
	assert_unpaired(ADDI("00") ADDI_DID("00") ADDI_DID("00"), 0, 0);
	assert_unpaired(
		ADDI("00") ADDI_DID("00")
			SB("04") "core   0: exception trap_store_access_fault, epc 0x80000004\n" ADDI(
				"40") ADDI_DID("40"),
		0, 0);
	assert_unpaired(
		ADDI("00") ADDI_DID(
			"00") "core   0: exception interrupt #7, epc 0x80000004\n" ADDI_DID("40"),
		0, 0);
	/* A hart that repeats an instruction between the lines of another one. */
	assert_unpaired(ADDI("00") ADDI_DID("00") "core   1: 3 0x80000100 (0x0000006f)\n", 0, 0);
}

/* A beginning without registers, and pcs whose sign is extended: XLEN 32 is a guess. */
static void a_register_of_64_bits_takes_xlen_32_back(void **state)
{
	(void)state;
	static const char line[] = "core   0: 3 0xffffffff80000000 (0x00000013)\n";
	static const char wide[] =
		"core   0: 3 0xffffffff80000004 (0x00150513) x10 0x0000123400000000\n";
	const size_t count = 300000 / (sizeof(line) - 1);
	char *text = malloc(300000 + 2 * sizeof(wide)), *at = text;
	struct trip trip;

	assert_non_null(text);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, line);
	at = stpcpy(stpcpy(at, wide), wide);
	trip_read_looked(&trip, "spike", text, (size_t)(at - text));
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.warnings, 1);
	assert_string_equal(trip.messages[0].cause, EAR_READER_IS_64);
	assert_same(trip.records[0]->pc, 0x80000000);
	assert_int_equal(trip.count, count + 2);
	for (size_t i = count; i < count + 2; i++) {
		assert_int_equal(trip.records[i]->xlen, 64);
		assert_same(trip.records[i]->pc, 0xffffffff80000004);
		assert_same(trip.records[i]->registers[0].value, 0x123400000000);
	}
	trip_fini(&trip);
	free(text);
}

static void placeholders_leave_the_record(void **state)
{
	(void)state;
	assert_records("3 0x0000000080000000 (0x00053503) x10 0xxxxxxxxxxxxxxxxx mem "
		       "0x0000000000001000\n"
		       "3 0x0000000080000004 (0x00a53023) mem 0x0000000000001000 "
		       "0x????????????????\n"
		       "3 0x0000000080000008 (0x00000597) x11 0x--------\n",
		1,
		RECORDS("0 80000000 53503 load8[1000]", "0 80000004 a53023 store8[1000]",
			"0 80000008 597"));
}

static void damaged_lines_end_in_an_orderly_way(void **state)
{
	(void)state;
	static const char text[] =
		"core   0: 0x0000000080000034 (0x00000785) DASM(00000785)\n"
		"3 0x0000000080000034 (0x0785) x15 0x0000000000000001\n"
		"ILLEGAL_INSTR exception @ 0x0000000080000038 (0x0000000b)\n"
		"core   INTERRUPT 0: 0x0000000080000100 (0x00000013) DASM(00000013)\n"
		"3 0x00080000084 (0x000060a2) x1 p1 0xXXXXXXXXXXXXXXXX\n"
		"3 0x00080000086 (0x00000141) x2 0x000000008000a0f0\n"
		"x1 p1 0x0000000080000022\n";

	trip_torture("spike", text, sizeof(text) - 1, 3000);
}

/* Commit lines with the numbers of an editor, cat -n or grep -n before them, and of a Dromajo
 * trace, which has the hart there: numbers of lines rise. */
static void numbers_of_lines_are_not_harts(void **state)
{
	static const struct {
		const char *format, *text;
	} rows[] = {
		{"spike", "7 3 0x80000000 (0x00000297) x5  0x80000000\n"
			  "8 3 0x80000004 (0x00028313) x6  0x80000000\n"
			  "9 3 0x80000008 (0x0062a023) mem 0x80000000 0x80000000\n"},
		{"spike", "     1\t3 0x80000000 (0x00000297) x5  0x80000000\n"
			  "     2\t3 0x80000004 (0x00028313) x6  0x80000000\n"
			  "     4\t3 0x80000008 (0x0062a023) mem 0x80000000 0x80000000\n"},
		{"spike", "98:3 0x80000000 (0x00000297) x5  0x80000000\n"
			  "99:3 0x80000004 (0x00028313) x6  0x80000000\n"
			  "100:3 0x80000008 (0x0062a023) mem 0x80000000 0x80000000\n"},
		{"dromajo", "0 3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n"
			    "0 3 0x0000000080000004 (0x00028313) x 6 0x0000000080000000\n"
			    "0 3 0x0000000080000008 (0x0062a023)\n"},
		{"dromajo", "0 3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n"
			    "1 3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n"
			    "2 3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n"
			    "0 3 0x0000000080000004 (0x00028313) x 6 0x0000000080000000\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct ear_reader_format *format =
			ear_reader_detect(rows[i].text, strlen(rows[i].text));
		assert_non_null(format);
		assert_string_equal(format->name, rows[i].format);
	}
	for (size_t i = 0; i < 3; i++) {
		struct trip trip;
		trip_read(&trip, "spike", rows[i].text, strlen(rows[i].text), NULL);
		assert_int_equal(trip.bad + trip.warnings + trip.skipped, 0);
		assert_int_equal(trip.count, 3);
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(trip.records[k]->pc, 0x80000000 + 4 * k);
			assert_int_equal(trip.records[k]->hart, 0);
			assert_int_equal(trip.records[k]->privilege, EAR_PRIVILEGE_M);
		}
		trip_fini(&trip);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_of_cva6_have_the_size_of_their_opcode),
		cmocka_unit_test(exceptions_and_interrupts_of_cva6_are_read),
		cmocka_unit_test(late_values_of_rocket_join_their_records),
		cmocka_unit_test(a_value_that_never_comes_holds_nothing_back_for_long),
		cmocka_unit_test(commits_alone_are_read),
		cmocka_unit_test(a_listing_lacks_what_instructions_do),
		cmocka_unit_test(other_lines_are_passed_over),
		cmocka_unit_test(lines_without_a_partner_are_counted_where_there_are_pairs),
		cmocka_unit_test(a_register_of_64_bits_takes_xlen_32_back),
		cmocka_unit_test(placeholders_leave_the_record),
		cmocka_unit_test(damaged_lines_end_in_an_orderly_way),
		cmocka_unit_test(numbers_of_lines_are_not_harts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
