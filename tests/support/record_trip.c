#define _GNU_SOURCE /* memfd_create */

#include "record_trip.h"

#include "check.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decoder/formats/formats.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"

static void *copy_bytes(const void *bytes, size_t size)
{
	void *copy = malloc(size + 1);

	assert_non_null(copy);
	if (size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

static struct ear_text copy_text(struct ear_text text)
{
	if (text.text)
		text.text = copy_bytes(text.text, text.size);
	return text;
}

static struct ear_record_register *copy_registers(
	const struct ear_record_register *registers, size_t count)
{
	struct ear_record_register *copy = copy_bytes(registers, count * sizeof(*registers));

	for (size_t i = 0; i < count; i++) {
		bool has_text = copy[i].reg_class == EAR_REGISTER_V ||
				copy[i].reg_class == EAR_REGISTER_NAMED;
		if (has_text)
			copy[i].text.bytes =
				copy_bytes(copy[i].text.bytes, ear_register_text_size(&copy[i]));
		else
			copy[i].text.bytes = NULL;
	}
	return copy;
}

static void free_registers(const struct ear_record_register *registers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((void *)(uintptr_t)registers[i].text.bytes);
	free((void *)(uintptr_t)registers);
}

static struct ear_record_extra *copy_extra(const struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;
	struct ear_record_extra *copy = copy_bytes(extra, sizeof(*extra));
	struct ear_walk *walks = copy_bytes(extra->walks, extra->walk_count * sizeof(*walks));

	for (size_t i = 0; i < extra->walk_count; i++)
		walks[i].steps =
			copy_bytes(walks[i].steps, walks[i].step_count * sizeof(*walks[i].steps));
	copy->walks = walks;
	copy->time_unit = copy_text(extra->time_unit);
	copy->disassembly = copy_text(extra->disassembly);
	copy->sources = copy_text(extra->sources);
	copy->info = copy_text(extra->info);
	copy->mode_name = copy_text(extra->mode_name);
	copy->source = copy_text(extra->source);
	copy->task_name = copy_text(extra->task_name);
	copy->reads = copy_registers(extra->reads, extra->read_count);
	if (extra->access_times)
		copy->access_times = copy_bytes(
			extra->access_times, record->memory_count * sizeof(*extra->access_times));
	if (extra->inferred) {
		struct ear_record_inferred *inferred =
			copy_bytes(extra->inferred, sizeof(*inferred));
		inferred->registers = copy_registers(inferred->registers, inferred->register_count);
		inferred->memory = copy_bytes(
			inferred->memory, inferred->memory_count * sizeof(*inferred->memory));
		copy->inferred = inferred;
	}
	return copy;
}

struct ear_record *trip_record_copy(const struct ear_record *record)
{
	struct ear_record *copy = copy_bytes(record, sizeof(*record));

	copy->registers = copy_registers(record->registers, record->register_count);
	copy->memory = copy_bytes(record->memory, record->memory_count * sizeof(*record->memory));
	if (record->extra)
		copy->extra = copy_extra(record);
	if (record->kind == EAR_RECORD_EVENT)
		copy->u.event.name = copy_text(record->u.event.name);
	if (record->kind == EAR_RECORD_NOTE)
		copy->u.note.text = copy_text(record->u.note.text);
	return copy;
}

static void free_text(struct ear_text text)
{
	free((void *)(uintptr_t)text.text);
}

void trip_record_free(struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;

	free_registers(record->registers, record->register_count);
	free((void *)(uintptr_t)record->memory);
	if (record->kind == EAR_RECORD_EVENT)
		free_text(record->u.event.name);
	if (record->kind == EAR_RECORD_NOTE)
		free_text(record->u.note.text);
	if (extra) {
		for (size_t i = 0; i < extra->walk_count; i++)
			free((void *)(uintptr_t)extra->walks[i].steps);
		free((void *)(uintptr_t)extra->walks);
		free_text(extra->time_unit);
		free_text(extra->disassembly);
		free_text(extra->sources);
		free_text(extra->info);
		free_text(extra->mode_name);
		free_text(extra->source);
		free_text(extra->task_name);
		free_registers(extra->reads, extra->read_count);
		free((void *)(uintptr_t)extra->access_times);
		if (extra->inferred) {
			free_registers(extra->inferred->registers, extra->inferred->register_count);
			free((void *)(uintptr_t)extra->inferred->memory);
			free((void *)(uintptr_t)extra->inferred);
		}
		free((void *)(uintptr_t)extra);
	}
	free(record);
}

static bool same_text(struct ear_text a, struct ear_text b)
{
	return (a.text != NULL) == (b.text != NULL) && a.size == b.size &&
	       (a.size == 0 || memcmp(a.text, b.text, a.size) == 0);
}

static bool same_registers(const struct ear_record_register *a, size_t a_count,
	const struct ear_record_register *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++) {
		bool named = a[i].reg_class == EAR_REGISTER_NAMED;
		if (a[i].reg_class != b[i].reg_class || a[i].size != b[i].size ||
			(!named && a[i].number != b[i].number) || a[i].value != b[i].value ||
			a[i].text_size != b[i].text_size ||
			(named &&
				(a[i].unknown != b[i].unknown || a[i].note_size != b[i].note_size)))
			return false;
		size_t size = ear_register_text_size(&a[i]);
		if ((named || a[i].reg_class == EAR_REGISTER_V) && size > 0 &&
			memcmp(a[i].text.bytes, b[i].text.bytes, size) != 0)
			return false;
	}
	return true;
}

/* A time of 0 is not known, as are all without a list. */
static bool same_times(const struct ear_record *a, const struct ear_record *b)
{
	const uint64_t *x = a->extra ? a->extra->access_times : NULL;
	const uint64_t *y = b->extra ? b->extra->access_times : NULL;

	for (size_t i = 0; i < a->memory_count; i++)
		if ((x ? x[i] : 0) != (y ? y[i] : 0))
			return false;
	return true;
}

static bool same_accesses(const struct ear_record_access *a, size_t a_count,
	const struct ear_record_access *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++) {
		const struct ear_record_access *x = &a[i], *y = &b[i];
		if (x->address != y->address || x->size != y->size || x->write != y->write ||
			x->has_value != y->has_value || (x->has_value && x->value != y->value) ||
			(x->has_value && x->unknown != y->unknown) ||
			x->has_physical != y->has_physical || x->masked != y->masked ||
			(x->has_physical && x->physical != y->physical) ||
			x->aborted != y->aborted || x->attributes != y->attributes)
			return false;
	}
	return true;
}

static bool same_memory(const struct ear_record *a, const struct ear_record *b)
{
	return same_accesses(a->memory, a->memory_count, b->memory, b->memory_count) &&
	       same_times(a, b);
}

/* Nothing inferred is no list. */
static bool same_inferred(const struct ear_record_inferred *a, const struct ear_record_inferred *b)
{
	if (!a || !b)
		return a == b;
	return same_registers(a->registers, a->register_count, b->registers, b->register_count) &&
	       same_accesses(a->memory, a->memory_count, b->memory, b->memory_count);
}

static bool same_walks(const struct ear_record_extra *a, const struct ear_record_extra *b)
{
	if (a->walk_count != b->walk_count)
		return false;
	for (size_t i = 0; i < a->walk_count; i++) {
		const struct ear_walk *x = &a->walks[i], *y = &b->walks[i];
		if (x->data != y->data || x->start != y->start || x->result != y->result ||
			x->step_count != y->step_count)
			return false;
		for (size_t k = 0; k < x->step_count; k++) {
			const struct ear_walk_step *p = &x->steps[k], *q = &y->steps[k];
			if (p->address != q->address || p->has_entry != q->has_entry ||
				(p->has_entry && p->entry != q->entry) ||
				p->has_attributes != q->has_attributes ||
				(p->has_attributes && p->attributes != q->attributes))
				return false;
		}
	}
	return true;
}

static const char *extra_difference(
	const struct ear_record_extra *a, const struct ear_record_extra *b)
{
	if (!same_walks(a, b))
		return "walks";
	if (!same_text(a->time_unit, b->time_unit))
		return "time_unit";
	if (!same_text(a->disassembly, b->disassembly))
		return "disassembly";
	if (!same_text(a->sources, b->sources))
		return "sources";
	if (!same_text(a->info, b->info))
		return "info";
	if (!same_text(a->mode_name, b->mode_name))
		return "mode_name";
	if (a->has_task != b->has_task || (a->has_task && a->task != b->task) ||
		!same_text(a->task_name, b->task_name))
		return "task";
	if (!same_registers(a->reads, a->read_count, b->reads, b->read_count))
		return "reads";
	if (!same_inferred(a->inferred, b->inferred))
		return "inferred";
	if (a->wide_opcode != b->wide_opcode)
		return "wide_opcode";
	if (a->has_trigger != b->has_trigger || a->trigger_action != b->trigger_action)
		return "trigger_action";
	if (a->has_trap_value != b->has_trap_value ||
		(a->has_trap_value && a->trap_value != b->trap_value))
		return "trap_value";
	return NULL;
}

static const char *other_difference(const struct ear_record *a, const struct ear_record *b)
{
	const struct ear_gap *g = &a->u.gap, *h = &b->u.gap;
	const struct ear_event *e = &a->u.event, *f = &b->u.event;

	switch (a->kind) {
	case EAR_RECORD_GAP:
		if (g->reason != h->reason || g->count_known != h->count_known ||
			g->upper_bound != h->upper_bound || g->at_start != h->at_start ||
			g->skipped_bytes != h->skipped_bytes ||
			g->missing_frames != h->missing_frames)
			return "gap";
		return g->count_known && (g->first != h->first || g->last != h->last ||
						 g->count != h->count)
			       ? "gap count"
			       : NULL;
	case EAR_RECORD_EVENT:
		return e->source != f->source || e->value != f->value ||
				       e->words[0] != f->words[0] || e->words[1] != f->words[1] ||
				       !same_text(e->name, f->name)
			       ? "event"
			       : NULL;
	case EAR_RECORD_IDLE:
		return a->u.cycle.attributes != b->u.cycle.attributes ? "cycle" : NULL;
	case EAR_RECORD_NOTE: return same_text(a->u.note.text, b->u.note.text) ? NULL : "note";
	default: return NULL;
	}
}

const char *trip_record_difference(const struct ear_record *a, const struct ear_record *b)
{
	static const struct ear_record_extra nothing;

#define COMPARE(field) \
	if (a->field != b->field) \
	return #field
	COMPARE(kind);
	COMPARE(hart);
	COMPARE(index);
	COMPARE(ticks);
	COMPARE(flags);
	if (a->kind == EAR_RECORD_INSTRUCTION) {
		COMPARE(xlen);
		COMPARE(privilege);
		COMPARE(opcode_size);
		COMPARE(fflags);
		COMPARE(frm);
		if (a->isa == EAR_ISA_RISCV && ear_opcode_uses_vtype((uint32_t)a->opcode))
			COMPARE(vtype);
		COMPARE(isa);
		COMPARE(fetch);
		COMPARE(opcode);
		COMPARE(pc);
		COMPARE(pc_physical);
		COMPARE(next_pc);
		COMPARE(cause);
	}
#undef COMPARE
	if (!same_registers(a->registers, a->register_count, b->registers, b->register_count))
		return "registers";
	if (!same_memory(a, b))
		return "memory";
	const char *difference = other_difference(a, b);
	return difference ? difference
			  : extra_difference(
				    a->extra ? a->extra : &nothing, b->extra ? b->extra : &nothing);
}

static int report(
	void *context, uint64_t line, uint64_t offset, const char *cause, enum ear_line_kind kind)
{
	struct trip *trip = context;
	unsigned count = trip->bad + trip->warnings;

	if (count < TRIP_MESSAGES_MAX) {
		trip->messages[count].line = line;
		trip->messages[count].offset = offset;
		trip->messages[count].bad = kind != EAR_LINE_NOTE;
		snprintf(trip->messages[count].cause, sizeof(trip->messages[count].cause), "%s",
			cause);
	}
	trip->bad += kind != EAR_LINE_NOTE;
	trip->warnings += kind == EAR_LINE_NOTE;
	return 0;
}

static int file_of(const char *text, size_t size)
{
	int fd = memfd_create("text", 0);

	assert_at_least(fd, 0);
	for (size_t done = 0; done < size;) {
		ssize_t written = write(fd, text + done, size - done);
		assert_above(written, 0);
		done += (size_t)written;
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void keep(struct trip *trip, const struct ear_record *record)
{
	if (trip->count == trip->capacity) {
		trip->capacity = trip->capacity ? 2 * trip->capacity : 64;
		trip->records = realloc(trip->records, trip->capacity * sizeof(*trip->records));
		assert_non_null(trip->records);
	}
	trip->records[trip->count++] = trip_record_copy(record);
}

static void read_text(struct trip *trip, const char *format, const char *text, size_t size,
	const struct ear_reader_options *options, bool looked)
{
	const struct ear_reader_format *found = ear_reader_find(format);
	struct ear_reader_options own = options ? *options : (struct ear_reader_options){0};
	const struct ear_record *record;
	struct ear_text_input *input;
	const char *beginning;
	size_t beginning_size;
	int fd = file_of(text, size);

	*trip = (struct trip){0};
	own.report = report;
	own.context = trip;
	assert_non_null(found);
	assert_int_equal(ear_text_input_new(&input, fd, NULL, 0), 0);
	if (looked)
		assert_int_equal(ear_text_input_peek(input, &beginning, &beginning_size), 0);
	struct ear_reader *reader = found->make(input, &own);
	assert_non_null(reader);
	while ((trip->result = ear_reader_next(reader, &record)) == 1) {
		if (record == &reader->skipped.record)
			trip->skipped++;
		else
			keep(trip, record);
	}
	trip->unpaired = reader->unpaired;
	trip->unpaired_line = reader->unpaired_line;
	trip->word_line = reader->word_line;
	memcpy(trip->word, reader->word, sizeof(trip->word));
	ear_reader_free(reader);
	ear_text_input_free(input);
	close(fd);
}

void trip_read(struct trip *trip, const char *format, const char *text, size_t size,
	const struct ear_reader_options *options)
{
	read_text(trip, format, text, size, options, false);
}

void trip_read_looked(struct trip *trip, const char *format, const char *text, size_t size)
{
	read_text(trip, format, text, size, NULL, true);
}

void trip_fini(struct trip *trip)
{
	for (size_t i = 0; i < trip->count; i++)
		trip_record_free(trip->records[i]);
	free(trip->records);
	*trip = (struct trip){0};
}

char *trip_load(const char *name, size_t *size)
{
	char path[1024];

	snprintf(path, sizeof(path), EAR_TEST_DATA "/%s", name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*size = (size_t)ftell(file);
	rewind(file);
	char *text = calloc(1, *size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *size, file), *size);
	fclose(file);
	return text;
}

void trip_read_file(struct trip *trip, const char *format, const char *name)
{
	size_t size;
	char *text = trip_load(name, &size);

	trip_read(trip, format, text, size, NULL);
	free(text);
}

char *trip_write(const char *format, struct ear_record *const *records, size_t count, size_t *size)
{
	return trip_write_with(format, NULL, records, count, size);
}

char *trip_write_with(const char *format, const struct ear_writer_options *options,
	struct ear_record *const *records, size_t count, size_t *size)
{
	const struct ear_writer_format *found = ear_writer_find(format);
	struct ear_text_output output;
	int fd = memfd_create("text", 0);

	assert_non_null(found);
	assert_at_least(fd, 0);
	assert_int_equal(ear_text_output_init(&output, fd, EAR_TEXT_PLAIN), 0);
	struct ear_writer *writer = found->make(&output, options);
	assert_non_null(writer);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(ear_writer_push(writer, records[i]), 0);
	ear_writer_free(writer);
	assert_int_equal(ear_text_output_finish(&output), 0);
	ear_text_output_fini(&output);

	*size = (size_t)lseek(fd, 0, SEEK_END);
	char *text = calloc(1, *size + 1);
	assert_non_null(text);
	assert_int_equal(pread(fd, text, *size, 0), (ssize_t)*size);
	close(fd);
	return text;
}

static void check_damaged(const char *format, const char *text, size_t size)
{
	const struct ear_reader_options light = {.light = true};
	struct trip trip;

	trip_read(&trip, format, text, size, NULL);
	assert_true(trip.result == 0 || trip.result == EAR_E_BAD_FILE);
	for (size_t i = 0; i < trip.count; i++)
		assert_null(trip_record_difference(trip.records[i], trip.records[i]));
	trip_fini(&trip);
	if (size % 4 == 0) {
		trip_read(&trip, format, text, size, &light);
		assert_true(trip.result == 0 || trip.result == EAR_E_BAD_FILE);
		trip_fini(&trip);
	}
}

static size_t mutate(struct random *random, char *text, size_t size)
{
	for (uint64_t changes = 1 + random_below(random, 6); changes > 0 && size > 1; changes--) {
		size_t at = (size_t)random_below(random, size);
		size_t length = (size_t)random_below(random, size - at < 40 ? size - at : 40);
		switch (random_below(random, 5)) {
		case 0: text[at] = (char)random_next(random); break;
		case 1: text[at] ^= (char)(1 << random_below(random, 8)); break;
		case 2: /* remove */
			memmove(text + at, text + at + length, size - at - length);
			size -= length;
			break;
		case 3: /* copy over another place */
			memmove(text + random_below(random, size - length), text + at, length);
			break;
		default: text[at] = "\n,;:=()0x \t\"{}[]"[random_below(random, 17)]; break;
		}
	}
	return size;
}

void trip_torture(const char *format, const char *text, size_t size, unsigned mutations)
{
	struct random random = {0x9E3779B97F4A7C15u};
	char *copy = malloc(size + 1);

	assert_non_null(copy);
	for (size_t prefix = 0; prefix < size && size < 8192; prefix += EAR_TEST_LESS)
		check_damaged(format, text, prefix);
	for (size_t at = 0; at < size && size < 8192; at += EAR_TEST_LESS) {
		memcpy(copy, text, size);
		copy[at] ^= (char)(1 << at / EAR_TEST_LESS % 8);
		check_damaged(format, copy, size);
	}
	for (unsigned i = 0; i < mutations / EAR_TEST_LESS; i++) {
		memcpy(copy, text, size);
		check_damaged(format, copy, mutate(&random, copy, size));
	}
	free(copy);
}
