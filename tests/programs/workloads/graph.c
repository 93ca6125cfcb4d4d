/* Shortest paths in a graph: Dijkstra's algorithm with a heap against Bellman and Ford's. */
#include "support.h"

#define NODES 300
#define EDGES 5
#define FAR   0xffffffffu

struct edge {
	uint16_t to, length;
};

static struct edge edges[NODES][EDGES];
static uint32_t distance[NODES], slow[NODES];
static uint16_t heap[NODES], place[NODES];
static int heap_size;

static void put(int at, uint16_t node)
{
	heap[at] = node;
	place[node] = (uint16_t)at;
}

static void rise(int at)
{
	uint16_t node = heap[at];

	for (; at > 0 && distance[node] < distance[heap[(at - 1) / 2]]; at = (at - 1) / 2)
		put(at, heap[(at - 1) / 2]);
	put(at, node);
}

static uint16_t take_nearest(void)
{
	uint16_t nearest = heap[0], node = heap[--heap_size];
	int at = 0, child;

	while ((child = 2 * at + 1) < heap_size) {
		if (child + 1 < heap_size && distance[heap[child + 1]] < distance[heap[child]])
			child++;
		if (distance[node] <= distance[heap[child]])
			break;
		put(at, heap[child]);
		at = child;
	}
	put(at, node);
	return nearest;
}

static void dijkstra(int from)
{
	int i, k;

	for (i = 0; i < NODES; i++) {
		distance[i] = FAR;
		put(i, (uint16_t)i);
	}
	heap_size = NODES;
	distance[from] = 0;
	rise(place[from]);
	while (heap_size > 0 && distance[heap[0]] != FAR) {
		int node = take_nearest();

		for (k = 0; k < EDGES; k++) {
			const struct edge *edge = &edges[node][k];
			uint32_t length = distance[node] + edge->length;

			if (length < distance[edge->to]) {
				distance[edge->to] = length;
				rise(place[edge->to]);
			}
		}
	}
}

static void bellman_ford(int from)
{
	int i, k, changed = 1;

	for (i = 0; i < NODES; i++)
		slow[i] = i == from ? 0 : FAR;
	while (changed) {
		changed = 0;
		for (i = 0; i < NODES; i++) {
			for (k = 0; slow[i] != FAR && k < EDGES; k++) {
				uint32_t length = slow[i] + edges[i][k].length;

				if (length < slow[edges[i][k].to]) {
					slow[edges[i][k].to] = length;
					changed = 1;
				}
			}
		}
	}
}

int main(void)
{
	uint32_t state = 88;
	int round, i, k;

	for (round = 0; round < REPEAT; round++) {
		for (i = 0; i < NODES; i++) {
			for (k = 0; k < EDGES; k++) {
				edges[i][k].to = (uint16_t)(random_next(&state) % NODES);
				edges[i][k].length = (uint16_t)(1 + random_next(&state) % 1000);
			}
		}
		dijkstra(round % NODES);
		bellman_ford(round % NODES);
		for (i = 0; i < NODES; i++)
			CHECK(distance[i] == slow[i]);
	}
	return 0;
}
