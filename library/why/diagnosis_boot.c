/* A boot loop: the program begins again and again, since the handler of a fault, or a reset from
 * outside, leads to its first instruction. What happened before the last start is what is shown.
 */
#include <inttypes.h>
#include <string.h>

#include "library/why/diagnosis.h"

#define STARTS_MIN 3
#define STARTS_MAX 64 /* that are counted */

/* The first instruction of the program, if the trace begins with it. Returns 1, 0 or an error. */
static int find_first(struct ear_diagnosis *diagnosis, uint64_t *pc)
{
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;
	uint64_t position;

	query.hart = diagnosis->why.hart;
	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	int result = ear_trace_find(diagnosis->past->trace, &query, 0, EAR_FORWARD, &position,
		diagnosis->past->progress);
	if (result == 1)
		result = ear_past_peek(diagnosis->past, position, &record);
	if (result != 1 || record->index > 1)
		return result < 0 ? result : 0;
	*pc = record->pc;
	return 1;
}

/* How often the hart was at pc, and the last two times. Returns 0 or an error. */
static int find_starts(
	struct ear_diagnosis *diagnosis, uint64_t pc, uint64_t *count, uint64_t last[2])
{
	const struct ear_span span = {pc, pc};
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position = diagnosis->end;

	query.hart = diagnosis->why.hart;
	query.pcs = &span;
	query.pc_count = 1;
	for (*count = 0; *count < STARTS_MAX; ++*count) {
		int result = ear_trace_find(diagnosis->past->trace, &query, position, EAR_BACKWARD,
			&position, diagnosis->past->progress);
		if (result != 1)
			return result;
		if (*count < 2)
			last[*count] = position;
	}
	return 0;
}

/* The last fault in a run that ended with a start. Returns 1, 0 or an error. */
static int find_fault(
	struct ear_diagnosis *diagnosis, uint64_t begin, uint64_t end, uint64_t *position)
{
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;

	query.hart = diagnosis->why.hart;
	query.traps = EAR_QUERY_EXCEPTION;
	for (*position = end;;) {
		int result = ear_trace_find(diagnosis->past->trace, &query, *position, EAR_BACKWARD,
			position, diagnosis->past->progress);
		if (result == 1)
			result = *position < begin
					 ? 0
					 : ear_past_peek(diagnosis->past, *position, &record);
		if (result != 1 || ear_diagnosis_is_fault(record))
			return result;
	}
}

int ear_diagnose_boot(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	char text[EAR_WHY_TEXT_MAX - 96];
	uint64_t pc, count, last[2], fault;

	int result = find_first(diagnosis, &pc);
	if (result != 1)
		return result;
	result = find_starts(diagnosis, pc, &count, last);
	if (result < 0 || count < STARTS_MIN)
		return result;
	result = find_fault(diagnosis, last[1], last[0], &fault);
	if (result == 1)
		result = ear_diagnose_trap_at(diagnosis, fault);
	if (result != 1)
		return result;
	memcpy(text, why->text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ear_diagnosis_say(diagnosis,
		"boot loop: the program began %" PRIu64 " times%s; before the last begin: %s",
		count, count == STARTS_MAX ? " or more" : "", text);
	return 1;
}
