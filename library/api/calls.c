/* Paths of calls: the frames of call stacks keep the number of their path, and a table finds the
 * path of a frame that is entered. Most of these are one of the two that were last entered from the
 * same path, which has their numbers: they are near it in memory, while the table is not. */
#include <earshot/calls.h>

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>
#include <earshot/moment.h>

#include "common/hash.h"
#include "library/api/calls_internal.h"
#include "library/api/moment_internal.h"
#include "library/stack/call_stack.h"
#include "library/state/flow.h"

#define PATHS_MAX (1u << 20)
#define PART_MAX  (UINT64_C(1) << 31) /* records of a part of the flow */

struct path {
	uint64_t call_pc, entry, entered;
	uint32_t parent;
	uint32_t recent[2]; /* paths below it that were entered last; 0: none */
	uint16_t hart;
	uint8_t kind;
};

struct ear_calls {
	bool interrupts_inside, limited;
	uint32_t paths_max;
	struct ear_flow flow;
	struct ear_call_stacks *stacks;
	uint64_t begin, next; /* positions: of the part; of the record that is expected */
	bool begun;
	bool silent;   /* frames were entered before the part began */
	uint16_t hart; /* of the records that are looked at */
	struct ear_calls_watch watch;
	bool gone; /* a gap between batches: what is left ends at begin */

	struct path *paths; /* from 1 */
	uint32_t count, capacity;
	uint32_t *table; /* of numbers, by hash; 0: free */
	uint32_t table_size;
	int failed; /* memory was short when a path was made */
};

/* ---- The paths. ---- */

static uint32_t hash_of(const struct path *path)
{
	uint64_t hash = ear_hash_add(ear_hash_mix(path->call_pc), path->entry);

	hash = ear_hash_add(hash, path->parent);
	hash ^= (uint64_t)path->hart << 8 | path->kind;
	return (uint32_t)(hash ^ hash >> 32);
}

static bool is_same(const struct path *a, const struct path *b)
{
	return a->call_pc == b->call_pc && a->entry == b->entry && a->parent == b->parent &&
	       a->hart == b->hart && a->kind == b->kind;
}

/* The place of a path in the table: its own, or a free one. */
static uint32_t *find(const struct ear_calls *calls, const struct path *path)
{
	uint32_t mask = calls->table_size - 1, at = hash_of(path) & mask;

	while (calls->table[at] && !is_same(&calls->paths[calls->table[at]], path))
		at = (at + 1) & mask;
	return &calls->table[at];
}

/* Room for one more. */
static int grow(struct ear_calls *calls)
{
	if (calls->count + 2 <= calls->capacity)
		return 0;
	uint32_t capacity = calls->capacity ? 2 * calls->capacity : 256;
	struct path *paths = realloc(calls->paths, capacity * sizeof(*paths));
	if (!paths)
		return EAR_E_NO_MEMORY;
	if (!calls->paths)
		paths[0] = (struct path){0}; /* what is above those without a parent */
	calls->paths = paths;
	uint32_t *table = calloc(2 * (size_t)capacity, sizeof(*table));
	if (!table)
		return EAR_E_NO_MEMORY;
	free(calls->table);
	calls->table = table;
	calls->table_size = 2 * capacity;
	calls->capacity = capacity;
	for (uint32_t i = 1; i <= calls->count; i++)
		*find(calls, &calls->paths[i]) = i;
	return 0;
}

/* One of the recent ones below its parent; 0: none of them. */
static uint32_t find_recent(struct ear_calls *calls, const struct path *path)
{
	struct path *parent = &calls->paths[path->parent];
	const uint32_t first = parent->recent[0], second = parent->recent[1];

	if (first && is_same(&calls->paths[first], path))
		return first;
	if (!second || !is_same(&calls->paths[second], path))
		return 0;
	parent->recent[0] = second;
	parent->recent[1] = first;
	return second;
}

/* The number of a path, which is made if it is not there. Returns 0 or EAR_E_NO_MEMORY. */
static int take_path(struct ear_calls *calls, const struct path *path, uint32_t *number)
{
	*number = find_recent(calls, path);
	if (*number) {
		calls->paths[*number].entered += path->entered;
		return 0;
	}
	/* The parent has no others than the recent ones, if these are less than two. */
	if (path->parent && calls->count >= calls->paths_max &&
		!calls->paths[path->parent].recent[1]) {
		calls->limited = true;
		*number = path->parent;
		return 0;
	}
	if (grow(calls))
		return EAR_E_NO_MEMORY;
	uint32_t *slot = find(calls, path);
	if (*slot) {
		calls->paths[*slot].entered += path->entered;
	} else if (path->parent && calls->count >= calls->paths_max) {
		calls->limited = true;
		*number = path->parent;
		return 0;
	} else {
		calls->paths[++calls->count] = *path;
		*slot = calls->count;
	}
	*number = *slot;
	struct path *parent = &calls->paths[path->parent];
	parent->recent[1] = parent->recent[0];
	parent->recent[0] = *number;
	return 0;
}

/* ear_call_stack_make. Where memory is short the caller's own path stands in, until the batch is
 * over and says so. */
static uint32_t make_path(void *context, uint32_t below, const struct ear_call_frame *frame)
{
	struct ear_calls *calls = context;
	struct path path = {.parent = below,
		.kind = frame->kind,
		.hart = calls->hart,
		.entered = !calls->silent};

	if (frame->kind == EAR_FRAME_INTERRUPT && !calls->interrupts_inside)
		path.parent = 0;
	if (frame->kind != EAR_FRAME_BASE) {
		path.call_pc = path.parent ? frame->call_pc : 0;
		path.entry = frame->entry;
	}
	uint32_t number;
	calls->failed = take_path(calls, &path, &number);
	return calls->failed ? (below ? below : 1) : number;
}

/* ---- Reading. ---- */

int ear_calls_new(struct ear_calls **calls_out, const struct ear_calls_options *options)
{
	struct ear_calls_options own = EAR_CALLS_DEFAULTS;

	if (options && options->size == 0)
		return EAR_E_BAD_ARGUMENT;
	if (options)
		memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	struct ear_calls *calls = calloc(1, sizeof(*calls));
	if (!calls)
		return EAR_E_NO_MEMORY;
	calls->interrupts_inside = own.interrupts_inside;
	calls->paths_max = own.paths_max ? own.paths_max : PATHS_MAX;
	if (grow(calls) || ear_call_stacks_new(&calls->stacks)) {
		ear_calls_free(calls);
		return EAR_E_NO_MEMORY;
	}
	ear_flow_begin(&calls->flow);
	*calls_out = calls;
	return 0;
}

void ear_calls_free(struct ear_calls *calls)
{
	if (!calls)
		return;
	ear_flow_fini(&calls->flow);
	ear_call_stacks_free(calls->stacks);
	free(calls->paths);
	free(calls->table);
	free(calls);
}

/* All frames get their paths: what comes next may forget them. */
static int number_frames(struct ear_calls *calls)
{
	const uint16_t hart = calls->hart;

	for (size_t i = 0; i < ear_call_stack_hart_count(calls->stacks); i++) {
		calls->hart = ear_call_stack_hart(calls->stacks, i);
		ear_call_stack_number(calls->stacks, calls->hart, make_path, calls);
	}
	calls->hart = hart;
	return calls->failed;
}

int ear_calls_end(struct ear_calls *calls)
{
	return number_frames(calls);
}

/* ---- Frames that come and go. ---- */

static uint32_t say_entered(
	void *context, uint16_t hart, const struct ear_call_frame *frame, uint32_t below)
{
	const struct ear_calls *calls = context;
	const struct ear_call_change change = {.size = sizeof(change),
		.hart = hart,
		.position = frame->position,
		.frame = *frame,
		.below = below};

	return calls->watch.entered(calls->watch.context, &change);
}

static void say_left(void *context, uint16_t hart, const struct ear_call_frame *frame,
	uint32_t mark, enum ear_call_stack_end end, uint64_t position)
{
	static const enum ear_call_end ends[] = {[EAR_CALL_STACK_RETURNED] = EAR_CALL_RETURNED,
		[EAR_CALL_STACK_UNWOUND] = EAR_CALL_UNWOUND,
		[EAR_CALL_STACK_FORGOTTEN] = EAR_CALL_FORGOTTEN};
	const struct ear_calls *calls = context;
	const struct ear_call_change change = {.size = sizeof(change),
		.hart = hart,
		.end = (uint8_t)ends[end],
		.position = calls->gone ? calls->begin : position,
		.frame = *frame,
		.mark = mark};

	calls->watch.left(calls->watch.context, &change);
}

static void watch_stacks(struct ear_calls *calls)
{
	const struct ear_call_stack_watch watch = {say_entered, say_left, calls};

	if (calls->watch.entered)
		ear_call_stacks_watch(calls->stacks, &watch);
}

int ear_calls_set_watch(struct ear_calls *calls, const struct ear_calls_watch *watch)
{
	if (calls->begun || watch->size < sizeof(*watch))
		return EAR_E_BAD_ARGUMENT;
	calls->watch = *watch;
	watch_stacks(calls);
	return 0;
}

uint32_t ear_calls_mark(const struct ear_calls *calls, uint16_t hart)
{
	return ear_call_stack_mark(calls->stacks, hart);
}

int ear_calls_start_with(
	struct ear_calls *calls, const struct ear_call_stacks *stacks, uint64_t position)
{
	int result = ear_call_stacks_copy(calls->stacks, stacks);

	if (result)
		return result;
	calls->silent = true;
	result = number_frames(calls);
	calls->silent = false;
	calls->begin = calls->next = position;
	calls->begun = true;
	watch_stacks(calls);
	return result;
}

int ear_calls_start(
	struct ear_calls *calls, struct ear_moment *moment, const struct ear_progress *progress)
{
	const struct ear_call_stacks *stacks;

	if (calls->begun)
		return EAR_E_BAD_ARGUMENT;
	int result = ear_moment_stacks(moment, &stacks, progress);
	return result ? result : ear_calls_start_with(calls, stacks, ear_moment_position(moment));
}

/* Where the batch begins: after what came before it, or after a gap; and not too far from the
 * begin of the part. */
static int begin_batch(struct ear_calls *calls, const struct ear_batch *batch)
{
	int result = 0;

	if (calls->begun && batch->position != calls->next) {
		result = number_frames(calls);
		ear_flow_begin(&calls->flow);
		calls->begin = batch->position;
		calls->gone = true;
		ear_call_stacks_reset(calls->stacks);
		calls->gone = false;
	} else if (!calls->begun) {
		calls->begin = batch->position;
	} else if (calls->next - calls->begin >= PART_MAX) {
		result = ear_flow_sync(&calls->flow, calls->next - calls->begin);
		if (result == 0)
			result = ear_call_stacks_push(
				calls->stacks, calls->flow.events, calls->flow.count, calls->begin);
		ear_flow_begin(&calls->flow);
		calls->begin = calls->next;
	}
	calls->begun = true;
	calls->flow.count = 0;
	calls->next = batch->position + batch->count;
	return result;
}

/* Does the event come before its record, and not after it? */
static bool is_before(const struct ear_flow_event *event)
{
	return event->kind == EAR_FLOW_HANDLER || event->kind == EAR_FLOW_AT ||
	       event->kind == EAR_FLOW_BEGIN || event->kind == EAR_FLOW_GAP ||
	       event->kind == EAR_FLOW_FOREIGN;
}

/* Records that are handed out together, as long as their path is the same. */
struct stretch {
	ear_calls_take *take;
	void *context;
	const struct ear_batch *batch;
	size_t first, end;
	uint32_t path;
};

static int hand_out(struct stretch *stretch)
{
	int result = 0;

	if (stretch->end > stretch->first)
		result = stretch->take(stretch->context, stretch->batch, stretch->first,
			stretch->end - stretch->first, stretch->path);
	stretch->first = stretch->end;
	return result;
}

/* Those up to end have the path of now. */
static int extend(struct ear_calls *calls, struct stretch *stretch, size_t end)
{
	if (end <= stretch->end)
		return 0;
	uint32_t path = ear_call_stack_newest(calls->stacks, calls->hart, make_path, calls);
	if (path != stretch->path) {
		int result = hand_out(stretch);
		if (result)
			return result;
		stretch->path = path;
	}
	stretch->end = end;
	return calls->failed;
}

static bool forgets(const struct ear_flow_event *event)
{
	return event->kind == EAR_FLOW_GAP || event->kind == EAR_FLOW_FOREIGN;
}

static int take_events(struct ear_calls *calls, struct stretch *stretch)
{
	const uint64_t position = stretch->batch->position;

	for (size_t i = 0; i < calls->flow.count; i++) {
		const struct ear_flow_event *event = &calls->flow.events[i];
		size_t at = (size_t)(calls->begin + event->position - position);
		int result = extend(calls, stretch, is_before(event) ? at : at + 1);
		if (result == 0 && calls->watch.entered)
			result = hand_out(stretch);
		if (result == 0 && forgets(event))
			result = number_frames(calls);
		if (result == 0)
			result = ear_call_stacks_push(calls->stacks, event, 1, calls->begin);
		if (result)
			return result;
	}
	return 0;
}

int ear_calls_batch(
	struct ear_calls *calls, const struct ear_batch *batch, ear_calls_take *take, void *context)
{
	struct stretch stretch = {.take = take, .context = context, .batch = batch};
	const bool instructions = batch->run || batch->record->kind == EAR_RECORD_INSTRUCTION;

	int result = begin_batch(calls, batch);
	if (result)
		return result;
	const uint64_t position = batch->position - calls->begin;
	result = batch->run ? ear_flow_push_run(&calls->flow, position, batch->run, batch->compacts,
				      0, batch->count)
			    : ear_flow_push(&calls->flow, position, batch->record);
	if (result)
		return result;
	if (!instructions) {
		if (calls->flow.count > 0)
			result = number_frames(calls);
		if (result == 0)
			result = ear_call_stacks_push(
				calls->stacks, calls->flow.events, calls->flow.count, calls->begin);
		return result;
	}
	calls->hart = batch->run ? batch->run->hart : batch->record->hart;
	result = take_events(calls, &stretch);
	if (result == 0)
		result = extend(calls, &stretch, batch->count);
	return result ? result : hand_out(&stretch);
}

/* ---- Answers. ---- */

uint32_t ear_calls_count(const struct ear_calls *calls)
{
	return calls->count;
}

bool ear_calls_path(const struct ear_calls *calls, uint32_t number, struct ear_call_path *path)
{
	struct ear_call_path whole = {.size = sizeof(whole)};
	const size_t size = path->size < sizeof(whole) ? path->size : sizeof(whole);

	if (number == 0 || number > calls->count || path->size == 0)
		return false;
	const struct path *own = &calls->paths[number];
	whole.parent = own->parent;
	whole.kind = own->kind;
	whole.hart = own->hart;
	whole.call_pc = own->call_pc;
	whole.entry = own->entry;
	whole.entered = own->entered;
	whole.size = path->size;
	memcpy(path, &whole, size);
	return true;
}

int ear_calls_add(struct ear_calls *calls, const struct ear_call_path *path, uint32_t *number)
{
	if (path->size < sizeof(*path) || path->parent > calls->count ||
		(path->parent && calls->paths[path->parent].hart != path->hart))
		return EAR_E_BAD_ARGUMENT;
	const struct path own = {.parent = path->parent,
		.kind = path->kind,
		.hart = path->hart,
		.call_pc = path->call_pc,
		.entry = path->entry,
		.entered = path->entered};
	return take_path(calls, &own, number);
}

bool ear_calls_limited(const struct ear_calls *calls)
{
	return calls->limited;
}
