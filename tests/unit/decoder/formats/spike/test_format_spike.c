/* Logs of Spike, read and written. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/formats.h"
#include "decoder/isa/opcode.h"
#include "record_trip.h"

/* What the lines of the sample mean, in their order. */
struct expected {
	uint64_t pc, opcode, next_pc, cause;
	uint32_t flags;
	uint8_t hart, registers, accesses;
};

#define TAKEN   EAR_RECORD_TAKEN
#define NO_NEXT EAR_RECORD_NO_NEXT_PC
#define NO_PRIV EAR_RECORD_NO_PRIVILEGE
#define TRAP    EAR_RECORD_TRAP
#define IRQ     EAR_RECORD_INTERRUPT

static const struct expected rv64[] = {
	{0x1000, 0x00000297, 0x1004, 0, 0, 0, 1, 0},
	{0x1004, 0x02028593, 0x1008, 0, 0, 0, 1, 0},
	{0x1008, 0xf1402573, 0x100c, 0, 0, 0, 1, 0},
	{0x100c, 0x0182b283, 0x1010, 0, 0, 0, 1, 1},
	{0x1010, 0x00028067, 0x80000000, 0, TAKEN, 0, 0, 0},
	{0x80000000, 0x30529073, 0x80000004, 0, 0, 0, 1, 0},
	{0x80000004, 0x00a12423, 0x80000008, 0, 0, 0, 0, 1},
	{0x80000008, 0x00c5b02f, 0x8000000c, 0, 0, 0, 0, 2},
	{0x8000000c, 0x02a5f553, 0x80000010, 0, 0, 0, 3, 0},
	{0x80000010, 0xa019, 0x80000016, 0, TAKEN, 0, 0, 0},
	{0x80000016, 0x0205e107, 0x8000001a, 0, 0, 0, 1, 4},
	{0x8000001a, 0x00c58463, 0x80000022, 0, TAKEN, 0, 0, 0},
	{0x80000022, 0x0015b503, 0x80000000, 4, TRAP | NO_PRIV, 0, 0, 1},
	{0x80000000, 0x00000073, 0x80000000, 11, TRAP | NO_PRIV, 0, 0, 0},
	{0x80000000, 0xa001, 0x80000000, 0, TAKEN, 0, 0, 0},
	{0x80000000, 0xa001, 0x80000000, 0, TAKEN, 0, 0, 0},
	{0x80000000, 0, 0, 0x8000000000000007, IRQ | NO_PRIV | NO_NEXT | EAR_RECORD_NO_OPCODE, 0, 0,
		0},
	{0x80000000, 0x13, 0, 0, NO_NEXT, 1, 0, 0},
	{0x80005000, 0, 0, 12, TRAP | NO_PRIV | NO_NEXT, 0, 0, 0},
};

static void every_line_of_the_sample_is_understood(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "spike", "spike/rv64.log");
	assert_int_equal(trip.result, 0);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, COUNT_OF(rv64));
	for (size_t i = 0; i < trip.count; i++) {
		const struct ear_record *record = trip.records[i];
		const struct expected *want = &rv64[i];
		assert_int_equal(record->index, i);
		assert_int_equal(record->xlen, 64);
		if (record->pc != want->pc || record->opcode != want->opcode ||
			record->next_pc != want->next_pc || record->cause != want->cause ||
			record->flags != want->flags || record->hart != want->hart ||
			record->register_count != want->registers ||
			record->memory_count != want->accesses)
			fail_msg("record %zu: pc %lx opcode %lx next %lx cause %lx flags %x, "
				 "%zu registers, %zu accesses",
				i, record->pc, record->opcode, record->next_pc, record->cause,
				record->flags, record->register_count, record->memory_count);
	}
	trip_fini(&trip);
}

static void values_registers_and_accesses_are_what_the_lines_say(void **state)
{
	(void)state;
	static const uint8_t vector[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
	struct trip trip;

	trip_read_file(&trip, "spike", "spike/rv64.log");
	const struct ear_record *load = trip.records[3], *store = trip.records[6];
	assert_int_equal(load->registers[0].value, 0x80000000);
	assert_int_equal(load->memory[0].address, 0x1018);
	assert_int_equal(load->memory[0].size, 8); /* from the opcode */
	assert_false(load->memory[0].has_value);
	assert_int_equal(load->privilege, EAR_PRIVILEGE_M);
	assert_int_equal(store->memory[0].size, 4); /* from the digits */
	assert_true(store->memory[0].write);
	assert_true(store->memory[0].has_value);

	const struct ear_record *amo = trip.records[7], *fp = trip.records[8];
	assert_false(amo->memory[0].write);
	assert_true(amo->memory[1].write);
	assert_int_equal(amo->memory[1].value, 7);
	/* x, then f, then CSRs, whatever order the log has */
	assert_int_equal(fp->registers[0].reg_class, EAR_REGISTER_F);
	assert_int_equal(fp->registers[1].number, 1);
	assert_int_equal(fp->registers[2].number, 768);

	const struct ear_record *load_vector = trip.records[10];
	assert_int_equal(load_vector->registers[0].reg_class, EAR_REGISTER_V);
	assert_int_equal(load_vector->registers[0].text_size, sizeof(vector));
	assert_memory_equal(load_vector->registers[0].text.bytes, vector, sizeof(vector));
	assert_int_equal(load_vector->extra->read_count, 3);
	assert_null(load_vector->extra->disassembly.text); /* the table has it */

	const struct ear_record *trap = trip.records[12];
	assert_true(trap->extra->has_trap_value);
	assert_int_equal(trap->memory[0].address, 0x1021);
	assert_false(trap->memory[0].has_value);
	assert_int_equal(trip.records[17]->privilege, EAR_PRIVILEGE_S);
	assert_int_equal(trap->extra->line, 26);
	trip_fini(&trip);
}

static void commit_lines_alone_are_a_log_too(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "spike", "spike/rv32-commits.log");
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 6);
	assert_int_equal(trip.records[2]->xlen, 32);
	assert_true(trip.records[2]->flags & EAR_RECORD_TAKEN);
	assert_int_equal(trip.records[2]->next_pc, 0x80000010);
	assert_int_equal(trip.records[3]->opcode_size, 2);
	assert_int_equal(trip.records[4]->memory[0].size, 1);
	assert_int_equal(trip.records[4]->privilege, EAR_PRIVILEGE_U);
	assert_int_equal(trip.records[5]->registers[0].size, 8); /* FLEN 64 on RV32 */
	trip_fini(&trip);
}

/* Old versions have no core number in commit lines, tracers pad the register's number with a
 * blank in front, and forks put all of a trap into one line. */
static void older_versions_and_relatives_are_read(void **state)
{
	(void)state;
	static const char text[] =
		"3 0x0000000080000000 (0x00100293) x 5 0x0000000000000001\n"
		"core   0: 0x0000000080000004 (0x00000013) DASM(00000013)\n"
		"3 0x0000000080000004 (0x00000013)\r\n"
		"\n"
		"core   0: 3 exception trap_illegal_instruction, mepc 0x80000008, mcause "
		"0x00000002, mstatus 0x00001800, tval 0x00000000\n"
		"core   1: exception trap_instruction_access_fault, epc 0x0000000000000000\n"
		"core   1:           badaddr 0x0000000000000000\n"
		"core   1: exception trap #48, epc 0x0000000000000010\n";
	struct trip trip;

	trip_read(&trip, "spike", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 5);
	assert_int_equal(trip.records[0]->registers[0].number, 5);
	assert_int_equal(trip.records[1]->opcode, 0x13);
	assert_int_equal(trip.records[2]->cause, 2);
	assert_int_equal(trip.records[3]->hart, 1);
	assert_true(trip.records[3]->extra->has_trap_value);
	assert_int_equal(trip.records[4]->cause, 48);
	trip_fini(&trip);
}

static void a_first_line_without_its_beginning_does_not_make_a_log_one_of_32_bits(void **state)
{
	(void)state;
	static const char text[] =
		"core   0: 0x80000000 (0x00100293) li      t0, 1\n"
		"core   0: 0x0000000080000004 (0xfff00293) li      t0, -1\n"
		"core   0: 3 0x0000000080000004 (0xfff00293) x5  0xffffffffffffffff\n"
		"core   0: 0x180000008 (0x00000013) nop\n";
	struct trip trip;

	trip_read(&trip, "spike", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 3);
	assert_int_equal(trip.records[0]->xlen, 32);
	assert_int_equal(trip.records[1]->xlen, 64);
	assert_int_equal(trip.records[1]->registers[0].value, UINT64_MAX);
	assert_int_equal(trip.records[2]->xlen, 64);
	trip_fini(&trip);
}

/* An instruction of CSRs is in the log before it runs; then an interrupt comes. */
static void an_instruction_that_an_interrupt_came_before_is_no_record_of_its_own(void **state)
{
	(void)state;
	static const char
		commits[] = "core   0: 0x0000000080000068 (0x00000013) nop\n"
			    "core   0: 3 0x0000000080000068 (0x00000013)\n",
		fetched[] = "core   0: 0x000000008000006c (0x30047073) csrci   mstatus, 8\n",
		jump[] = "core   0: 0x000000008000006c (0x0000006f) j       pc + 0x0\n",
		rest[] = "core   0: exception interrupt #3, epc 0x000000008000006c\n"
			 "core   0: 3 0x0000000080000090 (0x34202e73) x28 0x8000000000000003\n";
	char text[1024];
	struct trip trip;

	for (int with_commits = 0; with_commits < 2; with_commits++) {
		int size = snprintf(
			text, sizeof(text), "%s%s%s", with_commits ? commits : "", fetched, rest);
		trip_read(&trip, "spike", text, (size_t)size, NULL);
		assert_int_equal(trip.bad + trip.warnings, 0);
		assert_int_equal(trip.count, 2 + with_commits);
		const struct ear_record *interrupt = trip.records[with_commits];
		assert_int_equal(interrupt->pc, 0x8000006c);
		assert_int_equal(interrupt->opcode, 0x30047073);
		assert_true(interrupt->flags & EAR_RECORD_INTERRUPT);
		assert_int_equal(interrupt->cause, UINT64_C(1) << 63 | 3);
		assert_int_equal(interrupt->index, with_commits);
		trip_fini(&trip);
	}
	/* A jump to itself has run, unless its commit line is missing. */
	for (int with_commits = 0; with_commits < 2; with_commits++) {
		int size = snprintf(
			text, sizeof(text), "%s%s%s", with_commits ? commits : "", jump, rest);
		trip_read(&trip, "spike", text, (size_t)size, NULL);
		assert_int_equal(trip.count, 3);
		trip_fini(&trip);
	}
}

static void bad_lines_are_reported_with_number_and_cause(void **state)
{
	(void)state;
	static const char text[] = "bbl loader\n"
				   "core   0: 3 0x80000000 (0x00000297) x5  0x80000000\n"
				   "core   0: 3 0x80000004 (0x00000297) x99 0x80000000\n"
				   "core   0: 3 0x80000008 (0x00000297) y5  0x80000000\n"
				   "core   x: 3 0x80000008 (0x00000297)\n"
				   "core   0: 0x80000008\n"
				   "core   0:           tval 0x80000008\n"
				   "core   0: exception trap_breakpoint\n"
				   "core   0: 3 0x8000000c (0x00000297) x5  0x8000000c\n"
				   "core   0: 3 0x80000010 (0x0000";
	static const struct {
		uint64_t line;
		const char *cause;
		bool bad;
	} want[] = {
		{1, "the line is not one of a Spike log", true},
		{5, "the line is not one of a Spike log", true},
		{6, "the pc or the opcode is missing or malformed", true},
		{7, "the trap value belongs to no trap", true},
		{8, "the exception has no epc", true},
		{10, "the last line is cut off", false},
	};
	struct trip trip;

	trip_read(&trip, "spike", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.result, 0);
	assert_int_equal(trip.count, 4); /* x99 and y5 are words, which leave the record */
	assert_string_equal(trip.word, "x99");
	assert_int_equal(trip.word_line, 3);
	assert_int_equal(trip.bad + trip.warnings, COUNT_OF(want));
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		assert_int_equal(trip.messages[i].line, want[i].line);
		assert_int_equal(trip.messages[i].bad, want[i].bad);
		assert_string_equal(trip.messages[i].cause, want[i].cause);
	}
	trip_fini(&trip);
}

static void without_commit_lines_repeats_are_warned_of_once(void **state)
{
	(void)state;
	static const char text[] = "core   0: 0x80000000 (0x0000a001) c.j     pc + 0x0\n"
				   "core   0: Executed 9 times\n"
				   "core   0: 0x80000000 (0x0000a001) c.j     pc + 0x0\n"
				   "core   0: Executed a times\n";
	struct trip trip;

	trip_read(&trip, "spike", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.warnings, 1);
	assert_int_equal(trip.bad, 0);
	assert_int_equal(trip.count, 2);
	assert_true(trip.records[0]->flags & EAR_RECORD_NO_PRIVILEGE);
	trip_fini(&trip);
}

static void a_light_read_has_pcs_opcodes_and_privileges_only(void **state)
{
	(void)state;
	struct ear_reader_options options = {.light = true};
	struct trip trip;
	size_t size;
	char *text = trip_load("spike/rv64.log", &size);

	trip_read(&trip, "spike", text, size, &options);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, COUNT_OF(rv64));
	for (size_t i = 0; i < trip.count; i++) {
		assert_int_equal(trip.records[i]->pc, rv64[i].pc);
		assert_int_equal(trip.records[i]->opcode, rv64[i].opcode);
		assert_int_equal(trip.records[i]->flags, rv64[i].flags);
		assert_int_equal(trip.records[i]->register_count, 0);
		assert_int_equal(trip.records[i]->memory_count, 0);
	}
	trip_fini(&trip);
	free(text);
}

/* The sample written is the sample, but for what Spike spells with pseudo-instructions and for
 * lines that are no records. */
static void the_sample_written_reads_the_same(void **state)
{
	(void)state;
	struct trip trip, again;
	size_t size;

	trip_read_file(&trip, "spike", "spike/rv64.log");
	char *text = trip_write("spike", trip.records, trip.count, &size);
	assert_non_null(strstr(text, "core   0: 3 0x0000000080000016 (0x0205e107) e32 m1 l4 v2  "
				     "0x00000004000000030000000200000001 mem 0x0000000000001020"));
	assert_non_null(strstr(text, "core   0: 0x0000000080000010 (0x0000a019) c.j     pc + 0x6\n"
				     "core   0: 3 0x0000000080000010 (0xa019)\n"));
	assert_non_null(strstr(text, "core   0: 0x000000008000001a (0x00c58463) beq     a1, a2, pc "
				     "+ 8\n"));
	assert_non_null(strstr(text,
		"core   0: exception trap_load_address_misaligned, epc 0x0000000080000022\n"
		"core   0:           tval 0x0000000000001021\n"));
	trip_read(&again, "spike", text, size, NULL);
	assert_int_equal(again.bad + again.warnings, 0);
	assert_int_equal(again.count, trip.count);
	for (size_t i = 0; i < trip.count; i++) {
		const char *field = trip_record_difference(trip.records[i], again.records[i]);
		if (field)
			fail_msg("record %zu: %s", i, field);
	}
	free(text);
	trip_fini(&again);
	trip_fini(&trip);
}

/* Of a vector instruction the writer shows more than a record from elsewhere has. */
static bool is_vector(uint64_t opcode)
{
	unsigned major = ear_opcode_major(opcode);

	return major == EAR_OPCODE_LOAD_FP || major == EAR_OPCODE_STORE_FP ||
	       major == EAR_OPCODE_OP_V || major == EAR_OPCODE_OP_VE;
}

/* A record of what the format can carry. pc: the record before went there, or is a trap. */
static void fill_random(struct ear_record *record, struct ear_record_register *registers,
	struct ear_record_access *memory, struct random *random, unsigned xlen)
{
	uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;
	unsigned count = (unsigned)random_below(random, 4);

	*record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION};
	record->isa = EAR_ISA_RISCV;
	record->xlen = (uint8_t)xlen;
	record->privilege = (uint8_t[]){
		EAR_PRIVILEGE_U, EAR_PRIVILEGE_S, EAR_PRIVILEGE_M}[random_below(random, 3)];
	record->pc = random_next(random) & mask & ~(uint64_t)1;
	do
		record->opcode = random_next(random) & UINT32_MAX;
	while (is_vector(record->opcode));
	record->opcode_size = (record->opcode & 3) == 3 ? 4 : 2;
	record->opcode &= record->opcode_size == 2 ? 0xFFFF : UINT32_MAX;
	record->registers = registers;
	record->memory = memory;
	for (unsigned i = 0; i < count; i++) {
		unsigned reg_class = i == 0   ? EAR_REGISTER_X
				     : i == 1 ? EAR_REGISTER_F
					      : EAR_REGISTER_CSR;
		registers[i] = (struct ear_record_register){.reg_class = (uint8_t)reg_class,
			.size = (uint8_t)(xlen / 8),
			.number = (uint16_t)(reg_class == EAR_REGISTER_CSR
						     ? 16 + random_below(random, 4080)
						     : 1 + random_below(random, 31)),
			.value = random_next(random) & mask};
	}
	record->register_count = count;
	record->memory_count = random_below(random, 3);
	for (size_t i = 0; i < record->memory_count; i++) {
		unsigned size = 1u << random_below(random, 4);
		memory[i] = (struct ear_record_access){.address = random_next(random) & mask,
			.write = true,
			.has_value = true,
			.size = (uint8_t)size};
		memory[i].value = random_next(random) >> (64 - 8 * size);
	}
}

static void random_records_come_back(void **state)
{
	(void)state;
	struct random random = {20260101};

	for (unsigned round = 0; round < 200; round++) {
		struct ear_record records[20];
		struct ear_record *list[20];
		struct ear_record_register registers[20][4];
		struct ear_record_access memory[20][4];
		unsigned xlen = round % 2 ? 32 : 64;
		struct trip trip;
		size_t size;

		for (size_t i = 0; i < 20; i++) {
			fill_random(&records[i], registers[i], memory[i], &random, xlen);
			records[i].hart = (uint16_t)random_below(&random, 12000);
			records[i].index = i;
			records[i].flags = EAR_RECORD_NO_NEXT_PC;
			list[i] = &records[i];
		}
		char *text = trip_write("spike", list, 20, &size);
		trip_read(&trip, "spike", text, size, NULL);
		assert_int_equal(trip.bad + trip.warnings, 0);
		assert_int_equal(trip.count, 20);
		for (size_t i = 0; i < 20; i++) {
			struct ear_record *read = trip.records[i];
			/* Where it went follows from the opcode, and from the successor if that
			 * is of the same hart; the texts of unknown opcodes are the writer's. */
			read->next_pc = 0;
			read->flags |= EAR_RECORD_NO_NEXT_PC;
			read->flags &= ~(uint32_t)EAR_RECORD_TAKEN;
			((struct ear_record_extra *)(uintptr_t)read->extra)->disassembly.size = 0;
			const char *field = trip_record_difference(list[i], read);
			if (field && strcmp(field, "disassembly") != 0)
				fail_msg("round %u, record %zu: %s\n%s", round, i, field, text);
		}
		trip_fini(&trip);
		free(text);
	}
}

static void damaged_logs_end_in_an_orderly_way(void **state)
{
	(void)state;
	size_t size;
	char *text = trip_load("spike/rv64.log", &size);

	trip_torture("spike", text, size, 10000);
	free(text);
}

static void the_format_is_recognized(void **state)
{
	(void)state;
	static const char *const files[] = {"spike/rv64.log", "spike/rv32-commits.log"};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		size_t size;
		char *text = trip_load(files[i], &size);
		const struct ear_reader_format *format = ear_reader_detect(text, size);
		assert_non_null(format);
		assert_string_equal(format->name, "spike");
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_of_the_sample_is_understood),
		cmocka_unit_test(values_registers_and_accesses_are_what_the_lines_say),
		cmocka_unit_test(commit_lines_alone_are_a_log_too),
		cmocka_unit_test(older_versions_and_relatives_are_read),
		cmocka_unit_test(
			a_first_line_without_its_beginning_does_not_make_a_log_one_of_32_bits),
		cmocka_unit_test(
			an_instruction_that_an_interrupt_came_before_is_no_record_of_its_own),
		cmocka_unit_test(bad_lines_are_reported_with_number_and_cause),
		cmocka_unit_test(without_commit_lines_repeats_are_warned_of_once),
		cmocka_unit_test(a_light_read_has_pcs_opcodes_and_privileges_only),
		cmocka_unit_test(the_sample_written_reads_the_same),
		cmocka_unit_test(random_records_come_back),
		cmocka_unit_test(damaged_logs_end_in_an_orderly_way),
		cmocka_unit_test(the_format_is_recognized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
