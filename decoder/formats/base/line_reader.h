#ifndef EAR_LINE_READER_H
#define EAR_LINE_READER_H

#include <stdbool.h>

#include "decoder/formats/base/reader.h"
#include "decoder/formats/base/record_builder.h"

/* A base for readers of logs in which a record ends where the next one begins: the loop over the
 * lines, and the handling of a last line that is cut off. A reader begins with this struct.
 */
struct ear_line_reader {
	struct ear_reader base;
	struct ear_record_pair pair;
	/* One line, which may be empty. Sets *done to the record that it completes, if it does.
	 * Returns 0 or an error, which ends the reading. */
	int (*take)(struct ear_line_reader *reader, const char *line, size_t size,
		const struct ear_record **done);
	/* The text has ended: complete the record before the open one, if there is one. NULL: there
	 * is none. As take. */
	int (*end)(struct ear_line_reader *reader, const struct ear_record **done);
	bool cut_reported;
	/* Set by take: the part of the line to be taken again before the next one; text NULL: none.
	 * A reader cannot be saved then (ear_reader_resume.place). */
	struct ear_text rest;
};

/* Fill in everything; *reader was zeroed, and allocated with malloc. */
void ear_line_reader_init(struct ear_line_reader *reader, struct ear_text_input *input,
	const struct ear_reader_options *options,
	int (*take)(struct ear_line_reader *reader, const char *line, size_t size,
		const struct ear_record **done));

/* Do the pc, the integer registers and the addresses of a record fit XLEN, see ear_reader_fits? */
bool ear_line_reader_fits(
	const struct ear_line_reader *reader, const struct ear_record_builder *builder);

/* Skip the line taken last, which was to be a record or a part of one, as ear_reader_skip.
 * Returns 0 to continue, else the value to stop with. */
int ear_line_reader_skip(struct ear_line_reader *reader, const char *cause);

/* The same for a line of something else, as of a console: no gap, unless it is cut off. The cause
 * begins with EAR_READER_OTHER. */
int ear_line_reader_pass(struct ear_line_reader *reader, const char *cause);

#endif
