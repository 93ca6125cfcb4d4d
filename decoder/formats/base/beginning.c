/* Whole lines in a buffer of their own, with room after them, as a block of an input. */
#include "decoder/formats/base/beginning.h"

#include <stdlib.h>
#include <string.h>

bool ear_beginning_open(struct ear_beginning *beginning, const char *bytes, size_t size)
{
	while (size > 0 && bytes[size - 1] != '\n')
		size--;
	*beginning = (struct ear_beginning){
		.buffer = size > 0 ? calloc(1, size + EAR_TEXT_SLACK) : NULL};
	if (!beginning->buffer)
		return false;
	if (ear_text_input_new_empty(&beginning->input) != 0) {
		free(beginning->buffer);
		return false;
	}
	memcpy(beginning->buffer, bytes, size);
	struct ear_text_block block = {.buffer = beginning->buffer,
		.capacity = size,
		.bytes = beginning->buffer,
		.size = size,
		.line_number = 1};
	ear_text_input_give_block(beginning->input, &block);
	return true;
}

void ear_beginning_close(struct ear_beginning *beginning)
{
	ear_text_input_free(beginning->input);
	free(beginning->buffer);
}
