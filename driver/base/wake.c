/* Sleeping with a lock-free way past it: a flag that says whether anybody sleeps, and a condition
 * variable that is touched only if somebody does. Why no wake-up is missed is in wake.h.
 */
#include "driver/base/wake.h"

#include <earshot/error.h>
#include <time.h>

int ear_wake_init(struct ear_wake *wake)
{
	pthread_condattr_t attributes;

	atomic_init(&wake->asleep, false);
	if (pthread_condattr_init(&attributes))
		return EAR_E_NO_MEMORY;
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	int error = pthread_cond_init(&wake->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	if (error)
		return EAR_E_NO_MEMORY;
	if (pthread_mutex_init(&wake->mutex, NULL)) {
		pthread_cond_destroy(&wake->cond);
		return EAR_E_NO_MEMORY;
	}
	return 0;
}

void ear_wake_fini(struct ear_wake *wake)
{
	pthread_mutex_destroy(&wake->mutex);
	pthread_cond_destroy(&wake->cond);
}

/* Always an exchange, never a plain store: only then does each later exchange synchronise with all
 * earlier ones (C11 5.1.2.4, release sequences).
 */
static bool set_asleep(struct ear_wake *wake, bool asleep)
{
	return atomic_exchange_explicit(&wake->asleep, asleep, memory_order_acq_rel);
}

void ear_wake_prepare(struct ear_wake *wake)
{
	set_asleep(wake, true);
}

void ear_wake_cancel(struct ear_wake *wake)
{
	set_asleep(wake, false);
}

void ear_wake_sleep(struct ear_wake *wake, uint64_t deadline_ms)
{
	struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ms / 1000),
		.tv_nsec = (long)(deadline_ms % 1000) * 1000000,
	};

	pthread_mutex_lock(&wake->mutex);
	while (atomic_load_explicit(&wake->asleep, memory_order_acquire))
		if (pthread_cond_timedwait(&wake->cond, &wake->mutex, &deadline))
			break;
	pthread_mutex_unlock(&wake->mutex);
	set_asleep(wake, false);
}

/* asleep becomes false before the mutex is taken. A sleeper that has read the old value already
 * holds the mutex until it waits, and so cannot miss the signal.
 */
void ear_wake_up(struct ear_wake *wake)
{
	if (!set_asleep(wake, false))
		return;
	pthread_mutex_lock(&wake->mutex);
	pthread_cond_signal(&wake->cond);
	pthread_mutex_unlock(&wake->mutex);
}
