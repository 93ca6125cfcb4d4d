/* Indexes of captures of every kind, whole and damaged, and of texts: each answer is that of a
 * plain scan.
 */
#include "check.h"

#include <earshot/error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "common/protocol/bytes.h"
#include "common/protocol/frame.h"
#include "decode_run.h"
#include "decoder/formats/base/writer.h"
#include "decoder/formats/formats.h"
#include "fault.h"
#include "index_check.h"
#include "library/index/index_verify.h"
#include "library/shot/shot_format.h"
#include "library/shot/shot_states.h"
#include "random.h"
#include "run.h"

static void put_file(const char *path, const struct byte_buffer *bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_same(fwrite(bytes->bytes, 1, bytes->size, file), bytes->size);
	assert_int_equal(fclose(file), 0);
}

/* The next step of a writer: some bytes, or up to the end of a frame, where there can be a state.
 */
static size_t next_step(
	const struct byte_buffer *stream, size_t done, bool whole, struct random *random)
{
	size_t step = 1 + random_below(random, 1000), left = stream->size - done;
	struct ear_frame frame;
	int size = whole ? ear_frame_parse(&frame, stream->bytes + done, left) : 0;

	step = size > 0 ? (size_t)size : step;
	return step < left ? step : left;
}

/* A capture file of the stream, with a decoder's states about every so many records; whole: written
 * frame by frame. */
static void put_shot(const char *path, const struct byte_buffer *stream, struct random *random,
	uint64_t interval, bool whole)
{
	static struct ear_decoder decoder;
	struct ear_shot_writer *writer;
	struct ear_shot_states plan;
	FILE *file = fopen(path, "wb");
	size_t done = 0, decoded = 0;

	assert_non_null(file);
	ear_decoder_init(&decoder, NULL, NULL);
	ear_shot_states_init(&plan, interval);
	assert_int_equal(ear_shot_writer_new(&writer, fileno(file), "device: test\n", 3), 0);
	while (done < stream->size) {
		size_t step = next_step(stream, done, whole, random), used;
		const struct ear_record *record;
		int result;
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
		put_shot(path, &damaged.bytes, &random, 1 + random_below(&random, 400),
			seed % 4 > 1);
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

/* Parts ----------------------------------------------------------------------------------- */

#define TRAILER_SIZE 9u /* of the seek table */

/* The entries of the EIDX frame of a capture file (docs/file-format.md, section 8). */
static uint8_t *find_places(struct byte_buffer *file, size_t *count)
{
	for (size_t at = file->size - TRAILER_SIZE; at >= 8; at--) {
		uint8_t *frame = file->bytes + at;
		if (memcmp(frame, EAR_SHOT_TAG_INDEX, EAR_SHOT_TAG_SIZE) != 0)
			continue;
		*count = (ear_load_le32(frame - 4) - EAR_SHOT_TAG_SIZE) / EAR_SHOT_INDEX_ENTRY;
		return frame + EAR_SHOT_TAG_SIZE;
	}
	fail_msg("the capture has no index of states");
	return NULL;
}

static void add_to(uint8_t *number, uint64_t value)
{
	ear_store_le64(number, ear_load_le64(number) + value);
}

/* What an entry says: offset in the file, and in the stream; instruction records, records. */
enum lie { NO_LIE, LATER, EARLIER, OTHER_STATE, OTHER_BYTES, LIES };

static void lie_about(uint8_t *entries, size_t count, enum lie lie)
{
	uint8_t *entry = entries + count / 2 * EAR_SHOT_INDEX_ENTRY;
	uint8_t *before = entry - EAR_SHOT_INDEX_ENTRY;

	switch (lie) {
	case LATER:
		add_to(entry + 16, 1);
		add_to(entry + 24, 1);
		break;
	case EARLIER:
		add_to(entry + 16, -(uint64_t)1);
		add_to(entry + 24, -(uint64_t)1);
		break;
	case OTHER_STATE: memcpy(entry, before, 8); break;
	case OTHER_BYTES: memcpy(entry + 8, before + 8, 8); break;
	default: break;
	}
}

/* A capture with states, one of which lies; its index with two threads. Returns how many parts were
 * built. */
static uint64_t check_lie(uint64_t seed, enum lie lie)
{
	const struct run_wish wish = {.predict = seed % 2,
		.hart_count = 1,
		.count = lie == NO_LIE ? 4000 : 1500,
		.losses = seed / 2 % 2,
		.filter = seed / 4 % 2,
		.syncs = seed / 8 % 2};
	struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
	struct index_checked checked = {0};
	struct byte_buffer file = {NULL, 0, 0};
	char name[64], path[64];
	struct run run;
	size_t count = 0;

	snprintf(path, sizeof(path), "test_index-%d.lie", (int)getpid());
	snprintf(name, sizeof(name), "seed %" PRIu64 " lie %d", seed, (int)lie);
	run_make(&run, &random, &wish);
	put_shot(path, &run.bytes, &random, 250, true);
	assert_int_equal(byte_buffer_read_file(&file, path), 0);
	uint8_t *entries = find_places(&file, &count);
	assert_above(count, 3);
	lie_about(entries, count, lie);
	put_file(path, &file);
	const struct index_check check = {
		.path = path, .name = name, .stretch = 2, .jobs = 2, .queries = 20, .moments = 6};
	index_check_file(&check, &checked, &random);
	unlink(path);
	byte_buffer_free(&file);
	run_free(&run);
	return checked.parts;
}

static void parts_are_built_where_the_states_of_a_capture_allow_it(void **state)
{
	uint64_t parts = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 8; seed++)
		parts += check_lie(seed, NO_LIE);
	assert_above(parts, 60);
}

static void parts_that_do_not_fit_are_thrown_away(void **state)
{
	(void)state;
	for (int lie = NO_LIE + 1; lie < LIES; lie++)
		for (uint64_t seed = (uint64_t)lie; seed < (uint64_t)lie + 2; seed++)
			assert_same(check_lie(seed, (enum lie)lie), 0);
}

/* Two threads of one pass ------------------------------------------------------------------- */

#define INDEX_HEADER_RANDOM  16u
#define INDEX_RANDOM_SIZE    16u
#define INDEX_TRAILER_SIZE   64u
#define INDEX_TRAILER_RANDOM 16u
#define INDEX_TRAILER_CRC    52u

/* Wait until another write would leave another time: before, an index says nothing of when its
 * trace changed (docs/index.md, section 5). */
static void let_time_pass(const char *path)
{
	struct stat status;
	struct timespec now;

	assert_int_equal(stat(path, &status), 0);
	do {
		usleep(1000);
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	} while (now.tv_sec < status.st_ctim.tv_sec ||
		 (now.tv_sec == status.st_ctim.tv_sec && now.tv_nsec <= status.st_ctim.tv_nsec));
}

/* The index of the trace without what is random in it (docs/index.md, section 3). */
static void build_bytes(
	struct byte_buffer *bytes, const char *path, unsigned stretch, unsigned jobs)
{
	const struct ear_index_options options = {
		.build = EAR_INDEX_BUILD_ALWAYS, .cache = "", .jobs = jobs, .stretch = stretch};
	struct ear_index_report report;
	struct ear_index *index;

	assert_int_equal(ear_index_open(&index, path, &options, &report), 0);
	assert_same(report.ahead, jobs > 1);
	assert_same(report.parts, 0);
	ear_index_close(index);
	*bytes = (struct byte_buffer){NULL, 0, 0};
	assert_int_equal(byte_buffer_read_file(bytes, report.file), 0);
	uint8_t *trailer = bytes->bytes + bytes->size - INDEX_TRAILER_SIZE;
	memset(bytes->bytes + INDEX_HEADER_RANDOM, 0, INDEX_RANDOM_SIZE);
	memset(trailer + INDEX_TRAILER_RANDOM, 0, INDEX_RANDOM_SIZE);
	memset(trailer + INDEX_TRAILER_CRC, 0, 4);
	unlink(report.file);
}

static void check_same_bytes(const char *path, const char *name, unsigned stretch)
{
	struct byte_buffer one, two;

	let_time_pass(path);
	build_bytes(&one, path, stretch, 1);
	build_bytes(&two, path, stretch, 2);
	if (one.size != two.size || memcmp(one.bytes, two.bytes, one.size) != 0)
		fail_msg("%s: the index of two threads differs", name);
	byte_buffer_free(&one);
	byte_buffer_free(&two);
}

/* Captures without states, whole and damaged, and a text: all in one pass. */
static void two_threads_write_the_index_of_one(void **state)
{
	char path[64], name[64];

	(void)state;
	snprintf(path, sizeof(path), "test_index-%d.two", (int)getpid());
	for (uint64_t seed = 0; seed < 24; seed++) {
		struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
		struct run_wish wish;
		struct damaged damaged;
		struct run runs[2];
		make_wish(&wish, &random, seed % 2);
		run_make(&runs[0], &random, &wish);
		run_make(&runs[1], &random, &wish);
		fault_make(&damaged, seed % 4 ? FAULT_NONE : FAULT_FLIPS, runs, &random);
		put_file(path, &damaged.bytes);
		snprintf(name, sizeof(name), "seed %" PRIu64, seed);
		check_same_bytes(path, name, 1 + (unsigned)random_below(&random, 90));
		fault_free(&damaged);
		run_free(&runs[0]);
		run_free(&runs[1]);
		unlink(path);
	}
	struct byte_buffer text = {NULL, 0, 0};
	assert_int_equal(byte_buffer_read_file(&text, EAR_TEST_DATA "/whisper/multi.csv"), 0);
	put_file(path, &text);
	check_same_bytes(path, "a text", 40);
	byte_buffer_free(&text);
	unlink(path);
}

/* Traces that grow -------------------------------------------------------------------------- */

/* The index of the beginning of a trace, and then that of the whole. Returns whether the first was
 * extended; adds to *reports how many lines the reader reported. */
static bool check_growth(const struct index_check *check, struct byte_buffer *bytes, size_t first,
	struct random *random, uint64_t *reports)
{
	const struct ear_index_options options = {.source = {.reader = check->reader},
		.build = EAR_INDEX_BUILD_ALWAYS,
		.cache = "",
		.stretch = check->stretch};
	struct byte_buffer beginning = {bytes->bytes, first, first};
	struct index_checked checked = {0};
	struct ear_index *index;

	put_file(check->path, &beginning);
	if (ear_index_open(&index, check->path, &options, NULL) == 0)
		ear_index_close(index);
	put_file(check->path, bytes);
	index_check_file(check, &checked, random);
	unlink(check->path);
	if (reports)
		*reports += checked.reports;
	return checked.extended > 0;
}

static unsigned check_growth_of_capture(uint64_t seed, enum fault fault)
{
	struct random random = {seed * 0x9E3779B97F4A7C15u | 1};
	struct damaged damaged;
	struct run_wish wish;
	struct run runs[2];
	char name[64], path[64];
	unsigned extended = 0;

	make_wish(&wish, &random, seed % 2);
	run_make(&runs[0], &random, &wish);
	run_make(&runs[1], &random, &wish);
	fault_make(&damaged, fault, runs, &random);
	snprintf(path, sizeof(path), "test_index-%d.grown", (int)getpid());
	struct byte_buffer file = {NULL, 0, 0};
	if (seed % 3 == 0) {
		put_shot(path, &damaged.bytes, &random, 300, seed % 2);
		assert_int_equal(byte_buffer_read_file(&file, path), 0);
	} else {
		put_file(path, &damaged.bytes);
		assert_int_equal(byte_buffer_read_file(&file, path), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		size_t least = file.size / 2;
		size_t first = i == 0 ? file.size - 1 - random_below(&random, 300)
				      : least + random_below(&random, least);
		snprintf(
			name, sizeof(name), "seed %" PRIu64 ", %zu of %zu", seed, first, file.size);
		const struct index_check check = {.path = path,
			.name = name,
			.stretch = 1 + (unsigned)random_below(&random, 4),
			.jobs = 1 + (unsigned)seed % 2,
			.queries = 40,
			.moments = 12,
			.grown = true};
		if (file.size > 2000)
			extended += check_growth(&check, &file, first, &random, NULL);
	}
	byte_buffer_free(&file);
	fault_free(&damaged);
	run_free(&runs[0]);
	run_free(&runs[1]);
	return extended;
}

static void the_index_of_a_capture_that_grows_is_extended(void **state)
{
	uint64_t first = wish_of("EAR_INDEX_SEED", 1), count = wish_of("EAR_INDEX_TRIALS", 120) / 2;
	unsigned extended = 0;

	(void)state;
	for (uint64_t seed = first; seed < first + count; seed++) {
		enum fault fault = (enum fault)(seed / 2 % FAULT_COUNT);
		if (fault == FAULT_DROP_WRAP || seed % 4 < 2)
			fault = FAULT_NONE;
		extended += check_growth_of_capture(seed, fault);
	}
	if (count >= 60)
		assert_above(extended, 40);
}

/* Cut at the end of a line the index is extended; in a line it is built anew. */
static void the_index_of_a_text_that_grows_is_extended(void **state)
{
	static const char *const names[] = {
		"spike/rv64.log", "whisper/intsort.csv", "whisper/timer.csv"};
	struct random random = {5};
	unsigned extended = 0;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "test_index-%d.grown", (int)getpid());
	for (unsigned i = 0; i < 12; i++) {
		struct byte_buffer text = {NULL, 0, 0};
		char from[1024];
		snprintf(from, sizeof(from), "%s/%s", EAR_TEST_DATA, names[i % 3]);
		assert_int_equal(byte_buffer_read_file(&text, from), 0);
		size_t first = text.size / 2 + random_below(&random, text.size / 2);
		while (text.bytes[first - 1] != '\n')
			first--;
		if (i % 4 == 3)
			first -= 2;
		const struct index_check check = {.path = path,
			.name = names[i % 3],
			.stretch = 8,
			.jobs = 1 + i % 2,
			.queries = 60,
			.moments = 20,
			.grown = true};
		bool was = check_growth(&check, &text, first, &random, NULL);
		extended += was;
		if (i % 4 == 3)
			assert_false(was);
		byte_buffer_free(&text);
	}
	assert_above(extended, 5);
}

/* The records of a file of the test data, as a text of a format. */
static void make_text(
	struct byte_buffer *bytes, const struct ear_writer_format *format, const char *from)
{
	const struct ear_source_options options = {.shared = true};
	struct ear_source *source;
	struct ear_text_output output;
	const struct ear_record *record;
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", EAR_TEST_DATA, from);
	int fd = open(path, O_RDONLY), result;
	assert_at_least(fd, 0);
	assert_int_equal(ear_source_new(&source, fd, &options), 0);
	assert_int_equal(ear_text_output_init_memory(&output), 0);
	struct ear_writer *writer = format->make(&output, NULL);
	while ((result = ear_source_next(source, &record)) == 1)
		assert_int_equal(ear_writer_push(writer, record), 0);
	assert_int_equal(result, 0);
	*bytes = (struct byte_buffer){NULL, 0, 0};
	byte_buffer_append(bytes, output.buffer, output.used);
	ear_writer_free(writer);
	ear_text_output_fini(&output);
	ear_source_free(source);
	close(fd);
}

/* Only the commits of a Spike log: "core   0: 3 0x80000000 ..". */
static void keep_commits(struct byte_buffer *text)
{
	size_t kept = 0;

	for (size_t at = 0, end; at < text->size; at = end) {
		const uint8_t *line = text->bytes + at, *found;
		found = memchr(line, '\n', text->size - at);
		end = found ? (size_t)(found - text->bytes) + 1 : text->size;
		if (end - at < 12 || line[11] != ' ')
			continue;
		memmove(text->bytes + kept, line, end - at);
		kept += end - at;
	}
	text->size = kept;
}

/* Put bad lines among those of a text. */
static void add_bad_lines(struct byte_buffer *text, struct random *random)
{
	static const char bad[] = "nonsense\n";
	struct byte_buffer made = {NULL, 0, 0};

	for (size_t at = 0, end; at < text->size; at = end) {
		const uint8_t *found = memchr(text->bytes + at, '\n', text->size - at);
		end = found ? (size_t)(found - text->bytes) + 1 : text->size;
		byte_buffer_append(&made, text->bytes + at, end - at);
		if (at > 1000 && random_once_in(random, 60))
			byte_buffer_append(&made, bad, sizeof(bad) - 1);
	}
	byte_buffer_free(text);
	*text = made;
}

/* 24 in the night, 8 in the gate. */
static unsigned cut_count(void)
{
	return (unsigned)wish_of("EAR_INDEX_TRIALS", 120) / 5;
}

/* Cut anywhere, at the end of one of the lines of a record or in a line: in formats whose records
 * have several lines the first index has a part of the last one. */
static unsigned check_cuts(const struct ear_writer_format *format, const char *from,
	bool only_commits, uint64_t *reports)
{
	struct random random = {11};
	struct byte_buffer text;
	unsigned extended = 0;
	char path[64], name[96];

	snprintf(path, sizeof(path), "test_index-%d.cut%s", (int)getpid(), format->extension);
	make_text(&text, format, from);
	if (only_commits)
		keep_commits(&text);
	if (reports)
		add_bad_lines(&text, &random);
	for (unsigned i = 0; i < cut_count(); i++) {
		size_t first = text.size / 2 + random_below(&random, text.size / 2);
		bool in_line = i % 4 == 3;
		while (!in_line && text.bytes[first - 1] != '\n')
			first--;
		in_line = text.bytes[first - 1] != '\n';
		snprintf(name, sizeof(name), "%s of %s, %zu of %zu", format->name, from, first,
			text.size);
		const struct index_check check = {.path = path,
			.name = name,
			.stretch = 8,
			.jobs = 1 + i % 2,
			.queries = 24,
			.moments = 6,
			.grown = true};
		bool was = check_growth(&check, &text, first, &random, reports);
		if (in_line && was)
			fail_msg("%s: extended", name);
		extended += was;
	}
	byte_buffer_free(&text);
	return extended;
}

static void a_record_that_had_not_all_its_lines_is_read_again(void **state)
{
	unsigned reporting = 0;

	(void)state;
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++) {
		if (!ear_reader_find(format->name) || !format->make)
			continue;
		assert_above(check_cuts(format, "whisper/timer.csv", false, NULL), cut_count() / 2);
		uint64_t reports = 0;
		assert_above(check_cuts(format, "whisper/intsort.csv", false, &reports),
			cut_count() / 2);
		reporting += reports > cut_count();
	}
	assert_above(reporting, 4); /* in others each line may be one */
	const struct ear_writer_format *spike = ear_writer_find("spike");
	assert_above(check_cuts(spike, "whisper/timer.csv", true, NULL), cut_count() / 2);
}

#define MIDDLE ((size_t)100000)

/* A capture, and how much of it there is first. */
static void make_long(struct byte_buffer *bytes, size_t *first)
{
	const struct run_wish wish = {.hart_count = 1, .count = 30000};
	struct random random = {77};
	struct run run;

	run_make(&run, &random, &wish);
	*bytes = run.bytes;
	run.bytes = (struct byte_buffer){NULL, 0, 0};
	run_free(&run);
	*first = bytes->size * 3 / 4;
	assert_above(*first, 3 * MIDDLE);
}

/* Write the beginning, index it, write all that is given then, and open the index of that. */
static struct ear_index *open_grown(const char *path, const struct byte_buffer *beginning,
	const struct byte_buffer *then, struct ear_index_report *report)
{
	struct ear_index_options options = {
		.build = EAR_INDEX_BUILD_ALWAYS, .cache = "", .stretch = 100};
	struct ear_index *index;

	put_file(path, beginning);
	assert_int_equal(ear_index_open(&index, path, &options, NULL), 0);
	ear_index_close(index);
	put_file(path, then);
	options.build = EAR_INDEX_BUILD_IF_NEEDED;
	assert_int_equal(ear_index_open(&index, path, &options, report), 0);
	return index;
}

static int verify(struct ear_index *index, const char *path, bool *changed)
{
	const struct ear_source_options options = {.shared = true};
	int fd = open(path, O_RDONLY);
	struct ear_source *source;
	uint64_t position;

	assert_int_equal(ear_source_new(&source, fd, &options), 0);
	int result = ear_index_verify(index, source, NULL, NULL, &position, changed);
	ear_source_free(source);
	close(fd);
	return result;
}

static void what_changed_while_a_trace_grew_is_found(void **state)
{
	struct ear_index_report report;
	struct byte_buffer bytes;
	bool changed;
	char path[64];
	size_t first;

	(void)state;
	snprintf(path, sizeof(path), "test_index-%d.changed", (int)getpid());
	make_long(&bytes, &first);
	struct byte_buffer beginning = {bytes.bytes, first, first};
	struct ear_index *index = open_grown(path, &beginning, &bytes, &report);
	assert_true(report.extended);
	assert_above(report.built_records, 0);
	assert_int_equal(verify(index, path, &changed), 0);
	ear_index_close(index);

	/* In what was there before, and cut: another trace. */
	struct byte_buffer edited = {malloc(bytes.size), bytes.size, bytes.size};
	memcpy(edited.bytes, bytes.bytes, bytes.size);
	edited.bytes[MIDDLE] ^= 1;
	index = open_grown(path, &beginning, &edited, &report);
	assert_false(report.extended);
	assert_string_equal(report.cause, "the trace has changed");
	assert_int_equal(verify(index, path, &changed), 0);
	ear_index_close(index);
	beginning.size = bytes.size - 10;
	index = open_grown(path, &bytes, &beginning, &report);
	assert_false(report.extended);
	assert_int_equal(verify(index, path, &changed), 0);
	ear_index_close(index);
	unlink(report.file);
	unlink(path);
	byte_buffer_free(&edited);
	byte_buffer_free(&bytes);
}

/* Texts ----------------------------------------------------------------------------------- */

/* Texts of the original programs. */
static void texts_are_answered_as_by_a_scan(void **state)
{
	static const char *const names[] = {"spike/rv64.log", "whisper/multi.csv",
		"whisper/vector.csv", "tarmac/dialects.txt", "ibex/rv32.log", "logs/rvvi",
		"logs/rocket", "logs/qemu-cpu", "sail/rv64.log", "riscv-dv/rv32.csv",
		"whisper/veer.csv"};
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
		cmocka_unit_test(parts_are_built_where_the_states_of_a_capture_allow_it),
		cmocka_unit_test(parts_that_do_not_fit_are_thrown_away),
		cmocka_unit_test(two_threads_write_the_index_of_one),
		cmocka_unit_test(the_index_of_a_capture_that_grows_is_extended),
		cmocka_unit_test(the_index_of_a_text_that_grows_is_extended),
		cmocka_unit_test(a_record_that_had_not_all_its_lines_is_read_again),
		cmocka_unit_test(what_changed_while_a_trace_grew_is_found),
		cmocka_unit_test(texts_are_answered_as_by_a_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
