#ifndef EAR_WHISPER_LAYOUT_H
#define EAR_WHISPER_LAYOUT_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/formats/whisper/whisper_line.h"

/* The columns of a Whisper CSV: which there are, in what order, and a line cut into them. */

#define EAR_WHISPER_LAYOUT_MAX 64 /* columns of a file */

struct ear_whisper_layout {
	size_t count;                            /* 0: not known yet */
	uint8_t columns[EAR_WHISPER_LAYOUT_MAX]; /* enum ear_whisper_column;
						  * EAR_WHISPER_COLUMN_COUNT: unknown
						  */
	bool usual;                              /* 9, 10 or 12 columns in Whisper's order */
};

/* Take the columns from a header. Returns false, and *layout is as it was, if the line is not a
 * header: that has at least the columns pc and inst.
 */
bool ear_whisper_layout_parse(struct ear_whisper_layout *layout, struct ear_text line);

/* The usual order, for a text without a header whose first line has count columns. */
void ear_whisper_layout_assume(struct ear_whisper_layout *layout, size_t count);

bool ear_whisper_layout_has(
	const struct ear_whisper_layout *layout, enum ear_whisper_column column);

/* The columns that a line has, whatever the header says. */
size_t ear_whisper_layout_count(struct ear_text line);

/* Cut a line. Columns that the file lacks get text NULL; the last element takes the unknown ones.
 * Blanks around a column are cut off, except those of a disassembly, which may belong to it.
 * Returns NULL, or the cause if the line does not have the columns of the layout.
 */
const char *ear_whisper_layout_split(const struct ear_whisper_layout *layout, struct ear_text line,
	struct ear_text columns[EAR_WHISPER_COLUMN_COUNT + 1]);

/* A text without the blanks and tabs around it. */
struct ear_text ear_whisper_trim(struct ear_text text);

#endif
