/* A walk goes over the members of a count in the order of the file. Writing is one pass. Reading is
 * a pass a line, in which only the line's own branch is taken: so the code of a line is there once,
 * and a file may have its lines in any order, as files of older versions do.
 */
#include "analyses/base/part_walk.h"

#include <assert.h>
#include <string.h>

void ear_part_walk_write(ear_part_walker *part, void *count, struct ear_part_writer *writer)
{
	struct ear_part_walk walk = {.writer = writer};

	part(count, &walk);
	ear_part_end_line(writer);
}

bool ear_part_walk_read(ear_part_walker *part, void *count, struct ear_part_reader *reader,
	const char *unknown_line)
{
	struct ear_part_walk walk = {.reader = reader};

	while (ear_part_next(reader, &walk.word)) {
		if (!walk.word)
			return true;
		part(count, &walk);
		if (walk.bad)
			return false;
		if (walk.word)
			return ear_part_fail(reader, unknown_line);
	}
	return false;
}

bool ear_part_wants(const struct ear_part_walk *walk, const char *word)
{
	return walk->writer || (walk->word && strcmp(walk->word, word) == 0);
}

bool ear_part_line(struct ear_part_walk *walk, const char *word)
{
	if (!ear_part_wants(walk, word))
		return false;
	if (walk->writer)
		ear_part_begin_line(walk->writer, word);
	walk->word = NULL;
	return true;
}

bool ear_part_item(struct ear_part_walk *walk, const char *word, uint64_t *i, uint64_t count)
{
	if ((walk->writer && *i >= count) || !ear_part_line(walk, word))
		return false;
	*i = ear_part_decimal(walk, *i, count - 1);
	return !walk->bad;
}

static uint64_t read_value(struct ear_part_walk *walk, uint64_t max)
{
	uint64_t value = 0;

	walk->bad = walk->bad || !ear_part_number(walk->reader, &value, max);
	return walk->bad ? 0 : value;
}

uint64_t ear_part_decimal(struct ear_part_walk *walk, uint64_t value, uint64_t max)
{
	if (walk->reader)
		return read_value(walk, max);
	ear_part_write_decimal(walk->writer, value);
	return value;
}

uint64_t ear_part_hex(struct ear_part_walk *walk, uint64_t value, uint64_t max)
{
	if (walk->reader)
		return read_value(walk, max);
	ear_part_write_hex(walk->writer, value);
	return value;
}

const char *ear_part_tail(struct ear_part_walk *walk, const char *text)
{
	if (walk->writer)
		fprintf(walk->writer->file, " %s", text);
	else
		ear_part_rest(walk->reader, &text);
	return text;
}

void ear_part_quoted(struct ear_part_walk *walk, char *text, size_t size)
{
	char word[3 * EAR_PART_TEXT_MAX + 2];

	assert(size <= EAR_PART_TEXT_MAX);
	if (walk->writer) {
		ear_part_quote(word, sizeof(word), text);
		fprintf(walk->writer->file, " %s", word);
		return;
	}
	walk->bad = walk->bad || !ear_part_text(walk->reader, text, size);
	if (walk->bad)
		text[0] = '\0';
}

void ear_part_reject(struct ear_part_walk *walk, const char *what)
{
	if (!walk->bad)
		ear_part_fail(walk->reader, what);
	walk->bad = true;
}
