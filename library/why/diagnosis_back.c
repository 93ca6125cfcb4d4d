/* Searches that go back further than the window of records in memory: since when a loop runs, and
 * which of many equal traps was the first.
 *
 * Both walk back record by record, window by window, for READ_MAX records at most. A loop whose
 * instructions allow one way only is left alone by the walk: the index knows the last record that
 * is not of it. So what is found is the first record, unless *earlier says that it may be an older
 * one.
 */
#include "library/why/diagnosis.h"

#include "library/api/trace_internal.h"

#define READ_MAX ((uint64_t)1 << 21)

/* An instruction of the hart, and how to get to the one before it. */
struct walk {
	struct ear_diagnosis *diagnosis;
	const struct ear_record *record; /* until the next step */
	uint64_t position, index, read;
	bool torn; /* records are missing, or too many were read */
};

static void begin_walk(struct walk *walk, struct ear_diagnosis *diagnosis, uint64_t position)
{
	*walk = (struct walk){
		.diagnosis = diagnosis, .position = position + 1, .index = UINT64_MAX};
}

/* Of another hart, or of none, a gap is one of this hart, too, if a line cannot be read. */
static bool is_torn_by(const struct walk *walk, const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_GAP)
		return ear_gap_forgets(&record->u.gap) &&
		       (record->hart == walk->diagnosis->why.hart ||
			       record->u.gap.reason == EAR_GAP_BAD_LINE);
	/* Texts have no gap record where lines are left out. */
	return record->kind == EAR_RECORD_INSTRUCTION &&
	       record->hart == walk->diagnosis->why.hart && walk->index != UINT64_MAX &&
	       walk->index > record->index + 1;
}

/* To the hart's instruction before. Returns 1, 0 (torn, or there is none), or an error. */
static int step(struct walk *walk)
{
	while (walk->position > 0) {
		const struct ear_record *record;
		walk->torn = walk->read++ == READ_MAX;
		if (walk->torn)
			return 0;
		int result = ear_past_at(walk->diagnosis->past, --walk->position, &record);
		if (result != 1)
			return result;
		walk->torn = is_torn_by(walk, record);
		if (walk->torn)
			return 0;
		if (record->kind != EAR_RECORD_INSTRUCTION ||
			record->hart != walk->diagnosis->why.hart)
			continue;
		walk->record = record;
		walk->index = record->index;
		return 1;
	}
	return 0;
}

/* Did the walk end where the program began? Else what it looked for may be older. 1, 0 or an error.
 */
static int ends_at_begin(struct walk *walk)
{
	const struct ear_record *record;

	if (walk->torn)
		return 0;
	int result = ear_past_peek(walk->diagnosis->past, 0, &record);
	return result == 1 ? record->kind == EAR_RECORD_INSTRUCTION && record->index <= 1 : result;
}

static bool is_xret(const struct ear_record *record)
{
	return !(record->flags & EAR_RECORD_TRAP) &&
	       (record->opcode == 0x30200073 || record->opcode == 0x10200073 ||
		       record->opcode == 0x70200073);
}

/* From an xRET back to the interrupt that it returns from: the walk is then at its first record.
 * Returns 1; 0: it returns from an exception, or its begin is not there; or an error. */
static int skip_handler(struct walk *walk)
{
	unsigned depth = 1;
	bool handler = walk->record->flags & EAR_RECORD_HANDLER;
	int result;

	for (struct walk last = *walk; (result = step(walk)) == 1; last = *walk) {
		const unsigned flags = walk->record->flags;
		if (handler && !(flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_TRAP)) &&
			--depth == 0) {
			/* A trace without a record of the interrupt. */
			last.read = walk->read;
			*walk = last;
			return 1;
		}
		handler = flags & EAR_RECORD_HANDLER;
		if (is_xret(walk->record))
			depth++;
		if (flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_TRAP) && --depth == 0)
			return flags & EAR_RECORD_INTERRUPT ? 1 : 0;
	}
	return result;
}

/* ---- A loop. ---- */

/* The last instruction before *position that is not of the loop, or the last gap of the hart. Then
 * *position is after it. Returns 0 or an error. */
static int jump(struct ear_diagnosis *diagnosis, const struct ear_loop *loop, uint64_t *position)
{
	struct ear_trace *trace = diagnosis->past->trace;
	const struct ear_progress *progress = diagnosis->past->progress;
	struct ear_query outside = EAR_QUERY_ANY, gap = EAR_QUERY_ANY;
	uint64_t found, behind = 0;

	outside.hart = gap.hart = diagnosis->why.hart;
	outside.pcs = loop->outside;
	outside.pc_count = loop->outside_count;
	gap.kinds = 1u << EAR_RECORD_GAP;
	int result = ear_trace_find(trace, &outside, *position, EAR_BACKWARD, &found, progress);
	if (result == 1)
		behind = found + 1;
	if (result >= 0 && ear_past_has_gaps(diagnosis->past))
		result = ear_trace_find(trace, &gap, *position, EAR_BACKWARD, &found, progress);
	if (result == 1 && found >= behind)
		behind = found + 1;
	*position = behind;
	return result < 0 ? result : 0;
}

/* After the jump the loop continues: *begin is its first record there, *phase what comes before it.
 * Returns 1, 0 (nothing to jump over), or an error. */
static int jump_back(struct walk *walk, const struct ear_loop *loop, uint64_t *begin, size_t *phase)
{
	struct ear_diagnosis *diagnosis = walk->diagnosis;
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;
	uint64_t position = walk->position;

	int result = jump(diagnosis, loop, &position);
	if (result < 0 || position >= *begin)
		return result;
	query.hart = diagnosis->why.hart;
	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	result = ear_trace_find(diagnosis->past->trace, &query, position, EAR_FORWARD, &position,
		diagnosis->past->progress);
	if (result != 1 || position >= *begin)
		return result < 0 ? result : 0;
	result = ear_past_peek(diagnosis->past, position, &record);
	if (result != 1)
		return result;
	for (size_t i = 0; i < loop->period; i++)
		if (loop->pcs[i] == record->pc) {
			*phase = (i + 1) % loop->period;
			*begin = walk->position = position;
			walk->index = record->index;
			return 1;
		}
	return 0;
}

/* Is the window used up, and is there only one way through the loop? */
static bool may_jump(const struct walk *walk, const struct ear_loop *loop)
{
	const struct ear_past *past = walk->diagnosis->past;

	return loop->outside_count > 0 && walk->position == past->first && walk->position > 0 &&
	       ear_past_is_capture(past);
}

/* Back through the loop, and the handlers of interrupts in it, to its first record. Returns 1: what
 * was before it is known; 0: it is not; or an error. */
static int walk_loop(struct walk *walk, const struct ear_loop *loop, uint64_t *begin)
{
	size_t phase = 0;
	int result;

	while ((result = step(walk)) == 1) {
		if (is_xret(walk->record)) {
			const struct walk at = *walk;
			result = skip_handler(walk);
			if (result < 0)
				return result;
			if (result == 1)
				continue;
			const uint64_t read = walk->read;
			const struct ear_record *record;
			*walk = at;
			walk->read = read;
			result = ear_past_at(walk->diagnosis->past, at.position, &record);
			if (result != 1)
				return result;
			walk->record = record;
		}
		if (walk->record->pc != loop->pcs[phase] ||
			walk->record->flags & EAR_RECORD_INTERRUPT)
			return 1;
		*begin = walk->position;
		phase = (phase + 1) % loop->period;
		result = may_jump(walk, loop) ? jump_back(walk, loop, begin, &phase) : 0;
		if (result < 0)
			return result;
	}
	return result < 0 ? result : ends_at_begin(walk);
}

int ear_diagnose_begin(struct ear_diagnosis *diagnosis, const struct ear_loop *loop, uint64_t last)
{
	struct ear_why *why = &diagnosis->why;
	const struct ear_record *record;
	struct walk walk;
	uint64_t begin = last;

	begin_walk(&walk, diagnosis, last);
	int result = walk_loop(&walk, loop, &begin);
	if (result < 0)
		return result;
	why->earlier = result == 0;
	result = ear_past_at(diagnosis->past, begin, &record);
	why->loop = ear_diagnosis_place(diagnosis->past, begin);
	return result < 0 ? result : 0;
}

/* ---- A trap that comes again. ---- */

struct fault {
	uint64_t pc, cause, value;
	bool has_value;
};

static struct fault fault_of(const struct ear_record *record)
{
	struct fault fault = {.pc = record->pc, .cause = record->cause};

	fault.has_value = ear_diagnosis_trap_value(record, &fault.value);
	return fault;
}

static bool is_same(const struct fault *a, const struct fault *b)
{
	return a->pc == b->pc && a->cause == b->cause && a->has_value == b->has_value &&
	       a->value == b->value;
}

int ear_diagnose_again(
	struct ear_diagnosis *diagnosis, uint64_t *first, uint64_t *count, bool *earlier)
{
	struct fault fault = {0}, older;
	bool is_before = false; /* the record is the one before the fault */
	struct walk walk;
	int result;

	*first = diagnosis->last;
	*count = 0;
	*earlier = false;
	for (begin_walk(&walk, diagnosis, diagnosis->last); (result = step(&walk)) == 1;) {
		if (!ear_diagnosis_is_fault(walk.record)) {
			const bool returns = is_xret(walk.record);
			/* It went on after it; or it came from elsewhere. */
			if (*count == 0 ? returns && walk.position < diagnosis->last
					: is_before && !returns)
				return 0;
			is_before = false;
			*earlier = *count > 0;
			if (*first - walk.position > EAR_PAST_WINDOW)
				return 0;
			*earlier = false;
			continue;
		}
		older = fault_of(walk.record);
		if (*count > 0 && (is_before || !is_same(&older, &fault)))
			return 0;
		fault = older;
		*first = walk.position;
		++*count;
		is_before = true;
	}
	if (result < 0)
		return result;
	result = ends_at_begin(&walk);
	*earlier = result == 0;
	return result < 0 ? result : 0;
}
