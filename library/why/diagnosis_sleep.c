/* A sleep at the end: the last instruction waits for an interrupt, or would be the next one and
 * does not retire. What it waits for is what mie enables: none of these is pending, else it would
 * end. Interrupts that came before and that mie masks now are named with their last time: a trace
 * does not show mip, so whether one of them is pending is not known.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "library/why/diagnosis.h"

#define WFI         0x10500073u
#define MIE         0x304
#define MSTATUS     0x300
#define MSTATUS_MIE 0x8u
#define LIST_MAX    80 /* bytes of a list of interrupts */
#define MASKED_MAX  96 /* of the sentence about a masked one */

int ear_diagnosis_interrupts_off(struct ear_diagnosis *diagnosis, uint64_t position)
{
	const struct ear_record *record = ear_past_in_window(diagnosis->past, position);
	const struct ear_value_place place = {.kind = EAR_VALUE_REGISTER,
		.reg_class = EAR_REGISTER_CSR,
		.number = MSTATUS,
		.hart = diagnosis->why.hart};
	uint64_t status;

	if (!record || record->flags & EAR_RECORD_NO_PRIVILEGE ||
		record->privilege != EAR_PRIVILEGE_M)
		return 0;
	int result = ear_past_value(diagnosis->past, &place, position, &status);
	if (result != 1 || status & MSTATUS_MIE)
		return result < 0 ? result : 0;
	diagnosis->why.interrupts_off = true;
	ear_diagnosis_value(diagnosis, EAR_WHY_STATUS, &place, position);
	return 0;
}

int ear_diagnosis_end_unknown(struct ear_diagnosis *diagnosis)
{
	struct ear_why *why = &diagnosis->why;

	why->kind = EAR_WHY_UNKNOWN;
	why->value_count = 0;
	why->exit_count = 0;
	why->place = ear_diagnosis_place(diagnosis->past, diagnosis->last);
	return strcmp(why->end_reason, "event") != 0 &&
	       strcmp(why->end_reason, "stop trigger") != 0;
}

/* Was this sleep ended before? Returns 1, 0 or an error. */
static int has_woken(struct ear_diagnosis *diagnosis)
{
	const uint64_t pc = diagnosis->why.place.pc;
	const struct ear_span span = {pc, pc};
	struct ear_query query = EAR_QUERY_ANY;
	uint64_t position;

	query.hart = diagnosis->why.hart;
	query.pcs = &span;
	query.pc_count = 1;
	return ear_trace_find(diagnosis->past->trace, &query, diagnosis->last, EAR_BACKWARD,
		&position, diagnosis->past->progress);
}

/* "the timer, the external and interrupt 16": those of a set. */
static void list_interrupts(uint64_t set, char *text)
{
	size_t length = 0;

	for (unsigned bit = 0; bit < 64 && length + 24 < LIST_MAX; bit++) {
		if (!(set >> bit & 1))
			continue;
		set &= ~((uint64_t)1 << bit);
		const char *name = ear_diagnosis_interrupt_name(bit);
		const char *before = length == 0 ? "" : set ? ", " : " or ";
		length += (size_t)snprintf(text + length, LIST_MAX - length, "%s%s", before, name);
		if (!name[0])
			length += (size_t)snprintf(
				text + length, LIST_MAX - length, "number %u", bit);
	}
}

/* Of the interrupts that came before and that mie does not enable any more, the one that came last,
 * and how many others there are. Returns 0 or an error. */
static int find_masked(struct ear_diagnosis *diagnosis, uint64_t enabled, char *text)
{
	static const uint8_t numbers[] = {1, 3, 5, 7, 9, 11};
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;
	uint64_t position, newest = 0;
	unsigned count = 0, number = 0;
	int result = 0;

	query.hart = diagnosis->why.hart;
	query.traps = EAR_QUERY_INTERRUPT;
	query.has_cause = true;
	for (size_t i = 0; i < sizeof(numbers) && result >= 0; i++) {
		if (enabled >> numbers[i] & 1)
			continue;
		query.cause = numbers[i];
		result = ear_trace_find(diagnosis->past->trace, &query, diagnosis->last,
			EAR_BACKWARD, &position, diagnosis->past->progress);
		if (result != 1)
			continue;
		if (count++ == 0 || position > newest) {
			newest = position;
			number = numbers[i];
		}
	}
	if (result >= 0 && count > 0)
		result = ear_past_peek(diagnosis->past, newest, &record);
	if (result < 0 || count == 0)
		return result < 0 ? result : 0;
	int length = snprintf(text, MASKED_MAX, "; masked: %s, which came last at #%" PRIu64,
		ear_diagnosis_interrupt_name(number), diagnosis->past->peeked_number);
	if (count > 1)
		snprintf(text + length, MASKED_MAX - (size_t)length, ", and %u more that came",
			count - 1);
	return 0;
}

static int say_sleep(struct ear_diagnosis *diagnosis, bool retired, bool known, uint64_t enabled)
{
	char list[LIST_MAX] = "", masked[MASKED_MAX] = "";
	const int result = known ? find_masked(diagnosis, enabled, masked) : 0;

	if (known && enabled != 0)
		list_interrupts(enabled, list);
	ear_diagnosis_say(diagnosis,
		"endless wfi%s: the hart waits for an interrupt, and none %s%s%s",
		retired ? "" : ", which did not retire",
		known && enabled == 0 ? "is enabled (mie is 0)"
		: known               ? "comes; mie enables: "
				      : "comes",
		list, masked);
	return result;
}

/* The wfi that the hart is in: its last instruction, or the next one, which did not retire. Returns
 * 1 and the place, 0 or an error. */
static int find_sleep(struct ear_diagnosis *diagnosis, bool *retired)
{
	const struct ear_record *record = ear_past_in_window(diagnosis->past, diagnosis->last);
	struct ear_why_place place = ear_diagnosis_place(diagnosis->past, diagnosis->last);
	uint64_t opcode;

	if (!record || record->flags & EAR_RECORD_NO_OPCODE)
		return 0;
	*retired = record->opcode == WFI;
	diagnosis->why.place = place;
	if (*retired)
		return 1;
	if (record->flags & EAR_RECORD_NO_NEXT_PC)
		return 0;
	const struct ear_value_place memory = {
		.kind = EAR_VALUE_MEMORY, .size = 4, .address = record->next_pc};
	const int result = ear_past_value(diagnosis->past, &memory, diagnosis->last + 1, &opcode);
	if (result != 1 || opcode != WFI)
		return result < 0 ? result : 0;
	place.position++;
	place.number++;
	place.pc = record->next_pc;
	place.next_pc = record->next_pc + 4;
	place.opcode = WFI;
	place.opcode_size = 4;
	diagnosis->why.place = place;
	return 1;
}

int ear_diagnose_sleep(struct ear_diagnosis *diagnosis)
{
	const struct ear_value_place mie = {.kind = EAR_VALUE_REGISTER,
		.reg_class = EAR_REGISTER_CSR,
		.number = MIE,
		.hart = diagnosis->why.hart};
	uint64_t enabled = 0;
	bool retired;

	const int asleep = find_sleep(diagnosis, &retired);
	if (asleep != 1)
		return asleep;
	const int known = ear_past_value(diagnosis->past, &mie, diagnosis->last + 1, &enabled);
	const int woken = known == 1 && enabled == 0 ? 0 : has_woken(diagnosis);
	if (known < 0 || woken < 0)
		return known < 0 ? known : woken;
	if (woken) {
		ear_diagnosis_say(diagnosis,
			"cause unknown: the hart waits for an interrupt, as it did before");
		return ear_diagnosis_end_unknown(diagnosis);
	}
	const bool is_limit = strcmp(diagnosis->why.end_reason, "limit") == 0;
	if (!retired && (is_limit || diagnosis->why.end_missing)) {
		ear_diagnosis_say(diagnosis, "cause unknown: the next instruction is a wfi%s",
			is_limit ? ", and the capture ended by its limit" : "");
		return ear_diagnosis_end_unknown(diagnosis);
	}
	if (known)
		ear_diagnosis_value(diagnosis, EAR_WHY_ENABLED, &mie, diagnosis->last + 1);
	int result = ear_diagnosis_interrupts_off(diagnosis, diagnosis->last);
	diagnosis->why.kind = EAR_WHY_HANG;
	if (result >= 0)
		result = say_sleep(diagnosis, retired, known == 1, enabled);
	return result < 0 ? result : 1;
}
