#ifndef EAR_BATCH_QUEUE_H
#define EAR_BATCH_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Batches that one thread fills ahead of the caller, who takes them in order.
 *
 * The batches are the user's: an array of count of them. The queue says which one is to be filled
 * and which one is to be taken, by its index. Each belongs to one of the two threads at a time, so
 * the batches need no lock.
 */

/* On the thread: fill a batch. Returns 1; or what comes after this batch, 0 or a negative error,
 * and then it is the last one. What the batch has by then is taken, too. errno goes with it.
 */
typedef int ear_batch_fill(void *context, unsigned batch);

struct ear_batch_queue {
	ear_batch_fill *fill;
	void *context;
	unsigned count;
	pthread_t thread;

	pthread_mutex_t mutex;
	pthread_cond_t room, data;
	uint64_t used, filled; /* from the beginning; those between are the caller's */
	bool thread_sleeps, caller_sleeps;
	bool stop;  /* the caller wants no more */
	bool ended; /* nothing comes after filled; result and error_number say why */
	int result, error_number;

	bool holds; /* the caller has a batch */
};

/* Start the thread. Returns 0; EAR_E_NO_MEMORY, and then there is nothing to stop. count: 4 or
 * more.
 */
int ear_batch_queue_start(
	struct ear_batch_queue *queue, unsigned count, ear_batch_fill *fill, void *context);

/* End the thread, after the batch that it is filling. All batches are the caller's again. */
void ear_batch_queue_stop(struct ear_batch_queue *queue);

/* Give back the batch taken last, and wait for the next one. Returns 1 and *batch; or what fill
 * returned last, with its errno, each time.
 */
int ear_batch_queue_next(struct ear_batch_queue *queue, unsigned *batch);

#endif
