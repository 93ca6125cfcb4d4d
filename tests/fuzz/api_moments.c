/* Moments, histories, calls and tasks of the two handles: a moment and a history at the same
 * position must agree, and so must the runs of records that calls and tasks hand out.
 */
#include "api_moments.h"

#include <stdlib.h>
#include <string.h>

/* ---- Moments and histories. ---- */

static void ask_moment(struct api *api, struct handle *handle)
{
	const struct ear_moment *moment = handle->moment;
	const uint16_t hart = api_take_hart(api);
	const unsigned number = api_take(api);
	struct ear_moment_view view = {.size = sizeof(view)};
	unsigned privilege;
	uint64_t value;
	size_t size;
	uint8_t byte, known;

	demand(ear_moment_position(moment) <= api->sample->count);
	ear_moment_number(moment);
	ear_moment_hart(moment);
	const struct ear_record *record = ear_moment_record(moment);
	if (record)
		api_check_record(api, record, ear_moment_position(moment) - 1);
	ear_moment_pc(moment, hart, &value);
	ear_moment_next_pc(moment, hart, &value);
	ear_moment_ticks(moment, &value);
	ear_moment_privilege(moment, hart, &privilege);
	ear_moment_named(moment, hart, api_take_name(api), &value);
	const uint8_t *vector = ear_moment_vector(moment, hart, number, &size);
	demand(!vector || size > 0);
	ear_moment_view(handle->moment, hart, &view);
	view.read_register(view.context, number, &value);
	view.read_memory(view.context, api_take_address(api), &byte, &known, 1);
	if (view.read_named)
		view.read_named(view.context, api_take_name(api), &value);
}

void api_ask_stack(struct api *api, struct handle *handle)
{
	const size_t max = api_take(api) % 5, size = sizeof(struct ear_call_frame);
	struct ear_call_frame *frames = malloc(max * size);

	int64_t result =
		ear_moment_stack(handle->moment, api_take_hart(api), frames, size, max, NULL);
	if (result != EAR_E_UNSUPPORTED && result != EAR_E_BAD_ARGUMENT)
		demand(api_cancelled(handle, result) || result > 0);
	free(frames);
}

struct memory {
	uint8_t *bytes, *known;
	int64_t result;
};

static void free_memory(struct memory *memory)
{
	free(memory->bytes);
	free(memory->known);
}

static void read_memory(struct memory *memory, struct handle *handle, bool history,
	uint64_t address, size_t size, bool known)
{
	memory->bytes = malloc(size);
	memory->known = known ? malloc(size) : NULL;
	memory->result = (history ? ear_history_memory(handle->history, address, memory->bytes,
					    memory->known, size, NULL)
				  : ear_moment_memory(handle->moment, address, memory->bytes,
					    memory->known, size, NULL));
	if (api_cancelled(handle, memory->result))
		return;
	int64_t count = 0;
	for (size_t i = 0; known && i < size; i++) {
		demand(memory->known[i] <= EAR_BYTE_IMAGE);
		demand(memory->known[i] != EAR_BYTE_UNKNOWN || memory->bytes[i] == 0);
		count += memory->known[i] != EAR_BYTE_UNKNOWN;
	}
	demand(known ? count == memory->result : memory->result <= (int64_t)size);
}

/* The same bytes, from the same source. Where a store may have been that the trace does not show,
 * the image is asked with an index only. */
static bool same_memory(const struct memory *a, const struct memory *b, size_t size, bool hidden)
{
	for (size_t i = 0; i < size; i++) {
		const uint8_t one = a->known[i], other = b->known[i];
		const bool image = (one == EAR_BYTE_IMAGE && other == EAR_BYTE_UNKNOWN) ||
				   (one == EAR_BYTE_UNKNOWN && other == EAR_BYTE_IMAGE);
		if (hidden && image)
			continue;
		if (one != other || a->bytes[i] != b->bytes[i])
			return false;
	}
	return true;
}

/* A moment of one handle and a history of the other, at the same position. */
void api_compare(struct api *api, unsigned number)
{
	struct handle *one = api_handle_of(api, number), *other = api_handle_of(api, !number);
	const uint16_t hart = api_take_hart(api);
	const unsigned reg_class = api_take(api) % 6,
		       reg = api_take(api) % 4 ? api_take(api) % 34
					       : (unsigned)api_take_bytes(api, 2);
	const uint64_t address = api_take_address(api);
	const size_t size = api_take_size(api);
	struct memory a, b;
	uint64_t values[2] = {0}, pcs[2] = {0};

	if (!one->moment || !other->history ||
		ear_moment_move(one->moment, ear_history_position(other->history), NULL) != 0)
		return;
	bool known = ear_moment_register(one->moment, hart, reg_class, reg, &values[0]);
	demand(known == ear_history_register(other->history, hart, reg_class, reg, &values[1]) &&
		values[0] == values[1]);
	known = ear_moment_next_pc(one->moment, hart, &pcs[0]);
	demand(known == ear_history_next_pc(other->history, hart, &pcs[1]) && pcs[0] == pcs[1]);
	read_memory(&a, one, false, address, size, true);
	read_memory(&b, other, true, address, size, true);
	if (a.result >= 0 && b.result >= 0 && size > 0 && !api->images_differ)
		demand(same_memory(
			&a, &b, size, ear_history_position(other->history) >= api->sample->hidden));
	free_memory(&a);
	free_memory(&b);
}

void api_move_moment(struct api *api, struct handle *handle)
{
	const uint64_t position = api_take_position(api), count = api->sample->count;
	int result = handle->moment
			     ? ear_moment_move(handle->moment, position, NULL)
			     : ear_moment_new(&handle->moment, handle->trace, position, NULL);

	if (api_cancelled(handle, result)) {
		ear_moment_free(handle->moment);
		handle->moment = NULL;
		return;
	}
	demand(ear_moment_position(handle->moment) == (position < count ? position : count));
	ask_moment(api, handle);
}

void api_move_history(struct api *api, struct handle *handle)
{
	const uint64_t position = api_take_position(api), count = api->sample->count;
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t first, end;
	int result = handle->history
			     ? ear_history_move(handle->history, position, NULL)
			     : ear_history_new(&handle->history, handle->trace, position, NULL);

	if (api_cancelled(handle, result))
		return;
	demand(ear_history_position(handle->history) == (position < count ? position : count));
	bool at_end = ear_history_window(handle->history, &first, &end);
	demand(first <= end && end <= count && (!at_end || end == count));
	const uint64_t asked = api_take_position(api);
	const struct ear_record *record = ear_history_record(handle->history, asked);
	demand((record != NULL) == (asked >= first && asked < end));
	if (!record)
		return;
	api_check_record(api, record, asked);
	demand(ear_history_batch(handle->history, asked, &batch) == 1 && batch.position == asked &&
		batch.number == api->sample->numbers[asked]);
	for (size_t i = 0; i < batch.count; i++)
		api_check_record(api, ear_batch_record(&batch, i), asked + i);
}

void api_ask_memory(struct api *api, struct handle *handle, bool history)
{
	const uint64_t address = api_take_address(api);
	const size_t size = api_take_size(api);
	struct memory memory;

	if (!(history ? (void *)handle->history : (void *)handle->moment))
		return;
	read_memory(&memory, handle, history, address, size, api_take(api) & 1);
	free_memory(&memory);
	demand(history || ear_moment_memory(handle->moment, address, NULL, NULL,
				  (size_t)EAR_MEMORY_MAX + 1, NULL) == EAR_E_BAD_ARGUMENT);
}

/* ---- Calls and tasks. ---- */

static uint32_t entered(void *context, const struct ear_call_change *change)
{
	(void)context;
	return change->hart + 1u;
}

static void left(void *context, const struct ear_call_change *change)
{
	(void)context;
	demand(change->mark > 0);
}

void api_ask_calls(struct api *api, struct handle *handle)
{
	struct ear_calls_options options = EAR_CALLS_DEFAULTS;
	struct ear_call_path path = {.size = sizeof(path)};
	const struct ear_calls_watch watch = {
		.size = sizeof(watch), .entered = entered, .left = left};
	uint32_t number;

	if (!handle->calls) {
		options.interrupts_inside = api_take(api) & 1;
		options.paths_max = api_take(api) % 8;
		demand(ear_calls_new(&handle->calls, &options) == 0);
		handle->calls_ended = false;
		if (api_take(api) & 1)
			demand(ear_calls_set_watch(handle->calls, &watch) == 0);
		return;
	}
	if (handle->moment && api_take(api) & 1 && !handle->calls_ended)
		ear_calls_start(handle->calls, handle->moment, NULL);
	const uint32_t count = ear_calls_count(handle->calls);
	for (uint32_t i = 0; i <= count + 1; i++)
		demand(ear_calls_path(handle->calls, i, &path) == (i > 0 && i <= count) &&
			(i == 0 || i > count || path.parent < i));
	path.parent = api_take(api) % 4;
	path.hart = api_take_hart(api);
	path.entry = api_take(api);
	if (ear_calls_add(handle->calls, &path, &number) == 0)
		demand(number <= ear_calls_count(handle->calls));
	ear_calls_mark(handle->calls, api_take_hart(api));
	ear_calls_limited(handle->calls);
	switch (api_take(api) % 8) {
	case 0:
		if (!handle->calls_ended)
			demand(ear_calls_end(handle->calls) == 0);
		handle->calls_ended = true;
		break;
	case 1:
		ear_calls_free(handle->calls);
		handle->calls = NULL;
		break;
	default: break;
	}
}

void api_ask_tasks(struct api *api, struct handle *handle)
{
	struct ear_tasks_options options = EAR_TASKS_DEFAULTS;
	struct ear_task_facts facts = {.size = sizeof(facts)};

	if (!handle->tasks) {
		options.has_port = api_take(api) & 1;
		options.port = api_take_address(api);
		int result = ear_tasks_new(&handle->tasks, handle->trace, &options, NULL);
		if (!api_cancelled(handle, result) && api_take(api) & 1)
			api_cancelled(handle,
				ear_tasks_start(handle->tasks, api_take_position(api), NULL));
		return;
	}
	const uint32_t count = ear_tasks_count(handle->tasks);
	for (uint32_t i = 0; i <= count + 1; i++)
		demand(ear_tasks_get(handle->tasks, i, &facts) == (i > 0 && i <= count));
	ear_tasks_is(handle->tasks, api_take(api) % 4, api_take_name(api));
	ear_tasks_events(handle->tasks);
	if (api_take(api) % 4 == 0) {
		ear_tasks_free(handle->tasks);
		handle->tasks = NULL;
	}
}
