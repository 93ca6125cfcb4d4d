/* A test stream with every kind of damage, and what the check must say of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/live/link_check.h"
#include "fake_unit.h"

#define FRAME EAR_FRAME_SIZE_MAX
#define COUNT 40u /* TEST frames of a stream */

/* The answer to "on", COUNT frames, the answer to "off"; plus room for damage. */
struct stream {
	uint8_t bytes[(COUNT + 4) * FRAME];
	size_t size;
	size_t first; /* where the first TEST frame begins */
};

static void make_stream(struct stream *stream, uint32_t number)
{
	struct fake_unit unit;
	struct ear_control_word word = {
		EAR_CONTROL_WORD_WRITE, 1, EAR_REG_TEST, EAR_REG_TEST_ON_MASK};

	fake_unit_init(&unit);
	unit.sequence = 65530; /* wraps in the stream */
	unit.registers[EAR_REG_TEST_NUMBER / 4] = number;
	stream->size = stream->first = fake_unit_answer(&unit, stream->bytes, &word);
	for (unsigned i = 0; i < COUNT; i++)
		stream->size += fake_unit_test(&unit, stream->bytes + stream->size);
	word.value = 0;
	stream->size += fake_unit_answer(&unit, stream->bytes + stream->size, &word);
}

static uint8_t *frame_at(struct stream *stream, unsigned number)
{
	return stream->bytes + stream->first + number * FRAME;
}

static void remove_bytes(struct stream *stream, size_t offset, size_t size)
{
	stream->size -= size;
	memmove(stream->bytes + offset, stream->bytes + offset + size, stream->size - offset);
}

static void insert_bytes(struct stream *stream, size_t offset, const uint8_t *bytes, size_t size)
{
	memmove(stream->bytes + offset + size, stream->bytes + offset, stream->size - offset);
	memcpy(stream->bytes + offset, bytes, size);
	stream->size += size;
}

static struct link_check *check_from(const struct stream *stream, uint32_t number, size_t piece)
{
	struct link_check *check = malloc(sizeof(*check));

	assert_non_null(check);
	link_check_init(check);
	check->number = number;
	for (size_t at = 0; at < stream->size; at += piece)
		link_check_push(check, stream->bytes + at,
			piece < stream->size - at ? piece : stream->size - at);
	link_check_end(check);
	assert_int_equal(check->bytes, stream->size);
	return check;
}

/* The same statistics for every way of cutting the stream. */
static struct link_check *check_stream(const struct stream *stream)
{
	static const size_t pieces[] = {1, 7, 512, 1000};
	struct link_check *whole = check_from(stream, 0, stream->size);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct link_check *again = check_from(stream, 0, pieces[i]);

		assert_memory_equal(again, whole, offsetof(struct link_check, stream));
		free(again);
	}
	return whole;
}

/* frames, damaged, lost, repeated; bits, missing bytes, extra bytes, resyncs. */
static void assert_account(struct link_check *check, const uint64_t expected[8])
{
	const uint64_t seen[8] = {check->frames, check->damaged_frames, check->lost_frames,
		check->repeated_frames, check->wrong_bits, check->lost_bytes, check->extra_bytes,
		check->resyncs};
	bool failed = false;

	for (unsigned i = 0; i < 8; i++) {
		if (seen[i] != expected[i])
			print_message("number %u is %llu, not %llu\n", i,
				(unsigned long long)seen[i], (unsigned long long)expected[i]);
		failed |= seen[i] != expected[i];
	}
	assert_false(failed);
	assert_int_equal(link_check_failed(check), seen[0] != COUNT || seen[3] || seen[7]);
	free(check);
}

#define ASSERT_ACCOUNT(check, ...) assert_account(check, (const uint64_t[8]){__VA_ARGS__})

static void a_good_stream_has_no_errors(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, 0);
	struct link_check *check = check_stream(&stream);
	assert_int_equal(check->other_frames, 2);
	ASSERT_ACCOUNT(check, COUNT, 0, 0, 0, 0, 0, 0, 0);
}

static void numbers_go_on_from_0_after_the_last(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, 0u - 5);
	ASSERT_ACCOUNT(check_from(&stream, 0u - 5, 512), COUNT, 0, 0, 0, 0, 0, 0, 0);
}

/* Wherever they are: in the message, the header or the CRC. */
static void changed_bits_are_counted_one_by_one(void **state)
{
	struct stream stream;

	(void)state;
	for (size_t offset = 0; offset < FRAME; offset++) {
		make_stream(&stream, 0);
		frame_at(&stream, 3)[offset] ^= 0x10;
		frame_at(&stream, 4)[FRAME - 1 - offset] ^= 0x03;
		frame_at(&stream, 9)[offset] ^= 0xFF;
		ASSERT_ACCOUNT(
			check_from(&stream, 0, stream.size), COUNT - 3, 3, 0, 0, 11, 0, 0, 2);
	}
}

static void the_first_and_the_last_frame_are_checked_like_others(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, 0);
	frame_at(&stream, 0)[100] ^= 1;
	frame_at(&stream, COUNT - 1)[100] ^= 1;
	ASSERT_ACCOUNT(check_stream(&stream), COUNT - 2, 2, 0, 0, 2, 0, 0, 2);

	make_stream(&stream, 0);
	remove_bytes(&stream, stream.first + (COUNT - 1) * FRAME, FRAME);
	remove_bytes(&stream, stream.first, FRAME);
	struct link_check *check = check_stream(&stream);
	assert_true(link_check_failed(check));
	ASSERT_ACCOUNT(check, COUNT - 2, 0, 2, 0, 0, 1024, 0, 0);
}

/* What is reported of the bits of the unit's memory, in front of its CRC. */
static void a_frame_with_a_right_crc_and_wrong_words_is_seen(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, 0);
	uint8_t *frame = frame_at(&stream, 5);
	frame[200] ^= 0x18;
	ear_frame_finish(
		frame, EAR_FRAME_PAYLOAD_MAX, frame[3], (uint16_t)(frame[4] | frame[5] << 8));
	struct link_check *check = check_stream(&stream);
	assert_true(link_check_failed(check));
	assert_int_equal(check->wrong_bits, 2);
	assert_int_equal(check->frames, COUNT);
	free(check);
}

static void lost_frames_are_known_by_their_number(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, 0);
	remove_bytes(&stream, stream.first + 7 * FRAME, 3 * FRAME);
	ASSERT_ACCOUNT(check_stream(&stream), COUNT - 3, 0, 3, 0, 0, 3 * FRAME, 0, 0);
}

static void lost_bytes_damage_their_frames(void **state)
{
	struct stream stream;

	(void)state;
	for (size_t size = 1; size < FRAME; size += 17) {
		make_stream(&stream, 0);
		remove_bytes(
			&stream, stream.first + 7 * FRAME + 300, size); /* two frames from 213 on */
		uint64_t hit = size <= 212 ? 1 : 2;
		ASSERT_ACCOUNT(check_stream(&stream), COUNT - hit, hit, 0, 0, 0, size, 0, 1);
	}
}

static void bytes_that_nobody_sent_are_counted(void **state)
{
	static const uint8_t noise[30] = {0xE5, 0xA1, 0x01, 0x00, 0xE5};
	struct stream stream;

	(void)state;
	make_stream(&stream, 0);
	insert_bytes(&stream, stream.first + 7 * FRAME, noise, sizeof(noise));
	insert_bytes(&stream, stream.first + 20 * FRAME + 10, noise, sizeof(noise));
	/* The second place is in frame 19, shifted by the first. */
	ASSERT_ACCOUNT(check_stream(&stream), COUNT - 1, 1, 0, 0, 0, 0, 60, 2);
}

static void a_frame_that_comes_twice_is_counted(void **state)
{
	struct stream stream;
	uint8_t frame[FRAME];

	(void)state;
	make_stream(&stream, 0);
	memcpy(frame, frame_at(&stream, 6), FRAME);
	insert_bytes(&stream, stream.first + 7 * FRAME, frame, FRAME);
	ASSERT_ACCOUNT(check_stream(&stream), COUNT, 0, 0, 1, 0, 0, 0, 0);
}

/* The host had no room: what is missing is its own, and no bit is compared. */
static void what_the_host_lost_is_told_apart(void **state)
{
	struct stream stream;
	struct link_check *check = malloc(sizeof(*check));

	(void)state;
	assert_non_null(check);
	make_stream(&stream, 0);
	link_check_init(check);
	link_check_push(check, stream.bytes, stream.first + 5 * FRAME + 100);
	link_check_loss(check, 2 * FRAME);
	link_check_push(check, stream.bytes + stream.first + 7 * FRAME + 100,
		stream.size - stream.first - 7 * FRAME - 100);
	link_check_end(check);
	assert_int_equal(check->host_lost_bytes, 2 * FRAME);
	ASSERT_ACCOUNT(check, COUNT - 3, 0, 3, 0, 0, 0, 0, 1);
}

static void more_damage_than_is_looked_at_is_still_counted(void **state)
{
	struct link_check *check = malloc(sizeof(*check));
	struct fake_unit unit;
	uint8_t frame[FRAME];

	(void)state;
	assert_non_null(check);
	fake_unit_init(&unit);
	link_check_init(check);
	for (unsigned i = 0; i < 1002; i++) {
		size_t size = fake_unit_test(&unit, frame);

		frame[50] ^= i > 0 && i < 1001;
		link_check_push(check, frame, size);
	}
	link_check_end(check);
	assert_int_equal(check->frames, 2);
	assert_int_equal(check->damaged_frames, 1000);
	assert_int_equal(check->wrong_bits, LINK_CHECK_REGION / FRAME);
	assert_int_equal(check->lost_bytes + check->extra_bytes, 0);
	free(check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_stream_has_no_errors),
		cmocka_unit_test(numbers_go_on_from_0_after_the_last),
		cmocka_unit_test(changed_bits_are_counted_one_by_one),
		cmocka_unit_test(the_first_and_the_last_frame_are_checked_like_others),
		cmocka_unit_test(a_frame_with_a_right_crc_and_wrong_words_is_seen),
		cmocka_unit_test(lost_frames_are_known_by_their_number),
		cmocka_unit_test(lost_bytes_damage_their_frames),
		cmocka_unit_test(bytes_that_nobody_sent_are_counted),
		cmocka_unit_test(a_frame_that_comes_twice_is_counted),
		cmocka_unit_test(what_the_host_lost_is_told_apart),
		cmocka_unit_test(more_damage_than_is_looked_at_is_still_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
