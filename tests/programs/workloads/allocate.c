/* A heap: first fit with splitting and joining, under a random load. Every block is filled and
 * checked, and at the end the heap must be one block again. */
#include "support.h"

#define HEAP_SIZE 32768
#define HANDLES   128

struct block {
	uint32_t size; /* of all, with this header */
	uint32_t used;
};

static union {
	struct block first;
	uint8_t bytes[HEAP_SIZE];
} heap __attribute__((aligned(16)));

static struct {
	uint8_t *at;
	uint32_t size;
	uint8_t mark;
} handles[HANDLES];

static struct block *next(struct block *block)
{
	return (struct block *)((uint8_t *)block + block->size);
}

static int is_end(const struct block *block)
{
	return (const uint8_t *)block == heap.bytes + HEAP_SIZE;
}

static void join(struct block *block)
{
	while (!is_end(next(block)) && !next(block)->used)
		block->size += next(block)->size;
}

static uint8_t *allocate(uint32_t size)
{
	struct block *block;

	size = (size + (uint32_t)sizeof(*block) + 15) & ~15u;
	for (block = &heap.first; !is_end(block); block = next(block)) {
		if (block->used)
			continue;
		join(block);
		if (block->size < size)
			continue;
		if (block->size - size >= 32) {
			struct block *rest = (struct block *)((uint8_t *)block + size);

			rest->size = block->size - size;
			rest->used = 0;
			block->size = size;
		}
		block->used = 1;
		return (uint8_t *)(block + 1);
	}
	return 0;
}

static void release(uint8_t *at)
{
	((struct block *)at - 1)->used = 0;
}

static void check_and_release(int k)
{
	uint32_t i;

	for (i = 0; i < handles[k].size; i++)
		CHECK(handles[k].at[i] == handles[k].mark);
	release(handles[k].at);
	handles[k].at = 0;
}

int main(void)
{
	uint32_t state = 8, full = 0, i;
	int step, k;

	heap.first.size = HEAP_SIZE;
	for (step = 0; step < 1500 * REPEAT; step++) {
		k = (int)(random_next(&state) % HANDLES);
		if (handles[k].at) {
			check_and_release(k);
			continue;
		}
		handles[k].size = 8 + random_next(&state) % (random_next(&state) % 4 ? 64 : 900);
		handles[k].mark = (uint8_t)random_next(&state);
		handles[k].at = allocate(handles[k].size);
		if (!handles[k].at)
			full++;
		for (i = 0; handles[k].at && i < handles[k].size; i++)
			handles[k].at[i] = handles[k].mark;
	}
	for (k = 0; k < HANDLES; k++)
		if (handles[k].at)
			check_and_release(k);
	CHECK(allocate(HEAP_SIZE - 64) != 0);
	CHECK(full < (uint32_t)step / 4);
	return 0;
}
