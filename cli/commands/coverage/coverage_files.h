#ifndef EAR_COVERAGE_FILES_H
#define EAR_COVERAGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/names.h>

#include "analyses/coverage/coverage.h"

/* Lines, functions and branches of each source file, and the lists that they are made of
 * (coverage_lines.c).
 */
struct coverage_line {
	uint32_t line;
	uint64_t count;
	bool left_out, no_branches; /* marks in the source say so */
};

struct coverage_branch {
	uint32_t line;
	uint64_t address;
	uint64_t taken, not_taken;
	bool executed;
	bool hidden; /* some outcomes are not known: a way that was not seen may have been gone */
};

struct coverage_function {
	const char *name;
	size_t name_size;
	uint32_t line;
	uint64_t count;
};

struct coverage_counts {
	uint64_t lines, lines_hit, functions, functions_hit, branches, branches_hit;
};

struct coverage_file {
	const char *path; /* as the options map it */
	struct coverage_line *lines;
	struct coverage_branch *branches;
	struct coverage_function *functions;
	size_t line_count, branch_count, function_count;
	struct coverage_counts counts;
};

struct coverage_lines {
	struct coverage_file *files; /* by path; those that have lines */
	size_t file_count;
	struct coverage_counts counts;
	size_t absent;            /* sources that cannot be read */
	const char *first_absent; /* path of the first one */
	bool some_present;        /* others can be read: the absent ones are left out */
	uint64_t others; /* addresses at which the program has another instruction than ran */
	bool has_symbols;
	struct coverage_lines_store *store;
};

/* ---- The lists. ---- */

#define COVERAGE_IMAGE_SIZE 4096u

struct coverage_source_item {
	const char *path; /* of the line table */
	char *mapped;     /* path by --source; NULL: left out */
	uint32_t number;  /* the first source of the same mapped path */
	bool has_rows;    /* of the line table */
	bool absent;      /* it cannot be read */
};

/* Each item of the lists begins with the number of its source. */
struct coverage_row_item {
	uint32_t source, line, column;
	uint32_t stretch; /* of rows of the line that follow each other without a jump */
	bool is_statement;
	uint64_t copy; /* of the line: of a function, or inlined into one at a place */
	uint64_t address, count;
};

struct coverage_branch_item {
	uint32_t source;
	struct coverage_branch branch;
};

struct coverage_function_item {
	uint32_t source;
	bool is_inlined; /* its line is one of its lines */
	struct coverage_function function;
};

struct coverage_list {
	void *items;
	size_t count, room;
};

struct coverage_lines_store {
	bool no_inline; /* functions that were inlined are none of their own */
	const struct ear_coverage *coverage;
	struct ear_names *names;
	struct coverage_source_item *sources; /* by path */
	size_t source_count;
	size_t last_source;
	struct coverage_list rows, branches, functions;
	struct coverage_list copies; /* uint64_t: hashes of inlined copies, a table */
	struct coverage_list
		lines; /* of all files, as the branches and functions of all files are */
	struct coverage_list file_branches, file_functions;

	size_t file; /* of the names, being walked */
	uint32_t stretch, last_line;
	uint64_t next_address; /* of a row that would continue the stretch */
	bool jumps;            /* the last row has a jump */
	bool has_branches, has_symbols;
	uint64_t others;
	uint64_t image_at;
	size_t image_size;
	uint8_t image[COVERAGE_IMAGE_SIZE];
};

/* Room for one more, of so many bytes; NULL if memory is short. */
void *coverage_append(struct coverage_list *list, size_t size);

/* The lists, by file: lines->files, and what they point to. Returns false if memory is short. */
bool coverage_files_make(struct coverage_lines *lines);

#endif
