/* Messages: docs/protocol.md, section 4, in its order. RAW32 and RAW64 have more tests in
 * test_protocol_raw.c.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "common/protocol/message.h"
#include "describe.h"

/* One row a message: its bytes, and what they mean in the words of describe.h. */
struct row {
	const char *name, *meaning;
	size_t size;
	uint8_t bytes[64];
};

#define BYTES(...) \
	sizeof((uint8_t[]){__VA_ARGS__}), \
	{ \
		__VA_ARGS__ \
	}

static const struct row rows[] = {
	{"pad", "PAD", BYTES(0x80)},
	{"unit",
		"UNIT protocol 1.2 version 304 xlen 64 nret 2 flen 32 csr_slots 6 features 807 "
		"mode 0 control 5 hart 4660 clock_hz 50000000 buffers 100040",
		BYTES(0x81, 0x1A, 0x01, 0x02, 0x04, 0x03, 0x40, 0x02, 0x20, 0x06, 0x07, 0x08, 0x00,
			0x05, 0x34, 0x12, 0x80, 0xF0, 0xFA, 0x02, 0x40, 0x00, 0x10, 0x00, 0, 0, 0,
			0)},
	{"unit of a later version, with two more bytes",
		"UNIT protocol 1.1 version 1 xlen 32 nret 1 flen 0 csr_slots 0 features 0 mode 0 "
		"control 0 hart 0 clock_hz 0 buffers 0",
		BYTES(0x81, 0x1C, 0x01, 0x01, 0x01, 0x00, 0x20, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAA, 0xBB)},
	{"sync", "SYNC flags 01 order 578437695752307201",
		BYTES(0x82, 0x01, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08)},
	{"lost", "LOST reason 1 count 3 first 256 last 65537",
		BYTES(0x83, 0x01, 0x03, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x01, 0, 0, 0, 0, 0, 0, 0x01,
			0x00, 0x01, 0, 0, 0, 0, 0)},
	{"time", "TIME 72623859790382856",
		BYTES(0x84, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01)},
	{"time delta of one byte", "TIME_DELTA1 +255", BYTES(0x85, 0xFF)},
	{"time delta of two bytes", "TIME_DELTA2 +65280", BYTES(0x86, 0x00, 0xFF)},
	{"time delta of four bytes", "TIME_DELTA4 +4278190081",
		BYTES(0x87, 0x01, 0x00, 0x00, 0xFF)},
	{"event", "EVENT source 3 order 7 value deadbeef",
		BYTES(0x88, 0x03, 0x07, 0, 0, 0, 0, 0, 0, 0, 0xEF, 0xBE, 0xAD, 0xDE)},
	{"reply", "REPLY tag a5 status 2 address 140 value 31524145",
		BYTES(0x89, 0xA5, 0x02, 0x40, 0x01, 0x45, 0x41, 0x52, 0x31)},
	{"raw32", "RAW32 mode 3 ixl 1 insn a021 pc 80000010 next 80000018",
		BYTES(0x8A, 0x70, 0x00, 0x00, 0x21, 0xA0, 0x10, 0x00, 0x00, 0x80, 0x18, 0x00, 0x00,
			0x80)},
	{"raw64", "RAW64 mode 0 ixl 2 insn a021 pc 4000000010 next 4000000018",
		BYTES(0x8B, 0x80, 0x00, 0x00, 0x21, 0xA0, 0x10, 0, 0, 0, 0x40, 0, 0, 0, 0x18, 0, 0,
			0, 0x40, 0, 0, 0)},
	{"stop", "STOP reason 3 retired 10 delivered 7 lost 2 filtered 1",
		BYTES(0x8C, 0x03, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0x07, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0,
			0, 0, 0, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0)},
	{"check", "CHECK pc 80000010 digest deadbeef",
		BYTES(0x8D, 0x10, 0x00, 0x00, 0x80, 0xEF, 0xBE, 0xAD, 0xDE)},
	{"test", "TEST number 0 words 2",
		BYTES(0x8E, 0x02, 0, 0, 0, 0, 0, 0, 0x19, 0x46, 0x0C, 0x51, 0x3E, 0x55, 0x2E,
			0xE0)},
	{"port", "PORT source 128 value deadbeef", BYTES(0x8F, 0x80, 0xEF, 0xBE, 0xAD, 0xDE)},
	{"port, last register of the user page", "PORT source 255 value 7",
		BYTES(0x8F, 0xFF, 0x07, 0, 0, 0)},
};

static void every_row_is_read_as_what_it_means(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_message message;
		char text[DESCRIBE_SIZE];
		uint8_t *copy = exact_copy(rows[i].bytes, rows[i].size);

		assert_int_equal(ear_message_parse(&message, copy, rows[i].size), rows[i].size);
		describe_message(text, &message);
		assert_string_equal(text, rows[i].meaning);
		free(copy);
	}
}

/* The row of a later version is built without the fields that this version does not know. */
static void every_row_is_built_again_byte_for_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_message message;
		uint8_t built[EAR_MESSAGE_SIZE_MAX], expected[64];
		size_t size = rows[i].size;

		memcpy(expected, rows[i].bytes, sizeof(expected));
		if (expected[0] == EAR_MSG_UNIT) {
			size = EAR_MSG_SIZE_UNIT;
			expected[1] = EAR_MSG_SIZE_UNIT - 2;
		}
		ear_message_parse(&message, rows[i].bytes, rows[i].size);
		assert_int_equal(ear_message_build(built, &message), size);
		assert_memory_equal(built, expected, size);
	}
}

static void every_proper_prefix_asks_for_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t part = 0; part < rows[i].size; part++) {
			struct ear_message message;
			uint8_t *copy = exact_copy(rows[i].bytes, part);
			assert_int_equal(ear_message_parse(&message, copy, part), EAR_E_MORE);
			free(copy);
		}
	}
}

static void bytes_after_a_message_are_left_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_message message;
		uint8_t bytes[80];

		memset(bytes, 0xFF, sizeof(bytes));
		memcpy(bytes, rows[i].bytes, rows[i].size);
		assert_int_equal(ear_message_parse(&message, bytes, sizeof(bytes)), rows[i].size);
	}
}

static void every_kind_has_a_row(void **state)
{
	(void)state;
	for (unsigned kind = EAR_MSG_PAD; kind <= EAR_MSG_PORT; kind++) {
		bool found = false;
		for (size_t i = 0; i < COUNT_OF(rows); i++)
			found |= rows[i].bytes[0] == kind;
		if (!found)
			fail_msg("no row for kind 0x%x", kind);
	}
}

static void every_unknown_kind_is_refused_with_one_byte_at_hand(void **state)
{
	struct ear_message message;

	(void)state;
	for (unsigned kind = 0; kind < 256; kind++) {
		uint8_t bytes[64] = {(uint8_t)kind};
		if (kind >= EAR_MSG_PAD && kind <= EAR_MSG_PORT)
			continue;
		assert_int_equal(ear_message_parse(&message, bytes, 1), EAR_E_BAD_MESSAGE);
		assert_int_equal(ear_message_parse(&message, bytes, 64), EAR_E_BAD_MESSAGE);
		assert_null(ear_message_name((uint8_t)kind));
	}
}

static void every_known_kind_has_the_name_of_the_document(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *name = ear_message_name(rows[i].bytes[0]);
		size_t length = strlen(name);
		assert_memory_equal(name, rows[i].meaning, length);
		if (rows[i].meaning[length] != ' ' && rows[i].meaning[length] != '\0')
			fail_msg("%s is not the whole name of %s", name, rows[i].meaning);
	}
}

static void a_unit_that_is_too_short_is_refused_by_its_length_byte(void **state)
{
	struct ear_message message;
	uint8_t bytes[64];

	(void)state;
	memcpy(bytes, rows[1].bytes, sizeof(bytes));
	for (unsigned length = 0; length < EAR_MSG_SIZE_UNIT - 2; length++) {
		bytes[1] = (uint8_t)length;
		assert_int_equal(ear_message_parse(&message, bytes, 2), EAR_E_BAD_MESSAGE);
	}
}

static void a_unit_that_predicts_sends_its_geometry(void **state)
{
	static const uint8_t geometry[EAR_UNIT_GEOMETRY_SIZE] = {15, 13, 0x22, 12, 0x11, 9, 6, 0};
	struct ear_message message, again;
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];

	(void)state;
	ear_message_parse(&message, rows[1].bytes, rows[1].size);
	message.u.unit.mode = EAR_UNIT_MODE_PREDICT;
	memcpy(message.u.unit.geometry, geometry, sizeof(geometry));
	assert_int_equal(ear_message_build(bytes, &message), EAR_MSG_SIZE_UNIT_PREDICT);
	assert_int_equal(ear_message_parse(&again, bytes, EAR_MSG_SIZE_UNIT_PREDICT),
		EAR_MSG_SIZE_UNIT_PREDICT);
	assert_memory_equal(again.u.unit.geometry, geometry, sizeof(geometry));
	assert_int_equal(again.u.unit.mode, EAR_UNIT_MODE_PREDICT);

	/* Without room for the geometry it cannot be such a unit. */
	bytes[1] = EAR_MSG_SIZE_UNIT - 2;
	assert_int_equal(ear_message_parse(&again, bytes, sizeof(bytes)), EAR_E_BAD_MESSAGE);
}

static void a_unit_with_an_impossible_xlen_is_refused(void **state)
{
	struct ear_message message;
	uint8_t bytes[64];

	(void)state;
	memcpy(bytes, rows[1].bytes, sizeof(bytes));
	for (unsigned xlen = 0; xlen < 256; xlen++) {
		bytes[6] = (uint8_t)xlen;
		int expected =
			xlen == 32 || xlen == 64 ? (int)EAR_MSG_SIZE_UNIT : EAR_E_BAD_MESSAGE;
		assert_int_equal(ear_message_parse(&message, bytes, 28), expected);
	}
}

static void the_longest_unit_is_read_whole(void **state)
{
	struct ear_message message;
	uint8_t bytes[257] = {0};

	(void)state;
	memcpy(bytes, rows[1].bytes, 28);
	bytes[1] = 255;
	assert_int_equal(ear_message_parse(&message, bytes, 256), EAR_E_MORE);
	assert_int_equal(ear_message_parse(&message, bytes, 257), 257);
	assert_int_equal(message.u.unit.hart, 4660);
}

/* Every bit that is not as the number of the message says is counted. */
static void changed_bits_of_a_test_are_counted(void **state)
{
	struct ear_message message = {.kind = EAR_MSG_TEST,
		.u.test = {.number = 0xFFFFFFFF, .word_count = EAR_TEST_WORDS}};
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX];

	(void)state;
	assert_int_equal(ear_message_build(bytes, &message), EAR_MSG_SIZE_TEST);
	for (size_t i = EAR_TEST_HEADER; i < sizeof(bytes); i++) {
		bytes[i] ^= 0x81;
		assert_int_equal(ear_message_parse(&message, bytes, sizeof(bytes)), sizeof(bytes));
		assert_int_equal(message.u.test.changed_bits, 2);
		bytes[i] ^= 0x81;
	}
	for (size_t i = EAR_TEST_HEADER; i < sizeof(bytes); i++)
		bytes[i] ^= 0xFF;
	assert_int_equal(ear_message_parse(&message, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(message.u.test.changed_bits, 32 * EAR_TEST_WORDS);
}

static void a_test_with_an_impossible_count_is_refused(void **state)
{
	struct ear_message message;
	uint8_t bytes[EAR_MESSAGE_SIZE_MAX + 4] = {EAR_MSG_TEST};

	(void)state;
	assert_int_equal(ear_message_parse(&message, bytes, 2), EAR_E_BAD_MESSAGE);
	bytes[1] = EAR_TEST_WORDS + 1;
	assert_int_equal(ear_message_parse(&message, bytes, sizeof(bytes)), EAR_E_BAD_MESSAGE);
}

static void a_port_message_of_no_register_is_refused(void **state)
{
	struct ear_message message;
	uint8_t bytes[EAR_MSG_SIZE_PORT] = {EAR_MSG_PORT, EAR_EVENT_REGISTER - 1};

	(void)state;
	assert_int_equal(ear_message_parse(&message, bytes, 1), EAR_E_MORE);
	assert_int_equal(ear_message_parse(&message, bytes, 2), EAR_E_BAD_MESSAGE);
	assert_int_equal(ear_message_parse(&message, bytes, sizeof(bytes)), EAR_E_BAD_MESSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_read_as_what_it_means),
		cmocka_unit_test(every_row_is_built_again_byte_for_byte),
		cmocka_unit_test(every_proper_prefix_asks_for_more),
		cmocka_unit_test(bytes_after_a_message_are_left_alone),
		cmocka_unit_test(every_kind_has_a_row),
		cmocka_unit_test(a_port_message_of_no_register_is_refused),
		cmocka_unit_test(every_unknown_kind_is_refused_with_one_byte_at_hand),
		cmocka_unit_test(every_known_kind_has_the_name_of_the_document),
		cmocka_unit_test(a_unit_that_is_too_short_is_refused_by_its_length_byte),
		cmocka_unit_test(a_unit_that_predicts_sends_its_geometry),
		cmocka_unit_test(a_unit_with_an_impossible_xlen_is_refused),
		cmocka_unit_test(the_longest_unit_is_read_whole),
		cmocka_unit_test(changed_bits_of_a_test_are_counted),
		cmocka_unit_test(a_test_with_an_impossible_count_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
