/* The event of a flight recorder: the capture says at which record it came, and what was wrong if
 * it was a violation. Records after it were kept because --after asked for them, so the end of the
 * trace is another place. Indexes of records ascend, so the record is found by bisection.
 */
#include "library/why/diagnosis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NEAR  16    /* records with the same index: events before the instruction */
#define AFTER 16384 /* records after the event that are looked at */

/* The first position whose record has this index or a later one. */
static int find_index(struct ear_past *past, uint64_t end, uint64_t index, uint64_t *position)
{
	const struct ear_record *record;
	uint64_t low = 0, high = end;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		int result = ear_past_peek(past, middle, &record);
		if (result < 0)
			return result;
		if (result == 1 && record->index < index)
			low = middle + 1;
		else
			high = middle;
	}
	*position = low;
	return 0;
}

/* Facts of the end need the window of the end. */
static int load_end(struct ear_diagnosis *diagnosis)
{
	const struct ear_record *record;

	return ear_past_at(diagnosis->past, diagnosis->end - 1, &record);
}

/* The instruction at which the event came: its hart is the one that is meant. Returns 1 and its
 * position, and 0 with has_index if its record is missing. */
static int find_event(struct ear_diagnosis *diagnosis, uint64_t *position, bool *has_index)
{
	const struct ear_record *record;
	char text[32], *rest;

	*has_index = false;
	ear_past_end_fact(diagnosis->past, "event_index", text, sizeof(text));
	if (text[0] < '0' || text[0] > '9')
		return 0;
	errno = 0;
	const uint64_t index = strtoull(text, &rest, 10);
	if (errno || *rest != '\0')
		return 0;
	*has_index = true;
	int result = find_index(diagnosis->past, diagnosis->end, index, position);
	for (unsigned i = 0; result == 0 && i < NEAR; i++, ++*position) {
		result = ear_past_peek(diagnosis->past, *position, &record);
		if (result != 1)
			return result;
		result = 0;
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		if (record->index != index)
			return 0;
		diagnosis->why.hart = record->hart;
		return 1;
	}
	return result;
}

static void add_reads(struct ear_diagnosis *diagnosis, uint64_t position)
{
	const struct ear_record *record = ear_past_in_window(diagnosis->past, position);

	ear_diagnosis_operands(diagnosis, record, EAR_WHY_INPUT, position);
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		const struct ear_value_place place = {
			.kind = EAR_VALUE_MEMORY, .size = access->size, .address = access->address};
		if (!access->write && access->size > 0 && access->size <= 8)
			ear_diagnosis_value(diagnosis, EAR_WHY_INPUT, &place, position);
	}
}

/* Did the unit say that a result was wrong? Its event comes some records after the instruction. */
static bool is_mismatch(const struct ear_past *past, uint64_t position)
{
	const uint64_t index = ear_past_in_window(past, position)->index;

	for (uint64_t i = position; i < past->end; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		if (record->kind == EAR_RECORD_EVENT &&
			record->u.event.source == EAR_EVENT_MISMATCH)
			return record->u.event.value == (index & UINT32_MAX);
	}
	return false;
}

/* A window with the record at position, and with some after it if there is room. */
static int load_around(struct ear_diagnosis *diagnosis, uint64_t position)
{
	const struct ear_record *record;
	uint64_t last = diagnosis->end - 1;

	if (last > position + AFTER)
		last = position + AFTER;
	int result = ear_past_at(diagnosis->past, last, &record);
	if (result == 1 && !ear_past_in_window(diagnosis->past, position))
		result = ear_past_at(diagnosis->past, position, &record);
	return result;
}

int ear_diagnose_violation(struct ear_diagnosis *diagnosis)
{
	char violation[EAR_WHY_TEXT_MAX - 32];
	uint64_t position;
	bool has_index;

	if (strcmp(diagnosis->why.end_reason, "event") != 0)
		return 0;
	int result = load_end(diagnosis);
	if (result != 1)
		return result;
	ear_past_end_fact(diagnosis->past, "event_violation", violation, sizeof(violation));
	result = find_event(diagnosis, &position, &has_index);
	if (result == 1)
		result = load_around(diagnosis, position);
	if (result != 1 || (violation[0] == '\0' && !is_mismatch(diagnosis->past, position)))
		return result < 0 ? result : 0;
	diagnosis->certain = true;
	diagnosis->why.kind = EAR_WHY_EVENT;
	diagnosis->why.place = ear_diagnosis_place(diagnosis->past, position);
	if (violation[0])
		ear_diagnosis_say(diagnosis, "the core is wrong: %s", violation);
	else
		ear_diagnosis_say(diagnosis,
			"the core is wrong: a result is not what the operands make (mismatch)");
	add_reads(diagnosis, position);
	return 1;
}

static void say_interrupt(struct ear_diagnosis *diagnosis, const struct ear_record *record)
{
	const uint64_t cause = record->cause & (UINT64_MAX >> (65 - record->xlen));
	const char *name = ear_diagnosis_interrupt_name(cause);

	if (record->flags & EAR_RECORD_NO_CAUSE)
		ear_diagnosis_say(
			diagnosis, "the event that the recorder waited for: an interrupt");
	else
		ear_diagnosis_say(diagnosis,
			"the event that the recorder waited for: an interrupt, cause 0x%" PRIx64
			"%s%s",
			cause, name[0] ? ", " : "", name);
}

static int explain(struct ear_diagnosis *diagnosis, uint64_t position)
{
	struct ear_why *why = &diagnosis->why;
	char text[EAR_WHY_TEXT_MAX - 64];
	const struct ear_record *record;

	int result = load_around(diagnosis, position);
	if (result != 1)
		return result;
	record = ear_past_in_window(diagnosis->past, position);
	if (record->flags & EAR_RECORD_TRAP) {
		result = ear_diagnose_trap_at(diagnosis, position);
		why->kind = EAR_WHY_EVENT;
		memcpy(text, why->text, sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		ear_diagnosis_say(diagnosis, "the event that the recorder waited for: %s", text);
		return result;
	}
	why->place = ear_diagnosis_place(diagnosis->past, position);
	if (record->flags & EAR_RECORD_INTERRUPT)
		say_interrupt(diagnosis, record);
	return 1;
}

int ear_diagnose_event(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;
	const bool is_event = strcmp(why->end_reason, "event") == 0;
	uint64_t position;
	bool has_index;

	if (!is_event && strcmp(why->end_reason, "stop trigger") != 0)
		return 0;
	int result = load_end(diagnosis);
	if (result != 1)
		return result;
	diagnosis->certain = true;
	why->kind = EAR_WHY_EVENT;
	why->place = ear_diagnosis_place(diagnosis->past, diagnosis->last);
	result = find_event(diagnosis, &position, &has_index);
	ear_diagnosis_say(diagnosis, "%s%s%s",
		is_event ? "the event that the recorder waited for" : "the stop trigger",
		why->has_code ? "" : "; no trap, no failing exit and no hang at the end",
		has_index && result == 0 ? "; its record is missing" : "");
	if (result == 1)
		result = explain(diagnosis, position);
	return result < 0 ? result : 1;
}
