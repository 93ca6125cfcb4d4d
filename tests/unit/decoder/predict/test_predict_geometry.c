/* docs/predict.md, section 2: geometries and their eight bytes. */
#include "check.h"

#include <earshot/error.h>
#include <string.h>

#include "common/protocol/message.h"
#include "decoder/predict/geometry.h"

/* Section 2, "Geometries with a name", and what they look like on the wire. */
static const struct {
	const char *name, *text;
	uint8_t bytes[EAR_UNIT_GEOMETRY_SIZE];
} named[] = {
	{"small", "1024+512 words, 1-way, 1-word lines, 256 opcodes, 16 CSRs",
		{0x0E, 10, 0x00, 9, 0x00, 8, 4, 0}},
	{"large", "8192+8192 words, 4-way, 4-word lines, 512 opcodes, 64 CSRs",
		{0x0E, 13, 0x22, 13, 0x22, 9, 6, 0}},
	{"unified", "16384 words unified, 4-way, 4-word lines, 512 opcodes, 64 CSRs",
		{0x0F, 14, 0x22, 0, 0, 9, 6, 0}},
	{"xl", "16384+32768 words, 4-way, 4-word lines, 512 opcodes, 64 CSRs",
		{0x0E, 14, 0x22, 15, 0x22, 9, 6, 0}},
	{"tiny",
		"1024 words unified, 1-way, 1-word lines, 0 opcodes, 0 CSRs, no MUL, no DIV, "
		"only I and C, no groups",
		{0x39, 10, 0x00, 0, 0, 0, 0, 0}},
	{"medium", "8192 words unified, 2-way, 4-word lines, 256 opcodes, 16 CSRs",
		{0x0F, 13, 0x21, 0, 0, 8, 4, 0}},
};

static void the_named_ones_are_those_of_the_document(void **state)
{
	(void)state;
	assert_int_equal(COUNT_OF(named), EAR_GEOMETRY_COUNT);
	for (unsigned i = 0; i < EAR_GEOMETRY_COUNT; i++) {
		const struct ear_geometry *geometry = ear_geometry_get(i);
		struct ear_geometry found;
		uint8_t bytes[EAR_UNIT_GEOMETRY_SIZE];
		char text[128];

		assert_int_equal(ear_geometry_find(&found, named[i].name), 0);
		ear_geometry_build(bytes, &found);
		assert_memory_equal(bytes, named[i].bytes, sizeof(bytes));
		ear_geometry_text(text, sizeof(text), geometry);
		assert_string_equal(text, named[i].text);
	}
}

static void other_names_are_refused(void **state)
{
	static const char *const names[] = {"", "raw", "Large", "larg", "large ", "huge"};
	struct ear_geometry geometry = {.csr_log2 = 3};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_int_equal(ear_geometry_find(&geometry, names[i]), EAR_E_BAD_ARGUMENT);
	assert_int_equal(geometry.csr_log2, 3);
}

static void the_text_lists_what_is_missing(void **state)
{
	struct ear_geometry geometry;
	char text[128];

	(void)state;
	ear_geometry_find(&geometry, "small");
	geometry.multiply = geometry.divide = false;
	geometry.dictionary_log2 = geometry.csr_log2 = 0;
	ear_geometry_text(text, sizeof(text), &geometry);
	assert_string_equal(
		text, "1024+512 words, 1-way, 1-word lines, 0 opcodes, 0 CSRs, no MUL, no DIV");
	assert_int_equal(ear_geometry_text(text, 5, &geometry), 70);
	assert_string_equal(text, "1024");
}

/* What section 2 allows, written down once more. */
static bool cache_is_good(unsigned words, unsigned shape)
{
	unsigned ways = shape & 15, line = shape >> 4;

	return words >= 5 && words <= 16 && ways <= 3 && line <= 3 && ways + line <= words;
}

static bool is_good(const uint8_t *bytes)
{
	bool unified = bytes[0] & 1;

	if (bytes[0] > 63 || bytes[7] != 0 || bytes[6] > 6)
		return false;
	if (bytes[5] != 0 && (bytes[5] < 4 || bytes[5] > 9))
		return false;
	if (!cache_is_good(bytes[1], bytes[2]))
		return false;
	return unified ? bytes[3] == 0 && bytes[4] == 0 : cache_is_good(bytes[3], bytes[4]);
}

static unsigned good_count;

static void check_bytes(const uint8_t *bytes)
{
	uint8_t built[EAR_UNIT_GEOMETRY_SIZE];
	struct ear_geometry geometry;
	int expected = is_good(bytes) ? 0 : EAR_E_BAD_MESSAGE;

	if (ear_geometry_parse(&geometry, bytes) != expected)
		fail_msg("%02x %02x %02x %02x %02x %02x %02x %02x is%s valid", bytes[0], bytes[1],
			bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
			expected ? " not" : "");
	if (expected)
		return;
	good_count++;
	ear_geometry_build(built, &geometry);
	assert_memory_equal(built, bytes, sizeof(built));
}

static void every_value_of_every_byte_comes_back_or_is_refused(void **state)
{
	(void)state;
	good_count = 0;
	for (unsigned i = 0; i < COUNT_OF(named); i++) {
		for (unsigned at = 0; at < EAR_UNIT_GEOMETRY_SIZE; at++) {
			uint8_t bytes[EAR_UNIT_GEOMETRY_SIZE];
			memcpy(bytes, named[i].bytes, sizeof(bytes));
			for (unsigned value = 0; value < 256; value++) {
				bytes[at] = (uint8_t)value;
				check_bytes(bytes);
			}
		}
	}
	assert_above(good_count, 100);
}

/* A set that is larger than its cache was accepted once, and its number of sets was a shift by -1.
 */
static void every_cache_comes_back_or_is_refused(void **state)
{
	(void)state;
	good_count = 0;
	for (unsigned words = 0; words < 32; words++) {
		for (unsigned shape = 0; shape < 256; shape++) {
			uint8_t bytes[] = {0x0E, (uint8_t)words, (uint8_t)shape, 9, 0, 8, 4, 0};
			check_bytes(bytes);
			bytes[0] = 0x0F, bytes[3] = 0;
			check_bytes(bytes);
			uint8_t data[] = {0x0E, 9, 0, (uint8_t)words, (uint8_t)shape, 8, 4, 0};
			check_bytes(data);
		}
	}
	assert_int_equal(good_count, 3 * (12 * 16 - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_named_ones_are_those_of_the_document),
		cmocka_unit_test(other_names_are_refused),
		cmocka_unit_test(the_text_lists_what_is_missing),
		cmocka_unit_test(every_value_of_every_byte_comes_back_or_is_refused),
		cmocka_unit_test(every_cache_comes_back_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
