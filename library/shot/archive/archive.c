/* Packs a text block by block: read, encode, decode again, render, compare.
 *
 * The line diff is taken against the lines of the records as they were *decoded*, not as they were
 * read. So whatever reader, encoder or writer do to a record, the text comes back: a lossy format
 * makes the line diff longer, never the text wrong. A block that does not encode is kept whole in
 * its line diff.
 */
#include "library/shot/archive/archive.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decoder/codec/decoder.h"
#include "decoder/formats/base/comment_line.h"
#include "library/shot/archive/rendered_lines.h"
#include "library/shot/shot_states.h"

#define SEGMENT_SIZE (1u << 20)   /* bytes of stream, or of line diff, that end a segment */
#define SEGMENT_TEXT (256u << 20) /* bytes of text that end one */

struct bytes {
	uint8_t *bytes;
	size_t size, capacity;
};

struct ear_archive {
	struct ear_shot_writer *shot;
	struct ear_text_input *input; /* without a file: blocks are given to it */
	struct ear_reader *reader;
	struct ear_record_encoder *encoder;
	struct ear_decoder decoder;
	struct ear_archive_statistics statistics;
	struct ear_shot_states states;

	/* The block. */
	const struct ear_text_block *block;
	uint64_t next_line; /* number of the first line of the next one */
	size_t *starts;     /* of the lines of records in the block */
	size_t start_count, start_capacity;
	struct bytes frames; /* what the encoder made of it */
	struct ear_rendered_lines lines;
	struct ear_text_output back; /* what comes back */
	int result;                  /* of a sink */

	/* The segment. */
	struct bytes stream;
	struct ear_line_diff diff;
	uint64_t first, count; /* records */
	uint64_t text_size;
};

bool ear_archive_can(const struct ear_reader_format *format)
{
	return strcmp(format->name, "whisper") == 0;
}

static int append(struct bytes *to, const uint8_t *bytes, size_t size)
{
	if (!EAR_ARRAY_RESERVE(to->bytes, &to->capacity, to->size + size))
		return EAR_E_NO_MEMORY;
	if (size > 0)
		memcpy(to->bytes + to->size, bytes, size);
	to->size += size;
	return 0;
}

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct ear_archive *archive = context;

	if (append(&archive->frames, bytes, size) != 0)
		archive->result = EAR_E_NO_MEMORY;
}

static int take_record(void *context, const struct ear_record *record)
{
	struct ear_archive *archive = context;

	return ear_rendered_lines_push(&archive->lines, record);
}

int ear_archive_new(struct ear_archive **archive, struct ear_shot_writer *shot,
	const struct ear_archive_options *options)
{
	struct ear_archive *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->shot = shot;
	made->next_line = 1;
	ear_shot_states_init(&made->states, options->state_interval);
	ear_decoder_init(&made->decoder, take_record, made);
	if (ear_text_input_new_empty(&made->input) ||
		ear_rendered_lines_init(&made->lines, options->writer) ||
		ear_text_output_init_memory(&made->back))
		goto out_free;
	made->reader = options->format->make(made->input, &options->reader);
	made->encoder = ear_record_encoder_new(take_frame, made, &options->encoder);
	if (!made->reader || !made->encoder)
		goto out_free;
	*archive = made;
	return 0;

out_free:
	ear_archive_free(made);
	return EAR_E_NO_MEMORY;
}

void ear_archive_free(struct ear_archive *archive)
{
	if (!archive)
		return;
	ear_reader_free(archive->reader);
	ear_text_input_free(archive->input);
	ear_record_encoder_free(archive->encoder);
	ear_decoder_fini(&archive->decoder);
	ear_rendered_lines_fini(&archive->lines);
	ear_text_output_fini(&archive->back);
	ear_line_diff_fini(&archive->diff);
	free(archive->starts);
	free(archive->frames.bytes);
	free(archive->stream.bytes);
	free(archive);
}

const struct ear_archive_statistics *ear_archive_statistics(const struct ear_archive *archive)
{
	return &archive->statistics;
}

static int add_start(struct ear_archive *archive, size_t start)
{
	if (!EAR_ARRAY_RESERVE(archive->starts, &archive->start_capacity, archive->start_count + 1))
		return EAR_E_NO_MEMORY;
	archive->starts[archive->start_count++] = start;
	return 0;
}

/* The line of a gap or an event: readers do not say where it is, but it is the first comment line
 * from offset on.
 */
static size_t find_comment_line(const struct ear_text_block *block, size_t offset)
{
	while (offset < block->size) {
		const char *line = block->bytes + offset;
		const char *newline = memchr(line, '\n', block->size - offset);
		size_t size = newline ? (size_t)(newline - line) : block->size - offset;
		if (*line == '#' && ear_comment_line_is(line, size))
			break;
		offset += size + 1;
	}
	return offset;
}

/* All records of the block to the encoder. */
static int encode_block(struct ear_archive *archive)
{
	const struct ear_text_block *block = archive->block;
	const struct ear_record *record;
	size_t last = 0;
	int result;

	while ((result = ear_reader_next(archive->reader, &record)) > 0) {
		bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
		size_t start = instruction ? (size_t)(record->stream_offset - block->offset)
					   : find_comment_line(block, last);
		result = ear_record_encoder_push(archive->encoder, record);
		last = start + 1;
		if (result == EAR_E_UNSUPPORTED)
			continue; /* a text without a record */
		if (result == 0)
			result = add_start(archive, start);
		if (result)
			return result;
		archive->statistics.records += instruction;
	}
	if (result == 0)
		ear_record_encoder_flush(archive->encoder);
	return result ? result : archive->result;
}

/* Decode what the encoder made, to lines. */
static int decode_block(struct ear_archive *archive, unsigned flags)
{
	size_t used;
	int result = ear_rendered_lines_begin(&archive->lines, flags);

	if (result == 0)
		result = ear_decoder_push(&archive->decoder, &used, archive->frames.bytes,
			archive->frames.size, false);
	if (result == 0 && used != archive->frames.size)
		result = EAR_E_BAD_FILE;
	return result;
}

static unsigned lines_flags(const struct ear_archive *archive)
{
	const struct ear_text_block *block = archive->block;
	const char *newline = memchr(block->bytes, '\n', block->size);

	return (archive->reader->no_hart ? EAR_LINES_NO_HART : 0) |
	       (archive->reader->has_walks ? EAR_LINES_WALKS : 0) |
	       (newline > block->bytes && newline[-1] == '\r' ? EAR_LINES_CR : 0);
}

/* The segment to the file: its line diff, then its part of the stream. */
static int end_segment(struct ear_archive *archive)
{
	if (archive->text_size == 0 && archive->stream.size == 0)
		return 0;

	int result = ear_shot_writer_line_diff(
		archive->shot, &(struct ear_shot_line_diff){.first = archive->first,
				       .count = archive->count,
				       .format = EAR_LINES_WHISPER,
				       .flags = (uint8_t)archive->lines.flags,
				       .bytes = archive->diff.bytes,
				       .size = archive->diff.size});
	if (result == 0)
		result = ear_shot_writer_push(
			archive->shot, archive->stream.bytes, archive->stream.size);
	archive->statistics.line_diff_bytes += archive->diff.size;
	archive->first += archive->count;
	archive->count = 0;
	archive->text_size = 0;
	archive->stream.size = 0;
	ear_line_diff_clear(&archive->diff);
	return result;
}

/* Each line needs to know where its record was. Should there be other records than those that were
 * encoded, none does: the line diff holds the whole block then.
 */
static int match_starts(struct ear_archive *archive)
{
	int result = 0;

	if (archive->lines.count == archive->start_count)
		return 0;
	archive->start_count = 0;
	while (archive->start_count < archive->lines.count && result == 0)
		result = add_start(archive, SIZE_MAX);
	return result;
}

/* Note what makes the block of the lines, and see that it does. */
static int line_diff_block(struct ear_archive *archive)
{
	const struct ear_text_block *block = archive->block;
	struct ear_lines lines = ear_rendered_lines_get(&archive->lines);
	uint64_t passed = archive->diff.copied;
	size_t from = archive->diff.size;
	struct ear_line_diff_cursor cursor;

	int result = match_starts(archive);
	if (result == 0)
		result = ear_line_diff_compare(
			&archive->diff, &lines, block->bytes, block->size, archive->starts);
	if (result)
		return result;
	size_t added = archive->diff.size - from;
	ear_line_diff_begin(&cursor, added ? archive->diff.bytes + from : NULL, added, lines.count);
	cursor.passed = passed;
	archive->back.used = 0;
	result = ear_line_diff_apply(&cursor, &archive->back, lines.text, archive->lines.text.used);
	if (result == 0 && (archive->back.used != block->size ||
				   memcmp(archive->back.buffer, block->bytes, block->size) != 0))
		result = EAR_E_BAD_FILE;
	return result;
}

/* If one is due; the segment ends there. */
static int write_state(struct ear_archive *archive)
{
	struct ear_shot_states *states = &archive->states;
	int result = 0;

	if (!ear_shot_states_ready(states, archive->shot, &archive->decoder))
		return 0;
	if (ear_shot_states_end_frames(states, &archive->decoder))
		result = end_segment(archive);
	if (result || archive->stream.size > 0)
		return result;
	return ear_shot_states_write(states, archive->shot, &archive->decoder);
}

int ear_archive_push(struct ear_archive *archive, const struct ear_text_block *block)
{
	struct ear_text_block given = *block;

	given.line_number = archive->next_line;
	ear_text_input_give_block(archive->input, &given);
	archive->block = &given;
	archive->start_count = 0;
	archive->frames.size = 0;
	int result = encode_block(archive);
	unsigned flags = lines_flags(archive);
	if (result == 0 && flags != archive->lines.flags)
		result = end_segment(archive);
	if (result == 0)
		result = decode_block(archive, flags);
	if (result == 0)
		result = line_diff_block(archive);
	if (result == 0)
		result = append(&archive->stream, archive->frames.bytes, archive->frames.size);
	archive->next_line = ear_text_input_next_line(archive->input);
	archive->block = NULL;
	archive->count += archive->lines.count;
	archive->text_size += block->size;
	archive->statistics.text_bytes += block->size;
	archive->statistics.wire_bytes += archive->frames.size;
	if (result == 0 &&
		(archive->stream.size >= SEGMENT_SIZE || archive->diff.size >= SEGMENT_SIZE ||
			archive->text_size >= SEGMENT_TEXT))
		result = end_segment(archive);
	return result ? result : write_state(archive);
}

int ear_archive_finish(struct ear_archive *archive)
{
	archive->frames.size = 0;
	archive->start_count = 0;
	ear_record_encoder_finish(archive->encoder);
	int result = archive->result;
	if (result == 0)
		result = decode_block(archive, archive->lines.flags);
	if (result == 0 && archive->lines.count > 0)
		result = EAR_E_BAD_FILE; /* the encoder and the decoder do not agree */
	if (result == 0)
		result = append(&archive->stream, archive->frames.bytes, archive->frames.size);
	archive->statistics.wire_bytes += archive->frames.size;
	return result ? result : end_segment(archive);
}
