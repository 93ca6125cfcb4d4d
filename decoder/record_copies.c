#include "decoder/record_copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/record_box.h"

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

int ear_record_copies_note(struct ear_record_copies *batch, uint64_t line_number, uint64_t offset,
	const char *cause, bool bad)
{
	struct ear_record_note *notes =
		grow(batch->notes, &batch->note_capacity, batch->note_count, sizeof(*notes));

	if (!notes)
		return EAR_E_NO_MEMORY;
	batch->notes = notes;

	struct ear_record_note *note = &notes[batch->note_count++];
	*note = (struct ear_record_note){
		.position = batch->count, .line_number = line_number, .offset = offset, .bad = bad};
	snprintf(note->cause, sizeof(note->cause), "%s", cause);
	return 0;
}
