/* The scanner finds each REPLY and STOP, wherever the stream is cut, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/frame.h"
#include "driver/session/reply_scanner.h"
#include "fake_unit.h"

/* A stream with records, two replies and a STOP. */
static size_t make_stream(struct fake_unit *unit, uint8_t *bytes)
{
	struct ear_control_word word = {EAR_CONTROL_WORD_READ, 0x11, EAR_REG_ID, 0};
	size_t size = 0;

	size += fake_unit_records(unit, bytes + size, 20);
	size += fake_unit_answer(unit, bytes + size, &word);
	size += fake_unit_records(unit, bytes + size, 3);
	word.tag = 0x22;
	size += fake_unit_answer(unit, bytes + size, &word);
	size += fake_unit_records(unit, bytes + size, 1);
	size += fake_unit_stop(unit, bytes + size, EAR_STOP_ENDED);
	size += fake_unit_records(unit, bytes + size, 5);
	return size;
}

/* What was found, as text: each reply as its tag, STOP as S. */
struct found {
	char text[64];
	size_t length;
};

static void note(struct found *found, const struct ear_message *message)
{
	assert_true(found->length < sizeof(found->text) - 4);
	found->length += (size_t)sprintf(found->text + found->length,
		message->kind == EAR_MSG_STOP ? "S " : "%02x ", message->u.reply.tag);
}

static void scan(
	struct ear_reply_scanner *scanner, struct found *found, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		struct ear_message message;
		size_t used;

		if (ear_reply_scanner_next(scanner, &used, &message, bytes, size))
			note(found, &message);
		assert_true(used <= size);
		bytes += used;
		size -= used;
	}
}

/* Scan in pieces of this size, each in a heap block of its own so that ASan sees over-reads. */
static void scan_in_pieces(
	struct found *found, const uint8_t *bytes, size_t size, size_t piece_size)
{
	struct ear_reply_scanner scanner;

	memset(found, 0, sizeof(*found));
	ear_reply_scanner_init(&scanner);
	for (size_t offset = 0; offset < size; offset += piece_size) {
		size_t length = size - offset < piece_size ? size - offset : piece_size;
		uint8_t *piece = malloc(length);

		memcpy(piece, bytes + offset, length);
		scan(&scanner, found, piece, length);
		free(piece);
	}
}

static void every_cut_of_the_stream_finds_the_same(void **state)
{
	uint8_t bytes[8 * FAKE_FRAME_MAX];
	struct fake_unit unit;
	struct found found;

	(void)state;
	fake_unit_init(&unit);
	size_t size = make_stream(&unit, bytes);
	for (size_t piece = 1; piece <= size; piece++) {
		scan_in_pieces(&found, bytes, size, piece);
		assert_string_equal(found.text, "11 22 S ");
	}
}

static void the_end_of_the_frame_is_reported(void **state)
{
	uint8_t bytes[8 * FAKE_FRAME_MAX];
	struct ear_control_word word = {EAR_CONTROL_WORD_READ, 0x11, EAR_REG_ID, 0};
	struct ear_reply_scanner scanner;
	struct ear_message message;
	struct fake_unit unit;
	size_t used;

	(void)state;
	fake_unit_init(&unit);
	size_t size = fake_unit_records(&unit, bytes, 2);
	size += fake_unit_answer(&unit, bytes + size, &word);
	size_t end = size;
	size += fake_unit_records(&unit, bytes + size, 2);
	ear_reply_scanner_init(&scanner);
	assert_int_equal(ear_reply_scanner_next(&scanner, &used, &message, bytes, size), 1);
	assert_int_equal(used, end);
	assert_int_equal(message.u.reply.value, EAR_ID_VALUE);
	assert_int_equal(
		ear_reply_scanner_next(&scanner, &used, &message, bytes + end, size - end), 0);
	assert_int_equal(used, size - end);
}

/* Every byte flipped: the frame that holds it is not believed, all others are. */
static void damage_hides_only_the_frame_it_hits(void **state)
{
	uint8_t bytes[8 * FAKE_FRAME_MAX];
	struct fake_unit unit;
	struct found found;

	(void)state;
	fake_unit_init(&unit);
	size_t size = make_stream(&unit, bytes);
	for (size_t i = 0; i < size; i++) {
		static const char *const allowed[] = {"11 22 S ", "22 S ", "11 S ", "11 22 "};
		bool fits = false;

		bytes[i] ^= 0x55;
		scan_in_pieces(&found, bytes, size, 64);
		bytes[i] ^= 0x55;
		for (unsigned k = 0; k < 4; k++)
			fits |= !strcmp(found.text, allowed[k]);
		if (!fits)
			fail_msg("byte %zu flipped: found %s", i, found.text);
	}
}

/* A header that claims 500 bytes, with whole small frames inside of what it claims. */
static void frames_inside_of_a_false_frame_are_found(void **state)
{
	static const uint8_t header[] = {0xE5, 0xA1, 1, 0, 0, 0, 0xF4, 0x01};
	uint8_t bytes[8 * FAKE_FRAME_MAX];
	struct fake_unit unit;

	(void)state;
	fake_unit_init(&unit);
	memcpy(bytes, header, sizeof(header));
	size_t size = sizeof(header);
	for (uint8_t i = 0; i < 30; i++) {
		struct ear_control_word word = {EAR_CONTROL_WORD_READ, i, EAR_REG_ID, 0};

		size += fake_unit_answer(&unit, bytes + size, &word);
	}
	for (size_t piece = 1; piece < 600; piece++) {
		struct ear_reply_scanner scanner;
		unsigned count = 0;

		ear_reply_scanner_init(&scanner);
		for (size_t offset = 0; offset < size;) {
			size_t length = size - offset < piece ? size - offset : piece, used;
			struct ear_message message;

			if (ear_reply_scanner_next(
				    &scanner, &used, &message, bytes + offset, length))
				assert_int_equal(message.u.reply.tag, count++);
			offset += used;
		}
		assert_int_equal(count, 30);
	}
}

/* A record whose last bytes look like a REPLY at the end of its frame. */
static void the_inside_of_a_record_is_no_reply(void **state)
{
	uint8_t bytes[FAKE_FRAME_MAX];
	struct ear_message record = {.kind = EAR_MSG_RAW32};
	struct ear_retire *entry = &record.u.retire.entry;
	struct found found;

	(void)state;
	entry->xlen = 32;
	entry->insn = 0x13;
	entry->cause = 0x11223344;
	entry->mem_addr = 0x80000000;
	entry->mem_wmask = 0xF;
	/* wdata stands before cause: its last byte 0x89 is 9 bytes from the end at some padding */
	for (unsigned shift = 0; shift < 4; shift++) {
		entry->mem_wdata = 0x89u << 8 * shift;
		entry->mem_rdata = 0x89u << 8 * shift;
		size_t payload = ear_message_build(bytes + EAR_FRAME_HEADER_SIZE, &record);
		size_t size = ear_frame_finish(bytes, payload, 0, 0);

		scan_in_pieces(&found, bytes, size, size);
		assert_string_equal(found.text, "");
	}
}

static void frames_of_another_major_are_counted(void **state)
{
	uint8_t bytes[8 * FAKE_FRAME_MAX];
	struct ear_reply_scanner scanner;
	struct fake_unit unit;
	struct found found = {.length = 0};

	(void)state;
	fake_unit_init(&unit);
	unit.major = 2;
	size_t size = make_stream(&unit, bytes);
	ear_reply_scanner_init(&scanner);
	scan(&scanner, &found, bytes, size);
	assert_string_equal(found.text, "");
	assert_int_equal(scanner.foreign_frames, 7);
	assert_int_equal(scanner.foreign_major, 2);
}

static void after_an_interruption_the_next_frame_is_found(void **state)
{
	uint8_t bytes[8 * FAKE_FRAME_MAX];
	struct ear_reply_scanner scanner;
	struct fake_unit unit;
	struct found found = {.length = 0};

	(void)state;
	fake_unit_init(&unit);
	size_t size = make_stream(&unit, bytes);
	ear_reply_scanner_init(&scanner);
	scan(&scanner, &found, bytes, 100);
	ear_reply_scanner_interrupt(&scanner);
	scan(&scanner, &found, bytes, size);
	assert_string_equal(found.text, "11 22 S ");
}

static void noise_is_searched_without_an_end(void **state)
{
	struct ear_reply_scanner scanner;
	struct found found = {.length = 0};
	uint8_t bytes[1000];
	uint32_t seed = 1;

	(void)state;
	ear_reply_scanner_init(&scanner);
	for (unsigned run = 0; run < 300; run++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			/* half of it is made of magic bytes and small lengths */
			bytes[i] = seed >> 31 ? (uint8_t[]){0xE5, 0xA1, 1, 0}[seed >> 16 & 3]
					      : (uint8_t)(seed >> 16);
		}
		scan(&scanner, &found, bytes, 1 + seed % sizeof(bytes));
	}
	assert_string_equal(found.text, "");
}

/* A frame with messages: bytes, then a STOP. Returns its size. */
static size_t frame_with_stop(uint8_t *frame, uint16_t sequence, const uint8_t *bytes, size_t size)
{
	struct ear_message stop = {
		.kind = EAR_MSG_STOP, .u.stop = {.reason = EAR_STOP_ENDED, .retired = 7}};

	memcpy(frame + EAR_FRAME_HEADER_SIZE, bytes, size);
	size += ear_message_build(frame + EAR_FRAME_HEADER_SIZE + size, &stop);
	return ear_frame_finish(frame, size, 0, sequence);
}

static void record_messages_of_predict_mode_are_read_over(void **state)
{
	/* RDATA1 run 3; a group whose last opcode looks like REPLY; FVALUE of FLEN 64; RUN. */
	static const uint8_t records[] = {0x93, 0x05, 0x50, 0x00, 0x15, 0x45, 0x89, 0x41, 0xE0, 1,
		2, 3, 4, 5, 6, 7, 8, 0x0D, 0x10};
	struct ear_message unit = {.kind = EAR_MSG_UNIT,
		.u.unit = {.protocol_major = 1, .xlen = 32, .flen = 64, .mode = 1}};
	uint8_t begin[EAR_MESSAGE_SIZE_MAX], frame[EAR_FRAME_SIZE_MAX];
	struct ear_reply_scanner scanner;
	struct found found = {0};

	(void)state;
	/* Without a word of the unit such messages cannot be read, and guessing is no way. */
	ear_reply_scanner_init(&scanner);
	scan(&scanner, &found, frame, frame_with_stop(frame, 0, records, sizeof(records)));
	assert_string_equal(found.text, "");

	ear_reply_scanner_shape(&scanner, 32, 64);
	scan(&scanner, &found, frame, frame_with_stop(frame, 1, records, sizeof(records)));
	assert_string_equal(found.text, "S ");

	/* A UNIT that begins a frame tells it as well. */
	size_t size = ear_message_build(begin, &unit);
	memcpy(begin + size, records, sizeof(records));
	ear_reply_scanner_init(&scanner);
	scan(&scanner, &found, frame, frame_with_stop(frame, 0, begin, size + sizeof(records)));
	scan(&scanner, &found, frame, frame_with_stop(frame, 1, records, sizeof(records)));
	assert_string_equal(found.text, "S S S ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut_of_the_stream_finds_the_same),
		cmocka_unit_test(record_messages_of_predict_mode_are_read_over),
		cmocka_unit_test(the_end_of_the_frame_is_reported),
		cmocka_unit_test(damage_hides_only_the_frame_it_hits),
		cmocka_unit_test(frames_inside_of_a_false_frame_are_found),
		cmocka_unit_test(the_inside_of_a_record_is_no_reply),
		cmocka_unit_test(frames_of_another_major_are_counted),
		cmocka_unit_test(after_an_interruption_the_next_frame_is_found),
		cmocka_unit_test(noise_is_searched_without_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
