/* The vectors of tests/vectors, each used many times: whole, in pieces, cut and damaged.
 *
 * A vector is a text file: a comment, then three sections whose names stand alone on a line.
 * bytes: the stream in hexadecimal. packets: every frame, message and run of bytes that is no
 * frame, with its offset. records: Whisper's text of the decoded stream.
 */
#include "check.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_run.h"
#include "decoder/codec/stream.h"
#include "describe.h"

#define VECTORS_MIN 45 /* an empty folder must not pass */

struct vector {
	char name[256];
	struct byte_buffer text; /* of the file; packets and records point into it */
	struct byte_buffer bytes;
	const char *packets, *records;
	struct decode_run whole;
};

static struct vector *vectors;
static size_t vector_count;

/* The section after "\n<name>\n"; the NUL before it ends the section before. */
static char *find_section(struct vector *vector, const char *name)
{
	char line[32];
	snprintf(line, sizeof(line), "\n%s\n", name);
	char *found = strstr((char *)vector->text.bytes, line);

	if (!found)
		fail_msg("%s: no section %s", vector->name, name);
	return found + strlen(line);
}

static void read_hex(struct vector *vector, const char *text, const char *end)
{
	while (text < end) {
		char *after;
		uint8_t byte = (uint8_t)strtoul(text, &after, 16);
		if (after == text)
			break;
		byte_buffer_append(&vector->bytes, &byte, 1);
		text = after;
	}
}

static void load_vector(struct vector *vector, const char *name)
{
	char path[1024];

	snprintf(vector->name, sizeof(vector->name), "%s", name);
	snprintf(path, sizeof(path), EAR_TEST_VECTORS "/%s", name);
	assert_int_equal(byte_buffer_read_file(&vector->text, path), 0);
	byte_buffer_append(&vector->text, "", 1);

	char *hex = find_section(vector, "bytes");
	char *packets = find_section(vector, "packets");
	char *records = find_section(vector, "records");
	*(records - strlen("\nrecords\n")) = '\0';
	read_hex(vector, hex, packets - strlen("packets\n"));
	vector->packets = packets;
	vector->records = records;
	decode_run_whole(&vector->whole, vector->bytes.bytes, vector->bytes.size);
}

static int is_vector(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".vec") == 0;
}

static int load_vectors(void **state)
{
	struct dirent **names;
	int count = scandir(EAR_TEST_VECTORS, &names, is_vector, alphasort);

	(void)state;
	if (count < VECTORS_MIN)
		return -1;
	vector_count = (size_t)count;
	vectors = calloc(vector_count, sizeof(*vectors));
	if (!vectors)
		return -1;
	for (size_t i = 0; i < vector_count; i++) {
		load_vector(&vectors[i], names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return 0;
}

static int free_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		byte_buffer_free(&vectors[i].text);
		byte_buffer_free(&vectors[i].bytes);
	}
	free(vectors);
	return 0;
}

static void every_vector_has_the_packets_that_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		struct byte_buffer lines = {0};

		describe_stream(&lines, vectors[i].bytes.bytes, vectors[i].bytes.size);
		print_message("%s\n", vectors[i].name);
		assert_string_equal((char *)lines.bytes, vectors[i].packets);
		byte_buffer_free(&lines);
	}
}

static void every_vector_has_the_records_that_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		struct byte_buffer text = {0};

		decode_to_text(&text, vectors[i].bytes.bytes, vectors[i].bytes.size);
		print_message("%s\n", vectors[i].name);
		assert_string_equal((char *)text.bytes, vectors[i].records);
		byte_buffer_free(&text);
	}
}

static void check_same(const struct vector *vector, const struct decode_run *run, size_t first)
{
	if (run->digest != vector->whole.digest)
		fail_msg("%s: the records differ when cut at byte %zu", vector->name, first);
	assert_int_equal(run->result, 0);
	assert_int_equal(run->statistics.bytes, vector->whole.statistics.bytes);
	assert_int_equal(run->statistics.frames, vector->whole.statistics.frames);
	assert_int_equal(run->statistics.skipped_bytes, vector->whole.statistics.skipped_bytes);
	assert_int_equal(run->statistics.cut, vector->whole.statistics.cut);
	assert_int_equal(run->statistics.gaps, vector->whole.statistics.gaps);
}

static void the_records_do_not_depend_on_how_the_bytes_are_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		const struct byte_buffer *bytes = &vectors[i].bytes;
		struct decode_run run;

		decode_run_one_by_one(&run, bytes->bytes, bytes->size);
		check_same(&vectors[i], &run, bytes->size);
		decode_run(&run, bytes->bytes, bytes->size, 0, 1);
		check_same(&vectors[i], &run, 1);
		for (size_t first = 0; first <= bytes->size; first++) {
			decode_run(&run, bytes->bytes, bytes->size, first, bytes->size);
			check_same(&vectors[i], &run, first);
		}
		for (size_t step = 2; step < 40; step += 7) {
			decode_run(&run, bytes->bytes, bytes->size, step, step);
			check_same(&vectors[i], &run, step);
		}
	}
}

static void the_account_agrees_with_the_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		const struct decode_run *run = &vectors[i].whole;

		assert_int_equal(run->statistics.bytes, vectors[i].bytes.size);
		assert_int_equal(run->statistics.records, run->instruction_count);
		assert_int_equal(run->statistics.gaps, run->gap_count);
		assert_int_equal(run->statistics.events, run->event_count);
	}
}

static void every_prefix_gives_no_more_than_the_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		const struct vector *vector = &vectors[i];
		uint64_t before = 0;

		for (size_t size = 0; size < vector->bytes.size; size++) {
			struct decode_run run;
			decode_run_whole(&run, vector->bytes.bytes, size);
			assert_int_equal(run.result, 0);
			assert_int_equal(run.statistics.bytes, size);
			assert_at_least(run.instruction_count, before);
			assert_at_most(run.instruction_count, vector->whole.instruction_count);
			before = run.instruction_count;
		}
	}
}

/* Where the frames of a stream are, from the items of the clean stream. */
static size_t frame_begin(const struct vector *vector, size_t offset)
{
	struct ear_stream stream;
	struct ear_stream_item item;
	size_t position = 0;
	int used;

	ear_stream_init(&stream);
	while ((used = ear_stream_next(&stream, &item, vector->bytes.bytes + position,
			vector->bytes.size - position, true)) > 0) {
		if (offset < position + (size_t)used)
			break;
		position += (size_t)used;
	}
	return position;
}

static bool is_clean(const struct decode_run *run)
{
	return run->statistics.skipped_bytes == 0 && run->gap_count == 0 &&
	       run->statistics.bad_messages == 0;
}

/* One bit is wrong. Its frame is gone, all the others are there, and the gap says where. */
static void check_flipped(const struct vector *vector, const uint8_t *bytes, size_t offset)
{
	struct decode_run run;

	decode_run_whole(&run, bytes, vector->bytes.size);
	assert_int_equal(run.result, 0);
	assert_int_equal(run.statistics.bytes, vector->bytes.size);
	if (!is_clean(&vector->whole))
		return;

	assert_int_equal(run.statistics.frames, vector->whole.statistics.frames - 1);
	assert_at_least(run.statistics.skipped_bytes, EAR_FRAME_SIZE_MIN);
	assert_at_most(run.instruction_count, vector->whole.instruction_count);
	if (run.statistics.hart_count == 0)
		return; /* the only frame: there is no hart that could have a gap */
	assert_at_least(run.gap_count, 1);
	if (run.gap_offset != frame_begin(vector, offset))
		fail_msg("%s: byte %zu is wrong, and the gap is reported at %" PRIu64, vector->name,
			offset, run.gap_offset);
}

static void every_flipped_bit_costs_one_frame_and_is_reported_at_its_position(void **state)
{
	unsigned clean = 0;

	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		struct vector *vector = &vectors[i];
		clean += is_clean(&vector->whole);
		for (size_t offset = 0; offset < vector->bytes.size; offset++) {
			for (unsigned bit = 0; bit < 8; bit++) {
				vector->bytes.bytes[offset] ^= (uint8_t)(1u << bit);
				check_flipped(vector, vector->bytes.bytes, offset);
				vector->bytes.bytes[offset] ^= (uint8_t)(1u << bit);
			}
		}
	}
	assert_at_least(clean, 8);
}

static void every_byte_left_out_or_doubled_is_survived(void **state)
{
	(void)state;
	for (size_t i = 0; i < vector_count; i++) {
		const struct byte_buffer *bytes = &vectors[i].bytes;
		for (size_t at = 0; at < bytes->size; at++) {
			struct byte_buffer changed = {0};
			struct decode_run run;

			byte_buffer_append(&changed, bytes->bytes, at);
			byte_buffer_append(&changed, bytes->bytes + at + 1, bytes->size - at - 1);
			decode_run_whole(&run, changed.bytes, changed.size);
			assert_int_equal(run.statistics.bytes, changed.size);
			assert_at_least(
				run.statistics.frames + 1, vectors[i].whole.statistics.frames);

			changed.size = 0;
			byte_buffer_append(&changed, bytes->bytes, at + 1);
			byte_buffer_append(&changed, bytes->bytes + at, bytes->size - at);
			decode_run_whole(&run, changed.bytes, changed.size);
			assert_int_equal(run.statistics.bytes, changed.size);
			assert_at_least(
				run.statistics.frames + 1, vectors[i].whole.statistics.frames);
			byte_buffer_free(&changed);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_vector_has_the_packets_that_it_says),
		cmocka_unit_test(every_vector_has_the_records_that_it_says),
		cmocka_unit_test(the_account_agrees_with_the_records),
		cmocka_unit_test(the_records_do_not_depend_on_how_the_bytes_are_cut),
		cmocka_unit_test(every_prefix_gives_no_more_than_the_whole),
		cmocka_unit_test(every_flipped_bit_costs_one_frame_and_is_reported_at_its_position),
		cmocka_unit_test(every_byte_left_out_or_doubled_is_survived),
	};

	return cmocka_run_group_tests(tests, load_vectors, free_vectors);
}
