/* Lines with columns and colours. They are collected and written to the descriptor itself, because
 * the streams of this program (cli/base/outlet.h) let no colour through.
 */
#include "cli/show/styled.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "common/array.h"
#include "common/printable.h"

#define FLUSH_AT  65536
#define TEXT_MAX  4096
#define WIDTH_MAX 10000

static const char *const codes[] = {
	[STYLED_PLAIN] = "",
	[STYLED_DIM] = "\033[2m",
	[STYLED_PLACE] = "\033[1;34m",
	[STYLED_CHANGED] = "\033[1m",
	[STYLED_MEMORY] = "\033[36m",
	[STYLED_EVENT] = "\033[33m",
	[STYLED_LOSS] = "\033[1;31m",
};

static bool wants_color(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(none && none[0]) && term && strcmp(term, "dumb") != 0;
}

static size_t find_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t width;

	if (columns && cli_parse_count(&width, columns) && width > 0 && width <= WIDTH_MAX)
		return (size_t)width;
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		return size.ws_col;
	return 0;
}

void styled_init(struct styled *styled, int color, unsigned width)
{
	*styled = (struct styled){.color = color < 0 ? wants_color() : color > 0,
		.width = width ? width : find_width()};
}

bool styled_flush(struct styled *styled)
{
	size_t done = 0;

	while (done < styled->size && !styled->failed) {
		ssize_t sent = write(STDOUT_FILENO, styled->bytes + done, styled->size - done);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0) {
			styled->left = errno == EPIPE;
			if (!styled->left)
				cli_error("standard output: %s", strerror(errno));
			styled->failed = true;
			break;
		}
		done += (size_t)sent;
	}
	styled->size = 0;
	return !styled->failed;
}

void styled_fini(struct styled *styled)
{
	styled_flush(styled);
	free(styled->bytes);
	styled->bytes = NULL;
	styled->room = 0;
}

static void append(struct styled *styled, const char *bytes, size_t size)
{
	if (styled->failed)
		return;
	if (!EAR_ARRAY_RESERVE(styled->bytes, &styled->room, styled->size + size)) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		styled->failed = true;
		return;
	}
	memcpy(styled->bytes + styled->size, bytes, size);
	styled->size += size;
}

/* Characters, not bytes. */
static size_t count_columns(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += (*text & 0xc0) != 0x80;
	return count;
}

size_t styled_width(const char *text)
{
	char shown[TEXT_MAX];

	ear_printable_string(shown, sizeof(shown), text, EAR_PRINTABLE_LINE);
	return count_columns(shown);
}

void styled_put(struct styled *styled, enum styled_style style, const char *text)
{
	char shown[TEXT_MAX];
	bool colored = styled->color && style != STYLED_PLAIN && *text;

	ear_printable_string(shown, sizeof(shown), text, EAR_PRINTABLE_LINE);
	if (colored)
		append(styled, codes[style], strlen(codes[style]));
	append(styled, shown, strlen(shown));
	if (colored)
		append(styled, "\033[0m", 4);
	styled->column += count_columns(shown);
}

void styled_print(struct styled *styled, enum styled_style style, const char *form, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(text, sizeof(text), form, arguments);
	va_end(arguments);
	styled_put(styled, style, text);
}

void styled_pad(struct styled *styled, size_t column)
{
	do {
		append(styled, " ", 1);
		styled->column++;
	} while (styled->column < column && !styled->failed);
}

void styled_end(struct styled *styled)
{
	while (styled->size > 0 && styled->bytes[styled->size - 1] == ' ')
		styled->size--;
	append(styled, "\n", 1);
	styled->column = 0;
	if (styled->size >= FLUSH_AT)
		styled_flush(styled);
}
