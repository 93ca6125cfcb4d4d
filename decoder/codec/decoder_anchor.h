#ifndef EAR_DECODER_ANCHOR_H
#define EAR_DECODER_ANCHOR_H

#include "decoder/codec/decoder.h"

/* All that a decoder knows after a record, as bytes, so that another decoder can continue there:
 * inside of a frame, of a message and of a run, with a gap pending or after damage. For places that
 * somebody keeps beside a capture (library/source/source_anchor.h). It is no part of the capture
 * file, whose states (decoder_state.h) lie between frames, and its layout may change with any
 * version.
 */

/* Frames of each hart that are remembered over an anchor, to recognise those that come again. A
 * decoder that would need an older one returns EAR_E_UNSUPPORTED. */
#define EAR_DECODER_ANCHOR_FRAMES 256u

/* Save the state in memory from malloc. The decoder is in a frame, whose bytes are the first of the
 * stream that it has not used; loading needs them.
 *
 * Returns 0; EAR_E_UNSUPPORTED if the decoder is in no frame: it has handed out no record, or the
 * stream is at its end; or EAR_E_NO_MEMORY.
 */
int ear_decoder_anchor_save(const struct ear_decoder *decoder, uint8_t **bytes, size_t *size);

/* Continue where the saved decoder was. *decoder is fresh (ear_decoder_init), with its options.
 * stream[0 .. stream_size-1] are the bytes of the stream from that frame on, all of it; offer them
 * to ear_decoder_next again. Nothing that is given need be valid.
 *
 * Returns 0; EAR_E_BAD_FILE if this is no state, or that of another stream; EAR_E_UNSUPPORTED if
 * the state is inside of a run and was saved with other options; EAR_E_NO_MEMORY. After an error
 * only ear_decoder_fini is of use.
 */
int ear_decoder_anchor_load(struct ear_decoder *decoder, const uint8_t *bytes, size_t size,
	const uint8_t *stream, size_t stream_size);

/* Would decoders that continue at these two states of the same place give the same records? end was
 * saved by one that came from before, begin by one that began at a state of the file, and may
 * remember fewer frames: then it notes where it would need the others (frame_memory.h). Nothing in
 * either need be valid.
 *
 * Returns 1, 0 (no, or one of them is no state), or EAR_E_NO_MEMORY.
 */
int ear_decoder_anchor_meets(
	const uint8_t *end, size_t end_size, const uint8_t *begin, size_t begin_size);

#endif
