/* Values of Tarmac: digits in words, unknown ones, and what producers write after them.
 *
 * A value may have several words, and a comment after it may look like digits ("__C_" of the
 * flags). So a word continues a value only if the register's width says that digits are missing,
 * or, for a register of unknown width, if it has 8 or 16 digits as such words have. A word of
 * plain digits that is neither is refused, because reading it either way could be wrong.
 */
#include "decoder/formats/tarmac/tarmac_value.h"

#include <string.h>

#include "decoder/formats/tarmac/tarmac_name.h"

static const char not_hexadecimal[] = "the register value is not a hexadecimal number";

static bool is_unknown(char c)
{
	return c == 'x' || c == 'X' || c == '-';
}

/* Digits, unknown digits, and '_' between them, as many as there are. */
static struct ear_text take_word(struct ear_text_cursor *cursor)
{
	const char *begin = cursor->at;

	while (cursor->at < cursor->end &&
		(ear_hex_digit(*cursor->at) >= 0 || is_unknown(*cursor->at) || *cursor->at == '_'))
		cursor->at++;
	return (struct ear_text){begin, (size_t)(cursor->at - begin)};
}

/* Nothing else belongs to the word before the cursor. */
static bool is_ended(const struct ear_text_cursor *cursor)
{
	return ear_text_at_end(cursor) || ear_text_is_blank(*cursor->at) || *cursor->at == ':';
}

static size_t count_digits(struct ear_text word)
{
	size_t count = 0;

	for (size_t i = 0; i < word.size; i++)
		count += word.text[i] != '_';
	return count;
}

static bool is_plain(struct ear_text word)
{
	for (size_t i = 0; i < word.size; i++)
		if (ear_hex_digit(word.text[i]) < 0)
			return false;
	return true;
}

static bool add(struct ear_tarmac_value *value, struct ear_text word)
{
	for (size_t i = 0; i < word.size; i++) {
		char c = word.text[i];
		if (c == '_')
			continue;
		if (value->count == EAR_TARMAC_DIGITS_MAX)
			return false;
		bool unknown = is_unknown(c);
		value->unknown |= unknown;
		value->any |= !unknown;
		value->digits[value->count++] = unknown ? 'x' : c;
	}
	return true;
}

/* "0x0000ab34", which is not 10 digits of which one is unknown. */
static bool has_prefix(struct ear_text word)
{
	return word.size > 2 && word.text[0] == '0' &&
	       (word.text[1] == 'x' || word.text[1] == 'X') &&
	       is_plain((struct ear_text){word.text + 2, word.size - 2});
}

static bool is_word_size(size_t digits)
{
	return digits == 8 || digits == 16;
}

/* The first word. wanted: digits of the register, 0 if they are not known. */
static const char *take_first(
	struct ear_tarmac_value *value, struct ear_text_cursor *cursor, size_t wanted)
{
	struct ear_text word = take_word(cursor);

	if (word.size == 0 && ear_text_at_end(cursor))
		return "the register has no value";
	if (!is_ended(cursor) || word.size == 0 || word.text[0] == '_')
		return not_hexadecimal;
	if (has_prefix(word)) {
		if (word.size == wanted || (wanted == 0 && is_word_size(word.size)))
			return "the register value may have a prefix or an unknown digit";
		word.text += 2;
		word.size -= 2;
	}
	return add(value, word) ? NULL : "the register value has too many digits";
}

/* The digits that the register has, less than its width if the name has a range of bits. */
static size_t wanted_digits(struct ear_text name, const struct ear_tarmac_name *known)
{
	size_t bare = ear_tarmac_bare_name(name).size;
	struct ear_text_cursor cursor = ear_text_cursor(name.text + bare, name.size - bare);
	uint64_t high, low;

	if (known->rule != EAR_TARMAC_EXACT || known->longer)
		return 0;
	if (ear_text_take(&cursor, '<') && ear_text_decimal(&cursor, &high) &&
		ear_text_take(&cursor, ':') && ear_text_decimal(&cursor, &low) && low <= high &&
		(high - low) / 4 < known->digits)
		return (size_t)((high - low) / 4 + 1);
	return known->digits;
}

static bool continues(const struct ear_tarmac_value *value, const struct ear_tarmac_name *known,
	struct ear_text word, size_t wanted)
{
	if (word.text[0] == '_')
		return false;
	if (wanted > 0)
		return value->count < wanted;
	return is_word_size(count_digits(word)) && (!known->cpsr || is_plain(word));
}

static const char *set_note(struct ear_tarmac_value *value, struct ear_text_cursor *cursor)
{
	const char *end = cursor->end;

	while (end > cursor->at && ear_text_is_blank(end[-1]))
		end--;
	value->note = (struct ear_text){cursor->at, (size_t)(end - cursor->at)};
	cursor->at = cursor->end;
	return value->note.size <= EAR_TARMAC_NOTE_MAX ? NULL
						       : "the text after the value is too long";
}

/* The next word or what follows the value. */
static const char *take_next(struct ear_tarmac_value *value, struct ear_text_cursor *cursor,
	const struct ear_tarmac_name *known, size_t wanted)
{
	bool colon = ear_text_take(cursor, ':');
	struct ear_text_cursor rest = *cursor;

	if (colon)
		ear_text_skip_blanks(cursor);
	else if (wanted > 0 && value->count >= wanted)
		return set_note(value, cursor);
	struct ear_text word = take_word(cursor);
	bool whole = word.size > 0 && is_ended(cursor);
	if (whole && (colon || continues(value, known, word, wanted)))
		return add(value, word) ? NULL : "the register value has too many digits";
	if (colon)
		return not_hexadecimal;
	if (whole && is_plain(word))
		return "what follows the value may be a part of it";
	*cursor = rest;
	return set_note(value, cursor);
}

const char *ear_tarmac_register_value(
	struct ear_tarmac_value *value, struct ear_text name, struct ear_text_cursor *cursor)
{
	const struct ear_tarmac_name known = ear_tarmac_name(name);
	size_t wanted = wanted_digits(name, &known);

	value->count = 0;
	value->unknown = value->any = false;
	value->note = (struct ear_text){NULL, 0};
	const char *cause = take_first(value, cursor, wanted);
	while (!cause) {
		ear_text_skip_blanks(cursor);
		if (ear_text_at_end(cursor))
			return NULL;
		cause = take_next(value, cursor, &known, wanted);
	}
	return cause;
}

const char *ear_tarmac_access_value(
	struct ear_tarmac_value *value, size_t size, struct ear_text_cursor *cursor)
{
	value->count = 0;
	value->unknown = value->any = false;
	for (bool first = true; !ear_text_at_end(cursor); first = false) {
		struct ear_text word = take_word(cursor);
		if (word.size == 0 || !is_ended(cursor))
			return "the data are not a hexadecimal number";
		if (first && has_prefix(word)) {
			if (word.size == 2 * size)
				return "the data may have a prefix or an unknown digit";
			word.text += 2;
			word.size -= 2;
		}
		if (!add(value, word))
			return "the data do not have the size of the access";
		ear_text_take(cursor, ':');
		ear_text_skip_blanks(cursor);
	}
	return NULL;
}

uint8_t ear_tarmac_value_byte(const struct ear_tarmac_value *value, size_t index, uint8_t *unknown)
{
	unsigned byte = 0, mask = 0;

	for (unsigned half = 0; half < 2; half++) {
		size_t digit = 2 * index + half;
		if (digit >= value->count)
			continue;
		char c = value->digits[value->count - 1 - digit];
		if (c == 'x')
			mask |= 0xFu << 4 * half;
		else
			byte |= (unsigned)ear_hex_digit(c) << 4 * half;
	}
	*unknown = (uint8_t)mask;
	return (uint8_t)byte;
}
