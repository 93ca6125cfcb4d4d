/* Calls of libearshot in any order: each byte of the input chooses a call, those after it its
 * arguments. Two handles read the same small trace, one with an index of many parts and one
 * without, and have moments, histories, calls and tasks. Wrong is: a crash, a write beyond what was
 * handed over, an error that no argument explains, a place that is not where the calls led, and any
 * answer in which the two handles, or a moment and a history, differ.
 */
#include <earshot/earshot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api_sample.h"
#include "byte_buffer.h"
#include "library/api/trace_internal.h"
#include "target.h"

#define CALLS_MAX 400u

static _Noreturn void fail(int line)
{
	fprintf(stderr, "fuzz_api.c:%d: this does not hold\n", line);
	abort();
}
#define demand(holds) ((holds) ? (void)0 : fail(__LINE__))

struct handle {
	struct ear_trace *trace;
	struct ear_moment *moment;
	struct ear_history *history;
	struct ear_calls *calls;
	struct ear_tasks *tasks;
	bool calls_ended;
	uint64_t place; /* where reading is; UNPLACED: at any place */
};
#define UNPLACED UINT64_MAX

struct api {
	const uint8_t *at;
	size_t left;
	const struct api_sample *sample;
	struct handle handles[2];
	bool has_image, images_differ; /* has_image: one was given */
	unsigned stop_after;           /* reports until one of them ends the call; 0: none does */
};

/* ---- Arguments. ---- */

static unsigned take(struct api *api)
{
	if (api->left == 0)
		return 0;
	api->left--;
	return *api->at++;
}

static uint64_t take_bytes(struct api *api, unsigned count)
{
	uint64_t value = 0;

	while (count-- > 0)
		value = value << 8 | take(api);
	return value;
}

static uint64_t take_position(struct api *api)
{
	const uint64_t count = api->sample->count;
	const uint64_t odd[] = {count, count + 1, count - 1, UINT64_MAX, UINT64_MAX - 1,
		UINT64_MAX / 2, UINT32_MAX, (uint64_t)UINT32_MAX + 1};
	const unsigned byte = take(api);

	return byte < 0xe0 ? (byte << 8 | take(api)) % (count + 3) : odd[byte % 8];
}

static uint64_t take_address(struct api *api)
{
	static const uint64_t bases[] = {0x80000000, 0x80001000, 0x80001ff0, 0x80000f80, 0,
		0xffffff80, 0xffffffffffffff80, 0x7fffffffffffff80};
	const unsigned byte = take(api);

	return byte == 0xff ? take_bytes(api, 8) : bases[byte % 8] + take(api);
}

static size_t take_size(struct api *api)
{
	static const size_t sizes[] = {0, 1, 2, 4, 7, 8, 63, 64, 65, 256, 2048, 2049, 5000};
	const unsigned byte = take(api);

	return byte < 0xc0 ? sizes[byte % 13] : take(api);
}

static struct ear_span take_span(struct api *api)
{
	struct ear_span span = {take_address(api), 0};

	span.last = take(api) % 16 == 0 ? take_address(api) : span.first + take(api);
	return span;
}

static uint16_t take_hart(struct api *api)
{
	const unsigned byte = take(api);

	return (uint16_t)(byte < 0xf0 ? byte % 3 : take_bytes(api, 2));
}

/* A name that something has, or nothing. */
static const char *take_name(struct api *api)
{
	static const char *const names[] = {"switch", "port", "3", "", "stop", "mark", "r14", "pc",
		"vsew", "device", "created", "gap", "trap cause", "interrupt", "nothing", "255",
		"256", "1"};

	return names[take(api) % (sizeof(names) / sizeof(names[0]))];
}

/* ---- Handles. ---- */

static int report(void *context, uint64_t line, uint64_t byte, const char *cause, bool bad)
{
	struct api *api = context;

	(void)line;
	(void)byte;
	(void)bad;
	demand(cause != NULL);
	return api->stop_after > 0 && --api->stop_after == 0;
}

/* A call that failed, though nothing was wrong with it: its report function wanted that. */
static bool cancelled(struct handle *handle, int64_t result)
{
	if (result >= 0)
		return false;
	demand(result == EAR_E_CANCELLED && ear_trace_error(handle->trace)[0]);
	return true;
}

static void close_handle(struct handle *handle)
{
	ear_calls_free(handle->calls);
	ear_history_free(handle->history);
	ear_moment_free(handle->moment);
	ear_trace_close(handle->trace);
	ear_tasks_free(handle->tasks);
	*handle = (struct handle){.trace = NULL};
}

static struct handle *handle_of(struct api *api, unsigned number)
{
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct handle *handle = &api->handles[number];
	static const struct ear_span device = {0x80001008, 0x8000100b};

	if (handle->trace)
		return handle;
	options.format = api->sample->format;
	options.xlen = strcmp(options.format, "whisper") ? 0 : 32; /* else readers look for it */
	options.devices = &device;
	options.device_count = 1;
	options.index = number ? EAR_INDEX_AUTO : EAR_INDEX_NONE;
	options.index_file = api->sample->index;
	options.report = report;
	options.report_context = api;
	if (ear_trace_open_fd(&handle->trace, api->sample->fd, api->sample->path, &options) != 0) {
		demand(api->stop_after == 0);
		api->stop_after = 0;
		demand(ear_trace_open_fd(
			       &handle->trace, api->sample->fd, api->sample->path, &options) == 0);
	}
	handle->trace->index_always = true;
	handle->trace->index_stretch = 16;
	handle->trace->past_window = 20;
	handle->place = 0;
	return handle;
}

/* ---- Reading. ---- */

static void check_place(struct api *api, struct handle *handle)
{
	const uint64_t position = ear_trace_position(handle->trace);

	if (handle->place == UNPLACED)
		return;
	demand(position == handle->place && position <= api->sample->count);
	demand(ear_trace_number(handle->trace) == api->sample->numbers[position]);
}

static void check_record(struct api *api, const struct ear_record *record, uint64_t position)
{
	const struct api_record *expected = &api->sample->records[position];

	demand(position < api->sample->count);
	demand(record->kind == expected->kind && record->hart == expected->hart);
	demand(record->kind != EAR_RECORD_INSTRUCTION || record->pc == expected->pc);
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
		if (cancelled(handle, result))
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
			check_record(
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
			check_record(api, ear_batch_record(&batch, i), batch.position + i);
		demand(result != 1 || batch.position == place);
		place += result == 1 ? batch.count : 0;
	}
	ear_ahead_free(ahead);
	cancelled(handle, result);
	handle->place = UNPLACED;
}

static void seek(struct api *api, struct handle *handle, unsigned how)
{
	const uint64_t count = api->sample->count, place = take_position(api);
	int result;

	switch (how % 5) {
	case 0: result = ear_trace_seek_number(handle->trace, place, NULL); break;
	case 1: result = ear_trace_seek_time(handle->trace, place, NULL); break;
	case 2:
		result = ear_trace_seek_event(handle->trace, take_name(api), place, NULL);
		if (result == EAR_E_BAD_ARGUMENT)
			return;
		break;
	default: result = ear_trace_seek(handle->trace, place, NULL); break;
	}
	handle->place = UNPLACED;
	if (cancelled(handle, result))
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
	const size_t rows = take_size(api), count = take(api) % 5;
	const unsigned kinds = take(api) % 3 ? 0 : take(api);
	bool bad = false;
	size_t filled = 0;

	for (size_t i = 0; i < count; i++) {
		columns[i].id = take(api) % (EAR_COLUMN_COUNT + 1);
		const size_t size = ear_column_size(columns[i].id);
		bad |= size == 0;
		columns[i].values = malloc(rows * size);
	}
	int64_t result =
		ear_trace_columns(handle->trace, columns, count, rows, kinds, &filled, NULL);
	demand(result <= (int64_t)rows && filled <= rows);
	if (result != EAR_E_BAD_ARGUMENT)
		cancelled(handle, result);
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
		results[i] = ear_trace_counts(handle_of(api, i)->trace, &counts[i], NULL);
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
	const uint64_t from = take(api) % 2 ? 0 : take_position(api);
	const uint64_t to = take(api) % 2 ? UINT64_MAX : take_position(api);
	struct ear_missing missing[2] = {
		{.size = sizeof(missing[0])}, {.size = sizeof(missing[0])}};
	char text[2][200] = {"", ""};
	int64_t results[2];

	for (unsigned i = 0; i < 2; i++) {
		results[i] =
			ear_trace_missing(handle_of(api, i)->trace, from, to, &missing[i], NULL);
		if (results[i] == 0)
			ear_missing_text(&missing[i], text[i], 1 + take(api) % sizeof(text[i]));
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
		results[i] = ear_trace_verdict(handle_of(api, i)->trace, &verdicts[i], NULL);
	if (same(results))
		demand(results[0] == 0 && verdicts[0].kind == verdicts[1].kind &&
			verdicts[0].complete == verdicts[1].complete &&
			verdicts[0].hart_count == verdicts[1].hart_count);
}

static void ask_facts(struct api *api, struct handle *handle)
{
	struct ear_trace_facts facts = {
		.size = take(api) % 4 ? sizeof(facts) : take(api) % sizeof(facts)};
	struct ear_index_facts index = {.size = sizeof(index)};
	const size_t size = take(api) % 40;
	char *text = malloc(size);

	demand(ear_trace_facts(handle->trace, &facts) ==
		(facts.size < sizeof(size_t) ? EAR_E_BAD_ARGUMENT : 0));
	demand(ear_trace_index_facts(handle->trace, &index) == 0);
	ear_trace_fact(handle->trace, take_name(api), text, size);
	demand(ear_trace_carries(handle->trace, take_name(api)) <= 1);
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
	const unsigned set = (unsigned)take_bytes(api, 2);

	*query = (struct ear_query)EAR_QUERY_ANY;
	for (unsigned i = 0; i < 4 && set & 3; i++)
		spans[i] = take_span(api);
	query->pcs = spans;
	query->pc_count = set & 1 ? 1 + (set >> 14 & 1) : 0;
	query->addresses = spans + 2;
	query->address_count = set & 2 ? 1 + (set >> 15) : 0;
	if (set & 4)
		query->accesses = take(api) % 4;
	if (set & 8)
		query->hart = take_hart(api);
	if (set & 0x10)
		query->kinds = take(api);
	if (set & 0x20) {
		query->has_register = true;
		query->register_class = (uint8_t)(take(api) % 6);
		query->register_number =
			(uint16_t)(take(api) % 3 ? take(api) % 34 : take_bytes(api, 2));
		query->register_name = (struct ear_text){"r14", 3};
		query->has_value = take(api) & 1;
		query->register_value = take(api);
	}
	if (set & 0x40)
		query->traps = take(api) % 4;
	if (set & 0x80) {
		query->has_cause = true;
		query->cause = take(api) % 16;
	}
	if (set & 0x100)
		query->privileges = take(api);
	query->privilege_change = set & 0x200;
	if (set & 0x400)
		ear_query_event(query, take_name(api));
	if (set & 0x800) {
		query->has_data = true;
		query->data = take(api);
		query->data_mask = take(api) % 2 ? UINT64_MAX : take(api);
	}
	if (set & 0x1000) {
		query->opcode_mask = take_bytes(api, 4);
		query->opcode_value = take_bytes(api, 4);
	}
}

static void search(struct api *api)
{
	const uint64_t from = take_position(api);
	const enum ear_direction direction = take(api) % 2 ? EAR_BACKWARD : EAR_FORWARD;
	struct ear_span spans[4] = {{0, 0}};
	struct ear_query query;
	struct found found[2] = {{0}};
	uint64_t positions[2] = {0}, count;
	int64_t results[2], all[2];

	take_query(api, &query, spans);
	for (unsigned i = 0; i < 2; i++) {
		struct ear_trace *trace = handle_of(api, i)->trace;
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
	const struct ear_span span = take_span(api);
	const uint64_t before = take_position(api);
	uint64_t positions[2] = {0};
	int64_t results[2];

	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_last_write(
			handle_of(api, i)->trace, span, before, &positions[i], NULL);
	if (same(results))
		demand(positions[0] == positions[1]);
}

static void ask_chain(struct api *api)
{
	const struct ear_value_chain_options options = {.size = sizeof(options),
		.nodes = take(api),
		.depth = take(api),
		.repeats = take(api) % 4,
		.folded = take(api),
		.addresses = take(api) & 1};
	struct ear_value value = {.before = take_position(api)};
	const struct ear_value_chain *chains[2] = {NULL};
	int64_t results[2];

	value.place.kind = (uint8_t)(take(api) % 3);
	value.place.reg_class = (uint8_t)(take(api) % 4);
	value.place.number = (uint16_t)(take(api) % 40);
	value.place.hart = take_hart(api);
	value.place.size = (uint8_t)(take(api) % 10);
	value.place.address = take_address(api);
	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_value_chain(
			handle_of(api, i)->trace, &value, &options, &chains[i], NULL);
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

	options.hart = (int)(take(api) % 4) - 1;
	options.has_tohost = take(api) % 2;
	options.tohost = take_address(api);
	for (unsigned i = 0; i < 2; i++)
		results[i] = ear_trace_why(handle_of(api, i)->trace, &options, &whys[i], NULL);
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

	options.rules = (uint32_t)take_bytes(api, 2);
	options.reset = take(api) & 1;
	options.assumed = &assumed;
	options.assumed_count = take(api) & 1;
	int result = ear_trace_check(handle->trace, &options, NULL, NULL, &counts, NULL);
	demand(cancelled(handle, result) || counts.records == api->sample->count);
}

static void ask_index(struct api *api, struct handle *handle, bool rebuild)
{
	const uint64_t from = take_position(api);
	uint64_t position = 0;
	const bool indexed = handle == &api->handles[1];

	int result = ear_trace_index(handle->trace, rebuild, NULL);
	if (cancelled(handle, result))
		return;
	demand(result == indexed);
	if (rebuild) {
		result = ear_trace_index_verify(handle->trace, NULL);
		if (!indexed)
			demand(result == EAR_E_UNSUPPORTED);
		else
			cancelled(handle, result);
	}
	cancelled(handle, ear_trace_find_report(handle->trace, from, &position, NULL));
	result = ear_trace_checkpoint_before(handle->trace, from, &position, NULL);
	demand(cancelled(handle, result) || position <= from);
}

static void set_image(struct api *api)
{
	static const uint8_t bytes[64] = {0x93, 0x82, 0x12, 0x00, 1, 2, 3, 4, 5, 6};
	struct ear_image_segment segments[2];
	const size_t count = take(api) % 3;
	int results[2];

	for (size_t i = 0; i < count; i++)
		segments[i] = (struct ear_image_segment){
			take_address(api), take(api) % 65, bytes, take(api) & 1};
	for (unsigned i = 0; i < 2; i++) {
		results[i] = ear_trace_set_image(handle_of(api, i)->trace, segments, count);
		demand(results[i] == 0 || results[i] == EAR_E_BAD_ARGUMENT);
	}
	api->has_image = true;
	api->images_differ |= results[0] != results[1];
}

/* ---- Moments and histories. ---- */

static void ask_moment(struct api *api, struct handle *handle)
{
	const struct ear_moment *moment = handle->moment;
	const uint16_t hart = take_hart(api);
	const unsigned number = take(api);
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
		check_record(api, record, ear_moment_position(moment) - 1);
	ear_moment_pc(moment, hart, &value);
	ear_moment_next_pc(moment, hart, &value);
	ear_moment_ticks(moment, &value);
	ear_moment_privilege(moment, hart, &privilege);
	ear_moment_named(moment, hart, take_name(api), &value);
	const uint8_t *vector = ear_moment_vector(moment, hart, number, &size);
	demand(!vector || size > 0);
	ear_moment_view(handle->moment, hart, &view);
	view.read_register(view.context, number, &value);
	view.read_memory(view.context, take_address(api), &byte, &known, 1);
	if (view.read_named)
		view.read_named(view.context, take_name(api), &value);
}

static void ask_stack(struct api *api, struct handle *handle)
{
	const size_t max = take(api) % 5, size = sizeof(struct ear_call_frame);
	struct ear_call_frame *frames = malloc(max * size);

	int64_t result = ear_moment_stack(handle->moment, take_hart(api), frames, size, max, NULL);
	if (result != EAR_E_UNSUPPORTED && result != EAR_E_BAD_ARGUMENT)
		demand(cancelled(handle, result) || result > 0);
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
	if (cancelled(handle, memory->result))
		return;
	int64_t count = 0;
	for (size_t i = 0; known && i < size; i++) {
		demand(memory->known[i] <= EAR_BYTE_IMAGE);
		demand(memory->known[i] != EAR_BYTE_UNKNOWN || memory->bytes[i] == 0);
		count += memory->known[i] != EAR_BYTE_UNKNOWN;
	}
	demand(known ? count == memory->result : memory->result <= (int64_t)size);
}

/* A moment of one handle and a history of the other, at the same position. */
static void compare(struct api *api, unsigned number)
{
	struct handle *one = handle_of(api, number), *other = handle_of(api, !number);
	const uint16_t hart = take_hart(api);
	const unsigned reg_class = take(api) % 6,
		       reg = take(api) % 4 ? take(api) % 34 : (unsigned)take_bytes(api, 2);
	const uint64_t address = take_address(api);
	const size_t size = take_size(api);
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
		demand(a.result == b.result && memcmp(a.bytes, b.bytes, size) == 0 &&
			memcmp(a.known, b.known, size) == 0);
	free_memory(&a);
	free_memory(&b);
}

static void move_moment(struct api *api, struct handle *handle)
{
	const uint64_t position = take_position(api), count = api->sample->count;
	int result = handle->moment
			     ? ear_moment_move(handle->moment, position, NULL)
			     : ear_moment_new(&handle->moment, handle->trace, position, NULL);

	if (cancelled(handle, result)) {
		ear_moment_free(handle->moment);
		handle->moment = NULL;
		return;
	}
	demand(ear_moment_position(handle->moment) == (position < count ? position : count));
	ask_moment(api, handle);
}

static void move_history(struct api *api, struct handle *handle)
{
	const uint64_t position = take_position(api), count = api->sample->count;
	struct ear_batch batch = {.size = sizeof(batch)};
	uint64_t first, end;
	int result = handle->history
			     ? ear_history_move(handle->history, position, NULL)
			     : ear_history_new(&handle->history, handle->trace, position, NULL);

	if (cancelled(handle, result))
		return;
	demand(ear_history_position(handle->history) == (position < count ? position : count));
	bool at_end = ear_history_window(handle->history, &first, &end);
	demand(first <= end && end <= count && (!at_end || end == count));
	const uint64_t asked = take_position(api);
	const struct ear_record *record = ear_history_record(handle->history, asked);
	demand((record != NULL) == (asked >= first && asked < end));
	if (!record)
		return;
	check_record(api, record, asked);
	demand(ear_history_batch(handle->history, asked, &batch) == 1 && batch.position == asked &&
		batch.number == api->sample->numbers[asked]);
	for (size_t i = 0; i < batch.count; i++)
		check_record(api, ear_batch_record(&batch, i), asked + i);
}

static void ask_memory(struct api *api, struct handle *handle, bool history)
{
	const uint64_t address = take_address(api);
	const size_t size = take_size(api);
	struct memory memory;

	if (!(history ? (void *)handle->history : (void *)handle->moment))
		return;
	read_memory(&memory, handle, history, address, size, take(api) & 1);
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

static void ask_calls(struct api *api, struct handle *handle)
{
	struct ear_calls_options options = EAR_CALLS_DEFAULTS;
	struct ear_call_path path = {.size = sizeof(path)};
	const struct ear_calls_watch watch = {
		.size = sizeof(watch), .entered = entered, .left = left};
	uint32_t number;

	if (!handle->calls) {
		options.interrupts_inside = take(api) & 1;
		options.paths_max = take(api) % 8;
		demand(ear_calls_new(&handle->calls, &options) == 0);
		handle->calls_ended = false;
		if (take(api) & 1)
			demand(ear_calls_set_watch(handle->calls, &watch) == 0);
		return;
	}
	if (handle->moment && take(api) & 1 && !handle->calls_ended)
		ear_calls_start(handle->calls, handle->moment, NULL);
	const uint32_t count = ear_calls_count(handle->calls);
	for (uint32_t i = 0; i <= count + 1; i++)
		demand(ear_calls_path(handle->calls, i, &path) == (i > 0 && i <= count) &&
			(i == 0 || i > count || path.parent < i));
	path.parent = take(api) % 4;
	path.hart = take_hart(api);
	path.entry = take(api);
	if (ear_calls_add(handle->calls, &path, &number) == 0)
		demand(number <= ear_calls_count(handle->calls));
	ear_calls_mark(handle->calls, take_hart(api));
	ear_calls_limited(handle->calls);
	switch (take(api) % 8) {
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

static void ask_tasks(struct api *api, struct handle *handle)
{
	struct ear_tasks_options options = EAR_TASKS_DEFAULTS;
	struct ear_task_facts facts = {.size = sizeof(facts)};

	if (!handle->tasks) {
		options.has_port = take(api) & 1;
		options.port = take_address(api);
		int result = ear_tasks_new(&handle->tasks, handle->trace, &options, NULL);
		if (!cancelled(handle, result) && take(api) & 1)
			cancelled(handle, ear_tasks_start(handle->tasks, take_position(api), NULL));
		return;
	}
	const uint32_t count = ear_tasks_count(handle->tasks);
	for (uint32_t i = 0; i <= count + 1; i++)
		demand(ear_tasks_get(handle->tasks, i, &facts) == (i > 0 && i <= count));
	ear_tasks_is(handle->tasks, take(api) % 4, take_name(api));
	ear_tasks_events(handle->tasks);
	if (take(api) % 4 == 0) {
		ear_tasks_free(handle->tasks);
		handle->tasks = NULL;
	}
}

/* ---- Calls by number. ---- */

static void call(struct api *api)
{
	const unsigned byte = take(api);
	struct handle *handle = handle_of(api, byte >> 7);

	switch (byte % 32) {
	case 0: read_batches(api, handle, 1 + take(api) % 8, true); break;
	case 1: read_batches(api, handle, 1 + take(api) % 64, false); break;
	case 2: read_ahead(api, handle, take(api) % 8); break;
	case 3:
	case 4: seek(api, handle, take(api)); break;
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
	case 16: ask_index(api, handle, take(api) == 0); break;
	case 17: set_image(api); break;
	case 18:
	case 19: move_moment(api, handle); break;
	case 20:
	case 21:
	case 22: move_history(api, handle); break;
	case 23:
	case 24: compare(api, byte >> 7); break;
	case 25: ask_memory(api, handle, false); break;
	case 26: ask_memory(api, handle, true); break;
	case 27:
		if (handle->moment)
			ask_stack(api, handle);
		break;
	case 28: ask_calls(api, handle); break;
	case 29: ask_tasks(api, handle); break;
	case 30: api->stop_after = take(api) % 8; break;
	default:
		if (take(api) % 4 == 0) {
			close_handle(handle);
			api->images_differ |= api->has_image;
		}
		break;
	}
}

int fuzz_api(const uint8_t *bytes, size_t size)
{
	struct api api = {.at = bytes, .left = size};

	if (size == 0)
		return 0;
	api.sample = api_sample(take(&api));
	for (unsigned i = 0; api.left > 0 && i < CALLS_MAX; i++)
		call(&api);
	close_handle(&api.handles[0]);
	close_handle(&api.handles[1]);
	return 0;
}
