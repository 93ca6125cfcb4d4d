/* How likely a text is a log of Spike: by the share of its first lines that are lines of one. Every
 * line would be, but the program's own output may come between.
 */
#include "decoder/formats/spike/reader_spike.h"
#include "decoder/formats/spike/spike_line.h"

/* Lines of Spike; those with a core before which there is something else, as the number of the
 * line; and those with such a number and no core. Of the latter the number may be a hart's, as in a
 * Dromajo trace: that of a line is greater than the one before it. */
struct counts {
	unsigned lines, good, found, numbered;
	uint64_t number; /* the last one */
	bool falls;
};

#define NUMBERED_MIN 3u /* lines whose numbers rise show that they are of lines */

static void count_line(struct counts *counts, struct ear_text text)
{
	struct ear_spike_line line = {.cursor = ear_text_cursor(text.text, text.size)};
	struct ear_spike_head head;
	uint64_t number = 0;
	size_t digits;

	counts->lines += text.size > 0;
	bool found = !ear_spike_take_core(&line.cursor, &line);
	if (found)
		ear_spike_find_core(&line.cursor, &line);
	found &= line.has_core;
	const bool numbered = !line.has_core && ear_spike_take_line_number(&line.cursor, &number);
	if (ear_text_peek(&line.cursor) >= '0' && ear_text_peek(&line.cursor) <= '3' &&
		line.cursor.end - line.cursor.at > 2 && line.cursor.at[1] == ' ')
		line.cursor.at += 2;
	const bool good = ear_spike_take_pc(&line.cursor, &head, &digits) ||
			  (line.has_core && (ear_text_take_word(&line.cursor, "exception ") ||
						    ear_text_take_word(&line.cursor, "tval ")));
	counts->found += good && found;
	if (good && numbered) {
		counts->falls |= counts->numbered > 0 && number <= counts->number;
		counts->numbered++;
		counts->number = number;
	}
	counts->good += good && !numbered && !found;
}

int ear_reader_spike_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	struct counts counts = {0};

	while (!ear_text_at_end(&cursor) && counts.lines < 64) {
		struct ear_text text = ear_text_until(&cursor, '\n');
		if (!ear_text_take(&cursor, '\n'))
			break;
		count_line(&counts, text);
	}
	const bool of_lines =
		counts.found > 0 || (counts.numbered >= NUMBERED_MIN && !counts.falls);
	const unsigned good = counts.good + counts.found + (of_lines ? counts.numbered : 0);
	return counts.lines > 0 ? (int)(90 * good / counts.lines) : 0;
}
