/* The last access to each byte, in a hash table with open addresses. It is sized once for all bytes
 * that the steps can touch, so nothing is removed: an age says what is forgotten.
 */
#include "library/infer/infer_links.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "common/array.h"
#include "common/hash.h"

#define WILD_MAX 64u /* stores that are looked at; with more of them a byte counts as lost */

int infer_links_init(struct infer_links *links, const struct infer_facts *steps, uint32_t count)
{
	size_t bytes = 1;

	*links = (struct infer_links){.steps = steps, .age = 1};
	for (uint32_t i = 0; i < count; i++)
		bytes += infer_is_known(steps[i].address) ? steps[i].size : 0;
	for (links->last_bits = 4; (size_t)1 << links->last_bits < 2 * bytes;)
		links->last_bits++;
	links->last = calloc((size_t)1 << links->last_bits, sizeof(*links->last));
	links->first = malloc((count + 1) * sizeof(*links->first));
	links->wild = malloc((count + 1) * sizeof(*links->wild));
	if (!links->last || !links->first || !links->wild) {
		infer_links_fini(links);
		return EAR_E_NO_MEMORY;
	}
	for (uint32_t i = 0; i < count; i++)
		links->first[i] = INFER_NO_LINK;
	return 0;
}

void infer_links_fini(struct infer_links *links)
{
	free(links->links);
	free(links->first);
	free(links->wild);
	free(links->last);
	*links = (struct infer_links){.count = 0};
}

void infer_links_forget(struct infer_links *links, uint32_t step)
{
	links->age++;
	links->forgotten = step;
	links->wild_count = 0;
}

static struct infer_last *find(struct infer_links *links, uint64_t address)
{
	size_t mask = ((size_t)1 << links->last_bits) - 1;
	size_t slot = ear_hash_slot(address, links->last_bits);

	while (links->last[slot].age != 0 && links->last[slot].address != address)
		slot = (slot + 1) & mask;
	return &links->last[slot];
}

/* Can the byte there be of this store? */
static bool may_write(const struct infer_facts *store, uint64_t address, struct infer_value byte)
{
	const bool plain = store->op.kind >= EAR_SEM_SB && store->op.kind <= EAR_SEM_SD;

	for (unsigned k = 0; k < store->size; k++)
		if (!infer_differs(store->address, infer_exactly(address - k)) &&
			!(plain && infer_differs(infer_byte(store->b, k), byte)))
			return true;
	return false;
}

/* Is the byte, which is seen later, of none of the stores to unknown addresses after this step?
 * Who wrote a byte last wrote what is seen. */
static bool is_safe(
	const struct infer_links *links, uint32_t step, uint64_t address, struct infer_value byte)
{
	unsigned looked = 0;

	for (size_t i = links->wild_count; i > 0 && links->wild[i - 1] > step; i--)
		if (looked++ == WILD_MAX ||
			may_write(&links->steps[links->wild[i - 1]], address, byte))
			return false;
	return true;
}

/* Is the byte as this access saw it? */
static bool is_valid(
	const struct infer_links *links, const struct infer_last *last, struct infer_value byte)
{
	return last->age == links->age && last->step != INFER_NO_LINK &&
	       is_safe(links, last->step, last->address, byte);
}

static void add(struct infer_links *links, uint32_t step, uint8_t at, const struct infer_last *last)
{
	struct infer_link *link;

	if (links->count > 0) { /* does it continue the one before? */
		link = &links->links[links->count - 1];
		if (link->steps[0] == step && link->steps[1] == last->step &&
			link->at[0] + link->size == at && link->at[1] + link->size == last->at) {
			link->size++;
			return;
		}
	}
	if (!EAR_ARRAY_RESERVE(links->links, &links->capacity, links->count + 1)) {
		links->failed = true;
		return;
	}
	uint32_t number = (uint32_t)links->count++;
	link = &links->links[number];
	*link = (struct infer_link){.steps = {step, last->step},
		.next = {links->first[step], links->first[last->step]},
		.at = {at, last->at},
		.size = 1};
	links->first[step] = links->first[last->step] = number;
}

/* seen: the step sees the bytes; else nobody does any more. */
static void put(struct infer_links *links, uint32_t step, bool seen, bool written)
{
	const struct infer_facts *access = &links->steps[step];

	for (uint8_t k = 0; k < access->size; k++) {
		uint64_t address = access->address.value + k;
		struct infer_last *last = find(links, address);
		uint32_t before = last->age == links->age ? last->written : INFER_NO_LINK;
		*last = (struct infer_last){.address = address,
			.step = seen ? step : INFER_NO_LINK,
			.age = links->age,
			.written = written ? step : before,
			.at = k};
	}
}

void infer_links_load(struct infer_links *links, uint32_t step)
{
	const struct infer_facts *access = &links->steps[step];

	for (uint8_t k = 0; k < access->size; k++) {
		const struct infer_last *last = find(links, access->address.value + k);
		if (is_valid(links, last, infer_byte(access->loaded, k)))
			add(links, step, k, last);
	}
	put(links, step, true, false);
}

void infer_links_store(struct infer_links *links, uint32_t step)
{
	put(links, step, true, true);
}

void infer_links_lose(struct infer_links *links, uint32_t step)
{
	put(links, step, false, true);
}

void infer_links_wild(struct infer_links *links, uint32_t step)
{
	links->wild[links->wild_count++] = step;
}

bool infer_links_is_last(
	struct infer_links *links, uint32_t step, unsigned at, struct infer_value byte)
{
	const struct infer_last *last = find(links, links->steps[step].address.value + at);

	return last->step == step && last->at == at && is_valid(links, last, byte);
}

bool infer_links_is_untouched(
	struct infer_links *links, uint32_t step, uint64_t address, struct infer_value byte)
{
	const struct infer_last *last = find(links, address);
	bool written =
		last->age == links->age && last->written != INFER_NO_LINK && last->written > step;

	return links->forgotten <= step && !written && is_safe(links, step, address, byte);
}
