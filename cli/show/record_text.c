/* Single records as lines, by the writer of a format into a buffer that is never flushed: listings
 * look exactly as the text does.
 */
#include "cli/show/record_text.h"

#include <string.h>

#include "decoder/text/text_output.h"

bool record_text_init(struct record_text *text, const struct ear_writer_format *format,
	const struct ear_writer_options *options)
{
	text->writer = NULL;
	if (ear_text_output_init(&text->text, -1, EAR_TEXT_PLAIN) != 0)
		return false;
	text->writer = format->make(&text->text, options);
	return text->writer != NULL;
}

void record_text_fini(struct record_text *text)
{
	ear_writer_free(text->writer);
	ear_text_output_fini(&text->text);
}

const char *record_text_line(struct record_text *text, const struct ear_record *record)
{
	/* What the writer puts in front of its first record, it puts there once: so twice. */
	for (int i = 0; i < 2; i++) {
		text->text.used = 0;
		ear_writer_push(text->writer, record);
	}
	ear_text_output_put(&text->text, "", 1);

	char *line = text->text.buffer;
	size_t length = strlen(line);
	if (length > 0 && line[length - 1] == '\n')
		line[length - 1] = '\0';
	return line;
}
