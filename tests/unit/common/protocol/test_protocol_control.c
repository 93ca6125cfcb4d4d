/* Control words: docs/protocol.md, section 7. */
#include "check.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "byte_buffer.h"
#include "common/protocol/control_word.h"

struct row {
	struct ear_control_word word;
	uint8_t bytes[EAR_CONTROL_WORD_SIZE];
};

/* The CRC bytes were computed apart from our code (CRC-8/SMBUS: polynomial 0x07, initial
 * value 0, not reflected, no final XOR).
 */
static const struct row rows[] = {
	{{EAR_CONTROL_WORD_READ, 0, EAR_REG_ID, 0}, {0xEC, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x12}},
	{{EAR_CONTROL_WORD_WRITE, 7, EAR_REG_CONTROL, 5},
		{0xEC, 0x02, 0x07, 0x20, 0x00, 0x05, 0, 0, 0, 0x41}},
	{{EAR_CONTROL_WORD_WRITE, 0xFF, 0x0164, 0x89ABCDEF},
		{0xEC, 0x02, 0xFF, 0x64, 0x01, 0xEF, 0xCD, 0xAB, 0x89, 0x7B}},
};

static void every_row_is_built_byte_for_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t *bytes = malloc(EAR_CONTROL_WORD_SIZE);
		ear_control_word_build(bytes, &rows[i].word);
		assert_memory_equal(bytes, rows[i].bytes, EAR_CONTROL_WORD_SIZE);
		free(bytes);
	}
}

static void every_row_is_read_as_what_it_means(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t *bytes = exact_copy(rows[i].bytes, EAR_CONTROL_WORD_SIZE);
		struct ear_control_word word;

		assert_int_equal(ear_control_word_parse(&word, bytes), EAR_CONTROL_WORD_SIZE);
		assert_int_equal(word.operation, rows[i].word.operation);
		assert_int_equal(word.tag, rows[i].word.tag);
		assert_int_equal(word.address, rows[i].word.address);
		assert_int_equal(word.value, rows[i].word.value);
		free(bytes);
	}
}

static void every_damage_to_one_byte_is_noticed(void **state)
{
	struct ear_control_word word;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t at = 0; at < EAR_CONTROL_WORD_SIZE; at++) {
			uint8_t bytes[EAR_CONTROL_WORD_SIZE];
			memcpy(bytes, rows[i].bytes, sizeof(bytes));
			for (unsigned change = 1; change < 256; change++) {
				bytes[at] = (uint8_t)(rows[i].bytes[at] ^ change);
				assert_int_equal(
					ear_control_word_parse(&word, bytes), EAR_E_BAD_MESSAGE);
			}
		}
	}
}

static void every_operation_tag_address_and_value_survives(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 65536; i++) {
		uint8_t bytes[EAR_CONTROL_WORD_SIZE];
		struct ear_control_word word = {
			(uint8_t)(i >> 3), (uint8_t)i, (uint16_t)i, i * 2654435761u};
		struct ear_control_word parsed;

		ear_control_word_build(bytes, &word);
		assert_int_equal(ear_control_word_parse(&parsed, bytes), EAR_CONTROL_WORD_SIZE);
		assert_int_equal(parsed.operation, word.operation);
		assert_int_equal(parsed.tag, word.tag);
		assert_int_equal(parsed.address, word.address);
		assert_int_equal(parsed.value, word.value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_built_byte_for_byte),
		cmocka_unit_test(every_row_is_read_as_what_it_means),
		cmocka_unit_test(every_damage_to_one_byte_is_noticed),
		cmocka_unit_test(every_operation_tag_address_and_value_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
