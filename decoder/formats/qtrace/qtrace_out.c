/* A file of a qtrace that is being written. */
#include "decoder/formats/qtrace/qtrace_out.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)64 << 10)

int ear_qtrace_out_init(struct ear_qtrace_out *out, int fd)
{
	*out = (struct ear_qtrace_out){.fd = fd, .buffer = malloc(BUFFER_SIZE)};
	return out->buffer ? 0 : EAR_E_NO_MEMORY;
}

void ear_qtrace_out_fini(struct ear_qtrace_out *out)
{
	free(out->buffer);
	out->buffer = NULL;
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
}

uint8_t *ear_qtrace_out_reserve(struct ear_qtrace_out *out, size_t size)
{
	if (BUFFER_SIZE - out->used < size)
		ear_qtrace_out_flush(out);
	return out->buffer + out->used;
}

void ear_qtrace_out_put(struct ear_qtrace_out *out, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		size_t count = size < EAR_QTRACE_OUT_RESERVE ? size : EAR_QTRACE_OUT_RESERVE;
		uint8_t *at = ear_qtrace_out_reserve(out, count);
		memcpy(at, bytes, count);
		ear_qtrace_out_commit(out, at + count);
		bytes += count;
		size -= count;
	}
}

/* Write all, at an offset or, if that is negative, after what was written. */
static int write_all(struct ear_qtrace_out *out, const uint8_t *bytes, size_t size, off_t offset)
{
	while (size > 0 && out->error_number == 0) {
		ssize_t done = offset < 0 ? write(out->fd, bytes, size)
					  : pwrite(out->fd, bytes, size, offset);
		if (done < 0 && errno != EINTR)
			out->error_number = errno;
		if (done <= 0)
			continue;
		bytes += done;
		size -= (size_t)done;
		offset += offset < 0 ? 0 : done;
	}
	return out->error_number ? EAR_E_IO : 0;
}

int ear_qtrace_out_flush(struct ear_qtrace_out *out)
{
	int result = write_all(out, out->buffer, out->used, -1);

	out->used = 0;
	return result;
}

int ear_qtrace_out_patch(
	struct ear_qtrace_out *out, uint64_t offset, const uint8_t *bytes, size_t size)
{
	return write_all(out, bytes, size, (off_t)offset);
}
