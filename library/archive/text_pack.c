/* Packs a block of a file, and unpacks it.
 *
 * The line diff is taken against the lines of the records as they were *decoded*, as in
 * library/shot/archive/: whatever reader, encoder and writer do to a record, the text comes back.
 * Its lines are matched within the lines of one record: a line that is equal to one of the next
 * few lines of the text is that one, and else to the next one, so that the difference is a patch.
 *
 * zstd -19 takes longer than all the rest. It is left out where a quick zstd with a window as long
 * as the block makes four times more than the records take, which the higher level does not make
 * good.
 */
#include "library/archive/text_pack.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "common/array.h"
#include "common/protocol/bytes.h"
#include "common/varint.h"
#include "decoder/codec/decoder.h"
#include "decoder/codec/record_encoder.h"
#include "decoder/formats/formats.h"
#include "decoder/record/absent_fields.h"
#include "library/shot/archive/line_diff.h"
#include "library/shot/shot.h"
#include "library/shot/shot_format.h"

#define TAG         "EREC"
#define FRAME_HEAD  8u /* bytes of a skippable frame before its content */
#define RECORD_HEAD 8u /* of its content before the numbers: tag, CRC-32 */
#define LEVEL       19
#define PROBE_LEVEL 3
#define PROBE_RATIO 4
#define LOOK_AHEAD  8u /* lines of the text that a rendered line is looked for in */
#define HARTS_MAX   256u

enum { FLAG_NO_HART = 1, FLAG_WALKS = 2, FLAG_CR = 4, FLAGS = 7 };

/* Of a records frame, all but its two zstd frames. */
struct records_head {
	uint32_t crc;
	uint64_t text_size;
	char format[32];
	unsigned flags;
	uint64_t absent; /* fields that no record had */
	uint64_t harts;
	struct {
		uint64_t hart, base; /* its records' indexes are so much larger */
	} bases[HARTS_MAX];
	uint64_t stream_size; /* compressed */
};

/* Records that are rendered. */
struct rendering {
	struct ear_text_output lines;
	struct ear_writer *writer;
	struct ear_absent_fields absent;
	const struct records_head *head;
	size_t *ends; /* of the lines of each record */
	size_t count, capacity;
	size_t max; /* bytes of lines */
};

/* Both sides: a stream to lines ------------------------------------------------------------ */

/* A block may have lines that no text has, but not many more. */
static size_t lines_max(uint64_t text_size)
{
	return (size_t)text_size * 2 + 65536;
}

/* From at on, each line ends with CR LF. */
static void add_returns(struct ear_text_output *lines, size_t at)
{
	size_t count = 0, end = lines->used;
	static const char room[256];

	for (size_t i = at; i < end; i++)
		count += lines->buffer[i] == '\n';
	for (size_t left = count; left > 0; left -= left < sizeof(room) ? left : sizeof(room))
		ear_text_output_put(lines, room, left < sizeof(room) ? left : sizeof(room));
	if (lines->error)
		return;
	for (size_t i = end; i-- > at && count > 0;) {
		lines->buffer[i + count] = lines->buffer[i];
		if (lines->buffer[i] == '\n')
			lines->buffer[i + --count] = '\r';
	}
}

static int take_record(void *context, const struct ear_record *record)
{
	struct rendering *rendering = context;
	const struct records_head *head = rendering->head;
	struct ear_record shown = *ear_absent_fields_remove(&rendering->absent, record);
	size_t at = rendering->lines.used;

	for (uint64_t i = 0; i < head->harts; i++)
		if (head->bases[i].hart == shown.hart)
			shown.index += head->bases[i].base;
	if (!EAR_ARRAY_RESERVE(rendering->ends, &rendering->capacity, rendering->count + 1))
		return EAR_E_NO_MEMORY;
	int result = ear_writer_push(rendering->writer, &shown);
	/* A writer of one hart in a file leaves out the others. */
	if (result && result != EAR_E_UNSUPPORTED)
		return result;
	if (head->flags & FLAG_CR)
		add_returns(&rendering->lines, at);
	rendering->ends[rendering->count++] = rendering->lines.used;
	if (rendering->lines.used > rendering->max)
		return EAR_E_FULL;
	return rendering->lines.error;
}

static int render(struct rendering *rendering, const struct records_head *head,
	const struct ear_writer_format *format, const uint8_t *stream, size_t size)
{
	const struct ear_writer_options options = {
		.no_hart = head->flags & FLAG_NO_HART,
		.walks = head->flags & FLAG_WALKS,
		/* It has a date. */
		.no_header = strcmp(format->name, "armulator") == 0,
	};
	struct ear_decoder *decoder = malloc(sizeof(*decoder));
	size_t used;
	int result = EAR_E_NO_MEMORY;

	rendering->head = head;
	rendering->absent.fields = head->absent;
	rendering->max = lines_max(head->text_size);
	if (ear_text_output_init_memory(&rendering->lines) == 0) {
		ear_text_output_expect(&rendering->lines, head->text_size);
		rendering->writer = format->make(&rendering->lines, &options);
	}
	if (decoder && rendering->writer) {
		ear_decoder_init(decoder, take_record, rendering);
		result = ear_decoder_push(decoder, &used, stream, size, true);
		ear_decoder_fini(decoder);
	}
	free(decoder);
	return result;
}

static void rendering_fini(struct rendering *rendering)
{
	ear_writer_free(rendering->writer);
	ear_text_output_fini(&rendering->lines);
	free(rendering->ends);
}

/* Where the line at offset ends, after its line end. */
static size_t line_end(const char *text, size_t size, size_t offset)
{
	const char *newline = memchr(text + offset, '\n', size - offset);

	return newline ? (size_t)(newline - text) + 1 : size;
}

/* zstd ------------------------------------------------------------------------------------- */

bool ear_pack_bytes_reserve(struct ear_pack_bytes *to, size_t size)
{
	return EAR_ARRAY_RESERVE(to->bytes, &to->capacity, to->size + size);
}

/* The window is as long as the block, where the level's own is shorter. */
static void set_window(ZSTD_CCtx *zstd, size_t size, bool distant)
{
	int bits = 20;

	while (bits < 27 && (size_t)1 << bits < size)
		bits++;
	if (bits > 23 || distant)
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, bits);
	if (distant)
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_enableLongDistanceMatching, 1);
}

/* Append bytes as a zstd frame, which declares its content size. */
static int put_zstd(
	struct ear_pack_bytes *to, const void *bytes, size_t size, int level, bool check)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t bound = ZSTD_compressBound(size), packed = 0;
	int result = EAR_E_NO_MEMORY;

	if (zstd && ear_pack_bytes_reserve(to, bound)) {
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
		ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, check);
		set_window(zstd, size, level == PROBE_LEVEL);
		packed = ZSTD_compress2(zstd, to->bytes + to->size, bound, bytes, size);
		if (!ZSTD_isError(packed)) {
			to->size += packed;
			result = 0;
		}
	}
	ZSTD_freeCCtx(zstd);
	return result;
}

/* Append what one zstd frame holds, at most max bytes. */
static int take_zstd(struct ear_pack_bytes *to, const uint8_t *bytes, size_t size, uint64_t max)
{
	unsigned long long content = ZSTD_getFrameContentSize(bytes, size);

	if (content > max || ZSTD_findFrameCompressedSize(bytes, size) != size)
		return EAR_E_BAD_FILE;
	if (!ear_pack_bytes_reserve(to, (size_t)content + EAR_TEXT_SLACK))
		return EAR_E_NO_MEMORY;
	size_t got = ZSTD_decompress(to->bytes + to->size, (size_t)content, bytes, size);
	if (ZSTD_isError(got) || got != content)
		return EAR_E_BAD_FILE;
	to->size += got;
	return 0;
}

/* Packing ---------------------------------------------------------------------------------- */

struct packing {
	const struct ear_text_form *form;
	const char *text;
	size_t size;
	size_t head_size; /* of the form's head, which the reader gets first */
	struct records_head head;
	struct ear_pack_bytes stream;
	int result;     /* of a sink */
	size_t *starts; /* in the text, of each record that was encoded; SIZE_MAX: not known */
	size_t count, capacity;
	struct rendering rendering;
	struct ear_line_diff diff;
};

static void take_frame(void *context, const uint8_t *bytes, size_t size)
{
	struct packing *packing = context;

	if (!ear_pack_bytes_reserve(&packing->stream, size)) {
		packing->result = EAR_E_NO_MEMORY;
		return;
	}
	memcpy(packing->stream.bytes + packing->stream.size, bytes, size);
	packing->stream.size += size;
}

/* A stream counts the records of each hart from 0. */
static bool note_hart(struct records_head *head, const struct ear_record *record)
{
	for (uint64_t i = 0; i < head->harts; i++)
		if (head->bases[i].hart == record->hart)
			return true;
	if (head->harts == HARTS_MAX)
		return false;
	head->bases[head->harts].hart = record->hart;
	head->bases[head->harts++].base = record->index;
	return true;
}

static int encode_record(struct packing *packing, struct ear_record_encoder *encoder,
	const struct ear_record *record)
{
	uint64_t start = record->stream_offset - packing->head_size;

	if (record->stream_offset < packing->head_size)
		return 0; /* of the head */
	if (record->kind != EAR_RECORD_INSTRUCTION || start >= packing->size)
		start = SIZE_MAX;
	int result = ear_record_encoder_push(encoder, record);
	if (result == EAR_E_UNSUPPORTED)
		return 0; /* a text without a record */
	packing->head.absent &= ~ear_record_fields(record);
	if (result == 0 && !note_hart(&packing->head, record))
		result = EAR_E_UNSUPPORTED;
	if (result == 0 &&
		!EAR_ARRAY_RESERVE(packing->starts, &packing->capacity, packing->count + 1))
		result = EAR_E_NO_MEMORY;
	if (result == 0)
		packing->starts[packing->count++] = (size_t)start;
	return result ? result : packing->result;
}

static int encode_with(struct packing *packing, struct ear_text_input *input)
{
	const struct ear_reader_options options = {0};
	const struct ear_record_encoder_options encoding = {
		.geometry = &ear_record_encoder_geometry,
		.fields = ear_format_fields(packing->form->writer->name),
	};
	struct ear_reader *reader = packing->form->reader->make(input, &options);
	struct ear_record_encoder *encoder = ear_record_encoder_new(take_frame, packing, &encoding);
	const struct ear_record *record;
	int result = reader && encoder ? 0 : EAR_E_NO_MEMORY;

	if (result == 0)
		while ((result = ear_reader_next(reader, &record)) > 0)
			if ((result = encode_record(packing, encoder, record)) != 0)
				break;
	if (result == 0) {
		ear_record_encoder_finish(encoder);
		result = packing->result;
		packing->head.flags |= reader->no_hart ? FLAG_NO_HART : 0;
		packing->head.flags |= reader->has_walks ? FLAG_WALKS : 0;
	}
	ear_record_encoder_free(encoder);
	ear_reader_free(reader);
	return result;
}

/* The reader gets a copy, which it may change. */
static int encode(struct packing *packing)
{
	struct ear_text_block block = {.line_number = 1};
	struct ear_text_input *input = NULL;
	int result = EAR_E_NO_MEMORY;

	block.size = block.capacity = packing->head_size + packing->size;
	block.cut = packing->text[packing->size - 1] != '\n';
	block.buffer = calloc(1, block.size + EAR_TEXT_SLACK);
	block.bytes = block.buffer;
	if (block.buffer && ear_text_input_new_empty(&input) == 0) {
		memcpy(block.buffer, packing->form->head, packing->head_size);
		memcpy(block.buffer + packing->head_size, packing->text, packing->size);
		ear_text_input_give_block(input, &block);
		result = encode_with(packing, input);
	}
	ear_text_input_free(input);
	free(block.buffer);
	return result;
}

/* What a rendered line is in the text: one of the next few lines, if it is equal to it. */
static size_t find_equal(const struct packing *packing, size_t from, const char *line, size_t size)
{
	for (unsigned i = 0; i < LOOK_AHEAD && from < packing->size; i++) {
		size_t end = line_end(packing->text, packing->size, from);
		if (end - from == size && memcmp(packing->text + from, line, size) == 0)
			return from;
		from = end;
	}
	return SIZE_MAX;
}

/* The rendered lines, one by one, and where they are in the text, for the line diff. */
struct matching {
	size_t *ends, *starts;
	size_t count, ends_capacity, starts_capacity;
};

static int match_line(struct packing *packing, struct matching *matching, size_t begin, size_t end,
	size_t *at, size_t limit)
{
	size_t count = matching->count;
	size_t start =
		find_equal(packing, *at, packing->rendering.lines.buffer + begin, end - begin);

	if (start == SIZE_MAX && *at < limit)
		start = *at;
	if (start != SIZE_MAX)
		*at = line_end(packing->text, packing->size, start);
	if (!EAR_ARRAY_RESERVE(matching->ends, &matching->ends_capacity, count + 1) ||
		!EAR_ARRAY_RESERVE(matching->starts, &matching->starts_capacity, count + 1))
		return EAR_E_NO_MEMORY;
	matching->ends[count] = end;
	matching->starts[count] = start;
	matching->count++;
	return 0;
}

/* If there are other records than those that were encoded, nothing is known of their starts. */
static size_t record_start(const struct packing *packing, size_t record)
{
	if (packing->count != packing->rendering.count || record >= packing->count)
		return SIZE_MAX;
	return packing->starts[record];
}

static int match(struct packing *packing, struct matching *matching)
{
	const struct rendering *rendering = &packing->rendering;
	size_t begin = 0, at = 0;
	int result = 0;

	for (size_t i = 0; i < rendering->count && result == 0; i++) {
		size_t start = record_start(packing, i), next = record_start(packing, i + 1);

		if (start != SIZE_MAX && start > at && i > 0)
			at = start;
		while (begin < rendering->ends[i] && result == 0) {
			size_t end = line_end(rendering->lines.buffer, rendering->ends[i], begin);
			result = match_line(packing, matching, begin, end, &at,
				next == SIZE_MAX ? packing->size : next);
			begin = end;
		}
	}
	return result;
}

static int make_diff(struct packing *packing)
{
	struct matching matching = {0};
	int result = match(packing, &matching);
	const struct ear_lines lines = {
		packing->rendering.lines.buffer, matching.ends, matching.count};

	if (result == 0)
		result = ear_line_diff_compare(
			&packing->diff, &lines, packing->text, packing->size, matching.starts);
	free(matching.ends);
	free(matching.starts);
	return result;
}

static int put_frame(struct packing *packing, struct ear_pack_bytes *frame)
{
	struct ear_pack_bytes stream = {0};
	const struct records_head *head = &packing->head;
	uint8_t numbers[64 + 2 * EAR_VARINT_MAX * HARTS_MAX];
	struct ear_varint_out out = ear_varint_out(numbers, sizeof(numbers));
	const char *name = packing->form->writer->name;
	int result = put_zstd(&stream, packing->stream.bytes, packing->stream.size, LEVEL, false);

	ear_varint_put(&out, packing->size);
	ear_varint_put(&out, strlen(name));
	ear_varint_put_bytes(&out, name, strlen(name));
	ear_varint_put(&out, head->flags);
	ear_varint_put(&out, head->absent);
	ear_varint_put(&out, head->harts);
	for (uint64_t i = 0; i < head->harts; i++) {
		ear_varint_put(&out, head->bases[i].hart);
		ear_varint_put(&out, head->bases[i].base);
	}
	ear_varint_put(&out, stream.size);

	frame->size = 0;
	if (result == 0 &&
		!ear_pack_bytes_reserve(frame, FRAME_HEAD + RECORD_HEAD + out.size + stream.size))
		result = EAR_E_NO_MEMORY;
	if (result == 0) {
		memcpy(frame->bytes + FRAME_HEAD, TAG, 4);
		ear_store_le32(frame->bytes + FRAME_HEAD + 4, head->crc);
		memcpy(frame->bytes + FRAME_HEAD + RECORD_HEAD, numbers, out.size);
		memcpy(frame->bytes + FRAME_HEAD + RECORD_HEAD + out.size, stream.bytes,
			stream.size);
		frame->size = FRAME_HEAD + RECORD_HEAD + out.size + stream.size;
		if (packing->diff.size > 0)
			result = put_zstd(
				frame, packing->diff.bytes, packing->diff.size, LEVEL, false);
	}
	if (result == 0) {
		ear_store_le32(frame->bytes, EAR_SHOT_MAGIC);
		ear_store_le32(frame->bytes + 4, (uint32_t)(frame->size - FRAME_HEAD));
	}
	free(stream.bytes);
	return result;
}

/* A records frame, if one is worth while and gives the block back; else *frame is empty. */
static int pack_records(struct packing *packing, struct ear_pack_bytes *frame)
{
	struct ear_pack_bytes back = {0};
	int result = encode(packing);

	frame->size = 0;
	if (result == 0 && packing->count > 0)
		result = render(&packing->rendering, &packing->head, packing->form->writer,
			packing->stream.bytes, packing->stream.size);
	if (result == 0 && packing->count > 0)
		result = make_diff(packing);
	if (result == 0 && packing->count > 0 &&
		packing->diff.size + packing->stream.size < packing->size - packing->size / 4)
		result = put_frame(packing, frame);
	if (result == 0 && frame->size > 0)
		result = ear_text_unpack(&back, frame->bytes, frame->size);
	if (result != 0 || back.size != packing->size ||
		memcmp(back.bytes, packing->text, packing->size) != 0)
		frame->size = 0;
	free(back.bytes);
	return result == EAR_E_NO_MEMORY ? result : 0;
}

static bool has_line_end_of_two(const char *text, size_t size)
{
	const char *newline = memchr(text, '\n', size);

	return newline && newline > text && newline[-1] == '\r';
}

static int try_records(struct ear_pack_bytes *frame, const struct ear_text_form *form, bool first,
	const char *text, size_t size)
{
	struct packing *packing = calloc(1, sizeof(*packing));

	if (!packing)
		return EAR_E_NO_MEMORY;
	packing->form = form;
	packing->text = text;
	packing->size = size;
	packing->head_size = first ? 0 : form->head_size;
	packing->head.text_size = size;
	packing->head.crc = (uint32_t)crc32_z(0, (const Bytef *)text, size);
	packing->head.flags = has_line_end_of_two(text, size) ? FLAG_CR : 0;
	packing->head.absent = EAR_RECORD_ENCODER_FIELDS;
	int result = pack_records(packing, frame);
	rendering_fini(&packing->rendering);
	ear_line_diff_fini(&packing->diff);
	free(packing->stream.bytes);
	free(packing->starts);
	free(packing);
	return result;
}

int ear_text_pack(struct ear_pack_bytes *frame, bool *records, const struct ear_text_form *form,
	bool first, const char *text, size_t size)
{
	struct ear_pack_bytes whole = {0};
	int result = 0;

	*records = false;
	frame->size = 0;
	if (form->writer)
		result = try_records(frame, form, first, text, size);
	if (result == 0 && frame->size > 0 && frame->size * PROBE_RATIO < size) {
		result = put_zstd(&whole, text, size, PROBE_LEVEL, true);
		*records = result == 0 && frame->size * PROBE_RATIO < whole.size;
	}
	if (result == 0 && !*records) {
		whole.size = 0;
		result = put_zstd(&whole, text, size, LEVEL, true);
		*records = frame->size > 0 && frame->size < whole.size;
	}
	if (result == 0 && !*records) {
		struct ear_pack_bytes swapped = *frame;
		*frame = whole;
		whole = swapped;
	}
	free(whole.bytes);
	return result;
}

/* Unpacking -------------------------------------------------------------------------------- */

static bool take_head(struct records_head *head, struct ear_varint_in *in)
{
	head->text_size = ear_varint_get(in);
	uint64_t size = ear_varint_get(in);
	const uint8_t *name = size < sizeof(head->format) ? ear_varint_get_bytes(in, size) : NULL;
	if (!name)
		return false;
	memcpy(head->format, name, size);
	head->format[size] = '\0';
	head->flags = (unsigned)ear_varint_get(in);
	head->absent = ear_varint_get(in);
	head->harts = ear_varint_get(in);
	if (head->harts > HARTS_MAX)
		return false;
	for (uint64_t i = 0; i < head->harts; i++) {
		head->bases[i].hart = ear_varint_get(in);
		head->bases[i].base = ear_varint_get(in);
	}
	head->stream_size = ear_varint_get(in);
	return !in->bad && head->text_size <= EAR_TEXT_PACK_BLOCK_MAX && head->flags <= FLAGS &&
	       head->stream_size <= (uint64_t)(in->end - in->at);
}

static bool is_ours(const uint8_t *bytes, size_t size)
{
	return size >= FRAME_HEAD && ear_load_le32(bytes) == EAR_SHOT_MAGIC;
}

int ear_frame_look(struct ear_frame_info *info, const uint8_t *bytes, size_t size)
{
	*info = (struct ear_frame_info){0};
	if (is_ours(bytes, size)) {
		uint32_t content = ear_load_le32(bytes + 4);
		if (content < RECORD_HEAD || content > size - FRAME_HEAD)
			return EAR_E_BAD_FILE;
		info->frame_size = FRAME_HEAD + (size_t)content;
		info->records = info->text = memcmp(bytes + FRAME_HEAD, TAG, 4) == 0;
		struct ear_varint_in in =
			ear_varint_in(bytes + FRAME_HEAD + RECORD_HEAD, content - RECORD_HEAD);
		struct records_head *head = info->records ? malloc(sizeof(*head)) : NULL;
		bool good = !info->records || (head && take_head(head, &in));
		if (info->records && good) {
			info->text_size = head->text_size;
			memcpy(info->format, head->format, sizeof(info->format));
		}
		free(head);
		return good ? 0 : EAR_E_BAD_FILE;
	}
	size_t frame = ZSTD_findFrameCompressedSize(bytes, size);
	unsigned long long content = ZSTD_getFrameContentSize(bytes, size);
	if (ZSTD_isError(frame) || content > EAR_TEXT_PACK_BLOCK_MAX ||
		ear_load_le32(bytes) != EAR_SHOT_ZSTD_MAGIC)
		return EAR_E_BAD_FILE;
	info->frame_size = frame;
	info->text = true;
	info->text_size = content;
	return 0;
}

/* The lines of the stream to the text. */
static int apply(struct ear_pack_bytes *text, struct rendering *rendering,
	const struct records_head *head, const struct ear_pack_bytes *diff)
{
	struct ear_text_output output;
	struct ear_line_diff_cursor cursor;
	const char *lines = rendering->lines.buffer;
	uint64_t count = 0;
	int result = ear_text_output_init_memory(&output);

	if (result == 0)
		ear_text_output_expect(&output, head->text_size);
	for (size_t at = 0; at < rendering->lines.used; count++)
		at = line_end(lines, rendering->lines.used, at);
	ear_line_diff_begin(&cursor, diff->bytes, diff->size, count);
	if (result == 0)
		result = ear_line_diff_apply(&cursor, &output, lines, rendering->lines.used);
	if (result == 0 &&
		(output.used != head->text_size ||
			crc32_z(0, (const Bytef *)output.buffer, output.used) != head->crc))
		result = EAR_E_BAD_FILE;
	text->size = 0;
	if (result == 0) {
		/* The text's old buffer is the output's, and freed with it. */
		struct ear_pack_bytes old = *text;
		text->bytes = (uint8_t *)output.buffer;
		text->capacity = output.capacity;
		text->size = output.used;
		output.buffer = (char *)old.bytes;
		if (!ear_pack_bytes_reserve(text, EAR_TEXT_SLACK))
			result = EAR_E_NO_MEMORY;
	}
	ear_text_output_fini(&output);
	return result;
}

static int unpack_records(
	struct ear_pack_bytes *text, struct records_head *head, const uint8_t *content, size_t size)
{
	struct ear_varint_in in = ear_varint_in(content + RECORD_HEAD, size - RECORD_HEAD);
	struct ear_pack_bytes stream = {0}, diff = {0};
	struct rendering rendering = {0};
	int result = EAR_E_BAD_FILE;

	head->crc = ear_load_le32(content + 4);
	if (!take_head(head, &in))
		return EAR_E_BAD_FILE;
	const struct ear_writer_format *format = ear_writer_find(head->format);
	if (format && format->make)
		result = take_zstd(
			&stream, in.at, (size_t)head->stream_size, EAR_TEXT_PACK_BLOCK_MAX);
	in.at += head->stream_size;
	if (result == 0 && in.at < in.end)
		result = take_zstd(
			&diff, in.at, (size_t)(in.end - in.at), 2 * EAR_TEXT_PACK_BLOCK_MAX);
	if (result == 0)
		result = render(&rendering, head, format, stream.bytes, stream.size);
	if (result == 0)
		result = apply(text, &rendering, head, &diff);
	rendering_fini(&rendering);
	free(stream.bytes);
	free(diff.bytes);
	return result == 0 || result == EAR_E_NO_MEMORY ? result : EAR_E_BAD_FILE;
}

int ear_text_unpack(struct ear_pack_bytes *text, const uint8_t *frame, size_t size)
{
	struct ear_frame_info info;
	int result = ear_frame_look(&info, frame, size);

	text->size = 0;
	if (result || info.frame_size != size || !info.text)
		return EAR_E_BAD_FILE;
	if (!info.records)
		return take_zstd(text, frame, size, EAR_TEXT_PACK_BLOCK_MAX);
	struct records_head *head = malloc(sizeof(*head));
	if (!head)
		return EAR_E_NO_MEMORY;
	result = unpack_records(text, head, frame + FRAME_HEAD, size - FRAME_HEAD);
	free(head);
	return result;
}

/* The form of a file ----------------------------------------------------------------------- */

/* The lines before the first record. */
static int find_head(struct ear_text_form *form, const char *bytes, size_t size)
{
	const struct ear_reader_options options = {0};
	struct ear_text_block block = {.capacity = size, .size = size, .line_number = 1};
	struct ear_text_input *input = NULL;
	struct ear_reader *reader = NULL;
	const struct ear_record *record;

	block.buffer = calloc(1, size + EAR_TEXT_SLACK);
	block.bytes = block.buffer;
	if (block.buffer && ear_text_input_new_empty(&input) == 0) {
		memcpy(block.buffer, bytes, size);
		ear_text_input_give_block(input, &block);
		reader = form->reader->make(input, &options);
	}
	if (reader && ear_reader_next(reader, &record) == 1 &&
		record->stream_offset <= EAR_TEXT_PACK_HEAD_MAX && record->stream_offset < size) {
		form->head_size = (size_t)record->stream_offset;
		memcpy(form->head, bytes, form->head_size);
	}
	int result = reader ? 0 : EAR_E_NO_MEMORY;
	ear_reader_free(reader);
	ear_text_input_free(input);
	free(block.buffer);
	return result;
}

int ear_text_form_find(struct ear_text_form *form, const char *bytes, size_t size)
{
	*form = (struct ear_text_form){0};
	if (ear_shot_is_capture((const uint8_t *)bytes, size))
		return 0;
	form->reader = ear_reader_detect(bytes, size);
	form->writer = form->reader ? ear_writer_find(form->reader->name) : NULL;
	if (form->writer && (!form->writer->make || !form->reader->make))
		form->writer = NULL;
	return form->writer ? find_head(form, bytes, size) : 0;
}
