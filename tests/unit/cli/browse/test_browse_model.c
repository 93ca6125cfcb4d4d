/* The cursor of 'earshot browse' on a small program that calls, loops and returns, which the test
 * writes as a Spike log. What a move finds is held against what the program does. */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/browse/browse_model.h"

#define MAIN     0x80000000u
#define FUNCTION 0x80000100u

struct world {
	char path[64];
	FILE *file;
	struct ear_trace *trace;
	struct browse_model model;
	unsigned calls[16], ends[16]; /* numbers of the calls, and of what follows their returns */
	unsigned count;
};

static void step(struct world *world, uint32_t pc, uint32_t opcode, const char *effect)
{
	fprintf(world->file, "core   0: 3 0x%08" PRIx32 " (0x%08" PRIx32 ")%s\n", pc, opcode,
		effect);
	world->count++;
}

/* main: li sp; then three times: jal ra, function; addi a1. function: a loop of eight rounds. */
static void write_program(struct world *world)
{
	char effect[64];

	step(world, MAIN, 0x80010137, " x2  0x80010000"); /* lui sp */
	for (unsigned i = 0; i < 3; i++) {
		world->calls[i] = world->count;
		snprintf(effect, sizeof(effect), " x1  0x%08x", MAIN + 8);
		step(world, MAIN + 4, 0x0FC000EF, effect);            /* jal ra, function */
		step(world, FUNCTION, 0x00000513, " x10 0x00000000"); /* li a0, 0 */
		for (unsigned round = 1; round <= 8; round++) {
			snprintf(effect, sizeof(effect), " x10 0x%08x", round);
			step(world, FUNCTION + 4, 0x00150513, effect); /* addi a0, a0, 1 */
			step(world, FUNCTION + 8, 0xFEB51EE3, "");     /* bne a0, a1, -4 */
		}
		step(world, FUNCTION + 12, 0x00008067, ""); /* ret */
		world->ends[i] = world->count;
		snprintf(effect, sizeof(effect), " x11 0x%08x", i);
		step(world, MAIN + 8, 0x00158593, effect); /* addi a1, a1, 1 */
		step(world, MAIN + 12, 0xFF9FF06F, "");    /* j -8 */
	}
	step(world, MAIN + 4, 0x00000013, ""); /* nop */
}

static int begin(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;

	assert_non_null(world);
	strcpy(world->path, "/tmp/earshot-browse-XXXXXX");
	int fd = mkstemp(world->path);
	assert_true(fd >= 0);
	world->file = fdopen(fd, "w");
	assert_non_null(world->file);
	write_program(world);
	assert_int_equal(fclose(world->file), 0);
	options.index = EAR_INDEX_NONE;
	options.format = "spike";
	assert_int_equal(ear_trace_open(&world->trace, world->path, &options), 0);
	assert_int_equal(browse_model_open(&world->model, world->trace, NULL, NULL), 0);
	assert_int_equal(world->model.cursor, 0);
	assert_int_equal(browse_model_end(&world->model), 0);
	*state = world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;

	browse_model_close(&world->model);
	ear_trace_close(world->trace);
	unlink(world->path);
	free(world);
	return 0;
}

static void it_begins_at_the_last_instruction(void **state)
{
	struct world *world = *state;
	uint64_t number;

	assert_int_equal(world->model.cursor, world->count - 1);
	assert_true(browse_model_number(&world->model, world->model.cursor, &number));
	assert_int_equal(number, world->count - 1);
	assert_true(world->model.counted);
	assert_int_equal(world->model.counts.instructions, world->count);
	assert_int_equal(browse_step(&world->model, EAR_FORWARD), 0);
	assert_true(strlen(world->model.why) > 0);
	assert_int_equal(world->model.cursor, world->count - 1);
}

static void steps_meet_every_record_in_both_directions(void **state)
{
	struct browse_model *model = &((struct world *)*state)->model;

	assert_int_equal(browse_go(model, 0), 1);
	for (uint64_t i = 1; i < ((struct world *)*state)->count; i++) {
		assert_int_equal(browse_step(model, EAR_FORWARD), 1);
		assert_int_equal(model->cursor, i);
	}
	for (uint64_t i = model->cursor; i > 0; i--) {
		assert_int_equal(browse_step(model, EAR_BACKWARD), 1);
		assert_int_equal(model->cursor, i - 1);
	}
	assert_int_equal(browse_step(model, EAR_BACKWARD), 0);
}

static void over_passes_a_call_and_comes_back(void **state)
{
	struct world *world = *state;
	struct browse_model *model = &world->model;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(browse_go(model, world->calls[i]), 1);
		assert_int_equal(browse_over(model, EAR_FORWARD), 1);
		assert_int_equal(model->cursor, world->ends[i]);
		assert_int_equal(browse_over(model, EAR_BACKWARD), 1);
		assert_int_equal(model->cursor, world->calls[i]);
	}
}

static void out_leaves_a_call_in_both_directions(void **state)
{
	struct world *world = *state;
	struct browse_model *model = &world->model;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(browse_go(model, world->calls[i] + 5), 1);
		assert_int_equal(browse_out(model, EAR_FORWARD), 1);
		assert_int_equal(model->cursor, world->ends[i]);
		assert_int_equal(browse_go(model, world->calls[i] + 5), 1);
		assert_int_equal(browse_out(model, EAR_BACKWARD), 1);
		assert_int_equal(model->cursor, world->calls[i]);
		assert_int_equal(browse_out(model, EAR_BACKWARD), 0);
	}
}

static void calls_and_returns_are_found(void **state)
{
	struct world *world = *state;
	struct browse_model *model = &world->model;

	assert_int_equal(browse_go(model, 0), 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(browse_call(model, EAR_FORWARD), 1);
		assert_int_equal(model->cursor, world->calls[i]);
		assert_int_equal(browse_return(model, EAR_FORWARD), 1);
		assert_int_equal(model->cursor, world->ends[i] - 1);
	}
	assert_int_equal(browse_call(model, EAR_FORWARD), 0);
	assert_int_equal(model->cursor, world->ends[2] - 1);
	assert_int_equal(browse_call(model, EAR_BACKWARD), 1);
	assert_int_equal(model->cursor, world->calls[2]);
}

static void folded_calls_are_a_row(void **state)
{
	struct world *world = *state;
	struct browse_model *model = &world->model;
	struct browse_row row;

	model->fold = BROWSE_FOLD_CALLS;
	assert_int_equal(browse_go(model, world->calls[0]), 1);
	assert_true(browse_row_at(model, world->calls[0] + 1, &row));
	assert_non_null(row.fold);
	assert_int_equal(row.first, world->calls[0] + 1);
	assert_int_equal(row.last, world->ends[0] - 1);
	assert_true(browse_row_before(model, world->ends[0], &row));
	assert_int_equal(row.first, world->calls[0] + 1);
	assert_int_equal(browse_rows(model, 1), 1);
	assert_int_equal(model->cursor, world->ends[0]);
	assert_int_equal(browse_rows(model, -1), 1);
	assert_int_equal(model->cursor, world->calls[0]);
	/* In the call it is not folded. */
	assert_int_equal(browse_step(model, EAR_FORWARD), 1);
	assert_true(browse_row_at(model, model->cursor + 1, &row));
	assert_null(row.fold);
}

static void folded_loops_are_a_row(void **state)
{
	struct world *world = *state;
	struct browse_model *model = &world->model;
	struct browse_row row;

	model->fold = BROWSE_FOLD_LOOPS;
	assert_int_equal(browse_go(model, world->calls[0] + 1), 1);
	/* The first round is there, seven are folded, and the return follows. */
	assert_true(browse_row_at(model, world->calls[0] + 4, &row));
	assert_non_null(row.fold);
	assert_int_equal(row.fold->kind, BROWSE_NODE_LOOP);
	assert_int_equal(row.last - row.first + 1, 14);
	assert_int_equal(row.fold->rounds, 7);
	assert_true(browse_row_at(model, row.last + 1, &row));
	assert_null(row.fold);
	assert_int_equal(browse_go(model, world->calls[0] + 8), 1);
	assert_int_equal(browse_leave_loop(model, EAR_FORWARD), 1);
	assert_int_equal(model->cursor, world->ends[0] - 1);
}

static void the_trail_goes_back_and_forth(void **state)
{
	struct world *world = *state;
	struct browse_model *model = &world->model;

	assert_int_equal(browse_back(model), 0);
	const uint64_t last = model->cursor;
	assert_int_equal(browse_jump(model, 5), 1);
	assert_int_equal(browse_jump(model, 9), 1);
	assert_int_equal(browse_back(model), 1);
	assert_int_equal(model->cursor, 5);
	assert_int_equal(browse_back(model), 1);
	assert_int_equal(model->cursor, last);
	assert_int_equal(browse_back(model), 0);
	assert_int_equal(browse_forth(model), 1);
	assert_int_equal(browse_forth(model), 1);
	assert_int_equal(model->cursor, 9);
	assert_int_equal(browse_forth(model), 0);
	/* Many jumps: the oldest ones are forgotten. */
	for (uint64_t i = 0; i < 3 * BROWSE_TRAIL_MAX; i++)
		assert_int_equal(browse_jump(model, i % 2 ? 3 : 7), 1);
	unsigned count = 0;
	while (browse_back(model) == 1)
		count++;
	assert_int_equal(count, BROWSE_TRAIL_MAX - 1);
}

static void places_are_found(void **state)
{
	struct world *world = *state;
	struct browse_model *model = &world->model;

	assert_int_equal(browse_moment(model, "7"), 1);
	assert_int_equal(model->cursor, 7);
	assert_int_equal(browse_moment(model, "+2"), 1);
	assert_int_equal(model->cursor, 9);
	assert_int_equal(browse_moment(model, "nowhere"), 0);
	assert_int_equal(model->cursor, 9);
	assert_int_equal(browse_moment(model, "trap"), 0);
	assert_int_equal(browse_percent(model, 0), 1);
	assert_int_equal(model->cursor, 0);
	assert_int_equal(browse_percent(model, 100), 1);
	assert_int_equal(model->cursor, world->count - 1);
	assert_int_equal(browse_percent(model, 101), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_begins_at_the_last_instruction, begin, end),
		cmocka_unit_test_setup_teardown(
			steps_meet_every_record_in_both_directions, begin, end),
		cmocka_unit_test_setup_teardown(over_passes_a_call_and_comes_back, begin, end),
		cmocka_unit_test_setup_teardown(out_leaves_a_call_in_both_directions, begin, end),
		cmocka_unit_test_setup_teardown(calls_and_returns_are_found, begin, end),
		cmocka_unit_test_setup_teardown(folded_calls_are_a_row, begin, end),
		cmocka_unit_test_setup_teardown(folded_loops_are_a_row, begin, end),
		cmocka_unit_test_setup_teardown(the_trail_goes_back_and_forth, begin, end),
		cmocka_unit_test_setup_teardown(places_are_found, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
