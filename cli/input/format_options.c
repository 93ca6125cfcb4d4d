/* --pattern: patterns are joined, one a line, and each is parsed when it is given, to show what is
 * wrong where it is. Whether they make sense together is known at the end, when the trace is
 * opened. --unit: its file is read when it is given, before the command gives up its rights.
 */
#include "cli/input/format_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "decoder/formats/pattern/line_pattern.h"

#define UNIT_TEXT_MAX 65535u

/* Of the files of a command, two at most. */
static struct text {
	const char **member; /* NULL: free */
	char text[EAR_LINE_PATTERN_TEXT_MAX + 1];
	size_t size;
} texts[2];

static struct text *find_text(const char **member)
{
	struct text *text = &texts[texts[0].member && texts[0].member != member];

	text->member = member;
	*member = text->text;
	return text;
}

/* What the file holds after what there is already. Returns its size; SIZE_MAX: it cannot be read.
 */
static size_t read_file(struct text *text, const char *path)
{
	FILE *file = fopen(path, "r");
	size_t size = SIZE_MAX;

	if (file) {
		size = fread(text->text + text->size, 1, sizeof(text->text) - text->size, file);
		if (ferror(file))
			size = SIZE_MAX;
		fclose(file);
	}
	return size;
}

/* No output may be written over it. */
static bool note_file(const struct command_option *option, const char *path)
{
	char name[32];

	snprintf(name, sizeof(name), "--%s", option->name);
	return files_read(name, path);
}

static bool show_fault(const struct ear_line_fault *fault)
{
	cli_error("--pattern: %s", fault->cause);
	cli_error("  %.*s", (int)fault->size, fault->line);
	cli_error("  %*s", (int)fault->column, "^");
	return false;
}

bool option_take_pattern(void *value, const struct command_option *option, const char *argument)
{
	struct text *text = find_text(value);
	struct ear_line_pattern *patterns;
	struct ear_line_fault fault = {.pattern = 0};
	size_t size = strlen(argument);

	if (text->size > 0)
		text->text[text->size++] = '\n';
	if (*argument == '@' && !note_file(option, argument + 1))
		return false;
	if (*argument == '@')
		size = read_file(text, argument + 1);
	if (size == SIZE_MAX) {
		cli_error("--%s %s: %s", option->name, argument, strerror(errno));
		return false;
	}
	if (size > EAR_LINE_PATTERN_TEXT_MAX - text->size)
		return option_fail(option, argument, "taken: there is too much of it");
	if (*argument != '@')
		memcpy(text->text + text->size, argument, size);
	text->size += size;
	text->text[text->size] = '\0';
	int result = ear_line_pattern_new(&patterns, text->text, &fault);
	if (result == 0)
		ear_line_pattern_free(patterns);
	return fault.pattern == 0 || show_fault(&fault);
}

bool option_take_unit(void *value, const struct command_option *option, const char *argument)
{
	static char units[2][UNIT_TEXT_MAX + 1]; /* of the files of a command, two at most */
	static unsigned count;
	const char **member = value;

	*member = argument;
	if (!strpbrk(argument, "./"))
		return true;
	if (!note_file(option, argument))
		return false;
	char *text = units[count++ % 2];
	FILE *file = fopen(argument, "r");
	size_t size = file ? fread(text, 1, UNIT_TEXT_MAX + 1, file) : 0;
	bool good = file && !ferror(file);
	int number = errno;
	if (file)
		fclose(file);
	if (!good) {
		cli_error("--%s %s: %s", option->name, argument, strerror(number));
		return false;
	}
	if (size > UNIT_TEXT_MAX || memchr(text, '\0', size))
		return option_fail(option, argument, "taken: it is no JSON, or too long");
	text[size] = '\0';
	*member = text;
	return true;
}
