/* Counting a part of a trace. What follows tasks got all that is before the part, so each record is
 * of the task that it is of in the whole, and tasks have the same numbers.
 */
#include "cli/commands/profile/profile_counter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void profile_counter_analysis(const struct profile_what *what, char text[EAR_PART_WORD_MAX])
{
	static const char *const keys[] = {[EAR_BY_TASK] = "task",
		[EAR_BY_PROCESS] = "process",
		[EAR_BY_PRIVILEGE] = "privilege",
		[EAR_BY_HART] = "hart"};

	if (what->has_by)
		snprintf(text, EAR_PART_WORD_MAX, "profile --by %s", keys[what->key]);
	else
		snprintf(text, EAR_PART_WORD_MAX, "profile%s",
			what->has_methods ? " --methods" : "");
}

bool profile_counter_follows(const struct profile_what *what)
{
	const bool by_task = what->key == EAR_BY_TASK || what->key == EAR_BY_PROCESS;

	return what->has_by ? by_task : what->has_methods || what->tasks.task;
}

/* ---- Begin and end. ---- */

int profile_counter_new(struct profile_counter *counter, const struct profile_what *what,
	struct ear_names *names, struct ear_tasks *tasks)
{
	*counter = (struct profile_counter){.tasks = what->tasks};
	counter->tasks.tasks = tasks;
	const bool traps = what->options.no_traps, interrupts = what->options.no_interrupts;
	if (!what->has_by && !what->has_methods)
		return ear_profile_new(&counter->profile, names, &what->options);
	int result = what->has_by ? ear_by_new(&counter->by, what->key, tasks)
				  : ear_methods_new(&counter->methods);
	if (result == 0 && what->has_by)
		ear_by_lacks(counter->by, traps, interrupts);
	else if (result == 0)
		ear_methods_lacks(counter->methods, traps, interrupts);
	if (result == 0 && what->has_methods && tasks)
		ear_tasks_set_event(tasks, ear_methods_event, counter->methods);
	return result;
}

void profile_counter_free(struct profile_counter *counter)
{
	ear_profile_free(counter->profile);
	ear_by_free(counter->by);
	ear_methods_free(counter->methods);
	*counter = (struct profile_counter){.profile = NULL};
}

int profile_counter_end(struct profile_counter *counter)
{
	if (counter->tasks.tasks)
		counter->task_events = ear_tasks_events(counter->tasks.tasks);
	counter->tasks.tasks = NULL;
	return counter->by ? ear_by_end(counter->by) : 0;
}

/* ---- Records. ---- */

/* ear_tasks_take: to the rows, or to the methods. */
static int take_records(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t task)
{
	struct profile_counter *counter = context;

	return counter->by ? ear_by_records(counter->by, batch, first, count, task)
			   : ear_methods_records(counter->methods, counter->tasks.tasks, batch,
				     first, count, task);
}

/* ear_task_filter_taker: to the profile. */
static int take_batch(void *context, const struct ear_batch *batch, uint32_t task, bool wanted)
{
	struct profile_counter *counter = context;

	(void)task;
	ear_profile_mute(counter->profile, !wanted);
	return ear_profile_batch(counter->profile, batch);
}

int profile_counter_before(struct profile_counter *counter, const struct ear_batch *batch)
{
	struct ear_methods *methods = counter->methods;

	if (!batch) {
		if (methods)
			ear_methods_begin(methods);
		return 0;
	}
	int result = ear_tasks_batch(counter->tasks.tasks, batch, NULL, NULL);
	if (methods && batch->record)
		ear_methods_before(methods, batch->record);
	return result;
}

int profile_counter_batch(struct profile_counter *counter, const struct ear_batch *batch)
{
	const bool instructions = batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;
	struct ear_tasks *tasks = counter->tasks.tasks;

	if (counter->profile)
		return ear_task_filter_take(&counter->tasks, batch, take_batch, counter);
	if (tasks && instructions)
		return ear_tasks_batch(tasks, batch, take_records, counter);
	int result = tasks ? ear_tasks_batch(tasks, batch, NULL, NULL) : 0;
	return result ? result : take_records(counter, batch, 0, batch->count, 0);
}

/* ---- Parts. ---- */

int profile_counter_join(struct profile_counter *counter, struct profile_counter *next)
{
	int result;

	if (!counter->profile && !counter->by && !counter->methods) {
		*counter = *next;
		*next = (struct profile_counter){.profile = NULL};
		return 0;
	}
	if (counter->by)
		result = ear_by_join(counter->by, next->by);
	else if (counter->methods)
		result = ear_methods_join(counter->methods, next->methods);
	else
		result = ear_profile_join(counter->profile, next->profile);
	counter->task_events = next->task_events;
	profile_counter_free(next);
	return result;
}

int profile_counter_write(struct profile_counter *counter, struct ear_part_writer *writer)
{
	if (counter->profile)
		return ear_profile_write(counter->profile, writer);
	if (counter->by)
		ear_by_write(counter->by, writer);
	else
		ear_methods_write(counter->methods, writer, counter->task_events);
	return 0;
}

bool profile_counter_read(struct profile_counter *counter, struct ear_part_reader *reader)
{
	if (counter->profile)
		return ear_profile_read(counter->profile, reader);
	if (counter->methods)
		return ear_methods_read(counter->methods, reader, &counter->task_events);
	bool good = ear_by_read(counter->by, reader);
	counter->task_events = ear_by_events(counter->by);
	return good;
}
