#ifndef EAR_WINDOW_H
#define EAR_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/shot/shot.h"

/* A window onto the stream in a capture file or a dump: look at the bytes, use some, get more
 * after the rest.
 */
struct ear_window {
	struct ear_shot_reader *reader;
	uint8_t *buffer;
	size_t begin, end;  /* buffer[begin .. end-1] is unused */
	bool partial;       /* give what came instead of waiting for a full window (pipes) */
	bool final;         /* nothing comes after the window */
	bool end_meant;     /* final: and the file was to end there, without a STOP, too */
	bool at_loss;       /* bytes are missing after the window: */
	uint64_t loss_size; /* 0 unknown */
	bool at_state;      /* the state that the reader has is that after the window */
	bool at_line_diff;  /* the line diff that the reader has is for what comes after the window
			     */
};

/* Read from fd, which stays the caller's, after prefix[0 .. prefix_size-1], which was read from
 * it already (at most EAR_SHOT_PREFIX_MAX bytes).
 * Returns 0 or EAR_E_NO_MEMORY. To be ended with ear_window_fini in both cases.
 */
int ear_window_init(
	struct ear_window *window, int fd, const uint8_t *prefix, size_t prefix_size, bool partial);
void ear_window_fini(struct ear_window *window);

/* Put more bytes after the unused ones, until the window is full, the stream ends (final) has
 * a hole (at_loss), a line diff or a state comes (at_line_diff, at_state; all until the next fill).
 * Returns 0, EAR_E_IO (errno) or EAR_E_NO_MEMORY.
 */
int ear_window_fill(struct ear_window *window);

/* Continue at this offset of a capture file, where a frame begins; what is in the window is
 * dropped. Something must have been read. Returns 0 or EAR_E_IO (errno).
 */
int ear_window_seek(struct ear_window *window, uint64_t file_offset);

/* The same at a place of ear_shot_reader_place: continue with the byte of the stream at byte, in
 * the zstd frame at file_offset, whose first byte is that at frame_byte. Returns 0; EAR_E_BAD_FILE
 * if there is no such byte; EAR_E_IO (errno) or EAR_E_NO_MEMORY.
 */
int ear_window_jump(
	struct ear_window *window, uint64_t file_offset, uint64_t frame_byte, uint64_t byte);

/* Continue behind the state at file_offset, where byte of the stream comes next: the window is
 * empty and at_state. Returns as ear_window_jump. */
int ear_window_jump_state(struct ear_window *window, uint64_t file_offset, uint64_t byte);

/* Begin again, as if nothing had been read. */
void ear_window_rewind(struct ear_window *window);

static inline const uint8_t *ear_window_bytes(const struct ear_window *window)
{
	return window->buffer + window->begin;
}

static inline size_t ear_window_size(const struct ear_window *window)
{
	return window->end - window->begin;
}

/* The first size bytes are used. */
static inline void ear_window_consume(struct ear_window *window, size_t size)
{
	window->begin += size;
}

#endif
