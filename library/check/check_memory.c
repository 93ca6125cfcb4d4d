/* Memory as the trace has shown it: pages with a state for each byte, in an open hash table. */
#include "library/check/check_memory.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/protocol/bytes.h"

#define PAGES_MAX   EAR_CHECK_PAGES_MAX
#define PAGES_FIRST 64u
#define MARKS       (EAR_CHECK_PAGE / 64)

enum state { UNKNOWN, LOADED, STORED, CHANGES };

struct ear_check_page {
	uint64_t number;
	/* With room behind the page, so that a word at its end can be handled as one. */
	uint8_t bytes[EAR_CHECK_PAGE + 8];
	uint8_t states[EAR_CHECK_PAGE + 8]; /* enum state */
	uint64_t stored[MARKS], loaded[MARKS];
	struct ear_check_page *next; /* of those that are old */
};

#define ONES UINT64_C(0x0101010101010101)

static uint64_t mask_of(unsigned size)
{
	return UINT64_MAX >> (64 - 8 * size);
}

void ear_check_memory_forget(struct ear_check_memory *memory)
{
	memory->forgotten = true;
	memory->forgets++;
	if (memory->count == 0)
		return;
	for (size_t i = 0; i < memory->capacity; i++) {
		struct ear_check_page *page = memory->pages[i];
		if (page && memory->marks) {
			page->next = memory->old;
			memory->old = page;
		} else {
			free(page);
		}
		memory->pages[i] = NULL;
	}
	memory->count = 0;
	memset(memory->recent, 0, sizeof(memory->recent));
}

void ear_check_memory_fini(struct ear_check_memory *memory)
{
	ear_check_memory_forget(memory);
	ear_check_memory_drop(memory);
	free(memory->pages);
	*memory = (struct ear_check_memory){0};
}

static size_t find_slot(const struct ear_check_memory *memory, uint64_t number)
{
	size_t mask = memory->capacity - 1;
	size_t at = ear_hash_index(number, memory->capacity);

	while (memory->pages[at] && memory->pages[at]->number != number)
		at = (at + 1) & mask;
	return at;
}

static bool grow(struct ear_check_memory *memory)
{
	struct ear_check_memory to = {
		.capacity = memory->capacity ? 2 * memory->capacity : PAGES_FIRST};

	to.pages = calloc(to.capacity, sizeof(struct ear_check_page *));
	if (!to.pages)
		return false;
	for (size_t i = 0; i < memory->capacity; i++)
		if (memory->pages[i])
			to.pages[find_slot(&to, memory->pages[i]->number)] = memory->pages[i];
	free(memory->pages);
	memory->pages = to.pages;
	memory->capacity = to.capacity;
	return true;
}

bool ear_check_memory_copy(struct ear_check_memory *copy, const struct ear_check_memory *memory)
{
	*copy = (struct ear_check_memory){.capacity = memory->capacity,
		.failed = memory->failed,
		.forgotten = memory->forgotten,
		.forgets = memory->forgets};
	copy->pages = calloc(memory->capacity + 1, sizeof(struct ear_check_page *));
	bool good = copy->pages != NULL;
	for (size_t i = 0; good && i < memory->capacity; i++) {
		if (!memory->pages[i])
			continue;
		copy->pages[i] = malloc(sizeof(*copy->pages[i]));
		good = copy->pages[i] != NULL;
		if (good) {
			*copy->pages[i] = *memory->pages[i];
			copy->count++;
		}
	}
	if (!good)
		ear_check_memory_fini(copy);
	return good;
}

/* The page, made if there is none; NULL: memory is short. */
static struct ear_check_page *get_page(struct ear_check_memory *memory, uint64_t number)
{
	struct ear_check_page **recent = &memory->recent[number % EAR_CHECK_RECENT];

	if (*recent && (*recent)->number == number)
		return *recent;
	if (memory->count == PAGES_MAX)
		ear_check_memory_forget(memory);
	if (memory->count >= memory->capacity / 2 && !grow(memory)) {
		memory->failed = true;
		return NULL;
	}
	struct ear_check_page **slot = &memory->pages[find_slot(memory, number)];
	if (!*slot) {
		*slot = calloc(1, sizeof(**slot));
		if (!*slot) {
			memory->failed = true;
			return NULL;
		}
		(*slot)->number = number;
		memory->count++;
		if (memory->count > memory->count_most)
			memory->count_most = memory->count;
	}
	*recent = *slot;
	return *slot;
}

/* The page of the word, and where it lies there; NULL: the word is in two pages, or memory is
 * short. */
static struct ear_check_page *get_word(
	struct ear_check_memory *memory, uint64_t address, unsigned size, size_t *at)
{
	*at = address % EAR_CHECK_PAGE;
	return *at + size <= EAR_CHECK_PAGE ? get_page(memory, address / EAR_CHECK_PAGE) : NULL;
}

static void store_bytes(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i;
		struct ear_check_page *page = get_page(memory, at / EAR_CHECK_PAGE);
		if (!page)
			return;
		page->bytes[at % EAR_CHECK_PAGE] = (uint8_t)(value >> 8 * i);
		if (page->states[at % EAR_CHECK_PAGE] != CHANGES)
			page->states[at % EAR_CHECK_PAGE] = STORED;
	}
}

void ear_check_memory_store(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t value)
{
	size_t at;
	struct ear_check_page *page = get_word(memory, address, size, &at);

	if (!page) {
		store_bytes(memory, address, size, value);
		return;
	}
	uint64_t mask = mask_of(size), states = ear_load_le64(&page->states[at]);
	if (states & states >> 1 & ONES & mask) {
		store_bytes(memory, address, size, value);
		return;
	}
	ear_store_le64(&page->states[at], (states & ~mask) | (STORED * ONES & mask));
	ear_store_le64(
		&page->bytes[at], (ear_load_le64(&page->bytes[at]) & ~mask) | (value & mask));
}

bool ear_check_memory_holds(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t value)
{
	size_t at;
	const struct ear_check_page *page = get_word(memory, address, size, &at);

	if (!page)
		return false;
	uint64_t mask = mask_of(size), states = ear_load_le64(&page->states[at]);
	uint64_t unsure = ~(states ^ states >> 1) & ONES;
	return ((unsure | (ear_load_le64(&page->bytes[at]) ^ value)) & mask) == 0;
}

unsigned ear_check_memory_read(
	struct ear_check_memory *memory, uint64_t address, unsigned size, uint64_t *value)
{
	unsigned known = 0;

	*value = 0;
	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i;
		const struct ear_check_page *page = get_page(memory, at / EAR_CHECK_PAGE);
		uint8_t state = page ? page->states[at % EAR_CHECK_PAGE] : UNKNOWN;
		if (state == UNKNOWN || state == CHANGES)
			continue;
		known |= 1u << i;
		*value |= (uint64_t)page->bytes[at % EAR_CHECK_PAGE] << 8 * i;
	}
	return known;
}

void ear_check_memory_lose(struct ear_check_memory *memory, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i;
		struct ear_check_page *page = get_page(memory, at / EAR_CHECK_PAGE);
		if (page && page->states[at % EAR_CHECK_PAGE] != CHANGES)
			page->states[at % EAR_CHECK_PAGE] = UNKNOWN;
	}
}

bool ear_check_memory_is_stored(struct ear_check_memory *memory, uint64_t address, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i;
		const struct ear_check_page *page = get_page(memory, at / EAR_CHECK_PAGE);
		if (!page || page->states[at % EAR_CHECK_PAGE] > LOADED)
			return true;
	}
	return false;
}

bool ear_check_memory_seed(
	struct ear_check_memory *memory, uint64_t address, unsigned size, const uint8_t *bytes)
{
	bool any = false;

	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i;
		struct ear_check_page *page = get_page(memory, at / EAR_CHECK_PAGE);
		if (!page || page->states[at % EAR_CHECK_PAGE] != UNKNOWN)
			continue;
		page->states[at % EAR_CHECK_PAGE] = STORED;
		page->bytes[at % EAR_CHECK_PAGE] = bytes[i];
		any = true;
	}
	return any;
}

/* One byte; returns what it makes of the load. */
static enum ear_check_load load_byte(
	struct ear_check_page *page, size_t at, uint8_t value, uint8_t *expected)
{
	uint8_t *state = &page->states[at];
	bool differs = page->bytes[at] != value;

	*expected = *state == UNKNOWN || *state == CHANGES ? value : page->bytes[at];
	page->bytes[at] = value;
	if (*state == UNKNOWN) {
		*state = LOADED;
		return EAR_CHECK_LOAD_NEW;
	}
	if (*state == STORED && differs) {
		*state = LOADED;
		return EAR_CHECK_LOAD_DIFFERS;
	}
	if (*state == LOADED && differs)
		*state = CHANGES;
	return *state == CHANGES ? EAR_CHECK_LOAD_CHANGES : EAR_CHECK_LOAD_SAME;
}

enum ear_check_load ear_check_memory_load(struct ear_check_memory *memory, uint64_t address,
	unsigned size, uint64_t value, uint64_t *expected)
{
	enum ear_check_load result = EAR_CHECK_LOAD_SAME;

	*expected = 0;
	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i;
		struct ear_check_page *page = get_page(memory, at / EAR_CHECK_PAGE);
		uint8_t byte;
		if (!page)
			return EAR_CHECK_LOAD_NEW;
		enum ear_check_load one =
			load_byte(page, at % EAR_CHECK_PAGE, (uint8_t)(value >> 8 * i), &byte);
		*expected |= (uint64_t)byte << 8 * i;
		result = one > result ? one : result;
	}
	return result;
}

/* Marks --------------------------------------------------------------------------------------- */

void ear_check_memory_drop(struct ear_check_memory *memory)
{
	while (memory->old) {
		struct ear_check_page *page = memory->old;
		memory->old = page->next;
		free(page);
	}
}

static void mark(struct ear_check_memory *memory, uint64_t address, unsigned size, bool stored)
{
	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i;
		struct ear_check_page *page = get_page(memory, at / EAR_CHECK_PAGE);
		if (!page)
			return;
		uint64_t *marks = stored ? page->stored : page->loaded;
		marks[at % EAR_CHECK_PAGE / 64] |= UINT64_C(1) << at % 64;
	}
}

static inline bool is_in_word(uint64_t address, unsigned size)
{
	return address % 64 + size <= 64;
}

void ear_check_memory_mark_stored(struct ear_check_memory *memory, uint64_t address, unsigned size)
{
	struct ear_check_page *page = get_page(memory, address / EAR_CHECK_PAGE);

	if (page && is_in_word(address, size))
		page->stored[address % EAR_CHECK_PAGE / 64] |= (UINT64_MAX >> (64 - size))
							       << address % 64;
	else
		mark(memory, address, size, true);
}

void ear_check_memory_mark_loaded(struct ear_check_memory *memory, uint64_t address, unsigned size)
{
	struct ear_check_page *page = get_page(memory, address / EAR_CHECK_PAGE);

	if (page && is_in_word(address, size))
		page->loaded[address % EAR_CHECK_PAGE / 64] |= (UINT64_MAX >> (64 - size))
							       << address % 64;
	else
		mark(memory, address, size, false);
}

static struct ear_check_page *find_page(const struct ear_check_memory *memory, uint64_t address)
{
	return memory->count > 0 ? memory->pages[find_slot(memory, address / EAR_CHECK_PAGE)]
				 : NULL;
}

unsigned ear_check_memory_take_stored(
	struct ear_check_memory *memory, uint64_t address, uint64_t *value)
{
	struct ear_check_page *page = find_page(memory, address);
	size_t at = address % EAR_CHECK_PAGE;

	if (!page)
		return 0;
	uint64_t *word = &page->stored[at / 64];
	unsigned marked = (unsigned)(*word >> at % 64 & 0xff);
	*word &= ~((uint64_t)0xff << at % 64);
	*value = ear_load_le64(&page->bytes[at]);
	return marked;
}

uint64_t ear_check_memory_take_loaded(struct ear_check_memory *memory, uint64_t address)
{
	struct ear_check_page *page = find_page(memory, address);

	if (!page)
		return 0;
	uint64_t marked = page->loaded[address % EAR_CHECK_PAGE / 64];
	page->loaded[address % EAR_CHECK_PAGE / 64] = 0;
	return marked;
}

static int each(const struct ear_check_page *page, bool stored, ear_check_memory_marked *marked,
	void *context)
{
	const uint64_t *marks = stored ? page->stored : page->loaded;
	int result = 0;

	for (size_t i = 0; i < MARKS && result == 0; i++)
		if (marks[i])
			result = marked(context, page->number * EAR_CHECK_PAGE + 64 * i, marks[i]);
	return result;
}

int ear_check_memory_each_loaded(const struct ear_check_memory *memory, bool old,
	ear_check_memory_marked *marked, void *context)
{
	int result = 0;

	for (const struct ear_check_page *page = memory->old; old && page && result == 0;
		page = page->next)
		result = each(page, false, marked, context);
	for (size_t i = 0; !old && i < memory->capacity && result == 0; i++)
		if (memory->pages[i])
			result = each(memory->pages[i], false, marked, context);
	return result;
}

int ear_check_memory_each_stored(
	const struct ear_check_memory *memory, ear_check_memory_marked *marked, void *context)
{
	int result = 0;

	for (size_t i = 0; i < memory->capacity && result == 0; i++)
		if (memory->pages[i])
			result = each(memory->pages[i], true, marked, context);
	return result;
}

bool ear_check_memory_changes(
	const struct ear_check_memory *memory, uint64_t address, uint64_t mask)
{
	const struct ear_check_page *page = find_page(memory, address);

	for (unsigned i = 0; page && i < 64; i++)
		if (mask >> i & 1 && page->states[address % EAR_CHECK_PAGE + i] == CHANGES)
			return true;
	return false;
}
