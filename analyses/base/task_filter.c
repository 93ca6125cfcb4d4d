/* Batches by task. A batch is mostly of one task, and passes as it is; one of several tasks goes
 * on record by record, which is rare: a switch of tasks takes many records.
 */
#include "analyses/base/task_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* While a batch is taken apart. */
struct taking {
	struct ear_task_filter *filter;
	ear_task_filter_taker *take;
	void *context;
};

/* ear_tasks_take: record by record where a batch is of several tasks. */
static int take_part(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	const struct taking *taking = context;
	struct ear_task_filter *filter = taking->filter;
	const bool wanted =
		!filter->task || (task != 0 && ear_tasks_is(filter->tasks, task, filter->task));
	int result = 0;

	filter->ran = filter->ran || wanted;
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

int ear_task_filter_take(struct ear_task_filter *filter, const struct ear_batch *batch,
	ear_task_filter_taker *take, void *context)
{
	const bool instructions = batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;
	struct taking taking = {filter, take, context};

	if (!filter->tasks)
		return take(context, batch, 0, !filter->task);
	if (instructions)
		return ear_tasks_batch(filter->tasks, batch, take_part, &taking);
	int result = ear_tasks_batch(filter->tasks, batch, NULL, NULL);
	return result ? result : take(context, batch, 0, !filter->task);
}

void ear_task_filter_describe(const struct ear_task_filter *filter, char text[EAR_PART_WORD_MAX])
{
	char all[1024], task[3 * 256 + 2], port[32] = "";

	ear_part_quote(task, sizeof(task), filter->task ? filter->task : "");
	if (filter->options.has_port)
		snprintf(port, sizeof(port), " port=0x%" PRIx64, filter->options.port);
	snprintf(all, sizeof(all), "%s%s%s%s", text, filter->task ? " task=" : "",
		filter->task ? task : "", port);
	if (strlen(all) < EAR_PART_WORD_MAX)
		snprintf(text, EAR_PART_WORD_MAX, "%s", all);
	else
		snprintf(text, EAR_PART_WORD_MAX, "%.3s options-%016" PRIx64, all,
			ear_part_hash(all));
}

void ear_task_filter_write(const struct ear_task_filter *filter, struct ear_part_writer *writer)
{
	if (filter->task)
		ear_part_write(writer, "task %u %" PRIu64, filter->ran, filter->events);
}

bool ear_task_filter_read(struct ear_task_filter *filter, struct ear_part_reader *reader)
{
	const char *word;
	uint64_t ran;

	if (!filter->task)
		return true;
	if (!ear_part_next(reader, &word))
		return false;
	if (!word || strcmp(word, "task") != 0)
		return ear_part_fail(reader, "whether the task ran is missing");
	if (!ear_part_number(reader, &ran, 1) ||
		!ear_part_number(reader, &filter->events, UINT64_MAX))
		return false;
	filter->ran |= ran;
	return true;
}
