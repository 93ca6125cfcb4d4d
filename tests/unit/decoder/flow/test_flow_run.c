/* Records of a walk: when a run ends, what its records have, and what comes after it. */
#include "check.h"

#include "decoder/flow/flow_run.h"

static const struct ear_flow_instruction nop = {.opcode = 0x13, .size = 4, .bits_size = 4};
static const struct ear_flow_instruction branch = {
	.opcode = 0xc401, .size = 2, .bits_size = 2, .kind = EAR_FLOW_BRANCH, .offset = 8};

static struct ear_flow_run run;

static struct ear_flow_hart begin(void)
{
	ear_flow_run_init(&run);
	return (struct ear_flow_hart){.hart = 3, .xlen = 32};
}

static const struct ear_record *next(void)
{
	const struct ear_record *record = NULL;

	assert_int_equal(ear_flow_run_next(&run, &record), 1);
	return record;
}

static void assert_empty(void)
{
	const struct ear_record *record;

	assert_int_equal(ear_flow_run_next(&run, &record), 0);
	assert_true(ear_flow_run_is_empty(&run));
}

static void an_instruction_has_pc_opcode_and_next_pc_alone(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin();

	hart.index = 17;
	assert_true(ear_flow_run_open(&run, &hart, 100));
	ear_flow_run_retire(&run, &hart, &nop, 0x1000, 0x1004, false);
	ear_flow_run_retire(&run, &hart, &branch, 0x1004, 0x100c, true);
	const struct ear_record *record = next();
	assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
	assert_int_equal(record->hart, 3);
	assert_int_equal(record->index, 17);
	assert_int_equal(record->stream_offset, 100);
	assert_int_equal(record->xlen, 32);
	assert_int_equal(record->pc, 0x1000);
	assert_int_equal(record->next_pc, 0x1004);
	assert_int_equal(record->opcode, 0x13);
	assert_int_equal(record->opcode_size, 4);
	assert_int_equal(record->flags, EAR_RECORD_NO_PRIVILEGE);
	assert_int_equal(record->register_count, 0);
	assert_int_equal(record->memory_count, 0);
	assert_null(record->extra);
	record = next();
	assert_int_equal(record->index, 18);
	assert_int_equal(record->pc, 0x1004);
	assert_int_equal(record->opcode_size, 2);
	assert_int_equal(record->flags, EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_TAKEN);
	assert_empty();
	assert_int_equal(hart.index, 19);
}

static void a_full_run_takes_no_more(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin();

	for (uint64_t i = 0; i < EAR_COMPACT_RUN_MAX; i++) {
		assert_true(ear_flow_run_open(&run, &hart, 0));
		assert_int_equal(ear_flow_run_room(&run), EAR_COMPACT_RUN_MAX - i);
		ear_flow_run_retire(&run, &hart, &nop, 4 * i, 4 * i + 4, false);
	}
	assert_false(ear_flow_run_open(&run, &hart, 0));
	for (uint64_t i = 0; i < EAR_COMPACT_RUN_MAX; i++)
		assert_int_equal(next()->pc, 4 * i);
	assert_empty();
	assert_true(ear_flow_run_open(&run, &hart, 0));
}

static void another_hart_or_privilege_begins_another_run(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin(), other = hart;

	other.hart = 4;
	assert_true(ear_flow_run_open(&run, &hart, 0));
	ear_flow_run_retire(&run, &hart, &nop, 0, 4, false);
	assert_false(ear_flow_run_open(&run, &other, 0));
	hart.privilege_known = true;
	assert_false(ear_flow_run_open(&run, &hart, 0));
	next();
	assert_empty();
	hart.privilege = EAR_PRIVILEGE_M;
	assert_true(ear_flow_run_open(&run, &hart, 0));
	ear_flow_run_retire(&run, &hart, &nop, 4, 8, false);
	hart.privilege = EAR_PRIVILEGE_U;
	assert_false(ear_flow_run_open(&run, &hart, 0));
	const struct ear_record *record = next();
	assert_int_equal(record->privilege, EAR_PRIVILEGE_M);
	assert_int_equal(record->flags, 0);
}

static void an_instruction_with_a_time_begins_a_run(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin();

	assert_true(ear_flow_run_open(&run, &hart, 0));
	ear_flow_run_retire(&run, &hart, &nop, 0, 4, false);
	hart.timed = true;
	hart.time = 5000;
	assert_false(ear_flow_run_open(&run, &hart, 0));
	assert_false(next()->flags & EAR_RECORD_HAS_TIME);
	assert_empty();
	assert_true(ear_flow_run_open(&run, &hart, 0));
	ear_flow_run_retire(&run, &hart, &nop, 4, 8, false);
	assert_true(ear_flow_run_open(&run, &hart, 0));
	ear_flow_run_retire(&run, &hart, &nop, 8, 12, false);
	const struct ear_record *record = next();
	assert_true(record->flags & EAR_RECORD_HAS_TIME);
	assert_int_equal(record->ticks, 5000);
	assert_false(next()->flags & EAR_RECORD_HAS_TIME);
}

static void a_trap_comes_after_the_run_and_is_counted(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin();

	hart.timed = true;
	hart.time = 7;
	assert_true(ear_flow_run_open(&run, &hart, 0));
	ear_flow_run_retire(&run, &hart, &nop, 0, 4, false);
	hart.timed = true;
	hart.time = 9;
	ear_flow_run_trap(
		&run, &hart, &branch, 4, 0x100, EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE, 55);
	assert_false(ear_flow_run_open(&run, &hart, 0));
	assert_int_equal(next()->ticks, 7);
	const struct ear_record *record = next();
	assert_int_equal(record->index, 1);
	assert_int_equal(record->pc, 4);
	assert_int_equal(record->next_pc, 0x100);
	assert_int_equal(record->opcode, 0xc401);
	assert_int_equal(record->stream_offset, 55);
	assert_int_equal(record->ticks, 9);
	assert_int_equal(record->flags, EAR_RECORD_TRAP | EAR_RECORD_NO_CAUSE |
						EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_HAS_TIME);
	assert_empty();
	assert_int_equal(hart.index, 2);
	ear_flow_run_trap(&run, &hart, NULL, 4, 0x100, EAR_RECORD_INTERRUPT, 55);
	assert_true(next()->flags & EAR_RECORD_NO_OPCODE);
	assert_empty();
}

static void a_gap_says_why_and_where(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin();

	ear_flow_run_gap(&run, &hart, EAR_GAP_UNIT_FIFO, 12, 40);
	const struct ear_record *record = next();
	assert_int_equal(record->kind, EAR_RECORD_GAP);
	assert_int_equal(record->u.gap.reason, EAR_GAP_UNIT_FIFO);
	assert_int_equal(record->u.gap.skipped_bytes, 12);
	assert_true(record->u.gap.at_start);
	assert_false(record->u.gap.count_known);
	assert_int_equal(record->stream_offset, 40);
	assert_empty();
	hart.index = 5;
	ear_flow_run_no_code(&run, &hart, 0x40001234, 41);
	record = next();
	assert_int_equal(record->index, 5);
	assert_int_equal(record->u.gap.reason, EAR_GAP_NO_CODE);
	assert_int_equal(record->u.gap.first, 0x40001234);
	assert_false(record->u.gap.at_start);
	assert_empty();
}

/* Two messages, one run; straight code of both sizes up to the end of the run. */
static void each_record_has_the_offset_of_its_message(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin();
	struct ear_flow_instruction code[200];

	for (size_t i = 0; i < COUNT_OF(code); i++)
		code[i] = (struct ear_flow_instruction){
			.opcode = i % 3 ? 0x13 : 1, .size = i % 3 ? 4 : 2};
	assert_true(ear_flow_run_open(&run, &hart, 100));
	assert_int_equal(ear_flow_run_retire_straight(&run, &hart, code, 0, UINT32_MAX, 3), 3);
	assert_true(ear_flow_run_open(&run, &hart, 107));
	assert_int_equal(ear_flow_run_retire_straight(
				 &run, &hart, code + 3, UINT32_MAX - 5, UINT32_MAX, 197),
		93);
	assert_int_equal(run.run.count, EAR_COMPACT_RUN_MAX);
	assert_int_equal(hart.index, EAR_COMPACT_RUN_MAX);
	const struct ear_record *record = next();
	assert_int_equal(record->pc, 0);
	assert_int_equal(record->next_pc, 2);
	assert_int_equal(record->stream_offset, 100);
	record = next();
	assert_int_equal(record->opcode, 0x13);
	assert_int_equal(record->next_pc, 6);
	record = next();
	assert_int_equal(record->pc, UINT32_MAX - 5);
	assert_int_equal(record->stream_offset, 107);
	record = next();
	assert_int_equal(record->next_pc, 0);
	ear_flow_run_clear(&run);
	assert_true(ear_flow_run_open(&run, &hart, 0));
	ear_flow_run_retire(&run, &hart, &nop, 0, 4, false);
	assert_false(ear_flow_run_open(&run, &hart, UINT64_C(1) << 32));
}

static void an_event_has_a_name(void **state)
{
	(void)state;
	struct ear_flow_hart hart = begin();

	ear_flow_run_event(&run, &hart, 3, "context %u", 29u);
	const struct ear_record *record = next();
	assert_int_equal(record->kind, EAR_RECORD_EVENT);
	assert_int_equal(record->u.event.name.size, 10);
	assert_memory_equal(record->u.event.name.text, "context 29", 10);
	assert_empty();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instruction_has_pc_opcode_and_next_pc_alone),
		cmocka_unit_test(a_full_run_takes_no_more),
		cmocka_unit_test(another_hart_or_privilege_begins_another_run),
		cmocka_unit_test(an_instruction_with_a_time_begins_a_run),
		cmocka_unit_test(a_trap_comes_after_the_run_and_is_counted),
		cmocka_unit_test(a_gap_says_why_and_where),
		cmocka_unit_test(each_record_has_the_offset_of_its_message),
		cmocka_unit_test(an_event_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
