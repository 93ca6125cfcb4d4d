/* The self-check of a whole trace, by a reader of its own. */
#include <earshot/check.h>

#include <earshot/trace.h>
#include <string.h>

#include "common/versioned.h"
#include "library/api/check_internal.h"
#include "library/api/trace_internal.h"
#include "library/check/checker.h"
#include "library/source/source_runs.h"

/* Why the checker ended it. */
int ear_check_fail(struct ear_trace *trace, int result)
{
	if (result == EAR_E_NO_MEMORY)
		return ear_trace_fail(trace, result, "out of memory");
	if (result == EAR_E_FULL)
		return ear_trace_fail(
			trace, result, "the trace has more than %d harts", EAR_CHECKER_HARTS_MAX);
	return result; /* of the caller's function */
}

static int read_all(struct ear_trace *trace, struct ear_cursor *cursor, struct ear_checker *checker,
	struct ear_source_runs *runs, struct ear_meter *meter)
{
	uint64_t position = 0, number = 0;
	struct ear_source_run next;
	int result;

	while ((result = ear_source_runs_next(runs, &next, EAR_COMPACT_RUN_MAX)) == 1) {
		size_t count = next.run ? next.run->count : 1;
		int answer = next.run ? ear_checker_push_run(checker, next.run, next.compacts,
						next.operands, position, number)
				      : ear_checker_push(checker, next.record, position, number);
		if (answer)
			return ear_check_fail(trace, answer);
		ear_seen_note(&trace->seen, position, number, count, next.run ? NULL : next.record);
		position += count;
		if (next.run || next.record->kind == EAR_RECORD_INSTRUCTION)
			number += count;
		if (ear_meter_pass(meter, count))
			return ear_trace_fail(trace, EAR_E_CANCELLED, "cancelled");
	}
	if (result == 0)
		ear_seen_end(&trace->seen, position, cursor->source);
	return result < 0 ? ear_trace_fail_reading(trace, cursor, result) : 0;
}

/* All records, from a reader of its own. */
static int read_from_beginning(
	struct ear_trace *trace, struct ear_checker *checker, struct ear_meter *meter)
{
	struct ear_cursor cursor = ear_trace_cursor(trace);
	struct ear_source_runs runs = {.source = NULL};

	int result = ear_cursor_open(&cursor);
	if (result) {
		result = ear_trace_fail_reading(trace, &cursor, result);
	} else {
		if (trace->options.reads)
			ear_source_with_operands(cursor.source);
		result = ear_source_runs_init(
			&runs, cursor.source, ear_source_text_format(cursor.source) != NULL);
		result = result ? ear_trace_fail(trace, result, "out of memory")
				: read_all(trace, &cursor, checker, &runs, meter);
	}
	ear_source_runs_fini(&runs);
	ear_cursor_close(&cursor);
	return result;
}

/* Does the trace show all that an instruction did? Captures do, but not those made of a text that
 * lacks something, and those of a retire port without results or accesses. */
bool ear_check_is_captured(struct ear_trace *trace)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	char fields[8];

	return ear_trace_facts(trace, &facts) == 0 && strcmp(facts.format, "shot") == 0 &&
	       ear_trace_fact(trace, "not_told", fields, sizeof(fields)) < 0 &&
	       ear_trace_carries(trace, "integer register write") == 1 &&
	       ear_trace_carries(trace, "store address") == 1;
}

/* Is it of a format in which each interrupt is a record? */
static bool shows_interrupts(struct ear_trace *trace)
{
	static const char *const formats[] = {"whisper", "whisper-log", "sail"};
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	if (ear_trace_facts(trace, &facts))
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(facts.format, formats[i]) == 0)
			return true;
	return false;
}

struct ear_checker_options ear_check_inner(struct ear_trace *trace,
	const struct ear_check_options *options, ear_violation_found *found, void *context)
{
	return (struct ear_checker_options){
		.captured = ear_check_is_captured(trace),
		.shows_interrupts = shows_interrupts(trace),
		.rules = options->rules,
		.devices = trace->options.devices,
		.device_count = trace->options.device_count,
		.image = trace->memory.image,
		/* The opcodes of a branch trace are the program's own. */
		.image_count = trace->options.code ? 0 : trace->memory.image_count,
		.reset = options->reset,
		.assumed = options->assumed,
		.assumed_count = options->assumed_count,
		.found = found,
		.context = context,
	};
}

static int check(struct ear_trace *trace, const struct ear_check_options *options,
	ear_violation_found *found, void *context, struct ear_check_counts *counts,
	const struct ear_progress *progress)
{
	const struct ear_checker_options inner = ear_check_inner(trace, options, found, context);
	struct ear_checker *checker;
	struct ear_meter meter;

	int result = ear_checker_new(&checker, &inner);
	if (result)
		return ear_trace_fail(trace, result, "out of memory");
	ear_meter_begin(&meter, progress, "checking", 0);
	result = read_from_beginning(trace, checker, &meter);
	struct ear_check_counts all = *ear_checker_counts(checker);
	(void)ear_versioned_write(counts, &all, sizeof(all));
	ear_checker_free(checker);
	return result;
}

int ear_trace_check(struct ear_trace *trace, const struct ear_check_options *options,
	ear_violation_found *found, void *context, struct ear_check_counts *counts,
	const struct ear_progress *progress)
{
	struct ear_check_options taken = EAR_CHECK_DEFAULTS;

	if (options && ear_versioned_read(&taken, sizeof(taken), options))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the options is none");
	if (counts->size == 0)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the counts is none");
	int result = ear_trace_need_places(trace, "checking all records");
	return result ? result : check(trace, &taken, found, context, counts, progress);
}
