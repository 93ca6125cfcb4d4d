/* The human-readable trace of FireSim's TracerV, written. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "record_trip.h"

#define HEADER "# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n"

static struct ear_record instruction(uint64_t index, uint64_t pc, uint32_t flags, uint64_t ticks)
{
	return (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.xlen = 64,
		.index = index,
		.pc = pc,
		.flags = flags,
		.ticks = ticks};
}

static void check(struct ear_record *records, size_t count, const char *want)
{
	struct ear_record *list[16];
	size_t size;

	for (size_t i = 0; i < count; i++)
		list[i] = &records[i];
	char *text = trip_write("tracerv", list, count, &size);
	assert_string_equal(text, want);
	free(text);
}

/* Instructions of one cycle are numbered; what traps was not committed. */
static void cycles_and_slots_are_written(void **state)
{
	(void)state;
	uint32_t timed = EAR_RECORD_HAS_TIME;
	struct ear_record records[] = {
		instruction(0, 0x10010, timed, 337),
		instruction(1, 0x10014, timed, 337),
		instruction(2, 0x10018, timed | EAR_RECORD_TRAP, 338),
		instruction(3, 0x80000000, timed, 340),
		instruction(4, 0x80000004, 0, 0),
		instruction(5, 0x80000008, timed | EAR_RECORD_INTERRUPT, 341),
		instruction(6, 0xffffffff80000010, timed, UINT64_MAX),
	};

	check(records, COUNT_OF(records),
		HEADER "Cycle: 0000000000000337 I0: 0000000000010010\n"
		       "Cycle: 0000000000000337 I1: 0000000000010014\n"
		       "Cycle: 0000000000000340 I0: 0000000080000000\n"
		       "Cycle: 0000000000000340 I1: 0000000080000004\n"
		       "Cycle: 18446744073709551615 I0: ffffffff80000010\n");
}

static void without_times_the_index_is_the_cycle(void **state)
{
	(void)state;
	struct ear_record records[] = {
		instruction(7, 0x10010, 0, 0),
		{.kind = EAR_RECORD_GAP,
			.index = 10,
			.u.gap = {.reason = EAR_GAP_UNIT_FIFO,
				.count_known = true,
				.count = 2,
				.first = 8,
				.last = 9}},
		instruction(10, 0x10014, 0, 0),
	};

	check(records, COUNT_OF(records),
		HEADER "Cycle: 0000000000000007 I0: 0000000000010010\n"
		       "# gap: 2 records missing; index 8 to 9; hart 0; the unit's FIFO was full; "
		       "stream byte 0\n"
		       "Cycle: 0000000000000010 I0: 0000000000010014\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_and_slots_are_written),
		cmocka_unit_test(without_times_the_index_is_the_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
