/* The terminal, by ncursesw. A screen is drawn anew for each key, and ncurses sends what has
 * changed: a few hundred bytes, which is what makes it usable over ssh. Waiting is ppoll with the
 * signals let through only there, so that none comes between a look at its flag and the wait.
 */
#define _GNU_SOURCE      /* ppoll */
#define NCURSES_WIDECHAR 1
#include "cli/commands/browse/browse_screen.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <curses.h>
#include <term.h>
#undef columns /* term.h makes them macros */
#undef lines

#include "cli/commands/browse/browse_signals.h"
#include "common/printable.h"

#define TEXT_MAX    1024 /* columns of a text */
#define SEQUENCE_MS 25   /* between the characters of a key */

static SCREEN *screen;
static FILE *terminal; /* of standard output, without what cleans it */
static bool utf8, mouse_used;
static int colors;

/* ---- Begin and end. ---- */

const char *browse_screen_check(void)
{
	int result;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return "standard input or output is no terminal";
	const char *name = getenv("TERM");
	if (!name || !name[0])
		return "TERM is not set";
	if (setupterm(NULL, STDOUT_FILENO, &result) != OK)
		return "the terminal that TERM names is not known";
	const char *place = tigetstr("cup");
	const bool is_screen = place && place != (char *)-1 && tigetflag("hc") <= 0;
	del_curterm(cur_term); /* the screen takes one of its own */
	return is_screen ? NULL : "the terminal that TERM names cannot place its cursor";
}

static void set_color(enum browse_style style, int few, int many)
{
	if (colors >= 8)
		init_pair((short)style, (short)(colors >= 256 && many >= 0 ? many : few), -1);
}

static void choose_colors(bool color)
{
	if (!color || !has_colors() || start_color() != OK || use_default_colors() != OK ||
		COLOR_PAIRS <= BROWSE_STYLES)
		return;
	colors = COLORS;
	set_color(BROWSE_DIM, -1, 244);
	set_color(BROWSE_HEADING, COLOR_CYAN, -1);
	set_color(BROWSE_FOCUS, COLOR_CYAN, -1);
	set_color(BROWSE_CHANGED, COLOR_RED, 166);
	set_color(BROWSE_MEMORY, COLOR_CYAN, 31);
	set_color(BROWSE_PLACE, COLOR_GREEN, 28);
	set_color(BROWSE_EVENT, COLOR_MAGENTA, 133);
	set_color(BROWSE_LOSS, COLOR_RED, 160);
	set_color(BROWSE_PAST, COLOR_RED, 131);
	set_color(BROWSE_NEXT, COLOR_BLUE, 32);
}

const char *browse_screen_begin(bool color, bool mouse)
{
	setlocale(LC_CTYPE, "");
	utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	int copy = dup(STDOUT_FILENO);
	terminal = copy >= 0 ? fdopen(copy, "w") : NULL;
	screen = terminal ? newterm(NULL, terminal, stdin) : NULL;
	if (!screen)
		return "the terminal cannot be used";
	set_term(screen);
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	intrflush(stdscr, FALSE);
	curs_set(0);
	leaveok(stdscr, TRUE);
	choose_colors(color);
	mouseinterval(0);
	browse_screen_use_mouse(mouse);
	return NULL;
}

void browse_screen_end(void)
{
	if (!screen)
		return;
	browse_screen_use_mouse(false);
	endwin();
	delscreen(screen);
	fclose(terminal);
	screen = NULL;
}

void browse_screen_stop(void)
{
	struct sigaction before, usual = {.sa_handler = SIG_DFL};
	const bool mouse = mouse_used;
	sigset_t stop;

	browse_screen_use_mouse(false);
	endwin();
	sigemptyset(&usual.sa_mask);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &usual, &before);
	sigprocmask(SIG_UNBLOCK, &stop, NULL);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &before, NULL);
	sigprocmask(SIG_BLOCK, &stop, NULL);
	browse_screen_use_mouse(mouse);
	refresh();
	browse_screen_redraw();
}

void browse_screen_use_mouse(bool use)
{
	mouse_used = use;
	mousemask(use ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED |
				  BUTTON4_PRESSED | BUTTON5_PRESSED
		      : 0,
		NULL);
}

int browse_screen_rows(void)
{
	return LINES;
}

int browse_screen_columns(void)
{
	return COLS;
}

int browse_screen_colors(void)
{
	return colors;
}

void browse_screen_clear(void)
{
	erase();
}

void browse_screen_redraw(void)
{
	clearok(curscr, TRUE);
}

void browse_screen_show(void)
{
	refresh();
}

void browse_screen_cursor(int row, int column)
{
	curs_set(row >= 0);
	leaveok(stdscr, row < 0);
	if (row >= 0)
		move(row, column);
}

/* ---- Keys. ---- */

static int translate(int result, wint_t key)
{
	static const struct {
		int curses, key;
	} keys[] = {{KEY_UP, BROWSE_KEY_UP}, {KEY_DOWN, BROWSE_KEY_DOWN},
		{KEY_LEFT, BROWSE_KEY_LEFT}, {KEY_RIGHT, BROWSE_KEY_RIGHT},
		{KEY_HOME, BROWSE_KEY_HOME}, {KEY_END, BROWSE_KEY_END},
		{KEY_PPAGE, BROWSE_KEY_PAGE_UP}, {KEY_NPAGE, BROWSE_KEY_PAGE_DOWN},
		{KEY_BTAB, BROWSE_KEY_BACK_TAB}, {KEY_DC, BROWSE_KEY_DELETE},
		{KEY_BACKSPACE, BROWSE_KEY_ERASE}, {KEY_ENTER, BROWSE_KEY_ENTER},
		{KEY_F(1), BROWSE_KEY_F1}, {KEY_RESIZE, BROWSE_KEY_RESIZE},
		{KEY_MOUSE, BROWSE_KEY_MOUSE}};

	if (result == KEY_CODE_YES) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (keys[i].curses == (int)key)
				return keys[i].key;
		return BROWSE_KEY_OTHER;
	}
	return key == '\r' ? BROWSE_KEY_ENTER : key == 8 ? BROWSE_KEY_ERASE : (int)key;
}

/* The next character if it comes soon, as those of a sequence do. */
static bool take_soon(wint_t *c)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	if (get_wch(c) == OK)
		return true;
	return poll(&input, 1, SEQUENCE_MS) > 0 && get_wch(c) == OK;
}

/* After an Esc: "[" parameters and a letter, or "O" and a letter, is the sequence of a key that
 * curses does not know for this terminal: none of its characters is a key. */
static bool drop_sequence(void)
{
	wint_t c, begin;

	if (!take_soon(&begin))
		return false;
	if (begin != '[' && begin != 'O') {
		unget_wch((wchar_t)begin);
		return false;
	}
	if (!take_soon(&c)) {
		unget_wch((wchar_t)begin);
		return false;
	}
	const bool is_mouse = begin == '[' && c == 'M';
	while (begin == '[' && c >= 0x20 && c < 0x40 && take_soon(&c))
		;
	for (int i = 0; is_mouse && i < 3 && take_soon(&c); i++)
		;
	if (!is_mouse && (c < 0x20 || c == 0x7F))
		unget_wch((wchar_t)c); /* a key of its own */
	return true;
}

int browse_screen_key(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	wint_t key;

	for (;;) {
		int result = get_wch(&key);
		if (result == OK && key == BROWSE_KEY_ESCAPE && drop_sequence())
			continue;
		if (result != ERR)
			return translate(result, key);
		if (browse_signals_any())
			return BROWSE_KEY_NONE;
		input.revents = 0;
		if (ppoll(&input, 1, NULL, browse_signals_outside()) < 0 && errno != EINTR)
			return BROWSE_KEY_NONE;
		if (input.revents & (POLLHUP | POLLERR | POLLNVAL)) {
			browse_signals_end();
			return BROWSE_KEY_NONE;
		}
	}
}

bool browse_screen_has_key(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&input, 1, 0) > 0;
}

void browse_screen_mouse(struct browse_mouse *mouse)
{
	MEVENT event;

	*mouse = (struct browse_mouse){.row = -1};
	if (getmouse(&event) != OK)
		return;
	mouse->row = event.y;
	mouse->column = event.x;
	mouse->twice = event.bstate & BUTTON1_DOUBLE_CLICKED;
	mouse->click = event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED);
	mouse->up = event.bstate & BUTTON4_PRESSED;
	mouse->down = event.bstate & BUTTON5_PRESSED;
}

/* ---- Text. ---- */

static attr_t attributes(enum browse_style style, bool current)
{
	static const attr_t plain[BROWSE_STYLES] = {[BROWSE_HEADING] = A_DIM,
		[BROWSE_FOCUS] = A_BOLD | A_UNDERLINE,
		[BROWSE_CHANGED] = A_BOLD,
		[BROWSE_EVENT] = A_BOLD,
		[BROWSE_LOSS] = A_BOLD,
		[BROWSE_DIM] = A_DIM,
		[BROWSE_SELECTED] = A_UNDERLINE | A_BOLD,
		[BROWSE_STATUS] = A_REVERSE};
	static const attr_t colored[BROWSE_STYLES] = {[BROWSE_FOCUS] = A_BOLD | A_UNDERLINE,
		[BROWSE_CHANGED] = A_BOLD,
		[BROWSE_SELECTED] = A_UNDERLINE | A_BOLD,
		[BROWSE_STATUS] = A_REVERSE};
	attr_t attribute = colors ? colored[style] : plain[style];

	if (current)
		return A_REVERSE | (attribute & (A_BOLD | A_UNDERLINE));
	if (colors == 8 && style == BROWSE_DIM)
		attribute |= A_DIM;
	if (colors && style != BROWSE_PLAIN && style != BROWSE_SELECTED && style != BROWSE_STATUS)
		attribute |= COLOR_PAIR(style);
	return attribute;
}

/* One character of valid UTF-8. */
static size_t decode(const char *text, wchar_t *c)
{
	const unsigned char *at = (const unsigned char *)text;
	const size_t size = at[0] < 0x80 ? 1 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
	uint32_t code = size == 1 ? at[0] : at[0] & (0xFFu >> (size + 1));

	for (size_t i = 1; i < size; i++) {
		if ((at[i] & 0xC0) != 0x80) {
			*c = L'?';
			return i;
		}
		code = code << 6 | (at[i] & 0x3F);
	}
	*c = (wchar_t)code;
	return size;
}

/* The characters of a text that fit into room columns, safe to show. Returns how many there are. */
static size_t characters(const char *text, int room, wchar_t *wide, int *columns)
{
	char safe[4 * TEXT_MAX + 8];
	size_t used, count = 0, at = 0;
	const size_t size = strnlen(text, (size_t)(room < TEXT_MAX ? room : TEXT_MAX) * 4);
	const size_t length = ear_printable_copy(
		safe, sizeof(safe) - 1, &used, text, size, EAR_PRINTABLE_LINE, true);

	*columns = 0;
	safe[length] = '\0';
	while (at < length && count < TEXT_MAX - 1) {
		wchar_t c;
		at += decode(safe + at, &c);
		if (!utf8 && c >= 0x80)
			c = L'?';
		int width = c < 0x80 ? 1 : wcwidth(c);
		if (width < 0) {
			c = L'?';
			width = 1;
		}
		if (*columns + width > room)
			break;
		wide[count++] = c;
		*columns += width;
	}
	return count;
}

int browse_width(const char *text)
{
	wchar_t wide[TEXT_MAX];
	int columns;

	characters(text, TEXT_MAX, wide, &columns);
	return columns;
}

void browse_put(struct browse_line *line, enum browse_style style, const char *text)
{
	wchar_t wide[TEXT_MAX];
	const int room = line->width - line->used;
	int columns;

	if (room <= 0 || line->row < 0 || line->row >= LINES)
		return;
	const size_t count = characters(text, room, wide, &columns);
	attrset((int)attributes(style, line->current));
	mvaddnwstr(line->row, line->column + line->used, wide, (int)count);
	attrset(A_NORMAL);
	line->used += columns;
}

void browse_print(struct browse_line *line, enum browse_style style, const char *form, ...)
{
	char text[4 * TEXT_MAX];
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(text, sizeof(text), form, arguments);
	va_end(arguments);
	browse_put(line, style, text);
}

void browse_pad(struct browse_line *line, int used)
{
	while (line->used < used && line->used < line->width)
		browse_put(line, BROWSE_PLAIN, " ");
}

void browse_fill(struct browse_line *line)
{
	browse_pad(line, line->width);
}

void browse_rule(struct browse_line *line, enum browse_style style)
{
	const int room = line->width - line->used;

	if (room <= 0 || line->row < 0 || line->row >= LINES)
		return;
	attrset((int)(attributes(style, false) & ~(attr_t)A_UNDERLINE));
	mvhline_set(line->row, line->column + line->used, WACS_HLINE, room);
	attrset(A_NORMAL);
	line->used = line->width;
}

void browse_put_vertical(int row, int column, int rows)
{
	attrset((int)attributes(BROWSE_HEADING, false));
	mvvline_set(row, column, WACS_VLINE, rows);
	attrset(A_NORMAL);
}
