#ifndef CLI_BROWSE_SCREEN_H
#define CLI_BROWSE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* The terminal: what ncurses is asked for is in this file alone. Text from outside is made safe to
 * show here (common/printable.h), whatever it was before.
 */
#define BROWSE_COLUMNS_MIN 40
#define BROWSE_ROWS_MIN    10

enum browse_style {
	BROWSE_PLAIN,
	BROWSE_DIM,     /* what is there for completeness */
	BROWSE_HEADING, /* the line above a pane, */
	BROWSE_FOCUS,   /* the pane that keys act on */
	BROWSE_CHANGED, /* another value than before */
	BROWSE_MEMORY,
	BROWSE_PLACE,    /* a function, a line of the source */
	BROWSE_EVENT,    /* not an instruction */
	BROWSE_LOSS,     /* something is missing, or trapped */
	BROWSE_PAST,     /* executed before the cursor */
	BROWSE_NEXT,     /* executed after it */
	BROWSE_SELECTED, /* what the next key is about */
	BROWSE_STATUS,   /* the line about the cursor */
	BROWSE_STYLES
};

/* A key that is no character. */
enum browse_key {
	BROWSE_KEY_NONE = -1,
	BROWSE_KEY_ENTER = '\n',
	BROWSE_KEY_TAB = '\t',
	BROWSE_KEY_ESCAPE = 27,
	BROWSE_KEY_ERASE = 127,
	BROWSE_KEY_OTHER = 0x110000, /* one that nothing is known of */
	BROWSE_KEY_UP,
	BROWSE_KEY_DOWN,
	BROWSE_KEY_LEFT,
	BROWSE_KEY_RIGHT,
	BROWSE_KEY_HOME,
	BROWSE_KEY_END,
	BROWSE_KEY_PAGE_UP,
	BROWSE_KEY_PAGE_DOWN,
	BROWSE_KEY_BACK_TAB,
	BROWSE_KEY_DELETE,
	BROWSE_KEY_F1,
	BROWSE_KEY_RESIZE,
	BROWSE_KEY_MOUSE,
};

/* Can the terminal be used: standard input and output are one, and TERM names one that can place
 * its cursor? Returns NULL, or why not. */
const char *browse_screen_check(void);

/* Returns NULL, or why it could not be begun. */
const char *browse_screen_begin(bool color, bool mouse);
void browse_screen_end(void); /* the terminal is as it was; without browse_screen_begin nothing */

/* Wait for a key, a signal of browse_signals, or a change of size. BROWSE_KEY_NONE: a signal. */
int browse_screen_key(void);
/* Is there a key already? It stays where it is. */
bool browse_screen_has_key(void);

/* Of BROWSE_KEY_MOUSE: where, and what. */
struct browse_mouse {
	int row, column;
	bool click, twice, up, down; /* up, down: the wheel */
};
void browse_screen_mouse(struct browse_mouse *mouse);
void browse_screen_use_mouse(bool use);

/* Stop as Ctrl-Z does, and be there again. */
void browse_screen_stop(void);

int browse_screen_rows(void);
int browse_screen_columns(void);
int browse_screen_colors(void); /* 0: none */

void browse_screen_clear(void);
void browse_screen_redraw(void);                /* all of it, whatever the terminal shows */
void browse_screen_show(void);                  /* what was drawn */
void browse_screen_cursor(int row, int column); /* where text is typed; row -1: nowhere */

/* A line, or a part of one: from column on, so many columns. */
struct browse_line {
	int row, column, width;
	int used;     /* columns */
	bool current; /* the cursor of a list is on it: reversed */
};

/* Append text; what does not fit is left out. */
void browse_put(struct browse_line *line, enum browse_style style, const char *text);
void browse_print(struct browse_line *line, enum browse_style style, const char *form, ...)
	__attribute__((format(printf, 3, 4)));
void browse_pad(struct browse_line *line, int used); /* blanks up to there */
void browse_fill(struct browse_line *line);          /* to its end */
/* Fill it with a horizontal line, of a heading. */
void browse_rule(struct browse_line *line, enum browse_style style);
void browse_put_vertical(int row, int column, int rows);

/* Columns that a text takes. */
int browse_width(const char *text);

#endif
