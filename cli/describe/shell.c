/* The tables of options as the completions of shells want them: for bash and zsh lines that their
 * functions read, for fish its own commands. Names of formats are filled in here, so that no shell
 * has to ask the program.
 */
#include "cli/describe/shell.h"

#include <stdbool.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options/command.h"
#include "decoder/formats/formats.h"

#define DEVICES   "sim: usb: ftdi: uart: tcp: file: openocd:"
#define WORDS_MAX 512

static const struct command_option help_option = {"help", 'h', .text = "Print help."};

static void add_word(char words[WORDS_MAX], const char *word)
{
	size_t used = strlen(words);

	snprintf(words + used, WORDS_MAX - used, "%s%s", used ? " " : "", word);
}

static void list_formats(char words[WORDS_MAX], enum command_values values)
{
	add_word(words, "shot");
	for (const struct ear_reader_format *format = ear_reader_formats; format->name; format++)
		if (values == VALUES_READ_FORMATS)
			add_word(words, format->name);
	for (const struct ear_writer_format *format = ear_writer_formats; format->name; format++)
		if (values == VALUES_WRITE_FORMATS ||
			(values == VALUES_TEXT_FORMATS && format->make))
			add_word(words, format->name);
}

/* The kind of an option's argument, and in words what to offer. */
static const char *kind_of(const struct command_option *option, char words[WORDS_MAX])
{
	words[0] = '\0';
	if (!option->argument || option->argument[0] == '[')
		return "none";
	switch (option->values) {
	case VALUES_NONE: break;
	case VALUES_WORDS: add_word(words, option->words); return "words";
	case VALUES_BEGINNINGS: add_word(words, option->words); return "beginnings";
	case VALUES_FILES: return "files";
	case VALUES_FOLDERS: return "folders";
	case VALUES_DEVICES: add_word(words, DEVICES); return "devices";
	case VALUES_READ_FORMATS:
	case VALUES_TEXT_FORMATS:
	case VALUES_WRITE_FORMATS: list_formats(words, option->values); return "words";
	}
	return "any";
}

void shell_commands(FILE *to)
{
	for (const struct command *const *command = commands; *command; command++)
		fprintf(to, "%s\n", (*command)->name);
}

static void print_option(FILE *to, const char *command, const struct command_option *option)
{
	char words[WORDS_MAX];
	const char *kind = kind_of(option, words);
	const char *blank = words[0] ? " " : "";

	if (option->letter)
		fprintf(to, "%s -%c %s%s%s\n", command, option->letter, kind, blank, words);
	fprintf(to, "%s --%s %s%s%s\n", command, option->name, kind, blank, words);
}

static void print_options(FILE *to, const char *command, const struct command_option *table)
{
	struct command_rows rows = {.next = table};

	for (const struct command_option *row; (row = command_next_row(&rows));)
		if (row->name)
			print_option(to, command, row);
}

void shell_options(FILE *to)
{
	print_options(to, "-", top_options);
	for (const struct command *const *command = commands; *command; command++) {
		print_options(to, (*command)->name, (*command)->options);
		print_option(to, (*command)->name, &help_option);
	}
}

/* The first sentence of a text, in single quotes, without marks. */
static void print_quoted(FILE *to, const char *text)
{
	const char *end = strstr(text, ". ");

	fputc('\'', to);
	for (; *text && text != end; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', to);
		if (!strchr("`{}", *text) && (*text != '.' || text[1] != '\0'))
			fputc(*text, to);
	}
	fputc('\'', to);
}

static void print_fish_option(FILE *to, const char *condition, const struct command_option *option)
{
	char words[WORDS_MAX];
	const char *kind = kind_of(option, words);

	fprintf(to, "complete -c earshot -n '%s'", condition);
	if (option->letter)
		fprintf(to, " -s %c", option->letter);
	fprintf(to, " -l %s", option->name);
	if (strcmp(kind, "files") == 0)
		fputs(" -r -F", to);
	else if (strcmp(kind, "folders") == 0)
		fputs(" -x -a '(__fish_complete_directories)'", to);
	else if (words[0])
		fprintf(to, " -x -a '%s'", words);
	else if (strcmp(kind, "none") != 0)
		fputs(" -x", to);
	fputs(" -d ", to);
	print_quoted(to, option->text);
	fputc('\n', to);
}

static void print_fish_command(FILE *to, const struct command *command)
{
	struct command_rows rows = {.next = command->options};
	char condition[128];

	snprintf(condition, sizeof(condition), "__fish_seen_subcommand_from %s", command->name);
	fprintf(to, "complete -c earshot -n __fish_use_subcommand -a %s -d ", command->name);
	print_quoted(to, command->summary);
	fprintf(to, "\ncomplete -c earshot -n '%s' -F\n", condition);
	for (const struct command_option *row; (row = command_next_row(&rows));)
		if (row->name)
			print_fish_option(to, condition, row);
	print_fish_option(to, condition, &help_option);
}

void shell_fish(FILE *to)
{
	fputs("complete -c earshot -n '__fish_seen_subcommand_from help' -a '", to);
	for (const struct command *const *command = commands; *command; command++)
		fprintf(to, "%s%s", command == commands ? "" : " ", (*command)->name);
	fputs("'\n", to);
	for (const struct command_option *row = top_options; row->name; row++)
		print_fish_option(to, "__fish_use_subcommand", row);
	for (const struct command *const *command = commands; *command; command++)
		print_fish_command(to, *command);
}
