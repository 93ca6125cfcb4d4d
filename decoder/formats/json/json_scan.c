/* JSON from one line, step by step: the caller asks for what it expects.
 *
 * There is no tree and no recursion, so nothing is allocated for a value and no input can exhaust
 * the stack; a value that is skipped may nest DEPTH_MAX deep. A fault is kept, and all later steps
 * fail: callers check once, at the end.
 */
#include "decoder/formats/json/json_scan.h"

#include <string.h>

#include "decoder/text/char_mask.h"
#include "decoder/text/number_scan.h"

#define DEPTH_MAX 64 /* of values that are skipped */

static bool fail(struct ear_json_scan *scan, const char *fault)
{
	if (!scan->fault)
		scan->fault = fault;
	return false;
}

/* Blanks, then the character here; 0 at the end or after a fault. */
static char look(struct ear_json_scan *scan)
{
	if (scan->fault)
		return '\0';
	if (scan->cursor.at<scan->cursor.end && * scan->cursor.at> ' ') /* most often */
		return *scan->cursor.at;
	while (ear_text_skip_blanks(&scan->cursor) || ear_text_take(&scan->cursor, '\r'))
		;
	return ear_text_peek(&scan->cursor);
}

bool ear_json_begin(struct ear_json_scan *scan, char bracket)
{
	if (look(scan) != bracket)
		return fail(scan, bracket == '{' ? "an object is missing" : "an array is missing");
	scan->cursor.at++;
	scan->first = true;
	return true;
}

/* The comma before all but the first, or the end. */
static bool go_on(struct ear_json_scan *scan, char end)
{
	char here = look(scan);

	if (here == end) {
		scan->cursor.at++;
		scan->first = false;
		return false;
	}
	if (scan->first) {
		scan->first = false;
		return !scan->fault;
	}
	if (here != ',')
		return fail(scan, "a comma is missing");
	scan->cursor.at++;
	return true;
}

bool ear_json_member(struct ear_json_scan *scan, struct ear_text *key)
{
	if (!go_on(scan, '}') || !ear_json_string(scan, key))
		return false;
	if (look(scan) != ':')
		return fail(scan, "a colon is missing");
	scan->cursor.at++;
	return true;
}

bool ear_json_element(struct ear_json_scan *scan)
{
	return go_on(scan, ']');
}

/* The four digits of \uXXXX. */
static bool take_unit(struct ear_text_cursor *cursor, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		int digit = cursor->at < cursor->end ? ear_hex_digit(*cursor->at) : -1;
		if (digit < 0)
			return false;
		*unit = *unit << 4 | (unsigned)digit;
		cursor->at++;
	}
	return true;
}

static char *put_utf8(char *at, uint32_t character)
{
	if (character < 0x80) {
		*at++ = (char)character;
	} else if (character < 0x800) {
		*at++ = (char)(0xC0 | character >> 6);
		*at++ = (char)(0x80 | (character & 0x3F));
	} else if (character < 0x10000) {
		*at++ = (char)(0xE0 | character >> 12);
		*at++ = (char)(0x80 | (character >> 6 & 0x3F));
		*at++ = (char)(0x80 | (character & 0x3F));
	} else {
		*at++ = (char)(0xF0 | character >> 18);
		*at++ = (char)(0x80 | (character >> 12 & 0x3F));
		*at++ = (char)(0x80 | (character >> 6 & 0x3F));
		*at++ = (char)(0x80 | (character & 0x3F));
	}
	return at;
}

/* After "\u": one unit, a pair of surrogates, or a byte that was no UTF-8. */
static char *take_unicode(char *at, struct ear_text_cursor *cursor)
{
	uint32_t unit, low;

	if (!take_unit(cursor, &unit))
		return NULL;
	if (unit >= 0xDC80 && unit <= 0xDCFF) {
		*at++ = (char)(unit - 0xDC00);
		return at;
	}
	if (unit >= 0xDC00 && unit <= 0xDFFF)
		return NULL;
	if (unit < 0xD800 || unit > 0xDBFF)
		return put_utf8(at, unit);
	if (!ear_text_take_word(cursor, "\\u") || !take_unit(cursor, &low) || low < 0xDC00 ||
		low > 0xDFFF)
		return NULL;
	return put_utf8(at, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
}

/* One escape after the backslash. Returns the end, or NULL. */
static char *take_escape(char *at, struct ear_text_cursor *cursor)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	char letter = ear_text_peek(cursor);
	const char *found = letter ? strchr(letters, letter) : NULL;

	if (letter == '\0')
		return NULL;
	cursor->at++;
	if (letter == 'u')
		return take_unicode(at, cursor);
	if (!found)
		return NULL;
	*at++ = meanings[found - letters];
	return at;
}

/* A string is never longer than its escapes. */
static bool unescape(struct ear_json_scan *scan, struct ear_text raw, struct ear_text *string)
{
	struct ear_text_cursor cursor = ear_text_cursor(raw.text, raw.size);
	char *begin = ear_record_builder_text(scan->builder, raw.size);
	char *at = begin;

	if (!begin)
		return fail(scan, "the record has too much text");
	while (!ear_text_at_end(&cursor)) {
		if (*cursor.at != '\\') {
			*at++ = *cursor.at++;
			continue;
		}
		cursor.at++;
		at = take_escape(at, &cursor);
		if (!at)
			return fail(scan, "a string has an escape that JSON does not know");
	}
	*string = (struct ear_text){begin, (size_t)(at - begin)};
	return true;
}

/* The first character that is a quote, a backslash or a control character, or the end. */
static const char *skip_plain(const char *at, const char *end)
{
	for (; at < end; at += 32) {
		const uint32_t marks = ear_string_mask_32(at);
		if (marks == 0)
			continue;
		at += __builtin_ctz(marks);
		break;
	}
	return at < end ? at : end;
}

bool ear_json_string(struct ear_json_scan *scan, struct ear_text *string)
{
	if (look(scan) != '"')
		return fail(scan, "a string is missing");
	const char *begin = ++scan->cursor.at;
	const char *at = skip_plain(begin, scan->cursor.end);
	bool escapes = false;

	for (; at < scan->cursor.end && *at != '"'; at++) {
		if (*at == '\\') {
			escapes = true;
			at++;
		}
		if (at < scan->cursor.end && (unsigned char)*at < ' ')
			return fail(scan, "a string holds a control character");
	}
	if (at >= scan->cursor.end)
		return fail(scan, "a string has no end");
	scan->cursor.at = at + 1;
	*string = (struct ear_text){begin, (size_t)(at - begin)};
	return !escapes || unescape(scan, *string, string);
}

/* "0x..." or decimal digits, and nothing after. */
static bool parse_number(struct ear_text_cursor cursor, uint64_t *value)
{
	return (ear_text_0x(&cursor, value) || ear_text_decimal(&cursor, value)) &&
	       ear_text_at_end(&cursor);
}

/* "0x80000000", as all the others have it; false: it is to be looked at again. */
static bool take_hex(struct ear_json_scan *scan, uint64_t *value)
{
	const char *at = scan->cursor.at, *end = scan->cursor.end;
	uint64_t number;

	if (end - at < 5 || at[1] != '0' || at[2] != 'x')
		return false;
	const unsigned digits = ear_hex_scan(at + 3, &number);
	if (digits == 0 || (size_t)(end - at) < digits + 4 || at[3 + digits] != '"')
		return false;
	scan->cursor.at = at + digits + 4;
	*value = number;
	return true;
}

bool ear_json_number(struct ear_json_scan *scan, uint64_t *value, uint64_t limit)
{
	struct ear_text string;
	const char here = look(scan);

	if (here == '"' && take_hex(scan, value))
		return *value <= limit || fail(scan, "a number is out of range");
	if (here == '"') {
		if (!ear_json_string(scan, &string))
			return false;
		if (!parse_number(ear_text_cursor(string.text, string.size), value))
			return fail(scan, "a string is not a number");
	} else if (!ear_text_decimal(&scan->cursor, value)) {
		return fail(scan, "a number is missing or too large");
	} else if (!ear_text_at_end(&scan->cursor) && *scan->cursor.at != ',' &&
		   memchr(".eE", *scan->cursor.at, 4)) {
		return fail(scan, "a number has a fraction or an exponent");
	}
	return *value <= limit || fail(scan, "a number is out of range");
}

bool ear_json_bool(struct ear_json_scan *scan, bool *value)
{
	look(scan);
	if (!scan->fault && ear_text_take_word(&scan->cursor, "true"))
		*value = true;
	else if (!scan->fault && ear_text_take_word(&scan->cursor, "false"))
		*value = false;
	else
		return fail(scan, "a value is neither true nor false");
	return true;
}

/* A number of any form, or a word. */
static bool skip_scalar(struct ear_json_scan *scan)
{
	const char *begin = scan->cursor.at;

	while (scan->cursor.at < scan->cursor.end && ear_text_is_digit(*scan->cursor.at))
		scan->cursor.at++;
	if (scan->cursor.at < scan->cursor.end && *scan->cursor.at == ',' &&
		scan->cursor.at > begin)
		return true;
	scan->cursor.at = begin;
	if (ear_text_take_word(&scan->cursor, "true") ||
		ear_text_take_word(&scan->cursor, "false") ||
		ear_text_take_word(&scan->cursor, "null"))
		return true;
	while (scan->cursor.at < scan->cursor.end &&
		(ear_text_is_digit(*scan->cursor.at) ||
			(*scan->cursor.at && strchr("+-.eE", *scan->cursor.at))))
		scan->cursor.at++;
	return scan->cursor.at > begin || fail(scan, "a value is missing");
}

bool ear_json_skip(struct ear_json_scan *scan)
{
	char brackets[DEPTH_MAX];
	unsigned depth = 0;
	struct ear_text text;
	const char first = look(scan);

	if (first == '"')
		return ear_json_string(scan, &text);
	if (first != '{' && first != '[')
		return skip_scalar(scan);
	do {
		char here = look(scan);
		if (here == '{' || here == '[') {
			if (depth == DEPTH_MAX)
				return fail(scan, "values are nested too deeply");
			brackets[depth++] = here;
			ear_json_begin(scan, here);
		} else if (here == '"' ? !ear_json_string(scan, &text) : !skip_scalar(scan)) {
			return false;
		}
		/* Close what ends here. */
		while (depth > 0) {
			bool more = brackets[depth - 1] == '{' ? ear_json_member(scan, &text)
							       : ear_json_element(scan);
			if (scan->fault)
				return false;
			if (more)
				break;
			depth--;
		}
	} while (depth > 0);
	return !scan->fault;
}

bool ear_json_end(struct ear_json_scan *scan)
{
	look(scan);
	if (scan->fault)
		return false;
	return ear_text_at_end(&scan->cursor) || fail(scan, "something follows the object");
}
