#ifndef EAR_READER_ARMULATOR_H
#define EAR_READER_ARMULATOR_H

#include "decoder/formats/base/reader.h"

/* Traces of ARMulator's Tracer (docs/text-formats.md): SDT, ADS and AMBA forms of its bus cycles,
 * events, registers, time stamps, and the architectural form (TraceEIS).
 *
 * Lines of the header are notes. A cycle that fetches the opcode of the line after it becomes
 * part of that instruction, and so do the register lines and the core's data cycles directly
 * after it; every other cycle, event and register line is a record of its own.
 */
struct ear_reader *ear_reader_armulator_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

int ear_reader_armulator_detect(const char *bytes, size_t size);

#endif
