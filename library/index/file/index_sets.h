#ifndef EAR_INDEX_SETS_H
#define EAR_INDEX_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/index/file/index_bytes.h"

/* The sets of a node: which lines, registers, causes and so on were touched in which of its
 * children. docs/index.md, sections 2 to 4.
 */

#define EAR_INDEX_CHILDREN  16
#define EAR_INDEX_LINE      6  /* log2 of the bytes of a line */
#define EAR_INDEX_SHIFT_MAX 60 /* the coarsest lines, log2 of bytes */
#define EAR_INDEX_FEW_MAX   64 /* causes, other registers */

/* A mask of children, or of words of a line. */
typedef uint16_t ear_index_mask;

enum ear_index_flag {
	EAR_INDEX_FLAG_PRIVILEGE = 1 << 0, /* shifted by enum ear_privilege */
	EAR_INDEX_FLAG_NO_PRIVILEGE = 1 << 7,
	EAR_INDEX_FLAG_TRAP = 1 << 8,
	EAR_INDEX_FLAG_INTERRUPT = 1 << 9,
	EAR_INDEX_FLAG_EVENT = 1 << 10,
	EAR_INDEX_FLAG_GAP = 1 << 11,
	EAR_INDEX_FLAG_OTHER = 1 << 12,
	EAR_INDEX_FLAG_CSR = 1 << 13,
	EAR_INDEX_FLAG_NAMED = 1 << 14,
	EAR_INDEX_FLAG_FORGOTTEN = 1 << 15,
	EAR_INDEX_FLAG_CHANGE = 1 << 16,  /* of privilege, or the first record of a hart */
	EAR_INDEX_FLAG_PARTIAL = 1 << 17, /* of a node: its version has some of the lines only */
	EAR_INDEX_FLAG_REPORT = 1 << 18,  /* its reader reported a line */
};

/* What is said of each child. */
struct ear_index_child {
	uint64_t records, instructions;
	uint64_t bytes, checksum;       /* level 0 */
	uint64_t ticks_low, ticks_high; /* low > high: none */
	uint64_t order_low, order_high; /* of instructions; low > high: none */
	uint32_t flags, x, f, v;
	uint64_t traps, interrupts, events, gaps;
	int32_t depth, lowest; /* level 0 */
};

/* Without any record. */
void ear_index_child_init(struct ear_index_child *child);

struct ear_index_code {
	uint64_t key; /* address >> shift */
	uint32_t halfwords;
	ear_index_mask children;
};

struct ear_index_data {
	uint64_t key;
	ear_index_mask read, written, changed; /* children */
	ear_index_mask words_read, words_written;
};

/* A cause, a CSR, the hash of a register's name. */
struct ear_index_few {
	uint64_t key;
	ear_index_mask children;
};

struct ear_index_sets {
	unsigned count; /* of children */
	struct ear_index_child children[EAR_INDEX_CHILDREN];
	/* Ascending keys. The words and halfwords of an entry say something only if its shift is
	 * that of a line. */
	unsigned code_shift, data_shift;
	bool words; /* data: there are words */
	size_t code_count, data_count, csr_count, cause_count, name_count;
	struct ear_index_code *code;
	struct ear_index_data *data;
	struct ear_index_few *csrs, *causes, *names;
	ear_index_mask any_cause, any_name; /* children with more than were kept */
};

void ear_index_sets_fini(struct ear_index_sets *sets);

/* Bytes in memory. */
size_t ear_index_sets_size(const struct ear_index_sets *sets);

/* The union of the children, as one. */
struct ear_index_child ear_index_sets_union(const struct ear_index_sets *sets);

/* Write them, unpacked. Failures are those of the bytes. */
void ear_index_sets_write(
	const struct ear_index_sets *sets, unsigned level, struct ear_index_bytes *bytes);

/* From bytes that are not trusted. Returns 0; EAR_E_BAD_FILE, EAR_E_NO_MEMORY: *sets is empty. */
int ear_index_sets_read(
	struct ear_index_sets *sets, unsigned level, const uint8_t *bytes, size_t size);

/* Make data lines, or code lines, as coarse as shift. */
void ear_index_sets_coarsen_data(struct ear_index_sets *sets, unsigned shift);
void ear_index_sets_coarsen_code(struct ear_index_sets *sets, unsigned shift);

/* Which children may have executed, read (or written) something in first .. last. */
ear_index_mask ear_index_sets_executed(
	const struct ear_index_sets *sets, uint64_t first, uint64_t last);
ear_index_mask ear_index_sets_accessed(
	const struct ear_index_sets *sets, uint64_t first, uint64_t last, bool read, bool write);

/* In which memory of first .. last changed. */
ear_index_mask ear_index_sets_changed(
	const struct ear_index_sets *sets, uint64_t first, uint64_t last);

/* Children with a key; keys ascend. */
ear_index_mask ear_index_few_find(const struct ear_index_few *few, size_t count, uint64_t key);

/* Of the name of a register. */
uint32_t ear_index_name_hash(const char *name, size_t size);

#endif
