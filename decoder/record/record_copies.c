#include "decoder/record/record_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/record/record_box.h"

#define BLOCK_SIZE (64u << 10)

struct ear_record_copies_memory {
	struct ear_record_copies_memory *next;
	size_t size;
	char bytes[];
};

_Static_assert(offsetof(struct ear_record_copies_memory, bytes) % 8 == 0, "copies lie at 8");

void ear_record_copies_fini(struct ear_record_copies *batch)
{
	struct ear_record_copies_memory *block = batch->first;

	while (block) {
		struct ear_record_copies_memory *next = block->next;
		free(block);
		block = next;
	}
	free(batch->records);
	free(batch->runs);
	free(batch->briefs);
	free(batch->notes);
	*batch = (struct ear_record_copies){0};
}

void ear_record_copies_clear(struct ear_record_copies *batch)
{
	batch->count = 0;
	batch->run_count = 0;
	batch->brief_count = 0;
	batch->note_count = 0;
	batch->last = batch->first;
	batch->used = 0;
	batch->size = 0;
}

/* Go on to a block with room for size bytes: the next one, or a new one in front of it. */
static bool next_block(struct ear_record_copies *batch, size_t size)
{
	struct ear_record_copies_memory **link = batch->last ? &batch->last->next : &batch->first;

	if (!*link || (*link)->size < size) {
		size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		struct ear_record_copies_memory *made = malloc(sizeof(*made) + room);
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

/* Room for item number count, no more than EAR_RECORD_RUN_MAX behind the last one. */
static void *grow(void *items, size_t *capacity, size_t count, size_t item_size)
{
	if (count < *capacity)
		return items;

	size_t more = *capacity ? 2 * *capacity : 256;
	void *grown = realloc(items, more * item_size);
	if (grown)
		*capacity = more;
	return grown;
}

struct ear_record *ear_record_copies_add(
	struct ear_record_copies *batch, const struct ear_record *record)
{
	size_t size = ear_record_copy_size(record);
	struct ear_record *records =
		grow(batch->records, &batch->capacity, batch->count, sizeof(*records));

	if (!records)
		return NULL;
	batch->records = records;
	if ((!batch->last || batch->last->size - batch->used < size) && !next_block(batch, size))
		return NULL;
	ear_record_copy(&records[batch->count], batch->last->bytes + batch->used, record);
	batch->used += size;
	batch->size += size;
	return &records[batch->count++];
}

int ear_record_copies_add_run(struct ear_record_copies *batch, const struct ear_record_run *run,
	const struct ear_record_brief *briefs)
{
	struct ear_record_copied_run *runs =
		grow(batch->runs, &batch->run_capacity, batch->run_count, sizeof(*runs));

	if (!runs)
		return EAR_E_NO_MEMORY;
	batch->runs = runs;
	struct ear_record_brief *all = grow(batch->briefs, &batch->brief_capacity,
		batch->brief_count + run->count - 1, sizeof(*all));
	if (!all)
		return EAR_E_NO_MEMORY;
	batch->briefs = all;

	runs[batch->run_count++] = (struct ear_record_copied_run){
		.position = batch->count, .first = batch->brief_count, .run = *run};
	memcpy(all + batch->brief_count, briefs, run->count * sizeof(*briefs));
	batch->brief_count += run->count;
	batch->size += run->count * sizeof(*briefs);
	return 0;
}

/* Can the record be told in short? Nearly all can: what speaks against it is gathered. */
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
		odd = (reg->class ^ EAR_REGISTER_X) | reg->size | reg->text_size |
		      reg->number >> 8 | (reg->number == 0);
	if (record->memory_count)
		odd |= (uint64_t)!access->has_value | access->has_physical | access->masked |
		       access->aborted | access->attributes | (access->size == EAR_BRIEF_NO_ACCESS);
	return odd == 0 && (!record->extra || ear_record_extra_is_bare(record->extra));
}

/* Does the record go on with the run? */
static inline bool continues(const struct ear_record_run *run, const struct ear_record *record)
{
	uint64_t line = record->extra ? record->extra->line : 0;
	uint64_t next_line = run->first_line ? run->first_line + run->count : 0;

	return record->index == run->first_index + run->count && line == next_line &&
	       !run->all_timed && record->hart == run->hart && record->xlen == run->xlen &&
	       record->privilege == run->privilege && record->frm == run->frm &&
	       (record->flags & ~(uint32_t)EAR_RECORD_TAKEN) == run->flags &&
	       record->stream_offset - run->stream_offset <= UINT32_MAX;
}

/* The run that the record is the next of, begun if need be; NULL if memory is short. */
static struct ear_record_run *find_run(
	struct ear_record_copies *batch, const struct ear_record *record)
{
	struct ear_record_copied_run *runs = batch->runs;
	struct ear_record_copied_run *last;

	if (batch->run_count > 0) {
		last = &runs[batch->run_count - 1];
		if (last->position == batch->count && continues(&last->run, record))
			return &last->run;
	}
	runs = grow(runs, &batch->run_capacity, batch->run_count, sizeof(*runs));
	if (!runs)
		return NULL;
	batch->runs = runs;
	last = &runs[batch->run_count++];
	*last = (struct ear_record_copied_run){.position = batch->count,
		.first = batch->brief_count,
		.run = {
			.first_index = record->index,
			.first_line = record->extra ? record->extra->line : 0,
			.stream_offset = record->stream_offset,
			.flags = record->flags & ~(uint32_t)EAR_RECORD_TAKEN,
			.hart = record->hart,
			.xlen = record->xlen,
			.privilege = record->privilege,
			.frm = record->frm,
		}};
	return &last->run;
}

int ear_record_copies_add_short(struct ear_record_copies *batch, const struct ear_record *record)
{
	if (!is_ordinary(record) || (record->extra && record->extra->line == 0))
		return ear_record_copies_add(batch, record) ? 0 : EAR_E_NO_MEMORY;

	struct ear_record_brief *briefs =
		grow(batch->briefs, &batch->brief_capacity, batch->brief_count, sizeof(*briefs));
	if (!briefs)
		return EAR_E_NO_MEMORY;
	batch->briefs = briefs;
	struct ear_record_run *run = find_run(batch, record);
	if (!run)
		return EAR_E_NO_MEMORY;

	struct ear_record_brief *brief = &briefs[batch->brief_count++];
	*brief = (struct ear_record_brief){
		.pc = record->pc,
		.next_pc = record->next_pc,
		.opcode = (uint32_t)record->opcode,
		.offset = (uint32_t)(record->stream_offset - run->stream_offset),
		.opcode_size = record->opcode_size,
		.size = EAR_BRIEF_NO_ACCESS,
		.flags = record->flags & EAR_RECORD_TAKEN,
	};
	if (record->register_count) {
		brief->rd = (uint8_t)record->registers->number;
		brief->result = record->registers->value;
	}
	if (record->memory_count) {
		const struct ear_record_access *access = record->memory;
		brief->address = access->address;
		brief->data = access->value;
		brief->size = access->size;
		brief->flags |= access->write ? EAR_BRIEF_WRITE : 0;
	}
	run->count++;
	batch->size += sizeof(*brief);
	return 0;
}

void ear_record_cursor_begin(
	struct ear_record_cursor *cursor, const struct ear_record_copies *batch)
{
	cursor->batch = batch;
	cursor->at = cursor->next = cursor->next_run = 0;
	cursor->run = NULL;
	cursor->in_run = 0;
	cursor->absent = 0;
}

struct ear_record *ear_record_cursor_next(struct ear_record_cursor *cursor)
{
	const struct ear_record_copies *batch = cursor->batch;

	if (!cursor->run && batch && cursor->next_run < batch->run_count &&
		batch->runs[cursor->next_run].position == cursor->next) {
		cursor->run = &batch->runs[cursor->next_run++];
		cursor->in_run = 0;
		cursor->absent = cursor->run->run.absent;
		ear_record_run_begin(&cursor->made, &cursor->run->run);
	}
	if (cursor->run) {
		const struct ear_record_copied_run *run = cursor->run;
		size_t i = cursor->in_run++;
		ear_record_run_get(&cursor->made, &run->run, &batch->briefs[run->first + i], i);
		if (cursor->in_run == run->run.count)
			cursor->run = NULL;
		cursor->at++;
		return &cursor->made.record;
	}
	if (!batch || cursor->next == batch->count)
		return NULL;
	cursor->at++;
	cursor->absent = 0;
	return &batch->records[cursor->next++];
}

int ear_record_copies_note(struct ear_record_copies *batch, uint64_t line_number, uint64_t offset,
	const char *cause, bool bad)
{
	struct ear_record_note *notes =
		grow(batch->notes, &batch->note_capacity, batch->note_count, sizeof(*notes));

	if (!notes)
		return EAR_E_NO_MEMORY;
	batch->notes = notes;

	struct ear_record_note *note = &notes[batch->note_count++];
	*note = (struct ear_record_note){.position = ear_record_copies_count(batch),
		.line_number = line_number,
		.offset = offset,
		.bad = bad};
	snprintf(note->cause, sizeof(note->cause), "%s", cause);
	return 0;
}
