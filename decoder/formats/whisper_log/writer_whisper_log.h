#ifndef EAR_WRITER_WHISPER_LOG_H
#define EAR_WRITER_WHISPER_LOG_H

#include "decoder/formats/base/writer.h"

/* Whisper's text log (docs/text-formats.md): one line for each change, as Whisper 1.861 writes
 * it without --csvlog. The number in front is the record's index plus 1; a gap and an event are
 * lines that begin with "# ".
 */
struct ear_writer *ear_writer_whisper_log_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

/* Load values, widths, floating-point flags, masks and page walks are not in the format. That a
 * branch was taken shows in the pc of the next record; the cause of a trap in the CSRs.
 */
/* In the place of an opcode that is unknown. */
#define EAR_WHISPER_LOG_NO_OPCODE "????????"

#define EAR_WRITER_WHISPER_LOG_FIELDS \
	(EAR_FIELD_BIT(EAR_FIELD_HART) | EAR_FIELD_BIT(EAR_FIELD_OPCODE) | \
		EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | EAR_FIELD_BIT(EAR_FIELD_TAKEN) | \
		EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) | \
		EAR_FIELD_BIT(EAR_FIELD_INTERRUPT) | EAR_FIELD_BIT(EAR_FIELD_X_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_F_WRITE) | EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE) | \
		EAR_FIELD_BIT(EAR_FIELD_V_WRITE) | EAR_FIELD_BIT(EAR_FIELD_LOAD_ADDRESS) | \
		EAR_FIELD_BIT(EAR_FIELD_STORE_ADDRESS) | EAR_FIELD_BIT(EAR_FIELD_STORE_VALUE) | \
		EAR_FIELD_BIT(EAR_FIELD_DATA_PHYSICAL) | EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY) | \
		EAR_FIELD_BIT(EAR_FIELD_GAP) | EAR_FIELD_BIT(EAR_FIELD_EVENT))

/* Fields of this record that the log cannot show: a cause is that of the CSR that the trap wrote,
 * and of several accesses it shows the stores. */
uint64_t ear_writer_whisper_log_unfit(const struct ear_record *record);

#endif
