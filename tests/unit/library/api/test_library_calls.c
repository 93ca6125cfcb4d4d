/* Paths of calls: each record has the path that its call stack has, however the trace is read. */
#include "check.h"

#include <earshot/calls.h>
#include <earshot/earshot.h>

#include "call_machine.h"
#include "library/api/calls_internal.h"
#include "library/stack/call_stack.h"
#include "library_truth.h"
#include "random.h"

#define FRAMES 300

/* ---- What is handed out. ---- */

struct taken {
	uint32_t *paths; /* of each record by position; UINT32_MAX: none */
	size_t count;
	uint64_t next; /* position that comes next, at least */
};

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	struct taken *taken = context;
	uint64_t position = batch->position + first;

	assert_true(position >= taken->next);
	assert_true(first + count <= batch->count);
	for (size_t i = 0; i < count; i++)
		taken->paths[position + i] = path;
	taken->next = position + count;
	return 0;
}

static void begin_taken(struct taken *taken, size_t count)
{
	*taken = (struct taken){
		.paths = malloc((count + 1) * sizeof(*taken->paths)), .count = count};
	assert_non_null(taken->paths);
	for (size_t i = 0; i < count; i++)
		taken->paths[i] = UINT32_MAX;
}

/* The paths of two readings have the same shape. */
static void check_same_path(
	const struct ear_calls *a, uint32_t in_a, const struct ear_calls *b, uint32_t in_b)
{
	while (in_a && in_b) {
		struct ear_call_path x = {.size = sizeof(x)}, y = {.size = sizeof(y)};
		assert_true(ear_calls_path(a, in_a, &x));
		assert_true(ear_calls_path(b, in_b, &y));
		assert_int_equal(x.kind, y.kind);
		assert_int_equal(x.hart, y.hart);
		assert_int_equal(x.call_pc, y.call_pc);
		assert_int_equal(x.entry, y.entry);
		assert_int_equal(x.entered, y.entered);
		assert_true(x.parent < in_a);
		in_a = x.parent;
		in_b = y.parent;
	}
	assert_int_equal(in_a, in_b);
}

static void push_one(struct ear_calls *calls, const struct ear_record *record, uint64_t position,
	struct taken *taken)
{
	const struct ear_batch batch = {
		.size = sizeof(batch), .count = 1, .position = position, .record = record};

	assert_int_equal(ear_calls_batch(calls, &batch, take, taken), 0);
}

/* ---- Runs and records. ---- */

static void runs_and_records_have_the_same_paths(void **state)
{
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		struct ear_trace *trace = truth_open(truth);
		struct ear_batch batch = {.size = sizeof(batch)};
		struct ear_calls *calls[2];
		struct taken taken[2];

		for (unsigned i = 0; i < 2; i++) {
			begin_taken(&taken[i], truth->count);
			assert_int_equal(ear_calls_new(&calls[i], NULL), 0);
		}
		while (ear_trace_next_batch(trace, &batch) == 1)
			assert_int_equal(ear_calls_batch(calls[0], &batch, take, &taken[0]), 0);
		for (size_t i = 0; i < truth->count; i++)
			push_one(calls[1], truth->records[i], i, &taken[1]);
		assert_int_equal(ear_calls_count(calls[0]), ear_calls_count(calls[1]));
		for (size_t i = 0; i < truth->count; i++) {
			bool instruction = truth->records[i]->kind == EAR_RECORD_INSTRUCTION;
			assert_int_equal(taken[0].paths[i] != UINT32_MAX, instruction);
			if (instruction)
				check_same_path(
					calls[0], taken[0].paths[i], calls[1], taken[1].paths[i]);
		}
		for (unsigned i = 0; i < 2; i++) {
			ear_calls_free(calls[i]);
			free(taken[i].paths);
		}
		ear_trace_close(trace);
		truth_free(truth);
	}
}

/* ---- Random programs. ---- */

static bool has_path(const struct ear_calls *calls, uint32_t number,
	const struct ear_call_frame *frames, int count)
{
	for (int i = 0; i < count; i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		if (!ear_calls_path(calls, number, &path) || path.kind != frames[i].kind)
			return false;
		if (path.kind != EAR_FRAME_BASE &&
			(path.call_pc != frames[i].call_pc || path.entry != frames[i].entry))
			return false;
		number = path.parent;
	}
	return number == 0;
}

/* Of a record that changes the stack the path is that before it, else that after it. */
static void check_program(uint64_t seed, const struct call_machine_options *options)
{
	struct call_machine *machine = call_machine_new(seed, options);
	const struct ear_calls_options inside = {.size = sizeof(inside), .interrupts_inside = true};
	struct ear_call_frame before[FRAMES], after[FRAMES];
	struct ear_call_stacks *stacks;
	struct ear_flow flow = {0};
	struct ear_calls *calls;
	struct taken taken;
	int count_before = 1; /* a base */
	uint64_t entered = 0, pushed = 0;

	before[0] = (struct ear_call_frame){.kind = EAR_FRAME_BASE};
	begin_taken(&taken, 3000);
	assert_int_equal(ear_calls_new(&calls, &inside), 0);
	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	ear_flow_begin(&flow);
	for (uint64_t i = 0; i < 3000; i++) {
		const struct ear_record *record = call_machine_next(machine);
		push_one(calls, record, i, &taken);
		assert_int_equal(ear_flow_push(&flow, i, record), 0);
		assert_int_equal(ear_call_stacks_push(stacks, flow.events, flow.count, 0), 0);
		flow.count = 0;
		int count = ear_call_stack_frames(stacks, 0, after, FRAMES);
		assert_true(count > 0 && count <= FRAMES);
		if (record->kind == EAR_RECORD_INSTRUCTION &&
			!has_path(calls, taken.paths[i], after, count) &&
			!has_path(calls, taken.paths[i], before, count_before))
			fail_msg("seed %llu, record %llu: neither the path before nor that after",
				(unsigned long long)seed, (unsigned long long)i);
		pushed += count > 0 && after[0].kind != EAR_FRAME_BASE && after[0].position == i;
		memcpy(before, after, (size_t)count * sizeof(after[0]));
		count_before = count;
	}
	for (uint32_t i = 1; i <= ear_calls_count(calls); i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		assert_true(ear_calls_path(calls, i, &path));
		assert_true(path.parent < i);
		entered += path.kind == EAR_FRAME_BASE ? 0 : path.entered;
	}
	/* What the last record entered has no record yet. */
	assert_true(entered == pushed || entered + 1 == pushed);
	ear_flow_fini(&flow);
	ear_call_stacks_free(stacks);
	ear_calls_free(calls);
	call_machine_free(machine);
	free(taken.paths);
}

static void random_programs_have_the_paths_of_their_stacks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		check_program(seed, &(struct call_machine_options){.xlen = seed % 2 ? 32 : 64});
		check_program(seed, &(struct call_machine_options){.xlen = 32, .unmarked = true});
	}
}

/* ---- Frames that come and go. ---- */

#define MARKS 4000

struct watched {
	struct ear_calls *calls;
	struct {
		struct ear_call_frame frame;
		uint32_t below;
		bool active;
	} marks[MARKS + 1];
	uint32_t count;
	uint64_t next; /* position of the first record that was not taken */
	unsigned returned, unwound;
};

static uint32_t enter(void *context, const struct ear_call_change *change)
{
	struct watched *watched = context;

	assert_true(watched->count < MARKS);
	assert_int_equal(change->mark, 0);
	assert_int_equal(change->position, change->frame.position);
	assert_true(change->below <= watched->count);
	assert_true(change->below == 0 || watched->marks[change->below].active);
	watched->count++;
	watched->marks[watched->count].frame = change->frame;
	watched->marks[watched->count].below = change->below;
	watched->marks[watched->count].active = true;
	return watched->count;
}

static void leave(void *context, const struct ear_call_change *change)
{
	struct watched *watched = context;

	assert_in_range(change->mark, 1, watched->count);
	assert_true(watched->marks[change->mark].active);
	assert_int_equal(watched->marks[change->mark].frame.position, change->frame.position);
	assert_in_range(change->position, change->frame.position, watched->next);
	watched->marks[change->mark].active = false;
	watched->returned += change->end == EAR_CALL_RETURNED;
	watched->unwound += change->end == EAR_CALL_UNWOUND;
}

/* The marks of what runs are those of its path. */
static int take_marked(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t number)
{
	struct watched *watched = context;
	struct ear_call_path path = {.size = sizeof(path)};
	uint32_t mark = ear_calls_mark(watched->calls, 0);

	for (; number && ear_calls_path(watched->calls, number, &path); number = path.parent) {
		if (path.kind == EAR_FRAME_BASE)
			break;
		assert_int_not_equal(mark, 0);
		assert_true(watched->marks[mark].active);
		assert_int_equal(watched->marks[mark].frame.entry, path.entry);
		assert_int_equal(watched->marks[mark].frame.kind, path.kind);
		assert_int_equal(watched->marks[mark].frame.call_pc, path.call_pc);
		mark = watched->marks[mark].below;
	}
	assert_int_equal(mark, 0);
	watched->next = batch->position + first + count;
	return 0;
}

/* From a record in the middle on, with the stacks that are there. */
static void watch_program(
	uint64_t seed, const struct call_machine_options *options, uint64_t from, unsigned ends[2])
{
	const struct ear_calls_options inside = {.size = sizeof(inside), .interrupts_inside = true};
	struct call_machine *machine = call_machine_new(seed, options);
	struct watched *watched = calloc(1, sizeof(*watched));
	struct ear_calls_watch watch = {
		.size = sizeof(watch), .entered = enter, .left = leave, .context = watched};
	struct ear_call_stacks *stacks;
	struct ear_flow flow = {0};

	assert_non_null(watched);
	assert_int_equal(ear_calls_new(&watched->calls, &inside), 0);
	assert_int_equal(ear_calls_set_watch(watched->calls, &watch), 0);
	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	ear_flow_begin(&flow);
	for (uint64_t i = 0; i < 2000; i++) {
		const struct ear_record *record = call_machine_next(machine);
		const struct ear_batch batch = {
			.size = sizeof(batch), .count = 1, .position = i, .record = record};
		if (i == from) {
			assert_int_equal(ear_flow_sync(&flow, i), 0);
			assert_int_equal(
				ear_call_stacks_push(stacks, flow.events, flow.count, 0), 0);
			watched->next = i;
			assert_int_equal(ear_calls_start_with(watched->calls, stacks, i), 0);
		}
		if (i < from)
			assert_int_equal(ear_flow_push(&flow, i, record), 0);
		else
			assert_int_equal(
				ear_calls_batch(watched->calls, &batch, take_marked, watched), 0);
	}
	assert_int_equal(ear_calls_set_watch(watched->calls, &watch), EAR_E_BAD_ARGUMENT);
	ends[0] += watched->returned;
	ends[1] += watched->unwound;
	ear_flow_fini(&flow);
	ear_call_stacks_free(stacks);
	ear_calls_free(watched->calls);
	call_machine_free(machine);
	free(watched);
}

static void frames_that_were_entered_and_not_left_are_the_path(void **state)
{
	unsigned ends[2] = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		const struct call_machine_options marked = {.xlen = seed % 2 ? 32 : 64};
		const struct call_machine_options unmarked = {.xlen = 32, .unmarked = true};
		watch_program(seed, &marked, seed % 3 ? 0 : 10 * seed, ends);
		watch_program(seed, &unmarked, seed % 3 ? 0 : 10 * seed, ends);
	}
	assert_true(ends[0] > 1000 && ends[1] > 100);
}

/* ---- Parts. ---- */

/* The path of other calls here; of equal ones the number is equal. */
static uint32_t path_in(struct ear_calls *calls, const struct ear_calls *other, uint32_t number)
{
	struct ear_call_path path = {.size = sizeof(path)};

	if (number == 0)
		return 0;
	assert_true(ear_calls_path(other, number, &path));
	path.parent = path_in(calls, other, path.parent);
	path.entered = 0;
	assert_int_equal(ear_calls_add(calls, &path, &number), 0);
	return number;
}

static void add_all(struct ear_calls *calls, const struct ear_calls *part)
{
	for (uint32_t i = 1; i <= ear_calls_count(part); i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		uint32_t number;
		assert_true(ear_calls_path(part, i, &path));
		path.parent = path_in(calls, part, path.parent);
		assert_int_equal(ear_calls_add(calls, &path, &number), 0);
	}
}

/* What a reading in parts is compared with. */
struct whole {
	struct ear_calls *calls, *joined;
	struct taken taken;
};

static void begin_whole(struct whole *whole, size_t count, const struct ear_calls_options *options)
{
	assert_int_equal(ear_calls_new(&whole->calls, options), 0);
	assert_int_equal(ear_calls_new(&whole->joined, options), 0);
	begin_taken(&whole->taken, count);
}

static void end_part(struct whole *whole, struct ear_calls *part, const struct taken *taken,
	size_t from, size_t to)
{
	assert_int_equal(ear_calls_end(part), 0);
	add_all(whole->joined, part);
	for (size_t i = from; i < to; i++) {
		assert_int_equal(
			taken->paths[i] == UINT32_MAX, whole->taken.paths[i] == UINT32_MAX);
		if (taken->paths[i] == UINT32_MAX)
			continue;
		if (path_in(whole->joined, part, taken->paths[i]) !=
			path_in(whole->joined, whole->calls, whole->taken.paths[i]))
			fail_msg("record %zu, in the part from %zu to %zu: another path", i, from,
				to);
	}
}

static void end_whole(struct whole *whole)
{
	assert_int_equal(ear_calls_count(whole->joined), ear_calls_count(whole->calls));
	for (uint32_t i = 1; i <= ear_calls_count(whole->calls); i++) {
		struct ear_call_path a = {.size = sizeof(a)}, b = {.size = sizeof(b)};
		uint32_t other = path_in(whole->joined, whole->calls, i);
		assert_true(ear_calls_path(whole->calls, i, &a));
		assert_true(ear_calls_path(whole->joined, other, &b));
		if (a.entered != b.entered)
			fail_msg("a path of kind %u, to %llx: entered %llu times, in parts %llu",
				a.kind, (unsigned long long)a.entry, (unsigned long long)a.entered,
				(unsigned long long)b.entered);
	}
	ear_calls_free(whole->calls);
	ear_calls_free(whole->joined);
	free(whole->taken.paths);
}

static void read_part(struct whole *whole, struct truth *truth, size_t from, size_t to)
{
	struct ear_trace *trace = truth_open_indexed(truth);
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_moment *moment;
	struct ear_calls *part;
	struct taken taken;

	begin_taken(&taken, truth->count);
	assert_int_equal(ear_calls_new(&part, NULL), 0);
	assert_int_equal(ear_moment_new(&moment, trace, from, NULL), 0);
	int result = ear_calls_start(part, moment, NULL);
	assert_true(result == 0 || result == EAR_E_UNSUPPORTED);
	ear_moment_free(moment);
	assert_int_equal(ear_trace_seek(trace, from, NULL), 1);
	while (ear_trace_position(trace) < to && ear_trace_next_batch(trace, &batch) == 1) {
		if (batch.count > to - batch.position)
			batch.count = to - batch.position;
		assert_int_equal(ear_calls_batch(part, &batch, take, &taken), 0);
	}
	if (from > 0 && to > from)
		assert_int_equal(ear_calls_start(part, NULL, NULL), EAR_E_BAD_ARGUMENT);
	end_part(whole, part, &taken, from, to);
	ear_calls_free(part);
	ear_trace_close(trace);
	free(taken.paths);
}

static void parts_of_traces_have_the_paths_of_the_whole(void **state)
{
	struct random random = {9};
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		struct whole whole;

		begin_whole(&whole, truth->count, NULL);
		for (size_t i = 0; i < truth->count; i++)
			push_one(whole.calls, truth->records[i], i, &whole.taken);
		assert_int_equal(ear_calls_end(whole.calls), 0);
		for (size_t at = 0; at < truth->count;) {
			size_t next = at + 1 + random_below(&random, truth->count / 3 + 1);
			next = next < truth->count ? next : truth->count;
			read_part(&whole, truth, at, next);
			at = next;
		}
		end_whole(&whole);
		truth_free(truth);
	}
}

/* Each record its own part, and others of up to 60. */
static void check_parts(uint64_t seed, const struct call_machine_options *options, unsigned most)
{
	const struct ear_calls_options inside = {
		.size = sizeof(inside), .interrupts_inside = seed % 2};
	struct call_machine *machine = call_machine_new(seed, options);
	struct random random = {seed};
	struct ear_call_stacks *stacks;
	struct ear_flow flow = {0};
	struct whole whole;
	struct taken taken;

	begin_whole(&whole, 1000, &inside);
	begin_taken(&taken, 1000);
	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	ear_flow_begin(&flow);
	for (uint64_t i = 0, end; i < 1000; i = end) {
		struct ear_calls *part;

		end = i + 1 + random_below(&random, most);
		end = end < 1000 ? end : 1000;
		assert_int_equal(ear_calls_new(&part, &inside), 0);
		assert_int_equal(ear_flow_sync(&flow, i), 0);
		assert_int_equal(ear_call_stacks_push(stacks, flow.events, flow.count, 0), 0);
		flow.count = 0;
		ear_flow_begin(&flow);
		assert_int_equal(ear_calls_start_with(part, stacks, i), 0);
		for (uint64_t j = i; j < end; j++) {
			const struct ear_record *record = call_machine_next(machine);
			push_one(part, record, j, &taken);
			push_one(whole.calls, record, j, &whole.taken);
			assert_int_equal(ear_flow_push(&flow, j, record), 0);
		}
		if (end == 1000)
			assert_int_equal(ear_calls_end(whole.calls), 0);
		end_part(&whole, part, &taken, i, end);
		ear_calls_free(part);
	}
	end_whole(&whole);
	ear_flow_fini(&flow);
	ear_call_stacks_free(stacks);
	call_machine_free(machine);
	free(taken.paths);
}

static void parts_of_random_programs_have_the_paths_of_the_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		unsigned most = seed % 4 ? 60 : 1;
		check_parts(seed, &(struct call_machine_options){.xlen = seed % 2 ? 32 : 64}, most);
		check_parts(
			seed, &(struct call_machine_options){.xlen = 32, .unmarked = true}, most);
	}
}

/* ---- Options and ends. ---- */

/* jal ra */
static const struct ear_record *jump(
	struct ear_record *record, uint64_t index, uint64_t pc, uint64_t target)
{
	*record = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
		.flags = EAR_RECORD_TAKEN,
		.index = index,
		.pc = pc,
		.next_pc = target,
		.opcode = target == pc ? 0x000000ef : 0x100000ef,
		.opcode_size = 4,
		.xlen = 32};
	return record;
}

/* A recursion without end: of the paths that are kept, the last one counts for all below. */
static void paths_are_bounded(void **state)
{
	const struct ear_calls_options options = {.size = sizeof(options), .paths_max = 10};
	struct ear_calls *calls;
	struct ear_record record;
	struct taken taken;

	(void)state;
	begin_taken(&taken, 100);
	assert_int_equal(ear_calls_new(&calls, &options), 0);
	for (uint64_t i = 0; i < 100; i++) {
		push_one(calls, jump(&record, i, 0x100, 0x100), i, &taken);
	}
	assert_int_equal(ear_calls_count(calls), 10);
	assert_true(ear_calls_limited(calls));
	assert_int_equal(taken.paths[0], 1);
	assert_int_equal(taken.paths[9], 10);
	assert_int_equal(taken.paths[99], 10);
	ear_calls_free(calls);
	free(taken.paths);
}

static void after_a_gap_all_begins_anew(void **state)
{
	struct ear_calls *calls;
	struct ear_record record;
	struct taken taken;

	(void)state;
	begin_taken(&taken, 100);
	assert_int_equal(ear_calls_new(&calls, NULL), 0);
	push_one(calls, jump(&record, 0, 0x100, 0x200), 0, &taken);
	push_one(calls, jump(&record, 1, 0x200, 0x300), 1, &taken);
	assert_int_equal(taken.paths[1], 2);
	push_one(calls, jump(&record, 50, 0x300, 0x400), 50, &taken);
	assert_int_equal(taken.paths[50], 1);
	assert_int_equal(ear_calls_count(calls), 3);
	ear_calls_free(calls);
	free(taken.paths);
}

static int stop_taking(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t path)
{
	(void)context;
	(void)batch;
	(void)first;
	(void)count;
	(void)path;
	return 77;
}

static void a_taker_ends_it(void **state)
{
	struct ear_record record;
	struct ear_call_path path = {.size = 0};
	const struct ear_calls_options wrong = {.size = 0};
	const struct ear_batch batch = {
		.size = sizeof(batch), .count = 1, .record = jump(&record, 0, 0x100, 0x200)};
	struct ear_calls *calls;

	(void)state;
	assert_int_equal(ear_calls_new(&calls, &wrong), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_calls_new(&calls, NULL), 0);
	assert_int_equal(ear_calls_batch(calls, &batch, stop_taking, NULL), 77);
	assert_false(ear_calls_path(calls, 1, &path));
	path.size = sizeof(path);
	assert_false(ear_calls_path(calls, 0, &path));
	assert_false(ear_calls_path(calls, 2, &path));
	assert_true(ear_calls_path(calls, 1, &path));
	assert_int_equal(path.kind, EAR_FRAME_BASE);
	ear_calls_free(calls);
	ear_calls_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_and_records_have_the_same_paths),
		cmocka_unit_test(random_programs_have_the_paths_of_their_stacks),
		cmocka_unit_test(frames_that_were_entered_and_not_left_are_the_path),
		cmocka_unit_test(parts_of_traces_have_the_paths_of_the_whole),
		cmocka_unit_test(parts_of_random_programs_have_the_paths_of_the_whole),
		cmocka_unit_test(paths_are_bounded),
		cmocka_unit_test(after_a_gap_all_begins_anew),
		cmocka_unit_test(a_taker_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
