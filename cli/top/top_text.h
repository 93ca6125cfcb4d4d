#ifndef EAR_TOP_TEXT_H
#define EAR_TOP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A screen as it is put together: lines of at most so many columns, each line erased to its end.
 * What is put is made safe to show (common/printable.h), and cut where the line ends. */
enum top_style { TOP_PLAIN_TEXT, TOP_HEAD, TOP_STRONG, TOP_DIM, TOP_BAD };

struct top_text {
	char *bytes;
	size_t size, room;
	size_t columns, lines; /* of the terminal */
	size_t column, line;   /* of the next character */
	bool color, failed;
};

void top_text_begin(struct top_text *text, size_t columns, size_t lines, bool color);
void top_text_put(struct top_text *text, enum top_style style, const char *form, ...)
	__attribute__((format(printf, 3, 4)));
/* Blanks up to a column. */
void top_text_pad(struct top_text *text, size_t column);
/* The next line; nothing is put after the last one. */
void top_text_end_line(struct top_text *text);
/* Begin the last line anew. */
void top_text_go_last(struct top_text *text);
/* Lines that are left, with the current one. */
size_t top_text_left(const struct top_text *text);
/* Write it. False: the terminal cannot be written, or memory is short. */
bool top_text_show(struct top_text *text);
void top_text_fini(struct top_text *text);

#endif
