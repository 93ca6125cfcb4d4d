#ifndef EAR_SCRIPT_H
#define EAR_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/text/text_output.h"

/* What makes a text of the lines that a writer makes. docs/file-format.md, section 6.
 *
 * The packer compares the lines with the text and notes the differences; whoever unpacks works
 * through the script while the lines come.
 */

/* Lines, one a record: text[ends[i-1] .. ends[i]-1] is line i, with its line end. */
struct ear_lines {
	const char *text;
	const size_t *ends;
	size_t count;
};

/* A script being made. An empty one is all zero. */
struct ear_script {
	uint8_t *bytes;
	size_t size, capacity;
	uint64_t copied; /* lines as they are since the last change */
};

void ear_script_fini(struct ear_script *script);

/* Begin anew, keeping the memory. */
void ear_script_clear(struct ear_script *script);

/* Append what makes original[0 .. size-1] of the lines. starts[i] says where the line of record i
 * begins there, in rising order; what is between those lines has no record. If that is
 * not so, the script is right all the same, but long.
 *
 * Returns 0 or EAR_E_NO_MEMORY.
 */
int ear_script_compare(struct ear_script *script, const struct ear_lines *lines,
	const char *original, size_t size, const size_t *starts);

/* The place in a script that is worked through. */
struct ear_script_place {
	const uint8_t *at, *end;
	uint64_t lines;  /* that the script is still for */
	uint64_t copy;   /* lines as they are before the next change */
	uint64_t passed; /* lines that the next number counts but are done with already */
	bool begun;      /* copy was read, and no change behind it */
};

/* Begin with bytes[0 .. size-1], which stay the caller's, for so many lines. */
void ear_script_begin(
	struct ear_script_place *place, const uint8_t *bytes, size_t size, uint64_t lines);

/* Work on with the lines that come next, text[0 .. size-1], whole ones: what they become goes to
 * output. Lines that the script is not for go there as they are; what it inserts behind its last
 * line comes right with that.
 *
 * Returns 0, an error of output, or EAR_E_BAD_FILE if the script cannot be followed: the lines go
 * to output as they are from there on.
 */
int ear_script_apply(struct ear_script_place *place, struct ear_text_output *output,
	const char *text, size_t size);

#endif
