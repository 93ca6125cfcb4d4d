#ifndef EAR_READER_ETRACE_H
#define EAR_READER_ETRACE_H

#include "decoder/formats/base/reader.h"
#include "decoder/record/field.h"

/* What the records can have: a branch trace has no values. */
#define EAR_READER_ETRACE_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_TRAP) | \
		EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | EAR_FIELD_BIT(EAR_FIELD_GAP) | \
		EAR_FIELD_BIT(EAR_FIELD_EVENT) | EAR_FIELD_BIT(EAR_FIELD_TRAP_VALUE))

/* Do the bytes begin with packets of the usual unit, each with a byte of length before it, of which
 * one of the first says where the hart is (ear_reader_format.detect)? */
int ear_reader_etrace_detect(const char *bytes, size_t size);

/* Do the bytes begin with packets whose numbers follow each other (ear_reader_format.detect)? */
int ear_reader_esptrace_detect(const char *bytes, size_t size);

/* Readers of "etrace" and "esptrace" (ear_reader_format.make_of_bytes). */
int ear_reader_etrace_make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size);
int ear_reader_esptrace_make(struct ear_reader **reader, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size);

#endif
