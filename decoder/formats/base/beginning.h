#ifndef EAR_BEGINNING_H
#define EAR_BEGINNING_H

#include <stdbool.h>

#include "decoder/text/text_input.h"

/* The beginning of a text as an input of its own, for a reader that only shows what the text is
 * like. */
struct ear_beginning {
	struct ear_text_input *input;
	char *buffer;
};

/* Copy the whole lines of bytes[0 .. size-1]. Returns false if there is none, or memory is short;
 * else to be closed. */
bool ear_beginning_open(struct ear_beginning *beginning, const char *bytes, size_t size);
void ear_beginning_close(struct ear_beginning *beginning);

#endif
