/* Numbers of variable length: docs/android.md, section 2. */
#include "check.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "decoder/formats/qtrace/qtrace_in.h"
#include "decoder/formats/qtrace/qtrace_varint.h"

struct row {
	int64_t value, back; /* what comes back, which is not the same below -2^27 */
	bool is_signed;
	unsigned size;
	uint8_t bytes[EAR_QTRACE_VARINT_MAX];
};

static const struct row rows[] = {
	{5, 5, false, 1, {0x05}},
	{127, 127, false, 1, {0x7F}},
	{128, 128, false, 2, {0x80, 0x80}},
	{16383, 16383, false, 2, {0xBF, 0xFF}},
	{16384, 16384, false, 3, {0xC0, 0x40, 0x00}},
	{(1 << 21) - 1, (1 << 21) - 1, false, 3, {0xDF, 0xFF, 0xFF}},
	{1 << 21, 1 << 21, false, 4, {0xE0, 0x20, 0x00, 0x00}},
	{(1 << 28) - 1, (1 << 28) - 1, false, 4, {0xEF, 0xFF, 0xFF, 0xFF}},
	{1 << 28, 1 << 28, false, 5, {0xF0, 0x10, 0x00, 0x00, 0x00}},
	{0x7FFFFFFFF, 0x7FFFFFFFF, false, 5, {0xF7, 0xFF, 0xFF, 0xFF, 0xFF}},
	{0x800000000, 0x800000000, false, 6, {0xF8, 0x08, 0x00, 0x00, 0x00, 0x00}},
	{0x3FFFFFFFFFF, 0x3FFFFFFFFFF, false, 6, {0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
	{0x40000000000, 0x40000000000, false, 9, {0xFC, 0, 0, 0x04, 0, 0, 0, 0, 0}},
	{-1, -1, false, 9, {0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}},
	{63, 63, true, 1, {0x3F}},
	{64, 64, true, 2, {0x80, 0x40}},
	{-64, -64, true, 1, {0x40}},
	{-65, -65, true, 2, {0xBF, 0xBF}},
	{8191, 8191, true, 2, {0x9F, 0xFF}},
	{8192, 8192, true, 3, {0xC0, 0x20, 0x00}},
	{-8192, -8192, true, 2, {0xA0, 0x00}},
	{-8193, -8193, true, 3, {0xDF, 0xDF, 0xFF}},
	{(1 << 20) - 1, (1 << 20) - 1, true, 3, {0xCF, 0xFF, 0xFF}},
	{1 << 20, 1 << 20, true, 4, {0xE0, 0x10, 0x00, 0x00}},
	{-(1 << 20), -(1 << 20), true, 3, {0xD0, 0x00, 0x00}},
	{(1 << 27) - 1, (1 << 27) - 1, true, 4, {0xE7, 0xFF, 0xFF, 0xFF}},
	{-(1 << 27), -(1 << 27), true, 4, {0xE8, 0x00, 0x00, 0x00}},
	{1 << 27, 1 << 27, true, 5, {0xF0, 0x08, 0x00, 0x00, 0x00}},
	{-(1 << 27) - 1, 4160749567, true, 5, {0xF0, 0xF7, 0xFF, 0xFF, 0xFF}},
	{(int64_t)1 << 32, 0, true, 5, {0xF0, 0x00, 0x00, 0x00, 0x00}},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static void every_number_has_the_bytes_of_the_table(void **state)
{
	uint8_t bytes[EAR_QTRACE_VARINT_MAX];

	(void)state;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const struct row *row = &rows[i];
		uint8_t *end = row->is_signed ? ear_qtrace_put_signed(bytes, row->value)
					      : ear_qtrace_put(bytes, (uint64_t)row->value);
		if (end != bytes + row->size || memcmp(bytes, row->bytes, row->size) != 0)
			fail_msg("row %zu is written with other bytes", i);
		int64_t back = row->is_signed ? ear_qtrace_get_signed(bytes, row->size)
					      : (int64_t)ear_qtrace_get(bytes, row->size);
		if (ear_qtrace_size(bytes[0]) != row->size || back != row->back)
			fail_msg("row %zu is read as %" PRId64, i, back);
	}
}

static void all_eight_forms_of_five_bytes_are_read(void **state)
{
	const uint8_t minus[] = {0xF7, 0xF7, 0xFF, 0xFF, 0xFF};

	(void)state;
	assert_int_equal(ear_qtrace_get_signed(minus, 5), -134217729);
	for (unsigned first = 0xF0; first <= 0xF7; first++)
		assert_int_equal(ear_qtrace_size((uint8_t)first), 5);
}

static void the_last_three_bytes_begin_no_number(void **state)
{
	(void)state;
	assert_int_equal(ear_qtrace_size(0xFC), 9);
	assert_int_equal(ear_qtrace_size(0xFD), 0);
	assert_int_equal(ear_qtrace_size(0xFE), 0);
	assert_int_equal(ear_qtrace_size(0xFF), 0);
}

/* A file with these bytes, from which they are read. */
static void open_bytes(struct ear_qtrace_in *in, const uint8_t *bytes, size_t size)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fflush(file);
	rewind(file);
	assert_int_equal(ear_qtrace_in_init(in, dup(fileno(file))), 0);
	fclose(file);
}

static void a_file_is_read_number_by_number(void **state)
{
	uint8_t bytes[ROW_COUNT * EAR_QTRACE_VARINT_MAX];
	struct ear_qtrace_in in;
	size_t size = 0;

	(void)state;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		memcpy(bytes + size, rows[i].bytes, rows[i].size);
		size += rows[i].size;
	}
	open_bytes(&in, bytes, size);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		assert_false(ear_qtrace_in_ended(&in));
		int64_t value = rows[i].is_signed ? ear_qtrace_in_signed(&in)
						  : (int64_t)ear_qtrace_in_number(&in);
		if (value != rows[i].back)
			fail_msg("row %zu is read as %" PRId64, i, value);
	}
	assert_true(ear_qtrace_in_ended(&in));
	ear_qtrace_in_fini(&in);
}

static void every_proper_prefix_of_a_number_is_an_error(void **state)
{
	struct ear_qtrace_in in;

	(void)state;
	for (size_t i = 0; i < ROW_COUNT; i++)
		for (unsigned size = 0; size < rows[i].size; size++) {
			open_bytes(&in, rows[i].bytes, size);
			assert_int_equal(ear_qtrace_in_number(&in), 0);
			assert_int_equal(in.error, EAR_E_BAD_FILE);
			assert_string_equal(in.cause, "the file ends before its end mark");
			ear_qtrace_in_fini(&in);
		}
}

static void a_byte_that_begins_no_number_is_an_error(void **state)
{
	const uint8_t bytes[] = {0x05, 0xFD, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	struct ear_qtrace_in in;

	(void)state;
	open_bytes(&in, bytes, sizeof(bytes));
	assert_int_equal(ear_qtrace_in_number(&in), 5);
	ear_qtrace_in_begin(&in);
	assert_int_equal(in.begin, 1);
	assert_int_equal(ear_qtrace_in_signed(&in), 0);
	assert_int_equal(in.error, EAR_E_BAD_FILE);
	assert_int_equal(ear_qtrace_in_number(&in), 0);
	ear_qtrace_in_fini(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_has_the_bytes_of_the_table),
		cmocka_unit_test(all_eight_forms_of_five_bytes_are_read),
		cmocka_unit_test(the_last_three_bytes_begin_no_number),
		cmocka_unit_test(a_file_is_read_number_by_number),
		cmocka_unit_test(every_proper_prefix_of_a_number_is_an_error),
		cmocka_unit_test(a_byte_that_begins_no_number_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
