#ifndef EAR_OBJECT_TABLE_H
#define EAR_OBJECT_TABLE_H

#include "library/archive/text_pack.h"

/* The table of the blocks of an object that has several. docs/archive.md, section 3. It is there
 * twice, at the end, so that damage to one of them costs nothing.
 */
struct ear_object_block {
	uint64_t size;      /* bytes of its frame */
	uint64_t text_size; /* of the block */
	uint64_t lines;     /* line feeds in it */
};

struct ear_object_table {
	struct ear_object_block *blocks;
	size_t count, capacity;
};

#define EAR_OBJECT_TABLE_MAX ((size_t)64 << 20) /* bytes of a table with its frame */

void ear_object_table_fini(struct ear_object_table *table);

/* Returns 0 or EAR_E_NO_MEMORY. */
int ear_object_table_add(struct ear_object_table *table, const struct ear_object_block *block);

/* Append both tables to *to. Returns 0; EAR_E_NO_MEMORY; EAR_E_FULL: it would be too large. */
int ear_object_table_put(struct ear_pack_bytes *to, const struct ear_object_table *table);

/* Take the table of count blocks from the end of an object of object_size bytes, of which
 * bytes[0 .. size-1] are the last ones, as many as there are of 2 * EAR_OBJECT_TABLE_MAX. Returns 0
 * and *table, to be ended; EAR_E_NO_MEMORY; or EAR_E_BAD_FILE: there is none that is whole.
 */
int ear_object_table_take(struct ear_object_table *table, uint64_t count, uint64_t object_size,
	const uint8_t *bytes, size_t size);

#endif
