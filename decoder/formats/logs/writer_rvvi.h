#ifndef EAR_WRITER_RVVI_H
#define EAR_WRITER_RVVI_H

#include "decoder/formats/base/writer.h"

/* RVVI-TEXT (docs/text-formats.md): a line for each instruction. What the format has no element for
 * is in META elements, which other readers skip. */
struct ear_writer *ear_writer_rvvi_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

/* Vector registers of a width that the format cannot declare. */
uint64_t ear_writer_rvvi_unfit(const struct ear_record *record);

#define EAR_WRITER_RVVI_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_TIME) | \
		EAR_FIELD_BIT(EAR_FIELD_PC_PHYSICAL) | EAR_FIELD_BIT(EAR_FIELD_DATA_PHYSICAL) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_TRAP) | \
		EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_FFLAGS) | EAR_FIELD_BIT(EAR_FIELD_MASKED) | \
		EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE) | EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP_VALUE) | EAR_FIELD_BIT(EAR_FIELD_CAUSELESS))

#endif
