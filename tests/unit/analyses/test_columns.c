/* Tables by column: what was put comes back to the last bit, read by the format as docs/report.md
 * says it; its example is there byte for byte.
 */
#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/base/columns.h"
#include "random.h"

struct file {
	uint8_t *bytes;
	size_t size;
};

static int append(void *context, const void *bytes, size_t size)
{
	struct file *file = context;

	file->bytes = realloc(file->bytes, file->size + size + 1);
	assert_non_null(file->bytes);
	memcpy(file->bytes + file->size, bytes, size);
	file->size += size;
	file->bytes[file->size] = 0;
	return 0;
}

static struct file write_columns(struct ear_columns *columns, const char *meta)
{
	struct file file = {0};
	struct ear_byte_output output = {.write = append, .context = &file};

	assert_int_equal(ear_byte_output_begin(&output), 0);
	assert_int_equal(ear_columns_write(columns, meta, &output), 0);
	ear_byte_output_end(&output);
	return file;
}

static size_t header_size(const struct file *file)
{
	const uint8_t *at = file->bytes + 8;

	assert_true(file->size >= 12);
	assert_memory_equal(file->bytes, "EARCOL1\n", 8);
	return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

static void check_header(const struct file *file, const char *expected)
{
	assert_int_equal(header_size(file), strlen(expected));
	assert_memory_equal(file->bytes + 12, expected, strlen(expected));
}

/* A number of a column that begins at a byte. */
static uint64_t take(const uint8_t *column, unsigned size, uint64_t rows, uint64_t row)
{
	uint64_t value = 0;

	for (unsigned plane = size; plane-- > 0;)
		value = value << 8 | column[plane * rows + row];
	return value;
}

static void test_the_example_of_the_document(void **state)
{
	static const struct ear_columns_column list[] = {
		{"begin", EAR_COLUMNS_U16, EAR_COLUMNS_DELTA},
		{"name", EAR_COLUMNS_U8, EAR_COLUMNS_PLAIN}};
	static const uint8_t expected[] = {0, 5, 0x27, 1, 0, 0, 0, 1, 1};
	static const uint64_t rows[3][2] = {{256, 0}, {261, 1}, {300, 1}};
	struct ear_columns *columns;

	(void)state;
	assert_int_equal(ear_columns_new(&columns), 0);
	assert_int_equal(ear_columns_add_string(columns, "main"), 0);
	assert_int_equal(ear_columns_add_string(columns, "crc"), 1);
	const uint32_t table = ear_columns_add_table(columns, "slices", list, 2, 3);
	for (size_t i = 3; i-- > 0;)
		for (size_t k = 0; k < 2; k++)
			ear_columns_put(columns, table, k, i, rows[i][k]);
	struct file file = write_columns(columns, "\"unit\":\"clocks\"");
	check_header(&file,
		"{\"meta\":{\"unit\":\"clocks\"},\"strings\":[\"main\",\"crc\"],\"tables\":["
		"{\"name\":\"slices\",\"rows\":3,\"columns\":["
		"{\"name\":\"begin\",\"type\":\"u16\",\"coding\":\"delta\"},"
		"{\"name\":\"name\",\"type\":\"u8\",\"coding\":\"plain\"}]}]}");
	const size_t at = 12 + header_size(&file);
	assert_int_equal(file.size - at, sizeof(expected));
	assert_memory_equal(file.bytes + at, expected, sizeof(expected));
	free(file.bytes);
	ear_columns_free(columns);
}

/* More rows than a buffer has bytes, numbers of all sizes, deltas below zero. */
static void test_numbers_come_back(void **state)
{
	enum { ROWS = 40000 };
	static const struct ear_columns_column list[] = {{"a", EAR_COLUMNS_U8, EAR_COLUMNS_PLAIN},
		{"b", EAR_COLUMNS_U16, EAR_COLUMNS_DELTA},
		{"c", EAR_COLUMNS_U32, EAR_COLUMNS_DELTA},
		{"d", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA},
		{"e", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN}};
	static const unsigned sizes[] = {1, 2, 4, 8, 8};
	static uint64_t values[5][ROWS];
	struct random random = {5};
	struct ear_columns *columns;

	(void)state;
	assert_int_equal(ear_columns_new(&columns), 0);
	const uint32_t table = ear_columns_add_table(columns, "t", list, 5, ROWS);
	for (uint64_t row = 0; row < ROWS; row++)
		for (size_t k = 0; k < 5; k++) {
			const uint64_t word = random_next(&random);
			values[k][row] = (word % 5 == 0 ? UINT64_MAX : word) >> (64 - 8 * sizes[k]);
			ear_columns_put(columns, table, k, row, values[k][row]);
		}
	struct file file = write_columns(columns, "");
	const uint8_t *at = file.bytes + 12 + header_size(&file);
	for (size_t k = 0; k < 5; k++) {
		uint64_t sum = 0;
		for (uint64_t row = 0; row < ROWS; row++) {
			uint64_t value = take(at, sizes[k], ROWS, row);
			sum = list[k].coding == EAR_COLUMNS_DELTA ? sum + value : value;
			const uint64_t low =
				sizes[k] == 8 ? sum : sum & ((UINT64_C(1) << 8 * sizes[k]) - 1);
			assert_true(low == values[k][row]);
		}
		at += sizes[k] * (size_t)ROWS;
	}
	assert_ptr_equal(at, file.bytes + file.size);
	free(file.bytes);
	ear_columns_free(columns);
}

static void test_a_column_has_the_narrowest_type_that_holds_its_numbers(void **state)
{
	static const struct ear_columns_column list[] = {{"a", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA},
		{"b", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
		{"c", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
		{"d", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
		{"e", EAR_COLUMNS_F64, EAR_COLUMNS_PLAIN}};
	static const uint64_t rows[2][5] = {
		{65535, 0xffffffff, 255, UINT64_C(1) << 32, 0}, {3, 65536, 0, 0, 0}};
	/* 3 less 65535, modulo 2^16, is 4. */
	static const uint8_t expected[] = {
		0xff, 4, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 1, 0xff, 0, 0xff, 0};
	struct ear_columns *columns;

	(void)state;
	assert_int_equal(ear_columns_new(&columns), 0);
	ear_columns_add_table(columns, "t", list, 5, 2);
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < 5; k++)
			ear_columns_put(columns, 0, k, i, rows[i][k]);
	struct file file = write_columns(columns, "");
	check_header(&file, "{\"meta\":{},\"strings\":[],\"tables\":[{\"name\":\"t\",\"rows\":2,"
			    "\"columns\":[{\"name\":\"a\",\"type\":\"u16\",\"coding\":\"delta\"},"
			    "{\"name\":\"b\",\"type\":\"u32\",\"coding\":\"plain\"},"
			    "{\"name\":\"c\",\"type\":\"u8\",\"coding\":\"plain\"},"
			    "{\"name\":\"d\",\"type\":\"u64\",\"coding\":\"plain\"},"
			    "{\"name\":\"e\",\"type\":\"f64\",\"coding\":\"plain\"}]}]}");
	const size_t at = 12 + header_size(&file);
	assert_int_equal(file.size - at, 2 * (2 + 4 + 1 + 8 + 8));
	assert_memory_equal(file.bytes + at, expected, sizeof(expected));
	free(file.bytes);
	ear_columns_free(columns);
}

static void test_fractions_come_back(void **state)
{
	static const struct ear_columns_column list[] = {
		{"value", EAR_COLUMNS_F64, EAR_COLUMNS_PLAIN}};
	static const double values[] = {0.1, -3, 1e300};
	struct ear_columns *columns;

	(void)state;
	assert_int_equal(ear_columns_new(&columns), 0);
	ear_columns_add_table(columns, "t", list, 1, 3);
	for (size_t i = 0; i < 3; i++)
		ear_columns_put_real(columns, 0, 0, i, values[i]);
	struct file file = write_columns(columns, "");
	const uint8_t *at = file.bytes + 12 + header_size(&file);
	for (size_t i = 0; i < 3; i++) {
		const uint64_t bits = take(at, 8, 3, i);
		assert_memory_equal(&bits, &values[i], 8);
	}
	free(file.bytes);
	ear_columns_free(columns);
}

static void test_nothing_is_a_file_too(void **state)
{
	static const struct ear_columns_column list[] = {{"a", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA}};
	struct ear_columns *columns;

	(void)state;
	assert_int_equal(ear_columns_new(&columns), 0);
	ear_columns_add_table(columns, "t", list, 1, 0);
	struct file file = write_columns(columns, "");
	check_header(&file,
		"{\"meta\":{},\"strings\":[],\"tables\":[{\"name\":\"t\",\"rows\":0,"
		"\"columns\":[{\"name\":\"a\",\"type\":\"u8\",\"coding\":\"delta\"}]}]}");
	assert_int_equal(file.size, 12 + header_size(&file));
	free(file.bytes);
	ear_columns_free(columns);
}

static void check_string(const char *text, const char *expected)
{
	char header[8192];
	struct ear_columns *columns;

	assert_int_equal(ear_columns_new(&columns), 0);
	ear_columns_add_string(columns, text);
	struct file file = write_columns(columns, "");
	snprintf(header, sizeof(header), "{\"meta\":{},\"strings\":[\"%s\"],\"tables\":[]}",
		expected);
	check_header(&file, header);
	free(file.bytes);
	ear_columns_free(columns);
}

static void test_strings_are_of_json_and_of_utf8(void **state)
{
	char megabyte[1 << 16], cut[600];

	(void)state;
	check_string("a\"b\\c", "a\\\"b\\\\c");
	check_string("\033[31m\n\x7f", "\\u001b[31m\\u000a\\u007f");
	check_string("\xff"
		     "a\xc3",
		"\xef\xbf\xbd"
		"a\xef\xbf\xbd");
	check_string("\xe2\x80\xae", "\xe2\x80\xae");
	memset(megabyte, 'm', sizeof(megabyte));
	megabyte[sizeof(megabyte) - 1] = '\0';
	/* Half a character is not there. */
	memcpy(megabyte + EAR_COLUMNS_TEXT_MAX - 1, "\xc3\xa4", 2);
	memcpy(cut, megabyte, EAR_COLUMNS_TEXT_MAX - 1);
	cut[EAR_COLUMNS_TEXT_MAX - 1] = '\0';
	check_string(megabyte, cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_example_of_the_document),
		cmocka_unit_test(test_numbers_come_back),
		cmocka_unit_test(test_a_column_has_the_narrowest_type_that_holds_its_numbers),
		cmocka_unit_test(test_fractions_come_back),
		cmocka_unit_test(test_nothing_is_a_file_too),
		cmocka_unit_test(test_strings_are_of_json_and_of_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
