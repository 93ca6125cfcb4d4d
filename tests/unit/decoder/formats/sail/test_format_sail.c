/* Logs of the Sail RISC-V model. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#include "decoder/formats/formats.h"

struct expected {
	uint64_t index, pc, opcode, next_pc, cause;
	uint32_t flags;
	uint8_t registers, accesses, reads;
};

#define PHYSICAL EAR_RECORD_PC_PHYSICAL
#define TRAP     EAR_RECORD_TRAP
#define IRQ      EAR_RECORD_INTERRUPT
#define NO_NEXT  EAR_RECORD_NO_NEXT_PC

static const struct expected rv64[] = {
	{0, 0x80000000, 0x00000297, 0x80000004, 0, PHYSICAL, 1, 0, 0},
	{1, 0x80000004, 0x30529073, 0x80000008, 0, PHYSICAL, 1, 0, 0},
	{2, 0x80000008, 0x34202573, 0x8000000c, 0, 0, 1, 0, 1},
	{3, 0x8000000c, 0x0102a303, 0x80000010, 0, 0, 1, 1, 0},
	{4, 0x80000010, 0x00a2a023, 0x80000014, 0, 0, 0, 1, 0},
	{5, 0x80000014, 0xa019, 0x8000001a, 0, EAR_RECORD_TAKEN, 0, 0, 0},
	{6, 0x8000001a, 0x0205e107, 0x8000001e, 0, 0, 2, 1, 0},
	{7, 0x8000001e, 0x02a5f553, 0x40000022, 0, 0, 2, 0, 0},
	{8, 0x40000022, 0, 0x80000000, 2, PHYSICAL | TRAP, 2, 0, 0},
	{9, 0x80000000, 0x00008067, 0x5000, 0, EAR_RECORD_TAKEN, 0, 0, 0},
	{10, 0x5000, 0, 0x80000000, 1, TRAP, 0, 0, 0},
	{10, 0x80000000, 0x13, 0, 0, NO_NEXT, 0, 0, 0},
	{11, 0x80000004, 0, 0x80000100, 0x8000000000000007,
		IRQ | EAR_RECORD_NO_OPCODE | EAR_RECORD_NO_PRIVILEGE, 2, 0, 0},
	{11, 0x80000100, 0x30200073, 0, 0, NO_NEXT, 0, 0, 0},
};

static void every_line_of_the_sample_is_understood(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "sail", "sail/rv64.log");
	assert_int_equal(trip.result, 0);
	if (trip.bad + trip.warnings)
		fail_msg("line %lu: %s", trip.messages[0].line, trip.messages[0].cause);
	assert_int_equal(trip.count, COUNT_OF(rv64));
	for (size_t i = 0; i < trip.count; i++) {
		const struct ear_record *record = trip.records[i];
		const struct expected *want = &rv64[i];
		if (record->index != want->index || record->pc != want->pc ||
			record->opcode != want->opcode || record->next_pc != want->next_pc ||
			record->cause != want->cause || record->flags != want->flags ||
			record->register_count != want->registers ||
			record->memory_count != want->accesses ||
			record->extra->read_count != want->reads || record->xlen != 64)
			fail_msg("record %zu: index %lu pc %lx opcode %lx next %lx cause %lx flags "
				 "%x, %zu registers, %zu accesses",
				i, record->index, record->pc, record->opcode, record->next_pc,
				record->cause, record->flags, record->register_count,
				record->memory_count);
	}
	trip_fini(&trip);
}

static void values_are_what_the_lines_say(void **state)
{
	(void)state;
	struct trip trip;

	trip_read_file(&trip, "sail", "sail/rv64.log");
	assert_int_equal(trip.records[0]->pc_physical, 0x80000000);
	assert_int_equal(trip.records[2]->extra->reads[0].number, 0x342);
	assert_int_equal(trip.records[2]->registers[0].number, 10); /* by its ABI name */

	const struct ear_record_access *load = &trip.records[3]->memory[0];
	assert_false(load->write);
	assert_true(load->has_value);
	assert_true(load->has_physical);
	assert_int_equal(load->size, 4);
	assert_int_equal(load->value, 0x00a2a023);
	assert_true(trip.records[4]->memory[0].write);

	const struct ear_record *vector = trip.records[6];
	assert_int_equal(vector->registers[0].reg_class, EAR_REGISTER_CSR);
	assert_int_equal(vector->registers[1].reg_class, EAR_REGISTER_V);
	assert_int_equal(vector->registers[1].text.bytes[4], 2);
	assert_null(vector->extra->disassembly.text); /* the table has it */
	assert_int_equal(vector->privilege, EAR_PRIVILEGE_S);

	/* The page-table read before a fetch is a walk of the instruction to come. */
	const struct ear_record *trap = trip.records[8];
	assert_int_equal(trap->extra->walk_count, 1);
	assert_int_equal(trap->extra->walks[0].steps[0].address, 0x83a58000);
	assert_int_equal(trap->extra->walks[0].steps[0].entry, 0x20e96c01);
	assert_int_equal(trap->extra->walks[0].result, 0x80000022);
	assert_true(trap->extra->has_trap_value);
	assert_null(trap->extra->disassembly.text);
	trip_fini(&trip);
}

static void older_versions_are_read(void **state)
{
	(void)state;
	static const char text[] =
		"Entry point: 0x80000000\n"
		"[0] [M]: 0x80000000 (0x30529073) csrrw zero, mtvec, t0\n"
		"CSR mtvec <- 0x80000100 (input: 0x80000101)\n"
		"[1] [U]: 0x80000004 (0x0001) c.nop\n"
		"Handling interrupt: 0x07\n"
		"handling int#0x07 at priv M with tval 0x00000000\n"
		"CSR mstatus <- 0x00001800\n"
		"[2] [M]: 0x80000100 (0x00000073) ecall\n"
		"trapping from M to M to handle m-call\n"
		"handling exc#m-call at priv M | tval=0x00000000 | tval2=0x00000000\n";
	struct trip trip;

	trip_read(&trip, "sail", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.bad + trip.warnings, 0);
	assert_int_equal(trip.count, 4);
	assert_int_equal(trip.records[0]->registers[0].number, 0x305);
	assert_int_equal(trip.records[0]->registers[0].value, 0x80000100);
	assert_int_equal(trip.records[1]->opcode_size, 2);
	/* No mepc: it came after the instruction before. */
	assert_int_equal(trip.records[2]->pc, 0x80000006);
	assert_int_equal(trip.records[2]->cause, 0x80000007);
	assert_int_equal(trip.records[2]->register_count, 1);
	assert_int_equal(trip.records[3]->cause, 11);
	assert_true(trip.records[3]->extra->has_trap_value);
	trip_fini(&trip);
}

static void bad_lines_are_reported_and_their_effects_belong_to_nobody(void **state)
{
	(void)state;
	static const char text[] = "[0] [M]: 0x80000000 (0x00000297) auipc x5, 0x0\n"
				   "[1] [Q]: 0x80000004 (0x00000297) auipc x5, 0x0\n"
				   "x5 <- 0x80000004\n"
				   "hello\n"
				   "[x] [M]: 0x80000008 (0x00000297)\n"
				   "[3] [M]: 0x8000000C 0x00000297\n"
				   "CSR nothing <- 0x0\n"
				   "CSR mtvec (0x305) = 0x0\n"
				   "mem[R] -> 0x0\n"
				   "mem[W,0x80000000] <- \n"
				   "x5 <- nothing\n"
				   "[4] [M]: 0x80000010 (0x00000297) auipc x5, 0x0\n"
				   "x5 <- 0x8000";
	static const struct {
		uint64_t line;
		const char *cause;
	} want[] = {
		{2, "the privilege is missing or unknown"},
		{4, "the line is not one of a Sail log"},
		{5, "the number of the step is missing"},
		{6, "the pc or the opcode is missing or malformed"},
		{7, "the CSR is unknown"},
		{8, "a CSR has no value"},
		{9, "an access has no address"},
		{10, "an access has no value"},
	};
	struct trip trip;

	trip_read(&trip, "sail", text, sizeof(text) - 1, NULL);
	assert_int_equal(trip.count, 2);
	assert_int_equal(trip.bad, COUNT_OF(want));
	assert_int_equal(trip.warnings, 1); /* no line end */
	for (size_t i = 0; i < COUNT_OF(want); i++) {
		assert_int_equal(trip.messages[i].line, want[i].line);
		assert_string_equal(trip.messages[i].cause, want[i].cause);
	}
	assert_int_equal(trip.records[0]->register_count, 0);
	assert_int_equal(trip.records[1]->register_count, 1);
	trip_fini(&trip);
}

static void damaged_logs_end_in_an_orderly_way(void **state)
{
	(void)state;
	size_t size;
	char *text = trip_load("sail/rv64.log", &size);

	assert_string_equal(ear_reader_detect(text, size)->name, "sail");
	trip_torture("sail", text, size, 10000);
	free(text);
}

static const struct ear_record *read_last(struct trip *trip, const char *text, size_t count)
{
	trip_read(trip, "sail", text, strlen(text), NULL);
	if (trip->bad + trip->warnings || trip->count != count)
		fail_msg("%zu records, %s", trip->count, trip->messages[0].cause);
	return trip->records[count - 1];
}

/* As riscof's logs have them: a store without a letter, 34 bits of an address in binary. */
static void accesses_of_2019_to_2025_are_read(void **state)
{
	(void)state;
	static const char hex[] = "mem[X,0x8000006A] -> 0xC606\n"
				  "[10] [M]: 0x8000006A (0xC606) c.swsp x1, 0xc\n"
				  "mem[0x8000A0EC] <- 0x80000020\n";
	static const char binary[] = "mem[X,0b0010000000000000000000000001101010] -> 0xC606\n"
				     "[10] [M]: 0x8000006A (0xC606) c.swsp x1, 0xc\n"
				     "mem[0b0010000000000000001010000011101100] <- 0x80000020\n";
	static const char load[] = "[11] [M]: 0x80000040 (0x00158883) lb x17, 0x1(x11)\n"
				   "mem[R,0b0010000000000000000000000010100101] -> 0x80\n"
				   "x17 <- 0xFFFFFF80\n";
	struct trip trip;

	for (unsigned i = 0; i < 2; i++) {
		const struct ear_record *record = read_last(&trip, i ? binary : hex, 1);
		assert_int_equal(record->pc_physical, 0x8000006a);
		assert_int_equal(record->memory_count, 1);
		assert_true(record->memory[0].write);
		assert_int_equal(record->memory[0].address, 0x8000a0ec);
		assert_int_equal(record->memory[0].size, 4);
		assert_int_equal(record->memory[0].value, 0x80000020);
		trip_fini(&trip);
	}
	const struct ear_record *record = read_last(&trip, load, 1);
	assert_false(record->memory[0].write);
	assert_int_equal(record->memory[0].address, 0x800000a5);
	assert_int_equal(record->memory[0].size, 1);
	trip_fini(&trip);
}

static void lines_of_the_platform_say_nothing_of_an_instruction(void **state)
{
	(void)state;
	static const char text[] = "[0] [S]: 0x80000000 (0x00000013) addi x0, x0, 0x0\n"
				   "TLB add [ len=64 ]\n"
				   "\xE2\x95\x94\xE2\x95\x90\xE2\x95\xA6\n"
				   "\xE2\x95\x91 IDX \xE2\x95\x91\n"
				   "clint::tick mtime <- 0x0000000000000001\n"
				   " clint timer pending at mtime 0x0000000000000001\n"
				   "within_phys_mem: 0x0000000000000000 not within phys-mem:\n"
				   "  plat_rom_base: 0x0000000000001000\n"
				   "unhandled write to CSR 0x7C0\n"
				   "htif-syscall-proxy cmd: 0x000000000001\n"
				   "entering wait-for-interrupt state at PC 0x80000004\n"
				   "[1] [S]: 0x80000004 (0x5E003057) vmv.v.i v0, 0x0\n"
				   "v0 <- 00000001000000020000000300000004\n";
	struct trip trip;
	const struct ear_record *record = read_last(&trip, text, 2);

	assert_int_equal(record->registers[0].reg_class, EAR_REGISTER_V);
	assert_int_equal(record->registers[0].text_size, 16);
	assert_int_equal(record->registers[0].text.bytes[0], 4);
	trip_fini(&trip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_of_2019_to_2025_are_read),
		cmocka_unit_test(lines_of_the_platform_say_nothing_of_an_instruction),
		cmocka_unit_test(every_line_of_the_sample_is_understood),
		cmocka_unit_test(values_are_what_the_lines_say),
		cmocka_unit_test(older_versions_are_read),
		cmocka_unit_test(bad_lines_are_reported_and_their_effects_belong_to_nobody),
		cmocka_unit_test(damaged_logs_end_in_an_orderly_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
