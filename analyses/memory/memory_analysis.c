/* What a run did with memory, as an analysis. A part has rows of what happened to stacks and the
 * heap, which cost more than following them: so a trace that is one part is no part.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/memory/memory_part.h"

#define FIRST_STEP 1024u

static void describe(const void *count, char text[EAR_PART_WORD_MAX])
{
	const struct ear_usage_options *options = &((const struct ear_usage *)count)->options;
	char working[48] = "";

	if (options->working_set > 0)
		snprintf(working, sizeof(working), " working-set=%" PRIu64, options->working_set);
	snprintf(text, EAR_PART_WORD_MAX, "memory%s%s%s%s%s", options->names ? " names" : "",
		options->physical ? " physical" : "", working, options->no_loads ? " no-loads" : "",
		options->no_stores ? " no-stores" : "");
}

static void free_count(void *count)
{
	struct ear_usage *memory = count;

	if (!memory)
		return;
	for (uint32_t i = 0; i < memory->hart_count; i++)
		free(memory->harts[i]);
	for (uint32_t i = 0; i < memory->page_count; i++)
		free(memory->bits[i]);
	for (uint32_t i = 0; i < memory->line_capacity; i++)
		free(memory->lines[i]);
	ear_numbering_fini(&memory->page_numbers);
	ear_numbering_fini(&memory->range_numbers);
	ear_numbering_fini(&memory->site_numbers);
	ear_numbering_fini(&memory->block_numbers);
	for (uint32_t i = 0; i < memory->task_count; i++)
		free(memory->tasks[i].name);
	free(memory->tasks);
	ear_usage_part_free(memory);
	free(memory->harts);
	free(memory->bits);
	free(memory->lines);
	free(memory->shares);
	free(memory->pages);
	free(memory->ranges);
	free(memory->sites);
	free(memory->stacks);
	free(memory->rows);
	free(memory->blocks);
	free(memory);
}

static int create(void **count, const struct ear_analysis_setup *setup)
{
	const struct ear_usage_options *options = setup->options;
	struct ear_usage *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return EAR_E_NO_MEMORY;
	memory->options = *options;
	memory->whole = setup->whole;
	memory->follower = setup->tasks;
	for (unsigned i = 0; i < PAGE_CACHE; i++)
		memory->page_cache[i].page = UINT64_MAX;
	memset(memory->range_cache, 0xff, sizeof(memory->range_cache));
	memory->facts.step = FIRST_STEP;
	memory->step_end = FIRST_STEP;
	memory->interval_end = options->working_set ? options->working_set : UINT64_MAX;
	memory->facts.has_image = options->names && ear_names_file_count(options->names) > 0;
	if (ear_usage_heap_begin(memory) != 0 ||
		(setup->part && ear_usage_part_begin(memory) != 0)) {
		free_count(memory);
		return EAR_E_NO_MEMORY;
	}
	*count = memory;
	return 0;
}

/* Of one that is not wanted only what it leaves behind counts: which bytes are written, executed
 * and allocated. */
static void set_task(void *count, uint32_t task, bool wanted)
{
	struct ear_usage *memory = count;

	memory->task = task;
	memory->muted = !wanted;
}

static void list_tasks(struct ear_usage *part)
{
	struct ear_task_facts task = {.size = sizeof(task)};

	for (uint32_t i = 1; part->follower && i <= ear_tasks_count(part->follower); i++)
		if (ear_tasks_get(part->follower, i, &task))
			ear_usage_add_task(
				part, task.pid, strpbrk(task.name, "\n\r") ? NULL : task.name);
}

static void finish_whole(struct ear_usage *memory)
{
	const uint64_t end = memory->facts.begin + memory->seen;

	if (memory->options.working_set && end > memory->interval_begin)
		ear_usage_end_interval(memory, end - memory->interval_begin);
	ear_usage_heap_end(memory);
	ear_usage_sort_sites(memory);
	memory->facts.pages = memory->page_count;
	for (uint32_t i = 0; i < memory->hart_count; i++)
		memory->facts.harts += memory->harts[i] && memory->harts[i]->is_accessing;
	for (uint32_t i = 0; i < memory->page_count; i++)
		for (unsigned j = 0; j < WORDS; j++)
			memory->pages[i].touched += (unsigned)__builtin_popcountll(
				memory->bits[i]->written[j] | memory->bits[i]->read[j]);
}

static int finish(void *count)
{
	struct ear_usage *memory = count;

	if (memory->part) {
		ear_usage_report_rest(memory);
		list_tasks(memory);
	} else {
		finish_whole(memory);
	}
	return memory->failed ? EAR_E_NO_MEMORY : 0;
}

/* Parts do not look at the whole while it gets batches. */
static void again(void *whole, bool begins)
{
	struct ear_usage *memory = whole;

	memory_lock(memory);
	memory->is_hidden = begins;
	memory_unlock(memory);
}

const struct ear_analysis ear_memory_analysis = {
	.name = "memory",
	.unknown_line = "it is not a line of memory",
	.describe = describe,
	.create = create,
	.free = free_count,
	.task = set_task,
	.event = ear_usage_take_event,
	.batch = ear_usage_batch,
	.finish = finish,
	.join = ear_usage_join,
	.again = again,
	.walk = ear_usage_walk,
	.direct = true,
};
