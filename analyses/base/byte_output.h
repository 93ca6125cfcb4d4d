#ifndef EAR_ANALYSES_BYTE_OUTPUT_H
#define EAR_ANALYSES_BYTE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A buffer before the file that an analysis makes.
 *
 *     struct ear_byte_output output = {.write = write_file, .context = file};
 *     ear_byte_output_begin(&output);
 *     char *at = ear_byte_output_room(&output, 64);
 *     ... *at++ = ..
 *     ear_byte_output_take(&output, at);
 *     ear_byte_output_flush(&output);
 *     ear_byte_output_end(&output);
 *
 * The first error is kept: what comes after it is dropped, and every flush returns it.
 */
#define EAR_BYTE_OUTPUT_ROOM 16384u /* bytes that can be asked for at once */

struct ear_byte_output {
	/* Returns 0, or any other value, which is kept. */
	int (*write)(void *context, const void *bytes, size_t size);
	void *context;
	char *buffer;
	size_t used;
	uint64_t written; /* given to write */
	int error;
};

/* write and context are set. Returns 0 or EAR_E_NO_MEMORY. */
int ear_byte_output_begin(struct ear_byte_output *output);
void ear_byte_output_end(struct ear_byte_output *output); /* what was not flushed is gone */

int ear_byte_output_flush(struct ear_byte_output *output);

/* Where the next bytes go, at most EAR_BYTE_OUTPUT_ROOM of them. */
char *ear_byte_output_make_room(struct ear_byte_output *output, size_t size);
#define EAR_BYTE_OUTPUT_SIZE (1u << 18)

static inline char *ear_byte_output_room(struct ear_byte_output *output, size_t size)
{
	return output->used + size <= EAR_BYTE_OUTPUT_SIZE
		       ? output->buffer + output->used
		       : ear_byte_output_make_room(output, size);
}

/* They were written up to end. */
static inline void ear_byte_output_take(struct ear_byte_output *output, const char *end)
{
	output->used = (size_t)(end - output->buffer);
}

/* A short text, at most EAR_BYTE_OUTPUT_ROOM bytes of it. */
void ear_byte_output_print(struct ear_byte_output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* value in decimal at *at: where it ends. At most 20 characters. */
char *ear_byte_output_decimal(char *at, uint64_t value);

#endif
