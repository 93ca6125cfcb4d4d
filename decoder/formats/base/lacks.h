#ifndef EAR_LACKS_H
#define EAR_LACKS_H

#include "decoder/formats/base/reader.h"

/* What a text does not carry, as far as its beginning shows: one format is written by many tools,
 * and each leaves out something else. bytes[0 .. size-1] is the beginning of a text of the format.
 *
 * Returns a set of EAR_FIELD_BIT (decoder/record/field.h): what the form of its lines cannot show,
 * and what instructions should show and none does (no CSR instruction has its CSR, no store its
 * data). 0 for a format without dialects, and if memory is short.
 */
uint64_t ear_reader_lacks(const struct ear_reader_format *format,
	const struct ear_reader_options *options, const char *bytes, size_t size);

#endif
