#ifndef EAR_ANALYSES_TIMELINE_HEAP_H
#define EAR_ANALYSES_TIMELINE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/names.h>
#include <earshot/trace.h>

/* How many bytes of a heap are in use, by calls of malloc, calloc, realloc and free, which are
 * found by their names, and a0, a1 when they begin and end. A function that jumps to one of them,
 * as a tail call does, is such a call from there on.
 *
 *     timeline_heap_find(&heap, names)
 *     timeline_heap_registers(&registers, batch, first, count)     of the hart, before
 *     timeline_heap_enter(&heap, &call, &registers, entry)         of the stack
 *     if (timeline_heap_leave(&heap, &call, &registers)) ... heap.in_use
 */
#define TIMELINE_HEAP_FUNCTIONS 16u
#define TIMELINE_HEAP_BLOCKS    (1u << 20) /* of more the sizes are not known */

enum timeline_heap_kind {
	TIMELINE_HEAP_NONE,
	TIMELINE_HEAP_MALLOC,
	TIMELINE_HEAP_CALLOC,
	TIMELINE_HEAP_REALLOC,
	TIMELINE_HEAP_FREE,
};

struct timeline_heap_function {
	uint64_t entry;
	uint8_t kind; /* enum timeline_heap_kind */
};

struct timeline_heap_block {
	uint64_t address, size;
	bool used; /* it was ever: address 0 is one that is free again */
};

struct timeline_heap {
	struct timeline_heap_function functions[TIMELINE_HEAP_FUNCTIONS];
	unsigned function_count;
	uint64_t filter[4]; /* by bits of where they begin: others are none of them */
	struct timeline_heap_block *blocks;
	uint32_t block_count, block_size; /* those that were ever used; a power of two */
	uint64_t in_use;                  /* bytes */
	int failed;                       /* EAR_E_NO_MEMORY */
};

/* a0 and a1 of a hart. */
struct timeline_heap_registers {
	uint64_t value[2];
	bool known[2];
	bool forgotten; /* there was a gap: those that are not known are not those from before */
};

/* A call that lasts. What it calls itself does not count. */
struct timeline_heap_call {
	uint8_t kind; /* NONE: there is none */
	bool known;   /* its arguments */
	uint32_t mark;
	uint64_t size, address;
};

/* Are there such functions? */
bool timeline_heap_find(struct timeline_heap *heap, const struct ear_names *names);
/* The functions are those of another heap. */
bool timeline_heap_like(struct timeline_heap *heap, const struct timeline_heap *other);
void timeline_heap_fini(struct timeline_heap *heap);
/* Does one of them begin there? The first is quick, and may say so of another place. */
static inline bool timeline_heap_may_be_function(const struct timeline_heap *heap, uint64_t pc)
{
	return heap->filter[pc >> 7 & 3] >> (pc >> 1 & 63) & 1;
}
bool timeline_heap_is_function(const struct timeline_heap *heap, uint64_t entry);

void timeline_heap_registers(struct timeline_heap_registers *registers,
	const struct ear_batch *batch, size_t first, size_t count);

/* Who called, or jumped, is in the frame of the mark now. Nothing if a call lasts. */
void timeline_heap_enter(const struct timeline_heap *heap, struct timeline_heap_call *call,
	const struct timeline_heap_registers *registers, uint64_t entry, uint32_t mark);
/* The call has returned. True if in_use may be another one now. */
bool timeline_heap_leave(struct timeline_heap *heap, struct timeline_heap_call *call,
	const struct timeline_heap_registers *registers);

#endif
