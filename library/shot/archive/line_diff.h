#ifndef EAR_LINE_DIFF_H
#define EAR_LINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/text/text_output.h"

/* What makes a text of the lines that a writer makes. docs/file-format.md, section 6.
 *
 * The packer compares the lines with the text and notes the differences; whoever unpacks works
 * through the line diff while the lines come.
 */

/* Lines, one a record: text[ends[i-1] .. ends[i]-1] is line i, with its line end. */
struct ear_lines {
	const char *text;
	const size_t *ends;
	size_t count;
};

/* A line diff being made. An empty one is all zero. */
struct ear_line_diff {
	uint8_t *bytes;
	size_t size, capacity;
	uint64_t copied; /* lines as they are since the last change */
};

void ear_line_diff_fini(struct ear_line_diff *diff);

/* Begin anew, keeping the memory. */
void ear_line_diff_clear(struct ear_line_diff *diff);

/* Append what makes original[0 .. size-1] of the lines. starts[i] says where the line of record i
 * begins there, in rising order; what is between those lines has no record. If that is
 * not so, the line diff is right all the same, but long.
 *
 * Returns 0 or EAR_E_NO_MEMORY.
 */
int ear_line_diff_compare(struct ear_line_diff *diff, const struct ear_lines *lines,
	const char *original, size_t size, const size_t *starts);

/* The place in a line diff that is worked through. */
struct ear_line_diff_cursor {
	const uint8_t *at, *end;
	uint64_t lines;  /* that the line diff is still for */
	uint64_t copy;   /* lines as they are before the next change */
	uint64_t passed; /* lines that the next number counts but are done with already */
	bool begun;      /* copy was read, and no change after it */
};

/* Begin with bytes[0 .. size-1], which stay the caller's, for so many lines. */
void ear_line_diff_begin(
	struct ear_line_diff_cursor *cursor, const uint8_t *bytes, size_t size, uint64_t lines);

/* Work on with the lines that come next, text[0 .. size-1], whole ones: what they become goes to
 * output. Lines that the line diff is not for go there as they are; what it inserts after its last
 * line comes right with that.
 *
 * Returns 0, an error of output, or EAR_E_BAD_FILE if the line diff cannot be followed: the lines
 * go to output as they are from there on.
 */
int ear_line_diff_apply(struct ear_line_diff_cursor *cursor, struct ear_text_output *output,
	const char *text, size_t size);

#endif
