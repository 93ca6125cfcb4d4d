/* Calls, and interrupts, as analyses. A part of either is rows of what happened, which cost more
 * than following it: so a trace that is one part is no part.
 */
#include <stdio.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/calls/call_log.h"
#include "analyses/calls/call_log_state.h"
#include "analyses/calls/interrupts.h"
#include "analyses/calls/interrupts_private.h"

/* ---- Calls. ---- */

/* A part that was made with names has tail calls. */
static void describe_calls(const void *count, char text[EAR_PART_WORD_MAX])
{
	const struct ear_call_log *log = count;

	strcpy(text, log->names ? "names" : "-");
}

static int create_calls(void **count, const struct ear_analysis_setup *setup)
{
	const struct ear_call_log_options *given = setup->options;
	const struct ear_call_log_options part = {
		.part = true, .lock = given->lock, .sums = given->sum && setup->whole};
	struct ear_call_log *log = NULL;

	int result = ear_call_log_new(&log, given->names, setup->part ? &part : given);
	*count = log;
	return result;
}

static void free_calls(void *count)
{
	ear_call_log_free(count);
}

static int start_calls(void *count, struct ear_moment *moment, const struct ear_progress *progress)
{
	(void)progress;
	const int result = ear_call_log_start(count, moment);
	return result == EAR_E_UNSUPPORTED ? 0 : result; /* no stack: the facts say so */
}

static void set_task(void *count, uint32_t task, bool wanted)
{
	struct ear_call_log *log = count;

	(void)task;
	log->unwanted = !wanted;
}

/* Calls of other tasks are followed, too. */
static int take_calls(void *count, const struct ear_batch *batch)
{
	struct ear_call_log *log = count;

	if (batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION)
		ear_call_log_skip(log, log->unwanted);
	return ear_call_log_batch(log, batch);
}

static int finish_calls(void *count)
{
	return ear_call_log_finish(count);
}

static int join_calls(void *whole, void *next)
{
	return ear_call_log_join(whole, next);
}

static void walk_calls(void *count, struct ear_part_walk *walk)
{
	struct ear_call_log *part = count;

	if (ear_part_reads(walk)) {
		ear_call_sum_free(part->own); /* a file has all in rows */
		part->own = NULL;
	}
	ear_rows_walk(&part->rows, walk);
}

const struct ear_analysis ear_calls_analysis = {
	.name = "calls",
	.unknown_line = "it is not a line of calls",
	.describe = describe_calls,
	.create = create_calls,
	.free = free_calls,
	.start = start_calls,
	.task = set_task,
	.batch = take_calls,
	.finish = finish_calls,
	.join = join_calls,
	.walk = walk_calls,
	.direct = true,
};

/* ---- Interrupts. ---- */

static void describe_interrupts(const void *count, char text[EAR_PART_WORD_MAX])
{
	const struct ear_interrupts *interrupts = count;
	char event[EAR_PART_WORD_MAX - 6];

	strcpy(text, "-");
	if (!interrupts->event)
		return;
	ear_part_quote(event, sizeof(event), interrupts->event);
	snprintf(text, EAR_PART_WORD_MAX, "event=%s", event);
}

static int create_interrupts(void **count, const struct ear_analysis_setup *setup)
{
	struct ear_interrupts *interrupts = NULL;

	int result = ear_interrupts_new(&interrupts, setup->options);
	if (result == 0 && setup->part)
		ear_interrupts_open(interrupts);
	*count = interrupts;
	return result;
}

static void free_interrupts(void *count)
{
	ear_interrupts_free(count);
}

static int take_interrupts(void *count, const struct ear_batch *batch)
{
	return ear_interrupts_batch(count, batch);
}

static int finish_interrupts(void *count)
{
	struct ear_interrupts *interrupts = count;

	if (interrupts->take_batch)
		return ear_interrupts_end(interrupts);
	ear_interrupts_finish(interrupts);
	return 0;
}

static int join_interrupts(void *whole, void *next)
{
	return ear_interrupts_join(whole, next);
}

static void walk_interrupts(void *count, struct ear_part_walk *walk)
{
	struct ear_interrupts *part = count;

	ear_rows_walk(&part->rows, walk);
}

const struct ear_analysis ear_interrupts_analysis = {
	.name = "calls --interrupts",
	.unknown_line = "it is not a line of interrupts",
	.describe = describe_interrupts,
	.create = create_interrupts,
	.free = free_interrupts,
	.batch = take_interrupts,
	.finish = finish_interrupts,
	.join = join_interrupts,
	.walk = walk_interrupts,
	.direct = true,
};
