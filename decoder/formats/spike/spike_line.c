/* The core that a line begins with, also after a prompt, and the number of a line. What every line
 * has after it is inline in the header.
 */
#include "decoder/formats/spike/spike_line.h"

#include <string.h>

bool ear_spike_take_core(struct ear_text_cursor *cursor, struct ear_spike_line *line)
{
	struct ear_text_cursor at = *cursor;
	uint64_t hart;

	if (!ear_text_take_word(&at, "core"))
		return false;
	while (ear_text_take(&at, ' '))
		;
	if (at.end - at.at > 2 && ear_text_is_digit(at.at[0]) && at.at[1] == ':' &&
		at.at[2] == ' ') { /* as nearly all are */
		line->has_core = true;
		line->hart = (uint16_t)(at.at[0] - '0');
		at.at += 2;
		ear_text_skip_blanks(&at);
		*cursor = at;
		return true;
	}
	ear_text_skip_blanks(&at);
	bool interrupt = ear_text_peek(&at) == 'I' && ear_text_take_word(&at, "INTERRUPT");
	if (interrupt)
		ear_text_skip_blanks(&at);
	if (!ear_text_decimal(&at, &hart) || hart > UINT16_MAX || !ear_text_take(&at, ':') ||
		!ear_text_skip_blanks(&at))
		return false;
	*cursor = at;
	line->has_core = true;
	line->interrupt = interrupt;
	line->hart = (uint16_t)hart;
	return true;
}

void ear_spike_find_core(struct ear_text_cursor *cursor, struct ear_spike_line *line)
{
	struct ear_text_cursor at = *cursor;

	while (at.at < at.end && (at.at = memchr(at.at, 'c', (size_t)(at.end - at.at))) != NULL) {
		if (ear_spike_take_core(&at, line)) {
			*cursor = at;
			return;
		}
		at.at++;
	}
}

bool ear_spike_take_line_number(struct ear_text_cursor *cursor, uint64_t *number)
{
	struct ear_text_cursor at = *cursor;

	ear_text_skip_blanks(&at);
	if (!ear_text_decimal(&at, number) ||
		(!ear_text_take(&at, ':') && !ear_text_skip_blanks(&at)))
		return false;
	ear_text_skip_blanks(&at);
	if (at.end - at.at < 4 || *at.at < '0' || *at.at > '3' || at.at[1] != ' ' ||
		at.at[2] != '0' || at.at[3] != 'x')
		return false;
	*cursor = at;
	return true;
}
