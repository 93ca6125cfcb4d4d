#ifndef EAR_FLUSH_H
#define EAR_FLUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/session/control_channel.h"

/* Asks a silent unit that predicts for the records that wait in it: COMMAND.FLUSH
 * (docs/protocol.md, section 7). Positions count the bytes of the stream.
 *
 * Nothing depends on the answer: a unit that gives none, or refuses, continues its capture.
 */
struct ear_flush {
	struct ear_control_channel *channel;
	unsigned silence_min_ms; /* ask after this much silence; 0: never */
	unsigned silence_ms;     /* the same now: more while there is nothing to bring */
	uint64_t asked;          /* the position at the last request */
	uint64_t answered;       /* the end of its last answer */
};

/* Requests go into channel, which must outlive *flush. */
void ear_flush_init(
	struct ear_flush *flush, struct ear_control_channel *channel, unsigned silence_min_ms);

/* The unit is silent: queue a request if it is time and no other word waits. The stream has been
 * seen up to position, and quiet_ms is when its last byte came.
 */
void ear_flush_ask(struct ear_flush *flush, uint64_t position, uint64_t quiet_ms, uint64_t now_ms);

/* Queue a request now, after the words that wait. Returns 0 or EAR_E_FULL. */
int ear_flush_now(struct ear_flush *flush, uint64_t position);

/* Is the control word in flight such a request? */
bool ear_flush_in_flight(const struct ear_flush *flush);

/* The answer to the request ends at position. sends_by_itself: the unit has FEATURES.RUN_FLUSH. */
void ear_flush_note_answer(struct ear_flush *flush, uint64_t position, bool sends_by_itself);

#endif
