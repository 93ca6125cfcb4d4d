#include "analyses/timeline/timeline_heap.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/base/numbering.h"

#define A0 10u
#define A1 11u

static void add_function(struct timeline_heap *heap, uint64_t entry, uint8_t kind)
{
	heap->functions[heap->function_count++] = (struct timeline_heap_function){entry, kind};
	heap->filter[entry >> 7 & 3] |= UINT64_C(1) << (entry >> 1 & 63);
}

bool timeline_heap_find(struct timeline_heap *heap, const struct ear_names *names)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} known[] = {{"malloc", TIMELINE_HEAP_MALLOC}, {"calloc", TIMELINE_HEAP_CALLOC},
		{"realloc", TIMELINE_HEAP_REALLOC}, {"free", TIMELINE_HEAP_FREE}};
	const struct ear_symbol *found[4];

	for (size_t i = 0; names && i < sizeof(known) / sizeof(known[0]); i++) {
		size_t count = ear_names_symbols_named(names, known[i].name, found, 4);
		for (size_t j = 0; j < count && j < 4; j++)
			if (found[j]->kind == EAR_NAMES_FUNCTION)
				add_function(heap, found[j]->address, known[i].kind);
	}
	return heap->function_count > 0;
}

bool timeline_heap_like(struct timeline_heap *heap, const struct timeline_heap *other)
{
	memcpy(heap->functions, other->functions, sizeof(heap->functions));
	memcpy(heap->filter, other->filter, sizeof(heap->filter));
	heap->function_count = other->function_count;
	return heap->function_count > 0;
}

void timeline_heap_fini(struct timeline_heap *heap)
{
	free(heap->blocks);
	*heap = (struct timeline_heap){0};
}

bool timeline_heap_is_function(const struct timeline_heap *heap, uint64_t entry)
{
	for (unsigned i = 0; i < heap->function_count; i++)
		if (heap->functions[i].entry == entry)
			return true;
	return false;
}

/* ---- Registers. ---- */

static void take_record(struct timeline_heap_registers *registers, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_X || (reg->number != A0 && reg->number != A1))
			continue;
		registers->value[reg->number - A0] = reg->value;
		registers->known[reg->number - A0] = true;
	}
}

void timeline_heap_registers(struct timeline_heap_registers *registers,
	const struct ear_batch *batch, size_t first, size_t count)
{
	if (!batch->run) {
		if (count > 0)
			take_record(registers, batch->record);
		return;
	}
	for (size_t i = first; i < first + count; i++) {
		const uint8_t rd = batch->compacts[i].rd;
		if (rd != A0 && rd != A1)
			continue;
		registers->value[rd - A0] = batch->compacts[i].result;
		registers->known[rd - A0] = true;
	}
}

/* ---- Blocks. ---- */

/* The place of a block: its own, or a free one. */
static struct timeline_heap_block *find_block(const struct timeline_heap *heap, uint64_t address)
{
	const uint32_t mask = heap->block_size - 1;
	uint32_t at = ear_numbering_hash(address, 0) & mask;

	while (heap->blocks[at].used && heap->blocks[at].address != address)
		at = (at + 1) & mask;
	return &heap->blocks[at];
}

/* A table for those that are in use, half empty. */
static bool make_room(struct timeline_heap *heap)
{
	struct timeline_heap old = *heap;
	uint32_t live = 0;

	if (2 * (heap->block_count + 1) <= heap->block_size)
		return true;
	for (uint32_t i = 0; i < old.block_size; i++)
		live += old.blocks[i].used && old.blocks[i].address != 0;
	if (live >= TIMELINE_HEAP_BLOCKS)
		return false;
	heap->block_size = 1024;
	while (heap->block_size < 4 * (live + 1))
		heap->block_size *= 2;
	heap->blocks = calloc(heap->block_size, sizeof(*heap->blocks));
	if (!heap->blocks) {
		*heap = old;
		heap->failed = EAR_E_NO_MEMORY;
		return false;
	}
	heap->block_count = live;
	for (uint32_t i = 0; i < old.block_size; i++)
		if (old.blocks[i].used && old.blocks[i].address != 0)
			*find_block(heap, old.blocks[i].address) = old.blocks[i];
	free(old.blocks);
	return true;
}

static void release(struct timeline_heap *heap, uint64_t address)
{
	if (address == 0 || heap->block_size == 0)
		return;
	struct timeline_heap_block *block = find_block(heap, address);
	if (!block->used)
		return;
	heap->in_use -= block->size;
	block->address = 0;
	block->size = 0;
}

static void allocate(struct timeline_heap *heap, uint64_t address, uint64_t size)
{
	/* What is there again was freed without a call that was seen. */
	release(heap, address);
	if (address == 0 || !make_room(heap))
		return;
	struct timeline_heap_block *block = find_block(heap, address);
	*block = (struct timeline_heap_block){address, size, true};
	heap->block_count++;
	heap->in_use += size;
}

/* ---- Calls. ---- */

void timeline_heap_enter(const struct timeline_heap *heap, struct timeline_heap_call *call,
	const struct timeline_heap_registers *registers, uint64_t entry, uint32_t mark)
{
	if (call->kind != TIMELINE_HEAP_NONE)
		return;
	for (unsigned i = 0; i < heap->function_count; i++) {
		if (heap->functions[i].entry != entry)
			continue;
		call->kind = heap->functions[i].kind;
		call->mark = mark;
		const uint64_t a0 = registers->value[0], a1 = registers->value[1];
		const bool one =
			call->kind == TIMELINE_HEAP_MALLOC || call->kind == TIMELINE_HEAP_FREE;
		call->known = registers->known[0] && (one || registers->known[1]);
		call->address = a0;
		call->size = call->kind == TIMELINE_HEAP_CALLOC    ? a0 * a1
			     : call->kind == TIMELINE_HEAP_REALLOC ? a1
								   : a0;
		return;
	}
}

bool timeline_heap_leave(struct timeline_heap *heap, struct timeline_heap_call *call,
	const struct timeline_heap_registers *registers)
{
	const struct timeline_heap_call own = *call;
	const uint64_t result = registers->value[0];

	call->kind = TIMELINE_HEAP_NONE;
	if (!own.known || !registers->known[0])
		return false;
	if (own.kind == TIMELINE_HEAP_FREE) {
		release(heap, own.address);
	} else {
		if (own.kind == TIMELINE_HEAP_REALLOC && result != 0)
			release(heap, own.address);
		allocate(heap, result, own.size);
	}
	return true;
}
