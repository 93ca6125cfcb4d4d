/* A session's beginning and end, requests from other threads, and its numbers.
 *
 * Everything else is built on top of this: session_start.c, session_load.c, session_reconnect.c and
 * session_capture.c call into this file, and this file calls none of them.
 */
#include "driver/session/session_private.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "driver/base/clock.h"
#include "driver/transports.h"

/* -- Opening and closing -- */

void ear_session_options_init(struct ear_session_options *options)
{
	*options = (struct ear_session_options){
		.ring_size = (size_t)8 << 20,
		.ring_full = EAR_RING_FULL_AUTO,
		.reply_timeout_ms = 500,
		.retries = 3,
		.stop_timeout_ms = 2000,
		.stop_limit_ms = 60000,
		.silence_ms = 400,
		.reconnect_timeout_ms = 0,
	};
}

static bool waits_when_full(
	const struct ear_session_options *options, const struct ear_transport *transport)
{
	switch (options->ring_full) {
	case EAR_RING_FULL_WAIT: return true;
	case EAR_RING_FULL_DROP: return false;
	default: return transport->flow_controlled;
	}
}

/* Where every transport of the session puts its bytes: into the feed, or into a recorder before it.
 */
static int open_sink(struct ear_session *session, struct ear_report *report)
{
	session->sink = (struct ear_transport_sink){
		ear_feed_push, ear_feed_end, &session->feed, ear_feed_lose};
	if (!session->options.record_path)
		return 0;
	int error = ear_recorder_open(
		&session->recorder, session->options.record_path, &session->sink, report);
	if (!error)
		session->sink = ear_recorder_sink(session->recorder);
	return error;
}

int ear_session_open_transport(struct ear_session **session_out, struct ear_transport *transport,
	const struct ear_session_options *options, struct ear_report *report)
{
	int error;
	struct ear_session *session = calloc(1, sizeof(*session));

	*session_out = NULL;
	if (!session) {
		error = ear_report_set(
			report, EAR_E_NO_MEMORY, "%s: out of memory", transport->name);
		goto out_close_transport;
	}
	if (options)
		session->options = *options;
	else
		ear_session_options_init(&session->options);
	error = ear_feed_init(&session->feed, session->options.ring_size,
		waits_when_full(&session->options, transport));
	if (error) {
		ear_report_set(report, error,
			"%s: no memory for a buffer of %zu bytes; choose a smaller one",
			transport->name, session->options.ring_size);
		goto out_free_session;
	}
	error = open_sink(session, report);
	if (error)
		goto out_fini_feed;

	session->transport = transport;
	ear_reply_scanner_init(&session->scanner);
	ear_control_channel_init(&session->channel, transport, session->options.reply_timeout_ms,
		session->options.retries);
	pthread_mutex_init(&session->transport_mutex, NULL);
	session->phase = transport->controllable ? PHASE_CONTROL : PHASE_CAPTURE;
	session->end.exit_status = -1;
	ear_flush_init(&session->flush, &session->channel, session->options.silence_ms);
	error = ear_transport_start(transport, &session->sink, report);
	if (error)
		goto out_destroy_mutex;
	*session_out = session;
	return 0;

out_destroy_mutex:
	pthread_mutex_destroy(&session->transport_mutex);
	ear_recorder_close(session->recorder); /* a transport that has not started holds no sink */
out_fini_feed:
	ear_feed_fini(&session->feed);
out_free_session:
	free(session);
out_close_transport:
	ear_transport_close(transport);
	return error;
}

int ear_session_open(struct ear_session **session, const char *device,
	const struct ear_session_options *options, struct ear_report *report)
{
	struct ear_transport *transport;

	*session = NULL;
	int error = ear_transport_open(&transport, device, report);
	if (error)
		return error;
	return ear_session_open_transport(session, transport, options, report);
}

void ear_session_close(struct ear_session *session)
{
	if (!session)
		return;
	ear_feed_cancel(&session->feed);
	ear_transport_close(session->transport);
	ear_recorder_close(session->recorder);
	ear_arrivals_close(session->arrivals);
	pthread_mutex_destroy(&session->transport_mutex);
	ear_feed_fini(&session->feed);
	free(session);
}

const char *ear_session_message(const struct ear_session *session)
{
	return session->report.text;
}

const char *ear_session_warning(const struct ear_session *session)
{
	return session->transport->warning;
}

bool ear_session_controllable(const struct ear_session *session)
{
	return session->transport->controllable;
}

/* -- Requests of any thread: flags that session_capture.c acts on -- */

void ear_session_stop(struct ear_session *session)
{
	atomic_store_explicit(&session->stop_requested, true, memory_order_release);
}

/* -- Numbers -- */

/* A const session is not changed by locking its mutex. */
static pthread_mutex_t *session_mutex(const struct ear_session *session)
{
	return (pthread_mutex_t *)(uintptr_t)&session->transport_mutex;
}

void ear_session_statistics(
	const struct ear_session *session, struct ear_session_statistics *statistics)
{
	const struct ear_feed *feed = &session->feed;
	uint64_t taken = ear_ring_taken(&feed->ring); /* first, so that it is not beyond put */
	uint64_t put = ear_ring_put(&feed->ring);
	uint64_t dropped = atomic_load_explicit(&feed->dropped, memory_order_relaxed);
	size_t fill = (size_t)(put - taken);

	pthread_mutex_lock(session_mutex(session));
	struct ear_transport_fault_counts faults = session->faults_before;
	ear_transport_add_faults(&faults, session->transport);
	pthread_mutex_unlock(session_mutex(session));
	*statistics = (struct ear_session_statistics){
		.time_ms = ear_clock_ms(),
		.received = put + dropped,
		.consumed = taken,
		.dropped = dropped,
		.drop_count = atomic_load_explicit(&feed->drop_count, memory_order_relaxed),
		.wait_count = atomic_load_explicit(&feed->wait_count, memory_order_relaxed),
		.ring_size = feed->ring.size,
		.ring_fill = fill < feed->ring.size ? fill : feed->ring.size,
		.ring_fill_max = atomic_load_explicit(&feed->fill_max, memory_order_relaxed),
		.control_resent =
			atomic_load_explicit(&session->channel.resent_total, memory_order_relaxed),
		.faults = faults,
		.absent = atomic_load_explicit(&session->absent, memory_order_relaxed),
		.reconnect_count =
			atomic_load_explicit(&session->reconnect_count, memory_order_relaxed),
	};
}

uint64_t ear_session_rate(
	const struct ear_session_statistics *before, const struct ear_session_statistics *after)
{
	uint64_t time_ms = after->time_ms - before->time_ms;

	return time_ms > 0 ? (after->received - before->received) * 1000 / time_ms : 0;
}

int ear_session_record_status(struct ear_session *session)
{
	if (!session->recorder)
		return 0;
	return ear_recorder_status(session->recorder, &session->report);
}
