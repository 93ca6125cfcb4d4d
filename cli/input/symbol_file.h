#ifndef EAR_SYMBOL_FILE_H
#define EAR_SYMBOL_FILE_H

#include <earshot/address.h>
#include <earshot/branch_trace.h>
#include <earshot/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/options/command.h"
#include "cli/show/metadata.h"
#include "library/names/traced_program.h"
#include "library/source/source.h"

#define SYMBOL_FILE_SHA256   EAR_PROGRAM_SHA256
#define SYMBOL_FILE_BUILD_ID 129 /* hexadecimal digits of 64 bytes, and a NUL */

/* Where the names on a command line come from: --elf, else the program that was or will be traced,
 * if that is known and its file is found (docs/names.md, section 1).
 */
#define SYMBOL_FILES_MAX 16

struct symbol_file {
	char *elf;           /* the first --elf; NULL: not given */
	uint64_t elf_offset; /* added to its addresses */
	struct symbol_file_more {
		char *path;
		uint64_t offset;
	} more[SYMBOL_FILES_MAX]; /* the others, which count where they overlap */
	unsigned more_count;
	bool anyway;         /* --elf-anyway: another program than the traced one, too */
	bool image_suffices; /* a file without symbols is taken, with a warning */
	/* What is known of the traced program, each may be "": its path, which becomes that of the
	 * file that is found. trace: path of the trace, or NULL. */
	char program[EAR_PROGRAM_PATH], absolute[EAR_PROGRAM_PATH];
	char sha256[SYMBOL_FILE_SHA256], build_id[SYMBOL_FILE_BUILD_ID];
	const char *trace;
	struct ear_names *names;    /* NULL until it is needed, or symbol_file_prepare */
	bool has_file;              /* names has the file */
	struct ear_flow_code *code; /* of symbol_file_code */
};

/* The group of --elf and --elf-anyway, for a struct symbol_file. */
extern const struct command_option symbol_file_options[];

/* Keeps an --elf, which may be given several times: FILE, or FILE@OFFSET if it was loaded elsewhere
 * than it was linked to. For commands that have another text for it. */
command_take symbol_file_take_elf;

/* The row of a command that needs --elf for branch traces only. */
#define BRANCH_PROGRAM_OPTION(type, member) \
	{ \
		"elf", 0, "FILE[@OFFSET]", VALUES_FILES, \
			.text = "The program of a branch trace; repeat for more.", \
			OPTION_TAKEN(symbol_file_take_elf, type, member) \
	}

/* What a trace says of its program. path: of the trace, kept. */
void symbol_file_of_trace(struct symbol_file *file, struct ear_trace *trace, const char *path);
void symbol_file_of_source(struct symbol_file *file, struct ear_source *source, const char *path);

/* Say which program is traced: that of the file path, if it can be read (docs/file-format.md,
 * section 3). */
void symbol_file_describe(struct metadata *metadata, const char *path);

/* Find the traced program, without its names: file->program is its path. Returns false if it is not
 * there. */
bool symbol_file_find_program(struct symbol_file *file);

/* Start the process that reads ELF files. A command that gives up its rights does this before, if
 * it may need names. That it cannot be started is reported when a name is asked for.
 */
void symbol_file_prepare(struct symbol_file *file);

/* If --elf was given: is it an ELF file with symbols, and one of them that of the traced program?
 * Returns false after printing why not, with both hashes.
 */
bool symbol_file_check(struct symbol_file *file);

/* The names of --elf, else of the traced program, for showing addresses with them. NULL after
 * printing why not. They are the file's.
 */
struct ear_names *symbol_file_names(struct symbol_file *file);

/* The same without --elf, for a command that does without names: NULL if there are none, after a
 * warning if the trace has a program and it is not found. */
struct ear_names *symbol_file_own_names(struct symbol_file *file);

/* The text of the programs of --elf. NULL after printing why there is none. */
const struct ear_flow_code *symbol_file_code(struct symbol_file *file);

/* Open a trace: a branch trace with the text of the programs of --elf, in options->code, so that it
 * is closed before the file. Returns as ear_trace_open, with *trace NULL if it could not be; 1
 * after printing why there is no text.
 */
int symbol_file_open_trace(struct symbol_file *file, struct ear_trace **trace, const char *path,
	struct ear_trace_options *options);

/* The same for a source, whose code is in options->reader. */
int symbol_file_open_source(struct symbol_file *file, struct ear_source **source, int fd,
	struct ear_source_options *options);

/* As symbol_file_names for an option, which begins the message. */
struct ear_names *symbol_file_names_for(struct symbol_file *file, const char *option);

/* The addresses of text[0 .. size-1], in any form of earshot/address.h. option ("--pc") begins the
 * message. Returns false after printing what is wrong.
 */
bool symbol_file_find(struct symbol_file *file, const char *option, const char *text, size_t size,
	struct ear_address *address);

/* The SHA-256 of a regular file. Returns false with errno. */
bool symbol_file_hash(char sha256[SYMBOL_FILE_SHA256], const char *path);

void symbol_file_close(struct symbol_file *file);

#endif
