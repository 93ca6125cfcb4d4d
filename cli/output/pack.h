#ifndef EAR_PACK_H
#define EAR_PACK_H

#include <stdint.h>

#include "cli/input/source_input.h"
#include "cli/show/metadata.h"
#include "decoder/codec/record_encoder.h"
#include "library/shot/shot.h"

/* Traces into capture files, and texts back out of them: what convert shares with decode. */

/* Metadata of the capture file about its source: the format and the fields that it lacks. *fields
 * gets those that it can carry (EAR_FIELD_BIT).
 */
void pack_metadata(const struct source_input *input, struct metadata *metadata, uint64_t *fields);

/* Can the source's text be kept byte for byte? */
bool pack_can(const struct source_input *input);

/* Pack the source's text, none of which was read yet. *text_bytes and *wire_bytes get the sizes of
 * text and stream. Returns false after printing why it could not be done.
 */
bool pack_text(struct source_input *input, struct ear_shot_writer *shot,
	const struct ear_record_encoder_options *options, uint64_t state_interval,
	uint64_t *text_bytes, uint64_t *wire_bytes);

#endif
