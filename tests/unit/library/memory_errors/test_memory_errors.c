/* Memory errors, record by record: what needs no program and no names. Whole programs and the heap
 * are in tests/e2e/test_memory_errors.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <earshot/error.h>
#include <earshot/memory_errors.h>

#define ADDI_SP  0xff010113u /* addi sp, sp, -16 */
#define LEAVE    0x01010113u /* addi sp, sp, 16 */
#define LA_SP    0x00052103u /* lw sp, 0(a0) */
#define TAKE     0x00810513u /* addi a0, sp, 8 */
#define LW_A1    0x00052583u /* lw a1, 0(a0) */
#define LW_SP_A1 0x00812583u /* lw a1, 8(sp) */
#define SW_A1    0x00b52023u /* sw a1, 0(a0) */
#define SW_SP    0x00b12423u /* sw a1, 8(sp) */
#define FSD      0x00b13427u /* fsd fa1, 8(sp) */
#define BNEZ_A1  0x00059463u
#define ANDI     0x0015f593u /* andi a1, a1, 1 */
#define BEQ_A1   0x00058463u
#define SLTIU    0x1005b593u /* sltiu a1, a1, 256 */
#define SP       0x80010000u

struct run {
	struct ear_memory_checker *checker;
	uint64_t number;
};

static struct run begin(void)
{
	const struct ear_memory_checker_options options = {.size = sizeof(options)};
	struct run run = {0};

	assert_int_equal(ear_memory_checker_new(&run.checker, &options, NULL), 0);
	return run;
}

static void give(struct run *run, const struct ear_record *record)
{
	const struct ear_batch batch = {
		.size = sizeof(batch), .count = 1, .number = run->number, .record = record};

	run->number += record->kind == EAR_RECORD_INSTRUCTION;
	assert_int_equal(ear_memory_checker_batch(run->checker, &batch), 0);
}

static void step(struct run *run, uint32_t opcode, uint8_t rd, uint64_t value)
{
	const struct ear_record_register reg = {
		.reg_class = EAR_REGISTER_X, .number = rd, .value = value};
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 32,
		.pc = 0x80000000 + 4 * run->number,
		.opcode = opcode,
		.opcode_size = 4,
		.registers = &reg,
		.register_count = rd != 0};

	give(run, &record);
}

static void access_memory(
	struct run *run, uint32_t opcode, uint8_t rd, uint64_t address, bool write, uint8_t size)
{
	const struct ear_record_register reg = {.reg_class = EAR_REGISTER_X, .number = rd};
	const struct ear_record_access access = {
		.address = address, .size = size, .write = write, .has_value = true};
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 32,
		.pc = 0x80000000 + 4 * run->number,
		.opcode = opcode,
		.opcode_size = 4,
		.registers = &reg,
		.register_count = rd != 0,
		.memory = &access,
		.memory_count = 1};

	give(run, &record);
}

static void gap(struct run *run)
{
	const struct ear_record record = {
		.kind = EAR_RECORD_GAP, .u.gap = {.reason = EAR_GAP_UNIT_FIFO}};

	give(run, &record);
}

static void end(struct run *run, unsigned kind, uint64_t number)
{
	const struct ear_memory_error *errors;

	assert_int_equal(ear_memory_checker_errors(run->checker, &errors), 1);
	assert_int_equal(errors[0].kind, kind);
	assert_int_equal(errors[0].moment.number, number);
	ear_memory_checker_free(run->checker);
}

static void end_correct(struct run *run)
{
	const struct ear_memory_error *errors;

	assert_int_equal(ear_memory_checker_errors(run->checker, &errors), 0);
	ear_memory_checker_free(run->checker);
}

/* sp is known, and a frame of 16 bytes is made. */
static struct run frame(void)
{
	struct run run = begin();

	step(&run, LA_SP, 2, SP);
	step(&run, ADDI_SP, 2, SP - 16);
	return run;
}

static void a_branch_on_a_new_frame_is_an_error(void **state)
{
	struct run run = frame();

	(void)state;
	access_memory(&run, LW_SP_A1, 11, SP - 8, false, 4);
	step(&run, BNEZ_A1, 0, 0);
	end(&run, EAR_MEMORY_UNWRITTEN, 2);
}

static void a_written_frame_is_none(void **state)
{
	struct run run = frame();

	(void)state;
	access_memory(&run, SW_SP, 0, SP - 8, true, 4);
	access_memory(&run, LW_SP_A1, 11, SP - 8, false, 4);
	step(&run, BNEZ_A1, 0, 0);
	end_correct(&run);
}

/* 255 < 256, whatever the byte is. */
static void what_is_always_so_is_no_error(void **state)
{
	struct run run = frame();

	(void)state;
	access_memory(&run, 0x00814583 /* lbu a1, 8(sp) */, 11, SP - 8, false, 1);
	step(&run, SLTIU, 11, 1);
	step(&run, BEQ_A1, 0, 0);
	end_correct(&run);
}

/* One bit of it is unknown. It comes back from memory so. */
static void some_bits_are_kept_in_memory(void **state)
{
	struct run run = frame();

	(void)state;
	access_memory(&run, LW_SP_A1, 11, SP - 8, false, 4);
	step(&run, ANDI, 11, 0);
	access_memory(&run, 0x00b12623 /* sw a1, 12(sp) */, 0, SP - 4, true, 4);
	step(&run, 0x00000593 /* li a1, 0 */, 11, 0);
	access_memory(&run, 0x00c12583 /* lw a1, 12(sp) */, 11, SP - 4, false, 4);
	step(&run, BNEZ_A1, 0, 0);
	end(&run, EAR_MEMORY_UNWRITTEN, 2);
}

/* A unit of 32 bits shows half of it. */
static void a_double_writes_all_of_its_bytes(void **state)
{
	struct run run = frame();

	(void)state;
	access_memory(&run, FSD, 0, SP - 8, true, 4);
	access_memory(&run, 0x00c12583 /* lw a1, 12(sp) */, 11, SP - 4, false, 4);
	step(&run, BNEZ_A1, 0, 0);
	end_correct(&run);
}

/* A pointer to a variable outlives its frame. */
static struct run leave_frame(void)
{
	struct run run = frame();

	step(&run, TAKE, 10, SP - 8);
	access_memory(&run, SW_A1, 0, SP - 8, true, 4);
	step(&run, LEAVE, 2, SP);
	return run;
}

static void a_frame_that_was_left_is_not_accessed(void **state)
{
	struct run run = leave_frame();

	(void)state;
	access_memory(&run, LW_A1, 11, SP - 8, false, 4);
	end(&run, EAR_MEMORY_LEFT_FRAME, 5);
}

/* As hand-written code does, before it lowers sp. */
static void sp_itself_may_be_used_below(void **state)
{
	struct run run = leave_frame();

	(void)state;
	access_memory(&run, 0xff812583 /* lw a1, -8(sp) */, 11, SP - 8, false, 4);
	end_correct(&run);
}

static void a_scan_from_below_is_none(void **state)
{
	struct run run = leave_frame();
	const uint64_t number = run.number;

	(void)state;
	for (uint64_t at = SP - 64; at < SP; at += 4) {
		run.number = number; /* the same pc */
		access_memory(&run, LW_A1, 11, at, false, 4);
	}
	end_correct(&run);
}

static void after_a_gap_nothing_is_known(void **state)
{
	struct ear_memory_checker_facts facts = {.size = sizeof(facts)};
	struct run run = leave_frame();

	(void)state;
	gap(&run);
	access_memory(&run, LW_A1, 11, SP - 8, false, 4);
	assert_true(ear_memory_checker_facts(run.checker, &facts));
	assert_int_equal(facts.gaps, 1);
	end_correct(&run);
}

static void what_is_muted_is_not_reported(void **state)
{
	struct run run = leave_frame();

	(void)state;
	ear_memory_checker_mute(run.checker, true);
	access_memory(&run, LW_A1, 11, SP - 8, false, 4);
	ear_memory_checker_mute(run.checker, false);
	access_memory(&run, LW_A1, 11, SP - 8, false, 4);
	end(&run, EAR_MEMORY_LEFT_FRAME, 6);
}

/* satp: one address may be of several processes. */
static void translated_addresses_are_not_checked(void **state)
{
	const struct ear_record_register satp = {
		.reg_class = EAR_REGISTER_CSR, .number = 0x180, .value = 0x80000001};
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 32,
		.opcode = 0x18051073,
		.opcode_size = 4,
		.registers = &satp,
		.register_count = 1};
	struct ear_memory_checker_facts facts = {.size = sizeof(facts)};
	struct run run = leave_frame();

	(void)state;
	give(&run, &record);
	access_memory(&run, LW_A1, 11, SP - 8, false, 4);
	assert_true(ear_memory_checker_facts(run.checker, &facts));
	assert_int_equal(facts.paged, 5);
	end_correct(&run);
}

static void arguments_are_checked(void **state)
{
	const char *wrong_allocators[] = {"malloc=malloc"}; /* there is no such function */
	struct ear_memory_checker_options options = {0};
	struct ear_memory_checker_facts facts = {0};
	struct ear_memory_checker *checker = NULL;
	struct ear_memory_block block;
	size_t wrong;

	(void)state;
	assert_int_equal(ear_memory_checker_new(&checker, &options, NULL), EAR_E_BAD_ARGUMENT);
	options.size = sizeof(options);
	options.allocators = wrong_allocators;
	options.allocator_count = 1;
	assert_int_equal(ear_memory_checker_new(&checker, &options, &wrong), EAR_E_BAD_ARGUMENT);
	assert_int_equal(wrong, 0);
	options.allocator_count = 0;
	assert_int_equal(ear_memory_checker_new(&checker, &options, NULL), 0);
	assert_false(ear_memory_checker_facts(checker, &facts));
	assert_false(ear_memory_checker_block(checker, SP, &block, sizeof(block)));
	assert_string_equal(ear_memory_error_name(EAR_MEMORY_FREED), "freed");
	assert_null(ear_memory_error_name(EAR_MEMORY_ERROR_KINDS));
	ear_memory_checker_free(checker);
	ear_memory_checker_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_on_a_new_frame_is_an_error),
		cmocka_unit_test(a_written_frame_is_none),
		cmocka_unit_test(what_is_always_so_is_no_error),
		cmocka_unit_test(some_bits_are_kept_in_memory),
		cmocka_unit_test(a_double_writes_all_of_its_bytes),
		cmocka_unit_test(a_frame_that_was_left_is_not_accessed),
		cmocka_unit_test(sp_itself_may_be_used_below),
		cmocka_unit_test(a_scan_from_below_is_none),
		cmocka_unit_test(after_a_gap_nothing_is_known),
		cmocka_unit_test(what_is_muted_is_not_reported),
		cmocka_unit_test(translated_addresses_are_not_checked),
		cmocka_unit_test(arguments_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
