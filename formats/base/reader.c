/* The few steps of a reader that do not depend on its format: compare lines, free, report. */
#include "formats/base/reader.h"

size_t ear_reader_skip_equal(struct ear_reader *reader, struct ear_reader *other,
	struct ear_equal_lines *harts, size_t keep)
{
	const struct ear_line_compare *compare = reader->line_compare;

	return compare && compare == other->line_compare ? compare->skip(reader, other, harts, keep)
							 : 0;
}

void ear_reader_free(struct ear_reader *reader)
{
	if (reader)
		reader->free(reader);
}

int ear_reader_report(struct ear_reader *reader, const char *cause, bool bad)
{
	if (!reader->options.report)
		return 0;
	return reader->options.report(reader->options.context,
		ear_text_input_line_number(reader->input), ear_text_input_offset(reader->input),
		cause, bad);
}
