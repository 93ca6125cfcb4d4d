#ifndef EAR_COMMENT_FILTER_H
#define EAR_COMMENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/text/text_output.h"

/* Removes the comment lines of a Whisper CSV, those that begin with '#', from a text that comes in
 * parts. The rest goes to output byte for byte.
 */
#define EAR_COMMENT_FILTER_SHOWN 1024 /* bytes of a comment line that the sink gets at most */

/* A line that was removed, without its line end. */
typedef void ear_comment_sink(void *context, const char *line, size_t size);

/* All zero, but for sink and context, is the beginning. */
struct ear_comment_filter {
	ear_comment_sink *sink; /* NULL: none */
	void *context;
	bool in_line, in_comment; /* the part before ended so */
	char line[EAR_COMMENT_FILTER_SHOWN];
	size_t size; /* of the comment so far */
};

/* text[0 .. size-1] may end within a line. */
void ear_comment_filter_push(struct ear_comment_filter *filter, struct ear_text_output *output,
	const char *text, size_t size);

/* The text is over, perhaps within a comment. */
void ear_comment_filter_end(struct ear_comment_filter *filter);

#endif
