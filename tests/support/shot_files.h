#ifndef EAR_SHOT_FILES_H
#define EAR_SHOT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "byte_buffer.h"

/* Capture files in memory, written and read in one go. */

/* What came out of one file. */
struct shot_contents {
	struct byte_buffer stream;
	size_t loss_count;   /* EAR_SHOT_LOSS items */
	uint64_t loss_bytes; /* what they said in sum */
	size_t loss_at;      /* stream bytes in front of the first */
	bool is_shot, complete;
	char fault[256], mended[256]; /* empty: none */
	char created[64], device[64]; /* these facts; empty if not there */
	int result;                   /* EAR_SHOT_END or the error */
};

/* Read a file from bytes[0 .. size-1] with a buffer of buffer_size bytes. A reader that
 * does not come to an end after many items fails the test.
 */
void shot_read(
	struct shot_contents *contents, const uint8_t *bytes, size_t size, size_t buffer_size);

/* The same from an open descriptor. */
void shot_read_fd(struct shot_contents *contents, int fd, size_t buffer_size);

void shot_contents_free(struct shot_contents *contents);

/* A complete file with the stream bytes[0 .. size-1], pushed part bytes at a time; with facts
 * "device: test" and "created: ..." first. flush_every: a zstd frame ends after so many
 * pushes; 0 never.
 */
void shot_write(struct byte_buffer *file, const uint8_t *bytes, size_t size, size_t part,
	unsigned flush_every);

/* Make the parities of a file fit nothing: damage stays damage. */
void shot_spoil_parities(struct byte_buffer *file);

#endif
