/* Profiles of random programs: what each record counts for is found one by one, from its path. With
 * names they are held against other counts by tests/e2e/test_profile.py.
 */
#include "check.h"

#include <stdlib.h>

#include "analyses/profile/profile.h"
#include "call_machine.h"

#define RECORDS   3000
#define FUNCTIONS 512
#define DEEP      300

static struct ear_profile *new_profile(const struct ear_profile_options *options)
{
	const struct ear_analysis_setup setup = {.options = options};
	void *profile;

	assert_int_equal(ear_profile_analysis.create(&profile, &setup), 0);
	return profile;
}

static void take_record(struct ear_profile *profile, const struct ear_batch *batch)
{
	assert_int_equal(ear_profile_analysis.batch(profile, batch), 0);
}

static void finish(struct ear_profile *profile)
{
	assert_int_equal(ear_profile_analysis.finish(profile), 0);
}

/* The same, by brute force. Function 0 is the unknown one. */
struct naive {
	struct ear_calls *calls;
	uint64_t entries[FUNCTIONS];
	uint64_t self[FUNCTIONS], inclusive[FUNCTIONS], calls_of[FUNCTIONS];
	size_t count;
};

static size_t function_of(struct naive *naive, uint64_t entry)
{
	for (size_t i = 0; i < naive->count; i++)
		if (naive->entries[i] == entry)
			return i;
	assert_true(naive->count < FUNCTIONS);
	naive->entries[naive->count] = entry;
	return naive->count++;
}

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t number)
{
	struct naive *naive = context;
	struct ear_call_path path = {.size = sizeof(path)};
	size_t seen[DEEP], depth = 0;

	(void)batch;
	(void)first;
	for (uint32_t at = number; at; at = path.parent) {
		assert_true(ear_calls_path(naive->calls, at, &path));
		size_t function = function_of(naive, path.kind == EAR_FRAME_BASE ? 0 : path.entry);
		if (at == number)
			naive->self[function] += count;
		bool again = false;
		for (size_t i = 0; i < depth; i++)
			again = again || seen[i] == function;
		if (again)
			continue;
		assert_true(depth < DEEP);
		seen[depth++] = function;
		naive->inclusive[function] += count;
	}
	return 0;
}

static void count_entries(struct naive *naive)
{
	for (uint32_t i = 1; i <= ear_calls_count(naive->calls); i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		assert_true(ear_calls_path(naive->calls, i, &path));
		if (path.kind != EAR_FRAME_BASE)
			naive->calls_of[function_of(naive, path.entry)] += path.entered;
	}
}

static void compare(struct naive *naive, const struct ear_profile *profile)
{
	struct ear_profile_counts sum = {.records = 0};

	for (size_t i = 0; i < ear_profile_function_count(profile); i++) {
		const struct ear_profile_function *function = ear_profile_function(profile, i);
		size_t own = function_of(naive, function->entry);
		assert_string_equal(function->name, "");
		assert_int_equal(function->self.records, naive->self[own]);
		assert_int_equal(function->inclusive.records, naive->inclusive[own]);
		assert_int_equal(function->calls, naive->calls_of[own]);
		sum.records += function->self.records;
	}
	assert_int_equal(sum.records, ear_profile_total(profile).records);
	/* The tree: the roots are the whole, and so is all that nodes have of themselves. */
	uint64_t roots = 0, self = 0, calls = 0, entered = 0;
	for (size_t i = 0; i < ear_profile_node_count(profile); i++) {
		const struct ear_profile_node *node = ear_profile_node(profile, i);
		assert_true(node->parent == UINT32_MAX || node->parent < i);
		roots += node->parent == UINT32_MAX ? node->inclusive.records : 0;
		self += node->self.records;
		calls += node->calls;
	}
	for (size_t i = 0; i < naive->count; i++)
		entered += naive->calls_of[i];
	assert_int_equal(roots, sum.records);
	assert_int_equal(self, sum.records);
	assert_int_equal(calls, entered);
}

static void check_program(
	uint64_t seed, const struct call_machine_options *options, bool interrupts_inside)
{
	const struct ear_profile_options how = {.interrupts_inside = interrupts_inside};
	const struct ear_calls_options calls = {
		.size = sizeof(calls), .interrupts_inside = interrupts_inside};
	struct call_machine *machine = call_machine_new(seed, options);
	struct naive *naive = calloc(1, sizeof(*naive));
	struct ear_profile *profile = new_profile(&how);

	assert_non_null(naive);
	naive->count = 1;
	assert_int_equal(ear_calls_new(&naive->calls, &calls), 0);
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct ear_batch batch = {.size = sizeof(batch),
			.count = 1,
			.position = i,
			.record = call_machine_next(machine)};
		take_record(profile, &batch);
		assert_int_equal(ear_calls_batch(naive->calls, &batch, take, naive), 0);
	}
	assert_int_equal(ear_calls_end(naive->calls), 0);
	count_entries(naive);
	finish(profile);
	compare(naive, profile);
	ear_profile_analysis.free(profile);
	ear_calls_free(naive->calls);
	free(naive);
	call_machine_free(machine);
}

static void random_programs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++)
		for (unsigned inside = 0; inside < 2; inside++) {
			check_program(seed,
				&(struct call_machine_options){.xlen = seed % 2 ? 32 : 64}, inside);
			check_program(seed,
				&(struct call_machine_options){
					.xlen = 32, .gaps = 30, .unmarked = seed % 2},
				inside);
		}
}

/* Of clocks each record has those since the record of its hart before it. */
static void clocks_belong_to_what_retires_at_their_end(void **state)
{
	const uint64_t ticks[] = {100, 107, 109, 150};
	struct ear_profile *profile = new_profile(NULL);

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		const struct ear_record record = {.flags = EAR_RECORD_HAS_TIME,
			.index = i / 2,
			.pc = 0x100 + 4 * i,
			.next_pc = 0x104 + 4 * i,
			.opcode = 0x13,
			.opcode_size = 4,
			.xlen = 32,
			.hart = i % 2,
			.ticks = ticks[i]};
		const struct ear_batch batch = {
			.size = sizeof(batch), .count = 1, .position = i, .record = &record};
		take_record(profile, &batch);
	}
	finish(profile);
	assert_true(ear_profile_has_time(profile));
	assert_int_equal(ear_profile_total(profile).clocks, 9 + 43);
	ear_profile_analysis.free(profile);
}

static void of_nothing(void **state)
{
	struct ear_profile *profile = new_profile(NULL);

	(void)state;
	finish(profile);
	assert_int_equal(ear_profile_function_count(profile), 0);
	assert_int_equal(ear_profile_node_count(profile), 0);
	assert_false(ear_profile_has_time(profile));
	ear_profile_analysis.free(profile);
	ear_profile_analysis.free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(clocks_belong_to_what_retires_at_their_end),
		cmocka_unit_test(of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
