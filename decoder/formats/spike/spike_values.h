#ifndef EAR_SPIKE_VALUES_H
#define EAR_SPIKE_VALUES_H

#include <earshot/record.h>
#include <stdbool.h>

#include "decoder/formats/base/record_builder.h"
#include "decoder/text/text_cursor.h"

/* Values in commit lines that are not one number. Each returns false if it is malformed, or if
 * there is no room for it (builder->error). */

/* "e32 m1 l4": reads of SEW, LMUL and vl. */
bool ear_spike_take_vector_config(
	struct ear_record_builder *builder, struct ear_text_cursor *cursor);

/* "0x" and 32 digits: the value of an f register with the extension Q. */
bool ear_spike_take_wide_float(struct ear_record_builder *builder, struct ear_record_register *reg,
	struct ear_text_cursor *cursor);

#endif
