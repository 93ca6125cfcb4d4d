#ifndef EAR_COMMAND_H
#define EAR_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a command is: its name, its options, its texts and its function. The parser of the command
 * line, --help, the man page and the completions of the shells all read these tables, and there is
 * no other list of options.
 *
 * Texts are plain sentences, wrapped where they are printed. `x` is a literal; a word in capital
 * letters that is an argument of the command or of its option is shown as such; {X} is a section
 * of the man page. Lines that begin with a blank are printed as they are.
 */

/* What a shell offers for the argument of an option. */
enum command_values {
	VALUES_NONE,
	VALUES_WORDS,      /* one of words */
	VALUES_BEGINNINGS, /* one of words, and more after it */
	VALUES_FILES,
	VALUES_FOLDERS,
	VALUES_DEVICES,
	VALUES_READ_FORMATS,  /* formats of traces that can be read, */
	VALUES_TEXT_FORMATS,  /* that can be written into one file, */
	VALUES_WRITE_FORMATS, /* or at all */
};

struct command_option;

/* Sets a value by an option with its argument, NULL if it has none. Returns false after printing
 * what is wrong with it. options.h has those of most options. */
typedef bool command_take(void *value, const struct command_option *option, const char *argument);

struct command_option {
	const char *name;     /* without the dashes; NULL: a heading, a group, or the end */
	char letter;          /* of the short form; 0: there is none */
	const char *argument; /* "FILE"; "[=CAUSE]" may be left out; NULL: it takes none */
	enum command_values values;
	const char *words;   /* separated by blanks */
	const char *text;    /* for --help and the man page */
	const char *detail;  /* more, for the man page alone; NULL: nothing */
	const char *heading; /* of a row without a name: a line above the rows that follow */

	/* Of an older name: the option that it means, which is before it. Nothing lists it, and
	 * only the parser sees it; a letter is of the older name alone. */
	const char *means;

	command_take *take;
	size_t at; /* offset of its value in the command's request, or in a group's struct */
	uint64_t min, max; /* of a number; min is what OPTION_SETS sets */

	/* Of a row without a name: these rows are here, with offsets in the struct at offset at. A
	 * group has no groups. */
	const struct command_option *group;
};

/* The rows of a table in their order, those of groups in their places:
 *
 *     struct command_rows rows = {.next = table};
 *     while ((row = command_next_row(&rows)))
 *             ... *row, whose value is at offset rows.at
 */
struct command_rows {
	bool with_older; /* also the names that nothing lists */
	const struct command_option *next;
	const struct command_option *after; /* next is in a group: what follows the group */
	size_t base;                        /* of that group */
	size_t at;
};

/* NULL at the end. A row without a name is a heading. */
const struct command_option *command_next_row(struct command_rows *rows);

struct batch_rules;

struct command {
	const char *name;
	const char *arguments; /* "[OPTION]... FILE"; a line for each way to call it */
	const char *summary;   /* a line in the list of commands */
	const char *about;     /* the first paragraph of --help */
	const struct command_option *options; /* without --help, which every command has */
	const char *notes;                    /* paragraphs after the options, or NULL */
	void (*print_lists)(FILE *to);        /* lists after the notes, or NULL */
	const char *exit_status;              /* the last paragraph; NULL: nothing special */
	bool opens_device;                    /* and starts no programs of the user */
	const struct batch_rules *batch;      /* NULL: it takes one trace (cli/batch/batch.h) */
	int (*run)(int argc, char **argv);    /* argv[0] is the name. Returns an exit status */
};

#endif
