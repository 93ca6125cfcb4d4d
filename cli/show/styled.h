#ifndef EAR_STYLED_H
#define EAR_STYLED_H

#include <stdbool.h>
#include <stddef.h>

/* Lines with columns and colours on standard output. Text from outside is made safe to show
 * (common/printable.h) here; the colours' own bytes are the only others that go out.
 */
enum styled_style {
	STYLED_PLAIN,
	STYLED_DIM,     /* what is there for completeness */
	STYLED_PLACE,   /* a function, a line of the source */
	STYLED_CHANGED, /* a value that is another one than before */
	STYLED_MEMORY,
	STYLED_EVENT, /* not an instruction */
	STYLED_LOSS,  /* something is missing, or trapped */
};

struct styled {
	bool color;
	size_t width;  /* columns; 0: no limit */
	size_t column; /* of the next character */
	char *bytes;
	size_t size, room;
	bool failed; /* nothing more can be written; it was reported, */
	bool left;   /* unless a reader has seen enough and left, which is no failure */
};

/* color: as --color said, 0 never, 1 always, -1 if standard output is a terminal that has colours
 * and NO_COLOR is not set. width: columns; 0: those of COLUMNS, of the terminal, or no limit.
 */
void styled_init(struct styled *styled, int color, unsigned width);
void styled_fini(struct styled *styled); /* writes what is left */

void styled_put(struct styled *styled, enum styled_style style, const char *text);
void styled_print(struct styled *styled, enum styled_style style, const char *form, ...)
	__attribute__((format(printf, 3, 4)));

/* Blanks up to a column; one if the line is there already. */
void styled_pad(struct styled *styled, size_t column);

/* Columns that a text takes. */
size_t styled_width(const char *text);

void styled_end(struct styled *styled); /* of the line */

/* Write what there is. False after a report: standard output is closed, or full. */
bool styled_flush(struct styled *styled);

#endif
