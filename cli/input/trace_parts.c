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
/* Of a part of a queue: to find out what is at its begin takes as long as reading a million. */
#define LITTLE     4 /* of a part's size: one by this */
#define QUEUE_PART 16000000

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

/* Where the index has a checkpoint a part begins at the least cost: parts that would begin a little
 * behind one begin there. */
static bool move_to_checkpoints(struct trace_parts *parts, struct trace_input *input)
{
	const uint64_t share = (parts->begins[parts->count] - parts->begins[0]) / parts->count;

	for (unsigned i = 1; i < parts->count; i++) {
		uint64_t before;
		if (ear_trace_checkpoint_before(
			    input->trace, parts->begins[i], &before, &input->progress) < 0) {
			trace_input_fail(input);
			return false;
		}
		if (parts->begins[i] - before <= share / LITTLE)
			parts->begins[i] = before;
	}
	return true;
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

/* As many for each thread, so that none waits for the last ones. */
static uint64_t parts_of_queue(unsigned jobs, uint64_t records)
{
	const uint64_t rounds = (records / QUEUE_PART + jobs - 1) / jobs,
		       most = TRACE_PARTS_QUEUE_MAX / jobs;

	return jobs * (rounds == 0 ? 1 : rounds < most ? rounds : most);
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
	parts->first = begin;
	if (parts->of > 0) {
		if (!count_records(input, &parts->size))
			return false;
		end = end < parts->size ? end : parts->size;
		divide(parts, begin, end > begin ? end : begin, parts->of);
		parts->begins[0] = parts->begins[parts->part - 1];
		parts->begins[1] = parts->begins[parts->part];
		parts->count = 1;
	} else if (parts->jobs > 1 && !parts->in_order && !parts->tasks &&
		   find_size(input, &size)) {
		end = end < size ? end : size;
		uint64_t count = end > begin ? (end - begin) / PART_LEAST : 0;
		const uint64_t most =
			parts->queue ? parts_of_queue(parts->jobs, end - begin) : parts->jobs;
		count = count < most ? count : most;
		divide(parts, begin, end > begin ? end : begin, count > 0 ? (unsigned)count : 1);
		return move_to_checkpoints(parts, input);
	} else {
		divide(parts, 0, 0, 1);
		parts->begins[0] = begin;
		parts->begins[1] = end;
	}
	return true;
}

/* ---- Reading. ---- */

struct reading;

/* A thread, which reads one part after the other. */
struct reader {
	struct reading *reading;
	unsigned part;
	struct ear_trace *trace;
	struct ear_progress progress;
	pthread_t thread;
	bool is_main, started;
	char error[EAR_TRACE_ERROR_MAX];
};

struct reading {
	struct trace_parts *parts;
	const struct trace_input *input;
	const struct trace_parts_work *work;
	void *context;
	atomic_uint_fast64_t records;
	atomic_uint broken; /* the first part that cannot be read; parts->count: none */
	double last_progress;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned taken; /* parts that have a thread, or had one, */
	unsigned ended; /* that have ended, and so have all before them */
	bool ending;    /* one of them does */
	bool begun[TRACE_PARTS_QUEUE_MAX], whole[TRACE_PARTS_QUEUE_MAX];
	char error[EAR_TRACE_ERROR_MAX]; /* of the broken one */

	struct reader readers[TRACE_PARTS_MAX];
};

/* What comes after a part that cannot be read is of no use. */
static bool is_stopped(const struct reader *reader)
{
	return cli_interrupted || reader->part > atomic_load(&reader->reading->broken);
}

static int stop_asked(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)done;
	(void)total;
	(void)what;
	return is_stopped(context);
}

/* A batch of what is before the part; NULL: that was all. */
static int take_before(const struct reading *reading, const struct ear_batch *batch)
{
	const struct trace_parts *parts = reading->parts;

	if (parts->before)
		return parts->before(reading->context, batch);
	return batch ? ear_tasks_batch(parts->follower, batch, NULL, NULL) : 0;
}

static int seek(struct reader *reader, uint64_t position)
{
	int result = 0;

	if (position != ear_trace_position(reader->trace))
		result = ear_trace_seek(reader->trace, position, &reader->progress);
	return result < 0 ? result : 0;
}

/* What is before the part says which tasks run at its begin. */
static int read_before(struct reader *reader, uint64_t position)
{
	struct reading *reading = reader->reading;
	struct ear_batch batch = {.size = sizeof(batch)};
	int result = seek(reader, 0), got = 1;
	uint64_t at = 0;

	while (result == 0 && got == 1 && at < position) {
		got = ear_trace_next_batch(reader->trace, &batch);
		if (got < 1)
			break;
		if (batch.count > position - at)
			batch.count = (size_t)(position - at);
		at += batch.count;
		result = is_stopped(reader) ? EAR_E_CANCELLED : take_before(reading, &batch);
		if (cli_progress_due(&reading->last_progress))
			cli_progress(
				"reading tasks: %" PRIu64 " of %" PRIu64 " records", at, position);
	}
	result = got < 0 ? got : result;
	return result == 0 ? take_before(reading, NULL) : result;
}

/* Go to its begin, and let the work begin there. */
static int begin(struct reader *reader)
{
	struct reading *reading = reader->reading;
	const uint64_t position = reading->parts->begins[reader->part];
	struct ear_moment *moment = NULL;
	struct trace_parts *parts = reading->parts;
	int result = 0;

	if (position > 0 && !reading->parts->no_moments)
		result = ear_moment_new(&moment, reader->trace, position, &reader->progress);
	if (result == 0 && parts->tasks)
		result = ear_tasks_new(
			&parts->follower, reader->trace, parts->tasks, &reader->progress);
	if (result == 0)
		result = reading->work->begin(
			reading->context, reader->part, moment, &reader->progress);
	reading->begun[reader->part] = result == 0;
	ear_moment_free(moment);
	if (result == 0 && parts->tasks && position > 0)
		result = read_before(reader, position);
	/* Where the plan looked for a place it was left there. */
	return result == 0 ? seek(reader, position) : result;
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

/* Returns 0 at the end of the part. */
static int read_batches(struct reader *reader, struct ear_ahead *ahead)
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
		if (is_stopped(reader))
			return EAR_E_CANCELLED;
		if (reader->is_main)
			show_progress(reading);
	}
	return result < 0 ? result : 0;
}

static int read_part(struct reader *reader)
{
	const struct trace_parts *parts = reader->reading->parts;
	struct ear_ahead *ahead = NULL;
	int result = begin(reader);

	if (result == 0 && parts->count == 1 && parts->jobs > 1)
		result = ear_ahead_new(&ahead, reader->trace);
	if (result == 0)
		result = read_batches(reader, ahead);
	ear_ahead_free(ahead); /* before the trace says what was wrong */
	return result;
}

/* The part cannot be read, or what was read of it cannot be taken. With the lock. */
static void give_up(struct reading *reading, const struct reader *reader, unsigned part, int result)
{
	const char *error = reader->trace ? ear_trace_error(reader->trace) : reader->error;

	if (part >= atomic_load(&reading->broken))
		return;
	atomic_store(&reading->broken, part);
	reading->error[0] = '\0';
	if (result != EAR_E_CANCELLED)
		snprintf(reading->error, sizeof(reading->error), "%s",
			error[0] ? error : ear_error_text(result));
}

/* The parts that were read, in order, come to their end. With the lock, which is not held while one
 * does. */
static void end_parts(struct reading *reading, const struct reader *reader)
{
	while (!reading->ending && reading->ended < atomic_load(&reading->broken) &&
		reading->whole[reading->ended]) {
		const unsigned part = reading->ended;
		int result = 0;
		reading->ending = true;
		pthread_mutex_unlock(&reading->lock);
		if (reading->work->end)
			result = reading->work->end(reading->context, part);
		pthread_mutex_lock(&reading->lock);
		reading->ending = false;
		reading->ended++;
		if (result)
			give_up(reading, reader, part, result);
		pthread_cond_broadcast(&reading->changed);
	}
}

/* The next part for a thread. Returns false if there is none. With the lock. */
static bool take_part_to_read(struct reading *reading, struct reader *reader)
{
	const struct trace_parts *parts = reading->parts;

	while (parts->queue && reading->taken < atomic_load(&reading->broken) &&
		reading->taken > reading->ended + parts->jobs)
		pthread_cond_wait(&reading->changed, &reading->lock);
	if (reading->taken >= atomic_load(&reading->broken))
		return false;
	reader->part = reading->taken++;
	return true;
}

static void *read_parts(void *context)
{
	struct reader *reader = context;
	struct reading *reading = reader->reading;

	pthread_mutex_lock(&reading->lock);
	while (take_part_to_read(reading, reader)) {
		pthread_mutex_unlock(&reading->lock);
		const int result = read_part(reader);
		pthread_mutex_lock(&reading->lock);
		reading->whole[reader->part] = result == 0;
		if (result)
			give_up(reading, reader, reader->part, result);
		end_parts(reading, reader);
		pthread_cond_broadcast(&reading->changed);
	}
	pthread_mutex_unlock(&reading->lock);
	return NULL;
}

/* A trace of its own for a thread that is not the caller's. */
static void *open_and_read_parts(void *context)
{
	struct reader *reader = context;
	const struct trace_input *input = reader->reading->input;
	struct ear_trace_options options = input->options;

	options.error = reader->error;
	options.progress = &reader->progress;
	if (ear_trace_open(&reader->trace, input->path, &options) == 0)
		return read_parts(reader);
	return NULL; /* the others do its work */
}

static void start(struct reading *reading)
{
	for (unsigned i = 0; i < reading->parts->jobs && i < reading->parts->count; i++) {
		struct reader *reader = &reading->readers[i];
		reader->reading = reading;
		reader->progress =
			(struct ear_progress){sizeof(reader->progress), stop_asked, reader};
		reader->is_main = i == 0;
		reader->started = i > 0 && pthread_create(&reader->thread, NULL,
						   open_and_read_parts, reader) == 0;
	}
}

static struct reading *make_reading(struct trace_parts *parts, const struct trace_input *input,
	const struct trace_parts_work *work, void *context)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->parts = parts;
	reading->input = input;
	reading->work = work;
	reading->context = context;
	atomic_init(&reading->broken, parts->count);
	pthread_mutex_init(&reading->lock, NULL);
	pthread_cond_init(&reading->changed, NULL);
	return reading;
}

static void free_reading(struct reading *reading)
{
	for (unsigned i = 1; i < TRACE_PARTS_MAX; i++)
		ear_trace_close(reading->readers[i].trace);
	pthread_cond_destroy(&reading->changed);
	pthread_mutex_destroy(&reading->lock);
	free(reading);
}

bool trace_parts_read(struct trace_parts *parts, struct trace_input *input,
	const struct trace_parts_work *work, void *context)
{
	struct reading *reading = make_reading(parts, input, work, context);
	const unsigned count = parts->count;

	if (!reading) {
		cli_error("out of memory");
		return false;
	}
	reading->readers[0].trace = input->trace;
	start(reading);
	read_parts(&reading->readers[0]);
	for (unsigned i = 1; i < TRACE_PARTS_MAX; i++)
		if (reading->readers[i].started)
			pthread_join(reading->readers[i].thread, NULL);
	const unsigned broken = atomic_load(&reading->broken);
	if (work->end && broken < count && reading->ended == broken && reading->begun[broken] &&
		work->end(context, broken) && !reading->error[0])
		snprintf(reading->error, sizeof(reading->error), "%s",
			ear_error_text(EAR_E_NO_MEMORY));
	parts->count = broken < count ? broken + 1 : count;
	cli_progress_clear();
	const bool failed = reading->error[0];
	if (failed)
		trace_input_error(input->path, reading->error);
	free_reading(reading);
	return !failed && (broken == count || cli_interrupted);
}

void trace_parts_end_tasks(struct trace_parts *parts)
{
	ear_tasks_free(parts->follower);
	parts->follower = NULL;
}
