#include "cli/show/facts.h"

#include <sys/types.h>
/* sha2.h needs the types above it. */
#include <sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/source_date.h"

void facts_init(struct facts *facts)
{
	facts->size = 0;
	facts->text[0] = '\0';
}

void facts_add(struct facts *facts, const char *key, const char *format, ...)
{
	char value[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	for (char *c = value; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';

	size_t room = sizeof(facts->text) - facts->size;
	int length = snprintf(facts->text + facts->size, room, "%s: %s\n", key, value);
	if (length > 0 && (size_t)length < room)
		facts->size += (size_t)length;
	else
		facts->text[facts->size] = '\0'; /* all of a line, or nothing */
}

static void add_time(struct facts *facts, const char *key, time_t when)
{
	char text[32];
	struct tm broken_down;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &broken_down));
	facts_add(facts, key, "%s", text);
}

void facts_add_time(struct facts *facts, const char *key)
{
	add_time(facts, key, time(NULL));
}

void facts_add_source_date(struct facts *facts, const char *key)
{
	time_t date;

	ear_source_date(&date);
	add_time(facts, key, date);
}

void facts_add_command(struct facts *facts, int argc, char **argv)
{
	char line[4000] = "earshot";
	size_t used = strlen(line);

	for (int i = 0; i < argc && used + strlen(argv[i]) + 2 < sizeof(line); i++) {
		line[used++] = ' ';
		memcpy(line + used, argv[i], strlen(argv[i]) + 1);
		used += strlen(argv[i]);
	}
	facts_add(facts, "command", "%s", line);
}

void facts_add_program(struct facts *facts, const char *path)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];

	if (!SHA256File(path, digest))
		return;
	facts_add(facts, "program", "%s", path);
	facts_add(facts, "program_sha256", "%s", digest);
}
