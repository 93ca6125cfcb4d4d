/* Names on the command line. A capture says which program was traced, and its SHA-256: symbols of
 * another build would select other instructions, without a sign of it, so they are refused.
 */
#include "cli/input/symbol_file.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
/* sha2.h needs the types above it. */
#include <sha2.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/range.h"
#include "cli/options/options.h"

_Static_assert(SYMBOL_FILE_SHA256 == SHA256_DIGEST_STRING_LENGTH, "the text of a SHA-256");

/* The path may come from a hostile capture: only a regular file is read. */
bool symbol_file_hash(char sha256[SYMBOL_FILE_SHA256], const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	uint8_t bytes[65536];
	struct stat status;
	ssize_t got = -1;
	SHA2_CTX context;

	if (fd < 0)
		return false;
	if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
		errno = EINVAL;
	} else {
		SHA256Init(&context);
		while ((got = read(fd, bytes, sizeof(bytes))) > 0 || (got < 0 && errno == EINTR))
			if (got > 0)
				SHA256Update(&context, bytes, (size_t)got);
		SHA256End(&context, sha256);
	}
	int number = errno;
	close(fd);
	errno = number;
	return got == 0;
}

void symbol_file_prepare(struct symbol_file *file)
{
	if (!file->names)
		ear_names_open(&file->names);
}

/* Read an ELF file, and with it the others of --elf. Returns false after printing why not. */
static bool add_file(struct symbol_file *file, const char *path, uint64_t offset)
{
	if (file->has_file)
		return true;
	symbol_file_prepare(file);
	if (!file->names) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return false;
	}
	bool good = ear_names_add(file->names, path, offset) >= 0;
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
			"that the capture file names, if it has not changed); repeat for more.",
		.detail =
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
		file->program && file->program[0] ? file->program : "the traced program");
	cli_error("give --elf with the traced program, or --elf-anyway to take these symbols");
	return false;
}

bool symbol_file_check(struct symbol_file *file)
{
	char found[SYMBOL_FILE_SHA256];

	if (!file->elf)
		return true;
	if (!add_file(file, file->elf, file->elf_offset))
		return false;
	return file->anyway || !file->sha256[0] || is_program(file, found);
}

#define WHY_MAX 640

/* Nobody gave a file: that of the traced program, if it is still the same. Returns 1; 0 with the
 * reason in why; -1 after printing it.
 */
static int add_program(struct symbol_file *file, char why[WHY_MAX])
{
	char found[SYMBOL_FILE_SHA256];
	const char *program = file->program;

	snprintf(why, WHY_MAX, "no ELF given: use --elf FILE");
	if (!program || !program[0] || !file->sha256[0])
		return 0;
	bool read = symbol_file_hash(found, program);
	if (read && strcmp(found, file->sha256) == 0)
		return add_file(file, program, 0) ? 1 : -1;
	if (read)
		snprintf(why, WHY_MAX,
			"no ELF given, and %.400s has changed since it was traced: its SHA-256 was "
			"%.12s... and is %.12s...; use --elf FILE",
			program, file->sha256, found);
	else
		snprintf(why, WHY_MAX,
			"no ELF given, and the traced program %.400s: %s; use --elf FILE", program,
			strerror(errno));
	return 0;
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
	int result = add_program(file, why);
	if (result == 0)
		cli_error("%s: there is no program to take names from (%s)", option, why);
	return result == 1 ? file->names : NULL;
}

struct ear_names *symbol_file_own_names(struct symbol_file *file)
{
	char why[WHY_MAX];

	return add_program(file, why) == 1 ? file->names : NULL;
}

bool symbol_file_find(struct symbol_file *file, const char *option, const char *text, size_t size,
	struct ear_address *address)
{
	char message[EAR_ADDRESS_MESSAGE_MAX], why[WHY_MAX];

	if (!ear_address_is_number(text, size)) {
		if (file->elf && !symbol_file_check(file))
			return false;
		int result = file->has_file ? 1 : add_program(file, why);
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
	ear_names_close(file->names);
	free(file->elf);
	for (unsigned i = 0; i < file->more_count; i++)
		free(file->more[i].path);
	file->elf = NULL;
	file->more_count = 0;
	file->names = NULL;
	file->has_file = false;
}
