/* Is a text QEMU4V or Tarmac?
 *
 * The beginnings of the first lines vote, since they are what the dialects have in common: a time
 * with a unit, a kind, a bracket. QEMU4V is a part of Tarmac, so one foreign line decides. A line
 * with the revision of the format is certain.
 */
#include "decoder/formats/tarmac/reader_tarmac.h"
#include "decoder/formats/tarmac/tarmac_head.h"

#include <string.h>

struct evidence {
	unsigned lines;     /* whole ones, not blank */
	unsigned timed;     /* with time, unit and a kind that carries data */
	unsigned bracketed; /* instructions without a time */
	unsigned numbered;  /* instructions with a decimal cpu */
	unsigned foreign;   /* that QEMU4V does not have */
};

static void weigh_line(struct evidence *evidence, struct ear_tarmac_state *state, const char *line,
	const char *end)
{
	struct ear_tarmac_head head;

	if (ear_tarmac_head(&head, state, line, end) || head.kind == EAR_TARMAC_BLANK)
		return;
	bool bracket = ear_text_peek(&head.rest) == '(';
	bool instruction = head.kind == EAR_TARMAC_INSTRUCTION || head.kind == EAR_TARMAC_STATE;
	bool data = (instruction && bracket) || head.kind == EAR_TARMAC_REGISTER ||
		    head.kind == EAR_TARMAC_ACCESS || head.kind == EAR_TARMAC_DIAGRAM;
	evidence->lines++;
	evidence->timed += data && head.stamped && state->unit_size > 0;
	evidence->bracketed += instruction && bracket;
	evidence->numbered += instruction && bracket && head.decimal_cpu;
	evidence->foreign += head.kind == EAR_TARMAC_STATE || (head.has_cpu && !head.decimal_cpu) ||
			     (head.kind == EAR_TARMAC_EVENT && head.stamped);
}

static void weigh(struct evidence *evidence, const char *bytes, size_t size)
{
	struct ear_tarmac_state state = {.has_time = false};
	const char *end = bytes + size;

	*evidence = (struct evidence){0};
	for (unsigned count = 0; count < 64 && bytes < end; count++) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		const char *stop = newline ? newline : end;
		if (stop > bytes && stop[-1] == '\r')
			stop--;
		weigh_line(evidence, &state, bytes, stop);
		bytes = newline ? newline + 1 : end;
	}
}

int ear_reader_qemu4v_detect(const char *bytes, size_t size)
{
	struct evidence evidence;

	weigh(&evidence, bytes, size);
	return evidence.numbered > 0 && evidence.foreign == 0 && 2 * evidence.timed > evidence.lines
		       ? 90
		       : 0;
}

/* RTL simulators and cycle models begin with "Tarmac Text Rev 3t". */
static bool has_revision(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);

	while (ear_text_skip_blanks(&cursor) || ear_text_take(&cursor, '\r') ||
		ear_text_take(&cursor, '\n')) {
	}
	return ear_text_take_word(&cursor, "Tarmac Text Rev");
}

int ear_reader_tarmac_detect(const char *bytes, size_t size)
{
	struct evidence evidence;

	if (has_revision(bytes, size))
		return 95;
	weigh(&evidence, bytes, size);
	if (2 * evidence.timed > evidence.lines)
		return 80;
	return 2 * (evidence.bracketed + evidence.timed) > evidence.lines ? 60 : 0;
}
