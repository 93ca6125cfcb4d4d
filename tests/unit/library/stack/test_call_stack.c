/* Call stacks at every record of random programs, whose machine knows the truth; and what single
 * sequences of instructions mean. library/stack/call_stack.h */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "call_machine.h"
#include "decoder/record/record_batch.h"
#include "library/stack/call_stack.h"
#include "random.h"
#include <earshot/error.h>

#define FRAMES (CALL_MACHINE_DEPTH + 8)

static const char *const kinds[] = {"base", "call", "trap", "interrupt"};

static void print_frames(const char *what, const struct ear_call_frame *frames, size_t count)
{
	fprintf(stderr, "%s:\n", what);
	for (size_t i = 0; i < count; i++) {
		fprintf(stderr, "  %-9s position %llu call_pc %llx return_pc %llx\n",
			kinds[frames[i].kind & 3], (unsigned long long)frames[i].position,
			(unsigned long long)frames[i].call_pc,
			(unsigned long long)frames[i].return_pc);
	}
}

static bool is_same_frame(const struct ear_call_frame *a, const struct ear_call_frame *b)
{
	return a->kind == b->kind &&
	       (a->kind == EAR_FRAME_BASE ||
		       (a->position == b->position && a->call_pc == b->call_pc &&
			       (a->kind != EAR_FRAME_CALL || a->return_pc == b->return_pc)));
}

static void compare(const struct ear_call_stacks *stacks, const struct call_machine *machine,
	uint64_t seed, uint64_t position)
{
	struct ear_call_frame expected[FRAMES], found[FRAMES];
	size_t count = call_machine_frames(machine, expected);
	int result = ear_call_stack_frames(stacks, 0, found, FRAMES);
	bool same = result == (int)count;

	for (size_t i = 0; same && i < count; i++)
		same = is_same_frame(&expected[i], &found[i]);
	if (same)
		return;
	fprintf(stderr, "%s\n", call_machine_story(machine));
	print_frames("true", expected, count);
	print_frames("found", found, result < 0 ? 0 : (size_t)result);
	fail_msg("seed %llu, after record %llu: the stacks differ", (unsigned long long)seed,
		(unsigned long long)position);
}

/* Numbers of frames: each was made once, for the frame that was there then. */
struct numbers {
	struct {
		uint64_t position;
		uint32_t below;
		uint8_t kind;
	} * made;
	size_t count, capacity;
};

static uint32_t make_number(void *context, uint32_t below, const struct ear_call_frame *frame)
{
	struct numbers *numbers = context;

	if (numbers->count + 1 >= numbers->capacity) {
		numbers->capacity = 2 * numbers->capacity + 64;
		numbers->made = realloc(numbers->made, numbers->capacity * sizeof(*numbers->made));
		assert_non_null(numbers->made);
	}
	numbers->count++;
	assert_true(below < numbers->count);
	numbers->made[numbers->count].position = frame->position;
	numbers->made[numbers->count].below = below;
	numbers->made[numbers->count].kind = frame->kind;
	return (uint32_t)numbers->count;
}

/* The numbers from the newest one down are those of the frames. */
static void compare_numbers(
	struct ear_call_stacks *stacks, struct numbers *numbers, uint64_t seed, uint64_t position)
{
	struct ear_call_frame frames[FRAMES];
	int count = ear_call_stack_frames(stacks, 0, frames, FRAMES);
	uint32_t number = ear_call_stack_newest(stacks, 0, make_number, numbers);

	for (int i = 0; i < count; i++, number = numbers->made[number].below)
		if (number == 0 || numbers->made[number].kind != frames[i].kind ||
			(frames[i].kind != EAR_FRAME_BASE &&
				numbers->made[number].position != frames[i].position))
			fail_msg("seed %llu, after record %llu: frame %d has another number",
				(unsigned long long)seed, (unsigned long long)position, i);
	assert_int_equal(number, 0);
}

/* Stacks that get their events in parts cut by chance, and through saves and loads. */
struct other {
	struct random random;
	struct ear_flow flow;
	struct ear_call_stacks *stacks;
	uint64_t begin, position;
};

static void cut_part(struct other *other)
{
	uint8_t *bytes;
	size_t size;

	assert_int_equal(ear_flow_sync(&other->flow, other->position - other->begin), 0);
	assert_int_equal(ear_call_stacks_push(other->stacks, other->flow.events, other->flow.count,
				 other->begin),
		0);
	other->flow.count = 0;
	other->begin = other->position;
	if (random_below(&other->random, 2))
		return;
	/* Through a checkpoint: the state before it is what a delta changes. */
	struct ear_call_stacks *loaded;
	assert_int_equal(ear_call_stacks_new(&loaded), 0);
	assert_int_equal(ear_call_stacks_save(other->stacks, true, &bytes, &size), 0);
	assert_int_equal(ear_call_stacks_load(loaded, bytes, size), 0);
	free(bytes);
	ear_call_stacks_free(other->stacks);
	other->stacks = loaded;
}

static void compare_states(struct ear_call_stacks *stacks, struct ear_call_stacks *other,
	uint64_t seed, uint64_t position)
{
	uint8_t *bytes[2];
	size_t sizes[2];

	assert_int_equal(ear_call_stacks_save(stacks, true, &bytes[0], &sizes[0]), 0);
	assert_int_equal(ear_call_stacks_save(other, true, &bytes[1], &sizes[1]), 0);
	if (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0)
		fail_msg("seed %llu, after record %llu: the states of other parts differ",
			(unsigned long long)seed, (unsigned long long)position);
	free(bytes[0]);
	free(bytes[1]);
}

/* The chain has loaded a full state and all deltas since. */
static void extend_chain(struct ear_call_stacks *saved, struct ear_call_stacks *chain)
{
	uint8_t *bytes;
	size_t size;

	assert_int_equal(ear_call_stacks_save(saved, false, &bytes, &size), 0);
	assert_int_equal(ear_call_stacks_load(chain, bytes, size), 0);
	free(bytes);
}

/* lowest is what the depth was at least since the interval began; less, where a switch of stacks
 * and what follows from it are one record. */
static void check_depth(const struct ear_call_stacks *stacks, int64_t *lowest, bool exact,
	uint64_t seed, uint64_t position)
{
	struct ear_call_frame frames[FRAMES];
	struct ear_call_depth depth;

	assert_true(ear_call_stack_depth(stacks, 0, &depth));
	*lowest = depth.depth < *lowest ? depth.depth : *lowest;
	/* An instruction that returns and calls is lower in between. */
	if (depth.broken)
		*lowest = INT64_MAX;
	else if (depth.lowest > *lowest ||
		 (exact && *lowest != INT64_MAX && depth.lowest < *lowest - 1))
		fail_msg("seed %llu, after record %llu: lowest is %lld, not %lld",
			(unsigned long long)seed, (unsigned long long)position,
			(long long)depth.lowest, (long long)*lowest);
	assert_at_most(depth.depth, ear_call_stack_frames(stacks, 0, frames, FRAMES) - 1);
}

static void run(uint64_t seed, size_t records, const struct call_machine_options *options)
{
	struct call_machine *machine = call_machine_new(seed, options);
	struct ear_call_stacks *stacks, *saved, *chain;
	int64_t lowest = 0;
	struct ear_flow flow = {0};
	struct other other = {.random.state = seed + 1};
	struct numbers numbers = {.made = NULL};

	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	assert_int_equal(ear_call_stack_newest(stacks, 0, make_number, &numbers), 0);
	assert_int_equal(ear_call_stacks_new(&saved), 0);
	assert_int_equal(ear_call_stacks_new(&chain), 0);
	assert_int_equal(ear_call_stacks_new(&other.stacks), 0);
	ear_flow_begin(&flow);
	ear_flow_begin(&other.flow);
	for (size_t i = 0; i < records; i++) {
		const struct ear_record *record = call_machine_next(machine);
		assert_int_equal(ear_flow_push(&flow, 0, record), 0);
		assert_int_equal(ear_flow_sync(&flow, 1), 0);
		assert_int_equal(ear_call_stacks_push(stacks, flow.events, flow.count, i), 0);
		assert_int_equal(ear_call_stacks_push(saved, flow.events, flow.count, i), 0);
		flow.count = 0;
		check_depth(stacks, &lowest,
			!options->no_next_pc && !options->gaps && !options->filtered &&
				!options->skip,
			seed, i);
		compare_numbers(stacks, &numbers, seed, i);
		if (!options->no_next_pc || call_machine_is_settled(machine))
			compare(stacks, machine, seed, i);
		assert_int_equal(ear_flow_push(&other.flow, i - other.begin, record), 0);
		other.position = i + 1;
		if (random_below(&other.random, 50) == 0) {
			cut_part(&other);
			compare_states(stacks, other.stacks, seed, i);
			extend_chain(saved, chain);
			if (!options->no_next_pc)
				compare(chain, machine, seed, i);
			ear_call_stack_begin_interval(stacks);
			lowest = INT64_MAX;
		}
	}
	extend_chain(saved, chain);
	compare_states(saved, chain, seed, records);
	free(numbers.made);
	ear_flow_fini(&flow);
	ear_flow_fini(&other.flow);
	ear_call_stacks_free(stacks);
	ear_call_stacks_free(saved);
	ear_call_stacks_free(chain);
	ear_call_stacks_free(other.stacks);
	call_machine_free(machine);
}

static void random_programs_have_their_true_stacks(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++)
		run(seed, 3000, &(struct call_machine_options){.xlen = seed % 2 ? 32 : 64});
}

static void unmarked_interrupts_are_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++)
		run(seed, 3000, &(struct call_machine_options){.xlen = 32, .unmarked = true});
}

static void without_next_pc_the_next_record_says_where_it_went(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++)
		run(seed, 3000, &(struct call_machine_options){.xlen = 64, .no_next_pc = true});
}

static void without_registers_return_addresses_are_enough(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++)
		run(seed, 3000, &(struct call_machine_options){.xlen = 64, .no_sp = true});
}

static void after_a_gap_only_what_was_seen_is_known(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		run(seed, 3000, &(struct call_machine_options){.xlen = 32, .gaps = 30});
		run(seed, 3000, &(struct call_machine_options){.xlen = 64, .filtered = 30});
	}
}

static void a_trace_may_begin_in_the_middle(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++)
		run(seed, 1000,
			&(struct call_machine_options){.xlen = 32,
				.skip = 100 + (unsigned)seed * 7,
				.unmarked = seed % 3 == 0});
}

/* In runs, as a decoder gives them, and one by one. */
static void runs_make_the_same_events(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct call_machine *machine = call_machine_new(
			seed, &(struct call_machine_options){.xlen = seed % 2 ? 32 : 64});
		struct ear_record_batch batch = {0};
		struct ear_flow flows[2] = {0};
		uint64_t position = 0;
		size_t copy = 0;

		ear_flow_begin(&flows[0]);
		ear_flow_begin(&flows[1]);
		for (unsigned i = 0; i < 3000; i++) {
			const struct ear_record *record = call_machine_next(machine);
			assert_int_equal(ear_flow_push(&flows[0], i, record), 0);
			assert_int_equal(ear_record_batch_add_compact(&batch, record), 0);
		}
		for (size_t i = 0; i <= batch.run_count; i++) {
			size_t end = i < batch.run_count ? batch.runs[i].position : batch.count;
			for (; copy < end; copy++)
				assert_int_equal(
					ear_flow_push(&flows[1], position++, &batch.records[copy]),
					0);
			if (i == batch.run_count)
				break;
			const struct ear_record_batch_run *run = &batch.runs[i];
			size_t middle = run->run.count / 2;
			const struct ear_compact_record *compacts = &batch.compacts[run->first];
			assert_int_equal(ear_flow_push_run(&flows[1], position, &run->run, compacts,
						 0, middle),
				0);
			assert_int_equal(ear_flow_push_run(&flows[1], position + middle, &run->run,
						 compacts, middle, run->run.count),
				0);
			position += run->run.count;
		}
		assert_int_equal(ear_flow_sync(&flows[0], 3000), 0);
		assert_int_equal(ear_flow_sync(&flows[1], position), 0);
		assert_above(batch.compact_count, 2000);
		assert_int_equal(flows[0].count, flows[1].count);
		for (size_t i = 0; i < flows[0].count; i++) {
			if (memcmp(&flows[0].events[i], &flows[1].events[i],
				    sizeof(flows[0].events[i])) != 0)
				fail_msg("seed %llu: event %zu differs", (unsigned long long)seed,
					i);
		}
		ear_record_batch_fini(&batch);
		ear_flow_fini(&flows[0]);
		ear_flow_fini(&flows[1]);
		call_machine_free(machine);
	}
}

static struct ear_call_stacks *after(uint64_t seed, unsigned records)
{
	struct call_machine *machine =
		call_machine_new(seed, &(struct call_machine_options){.xlen = 32});
	struct ear_call_stacks *stacks;
	struct ear_flow flow = {0};

	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	for (unsigned i = 0; i < records; i++)
		assert_int_equal(ear_flow_push(&flow, i, call_machine_next(machine)), 0);
	assert_int_equal(ear_flow_sync(&flow, records), 0);
	assert_int_equal(ear_call_stacks_push(stacks, flow.events, flow.count, 0), 0);
	ear_flow_fini(&flow);
	call_machine_free(machine);
	return stacks;
}

static void damaged_states_are_refused_or_harmless(void **state)
{
	struct random random = {.state = 9};
	uint8_t *bytes;
	size_t size;

	(void)state;
	struct ear_call_stacks *stacks = after(3, 2000);
	assert_int_equal(ear_call_stacks_save(stacks, true, &bytes, &size), 0);
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *part = malloc(cut + 1);
		memcpy(part, bytes, cut);
		assert_int_equal(ear_call_stacks_load(stacks, part, cut), EAR_E_BAD_FILE);
		free(part);
	}
	for (unsigned i = 0; i < 20000; i++) {
		uint8_t *changed = malloc(size);
		struct ear_call_frame frames[FRAMES];
		memcpy(changed, bytes, size);
		for (unsigned j = 0; j < 1 + i % 4; j++)
			changed[random_below(&random, size)] = (uint8_t)random_next(&random);
		int result = ear_call_stacks_load(stacks, changed, size);
		if (result != 0)
			assert_int_equal(result, EAR_E_BAD_FILE);
		ear_call_stack_frames(stacks, 0, frames, FRAMES);
		/* What was accepted can be followed. */
		struct ear_flow_event event = {.pc = 0x80000000, .target = 0x80001000};
		for (unsigned kind = 0; kind < 20; kind++) {
			event.kind = (uint8_t)kind;
			event.flags = (uint8_t)random_next(&random);
			event.sp = 0x80000000 + random_below(&random, 1 << 24);
			assert_int_equal(ear_call_stacks_push(stacks, &event, 1, 5), 0);
		}
		free(changed);
	}
	free(bytes);
	ear_call_stacks_free(stacks);
}

static void a_delta_needs_the_state_before_it(void **state)
{
	uint8_t *full, *delta;
	size_t full_size, size;

	(void)state;
	struct ear_call_stacks *stacks = after(5, 1000), *other = after(6, 1000);
	assert_int_equal(ear_call_stacks_save(stacks, true, &full, &full_size), 0);
	assert_int_equal(ear_call_stacks_save(stacks, false, &delta, &size), 0);
	assert_below(size, full_size);
	assert_int_equal(ear_call_stacks_load(other, delta, size), EAR_E_BAD_FILE);
	assert_int_equal(ear_call_stacks_load(other, full, full_size), 0);
	assert_int_equal(ear_call_stacks_load(other, delta, size), 0);
	assert_int_equal(ear_call_stacks_load(other, delta, size), EAR_E_BAD_FILE);
	free(full);
	free(delta);
	ear_call_stacks_free(stacks);
	ear_call_stacks_free(other);
}

/* Recursion without end: the newest frames stay, and the depth is right. */
static void deep_recursion_is_bounded(void **state)
{
	const unsigned count = 3 * EAR_CALL_FRAMES_MAX;
	struct ear_call_frame frame;
	struct ear_call_stacks *stacks;
	struct ear_call_depth depth;

	(void)state;
	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	for (unsigned i = 0; i < count; i++) {
		struct ear_flow_event event = {.kind = EAR_FLOW_CALL,
			.pc = 0x80000010,
			.target = 0x80000000,
			.sp = 0x90000000 - 16 * i,
			.position = i};
		assert_int_equal(ear_call_stacks_push(stacks, &event, 1, 0), 0);
	}
	assert_true(ear_call_stack_depth(stacks, 0, &depth));
	assert_int_equal(depth.depth, count);
	assert_at_most(ear_call_stack_frames(stacks, 0, &frame, 1), (int)EAR_CALL_FRAMES_MAX + 1);
	assert_int_equal(frame.position, count - 1);
	ear_call_stacks_free(stacks);
}

/* A call to where no code is traps; the handler returns for what was called. Also where sp is not
 * known. */
static void a_handler_returns_for_the_function_that_trapped(void **state)
{
	struct ear_flow_event events[] = {
		{.kind = EAR_FLOW_CALL, .pc = 0x80000010, .target = 0x40, .sp = 0x9000},
		{.kind = EAR_FLOW_TRAP, .pc = 0x40, .target = 0x80000100, .sp = 0x9000},
		{.kind = EAR_FLOW_XRET, .pc = 0x80000120, .target = 0x80000014, .sp = 0x9000},
	};

	(void)state;
	for (unsigned unknown = 0; unknown < 2; unknown++) {
		struct ear_call_stacks *stacks;
		struct ear_call_frame frame;
		assert_int_equal(ear_call_stacks_new(&stacks), 0);
		for (unsigned i = 0; i < 3; i++) {
			events[i].flags = unknown ? EAR_FLOW_SP_UNKNOWN : 0;
			assert_int_equal(ear_call_stacks_push(stacks, &events[i], 1, i), 0);
			assert_int_equal(
				ear_call_stack_frames(stacks, 0, &frame, 1), i == 2 ? 1 : i + 2);
		}
		ear_call_stacks_free(stacks);
	}
}

static void another_instruction_set_has_no_stack(void **state)
{
	struct ear_record record = {
		.kind = EAR_RECORD_INSTRUCTION, .isa = EAR_ISA_A64, .opcode_size = 4};
	struct ear_flow flow = {0};
	struct ear_call_stacks *stacks;
	struct ear_call_frame frame;

	(void)state;
	assert_int_equal(ear_call_stacks_new(&stacks), 0);
	for (unsigned i = 0; i < 10; i++, record.index++)
		assert_int_equal(ear_flow_push(&flow, i, &record), 0);
	assert_int_equal(ear_flow_sync(&flow, 10), 0);
	assert_int_equal(ear_call_stacks_push(stacks, flow.events, flow.count, 0), 0);
	assert_int_equal(ear_call_stack_frames(stacks, 0, &frame, 1), EAR_E_UNSUPPORTED);
	/* Of another hart nothing is known, which is no reason to refuse. */
	assert_int_equal(ear_call_stack_frames(stacks, 1, &frame, 1), 1);
	ear_flow_fini(&flow);
	ear_call_stacks_free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs_have_their_true_stacks),
		cmocka_unit_test(unmarked_interrupts_are_found),
		cmocka_unit_test(without_next_pc_the_next_record_says_where_it_went),
		cmocka_unit_test(without_registers_return_addresses_are_enough),
		cmocka_unit_test(after_a_gap_only_what_was_seen_is_known),
		cmocka_unit_test(a_trace_may_begin_in_the_middle),
		cmocka_unit_test(runs_make_the_same_events),
		cmocka_unit_test(damaged_states_are_refused_or_harmless),
		cmocka_unit_test(a_delta_needs_the_state_before_it),
		cmocka_unit_test(deep_recursion_is_bounded),
		cmocka_unit_test(a_handler_returns_for_the_function_that_trapped),
		cmocka_unit_test(another_instruction_set_has_no_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
