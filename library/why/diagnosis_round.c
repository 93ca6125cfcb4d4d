/* What differed the last time: the instruction that trapped, or the branch before an exit, was
 * executed before, in an earlier round of a loop or call of a function, and went well. Both rounds
 * are followed from the execution of the instruction before each, and the first transfer of control
 * that differs is the branch that matters.
 */
#include "library/why/diagnosis.h"

#include <string.h>

/* The instruction of the hart at pc, before position. */
static bool find_before(
	const struct ear_past *past, uint16_t hart, uint64_t pc, uint64_t position, uint64_t *found)
{
	for (uint64_t i = position; i > past->first; i--) {
		const struct ear_record *record = ear_past_in_window(past, i - 1);
		if (record->hart != hart)
			continue;
		if (record->kind == EAR_RECORD_GAP)
			return false;
		if (record->kind == EAR_RECORD_INSTRUCTION && record->pc == pc) {
			*found = i - 1;
			return true;
		}
	}
	return false;
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
static void find_branch(struct ear_diagnosis *diagnosis, uint64_t a, uint64_t then, uint64_t now)
{
	const struct ear_past *past = diagnosis->past;
	struct ear_why_difference *difference = &diagnosis->why.difference;
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

/* Registers that both executions read, with other values. */
static void compare(struct ear_diagnosis *diagnosis, uint64_t then, uint64_t now)
{
	struct ear_why_difference *difference = &diagnosis->why.difference;
	const struct ear_record *second = ear_past_in_window(diagnosis->past, now);
	struct ear_origins one, other;

	ear_origins_read(&one, diagnosis->instructions, ear_past_in_window(diagnosis->past, then));
	ear_origins_read(&other, diagnosis->instructions, second);
	for (size_t i = 0; i < one.count && i < other.count; i++) {
		const struct ear_value_source *a = &one.sources[i], *b = &other.sources[i];
		if (!a->value_known || !b->value_known || a->value == b->value ||
			difference->count == EAR_WHY_DIFFERENCE_MAX)
			continue;
		difference->registers[difference->count].place = b->place;
		difference->registers[difference->count].then = a->value;
		difference->registers[difference->count++].now = b->value;
	}
}

int ear_diagnose_round(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	struct ear_past *past = diagnosis->past;
	const struct ear_record *record;
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
	if (!find_before(past, why->hart, place.pc, place.position, &then))
		return 0;
	why->difference.before = ear_diagnosis_place(past, then);
	compare(diagnosis, then, place.position);
	if (find_before(past, why->hart, place.pc, then, &before))
		find_branch(diagnosis, before, then, place.position);
	return 0;
}
