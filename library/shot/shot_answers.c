/* What a reader has found its file to be: whole or not, damaged, and its metadata. */
#include <earshot/error.h>
#include <stdio.h>
#include <string.h>

#include "library/shot/shot_reader_internal.h"

bool ear_shot_reader_is_shot(const struct ear_shot_reader *reader)
{
	return reader->is_shot;
}

bool ear_shot_reader_complete(const struct ear_shot_reader *reader)
{
	char reason[16] = "";

	ear_shot_reader_fact(reader, "end_reason", reason, sizeof(reason));
	return reader->is_shot && reader->step == STATE_END && reader->last_was_seek_table &&
	       reader->facts[1] && !reader->fault[0] && strcmp(reason, "failed") != 0;
}

bool ear_shot_reader_grows(const struct ear_shot_reader *reader)
{
	char text[8];

	return ear_shot_reader_fact(reader, "growing", text, sizeof(text)) >= 0;
}

bool ear_shot_reader_ends_meant(const struct ear_shot_reader *reader)
{
	static const char *const meant[] = {"end of part", "limit", "event", "stop trigger",
		"interrupted", "stopped by the host"};
	char reason[32] = "";

	if (ear_shot_reader_grows(reader))
		return true;
	if (!ear_shot_reader_complete(reader))
		return false;
	ear_shot_reader_fact(reader, "end_reason", reason, sizeof(reason));
	for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
		if (strcmp(reason, meant[i]) == 0)
			return true;
	return false;
}

const char *ear_shot_reader_fault(const struct ear_shot_reader *reader)
{
	return reader->fault[0] ? reader->fault : NULL;
}

const char *ear_shot_reader_mended(const struct ear_shot_reader *reader)
{
	return reader->mended[0] ? reader->mended : NULL;
}

static const char *find_fact(const char *facts, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = facts; line && *line;) {
		if (strncmp(line, key, length) == 0 && strncmp(line + length, ": ", 2) == 0)
			return line + length + 2;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

int ear_shot_reader_fact(
	const struct ear_shot_reader *reader, const char *key, char *text, size_t size)
{
	const char *value = find_fact(reader->facts[1], key);
	if (!value)
		value = find_fact(reader->facts[0], key);
	if (!value)
		return EAR_E_BAD_ARGUMENT;

	int length = (int)strcspn(value, "\n");
	snprintf(text, size, "%.*s", length, value);
	return length;
}
