#include <earshot/record.h>

#include "check.h"

#include "decoder/record/record_batch.h"
#include "random.h"

static const struct ear_compact_run head = {
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

static const struct ear_compact_record compacts[] = {
	{.pc = 0x100,
		.next_pc = 0x102,
		.result = 7,
		.opcode = 0x431d,
		.opcode_size = 2,
		.rd = 6,
		.size = EAR_COMPACT_NO_ACCESS},
	{.pc = 0x102,
		.next_pc = 0x106,
		.address = 0x2000,
		.data = 0xab,
		.opcode = 0x00628023,
		.opcode_size = 4,
		.size = 1,
		.flags = EAR_COMPACT_WRITE},
	{.pc = 0x106,
		.next_pc = 0x100,
		.opcode = 0xfe000de3,
		.opcode_size = 4,
		.size = EAR_COMPACT_NO_ACCESS,
		.flags = EAR_COMPACT_TAKEN},
};

static void a_run_becomes_its_records(void **state)
{
	struct ear_expanded_record made;

	(void)state;
	ear_compact_run_begin(&made, &head);

	const struct ear_record *record = ear_compact_run_get(&made, &head, &compacts[0], 0);
	assert_int_equal(record->kind, EAR_RECORD_INSTRUCTION);
	assert_int_equal(record->index, 1000);
	assert_int_equal(record->hart, 2);
	assert_int_equal(record->stream_offset, 77);
	assert_int_equal(record->flags, EAR_RECORD_HAS_TIME);
	assert_int_equal(record->ticks, 5);
	assert_int_equal(record->frm, 1);
	assert_int_equal(record->opcode_size, 2);
	assert_int_equal(record->register_count, 1);
	assert_int_equal(record->registers[0].reg_class, EAR_REGISTER_X);
	assert_int_equal(record->registers[0].number, 6);
	assert_int_equal(record->registers[0].value, 7);
	assert_int_equal(record->memory_count, 0);

	record = ear_compact_run_get(&made, &head, &compacts[1], 1);
	assert_int_equal(record->index, 1001);
	assert_int_equal(record->flags, 0);
	assert_int_equal(record->register_count, 0);
	assert_int_equal(record->memory_count, 1);
	assert_true(record->memory[0].write);
	assert_true(record->memory[0].has_value);
	assert_int_equal(record->memory[0].address, 0x2000);
	assert_int_equal(record->memory[0].size, 1);
	assert_int_equal(record->memory[0].value, 0xab);

	record = ear_compact_run_get(&made, &head, &compacts[2], 2);
	assert_int_equal(record->flags, EAR_RECORD_TAKEN);
	assert_int_equal(record->next_pc, 0x100);
	assert_int_equal(record->memory_count, 0);
}

static void all_are_timed_if_the_run_says_so(void **state)
{
	struct ear_compact_run timed = head;
	struct ear_expanded_record made;

	(void)state;
	timed.all_timed = true;
	ear_compact_run_begin(&made, &timed);
	assert_int_equal(
		ear_compact_run_get(&made, &timed, &compacts[1], 1)->flags, EAR_RECORD_HAS_TIME);
}

/* More than the first allocation holds, with a record in between. */
static void copies_keep_runs_in_their_places(void **state)
{
	struct ear_record_batch copies = {0};
	struct ear_expanded_record made;

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct ear_compact_run run = head;
		run.first_index = 3 * i;
		assert_int_equal(ear_record_batch_add_run(&copies, &run, compacts), 0);
		if (i % 100 == 99) {
			ear_compact_run_begin(&made, &run);
			assert_non_null(ear_record_batch_add(
				&copies, ear_compact_run_get(&made, &run, &compacts[0], 0)));
		}
	}
	assert_int_equal(ear_record_batch_count(&copies), 903);
	assert_int_equal(copies.count, 3);
	assert_int_equal(copies.run_count, 300);
	assert_int_equal(copies.compact_count, 900);
	for (size_t i = 0; i < 300; i++) {
		assert_int_equal(copies.runs[i].position, i / 100);
		assert_int_equal(copies.runs[i].first, 3 * i);
		assert_int_equal(copies.runs[i].run.first_index, 3 * i);
		assert_memory_equal(&copies.compacts[3 * i], compacts, sizeof(compacts));
	}
	ear_record_batch_clear(&copies);
	assert_int_equal(copies.run_count + copies.compact_count + copies.size, 0);
	ear_record_batch_fini(&copies);
}

/* What the records of a batch are, in order. */
static uint64_t mixed(struct ear_record_batch *copies)
{
	struct ear_record_cursor cursor;
	const struct ear_record *record;
	uint64_t value = 0;

	ear_record_cursor_begin(&cursor, copies);
	while ((record = ear_record_cursor_next(&cursor))) {
		const uint64_t parts[] = {record->kind, record->index, record->stream_offset,
			record->pc, record->next_pc, record->opcode, record->opcode_size,
			record->flags, record->hart, record->privilege, record->fflags,
			record->register_count, record->memory_count,
			record->extra ? record->extra->line : 0,
			record->register_count ? record->registers->value : 0,
			record->register_count ? record->registers->number : 0,
			record->memory_count ? record->memory->address : 0,
			record->memory_count ? record->memory->value : 0,
			record->memory_count ? record->memory->size : 0,
			record->memory_count ? record->memory->write : 0,
			record->memory_count ? record->memory->has_value : 0};
		for (size_t i = 0; i < COUNT_OF(parts); i++)
			value = (value ^ parts[i]) * 0x100000001B3u;
	}
	return value;
}

/* Records with a compact form, and others, one after another in any order. */
static void short_copies_are_the_records(void **state)
{
	struct random random = {3};
	struct ear_record_batch whole = {0}, compact = {0};
	struct ear_record_register registers[2] = {{.reg_class = EAR_REGISTER_X, .number = 5}};
	struct ear_record_access access = {.has_value = true};
	struct ear_record_extra extra = {.line = 10};
	struct ear_record record = {.isa = EAR_ISA_RISCV,
		.xlen = 32,
		.registers = registers,
		.memory = &access,
		.extra = &extra};

	(void)state;
	registers[1] = (struct ear_record_register){.reg_class = EAR_REGISTER_CSR, .number = 0x300};
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t odd = random_below(&random, 200);
		record.index++;
		extra.line++;
		record.stream_offset += 50;
		record.kind = odd == 1 ? EAR_RECORD_GAP : EAR_RECORD_INSTRUCTION;
		record.index += odd == 2;
		extra.line += odd == 3;
		record.hart = odd == 4;
		record.privilege = odd < 6 ? EAR_PRIVILEGE_U : EAR_PRIVILEGE_M;
		record.flags = odd == 6   ? EAR_RECORD_TRAP
			       : odd < 50 ? EAR_RECORD_TAKEN | EAR_RECORD_NO_NEXT_PC
					  : EAR_RECORD_NO_NEXT_PC;
		record.fflags = odd == 7;
		record.stream_offset += odd == 8 ? 1 : 0;
		record.extra = odd == 9 ? NULL : &extra;
		record.register_count = odd == 10 ? 2 : odd & 1;
		record.memory_count = odd >> 1 & 1;
		access.write = odd & 4;
		access.has_value = odd != 11;
		access.size = odd == 12 ? 0 : 4;
		record.pc = record.next_pc;
		record.next_pc += 4;
		record.opcode = odd == 13 ? (uint64_t)1 << 40 : i;
		registers[0].value = access.address = access.value = i * 3;
		assert_non_null(ear_record_batch_add(&whole, &record));
		assert_int_equal(ear_record_batch_add_compact(&compact, &record), 0);
	}
	assert_int_equal(ear_record_batch_count(&compact), 20000);
	assert_above(compact.compact_count, 15000);
	assert_above(compact.count, 500);
	assert_same(mixed(&whole), mixed(&compact));
	ear_record_batch_fini(&whole);
	ear_record_batch_fini(&compact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_becomes_its_records),
		cmocka_unit_test(all_are_timed_if_the_run_says_so),
		cmocka_unit_test(copies_keep_runs_in_their_places),
		cmocka_unit_test(short_copies_are_the_records),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
