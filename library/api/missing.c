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

/* Were all records before the position read, and no gap after it? */
static bool was_seen(const struct ear_seen *seen, uint64_t to)
{
	return (seen->ended || seen->end >= to) && (seen->missing.gaps == 0 || seen->last < to);
}

static int find_missing(struct ear_trace *trace, uint64_t to, struct ear_missing *missing,
	const struct ear_progress *progress)
{
	struct ear_query query = EAR_QUERY_ANY;

	query.kinds = 1u << EAR_RECORD_GAP;
	return ear_trace_find_all(trace, &query, 0, to, add_found, missing, progress);
}

/* Does the capture say that it is a part, or ended where it was to? */
static bool is_part(struct ear_trace *trace)
{
	static const char *const meant[] = {"end of part", "limit", "event"};
	char reason[32];

	if (ear_trace_fact(trace, "end_reason", reason, sizeof(reason)) < 0)
		return false;
	for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
		if (strcmp(reason, meant[i]) == 0)
			return true;
	return false;
}

int ear_trace_missing(struct ear_trace *trace, uint64_t to, struct ear_missing *missing,
	const struct ear_progress *progress)
{
	struct ear_missing found = trace->seen.missing;
	struct ear_trace_facts facts = {.size = sizeof(facts)};
	int result = 0;

	found.size = sizeof(found);
	if (missing->size == 0)
		return ear_trace_fail(trace, EAR_E_BAD_ARGUMENT, "the size of the sums is none");
	if (!was_seen(&trace->seen, to)) {
		found = (struct ear_missing){.size = sizeof(found)};
		result = ear_trace_need_places(trace, "looking for what is missing");
		if (result == 0)
			result = find_missing(trace, to, &found, progress);
	}
	if (result == 0)
		result = ear_trace_facts(trace, &facts);
	if (result)
		return result;
	if (to == UINT64_MAX)
		found.fault = ear_trace_fault(trace);
	if (found.fault)
		found.verdict = EAR_DAMAGED;
	if (found.verdict == EAR_WHOLE && strcmp(facts.format, "shot") != 0)
		found.verdict = EAR_UNKNOWN;
	if (found.verdict == EAR_WHOLE && to == UINT64_MAX && is_part(trace))
		found.verdict = EAR_PART;
	(void)ear_versioned_write(missing, &found, sizeof(found));
	return 0;
}
