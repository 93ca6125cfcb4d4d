#ifndef EAR_READER_SAIL_H
#define EAR_READER_SAIL_H

#include "decoder/formats/base/reader.h"

/* Logs of the Sail RISC-V model with --trace-instr and any other --trace options
 * (docs/text-formats.md), of this and of older versions. */
int ear_reader_sail_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_sail_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

#endif
