#ifndef EAR_TEXT_CURSOR_H
#define EAR_TEXT_CURSOR_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/hex.h"
#include "decoder/text/number_scan.h"

/* What is left of a text, for readers: small steps that succeed and move on, or fail and leave the
 * cursor where it is.
 */
struct ear_text_cursor {
	const char *at, *end;
};

static inline struct ear_text_cursor ear_text_cursor(const char *text, size_t size)
{
	/* Nothing may be added to NULL, not even 0. */
	return (struct ear_text_cursor){text, size > 0 ? text + size : text};
}

static inline bool ear_text_at_end(const struct ear_text_cursor *cursor)
{
	return cursor->at == cursor->end;
}

/* The character here, 0 at the end. */
static inline char ear_text_peek(const struct ear_text_cursor *cursor)
{
	return cursor->at < cursor->end ? *cursor->at : '\0';
}

static inline bool ear_text_take(struct ear_text_cursor *cursor, char character)
{
	if (cursor->at == cursor->end || *cursor->at != character)
		return false;
	cursor->at++;
	return true;
}

static inline bool ear_text_take_word(struct ear_text_cursor *cursor, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(cursor->end - cursor->at) < size || memcmp(cursor->at, word, size) != 0)
		return false;
	cursor->at += size;
	return true;
}

static inline bool ear_text_is_blank(char character)
{
	return character == ' ' || character == '\t';
}

static inline bool ear_text_is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* Skip blanks and tabs. Returns how many. */
static inline size_t ear_text_skip_blanks(struct ear_text_cursor *cursor)
{
	const char *begin = cursor->at;

	while (cursor->at < cursor->end && ear_text_is_blank(*cursor->at))
		cursor->at++;
	return (size_t)(cursor->at - begin);
}

/* Everything up to the next stop, which is not taken, or to the end. */
static inline struct ear_text ear_text_until(struct ear_text_cursor *cursor, char stop)
{
	const char *begin = cursor->at;
	const char *found = memchr(begin, stop, (size_t)(cursor->end - begin));

	cursor->at = found ? found : cursor->end;
	return (struct ear_text){begin, (size_t)(cursor->at - begin)};
}

/* Everything up to the next blank or tab, which is not taken, or to the end. */
static inline struct ear_text ear_text_token(struct ear_text_cursor *cursor)
{
	const char *begin = cursor->at;

	while (cursor->at < cursor->end && !ear_text_is_blank(*cursor->at))
		cursor->at++;
	return (struct ear_text){begin, (size_t)(cursor->at - begin)};
}

static inline bool ear_text_is(struct ear_text text, const char *word)
{
	if (text.size == 0)
		return word[0] == '\0';
	return text.text[0] == word[0] && /* most words differ here */
	       text.size == strlen(word) && memcmp(text.text, word, text.size) == 0;
}

/* A hexadecimal number without prefix. Returns the count of its digits, leading zeros
 * included; 0 if there is none or the value has more than 64 bits.
 */
static inline size_t ear_text_hex(struct ear_text_cursor *cursor, uint64_t *value)
{
	const char *at = cursor->at;
	uint64_t sum = 0;
	int digit;

	if (cursor->end - at > EAR_HEX_SCAN_SIZE) { /* all of them at once */
		unsigned count = ear_hex_scan(at, &sum);
		if (count < EAR_HEX_SCAN_SIZE || ear_hex_digit(at[count]) < 0) {
			if (count > 0)
				*value = sum;
			cursor->at += count;
			return count;
		}
		sum = 0;
	}
	for (; at < cursor->end && (digit = ear_hex_digit(*at)) >= 0; at++) {
		if (sum >> 60)
			return 0;
		sum = sum << 4 | (unsigned)digit;
	}
	size_t digits = (size_t)(at - cursor->at);
	if (digits > 0) {
		cursor->at = at;
		*value = sum;
	}
	return digits;
}

/* As ear_text_hex, but of at most 16 digits, and faster. EAR_TEXT_SLACK bytes after the end are
 * readable, and the first of them is not a digit. Without a result *value means nothing.
 */
static inline unsigned ear_text_hex_16(struct ear_text_cursor *cursor, uint64_t *value)
{
	unsigned digits = ear_hex_scan(cursor->at, value);

	if (digits == EAR_HEX_SCAN_SIZE && ear_hex_digit(cursor->at[digits]) >= 0)
		return 0;
	cursor->at += digits;
	return digits;
}

/* The same with "0x" in front. */
static inline size_t ear_text_0x(struct ear_text_cursor *cursor, uint64_t *value)
{
	struct ear_text_cursor after = *cursor;

	if (!ear_text_take_word(&after, "0x") && !ear_text_take_word(&after, "0X"))
		return 0;
	size_t digits = ear_text_hex(&after, value);
	if (digits > 0)
		*cursor = after;
	return digits;
}

static inline bool ear_text_is_placeholder(char character)
{
	switch (character) {
	case 'x':
	case 'X':
	case 'z':
	case 'Z':
	case '?':
	case '-': return true;
	default: return false;
	}
}

/* Digits of which some or all are placeholders of unknown ones: "XXXX", "????1234", "--------", as
 * simulators and tracers print them, after "0x" if there is one. Returns how many digits it has; 0
 * if it is something else.
 */
static inline size_t ear_text_placeholder(struct ear_text_cursor *cursor)
{
	const char *at = cursor->at;
	bool found = false;

	if (cursor->end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	const char *begin = at;
	for (; at < cursor->end; at++) {
		if (ear_hex_digit(*at) >= 0)
			continue;
		if (!ear_text_is_placeholder(*at))
			break;
		found = true;
	}
	if (!found)
		return 0;
	cursor->at = at;
	return (size_t)(at - begin);
}

/* A decimal number. Returns false if there is none or it has more than 64 bits. Only digits after
 * the 18th can make it too large. */
static inline bool ear_text_decimal(struct ear_text_cursor *cursor, uint64_t *value)
{
	const char *at = cursor->at;
	const char *safe_end = cursor->end - at > 18 ? at + 18 : cursor->end;
	uint64_t sum = 0;

	for (; at < safe_end && ear_text_is_digit(*at); at++)
		sum = sum * 10 + (unsigned)(*at - '0');
	for (; at < cursor->end && ear_text_is_digit(*at); at++) {
		unsigned digit = (unsigned)(*at - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	if (at == cursor->at)
		return false;
	cursor->at = at;
	*value = sum;
	return true;
}

#endif
