/* Reading, and going to a place. Where the reader that answers questions is nearer than the one
 * that reads, the two change places first: so a search that has just found that place is not
 * repeated. One that fails or is cancelled stays where it came to.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/trace.h>

#include "common/protocol/ear_protocol.h"
#include "common/protocol/event_port.h"
#include "common/versioned.h"
#include "library/api/indexed.h"
#include "library/api/trace_internal.h"

static void note_xlen(struct ear_trace *trace, const struct ear_batch *batch)
{
	if (batch->run)
		trace->xlen = batch->run->xlen;
	else if (batch->record->kind == EAR_RECORD_INSTRUCTION)
		trace->xlen = batch->record->xlen;
}

int ear_trace_next(struct ear_trace *trace, const struct ear_record **record)
{
	trace->reporting = true;
	int result = ear_cursor_next(&trace->reading, record);
	trace->reporting = false;
	if (result < 0)
		return ear_trace_fail_reading(trace, &trace->reading, result);
	if (result == 1 && trace->xlen == 0 && (*record)->kind == EAR_RECORD_INSTRUCTION)
		trace->xlen = (*record)->xlen;
	return result;
}

static int next_batch(struct ear_trace *trace, struct ear_batch *batch)
{
	trace->reporting = true;
	int result = ear_cursor_next_batch(&trace->reading, batch, SIZE_MAX);
	trace->reporting = false;
	if (result < 0)
		return ear_trace_fail_reading(trace, &trace->reading, result);
	if (result == 1 && trace->xlen == 0)
		note_xlen(trace, batch);
	return result;
}

int ear_trace_next_batch(struct ear_trace *trace, struct ear_batch *batch)
{
	struct ear_batch own;

	if (batch->size == sizeof(*batch))
		return next_batch(trace, batch);
	if (batch->size < sizeof(batch->size))
		return ear_trace_fail(
			trace, EAR_E_BAD_ARGUMENT, "the size of the batch is missing");
	int result = next_batch(trace, &own);
	if (result == 1)
		ear_versioned_write(batch, &own, sizeof(own));
	return result;
}

uint64_t ear_trace_position(const struct ear_trace *trace)
{
	return trace->reading.position;
}

uint64_t ear_trace_number(const struct ear_trace *trace)
{
	return trace->reading.number;
}

/* The reader that has answered reads from now on. */
static void take_over(struct ear_trace *trace)
{
	ear_cursor_swap(&trace->reading, &trace->asking);
}

static int fail_seek(struct ear_trace *trace, int result)
{
	return ear_trace_fail_reading(trace, &trace->reading, result);
}

/* The trace can be read at any place, and its index is open if it has one. */
static int need_places(
	struct ear_trace *trace, const char *what, const struct ear_progress *progress)
{
	int result = ear_trace_need_places(trace, what);

	return result ? result : ear_trace_need_index(trace, progress);
}

/* Farther away than decoding a few records. */
static bool is_far(const struct ear_cursor *cursor, uint64_t position)
{
	return position < cursor->position || position - cursor->position > 4096;
}

static int seek_once(
	struct ear_trace *trace, uint64_t position, const struct ear_progress *progress)
{
	struct ear_cursor *reading = &trace->reading, *asking = &trace->asking;
	struct ear_meter meter;
	int result = 0;

	if (position == reading->position)
		return 1;
	if (is_far(reading, position) && is_far(asking, position))
		result = need_places(trace, "going to a record", progress);
	else
		result = ear_trace_need_places(trace, "going to a record");
	if (result)
		return result;
	if (!trace->inference && asking->position <= position &&
		(reading->position > position || reading->position < asking->position))
		take_over(trace);
	ear_cursor_use_index(reading, trace->index);
	ear_meter_begin(&meter, progress, "going to a record",
		reading->position <= position ? position - reading->position : position);
	result = ear_cursor_seek(reading, position, &meter);
	return result < 0 ? fail_seek(trace, result) : result;
}

typedef int seek(struct ear_trace *trace, uint64_t where, const struct ear_progress *progress);

static int seek_and_again(
	struct ear_trace *trace, seek *once, uint64_t where, const struct ear_progress *progress)
{
	int result;

	do {
		result = once(trace, where, progress);
	} while (ear_trace_asks_again(trace, result));
	return result;
}

int ear_trace_seek(struct ear_trace *trace, uint64_t position, const struct ear_progress *progress)
{
	return seek_and_again(trace, seek_once, position, progress);
}

/* Go to where a stretch begins, or to its first record of interest. */
static int seek_stretch(struct ear_trace *trace, int found, const struct ear_index_stretch *stretch,
	struct ear_meter *meter)
{
	uint64_t end = ear_index_totals(trace->index).records;

	if (found < 0)
		return ear_trace_fail(
			trace, found, "the index cannot be used: %s", ear_error_text(found));
	ear_cursor_use_index(&trace->reading, trace->index);
	int result = ear_cursor_walk_to(&trace->reading, found ? stretch->begin : end, meter);
	return result < 0 ? fail_seek(trace, result) : found;
}

/* The next record that fits becomes the next one to be read. */
static int read_until(struct ear_trace *trace, struct ear_meter *meter,
	bool (*fits)(const struct ear_record *record, uint64_t number, uint64_t wanted),
	uint64_t wanted)
{
	struct ear_cursor *reading = &trace->reading;
	const struct ear_record *record;

	for (;;) {
		int result = ear_cursor_next(reading, &record);
		if (result == 0)
			return 0;
		if (result == 1 && fits(record, reading->number, wanted)) {
			ear_cursor_back(reading);
			return 1;
		}
		if (result == 1)
			result = ear_meter_pass(meter, 1);
		if (result < 0)
			return fail_seek(trace, result);
	}
}

/* number: of the instruction after the record. */
static bool is_number(const struct ear_record *record, uint64_t number, uint64_t wanted)
{
	return record->kind == EAR_RECORD_INSTRUCTION && number == wanted + 1;
}

static bool is_time(const struct ear_record *record, uint64_t number, uint64_t wanted)
{
	(void)number;
	return record->flags & EAR_RECORD_HAS_TIME && record->ticks >= wanted;
}

static int seek_number(
	struct ear_trace *trace, uint64_t number, const struct ear_progress *progress)
{
	struct ear_cursor *reading = &trace->reading;
	struct ear_index_stretch stretch;
	struct ear_meter meter;
	int result = need_places(trace, "going to an instruction", progress);

	if (result)
		return result;
	ear_meter_begin(&meter, progress, "going to an instruction", number);
	if (trace->index) {
		int found = ear_index_find_number(trace->index, number, &stretch);
		result = seek_stretch(trace, found, &stretch, &meter);
		if (result <= 0)
			return result;
	}
	if (number < reading->number)
		ear_cursor_close(reading);
	/* An instruction has a position of its own, so there are at least as many. */
	while (number > reading->number) {
		result = ear_cursor_seek(
			reading, reading->position + (number - reading->number), &meter);
		if (result <= 0)
			return result < 0 ? fail_seek(trace, result) : 0;
	}
	return read_until(trace, &meter, is_number, number);
}

int ear_trace_seek_number(
	struct ear_trace *trace, uint64_t number, const struct ear_progress *progress)
{
	return seek_and_again(trace, seek_number, number, progress);
}

static int seek_time(struct ear_trace *trace, uint64_t ticks, const struct ear_progress *progress)
{
	struct ear_index_stretch stretch;
	struct ear_meter meter;
	int result = need_places(trace, "going to a time", progress);

	if (result)
		return result;
	ear_meter_begin(&meter, progress, "going to a time", 0);
	if (trace->index) {
		int found = ear_index_find_ticks(trace->index, ticks, &stretch);
		result = seek_stretch(trace, found, &stretch, &meter);
		if (result <= 0)
			return result;
	} else {
		ear_cursor_close(&trace->reading);
	}
	return read_until(trace, &meter, is_time, ticks);
}

int ear_trace_seek_time(
	struct ear_trace *trace, uint64_t ticks, const struct ear_progress *progress)
{
	return seek_and_again(trace, seek_time, ticks, progress);
}

int ear_trace_seek_event(struct ear_trace *trace, const char *event, uint64_t from,
	const struct ear_progress *progress)
{
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position;

	if (ear_query_event(&query, event))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "'' is not an event");
	int result = ear_trace_find(trace, &query, from, EAR_FORWARD, &position, progress);
	return result == 1 ? ear_trace_seek(trace, position, progress) : result;
}

/* Events of the wire, which have no names of their own. */
static const struct {
	const char *name;
	uint8_t source;
} event_names[] = {
	{"start", EAR_EVENT_START_TRIGGER},
	{"stop", EAR_EVENT_STOP_TRIGGER},
	{"port", EAR_EVENT_PORT},
	{"held-lo", EAR_EVENT_HELD_LO},
	{"held-hi", EAR_EVENT_HELD_HI},
	{"mismatch", EAR_EVENT_MISMATCH},
	{"port-lost", EAR_EVENT_PORT_LOST},
	{"port-unknown", EAR_EVENT_PORT_UNKNOWN},
};

int ear_query_event(struct ear_query *query, const char *name)
{
	char *end;

	if (!name[0])
		return EAR_E_BAD_ARGUMENT;
	query->kinds = 1u << EAR_RECORD_EVENT;
	query->has_event_source = false;
	query->event_name = (struct ear_text){name, strlen(name)};
	unsigned long number = strtoul(name, &end, 0);
	if (*end == '\0' && number >= 1 && number <= UINT8_MAX) {
		query->event_source = (uint8_t)number;
		query->has_event_source = true;
		query->event_name = (struct ear_text){NULL, 0};
	}
	for (size_t i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++)
		if (strcmp(name, event_names[i].name) == 0) {
			/* A text may have an event of that name, too: either will do. */
			query->event_source = event_names[i].source;
			query->has_event_source = true;
		}
	uint8_t source = strncmp(name, "port-", 5) == 0
				 ? ear_event_port_source(name + 5, strlen(name + 5))
				 : 0;
	if (source) {
		query->event_source = source;
		query->has_event_source = true;
	}
	return 0;
}

int ear_event_name(const struct ear_event *event, char *text, size_t size)
{
	const char *port = ear_event_port_name(event->source);

	if (event->source == 0)
		return snprintf(text, size, "%.*s", (int)(event->name.text ? event->name.size : 0),
			event->name.text ? event->name.text : "");
	for (size_t i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++)
		if (event->source == event_names[i].source)
			return snprintf(text, size, "%s", event_names[i].name);
	return port ? snprintf(text, size, "port-%s", port)
		    : snprintf(text, size, "%u", event->source);
}
