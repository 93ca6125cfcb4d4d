/* Reads a trace once for the truth: a digest of each record and its anchor. Then each anchor is
 * compared with it, in two sources of the same descriptor in turn. */
#include "anchor_check.h"

#include "check.h"

#include <earshot/error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct truth {
	uint64_t *digests;
	size_t count, capacity;
	struct ear_anchor *anchors; /* of those that were chosen */
	size_t anchor_count, refused;
	size_t last_good, first_refused;
};

static uint64_t mix(uint64_t digest, uint64_t value)
{
	digest = (digest ^ value) * 0x9E3779B97F4A7C15u;
	return digest ^ digest >> 29;
}

static uint64_t mix_bytes(uint64_t digest, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	digest = mix(digest, size);
	for (size_t i = 0; i < size; i++)
		digest = mix(digest, at[i]);
	return digest;
}

static uint64_t mix_text(uint64_t digest, struct ear_text text)
{
	return text.text ? mix_bytes(digest, text.text, text.size) : mix(digest, 77);
}

static uint64_t mix_registers(
	uint64_t digest, const struct ear_record_register *registers, size_t count)
{
	digest = mix(digest, count);
	for (size_t i = 0; i < count; i++) {
		const struct ear_record_register *reg = &registers[i];
		digest = mix(digest, reg->reg_class);
		digest = mix(digest, reg->value);
		digest = mix(digest, reg->size);
		digest = mix(
			digest, reg->reg_class == EAR_REGISTER_NAMED ? reg->unknown : reg->number);
		if (reg->reg_class == EAR_REGISTER_V || reg->reg_class == EAR_REGISTER_NAMED)
			digest = mix_bytes(digest, reg->text.bytes, ear_register_text_size(reg));
	}
	return digest;
}

static uint64_t mix_memory(uint64_t digest, const struct ear_record_access *memory, size_t count)
{
	digest = mix(digest, count);
	for (size_t i = 0; i < count; i++) {
		digest = mix(digest, memory[i].address);
		digest = mix(digest, memory[i].has_physical ? memory[i].physical : 5);
		digest = mix(digest, memory[i].has_value ? memory[i].value : 6);
		digest = mix(digest, memory[i].unknown);
		digest = mix(digest, memory[i].size);
		digest = mix(
			digest, memory[i].write | memory[i].masked * 2u | memory[i].aborted * 4u);
		digest = mix(digest, memory[i].attributes);
	}
	return digest;
}

static uint64_t mix_extra(uint64_t digest, const struct ear_record_extra *extra)
{
	digest = mix(digest, extra->line);
	digest = mix_text(digest, extra->source);
	digest = mix_text(digest, extra->time_unit);
	digest = mix_text(digest, extra->disassembly);
	digest = mix_text(digest, extra->sources);
	digest = mix_text(digest, extra->info);
	digest = mix_text(digest, extra->mode_name);
	digest = mix(digest, extra->has_task ? extra->task : 9999);
	digest = mix_text(digest, extra->task_name);
	digest = mix_registers(digest, extra->reads, extra->read_count);
	digest = mix(digest, extra->has_trap_value ? extra->trap_value : 9);
	digest = mix(digest, extra->wide_opcode);
	digest = mix(digest, extra->has_trigger ? extra->trigger_action : 999);
	digest = mix(digest, extra->walk_count);
	for (size_t i = 0; i < extra->walk_count; i++) {
		const struct ear_walk *walk = &extra->walks[i];
		digest = mix(digest, walk->data);
		digest = mix(digest, walk->start);
		digest = mix(digest, walk->result);
		digest = mix(digest, walk->step_count);
		for (size_t j = 0; j < walk->step_count; j++) {
			digest = mix(digest, walk->steps[j].address);
			digest = mix(digest, walk->steps[j].has_entry ? walk->steps[j].entry : 4);
			digest = mix(digest,
				walk->steps[j].has_attributes ? walk->steps[j].attributes : 8);
		}
	}
	return digest;
}

static uint64_t mix_instruction(uint64_t digest, const struct ear_record *record)
{
	digest = mix(
		digest, record->xlen | record->privilege * 0x100u | record->opcode_size * 0x10000u);
	digest = mix(digest, record->fflags | record->frm * 0x100u | record->isa * 0x10000u);
	digest = mix(digest, record->vtype);
	digest = mix(digest, record->fetch);
	digest = mix(digest, record->opcode);
	digest = mix(digest, record->pc);
	digest = mix(digest, record->flags & EAR_RECORD_PC_PHYSICAL ? record->pc_physical : 3);
	digest = mix(digest, record->next_pc);
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		digest = mix(digest, record->cause);
	return digest;
}

static uint64_t mix_gap(uint64_t digest, const struct ear_gap *gap)
{
	digest = mix(digest, gap->reason);
	digest = mix(digest, gap->count_known | gap->upper_bound * 2u | gap->at_start * 4u);
	digest = mix(digest, gap->count_known ? gap->first : 1);
	digest = mix(digest, gap->count_known ? gap->last : 1);
	digest = mix(digest, gap->count_known ? gap->count : 1);
	digest = mix(digest, gap->skipped_bytes);
	return mix(digest, gap->missing_frames);
}

uint64_t anchor_check_digest(const struct ear_record *record)
{
	uint64_t digest = mix(record->kind, record->hart);

	digest = mix(digest, record->index);
	digest = mix(digest, record->stream_offset);
	digest = mix(digest, record->flags);
	digest = mix(digest, record->flags & EAR_RECORD_HAS_TIME ? record->ticks : 2);
	if (record->kind == EAR_RECORD_INSTRUCTION)
		digest = mix_instruction(digest, record);
	digest = mix_registers(digest, record->registers, record->register_count);
	digest = mix_memory(digest, record->memory, record->memory_count);
	if (record->kind == EAR_RECORD_GAP)
		digest = mix_gap(digest, &record->u.gap);
	if (record->kind == EAR_RECORD_EVENT) {
		digest = mix(digest, record->u.event.source);
		digest = mix(digest, record->u.event.value);
		digest = mix_text(digest, record->u.event.name);
	}
	if (record->kind == EAR_RECORD_NOTE)
		digest = mix_text(digest, record->u.note.text);
	if (record->kind == EAR_RECORD_IDLE)
		digest = mix(digest, record->u.cycle.attributes);
	return record->extra ? mix_extra(digest, record->extra) : digest;
}

struct ear_source *anchor_check_open(int fd, const struct anchor_check *check)
{
	struct ear_source_options options = check->options;
	struct ear_source *source;

	options.shared = true;
	int result = ear_source_new(&source, fd, &options);
	if (result != 0)
		fail_msg("%s: cannot be opened: %s", check->name, ear_error_text(result));
	if (check->with_reads)
		ear_source_with_reads(source);
	return source;
}

static void note_anchor(struct truth *truth, struct ear_source *source)
{
	struct ear_anchor anchor;
	int result = ear_source_anchor(source, &anchor);

	if (result == EAR_E_UNSUPPORTED) {
		if (truth->refused++ == 0)
			truth->first_refused = truth->count;
		return;
	}
	assert_int_equal(result, 0);
	assert_same(anchor.position, truth->count);
	truth->last_good = truth->count;
	truth->anchors = realloc(truth->anchors, (truth->anchor_count + 1) * sizeof(anchor));
	truth->anchors[truth->anchor_count++] = anchor;
}

static size_t count_records(int fd, const struct anchor_check *check)
{
	struct ear_source *source = anchor_check_open(fd, check);
	const struct ear_record *record;
	size_t count = 0;

	while (ear_source_next(source, &record) == 1)
		count++;
	ear_source_free(source);
	return count;
}

static void read_truth(
	struct truth *truth, int fd, const struct anchor_check *check, struct random *random)
{
	size_t total = count_records(fd, check);
	struct ear_source *source = anchor_check_open(fd, check);
	const struct ear_record *record;
	int result;

	truth->digests = malloc((total + 1) * sizeof(uint64_t));
	note_anchor(truth, source);
	while ((result = ear_source_next(source, &record)) == 1) {
		assert_below(truth->count, total);
		truth->digests[truth->count++] = anchor_check_digest(record);
		if (check->anchors == 0 || random_below(random, total) < check->anchors)
			note_anchor(truth, source);
	}
	if (result != 0)
		fail_msg("%s: record %zu: %s", check->name, truth->count, ear_error_text(result));
	assert_int_equal(truth->count, total);
	ear_source_free(source);
}

/* Returns the source, which is somewhere after the anchor. */
static void check_anchor(struct ear_source *source, const struct ear_anchor *anchor,
	const struct truth *truth, const struct anchor_check *check)
{
	size_t end = check->follow == 0 ? truth->count : anchor->position + check->follow;
	const struct ear_record *record;
	size_t at = anchor->position;
	int result = ear_source_seek(source, anchor);

	if (result != 0)
		fail_msg("%s: seek to %zu: %s", check->name, at, ear_error_text(result));
	assert_same(ear_source_position(source), at);
	for (; at < truth->count && at < end; at++) {
		result = ear_source_next(source, &record);
		if (result != 1)
			fail_msg("%s: record %zu after the anchor at %zu: %d", check->name, at,
				(size_t)anchor->position, result);
		if (anchor_check_digest(record) != truth->digests[at])
			fail_msg("%s: record %zu is another one after the anchor at %zu: kind %u "
				 "hart %u index %" PRIu64 " stream byte %" PRIu64,
				check->name, at, (size_t)anchor->position, record->kind,
				record->hart, record->index, record->stream_offset);
	}
	if (at == truth->count && (result = ear_source_next(source, &record)) != 0)
		fail_msg("%s: after the anchor at %zu the end is %d, after %zu records",
			check->name, (size_t)anchor->position, result, at);
}

static uint64_t sum_between(
	struct ear_source *source, const struct ear_anchor *from, const struct ear_anchor *to)
{
	const struct ear_record *record;

	ear_source_checksum_begin(source);
	for (uint64_t at = from->position; at < to->position; at++)
		assert_int_equal(ear_source_next(source, &record), 1);
	return ear_source_checksum(source);
}

/* From one anchor to the next and over it, by a source that comes by, and by one that goes there.
 */
static void check_sums(int fd, const struct truth *truth, const struct anchor_check *check)
{
	struct ear_source *passing = anchor_check_open(fd, check);
	struct ear_source *going = anchor_check_open(fd, check);

	for (size_t i = 0; i + 1 < truth->anchor_count && i < 40; i++) {
		const struct ear_anchor *from = &truth->anchors[i], *to = from + 1;
		int result = ear_source_seek(going, from);
		if (result != 0)
			fail_msg("%s: seek to %zu, byte %zu, frame %zu at %zu: %s", check->name,
				(size_t)from->position, (size_t)from->byte,
				(size_t)from->frame_byte, (size_t)from->file_offset,
				ear_error_text(result));
		uint64_t sum = sum_between(going, from, to);
		if (sum_between(passing, from, to) != sum)
			fail_msg("%s: the checksums from record %zu to %zu differ", check->name,
				(size_t)from->position, (size_t)to->position);
	}
	ear_source_free(passing);
	ear_source_free(going);
}

size_t anchor_check_file(int fd, const struct anchor_check *check, struct random *random)
{
	struct truth truth = {.count = 0};
	size_t count;

	read_truth(&truth, fd, check, random);
	count = truth.count;
	if (truth.refused > check->most_refused ||
		(!check->anywhere && truth.refused > 0 && truth.last_good > truth.first_refused))
		fail_msg("%s: %zu anchors of %zu records were refused, the first at %zu; the last "
			 "good one is at %zu",
			check->name, truth.refused, count, truth.first_refused, truth.last_good);
	check_sums(fd, &truth, check);
	struct ear_source *other = anchor_check_open(fd, check);
	for (size_t i = truth.anchor_count; i-- > 0;) {
		struct ear_source *fresh = anchor_check_open(fd, check);
		check_anchor(fresh, &truth.anchors[i], &truth, check);
		check_anchor(other, &truth.anchors[i], &truth, check);
		ear_source_free(fresh);
		ear_anchor_fini(&truth.anchors[i]);
	}
	ear_source_free(other);
	free(truth.anchors);
	free(truth.digests);
	return count;
}
