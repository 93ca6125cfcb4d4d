/* What a whole trace has: one pass over its records, with a reader of its own so that nobody's
 * place moves, or what the index has counted.
 */
#include <stdlib.h>

#include <earshot/trace.h>

#include "common/versioned.h"
#include "decoder/codec/verdict.h"
#include "library/trace_internal.h"

static void count_hart(struct ear_trace_counts *counts, bool *seen, uint16_t hart)
{
	size_t max = sizeof(counts->harts) / sizeof(counts->harts[0]);

	if (seen[hart])
		return;
	seen[hart] = true;
	if (counts->hart_count < max)
		counts->harts[counts->hart_count] = hart;
	counts->hart_count++;
}

static void count_time(struct ear_trace_counts *counts, uint64_t ticks)
{
	if (!counts->has_time || ticks < counts->first_ticks)
		counts->first_ticks = ticks;
	if (!counts->has_time || ticks > counts->last_ticks)
		counts->last_ticks = ticks;
	counts->has_time = true;
}

static void count_record(struct ear_trace_counts *counts, const struct ear_record *record)
{
	const struct ear_gap *gap = &record->u.gap;

	counts->instructions += record->kind == EAR_RECORD_INSTRUCTION;
	counts->events += record->kind == EAR_RECORD_EVENT;
	if (record->kind == EAR_RECORD_INSTRUCTION && record->flags & EAR_RECORD_INTERRUPT)
		counts->interrupts++;
	else if (record->kind == EAR_RECORD_INSTRUCTION && record->flags & EAR_RECORD_TRAP)
		counts->exceptions++;
	if (record->kind != EAR_RECORD_GAP)
		return;
	counts->gaps++;
	counts->missing += gap->count_known ? gap->count : 0;
	counts->missing_unknown = counts->missing_unknown || !gap->count_known;
}

static int count_all(struct ear_trace *trace, struct ear_cursor *cursor,
	struct ear_trace_counts *counts, struct ear_meter *meter)
{
	static const size_t harts = 65536;
	bool *seen = calloc(harts, sizeof(*seen));
	struct ear_batch batch;
	int result;

	if (!seen)
		return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	while ((result = ear_cursor_next_batch(cursor, &batch, SIZE_MAX)) == 1) {
		const struct ear_record *record = ear_batch_record(&batch, 0);
		bool timed = record->flags & EAR_RECORD_HAS_TIME;

		counts->records += batch.count;
		if (batch.run) {
			counts->instructions += batch.count;
			timed = timed || (batch.count > 1 && batch.run->all_timed);
		} else {
			count_record(counts, record);
		}
		if (timed)
			count_time(counts, record->ticks);
		count_hart(counts, seen, record->hart);
		result = ear_meter_pass(meter, batch.count);
		if (result)
			break;
	}
	free(seen);
	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(trace, result, "cancelled");
	return result < 0 ? ear_trace_fail_reading(trace, cursor, result) : 0;
}

/* A capture says itself whether it is complete; of a text gaps are all that is known. */
static bool is_complete(const struct ear_cursor *cursor, const struct ear_trace_counts *counts)
{
	const struct ear_decoder_statistics *statistics = ear_source_statistics(cursor->source);

	if (statistics)
		return ear_verdict_of(statistics).complete;
	return counts->gaps == 0 && !ear_source_fault(cursor->source);
}

int ear_trace_counts(struct ear_trace *trace, struct ear_trace_counts *counts,
	const struct ear_progress *progress)
{
	struct ear_cursor cursor = ear_trace_cursor(trace);
	struct ear_trace_counts own = {0};
	struct ear_meter meter;

	int result = ear_trace_need_places(trace, "counting all records");
	if (result == 0 && !trace->counted) {
		ear_meter_begin(&meter, progress, "counting", 0);
		result = count_all(trace, &cursor, &own, &meter);
		if (result == 0) {
			own.complete = is_complete(&cursor, &own);
			trace->counts = own;
			trace->counted = true;
		}
		ear_cursor_close(&cursor);
	}
	if (result == 0 && ear_versioned_write(counts, &trace->counts, sizeof(trace->counts)))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the counts is none");
	return result;
}
