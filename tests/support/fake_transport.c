/* A transport without a device. Writes are answered by the fake unit on the caller's thread, into a
 * queue; a thread of its own pushes the queue into the sink. So every order of events is that of
 * the queue, while the session sees two threads as with a real device.
 */
#include "fake_transport.h"

#include <assert.h>
#include <earshot/error.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned fake_transport_count;

/* What the thread has to do next: bytes to push, or the end. */
struct job {
	struct job *next;
	bool ends;
	enum ear_transport_reason reason;
	size_t size;
	uint8_t bytes[];
};

struct fake_link {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct job *first, **last;
	bool stopping, running, busy, ended;
	pthread_t thread;
	struct ear_transport_sink sink;
	bool captured;
	bool split; /* the rest of the split frame is to be sent */
};

static void add_job(struct fake_link *link, const uint8_t *bytes, size_t size, bool ends,
	enum ear_transport_reason reason)
{
	struct job *job = malloc(sizeof(*job) + size);

	assert(job);
	job->next = NULL;
	job->ends = ends;
	job->reason = reason;
	job->size = size;
	if (size > 0)
		memcpy(job->bytes, bytes, size);
	pthread_mutex_lock(&link->mutex);
	*link->last = job;
	link->last = &job->next;
	pthread_cond_broadcast(&link->changed);
	pthread_mutex_unlock(&link->mutex);
}

static struct job *take_job(struct fake_link *link)
{
	struct job *job = NULL;

	pthread_mutex_lock(&link->mutex);
	link->busy = false;
	pthread_cond_broadcast(&link->changed);
	while (!link->first && !link->stopping)
		pthread_cond_wait(&link->changed, &link->mutex);
	if (!link->stopping) {
		job = link->first;
		link->first = job->next;
		if (!link->first)
			link->last = &link->first;
		link->busy = true;
	}
	pthread_mutex_unlock(&link->mutex);
	return job;
}

/* Records without an end, until the sink has enough or the host stops. */
static void babble(struct fake_transport *fake)
{
	uint8_t frame[FAKE_FRAME_MAX];
	bool stopping = false;

	while (!stopping) {
		pthread_mutex_lock(&fake->link->mutex);
		stopping = fake->link->stopping;
		size_t size = fake_unit_records(&fake->unit, frame, 10);
		pthread_mutex_unlock(&fake->link->mutex);
		if (!fake->link->sink.push(fake->link->sink.context, frame, size))
			break;
	}
}

static void *run(void *context)
{
	struct fake_transport *fake = context;
	struct fake_link *link = fake->link;
	struct ear_transport_end end = {.reason = EAR_TRANSPORT_STOPPED, .exit_status = -1};
	struct job *job;
	bool more = true;

	while (more && (job = take_job(link))) {
		more = !job->ends;
		if (job->ends) {
			end.reason = job->reason;
			snprintf(end.report.text, sizeof(end.report.text), "fake: it has ended");
			if (job->reason == EAR_TRANSPORT_EXITED)
				end.exit_status = 7;
		} else if (job->size == 0) {
			babble(fake);
		} else {
			fake->pushed += job->size;
			more = link->sink.push(link->sink.context, job->bytes, job->size);
		}
		free(job);
	}
	link->sink.end(link->sink.context, &end);
	pthread_mutex_lock(&link->mutex);
	link->ended = true;
	link->busy = false;
	pthread_cond_broadcast(&link->changed);
	pthread_mutex_unlock(&link->mutex);
	return NULL;
}

/* Count a call that can fail. Returns 0, or the error that it shall give. */
static int count_call(struct fake_transport *fake, struct ear_report *report)
{
	if ((int)fake->call_count++ != fake->fail_call)
		return 0;
	return ear_report_set(report, fake->fail_error, "fake: call %d failed", fake->fail_call);
}

static int fake_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	struct fake_transport *fake = (struct fake_transport *)transport;
	int error = count_call(fake, report);

	if (error)
		return error;
	fake->link->sink = *sink;
	if (pthread_create(&fake->link->thread, NULL, run, fake))
		abort();
	fake->link->running = true;
	return 0;
}

/* The capture begins: all its frames at once into the queue. */
static void send_capture(struct fake_transport *fake)
{
	uint8_t frame[FAKE_FRAME_MAX];

	fake->link->captured = true;
	struct fake_unit other;
	fake_unit_init(&other);
	other.registers[EAR_REG_HART / 4] = fake->unit.registers[EAR_REG_HART / 4] + 1;
	for (unsigned i = 0; i < fake->frame_count; i++)
		add_job(fake->link, frame, fake_unit_records(&fake->unit, frame, 1 + i % 20), false,
			0);
	for (unsigned i = 0; i < fake->other_count / 2; i++)
		add_job(fake->link, frame, fake_unit_records(&other, frame, 10), false, 0);
	if (fake->ends)
		add_job(fake->link, frame, fake_unit_stop(&fake->unit, frame, EAR_STOP_ENDED),
			false, 0);
	for (unsigned i = fake->other_count / 2; i < fake->other_count; i++)
		add_job(fake->link, frame, fake_unit_records(&other, frame, 10), false, 0);
	if (fake->ends && fake->other_count > 0)
		add_job(fake->link, frame, fake_unit_stop(&other, frame, EAR_STOP_ENDED), false, 0);
	if (fake->exits)
		add_job(fake->link, NULL, 0, true, EAR_TRANSPORT_EXITED);
	if (fake->babbles)
		add_job(fake->link, NULL, 0, false, 0);
}

/* An answer, with what the test wants before and after it, as one push. */
static void send_answer(struct fake_transport *fake, const uint8_t *frame, size_t size,
	const struct ear_control_word *word)
{
	uint8_t bytes[4 * FAKE_FRAME_MAX];
	size_t total = 0;

	assert(fake->noise_size + fake->split_size + size <= sizeof(bytes));
	if (fake->noise_size > 0)
		memcpy(bytes, fake->noise, fake->noise_size);
	total += fake->noise_size;
	if (fake->link->split) {
		memcpy(bytes + total, fake->split + fake->split_at,
			fake->split_size - fake->split_at);
		total += fake->split_size - fake->split_at;
		fake->link->split = false;
	}
	memcpy(bytes + total, frame, size);
	total += size;
	if (fake->split_size > 0 && word->address == EAR_REG_STATUS) {
		memcpy(bytes + total, fake->split, fake->split_at);
		total += fake->split_at;
		fake->link->split = true;
	}
	add_job(fake->link, bytes, total, false, 0);
}

static void answer(struct fake_transport *fake, const struct ear_control_word *word)
{
	uint8_t frame[FAKE_FRAME_MAX];
	bool was_enabled = fake_unit_enabled(&fake->unit);

	pthread_mutex_lock(&fake->link->mutex); /* babble makes frames as well */
	size_t size = fake_unit_answer(&fake->unit, frame, word);
	bool disabled = was_enabled && !fake_unit_enabled(&fake->unit);
	pthread_mutex_unlock(&fake->link->mutex);
	send_answer(fake, frame, size, word);
	if (fake_unit_enabled(&fake->unit) && fake_unit_core_runs(&fake->unit) &&
		!fake->link->captured)
		send_capture(fake);
	fake->stop_count += disabled;
	if (disabled && !fake->keeps_on && !fake->babbles)
		add_job(fake->link, frame, fake_unit_stop(&fake->unit, frame, EAR_STOP_HOST), false,
			0);
}

static int fake_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	struct fake_transport *fake = (struct fake_transport *)transport;
	struct ear_control_word word;
	int error = count_call(fake, report);

	assert(size == EAR_CONTROL_WORD_SIZE && timeout_ms > 0);
	if (error)
		return error;
	if ((int)fake->write_count++ == fake->vanish_write) {
		add_job(fake->link, NULL, 0, true, EAR_TRANSPORT_VANISHED);
		return 0;
	}
	if (ear_control_word_parse(&word, bytes) < 0)
		abort(); /* the driver sent what is no control word */
	unsigned number = fake->word_count++;
	if (fake->mute_enable && word.address == EAR_REG_CONTROL)
		return 0;
	if (fake->mute || (number < fake->lose_words && number % 2 == 0))
		return 0;
	answer(fake, &word);
	return 0;
}

static void fake_stop(struct ear_transport *transport)
{
	struct fake_link *link = ((struct fake_transport *)transport)->link;

	if (!link->running)
		return;
	pthread_mutex_lock(&link->mutex);
	link->stopping = true;
	pthread_cond_broadcast(&link->changed);
	pthread_mutex_unlock(&link->mutex);
	pthread_join(link->thread, NULL);
	link->running = false;
}

static void fake_close(struct ear_transport *transport)
{
	struct fake_transport *fake = (struct fake_transport *)transport;

	fake_stop(transport);
	while (fake->link->first) {
		struct job *job = fake->link->first;

		fake->link->first = job->next;
		free(job);
	}
	pthread_cond_destroy(&fake->link->changed);
	pthread_mutex_destroy(&fake->link->mutex);
	free(fake->link);
	free(fake);
	fake_transport_count--;
}

static const struct ear_transport_ops fake_ops = {fake_start, fake_write, fake_stop, fake_close};

struct fake_transport *fake_transport_new(void)
{
	struct fake_transport *fake = calloc(1, sizeof(*fake));

	assert(fake);
	fake->base.ops = &fake_ops;
	snprintf(fake->base.name, sizeof(fake->base.name), "fake:unit");
	fake->base.controllable = true;
	fake_unit_init(&fake->unit);
	fake->fail_call = -1;
	fake->fail_error = EAR_E_IO;
	fake->vanish_write = -1;
	fake->link = calloc(1, sizeof(*fake->link));
	assert(fake->link);
	pthread_mutex_init(&fake->link->mutex, NULL);
	pthread_cond_init(&fake->link->changed, NULL);
	fake->link->last = &fake->link->first;
	fake_transport_count++;
	return fake;
}

void fake_transport_send(struct fake_transport *fake, const uint8_t *bytes, size_t size)
{
	assert(size > 0);
	add_job(fake->link, bytes, size, false, 0);
}

void fake_transport_end(struct fake_transport *fake, enum ear_transport_reason reason)
{
	add_job(fake->link, NULL, 0, true, reason);
}

void fake_transport_flush(struct fake_transport *fake)
{
	struct fake_link *link = fake->link;

	pthread_mutex_lock(&link->mutex);
	while ((link->first || link->busy) && !link->ended)
		pthread_cond_wait(&link->changed, &link->mutex);
	pthread_mutex_unlock(&link->mutex);
}
