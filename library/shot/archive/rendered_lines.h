#ifndef EAR_RENDERED_LINES_H
#define EAR_RENDERED_LINES_H

#include "decoder/formats/base/writer.h"
#include "library/shot/archive/line_diff.h"

/* The lines of records in memory, which a line diff (line_diff.h) changes into the text that a
 * capture file was packed from. docs/file-format.md, section 6.
 */

/* Whose lines. The numbers are those of the file. */
#define EAR_LINES_WHISPER 1

#define EAR_LINES_NO_HART 0x01 /* without the hart column */
#define EAR_LINES_WALKS   0x02 /* with the columns of page walks */
#define EAR_LINES_CR      0x04 /* lines end with CR LF */
#define EAR_LINES_FLAGS   0x07

struct ear_rendered_lines {
	const struct ear_writer_format *format;
	unsigned flags; /* EAR_LINES_* */
	struct ear_writer *writer;
	struct ear_text_output text;
	size_t *ends;
	size_t count, capacity;
};

/* format: one that writes a line for each record. Returns 0 or EAR_E_NO_MEMORY; fini is right in
 * both cases. */
int ear_rendered_lines_init(
	struct ear_rendered_lines *lines, const struct ear_writer_format *format);
void ear_rendered_lines_fini(struct ear_rendered_lines *lines);

/* Begin anew, keeping the memory: lines with these flags. Returns 0 or EAR_E_NO_MEMORY. */
int ear_rendered_lines_begin(struct ear_rendered_lines *lines, unsigned flags);

/* Append the line of a record. Returns 0 or EAR_E_NO_MEMORY. */
int ear_rendered_lines_push(struct ear_rendered_lines *lines, const struct ear_record *record);

/* The lines pushed, valid until the next call. */
struct ear_lines ear_rendered_lines_get(const struct ear_rendered_lines *lines);

#endif
