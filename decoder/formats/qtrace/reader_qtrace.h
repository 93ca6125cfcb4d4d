#ifndef EAR_READER_QTRACE_H
#define EAR_READER_QTRACE_H

#include "decoder/formats/base/reader.h"

/* Directories of the Android emulator's -trace to records: docs/android.md, section 7. For the
 * table of formats: as open of struct ear_reader_format. */
int ear_reader_qtrace_open(struct ear_reader **reader, int folder, struct ear_text_input *input,
	const struct ear_reader_options *options, char *fault, size_t size);

#endif
