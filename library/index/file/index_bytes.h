#ifndef EAR_INDEX_BYTES_H
#define EAR_INDEX_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/bytes.h"

/* Bytes of an index: growing ones that are written, and foreign ones that are read. docs/index.md,
 * section 3.
 */

/* Growing bytes. All zero is empty. A put that finds no memory sets failed, and so do all later
 * ones: it is enough to ask once. */
struct ear_index_bytes {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed;
};

void ear_index_bytes_fini(struct ear_index_bytes *bytes);

/* Room for size more bytes, which are counted already; NULL if memory is short. */
uint8_t *ear_index_bytes_grow(struct ear_index_bytes *bytes, size_t size);
void ear_index_bytes_put(struct ear_index_bytes *bytes, const void *from, size_t size);
void ear_index_bytes_put_number(struct ear_index_bytes *bytes, uint64_t number); /* LEB128 */

/* As many lowest bytes of a value, 1 to 8, the lowest first. */
void ear_index_bytes_put_value(struct ear_index_bytes *bytes, uint64_t value, unsigned size);

/* Bytes that are not trusted. A get that finds too few sets failed and gives 0, and so do all later
 * ones. */
struct ear_index_cursor {
	const uint8_t *at, *end;
	bool failed;
};

static inline size_t ear_index_cursor_left(const struct ear_index_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

/* The next size bytes; NULL if there are too few. */
const uint8_t *ear_index_cursor_take(struct ear_index_cursor *cursor, uint64_t size);
uint64_t ear_index_cursor_number(struct ear_index_cursor *cursor);
uint64_t ear_index_cursor_value(struct ear_index_cursor *cursor, unsigned size);

/* A number of items of which each takes at least one byte, and at most max: else 0 and failed. */
size_t ear_index_cursor_count(struct ear_index_cursor *cursor, size_t max);

/* Blocks: a zstd frame with a checksum of its content. --------------------------------------- */

#define EAR_INDEX_BLOCK_MAX (64u << 20) /* bytes unpacked */

/* Where a block is in the file. size 0: there is none. */
struct ear_index_place {
	uint64_t offset;
	uint32_t size, unpacked;
};

/* Append the frame. packer: of ear_index_packer_new, or NULL: it takes longer then. prefix: what
 * the reader will have, too, so that only differences are stored; NULL: nothing. Returns 0,
 * EAR_E_NO_MEMORY, or EAR_E_FULL (larger than a block may be). */
struct ear_index_packer;
struct ear_index_packer *ear_index_packer_new(void); /* NULL if memory is short */
void ear_index_packer_free(struct ear_index_packer *packer);
int ear_index_pack(struct ear_index_packer *packer, struct ear_index_bytes *to, const void *from,
	size_t size, const void *prefix, size_t prefix_size);

struct ZSTD_DCtx_s; /* a ZSTD_DCtx of zstd.h */

/* The content of a frame, exactly unpacked bytes, into memory that the caller frees. context: any,
 * used before or not. Returns 0, EAR_E_BAD_FILE or EAR_E_NO_MEMORY. */
int ear_index_unpack(struct ZSTD_DCtx_s *context, uint8_t **content, size_t unpacked,
	const uint8_t *frame, size_t size, const void *prefix, size_t prefix_size);

#endif
