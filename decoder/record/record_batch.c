/* A batch of records for another thread.
 *
 * Copies lie one after another in a chain of blocks, which ear_record_batch_clear keeps, so a batch
 * that is used again allocates nothing. An ordinary record extends the run that it continues;
 * is_ordinary gathers every obstacle in one word, because one branch a record is what the reader
 * threads can afford.
 */
#include "decoder/record/record_batch.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "decoder/record/record_copy.h"

#define BLOCK_SIZE (64u << 10)

struct ear_record_batch_block {
	struct ear_record_batch_block *next;
	size_t size;
	char bytes[];
};

_Static_assert(
	offsetof(struct ear_record_batch_block, bytes) % 8 == 0, "copies are aligned to 8 bytes");

void ear_record_batch_fini(struct ear_record_batch *batch)
{
	struct ear_record_batch_block *block = batch->first;

	while (block) {
		struct ear_record_batch_block *next = block->next;
		free(block);
		block = next;
	}
	free(batch->records);
	free(batch->runs);
	free(batch->compacts);
	free(batch->reports);
	*batch = (struct ear_record_batch){0};
}

void ear_record_batch_clear(struct ear_record_batch *batch)
{
	batch->count = 0;
	batch->run_count = 0;
	batch->compact_count = 0;
	batch->report_count = 0;
	batch->last = batch->first;
	batch->used = 0;
	batch->size = 0;
}

/* Continue in a block with room for size bytes: the next one, or a new one inserted before it. */
static bool next_block(struct ear_record_batch *batch, size_t size)
{
	struct ear_record_batch_block **link = batch->last ? &batch->last->next : &batch->first;

	if (!*link || (*link)->size < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		struct ear_record_batch_block *made = malloc(sizeof(*made) + room);
		if (!made)
			return false;
		made->next = *link;
		made->size = room;
		*link = made;
	}
	batch->last = *link;
	batch->used = 0;
	return true;
}

struct ear_record *ear_record_batch_add(
	struct ear_record_batch *batch, const struct ear_record *record)
{
	size_t size = ear_record_clone_size(record);

	if (!EAR_ARRAY_RESERVE(batch->records, &batch->capacity, batch->count + 1))
		return NULL;
	if ((!batch->last || batch->last->size - batch->used < size) && !next_block(batch, size))
		return NULL;
	ear_record_clone(&batch->records[batch->count], batch->last->bytes + batch->used, record);
	batch->used += size;
	batch->size += size;
	return &batch->records[batch->count++];
}

int ear_record_batch_add_run(struct ear_record_batch *batch, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts)
{
	if (!EAR_ARRAY_RESERVE(batch->runs, &batch->run_capacity, batch->run_count + 1) ||
		!EAR_ARRAY_RESERVE(batch->compacts, &batch->compact_capacity,
			batch->compact_count + run->count))
		return EAR_E_NO_MEMORY;
	batch->runs[batch->run_count++] = (struct ear_record_batch_run){
		.position = batch->count, .first = batch->compact_count, .run = *run};
	memcpy(batch->compacts + batch->compact_count, compacts, run->count * sizeof(*compacts));
	batch->compact_count += run->count;
	batch->size += run->count * sizeof(*compacts);
	return 0;
}

/* Has the record a compact form? Nearly all have, so all obstacles go into one word first. */
static inline bool is_ordinary(const struct ear_record *record)
{
	const struct ear_record_register *reg = record->registers;
	const struct ear_record_access *access = record->memory;
	uint64_t odd = (record->kind ^ EAR_RECORD_INSTRUCTION) | (record->isa ^ EAR_ISA_RISCV) |
		       record->register_count >> 1 | record->memory_count >> 1 |
		       record->opcode >> 32 | record->pc_physical | record->cause | record->fflags |
		       record->fetch |
		       (record->flags & (EAR_RECORD_HAS_TIME | EAR_RECORD_PC_PHYSICAL));

	if (odd)
		return false;
	if (record->register_count)
		odd = (reg->reg_class ^ EAR_REGISTER_X) | reg->size | reg->text_size |
		      reg->number >> 8 | (reg->number == 0);
	if (record->memory_count)
		odd |= (uint64_t)!access->has_value | access->has_physical | access->masked |
		       access->aborted | access->attributes | access->unknown |
		       (access->size == EAR_COMPACT_NO_ACCESS);
	return odd == 0 && (!record->extra || ear_record_extra_is_bare(record->extra));
}

/* Does the record continue the run? */
static inline bool continues(const struct ear_compact_run *run, const struct ear_record *record)
{
	uint64_t line = record->extra ? record->extra->line : 0;
	uint64_t next_line = run->first_line ? run->first_line + run->count : 0;

	return record->index == run->first_index + run->count && line == next_line &&
	       !run->all_timed && record->hart == run->hart && record->xlen == run->xlen &&
	       record->privilege == run->privilege && record->frm == run->frm &&
	       record->vtype == run->vtype &&
	       (record->flags & ~(uint32_t)EAR_RECORD_TAKEN) == run->flags &&
	       record->stream_offset - run->stream_offset <= UINT32_MAX;
}

/* The run that the record continues, or a new one; NULL if memory is short. */
static struct ear_compact_run *find_run(
	struct ear_record_batch *batch, const struct ear_record *record)
{
	struct ear_record_batch_run *last;

	if (batch->run_count > 0) {
		last = &batch->runs[batch->run_count - 1];
		if (last->position == batch->count && continues(&last->run, record))
			return &last->run;
	}
	if (!EAR_ARRAY_RESERVE(batch->runs, &batch->run_capacity, batch->run_count + 1))
		return NULL;
	last = &batch->runs[batch->run_count++];
	*last = (struct ear_record_batch_run){.position = batch->count,
		.first = batch->compact_count,
		.run = {
			.first_index = record->index,
			.first_line = record->extra ? record->extra->line : 0,
			.stream_offset = record->stream_offset,
			.flags = record->flags & ~(uint32_t)EAR_RECORD_TAKEN,
			.hart = record->hart,
			.xlen = record->xlen,
			.privilege = record->privilege,
			.frm = record->frm,
			.vtype = record->vtype,
		}};
	return &last->run;
}

int ear_record_batch_add_compact(struct ear_record_batch *batch, const struct ear_record *record)
{
	if (!is_ordinary(record) || (record->extra && record->extra->line == 0))
		return ear_record_batch_add(batch, record) ? 0 : EAR_E_NO_MEMORY;

	if (!EAR_ARRAY_RESERVE(batch->compacts, &batch->compact_capacity, batch->compact_count + 1))
		return EAR_E_NO_MEMORY;
	struct ear_compact_run *run = find_run(batch, record);
	if (!run)
		return EAR_E_NO_MEMORY;

	struct ear_compact_record *compact = &batch->compacts[batch->compact_count++];
	*compact = (struct ear_compact_record){
		.pc = record->pc,
		.next_pc = record->next_pc,
		.opcode = (uint32_t)record->opcode,
		.offset = (uint32_t)(record->stream_offset - run->stream_offset),
		.opcode_size = record->opcode_size,
		.size = EAR_COMPACT_NO_ACCESS,
		.flags = record->flags & EAR_RECORD_TAKEN,
	};
	if (record->register_count) {
		compact->rd = (uint8_t)record->registers->number;
		compact->result = record->registers->value;
	}
	if (record->memory_count) {
		const struct ear_record_access *access = record->memory;
		compact->address = access->address;
		compact->data = access->value;
		compact->size = access->size;
		compact->flags |= access->write ? EAR_COMPACT_WRITE : 0;
	}
	run->count++;
	batch->size += sizeof(*compact);
	return 0;
}

void ear_record_cursor_begin(struct ear_record_cursor *cursor, const struct ear_record_batch *batch)
{
	cursor->batch = batch;
	cursor->at = cursor->next = cursor->next_run = 0;
	cursor->run = NULL;
	cursor->in_run = 0;
	cursor->absent = 0;
}

struct ear_record *ear_record_cursor_next(struct ear_record_cursor *cursor)
{
	const struct ear_record_batch *batch = cursor->batch;

	if (!cursor->run && batch && cursor->next_run < batch->run_count &&
		batch->runs[cursor->next_run].position == cursor->next) {
		cursor->run = &batch->runs[cursor->next_run++];
		cursor->in_run = 0;
		cursor->absent = cursor->run->run.absent;
		ear_compact_run_begin(&cursor->expanded, &cursor->run->run);
	}
	if (cursor->run) {
		const struct ear_record_batch_run *run = cursor->run;
		size_t i = cursor->in_run++;
		ear_compact_run_get(
			&cursor->expanded, &run->run, &batch->compacts[run->first + i], i);
		if (cursor->in_run == run->run.count)
			cursor->run = NULL;
		cursor->at++;
		return &cursor->expanded.record;
	}
	if (!batch || cursor->next == batch->count)
		return NULL;
	cursor->at++;
	cursor->absent = 0;
	return &batch->records[cursor->next++];
}

int ear_record_batch_add_report(struct ear_record_batch *batch, uint64_t line_number,
	uint64_t offset, const char *cause, unsigned kind)
{
	if (!EAR_ARRAY_RESERVE(batch->reports, &batch->report_capacity, batch->report_count + 1))
		return EAR_E_NO_MEMORY;

	struct ear_record_batch_report *report = &batch->reports[batch->report_count++];
	*report = (struct ear_record_batch_report){.position = ear_record_batch_count(batch),
		.line_number = line_number,
		.offset = offset,
		.kind = kind};
	snprintf(report->cause, sizeof(report->cause), "%s", cause);
	return 0;
}
