/* Huffman coding: frequencies, the tree by a heap, codes, bits, and back through the tree. */
#include "support.h"

#define SIZE    4096
#define SYMBOLS 64
#define NODES   (2 * SYMBOLS)

struct node {
	uint32_t weight;
	int16_t left, right; /* -1: a symbol */
};

static struct node nodes[NODES];
static int16_t heap[NODES];
static int heap_size;
static uint8_t text[SIZE], bits[SIZE];
static uint32_t codes[SYMBOLS];
static uint8_t lengths[SYMBOLS];

static int lighter(int x, int y)
{
	return nodes[x].weight < nodes[y].weight || (nodes[x].weight == nodes[y].weight && x < y);
}

static void push(int node)
{
	int at = heap_size++;

	for (; at > 0 && lighter(node, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = (int16_t)node;
}

static int pop(void)
{
	int least = heap[0], node = heap[--heap_size], at = 0, child;

	while ((child = 2 * at + 1) < heap_size) {
		if (child + 1 < heap_size && lighter(heap[child + 1], heap[child]))
			child++;
		if (!lighter(heap[child], node))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = (int16_t)node;
	return least;
}

static int build(void)
{
	int i, count = SYMBOLS;

	heap_size = 0;
	for (i = 0; i < SYMBOLS; i++) {
		nodes[i].left = nodes[i].right = -1;
		push(i);
	}
	while (heap_size > 1) {
		int x = pop(), y = pop();

		nodes[count].weight = nodes[x].weight + nodes[y].weight;
		nodes[count].left = (int16_t)x;
		nodes[count].right = (int16_t)y;
		push(count++);
	}
	return heap[0];
}

static void assign(int node, uint32_t code, uint8_t length)
{
	if (nodes[node].left < 0) {
		codes[node] = code;
		lengths[node] = length;
		return;
	}
	assign(nodes[node].left, code << 1, (uint8_t)(length + 1));
	assign(nodes[node].right, code << 1 | 1, (uint8_t)(length + 1));
}

static uint32_t encode(void)
{
	uint32_t at = 0;
	int i, k;

	for (i = 0; i < SIZE; i++)
		bits[i] = 0;
	for (i = 0; i < SIZE; i++) {
		for (k = lengths[text[i]] - 1; k >= 0; k--, at++) {
			CHECK(at < 8 * SIZE);
			bits[at / 8] |= (uint8_t)((codes[text[i]] >> k & 1) << at % 8);
		}
	}
	return at;
}

static void check(int root, uint32_t count)
{
	uint32_t at = 0;
	int i;

	for (i = 0; i < SIZE; i++) {
		int node = root;

		while (nodes[node].left >= 0) {
			node = bits[at / 8] >> at % 8 & 1 ? nodes[node].right : nodes[node].left;
			at++;
		}
		CHECK(node == text[i]);
	}
	CHECK(at == count);
}

int main(void)
{
	uint32_t state = 17;
	int round, i, root;

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < SYMBOLS; i++)
			nodes[i].weight = 0;
		for (i = 0; i < SIZE; i++) {
			uint32_t x = random_next(&state);

			text[i] = (uint8_t)((x & x >> 8 & x >> 16) % SYMBOLS);
			nodes[text[i]].weight++;
		}
		root = build();
		assign(root, 0, 0);
		CHECK(nodes[root].weight == SIZE);
		check(root, encode());
	}
	return 0;
}
