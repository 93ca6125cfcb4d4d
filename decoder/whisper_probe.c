#include "decoder/whisper_probe.h"

#include <stdbool.h>
#include <string.h>

#include "decoder/whisper_layout.h"

/* XLEN as far as one line tells: 64 or 32, or 0. */
static unsigned probe_line(struct whisper_line *line, const struct ear_text *columns)
{
	bool differ32;

	line->xlen = 32;
	if (whisper_line_parse(line, columns))
		return 0;
	if (line->wide >> 32)
		return 64;
	differ32 = line->extra.disassembly.text != NULL;
	line->xlen = 64;
	if (whisper_line_parse(line, columns))
		return 0;
	if (differ32 == (line->extra.disassembly.text != NULL))
		return 0;
	return differ32 ? 64 : 32;
}

unsigned whisper_probe_xlen(struct whisper_line *line, const char *bytes, size_t size)
{
	struct whisper_layout layout = {.count = 0};
	unsigned found = 0;

	while (size > 0) {
		const char *newline = memchr(bytes, '\n', size);
		struct ear_text text = {bytes, newline ? (size_t)(newline - bytes) : size};
		struct ear_text columns[WHISPER_COLUMN_COUNT + 1];

		size -= text.size + (newline != NULL);
		bytes += text.size + 1;
		if (!newline || whisper_layout_parse(&layout, text) || *text.text == '#')
			continue;
		if (layout.count == 0)
			whisper_layout_assume(&layout, whisper_layout_count(text));
		if (whisper_layout_split(&layout, text, columns))
			continue;
		unsigned xlen = probe_line(line, columns);
		if (xlen == 64 && line->wide >> 32)
			return 64;
		found = found ? found : xlen;
	}
	return found ? found : 32;
}
