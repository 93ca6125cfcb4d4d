#ifndef EAR_READER_NTRACE_H
#define EAR_READER_NTRACE_H

#include "decoder/formats/base/reader.h"
#include "decoder/record/field.h"

/* What the records can have: a branch trace has no values. */
#define EAR_READER_NTRACE_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | \
		EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | EAR_FIELD_BIT(EAR_FIELD_GAP) | \
		EAR_FIELD_BIT(EAR_FIELD_EVENT))

/* The reader of "ntrace": docs/ntrace.md. As detect and make_of_bytes of struct ear_reader_format.
 */
int ear_reader_ntrace_detect(const char *bytes, size_t size);
int ear_reader_ntrace_make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size);

#endif
