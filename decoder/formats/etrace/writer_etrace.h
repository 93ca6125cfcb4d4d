#ifndef EAR_WRITER_ETRACE_H
#define EAR_WRITER_ETRACE_H

#include "decoder/formats/base/writer.h"

/* What a stream can carry. HART, TIME and PRIVILEGE only with a unit that has them. */
#define EAR_WRITER_ETRACE_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_TRAP) | \
		EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | EAR_FIELD_BIT(EAR_FIELD_GAP) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP_VALUE))

/* Records to E-Trace (docs/etrace.md, "Writing"): ear_writer_format.make_of_bytes. srcID is the
 * hart, so more than one hart needs a unit with srcid_bits. ear_writer_finish sends what is left.
 *
 * ear_writer_push returns EAR_E_UNSUPPORTED for a hart that srcID cannot say. An instruction that
 * the unit cannot report is missing from the trace, as a loss.
 */
int ear_writer_etrace_make(struct ear_writer **writer, struct ear_text_output *output,
	const struct ear_writer_options *options, char *fault, size_t size);

#endif
