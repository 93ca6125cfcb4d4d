#ifndef EAR_VERDICT_H
#define EAR_VERDICT_H

#include <stdbool.h>

#include "decoder/codec/decoder.h"

/* The verdict on a whole stream, from its statistics. Every statement that a capture is complete
 * comes from here.
 */
struct ear_verdict {
	/* Nothing that the unit sent is missing: every capture has a STOP whose counts are those of
	 * the records, the unit lost none, there is no gap, no CHECK failed, and no part was
	 * damaged, unreadable or repeated. Records that a filter or trigger suppressed are not
	 * missing.
	 */
	bool complete;
	/* By the unit's own count, every record that retired came, was suppressed by a filter or
	 * trigger, or is counted as lost or missing; and no CHECK failed. True if complete is.
	 */
	bool accounted;
	const char *
		why; /* the first reason why it is not complete, a phrase; NULL if it is. Static. */
};

/* The stream was decoded to its end. */
struct ear_verdict ear_verdict_of(const struct ear_decoder_statistics *statistics);

#endif
