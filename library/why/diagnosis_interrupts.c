/* An interrupt storm: at the end of the trace one interrupt follows the other, with at most one
 * instruction of the program between, since the handler does not clear what interrupts. What its
 * last complete round stored, other than through sp, is where the clearing is missing.
 */
#include <inttypes.h>

#include "library/why/diagnosis.h"

#define ROUNDS_MIN 16
#define BETWEEN    1 /* instructions of the program between two interrupts */

struct storm {
	uint64_t rounds, cause, first; /* first: position of the oldest interrupt */
	uint64_t handler, end;         /* the last complete round, up to its return */
	unsigned between;
	bool known, active; /* a cause is known; in a handler */
};

static bool is_mret(const struct ear_record *record)
{
	return !(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)) &&
	       (record->opcode == 0x30200073 || record->opcode == 0x10200073);
}

static void take_interrupt(struct storm *storm, const struct ear_record *record, uint64_t position)
{
	const bool same = storm->rounds > 0 && storm->known && storm->cause == record->cause &&
			  !storm->active && storm->between <= BETWEEN;

	storm->rounds = same ? storm->rounds + 1 : 1;
	storm->first = same ? storm->first : position;
	storm->known = !(record->flags & EAR_RECORD_NO_CAUSE);
	storm->cause = record->cause;
	storm->active = true;
	storm->handler = same ? storm->handler : position;
}

/* The storm at the end of the window, if there is one. */
static void find_storm(const struct ear_diagnosis *diagnosis, struct storm *storm)
{
	const struct ear_past *past = diagnosis->past;
	uint64_t begin = 0;

	*storm = (struct storm){.known = false};
	for (uint64_t i = past->first; i <= diagnosis->last; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		if (record->hart != diagnosis->why.hart)
			continue;
		if (record->kind == EAR_RECORD_GAP)
			storm->rounds = 0;
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		if (record->flags & EAR_RECORD_INTERRUPT) {
			take_interrupt(storm, record, i);
			begin = i;
		} else if (record->flags & EAR_RECORD_TRAP) {
			storm->rounds = 0;
		} else if (storm->active && is_mret(record)) {
			storm->active = false;
			storm->between = 0;
			storm->handler = begin;
			storm->end = i;
		} else if (!storm->active) {
			storm->between++;
		}
	}
	if (!storm->active && storm->between > BETWEEN)
		storm->rounds = 0;
}

static bool is_by_sp(const struct ear_diagnosis *diagnosis, const struct ear_record *record)
{
	struct ear_value_source base;

	return ear_origins_base(&base, diagnosis->instructions, record) &&
	       base.place.reg_class == EAR_REGISTER_X && base.place.number == 2;
}

/* The last store of the round that is not to the stack; else its return. */
static uint64_t find_work(const struct ear_diagnosis *diagnosis, const struct storm *storm)
{
	for (uint64_t i = storm->end; i > storm->handler; i--) {
		const struct ear_record *record = ear_past_in_window(diagnosis->past, i);
		if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == diagnosis->why.hart &&
			record->memory_count > 0 && record->memory[0].write &&
			!is_by_sp(diagnosis, record))
			return i;
	}
	return storm->end;
}

int ear_diagnose_interrupts(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	const struct ear_record *record;
	struct storm storm;

	int result = ear_past_at(diagnosis->past, diagnosis->end - 1, &record);
	if (result != 1)
		return result;
	find_storm(diagnosis, &storm);
	if (storm.rounds < ROUNDS_MIN)
		return 0;
	record = ear_past_in_window(diagnosis->past, storm.first);
	why->kind = EAR_WHY_HANG;
	why->rounds = storm.rounds;
	why->place = ear_diagnosis_place(diagnosis->past, find_work(diagnosis, &storm));
	why->loop = ear_diagnosis_place(diagnosis->past, storm.first);
	why->earlier = storm.first <= diagnosis->past->first + 64 && diagnosis->past->first > 0;
	const uint64_t cause = storm.cause & (UINT64_MAX >> (65 - record->xlen));
	const char *name = ear_diagnosis_interrupt_name(cause);
	ear_diagnosis_say(diagnosis,
		"interrupt storm: interrupt %" PRIu64 "%s%s%s, %" PRIu64
		" times or more, each at once after the one before: its handler did not end it",
		cause, name[0] ? " (" : "", name, name[0] ? ")" : "", storm.rounds);
	return 1;
}
