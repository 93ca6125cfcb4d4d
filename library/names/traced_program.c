/* Finding the program of a trace.
 *
 * A capture outlives the folder that it was made in, so its program is known by its contents. The
 * names under which it may be are tried in turn, the likely ones first; a file with another SHA-256
 * is as good as none. Paths come from a capture, which may be hostile: only regular files are read.
 */
#include "library/names/traced_program.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
/* sha2.h needs the types above it. */
#include <sha2.h>
#include <unistd.h>

#define DEBUG_FOLDER "/usr/lib/debug" /* where distributions have files by build ID */

_Static_assert(EAR_PROGRAM_SHA256 == SHA256_DIGEST_STRING_LENGTH, "the text of a SHA-256");

/* Returns 0, or EAR_E_IO with errno. */
static int hash_file(int fd, char sha256[EAR_PROGRAM_SHA256])
{
	uint8_t bytes[65536];
	SHA2_CTX context;
	off_t offset = 0;

	SHA256Init(&context);
	for (;;) {
		ssize_t got = pread(fd, bytes, sizeof(bytes), offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		if (got == 0)
			break;
		SHA256Update(&context, bytes, (size_t)got);
		offset += got;
	}
	SHA256End(&context, sha256);
	return 0;
}

int ear_program_open(const char *path, char sha256[EAR_PROGRAM_SHA256])
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return EAR_E_IO;
	errno = EINVAL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && hash_file(fd, sha256) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return EAR_E_IO;
}

struct search {
	const struct ear_traced_program *program;
	char *found, *other;
	bool any; /* found and other are filled in */
	int fd;   /* -1: not found yet */
};

/* Is it the file with this name? */
__attribute__((format(printf, 2, 3))) static void try_name(
	struct search *search, const char *format, ...)
{
	char path[EAR_PROGRAM_PATH], sha256[EAR_PROGRAM_SHA256];
	va_list values;

	if (search->fd >= 0)
		return;
	va_start(values, format);
	int size = vsnprintf(path, sizeof(path), format, values);
	va_end(values);
	int fd = size > 0 && (size_t)size < sizeof(path) ? ear_program_open(path, sha256) : -1;
	if (fd < 0)
		return;
	bool is = strcmp(sha256, search->program->sha256) == 0;
	if (is)
		search->fd = fd;
	else
		close(fd);
	if (is || !search->any) {
		memcpy(search->found, path, sizeof(path));
		memcpy(search->other, sha256, sizeof(sha256));
		search->any = true;
	}
}

/* The file by its build ID, in a folder as GDB and distributions lay them out. */
static void try_build_id(struct search *search, const char *folder, size_t size)
{
	const char *id = search->program->build_id;

	if (!id || strlen(id) < 3 || id[strspn(id, "0123456789abcdef")] != '\0')
		return;
	try_name(search, "%.*s/.build-id/%.2s/%s.debug", (int)size, folder, id, id + 2);
	try_name(search, "%.*s/.build-id/%.2s/%s", (int)size, folder, id, id + 2);
}

/* A folder, in which the program may have its own name or be under its path. */
static void try_folder(struct search *search, const char *folder, size_t size)
{
	const char *path = search->program->path, *slash = strrchr(path, '/');

	try_name(search, "%.*s/%s", (int)size, folder, slash ? slash + 1 : path);
	if (slash && path[0] != '/')
		try_name(search, "%.*s/%s", (int)size, folder, path);
	try_build_id(search, folder, size);
}

int ear_program_find(const struct ear_traced_program *program, char found[EAR_PROGRAM_PATH],
	char other[EAR_PROGRAM_SHA256])
{
	struct search search = {.program = program, .found = found, .other = other, .fd = -1};
	const char *trace = program->trace, *folders = getenv("EARSHOT_PATH");
	const char *slash = trace ? strrchr(trace, '/') : NULL;

	if (!program->path || !program->path[0] || !program->sha256 || !program->sha256[0])
		return EAR_E_UNSUPPORTED;
	try_name(&search, "%s", program->path);
	if (program->absolute && program->absolute[0])
		try_name(&search, "%s", program->absolute);
	if (slash)
		try_folder(&search, trace, slash == trace ? 1 : (size_t)(slash - trace));
	else
		try_folder(&search, ".", 1);
	while (folders && *folders && search.fd < 0) {
		size_t size = strcspn(folders, ":");
		if (size > 0)
			try_folder(&search, folders, size);
		folders += size + (folders[size] == ':');
	}
	try_build_id(&search, DEBUG_FOLDER, strlen(DEBUG_FOLDER));
	if (search.fd >= 0)
		return search.fd;
	return search.any ? EAR_E_BAD_FILE : EAR_E_IO;
}
