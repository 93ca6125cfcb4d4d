#ifndef EAR_RECONSTRUCT_ORDER_H
#define EAR_RECONSTRUCT_ORDER_H

#include "decoder/codec/reconstruct.h"

/* The meaning of an index, for the files that make records. */

/* The message that brought an index. */
enum ear_arrival {
	EAR_ARRIVAL_RECORD = 0,
	EAR_ARRIVAL_SYNC = 1,  /* with a SYNC */
	EAR_ARRIVAL_FIRST = 2, /* with the first SYNC of a capture */
};

/* The next record has this index, by a message at offset. Is it the expected one?
 *
 * Returns 0 if the record can follow; 2 with a gap in *record, after which the caller asks again;
 * or EAR_RECONSTRUCT_REPEATED.
 */
int ear_reconstruct_arrive(struct ear_reconstruct *reconstruct, struct ear_record *record,
	uint64_t order, unsigned how, uint64_t offset);

/* Flag bits in a reason of LOST. */
#define EAR_RELAYED_FLAGS (EAR_LOST_UNCOUNTED | EAR_LOST_UNTIMED)

/* A LOST in a part of a capture that relays a gap of the whole. Returns 1 and the gap, or 2 and one
 * before it, after which the caller asks again.
 */
int ear_reconstruct_relayed(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset);

/* STOP. Returns what ear_reconstruct_message returns. */
int ear_reconstruct_stop(struct ear_reconstruct *reconstruct, struct ear_record *record,
	const struct ear_message *message, uint64_t offset);

#endif
