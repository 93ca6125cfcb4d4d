/* Bytes of an index, out and in.
 *
 * Both keep a flag instead of returning an error from each call: a layout is then a plain list of
 * puts or gets, with one question at its end. Frames are compressed at a low level, since the
 * builder has some microseconds a stretch; what makes them small is that their contents are
 * columns.
 */
#include "library/index/file/index_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <earshot/error.h>

#include "common/array.h"

#define LEVEL      3
#define WINDOW_LOG 27 /* 128 MiB: the largest block, and its prefix */

void ear_index_bytes_fini(struct ear_index_bytes *bytes)
{
	free(bytes->bytes);
	*bytes = (struct ear_index_bytes){0};
}

uint8_t *ear_index_bytes_grow(struct ear_index_bytes *bytes, size_t size)
{
	if (bytes->failed)
		return NULL;
	if (size > bytes->capacity - bytes->size &&
		(size > SIZE_MAX - bytes->size ||
			!ear_array_grow(&bytes->bytes, 1, &bytes->capacity, bytes->size + size))) {
		bytes->failed = true;
		return NULL;
	}
	bytes->size += size;
	return bytes->bytes + bytes->size - size;
}

void ear_index_bytes_put(struct ear_index_bytes *bytes, const void *from, size_t size)
{
	uint8_t *to = size > 0 ? ear_index_bytes_grow(bytes, size) : NULL;

	if (to)
		memcpy(to, from, size);
}

void ear_index_bytes_put_number(struct ear_index_bytes *bytes, uint64_t number)
{
	uint8_t text[10];
	size_t size = 0;

	while (number > 0x7f) {
		text[size++] = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	text[size++] = (uint8_t)number;
	ear_index_bytes_put(bytes, text, size);
}

void ear_index_bytes_put_value(struct ear_index_bytes *bytes, uint64_t value, unsigned size)
{
	uint8_t text[8];

	ear_store_le64(text, value);
	ear_index_bytes_put(bytes, text, size);
}

const uint8_t *ear_index_cursor_take(struct ear_index_cursor *cursor, uint64_t size)
{
	if (cursor->failed || size > ear_index_cursor_left(cursor)) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += size;
	return cursor->at - size;
}

uint64_t ear_index_cursor_number(struct ear_index_cursor *cursor)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t *byte = ear_index_cursor_take(cursor, 1);
		if (!byte)
			return 0;
		number |= (uint64_t)(*byte & 0x7f) << shift;
		if (*byte < 0x80)
			return number;
	}
	cursor->failed = true;
	return 0;
}

uint64_t ear_index_cursor_value(struct ear_index_cursor *cursor, unsigned size)
{
	const uint8_t *bytes = ear_index_cursor_take(cursor, size);
	uint64_t value = 0;

	for (unsigned i = 0; bytes && i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

size_t ear_index_cursor_count(struct ear_index_cursor *cursor, size_t max)
{
	uint64_t count = ear_index_cursor_number(cursor);

	if (count <= max && count <= ear_index_cursor_left(cursor))
		return (size_t)count;
	cursor->failed = true;
	return 0;
}

/* Blocks ------------------------------------------------------------------------------------ */

struct ear_index_packer {
	ZSTD_CCtx *context;
};

struct ear_index_packer *ear_index_packer_new(void)
{
	struct ear_index_packer *packer = malloc(sizeof(*packer));

	if (!packer)
		return NULL;
	packer->context = ZSTD_createCCtx();
	if (packer->context)
		return packer;
	free(packer);
	return NULL;
}

void ear_index_packer_free(struct ear_index_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->context);
	free(packer);
}

/* All of the prefix can be reached. */
static int window_log(size_t size)
{
	int log = 10;

	while (log < WINDOW_LOG && (size_t)1 << log < size)
		log++;
	return log;
}

static size_t compress(ZSTD_CCtx *context, uint8_t *to, size_t room, const void *from, size_t size,
	const void *prefix, size_t prefix_size)
{
	size_t result = ZSTD_CCtx_reset(context, ZSTD_reset_session_only);

	if (!ZSTD_isError(result))
		result = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
	if (!ZSTD_isError(result))
		result = ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	if (!ZSTD_isError(result))
		result = ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog,
			prefix_size > 0 ? window_log(size + prefix_size) : 0);
	if (!ZSTD_isError(result) && prefix_size > 0)
		result = ZSTD_CCtx_refPrefix(context, prefix, prefix_size);
	return ZSTD_isError(result) ? result : ZSTD_compress2(context, to, room, from, size);
}

int ear_index_pack(struct ear_index_packer *packer, struct ear_index_bytes *to, const void *from,
	size_t size, const void *prefix, size_t prefix_size)
{
	size_t before = to->size, room = ZSTD_compressBound(size), result = 0;

	if (size > EAR_INDEX_BLOCK_MAX)
		return EAR_E_FULL;
	struct ear_index_packer *used = packer ? packer : ear_index_packer_new();
	uint8_t *bytes = used ? ear_index_bytes_grow(to, room) : NULL;
	if (bytes)
		result = compress(used->context, bytes, room, from, size, prefix, prefix_size);
	if (!packer)
		ear_index_packer_free(used);
	if (!bytes)
		return EAR_E_NO_MEMORY;
	to->size = ZSTD_isError(result) ? before : before + result;
	return ZSTD_isError(result) ? EAR_E_NO_MEMORY : 0;
}

int ear_index_unpack(struct ZSTD_DCtx_s *context, uint8_t **content, size_t unpacked,
	const uint8_t *frame, size_t size, const void *prefix, size_t prefix_size)
{
	if (unpacked > EAR_INDEX_BLOCK_MAX || ZSTD_getFrameContentSize(frame, size) != unpacked)
		return EAR_E_BAD_FILE;
	uint8_t *bytes = malloc(unpacked + 1);
	if (!bytes)
		return EAR_E_NO_MEMORY;
	size_t result = ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
	if (!ZSTD_isError(result))
		result = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG);
	if (!ZSTD_isError(result) && prefix_size > 0)
		result = ZSTD_DCtx_refPrefix(context, prefix, prefix_size);
	if (!ZSTD_isError(result))
		result = ZSTD_decompressDCtx(context, bytes, unpacked, frame, size);
	if (ZSTD_isError(result) || result != unpacked) {
		free(bytes);
		return EAR_E_BAD_FILE;
	}
	*content = bytes;
	return 0;
}
