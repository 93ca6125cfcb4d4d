/* Lines for a terminal, put together in memory and written at once, so that nothing flickers. The
 * cursor is set at each line, which needs no agreement with the terminal on how wide a character
 * is: one that is wider than thought moves nothing but the rest of its own line.
 */
#include "cli/top/top_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/outlet.h"
#include "common/array.h"
#include "common/printable.h"

#define PUT_MAX 1024

static const char *const codes[] = {
	[TOP_PLAIN_TEXT] = "",
	[TOP_HEAD] = "\033[7m",
	[TOP_STRONG] = "\033[1m",
	[TOP_DIM] = "\033[36m",
	[TOP_BAD] = "\033[1;31m",
};
/* Without colours. */
static const char *const bare_codes[] = {
	[TOP_PLAIN_TEXT] = "",
	[TOP_HEAD] = "\033[7m",
	[TOP_STRONG] = "\033[1m",
	[TOP_DIM] = "",
	[TOP_BAD] = "\033[1m",
};

static void append(struct top_text *text, const char *bytes, size_t size)
{
	if (text->failed)
		return;
	if (!EAR_ARRAY_RESERVE(text->bytes, &text->room, text->size + size)) {
		text->failed = true;
		return;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
}

static void go_to_line(struct top_text *text)
{
	char code[32];
	const int size = snprintf(code, sizeof(code), "\033[%zu;1H", text->line + 1);

	append(text, code, (size_t)size);
	text->column = 0;
}

void top_text_begin(struct top_text *text, size_t columns, size_t lines, bool color)
{
	text->columns = columns;
	text->lines = lines;
	text->color = color;
	text->size = text->line = 0;
	text->failed = false;
	go_to_line(text);
}

/* A character of valid UTF-8, which is not cut, and the columns that it takes. */
static size_t character(const char *bytes, size_t *columns)
{
	const unsigned char *at = (const unsigned char *)bytes;
	const size_t size = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	uint32_t code = at[0] < 0x80 ? at[0] : at[0] & (0x7fu >> size);

	for (size_t i = 1; i < size; i++)
		code = code << 6 | (at[i] & 0x3f);
	/* Wide: East Asian scripts and pictures. Combining marks count as one, which leaves a gap
	 * and breaks nothing. */
	*columns = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
				   (code >= 0xac00 && code <= 0xd7a3) ||
				   (code >= 0xf900 && code <= 0xfaff) ||
				   (code >= 0xfe30 && code <= 0xfe6f) ||
				   (code >= 0xff00 && code <= 0xff60) ||
				   (code >= 0xffe0 && code <= 0xffe6) ||
				   (code >= 0x1f300 && code <= 0x1faff) || code >= 0x20000
			   ? 2
			   : 1;
	return size;
}

void top_text_put(struct top_text *text, enum top_style style, const char *form, ...)
{
	const char *code = (text->color ? codes : bare_codes)[style];
	char raw[PUT_MAX], shown[PUT_MAX];
	va_list arguments;

	if (text->line >= text->lines)
		return;
	va_start(arguments, form);
	vsnprintf(raw, sizeof(raw), form, arguments);
	va_end(arguments);
	ear_printable_string(shown, sizeof(shown), raw, EAR_PRINTABLE_LINE);
	append(text, code, strlen(code));
	for (const char *at = shown; *at;) {
		size_t columns;
		const size_t size = character(at, &columns);
		if (text->column + columns > text->columns)
			break;
		append(text, at, size);
		text->column += columns;
		at += size;
	}
	if (code[0])
		append(text, "\033[0m", 4);
}

void top_text_pad(struct top_text *text, size_t column)
{
	for (; text->column < column && text->column < text->columns && text->line < text->lines;
		text->column++)
		append(text, " ", 1);
}

void top_text_end_line(struct top_text *text)
{
	if (text->line >= text->lines)
		return;
	/* At the last column EL would erase the character there. */
	if (text->column < text->columns)
		append(text, "\033[K", 3);
	if (++text->line < text->lines)
		go_to_line(text);
}

void top_text_go_last(struct top_text *text)
{
	text->line = text->lines - 1;
	go_to_line(text);
}

size_t top_text_left(const struct top_text *text)
{
	return text->lines - text->line;
}

bool top_text_show(struct top_text *text)
{
	if (text->line < text->lines)
		append(text, "\033[J", 3);
	return !text->failed && outlet_write(STDOUT_FILENO, text->bytes, text->size);
}

void top_text_fini(struct top_text *text)
{
	free(text->bytes);
	*text = (struct top_text){.size = 0};
}
