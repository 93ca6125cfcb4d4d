/* Memory of a diversion: pages, copied from the moment when one of their bytes is first asked for,
 * with a bit that says "known" for each bit.
 */
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "common/hash.h"
#include "library/diversion/diversion_internal.h"

static bool is_in(const struct ear_span *spans, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= spans[i].first && address <= spans[i].last)
			return true;
	return false;
}

static bool is_memory(const struct ear_diversion *diversion, uint64_t address)
{
	const struct ear_span *devices = diversion->spans + diversion->memory_count;

	return !is_in(devices, diversion->device_count, address) &&
	       (diversion->memory_count == 0 ||
		       is_in(diversion->spans, diversion->memory_count, address));
}

static void fill(struct ear_diversion *diversion, struct diversion_page *page)
{
	const struct ear_moment_view *view = &diversion->view;
	const uint64_t address = page->number * DIVERSION_PAGE;
	uint8_t known[DIVERSION_PAGE];
	const bool read = view->read_memory && view->read_memory(view->context, address,
						       page->bytes, known, sizeof(known));

	for (size_t i = 0; i < DIVERSION_PAGE; i++) {
		page->is_memory[i] = is_memory(diversion, address + i);
		if (read && known[i] && page->is_memory[i])
			page->known[i] = UINT8_MAX;
		else
			page->bytes[i] = 0;
	}
}

struct diversion_page *diversion_page(struct ear_diversion *diversion, uint64_t address)
{
	const uint64_t number = address / DIVERSION_PAGE;
	struct diversion_page **bucket =
		&diversion->buckets[ear_hash_index(number, DIVERSION_BUCKETS)];
	struct diversion_page *page = diversion->last;

	if (page && page->number == number)
		return page;
	for (page = *bucket; page && page->number != number;)
		page = page->next;
	if (!page) {
		page = diversion->page_count < DIVERSION_PAGES_MAX ? calloc(1, sizeof(*page))
								   : NULL;
		if (!page) {
			diversion->failed = true;
			return NULL;
		}
		page->number = number;
		page->next = *bucket;
		*bucket = page;
		diversion->page_count++;
		fill(diversion, page);
	}
	diversion->last = page;
	return page;
}

void diversion_memory_fini(struct ear_diversion *diversion)
{
	for (size_t i = 0; i < DIVERSION_BUCKETS; i++)
		while (diversion->buckets[i]) {
			struct diversion_page *page = diversion->buckets[i];
			diversion->buckets[i] = page->next;
			free(page);
		}
}

/* On RV32 the byte after the last one is the first. */
static uint64_t wrap(const struct ear_diversion *diversion, uint64_t address)
{
	return diversion->xlen == 32 ? (uint32_t)address : address;
}

struct infer_value diversion_load(struct ear_diversion *diversion, uint64_t address, unsigned size)
{
	struct infer_value value = {0, 0};

	for (unsigned i = 0; i < size; i++) {
		const uint64_t at = wrap(diversion, address + i);
		const struct diversion_page *page = diversion_page(diversion, at);
		if (!page)
			return (struct infer_value){0, 0};
		value.value |= (uint64_t)page->bytes[at % DIVERSION_PAGE] << 8 * i;
		value.known |= (uint64_t)page->known[at % DIVERSION_PAGE] << 8 * i;
	}
	return value;
}

void diversion_store(
	struct ear_diversion *diversion, uint64_t address, unsigned size, struct infer_value value)
{
	for (unsigned i = 0; i < size; i++) {
		const uint64_t at = wrap(diversion, address + i);
		struct diversion_page *page = diversion_page(diversion, at);
		if (!page)
			return;
		const bool kept = page->is_memory[at % DIVERSION_PAGE];
		page->bytes[at % DIVERSION_PAGE] = kept ? (uint8_t)(value.value >> 8 * i) : 0;
		page->known[at % DIVERSION_PAGE] = kept ? (uint8_t)(value.known >> 8 * i) : 0;
	}
}

bool diversion_is_memory(struct ear_diversion *diversion, uint64_t address)
{
	const struct diversion_page *page = diversion_page(diversion, address);

	return page && page->is_memory[address % DIVERSION_PAGE];
}

int ear_diversion_memory(struct ear_diversion *diversion, uint64_t address, uint8_t *bytes,
	uint8_t *known, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const uint64_t at = wrap(diversion, address + i);
		const struct diversion_page *page = diversion_page(diversion, at);
		if (!page)
			return EAR_E_NO_MEMORY;
		known[i] = page->known[at % DIVERSION_PAGE] == UINT8_MAX;
		bytes[i] = known[i] ? page->bytes[at % DIVERSION_PAGE] : 0;
	}
	return 0;
}

int ear_diversion_set_memory(
	struct ear_diversion *diversion, uint64_t address, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const uint64_t at = wrap(diversion, address + i);
		struct diversion_page *page = diversion_page(diversion, at);
		if (!page)
			return EAR_E_NO_MEMORY;
		page->bytes[at % DIVERSION_PAGE] = bytes[i];
		page->known[at % DIVERSION_PAGE] = UINT8_MAX;
	}
	return 0;
}
