#ifndef EAR_WRITER_ARMULATOR_H
#define EAR_WRITER_ARMULATOR_H

#include "decoder/formats/base/writer.h"

/* The trace of ARMulator's Tracer as ADS 1.2 writes it (docs/text-formats.md): the header, the
 * fetch of an instruction, its line, the registers that changed, its data cycles, events.
 *
 * The header is the source's if it has one, else made: with the time of writing, or that of the
 * environment's SOURCE_DATE_EPOCH. Whether a cycle is sequential is worked out from the addresses
 * where the source has none. One file has one hart, as for Tarmac.
 */
struct ear_writer *ear_writer_armulator_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

/* As ear_writer_tarmac_unfit. */
uint64_t ear_writer_armulator_unfit(const struct ear_record *record);

#define EAR_WRITER_ARMULATOR_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_TIME) | EAR_FIELD_BIT(EAR_FIELD_OPCODE) | \
		EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | EAR_FIELD_BIT(EAR_FIELD_TAKEN) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | \
		EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE) | EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_VALUE) | EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE) | \
		EAR_FIELD_BIT(EAR_FIELD_ABORTED) | EAR_FIELD_BIT(EAR_FIELD_BUS) | \
		EAR_FIELD_BIT(EAR_FIELD_LONE_ACCESS) | EAR_FIELD_BIT(EAR_FIELD_LONE_REGISTER) | \
		EAR_FIELD_BIT(EAR_FIELD_SKIPPED) | EAR_FIELD_BIT(EAR_FIELD_OTHER_ISA) | \
		EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY) | EAR_FIELD_BIT(EAR_FIELD_EVENT))

#endif
