#ifndef EAR_SAMPLE_STREAM_H
#define EAR_SAMPLE_STREAM_H

#include <stdint.h>

#include "decoder/codec/encoder.h"

/* A small loop as a core would retire it: load, add, c.addi, addi, store, branch, again and
 * again, 32 or 64 bits wide. Plausible traces of any length for tests that need many records.
 *
 * Gives the entry with this order; the last branch of every 64 rounds is not taken.
 */
void sample_entry(struct ear_retire *entry, uint64_t order, unsigned xlen);

/* A unit as ear_encoder_init wants it. control as in the UNIT message. */
struct ear_unit sample_unit(unsigned xlen, unsigned hart, unsigned control);

#define SAMPLE_CONTROL(time_mode) ((unsigned)(time_mode) << 1)

#endif
