#ifndef EAR_READER_WHISPER_H
#define EAR_READER_WHISPER_H

#include "decoder/formats/base/reader.h"

/* Whisper CSV (docs/text-formats.md, section 1): what Whisper and VeeR-ISS write with --csvlog, and
 * what writer_whisper.c writes.
 *
 * The columns are found by the names in the header, in any order; a header may come again
 * at any line. Without a header the usual order is taken, with a warning.
 *
 * What the format does not hold:
 * - load values: has_value is false; access sizes follow from the opcode and are 0 where the
 *   instruction table does not know it;
 * - next_pc of a trap, mret and the like: EAR_RECORD_NO_NEXT_PC;
 * - the record number: index counts the instructions of each hart from 0, and continues after a
 *   gap where the gap says.
 * stream_offset of an instruction is the offset of its line in the text.
 *
 * XLEN follows from the first 64 KiB: from values wider than 32 bits, and from texts that only RV32
 * or only RV64 has. A wider value in a text of XLEN 32 makes its line a bad one.
 *
 * A light reader looks at the columns pc, inst, inst info, privilege, trap and hartid only:
 * whether a branch was taken is what inst info says, and next_pc has no meaning.
 */
struct ear_reader *ear_reader_whisper_make(
	struct ear_text_input *input, const struct ear_reader_options *options);
int ear_reader_whisper_detect(const char *bytes, size_t size);

#endif
