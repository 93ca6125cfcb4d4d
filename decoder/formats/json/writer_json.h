#ifndef EAR_WRITER_JSON_H
#define EAR_WRITER_JSON_H

#include "decoder/formats/base/writer.h"

#define EAR_JSON_SCHEMA 2 /* rises with every member that is added (docs/text-formats.md) */

/* JSON lines: one object a record, with everything that a record holds (docs/text-formats.md has
 * the schema). The output is valid JSON and valid UTF-8 whatever the texts of a record hold.
 */
struct ear_writer *ear_writer_json_make(
	struct ear_text_output *output, const struct ear_writer_options *options);

#define EAR_WRITER_JSON_FIELDS EAR_FIELDS_ALL

#endif
