/* The set of volatile bytes of memory_state.h: a hash table of lines, with a mask of their bytes.
 *
 * How many it may hold is limited; a trace that exceeds the limit has no memory that can be relied
 * on, and then every byte is in the set. Which bytes are in it does not depend on the order in
 * which they came, so parts of a trace give the same set as the whole.
 */
#include "library/memory/memory_volatile.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/varint.h"
#include "library/memory/memory_internal.h"
#include "library/memory/memory_line.h"
#include <earshot/error.h>

static struct ear_volatile_line *find_line(const struct ear_memory_volatile *set, uint64_t line)
{
	size_t at = ear_hash_index(line, set->capacity);

	for (;; at++) {
		struct ear_volatile_line *found = &set->lines[at & (set->capacity - 1)];
		if (found->mask == 0 || found->line == line)
			return found;
	}
}

static int grow(struct ear_memory_volatile *set)
{
	struct ear_memory_volatile larger = {.capacity = set->capacity ? set->capacity * 2 : 64};

	larger.lines = calloc(larger.capacity, sizeof(*larger.lines));
	if (!larger.lines)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->lines[i].mask)
			*find_line(&larger, set->lines[i].line) = set->lines[i];
	free(set->lines);
	set->lines = larger.lines;
	set->capacity = larger.capacity;
	return 0;
}

static void become_all(struct ear_memory_volatile *set)
{
	free(set->lines);
	set->lines = NULL;
	set->capacity = set->count = 0;
	set->all = true;
}

int ear_volatile_add(struct ear_memory_volatile *set, uint64_t line, uint64_t mask)
{
	if (set->all || mask == 0)
		return 0;
	if (set->count >= set->capacity / 2) {
		int result = grow(set);
		if (result)
			return result;
	}
	struct ear_volatile_line *found = find_line(set, line);
	if (found->mask == 0 && set->count == EAR_MEMORY_VOLATILE_MAX) {
		become_all(set);
		return 0;
	}
	set->count += found->mask == 0;
	found->line = line;
	found->mask |= mask;
	return 0;
}

int ear_volatile_unite(struct ear_memory_volatile *set, const struct ear_memory_volatile *more)
{
	int result = 0;

	if (more->all)
		become_all(set);
	for (size_t i = 0; i < more->capacity && result == 0; i++)
		result = ear_volatile_add(set, more->lines[i].line, more->lines[i].mask);
	return result;
}

const struct ear_memory_volatile *ear_memory_volatile(const struct ear_memory *memory)
{
	return &memory->found;
}

void ear_memory_set_volatile(struct ear_memory *memory, const struct ear_memory_volatile *set)
{
	memory->given = set;
}

uint64_t ear_memory_volatile_mask(const struct ear_memory_volatile *set, uint64_t address)
{
	if (!set || set->all)
		return set ? UINT64_MAX : 0;
	return set->count ? find_line(set, address / EAR_MEMORY_LINE)->mask : 0;
}

static int by_line(const void *a, const void *b)
{
	const struct ear_volatile_line *left = a, *right = b;

	return left->line < right->line ? -1 : left->line > right->line;
}

static int by_address(const void *a, const void *b)
{
	const struct ear_memory_line *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

/* The lines of what loads saw first, sorted; freed by the caller. NULL without memory. */
static struct ear_memory_line *find_firsts(const struct ear_memory_volatile *set, size_t *count)
{
	const struct ear_block_table *table = set->firsts;
	size_t blocks = table ? table->count : 0;
	struct ear_memory_line *lines = calloc(blocks * EAR_BLOCK_LINES + 1, sizeof(*lines));

	*count = 0;
	for (size_t i = 0; blocks > 0 && i < table->capacity && lines; i++) {
		const struct ear_first *first = table->entries[i].what;
		for (unsigned k = 0; first && k < EAR_BLOCK_LINES; k++) {
			struct ear_memory_line *line = &lines[*count];
			if (first->mask[k] == 0)
				continue;
			line->address = (table->entries[i].number << EAR_BLOCK_BITS) +
					(size_t)k * EAR_MEMORY_LINE;
			line->known = line->settled = first->mask[k];
			memcpy(line->bytes, first->bytes + (size_t)k * EAR_MEMORY_LINE,
				EAR_MEMORY_LINE);
			(*count)++;
		}
	}
	if (lines)
		qsort(lines, *count, sizeof(*lines), by_address);
	return lines;
}

/* Sorted, so that equal sets are equal bytes. Without memory all bytes are volatile. */
size_t ear_memory_volatile_save(const struct ear_memory_volatile *set, uint8_t *bytes, size_t size)
{
	struct ear_varint_out out = ear_varint_out(bytes, size);
	struct ear_volatile_line *lines = malloc((set->count + 1) * sizeof(*lines));
	struct ear_memory_changes firsts = {0};
	struct ear_memory_line *first_lines = find_firsts(set, &firsts.count);
	uint64_t last = 0;
	size_t count = 0;

	for (size_t i = 0; i < set->capacity && lines; i++)
		if (set->lines[i].mask)
			lines[count++] = set->lines[i];
	if (lines)
		qsort(lines, count, sizeof(*lines), by_line);
	ear_varint_put(&out, set->all || !lines || !first_lines);
	ear_varint_put(&out, count);
	for (size_t i = 0; i < count; i++) {
		ear_varint_put(&out, lines[i].line - last);
		ear_varint_put(&out, lines[i].mask);
		last = lines[i].line;
	}
	firsts.lines = first_lines;
	size_t used = out.size;
	out.size += ear_memory_changes_save(
		&firsts, used < size ? bytes + used : NULL, used < size ? size - used : 0);
	free(lines);
	free(first_lines);
	return out.size;
}

static int load_firsts(struct ear_memory_volatile *set, const uint8_t *bytes, size_t size)
{
	struct ear_memory_loader loader;

	int result = ear_memory_changes_load(&loader, bytes, size);
	if (result || loader.count == 0)
		return result ? result : ear_memory_changes_next(&loader, NULL);
	/* count is at most half of size. */
	set->first_lines = calloc((size_t)loader.count, sizeof(*set->first_lines));
	if (!set->first_lines)
		return EAR_E_NO_MEMORY;
	while ((result = ear_memory_changes_next(&loader, &set->first_lines[set->first_count])) ==
		1)
		set->first_count++;
	return result;
}

uint64_t ear_volatile_contradicted(const struct ear_memory_volatile *set,
	const struct ear_memory_options *options, uint64_t address)
{
	struct ear_memory_line image = {.address = address};
	uint64_t differ = 0;

	if (!set || set->first_count == 0 || options->image_count == 0)
		return 0;
	const struct ear_memory_line *first = bsearch(
		&image, set->first_lines, set->first_count, sizeof(*set->first_lines), by_address);
	if (!first)
		return 0;
	ear_image_line(options, false, 0, &image);
	for (unsigned i = 0; i < EAR_MEMORY_LINE; i++)
		if (first->known & image.known & (uint64_t)1 << i &&
			first->bytes[i] != image.bytes[i])
			differ |= (uint64_t)1 << i;
	return differ;
}

/* The bytes of the line in the range, a bit for each. */
static uint64_t range_mask(const struct ear_memory_range *range, uint64_t address)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < EAR_MEMORY_LINE; i++)
		mask |= (uint64_t)(address + i - range->address < range->size) << i;
	return mask;
}

void ear_memory_line_end(struct ear_memory_line *line, const struct ear_memory_options *options,
	bool forgotten, uint64_t written, const struct ear_memory_volatile *volatiles)
{
	ear_image_line(options, forgotten, written, line);
	line->known &= ~ear_memory_volatile_mask(volatiles, line->address) &
		       ~ear_volatile_contradicted(volatiles, options, line->address);
	for (size_t i = 0; i < options->device_count; i++)
		line->known &= ~range_mask(&options->devices[i], line->address);
	for (unsigned i = 0; i < EAR_MEMORY_LINE; i++)
		if (!(line->known >> i & 1))
			line->bytes[i] = 0;
}

int ear_memory_volatile_load(struct ear_memory_volatile **set, const uint8_t *bytes, size_t size)
{
	struct ear_varint_in in = ear_varint_in(bytes, size);
	uint64_t all = ear_varint_get(&in), count = ear_varint_get(&in), line = 0;
	int result = 0;

	if (in.bad || all > 1 || (all && count > 0) || count > EAR_MEMORY_VOLATILE_MAX)
		return EAR_E_BAD_FILE;
	struct ear_memory_volatile *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->all = all;
	for (uint64_t i = 0; i < count && result == 0; i++) {
		uint64_t step = ear_varint_get(&in), mask = ear_varint_get(&in);
		line += step;
		if (in.bad || mask == 0 || line < step || line > UINT64_MAX / EAR_MEMORY_LINE ||
			(i > 0 && step == 0))
			result = EAR_E_BAD_FILE;
		else
			result = ear_volatile_add(made, line, mask);
	}
	if (result == 0)
		result = load_firsts(made, in.at, (size_t)(in.end - in.at));
	if (result) {
		ear_memory_volatile_free(made);
		return result;
	}
	*set = made;
	return 0;
}

void ear_memory_volatile_free(struct ear_memory_volatile *set)
{
	if (!set)
		return;
	free(set->lines);
	free(set->first_lines);
	free(set);
}
