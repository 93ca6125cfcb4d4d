#ifndef EAR_NAMES_INTERNAL_H
#define EAR_NAMES_INTERNAL_H

#include "library/names/channel.h"
#include "library/names/helper_message.h"
#include "library/names/intervals.h"
#include "library/names/names_tables.h"

#define NAMES_MESSAGE_MAX 1024

/* A file, and which of its tables have come. */
struct names_file {
	struct names_facts facts;
	char *path;
	int fd;          /* our own, for its bytes and for another helper */
	int debug_fd;    /* -1 none */
	bool is_lost;    /* the helper broke off over it: it is not asked about it again */
	bool is_open;    /* in the helper that runs */
	uint32_t number; /* there */
	struct names_symbols symbols;
	struct names_lines lines;
	struct names_scopes scopes;
	bool has_lines, has_scopes; /* they were asked for */
};

/* What is looked up: tables of all files together. They are made when they are first needed, and
 * again after a file was added; the object is const for the caller meanwhile.
 */
struct names_merged {
	struct ear_symbol *symbols; /* by address */
	size_t symbol_count;
	struct ear_spans symbol_spans;
	uint32_t *by_name;   /* symbols, by linked name; */
	uint32_t *by_source; /* by demangled name without arguments */
	bool has_symbols;

	struct names_row_of { /* lines */
		const struct names_row *row;
		uint32_t file;
	} * rows;
	size_t row_count;
	struct ear_spans line_spans;
	const char **sources;
	size_t source_count;
	bool has_lines;

	const struct names_scope **scopes;
	uint32_t *scope_files;
	size_t scope_count;
	struct ear_spans scope_spans;
	bool has_scopes;
};

struct ear_names {
	struct ear_channel channel;
	struct names_file files[EAR_MESSAGE_FILES_MAX];
	size_t count;
	struct names_merged *merged;
	char message[NAMES_MESSAGE_MAX];
	struct ear_unwind_cache *unwind; /* of unwind.c; plain memory */
};

/* Ask the helper about a file; it is started again if it broke off over another one. Returns 0 and
 * the answer, for free(); or an error with the object's message.
 */
int names_ask(struct ear_names *names, size_t file, uint32_t kind, const void *bytes, size_t size,
	uint8_t **answer, size_t *answer_size);

/* Set the message: "PATH: what". Returns error. path NULL: what alone. */
int names_fail(struct ear_names *names, int error, const char *path, const char *form, ...)
	__attribute__((format(printf, 4, 5)));

/* An address of a file as the traced system has it, and back. */
uint64_t names_there(const struct names_file *file, uint64_t address);
uint64_t names_here(const struct names_file *file, uint64_t address);

/* A name without its arguments: its size, and where it begins in *text. */
size_t names_without_arguments(const char *name, const char **text);

/* Scopes of the debug information, and the name of one that is inlined; NULL: it is not. */
size_t names_inlined_count(const struct ear_names *names);
const char *names_inlined_name(const struct ear_names *names, size_t i);

/* Which file has code or data at this address; the number of files if none. */
size_t names_file_at(const struct ear_names *names, uint64_t address);

#endif
