/* Opens the index of a trace; finds, builds or rebuilds it.
 *
 * Nobody ever sees half an index: it is written under another name, which is locked, and renamed
 * when it is complete. The lock is on the file, so it ends with the process that held it, however
 * that ended; the next one finds the rest of it, and begins again.
 */
#define _GNU_SOURCE /* memfd_create */
#include "library/index/index.h"

#include <earshot/error.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/hash.h"
#include "decoder/flow/flow_code.h"
#include "library/index/file/index_file.h"
#include "library/index/index_build.h"

#define NAME_SIZE   4096
#define LOCK_STEP   20 /* ms between two tries */
#define AGAIN       1  /* another program was faster: look again */
#define TRIES       16
#define HASH_DIGITS 32

struct opening {
	const char *path;
	const struct ear_index_options *options;
	struct ear_index_report *report;
	struct ear_index_report own; /* if the caller wants none */
	int trace_fd;
	struct ear_index_identity identity;
	struct ear_index_content content; /* as far as it was needed */
	char names[2][NAME_SIZE];         /* where the index may be; "": not there */
	struct ear_index *old;            /* of the trace when it was shorter, or NULL */
};

static void set_cause(struct opening *opening, const char *cause)
{
	snprintf(opening->report->cause, sizeof(opening->report->cause), "%s", cause);
}

static void set_cause_errno(struct opening *opening, const char *what, int error)
{
	char text[128] = "";

	if (strerror_r(error, text, sizeof(text)) != 0)
		snprintf(text, sizeof(text), "error %d", error);
	snprintf(opening->report->cause, sizeof(opening->report->cause), "%s: %s", what, text);
}

/* Names --------------------------------------------------------------------------------------- */

/* Make a folder and those above it. One that is there is not made: a caller who has given up the
 * right to make folders (common/sandbox/sandbox.h) makes it before. */
static bool make_folders(char *path)
{
	struct stat status;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return true;
	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
		*at = '/';
		if (!made)
			return false;
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* The cache folder into folder; false if there is none. */
static bool find_cache(const struct ear_index_options *options, char folder[NAME_SIZE])
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int size;

	if (options->cache)
		size = snprintf(folder, NAME_SIZE, "%s", options->cache);
	else if (base && base[0] == '/')
		size = snprintf(folder, NAME_SIZE, "%s/earshot", base);
	else if (home && home[0] == '/')
		size = snprintf(folder, NAME_SIZE, "%s/.cache/earshot", home);
	else
		return false;
	return size > 0 && size < NAME_SIZE;
}

static void name_in_cache(struct opening *opening, char name[NAME_SIZE])
{
	char folder[NAME_SIZE], *whole = realpath(opening->path, NULL);
	uint8_t hash[SHA256_DIGEST_LENGTH];
	char digits[HASH_DIGITS + 1];
	SHA2_CTX context;

	name[0] = '\0';
	if (!whole || !find_cache(opening->options, folder)) {
		free(whole);
		return;
	}
	SHA256Init(&context);
	SHA256Update(&context, (const uint8_t *)whole, strlen(whole));
	SHA256Final(hash, &context);
	free(whole);
	for (size_t i = 0; i < HASH_DIGITS / 2; i++)
		snprintf(digits + 2 * i, 3, "%02x", hash[i]);
	int size = snprintf(name, NAME_SIZE, "%s/%s.idx", folder, digits);
	if (size < 0 || size >= NAME_SIZE)
		name[0] = '\0';
}

static void find_names(struct opening *opening)
{
	const struct ear_index_options *options = opening->options;
	int size = 0;

	if (options->file)
		size = snprintf(opening->names[0], NAME_SIZE, "%s", options->file);
	else if (!options->only_cache)
		size = snprintf(opening->names[0], NAME_SIZE, "%s.idx", opening->path);
	if (size < 0 || size >= NAME_SIZE)
		opening->names[0][0] = '\0';
	if (!options->file)
		name_in_cache(opening, opening->names[1]);
}

/* Opening what is there ----------------------------------------------------------------------- */

/* A file that may be the index, or NULL and the cause. Returns 0 or EAR_E_NO_MEMORY. */
static int open_existing(struct opening *opening, const char *name, struct ear_index **index)
{
	struct stat status;
	/* A FIFO must not keep us waiting. */
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return 0;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return 0;
	}
	int result = ear_index_file_open(index, fd);
	if (result) {
		close(fd);
		set_cause(opening, result == EAR_E_VERSION ? "the index is of another version"
							   : "the index is damaged");
		return result == EAR_E_NO_MEMORY ? result : 0;
	}
	const struct ear_index_identity *made = &(*index)->directory.identity;
	if (ear_index_identity_may_match(made, &opening->identity))
		return 0;
	set_cause(opening, made->reading == opening->identity.reading
				   ? "the trace has changed"
				   : "the index is of other options, as --xlen, --unit and --elf");
	ear_index_file_close(*index);
	*index = NULL;
	return 0;
}

/* The checksum of the first bytes of the trace. Returns as ear_index_content_read. */
static int read_content(struct opening *opening, uint64_t size, uint64_t *checksum)
{
	opening->report->comparing = true;
	int result = ear_index_content_read(&opening->content, opening->trace_fd, size,
		opening->options->progress, opening->options->context);
	opening->report->comparing = false;
	*checksum = ear_checksum_value(&opening->content.checksum);
	return result;
}

/* Does the trace begin with the bytes that the index was made of? Returns 1: they are all of it; 0;
 * or an error. One that is shorter goes to opening->old. */
static int compare_content(struct opening *opening, struct ear_index **index)
{
	struct ear_index_identity *old = &(*index)->directory.identity;
	uint64_t checksum;
	int result = read_content(opening, old->size, &checksum);

	if (result == EAR_E_BAD_FILE || (result == 0 && checksum != old->checksum)) {
		set_cause(opening, "the trace has changed");
		return 0;
	}
	if (result)
		return result;
	if (old->size == opening->identity.size) {
		*old = opening->identity;
		old->checksum = checksum;
		return 1;
	}
	set_cause(opening, "the trace has grown");
	ear_index_file_close(opening->old);
	opening->old = *index;
	*index = NULL;
	return 0;
}

static void use_existing(struct opening *opening, unsigned name, const struct ear_index *index)
{
	snprintf(opening->report->file, sizeof(opening->report->file), "%s", opening->names[name]);
	opening->report->cached = name == 1;
	opening->report->size = index->size;
	opening->report->cause[0] = '\0';
}

static void remember(struct opening *opening, unsigned found, const struct ear_index *index);

/* Which of the candidates is the index of the trace as it is? One that nobody wrote to since comes
 * first, for the others cost reading the trace. Returns 1 and *index, 0, or an error. */
static int choose(
	struct opening *opening, struct ear_index *candidates[2], struct ear_index **index)
{
	unsigned chosen = 2;
	int result = 0;

	for (unsigned i = 0; i < 2 && chosen == 2; i++)
		if (candidates[i] &&
			ear_index_identity_is_untouched(
				&candidates[i]->directory.identity, &opening->identity))
			chosen = i;
	bool untouched = chosen < 2;
	for (unsigned i = 0; i < 2 && chosen == 2 && result == 0; i++) {
		if (candidates[i])
			result = compare_content(opening, &candidates[i]);
		if (result == 1)
			chosen = i;
	}
	if (chosen == 2)
		return result;
	use_existing(opening, chosen, candidates[chosen]);
	if (!untouched && opening->identity.change != 0)
		remember(opening, chosen, candidates[chosen]);
	*index = candidates[chosen];
	candidates[chosen] = NULL;
	return 1;
}

static int find_existing(struct opening *opening, struct ear_index **index)
{
	struct ear_index *candidates[2] = {NULL, NULL};
	int result = 0;

	for (unsigned i = 0; i < 2 && result == 0; i++)
		if (opening->names[i][0])
			result = open_existing(opening, opening->names[i], &candidates[i]);
	if (result == 0)
		result = choose(opening, candidates, index);
	ear_index_file_close(candidates[0]);
	ear_index_file_close(candidates[1]);
	return result;
}

/* Building ------------------------------------------------------------------------------------ */

static void sleep_ms(unsigned ms)
{
	const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&time, NULL);
}

/* Wait for the lock, for wait_ms or if it is -1 as long as it takes. Returns 0; AGAIN: another
 * program held it meanwhile; EAR_E_UNSUPPORTED: it did for too long; EAR_E_CANCELLED. */
static int take_lock(struct opening *opening, int fd, int wait_ms)
{
	const struct ear_index_options *options = opening->options;
	int waited = 0;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0; /* a file system without locks */
		if (wait_ms >= 0 && waited >= wait_ms) {
			set_cause(opening, "another program is building the index");
			return EAR_E_UNSUPPORTED;
		}
		if (options->progress && options->progress(options->context, 0, 0) != 0)
			return EAR_E_CANCELLED;
		sleep_ms(LOCK_STEP);
		waited += LOCK_STEP;
	}
	return waited > 0 ? AGAIN : 0;
}

/* Does the name still mean this file? */
static bool is_same_file(int fd, const char *name)
{
	struct stat here, there;

	return fstat(fd, &here) == 0 && stat(name, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* Only a new name, or a file, becomes the index: no device, link or folder, and not the trace.
 * Returns false with errno. */
static bool can_replace(const struct opening *opening, const char *name)
{
	struct stat there, trace;

	if (lstat(name, &there) < 0)
		return errno == ENOENT;
	if (fstat(opening->trace_fd, &trace) < 0)
		return false;
	errno = EEXIST;
	return S_ISREG(there.st_mode) &&
	       (there.st_dev != trace.st_dev || there.st_ino != trace.st_ino);
}

/* The temporary file, locked and empty. Returns its descriptor; EAR_E_IO (errno),
 * EAR_E_UNSUPPORTED, EAR_E_CANCELLED; or AGAIN in *again. */
static int open_temporary(struct opening *opening, const char *name, int wait_ms, bool *again)
{
	struct stat trace;

	*again = false;
	if (fstat(opening->trace_fd, &trace) < 0 || !can_replace(opening, name))
		return EAR_E_IO;
	mode_t mode = (trace.st_mode & 0666) | S_IRUSR | S_IWUSR;
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return EAR_E_IO;
	int result = take_lock(opening, fd, wait_ms);
	if (result == AGAIN || (result == 0 && !is_same_file(fd, name))) {
		*again = true;
		/* What we were given may be nobody's any more. */
		if (result == AGAIN && is_same_file(fd, name))
			unlink(name);
	} else if (result == 0 && ftruncate(fd, 0) < 0) {
		result = EAR_E_IO;
		unlink(name);
	}
	if (result == 0 && !*again)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return *again ? 0 : result;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int build_into(struct opening *opening, int fd)
{
	const struct ear_index_options *options = opening->options;
	struct ear_memory_range *devices = NULL;
	struct ear_index_build_options build = {.path = opening->path,
		.source = options->source,
		.jobs = options->jobs,
		.stretch = options->stretch,
		.progress = options->progress,
		.context = options->context,
		.old = options->build == EAR_INDEX_BUILD_ALWAYS ? NULL : opening->old};
	double begin = now();

	if (options->device_count > 0)
		devices = malloc(options->device_count * sizeof(*devices));
	if (options->device_count > 0 && !devices)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < options->device_count; i++)
		devices[i] = (struct ear_memory_range){options->devices[2 * i],
			options->devices[2 * i + 1] - options->devices[2 * i] + 1};
	build.devices = devices;
	build.device_count = options->device_count;
	struct ear_index_built built = {0};
	int result = read_content(opening, opening->identity.size, &opening->identity.checksum);
	if (result == 0)
		result = ear_index_build(fd, opening->trace_fd, &opening->identity, &build, &built);
	free(devices);
	opening->report->built_records = built.records - built.kept;
	opening->report->extended = built.kept > 0;
	opening->report->parts = built.parts;
	opening->report->ahead = built.ahead;
	opening->report->seconds = now() - begin;
	return result;
}

/* Write the index, which has the times of the trace as it is, with this name. Returns whether the
 * search for a name that can be written is over. */
static bool write_copy(struct opening *opening, const char *name, const struct ear_index *index)
{
	char temporary[NAME_SIZE + 8];
	bool again;

	snprintf(temporary, sizeof(temporary), "%s.tmp", name);
	int fd = can_replace(opening, name) ? open_temporary(opening, temporary, 0, &again)
					    : EAR_E_IO;
	if (fd < 0)
		return fd != EAR_E_IO;
	if (again)
		return true;
	int result = ear_index_file_copy(index, fd);
	if (result == 0 && rename(temporary, name) < 0)
		result = EAR_E_IO;
	if (result)
		unlink(temporary);
	close(fd);
	return result == 0;
}

/* The trace was compared with its index: once, if that can be written, or a copy of it in the
 * cache. If neither can be, or another program is at it, the next one compares again. */
static void remember(struct opening *opening, unsigned found, const struct ear_index *index)
{
	char folder[NAME_SIZE];

	for (unsigned i = found; i < 2; i++)
		if (opening->names[i][0] &&
			(i == 0 || !find_cache(opening->options, folder) || make_folders(folder)) &&
			write_copy(opening, opening->names[i], index))
			return;
}

/* Build the index with this name. Returns 0 and *index; 1: look again; or an error, with the cause;
 * EAR_E_IO: not here. */
static int build(struct opening *opening, const char *name, struct ear_index **index)
{
	const struct ear_index_options *options = opening->options;
	char temporary[NAME_SIZE + 8];
	bool again;

	if (!can_replace(opening, name)) {
		if (errno == EEXIST)
			set_cause(opening, "what is there is no file that an index may replace");
		else
			set_cause_errno(opening, "the index cannot be written", errno);
		return EAR_E_IO;
	}
	snprintf(temporary, sizeof(temporary), "%s.tmp", name);
	int fd = open_temporary(opening, temporary, options->wait_ms, &again);
	if (again)
		return AGAIN;
	if (fd < 0) {
		if (fd == EAR_E_IO)
			set_cause_errno(opening, "the index cannot be written", errno);
		return fd;
	}
	int result = build_into(opening, fd);
	int error = errno;
	if (result == 0 && rename(temporary, name) < 0) {
		error = errno;
		result = EAR_E_IO;
	}
	if (result) {
		unlink(temporary);
		close(fd);
		if (result == EAR_E_IO)
			set_cause_errno(opening, "the index cannot be written", error);
		else
			set_cause(opening, ear_error_text(result));
		errno = error;
		return result;
	}
	flock(fd, LOCK_UN);
	result = ear_index_file_open(index, fd);
	if (result)
		close(fd);
	return result;
}

static int build_somewhere(struct opening *opening, struct ear_index **index)
{
	int result = EAR_E_UNSUPPORTED;

	if (!opening->report->cause[0])
		set_cause(opening, "there is no folder for the index");
	for (unsigned i = 0; i < 2; i++) {
		char folder[NAME_SIZE];
		if (!opening->names[i][0])
			continue;
		if (i == 1 && find_cache(opening->options, folder) && !make_folders(folder)) {
			set_cause(opening, "no folder for the index can be written");
			continue;
		}
		result = build(opening, opening->names[i], index);
		if (result == EAR_E_IO) {
			/* Also a full disk: the cache may be on another one. */
			result = EAR_E_UNSUPPORTED;
			continue;
		}
		if (result == 0) {
			snprintf(opening->report->file, sizeof(opening->report->file), "%s",
				opening->names[i]);
			opening->report->built = true;
			opening->report->cached = i == 1;
			opening->report->size = (*index)->size;
		}
		return result;
	}
	return result;
}

/* In memory: a program that only reads may have no folder where it can write. */
static int build_private(struct opening *opening, struct ear_index **index)
{
	const int fd = memfd_create("earshot-index", MFD_CLOEXEC);
	int result = fd >= 0 ? build_into(opening, fd) : EAR_E_IO;

	if (result == 0)
		result = ear_index_file_open(index, fd);
	if (result && fd >= 0)
		close(fd);
	if (result == EAR_E_IO)
		set_cause_errno(opening, "the index cannot be kept in memory", errno);
	opening->report->built = result == 0;
	return result;
}

/* All of it ----------------------------------------------------------------------------------- */

/* How the trace is read, where that changes its records or what is known of memory. */
static uint64_t hash_reading(const struct ear_index_options *options)
{
	const struct ear_reader_options *reader = &options->source.reader;
	uint8_t words[8];
	uint64_t hash = EAR_HASH_FNV;

	ear_store_le32(words, reader->xlen);
	hash = ear_hash_bytes(hash, words, 4);
	if (reader->isa)
		hash = ear_hash_bytes(hash, reader->isa, strlen(reader->isa));
	if (reader->pattern)
		hash = ear_hash_bytes(hash, reader->pattern, strlen(reader->pattern));
	if (reader->unit)
		hash = ear_hash_bytes(hash, reader->unit, strlen(reader->unit));
	if (reader->code) {
		ear_store_le64(words, ear_flow_code_hash(reader->code));
		hash = ear_hash_bytes(hash, words, 8);
	}
	for (size_t i = 0; i < 2 * options->device_count; i++) {
		ear_store_le64(words, options->devices[i]);
		hash = ear_hash_bytes(hash, words, 8);
	}
	return hash;
}

static int identify(struct opening *opening)
{
	struct ear_source_options options = opening->options->source;
	struct ear_source *source;

	options.shared = true;
	options.fault = NULL;
	int result = ear_source_new(&source, opening->trace_fd, &options);
	if (result)
		return result == EAR_E_UNSUPPORTED ? EAR_E_BAD_FILE : result;
	result = ear_index_identity_of(&opening->identity, opening->trace_fd,
		ear_source_format(source), hash_reading(opening->options));
	ear_source_free(source);
	if (result == EAR_E_UNSUPPORTED)
		set_cause(opening, "the trace is no file that can be read at any offset");
	return result;
}

static int open_or_build(struct opening *opening, struct ear_index **index)
{
	int result = identify(opening);

	if (result)
		return result;
	if (opening->options->build == EAR_INDEX_BUILD_PRIVATE)
		return build_private(opening, index);
	find_names(opening);
	for (unsigned i = 0; i < TRIES; i++) {
		bool build_now = opening->options->build == EAR_INDEX_BUILD_ALWAYS && i == 0;
		result = build_now ? 0 : find_existing(opening, index);
		if (result != 0)
			return result == 1 ? 0 : result;
		if (opening->options->build == EAR_INDEX_BUILD_NEVER)
			return EAR_E_UNSUPPORTED;
		result = build_somewhere(opening, index);
		if (result != AGAIN)
			return result;
	}
	set_cause(opening, "other programs keep building the index");
	return EAR_E_UNSUPPORTED;
}

int ear_index_open(struct ear_index **index, const char *path,
	const struct ear_index_options *options, struct ear_index_report *report)
{
	struct opening *opening = calloc(1, sizeof(*opening));

	if (!opening)
		return EAR_E_NO_MEMORY;
	opening->path = path;
	opening->options = options;
	opening->report = report ? report : &opening->own;
	*opening->report = (struct ear_index_report){0};
	*index = NULL;
	int result = EAR_E_IO;
	opening->trace_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (opening->trace_fd >= 0) {
		result = open_or_build(opening, index);
		int error = errno;
		close(opening->trace_fd);
		errno = error;
	}
	ear_index_file_close(opening->old);
	free(opening);
	return result;
}

void ear_index_close(struct ear_index *index)
{
	ear_index_file_close(index);
}
