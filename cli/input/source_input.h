#ifndef EAR_SOURCE_INPUT_H
#define EAR_SOURCE_INPUT_H

#include <earshot/trace.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/input/symbol_file.h"
#include "cli/show/verdict.h"
#include "library/source/source.h"

/* A trace in any format by name, with messages for people: what convert, diff and grep read. */
struct source_input {
	const char *path;          /* as given */
	const char *name;          /* for messages; "standard input" for "-" */
	const char *format;        /* asked for; NULL: from the contents */
	bool strict;               /* a bad line is an error */
	bool quiet;                /* no warnings, only errors */
	uint64_t bad_limit;        /* bad lines that are passed over before they are an error */
	bool light, lines;         /* ear_reader_options */
	bool ftdi_status;          /* ear_source_options */
	const char *format_option; /* that says the format, "-i" */
	unsigned xlen;
	const char *isa;             /* name of an instruction set, NULL: as the file says */
	const char *pattern, *unit;  /* ear_reader_options */
	struct symbol_file *symbols; /* of --elf, for a branch trace; NULL: the command has none */
	void (*before_report)(void *context); /* a line is about to be reported; NULL: nothing */
	void *report_context;

	int fd;
	uint64_t size; /* of the file, 0 if unknown */
	struct ear_source *source;
	uint64_t bad_lines, other_lines; /* EAR_LINE_BAD, EAR_LINE_OTHER */
	uint64_t record_count;
	uint64_t instruction_count;
	struct ear_missing missing; /* in the records read */
	bool reported;              /* an error was printed */
};

/* Fill in the defaults for path: everything from the contents, 100 bad lines. */
void source_input_init(struct source_input *input, const char *path);

/* Its path, if that is known only after source_input_init. */
void source_input_name(struct source_input *input, const char *path);

/* Open it. Returns false after printing why not. */
bool source_input_open(struct source_input *input);

/* ear_source_next. Returns 1, 0 at the end, or a negative value after printing the error. */
int source_input_next(struct source_input *input, const struct ear_record **record);

/* Print what this error of reading means, if nothing was printed yet. */
void source_input_fail(struct source_input *input, int result);

/* Report on stderr what was skipped: bad lines, damage. Returns an exit status: EAR_EXIT_FAILED
 * if the file is no trace, or its records cannot be trusted.
 */
int source_input_judge(const struct source_input *input);

/* What was missing so far goes to the verdict. */
void source_input_add_verdict(struct source_input *input, struct verdict *verdict);

/* The part of it that is about lines of a text. */
void source_input_judge_lines(const struct source_input *input);

#define SOURCE_INPUT_PLACE 32

/* Where a report is: a line; of a trace of bytes, which has no lines, a byte. */
const char *source_input_place(
	char text[SOURCE_INPUT_PLACE], uint64_t line_number, uint64_t offset);

/* The report function of readers: context is the struct source_input. */
int source_input_report(void *context, uint64_t line_number, uint64_t offset, const char *cause,
	enum ear_line_kind kind);

void source_input_close(struct source_input *input);

#endif
