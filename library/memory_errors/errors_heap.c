/* Blocks of the heap, by the calls of its functions: their arguments where they are entered, their
 * result where they have returned, with the same sp. What such a function calls of the family
 * itself is a part of it, and whatever it does to memory is correct.
 *
 * Bytes of a free block are barred, and so are those beside a block that belong to no other one:
 * headers, what the size was rounded up by, what was never allocated.
 */
#include "library/memory_errors/memory_errors_internal.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "common/hash.h"

static const struct {
	const char *name;
	uint8_t kind, first;
} functions[] = {
	{"malloc", HEAP_MALLOC, 0},
	{"calloc", HEAP_CALLOC, 0},
	{"realloc", HEAP_REALLOC, 0},
	{"free", HEAP_FREE, 0},
	{"cfree", HEAP_FREE, 0},
	{"memalign", HEAP_MEMALIGN, 0},
	{"aligned_alloc", HEAP_MEMALIGN, 0},
	{"posix_memalign", HEAP_POSIX, 0},
	{"valloc", HEAP_MALLOC, 0},
	{"pvalloc", HEAP_MALLOC, 0},
	{"_malloc_r", HEAP_MALLOC, 1},
	{"_calloc_r", HEAP_CALLOC, 1},
	{"_realloc_r", HEAP_REALLOC, 1},
	{"_free_r", HEAP_FREE, 1},
	{"_memalign_r", HEAP_MEMALIGN, 1},
	{"malloc_usable_size", HEAP_INTERNAL, 0},
	{"mallinfo", HEAP_INTERNAL, 0},
	{"malloc_stats", HEAP_INTERNAL, 0},
	{"_malloc_usable_size_r", HEAP_INTERNAL, 0},
	{"_mallinfo_r", HEAP_INTERNAL, 0},
	{"_malloc_stats_r", HEAP_INTERNAL, 0},
	{"_malloc_trim_r", HEAP_INTERNAL, 0},
	{"_sbrk_r", HEAP_INTERNAL, 0},
	{"sbrk", HEAP_INTERNAL, 0},
	{"_sbrk", HEAP_INTERNAL, 0},
	{"pvPortMalloc", HEAP_MALLOC, 0},
	{"pvPortCalloc", HEAP_CALLOC, 0},
	{"vPortFree", HEAP_FREE, 0},
	{"tlsf_malloc", HEAP_MALLOC, 1},
	{"tlsf_free", HEAP_FREE, 1},
	/* new, new[], delete and delete[] of C++ */
	{"_Znwj", HEAP_MALLOC, 0},
	{"_Znwm", HEAP_MALLOC, 0},
	{"_Znaj", HEAP_MALLOC, 0},
	{"_Znam", HEAP_MALLOC, 0},
	{"_ZnwjRKSt9nothrow_t", HEAP_MALLOC, 0},
	{"_ZnwmRKSt9nothrow_t", HEAP_MALLOC, 0},
	{"_ZnajRKSt9nothrow_t", HEAP_MALLOC, 0},
	{"_ZnamRKSt9nothrow_t", HEAP_MALLOC, 0},
	{"_ZdlPv", HEAP_FREE, 0},
	{"_ZdaPv", HEAP_FREE, 0},
	{"_ZdlPvj", HEAP_FREE, 0},
	{"_ZdlPvm", HEAP_FREE, 0},
	{"_ZdaPvj", HEAP_FREE, 0},
	{"_ZdaPvm", HEAP_FREE, 0},
	{"memcpy", HEAP_MEMCPY, 0},
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* ---- Functions. ---- */

static void add_entry(struct heap *heap, const struct heap_entry *entry)
{
	if (heap->entry_count == ENTRIES_MAX)
		return;
	heap->entries[heap->entry_count++] = *entry;
	heap->filter[entry->pc / 2 / 64 % (ENTRY_FILTER / 64)] |= UINT64_C(1) << entry->pc / 2 % 64;
}

/* "free" and its clones, "free.part.0". Returns how many there are. */
static size_t add_named(
	struct heap *heap, const struct ear_names *names, const struct heap_entry *like)
{
	const struct ear_symbol *all;
	const size_t count = ear_names_symbols(names, &all), size = strlen(like->name);
	size_t added = 0;

	for (size_t i = 0; i < count; i++) {
		struct heap_entry entry = *like;
		const char rest =
			strncmp(all[i].linked, like->name, size) == 0 ? all[i].linked[size] : 'x';
		if (all[i].kind == EAR_NAMES_OBJECT || (rest != '\0' && rest != '.'))
			continue;
		entry.pc = all[i].address;
		/* Arguments of a clone may be others. */
		if (rest == '.' && strstr(all[i].linked, ".part.") == NULL)
			entry.kind = HEAP_INTERNAL;
		add_entry(heap, &entry);
		added++;
	}
	return added;
}

static const struct {
	const char *word;
	uint8_t kind;
} kinds[] = {
	{"malloc", HEAP_MALLOC},
	{"calloc", HEAP_CALLOC},
	{"realloc", HEAP_REALLOC},
	{"free", HEAP_FREE},
	{"memalign", HEAP_MEMALIGN},
	{"internal", HEAP_INTERNAL},
};

/* "pool_get=24", "my_alloc=malloc", "my_free=free:1". */
static bool add_option(struct heap *heap, const struct ear_names *names, const char *text)
{
	const char *kind = strchr(text, '=');
	struct heap_entry entry = {.kind = UINT8_MAX};
	char *end;

	if (!kind || kind == text)
		return false;
	const char *const number = strchr(++kind, ':');
	const size_t size = number ? (size_t)(number - kind) : strlen(kind);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].word) == size && strncmp(kinds[i].word, kind, size) == 0)
			entry.kind = kinds[i].kind;
	if (entry.kind == UINT8_MAX) {
		entry.fixed = strtoull(kind, &end, 0);
		entry.kind = HEAP_FIXED;
		if (*end != '\0' || entry.fixed == 0)
			return false;
	} else if (number) {
		if (number[1] < '0' || number[1] > '5' || number[2] != '\0')
			return false;
		entry.first = (uint8_t)(number[1] - '0');
	}
	char *name = strndup(text, (size_t)(kind - 1 - text));
	if (!name)
		return false;
	const struct ear_symbol *found;
	entry.name = name;
	entry.pool = true;
	const bool there = names && ear_names_symbols_named(names, name, &found, 1) > 0;
	if (there) {
		entry.name = found->linked;
		add_named(heap, names, &entry);
	}
	free(name);
	return there;
}

static void find_memmove(struct heap *heap, const struct ear_names *names)
{
	const struct ear_symbol *found;

	heap->move_first = 1;
	heap->move_last = 0;
	if (ear_names_symbols_named(names, "memmove", &found, 1) == 0)
		return;
	heap->move_first = found->address;
	heap->move_last = found->address + (found->size ? found->size - 1 : 0);
}

int ear_heap_begin(struct ear_memory_checker *checker, size_t *wrong)
{
	const struct ear_names *names = checker->options.names;
	struct heap *heap = &checker->heap;

	heap->first = UINT64_MAX;
	for (size_t i = 0; i < checker->options.allocator_count; i++) {
		if (add_option(heap, names, checker->options.allocators[i]))
			continue;
		if (wrong)
			*wrong = i;
		return EAR_E_BAD_ARGUMENT;
	}
	if (!names)
		return 0;
	find_memmove(heap, names);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct heap_entry like = {.name = functions[i].name,
			.kind = functions[i].kind,
			.first = functions[i].first};
		add_named(heap, names, &like);
	}
	for (uint32_t i = 0; i < heap->entry_count; i++)
		checker->facts.has_heap |= heap->entries[i].kind != HEAP_MEMCPY &&
					   heap->entries[i].kind != HEAP_INTERNAL;
	return 0;
}

/* ---- Blocks. ---- */

static uint32_t place_of(const struct heap *heap, uint64_t address)
{
	uint32_t at = (uint32_t)ear_hash_index(address, 2 * (size_t)heap->capacity);

	while (heap->places[at] && heap->blocks[heap->places[at] - 1].address != address)
		at = (at + 1) & (2 * heap->capacity - 1);
	return at;
}

static struct ear_memory_block *find_block(const struct heap *heap, uint64_t address)
{
	const uint32_t number = heap->count > 0 ? heap->places[place_of(heap, address)] : 0;

	return number > 0 ? &heap->blocks[number - 1] : NULL;
}

static bool grow(struct heap *heap)
{
	const uint32_t capacity = heap->capacity ? 2 * heap->capacity : 256;

	if (heap->count < heap->capacity)
		return true;
	void *blocks = realloc(heap->blocks, capacity * sizeof(*heap->blocks));
	if (blocks)
		heap->blocks = blocks;
	uint32_t *places = blocks ? calloc(2 * (size_t)capacity, sizeof(*places)) : NULL;
	if (!places)
		return false;
	free(heap->places);
	heap->places = places;
	heap->capacity = capacity;
	for (uint32_t i = 0; i < heap->count; i++)
		places[place_of(heap, heap->blocks[i].address)] = i + 1;
	return true;
}

/* NULL: there are too many, or memory is short. */
static struct ear_memory_block *make_block(struct ear_memory_checker *checker, uint64_t address)
{
	struct heap *heap = &checker->heap;
	struct ear_memory_block *block = find_block(heap, address);

	if (block)
		return block;
	if (heap->count == BLOCKS_MAX) {
		checker->facts.blocks_lost++;
		return NULL;
	}
	if (!grow(heap)) {
		checker->failed = true;
		return NULL;
	}
	heap->places[place_of(heap, address)] = ++heap->count;
	heap->blocks[heap->count - 1] = (struct ear_memory_block){.address = address};
	return &heap->blocks[heap->count - 1];
}

static uint64_t distance(const struct ear_memory_block *block, uint64_t address)
{
	if (address < block->address)
		return block->address - address;
	const uint64_t offset = address - block->address;
	return offset < block->bytes ? 0 : offset - block->bytes + 1;
}

const struct ear_memory_block *ear_heap_near(const struct heap *heap, uint64_t address)
{
	const struct ear_memory_block *best = NULL;
	uint64_t least = FENCE;

	for (uint32_t i = 0; i < heap->count; i++) {
		const struct ear_memory_block *block = &heap->blocks[i];
		const uint64_t away = distance(block, address);
		if (away > least ||
			(best && away == least &&
				(best->is_free < block->is_free ||
					(best->is_free == block->is_free &&
						best->allocated.number > block->allocated.number))))
			continue;
		best = block;
		least = away;
	}
	return best;
}

/* ---- Their shadow. ---- */

static bool is_live(struct ear_memory_checker *checker, uint64_t address)
{
	return ear_byte_shadow_get(&checker->shadow, SHADOW_LIVE, address, 1) != 0;
}

/* Bytes beside a block, up to the next live one, or to what has another symbol. */
static void bar_beside(struct ear_memory_checker *checker, uint64_t address, uint64_t end)
{
	uint64_t first = 0, last = UINT64_MAX;

	if (checker->options.names)
		ear_names_symbol_span(checker->options.names, address, &first, &last);
	for (uint64_t at = end; at < end + FENCE && at <= last && !is_live(checker, at); at++)
		ear_byte_shadow_set(&checker->shadow, SHADOW_BARRED, at, 1);
	for (uint64_t at = address; at > address - FENCE && at > first && !is_live(checker, at - 1);
		at--)
		ear_byte_shadow_set(&checker->shadow, SHADOW_BARRED, at - 1, 1);
}

/* Of the block only what is known to be written stays so: kept bytes. */
static void open_block(struct ear_memory_checker *checker, const struct ear_memory_block *block,
	uint64_t kept, bool pool)
{
	struct shadow *shadow = &checker->shadow;
	struct heap *heap = &checker->heap;

	ear_byte_shadow_set(shadow, SHADOW_LIVE, block->address, block->bytes);
	ear_byte_shadow_clear(shadow, SHADOW_BARRED, block->address, block->bytes);
	ear_byte_shadow_clear(shadow, SHADOW_LEFT, block->address, block->bytes);
	ear_byte_shadow_clear(shadow, SHADOW_TAKEN, block->address, block->bytes);
	if (block->bytes > kept)
		ear_byte_shadow_set(
			shadow, SHADOW_UNWRITTEN, block->address + kept, block->bytes - kept);
	if (pool)
		return;
	bar_beside(checker, block->address, block->address + block->bytes);
	if (block->address < heap->first)
		heap->first = block->address;
	if (heap->last < block->address + block->bytes)
		heap->last = block->address + block->bytes;
}

static void allocated(struct ear_memory_checker *checker, const struct heap_call *call,
	uint64_t address, uint64_t bytes, uint64_t kept)
{
	const struct heap_entry *entry = &checker->heap.entries[call->entry];

	checker->facts.allocations++;
	if (bytes > UINT32_MAX || address + bytes + FENCE < address || address < FENCE)
		return;
	struct ear_memory_block *block = make_block(checker, address);
	if (!block)
		return;
	const struct ear_memory_block before = *block;
	*block = (struct ear_memory_block){.address = address,
		.bytes = bytes,
		.function = entry->name,
		.allocated = {call->number, call->pc}};
	if (before.is_free) {
		block->before_allocated = before.allocated;
		block->before_freed = before.freed;
	}
	open_block(checker, block, kept, entry->pool);
}

/* ---- What is freed. ---- */

/* The address was never a block. Is that known? */
static bool is_none(
	struct ear_memory_checker *checker, const struct checker_hart *hart, uint64_t address)
{
	const struct ear_names *names = checker->options.names;
	const struct stack *stack = hart->stack == NONE ? NULL : &checker->stacks[hart->stack];
	const struct heap *heap = &checker->heap;
	uint64_t offset;

	if (checker->facts.blocks_lost > 0)
		return false;
	if (is_live(checker, address) || (stack && address >= hart->x[2] && address < stack->high))
		return true;
	const struct ear_symbol *symbol = ear_names_symbol_at(names, address, &offset);
	if (symbol && symbol->kind == EAR_NAMES_OBJECT && offset < symbol->size)
		return !(address >= heap->first && address < heap->last);
	return !checker->facts.late && checker->facts.gaps == 0;
}

static void blame_free(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct heap_call *call, const struct ear_memory_block *block, bool twice)
{
	struct ear_memory_error *error = ear_checker_blame(
		checker, twice ? EAR_MEMORY_DOUBLE_FREE : EAR_MEMORY_WRONG_FREE, hart, call->pc);

	if (!error)
		return;
	error->moment.number = call->number;
	error->address = call->arguments[0];
	error->has_block = block != NULL;
	if (block)
		error->block = *block;
}

static void freed(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct heap_call *call)
{
	const uint64_t address = call->arguments[0];
	struct ear_memory_block *block = find_block(&checker->heap, address);
	const struct heap_entry *entry = &checker->heap.entries[call->entry];

	if (address == 0)
		return;
	checker->facts.frees++;
	if (!block) {
		if (!entry->pool && is_none(checker, hart, address))
			blame_free(
				checker, hart, call, ear_heap_near(&checker->heap, address), false);
		return;
	}
	if (block->is_free) {
		blame_free(checker, hart, call, block, true);
		return;
	}
	block->is_free = true;
	block->freed = (struct ear_memory_moment){call->number, call->pc};
	ear_byte_shadow_set(&checker->shadow, SHADOW_BARRED, address, block->bytes);
	ear_byte_shadow_clear(&checker->shadow, SHADOW_LIVE, address, block->bytes);
}

/* ---- Accesses. ---- */

/* Code of the file that has the allocator may walk through its lists. Pools that an option names
 * are in the file of their users. */
static bool is_of_allocator(const struct ear_memory_checker *checker, uint64_t pc)
{
	const struct ear_names *names = checker->options.names;
	struct ear_line line = {.size = sizeof(line)}, other = {.size = sizeof(other)};

	if (!names || !ear_names_line_at(names, pc, &line))
		return false;
	for (uint32_t i = 0; i < checker->heap.entry_count; i++) {
		const struct heap_entry *entry = &checker->heap.entries[i];
		if ((entry->kind == HEAP_MALLOC || entry->kind == HEAP_FREE) && !entry->pool &&
			ear_names_line_at(names, entry->pc, &other) &&
			strcmp(line.path, other.path) == 0)
			return true;
	}
	return false;
}

void ear_heap_barred(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct checker_step *step, uint64_t barred)
{
	const uint64_t address = step->address + (unsigned)__builtin_ctzll(barred);
	const struct ear_memory_block *block = ear_heap_near(&checker->heap, address);

	if (!block || is_of_allocator(checker, step->pc))
		return;
	const bool is_in = address - block->address < block->bytes;
	struct ear_memory_error *error = ear_checker_blame(checker,
		is_in && block->is_free ? EAR_MEMORY_FREED : EAR_MEMORY_OUTSIDE, hart, step->pc);
	if (!error)
		return;
	error->write = step->write;
	error->size = step->size;
	error->address = step->address;
	error->has_block = true;
	error->block = *block;
}

/* ---- Calls. ---- */

static void reallocated(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct heap_call *call, uint64_t result)
{
	const uint64_t old = call->arguments[0], bytes = call->arguments[1];
	const struct ear_memory_block *block = old ? find_block(&checker->heap, old) : NULL;
	/* Of a block that was not seen all may be written. */
	uint64_t kept = old == 0 ? 0 : !block ? bytes : block->bytes;

	if (kept > bytes)
		kept = bytes;
	if (result == 0) {
		if (bytes == 0)
			freed(checker, hart, call);
		return;
	}
	if (old)
		freed(checker, hart, call);
	allocated(checker, call, result, bytes, kept);
}

static void returned(struct ear_memory_checker *checker, const struct checker_hart *hart,
	const struct heap_call *call)
{
	const struct heap_entry *entry = &checker->heap.entries[call->entry];
	const uint64_t *arguments = call->arguments, result = hart->x[10];

	if (!(hart->known >> 10 & 1))
		return;
	switch ((enum heap_kind)entry->kind) {
	case HEAP_REALLOC: reallocated(checker, hart, call, result); return;
	case HEAP_POSIX:
		if (result == 0 && call->stored)
			allocated(checker, call, call->stored, arguments[2], 0);
		return;
	case HEAP_FREE:
	case HEAP_INTERNAL:
	case HEAP_MEMCPY: return;
	default: break;
	}
	if (result == 0)
		return;
	switch ((enum heap_kind)entry->kind) {
	case HEAP_CALLOC:
		allocated(checker, call, result, arguments[0] * arguments[1],
			arguments[0] * arguments[1]);
		ear_byte_shadow_clear(&checker->shadow, SHADOW_UNWRITTEN, result,
			arguments[0] * arguments[1] & UINT32_MAX);
		return;
	case HEAP_MEMALIGN: allocated(checker, call, result, arguments[1], 0); return;
	case HEAP_FIXED: allocated(checker, call, result, entry->fixed, 0); return;
	default: allocated(checker, call, result, arguments[0], 0); return;
	}
}

static bool belongs(const struct heap_call *call, const struct checker_hart *hart)
{
	return call->stack == hart->stack && (call->stack != NONE || call->hart == hart->number);
}

void ear_heap_look(const struct ear_memory_checker *checker, struct checker_hart *hart)
{
	hart->in_heap = false;
	for (uint32_t i = 0; i < checker->heap.call_count; i++)
		hart->in_heap |= belongs(&checker->heap.calls[i], hart);
}

static void check_memcpy(struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc)
{
	const struct heap *heap = &checker->heap;
	const uint64_t to = hart->x[10], from = hart->x[11], bytes = hart->x[12];
	const uint64_t apart = to > from ? to - from : from - to;

	if ((hart->known >> 10 & 7) != 7 || !(hart->known >> 1 & 1) || apart == 0 ||
		apart >= bytes || pc == heap->move_first ||
		(hart->last_pc >= heap->move_first && hart->last_pc <= heap->move_last))
		return;
	struct ear_memory_error *error =
		ear_checker_blame(checker, EAR_MEMORY_OVERLAP, hart, hart->last_pc);
	if (!error)
		return;
	error->moment.number = hart->last_number;
	error->address = to;
	error->limit = from;
	error->bytes = bytes;
}

static void entered(
	struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc, uint8_t number)
{
	struct heap *heap = &checker->heap;
	const struct heap_entry *entry = &heap->entries[number];
	const unsigned first = 10u + entry->first;
	struct heap_call call = {
		.pc = hart->last_pc,
		.return_pc = hart->x[1],
		.sp = hart->x[2],
		.number = hart->last_number,
		.arguments = {hart->x[first], hart->x[first + 1], hart->x[first + 2]},
		.stack = hart->stack,
		.hart = hart->number,
		.entry = number,
	};

	if (hart->in_heap || (~hart->known & (1u << 1 | 1u << 2)))
		return;
	if (entry->kind == HEAP_MEMCPY) {
		check_memcpy(checker, hart, pc);
		return;
	}
	/* What its arguments are is not known, and so is what it does. */
	if (entry->kind != HEAP_FIXED && !(hart->known >> first & 1))
		call.entry = UINT8_MAX;
	if (entry->kind == HEAP_FREE && call.entry != UINT8_MAX)
		freed(checker, hart, &call);
	if (heap->call_count == CALLS_MAX)
		memmove(heap->calls, heap->calls + 1, --heap->call_count * sizeof(heap->calls[0]));
	heap->calls[heap->call_count++] = call;
	ear_heap_look(checker, hart);
}

/* A call that sp has left has not returned in order. */
static void leave(struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc)
{
	struct heap *heap = &checker->heap;

	for (uint32_t i = 0; i < heap->call_count; i++) {
		const struct heap_call call = heap->calls[i];
		const bool is_back = call.return_pc == pc && call.sp == hart->x[2];
		if ((!is_back && hart->x[2] <= call.sp) || !belongs(&call, hart))
			continue;
		heap->calls[i--] = heap->calls[--heap->call_count];
		if (is_back && call.entry != UINT8_MAX)
			returned(checker, hart, &call);
	}
	ear_heap_look(checker, hart);
}

void ear_heap_step(struct ear_memory_checker *checker, struct checker_hart *hart, uint64_t pc)
{
	struct heap *heap = &checker->heap;

	if (hart->in_heap)
		leave(checker, hart, pc);
	for (uint32_t i = 0; heap_wants(heap, pc) && i < heap->entry_count; i++) {
		if (heap->entries[i].pc != pc)
			continue;
		entered(checker, hart, pc, (uint8_t)i);
		return;
	}
}

void ear_heap_store(struct ear_memory_checker *checker, uint64_t address, uint64_t value)
{
	struct heap *heap = &checker->heap;

	for (uint32_t i = 0; i < heap->call_count; i++) {
		struct heap_call *call = &heap->calls[i];
		if (call->entry != UINT8_MAX && heap->entries[call->entry].kind == HEAP_POSIX &&
			call->arguments[0] == address)
			call->stored = value;
	}
}

void ear_heap_forget(struct ear_memory_checker *checker)
{
	struct heap *heap = &checker->heap;

	heap->call_count = heap->count = 0;
	if (heap->places)
		memset(heap->places, 0, 2 * (size_t)heap->capacity * sizeof(*heap->places));
	heap->first = UINT64_MAX;
	heap->last = 0;
}

void ear_heap_fini(struct heap *heap)
{
	free(heap->blocks);
	free(heap->places);
}
