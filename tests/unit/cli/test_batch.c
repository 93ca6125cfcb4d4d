/* Many traces at once: what words become, in which order answers come, and the table at the end. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/notes.h"
#include "cli/batch/batch_groups.h"
#include "cli/batch/batch_junit.h"
#include "cli/batch/batch_list.h"
#include "cli/batch/batch_outputs.h"
#include "cli/batch/batch_pairs.h"
#include "cli/batch/batch_run.h"
#include "cli/batch/batch_table.h"

#define TRACE "{\"pc\":\"0x80000000\",\"opcode\":\"0x13\"}\n"

static char folder[] = "/tmp/earshot-test-XXXXXX";

static void write_file(const char *name, const char *text, size_t size)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
	write_file(name, text, strlen(text));
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[sizeof(folder) + 16];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") == 0 ? system(command) : -1;
}

static void names_stay_below_a_folder(void **state)
{
	static const struct {
		const char *path, *name;
	} rows[] = {
		{"a.shot", "a.shot"},
		{"runs/1/a.shot", "runs/1/a.shot"},
		{"./runs//a.shot", "runs//a.shot"},
		{".//a.shot", "a.shot"},
		{"/tmp/a.shot", "a.shot"},
		{"../a.shot", "a.shot"},
		{"runs/../../a.shot", "a.shot"},
		{"runs/..", ".."}, /* a folder, whose name is not used */
		{"..a/b..c", "..a/b..c"},
		{"-", "-"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(rows[i].path + batch_list_name_at(rows[i].path), rows[i].name);
}

static void expect_paths(const struct batch_list *list, const char *expected)
{
	char text[1024] = "";

	for (size_t i = 0; i < list->count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%s%s ",
			list->items[i].path, list->items[i].name, list->items[i].error ? "!" : "");
	assert_string_equal(text, expected);
}

static void a_folder_is_its_traces_in_order(void **state)
{
	struct batch_list list;
	char text[256];

	(void)state;
	assert_int_equal(mkdir("runs", 0777), 0);
	assert_int_equal(mkdir("runs/b", 0777), 0);
	write_text("runs/c", TRACE);
	write_text("runs/a", TRACE);
	write_text("runs/b/z", TRACE);
	write_text("runs/b/notes.shot", "no trace, whatever its name\n");
	write_text("runs/empty", "");
	assert_int_equal(mkfifo("runs/pipe", 0666), 0);
	assert_int_equal(symlink("..", "runs/b/up"), 0); /* a loop */
	assert_int_equal(symlink("/etc", "runs/out"), 0);
	assert_true(batch_list_make(&list, (char *[]){"runs"}, 1));
	expect_paths(&list, "runs/a=a runs/b/z=b/z runs/c=c ");
	assert_int_equal(list.others, 2);
	batch_list_text(&list, text, sizeof(text));
	assert_string_equal(text, "3 traces; 2 other files skipped, 2 symbolic links not followed, "
				  "1 device, pipe, socket or mount skipped");
	batch_list_free(&list);

	/* What is named is a trace, whatever it holds; a slash at the end is none of a name. */
	assert_true(batch_list_make(&list, (char *[]){"runs/b/", "runs/empty", "missing"}, 3));
	expect_paths(&list, "runs/b/z=z runs/empty=runs/empty missing=missing ");
	batch_list_free(&list);
}

static void a_list_names_files_and_folders(void **state)
{
	struct batch_list list;

	(void)state;
	write_text("list", "runs/c\n\n@list\nruns/b");
	assert_true(batch_list_make(&list, (char *[]){"@list"}, 1));
	expect_paths(&list, "runs/c=runs/c @list=@list runs/b/z=z ");
	batch_list_free(&list);

	write_file("list", "one\ntwo\0runs/b\0", 15);
	assert_true(batch_list_make(&list, (char *[]){"@list"}, 1));
	expect_paths(&list, "one\ntwo=one\ntwo runs/b/z=z ");
	batch_list_free(&list);

	assert_true(batch_list_make(&list, (char *[]){"@nothing"}, 1));
	expect_paths(&list, "@nothing=@nothing! ");
	assert_string_equal(list.items[0].error, strerror(ENOENT));
	batch_list_free(&list);
}

static void one_file_needs_no_batch(void **state)
{
	(void)state;
	assert_false(batch_list_is_wanted((char *[]){"runs/a"}, 1));
	assert_false(batch_list_is_wanted((char *[]){"-"}, 1));
	assert_false(batch_list_is_wanted((char *[]){"missing"}, 1));
	assert_false(batch_list_is_wanted(NULL, 0));
	assert_true(batch_list_is_wanted((char *[]){"runs"}, 1));
	assert_true(batch_list_is_wanted((char *[]){"@-"}, 1));
	assert_true(batch_list_is_wanted((char *[]){"a", "b"}, 2));
}

static void endings_of_formats_are_no_name(void **state)
{
	static const struct {
		const char *name;
		size_t length;
	} rows[] = {{"a.csv.gz", 1}, {"x/a.spike.log", 3}, {"a.shot", 1}, {"a.1", 3},
		{"a.v2.shot", 4}, {"x/.csv", 6}, {".gz", 3}, {"folder.trace/", 6}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(batch_pairs_stem(rows[i].name), rows[i].length);
}

static void add_names(struct batch_list *list, const char *side, const char *const *names)
{
	char path[64];

	*list = (struct batch_list){0};
	for (; *names; names++) {
		snprintf(path, sizeof(path), "%s/%s", side, *names);
		assert_true(batch_list_add(list, path, strlen(side) + 1, NULL));
	}
}

static void expect_pairs(const char *rule, const char *const *a_names, const char *const *b_names,
	const char *expected)
{
	struct batch_list a, b, pairs;
	char text[1024] = "";

	add_names(&a, "A", a_names);
	add_names(&b, "B", b_names);
	assert_true(batch_pairs_make(&pairs, &a, &b, rule));
	for (size_t i = 0; i < pairs.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%s ",
			pairs.items[i].path,
			pairs.items[i].other   ? pairs.items[i].other
			: pairs.items[i].error ? "-"
					       : "");
	assert_string_equal(text, expected);
	batch_list_free(&a);
	batch_list_free(&b);
	batch_list_free(&pairs);
}

static void traces_of_equal_keys_are_pairs(void **state)
{
	static const char *const a[] = {"x/s2.shot", "x/s10.shot", "one.shot", NULL};
	static const char *const b[] = {"s2.csv", "x/s10.csv.gz", "x/s2.log", "two.csv", NULL};

	(void)state;
	expect_pairs("name", a, b,
		"A/x/s2.shot=B/x/s2.log A/x/s10.shot=B/x/s10.csv.gz A/one.shot=- B/s2.csv=- "
		"B/two.csv=- ");
	expect_pairs("file", a, b, /* two of B are s2 */
		"A/x/s2.shot=- A/x/s10.shot=B/x/s10.csv.gz A/one.shot=- B/s2.csv=- B/x/s2.log=- "
		"B/two.csv=- ");
	expect_pairs("s(1)[0-9]", a, b,
		"A/x/s2.shot=- A/x/s10.shot=B/x/s10.csv.gz A/one.shot=- B/s2.csv=- B/x/s2.log=- "
		"B/two.csv=- ");
}

static void a_wrong_expression_makes_no_pairs(void **state)
{
	struct batch_list a = {0}, b = {0}, pairs;

	(void)state;
	assert_false(batch_pairs_make(&pairs, &a, &b, "s("));
}

static void outputs_keep_the_tree_and_are_never_written_over(void **state)
{
	static const char *const names[] = {
		"x/a.csv.gz", "b.csv", "b.log", "b.csv.jsonl", "there.csv", "d.shot", NULL};
	struct batch_list list;
	char text[1024] = "";

	(void)state;
	add_names(&list, "A", names);
	assert_int_equal(mkdir("out", 0777), 0);
	write_text("out/there.shot", "");
	assert_true(batch_outputs_choose(&list, "out", ".shot", false));
	for (size_t i = 0; i < list.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s ",
			list.items[i].output, list.items[i].error ? "!" : "");
	assert_string_equal(text, "out/x/a.shot out/b.csv.shot! out/b.log.shot out/b.csv.shot! "
				  "out/there.shot! out/d.shot ");
	assert_string_equal(list.items[4].error,
		"out/there.shot: it is there already (--overwrite writes over it)");
	batch_list_free(&list);
	assert_true(batch_outputs_make_folders("out/p/q/r.shot"));
	assert_int_equal(access("out/p/q", W_OK), 0);
	assert_int_equal(access("out/p/q/r.shot", F_OK), -1);
	assert_false(batch_outputs_make_folders("out/there.shot/x/y"));
}

/* ---- Processes. ---- */

#define PIECES 100

static struct answers {
	char text[4096];
	size_t count, end_after;
	int statuses[PIECES], signals[PIECES];
} answers;

/* The later, the sooner done. */
static int work(void *context, size_t index)
{
	(void)context;
	usleep((useconds_t)(index % 7 == 0 ? 3000 : 0));
	dprintf(STDOUT_FILENO, "%zu ", index);
	notes_number("number", index);
	if (index == 3)
		raise(SIGKILL);
	return index == 5 ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

static bool take(void *context, size_t index, struct batch_result *result)
{
	unsigned long number;
	size_t used = strlen(answers.text);

	(void)context;
	assert_int_equal(fscanf(result->notes, "number %lu", &number), 1);
	assert_int_equal(number, index);
	used += fread(answers.text + used, 1, sizeof(answers.text) - used - 1, result->output);
	answers.text[used] = '\0';
	answers.statuses[index] = result->status;
	answers.signals[index] = result->signal;
	return ++answers.count != answers.end_after;
}

static void answers_come_in_order_whatever_ended_first(void **state)
{
	char expected[4096] = "";

	(void)state;
	for (int i = 0; i < PIECES; i++)
		snprintf(expected + strlen(expected), 16, "%d ", i);
	for (unsigned jobs = 1; jobs < 10; jobs += 3) {
		const struct batch_work all = {NULL, PIECES, jobs, work, take, NULL};

		answers = (struct answers){.count = 0};
		assert_int_equal(batch_run(&all), PIECES);
		assert_string_equal(answers.text, expected);
		assert_int_equal(answers.statuses[3], EAR_EXIT_FAILED);
		assert_int_equal(answers.signals[3], SIGKILL);
		assert_int_equal(answers.statuses[4], EAR_EXIT_DONE);
		assert_int_equal(answers.statuses[5], EAR_EXIT_NO);
	}
}

static void no_other_begins_after_the_end(void **state)
{
	const struct batch_work all = {NULL, PIECES, 2, work, take, NULL};

	(void)state;
	answers = (struct answers){.end_after = 2};
	batch_run(&all);
	assert_int_equal(answers.count, 2);
	assert_string_equal(answers.text, "0 1 ");
}

/* ---- The table. ---- */

static void a_total_needs_the_number_of_each_row(void **state)
{
	static const char *const columns[] = {"records", "gaps", NULL};
	struct batch_list list = {0};
	struct batch_table table;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_true(batch_list_add(&list, "a\nb", 0, NULL));
	assert_true(batch_list_add(&list, "c", 0, NULL));
	assert_true(batch_list_add(&list, "d", 0, "why not"));
	assert_true(batch_list_add(&list, "e", 0, NULL));
	assert_true(batch_table_init(&table, &list, columns, "differs"));
	assert_int_equal(batch_table_status(&table), EAR_EXIT_FAILED);
	for (size_t i = 0; i < 4; i++)
		batch_table_set(&table, i, BATCH_DONE);
	assert_int_equal(batch_table_status(&table), EAR_EXIT_DONE);
	batch_table_note(&table.rows[0], &table, "records", 7);
	batch_table_note(&table.rows[0], &table, "gaps", 1);
	batch_table_note(&table.rows[1], &table, "records", 10);
	batch_table_note(&table.rows[1], &table, "others", 10);
	batch_table_set(&table, 1, BATCH_NO);
	assert_int_equal(batch_table_status(&table), EAR_EXIT_NO);
	batch_table_set(&table, 2, BATCH_FAILED);
	batch_table_set(&table, 3, BATCH_NOT_DONE);
	assert_int_equal(batch_table_status(&table), EAR_EXIT_FAILED);
	batch_table_print(&table, file);
	fclose(file);
	assert_string_equal(text, "       records            gaps  state     trace\n"
				  "             7               1  done      a\\x0ab\n"
				  "            10               -  differs   c\n"
				  "             -               -  failed    d\n"
				  "             -               -  not done  e\n"
				  "            17               -            total\n"
				  "4 traces: 1 done, 1 differs, 1 failed, 1 not done\n");
	free(text);
	batch_table_fini(&table);
	batch_list_free(&list);
}

static char *text_of(
	void (*print)(const struct batch_table *table, FILE *to), const struct batch_table *table)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	print(table, file);
	fclose(file);
	return text;
}

static void write_junit(const struct batch_table *table, FILE *to)
{
	batch_junit_write(table, "diff", to);
}

static void the_largest_group_is_first(void **state)
{
	static const char *const columns[] = {NULL};
	static const char *const found[] = {"x1", "x2", "x1", NULL, "x3", "x2", "x2", "x2"};
	struct batch_list list = {0};
	struct batch_table table;
	char name[2] = "a";

	(void)state;
	for (size_t i = 0; i < COUNT_OF(found); i++, name[0]++)
		assert_true(batch_list_add(&list, name, 0, NULL));
	assert_true(batch_table_init(&table, &list, columns, "differs"));
	for (size_t i = 0; i < COUNT_OF(found); i++) {
		batch_table_set(&table, i, found[i] ? BATCH_NO : BATCH_FAILED);
		table.rows[i].text = found[i] ? strdup(found[i]) : NULL;
	}
	char *text = text_of(batch_groups_print, &table);
	assert_string_equal(text, "\n  count  found first\n"
				  "      4  x2: b, f, g, ...\n"
				  "      2  x1: a, c\n"
				  "      1  x3: e\n");
	free(text);
	batch_table_fini(&table);
	batch_list_free(&list);
}

static void no_name_forges_a_test_case(void **state)
{
	static const char *const columns[] = {NULL};
	struct batch_list list = {0};
	struct batch_table table;

	(void)state;
	assert_true(batch_list_add(&list, "\"/><testcase name=\"&\n", 0, NULL));
	assert_true(batch_list_add(&list, "good", 0, NULL));
	assert_true(batch_list_add(&list, "left", 0, NULL));
	assert_true(batch_table_init(&table, &list, columns, "differs"));
	batch_table_set(&table, 0, BATCH_NO);
	table.rows[0].text = strdup("x<1>");
	batch_table_set(&table, 1, BATCH_DONE);
	char *text = text_of(write_junit, &table);
	assert_string_equal(text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"  <testsuite name=\"earshot diff\" tests=\"3\" failures=\"1\" errors=\"0\" "
		"skipped=\"1\">\n"
		"    <testcase classname=\"earshot.diff\" "
		"name=\"&quot;/&gt;&lt;testcase name=&quot;&amp;?\">\n"
		"      <failure message=\"x&lt;1&gt;\"/>\n"
		"    </testcase>\n"
		"    <testcase classname=\"earshot.diff\" name=\"good\"/>\n"
		"    <testcase classname=\"earshot.diff\" name=\"left\">\n"
		"      <skipped message=\"not done\"/>\n"
		"    </testcase>\n"
		"  </testsuite>\n"
		"</testsuites>\n");
	free(text);
	batch_table_fini(&table);
	batch_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_below_a_folder),
		cmocka_unit_test(a_folder_is_its_traces_in_order),
		cmocka_unit_test(a_list_names_files_and_folders),
		cmocka_unit_test(one_file_needs_no_batch),
		cmocka_unit_test(endings_of_formats_are_no_name),
		cmocka_unit_test(traces_of_equal_keys_are_pairs),
		cmocka_unit_test(a_wrong_expression_makes_no_pairs),
		cmocka_unit_test(outputs_keep_the_tree_and_are_never_written_over),
		cmocka_unit_test(answers_come_in_order_whatever_ended_first),
		cmocka_unit_test(no_other_begins_after_the_end),
		cmocka_unit_test(a_total_needs_the_number_of_each_row),
		cmocka_unit_test(the_largest_group_is_first),
		cmocka_unit_test(no_name_forges_a_test_case),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
