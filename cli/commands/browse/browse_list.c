/* A list over the panes, and a line of text that is typed. The list keeps its place: after Enter on
 * a row one is at its record, and the same list can be shown again with `.` to walk on. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/browse/browse.h"
#include "common/array.h"

#define ROWS_MAX 10000

void browse_list_free(struct browse *browse)
{
	struct browse_list *list = &browse->list;

	for (size_t i = 0; i < list->count; i++)
		free(list->rows[i].text);
	free(list->rows);
	*list = (struct browse_list){0};
}

void browse_list_begin(struct browse *browse, const char *form, ...)
{
	va_list arguments;

	browse_list_free(browse);
	va_start(arguments, form);
	vsnprintf(browse->list.title, sizeof(browse->list.title), form, arguments);
	va_end(arguments);
}

static void add(struct browse *browse, const struct browse_list_row *row, const char *form,
	va_list arguments)
{
	struct browse_list *list = &browse->list;
	char text[1024];

	if (list->count >= ROWS_MAX ||
		!EAR_ARRAY_RESERVE(list->rows, &list->capacity, list->count + 1))
		return;
	vsnprintf(text, sizeof(text), form, arguments);
	char *kept = strdup(text);
	if (!kept)
		return;
	list->rows[list->count] = *row;
	list->rows[list->count++].text = kept;
}

void browse_list_add(
	struct browse *browse, uint64_t position, enum browse_style style, const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	add(browse, &(struct browse_list_row){.position = position, .style = style}, form,
		arguments);
	va_end(arguments);
}

void browse_list_add_key(struct browse *browse, int key, const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	add(browse, &(struct browse_list_row){.position = UINT64_MAX, .key = key}, form, arguments);
	va_end(arguments);
}

void browse_list_show(struct browse *browse)
{
	browse->list.shown = browse->list.count > 0;
}

void browse_list_draw(struct browse *browse)
{
	struct browse_list *list = &browse->list;
	const int rows = browse_screen_rows() - 2, columns = browse_screen_columns();
	const size_t visible = (size_t)rows - 1;

	if (list->at < list->top)
		list->top = list->at;
	if (list->at >= list->top + visible)
		list->top = list->at - visible + 1;
	struct browse_line title = {.width = columns};
	browse_put(&title, BROWSE_FOCUS, list->title);
	browse_print(&title, BROWSE_DIM, "  %zu of %zu ", list->at + 1, list->count);
	browse_rule(&title, BROWSE_HEADING);
	for (int i = 1; i < rows; i++) {
		struct browse_line line = {.row = i, .width = columns};
		const size_t number = list->top + (size_t)i - 1;
		if (number < list->count) {
			const struct browse_list_row *row = &list->rows[number];
			line.current = number == list->at;
			browse_put(&line, row->style, row->text);
		}
		browse_fill(&line);
	}
	struct browse_line help = {.row = browse_screen_rows() - 1, .width = columns - 1};
	browse_put(&help, BROWSE_DIM, "Up Down choose  Enter go there  q close  . shows it again");
	browse_fill(&help);
}

static void choose(struct browse *browse)
{
	struct browse_list *list = &browse->list;
	const struct browse_list_row row = list->rows[list->at];

	if (row.key) {
		list->shown = false;
		list->pressed = row.key;
		return;
	}
	if (row.position == UINT64_MAX) {
		browse_say(browse, "this line is no place in the trace");
		return;
	}
	list->shown = false;
	browse_result(browse, browse_jump(browse_here(browse), row.position));
}

static void move_by(struct browse_list *list, int64_t count)
{
	const int64_t at = (int64_t)list->at + count;

	list->at = at < 0 ? 0 : at >= (int64_t)list->count ? list->count - 1 : (size_t)at;
}

bool browse_list_press(struct browse *browse, int key)
{
	struct browse_list *list = &browse->list;
	const int page = browse_screen_rows() - 4;
	struct browse_mouse mouse;

	if (!list->shown)
		return false;
	switch (key) {
	case 'q':
	case BROWSE_KEY_ESCAPE: list->shown = false; return true;
	case 'j':
	case BROWSE_KEY_DOWN: move_by(list, 1); return true;
	case 'k':
	case BROWSE_KEY_UP: move_by(list, -1); return true;
	case ' ':
	case BROWSE_KEY_PAGE_DOWN: move_by(list, page); return true;
	case 'b':
	case BROWSE_KEY_PAGE_UP: move_by(list, -page); return true;
	case 'g':
	case BROWSE_KEY_HOME: list->at = 0; return true;
	case 'G':
	case BROWSE_KEY_END: list->at = list->count - 1; return true;
	case BROWSE_KEY_ENTER: choose(browse); return true;
	case BROWSE_KEY_RESIZE: return true;
	case BROWSE_KEY_MOUSE:
		browse_screen_mouse(&mouse);
		if (mouse.up || mouse.down)
			move_by(list, mouse.down ? 3 : -3);
		else if (mouse.row >= 1 && list->top + (size_t)mouse.row - 1 < list->count) {
			list->at = list->top + (size_t)mouse.row - 1;
			choose(browse);
		}
		return true;
	default: return true;
	}
}
