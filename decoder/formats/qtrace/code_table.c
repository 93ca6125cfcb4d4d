/* A hash table of blocks of code, with open addressing; the entries lie one after the other in one
 * array. It grows before it is half full. Most blocks are the one that was found last at their
 * address, which needs no hash.
 */
#include "decoder/formats/qtrace/code_table.h"

#include <earshot/error.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

#define RECENT_COUNT 4096u

struct block {
	uint32_t address, count;
	uint64_t first; /* of its entries */
};

struct ear_code_table {
	uint32_t *slots; /* number of a block, 0: free */
	uint64_t slot_count;
	struct block *blocks;
	size_t block_count, block_capacity;
	uint32_t *entries;
	size_t entry_count, entry_capacity;
	uint32_t recent[RECENT_COUNT]; /* by the address: the block that was found last, or 0 */
};

struct ear_code_table *ear_code_table_new(void)
{
	struct ear_code_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->slot_count = 1024;
	table->block_capacity = 512;
	table->entry_capacity = 4096;
	table->slots = calloc((size_t)table->slot_count, sizeof(*table->slots));
	table->blocks = malloc((size_t)table->block_capacity * sizeof(*table->blocks));
	table->entries = malloc((size_t)table->entry_capacity * sizeof(*table->entries));
	table->block_count = 1;
	if (table->slots && table->blocks && table->entries)
		return table;
	ear_code_table_free(table);
	return NULL;
}

void ear_code_table_free(struct ear_code_table *table)
{
	if (!table)
		return;
	free(table->slots);
	free(table->blocks);
	free(table->entries);
	free(table);
}

static uint64_t hash(uint32_t address, const uint32_t *entries, uint32_t count)
{
	uint64_t value = ear_hash_mix((uint64_t)count << 32 | address);

	for (uint32_t i = 0; i < count; i++)
		value = ear_hash_add(value, entries[i]);
	return value ^ value >> 32;
}

static bool is_block(const struct ear_code_table *table, uint32_t number, uint32_t address,
	const uint32_t *entries, uint32_t count)
{
	const struct block *block = &table->blocks[number];

	return block->address == address && block->count == count &&
	       memcmp(table->entries + block->first, entries, count * sizeof(*entries)) == 0;
}

/* The slot of the block, or the free one where it belongs. */
static uint32_t *find_slot(const struct ear_code_table *table, uint32_t address,
	const uint32_t *entries, uint32_t count)
{
	uint64_t at = hash(address, entries, count);

	for (;; at++) {
		uint32_t *slot = &table->slots[at & (table->slot_count - 1)];
		if (*slot == 0 || is_block(table, *slot, address, entries, count))
			return slot;
	}
}

uint64_t ear_code_table_find(
	struct ear_code_table *table, uint32_t address, const uint32_t *entries, uint32_t count)
{
	uint32_t *recent = &table->recent[address / 2 % RECENT_COUNT];

	if (*recent == 0 || !is_block(table, *recent, address, entries, count))
		*recent = *find_slot(table, address, entries, count);
	return *recent;
}

static bool grow_slots(struct ear_code_table *table)
{
	uint32_t *old = table->slots;

	if (2 * table->block_count < table->slot_count)
		return true;
	table->slots = calloc((size_t)(2 * table->slot_count), sizeof(*table->slots));
	if (!table->slots) {
		table->slots = old;
		return false;
	}
	table->slot_count *= 2;
	free(old);
	for (uint32_t number = 1; number < table->block_count; number++) {
		const struct block *block = &table->blocks[number];
		*find_slot(table, block->address, table->entries + block->first, block->count) =
			number;
	}
	return true;
}

int ear_code_table_add(struct ear_code_table *table, uint32_t address, const uint32_t *entries,
	uint32_t count, uint64_t number)
{
	if (table->entry_count + count > EAR_CODE_ENTRIES_MAX || number != table->block_count)
		return EAR_E_FULL;
	if (!EAR_ARRAY_RESERVE(table->blocks, &table->block_capacity, table->block_count + 1) ||
		!EAR_ARRAY_RESERVE(
			table->entries, &table->entry_capacity, table->entry_count + count) ||
		!grow_slots(table))
		return EAR_E_NO_MEMORY;
	*find_slot(table, address, entries, count) = (uint32_t)number;
	table->blocks[table->block_count++] = (struct block){address, count, table->entry_count};
	memcpy(table->entries + table->entry_count, entries, count * sizeof(*entries));
	table->entry_count += count;
	return 0;
}
