/* A random trace of tasks, printed record by record. Of each hart its index, its time and the task
 * that runs are kept, and nothing of methods: these are entered and left as it comes, also wrongly.
 */
#include "task_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "random.h"

#define TASKS   4
#define METHODS 5

struct making {
	FILE *file;
	struct random random;
	unsigned index[2], ticks[2], running[2];
};

static unsigned below(struct making *making, unsigned limit)
{
	return (unsigned)random_below(&making->random, limit);
}

static void put_event(struct making *making, unsigned hart, const char *name)
{
	fprintf(making->file,
		"{\"kind\":\"event\",\"schema\":2,\"hart\":%u,\"index\":%u,\"source\":0,"
		"\"value\":\"0x0\",\"name\":\"%s\"}\n",
		hart, making->index[hart], name);
}

static void put_random_event(struct making *making, unsigned hart)
{
	static const char *const kinds[] = {"method-enter", "method-enter", "method-exit",
		"method-unwind", "native-enter", "native-exit"};
	const unsigned task = below(making, TASKS), method = below(making, METHODS);
	char name[64];

	switch (below(making, 8)) {
	case 0: snprintf(name, sizeof(name), "process %u %u %c", task / 2, task, 'a' + task); break;
	case 1: snprintf(name, sizeof(name), "name %u t%u", task, below(making, 3)); break;
	case 2: snprintf(name, sizeof(name), "symbol 0x%x s%u", method, below(making, 9)); break;
	case 3:
	case 4:
		making->running[hart] = task;
		snprintf(name, sizeof(name), "switch %u", task);
		break;
	default:
		snprintf(name, sizeof(name), "%s %u 0x%x", kinds[below(making, 6)],
			making->running[hart], method);
		break;
	}
	put_event(making, hart, name);
}

static void put_gap(struct making *making, unsigned hart)
{
	fprintf(making->file,
		"{\"kind\":\"gap\",\"schema\":2,\"hart\":%u,\"index\":%u,\"offset\":1,"
		"\"reason\":\"%s\",\"count\":1,\"first\":%u,\"last\":%u}\n",
		hart, making->index[hart], below(making, 2) ? "unit-fifo" : "bytes-lost",
		making->index[hart], making->index[hart]);
	making->index[hart]++;
}

static void put_instruction(struct making *making, unsigned hart)
{
	const unsigned pc = 0x80000000u + 4 * below(making, 64);

	fprintf(making->file, "{\"kind\":\"instruction\",\"schema\":2,\"hart\":%u,\"index\":%u,",
		hart, making->index[hart]++);
	making->ticks[hart] += below(making, 9);
	if (below(making, 8))
		fprintf(making->file, "\"time\":%u,", making->ticks[hart]);
	if (below(making, 8))
		fprintf(making->file, "\"privilege\":\"%s\",", below(making, 2) ? "m" : "u");
	fprintf(making->file,
		"\"isa\":\"riscv\",\"xlen\":32,\"pc\":\"0x%x\",\"opcode\":\"0x13\","
		"\"opcode_size\":4,\"next_pc\":\"0x%x\"}\n",
		pc, pc + 4);
}

struct ear_trace *task_trace_open(const struct task_trace *made)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct ear_trace *trace = NULL;

	options.error = error;
	options.index = EAR_INDEX_NONE;
	const int result = ear_trace_open(&trace, made->path, &options);
	assert_string_equal(error, "");
	assert_int_equal(result, 0);
	return trace;
}

/* Gaps that follow each other may be read as one. */
static size_t count_records(const struct task_trace *made)
{
	struct ear_trace *trace = task_trace_open(made);
	struct ear_batch batch = {.size = sizeof(batch)};
	size_t count = 0;

	while (ear_trace_next_batch(trace, &batch) == 1)
		count += batch.count;
	ear_trace_close(trace);
	return count;
}

void task_trace_make(struct task_trace *made, uint64_t seed, size_t count)
{
	struct making making = {.random = {seed}};

	snprintf(made->path, sizeof(made->path), "/tmp/earshot-tasks-XXXXXX");
	int fd = mkstemp(made->path);
	assert_true(fd >= 0);
	making.file = fdopen(fd, "w");
	assert_non_null(making.file);
	for (size_t i = 0; i < count; i++) {
		const unsigned hart = below(&making, 5) == 0, kind = below(&making, 40);
		if (kind == 0 && i > 0)
			put_gap(&making, hart);
		else if (kind < 12 && i > 0)
			put_random_event(&making, hart);
		else
			put_instruction(&making, hart);
	}
	assert_int_equal(fclose(making.file), 0);
	made->count = count_records(made);
}

void task_trace_free(struct task_trace *made)
{
	unlink(made->path);
}
