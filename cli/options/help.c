/* --help from the table of a command: options in one column, their texts in another, wrapped. The
 * second column begins after the longest option that is not much longer than the others; a longer
 * one has a line of its own.
 */
#include "cli/options/help.h"

#include <stdbool.h>
#include <string.h>

#define INDENT     2
#define COLUMN_MAX 27 /* where the second column begins at the latest */
#define TEXT_MAX   4096

static const struct command_option help_row = {"help", 'h', .text = "Print this text."};

/* The text as it is read: names of sections lose their braces, literals their marks, or get quotes
 * if they have blanks. */
static void strip(char *plain, const char *text)
{
	char *end = plain + TEXT_MAX - 1;

	for (bool quoted = false; *text && plain < end; text++) {
		if (*text == '`') {
			const char *close = quoted ? text : strchr(text + 1, '`');
			const char *open = text;
			if (quoted)
				for (open = text - 1; *open != '`'; open--)
					;
			if (close && memchr(open, ' ', (size_t)(close - open)))
				*plain++ = '\'';
			quoted = !quoted;
		} else if (quoted || (*text != '{' && *text != '}')) {
			*plain++ = *text;
		}
	}
	*plain = '\0';
}

/* One paragraph, without line ends, from a column on; further lines begin at indent. */
static void wrap(FILE *to, const char *text, size_t size, size_t column, size_t indent)
{
	bool first = true;

	for (size_t i = 0; i < size;) {
		size_t word = 0;
		while (i + word < size && text[i + word] != ' ')
			word++;
		if (!first && column + 1 + word > HELP_WIDTH) {
			fprintf(to, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', to);
			column++;
		}
		fwrite(text + i, 1, word, to);
		column += word;
		first = false;
		i += word;
		while (i < size && text[i] == ' ')
			i++;
	}
	fputc('\n', to);
}

void help_text(FILE *to, const char *text)
{
	char plain[TEXT_MAX];
	const char *line = plain;

	strip(plain, text);
	while (*line) {
		size_t size = strcspn(line, "\n");

		if (*line == ' ')
			fprintf(to, "%.*s\n", (int)size, line);
		else
			wrap(to, line, size, 0, 0);
		line += size;
		line += *line == '\n';
	}
}

static size_t print_head(char *head, size_t size, const struct command_option *option)
{
	char letter[8] = "    ";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	return (size_t)snprintf(head, size, "%*s%s--%s%s%s", INDENT, "", letter, option->name,
		option->argument && option->argument[0] != '[' ? " " : "",
		option->argument ? option->argument : "");
}

static size_t text_column(const struct command_option *options)
{
	size_t column = 0;
	char head[128];

	struct command_rows rows = {.next = options};
	for (const struct command_option *row; (row = command_next_row(&rows));) {
		size_t size = row->name ? print_head(head, sizeof(head), row) + 2 : 0;
		if (size <= COLUMN_MAX && size > column)
			column = size;
	}
	size_t least = print_head(head, sizeof(head), &help_row) + 2;
	return column > least ? column : least;
}

static void print_row(FILE *to, const struct command_option *row, size_t column)
{
	char head[128], plain[TEXT_MAX];
	size_t size = print_head(head, sizeof(head), row);

	strip(plain, row->text);
	fputs(head, to);
	if (size + 2 > column) {
		fputc('\n', to);
		size = 0;
	}
	fprintf(to, "%*s", (int)(column - size), "");
	wrap(to, plain, strlen(plain), column, column);
}

static void print_rows(FILE *to, const struct command_option *options, size_t column)
{
	struct command_rows rows = {.next = options};

	for (const struct command_option *row; (row = command_next_row(&rows));)
		if (row->name)
			print_row(to, row, column);
		else if (row->heading[0])
			help_text(to, row->heading);
		else
			fputc('\n', to);
}

void help_options(FILE *to, const struct command_option *options)
{
	print_rows(to, options, text_column(options));
}

static void print_usage(FILE *to, const struct command *command)
{
	const char *line = command->arguments, *head = "usage:";

	do {
		size_t size = strcspn(line, "\n");

		fprintf(to, "%s earshot %s%s%.*s\n", head, command->name, size ? " " : "",
			(int)size, line);
		line += size;
		line += *line == '\n';
		head = "      ";
	} while (*line);
}

void help_command(FILE *to, const struct command *command)
{
	print_usage(to, command);
	help_text(to, command->about);
	fputc('\n', to);
	size_t column = text_column(command->options);
	print_rows(to, command->options, column);
	print_row(to, &help_row, column);
	if (command->notes) {
		fputc('\n', to);
		help_text(to, command->notes);
	}
	if (command->print_lists)
		command->print_lists(to);
	if (command->exit_status) {
		fputs("\nExit status: ", to);
		char plain[TEXT_MAX];
		strip(plain, command->exit_status);
		wrap(to, plain, strlen(plain), strlen("Exit status: "), 0);
	}
}
