/* What differed the last time: the instruction that trapped, or the branch before an exit, was
 * executed before, in an earlier round of a loop or call of a function, and went well. Both rounds
 * are followed from the execution of the instruction before each, and the first transfer of control
 * that differs is the branch that matters, if both rounds are in the window.
 */
#include "library/why/diagnosis.h"

#define ROUNDS_LEAST 2     /* without an interrupt, for one to be worth the words */
#define AFTER_MAX    32768 /* records after a store that are followed */

/* The hart's last instruction at pc before position, with none missing between. Returns 1, 0 or an
 * error. */
static int find_before(
	struct ear_diagnosis *diagnosis, uint64_t pc, uint64_t position, uint64_t *found)
{
	struct ear_trace *trace = diagnosis->past->trace;
	const struct ear_progress *progress = diagnosis->past->progress;
	const struct ear_span span = {pc, pc};
	struct ear_query query = EAR_QUERY_ANY, gaps = EAR_QUERY_ANY;
	uint64_t gap;

	query.hart = gaps.hart = diagnosis->why.hart;
	query.pcs = &span;
	query.pc_count = 1;
	gaps.kinds = 1u << EAR_RECORD_GAP;
	int result = ear_trace_find(trace, &query, position, EAR_BACKWARD, found, progress);
	if (result != 1 || !ear_past_has_gaps(diagnosis->past))
		return result;
	result = ear_trace_find(trace, &gaps, position, EAR_BACKWARD, &gap, progress);
	return result == 1 ? gap < *found : result < 0 ? result : 1;
}

static bool next_of(const struct ear_past *past, uint16_t hart, uint64_t end, uint64_t *position)
{
	while (++*position < end) {
		const struct ear_record *record = ear_past_in_window(past, *position);
		if (record->hart == hart && record->kind == EAR_RECORD_INSTRUCTION)
			return true;
	}
	return false;
}

/* Follow the round from a to the instruction at then, and the one from then to now. */
static void find_branch(const struct ear_diagnosis *diagnosis,
	struct ear_why_difference *difference, uint64_t a, uint64_t then, uint64_t now)
{
	const struct ear_past *past = diagnosis->past;
	const uint16_t hart = diagnosis->why.hart;
	uint64_t one = a, other = then;

	for (;;) {
		const struct ear_record *first = ear_past_in_window(past, one);
		const struct ear_record *second = ear_past_in_window(past, other);
		const uint64_t branch_one = one, branch_other = other;
		if (first->pc != second->pc)
			return;
		if (!next_of(past, hart, then + 1, &one) || !next_of(past, hart, now + 1, &other))
			return;
		if (ear_past_in_window(past, one)->pc == ear_past_in_window(past, other)->pc)
			continue;
		difference->branch_then = ear_diagnosis_place(past, branch_one);
		difference->branch_now = ear_diagnosis_place(past, branch_other);
		return;
	}
}

/* The value of a source: of the record, or as it was written before. Returns 1, 0 or an error. */
static int value_of(struct ear_past *past, struct ear_value_source *source, uint64_t before)
{
	int result = source->value_known
			     ? 1
			     : ear_past_value(past, &source->place, before, &source->value);

	source->value_known = result == 1;
	return result < 0 ? result : 0;
}

/* Registers that both executions read, with other values. Their records are no longer valid then.
 */
static int compare(struct ear_diagnosis *diagnosis, struct ear_why_difference *difference,
	const struct ear_record *first, uint64_t then, const struct ear_record *second,
	uint64_t now)
{
	struct ear_origins one, other;
	int result = 0;

	ear_origins_read(&one, diagnosis->instructions, first);
	ear_origins_read(&other, diagnosis->instructions, second);
	difference->same = one.count == other.count;
	for (size_t i = 0; i < one.count && i < other.count && result == 0; i++) {
		struct ear_value_source *a = &one.sources[i], *b = &other.sources[i];
		result = value_of(diagnosis->past, a, then);
		if (result == 0)
			result = value_of(diagnosis->past, b, now);
		const bool known = result == 0 && a->value_known && b->value_known;
		if (known && a->value == b->value)
			continue;
		difference->same = false;
		if (!known || difference->count == EAR_WHY_DIFFERENCE_MAX)
			continue;
		difference->registers[difference->count].place = b->place;
		difference->registers[difference->count].then = a->value;
		difference->registers[difference->count++].now = b->value;
	}
	return result;
}

/* The last interrupt in begin .. end - 1, which are in the window. */
static bool find_interrupt(
	const struct ear_diagnosis *diagnosis, uint64_t begin, uint64_t end, uint64_t *position)
{
	for (*position = end; *position > begin;) {
		const struct ear_record *record = ear_past_in_window(diagnosis->past, --*position);
		if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == diagnosis->why.hart &&
			record->flags & EAR_RECORD_INTERRUPT)
			return true;
	}
	return false;
}

/* Did an interrupt come in the round from then to now, and in none of those before? */
static int compare_interrupts(struct ear_diagnosis *diagnosis,
	struct ear_why_difference *difference, uint64_t pc, uint64_t then, uint64_t now)
{
	uint64_t interrupt, before, other;

	if (!ear_past_in_window(diagnosis->past, then) ||
		!find_interrupt(diagnosis, then, now, &interrupt))
		return 0;
	for (unsigned i = 0; i < EAR_WHY_ROUNDS_MAX; i++, then = before) {
		const int result = find_before(diagnosis, pc, then, &before);
		if (result < 0)
			return result;
		if (result == 0 || !ear_past_in_window(diagnosis->past, before))
			break;
		if (find_interrupt(diagnosis, before, then, &other))
			return 0;
		difference->quiet_rounds = i + 1;
	}
	if (difference->quiet_rounds >= ROUNDS_LEAST)
		difference->interrupt = ear_diagnosis_place(diagnosis->past, interrupt);
	return 0;
}

int ear_diagnose_round(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	struct ear_past *past = diagnosis->past;
	const struct ear_record *record, *earlier;
	uint64_t then, before;

	/* A fetch that failed has no instruction. */
	const struct ear_why_place place = why->kind == EAR_WHY_EXIT ? why->branch
					   : why->jump.known         ? why->jump
								     : why->place;
	if (!place.known || place.opcode_size == 0)
		return 0;
	int result = ear_past_at(past, place.position, &record);
	if (result != 1)
		return result;
	why->difference.searched = true;
	result = find_before(diagnosis, place.pc, place.position, &then);
	if (result == 1)
		result = ear_past_peek(past, then, &earlier);
	if (result != 1)
		return result;
	why->difference.before = ear_diagnosis_place_of(earlier, then, past->peeked_number);
	result = compare(diagnosis, &why->difference, earlier, then, record, place.position);
	if (result < 0)
		return result;
	result = find_before(diagnosis, place.pc, then, &before);
	if (result == 1 && ear_past_in_window(past, before))
		find_branch(diagnosis, &why->difference, before, then, place.position);
	if (result == 1)
		result = compare_interrupts(
			diagnosis, &why->difference, place.pc, then, place.position);
	return result < 0 ? result : 0;
}

/* The last store to what the branch of a loop compares, before the loop. */
static const struct ear_value_node *find_store(const struct ear_why *why)
{
	const struct ear_value_node *found = NULL;

	for (size_t i = 0; i < why->value_count; i++) {
		const struct ear_value_chain *chain = why->values[i].chain;
		for (size_t k = 0; k < chain->node_count; k++) {
			const struct ear_value_node *node = &chain->nodes[k];
			if (node->place.kind == EAR_VALUE_MEMORY && node->opcode_size > 0 &&
				node->hart == why->hart && node->position < why->loop.position &&
				(!found || node->position > found->position))
				found = node;
		}
	}
	return found;
}

int ear_diagnose_after(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	struct ear_past *past = diagnosis->past;
	const struct ear_value_node *store;
	uint64_t then, end;

	if (why->kind != EAR_WHY_HANG || !why->loop.known || !(store = find_store(why)))
		return 0;
	int result = find_before(diagnosis, store->pc, store->position, &then);
	if (result != 1)
		return result;
	end = why->loop.position + 1;
	if (end > store->position + AFTER_MAX)
		end = store->position + AFTER_MAX;
	const uint64_t loaded = end;
	result = ear_past_load(past, &end);
	if (result)
		return result;
	if (end != loaded || !ear_past_in_window(past, then))
		return 0;
	why->after_write = ear_diagnosis_place(past, store->position);
	why->after.before = ear_diagnosis_place(past, then);
	find_branch(diagnosis, &why->after, then, store->position, end - 1);
	if (why->after.branch_now.known)
		result = compare(diagnosis, &why->after,
			ear_past_in_window(past, why->after.branch_then.position),
			why->after.branch_then.position,
			ear_past_in_window(past, why->after.branch_now.position),
			why->after.branch_now.position);
	if (result < 0)
		return result;
	result = compare_interrupts(diagnosis, &why->after, store->pc, store->position, end - 1);
	return result < 0 ? result : 0;
}
