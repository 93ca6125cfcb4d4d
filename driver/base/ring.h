#ifndef EAR_RING_H
#define EAR_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes from one thread to another, without locks and without waiting.
 *
 *                tail            head
 *                 v               v
 *     +-----------+---------------+-----------+
 *     |   free    |  to be read   |   free    |      size = 2^n bytes
 *     +-----------+---------------+-----------+
 *                  consumer ->     producer ->
 *
 * head counts all bytes ever put in, tail all bytes ever taken out. Byte number i is at
 * bytes[i mod size]. Both counters have 64 bits and never wrap in practice.
 *
 * Invariants, at every moment and for every observer:
 *   1. tail <= head <= tail + size. Empty: tail = head. Full: head = tail + size. The two differ
 *      without a spare byte.
 *   2. Only the producer writes head, and the bytes tail + size > i >= head.
 *      Only the consumer writes tail; it reads the bytes head > i >= tail.
 *      So no byte is ever written by one side while the other reads it.
 *   3. The producer stores head with *release* after it has written the bytes; the consumer
 *      loads head with *acquire* before it reads them. The same holds for tail in the other
 *      direction: bytes become free only after the consumer has read them.
 *   4. Each side keeps a copy of the other's counter and loads the real one only if the copy
 *      shows too little. The counters only grow, so a copy is never too optimistic. This saves
 *      moving a cache line for every push.
 *
 * Exactly one thread is the producer and exactly one is the consumer. The ring never sleeps; to
 * wait until something changes, use wake.h or feed.h.
 */
struct ear_ring {
	uint8_t *bytes;
	size_t size; /* a power of two */

	char apart_head[64]; /* one cache line for each side */
	_Atomic uint64_t head;
	uint64_t tail_seen; /* the producer's copy of tail */

	char apart_tail[64];
	_Atomic uint64_t tail;
	uint64_t head_seen; /* the consumer's copy of head */
};

/* Make an empty ring of at least size_min bytes (>= 1): the next power of two.
 * Returns 0, or EAR_E_NO_MEMORY. To be ended with ear_ring_fini.
 */
int ear_ring_init(struct ear_ring *ring, size_t size_min);

/* Free the ring's bytes. Neither side uses it any more. */
void ear_ring_fini(struct ear_ring *ring);

/* Producer: how many bytes could be pushed now. The number only grows until the next push. */
size_t ear_ring_room(struct ear_ring *ring);

/* Producer: put in as many of bytes[0 .. size-1] as there is room for.
 * Returns how many, 0 .. size.
 */
size_t ear_ring_push(struct ear_ring *ring, const uint8_t *bytes, size_t size);

/* Consumer: the oldest bytes, in place. Returns them, and in *size how many there are without a
 * gap; 0 if the ring is empty. They stay until ear_ring_consume. The view ends where the ring
 * wraps; the next peek after a consume gives the rest.
 */
const uint8_t *ear_ring_peek(struct ear_ring *ring, size_t *size);

/* Consumer: free the oldest size bytes, at most as many as the last peek gave. */
void ear_ring_consume(struct ear_ring *ring, size_t size);

/* All bytes ever put in and taken out. Any thread; each number is exact for the thread that writes
 * it. If both are needed, load taken first: then put - taken is never negative.
 */
uint64_t ear_ring_put(const struct ear_ring *ring);
uint64_t ear_ring_taken(const struct ear_ring *ring);

#endif
