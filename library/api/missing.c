/* What is missing in a trace, from its gaps. Who has read it from its beginning need not read it
 * again to know.
 */
#include <string.h>

#include <earshot/error.h>

#include "common/versioned.h"
#include "library/api/indexed.h"
#include "library/api/trace_internal.h"

static int add_found(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	(void)position;
	ear_missing_add(context, &record->u.gap, number);
	return 0;
}

/* Were all records before to read, and no gap before from, or after to? */
static bool was_seen(const struct ear_seen *seen, uint64_t from, uint64_t to)
{
	return (seen->ended || seen->end >= to) &&
	       (seen->missing.gaps == 0 || (seen->first >= from && seen->last < to));
}

static void take_seen(
	const struct ear_seen *seen, uint64_t from, uint64_t to, struct ear_missing *missing)
{
	const uint64_t end = to < seen->end ? to : seen->end;

	*missing = seen->missing;
	missing->records = end > from ? end - from - missing->gaps : 0;
}

/* How many records the trace has, as far as that is known. */
static uint64_t count_records(const struct ear_trace *trace)
{
	if (trace->seen.ended)
		return trace->seen.end;
	return trace->index && ear_index_totals(trace->index).complete
		       ? ear_index_totals(trace->index).records
		       : UINT64_MAX;
}

/* What only the end of the trace shows, of so many records. */
static int read_end(struct ear_trace *trace, uint64_t records, struct ear_seen *seen)
{
	struct ear_cursor cursor = ear_trace_cursor(trace);
	struct ear_batch batch;
	struct ear_meter meter;

	ear_meter_begin(&meter, NULL, "", 0);
	int result = ear_cursor_seek(&cursor, records, &meter);
	while (result == 1)
		result = ear_cursor_next_batch(&cursor, &batch, SIZE_MAX);
	if (result < 0)
		result = ear_trace_fail_reading(trace, &cursor, result);
	else if (cursor.source)
		ear_seen_end(seen, records, cursor.source);
	ear_cursor_close(&cursor);
	return result;
}

/* By the index, or by reading all. */
static int find_missing(struct ear_trace *trace, uint64_t from, uint64_t to,
	struct ear_missing *missing, const struct ear_progress *progress)
{
	struct ear_query query = EAR_QUERY_ANY;

	query.kinds = 1u << EAR_RECORD_GAP;
	*missing = (struct ear_missing){.size = sizeof(*missing)};
	int result = ear_trace_need_places(trace, "looking for what is missing");
	if (result == 0)
		result = ear_trace_find_all(trace, &query, from, to, add_found, missing, progress);
	const uint64_t records = count_records(trace), end = to < records ? to : records;
	missing->records = end > from ? end - from - missing->gaps : 0;
	return result;
}

static void judge_end(
	struct ear_trace *trace, const struct ear_seen *seen, struct ear_missing *missing)
{
	memcpy(trace->fault, seen->fault, sizeof(trace->fault));
	missing->fault = trace->fault[0] ? trace->fault : NULL;
	memcpy(trace->mended, seen->mended, sizeof(trace->mended));
	missing->mended = trace->mended[0] ? trace->mended : NULL;
	missing->meant_end = seen->meant_end;
	missing->unpaired = seen->unpaired;
	if (missing->fault)
		missing->verdict = EAR_DAMAGED;
	else if (missing->meant_end && missing->verdict == EAR_WHOLE)
		missing->verdict = EAR_PART;
}

int ear_trace_missing(struct ear_trace *trace, uint64_t from, uint64_t to,
	struct ear_missing *missing, const struct ear_progress *progress)
{
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	struct ear_missing found;
	int result = 0;

	if (missing->size == 0)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the sums is none");
	if (was_seen(&trace->seen, from, to))
		take_seen(&trace->seen, from, to, &found);
	else
		result = find_missing(trace, from, to, &found, progress);
	const uint64_t records = count_records(trace);
	const bool with_end = from < to && to >= records;
	struct ear_seen seen = {.end = records};
	if (result == 0 && with_end && !trace->seen.ended)
		result = read_end(trace, records, &seen);
	if (result == 0)
		result = ear_trace_facts(trace, &facts);
	if (result)
		return result;
	if (with_end)
		judge_end(trace, trace->seen.ended ? &trace->seen : &seen, &found);
	if (found.verdict == EAR_WHOLE && strcmp(facts.format, "shot") != 0)
		found.verdict = EAR_UNKNOWN;
	found.size = sizeof(found);
	(void)ear_versioned_write(missing, &found, sizeof(found));
	return 0;
}
