/* The newest part of a stream: what is kept, and that it can be decoded. library/shot/segments.h.
 */
#include "check.h"

#include <dirent.h>
#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder_state.h"
#include "decoder/codec/encoder.h"
#include "library/shot/segments.h"
#include "library/shot/shot_states.h"
#include "predict_stream.h"
#include "random.h"
#include "retire_random.h"
#include "sample_stream.h"

#define ENTRIES 12000u
#define SIZE    EAR_SEGMENTS_SIZE_MIN
#define AT_ONCE 700u /* bytes that arrive together */

/* What a decoder gave: a digest of each record of any kind. */
struct told {
	struct ear_decoder decoder;
	uint64_t *digests;
	size_t count;
};

static uint64_t mix(uint64_t digest, uint64_t value)
{
	digest = (digest ^ value) * 0x9E3779B97F4A7C15u;
	return digest ^ digest >> 29;
}

static int take_record(void *context, const struct ear_record *record)
{
	struct told *told = context;
	uint64_t digest = mix(record->kind, record->index);

	if (record->kind == EAR_RECORD_GAP) {
		digest = mix(digest, record->u.gap.count);
	} else if (record->kind == EAR_RECORD_INSTRUCTION) {
		digest = mix(mix(digest, record->pc), record->next_pc);
		digest = mix(mix(digest, record->opcode), record->flags);
		digest = mix(digest, record->flags & EAR_RECORD_HAS_TIME ? record->ticks : 0);
		for (size_t i = 0; i < record->register_count; i++)
			digest = mix(digest, record->registers[i].value);
		for (size_t i = 0; i < record->memory_count; i++)
			digest = mix(digest, record->memory[i].address);
	}
	told->digests[told->count++] = digest;
	return 0;
}

static void told_init(struct told *told)
{
	*told = (struct told){.digests = calloc(3 * ENTRIES, sizeof(*told->digests))};
	assert_non_null(told->digests);
	ear_decoder_init(&told->decoder, take_record, told);
}

static void told_fini(struct told *told)
{
	ear_decoder_fini(&told->decoder);
	free(told->digests);
}

/* Half of the entries surprise the predictor, so that there are bytes. With syncs the unit is asked
 * for a hard SYNC now and then.
 */
static void make_stream(struct byte_buffer *bytes, unsigned xlen, bool predict, bool syncs)
{
	struct random random = {77};
	struct predict_encoder encoder;
	struct ear_unit unit = predict_unit(ear_geometry_get(EAR_GEOMETRY_SMALL), xlen, 64, true);

	unit.control = SAMPLE_CONTROL(EAR_TIME_MODE_RECORD);
	unit.csr_slots = EAR_RETIRE_CSRS_MAX;
	if (predict) {
		predict_encoder_init(&encoder, &unit, bytes);
	} else {
		unit.mode = EAR_UNIT_MODE_RAW;
		ear_encoder_init(&encoder.encoder, &unit, byte_buffer_sink, bytes);
	}
	for (uint64_t order = 0; order < ENTRIES; order++) {
		struct ear_retire entry;
		sample_entry(&entry, order, xlen);
		if (random_once_in(&random, 2)) {
			retire_random(&entry, &random, xlen);
			entry.order = order;
		}
		if (syncs && order % 500 == 499)
			ear_encoder_sync(&encoder.encoder);
		ear_encoder_push(&encoder.encoder, &entry, 3 * order);
	}
	ear_encoder_put(
		&encoder.encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					  .u.stop = {.retired = ENTRIES, .delivered = ENTRIES}});
	if (predict)
		predict_encoder_fini(&encoder);
}

/* Something of the stream does not arrive. */
struct hole {
	size_t at, size; /* size 0: none */
	bool told;       /* the host knows, else frames are damaged */
};

static void check_bounds(const struct ear_segments *segments)
{
	struct ear_segments_statistics statistics;

	ear_segments_statistics(segments, &statistics);
	assert_in_range(statistics.bytes, statistics.evicted_bytes ? SIZE : 0, SIZE + SIZE / 4);
	assert_in_range(statistics.count, 1, 17);
}

/* The stream through a decoder into the segments. */
static void record(struct ear_segments *segments, struct told *told,
	const struct byte_buffer *stream, const struct hole *hole)
{
	uint8_t window[2 * AT_ONCE + EAR_FRAME_SIZE_MAX];
	size_t filled = 0, used;

	for (size_t at = 0; at < stream->size; at += AT_ONCE) {
		size_t size = stream->size - at < AT_ONCE ? stream->size - at : AT_ONCE;
		bool in_hole = hole && at >= hole->at && at < hole->at + hole->size;
		if (in_hole && hole->told) {
			if (at < hole->at + AT_ONCE) {
				ear_decoder_host_loss(&told->decoder, hole->size);
				assert_int_equal(ear_segments_loss(segments, hole->size), 0);
			}
			continue;
		}
		memcpy(window + filled, stream->bytes + at, size);
		if (in_hole)
			memset(window + filled, 0x55, size);
		filled += size;
		assert_at_most(filled, 2 * ear_segments_chunk_size(segments));
		assert_int_equal(ear_decoder_push(&told->decoder, &used, window, filled, false), 0);
		assert_int_equal(ear_segments_push(segments, window, used), 0);
		filled -= used;
		memmove(window, window + used, filled);
		assert_int_equal(ear_segments_turn(segments, &told->decoder), 0);
		while (ear_segments_excess(segments))
			ear_segments_evict(segments);
		check_bounds(segments);
	}
	assert_int_equal(ear_decoder_push(&told->decoder, &used, window, filled, true), 0);
	assert_int_equal(ear_segments_push(segments, window, used), 0);
}

/* All that is left, decoded as from a capture file. Returns the bytes. */
static uint64_t play(struct ear_segments *segments, struct told *told)
{
	struct ear_segments_statistics before, after;
	uint8_t window[4096];
	size_t filled = 0, used;
	uint64_t bytes = 0;

	assert_int_equal(ear_segments_close(segments), 0);
	ear_segments_statistics(segments, &before);
	for (;;) {
		struct ear_shot_state state;
		size_t count;
		int item = ear_segments_read(
			segments, window + filled, sizeof(window) - filled, &count);
		if (item == EAR_SHOT_END)
			break;
		assert_above(item, 0);
		if (item == EAR_SHOT_STATE) {
			if (!ear_decoder_wants_state(&told->decoder))
				continue;
			assert_int_equal(ear_segments_state(segments, &state), 0);
			assert_int_equal(state.stream_offset, 0);
			assert_int_equal(
				ear_decoder_load(&told->decoder, state.bytes, state.size), 0);
			free(state.bytes);
		} else if (item == EAR_SHOT_LOSS) {
			ear_decoder_host_loss(&told->decoder, count);
		} else {
			filled += count;
			bytes += count;
			assert_int_equal(
				ear_decoder_push(&told->decoder, &used, window, filled, false), 0);
			filled -= used;
			memmove(window, window + used, filled);
		}
	}
	assert_int_equal(ear_decoder_push(&told->decoder, &used, window, filled, true), 0);
	ear_segments_statistics(segments, &after);
	assert_int_equal(after.count, 0);
	assert_int_equal(after.files, before.files);
	return bytes;
}

/* The last things that were reported of the whole stream are those of what is left. */
static void expect_tail(const struct told *whole, const struct told *left)
{
	assert_above(left->count, 0);
	assert_at_most(left->count, whole->count);
	assert_memory_equal(left->digests, whole->digests + whole->count - left->count,
		left->count * sizeof(*left->digests));
}

static struct ear_segments *make(const char *path)
{
	struct ear_segments *segments;

	assert_int_equal(ear_segments_new(&segments, SIZE, path, "writer: test\n"), 0);
	return segments;
}

static void check_newest(unsigned xlen, bool predict, const char *path)
{
	struct byte_buffer stream = {0};
	struct ear_segments *segments = make(path);
	struct ear_segments_statistics statistics;
	struct told whole, left;

	make_stream(&stream, xlen, predict, false);
	assert_above(stream.size, 4 * SIZE);
	told_init(&whole);
	told_init(&left);
	record(segments, &whole, &stream, NULL);
	ear_segments_statistics(segments, &statistics);
	assert_true(statistics.has_state);
	assert_int_equal(statistics.evicted_bytes + statistics.bytes, stream.size);
	assert_int_equal(whole.decoder.statistics.records, ENTRIES);

	assert_int_equal(play(segments, &left), statistics.bytes);
	expect_tail(&whole, &left);
	assert_int_equal(left.decoder.statistics.gaps, 0);
	assert_int_equal(statistics.records + left.decoder.statistics.records, ENTRIES);
	assert_int_equal(left.decoder.statistics.first_index, statistics.records);
	ear_segments_free(segments, false);
	told_fini(&left);
	told_fini(&whole);
	byte_buffer_free(&stream);
}

static void what_is_left_is_the_newest_and_can_be_decoded(void **state)
{
	(void)state;
	check_newest(32, false, NULL);
	check_newest(64, false, NULL);
	check_newest(32, true, NULL);
	check_newest(64, true, NULL);
}

static void nothing_is_let_go_of_a_short_stream(void **state)
{
	struct byte_buffer stream = {0};
	struct ear_segments *segments = make(NULL);
	struct ear_segments_statistics statistics;
	struct told whole, left;

	(void)state;
	make_stream(&stream, 32, true, false);
	stream.size = SIZE;
	told_init(&whole);
	told_init(&left);
	record(segments, &whole, &stream, NULL);
	ear_segments_statistics(segments, &statistics);
	assert_int_equal(statistics.evicted_bytes, 0);
	assert_int_equal(statistics.records, 0);
	assert_true(statistics.has_state);
	assert_int_equal(play(segments, &left), SIZE);
	assert_int_equal(left.count, whole.count);
	expect_tail(&whole, &left);
	ear_segments_free(segments, false);
	told_fini(&left);
	told_fini(&whole);
	byte_buffer_free(&stream);
}

/* A hole near the end, behind which a hard SYNC comes: told once, and nothing else is missing. */
static void a_loss_stays_in_its_place(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct byte_buffer stream = {0};
		struct ear_segments *segments = make(NULL);
		struct told whole, left;

		make_stream(&stream, 32, i & 1, true);
		size_t at = (stream.size / AT_ONCE - 12) * AT_ONCE;
		struct hole hole = {at, 2 * AT_ONCE, i & 2};
		told_init(&whole);
		told_init(&left);
		record(segments, &whole, &stream, &hole);
		play(segments, &left);
		expect_tail(&whole, &left);
		assert_above(left.decoder.statistics.gaps, 0);
		assert_int_equal(left.decoder.statistics.gaps, whole.decoder.statistics.gaps);
		assert_int_equal(left.decoder.statistics.missing, whole.decoder.statistics.missing);
		assert_int_equal(
			left.decoder.statistics.host_lost_bytes, hole.told ? hole.size : 0);
		ear_segments_free(segments, false);
		told_fini(&left);
		told_fini(&whole);
		byte_buffer_free(&stream);
	}
}

/* Nobody knows the state behind damage in predict mode: the ring stays bounded, says so, and begins
 * with a state again as soon as there is one.
 */
static void a_segment_may_have_no_state(void **state)
{
	(void)state;
	for (unsigned syncs = 0; syncs < 2; syncs++) {
		struct byte_buffer stream = {0};
		struct ear_segments *segments = make(NULL);
		struct ear_segments_statistics statistics;
		struct hole hole = {10 * AT_ONCE, AT_ONCE, false};
		struct told whole, left;

		make_stream(&stream, 32, true, syncs);
		told_init(&whole);
		told_init(&left);
		record(segments, &whole, &stream, &hole);
		ear_segments_statistics(segments, &statistics);
		assert_above(statistics.evicted_bytes, hole.at + hole.size);
		assert_int_equal(statistics.has_state, syncs);
		assert_int_equal(play(segments, &left), statistics.bytes);
		assert_int_equal(left.decoder.statistics.gaps, !syncs);
		assert_int_equal(left.decoder.statistics.records > 0, syncs);
		ear_segments_free(segments, false);
		told_fini(&left);
		told_fini(&whole);
		byte_buffer_free(&stream);
	}
}

/* Files ------------------------------------------------------------------------------------ */

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/earshot-segments-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

/* Files in the folder; the first and the last number. */
static unsigned files(unsigned *first, unsigned *last)
{
	unsigned count = 0, number;
	struct dirent *entry;
	DIR *open_folder = opendir(folder);

	assert_non_null(open_folder);
	while ((entry = readdir(open_folder))) {
		if (entry->d_name[0] == '.')
			continue;
		assert_int_equal(sscanf(entry->d_name, "ring-%06u.shot", &number), 1);
		*first = count == 0 || number < *first ? number : *first;
		*last = count == 0 || number > *last ? number : *last;
		count++;
	}
	closedir(open_folder);
	return count;
}

static void file_path(char *path, size_t size, unsigned number)
{
	snprintf(path, size, "%s/ring-%06u.shot", folder, number);
}

static int remove_folder(void **state)
{
	unsigned first = 0, last = 0;
	char path[128];

	(void)state;
	if (files(&first, &last) > 0) {
		for (unsigned i = first; i <= last; i++) {
			file_path(path, sizeof(path), i);
			unlink(path);
		}
	}
	return rmdir(folder);
}

static void what_is_in_files_is_the_same(void **state)
{
	char path[128];
	unsigned first, last;

	(void)state;
	snprintf(path, sizeof(path), "%s/ring-", folder);
	check_newest(32, true, path);
	assert_int_equal(files(&first, &last), 0);
	check_newest(64, false, path);
	assert_int_equal(files(&first, &last), 0);
}

/* The records of one file by itself. */
static uint64_t decode_file(const char *path, uint64_t *first_index)
{
	struct ear_decoder_statistics statistics;
	struct ear_shot_reader *reader;
	uint8_t window[4096];
	size_t filled = 0, used, count;
	uint64_t instructions;
	struct told told;
	int item, fd = open(path, O_RDONLY);

	assert_at_least(fd, 0);
	told_init(&told);
	assert_int_equal(ear_shot_reader_new(&reader, fd, NULL, 0), 0);
	while ((item = ear_shot_reader_next(reader, window + filled, sizeof(window) - filled,
			&count)) != EAR_SHOT_END) {
		if (item == EAR_SHOT_STATE) {
			assert_int_equal(
				ear_shot_states_load(reader, &told.decoder, &instructions), 0);
			continue;
		}
		assert_int_equal(item, EAR_SHOT_BYTES);
		filled += count;
		assert_int_equal(ear_decoder_push(&told.decoder, &used, window, filled, false), 0);
		filled -= used;
		memmove(window, window + used, filled);
	}
	assert_int_equal(filled, 0);
	statistics = told.decoder.statistics;
	assert_int_equal(statistics.gaps, 0);
	*first_index = statistics.first_index;
	ear_shot_reader_free(reader);
	close(fd);
	told_fini(&told);
	return statistics.records;
}

/* As if the process had died: each file can be decoded by itself, and together they are the end of
 * the stream.
 */
static void files_stay_and_can_be_read_one_by_one(void **state)
{
	struct byte_buffer stream = {0};
	unsigned first = 0, last = 0;
	struct ear_segments *segments;
	struct told whole;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/ring-", folder);
	segments = make(path);
	make_stream(&stream, 32, true, false);
	told_init(&whole);
	record(segments, &whole, &stream, NULL);
	assert_int_equal(ear_segments_flush(segments), 0);

	unsigned count = files(&first, &last);
	assert_in_range(count, 10, 17);
	assert_above(first, 0);
	assert_int_equal(last - first + 1, count);
	uint64_t next = 0, index;
	for (unsigned i = first; i <= last; i++) {
		file_path(path, sizeof(path), i);
		uint64_t records = decode_file(path, &index);
		assert_true(i == first || records == 0 || index == next);
		next = records ? index + records : next;
	}
	assert_int_equal(next, ENTRIES);

	ear_segments_free(segments, true);
	assert_int_equal(files(&first, &last), count);
	told_fini(&whole);
	byte_buffer_free(&stream);
}

/* Two segments, of which the second was begun and has nothing yet. */
static void record_to_first_turn(
	struct ear_segments *segments, struct told *told, const struct byte_buffer *stream)
{
	struct ear_segments_statistics statistics = {.count = 1};
	size_t filled = 0, used;
	uint8_t window[2 * AT_ONCE + EAR_FRAME_SIZE_MAX];

	for (size_t at = 0; statistics.count < 2; at += AT_ONCE) {
		assert_at_most(at + AT_ONCE, stream->size);
		memcpy(window + filled, stream->bytes + at, AT_ONCE);
		filled += AT_ONCE;
		assert_int_equal(ear_decoder_push(&told->decoder, &used, window, filled, false), 0);
		assert_int_equal(ear_segments_push(segments, window, used), 0);
		filled -= used;
		memmove(window, window + used, filled);
		assert_int_equal(ear_segments_turn(segments, &told->decoder), 0);
		ear_segments_statistics(segments, &statistics);
	}
}

static void a_file_with_nothing_in_it_is_not_kept(void **state)
{
	unsigned first = 0, last = 0;
	struct byte_buffer stream = {0};
	struct ear_segments *segments;
	uint64_t index;
	struct told told;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/ring-", folder);
	segments = make(path);
	make_stream(&stream, 32, true, false);
	told_init(&told);
	record_to_first_turn(segments, &told, &stream);
	assert_int_equal(files(&first, &last), 2);
	ear_segments_free(segments, true);
	assert_int_equal(files(&first, &last), 1);
	assert_int_equal(first, 0);
	file_path(path, sizeof(path), 0);
	assert_int_equal(decode_file(path, &index), told.decoder.statistics.records);
	told_fini(&told);
	byte_buffer_free(&stream);
}

static void a_file_that_is_there_is_not_written_over(void **state)
{
	struct ear_segments *segments;
	char path[128];

	(void)state;
	file_path(path, sizeof(path), 0);
	close(open(path, O_WRONLY | O_CREAT, 0666));
	snprintf(path, sizeof(path), "%s/ring-", folder);
	assert_int_equal(ear_segments_new(&segments, SIZE, path, ""), EAR_E_IO);
	assert_int_equal(errno, EEXIST);
	snprintf(path, sizeof(path), "%s/none/ring-", folder);
	assert_int_equal(ear_segments_new(&segments, SIZE, path, ""), EAR_E_IO);
	assert_int_equal(errno, ENOENT);
}

/* No file can grow beyond a few bytes, as on a full disk: it is reported, and what was written
 * whole can be read.
 */
static void a_full_disk_is_told(void **state)
{
	struct byte_buffer stream = {0};
	struct ear_segments *segments;
	struct rlimit old, few = {200, 200};
	struct told whole, left;
	char path[128];
	size_t at = 0, used;
	int result = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/ring-", folder);
	segments = make(path);
	make_stream(&stream, 32, false, false);
	told_init(&whole);
	told_init(&left);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	few.rlim_max = old.rlim_max;
	while (result == 0 && at + AT_ONCE < stream.size) {
		if (at > stream.size / 2)
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
		ear_decoder_push(&whole.decoder, &used, stream.bytes + at, AT_ONCE, false);
		at += used;
		result = ear_segments_push(segments, stream.bytes + at - used, used);
		if (result == 0)
			result = ear_segments_turn(segments, &whole.decoder);
		while (ear_segments_excess(segments))
			ear_segments_evict(segments);
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(result, EAR_E_IO);
	assert_int_equal(errno, EFBIG);
	assert_in_range(play(segments, &left), SIZE / 2, SIZE + SIZE / 4);
	assert_above(left.decoder.statistics.records, 100);
	ear_segments_free(segments, false);
	told_fini(&left);
	told_fini(&whole);
	byte_buffer_free(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left_is_the_newest_and_can_be_decoded),
		cmocka_unit_test(nothing_is_let_go_of_a_short_stream),
		cmocka_unit_test(a_loss_stays_in_its_place),
		cmocka_unit_test(a_segment_may_have_no_state),
		cmocka_unit_test_setup_teardown(
			what_is_in_files_is_the_same, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			files_stay_and_can_be_read_one_by_one, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_file_with_nothing_in_it_is_not_kept, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_file_that_is_there_is_not_written_over, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_full_disk_is_told, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
