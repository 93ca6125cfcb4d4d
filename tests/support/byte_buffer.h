#ifndef EAR_BYTE_BUFFER_H
#define EAR_BYTE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. All zero is an empty one; a failing allocation ends the program, which
 * is all that a test wants.
 */
struct byte_buffer {
	uint8_t *bytes;
	size_t size, capacity;
};

void byte_buffer_append(struct byte_buffer *buffer, const void *bytes, size_t size);
void byte_buffer_free(struct byte_buffer *buffer);

/* An ear_encoder_sink whose context is a struct byte_buffer. */
void byte_buffer_sink(void *context, const uint8_t *bytes, size_t size);

/* The whole file behind what is there. Returns 0, or -1 if it cannot be read. */
int byte_buffer_read_file(struct byte_buffer *buffer, const char *path);

/* The same for a descriptor, from where it stands. */
int byte_buffer_read_fd(struct byte_buffer *buffer, int fd);

/* A copy of bytes[0 .. size-1] in a heap block of exactly that size, so that a sanitizer sees
 * the first byte read after it. To be freed.
 */
uint8_t *exact_copy(const uint8_t *bytes, size_t size);

#endif
