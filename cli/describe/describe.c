/* Fills the tables of options into a template: describe TEMPLATE OUT. Used while building, for the
 * man page and the completions of the shells, so that none of them can differ from the program.
 *
 * A line of the template "@WHAT@" or "@WHAT COMMAND@" is replaced; all others are copied.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/describe/mdoc.h"
#include "cli/describe/shell.h"

static void print_synopsis(FILE *to)
{
	for (const struct command *const *command = commands; *command; command++)
		mdoc_synopsis(to, *command);
}

static void print_top_options(FILE *to)
{
	mdoc_table(to, top_options);
}

static const struct {
	const char *name;
	void (*print)(FILE *to);
} blanks[] = {
	{"synopsis", print_synopsis},
	{"top-options", print_top_options},
	{"shell-commands", shell_commands},
	{"shell-options", shell_options},
	{"fish", shell_fish},
};

/* name: between the '@'. Returns false if there is no such thing. */
static bool fill(FILE *to, const char *name)
{
	if (strncmp(name, "options ", 8) == 0) {
		const struct command *command = command_find(name + 8);
		if (command)
			mdoc_options(to, command);
		return command != NULL;
	}
	for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++)
		if (strcmp(name, blanks[i].name) == 0) {
			blanks[i].print(to);
			return true;
		}
	return false;
}

static bool copy(FILE *from, FILE *to)
{
	char line[1024];

	while (fgets(line, sizeof(line), from)) {
		size_t size = strlen(line);

		if (size < 3 || line[0] != '@' || strcmp(line + size - 2, "@\n") != 0) {
			fputs(line, to);
			continue;
		}
		line[size - 2] = '\0';
		if (!fill(to, line + 1)) {
			fprintf(stderr, "describe: there is no %s@\n", line);
			return false;
		}
	}
	return !ferror(from);
}

int main(int argc, char **argv)
{
	FILE *from = argc == 3 ? fopen(argv[1], "r") : NULL;
	FILE *to = from ? fopen(argv[2], "w") : NULL;

	if (!to) {
		fputs("usage: describe TEMPLATE OUT\n", stderr);
		return EXIT_FAILURE;
	}
	bool good = copy(from, to);
	fclose(from);
	good = fclose(to) == 0 && good;
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
