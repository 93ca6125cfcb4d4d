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
	const char *cause, enum ear_line_kind kind)
{
	const struct ear_reader_options *options = &reader->options;

	return options->report ? options->report(options->context, line_number, offset, cause, kind)
			       : 0;
}

int ear_reader_report(struct ear_reader *reader, const char *cause, enum ear_line_kind kind)
{
	return ear_reader_report_at(reader, ear_text_input_line_number(reader->input),
		ear_text_input_offset(reader->input), cause, kind);
}

/* A line that is skipped after all needs no gap for its words. */
static void note_skipped(struct ear_reader_skipped *skipped, uint64_t line_number, uint64_t offset,
	uint64_t bytes, bool cut)
{
	const unsigned last = EAR_READER_SKIPPED_MAX - 1;

	if (skipped->count > 0 && skipped->lines[skipped->count - 1].word &&
		(skipped->count > last || skipped->lines[skipped->count - 1].line == line_number))
		skipped->count--;
	if (skipped->count > last) {
		skipped->lines[last].bytes += bytes;
		skipped->lines[last].cut |= cut;
		return;
	}
	skipped->lines[skipped->count].line = line_number;
	skipped->lines[skipped->count].offset = offset;
	skipped->lines[skipped->count].bytes = bytes;
	skipped->lines[skipped->count].word = false;
	skipped->lines[skipped->count++].cut = cut;
}

/* The first word of a text that may have more, with a dot for what cannot be printed. */
static void keep_word(char *kept, struct ear_text word)
{
	size_t size = 0;

	while (size < word.size && size < EAR_READER_WORD_SIZE - 1 && word.text[size] != ' ' &&
		word.text[size] != '\t') {
		kept[size] =
			word.text[size] > ' ' && word.text[size] <= '~' ? word.text[size] : '.';
		size++;
	}
	kept[size] = '\0';
}

void ear_reader_word(struct ear_reader *reader, unsigned hart, struct ear_text word)
{
	ear_reader_word_at(reader, ear_text_input_line_number(reader->input),
		ear_text_input_offset(reader->input), hart, word);
}

void ear_reader_word_at(struct ear_reader *reader, uint64_t line, uint64_t offset, unsigned hart,
	struct ear_text word)
{
	struct ear_reader_skipped *skipped = &reader->skipped;

	if (reader->words == 0) {
		reader->word_line = line;
		keep_word(reader->word, word);
	}
	reader->words += reader->words == 0 || reader->last_word_line != line;
	reader->last_word_line = line;
	if (skipped->count == EAR_READER_SKIPPED_MAX ||
		(skipped->count > 0 && skipped->lines[skipped->count - 1].line == line))
		return;
	note_skipped(skipped, line, offset, 0, false);
	skipped->lines[skipped->count - 1].word = true;
	skipped->lines[skipped->count - 1].hart = (uint16_t)hart;
}

int ear_reader_skip_at(struct ear_reader *reader, uint64_t line_number, uint64_t offset,
	uint64_t bytes, const char *cause, bool cut, bool open)
{
	int result = ear_reader_report_at(reader, line_number, offset,
		cut ? "the last line is cut off" : cause, cut ? EAR_LINE_NOTE : EAR_LINE_BAD);

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

void ear_reader_note_hart(struct ear_reader *reader, uint16_t number, uint64_t next_index)
{
	struct ear_reader_hart *hart = &reader->harts[reader->hart_at];

	if (reader->hart_count == 0 || hart->hart != number) {
		unsigned at = 0;
		while (at < reader->hart_count && reader->harts[at].hart != number)
			at++;
		if (at == EAR_READER_HARTS_MAX)
			return;
		reader->hart_count += at == reader->hart_count;
		reader->hart_at = at;
		hart = &reader->harts[at];
		hart->hart = number;
	}
	hart->next_index = next_index;
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

/* Of the line of one hart. */
static void give_word(struct ear_reader *reader)
{
	struct ear_reader_skipped *skipped = &reader->skipped;
	struct ear_record *record = &skipped->record;
	struct ear_reader_hart hart;

	for (unsigned i = 0; find_hart(reader, i, &hart); i++)
		if (hart.hart == record->hart)
			record->index = hart.next_index;
	record->u.gap = (struct ear_gap){.reason = EAR_GAP_WORD,
		.count_known = true,
		.first = record->index,
		.last = record->index - 1};
	begin_next_line(skipped);
}

/* Before any record, or where a reader knows no hart, it is of hart 0. Bytes are counted once. */
int ear_reader_give_gap(struct ear_reader *reader, const struct ear_record **record)
{
	struct ear_reader_skipped *skipped = &reader->skipped;
	const unsigned at = skipped->given, i = skipped->hart++;
	struct ear_reader_hart hart = {0, 0}, other;

	*record = &skipped->record;
	skipped->extra = (struct ear_record_extra){.line = skipped->lines[at].line};
	skipped->record = (struct ear_record){.kind = EAR_RECORD_GAP,
		.hart = skipped->lines[at].hart,
		.stream_offset = skipped->lines[at].offset,
		.extra = &skipped->extra};
	if (skipped->lines[at].word) {
		give_word(reader);
		return 1;
	}
	(void)find_hart(reader, i, &hart);
	skipped->record.hart = hart.hart;
	skipped->record.index = hart.next_index;
	skipped->record.u.gap = (struct ear_gap){
		.reason = skipped->lines[at].cut ? EAR_GAP_CUT_LINE : EAR_GAP_BAD_LINE,
		.skipped_bytes = i == 0 ? skipped->lines[at].bytes : 0};
	if (!find_hart(reader, i + 1, &other))
		begin_next_line(skipped);
	return 1;
}
