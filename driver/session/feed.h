#ifndef EAR_FEED_H
#define EAR_FEED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/base/ring.h"
#include "driver/base/wake.h"
#include "driver/link/transport.h"

/* Where the transport's thread and the consumer meet: bytes, losses and the end, in order.
 *
 * The bytes go through the lock-free ring. A loss is a note beside it: "at byte number P of the
 * ring, N bytes are missing". The producer publishes a note before the first byte that follows
 * it, so a consumer that sees a byte has seen the note before.
 *
 * When bytes do not fit, the producer either waits or drops. Waiting: it sleeps until there is
 * room. Dropping: the chunk is dropped whole (a transport hands over whole packets, so frames stay
 * whole), and so is all that follows until half of the ring is free again: one gap is better than
 * hundreds.
 */

#define EAR_FEED_LOSS_MAX \
	16 /* notes that may wait for the consumer; without room, dropping continues */

struct ear_feed_loss {
	uint64_t position; /* bytes put into the ring before */
	uint64_t size;     /* bytes dropped; 0: an unknown number was lost before the feed */
};

struct ear_feed {
	struct ear_ring ring;
	atomic_bool wait_when_full;
	struct ear_wake readable, writable;
	atomic_bool cancelled;

	/* A small ring of its own, as ring.h: the producer writes loss_head, the consumer
	 * loss_tail. */
	struct ear_feed_loss losses[EAR_FEED_LOSS_MAX];
	atomic_uint loss_head, loss_tail;

	bool loss_pending;  /* producer: a loss that is not yet in a note */
	uint64_t loss_open; /* of that, bytes dropped here */

	/* Written once by the producer, before ended. */
	struct ear_transport_end end;
	bool loss_pending_at_end;
	uint64_t loss_at_end;
	atomic_bool ended;
	bool loss_at_end_reported; /* consumer */

	/* Counters: one writer each, any reader. */
	_Atomic uint64_t dropped, drop_count, wait_count;
	atomic_size_t fill_max;
};

enum ear_feed_kind { EAR_FEED_BYTES, EAR_FEED_LOSS, EAR_FEED_END };

/* Members that have a meaning, by kind: BYTES bytes, size; LOSS loss_size; END end. */
struct ear_feed_item {
	enum ear_feed_kind kind;
	const uint8_t *bytes; /* in the ring, until consumed */
	size_t size;
	uint64_t loss_size;
	const struct ear_transport_end *end;
};

/* Returns 0, or EAR_E_NO_MEMORY. */
int ear_feed_init(struct ear_feed *feed, size_t ring_size, bool wait_when_full);
void ear_feed_fini(struct ear_feed *feed);

/* Producer: bytes[0 .. size-1] came. Returns false once the feed is cancelled; bytes that were not
 * in the ring by then are dropped. A struct ear_transport_sink with this, ear_feed_end,
 * ear_feed_lose and the feed as its context connects a transport.
 */
bool ear_feed_push(void *feed, const uint8_t *bytes, size_t size);

/* Producer: an unknown number of bytes was lost before what is pushed next. */
void ear_feed_lose(void *feed);

/* Producer: the stream has ended. The last call. */
void ear_feed_end(void *feed, const struct ear_transport_end *end);

/* Consumer, after EAR_FEED_END and when the producer's thread has ended: accept another producer,
 * also after ear_feed_cancel. What it pushes follows after a loss of unknown size. Counters
 * continue.
 */
void ear_feed_rearm(struct ear_feed *feed);

/* Consumer: the next item, in order. A loss is given once, bytes until they are consumed, the end
 * at every call. Returns 0, or EAR_E_TIMEOUT if there is nothing until deadline_ms of ear_clock_ms.
 */
int ear_feed_next(struct ear_feed *feed, struct ear_feed_item *item, uint64_t deadline_ms);

/* Consumer: free the first size bytes of the last item. */
void ear_feed_consume(struct ear_feed *feed, size_t size);

/* From now on the producer waits instead of dropping: the end of a capture must not be dropped. Any
 * thread.
 */
void ear_feed_wait_when_full(struct ear_feed *feed);

/* Nobody wants more: a waiting push returns false, and so does every later one. Any thread. */
void ear_feed_cancel(struct ear_feed *feed);

#endif
