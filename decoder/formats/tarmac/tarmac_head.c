/* The beginning of a Tarmac line: stamp, cpu, kind.
 *
 * Dialects differ most here (units, glued times, cpu names), but within a file nearly every line
 * begins in the same way. So the common beginning is tried first, in one step, and a stamp equal
 * to that of the line before is recognised by its characters. Everything else is read step by
 * step.
 */
#include "decoder/formats/tarmac/tarmac_head.h"

#include <string.h>

/* The beginning of a line: stamp, cpu, kind. */

/* The units that producers write. Returns the length of the one that text begins with. */
static size_t match_unit(const char *text, const char *end)
{
	/* Nearly always. */
	if (end - text > 3 && memcmp(text, "clk", 3) == 0 && ear_text_is_blank(text[3]))
		return 3;

	static const char units[][4] = {"ns", "cs", "cyc", "tic", "ps", "us", "ms", "fs", "s"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t size = strlen(units[i]);
		if ((size_t)(end - text) > size && memcmp(text, units[i], size) == 0 &&
			ear_text_is_blank(text[size]))
			return size;
	}
	return 0;
}

bool ear_tarmac_is_unit(struct ear_text unit)
{
	static const char units[][4] = {"clk", "ns", "cs", "cyc", "tic", "ps", "us"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ear_text_is(unit, units[i]))
			return true;
	return false;
}

static void set_unit(struct ear_tarmac_state *state, const char *unit, size_t size)
{
	memcpy(state->unit, unit, size);
	state->unit_size = size;
}

/* A time with a fraction is counted in millionths of its unit. Returns false if they have no
 * name: then the fraction is lost. */
static bool set_fine_unit(struct ear_tarmac_state *state)
{
	static const char fine[][2][4] = {
		{"s", "us"}, {"ms", "ns"}, {"us", "ps"}, {"ns", "fs"}, {"ps", "as"}};

	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		if (strlen(fine[i][0]) == state->unit_size &&
			memcmp(fine[i][0], state->unit, state->unit_size) == 0) {
			set_unit(state, fine[i][1], 2);
			return true;
		}
	return false;
}

/* Six digits of the fraction, the rest is cut off. */
static uint64_t take_millionths(struct ear_text_cursor *cursor)
{
	uint64_t sum = 0;
	unsigned count = 0;

	for (; cursor->at < cursor->end && ear_text_is_digit(*cursor->at); cursor->at++)
		if (count < 6) {
			sum = sum * 10 + (unsigned)(*cursor->at - '0');
			count++;
		}
	for (; count < 6; count++)
		sum *= 10;
	return sum;
}

/* "12 clk ", "12ns ", "0.5 us ", "12 ": leaves the cursor after it and its blanks. */
static const char *take_stamp(
	struct ear_tarmac_state *state, struct ear_text_cursor *cursor, bool *stamped)
{
	struct ear_text_cursor at = *cursor;
	uint64_t time, fraction = 0;
	bool fine = false;

	*stamped = false;
	if (!ear_text_is_digit(ear_text_peek(&at)))
		return NULL;
	if (!ear_text_decimal(&at, &time))
		return "the time has more than 64 bits";
	if (ear_text_take(&at, '.')) {
		fine = true;
		fraction = take_millionths(&at);
	}
	bool glued = at.at < at.end && !ear_text_is_blank(*at.at);
	ear_text_skip_blanks(&at);
	size_t unit = match_unit(at.at, at.end);
	if (glued && !unit) /* a word that begins with a digit */
		return fine ? "the time has no known unit" : NULL;
	set_unit(state, at.at, unit);
	state->foreign_unit = unit > 0 && !ear_tarmac_is_unit((struct ear_text){at.at, unit});
	at.at += unit;
	ear_text_skip_blanks(&at);
	if (fine && time > UINT64_MAX / 1000000 - 1)
		return "the time has more than 64 bits";
	if (fine && set_fine_unit(state))
		time = time * 1000000 + fraction;
	else
		state->cut_time |= fine;
	/* Without a unit the same characters could begin another number. */
	state->stamp = cursor->at;
	state->stamp_size = unit ? (size_t)(at.at - cursor->at) : 0;
	state->time = time;
	state->has_time = true;
	*stamped = true;
	*cursor = at;
	return NULL;
}

static enum ear_tarmac_kind access_kind(struct ear_text word)
{
	bool direction = false, digit = false;

	for (size_t i = 1; i < word.size; i++) {
		direction |= word.text[i] == 'R' || word.text[i] == 'W';
		digit |= ear_text_is_digit(word.text[i]);
	}
	return direction && digit ? EAR_TARMAC_ACCESS : EAR_TARMAC_EVENT;
}

/* R01 R02 R04 R08 and the same with W. */
static bool is_bare_access(struct ear_text word)
{
	return word.size == 3 && word.text[1] == '0' &&
	       (word.text[2] == '1' || word.text[2] == '2' || word.text[2] == '4' ||
		       word.text[2] == '8');
}

static inline enum ear_tarmac_kind kind_of(struct ear_text word)
{
	char second = word.size == 2 ? word.text[1] : '\0';

	switch (word.text[0]) {
	case 'I':
		return second == 'T' || second == 'S' || second == 'F' ? EAR_TARMAC_INSTRUCTION
								       : EAR_TARMAC_EVENT;
	case 'M': return access_kind(word);
	case 'R':
		if (word.size == 1)
			return EAR_TARMAC_REGISTER;
		return is_bare_access(word) ? EAR_TARMAC_ACCESS : EAR_TARMAC_EVENT;
	case 'W': return is_bare_access(word) ? EAR_TARMAC_ACCESS : EAR_TARMAC_EVENT;
	case 'E': return second == 'S' ? EAR_TARMAC_STATE : EAR_TARMAC_EVENT;
	case 'L': return second == 'D' ? EAR_TARMAC_DIAGRAM : EAR_TARMAC_EVENT;
	case 'S': return second == 'T' ? EAR_TARMAC_DIAGRAM : EAR_TARMAC_EVENT;
	case 'T': return ear_text_is(word, "Tarmac") ? EAR_TARMAC_HEADER : EAR_TARMAC_EVENT;
	default: return EAR_TARMAC_EVENT;
	}
}

bool ear_tarmac_is_event_word(struct ear_text word)
{
	static const char words[][24] = {
		"CADI", "E", "P", "CACHE", "TTW", "BR", "INFO_EXCEPTION_REASON", "SIGNAL", "EXC"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ear_text_is(word, words[i]))
			return true;
	return false;
}

static bool is_cpu_name(struct ear_text word)
{
	if (!((word.text[0] >= 'a' && word.text[0] <= 'z') || word.text[0] == '_' ||
		    (word.text[0] >= 'A' && word.text[0] <= 'Z')))
		return false;
	for (size_t i = 1; i < word.size; i++) {
		char c = word.text[i];
		if (!ear_text_is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
			c != '_' && c != '.' && c != '-')
			return false;
	}
	return true;
}

/* A number for a name: that of cpuN, else an index of the list. */
static const char *number_cpu(
	struct ear_tarmac_head *head, struct ear_tarmac_state *state, struct ear_text name)
{
	struct ear_text_cursor cursor = {name.text, name.text + name.size};
	uint64_t number = 0;

	if (ear_text_take_word(&cursor, "cpu") && ear_text_decimal(&cursor, &number) &&
		ear_text_at_end(&cursor)) {
		if (number > UINT16_MAX)
			return "the cpu has a number above 65535";
		head->cpu = (uint16_t)number;
		return NULL;
	}
	for (size_t i = 0; i < state->name_count; i++)
		if (ear_text_is(name, state->names[i])) {
			head->cpu = (uint16_t)i;
			return NULL;
		}
	if (name.size >= sizeof(state->names[0]) ||
		state->name_count == sizeof(state->names) / sizeof(state->names[0]))
		return "the file has too many names of cpus, or a name is too long";
	head->cpu = (uint16_t)state->name_count;
	memcpy(state->names[state->name_count], name.text, name.size);
	state->names[state->name_count++][name.size] = '\0';
	return NULL;
}

/* A word that is not a kind is a cpu if a kind follows, or if it says so itself. */
static const char *take_cpu(struct ear_tarmac_head *head, struct ear_tarmac_state *state,
	struct ear_text_cursor *cursor)
{
	struct ear_text_cursor at = *cursor;
	struct ear_text word = ear_text_token(&at), follower;
	const char *cause = NULL;
	uint64_t number;

	ear_text_skip_blanks(&at);
	struct ear_text_cursor after = at;
	follower = ear_text_token(&after);
	bool known = follower.size > 0 && kind_of(follower) != EAR_TARMAC_EVENT;
	bool named = word.size >= 3 && memcmp(word.text, "cpu", 3) == 0;
	if ((!named && !known) ||
		(!ear_text_is_digit(word.text[0]) && ear_tarmac_is_event_word(word)))
		return NULL;

	struct ear_text_cursor digits = {word.text, word.text + word.size};
	if (ear_text_decimal(&digits, &number) && ear_text_at_end(&digits)) {
		if (number > UINT16_MAX)
			return "the cpu has a number above 65535";
		head->cpu = (uint16_t)number;
		head->decimal_cpu = true;
	} else if (is_cpu_name(word)) {
		cause = number_cpu(head, state, word);
	} else {
		return NULL;
	}
	head->has_cpu = true;
	head->foreign_cpu = !named;
	*cursor = at;
	return cause;
}

#define USUAL_SIZE_MIN 40 /* of a line: no need to look for its end in what comes first */

/* "12 clk ": as take_stamp, with the unit clk only. Returns what is after it, or NULL. */
static inline const char *take_usual_stamp(struct ear_tarmac_state *state, const char *line)
{
	const char *at = line;
	uint64_t time = 0;

	unsigned count = ear_decimal_scan(at, &time);
	for (at += count; count == 8 && ear_text_is_digit(*at) && at - line < 16; at++)
		time = time * 10 + (unsigned)(*at - '0');
	if (at == line || memcmp(at, " clk ", 5) != 0 || ear_text_is_blank(at[5]))
		return NULL;
	at += 5;
	memcpy(state->unit, "clk", 3);
	state->unit_size = 3;
	state->foreign_unit = false;
	state->stamp = line;
	state->stamp_size = (size_t)(at - line);
	state->time = time;
	state->has_time = true;
	return at;
}

/* Is the stamp that of the line before? */
static inline bool same_stamp(const struct ear_tarmac_state *state, const char *line)
{
	const char *stamp = state->stamp;
	size_t size = state->stamp_size, i = 0;

	if (size < 8 || size > 24 || ear_text_is_blank(line[size]))
		return false;
	for (; i + 8 <= size; i += 8)
		if (memcmp(line + i, stamp + i, 8) != 0)
			return false;
	return memcmp(line + size - 8, stamp + size - 8, 8) == 0;
}

/* Nearly every line: a time in clk, perhaps a decimal cpu, and IT, R, MR or MW. Returns false if it
 * is another one, and nothing has changed that matters.
 */
static inline bool take_usual(struct ear_tarmac_head *head, struct ear_tarmac_state *state,
	const char *line, const char *end)
{
	const char *at;

	if (end - line < USUAL_SIZE_MIN)
		return false;
	at = same_stamp(state, line) ? line + state->stamp_size : take_usual_stamp(state, line);
	if (!at)
		return false;
	if (ear_text_is_digit(*at) && at[1] == ' ') {
		head->has_cpu = head->decimal_cpu = head->foreign_cpu = true;
		head->cpu = (uint16_t)(*at - '0');
		at += 2;
	}
	size_t size;
	if (at[0] == 'R' && at[1] == ' ') {
		head->kind = EAR_TARMAC_REGISTER;
		size = 1;
	} else if (at[0] == 'I' && at[1] == 'T' && at[2] == ' ') {
		head->kind = EAR_TARMAC_INSTRUCTION;
		size = 2;
	} else if (at[0] == 'M' && (at[1] == 'R' || at[1] == 'W') && ear_text_is_digit(at[2]) &&
		   at[3] == ' ') {
		head->kind = EAR_TARMAC_ACCESS;
		size = 3;
	} else {
		*head = (struct ear_tarmac_head){.kind = EAR_TARMAC_BLANK};
		return false;
	}
	head->stamped = true;
	head->word = (struct ear_text){at, size};
	head->rest = (struct ear_text_cursor){at + size + 1, end};
	ear_text_skip_blanks(&head->rest);
	return true;
}

const char *ear_tarmac_head(struct ear_tarmac_head *head, struct ear_tarmac_state *state,
	const char *line, const char *end)
{
	struct ear_text_cursor cursor = {line, end};
	const char *cause = NULL;

	*head = (struct ear_tarmac_head){.kind = EAR_TARMAC_BLANK};
	if (take_usual(head, state, line, end))
		return NULL;
	ear_text_skip_blanks(&cursor);
	if (state->stamp_size > 0 && (size_t)(end - cursor.at) > state->stamp_size &&
		memcmp(cursor.at, state->stamp, state->stamp_size) == 0 &&
		!ear_text_is_blank(cursor.at[state->stamp_size])) {
		cursor.at += state->stamp_size;
		head->stamped = true;
	} else {
		cause = take_stamp(state, &cursor, &head->stamped);
	}
	if (cause || ear_text_at_end(&cursor))
		return cause;

	struct ear_text_cursor at = cursor;
	head->word = ear_text_token(&at);
	head->kind = kind_of(head->word);
	if (head->kind == EAR_TARMAC_EVENT) {
		cause = take_cpu(head, state, &cursor);
		if (cause)
			return cause;
		if (head->has_cpu) {
			at = cursor;
			head->word = ear_text_token(&at);
			head->kind = head->word.size ? kind_of(head->word) : EAR_TARMAC_BLANK;
		}
	}
	ear_text_skip_blanks(&at);
	head->rest = (struct ear_text_cursor){at.at, end};
	return NULL;
}

static bool is_hex(struct ear_text word)
{
	for (size_t i = 0; i < word.size; i++)
		if (ear_hex_digit(word.text[i]) < 0)
			return false;
	return word.size > 0;
}

char ear_tarmac_implicit_set(const char *bytes, size_t size)
{
	struct ear_text_cursor text = ear_text_cursor(bytes, size);
	struct ear_tarmac_state state = {.has_time = false};
	unsigned thumb = 0, other = 0;

	while (!ear_text_at_end(&text)) {
		struct ear_text line = ear_text_until(&text, '\n'), words[3];
		struct ear_tarmac_head head;
		if (!ear_text_take(&text, '\n'))
			break;
		if (ear_tarmac_head(&head, &state, line.text, line.text + line.size) ||
			head.kind != EAR_TARMAC_INSTRUCTION)
			continue;
		if (ear_text_peek(&head.rest) == '(')
			ear_text_token(&head.rest);
		for (unsigned i = 0; i < 3; i++) {
			ear_text_skip_blanks(&head.rest);
			words[i] = ear_text_token(&head.rest);
		}
		if (!is_hex(words[0]) || !is_hex(words[1]))
			continue;
		const char set = words[2].size > 0 ? words[2].text[0] : '\0';
		if (set == '\0' || words[2].size == 1 || ear_text_is(words[2], "T16") ||
			ear_text_is(words[2], "T32"))
			other++;
		else
			thumb += words[1].size == 4;
	}
	return thumb > 0 && other == 0 ? 'T' : '\0';
}

void ear_tarmac_state_walk(struct ear_state_walk *walk, struct ear_tarmac_state *state)
{
	const size_t most = sizeof(state->names) / sizeof(state->names[0]);
	uint8_t unit_size = (uint8_t)state->unit_size, count = (uint8_t)state->name_count;

	ear_state_u8(walk, &unit_size, sizeof(state->unit));
	ear_state_bytes(walk, (uint8_t *)state->unit, sizeof(state->unit));
	ear_state_u64(walk, &state->time, UINT64_MAX);
	ear_state_bool(walk, &state->has_time);
	ear_state_bool(walk, &state->foreign_unit);
	ear_state_bool(walk, &state->cut_time);
	ear_state_u8(walk, &count, (uint8_t)most);
	for (unsigned i = 0; i < count; i++)
		ear_state_bytes(walk, (uint8_t *)state->names[i], sizeof(state->names[i]) - 1);
	if (!walk->loading)
		return;
	state->unit_size = unit_size;
	state->name_count = count;
	state->stamp_size = 0;
}
