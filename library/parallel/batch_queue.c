/* A ring of batches between two threads.
 *
 * To put a thread to sleep and to wake it costs as much as hundreds of records. So the thread, when
 * the ring is full, sleeps until half of it is empty, and the caller, when it is empty, until there
 * are some batches; and nobody is woken before that.
 */
#include "library/parallel/batch_queue.h"

#include <assert.h>
#include <earshot/error.h>
#include <errno.h>

/* Returns false to stop. */
static bool wait_for_room(struct ear_batch_queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	if (queue->filled - queue->used == queue->count) {
		queue->thread_sleeps = true;
		while (!queue->stop && queue->filled - queue->used > queue->count / 2)
			pthread_cond_wait(&queue->room, &queue->mutex);
		queue->thread_sleeps = false;
	}
	bool stop = queue->stop;
	pthread_mutex_unlock(&queue->mutex);
	return !stop;
}

static void hand_over(struct ear_batch_queue *queue, int result)
{
	pthread_mutex_lock(&queue->mutex);
	queue->filled++;
	queue->ended = result <= 0;
	queue->result = result;
	queue->error_number = errno;
	if (queue->caller_sleeps &&
		(queue->ended || queue->filled - queue->used >= queue->count / 4))
		pthread_cond_signal(&queue->data);
	pthread_mutex_unlock(&queue->mutex);
}

static void *run(void *context)
{
	struct ear_batch_queue *queue = context;
	int result = 1;

	while (result > 0 && wait_for_room(queue)) {
		result = queue->fill(queue->context, (unsigned)(queue->filled % queue->count));
		hand_over(queue, result);
	}
	return NULL;
}

static void destroy(struct ear_batch_queue *queue)
{
	pthread_cond_destroy(&queue->room);
	pthread_cond_destroy(&queue->data);
	pthread_mutex_destroy(&queue->mutex);
}

int ear_batch_queue_start(
	struct ear_batch_queue *queue, unsigned count, ear_batch_fill *fill, void *context)
{
	assert(count >= 4);
	*queue = (struct ear_batch_queue){.fill = fill, .context = context, .count = count};
	pthread_mutex_init(&queue->mutex, NULL);
	pthread_cond_init(&queue->room, NULL);
	pthread_cond_init(&queue->data, NULL);
	if (pthread_create(&queue->thread, NULL, run, queue) == 0)
		return 0;
	destroy(queue);
	return EAR_E_NO_MEMORY;
}

void ear_batch_queue_stop(struct ear_batch_queue *queue)
{
	pthread_mutex_lock(&queue->mutex);
	queue->stop = true;
	pthread_cond_signal(&queue->room);
	pthread_mutex_unlock(&queue->mutex);
	pthread_join(queue->thread, NULL);
	destroy(queue);
}

int ear_batch_queue_next(struct ear_batch_queue *queue, unsigned *batch)
{
	int result = 1;

	pthread_mutex_lock(&queue->mutex);
	queue->used += queue->holds;
	if (queue->thread_sleeps && queue->filled - queue->used <= queue->count / 2)
		pthread_cond_signal(&queue->room);
	if (queue->used == queue->filled) {
		queue->caller_sleeps = true;
		while (!queue->ended && queue->filled - queue->used < queue->count / 4)
			pthread_cond_wait(&queue->data, &queue->mutex);
		queue->caller_sleeps = false;
	}
	queue->holds = queue->used < queue->filled;
	if (queue->holds) {
		*batch = (unsigned)(queue->used % queue->count);
	} else {
		result = queue->result;
		errno = queue->error_number;
	}
	pthread_mutex_unlock(&queue->mutex);
	return result;
}
