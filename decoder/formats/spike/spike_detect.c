/* How likely a text is a log of Spike: by the share of its first lines that are lines of one. Every
 * line would be, but the program's own output may come between.
 */
#include "decoder/formats/spike/reader_spike.h"
#include "decoder/formats/spike/spike_line.h"

int ear_reader_spike_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	unsigned lines = 0, good = 0;

	while (!ear_text_at_end(&cursor) && lines < 64) {
		struct ear_text text = ear_text_until(&cursor, '\n');
		struct ear_spike_line line = {.cursor = ear_text_cursor(text.text, text.size)};
		struct ear_spike_head head;
		size_t digits;
		if (!ear_text_take(&cursor, '\n'))
			break;
		lines += text.size > 0;
		(void)ear_spike_take_core(&line.cursor, &line);
		if (ear_text_peek(&line.cursor) >= '0' && ear_text_peek(&line.cursor) <= '3' &&
			line.cursor.end - line.cursor.at > 2 && line.cursor.at[1] == ' ')
			line.cursor.at += 2;
		good += ear_spike_take_pc(&line.cursor, &head, &digits);
	}
	return lines > 0 ? (int)(90 * good / lines) : 0;
}
