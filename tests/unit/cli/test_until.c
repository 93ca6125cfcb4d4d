/* The event of a flight recorder in decoded records: the same that the unit's stop trigger finds
 * (docs/protocol.md, section 7.2), and traps.
 */
#include "check.h"

#include "cli/live/until.h"
#include "common/protocol/ear_protocol.h"

static const struct ear_record_access load = {
	.address = 0x2000, .value = 0x12, .size = 4, .has_value = true};
static const struct ear_record_access store = {
	.address = 0x3002, .value = 0xABCD, .size = 2, .write = true, .has_value = true};
static const struct ear_record_access trapped = {.address = 0x2000, .size = 4};
static const struct ear_record_access amo[2] = {
	{.address = 0x4000, .value = 5, .size = 4, .has_value = true},
	{.address = 0x4000, .value = 6, .size = 4, .write = true, .has_value = true},
};

static struct ear_record instruction(const struct ear_record_access *memory, size_t count)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.index = 10,
		.xlen = 32,
		.pc = 0x80000010,
		.opcode = 0x00A2A023,
		.memory = memory,
		.memory_count = count};
}

static bool fires(struct ear_trigger trigger, const struct ear_record *record)
{
	struct until until = {.trigger = trigger};

	return until_record(&until, record);
}

static void addresses_and_opcodes(void **state)
{
	struct ear_record record = instruction(NULL, 0);
	struct ear_trigger pc = {.kind = EAR_TRIGGER_PC, .value = 0x80000010, .mask = UINT64_MAX};
	struct ear_trigger opcode = {.kind = EAR_TRIGGER_OPCODE, .value = 0x2023, .mask = 0x707F};

	(void)state;
	assert_true(fires(pc, &record));
	assert_true(fires(opcode, &record));
	pc.value += 2;
	opcode.value = 0x1023;
	assert_false(fires(pc, &record));
	assert_false(fires(opcode, &record));
	pc.mask = 0xFFFFFFF0;
	assert_true(fires(pc, &record));
	record.flags = EAR_RECORD_INTERRUPT; /* taken in front of this instruction */
	assert_true(fires(pc, &record));
	record.kind = EAR_RECORD_GAP;
	assert_false(fires(pc, &record));
}

static void accesses(void **state)
{
	static const struct {
		const struct ear_record_access *memory;
		size_t count;
		uint64_t first, last;
		bool reads, writes, fires;
	} rows[] = {
		{&load, 1, 0x2000, 0x2000, true, true, true},
		{&load, 1, 0x2003, 0x2010, true, false, true},
		{&load, 1, 0x2004, 0x2010, true, true, false},
		{&load, 1, 0x1000, 0x1FFF, true, true, false},
		{&load, 1, 0x2000, 0x2000, false, true, false},
		{&store, 1, 0x3003, 0x3003, false, true, true},
		{&store, 1, 0x3003, 0x3003, true, false, false},
		{&store, 1, 0x3000, 0x3001, true, true, false},
		{&trapped, 1, 0x2000, 0x2000, true, true, false},
		{amo, 2, 0x4000, 0x4000, false, true, true},
		{amo, 2, 0x4000, 0x4000, true, false, true},
		{NULL, 0, 0, UINT64_MAX, true, true, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_record record = instruction(rows[i].memory, rows[i].count);
		struct ear_trigger trigger = {.kind = EAR_TRIGGER_ADDRESS,
			.on_reads = rows[i].reads,
			.on_writes = rows[i].writes,
			.value = rows[i].first,
			.mask = rows[i].last};
		if (fires(trigger, &record) != rows[i].fires)
			fail_msg("row %zu", i);
	}
}

static void data(void **state)
{
	struct ear_record record = instruction(amo, 2);
	struct ear_trigger trigger = {.kind = EAR_TRIGGER_ADDRESS_DATA,
		.on_reads = true,
		.on_writes = true,
		.value = 0x4000,
		.mask = 0x4000,
		.data = 6,
		.data_mask = UINT64_MAX};

	(void)state;
	assert_true(fires(trigger, &record)); /* written */
	trigger.data = 5;
	assert_true(fires(trigger, &record)); /* read */
	trigger.on_reads = false;
	assert_false(fires(trigger, &record));
	trigger.data = 0xF6;
	trigger.data_mask = 0xF;
	assert_true(fires(trigger, &record));
	trigger.value = trigger.mask = 0x5000;
	assert_false(fires(trigger, &record));
}

static void counts_begin_with_the_first_record(void **state)
{
	struct ear_record record = instruction(NULL, 0), gap = {.kind = EAR_RECORD_GAP};
	struct until until = {.trigger = {.kind = EAR_TRIGGER_RECORDS, .value = 3}};

	(void)state;
	assert_false(until_record(&until, &gap));
	assert_false(until_record(&until, &record));
	record.index = 11;
	assert_false(until_record(&until, &record));
	record.index = 12;
	assert_true(until_record(&until, &record));
	/* The record that completes the count may be lost. */
	until.begun = false;
	record.index = 20;
	assert_false(until_record(&until, &record));
	record.index = 100;
	assert_true(until_record(&until, &record));
}

static void reboots_are_counted_from_the_first_instruction_on(void **state)
{
	struct ear_record first = instruction(NULL, 0), other = first;
	struct until until = {.reboots = 2}, late = until;

	(void)state;
	first.index = 0;
	other.pc += 4;
	other.index = 1;
	assert_false(until_record(&until, &first));
	assert_false(until_record(&until, &other));
	assert_false(until_record(&until, &first));
	assert_false(until_record(&until, &other));
	assert_true(until_record(&until, &first));

	/* Where the program begins is not known. */
	other.index = 5;
	for (unsigned i = 0; i < 8; i++)
		assert_false(until_record(&late, &other));
	assert_true(until_records_can(&late));
	assert_false(until_unit_can(&late));
}

static void traps_and_interrupts(void **state)
{
	struct until trap = {.exception = true}, irq = {.interrupt = true};
	struct ear_record record = instruction(NULL, 0);

	(void)state;
	assert_false(until_record(&trap, &record));
	assert_false(until_record(&irq, &record));
	record.flags = EAR_RECORD_TRAP;
	record.cause = 2;
	assert_true(until_record(&trap, &record));
	assert_false(until_record(&irq, &record));
	trap.has_cause = true;
	trap.cause = 3;
	assert_false(until_record(&trap, &record));
	trap.cause = 2;
	assert_true(until_record(&trap, &record));
	record.flags = EAR_RECORD_INTERRUPT;
	record.cause = 0x80000007;
	irq.has_cause = true;
	irq.cause = 7;
	assert_true(until_record(&irq, &record));
	assert_false(until_record(&trap, &record));
	irq.cause = 11;
	assert_false(until_record(&irq, &record));
	record.xlen = 64;
	record.cause = ((uint64_t)1 << 63) + 11;
	assert_true(until_record(&irq, &record));
}

static void who_can_wait_for_what(void **state)
{
	(void)state;
	for (uint8_t kind = EAR_TRIGGER_NONE; kind <= EAR_TRIGGER_PIN; kind++) {
		struct until until = {.trigger.kind = kind};
		bool clock = kind == EAR_TRIGGER_CYCLES || kind == EAR_TRIGGER_PIN;
		assert_int_equal(until_records_can(&until), !clock);
		assert_int_equal(until_unit_can(&until), kind != EAR_TRIGGER_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_opcodes),
		cmocka_unit_test(accesses),
		cmocka_unit_test(data),
		cmocka_unit_test(counts_begin_with_the_first_record),
		cmocka_unit_test(reboots_are_counted_from_the_first_instruction_on),
		cmocka_unit_test(traps_and_interrupts),
		cmocka_unit_test(who_can_wait_for_what),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
