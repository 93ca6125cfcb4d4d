#ifndef EAR_PREDICTOR_STATE_H
#define EAR_PREDICTOR_STATE_H

#include "decoder/predict/predictor.h"

/* A predictor's state as bytes: little-endian, the same on every machine.
 * docs/file-format.md, section 7.
 */

/* Size of the state in bytes. Depends on the geometry only. */
size_t ear_predictor_state_size(const struct ear_predictor *predictor);

/* Write the state to bytes[0 .. ear_predictor_state_size-1]. */
void ear_predictor_save(const struct ear_predictor *predictor, uint8_t *bytes);

/* Read it back, into a predictor of the same unit and geometry. The bytes need not be valid.
 *
 * Returns the bytes used, or EAR_E_BAD_FILE if they are too few or no state: ear_predictor_reset
 * must come before the next use then.
 */
int ear_predictor_load(struct ear_predictor *predictor, const uint8_t *bytes, size_t size);

#endif
