/* Batches by task: ear_tasks_batch, and what is asked for of tasks. */
#include "cli/input/task_batches.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/options/options.h"
#include "common/hash.h"

bool task_batches_take_task(struct task_batches *tasks, const char *argument)
{
	tasks->task = argument;
	tasks->asked = true;
	return true;
}

bool task_batches_take_port(
	struct task_batches *tasks, const struct command_option *option, const char *argument)
{
	tasks->options.has_port = true;
	tasks->asked = true;
	return option_number(&tasks->options.port, option, argument, 0, UINT64_MAX);
}

bool task_batches_begin(struct task_batches *tasks, struct trace_input *input, uint64_t position)
{
	if (!tasks->asked)
		return true;
	int result = ear_tasks_new(&tasks->tasks, input->trace, &tasks->options, &input->progress);
	if (result == 0 && position > 0)
		result = ear_tasks_start(tasks->tasks, position, &input->progress);
	if (result == 0)
		return true;
	if (!cli_interrupted)
		trace_input_fail(input);
	return false;
}

void task_batches_end(struct task_batches *tasks)
{
	ear_tasks_free(tasks->tasks);
	tasks->tasks = NULL;
}

/* While a batch is taken apart. */
struct taking {
	struct task_batches *tasks;
	task_batches_taker *take;
	void *context;
};

/* ear_tasks_take: record by record where a batch is of several tasks. */
static int take_part(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	const struct taking *taking = context;
	struct task_batches *tasks = taking->tasks;
	const bool wanted =
		!tasks->task || (task != 0 && ear_tasks_is(tasks->tasks, task, tasks->task));
	int result = 0;

	tasks->ran = tasks->ran || wanted;
	if (count == batch->count)
		return taking->take(taking->context, batch, task, wanted);
	for (size_t i = first; i < first + count && result == 0; i++) {
		const struct ear_batch one = {.size = sizeof(one),
			.count = 1,
			.position = batch->position + i,
			.number = batch->number + i,
			.record = ear_batch_record(batch, i)};
		result = taking->take(taking->context, &one, task, wanted);
	}
	return result;
}

int task_batches_take(struct task_batches *tasks, const struct ear_batch *batch,
	task_batches_taker *take, void *context)
{
	const bool instructions = batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;
	struct taking taking = {tasks, take, context};

	if (!tasks->tasks)
		return take(context, batch, 0, !tasks->task);
	if (instructions)
		return ear_tasks_batch(tasks->tasks, batch, take_part, &taking);
	int result = ear_tasks_batch(tasks->tasks, batch, NULL, NULL);
	return result ? result : take(context, batch, 0, !tasks->task);
}

/* What is too long is there as a hash of it (FNV-1a). */
void task_batches_describe(const struct task_batches *tasks, char text[EAR_PART_WORD_MAX])
{
	char all[1024], task[3 * 256 + 2], port[32] = "";

	ear_part_quote(task, sizeof(task), tasks->task ? tasks->task : "");
	if (tasks->options.has_port)
		snprintf(port, sizeof(port), " port=0x%" PRIx64, tasks->options.port);
	snprintf(all, sizeof(all), "%s%s%s%s", text, tasks->task ? " task=" : "",
		tasks->task ? task : "", port);
	const size_t size = strlen(all);
	if (size < EAR_PART_WORD_MAX)
		memcpy(text, all, size + 1);
	else
		snprintf(text, EAR_PART_WORD_MAX, "%.3s options-%016" PRIx64, all,
			ear_hash_bytes(EAR_HASH_FNV, all, size));
}

void task_batches_write(const struct task_batches *tasks, struct ear_part_writer *writer)
{
	if (tasks->task)
		ear_part_write(writer, "task %u %" PRIu64, tasks->ran, tasks->events);
}

bool task_batches_read(struct task_batches *tasks, struct ear_part_reader *reader)
{
	const char *word;
	uint64_t ran;

	if (!tasks->task)
		return true;
	if (!ear_part_next(reader, &word))
		return false;
	if (!word || strcmp(word, "task") != 0)
		return ear_part_fail(reader, "whether the task ran is missing");
	if (!ear_part_number(reader, &ran, 1) ||
		!ear_part_number(reader, &tasks->events, UINT64_MAX))
		return false;
	tasks->ran |= ran;
	return true;
}

bool task_batches_check(const struct task_batches *tasks, const char *path)
{
	if (!tasks->task || tasks->ran)
		return true;
	if ((tasks->tasks ? ear_tasks_events(tasks->tasks) : tasks->events) == 0)
		cli_error("%s: no event says which task runs", path);
	else
		cli_error("%s: no task is '%s'", path, tasks->task);
	return false;
}
