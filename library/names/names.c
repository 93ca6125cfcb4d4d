/* Files and the helper. A helper that breaks off over one file is started once more for the others,
 * where the process may still do that; the file is not shown to it again.
 */
#include <earshot/error.h>
#include <earshot/names.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/names/names_internal.h"

int names_fail(struct ear_names *names, int error, const char *path, const char *form, ...)
{
	char what[NAMES_MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(what, sizeof(what), form, arguments);
	va_end(arguments);
	if (path)
		snprintf(names->message, sizeof(names->message), "%.400s: %.600s", path, what);
	else
		snprintf(names->message, sizeof(names->message), "%.1000s", what);
	return error;
}

int ear_names_open(struct ear_names **names)
{
	struct ear_names *made = calloc(1, sizeof(*made));

	if (made)
		made->merged = calloc(1, sizeof(*made->merged));
	if (!made || !made->merged) {
		free(made);
		return EAR_E_NO_MEMORY;
	}
	*names = made;
	return ear_channel_open(&made->channel, made->message, sizeof(made->message));
}

static void forget_merged(struct names_merged *merged)
{
	free(merged->symbols);
	ear_spans_free(&merged->symbol_spans);
	free(merged->by_name);
	free(merged->by_source);
	free(merged->rows);
	ear_spans_free(&merged->line_spans);
	free(merged->sources);
	free(merged->scopes);
	free(merged->scope_files);
	ear_spans_free(&merged->scope_spans);
	*merged = (struct names_merged){0};
}

static void close_file(struct names_file *file)
{
	names_facts_free(&file->facts);
	names_symbols_free(&file->symbols);
	names_lines_free(&file->lines);
	names_scopes_free(&file->scopes);
	free(file->path);
	if (file->fd >= 0)
		close(file->fd);
	if (file->debug_fd >= 0)
		close(file->debug_fd);
}

void ear_names_close(struct ear_names *names)
{
	if (!names)
		return;
	ear_channel_close(&names->channel);
	for (size_t i = 0; i < names->count; i++)
		close_file(&names->files[i]);
	forget_merged(names->merged);
	free(names->merged);
	free(names->unwind);
	free(names);
}

const char *ear_names_message(const struct ear_names *names)
{
	return names->message;
}

void ear_names_set_progress(struct ear_names *names, ear_names_progress *progress, void *context)
{
	names->channel.progress = progress;
	names->channel.context = context;
}

/* ---- Asking ---- */

static int ask_helper(struct ear_names *names, struct names_file *file, uint32_t kind, int fd,
	const void *bytes, size_t size, uint8_t **answer, size_t *answer_size)
{
	const struct ear_channel_request request = {
		.kind = kind, .file = file->number, .fd = fd, .bytes = bytes, .size = size};
	char why[NAMES_MESSAGE_MAX];
	int result =
		ear_channel_ask(&names->channel, &request, answer, answer_size, why, sizeof(why));

	if (result == 0)
		return 0;
	if (names->channel.fd < 0 && result == EAR_E_BAD_FILE)
		file->is_lost = true;
	return names_fail(names, result, file->path, "%s", why);
}

/* Make a file known to the helper. */
static int open_there(struct ear_names *names, struct names_file *file, uint32_t *next,
	uint8_t **answer, size_t *size)
{
	uint8_t *other;
	size_t other_size;

	file->number = *next;
	int result = ask_helper(names, file, EAR_MESSAGE_OPEN, file->fd, NULL, 0, answer, size);
	if (result != 0)
		return result;
	file->is_open = true;
	(*next)++;
	if (file->debug_fd >= 0) {
		result = ask_helper(names, file, EAR_MESSAGE_DEBUG, file->debug_fd, NULL, 0, &other,
			&other_size);
		if (result == 0)
			free(other);
	}
	return 0;
}

static uint32_t count_open(const struct ear_names *names)
{
	uint32_t count = 0;

	for (size_t i = 0; i < names->count; i++)
		count += names->files[i].is_open;
	return count;
}

/* The helper has ended: another one, with the files that did not end it. */
static int start_again(struct ear_names *names)
{
	char why[NAMES_MESSAGE_MAX];
	uint32_t next = 0;
	uint8_t *answer;
	size_t size;

	for (size_t i = 0; i < names->count; i++)
		names->files[i].is_open = false;
	if (ear_channel_open(&names->channel, why, sizeof(why)) != 0)
		return names_fail(names, EAR_E_IO, NULL, "%s", why);
	for (size_t i = 0; i < names->count && names->channel.fd >= 0; i++)
		if (!names->files[i].is_lost &&
			open_there(names, &names->files[i], &next, &answer, &size) == 0)
			free(answer);
	return names->channel.fd >= 0 ? 0 : EAR_E_BAD_FILE;
}

int names_ask(struct ear_names *names, size_t number, uint32_t kind, const void *bytes, size_t size,
	uint8_t **answer, size_t *answer_size)
{
	struct names_file *file = &names->files[number];

	if (file->is_lost)
		return names_fail(names, EAR_E_BAD_FILE, file->path,
			"reading it failed before; it is not read again");
	if (names->channel.fd < 0) {
		int result = start_again(names);
		if (result != 0)
			return result;
	}
	if (!file->is_open)
		return names_fail(names, EAR_E_BAD_FILE, file->path, "could not be read again");
	return ask_helper(names, file, kind, -1, bytes, size, answer, answer_size);
}

/* ---- Files ---- */

static int read_tables(struct ear_names *names, struct names_file *file)
{
	uint8_t *answer;
	size_t size;
	uint32_t next = count_open(names);
	int result = open_there(names, file, &next, &answer, &size);

	if (result != 0)
		return result;
	result = names_facts_read(&file->facts, answer, size);
	free(answer);
	if (result == 0)
		result = ask_helper(names, file, EAR_MESSAGE_SYMBOLS, -1, NULL, 0, &answer, &size);
	else
		return names_fail(names, result, file->path, "%s", ear_error_text(result));
	if (result != 0)
		return result;
	result = names_symbols_read(&file->symbols, answer, size);
	free(answer);
	return result == 0 ? 0
			   : names_fail(names, result, file->path, "%s", ear_error_text(result));
}

static int add_file(struct ear_names *names, int fd, const char *path, uint64_t offset)
{
	struct names_file *file = &names->files[names->count];

	*file = (struct names_file){.fd = fd, .debug_fd = -1, .path = strdup(path)};
	int result = file->path ? 0 : EAR_E_NO_MEMORY;
	if (result == 0 && names->channel.fd < 0)
		result = start_again(names);
	if (result == 0)
		result = read_tables(names, file);
	if (result != 0) {
		/* The helper has counted it if it could open it: so that numbers stay right, it is
		 * left as it is, and a new one is started for the next file. */
		if (file->is_open)
			ear_channel_close(&names->channel);
		close_file(file);
		return result;
	}
	file->facts.file.path = file->path;
	file->facts.file.offset = offset;
	forget_merged(names->merged);
	return (int)names->count++;
}

int ear_names_add_fd(struct ear_names *names, int fd, const char *path, uint64_t offset)
{
	struct stat status;

	if (names->count == EAR_MESSAGE_FILES_MAX)
		return names_fail(
			names, EAR_E_FULL, path, "more than %d files", EAR_MESSAGE_FILES_MAX);
	if (fstat(fd, &status) != 0)
		return names_fail(names, EAR_E_IO, path, "%s", strerror(errno));
	if (!S_ISREG(status.st_mode))
		return names_fail(names, EAR_E_BAD_FILE, path, "not an ELF file");
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (own < 0)
		return names_fail(names, EAR_E_IO, path, "%s", strerror(errno));
	return add_file(names, own, path, offset);
}

static int open_path(struct ear_names *names, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 ? fd : names_fail(names, EAR_E_IO, path, "%s", strerror(errno));
}

int ear_names_add(struct ear_names *names, const char *path, uint64_t offset)
{
	int fd = open_path(names, path);

	if (fd < 0)
		return fd;
	int result = ear_names_add_fd(names, fd, path, offset);
	int number = errno;
	close(fd);
	errno = number;
	return result;
}

int ear_names_add_debug(struct ear_names *names, unsigned number, const char *path)
{
	uint8_t *answer;
	size_t size;

	if (number >= names->count)
		return names_fail(names, EAR_E_BAD_ARGUMENT, path, "there is no file %u", number);
	struct names_file *file = &names->files[number];
	int fd = open_path(names, path);
	if (fd < 0)
		return fd;
	if (file->has_lines || file->has_scopes || file->debug_fd >= 0) {
		close(fd);
		return names_fail(names, EAR_E_BAD_ARGUMENT, path,
			"the debug information of %.300s was read before", file->path);
	}
	int result = names->channel.fd < 0 ? start_again(names) : 0;
	if (result == 0)
		result = ask_helper(names, file, EAR_MESSAGE_DEBUG, fd, NULL, 0, &answer, &size);
	if (result != 0) {
		close(fd);
		return result == EAR_E_BAD_FILE ? EAR_E_BAD_ARGUMENT : result;
	}
	free(answer);
	file->debug_fd = fd;
	file->facts.file.has_debug = file->facts.file.has_lines = true;
	/* A stripped file has its symbols there. */
	struct names_symbols symbols;
	if (names_ask(names, number, EAR_MESSAGE_SYMBOLS, NULL, 0, &answer, &size) == 0) {
		if (names_symbols_read(&symbols, answer, size) == 0) {
			names_symbols_free(&file->symbols);
			file->symbols = symbols;
			file->facts.file.has_symbols |= symbols.count > 0;
		}
		free(answer);
	}
	forget_merged(names->merged);
	return 0;
}

size_t ear_names_file_count(const struct ear_names *names)
{
	return names->count;
}

const struct ear_names_file *ear_names_file(const struct ear_names *names, size_t file)
{
	return file < names->count ? &names->files[file].facts.file : NULL;
}

/* ---- Addresses of files ---- */

static uint64_t cut(const struct names_file *file, uint64_t address)
{
	return file->facts.file.xlen == 32 ? (uint32_t)address : address;
}

uint64_t names_there(const struct names_file *file, uint64_t address)
{
	return cut(file, address + file->facts.file.offset);
}

uint64_t names_here(const struct names_file *file, uint64_t address)
{
	return cut(file, address - file->facts.file.offset);
}

static bool has_address(const struct names_file *file, uint64_t address)
{
	const struct ear_names_file *facts = &file->facts.file;

	for (size_t i = 0; i < facts->section_count; i++)
		if (address - facts->sections[i].address < facts->sections[i].size)
			return true;
	for (size_t i = 0; i < facts->segment_count; i++)
		if (address - facts->segments[i].address < facts->segments[i].size)
			return true;
	return false;
}

size_t names_file_at(const struct ear_names *names, uint64_t address)
{
	for (size_t i = names->count; i > 0; i--)
		if (has_address(&names->files[i - 1], names_here(&names->files[i - 1], address)))
			return i - 1;
	return names->count;
}

/* Bytes of the file itself, as many as are wanted and there. */
static bool read_exactly(int fd, uint8_t *bytes, size_t size, uint64_t offset)
{
	while (size > 0) {
		if (offset > INT64_MAX)
			return false;
		ssize_t got = pread(fd, bytes, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return true;
}

int64_t ear_names_image(struct ear_names *names, size_t number, uint64_t address, uint8_t *bytes,
	size_t size, bool *writable)
{
	if (number >= names->count)
		return names_fail(names, EAR_E_BAD_ARGUMENT, NULL, "there is no file %zu", number);
	const struct names_file *file = &names->files[number];
	const struct ear_names_file *facts = &file->facts.file;
	address = names_here(file, address);
	for (size_t i = 0; i < facts->segment_count; i++) {
		const struct ear_names_segment *segment = &facts->segments[i];
		uint64_t at = address - segment->address;

		if (at >= segment->size)
			continue;
		if (size > segment->size - at)
			size = (size_t)(segment->size - at);
		if (size > INT32_MAX)
			size = INT32_MAX;
		uint64_t stored = at < segment->file_size ? segment->file_size - at : 0;
		size_t count = stored < size ? (size_t)stored : size;
		if (!read_exactly(file->fd, bytes, count, segment->file_offset + at))
			return names_fail(
				names, EAR_E_IO, file->path, "a segment is not in the file");
		memset(bytes + count, 0, size - count);
		*writable = segment->flags & EAR_NAMES_WRITE;
		return (int64_t)size;
	}
	return 0;
}
