#ifndef EAR_READER_JSON_H
#define EAR_READER_JSON_H

#include "decoder/formats/base/reader.h"

/* JSON lines as writer_json.h writes them (docs/text-formats.md has the schema). Members may come
 * in any order, unknown ones are skipped, and every number may also be a string "0x...".
 */
int ear_reader_json_detect(const char *bytes, size_t size);
struct ear_reader *ear_reader_json_make(
	struct ear_text_input *input, const struct ear_reader_options *options);

#endif
