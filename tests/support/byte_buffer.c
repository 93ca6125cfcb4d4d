#include "byte_buffer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void byte_buffer_append(struct byte_buffer *buffer, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	if (buffer->size + size > buffer->capacity) {
		buffer->capacity = 2 * (buffer->size + size);
		buffer->bytes = realloc(buffer->bytes, buffer->capacity);
		if (!buffer->bytes)
			abort();
	}
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

void byte_buffer_free(struct byte_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct byte_buffer){0};
}

void byte_buffer_sink(void *context, const uint8_t *bytes, size_t size)
{
	byte_buffer_append(context, bytes, size);
}

int byte_buffer_read_fd(struct byte_buffer *buffer, int fd)
{
	uint8_t part[16384];
	ssize_t got;

	while ((got = read(fd, part, sizeof(part))) > 0)
		byte_buffer_append(buffer, part, (size_t)got);
	return got < 0 ? -1 : 0;
}

int byte_buffer_read_file(struct byte_buffer *buffer, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;

	int result = byte_buffer_read_fd(buffer, fd);
	close(fd);
	return result;
}

uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
	/* malloc(0) may be NULL; the block is then as good as any. */
	uint8_t *copy = malloc(size);

	if (!copy && size)
		abort();
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}
