/* A boot loop: the program begins again and again, since the handler of a fault, or a reset from
 * outside, leads to its first instruction. What happened before the last start is what is shown.
 */
#include <inttypes.h>
#include <string.h>

#include "library/api/trace_internal.h"
#include "library/why/diagnosis.h"

#define STARTS_MIN   3
#define FIRST_LOOKED 4096                /* records, for the first one of the hart */
#define READ_MAX     ((uint64_t)1 << 21) /* records at the end that are looked through */

/* Where the program begins, by its file. */
static bool find_entry(const struct ear_diagnosis *diagnosis, uint64_t *pc)
{
	const struct ear_names *names = diagnosis->options->names;

	for (size_t i = 0; names && i < ear_names_file_count(names); i++) {
		const struct ear_names_file *file = ear_names_file(names, i);
		*pc = file->entry + file->offset;
		if (file->entry != 0)
			return true;
	}
	return false;
}

/* The first instruction of the program, if the trace begins with it; else by its file. By a cursor
 * of its own: the window of the end would have to be found again. Returns 1, 0 or an error. */
static int find_first(struct ear_diagnosis *diagnosis, uint64_t *pc)
{
	struct ear_trace *trace = diagnosis->past->trace;
	struct ear_cursor cursor = ear_trace_cursor(trace);
	const struct ear_record *record;
	int result = ear_cursor_open(&cursor), found = -1;

	result = result ? result : 1;
	for (unsigned i = 0; result == 1 && found < 0 && i < FIRST_LOOKED; i++) {
		result = ear_cursor_next(&cursor, &record);
		if (result != 1 || record->kind != EAR_RECORD_INSTRUCTION ||
			record->hart != diagnosis->why.hart)
			continue;
		found = record->index <= 1;
		*pc = record->pc;
	}
	if (result < 0)
		result = ear_trace_fail_reading(trace, &cursor, result);
	ear_cursor_close(&cursor);
	return result < 0 ? result : found == 1 || find_entry(diagnosis, pc);
}

struct starts {
	uint64_t count, last[2]; /* last: the newest, and the one before */
};

static int add_start(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct starts *starts = context;

	(void)record;
	(void)number;

	starts->count++;
	starts->last[1] = starts->last[0];
	starts->last[0] = position;
	return 0;
}

/* How often the hart was at pc lately. Returns 0 or an error. */
static int find_starts(struct ear_diagnosis *diagnosis, uint64_t pc, struct starts *starts)
{
	const struct ear_span span = {pc, pc};
	const struct ear_past *past = diagnosis->past;
	const uint64_t end = diagnosis->end, begin = end > READ_MAX ? end - READ_MAX : 0;
	struct ear_query query = EAR_QUERY_ANY;

	*starts = (struct starts){0};
	uint64_t i = past->end;
	while (i > past->first && ear_past_in_window(past, i - 1)->pc != pc)
		i--;
	if (i == past->first)
		return 0; /* not lately: a search may cost reading the whole trace */
	query.hart = diagnosis->why.hart;
	query.pcs = &span;
	query.pc_count = 1;
	return ear_trace_find_all(
		past->trace, &query, begin, end, add_start, starts, past->progress);
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
	struct starts starts;
	uint64_t pc, fault;

	int result = find_first(diagnosis, &pc);
	if (result != 1)
		return result;
	result = find_starts(diagnosis, pc, &starts);
	if (result < 0 || starts.count < STARTS_MIN)
		return result;
	result = find_fault(diagnosis, starts.last[1], starts.last[0], &fault);
	if (result == 1)
		result = ear_diagnose_trap_at(diagnosis, fault);
	if (result != 1)
		return result;
	memcpy(text, why->text, sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ear_diagnosis_say(diagnosis,
		"boot loop: the program began %" PRIu64 " times%s; before the last begin: %s",
		starts.count, diagnosis->end > READ_MAX ? " or more" : "", text);
	return 1;
}
