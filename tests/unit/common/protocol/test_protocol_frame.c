/* Frames: docs/protocol.md, sections 2 and 3. */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "byte_buffer.h"
#include "common/protocol/bytes.h"
#include "common/protocol/frame.h"
#include "random.h"

/* A frame whose payload is one SYNC message and two PADs. */
static size_t make_frame(uint8_t bytes[EAR_FRAME_SIZE_MAX], uint16_t sequence)
{
	static const uint8_t payload[] = {0x82, 0x01, 0x05, 0, 0, 0, 0, 0, 0, 0};

	memcpy(bytes + EAR_FRAME_HEADER_SIZE, payload, sizeof(payload));
	return ear_frame_finish(bytes, sizeof(payload), 3, sequence);
}

/* Give a frame that a test has changed a CRC that is right again. */
static void repair_crc(uint8_t *bytes, size_t size)
{
	ear_store_le32(bytes + size - 4, (uint32_t)crc32(0, bytes, (uInt)(size - 4)));
}

static void a_frame_has_the_bytes_of_the_document(void **state)
{
	static const uint8_t expected[20] = {0xE5, 0xA1, 0x01, 0x03, 0x34, 0x12, 0x0C, 0x00, 0x82,
		0x01, 0x05, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x80};
	uint8_t bytes[EAR_FRAME_SIZE_MAX];

	(void)state;
	assert_int_equal(make_frame(bytes, 0x1234), 24);
	assert_memory_equal(bytes, expected, sizeof(expected));
	assert_int_equal(ear_load_le32(bytes + 20), crc32(0, bytes, 20));
}

static void a_frame_is_read_back_and_its_payload_stays_where_it_is(void **state)
{
	uint8_t bytes[EAR_FRAME_SIZE_MAX];
	size_t size = make_frame(bytes, 65535);
	struct ear_frame frame;

	(void)state;
	assert_int_equal(ear_frame_parse(&frame, bytes, size), size);
	assert_int_equal(frame.stream_id, 3);
	assert_int_equal(frame.sequence, 65535);
	assert_ptr_equal(frame.payload, bytes + EAR_FRAME_HEADER_SIZE);
	assert_int_equal(frame.payload_size, 12);
}

static void every_payload_size_is_filled_up_to_a_multiple_of_four(void **state)
{
	uint8_t bytes[EAR_FRAME_SIZE_MAX];
	struct ear_frame frame;

	(void)state;
	for (size_t size = 1; size <= EAR_FRAME_PAYLOAD_MAX; size++) {
		memset(bytes, 0x11, sizeof(bytes));
		size_t total = ear_frame_finish(bytes, size, 0, 0);
		size_t padded = (size + 3) & ~(size_t)3;
		assert_int_equal(total, 12 + padded);
		assert_int_equal(ear_frame_parse(&frame, bytes, total), total);
		assert_int_equal(frame.payload_size, padded);
		for (size_t i = size; i < padded; i++)
			assert_int_equal(frame.payload[i], EAR_MSG_PAD);
	}
}

static void every_proper_prefix_asks_for_more(void **state)
{
	uint8_t bytes[EAR_FRAME_SIZE_MAX];
	size_t size = make_frame(bytes, 1);
	struct ear_frame frame;

	(void)state;
	for (size_t part = 0; part < size; part++) {
		uint8_t *copy = exact_copy(bytes, part);
		assert_int_equal(ear_frame_parse(&frame, copy, part), EAR_E_MORE);
		free(copy);
	}
	uint8_t *copy = exact_copy(bytes, size);
	assert_int_equal(ear_frame_parse(&frame, copy, size), size);
	free(copy);
}

static void bytes_after_a_frame_are_left_alone(void **state)
{
	uint8_t bytes[2 * EAR_FRAME_SIZE_MAX];
	struct ear_frame frame;
	size_t first = make_frame(bytes, 7);
	size_t second = make_frame(bytes + first, 8);

	(void)state;
	assert_int_equal(ear_frame_parse(&frame, bytes, first + second), first);
	assert_int_equal(frame.sequence, 7);
}

static void a_wrong_magic_is_seen_at_once(void **state)
{
	static const uint8_t first[] = {0xE4}, second[] = {0xE5, 0xA0};
	struct ear_frame frame;

	(void)state;
	assert_int_equal(ear_frame_parse(&frame, first, 1), EAR_E_BAD_FRAME);
	assert_int_equal(ear_frame_parse(&frame, second, 2), EAR_E_BAD_FRAME);
}

static void a_length_out_of_range_is_seen_in_the_header(void **state)
{
	static const uint16_t lengths[] = {0, 1, 2, 3, 5, 6, 7, 498, 501, 504, 512, 65532, 65535};
	uint8_t bytes[EAR_FRAME_SIZE_MAX];
	struct ear_frame frame;

	(void)state;
	make_frame(bytes, 0);
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		ear_store_le16(bytes + 6, lengths[i]);
		assert_int_equal(
			ear_frame_parse(&frame, bytes, EAR_FRAME_HEADER_SIZE), EAR_E_BAD_FRAME);
	}
}

static void every_flipped_bit_is_noticed_and_the_result_is_untouched(void **state)
{
	uint8_t bytes[EAR_FRAME_SIZE_MAX];
	size_t size = make_frame(bytes, 5);
	struct ear_frame frame, before;

	(void)state;
	memset(&frame, 0x5A, sizeof(frame));
	before = frame;
	for (size_t bit = 0; bit < 8 * size; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_below(ear_frame_parse(&frame, bytes, size), 0);
		assert_memory_equal(&frame, &before, sizeof(frame));
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void another_major_version_is_distinct_from_damage(void **state)
{
	uint8_t bytes[EAR_FRAME_SIZE_MAX];
	size_t size = make_frame(bytes, 5);
	struct ear_frame frame;

	(void)state;
	bytes[2] = EAR_PROTOCOL_MAJOR + 1;
	assert_int_equal(ear_frame_parse(&frame, bytes, size), EAR_E_BAD_FRAME);
	repair_crc(bytes, size);
	assert_int_equal(ear_frame_parse(&frame, bytes, size), EAR_E_VERSION);
}

static void find_stops_at_the_first_magic(void **state)
{
	static const struct {
		uint8_t bytes[6];
		size_t size, found;
	} rows[] = {
		{{0}, 0, 0},
		{{0x00}, 1, 1},
		{{0xE5}, 1, 0},
		{{0xE5, 0xA1}, 2, 0},
		{{0xE5, 0xE5, 0xA1}, 3, 1},
		{{0xE5, 0xA0, 0xE5}, 3, 2},
		{{0xA1, 0xE5, 0x00, 0xA1, 0x00}, 5, 5},
		{{0x00, 0x00, 0xE5, 0xA1, 0xE5, 0xA1}, 6, 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t *copy = exact_copy(rows[i].bytes, rows[i].size);
		assert_int_equal(ear_frame_find(copy, rows[i].size), rows[i].found);
		free(copy);
	}
}

static void find_agrees_with_parse_on_random_bytes(void **state)
{
	struct random random = {0xF1};
	uint8_t bytes[64];
	struct ear_frame frame;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		size_t size = random_below(&random, sizeof(bytes));
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t[]){0xE5, 0xA1, 0x00, 0x01}[random_below(&random, 4)];
		size_t found = ear_frame_find(bytes, size);
		assert_at_most(found, size);
		for (size_t i = 0; i < found; i++) {
			size_t part = size - i < 2 ? size - i : 2;
			assert_int_equal(ear_frame_parse(&frame, bytes + i, part), EAR_E_BAD_FRAME);
		}
		if (found < size)
			assert_int_equal(ear_frame_parse(&frame, bytes + found,
						 size - found < 2 ? size - found : 2),
				EAR_E_MORE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_has_the_bytes_of_the_document),
		cmocka_unit_test(a_frame_is_read_back_and_its_payload_stays_where_it_is),
		cmocka_unit_test(every_payload_size_is_filled_up_to_a_multiple_of_four),
		cmocka_unit_test(every_proper_prefix_asks_for_more),
		cmocka_unit_test(bytes_after_a_frame_are_left_alone),
		cmocka_unit_test(a_wrong_magic_is_seen_at_once),
		cmocka_unit_test(a_length_out_of_range_is_seen_in_the_header),
		cmocka_unit_test(every_flipped_bit_is_noticed_and_the_result_is_untouched),
		cmocka_unit_test(another_major_version_is_distinct_from_damage),
		cmocka_unit_test(find_stops_at_the_first_magic),
		cmocka_unit_test(find_agrees_with_parse_on_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
