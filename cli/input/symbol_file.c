/* Symbols on the command line. A capture says which program was traced, and its SHA-256: symbols of
 * another build would select other instructions, without a sign of it, so they are refused.
 */
#include "cli/input/symbol_file.h"

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
#include "cli/input/symbols.h"

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

bool symbol_file_check(struct symbol_file *file)
{
	char found[SYMBOL_FILE_SHA256];

	if (!file->elf)
		return true;
	if (!file->symbols)
		file->symbols = symbols_open(file->elf);
	if (!file->symbols)
		return false; /* why not was printed */
	if (file->anyway || !file->sha256[0])
		return true;
	if (!symbol_file_hash(found, file->elf)) {
		cli_error("%s: %s", file->elf, strerror(errno));
		return false;
	}
	if (strcmp(found, file->sha256) == 0)
		return true;
	cli_error(
		"%s: is not the program that was traced, its symbols may be elsewhere:", file->elf);
	cli_error("  SHA-256 %s %s", found, file->elf);
	cli_error("  SHA-256 %s %s", file->sha256,
		file->program && file->program[0] ? file->program : "the traced program");
	cli_error("give --elf with the traced program, or --elf-anyway to take these symbols");
	return false;
}

static void tell_unknown(const char *option, const char *text, size_t size, const char *why)
{
	cli_error("%s: '%.*s' is neither a number nor a symbol%s", option, (int)size, text, why);
}

/* Nobody gave a file: that of the traced program, if it is still the same. */
static bool open_program(
	struct symbol_file *file, const char *option, const char *text, size_t size)
{
	char found[SYMBOL_FILE_SHA256], why[640] = " (no ELF given: use --elf FILE)";
	const char *program = file->program;

	if (program && program[0] && file->sha256[0]) {
		bool read = symbol_file_hash(found, program);
		if (read && strcmp(found, file->sha256) == 0) {
			file->symbols = symbols_open(program);
			return file->symbols != NULL; /* why not was printed */
		}
		if (read)
			snprintf(why, sizeof(why),
				" (no ELF given, and %.400s has changed since it was traced: its "
				"SHA-256 was %.12s... and is %.12s...; use --elf FILE)",
				program, file->sha256, found);
		else
			snprintf(why, sizeof(why),
				" (no ELF given, and the traced program %.400s: %s; use --elf "
				"FILE)",
				program, strerror(errno));
	}
	tell_unknown(option, text, size, why);
	return false;
}

/* SYMBOL+OFFSET. Returns false if it is no such, or there is no such symbol. */
static bool find_offset(struct symbol_file *file, char *name, uint64_t *first, uint64_t *last)
{
	char *plus = strrchr(name, '+'), *end;

	if (!plus || plus == name || plus[1] < '0' || plus[1] > '9')
		return false;
	errno = 0;
	uint64_t offset = strtoull(plus + 1, &end, 0);
	*plus = '\0';
	bool found = errno == 0 && *end == '\0' && symbols_find(file->symbols, name, first, last) &&
		     offset <= UINT64_MAX - *first;
	*plus = '+';
	if (found)
		*first = *last = *first + offset;
	return found;
}

bool symbol_file_find(struct symbol_file *file, const char *option, const char *text, size_t size,
	uint64_t *first, uint64_t *last)
{
	char why[480];

	if (file->elf && !symbol_file_check(file))
		return false;
	if (!file->symbols && !open_program(file, option, text, size))
		return false;
	char *name = strndup(text, size);
	bool found = name && (symbols_find(file->symbols, name, first, last) ||
				     find_offset(file, name, first, last));
	free(name);
	if (found)
		return true;
	snprintf(why, sizeof(why), " of %.400s", file->elf ? file->elf : file->program);
	tell_unknown(option, text, size, why);
	return false;
}

void symbol_file_close(struct symbol_file *file)
{
	symbols_close(file->symbols);
	file->symbols = NULL;
}
