/* Functions of the heap, by the names that C libraries give them: where they are entered. */
#include "analyses/memory/memory_tables.h"

static const struct {
	const char *name;
	uint8_t kind, first;
} functions[] = {
	{"malloc", MEMORY_HEAP_MALLOC, 0},
	{"calloc", MEMORY_HEAP_CALLOC, 0},
	{"realloc", MEMORY_HEAP_REALLOC, 0},
	{"free", MEMORY_HEAP_FREE, 0},
	{"cfree", MEMORY_HEAP_FREE, 0},
	{"memalign", MEMORY_HEAP_MEMALIGN, 0},
	{"aligned_alloc", MEMORY_HEAP_MEMALIGN, 0},
	{"posix_memalign", MEMORY_HEAP_POSIX, 0},
	{"valloc", MEMORY_HEAP_VALLOC, 0},
	{"pvalloc", MEMORY_HEAP_VALLOC, 0},
	{"_malloc_r", MEMORY_HEAP_MALLOC, 1},
	{"_calloc_r", MEMORY_HEAP_CALLOC, 1},
	{"_realloc_r", MEMORY_HEAP_REALLOC, 1},
	{"_free_r", MEMORY_HEAP_FREE, 1},
	{"_memalign_r", MEMORY_HEAP_MEMALIGN, 1},
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

int ear_usage_heap_begin(struct ear_usage *memory)
{
	const struct ear_names *names = memory->options.names;
	const struct ear_symbol *found[8];

	memory_lock(memory);
	for (size_t i = 0; names && i < FUNCTIONS; i++) {
		const size_t all = ear_names_symbols_named(names, functions[i].name, found, 8);
		for (size_t j = 0; j < all && j < 8 && memory->entry_count < ENTRIES_MAX; j++) {
			const uint64_t pc = found[j]->address;
			if (found[j]->kind == EAR_NAMES_OBJECT)
				continue;
			memory->entries[memory->entry_count++] = (struct heap_entry){
				pc, functions[i].kind, functions[i].first, functions[i].name};
			memory->heap_filter[pc >> 1 >> 6 & (HEAP_FILTER / 64 - 1)] |=
				UINT64_C(1) << (pc >> 1 & 63);
		}
	}
	memory_unlock(memory);
	memory->facts.has_heap = memory->entry_count > 0;
	return 0;
}

uint32_t ear_usage_heap_entry(const struct ear_usage *memory, uint64_t pc)
{
	for (uint32_t i = 0; ear_usage_heap_wants(memory, pc) && i < memory->entry_count; i++)
		if (memory->entries[i].pc == pc)
			return i;
	return NONE;
}

bool ear_usage_is_posix(const struct ear_usage *memory, uint32_t entry)
{
	return memory->entries[entry].kind == MEMORY_HEAP_POSIX;
}
