/* Metadata of a capture file, line by line. A line that no longer fits is left out whole, so that
 * what is there can be relied on.
 */
#include "cli/show/metadata.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/source_date.h"

void metadata_init(struct metadata *metadata)
{
	metadata->size = 0;
	metadata->text[0] = '\0';
}

void metadata_add(struct metadata *metadata, const char *key, const char *format, ...)
{
	char value[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	for (char *c = value; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';

	size_t room = sizeof(metadata->text) - metadata->size;
	int length = snprintf(metadata->text + metadata->size, room, "%s: %s\n", key, value);
	if (length > 0 && (size_t)length < room)
		metadata->size += (size_t)length;
	else
		metadata->text[metadata->size] = '\0'; /* all of a line, or nothing */
}

static void add_time(struct metadata *metadata, const char *key, time_t when)
{
	char text[32];
	struct tm broken_down;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &broken_down));
	metadata_add(metadata, key, "%s", text);
}

void metadata_add_time(struct metadata *metadata, const char *key)
{
	add_time(metadata, key, time(NULL));
}

void metadata_add_source_date(struct metadata *metadata, const char *key)
{
	time_t date;

	ear_source_date(&date);
	add_time(metadata, key, date);
}

void metadata_add_command(struct metadata *metadata, int argc, char **argv)
{
	char line[4000] = "earshot";
	size_t used = strlen(line);

	for (int i = 0; i < argc && used + strlen(argv[i]) + 2 < sizeof(line); i++) {
		line[used++] = ' ';
		memcpy(line + used, argv[i], strlen(argv[i]) + 1);
		used += strlen(argv[i]);
	}
	metadata_add(metadata, "command", "%s", line);
}

const char *const metadata_program_keys[] = {
	"program", "program_sha256", "program_build_id", "program_path", NULL};
