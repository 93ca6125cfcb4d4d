/* Calls of libearshot in any order: each byte of the input chooses a call, those after it its
 * arguments. Two handles read the same small trace, one with an index of many parts and one
 * without, and have moments, histories, calls and tasks. Wrong is: a crash, a write beyond what was
 * handed over, an error that no argument explains, a place that is not where the calls led, and any
 * answer in which the two handles, or a moment and a history, differ.
 */
#include <earshot/earshot.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_moments.h"
#include "target.h"

#define CALLS_MAX 400u

/* ---- Reading. ---- */

static void check_place(struct api *api, struct handle *handle)
{
	const uint64_t position = ear_trace_position(handle->trace);

	if (handle->place == UNPLACED)
		return;
	demand(position == handle->place && position <= api->sample->count);
	demand(ear_trace_number(handle->trace) == api->sample->numbers[position]);
}

/* Runs of records that calls or tasks hand out: one after the other. */
static int take_run(
	void *context, const struct ear_batch *batch, size_t first, size_t count, uint32_t number)
{
	size_t *next = context;

	(void)number;
	demand(first >= *next && count > 0 && first + count <= batch->count);
	*next = first + count;
	return 0;
}

static void follow(struct handle *handle, const struct ear_batch *batch)
{
	size_t next[2] = {0, 0};

	if (handle->calls && !handle->calls_ended)
		demand(ear_calls_batch(handle->calls, batch, take_run, &next[0]) == 0);
	if (handle->tasks)
		demand(ear_tasks_batch(handle->tasks, batch, take_run, &next[1]) == 0);
}

static void read_batches(struct api *api, struct handle *handle, unsigned count, bool one)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	const struct ear_record *record;

	while (count-- > 0) {
		int result = one ? ear_trace_next(handle->trace, &record)
				 : ear_trace_next_batch(handle->trace, &batch);
		if (api_cancelled(handle, result))
			return;
		const uint64_t end = ear_trace_position(handle->trace);
		if (result == 0) {
			demand(end == api->sample->count);
			break;
		}
		const size_t size = one ? 1 : batch.count;
		demand(size > 0 && end <= api->sample->count && size <= end);
		demand(handle->place == UNPLACED || handle->place == end - size);
		for (size_t i = 0; i < size; i++)
			api_check_record(
				api, one ? record : ear_batch_record(&batch, i), end - size + i);
		handle->place = end;
		if (!one)
			follow(handle, &batch);
	}
	check_place(api, handle);
}

static void read_ahead(struct api *api, struct handle *handle, unsigned count)
{
	struct ear_batch batch = {.size = sizeof(batch)};
	struct ear_ahead *ahead;
	uint64_t place = ear_trace_position(handle->trace);
	int result = 1;

	demand(ear_ahead_new(&ahead, handle->trace) == 0);
	while (result == 1 && count-- > 0) {
		result = ear_ahead_next_batch(ahead, &batch);
		for (size_t i = 0; result == 1 && i < batch.count; i++)
			api_check_record(api, ear_batch_record(&batch, i), batch.position + i);
		demand(result != 1 || batch.position == place);
		place += result == 1 ? batch.count : 0;
	}
	ear_ahead_free(ahead);
	api_cancelled(handle, result);
	handle->place = UNPLACED;
}

static void seek(struct api *api, struct handle *handle, unsigned how)
{
	const uint64_t count = api->sample->count, place = api_take_position(api);
	int result;

	switch (how % 5) {
	case 0: result = ear_trace_seek_number(handle->trace, place, NULL); break;
	case 1: result = ear_trace_seek_time(handle->trace, place, NULL); break;
	case 2:
		result = ear_trace_seek_event(handle->trace, api_take_name(api), place, NULL);
		if (result == EAR_E_BAD_ARGUMENT)
			return;
		break;
	default: result = ear_trace_seek(handle->trace, place, NULL); break;
	}
	handle->place = UNPLACED;
	if (api_cancelled(handle, result))
		return;
	handle->place = ear_trace_position(handle->trace);
	check_place(api, handle);
	if (how % 5 >= 3)
		demand(handle->place == (place < count ? place : count) &&
			result == (place <= count));
	else if (result == 0)
		demand(how % 5 > 0 || place >= api->sample->numbers[count]);
	else if (how % 5 == 0)
		demand(ear_trace_number(handle->trace) == place);
	else
		demand(how % 5 == 1 || handle->place >= place);
}

static void read_columns(struct api *api, struct handle *handle)
{
	struct ear_column columns[4];
	const size_t rows = api_take_size(api), count = api_take(api) % 5;
	const unsigned kinds = api_take(api) % 3 ? 0 : api_take(api);
	bool bad = false;
	size_t filled = 0;

	for (size_t i = 0; i < count; i++) {
		columns[i].id = api_take(api) % (EAR_COLUMN_COUNT + 1);
		const size_t size = ear_column_size(columns[i].id);
		bad |= size == 0;
		columns[i].values = malloc(rows * size);
	}
	int64_t result =
		ear_trace_columns(handle->trace, columns, count, rows, kinds, &filled, NULL);
	demand(result <= (int64_t)rows && filled <= rows);
	if (result != EAR_E_BAD_ARGUMENT)
		api_cancelled(handle, result);
	else
		demand(bad || kinds != 0);
	handle->place = UNPLACED;
	for (size_t i = 0; i < count; i++)
		free(columns[i].values);
}

/* ---- Questions about the whole, to both handles. ---- */

/* What both say: false if one was cancelled. */
static bool same(const int64_t results[2])
{
	for (unsigned i = 0; i < 2; i++)
		if (results[i] == EAR_E_CANCELLED)
			return false;
	demand(results[0] == results[1]);
	return true;
}

static void ask_counts(struct api *api)
{
	struct ear_trace_counts counts[2] = {
		{.size = sizeof(counts[0])}, {.size = sizeof(counts[0])}};
	int64_t results[2];

	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_counts(api_handle_of(api, i)->trace, &counts[i], NULL);
	if (!same(results))
		return;
	demand(results[0] == 0 && counts[0].records == api->sample->count &&
		counts[0].instructions == api->sample->numbers[api->sample->count] &&
		counts[0].records == counts[1].records && counts[0].gaps == counts[1].gaps &&
		counts[0].instructions == counts[1].instructions &&
		counts[0].events == counts[1].events &&
		counts[0].exceptions == counts[1].exceptions &&
		counts[0].interrupts == counts[1].interrupts &&
		counts[0].has_time == counts[1].has_time &&
		counts[0].first_ticks == counts[1].first_ticks &&
		counts[0].last_ticks == counts[1].last_ticks);
}

static void ask_missing(struct api *api)
{
	const uint64_t from = api_take(api) % 2 ? 0 : api_take_position(api);
	const uint64_t to = api_take(api) % 2 ? UINT64_MAX : api_take_position(api);
	struct ear_missing missing[2] = {
		{.size = sizeof(missing[0])}, {.size = sizeof(missing[0])}};
	char text[2][200] = {"", ""};
	int64_t results[2];

	for (unsigned i = 0; i < 2; i++) {
		results[i] = ear_trace_missing(
			api_handle_of(api, i)->trace, from, to, &missing[i], NULL);
		if (results[i] == 0)
			ear_missing_text(&missing[i], text[i], 1 + api_take(api) % sizeof(text[i]));
	}
	if (same(results) && results[0] == 0)
		demand(missing[0].records == missing[1].records &&
			missing[0].gaps == missing[1].gaps && missing[0].lost == missing[1].lost &&
			missing[0].missing == missing[1].missing &&
			missing[0].unknown == missing[1].unknown &&
			missing[0].verdict == missing[1].verdict);
}

static void ask_verdict(struct api *api)
{
	struct ear_trace_verdict verdicts[2] = {
		{.size = sizeof(verdicts[0])}, {.size = sizeof(verdicts[0])}};
	int64_t results[2];

	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_verdict(api_handle_of(api, i)->trace, &verdicts[i], NULL);
	if (same(results))
		demand(results[0] == 0 && verdicts[0].kind == verdicts[1].kind &&
			verdicts[0].complete == verdicts[1].complete &&
			verdicts[0].hart_count == verdicts[1].hart_count);
}

static void ask_facts(struct api *api, struct handle *handle)
{
	struct ear_trace_facts facts = {
		.size = api_take(api) % 4 ? sizeof(facts) : api_take(api) % sizeof(facts)};
	struct ear_index_facts index = {.size = sizeof(index)};
	const size_t size = api_take(api) % 40;
	char *text = malloc(size);

	demand(ear_trace_facts(handle->trace, &facts) ==
		(facts.size < sizeof(size_t) ? EAR_E_BAD_ARGUMENT : 0));
	demand(ear_trace_index_facts(handle->trace, &index) == 0);
	ear_trace_fact(handle->trace, api_take_name(api), text, size);
	demand(ear_trace_carries(handle->trace, api_take_name(api)) <= 1);
	ear_trace_fault(handle->trace);
	demand(ear_trace_error(handle->trace) && ear_trace_error(NULL));
	free(text);
}

struct found {
	uint64_t count, first, last;
};

static int take_found(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct found *found = context;

	(void)number;
	demand(record && (found->count == 0 || position > found->last));
	if (found->count++ == 0)
		found->first = position;
	found->last = position;
	return 0;
}

static void take_query(struct api *api, struct ear_query *query, struct ear_span spans[4])
{
	const unsigned set = (unsigned)api_take_bytes(api, 2);

	*query = (struct ear_query)EAR_QUERY_ANY;
	for (unsigned i = 0; i < 4 && set & 3; i++)
		spans[i] = api_take_span(api);
	query->pcs = spans;
	query->pc_count = set & 1 ? 1 + (set >> 14 & 1) : 0;
	query->addresses = spans + 2;
	query->address_count = set & 2 ? 1 + (set >> 15) : 0;
	if (set & 4)
		query->accesses = api_take(api) % 4;
	if (set & 8)
		query->hart = api_take_hart(api);
	if (set & 0x10)
		query->kinds = api_take(api);
	if (set & 0x20) {
		query->has_register = true;
		query->register_class = (uint8_t)(api_take(api) % 6);
		query->register_number =
			(uint16_t)(api_take(api) % 3 ? api_take(api) % 34 : api_take_bytes(api, 2));
		query->register_name = (struct ear_text){"r14", 3};
		query->has_value = api_take(api) & 1;
		query->register_value = api_take(api);
	}
	if (set & 0x40)
		query->traps = api_take(api) % 4;
	if (set & 0x80) {
		query->has_cause = true;
		query->cause = api_take(api) % 16;
	}
	if (set & 0x100)
		query->privileges = api_take(api);
	query->privilege_change = set & 0x200;
	if (set & 0x400)
		ear_query_event(query, api_take_name(api));
	if (set & 0x800) {
		query->has_data = true;
		query->data = api_take(api);
		query->data_mask = api_take(api) % 2 ? UINT64_MAX : api_take(api);
	}
	if (set & 0x1000) {
		query->opcode_mask = api_take_bytes(api, 4);
		query->opcode_value = api_take_bytes(api, 4);
	}
}

static void search(struct api *api)
{
	const uint64_t from = api_take_position(api);
	const enum ear_direction direction = api_take(api) % 2 ? EAR_BACKWARD : EAR_FORWARD;
	struct ear_span spans[4] = {{0, 0}};
	struct ear_query query;
	struct found found[2] = {{0}};
	uint64_t positions[2] = {0}, count;
	int64_t results[2], all[2];

	take_query(api, &query, spans);
	for (unsigned i = 0; i < 2; i++) {
		struct ear_trace *trace = api_handle_of(api, i)->trace;
		const bool back = direction == EAR_BACKWARD;
		results[i] = ear_trace_find(trace, &query, from, direction, &positions[i], NULL);
		all[i] = ear_trace_find_all(trace, &query, back ? 0 : from,
			back ? from : UINT64_MAX, take_found, &found[i], NULL);
		if (all[i] != 0)
			continue;
		int counted = ear_trace_count_found(
			trace, &query, back ? 0 : from, back ? from : UINT64_MAX, &count, NULL);
		demand(counted == EAR_E_CANCELLED || (counted == 0 && count == found[i].count));
		if (results[i] >= 0)
			demand(results[i] == (count > 0) &&
				(count == 0 ||
					positions[i] == (back ? found[i].last : found[i].first)));
	}
	if (same(results) && same(all) && results[0] >= 0)
		demand(found[0].count == found[1].count && positions[0] == positions[1]);
}

static void ask_last_write(struct api *api)
{
	const struct ear_span span = api_take_span(api);
	const uint64_t before = api_take_position(api);
	uint64_t positions[2] = {0};
	int64_t results[2];

	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_last_write(
			api_handle_of(api, i)->trace, span, before, &positions[i], NULL);
	if (same(results))
		demand(positions[0] == positions[1]);
}

static void ask_chain(struct api *api)
{
	const struct ear_value_chain_options options = {.size = sizeof(options),
		.nodes = api_take(api),
		.depth = api_take(api),
		.repeats = api_take(api) % 4,
		.folded = api_take(api),
		.addresses = api_take(api) & 1};
	struct ear_value value = {.before = api_take_position(api)};
	const struct ear_value_chain *chains[2] = {NULL};
	int64_t results[2];

	value.place.kind = (uint8_t)(api_take(api) % 3);
	value.place.reg_class = (uint8_t)(api_take(api) % 4);
	value.place.number = (uint16_t)(api_take(api) % 40);
	value.place.hart = api_take_hart(api);
	value.place.size = (uint8_t)(api_take(api) % 10);
	value.place.address = api_take_address(api);
	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_value_chain(
			api_handle_of(api, i)->trace, &value, &options, &chains[i], NULL);
	if (same(results) && results[0] == 0 && !api->images_differ)
		demand(chains[0]->node_count == chains[1]->node_count &&
			chains[0]->source_count == chains[1]->source_count &&
			chains[0]->value_known == chains[1]->value_known &&
			chains[0]->value == chains[1]->value);
	ear_value_chain_free(chains[0]);
	ear_value_chain_free(chains[1]);
}

static void ask_why(struct api *api)
{
	struct ear_why_options options = EAR_WHY_DEFAULTS;
	const struct ear_why *whys[2] = {NULL};
	int64_t results[2];

	options.hart = (int)(api_take(api) % 4) - 1;
	options.has_tohost = api_take(api) % 2;
	options.tohost = api_take_address(api);
	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_why(api_handle_of(api, i)->trace, &options, &whys[i], NULL);
	if (same(results) && results[0] == 0 && !api->images_differ)
		demand(whys[0]->kind == whys[1]->kind && strcmp(whys[0]->text, whys[1]->text) == 0);
	ear_why_free(whys[0]);
	ear_why_free(whys[1]);
}

static void ask_check(struct api *api, struct handle *handle)
{
	const struct ear_record_register assumed = {
		.reg_class = EAR_REGISTER_X, .number = 2, .value = 0x80002000};
	struct ear_check_options options = EAR_CHECK_DEFAULTS;
	struct ear_check_counts counts = {.size = sizeof(counts)};

	options.rules = (uint32_t)api_take_bytes(api, 2);
	options.reset = api_take(api) & 1;
	options.assumed = &assumed;
	options.assumed_count = api_take(api) & 1;
	int result = ear_trace_check(handle->trace, &options, NULL, NULL, &counts, NULL);
	demand(api_cancelled(handle, result) || counts.records == api->sample->count);
}

static void ask_index(struct api *api, struct handle *handle, bool rebuild)
{
	const uint64_t from = api_take_position(api);
	uint64_t position = 0;
	const bool indexed = handle == &api->handles[1];

	int result = ear_trace_index(handle->trace, rebuild, NULL);
	if (api_cancelled(handle, result))
		return;
	demand(result == indexed);
	if (rebuild) {
		result = ear_trace_index_verify(handle->trace, NULL);
		if (!indexed)
			demand(result == EAR_E_UNSUPPORTED);
		else
			api_cancelled(handle, result);
	}
	api_cancelled(handle, ear_trace_find_report(handle->trace, from, &position, NULL));
	result = ear_trace_checkpoint_before(handle->trace, from, &position, NULL);
	demand(api_cancelled(handle, result) || position <= from);
}

static void set_image(struct api *api)
{
	static const uint8_t bytes[64] = {0x93, 0x82, 0x12, 0x00, 1, 2, 3, 4, 5, 6};
	struct ear_image_segment segments[2];
	const size_t count = api_take(api) % 3;
	int results[2];

	for (size_t i = 0; i < count; i++)
		segments[i] = (struct ear_image_segment){
			api_take_address(api), api_take(api) % 65, bytes, api_take(api) & 1};
	for (unsigned i = 0; i < 2; i++) {
		results[i] = ear_trace_set_image(api_handle_of(api, i)->trace, segments, count);
		demand(results[i] == 0 || results[i] == EAR_E_BAD_ARGUMENT);
	}
	api->has_image = true;
	api->images_differ |= results[0] != results[1];
}

/* ---- Calls by number. ---- */

static void call(struct api *api)
{
	const unsigned byte = api_take(api);
	struct handle *handle = api_handle_of(api, byte >> 7);

	switch (byte % 32) {
	case 0: read_batches(api, handle, 1 + api_take(api) % 8, true); break;
	case 1: read_batches(api, handle, 1 + api_take(api) % 64, false); break;
	case 2: read_ahead(api, handle, api_take(api) % 8); break;
	case 3:
	case 4: seek(api, handle, api_take(api)); break;
	case 5: read_columns(api, handle); break;
	case 6: ask_counts(api); break;
	case 7: ask_missing(api); break;
	case 8: ask_verdict(api); break;
	case 9: ask_facts(api, handle); break;
	case 10:
	case 11: search(api); break;
	case 12: ask_last_write(api); break;
	case 13: ask_chain(api); break;
	case 14: ask_why(api); break;
	case 15: ask_check(api, handle); break;
	case 16: ask_index(api, handle, api_take(api) == 0); break;
	case 17: set_image(api); break;
	case 18:
	case 19: api_move_moment(api, handle); break;
	case 20:
	case 21:
	case 22: api_move_history(api, handle); break;
	case 23:
	case 24: api_compare(api, byte >> 7); break;
	case 25: api_ask_memory(api, handle, false); break;
	case 26: api_ask_memory(api, handle, true); break;
	case 27:
		if (handle->moment)
			api_ask_stack(api, handle);
		break;
	case 28: api_ask_calls(api, handle); break;
	case 29: api_ask_tasks(api, handle); break;
	case 30: api->stop_after = api_take(api) % 8; break;
	default:
		if (api_take(api) % 4 == 0) {
			api_close_handle(handle);
			api->images_differ |= api->has_image;
		}
		break;
	}
}

/* Of all inputs: docs/security.md, section 6. */
static uint64_t call_count;

static void print_count(void)
{
	fprintf(stderr, "fuzz_api: %" PRIu64 " calls\n", call_count);
}

int fuzz_api(const uint8_t *bytes, size_t size)
{
	struct api api = {.at = bytes, .left = size};

	if (size == 0)
		return 0;
	if (call_count == 0)
		atexit(print_count);
	api.sample = api_sample(api_take(&api));
	for (unsigned i = 0; api.left > 0 && i < CALLS_MAX; i++, call_count++)
		call(&api);
	api_close_handle(&api.handles[0]);
	api_close_handle(&api.handles[1]);
	return 0;
}
