/* The meeting point of two threads: a ring of bytes, a ring of losses, and two sleepers. Every path
 * that carries bytes is lock-free; the mutexes in struct ear_wake are taken only when a side has
 * nothing to do. The order of the loads in look() is what keeps a loss before the bytes after it.
 */
#include "driver/session/feed.h"

#include <assert.h>
#include <earshot/error.h>
#include <string.h>

#include "driver/base/clock.h"

int ear_feed_init(struct ear_feed *feed, size_t ring_size, bool wait_when_full)
{
	int error;

	memset(feed, 0, sizeof(*feed));
	atomic_init(&feed->wait_when_full, wait_when_full);
	error = ear_wake_init(&feed->readable);
	if (error)
		return error;
	error = ear_wake_init(&feed->writable);
	if (error)
		goto out_fini_readable;
	error = ear_ring_init(&feed->ring, ring_size);
	if (error)
		goto out_fini_writable;
	return 0;

out_fini_writable:
	ear_wake_fini(&feed->writable);
out_fini_readable:
	ear_wake_fini(&feed->readable);
	return error;
}

void ear_feed_fini(struct ear_feed *feed)
{
	ear_ring_fini(&feed->ring);
	ear_wake_fini(&feed->writable);
	ear_wake_fini(&feed->readable);
}

static bool is_cancelled(struct ear_feed *feed)
{
	return atomic_load_explicit(&feed->cancelled, memory_order_acquire);
}

/* For counters with one writer: an addition that is not atomic, of a value that is. */
static void count(_Atomic uint64_t *counter, uint64_t more)
{
	uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, value + more, memory_order_relaxed);
}

static void note_fill(struct ear_feed *feed)
{
	size_t fill = (size_t)(ear_ring_put(&feed->ring) - ear_ring_taken(&feed->ring));

	if (fill > atomic_load_explicit(&feed->fill_max, memory_order_relaxed))
		atomic_store_explicit(&feed->fill_max, fill, memory_order_relaxed);
}

static void wait_for_room(struct ear_feed *feed)
{
	count(&feed->wait_count, 1);
	while (ear_ring_room(&feed->ring) == 0 && !is_cancelled(feed)) {
		ear_wake_prepare(&feed->writable);
		if (ear_ring_room(&feed->ring) > 0 || is_cancelled(feed)) {
			ear_wake_cancel(&feed->writable);
			return;
		}
		ear_wake_sleep(&feed->writable, ear_clock_ms() + 1000);
	}
}

static bool has_note_room(struct ear_feed *feed)
{
	unsigned head = atomic_load_explicit(&feed->loss_head, memory_order_relaxed);
	unsigned tail = atomic_load_explicit(&feed->loss_tail, memory_order_acquire);

	return head - tail < EAR_FEED_LOSS_MAX;
}

/* Write the pending loss as a note before the bytes that are pushed next. Returns false if there is
 * no room for a note.
 */
static bool close_loss(struct ear_feed *feed)
{
	unsigned head = atomic_load_explicit(&feed->loss_head, memory_order_relaxed);

	if (!has_note_room(feed))
		return false;
	feed->losses[head % EAR_FEED_LOSS_MAX] = (struct ear_feed_loss){
		.position = ear_ring_put(&feed->ring),
		.size = feed->loss_open,
	};
	feed->loss_open = 0;
	feed->loss_pending = false;
	atomic_store_explicit(&feed->loss_head, head + 1, memory_order_release);
	return true;
}

/* Sleep until the note of the loss is written. */
static void wait_for_note(struct ear_feed *feed)
{
	while (!close_loss(feed) && !is_cancelled(feed)) {
		ear_wake_prepare(&feed->writable);
		if (has_note_room(feed) || is_cancelled(feed))
			ear_wake_cancel(&feed->writable);
		else
			ear_wake_sleep(&feed->writable, ear_clock_ms() + 1000);
	}
}

static void push_waiting(struct ear_feed *feed, const uint8_t *bytes, size_t size)
{
	if (feed->loss_pending)
		wait_for_note(feed);
	while (size > 0 && !is_cancelled(feed)) {
		size_t pushed = ear_ring_push(&feed->ring, bytes, size);

		bytes += pushed;
		size -= pushed;
		if (pushed > 0) {
			note_fill(feed);
			ear_wake_up(&feed->readable);
		}
		if (size > 0)
			wait_for_room(feed);
	}
}

static void drop(struct ear_feed *feed, size_t size)
{
	if (feed->loss_open == 0)
		count(&feed->drop_count, 1);
	feed->loss_open += size;
	feed->loss_pending = true;
	count(&feed->dropped, size);
}

/* One chunk, not longer than the ring: whole or not at all. */
static void push_or_drop(struct ear_feed *feed, const uint8_t *bytes, size_t size)
{
	size_t room = ear_ring_room(&feed->ring);

	if (feed->loss_open > 0 && room < feed->ring.size / 2)
		return drop(feed, size);
	if (room < size || (feed->loss_pending && !close_loss(feed)))
		return drop(feed, size);

	size_t pushed = ear_ring_push(&feed->ring, bytes, size);
	assert(pushed == size);
	(void)pushed;
	note_fill(feed);
	ear_wake_up(&feed->readable);
}

bool ear_feed_push(void *context, const uint8_t *bytes, size_t size)
{
	struct ear_feed *feed = context;

	if (atomic_load_explicit(&feed->wait_when_full, memory_order_relaxed)) {
		push_waiting(feed, bytes, size);
		return !is_cancelled(feed);
	}
	while (size > 0 && !is_cancelled(feed)) {
		size_t chunk = size < feed->ring.size ? size : feed->ring.size;

		push_or_drop(feed, bytes, chunk);
		bytes += chunk;
		size -= chunk;
	}
	return !is_cancelled(feed);
}

void ear_feed_lose(void *context)
{
	struct ear_feed *feed = context;

	feed->loss_pending = true;
}

void ear_feed_end(void *context, const struct ear_transport_end *end)
{
	struct ear_feed *feed = context;

	feed->end = *end;
	feed->loss_pending_at_end = feed->loss_pending;
	feed->loss_at_end = feed->loss_open;
	atomic_store_explicit(&feed->ended, true, memory_order_release);
	ear_wake_up(&feed->readable);
}

/* What the consumer would get now, without sleeping: 0, or EAR_E_MORE for nothing yet.
 *
 * The order of the loads matters. ended before the bytes: once it is set no bytes follow, so
 * "ended, then empty" is final. The bytes before the notes: a note was published before the bytes
 * that follow it, so no byte after a gap is seen without its note.
 */
static int look(struct ear_feed *feed, struct ear_feed_item *item)
{
	bool ended = atomic_load_explicit(&feed->ended, memory_order_acquire);
	size_t size;
	const uint8_t *bytes = ear_ring_peek(&feed->ring, &size);
	unsigned loss_tail = atomic_load_explicit(&feed->loss_tail, memory_order_relaxed);

	if (atomic_load_explicit(&feed->loss_head, memory_order_acquire) != loss_tail) {
		struct ear_feed_loss *loss = &feed->losses[loss_tail % EAR_FEED_LOSS_MAX];
		uint64_t before = loss->position - ear_ring_taken(&feed->ring);

		if (before == 0) {
			*item = (struct ear_feed_item){
				.kind = EAR_FEED_LOSS, .loss_size = loss->size};
			atomic_store_explicit(
				&feed->loss_tail, loss_tail + 1, memory_order_release);
			ear_wake_up(&feed->writable);
			return 0;
		}
		if (size > before)
			size = (size_t)before;
	}
	if (size > 0) {
		*item = (struct ear_feed_item){
			.kind = EAR_FEED_BYTES, .bytes = bytes, .size = size};
		return 0;
	}
	if (!ended)
		return EAR_E_MORE;
	if (feed->loss_pending_at_end && !feed->loss_at_end_reported) {
		feed->loss_at_end_reported = true;
		*item = (struct ear_feed_item){
			.kind = EAR_FEED_LOSS, .loss_size = feed->loss_at_end};
		return 0;
	}
	*item = (struct ear_feed_item){.kind = EAR_FEED_END, .end = &feed->end};
	return 0;
}

void ear_feed_rearm(struct ear_feed *feed)
{
	feed->loss_open = 0;
	feed->loss_pending = true;
	feed->loss_at_end_reported = false;
	atomic_store_explicit(&feed->cancelled, false, memory_order_release);
	atomic_store_explicit(&feed->ended, false, memory_order_release);
}

int ear_feed_next(struct ear_feed *feed, struct ear_feed_item *item, uint64_t deadline_ms)
{
	for (;;) {
		if (look(feed, item) == 0)
			return 0;
		if (ear_clock_ms() >= deadline_ms)
			return EAR_E_TIMEOUT;
		ear_wake_prepare(&feed->readable);
		if (look(feed, item) == 0) {
			ear_wake_cancel(&feed->readable);
			return 0;
		}
		ear_wake_sleep(&feed->readable, deadline_ms);
	}
}

void ear_feed_consume(struct ear_feed *feed, size_t size)
{
	ear_ring_consume(&feed->ring, size);
	ear_wake_up(&feed->writable);
}

void ear_feed_wait_when_full(struct ear_feed *feed)
{
	atomic_store_explicit(&feed->wait_when_full, true, memory_order_relaxed);
}

void ear_feed_cancel(struct ear_feed *feed)
{
	atomic_store_explicit(&feed->cancelled, true, memory_order_release);
	ear_wake_up(&feed->writable);
}
