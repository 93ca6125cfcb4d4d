/* A timeline as columns. A page wants the slices of a row beside each other, by track, depth and
 * begin; the timeline hands them out by time. So it is walked twice: the first walk counts the
 * slices of each track and depth, which gives each its place in the table, and the second one puts
 * them there. The order within a track and depth is that of time in both.
 */
#include "analyses/timeline/columns_trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/base/columns.h"

#define META_MAX 2048u

enum { TRACK_NAME, TRACK_HART, TRACK_KIND, TRACK_RANK, TRACK_MERGED };
static const struct ear_columns_column track_columns[] = {
	[TRACK_NAME] = {"name", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[TRACK_HART] = {"hart", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[TRACK_KIND] = {"kind", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[TRACK_RANK] = {"rank", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[TRACK_MERGED] = {"merged", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
};

enum {
	SLICE_TRACK,
	SLICE_BEGIN,
	SLICE_LENGTH,
	SLICE_NAME,
	SLICE_DEPTH,
	SLICE_RECORD,
	SLICE_END,
	SLICE_KIND,
	SLICE_MERGED
};
static const struct ear_columns_column slice_columns[] = {
	[SLICE_TRACK] = {"track", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[SLICE_BEGIN] = {"begin", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA},
	[SLICE_LENGTH] = {"length", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
	[SLICE_NAME] = {"name", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[SLICE_DEPTH] = {"depth", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[SLICE_RECORD] = {"record", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA},
	[SLICE_END] = {"end", EAR_COLUMNS_U8, EAR_COLUMNS_PLAIN},
	[SLICE_KIND] = {"kind", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[SLICE_MERGED] = {"merged", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
};

enum { INSTANT_TRACK, INSTANT_TIME, INSTANT_NAME, INSTANT_RECORD, INSTANT_KIND };
static const struct ear_columns_column instant_columns[] = {
	[INSTANT_TRACK] = {"track", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[INSTANT_TIME] = {"time", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA},
	[INSTANT_NAME] = {"name", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[INSTANT_RECORD] = {"record", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA},
	[INSTANT_KIND] = {"kind", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
};

enum { SAMPLE_TRACK, SAMPLE_TIME, SAMPLE_VALUE };
static const struct ear_columns_column sample_columns[] = {
	[SAMPLE_TRACK] = {"track", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[SAMPLE_TIME] = {"time", EAR_COLUMNS_U64, EAR_COLUMNS_DELTA},
	[SAMPLE_VALUE] = {"value", EAR_COLUMNS_F64, EAR_COLUMNS_PLAIN},
};

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Slices of a track by depth: how many, then where the next one goes. */
struct rows {
	uint64_t *list;
	uint32_t count, depth; /* depth: of the newest slice, 0: none is open */
};

struct writer {
	struct ear_timeline *timeline;
	struct ear_columns *columns;
	struct rows *tracks;
	size_t track_count;
	uint32_t kinds[EAR_TIMELINE_CATEGORIES]; /* strings */
	uint32_t *names;                         /* by number of a name: 1 + string; 0: none yet */
	size_t names_size;
	uint64_t slices, instants, samples; /* counted, then: rows that were put */
	uint64_t begin, end;
	bool any, failed;
	uint32_t slice_table, instant_table, sample_table;
};

static const char *kind_name(unsigned kind)
{
	static const char *const names[] = {[EAR_TRACK_CALLS] = "calls",
		[EAR_TRACK_HART] = "hart",
		[EAR_TRACK_PRIVILEGE] = "privilege",
		[EAR_TRACK_TASKS] = "tasks",
		[EAR_TRACK_METHODS] = "methods",
		[EAR_TRACK_COUNTER] = "counter"};

	return names[kind];
}

/* ---- The first walk. ---- */

static void count_slice(struct writer *writer, struct rows *rows)
{
	if (rows->depth == rows->count) {
		const uint32_t count = 2 * rows->count + 8;
		uint64_t *list = realloc(rows->list, count * sizeof(*list));
		if (!list) {
			writer->failed = true;
			return;
		}
		for (uint32_t i = rows->count; i < count; i++)
			list[i] = 0;
		rows->list = list;
		rows->count = count;
	}
	rows->list[rows->depth++]++;
	writer->slices++;
}

static void stretch(struct writer *writer, uint64_t begin, uint64_t end)
{
	if (!writer->any || begin < writer->begin)
		writer->begin = begin;
	if (!writer->any || end > writer->end)
		writer->end = end;
	writer->any = true;
}

static void count_event(struct writer *writer, const struct ear_timeline_event *event)
{
	struct rows *rows = &writer->tracks[event->track];

	stretch(writer, event->time, event->time + event->duration);
	switch (event->kind) {
	case EAR_TIMELINE_BEGIN: count_slice(writer, rows); break;
	case EAR_TIMELINE_END: rows->depth -= rows->depth > 0; break;
	case EAR_TIMELINE_INSTANT: writer->instants++; break;
	default: writer->samples++; break;
	}
}

/* Counts become places. */
static void set_places(struct writer *writer)
{
	uint64_t at = 0;

	for (size_t i = 0; i < writer->track_count; i++) {
		struct rows *rows = &writer->tracks[i];
		rows->depth = 0;
		for (uint32_t k = 0; k < rows->count; k++) {
			const uint64_t count = rows->list[k];
			rows->list[k] = at;
			at += count;
		}
	}
}

/* ---- The second walk. ---- */

static uint32_t name_of(struct writer *writer, const struct ear_timeline_event *event)
{
	const uint32_t number = event->name_number;
	char address[32];

	if (number >= writer->names_size) {
		const size_t size = 2 * (size_t)number + 1024;
		uint32_t *names = realloc(writer->names, size * sizeof(*names));
		if (!names) {
			writer->failed = true;
			return 0;
		}
		memset(names + writer->names_size, 0, (size - writer->names_size) * sizeof(*names));
		writer->names = names;
		writer->names_size = size;
	}
	if (writer->names[number] == 0) {
		snprintf(address, sizeof(address), "[0x%" PRIx64 "]", event->address);
		writer->names[number] = 1 + ear_columns_add_string(writer->columns,
						    event->name[0] ? event->name : address);
	}
	return writer->names[number] - 1;
}

static uint64_t record_of(const struct ear_timeline_event *event)
{
	return event->record == EAR_TIMELINE_BEFORE ? EAR_COLUMNS_UNKNOWN : event->record;
}

static void put_slice(struct writer *writer, const struct ear_timeline_event *event)
{
	struct rows *rows = &writer->tracks[event->track];
	const uint32_t depth = rows->depth++;
	const uint64_t row = rows->list[depth]++;
	const uint64_t values[] = {
		[SLICE_TRACK] = event->track,
		[SLICE_BEGIN] = event->time,
		[SLICE_LENGTH] = event->duration,
		[SLICE_NAME] = name_of(writer, event),
		[SLICE_DEPTH] = depth,
		[SLICE_RECORD] = record_of(event),
		[SLICE_END] = event->how,
		[SLICE_KIND] = writer->kinds[event->category],
		[SLICE_MERGED] = event->merged,
	};

	for (size_t i = 0; i < COUNT_OF(values); i++)
		ear_columns_put(writer->columns, writer->slice_table, i, row, values[i]);
}

static void put_instant(struct writer *writer, const struct ear_timeline_event *event)
{
	const uint64_t values[] = {
		[INSTANT_TRACK] = event->track,
		[INSTANT_TIME] = event->time,
		[INSTANT_NAME] = name_of(writer, event),
		[INSTANT_RECORD] = record_of(event),
		[INSTANT_KIND] = writer->kinds[event->category],
	};

	for (size_t i = 0; i < COUNT_OF(values); i++)
		ear_columns_put(
			writer->columns, writer->instant_table, i, writer->instants, values[i]);
	writer->instants++;
}

static void put_sample(struct writer *writer, const struct ear_timeline_event *event)
{
	const uint64_t row = writer->samples++;

	ear_columns_put(writer->columns, writer->sample_table, SAMPLE_TRACK, row, event->track);
	ear_columns_put(writer->columns, writer->sample_table, SAMPLE_TIME, row, event->time);
	ear_columns_put_real(
		writer->columns, writer->sample_table, SAMPLE_VALUE, row, event->value);
}

static void put_event(struct writer *writer, const struct ear_timeline_event *event)
{
	struct rows *rows = &writer->tracks[event->track];

	switch (event->kind) {
	case EAR_TIMELINE_BEGIN: put_slice(writer, event); break;
	case EAR_TIMELINE_END: rows->depth -= rows->depth > 0; break;
	case EAR_TIMELINE_INSTANT: put_instant(writer, event); break;
	default: put_sample(writer, event); break;
	}
}

static void put_tracks(struct writer *writer)
{
	const struct ear_timeline *timeline = writer->timeline;
	const uint32_t table = ear_columns_add_table(writer->columns, "tracks", track_columns,
		COUNT_OF(track_columns), writer->track_count);

	for (size_t i = 0; i < writer->track_count; i++) {
		const struct ear_timeline_track *track = ear_timeline_track(timeline, i);
		const uint64_t values[] = {
			[TRACK_NAME] = ear_columns_add_string(writer->columns, track->name),
			[TRACK_HART] = track->hart,
			[TRACK_KIND] =
				ear_columns_add_string(writer->columns, kind_name(track->kind)),
			[TRACK_RANK] = ear_timeline_track_rank(timeline, i),
			[TRACK_MERGED] = track->merged,
		};
		for (size_t k = 0; k < COUNT_OF(values); k++)
			ear_columns_put(writer->columns, table, k, i, values[k]);
	}
}

static int write_all(struct writer *writer, const char *verdict, struct ear_byte_output *output)
{
	const struct ear_timeline_result result = ear_timeline_result(writer->timeline);
	char meta[META_MAX];

	snprintf(meta, sizeof(meta),
		"\"unit\":\"%s\",\"begin\":%" PRIu64 ",\"end\":%" PRIu64 ",\"records\":%" PRIu64
		",\"slices\":%" PRIu64 ",\"merged\":%" PRIu64 ",\"shorter_than\":%" PRIu64
		",\"instants\":%" PRIu64 ",\"instants_left_out\":%" PRIu64 ",\"gaps\":%" PRIu64
		",\"backwards\":%" PRIu64 ",\"without_path\":%" PRIu64 ",\"unknown\":%" PRIu64
		",%s",
		result.has_time ? "clocks" : "records", writer->begin, writer->end, result.records,
		result.slices, result.merged, result.least, result.instants,
		result.instants_left_out, result.gaps, result.backwards, result.pathless,
		EAR_COLUMNS_UNKNOWN, verdict);
	return ear_columns_write(writer->columns, meta, output);
}

static void walk(struct writer *writer,
	void (*take)(struct writer *writer, const struct ear_timeline_event *event))
{
	struct ear_timeline_event event;

	/* To its end, where it begins anew. */
	while (ear_timeline_next(writer->timeline, &event))
		if (!writer->failed)
			take(writer, &event);
}

static int write_columns(struct writer *writer, const char *verdict, struct ear_byte_output *output)
{
	struct ear_columns *columns = writer->columns;

	walk(writer, count_event);
	if (writer->failed)
		return EAR_E_NO_MEMORY;
	set_places(writer);
	for (unsigned i = 0; i < EAR_TIMELINE_CATEGORIES; i++)
		writer->kinds[i] = ear_columns_add_string(columns, ear_timeline_category_name(i));
	put_tracks(writer);
	writer->slice_table = ear_columns_add_table(
		columns, "slices", slice_columns, COUNT_OF(slice_columns), writer->slices);
	writer->instant_table = ear_columns_add_table(
		columns, "instants", instant_columns, COUNT_OF(instant_columns), writer->instants);
	writer->sample_table = ear_columns_add_table(
		columns, "samples", sample_columns, COUNT_OF(sample_columns), writer->samples);
	writer->instants = writer->samples = 0;
	walk(writer, put_event);
	return writer->failed ? EAR_E_NO_MEMORY : write_all(writer, verdict, output);
}

int ear_columns_trace_write(
	struct ear_timeline *timeline, const char *verdict, struct ear_byte_output *output)
{
	struct writer writer = {.timeline = timeline};
	int result = ear_columns_new(&writer.columns);

	writer.track_count = ear_timeline_track_count(timeline);
	writer.tracks = calloc(writer.track_count + 1, sizeof(*writer.tracks));
	if (!result)
		result = writer.tracks ? write_columns(&writer, verdict, output) : EAR_E_NO_MEMORY;
	for (size_t i = 0; writer.tracks && i < writer.track_count; i++)
		free(writer.tracks[i].list);
	free(writer.tracks);
	free(writer.names);
	ear_columns_free(writer.columns);
	return result;
}
