#ifndef EAR_SESSION_PRIVATE_H
#define EAR_SESSION_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "driver/link/arrivals.h"
#include "driver/link/recorder.h"
#include "driver/session/control_channel.h"
#include "driver/session/feed.h"
#include "driver/session/reply_scanner.h"
#include "driver/session/session.h"

/* What the files of the session share: session.c (opening, the capture, numbers), session_start.c
 * (identify, configure, enable), session_load.c (a program into memory), session_reconnect.c (a
 * device that went away comes back) and session_flush.c (records that wait in a silent unit).
 */

enum phase {
	PHASE_CONTROL, /* before start: bytes are searched for replies and discarded */
	PHASE_CAPTURE, /* everything belongs to the capture */
	PHASE_TAIL,    /* STOP was handed over: waiting for the board's exit */
	PHASE_ABSENT,  /* the device has gone and may come back */
	PHASE_END,
};

struct ear_session {
	struct ear_transport *transport;
	struct ear_recorder *recorder;  /* NULL: none */
	struct ear_transport_sink sink; /* of every transport: the recorder or the feed */
	struct ear_session_options options;
	struct ear_feed feed;
	struct ear_control_channel channel;
	struct ear_reply_scanner scanner;
	struct ear_report report;
	enum phase phase;

	bool identified;
	struct ear_identity identity;
	uint32_t control; /* last value for register CONTROL */
	bool testing;     /* not a capture but a link test */

	/* The capture. Positions count the bytes of the capture. */
	uint8_t lead[EAR_FRAME_SIZE_MAX]; /* beginning of a frame that came before ENABLE */
	size_t lead_size, lead_used;
	uint64_t offset;  /* consumed */
	uint64_t scanned; /* seen by the reply scanner */
	size_t view_size; /* of the last item, what consume may take */
	bool has_limit;   /* the capture ends at limit: after the frame with STOP */
	uint64_t limit;
	struct ear_session_end end;

	/* Stopping */
	atomic_bool stop_requested, abort_requested;
	bool stop_handled, abort_handled;
	uint64_t stop_limit_ms; /* when the wait for STOP ends in any case */
	uint64_t quiet_ms;      /* when something came last, or stop was sent */
	uint64_t tail_limit_ms;

	/* Asking a silent unit for waiting records: session_flush.c. Positions as scanned. */
	unsigned silence_ms; /* after this much silence; 0 never */
	uint64_t asked;      /* the position when it was asked */
	uint64_t answered;   /* the end of its last answer */

	/* A control word could not be sent because the device has gone. The transport's own end
	 * says more, so it gets a moment to arrive. */
	bool gone;
	uint64_t gone_limit_ms;
	struct ear_report gone_report;

	/* Reconnect. The mutex guards changes of transport against ear_session_statistics. */
	pthread_mutex_t transport_mutex;
	struct ear_capture_config config;
	struct ear_arrivals *arrivals;
	struct ear_transport absent_transport; /* stands in between two attempts */
	uint64_t absent_limit_ms, absent_again_ms;
	atomic_bool absent;
	_Atomic uint64_t reconnect_count;
	struct ear_transport_fault_counts faults_before; /* of the transports before this one */
};

/* session_start.c: discard what has come until now; the capture begins with what follows.
 * Returns 0, EAR_E_NO_DEVICE or EAR_E_REFUSED.
 */
int ear_session_begin_capture(struct ear_session *session);

/* session_start.c: before the capture: check that the device is controllable, and identify it once.
 * Results as ear_session_identify.
 */
int ear_session_prepare(struct ear_session *session);

/* session_start.c: end a capture or a link test that an earlier program left running. Results as
 * ear_session_identify.
 */
int ear_session_end_others(struct ear_session *session);

/* session_reconnect.c: the transport has ended like this. Is the device worth waiting for? If so,
 * the phase is PHASE_ABSENT now.
 */
bool ear_session_begin_reconnect(struct ear_session *session, const struct ear_transport_end *end);

/* session_reconnect.c: one look for the device. Returns 0 and *item, a loss of unknown size, when
 * it is there again and captures; EAR_E_TIMEOUT if nothing happened until deadline_ms;
 * EAR_E_NO_DEVICE if the wait is over, with the reason in session->end.
 */
int ear_session_try_reconnect(
	struct ear_session *session, struct ear_session_item *item, uint64_t deadline_ms);

/* session_flush.c: the unit is silent: ask it for waiting records, if it is time. */
void ear_session_ask_for_flush(struct ear_session *session, uint64_t now_ms);

/* session_flush.c: is the control word in flight this question? Nothing depends on its answer: a
 * unit that gives none, or refuses, continues its capture.
 */
bool ear_session_flushing(const struct ear_session *session);

/* session_flush.c: the answer to the question ends at offset. */
void ear_session_note_flush(struct ear_session *session, uint64_t offset);

/* Is the unit known to send records in predict mode? */
static inline bool ear_session_predicts(const struct ear_session *session)
{
	return session->identified && !session->testing &&
	       session->identity.features & EAR_REG_FEATURES_PREDICT_MASK;
}

#endif
