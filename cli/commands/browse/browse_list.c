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

void browse_list_set_item(struct browse *browse, const struct browse_item *item)
{
	struct browse_list *list = &browse->list;

	if (list->count == 0)
		return;
	list->rows[list->count - 1].item = *item;
	list->rows[list->count - 1].has_item = true;
}

void browse_list_show(struct browse *browse)
{
	browse->list.shown = browse->list.count > 0;
}

#define INDENT 6 /* of the further lines of a row */

static int lines_of(const struct browse_list_row *row)
{
	return browse_lines_of(row->text, browse_screen_columns(), INDENT);
}

/* The first row that is shown, so that the one that is chosen is whole. */
static void scroll(struct browse_list *list, int visible)
{
	int lines = 0;

	if (list->at < list->top)
		list->top = list->at;
	for (size_t i = list->at + 1; i > list->top; i--) {
		lines += lines_of(&list->rows[i - 1]);
		if (lines > visible && i <= list->at) {
			list->top = i;
			break;
		}
	}
}

static bool goes(const struct browse_list_row *row)
{
	return row->key || row->has_item || row->position != UINT64_MAX;
}

void browse_list_draw(struct browse *browse)
{
	struct browse_list *list = &browse->list;
	const int rows = browse_screen_rows() - 1 - browse_message_rows(browse);
	const int columns = browse_screen_columns();
	int at = 1;

	scroll(list, rows - 1);
	struct browse_line title = {.width = columns};
	browse_put(&title, BROWSE_FOCUS, list->title);
	browse_print(&title, BROWSE_DIM, "  %zu of %zu ", list->at + 1, list->count);
	browse_rule(&title, BROWSE_HEADING);
	for (size_t i = list->top; at < rows; i++) {
		const struct browse_list_row *row = i < list->count ? &list->rows[i] : NULL;
		const char *rest = row ? row->text : "";
		bool first = true;
		do {
			struct browse_line line = {
				.row = at++, .width = columns, .current = row && i == list->at};
			browse_pad(&line, first ? 0 : INDENT);
			if (row)
				browse_put_wrapped(&line, row->style, &rest);
			browse_fill(&line);
			first = false;
		} while (*rest && at < rows);
	}
	if (browse->message[0])
		return; /* it is at the bottom already */
	struct browse_line help = {.row = browse_screen_rows() - 1, .width = columns - 1};
	browse_print(&help, BROWSE_DIM, "Up Down choose  %sq close  . shows it again",
		goes(&list->rows[list->at]) ? "Enter go there  " : "");
	browse_fill(&help);
}

/* The row that a line of the screen shows. */
static bool row_at(const struct browse_list *list, int line, size_t *row)
{
	int at = 1;

	for (size_t i = list->top; i < list->count && line >= 1; i++) {
		at += lines_of(&list->rows[i]);
		if (line < at) {
			*row = i;
			return true;
		}
	}
	return false;
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
	if (row.has_item) {
		list->shown = false;
		list->has_chosen = true;
		list->chosen = row.item;
		return;
	}
	if (row.position == UINT64_MAX) {
		browse_complain(browse, "this line has no place in the trace");
		return;
	}
	list->shown = false;
	browse_result(browse, browse_jump(browse_here(browse), row.position));
}

/* A page moves what is shown, so that it is seen wherever in it the chosen row is. */
static void page_by(struct browse_list *list, int64_t count)
{
	const int64_t top = (int64_t)list->top + count;

	list->top = top < 0 ? 0 : top >= (int64_t)list->count ? list->count - 1 : (size_t)top;
	const int64_t at = (int64_t)list->at + count;
	list->at = at < 0 ? 0 : at >= (int64_t)list->count ? list->count - 1 : (size_t)at;
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
	case BROWSE_KEY_PAGE_DOWN: page_by(list, page); return true;
	case 'b':
	case BROWSE_KEY_PAGE_UP: page_by(list, -page); return true;
	case 'g':
	case BROWSE_KEY_HOME: list->at = 0; return true;
	case 'G':
	case BROWSE_KEY_END: list->at = list->count - 1; return true;
	case BROWSE_KEY_ENTER: choose(browse); return true;
	case BROWSE_KEY_LEFT:
	case BROWSE_KEY_RIGHT:
	case BROWSE_KEY_RESIZE: return true;
	case BROWSE_KEY_MOUSE:
		browse_screen_mouse(&mouse);
		if (mouse.up || mouse.down)
			move_by(list, mouse.down ? 3 : -3);
		else if (row_at(list, mouse.row, &list->at))
			choose(browse);
		return true;
	/* Any other key does what it does without a list. */
	default: list->shown = false; return false;
	}
}
