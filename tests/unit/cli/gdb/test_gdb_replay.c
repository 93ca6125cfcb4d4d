/* Steps and searches with few records in memory, against the same with many: all places and all
 * that is known there are the same.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "cli/gdb/replay.h"
#include "cli/gdb/replay_step.h"
#include "cli/gdb/target.h"
#include "library/api/trace_internal.h"
#include "library_truth.h"
#include "random.h"

struct pair {
	const struct truth *truth;
	struct ear_trace *traces[2];
	struct ear_gdb_replay replays[2];
};

static void compare(struct pair *pair, const char *after)
{
	struct ear_gdb_replay *a = &pair->replays[0], *b = &pair->replays[1];
	uint16_t hart = ear_gdb_hart(a);
	unsigned long long place = a->present;

	if (a->present != b->present)
		fail_msg("%s, %s: at %llu, and at %llu", pair->truth->path, after, place,
			(unsigned long long)b->present);
	assert_int_equal(ear_gdb_hart(b), hart);
	assert_same(ear_gdb_number(a), ear_gdb_number(b));
	for (unsigned i = 0; i <= EAR_GDB_CSR0 + 0x344; i += i < EAR_GDB_CSR0 ? 1 : 33) {
		uint64_t values[2] = {0, 0};
		bool known = ear_gdb_register(a, hart, i, &values[0]);
		if (ear_gdb_register(b, hart, i, &values[1]) != known || values[0] != values[1])
			fail_msg("%s, %s at %llu: register %u is 0x%llx, and 0x%llx",
				pair->truth->path, after, place, i, (unsigned long long)values[0],
				(unsigned long long)values[1]);
	}
}

/* Code is known from the records around, which are not the same. */
static void compare_memory(struct pair *pair, uint64_t address)
{
	uint8_t bytes[2][32];
	int64_t counts[2];

	for (unsigned i = 0; i < 2; i++)
		counts[i] = ear_gdb_memory(&pair->replays[i], address, bytes[i], sizeof(bytes[i]));
	assert_true(counts[0] >= 0 && counts[1] >= 0);
	int64_t both = counts[0] < counts[1] ? counts[0] : counts[1];
	assert_memory_equal(bytes[0], bytes[1], (size_t)both);
}

static const struct ear_record *draw(const struct truth *truth, struct random *random)
{
	return truth->records[random_below(random, truth->count)];
}

static void change_points(struct pair *pair, struct random *random)
{
	const struct ear_record *record = draw(pair->truth, random);
	char text[64];

	for (unsigned i = 0; i < 2; i++)
		ear_gdb_points_fini(&pair->replays[i].points);
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	/* If the stack pointer is not 1. */
	snprintf(text, sizeof(text), "0,%llx,2%s", (unsigned long long)record->pc,
		random_once_in(random, 2) ? ";X7,26000222011327" : "");
	if (record->memory_count && random_once_in(random, 2))
		snprintf(text, sizeof(text), "%u,%llx,%u", 2 + (unsigned)random_below(random, 3),
			(unsigned long long)record->memory[0].address,
			1 + (unsigned)random_below(random, 8));
	for (unsigned i = 0; i < 2; i++)
		(void)ear_gdb_points_insert(&pair->replays[i].points, text);
}

static void move(struct pair *pair, struct random *random)
{
	static const char *const names[] = {
		"a step", "a step back", "continue", "reverse-continue", "goto", "a range"};
	const unsigned kind = (unsigned)random_below(random, 6);
	const enum ear_direction direction = kind % 2 ? EAR_BACKWARD : EAR_FORWARD;
	uint16_t hart = ear_gdb_hart(&pair->replays[0]);
	uint64_t position = random_below(random, pair->truth->count + 1);
	struct ear_gdb_stop stops[2] = {{.reason = EAR_GDB_STEPPED}, {.reason = EAR_GDB_STEPPED}};
	uint64_t pc = 0;

	(void)ear_gdb_pc(&pair->replays[0], hart, &pc);
	for (unsigned i = 0; i < 2; i++) {
		struct ear_gdb_replay *replay = &pair->replays[i];
		if (kind < 2)
			stops[i] = ear_gdb_step(replay, hart, direction, 1, 0);
		else if (kind < 4)
			stops[i] = ear_gdb_continue(replay, direction);
		else if (kind == 4)
			assert_int_equal(ear_gdb_goto(replay, position), 0);
		else
			stops[i] = ear_gdb_step(
				replay, hart, EAR_FORWARD, pc > 16 ? pc - 16 : 0, pc + 16);
	}
	if (stops[0].reason != stops[1].reason || stops[0].hart != stops[1].hart ||
		stops[0].cause != stops[1].cause || strcmp(stops[0].text, stops[1].text) != 0)
		fail_msg("%s, %s: reason %d \"%s\", and %d \"%s\"", pair->truth->path, names[kind],
			(int)stops[0].reason, stops[0].text, (int)stops[1].reason, stops[1].text);
	assert_int_not_equal(stops[0].reason, EAR_GDB_FAILED);
	compare(pair, names[kind]);
}

static void few_records_in_memory_are_enough(void **state)
{
	static const unsigned windows[] = {16, 100};
	struct truth *truth;

	(void)state;
	for (size_t i = 0; (truth = truth_of(i)) != NULL; i++) {
		for (unsigned w = 0; w < COUNT_OF(windows) && truth->count > 0; w++) {
			struct pair pair = {.truth = truth};
			struct random random = {.state = 10 * i + w};
			for (unsigned k = 0; k < 2; k++) {
				pair.traces[k] = truth_open_indexed(truth);
				pair.traces[k]->past_window = k ? windows[w] : 0;
				assert_int_equal(ear_gdb_replay_init(&pair.replays[k],
							 pair.traces[k], truth->made, NULL, NULL),
					0);
				pair.replays[k].caught = (unsigned)(i + w) % 4;
				pair.replays[k].handlers_over = (i + w) % 3;
			}
			for (unsigned k = 0; k < 60; k++) {
				if (random_once_in(&random, 4))
					change_points(&pair, &random);
				move(&pair, &random);
				const struct ear_record *record = draw(truth, &random);
				if (record->memory_count && random_once_in(&random, 3))
					compare_memory(&pair, record->memory[0].address);
			}
			for (unsigned k = 0; k < 2; k++) {
				ear_gdb_replay_fini(&pair.replays[k]);
				ear_trace_close(pair.traces[k]);
			}
		}
		truth_free(truth);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_records_in_memory_are_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
