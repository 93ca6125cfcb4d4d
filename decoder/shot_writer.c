#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "common/error.h"
#include "decoder/shot.h"
#include "decoder/shot_format.h"
#include "protocol/bytes.h"

#define ENTRY_SIZE  8u
#define FOOTER_SIZE 9u
#define HEADER_SIZE 8u /* magic and size of a skippable frame */

struct ear_shot_writer {
	int fd;
	ZSTD_CCtx *context;
	uint8_t *chunk; /* stream bytes of the frame to come */
	size_t chunk_size;
	uint8_t *compressed;
	size_t compressed_capacity;
	uint8_t *entries; /* of the seek table, ENTRY_SIZE each */
	size_t entry_count, entry_capacity;
	uint64_t file_size;
	uint64_t stream_size; /* bytes pushed */
	uint8_t *index;       /* EAR_SHOT_INDEX_ENTRY each */
	size_t index_count;
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
	if (writer->entry_count == writer->entry_capacity) {
		size_t capacity = writer->entry_capacity ? 2 * writer->entry_capacity : 256;
		uint8_t *entries = realloc(writer->entries, capacity * ENTRY_SIZE);
		if (!entries)
			return EAR_E_NO_MEMORY;
		writer->entries = entries;
		writer->entry_capacity = capacity;
	}
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

/* A skippable frame of ours: tag, then two pieces of text or bytes. */
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
	return result ? result : add_entry(writer, sizeof(head) + size, 0);
}

static int write_tagged(
	struct ear_shot_writer *writer, const char *tag, const void *content, size_t size)
{
	return write_pieces(writer, tag, (struct piece){content, size}, (struct piece){NULL, 0});
}

int ear_shot_writer_flush(struct ear_shot_writer *writer)
{
	if (writer->chunk_size == 0)
		return 0;

	size_t size = ZSTD_compress2(writer->context, writer->compressed,
		writer->compressed_capacity, writer->chunk, writer->chunk_size);
	if (ZSTD_isError(size))
		return EAR_E_NO_MEMORY; /* the buffer is large enough: nothing else can fail */

	int result = write_all(writer, writer->compressed, size);
	if (result == 0)
		result = add_entry(writer, size, writer->chunk_size);
	writer->chunk_size = 0;
	return result;
}

int ear_shot_writer_push(struct ear_shot_writer *writer, const uint8_t *bytes, size_t size)
{
	writer->stream_size += size;
	while (size > 0) {
		size_t room = 2 * EAR_SHOT_CHUNK_SIZE - writer->chunk_size;
		size_t part = size < room ? size : room;
		memcpy(writer->chunk + writer->chunk_size, bytes, part);
		writer->chunk_size += part;
		bytes += part;
		size -= part;

		/* Between pushes the stream stands at the end of a frame; only a push larger than
		 * the buffer is cut elsewhere. */
		bool cut = size == 0 ? writer->chunk_size >= EAR_SHOT_CHUNK_SIZE : part == room;
		int result = cut ? ear_shot_writer_flush(writer) : 0;
		if (result)
			return result;
	}
	return 0;
}

int ear_shot_writer_loss(struct ear_shot_writer *writer, uint64_t size)
{
	uint8_t content[8];
	int result = ear_shot_writer_flush(writer);

	ear_store_le64(content, size);
	return result ? result : write_tagged(writer, EAR_SHOT_TAG_LOSS, content, sizeof(content));
}

/* A skippable frame with a head and packed bytes, behind everything pushed so far. */
static int write_packed(
	struct ear_shot_writer *writer, const char *tag, struct piece head, struct piece content)
{
	size_t capacity = ZSTD_compressBound(content.size);
	uint8_t *packed = malloc(capacity);
	int result = EAR_E_NO_MEMORY;

	if (!packed)
		return EAR_E_NO_MEMORY;
	size_t size =
		ZSTD_compress2(writer->context, packed, capacity, content.bytes, content.size);
	if (!ZSTD_isError(size))
		result = ear_shot_writer_flush(writer);
	if (result == 0)
		result = write_pieces(writer, tag, head, (struct piece){packed, size});
	free(packed);
	return result;
}

int ear_shot_writer_script(struct ear_shot_writer *writer, const struct ear_shot_script *script)
{
	uint8_t head[EAR_SHOT_SCRIPT_HEADER] = {0};

	assert(script->size <= EAR_SHOT_SCRIPT_MAX);
	ear_store_le64(head, script->first);
	ear_store_le64(head + 8, script->count);
	head[16] = script->format;
	head[17] = script->flags;
	return write_packed(writer, EAR_SHOT_TAG_SCRIPT, (struct piece){head, sizeof(head)},
		(struct piece){script->bytes, script->size});
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

int ear_shot_writer_state(struct ear_shot_writer *writer, const struct ear_shot_state *state)
{
	uint8_t head[EAR_SHOT_STATE_HEADER];
	int result = ear_shot_writer_flush(writer);

	assert(state->size <= EAR_SHOT_STATE_MAX);
	ear_store_le64(head, writer->stream_size);
	ear_store_le64(head + 8, state->instructions);
	ear_store_le64(head + 16, state->records);
	if (result == 0)
		result = add_index(writer, head);
	if (result)
		return result;
	return write_packed(writer, EAR_SHOT_TAG_STATE, (struct piece){head, sizeof(head)},
		(struct piece){state->bytes, state->size});
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

int ear_shot_writer_finish(struct ear_shot_writer *writer, const char *facts)
{
	int result = ear_shot_writer_flush(writer);

	if (result == 0 && writer->index_count > 0)
		result = write_tagged(writer, EAR_SHOT_TAG_INDEX, writer->index,
			writer->index_count * EAR_SHOT_INDEX_ENTRY);
	if (result == 0)
		result = write_tagged(writer, EAR_SHOT_TAG_FACTS, facts, strlen(facts));
	return result ? result : write_seek_table(writer);
}

static int write_first_facts(struct ear_shot_writer *writer, const char *facts)
{
	static const char format[] = "format: earshot 1\n";
	size_t format_size = sizeof(format) - 1, size = strlen(facts);
	uint8_t *text = malloc(format_size + size);
	if (!text)
		return EAR_E_NO_MEMORY;

	memcpy(text, format, format_size);
	memcpy(text + format_size, facts, size);
	int result = write_tagged(writer, EAR_SHOT_TAG_FACTS, text, format_size + size);
	free(text);
	return result;
}

int ear_shot_writer_new(struct ear_shot_writer **writer, int fd, const char *facts, int level)
{
	if (strlen(facts) > EAR_SHOT_FACTS_MAX - 64)
		return EAR_E_BAD_ARGUMENT;

	struct ear_shot_writer *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->fd = fd;
	made->context = ZSTD_createCCtx();
	made->chunk = malloc(2 * EAR_SHOT_CHUNK_SIZE);
	made->compressed_capacity = ZSTD_compressBound(2 * EAR_SHOT_CHUNK_SIZE);
	made->compressed = malloc(made->compressed_capacity);

	int result = EAR_E_NO_MEMORY;
	if (!made->context || !made->chunk || !made->compressed)
		goto out_free;
	ZSTD_CCtx_setParameter(made->context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(made->context, ZSTD_c_checksumFlag, 1);
	result = write_first_facts(made, facts);
	if (result)
		goto out_free;
	*writer = made;
	return 0;

out_free:
	ear_shot_writer_free(made);
	return result;
}

uint64_t ear_shot_writer_size(const struct ear_shot_writer *writer)
{
	return writer->file_size;
}

void ear_shot_writer_free(struct ear_shot_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->context);
	free(writer->chunk);
	free(writer->compressed);
	free(writer->entries);
	free(writer->index);
	free(writer);
}
