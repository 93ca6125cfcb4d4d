/* Ten thousand damaged inputs for most fuzz targets, made from its corpus by a generator with a
 * fixed seed: the same ones in every run.
 */
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "random.h"
#include "target.h"

#define MUTATIONS        EAR_MUTATIONS /* of each target: fewer in the gate */
#define SIZE_MAX_MUTATED 8192u

struct corpus {
	struct byte_buffer *seeds;
	size_t count;
};

static void load_corpus(struct corpus *corpus, const char *target)
{
	struct dirent **names;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", EAR_FUZZ_CORPUS, target);
	int count = scandir(path, &names, NULL, alphasort);
	assert_above(count, 10);
	*corpus = (struct corpus){.seeds = calloc((size_t)count, sizeof(*corpus->seeds))};
	assert_non_null(corpus->seeds);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", EAR_FUZZ_CORPUS, target, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			assert_int_equal(
				byte_buffer_read_file(&corpus->seeds[corpus->count++], path), 0);
		free(names[i]);
	}
	free(names);
}

static void free_corpus(struct corpus *corpus)
{
	for (size_t i = 0; i < corpus->count; i++)
		byte_buffer_free(&corpus->seeds[i]);
	free(corpus->seeds);
}

/* A range inside size bytes; small ones are more frequent. */
static void pick_range(struct random *random, size_t size, size_t *begin, size_t *length)
{
	size_t limit = random_once_in(random, 2) ? 16 : size;

	*begin = random_below(random, size);
	*length = 1 + random_below(random, limit);
	if (*length > size - *begin)
		*length = size - *begin;
}

static void flip_bits(struct byte_buffer *bytes, struct random *random)
{
	for (uint64_t count = 1 + random_below(random, 8); count > 0; count--) {
		uint64_t bit = random_below(random, 8 * bytes->size);
		bytes->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void add_noise(struct byte_buffer *bytes, struct random *random)
{
	size_t begin, length;

	pick_range(random, bytes->size, &begin, &length);
	for (size_t i = begin; i < begin + length; i++)
		bytes->bytes[i] = (uint8_t)(random_next(random) >> 40);
}

static void swap_ranges(struct byte_buffer *bytes, struct random *random)
{
	size_t a, b, length;

	pick_range(random, bytes->size, &a, &length);
	b = random_below(random, bytes->size - length + 1);
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = bytes->bytes[a + i];
		bytes->bytes[a + i] = bytes->bytes[b + i];
		bytes->bytes[b + i] = byte;
	}
}

/* bytes becomes its part before `keep`, then other's part from `from` on. */
static void join(
	struct byte_buffer *bytes, size_t keep, const struct byte_buffer *other, size_t from)
{
	struct byte_buffer joined = {0};

	byte_buffer_append(&joined, bytes->bytes, keep);
	if (from < other->size) /* an empty seed has no bytes */
		byte_buffer_append(&joined, other->bytes + from, other->size - from);
	byte_buffer_free(bytes);
	*bytes = joined;
}

static void duplicate_or_remove(struct byte_buffer *bytes, struct random *random)
{
	size_t begin, length;
	struct byte_buffer copy = {0};

	pick_range(random, bytes->size, &begin, &length);
	byte_buffer_append(&copy, bytes->bytes, bytes->size);
	if (random_once_in(random, 2))
		join(bytes, begin + length, &copy, begin);
	else
		join(bytes, begin, &copy, begin + length);
	byte_buffer_free(&copy);
}

static void mutate(struct byte_buffer *bytes, struct random *random, const struct corpus *corpus)
{
	const struct byte_buffer *other = &corpus->seeds[random_below(random, corpus->count)];

	if (bytes->size == 0)
		return;
	switch (random_below(random, 6)) {
	case 0: flip_bits(bytes, random); break;
	case 1: bytes->size = random_below(random, bytes->size + 1); break;
	case 2:
		join(bytes, random_below(random, bytes->size + 1), other,
			random_below(random, other->size + 1));
		break;
	case 3: duplicate_or_remove(bytes, random); break;
	case 4: swap_ranges(bytes, random); break;
	default: add_noise(bytes, random); break;
	}
}

static void run_mutations_of(
	const char *name, int (*target)(const uint8_t *bytes, size_t size), unsigned rounds)
{
	struct random random = {0x6D75746174696F6E};
	struct corpus corpus;

	load_corpus(&corpus, name);
	for (unsigned i = 0; i < rounds; i++) {
		struct byte_buffer bytes = {0};
		const struct byte_buffer *seed = &corpus.seeds[random_below(&random, corpus.count)];

		byte_buffer_append(&bytes, seed->bytes, seed->size);
		for (uint64_t count = 1 + random_below(&random, 3); count > 0; count--)
			mutate(&bytes, &random, &corpus);
		if (bytes.size > SIZE_MAX_MUTATED)
			bytes.size = SIZE_MAX_MUTATED;
		assert_int_equal(target(bytes.bytes, bytes.size), 0);
		byte_buffer_free(&bytes);
	}
	free_corpus(&corpus);
}

static void run_mutations(const char *name, int (*target)(const uint8_t *bytes, size_t size))
{
	run_mutations_of(name, target, MUTATIONS);
}

static void mutated_streams_are_survived(void **state)
{
	(void)state;
	run_mutations("stream", fuzz_stream);
}

static void mutated_messages_are_survived(void **state)
{
	(void)state;
	run_mutations("message", fuzz_message);
}

static void mutated_capture_files_are_survived(void **state)
{
	(void)state;
	run_mutations("shot", fuzz_shot);
}

static void mutated_record_messages_are_survived(void **state)
{
	(void)state;
	run_mutations("predict", fuzz_predict);
}

static void mutated_input_of_the_driver_is_survived(void **state)
{
	(void)state;
	run_mutations("driver", fuzz_driver);
}

static void mutated_moments_are_survived(void **state)
{
	(void)state;
	run_mutations("moment", fuzz_moment);
}

static void mutated_stores_to_an_event_port_are_survived(void **state)
{
	(void)state;
	run_mutations("port", fuzz_port);
}

static void mutated_call_stacks_are_survived(void **state)
{
	(void)state;
	run_mutations("call_stack", fuzz_call_stack);
}

static void mutated_anchors_are_survived(void **state)
{
	(void)state;
	run_mutations("anchor", fuzz_anchor);
}

static void mutated_parts_of_indexes_are_survived(void **state)
{
	(void)state;
	run_mutations("index", fuzz_index);
}

static void mutated_expressions_are_survived(void **state)
{
	(void)state;
	run_mutations("expression", fuzz_expression);
}

static void mutated_greetings_are_survived(void **state)
{
	(void)state;
	run_mutations_of("greeting", fuzz_greeting, MUTATIONS / 10);
}

static void mutated_answers_about_names_are_survived(void **state)
{
	(void)state;
	run_mutations("names", fuzz_names);
}

static void mutated_traces_are_checked(void **state)
{
	(void)state;
	run_mutations("check", fuzz_check);
}

static void mutated_traces_have_causes(void **state)
{
	(void)state;
	/* Each opens a trace and follows it with a moment. */
	run_mutations_of("check", fuzz_why, MUTATIONS / 4);
}

static void any_client_of_a_debugger_is_survived(void **state)
{
	(void)state;
	/* Each is a session. */
	run_mutations_of("gdb", fuzz_gdb, MUTATIONS / 4);
}

static void indexes_of_mutated_traces_answer_right(void **state)
{
	(void)state;
	/* Each builds an index and asks it 20 times. */
	run_mutations_of("build", fuzz_build, MUTATIONS < 10000 ? 100 : 5000);
}

static void any_calls_of_the_library_are_survived(void **state)
{
	(void)state;
	/* Each is a dozen calls, of which some read the whole trace or make an index. */
	run_mutations_of("api", fuzz_api, MUTATIONS < 10000 ? 50 : 1000);
}

static void mutated_part_files_are_survived(void **state)
{
	(void)state;
	run_mutations("part", fuzz_part);
}

static void mutated_folders_of_the_emulator_are_survived(void **state)
{
	(void)state;
	run_mutations("qtrace", fuzz_qtrace);
}

static void mutated_branch_traces_are_survived(void **state)
{
	(void)state;
	run_mutations("ntrace", fuzz_ntrace);
	run_mutations("etrace", fuzz_etrace);
}

static void mutated_archives_are_survived(void **state)
{
	(void)state;
	run_mutations("archive", fuzz_archive);
}

static void the_tools_of_the_emulator_survive_mutated_folders(void **state)
{
	(void)state;
	run_mutations("android", fuzz_android);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_streams_are_survived),
		cmocka_unit_test(mutated_messages_are_survived),
		cmocka_unit_test(mutated_capture_files_are_survived),
		cmocka_unit_test(mutated_record_messages_are_survived),
		cmocka_unit_test(mutated_input_of_the_driver_is_survived),
		cmocka_unit_test(mutated_anchors_are_survived),
		cmocka_unit_test(mutated_parts_of_indexes_are_survived),
		cmocka_unit_test(mutated_moments_are_survived),
		cmocka_unit_test(mutated_folders_of_the_emulator_are_survived),
		cmocka_unit_test(mutated_branch_traces_are_survived),
		cmocka_unit_test(the_tools_of_the_emulator_survive_mutated_folders),
		cmocka_unit_test(mutated_stores_to_an_event_port_are_survived),
		cmocka_unit_test(mutated_call_stacks_are_survived),
		cmocka_unit_test(mutated_expressions_are_survived),
		cmocka_unit_test(mutated_greetings_are_survived),
		cmocka_unit_test(mutated_answers_about_names_are_survived),
		cmocka_unit_test(mutated_traces_are_checked),
		cmocka_unit_test(mutated_traces_have_causes),
		cmocka_unit_test(any_client_of_a_debugger_is_survived),
		cmocka_unit_test(mutated_part_files_are_survived),
		cmocka_unit_test(mutated_archives_are_survived),
		cmocka_unit_test(indexes_of_mutated_traces_answer_right),
		cmocka_unit_test(any_calls_of_the_library_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
