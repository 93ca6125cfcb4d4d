#ifndef EAR_LIVE_CAPTURE_H
#define EAR_LIVE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/live/flight.h"
#include "cli/live/live_top.h"
#include "cli/live/trigger_text.h"
#include "cli/output/outputs.h"
#include "decoder/codec/decoder.h"
#include "driver/session/session.h"

/* A capture from an open session to its end, whatever the session came from:
 *
 *   live_capture_init     then its members are set, the outputs added
 *   live_capture_prepare  the device is asked who it is; what it cannot do is refused
 *   outputs_open          by the caller, and flight_open if there is a flight recorder
 *   live_capture_run      from the start of the unit to the exit status
 *   live_capture_fini
 */
struct live_capture {
	/* Set by the caller. */
	const char *device; /* its name, for messages */
	struct ear_session *session;
	struct ear_capture_config config;
	const struct trigger_text *triggers; /* as they were asked for */
	struct outputs outputs;
	struct flight flight;                /* size 0: everything goes to the outputs */
	uint64_t limit_records, limit_bytes; /* UINT64_MAX none */
	double limit_seconds;                /* 0 none */
	bool keeps_raw;                      /* the session writes every byte to a file as well */
	bool quiet;                          /* no summary */
	struct live_top *top;                /* a live view; NULL: none */

	/* Only read from outside. */
	struct ear_decoder decoder; /* has decoded the whole stream */
	const char *end_reason;     /* a phrase; NULL until the end */
	bool top_failed;            /* the live view did, which is no failure of the capture */

	bool limited; /* a limit was reached, and the unit was stopped */
	double begin, last_flush, last_progress, last_resync;
	struct ear_session_statistics before; /* at the last progress line */
	uint8_t window[256u << 10];           /* bytes on their way through the decoder */
	size_t window_size;
};

/* The configuration and the limits are the defaults. It must stay where it is. */
void live_capture_init(struct live_capture *live);

/* Everything that can be found out before the unit is configured. Returns false after printing what
 * the device cannot do.
 */
bool live_capture_prepare(struct live_capture *live);

/* The capture. The outputs are open; they are closed in any case. Prints the summary. Returns the
 * exit status.
 */
int live_capture_run(struct live_capture *live);

/* Not the session, which is the caller's. */
void live_capture_fini(struct live_capture *live);

/* A limit was reached or a signal came, and the device cannot be stopped: what it still sends is
 * thrown away.
 */
bool live_is_over(const struct live_capture *live);

/* Did every output fail, the file of the raw bytes too? One that is left continues to the end. */
bool live_writes_nothing(const struct live_capture *live);

#endif
