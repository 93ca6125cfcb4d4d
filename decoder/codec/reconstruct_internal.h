#ifndef EAR_RECONSTRUCT_INTERNAL_H
#define EAR_RECONSTRUCT_INTERNAL_H

#include "decoder/codec/reconstruct.h"

/* What reconstruct.c offers to the files that work on its state, and to nothing else. */

/* Begin a record of this kind with all that comes from the state. */
void ear_reconstruct_begin_record(const struct ear_reconstruct *reconstruct,
	struct ear_record *record, enum ear_record_kind kind, uint64_t offset);

/* The next entry of message that differs into reconstruct->entry, and out of message. The predictor
 * learns it.
 */
void ear_reconstruct_decode(
	struct ear_reconstruct *reconstruct, struct ear_record_message *message);

/* The privilege that the record of an entry has. */
uint8_t ear_reconstruct_privilege(const struct ear_retire *entry);

/* Free the predictor. Nothing can be followed until another one is made. */
void ear_reconstruct_drop_predictor(struct ear_reconstruct *reconstruct);

#endif
