/* Capture files that are cut off, damaged or made to hurt: docs/file-format.md. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "common/protocol/bytes.h"
#include "library/shot/shot.h"
#include "library/shot/shot_format.h"
#include "random.h"
#include "shot_files.h"

#define STREAM_SIZE 1500u
#define PART        300u

static uint8_t stream[STREAM_SIZE];
static struct byte_buffer file;       /* STREAM_SIZE bytes in five zstd frames, complete */
static struct byte_buffer repairable; /* the same with parities */

static int make_file(void **state)
{
	struct random random = {0x5407};

	/* Half noise, half repetition: zstd blocks of both kinds. */
	(void)state;
	for (size_t i = 0; i < STREAM_SIZE; i++)
		stream[i] = i % PART < 100 ? (uint8_t)random_next(&random) : (uint8_t)(i / 7);
	shot_write(&file, stream, STREAM_SIZE, PART, 1);
	byte_buffer_append(&repairable, file.bytes, file.size);
	shot_spoil_parities(&file);
	return 0;
}

static int free_file(void **state)
{
	(void)state;
	byte_buffer_free(&file);
	byte_buffer_free(&repairable);
	return 0;
}

static void put_le32(struct byte_buffer *bytes, uint32_t value)
{
	uint8_t word[4];

	ear_store_le32(word, value);
	byte_buffer_append(bytes, word, 4);
}

/* How many bytes of the stream are in whole zstd frames of the first size bytes. */
static size_t whole_frames(size_t size)
{
	size_t offset = 0, plain = 0;

	while (offset < size) {
		size_t frame =
			ZSTD_findFrameCompressedSize(file.bytes + offset, file.size - offset);
		if (offset + frame > size)
			break;
		if (ear_load_le32(file.bytes + offset) == EAR_SHOT_ZSTD_MAGIC)
			plain += PART;
		offset += frame;
	}
	return plain;
}

static bool is_frame_boundary(size_t size)
{
	size_t offset = 0;

	while (offset < size)
		offset += ZSTD_findFrameCompressedSize(file.bytes + offset, file.size - offset);
	return offset == size;
}

static void every_prefix_is_read_up_to_its_last_whole_block(void **state)
{
	(void)state;
	for (size_t size = 4; size < file.size; size++) {
		struct shot_contents contents;

		shot_read(&contents, file.bytes, size, 1000);
		assert_int_equal(contents.result, EAR_SHOT_END);
		assert_at_least(contents.stream.size, whole_frames(size));
		assert_at_most(contents.stream.size, STREAM_SIZE);
		if (contents.stream.size)
			assert_memory_equal(contents.stream.bytes, stream, contents.stream.size);
		assert_false(contents.complete);
		assert_int_equal(contents.loss_count, 0);
		if (is_frame_boundary(size))
			assert_string_equal(contents.fault, "");
		else
			assert_non_null(strstr(contents.fault, "cut off at byte "));
		shot_contents_free(&contents);
	}
}

/* A small capture has one zstd frame, and would be one block. Bytes of it that cannot be mended
 * leave what is before them, too.
 */
static void of_a_small_capture_what_is_before_damage_is_left(void **state)
{
	static uint8_t bytes[16384];
	struct random random = {0x5407};
	struct byte_buffer small = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(random_next(&random) & 0x3F);
	shot_write(&small, bytes, sizeof(bytes), sizeof(bytes), 1);
	for (unsigned cut = 0; cut < 2; cut++) {
		for (size_t tenth = 3; tenth <= 9; tenth++) {
			struct shot_contents contents;
			size_t at = small.size * tenth / 10;
			uint8_t *copy = exact_copy(small.bytes, small.size);

			memset(copy + at, 0xA5, small.size / 10);
			shot_read(&contents, copy, cut ? at : small.size,
				tenth % 2 ? 1000 : sizeof(bytes));
			assert_at_least(contents.stream.size, sizeof(bytes) * (tenth - 2) / 10);
			assert_memory_equal(
				contents.stream.bytes, bytes, sizeof(bytes) * (tenth - 2) / 10);
			assert_string_not_equal(contents.fault, "");
			shot_contents_free(&contents);
			free(copy);
		}
	}
	byte_buffer_free(&small);
}

static bool same_stream(const struct shot_contents *contents)
{
	return contents->stream.size == STREAM_SIZE &&
	       memcmp(contents->stream.bytes, stream, STREAM_SIZE) == 0;
}

static void every_flipped_bit_is_survived_and_told_if_it_matters(void **state)
{
	unsigned faults = 0;

	(void)state;
	for (size_t bit = 0; bit < 8 * file.size; bit++) {
		struct shot_contents contents;

		file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		shot_read(&contents, file.bytes, file.size, 1000);
		file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(contents.result, EAR_SHOT_END);
		assert_true(contents.is_shot);
		if (contents.stream.size < STREAM_SIZE - PART)
			fail_msg("bit %zu costs %zu bytes, more than a zstd frame", bit,
				STREAM_SIZE - contents.stream.size);
		if (!same_stream(&contents)) {
			if (contents.fault[0] == '\0')
				fail_msg("bit %zu is wrong, and so are the bytes", bit);
			assert_false(contents.complete);
			faults++;
		}
		shot_contents_free(&contents);
	}
	assert_above(faults, 1000);
}

static bool is_in_zstd_frame(size_t byte)
{
	size_t offset = 0, size = 0;

	while (offset + size <= byte) {
		offset += size;
		size = ZSTD_findFrameCompressedSize(
			repairable.bytes + offset, repairable.size - offset);
	}
	return ear_load_le32(repairable.bytes + offset) == EAR_SHOT_ZSTD_MAGIC;
}

/* Read with the bytes from .. from + size - 1 changed, each by one of the pattern. */
static void read_changed(
	struct shot_contents *contents, size_t from, size_t size, const uint8_t *pattern)
{
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < size; i++)
			repairable.bytes[from + i] ^= pattern[i];
		if (round == 0)
			shot_read(contents, repairable.bytes, repairable.size, 1000);
	}
}

static void every_flipped_bit_is_made_good_by_the_parity(void **state)
{
	unsigned mended = 0;

	(void)state;
	for (size_t bit = 0; bit < 8 * repairable.size; bit++) {
		const uint8_t pattern = (uint8_t)(1u << bit % 8);
		struct shot_contents contents;
		char text[64];

		read_changed(&contents, bit / 8, 1, &pattern);
		if (!same_stream(&contents))
			fail_msg("bit %zu costs something", bit);
		if (is_in_zstd_frame(bit / 8)) {
			snprintf(text, sizeof(text), "byte %zu is damaged: ", bit / 8);
			assert_memory_equal(contents.mended, text, strlen(text));
			assert_string_equal(contents.fault, "");
			assert_true(contents.complete);
			mended++;
		} else {
			assert_string_equal(contents.mended, "");
		}
		shot_contents_free(&contents);
	}
	assert_above(mended, 1000);
}

/* A parity has 64 bytes here. Where more than half of them are damaged at a stretch it may not
 * suffice: then nothing is changed. */
static void damage_to_half_a_parity_is_made_good_and_more_is_told(void **state)
{
	struct random random = {0xBAD};
	const size_t facts = ZSTD_findFrameCompressedSize(repairable.bytes, repairable.size);
	unsigned inside = 0, lost = 0;

	(void)state;
	for (unsigned trial = 0; trial < 3000; trial++) {
		uint8_t pattern[200];
		size_t size = 1 + random_below(&random, trial % 2 ? 32 : sizeof(pattern));
		size_t from = facts + random_below(&random, repairable.size - facts - size);
		struct shot_contents contents;

		for (size_t i = 0; i < size; i++)
			pattern[i] = (uint8_t)random_next(&random);
		pattern[0] |= 1;
		read_changed(&contents, from, size, pattern);
		bool in_one = size <= 32;
		for (size_t i = 0; i < size; i++)
			in_one = in_one && is_in_zstd_frame(from + i);
		if (in_one && !same_stream(&contents))
			fail_msg("%zu bytes at %zu", size, from);
		if (!same_stream(&contents))
			assert_string_not_equal(contents.fault, "");
		inside += in_one;
		lost += !same_stream(&contents);
		shot_contents_free(&contents);
	}
	assert_above(inside, 300);
	assert_above(lost, 300);
}

/* It says nothing about the frame after it, and makes nothing wrong. */
static void a_parity_that_does_not_fit_does_no_harm(void **state)
{
	struct random random = {0x9A17};

	(void)state;
	for (unsigned trial = 0; trial < 500; trial++) {
		static const uint32_t sizes[] = {
			0, 1, 7, 64, 100, 1000, 1u << 22, (1u << 22) + 1, UINT32_MAX};
		struct byte_buffer bytes = {0};
		struct shot_contents contents;
		uint32_t width = (uint32_t)random_below(&random, 200);

		put_le32(&bytes, EAR_SHOT_MAGIC);
		put_le32(&bytes, 4 + EAR_SHOT_REPAIR_HEADER + width);
		byte_buffer_append(&bytes, EAR_SHOT_TAG_REPAIR, EAR_SHOT_TAG_SIZE);
		put_le32(&bytes, sizes[random_below(&random, COUNT_OF(sizes))]);
		put_le32(&bytes, trial % 4 ? width : sizes[random_below(&random, COUNT_OF(sizes))]);
		put_le32(&bytes, (uint32_t)random_next(&random));
		for (uint32_t i = 0; i < width; i++)
			byte_buffer_append(&bytes, &(uint8_t){(uint8_t)random_next(&random)}, 1);
		byte_buffer_append(&bytes, repairable.bytes, repairable.size);
		shot_read(&contents, bytes.bytes, bytes.size, 1000);
		assert_true(same_stream(&contents));
		assert_string_equal(contents.mended, "");
		shot_contents_free(&contents);
		byte_buffer_free(&bytes);
	}
}

/* Or a small file could ask for the work of a large one, again and again. */
static void a_parity_inside_of_what_another_one_is_for_is_not_used(void **state)
{
	const size_t facts = ZSTD_findFrameCompressedSize(repairable.bytes, repairable.size);
	const size_t parity =
		ZSTD_findFrameCompressedSize(repairable.bytes + facts, repairable.size - facts);
	static const uint32_t claims[] = {1, 1000};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(claims); i++) {
		struct byte_buffer bytes = {0};
		struct shot_contents contents;

		byte_buffer_append(&bytes, repairable.bytes, facts);
		put_le32(&bytes, EAR_SHOT_MAGIC);
		put_le32(&bytes, 4 + EAR_SHOT_REPAIR_HEADER + 8);
		byte_buffer_append(&bytes, EAR_SHOT_TAG_REPAIR, EAR_SHOT_TAG_SIZE);
		put_le32(&bytes, claims[i]);
		put_le32(&bytes, 8);
		put_le32(&bytes, 0);
		byte_buffer_append(&bytes, "--------", 8);
		const size_t frame = bytes.size + parity;
		byte_buffer_append(&bytes, repairable.bytes + facts, repairable.size - facts);
		bytes.bytes[frame + 20] ^= 0x40;
		shot_read(&contents, bytes.bytes, bytes.size, 1000);
		if (claims[i] == 1) {
			assert_true(same_stream(&contents));
			assert_string_not_equal(contents.mended, "");
		} else {
			assert_string_equal(contents.mended, "");
			assert_string_not_equal(contents.fault, "");
		}
		shot_contents_free(&contents);
		byte_buffer_free(&bytes);
	}
}

static void frames_behind_a_damaged_one_are_read(void **state)
{
	struct shot_contents contents;
	size_t first = ZSTD_findFrameCompressedSize(file.bytes, file.size); /* facts */

	(void)state;
	first += ZSTD_findFrameCompressedSize(file.bytes + first, file.size - first);
	file.bytes[first + 20] ^= 0x40;
	shot_read(&contents, file.bytes, file.size, 1000);
	file.bytes[first + 20] ^= 0x40;
	assert_at_least(contents.loss_count, 1);
	assert_int_equal(contents.loss_bytes, 0); /* unknown */
	assert_non_null(strstr(contents.fault, "damaged"));
	assert_at_least(contents.stream.size, STREAM_SIZE - PART);
	size_t tail = STREAM_SIZE - PART;
	assert_memory_equal(contents.stream.bytes + contents.stream.size - tail,
		stream + STREAM_SIZE - tail, tail);
	shot_contents_free(&contents);
}

static void bytes_between_frames_are_passed_over_and_told(void **state)
{
	struct byte_buffer changed = {0};
	struct shot_contents contents;
	size_t first = ZSTD_findFrameCompressedSize(file.bytes, file.size);

	(void)state;
	byte_buffer_append(&changed, file.bytes, first);
	byte_buffer_append(&changed, "something else", 14);
	byte_buffer_append(&changed, file.bytes + first, file.size - first);
	shot_read(&contents, changed.bytes, changed.size, 1000);
	assert_true(same_stream(&contents));
	assert_int_equal(contents.loss_count, 1);
	assert_int_equal(contents.loss_at, 0);
	assert_non_null(strstr(contents.fault, "no zstd frame begins at byte "));
	assert_false(contents.complete);
	shot_contents_free(&contents);
	byte_buffer_free(&changed);
}

static void two_files_in_one_are_read_one_after_the_other(void **state)
{
	struct byte_buffer both = {0};
	struct shot_contents contents;

	(void)state;
	byte_buffer_append(&both, file.bytes, file.size);
	byte_buffer_append(&both, file.bytes, file.size);
	shot_read(&contents, both.bytes, both.size, 1000);
	assert_int_equal(contents.stream.size, 2 * STREAM_SIZE);
	assert_memory_equal(contents.stream.bytes + STREAM_SIZE, stream, STREAM_SIZE);
	assert_string_equal(contents.fault, "");
	shot_contents_free(&contents);
	byte_buffer_free(&both);
}

static void unknown_tags_and_skippable_frames_are_passed_over(void **state)
{
	struct byte_buffer bytes = {0};
	struct shot_contents contents;

	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		put_le32(&bytes, EAR_SHOT_SKIPPABLE_FIRST + i);
		put_le32(&bytes, i);
		byte_buffer_append(&bytes, "XXXXEFCTELOS1234", i);
	}
	byte_buffer_append(&bytes, file.bytes, file.size);
	shot_read(&contents, bytes.bytes, bytes.size, 1000);
	assert_true(same_stream(&contents));
	assert_string_equal(contents.fault, "");
	assert_string_equal(contents.device, "test");
	shot_contents_free(&contents);
	byte_buffer_free(&bytes);
}

static void a_loss_note_of_the_wrong_size_is_passed_over(void **state)
{
	struct byte_buffer bytes = {0};
	struct shot_contents contents;

	(void)state;
	for (uint32_t size = 0; size < 20; size++) {
		put_le32(&bytes, EAR_SHOT_MAGIC);
		put_le32(&bytes, 4 + size);
		byte_buffer_append(
			&bytes, "ELOS\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF            ", 4 + size);
	}
	shot_read(&contents, bytes.bytes, bytes.size, 1000);
	assert_int_equal(contents.loss_count, 1);
	assert_same(contents.loss_bytes, UINT64_MAX);
	shot_contents_free(&contents);
	byte_buffer_free(&bytes);
}

static long peak_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void a_skippable_frame_of_4_gib_takes_no_memory_and_only_a_foreign_one_is_believed(
	void **state)
{
	static const uint32_t magics[] = {0x184D2A50, EAR_SHOT_MAGIC, EAR_SHOT_SEEK_MAGIC};
	long before = peak_kib();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(magics); i++) {
		struct byte_buffer bytes = {0};
		struct shot_contents contents;

		put_le32(&bytes, magics[i]);
		put_le32(&bytes, UINT32_MAX);
		byte_buffer_append(&bytes, "EFCT", 4);
		byte_buffer_append(&bytes, file.bytes, file.size);
		shot_read(&contents, bytes.bytes, bytes.size, 1000);
		bool ours = magics[i] == EAR_SHOT_MAGIC;
		assert_int_equal(contents.stream.size, ours ? STREAM_SIZE : 0);
		assert_non_null(
			strstr(contents.fault, ours ? "the skippable frame at byte 0 is damaged"
						    : "inside a skippable frame"));
		assert_false(contents.complete);
		shot_contents_free(&contents);
		byte_buffer_free(&bytes);
	}
	assert_below(peak_kib() - before, 16 * 1024);
}

static void facts_larger_than_allowed_are_not_kept(void **state)
{
	struct byte_buffer bytes = {0};
	struct shot_contents contents;

	(void)state;
	put_le32(&bytes, EAR_SHOT_MAGIC);
	put_le32(&bytes, 4 + EAR_SHOT_FACTS_MAX + 1);
	byte_buffer_append(&bytes, "EFCTdevice: large\n", 18);
	while (bytes.size < 8 + 4 + EAR_SHOT_FACTS_MAX + 1)
		byte_buffer_append(&bytes, "\n", 1);
	shot_read(&contents, bytes.bytes, bytes.size, 1000);
	assert_string_equal(contents.device, "");
	assert_string_equal(contents.fault, "");
	shot_contents_free(&contents);
	byte_buffer_free(&bytes);
}

static void facts_that_are_no_text_do_no_harm(void **state)
{
	struct random random = {0xFAC7};

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct byte_buffer bytes = {0};
		struct shot_contents contents;
		uint32_t size = (uint32_t)random_below(&random, 300);

		put_le32(&bytes, EAR_SHOT_MAGIC);
		put_le32(&bytes, 4 + size);
		byte_buffer_append(&bytes, "EFCT", 4);
		for (uint32_t i = 0; i < size; i++)
			byte_buffer_append(
				&bytes, &"device: \n\0\xFF\r"[random_below(&random, 12)], 1);
		shot_read(&contents, bytes.bytes, bytes.size, 1000);
		assert_int_equal(contents.result, EAR_SHOT_END);
		shot_contents_free(&contents);
		byte_buffer_free(&bytes);
	}
}

/* RFC 8878, section 3.1.1.1: no single segment, window descriptor 31 << 3 is 2 TiB. */
static void a_frame_that_wants_a_huge_window_is_refused(void **state)
{
	static const uint8_t exponents[] = {16, 20, 31}; /* 64 MiB, 1 GiB, 2 TiB */
	long before = peak_kib();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(exponents); i++) {
		struct byte_buffer bytes = {0};
		struct shot_contents contents;
		uint8_t head[] = {0, (uint8_t)(exponents[i] << 3), 0x23, 0, 0, 'x', 'x', 'x', 'x'};

		put_le32(&bytes, EAR_SHOT_ZSTD_MAGIC);
		byte_buffer_append(&bytes, head, sizeof(head));
		byte_buffer_append(&bytes, file.bytes, file.size);
		shot_read(&contents, bytes.bytes, bytes.size, 1000);
		assert_at_least(contents.loss_count, 1);
		assert_non_null(strstr(contents.fault, "the zstd frame at byte 0 is damaged"));
		assert_true(same_stream(&contents));
		shot_contents_free(&contents);
		byte_buffer_free(&bytes);
	}
	assert_below(peak_kib() - before, 48 * 1024);
}

/* 64 MiB of zeros in some 2000 bytes: the caller's buffer bounds what is held at once. */
static void a_frame_that_unpacks_to_much_takes_no_more_memory(void **state)
{
	enum { SIZE = 64 << 20 };
	void *zeros = calloc(1, SIZE);
	uint8_t packed[65536], buffer[4096];
	struct ear_shot_reader *reader;
	size_t count, total = 0;
	int item, ends[2];

	(void)state;
	size_t size = ZSTD_compress(packed, sizeof(packed), zeros, SIZE, 1);
	free(zeros);
	assert_below(size, 16384);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], packed, size), size);
	close(ends[1]);
	long before = peak_kib();
	assert_int_equal(ear_shot_reader_new(&reader, ends[0], NULL, 0), 0);
	while ((item = ear_shot_reader_next(reader, buffer, sizeof(buffer), &count)) ==
		EAR_SHOT_BYTES)
		total += count;
	assert_int_equal(item, EAR_SHOT_END);
	assert_int_equal(total, SIZE);
	ear_shot_reader_free(reader);
	close(ends[0]);
	assert_below(peak_kib() - before, 48 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix_is_read_up_to_its_last_whole_block),
		cmocka_unit_test(of_a_small_capture_what_is_before_damage_is_left),
		cmocka_unit_test(every_flipped_bit_is_survived_and_told_if_it_matters),
		cmocka_unit_test(every_flipped_bit_is_made_good_by_the_parity),
		cmocka_unit_test(damage_to_half_a_parity_is_made_good_and_more_is_told),
		cmocka_unit_test(a_parity_that_does_not_fit_does_no_harm),
		cmocka_unit_test(a_parity_inside_of_what_another_one_is_for_is_not_used),
		cmocka_unit_test(frames_behind_a_damaged_one_are_read),
		cmocka_unit_test(bytes_between_frames_are_passed_over_and_told),
		cmocka_unit_test(two_files_in_one_are_read_one_after_the_other),
		cmocka_unit_test(unknown_tags_and_skippable_frames_are_passed_over),
		cmocka_unit_test(a_loss_note_of_the_wrong_size_is_passed_over),
		cmocka_unit_test(
			a_skippable_frame_of_4_gib_takes_no_memory_and_only_a_foreign_one_is_believed),
		cmocka_unit_test(facts_larger_than_allowed_are_not_kept),
		cmocka_unit_test(facts_that_are_no_text_do_no_harm),
		cmocka_unit_test(a_frame_that_wants_a_huge_window_is_refused),
		cmocka_unit_test(a_frame_that_unpacks_to_much_takes_no_more_memory),
	};

	return cmocka_run_group_tests(tests, make_file, free_file);
}
