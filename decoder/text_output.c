#include "decoder/text_output.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/error.h"

#define BUFFER_SIZE (4u * EAR_TEXT_RESERVE_MAX)

int ear_text_output_init(struct ear_text_output *output, int fd)
{
	*output = (struct ear_text_output){.fd = fd};
	output->buffer = malloc(BUFFER_SIZE);
	return output->buffer ? 0 : EAR_E_NO_MEMORY;
}

int ear_text_output_flush(struct ear_text_output *output)
{
	size_t done = 0;

	while (done < output->used && !output->error) {
		ssize_t written = write(output->fd, output->buffer + done, output->used - done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			output->error = EAR_E_IO;
			output->error_number = errno;
			break;
		}
		done += (size_t)written;
		output->written += (uint64_t)written;
	}
	output->used = 0;
	return output->error;
}

char *ear_text_output_reserve(struct ear_text_output *output, size_t size)
{
	assert(size <= EAR_TEXT_RESERVE_MAX);
	if (output->used + size > BUFFER_SIZE)
		ear_text_output_flush(output);
	return output->buffer + output->used;
}

void ear_text_output_commit(struct ear_text_output *output, const char *end)
{
	output->used = (size_t)(end - output->buffer);
	assert(output->used <= BUFFER_SIZE);
}

void ear_text_output_fini(struct ear_text_output *output)
{
	free(output->buffer);
	output->buffer = NULL;
}
