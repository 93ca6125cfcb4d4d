#ifndef EAR_SESSION_PRIVATE_H
#define EAR_SESSION_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "driver/link/arrivals.h"
#include "driver/link/recorder.h"
#include "driver/session/control_channel.h"
#include "driver/session/feed.h"
#include "driver/session/flush.h"
#include "driver/session/reply_scanner.h"
#include "driver/session/session.h"

/* What the files of the session share. Each of them may use those before it: session.c (opening,
 * requests, numbers), session_start.c (identify, configure, enable), session_load.c (a program into
 * memory), session_reconnect.c (a device that went away comes back), session_capture.c (the loop).
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
	uint64_t offset;              /* consumed */
	uint64_t scanned;             /* seen by the reply scanner */
	size_t view_size;             /* of the last item, what consume may take */
	bool stopped[EAR_STREAM_IDS]; /* units that have sent STOP */
	bool has_limit; /* the capture ends at limit: after the frame with the last STOP */
	uint64_t limit;
	struct ear_session_end end;

	/* Stopping */
	atomic_bool stop_requested;
	bool stop_handled, abort_handled;
	uint64_t stop_limit_ms; /* when the wait for STOP ends in any case */
	uint64_t quiet_ms;      /* when something came last, or stop was sent */
	uint64_t tail_limit_ms;

	struct ear_flush flush; /* its positions count as scanned does */

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

/* Is the unit known to send records in predict mode? */
static inline bool ear_session_predicts(const struct ear_session *session)
{
	return session->identified && !session->testing &&
	       session->identity.features & EAR_REG_FEATURES_PREDICT_MASK;
}

#endif
