/* Windows: the records of one are kept, and are executed again with what infer_solve.h found,
 * from the state that was before the first of them. Each pass knows as much as the one before, so
 * they end when one finds nothing more; the bound is for windows that gain little each time.
 *
 * The last records of a window wait for those that come after it: one, which says where the last
 * instruction goes; with a snapshot of the end some thousand, so that the last window, through
 * which it is followed back, has these in any case.
 */
#include "library/infer/infer_window.h"

#include <stdlib.h>

#include <earshot/error.h>

#include "decoder/record/record_copy.h"
#include "library/infer/infer_internal.h"
#include "library/infer/infer_saved.h"
#include "library/infer/infer_solve.h"

struct ear_infer_window {
	struct ear_infer *infer;
	size_t size, kept, count;
	size_t taken, done; /* of the records that were worked on */
	unsigned rounds;
	bool last, has_after;
	struct ear_record after; /* the last record of the trace, by the snapshot */
	/* size + kept */
	struct ear_record_copy *records;
	struct ear_inferred *inferred;
	struct infer_facts *facts;
};

int ear_infer_window_new(struct ear_infer_window **window, const struct infer_options *options,
	size_t size, unsigned rounds)
{
	struct ear_infer_window *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->size = size;
	made->kept = options->snapshot ? EAR_INFER_KEPT : 1;
	made->rounds = rounds;
	made->records = calloc(size + made->kept, sizeof(*made->records));
	made->inferred = calloc(size + made->kept, sizeof(*made->inferred));
	made->facts = calloc(size + made->kept, sizeof(*made->facts));
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
	for (size_t i = 0; window->records && i < window->size + window->kept; i++)
		ear_record_copy_fini(&window->records[i]);
	ear_infer_free(window->infer);
	free(window->records);
	free(window->inferred);
	free(window->facts);
	free(window);
}

/* The record after the i-th one. */
static const struct ear_record *find_next(const struct ear_infer_window *window, size_t i)
{
	if (i + 1 < window->count)
		return &window->records[i + 1].record;
	return window->has_after ? &window->after : NULL;
}

static int forward(struct ear_infer_window *window, size_t count)
{
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++)
		result = infer_step_with(window->infer, &window->records[i].record,
			find_next(window, i), &window->inferred[i], &window->facts[i]);
	return result;
}

/* After the first pass through the last window: what the snapshot says. Returns enum
 * ear_infer_core_use. */
static unsigned find_end(
	struct ear_infer_window *window, size_t count, struct infer_end *end, bool *differs)
{
	struct ear_infer *infer = window->infer;

	if (!window->last || window->rounds == 1 || !infer->options.snapshot ||
		infer->hart_count != 1)
		return EAR_INFER_CORE_UNUSED;
	unsigned use = infer_snapshot_place(end, infer, window->records, window->facts, count);
	*differs = use != EAR_INFER_CORE_UNUSED &&
		   infer_snapshot_differs(end, infer, window->facts, count);
	return *differs ? EAR_INFER_CORE_UNUSED : use;
}

static int find(struct ear_infer_window *window, size_t count, const struct infer_saved *saved)
{
	struct ear_infer *infer = window->infer;
	struct infer_end end;
	unsigned use = EAR_INFER_CORE_UNUSED, rounds = window->rounds;
	bool differs = false;
	int result = 0;

	for (unsigned round = 1; result == 0; round++) {
		result = forward(window, count);
		if (result == 0 && round == 1)
			use = find_end(window, count, &end, &differs);
		if (use != EAR_INFER_CORE_UNUSED)
			rounds = EAR_INFER_END_ROUNDS;
		if (result || round >= rounds || infer->hart_count != 1)
			break;
		result = infer_solve(
			infer, window->facts, count, use == EAR_INFER_CORE_UNUSED ? NULL : &end);
		if (result <= 0)
			break;
		result = infer_restore(infer, saved);
	}
	infer->counts.core = use;
	if (differs && infer->counts.contradictions++ == 0)
		infer->counts.first_contradiction = window->records[count - 1].record.index;
	return result;
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
	window->taken = 0;
	window->done = result == 0 ? count : 0;
	return result;
}

bool ear_infer_window_take(struct ear_infer_window *window, const struct ear_record **record,
	const struct ear_inferred **inferred)
{
	if (window->taken == window->done)
		return false;
	*record = &window->records[window->taken].record;
	*inferred = &window->inferred[window->taken++];
	return true;
}

/* The kept records become the first ones. */
static void move_kept(struct ear_infer_window *window)
{
	for (size_t i = 0; i < window->kept; i++) {
		struct ear_record_copy first = window->records[i];
		window->records[i] = window->records[window->size + i];
		window->records[window->size + i] = first;
	}
	window->count = window->kept;
	window->taken = window->done = 0;
}

int ear_infer_window_push(struct ear_infer_window *window, const struct ear_record *record)
{
	if (window->done > 0)
		move_kept(window);
	int result = ear_record_copy_set(&window->records[window->count], record);
	if (result)
		return result;
	window->count++;
	return window->count == window->size + window->kept ? work(window, window->size) : 0;
}

/* A text does not say where its last instruction goes; the snapshot does. */
static void add_after(struct ear_infer_window *window)
{
	const struct ear_infer_snapshot *snapshot = window->infer->options.snapshot;

	if (!snapshot || snapshot->held_count == 0 || window->count == 0)
		return;
	const struct ear_record *record = &window->records[window->count - 1].record;
	window->has_after =
		record->kind == EAR_RECORD_INSTRUCTION && record->flags & EAR_RECORD_NO_NEXT_PC;
	if (window->has_after)
		window->after = (struct ear_record){.kind = EAR_RECORD_INSTRUCTION,
			.hart = record->hart,
			.pc = snapshot->held[0].pc};
}

int ear_infer_window_finish(struct ear_infer_window *window)
{
	if (window->done > 0)
		move_kept(window);
	window->last = true;
	add_after(window);
	return work(window, window->count);
}

const struct ear_infer_counts *ear_infer_window_counts(const struct ear_infer_window *window)
{
	return ear_infer_counts(window->infer);
}
