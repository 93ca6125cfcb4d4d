#ifndef EAR_DECODE_RUN_H
#define EAR_DECODE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "byte_buffer.h"
#include "decoder/codec/decoder.h"

/* One run of bytes through ear_decoder, and what came out. */
struct decode_run {
	struct ear_decoder_statistics statistics;
	uint64_t digest;            /* of every field of every record, in order */
	uint64_t gap_offset;        /* stream offset of the first gap record, if there was one */
	uint64_t instruction_count; /* records counted by the sink, not by the statistics */
	uint64_t gap_count, event_count;
	int result; /* of the last ear_decoder_push */
};

/* Decode bytes[0 .. size-1]: first bytes at once, then step more each time. Each push sees a
 * heap block that ends where its bytes end. Asserts what ear_decoder_push promises about used.
 */
void decode_run(
	struct decode_run *run, const uint8_t *bytes, size_t size, size_t first, size_t step);

/* The same in one piece. */
void decode_run_whole(struct decode_run *run, const uint8_t *bytes, size_t size);

/* The same, and the decoder makes no batches of records. */
void decode_run_one_by_one(struct decode_run *run, const uint8_t *bytes, size_t size);

/* Decode in one piece to Whisper's text, appended to *text and NUL-terminated (the NUL is not
 * counted in its size).
 */
void decode_to_text(struct byte_buffer *text, const uint8_t *bytes, size_t size);

/* The text of one file descriptor from its beginning, appended as above; for writers that
 * were given a memfd.
 */
void read_back_text(struct byte_buffer *text, int fd);

/* A file in memory, open for reading and writing. Never fails: it ends the program instead. */
int memory_file(void);

#endif
