/* Moments through the library, compared with followers that get every record from the beginning.
 */
#include "check.h"

#include <stdio.h>

#include "library/memory/memory_state.h"
#include "library/stack/call_stack.h"
#include "library/state/state.h"
#include "library_truth.h"
#include "random.h"

/* Every capture but states-1.shot is made by the test; all else are texts. */
static bool is_captured(const struct truth *truth)
{
	return truth->made || strstr(truth->path, ".shot") != NULL;
}

/* The registers before position, by pushing all records. */
static struct ear_state *state_at(const struct truth *truth, uint64_t position)
{
	struct ear_state *state;

	const bool captured = is_captured(truth);
	const struct ear_state_source source = {.captured = captured, .shows_fflags = captured};

	assert_int_equal(ear_state_new(&state), 0);
	ear_state_set_source(state, &source);
	for (uint64_t i = 0; i < position; i++)
		assert_int_equal(ear_state_push(state, truth->records[i]), 0);
	return state;
}

static void check_registers(
	const struct truth *truth, const struct ear_moment *moment, uint64_t position)
{
	struct ear_state *state = state_at(truth, position);
	uint16_t hart = ear_moment_hart(moment);
	static const enum ear_register_class classes[] = {
		EAR_REGISTER_X, EAR_REGISTER_F, EAR_REGISTER_CSR};

	for (unsigned c = 0; c < COUNT_OF(classes); c++)
		for (unsigned i = c == 0; i < (c == 2 ? 4096 : 32); i++) {
			uint64_t found = 0, value = 0;
			bool known = ear_state_register(state, hart, classes[c], i, &value);
			if (ear_moment_register(moment, hart, classes[c], i, &found) != known ||
				found != value)
				fail_msg("%s: register %u of class %u at %llu", truth->path, i, c,
					(unsigned long long)position);
		}
	ear_state_free(state);
}

/* The last instruction of the hart before position that no gap follows, NULL: none. */
static const struct ear_record *last_of(const struct truth *truth, uint64_t position, uint16_t hart)
{
	while (position-- > 0) {
		const struct ear_record *record = truth->records[position];
		if (record->hart == hart && record->kind == EAR_RECORD_GAP)
			return NULL;
		if (record->hart == hart && record->kind == EAR_RECORD_INSTRUCTION)
			return record;
	}
	return NULL;
}

static void check_place(
	const struct truth *truth, const struct ear_moment *moment, uint64_t position)
{
	uint16_t hart = ear_moment_hart(moment);
	const struct ear_record *last = last_of(truth, position, hart);
	const struct ear_record *next = position < truth->count ? truth->records[position] : NULL;
	uint64_t pc = 0;
	unsigned privilege;

	assert_same(ear_moment_position(moment), position);
	assert_same(ear_moment_number(moment), truth->numbers[position]);
	if (position > 0)
		truth_check(truth, ear_moment_record(moment), position - 1);
	else
		assert_null(ear_moment_record(moment));
	assert_same(ear_moment_pc(moment, hart, &pc), last != NULL);
	if (last)
		assert_same(pc, last->pc);
	if (next && next->kind == EAR_RECORD_INSTRUCTION && next->hart == hart &&
		!(next->flags & EAR_RECORD_NO_PRIVILEGE)) {
		assert_true(ear_moment_privilege(moment, hart, &privilege));
		assert_same(privilege, next->privilege);
	} else if (ear_moment_privilege(moment, hart, &privilege)) {
		assert_non_null(last);
		assert_same(privilege, last->privilege);
	}
}

static void every_register_is_that_of_a_follower(void **state)
{
	struct random random = {31};
	struct truth *truth;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t / 2)); t++, truth_free(truth)) {
		struct ear_trace *trace = t % 2 ? truth_open_indexed(truth) : truth_open(truth);
		struct ear_moment *moment;
		assert_int_equal(ear_moment_new(&moment, trace, 0, NULL), 0);
		for (unsigned i = 0; i < 12; i++) {
			uint64_t position = i == 0   ? 0
					    : i == 1 ? truth->count
						     : random_below(&random, truth->count + 1);
			assert_int_equal(ear_moment_move(moment, position, NULL), 0);
			check_place(truth, moment, position);
			check_registers(truth, moment, position);
			/* The next one is reached by going on. */
			if (position < truth->count) {
				assert_int_equal(ear_moment_move(moment, position + 1, NULL), 0);
				check_place(truth, moment, position + 1);
				check_registers(truth, moment, position + 1);
			}
		}
		assert_int_equal(ear_moment_move(moment, UINT64_MAX, NULL), 0);
		check_place(truth, moment, truth->count);
		ear_moment_free(moment);
		ear_trace_close(trace);
	}
}

/* Followers of memory with what is volatile in the whole trace. */
struct memories {
	struct ear_memory *whole, *at;
};

static void follow(struct ear_memory **memory, const struct truth *truth,
	const struct ear_memory_options *options, uint64_t position)
{
	assert_int_equal(ear_memory_new(memory, options), 0);
	for (uint64_t i = 0; i < position; i++)
		assert_int_equal(ear_memory_push(*memory, truth->records[i]), 0);
}

static struct memories memories_at(const struct truth *truth, uint64_t position,
	const struct ear_memory_segment *image, size_t image_count)
{
	bool captured = is_captured(truth);
	struct ear_memory_options options = {.captured = captured,
		.absent_is_same = !captured,
		.image = image,
		.image_count = image_count};
	struct memories made;

	for (;;) {
		follow(&made.whole, truth, &options, truth->count);
		if (ear_memory_better_key(made.whole) == options.key)
			break;
		options.key = ear_memory_better_key(made.whole);
		ear_memory_free(made.whole);
	}
	follow(&made.at, truth, &options, position);
	ear_memory_set_volatile(made.at, ear_memory_volatile(made.whole));
	return made;
}

static size_t check_memory(const struct truth *truth, struct ear_moment *moment, uint64_t position,
	const struct ear_memory_segment *image, size_t image_count)
{
	struct memories memories = memories_at(truth, position, image, image_count);
	size_t known_count = 0;

	for (uint64_t i = 0; i < truth->count; i += 1 + truth->count / 50) {
		uint8_t bytes[96], known[96], want[96];
		bool want_known[96];
		if (truth->records[i]->memory_count == 0)
			continue;
		uint64_t address = truth->records[i]->memory[0].address - 40;
		int64_t count =
			ear_memory_read(memories.at, address, want, want_known, sizeof(want));
		assert_same(ear_moment_memory(moment, address, bytes, known, 96, NULL), count);
		known_count += (size_t)count;
		for (unsigned b = 0; b < 96; b++)
			if ((known[b] != EAR_BYTE_UNKNOWN) != want_known[b] || bytes[b] != want[b])
				fail_msg("%s: byte %llx at %llu", truth->path,
					(unsigned long long)address + b,
					(unsigned long long)position);
	}
	ear_memory_free(memories.whole);
	ear_memory_free(memories.at);
	return known_count;
}

static void memory_is_that_of_a_follower(void **state)
{
	struct random random = {37};
	struct truth *truth;
	size_t known = 0;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t / 2)); t++, truth_free(truth)) {
		struct ear_trace *trace = t % 2 ? truth_open_indexed(truth) : truth_open(truth);
		struct ear_moment *moment;
		assert_int_equal(ear_moment_new(&moment, trace, truth->count / 2, NULL), 0);
		known += check_memory(truth, moment, truth->count / 2, NULL, 0);
		for (unsigned i = 0; i < 3; i++) {
			uint64_t position = random_below(&random, truth->count + 1);
			assert_int_equal(ear_moment_move(moment, position, NULL), 0);
			known += check_memory(truth, moment, position, NULL, 0);
		}
		ear_moment_free(moment);
		ear_trace_close(trace);
	}
	assert_above(known, 1000);
}

static void an_image_shows_through_where_nothing_was_written(void **state)
{
	static uint8_t content[0x4000];
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open(truth);
	const struct ear_image_segment segment = {0xa0000000, sizeof(content), content, false};
	const struct ear_memory_segment same = {0xa0000000, sizeof(content), content, false};
	struct ear_moment *moment;
	uint8_t bytes[16], known[16];

	(void)state;
	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = (uint8_t)(i * 7);
	assert_int_equal(ear_trace_set_image(trace, &segment, 1), 0);
	assert_int_equal(ear_moment_new(&moment, trace, 3, NULL), 0);
	check_memory(truth, moment, 3, &same, 1);
	assert_same(ear_moment_memory(moment, 0xa0003f00, bytes, known, 16, NULL), 16);
	assert_memory_equal(bytes, content + 0x3f00, 16);
	assert_int_equal(known[0], EAR_BYTE_IMAGE);
	assert_same(ear_moment_memory(moment, 0x90000000, bytes, known, 16, NULL), 0);
	assert_int_equal(known[0], EAR_BYTE_UNKNOWN);
	assert_int_equal(ear_trace_set_image(trace, &segment, 1), EAR_E_BAD_ARGUMENT);
	assert_contains(ear_trace_error(trace), "before memory is asked for");
	assert_int_equal(ear_moment_memory(moment, 0, bytes, NULL, EAR_MEMORY_MAX + 1, NULL),
		EAR_E_BAD_ARGUMENT);
	/* Nothing is asked for, and nothing is written. */
	memset(bytes, 0x5a, sizeof(bytes));
	for (size_t i = 0; i < 4; i++) {
		static const uint64_t at[] = {0, 0xa0000000, UINT64_MAX, UINT64_MAX - 7};
		assert_same(ear_moment_memory(moment, at[i], bytes, NULL, 0, NULL), 0);
		assert_same(ear_moment_position(moment), 3);
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 0x5a);
	assert_same(ear_moment_memory(moment, 0xa0003f00, bytes, known, 16, NULL), 16);
	assert_string_equal(ear_trace_error(NULL), "");
	ear_moment_free(moment);
	ear_trace_close(trace);
	truth_free(truth);
}

/* The frames by a tracker that gets all records. */
static size_t frames_at(const struct truth *truth, uint64_t position, uint16_t hart,
	struct ear_call_frame *frames, size_t max)
{
	struct ear_call_stacks *stacks;
	struct ear_flow flow = {0};

	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	ear_flow_begin(&flow);
	for (uint64_t i = 0; i < position; i++)
		assert_int_equal(ear_flow_push(&flow, i, truth->records[i]), 0);
	assert_int_equal(ear_flow_sync(&flow, position), 0);
	assert_int_equal(ear_call_stacks_push(stacks, flow.events, flow.count, 0), 0);
	int count = ear_call_stack_frames(stacks, hart, frames, max);
	ear_call_stacks_free(stacks);
	ear_flow_fini(&flow);
	return count < 0 ? 0 : (size_t)count;
}

static void stacks_are_those_of_a_tracker(void **state)
{
	struct random random = {41};
	struct truth *truth;
	size_t calls = 0;

	(void)state;
	for (size_t t = 0; (truth = truth_of(t / 2)); t++, truth_free(truth)) {
		struct ear_trace *trace = t % 2 ? truth_open_indexed(truth) : truth_open(truth);
		struct ear_moment *moment;
		assert_int_equal(ear_moment_new(&moment, trace, 0, NULL), 0);
		for (unsigned i = 0; i < 20; i++) {
			uint64_t position = random_below(&random, truth->count + 1), sp;
			struct ear_call_frame found[16], wanted[16];
			assert_int_equal(ear_moment_move(moment, position, NULL), 0);
			uint16_t hart = ear_moment_hart(moment);
			int64_t count =
				ear_moment_stack(moment, hart, found, sizeof(found[0]), 16, NULL);
			size_t want = frames_at(truth, position, hart, wanted, 16);
			if (want == 0) {
				assert_same(count, EAR_E_UNSUPPORTED);
				continue;
			}
			assert_same(count, (int64_t)want);
			for (size_t f = 0; f < want && f < 16; f++) {
				assert_int_equal(found[f].kind, wanted[f].kind);
				assert_same(found[f].position, wanted[f].position);
				assert_same(found[f].entry, wanted[f].entry);
				calls += found[f].kind == EAR_FRAME_CALL;
			}
			/* Registers are still there. */
			ear_moment_register(moment, hart, EAR_REGISTER_X, 2, &sp);
		}
		ear_moment_free(moment);
		ear_trace_close(trace);
	}
	assert_above(calls, 0);
}

/* Programs with an older and a newer header. */
static void frames_have_the_distance_of_the_program(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open(truth);
	struct {
		struct ear_call_frame frame;
		uint64_t more;
	} newer[16];
	struct {
		uint8_t bytes[offsetof(struct ear_call_frame, call_pc)];
	} older[17];
	struct ear_call_frame frames[16];
	struct ear_moment *moment;
	uint64_t position = truth->count;

	(void)state;
	assert_int_equal(ear_moment_new(&moment, trace, position, NULL), 0);
	uint16_t hart = ear_moment_hart(moment);
	int64_t count = ear_moment_stack(moment, hart, frames, sizeof(frames[0]), 16, NULL);
	while (count < 2 && position > 0) {
		assert_int_equal(ear_moment_move(moment, --position, NULL), 0);
		count = ear_moment_stack(moment, hart, frames, sizeof(frames[0]), 16, NULL);
	}
	assert_at_least(count, 2);
	memset(newer, 0xff, sizeof(newer));
	memset(older, 0xff, sizeof(older));
	assert_same(
		ear_moment_stack(moment, hart, &newer[0].frame, sizeof(newer[0]), 16, NULL), count);
	assert_same(ear_moment_stack(moment, hart, (struct ear_call_frame *)(void *)older,
			    sizeof(older[0]), 16, NULL),
		count);
	for (size_t i = 0; i < (size_t)count && i < 16; i++) {
		assert_same(newer[i].frame.entry, frames[i].entry);
		assert_same(newer[i].frame.call_pc, frames[i].call_pc);
		assert_same(newer[i].more, 0);
		assert_int_equal(older[i].bytes[0], frames[i].kind);
		assert_memory_equal(older[i].bytes + offsetof(struct ear_call_frame, position),
			&frames[i].position, sizeof(frames[i].position));
	}
	assert_int_equal(older[count < 16 ? count : 16].bytes[0], 0xff);
	ear_moment_free(moment);
	ear_trace_close(trace);
	truth_free(truth);
}

static void a_view_is_as_large_as_the_program_says(void **state)
{
	struct truth *truth = truth_of(0);
	struct ear_trace *trace = truth_open(truth);
	struct ear_moment_view older = {.size = offsetof(struct ear_moment_view, has_cfa)}, none;
	struct ear_moment *moment;
	uint64_t pc;

	(void)state;
	assert_int_equal(ear_moment_new(&moment, trace, truth->count / 2, NULL), 0);
	uint16_t hart = ear_moment_hart(moment);
	older.has_cfa = true;
	assert_int_equal(
		ear_moment_view(moment, hart, &older), ear_moment_next_pc(moment, hart, &pc));
	assert_non_null(older.read_memory);
	assert_true(older.has_cfa);
	struct ear_moment_view view = {.size = sizeof(view)};
	uint64_t sp, value;
	ear_moment_view(moment, hart, &view);
	bool is_known = ear_moment_register(moment, hart, EAR_REGISTER_X, 2, &sp);
	assert_int_equal(view.read_named(view.context, "sp", &value), is_known);
	if (is_known)
		assert_same(value, sp);
	assert_int_equal(view.read_named(view.context, "zero", &value), 1);
	assert_int_equal(view.read_named(view.context, "ft0", &value), -1);
	assert_int_equal(view.read_named(view.context, "", &value), -1);
	none = (struct ear_moment_view){.pc = 5};
	assert_false(ear_moment_view(moment, hart, &none));
	assert_int_equal(none.pc, 5);
	ear_moment_free(moment);
	ear_trace_close(trace);
	truth_free(truth);
}

/* A moment outlives the index that it was made with. */
static void a_new_index_changes_no_moment(void **state)
{
	struct truth *truth = truth_of(5);
	struct ear_trace *trace = truth_open_indexed(truth);
	struct ear_moment *moment;
	struct ear_call_frame frame;
	uint8_t before[64], after[64], known[2][64];

	(void)state;
	assert_int_equal(ear_moment_new(&moment, trace, truth->count / 2, NULL), 0);
	truth_check_index(truth, trace);
	uint64_t address = 0x80001000;
	assert_at_least(ear_moment_memory(moment, address, before, known[0], 64, NULL), 0);
	assert_int_equal(ear_trace_index(trace, true, NULL), 1);
	assert_int_equal(ear_trace_index_verify(trace, NULL), 0);
	assert_at_least(ear_moment_memory(moment, address, after, known[1], 64, NULL), 0);
	assert_memory_equal(before, after, 64);
	assert_memory_equal(known[0], known[1], 64);
	assert_at_least(
		ear_moment_stack(moment, ear_moment_hart(moment), &frame, sizeof(frame), 1, NULL),
		1);
	check_place(truth, moment, truth->count / 2);
	check_registers(truth, moment, truth->count / 2);
	ear_moment_free(moment);
	ear_trace_close(trace);
	truth_free(truth);
}

static void an_initial_state_is_what_registers_hold_first(void **state)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_moment *moment = NULL;
	struct ear_trace *trace;
	uint64_t value;

	(void)state;
	options.error = error;
	options.initial_state = EAR_TEST_DATA "/spike/initial.state";
	assert_int_equal(ear_trace_open(&trace, EAR_TEST_DATA "/spike/rv64.log", &options), 0);
	assert_int_equal(ear_moment_new(&moment, trace, 0, NULL), 0);
	assert_true(ear_moment_register(moment, 0, EAR_REGISTER_X, 2, &value));
	ear_moment_free(moment);
	ear_trace_close(trace);
	options.initial_state = "/nowhere/initial";
	assert_int_equal(ear_trace_open(&trace, EAR_TEST_DATA "/spike/rv64.log", &options), 0);
	moment = NULL;
	assert_int_equal(ear_moment_new(&moment, trace, 0, NULL), EAR_E_IO);
	assert_null(moment);
	assert_contains(ear_trace_error(trace), "/nowhere/initial: No such file");
	ear_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_is_that_of_a_follower),
		cmocka_unit_test(memory_is_that_of_a_follower),
		cmocka_unit_test(an_image_shows_through_where_nothing_was_written),
		cmocka_unit_test(stacks_are_those_of_a_tracker),
		cmocka_unit_test(frames_have_the_distance_of_the_program),
		cmocka_unit_test(a_view_is_as_large_as_the_program_says),
		cmocka_unit_test(a_new_index_changes_no_moment),
		cmocka_unit_test(an_initial_state_is_what_registers_hold_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
