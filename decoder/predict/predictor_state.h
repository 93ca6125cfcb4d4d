#ifndef EAR_PREDICTOR_STATE_H
#define EAR_PREDICTOR_STATE_H

#include "decoder/predict/predictor.h"

/* A predictor's state as bytes: little-endian, the same on every machine.
 * docs/file-format.md, section 7.
 */

/* Bytes of the state of this predictor. Depends on its geometry only. */
size_t ear_predictor_state_size(const struct ear_predictor *predictor);

/* The state into bytes[0 .. ear_predictor_state_size-1]. */
void ear_predictor_save(const struct ear_predictor *predictor, uint8_t *bytes);

/* And back, into a predictor of the same unit and geometry. The bytes may be anything.
 *
 * Returns the bytes used, or EAR_E_BAD_FILE if they are too few or cannot be a state: the
 * predictor is then of no use before the next ear_predictor_reset.
 */
int ear_predictor_load(struct ear_predictor *predictor, const uint8_t *bytes, size_t size);

#endif
