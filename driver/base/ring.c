/* A ring for one producer and one consumer on two counters that only grow. head - tail is the fill,
 * so full and empty differ without a spare byte, and a position is a counter modulo the size, which
 * a power of two makes a mask. The invariants that the memory orders keep are in ring.h.
 */
#include "driver/base/ring.h"

#include <assert.h>
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

int ear_ring_init(struct ear_ring *ring, size_t size_min)
{
	size_t size = 1;

	assert(size_min >= 1);
	while (size < size_min) {
		if (size > SIZE_MAX / 2)
			return EAR_E_NO_MEMORY;
		size *= 2;
	}

	uint8_t *bytes = malloc(size);
	if (!bytes)
		return EAR_E_NO_MEMORY;

	memset(ring, 0, sizeof(*ring));
	ring->bytes = bytes;
	ring->size = size;
	atomic_init(&ring->head, 0);
	atomic_init(&ring->tail, 0);
	return 0;
}

void ear_ring_fini(struct ear_ring *ring)
{
	free(ring->bytes);
	ring->bytes = NULL;
}

/* Room by the producer's copy of tail. The copy is renewed if it says that there is too little. */
static size_t room_for(struct ear_ring *ring, size_t wanted)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	size_t room = ring->size - (size_t)(head - ring->tail_seen);

	if (room < wanted) {
		ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
		room = ring->size - (size_t)(head - ring->tail_seen);
	}
	assert(room <= ring->size);
	return room;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t ear_ring_room(struct ear_ring *ring)
{
	return room_for(ring, ring->size);
}

size_t ear_ring_push(struct ear_ring *ring, const uint8_t *bytes, size_t size)
{
	uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
	size_t index = (size_t)head & (ring->size - 1);
	size_t total = least(size, room_for(ring, size));
	size_t first = least(total, ring->size - index);

	if (total == 0)
		return 0;
	memcpy(ring->bytes + index, bytes, first);
	memcpy(ring->bytes, bytes + first, total - first);
	atomic_store_explicit(&ring->head, head + total, memory_order_release);
	return total;
}

const uint8_t *ear_ring_peek(struct ear_ring *ring, size_t *size)
{
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	size_t index = (size_t)tail & (ring->size - 1);

	/* A long view is worth a fresh copy: a consumer peeks far less often than a producer
	 * pushes. */
	ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
	assert(ring->head_seen - tail <= ring->size);
	*size = least((size_t)(ring->head_seen - tail), ring->size - index);
	return ring->bytes + index;
}

void ear_ring_consume(struct ear_ring *ring, size_t size)
{
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

	assert(size <= ring->head_seen - tail);
	atomic_store_explicit(&ring->tail, tail + size, memory_order_release);
}

uint64_t ear_ring_put(const struct ear_ring *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_acquire);
}

uint64_t ear_ring_taken(const struct ear_ring *ring)
{
	return atomic_load_explicit(&ring->tail, memory_order_acquire);
}
