#ifndef EAR_REPORT_H
#define EAR_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options/command.h"

/* A report: sections, each of which is what one command of earshot prints (docs/report.md). */

#define REPORT_TRACES_MAX   2
#define REPORT_SECTIONS_MAX 64u
#define REPORT_GROUP_MAX    24u  /* sections of a process */
#define REPORT_WORDS_MAX    192u /* of a command */
#define REPORT_OPTIONS_MAX  128u /* that commands get from the command line of the report */
#define REPORT_LEFT_OUT_MAX 16u
#define REPORT_BOTH         (-1) /* trace of a section: the comparison of both */

enum report_kind { REPORT_JSON, REPORT_LINES, REPORT_COLUMNS, REPORT_NONE };

struct report_section {
	const char *name;
	int trace; /* or REPORT_BOTH */
	enum report_kind kind;
	bool after_index; /* it begins when the index is there */
	bool makes_index;
	const struct command *command;
	/* One process makes all that share of a trace, which it reads once; first those that count
	 * more than others show. */
	bool shares, counts_more;
	const char *otherwise; /* in place of --from=end-N, if the command fails; NULL: none */
	/* Its command: words[0] is "earshot". Words of limit_text are written anew for another
	 * limit; 0: its size cannot be limited. */
	const char *words[REPORT_WORDS_MAX];
	size_t word_count;
	uint64_t limit;
	char limit_text[64];
	/* What came of it. */
	bool started, done;
	int status; /* exit status; 128 or more: a signal ended it */
	FILE *output, *errors, *packed;
	uint64_t bytes, packed_bytes;
	uint32_t crc;
	unsigned tries;
};

struct report_option {
	const struct command_option *row;
	const char *argument; /* NULL: it takes none */
};

struct report {
	const char *traces[REPORT_TRACES_MAX];
	size_t trace_count;
	const char *output;
	unsigned jobs;
	uint64_t size;    /* bytes of the file, at most */
	uint64_t records; /* that are shown one by one */
	bool quiet;
	struct report_option options[REPORT_OPTIONS_MAX];
	size_t option_count;
	struct report_section sections[REPORT_SECTIONS_MAX];
	size_t section_count;
	char left_out[REPORT_LEFT_OUT_MAX][256];
	size_t left_out_count;
	char program[4096]; /* this one */
};

/* report_sections.c: all sections, not run. Returns false after printing why not. */
bool report_make_sections(struct report *report);
/* When the others are done: the records around the places that `why`, `check` and others name, if
 * they are not there yet, and of two traces the states where they differ. As report_make_sections.
 */
bool report_make_places(struct report *report, size_t trace);
/* Sets the limit of a section, which has one. */
void report_set_limit(struct report_section *section, uint64_t limit);
/* The section, if it is there with data; NULL. */
const struct report_section *report_find(const struct report *report, const char *name, int trace);

/* report_run.c: run the sections that are not done, and pack what they print. Returns false after
 * printing why not: it was interrupted, or there is no room. */
bool report_run(struct report *report);
void report_free(struct report *report);

/* report_verdict.c: print what the commands say of the traces as wholes, once, and return the exit
 * status that follows from it. */
int report_judge(const struct report *report);

/* report_pack.c: deflate and base64 of a file from its begin, to another one. */
bool report_pack(struct report_section *section);

/* report_page.c: the whole file. Returns false with errno. */
bool report_write_page(struct report *report, FILE *file);
/* How long it is without the sections' data. */
uint64_t report_page_size(const struct report *report);

/* report_text.c: ASCII. What is not UTF-8 becomes U+FFFD, a byte each. */

/* As a string of JSON that may be in a script element: < is \u003c. */
void report_put_json(FILE *file, const char *text);
/* As text of HTML. */
void report_put_html(FILE *file, const char *text);
/* A command as a shell takes it, as a string of JSON. */
void report_put_command(FILE *file, const char *const *words, size_t count);

#endif
