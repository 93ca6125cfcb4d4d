/* Renders records into memory, one line each, with the writer of the packed format. Packer and
 * unpacker share it: a line diff is only right for the lines that it was made from.
 */
#include "library/shot/archive/rendered_lines.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int ear_rendered_lines_init(
	struct ear_rendered_lines *lines, const struct ear_writer_format *format)
{
	*lines = (struct ear_rendered_lines){.format = format};
	return ear_text_output_init_memory(&lines->text);
}

void ear_rendered_lines_fini(struct ear_rendered_lines *lines)
{
	ear_writer_free(lines->writer);
	ear_text_output_fini(&lines->text);
	free(lines->ends);
	lines->writer = NULL;
	lines->ends = NULL;
}

int ear_rendered_lines_begin(struct ear_rendered_lines *lines, unsigned flags)
{
	const struct ear_writer_options options = {
		.no_header = true,
		.no_hart = flags & EAR_LINES_NO_HART,
		.walks = flags & EAR_LINES_WALKS,
	};

	lines->text.used = 0;
	lines->count = 0;
	if (lines->writer && flags == lines->flags)
		return 0;
	ear_writer_free(lines->writer);
	lines->flags = flags;
	lines->writer = lines->format->make(&lines->text, &options);
	return lines->writer ? 0 : EAR_E_NO_MEMORY;
}

int ear_rendered_lines_push(struct ear_rendered_lines *lines, const struct ear_record *record)
{
	if (!EAR_ARRAY_RESERVE(lines->ends, &lines->capacity, lines->count + 1))
		return EAR_E_NO_MEMORY;
	int result = ear_writer_push(lines->writer, record);
	if (result)
		return result;
	if (lines->flags & EAR_LINES_CR && lines->text.used > 0) {
		lines->text.used--;
		ear_text_output_put(&lines->text, "\r\n", 2);
	}
	lines->ends[lines->count++] = lines->text.used;
	return lines->text.error;
}

struct ear_lines ear_rendered_lines_get(const struct ear_rendered_lines *lines)
{
	return (struct ear_lines){lines->text.buffer, lines->ends, lines->count};
}
