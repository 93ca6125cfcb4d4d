/* The blocks of memory_state.h: 1 KiB of bytes with their masks, found by a hash table.
 *
 * Blocks are small, so that memory of which little is touched costs little, and large enough that
 * the cache of the blocks found last answers nearly always. When size_max is reached, blocks go to
 * the spill, by the clock algorithm: one that was not found since the hand came by last. Without a
 * spill everything is forgotten, which is what a gap does: simple, and never wrong.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "library/memory/memory_internal.h"
#include <earshot/error.h>

#include "common/array.h"

#define SLAB 64 /* blocks allocated at once */

_Static_assert(sizeof(struct ear_block_data) == EAR_MEMORY_SLOT, "a slot holds a block");
_Static_assert(EAR_BLOCK_LINES == 16, "struct ear_block has a bit for each line");

/* Found for every number that is in no other place of the cache; no block has its number. */
static struct ear_block nothing = {.number = UINT64_MAX};

static bool is_empty(const struct ear_block_entry *entry)
{
	return !entry->what && entry->slot == 0;
}

/* Where the number is, or where it belongs. There is an empty entry. */
static struct ear_block_entry *find_entry(const struct ear_block_table *table, uint64_t number)
{
	size_t at = ear_hash_index(number, table->capacity);

	for (;; at++) {
		struct ear_block_entry *entry = &table->entries[at & (table->capacity - 1)];
		if (is_empty(entry) || entry->number == number)
			return entry;
	}
}

struct ear_block_entry *ear_block_entry(const struct ear_block_table *table, uint64_t number)
{
	if (table->capacity == 0)
		return NULL;
	struct ear_block_entry *entry = find_entry(table, number);
	return is_empty(entry) ? NULL : entry;
}

/* Room for one more entry. */
static int reserve_entry(struct ear_block_table *table)
{
	struct ear_block_table larger = {.capacity = table->capacity ? table->capacity * 2 : 64};

	if (table->count < table->capacity / 2)
		return 0;
	larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
	if (!larger.entries)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < table->capacity; i++)
		if (!is_empty(&table->entries[i]))
			*find_entry(&larger, table->entries[i].number) = table->entries[i];
	larger.count = table->count;
	free(table->entries);
	*table = larger;
	return 0;
}

static void clear_cache(struct ear_memory *memory)
{
	for (size_t i = 0; i < EAR_BLOCK_CACHE; i++)
		memory->cache[i] = &nothing;
}

void ear_blocks_init(struct ear_memory *memory)
{
	size_t max = memory->options.size_max ? memory->options.size_max : EAR_MEMORY_SIZE_MAX;

	/* With the share of a block in the tables. */
	memory->block_max = max / (sizeof(struct ear_block) + 4 * sizeof(struct ear_block_entry));
	if (memory->block_max < (size_t)2 * EAR_BLOCK_CACHE)
		memory->block_max = (size_t)2 * EAR_BLOCK_CACHE;
	memory->found.firsts = &memory->firsts;
	clear_cache(memory);
}

void ear_blocks_free(struct ear_memory *memory)
{
	/* Slabs begin at every SLAB-th block that was made: block_capacity keeps them in order. */
	for (size_t i = 0; i < memory->made / SLAB; i++)
		free(memory->blocks[memory->block_capacity + i]);
	free(memory->blocks);
	for (size_t i = 0; i < memory->firsts.capacity; i++)
		free(memory->firsts.entries[i].what);
	free(memory->firsts.entries);
	free(memory->table.entries);
	free(memory->changed);
	free(memory->lines);
	free(memory->found.lines);
}

/* More blocks to be had. blocks has room for block_capacity blocks, then for the slabs. */
static int make_blocks(struct ear_memory *memory)
{
	size_t slabs = memory->made / SLAB;

	if (memory->made == memory->block_capacity) {
		size_t capacity = memory->block_capacity ? memory->block_capacity * 2 : SLAB;
		size_t places = capacity + capacity / SLAB;
		struct ear_block **blocks = realloc(memory->blocks, places * sizeof(*blocks));
		if (!blocks)
			return EAR_E_NO_MEMORY;
		memmove(blocks + capacity, blocks + memory->block_capacity,
			slabs * sizeof(*blocks));
		memory->blocks = blocks;
		memory->block_capacity = capacity;
	}
	struct ear_block *slab = malloc(SLAB * sizeof(*slab));
	if (!slab)
		return EAR_E_NO_MEMORY;
	memory->blocks[memory->block_capacity + slabs] = slab;
	for (size_t i = 0; i < SLAB; i++)
		memory->blocks[memory->made++] = &slab[i];
	return 0;
}

/* The block goes to its slot. Its place is free then. */
static int spill_block(struct ear_memory *memory, size_t place)
{
	const struct ear_memory_spill *spill = memory->options.spill;
	struct ear_block *block = memory->blocks[place];
	struct ear_block_entry *entry = find_entry(&memory->table, block->number);
	bool unsaved = block->dirty & EAR_BLOCK_UNSAVED;
	int result = 0;

	if (entry->slot == 0) {
		entry->slot = ++memory->slots;
		unsaved = true;
	}
	if (unsaved)
		result = spill->write(spill->context, entry->slot - 1, &block->data);
	if (result)
		return result;
	entry->what = NULL;
	entry->dirty = block->dirty & EAR_BLOCK_CHANGED;
	if (memory->cache[ear_block_slot(block->number)] == block)
		memory->cache[ear_block_slot(block->number)] = &nothing;
	memory->blocks[place] = memory->blocks[--memory->live];
	memory->blocks[memory->live] = block;
	return 0;
}

static int evict(struct ear_memory *memory)
{
	for (;; memory->hand++) {
		memory->hand %= memory->live;
		struct ear_block *block = memory->blocks[memory->hand];
		if (!block->used && memory->cache[ear_block_slot(block->number)] != block)
			return spill_block(memory, memory->hand);
		block->used = false;
	}
}

/* An unused block, behind the live ones. */
static int reserve_block(struct ear_memory *memory)
{
	if (memory->live == memory->block_max) {
		int result = memory->options.spill && !memory->options.part
				     ? evict(memory)
				     : ear_blocks_forget(memory);
		if (result)
			return result;
		if (memory->live == 0)
			memory->overflows++;
	}
	return memory->live < memory->made ? 0 : make_blocks(memory);
}

int ear_blocks_forget(struct ear_memory *memory)
{
	struct ear_block_table *table = &memory->table;

	/* A table that became large is not cleared again and again. */
	if (table->capacity > 64 && table->count < table->capacity / 8) {
		free(table->entries);
		*table = (struct ear_block_table){0};
	} else if (table->count > 0) {
		memset(table->entries, 0, table->capacity * sizeof(*table->entries));
	}
	table->count = 0;
	memory->live = memory->hand = 0;
	memory->slots = 0;
	memory->changed_count = 0;
	memory->forgotten = memory->forgotten_new = true;
	memory->written_at_last = memory->written;
	clear_cache(memory);
	return 0;
}

/* The segments in [address, address + size) that are not writable, without those written. */
static uint64_t find_read_only(const struct ear_memory *memory, uint64_t address)
{
	const struct ear_memory_options *options = &memory->options;
	uint64_t set = 0;

	for (size_t i = 0; i < options->image_count && i < EAR_MEMORY_SEGMENTS_MAX; i++) {
		const struct ear_memory_segment *segment = &options->image[i];
		if (!segment->writable && segment->size > 0 &&
			(segment->address - address < EAR_BLOCK_SIZE ||
				address - segment->address < segment->size))
			set |= (uint64_t)1 << i;
	}
	return set & ~memory->written;
}

void ear_image_line(const struct ear_memory_options *options, bool forgotten, uint64_t written,
	struct ear_memory_line *line)
{
	uint64_t open = ~line->settled;

	for (size_t i = 0; i < options->image_count; i++) {
		const struct ear_memory_segment *segment = &options->image[i];
		bool constant =
			!segment->writable && i < EAR_MEMORY_SEGMENTS_MAX && !(written >> i & 1);
		if ((forgotten && !constant) ||
			(segment->address - line->address >= EAR_MEMORY_LINE &&
				line->address - segment->address >= segment->size))
			continue;
		for (unsigned k = 0; k < EAR_MEMORY_LINE; k++) {
			if (line->address + k - segment->address >= segment->size ||
				!(open >> k & 1))
				continue;
			line->bytes[k] = segment->bytes[line->address + k - segment->address];
			line->known |= (uint64_t)1 << k;
			line->settled |= (uint64_t)1 << k;
		}
	}
}

bool ear_image_differs(const struct ear_memory_options *options, uint64_t address, uint8_t byte)
{
	for (size_t i = 0; i < options->image_count && i < EAR_MEMORY_SEGMENTS_MAX; i++) {
		const struct ear_memory_segment *segment = &options->image[i];
		if (!segment->writable && address - segment->address < segment->size &&
			segment->bytes[address - segment->address] != byte)
			return true;
	}
	return false;
}

/* A new block has what the image has. After a gap the image is only asked where nothing else is
 * known (ear_memory_read): a load then gives its byte, whatever the image says.
 */
static void fill_block(const struct ear_memory *memory, struct ear_block *block, uint64_t number)
{
	uint64_t address = number << EAR_BLOCK_BITS;

	memset(block, 0, sizeof(*block));
	block->number = number;
	block->read_only = find_read_only(memory, address);
	if (memory->options.part || memory->forgotten)
		return;
	for (unsigned i = 0; i < EAR_BLOCK_LINES; i++) {
		struct ear_memory_line line = {.address = address + (size_t)i * EAR_MEMORY_LINE};
		ear_image_line(&memory->options, false, 0, &line);
		memcpy(block->data.bytes + (size_t)i * EAR_MEMORY_LINE, line.bytes,
			EAR_MEMORY_LINE);
		block->data.known[i] = line.known;
		block->data.settled[i] = line.settled;
	}
}

static int load_block(
	struct ear_memory *memory, struct ear_block *block, const struct ear_block_entry *entry)
{
	const struct ear_memory_spill *spill = memory->options.spill;

	block->number = entry->number;
	block->read_only = find_read_only(memory, entry->number << EAR_BLOCK_BITS);
	block->dirty = entry->dirty;
	return spill->read(spill->context, entry->slot - 1, &block->data);
}

int ear_block_find(struct ear_memory *memory, uint64_t number, bool make, struct ear_block **found)
{
	struct ear_block_entry *entry = ear_block_entry(&memory->table, number);
	struct ear_block *block = entry ? entry->what : NULL;

	if (!entry && !make) {
		*found = NULL;
		return 0;
	}
	if (!block) {
		int result = reserve_block(memory);
		if (result == 0)
			result = reserve_entry(&memory->table);
		if (result)
			return result;
		block = memory->blocks[memory->live];
		entry = find_entry(&memory->table, number);
		if (is_empty(entry)) {
			fill_block(memory, block, number);
			memory->table.count++;
			entry->number = number;
		} else if ((result = load_block(memory, block, entry))) {
			return result;
		}
		entry->what = block;
		memory->live++;
	}
	block->used = true;
	block->read_only &= ~memory->written;
	memory->cache[ear_block_slot(number)] = block;
	*found = block;
	return 0;
}

int ear_block_note(struct ear_memory *memory, struct ear_block *block)
{
	if (!EAR_ARRAY_RESERVE(
		    memory->changed, &memory->changed_capacity, memory->changed_count + 1))
		return EAR_E_NO_MEMORY;
	memory->changed[memory->changed_count++] = block->number;
	return 0;
}

/* Not more than this: an image has few of the bytes that a program reads all over. */
#define FIRSTS_MAX (1u << 14)

bool ear_first_is_kept(const struct ear_memory *memory)
{
	if (memory->options.part)
		return !memory->forgotten;
	return !memory->forgotten && memory->options.image_count == 0 &&
	       memory->firsts.count < FIRSTS_MAX;
}

int ear_first_add(struct ear_memory *memory, uint64_t address, uint8_t byte)
{
	uint64_t number = address >> EAR_BLOCK_BITS;
	unsigned at = address % EAR_BLOCK_SIZE;
	int result = reserve_entry(&memory->firsts);

	if (result)
		return result;
	struct ear_block_entry *entry = find_entry(&memory->firsts, number);
	if (is_empty(entry)) {
		entry->what = calloc(1, sizeof(struct ear_first));
		if (!entry->what)
			return EAR_E_NO_MEMORY;
		entry->number = number;
		memory->firsts.count++;
	}
	struct ear_first *first = entry->what;
	first->bytes[at] = byte;
	first->mask[at / EAR_MEMORY_LINE] |= (uint64_t)1 << at % EAR_MEMORY_LINE;
	return 0;
}
