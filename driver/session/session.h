#ifndef EAR_SESSION_H
#define EAR_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/base/report.h"
#include "driver/link/transport.h"
#include "driver/session/capture_config.h"

/* A capture, from opening the device to the last byte.
 *
 *   ear_session_open        the device is there and reading
 *   ear_session_identify    which unit is it?       } only if the device is controllable
 *   ear_session_start       configure and enable    } (not with file:)
 *   loop: ear_session_next  bytes, losses, at last the end; ear_session_consume after bytes
 *   ear_session_stop        whenever the capture shall end; the loop continues to the end
 *   ear_session_close
 *
 * One thread, the consumer, calls all functions except those marked "any thread".
 *
 * Until ear_session_start, bytes from the unit are searched for replies and discarded. All bytes
 * from the moment the capture is enabled belong to the capture, unchanged and whole, replies to
 * control words included. The capture's bytes end with the frame that holds the STOP message. If
 * the device is not controllable, all its bytes belong to the capture.
 */
struct ear_session;

/* What happens when the host's ring is full. */
enum ear_ring_full {
	EAR_RING_FULL_AUTO, /* wait if the transport is flow controlled, else drop */
	EAR_RING_FULL_WAIT, /* the transport's thread waits */
	EAR_RING_FULL_DROP, /* bytes are dropped, counted, and reported where they are missing */
};

struct ear_session_options {
	size_t ring_size; /* bytes, rounded up to a power of two */
	enum ear_ring_full ring_full;
	unsigned reply_timeout_ms; /* how long one control word waits for its reply */
	unsigned retries;          /* how often it is sent again after that */
	unsigned stop_timeout_ms;  /* after stop, or when the device seems to have gone: silence of
				    * this length ends the wait for its last bytes */
	unsigned stop_limit_ms;    /* after stop: the longest wait for STOP in total */
	const char *record_path;   /* also write all received bytes to this file; NULL no */

	/* After silence of this length, a unit that predicts is asked for the records that wait in
	 * it (COMMAND.FLUSH). While its answers are all that comes, a unit that sends waiting
	 * records by itself (FEATURES.RUN_FLUSH) is asked ever less often, down to once a minute.
	 * 0: never.
	 */
	unsigned silence_ms;

	/* When the device goes away during a capture: wait this long for it to come back, and
	 * continue after a loss of unknown size. 0: do not wait; or EAR_SESSION_WAIT_FOR_EVER. If
	 * the unit still captures, the session joins it; a unit that lost its power is started
	 * again with the same configuration, but the core is not reset.
	 */
	unsigned reconnect_timeout_ms;
};

#define EAR_SESSION_WAIT_FOR_EVER UINT_MAX

/* 8 MiB, AUTO, 500 ms, 3 retries, 2 s, 60 s, NULL, 400 ms, 0. */
void ear_session_options_init(struct ear_session_options *options);

/* Open the device (names: transport.h) and begin to read. options NULL: the defaults.
 *
 * Returns 0 and *session, to be closed by the caller.
 * Returns what ear_transport_open does, or EAR_E_NO_MEMORY, with the reason in *report; *session is
 * NULL.
 */
int ear_session_open(struct ear_session **session, const char *device,
	const struct ear_session_options *options, struct ear_report *report);

/* The same for a transport that is already open. It belongs to the session from now on, even if
 * this fails.
 */
int ear_session_open_transport(struct ear_session **session, struct ear_transport *transport,
	const struct ear_session_options *options, struct ear_report *report);

/* The last failure of a function of this session, as a sentence; "" if there was none. */
const char *ear_session_message(const struct ear_session *session);

/* Something that the user should know although nothing failed, as a sentence; "" if there is none.
 * Ask after opening, and after a reconnect.
 */
const char *ear_session_warning(const struct ear_session *session);

/* Can the device be identified, configured and stopped? False for file:. */
bool ear_session_controllable(const struct ear_session *session);

/* Read the unit's identity. *identity may be NULL.
 *
 * Returns 0, EAR_E_NO_DEVICE if the device has gone or what answers is not an Earshot unit,
 *         EAR_E_TIMEOUT if nothing answers, EAR_E_VERSION if the unit speaks another protocol
 *         major, EAR_E_UNSUPPORTED if the device is not controllable, EAR_E_REFUSED, EAR_E_IO.
 */
int ear_session_identify(struct ear_session *session, struct ear_identity *identity);

/* Read or write one register; before ear_session_start only. Results as ear_session_identify. */
int ear_session_read_register(struct ear_session *session, uint16_t address, uint32_t *value);
int ear_session_write_register(struct ear_session *session, uint16_t address, uint32_t value);

/* Configure the unit, enable the capture, and let the core run.
 *
 * Identifies the unit first if that has not been done. A capture that still runs in the unit is
 * ended and discarded. If the unit can (feature CORE) and keep_core_running is not set, the core is
 * put into reset before ENABLE and released after it, so that no instruction is missed.
 *
 * Returns 0 when ENABLE has been sent. Its answer comes in the loop: without one, the capture ends
 *         with EAR_SESSION_END_ERROR.
 * Returns what ear_session_identify and ear_capture_config_check do.
 */
int ear_session_start(struct ear_session *session, const struct ear_capture_config *config);

/* Begin a link test instead of a capture: the unit's test source (docs/protocol.md, section 7.3)
 * sends TEST messages from number 0 on until ear_session_stop; the stream then ends with the reply
 * that switches the source off. Bytes, losses and the end are reported as for a capture, but there
 * is no STOP message, and no reconnect.
 *
 * Returns 0 when the unit has the request, EAR_E_UNSUPPORTED if it was built without a test source,
 * or what ear_session_identify does.
 */
int ear_session_start_test(struct ear_session *session);

/* Why a capture ended. */
enum ear_session_end_reason {
	EAR_SESSION_END_STOP,     /* the unit's STOP message came: the capture is complete; or the
				   * answer to the end of a test */
	EAR_SESSION_END_OF_FILE,  /* the dump was read to its end */
	EAR_SESSION_END_EXITED,   /* the virtual board ended without a STOP message */
	EAR_SESSION_END_VANISHED, /* the device went away */
	EAR_SESSION_END_ERROR,    /* reading or controlling failed */
	EAR_SESSION_END_HOST,     /* the host stopped, and no STOP message came in time */
};

struct ear_session_end {
	enum ear_session_end_reason reason;
	int exit_status;     /* of the virtual board's process if it ended by itself, else -1 */
	bool stop_requested; /* ear_session_stop was called before the end */
	bool has_stop;       /* a STOP message was seen; the reason is the last one's */
	uint8_t stop_reason; /* EAR_STOP_* */
	uint64_t retired, delivered, lost, filtered; /* the counters of all STOP messages */
	struct ear_report report;                    /* what happened */
};

enum ear_session_item_kind {
	EAR_SESSION_BYTES, /* the next bytes of the capture, in order */
	EAR_SESSION_LOSS,  /* bytes of the stream are missing here: see loss_size */
	EAR_SESSION_END,   /* the capture has ended; repeated at every further call */
};

/* One step of the capture. Members that have a meaning, by kind: BYTES offset, bytes, size; LOSS
 * offset, loss_size; END offset, end.
 */
struct ear_session_item {
	enum ear_session_item_kind kind;
	uint64_t offset;      /* bytes of the capture that were handed over before this */
	const uint8_t *bytes; /* valid until ear_session_consume */
	size_t size;          /* of bytes, >= 1 */
	uint64_t loss_size;   /* LOSS: bytes dropped because the ring was full; 0: an unknown number
			       * of bytes was lost before the ring */
	const struct ear_session_end *end; /* valid until ear_session_close */
};

/* The next item, in the order of the stream. Before ear_session_start a controllable device gives
 * none: EAR_E_TIMEOUT.
 *
 * Bytes are a view into the ring, as many as it holds without a gap; the next call without a
 * consume gives them again, and perhaps more. A view need not end on a frame's boundary.
 *
 * While a device that went away is being opened again, this can take longer than timeout_ms.
 *
 * Returns 0 and *item, or EAR_E_TIMEOUT if nothing came within timeout_ms.
 */
int ear_session_next(
	struct ear_session *session, struct ear_session_item *item, unsigned timeout_ms);

/* After the end: the register MISMATCHES, if the unit has it and still answers. It waits as long as
 * for any answer. Returns 0, EAR_E_UNSUPPORTED if there is nothing to ask, or as
 * ear_session_identify. */
int ear_session_count_mismatches(struct ear_session *session, uint32_t *count);

/* Free the first size bytes of the last view; size may be less than the view's. */
void ear_session_consume(struct ear_session *session, size_t size);

/* End the capture completely: the unit is asked to stop, and the loop continues with
 * ear_session_next to the end. A second call does nothing. A device that is not controllable ends
 * at once: bytes that are in the ring are still handed over. Any thread, and signal handlers;
 * ear_session_next acts on it within 50 ms.
 */
void ear_session_stop(struct ear_session *session);

/* Bytes of the capture were damaged in transit, so the consumer cannot continue: ask a unit that
 * predicts for a hard SYNC. Other units need none, and ear_session_next has done this where it gave
 * a loss. The SYNC is seen only when the bytes before it have been decoded, so wait a moment before
 * asking again.
 */
void ear_session_resync(struct ear_session *session);

/* In a capture: hold the core by its stall input, or let it go on (register CORE, bit HALT). The
 * next calls of ear_session_next send it. Nothing of the capture is lost by it.
 *
 * Returns 0; EAR_E_UNSUPPORTED if the unit holds no core (FEATURES.CORE) or nothing is captured;
 *         EAR_E_FULL if too many words wait: try again later.
 */
int ear_session_hold_core(struct ear_session *session, bool hold);

/* In a capture: ask the unit for all that it has. What was asked of it so far comes first. Returns
 * as ear_session_hold_core. */
int ear_session_fetch(struct ear_session *session);

/* Is all answered that the unit was asked, and were the bytes before the answers consumed? Of a
 * core that is held by then, every record has come. True after the end. */
bool ear_session_is_answered(const struct ear_session *session);

/* Numbers for a progress display. All bytes received = accepted + dropped. */
struct ear_session_statistics {
	uint64_t time_ms;        /* of this snapshot, on a clock that never goes back */
	uint64_t received;       /* bytes from the transport, of the capture and before */
	uint64_t consumed;       /* bytes taken out of the ring */
	uint64_t dropped;        /* bytes dropped because the ring was full */
	uint64_t drop_count;     /* how many times that began */
	uint64_t wait_count;     /* how many times the transport's thread waited */
	size_t ring_size;        /* bytes */
	size_t ring_fill;        /* bytes in the ring now */
	size_t ring_fill_max;    /* most bytes that have been in the ring */
	uint64_t control_resent; /* control words that had to be sent again */
	struct ear_transport_fault_counts faults; /* of the link, recovered */
	bool absent;                              /* the device has gone, and the session waits */
	uint64_t reconnect_count;                 /* how often it came back */
};

/* Take a snapshot. Any thread. */
void ear_session_statistics(
	const struct ear_session *session, struct ear_session_statistics *statistics);

/* Bytes received per second between two snapshots; 0 if both are of the same millisecond. */
uint64_t ear_session_rate(
	const struct ear_session_statistics *before, const struct ear_session_statistics *after);

/* Did the file of record_path take everything? Returns 0 (also without one), or EAR_E_IO with the
 * reason in ear_session_message. Ask after the end.
 */
int ear_session_record_status(struct ear_session *session);

/* End the session in any phase and free everything. NULL: nothing. */
void ear_session_close(struct ear_session *session);

#endif
