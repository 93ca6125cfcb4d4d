#ifndef EAR_DECODER_STATE_H
#define EAR_DECODER_STATE_H

#include "decoder/codec/decoder.h"

/* The state of a decoder between two frames as bytes, so that another one can go on from there.
 * docs/file-format.md, section 7.
 */

#define EAR_DECODER_STATE_MAX (32u << 20) /* bytes; decoders with a larger state are not saved */

/* Can the decoder be saved here? Not inside a frame, nor while something was lost of which nothing
 * was told yet.
 */
bool ear_decoder_can_save(const struct ear_decoder *decoder);

/* The state in malloc'ed memory. Returns 0; EAR_E_UNSUPPORTED if it cannot be saved here, or is
 * too large; EAR_E_NO_MEMORY.
 */
int ear_decoder_save(const struct ear_decoder *decoder, uint8_t **bytes, size_t *size);

/* Bytes of the state, whether or not it can be saved here. */
size_t ear_decoder_state_size(const struct ear_decoder *decoder);

/* Stand where the saved one stood. The bytes may be anything.
 *
 * A decoder that has decoded nothing yet goes on as the saved one would. One that has, has lost
 * something of the stream, and is between frames: it goes on behind the gap, which it tells.
 *
 * Returns 0, EAR_E_BAD_FILE or EAR_E_NO_MEMORY; the decoder is as it was then.
 */
int ear_decoder_load(struct ear_decoder *decoder, const uint8_t *bytes, size_t size);

/* Has a decoder between frames lost what it needs to go on? Then a saved state helps. */
bool ear_decoder_is_lost(const struct ear_decoder *decoder);

/* Does a saved state help a decoder between frames? One that is lost, and one that has decoded
 * nothing yet: a capture file may begin in the middle of a run.
 */
bool ear_decoder_wants_state(const struct ear_decoder *decoder);

#endif
