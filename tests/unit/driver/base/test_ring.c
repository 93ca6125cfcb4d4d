/* The ring: at its limits, against a plain model, and between two threads. */
#include <earshot/error.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "driver/base/ring.h"

/* A value for each byte of a stream, so that a byte at the wrong place shows. */
static uint8_t byte_number(uint64_t number)
{
	return (uint8_t)((number * 0x9E3779B97F4A7C15u) >> 56);
}

static void fill(uint8_t *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_number(number + i);
}

static void check(const uint8_t *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != byte_number(number + i))
			fail_msg("byte %llu is wrong", (unsigned long long)(number + i));
}

static void size_is_the_next_power_of_two(void **state)
{
	static const struct {
		size_t wanted, got;
	} rows[] = {{1, 1}, {2, 2}, {3, 4}, {511, 512}, {512, 512}, {513, 1024}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ear_ring ring;

		assert_int_equal(ear_ring_init(&ring, rows[i].wanted), 0);
		assert_int_equal(ring.size, rows[i].got);
		assert_int_equal(ear_ring_room(&ring), rows[i].got);
		ear_ring_fini(&ring);
	}
}

static void an_impossible_size_is_out_of_memory(void **state)
{
	struct ear_ring ring;

	(void)state;
	assert_int_equal(ear_ring_init(&ring, SIZE_MAX), EAR_E_NO_MEMORY);
	assert_int_equal(ear_ring_init(&ring, SIZE_MAX / 2 + 2), EAR_E_NO_MEMORY);
}

static void an_empty_ring_gives_nothing(void **state)
{
	struct ear_ring ring;
	size_t size = 99;

	(void)state;
	assert_int_equal(ear_ring_init(&ring, 16), 0);
	ear_ring_peek(&ring, &size);
	assert_int_equal(size, 0);
	assert_int_equal(ear_ring_put(&ring), 0);
	assert_int_equal(ear_ring_taken(&ring), 0);
	ear_ring_fini(&ring);
}

static void a_full_ring_holds_its_whole_size_and_takes_no_more(void **state)
{
	struct ear_ring ring;
	uint8_t bytes[32];
	size_t size;

	(void)state;
	fill(bytes, 0, sizeof(bytes));
	assert_int_equal(ear_ring_init(&ring, 16), 0);
	assert_int_equal(ear_ring_push(&ring, bytes, sizeof(bytes)), 16);
	assert_int_equal(ear_ring_room(&ring), 0);
	assert_int_equal(ear_ring_push(&ring, bytes, 1), 0);
	check(ear_ring_peek(&ring, &size), 0, 16);
	assert_int_equal(size, 16);
	ear_ring_fini(&ring);
}

static void one_byte_left_takes_one_byte(void **state)
{
	struct ear_ring ring;
	uint8_t bytes[16];

	(void)state;
	fill(bytes, 0, sizeof(bytes));
	assert_int_equal(ear_ring_init(&ring, 16), 0);
	assert_int_equal(ear_ring_push(&ring, bytes, 15), 15);
	assert_int_equal(ear_ring_room(&ring), 1);
	assert_int_equal(ear_ring_push(&ring, bytes + 15, 1), 1);
	assert_int_equal(ear_ring_push(&ring, bytes, 1), 0);
	ear_ring_fini(&ring);
}

static void a_ring_of_one_byte_works(void **state)
{
	struct ear_ring ring;
	size_t size;

	(void)state;
	assert_int_equal(ear_ring_init(&ring, 1), 0);
	for (uint64_t i = 0; i < 100; i++) {
		uint8_t byte = byte_number(i);

		assert_int_equal(ear_ring_push(&ring, &byte, 1), 1);
		assert_int_equal(ear_ring_push(&ring, &byte, 1), 0);
		check(ear_ring_peek(&ring, &size), i, 1);
		assert_int_equal(size, 1);
		ear_ring_consume(&ring, 1);
	}
	ear_ring_fini(&ring);
}

/* For every place in the ring and every length: put in, and taken out in one or two chunks. */
static void bytes_wrap_around_at_every_place(void **state)
{
	enum { SIZE = 16 };

	(void)state;
	for (size_t place = 0; place < SIZE; place++) {
		for (size_t length = 1; length <= SIZE; length++) {
			struct ear_ring ring;
			uint8_t bytes[2 * SIZE];
			size_t size;
			size_t first = length < SIZE - place ? length : SIZE - place;

			assert_int_equal(ear_ring_init(&ring, SIZE), 0);
			assert_int_equal(ear_ring_push(&ring, bytes, place), place);
			ear_ring_peek(&ring, &size);
			ear_ring_consume(&ring, place);

			fill(bytes, 1000, length);
			assert_int_equal(ear_ring_push(&ring, bytes, length), length);
			check(ear_ring_peek(&ring, &size), 1000, first);
			assert_int_equal(size, first);
			ear_ring_consume(&ring, first);
			check(ear_ring_peek(&ring, &size), 1000 + first, length - first);
			assert_int_equal(size, length - first);
			ear_ring_fini(&ring);
		}
	}
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* The model is the stream itself: two counters and the number of each byte. */
static void a_random_run_agrees_with_the_model(void **state)
{
	(void)state;
	for (uint32_t run = 1; run <= 50; run++) {
		struct ear_ring ring;
		uint32_t seed = run * 2654435761u;
		size_t ring_size = (size_t)1 << next_random(&seed) % 11;
		uint64_t put = 0, taken = 0;
		uint8_t bytes[1500];

		assert_int_equal(ear_ring_init(&ring, ring_size), 0);
		for (unsigned step = 0; step < 2000; step++) {
			size_t size = next_random(&seed) % (ring_size + ring_size / 2 + 1);
			size_t room = ring_size - (size_t)(put - taken), length;
			const uint8_t *view;

			switch (next_random(&seed) % 2) {
			case 0:
				fill(bytes, put, size > 1500 ? 1500 : size);
				size = size > 1500 ? 1500 : size;
				length = ear_ring_push(&ring, bytes, size);
				assert_int_equal(length, size < room ? size : room);
				put += length;
				break;
			default:
				view = ear_ring_peek(&ring, &length);
				assert_true(length <= put - taken);
				assert_int_equal(length > 0, put > taken);
				check(view, taken, length);
				size = size < length ? size : length;
				ear_ring_consume(&ring, size);
				taken += size;
				break;
			}
			assert_int_equal(ear_ring_put(&ring), put);
			assert_int_equal(ear_ring_taken(&ring), taken);
			assert_int_equal(ear_ring_room(&ring), ring_size - (put - taken));
		}
		ear_ring_fini(&ring);
	}
}

#define THREAD_BYTES (24u << 20)

static void *produce(void *context)
{
	struct ear_ring *ring = context;
	uint8_t bytes[700];
	uint32_t seed = 12345;
	uint64_t put = 0;

	while (put < THREAD_BYTES) {
		size_t size = 1 + next_random(&seed) % sizeof(bytes), done;

		if (size > THREAD_BYTES - put)
			size = (size_t)(THREAD_BYTES - put);
		fill(bytes, put, size);
		for (size_t i = 0; i < size; i += done)
			if ((done = ear_ring_push(ring, bytes + i, size - i)) == 0)
				sched_yield();
		put += size;
	}
	return NULL;
}

/* Under ThreadSanitizer (-DEAR_SANITIZE=thread) this also proves that no byte is written by one
 * and read by the other without order.
 */
static void two_threads_exchange_a_stream_unchanged(void **state)
{
	struct ear_ring ring;
	pthread_t thread;
	uint32_t seed = 777;
	uint64_t taken = 0;

	(void)state;
	assert_int_equal(ear_ring_init(&ring, 4096), 0);
	assert_int_equal(pthread_create(&thread, NULL, produce, &ring), 0);
	while (taken < THREAD_BYTES) {
		size_t size;
		const uint8_t *view = ear_ring_peek(&ring, &size);

		if (size == 0) {
			sched_yield();
			continue;
		}
		if (size > 1)
			size -= next_random(&seed) % size;
		check(view, taken, size);
		ear_ring_consume(&ring, size);
		taken += size;
	}
	pthread_join(thread, NULL);
	assert_int_equal(ear_ring_put(&ring), THREAD_BYTES);
	ear_ring_fini(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_the_next_power_of_two),
		cmocka_unit_test(an_impossible_size_is_out_of_memory),
		cmocka_unit_test(an_empty_ring_gives_nothing),
		cmocka_unit_test(a_full_ring_holds_its_whole_size_and_takes_no_more),
		cmocka_unit_test(one_byte_left_takes_one_byte),
		cmocka_unit_test(a_ring_of_one_byte_works),
		cmocka_unit_test(bytes_wrap_around_at_every_place),
		cmocka_unit_test(a_random_run_agrees_with_the_model),
		cmocka_unit_test(two_threads_exchange_a_stream_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
