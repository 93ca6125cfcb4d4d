/* Windows: the records of one are kept, and are executed again with what the backward pass found,
 * from the state that was before the first of them. Each pass knows as much as the one before, so
 * they end when one finds nothing more; the bound is for windows that gain little each time.
 */
#include "library/infer/infer_window.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "decoder/record/record_copy.h"
#include "library/infer/infer_backward.h"
#include "library/infer/infer_internal.h"
#include "library/infer/infer_saved.h"

struct ear_infer_window {
	struct ear_infer *infer;
	size_t size, count;
	unsigned rounds;
	ear_infer_sink *sink;
	void *context;
	/* size + 1: where a record goes, often only the next one says. */
	struct ear_record_copy *records;
	struct ear_inferred *inferred;
	struct infer_facts *facts;
};

int ear_infer_window_new(struct ear_infer_window **window, const struct ear_infer_options *options,
	size_t size, unsigned rounds, ear_infer_sink *sink, void *context)
{
	struct ear_infer_window *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->size = size;
	made->rounds = rounds;
	made->sink = sink;
	made->context = context;
	made->records = calloc(size + 1, sizeof(*made->records));
	made->inferred = calloc(size, sizeof(*made->inferred));
	made->facts = calloc(size, sizeof(*made->facts));
	if (!made->records || !made->inferred || !made->facts ||
		ear_infer_new(&made->infer, options) != 0) {
		ear_infer_window_free(made);
		return EAR_E_NO_MEMORY;
	}
	*window = made;
	return 0;
}

void ear_infer_window_free(struct ear_infer_window *window)
{
	if (!window)
		return;
	for (size_t i = 0; window->records && i <= window->size; i++)
		ear_record_copy_fini(&window->records[i]);
	ear_infer_free(window->infer);
	free(window->records);
	free(window->inferred);
	free(window->facts);
	free(window);
}

static int forward(struct ear_infer_window *window, size_t count)
{
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++)
		result = infer_step_with(window->infer, &window->records[i].record,
			i + 1 < window->count ? &window->records[i + 1].record : NULL,
			&window->inferred[i], &window->facts[i]);
	return result;
}

static uint64_t known(const struct ear_infer *infer)
{
	return infer->counts.writes_inferred + infer->counts.loads_inferred +
	       infer->counts.stores_inferred;
}

static int find(struct ear_infer_window *window, size_t count, const struct infer_saved *saved)
{
	uint64_t before = 0;

	for (unsigned round = 1;; round++) {
		int result = forward(window, count);
		uint64_t now = known(window->infer);
		if (result || round >= window->rounds || window->infer->hart_count != 1 ||
			(round > 1 && now <= before))
			return result;
		before = now;
		result = infer_backward(window->infer, window->facts, count);
		if (result == 0)
			result = infer_restore(window->infer, saved);
		if (result)
			return result;
	}
}

/* The first count records. */
static int work(struct ear_infer_window *window, size_t count)
{
	struct infer_saved saved;
	int result = window->rounds > 1 ? infer_save(&saved, window->infer) : 0;

	if (result)
		return result;
	for (size_t i = 0; i < count; i++)
		window->facts[i] = (struct infer_facts){.size = 0};
	result = find(window, count, &saved);
	if (window->rounds > 1)
		infer_saved_fini(&saved);
	for (size_t i = 0; i < count && result == 0; i++)
		result = window->sink(
			window->context, &window->records[i].record, &window->inferred[i]);
	return result;
}

int ear_infer_window_push(struct ear_infer_window *window, const struct ear_record *record)
{
	int result = 0;

	if (window->count > window->size) {
		struct ear_record_copy next = window->records[window->size];
		result = work(window, window->size);
		window->records[window->size] = window->records[0];
		window->records[0] = next;
		window->count = 1;
	}
	if (result == 0)
		result = ear_record_copy_set(&window->records[window->count], record);
	window->count += result == 0;
	return result;
}

int ear_infer_window_finish(struct ear_infer_window *window)
{
	size_t count = window->count < window->size ? window->count : window->size;
	int result = work(window, count);

	if (result == 0 && window->count > count) {
		struct ear_record_copy next = window->records[count];
		window->records[count] = window->records[0];
		window->records[0] = next;
		window->count = 1;
		result = work(window, 1);
	}
	window->count = 0;
	return result;
}

const struct ear_infer_counts *ear_infer_window_counts(const struct ear_infer_window *window)
{
	return ear_infer_counts(window->infer);
}
