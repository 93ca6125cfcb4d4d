/* Lines of a pane, its heading, and the sentence at the bottom: what all that draws or answers has.
 */
#include <stdarg.h>
#include <stdio.h>

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
