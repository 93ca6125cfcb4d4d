/* A note is a line of name and value. Text from outside is made one line. */
#include "cli/base/notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "common/printable.h"

static int notes = -1;

void notes_begin(int fd)
{
	notes = fd;
}

void notes_number(const char *name, uint64_t number)
{
	if (notes >= 0)
		dprintf(notes, "%s %" PRIu64 "\n", name, number);
}

void notes_text(const char *name, const char *text)
{
	char line[1024];

	if (notes < 0)
		return;
	ear_printable_string(line, sizeof(line), text, EAR_PRINTABLE_LINE);
	dprintf(notes, "%s %s\n", name, line);
}

void notes_bytes(const void *bytes, size_t size)
{
	if (notes >= 0 && write(notes, bytes, size) < 0)
		notes = -1; /* an answer that is cut is none */
}

void notes_usage(void)
{
	notes_text("usage", "");
}
