/* Parts of a trace in several threads.
 *
 * Each thread takes the next part that nobody has begun, and waits if it would be too far ahead of
 * who joins them: so memory is bounded by a few parts. Nothing is shared but this table.
 */
#include "library/index/index_parts.h"

#include <earshot/error.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOBS_MAX 64u
#define AHEAD    2u /* parts that are made and not joined, in addition to one a thread */

/* What the parts that there are at one time know of memory. */
#define MEMORY_SIZE ((size_t)240 << 20)

struct slot {
	bool done;
	int result;
	struct ear_index_made_part part;
};

struct ear_index_parts {
	int trace_fd;
	struct ear_source_options options;
	unsigned stretch;
	struct ear_memory_options memory;
	const struct ear_shot_place *places;
	size_t count;       /* parts */
	struct slot *slots; /* of all */
	pthread_t threads[JOBS_MAX];
	unsigned thread_count, jobs;
	atomic_bool stop;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t begun, joined;
	struct slot *failed; /* the first that did: no other is of use then */
};

void ear_index_made_part_fini(struct ear_index_made_part *part)
{
	for (size_t i = 0; i < part->count; i++)
		ear_index_product_fini(&part->products[i]);
	free(part->products);
	ear_anchor_fini(&part->end_anchor);
	ear_memory_free(part->memory);
	ear_state_free(part->state);
	*part = (struct ear_index_made_part){0};
}

static bool is_stopped(void *context)
{
	struct ear_index_parts *parts = context;

	return atomic_load_explicit(&parts->stop, memory_order_relaxed);
}

static int add_product(struct ear_index_made_part *made, const struct ear_index_product *product)
{
	struct ear_index_product *grown =
		realloc(made->products, (made->count + 1) * sizeof(*grown));

	if (!grown)
		return EAR_E_NO_MEMORY;
	made->products = grown;
	grown[made->count++] = *product;
	return 0;
}

static int fill_part(struct ear_index_made_part *made, struct ear_index_part *part)
{
	struct ear_index_product product;
	int result;

	while ((result = ear_index_part_next(part, &product)) == 1) {
		result = add_product(made, &product);
		if (result) {
			ear_index_product_fini(&product);
			return result;
		}
		if (ear_memory_overflows(made->memory) > 0)
			return EAR_E_BAD_ARGUMENT; /* one pass may know more */
	}
	made->end_anchor = part->anchor;
	made->trace_ended = part->feed.trace_ended;
	part->anchor = (struct ear_anchor){0};
	made->state = part->state;
	part->state = NULL;
	made->fault = part->feed.fault;
	return result;
}

/* From a state of the file to the first anchor after it. Returns 1; 0 if the trace ends before. */
static int pass_place(struct ear_source *source, const struct ear_shot_place *place)
{
	struct ear_source_run run;
	struct ear_anchor anchor;
	int result = ear_source_seek_place(source, place);

	while (result == 0) {
		result = ear_source_next_run(source, &run);
		if (result != 1)
			return result;
		result = ear_source_anchor(source, &anchor);
		ear_anchor_fini(&anchor);
		if (result == 0)
			return 1;
		result = result == EAR_E_UNSUPPORTED ? 0 : result;
	}
	return result;
}

static int make_part(struct ear_index_parts *parts, size_t number, struct ear_index_made_part *made)
{
	struct ear_source_options options = parts->options;
	uint64_t end = number + 1 < parts->count ? parts->places[number].records : UINT64_MAX;
	struct ear_source *source;
	struct ear_index_part part = {0};

	made->key = parts->memory.key;
	options.shared = true;
	options.fault = NULL;
	int result = ear_source_new(&source, parts->trace_fd, &options);
	if (result)
		return result;
	if (number > 0)
		result = pass_place(source, &parts->places[number - 1]);
	if (number > 0 && result <= 0) {
		made->trace_ended = true;
		made->end_anchor.position = ear_source_position(source);
		ear_source_free(source);
		return result;
	}
	result = ear_memory_new(&made->memory, &parts->memory);
	if (result == 0)
		result = ear_index_part_init(&part, source, end, made->memory, parts->memory.key);
	if (parts->stretch)
		part.feed.stretch = parts->stretch;
	part.stop = is_stopped;
	part.stop_context = parts;
	if (result == 0)
		result = fill_part(made, &part);
	if (made->memory)
		made->key = ear_memory_better_key(made->memory);
	ear_index_part_fini(&part);
	ear_source_free(source);
	return result;
}

static void *run_thread(void *context)
{
	struct ear_index_parts *parts = context;

	pthread_mutex_lock(&parts->mutex);
	for (;;) {
		while (!parts->stop && parts->begun < parts->count &&
			parts->begun >= parts->joined + parts->jobs + AHEAD)
			pthread_cond_wait(&parts->changed, &parts->mutex);
		if (parts->stop || parts->begun == parts->count)
			break;
		size_t number = parts->begun++;
		pthread_mutex_unlock(&parts->mutex);
		struct slot *slot = &parts->slots[number];
		int result = make_part(parts, number, &slot->part);
		pthread_mutex_lock(&parts->mutex);
		slot->result = result;
		slot->done = true;
		if (result < 0 && !parts->failed) {
			parts->failed = slot;
			parts->stop = true;
		}
		pthread_cond_broadcast(&parts->changed);
	}
	pthread_mutex_unlock(&parts->mutex);
	return NULL;
}

int ear_index_parts_new(struct ear_index_parts **parts, int trace_fd,
	const struct ear_source_options *options, unsigned stretch,
	const struct ear_memory_options *memory, const struct ear_shot_place *places,
	size_t place_count, unsigned jobs)
{
	struct ear_index_parts *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->trace_fd = trace_fd;
	made->options = *options;
	made->stretch = stretch;
	made->memory = *memory;
	made->memory.part = true;
	made->memory.spill = NULL;
	made->places = places;
	made->count = place_count + 1;
	made->jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX;
	made->memory.size_max = MEMORY_SIZE / (made->jobs + AHEAD);
	made->slots = calloc(made->count, sizeof(*made->slots));
	pthread_mutex_init(&made->mutex, NULL);
	pthread_cond_init(&made->changed, NULL);
	while (made->slots && made->thread_count < made->jobs &&
		pthread_create(&made->threads[made->thread_count], NULL, run_thread, made) == 0)
		made->thread_count++;
	if (made->thread_count > 0) {
		*parts = made;
		return 0;
	}
	int result = made->slots ? EAR_E_IO : EAR_E_NO_MEMORY;
	ear_index_parts_free(made);
	return result;
}

void ear_index_parts_free(struct ear_index_parts *parts)
{
	if (!parts)
		return;
	pthread_mutex_lock(&parts->mutex);
	parts->stop = true;
	pthread_cond_broadcast(&parts->changed);
	pthread_mutex_unlock(&parts->mutex);
	for (unsigned i = 0; i < parts->thread_count; i++)
		pthread_join(parts->threads[i], NULL);
	for (size_t i = 0; parts->slots && i < parts->count; i++)
		ear_index_made_part_fini(&parts->slots[i].part);
	pthread_cond_destroy(&parts->changed);
	pthread_mutex_destroy(&parts->mutex);
	free(parts->slots);
	free(parts);
}

static struct timespec after(unsigned timeout_ms)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += (long)timeout_ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

int ear_index_parts_next(
	struct ear_index_parts *parts, struct ear_index_made_part *part, unsigned timeout_ms)
{
	const struct timespec until = after(timeout_ms);
	int waited = 0, result = 0;

	if (parts->joined == parts->count)
		return 0;
	struct slot *slot = &parts->slots[parts->joined];
	pthread_mutex_lock(&parts->mutex);
	while (!slot->done && !parts->failed && waited == 0)
		waited = pthread_cond_timedwait(&parts->changed, &parts->mutex, &until);
	if (parts->failed)
		slot = parts->failed;
	if (!slot->done) {
		result = EAR_E_MORE;
	} else {
		result = slot->result ? slot->result : 1;
		*part = slot->part;
		slot->part = (struct ear_index_made_part){0};
		parts->joined++;
		pthread_cond_broadcast(&parts->changed);
	}
	pthread_mutex_unlock(&parts->mutex);
	return result;
}
