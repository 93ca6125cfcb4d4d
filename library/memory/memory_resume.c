/* What ear_memory_merge asks of the memory before a part, from somewhere else. */
#include "library/memory/memory_resume.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "library/memory/memory_internal.h"

_Static_assert(EAR_MEMORY_BLOCK == EAR_BLOCK_SIZE, "a block");

int ear_memory_resume(
	struct ear_memory *whole, const struct ear_memory_volatile *volatiles, bool forgotten)
{
	int result = ear_volatile_unite(&whole->found, volatiles);

	for (size_t i = 0; i < volatiles->first_count; i++) {
		const struct ear_memory_line *line = &volatiles->first_lines[i];
		for (unsigned k = 0; k < EAR_MEMORY_LINE && result == 0; k++)
			if (line->known >> k & 1)
				result = ear_first_add(whole, line->address + k, line->bytes[k]);
	}
	whole->forgotten = forgotten;
	return result;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

int ear_memory_first_blocks(const struct ear_memory *part, uint64_t **numbers, size_t *count)
{
	const struct ear_block_table *table = &part->firsts;

	*count = 0;
	*numbers = malloc((table->count + 1) * sizeof(**numbers));
	if (!*numbers)
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < table->capacity; i++)
		if (table->entries[i].what)
			(*numbers)[(*count)++] = table->entries[i].number;
	qsort(*numbers, *count, sizeof(**numbers), by_number);
	return 0;
}

int ear_memory_resume_block(struct ear_memory *whole, uint64_t number, const uint8_t *bytes,
	const bool *known, const bool *settled)
{
	struct ear_block *block;
	int result = ear_block_find(whole, number, true, &block);

	for (unsigned at = 0; at < EAR_BLOCK_SIZE && result == 0; at++) {
		unsigned line = at / EAR_MEMORY_LINE;
		uint64_t bit = (uint64_t)1 << at % EAR_MEMORY_LINE;
		block->data.bytes[at] = bytes[at];
		block->data.known[line] |= known[at] ? bit : 0;
		block->data.settled[line] |= settled[at] ? bit : 0;
	}
	return result;
}
