/* A ring of slots, worked on by threads in any order and taken back in the order of submission.
 *
 * One mutex guards three counters; the work itself is done without it. The caller works too when
 * it would have to wait, so with one job there is no thread at all, and no special case for it.
 */
#include "library/parallel/thread_pool.h"

#include <assert.h>
#include <earshot/error.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Slots are counted from the beginning, never wrapping; slot number i % slot_count holds it.
 *
 *     released <= submitted,   released <= begun <= submitted
 *
 * Those from released on are in use; those below begun were taken by a thread.
 */
struct ear_thread_pool {
	ear_thread_pool_work *work;
	void *context;
	size_t slot_count;
	unsigned jobs, started;

	pthread_mutex_t mutex;
	pthread_cond_t given; /* there is work, or stop */
	pthread_cond_t done_cond;
	uint64_t released, begun, submitted;
	bool stop;
	bool *done; /* by slot */

	struct ear_thread_pool_thread *threads;
};

struct ear_thread_pool_thread {
	struct ear_thread_pool *pool;
	unsigned number;
	pthread_t id;
};

/* With the mutex held: take the oldest slot that nobody works on, and work without the mutex. */
static void work_on_one(struct ear_thread_pool *pool, unsigned thread)
{
	size_t slot = (size_t)(pool->begun++ % pool->slot_count);

	pthread_mutex_unlock(&pool->mutex);
	pool->work(pool->context, slot, thread);
	pthread_mutex_lock(&pool->mutex);
	pool->done[slot] = true;
	pthread_cond_signal(&pool->done_cond);
}

static void *run_thread(void *argument)
{
	struct ear_thread_pool_thread *thread = argument;
	struct ear_thread_pool *pool = thread->pool;

	pthread_mutex_lock(&pool->mutex);
	while (!pool->stop) {
		if (pool->begun < pool->submitted)
			work_on_one(pool, thread->number);
		else
			pthread_cond_wait(&pool->given, &pool->mutex);
	}
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

/* Fewer threads than asked for are not an error: the caller works in any case. */
static void start_threads(struct ear_thread_pool *pool)
{
	for (unsigned i = 1; i < pool->jobs; i++) {
		struct ear_thread_pool_thread *thread = &pool->threads[pool->started];
		*thread =
			(struct ear_thread_pool_thread){.pool = pool, .number = pool->started + 1};
		if (pthread_create(&thread->id, NULL, run_thread, thread) != 0)
			return;
		pool->started++;
	}
}

int ear_thread_pool_new(struct ear_thread_pool **pool, unsigned jobs, size_t slot_count,
	ear_thread_pool_work *work, void *context)
{
	struct ear_thread_pool *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;

	assert(jobs >= 1 && slot_count >= 1);
	made->work = work;
	made->context = context;
	made->slot_count = slot_count;
	made->jobs = jobs;
	made->done = calloc(slot_count, sizeof(*made->done));
	made->threads = calloc(jobs, sizeof(*made->threads));
	if (!made->done || !made->threads) {
		free(made->done);
		free(made->threads);
		free(made);
		return EAR_E_NO_MEMORY;
	}
	pthread_mutex_init(&made->mutex, NULL);
	pthread_cond_init(&made->given, NULL);
	pthread_cond_init(&made->done_cond, NULL);
	start_threads(made);
	*pool = made;
	return 0;
}

void ear_thread_pool_free(struct ear_thread_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->mutex);
	pool->stop = true;
	pthread_cond_broadcast(&pool->given);
	pthread_mutex_unlock(&pool->mutex);
	for (unsigned i = 0; i < pool->started; i++)
		pthread_join(pool->threads[i].id, NULL);
	pthread_cond_destroy(&pool->done_cond);
	pthread_cond_destroy(&pool->given);
	pthread_mutex_destroy(&pool->mutex);
	free(pool->threads);
	free(pool->done);
	free(pool);
}

/* The caller alone changes released and submitted, so it may read them without the mutex. */
bool ear_thread_pool_free_slot(const struct ear_thread_pool *pool, size_t *slot)
{
	*slot = (size_t)(pool->submitted % pool->slot_count);
	return pool->submitted - pool->released < pool->slot_count;
}

void ear_thread_pool_submit(struct ear_thread_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	assert(pool->submitted - pool->released < pool->slot_count);
	pool->done[pool->submitted % pool->slot_count] = false;
	pool->submitted++;
	pthread_cond_signal(&pool->given);
	pthread_mutex_unlock(&pool->mutex);
}

bool ear_thread_pool_wait(struct ear_thread_pool *pool, size_t *slot)
{
	*slot = (size_t)(pool->released % pool->slot_count);
	if (pool->released == pool->submitted)
		return false;
	pthread_mutex_lock(&pool->mutex);
	while (!pool->done[*slot]) {
		if (pool->begun < pool->submitted)
			work_on_one(pool, 0);
		else
			pthread_cond_wait(&pool->done_cond, &pool->mutex);
	}
	pthread_mutex_unlock(&pool->mutex);
	return true;
}

void ear_thread_pool_release(struct ear_thread_pool *pool)
{
	pthread_mutex_lock(&pool->mutex);
	assert(pool->released < pool->begun);
	pool->released++;
	pthread_mutex_unlock(&pool->mutex);
}
