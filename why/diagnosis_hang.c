/* A loop without progress: the last instructions of a hart repeat the same path, and no branch of
 * it reads anything that changes. Interrupts that come between are left out.
 *
 * The path repeats with a period p if the sequence of pcs, from the end back, equals itself moved
 * by p. The Z function of that sequence says for each p how far it does. The shortest period
 * without progress is the loop: of nested loops the inner one makes progress, the outer one may
 * not.
 */
#include "why/diagnosis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "library/trace_internal.h"

#define ROUNDS_MIN     16u
#define CANDIDATES_MAX 4096u /* periods that are judged */
#define EXITS_TRIED    64u   /* earlier executions of the branch */

#define MSTATUS     0x300
#define MSTATUS_MIE 0x8u

/* The hart's instructions in the window but for interrupt handlers, from the last back. */
struct path {
	uint32_t *at; /* from past->first */
	size_t *same; /* Z function */
	size_t count;
};

static bool is_xret(const struct ear_record *record)
{
	return record->opcode == 0x30200073 || record->opcode == 0x10200073 ||
	       record->opcode == 0x70200073;
}

/* Of each instruction how deep in handlers of interrupts it is; where the hart is in one at the
 * end, that one is what counts. */
static size_t select_path(const struct ear_diagnosis *diagnosis, uint32_t *at)
{
	const struct ear_past *past = diagnosis->past;
	size_t begins[64] = {0}; /* of what was before each handler that is active */
	size_t count = 0;
	unsigned depth = 0;
	bool trapped = false;

	for (uint64_t i = past->first; i < past->end; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		if (record->hart != diagnosis->why.hart)
			continue;
		if (record->kind == EAR_RECORD_GAP)
			count = depth = 0;
		if (record->kind != EAR_RECORD_INSTRUCTION)
			continue;
		const bool interrupt =
			record->flags & EAR_RECORD_INTERRUPT ||
			(record->flags & EAR_RECORD_HANDLER && !trapped && count > 0 &&
				!(ear_past_in_window(past, past->first + at[count - 1])->flags &
					EAR_RECORD_INTERRUPT));
		if (interrupt && depth < 64)
			begins[depth++] = count;
		trapped = record->flags & EAR_RECORD_TRAP;
		at[count++] = (uint32_t)(i - past->first);
		if (is_xret(record) && depth > 0 && !trapped)
			count = begins[--depth];
	}
	/* What is active at the end: only the newest handler. */
	if (depth > 0) {
		memmove(at, at + begins[depth - 1], (count - begins[depth - 1]) * sizeof(*at));
		count -= begins[depth - 1];
	}
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t kept = at[i];
		at[i] = at[count - 1 - i];
		at[count - 1 - i] = kept;
	}
	return count;
}

static const struct ear_record *record_at(
	const struct ear_diagnosis *diagnosis, const struct path *path, size_t i)
{
	return ear_past_in_window(diagnosis->past, diagnosis->past->first + path->at[i]);
}

/* How far the path equals itself moved by each i. */
static void find_periods(const struct ear_diagnosis *diagnosis, struct path *path)
{
	size_t left = 0, right = 0;

	for (size_t i = 1; i < path->count; i++) {
		size_t same = 0;
		if (i < right) {
			same = path->same[i - left];
			if (same > right - i)
				same = right - i;
		}
		while (i + same < path->count && record_at(diagnosis, path, same)->pc ==
							 record_at(diagnosis, path, i + same)->pc)
			same++;
		path->same[i] = same;
		if (i + same > right) {
			left = i;
			right = i + same;
		}
	}
}

/* Do both executions of an instruction do the same? What matters is what a branch compares, and
 * where an access goes. Values that change and that no branch reads are no progress. */
static bool is_progress(const struct ear_diagnosis *diagnosis, const struct ear_record *now,
	const struct ear_record *then)
{
	struct ear_origins origins_now, origins_then;

	if (ear_diagnosis_decode(diagnosis, now).instruction_class != EAR_CLASS_BRANCH) {
		if (now->memory_count != then->memory_count)
			return true;
		for (size_t i = 0; i < now->memory_count; i++)
			if (now->memory[i].address != then->memory[i].address)
				return true;
		return false;
	}
	ear_origins_read(&origins_now, diagnosis->instructions, now);
	ear_origins_read(&origins_then, diagnosis->instructions, then);
	for (size_t i = 0; i < origins_now.count; i++)
		if (!origins_now.sources[i].value_known || !origins_then.sources[i].value_known ||
			origins_now.sources[i].value != origins_then.sources[i].value)
			return true;
	return false;
}

/* How far back, from the end, the path repeats with a period and without progress. */
static size_t count_quiet(
	const struct ear_diagnosis *diagnosis, const struct path *path, size_t period)
{
	for (size_t i = 0; i < path->same[period]; i++)
		if (is_progress(diagnosis, record_at(diagnosis, path, i),
			    record_at(diagnosis, path, i + period)))
			return i;
	return path->same[period];
}

/* The period of the loop, and how far it goes back behind its last round; 0: there is none. */
static size_t find_loop(
	const struct ear_diagnosis *diagnosis, const struct path *path, size_t *quiet)
{
	size_t tried = 0;

	for (size_t period = 1; period * ROUNDS_MIN <= path->count && tried < CANDIDATES_MAX;
		period++) {
		if (path->same[period] < period * (ROUNDS_MIN - 1))
			continue;
		tried++;
		*quiet = count_quiet(diagnosis, path, period);
		if (*quiet >= period * (ROUNDS_MIN - 1))
			return period;
	}
	return 0;
}

/* Where a branch would have gone if it had not gone where it went. */
static uint64_t other_way(const struct ear_diagnosis *diagnosis, const struct ear_record *record)
{
	const struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);
	const uint64_t mask = record->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	int64_t offset = 0;

	for (size_t i = 0; i < instruction.operand_count; i++)
		if (instruction.operands[i].is_immediate)
			offset = instruction.operands[i].immediate;
	const uint64_t taken = (record->pc + (uint64_t)offset) & mask;
	const uint64_t next = (record->pc + record->opcode_size) & mask;
	return record->next_pc == taken ? next : taken;
}

/* The newest branch that leaves the loop if it goes the other way. Returns false if there is none.
 */
static bool find_exit(const struct ear_diagnosis *diagnosis, const struct path *path, size_t period,
	size_t *found)
{
	for (size_t i = 0; i < period; i++) {
		const struct ear_record *record = record_at(diagnosis, path, i);
		if (ear_diagnosis_decode(diagnosis, record).instruction_class != EAR_CLASS_BRANCH)
			continue;
		const uint64_t other = other_way(diagnosis, record);
		bool inside = false;
		for (size_t k = 0; k < period && !inside; k++)
			inside = record_at(diagnosis, path, k)->pc == other;
		if (!inside) {
			*found = i;
			return true;
		}
	}
	return false;
}

/* In machine mode, are interrupts off? Then what disabled them is a value that matters. */
static int look_at_interrupts(struct ear_diagnosis *diagnosis, uint64_t position)
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

/* The last time that the branch went out of the loop, before the loop began. */
static int find_left(
	struct ear_diagnosis *diagnosis, const struct ear_why_place *branch, uint64_t begin)
{
	struct ear_why_difference *difference = &diagnosis->why.difference;
	const struct ear_span span = {branch->pc, branch->pc};
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;
	struct ear_origins origins;
	uint64_t position = begin;

	difference->searched = true;
	query.hart = diagnosis->why.hart;
	query.pcs = &span;
	query.pc_count = 1;
	for (unsigned i = 0; i < EXITS_TRIED; i++) {
		int result = ear_trace_find(diagnosis->past->trace, &query, position, EAR_BACKWARD,
			&position, diagnosis->past->progress);
		if (result != 1)
			return result;
		result = ear_past_peek(diagnosis->past, position, &record);
		if (result != 1)
			return result;
		if (record->next_pc == branch->next_pc || record->flags & EAR_RECORD_TRAP)
			continue;
		difference->before = (struct ear_why_place){.known = true,
			.opcode_size = record->opcode_size,
			.xlen = record->xlen,
			.position = position,
			.number = diagnosis->past->peeked_number,
			.pc = record->pc,
			.next_pc = record->next_pc,
			.opcode = record->opcode};
		ear_origins_read(&origins, diagnosis->instructions, record);
		for (size_t k = 0; k < origins.count && k < EAR_WHY_DIFFERENCE_MAX; k++) {
			difference->registers[difference->count].place = origins.sources[k].place;
			difference->registers[difference->count].then = origins.sources[k].value;
			difference->count += origins.sources[k].value_known;
		}
		return 0;
	}
	return 0;
}

/* What the branch reads now, of what it read then. */
static void compare_left(struct ear_diagnosis *diagnosis, const struct ear_origins *now)
{
	struct ear_why_difference *difference = &diagnosis->why.difference;
	size_t kept = 0;

	for (size_t i = 0; i < difference->count; i++)
		for (size_t k = 0; k < now->count; k++)
			if (now->sources[k].value_known &&
				now->sources[k].place.reg_class ==
					difference->registers[i].place.reg_class &&
				now->sources[k].place.number ==
					difference->registers[i].place.number &&
				now->sources[k].value != difference->registers[i].then) {
				difference->registers[kept] = difference->registers[i];
				difference->registers[kept++].now = now->sources[k].value;
				break;
			}
	difference->count = kept;
}

static int explain(
	struct ear_diagnosis *diagnosis, const struct path *path, size_t period, size_t quiet)
{
	const struct ear_past *past = diagnosis->past;
	struct ear_why *why = &diagnosis->why;
	const size_t first = quiet + period - 1;
	const struct ear_record *record;
	struct ear_origins origins = {0};
	size_t at = 0;

	why->kind = EAR_WHY_HANG;
	why->period = period;
	why->rounds = (first + 1) / period;
	why->loop = ear_diagnosis_place(past, past->first + path->at[first]);
	const bool leaves = find_exit(diagnosis, path, period, &at);
	const uint64_t position = past->first + path->at[leaves ? at : 0];
	record = ear_past_in_window(past, position);
	why->place = ear_diagnosis_place(past, position);
	if (leaves) {
		ear_origins_read(&origins, diagnosis->instructions, record);
		ear_diagnosis_operands(diagnosis, record, EAR_WHY_OPERAND, position);
		ear_diagnosis_say(diagnosis,
			"hang: a loop of %zu instruction%s, %" PRIu64
			" rounds or more, and nothing that its branch compares changes",
			period, period == 1 ? "" : "s", why->rounds);
	} else {
		ear_diagnosis_say(diagnosis,
			"hang: an endless loop of %zu instruction%s that no branch leaves", period,
			period == 1 ? "" : "s");
	}
	int result = look_at_interrupts(diagnosis, position);
	if (result < 0 || !leaves)
		return result;
	const struct ear_why_place branch = why->place;
	result = find_left(diagnosis, &branch, why->loop.position);
	compare_left(diagnosis, &origins);
	return result;
}

/* The last instruction waits for an interrupt. */
static int diagnose_sleep(struct ear_diagnosis *diagnosis)
{
	const struct ear_record *record = ear_past_in_window(diagnosis->past, diagnosis->last);

	if (!record || record->opcode != 0x10500073 || record->flags & EAR_RECORD_NO_OPCODE)
		return 0;
	diagnosis->why.kind = EAR_WHY_HANG;
	diagnosis->why.place = ear_diagnosis_place(diagnosis->past, diagnosis->last);
	ear_diagnosis_say(diagnosis, "hang: the hart waits for an interrupt, and none comes");
	int result = look_at_interrupts(diagnosis, diagnosis->last);
	return result < 0 ? result : 1;
}

int ear_diagnose_hang(struct ear_diagnosis *diagnosis)
{
	const struct ear_record *record;
	struct path path = {0};

	int result = ear_past_at(diagnosis->past, diagnosis->end - 1, &record);
	if (result != 1)
		return result;
	const size_t capacity = (size_t)(diagnosis->past->end - diagnosis->past->first) + 1;
	path.at = calloc(capacity, sizeof(*path.at));
	path.same = calloc(capacity, sizeof(*path.same));
	if (!path.at || !path.same) {
		result = ear_trace_fail(diagnosis->past->trace, EAR_E_NO_MEMORY, "out of memory");
	} else {
		path.count = select_path(diagnosis, path.at);
		find_periods(diagnosis, &path);
		size_t quiet = 0, period = find_loop(diagnosis, &path, &quiet);
		result = period ? explain(diagnosis, &path, period, quiet)
				: diagnose_sleep(diagnosis);
		if (result == 0 && period)
			result = 1;
	}
	free(path.at);
	free(path.same);
	return result;
}
