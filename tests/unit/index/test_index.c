/* Indexes of captures of every kind, whole and damaged, and of texts: each answer is that of a
 * plain scan.
 */
#include "check.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "capture/shot_states.h"
#include "decode_run.h"
#include "fault.h"
#include "index_check.h"
#include "random.h"
#include "run.h"

static void put_file(const char *path, const struct byte_buffer *bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_same(fwrite(bytes->bytes, 1, bytes->size, file), bytes->size);
	assert_int_equal(fclose(file), 0);
}

/* A capture file of the stream, with a decoder's states. */
static void put_shot(const char *path, const struct byte_buffer *stream, struct random *random)
{
	static struct ear_decoder decoder;
	struct ear_shot_writer *writer;
	struct ear_shot_states plan;
	FILE *file = fopen(path, "wb");
	size_t done = 0, decoded = 0;

	assert_non_null(file);
	ear_decoder_init(&decoder, NULL, NULL);
	ear_shot_states_init(&plan, 1 + random_below(random, 400));
	assert_int_equal(ear_shot_writer_new(&writer, fileno(file), "device: test\n", 3), 0);
	while (done < stream->size) {
		size_t step = 1 + random_below(random, 1000), used;
		const struct ear_record *record;
		int result;
		step = step < stream->size - done ? step : stream->size - done;
		assert_int_equal(ear_shot_writer_push(writer, stream->bytes + done, step), 0);
		done += step;
		do {
			result = ear_decoder_next(&decoder, &record, &used, stream->bytes + decoded,
				done - decoded, false);
			decoded += used;
		} while (result == 1);
		if (decoded == done)
			assert_at_least(ear_shot_states_write(&plan, writer, &decoder), 0);
	}
	assert_int_equal(ear_shot_writer_finish(writer, "ended: now\n"), 0);
	ear_shot_writer_free(writer);
	ear_decoder_fini(&decoder);
	assert_int_equal(fclose(file), 0);
}

static void make_wish(struct run_wish *wish, struct random *random, bool predict)
{
	*wish = (struct run_wish){
		.predict = predict,
		.hart_count = 1 + (unsigned)random_below(random, RUN_HARTS_MAX),
		.count = 200 + random_below(random, 1500),
		.per_frame = random_once_in(random, 3) ? 0 : 1 + (unsigned)random_below(random, 90),
		.losses = random_once_in(random, 2),
		.filter = random_once_in(random, 3),
		.trigger = random_once_in(random, 4),
		.syncs = random_once_in(random, 3),
		.from_zero = random_once_in(random, 2),
	};
}

static void check_trial(
	uint64_t seed, enum fault fault, bool predict, struct index_checked *checked)
{
	struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
	struct run runs[2];
	struct run_wish wish;
	struct damaged damaged;
	char name[128], path[64];

	make_wish(&wish, &random, predict);
	run_make(&runs[0], &random, &wish);
	run_make(&runs[1], &random, &wish);
	fault_make(&damaged, fault, runs, &random);
	bool shot = random_once_in(&random, 2);
	snprintf(path, sizeof(path), "test_index-%d.trace", (int)getpid());
	snprintf(name, sizeof(name), "seed %" PRIu64 " %s %s%s", seed, fault_name(fault),
		predict ? "predict" : "raw", shot ? " shot" : "");
	const struct index_check check = {.path = path,
		.name = name,
		.stretch = 1 + (unsigned)random_below(&random, random_once_in(&random, 3) ? 8 : 90),
		.jobs = 1 + (unsigned)random_below(&random, 3),
		.queries = 60,
		.moments = 12};
	if (shot)
		put_shot(path, &damaged.bytes, &random);
	else
		put_file(path, &damaged.bytes);
	if (damaged.bytes.size > 600)
		index_check_file(&check, checked, &random);
	unlink(path);
	fault_free(&damaged);
	run_free(&runs[0]);
	run_free(&runs[1]);
}

static uint64_t wish_of(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : usual;
}

/* For long runs, and to repeat a trial that failed: EAR_INDEX_SEED, EAR_INDEX_TRIALS. */
static void captures_of_every_kind_are_answered_as_by_a_scan(void **state)
{
	uint64_t first = wish_of("EAR_INDEX_SEED", 1), count = wish_of("EAR_INDEX_TRIALS", 120);
	struct index_checked checked = {0};

	(void)state;
	for (uint64_t seed = first; seed < first + count; seed++) {
		enum fault fault = (enum fault)(seed / 2 % FAULT_COUNT);
		if (fault != FAULT_DROP_WRAP)
			check_trial(seed, fault, seed % 2, &checked);
	}
	if (count >= 100) {
		assert_above(checked.records, 100000);
		assert_above(checked.nodes, 1000);
		assert_above(checked.found, 1500);
		assert_above(checked.registers, 1000);
		assert_above(checked.bytes, 1000);
		assert_above(checked.frames, 500);
	}
}

/* Texts of the original programs. */
static void texts_are_answered_as_by_a_scan(void **state)
{
	static const char *const names[] = {"spike/rv64.log", "whisper/multi.csv",
		"whisper/vector.csv", "tarmac/dialects.txt", "ibex/rv32.log", "sail/rv64.log",
		"riscv-dv/rv32.csv", "whisper/veer.csv"};
	struct index_checked checked = {0};
	struct random random = {3};
	unsigned used = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct byte_buffer bytes = {NULL, 0, 0};
		char from[1024], path[64];
		snprintf(from, sizeof(from), "%s/%s", EAR_TEST_DATA, names[i]);
		if (byte_buffer_read_file(&bytes, from) != 0)
			continue;
		used++;
		snprintf(path, sizeof(path), "test_index-%d.text", (int)getpid());
		put_file(path, &bytes);
		const struct index_check check = {.path = path,
			.name = names[i],
			.stretch = 8 * (1 + (unsigned)random_below(&random, 6)),
			.jobs = 1 + (unsigned)i % 2,
			.queries = 200,
			.moments = 20};
		index_check_file(&check, &checked, &random);
		unlink(path);
		byte_buffer_free(&bytes);
	}
	assert_above(used, 2);
	assert_above(checked.nodes, 6);
	assert_above(checked.found, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_of_every_kind_are_answered_as_by_a_scan),
		cmocka_unit_test(texts_are_answered_as_by_a_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
