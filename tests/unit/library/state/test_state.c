/* Running state: what registers hold before and after records. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder/isa/inst.h"
#include "library/state/state.h"
#include "record_trip.h"

static struct ear_state *new_state(void)
{
	struct ear_state *state = NULL;

	assert_int_equal(ear_state_new(&state), 0);
	return state;
}

static struct ear_record instruction(unsigned xlen, uint32_t opcode)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.isa = EAR_ISA_RISCV,
		.xlen = (uint8_t)xlen,
		.opcode = opcode,
		.opcode_size = (opcode & 3) == 3 ? 4 : 2,
		.pc = 0x80000000,
		.next_pc = 0x80000004};
}

static struct ear_record_register write_of(
	enum ear_register_class reg_class, unsigned number, uint64_t value)
{
	return (struct ear_record_register){
		.reg_class = (uint8_t)reg_class, .number = (uint16_t)number, .value = value};
}

static void push(struct ear_state *state, struct ear_record *record,
	const struct ear_record_register *registers, size_t count)
{
	record->registers = registers;
	record->register_count = count;
	assert_int_equal(ear_state_push(state, record), 0);
}

static void nothing_is_known_at_first_but_x0(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	uint64_t value = 77;

	assert_true(ear_state_register(running, 3, EAR_REGISTER_X, 0, &value));
	assert_int_equal(value, 0);
	for (unsigned i = 1; i < 32; i++)
		assert_false(ear_state_register(running, 3, EAR_REGISTER_X, i, &value));
	assert_false(ear_state_register(running, 3, EAR_REGISTER_F, 0, &value));
	assert_false(ear_state_register(running, 3, EAR_REGISTER_CSR, 768, &value));
	assert_false(ear_state_next_pc(running, 3, &value));
	ear_state_free(running);
}

static void what_is_written_is_known_from_then_on(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register five = write_of(EAR_REGISTER_X, 5, 40);
	struct ear_record_register next = write_of(EAR_REGISTER_X, 5, 42);
	struct ear_record record = instruction(64, 0x00000293); /* addi x5, x0, 0 */
	uint64_t value;

	push(running, &record, &five, 1);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 5, &value));
	assert_int_equal(value, 40);
	record = instruction(64, 0x00228293); /* addi x5, x5, 2 */
	push(running, &record, &next, 1);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 5, &value));
	assert_int_equal(value, 42);
	assert_true(ear_state_next_pc(running, 0, &value));
	assert_int_equal(value, 0x80000004);
	ear_state_free(running);
}

/* amocas.q x4, x8, (x6) writes x4 and x5. */
static void both_registers_of_a_pair_are_lost_if_none_is_listed(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record record = instruction(64, 0x06300493);
	struct ear_record_register writes[] = {write_of(EAR_REGISTER_X, 4, 1),
		write_of(EAR_REGISTER_X, 5, 2), write_of(EAR_REGISTER_X, 8, 3),
		write_of(EAR_REGISTER_X, 9, 4)};
	uint64_t value;

	push(running, &record, writes, COUNT_OF(writes));
	record = instruction(64, 0x2883422f);
	push(running, &record, NULL, 0);
	for (unsigned number = 4; number < 10; number++)
		assert_int_equal(ear_state_register(running, 0, EAR_REGISTER_X, number, &value),
			number >= 8);
	ear_state_free(running);
}

/* cm.popretz {ra, s0-s11}, 112 is all that an operand list can be. */
static void all_registers_of_a_list_are_lost_if_none_is_listed(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register writes[31];
	struct ear_record record = instruction(64, 0x00000013);
	struct ear_inst_set set;
	const char *at;
	uint64_t value;
	size_t size;

	for (unsigned i = 0; i < 31; i++)
		writes[i] = write_of(EAR_REGISTER_X, i + 1, i);
	push(running, &record, writes, COUNT_OF(writes));
	assert_int_equal(ear_inst_set_parse(&set, "rv64imac_zcmp", &at, &size), 0);
	ear_inst_restrict(&set);
	record = instruction(64, 0xbcfe);
	push(running, &record, NULL, 0);
	ear_inst_restrict(NULL);
	for (unsigned i = 1; i < 32; i++) { /* ra, sp, s0, s1, a0, s2 to s11 */
		bool written = i < 3 || i == 8 || i == 9 || i == 10 || (i > 17 && i < 28);
		assert_int_equal(
			ear_state_register(running, 0, EAR_REGISTER_X, i, &value), !written);
	}
	ear_state_free(running);
}

static void harts_have_registers_of_their_own(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register five = write_of(EAR_REGISTER_X, 5, 40);
	struct ear_record record = instruction(64, 0x00000293);
	uint64_t value;

	record.hart = 7;
	push(running, &record, &five, 1);
	assert_false(ear_state_register(running, 0, EAR_REGISTER_X, 5, &value));
	assert_true(ear_state_register(running, 7, EAR_REGISTER_X, 5, &value));
	ear_state_free(running);
}

static void a_gap_makes_its_hart_unknown(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register five = write_of(EAR_REGISTER_X, 5, 40);
	struct ear_record gap = {.kind = EAR_RECORD_GAP, .u.gap = {.count_known = true}};
	uint64_t value;

	for (uint16_t hart = 0; hart < 2; hart++) {
		struct ear_record record = instruction(64, 0x00000293);
		record.hart = hart;
		push(running, &record, &five, 1);
	}
	push(running, &gap, NULL, 0); /* "no record is missing" */
	assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 5, &value));
	gap.u.gap.count = 1;
	push(running, &gap, NULL, 0);
	assert_false(ear_state_register(running, 0, EAR_REGISTER_X, 5, &value));
	assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 0, &value));
	assert_true(ear_state_register(running, 1, EAR_REGISTER_X, 5, &value));
	ear_state_free(running);
}

static void csrs_are_known_when_written_or_read(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register writes[] = {
		write_of(EAR_REGISTER_X, 15, 0x1880), write_of(EAR_REGISTER_CSR, 768, 0x1888)};
	struct ear_record record = instruction(64, 0x300427f3); /* csrrs x15, mstatus, x8 */
	uint64_t value;

	push(running, &record, writes, 2);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 768, &value));
	assert_int_equal(value, 0x1888);

	/* Of an instruction that only reads, rd has what the CSR holds; but a counter counts on. */
	record = instruction(64, 0x305027f3); /* csrrs x15, mtvec, x0 */
	push(running, &record, writes, 1);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 0x305, &value));
	assert_int_equal(value, 0x1880);
	record = instruction(64, 0xc00027f3); /* csrrs x15, cycle, x0 */
	push(running, &record, writes, 1);
	assert_false(ear_state_register(running, 0, EAR_REGISTER_CSR, 0xC00, &value));

	/* sstatus is a view of mstatus: open after a write to it. */
	struct ear_record_register view = write_of(EAR_REGISTER_CSR, 0x100, 2);
	record = instruction(64, 0x10041073);
	push(running, &record, &view, 1);
	assert_false(ear_state_register(running, 0, EAR_REGISTER_CSR, 768, &value));
	ear_state_free(running);
}

static void fcsr_and_its_parts_are_one(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register fcsr = write_of(EAR_REGISTER_CSR, 3, 0x45);
	struct ear_record_register frm = write_of(EAR_REGISTER_CSR, 2, 1);
	struct ear_record record = instruction(64, 0x00301073);
	uint64_t value;

	push(running, &record, &fcsr, 1);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 1, &value));
	assert_int_equal(value, 5);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 2, &value));
	assert_int_equal(value, 2);
	record = instruction(64, 0x00201073); /* csrrw x0, frm, x0 */
	push(running, &record, &frm, 1);
	record = instruction(64, 0x1af677d3); /* fdiv.d raises a flag */
	record.fflags = 8;
	push(running, &record, NULL, 0);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 3, &value));
	assert_int_equal(value, 0x2d);
	ear_state_free(running);
}

static void a_trap_without_csr_writes_leaves_them_open(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register writes[] = {
		write_of(EAR_REGISTER_CSR, 0x341, 1), write_of(EAR_REGISTER_CSR, 0x305, 2)};
	struct ear_record record = instruction(64, 0x34129073);
	uint64_t value;

	push(running, &record, writes, 2);
	record = instruction(64, 0x00000073);
	record.flags = EAR_RECORD_TRAP;
	push(running, &record, NULL, 0);
	assert_false(ear_state_register(running, 0, EAR_REGISTER_CSR, 0x341, &value));
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 0x305, &value));
	ear_state_free(running);
}

static void vector_registers_hold_the_bytes_that_were_written_last(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	static const uint8_t first[16] = {1}, second[16] = {2};
	struct ear_record_register v = {
		.reg_class = EAR_REGISTER_V, .number = 2, .text_size = 16, .text.bytes = first};
	struct ear_record record = instruction(64, 0x0205e107);
	size_t size;

	assert_null(ear_state_vector(running, 0, 2, &size));
	push(running, &record, &v, 1);
	assert_memory_equal(ear_state_vector(running, 0, 2, &size), first, 16);
	v.text.bytes = second;
	push(running, &record, &v, 1);
	assert_memory_equal(ear_state_vector(running, 0, 2, &size), second, 16);
	assert_int_equal(size, 16);
	/* Too long to follow: unknown, not wrong. */
	static const uint8_t huge[EAR_STATE_VECTOR_MAX + 1];
	v.text.bytes = huge;
	v.text_size = sizeof(huge);
	push(running, &record, &v, 1);
	assert_null(ear_state_vector(running, 0, 2, &size));
	ear_state_free(running);
}

static void registers_of_other_instruction_sets_go_by_name(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register named = {
		.reg_class = EAR_REGISTER_NAMED, .text_size = 3, .text.name = "r14", .value = 8};
	struct ear_record_access access = {.address = 0x100, .write = true};
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION, .isa = EAR_ISA_A32};
	uint64_t value;

	record.memory = &access;
	record.memory_count = 1;
	push(running, &record, &named, 1);
	named.value = 12;
	push(running, &record, &named, 1);
	assert_true(ear_state_named(running, 0, (struct ear_text){"r14", 3}, &value));
	assert_int_equal(value, 12);
	assert_false(ear_state_named(running, 0, (struct ear_text){"r1", 2}, &value));
	/* With an unknown digit it is unknown, until it is written again. */
	struct ear_record_register unknown = {.reg_class = EAR_REGISTER_NAMED,
		.size = 1,
		.text_size = 3,
		.unknown = true,
		.text.name = "r14\xf0"};
	push(running, &record, &unknown, 1);
	assert_false(ear_state_named(running, 0, (struct ear_text){"r14", 3}, &value));
	push(running, &record, &named, 1);
	assert_true(ear_state_named(running, 0, (struct ear_text){"r14", 3}, &value));
	ear_state_free(running);
}

static void values_that_the_source_tells_are_learned(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register read = write_of(EAR_REGISTER_X, 8, 0x8000);
	struct ear_record_extra extra = {.reads = &read, .read_count = 1};
	struct ear_record record = instruction(32, 0xfff40493); /* addi x9, x8, -1 */
	uint64_t value;

	record.extra = &extra;
	push(running, &record, NULL, 0);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 8, &value));
	assert_int_equal(value, 0x8000);
	assert_false(ear_state_register(running, 0, EAR_REGISTER_X, 9, &value));
	ear_state_free(running);
}

/* What an instruction reads, from the state before it. */
struct operand {
	bool known;
	uint64_t value;
};

static struct operand operand_of(
	const struct ear_state *state, const struct ear_inst *inst, unsigned i)
{
	const struct ear_operand *from = &inst->operands[i];
	struct operand operand = {0};

	if (i >= inst->operand_count)
		return operand;
	if (from->kind == EAR_OPERAND_IMM)
		return (struct operand){true, (uint64_t)(int64_t)from->value};
	if (from->kind == EAR_OPERAND_X || from->kind == EAR_OPERAND_F)
		operand.known = ear_state_register(state, 0,
			from->kind == EAR_OPERAND_X ? EAR_REGISTER_X : EAR_REGISTER_F,
			(unsigned)from->value, &operand.value);
	return operand;
}

static bool condition(unsigned xlen, const struct ear_inst *inst, uint64_t a, uint64_t b)
{
	if (xlen == 32) {
		a = (uint64_t)(int32_t)a;
		b = (uint64_t)(int32_t)b;
	}
	switch (inst->id) {
	case EAR_INST_C_BEQZ:
	case EAR_INST_BEQ: return a == b;
	case EAR_INST_C_BNEZ:
	case EAR_INST_BNE: return a != b;
	case EAR_INST_BLT: return (int64_t)a < (int64_t)b;
	case EAR_INST_BGE: return (int64_t)a >= (int64_t)b;
	case EAR_INST_BLTU: return a < b;
	default: return a >= b;
	}
}

struct counts {
	unsigned branches, addresses, stores, sums;
};

static uint64_t masked(uint64_t value, unsigned size)
{
	return size >= 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

/* The values that the state has explain what the trace shows. */
static void check_record(
	const struct ear_state *state, const struct ear_record *record, struct counts *counts)
{
	const struct ear_record_access *access =
		record->memory_count > 0 ? &record->memory[0] : NULL;
	struct operand operand[3];
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	for (unsigned i = 0; i < 3; i++)
		operand[i] = operand_of(state, &inst, i);
	bool plain = inst.kind == EAR_KIND_LOAD || inst.kind == EAR_KIND_STORE;
	uint64_t sum = masked(operand[1].value + operand[2].value, record->xlen / 8);

	if (inst.kind == EAR_KIND_BRANCH && operand[0].known && operand[1].known) {
		assert_int_equal(condition(record->xlen, &inst, operand[0].value, operand[1].value),
			(record->flags & EAR_RECORD_TAKEN) != 0);
		counts->branches++;
	}
	if (plain && access && operand[1].known) {
		assert_int_equal(sum, access->address);
		counts->addresses++;
	}
	if (inst.kind == EAR_KIND_STORE && access && access->has_value && operand[0].known) {
		assert_int_equal(masked(operand[0].value, inst.access_size), access->value);
		counts->stores++;
	}
	if (inst.id == EAR_INST_ADDI && operand[1].known && record->register_count == 1) {
		assert_int_equal(sum, record->registers[0].value);
		counts->sums++;
	}
}

static void the_state_explains_whole_traces(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		unsigned xlen;
	} files[] = {{"whisper/atomtrap.csv", 32}, {"whisper/multi.csv", 64},
		{"whisper/timer.csv", 64}, {"whisper/fpmix.csv", 64}};
	const uint32_t not_executed =
		EAR_RECORD_INTERRUPT | EAR_RECORD_TRAP | EAR_RECORD_SKIPPED | EAR_RECORD_NO_OPCODE;
	struct counts counts = {0};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct ear_state *running = new_state();
		struct ear_reader_options options = {.xlen = files[i].xlen};
		struct trip trip;
		size_t size;
		char *text = trip_load(files[i].name, &size);
		trip_read(&trip, "whisper", text, size, &options);
		assert_int_equal(trip.bad, 0);
		assert_above(trip.count, 50);
		for (size_t k = 0; k < trip.count; k++) {
			const struct ear_record *record = trip.records[k];
			if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == 0 &&
				!(record->flags & not_executed))
				check_record(running, record, &counts);
			assert_int_equal(ear_state_push(running, record), 0);
		}
		trip_fini(&trip);
		free(text);
		ear_state_free(running);
	}
	/* Enough of each was there to be checked. */
	assert_above(counts.branches, 100);
	assert_above(counts.addresses, 100);
	assert_above(counts.stores, 50);
	assert_above(counts.sums, 100);
}

struct told {
	unsigned count;
	uint64_t line;
};

static int report(
	void *context, uint64_t line, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	struct told *told = context;

	(void)offset;
	assert_non_null(cause);
	assert_int_equal(kind, EAR_LINE_BAD);
	told->count++;
	told->line = line;
	return 0;
}

static void load(struct ear_state *state, const char *text, struct told *told)
{
	FILE *file = tmpfile();
	struct ear_text_input *input;

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	rewind(file);
	assert_int_equal(ear_text_input_new(&input, fileno(file), NULL, 0), 0);
	assert_int_equal(ear_state_load(state, input, report, told), 0);
	ear_text_input_free(input);
	fclose(file);
}

static void an_initial_state_file_is_the_beginning(void **state)
{
	(void)state;
	static const uint8_t vector[] = {0x10, 0, 0, 0, 0x20, 0, 0, 0, 0};
	struct ear_state *running = new_state();
	struct told told = {0};
	uint64_t value;
	size_t size;
	char *text = trip_load("spike/initial.state", &size);

	load(running, text, &told);
	free(text);
	assert_int_equal(told.count, 0);
	assert_true(ear_state_register(running, 5, EAR_REGISTER_X, 2, &value));
	assert_int_equal(value, 0x80002000);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_F, 10, &value));
	assert_int_equal(value, 0x3ff0000000000000);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 768, &value));
	assert_false(ear_state_register(running, 0, EAR_REGISTER_X, 10, &value));
	assert_true(ear_state_register(running, 1, EAR_REGISTER_X, 10, &value));
	assert_int_equal(value, 5);
	assert_memory_equal(ear_state_vector(running, 1, 8, &size), vector, sizeof(vector));
	assert_int_equal(size, sizeof(vector));
	ear_state_free(running);
}

static void bad_lines_of_the_initial_state_are_told(void **state)
{
	(void)state;
	static const char *const lines[] = {"y 1 0x1", "x 32 0x1", "x 1 1", "x 1 0x", "x 1 0x1 0x1",
		"c 4096 0x0", "x 1 0x11111111111111111", "x 1 0x1 70000", "v 1 0xg", "x 1"};

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct ear_state *running = new_state();
		struct told told = {0};
		uint64_t value;
		char text[100];
		snprintf(text, sizeof(text), "\n%s\nx 3 0x3\n", lines[i]);
		load(running, text, &told);
		if (told.count != 1 || told.line != 2)
			fail_msg("%s: told %u times", lines[i], told.count);
		assert_false(ear_state_register(running, 0, EAR_REGISTER_X, 1, &value));
		assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 3, &value));
		ear_state_free(running);
	}
}

static void the_number_of_harts_is_bounded(void **state)
{
	(void)state;
	struct ear_state *running = new_state();

	for (unsigned hart = 0; hart < EAR_STATE_HARTS_MAX; hart++) {
		struct ear_record record = instruction(32, 0x13);
		record.hart = (uint16_t)hart;
		assert_int_equal(ear_state_push(running, &record), 0);
	}
	struct ear_record record = instruction(32, 0x13);
	record.hart = UINT16_MAX;
	assert_int_equal(ear_state_push(running, &record), EAR_E_FULL);
	record.hart = 5;
	assert_int_equal(ear_state_push(running, &record), 0);
	ear_state_free(running);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_at_first_but_x0),
		cmocka_unit_test(what_is_written_is_known_from_then_on),
		cmocka_unit_test(both_registers_of_a_pair_are_lost_if_none_is_listed),
		cmocka_unit_test(all_registers_of_a_list_are_lost_if_none_is_listed),
		cmocka_unit_test(harts_have_registers_of_their_own),
		cmocka_unit_test(a_gap_makes_its_hart_unknown),
		cmocka_unit_test(csrs_are_known_when_written_or_read),
		cmocka_unit_test(fcsr_and_its_parts_are_one),
		cmocka_unit_test(a_trap_without_csr_writes_leaves_them_open),
		cmocka_unit_test(vector_registers_hold_the_bytes_that_were_written_last),
		cmocka_unit_test(registers_of_other_instruction_sets_go_by_name),
		cmocka_unit_test(values_that_the_source_tells_are_learned),
		cmocka_unit_test(the_state_explains_whole_traces),
		cmocka_unit_test(an_initial_state_file_is_the_beginning),
		cmocka_unit_test(bad_lines_of_the_initial_state_are_told),
		cmocka_unit_test(the_number_of_harts_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
