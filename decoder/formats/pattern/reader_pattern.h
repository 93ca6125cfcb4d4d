#ifndef EAR_READER_PATTERN_H
#define EAR_READER_PATTERN_H

#include "decoder/formats/base/reader.h"
#include "decoder/record/field.h"

/* Lines by the patterns of options->pattern (line_pattern.h), which have to be right ones: nothing
 * is made of others. No text is recognised as one of these. */
int ear_reader_pattern_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_pattern_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

/* What the language can say; the reader lacks what its patterns do not. */
#define EAR_READER_PATTERN_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_TRAP) | \
		EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | EAR_FIELD_BIT(EAR_FIELD_TRAP_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | EAR_FIELD_BIT(EAR_FIELD_READ_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE) | EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY))

#endif
