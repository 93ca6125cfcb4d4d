/* A fixed buffer over the reader of a capture file.
 *
 * What is unused moves to the front before each fill: frames are short beside the buffer, so little
 * is copied, and a caller sees each frame whole without wrapping around. A fill ends early
 * where a loss, a line diff or a state comes, because these belong between two bytes.
 */
#include "library/shot/window.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_SIZE (256u << 10)

int ear_window_init(
	struct ear_window *window, int fd, const uint8_t *prefix, size_t prefix_size, bool partial)
{
	*window = (struct ear_window){.partial = partial};
	window->buffer = malloc(WINDOW_SIZE);
	if (!window->buffer)
		return EAR_E_NO_MEMORY;
	return ear_shot_reader_new(&window->reader, fd, prefix, prefix_size);
}

void ear_window_fini(struct ear_window *window)
{
	ear_shot_reader_free(window->reader);
	free(window->buffer);
	*window = (struct ear_window){.final = true};
}

int ear_window_fill(struct ear_window *window)
{
	memmove(window->buffer, ear_window_bytes(window), ear_window_size(window));
	window->end -= window->begin;
	window->begin = 0;
	window->at_loss = window->at_line_diff = window->at_state = false;

	while (window->end < WINDOW_SIZE && !window->final && !window->at_loss &&
		!window->at_line_diff && !window->at_state) {
		size_t count;
		int item = ear_shot_reader_next(window->reader, window->buffer + window->end,
			WINDOW_SIZE - window->end, &count);
		if (item < 0)
			return item;
		window->final = item == EAR_SHOT_END;
		window->end_meant = window->final && ear_shot_reader_ends_meant(window->reader);
		window->at_loss = item == EAR_SHOT_LOSS;
		window->at_line_diff = item == EAR_SHOT_LINE_DIFF;
		window->at_state = item == EAR_SHOT_STATE;
		window->loss_size = window->at_loss ? count : 0;
		if (item == EAR_SHOT_BYTES)
			window->end += count;
		if (item == EAR_SHOT_BYTES && window->partial)
			break;
	}
	return 0;
}

static void empty(struct ear_window *window)
{
	window->begin = window->end = 0;
	window->final = window->at_loss = window->at_line_diff = window->at_state = false;
}

int ear_window_seek(struct ear_window *window, uint64_t file_offset)
{
	empty(window);
	return ear_shot_reader_seek(window->reader, file_offset);
}

int ear_window_jump(
	struct ear_window *window, uint64_t file_offset, uint64_t frame_byte, uint64_t byte)
{
	uint64_t found_offset, found_byte;

	empty(window);
	if (frame_byte > byte)
		return EAR_E_BAD_FILE;
	ear_shot_reader_jump(window->reader, file_offset, frame_byte);
	for (uint64_t left = byte - frame_byte;;) {
		int result = ear_window_fill(window);
		if (result)
			return result;
		size_t size = ear_window_size(window);
		/* All of them come from one zstd frame, which begins where it is said to begin. */
		uint64_t at = left < size ? byte : byte - left;
		if (!ear_shot_reader_place(window->reader, at, &found_offset, &found_byte) ||
			found_offset != file_offset || found_byte != frame_byte)
			return EAR_E_BAD_FILE;
		if (left < size) {
			ear_window_consume(window, (size_t)left);
			return 0;
		}
		if (window->final || window->at_loss || window->at_state || window->at_line_diff)
			return EAR_E_BAD_FILE;
		ear_window_consume(window, size);
		left -= size;
	}
}

int ear_window_jump_state(struct ear_window *window, uint64_t file_offset, uint64_t byte)
{
	empty(window);
	ear_shot_reader_jump(window->reader, file_offset, byte);
	int result = ear_window_fill(window);
	if (result == 0 && (!window->at_state || ear_window_size(window) > 0))
		result = EAR_E_BAD_FILE;
	return result;
}

void ear_window_rewind(struct ear_window *window)
{
	empty(window);
	ear_shot_reader_rewind(window->reader);
}
