/* A loop without progress: the last instructions of a hart repeat the same path, and no branch of
 * it reads anything that changes. Interrupts that come between are left out.
 *
 * The path repeats with a period p if the sequence of pcs, from the end back, equals itself moved
 * by p. The Z function of that sequence says for each p how far it does. The shortest period
 * without progress is the loop: of nested loops the inner one makes progress, the outer one may
 * not.
 */
#include "library/why/diagnosis.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "library/api/trace_internal.h"

#define ROUNDS_MIN     16u
#define CANDIDATES_MAX 4096u /* periods that are judged */
#define EXITS_TRIED    64u   /* earlier executions of where the branch goes out of the loop */

#define WFI 0x10500073u

/* What a branch compares. A register that nothing wrote in the window has a value that is not
 * known, but the same one: then value says since when. */
struct compared {
	uint64_t value[2];
	bool known[2];
};

/* The hart's instructions in the window but for interrupt handlers, from the last back. */
struct path {
	uint32_t *at; /* from past->first */
	size_t *same; /* Z function */
	struct compared *compared;
	size_t count;
};

struct loop {
	size_t period, first; /* first: the oldest of its instructions that was seen */
	size_t exit;          /* the branch that leaves it, and where to; if there is one */
	uint64_t target;
};

/* Integer registers while the window is read. */
struct shadow {
	uint64_t value[32];
	bool known[32];
};

static bool is_xret(const struct ear_record *record)
{
	return record->opcode == 0x30200073 || record->opcode == 0x10200073 ||
	       record->opcode == 0x70200073;
}

/* After a gap nothing is known of them. */
static void forget(struct shadow *shadow, uint64_t position)
{
	for (size_t i = 1; i < 32; i++) {
		shadow->known[i] = false;
		shadow->value[i] = position;
	}
	shadow->known[0] = true;
	shadow->value[0] = 0;
}

static void read_registers(struct shadow *shadow, const struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;

	for (size_t i = 0; extra && i < extra->read_count; i++) {
		const struct ear_record_register *reg = &extra->reads[i];
		if (reg->reg_class != EAR_REGISTER_X || reg->number == 0 || reg->number > 31)
			continue;
		shadow->value[reg->number] = reg->value;
		shadow->known[reg->number] = true;
	}
}

static void write_registers(struct shadow *shadow, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_X || reg->number == 0 || reg->number > 31)
			continue;
		shadow->value[reg->number] = reg->value;
		shadow->known[reg->number] = true;
	}
}

/* What a record reads, if it is a branch: many traces list only what is written. */
static struct compared compared_by(const struct ear_diagnosis *diagnosis,
	const struct shadow *shadow, const struct ear_record *record)
{
	struct compared compared = {.known = {true, true}};
	struct ear_origins origins;

	if (ear_diagnosis_decode(diagnosis, record).instruction_class != EAR_CLASS_BRANCH)
		return compared;
	ear_origins_read(&origins, diagnosis->instructions, record);
	for (size_t i = 0; i < origins.count && i < 2; i++) {
		const struct ear_value_source *source = &origins.sources[i];
		if (source->place.reg_class != EAR_REGISTER_X)
			continue;
		compared.value[i] = shadow->value[source->place.number & 31];
		compared.known[i] = shadow->known[source->place.number & 31];
	}
	return compared;
}

/* Of each instruction how deep in handlers of interrupts it is; where the hart is in one at the
 * end, that one is what counts. */
static void select_path(const struct ear_diagnosis *diagnosis, struct path *path)
{
	const struct ear_past *past = diagnosis->past;
	/* Of what was before each handler that is active; SIZE_MAX: of an exception in one. */
	size_t begins[64] = {0};
	uint32_t *at = path->at;
	struct shadow shadow;
	size_t count = 0;
	unsigned depth = 0;
	bool trapped = false;

	forget(&shadow, past->first);
	for (uint64_t i = past->first; i <= diagnosis->last && i < past->end; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		if (record->hart != diagnosis->why.hart)
			continue;
		if (record->kind == EAR_RECORD_GAP) {
			count = depth = 0;
			forget(&shadow, i);
		}
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
		read_registers(&shadow, record);
		path->compared[count] = compared_by(diagnosis, &shadow, record);
		write_registers(&shadow, record);
		at[count++] = (uint32_t)(i - past->first);
		if (trapped && depth > 0 && depth < 64)
			begins[depth++] = SIZE_MAX;
		if (is_xret(record) && depth > 0 && !trapped && begins[--depth] != SIZE_MAX)
			count = begins[depth];
	}
	/* What is active at the end: only the newest handler. */
	while (depth > 0 && begins[depth - 1] == SIZE_MAX)
		depth--;
	const size_t begin = depth > 0 ? begins[depth - 1] : 0;
	path->count = count - begin;
	memmove(at, at + begin, path->count * sizeof(*at));
	memmove(path->compared, path->compared + begin, path->count * sizeof(*path->compared));
	for (size_t i = 0; i < path->count / 2; i++) {
		const size_t other = path->count - 1 - i;
		const uint32_t kept = at[i];
		const struct compared compared = path->compared[i];
		at[i] = at[other];
		at[other] = kept;
		path->compared[i] = path->compared[other];
		path->compared[other] = compared;
	}
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

static bool is_same_compared(const struct compared *a, const struct compared *b)
{
	for (size_t i = 0; i < 2; i++)
		if (a->known[i] != b->known[i] || a->value[i] != b->value[i])
			return false;
	return true;
}

/* Do both executions of an instruction do the same? What matters is what a branch compares, and
 * where an access goes. Values that change and that no branch reads are no progress. */
static bool is_progress(
	const struct ear_diagnosis *diagnosis, const struct path *path, size_t now, size_t then)
{
	const struct ear_record *record = record_at(diagnosis, path, now);
	const struct ear_record *earlier = record_at(diagnosis, path, then);

	if (!is_same_compared(&path->compared[now], &path->compared[then]) ||
		record->memory_count != earlier->memory_count)
		return true;
	for (size_t i = 0; i < record->memory_count; i++)
		if (record->memory[i].address != earlier->memory[i].address)
			return true;
	return false;
}

/* How far back, from the end, the path repeats with a period and without progress. */
static size_t count_quiet(
	const struct ear_diagnosis *diagnosis, const struct path *path, size_t period)
{
	for (size_t i = 0; i < path->same[period]; i++)
		if (is_progress(diagnosis, path, i, i + period))
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

/* Where the hart went from an instruction of the loop: many traces do not say it. */
static uint64_t next_in_loop(
	const struct ear_diagnosis *diagnosis, const struct path *path, size_t period, size_t i)
{
	const struct ear_record *record = record_at(diagnosis, path, i);

	if (!(record->flags & EAR_RECORD_NO_NEXT_PC))
		return record->next_pc;
	return record_at(diagnosis, path, (i > 0 ? i : period) - 1)->pc;
}

/* Where a branch would have gone if it had not gone to next_pc. */
static uint64_t other_way(
	const struct ear_diagnosis *diagnosis, const struct ear_record *record, uint64_t next_pc)
{
	const struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);
	const uint64_t mask = record->xlen == 32 ? UINT32_MAX : UINT64_MAX;
	int64_t offset = 0;

	for (size_t i = 0; i < instruction.operand_count; i++)
		if (instruction.operands[i].is_immediate)
			offset = instruction.operands[i].immediate;
	const uint64_t taken = (record->pc + (uint64_t)offset) & mask;
	const uint64_t next = (record->pc + record->opcode_size) & mask;
	return next_pc == taken ? next : taken;
}

/* Does the instruction i of the loop leave it if it goes the other way? */
static bool is_exit(const struct ear_diagnosis *diagnosis, const struct path *path, size_t period,
	size_t i, uint64_t *other)
{
	const struct ear_record *record = record_at(diagnosis, path, i);

	if (ear_diagnosis_decode(diagnosis, record).instruction_class != EAR_CLASS_BRANCH)
		return false;
	*other = other_way(diagnosis, record, next_in_loop(diagnosis, path, period, i));
	for (size_t k = 0; k < period; k++)
		if (record_at(diagnosis, path, k)->pc == *other)
			return false;
	return true;
}

/* The newest branch that leaves the loop if it goes the other way. Returns false if there is none.
 */
static bool find_exit(const struct ear_diagnosis *diagnosis, const struct path *path, size_t period,
	size_t *found, uint64_t *other)
{
	for (*found = 0; *found < period; ++*found)
		if (is_exit(diagnosis, path, period, *found, other))
			return true;
	return false;
}

/* The other branches that would leave the loop, each once, with what they compare. */
static void find_more_exits(
	struct ear_diagnosis *diagnosis, const struct path *path, const struct loop *loop)
{
	struct ear_why *why = &diagnosis->why;
	uint64_t other;

	for (size_t i = loop->exit + 1; i < loop->period; i++) {
		const struct ear_record *record = record_at(diagnosis, path, i);
		bool seen = record->pc == record_at(diagnosis, path, loop->exit)->pc;
		for (size_t k = 0; k < why->exit_count; k++)
			seen = seen || why->exits[k].pc == record->pc;
		if (seen || why->exit_count == EAR_WHY_EXITS_MAX ||
			!is_exit(diagnosis, path, loop->period, i, &other))
			continue;
		const uint64_t position = diagnosis->past->first + path->at[i];
		why->exits[why->exit_count++] = ear_diagnosis_place(diagnosis->past, position);
		ear_diagnosis_operands(diagnosis, record, EAR_WHY_OPERAND, position);
	}
}

/* Operands of a branch, also where its record does not show them. */
static int read_operands(
	struct ear_diagnosis *diagnosis, uint64_t position, struct ear_origins *origins)
{
	const struct ear_record *record;

	origins->count = 0;
	int result = ear_past_peek(diagnosis->past, position, &record);
	if (result != 1)
		return result < 0 ? result : 0;
	ear_origins_read(origins, diagnosis->instructions, record);
	for (size_t i = 0; i < origins->count; i++) {
		struct ear_value_source *source = &origins->sources[i];
		if (source->value_known)
			continue;
		result = ear_past_value(diagnosis->past, &source->place, position, &source->value);
		if (result < 0)
			return result;
		source->value_known = result == 1;
	}
	return 0;
}

/* The hart's instruction before a position. Returns 1 and the record; 0: there is none, or records
 * are missing; or an error. */
static int peek_previous(
	struct ear_diagnosis *diagnosis, uint64_t *position, const struct ear_record **record)
{
	struct ear_query query = EAR_QUERY_ANY;

	query.hart = diagnosis->why.hart;
	query.kinds = 1u << EAR_RECORD_INSTRUCTION | 1u << EAR_RECORD_GAP;
	int result = ear_trace_find(diagnosis->past->trace, &query, *position, EAR_BACKWARD,
		position, diagnosis->past->progress);
	if (result == 1)
		result = ear_past_peek(diagnosis->past, *position, record);
	return result == 1 ? (*record)->kind == EAR_RECORD_INSTRUCTION : result;
}

/* The last time that the branch went out of the loop, before the loop began: where it goes then is
 * searched for, which is rare, and not the branch. */
static int find_left(struct ear_diagnosis *diagnosis, const struct ear_why_place *branch,
	uint64_t target, uint64_t begin)
{
	struct ear_why_difference *difference = &diagnosis->why.difference;
	const struct ear_span span = {target, target};
	struct ear_query query = EAR_QUERY_ANY;
	const struct ear_record *record;
	struct ear_origins origins;

	difference->searched = true;
	query.hart = diagnosis->why.hart;
	query.pcs = &span;
	query.pc_count = 1;
	for (unsigned i = 0; i < EXITS_TRIED; i++) {
		int result = ear_trace_find(diagnosis->past->trace, &query, begin, EAR_BACKWARD,
			&begin, diagnosis->past->progress);
		if (result != 1)
			return result;
		uint64_t position = begin;
		result = peek_previous(diagnosis, &position, &record);
		if (result < 0)
			return result;
		if (result == 0 || record->pc != branch->pc || record->flags & EAR_RECORD_TRAP)
			continue;
		difference->before =
			ear_diagnosis_place_of(record, position, diagnosis->past->peeked_number);
		difference->before.next_pc = target;
		result = read_operands(diagnosis, position, &origins);
		for (size_t k = 0; k < origins.count && k < EAR_WHY_DIFFERENCE_MAX; k++) {
			difference->registers[difference->count].place = origins.sources[k].place;
			difference->registers[difference->count].then = origins.sources[k].value;
			difference->count += origins.sources[k].value_known;
		}
		return result;
	}
	return 0;
}

/* Does the instruction i of the loop lead to one of the loop only, or out of it? */
static bool is_forced(const struct ear_diagnosis *diagnosis, const struct path *path,
	const struct ear_loop *loop, size_t i)
{
	const struct ear_record *record = record_at(diagnosis, path, i);
	const struct ear_instruction instruction = ear_diagnosis_decode(diagnosis, record);

	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		return false;
	switch (instruction.instruction_class) {
	case EAR_CLASS_SYSTEM: return record->opcode == WFI;
	case EAR_CLASS_JUMP: return !(instruction.flags & EAR_INSTRUCTION_INDIRECT);
	case EAR_CLASS_BRANCH: break;
	default: return true;
	}
	const uint64_t other =
		other_way(diagnosis, record, next_in_loop(diagnosis, path, loop->period, i));
	for (size_t k = 0; k < loop->period; k++)
		if (loop->pcs[k] == other)
			return false;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct ear_span *one = a, *other = b;

	return (one->first > other->first) - (one->first < other->first);
}

/* All addresses but those of the loop; none if there is more than one way through it. */
static void find_outside(
	const struct ear_diagnosis *diagnosis, const struct path *path, struct ear_loop *loop)
{
	struct ear_span *spans = loop->outside;
	uint64_t next = 0;
	size_t count = 0;

	for (size_t i = 0; i < loop->period; i++) {
		const struct ear_record *record = record_at(diagnosis, path, i);
		if (!is_forced(diagnosis, path, loop, i))
			return;
		spans[i] = (struct ear_span){record->pc, record->pc + record->opcode_size - 1};
	}
	qsort(spans, loop->period, sizeof(*spans), by_address);
	for (size_t i = 0; i < loop->period; i++) {
		const struct ear_span inside = spans[i];
		if (inside.first < next || inside.last < inside.first || inside.last == UINT64_MAX)
			return;
		if (inside.first > next)
			spans[count++] = (struct ear_span){next, inside.first - 1};
		next = inside.last + 1;
	}
	spans[count++] = (struct ear_span){next, UINT64_MAX};
	loop->outside_count = count;
}

/* It may have begun before the window. */
static int find_begin(struct ear_diagnosis *diagnosis, const struct path *path, size_t period)
{
	const uint64_t last = diagnosis->past->first + path->at[0];
	struct ear_loop loop = {.period = period};
	int result;

	loop.pcs = calloc(period, sizeof(*loop.pcs));
	loop.outside = calloc(period + 1, sizeof(*loop.outside));
	if (loop.pcs && loop.outside) {
		for (size_t i = 0; i < period; i++)
			loop.pcs[i] = record_at(diagnosis, path, i)->pc;
		find_outside(diagnosis, path, &loop);
		result = ear_diagnose_begin(diagnosis, &loop, last);
	} else {
		result = ear_trace_fail(diagnosis->past->trace, EAR_E_NO_MEMORY, "out of memory");
	}
	free(loop.pcs);
	free(loop.outside);
	return result;
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

/* How many rounds the longest stay in the loop had that ended, before this one. */
static uint64_t longest_stay(
	const struct ear_diagnosis *diagnosis, const struct path *path, const struct loop *loop)
{
	const uint64_t pc = record_at(diagnosis, path, loop->exit)->pc;
	uint64_t longest = 0, rounds = 0;
	size_t last = 0;

	for (size_t i = loop->first + 1; i < path->count; i++) {
		if (record_at(diagnosis, path, i)->pc != pc)
			continue;
		if (record_at(diagnosis, path, i - 1)->pc == loop->target)
			rounds = 1;
		else if (rounds > 0 && i - last == loop->period)
			rounds++;
		else
			rounds = 0;
		last = i;
		longest = rounds > longest ? rounds : longest;
	}
	return longest;
}

/* Were interrupts handled in the loop? */
static bool has_interrupts(const struct ear_diagnosis *diagnosis, uint64_t first)
{
	const struct ear_past *past = diagnosis->past;

	for (uint64_t i = first; i < past->end; i++) {
		const struct ear_record *record = ear_past_in_window(past, i);
		if (record->kind == EAR_RECORD_INSTRUCTION && record->hart == diagnosis->why.hart &&
			record->flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_HANDLER))
			return true;
	}
	return false;
}

/* Does the loop store other values from round to round? */
static bool stores_new(
	const struct ear_diagnosis *diagnosis, const struct path *path, const struct loop *loop)
{
	for (size_t i = 0; i + loop->period <= loop->first; i++) {
		const struct ear_record *now = record_at(diagnosis, path, i);
		const struct ear_record *then = record_at(diagnosis, path, i + loop->period);
		for (size_t k = 0; k < now->memory_count && k < then->memory_count; k++)
			if (now->memory[k].write && now->memory[k].value != then->memory[k].value)
				return true;
	}
	return false;
}

/* Does any instruction show what it wrote? A branch trace does not, nor do logs of the pc alone. */
static bool shows_writes(const struct ear_diagnosis *diagnosis, const struct path *path)
{
	for (size_t i = 0; i < path->count; i++) {
		const struct ear_record *record = record_at(diagnosis, path, i);
		for (size_t k = 0; k < record->register_count; k++)
			if (record->registers[k].reg_class == EAR_REGISTER_X)
				return true;
	}
	return false;
}

/* Is each instruction of the loop a known one, and the way to the next one that which it goes? Else
 * there is more in the loop than the trace shows, and what leaves it is not known. So it is where a
 * branch is in it and no register is shown: it may count. */
static bool is_whole(const struct ear_diagnosis *diagnosis, const struct path *path, size_t period)
{
	const bool values = shows_writes(diagnosis, path);

	for (size_t i = 0; i < period; i++) {
		const struct ear_record *record = record_at(diagnosis, path, i);
		const struct ear_record *next =
			record_at(diagnosis, path, (i > 0 ? i : period) - 1);
		if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
			continue;
		switch (ear_diagnosis_decode(diagnosis, record).instruction_class) {
		case EAR_CLASS_ILLEGAL: return false;
		case EAR_CLASS_BRANCH:
			if (!values)
				return false;
			continue;
		case EAR_CLASS_JUMP:
		case EAR_CLASS_SYSTEM: continue;
		default: break;
		}
		if (record->pc + record->opcode_size != next->pc)
			return false;
	}
	return true;
}

/* Does the loop write to a device? The same value again may be work there, unlike in memory. */
static bool writes_device(
	const struct ear_diagnosis *diagnosis, const struct path *path, size_t period)
{
	for (size_t i = 0; i < period; i++) {
		const struct ear_record *record = record_at(diagnosis, path, i);
		for (size_t k = 0; k < record->memory_count; k++) {
			const struct ear_value_place place = {.kind = EAR_VALUE_MEMORY,
				.size = 1,
				.address = record->memory[k].address};
			if (record->memory[k].write && ear_past_is_device(diagnosis->past, &place))
				return true;
		}
	}
	return false;
}

/* A loop that nothing leaves may be how the program works: by interrupts, or by what it stores. */
static bool is_endless_hang(
	struct ear_diagnosis *diagnosis, const struct path *path, const struct loop *loop)
{
	const uint64_t first = diagnosis->past->first + path->at[loop->first];

	if (!diagnosis->why.interrupts_off && has_interrupts(diagnosis, first)) {
		ear_diagnosis_say(diagnosis,
			"cause unknown: an endless loop of %zu instruction%s, in which interrupts "
			"are handled",
			loop->period, loop->period == 1 ? "" : "s");
		return false;
	}
	const bool is_new = stores_new(diagnosis, path, loop);
	if (is_new || writes_device(diagnosis, path, loop->period)) {
		ear_diagnosis_say(diagnosis,
			"cause unknown: an endless loop of %zu instructions, which %s",
			loop->period, is_new ? "stores new values" : "writes to a device");
		return false;
	}
	diagnosis->certain = diagnosis->why.interrupts_off;
	ear_diagnosis_say(diagnosis,
		"hang: an endless loop of %zu instruction%s that no branch leaves%s", loop->period,
		loop->period == 1 ? "" : "s", loop->period == 1 ? ", as programs end, too" : "");
	return true;
}

/* A wait that took as long before, and ended, may end this time, too. */
static bool is_waiting_hang(
	struct ear_diagnosis *diagnosis, const struct path *path, const struct loop *loop)
{
	const struct ear_why *why = &diagnosis->why;
	const uint64_t rounds = (loop->first + 1) / loop->period;
	const uint64_t longest = why->interrupts_off ? 0 : longest_stay(diagnosis, path, loop);

	if (longest >= rounds) {
		ear_diagnosis_say(diagnosis,
			"cause unknown: at the end is a loop, at least %" PRIu64
			" rounds so far, that was left before after at least %" PRIu64,
			rounds, longest);
		return false;
	}
	ear_diagnosis_say(diagnosis,
		"hang: a loop of %zu instruction%s, %" PRIu64
		" rounds or more, and each round compares the same values%s",
		loop->period, loop->period == 1 ? "" : "s", rounds,
		strcmp(why->end_reason, "limit") == 0 ? "; the capture ended by its limit there"
						      : "");
	return true;
}

static int explain(struct ear_diagnosis *diagnosis, const struct path *path, struct loop *loop)
{
	const struct ear_past *past = diagnosis->past;
	struct ear_why *why = &diagnosis->why;
	struct ear_origins origins = {0};

	if (!is_whole(diagnosis, path, loop->period)) {
		ear_diagnosis_say(diagnosis,
			"cause unknown: at the end is a loop of %zu instructions, which are not "
			"all that it has, or not all known",
			loop->period);
		return ear_diagnosis_end_unknown(diagnosis);
	}
	const bool leaves = find_exit(diagnosis, path, loop->period, &loop->exit, &loop->target);
	const uint64_t position = past->first + path->at[leaves ? loop->exit : 0];
	if (leaves) {
		ear_diagnosis_operands(
			diagnosis, ear_past_in_window(past, position), EAR_WHY_OPERAND, position);
		find_more_exits(diagnosis, path, loop);
	}
	const struct ear_why_place place = ear_diagnosis_place(past, position);
	int result = ear_diagnosis_interrupts_off(diagnosis, position);
	if (result < 0)
		return result;
	if (!(leaves ? is_waiting_hang : is_endless_hang)(diagnosis, path, loop))
		return ear_diagnosis_end_unknown(diagnosis);
	why->kind = EAR_WHY_HANG;
	why->place = place;
	why->period = loop->period;
	why->rounds = (loop->first + 1) / loop->period;
	result = find_begin(diagnosis, path, loop->period);
	if (result < 0 || !leaves)
		return result < 0 ? result : 1;
	result = read_operands(diagnosis, position, &origins);
	if (result == 0)
		result = find_left(diagnosis, &place, loop->target, why->loop.position);
	compare_left(diagnosis, &origins);
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
	path.compared = calloc(capacity, sizeof(*path.compared));
	if (!path.at || !path.same || !path.compared) {
		result = ear_trace_fail(diagnosis->past->trace, EAR_E_NO_MEMORY, "out of memory");
	} else {
		select_path(diagnosis, &path);
		find_periods(diagnosis, &path);
		size_t quiet = 0, period = find_loop(diagnosis, &path, &quiet);
		struct loop loop = {.period = period, .first = quiet + period - 1};
		result = period ? explain(diagnosis, &path, &loop) : ear_diagnose_sleep(diagnosis);
	}
	free(path.at);
	free(path.same);
	free(path.compared);
	return result;
}
