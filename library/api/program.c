/* The program of a trace: the file that its capture names, if it is still that, and the image that
 * it had in memory before it ran.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <earshot/moment.h>
#include <earshot/names.h>

#include "library/api/trace_internal.h"
#include "library/memory/memory_state.h"
#include "library/names/traced_program.h"

/* What a capture says under a key, or "". */
static void read_fact(struct ear_trace *trace, const char *key, char *text, size_t size)
{
	if (ear_trace_fact(trace, key, text, size) < 0)
		text[0] = '\0';
}

int ear_trace_add_program(struct ear_trace *trace, struct ear_names *names)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	char absolute[EAR_PROGRAM_PATH], build_id[129];
	char found[EAR_PROGRAM_PATH], other[EAR_PROGRAM_SHA256];

	int result = ear_trace_facts(trace, &facts);
	if (result)
		return result;
	if (!facts.program)
		return ear_trace_fail(
			trace, EAR_E_UNSUPPORTED, "the trace does not name its program");
	if (!facts.program_sha256)
		return ear_trace_fail(trace, EAR_E_UNSUPPORTED,
			"the trace does not say which %s was its program", facts.program);
	read_fact(trace, "program_path", absolute, sizeof(absolute));
	read_fact(trace, "program_build_id", build_id, sizeof(build_id));
	const struct ear_traced_program program = {.path = facts.program,
		.absolute = absolute,
		.sha256 = facts.program_sha256,
		.build_id = build_id,
		.trace = trace->path};
	int fd = ear_program_find(&program, found, other);
	if (fd == EAR_E_BAD_FILE)
		return ear_trace_fail(
			trace, fd, "%s is not the program of the trace any more", found);
	if (fd < 0)
		return ear_trace_fail(trace, fd,
			"%s: the program of the trace is not there, nor beside the trace or in a "
			"folder of EARSHOT_PATH",
			facts.program);
	result = ear_names_add_fd(names, fd, found, 0);
	if (result < 0)
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
