/* What of the instruction set ran: bins that depend on what came before, and odd records. All
 * others are held against another count by tests/e2e/test_isa_coverage.py, parts by
 * test_analysis.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/coverage/isa_coverage.h"
#include "library_truth.h"
#include "likely_records.h"
#include "random.h"

#define ADD_3_1_2 0x002081B3u /* add x3, x1, x2 */
#define ADDI_1    0x00100093u /* addi x1, x0, 1 */
#define ADDI_2    0xFFF00113u /* addi x2, x0, -1 */
#define LW_1      0x0000A083u /* lw x1, 0(x1) */
#define NOP       0x00000013u

struct machine {
	struct ear_instructions *instructions;
	void *coverage;
};

static struct machine begin(void)
{
	struct machine machine;

	assert_int_equal(ear_instructions_new(&machine.instructions, NULL, NULL), 0);
	const struct ear_isa_coverage_options options = {.instructions = machine.instructions};
	const struct ear_analysis_setup setup = {.options = &options};
	assert_int_equal(ear_isa_coverage_analysis.create(&machine.coverage, &setup), 0);
	return machine;
}

static void end(struct machine *machine)
{
	ear_isa_coverage_analysis.free(machine->coverage);
	ear_instructions_free(machine->instructions);
}

static void push(struct machine *machine, const struct ear_record *record)
{
	const struct ear_batch batch = {.size = sizeof(batch), .count = 1, .record = record};

	assert_int_equal(ear_isa_coverage_analysis.batch(machine->coverage, &batch), 0);
}

static void run(struct machine *machine, uint32_t opcode, unsigned rd, uint64_t value)
{
	const struct ear_record_register reg = {
		.reg_class = EAR_REGISTER_X, .number = (uint16_t)rd, .value = value, .size = 4};
	const struct ear_record record = {.opcode = opcode,
		.opcode_size = 4,
		.xlen = 32,
		.registers = &reg,
		.register_count = rd != 0};

	push(machine, &record);
}

static const struct ear_isa_opcode *opcode_of(const struct machine *machine, uint32_t opcode)
{
	for (size_t i = 0; i < ear_isa_coverage_count(machine->coverage); i++)
		if (ear_isa_coverage_opcode(machine->coverage, i)->opcode == opcode)
			return ear_isa_coverage_opcode(machine->coverage, i);
	fail_msg("the opcode 0x%08x did not run", opcode);
	return NULL;
}

static void hazards_have_the_distance_of_the_nearest_writer(void **state)
{
	struct machine machine = begin();

	(void)state;
	run(&machine, ADDI_1, 1, 1);
	run(&machine, LW_1, 1, 5);
	run(&machine, NOP, 0, 0);
	run(&machine, ADD_3_1_2, 3, 4);
	const struct ear_isa_opcode *add = opcode_of(&machine, ADD_3_1_2);
	assert_int_equal(add->bins[EAR_ISA_RAW], 0);
	assert_int_equal(add->bins[EAR_ISA_RAW + 1], 1);
	assert_int_equal(add->bins[EAR_ISA_RAW + 2], 0);
	assert_int_equal(add->bins[EAR_ISA_LOAD_USE + 1], 1);
	const struct ear_isa_opcode *load = opcode_of(&machine, LW_1);
	assert_int_equal(load->bins[EAR_ISA_RAW], 1);
	assert_int_equal(load->bins[EAR_ISA_LOAD_USE], 0);
	assert_int_equal(load->bins[EAR_ISA_WAW], 1);
	end(&machine);
}

static void values_are_known_until_a_gap(void **state)
{
	const struct ear_record gap = {.kind = EAR_RECORD_GAP};
	struct machine machine = begin();

	(void)state;
	run(&machine, ADD_3_1_2, 3, 0x80000000);
	run(&machine, ADDI_1, 1, 1);
	run(&machine, ADDI_2, 2, 0xFFFFFFFF);
	run(&machine, ADD_3_1_2, 3, 0);
	push(&machine, &gap);
	run(&machine, ADD_3_1_2, 3, 0x7FFFFFFF);
	const struct ear_isa_opcode *add = opcode_of(&machine, ADD_3_1_2);
	uint64_t rs1 = 0;
	for (unsigned i = 0; i < EAR_ISA_VALUE_COUNT; i++)
		rs1 += add->bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT + i];
	assert_int_equal(rs1, 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_FLOAT_COUNT + EAR_ISA_ONE], 1);
	assert_int_equal(
		add->bins[EAR_ISA_VALUES + 2 * EAR_ISA_FLOAT_COUNT + EAR_ISA_MINUS_ONE], 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_MIN], 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_ZERO], 1);
	assert_int_equal(add->bins[EAR_ISA_VALUES + EAR_ISA_MAX], 1);
	/* Both operands, once each; nothing after the gap. */
	assert_int_equal(add->bins[EAR_ISA_RAW], 1);
	assert_int_equal(add->bins[EAR_ISA_RAW + 1], 1);
	end(&machine);
}

static void any_record_is_taken(void **state)
{
	struct machine machine = begin();
	struct random random = {99};
	struct likely_record any;

	(void)state;
	for (unsigned i = 0; i < 300000; i++) {
		likely_record_any(&any, &random);
		push(&machine, &any.record);
	}
	assert_true(ear_isa_coverage_count(machine.coverage) <= EAR_ISA_OPCODES_MAX);
	assert_true(ear_isa_coverage_sums(machine.coverage)->records > 50000);
	end(&machine);
}

static void traces_of_all_kinds_are_counted_once(void **state)
{
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		struct machine machine = begin();
		uint64_t instructions = 0;
		for (size_t i = 0; i < truth->count; i++) {
			const struct ear_record *record = truth->records[i];
			push(&machine, record);
			instructions += record->kind == EAR_RECORD_INSTRUCTION &&
					record->isa == EAR_ISA_RISCV &&
					!(record->flags & EAR_RECORD_INTERRUPT);
		}
		const struct ear_isa_sums *sums = ear_isa_coverage_sums(machine.coverage);
		assert_int_equal(sums->records + sums->without, instructions);
		end(&machine);
		truth_free(truth);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hazards_have_the_distance_of_the_nearest_writer),
		cmocka_unit_test(values_are_known_until_a_gap),
		cmocka_unit_test(any_record_is_taken),
		cmocka_unit_test(traces_of_all_kinds_are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
