/* The table of blocks: numbers of variable length after a CRC-32, in a skippable frame. */
#include "library/archive/object_table.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/array.h"
#include "common/protocol/bytes.h"
#include "common/varint.h"
#include "library/shot/shot_format.h"

#define TAG  "ETBL"
#define HEAD 16u /* magic, size, tag, CRC-32 */

void ear_object_table_fini(struct ear_object_table *table)
{
	free(table->blocks);
	*table = (struct ear_object_table){0};
}

int ear_object_table_add(struct ear_object_table *table, const struct ear_object_block *block)
{
	if (!EAR_ARRAY_RESERVE(table->blocks, &table->capacity, table->count + 1))
		return EAR_E_NO_MEMORY;
	table->blocks[table->count++] = *block;
	return 0;
}

static size_t put_numbers(const struct ear_object_table *table, uint8_t *bytes, size_t capacity)
{
	struct ear_varint_out out = ear_varint_out(bytes, capacity);

	for (size_t i = 0; i < table->count; i++) {
		ear_varint_put(&out, table->blocks[i].size);
		ear_varint_put(&out, table->blocks[i].text_size);
		ear_varint_put(&out, table->blocks[i].lines);
	}
	return out.size;
}

int ear_object_table_put(struct ear_pack_bytes *to, const struct ear_object_table *table)
{
	size_t size = put_numbers(table, NULL, 0);

	if (size > EAR_OBJECT_TABLE_MAX - HEAD)
		return EAR_E_FULL;
	if (!EAR_ARRAY_RESERVE(to->bytes, &to->capacity, to->size + 2 * (HEAD + size)))
		return EAR_E_NO_MEMORY;
	uint8_t *frame = to->bytes + to->size;
	ear_store_le32(frame, EAR_SHOT_MAGIC);
	ear_store_le32(frame + 4, (uint32_t)(size + HEAD - 8));
	memcpy(frame + 8, TAG, 4);
	put_numbers(table, frame + HEAD, size);
	ear_store_le32(frame + 12, (uint32_t)crc32_z(0, frame + HEAD, size));
	memcpy(frame + HEAD + size, frame, HEAD + size);
	to->size += 2 * (HEAD + size);
	return 0;
}

/* A whole table that begins here and has count blocks, which end where the tables begin. */
static int take(struct ear_object_table *table, uint64_t count, uint64_t object_size,
	const uint8_t *frame, size_t size)
{
	struct ear_varint_in in = ear_varint_in(frame + HEAD, size - HEAD);
	uint64_t sum = 0;
	int result = 0;

	if (ear_load_le32(frame) != EAR_SHOT_MAGIC || ear_load_le32(frame + 4) != size - 8 ||
		memcmp(frame + 8, TAG, 4) != 0 || count > size ||
		ear_load_le32(frame + 12) != (uint32_t)crc32_z(0, frame + HEAD, size - HEAD))
		return EAR_E_BAD_FILE;
	for (uint64_t i = 0; i < count && result == 0; i++) {
		struct ear_object_block block;
		block.size = ear_varint_get(&in);
		block.text_size = ear_varint_get(&in);
		block.lines = ear_varint_get(&in);
		if (block.size > object_size || block.text_size > EAR_TEXT_PACK_BLOCK_MAX ||
			block.lines > block.text_size)
			result = EAR_E_BAD_FILE;
		sum += block.size;
		if (result == 0)
			result = ear_object_table_add(table, &block);
	}
	if (result == 0 && (in.bad || in.at != in.end || sum + 2 * size != object_size))
		result = EAR_E_BAD_FILE;
	if (result)
		ear_object_table_fini(table);
	return result;
}

/* Both tables have the same size, so where the first one begins the second one is half way to the
 * end. Which is found by trying all: a damaged size says nothing. */
int ear_object_table_take(struct ear_object_table *table, uint64_t count, uint64_t object_size,
	const uint8_t *bytes, size_t size)
{
	int result = EAR_E_BAD_FILE;

	*table = (struct ear_object_table){0};
	for (size_t each = HEAD + 1; each <= size / 2 && each <= EAR_OBJECT_TABLE_MAX; each++) {
		const uint8_t *second = bytes + size - each, *first = second - each;
		if (memcmp(second + 8, TAG, 4) == 0)
			result = take(table, count, object_size, second, each);
		if (result == EAR_E_BAD_FILE && memcmp(first + 8, TAG, 4) == 0)
			result = take(table, count, object_size, first, each);
		if (result != EAR_E_BAD_FILE)
			return result;
	}
	return result;
}
