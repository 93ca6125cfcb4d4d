#ifndef EAR_WRITER_NTRACE_H
#define EAR_WRITER_NTRACE_H

#include "decoder/formats/base/writer.h"

/* What a stream can carry. HART, TIME and PRIVILEGE only with a unit that has them. */
#define EAR_WRITER_NTRACE_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | \
		EAR_FIELD_BIT(EAR_FIELD_GAP))

/* Records to N-Trace (docs/ntrace.md, "Encoding"): ear_writer_format.make_of_bytes. XLEN is the
 * unit's, or that of the first instruction. SRC is the hart, so more than one hart needs a unit
 * with src_bits. ear_writer_finish sends what is left.
 *
 * ear_writer_push returns EAR_E_UNSUPPORTED for a hart that SRC cannot say. An instruction of
 * another XLEN or instruction set, or without an opcode, is missing from the trace, as a gap.
 */
int ear_writer_ntrace_make(struct ear_writer **writer, struct ear_text_output *output,
	const struct ear_writer_options *options, char *fault, size_t size);

#endif
