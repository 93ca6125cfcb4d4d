/* Summaries of runs.
 *
 * One pass over the records while they are in the cache, without a branch that depends on them:
 * such branches are as hard to foresee as those of the program that was traced. Values go to the
 * place of their register, so the last one stays; which records access memory or leave the straight
 * way is noted, and these are packed afterwards.
 */
#include "library/state/run_summary.h"

_Static_assert(EAR_COMPACT_TAKEN == 1, "counts as one");

static uint32_t pack_accesses(struct ear_run_access *accesses,
	const struct ear_compact_record *compacts, const uint8_t *which, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ear_compact_record *compact = &compacts[which[i]];
		struct ear_run_access *access = &accesses[i];
		access->address = compact->address;
		access->data = compact->data;
		access->opcode = compact->opcode;
		access->size = compact->size;
		access->flags = compact->flags;
		access->opcode_size = compact->opcode_size;
	}
	return (uint32_t)count;
}

static uint32_t pack_marks(struct ear_run_mark *marks, const struct ear_compact_record *compacts,
	const uint8_t *which, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ear_compact_record *compact = &compacts[which[i]];
		struct ear_run_mark *mark = &marks[i];
		mark->pc = compact->pc;
		mark->next_pc = compact->next_pc;
		mark->result = compact->result;
		mark->opcode = compact->opcode;
		mark->at = which[i];
		mark->rd = compact->rd;
		mark->taken = compact->flags & EAR_COMPACT_TAKEN;
	}
	return (uint32_t)count;
}

/* Values of the registers written, without the others between. */
static uint32_t pack_values(uint64_t *packed, const uint64_t *values, uint32_t written)
{
	uint32_t count = 0;

	for (; written != 0; written &= written - 1)
		packed[count++] = values[__builtin_ctz(written)];
	return count;
}

void ear_run_summary_make(struct ear_run_summary *summary, struct ear_run_summary_room *room,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	uint8_t accesses[EAR_COMPACT_RUN_MAX], marks[EAR_COMPACT_RUN_MAX];
	uint64_t values[UINT8_MAX + 1], before = compacts[0].pc, written = 0;
	const size_t count = run->count;
	size_t line = 0, access_count = 0, mark_count = 0;
	uint32_t halfwords = 0;

	for (size_t i = 0; i < count; i++) {
		const struct ear_compact_record *compact = &compacts[i];
		const uint64_t pc = compact->pc;
		const bool other = (pc ^ before) >> EAR_RUN_LINE;
		before = pc;
		line += other;
		halfwords = (other ? 0 : halfwords) | 1u << (pc >> 1 & 31);
		room->code[line] = (struct ear_run_code){pc, halfwords};
		values[compact->rd] = compact->result;
		written |= (uint64_t)1 << (compact->rd & 63);
		accesses[access_count] = (uint8_t)i;
		access_count += compact->size != EAR_COMPACT_NO_ACCESS;
		marks[mark_count] = (uint8_t)i;
		mark_count += (compact->rd == EAR_RUN_SP) | (compact->flags & EAR_COMPACT_TAKEN);
	}
	summary->run = *run;
	summary->pc = compacts[0].pc;
	summary->next_pc = compacts[count - 1].next_pc;
	summary->first_ticks = compacts[0].ticks;
	summary->last_ticks = compacts[count - 1].ticks;
	summary->written = (uint32_t)written & ~1u;
	summary->code_count = (uint32_t)line + 1;
	summary->value_count = pack_values(room->values, values, summary->written);
	summary->access_count = pack_accesses(room->accesses, compacts, accesses, access_count);
	summary->mark_count = pack_marks(room->marks, compacts, marks, mark_count);
	summary->code = room->code;
	summary->values = room->values;
	summary->accesses = room->accesses;
	summary->marks = room->marks;
}

struct ear_compact_record ear_run_access_compact(const struct ear_run_access *access)
{
	return (struct ear_compact_record){
		.address = access->address,
		.data = access->data,
		.opcode = access->opcode,
		.opcode_size = access->opcode_size,
		.size = access->size,
		.flags = access->flags,
	};
}
