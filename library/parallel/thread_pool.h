#ifndef EAR_THREAD_POOL_H
#define EAR_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* Threads that work on numbered slots, whose results are taken in the order in which the work
 * was given. The caller's thread works too, when it would have to wait.
 *
 *   caller:   fill a slot -> submit -> ... -> wait: the oldest slot is done -> use it -> release
 *   threads:           work(slot), in any order, one thread a slot
 *
 * A slot belongs to the caller until it is submitted, to a thread until wait returned it, then to
 * the caller again. Slots are a ring, so memory is bounded by what slot_count of them hold.
 */
struct ear_thread_pool;

/* Work on a slot. thread is 0 .. jobs-1, for what each thread has of its own; 0 is the caller's. */
typedef void ear_thread_pool_work(void *context, size_t slot, unsigned thread);

/* jobs: threads that work, the caller's included, >= 1. slot_count >= 1.
 * Returns 0 and *pool, to be freed, or EAR_E_NO_MEMORY.
 */
int ear_thread_pool_new(struct ear_thread_pool **pool, unsigned jobs, size_t slot_count,
	ear_thread_pool_work *work, void *context);

/* Waits for what is being worked on; what nobody has begun stays undone. NULL is fine. */
void ear_thread_pool_free(struct ear_thread_pool *pool);

/* The slot to be filled and submitted next. Returns false if all are in use. */
bool ear_thread_pool_free_slot(const struct ear_thread_pool *pool, size_t *slot);
void ear_thread_pool_submit(struct ear_thread_pool *pool);

/* The oldest slot that was submitted and not released, when it is done. Returns false if there is
 * none. */
bool ear_thread_pool_wait(struct ear_thread_pool *pool, size_t *slot);
void ear_thread_pool_release(struct ear_thread_pool *pool);

#endif
