/* Sleeping and waking: no wake-up is missed, none is invented, and a deadline ends a sleep. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

#include "driver/base/clock.h"
#include "driver/base/wake.h"

#define LONG_MS 20000 /* longer than any machine takes; a sleep that ends by it has failed */
#define ROUNDS  20000

static struct ear_wake wake;

static int set_up(void **state)
{
	(void)state;
	return ear_wake_init(&wake);
}

static int tear_down(void **state)
{
	(void)state;
	ear_wake_fini(&wake);
	return 0;
}

/* Sleep for this long at most. Returns how long it took. */
static uint64_t sleep_for(unsigned duration_ms)
{
	uint64_t begin_ms = ear_clock_ms();

	ear_wake_sleep(&wake, begin_ms + duration_ms);
	return ear_clock_ms() - begin_ms;
}

static void a_sleep_ends_at_its_deadline(void **state)
{
	(void)state;
	ear_wake_prepare(&wake);
	assert_at_least(sleep_for(40), 40u);
	ear_wake_prepare(&wake);
	assert_below(sleep_for(0), (unsigned)LONG_MS);
	assert_false(atomic_load(&wake.asleep));
}

static void a_wake_up_after_prepare_ends_the_sleep_before_it_begins(void **state)
{
	(void)state;
	ear_wake_prepare(&wake);
	ear_wake_up(&wake);
	assert_below(sleep_for(LONG_MS), (unsigned)LONG_MS);
}

/* Only what comes after prepare counts: the condition is looked at after it. */
static void a_wake_up_before_prepare_is_forgotten(void **state)
{
	(void)state;
	ear_wake_up(&wake);
	ear_wake_prepare(&wake);
	assert_at_least(sleep_for(40), 40u);
}

static void a_cancelled_sleep_leaves_nothing_behind(void **state)
{
	(void)state;
	ear_wake_prepare(&wake);
	ear_wake_cancel(&wake);
	assert_false(atomic_load(&wake.asleep));
	ear_wake_up(&wake);
	ear_wake_prepare(&wake);
	assert_at_least(sleep_for(40), 40u);
}

/* -- Two threads -- */

static struct ear_wake left, right;
static atomic_uint left_turn, right_turn;

/* The loop that wake.h shows. Returns false if it took until the deadline. */
static bool wait_for(struct ear_wake *own, atomic_uint *turn, unsigned round)
{
	uint64_t deadline_ms = ear_clock_ms() + LONG_MS;

	while (atomic_load_explicit(turn, memory_order_acquire) < round) {
		if (ear_clock_ms() >= deadline_ms)
			return false;
		ear_wake_prepare(own);
		if (atomic_load_explicit(turn, memory_order_acquire) >= round) {
			ear_wake_cancel(own);
			break;
		}
		ear_wake_sleep(own, deadline_ms);
	}
	return true;
}

static void *answer(void *context)
{
	unsigned *answered = context;

	for (unsigned round = 1; round <= ROUNDS; round++) {
		if (!wait_for(&right, &right_turn, round))
			return NULL;
		*answered = round;
		atomic_store_explicit(&left_turn, round, memory_order_release);
		ear_wake_up(&left);
	}
	return NULL;
}

/* Each side waits for the other in every round, so a single wake-up that is missed shows as a
 * sleep until the deadline.
 */
static void two_threads_that_wait_for_each_other_miss_no_wake_up(void **state)
{
	pthread_t thread;
	unsigned answered = 0, round = 1;

	(void)state;
	assert_int_equal(ear_wake_init(&left), 0);
	assert_int_equal(ear_wake_init(&right), 0);
	assert_int_equal(pthread_create(&thread, NULL, answer, &answered), 0);
	for (bool good = true; good && round <= ROUNDS; round++) {
		atomic_store_explicit(&right_turn, round, memory_order_release);
		ear_wake_up(&right);
		good = wait_for(&left, &left_turn, round);
	}
	pthread_join(thread, NULL);
	assert_int_equal(answered, ROUNDS);
	assert_int_equal(round, ROUNDS + 1);
	ear_wake_fini(&left);
	ear_wake_fini(&right);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_sleep_ends_at_its_deadline, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_wake_up_after_prepare_ends_the_sleep_before_it_begins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_wake_up_before_prepare_is_forgotten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_cancelled_sleep_leaves_nothing_behind, set_up, tear_down),
		cmocka_unit_test(two_threads_that_wait_for_each_other_miss_no_wake_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
