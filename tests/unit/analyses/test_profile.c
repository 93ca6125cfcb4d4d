/* Profiles of random programs: what each record counts for is found one by one, from its path. With
 * names they are held against other counts by tests/e2e/test_profile.py.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/profile/profile.h"
#include "call_machine.h"
#include "library_truth.h"
#include "random.h"

#define RECORDS   3000
#define FUNCTIONS 512
#define DEEP      300

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
	struct ear_profile *profile;

	assert_non_null(naive);
	naive->count = 1;
	assert_int_equal(ear_calls_new(&naive->calls, &calls), 0);
	assert_int_equal(ear_profile_new(&profile, NULL, &how), 0);
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct ear_batch batch = {.size = sizeof(batch),
			.count = 1,
			.position = i,
			.record = call_machine_next(machine)};
		assert_int_equal(ear_profile_batch(profile, &batch), 0);
		assert_int_equal(ear_calls_batch(naive->calls, &batch, take, naive), 0);
	}
	assert_int_equal(ear_calls_end(naive->calls), 0);
	count_entries(naive);
	assert_int_equal(ear_profile_finish(profile), 0);
	compare(naive, profile);
	ear_profile_free(profile);
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
	struct ear_profile *profile;

	(void)state;
	assert_int_equal(ear_profile_new(&profile, NULL, NULL), 0);
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
		assert_int_equal(ear_profile_batch(profile, &batch), 0);
	}
	assert_int_equal(ear_profile_finish(profile), 0);
	assert_true(ear_profile_has_time(profile));
	assert_int_equal(ear_profile_total(profile).clocks, 9 + 43);
	ear_profile_free(profile);
}

/* ---- Parts. ---- */

/* All that a profile says. */
static char *text_of(struct ear_profile *profile)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(ear_profile_finish(profile), 0);
	fprintf(file, "%u %llu %llu\n", ear_profile_has_time(profile),
		(unsigned long long)ear_profile_gaps(profile),
		(unsigned long long)ear_profile_pathless(profile));
	for (size_t i = 0; i < ear_profile_function_count(profile); i++) {
		const struct ear_profile_function *function = ear_profile_function(profile, i);
		const uint64_t *self = (const uint64_t *)&function->self,
			       *inclusive = (const uint64_t *)&function->inclusive;
		fprintf(file, "function %s %llx %llu:", function->name,
			(unsigned long long)function->entry, (unsigned long long)function->calls);
		for (size_t j = 0; j < sizeof(function->self) / sizeof(uint64_t); j++)
			fprintf(file, " %llu %llu", (unsigned long long)self[j],
				(unsigned long long)inclusive[j]);
		fputc('\n', file);
	}
	for (size_t i = 0; i < ear_profile_node_count(profile); i++) {
		const struct ear_profile_node *node = ear_profile_node(profile, i);
		assert_true(node->parent == UINT32_MAX || node->parent < i);
		fprintf(file, "node %u %u %u %llu %llu %llu\n", node->parent, node->function,
			node->kind, (unsigned long long)node->calls,
			(unsigned long long)node->self.records,
			(unsigned long long)node->inclusive.clocks);
	}
	for (size_t i = 0; i < ear_profile_edge_count(profile); i++) {
		const struct ear_profile_edge *edge = ear_profile_edge(profile, i);
		fprintf(file, "edge %u %u %llx %llu %llu\n", edge->caller, edge->callee,
			(unsigned long long)edge->call_pc, (unsigned long long)edge->calls,
			(unsigned long long)edge->inclusive.clocks);
	}
	for (size_t i = 0; i < ear_profile_pc_count(profile); i++) {
		const struct ear_profile_pc *pc = ear_profile_pc(profile, i);
		fprintf(file, "pc %llx %u %llu %llu\n", (unsigned long long)pc->pc, pc->function,
			(unsigned long long)pc->records, (unsigned long long)pc->clocks);
	}
	assert_int_equal(fclose(file), 0);
	return text;
}

static struct ear_profile *read_part(const struct truth *truth, bool inside, size_t from, size_t to)
{
	const struct ear_profile_options options = {
		.interrupts_inside = inside, .pcs = true, .two_threads = to < truth->count};
	struct ear_trace *trace = truth_open_indexed(truth);
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_profile *profile;
	struct ear_moment *moment;

	assert_int_equal(ear_profile_new(&profile, NULL, &options), 0);
	assert_int_equal(ear_moment_new(&moment, trace, from, NULL), 0);
	assert_int_equal(ear_profile_start(profile, moment, NULL), 0);
	ear_moment_free(moment);
	assert_int_equal(ear_trace_seek(trace, from, NULL), 1);
	while (ear_trace_position(trace) < to && ear_trace_next_batch(trace, &batch) == 1) {
		if (batch.count > to - batch.position)
			batch.count = to - batch.position;
		assert_int_equal(ear_profile_batch(profile, &batch), 0);
	}
	ear_trace_close(trace);
	return profile;
}

/* At random places; in half of the cases the later parts are joined first. The whole is summed up
 * by one thread, parts by two. */
static void parts_are_the_whole(void **state)
{
	struct random random = {5};
	struct truth *truth;

	(void)state;
	for (size_t number = 0; (truth = truth_of(number)); number++) {
		const bool inside = number % 2;
		struct ear_profile *whole = read_part(truth, inside, 0, truth->count);
		struct ear_profile *joined = NULL, *rest = NULL;
		char *expected = text_of(whole), *text;
		size_t middle = random_below(&random, truth->count + 1);

		for (size_t at = 0, next; at < truth->count; at = next) {
			struct ear_profile **sum = at < middle ? &joined : &rest;
			next = at + 1 + random_below(&random, truth->count / 4 + 1);
			next = next < truth->count ? next : truth->count;
			struct ear_profile *part = read_part(truth, inside, at, next);
			if (*sum) {
				assert_int_equal(ear_profile_join(*sum, part), 0);
				ear_profile_free(part);
			} else {
				*sum = part;
			}
		}
		if (joined && rest)
			assert_int_equal(ear_profile_join(joined, rest), 0);
		text = text_of(joined ? joined : rest);
		assert_string_equal(text, expected);
		free(text);
		free(expected);
		if (joined)
			ear_profile_free(rest);
		ear_profile_free(joined ? joined : rest);
		ear_profile_free(whole);
		truth_free(truth);
	}
}

/* ---- Files of parts. ---- */

static const struct ear_part_head head = {.analysis = "profile",
	.options = "pcs",
	.trace = "-",
	.program = "-",
	.program_sha256 = "-",
	.begin = 0,
	.end = 10,
	.size = 20};

static char *write_part(struct ear_profile *profile, size_t *size)
{
	struct ear_part_writer writer;
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	assert_non_null(file);
	ear_part_write_head(&writer, file, &head);
	assert_int_equal(ear_profile_write(profile, &writer), 0);
	ear_part_write_end(&writer);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* NULL: the file is wrong, and the reader says where. */
static struct ear_profile *read_file(const char *text, size_t size)
{
	const struct ear_profile_options options = {.pcs = true};
	struct ear_part_reader reader;
	struct ear_part_head found;
	struct ear_profile *profile;
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

	assert_non_null(file);
	assert_int_equal(ear_profile_new(&profile, NULL, &options), 0);
	if (!ear_part_open(&reader, file, &found) || !ear_profile_read(profile, &reader)) {
		assert_int_equal(strncmp(reader.error, "line ", 5), 0);
		ear_profile_free(profile);
		profile = NULL;
	}
	ear_part_close(&reader);
	fclose(file);
	return profile;
}

static void a_file_has_all_of_a_part(void **state)
{
	struct random random = {77};
	unsigned good = 0, bad = 0;
	struct truth *truth;

	(void)state;
	for (size_t number = 0; number < 6 && (truth = truth_of(number)); number++) {
		struct ear_profile *profile = read_part(truth, false, 0, truth->count), *again;
		size_t size;
		char *file = write_part(profile, &size), *expected = text_of(profile), *text;

		again = read_file(file, size);
		assert_non_null(again);
		text = text_of(again);
		assert_string_equal(text, expected);
		ear_profile_free(again);
		free(text);
		for (size_t i = 1; i < size; i += 1 + size / 500)
			assert_null(read_file(file, i));
		for (unsigned i = 0; i < 500; i++) {
			const size_t at = random_below(&random, size);
			const char before = file[at];
			file[at] = (char)random_below(&random, 256);
			again = read_file(file, size);
			if (again)
				assert_int_equal(ear_profile_finish(again), 0);
			good += again != NULL;
			bad += again == NULL;
			ear_profile_free(again);
			file[at] = before;
		}
		ear_profile_free(profile);
		free(expected);
		free(file);
		truth_free(truth);
	}
	assert_true(good > 0 && bad > 0);
}

static void of_nothing(void **state)
{
	struct ear_profile *profile;

	(void)state;
	assert_int_equal(ear_profile_new(&profile, NULL, NULL), 0);
	assert_int_equal(ear_profile_finish(profile), 0);
	assert_int_equal(ear_profile_function_count(profile), 0);
	assert_int_equal(ear_profile_node_count(profile), 0);
	assert_false(ear_profile_has_time(profile));
	ear_profile_free(profile);
	ear_profile_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(clocks_belong_to_what_retires_at_their_end),
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(a_file_has_all_of_a_part),
		cmocka_unit_test(of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
