/* Running state: operand values, previous values, current registers, predicates. */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void push(struct ear_state *state, struct ear_step *step, struct ear_record *record,
	const struct ear_record_register *registers, size_t count)
{
	record->registers = registers;
	record->register_count = count;
	assert_int_equal(ear_state_push(state, step, record), 0);
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

static void operands_are_of_the_time_before_the_record(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register five = write_of(EAR_REGISTER_X, 5, 40);
	struct ear_record_register next = write_of(EAR_REGISTER_X, 5, 42);
	struct ear_record record = instruction(64, 0x00000293); /* addi x5, x0, 0 */
	struct ear_step step;
	uint64_t value;

	push(running, &step, &record, &five, 1);
	assert_false(step.changes[0].previous_known);
	record = instruction(64, 0x00228293); /* addi x5, x5, 2 */
	push(running, &step, &record, &next, 1);
	assert_int_equal(step.operand_count, 3);
	assert_int_equal(step.operands[1].number, 5);
	assert_true(step.operands[1].known);
	assert_int_equal(step.operands[1].value, 40);
	assert_int_equal(step.operands[2].value, 2);
	assert_true(step.changes[0].previous_known);
	assert_int_equal(step.changes[0].previous, 40);
	assert_int_equal(step.changes[0].written->value, 42);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 5, &value));
	assert_int_equal(value, 42);
	assert_true(ear_state_next_pc(running, 0, &value));
	assert_int_equal(value, 0x80000004);
	ear_state_free(running);
}

/* amocas.q x4, x8, (x6): what is compared and stored are two registers each. */
static void pairs_are_an_operand_for_each_register(void **state)
{
	(void)state;
	static const uint16_t numbers[] = {4, 5, 6, 8, 9};
	struct ear_state *running = new_state();
	struct ear_record_register nine = write_of(EAR_REGISTER_X, 9, 99);
	struct ear_record record = instruction(64, 0x06300493); /* addi x9, x0, 99 */
	struct ear_step step;

	push(running, &step, &record, &nine, 1);
	record = instruction(64, 0x2883422f);
	push(running, &step, &record, NULL, 0);
	assert_int_equal(step.operand_count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(step.operands[i].number, numbers[i]);
		assert_int_equal(step.operands[i].count, 1);
		assert_true(step.operands[i].access & EAR_OPERAND_READ);
		assert_int_equal(step.operands[i].known, numbers[i] == 9);
	}
	assert_int_equal(step.operands[4].value, 99);
	assert_true(ear_step_is_atomic(&step));
	ear_state_free(running);
}

/* cm.popretz {ra, s0-s11}, 112 is all that an operand list can be. */
static void lists_are_an_operand_for_each_register(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record record = instruction(64, 0xbcfe);
	struct ear_inst_set set;
	struct ear_step step;
	const char *at;
	size_t size;

	assert_int_equal(ear_inst_set_parse(&set, "rv64imac_zcmp", &at, &size), 0);
	ear_inst_restrict(&set);
	push(running, &step, &record, NULL, 0);
	ear_inst_restrict(NULL);
	assert_int_equal(step.operand_count, EAR_STEP_OPERANDS_MAX);
	assert_int_equal(step.operands[0].number, 2);
	assert_int_equal(step.operands[1].number, 10);
	assert_int_equal(step.operands[2].number, 1);
	assert_int_equal(step.operands[3].number, 8);
	assert_int_equal(step.operands[5].number, 18);
	assert_int_equal(step.operands[14].number, 27);
	assert_int_equal(step.operands[14].access, EAR_OPERAND_WRITE);
	assert_int_equal(step.operands[15].kind, EAR_OPERAND_IMM);
	assert_true(ear_step_is_load(&step));
	assert_true(ear_step_is_return(&step));
	ear_state_free(running);
}

static void harts_have_registers_of_their_own(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register five = write_of(EAR_REGISTER_X, 5, 40);
	struct ear_record record = instruction(64, 0x00000293);
	struct ear_step step;
	uint64_t value;

	record.hart = 7;
	push(running, &step, &record, &five, 1);
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
	struct ear_step step;
	uint64_t value;

	for (uint16_t hart = 0; hart < 2; hart++) {
		struct ear_record record = instruction(64, 0x00000293);
		record.hart = hart;
		push(running, &step, &record, &five, 1);
	}
	push(running, &step, &gap, NULL, 0); /* "no record is missing" */
	assert_true(ear_state_register(running, 0, EAR_REGISTER_X, 5, &value));
	gap.u.gap.count = 1;
	push(running, &step, &gap, NULL, 0);
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
	struct ear_step step;
	uint64_t value;

	push(running, &step, &record, writes, 2);
	assert_int_equal(step.operands[2].kind, EAR_OPERAND_CSR);
	assert_true(step.operands[2].known);
	assert_int_equal(step.operands[2].value, 0x1880);
	assert_true(step.changes[1].previous_known);
	assert_int_equal(step.changes[1].previous, 0x1880);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 768, &value));
	assert_int_equal(value, 0x1888);

	/* The cycle counter is known only at the read. */
	record = instruction(64, 0xc00027f3); /* csrrs x15, cycle, x0 */
	push(running, &step, &record, writes, 1);
	assert_true(ear_step_is_csr(&step));
	assert_true(step.operands[2].known || step.operands[1].known);
	assert_false(ear_state_register(running, 0, EAR_REGISTER_CSR, 0xC00, &value));

	/* sstatus is a view of mstatus: open after a write to it. */
	struct ear_record_register view = write_of(EAR_REGISTER_CSR, 0x100, 2);
	record = instruction(64, 0x10041073);
	push(running, &step, &record, &view, 1);
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
	struct ear_step step;
	uint64_t value;

	push(running, &step, &record, &fcsr, 1);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 1, &value));
	assert_int_equal(value, 5);
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 2, &value));
	assert_int_equal(value, 2);
	record = instruction(64, 0x00201073); /* csrrw x0, frm, x0 */
	push(running, &step, &record, &frm, 1);
	record = instruction(64, 0x1af677d3); /* fdiv.d raises a flag */
	record.fflags = 8;
	push(running, &step, &record, NULL, 0);
	assert_true(ear_step_is_float(&step));
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 3, &value));
	assert_int_equal(value, 0x2d);
	ear_state_free(running);
}

static struct ear_record_register vector_write(unsigned number, const uint8_t bytes[16])
{
	struct ear_record_register reg = write_of(EAR_REGISTER_V, number, 0);

	reg.text_size = 16;
	reg.text.bytes = bytes;
	return reg;
}

/* v8 to v11 hold their numbers, then vtype is e32, m4. */
static void write_group(struct ear_state *running, struct ear_step *step)
{
	static uint8_t bytes[4][16];
	struct ear_record record = instruction(64, 0x62856407); /* vl4re32.v v8, (x10) */
	struct ear_record_register loaded[4], vtype = write_of(EAR_REGISTER_CSR, 3105, 0xd2);

	for (unsigned i = 0; i < 4; i++) {
		memset(bytes[i], (int)(8 + i), sizeof(bytes[i]));
		loaded[i] = vector_write(8 + i, bytes[i]);
	}
	push(running, step, &record, loaded, 4);
	assert_int_equal(step->operands[0].count, 4);
	assert_true(ear_step_is_load(step));
	record = instruction(64, 0xcd2272d7); /* vsetivli x5, 4, e32, m4, ta, ma */
	push(running, step, &record, &vtype, 1);
}

static void groups_of_vector_registers_are_of_the_time_before(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record record = instruction(64, 0x02840457); /* vadd.vv v8, v8, v8 */
	uint8_t sum[16] = {16};
	struct ear_record_register written[] = {vector_write(8, sum), vector_write(9, sum)};
	struct ear_step step;
	size_t size = 0;

	write_group(running, &step);
	push(running, &step, &record, written, 2);
	assert_int_equal(step.operand_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(step.operands[i].kind, EAR_OPERAND_V);
		assert_int_equal(step.operands[i].count, 4);
		assert_true(step.operands[i].known);
	}
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *bytes = ear_step_vector(running, &step, 1, i, &size);
		assert_non_null(bytes);
		assert_int_equal(size, 16);
		assert_int_equal(bytes[5], 8 + i);
	}
	assert_int_equal(ear_state_vector(running, 0, 8, &size)[0], 16);

	/* Masked, of a group of which one register is not known: v0 is not, nor v12 */
	record = instruction(64, 0x00c40257); /* vadd.vv v4, v12, v8, v0.t */
	push(running, &step, &record, NULL, 0);
	assert_int_equal(step.operand_count, 4);
	assert_false(step.operands[1].known);
	assert_null(ear_step_vector(running, &step, 1, 0, &size));
	assert_true(step.operands[2].known);
	assert_int_equal(step.operands[3].number, 0);
	assert_int_equal(step.operands[3].count, 1);
	assert_int_equal(step.operands[3].access, EAR_OPERAND_READ | EAR_OPERAND_ASIDE);
	assert_false(step.operands[3].known);
	ear_state_free(running);
}

/* A source that says what vtype was is right; without it and without a write a group is 1. */
static void vtype_of_the_record_goes_before_that_of_the_state(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record record = instruction(64, 0x02840457);
	struct ear_step step;

	push(running, &step, &record, NULL, 0);
	assert_int_equal(step.operands[1].count, 1);
	write_group(running, &step);
	record = instruction(64, 0x02840457);
	record.vtype = EAR_VTYPE_KNOWN | 0x11;
	push(running, &step, &record, NULL, 0);
	assert_int_equal(step.operands[1].count, 2);
	ear_state_free(running);
}

static void a_trap_without_csr_writes_leaves_them_open(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register writes[] = {
		write_of(EAR_REGISTER_CSR, 0x341, 1), write_of(EAR_REGISTER_CSR, 0x305, 2)};
	struct ear_record record = instruction(64, 0x34129073);
	struct ear_step step;
	uint64_t value;

	push(running, &step, &record, writes, 2);
	record = instruction(64, 0x00000073);
	record.flags = EAR_RECORD_TRAP;
	push(running, &step, &record, NULL, 0);
	assert_true(ear_step_is_trap(&step));
	assert_false(ear_step_is_executed(&step));
	assert_false(ear_state_register(running, 0, EAR_REGISTER_CSR, 0x341, &value));
	assert_true(ear_state_register(running, 0, EAR_REGISTER_CSR, 0x305, &value));
	ear_state_free(running);
}

static void vector_registers_keep_their_previous_bytes(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	static const uint8_t first[16] = {1}, second[16] = {2};
	struct ear_record_register v = {
		.reg_class = EAR_REGISTER_V, .number = 2, .text_size = 16, .text.bytes = first};
	struct ear_record record = instruction(64, 0x0205e107);
	struct ear_step step;
	size_t size;

	assert_null(ear_state_vector(running, 0, 2, &size));
	push(running, &step, &record, &v, 1);
	assert_null(step.changes[0].previous_bytes);
	v.text.bytes = second;
	push(running, &step, &record, &v, 1);
	assert_int_equal(step.changes[0].previous_size, 16);
	assert_memory_equal(step.changes[0].previous_bytes, first, 16);
	assert_memory_equal(ear_state_vector(running, 0, 2, &size), second, 16);
	assert_int_equal(size, 16);
	/* Too long to follow: unknown, not wrong. */
	static const uint8_t huge[EAR_STATE_VECTOR_MAX + 1];
	v.text.bytes = huge;
	v.text_size = sizeof(huge);
	push(running, &step, &record, &v, 1);
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
	struct ear_step step;
	uint64_t value;

	record.memory = &access;
	record.memory_count = 1;
	push(running, &step, &record, &named, 1);
	named.value = 12;
	push(running, &step, &record, &named, 1);
	assert_true(step.changes[0].previous_known);
	assert_int_equal(step.changes[0].previous, 8);
	assert_true(ear_state_named(running, 0, (struct ear_text){"r14", 3}, &value));
	assert_int_equal(value, 12);
	assert_false(ear_state_named(running, 0, (struct ear_text){"r1", 2}, &value));
	/* With an unknown digit it is unknown, until it is written again. */
	struct ear_record_register unknown = {.reg_class = EAR_REGISTER_NAMED,
		.size = 1,
		.text_size = 3,
		.unknown = true,
		.text.name = "r14\xf0"};
	push(running, &step, &record, &unknown, 1);
	assert_int_equal(step.changes[0].previous, 12);
	assert_false(ear_state_named(running, 0, (struct ear_text){"r14", 3}, &value));
	push(running, &step, &record, &named, 1);
	assert_false(step.changes[0].previous_known);
	assert_true(ear_state_named(running, 0, (struct ear_text){"r14", 3}, &value));
	assert_true(ear_step_is_store(&step));
	assert_false(ear_step_is_load(&step) || ear_step_is_atomic(&step));
	ear_state_free(running);
}

static void values_that_the_source_tells_are_learned(void **state)
{
	(void)state;
	struct ear_state *running = new_state();
	struct ear_record_register read = write_of(EAR_REGISTER_X, 8, 0x8000);
	struct ear_record_extra extra = {.reads = &read, .read_count = 1};
	struct ear_record record = instruction(32, 0xfff40413); /* addi x8, x8, -1 */
	struct ear_step step;

	record.extra = &extra;
	push(running, &step, &record, NULL, 0);
	assert_true(step.operands[1].known);
	assert_int_equal(step.operands[1].value, 0x8000);
	ear_state_free(running);
}

enum {
	LOAD = 1,
	STORE = 2,
	ATOMIC = 4,
	BRANCH = 8,
	JUMP = 16,
	CALL = 32,
	RETURN = 64,
	MUL = 128,
	DIV = 256,
	SHORT = 512
};

static void predicates_follow_the_opcode(void **state)
{
	(void)state;
	static const struct {
		uint32_t opcode;
		unsigned want;
	} rows[] = {{0x0182b283, LOAD}, {0x00a12423, STORE}, {0x00c5b02f, ATOMIC},
		{0x1007a7af, LOAD | ATOMIC}, {0x18f726af, STORE | ATOMIC}, {0x00c58463, BRANCH},
		{0x140000ef, JUMP | CALL}, {0x00008067, JUMP | RETURN}, {0x0000a001, JUMP | SHORT},
		{0x02c58533, MUL}, {0x02c5c533, DIV}, {0x00000013, 0}, {0xffffffff, 0}};
	struct ear_state *running = new_state();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_record record = instruction(64, rows[i].opcode);
		struct ear_step step;
		push(running, &step, &record, NULL, 0);
		unsigned is = (ear_step_is_load(&step) ? LOAD : 0) |
			      (ear_step_is_store(&step) ? STORE : 0) |
			      (ear_step_is_atomic(&step) ? ATOMIC : 0) |
			      (ear_step_is_branch(&step) ? BRANCH : 0) |
			      (ear_step_is_jump(&step) ? JUMP : 0) |
			      (ear_step_is_call(&step) ? CALL : 0) |
			      (ear_step_is_return(&step) ? RETURN : 0) |
			      (ear_step_is_mul(&step) ? MUL : 0) |
			      (ear_step_is_div(&step) ? DIV : 0) |
			      (ear_step_is_compressed(&step) ? SHORT : 0);
		assert_int_equal(is, rows[i].want);
		record.flags = EAR_RECORD_INTERRUPT;
		push(running, &step, &record, NULL, 0);
		assert_false(ear_step_is_load(&step) || ear_step_is_store(&step) ||
			     ear_step_is_branch(&step) || ear_step_is_jump(&step));
		assert_true(ear_step_is_interrupt(&step));
	}
	ear_state_free(running);
}

static bool condition(const struct ear_step *step, uint64_t a, uint64_t b)
{
	if (step->record->xlen == 32) {
		a = (uint64_t)(int32_t)a;
		b = (uint64_t)(int32_t)b;
	}
	switch (step->inst.id) {
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

/* The values that the state tells explain what the trace shows. */
static void check_step(const struct ear_step *step, struct counts *counts)
{
	const struct ear_step_operand *operand = step->operands;
	const struct ear_record *record = step->record;
	const struct ear_record_access *access =
		record->memory_count > 0 ? &record->memory[0] : NULL;
	bool plain = step->inst.kind == EAR_KIND_LOAD || step->inst.kind == EAR_KIND_STORE;

	if (ear_step_is_branch(step) && operand[0].known && operand[1].known) {
		assert_int_equal(condition(step, operand[0].value, operand[1].value),
			ear_step_is_taken(step));
		counts->branches++;
	}
	if (plain && access && operand[1].known) {
		assert_int_equal(masked(operand[1].value + operand[2].value, record->xlen / 8),
			access->address);
		counts->addresses++;
	}
	if (step->inst.kind == EAR_KIND_STORE && access && access->has_value && operand[0].known) {
		assert_int_equal(masked(operand[0].value, step->inst.access_size), access->value);
		counts->stores++;
	}
	if (step->inst.id == EAR_INST_ADDI && operand[1].known && step->change_count == 1) {
		assert_int_equal(masked(operand[1].value + operand[2].value, record->xlen / 8),
			step->changes[0].written->value);
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
			struct ear_step step;
			assert_int_equal(ear_state_push(running, &step, trip.records[k]), 0);
			if (ear_step_is_executed(&step))
				check_step(&step, &counts);
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

static int report(void *context, uint64_t line, uint64_t offset, const char *cause, bool bad)
{
	struct told *told = context;

	(void)offset;
	assert_non_null(cause);
	assert_true(bad);
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
	struct ear_step step;

	for (unsigned hart = 0; hart < EAR_STATE_HARTS_MAX; hart++) {
		struct ear_record record = instruction(32, 0x13);
		record.hart = (uint16_t)hart;
		assert_int_equal(ear_state_push(running, &step, &record), 0);
	}
	struct ear_record record = instruction(32, 0x13);
	record.hart = UINT16_MAX;
	assert_int_equal(ear_state_push(running, &step, &record), EAR_E_FULL);
	record.hart = 5;
	assert_int_equal(ear_state_push(running, &step, &record), 0);
	ear_state_free(running);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_at_first_but_x0),
		cmocka_unit_test(operands_are_of_the_time_before_the_record),
		cmocka_unit_test(pairs_are_an_operand_for_each_register),
		cmocka_unit_test(lists_are_an_operand_for_each_register),
		cmocka_unit_test(harts_have_registers_of_their_own),
		cmocka_unit_test(a_gap_makes_its_hart_unknown),
		cmocka_unit_test(csrs_are_known_when_written_or_read),
		cmocka_unit_test(fcsr_and_its_parts_are_one),
		cmocka_unit_test(groups_of_vector_registers_are_of_the_time_before),
		cmocka_unit_test(vtype_of_the_record_goes_before_that_of_the_state),
		cmocka_unit_test(a_trap_without_csr_writes_leaves_them_open),
		cmocka_unit_test(vector_registers_keep_their_previous_bytes),
		cmocka_unit_test(registers_of_other_instruction_sets_go_by_name),
		cmocka_unit_test(values_that_the_source_tells_are_learned),
		cmocka_unit_test(predicates_follow_the_opcode),
		cmocka_unit_test(the_state_explains_whole_traces),
		cmocka_unit_test(an_initial_state_file_is_the_beginning),
		cmocka_unit_test(bad_lines_of_the_initial_state_are_told),
		cmocka_unit_test(the_number_of_harts_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
