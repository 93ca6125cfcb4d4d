#include "formats/base/reader.h"

size_t ear_reader_skip_equal(struct ear_reader *reader, struct ear_reader *other,
	struct ear_equal_lines *harts, size_t keep)
{
	return reader->skip_equal && reader->skip_equal == other->skip_equal
		       ? reader->skip_equal(reader, other, harts, keep)
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
