/* A file of a qtrace, as a row of numbers. */
#include "decoder/formats/qtrace/qtrace_in.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)64 << 10)

int ear_qtrace_in_init(struct ear_qtrace_in *in, int fd)
{
	*in = (struct ear_qtrace_in){.fd = fd};
	in->buffer = malloc(BUFFER_SIZE);
	return in->buffer ? 0 : EAR_E_NO_MEMORY;
}

void ear_qtrace_in_fini(struct ear_qtrace_in *in)
{
	free(in->buffer);
	in->buffer = NULL;
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
}

int ear_qtrace_in_fail(struct ear_qtrace_in *in, const char *cause)
{
	if (!in->error) {
		in->error = EAR_E_BAD_FILE;
		in->cause = cause;
	}
	return in->error;
}

/* Have size bytes in the buffer, or all that are left. */
static void fill(struct ear_qtrace_in *in, size_t size)
{
	if (in->end - in->at >= size || in->fd < 0 || in->error)
		return;
	memmove(in->buffer, in->buffer + in->at, in->end - in->at);
	in->base += in->at;
	in->end -= in->at;
	in->at = 0;
	while (in->end < size) {
		ssize_t got = read(in->fd, in->buffer + in->end, BUFFER_SIZE - in->end);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			in->error = EAR_E_IO;
			in->error_number = errno;
		}
		if (got <= 0)
			return;
		in->end += (size_t)got;
	}
}

bool ear_qtrace_in_ended(struct ear_qtrace_in *in)
{
	fill(in, 1);
	return in->at == in->end && !in->error;
}

uint64_t ear_qtrace_in_slow(struct ear_qtrace_in *in, bool is_signed)
{
	fill(in, EAR_QTRACE_VARINT_MAX);
	if (in->error)
		return 0;
	size_t left = in->end - in->at;
	const uint8_t *at = in->buffer + in->at;
	unsigned size = left ? ear_qtrace_size(*at) : 0;
	if (left && size == 0) {
		ear_qtrace_in_fail(in, "no number begins with this byte");
		return 0;
	}
	if (left == 0 || size > left) {
		ear_qtrace_in_fail(in, "the file ends before its end mark");
		return 0;
	}
	in->at += size;
	return is_signed ? (uint64_t)ear_qtrace_get_signed(at, size) : ear_qtrace_get(at, size);
}

int ear_qtrace_in_bytes(struct ear_qtrace_in *in, uint8_t *to, size_t size)
{
	while (size > 0 && !in->error) {
		if (ear_qtrace_in_ended(in))
			return ear_qtrace_in_fail(in, "the file ends inside of a record");
		size_t count = in->end - in->at < size ? in->end - in->at : size;
		memcpy(to, in->buffer + in->at, count);
		in->at += count;
		to += count;
		size -= count;
	}
	return in->error;
}
