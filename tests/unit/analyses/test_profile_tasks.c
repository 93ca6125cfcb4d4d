/* Profiles by task, process, privilege and hart, and of methods: parts that were cut anywhere are
 * the whole, and so are their files.
 */
#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/tasks.h>

#include "analyses/profile/by.h"
#include "analyses/profile/methods.h"
#include "random.h"
#include "task_trace.h"

#define RECORDS 160
#define SEEDS   8
#define METHODS 4 /* after the keys of ear_by */

/* One of the two. */
struct counter {
	unsigned view;
	struct ear_by *by;
	struct ear_methods *methods;
	struct ear_tasks *tasks;
	uint64_t events;
};

/* ---- Counting. ---- */

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct counter *counter = context;

	return counter->by ? ear_by_records(counter->by, batch, first, count, task)
			   : ear_methods_records(
				     counter->methods, counter->tasks, batch, first, count, task);
}

static void take_batch(struct counter *counter, const struct ear_batch *batch, bool counted)
{
	const bool other = batch->record && batch->record->kind != EAR_RECORD_INSTRUCTION;

	assert_int_equal(ear_tasks_batch(counter->tasks, batch, counted ? take : NULL, counter), 0);
	if (other && counted)
		assert_int_equal(take(counter, batch, 0, 1, 0), 0);
	else if (other && counter->methods)
		ear_methods_before(counter->methods, batch->record);
}

static struct counter new_counter(unsigned view, struct ear_tasks *tasks)
{
	struct counter counter = {.view = view, .tasks = tasks};

	if (view == METHODS) {
		assert_int_equal(ear_methods_new(&counter.methods), 0);
		if (tasks)
			ear_tasks_set_event(tasks, ear_methods_event, counter.methods);
	} else {
		assert_int_equal(ear_by_new(&counter.by, (enum ear_by_key)view, tasks), 0);
	}
	return counter;
}

static void free_counter(struct counter *counter)
{
	ear_by_free(counter->by);
	ear_methods_free(counter->methods);
}

/* What is at the positions from .. to - 1. */
static struct counter count(const struct task_trace *made, unsigned view, size_t from, size_t to)
{
	struct ear_trace *trace = task_trace_open(made);
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_tasks *tasks;

	assert_int_equal(ear_tasks_new(&tasks, trace, NULL, NULL), 0);
	struct counter counter = new_counter(view, tasks);
	for (size_t at = 0; at < to; at++) {
		assert_int_equal(ear_trace_next_batch(trace, &batch), 1);
		assert_int_equal(batch.count, 1);
		if (at == from && counter.methods)
			ear_methods_begin(counter.methods);
		take_batch(&counter, &batch, at >= from);
	}
	counter.events = ear_tasks_events(tasks);
	if (counter.by)
		assert_int_equal(ear_by_end(counter.by), 0);
	if (from == to && counter.methods)
		ear_methods_begin(counter.methods);
	ear_trace_close(trace);
	ear_tasks_free(tasks);
	counter.tasks = NULL;
	return counter;
}

static void join(struct counter *counter, struct counter *next)
{
	assert_int_equal(counter->by ? ear_by_join(counter->by, next->by)
				     : ear_methods_join(counter->methods, next->methods),
		0);
	free_counter(next);
}

/* ---- As text. ---- */

static void print_counts(FILE *file, const struct ear_profile_counts *counts)
{
	const uint64_t *numbers = &counts->records;

	for (size_t i = 0; i < EAR_PROFILE_COUNTS; i++)
		fprintf(file, " %" PRIu64, numbers[i]);
}

static void print_by(FILE *file, struct counter *counter)
{
	const struct ear_by_row *rows;
	const size_t row_count = ear_by_finish(counter->by, &rows);
	const struct ear_profile_shows shows = ear_by_shows(counter->by);

	for (size_t i = 0; i < row_count; i++) {
		fprintf(file, "%u %" PRIu64, rows[i].known, rows[i].key);
		print_counts(file, &rows[i].counts);
		const struct ear_by_task *task =
			counter->view == EAR_BY_TASK      ? ear_by_task(counter->by, rows[i].key)
			: counter->view == EAR_BY_PROCESS ? ear_by_process(counter->by, rows[i].key)
							  : NULL;
		if (task)
			fprintf(file, " %" PRIu64 " %u %" PRIu64 " %s", task->pid,
				task->has_process, task->process, task->name);
		fputc('\n', file);
	}
	fprintf(file, "%u %u %u %" PRIu64 "\n", shows.time, shows.accesses, shows.branches,
		ear_by_events(counter->by));
}

static void print_methods(FILE *file, struct counter *counter)
{
	const struct ear_method *rows;
	const size_t row_count = ear_methods_finish(counter->methods, &rows);
	const struct ear_profile_shows shows = ear_methods_shows(counter->methods);

	for (size_t i = 0; i < row_count; i++) {
		fprintf(file, "%u %u %" PRIx64 " %s %" PRIu64, rows[i].known, rows[i].native,
			rows[i].address, rows[i].name ? rows[i].name : "-", rows[i].calls);
		print_counts(file, &rows[i].self);
		print_counts(file, &rows[i].inclusive);
		fputc('\n', file);
	}
	fprintf(file, "%u %u %u %" PRIu64 "\n", shows.time, shows.accesses, shows.branches,
		ear_methods_unmatched(counter->methods));
}

/* All that it says; it is freed. */
static char *text_of(struct counter *counter)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	if (counter->by)
		print_by(file, counter);
	else
		print_methods(file, counter);
	assert_int_equal(fclose(file), 0);
	free_counter(counter);
	return text;
}

/* ---- Files. ---- */

static const struct ear_part_head head = {.analysis = "profile --by task",
	.options = "-",
	.trace = "-",
	.program = "-",
	.program_sha256 = "-",
	.begin = 0,
	.end = 10,
	.size = 20};

static char *write_part(const struct counter *counter, size_t *size)
{
	struct ear_part_writer writer;
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	assert_non_null(file);
	ear_part_write_head(&writer, file, &head);
	if (counter->by)
		ear_by_write(counter->by, &writer);
	else
		ear_methods_write(counter->methods, &writer, counter->events);
	ear_part_write_end(&writer);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* Returns false if the file is wrong, and the reader says where; free the counter all the same. */
static bool read_part(struct counter *counter, unsigned view, const char *text, size_t size)
{
	struct ear_part_reader reader;
	struct ear_part_head found;
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");

	assert_non_null(file);
	*counter = new_counter(view, NULL);
	const bool good =
		ear_part_open(&reader, file, &found) &&
		(counter->by ? ear_by_read(counter->by, &reader)
			     : ear_methods_read(counter->methods, &reader, &counter->events));
	if (!good)
		assert_int_equal(strncmp(reader.error, "line ", 5), 0);
	ear_part_close(&reader);
	fclose(file);
	return good;
}

/* The same, after it was in a file. */
static void pass_through_a_file(struct counter *counter)
{
	size_t size;
	char *text = write_part(counter, &size);
	struct counter again;

	assert_true(read_part(&again, counter->view, text, size));
	assert_int_equal(again.events, counter->methods ? counter->events : 0);
	free_counter(counter);
	*counter = again;
	free(text);
}

/* ---- Tests. ---- */

static void parts_are_the_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct random random = {seed};
		struct task_trace made;
		task_trace_make(&made, seed, RECORDS);
		for (unsigned view = 0; view <= METHODS; view++) {
			struct counter whole = count(&made, view, 0, made.count);
			char *expected = text_of(&whole);
			for (unsigned i = 0; i < 8; i++) {
				struct counter sum = count(&made, view, 0, 0);
				size_t at = 0, most = 1 + random_below(&random, made.count);
				while (at < made.count) {
					size_t next = at + 1 + random_below(&random, most);
					next = next < made.count ? next : made.count;
					struct counter part = count(&made, view, at, next);
					if (i % 2)
						pass_through_a_file(&part);
					join(&sum, &part);
					at = next;
				}
				char *text = text_of(&sum);
				assert_string_equal(text, expected);
				free(text);
			}
			free(expected);
		}
		task_trace_free(&made);
	}
}

/* Two parts, that are cut before each record, the second joined to a third. */
static void every_cut_is_good(void **state)
{
	struct task_trace made;

	(void)state;
	task_trace_make(&made, 99, RECORDS);
	for (unsigned view = 0; view <= METHODS; view++) {
		struct counter whole = count(&made, view, 0, made.count);
		char *expected = text_of(&whole);
		for (size_t at = 0; at <= made.count; at++) {
			const size_t later = at + (made.count - at) / 2;
			struct counter first = count(&made, view, 0, at),
				       second = count(&made, view, at, later),
				       third = count(&made, view, later, made.count);
			join(&second, &third);
			join(&first, &second);
			char *text = text_of(&first);
			assert_string_equal(text, expected);
			free(text);
		}
		free(expected);
	}
	task_trace_free(&made);
}

static void damaged_files_are_refused_or_another_part(void **state)
{
	struct random random = {7};
	unsigned good = 0, bad = 0;
	struct task_trace made;

	(void)state;
	task_trace_make(&made, 3, RECORDS);
	for (unsigned view = 0; view <= METHODS; view++) {
		struct counter part = count(&made, view, made.count / 3, made.count), read;
		size_t size;
		char *text = write_part(&part, &size);
		for (size_t i = 1; i < size; i += 1 + size / 50) {
			assert_false(read_part(&read, view, text, i));
			free_counter(&read);
		}
		for (unsigned i = 0; i < 400; i++) {
			const size_t at = random_below(&random, size);
			const char before = text[at];
			text[at] = (char)random_below(&random, 256);
			const bool taken = read_part(&read, view, text, size);
			if (taken) {
				struct counter sum = count(&made, view, 0, made.count / 3);
				join(&sum, &read);
				free(text_of(&sum));
			} else {
				free_counter(&read);
			}
			good += taken;
			bad += !taken;
			text[at] = before;
		}
		free(text);
		free_counter(&part);
	}
	assert_true(good > 0 && bad > 0);
	task_trace_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_the_whole),
		cmocka_unit_test(every_cut_is_good),
		cmocka_unit_test(damaged_files_are_refused_or_another_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
