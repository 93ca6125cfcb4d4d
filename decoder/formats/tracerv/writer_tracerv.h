#ifndef EAR_WRITER_TRACERV_H
#define EAR_WRITER_TRACERV_H

#include "decoder/formats/base/writer.h"

/* The human-readable trace of FireSim's TracerV (docs/text-formats.md): cycle and pc of every
 * instruction that was committed, and nothing else. FireSim has a file for each core; what traps
 * or is interrupted was not committed and has no line. Without times the index is used for the
 * cycle.
 */
struct ear_writer *ear_writer_tracerv_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

#define EAR_WRITER_TRACERV_FIELDS (EAR_FIELD_BIT(EAR_FIELD_TIME) | EAR_FIELD_BIT(EAR_FIELD_GAP))

#endif
