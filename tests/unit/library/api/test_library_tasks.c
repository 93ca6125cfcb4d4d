/* Tasks: each record is of the task that the events before it say, hart by hart. */
#include "check.h"

#include <earshot/earshot.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RECORDS 64

struct taken {
	uint64_t pids[RECORDS]; /* of the records in order; UINT64_MAX: not known */
	size_t count;
	struct ear_tasks *tasks;
};

static int take(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct taken *taken = context;
	struct ear_task_facts facts = {.size = sizeof(facts)};

	assert_true(first + count <= batch->count);
	assert_int_equal(ear_tasks_get(taken->tasks, task, &facts), task > 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(taken->count < RECORDS);
		taken->pids[taken->count++] = task > 0 ? facts.pid : UINT64_MAX;
	}
	return 0;
}

/* A text of ours: "i HART" is an instruction, "g" a gap, another word an event of tasks. */
static void write_text(char *path, const char *const *lines)
{
	unsigned index[2] = {0, 0};
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	for (unsigned hart; *lines; lines++)
		if (sscanf(*lines, "i %u", &hart) == 1)
			fprintf(file,
				"{\"kind\":\"instruction\",\"schema\":2,\"hart\":%u,\"index\":%u,"
				"\"isa\":\"riscv\",\"xlen\":32,\"pc\":\"0x80000000\",\"opcode\":"
				"\"0x13\",\"opcode_size\":4,\"next_pc\":\"0x80000004\"}\n",
				hart, index[hart]++);
		else if (**lines == 'g')
			fprintf(file,
				"{\"kind\":\"gap\",\"schema\":2,\"hart\":0,\"index\":%u,"
				"\"reason\":\"host-ring\"}\n",
				index[0]);
		else
			fprintf(file,
				"{\"kind\":\"event\",\"schema\":2,\"hart\":0,\"index\":%u,"
				"\"source\":0,\"name\":\"%s\"}\n",
				index[0], *lines);
	assert_int_equal(fclose(file), 0);
}

static void tasks_are_those_of_the_events(void **state)
{
	static const char *const lines[] = {"i 0", "i 1", "process 1 1 init", "switch 1", "i 0",
		"fork 2 2", "name 2 child", "clone 2 3", "i 1", "switch 3", "i 0", "i 0",
		"switch 2", "i 0", "g", "i 0", "switch 1", "i 0", NULL};
	static const uint64_t expected[] = {0, 0, 1, 0, 3, 3, 2, UINT64_MAX, 1};
	char path[] = "/tmp/earshot-tasks-XXXXXX";
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_task_facts facts = {.size = sizeof(facts)};
	struct taken taken = {.count = 0};
	struct ear_trace *trace;
	unsigned found = 0;

	(void)state;
	write_text(path, lines);
	options.index = EAR_INDEX_NONE;
	options.format = "json";
	assert_int_equal(ear_trace_open(&trace, path, &options), 0);
	assert_int_equal(ear_tasks_new(&taken.tasks, trace, NULL, NULL), 0);
	while (ear_trace_next_batch(trace, &batch) == 1)
		assert_int_equal(ear_tasks_batch(taken.tasks, &batch, take, &taken), 0);
	assert_int_equal(taken.count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < taken.count; i++)
		assert_int_equal(taken.pids[i], expected[i]);
	assert_int_equal(ear_tasks_events(taken.tasks), 8);
	assert_int_equal(ear_tasks_count(taken.tasks), 4);
	for (uint32_t i = 1; i <= 4; i++) {
		assert_true(ear_tasks_get(taken.tasks, i, &facts));
		if (facts.pid == 3) {
			assert_true(facts.has_process);
			assert_int_equal(facts.process, 2);
			assert_string_equal(facts.name, "init");
			found++;
		} else if (facts.pid == 2) {
			assert_string_equal(facts.name, "child");
			assert_true(ear_tasks_is(taken.tasks, i, "child"));
			assert_true(ear_tasks_is(taken.tasks, i, "2"));
			assert_false(ear_tasks_is(taken.tasks, i, "init"));
			found++;
		}
	}
	assert_int_equal(found, 2);
	assert_false(ear_tasks_get(taken.tasks, 0, &facts));
	assert_false(ear_tasks_get(taken.tasks, 5, &facts));
	facts.size = 0;
	assert_false(ear_tasks_get(taken.tasks, 1, &facts));
	ear_tasks_free(taken.tasks);
	ear_tasks_free(NULL);
	ear_trace_close(trace);
	unlink(path);
}

static int stop(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	(void)context;
	(void)batch;
	(void)first;
	(void)count;
	(void)task;
	return 77;
}

static void a_taker_ends_it(void **state)
{
	static const char *const lines[] = {"i 0", "i 0", NULL};
	const struct ear_tasks_options wrong = {.size = 0};
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char path[] = "/tmp/earshot-tasks-XXXXXX";
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_tasks *tasks;
	struct ear_trace *trace;

	(void)state;
	write_text(path, lines);
	options.index = EAR_INDEX_NONE;
	options.format = "json";
	assert_int_equal(ear_trace_open(&trace, path, &options), 0);
	assert_int_equal(ear_tasks_new(&tasks, trace, &wrong, NULL), EAR_E_BAD_ARGUMENT);
	assert_int_equal(ear_tasks_new(&tasks, trace, NULL, NULL), 0);
	assert_int_equal(ear_trace_next_batch(trace, &batch), 1);
	assert_int_equal(ear_tasks_batch(tasks, &batch, stop, NULL), 77);
	assert_int_equal(ear_tasks_events(tasks), 0);
	ear_tasks_free(tasks);
	ear_trace_close(trace);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_are_those_of_the_events),
		cmocka_unit_test(a_taker_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
