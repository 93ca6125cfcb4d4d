/* Tables of options as mdoc(7). A text is cut into words; a word that is an option, a literal or an
 * argument becomes a line with its macro, everything between is plain lines. Each sentence begins a
 * line, as mdoc wants it.
 */
#include "cli/describe/mdoc.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LINE_WIDTH 80

/* What a text is printed for: whose arguments are words in capital letters. */
struct page {
	FILE *to;
	const char *arguments[2]; /* of the command and of the option; NULL: none */
	size_t column;
};

static void end_line(struct page *page)
{
	if (page->column > 0)
		fputc('\n', page->to);
	page->column = 0;
}

/* A word of a line or of a macro: what roff would take for something else is escaped. */
static void put_escaped(struct page *page, const char *text, size_t size, bool in_macro)
{
	bool macro = in_macro && size == 2 && isupper((unsigned char)text[0]) &&
		     islower((unsigned char)text[1]);

	if (macro || (page->column == 0 && (*text == '.' || *text == '\'')))
		fputs("\\&", page->to);
	for (size_t i = 0; i < size; i++)
		fputs(text[i] == '\\' ? "\\e" : (char[2]){text[i], '\0'}, page->to);
	page->column += size;
}

static void put_word(struct page *page, const char *text, size_t size)
{
	if (page->column + 1 + size > LINE_WIDTH)
		end_line(page);
	if (page->column > 0) {
		fputc(' ', page->to);
		page->column++;
	}
	put_escaped(page, text, size, false);
}

/* A line ".MACRO WORD...", with the punctuation around it. */
static void put_macro(struct page *page, const char *macro, const char *text, size_t size,
	const char *before, const char *after)
{
	end_line(page);
	fprintf(page->to, ".%s", macro);
	page->column = 1;
	if (*before)
		fprintf(page->to, " %s", before);
	for (size_t i = 0; i < size;) {
		size_t word = 0;
		while (i + word < size && text[i + word] != ' ')
			word++;
		fputc(' ', page->to);
		put_escaped(page, text + i, word, true);
		i += word + (i + word < size);
	}
	for (; *after; after++)
		fprintf(page->to, " %c", *after);
	end_line(page);
}

static void lower(char *copy, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		copy[i] = (char)tolower((unsigned char)text[i]);
	copy[size] = '\0';
}

/* Is this word one of the names in capital letters in arguments? */
static bool names_argument(const char *arguments, const char *word, size_t size)
{
	for (const char *at = arguments; at && *at; at++) {
		size_t length = 0;
		while (isupper((unsigned char)at[length]))
			length++;
		if (length > 0 && length == size && memcmp(at, word, size) == 0)
			return true;
		at += length > 0 ? length - 1 : 0;
	}
	return false;
}

/* A word without its punctuation. Returns false if it is nothing special. */
static bool put_special(
	struct page *page, const char *word, size_t size, const char *before, const char *after)
{
	char small[64];

	if (size >= sizeof(small))
		return false;
	if (word[0] == '-' && size > 1 && (word[1] == '-' || isalpha((unsigned char)word[1]))) {
		put_macro(page, "Fl", word + 1, size - 1, before, after);
		return true;
	}
	for (int i = 0; i < 2; i++)
		if (names_argument(page->arguments[i], word, size)) {
			lower(small, word, size);
			put_macro(page, "Ar", small, size, before, after);
			return true;
		}
	return false;
}

/* The word at text, up to a blank; a literal or a section with its blanks. Returns its size. */
static size_t put_next(struct page *page, const char *text)
{
	const char *open = text + strspn(text, "([");
	const char *begin = open, *end, *macro = NULL;
	char before[8], after[8];

	if (*open == '`' || *open == '{') {
		begin = open + 1;
		end = begin + strcspn(begin, *open == '`' ? "`" : "}");
		macro = *open == '{'                                ? "Sx"
			: memchr(begin, ' ', (size_t)(end - begin)) ? "Ic"
								    : "Cm";
	} else {
		end = open + strcspn(open, " ");
		while (end > open && strchr(".,:;)]", end[-1]))
			end--;
	}
	const char *rest = end + (macro != NULL);
	size_t tail = strcspn(rest, " ");
	snprintf(before, sizeof(before), "%.*s", (int)(open - text), text);
	snprintf(after, sizeof(after), "%.*s", (int)tail, rest);
	if (macro)
		put_macro(page, macro, begin, (size_t)(end - begin), before, after);
	else if (!put_special(page, begin, (size_t)(end - begin), before, after))
		put_word(page, text, (size_t)(rest + tail - text));
	return (size_t)(rest + tail - text);
}

static void put_text(struct page *page, const char *text)
{
	while (*text) {
		size_t size = put_next(page, text);
		bool sentence = text[size - 1] == '.';

		text += size;
		if (sentence)
			end_line(page);
		text += strspn(text, " ");
	}
	end_line(page);
}

/* "VALUE[/MASK]" or "[=CAUSE]" as macros after a flag. */
static void put_argument(FILE *to, const char *argument)
{
	const char *join = argument[0] == '[' ? " Ns" : "";
	char small[64];

	while (*argument) {
		size_t size = 0;

		while (isupper((unsigned char)argument[size]) && size + 1 < sizeof(small))
			size++;
		lower(small, argument, size);
		if (size > 0)
			fprintf(to, "%s Ar %s", join, small);
		else if (*argument == '[')
			fprintf(to, "%s Oo", join);
		else if (*argument == ']')
			fprintf(to, " Oc");
		else
			fprintf(to, "%s %c", join, *argument);
		join = *argument == '[' ? "" : " Ns";
		argument += size ? size : 1;
	}
}

static void put_option(FILE *to, const struct command_option *option, const char *command_arguments)
{
	struct page page = {.to = to, .arguments = {command_arguments, option->argument}};

	fputs(".It", to);
	if (option->letter)
		fprintf(to, " Fl %c ,", option->letter);
	fprintf(to, " Fl -%s", option->name);
	if (option->argument)
		put_argument(to, option->argument);
	fputc('\n', to);
	put_text(&page, option->text);
	if (option->detail)
		put_text(&page, option->detail);
}

static void put_table(FILE *to, const struct command_option *table, const char *command_arguments)
{
	struct command_rows rows = {.next = table};

	fputs(".Bl -tag -width Ds\n", to);
	for (const struct command_option *row; (row = command_next_row(&rows));)
		if (row->name)
			put_option(to, row, command_arguments);
	fputs(".El\n", to);
}

void mdoc_table(FILE *to, const struct command_option *table)
{
	put_table(to, table, NULL);
}

void mdoc_options(FILE *to, const struct command *command)
{
	struct command_rows rows = {.next = command->options};

	if (command_next_row(&rows))
		put_table(to, command->options, command->arguments);
}

/* One word of "[OPTION]... -d DEVICE FILE". */
static void put_usage_word(FILE *to, const char *word, size_t size)
{
	bool optional = word[0] == '[', repeated = size > 3 && word[size - 1] == '.';
	char name[64];

	if (optional) {
		word++;
		size = strcspn(word, "]");
	}
	lower(name, word, size < sizeof(name) ? size : sizeof(name) - 1);
	fprintf(to, ".%s", optional ? "Op " : "");
	const char *bar = strchr(name, '|');
	if (bar)
		fprintf(to, "Fl %.*s | Fl %s\n", (int)(bar - name - 1), name + 1, bar + 2);
	else if (name[0] == '-')
		fprintf(to, "Fl %s\n", name + 1);
	else
		fprintf(to, "%s %s%s\n", strchr(name, ':') ? "Li" : "Ar", name,
			repeated ? " ..." : "");
}

void mdoc_synopsis(FILE *to, const struct command *command)
{
	const char *at = command->arguments;
	bool more;

	do {
		fprintf(to, ".Nm\n.Cm %s\n", command->name);
		while (*at && *at != '\n') {
			size_t size = strcspn(at, " \n");
			put_usage_word(to, at, size);
			at += size;
			at += *at == ' ';
		}
		more = *at == '\n';
		at += more;
	} while (more);
}
