/* Finds the states of a capture file without reading all of it.
 *
 * A finished file ends with a seek table and an index: three reads give every state. A file without
 * them, cut off or still being written, is walked frame by frame; zstd's frame and block headers
 * give the sizes, so nothing is decompressed. Every offset is checked against the size of the file
 * before it is used.
 */
#include "library/shot/shot_index.h"

#include <earshot/error.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/protocol/bytes.h"
#include "library/shot/shot_format.h"

#define HEADER_SIZE      8u
#define TAGGED_SIZE      (HEADER_SIZE + EAR_SHOT_TAG_SIZE)
#define ENTRY_SIZE       8u
#define FOOTER_SIZE      9u
#define PLACES_MAX       (1u << 20)
#define FRAME_HEADER_MAX 18u /* of zstd */
#define BLOCK_HEADER     3u

void ear_shot_index_fini(struct ear_shot_index *index)
{
	free(index->places);
	*index = (struct ear_shot_index){0};
}

/* Read size bytes at offset. Returns 0, EAR_E_MORE if the file ends before, or EAR_E_IO. */
static int read_at(int fd, uint8_t *bytes, size_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t got = pread(fd, bytes, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? EAR_E_IO : EAR_E_MORE;
		bytes += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

static int add(struct ear_shot_index *index, uint64_t file_offset, const uint8_t *head)
{
	if (index->count == PLACES_MAX)
		return 0;
	if (!EAR_ARRAY_RESERVE(index->places, &index->capacity, index->count + 1))
		return EAR_E_NO_MEMORY;
	index->places[index->count++] = (struct ear_shot_place){file_offset, ear_load_le64(head),
		ear_load_le64(head + 8), ear_load_le64(head + 16)};
	return 0;
}

/* By the end of the file -------------------------------------------------------------------- */

/* The sizes of the last two frames before the table, and of all. */
struct table {
	uint64_t sum, last, before_last;
};

static int read_entries(struct table *table, int fd, uint64_t offset, uint64_t count)
{
	uint8_t entries[512 * ENTRY_SIZE];

	while (count > 0) {
		uint64_t part = count < 512 ? count : 512;
		int result = read_at(fd, entries, (size_t)part * ENTRY_SIZE, offset);
		if (result)
			return result;
		for (uint64_t i = 0; i < part; i++) {
			table->before_last = table->last;
			table->last = ear_load_le32(entries + i * ENTRY_SIZE);
			table->sum += table->last;
		}
		offset += part * ENTRY_SIZE;
		count -= part;
	}
	return 0;
}

/* Returns 1 if the file ends with a seek table that fits it, 0 if not, or an error. */
static int read_table(struct table *table, int fd, uint64_t file_size)
{
	uint8_t footer[FOOTER_SIZE], header[HEADER_SIZE];
	int result;

	*table = (struct table){0};
	if (file_size < HEADER_SIZE + FOOTER_SIZE)
		return 0;
	result = read_at(fd, footer, sizeof(footer), file_size - FOOTER_SIZE);
	if (result)
		return result == EAR_E_IO ? result : 0;
	uint64_t count = ear_load_le32(footer);
	uint64_t size = HEADER_SIZE + count * ENTRY_SIZE + FOOTER_SIZE;
	if (ear_load_le32(footer + 5) != EAR_SHOT_SEEK_FOOTER || size > file_size)
		return 0;
	uint64_t begin = file_size - size;
	result = read_at(fd, header, sizeof(header), begin);
	if (result == 0)
		result = read_entries(table, fd, begin + HEADER_SIZE, count);
	if (result)
		return result == EAR_E_IO ? result : 0;
	return ear_load_le32(header) == EAR_SHOT_SEEK_MAGIC &&
	       ear_load_le32(header + 4) == size - HEADER_SIZE && table->sum == begin;
}

/* The index is the frame before the last facts. Returns 0 or an error. */
static int read_index(struct ear_shot_index *index, int fd, const struct table *table)
{
	uint64_t offset = table->sum - table->last - table->before_last;
	uint64_t end = offset + table->before_last;
	uint8_t head[TAGGED_SIZE], entry[EAR_SHOT_INDEX_ENTRY];
	int result = 0;

	if (table->before_last < TAGGED_SIZE)
		return 0;
	result = read_at(fd, head, sizeof(head), offset);
	if (result || ear_load_le32(head) != EAR_SHOT_MAGIC ||
		memcmp(head + HEADER_SIZE, EAR_SHOT_TAG_INDEX, EAR_SHOT_TAG_SIZE) != 0)
		return result;
	for (offset += TAGGED_SIZE; result == 0 && offset + sizeof(entry) <= end;
		offset += sizeof(entry)) {
		result = read_at(fd, entry, sizeof(entry), offset);
		if (result == 0 && ear_load_le64(entry) < end)
			result = add(index, ear_load_le64(entry), entry + 8);
	}
	return result;
}

/* Frame by frame --------------------------------------------------------------------------- */

/* The size of a zstd frame's header (RFC 8878, section 3.1.1.1). */
static size_t frame_header_size(const uint8_t *bytes, bool *has_checksum)
{
	static const uint8_t id_sizes[] = {0, 1, 2, 4}, size_sizes[] = {0, 2, 4, 8};
	uint8_t descriptor = bytes[4];
	bool single = descriptor & 0x20;
	size_t size = 5u + !single + id_sizes[descriptor & 3] + size_sizes[descriptor >> 6];

	*has_checksum = descriptor & 4;
	return size + (single && descriptor >> 6 == 0);
}

/* Where the zstd frame at offset ends. Returns 0, EAR_E_MORE or EAR_E_IO. */
static int pass_frame(int fd, uint64_t *offset)
{
	uint8_t bytes[FRAME_HEADER_MAX] = {0};
	bool has_checksum, last = false;
	uint64_t at = *offset;
	int result = read_at(fd, bytes, 5, at);

	at += frame_header_size(bytes, &has_checksum);
	while (result == 0 && !last) {
		result = read_at(fd, bytes, BLOCK_HEADER, at);
		uint32_t header = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
		bool repeated = (header >> 1 & 3) == 1;
		last = header & 1;
		at += BLOCK_HEADER + (repeated ? 1 : header >> 3);
	}
	*offset = at + (has_checksum ? 4 : 0);
	return result;
}

/* A skippable frame of ours at offset, of size bytes after its header. */
static int note_frame(struct ear_shot_index *index, int fd, uint64_t offset, uint32_t size)
{
	uint8_t head[EAR_SHOT_TAG_SIZE + EAR_SHOT_STATE_HEADER];

	if (size < sizeof(head))
		return 0;
	int result = read_at(fd, head, sizeof(head), offset + HEADER_SIZE);
	if (result || memcmp(head, EAR_SHOT_TAG_STATE, EAR_SHOT_TAG_SIZE) != 0)
		return result;
	return add(index, offset, head + EAR_SHOT_TAG_SIZE);
}

/* Up to the first thing that is no frame, or is not whole. */
static int scan(struct ear_shot_index *index, int fd, uint64_t file_size)
{
	uint64_t offset = 0;
	uint8_t head[HEADER_SIZE];
	int result = 0;

	while (result == 0 && offset < file_size) {
		result = read_at(fd, head, sizeof(head), offset);
		uint32_t magic = ear_load_le32(head), size = ear_load_le32(head + 4);
		if (result)
			break;
		if (magic == EAR_SHOT_ZSTD_MAGIC) {
			result = pass_frame(fd, &offset);
			continue;
		}
		if ((magic & ~0xFu) != EAR_SHOT_SKIPPABLE_FIRST)
			break;
		uint64_t end = offset + HEADER_SIZE + size;
		if (magic == EAR_SHOT_MAGIC && end <= file_size)
			result = note_frame(index, fd, offset, size);
		offset = end;
	}
	return result;
}

int ear_shot_index_read(struct ear_shot_index *index, int fd)
{
	struct stat status;
	struct table table;

	*index = (struct ear_shot_index){0};
	if (fstat(fd, &status) != 0)
		return EAR_E_IO;
	if (!S_ISREG(status.st_mode))
		return 0;
	uint64_t file_size = (uint64_t)status.st_size;
	int result = read_table(&table, fd, file_size);
	if (result > 0)
		result = read_index(index, fd, &table);
	else if (result == 0)
		result = scan(index, fd, file_size);
	return result == EAR_E_MORE ? 0 : result;
}

const struct ear_shot_place *ear_shot_index_find(
	const struct ear_shot_index *index, uint64_t instructions)
{
	const struct ear_shot_place *found = NULL;

	for (size_t i = 0; i < index->count; i++)
		if (index->places[i].instructions <= instructions)
			found = &index->places[i];
	return found;
}
