/* Messages of N-Trace: examples of the specification byte by byte, every field at its limits. */
#include "check.h"
#include "random.h"

#include <earshot/error.h>

#include "decoder/formats/ntrace/ntrace_message.h"

static struct ear_ntrace_unit unit_of(unsigned xlen)
{
	struct ear_ntrace_unit unit = ear_ntrace_default_unit;

	unit.xlen = xlen;
	return unit;
}

/* In the order of docs/ntrace.md, "Messages". The bytes were written by hand. */
static const struct {
	const char *name;
	const char *bytes;
	size_t size;
	struct ear_ntrace_message message;
} rows[] = {
	{"the example of N-Trace 1.0", "\x70\xD0\x1D\x1D\xF8\xFF", 6,
		{.tcode = 28, .icnt = 0x7D, .address = 14, .history = 0xFFE}},
	{"ownership: M mode", "\x08\x33", 2, {.tcode = 2, .data = 0xC}},
	{"ownership: VU, scontext 0x1D", "\x08\xC8\x3B", 3, {.tcode = 2, .data = 0x3B2}},
	{"direct branch", "\x0C\x17", 2, {.tcode = 3, .icnt = 5}},
	{"indirect branch", "\x10\x51\x07", 3, {.tcode = 4, .icnt = 5, .address = 2}},
	{"interrupt", "\x10\x0D\x07", 3, {.tcode = 4, .btype = 3, .address = 2}},
	{"error: program trace lost", "\x20\x00\x07", 3, {.tcode = 8, .data = 4}},
	{"sync", "\x24\x15\xFF", 3, {.tcode = 9, .sync = 5, .address = 126}},
	{"direct branch, sync", "\x2C\x49\x07", 3,
		{.tcode = 11, .sync = 2, .icnt = 1, .address = 2}},
	{"indirect branch, sync", "\x30\x88\x05\x07", 4,
		{.tcode = 12, .sync = 2, .btype = 2, .icnt = 1, .address = 2}},
	{"I-CNT full", "\x6C\x40\xFF", 3, {.tcode = 27, .code = 0, .data = 0xFD}},
	{"history full", "\x6C\xC4\x13", 3, {.tcode = 27, .code = 1, .history = 0x13}},
	{"repeated history", "\x6C\x48\x05\x2B", 4,
		{.tcode = 27, .code = 2, .history = 5, .data = 10}},
	{"not taken in a row", "\x6C\xE3", 2, {.tcode = 27, .code = 8, .data = 3}},
	{"history, sync", "\x74\x08\x19\x05\x07", 5,
		{.tcode = 29, .sync = 2, .icnt = 6, .address = 2, .history = 1}},
	{"repeat", "\x78\x0F", 2, {.tcode = 30, .data = 3}},
	{"stop", "\x84\x10\x0F", 3, {.tcode = 33, .code = 4, .icnt = 3}},
	{"stop with a history", "\x84\x50\x0D\x17", 4,
		{.tcode = 33, .code = 4, .icnt = 3, .history = 5}},
	{"a time", "\x0C\x15\x00\x07", 4, {.tcode = 3, .icnt = 5, .has_time = true, .time = 64}},
};

static void assert_same_message(const struct ear_ntrace_message *found,
	const struct ear_ntrace_message *expected, const char *name)
{
	if (found->tcode != expected->tcode || found->sync != expected->sync ||
		found->btype != expected->btype || found->code != expected->code ||
		found->src != expected->src || found->has_time != expected->has_time ||
		found->icnt != expected->icnt || found->history != expected->history ||
		found->address != expected->address || found->data != expected->data ||
		found->time != expected->time)
		fail_msg("%s", name);
}

static void each_message_has_its_fields(void **state)
{
	(void)state;
	const struct ear_ntrace_unit unit = unit_of(32);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ear_ntrace_message message;
		uint8_t *exact = malloc(rows[i].size), again[EAR_NTRACE_MESSAGE_MAX];
		assert_non_null(exact);
		memcpy(exact, rows[i].bytes, rows[i].size);
		if (ear_ntrace_parse(&message, exact, rows[i].size, &unit))
			fail_msg("%s is refused", rows[i].name);
		assert_same_message(&message, &rows[i].message, rows[i].name);
		size_t size = ear_ntrace_put(again, &message, &unit);
		if (size != rows[i].size || memcmp(again, exact, size) != 0)
			fail_msg("%s is written in another way", rows[i].name);
		free(exact);
	}
}

/* Cut after a field; a variable field that is cut is a shorter one. */
static void a_message_without_its_last_fields_is_refused(void **state)
{
	(void)state;
	const struct ear_ntrace_unit unit = unit_of(32);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t size = 1; size < rows[i].size; size++) {
			struct ear_ntrace_message message;
			if ((rows[i].bytes[size - 1] & 3) == EAR_NTRACE_MIDDLE && size > 1)
				continue;
			uint8_t *cut = malloc(size);
			assert_non_null(cut);
			memcpy(cut, rows[i].bytes, size);
			cut[size - 1] |= 3;
			int result = ear_ntrace_parse(&message, cut, size, &unit);
			free(cut);
			/* but for a time, which may be absent */
			if (result == 0 && !rows[i].message.has_time)
				fail_msg("%zu bytes of %s", size, rows[i].name);
		}
	}
}

static void what_has_no_meaning_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *name, *bytes;
		size_t size;
		int result;
	} refused[] = {
		{"data write", "\x14\x03", 2, EAR_E_UNSUPPORTED},
		{"vendor", "\xE0\x03", 2, EAR_E_UNSUPPORTED},
		{"a TCODE that ends a field", "\x0D\x17", 2, EAR_E_BAD_MESSAGE},
		{"a TCODE alone", "\x0F", 1, EAR_E_BAD_MESSAGE},
		{"SYNC 8", "\x24\x21\x07", 3, EAR_E_BAD_MESSAGE},
		{"ETYPE 1", "\x20\x04\x07", 3, EAR_E_BAD_MESSAGE},
		{"RCODE 3", "\x6C\x0C\x07", 3, EAR_E_BAD_MESSAGE},
		{"CDF 2", "\x84\x90\x0F", 3, EAR_E_BAD_MESSAGE},
		{"no stop bit", "\x70\x01\x05\x03", 4, EAR_E_BAD_MESSAGE},
		{"an empty full history", "\x6C\x47", 2, EAR_E_BAD_MESSAGE},
		{"repeated no times", "\x78\x03", 2, EAR_E_BAD_MESSAGE},
		{"two times", "\x0C\x15\x05\x07", 4, EAR_E_BAD_MESSAGE},
		{"I-CNT of 24 bits", "\x0C\xFC\xFC\xFC\xFF", 5, EAR_E_BAD_MESSAGE},
		{"HIST of 33 bits", "\x70\x01\x05\x00\x00\x00\x00\x00\x1F", 9, EAR_E_BAD_MESSAGE},
		{"an address of 32 bits", "\x24\x05\x00\x00\x00\x00\x00\x0B", 8, EAR_E_BAD_MESSAGE},
	};
	const struct ear_ntrace_unit unit = unit_of(32);

	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct ear_ntrace_message message;
		int result = ear_ntrace_parse(
			&message, (const uint8_t *)refused[i].bytes, refused[i].size, &unit);
		if (result != refused[i].result)
			fail_msg("%s: %d", refused[i].name, result);
	}
}

static void a_source_comes_after_the_tcode(void **state)
{
	(void)state;
	struct ear_ntrace_unit unit = unit_of(32);
	struct ear_ntrace_message message;

	unit.src_bits = 6; /* 33 */
	assert_int_equal(ear_ntrace_parse(&message, (const uint8_t *)"\x0C\x84\x17", 3, &unit), 0);
	assert_int_equal(message.src, 33);
	assert_int_equal(message.icnt, 5);
	unit.src_bits = 3; /* 1, then three bits of I-CNT */
	assert_int_equal(ear_ntrace_parse(&message, (const uint8_t *)"\x0C\xA7", 2, &unit), 0);
	assert_int_equal(message.src, 1);
	assert_int_equal(message.icnt, 5);
}

static void without_times_a_field_more_is_refused(void **state)
{
	(void)state;
	struct ear_ntrace_unit unit = unit_of(32);
	struct ear_ntrace_message message;

	unit.tstamp = 0;
	assert_int_equal(ear_ntrace_parse(&message, (const uint8_t *)"\x0C\x15\x07", 3, &unit),
		EAR_E_BAD_MESSAGE);
	unit.tstamp = 1;
	assert_int_equal(ear_ntrace_parse(&message, (const uint8_t *)"\x0C\x15\x07", 3, &unit), 0);
	assert_true(message.has_time);
}

/* The example of the specification: MDOs 3f 3f 3f 3f 1f 3c. */
static void the_highest_bit_of_an_address_is_extended(void **state)
{
	(void)state;
	struct ear_ntrace_unit unit = unit_of(64);
	struct ear_ntrace_message message;
	static const uint8_t bytes[] = {0x24, 0x15, 0xFC, 0xFC, 0xFC, 0xFC, 0x7C, 0xF3};

	assert_int_equal(ear_ntrace_parse(&message, bytes, sizeof(bytes), &unit), 0);
	assert_int_equal(message.address, UINT64_C(0xF1FFFFFFF) << 1);
	unit.extend = 1;
	assert_int_equal(ear_ntrace_parse(&message, bytes, sizeof(bytes), &unit), 0);
	assert_int_equal(message.address, UINT64_C(0xFFFFFFFE3FFFFFFE));
}

static uint64_t random_value(struct random *random, unsigned bits)
{
	return random_next(random) >> (64 - bits) >> random_below(random, bits);
}

static struct ear_ntrace_message random_message(struct random *random, unsigned xlen, unsigned src)
{
	struct ear_ntrace_message message = rows[random_below(random, COUNT_OF(rows))].message;

	message.src = src ? (uint16_t)random_value(random, src) : 0;
	message.has_time = random_once_in(random, 2);
	message.time = message.has_time ? random_value(random, 64) : 0;
	if (message.icnt)
		message.icnt = (uint32_t)random_value(random, 22);
	if (message.history)
		message.history = (uint32_t)random_value(random, 32) | 2;
	if (message.address) {
		message.address = random_value(random, xlen) & ~UINT64_C(1);
		if (random_once_in(random, 2))
			message.address ^= UINT64_MAX >> (64 - xlen) & ~UINT64_C(1);
	}
	return message;
}

static void what_is_written_is_read_again(void **state)
{
	(void)state;
	struct random random = {5};

	for (unsigned round = 0; round < 20000; round++) {
		struct ear_ntrace_unit unit = unit_of(round % 2 ? 64 : 32);
		unit.extend = round / 2 % 2;
		unit.src_bits = (uint32_t)random_below(&random, 13);
		struct ear_ntrace_message found,
			message = random_message(&random, unit.xlen, unit.src_bits);
		uint8_t bytes[EAR_NTRACE_MESSAGE_MAX];
		size_t size = ear_ntrace_put(bytes, &message, &unit);
		for (size_t i = 0; i < size; i++)
			assert_int_equal((bytes[i] & 3) == 3, i + 1 == size);
		assert_int_equal(ear_ntrace_parse(&found, bytes, size, &unit), 0);
		assert_same_message(&found, &message, "a random message");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_message_has_its_fields),
		cmocka_unit_test(a_message_without_its_last_fields_is_refused),
		cmocka_unit_test(what_has_no_meaning_is_refused),
		cmocka_unit_test(a_source_comes_after_the_tcode),
		cmocka_unit_test(without_times_a_field_more_is_refused),
		cmocka_unit_test(the_highest_bit_of_an_address_is_extended),
		cmocka_unit_test(what_is_written_is_read_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
