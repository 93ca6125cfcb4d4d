/* A part of a trace, recorded for who has the parts before it (check_part.h).
 *
 * A checker with nothing known follows the part, and its fast path says which records need no
 * judgement. What it knows of x registers and memory comes from the part's own records alone, or
 * was supposed and is said (CHECK_ROW_ADOPT), so whoever replays the rows knows it, too, and
 * compares. The alternative, a checker whose every member may be "as before", would need a second
 * form of all the rules; here they stay as they are, and 1 in 1000 records goes by them twice.
 */
#include "library/check/check_part.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/check/check_image.h"
#include "library/check/check_run.h"

/* x registers of a hart before the part that nothing in it has written so far. */
struct before {
	const struct check_hart *hart;
	uint32_t known;
	uint64_t x[32];
};

struct ear_check_part {
	struct ear_checker *checker;
	struct check_recording recording;
	struct check_hart *hart; /* of the segment */
	check_row_taker *take;
	check_register_before *before_of;
	void *context;
	struct before *before;
	size_t before_count;
	uint64_t others; /* records that are no business of the checker */
	int result;      /* of the taker */
};

int ear_check_part_new(struct ear_check_part **part, const struct ear_checker_options *options,
	bool first, check_row_taker *take, check_register_before *before, void *context)
{
	struct ear_checker_options inner = *options;
	struct ear_check_part *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	inner.found = NULL;
	if (!first) { /* what is assumed was so at the beginning of the trace */
		inner.reset = false;
		inner.assumed_count = 0;
	}
	int result = ear_checker_new(&made->checker, &inner);
	if (result) {
		free(made);
		return result;
	}
	made->checker->recording = &made->recording;
	made->checker->memory.marks = true;
	made->take = take;
	made->before_of = first ? NULL : before;
	made->context = context;
	*part = made;
	return 0;
}

void ear_check_part_free(struct ear_check_part *part)
{
	if (!part)
		return;
	ear_checker_free(part->checker);
	free(part->before);
	free(part);
}

/* Rows ---------------------------------------------------------------------------------------- */

static void put(
	struct ear_check_part *part, enum check_row kind, const uint64_t *numbers, unsigned count)
{
	if (part->result == 0)
		part->result = part->take(part->context, kind, numbers, count);
}

#define PUT(part, kind, ...) \
	put(part, kind, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* The segment ends. */
static void flush(struct ear_check_part *part)
{
	struct check_segment *segment = &part->recording.segment;
	const struct check_hart *hart = part->hart;
	unsigned count = 0;

	if (segment->records == 0)
		return;
	PUT(part, CHECK_ROW_SEGMENT, hart->hart, segment->records, segment->index, segment->pc,
		hart->next_pc.value, segment->operands, segment->results, segment->accesses,
		segment->stores, segment->xlen, segment->privilege, segment->operands_shown,
		segment->known, segment->digest, segment->written);
	for (unsigned i = 1; i < 32; i++)
		if (segment->written >> i & 1)
			segment->values[count++] = hart->x[i];
	put(part, CHECK_ROW_VALUES, segment->values, count);
	*segment = (struct check_segment){0};
}

/* The run's records from i on may continue the segment, or begin one. */
static void begin(struct ear_check_part *part, struct check_hart *hart,
	const struct ear_compact_run *run, bool operands_shown)
{
	struct check_segment *segment = &part->recording.segment;

	if (segment->records > 0 &&
		(part->hart != hart || segment->privilege != run->privilege ||
			segment->xlen != run->xlen || segment->operands_shown != operands_shown))
		flush(part);
	if (segment->records > 0)
		return;
	part->hart = hart;
	*segment = (struct check_segment){.index = hart->index,
		.pc = hart->next_pc.value,
		.known = hart->x_known & ~1u,
		.xlen = run->xlen,
		.privilege = run->privilege,
		.operands_shown = operands_shown};
	segment->digest = check_run_digest(hart, segment->known);
}

/* What was stored around here, for a record that may read it. */
static void put_stored(struct ear_check_part *part, uint64_t address)
{
	const uint64_t first = (address & ~UINT64_C(7)) - 8;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t at = first + UINT64_C(8) * i, value;
		unsigned bytes = ear_check_memory_take_stored(&part->checker->memory, at, &value);
		if (bytes)
			PUT(part, CHECK_ROW_STORED, at, bytes, value);
	}
}

/* What was loaded around here, which may begin to change by itself. */
static void put_loaded_around(struct ear_check_part *part, uint64_t address)
{
	const uint64_t first = (address - 8) & ~UINT64_C(63);

	for (uint64_t at = first; at - first <= 64; at += 64) {
		uint64_t mask = ear_check_memory_take_loaded(&part->checker->memory, at);
		if (mask)
			PUT(part, CHECK_ROW_LOADED, at, mask);
	}
}

static int put_all_stored(void *context, uint64_t address, uint64_t mask)
{
	struct ear_check_part *part = context;

	(void)mask;
	for (unsigned i = 0; i < 64; i += 16)
		put_stored(part, address + i + 8);
	return part->result;
}

static int put_loaded(void *context, uint64_t address, uint64_t mask)
{
	struct ear_check_part *part = context;

	PUT(part, CHECK_ROW_LOADED, address, mask);
	return part->result;
}

static void put_fetches(struct ear_check_part *part, size_t at)
{
	const struct check_fetched *fetched = &part->checker->fetched[at];
	uint64_t *count = &part->recording.fetches[at];

	if (*count > 0)
		PUT(part, CHECK_ROW_FETCHES, at, fetched->pc, fetched->opcode, *count);
	*count = 0;
}

static void put_registers(struct ear_check_part *part, enum check_row kind,
	const struct ear_record_register *registers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		PUT(part, kind, registers[i].reg_class, registers[i].number, registers[i].value);
}

static void put_accesses(struct ear_check_part *part, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		PUT(part, CHECK_ROW_ACCESS, access->address, access->physical, access->value,
			access->unknown, access->size,
			(uint64_t)access->write | (uint64_t)access->has_value << 1 |
				(uint64_t)access->has_physical << 2 |
				(uint64_t)access->masked << 3 | (uint64_t)access->aborted << 4);
	}
}

static void put_record(struct ear_check_part *part, const struct ear_record *record,
	uint64_t position, uint64_t number, uint64_t forgets, bool cached)
{
	if (record->register_count > CHECK_PENDING_MAX ||
		record->memory_count > CHECK_PENDING_MAX ||
		(record->extra && record->extra->read_count > CHECK_PENDING_MAX)) {
		PUT(part, CHECK_ROW_BROKEN, position);
		return;
	}
	if (record->kind != EAR_RECORD_INSTRUCTION) {
		PUT(part, CHECK_ROW_RECORD, position, number, forgets, cached, record->kind,
			record->hart);
		return;
	}
	put_registers(part, CHECK_ROW_REGISTER, record->registers, record->register_count);
	if (record->extra)
		put_registers(
			part, CHECK_ROW_READ, record->extra->reads, record->extra->read_count);
	put_accesses(part, record);
	PUT(part, CHECK_ROW_RECORD, position, number, forgets, cached, record->kind, record->hart,
		record->index, record->flags, record->opcode, record->opcode_size, record->pc,
		record->pc_physical, record->next_pc, record->cause, record->xlen,
		record->privilege, record->isa, record->fflags, record->frm);
}

/* Registers before the part ------------------------------------------------------------------- */

/* Those of the hart, asked for when it is seen first; NULL: memory is short. */
static struct before *find_before(struct ear_check_part *part, const struct check_hart *hart)
{
	for (size_t i = 0; i < part->before_count; i++)
		if (part->before[i].hart == hart)
			return &part->before[i];
	struct before *grown =
		realloc(part->before, (part->before_count + 1) * sizeof(*part->before));
	if (!grown)
		return NULL;
	part->before = grown;
	struct before *before = &grown[part->before_count++];
	*before = (struct before){.hart = hart};
	for (unsigned i = 1; part->before_of && i < 32; i++)
		if (part->before_of(part->context, hart->hart, i, &before->x[i]))
			before->known |= 1u << i;
	return before;
}

/* A register that the instruction reads is not known: suppose that it holds what it held before the
 * part. Returns whether there was one. */
static bool adopt(struct ear_check_part *part, struct check_hart *hart, uint32_t opcode)
{
	const struct ear_semantics *op = check_decode(part->checker, opcode, hart->xlen);
	const unsigned numbers[2] = {op->rs1 & 31, op->rs2 & 31};
	struct before *before = find_before(part, hart);
	bool any = false;

	for (unsigned i = 0; before && hart->seen && i < 2; i++) {
		const unsigned number = numbers[i];
		if (hart->x_known >> number & 1 || !(before->known >> number & 1))
			continue;
		if (!any)
			flush(part);
		any = true;
		hart->x[number] = check_word(hart, before->x[number]);
		hart->x_known |= 1u << number;
		before->known &= ~(1u << number);
		PUT(part, CHECK_ROW_ADOPT, hart->hart, number, hart->x[number]);
	}
	return any;
}

/* What was written is not as before, and neither is what was forgotten. */
static void pass_before(struct ear_check_part *part, bool forgotten)
{
	for (size_t i = 0; i < part->before_count; i++)
		part->before[i].known &= forgotten ? 0 : ~part->before[i].hart->x_known;
}

/* Records ------------------------------------------------------------------------------------- */

static void put_stored_for(struct ear_check_part *part, const struct ear_record *record)
{
	put_stored(part, record->pc);
	if (record->flags & EAR_RECORD_PC_PHYSICAL)
		put_stored(part, record->pc_physical);
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		put_stored(part, access->address);
		put_loaded_around(part, access->address);
		if (!access->has_physical)
			continue;
		put_stored(part, access->physical);
		put_loaded_around(part, access->physical);
	}
}

int ear_check_part_push(struct ear_check_part *part, const struct ear_record *record,
	uint64_t position, uint64_t number)
{
	struct ear_checker *checker = part->checker;
	const uint64_t forgets = checker->memory.forgets;
	const bool has_image =
		checker->options.image_count > 0 && record->kind == EAR_RECORD_INSTRUCTION;

	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_GAP &&
		record->kind != EAR_RECORD_REGISTERS) {
		part->others++;
		return part->result;
	}
	flush(part);
	if (record->kind == EAR_RECORD_INSTRUCTION)
		put_stored_for(part, record);
	if (has_image)
		put_fetches(part, ear_hash_slot32((uint32_t)record->pc, CHECK_CACHE_BITS));
	int result = ear_checker_push(checker, record, position, number);
	if (result)
		return result;
	if (record->kind == EAR_RECORD_INSTRUCTION && !find_before(part, checker->last))
		return EAR_E_NO_MEMORY;
	const bool forgotten = checker->memory.forgets != forgets;
	if (forgotten)
		(void)ear_check_memory_each_loaded(&checker->memory, true, put_loaded, part);
	ear_check_memory_drop(&checker->memory);
	put_record(part, record, position, number, checker->memory.forgets - forgets,
		has_image && check_image_find(checker, record->pc, (uint32_t)record->opcode));
	pass_before(part, forgotten || record->kind != EAR_RECORD_INSTRUCTION);
	return part->result;
}

int ear_check_part_push_run(struct ear_check_part *part, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, const struct ear_operands *operands,
	uint64_t position, uint64_t number)
{
	struct ear_checker *checker = part->checker;
	struct ear_expanded_record expanded;
	struct ear_reads reads = {.extra = {0}};
	int result = check_find_hart(checker, run->hart);
	size_t i = 0;

	if (result)
		return result;
	ear_compact_run_begin(&expanded, run);
	while (part->result == 0) {
		begin(part, checker->last, run, operands != NULL);
		i += check_run(checker, checker->last, run, compacts, operands, i);
		if (i == run->count)
			break;
		if (adopt(part, checker->last, compacts[i].opcode))
			continue;
		const struct ear_record *record =
			ear_compact_run_get(&expanded, run, &compacts[i], i);
		if (operands)
			ear_reads_attach(&reads, &expanded.record, &operands[i]);
		result = ear_check_part_push(part, record, position + i, number + i);
		if (result)
			return result;
		i++;
		if (i == run->count)
			break;
	}
	return checker->memory.failed ? EAR_E_NO_MEMORY : part->result;
}

int ear_check_part_finish(struct ear_check_part *part)
{
	struct ear_check_memory *memory = &part->checker->memory;

	flush(part);
	for (size_t i = 0; i < CHECK_CACHE; i++)
		put_fetches(part, i);
	(void)ear_check_memory_each_loaded(memory, false, put_loaded, part);
	(void)ear_check_memory_each_stored(memory, put_all_stored, part);
	PUT(part, CHECK_ROW_END, memory->count_most, part->others);
	return part->result;
}
