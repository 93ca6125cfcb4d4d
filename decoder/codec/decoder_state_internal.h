#ifndef EAR_DECODER_STATE_INTERNAL_H
#define EAR_DECODER_STATE_INTERNAL_H

#include "common/state_walk.h"
#include "decoder/codec/reconstruct.h"

/* Parts of a decoder's state that both kinds have: those of capture files (decoder_state.c) and
 * anchors (decoder_anchor.c). */

void ear_state_capture(struct ear_state_walk *walk, struct ear_capture *capture);

/* A predictor with what it depends on. load makes hart->predictor, which there was none of, and
 * returns 0, EAR_E_BAD_FILE or EAR_E_NO_MEMORY. */
void ear_state_save_predictor(struct ear_state_walk *walk, const struct ear_predictor *predictor);
int ear_state_load_predictor(struct ear_state_walk *walk, struct ear_reconstruct *hart);

#endif
