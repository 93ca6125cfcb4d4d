#ifndef EAR_INDEX_VERSION_H
#define EAR_INDEX_VERSION_H

#include "library/index/file/index_file.h"
#include "library/index/file/index_sparse.h"
#include "library/memory/memory_state.h"

/* Versions of memory: what changed since the version before. docs/index.md, section 3. */

#define EAR_INDEX_PAGE_LINES 64

/* Lines that changed and are in no version yet. */
struct ear_index_pending {
	struct ear_memory_line *lines; /* hash table by address */
	bool *used;
	size_t count, capacity;
	bool forgotten;                        /* everything was, in between */
	bool partial;                          /* these are only some of the lines that changed */
	bool whole;                            /* nothing older says more of these lines */
	uint32_t covers;                       /* nodes whose changes these are */
	const struct ear_index_sparse *sparse; /* its pages are complete; or NULL */
};

/* Returns 0 or EAR_E_NO_MEMORY; fini is right in both cases. */
int ear_index_pending_init(struct ear_index_pending *pending);
void ear_index_pending_fini(struct ear_index_pending *pending);
void ear_index_pending_clear(struct ear_index_pending *pending);

/* Everything was forgotten here. */
void ear_index_pending_forget(struct ear_index_pending *pending);

/* The changes of the next node, of ear_memory_changes_save; whole: their lines are. Returns 0,
 * EAR_E_BAD_FILE, EAR_E_NO_MEMORY; EAR_E_FULL: they are too many, and *pending is as after clear.
 */
int ear_index_pending_add(
	struct ear_index_pending *pending, const uint8_t *changes, size_t size, bool whole);

/* These lines as a version that has only some. sparse must stay until it is packed. */
int ear_index_pending_set_sparse(
	struct ear_index_pending *pending, const struct ear_index_sparse *sparse, bool whole);

/* The changes of a node of a part as *completed, with what memory, which has all before the part,
 * says of the lines under them; but for nodes after one in which all was forgotten. Returns 0,
 * EAR_E_BAD_FILE, EAR_E_NO_MEMORY, an error of the spill. */
int ear_index_complete_changes(struct ear_memory *memory, const struct ear_index_bytes *changes,
	struct ear_index_bytes *completed);

/* The block of a version with all of them. *list_size gets the unpacked size of its list. Returns 0
 * or EAR_E_NO_MEMORY. */
int ear_index_version_pack(struct ear_index_packer *packer, struct ear_index_bytes *block,
	uint32_t *list_size, const struct ear_index_pending *pending);

/* The contents of all pending lines, by address, as ear_index_version_bytes. */
int ear_index_pending_bytes(const struct ear_index_pending *pending, struct ear_index_bytes *bytes);

/* Reading. */
struct ear_index_version {
	bool forgotten;
	bool partial;    /* only some of the lines that changed */
	bool whole;      /* nothing older says more of its lines */
	uint32_t covers; /* nodes, this one included */
	size_t count, page_count;
	uint64_t *addresses; /* of lines, ascending */
	uint64_t *pages;     /* offsets in the file, and one more: the end */
	uint64_t *complete;  /* addresses of complete pages (index_sparse.h), ascending */
	size_t complete_count;
};

/* The version of a node that has one. Returns 0; EAR_E_BAD_FILE, EAR_E_NO_MEMORY, EAR_E_IO: it is
 * empty. */
int ear_index_version_read(
	struct ear_index_version *version, const struct ear_index *index, size_t node);
void ear_index_version_fini(struct ear_index_version *version);

/* What the version says of count lines, with ascending addresses: it is put under each
 * (ear_memory_line_under). Returns 0, EAR_E_BAD_FILE, EAR_E_NO_MEMORY, EAR_E_IO. */
int ear_index_version_lines(const struct ear_index_version *version, const struct ear_index *index,
	struct ear_memory_line *lines, size_t count);

/* The contents of all its lines. Returns 0, EAR_E_BAD_FILE, EAR_E_NO_MEMORY, EAR_E_IO. */
int ear_index_version_bytes(const struct ear_index_version *version, const struct ear_index *index,
	struct ear_index_bytes *bytes);

/* Has it a line with this address? */
bool ear_index_version_has(const struct ear_index_version *version, uint64_t address);

/* Is the page of 4 KiB that holds the address complete in it? */
bool ear_index_version_is_complete(const struct ear_index_version *version, uint64_t address);

/* Unpack all of its pages. Returns 0, EAR_E_BAD_FILE, EAR_E_NO_MEMORY, EAR_E_IO. */
int ear_index_version_check(const struct ear_index_version *version, const struct ear_index *index);

#endif
