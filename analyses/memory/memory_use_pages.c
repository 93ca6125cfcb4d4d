/* Pages that are touched, with bitmaps of their bytes. */
#include "analyses/memory/memory_part.h"

#include <stdlib.h>
#include <string.h>

void ear_usage_set_image(struct memory_bits *bits, uint64_t page, uint64_t first, uint64_t size)
{
	const uint64_t page_last = page + (EAR_USAGE_PAGE - 1);

	if (size == 0 || first > page_last || first + (size - 1) < page)
		return;
	const uint64_t last = first + (size - 1);
	const unsigned from = first > page ? (unsigned)(first - page) : 0;
	const unsigned to = last < page_last ? (unsigned)(last - page) : EAR_USAGE_PAGE - 1;
	for (unsigned i = from; i <= to; i++)
		bits->image[i / 64] |= UINT64_C(1) << i % 64;
}

static bool is_zeroed(const struct ear_names_section *section)
{
	return !(section->flags & EAR_NAMES_IN_FILE) && !strstr(section->name, "stack") &&
	       !strstr(section->name, "heap") && !strstr(section->name, "noinit");
}

/* What is loaded: bytes of the file, and sections that begin as zeros. */
static void load_image(struct ear_usage *memory, struct memory_bits *bits, uint64_t page)
{
	const struct ear_names *names = memory->options.names;
	const size_t files = names ? ear_names_file_count(names) : 0;

	for (size_t i = 0; i < memory->options.device_count; i++) {
		const struct ear_span *span = &memory->options.devices[i];
		ear_usage_set_image(bits, page, span->first, span->last - span->first + 1);
	}
	for (size_t f = 0; f < files; f++) {
		const struct ear_names_file *file = ear_names_file(names, f);
		for (size_t i = 0; i < file->segment_count; i++) {
			const struct ear_names_segment *segment = &file->segments[i];
			const bool all = file->section_count == 0;
			const uint64_t size = all ? segment->size : segment->file_size;
			ear_usage_set_image(bits, page, segment->address + file->offset, size);
			ear_usage_set_image(bits, page, segment->load_address + file->offset, size);
		}
		for (size_t i = 0; i < file->section_count; i++)
			if (is_zeroed(&file->sections[i]))
				ear_usage_set_image(bits, page,
					file->sections[i].address + file->offset,
					file->sections[i].size);
	}
}

/* What the whole has by now: what it wrote is as good as what was loaded. */
static void look_at_whole(struct ear_usage *memory, struct memory_bits *bits, uint64_t page)
{
	const struct ear_usage *whole = memory->whole;
	const struct memory_bits *from =
		whole && !whole->is_hidden ? ear_usage_look_for_page(whole, page) : NULL;

	if (!from)
		return;
	for (unsigned i = 0; i < WORDS; i++)
		bits->image[i] |= from->written[i];
	memcpy(memory_part_bits(bits)->known_executed, from->executed, sizeof(from->executed));
	bits->is_executed |= from->is_executed;
}

static uint32_t *slot_of(const struct ear_usage *memory, uint64_t address)
{
	const struct ear_numbering *table = &memory->page_numbers;
	uint32_t at = ear_numbering_first(table, ear_numbering_hash(address, 0));

	while (table->places[at] && memory->pages[table->places[at] - 1].address != address)
		at = ear_numbering_next(table, at);
	return &table->places[at];
}

/* After false no page can be made. */
static bool grow_pages(struct ear_usage *memory)
{
	bool again;
	void *grown = ear_numbering_grow(&memory->page_numbers, memory->pages,
		sizeof(*memory->pages), memory->page_count, &again);

	if (!grown)
		return false;
	memory->pages = grown;
	if (!again)
		return true;
	void *bits = realloc(
		(void *)memory->bits, memory->page_numbers.capacity * sizeof(struct memory_bits *));
	if (!bits)
		return false;
	memory->bits = bits;
	for (uint32_t i = 0; i < memory->page_count; i++)
		*slot_of(memory, memory->pages[i].address) = i + 1;
	return true;
}

static uint32_t make_page(struct ear_usage *memory, uint64_t address)
{
	struct memory_bits *bits =
		calloc(1, memory->part ? sizeof(struct memory_part_bits) : sizeof(*bits));

	if (!bits) {
		memory->failed = true;
		return NONE;
	}
	memory_lock(memory);
	load_image(memory, bits, address);
	if (memory->part) {
		memory_part_bits(bits)->writes_left = MEMORY_WRITES_MAX;
		look_at_whole(memory, bits, address);
	}
	memory_unlock(memory);
	bits->share = NONE;
	bits->interval = UINT64_MAX;
	memory->pages[memory->page_count] = (struct ear_usage_page){.address = address};
	memory->bits[memory->page_count] = bits;
	*slot_of(memory, address) = memory->page_count + 1;
	return memory->page_count++;
}

struct memory_bits *ear_usage_look_for_page(const struct ear_usage *memory, uint64_t address)
{
	const uint32_t number = memory->page_count > 0 ? *slot_of(memory, address) : 0;

	return number > 0 ? memory->bits[number - 1] : NULL;
}

uint32_t ear_usage_find_page(struct ear_usage *memory, uint64_t address)
{
	if (memory->failed || !grow_pages(memory)) {
		memory->failed = true;
		return NONE;
	}
	uint32_t number = *slot_of(memory, address);
	if (number == 0 && memory->page_count == EAR_USAGE_PAGES_MAX)
		return NONE;
	number = number ? number - 1 : make_page(memory, address);
	if (number == NONE)
		return NONE;
	memory->page_cache[address / EAR_USAGE_PAGE % PAGE_CACHE].page = address;
	memory->page_cache[address / EAR_USAGE_PAGE % PAGE_CACHE].number = number;
	return number;
}
