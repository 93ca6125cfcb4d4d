/* A text without its comment lines, for a packed text that is wanted without them: the line diff
 * gives back every line of the text, so comments can only be removed after it. It works on bytes,
 * line after line, because the parts of the text end anywhere.
 */
#include "library/shot/archive/comment_filter.h"

#include <string.h>

static void end_comment(struct ear_comment_filter *filter)
{
	while (filter->size > 0 && filter->line[filter->size - 1] == '\r')
		filter->size--;
	if (filter->sink)
		filter->sink(filter->context, filter->line, filter->size);
	filter->size = 0;
}

static void keep(struct ear_comment_filter *filter, const char *text, size_t size)
{
	size_t room = sizeof(filter->line) - filter->size;
	size_t kept = size < room ? size : room;

	memcpy(filter->line + filter->size, text, kept);
	filter->size += kept;
}

void ear_comment_filter_push(struct ear_comment_filter *filter, struct ear_text_output *output,
	const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline + 1 : end;
		if (!filter->in_line)
			filter->in_comment = *text == '#';
		if (!filter->in_comment)
			ear_text_output_put(output, text, (size_t)(stop - text));
		else
			keep(filter, text, (size_t)((newline ? newline : end) - text));
		if (newline && filter->in_comment)
			end_comment(filter);
		filter->in_line = !newline;
		text = stop;
	}
}

void ear_comment_filter_end(struct ear_comment_filter *filter)
{
	if (filter->in_line && filter->in_comment)
		end_comment(filter);
	filter->in_line = false;
}
