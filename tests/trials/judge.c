/* Judges record by record against the entries that went into the encoder. It keeps a mark for each
 * index of each hart of each run: seen, or named by a gap; at the end each index has one of them.
 */
#include "judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/codec/verdict.h"

__attribute__((format(printf, 2, 3))) static void blame(
	struct judge *judge, const char *format, ...)
{
	va_list arguments;

	if (judge->fault[0])
		return;
	va_start(arguments, format);
	vsnprintf(judge->fault, sizeof(judge->fault), format, arguments);
	va_end(arguments);
}

void judge_init(struct judge *judge, struct run *runs, unsigned run_count,
	const struct damaged *damaged, bool forged)
{
	memset(judge, 0, sizeof(*judge));
	judge->runs = runs;
	judge->run_count = run_count;
	judge->damaged = damaged;
	judge->forged = forged;
	for (unsigned run = 0; run < run_count; run++) {
		for (unsigned i = 0; i < runs[run].hart_count; i++) {
			struct judge_hart *hart = &judge->harts[run][i];
			hart->seen = calloc(runs[run].harts[i].count + 1, sizeof(bool));
			hart->named = calloc(runs[run].harts[i].count + 1, sizeof(bool));
			if (!hart->seen || !hart->named)
				abort();
		}
	}
	for (unsigned i = 0; i < RUN_HARTS_MAX; i++)
		judge->current[i] = -1;
}

void judge_fini(struct judge *judge)
{
	for (unsigned run = 0; run < 2; run++) {
		for (unsigned i = 0; i < RUN_HARTS_MAX; i++) {
			free(judge->harts[run][i].seen);
			free(judge->harts[run][i].named);
		}
	}
}

/* Is the access there that the entry has? */
static bool has_access(
	const struct ear_record *record, unsigned mask, uint64_t address, uint64_t data, bool write)
{
	unsigned shift = (unsigned)__builtin_ctz(mask);
	unsigned size = 32 - (unsigned)__builtin_clz(mask) - shift;
	uint64_t value = data >> 8 * shift;

	if (size < 8)
		value &= ((uint64_t)1 << 8 * size) - 1;
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		if (access->write == write)
			return access->address == address + shift && access->size == size &&
			       access->has_value && access->value == value;
	}
	return false;
}

static bool has_register(
	const struct ear_record *record, unsigned reg_class, unsigned number, uint64_t value)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class &&
			record->registers[i].number == number)
			return record->registers[i].value == value;
	return false;
}

static size_t count_registers(const struct ear_retire *entry)
{
	return (entry->rd_addr != 0) + (size_t)entry->frd_valid + entry->csr_count;
}

/* CSRs may be written twice by one entry: they are compared by place. */
static bool same_csrs(const struct ear_record *record, const struct ear_retire *entry)
{
	size_t at = record->register_count - entry->csr_count;

	for (unsigned i = 0; i < entry->csr_count; i++, at++)
		if (record->registers[at].reg_class != EAR_REGISTER_CSR ||
			record->registers[at].number != entry->csrs[i].number ||
			record->registers[at].value != entry->csrs[i].value)
			return false;
	return true;
}

/* What differs between a record and its entry; NULL: nothing. */
static const char *compare(const struct ear_record *record, const struct ear_retire *entry)
{
	if (record->pc != entry->pc_rdata || record->opcode != entry->insn)
		return "pc or opcode";
	if (record->next_pc != entry->pc_wdata)
		return "next pc";
	if (record->privilege != entry->mode || record->xlen != entry->xlen)
		return "privilege or XLEN";
	if (!(record->flags & EAR_RECORD_INTERRUPT) != !entry->irq ||
		!(record->flags & EAR_RECORD_TRAP) != !(entry->trap && !entry->irq))
		return "trap or interrupt";
	if ((entry->trap || entry->irq) && record->cause != entry->cause)
		return "cause";
	if (record->register_count != count_registers(entry))
		return "number of registers";
	if (entry->rd_addr &&
		!has_register(record, EAR_REGISTER_X, entry->rd_addr, entry->rd_wdata))
		return "x register";
	if (entry->frd_valid &&
		!has_register(record, EAR_REGISTER_F, entry->frd_addr, entry->frd_wdata))
		return "f register";
	if (!same_csrs(record, entry))
		return "CSRs";
	if (entry->mem_rmask &&
		!has_access(record, entry->mem_rmask, entry->mem_addr, entry->mem_rdata, false))
		return "load";
	if (entry->mem_wmask &&
		!has_access(record, entry->mem_wmask, entry->mem_addr, entry->mem_wdata, true))
		return "store";
	return NULL;
}

/* The hart of a run that the record belongs to; -1 if there is none. */
static int find_hart(const struct run *run, unsigned stream_id)
{
	for (unsigned i = 0; i < run->hart_count; i++)
		if (run->harts[i].stream_id == stream_id)
			return (int)i;
	return -1;
}

/* Mark the entries from number first to last as named by a gap. */
static void name(struct judge *judge, struct judge_hart *marks, const struct run_hart *hart,
	uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last && i < hart->count; i++) {
		if (marks->seen[i] && !judge->forged && judge->run_count == 1)
			blame(judge, "present: index %" PRIu64 " of hart %u is named by a gap",
				hart->base + i, hart->stream_id);
		marks->named[i] = true;
	}
	if (last + 1 > marks->next)
		marks->next = last + 1;
}

/* Everything of a run's hart that did not come is named. */
static void name_rest(struct judge_hart *marks, const struct run_hart *hart)
{
	for (size_t i = marks->next; i < hart->count; i++)
		marks->named[i] = true;
}

/* The records of a hart continue in another run: what is missing between the two needs a
 * gap, or the second begins at its beginning.
 */
static void change_run(struct judge *judge, int slot, int run, size_t number)
{
	int before = judge->current[slot];

	if (before >= 0) {
		struct judge_hart *marks = &judge->harts[before][slot];
		uint64_t next = judge->runs[before].harts[slot].base + marks->next;
		judge->seamless |= next == judge->runs[run].harts[slot].base + number ||
				   (judge->lost[slot] && next == judge->lost_first[slot]);
		if (judge->gapped[slot])
			name_rest(marks, &judge->runs[before].harts[slot]);
	}
	if (judge->gapped[slot] && number > 0)
		name(judge, &judge->harts[run][slot], &judge->runs[run].harts[slot],
			judge->harts[run][slot].next, number - 1);
	judge->current[slot] = run;
}

/* What came so far is as if of another capture. */
static void forget(struct judge_hart *marks, const struct run_hart *hart)
{
	memset(marks->seen, 0, hart->count * sizeof(bool));
	memset(marks->named, 0, hart->count * sizeof(bool));
	marks->any = false;
	marks->first = marks->next = 0;
	marks->known_total = 0;
}

static void judge_instruction(struct judge *judge, const struct ear_record *record)
{
	int run = judge->damaged ? fault_run_at(judge->damaged, record->stream_offset) : 0;
	int slot = run < 0 ? -1 : find_hart(&judge->runs[run], record->hart);

	judge->records++;
	if (slot < 0) {
		judge->doubtful++;
		return;
	}
	const struct run_hart *hart = &judge->runs[run].harts[slot];
	struct judge_hart *marks = &judge->harts[run][slot];
	uint64_t number = record->index - hart->base;
	if (number >= hart->count || hart->fates[number] != FATE_DELIVERED) {
		judge->doubtful++;
		if (!judge->forged)
			blame(judge, "wrong: index %" PRIu64 " of hart %u was never sent",
				record->index, record->hart);
		return;
	}
	const char *difference = compare(record, &hart->entries[number]);
	if (difference && judge->forged)
		judge->doubtful++;
	else if (difference)
		blame(judge, "wrong: index %" PRIu64 " of hart %u at pc %" PRIx64 ": %s",
			record->index, record->hart, record->pc, difference);
	/* Two captures joined in raw mode, where the numbers of frames and the index continue: a
	 * time of the first may go to a record of the second, and no message shows it. */
	bool time_unknown = judge->forged || (judge->fitting && !judge->runs[run].predict);
	if (record->flags & EAR_RECORD_HAS_TIME && record->ticks != hart->ticks[number] &&
		!time_unknown)
		blame(judge,
			"wrong: index %" PRIu64 " of hart %u: time %" PRIu64 " and not %" PRIu64,
			record->index, record->hart, record->ticks, hart->ticks[number]);
	if (run != judge->current[slot])
		change_run(judge, slot, run, number);
	bool again = marks->seen[number] || number < marks->next;
	if (again && judge->begun && !judge->forgotten[slot]) {
		forget(marks, hart);
		judge->forgotten[slot] = true;
	} else if (again && !judge->forged)
		blame(judge, "repeated: index %" PRIu64 " of hart %u after index %" PRIu64,
			record->index, record->hart, hart->base + marks->next - 1);
	if (marks->named[number] && judge->run_count == 1 && !judge->forged)
		blame(judge, "present: index %" PRIu64 " of hart %u was named by a gap",
			record->index, record->hart);
	if ((judge->unknown[slot] || (judge->run_count > 1 && judge->gapped[slot])) && number > 0)
		name(judge, marks, hart, marks->next, number - 1);
	marks->seen[number] = true;
	if (!marks->any)
		marks->first = number;
	marks->any = true;
	marks->next = number + 1;
	judge->unknown[slot] = judge->gapped[slot] = judge->lost[slot] = false;
}

/* Records between two numbers that the unit had to do with: not held back by its filter. */
static size_t count_due(const struct run_hart *hart, uint64_t first, uint64_t last)
{
	size_t count = 0;

	for (uint64_t i = first; i <= last && i < hart->count; i++)
		count += hart->fates[i] != FATE_FILTERED;
	return count;
}

static void judge_known_gap(struct judge *judge, const struct ear_record *record, int run, int slot)
{
	const struct ear_gap *gap = &record->u.gap;
	const struct run_hart *hart = &judge->runs[run].harts[slot];
	struct judge_hart *marks = &judge->harts[run][slot];
	uint64_t first = gap->first - hart->base, last = gap->last - hart->base;

	if (gap->count == 0)
		return;
	if (judge->unknown[slot] && first > 0)
		name(judge, marks, hart, marks->next, first - 1);
	judge->unknown[slot] = false;
	if (judge->run_count == 1 && !judge->forged) {
		size_t due = count_due(hart, first, last);
		if (first > last || last >= hart->count)
			blame(judge,
				"count: a gap names index %" PRIu64 " to %" PRIu64
				" of hart %u, which never retired",
				gap->first, gap->last, record->hart);
		else if (gap->upper_bound ? gap->count < due : gap->count != due)
			blame(judge,
				"count: %" PRIu64 " records in a gap of %zu, index %" PRIu64
				" to %" PRIu64 " of hart %u",
				gap->count, due, gap->first, gap->last, record->hart);
		marks->known_total += due;
	}
	name(judge, marks, hart, first, last);
}

/* What only STOP shows of the start of one of two captures. */
static void name_late(
	struct judge_hart *marks, const struct run_hart *hart, const struct ear_gap *gap)
{
	for (uint64_t i = gap->first - hart->base; i <= gap->last - hart->base && i < marks->next;
		i++)
		marks->named[i] = true;
}

/* Of a start that is missing the end is known. */
static void name_start(struct judge_hart *marks, const struct run_hart *hart, uint64_t index)
{
	for (uint64_t i = 0; i < index - hart->base && i < hart->count && !marks->seen[i]; i++)
		marks->named[i] = true;
}

static void judge_gap(struct judge *judge, const struct ear_record *record)
{
	judge->gaps++;
	judge->doubtful = 0; /* a forged frame is found by a check, or by what it breaks */
	for (unsigned run = 0; run < judge->run_count; run++) {
		int slot = find_hart(&judge->runs[run], record->hart);
		if (slot < 0)
			continue;
		judge->gapped[slot] = true;
		judge->lost[slot] = record->u.gap.reason == EAR_GAP_UNIT_FIFO;
		judge->lost_first[slot] = record->u.gap.first;
		if (!record->u.gap.count_known && record->u.gap.at_start)
			name_start(&judge->harts[run][slot], &judge->runs[run].harts[slot],
				record->index);
		if (!record->u.gap.count_known)
			judge->unknown[slot] = true;
		else if (judge->run_count == 1)
			judge_known_gap(judge, record, (int)run, slot);
		else if (record->u.gap.count > 0 && judge->current[slot] == (int)run)
			name_late(&judge->harts[run][slot], &judge->runs[run].harts[slot],
				&record->u.gap);
	}
}

int judge_record(void *context, const struct ear_record *record)
{
	struct judge *judge = context;

	if (record->kind == EAR_RECORD_INSTRUCTION)
		judge_instruction(judge, record);
	else if (record->kind == EAR_RECORD_GAP)
		judge_gap(judge, record);
	return 0;
}

/* With the filter on nobody can say where one capture ends and another begins if the numbers of the
 * frames fit; without it nobody can if the indexes do, too.
 */
static bool nobody_knows(const struct judge *judge, unsigned slot)
{
	bool filtered = false;

	for (unsigned run = 0; run < judge->run_count && slot < judge->runs[run].hart_count; run++)
		filtered |= judge->runs[run].harts[slot].may_jump;
	return judge->run_count > 1 && (filtered || judge->seamless);
}

/* What is still missing at the end. Returns the records of a hart that did not come. */
static size_t judge_missing(
	struct judge *judge, unsigned run, unsigned slot, bool complete, bool unseen, bool ended)
{
	const struct run_hart *hart = &judge->runs[run].harts[slot];
	struct judge_hart *marks = &judge->harts[run][slot];
	/* Units before 1.3 show only with STOP whether something is missing before a first SYNC. */
	bool started_late = hart->old && !ended;
	size_t missing = 0;

	if (!marks->any && (judge->run_count > 1 || unseen))
		return 0; /* of a hart of which nothing came nobody can know */
	if (judge->unknown[slot] || (judge->run_count > 1 && judge->gapped[slot]))
		name_rest(marks, hart);
	for (size_t i = 0; i < hart->count; i++) {
		if (hart->fates[i] == FATE_FILTERED || marks->seen[i])
			continue;
		missing++;
		/* An end that is missing is named by the statistics. */
		if (!marks->named[i] && !judge->forged &&
			(complete || (i < marks->next && !(started_late && i < marks->first))) &&
			!nobody_knows(judge, slot))
			blame(judge, "unnamed: index %" PRIu64 " of hart %u is missing (%s)",
				hart->base + i, hart->stream_id,
				complete ? "complete: yes" : "no gap");
	}
	return missing;
}

/* "accounted" is true exactly when every hart's STOP came: then the counts are those of the unit.
 */
static void judge_accounted(
	struct judge *judge, const struct ear_decoder_statistics *statistics, bool accounted)
{
	const struct run *run = &judge->runs[0];
	uint64_t retired = 0;
	bool old =
		false; /* a start that comes late, of a unit before 1.3, may be another capture's */

	for (unsigned i = 0; i < run->hart_count; i++) {
		retired += run->harts[i].count;
		old |= run->harts[i].old;
	}
	uint64_t known = statistics->records + statistics->unit_lost + statistics->missing +
			 statistics->stop_filtered;
	if (accounted && statistics->ended == run->hart_count && known != retired)
		blame(judge,
			"claim: accounted, and %" PRIu64 " of %" PRIu64
			" records are accounted for",
			known, retired);
	if (!accounted && !old && statistics->ended == run->hart_count)
		blame(judge, "claim: not accounted, and every STOP came");
}

void judge_end(struct judge *judge, const struct ear_decoder_statistics *statistics, bool whole)
{
	struct ear_verdict verdict = ear_verdict_of(statistics);
	bool complete = verdict.complete;
	size_t missing = 0;

	for (unsigned run = 0; run < judge->run_count; run++) {
		for (unsigned slot = 0; slot < judge->runs[run].hart_count; slot++) {
			whole &= judge->runs[run].harts[slot].lost == 0;
			missing += judge_missing(judge, run, slot, complete,
				statistics->hart_count < judge->runs[run].hart_count,
				statistics->unended == 0);
		}
	}
	if (statistics->records != judge->records)
		blame(judge, "count: the statistics have %" PRIu64 " records, %" PRIu64 " came",
			statistics->records, judge->records);
	if (statistics->gaps != judge->gaps)
		blame(judge, "count: the statistics have %" PRIu64 " gaps, %" PRIu64 " came",
			statistics->gaps, judge->gaps);
	/* Of what is seen as two captures, one of them without its end, that is right. */
	bool doubts = judge->begun && !verdict.accounted;
	if (judge->run_count == 1 && !judge->forged && !doubts)
		judge_accounted(judge, statistics, verdict.accounted);
	bool joined = judge->fitting && (nobody_knows(judge, 0) || nobody_knows(judge, 1));
	if (complete && missing > 0 && !judge->forged && !joined)
		blame(judge, "claim: complete, and %zu records are missing", missing);
	if (!complete && missing == 0 && whole)
		blame(judge, "claim: not complete, and nothing is missing");
	if (complete && judge->doubtful > 0)
		blame(judge, "claim: complete, and %" PRIu64 " records are wrong", judge->doubtful);
	/* Of an old unit what is before a hard SYNC, since the last CHECK, is never checked. */
	bool unchecked = judge->run_count > 1 &&
			 (run_is_unchecked(&judge->runs[0]) || run_is_unchecked(&judge->runs[1]));
	if (judge->doubtful > 0 && !unchecked)
		blame(judge, "wrong: %" PRIu64 " records, and no check says so", judge->doubtful);
}
