/* Capture files, and what the states in them cost.
 *
 * A state ends the zstd frame before it, and zstd begins the next one with nothing known: how much
 * that costs depends on what repeats itself in the stream at which distance, from nothing to half
 * of the file. So it is measured: a second compressor gets the same bytes, ends its frames only
 * where they would end without states, and its output is counted and thrown away. Only the
 * streams of units that predict are measured: they are small, and in others no state ends a frame.
 *
 * Between states the cost is an estimate: both compressors hold bytes back. Before a state is
 * written it is made exact: the frame that would end is compressed, the second compressor flushed.
 */
#include <assert.h>
#include <earshot/error.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "common/array.h"
#include "common/protocol/bytes.h"
#include "library/shot/shot.h"
#include "library/shot/shot_format.h"
#include "library/shot/shot_repair.h"

#define ENTRY_SIZE  8u
#define FOOTER_SIZE 9u
#define HEADER_SIZE 8u  /* magic and size of a skippable frame */
#define FRAME_COST  14u /* bytes of a zstd frame beside its blocks */
#define SCRIPT_COST 60u /* bytes of an ETXT frame beside its line diff */
/* zstd levels of states. A small file has few, and each of its bytes counts; in a large one there
 * may be many, and they must not take much of the time.
 */
#define SMALL_FILE  (1u << 20)
#define SMALL_LEVEL 15
#define STATE_LEVEL 9
#define FLUSH_COST  64u /* bytes that a flush makes the measured file larger, at most */
#define ZSTD_BLOCK  (128u << 10)
#define BLOCK_LEAST (1u << 10) /* bytes of the stream in a small block */
/* What the parities of zstd frames may cost: */
#define REPAIR_ALLOWANCE 4000u /* bytes, of a small file */
#define REPAIR_SHARE     80u   /* the part of a large one */
#define REPAIR_COST      (HEADER_SIZE + EAR_SHOT_TAG_SIZE + EAR_SHOT_REPAIR_HEADER + ENTRY_SIZE)

struct ear_shot_writer {
	int fd, level;
	ZSTD_CCtx *context;
	uint8_t *chunk; /* stream bytes of the frame to come */
	size_t chunk_size;
	uint8_t *compressed;
	size_t compressed_capacity;
	size_t settled, settled_size; /* so many bytes of the chunk are compressed, to this size */
	uint8_t *entries;             /* of the seek table, ENTRY_SIZE each */
	size_t entry_count, entry_capacity;
	uint64_t file_size;
	uint64_t stream_size;  /* bytes pushed */
	uint64_t repair_bytes; /* of EREP frames, with the seek table's */
	uint8_t *index;        /* EAR_SHOT_INDEX_ENTRY each */
	size_t index_count;

	/* The state that was written last, for the next delta; NULL: none. */
	uint8_t *plain;
	size_t plain_size;
	size_t whole_size; /* of the last ESNP's zstd frame */

	/* What the file would be without states: */
	uint64_t base;      /* up to the begin of the span, bytes with the seek table's */
	ZSTD_CCtx *measure; /* NULL: not measured */
	size_t span;        /* bytes of the stream since a zstd frame began without states */
	size_t given;       /* bytes of the chunk that the second compressor has got */
	uint64_t held;      /* bytes that it has got since it was flushed */
	uint64_t flushes;   /* of this span and those before */
	uint64_t measured;  /* bytes that the span makes, as far as they came out */
	uint64_t span_in,
		span_out; /* of the span in the file: bytes in, and out without FRAME_COST */
	uint64_t state_bytes, cuts;
	bool after_state; /* the next line diff is one that the state made necessary */
};

static int write_all(struct ear_shot_writer *writer, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(writer->fd, bytes, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return EAR_E_IO;
		bytes += written;
		size -= (size_t)written;
		writer->file_size += (uint64_t)written;
	}
	return 0;
}

static int add_entry(struct ear_shot_writer *writer, size_t compressed, size_t decompressed)
{
	if (writer->entry_count == writer->entry_capacity &&
		!ear_array_grow(&writer->entries, ENTRY_SIZE, &writer->entry_capacity,
			writer->entry_count + 1))
		return EAR_E_NO_MEMORY;
	uint8_t *entry = writer->entries + writer->entry_count * ENTRY_SIZE;
	ear_store_le32(entry, (uint32_t)compressed);
	ear_store_le32(entry + 4, (uint32_t)decompressed);
	writer->entry_count++;
	return 0;
}

struct piece {
	const void *bytes;
	size_t size;
};

/* A skippable frame of ours: tag, then two parts of text or bytes. */
static int write_pieces(
	struct ear_shot_writer *writer, const char *tag, struct piece first, struct piece second)
{
	uint8_t head[HEADER_SIZE + EAR_SHOT_TAG_SIZE];
	size_t size = first.size + second.size;

	ear_store_le32(head, EAR_SHOT_MAGIC);
	ear_store_le32(head + 4, (uint32_t)(EAR_SHOT_TAG_SIZE + size));
	memcpy(head + HEADER_SIZE, tag, EAR_SHOT_TAG_SIZE);
	int result = write_all(writer, head, sizeof(head));
	if (result == 0)
		result = write_all(writer, first.bytes, first.size);
	if (result == 0)
		result = write_all(writer, second.bytes, second.size);
	writer->base += sizeof(head) + size + ENTRY_SIZE;
	return result ? result : add_entry(writer, sizeof(head) + size, 0);
}

static int write_tagged(
	struct ear_shot_writer *writer, const char *tag, const void *content, size_t size)
{
	return write_pieces(writer, tag, (struct piece){content, size}, (struct piece){NULL, 0});
}

/* Give the second compressor what it has not got of the chunk. */
static void measure(struct ear_shot_writer *writer, ZSTD_EndDirective then)
{
	uint8_t output[4096];
	ZSTD_inBuffer in = {writer->chunk, writer->chunk_size, writer->given};
	size_t left;

	do {
		ZSTD_outBuffer out = {output, sizeof(output), 0};
		left = ZSTD_compressStream2(writer->measure, &out, &in, then);
		writer->measured += out.pos;
	} while (
		!ZSTD_isError(left) && (in.pos < in.size || (then != ZSTD_e_continue && left > 0)));
	writer->held = then == ZSTD_e_continue ? writer->held + in.size - writer->given : 0;
	writer->given = in.size;
}

static void end_span(struct ear_shot_writer *writer)
{
	if (writer->span == 0)
		return;
	writer->base += writer->measured + ENTRY_SIZE;
	writer->span = 0;
	writer->measured = writer->span_in = writer->span_out = 0;
}

/* The parity of a zstd frame that comes next, if that costs little: a file has a large one now and
 * then, or few small ones. */
static int write_repair(struct ear_shot_writer *writer, const uint8_t *frame, size_t size)
{
	size_t width = ear_shot_repair_width(size);
	uint64_t room = writer->file_size / REPAIR_SHARE;
	uint8_t head[EAR_SHOT_REPAIR_HEADER];

	if (room < REPAIR_ALLOWANCE)
		room = REPAIR_ALLOWANCE;
	if (writer->repair_bytes + REPAIR_COST + width > room)
		return 0;
	uint8_t *parity = malloc(width);
	if (!parity)
		return EAR_E_NO_MEMORY;
	ear_shot_repair_parity(frame, size, parity, width);
	ear_store_le32(head, (uint32_t)size);
	ear_store_le32(head + 4, (uint32_t)width);
	ear_store_le32(head + 8, (uint32_t)crc32_z(0, frame, size));
	int result = write_pieces(writer, EAR_SHOT_TAG_REPAIR, (struct piece){head, sizeof(head)},
		(struct piece){parity, width});
	writer->repair_bytes += REPAIR_COST + width;
	free(parity);
	return result;
}

/* As ZSTD_compress2, but in small blocks: what a reader can decompress of a frame that is cut off
 * or damaged ends with a whole block, and a small capture would be one block. Each is about a fifth
 * of what is before it and itself, so that there are few.
 */
static size_t compress_blocks(struct ear_shot_writer *writer)
{
	ZSTD_outBuffer out = {writer->compressed, writer->compressed_capacity, 0};
	ZSTD_inBuffer in = {writer->chunk, 0, 0};
	size_t left;

	ZSTD_CCtx_reset(writer->context, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(writer->context, writer->chunk_size);
	do {
		in.size += in.size / 4 > BLOCK_LEAST ? in.size / 4 : BLOCK_LEAST;
		if (in.size > writer->chunk_size)
			in.size = writer->chunk_size;
		left = ZSTD_compressStream2(writer->context, &out, &in,
			in.size < writer->chunk_size ? ZSTD_e_flush : ZSTD_e_end);
	} while (left == 0 && in.size < writer->chunk_size);
	return left == 0 ? out.pos : left;
}

/* Compress the chunk, unless that is done. The first one of a file is in small blocks. Returns 0 or
 * EAR_E_NO_MEMORY. */
static int compress_chunk(struct ear_shot_writer *writer)
{
	if (writer->settled == writer->chunk_size)
		return 0;
	size_t size =
		writer->stream_size == writer->chunk_size
			? compress_blocks(writer)
			: ZSTD_compress2(writer->context, writer->compressed,
				  writer->compressed_capacity, writer->chunk, writer->chunk_size);
	if (ZSTD_isError(size))
		return EAR_E_NO_MEMORY; /* the buffer is large: nothing else can fail */
	writer->settled = writer->chunk_size;
	writer->settled_size = size;
	return 0;
}

int ear_shot_writer_measure_now(struct ear_shot_writer *writer)
{
	int result = writer->measure ? compress_chunk(writer) : 0;

	if (writer->measure && result == 0 && writer->span > 0) {
		measure(writer, ZSTD_e_flush);
		writer->flushes++;
	}
	return result;
}

/* End the zstd frame; without the state it would continue. */
static int end_frame(struct ear_shot_writer *writer, bool for_state)
{
	int result = 0;

	if (writer->chunk_size > 0) {
		result = compress_chunk(writer);
		if (result)
			return result;
		size_t size = writer->settled_size;
		result = write_repair(writer, writer->compressed, size);
		if (result == 0)
			result = write_all(writer, writer->compressed, size);
		if (result == 0)
			result = add_entry(writer, size, writer->chunk_size);
		if (writer->measure)
			measure(writer, for_state ? ZSTD_e_continue : ZSTD_e_end);
		else
			writer->measured += size;
		writer->span_in += writer->chunk_size;
		writer->span_out += size > FRAME_COST ? size - FRAME_COST : 0;
		writer->chunk_size = writer->given = writer->settled = 0;
	} else if (!for_state && writer->measure && writer->span > 0) {
		measure(writer, ZSTD_e_end);
	}
	if (!for_state)
		end_span(writer);
	return result;
}

int ear_shot_writer_flush(struct ear_shot_writer *writer)
{
	return writer->span == 0 ? 0 : end_frame(writer, false);
}

int ear_shot_writer_push(struct ear_shot_writer *writer, const uint8_t *bytes, size_t size)
{
	writer->stream_size += size;
	while (size > 0) {
		size_t room = 2 * EAR_SHOT_CHUNK_SIZE - writer->chunk_size;
		size_t part = size < room ? size : room;
		memcpy(writer->chunk + writer->chunk_size, bytes, part);
		writer->chunk_size += part;
		writer->span += part;
		bytes += part;
		size -= part;

		/* Between pushes the stream is at the end of a frame; only a push larger than
		 * the buffer is cut elsewhere. */
		bool cut = size == 0 ? writer->span >= EAR_SHOT_CHUNK_SIZE : part == room;
		int result = cut ? end_frame(writer, false) : 0;
		if (result)
			return result;
	}
	return 0;
}

int ear_shot_writer_loss(struct ear_shot_writer *writer, uint64_t size)
{
	uint8_t content[8];
	int result = end_frame(writer, false);

	ear_store_le64(content, size);
	return result ? result : write_tagged(writer, EAR_SHOT_TAG_LOSS, content, sizeof(content));
}

static int state_level(const struct ear_shot_writer *writer)
{
	int level = writer->file_size < SMALL_FILE ? SMALL_LEVEL : STATE_LEVEL;

	return level > writer->level ? level : writer->level;
}

/* Bytes compressed into memory of their own, as a whole zstd frame. NULL if memory is short. */
static uint8_t *pack(struct ear_shot_writer *writer, const uint8_t *bytes, size_t size, int level,
	size_t *packed_size)
{
	size_t capacity = ZSTD_compressBound(size);
	uint8_t *packed = malloc(capacity);

	if (!packed)
		return NULL;
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, level);
	*packed_size = ZSTD_compress2(writer->context, packed, capacity, bytes, size);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, writer->level);
	if (!ZSTD_isError(*packed_size))
		return packed;
	free(packed);
	return NULL;
}

int ear_shot_writer_line_diff(struct ear_shot_writer *writer, const struct ear_shot_line_diff *diff)
{
	uint8_t head[EAR_SHOT_LINE_DIFF_HEADER] = {0};
	size_t size;

	assert(diff->size <= EAR_SHOT_LINE_DIFF_MAX);
	ear_store_le64(head, diff->first);
	ear_store_le64(head + 8, diff->count);
	head[16] = diff->format;
	head[17] = diff->flags;
	uint8_t *packed = pack(writer, diff->bytes, diff->size, writer->level, &size);
	int result = packed ? end_frame(writer, writer->after_state) : EAR_E_NO_MEMORY;
	if (result == 0)
		result = write_pieces(writer, EAR_SHOT_TAG_LINE_DIFF,
			(struct piece){head, sizeof(head)}, (struct piece){packed, size});
	if (result == 0 && writer->after_state)
		writer->base -= SCRIPT_COST;
	writer->after_state = false;
	free(packed);
	return result;
}

static int add_index(struct ear_shot_writer *writer, const uint8_t *head)
{
	size_t size = (writer->index_count + 1) * EAR_SHOT_INDEX_ENTRY;
	uint8_t *index = realloc(writer->index, size);

	if (!index)
		return EAR_E_NO_MEMORY;
	writer->index = index;
	uint8_t *entry = index + writer->index_count++ * EAR_SHOT_INDEX_ENTRY;
	ear_store_le64(entry, writer->file_size);
	memcpy(entry + 8, head, EAR_SHOT_STATE_HEADER);
	return 0;
}

/* Keep the state for the next delta. Without memory the next one is whole. */
static void keep_state(struct ear_shot_writer *writer, const struct ear_shot_state *state)
{
	if (writer->plain_size != state->size) {
		free(writer->plain);
		writer->plain = malloc(state->size + 1);
	}
	writer->plain_size = writer->plain ? state->size : 0;
	if (writer->plain)
		memcpy(writer->plain, state->bytes, state->size);
}

/* The state with the one before as zstd's prefix: what both have costs little, wherever it is. */
static uint8_t *pack_delta(
	struct ear_shot_writer *writer, const struct ear_shot_state *state, size_t *size)
{
	int window = 17;

	while (window < 27 && (size_t)1 << window < 2 * state->size)
		window++;
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_windowLog, window);
	ZSTD_CCtx_refPrefix(writer->context, writer->plain, writer->plain_size);
	uint8_t *packed = pack(writer, state->bytes, state->size, state_level(writer), size);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_windowLog, 0);
	ZSTD_CCtx_refPrefix(writer->context, NULL, 0); /* whether it was used or not */
	return packed;
}

/* The smaller of both, if *whole is false; says in it which one it is. */
static uint8_t *pack_state(struct ear_shot_writer *writer, const struct ear_shot_state *state,
	bool *whole, size_t *size)
{
	uint8_t *delta = NULL;
	size_t delta_size = 0;

	if (!*whole) {
		delta = pack_delta(writer, state, &delta_size);
		*size = delta_size;
		if (!delta || delta_size < writer->whole_size / 4 * 3)
			return delta;
	}
	uint8_t *packed = pack(writer, state->bytes, state->size, state_level(writer), size);
	if (packed && delta && delta_size < *size) {
		free(packed);
		*size = delta_size;
		return delta;
	}
	free(delta);
	*whole = true;
	return packed;
}

int ear_shot_writer_state(struct ear_shot_writer *writer, const struct ear_shot_state *state,
	bool *as_whole, uint64_t limit, uint64_t *cost)
{
	uint8_t head[4 + EAR_SHOT_STATE_HEADER];
	size_t size = 0;

	assert(state->size <= EAR_SHOT_STATE_MAX);
	bool whole = *as_whole || !writer->plain || writer->plain_size != state->size;
	ear_store_le64(head + 4, writer->stream_size);
	ear_store_le64(head + 12, state->instructions);
	ear_store_le64(head + 20, state->records);
	uint8_t *packed = pack_state(writer, state, &whole, &size);
	*as_whole = whole;
	if (!packed)
		return EAR_E_NO_MEMORY;
	if (whole)
		writer->whole_size = size;
	*cost = HEADER_SIZE + EAR_SHOT_TAG_SIZE + sizeof(head) + size + ENTRY_SIZE +
		(whole ? EAR_SHOT_INDEX_ENTRY : 0);
	if (*cost > limit) {
		free(packed);
		return 0;
	}

	bool cut = writer->chunk_size > 0;
	int result = end_frame(writer, true);
	if (result == 0 && whole)
		result = add_index(writer, head + 4);
	if (!whole) {
		uLong crc = crc32_z(0, head + 4, EAR_SHOT_STATE_HEADER);
		ear_store_le32(head, (uint32_t)crc32_z(crc, state->bytes, state->size));
	}
	uint64_t base = writer->base;
	if (result == 0)
		result = write_pieces(writer, whole ? EAR_SHOT_TAG_STATE : EAR_SHOT_TAG_DELTA,
			whole ? (struct piece){head + 4, EAR_SHOT_STATE_HEADER}
			      : (struct piece){head, sizeof(head)},
			(struct piece){packed, size});
	writer->base = base;
	writer->state_bytes += *cost;
	writer->cuts += cut;
	writer->after_state = true;
	keep_state(writer, state);
	free(packed);
	return result ? result : 1;
}

void ear_shot_writer_measure(struct ear_shot_writer *writer)
{
	if (writer->measure || writer->span != writer->chunk_size)
		return;
	writer->measure = ZSTD_createCCtx();
	if (!writer->measure)
		return; /* the states cost what they cost */
	ZSTD_CCtx_setParameter(writer->measure, ZSTD_c_compressionLevel, writer->level);
	ZSTD_CCtx_setParameter(writer->measure, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(writer->measure, ZSTD_c_windowLog, 20);
}

struct ear_shot_growth ear_shot_writer_growth(const struct ear_shot_writer *writer)
{
	uint64_t file = writer->file_size + writer->entry_count * ENTRY_SIZE +
			writer->index_count * EAR_SHOT_INDEX_ENTRY;
	uint64_t base = writer->base + writer->measured;
	bool settled = writer->chunk_size > 0 && writer->settled == writer->chunk_size;

	if (writer->measure) {
		/* What the second compressor still holds: a little less than it took in the file.
		 */
		uint64_t held = writer->held % ZSTD_BLOCK, cost = writer->flushes * FLUSH_COST;
		base += writer->span_in ? held * writer->span_out / writer->span_in * 15 / 16 : 0;
		base -= base > cost ? cost : base;
	}
	if (settled)
		file += writer->settled_size + ENTRY_SIZE;
	return (struct ear_shot_growth){
		.base = base,
		.growth = file > base ? file - base : 0,
		.cut_cost = FRAME_COST + ENTRY_SIZE,
		.at_frame = writer->chunk_size == 0,
		.cuts = writer->cuts,
		.state_bytes = writer->state_bytes,
	};
}

static int write_seek_table(struct ear_shot_writer *writer)
{
	uint8_t head[HEADER_SIZE], footer[FOOTER_SIZE];
	size_t size = writer->entry_count * ENTRY_SIZE;

	ear_store_le32(head, EAR_SHOT_SEEK_MAGIC);
	ear_store_le32(head + 4, (uint32_t)(size + FOOTER_SIZE));
	ear_store_le32(footer, (uint32_t)writer->entry_count);
	footer[4] = 0;
	ear_store_le32(footer + 5, EAR_SHOT_SEEK_FOOTER);

	int result = write_all(writer, head, sizeof(head));
	if (result == 0)
		result = write_all(writer, writer->entries, size);
	return result ? result : write_all(writer, footer, sizeof(footer));
}

/* Facts, with a line before and one after: the checksum of both. */
static int write_facts(struct ear_shot_writer *writer, const char *before, const char *facts)
{
	size_t before_size = strlen(before), size = before_size + strlen(facts);
	char *text = malloc(size + 1 + EAR_SHOT_CHECK_SIZE + 1);
	if (!text)
		return EAR_E_NO_MEMORY;

	memcpy(text, before, before_size);
	memcpy(text + before_size, facts, size - before_size);
	if (size > 0 && text[size - 1] != '\n')
		text[size++] = '\n';
	snprintf(text + size, EAR_SHOT_CHECK_SIZE + 1, EAR_SHOT_CHECK_KEY "%08x\n",
		(unsigned)crc32_z(0, (const Bytef *)text, size));
	int result = write_tagged(writer, EAR_SHOT_TAG_FACTS, text, size + EAR_SHOT_CHECK_SIZE);
	free(text);
	return result;
}

int ear_shot_writer_finish(struct ear_shot_writer *writer, const char *facts)
{
	int result = end_frame(writer, false);

	if (result == 0 && writer->index_count > 0)
		result = write_tagged(writer, EAR_SHOT_TAG_INDEX, writer->index,
			writer->index_count * EAR_SHOT_INDEX_ENTRY);
	if (result == 0)
		result = write_facts(writer, "", facts);
	return result ? result : write_seek_table(writer);
}

int ear_shot_writer_new(struct ear_shot_writer **writer, int fd, const char *facts, int level)
{
	if (strlen(facts) > EAR_SHOT_FACTS_MAX - 64)
		return EAR_E_BAD_ARGUMENT;

	struct ear_shot_writer *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->fd = fd;
	made->level = level;
	made->context = ZSTD_createCCtx();
	made->chunk = malloc(2 * EAR_SHOT_CHUNK_SIZE);
	made->compressed_capacity = ZSTD_compressBound(2 * EAR_SHOT_CHUNK_SIZE);
	made->compressed = malloc(made->compressed_capacity);

	int result = EAR_E_NO_MEMORY;
	if (!made->context || !made->chunk || !made->compressed)
		goto out_free;
	ZSTD_CCtx_setParameter(made->context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(made->context, ZSTD_c_checksumFlag, 1);
	result = write_facts(made, "format: earshot 1\n", facts);
	if (result)
		goto out_free;
	*writer = made;
	return 0;

out_free:
	ear_shot_writer_free(made);
	return result;
}

void ear_shot_writer_free(struct ear_shot_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->context);
	ZSTD_freeCCtx(writer->measure);
	free(writer->plain);
	free(writer->chunk);
	free(writer->compressed);
	free(writer->entries);
	free(writer->index);
	free(writer);
}
