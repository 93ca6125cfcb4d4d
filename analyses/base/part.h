#ifndef EAR_ANALYSES_PART_H
#define EAR_ANALYSES_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <earshot/trace.h>

/* Files of what an analysis counted in a part of a trace: docs/parts.md.
 *
 * They are lines of words, each begins with what it is. The first ones say of what analysis,
 * trace and program the part is, and from which position to which; the last one how many lines
 * came before it. What is between is the analysis' own.
 */
#define EAR_PART_VERSION  2
#define EAR_PART_WORD_MAX 65     /* of an analysis, of a SHA-256 */
#define EAR_PART_LINE_MAX 65536u /* bytes, and its end */

struct ear_part_head {
	char analysis[EAR_PART_WORD_MAX];
	char options[EAR_PART_WORD_MAX]; /* that parts must share: words of the analysis, "-": none
					  */
	char trace[EAR_PART_WORD_MAX];   /* what distinguishes the trace from others, "-": not known
					  */
	char program_sha256[EAR_PART_WORD_MAX]; /* "-": there are no names */
	char program[4096];                     /* its path; "-" */
	uint64_t begin, end;                    /* positions */
	uint64_t size;                          /* of the trace, in records */
	struct ear_missing missing; /* in these records; fault has no words of its own */
};

/* Writing. What the stream could not take, ferror says. */
struct ear_part_writer {
	FILE *file;
	uint64_t lines;
	bool in_line; /* one has begun, and not ended */
};

void ear_part_write_head(
	struct ear_part_writer *writer, FILE *file, const struct ear_part_head *head);
/* One line, without its end. */
void ear_part_write(struct ear_part_writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A line in steps: its word, its numbers, its end, which a next line or the end brings, too. */
void ear_part_begin_line(struct ear_part_writer *writer, const char *word);
void ear_part_write_decimal(struct ear_part_writer *writer, uint64_t number);
void ear_part_write_hex(struct ear_part_writer *writer, uint64_t number);
void ear_part_end_line(struct ear_part_writer *writer);
void ear_part_write_end(struct ear_part_writer *writer);

/* A word that any text becomes: bytes that are no printable ASCII, blanks and % are % and two
 * hexadecimal digits; nothing is "-", and so is "-" %2d. size: room for it, 3 * the text's + 2. */
void ear_part_quote(char *word, size_t size, const char *text);

/* What stands for a text that is too long for a word: its FNV-1a. */
uint64_t ear_part_hash(const char *text);

/* Reading. All functions return false after an error, which is in error: a sentence with the line.
 */
struct ear_part_reader {
	FILE *file;
	char *line, *at; /* its text, and where the next word begins */
	uint64_t number; /* of the line, from 1 */
	bool ended;      /* the last line was read */
	char error[256];
};

bool ear_part_open(struct ear_part_reader *reader, FILE *file, struct ear_part_head *head);
void ear_part_close(struct ear_part_reader *reader); /* not the stream */

/* The next line: its first word, or NULL behind the last one. */
bool ear_part_next(struct ear_part_reader *reader, const char **word);
/* Of the line: the next word as a number from 0 to max; count of them up to UINT64_MAX; the rest.
 */
bool ear_part_number(struct ear_part_reader *reader, uint64_t *number, uint64_t max);
bool ear_part_numbers(struct ear_part_reader *reader, uint64_t *numbers, unsigned count);
bool ear_part_rest(struct ear_part_reader *reader, const char **text);
/* The next word as the text that it was (ear_part_quote), with its end in size bytes. */
bool ear_part_text(struct ear_part_reader *reader, char *text, size_t size);
/* Were all its words taken? */
bool ear_part_line_ended(const struct ear_part_reader *reader);
/* Something else is wrong with the line. Returns false. */
bool ear_part_fail(struct ear_part_reader *reader, const char *what);

#endif
