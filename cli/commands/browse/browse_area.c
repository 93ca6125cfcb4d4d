/* Lines of a pane, its heading, and the sentence at the bottom: what all that draws or answers has.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/browse/browse.h"

struct browse_line browse_area_line(const struct browse_area *area, int i)
{
	return (struct browse_line){.row = area->row + 1 + i,
		.column = area->column,
		.width = i + 1 < area->rows ? area->columns : 0};
}

void browse_heading(struct browse *browse, enum browse_pane pane, const char *text)
{
	const struct browse_area *area = &browse->areas[pane];
	struct browse_line line = {
		.row = area->row, .column = area->column, .width = area->columns};
	const bool focus = browse->focus == pane;

	browse_put(&line, focus ? BROWSE_FOCUS : BROWSE_HEADING, text);
	browse_put(&line, BROWSE_PLAIN, " ");
	browse_rule(&line, focus ? BROWSE_FOCUS : BROWSE_HEADING);
	if (area->column > 0)
		browse_put_vertical(area->row + 1, area->column - 1, area->rows - 1);
}

const char *browse_after(const char *text, int columns)
{
	while (columns > 0 && *text) {
		char one[8] = {*text};
		size_t size = 1;
		while (((unsigned char)text[size] & 0xC0) == 0x80 && size < 4) {
			one[size] = text[size];
			size++;
		}
		columns -= browse_width(one);
		text += size;
	}
	return text;
}

/* Bytes of the text that fit into a line of so many columns, and the blanks after them. */
static size_t fit(const char *text, int width, size_t *blanks)
{
	char part[1024];
	size_t found = 0, whole = 0;

	*blanks = 0;
	for (size_t at = 0; text[at] && at + 8 < sizeof(part);) {
		size_t end = at + 1;
		while (((unsigned char)text[end] & 0xC0) == 0x80 && end - at < 4)
			end++;
		memcpy(part, text, end);
		part[end] = '\0';
		if (browse_width(part) > width)
			break;
		if (text[at] != ' ' && (text[end] == ' ' || text[end] == '\0'))
			whole = end;
		found = at = end;
	}
	if (text[found] != '\0' && whole > 0)
		found = whole;
	*blanks = strspn(text + found, " ");
	return found;
}

void browse_put_wrapped(struct browse_line *line, enum browse_style style, const char **text)
{
	size_t blanks;
	const size_t size = fit(*text, line->width - line->used, &blanks);

	browse_print(line, style, "%.*s", (int)size, *text);
	*text += size + blanks;
	if (size == 0)
		*text += strlen(*text);
}

int browse_lines_of(const char *text, int width, int indent)
{
	int count = 1;
	size_t blanks, size;

	for (int room = width; (size = fit(text, room, &blanks)) > 0 && text[size + blanks];
		room = width - indent) {
		text += size + blanks;
		count++;
	}
	return count;
}

#define MESSAGE_ROWS_MAX 4

int browse_message_rows(const struct browse *browse)
{
	const int rows = browse->message[0]
				 ? browse_lines_of(browse->message, browse_screen_columns() - 1, 0)
				 : 1;

	return rows < MESSAGE_ROWS_MAX ? rows : MESSAGE_ROWS_MAX;
}

void browse_say(struct browse *browse, const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(browse->message, sizeof(browse->message), form, arguments);
	va_end(arguments);
	browse->message_is_error = false;
}

void browse_complain(struct browse *browse, const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(browse->message, sizeof(browse->message), form, arguments);
	va_end(arguments);
	browse->message_is_error = true;
}

void browse_result(struct browse *browse, int result)
{
	if (result != 1)
		browse_complain(browse, "%s", browse_here(browse)->why);
}
