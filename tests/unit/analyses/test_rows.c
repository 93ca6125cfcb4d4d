/* Logs of rows: what was added comes back, from memory and from the lines of a part's file.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analyses/base/rows.h"
#include "random.h"

#define ROWS 60000 /* some chunks */

struct row {
	unsigned kind, count;
	uint64_t numbers[EAR_ROWS_NUMBERS];
};

/* Numbers of all sizes, near to the last ones and far from them. */
static uint64_t make_number(struct random *random, uint64_t before)
{
	const uint64_t word = random_next(random);

	switch (word % 8) {
	case 0: return random_next(random);
	case 1: return UINT64_MAX - word / 8 % 2;
	case 2: return 0;
	case 3: return before - word / 8 % 1000;
	default: return before + word / 8 % 100;
	}
}

static struct row *make_rows(uint64_t seed)
{
	struct row *rows = calloc(ROWS, sizeof(*rows));
	struct random random = {seed};
	uint64_t numbers[EAR_ROWS_KINDS] = {0};

	assert_non_null(rows);
	for (unsigned i = 0; i < ROWS; i++) {
		struct row *row = &rows[i];
		const uint64_t word = random_next(&random);
		row->kind = (unsigned)(word % EAR_ROWS_KINDS);
		row->count = word / 64 % 4 ? row->kind % 7
					   : (unsigned)(word / 1024 % (EAR_ROWS_NUMBERS + 1));
		for (unsigned j = 0; j < row->count; j++)
			row->numbers[j] = numbers[row->kind] =
				make_number(&random, numbers[row->kind]);
	}
	return rows;
}

static void add(struct ear_rows *rows, const struct row *row)
{
	assert_true(ear_rows_add(rows, row->kind, row->numbers, row->count));
}

static void check_next(struct ear_rows *rows, const struct row *row)
{
	uint64_t numbers[EAR_ROWS_NUMBERS] = {0};
	unsigned kind, count;

	assert_true(ear_rows_next(rows, &kind, numbers, &count));
	assert_int_equal(kind, row->kind);
	assert_int_equal(count, row->count);
	assert_memory_equal(numbers, row->numbers, sizeof(numbers));
}

static void check_no_more(struct ear_rows *rows)
{
	uint64_t numbers[EAR_ROWS_NUMBERS];
	unsigned kind, count;

	assert_false(ear_rows_next(rows, &kind, numbers, &count));
}

static void test_they_come_back(void **state)
{
	struct row *made = make_rows(1);
	struct ear_rows rows = {0};

	(void)state;
	check_no_more(&rows);
	for (unsigned i = 0; i < ROWS; i++)
		add(&rows, &made[i]);
	assert_int_equal(rows.count, ROWS);
	for (unsigned time = 0; time < 2; time++) {
		for (unsigned i = 0; i < ROWS; i++)
			check_next(&rows, &made[i]);
		check_no_more(&rows);
		ear_rows_rewind(&rows);
	}
	ear_rows_fini(&rows);
	check_no_more(&rows);
	ear_rows_fini(&rows);
	free(made);
}

static void test_they_can_be_taken_while_they_are_added(void **state)
{
	struct row *made = make_rows(2);
	struct ear_rows rows = {0};

	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		add(&rows, &made[i]);
		check_next(&rows, &made[i]);
		check_no_more(&rows);
	}
	ear_rows_fini(&rows);
	free(made);
}

static void test_rows_that_are_alike_are_small(void **state)
{
	struct ear_rows rows = {0};
	const uint64_t before = 1u << 20;

	(void)state;
	for (uint64_t i = 0; i < before; i++) {
		const uint64_t numbers[] = {UINT64_MAX - i, 0x80000000 + 4 * i, 7};
		assert_true(ear_rows_add(&rows, 3, numbers, 3));
	}
	assert_in_range(rows.bytes, before * 4, before * 4 + (1u << 19));
	ear_rows_fini(&rows);
}

static void open_part(struct ear_part_reader *reader, FILE *file)
{
	struct ear_part_head head;

	rewind(file);
	assert_true(ear_part_open(reader, file, &head));
}

static void walk_rows(void *rows, struct ear_part_walk *walk)
{
	ear_rows_walk(rows, walk);
}

static void test_in_a_file(void **state)
{
	const struct ear_part_head head = {"test", "-", "-", "-", "-", 0, 1, 1, {0}};
	struct row *made = make_rows(3);
	struct ear_rows rows = {0}, again = {0};
	struct ear_part_writer writer;
	struct ear_part_reader reader;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	for (unsigned i = 0; i < ROWS; i++)
		add(&rows, &made[i]);
	ear_part_write_head(&writer, file, &head);
	ear_part_walk_write(walk_rows, &rows, &writer);
	ear_part_write_end(&writer);
	open_part(&reader, file);
	assert_true(ear_part_walk_read(walk_rows, &again, &reader, "it is no row"));
	for (unsigned i = 0; i < ROWS; i++)
		check_next(&again, &made[i]);
	check_no_more(&again);
	check_next(&rows, &made[0]); /* writing leaves them at the begin */
	ear_part_close(&reader);
	ear_rows_fini(&rows);
	ear_rows_fini(&again);
	fclose(file);
	free(made);
}

static void check_refused(const char *line, const char *reason)
{
	struct ear_rows rows = {0};
	struct ear_part_reader reader;
	FILE *file = tmpfile();

	assert_non_null(file);
	fprintf(file,
		"earshot-part %d test\noptions -\ntrace -\nprogram - -\nrecords 0 1 1\nmissing 0 0 1 0 0 0 0 0 0\n%s\n",
		EAR_PART_VERSION, line);
	open_part(&reader, file);
	assert_false(ear_part_walk_read(walk_rows, &rows, &reader, "it is no row"));
	assert_string_equal(reader.error, reason);
	ear_part_close(&reader);
	ear_rows_fini(&rows);
	fclose(file);
}

static void test_lines_that_are_none(void **state)
{
	char many[512] = "row 1";

	(void)state;
	for (unsigned i = 0; i <= EAR_ROWS_NUMBERS; i++)
		strcat(many, " 1");
	check_refused("row", "line 7: a number is missing");
	check_refused("row 32 1", "line 7: a number is wrong");
	check_refused("row 1 2 x", "line 7: a number is missing");
	check_refused("row 1 2 -3", "line 7: a number is missing");
	check_refused("row 1 18446744073709551616", "line 7: a number is wrong");
	check_refused(many, "line 7: it has too many numbers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_they_come_back),
		cmocka_unit_test(test_they_can_be_taken_while_they_are_added),
		cmocka_unit_test(test_rows_that_are_alike_are_small),
		cmocka_unit_test(test_in_a_file),
		cmocka_unit_test(test_lines_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
