#ifndef EAR_RECORD_TEXT_H
#define EAR_RECORD_TEXT_H

#include <stdbool.h>

#include "decoder/formats/base/writer.h"

/* Single records as lines of text, for messages and listings. The writer's buffer is read and
 * never flushed.
 */
struct record_text {
	struct ear_text_output text;
	struct ear_writer *writer;
};

/* options: of the writer; NULL: the usual ones. Returns false if memory is short. To be ended with
 * record_text_fini in both cases. */
bool record_text_init(struct record_text *text, const struct ear_writer_format *format,
	const struct ear_writer_options *options);
void record_text_fini(struct record_text *text);

/* The record as text, without a header and without the last line end; NUL-terminated, valid until
 * the next call.
 */
const char *record_text_line(struct record_text *text, const struct ear_record *record);

#endif
