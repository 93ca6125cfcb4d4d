#ifndef EAR_INDEX_FILE_H
#define EAR_INDEX_FILE_H

#include "library/index/file/index_identity.h"
#include "library/index/file/index_sets.h"
#include "library/memory/memory_volatile.h"

/* The file of an index: its directory, its blocks, and who reads and writes them. docs/index.md,
 * section 3. What is read is checked: sizes, offsets, order, counts.
 */

#define EAR_INDEX_VERSION      12u
#define EAR_INDEX_HEADER_SIZE  32u
#define EAR_INDEX_TRAILER_SIZE 64u
#define EAR_INDEX_LEVELS_MAX   9
#define EAR_INDEX_NODES_MAX    (1u << 20) /* of level 0: 10^12 records */

struct ear_index_node {
	uint64_t position, number; /* records before it: of any kind, of instructions */
	uint64_t ticks_low, ticks_high, order_low, order_high;
	uint32_t flags; /* enum ear_index_flag */
	uint8_t count;  /* children */
	struct ear_index_place sets;
	struct ear_index_place checkpoint, version; /* level 0 */
};

struct ear_index_level {
	struct ear_index_node *nodes;
	size_t count, capacity;
};

enum ear_index_file_flag {
	EAR_INDEX_FILE_COMPLETE = 1, /* the trace was read to its end */
	EAR_INDEX_FILE_CAPTURE = 2,
	EAR_INDEX_FILE_FAULTY = 4, /* its end was an error */
};

struct ear_index_directory {
	struct ear_index_identity identity;
	uint32_t flags; /* enum ear_index_file_flag */
	uint32_t memory_key;
	uint64_t records, instructions;
	struct ear_index_place volatiles;
	unsigned level_count; /* >= 1, the highest with nodes; 0: the trace has no records */
	struct ear_index_level levels[EAR_INDEX_LEVELS_MAX];
};

void ear_index_directory_fini(struct ear_index_directory *directory);

/* Room for one more node, all zero; NULL if memory is short. */
struct ear_index_node *ear_index_level_add(struct ear_index_level *level);

/* Writing ----------------------------------------------------------------------------------- */

struct ear_index_writer {
	int fd;
	uint64_t offset;
	uint8_t id[16];
};

/* Begin a file that is empty. Returns 0 or EAR_E_IO (errno). */
int ear_index_writer_begin(struct ear_index_writer *writer, int fd);

/* Append bytes as they are; *offset gets where they begin. Returns 0 or EAR_E_IO (errno). */
int ear_index_writer_put(
	struct ear_index_writer *writer, const void *bytes, size_t size, uint64_t *offset);

/* Append a block. Returns 0, EAR_E_IO (errno), EAR_E_NO_MEMORY, EAR_E_FULL (too large). */
int ear_index_writer_block(struct ear_index_writer *writer, const void *content, size_t size,
	struct ear_index_place *place);

/* The directory as bytes, whatever they are, and the end. Returns as ear_index_writer_block. */
int ear_index_writer_end(struct ear_index_writer *writer, const void *directory, size_t size);

/* The directory and the end. Returns as ear_index_writer_block. */
int ear_index_writer_finish(
	struct ear_index_writer *writer, const struct ear_index_directory *directory);

/* Reading ----------------------------------------------------------------------------------- */

#define EAR_INDEX_CACHE      256                /* sets of nodes that are kept unpacked, and */
#define EAR_INDEX_CACHE_SIZE ((size_t)48 << 20) /* bytes of them, or one */

struct ear_index_cached {
	uint32_t node;
	uint8_t level;
	bool used;
	uint64_t age;
	size_t size;
	struct ear_index_sets sets;
};

struct ear_index {
	int fd;
	uint64_t size, end;          /* of all of it; of its blocks without the directory */
	struct ZSTD_DCtx_s *context; /* of all blocks: a new one takes longer than a small block */
	struct ear_index_directory directory;
	struct ear_index_cached cache[EAR_INDEX_CACHE];
	size_t cache_size;
	uint64_t age;
	struct ear_memory_volatile *volatiles; /* once somebody asked; may be NULL then, too */
	bool volatiles_read;
};

/* Read the directory of the index behind fd, which goes over to *file if it is one. Returns 0;
 * EAR_E_BAD_FILE: it is none, or damaged; EAR_E_VERSION: of another version; EAR_E_NO_MEMORY;
 * EAR_E_IO (errno).
 */
int ear_index_file_open(struct ear_index **file, int fd);
void ear_index_file_close(struct ear_index *file);

/* A part of the file: size bytes, in memory that the caller frees. Returns 0, EAR_E_BAD_FILE (not
 * in the file), EAR_E_NO_MEMORY, EAR_E_IO. */
int ear_index_file_read(
	const struct ear_index *file, uint64_t offset, size_t size, uint8_t **bytes);

/* A block unpacked, likewise. place->unpacked is its size. */
int ear_index_file_block(
	const struct ear_index *file, const struct ear_index_place *place, uint8_t **content);

/* Write it with its directory as it is now into another file, which is empty. Returns 0, as
 * ear_index_writer_block, or EAR_E_BAD_FILE (it ended early). */
int ear_index_file_copy(const struct ear_index *file, int out_fd);

/* The sets of a node, valid until the next call. Returns 0, or as ear_index_file_block. */
int ear_index_file_sets(
	struct ear_index *file, unsigned level, size_t node, const struct ear_index_sets **sets);

/* The volatile bytes of the trace, the index's. Returns 0, or as ear_index_file_block. */
int ear_index_file_volatiles(struct ear_index *file, const struct ear_memory_volatile **volatiles);

/* The node of level 0 that has this position, the last one if it is behind all. There is one. */
size_t ear_index_file_find(const struct ear_index *file, uint64_t position);

/* The first position after a node. */
uint64_t ear_index_file_end(const struct ear_index *file, unsigned level, size_t node);

#endif
