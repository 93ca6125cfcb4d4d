#ifndef EAR_DECODER_STATE_H
#define EAR_DECODER_STATE_H

#include "decoder/codec/decoder.h"

/* The state of a decoder between two frames as bytes, so that another decoder can continue there.
 * docs/file-format.md, section 7.
 */

#define EAR_DECODER_STATE_MAX (32u << 20) /* bytes; decoders with a larger state are not saved */

/* Can the decoder be saved here? Not inside a frame, and not while a gap is still to be reported.
 */
bool ear_decoder_can_save(const struct ear_decoder *decoder);

/* Save the state in memory from malloc. Returns 0; EAR_E_UNSUPPORTED if it cannot be saved here, or
 * is too large; or EAR_E_NO_MEMORY.
 */
int ear_decoder_save(const struct ear_decoder *decoder, uint8_t **bytes, size_t *size);

/* Size of the state in bytes, even if it cannot be saved here. */
size_t ear_decoder_state_size(const struct ear_decoder *decoder);

/* Continue where the saved decoder was. The bytes need not be valid.
 *
 * A decoder that has decoded nothing yet continues as the saved one would. Any other must have lost
 * a part of the stream, and be between frames: it reports the gap and continues after it.
 *
 * Returns 0; or EAR_E_BAD_FILE or EAR_E_NO_MEMORY, and the decoder is as it was.
 */
int ear_decoder_load(struct ear_decoder *decoder, const uint8_t *bytes, size_t size);

/* Has a decoder between frames lost what it needs to continue? Then a saved state helps. */
bool ear_decoder_is_lost(const struct ear_decoder *decoder);

/* Does a saved state help a decoder between frames? One that is lost, and one that has decoded
 * nothing yet: a capture file may begin in the middle of a run.
 */
bool ear_decoder_wants_state(const struct ear_decoder *decoder);

#endif
