/* What a whole trace has: what its index has counted, or one pass over its records, with a reader
 * of its own so that nobody's place moves. A pass finds out all of it, counts and verdict.
 */
#include <stdlib.h>

#include <earshot/trace.h>

#include "common/versioned.h"
#include "decoder/codec/verdict.h"
#include "library/api/indexed.h"
#include "library/api/trace_internal.h"

/* One pass. */
struct pass {
	struct ear_trace_counts counts;
	struct ear_trace_verdict verdict;
};

static void count_hart(struct ear_trace_verdict *verdict, bool *seen, uint16_t hart)
{
	size_t max = sizeof(verdict->harts) / sizeof(verdict->harts[0]);

	if (seen[hart])
		return;
	seen[hart] = true;
	if (verdict->hart_count < max)
		verdict->harts[verdict->hart_count] = hart;
	verdict->hart_count++;
}

static void count_time(struct ear_trace_counts *counts, uint64_t ticks)
{
	if (!counts->has_time || ticks < counts->first_ticks)
		counts->first_ticks = ticks;
	if (!counts->has_time || ticks > counts->last_ticks)
		counts->last_ticks = ticks;
	counts->has_time = true;
}

static void count_record(struct pass *pass, const struct ear_record *record)
{
	struct ear_trace_counts *counts = &pass->counts;
	bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
	const struct ear_gap *gap = &record->u.gap;

	counts->instructions += instruction;
	counts->events += record->kind == EAR_RECORD_EVENT;
	counts->exceptions += instruction && record->flags & EAR_RECORD_TRAP;
	counts->interrupts += instruction && record->flags & EAR_RECORD_INTERRUPT;
	if (record->kind != EAR_RECORD_GAP)
		return;
	counts->gaps++;
	pass->verdict.missing += gap->count_known ? gap->count : 0;
	pass->verdict.missing_unknown = pass->verdict.missing_unknown || !gap->count_known;
}

static int read_all(struct ear_trace *trace, struct ear_cursor *cursor, struct pass *pass,
	struct ear_meter *meter)
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

		pass->counts.records += batch.count;
		if (batch.run) {
			pass->counts.instructions += batch.count;
			timed = timed || (batch.count > 1 && batch.run->all_timed);
		} else {
			count_record(pass, record);
		}
		if (timed)
			count_time(&pass->counts, record->ticks);
		if (batch.run && batch.run->all_timed)
			count_time(&pass->counts, ear_batch_record(&batch, batch.count - 1)->ticks);
		count_hart(&pass->verdict, seen, record->hart);
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

	return (statistics ? ear_verdict_of(statistics).complete : counts->gaps == 0) &&
	       !ear_source_fault(cursor->source);
}

static int pass_over(struct ear_trace *trace, const struct ear_progress *progress)
{
	struct ear_missing missing = {.size = sizeof(missing)};
	struct ear_cursor cursor = ear_trace_cursor(trace);
	struct pass pass = {0};
	struct ear_meter meter;

	ear_meter_begin(&meter, progress, "counting", 0);
	cursor.seen = &trace->seen;
	int result = read_all(trace, &cursor, &pass, &meter);
	if (result == 0)
		result = ear_trace_missing(trace, 0, UINT64_MAX, &missing, progress);
	if (result == 0) {
		pass.verdict.complete = is_complete(&cursor, &pass.counts);
		pass.verdict.kind = missing.verdict;
		if (!pass.verdict.complete && missing.verdict == EAR_WHOLE)
			pass.verdict.kind = EAR_DAMAGED;
		trace->counts = pass.counts;
		trace->verdict = pass.verdict;
		trace->counted = trace->judged = true;
	}
	ear_cursor_close(&cursor);
	return result;
}

/* Has the index counted all records? One that cannot be read is found out here, and not used. */
static bool count_by_index(struct ear_trace *trace)
{
	struct ear_index_totals totals = ear_index_totals(trace->index);
	struct ear_index_counts found;

	if (!totals.complete)
		return false;
	if (ear_index_count(trace->index, totals.records, &found) != 0 ||
		found.records != totals.records) {
		(void)ear_trace_asks_again(trace, EAR_E_BAD_FILE);
		return false;
	}
	trace->counts = (struct ear_trace_counts){.records = found.records,
		.instructions = found.instructions,
		.exceptions = found.traps,
		.interrupts = found.interrupts,
		.gaps = found.gaps,
		.events = found.events,
		.has_time = totals.first_ticks <= totals.last_ticks};
	if (trace->counts.has_time) {
		trace->counts.first_ticks = totals.first_ticks;
		trace->counts.last_ticks = totals.last_ticks;
	}
	return true;
}

int ear_trace_counts(struct ear_trace *trace, struct ear_trace_counts *counts,
	const struct ear_progress *progress)
{
	int result = ear_trace_need_places(trace, "counting all records");

	if (result == 0 && !trace->counted) {
		result = ear_trace_find_index(trace, progress);
		trace->counted = result == 0 && trace->index && count_by_index(trace);
	}
	if (result == 0 && !trace->counted)
		result = pass_over(trace, progress);
	if (result == 0 && ear_versioned_write(counts, &trace->counts, sizeof(trace->counts)))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the counts is none");
	return result;
}

int ear_trace_verdict(struct ear_trace *trace, struct ear_trace_verdict *verdict,
	const struct ear_progress *progress)
{
	int result = ear_trace_need_places(trace, "reading all records");

	if (result == 0 && !trace->judged)
		result = pass_over(trace, progress);
	if (result == 0 && ear_versioned_write(verdict, &trace->verdict, sizeof(trace->verdict)))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the verdict is none");
	return result;
}
