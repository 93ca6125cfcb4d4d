/* The loop of a capture.
 *
 * The session is a small machine of phases that runs on the consumer's thread only: every call of
 * ear_session_next does what is due (requests, control words) and then looks at the feed once.
 * Other threads and signal handlers set flags and nothing else, so no call needs a lock, and a
 * request waits at most SLICE_MS.
 */
#include "driver/session/session_private.h"

#include <assert.h>
#include <earshot/error.h>

#include "driver/base/clock.h"
#include "driver/session/no_answer.h"
#include "driver/session/session_reconnect.h"

/* The longest sleep of the consumer before it looks for a request of another thread or of a signal
 * handler, which cannot wake it. */
#define SLICE_MS 50

/* After STOP with reason ENDED, how long the virtual board may take to end, so that its exit status
 * can be reported. */
#define EXIT_GRACE_MS 1000

/* Take no more from the transport; what is in the ring is still handed over. */
static void give_up(struct ear_session *session, enum ear_session_end_reason reason,
	const struct ear_report *report)
{
	if (session->abort_handled)
		return;
	session->abort_handled = true;
	session->end.reason = reason;
	session->end.report = *report;
	ear_control_channel_clear(&session->channel);
	ear_feed_cancel(&session->feed);
}

static void give_up_stopped(struct ear_session *session, const char *text)
{
	struct ear_report report;

	ear_report_set(&report, 0, "%s: %s", session->transport->name, text);
	give_up(session, EAR_SESSION_END_HOST, &report);
}

/* Act on stop. */
static void handle_requests(struct ear_session *session, uint64_t now_ms)
{
	bool stop = atomic_load_explicit(&session->stop_requested, memory_order_acquire);

	if (session->has_limit)
		return; /* STOP has come: there is nothing left to end */
	if (stop && !session->transport->controllable)
		give_up_stopped(session, "stopped by the host");
	if (session->stop_handled && now_ms >= session->stop_limit_ms)
		give_up_stopped(session, "stopped by the host, and the unit keeps sending");
	if (!stop || session->stop_handled || session->abort_handled)
		return;
	session->stop_handled = true;
	ear_feed_wait_when_full(&session->feed); /* so the STOP message is not dropped */
	session->stop_limit_ms = now_ms + session->options.stop_limit_ms;
	session->quiet_ms = now_ms;
	ear_reply_scanner_clear_stray(&session->scanner);
	session->control &= ~EAR_REG_CONTROL_ENABLE_MASK;
	if (session->testing)
		ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_TEST, 0);
	else
		ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_CONTROL,
			session->control);
}

/* Send control words. An answer comes after all that the ring and the unit's buffers hold, so a
 * word is given up only if nothing came for the time of all its repetitions (scan_view).
 */
static void handle_control(struct ear_session *session, uint64_t now_ms)
{
	struct ear_report report;
	bool flushing = ear_flush_in_flight(&session->flush);

	if (session->abort_handled || session->has_limit || session->gone)
		return;
	int result = ear_control_channel_poll(&session->channel, now_ms, &report);
	if (result == EAR_E_TIMEOUT && !flushing)
		ear_no_answer_explain(&report, session->transport, &session->scanner);
	if (result == EAR_E_NO_DEVICE) {
		session->gone = true;
		session->gone_limit_ms = now_ms + session->options.stop_timeout_ms;
		session->gone_report = report;
	} else if (result == EAR_E_TIMEOUT && flushing) {
		return; /* the capture does not depend on it */
	} else if (result == EAR_E_TIMEOUT && session->stop_handled) {
		give_up(session, EAR_SESSION_END_HOST, &report);
	} else if (result < 0) {
		give_up(session, EAR_SESSION_END_ERROR, &report);
	}
}

/* The ring is empty: has that lasted too long? */
static void handle_silence(struct ear_session *session)
{
	uint64_t now_ms = ear_clock_ms();

	if (session->abort_handled || session->has_limit)
		return;
	if (session->gone && now_ms >= session->gone_limit_ms)
		give_up(session, EAR_SESSION_END_VANISHED, &session->gone_report);
	else if (session->stop_handled &&
		 now_ms >= session->quiet_ms + session->options.stop_timeout_ms)
		give_up_stopped(session, session->testing
						 ? "the unit did not confirm the end of the test"
						 : "stopped by the host, and the unit "
						   "sent no STOP message");
	else if (!session->gone && !session->stop_handled && ear_session_predicts(session))
		ear_flush_ask(&session->flush, session->scanned, session->quiet_ms, now_ms);
}

/* The capture ends at offset. */
static void set_limit(struct ear_session *session, uint64_t offset)
{
	session->has_limit = true;
	session->limit = offset;
}

/* Has every unit that sent something also sent STOP? Several may share the link. */
static bool all_have_stopped(const struct ear_session *session)
{
	for (unsigned i = 0; i < EAR_STREAM_IDS; i++)
		if (session->scanner.streams[i].seen && !session->stopped[i])
			return false;
	return true;
}

static void note_stop(struct ear_session *session, const struct ear_message *stop, uint64_t offset)
{
	struct ear_session_end *end = &session->end;

	end->has_stop = true;
	end->stop_reason = stop->u.stop.reason;
	end->retired += stop->u.stop.retired;
	end->delivered += stop->u.stop.delivered;
	end->lost += stop->u.stop.lost;
	end->filtered += stop->u.stop.filtered;
	session->stopped[session->scanner.stream] = true;
	/* A dump may hold more than one capture. */
	if (session->transport->controllable && all_have_stopped(session))
		set_limit(session, offset);
}

/* An answer came. The last one of a test is its end. */
static void note_reply(
	struct ear_session *session, const struct ear_message *reply, uint64_t offset)
{
	struct ear_report report;
	bool flushing = ear_flush_in_flight(&session->flush);
	int result = ear_control_channel_reply(&session->channel, reply, &report);

	if (result != 0 && flushing)
		ear_flush_note_answer(&session->flush, offset,
			session->identity.features & EAR_REG_FEATURES_RUN_FLUSH_MASK);
	else if (result < 0)
		give_up(session, EAR_SESSION_END_ERROR, &report);
	else if (result > 0 && session->testing && session->stop_handled &&
		 session->channel.word_count == 0)
		set_limit(session, offset);
}

/* Scan what is new in the view. Its first byte has the number session->offset. */
static void scan_view(struct ear_session *session, const uint8_t *bytes, size_t size)
{
	uint64_t view_end = session->offset + size;
	bool something = session->scanned < view_end;

	assert(session->scanned >= session->offset); /* only what was seen can be consumed */

	while (session->scanned < view_end && !session->has_limit) {
		struct ear_message message;
		size_t skip = (size_t)(session->scanned - session->offset), used;

		int found = ear_reply_scanner_next(
			&session->scanner, &used, &message, bytes + skip, size - skip);
		session->scanned += used;
		if (found && message.kind == EAR_MSG_STOP && !session->testing)
			note_stop(session, &message, session->scanned);
		if (found && message.kind == EAR_MSG_REPLY)
			note_reply(session, &message, session->scanned);
	}
	if (something) {
		session->quiet_ms = ear_clock_ms();
		ear_control_channel_reset_retries(&session->channel);
	}
}

static int bytes_item(struct ear_session *session, struct ear_session_item *item,
	const uint8_t *bytes, size_t size)
{
	if (session->has_limit && size > session->limit - session->offset)
		size = (size_t)(session->limit - session->offset);
	session->view_size = size;
	*item = (struct ear_session_item){
		.kind = EAR_SESSION_BYTES,
		.offset = session->offset,
		.bytes = bytes,
		.size = size,
	};
	return 0;
}

static int end_item(struct ear_session *session, struct ear_session_item *item)
{
	session->phase = PHASE_END;
	session->view_size = 0;
	session->end.stop_requested = atomic_load(&session->stop_requested);
	*item = (struct ear_session_item){
		.kind = EAR_SESSION_END, .offset = session->offset, .end = &session->end};
	return 0;
}

/* The transport has ended, and not because of STOP. */
static void describe_end(struct ear_session *session, const struct ear_transport_end *end)
{
	static const enum ear_session_end_reason reasons[] = {
		[EAR_TRANSPORT_STOPPED] = EAR_SESSION_END_HOST,
		[EAR_TRANSPORT_END_OF_FILE] = EAR_SESSION_END_OF_FILE,
		[EAR_TRANSPORT_EXITED] = EAR_SESSION_END_EXITED,
		[EAR_TRANSPORT_VANISHED] = EAR_SESSION_END_VANISHED,
		[EAR_TRANSPORT_FAILED] = EAR_SESSION_END_ERROR,
	};

	session->end.exit_status = end->exit_status;
	if (session->abort_handled)
		return; /* give_up has said why */
	session->end.reason = reasons[end->reason];
	if (end->reason == EAR_TRANSPORT_END_OF_FILE)
		ear_report_set(
			&session->end.report, 0, "%s: read to its end", session->transport->name);
	else
		session->end.report = end->report;
}

static void describe_stop(struct ear_session *session)
{
	const char *text = session->testing ? "the test has ended" : "the capture ended";

	switch (session->end.stop_reason) {
	case EAR_STOP_HOST: text = "stopped by the host"; break;
	case EAR_STOP_TRIGGER: text = "the stop trigger fired"; break;
	case EAR_STOP_ENDED: text = "the program has ended"; break;
	case EAR_STOP_ENDED_BUSY: text = "the program has ended, but the core continued"; break;
	default: break;
	}
	session->end.reason = EAR_SESSION_END_STOP;
	ear_report_set(&session->end.report, 0, "%s: %s", session->transport->name, text);
}

/* All bytes of the capture have been handed over. If the board is about to end, wait a moment for
 * its exit status; bytes that still come are discarded.
 */
static int next_in_tail(
	struct ear_session *session, struct ear_session_item *item, uint64_t deadline_ms)
{
	struct ear_feed_item fed;
	uint64_t limit_ms = session->tail_limit_ms;

	for (;;) {
		uint64_t until_ms = deadline_ms < limit_ms ? deadline_ms : limit_ms;

		if (ear_feed_next(&session->feed, &fed, until_ms) == EAR_E_TIMEOUT) {
			if (ear_clock_ms() >= limit_ms)
				return end_item(session, item);
			return EAR_E_TIMEOUT;
		}
		if (fed.kind == EAR_FEED_END) {
			session->end.exit_status = fed.end->exit_status;
			return end_item(session, item);
		}
		if (fed.kind == EAR_FEED_BYTES)
			ear_feed_consume(&session->feed, fed.size);
	}
}

static void begin_tail(struct ear_session *session)
{
	bool ended = session->end.stop_reason == EAR_STOP_ENDED ||
		     session->end.stop_reason == EAR_STOP_ENDED_BUSY;
	bool worth = session->transport->ends_by_itself && ended;

	describe_stop(session);
	session->phase = PHASE_TAIL;
	session->tail_limit_ms = ear_clock_ms() + (worth ? EXIT_GRACE_MS : 0);
}

/* Bytes of a unit that predicts are missing, and nothing can be decoded before a hard SYNC. The
 * unit is asked for another one only when the last request is answered.
 */
static void ask_for_sync(struct ear_session *session)
{
	unsigned before = ear_flush_in_flight(&session->flush) ? 1 : 0;

	if (ear_session_predicts(session) && session->channel.word_count == before)
		ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_COMMAND,
			EAR_REG_COMMAND_SYNC_MASK);
}

void ear_session_resync(struct ear_session *session)
{
	if (session->phase == PHASE_CAPTURE && !session->stop_handled && !session->abort_handled)
		ask_for_sync(session);
}

/* Can the unit be asked for something? */
static bool is_asking(const struct ear_session *session)
{
	return session->phase == PHASE_CAPTURE && session->transport->controllable &&
	       !session->testing && !session->stop_handled && !session->abort_handled &&
	       !session->has_limit && !session->gone;
}

int ear_session_hold_core(struct ear_session *session, bool hold)
{
	if (!is_asking(session) || !(session->identity.features & EAR_REG_FEATURES_CORE_MASK))
		return EAR_E_UNSUPPORTED;
	return ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_WRITE, EAR_REG_CORE,
		hold ? EAR_REG_CORE_HALT_MASK : 0);
}

int ear_session_fetch(struct ear_session *session)
{
	if (!is_asking(session))
		return EAR_E_UNSUPPORTED;
	if (ear_session_predicts(session))
		return ear_flush_now(&session->flush, session->scanned);
	/* Its answer comes after the records. */
	return ear_control_channel_add(&session->channel, EAR_CONTROL_WORD_READ, EAR_REG_STATUS, 0);
}

bool ear_session_is_answered(const struct ear_session *session)
{
	return !is_asking(session) ||
	       (session->channel.word_count == 0 && session->offset == session->scanned);
}

/* One look at the feed in the capture. EAR_E_TIMEOUT if there was nothing. */
static int next_in_capture(
	struct ear_session *session, struct ear_session_item *item, uint64_t deadline_ms)
{
	struct ear_feed_item fed;
	int error = ear_feed_next(&session->feed, &fed, session->abort_handled ? 0 : deadline_ms);

	if (error && session->abort_handled) {
		/* A loss that was still open when the device fell silent is reported at the end. */
		ear_transport_stop(session->transport);
		error = ear_feed_next(&session->feed, &fed, 0);
		if (error)
			return end_item(session, item);
	}
	if (error) {
		handle_silence(session);
		return error;
	}
	switch (fed.kind) {
	case EAR_FEED_LOSS:
		ear_reply_scanner_interrupt(&session->scanner);
		ask_for_sync(session);
		*item = (struct ear_session_item){.kind = EAR_SESSION_LOSS,
			.offset = session->offset,
			.loss_size = fed.loss_size};
		session->view_size = 0;
		return 0;
	case EAR_FEED_END:
		describe_end(session, fed.end);
		if (ear_session_begin_reconnect(session, fed.end))
			return EAR_E_TIMEOUT;
		return end_item(session, item);
	default: scan_view(session, fed.bytes, fed.size); break;
	}
	return bytes_item(session, item, fed.bytes, fed.size);
}

int ear_session_next(
	struct ear_session *session, struct ear_session_item *item, unsigned timeout_ms)
{
	uint64_t deadline_ms = ear_clock_ms() + timeout_ms;

	for (;;) {
		uint64_t now_ms = ear_clock_ms();
		uint64_t slice_ms = now_ms + SLICE_MS;
		int result = EAR_E_TIMEOUT;

		if (slice_ms > deadline_ms)
			slice_ms = deadline_ms;
		if (session->has_limit && session->offset == session->limit &&
			session->phase == PHASE_CAPTURE)
			begin_tail(session);
		switch (session->phase) {
		case PHASE_CONTROL: ear_clock_sleep_ms((unsigned)(slice_ms - now_ms)); break;
		case PHASE_CAPTURE:
			if (session->lead_used < session->lead_size)
				return bytes_item(session, item, session->lead + session->lead_used,
					session->lead_size - session->lead_used);
			handle_requests(session, now_ms);
			handle_control(session, now_ms);
			result = next_in_capture(session, item, slice_ms);
			break;
		case PHASE_ABSENT:
			result = ear_session_try_reconnect(session, item, slice_ms);
			if (result == EAR_E_NO_DEVICE)
				result = end_item(session, item);
			break;
		case PHASE_TAIL: result = next_in_tail(session, item, slice_ms); break;
		case PHASE_END: return end_item(session, item);
		}
		if (result == 0 || ear_clock_ms() >= deadline_ms)
			return result;
	}
}

void ear_session_consume(struct ear_session *session, size_t size)
{
	assert(size <= session->view_size);
	session->view_size -= size;
	session->offset += size;
	if (session->lead_used < session->lead_size)
		session->lead_used += size;
	else
		ear_feed_consume(&session->feed, size);
}
