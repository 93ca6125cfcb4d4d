#ifndef EAR_WRITER_WHISPER_H
#define EAR_WRITER_WHISPER_H

#include "decoder/formats/base/writer.h"

/* Whisper CSV (docs/text-formats.md): what Whisper 1.861 writes with --csvlog for the same
 * program, character by character. A gap and an event are lines that begin with "# ".
 */
struct ear_writer *ear_writer_whisper_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

/* Load values and widths are not in the format. */
#define EAR_WRITER_WHISPER_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_PC_PHYSICAL) | \
		EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_TAKEN) | EAR_FIELD_BIT(EAR_FIELD_TRAP) | \
		EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | \
		EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_FFLAGS) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | EAR_FIELD_BIT(EAR_FIELD_DATA_PHYSICAL) | \
		EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | EAR_FIELD_BIT(EAR_FIELD_MASKED) | \
		EAR_FIELD_BIT(EAR_FIELD_FETCH_WALK) | EAR_FIELD_BIT(EAR_FIELD_DATA_WALK) | \
		EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY) | EAR_FIELD_BIT(EAR_FIELD_GAP) | \
		EAR_FIELD_BIT(EAR_FIELD_EVENT))

/* Flags that come without an f register, as those of a comparison; a store that looks like
 * a load. */
uint64_t ear_writer_whisper_unfit(const struct ear_record *record);

/* The line that names the columns. */
void ear_writer_whisper_header(
	struct ear_text_output *output, const struct ear_writer_options *options);

#endif
