#ifndef EAR_READER_IBEX_H
#define EAR_READER_IBEX_H

#include "decoder/formats/base/reader.h"
#include "decoder/record/field.h"

/* Traces of the tracer of the Ibex core (docs/text-formats.md), and of the cores that write the
 * same columns. */
int ear_reader_ibex_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_ibex_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

#define EAR_READER_IBEX_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_TAKEN) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_CAUSELESS))

#endif
