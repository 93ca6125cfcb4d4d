/* Blocks overlap where code is jumped into. They are taken by address, and what a block shares with
 * one that begins later is added to that one, which is cut when it is its turn. Blocks share code
 * only if their entries are the same: other processes may have other code there.
 */
#include "cli/android/tools/pieces.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

#define NEIGHBOURS_MAX 1024 /* later blocks that are compared: bounds what a hostile file costs */

struct item {
	uint64_t number, frequency;
	uint64_t first; /* of its entries in cycles */
	struct ear_qtrace_block block;
	struct ear_android_symbol *symbol;
};

struct work {
	struct ear_android_pieces *pieces;
	struct item *items; /* by address; of one address the longer one first */
	size_t count;
};

static uint32_t address_of(const struct item *item)
{
	return item->block.address & ~UINT32_C(1);
}

static uint32_t entry_size(const struct item *item)
{
	return item->block.address & 1 ? 2 : 4;
}

static int by_address(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	if (address_of(left) != address_of(right))
		return address_of(left) < address_of(right) ? -1 : 1;
	if (left->block.count != right->block.count)
		return left->block.count < right->block.count ? 1 : -1;
	return left->number < right->number ? 1 : -1;
}

/* Is the other one's code that of the item from this entry on, as far as both go? */
static bool agrees(const struct item *item, uint32_t entry, const struct item *other)
{
	uint32_t left = item->block.count - entry;
	uint32_t count = left < other->block.count ? left : other->block.count;

	return ((item->block.address ^ other->block.address) & 1) == 0 && count > 0 &&
	       memcmp(item->block.entries + entry, other->block.entries,
		       count * sizeof(uint32_t)) == 0;
}

/* The first later item that begins in item from this entry on, and agrees; *at is the entry where
 * it begins. NULL: none. */
static struct item *find_next(struct work *work, struct item *item, uint32_t entry, uint32_t *at)
{
	struct item *end = work->items + work->count;
	unsigned seen = 0;

	for (struct item *other = item + 1; other < end && seen < NEIGHBOURS_MAX; other++, seen++) {
		uint32_t distance = address_of(other) - address_of(item);
		*at = distance / entry_size(item);
		if (*at >= item->block.count)
			return NULL;
		if (*at >= entry && distance % entry_size(item) == 0 && agrees(item, *at, other))
			return other;
	}
	return NULL;
}

static int add_piece(struct work *work, const struct item *item, uint32_t entry, uint32_t count)
{
	struct ear_android_pieces *pieces = work->pieces;

	if (!EAR_ARRAY_RESERVE(pieces->list, &pieces->room, pieces->count + 1))
		return EAR_E_NO_MEMORY;
	struct ear_android_piece *piece = &pieces->list[pieces->count++];
	*piece = (struct ear_android_piece){.block = item->number,
		.address = address_of(item) + entry * entry_size(item),
		.count = count,
		.frequency = item->frequency,
		.begin = entry,
		.first = item->first + entry,
		.symbol = item->symbol};
	for (uint32_t i = 0; i < count; i++)
		piece->cycles += pieces->cycles[piece->first + i];
	return 0;
}

/* Cut the item from its beginning to its end. */
static int cut(struct work *work, struct item *item)
{
	uint32_t entry = 0, at;
	int result = 0;

	while (result == 0 && entry < item->block.count) {
		struct item *other = find_next(work, item, entry, &at);
		uint32_t end = other ? at : item->block.count;
		if (end > entry)
			result = add_piece(work, item, entry, end - entry);
		entry = end;
		if (!other)
			continue;
		for (uint32_t i = 0; i < other->block.count && entry < item->block.count; i++)
			work->pieces->cycles[other->first + i] +=
				work->pieces->cycles[item->first + entry++];
		other->frequency += item->frequency;
	}
	return result;
}

static int by_piece_address(const void *a, const void *b)
{
	const struct ear_android_piece *left = a, *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return left->block < right->block ? -1 : left->block > right->block;
}

static int count_runs(struct work *work, struct ear_android_trace *trace)
{
	struct ear_android_run run;
	int result;

	while ((result = ear_android_trace_next(trace, &run)) == 1) {
		struct item *item = &work->items[run.execution.number];
		uint64_t *cycles = work->pieces->cycles + item->first;
		item->frequency++;
		item->symbol = run.symbol;
		for (uint32_t i = 0; i < run.execution.entries; i++)
			cycles[i] +=
				(i + 1 < run.execution.entries ? run.times[i + 1] : run.until) -
				run.times[i];
	}
	return result;
}

/* The blocks that ran, by address. */
static void keep_executed(struct work *work)
{
	size_t kept = 0;

	for (size_t i = 0; i < work->count; i++)
		if (work->items[i].frequency > 0)
			work->items[kept++] = work->items[i];
	work->count = kept;
	qsort(work->items, work->count, sizeof(*work->items), by_address);
}

static int make(struct work *work, struct ear_android_trace *trace)
{
	struct ear_qtrace_log *log = ear_android_trace_log(trace);
	uint64_t entries = 0;

	work->count = (size_t)ear_qtrace_log_block_count(log);
	work->items = calloc(work->count, sizeof(*work->items));
	if (!work->items)
		return EAR_E_NO_MEMORY;
	for (uint64_t i = 0; i < work->count; i++) {
		work->items[i] = (struct item){
			.number = i, .first = entries, .block = ear_qtrace_log_block(log, i)};
		entries += work->items[i].block.count;
	}
	work->pieces->cycles = calloc((size_t)entries + 1, sizeof(uint64_t));
	if (!work->pieces->cycles)
		return EAR_E_NO_MEMORY;
	int result = count_runs(work, trace);
	if (result)
		return result;
	keep_executed(work);
	for (size_t i = 0; i < work->count && result == 0; i++)
		result = work->items[i].number == 0 ? add_piece(work, &work->items[i], 0, 0)
						    : cut(work, &work->items[i]);
	return result;
}

int ear_android_pieces_make(struct ear_android_pieces *pieces, struct ear_android_trace *trace)
{
	struct work work = {.pieces = pieces};

	memset(pieces, 0, sizeof(*pieces));
	int result = make(&work, trace);
	free(work.items);
	if (result == EAR_E_NO_MEMORY)
		ear_android_trace_fail(trace, result, "%s", ear_error_text(result));
	if (result == 0 && pieces->count > 0)
		qsort(pieces->list, pieces->count, sizeof(*pieces->list), by_piece_address);
	return result;
}

void ear_android_pieces_fini(struct ear_android_pieces *pieces)
{
	free(pieces->list);
	free(pieces->cycles);
}
