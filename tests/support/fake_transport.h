#ifndef FAKE_TRANSPORT_H
#define FAKE_TRANSPORT_H

#include "driver/link/transport.h"
#include "fake_unit.h"

/* A transport to a fake unit, with every fault that a test can wish for.
 *
 * Set the members before the transport is given to a session; the rest happens by itself. After
 * ENABLE and the core's release, the unit sends frame_count frames of records, each as one push,
 * then (if ends) STOP with reason ENDED.
 */
struct fake_transport {
	struct ear_transport base;
	struct fake_unit unit;

	/* What it does */
	unsigned frame_count; /* frames after the release of the core */
	bool ends;            /* STOP after them, as if the program had ended */
	unsigned other_count; /* frames of a second unit, half of them after that STOP; its own STOP
			       */
	bool exits;           /* and then the device ends with exit status 7 */
	const uint8_t *noise; /* sent before every reply */
	size_t noise_size;
	const uint8_t *split; /* a frame of which split_at bytes come together with the answer to */
	size_t split_at;      /* the read of STATUS, and the rest before the next answer */
	size_t split_size;

	/* What goes wrong */
	int fail_call;       /* the call (start, write) with this number fails; -1 none */
	int fail_error;      /* with this error */
	int vanish_write;    /* this write takes the word, and the device vanishes; -1 none */
	unsigned lose_words; /* control words with an even number (0, 2, ..) below this are lost */
	bool mute;           /* answers nothing at all */
	bool mute_enable;    /* writes of CONTROL are lost */
	bool keeps_on;       /* does not stop on ENABLE = 0 */
	bool babbles;        /* as keeps_on, and it sends records for ever */

	/* What was seen */
	unsigned call_count, write_count, word_count;
	unsigned stop_count; /* captures that the host ended */
	uint64_t pushed;     /* bytes given to the sink */

	struct fake_link *link; /* its thread and its queue */
};

extern unsigned fake_transport_count; /* that are open now */

/* A healthy one: controllable, not flow controlled, no frames. */
struct fake_transport *fake_transport_new(void);

/* From the test's thread: send these bytes as one push, after all that is queued. */
void fake_transport_send(struct fake_transport *fake, const uint8_t *bytes, size_t size);

/* From the test's thread: end like this, after all that is queued. */
void fake_transport_end(struct fake_transport *fake, enum ear_transport_reason reason);

/* Wait until all that is queued was given to the sink. */
void fake_transport_flush(struct fake_transport *fake);

#endif
