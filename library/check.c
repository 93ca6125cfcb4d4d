/* The self-check of a whole trace, by a reader of its own. */
#include <earshot/check.h>

#include <earshot/trace.h>
#include <string.h>

#include "check/checker.h"
#include "common/versioned.h"
#include "library/trace_internal.h"

static int read_all(struct ear_trace *trace, struct ear_cursor *cursor, struct ear_checker *checker,
	struct ear_meter *meter)
{
	struct ear_batch batch;
	int result;

	while ((result = ear_cursor_next_batch(cursor, &batch, SIZE_MAX)) == 1) {
		for (size_t i = 0; i < batch.count; i++) {
			int answer = ear_checker_push(checker, ear_batch_record(&batch, i),
				batch.position + i, batch.number + i);
			if (answer == EAR_E_NO_MEMORY)
				return ear_trace_fail(trace, answer, "out of memory");
			if (answer == EAR_E_FULL)
				return ear_trace_fail(trace, answer,
					"the trace has more than %d harts", EAR_CHECKER_HARTS_MAX);
			if (answer)
				return answer;
		}
		if (ear_meter_pass(meter, batch.count))
			return ear_trace_fail(trace, EAR_E_CANCELLED, "cancelled");
	}
	return result < 0 ? ear_trace_fail_reading(trace, cursor, result) : 0;
}

/* Does the trace show all that an instruction did? Captures do, but not those made of a text that
 * lacks something. */
static bool is_captured(struct ear_trace *trace)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	char fields[8];

	return ear_trace_facts(trace, &facts) == 0 && strcmp(facts.format, "shot") == 0 &&
	       ear_trace_fact(trace, "not_told", fields, sizeof(fields)) < 0;
}

static int check(struct ear_trace *trace, const struct ear_check_options *options,
	ear_violation_found *found, void *context, struct ear_check_counts *counts,
	const struct ear_progress *progress)
{
	const struct ear_checker_options inner = {
		.captured = is_captured(trace),
		.rules = options->rules,
		.devices = trace->options.devices,
		.device_count = trace->options.device_count,
		.found = found,
		.context = context,
	};
	struct ear_cursor cursor = ear_trace_cursor(trace);
	struct ear_checker *checker;
	struct ear_meter meter;

	cursor.with_reads = trace->options.reads;
	int result = ear_checker_new(&checker, &inner);
	if (result) {
		ear_cursor_close(&cursor);
		return ear_trace_fail(trace, result, "out of memory");
	}
	ear_meter_begin(&meter, progress, "checking", 0);
	result = read_all(trace, &cursor, checker, &meter);
	struct ear_check_counts all = *ear_checker_counts(checker);
	(void)ear_versioned_write(counts, &all, sizeof(all));
	ear_checker_free(checker);
	ear_cursor_close(&cursor);
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
