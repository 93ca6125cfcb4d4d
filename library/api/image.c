/* The image of a trace's program: a copy of its segments, in one piece of memory.
 */
#include <stdlib.h>
#include <string.h>

#include <earshot/moment.h>

#include "library/api/trace_internal.h"
#include "library/memory/memory_state.h"

/* The bytes of all segments; UINT64_MAX if they cannot be. */
static uint64_t size_of(const struct ear_image_segment *segments, size_t count)
{
	uint64_t size = 0;

	if (count > EAR_IMAGE_MAX)
		return UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		const struct ear_image_segment *segment = &segments[i];
		if (segment->size > EAR_IMAGE_MAX - size ||
			segment->address + segment->size < segment->address)
			return UINT64_MAX;
		size += segment->size;
	}
	return size;
}

struct ear_memory_segment *ear_image_new(size_t count, uint64_t size, uint8_t **bytes)
{
	struct ear_memory_segment *image = calloc(1, count * sizeof(*image) + (size_t)size + 1);

	if (image)
		*bytes = (uint8_t *)(image + count);
	return image;
}

int ear_trace_take_image(struct ear_trace *trace, struct ear_memory_segment *image, size_t count)
{
	if (trace->memory.asked) {
		free(image);
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the image must be given before memory is asked for");
	}
	free(trace->memory.image);
	trace->memory.image = image;
	trace->memory.image_count = count;
	return 0;
}

int ear_trace_set_image(
	struct ear_trace *trace, const struct ear_image_segment *segments, size_t count)
{
	uint64_t size = size_of(segments, count);
	uint8_t *bytes;

	if (size == UINT64_MAX)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the image has a segment that cannot be, or is too large");
	struct ear_memory_segment *copy = ear_image_new(count, size, &bytes);
	if (!copy)
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < count; i++) {
		copy[i] = (struct ear_memory_segment){.address = segments[i].address,
			.size = segments[i].size,
			.bytes = bytes,
			.writable = segments[i].writable};
		if (segments[i].size)
			memcpy(bytes, segments[i].bytes, (size_t)segments[i].size);
		bytes += segments[i].size;
	}
	return ear_trace_take_image(trace, copy, count);
}
