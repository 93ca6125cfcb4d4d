/* The file of an index.
 *
 * All that is needed to find a block is in the directory, some 120 bytes for a node of 2^20
 * records, so opening reads two parts of the file whatever its size. The directory comes last: so
 * the file is written in one go, and one that was not finished has no end and is none.
 */
#include "library/index/file/index_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <earshot/error.h>

#include "common/array.h"

#define MAGIC \
	"\x89" \
	"EARI\r\n\x1a"
#define TRAILER_MAGIC "EARIXEND"
#define ID_SIZE       16u
#define CRC_OFFSET    52u
#define COPY_SIZE     65536u
#define NODE_SIZE     (6 * 8 + 4 + 1 + 16)
#define NODE_0_SIZE   (NODE_SIZE + 2 * 16)

void ear_index_directory_fini(struct ear_index_directory *directory)
{
	for (unsigned i = 0; i < EAR_INDEX_LEVELS_MAX; i++)
		free(directory->levels[i].nodes);
	*directory = (struct ear_index_directory){0};
}

struct ear_index_node *ear_index_level_add(struct ear_index_level *level)
{
	if (!EAR_ARRAY_RESERVE(level->nodes, &level->capacity, level->count + 1))
		return NULL;
	level->nodes[level->count] = (struct ear_index_node){0};
	return &level->nodes[level->count++];
}

/* CRC-32C, a bit at a time: it is for 52 bytes. */
static uint32_t crc32c(const uint8_t *bytes, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
	}
	return ~crc;
}

/* Writing ----------------------------------------------------------------------------------- */

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = write(fd, bytes, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return EAR_E_IO;
		bytes += got;
		size -= (size_t)got;
	}
	return 0;
}

int ear_index_writer_put(
	struct ear_index_writer *writer, const void *bytes, size_t size, uint64_t *offset)
{
	*offset = writer->offset;
	writer->offset += size;
	return write_all(writer->fd, bytes, size);
}

int ear_index_writer_begin(struct ear_index_writer *writer, int fd)
{
	uint8_t header[EAR_INDEX_HEADER_SIZE] = MAGIC;
	uint64_t offset;

	*writer = (struct ear_index_writer){.fd = fd};
	if (getrandom(writer->id, ID_SIZE, 0) != (ssize_t)ID_SIZE)
		return EAR_E_IO;
	ear_store_le32(header + 8, EAR_INDEX_VERSION);
	memcpy(header + 16, writer->id, ID_SIZE);
	return ear_index_writer_put(writer, header, sizeof(header), &offset);
}

int ear_index_writer_block(struct ear_index_writer *writer, const void *content, size_t size,
	struct ear_index_place *place)
{
	struct ear_index_bytes packed = {0};
	int result = ear_index_pack(NULL, &packed, content, size, NULL, 0);

	if (result == 0)
		result = ear_index_writer_put(writer, packed.bytes, packed.size, &place->offset);
	place->size = (uint32_t)packed.size;
	place->unpacked = (uint32_t)size;
	ear_index_bytes_fini(&packed);
	return result;
}

static void put_place(struct ear_index_bytes *bytes, const struct ear_index_place *place)
{
	ear_index_bytes_put_value(bytes, place->offset, 8);
	ear_index_bytes_put_value(bytes, place->size, 4);
	ear_index_bytes_put_value(bytes, place->unpacked, 4);
}

/* The words of a node in the order of the columns. */
static void node_words(uint64_t *words[6], struct ear_index_node *node)
{
	words[0] = &node->position;
	words[1] = &node->number;
	words[2] = &node->ticks_low;
	words[3] = &node->ticks_high;
	words[4] = &node->order_low;
	words[5] = &node->order_high;
}

static void put_level(
	struct ear_index_bytes *bytes, const struct ear_index_level *level, bool lowest)
{
	uint64_t *words[6];

	for (unsigned word = 0; word < 6; word++)
		for (size_t i = 0; i < level->count; i++) {
			node_words(words, &level->nodes[i]);
			ear_index_bytes_put_value(bytes, *words[word], 8);
		}
	for (size_t i = 0; i < level->count; i++)
		ear_index_bytes_put_value(bytes, level->nodes[i].flags, 4);
	for (size_t i = 0; i < level->count; i++)
		ear_index_bytes_put_value(bytes, level->nodes[i].count, 1);
	for (size_t i = 0; i < level->count; i++)
		put_place(bytes, &level->nodes[i].sets);
	for (size_t i = 0; lowest && i < level->count; i++)
		put_place(bytes, &level->nodes[i].checkpoint);
	for (size_t i = 0; lowest && i < level->count; i++)
		put_place(bytes, &level->nodes[i].version);
}

static void put_directory(
	struct ear_index_bytes *bytes, const struct ear_index_directory *directory)
{
	ear_index_identity_write(&directory->identity, bytes);
	ear_index_bytes_put_value(bytes, directory->flags, 4);
	ear_index_bytes_put_value(bytes, directory->memory_key, 4);
	ear_index_bytes_put_value(bytes, directory->records, 8);
	ear_index_bytes_put_value(bytes, directory->instructions, 8);
	put_place(bytes, &directory->volatiles);
	ear_index_bytes_put_value(bytes, directory->level_count, 4);
	for (unsigned i = 0; i < directory->level_count; i++)
		ear_index_bytes_put_value(bytes, directory->levels[i].count, 4);
	for (unsigned i = 0; i < directory->level_count; i++)
		put_level(bytes, &directory->levels[i], i == 0);
}

int ear_index_writer_end(struct ear_index_writer *writer, const void *directory, size_t size)
{
	uint8_t trailer[EAR_INDEX_TRAILER_SIZE] = {0};
	struct ear_index_place place = {0};
	uint64_t offset;
	int result = ear_index_writer_block(writer, directory, size, &place);

	if (result)
		return result;
	ear_store_le64(trailer, place.offset);
	ear_store_le32(trailer + 8, place.size);
	ear_store_le32(trailer + 12, place.unpacked);
	memcpy(trailer + 16, writer->id, ID_SIZE);
	ear_store_le64(trailer + 32, writer->offset + sizeof(trailer));
	ear_store_le32(trailer + 48, EAR_INDEX_VERSION);
	ear_store_le32(trailer + CRC_OFFSET, crc32c(trailer, CRC_OFFSET));
	memcpy(trailer + 56, TRAILER_MAGIC, 8);
	return ear_index_writer_put(writer, trailer, sizeof(trailer), &offset);
}

int ear_index_writer_finish(
	struct ear_index_writer *writer, const struct ear_index_directory *directory)
{
	struct ear_index_bytes bytes = {0};

	put_directory(&bytes, directory);
	int result = bytes.failed ? EAR_E_NO_MEMORY
				  : ear_index_writer_end(writer, bytes.bytes, bytes.size);
	ear_index_bytes_fini(&bytes);
	return result;
}

/* Reading ----------------------------------------------------------------------------------- */

static int read_at(int fd, uint64_t offset, uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = pread(fd, bytes, size, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? EAR_E_IO : EAR_E_BAD_FILE;
		bytes += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

int ear_index_file_read(const struct ear_index *file, uint64_t offset, size_t size, uint8_t **bytes)
{
	if (offset < EAR_INDEX_HEADER_SIZE || offset > file->size || size > file->size - offset)
		return EAR_E_BAD_FILE;
	uint8_t *made = malloc(size + 1);
	if (!made)
		return EAR_E_NO_MEMORY;
	int result = read_at(file->fd, offset, made, size);
	if (result)
		free(made);
	else
		*bytes = made;
	return result;
}

int ear_index_file_block(
	const struct ear_index *file, const struct ear_index_place *place, uint8_t **content)
{
	uint8_t *packed;
	int result = ear_index_file_read(file, place->offset, place->size, &packed);

	if (result)
		return result;
	result = ear_index_unpack(
		file->context, content, place->unpacked, packed, place->size, NULL, 0);
	free(packed);
	return result;
}

int ear_index_file_copy(const struct ear_index *file, int out_fd)
{
	uint8_t bytes[COPY_SIZE];
	struct ear_index_writer writer;
	int result = ear_index_writer_begin(&writer, out_fd);

	/* Blocks stay where they are, so all offsets are right. */
	while (result == 0 && writer.offset < file->end) {
		uint64_t left = file->end - writer.offset, offset;
		size_t size = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
		result = read_at(file->fd, writer.offset, bytes, size);
		if (result == 0)
			result = ear_index_writer_put(&writer, bytes, size, &offset);
	}
	return result ? result : ear_index_writer_finish(&writer, &file->directory);
}

static void get_place(struct ear_index_cursor *cursor, struct ear_index_place *place)
{
	place->offset = ear_index_cursor_value(cursor, 8);
	place->size = (uint32_t)ear_index_cursor_value(cursor, 4);
	place->unpacked = (uint32_t)ear_index_cursor_value(cursor, 4);
}

static void get_level(struct ear_index_cursor *cursor, struct ear_index_level *level, bool lowest)
{
	uint64_t *words[6];

	for (unsigned word = 0; word < 6; word++)
		for (size_t i = 0; i < level->count; i++) {
			node_words(words, &level->nodes[i]);
			*words[word] = ear_index_cursor_value(cursor, 8);
		}
	for (size_t i = 0; i < level->count; i++)
		level->nodes[i].flags = (uint32_t)ear_index_cursor_value(cursor, 4);
	for (size_t i = 0; i < level->count; i++)
		level->nodes[i].count = (uint8_t)ear_index_cursor_value(cursor, 1);
	for (size_t i = 0; i < level->count; i++)
		get_place(cursor, &level->nodes[i].sets);
	for (size_t i = 0; lowest && i < level->count; i++)
		get_place(cursor, &level->nodes[i].checkpoint);
	for (size_t i = 0; lowest && i < level->count; i++)
		get_place(cursor, &level->nodes[i].version);
}

/* Do the nodes follow one another, from the first record to the last? */
static bool check_level(
	const struct ear_index_directory *directory, const struct ear_index_level *level)
{
	uint64_t position = 0, number = 0;

	for (size_t i = 0; i < level->count; i++) {
		const struct ear_index_node *node = &level->nodes[i];
		if (i == 0 ? node->position != 0 || node->number != 0
			   : node->position <= position || node->number < number ||
					node->number - number > node->position - position)
			return false;
		if (node->count == 0 || node->count > EAR_INDEX_CHILDREN)
			return false;
		position = node->position;
		number = node->number;
	}
	return position < directory->records && number <= directory->instructions &&
	       directory->instructions - number <= directory->records - position;
}

/* Are the children of this level the nodes of the one below? */
static bool check_children(const struct ear_index_level *level, const struct ear_index_level *below)
{
	size_t child = 0;

	for (size_t i = 0; i < level->count; i++) {
		const struct ear_index_node *node = &level->nodes[i];
		/* All but the last have all: so the parent of a node is found by dividing. */
		if (i + 1 < level->count ? node->count != EAR_INDEX_CHILDREN
					 : child + node->count != below->count)
			return false;
		if (node->position != below->nodes[child].position ||
			node->number != below->nodes[child].number)
			return false;
		child += node->count;
	}
	return true;
}

static int get_levels(struct ear_index_directory *directory, struct ear_index_cursor *cursor)
{
	size_t bytes = 0, before = SIZE_MAX;

	for (unsigned i = 0; i < directory->level_count; i++) {
		struct ear_index_level *level = &directory->levels[i];
		uint64_t count = ear_index_cursor_value(cursor, 4);
		if (count == 0 || count > EAR_INDEX_NODES_MAX || count > before)
			return EAR_E_BAD_FILE;
		level->count = (size_t)count;
		before = level->count;
		bytes += level->count * (i == 0 ? NODE_0_SIZE : NODE_SIZE);
	}
	if (cursor->failed || bytes != ear_index_cursor_left(cursor))
		return EAR_E_BAD_FILE;
	for (unsigned i = 0; i < directory->level_count; i++) {
		struct ear_index_level *level = &directory->levels[i];
		level->nodes = calloc(level->count, sizeof(*level->nodes));
		if (!level->nodes)
			return EAR_E_NO_MEMORY;
		level->capacity = level->count;
		get_level(cursor, level, i == 0);
		if (!check_level(directory, level) ||
			(i > 0 && !check_children(level, &directory->levels[i - 1])))
			return EAR_E_BAD_FILE;
	}
	return 0;
}

static int get_directory(struct ear_index_directory *directory, const uint8_t *bytes, size_t size)
{
	struct ear_index_cursor cursor = {bytes, bytes + size, false};

	ear_index_identity_read(&directory->identity, &cursor);
	directory->flags = (uint32_t)ear_index_cursor_value(&cursor, 4);
	directory->memory_key = (uint32_t)ear_index_cursor_value(&cursor, 4);
	directory->records = ear_index_cursor_value(&cursor, 8);
	directory->instructions = ear_index_cursor_value(&cursor, 8);
	get_place(&cursor, &directory->volatiles);
	uint64_t levels = ear_index_cursor_value(&cursor, 4);
	if (cursor.failed || levels > EAR_INDEX_LEVELS_MAX ||
		(levels == 0) != (directory->records == 0))
		return EAR_E_BAD_FILE;
	directory->level_count = (unsigned)levels;
	int result = get_levels(directory, &cursor);
	if (result == 0 && levels > 0 && directory->levels[levels - 1].count != 1)
		result = EAR_E_BAD_FILE;
	return result;
}

static int read_directory(struct ear_index *file)
{
	uint8_t header[EAR_INDEX_HEADER_SIZE], trailer[EAR_INDEX_TRAILER_SIZE], *content;
	struct stat status;

	if (fstat(file->fd, &status) < 0)
		return EAR_E_IO;
	if (!S_ISREG(status.st_mode) ||
		(uint64_t)status.st_size < EAR_INDEX_HEADER_SIZE + EAR_INDEX_TRAILER_SIZE)
		return EAR_E_BAD_FILE;
	file->size = (uint64_t)status.st_size;
	int result = read_at(file->fd, 0, header, sizeof(header));
	if (result == 0)
		result = read_at(file->fd, file->size - sizeof(trailer), trailer, sizeof(trailer));
	if (result)
		return result;
	if (memcmp(header, MAGIC, 8) != 0)
		return EAR_E_BAD_FILE;
	if (ear_load_le32(header + 8) != EAR_INDEX_VERSION)
		return EAR_E_VERSION;
	if (memcmp(trailer + 56, TRAILER_MAGIC, 8) != 0 ||
		ear_load_le32(trailer + CRC_OFFSET) != crc32c(trailer, CRC_OFFSET) ||
		ear_load_le32(trailer + 48) != EAR_INDEX_VERSION ||
		ear_load_le64(trailer + 32) != file->size ||
		memcmp(trailer + 16, header + 16, ID_SIZE) != 0)
		return EAR_E_BAD_FILE;
	struct ear_index_place place = {
		ear_load_le64(trailer), ear_load_le32(trailer + 8), ear_load_le32(trailer + 12)};
	result = ear_index_file_block(file, &place, &content);
	if (result)
		return result;
	result = get_directory(&file->directory, content, place.unpacked);
	free(content);
	file->end = place.offset;
	return result;
}

int ear_index_file_open(struct ear_index **file, int fd)
{
	struct ear_index *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->fd = fd;
	made->context = ZSTD_createDCtx();
	int result = made->context ? read_directory(made) : EAR_E_NO_MEMORY;
	if (result) {
		ear_index_directory_fini(&made->directory);
		ZSTD_freeDCtx(made->context);
		free(made);
		return result;
	}
	*file = made;
	return 0;
}

void ear_index_file_close(struct ear_index *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < EAR_INDEX_CACHE; i++)
		if (file->cache[i].used)
			ear_index_sets_fini(&file->cache[i].sets);
	ear_memory_volatile_free(file->volatiles);
	ear_index_directory_fini(&file->directory);
	ZSTD_freeDCtx(file->context);
	close(file->fd);
	free(file);
}

int ear_index_file_volatiles(struct ear_index *file, const struct ear_memory_volatile **volatiles)
{
	const struct ear_index_place *place = &file->directory.volatiles;
	uint8_t *bytes;
	int result = 0;

	if (place->size > 0 && !file->volatiles_read) {
		result = ear_index_file_block(file, place, &bytes);
		if (result)
			return result;
		result = ear_memory_volatile_load(&file->volatiles, bytes, place->unpacked);
		free(bytes);
	}
	file->volatiles_read = result == 0;
	*volatiles = file->volatiles;
	return result;
}

/* Sets -------------------------------------------------------------------------------------- */

static void drop(struct ear_index *file, struct ear_index_cached *cached)
{
	file->cache_size -= cached->size;
	ear_index_sets_fini(&cached->sets);
	cached->used = false;
}

/* A place in the cache, free, after dropping what was not used for longest; and more of it, until
 * what is kept is not too large. */
static struct ear_index_cached *make_room(struct ear_index *file)
{
	for (;;) {
		struct ear_index_cached *oldest = NULL, *unused = NULL;
		for (size_t i = 0; i < EAR_INDEX_CACHE; i++) {
			struct ear_index_cached *cached = &file->cache[i];
			if (!cached->used)
				unused = cached;
			else if (!oldest || cached->age < oldest->age)
				oldest = cached;
		}
		if (unused && (!oldest || file->cache_size < EAR_INDEX_CACHE_SIZE))
			return unused;
		drop(file, oldest);
	}
}

/* The instruction records before the first position after a node. */
static uint64_t end_number(const struct ear_index *file, unsigned level, size_t node)
{
	const struct ear_index_level *nodes = &file->directory.levels[level];

	return node + 1 < nodes->count ? nodes->nodes[node + 1].number
				       : file->directory.instructions;
}

/* The sets have to fit what the directory says of their node. */
static bool check_sets(const struct ear_index *file, unsigned level, size_t number,
	const struct ear_index_sets *sets)
{
	const struct ear_index_node *node = &file->directory.levels[level].nodes[number];
	uint64_t records = 0, instructions = 0;

	if (sets->count != node->count)
		return false;
	for (unsigned i = 0; i < sets->count; i++) {
		if (sets->children[i].records > file->directory.records - records)
			return false;
		records += sets->children[i].records;
		instructions += sets->children[i].instructions;
	}
	return records == ear_index_file_end(file, level, number) - node->position &&
	       instructions == end_number(file, level, number) - node->number;
}

int ear_index_file_sets(
	struct ear_index *file, unsigned level, size_t node, const struct ear_index_sets **sets)
{
	const struct ear_index_place *place = &file->directory.levels[level].nodes[node].sets;
	uint8_t *content;

	for (size_t i = 0; i < EAR_INDEX_CACHE; i++) {
		struct ear_index_cached *cached = &file->cache[i];
		if (cached->used && cached->node == node && cached->level == level) {
			cached->age = ++file->age;
			*sets = &cached->sets;
			return 0;
		}
	}
	struct ear_index_cached *cached = make_room(file);
	int result = ear_index_file_block(file, place, &content);
	if (result)
		return result;
	result = ear_index_sets_read(&cached->sets, level, content, place->unpacked);
	free(content);
	if (result)
		return result;
	if (!check_sets(file, level, node, &cached->sets)) {
		ear_index_sets_fini(&cached->sets);
		return EAR_E_BAD_FILE;
	}
	cached->size = ear_index_sets_size(&cached->sets);
	cached->node = (uint32_t)node;
	cached->level = (uint8_t)level;
	cached->used = true;
	cached->age = ++file->age;
	file->cache_size += cached->size;
	*sets = &cached->sets;
	return 0;
}

size_t ear_index_file_find(const struct ear_index *file, uint64_t position)
{
	const struct ear_index_level *level = &file->directory.levels[0];
	size_t low = 0, count = level->count;

	while (count > 1) {
		size_t half = count / 2;
		if (level->nodes[low + half].position <= position) {
			low += half;
			count -= half;
		} else {
			count = half;
		}
	}
	return low;
}

uint64_t ear_index_file_end(const struct ear_index *file, unsigned level, size_t node)
{
	const struct ear_index_level *nodes = &file->directory.levels[level];

	return node + 1 < nodes->count ? nodes->nodes[node + 1].position : file->directory.records;
}
