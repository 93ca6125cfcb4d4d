#include "cli/input/trace_parts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/index.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/base/range.h"
#include "cli/options/options.h"

/* Records of a part, at least, that are worth a thread. */
#define PART_LEAST 100000

static bool take_part(
	struct trace_parts *parts, const struct command_option *option, const char *argument)
{
	uint64_t part = 0, of = 0;
	const char *at = argument;

	if (!cli_take_number(&at, &part) || *at++ != '/' || !cli_take_number(&at, &of) || *at ||
		part == 0 || part > of || of > TRACE_PARTS_MAX)
		return option_fail(option, argument, "K/N, as 1/4 to 4/4");
	parts->part = (unsigned)part;
	parts->of = (unsigned)of;
	return true;
}

bool trace_parts_take(struct trace_parts *parts, enum trace_parts_option which,
	const struct command_option *option, const char *argument)
{
	struct trace_place place;

	switch (which) {
	case TRACE_PARTS_PART: return take_part(parts, option, argument);
	case TRACE_PARTS_JOBS:
		return option_unsigned(&parts->jobs, option, argument, 1, TRACE_PARTS_MAX);
	case TRACE_PARTS_FROM: parts->from = argument; break;
	case TRACE_PARTS_TO: parts->to = argument; break;
	}
	return trace_place_parse(&place, argument) ||
	       option_fail(option, argument, "an instruction's number or another place");
}

/* ---- The plan. ---- */

/* What is at the place is in the range, at its begin as at its end. */
static bool find_begin(struct trace_input *input, const char *text, uint64_t *position)
{
	struct trace_place place;

	if (!trace_place_parse(&place, text))
		return false;
	if (place.kind == TRACE_PLACE_TIME) {
		*position = 0;
		if (place.number == 0)
			return true;
		place.number--;
	}
	if (trace_place_find(input, &place, position) != 1)
		return false;
	*position -= place.kind == TRACE_PLACE_NUMBER || place.kind == TRACE_PLACE_FIRST ||
		     (place.kind == TRACE_PLACE_MATCH && !place.before);
	return true;
}

static bool find_end(struct trace_input *input, const char *text, uint64_t *position)
{
	struct trace_place place;

	return trace_place_parse(&place, text) && trace_place_find(input, &place, position) == 1;
}

/* Equal shares of what is between two positions. */
static void divide(struct trace_parts *parts, uint64_t begin, uint64_t end, unsigned count)
{
	const uint64_t size = end - begin;

	parts->count = count;
	for (unsigned i = 0; i <= count; i++)
		parts->begins[i] = begin + size / count * i + size % count * i / count;
}

/* How many records there are before the end, as the index says it; false: there is no index. */
static bool find_size(struct trace_input *input, uint64_t *size)
{
	struct ear_trace_counts counts = {.size = sizeof(counts)};
	struct ear_trace_facts facts = {.size = sizeof(facts)};

	if (ear_trace_facts(input->trace, &facts) || !facts.seekable ||
		input->options.index == EAR_INDEX_NONE ||
		ear_trace_index(input->trace, false, &input->progress) != 1 ||
		ear_trace_counts(input->trace, &counts, &input->progress))
		return false;
	*size = counts.records;
	return true;
}

/* The same, however it is found. */
static bool count_records(struct trace_input *input, uint64_t *size)
{
	struct ear_trace_counts counts = {.size = sizeof(counts)};

	if (ear_trace_counts(input->trace, &counts, &input->progress)) {
		trace_input_fail(input);
		return false;
	}
	*size = counts.records;
	return true;
}

bool trace_parts_plan(struct trace_parts *parts, struct trace_input *input)
{
	uint64_t begin = 0, end = UINT64_MAX, size;

	if (parts->from && !find_begin(input, parts->from, &begin))
		return false;
	if (parts->to && !find_end(input, parts->to, &end))
		return false;
	if (end < begin) {
		cli_error("--to: %s comes before %s", parts->to, parts->from);
		return false;
	}
	if (parts->of > 0) {
		if (!count_records(input, &parts->size))
			return false;
		end = end < parts->size ? end : parts->size;
		divide(parts, begin, end > begin ? end : begin, parts->of);
		parts->begins[0] = parts->begins[parts->part - 1];
		parts->begins[1] = parts->begins[parts->part];
		parts->count = 1;
	} else if (parts->jobs > 1 && !parts->in_order && find_size(input, &size)) {
		end = end < size ? end : size;
		uint64_t count = end > begin ? (end - begin) / PART_LEAST : 0;
		count = count < parts->jobs ? count : parts->jobs;
		divide(parts, begin, end > begin ? end : begin, count > 0 ? (unsigned)count : 1);
	} else {
		divide(parts, 0, 0, 1);
		parts->begins[0] = begin;
		parts->begins[1] = end;
	}
	return true;
}

/* ---- Reading. ---- */

struct reading;

/* A part and its thread. */
struct reader {
	struct reading *reading;
	unsigned part;
	struct ear_trace *trace;
	struct ear_progress progress;
	pthread_t thread;
	bool is_main, started;
	bool ended; /* all of it was read */
	char error[EAR_TRACE_ERROR_MAX];
};

struct reading {
	const struct trace_parts *parts;
	const struct trace_input *input;
	const struct trace_parts_work *work;
	void *context;
	atomic_uint_fast64_t records;
	atomic_bool stop;
	double last_progress;
	struct reader readers[TRACE_PARTS_MAX];
};

static int stop_asked(void *context, uint64_t done, uint64_t total, const char *what)
{
	const struct reader *reader = context;

	(void)done;
	(void)total;
	(void)what;
	return cli_interrupted || atomic_load(&reader->reading->stop);
}

static bool fail(struct reader *reader, int result)
{
	const char *error = reader->trace ? ear_trace_error(reader->trace) : reader->error;

	if (result != EAR_E_CANCELLED && error != reader->error)
		snprintf(reader->error, sizeof(reader->error), "%s",
			error[0] ? error : ear_error_text(result));
	return false;
}

/* Go to its begin, and let the work begin there. */
static bool begin(struct reader *reader)
{
	const struct reading *reading = reader->reading;
	const uint64_t position = reading->parts->begins[reader->part];
	struct ear_moment *moment = NULL;
	int result = 0;

	if (position > 0)
		result = ear_moment_new(&moment, reader->trace, position, &reader->progress);
	if (result == 0)
		result = reading->work->begin(
			reading->context, reader->part, moment, &reader->progress);
	ear_moment_free(moment);
	/* Where the plan looked for a place it was left there. */
	if (result == 0 && position != ear_trace_position(reader->trace)) {
		result = ear_trace_seek(reader->trace, position, &reader->progress);
		result = result < 0 ? result : 0;
	}
	return result == 0 || fail(reader, result);
}

static void show_progress(struct reading *reading)
{
	if (cli_progress_due(&reading->last_progress))
		cli_progress("%" PRIu64 " records", (uint64_t)atomic_load(&reading->records));
}

/* The next batch, of this thread or of the one that reads ahead. */
static int next_batch(const struct reader *reader, struct ear_ahead *ahead, struct ear_batch *batch)
{
	return ahead ? ear_ahead_next_batch(ahead, batch)
		     : ear_trace_next_batch(reader->trace, batch);
}

/* Returns 0 at the end of the part, 1 if the reading was stopped, or an error. */
static int read_part(struct reader *reader, struct ear_ahead *ahead)
{
	struct reading *reading = reader->reading;
	const uint64_t end = reading->parts->begins[reader->part + 1];
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t at = reading->parts->begins[reader->part];
	int result = 1;

	while (at < end && (result = next_batch(reader, ahead, &batch)) == 1) {
		if (batch.count > end - batch.position)
			batch.count = (size_t)(end - batch.position);
		at = batch.position + batch.count;
		result = reading->work->batch(reading->context, reader->part, &batch);
		if (result)
			return result;
		atomic_fetch_add(&reading->records, batch.count);
		if (cli_interrupted || atomic_load(&reading->stop))
			return 1;
		if (reader->is_main)
			show_progress(reading);
	}
	return result < 0 ? result : 0;
}

static bool read_all(struct reader *reader)
{
	const struct trace_parts *parts = reader->reading->parts;
	struct ear_ahead *ahead = NULL;
	int result = 0;

	if (parts->count == 1 && parts->jobs > 1)
		result = ear_ahead_new(&ahead, reader->trace);
	if (result == 0)
		result = read_part(reader, ahead);
	ear_ahead_free(ahead); /* before the trace says what was wrong */
	return result < 0 ? fail(reader, result) : result == 0;
}

static void *run(void *context)
{
	struct reader *reader = context;

	reader->ended = begin(reader) && read_all(reader);
	return NULL;
}

/* A trace of its own for a thread that is not the caller's. */
static bool open_again(struct reader *reader)
{
	const struct trace_input *input = reader->reading->input;
	struct ear_trace_options options = input->options;

	options.error = reader->error;
	options.progress = &reader->progress;
	return ear_trace_open(&reader->trace, input->path, &options) == 0;
}

static void *open_and_run(void *context)
{
	struct reader *reader = context;

	if (open_again(reader))
		run(reader);
	return NULL;
}

static void start(struct reading *reading)
{
	for (unsigned i = 0; i < reading->parts->count; i++) {
		struct reader *reader = &reading->readers[i];
		reader->reading = reading;
		reader->part = i;
		reader->progress =
			(struct ear_progress){sizeof(reader->progress), stop_asked, reader};
		reader->is_main = i == 0;
		reader->started =
			i > 0 && pthread_create(&reader->thread, NULL, open_and_run, reader) == 0;
	}
}

/* What the main thread reads: the first part, and those that got no thread. */
static void read_own(struct reading *reading, struct trace_input *input)
{
	for (unsigned i = 0; i < reading->parts->count; i++) {
		struct reader *reader = &reading->readers[i];
		if (reader->started)
			continue;
		reader->is_main = true;
		reader->trace = input->trace;
		run(reader);
		if (!reader->ended)
			break;
	}
}

bool trace_parts_read(struct trace_parts *parts, struct trace_input *input,
	const struct trace_parts_work *work, void *context)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	const char *error = NULL;

	if (!reading) {
		cli_error("out of memory");
		return false;
	}
	*reading =
		(struct reading){.parts = parts, .input = input, .work = work, .context = context};
	start(reading);
	read_own(reading, input);
	unsigned whole = 0, count = parts->count;
	for (unsigned i = 0; i < count; i++) {
		struct reader *reader = &reading->readers[i];
		if (i > 0 && whole < i)
			atomic_store(&reading->stop, true); /* what comes after it is of no use */
		if (reader->started)
			pthread_join(reader->thread, NULL);
		if (whole == i && reader->ended)
			whole++;
		else if (whole == i && reader->error[0])
			error = reader->error;
	}
	parts->count = whole < count ? whole + 1 : count;
	cli_progress_clear();
	if (error)
		trace_input_error(input->path, error);
	for (unsigned i = 0; i < count; i++)
		if (reading->readers[i].trace != input->trace)
			ear_trace_close(reading->readers[i].trace);
	free(reading);
	return !error && (whole == count || cli_interrupted);
}
