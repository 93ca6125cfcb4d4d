/* Text from outside, made safe to show. Nearly all of it is printable ASCII, which is checked in
 * blocks with vector instructions. Only a block that holds anything else is read character by
 * character, as UTF-8 (RFC 3629: no overlong forms, no surrogates).
 */
#include "common/printable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_SIZE 256

/* Characters without a width of their own, or that move others: a reader would not see them. */
static const struct {
	uint32_t first, last;
} unseen[] = {
	{0x80, 0x9f},                                     /* C1 */
	{0xad, 0xad},                                     /* soft hyphen */
	{0x34f, 0x34f},                                   /* combining grapheme joiner */
	{0x600, 0x605},                                   /* signs that span what follows */
	{0x61c, 0x61c},                                   /* Arabic letter mark */
	{0x6dd, 0x6dd}, {0x70f, 0x70f},                   /* Syriac abbreviation */
	{0x890, 0x891}, {0x8e2, 0x8e2}, {0x115f, 0x1160}, /* Hangul fillers */
	{0x17b4, 0x17b5},                                 /* Khmer vowels that are not seen */
	{0x180b, 0x180f},                                 /* Mongolian selectors */
	{0x200b, 0x200f},                                 /* zero width, marks of direction */
	{0x2028, 0x202e}, /* ends of lines, overrides of direction */
	{0x2060, 0x206f}, /* joiners, isolates, deprecated controls */
	{0x3164, 0x3164}, /* Hangul filler */
	{0xd800, 0xdfff}, /* surrogates */
	{0xe000, 0xf8ff}, /* private use */
	{0xfdd0, 0xfdef}, /* no characters */
	{0xfe00, 0xfe0f}, /* variation selectors */
	{0xfeff, 0xfeff}, /* byte order mark */
	{0xffa0, 0xffa0}, /* Hangul filler */
	{0xfff0, 0xfffb}, /* unassigned, annotations */
	{0xfffe, 0xffff}, /* no characters */
	{0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, /* joiners of hieroglyphs */
	{0x1bca0, 0x1bca3},                                         /* shorthand controls */
	{0x1d173, 0x1d17a},                                         /* musical controls */
	{0xe0000, 0xe0fff},                                         /* tags and selectors */
	{0xf0000, UINT32_MAX}, /* private use, whatever a font makes of it, and beyond Unicode */
};

static bool is_seen(uint32_t character)
{
	if ((character & 0xfffe) == 0xfffe)
		return false; /* the last two of each plane are no characters */
	for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++)
		if (character >= unseen[i].first && character <= unseen[i].last)
			return false;
	return true;
}

/* The size of the character that begins with this byte; 0 if none does. */
static size_t length_of(uint8_t lead)
{
	return lead < 0x80   ? 1
	       : lead < 0xc2 ? 0
	       : lead < 0xe0 ? 2
	       : lead < 0xf0 ? 3
	       : lead < 0xf5 ? 4
			     : 0;
}

/* The first character. Returns its size, with *printable; 0 if its last bytes are missing. A byte
 * that begins no character counts as one.
 */
static size_t take(bool *printable, const uint8_t *text, size_t size, enum ear_printable_kind kind)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	static const uint8_t lead_mask[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	size_t length = length_of(text[0]);
	uint32_t character;

	*printable = false;
	if (length == 0)
		return 1;
	character = text[0] & lead_mask[length];
	for (size_t i = 1; i < length; i++) {
		if (i == size)
			return 0;
		if ((text[i] & 0xc0) != 0x80)
			return 1;
		character = character << 6 | (text[i] & 0x3f);
	}
	if (length > 1) {
		*printable = character >= least[length] && is_seen(character);
		return length;
	}
	if (kind == EAR_PRINTABLE_TEXT && text[0] == '\r') {
		if (size == 1)
			return 0;
		*printable = text[1] == '\n';
		return 1;
	}
	*printable = (text[0] >= ' ' && text[0] <= '~') ||
		     (kind == EAR_PRINTABLE_TEXT && (text[0] == '\n' || text[0] == '\t'));
	return 1;
}

/* The number of the character of this size; UINT32_MAX: it is none. */
static uint32_t number_of(const uint8_t *text, size_t size)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t character = size > 1 ? text[0] & (0xffu >> (size + 1)) : text[0];

	for (size_t i = 1; i < size; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return UINT32_MAX;
		character = character << 6 | (text[i] & 0x3f);
	}
	const bool is_surrogate = character >= 0xd800 && character < 0xe000;
	return character < least[size] || is_surrogate || character > 0x10ffff ? UINT32_MAX
									       : character;
}

size_t ear_printable_json(char to[EAR_PRINTABLE_JSON_SIZE], const char *text, size_t size)
{
	const uint8_t *from = (const uint8_t *)text;
	const size_t length = length_of(from[0]);
	uint32_t character = length > 0 && length <= size ? number_of(from, length) : UINT32_MAX;
	const size_t used = character == UINT32_MAX ? 1 : length;

	if (character == UINT32_MAX)
		character = 0xdc00u + from[0];
	if (character < 0x10000)
		snprintf(to, EAR_PRINTABLE_JSON_SIZE, "\\u%04x", (unsigned)character & 0xffff);
	else
		snprintf(to, EAR_PRINTABLE_JSON_SIZE, "\\u%04x\\u%04x",
			(unsigned)(0xd800 + ((character - 0x10000) >> 10)) & 0xffff,
			(unsigned)(0xdc00 + ((character - 0x10000) & 0x3ff)) & 0xffff);
	return used;
}

typedef int8_t vector __attribute__((vector_size(16)));

static vector vector_of(char byte)
{
	int8_t b = (int8_t)byte;

	return (vector){b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
}

/* Whole blocks of printable ASCII, of lines of it if that is the kind. */
static size_t ascii_span(const uint8_t *text, size_t size, enum ear_printable_kind kind)
{
	/* In one line, newline and tab are replaced by a letter that is allowed. */
	vector newline = vector_of(kind == EAR_PRINTABLE_TEXT ? '\n' : '~');
	vector tab = vector_of(kind == EAR_PRINTABLE_TEXT ? '\t' : '~');
	vector space = vector_of(' '), last = vector_of(0x7f);
	size_t done = 0;

	for (; size - done >= BLOCK_SIZE; done += BLOCK_SIZE) {
		vector other = {0};
		uint64_t halves[2];

		for (size_t i = 0; i < BLOCK_SIZE; i += sizeof(vector)) {
			vector bytes;

			memcpy(&bytes, text + done + i, sizeof(bytes));
			/* Signed: a byte beyond ASCII is below the blank as well. */
			other |= ((bytes < space) & (bytes != newline) & (bytes != tab)) |
				 (bytes == last);
		}
		memcpy(halves, &other, sizeof(halves));
		if (halves[0] | halves[1])
			break;
	}
	return done;
}

size_t ear_printable_span(const char *text, size_t size, enum ear_printable_kind kind)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t done = 0;

	while (done < size) {
		size_t ascii = ascii_span(bytes + done, size - done, kind);
		size_t end = done + ascii + BLOCK_SIZE < size ? done + ascii + BLOCK_SIZE : size;

		done += ascii;
		while (done < end) {
			bool printable;
			size_t length = take(&printable, bytes + done, size - done, kind);
			if (length == 0 || !printable)
				return done;
			done += length;
		}
	}
	return done;
}

static const char digits[] = "0123456789abcdef";

size_t ear_printable_copy(char *to, size_t room, size_t *used, const char *text, size_t size,
	enum ear_printable_kind kind, bool final)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t done = 0, written = 0;

	for (;;) {
		size_t left = size - done < room - written ? size - done : room - written;
		size_t ascii = ascii_span(bytes + done, left, kind);
		bool printable = false;

		memcpy(to + written, text + done, ascii);
		done += ascii;
		written += ascii;
		if (done == size)
			break;
		size_t length = take(&printable, bytes + done, size - done, kind);
		if (length == 0 && !final)
			break;
		if (length == 0)
			length = 1;
		size_t longer = printable ? length : EAR_PRINTABLE_GROWTH * length;
		if (longer > room - written)
			break;
		for (size_t i = 0; i < length; i++, done++) {
			if (printable) {
				to[written++] = text[done];
				continue;
			}
			to[written++] = '\\';
			to[written++] = 'x';
			to[written++] = digits[bytes[done] >> 4];
			to[written++] = digits[bytes[done] & 15];
		}
	}
	*used = done;
	return written;
}

void ear_printable_string(char *to, size_t room, const char *text, enum ear_printable_kind kind)
{
	size_t used;

	to[ear_printable_copy(to, room - 1, &used, text, strlen(text), kind, true)] = '\0';
}
