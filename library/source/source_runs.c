/* Gathers ordinary records of a text into runs.
 *
 * Who follows registers, memory and calls looks at each record for all that it might have done; a
 * run of ordinary records needs none of that. What an opcode does is decoded once and kept by its
 * hash, so that to look whether a record is ordinary costs less than what follows then saves. The
 * record that ends a run has been read by then: it is held, and comes next.
 */
#include "library/source/source_runs.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "common/hash.h"
#include "decoder/record/record_copy.h"

int ear_source_runs_init(struct ear_source_runs *runs, struct ear_source *source, bool gather)
{
	*runs = (struct ear_source_runs){.source = source, .gather = gather, .ended = 1};
	if (!gather)
		return 0;
	runs->kinds = calloc((size_t)1 << EAR_SOURCE_RUNS_KINDS_LOG2, sizeof(*runs->kinds));
	return runs->kinds ? 0 : EAR_E_NO_MEMORY;
}

void ear_source_runs_fini(struct ear_source_runs *runs)
{
	free(runs->kinds);
	*runs = (struct ear_source_runs){.source = NULL};
}

static inline const struct ear_ordinary_opcode *kind_of(
	struct ear_source_runs *runs, uint32_t opcode, uint8_t xlen)
{
	uint32_t hash = ear_hash_slot32(opcode, EAR_SOURCE_RUNS_KINDS_LOG2);
	struct ear_ordinary_opcode *kind = &runs->kinds[hash];

	if (kind->opcode != opcode || kind->xlen != xlen)
		*kind = ear_ordinary_opcode_find(opcode, xlen);
	return kind;
}

/* Has the record nothing but what a compact one of a run without flags has? */
static inline bool is_compact(const struct ear_record *record)
{
	const struct ear_record_register *reg = record->registers;
	const struct ear_record_access *access = record->memory;
	uint64_t odd = (record->kind ^ EAR_RECORD_INSTRUCTION) | (record->isa ^ EAR_ISA_RISCV) |
		       record->register_count >> 1 | record->memory_count >> 1 |
		       record->opcode >> 32 | record->pc_physical | record->cause | record->fflags |
		       record->fetch | (record->flags & ~(uint32_t)EAR_RECORD_TAKEN) |
		       (record->xlen & ~(32u | 64u));

	if (odd)
		return false;
	/* Who follows the registers does not look at the size of the value. */
	if (record->register_count)
		odd = (reg->reg_class ^ EAR_REGISTER_X) | reg->text_size |
		      (reg->size && reg->size != record->xlen / 8);
	if (record->memory_count)
		odd |= (uint64_t)(access->write && !access->has_value) | access->has_physical |
		       access->masked | access->aborted | access->attributes | access->unknown;
	return odd == 0 && (!record->extra || ear_record_extra_is_bare(record->extra));
}

static inline uint64_t low_bytes(uint64_t value, unsigned size)
{
	return size >= 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

/* The record as a compact one. Returns false if it is not ordinary. */
static inline bool fill(struct ear_source_runs *runs, const struct ear_record *record,
	struct ear_compact_record *compact)
{
	if (!is_compact(record) || record->xlen == 0)
		return false;
	const struct ear_ordinary_opcode *kind =
		kind_of(runs, (uint32_t)record->opcode, record->xlen);
	uint64_t after = record->pc + record->opcode_size;
	bool moves = record->next_pc != (record->xlen == 32 ? (uint32_t)after : after);
	bool taken = record->flags & EAR_RECORD_TAKEN;

	*compact = (struct ear_compact_record){
		.pc = record->pc,
		.next_pc = record->next_pc,
		.opcode = (uint32_t)record->opcode,
		.opcode_size = record->opcode_size,
		.size = EAR_COMPACT_NO_ACCESS,
		.flags = taken ? EAR_COMPACT_TAKEN : 0,
	};
	if (record->register_count) {
		compact->rd = (uint8_t)record->registers->number;
		compact->result = record->registers->value;
	}
	if (record->memory_count) {
		/* What a load saw is in its register, if the text has it there alone. */
		bool seen = record->memory->has_value;
		if (!seen && compact->rd == 0)
			return false;
		compact->address = record->memory->address;
		compact->data = seen ? record->memory->value
				     : low_bytes(compact->result, record->memory->size);
		compact->size = record->memory->size;
		compact->flags |= record->memory->write ? EAR_COMPACT_WRITE : 0;
	}
	return kind->flags & EAR_ORDINARY && compact->rd == kind->rd &&
	       compact->size == kind->size &&
	       !(compact->flags & EAR_COMPACT_WRITE) == !(kind->flags & EAR_ORDINARY_STORE) &&
	       (kind->flags & EAR_ORDINARY_MOVES
			       ? taken || !(moves || kind->flags & EAR_ORDINARY_JUMP)
			       : !(taken || moves)) &&
	       (record->register_count == 0) == (kind->rd == 0);
}

static void begin(struct ear_compact_run *run, const struct ear_record *record)
{
	*run = (struct ear_compact_run){
		.first_index = record->index,
		.hart = record->hart,
		.xlen = record->xlen,
		.privilege = record->privilege,
		.frm = record->frm,
		.vtype = record->vtype,
		.ordinary = true,
	};
}

static inline bool continues(const struct ear_source_runs *runs, const struct ear_record *record)
{
	const struct ear_compact_run *run = &runs->run;

	return record->index == run->first_index + run->count && record->hart == run->hart &&
	       record->xlen == run->xlen && record->privilege == run->privilege &&
	       record->frm == run->frm && record->vtype == run->vtype &&
	       record->pc == runs->compacts[run->count - 1].next_pc;
}

/* The run that begins with *record; none if it is not ordinary. */
static void gather(struct ear_source_runs *runs, const struct ear_record *record, size_t max)
{
	struct ear_compact_run *run = &runs->run;

	run->count = 0;
	if (!fill(runs, record, &runs->compacts[0]))
		return;
	begin(run, record);
	for (run->count = 1; run->count < max; run->count++) {
		ear_source_add_ordinary(runs->source, run, runs->compacts, max);
		if (run->count == max)
			break;
		runs->ended = ear_source_next(runs->source, &record);
		if (runs->ended <= 0)
			break;
		if (!continues(runs, record) || !fill(runs, record, &runs->compacts[run->count])) {
			runs->held = record;
			break;
		}
	}
}

int ear_source_runs_next(struct ear_source_runs *runs, struct ear_source_run *run, size_t max)
{
	const struct ear_record *record = runs->held;
	int result = runs->ended;

	if (!runs->gather)
		return ear_source_next_run(runs->source, run);
	runs->held = NULL;
	if (result <= 0) {
		runs->ended = 1;
		return result;
	}
	if (!record)
		result = ear_source_next(runs->source, &record);
	if (result <= 0)
		return result;
	*run = (struct ear_source_run){.record = record};
	gather(runs, record, max < EAR_COMPACT_RUN_MAX ? max : EAR_COMPACT_RUN_MAX);
	if (runs->run.count > 0)
		*run = (struct ear_source_run){.run = &runs->run, .compacts = runs->compacts};
	return 1;
}
