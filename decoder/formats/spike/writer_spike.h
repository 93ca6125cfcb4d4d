#ifndef EAR_WRITER_SPIKE_H
#define EAR_WRITER_SPIKE_H

#include "decoder/formats/base/writer.h"

/* A log as the simulator Spike writes it with -l --log-commits (docs/text-formats.md). */
struct ear_writer *ear_writer_spike_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

/* Of the registers that were read, a line has only what vector instructions ran with; of those by
 * name, only f registers of 128 bits. */
uint64_t ear_writer_spike_unfit(const struct ear_record *record);

#define EAR_WRITER_SPIKE_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_OPCODE) | \
		EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | EAR_FIELD_BIT(EAR_FIELD_TAKEN) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | \
		EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE) | \
		EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY) | EAR_FIELD_BIT(EAR_FIELD_TRAP_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_READ_VALUE) | EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | EAR_FIELD_BIT(EAR_FIELD_WIDE_OPCODE) | \
		EAR_FIELD_BIT(EAR_FIELD_TRIGGER) | EAR_FIELD_BIT(EAR_FIELD_FFLAGS))

#endif
