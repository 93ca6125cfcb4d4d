#ifndef EAR_READER_IBEX_H
#define EAR_READER_IBEX_H

#include "decoder/formats/base/reader.h"

/* Traces of the tracer of the Ibex core (docs/text-formats.md), and of the cores that write the
 * same columns. */
int ear_reader_ibex_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_ibex_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

#endif
