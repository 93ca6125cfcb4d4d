/* Texts of a report: names and messages come from traces, programs and file names, and may hold
 * anything. All of them become ASCII that ends neither a string nor an element: a byte that is no
 * character becomes U+FFFD, and what is not ASCII, or JSON and HTML read as their own, is escaped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/base/utf8.h"
#include "cli/commands/report/report.h"

#define REPLACEMENT 0xfffdu

/* The next character, a byte that is none, or NULL at the end: its size in *size, 0 of the latter.
 */
static const unsigned char *next_character(const unsigned char **text, size_t *size)
{
	const unsigned char *at = *text;

	if (!*at)
		return NULL;
	*size = ear_utf8_size(at);
	*text = at + (*size > 0 ? *size : 1);
	return at;
}

/* The number of a character of UTF-8; size 0: it is none. */
static uint32_t number_of(const unsigned char *at, size_t size)
{
	static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t number = at[0] & masks[size];

	for (size_t i = 1; i < size; i++)
		number = number << 6 | (at[i] & 0x3f);
	return size > 0 ? number : REPLACEMENT;
}

static void put_json_number(FILE *file, uint32_t number)
{
	if (number < 0x10000)
		fprintf(file, "\\u%04" PRIx32, number);
	else
		fprintf(file, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + ((number - 0x10000) >> 10),
			0xdc00 + ((number - 0x10000) & 0x3ff));
}

static void put_json_part(FILE *file, const char *text)
{
	const unsigned char *from = (const unsigned char *)text, *at;
	size_t size;

	while ((at = next_character(&from, &size))) {
		const uint32_t number = number_of(at, size);
		if (number < ' ' || number >= 0x7f || strchr("<>&", *at))
			put_json_number(file, number);
		else if (*at == '"' || *at == '\\')
			fprintf(file, "\\%c", *at);
		else
			fputc(*at, file);
	}
}

void report_put_json(FILE *file, const char *text)
{
	fputc('"', file);
	put_json_part(file, text);
	fputc('"', file);
}

void report_put_html(FILE *file, const char *text)
{
	const unsigned char *from = (const unsigned char *)text, *at;
	size_t size;

	while ((at = next_character(&from, &size))) {
		const uint32_t number = number_of(at, size);
		if (number < ' ' || (number >= 0x7f && number < 0xa0))
			fprintf(file, "&#%u;", REPLACEMENT);
		else if (number >= 0x7f || strchr("<>&\"'", *at))
			fprintf(file, "&#%" PRIu32 ";", number);
		else
			fputc(*at, file);
	}
}

/* Characters that no shell reads as its own. */
static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./:=,+@%^-";

	return word[0] && word[strspn(word, plain)] == '\0';
}

void report_put_command(FILE *file, const char *const *words, size_t count)
{
	fputc('"', file);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			fputc(' ', file);
		if (is_plain(words[i])) {
			fputs(words[i], file);
			continue;
		}
		char one[2] = {0, 0};
		fputc('\'', file);
		for (const char *at = words[i]; *at; at++) {
			const size_t run = strcspn(at, "'");
			char *part = strndup(at, run);
			put_json_part(file, part ? part : "");
			free(part);
			at += run;
			if (!*at)
				break;
			one[0] = *at;
			fputs("'\\\\", file);
			fputs(one, file);
			fputc('\'', file);
		}
		fputc('\'', file);
	}
	fputc('"', file);
}
