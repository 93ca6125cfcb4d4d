/* The reader of Whisper CSVs, put together: is it this format, and which function takes the lines.
 *
 * The lines are taken in whisper_full.c and whisper_light.c; whisper_reader.h has the overview.
 */
#include "decoder/formats/whisper/reader_whisper.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/formats/base/comment_line.h"
#include "decoder/formats/whisper/whisper_reader.h"

/* A header is certain. Without one, a line that begins with two numbers and has as many columns
 * as there can be is likely.
 */
int ear_reader_whisper_detect(const char *bytes, size_t size)
{
	while (size > 0) {
		const char *newline = memchr(bytes, '\n', size);
		struct ear_text text = {bytes, newline ? (size_t)(newline - bytes) : size};
		struct ear_whisper_layout layout;
		size_t columns;

		size -= text.size + (newline != NULL);
		bytes += text.size + 1;
		if (text.size > 0 && text.text[text.size - 1] == '\r')
			text.size--;
		if (ear_whisper_trim(text).size == 0 || ear_comment_line_is(text.text, text.size))
			continue;
		if (ear_whisper_layout_parse(&layout, text))
			return 100;
		columns = ear_whisper_layout_count(text);
		if (columns != 9 && columns != 10 && columns != 12)
			return 0;
		text = ear_whisper_trim(text);
		bool prefixed = text.size > 2 && memcmp(text.text, "0x", 2) == 0;
		const char *pc = text.text + (prefixed ? 2 : 0);
		size_t digits = strspn(pc, "0123456789abcdef:");
		return digits > 0 && pc[digits + strspn(pc + digits, " ")] == ',' ? 60 : 0;
	}
	return 0;
}

static void free_reader(struct ear_reader *base)
{
	struct ear_whisper_reader *reader = (struct ear_whisper_reader *)base;

	ear_whisper_line_fini(&reader->line);
	free(reader->patterns);
	free(reader);
}

/* A snapshot has the indexes of all harts. Looking at many for each bad line would take too long.
 */
static bool find_hart(const struct ear_reader *base, unsigned i, struct ear_reader_hart *hart)
{
	const struct ear_whisper_reader *reader = (const struct ear_whisper_reader *)base;

	for (unsigned at = 0; at < reader->hart_end && at < EAR_READER_HARTS_MAX; at++) {
		*hart = (struct ear_reader_hart){(uint16_t)at, reader->line.harts[at].next_index};
		if (hart->next_index > 0 && i-- == 0)
			return true;
	}
	return false;
}

struct ear_reader *ear_reader_whisper_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct ear_whisper_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->base = (struct ear_reader){.input = input,
		.options = *options,
		.hart = find_hart,
		.next = options->light ? ear_whisper_next_light : ear_whisper_next,
		.add_ordinary = options->light ? NULL : ear_whisper_add_ordinary,
		.free = free_reader,
		.cut = &ear_whisper_cut,
		.resume = &ear_whisper_resume,
		.line_compare = &ear_whisper_line_compare};
	reader->patterns = calloc(1, sizeof(*reader->patterns));
	if (ear_whisper_line_init(&reader->line) || !reader->patterns) {
		free_reader(&reader->base);
		return NULL;
	}
	return &reader->base;
}
