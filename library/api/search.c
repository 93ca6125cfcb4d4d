/* Searching. What may have a match is read and compared record by record; the index, where there is
 * one, says what that is. Backwards the last match of a part counts.
 */
#include <earshot/search.h>

#include <stdlib.h>

#include <earshot/moment.h>

#include "common/versioned.h"
#include "decoder/record/privilege_change.h"
#include "library/api/indexed.h"
#include "library/api/query.h"
#include "library/api/trace_internal.h"

/* One search. */
struct search {
	struct ear_trace *trace;
	struct ear_query query;
	struct ear_cursor *cursor;
	struct ear_privileges *privileges; /* NULL: the query does not ask for changes */
	struct ear_meter meter;
	struct ear_index_term terms[EAR_QUERY_TERMS_MAX];
	struct ear_index_query index_query;
	uint64_t part_end; /* of the part that is being read forward; 0: none */
};

static int begin(struct search *search, struct ear_trace *trace, const struct ear_query *query,
	uint64_t from, const struct ear_progress *progress)
{
	*search = (struct search){.trace = trace};
	if (ear_versioned_read(&search->query, sizeof(search->query), query))
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"the size of the query is none, or it is of a newer version");
	const char *fault = ear_query_fault(&search->query);
	if (fault)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the query cannot be: %s", fault);
	int result = ear_trace_need_index(trace, progress);
	if (result)
		return result;
	search->index_query.terms = search->terms;
	search->index_query.count = ear_query_terms(&search->query, search->terms);
	search->cursor = trace->seekable ? &trace->asking : &trace->reading;
	if (!trace->seekable && from < trace->reading.position)
		return ear_trace_need_places(trace, "searching what was read already");
	if (search->query.privilege_change) {
		search->privileges = malloc(sizeof(*search->privileges));
		if (!search->privileges)
			return ear_trace_fail(trace, EAR_E_NO_MEMORY, "out of memory");
	}
	ear_meter_begin(&search->meter, progress, "searching", 0);
	if (trace->seekable)
		ear_cursor_use_index(search->cursor, trace->index);
	trace->reporting = !trace->seekable;
	return 0;
}

static int end(struct search *search, int result)
{
	free(search->privileges);
	search->trace->reporting = false;
	if (result == EAR_E_CANCELLED)
		return ear_trace_fail(search->trace, result, "cancelled");
	return result;
}

static int next(struct search *search, const struct ear_record **record)
{
	int result = ear_cursor_next(search->cursor, record);

	if (result < 0)
		return ear_trace_fail_reading(search->trace, search->cursor, result);
	if (result == 1 && ear_meter_pass(&search->meter, 1))
		return EAR_E_CANCELLED;
	return result;
}

static int go_to(struct search *search, uint64_t position)
{
	int result;

	/* Reading may stand nearer; that of a pipe is the same. */
	if (search->cursor->position == position)
		return 1;
	result = ear_cursor_seek(search->cursor, position, &search->meter);
	if (result < 0 && result != EAR_E_CANCELLED)
		return ear_trace_fail_reading(search->trace, search->cursor, result);
	return result;
}

/* Does the record hold? 1 or 0; -1: that depends on records before those read. */
static int holds(struct search *search, const struct ear_record *record)
{
	int changed = search->privileges ? ear_privileges_pass(search->privileges, record) : 1;

	if (changed == 0 || !ear_query_holds(&search->query, record))
		return 0;
	return changed;
}

/* Go to position so that the privileges before it are those of lead records before it. */
static int lead_in(struct search *search, uint64_t position, uint64_t lead)
{
	const struct ear_record *record;
	uint64_t from = search->privileges && lead < position ? position - lead
			: search->privileges                  ? 0
							      : position;

	int result = go_to(search, from);
	if (search->privileges)
		ear_privileges_reset(search->privileges);
	while (result == 1 && search->cursor->position < position) {
		result = next(search, &record);
		if (result == 1)
			(void)ear_privileges_pass(search->privileges, record);
	}
	return result;
}

#define LEAD_BEGIN 64

/* The record just read is at the position before the cursor's. Whether its privilege is another
 * one is found by reading more of what came before; afterwards the cursor is behind it again. */
static int resolve(struct search *search, uint64_t position)
{
	const struct ear_record *record;

	for (uint64_t lead = LEAD_BEGIN;; lead *= 16) {
		int result = lead_in(search, position, lead);
		if (result == 1)
			result = next(search, &record);
		if (result <= 0)
			return result;
		result = holds(search, record);
		if (result >= 0)
			return result;
		if (lead >= position)
			return 0; /* nothing came before */
	}
}

/* The next match at a position before to: 1, and the cursor is behind it. */
static int next_match(struct search *search, uint64_t to, const struct ear_record **record)
{
	while (search->cursor->position < to) {
		int result = next(search, record);
		if (result <= 0)
			return result;
		result = holds(search, *record);
		if (result < 0) {
			result = resolve(search, search->cursor->position - 1);
			if (result == 1)
				*record = search->cursor->last;
		}
		if (result != 0)
			return result;
	}
	return 0;
}

/* The part of the trace, from position on (forward) or before it, that may have a match. Returns 1
 * and *part, 0 if there is none, or an error. */
static int next_part(struct search *search, uint64_t position, enum ear_direction direction,
	struct ear_index_stretch *part)
{
	struct ear_index *index = search->trace->index;
	int result;

	*part = (struct ear_index_stretch){.position = direction == EAR_FORWARD ? position : 0,
		.end = direction == EAR_FORWARD ? UINT64_MAX : position};
	if (!index || !search->trace->seekable)
		return part->position < part->end;
	if (direction == EAR_FORWARD)
		result = ear_index_next(index, &search->index_query, position, part);
	else
		result = ear_index_previous(index, &search->index_query, position, part);
	if (result < 0)
		return ear_trace_fail(search->trace, result, "the index cannot be used: %s",
			ear_error_text(result));
	return result;
}

/* The next match at a position of from .. to - 1: 1, and the cursor is behind it. Called again, it
 * goes on from there. */
static int find_between(
	struct search *search, uint64_t from, uint64_t to, const struct ear_record **record)
{
	struct ear_index_stretch part;
	int result;

	for (;; from = part.end) {
		if (search->part_end == 0) {
			result = next_part(search, from, EAR_FORWARD, &part);
			if (result != 1 || part.position >= to)
				return result < 0 ? result : 0;
			result = lead_in(search, part.position, LEAD_BEGIN);
			if (result != 1)
				return result;
			search->part_end = part.end;
		}
		part.end = search->part_end;
		result = next_match(search, part.end < to ? part.end : to, record);
		if (result != 0 || part.end >= to)
			return result;
		search->part_end = 0;
	}
}

static int find_forward(struct search *search, uint64_t from, uint64_t *position)
{
	const struct ear_record *record;
	int result = find_between(search, from, UINT64_MAX, &record);

	if (result != 1)
		return result;
	ear_cursor_back(search->cursor);
	*position = search->cursor->position;
	return 1;
}

/* The last match of the last part that has one; the place is before it then. */
static int find_backward(struct search *search, uint64_t from, uint64_t *position)
{
	const struct ear_record *record;
	struct ear_index_stretch part;
	bool found = false;
	int result;

	while ((result = next_part(search, from, EAR_BACKWARD, &part)) == 1) {
		result = lead_in(search, part.position, LEAD_BEGIN);
		while (result == 1) {
			result = next_match(search, part.end, &record);
			if (result == 1) {
				*position = search->cursor->position - 1;
				found = true;
			}
		}
		if (result < 0 || found || part.position == 0)
			return result < 0 ? result : found;
		from = part.position;
	}
	return result;
}

static int find_once(struct ear_trace *trace, const struct ear_query *query, uint64_t from,
	enum ear_direction direction, uint64_t *position, const struct ear_progress *progress)
{
	struct search search;
	uint64_t found = 0;

	int result = begin(&search, trace, query, from, progress);
	if (result == 0 && direction == EAR_BACKWARD)
		result = ear_trace_need_places(trace, "searching backward");
	if (result == 0)
		result = direction == EAR_BACKWARD ? find_backward(&search, from, &found)
						   : find_forward(&search, from, &found);
	if (result == 1)
		*position = found;
	return end(&search, result);
}

int ear_trace_find(struct ear_trace *trace, const struct ear_query *query, uint64_t from,
	enum ear_direction direction, uint64_t *position, const struct ear_progress *progress)
{
	int result;

	if (direction != EAR_FORWARD && direction != EAR_BACKWARD)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT,
			"a search goes forward or backward, not %d", (int)direction);
	do {
		result = find_once(trace, query, from, direction, position, progress);
	} while (ear_trace_asks_again(trace, result));
	return result;
}

/* Where a search for all matches is. */
struct finding {
	uint64_t from; /* behind the last record that was found */
	bool ended;    /* by the function that takes them */
};

static int find_all_once(struct ear_trace *trace, const struct ear_query *query,
	struct finding *finding, uint64_t to, ear_found *found, void *context,
	const struct ear_progress *progress)
{
	struct search search;
	const struct ear_record *record;

	int result = begin(&search, trace, query, finding->from, progress);
	while (result == 0) {
		result = find_between(&search, finding->from, to, &record);
		if (result != 1)
			break;
		result = 0;
		bool instruction = record->kind == EAR_RECORD_INSTRUCTION;
		int answer = found(context, record, search.cursor->position - 1,
			search.cursor->number - instruction);
		finding->from = search.cursor->position;
		finding->ended = answer != 0;
		if (answer) {
			end(&search, 0);
			return answer;
		}
	}
	return end(&search, result);
}

int ear_trace_find_all(struct ear_trace *trace, const struct ear_query *query, uint64_t from,
	uint64_t to, ear_found *found, void *context, const struct ear_progress *progress)
{
	struct finding finding = {.from = from};
	int result;

	do {
		result = find_all_once(trace, query, &finding, to, found, context, progress);
	} while (!finding.ended && ear_trace_asks_again(trace, result));
	return result;
}

static int count_one(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	uint64_t *count = context;

	(void)record;
	(void)position;
	(void)number;
	++*count;
	return 0;
}

int ear_trace_count_found(struct ear_trace *trace, const struct ear_query *query, uint64_t from,
	uint64_t to, uint64_t *count, const struct ear_progress *progress)
{
	uint64_t counted = 0;

	int result = ear_trace_find_all(trace, query, from, to, count_one, &counted, progress);
	if (result == 0)
		*count = counted;
	return result;
}

int ear_trace_last_write(struct ear_trace *trace, struct ear_span span, uint64_t before,
	uint64_t *position, const struct ear_progress *progress)
{
	struct ear_query query = EAR_QUERY_ANY;

	query.addresses = &span;
	query.address_count = 1;
	query.accesses = EAR_QUERY_WRITE;
	return ear_trace_find(trace, &query, before, EAR_BACKWARD, position, progress);
}
