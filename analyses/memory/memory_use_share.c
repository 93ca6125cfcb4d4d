/* Lines that several harts use. While one hart has a page, the page's own bitmaps are its; with the
 * second one each gets bitmaps of its own.
 */
#include "analyses/memory/memory_tables.h"

#include <stdlib.h>
#include <string.h>

#define SHARES_MAX 65536u

static uint32_t add_share(struct ear_usage *memory, uint64_t page, uint16_t hart)
{
	if (memory->share_count == SHARES_MAX) {
		memory->facts.shares_lost++;
		return NONE;
	}
	if (memory->share_count == memory->share_capacity) {
		const uint32_t capacity = memory->share_capacity ? 2 * memory->share_capacity : 64;
		void *grown = realloc(memory->shares, capacity * sizeof(*memory->shares));
		if (!grown)
			goto out_no_memory;
		memory->shares = grown;
		memory->share_capacity = capacity;
		void *lines = realloc(memory->lines, capacity * sizeof(struct memory_lines *));
		if (!lines)
			goto out_no_memory;
		memory->lines = lines;
		for (; memory->line_capacity < capacity; memory->line_capacity++)
			memory->lines[memory->line_capacity] = NULL;
	}
	memory->shares[memory->share_count] =
		(struct memory_share){.page = page, .hart = hart, .next = NONE};
	return memory->share_count++;

out_no_memory:
	memory->failed = true;
	return NONE;
}

/* A second hart comes to a page. */
static bool begin(struct ear_usage *memory, uint32_t page)
{
	struct memory_bits *bits = memory->bits[page];
	struct memory_lines *lines = calloc(1, sizeof(*lines));
	const uint32_t first =
		lines ? add_share(memory, memory->pages[page].address, bits->hart) : NONE;

	if (first == NONE) {
		memory->failed |= !lines;
		free(lines);
		return false;
	}
	memcpy(memory->shares[first].written, bits->written, sizeof(bits->written));
	memcpy(memory->shares[first].read, bits->read, sizeof(bits->read));
	for (unsigned i = 0; i < WORDS; i++)
		lines->first[i] = lines->last[i] = bits->hart;
	memory->lines[first] = lines;
	bits->share = first;
	return true;
}

uint32_t ear_usage_find_share(struct ear_usage *memory, uint32_t page, uint16_t hart)
{
	uint32_t at = memory->bits[page]->share;

	if (at == NONE && !begin(memory, page))
		return NONE;
	at = memory->bits[page]->share;

	for (;;) {
		if (memory->shares[at].hart == hart)
			return at;
		if (memory->shares[at].next == NONE)
			break;
		at = memory->shares[at].next;
	}
	const uint32_t made = add_share(memory, memory->pages[page].address, hart);
	if (made != NONE)
		memory->shares[at].next = made;
	return made;
}

void ear_usage_share(struct ear_usage *memory, uint32_t page, uint16_t hart, unsigned offset,
	unsigned size, bool write)
{
	struct memory_bits *bits = memory->bits[page];

	const uint32_t number = ear_usage_find_share(memory, page, hart);
	if (number == NONE)
		return;
	struct memory_share *share = &memory->shares[number];
	struct memory_lines *lines = memory->lines[bits->share];
	for (unsigned i = offset; i < offset + size; i++)
		(write ? share->written : share->read)[i / 64] |= UINT64_C(1) << i % 64;
	for (unsigned i = offset / 64; i <= (offset + size - 1) / 64; i++) {
		const bool used = (bits->written[i] | bits->read[i]) != 0;
		lines->moves[i] += used && lines->last[i] != hart;
		if (!used)
			lines->first[i] = hart;
		lines->last[i] = hart;
	}
}

/* One line of a page. */
static bool judge(const struct ear_usage *memory, uint32_t first, unsigned line,
	struct ear_usage_shared *found)
{
	bool shared = false;

	*found = (struct ear_usage_shared){
		.line = memory->shares[first].page + (uint64_t)line * EAR_USAGE_LINE,
		.moves = memory->lines[first]->moves[line],
	};
	for (uint32_t a = first; a != NONE; a = memory->shares[a].next) {
		const struct memory_share *one = &memory->shares[a];
		found->harts += (one->written[line] | one->read[line]) != 0;
		found->writers += one->written[line] != 0;
		for (uint32_t b = first; b != NONE && one->written[line];
			b = memory->shares[b].next) {
			const struct memory_share *other = &memory->shares[b];
			const uint64_t touched = other->written[line] | other->read[line];
			if (a == b || !touched)
				continue;
			shared = true;
			found->is_true |= (one->written[line] & touched) != 0;
		}
	}
	return shared;
}

static int compare(const void *a, const void *b)
{
	const struct ear_usage_shared *one = a, *other = b;

	if (one->is_true != other->is_true)
		return one->is_true - other->is_true;
	if (one->moves != other->moves)
		return one->moves < other->moves ? 1 : -1;
	return one->line < other->line ? -1 : one->line > other->line;
}

struct ear_usage_shared *ear_usage_shared(const struct ear_usage *memory, size_t *count)
{
	size_t pages = 0;

	*count = 0;
	for (uint32_t i = 0; i < memory->share_count; i++)
		pages += memory->lines[i] != NULL;
	struct ear_usage_shared *found = calloc(pages * WORDS + 1, sizeof(*found));
	for (uint32_t i = 0; found && i < memory->share_count; i++)
		for (unsigned line = 0; memory->lines[i] && line < WORDS; line++)
			*count += judge(memory, i, line, &found[*count]);
	if (found)
		qsort(found, *count, sizeof(*found), compare);
	return found;
}
