/* Two passes over the bytes, in place, since nothing grows: characters, then prefixes of lines. The
 * state between two calls is a few bits, so that bytes may be cut anywhere. Only texts that need it
 * are passed through here.
 */
#include "decoder/text/text_clean.h"

#include <string.h>

#define LOOK_SIZE 64 /* of a UTF-16 text without a mark */
#define LINES_MAX 64
#define ESC       '\x1B'

/* Text of ASCII characters has a 0 in every other byte. */
static uint8_t find_wide(const char *bytes, size_t size)
{
	size_t even = 0, odd = 0;

	if (size >= 2 && memcmp(bytes, "\xFF\xFE", 2) == 0)
		return 1;
	if (size >= 2 && memcmp(bytes, "\xFE\xFF", 2) == 0)
		return 2;
	if (size < LOOK_SIZE)
		return 0;
	for (size_t i = 0; i < LOOK_SIZE; i += 2) {
		even += bytes[i] == '\0';
		odd += bytes[i + 1] == '\0';
	}
	return even == 0 && odd == LOOK_SIZE / 2 ? 1 : odd == 0 && even == LOOK_SIZE / 2 ? 2 : 0;
}

void ear_text_clean_look(struct ear_text_clean *clean, const char *bytes, size_t size)
{
	clean->wide = find_wide(bytes, size);
	if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
		clean->mark = 3;
	clean->on =
		clean->wide || clean->mark || memchr(bytes, ESC, size) || memchr(bytes, '\0', size);
}

/* Characters that are not of ASCII become '?', and a byte order mark nothing. */
static size_t narrow(struct ear_text_clean *clean, char *bytes, size_t size)
{
	size_t left = 0;

	for (size_t i = 0; i < size; i++) {
		const uint8_t byte = (uint8_t)bytes[i];
		if (!clean->has_half) {
			clean->half = byte;
			clean->has_half = true;
			continue;
		}
		const uint8_t low = clean->wide == 1 ? clean->half : byte;
		const uint8_t high = clean->wide == 1 ? byte : clean->half;
		clean->has_half = false;
		if (high == 0xFE && low == 0xFF)
			continue;
		bytes[left++] = high == 0 && low < 0x80 ? (char)low : '?';
	}
	return left;
}

/* Is this byte one of a sequence, "ESC [ 3 1 m"? */
static bool is_escape(struct ear_text_clean *clean, char byte)
{
	if (clean->escape == 0) {
		clean->escape = byte == ESC;
		return byte == ESC;
	}
	if (clean->escape == 1)
		clean->escape = byte == '[' ? 2 : 0;
	else if (byte == '\n' || (byte >= '@' && byte <= '~'))
		clean->escape = 0;
	return byte != '\n';
}

static size_t drop_characters(struct ear_text_clean *clean, char *bytes, size_t size)
{
	size_t left = 0;

	for (size_t i = 0; i < size; i++) {
		if (clean->mark > 0)
			clean->mark--;
		else if (!is_escape(clean, bytes[i]) && bytes[i] != '\0')
			bytes[left++] = bytes[i];
	}
	return left;
}

void ear_text_clean_set_prefix(struct ear_text_clean *clean, const char *prefix)
{
	clean->prefix_size = strlen(prefix);
	memcpy(clean->prefix, prefix, clean->prefix_size);
}

/* A line that begins otherwise stays as it is. */
size_t ear_text_clean_prefixes(struct ear_text_clean *clean, char *bytes, size_t size)
{
	size_t left = 0;

	for (size_t i = 0; i < size; i++) {
		const char byte = bytes[i];
		if (byte == '\n') {
			clean->prefix_at = 0;
			clean->prefix_ended = false;
		} else if (!clean->prefix_ended && byte == clean->prefix[clean->prefix_at]) {
			clean->prefix_ended = ++clean->prefix_at == clean->prefix_size;
			continue;
		} else {
			clean->prefix_ended = true;
		}
		bytes[left++] = byte;
	}
	return left;
}

size_t ear_text_clean_bytes(struct ear_text_clean *clean, char *bytes, size_t size)
{
	if (clean->wide)
		size = narrow(clean, bytes, size);
	if (clean->on)
		size = drop_characters(clean, bytes, size);
	return clean->prefix_size ? ear_text_clean_prefixes(clean, bytes, size) : size;
}

static bool is_prefix_of_most(const char *prefix, const char *bytes, size_t size)
{
	const size_t length = strlen(prefix);
	unsigned lines = 0, with = 0;

	for (const char *at = bytes, *end = bytes + size; at < end && lines < LINES_MAX; lines++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		with += (size_t)(end - at) >= length && memcmp(at, prefix, length) == 0;
		at = newline ? newline + 1 : end;
	}
	return with > 0 && 4 * with >= 3 * lines;
}

const char *ear_text_clean_prefix(const char *bytes, size_t size)
{
	static const char *const prefixes[] = {"# ", "#\t", "#", "// ", "//"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (is_prefix_of_most(prefixes[i], bytes, size))
			return prefixes[i];
	return NULL;
}
