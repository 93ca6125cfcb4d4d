#ifndef EAR_WRITER_NTRACE_H
#define EAR_WRITER_NTRACE_H

#include "decoder/formats/base/writer.h"

/* What a stream can carry, with the unit that has it. */
#define EAR_WRITER_NTRACE_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | EAR_FIELD_BIT(EAR_FIELD_TAKEN) | \
		EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | EAR_FIELD_BIT(EAR_FIELD_GAP))

/* Records to N-Trace (docs/ntrace.md, "Encoding"), of the unit that options->unit describes. XLEN
 * is the unit's, or that of the first instruction. SRC is the hart, so more than one hart needs a
 * unit with src_bits. ear_writer_finish sends what is left.
 *
 * ear_writer_push returns EAR_E_BAD_ARGUMENT if the unit is not understood, and EAR_E_UNSUPPORTED
 * for a hart that SRC cannot say, or an instruction of another XLEN or instruction set.
 */
struct ear_writer *ear_writer_ntrace_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

#endif
