#ifndef EAR_READER_RISCV_DV_H
#define EAR_READER_RISCV_DV_H

#include "decoder/formats/base/reader.h"

/* The trace CSV of riscv-dv, into which its scripts convert the logs of many simulators
 * (docs/text-formats.md). Columns are found by name, in any order.
 */
int ear_reader_riscv_dv_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_riscv_dv_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

#endif
