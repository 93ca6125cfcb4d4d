/* A line of text that is typed at the bottom, over what was drawn. */
#include <string.h>

#include "cli/commands/browse/browse.h"
#include "cli/commands/browse/browse_signals.h"

/* A message has the last rows; the prompt needs the last one of these. */
static void draw_above(struct browse *browse)
{
	const char *rest = browse->message;
	const int rows = browse_message_rows(browse);

	for (int i = 0; *rest && i < rows; i++) {
		struct browse_line line = {.row = browse_screen_rows() - 1 - rows + i,
			.width = browse_screen_columns() - 1};
		browse_put_wrapped(
			&line, browse->message_is_error ? BROWSE_LOSS : BROWSE_PLAIN, &rest);
		browse_fill(&line);
	}
}

static void draw_prompt(struct browse *browse, const char *label, const char *text)
{
	struct browse_line line = {
		.row = browse_screen_rows() - 1, .width = browse_screen_columns() - 1};

	browse_draw(browse);
	draw_above(browse);
	browse_put(&line, BROWSE_SELECTED, label);
	/* Of a long text its end is shown. */
	while (browse_width(text) > line.width - line.used - 1 && *text)
		text++;
	browse_put(&line, BROWSE_PLAIN, text);
	const int column = line.used;
	browse_fill(&line);
	browse_screen_cursor(line.row, column);
	browse_screen_show();
}

/* The character as UTF-8. */
static void append(char *text, size_t size, int key)
{
	size_t at = strlen(text);
	const unsigned code = (unsigned)key;

	if (at + 5 > size)
		return;
	if (code < 0x80) {
		text[at++] = (char)code;
	} else if (code < 0x800) {
		text[at++] = (char)(0xC0 | code >> 6);
		text[at++] = (char)(0x80 | (code & 0x3F));
	} else if (code < 0x10000) {
		text[at++] = (char)(0xE0 | code >> 12);
		text[at++] = (char)(0x80 | (code >> 6 & 0x3F));
		text[at++] = (char)(0x80 | (code & 0x3F));
	} else {
		text[at++] = (char)(0xF0 | code >> 18);
		text[at++] = (char)(0x80 | (code >> 12 & 0x3F));
		text[at++] = (char)(0x80 | (code >> 6 & 0x3F));
		text[at++] = (char)(0x80 | (code & 0x3F));
	}
	text[at] = '\0';
}

static void erase_last(char *text)
{
	size_t at = strlen(text);

	while (at > 0 && ((unsigned char)text[--at] & 0xC0) == 0x80)
		;
	text[at] = '\0';
}

/* Where Tab adds nothing, the names that it could become are shown above the prompt. */
static void complete_text(
	struct browse *browse, browse_completion *complete, char *text, size_t size)
{
	char completed[256], names[BROWSE_MESSAGE_MAX];
	const size_t before = strlen(text);
	const size_t count = complete(text, completed, sizeof(completed), names, sizeof(names));

	if (count == 0)
		browse_complain(browse, "no command begins so");
	else if (strlen(completed) < size)
		strcpy(text, completed);
	if (count > 1 && strlen(text) == before)
		browse_say(browse, "%s", names);
}

bool browse_ask(struct browse *browse, const char *label, char *text, size_t size,
	browse_completion *complete)
{
	for (;;) {
		draw_prompt(browse, label, text);
		const int key = browse_screen_key();
		if (key != BROWSE_KEY_NONE)
			browse->message[0] = '\0';
		switch (key) {
		case BROWSE_KEY_NONE:
			if (browse_signals_ending())
				return false;
			if (browse_signals_take_interrupt())
				return false;
			if (browse_signals_take_stop())
				browse_screen_stop();
			break;
		case BROWSE_KEY_ESCAPE: return false;
		case BROWSE_KEY_ENTER: return text[0] != '\0';
		case BROWSE_KEY_ERASE:
			if (text[0] == '\0')
				return false;
			erase_last(text);
			break;
		case 21: text[0] = '\0'; break; /* Ctrl-U */
		case BROWSE_KEY_TAB:
			if (complete)
				complete_text(browse, complete, text, size);
			break;
		default:
			if (key >= 0x20 && key < BROWSE_KEY_OTHER)
				append(text, size, key);
		}
	}
}
