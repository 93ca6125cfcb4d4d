#include "check.h"

#include "decoder/record_copies.h"
#include "decoder/record_run.h"

static const struct ear_record_run head = {
	.count = 3,
	.first_index = 1000,
	.stream_offset = 77,
	.ticks = 5,
	.hart = 2,
	.xlen = 32,
	.privilege = EAR_PRIVILEGE_M,
	.frm = 1,
	.first_timed = true,
};

static const struct ear_record_brief briefs[] = {
	{.pc = 0x100, .next_pc = 0x102, .result = 7, .opcode = 0x431d, .opcode_size = 2, .rd = 6},
	{.pc = 0x102,
		.next_pc = 0x106,
		.address = 0x2000,
		.data = 0xab,
		.opcode = 0x00628023,
		.opcode_size = 4,
		.size = 1,
		.flags = EAR_BRIEF_WRITE},
	{.pc = 0x106,
		.next_pc = 0x100,
		.opcode = 0xfe000de3,
		.opcode_size = 4,
		.flags = EAR_BRIEF_TAKEN},
};

static void a_run_becomes_its_records(void **state)
{
	struct ear_record_made made;

	(void)state;
	ear_record_run_begin(&made, &head);

	const struct ear_record *record = ear_record_run_get(&made, &head, &briefs[0], 0);
	assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
	assert_int_equal(record->index, 1000);
	assert_int_equal(record->hart, 2);
	assert_int_equal(record->stream_offset, 77);
	assert_int_equal(record->flags, EAR_RECORD_HAS_TIME);
	assert_int_equal(record->ticks, 5);
	assert_int_equal(record->frm, 1);
	assert_int_equal(record->opcode_size, 2);
	assert_int_equal(record->register_count, 1);
	assert_int_equal(record->registers[0].class, EAR_REGISTER_X);
	assert_int_equal(record->registers[0].number, 6);
	assert_int_equal(record->registers[0].value, 7);
	assert_int_equal(record->memory_count, 0);

	record = ear_record_run_get(&made, &head, &briefs[1], 1);
	assert_int_equal(record->index, 1001);
	assert_int_equal(record->flags, 0);
	assert_int_equal(record->register_count, 0);
	assert_int_equal(record->memory_count, 1);
	assert_true(record->memory[0].write);
	assert_true(record->memory[0].has_value);
	assert_int_equal(record->memory[0].address, 0x2000);
	assert_int_equal(record->memory[0].size, 1);
	assert_int_equal(record->memory[0].value, 0xab);

	record = ear_record_run_get(&made, &head, &briefs[2], 2);
	assert_int_equal(record->flags, EAR_RECORD_TAKEN);
	assert_int_equal(record->next_pc, 0x100);
	assert_int_equal(record->memory_count, 0);
}

static void all_are_timed_if_the_run_says_so(void **state)
{
	struct ear_record_run timed = head;
	struct ear_record_made made;

	(void)state;
	timed.all_timed = true;
	ear_record_run_begin(&made, &timed);
	assert_int_equal(
		ear_record_run_get(&made, &timed, &briefs[1], 1)->flags, EAR_RECORD_HAS_TIME);
}

/* More than the first allocation holds, with a record in between. */
static void copies_keep_runs_in_their_places(void **state)
{
	struct ear_record_copies copies = {0};
	struct ear_record_made made;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct ear_record_run run = head;
		run.first_index = 3 * i;
		assert_int_equal(ear_record_copies_add_run(&copies, &run, briefs), 0);
		if (i % 100 == 99) {
			ear_record_run_begin(&made, &run);
			assert_non_null(ear_record_copies_add(
				&copies, ear_record_run_get(&made, &run, &briefs[0], 0)));
		}
	}
	assert_int_equal(copies.count, 3);
	assert_int_equal(copies.run_count, 300);
	assert_int_equal(copies.brief_count, 900);
	for (size_t i = 0; i < 300; i++) {
		assert_int_equal(copies.runs[i].position, i / 100);
		assert_int_equal(copies.runs[i].first, 3 * i);
		assert_int_equal(copies.runs[i].run.first_index, 3 * i);
		assert_memory_equal(&copies.briefs[3 * i], briefs, sizeof(briefs));
	}
	ear_record_copies_clear(&copies);
	assert_int_equal(copies.run_count + copies.brief_count + copies.size, 0);
	ear_record_copies_fini(&copies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_becomes_its_records),
		cmocka_unit_test(all_are_timed_if_the_run_says_so),
		cmocka_unit_test(copies_keep_runs_in_their_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
