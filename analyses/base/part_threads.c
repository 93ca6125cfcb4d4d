/* Threads take parts in order, each from the plan's next one on; a lock guards who has which. Parts
 * end in order, in the thread that finds that one can: so what follows needs no lock of its own.
 * A part that cannot be read, or taken, ends the reading of all after it, and of none before.
 */
#include "analyses/base/part_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <earshot/error.h>

/* What all threads write and read is slow for all of them: a thread counts so many batches by
 * itself.
 */
#define BATCHES_COUNTED 64

struct threads;

/* A thread, which reads one part after the other. */
struct reader {
	struct threads *threads;
	unsigned part;
	struct ear_trace *trace;
	struct ear_progress progress;
	pthread_t thread;
	uint64_t records; /* that threads->records lacks, of so many */
	unsigned batches;
	bool is_main, started;
	char error[EAR_TRACE_ERROR_MAX];
};

struct threads {
	struct ear_part_reading *reading;
	struct ear_part_plan *plan; /* of it, and these, too */
	const struct ear_part_work *work;
	void *context;
	atomic_uint_fast64_t records;
	atomic_uint broken; /* the first part that cannot be read; plan->count: none */

	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned taken; /* parts that have a thread, or had one, */
	unsigned ended; /* that have ended, and so have all before them */
	bool ending;    /* one of them does */
	bool begun[EAR_PARTS_QUEUE_MAX], whole[EAR_PARTS_QUEUE_MAX];
	int result; /* of the broken one, whose sentence the reading has */

	struct reader readers[EAR_PARTS_MAX];
};

/* What comes after a part that cannot be read is of no use. */
static bool is_stopped(const struct reader *reader)
{
	return reader->threads->reading->stopped() ||
	       reader->part > atomic_load(&reader->threads->broken);
}

static int stop_asked(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)done;
	(void)total;
	(void)what;
	return is_stopped(context);
}

/* A batch of what is before the part; NULL: that was all. */
static int take_before(const struct threads *threads, const struct ear_batch *batch)
{
	if (threads->work->before)
		return threads->work->before(threads->context, batch);
	return batch ? ear_tasks_batch(*threads->reading->follower, batch, NULL, NULL) : 0;
}

static void show(const struct threads *threads, uint64_t done, uint64_t total)
{
	if (threads->reading->progress)
		threads->reading->progress(done, total);
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
	struct threads *threads = reader->threads;
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
		result = is_stopped(reader) ? EAR_E_CANCELLED : take_before(threads, &batch);
		show(threads, at, position);
	}
	result = got < 0 ? got : result;
	return result == 0 ? take_before(threads, NULL) : result;
}

/* Go to its begin, and let the work begin there. */
static int begin(struct reader *reader)
{
	struct threads *threads = reader->threads;
	struct ear_part_reading *reading = threads->reading;
	const uint64_t position = threads->plan->begins[reader->part];
	struct ear_moment *moment = NULL;
	int result = 0;

	if (position > 0 && !threads->work->no_moments)
		result = ear_moment_new(&moment, reader->trace, position, &reader->progress);
	if (result == 0 && reading->tasks)
		result = ear_tasks_new(
			reading->follower, reader->trace, reading->tasks, &reader->progress);
	if (result == 0)
		result = threads->work->begin(
			threads->context, reader->part, moment, &reader->progress);
	threads->begun[reader->part] = result == 0;
	ear_moment_free(moment);
	if (result == 0 && reading->tasks && position > 0)
		result = read_before(reader, position);
	/* Where the plan looked for a place it was left there. */
	return result == 0 ? seek(reader, position) : result;
}

/* The next batch, of this thread or of the one that reads ahead. */
static int next_batch(const struct reader *reader, struct ear_ahead *ahead, struct ear_batch *batch)
{
	return ahead ? ear_ahead_next_batch(ahead, batch)
		     : ear_trace_next_batch(reader->trace, batch);
}

static void count_batch(struct reader *reader, size_t records)
{
	struct threads *threads = reader->threads;

	reader->records += records;
	if (++reader->batches % BATCHES_COUNTED)
		return;
	atomic_fetch_add(&threads->records, reader->records);
	reader->records = 0;
	if (reader->is_main)
		show(threads, atomic_load(&threads->records), 0);
}

/* Returns 0 at the end of the part. */
static int read_batches(struct reader *reader, struct ear_ahead *ahead)
{
	struct threads *threads = reader->threads;
	const uint64_t end = threads->plan->begins[reader->part + 1];
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t at = threads->plan->begins[reader->part];
	int result = 1;

	while (at < end && (result = next_batch(reader, ahead, &batch)) == 1) {
		if (batch.count > end - batch.position)
			batch.count = (size_t)(end - batch.position);
		at = batch.position + batch.count;
		result = threads->work->batch(threads->context, reader->part, &batch);
		if (result)
			return result;
		count_batch(reader, batch.count);
		if (is_stopped(reader))
			return EAR_E_CANCELLED;
	}
	return result < 0 ? result : 0;
}

static int read_part(struct reader *reader)
{
	const struct ear_part_plan *plan = reader->threads->plan;
	struct ear_ahead *ahead = NULL;
	int result = begin(reader);

	if (result == 0 && plan->count == 1 && plan->jobs > 1)
		result = ear_ahead_new(&ahead, reader->trace);
	if (result == 0)
		result = read_batches(reader, ahead);
	ear_ahead_free(ahead); /* before the trace says what was wrong */
	return result;
}

/* The part cannot be read, or what was read of it cannot be taken. With the lock. */
static void give_up(struct threads *threads, const struct reader *reader, unsigned part, int result)
{
	const char *error = reader->trace ? ear_trace_error(reader->trace) : reader->error;
	struct ear_part_reading *reading = threads->reading;

	if (part >= atomic_load(&threads->broken))
		return;
	atomic_store(&threads->broken, part);
	threads->result = result;
	snprintf(reading->error, sizeof(reading->error), "%s",
		error[0] ? error : ear_error_text(result));
}

/* The parts that were read, in order, come to their end. With the lock, which is not held while one
 * does. */
static void end_parts(struct threads *threads, const struct reader *reader)
{
	while (!threads->ending && threads->ended < atomic_load(&threads->broken) &&
		threads->whole[threads->ended]) {
		const unsigned part = threads->ended;
		int result = 0;
		threads->ending = true;
		pthread_mutex_unlock(&threads->lock);
		if (threads->work->end)
			result = threads->work->end(threads->context, part);
		pthread_mutex_lock(&threads->lock);
		threads->ending = false;
		threads->ended++;
		if (result)
			give_up(threads, reader, part, result);
		pthread_cond_broadcast(&threads->changed);
	}
}

/* The next part for a thread. Returns false if there is none. With the lock. */
static bool take_part_to_read(struct threads *threads, struct reader *reader)
{
	const struct ear_part_plan *plan = threads->plan;

	while (plan->queue && threads->taken < atomic_load(&threads->broken) &&
		threads->taken > threads->ended + plan->jobs)
		pthread_cond_wait(&threads->changed, &threads->lock);
	if (threads->taken >= atomic_load(&threads->broken))
		return false;
	reader->part = threads->taken++;
	return true;
}

static void *read_parts(void *context)
{
	struct reader *reader = context;
	struct threads *threads = reader->threads;

	pthread_mutex_lock(&threads->lock);
	while (take_part_to_read(threads, reader)) {
		pthread_mutex_unlock(&threads->lock);
		const int result = read_part(reader);
		pthread_mutex_lock(&threads->lock);
		threads->whole[reader->part] = result == 0;
		if (result)
			give_up(threads, reader, reader->part, result);
		end_parts(threads, reader);
		pthread_cond_broadcast(&threads->changed);
	}
	pthread_mutex_unlock(&threads->lock);
	return NULL;
}

/* A trace of its own for a thread that is not the caller's. */
static void *open_and_read_parts(void *context)
{
	struct reader *reader = context;
	const struct ear_part_reading *reading = reader->threads->reading;
	struct ear_trace_options options = *reading->options;

	options.error = reader->error;
	options.progress = &reader->progress;
	if (ear_trace_open(&reader->trace, reading->path, &options) == 0)
		return read_parts(reader);
	return NULL; /* the others do its work */
}

static void start(struct threads *threads)
{
	for (unsigned i = 0; i < threads->plan->jobs && i < threads->plan->count; i++) {
		struct reader *reader = &threads->readers[i];
		reader->threads = threads;
		reader->progress =
			(struct ear_progress){sizeof(reader->progress), stop_asked, reader};
		reader->is_main = i == 0;
		reader->started = i > 0 && pthread_create(&reader->thread, NULL,
						   open_and_read_parts, reader) == 0;
	}
}

static void join(struct threads *threads)
{
	for (unsigned i = 1; i < EAR_PARTS_MAX; i++) {
		if (threads->readers[i].started)
			pthread_join(threads->readers[i].thread, NULL);
		ear_trace_close(threads->readers[i].trace);
	}
}

/* What was read of the broken part, if all before it is there. */
static void end_broken(struct threads *threads, unsigned broken)
{
	struct ear_part_reading *reading = threads->reading;

	if (!threads->work->end || threads->ended != broken || !threads->begun[broken])
		return;
	int result = threads->work->end(threads->context, broken);
	if (result == 0 || threads->result != EAR_E_CANCELLED)
		return;
	threads->result = result;
	snprintf(reading->error, sizeof(reading->error), "%s", ear_error_text(result));
}

static struct threads *make_threads(struct ear_part_reading *reading)
{
	struct threads *threads = calloc(1, sizeof(*threads));

	if (!threads)
		return NULL;
	threads->reading = reading;
	threads->plan = reading->plan;
	threads->work = reading->work;
	threads->context = reading->context;
	threads->readers[0].trace = reading->trace;
	atomic_init(&threads->broken, reading->plan->count);
	pthread_mutex_init(&threads->lock, NULL);
	pthread_cond_init(&threads->changed, NULL);
	return threads;
}

static void free_threads(struct threads *threads)
{
	pthread_cond_destroy(&threads->changed);
	pthread_mutex_destroy(&threads->lock);
	free(threads);
}

int ear_part_threads_read(struct ear_part_reading *reading)
{
	struct threads *threads = make_threads(reading);

	if (!threads) {
		snprintf(reading->error, sizeof(reading->error), "%s",
			ear_error_text(EAR_E_NO_MEMORY));
		return EAR_E_NO_MEMORY;
	}
	start(threads);
	read_parts(&threads->readers[0]);
	join(threads);
	const unsigned broken = atomic_load(&threads->broken);
	if (broken < reading->plan->count) {
		end_broken(threads, broken);
		reading->plan->count = broken + 1;
	}
	const int result = threads->result;
	free_threads(threads);
	return result;
}
