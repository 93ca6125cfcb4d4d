#ifndef EAR_COMPACT_RECORD_H
#define EAR_COMPACT_RECORD_H

#include "decoder/record/record.h"

/* Compact form of consecutive ordinary records: RISC-V instructions that write at most one x
 * register and access memory at most once. A run holds what its records have in common, a compact
 * record the rest. It has a quarter of the size of a record, so it passes through memory and
 * between threads faster.
 *
 *     ear_compact_run_begin(&expanded, &run);
 *     for (i = 0; i < run.count; i++)
 *             use(ear_compact_run_get(&expanded, &run, &compacts[i], i));
 */

#define EAR_COMPACT_RUN_MAX 64 /* records in a run of the decoder */

struct ear_compact_record {
	uint64_t pc, next_pc;
	uint64_t result;  /* of register rd */
	uint64_t address; /* of the access */
	uint64_t data;    /* loaded or stored */
	uint32_t opcode;
	uint32_t offset; /* of its stream_offset, from that of the run */
	uint8_t opcode_size;
	uint8_t rd;    /* x register written; 0: none */
	uint8_t size;  /* bytes of the access; EAR_COMPACT_NO_ACCESS: none */
	uint8_t flags; /* enum ear_compact_flag */
};

#define EAR_COMPACT_NO_ACCESS UINT8_MAX

enum ear_compact_flag {
	EAR_COMPACT_TAKEN = EAR_RECORD_TAKEN,
	EAR_COMPACT_WRITE = 1 << 1, /* the access is a store */
};

struct ear_compact_run {
	size_t count;
	uint64_t first_index; /* of the first record; consecutive from there */
	uint64_t first_line;  /* line of a text, likewise; 0: the records have no extra */
	uint64_t stream_offset, ticks;
	uint64_t absent; /* EAR_FIELD_BIT; left for ear_absent_fields_remove */
	uint32_t flags;  /* of all records, enum ear_record_flag; not TAKEN, not HAS_TIME */
	uint16_t hart;
	uint8_t xlen, privilege, frm, vtype;
	bool first_timed, all_timed; /* EAR_RECORD_HAS_TIME: of the first; of all others */
};

/* A compact record expanded to a record, with all that the record points to. */
struct ear_expanded_record {
	struct ear_record record;
	struct ear_record_register reg;
	struct ear_record_access access;
	struct ear_record_extra extra;
};

/* Fill in what all records of a run have in common. *expanded must not move until the last
 * ear_compact_run_get.
 */
void ear_compact_run_begin(struct ear_expanded_record *expanded, const struct ear_compact_run *run);

/* Record i of the run, valid until the next call with the same *expanded. */
static inline const struct ear_record *ear_compact_run_get(struct ear_expanded_record *expanded,
	const struct ear_compact_run *run, const struct ear_compact_record *compact, size_t i)
{
	struct ear_record *record = &expanded->record;
	bool timed = i == 0 ? run->first_timed : run->all_timed;

	record->index = run->first_index + i;
	record->opcode = compact->opcode;
	record->opcode_size = compact->opcode_size;
	record->stream_offset = run->stream_offset + compact->offset;
	record->flags = run->flags | (compact->flags & (uint32_t)EAR_RECORD_TAKEN) |
			(timed ? (uint32_t)EAR_RECORD_HAS_TIME : 0);
	record->pc = compact->pc;
	record->next_pc = compact->next_pc;
	record->register_count = compact->rd != 0;
	expanded->reg.number = compact->rd;
	expanded->reg.value = compact->result;
	record->memory_count = compact->size != EAR_COMPACT_NO_ACCESS;
	expanded->access.address = compact->address;
	expanded->access.size = compact->size;
	expanded->access.write = compact->flags & EAR_COMPACT_WRITE;
	expanded->access.value = compact->data;
	expanded->extra.line = run->first_line + i;
	return record;
}

#endif
