/* Part files: lines of words to a stream, and from it. Each number is checked where it is read, so
 * what reads a count never sees one that is out of its range.
 */
#include "analyses/base/part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing. ---- */

void ear_part_write(struct ear_part_writer *writer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(writer->file, format, arguments);
	va_end(arguments);
	fputc('\n', writer->file);
	writer->lines++;
}

void ear_part_begin_line(struct ear_part_writer *writer, const char *word)
{
	ear_part_end_line(writer);
	fputs(word, writer->file);
	writer->in_line = true;
}

void ear_part_end_line(struct ear_part_writer *writer)
{
	if (!writer->in_line)
		return;
	fputc('\n', writer->file);
	writer->in_line = false;
	writer->lines++;
}

/* By hand: a part may have a million of them, and printf takes most of the time. */
void ear_part_write_decimal(struct ear_part_writer *writer, uint64_t number)
{
	char text[24], *at = text + sizeof(text);

	do
		*--at = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	*--at = ' ';
	fwrite(at, 1, (size_t)(text + sizeof(text) - at), writer->file);
}

void ear_part_write_hex(struct ear_part_writer *writer, uint64_t number)
{
	char text[24], *at = text + sizeof(text);

	do
		*--at = "0123456789abcdef"[number & 15];
	while ((number >>= 4) > 0);
	*--at = 'x';
	*--at = '0';
	*--at = ' ';
	fwrite(at, 1, (size_t)(text + sizeof(text) - at), writer->file);
}

enum {
	MISSING_UNKNOWN = 1,
	MISSING_NO_START = 2,
	MISSING_NO_END = 4,
	MISSING_WRONG = 8,
	MISSING_FAULT = 16,
	MISSING_MEANT_END = 32,
	MISSING_ALL = 63
};

static void write_missing(struct ear_part_writer *writer, const struct ear_missing *missing)
{
	const unsigned flags = (missing->unknown ? MISSING_UNKNOWN : 0u) |
			       (missing->no_start ? MISSING_NO_START : 0u) |
			       (missing->no_end ? MISSING_NO_END : 0u) |
			       (missing->wrong ? MISSING_WRONG : 0u) |
			       (missing->fault ? MISSING_FAULT : 0u) |
			       (missing->meant_end ? MISSING_MEANT_END : 0u);

	ear_part_write(writer,
		"missing %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64,
		missing->verdict, flags, missing->records, missing->gaps, missing->lost,
		missing->missing, missing->lines, missing->bytes, missing->first);
}

void ear_part_write_head(
	struct ear_part_writer *writer, FILE *file, const struct ear_part_head *head)
{
	*writer = (struct ear_part_writer){.file = file};
	ear_part_write(writer, "earshot-part %u %s", EAR_PART_VERSION, head->analysis);
	ear_part_write(writer, "options %s", head->options);
	ear_part_write(writer, "trace %s", head->trace);
	ear_part_write(writer, "program %s %s", head->program_sha256, head->program);
	ear_part_write(writer, "records %" PRIu64 " %" PRIu64 " %" PRIu64, head->begin, head->end,
		head->size);
	write_missing(writer, &head->missing);
}

void ear_part_write_end(struct ear_part_writer *writer)
{
	ear_part_end_line(writer);
	fprintf(writer->file, "end %" PRIu64 "\n", writer->lines);
}

void ear_part_quote(char *word, size_t size, const char *text)
{
	const bool is_dash = strcmp(text, "-") == 0;
	size_t used = 0;

	for (; *text && used + 4 < size; text++) {
		const uint8_t byte = (uint8_t)*text;
		if (byte > ' ' && byte < 0x7f && byte != '%' && !is_dash)
			word[used++] = *text;
		else
			used += (size_t)snprintf(word + used, 4, "%%%02x", byte);
	}
	if (used == 0)
		word[used++] = '-';
	word[used] = '\0';
}

uint64_t ear_part_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* ---- Reading. ---- */

bool ear_part_fail(struct ear_part_reader *reader, const char *what)
{
	snprintf(
		reader->error, sizeof(reader->error), "line %" PRIu64 ": %s", reader->number, what);
	return false;
}

/* The next word of the line, cut off; NULL: there is none. */
static char *take_word(struct ear_part_reader *reader)
{
	char *word = reader->at;

	if (!*word)
		return NULL;
	reader->at += strcspn(word, " ");
	if (*reader->at)
		*reader->at++ = '\0';
	return word;
}

static bool read_line(struct ear_part_reader *reader)
{
	reader->number++;
	reader->at = reader->line;
	if (!fgets(reader->line, (int)EAR_PART_LINE_MAX + 1, reader->file)) {
		reader->line[0] = '\0';
		return ear_part_fail(reader, ferror(reader->file)
						     ? strerror(errno)
						     : "the file ends here, before its end line");
	}
	size_t size = strlen(reader->line);
	if (size == 0 || reader->line[size - 1] != '\n')
		return ear_part_fail(reader, "it is cut, or too long");
	reader->line[size - 1] = '\0';
	return true;
}

bool ear_part_number(struct ear_part_reader *reader, uint64_t *number, uint64_t max)
{
	const char *word = take_word(reader);
	char *end;

	errno = 0;
	*number = 0;
	if (!word || *word < '0' || *word > '9')
		return ear_part_fail(reader, "a number is missing");
	*number = strtoull(word, &end, 0);
	if (*end || errno || *number > max)
		return ear_part_fail(reader, "a number is wrong");
	return true;
}

bool ear_part_numbers(struct ear_part_reader *reader, uint64_t *numbers, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!ear_part_number(reader, &numbers[i], UINT64_MAX))
			return false;
	return true;
}

bool ear_part_rest(struct ear_part_reader *reader, const char **text)
{
	*text = reader->at;
	reader->at += strlen(reader->at);
	return true;
}

/* Its value; -1: it is no hexadecimal digit. */
static int digit_of(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool ear_part_text(struct ear_part_reader *reader, char *text, size_t size)
{
	const char *word = take_word(reader);
	size_t used = 0;

	if (!word)
		return ear_part_fail(reader, "a text is missing");
	if (strcmp(word, "-") == 0)
		word = "";
	for (; *word; word++) {
		int high = 0, low = (unsigned char)*word;
		if (*word == '%') {
			high = digit_of(word[1]);
			low = high < 0 ? -1 : digit_of(word[2]);
			word += 2;
		}
		if (high < 0 || low < 0 || 16 * high + low == 0 || used + 1 >= size)
			return ear_part_fail(reader, "a text is wrong, or too long");
		text[used++] = (char)(16 * high + low);
	}
	text[used] = '\0';
	return true;
}

bool ear_part_line_ended(const struct ear_part_reader *reader)
{
	return !*reader->at;
}

bool ear_part_next(struct ear_part_reader *reader, const char **word)
{
	uint64_t lines;

	*word = NULL;
	if (reader->ended)
		return true;
	if (!read_line(reader))
		return false;
	*word = take_word(reader);
	if (!*word)
		return ear_part_fail(reader, "it is empty");
	if (strcmp(*word, "end") != 0)
		return true;
	*word = NULL;
	reader->ended = true;
	if (!ear_part_number(reader, &lines, UINT64_MAX))
		return false;
	return lines == reader->number - 1 || ear_part_fail(reader, "lines before it are missing");
}

/* The line that begins with a word, and its words, the last of which is the rest. */
static bool expect(struct ear_part_reader *reader, const char *name)
{
	const char *word;

	if (!ear_part_next(reader, &word))
		return false;
	return (word && strcmp(word, name) == 0) ||
	       ear_part_fail(reader, "it is not what has to come here");
}

static bool take_text(struct ear_part_reader *reader, char *text, size_t size, bool rest)
{
	const char *word = rest ? reader->at : take_word(reader);

	if (!word || !*word || strlen(word) >= size)
		return ear_part_fail(reader, "a word is missing, or too long");
	memcpy(text, word, strlen(word) + 1);
	return true;
}

static bool take_missing(struct ear_part_reader *reader, struct ear_missing *missing)
{
	uint64_t numbers[9];

	if (!expect(reader, "missing") || !ear_part_numbers(reader, numbers, 9))
		return false;
	if (numbers[0] > EAR_DAMAGED || numbers[1] > MISSING_ALL)
		return ear_part_fail(reader, "a number is too high");
	*missing = (struct ear_missing){.size = sizeof(*missing),
		.verdict = (unsigned)numbers[0],
		.unknown = numbers[1] & MISSING_UNKNOWN,
		.no_start = numbers[1] & MISSING_NO_START,
		.no_end = numbers[1] & MISSING_NO_END,
		.wrong = numbers[1] & MISSING_WRONG,
		.meant_end = numbers[1] & MISSING_MEANT_END,
		.fault = numbers[1] & MISSING_FAULT ? "something is wrong with its file" : NULL,
		.records = numbers[2],
		.gaps = numbers[3],
		.lost = numbers[4],
		.missing = numbers[5],
		.lines = numbers[6],
		.bytes = numbers[7],
		.first = numbers[8]};
	return true;
}

bool ear_part_open(struct ear_part_reader *reader, FILE *file, struct ear_part_head *head)
{
	uint64_t version, records[3];

	*reader = (struct ear_part_reader){.file = file, .line = malloc(EAR_PART_LINE_MAX + 1)};
	if (!reader->line)
		return ear_part_fail(reader, "out of memory");
	if (!expect(reader, "earshot-part") || !ear_part_number(reader, &version, UINT64_MAX))
		return false;
	if (version != EAR_PART_VERSION)
		return ear_part_fail(reader, "it is of another version: make the part again");
	if (!take_text(reader, head->analysis, sizeof(head->analysis), true) ||
		!expect(reader, "options") ||
		!take_text(reader, head->options, sizeof(head->options), true) ||
		!expect(reader, "trace") ||
		!take_text(reader, head->trace, sizeof(head->trace), true) ||
		!expect(reader, "program") ||
		!take_text(reader, head->program_sha256, sizeof(head->program_sha256), false) ||
		!take_text(reader, head->program, sizeof(head->program), true) ||
		!expect(reader, "records") || !ear_part_numbers(reader, records, 3) ||
		!take_missing(reader, &head->missing))
		return false;
	head->begin = records[0];
	head->end = records[1];
	head->size = records[2];
	return head->begin <= head->end || ear_part_fail(reader, "the part ends before it begins");
}

void ear_part_close(struct ear_part_reader *reader)
{
	free(reader->line);
	reader->line = NULL;
}
