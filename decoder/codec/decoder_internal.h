#ifndef EAR_DECODER_INTERNAL_H
#define EAR_DECODER_INTERNAL_H

#include "decoder/codec/decoder.h"

/* What decoder.c offers to decoder_anchor.c, and to nothing else. */

/* Parse the message at decoder->position, which is below payload_size, of the frame with this
 * payload; it is pending then. Returns 0, or a negative value if it cannot be read: nothing has
 * changed but the message.
 */
int ear_decoder_parse_message(struct ear_decoder *decoder, const uint8_t *payload);

#endif
