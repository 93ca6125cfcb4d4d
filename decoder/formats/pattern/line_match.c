/* Lines against the elements of patterns.
 *
 * A group is tried once at a place, and {...} goes to the first place that has the text after it.
 * So nothing is looked at twice but what a group that fails had taken, at most the rest of the line
 * once for each group: matching is linear, without a stack or a memory of what was tried.
 *
 * Parts (a register, an access) are handed out by a second pass over a line that fits: the first
 * one finds what a line says once, as the pc, which may come after them.
 */
#include <stdio.h>
#include <string.h>

#include "decoder/formats/pattern/line_pattern_internal.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"

struct matching {
	const struct ear_line_pattern *patterns;
	struct ear_text_cursor cursor;
	const char *begin;
	struct ear_line_match *match;
	bool begun; /* something for a record was taken */
	/* Of the pattern that came furthest: */
	const char *furthest;
	const struct ear_line_element *wanted; /* NULL: the end of the line */
	uint32_t pattern;
	bool furthest_begun;
	/* Of the second pass: */
	void (*take)(void *context, const struct ear_line_part *part);
	void *context;
};

struct number {
	uint64_t value;
	size_t digits;
	bool unknown, negative, wide; /* wide: more than 64 bits */
	struct ear_text text;
};

static int digit_of(char c, char base)
{
	int digit = ear_hex_digit(c);

	return digit < (base == 'b' ? 2 : base == 'd' ? 10 : 16) ? digit : -1;
}

/* What simulators print for a digit that is not known; at the beginning, and after digits. */
static bool is_unknown(char c, bool first)
{
	return c != '\0' && strchr(first ? "xXzZuUwW?-" : "xXzZ?", c) != NULL;
}

/* Placeholders and digits up to the end of the word. */
static bool scan_unknown(struct ear_text_cursor *at, char base, char stop, bool first)
{
	if (ear_text_at_end(at) || *at->at == stop || !is_unknown(*at->at, first))
		return false;
	while (!ear_text_at_end(at) && *at->at != stop &&
		(is_unknown(*at->at, first) || digit_of(*at->at, base) >= 0))
		at->at++;
	return ear_text_at_end(at) || *at->at == stop || !ear_line_is_name(*at->at);
}

static bool scan_number(struct ear_text_cursor *cursor, char base, char stop, struct number *number)
{
	struct ear_text_cursor at = *cursor;
	const uint64_t radix = base == 'b' ? 2 : base == 'd' ? 10 : 16;
	int digit;

	*number = (struct number){0};
	ear_text_skip_blanks(&at);
	number->negative = base == 'd' && at.end - at.at > 1 && at.at[0] == '-' &&
			   ear_text_is_digit(at.at[1]) && ear_text_take(&at, '-');
	if (at.end - at.at > 2 && at.at[0] == '0' && (at.at[1] | 32) == 'x' && base != 'b' &&
		(digit_of(at.at[2], 'x') >= 0 || is_unknown(at.at[2], true))) {
		at.at += 2;
		base = 'x';
	}
	const uint64_t base_of = base == 'x' ? 16 : radix;
	const char *begin = at.at;
	for (; !ear_text_at_end(&at) && (digit = digit_of(*at.at, base)) >= 0; at.at++) {
		number->wide |= number->value > (UINT64_MAX - (unsigned)digit) / base_of;
		number->value = number->value * base_of + (unsigned)digit;
	}
	number->digits = (size_t)(at.at - begin);
	number->unknown = scan_unknown(&at, base, stop, number->digits == 0);
	number->text = (struct ear_text){begin, (size_t)(at.at - begin)};
	if (number->negative)
		number->value = 0 - number->value;
	if (base != 'x')
		number->digits = number->digits ? 1 : 0;
	if (number->digits == 0 && !number->unknown)
		return false;
	cursor->at = at.at;
	return true;
}

/* "ns" after a time. One with a fraction is in the next smaller unit, "10.50ns" is 10500 ps;
 * without a unit its fraction is 0. */
static bool take_unit(struct ear_text_cursor *cursor, struct number *number, struct ear_text *unit)
{
	static const char *const units[] = {"fs", "ps", "ns", "us", "ms", "s"};
	struct ear_text_cursor at = *cursor;
	unsigned thousandths = 0, scale = 100;
	const bool fraction = ear_text_take(&at, '.');

	for (; fraction && ear_text_is_digit(ear_text_peek(&at)); at.at++, scale /= 10) {
		if (scale == 0 && *at.at != '0')
			return false;
		thousandths += scale * (unsigned)(*at.at - '0');
	}
	cursor->at = at.at;
	ear_text_skip_blanks(&at);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		struct ear_text_cursor end = at;
		const char *name = units[i - (fraction && i > 0)];
		if (!ear_text_take_word(&end, units[i]) || ear_line_is_name(ear_text_peek(&end)))
			continue;
		*unit = (struct ear_text){name, strlen(name)};
		cursor->at = end.at;
		if (!fraction || i == 0)
			break;
		if (number->value > UINT64_MAX / 1000 - 1)
			return false;
		number->value = number->value * 1000 + thousandths;
		thousandths = 0;
	}
	return thousandths == 0;
}

static bool miss(struct matching *matching, const struct ear_line_element *wanted)
{
	if (matching->cursor.at > matching->furthest || !matching->furthest) {
		matching->furthest = matching->cursor.at;
		matching->wanted = wanted;
		matching->pattern = matching->match->pattern;
		matching->furthest_begun = matching->begun;
	}
	return false;
}

static void take_scalar(struct matching *matching, const struct ear_line_element *element,
	const struct number *number, struct ear_text text)
{
	struct ear_line_match *match = matching->match;
	const uint32_t bit = EAR_LINE_BIT(element->use);

	match->given |= bit;
	match->unknown = number->unknown ? match->unknown | bit : match->unknown & ~bit;
	match->negative = number->negative ? match->negative | bit : match->negative & ~bit;
	match->numbers[element->use] = number->value;
	match->texts[element->use] = text;
	if (element->use == EAR_LINE_PC)
		match->pc_digits = element->base == 'x' ? number->digits : 0;
	matching->begun |= !(bit & EAR_LINE_LATER);
}

static bool take_part_number(struct matching *matching, const struct ear_line_element *element,
	const struct number *number, struct ear_line_part *part)
{
	switch (element->use) {
	case EAR_LINE_USE_REGISTER:
	case EAR_LINE_USE_READ:
		if (number->value > 31)
			return false;
		part->kind = element->use == EAR_LINE_USE_READ ? EAR_LINE_READ : EAR_LINE_WRITE;
		part->reg_class =
			element->use == EAR_LINE_USE_READ ? EAR_REGISTER_X : element->reg_class;
		break;
	case EAR_LINE_USE_ACCESS: part->kind = EAR_LINE_ACCESS; break;
	case EAR_LINE_USE_LOAD: part->kind = EAR_LINE_LOAD; break;
	case EAR_LINE_USE_STORE: part->kind = EAR_LINE_STORE; break;
	case EAR_LINE_USE_SIZE:
		part->size = (uint8_t)(number->unknown || number->value > 8 ? 0 : number->value);
		return true;
	case EAR_LINE_USE_STROBE:
		part->has_strobe = !number->unknown;
		part->strobe = (uint16_t)number->value;
		return number->value <= UINT16_MAX;
	default:
		part->has_value = !number->unknown;
		part->value = number->value;
		part->negative = number->negative;
		part->digits = (uint16_t)(number->digits < UINT16_MAX ? number->digits : 0);
		part->text = number->text;
		return true;
	}
	part->known = !number->unknown;
	part->number = number->value;
	matching->begun = true;
	return true;
}

static bool take_number(struct matching *matching, const struct ear_line_element *element,
	char stop, struct ear_line_part *parts)
{
	struct ear_text_cursor at = matching->cursor;
	struct ear_text unit = {"", 0};
	struct number number;

	ear_text_skip_blanks(&matching->cursor); /* a number that is missing is missed there */
	if (!scan_number(&at, element->base, stop, &number))
		return miss(matching, element);
	const bool vector = element->use == EAR_LINE_USE_VALUE &&
			    (element->reg_class == EAR_REGISTER_V ||
				    parts[element->part].reg_class == EAR_REGISTER_V);
	if (number.wide && !vector)
		return miss(matching, element);
	if (element->use == EAR_LINE_TIME && !take_unit(&at, &number, &unit))
		return miss(matching, element);
	if (element->use == EAR_LINE_OPCODE && number.value > UINT32_MAX)
		return miss(matching, element);
	if (element->use == EAR_LINE_HART && number.value > UINT16_MAX)
		return miss(matching, element);
	if (element->use < EAR_LINE_VALUES)
		take_scalar(matching, element, &number, unit);
	else if (!take_part_number(matching, element, &number, &parts[element->part]))
		return miss(matching, element);
	matching->cursor = at;
	return true;
}

/* Three hexadecimal digits, or a name. */
static bool find_csr(struct ear_text word, uint64_t *number)
{
	struct ear_text_cursor at = ear_text_cursor(word.text, word.size);
	uint16_t found;

	if (word.size == 3 && ear_text_hex(&at, number) == 3)
		return true;
	if (!ear_riscv_find_csr(word, &found))
		return false;
	*number = found;
	return true;
}

static bool find_name(struct ear_text word, struct ear_line_part *part)
{
	enum ear_register_class reg_class;
	uint16_t number;

	if (!ear_riscv_find_register(word, &reg_class, &number)) {
		part->reg_class = EAR_REGISTER_CSR;
		return find_csr(word, &part->number);
	}
	part->reg_class = (uint8_t)reg_class;
	part->number = number;
	return true;
}

static bool take_word(struct matching *matching, const struct ear_line_element *element, char stop,
	struct ear_line_part *parts)
{
	struct ear_text_cursor at = matching->cursor;

	ear_text_skip_blanks(&at);
	matching->cursor = at;
	const char *begin = at.at;
	while (!ear_text_at_end(&at) && !ear_text_is_blank(*at.at) && *at.at != stop &&
		(element->use == EAR_LINE_USE_NOTHING || ear_line_is_name(*at.at)))
		at.at++;
	struct ear_text word = {begin, (size_t)(at.at - begin)};
	if (word.size == 0)
		return miss(matching, element);
	if (element->use == EAR_LINE_MODE)
		take_scalar(matching, element, &(struct number){0}, word);
	if (element->use == EAR_LINE_USE_NAME || element->use == EAR_LINE_USE_CSR) {
		struct ear_line_part *part = &parts[element->part];
		part->kind = EAR_LINE_WRITE;
		part->reg_class = EAR_REGISTER_CSR;
		bool found = element->use == EAR_LINE_USE_NAME ? find_name(word, part)
							       : find_csr(word, &part->number);
		if (!found)
			return miss(matching, element);
		part->known = matching->begun = true;
	}
	matching->cursor = at;
	return true;
}

/* A blank in the pattern: there is one, or was one just before, or the line begins or ends. */
static bool take_blank(struct ear_text_cursor *at, const char *begin)
{
	return ear_text_skip_blanks(at) > 0 || at->at == begin || ear_text_at_end(at) ||
	       ear_text_is_blank(at->at[-1]);
}

static bool take_literal(struct ear_text_cursor *at, const struct ear_line_element *element)
{
	if ((size_t)(at->end - at->at) < element->size ||
		memcmp(at->at, element->text, element->size) != 0)
		return false;
	at->at += element->size;
	return true;
}

/* Everything before the text that comes next: i is the element after it. A run of blanks is
 * looked at once. */
static bool take_any(struct matching *matching, const struct ear_line_element *element, uint32_t i,
	const struct ear_line_form *pattern)
{
	const struct ear_line_element *elements = matching->patterns->elements;
	struct ear_text_cursor *cursor = &matching->cursor;
	const char *begin = cursor->at;
	const bool blank = i < pattern->end && elements[i].kind == EAR_LINE_BLANK;
	const struct ear_line_element *text = &elements[i + blank];

	if (i == pattern->end)
		cursor->at = cursor->end;
	while (i < pattern->end) {
		struct ear_text_cursor at = *cursor;
		if ((!blank || take_blank(&at, matching->begin)) && take_literal(&at, text))
			break;
		if (ear_text_at_end(cursor)) {
			cursor->at = begin;
			return miss(matching, text);
		}
		cursor->at = blank && at.at > cursor->at ? at.at : cursor->at + 1;
	}
	struct ear_text taken = {begin, (size_t)(cursor->at - begin)};
	while (taken.size > 0 && ear_text_is_blank(taken.text[0])) {
		taken.text++;
		taken.size--;
	}
	while (taken.size > 0 && ear_text_is_blank(taken.text[taken.size - 1]))
		taken.size--;
	if (element->use == EAR_LINE_DISASM)
		take_scalar(matching, element, &(struct number){0}, taken);
	return true;
}

static void hand_out(
	struct matching *matching, const struct ear_line_part *parts, uint8_t *from, uint8_t to)
{
	for (; *from < to; ++*from)
		if (matching->take)
			matching->take(matching->context, &parts[*from]);
}

static bool match_element(struct matching *matching, uint32_t i,
	const struct ear_line_form *pattern, struct ear_line_part *parts)
{
	const struct ear_line_element *element = &matching->patterns->elements[i];
	const struct ear_line_element *next = element + 1;
	const char stop =
		i + 1 < pattern->end && next->kind == EAR_LINE_LITERAL ? next->text[0] : '\0';

	switch (element->kind) {
	case EAR_LINE_LITERAL:
		return take_literal(&matching->cursor, element) || miss(matching, element);
	case EAR_LINE_BLANK:
		return take_blank(&matching->cursor, matching->begin) || miss(matching, element);
	case EAR_LINE_NUMBER: return take_number(matching, element, stop, parts);
	case EAR_LINE_WORD: return take_word(matching, element, stop, parts);
	default: return take_any(matching, element, i + 1, pattern);
	}
}

/* Once. Nothing of it counts if it does not fit. */
static bool try_group(struct matching *matching, const struct ear_line_element *group,
	const struct ear_line_form *pattern)
{
	const uint32_t before = matching->match->given, unknown = matching->match->unknown;
	const struct ear_text_cursor cursor = matching->cursor;
	const bool begun = matching->begun;
	struct ear_line_part parts[EAR_LINE_PARTS_MAX];
	uint32_t i = (uint32_t)(group - matching->patterns->elements) + 1;
	uint8_t given = 0;

	memset(parts, 0, group->parts * sizeof(parts[0]));
	while (i < group->end && match_element(matching, i, pattern, parts))
		i++;
	if (i == group->end && matching->cursor.at > cursor.at) {
		hand_out(matching, parts, &given, group->parts);
		return true;
	}
	matching->match->given = before;
	matching->match->unknown = unknown;
	matching->cursor = cursor;
	matching->begun = begun;
	return false;
}

static bool run(struct matching *matching, const struct ear_line_form *pattern)
{
	const struct ear_line_element *elements = matching->patterns->elements;
	struct ear_line_part parts[EAR_LINE_PARTS_MAX];
	uint8_t given = 0;

	memset(parts, 0, pattern->parts * sizeof(parts[0]));
	for (uint32_t i = pattern->begin; i < pattern->end;) {
		const struct ear_line_element *element = &elements[i];
		if (element->kind < EAR_LINE_OPTIONAL) {
			if (!match_element(matching, i++, pattern, parts))
				return false;
			continue;
		}
		hand_out(matching, parts, &given, element->part);
		while (try_group(matching, element, pattern) && element->kind == EAR_LINE_REPEATED)
			;
		i = element->end;
	}
	ear_text_skip_blanks(&matching->cursor);
	if (!ear_text_at_end(&matching->cursor))
		return miss(matching, NULL);
	hand_out(matching, parts, &given, pattern->parts);
	return true;
}

static void begin_line(struct matching *matching, struct ear_text line)
{
	matching->cursor = ear_text_cursor(line.text, line.size);
	matching->begin = line.text;
	matching->begun = false;
	matching->match->given = matching->match->unknown = 0;
	matching->match->pc_digits = 0;
	ear_text_skip_blanks(&matching->cursor);
}

static void describe(const struct matching *matching)
{
	struct ear_line_match *match = matching->match;
	const struct ear_line_element *wanted = matching->wanted;
	const int size = wanted ? (int)(wanted->size < 40 ? wanted->size : 40) : 0;
	const size_t room = sizeof(match->expected);

	match->pattern = matching->pattern;
	match->begun = matching->furthest_begun;
	match->column = (size_t)(matching->furthest - matching->begin) + 1;
	if (!wanted)
		snprintf(match->expected, room, "the end of the line");
	else if (wanted->kind == EAR_LINE_BLANK)
		snprintf(match->expected, room, "a blank");
	else if (wanted->kind == EAR_LINE_LITERAL)
		snprintf(match->expected, room, "'%.*s'", size, wanted->text);
	else
		snprintf(match->expected, room, "%s for %.*s",
			wanted->kind == EAR_LINE_WORD ? "a word"
			: wanted->base == 'x'         ? "a hexadecimal number"
			: wanted->base == 'd'         ? "a decimal number"
						      : "a binary number",
			size, wanted->text);
}

bool ear_line_match(
	const struct ear_line_pattern *patterns, struct ear_text line, struct ear_line_match *match)
{
	struct matching matching = {.patterns = patterns, .match = match};

	for (uint32_t i = 0; i < patterns->count; i++) {
		begin_line(&matching, line);
		match->pattern = i + 1;
		if (!run(&matching, &patterns->patterns[i]))
			continue;
		match->role = patterns->patterns[i].role;
		return true;
	}
	describe(&matching);
	return false;
}

void ear_line_parts(const struct ear_line_pattern *patterns, struct ear_text line,
	const struct ear_line_match *match,
	void (*take)(void *context, const struct ear_line_part *part), void *context)
{
	struct ear_line_match unwanted = {.pattern = match->pattern};
	struct matching matching = {
		.patterns = patterns, .match = &unwanted, .take = take, .context = context};

	begin_line(&matching, line);
	run(&matching, &patterns->patterns[match->pattern - 1]);
}
