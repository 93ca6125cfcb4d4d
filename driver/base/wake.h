#ifndef EAR_WAKE_H
#define EAR_WAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One thread sleeps until another reports a change. A waker pays a single atomic exchange when
 * nobody sleeps, so a lock-free path may call ear_wake_up after every step.
 *
 *   sleeper                               waker
 *   while (!condition) {                  make the condition true
 *           ear_wake_prepare(wake);       ear_wake_up(wake);
 *           if (condition) {
 *                   ear_wake_cancel(wake);
 *                   break;
 *           }
 *           ear_wake_sleep(wake, deadline_ms);
 *   }
 *
 * No wake-up is missed. prepare and wake_up both exchange the same atomic. If the waker's
 * exchange comes first, prepare reads what it (or a later exchange) wrote, so the second look
 * sees the condition. If prepare comes first, the waker reads "asleep" and signals.
 *
 * At most one thread sleeps at a time; any number may wake.
 */
struct ear_wake {
	atomic_bool asleep;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
};

/* Returns 0, or EAR_E_NO_MEMORY. */
int ear_wake_init(struct ear_wake *wake);
void ear_wake_fini(struct ear_wake *wake);

/* Sleeper: from now on a wake-up ends the sleep, even one that comes before it begins. */
void ear_wake_prepare(struct ear_wake *wake);

/* Sleeper: after prepare, do not sleep after all. */
void ear_wake_cancel(struct ear_wake *wake);

/* Sleeper: after prepare, sleep until woken or until deadline_ms of ear_clock_ms. */
void ear_wake_sleep(struct ear_wake *wake, uint64_t deadline_ms);

/* Waker: something has changed. */
void ear_wake_up(struct ear_wake *wake);

#endif
