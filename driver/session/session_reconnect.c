/* A device that went away comes back. The session waits in PHASE_ABSENT, with a stand-in transport
 * that refuses everything, so no other code has to ask whether there is one. It looks for the
 * device once a second and shortly after each arrival; a device that is found is identified again
 * and must be the same unit, because the capture's bytes are decoded by its first UNIT message.
 */
#include "driver/session/session_reconnect.h"

#include <earshot/error.h>
#include <string.h>

#include "driver/base/clock.h"
#include "driver/session/session_private.h"
#include "driver/session/session_start.h"
#include "driver/transports.h"

#define AGAIN_MS   1000 /* between two looks without an arrival */
#define ARRIVED_MS 100  /* from an arrival to a look: udev sets the rights a moment later */

bool ear_session_begin_reconnect(struct ear_session *session, const struct ear_transport_end *end)
{
	bool gone = end->reason == EAR_TRANSPORT_VANISHED || end->reason == EAR_TRANSPORT_FAILED;
	uint64_t now_ms = ear_clock_ms();

	if (!gone || session->testing || session->options.reconnect_timeout_ms == 0 ||
		session->transport->reconnect[0] == '\0' || session->abort_handled ||
		session->stop_handled)
		return false;
	session->phase = PHASE_ABSENT;
	session->absent_limit_ms =
		session->options.reconnect_timeout_ms == EAR_SESSION_WAIT_FOR_EVER
			? UINT64_MAX
			: now_ms + session->options.reconnect_timeout_ms;
	session->absent_again_ms = now_ms;
	atomic_store_explicit(&session->absent, true, memory_order_relaxed);
	if (!session->arrivals)
		session->arrivals = ear_transport_arrivals(session->transport->reconnect);
	return true;
}

/* -- The stand-in while there is no device -- */

static int absent_start(struct ear_transport *transport, const struct ear_transport_sink *sink,
	struct ear_report *report)
{
	(void)sink;
	return ear_report_set(report, EAR_E_NO_DEVICE, "%s: the device is absent", transport->name);
}

static int absent_write(struct ear_transport *transport, const uint8_t *bytes, size_t size,
	unsigned timeout_ms, struct ear_report *report)
{
	(void)bytes;
	(void)size;
	(void)timeout_ms;
	return ear_report_set(report, EAR_E_NO_DEVICE, "%s: the device is absent", transport->name);
}

static void absent_nothing(struct ear_transport *transport)
{
	(void)transport; /* nothing runs, and it is a part of the session */
}

static const struct ear_transport_ops absent_ops = {
	absent_start, absent_write, absent_nothing, absent_nothing};

/* -- Changing the transport -- */

/* Close the transport, and take another. */
static void replace_transport(struct ear_session *session, struct ear_transport *transport)
{
	/* Its thread may be waiting for room in the ring, which this thread would have to make. */
	ear_feed_cancel(&session->feed);
	pthread_mutex_lock(&session->transport_mutex);
	ear_transport_add_faults(&session->faults_before, session->transport);
	ear_transport_close(session->transport);
	session->transport = transport;
	pthread_mutex_unlock(&session->transport_mutex);
	session->channel.transport = session->transport;
}

/* Close the transport and put the stand-in in its place. A device must be closed before it is
 * opened again: it would be in use, by this very session. */
static void close_transport(struct ear_session *session)
{
	struct ear_transport *absent = &session->absent_transport;
	struct ear_transport before = *session->transport;

	*absent = before;
	absent->ops = &absent_ops;
	absent->faults = NULL;
	replace_transport(session, absent);
}

/* Replace the transport that went away by one that was opened again. */
static int change_transport(struct ear_session *session, struct ear_transport *transport)
{
	replace_transport(session, transport);
	ear_feed_rearm(&session->feed);
	ear_reply_scanner_init(&session->scanner);
	ear_reply_scanner_shape(&session->scanner, session->identity.xlen, session->identity.flen);
	ear_control_channel_clear(&session->channel);
	session->gone = false;
	return ear_transport_start(session->transport, &session->sink, &session->report);
}

static bool same_unit(const struct ear_identity *before, const struct ear_identity *now)
{
	return before->xlen == now->xlen && before->nret == now->nret &&
	       before->flen == now->flen && before->csr_slots == now->csr_slots &&
	       before->features == now->features && before->hart == now->hart;
}

/* Join a capture that still runs, or begin it anew. */
static int resume(struct ear_session *session)
{
	struct ear_identity before = session->identity;
	struct ear_capture_config config = session->config;
	uint32_t status;

	session->phase = PHASE_CONTROL;
	int error = ear_session_identify(session, NULL);
	if (!error && !same_unit(&before, &session->identity)) {
		session->identity = before;
		error = ear_report_set(&session->report, EAR_E_UNSUPPORTED,
			"%s: another unit came back; it needs a capture of its own",
			session->transport->name);
	}
	if (!error)
		error = ear_session_read_register(session, EAR_REG_STATUS, &status);
	if (error)
		return error;
	if (!(status & (EAR_REG_STATUS_CAPTURING_MASK | EAR_REG_STATUS_ARMED_MASK))) {
		config.keep_core_running = true;
		error = ear_session_start(session, &config);
		session->config.keep_core_running = false;
		return error;
	}
	error = ear_session_begin_capture(session);
	if (!error)
		ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_COMMAND,
			ear_session_predicts(session) ? EAR_REG_COMMAND_SYNC_MASK
						      : EAR_REG_COMMAND_SEND_UNIT_MASK);
	return error;
}

/* Returns 0 when the capture continues. */
static int reconnect(struct ear_session *session)
{
	struct ear_transport *transport;
	struct ear_report report;
	char name[sizeof(session->transport->reconnect)];

	memcpy(name, session->transport->reconnect, sizeof(name));
	close_transport(session);
	int error = ear_transport_open(&transport, name, &report);
	if (error)
		return error;
	error = change_transport(session, transport);
	if (!error && session->transport->controllable)
		error = resume(session);
	session->phase = error ? PHASE_ABSENT : PHASE_CAPTURE;
	return error;
}

static int give_up_waiting(
	struct ear_session *session, enum ear_session_end_reason reason, const char *text)
{
	struct ear_report before = session->end.report;

	session->end.reason = reason;
	ear_report_set(&session->end.report, 0, "%.160s; %s", before.text, text);
	atomic_store_explicit(&session->absent, false, memory_order_relaxed);
	return EAR_E_NO_DEVICE;
}

int ear_session_try_reconnect(
	struct ear_session *session, struct ear_session_item *item, uint64_t deadline_ms)
{
	uint64_t now_ms = ear_clock_ms();

	if (atomic_load(&session->stop_requested))
		return give_up_waiting(session, EAR_SESSION_END_HOST,
			"stopped by the host while the device was absent");
	if (now_ms < session->absent_again_ms) {
		if (ear_arrivals_wait(session->arrivals,
			    deadline_ms > now_ms ? (unsigned)(deadline_ms - now_ms) : 0))
			session->absent_again_ms = ear_clock_ms() + ARRIVED_MS;
		return EAR_E_TIMEOUT;
	}
	if (reconnect(session) == 0) {
		atomic_fetch_add_explicit(&session->reconnect_count, 1, memory_order_relaxed);
		atomic_store_explicit(&session->absent, false, memory_order_relaxed);
		session->end.report.text[0] = '\0';
		session->view_size = 0;
		*item = (struct ear_session_item){
			.kind = EAR_SESSION_LOSS, .offset = session->offset, .loss_size = 0};
		return 0;
	}
	now_ms = ear_clock_ms();
	if (now_ms >= session->absent_limit_ms)
		return give_up_waiting(
			session, EAR_SESSION_END_VANISHED, "the device has not come back");
	session->absent_again_ms = now_ms + AGAIN_MS;
	if (session->absent_again_ms > session->absent_limit_ms)
		session->absent_again_ms = session->absent_limit_ms;
	return EAR_E_TIMEOUT;
}
