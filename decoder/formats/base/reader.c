/* The few steps of a reader that do not depend on its format: compare lines, free, report. */
#include "decoder/formats/base/reader.h"

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

int ear_reader_report_at(const struct ear_reader *reader, uint64_t line_number, uint64_t offset,
	const char *cause, bool bad)
{
	const struct ear_reader_options *options = &reader->options;

	return options->report ? options->report(options->context, line_number, offset, cause, bad)
			       : 0;
}

int ear_reader_report(struct ear_reader *reader, const char *cause, bool bad)
{
	return ear_reader_report_at(reader, ear_text_input_line_number(reader->input),
		ear_text_input_offset(reader->input), cause, bad);
}
