/* The self-check of a part of a trace, and of parts together.
 *
 * What a part could not know is checked where parts are joined (library/check/check_replay.h). If
 * something is not as the part supposed, the checker of before it gets the records instead: so the
 * result is that of the whole always, and only the time depends on how often that is. What was
 * found until then was right, and is not found again.
 */
#include <earshot/check.h>

#include <earshot/error.h>
#include <earshot/moment.h>
#include <stdlib.h>

#include "common/versioned.h"
#include "library/api/check_internal.h"
#include "library/api/indexed.h"
#include "library/check/check_part.h"
#include "library/check/check_replay.h"

_Static_assert(EAR_CHECK_ROW_MAX == CHECK_ROW_MAX && EAR_CHECK_ROW_KINDS >= CHECK_ROWS, "rows");

/* Who takes the records of a range. */
struct taker {
	struct ear_checker *checker; /* one of these is NULL */
	struct ear_check_part *part;
};

static int give(const struct taker *taker, const struct ear_batch *batch,
	const struct ear_operands *operands)
{
	if (taker->part)
		return batch->record
			       ? ear_check_part_push(
					 taker->part, batch->record, batch->position, batch->number)
			       : ear_check_part_push_run(taker->part, batch->run, batch->compacts,
					 operands, batch->position, batch->number);
	return batch->record ? ear_checker_push(taker->checker, batch->record, batch->position,
				       batch->number)
			     : ear_checker_push_run(taker->checker, batch->run, batch->compacts,
				       operands, batch->position, batch->number);
}

static int give_range(struct ear_trace *trace, struct ear_cursor *cursor, uint64_t end,
	const struct taker *taker, struct ear_meter *meter)
{
	while (cursor->position < end) {
		struct ear_batch batch;
		uint64_t left = end - cursor->position;
		int result = ear_cursor_next_batch(
			cursor, &batch, left < SIZE_MAX ? (size_t)left : SIZE_MAX);
		if (result < 0)
			return ear_trace_fail_reading(trace, cursor, result);
		if (result == 0)
			return 0;
		result = give(taker, &batch,
			batch.run && cursor->operands
				? cursor->operands + (cursor->at - batch.count)
				: NULL);
		if (result)
			return ear_check_fail(trace, result);
		if (ear_meter_pass(meter, batch.count))
			return ear_trace_fail(trace, EAR_E_CANCELLED, "cancelled");
	}
	return 0;
}

/* The records begin .. end - 1, by a reader of their own. */
static int read_range(struct ear_trace *trace, uint64_t begin, uint64_t end,
	const struct taker *taker, const struct ear_progress *progress)
{
	struct ear_cursor cursor = ear_trace_cursor(trace);
	struct ear_meter meter;

	ear_meter_begin(&meter, progress, "checking", 0);
	int result = ear_cursor_open(&cursor);
	if (result == 0 && trace->options.reads)
		ear_source_with_operands(cursor.source);
	if (result == 0)
		result = ear_cursor_seek(&cursor, begin, &meter);
	if (result == EAR_E_CANCELLED)
		result = ear_trace_fail(trace, result, "cancelled");
	else if (result < 0)
		result = ear_trace_fail_reading(trace, &cursor, result);
	else if (result == 1)
		result = give_range(trace, &cursor, end, taker, &meter);
	ear_cursor_close(&cursor);
	return result;
}

static int need_capture(struct ear_trace *trace)
{
	int result = ear_trace_need_places(trace, "checking a part");

	if (result == 0 && !ear_check_is_captured(trace))
		return ear_trace_fail(trace, EAR_E_UNSUPPORTED,
			"only a capture can be checked in parts, if it shows all that an "
			"instruction did");
	return result;
}

static int take_options(struct ear_trace *trace, struct ear_check_options *taken,
	const struct ear_check_options *options)
{
	*taken = (struct ear_check_options)EAR_CHECK_DEFAULTS;
	if (options && ear_versioned_read(taken, sizeof(*taken), options))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the options is none");
	return need_capture(trace);
}

/* A part ----------------------------------------------------------------------------------------
 */

struct making {
	struct ear_moment *moment; /* NULL: nothing is known */
	ear_check_row *row;
	void *context;
	uint64_t pages;
	int answer; /* of row */
};

static int put_row(void *context, unsigned kind, const uint64_t *numbers, unsigned count)
{
	struct making *making = context;

	if (kind == CHECK_ROW_END)
		making->pages = numbers[0];
	making->answer = making->row(making->context, kind, numbers, count);
	return making->answer;
}

static bool find_register(void *context, uint16_t hart, unsigned number, uint64_t *value)
{
	const struct making *making = context;

	return making->moment &&
	       ear_moment_register(making->moment, hart, EAR_REGISTER_X, number, value);
}

static int make_part(struct ear_trace *trace, const struct ear_check_options *options,
	uint64_t begin, uint64_t end, struct making *making, const struct ear_progress *progress)
{
	const struct ear_checker_options inner = ear_check_inner(trace, options, NULL, NULL);
	struct taker taker = {.part = NULL};

	int result =
		ear_check_part_new(&taker.part, &inner, begin == 0, put_row, find_register, making);
	if (result)
		return ear_trace_fail(trace, result, "out of memory");
	result = read_range(trace, begin, end, &taker, progress);
	if (result == 0)
		result = ear_check_part_finish(taker.part);
	ear_check_part_free(taker.part);
	return result;
}

int ear_trace_check_part(struct ear_trace *trace, const struct ear_check_options *options,
	uint64_t begin, uint64_t end, ear_check_row *row, void *context, uint64_t *pages,
	const struct ear_progress *progress)
{
	struct making making = {.row = row, .context = context};
	struct ear_check_options taken;
	int result = take_options(trace, &taken, options);

	if (result == 0)
		result = ear_trace_need_index(trace, progress);
	if (result == 0 && begin > 0)
		result = ear_moment_new(&making.moment, trace, begin, progress);
	if (result == 0)
		result = make_part(trace, &taken, begin, end, &making, progress);
	ear_moment_free(making.moment);
	*pages = making.pages;
	return result;
}

/* Joining ------------------------------------------------------------------------------------- */

struct ear_check_join {
	struct ear_trace *trace;
	ear_violation_found *found;
	void *context;
	struct ear_checker *checker;
	struct ear_checker *before; /* as it was where the part begins */
	struct ear_check_replay *replay;
	uint64_t begin, end;     /* of the part */
	bool done;               /* its records were read: its rows are not wanted */
	uint64_t reported, skip; /* violations of the part; those that need no report again */
	int answer;              /* of found */
};

static int report(void *context, const struct ear_violation *violation)
{
	struct ear_check_join *join = context;

	join->reported++;
	if (join->reported <= join->skip)
		return 0;
	join->answer = join->found(join->context, violation);
	return join->answer ? EAR_E_CANCELLED : 0;
}

int ear_check_join_new(struct ear_check_join **join, struct ear_trace *trace,
	const struct ear_check_options *options, ear_violation_found *found, void *context)
{
	struct ear_check_options taken;
	int result = take_options(trace, &taken, options);

	if (result)
		return result;
	struct ear_check_join *made = calloc(1, sizeof(*made));
	if (!made)
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	*made = (struct ear_check_join){.trace = trace, .found = found, .context = context};
	const struct ear_checker_options inner =
		ear_check_inner(trace, &taken, found ? report : NULL, made);
	result = ear_checker_new(&made->checker, &inner);
	if (result) {
		free(made);
		return ear_trace_fail(trace, result, "out of memory");
	}
	*join = made;
	return 0;
}

static void end_part(struct ear_check_join *join)
{
	ear_check_replay_free(join->replay);
	ear_checker_free(join->before);
	join->replay = NULL;
	join->before = NULL;
}

void ear_check_join_free(struct ear_check_join *join)
{
	if (!join)
		return;
	end_part(join);
	ear_checker_free(join->checker);
	free(join);
}

/* The checker takes the records of the part. */
static int read_again(struct ear_check_join *join, const struct ear_progress *progress)
{
	const struct taker taker = {.checker = join->checker};

	join->done = true;
	join->skip = join->reported;
	join->reported = 0;
	int result = ear_trace_need_index(join->trace, progress);
	if (result == 0)
		result = read_range(join->trace, join->begin, join->end, &taker, progress);
	return join->answer ? join->answer : result;
}

int ear_check_join_begin(struct ear_check_join *join, uint64_t begin, uint64_t end, uint64_t pages,
	const struct ear_progress *progress)
{
	if (begin != join->end || end < begin)
		return ear_trace_fail(
			join->trace, EAR_E_BAD_FILE, "the part does not follow the one before it");
	join->begin = begin;
	join->end = end;
	join->done = false;
	join->reported = join->skip = 0;
	if (!ear_check_replay_fits(join->checker, pages))
		return read_again(join, progress);
	int result = ear_checker_copy(&join->before, join->checker);
	if (result == 0)
		result = ear_check_replay_new(&join->replay, join->checker);
	return result ? ear_trace_fail(join->trace, result, "out of memory") : 0;
}

int ear_check_join_row(struct ear_check_join *join, unsigned kind, const uint64_t *numbers,
	unsigned count, const struct ear_progress *progress)
{
	if (join->done)
		return 0;
	int result = ear_check_replay_row(join->replay, kind, numbers, count);
	if (join->answer)
		return join->answer;
	if (result == EAR_E_BAD_FILE)
		return ear_trace_fail(join->trace, result, "the part is damaged");
	if (result < 0)
		return ear_check_fail(join->trace, result);
	if (result == 0)
		return 0;
	ear_checker_free(join->checker);
	join->checker = join->before;
	join->before = NULL;
	return read_again(join, progress);
}

int ear_check_join_end(struct ear_check_join *join)
{
	end_part(join);
	return 0;
}

int ear_check_join_counts(const struct ear_check_join *join, struct ear_check_counts *counts)
{
	struct ear_check_counts all = *ear_checker_counts(join->checker);

	return ear_versioned_write(counts, &all, sizeof(all));
}
