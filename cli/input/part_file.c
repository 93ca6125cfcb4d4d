#include "cli/input/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/files.h"

#define MAGIC "earshot-part "
#define BEGIN (1u << 20) /* bytes of a trace that distinguish it from others, with its size */

static int open_plain(const char *path, struct stat *status)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, status) != 0 || !S_ISREG(status->st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

bool part_file_is_one(const char *path)
{
	char begin[sizeof(MAGIC) - 1];
	struct stat status;
	int fd = open_plain(path, &status);

	if (fd < 0)
		return false;
	bool is = read(fd, begin, sizeof(begin)) == (ssize_t)sizeof(begin) &&
		  memcmp(begin, MAGIC, sizeof(begin)) == 0;
	close(fd);
	return is;
}

void part_files_fail(const struct part_files *files, const char *path)
{
	cli_error("%s: %s", path, files->reader.error);
}

static bool follows(const struct part_files *files, const char *path)
{
	const struct ear_part_head *head = &files->head, *last = &files->last;

	if (files->count == 0)
		return true;
	if (strcmp(head->program_sha256, last->program_sha256) != 0)
		cli_error("%s: it was counted with another program than the part before it", path);
	else if (strcmp(head->trace, last->trace) != 0 || head->size != last->size)
		cli_error("%s: it is of another trace than the part before it", path);
	else if (strcmp(head->options, last->options) != 0)
		cli_error("%s: it was counted with other options than the part before it", path);
	else if (head->begin != last->end)
		cli_error("%s: it begins at record %" PRIu64
			  ", the part before it ends at %" PRIu64,
			path, head->begin, last->end);
	else
		return true;
	return false;
}

bool part_files_open(struct part_files *files, const char *path, const char *analysis)
{
	struct stat status;

	if (!files_read("", path))
		return false;
	int fd = open_plain(path, &status);
	files->file = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!files->file) {
		cli_error("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	files->last = files->head;
	if (!ear_part_open(&files->reader, files->file, &files->head)) {
		part_files_fail(files, path);
		return false;
	}
	if (strcmp(files->head.analysis, analysis) != 0) {
		cli_error("%s: it is a part of 'earshot %s'", path, files->head.analysis);
		return false;
	}
	if (!follows(files, path))
		return false;
	if (files->count++ == 0)
		files->begin = files->head.begin;
	return true;
}

void part_files_close(struct part_files *files)
{
	ear_part_close(&files->reader);
	if (files->file)
		fclose(files->file);
	files->file = NULL;
}

void part_files_begin(struct trace_input *input, const char *path)
{
	cli_catch_signals(NULL);
	symbol_file_prepare(&input->symbols);
	trace_input_confine(path, EAR_INDEX_NONE);
	input->path = path;
}

bool part_files_find_names(const struct part_files *files, struct trace_input *input)
{
	struct symbol_file *symbols = &input->symbols;

	snprintf(symbols->program, sizeof(symbols->program), "%s", files->head.program);
	symbols->trace = input->path;
	if (strlen(files->head.program_sha256) == SYMBOL_FILE_SHA256 - 1)
		memcpy(symbols->sha256, files->head.program_sha256, SYMBOL_FILE_SHA256);
	if (symbols->elf)
		input->names = symbol_file_check(symbols) ? symbol_file_names(symbols) : NULL;
	else if (symbols->sha256[0])
		input->names = symbol_file_own_names(symbols);
	return !symbols->elf || input->names;
}

void part_files_check_whole(const struct part_files *files)
{
	if (files->begin > 0 || files->head.end != files->head.size)
		cli_warning("the parts are the records from %" PRIu64 " to %" PRIu64 " of %" PRIu64,
			files->begin, files->head.end, files->head.size);
}

static bool tell_trace(char text[EAR_PART_WORD_MAX], const char *path)
{
	uint8_t bytes[65536];
	char digest[SHA256_DIGEST_STRING_LENGTH];
	struct stat status;
	SHA2_CTX context;
	ssize_t got = 1;
	int fd = open_plain(path, &status);

	if (fd < 0) {
		cli_error("%s: of a part the file of the trace must be there: %s", path,
			strerror(errno));
		return false;
	}
	SHA256Init(&context);
	for (size_t all = 0; all < BEGIN && got > 0; all += (size_t)got) {
		got = read(fd, bytes, sizeof(bytes));
		if (got > 0)
			SHA256Update(&context, bytes, (size_t)got);
		else
			got = 0;
	}
	close(fd);
	SHA256End(&context, digest);
	snprintf(text, EAR_PART_WORD_MAX, "%lld-%.32s", (long long)status.st_size, digest);
	return true;
}

bool part_file_head(struct ear_part_head *head, const struct trace_parts *parts,
	const struct trace_input *input, const char *analysis)
{
	const struct symbol_file *symbols = &input->symbols;
	const char *program = symbols->elf ? symbols->elf : symbols->program;

	*head = (struct ear_part_head){.begin = parts->plan.begins[0],
		.end = parts->plan.begins[1],
		.size = parts->size,
		.options = "-",
		.program = "-",
		.program_sha256 = "-"};
	snprintf(head->analysis, sizeof(head->analysis), "%s", analysis);
	if (input->names && program && program[0] && !strpbrk(program, "\n\r") &&
		symbol_file_hash(head->program_sha256, program))
		snprintf(head->program, sizeof(head->program), "%s", program);
	return tell_trace(head->trace, input->path);
}
