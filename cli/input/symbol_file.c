/* Names on the command line. A capture says which program was traced, and its SHA-256: symbols of
 * another build would select other instructions, without a sign of it, so they are refused.
 */
#include "cli/input/symbol_file.h"

#include <earshot/error.h>
#include <earshot/trace.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"
#include "cli/base/range.h"
#include "cli/input/elf_file.h"
#include "cli/options/options.h"
#include "decoder/formats/formats.h"

bool symbol_file_hash(char sha256[SYMBOL_FILE_SHA256], const char *path)
{
	int fd = ear_program_open(path, sha256);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* ear_trace_fact or ear_source_fact. */
typedef int fact(void *from, const char *key, char *text, size_t size);

static int trace_fact(void *from, const char *key, char *text, size_t size)
{
	return ear_trace_fact(from, key, text, size);
}

static int source_fact(void *from, const char *key, char *text, size_t size)
{
	return ear_source_fact(from, key, text, size);
}

static void take_fact(fact *ask, void *from, const char *key, char *text, size_t size)
{
	int length = ask(from, key, text, size);

	if (length < 0 || (size_t)length >= size)
		text[0] = '\0';
}

static void take_facts(struct symbol_file *file, fact *ask, void *from, const char *path)
{
	take_fact(ask, from, "program", file->program, sizeof(file->program));
	take_fact(ask, from, "program_path", file->absolute, sizeof(file->absolute));
	take_fact(ask, from, "program_sha256", file->sha256, sizeof(file->sha256));
	take_fact(ask, from, "program_build_id", file->build_id, sizeof(file->build_id));
	if (strlen(file->sha256) != SYMBOL_FILE_SHA256 - 1)
		file->sha256[0] = '\0';
	file->trace = path;
}

void symbol_file_of_trace(struct symbol_file *file, struct ear_trace *trace, const char *path)
{
	take_facts(file, trace_fact, trace, path);
}

void symbol_file_of_source(struct symbol_file *file, struct ear_source *source, const char *path)
{
	take_facts(file, source_fact, source, path);
}

void symbol_file_describe(struct metadata *metadata, const char *path)
{
	char sha256[SYMBOL_FILE_SHA256], build_id[SYMBOL_FILE_BUILD_ID];
	char *absolute = realpath(path, NULL);
	struct elf_file file;

	if (symbol_file_hash(sha256, path)) {
		metadata_add(metadata, "program", "%s", path);
		metadata_add(metadata, "program_sha256", "%s", sha256);
		if (elf_file_open(&file, path) == 0) {
			if (elf_file_build_id(&file, build_id, sizeof(build_id)))
				metadata_add(metadata, "program_build_id", "%s", build_id);
			elf_file_close(&file);
		}
		if (absolute && strcmp(absolute, path) != 0)
			metadata_add(metadata, "program_path", "%s", absolute);
	}
	free(absolute);
}

void symbol_file_prepare(struct symbol_file *file)
{
	if (!file->names)
		ear_names_open(&file->names);
}

/* Read an ELF file, which is open if fd is not -1, and with it the others of --elf. Returns false
 * after printing why not. */
static bool add_file(struct symbol_file *file, int fd, const char *path, uint64_t offset)
{
	if (file->has_file)
		return true;
	symbol_file_prepare(file);
	if (!file->names) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	bool good = (fd < 0 ? ear_names_add(file->names, path, offset)
			    : ear_names_add_fd(file->names, fd, path, offset)) >= 0;
	for (unsigned i = 0; i < file->more_count && good; i++)
		good = ear_names_add(file->names, file->more[i].path, file->more[i].offset) >= 0;
	if (!good) {
		cli_error("%s", ear_names_message(file->names));
		return false;
	}
	const struct ear_names_file *facts = ear_names_file(file->names, 0);
	if (!facts->has_symbols && !facts->has_debug) {
		cli_error("%s: has no symbols", path);
		if (!file->image_suffices)
			return false;
	}
	file->has_file = true;
	return true;
}

bool symbol_file_take_elf(void *value, const struct command_option *option, const char *argument)
{
	struct symbol_file *file = value;
	const char *at = strrchr(argument, '@'), *number = at ? at + 1 : NULL;
	uint64_t offset = 0;
	size_t size = strlen(argument);

	if (number && cli_take_number(&number, &offset) && *number == '\0')
		size = (size_t)(at - argument);
	else
		offset = 0;
	if (file->elf && file->more_count == SYMBOL_FILES_MAX) {
		cli_error("--%s: more than %d files", option->name, SYMBOL_FILES_MAX + 1);
		return false;
	}
	char *path = strndup(argument, size);
	if (!path) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	if (!files_read("--elf", path)) {
		free(path);
		return false;
	}
	if (file->elf) {
		file->more[file->more_count++] = (struct symbol_file_more){path, offset};
	} else {
		file->elf = path;
		file->elf_offset = offset;
	}
	return true;
}

const struct command_option symbol_file_options[] = {
	{"elf", 0, "FILE[@OFFSET]", VALUES_FILES,
		.text = "Take names, lines and contents of the program from FILE (default: the program "
			"that the capture file names, if it is found); repeat for more.",
		.detail =
			"The program is looked for under its path, beside the capture, in the folders "
			"of `EARSHOT_PATH` and by its build ID, and known by its SHA-256. "
			"OFFSET is added to the addresses of a file that was loaded elsewhere than it "
			"was linked to. A FILE whose SHA-256 is not that of the traced program is "
			"refused, unless another one has it.",
		.take = symbol_file_take_elf},
	{"elf-anyway", 0, .text = "Use --elf even if FILE is not the program that was traced.",
		OPTION_VALUE(struct symbol_file, anyway)},
	{0},
};

/* Is one of the files of --elf the traced program? */
static bool is_program(const struct symbol_file *file, char found[SYMBOL_FILE_SHA256])
{
	char other[SYMBOL_FILE_SHA256];

	if (!symbol_file_hash(found, file->elf)) {
		cli_error("%s: %s", file->elf, strerror(errno));
		return false;
	}
	bool is = strcmp(found, file->sha256) == 0;
	for (unsigned i = 0; i < file->more_count && !is; i++)
		is = symbol_file_hash(other, file->more[i].path) &&
		     strcmp(other, file->sha256) == 0;
	if (is)
		return true;
	cli_error(
		"%s: is not the program that was traced, its symbols may be elsewhere:", file->elf);
	cli_error("  SHA-256 %s %s", found, file->elf);
	cli_error("  SHA-256 %s %s", file->sha256,
		file->program[0] ? file->program : "the traced program");
	cli_error("give --elf with the traced program, or --elf-anyway to take these symbols");
	return false;
}

bool symbol_file_check(struct symbol_file *file)
{
	char found[SYMBOL_FILE_SHA256];

	if (!file->elf)
		return true;
	if (!add_file(file, -1, file->elf, file->elf_offset))
		return false;
	return file->anyway || !file->sha256[0] || is_program(file, found);
}

/* Open the traced program, whose path goes to file->program. Returns as ear_program_find. */
static int open_program(
	struct symbol_file *file, char found[EAR_PROGRAM_PATH], char other[SYMBOL_FILE_SHA256])
{
	const struct ear_traced_program program = {.path = file->program,
		.absolute = file->absolute,
		.sha256 = file->sha256,
		.build_id = file->build_id,
		.trace = file->trace};
	int fd = ear_program_find(&program, found, other);

	if (fd >= 0)
		memcpy(file->program, found, sizeof(file->program));
	return fd;
}

bool symbol_file_find_program(struct symbol_file *file)
{
	char found[EAR_PROGRAM_PATH], other[SYMBOL_FILE_SHA256];
	int fd = open_program(file, found, other);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

#define WHY_MAX 640

/* Nobody gave a file: that of the traced program. Returns 1; 0 with the reason in why, which is ""
 * if the trace names none; -1 after printing it.
 */
static int add_program(struct symbol_file *file, char why[WHY_MAX])
{
	char found[EAR_PROGRAM_PATH], other[SYMBOL_FILE_SHA256];
	int fd = open_program(file, found, other);

	why[0] = '\0';
	if (fd >= 0) {
		bool good = add_file(file, fd, file->program, 0);
		close(fd);
		return good ? 1 : -1;
	}
	if (fd == EAR_E_BAD_FILE)
		snprintf(why, WHY_MAX,
			"%.400s has changed since it was traced: its SHA-256 was %.12s... and is "
			"%.12s...; use --elf FILE",
			found, file->sha256, other);
	else if (fd == EAR_E_IO)
		snprintf(why, WHY_MAX,
			"the traced program %.400s is not found; use --elf FILE, or EARSHOT_PATH",
			file->program);
	return 0;
}

/* The same, with a reason in any case. */
static int add_asked_program(struct symbol_file *file, char why[WHY_MAX])
{
	char reason[WHY_MAX];
	int result = add_program(file, reason);

	if (reason[0])
		snprintf(why, WHY_MAX, "no ELF given, and %.600s", reason);
	else
		snprintf(why, WHY_MAX, "no ELF given: use --elf FILE");
	return result;
}

struct ear_names *symbol_file_names(struct symbol_file *file)
{
	return symbol_file_names_for(file, "--names");
}

struct ear_names *symbol_file_names_for(struct symbol_file *file, const char *option)
{
	char why[WHY_MAX];

	if (file->elf)
		return symbol_file_check(file) ? file->names : NULL;
	if (file->has_file)
		return file->names;
	int result = add_asked_program(file, why);
	if (result == 0)
		cli_error("%s: there is no program to take names from (%s)", option, why);
	return result == 1 ? file->names : NULL;
}

struct ear_names *symbol_file_own_names(struct symbol_file *file)
{
	char why[WHY_MAX];
	int result = add_program(file, why);

	if (why[0])
		cli_warning("names are missing: %s", why);
	return result == 1 ? file->names : NULL;
}

/* Branch traces ----------------------------------------------------------------------------- */

const struct ear_flow_code *symbol_file_code(struct symbol_file *file)
{
	char error[EAR_FLOW_ERROR_MAX];

	if (file->code)
		return file->code;
	file->image_suffices = true;
	if (!add_file(file, -1, file->elf, file->elf_offset))
		return NULL;
	if (ear_flow_code_of_names(&file->code, file->names, error)) {
		cli_error("--elf: %s", error);
		file->code = NULL;
	}
	return file->code;
}

/* Is a trace of --elf a branch trace, as far as its format (NULL: not known) and unit show? A pipe
 * is taken for one, because it cannot be opened twice; status is 0 if stat is known. */
static bool is_branch_trace(
	const char *format, const char *unit, const struct stat *stat, int status)
{
	const struct ear_reader_format *found = format ? ear_reader_find(format) : NULL;

	if (found)
		return found->make_of_bytes;
	return !format &&
	       (unit || (status == 0 && !S_ISREG(stat->st_mode) && !S_ISDIR(stat->st_mode)));
}

int symbol_file_open_trace(struct symbol_file *file, struct ear_trace **trace, const char *path,
	struct ear_trace_options *options)
{
	struct stat found;
	const int status =
		strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &found) : stat(path, &found);
	int result = EAR_E_NO_PROGRAM;

	*trace = NULL;
	if (!file->elf || !is_branch_trace(options->format, options->unit, &found, status))
		result = ear_trace_open(trace, path, options);
	if (result != EAR_E_NO_PROGRAM || !file->elf)
		return result;
	options->code = symbol_file_code(file);
	return options->code ? ear_trace_open(trace, path, options) : 1;
}

int symbol_file_open_source(struct symbol_file *file, struct ear_source **source, int fd,
	struct ear_source_options *options)
{
	struct stat found;
	const int status = fstat(fd, &found);
	int result = EAR_E_NO_PROGRAM;

	if (!file || !file->elf ||
		!is_branch_trace(options->format, options->reader.unit, &found, status))
		result = ear_source_new(source, fd, options);
	if (result != EAR_E_NO_PROGRAM || !file || !file->elf)
		return result;
	options->reader.code = symbol_file_code(file);
	if (!options->reader.code)
		return 1;
	(void)lseek(fd, 0, SEEK_SET); /* a pipe was not read from */
	return ear_source_new(source, fd, options);
}

bool symbol_file_find(struct symbol_file *file, const char *option, const char *text, size_t size,
	struct ear_address *address)
{
	char message[EAR_ADDRESS_MESSAGE_MAX], why[WHY_MAX];

	if (!ear_address_is_number(text, size)) {
		if (file->elf && !symbol_file_check(file))
			return false;
		int result = file->has_file ? 1 : add_asked_program(file, why);
		if (result == 0)
			cli_error("%s: '%.*s' is neither a number nor a symbol (%s)", option,
				(int)size, text, why);
		if (result != 1)
			return false;
	}
	if (ear_address_parse(address, text, size, file->names, NULL, message) == 0)
		return true;
	cli_error("%s: %s", option, message);
	return false;
}

void symbol_file_close(struct symbol_file *file)
{
	ear_flow_code_free(file->code);
	ear_names_close(file->names);
	free(file->elf);
	for (unsigned i = 0; i < file->more_count; i++)
		free(file->more[i].path);
	file->elf = NULL;
	file->more_count = 0;
	file->names = NULL;
	file->code = NULL;
	file->has_file = false;
}
