/* The initial-state file of state.h: what registers hold before the first record. */
#include <earshot/error.h>
#include <string.h>

#include "decoder/text/text_cursor.h"
#include "library/state/state_private.h"

/* A line of the initial-state file. */
struct initial_line {
	char letter;
	uint64_t number, value, hart;
	bool has_hart;
	uint8_t bytes[EAR_STATE_VECTOR_MAX];
	size_t size;
};

/* Digits of any count, highest byte first. */
static bool take_bytes(struct ear_text_cursor *cursor, struct initial_line *line)
{
	const char *digits = cursor->at;
	size_t count = 0;

	while (cursor->at < cursor->end && ear_hex_digit(*cursor->at) >= 0) {
		cursor->at++;
		count++;
	}
	line->size = (count + 1) / 2;
	if (count == 0 || line->size > EAR_STATE_VECTOR_MAX)
		return false;
	memset(line->bytes, 0, line->size);
	for (size_t i = 0; i < count; i++)
		line->bytes[i / 2] |= (uint8_t)(ear_hex_digit(digits[count - 1 - i]) << i % 2 * 4);
	return true;
}

static const char *parse_initial(struct initial_line *line, struct ear_text_cursor cursor)
{
	line->letter = *cursor.at++;
	line->has_hart = false;
	if (line->letter == '\0' || !strchr("xfcv", line->letter))
		return "a line that begins with none of x, f, c, v";
	ear_text_skip_blanks(&cursor);
	if (!ear_text_decimal(&cursor, &line->number) ||
		line->number >= (line->letter == 'c' ? EAR_CSR_COUNT : 32))
		return "a register number that is missing or too large";
	if (!ear_text_skip_blanks(&cursor) || !ear_text_take_word(&cursor, "0x"))
		return "a value without 0x";
	if (line->letter == 'v' ? !take_bytes(&cursor, line) : !ear_text_hex(&cursor, &line->value))
		return "a value that is not a number of the register's size";
	if (ear_text_skip_blanks(&cursor) && ear_text_peek(&cursor) != '#' &&
		!ear_text_at_end(&cursor)) {
		line->has_hart = true;
		if (!ear_text_decimal(&cursor, &line->hart) || line->hart > UINT16_MAX)
			return "a hart number that cannot be read";
		ear_text_skip_blanks(&cursor);
	}
	if (!ear_text_at_end(&cursor) && ear_text_peek(&cursor) != '#')
		return "unexpected text after the value";
	return NULL;
}

static int set_initial(struct ear_hart *hart, const struct initial_line *line)
{
	unsigned number = (unsigned)line->number;

	switch (line->letter) {
	case 'x': ear_hart_set(hart, EAR_REGISTER_X, number, line->value); break;
	case 'f': ear_hart_set(hart, EAR_REGISTER_F, number, line->value); break;
	case 'c': ear_hart_write_csr(hart, number, line->value); break;
	default:
		if (!ear_hart_reserve_vector(&hart->v[number], line->size))
			return EAR_E_NO_MEMORY;
		ear_hart_set_vector(hart, number, line->bytes, line->size);
		break;
	}
	return 0;
}

/* For one hart, or for those seen and those to come. */
static int apply_initial(struct ear_state *state, const struct initial_line *line)
{
	struct ear_hart *hart;
	int result;

	if (line->has_hart) {
		result = ear_state_reach(state, (uint16_t)line->hart, &hart);
		return result ? result : set_initial(hart, line);
	}
	result = set_initial(&state->initial, line);
	for (size_t i = 0; i < state->hart_capacity && result == 0; i++)
		if (state->harts[i])
			result = set_initial(state->harts[i], line);
	return result;
}

int ear_state_load(struct ear_state *state, struct ear_text_input *input, ear_line_report *report,
	void *context)
{
	struct initial_line line = {0};
	const char *text;
	size_t size;
	int result;

	while ((result = ear_text_input_line(input, &text, &size)) == 1) {
		struct ear_text_cursor cursor = ear_text_cursor(text, size);
		ear_text_skip_blanks(&cursor);
		if (ear_text_at_end(&cursor) || ear_text_peek(&cursor) == '#')
			continue;
		const char *wrong = parse_initial(&line, cursor);
		if (!wrong)
			result = apply_initial(state, &line);
		else if (report)
			result = report(context, ear_text_input_line_number(input),
				ear_text_input_offset(input), wrong, true);
		if (result < 0)
			return result;
	}
	return result;
}
