/* Bytes of memory that hold tolerated values: a hash table of aligned words.
 *
 * Open addressing with linear probing, because most words come and go near each other; a word that
 * goes is filled from the words after it, so there are no tombstones and a table that lives long
 * stays fast. The table doubles up to its limit.
 */
#include "library/compare/followed_memory.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define FIRST_SLOTS 256u

struct word {
	uint64_t number; /* address / 8 */
	uint64_t value, record;
	uint32_t source;
	uint8_t bytes; /* a bit for each byte that is followed; 0: an empty slot */
	uint8_t known; /* those of which the value is known */
};

struct ear_followed {
	struct word *words;
	size_t slots, count;
	uint64_t lost;
};

struct ear_followed *ear_followed_new(void)
{
	return calloc(1, sizeof(struct ear_followed));
}

void ear_followed_free(struct ear_followed *followed)
{
	if (followed)
		free(followed->words);
	free(followed);
}

size_t ear_followed_count(const struct ear_followed *followed)
{
	return followed->count;
}

uint64_t ear_followed_lost(const struct ear_followed *followed)
{
	return followed->lost;
}

void ear_followed_clear(struct ear_followed *followed)
{
	if (followed->count)
		memset(followed->words, 0, followed->slots * sizeof(*followed->words));
	followed->count = 0;
}

static size_t home(const struct ear_followed *followed, uint64_t number)
{
	return ear_hash_index(number, followed->slots);
}

/* The slot of a word, or the empty one where it would be. There is one. */
static size_t find(const struct ear_followed *followed, uint64_t number)
{
	size_t slot = home(followed, number);

	while (followed->words[slot].bytes && followed->words[slot].number != number)
		slot = (slot + 1) & (followed->slots - 1);
	return slot;
}

/* Room for one word more, at most half of the slots are taken. */
static bool grow(struct ear_followed *followed)
{
	struct ear_followed grown = {.slots = followed->slots ? 2 * followed->slots : FIRST_SLOTS};

	if (followed->count == EAR_FOLLOWED_WORDS_MAX)
		return false;
	if (2 * (followed->count + 1) <= followed->slots)
		return true;
	grown.words = calloc(grown.slots, sizeof(*grown.words));
	if (!grown.words)
		return false;
	for (size_t i = 0; i < followed->slots; i++)
		if (followed->words[i].bytes)
			grown.words[find(&grown, followed->words[i].number)] = followed->words[i];
	free(followed->words);
	followed->words = grown.words;
	followed->slots = grown.slots;
	return true;
}

/* Empty a slot, and fill it from those after it that would be found no more. */
static void drop(struct ear_followed *followed, size_t slot)
{
	size_t mask = followed->slots - 1, at = slot;

	for (;;) {
		at = (at + 1) & mask;
		if (!followed->words[at].bytes)
			break;
		size_t wanted = home(followed, followed->words[at].number);
		if (((at - wanted) & mask) < ((at - slot) & mask))
			continue;
		followed->words[slot] = followed->words[at];
		slot = at;
	}
	followed->words[slot].bytes = 0;
	followed->count--;
}

static uint64_t spread(unsigned bytes)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < 8; i++)
		mask |= bytes >> i & 1 ? (uint64_t)0xFF << 8 * i : 0;
	return mask;
}

/* Part of a store that lies in one word: bytes of it, value at their position. */
static void store_word(struct ear_followed *followed, uint64_t number, unsigned bytes,
	uint64_t value, const struct ear_origin *origin)
{
	bool there = followed->count > 0 && followed->words[find(followed, number)].bytes;

	if (!there && !origin->source)
		return;
	if (!there && !grow(followed)) {
		followed->lost++;
		return;
	}
	size_t slot = find(followed, number);
	struct word *word = &followed->words[slot];
	if (!there) {
		*word = (struct word){.number = number};
		followed->count++;
	}
	word->bytes &= (uint8_t)~bytes;
	word->known &= (uint8_t)~bytes;
	if (origin->source) {
		uint64_t mask = spread(bytes);
		word->bytes |= (uint8_t)bytes;
		word->known |= origin->has_value ? (uint8_t)bytes : 0;
		word->value = (word->value & ~mask) | (value & mask);
		word->source = origin->source;
		word->record = origin->record;
	}
	if (!word->bytes)
		drop(followed, slot);
}

void ear_followed_store(struct ear_followed *followed, uint64_t address, unsigned size,
	const struct ear_origin *origin)
{
	unsigned shift = address & 7, bytes = (1u << size) - 1;

	if (followed->count == 0 && !origin->source)
		return;
	store_word(
		followed, address / 8, bytes << shift & 0xFF, origin->value << 8 * shift, origin);
	if (shift + size > 8)
		store_word(followed, address / 8 + 1, bytes >> (8 - shift),
			origin->value >> 8 * (8 - shift), origin);
}

static unsigned load_word(const struct ear_followed *followed, uint64_t number, unsigned bytes,
	bool has_value, uint64_t value, struct ear_origin *origin, unsigned *stale)
{
	const struct word *word = &followed->words[find(followed, number)];
	unsigned found = word->bytes & bytes;

	*stale = 0;
	for (unsigned i = 0; i < 8 && has_value; i++)
		if (found & word->known & 1u << i && (uint8_t)((word->value ^ value) >> 8 * i))
			*stale |= 1u << i;
	found &= ~*stale;
	if (found)
		*origin = (struct ear_origin){.source = word->source, .record = word->record};
	return found;
}

unsigned ear_followed_load(const struct ear_followed *followed, uint64_t address, unsigned size,
	bool has_value, uint64_t value, struct ear_origin *origin, unsigned *stale)
{
	unsigned shift = address & 7, bytes = (1u << size) - 1, stale_high;

	*stale = 0;
	if (followed->count == 0)
		return 0;
	unsigned found = load_word(followed, address / 8, bytes << shift & 0xFF, has_value,
				 value << 8 * shift, origin, stale) >>
			 shift;
	*stale >>= shift;
	if (shift + size > 8) {
		found |= load_word(followed, address / 8 + 1, bytes >> (8 - shift), has_value,
				 value >> 8 * (8 - shift), origin, &stale_high)
			 << (8 - shift);
		*stale |= stale_high << (8 - shift);
	}
	return found;
}
