/* Anchors of captures and dumps: streams of every kind, whole and damaged in every way, raw and in
 * capture files with states and losses. */
#include "check.h"

#include <dirent.h>
#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anchor_check.h"
#include "byte_buffer.h"
#include "decode_run.h"
#include "fault.h"
#include "library/shot/shot_states.h"
#include "random.h"
#include "run.h"
#include "shot_files.h"

#define VECTORS_MIN 45

static int file_of(const struct byte_buffer *bytes)
{
	int fd = memory_file();

	assert_same(write(fd, bytes->bytes, bytes->size), (ssize_t)bytes->size);
	return fd;
}

/* A capture file of the stream; with states, and losses that the host tells of. */
static void make_shot(struct byte_buffer *file, const struct byte_buffer *stream,
	struct random *random, bool states, bool losses)
{
	static struct ear_decoder decoder;
	struct ear_shot_writer *writer;
	struct ear_shot_states plan;
	int fd = memory_file();
	size_t done = 0, used = 0, decoded = 0;

	ear_decoder_init(&decoder, NULL, NULL);
	ear_shot_states_init(&plan, states ? 1 + random_below(random, 400) : 0);
	assert_int_equal(ear_shot_writer_new(&writer, fd, "device: test\n", 3), 0);
	while (done < stream->size) {
		size_t step = 1 + random_below(random, 3000);
		const struct ear_record *record;
		step = step < stream->size - done ? step : stream->size - done;
		assert_int_equal(ear_shot_writer_push(writer, stream->bytes + done, step), 0);
		done += step;
		do {
			int result = ear_decoder_next(&decoder, &record, &used,
				stream->bytes + decoded, done - decoded, false);
			decoded += used;
			if (result != 1)
				break;
		} while (true);
		if (decoded == done && states)
			assert_at_least(ear_shot_states_write(&plan, writer, &decoder), 0);
		if (random_once_in(random, 6))
			assert_int_equal(ear_shot_writer_flush(writer), 0);
		if (losses && random_once_in(random, 5)) {
			uint64_t size = random_below(random, 3) * 100;
			assert_int_equal(ear_shot_writer_loss(writer, size), 0);
			ear_decoder_host_loss(&decoder, size);
		}
	}
	assert_int_equal(ear_shot_writer_finish(writer, "ended: now\n"), 0);
	ear_shot_writer_free(writer);
	ear_decoder_fini(&decoder);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(byte_buffer_read_fd(file, fd), 0);
	close(fd);
}

static size_t check_stream(const struct byte_buffer *bytes, const char *name, unsigned anchors,
	size_t follow, bool with_reads, struct random *random)
{
	const struct anchor_check check = {
		.options = {.format = "shot"},
		.with_reads = with_reads,
		.anchors = anchors,
		.follow = follow,
		.most_refused = 3,
		.name = name,
	};
	int fd = file_of(bytes);
	size_t count = anchor_check_file(fd, &check, random);

	close(fd);
	return count;
}

/* Vectors: at every record ------------------------------------------------------------------ */

static int is_vector(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".vec") == 0;
}

static void load_vector(struct byte_buffer *bytes, const char *name)
{
	struct byte_buffer text = {NULL, 0, 0};
	char path[1024];

	snprintf(path, sizeof(path), EAR_TEST_VECTORS "/%s", name);
	assert_int_equal(byte_buffer_read_file(&text, path), 0);
	byte_buffer_append(&text, "", 1);
	const char *at = strstr((char *)text.bytes, "\nbytes\n");
	assert_non_null(at);
	for (at += strlen("\nbytes\n");;) {
		char *after;
		uint8_t byte = (uint8_t)strtoul(at, &after, 16);
		if (after == at || strncmp(at, "packets", 7) == 0)
			break;
		byte_buffer_append(bytes, &byte, 1);
		at = after;
	}
	byte_buffer_free(&text);
}

static void every_record_of_the_vectors_can_be_an_anchor(void **state)
{
	struct dirent **entries;
	struct random random = {7};
	int count = scandir(EAR_TEST_VECTORS, &entries, is_vector, alphasort);
	size_t records = 0;

	(void)state;
	assert_at_least(count, VECTORS_MIN);
	for (int i = 0; i < count; i++) {
		struct byte_buffer bytes = {NULL, 0, 0}, file = {NULL, 0, 0};
		load_vector(&bytes, entries[i]->d_name);
		records += check_stream(&bytes, entries[i]->d_name, 0, 0, false, &random);
		check_stream(&bytes, entries[i]->d_name, 0, 0, true, &random);
		make_shot(&file, &bytes, &random, true, false);
		check_stream(&file, entries[i]->d_name, 0, 0, false, &random);
		byte_buffer_free(&bytes);
		byte_buffer_free(&file);
		free(entries[i]);
	}
	free(entries);
	assert_above(records, 400);
}

/* Runs, damaged ----------------------------------------------------------------------------- */

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

static void damage_file(struct byte_buffer *file, struct random *random)
{
	unsigned count = 1 + (unsigned)random_below(random, 3);

	while (count-- > 0)
		file->bytes[random_below(random, file->size)] ^=
			(uint8_t)(1u << random_below(random, 8));
}

static void check_trial(uint64_t seed, enum fault fault, bool predict)
{
	struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
	struct run runs[2];
	struct run_wish wish;
	struct damaged damaged;
	struct byte_buffer file = {NULL, 0, 0};
	char name[128];

	make_wish(&wish, &random, predict);
	run_make(&runs[0], &random, &wish);
	run_make(&runs[1], &random, &wish);
	fault_make(&damaged, fault, runs, &random);
	bool states = random_once_in(&random, 2), losses = random_once_in(&random, 3);
	bool reads = random_once_in(&random, 3), broken = random_once_in(&random, 3);
	snprintf(name, sizeof(name), "seed %" PRIu64 " %s %s", seed, fault_name(fault),
		predict ? "predict" : "raw");
	check_stream(&damaged.bytes, name, 8, 400, reads, &random);
	make_shot(&file, &damaged.bytes, &random, states, losses);
	if (broken)
		damage_file(&file, &random);
	snprintf(name + strlen(name), sizeof(name) - strlen(name), " shot%s%s%s%s",
		states ? " states" : "", losses ? " losses" : "", reads ? " reads" : "",
		broken ? " broken" : "");
	check_stream(&file, name, 8, 0, reads, &random);
	byte_buffer_free(&file);
	fault_free(&damaged);
	run_free(&runs[0]);
	run_free(&runs[1]);
}

static uint64_t wish_of(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : usual;
}

/* For long runs, and to repeat a trial that failed: EAR_ANCHOR_SEED, EAR_ANCHOR_TRIALS. */
static void anchors_hold_over_every_damage(void **state)
{
	uint64_t first = wish_of("EAR_ANCHOR_SEED", 1), count = wish_of("EAR_ANCHOR_TRIALS", 200);

	(void)state;
	for (uint64_t seed = first; seed < first + count; seed++) {
		enum fault fault = (enum fault)(seed / 2 % FAULT_COUNT);
		if (fault != FAULT_DROP_WRAP)
			check_trial(seed, fault, seed % 2);
	}
}

/* Runs -------------------------------------------------------------------------------------- */

static void make_capture(struct byte_buffer *file, struct byte_buffer *stream, uint64_t seed,
	size_t count, bool predict)
{
	struct random random = {seed};
	struct run_wish wish = {.predict = predict, .hart_count = 2, .count = count};
	struct run run;

	run_make(&run, &random, &wish);
	byte_buffer_append(stream, run.bytes.bytes, run.bytes.size);
	make_shot(file, stream, &random, true, false);
	run_free(&run);
}

static const struct anchor_check plain_check = {.options = {.format = "shot"}, .name = "capture"};

/* The records of runs are the same, and an anchor lies between two of them. */
static void runs_hold_the_same_records(void **state)
{
	struct byte_buffer file = {NULL, 0, 0}, stream = {NULL, 0, 0};
	struct ear_expanded_record expanded;
	size_t in_runs = 0, at = 0;
	struct ear_source_run run;
	int result;

	(void)state;
	make_capture(&file, &stream, 21, 4000, true);
	int fd = file_of(&file);
	struct ear_source *truth = anchor_check_open(fd, &plain_check);
	struct ear_source *other = anchor_check_open(fd, &plain_check);
	struct ear_source *source = anchor_check_open(fd, &plain_check);
	while ((result = ear_source_next_run(source, &run)) == 1) {
		size_t count = run.run ? run.run->count : 1;
		const struct ear_record *record = run.record, *expected;
		if (run.run)
			ear_compact_run_begin(&expanded, run.run);
		for (size_t i = 0; i < count; i++) {
			if (run.run)
				record = ear_compact_run_get(
					&expanded, run.run, &run.compacts[i], i);
			assert_int_equal(ear_source_next(truth, &expected), 1);
			if (anchor_check_digest(record) != anchor_check_digest(expected))
				fail_msg("record %zu, %zu of its run", at + i, i);
		}
		at += count;
		in_runs += run.run ? count : 0;
		assert_same(ear_source_position(source), at);
		assert_same(ear_source_position(truth), at);
		assert_same(ear_source_number(source), ear_source_number(truth));
		if (at % 50 == 0) {
			struct ear_anchor anchor;
			const struct ear_record *next;
			assert_int_equal(ear_source_anchor(source, &anchor), 0);
			assert_same(anchor.position, at);
			assert_int_equal(ear_source_seek(other, &anchor), 0);
			assert_int_equal(ear_source_next(other, &next), 1);
			assert_same(ear_source_position(other), at + 1);
			ear_anchor_fini(&anchor);
		}
	}
	assert_int_equal(result, 0);
	assert_at_least(at, 8000);
	assert_above(in_runs, 1000);
	ear_source_free(truth);
	ear_source_free(other);
	ear_source_free(source);
	close(fd);
	byte_buffer_free(&file);
	byte_buffer_free(&stream);
}

/* States of the file ------------------------------------------------------------------------ */

static size_t digest_all(int fd, uint64_t **digests)
{
	struct ear_source *source = anchor_check_open(fd, &plain_check);
	const struct ear_record *record;
	size_t count = 0;

	*digests = NULL;
	while (ear_source_next(source, &record) == 1) {
		*digests = realloc(*digests, (count + 1) * sizeof(**digests));
		(*digests)[count++] = anchor_check_digest(record);
	}
	ear_source_free(source);
	return count;
}

static void check_places(int fd, unsigned *places)
{
	struct ear_shot_index index;
	const struct ear_record *record;
	uint64_t *digests;
	size_t count = digest_all(fd, &digests);

	assert_int_equal(ear_shot_index_read(&index, fd), 0);
	for (size_t i = 0; i < index.count; i++) {
		struct ear_source *source = anchor_check_open(fd, &plain_check);
		size_t at = index.places[i].records;
		assert_int_equal(ear_source_seek_place(source, &index.places[i]), 0);
		assert_same(ear_source_position(source), at);
		for (; at < count; at++) {
			assert_int_equal(ear_source_next(source, &record), 1);
			if (anchor_check_digest(record) != digests[at])
				fail_msg("record %zu after the state at %zu", at,
					(size_t)index.places[i].records);
		}
		assert_int_equal(ear_source_next(source, &record), 0);
		ear_source_free(source);
	}
	*places += (unsigned)index.count;
	ear_shot_index_fini(&index);
	free(digests);
}

static void reading_can_begin_at_the_states_of_the_file(void **state)
{
	unsigned places = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct byte_buffer file = {NULL, 0, 0}, stream = {NULL, 0, 0};
		make_capture(&file, &stream, seed, 3000, seed % 2);
		int fd = file_of(&file);
		check_places(fd, &places);
		close(fd);
		byte_buffer_free(&file);
		byte_buffer_free(&stream);
	}
	assert_above(places, 15);
}

/* Other files ------------------------------------------------------------------------------- */

/* Anchors at every so many records, each with the checksum from it to the next. */
struct stretch {
	struct ear_anchor anchor;
	uint64_t sum;
};

#define STRETCHES 20

static size_t read_stretches(struct stretch *stretches, int fd, size_t length)
{
	struct ear_source *source = anchor_check_open(fd, &plain_check);
	const struct ear_record *record;
	size_t count = 0;

	while (count < STRETCHES) {
		assert_int_equal(ear_source_anchor(source, &stretches[count].anchor), 0);
		ear_source_checksum_begin(source);
		for (size_t i = 0; i < length; i++)
			assert_int_equal(ear_source_next(source, &record), 1);
		stretches[count++].sum = ear_source_checksum(source);
	}
	ear_source_free(source);
	return count;
}

/* Returns how often the change showed. */
static unsigned check_changed(
	int fd, const struct stretch *stretches, size_t length, const uint64_t *digests)
{
	unsigned seen = 0;

	for (size_t i = 0; i < STRETCHES; i++) {
		struct ear_source *source = anchor_check_open(fd, &plain_check);
		const struct ear_record *record;
		bool same = ear_source_seek(source, &stretches[i].anchor) == 0;
		size_t first = (size_t)stretches[i].anchor.position, wrong = 0;
		if (same)
			ear_source_checksum_begin(source);
		for (size_t at = first; same && at < first + length; at++) {
			same = ear_source_next(source, &record) == 1;
			wrong += same && anchor_check_digest(record) != digests[at];
		}
		same = same && ear_source_checksum(source) == stretches[i].sum;
		if (same && wrong > 0)
			fail_msg("%zu of the records from %zu on are wrong, and the checksum is "
				 "right",
				wrong, first);
		seen += !same;
		ear_source_free(source);
	}
	return seen;
}

/* A bit of the dump, or of the capture file, is another one than when the anchors were made. */
static void an_edit_shows_in_the_checksum_of_its_stretch(void **state)
{
	const size_t length = 250;
	struct random random = {77};
	unsigned seen = 0;

	(void)state;
	for (unsigned round = 0; round < 24; round++) {
		struct byte_buffer file = {NULL, 0, 0}, stream = {NULL, 0, 0};
		struct stretch stretches[STRETCHES];
		uint64_t *digests;
		make_capture(&file, &stream, 5 + round / 4, 3000, round % 2);
		const struct byte_buffer *used = round / 2 % 2 ? &file : &stream;
		int fd = file_of(used);
		digest_all(fd, &digests);
		read_stretches(stretches, fd, length);
		assert_int_equal(check_changed(fd, stretches, length, digests), 0);
		for (unsigned i = 0; i < 6; i++) {
			uint64_t at = 100 + random_below(&random, used->size - 100);
			uint8_t byte = used->bytes[at] ^ (uint8_t)(1u << random_below(&random, 8));
			assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
			seen += check_changed(fd, stretches, length, digests);
			assert_int_equal(pwrite(fd, &used->bytes[at], 1, (off_t)at), 1);
		}
		for (size_t i = 0; i < STRETCHES; i++)
			ear_anchor_fini(&stretches[i].anchor);
		free(digests);
		close(fd);
		byte_buffer_free(&file);
		byte_buffer_free(&stream);
	}
	assert_above(seen, 60);
}

static void anchors_of_another_file_are_refused(void **state)
{
	struct byte_buffer files[2] = {{NULL, 0, 0}, {NULL, 0, 0}}, streams[2] = {{NULL, 0, 0}};
	struct ear_source *sources[2];
	struct ear_anchor anchor;
	const struct ear_record *record;
	int fds[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		make_capture(&files[i], &streams[i], 31 + i, 1000, true);
		fds[i] = file_of(&files[i]);
		sources[i] = anchor_check_open(fds[i], &plain_check);
	}
	for (unsigned i = 0; i < 700; i++)
		assert_int_equal(ear_source_next(sources[0], &record), 1);
	assert_int_equal(ear_source_anchor(sources[0], &anchor), 0);
	assert_int_equal(ear_source_seek(sources[1], &anchor), EAR_E_BAD_FILE);
	assert_int_equal(ear_source_seek(sources[0], &anchor), 0);
	assert_int_equal(ftruncate(fds[0], 50), 0);
	assert_int_equal(ear_source_seek(sources[0], &anchor), EAR_E_BAD_FILE);
	ear_anchor_fini(&anchor);
	for (unsigned i = 0; i < 2; i++) {
		ear_source_free(sources[i]);
		close(fds[i]);
		byte_buffer_free(&files[i]);
		byte_buffer_free(&streams[i]);
	}
}

static void a_pipe_has_no_anchors(void **state)
{
	const struct ear_source_options options = {.format = "shot", .shared = true};
	struct byte_buffer file = {NULL, 0, 0}, stream = {NULL, 0, 0};
	const struct ear_record *record;
	struct ear_source *source;
	struct ear_anchor anchor;
	int ends[2];

	(void)state;
	make_capture(&file, &stream, 41, 300, true);
	assert_below(file.size, 60000);
	assert_int_equal(pipe(ends), 0);
	assert_same(write(ends[1], file.bytes, file.size), (ssize_t)file.size);
	close(ends[1]);
	assert_int_equal(ear_source_new(&source, ends[0], &options), 0);
	assert_int_equal(ear_source_next(source, &record), 1);
	assert_int_equal(ear_source_anchor(source, &anchor), EAR_E_UNSUPPORTED);
	assert_int_equal(ear_source_seek(source, &anchor), EAR_E_UNSUPPORTED);
	ear_source_free(source);
	close(ends[0]);
	byte_buffer_free(&file);
	byte_buffer_free(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_of_the_vectors_can_be_an_anchor),
		cmocka_unit_test(anchors_hold_over_every_damage),
		cmocka_unit_test(runs_hold_the_same_records),
		cmocka_unit_test(reading_can_begin_at_the_states_of_the_file),
		cmocka_unit_test(an_edit_shows_in_the_checksum_of_its_stretch),
		cmocka_unit_test(anchors_of_another_file_are_refused),
		cmocka_unit_test(a_pipe_has_no_anchors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
