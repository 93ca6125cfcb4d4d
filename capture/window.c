/* A fixed buffer over the reader of a capture file.
 *
 * What is unused moves to the front before each fill: frames are short beside the buffer, so little
 * is copied, and a caller sees each frame whole without wrapping around. A fill ends early
 * where a loss, a line diff or a state comes, because these belong between two bytes.
 */
#include "capture/window.h"

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

int ear_window_seek(struct ear_window *window, uint64_t file_offset)
{
	window->begin = window->end = 0;
	window->final = window->at_loss = window->at_line_diff = window->at_state = false;
	return ear_shot_reader_seek(window->reader, file_offset);
}
