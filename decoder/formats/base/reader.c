/* The few steps of a reader that do not depend on its format: compare lines, free, report lines,
 * and the gaps of those that were skipped. */
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

static void note_skipped(struct ear_reader_skipped *skipped, uint64_t line_number, uint64_t offset,
	uint64_t bytes, bool cut)
{
	const unsigned last = EAR_READER_SKIPPED_MAX - 1;

	if (skipped->count > last) {
		skipped->lines[last].bytes += bytes;
		skipped->lines[last].cut |= cut;
		return;
	}
	skipped->lines[skipped->count].line = line_number;
	skipped->lines[skipped->count].offset = offset;
	skipped->lines[skipped->count].bytes = bytes;
	skipped->lines[skipped->count++].cut = cut;
}

int ear_reader_skip_at(struct ear_reader *reader, uint64_t line_number, uint64_t offset,
	uint64_t bytes, const char *cause, bool cut, bool open)
{
	int result = ear_reader_report_at(
		reader, line_number, offset, cut ? "the last line is cut off" : cause, !cut);

	note_skipped(&reader->skipped, line_number, offset, bytes, cut);
	reader->skipped.inside = open && result != 0;
	if (result)
		return result;
	return open ? 0 : EAR_READER_GAP;
}

int ear_reader_next_skipped(struct ear_reader *reader, const struct ear_record **record)
{
	if (!reader->skipped.inside)
		return EAR_READER_GAP;
	int result = reader->next(reader, record);
	reader->skipped.inside = result < 0;
	return result;
}

void ear_reader_drop_skipped(struct ear_reader *reader)
{
	reader->skipped.count = reader->skipped.given = reader->skipped.hart = 0;
	reader->skipped.inside = false;
}

int ear_reader_skip(struct ear_reader *reader, const char *cause, bool open)
{
	const struct ear_text_input *input = reader->input;
	const uint64_t offset = ear_text_input_offset(input);

	return ear_reader_skip_at(reader, ear_text_input_line_number(input), offset,
		ear_text_input_next_offset(input) - offset, cause, ear_text_input_cut(input), open);
}

void ear_reader_note_hart(struct ear_reader *reader, const struct ear_record *record)
{
	struct ear_reader_hart *hart = &reader->harts[reader->hart_at];

	if (reader->hart_count == 0 || hart->hart != record->hart) {
		unsigned at = 0;
		while (at < reader->hart_count && reader->harts[at].hart != record->hart)
			at++;
		if (at == EAR_READER_HARTS_MAX)
			return;
		reader->hart_count += at == reader->hart_count;
		reader->hart_at = at;
		hart = &reader->harts[at];
		hart->hart = record->hart;
	}
	hart->next_index = record->index + (record->kind == EAR_RECORD_INSTRUCTION);
}

/* Hart number i that had a record. */
static bool find_hart(const struct ear_reader *reader, unsigned i, struct ear_reader_hart *hart)
{
	if (reader->hart)
		return reader->hart(reader, i, hart);
	if (i < reader->hart_count)
		*hart = reader->harts[i];
	return i < reader->hart_count;
}

static void begin_next_line(struct ear_reader_skipped *skipped)
{
	skipped->hart = 0;
	if (++skipped->given == skipped->count)
		skipped->given = skipped->count = 0;
}

/* Before any record, or where a reader knows no hart, it is of hart 0. Bytes are counted once. */
int ear_reader_give_gap(struct ear_reader *reader, const struct ear_record **record)
{
	struct ear_reader_skipped *skipped = &reader->skipped;
	const unsigned at = skipped->given, i = skipped->hart++;
	struct ear_reader_hart hart = {0, 0}, other;

	(void)find_hart(reader, i, &hart);
	skipped->extra = (struct ear_record_extra){.line = skipped->lines[at].line};
	skipped->record = (struct ear_record){.kind = EAR_RECORD_GAP,
		.hart = hart.hart,
		.index = hart.next_index,
		.stream_offset = skipped->lines[at].offset,
		.extra = &skipped->extra,
		.u.gap = {.reason = skipped->lines[at].cut ? EAR_GAP_CUT_LINE : EAR_GAP_BAD_LINE,
			.skipped_bytes = i == 0 ? skipped->lines[at].bytes : 0}};
	if (!find_hart(reader, i + 1, &other))
		begin_next_line(skipped);
	*record = &skipped->record;
	return 1;
}
