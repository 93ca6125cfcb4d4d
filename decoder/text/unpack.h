#ifndef EAR_UNPACK_H
#define EAR_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compressed data of any kind: gzip, zstd, xz, bzip2, lz4. Each is a series of members (frames,
 * streams), whose contents follow each other.
 */
enum ear_packing {
	EAR_PACKING_NONE,
	EAR_PACKING_GZIP,
	EAR_PACKING_ZSTD,
	EAR_PACKING_XZ,
	EAR_PACKING_BZIP2,
	EAR_PACKING_LZ4,
};

#define EAR_UNPACK_MAGIC 6 /* bytes that ear_unpack_find needs, if there are so many */

/* How data that begin with these bytes are packed. */
enum ear_packing ear_unpack_find(const uint8_t *bytes, size_t size);

/* The name of a packing, as in "the gzip data are damaged". */
const char *ear_unpack_name(enum ear_packing packing);

struct ear_unpack;

/* Returns 0 and *unpack, to be freed, or EAR_E_NO_MEMORY. */
int ear_unpack_new(struct ear_unpack **unpack, enum ear_packing packing);
void ear_unpack_free(struct ear_unpack *unpack); /* NULL is fine */

/* Unpack what there is room for, and count *used and *made on. Returns 0, EAR_E_NO_MEMORY, or
 * EAR_E_BAD_FILE if the data are damaged. */
int ear_unpack_step(struct ear_unpack *unpack, const uint8_t *packed, size_t size, size_t *used,
	char *text, size_t room, size_t *made);

/* Has a member begun and not ended? */
bool ear_unpack_inside(const struct ear_unpack *unpack);

#endif
