#ifndef EAR_VERDICT_H
#define EAR_VERDICT_H

#include <stdbool.h>

#include "decoder/codec/decoder.h"

/* What may be said of a stream as a whole, from the account of everything that came. Whoever says
 * that something is complete asks here.
 */
struct ear_verdict {
	/* No record is missing, and nothing else that the unit sent: every capture has a STOP whose
	 * counts are those of the records that came, the unit lost none, there is no gap, no check
	 * failed, and nothing was damaged, unreadable or repeated. Records that a filter or trigger
	 * held back are not missing.
	 */
	bool complete;
	/* Every record that retired came, was held back by a filter or trigger, or is counted as
	 * lost or missing, by the unit's own count; and no check failed. True if complete is.
	 */
	bool accounted;
	const char *
		why; /* the first reason why it is not complete, a phrase; NULL if it is. Static. */
};

/* The stream was decoded to its end. */
struct ear_verdict ear_verdict_of(const struct ear_decoder_account *account);

#endif
