#ifndef EAR_MEMORY_INTERNAL_H
#define EAR_MEMORY_INTERNAL_H

#include "common/hash.h"
#include "library/memory/memory_types.h"
#include "library/state/arrival.h"

/* What the files of memory_state.h share: the blocks of memory, and what each hart does next. */

#define EAR_BLOCK_BITS       10
#define EAR_BLOCK_SIZE       (1u << EAR_BLOCK_BITS)
#define EAR_BLOCK_LINES      (EAR_BLOCK_SIZE / EAR_MEMORY_LINE)
#define EAR_BLOCK_CACHE_LOG2 6
#define EAR_BLOCK_CACHE      (1u << EAR_BLOCK_CACHE_LOG2) /* blocks found last */

/* dirty: a bit for each line; the low half since the last changes, the high half since the block
 * was last spilled. */
#define EAR_BLOCK_CHANGED UINT32_C(0x0000FFFF)
#define EAR_BLOCK_UNSAVED UINT32_C(0xFFFF0000)

struct ear_block {
	/* What a slot of the spill holds; masks as in struct ear_memory_line. */
	struct ear_block_data {
		uint8_t bytes[EAR_BLOCK_SIZE];
		uint64_t known[EAR_BLOCK_LINES], settled[EAR_BLOCK_LINES];
	} data;
	uint64_t number;    /* address >> EAR_BLOCK_BITS */
	uint64_t read_only; /* segments in it that are not writable, and not written yet */
	uint32_t dirty;
	bool used; /* since the eviction came by */
};

/* Bytes of a part that a load saw before anything else, by block. */
struct ear_first {
	uint64_t mask[EAR_BLOCK_LINES];
	uint8_t bytes[EAR_BLOCK_SIZE];
};

/* An entry of a hash table with open addressing. Empty: neither what nor slot. */
struct ear_block_entry {
	uint64_t number;
	void *what;     /* struct ear_block or ear_first; NULL: spilled */
	uint64_t slot;  /* of the spill, + 1; 0: none */
	uint32_t dirty; /* of a spilled block */
};

struct ear_block_table {
	struct ear_block_entry *entries;
	size_t capacity, count; /* a power of two, or 0 */
};

struct ear_memory_volatile {
	struct ear_volatile_line {
		uint64_t line, mask; /* address / EAR_MEMORY_LINE; mask 0: empty */
	} * lines;
	size_t capacity, count;
	bool all;
	/* What loads saw first, of bytes that were not written before: of a memory its own table;
	 * of a set that was loaded, lines by address. */
	const struct ear_block_table *firsts;
	struct ear_memory_line *first_lines;
	size_t first_count;
};

struct ear_memory {
	struct ear_memory_options options;
	struct ear_arrival_rules rules;

	struct ear_block *cache[EAR_BLOCK_CACHE];
	struct ear_block_table table;
	struct ear_block **blocks; /* [0 .. live-1] hold something, those up to made do not */
	size_t live, made, block_capacity;
	size_t hand; /* of the eviction */
	uint64_t slots;
	size_t block_max;

	uint64_t *changed; /* numbers of blocks with changed lines, each once */
	size_t changed_count, changed_capacity;
	struct ear_memory_line *lines; /* of the last ear_memory_changes */
	size_t line_capacity;

	bool forgotten;           /* at least once */
	bool forgotten_new;       /* since the last ear_memory_changes */
	uint64_t written;         /* segments that are not writable, and were written */
	uint64_t written_at_last; /* the same when everything was forgotten last */
	uint64_t overflows;

	struct ear_block_table firsts; /* parts, and where no image is known */
	struct ear_memory_volatile found;
	const struct ear_memory_volatile *given;

	struct ear_expected *harts;
	size_t hart_count, hart_capacity, last_hart;
	uint16_t *hart_map; /* index + 1 of each hart, once there are several */
	bool started;       /* a record that matters has come, or this was seeded */
	bool numbered;      /* the same: an instruction or a gap */
	bool seeded;        /* a part that knows what was expected before it */
	bool next_known;
	uint64_t next_index; /* one more than that of the last record of any hart */

	bool translated; /* addresses may be translated */
	bool physical_seen, physical_missing, physical_differs;
};

/* Where the block of this number is in the cache. Arrays that are a power of two apart must not
 * share a place. */
static inline unsigned ear_block_slot(uint64_t number)
{
	return (unsigned)ear_hash_slot(number, EAR_BLOCK_CACHE_LOG2);
}

/* The block of this number in *block. make false: NULL if there is none. Stays until the next call
 * with this object. Returns 0; EAR_E_NO_MEMORY; an error of the spill.
 */
int ear_block_find(struct ear_memory *memory, uint64_t number, bool make, struct ear_block **block);

/* Lines of *block (a bit each) change: at the first time since the last changes it is noted. */
int ear_block_note(struct ear_memory *memory, struct ear_block *block);

static inline int ear_block_touch(struct ear_memory *memory, struct ear_block *block, unsigned line)
{
	uint32_t before = block->dirty;

	block->dirty = before | UINT32_C(0x00010001) << line;
	return before & EAR_BLOCK_CHANGED ? 0 : ear_block_note(memory, block);
}

/* Everything is unknown from now on. */
int ear_blocks_forget(struct ear_memory *memory);

void ear_blocks_init(struct ear_memory *memory);
void ear_blocks_free(struct ear_memory *memory);

/* What the image says of a line, as far as it is valid, into bits of *line that are not settled. */
void ear_image_line(const struct ear_memory_options *options, bool forgotten, uint64_t written,
	struct ear_memory_line *line);

/* Is the first load of each byte kept? An image that is given later is compared with them. */
bool ear_first_is_kept(const struct ear_memory *memory);

/* The first load of a byte. */
int ear_first_add(struct ear_memory *memory, uint64_t address, uint8_t byte);

/* The entry of the number, or NULL. */
struct ear_block_entry *ear_block_entry(const struct ear_block_table *table, uint64_t number);

/* line: address / EAR_MEMORY_LINE. */
int ear_volatile_add(struct ear_memory_volatile *set, uint64_t line, uint64_t mask);
int ear_volatile_unite(struct ear_memory_volatile *set, const struct ear_memory_volatile *more);

/* The bytes of a line of which the image has something else than a load saw first. */
uint64_t ear_volatile_contradicted(const struct ear_memory_volatile *set,
	const struct ear_memory_options *options, uint64_t address);

/* Does a segment that is not writable have another byte there? */
bool ear_image_differs(const struct ear_memory_options *options, uint64_t address, uint8_t byte);

/* The hart, made if it is new: *fresh then. NULL without memory. */
struct ear_expected *ear_expected_find(struct ear_memory *memory, uint16_t hart, bool *fresh);

/* What part expects next, whole does too. */
int ear_expected_merge(struct ear_memory *whole, const struct ear_memory *part);

#endif
