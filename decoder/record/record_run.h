#ifndef EAR_RECORD_RUN_H
#define EAR_RECORD_RUN_H

#include "decoder/record/record.h"

/* Ordinary records that follow one another, in short: RISC-V instructions that write at most one x
 * register and access memory at most once. What is the same for all is told once. A quarter of
 * the size of the records, so they go through memory and between threads faster.
 *
 *     ear_record_run_begin(&made, &run);
 *     for (i = 0; i < run.count; i++)
 *             use(ear_record_run_get(&made, &run, &briefs[i], i));
 */

#define EAR_RECORD_RUN_MAX 64 /* records in one run of the decoder */

struct ear_record_brief {
	uint64_t pc, next_pc;
	uint64_t result;  /* of register rd */
	uint64_t address; /* of the access */
	uint64_t data;    /* loaded or stored */
	uint32_t opcode;
	uint32_t offset; /* of its stream_offset, from that of the run */
	uint8_t opcode_size;
	uint8_t rd;    /* x register written; 0: none */
	uint8_t size;  /* bytes of the access; EAR_BRIEF_NO_ACCESS: none */
	uint8_t flags; /* enum ear_brief_flag */
};

#define EAR_BRIEF_NO_ACCESS UINT8_MAX

enum ear_brief_flag {
	EAR_BRIEF_TAKEN = EAR_RECORD_TAKEN,
	EAR_BRIEF_WRITE = 1 << 1, /* the access is a store */
};

struct ear_record_run {
	size_t count;
	uint64_t first_index; /* of the first record; the others count on */
	uint64_t first_line;  /* of a text, likewise; 0: there is no extra */
	uint64_t stream_offset, ticks;
	uint64_t absent; /* EAR_FIELD_BIT; left for ear_absent_fields_remove */
	uint32_t flags;  /* of all records, enum ear_record_flag; not TAKEN, not HAS_TIME */
	uint16_t hart;
	uint8_t xlen, privilege, frm;
	bool first_timed, all_timed; /* EAR_RECORD_HAS_TIME: of the first, of all others */
};

/* A record made of a brief, with what it points to. */
struct ear_record_made {
	struct ear_record record;
	struct ear_record_register reg;
	struct ear_record_access access;
	struct ear_record_extra extra;
};

/* Fill in what all records of a run have in common. *made must stay where it is. */
void ear_record_run_begin(struct ear_record_made *made, const struct ear_record_run *run);

/* Record i of the run, valid until the next call with the same *made. */
static inline const struct ear_record *ear_record_run_get(struct ear_record_made *made,
	const struct ear_record_run *run, const struct ear_record_brief *brief, size_t i)
{
	struct ear_record *record = &made->record;
	bool timed = i == 0 ? run->first_timed : run->all_timed;

	record->index = run->first_index + i;
	record->opcode = brief->opcode;
	record->opcode_size = brief->opcode_size;
	record->stream_offset = run->stream_offset + brief->offset;
	record->flags = run->flags | (brief->flags & (uint32_t)EAR_RECORD_TAKEN) |
			(timed ? (uint32_t)EAR_RECORD_HAS_TIME : 0);
	record->pc = brief->pc;
	record->next_pc = brief->next_pc;
	record->register_count = brief->rd != 0;
	made->reg.number = brief->rd;
	made->reg.value = brief->result;
	record->memory_count = brief->size != EAR_BRIEF_NO_ACCESS;
	made->access.address = brief->address;
	made->access.size = brief->size;
	made->access.write = brief->flags & EAR_BRIEF_WRITE;
	made->access.value = brief->data;
	made->extra.line = run->first_line + i;
	return record;
}

#endif
