/* Batches that one thread fills ahead of the one that takes them: library/parallel/batch_queue.h
 *
 * No test waits for a time. Where one thread must be asleep, the other one looks until it is: what
 * is never woken then hangs, and the test with it.
 */
#include "check.h"

#include <earshot/error.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "library/parallel/batch_queue.h"
#include "random.h"

#define COUNT_MAX 32

/* Batch n holds the number n; the last one also ends the queue. */
struct batches {
	struct ear_batch_queue queue;
	uint64_t numbers[COUNT_MAX];
	uint64_t last; /* UINT64_MAX: never */
	int result, error_number;
	_Atomic bool slow;   /* a batch is filled while the caller sleeps */
	uint64_t yield_once; /* in so many batches; 0: never */
	struct random random;
	_Atomic uint64_t filled;
};

static bool sees(struct ear_batch_queue *queue, const bool *flag)
{
	pthread_mutex_lock(&queue->mutex);
	bool value = *flag;
	pthread_mutex_unlock(&queue->mutex);
	return value;
}

static void wait_until_asleep(struct ear_batch_queue *queue)
{
	while (!sees(queue, &queue->thread_sleeps))
		sched_yield();
}

static int fill(void *context, unsigned at)
{
	struct batches *batches = context;
	const uint64_t number = batches->filled;

	while (batches->slow && !sees(&batches->queue, &batches->queue.caller_sleeps))
		sched_yield();
	if (batches->yield_once > 0 && random_once_in(&batches->random, batches->yield_once))
		sched_yield();
	batches->numbers[at] = number;
	batches->filled = number + 1;
	if (number < batches->last)
		return 1;
	errno = batches->error_number;
	return batches->result;
}

static void start(struct batches *batches, unsigned count)
{
	assert_int_equal(ear_batch_queue_start(&batches->queue, count, fill, batches), 0);
}

/* Take batches first .. end - 1. */
static void take(struct batches *batches, uint64_t first, uint64_t end)
{
	for (uint64_t number = first; number < end; number++) {
		unsigned at = COUNT_MAX;
		assert_int_equal(ear_batch_queue_next(&batches->queue, &at), 1);
		assert_int_equal(at, number % batches->queue.count);
		assert_int_equal(batches->numbers[at], number);
	}
}

static void batches_come_in_order_each_once(void **state)
{
	struct random random = {21};

	(void)state;
	for (unsigned count = 4; count <= COUNT_MAX; count += count / 3) {
		for (uint64_t yield_once = 0; yield_once < 40; yield_once += 13) {
			struct batches batches = {
				.last = UINT64_MAX, .yield_once = yield_once, .random = {22}};
			start(&batches, count);
			for (uint64_t number = 0; number < 3000; number++) {
				if (random_once_in(&random, 41 - yield_once))
					sched_yield();
				take(&batches, number, number + 1);
			}
			ear_batch_queue_stop(&batches.queue);
		}
	}
}

/* The thread fills the others, sleeps, and continues when half of them are given back. */
static void the_batch_that_the_caller_holds_is_not_filled(void **state)
{
	(void)state;
	for (unsigned count = 4; count <= COUNT_MAX; count *= 2) {
		struct batches batches = {.last = UINT64_MAX};
		start(&batches, count);
		for (uint64_t round = 0; round < 20; round++) {
			const uint64_t first = round * count;
			take(&batches, first, first + 1);
			wait_until_asleep(&batches.queue);
			assert_in_range(
				batches.filled, round == 0 ? count : first + 1, first + count);
			assert_int_equal(batches.numbers[0], first);
			take(&batches, first + 1, first + count);
		}
		ear_batch_queue_stop(&batches.queue);
	}
}

static void a_caller_that_sleeps_is_woken(void **state)
{
	(void)state;
	for (unsigned count = 4; count <= COUNT_MAX; count *= 2) {
		struct batches batches = {.last = UINT64_MAX, .slow = true};
		start(&batches, count);
		take(&batches, 0, 100);
		batches.slow = false;
		ear_batch_queue_stop(&batches.queue);
	}
}

/* However many batches are filled by then, and whether the caller waits for one or not. */
static void what_ends_it_comes_after_the_last_batch_and_stays(void **state)
{
	static const struct {
		int result, error_number;
	} ends[] = {{0, 0}, {EAR_E_IO, ENOSPC}, {EAR_E_NO_MEMORY, 0}};

	(void)state;
	for (unsigned i = 0; i < 2 * COUNT_OF(ends); i++) {
		for (uint64_t last = 0; last < 2 * 8 + 3; last++) {
			struct batches batches = {.last = last,
				.result = ends[i / 2].result,
				.error_number = ends[i / 2].error_number,
				.slow = i % 2 && last < 2};
			unsigned at = COUNT_MAX;
			start(&batches, 8);
			take(&batches, 0, last + 1);
			for (int again = 0; again < 3; again++) {
				errno = EINTR;
				assert_int_equal(
					ear_batch_queue_next(&batches.queue, &at), batches.result);
				assert_int_equal(errno, batches.error_number);
			}
			assert_int_equal(at, COUNT_MAX);
			assert_int_equal(batches.filled, last + 1);
			ear_batch_queue_stop(&batches.queue);
		}
	}
}

static void it_may_be_stopped_anywhere(void **state)
{
	(void)state;
	for (uint64_t taken = 0; taken < 12; taken++) {
		for (int asleep = 0; asleep < 2; asleep++) {
			struct batches batches = {.last = UINT64_MAX};
			start(&batches, 4);
			take(&batches, 0, taken);
			if (asleep)
				wait_until_asleep(&batches.queue);
			ear_batch_queue_stop(&batches.queue);
			assert_in_range(batches.filled, taken, taken + 4);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_come_in_order_each_once),
		cmocka_unit_test(the_batch_that_the_caller_holds_is_not_filled),
		cmocka_unit_test(a_caller_that_sleeps_is_woken),
		cmocka_unit_test(what_ends_it_comes_after_the_last_batch_and_stays),
		cmocka_unit_test(it_may_be_stopped_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
