/* Values that depend on tolerated reads. library/compare/tolerance.h */
#include "check.h"

#include <stdio.h>

#include "decoder/isa/csr.h"
#include "library/compare/tolerance.h"

/* Opcodes of the program. */
enum {
	CSRR_X5_MCYCLE = 0xB00022F3,
	CSRR_X5_MINSTRET = 0xB02022F3,
	CSRR_X5_MSCRATCH = 0x340022F3,
	CSRRW_X7_MSCRATCH_X5 = 0x340293F3,
	ADDI_X6_X5_1 = 0x00128313,
	ADDI_X6_X7_1 = 0x00138313,
	ADD_X6_X5_X7 = 0x00728333,
	SD_X5_X2 = 0x00513023,
	SD_X7_X2 = 0x00713023,
	LD_X6_X2 = 0x00013303,
	LW_X6_X2 = 0x00012303,
	LD_X6_X5 = 0x0002B303,
	BEQ_X5_X0 = 0x00028463,
	JALR_X1_X5 = 0x000280E7,
	AMOADD_D_X6_X7_X2 = 0x0071332F,
	FCVT_D_L_F1_X5 = 0xD222F0D3,
	FADD_D_F2_F1_F3 = 0x0230F153,
	FEQ_D_X6_F2_F3 = 0xA2312353,
	CUSTOM_0 = 0x0000000B,
};

static struct ear_tolerance *tolerance;
static struct ear_tolerance_hart *hart;

/* A record of one side, with what it points to. */
struct made {
	struct ear_record record;
	struct ear_record_register registers[2];
	struct ear_record_access memory[2];
};

static struct made made[2];

static struct made *start(unsigned side, uint32_t opcode)
{
	made[side] = (struct made){.record = {.kind = EAR_RECORD_INSTRUCTION,
					   .xlen = 64,
					   .pc = 0x80000000,
					   .next_pc = 0x80000004,
					   .opcode = opcode,
					   .opcode_size = 4,
					   .privilege = EAR_PRIVILEGE_M}};
	made[side].record.registers = made[side].registers;
	made[side].record.memory = made[side].memory;
	return &made[side];
}

static void writes(
	unsigned side, enum ear_register_class reg_class, unsigned number, uint64_t value)
{
	made[side].registers[made[side].record.register_count++] = (struct ear_record_register){
		.reg_class = (uint8_t)reg_class, .number = (uint16_t)number, .value = value};
}

static void accesses(unsigned side, bool write, uint64_t address, unsigned size, uint64_t value)
{
	made[side].memory[made[side].record.memory_count++] =
		(struct ear_record_access){.write = write,
			.address = address,
			.size = (uint8_t)size,
			.has_value = true,
			.value = value};
}

static bool compare_all(void *context, struct ear_record_difference *difference,
	const struct ear_record *a, const struct ear_record *b)
{
	(void)context;
	return ear_record_compare(difference, a, b, EAR_COMPARE_ALL, false);
}

static struct ear_record_difference difference;

/* Compare the pair that was made, and pass it. */
static bool same(uint64_t number)
{
	const struct ear_pair_comparison how = {compare_all, NULL};
	const struct ear_record *a = &made[0].record, *b = &made[1].record;
	bool found = ear_tolerance_compare(hart, &difference, a, b, &how);

	ear_tolerance_pass_pair(hart, a, b, (const uint64_t[]){number, number + 1});
	return found;
}

/* An instruction that writes x registers only. */
static bool writes_x(uint32_t opcode, unsigned number, uint64_t a, uint64_t b)
{
	for (unsigned side = 0; side < 2; side++) {
		start(side, opcode);
		writes(side, EAR_REGISTER_X, number, side ? b : a);
	}
	return same(10);
}

static bool loads(uint32_t opcode, uint64_t address, unsigned size, uint64_t a, uint64_t b)
{
	for (unsigned side = 0; side < 2; side++) {
		start(side, opcode);
		writes(side, EAR_REGISTER_X, 6, side ? b : a);
		accesses(side, false, address, size, side ? b : a);
	}
	return same(20);
}

static bool stores(uint32_t opcode, uint64_t address, uint64_t a, uint64_t b)
{
	for (unsigned side = 0; side < 2; side++) {
		start(side, opcode);
		accesses(side, true, address, 8, side ? b : a);
	}
	return same(30);
}

static int begin(void **state)
{
	const struct ear_tolerance_options options = {
		.clocks = true, .range_count = 1, .ranges = {{0x1000, 0x10FF}}};

	(void)state;
	tolerance = ear_tolerance_new(&options);
	hart = ear_tolerance_hart_new(tolerance);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ear_tolerance_hart_free(hart);
	ear_tolerance_free(tolerance);
	return 0;
}

static void only_the_sources_that_were_named_are_tolerated(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_false(writes_x(CSRR_X5_MINSTRET, 5, 100, 107));
	assert_false(writes_x(CSRR_X5_MSCRATCH, 5, 1, 2));
	assert_true(loads(LD_X6_X2, 0x10F8, 8, 1, 2));
	assert_false(loads(LD_X6_X2, 0x1100, 8, 1, 2));
	assert_int_equal(ear_tolerance_source(tolerance, 0)->csr, EAR_CSR_MCYCLE);
	assert_int_equal(ear_tolerance_source(tolerance, 0)->reads, 1);
	assert_int_equal(ear_tolerance_source(tolerance, 1)->kind, EAR_TOLERANCE_DEVICES);
	assert_int_equal(ear_tolerance_source(tolerance, 1)->reads, 1);
	assert_null(ear_tolerance_source(tolerance, 2));
}

/* A load of 8 bytes, of which the device has only the upper ones. */
static void bytes_beside_a_device_are_compared(void **state)
{
	(void)state;
	assert_true(loads(LD_X6_X2, 0xFFC, 8, 0x0000000500000001, 0x0000000600000001));
	assert_false(loads(LD_X6_X2, 0xFFC, 8, 0x0000000500000001, 0x0000000600000002));
}

static void what_depends_on_a_clock_is_tolerated_and_nothing_else(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_true(writes_x(ADDI_X6_X5_1, 6, 101, 108));
	assert_false(writes_x(ADDI_X6_X7_1, 6, 1, 2));
	assert_true(writes_x(ADD_X6_X5_X7, 6, 110, 117));
	assert_int_equal(ear_tolerance_source(tolerance, 0)->values, 2);
}

static void an_equal_result_ends_it(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 200, 200));
	assert_false(writes_x(ADDI_X6_X5_1, 6, 201, 202));
}

static void an_unknown_instruction_passes_nothing_on(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_false(writes_x(CUSTOM_0, 6, 1, 2));
}

static void memory_carries_it(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_true(stores(SD_X5_X2, 0x4000, 100, 107));
	assert_true(loads(LD_X6_X2, 0x4000, 8, 100, 107));
	assert_false(loads(LD_X6_X2, 0x4000, 8, 100, 106)); /* not what was stored */
	assert_false(loads(LD_X6_X2, 0x4008, 8, 100, 107));
	assert_true(loads(LW_X6_X2, 0x4000, 4, 100, 107));
	assert_true(stores(SD_X7_X2, 0x4000, 5, 5));
	assert_false(loads(LD_X6_X2, 0x4000, 8, 100, 107));
}

static void a_store_of_something_else_is_a_difference(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_false(stores(SD_X5_X2, 0x4000, 100, 109));
	assert_false(stores(SD_X7_X2, 0x4000, 100, 107));
}

static void atomics_carry_it(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_true(stores(SD_X5_X2, 0x4000, 100, 107));
	for (unsigned side = 0; side < 2; side++) {
		start(side, AMOADD_D_X6_X7_X2);
		writes(side, EAR_REGISTER_X, 6, side ? 107 : 100);
		accesses(side, false, 0x4000, 8, side ? 107 : 100);
		accesses(side, true, 0x4000, 8, side ? 110 : 103);
	}
	assert_true(same(40));
	assert_true(loads(LD_X6_X2, 0x4000, 8, 103, 110));
}

static void csrs_carry_it(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	for (unsigned side = 0; side < 2; side++) {
		start(side, CSRRW_X7_MSCRATCH_X5);
		writes(side, EAR_REGISTER_X, 7, 0);
		writes(side, EAR_REGISTER_CSR, 0x340, side ? 107 : 100);
	}
	assert_true(same(50));
	assert_false(writes_x(ADDI_X6_X7_1, 6, 1, 2)); /* x7 was equal */
	assert_true(writes_x(CSRR_X5_MSCRATCH, 5, 100, 107));
}

static void floating_point_carries_it_with_its_flags(void **state)
{
	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	for (unsigned side = 0; side < 2; side++) {
		start(side, FCVT_D_L_F1_X5);
		writes(side, EAR_REGISTER_F, 1, side ? 7 : 6);
	}
	assert_true(same(60));
	for (unsigned side = 0; side < 2; side++) {
		start(side, FADD_D_F2_F1_F3);
		writes(side, EAR_REGISTER_F, 2, side ? 9 : 8);
		made[side].record.fflags = (uint8_t)side;
	}
	assert_true(same(61));
	assert_true(writes_x(FEQ_D_X6_F2_F3, 6, 0, 1));
	for (unsigned side = 0; side < 2; side++) {
		start(side, 0x0231F153); /* fadd.d f2, f3, f3 */
		made[side].record.fflags = (uint8_t)side;
	}
	assert_false(same(62));
}

static void a_branch_is_a_decision_and_names_what_it_depends_on(void **state)
{
	struct ear_decision decision;

	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 0, 1));
	for (unsigned side = 0; side < 2; side++)
		start(side, BEQ_X5_X0);
	made[0].record.flags = EAR_RECORD_TAKEN;
	made[0].record.next_pc = 0x80000008;
	assert_false(ear_record_compare(
		&difference, &made[0].record, &made[1].record, EAR_COMPARE_ALL, false));
	assert_true(ear_tolerance_decided(
		hart, &made[0].record, &made[1].record, &difference, &decision));
	assert_int_equal(decision.kind, EAR_DECISION_BRANCH);
	assert_int_equal(decision.reg_class, EAR_REGISTER_X);
	assert_int_equal(decision.number, 5);
	assert_int_equal(decision.source.csr, EAR_CSR_MCYCLE);
	assert_int_equal(decision.records[0], 10);
	assert_int_equal(decision.records[1], 11);
	assert_false(same(70));
	assert_true(ear_tolerance_decided_before(hart, &decision));
	assert_true(writes_x(ADDI_X6_X7_1, 6, 1, 1));
	assert_false(ear_tolerance_decided_before(hart, &decision));
}

static void a_jump_and_an_address_are_decisions(void **state)
{
	struct ear_decision decision;

	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 0x100, 0x200));
	for (unsigned side = 0; side < 2; side++) {
		start(side, JALR_X1_X5);
		made[side].record.flags = EAR_RECORD_TAKEN;
		made[side].record.next_pc = 0x100u << side;
	}
	assert_false(same(80));
	assert_true(ear_tolerance_decided(
		hart, &made[0].record, &made[1].record, &difference, &decision));
	assert_int_equal(decision.kind, EAR_DECISION_JUMP);
	for (unsigned side = 0; side < 2; side++) {
		start(side, LD_X6_X5);
		accesses(side, false, 0x100u << side, 8, 5);
	}
	assert_false(same(81));
	assert_true(ear_tolerance_decided(
		hart, &made[0].record, &made[1].record, &difference, &decision));
	assert_int_equal(decision.kind, EAR_DECISION_ADDRESS);
}

static void a_difference_of_another_kind_was_not_decided(void **state)
{
	struct ear_decision decision;

	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 0x100, 0x200));
	assert_false(writes_x(ADDI_X6_X7_1, 6, 1, 2));
	assert_false(ear_tolerance_decided(
		hart, &made[0].record, &made[1].record, &difference, &decision));
	for (unsigned side = 0; side < 2; side++) {
		start(side, 0x00038463); /* beq x7, x0 */
		made[side].record.flags = side ? EAR_RECORD_TAKEN : 0;
	}
	assert_false(same(90));
	assert_false(ear_tolerance_decided(
		hart, &made[0].record, &made[1].record, &difference, &decision));
}

/* A handler of one side leaves the time in memory. */
static void what_one_side_stores_alone_is_followed(void **state)
{
	(void)state;
	start(0, CSRR_X5_MCYCLE);
	writes(0, EAR_REGISTER_X, 5, 100);
	ear_tolerance_pass(hart, 0, &made[0].record, 1);
	start(0, SD_X5_X2);
	accesses(0, true, 0x4000, 8, 100);
	ear_tolerance_pass(hart, 0, &made[0].record, 2);
	start(0, SD_X7_X2);
	accesses(0, true, 0x4008, 8, 6);
	ear_tolerance_pass(hart, 0, &made[0].record, 3);
	assert_true(loads(LD_X6_X2, 0x4000, 8, 100, 0));
	assert_false(loads(LD_X6_X2, 0x4008, 8, 6, 5)); /* a counter: not the time */
}

static void after_a_gap_nothing_of_its_side_is_followed(void **state)
{
	const struct ear_record gap = {.kind = EAR_RECORD_GAP};

	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	assert_true(stores(SD_X5_X2, 0x4000, 100, 107));
	ear_tolerance_pass(hart, 0, &gap, 0);
	assert_true(writes_x(ADDI_X6_X5_1, 6, 101, 108)); /* B's is */
	assert_true(loads(LD_X6_X2, 0x4000, 8, 100, 107));
	ear_tolerance_pass(hart, 1, &gap, 0);
	assert_false(writes_x(ADDI_X6_X5_1, 6, 101, 108));
	assert_false(loads(LD_X6_X2, 0x4000, 8, 100, 107));
}

static void a_probe_changes_nothing(void **state)
{
	const struct ear_pair_comparison how = {compare_all, NULL};
	struct ear_tolerance_hart *probe;

	(void)state;
	assert_true(writes_x(CSRR_X5_MCYCLE, 5, 100, 107));
	probe = ear_tolerance_probe(hart, false);
	for (unsigned side = 0; side < 2; side++) {
		start(side, CSRR_X5_MSCRATCH);
		writes(side, EAR_REGISTER_X, 5, 1);
	}
	ear_tolerance_pass_pair(probe, &made[0].record, &made[1].record, (const uint64_t[]){0, 0});
	for (unsigned side = 0; side < 2; side++) {
		start(side, ADDI_X6_X5_1);
		writes(side, EAR_REGISTER_X, 6, 101 + 7 * side);
	}
	assert_false(
		ear_tolerance_compare(probe, &difference, &made[0].record, &made[1].record, &how));
	assert_true(
		ear_tolerance_compare(hart, &difference, &made[0].record, &made[1].record, &how));
	assert_int_equal(ear_tolerance_source(tolerance, 0)->values, 0);
	assert_false(loads(LD_X6_X2, 0x4000, 8, 1, 2));
	assert_false(ear_tolerance_compare(ear_tolerance_probe(hart, false), &difference,
		&made[0].record, &made[1].record, &how));
	assert_true(ear_tolerance_compare(ear_tolerance_probe(hart, true), &difference,
		&made[0].record, &made[1].record, &how));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_the_sources_that_were_named_are_tolerated),
		TEST(bytes_beside_a_device_are_compared),
		TEST(what_depends_on_a_clock_is_tolerated_and_nothing_else),
		TEST(an_equal_result_ends_it),
		TEST(an_unknown_instruction_passes_nothing_on),
		TEST(memory_carries_it),
		TEST(a_store_of_something_else_is_a_difference),
		TEST(atomics_carry_it),
		TEST(csrs_carry_it),
		TEST(floating_point_carries_it_with_its_flags),
		TEST(a_branch_is_a_decision_and_names_what_it_depends_on),
		TEST(a_jump_and_an_address_are_decisions),
		TEST(a_difference_of_another_kind_was_not_decided),
		TEST(what_one_side_stores_alone_is_followed),
		TEST(after_a_gap_nothing_of_its_side_is_followed),
		TEST(a_probe_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
