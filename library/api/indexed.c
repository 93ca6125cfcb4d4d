/* When a trace gets an index, and which of its questions that can answer.
 *
 * An index that exists is used. One is built only for a trace of which reading PROBE records does
 * not reach the end: a shorter one is read faster than an index is made, and no file is left beside
 * it.
 */
#include "library/api/indexed.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/versioned.h"
#include "library/index/file/index_checkpoint.h"
#include "library/index/index_verify.h"

#define PROBE   500000u /* records, some 10 ms of a capture */
#define WAIT_MS 120000  /* for another handle that builds the same index */

/* As struct ear_index_options wants them: first and last in turn, count * 2. NULL: no memory. */
static uint64_t *list_devices(const struct ear_trace *trace)
{
	size_t count = trace->options.device_count;
	uint64_t *devices = calloc(2 * count + 1, sizeof(*devices));

	for (size_t i = 0; devices && i < count; i++) {
		devices[2 * i] = trace->options.devices[i].first;
		devices[2 * i + 1] = trace->options.devices[i].last;
	}
	return devices;
}

static int report_progress(void *context, uint64_t done, uint64_t total)
{
	struct ear_meter *meter = context;

	meter->done = done;
	meter->total = total;
	return ear_meter_ask(meter);
}

/* The progress of opening an index. */
struct opening {
	struct ear_meter meter;
	const struct ear_index_report *report;
};

static int report_opening(void *context, uint64_t done, uint64_t total)
{
	struct opening *opening = context;

	opening->meter.what =
		opening->report->comparing ? "comparing with the index" : "building the index";
	return report_progress(&opening->meter, done, total);
}

/* Forget the index, and every reader's use of it. */
static void drop_index(struct ear_trace *trace)
{
	ear_cursor_use_index(&trace->asking, NULL);
	ear_cursor_use_index(&trace->reading, NULL);
	ear_index_close(trace->index);
	trace->index_changes += trace->index != NULL;
	trace->index = NULL;
	trace->index_stale = false;
}

/* Open or build it. Returns 0; EAR_E_UNSUPPORTED: there is none; or an error. */
static int open_index(
	struct ear_trace *trace, enum ear_index_build build, const struct ear_progress *progress)
{
	uint64_t *devices = list_devices(trace);
	struct opening opening = {.report = &trace->index_report};

	if (!devices)
		return EAR_E_NO_MEMORY;
	ear_meter_begin(&opening.meter, progress, "", 0);
	const struct ear_index_options options = {
		.source = {.format = trace->options.format,
			.reader = {.xlen = trace->options.xlen,
				.isa = trace->options.isa,
				.pattern = trace->options.pattern,
				.code = trace->options.code,
				.unit = trace->options.unit}},
		.build = build,
		.file = trace->options.index_file,
		.cache = trace->options.index_cache,
		.jobs = trace->options.jobs,
		.wait_ms = WAIT_MS,
		.devices = devices,
		.device_count = trace->options.device_count,
		.stretch = trace->index_stretch,
		.progress = report_opening,
		.context = &opening,
	};
	struct ear_index_report before = trace->index_report;
	int result = ear_index_open(&trace->index, trace->path, &options, &trace->index_report);
	free(devices);
	/* What an earlier call built stays worth saying. */
	if (result == 0 && !trace->index_report.built && !trace->index_report.extended) {
		trace->index_report.built = before.built;
		trace->index_report.extended = before.extended;
		trace->index_report.built_records = before.built_records;
		trace->index_report.seconds = before.seconds;
	}
	if (result)
		trace->index = NULL;
	trace->index_changes += trace->index != NULL;
	return result;
}

/* Is the end of the trace near? 1 or 0, or an error of reading. */
static int is_short(struct ear_trace *trace)
{
	struct ear_cursor *cursor = &trace->asking;
	struct ear_batch batch;
	int result = ear_cursor_open(cursor);

	if (trace->index_always)
		return 0;
	while (result == 0 && cursor->position < PROBE) {
		result = ear_cursor_next_batch(cursor, &batch, SIZE_MAX);
		if (result <= 0)
			return result == 0 ? 1 : result;
		result = 0;
	}
	return result;
}

/* Whatever the length of the trace, and with rebuild always a new one. */
static int make_index(struct ear_trace *trace, bool rebuild, const struct ear_progress *progress)
{
	drop_index(trace);
	int result = open_index(
		trace, rebuild ? EAR_INDEX_BUILD_ALWAYS : EAR_INDEX_BUILD_IF_NEEDED, progress);
	trace->index_tried = result != EAR_E_CANCELLED;
	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(trace, result, "cancelled");
	if (result == EAR_E_NO_MEMORY)
		return ear_trace_fail(trace, result, "out of memory");
	return 0;
}

/* Without building one. Returns 1 if there is one, 0, or an error, which the trace has. */
static int open_existing(struct ear_trace *trace, const struct ear_progress *progress)
{
	int result = open_index(trace, EAR_INDEX_BUILD_NEVER, progress);

	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(trace, result, "cancelled");
	if (result == EAR_E_NO_MEMORY)
		return ear_trace_fail(trace, result, "out of memory");
	return result == 0;
}

int ear_trace_need_index(struct ear_trace *trace, const struct ear_progress *progress)
{
	bool stale = trace->index_stale;

	if (stale) {
		drop_index(trace);
		trace->index_tried = false;
	}
	if (trace->index_tried || !trace->path[0] || !trace->seekable ||
		trace->options.index == EAR_INDEX_NONE)
		return 0;
	if (!stale) {
		int result = open_existing(trace, progress);
		trace->index_tried = result >= 0;
		if (result < 0)
			return result;
		if (result == 1 || trace->options.index == EAR_INDEX_EXISTING)
			return 0;
		/* What cannot be read says so where it is read. */
		if (is_short(trace) != 0)
			return 0;
	}
	return make_index(trace, stale, progress);
}

int ear_trace_find_index(struct ear_trace *trace, const struct ear_progress *progress)
{
	if (trace->index || trace->index_tried || trace->index_stale || !trace->path[0] ||
		!trace->seekable || trace->options.index == EAR_INDEX_NONE)
		return 0;
	int result = open_existing(trace, progress);
	trace->index_tried = result == 1;
	return result < 0 ? result : 0;
}

int ear_trace_need_private_index(struct ear_trace *trace, const struct ear_progress *progress)
{
	if (trace->index_tried || trace->inference || !trace->path[0] || !trace->seekable ||
		trace->options.index != EAR_INDEX_NONE)
		return 0;
	trace->index_tried = true;
	if (is_short(trace) != 0)
		return 0;
	const int result = open_index(trace, EAR_INDEX_BUILD_PRIVATE, progress);
	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(trace, result, "cancelled");
	if (result == EAR_E_NO_MEMORY)
		return ear_trace_fail(trace, result, "out of memory");
	return 0; /* what cannot be read says so where it is read */
}

bool ear_trace_asks_again(struct ear_trace *trace, int64_t result)
{
	if (result != EAR_E_BAD_FILE || !trace->index || trace->index_doubted)
		return false;
	trace->index_doubted = true;
	if (trace->options.index == EAR_INDEX_EXISTING)
		drop_index(trace);
	else
		trace->index_stale = true;
	return true;
}

/* An index that is there is read once, so that a damaged one is not said to be there. Returns 0 or
 * an error. */
static int check_index(struct ear_trace *trace, const struct ear_progress *progress)
{
	const struct ear_index_report *report = &trace->index_report;

	if (!trace->index || report->built || report->extended ||
		ear_index_check(trace->index) != EAR_E_BAD_FILE)
		return 0;
	if (trace->options.index != EAR_INDEX_EXISTING)
		return make_index(trace, true, progress);
	drop_index(trace);
	snprintf(trace->index_report.cause, sizeof(trace->index_report.cause), "%s",
		"the index is damaged");
	return 0;
}

int ear_trace_index(struct ear_trace *trace, bool rebuild, const struct ear_progress *progress)
{
	int result = ear_trace_need_places(trace, "an index");

	if (result == EAR_E_UNSUPPORTED)
		return 0;
	if (!trace->path[0] || trace->options.index == EAR_INDEX_NONE) {
		ear_trace_fail(trace, 0, "%s",
			trace->path[0] ? "the options of the trace say that it has no index"
				       : "the trace has no name beside which an index could be");
		return 0;
	}
	if (trace->options.index == EAR_INDEX_EXISTING && !rebuild)
		result = ear_trace_need_index(trace, progress);
	else if (!trace->index || rebuild || trace->index_stale)
		result = make_index(trace, rebuild || trace->index_stale, progress);
	if (result == 0)
		result = check_index(trace, progress);
	if (result)
		return result;
	if (!trace->index)
		ear_trace_fail(trace, 0, "%s",
			trace->index_report.cause[0] ? trace->index_report.cause
						     : "there is no index");
	return trace->index != NULL;
}

static int find_report_once(struct ear_trace *trace, uint64_t from, uint64_t *position,
	const struct ear_progress *progress)
{
	const struct ear_index_term term = {.kind = EAR_INDEX_REPORT};
	const struct ear_index_query query = {&term, 1};
	struct ear_index_stretch stretch = {.position = from};
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	int result = ear_trace_facts(trace, &facts);

	if (result || strcmp(facts.format, "shot") == 0)
		return result; /* what is wrong with a capture are records */
	result = trace->seekable ? ear_trace_need_index(trace, progress) : 0;
	if (result)
		return result;
	result = 1;
	if (trace->index)
		result = ear_index_next(trace->index, &query, from, &stretch);
	if (result < 0)
		return ear_trace_fail(
			trace, result, "the index cannot be used: %s", ear_error_text(result));
	if (result == 1)
		*position = stretch.position;
	return result;
}

int ear_trace_find_report(struct ear_trace *trace, uint64_t from, uint64_t *position,
	const struct ear_progress *progress)
{
	int result;

	do {
		result = find_report_once(trace, from, position, progress);
	} while (ear_trace_asks_again(trace, result));
	return result;
}

int ear_trace_checkpoint_before(struct ear_trace *trace, uint64_t position, uint64_t *before,
	const struct ear_progress *progress)
{
	int result = trace->seekable ? ear_trace_need_index(trace, progress) : 0;

	*before = position;
	if (result || !trace->index)
		return result;
	*before = ear_index_checkpoint_before(trace->index, position);
	return 1;
}

int ear_trace_index_facts(struct ear_trace *trace, struct ear_index_facts *facts)
{
	const struct ear_index_report *report = &trace->index_report;
	struct ear_index_facts own = {.cause = report->cause};

	if (trace->index) {
		own.file = report->file;
		own.built = report->built;
		own.extended = report->extended;
		own.cached = report->cached;
		own.file_size = report->size;
		own.records = ear_index_totals(trace->index).records;
		own.built_records = report->built_records;
		own.build_seconds = report->seconds;
	}
	if (ear_versioned_write(facts, &own, sizeof(own)))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the facts is none");
	return 0;
}

int ear_trace_index_verify(struct ear_trace *trace, const struct ear_progress *progress)
{
	struct ear_cursor cursor = ear_trace_cursor(trace);
	struct ear_meter meter;
	uint64_t position = 0;
	bool changed = false;

	int result = ear_trace_need_places(trace, "an index");
	if (result == 0)
		result = ear_trace_need_index(trace, progress);
	if (result)
		return result;
	if (!trace->index)
		return ear_trace_fail(trace, EAR_E_UNSUPPORTED, "%s",
			trace->index_report.cause[0] ? trace->index_report.cause
						     : "there is no index");
	result = ear_cursor_open(&cursor);
	if (result)
		return ear_trace_fail_reading(trace, &cursor, result);
	ear_meter_begin(&meter, progress, "verifying the index", 0);
	result = ear_index_verify(
		trace->index, cursor.source, report_progress, &meter, &position, &changed);
	if (result == EAR_E_BAD_FILE && position == UINT64_MAX)
		ear_trace_fail(trace, result, "the index is damaged");
	else if (result == EAR_E_BAD_FILE)
		ear_trace_fail(trace, result, "%s at position %" PRIu64,
			changed ? "the trace is not the one that its index was made of"
				: "the index says other things than the trace",
			position);
	else if (result)
		ear_trace_fail_reading(trace, &cursor, result);
	trace->index_stale = trace->index_stale || result == EAR_E_BAD_FILE;
	ear_cursor_close(&cursor);
	return result;
}

/* Terms ------------------------------------------------------------------------------------- */

struct terms {
	struct ear_index_term *list;
	size_t count;
};

static void add(struct terms *terms, struct ear_index_term term)
{
	terms->list[terms->count++] = term;
}

static void add_kind(struct terms *terms, enum ear_index_term_kind kind, uint64_t first)
{
	add(terms, (struct ear_index_term){.kind = kind, .first = first, .last = first});
}

static void add_access(struct terms *terms, const struct ear_query *query)
{
	struct ear_index_term term = {.kind = EAR_INDEX_ACCESS,
		.last = UINT64_MAX,
		.spans = query->address_count ? query->addresses : NULL,
		.span_count = query->address_count};

	if (query->address_count == 0 && query->accesses == 0 && !query->has_data)
		return;
	if (query->accesses == EAR_QUERY_READ)
		term.kind = EAR_INDEX_READ;
	if (query->accesses == EAR_QUERY_WRITE)
		term.kind = EAR_INDEX_WRITE;
	add(terms, term);
}

static void add_trap(struct terms *terms, const struct ear_query *query)
{
	const uint64_t interrupt_bit = (uint64_t)1 << 63;
	bool interrupt = query->traps == EAR_QUERY_INTERRUPT;

	if (query->traps == 0 && !query->has_cause)
		return;
	if (query->traps != EAR_QUERY_EXCEPTION && !interrupt) {
		add_kind(terms, EAR_INDEX_ANY_TRAP, 0);
		return;
	}
	add_kind(terms, interrupt ? EAR_INDEX_INTERRUPT : EAR_INDEX_TRAP, 0);
	if (query->has_cause)
		add_kind(terms, EAR_INDEX_CAUSE, query->cause | (interrupt ? interrupt_bit : 0));
}

static void add_register(struct terms *terms, const struct ear_query *query)
{
	if (query->has_register)
		add(terms, (struct ear_index_term){.kind = EAR_INDEX_REGISTER,
				   .first = query->register_class,
				   .last = query->register_number,
				   .name = query->register_name});
}

size_t ear_query_terms(
	const struct ear_query *query, struct ear_index_term list[EAR_QUERY_TERMS_MAX])
{
	struct terms terms = {list, 0};
	unsigned privileges = query->privileges;

	if (query->pc_count)
		add(&terms, (struct ear_index_term){.kind = EAR_INDEX_PC,
				    .spans = query->pcs,
				    .span_count = query->pc_count});
	add_access(&terms, query);
	add_register(&terms, query);
	add_trap(&terms, query);
	for (unsigned i = 0; i <= EAR_PRIVILEGE_DEBUG; i++)
		if (privileges == 1u << i)
			add_kind(&terms, EAR_INDEX_PRIVILEGE, i);
	if (query->privilege_change)
		add_kind(&terms, EAR_INDEX_PRIVILEGE_CHANGE, 0);
	if (query->kinds == 1u << EAR_RECORD_GAP)
		add_kind(&terms, EAR_INDEX_GAP, 0);
	if (query->kinds == 1u << EAR_RECORD_EVENT || query->has_event_source ||
		query->has_event_value || query->event_name.text)
		add_kind(&terms, EAR_INDEX_EVENT, 0);
	if (query->has_ticks)
		add(&terms, (struct ear_index_term){.kind = EAR_INDEX_TICKS,
				    .first = query->first_ticks,
				    .last = query->last_ticks});
	return terms.count;
}
