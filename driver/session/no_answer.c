/* What came instead of an answer, as a sentence. The kinds lead to different causes: nothing to
 * power or wires, noise to a wrong rate, text to the wrong port, frames to the way towards the
 * unit. Frames win over bytes between them: who joins a stream sees the rest of a frame first.
 */
#include "driver/session/no_answer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/plural.h"

#define TEXT_MAX    40 /* letters of a text that are shown */
#define TEXT_MIN    4  /* bytes that can be distinguished from noise */
#define EXAMPLE_MAX 8  /* bytes of noise that are shown */

static bool is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static bool is_visible(uint8_t byte)
{
	return byte > ' ' && byte <= '~';
}

/* Nine of ten bytes are ASCII: noise on the wire looks different soon. */
static bool is_text(const uint8_t *bytes, size_t size)
{
	size_t letters = 0;

	for (size_t i = 0; i < size; i++)
		letters += is_blank(bytes[i]) || is_visible(bytes[i]);
	return size >= TEXT_MIN && letters * 10 >= size * 9;
}

/* The beginning of a text in one line: runs of blanks and line ends as one blank. */
static void show_text(char *to, const uint8_t *bytes, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < size && length < TEXT_MAX; i++) {
		if (is_visible(bytes[i]))
			to[length++] = (char)bytes[i];
		else if (!is_blank(bytes[i]))
			to[length++] = '?';
		else if (length > 0 && to[length - 1] != ' ')
			to[length++] = ' ';
	}
	while (length > 0 && to[length - 1] == ' ')
		length--;
	to[length] = '\0';
}

static void show_bytes(char *to, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && i < EXAMPLE_MAX; i++)
		to += sprintf(to, "%s%02X", i ? " " : "", bytes[i]);
}

/* All that came: a frame that has only begun as well. */
static void describe(char *text, size_t size, const struct ear_reply_scanner *scanner)
{
	struct ear_stray stray = scanner->stray;
	size_t room = sizeof(stray.sample) - stray.sample_size;
	size_t more = scanner->carry_size < room ? scanner->carry_size : room;
	char example[TEXT_MAX + 1] = "";

	memcpy(stray.sample + stray.sample_size, scanner->carry, more);
	stray.sample_size += more;
	stray.bytes += scanner->carry_size;
	if (stray.frames > 0) {
		snprintf(text, size,
			"%" PRIu64 " frame%s of a unit came, but no answer, so control words may "
			"not reach it",
			stray.frames, ear_plural(stray.frames));
	} else if (stray.bytes == 0) {
		snprintf(text, size, "nothing came");
	} else if (is_text(stray.sample, stray.sample_size)) {
		show_text(example, stray.sample, stray.sample_size);
		snprintf(text, size, "text came, as from a console: \"%s\"", example);
	} else {
		show_bytes(example, stray.sample, stray.sample_size);
		snprintf(text, size, "%" PRIu64 " byte%s came that %s not an Earshot frame (%s%s)",
			stray.bytes, ear_plural(stray.bytes), stray.bytes == 1 ? "is" : "are",
			example, stray.bytes > EXAMPLE_MAX ? " ..." : "");
	}
}

void ear_no_answer_explain(struct ear_report *report, const struct ear_transport *transport,
	const struct ear_reply_scanner *scanner)
{
	size_t length = strlen(report->text);
	char came[128];

	describe(came, sizeof(came), scanner);
	snprintf(report->text + length, sizeof(report->text) - length, ": %s%s%s", came,
		transport->checks ? "; check " : "", transport->checks ? transport->checks : "");
}
