/* Parts of a trace put together (memory_state.h).
 *
 * A part began with nothing known. What it says of a byte holds afterwards, whatever was before; so
 * only three things need what was before it: whether its first instructions follow what was
 * expected, whether the bytes that a load saw first are those that were there (else they are
 * volatile), and which bytes it leaves open.
 */
#include "library/memory/memory_merge.h"

#include <stdlib.h>
#include <string.h>

#include "library/memory/memory_internal.h"
#include <earshot/error.h>

/* What the hart expected before the part, NULL if it was never seen. */
static const struct ear_expected *find_expected(struct ear_memory *whole, uint16_t hart)
{
	for (size_t i = 0; whole->hart_count <= 1 && i < whole->hart_count; i++)
		return whole->harts[i].hart == hart ? &whole->harts[i] : NULL;
	if (!whole->hart_map || whole->hart_map[hart] == 0)
		return NULL;
	return &whole->harts[whole->hart_map[hart] - 1];
}

/* Returns 0, 1 if everything was forgotten before the part, 2 if that happened in its middle. */
static int check_arrivals(struct ear_memory *whole, const struct ear_memory *part)
{
	int result = 0;

	for (size_t i = 0; i < part->hart_count; i++) {
		const struct ear_expected *begun = &part->harts[i];
		const struct ear_expected *expected = find_expected(whole, begun->hart);
		struct ear_arrival arrival = begun->first;

		if (!begun->has_first)
			continue;
		if (begun->first_of_numbers)
			arrival.any_index = whole->next_known && arrival.index == whole->next_index;
		if (!ear_arrival_breaks(&whole->rules, expected, &arrival))
			continue;
		if (!begun->first_of_all)
			return 2;
		result = 1;
	}
	return result;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = (*(const struct ear_block_entry *const *)a)->number;
	uint64_t right = (*(const struct ear_block_entry *const *)b)->number;

	return left < right ? -1 : left > right;
}

/* The entries by number: neighbours in memory come one after the other. Freed by the caller. */
static struct ear_block_entry **sort_entries(const struct ear_block_table *table)
{
	struct ear_block_entry **entries =
		malloc((table->count + 1) * sizeof(struct ear_block_entry *));
	size_t count = 0;

	for (size_t i = 0; i < table->capacity && entries; i++)
		if (table->entries[i].what)
			entries[count++] = &table->entries[i];
	if (entries)
		qsort(entries, count, sizeof(struct ear_block_entry *), by_number);
	return entries;
}

/* The bytes that a load of the part saw first: is it what was there? */
static int compare_first(struct ear_memory *whole, uint64_t number, const struct ear_first *first)
{
	struct ear_block *block;
	int result = ear_block_find(whole, number, !whole->forgotten, &block);

	for (unsigned i = 0; i < EAR_BLOCK_LINES && result == 0 && block; i++) {
		uint64_t both = first->mask[i] & block->data.known[i], differ = 0;
		const uint8_t *was = block->data.bytes + (size_t)i * EAR_MEMORY_LINE;
		const uint8_t *seen = first->bytes + (size_t)i * EAR_MEMORY_LINE;
		for (unsigned k = 0; k < EAR_MEMORY_LINE && both; k++)
			if (both >> k & 1 && was[k] != seen[k])
				differ |= (uint64_t)1 << k;
		result = ear_volatile_add(&whole->found, number * EAR_BLOCK_LINES + i, differ);
	}
	return result;
}

/* After everything was forgotten, what is constant in the image has to be what loads see. */
static int compare_constant(
	struct ear_memory *whole, uint64_t number, const struct ear_first *first)
{
	int result = 0;

	for (unsigned at = 0; at < EAR_BLOCK_SIZE && result == 0; at++) {
		uint64_t address = (number << EAR_BLOCK_BITS) + at;
		struct ear_block *block;
		unsigned line = at / EAR_MEMORY_LINE;
		uint64_t bit = (uint64_t)1 << at % EAR_MEMORY_LINE;
		if (!(first->mask[line] & bit) ||
			!ear_image_differs(&whole->options, address, first->bytes[at]))
			continue;
		result = ear_block_find(whole, number, false, &block);
		if (result == 0 && !(block && block->data.settled[line] & bit))
			result = ear_volatile_add(&whole->found, address / EAR_MEMORY_LINE, bit);
	}
	return result;
}

/* What nothing was known of before the part is seen first there in the whole trace, too. */
static int keep_first(struct ear_memory *whole, uint64_t number, const struct ear_first *first)
{
	struct ear_block *block;
	int result = ear_block_find(whole, number, false, &block);

	for (unsigned at = 0; at < EAR_BLOCK_SIZE && result == 0; at++) {
		unsigned line = at / EAR_MEMORY_LINE;
		uint64_t bit = (uint64_t)1 << at % EAR_MEMORY_LINE;
		if (first->mask[line] & bit && !(block && block->data.settled[line] & bit))
			result = ear_first_add(
				whole, (number << EAR_BLOCK_BITS) + at, first->bytes[at]);
	}
	return result;
}

static int compare_firsts(struct ear_memory *whole, const struct ear_memory *part)
{
	struct ear_block_entry **entries = sort_entries(&part->firsts);
	int result = entries ? 0 : EAR_E_NO_MEMORY;

	for (size_t i = 0; i < part->firsts.count && result == 0; i++) {
		if (ear_first_is_kept(whole))
			result = keep_first(whole, entries[i]->number, entries[i]->what);
		if (result == 0)
			result = compare_first(whole, entries[i]->number, entries[i]->what);
		if (result == 0 && whole->forgotten && whole->options.image_count > 0)
			result = compare_constant(whole, entries[i]->number, entries[i]->what);
	}
	free(entries);
	return result;
}

static int lay_block(struct ear_memory *whole, const struct ear_block *over)
{
	struct ear_block *block;
	int result = ear_block_find(whole, over->number, true, &block);

	for (unsigned i = 0; i < EAR_BLOCK_LINES && result == 0; i++) {
		uint64_t settled = over->data.settled[i];
		if (settled == 0)
			continue;
		block->data.known[i] =
			(block->data.known[i] & ~settled) | (over->data.known[i] & settled);
		block->data.settled[i] |= settled;
		for (unsigned k = 0; k < EAR_MEMORY_LINE; k++)
			if (settled >> k & 1)
				block->data.bytes[i * EAR_MEMORY_LINE + k] =
					over->data.bytes[i * EAR_MEMORY_LINE + k];
		result = ear_block_touch(whole, block, i);
	}
	return result;
}

static int lay_blocks(struct ear_memory *whole, const struct ear_memory *part)
{
	struct ear_block_entry **entries = sort_entries(&part->table);
	int result = entries ? 0 : EAR_E_NO_MEMORY;

	for (size_t i = 0; i < part->table.count && result == 0; i++)
		result = lay_block(whole, entries[i]->what);
	free(entries);
	return result;
}

int ear_memory_merge(
	struct ear_memory *whole, struct ear_memory *part, struct ear_memory_border *border)
{
	int arrivals = check_arrivals(whole, part), result = 0;

	if (arrivals == 2)
		return 1;
	*border = (struct ear_memory_border){arrivals == 1, whole->written};
	if (border->forgotten)
		result = ear_blocks_forget(whole);
	if (result == 0)
		result = compare_firsts(whole, part);
	if (result == 0 && part->forgotten) {
		whole->written |= part->written_at_last;
		result = ear_blocks_forget(whole);
	}
	whole->written |= part->written;
	if (result == 0)
		result = lay_blocks(whole, part);
	if (result == 0)
		result = ear_volatile_unite(&whole->found, &part->found);
	if (result == 0)
		result = ear_expected_merge(whole, part);
	whole->overflows += part->overflows;
	whole->translated |= part->translated;
	whole->physical_seen |= part->physical_seen;
	whole->physical_missing |= part->physical_missing;
	whole->physical_differs |= part->physical_differs;
	return result;
}
