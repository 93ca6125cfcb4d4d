#ifndef EAR_READER_SAIL_H
#define EAR_READER_SAIL_H

#include "decoder/formats/base/reader.h"
#include "decoder/record/field.h"

/* Logs of the Sail RISC-V model with --trace-instr and any other --trace options
 * (docs/text-formats.md), of this and of older versions. */
int ear_reader_sail_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_sail_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

#define EAR_READER_SAIL_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_TAKEN) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | \
		EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | EAR_FIELD_BIT(EAR_FIELD_PC_PHYSICAL) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP_VALUE))

#endif
