/* Lines of any shape of a Whisper CSV, and the blocks of the input in which lines come.
 *
 * Everything here is out of the hot path: whisper_full.c and whisper_light.c take nearly every line
 * and call ear_whisper_next_other for the rest. How they parse an ordinary line is their argument,
 * so this file knows neither of them.
 */
#define _GNU_SOURCE /* memrchr */

#include "decoder/formats/whisper/whisper_any_line.h"

#include <earshot/error.h>
#include <string.h>

#include "decoder/formats/base/comment_line.h"
#include "decoder/formats/whisper/whisper_probe.h"

/* --- Lines of all kinds --- */

static int warn(const struct ear_whisper_reader *reader, const char *cause)
{
	return ear_reader_report_at(&reader->base, reader->line.extra.line,
		reader->line.record.stream_offset, cause, false);
}

static int skip(struct ear_whisper_reader *reader, const char *cause, bool cut)
{
	const uint64_t offset = reader->line.record.stream_offset;
	const uint64_t end = reader->block_offset + (uint64_t)(reader->at - reader->block);

	return ear_reader_skip_at(
		&reader->base, reader->line.extra.line, offset, end - offset, cause, cut, false);
}

int ear_whisper_take_header(struct ear_whisper_reader *reader)
{
	reader->usual_end = reader->layout.usual ? reader->whole_end : reader->block;
	/* What ends a line may mean something else now. */
	if (reader->has_patterns)
		memset(reader->patterns, 0, sizeof(*reader->patterns));
	reader->has_patterns = false;
	reader->base.has_walks = ear_whisper_layout_has(&reader->layout, EAR_WHISPER_FETCH_WALK) ||
				 ear_whisper_layout_has(&reader->layout, EAR_WHISPER_DATA_WALK);
	reader->base.no_hart = !ear_whisper_layout_has(&reader->layout, EAR_WHISPER_HART);
	for (size_t i = 0; i < reader->layout.count; i++)
		if (reader->layout.columns[i] == EAR_WHISPER_COLUMN_COUNT &&
			!reader->columns_reported) {
			reader->columns_reported = true;
			return warn(reader, "the header names an unknown column, which is ignored");
		}
	return 0;
}

/* Returns 1 for a record, 0 for none, EAR_READER_GAP if it is skipped, or less. */
static int take_comment_line(struct ear_whisper_reader *reader, struct ear_text line)
{
	struct ear_record *record = &reader->line.record;

	if (!ear_comment_line_is(line.text, line.size)) {
		bool reported = reader->comment_reported;
		reader->comment_reported = true;
		return reported ? 0 : warn(reader, "comments are skipped");
	}
	if (ear_comment_line_parse(record, line.text, line.size))
		return skip(reader, "the comment line of a gap or an event is malformed", false);

	struct ear_whisper_hart *hart = &reader->line.harts[record->hart];
	ear_whisper_note_hart(reader, record->hart);
	reader->base.index_given = true;
	if (record->kind == EAR_RECORD_GAP && !record->u.gap.count_known &&
		!record->u.gap.at_start && record->index == 1 && hart->next_index == 0)
		record->index = 0; /* nothing was before it */
	if (record->kind == EAR_RECORD_GAP)
		hart->next_index =
			record->u.gap.count_known ? record->u.gap.last + 1 : record->index;
	record->flags = 0;
	record->register_count = 0;
	record->memory_count = 0;
	reader->line.extra = (struct ear_record_extra){.line = reader->line.extra.line};
	return 1;
}

static void leave_light(struct ear_whisper_line *line)
{
	line->extra = (struct ear_record_extra){.line = line->extra.line};
	line->record.register_count = 0;
	line->record.memory_count = 0;
	line->record.next_pc = 0;
	line->record.fflags = 0;
}

/* The text was taken for one of RV32, and the line was parsed as such. Returns 0, EAR_E_BAD_FILE
 * with line->fault, or less. */
static int take_wide(
	struct ear_whisper_reader *reader, const struct ear_text columns[EAR_WHISPER_COLUMN_COUNT])
{
	struct ear_whisper_line *line = &reader->line;

	if (!reader->base.guessed || !ear_whisper_probe_is_64(line)) {
		line->fault = EAR_READER_TOO_WIDE;
		return EAR_E_BAD_FILE;
	}
	reader->base.guessed = false;
	line->xlen = 64;
	int result = warn(reader, EAR_READER_IS_64);
	return result ? result : ear_whisper_line_parse(line, columns);
}

/* As take_comment_line. cut: the line has no line end. */
static int take_columns(struct ear_whisper_reader *reader, struct ear_text text, bool cut)
{
	struct ear_whisper_line *line = &reader->line;
	struct ear_text columns[EAR_WHISPER_COLUMN_COUNT + 1];
	int result;

	if (reader->layout.count == 0) {
		ear_whisper_layout_assume(&reader->layout, ear_whisper_layout_count(text));
		ear_whisper_take_header(reader);
		result = warn(reader, "there is no header; the usual columns are assumed");
		if (result)
			return result;
	}
	line->fault = ear_whisper_layout_split(&reader->layout, text, columns);
	result = line->fault ? EAR_E_BAD_FILE : ear_whisper_line_parse(line, columns);
	if (result == 0 && line->xlen == 32 && line->wide >> 32)
		result = take_wide(reader, columns);
	if (reader->base.options.light) /* also of a bad line: the next record begins with it */
		leave_light(line);
	if (result == EAR_E_BAD_FILE)
		return skip(reader, line->fault, cut);
	if (result)
		return result;
	if (columns[EAR_WHISPER_PMP].size > 0 && !reader->pmp_reported) {
		reader->pmp_reported = true;
		result = warn(reader, "the column pmp has values, which are not kept");
		if (result)
			return result;
	}
	if (cut) {
		result = warn(reader, "the last line has no line end; the file may be cut off");
		if (result)
			return result;
	}
	if (line->word.size > 0)
		ear_reader_word_at(&reader->base, line->extra.line, line->record.stream_offset,
			line->record.hart, line->word);
	line->record.index = line->harts[line->record.hart].next_index++;
	reader->last_hart = line->record.hart;
	ear_whisper_note_hart(reader, line->record.hart);
	return 1;
}

/* One line of any kind, as take_comment_line. */
static int take_slow(struct ear_whisper_reader *reader)
{
	const char *begin = reader->at;
	const char *newline = memchr(begin, '\n', (size_t)(reader->end - begin));
	const char *end = newline ? newline : reader->end;
	struct ear_text text = {begin, (size_t)(end - begin)};

	ear_whisper_take_line(reader, newline ? newline + 1 : reader->end);
	if (text.size > 0 && end[-1] == '\r')
		text.size--;
	if (ear_whisper_trim(text).size == 0)
		return 0;
	if (*text.text == '#')
		return take_comment_line(reader, text);
	if (ear_whisper_layout_parse(&reader->layout, text))
		return ear_whisper_take_header(reader);
	return take_columns(reader, text, !newline);
}

/* --- The file --- */

static int begin(struct ear_whisper_reader *reader)
{
	struct ear_whisper_line *line = &reader->line;
	const char *bytes;
	size_t size;
	int result;

	reader->begun = true;
	if (reader->base.options.xlen != 0) {
		line->xlen = reader->base.options.xlen;
		return 0;
	}
	result = ear_text_input_peek(reader->base.input, &bytes, &size);
	if (result)
		return result;
	line->xlen = ear_whisper_probe_xlen(line, bytes, size, &reader->base.guessed);
	/* As if nothing had been read. */
	memset(line->harts, 0, line->hart_end * sizeof(*line->harts));
	leave_light(line);
	line->record.frm = line->record.vtype = 0;
	ear_whisper_clear_extra(line);
	return 0;
}

/* The next block of lines. Returns as ear_text_input_block. */
static int next_block(struct ear_whisper_reader *reader)
{
	struct ear_text_input *input = reader->base.input;
	size_t size;
	int result;

	if (!reader->begun) {
		result = begin(reader);
		if (result)
			return result;
	}
	if (reader->block)
		ear_text_input_count_lines(input, reader->line_count);
	reader->block = NULL;
	result = ear_text_input_block(input, &reader->at, &size);
	if (result <= 0) {
		reader->at = reader->end = reader->usual_end = NULL;
		return result;
	}
	reader->block = reader->at;
	reader->end = reader->at + size;
	/* After a last line without its end there may be anything. */
	reader->whole_end = reader->end;
	if (reader->end[-1] != '\n')
		reader->whole_end = memrchr(reader->at, '\n', size);
	reader->whole_end = !reader->whole_end                 ? reader->at
			    : reader->whole_end == reader->end ? reader->end
							       : reader->whole_end + 1;
	reader->usual_end = reader->layout.usual ? reader->whole_end : reader->at;
	reader->block_line = ear_text_input_line_number(input);
	reader->block_offset = ear_text_input_offset(input);
	reader->line_count = 0;
	return 1;
}

__attribute__((noinline)) int ear_whisper_next_other(
	struct ear_whisper_reader *reader, ear_whisper_take_ordinary *take_ordinary)
{
	for (;;) {
		int result = reader->at == reader->end ? next_block(reader) : 1;
		if (result <= 0)
			return result;
		reader->unmatched++;
		if (reader->layout.usual && reader->at < reader->whole_end && take_ordinary(reader))
			return 1;
		result = take_slow(reader);
		if (result)
			return result;
	}
}
