#ifndef EAR_WRITER_RISCV_DV_H
#define EAR_WRITER_RISCV_DV_H

#include "decoder/formats/base/writer.h"

/* The trace CSV of riscv-dv as its scripts write it (docs/text-formats.md): one row an
 * instruction, lines end in \r\n. An interrupt is not an instruction and has no row.
 */
struct ear_writer *ear_writer_riscv_dv_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

#define EAR_WRITER_RISCV_DV_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY))

#endif
