/* An open record as a state: every member, then what it points to.
 *
 * A count is followed by its items, each of which takes bytes of the state: so a count that is too
 * large ends at the end of the state, and memory stays in proportion to it.
 */
#include "decoder/formats/base/record_state.h"

#include <earshot/error.h>

#define ALL_FLAGS (2 * (unsigned)EAR_RECORD_NO_CAUSE - 1)

static void walk_u32(struct ear_state_walk *walk, uint32_t *value, uint32_t max)
{
	*value = (uint32_t)ear_state_value(walk, *value, 4, max);
}

static uint32_t walk_count(struct ear_state_walk *walk, size_t count)
{
	return (uint32_t)ear_state_value(walk, count, 4, EAR_RECORD_ITEMS_MAX);
}

/* size bytes that the builder keeps when they are loaded. */
static const char *walk_bytes(struct ear_state_walk *walk, struct ear_record_builder *builder,
	const char *bytes, size_t size)
{
	uint8_t *at = ear_state_next(walk, size);

	if (!walk->loading) {
		if (at && size > 0)
			memcpy(at, bytes, size);
		return bytes;
	}
	if (walk->bad)
		return NULL;
	const struct ear_text text = {(const char *)at, size};
	return ear_record_builder_copy(builder, text).text;
}

static void walk_text(
	struct ear_state_walk *walk, struct ear_record_builder *builder, struct ear_text *text)
{
	bool present = text->text != NULL;
	uint32_t size = (uint32_t)text->size;

	ear_state_bool(walk, &present);
	if (walk->loading)
		*text = (struct ear_text){NULL, 0};
	if (!present)
		return;
	walk_u32(walk, &size, EAR_RECORD_TEXT_MAX);
	text->text = walk_bytes(walk, builder, text->text, size);
	text->size = text->text ? size : 0;
}

static void walk_register(struct ear_state_walk *walk, struct ear_record_builder *builder,
	struct ear_record_register *reg)
{
	ear_state_u8(walk, &reg->reg_class, EAR_REGISTER_NAMED);
	ear_state_bool(walk, &reg->unknown);
	ear_state_u16(walk, &reg->number, reg->reg_class == EAR_REGISTER_CSR ? 4095 : 31);
	ear_state_u64(walk, &reg->value, UINT64_MAX);
	ear_state_u16(walk, &reg->size, UINT16_MAX);
	ear_state_u16(walk, &reg->note_size, UINT16_MAX);
	walk_u32(walk, &reg->text_size, EAR_RECORD_TEXT_MAX);
	bool named = reg->reg_class == EAR_REGISTER_NAMED;
	if (named || reg->reg_class == EAR_REGISTER_V)
		reg->text.name =
			walk_bytes(walk, builder, reg->text.name, ear_register_text_size(reg));
	else
		walk->bad |= walk->loading && reg->text_size != 0;
}

static void walk_access(struct ear_state_walk *walk, struct ear_record_access *access)
{
	ear_state_u64(walk, &access->address, UINT64_MAX);
	ear_state_u64(walk, &access->physical, UINT64_MAX);
	ear_state_u64(walk, &access->value, UINT64_MAX);
	ear_state_u64(walk, &access->unknown, UINT64_MAX);
	ear_state_u8(walk, &access->size, 8);
	ear_state_bool(walk, &access->write);
	ear_state_bool(walk, &access->has_value);
	ear_state_bool(walk, &access->has_physical);
	ear_state_bool(walk, &access->masked);
	ear_state_bool(walk, &access->aborted);
	ear_state_u16(walk, &access->attributes, UINT16_MAX);
}

void ear_state_walk_step(struct ear_state_walk *walk, struct ear_walk_step *step)
{
	ear_state_u64(walk, &step->address, UINT64_MAX);
	ear_state_u64(walk, &step->entry, UINT64_MAX);
	ear_state_u32(walk, &step->attributes);
	ear_state_bool(walk, &step->has_entry);
	ear_state_bool(walk, &step->has_attributes);
}

static void walk_members(struct ear_state_walk *walk, struct ear_record *record)
{
	ear_state_u8(walk, &record->kind, EAR_RECORD_NOTE);
	ear_state_u16(walk, &record->hart, UINT16_MAX);
	ear_state_u64(walk, &record->index, UINT64_MAX);
	ear_state_u64(walk, &record->stream_offset, UINT64_MAX);
	ear_state_u64(walk, &record->ticks, UINT64_MAX);
	ear_state_u8(walk, &record->xlen, 64);
	ear_state_u8(walk, &record->privilege, EAR_PRIVILEGE_DEBUG);
	ear_state_u8(walk, &record->opcode_size, 8);
	ear_state_u8(walk, &record->fflags, 31);
	ear_state_u8(walk, &record->frm, 7);
	ear_state_u8(walk, &record->vtype, UINT8_MAX);
	ear_state_u8(walk, &record->isa, EAR_ISA_UNKNOWN);
	ear_state_u16(walk, &record->fetch, UINT16_MAX);
	walk_u32(walk, &record->flags, ALL_FLAGS);
	ear_state_u64(walk, &record->opcode, UINT64_MAX);
	ear_state_u64(walk, &record->pc, UINT64_MAX);
	ear_state_u64(walk, &record->pc_physical, UINT64_MAX);
	ear_state_u64(walk, &record->next_pc, UINT64_MAX);
	ear_state_u64(walk, &record->cause, UINT64_MAX);
	walk->bad |= walk->loading && record->xlen != 0 && record->xlen != 32 && record->xlen != 64;
}

static void walk_gap(struct ear_state_walk *walk, struct ear_gap *gap)
{
	uint8_t reason = (uint8_t)gap->reason;

	ear_state_u8(walk, &reason, EAR_GAP_REASONS - 1);
	if (walk->loading)
		gap->reason = (enum ear_gap_reason)reason;
	ear_state_bool(walk, &gap->count_known);
	ear_state_bool(walk, &gap->upper_bound);
	ear_state_bool(walk, &gap->at_start);
	ear_state_u64(walk, &gap->first, UINT64_MAX);
	ear_state_u64(walk, &gap->last, UINT64_MAX);
	ear_state_u64(walk, &gap->count, UINT64_MAX);
	ear_state_u64(walk, &gap->skipped_bytes, UINT64_MAX);
	ear_state_u64(walk, &gap->missing_frames, UINT64_MAX);
}

static void walk_other_kinds(struct ear_state_walk *walk, struct ear_record_builder *builder)
{
	struct ear_record *record = &builder->record;
	struct ear_event *event = &record->u.event;

	switch (record->kind) {
	case EAR_RECORD_GAP: walk_gap(walk, &record->u.gap); break;
	case EAR_RECORD_EVENT:
		ear_state_u8(walk, &event->source, UINT8_MAX);
		ear_state_u32(walk, &event->value);
		ear_state_u64(walk, &event->words[0], UINT64_MAX);
		ear_state_u64(walk, &event->words[1], UINT64_MAX);
		walk_text(walk, builder, &event->name);
		break;
	case EAR_RECORD_IDLE: ear_state_u16(walk, &record->u.cycle.attributes, UINT16_MAX); break;
	case EAR_RECORD_NOTE: walk_text(walk, builder, &record->u.note.text); break;
	default: break;
	}
}

static void walk_extra(struct ear_state_walk *walk, struct ear_record_builder *builder)
{
	struct ear_record_extra *extra = &builder->extra;

	ear_state_u64(walk, &extra->line, UINT64_MAX);
	walk_text(walk, builder, &extra->time_unit);
	walk_text(walk, builder, &extra->disassembly);
	walk_text(walk, builder, &extra->sources);
	walk_text(walk, builder, &extra->info);
	walk_text(walk, builder, &extra->mode_name);
	ear_state_bool(walk, &extra->has_trap_value);
	ear_state_u64(walk, &extra->trap_value, UINT64_MAX);
	ear_state_u64(walk, &extra->wide_opcode, UINT64_MAX);
	ear_state_bool(walk, &extra->has_trigger);
	ear_state_u8(walk, &extra->trigger_action, UINT8_MAX);
	ear_state_bool(walk, &extra->has_task);
	ear_state_u64(walk, &extra->task, UINT64_MAX);
	walk_text(walk, builder, &extra->task_name);
}

/* Item i of an array: there is one, or it is made. */
#define ITEM(walk, builder, array, i, make) ((walk)->loading ? make(builder) : &(builder)->array[i])

static void walk_walks(struct ear_state_walk *walk, struct ear_record_builder *builder)
{
	uint32_t count = walk_count(walk, builder->extra.walk_count);
	size_t next = 0; /* step, when saving */

	for (uint32_t i = 0; i < count && !walk->bad; i++) {
		struct ear_walk *item = ITEM(walk, builder, walks, i, ear_record_builder_walk);
		if (!item)
			return;
		ear_state_bool(walk, &item->data);
		ear_state_u64(walk, &item->start, UINT64_MAX);
		ear_state_u64(walk, &item->result, UINT64_MAX);
		uint32_t steps = walk_count(walk, item->step_count);
		for (uint32_t j = 0; j < steps && !walk->bad; j++) {
			struct ear_walk_step *step =
				ITEM(walk, builder, steps, next++, ear_record_builder_step);
			if (!step)
				return;
			ear_state_walk_step(walk, step);
		}
	}
}

static void walk_arrays(struct ear_state_walk *walk, struct ear_record_builder *builder)
{
	uint32_t count = walk_count(walk, builder->record.register_count);

	for (uint32_t i = 0; i < count && !walk->bad; i++) {
		struct ear_record_register *reg =
			ITEM(walk, builder, registers, i, ear_record_builder_register);
		if (!reg)
			return;
		walk_register(walk, builder, reg);
	}
	count = walk_count(walk, builder->extra.read_count);
	for (uint32_t i = 0; i < count && !walk->bad; i++) {
		struct ear_record_register *reg =
			ITEM(walk, builder, reads, i, ear_record_builder_read);
		if (!reg)
			return;
		walk_register(walk, builder, reg);
	}
	count = walk_count(walk, builder->record.memory_count);
	for (uint32_t i = 0; i < count && !walk->bad; i++) {
		struct ear_record_access *access =
			ITEM(walk, builder, memory, i, ear_record_builder_access);
		if (!access)
			return;
		walk_access(walk, access);
	}
	walk_walks(walk, builder);
}

static int walk_builder(struct ear_state_walk *walk, struct ear_record_builder *builder)
{
	if (walk->loading)
		ear_record_builder_reset(builder, EAR_RECORD_INSTRUCTION);
	walk_members(walk, &builder->record);
	walk_other_kinds(walk, builder);
	walk_extra(walk, builder);
	walk_arrays(walk, builder);
	if (walk->loading && builder->error == EAR_E_NO_MEMORY)
		return EAR_E_NO_MEMORY;
	walk->bad |= walk->loading && builder->error != 0;
	return 0;
}

int ear_state_pair(struct ear_state_walk *walk, struct ear_record_pair *pair)
{
	ear_state_bool(walk, &pair->open);
	return pair->open ? walk_builder(walk, &pair->builders[pair->current]) : 0;
}

int ear_state_line_reader(struct ear_state_walk *walk, struct ear_line_reader *reader)
{
	struct ear_record_builder *open;
	int result;

	ear_state_bool(walk, &reader->cut_reported);
	result = ear_state_pair(walk, &reader->pair);
	open = ear_record_pair_open(&reader->pair);
	if (walk->loading && open) /* such logs have no other records, and XLEN is known */
		walk->bad |= open->record.kind != EAR_RECORD_INSTRUCTION ||
			     open->record.isa != EAR_ISA_RISCV || open->record.xlen == 0;
	return result;
}
