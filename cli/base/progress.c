/* The progress line. A line that is longer than the terminal is wide would wrap, and the next one
 * could not overwrite it; so each is cut to the width that the terminal has now, which may have
 * changed since the last one. The last column stays free: some terminals wrap when it is written.
 */
#include "cli/base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/seconds.h"
#include "common/printable.h"

#define PROGRESS_SECONDS 0.2 /* between two lines */
#define COLUMNS_DEFAULT  80  /* of a terminal that does not say */
#define LINE_MAX_SIZE    256

static bool disabled;
static char *shared; /* of the process that shows it; NULL: it is shown here */
static size_t shared_size;
static size_t shown; /* characters of the line that is on the terminal */

bool cli_progress_wanted(void)
{
	static int terminal = -1;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	return (terminal || shared) && !disabled;
}

bool cli_progress_due(double *last)
{
	if (!cli_progress_wanted())
		return false;
	const double now = cli_seconds();
	if (*last == 0) /* short work shows none */
		*last = now;
	if (now - *last < PROGRESS_SECONDS)
		return false;
	*last = now;
	return true;
}

void cli_progress_disable(void)
{
	disabled = true;
}

void cli_progress_share(char *text, size_t size)
{
	shared = text;
	shared_size = size;
	shown = 0;
}

static size_t terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return COLUMNS_DEFAULT;
	return size.ws_col;
}

size_t progress_cut(const char *line, size_t length, size_t columns)
{
	size_t fits = columns > 1 ? columns - 1 : 1;

	if (length <= fits)
		return length;
	for (size_t i = fits; i > 0; i--)
		if (line[i] == ',')
			return i;
	return fits;
}

/* Written to the descriptor itself: what goes through the stream is cleaned (outlet.h), and the
 * return to the first column with it. Blanks go over what is left of the line before, as far as it
 * is on this line of the terminal.
 */
static void print_line(const char *line, size_t length, size_t columns)
{
	size_t old = shown < columns ? shown : columns - 1;
	char text[EAR_PRINTABLE_GROWTH * LINE_MAX_SIZE + LINE_MAX_SIZE], *end = text;
	size_t used;

	*end++ = '\r';
	end += ear_printable_copy(end, EAR_PRINTABLE_GROWTH * LINE_MAX_SIZE, &used, line, length,
		EAR_PRINTABLE_LINE, true);
	for (; old > length && end < text + sizeof(text) - 1; old--)
		*end++ = ' ';
	if (length == 0)
		*end++ = '\r';
	shown = length;
	if (write(STDERR_FILENO, text, (size_t)(end - text)) < 0)
		return; /* nobody is there to see it */
}

void cli_progress_clear(void)
{
	if (shown == 0)
		return;
	print_line("", 0, terminal_columns());
}

void cli_progress(const char *format, ...)
{
	size_t columns = terminal_columns();
	char line[LINE_MAX_SIZE];
	va_list arguments;

	if (!cli_progress_wanted())
		return;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	if (shared) {
		snprintf(shared, shared_size, "%s", line);
		return;
	}
	print_line(line, progress_cut(line, strlen(line), columns), columns);
}
