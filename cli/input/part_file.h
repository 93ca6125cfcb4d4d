#ifndef CLI_PART_FILE_H
#define CLI_PART_FILE_H

#include <stdbool.h>

#include "analyses/base/part.h"
#include "cli/input/trace_parts.h"

/* Files of parts (analyses/base/part.h) on the command line, one after the other. */
struct part_files {
	FILE *file;
	struct ear_part_reader reader;
	struct ear_part_head head, last; /* of the file that is open, or was; of the one before */
	uint64_t begin;                  /* of the first one */
	unsigned count;
};

/* Is the file one, by its first bytes? */
bool part_file_is_one(const char *path);

/* The next one, of an analysis: of the same trace and program as the one before it, which it
 * follows. Returns false after printing why not; close it all the same. */
bool part_files_open(struct part_files *files, const char *path, const char *analysis);
void part_files_close(struct part_files *files);

/* Print what is wrong with the file that is open. */
void part_files_fail(const struct part_files *files, const char *path);

/* The names of the program that the last one was counted with, if it is still there, or of --elf,
 * into input->names. Returns false after printing why --elf cannot be taken. */
bool part_files_find_names(const struct part_files *files, struct trace_input *input);

/* Before the first one: signals, and the right to read files only. */
void part_files_begin(struct trace_input *input, const char *path);

/* Say so if they are not the whole trace. */
void part_files_check_whole(const struct part_files *files);

/* The head of a part that was read from a trace. Returns false after printing why
 * there is none. */
bool part_file_head(struct ear_part_head *head, const struct trace_parts *parts,
	const struct trace_input *input, const char *analysis);

#endif
