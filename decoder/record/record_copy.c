/* Deep copies of records.
 *
 * Everything that a record points to goes into one block: first it is measured, then copied. Parts
 * are aligned to 8 bytes, which is enough for every type in them. Nearly every record is an
 * instruction without texts; it takes a path of its own, without the general measuring.
 */
#include "decoder/record/record_copy.h"

#include <earshot/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static size_t registers_size(const struct ear_record_register *registers, size_t count)
{
	size_t size = round_up(count * sizeof(*registers));

	for (size_t i = 0; i < count; i++)
		size += round_up(ear_register_text_size(&registers[i]));
	return size;
}

static size_t walks_size(const struct ear_record_extra *extra)
{
	size_t size = round_up(extra->walk_count * sizeof(*extra->walks));

	for (size_t i = 0; i < extra->walk_count; i++)
		size += round_up(extra->walks[i].step_count * sizeof(*extra->walks[i].steps));
	return size;
}

static size_t inferred_size(const struct ear_record_inferred *inferred)
{
	return inferred ? sizeof(*inferred) +
				  registers_size(inferred->registers, inferred->register_count) +
				  inferred->memory_count * sizeof(*inferred->memory)
			: 0;
}

static size_t extra_size(const struct ear_record_extra *extra)
{
	size_t size = round_up(sizeof(*extra)) + walks_size(extra);

	size += round_up(extra->time_unit.size) + round_up(extra->disassembly.size);
	size += round_up(extra->sources.size) + round_up(extra->info.size);
	size += round_up(extra->mode_name.size) + round_up(extra->source.size);
	size += round_up(extra->task_name.size);
	size += inferred_size(extra->inferred);
	return size + registers_size(extra->reads, extra->read_count);
}

static size_t times_size(const struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;

	return extra && extra->access_times ? record->memory_count * sizeof(*extra->access_times)
					    : 0;
}

static size_t note_size(const struct ear_record *record)
{
	if (record->kind == EAR_RECORD_EVENT)
		return round_up(record->u.event.name.size);
	return record->kind == EAR_RECORD_NOTE ? round_up(record->u.note.text.size) : 0;
}

static const void *copy(char **at, const void *bytes, size_t size)
{
	char *place = *at;

	if (size == 0)
		return bytes ? place : NULL;
	memcpy(place, bytes, size);
	*at += round_up(size);
	return place;
}

static void copy_text(char **at, struct ear_text *text)
{
	text->text = copy(at, text->text, text->size);
}

static const struct ear_record_register *copy_registers(
	char **at, const struct ear_record_register *registers, size_t count)
{
	struct ear_record_register *place = (struct ear_record_register *)*at;

	copy(at, registers, count * sizeof(*registers));
	for (size_t i = 0; i < count; i++) {
		size_t size = ear_register_text_size(&registers[i]);
		if (size > 0)
			place[i].text.bytes = copy(at, registers[i].text.bytes, size);
	}
	return place;
}

static const struct ear_walk *copy_walks(char **at, const struct ear_walk *walks, size_t count)
{
	struct ear_walk *place = (struct ear_walk *)*at;

	copy(at, walks, count * sizeof(*walks));
	for (size_t i = 0; i < count; i++)
		place[i].steps =
			copy(at, walks[i].steps, walks[i].step_count * sizeof(*walks[i].steps));
	return place;
}

static const struct ear_record_inferred *copy_inferred(
	char **at, const struct ear_record_inferred *inferred)
{
	struct ear_record_inferred *place = (struct ear_record_inferred *)*at;

	if (!inferred)
		return NULL;
	copy(at, inferred, sizeof(*inferred));
	place->registers = copy_registers(at, inferred->registers, inferred->register_count);
	place->memory =
		copy(at, inferred->memory, inferred->memory_count * sizeof(*inferred->memory));
	return place;
}

static const struct ear_record_extra *copy_extra(char **at, const struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;
	struct ear_record_extra *place = (struct ear_record_extra *)*at;

	copy(at, extra, sizeof(*extra));
	place->walks = copy_walks(at, extra->walks, extra->walk_count);
	copy_text(at, &place->time_unit);
	copy_text(at, &place->disassembly);
	copy_text(at, &place->sources);
	copy_text(at, &place->info);
	copy_text(at, &place->mode_name);
	copy_text(at, &place->source);
	copy_text(at, &place->task_name);
	place->reads = copy_registers(at, extra->reads, extra->read_count);
	place->access_times = copy(at, extra->access_times, times_size(record));
	place->inferred = copy_inferred(at, extra->inferred);
	return place;
}

/* Nearly every record is an instruction whose registers have no texts. */
static inline bool is_plain(const struct ear_record *record)
{
	uint32_t texts = 0;

	for (size_t i = 0; i < record->register_count; i++)
		texts |= record->registers[i].text_size;
	return texts == 0 && record->kind == EAR_RECORD_INSTRUCTION &&
	       (!record->extra || ear_record_extra_is_bare(record->extra));
}

static inline void copy_plain(struct ear_record *to, char *memory, const struct ear_record *from)
{
	struct ear_record_extra *extra = (struct ear_record_extra *)memory;
	struct ear_record_register *registers =
		(struct ear_record_register *)(extra + (from->extra != NULL));
	struct ear_record_access *accesses =
		(struct ear_record_access *)(registers + from->register_count);

	memcpy(to, from, offsetof(struct ear_record, u));
	if (from->extra) {
		*extra = (struct ear_record_extra){.line = from->extra->line};
		to->extra = extra;
	}
	for (size_t i = 0; i < from->register_count; i++)
		registers[i] = from->registers[i];
	to->registers = registers;
	for (size_t i = 0; i < from->memory_count; i++)
		accesses[i] = from->memory[i];
	to->memory = accesses;
}

_Static_assert(sizeof(struct ear_record_extra) % 8 == 0 &&
		       sizeof(struct ear_record_register) % 8 == 0 &&
		       sizeof(struct ear_record_access) % 8 == 0 &&
		       sizeof(struct ear_record_inferred) % 8 == 0,
	"each array that follows is aligned to 8 bytes");

size_t ear_record_clone_size(const struct ear_record *record)
{
	if (is_plain(record))
		return (record->extra ? sizeof(struct ear_record_extra) : 0) +
		       record->register_count * sizeof(*record->registers) +
		       record->memory_count * sizeof(*record->memory);
	return registers_size(record->registers, record->register_count) +
	       round_up(record->memory_count * sizeof(*record->memory)) + note_size(record) +
	       times_size(record) + (record->extra ? extra_size(record->extra) : 0);
}

void ear_record_clone(struct ear_record *to, char *memory, const struct ear_record *from)
{
	if (is_plain(from)) {
		copy_plain(to, memory, from);
		return;
	}
	*to = *from;
	to->registers = copy_registers(&memory, from->registers, from->register_count);
	to->memory = copy(&memory, from->memory, from->memory_count * sizeof(*from->memory));
	if (from->kind == EAR_RECORD_EVENT)
		copy_text(&memory, &to->u.event.name);
	if (from->kind == EAR_RECORD_NOTE)
		copy_text(&memory, &to->u.note.text);
	if (from->extra)
		to->extra = copy_extra(&memory, from);
}

int ear_record_copy_set(struct ear_record_copy *copy, const struct ear_record *record)
{
	size_t size = ear_record_clone_size(record);

	/* A record that points to nothing needs memory too: pointers are offsets from it. */
	if (size > copy->capacity || !copy->memory) {
		size_t capacity = size > 0 ? 2 * size : sizeof(struct ear_record_extra);
		char *memory = realloc(copy->memory, capacity);
		if (!memory)
			return EAR_E_NO_MEMORY;
		copy->memory = memory;
		copy->capacity = capacity;
	}
	ear_record_clone(&copy->record, copy->memory, record);
	return 0;
}

void ear_record_copy_fini(struct ear_record_copy *copy)
{
	free(copy->memory);
	*copy = (struct ear_record_copy){0};
}
