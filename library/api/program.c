/* The program of a trace: the file that its capture names, if it is still that, and the image that
 * it had in memory before it ran.
 */
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <earshot/moment.h>
#include <earshot/names.h>

#include "library/api/trace_internal.h"
#include "library/memory/memory_state.h"

/* The SHA-256 of what fd reads from its beginning. Returns 0, or EAR_E_IO with errno. */
static int hash_file(int fd, char sha256[SHA256_DIGEST_STRING_LENGTH])
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

/* The path may come from a hostile capture: only a regular file is read. */
static int open_program(struct ear_trace *trace, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	int number = fd < 0 ? errno : EINVAL;
	if (fd >= 0)
		close(fd);
	errno = number;
	return ear_trace_fail(trace, EAR_E_IO, "%s: %s", path, strerror(number));
}

int ear_trace_add_program(struct ear_trace *trace, struct ear_names *names)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	char found[SHA256_DIGEST_STRING_LENGTH];

	int result = ear_trace_facts(trace, &facts);
	if (result)
		return result;
	if (!facts.program)
		return ear_trace_fail(
			trace, EAR_E_UNSUPPORTED, "the trace does not name its program");
	if (!facts.program_sha256)
		return ear_trace_fail(trace, EAR_E_UNSUPPORTED,
			"the trace does not say which %s was its program", facts.program);
	int fd = open_program(trace, facts.program);
	if (fd < 0)
		return fd;
	result = hash_file(fd, found);
	if (result)
		ear_trace_fail(trace, result, "%s: %s", facts.program, strerror(errno));
	else if (strcmp(found, facts.program_sha256) != 0)
		result = ear_trace_fail(trace, EAR_E_BAD_FILE,
			"%s is not the program of the trace any more", facts.program);
	else if ((result = ear_names_add_fd(names, fd, facts.program, 0)) < 0)
		ear_trace_fail(trace, result, "%s", ear_names_message(names));
	close(fd);
	return result;
}

/* Segments of all files, of each the bytes that a loader puts into memory. */
struct image {
	struct ear_memory_segment *segments; /* NULL while they are counted */
	uint8_t *bytes;                      /* room for the next ones */
	size_t count;
	uint64_t size;
};

static int add_segment(struct ear_trace *trace, struct image *image, struct ear_names *names,
	size_t file, const struct ear_names_segment *segment)
{
	uint64_t size = segment->file_size < segment->size ? segment->file_size : segment->size;
	uint64_t offset = ear_names_file(names, file)->offset;
	uint64_t address = segment->load_address + offset;
	bool writable = segment->flags & EAR_NAMES_WRITE;

	if (size == 0)
		return 0;
	if (size > EAR_IMAGE_MAX - image->size || address + size < address)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the program has a segment that cannot be, or is too large");
	image->size += size;
	image->count++;
	if (!image->segments)
		return 0;
	image->segments[image->count - 1] = (struct ear_memory_segment){
		.address = address, .size = size, .bytes = image->bytes, .writable = writable};
	int64_t got = ear_names_image(
		names, file, segment->address + offset, image->bytes, (size_t)size, &writable);
	image->bytes += size;
	if (got == (int64_t)size)
		return 0;
	return ear_trace_fail(trace, got < 0 ? (int)got : EAR_E_BAD_FILE,
		"the program's image cannot be read: %s",
		got < 0 ? ear_names_message(names) : "its segments overlap");
}

static int add_segments(struct ear_trace *trace, struct image *image, struct ear_names *names)
{
	int result = 0;

	for (size_t i = 0; i < ear_names_file_count(names) && result == 0; i++) {
		const struct ear_names_file *file = ear_names_file(names, i);
		for (size_t s = 0; s < file->segment_count && result == 0; s++)
			result = add_segment(trace, image, names, i, &file->segments[s]);
	}
	return result;
}

/* A small file may have many segments of the same bytes, so there is one copy of them, ever. */
int ear_trace_set_program(struct ear_trace *trace, struct ear_names *names)
{
	struct image counted = {0};
	int result = add_segments(trace, &counted, names);

	if (result)
		return result;
	struct image image = {0};
	image.segments = ear_image_new(counted.count, counted.size, &image.bytes);
	if (!image.segments)
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	result = add_segments(trace, &image, names);
	if (result) {
		free(image.segments);
		return result;
	}
	return ear_trace_take_image(trace, image.segments, image.count);
}
