/* The feed: bytes, losses and the end come out in the order in which they went in. */
#include <earshot/error.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "driver/base/clock.h"
#include "driver/session/feed.h"

#define PACKET 64

/* A packet is its number, eight times, so that a reader knows what is missing. */
static void fill_packet(uint8_t *bytes, uint64_t number)
{
	for (size_t i = 0; i < PACKET / 8; i++)
		memcpy(bytes + 8 * i, &number, 8);
}

static bool push_packet(struct ear_feed *feed, uint64_t number)
{
	uint8_t bytes[PACKET];

	fill_packet(bytes, number);
	return ear_feed_push(feed, bytes, PACKET);
}

static void expect_bytes(struct ear_feed *feed, size_t size)
{
	struct ear_feed_item item;

	assert_int_equal(ear_feed_next(feed, &item, 0), 0);
	assert_int_equal(item.kind, EAR_FEED_BYTES);
	assert_int_equal(item.size, size);
	ear_feed_consume(feed, size);
}

static void expect_loss(struct ear_feed *feed, uint64_t size)
{
	struct ear_feed_item item;

	assert_int_equal(ear_feed_next(feed, &item, 0), 0);
	assert_int_equal(item.kind, EAR_FEED_LOSS);
	assert_int_equal(item.loss_size, size);
}

static void expect_end(struct ear_feed *feed, enum ear_transport_reason reason)
{
	struct ear_feed_item item;

	assert_int_equal(ear_feed_next(feed, &item, 0), 0);
	assert_int_equal(item.kind, EAR_FEED_END);
	assert_int_equal(item.end->reason, reason);
}

static const struct ear_transport_end file_end = {.reason = EAR_TRANSPORT_END_OF_FILE};

static void nothing_in_time_is_a_timeout(void **state)
{
	struct ear_feed feed;
	struct ear_feed_item item;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 4 * PACKET, true), 0);
	uint64_t begin_ms = ear_clock_ms();
	assert_int_equal(ear_feed_next(&feed, &item, begin_ms + 30), EAR_E_TIMEOUT);
	assert_true(ear_clock_ms() >= begin_ms + 30);
	ear_feed_fini(&feed);
}

static void the_end_comes_after_all_bytes_and_stays(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 4 * PACKET, true), 0);
	assert_true(push_packet(&feed, 0));
	ear_feed_end(&feed, &file_end);
	expect_bytes(&feed, PACKET);
	expect_end(&feed, EAR_TRANSPORT_END_OF_FILE);
	expect_end(&feed, EAR_TRANSPORT_END_OF_FILE);
	ear_feed_fini(&feed);
}

static void a_loss_is_between_the_bytes_around_it(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 4 * PACKET, false), 0);
	for (uint64_t i = 0; i < 7; i++) /* 4 fit, 3 do not */
		assert_true(push_packet(&feed, i));
	expect_bytes(&feed, 4 * PACKET);
	assert_true(push_packet(&feed, 7));
	expect_loss(&feed, 3 * PACKET);
	expect_bytes(&feed, PACKET);
	assert_int_equal(feed.dropped, 3 * PACKET);
	assert_int_equal(feed.drop_count, 1);
	ear_feed_fini(&feed);
}

static void a_view_ends_where_bytes_are_missing(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 4 * PACKET, false), 0);
	for (uint64_t i = 0; i < 5; i++)
		push_packet(&feed, i);
	expect_bytes(&feed, 4 * PACKET);
	push_packet(&feed, 5);
	push_packet(&feed, 6);
	expect_loss(&feed, PACKET);
	expect_bytes(&feed, 2 * PACKET);

	/* the same with bytes before the gap that have not been consumed */
	for (uint64_t i = 7; i < 12; i++)
		push_packet(&feed, i);
	expect_bytes(&feed, 2 * PACKET); /* to where the ring wraps */
	push_packet(&feed, 12);
	expect_bytes(&feed, 2 * PACKET); /* and not the packet after the gap */
	expect_loss(&feed, PACKET);
	expect_bytes(&feed, PACKET);
	ear_feed_fini(&feed);
}

static void dropping_goes_on_until_half_the_ring_is_free(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 8 * PACKET, false), 0);
	for (uint64_t i = 0; i < 9; i++)
		push_packet(&feed, i);
	struct ear_feed_item item;
	assert_int_equal(ear_feed_next(&feed, &item, 0), 0);
	ear_feed_consume(&feed, 3 * PACKET);
	push_packet(&feed, 9); /* would fit, but only 3 of 8 are free */
	assert_int_equal(feed.dropped, 2 * PACKET);
	ear_feed_consume(&feed, 1 * PACKET);
	push_packet(&feed, 10);
	assert_int_equal(feed.dropped, 2 * PACKET);
	assert_int_equal(feed.drop_count, 1);
	expect_bytes(&feed, 4 * PACKET);
	expect_loss(&feed, 2 * PACKET);
	expect_bytes(&feed, PACKET);
	ear_feed_fini(&feed);
}

static void a_loss_at_the_very_end_is_reported_before_the_end(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 2 * PACKET, false), 0);
	for (uint64_t i = 0; i < 5; i++)
		push_packet(&feed, i);
	ear_feed_end(&feed, &file_end);
	expect_bytes(&feed, 2 * PACKET);
	expect_loss(&feed, 3 * PACKET);
	expect_end(&feed, EAR_TRANSPORT_END_OF_FILE);
	ear_feed_fini(&feed);
}

/* What a transport knows to be missing, without knowing how much. */
static void a_loss_on_the_way_is_reported_in_its_place(void **state)
{
	struct ear_feed feed;

	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		assert_int_equal(ear_feed_init(&feed, 8 * PACKET, waits), 0);
		ear_feed_lose(&feed); /* before the first byte */
		push_packet(&feed, 1);
		ear_feed_lose(&feed);
		ear_feed_lose(&feed); /* twice in one place is one */
		push_packet(&feed, 2);
		ear_feed_lose(&feed); /* and after the last */
		ear_feed_end(&feed, &file_end);
		expect_loss(&feed, 0);
		expect_bytes(&feed, PACKET);
		expect_loss(&feed, 0);
		expect_bytes(&feed, PACKET);
		expect_loss(&feed, 0);
		expect_end(&feed, EAR_TRANSPORT_END_OF_FILE);
		ear_feed_fini(&feed);
	}
}

static void a_loss_on_the_way_joins_bytes_that_are_dropped(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, PACKET, false), 0);
	push_packet(&feed, 1);
	push_packet(&feed, 2); /* no room */
	ear_feed_lose(&feed);
	ear_feed_end(&feed, &file_end);
	expect_bytes(&feed, PACKET);
	expect_loss(&feed, PACKET); /* at least */
	expect_end(&feed, EAR_TRANSPORT_END_OF_FILE);
	ear_feed_fini(&feed);
}

static void another_producer_continues_after_a_loss(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 8 * PACKET, true), 0);
	for (int i = 0; i < 3; i++) {
		push_packet(&feed, 1);
		ear_feed_end(&feed, &file_end);
		if (i > 0)
			expect_loss(&feed, 0);
		expect_bytes(&feed, PACKET);
		expect_end(&feed, EAR_TRANSPORT_END_OF_FILE);
		ear_feed_rearm(&feed);
	}
	struct ear_feed_item item;
	assert_int_equal(ear_feed_next(&feed, &item, 0), EAR_E_TIMEOUT);
	ear_feed_fini(&feed);
}

/* At the end of a capture nothing is dropped any more. */
static void a_dropping_producer_can_be_made_to_wait(void **state)
{
	struct ear_feed feed;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 2 * PACKET, false), 0);
	push_packet(&feed, 1);
	push_packet(&feed, 2);
	push_packet(&feed, 3); /* dropped */
	ear_feed_wait_when_full(&feed);
	expect_bytes(&feed, 2 * PACKET);
	assert_true(push_packet(&feed, 4));
	ear_feed_end(&feed, &file_end);
	expect_loss(&feed, PACKET);
	expect_bytes(&feed, PACKET);
	expect_end(&feed, EAR_TRANSPORT_END_OF_FILE);
	ear_feed_fini(&feed);
}

static void a_push_longer_than_the_ring_is_counted_to_the_byte(void **state)
{
	struct ear_feed feed;
	uint8_t bytes[5 * PACKET] = {0};

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 2 * PACKET, false), 0);
	assert_true(ear_feed_push(&feed, bytes, sizeof(bytes)));
	ear_feed_end(&feed, &file_end);
	expect_bytes(&feed, 2 * PACKET);
	expect_loss(&feed, 3 * PACKET);
	ear_feed_fini(&feed);
}

/* More gaps than there are notes: gaps grow together, and no byte is forgotten. */
static void without_room_for_a_note_the_gap_grows(void **state)
{
	struct ear_feed feed;
	struct ear_feed_item item;
	uint8_t bytes[64] = {0};
	uint64_t lost = 0, kept = 0, pushed = 0;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 64, false), 0);
	for (unsigned i = 0; i < 4 * EAR_FEED_LOSS_MAX; i++) {
		ear_feed_push(&feed, bytes, 1);  /* one byte in the ring .. */
		ear_feed_push(&feed, bytes, 64); /* .. and one push that cannot fit */
		pushed += 65;
	}
	ear_feed_end(&feed, &file_end);
	while (ear_feed_next(&feed, &item, 0) == 0 && item.kind != EAR_FEED_END) {
		if (item.kind == EAR_FEED_LOSS) {
			lost += item.loss_size;
			continue;
		}
		kept += item.size;
		ear_feed_consume(&feed, item.size);
	}
	assert_int_equal(kept + lost, pushed);
	assert_int_equal(lost, feed.dropped);
	assert_int_equal(feed.loss_head, EAR_FEED_LOSS_MAX);
	ear_feed_fini(&feed);
}

static void *push_forever(void *context)
{
	while (push_packet(context, 0))
		;
	return NULL;
}

static void cancel_wakes_a_producer_that_waits(void **state)
{
	struct ear_feed feed;
	pthread_t thread;

	(void)state;
	assert_int_equal(ear_feed_init(&feed, 2 * PACKET, true), 0);
	assert_int_equal(pthread_create(&thread, NULL, push_forever, &feed), 0);
	while (atomic_load(&feed.wait_count) == 0)
		ear_clock_sleep_ms(1);
	ear_feed_cancel(&feed);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(push_packet(&feed, 0));
	ear_feed_fini(&feed);
}

#define PACKET_COUNT 100000

static void *push_numbered(void *context)
{
	for (uint64_t i = 0; i < PACKET_COUNT; i++)
		push_packet(context, i);
	ear_feed_end(context, &file_end);
	return NULL;
}

/* Read all with a consumer of changing speed. Every packet is there, or in a loss at its place. */
static void run_threads(bool wait_when_full, uint64_t *lost_packets)
{
	struct ear_feed feed;
	struct ear_feed_item item;
	pthread_t thread;
	uint64_t expected = 0, lost = 0;
	uint8_t packet[PACKET], wanted[PACKET];
	size_t have = 0;

	assert_int_equal(ear_feed_init(&feed, 64 * PACKET, wait_when_full), 0);
	assert_int_equal(pthread_create(&thread, NULL, push_numbered, &feed), 0);
	for (unsigned step = 0;; step++) {
		assert_int_equal(ear_feed_next(&feed, &item, ear_clock_ms() + 20000), 0);
		if (item.kind == EAR_FEED_END)
			break;
		if (item.kind == EAR_FEED_LOSS) {
			assert_int_equal(have, 0);
			assert_int_equal(item.loss_size % PACKET, 0);
			lost += item.loss_size / PACKET;
			expected += item.loss_size / PACKET;
			continue;
		}
		size_t size = item.size < PACKET - have ? item.size : PACKET - have;
		if (step % 3 == 0 && size > 7)
			size = 7; /* consume in odd chunks as well */
		memcpy(packet + have, item.bytes, size);
		ear_feed_consume(&feed, size);
		have += size;
		if (have == PACKET) {
			fill_packet(wanted, expected++);
			assert_memory_equal(packet, wanted, PACKET);
			have = 0;
		}
		if (step % 5000 == 0)
			ear_clock_sleep_ms(1);
	}
	pthread_join(thread, NULL);
	assert_int_equal(expected, PACKET_COUNT);
	assert_int_equal(lost * PACKET, feed.dropped);
	*lost_packets = lost;
	ear_feed_fini(&feed);
}

static void a_waiting_producer_loses_nothing(void **state)
{
	uint64_t lost;

	(void)state;
	run_threads(true, &lost);
	assert_int_equal(lost, 0);
}

static void a_dropping_producer_reports_every_byte_in_its_place(void **state)
{
	uint64_t lost;

	(void)state;
	run_threads(false, &lost);
	assert_true(lost > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_in_time_is_a_timeout),
		cmocka_unit_test(the_end_comes_after_all_bytes_and_stays),
		cmocka_unit_test(a_loss_is_between_the_bytes_around_it),
		cmocka_unit_test(a_view_ends_where_bytes_are_missing),
		cmocka_unit_test(dropping_goes_on_until_half_the_ring_is_free),
		cmocka_unit_test(a_loss_at_the_very_end_is_reported_before_the_end),
		cmocka_unit_test(a_loss_on_the_way_is_reported_in_its_place),
		cmocka_unit_test(a_loss_on_the_way_joins_bytes_that_are_dropped),
		cmocka_unit_test(another_producer_continues_after_a_loss),
		cmocka_unit_test(a_dropping_producer_can_be_made_to_wait),
		cmocka_unit_test(a_push_longer_than_the_ring_is_counted_to_the_byte),
		cmocka_unit_test(without_room_for_a_note_the_gap_grows),
		cmocka_unit_test(cancel_wakes_a_producer_that_waits),
		cmocka_unit_test(a_waiting_producer_loses_nothing),
		cmocka_unit_test(a_dropping_producer_reports_every_byte_in_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
