/* kind: double free in a pool
 * first: double free: the program ended with exit code
 * options: --allocator take=24 --allocator give=free
 * says: double-free: .* is freed, which is free
 * A block is given back twice, so two owners get it.
 */
#include <string.h>

#include "support.h"

struct block {
	struct block *next;
	unsigned char data[20];
};
static struct block blocks[5], *unused;

__attribute__((noinline)) static struct block *take(void)
{
	struct block *block = unused;

	unused = block->next;
	return block;
}

__attribute__((noinline)) static void give(struct block *block)
{
	block->next = unused;
	unused = block;
}

__attribute__((noinline)) static int send(struct block *block, int linked)
{
	if (linked)
		return 0;
	give(block);
	return -1;
}

__attribute__((noinline)) static void transmit(int linked)
{
	struct block *block = take();

	memset(block->data, 0x55, sizeof(block->data));
	send(block, linked);
	give(block); /* BUG: send gave it back, if it failed */
}

int main(void)
{
	for (int i = 0; i < 5; i++)
		give(&blocks[i]);
	transmit(1);
	transmit(0);
	struct block *a = take(), *b = take();
	memset(a->data, 1, sizeof(a->data));
	memset(b->data, 2, sizeof(b->data));
	CHECK(a->data[3] == 1);
	return 0;
}
