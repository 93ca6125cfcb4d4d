/* Packets of GDB's remote protocol. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/gdb/wire/packet.h"
#include "random.h"

/* The packets and other events of a text, as one string: "[data]", "+", "-", "!" for a bad one. */
static void parse(const char *bytes, size_t size, bool checked, char *found)
{
	struct ear_gdb_parser *parser = calloc(1, sizeof(*parser));

	assert_non_null(parser);
	*found = '\0';
	for (size_t i = 0; i < size; i++)
		switch (ear_gdb_parse(parser, (uint8_t)bytes[i], checked)) {
		case EAR_GDB_NOTHING: break;
		case EAR_GDB_PACKET:
			assert_int_equal(parser->data[parser->size], '\0');
			strcat(strcat(strcat(found, "["), parser->data), "]");
			break;
		case EAR_GDB_BAD: strcat(found, "!"); break;
		case EAR_GDB_ACK: strcat(found, "+"); break;
		case EAR_GDB_NAK: strcat(found, "-"); break;
		case EAR_GDB_INTERRUPT: strcat(found, "^C"); break;
		}
	free(parser);
}

static void packets_are_taken_out_of_the_bytes(void **state)
{
	static const struct {
		const char *bytes, *found;
		bool checked;
	} rows[] = {
		{"$g#67", "[g]", true},
		{"$#00", "[]", true},
		{"+$qC#b4-", "+[qC]-", true},
		{"$g#68", "!", true},
		{"$g#68", "[g]", false},
		{"$g#zz", "!", true},
		{"\x03$g#67", "^C[g]", true},
		{"$a}]b#9d", "[a}b]", true}, /* an escaped '}' */
		{"$a}\x03"
		 "b#43",
			"[a#b]", true},
		{"noise$g#67noise", "[g]", true},
		{"$gg$g#67", "![g]", true},
		{"$g#6$g#67", "![g]", true},
		{"$X0,1:\x03#96", "[X0,1:\x03]", false},
	};
	char found[256];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		parse(rows[i].bytes, strlen(rows[i].bytes), rows[i].checked, found);
		assert_string_equal(found, rows[i].found);
	}
}

static void no_proper_prefix_is_a_packet(void **state)
{
	static const char bytes[] = "$m80000000,4#55";
	char found[64];

	(void)state;
	for (size_t size = 0; size < sizeof(bytes) - 1; size++) {
		parse(bytes, size, true, found);
		assert_string_equal(found, "");
	}
	parse(bytes, sizeof(bytes) - 1, true, found);
	assert_string_equal(found, "[m80000000,4]");
}

static void a_packet_that_is_too_long_is_bad(void **state)
{
	struct ear_gdb_parser *parser = calloc(1, sizeof(*parser));

	(void)state;
	assert_non_null(parser);
	for (unsigned round = 0; round < 2; round++) {
		const size_t size = EAR_GDB_PACKET_MAX + round;
		(void)ear_gdb_parse(parser, '$', false);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(ear_gdb_parse(parser, 'a', false), EAR_GDB_NOTHING);
		(void)ear_gdb_parse(parser, '#', false);
		(void)ear_gdb_parse(parser, '0', false);
		assert_int_equal(
			ear_gdb_parse(parser, '0', false), round ? EAR_GDB_BAD : EAR_GDB_PACKET);
	}
	free(parser);
}

static void what_is_written_is_read_back(void **state)
{
	struct ear_gdb_reply *reply = calloc(1, sizeof(*reply));
	struct ear_gdb_parser *parser = calloc(1, sizeof(*parser));
	struct random random = {.state = 3};
	uint8_t bytes[300];

	(void)state;
	assert_non_null(reply);
	assert_non_null(parser);
	for (unsigned round = 0; round < 300; round++) {
		for (size_t i = 0; i < round; i++)
			bytes[i] = (uint8_t)random_below(&random, 256);
		ear_gdb_reply_begin(reply);
		assert_int_equal(ear_gdb_reply_binary(reply, bytes, round), round);
		ear_gdb_reply_end(reply);
		for (size_t i = 0; i + 1 < reply->size; i++)
			assert_int_equal(ear_gdb_parse(parser, (uint8_t)reply->bytes[i], true),
				EAR_GDB_NOTHING);
		assert_int_equal(
			ear_gdb_parse(parser, (uint8_t)reply->bytes[reply->size - 1], true),
			EAR_GDB_PACKET);
		assert_int_equal(parser->size, round);
		assert_memory_equal(parser->data, bytes, round);
	}
	free(parser);
	free(reply);
}

static void a_reply_has_an_end(void **state)
{
	struct ear_gdb_reply *reply = calloc(1, sizeof(*reply));
	size_t total = 0;

	(void)state;
	assert_non_null(reply);
	ear_gdb_reply_begin(reply);
	while (!reply->full)
		total += ear_gdb_reply_binary(reply, "0123456789}", 11);
	assert_in_range(total, EAR_GDB_PACKET_MAX, EAR_GDB_REPLY_MAX);
	ear_gdb_reply_text(reply, "more");
	ear_gdb_reply_end(reply);
	assert_true(reply->size <= sizeof(reply->bytes));
	assert_int_equal(reply->bytes[reply->size - 3], '#');
	free(reply);
}

static void numbers_are_hexadecimal(void **state)
{
	static const struct {
		const char *text;
		int length; /* -1: none */
		uint64_t value;
	} rows[] = {
		{"0", 1, 0},
		{"80000100,4", 8, 0x80000100},
		{"ffffffffffffffff", 16, UINT64_MAX},
		{"0fFffffffffffffff;", 17, UINT64_MAX},
		{"10000000000000000", -1, 0},
		{"", -1, 0},
		{"g", -1, 0},
		{"-1", -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *at = rows[i].text;
		uint64_t value = 0;
		assert_int_equal(ear_gdb_take_hex(&at, &value), rows[i].length >= 0);
		assert_int_equal(at - rows[i].text, rows[i].length >= 0 ? rows[i].length : 0);
		assert_same(value, rows[i].value);
	}
}

static void bytes_are_pairs_of_digits(void **state)
{
	uint8_t bytes[3];

	(void)state;
	assert_int_equal(ear_gdb_take_bytes("00fF80", bytes, 3), 3);
	assert_memory_equal(bytes, "\x00\xff\x80", 3);
	assert_int_equal(ear_gdb_take_bytes("", bytes, 3), 0);
	assert_int_equal(ear_gdb_take_bytes("0", bytes, 3), -1);
	assert_int_equal(ear_gdb_take_bytes("0g", bytes, 3), -1);
	assert_int_equal(ear_gdb_take_bytes("00000000", bytes, 3), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_are_taken_out_of_the_bytes),
		cmocka_unit_test(no_proper_prefix_is_a_packet),
		cmocka_unit_test(a_packet_that_is_too_long_is_bad),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(a_reply_has_an_end),
		cmocka_unit_test(numbers_are_hexadecimal),
		cmocka_unit_test(bytes_are_pairs_of_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
