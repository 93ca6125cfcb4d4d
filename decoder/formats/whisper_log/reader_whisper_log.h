#ifndef EAR_READER_WHISPER_LOG_H
#define EAR_READER_WHISPER_LOG_H

#include "decoder/formats/base/reader.h"

/* Whisper's text log (docs/text-formats.md), also that of VeeR-ISS, which has no privilege.
 *
 * A record is the lines with the same number that " +" joins. index is that number less 1.
 * XLEN follows from the width of the pc.
 *
 * What the format does not hold:
 * - whether a branch was taken: the pc of the next record shows it, if it is of the same hart and
 *   there is no gap. A jump with its target in the opcode needs none;
 * - the cause of a trap: it is what the trap wrote to mcause, scause or vscause;
 * - load values, floating-point flags, masks; access sizes follow from the opcode.
 * CSRs are sorted by number in the log. Those of a trap are given in the order of Whisper's CSV:
 * epc, cause, tval, then the others.
 * Lines of page walks and labels are skipped, the walks with a warning.
 */
struct ear_reader *ear_reader_whisper_log_make(
	struct ear_text_input *input, const struct ear_reader_options *options);
int ear_reader_whisper_log_detect(const char *bytes, size_t size);

#endif
