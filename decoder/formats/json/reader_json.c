/* JSON lines to records, one object a line.
 *
 * Members come in any order, and the kind of a record may come last. So a line is taken apart
 * into a builder and into each of the alternatives (gap, event, note), and the kind decides at the
 * end which of them counts. Unknown members are skipped.
 */
#include "decoder/formats/json/reader_json.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/json/json_name.h"
#include "decoder/formats/json/json_ordinary.h"
#include "decoder/formats/json/json_scan.h"

#define SLOTS        256
#define INFERRED_MAX 8 /* registers, and accesses, of a record */
#define FLAGS        EAR_JSON_FLAGS

/* A line, taken apart. Which of the three ends in the record's union is for the kind to say, and
 * that may stand after them. */
struct reader_json {
	struct ear_reader base;
	struct ear_record_builder builder;
	struct ear_json_scan scan;
	struct ear_gap gap;
	struct ear_event event;
	struct ear_text note;
	uint8_t slots[SLOTS]; /* hash table of the members' numbers + 1 */
	struct ear_record_inferred inferred;
	struct ear_record_register inferred_registers[INFERRED_MAX];
	struct ear_record_access inferred_memory[INFERRED_MAX];
	uint16_t attributes;
	bool has_kind, has_opcode, has_privilege, has_next_pc, has_cause;
};

static bool fail(struct ear_json_scan *scan, const char *fault)
{
	if (!scan->fault)
		scan->fault = fault;
	return false;
}

static bool take_u8(struct ear_json_scan *scan, uint8_t *value)
{
	uint64_t number;

	if (!ear_json_number(scan, &number, UINT8_MAX))
		return false;
	*value = (uint8_t)number;
	return true;
}

static bool take_u16(struct ear_json_scan *scan, uint16_t *value)
{
	uint64_t number;

	if (!ear_json_number(scan, &number, UINT16_MAX))
		return false;
	*value = (uint16_t)number;
	return true;
}

static bool take_u32(struct ear_json_scan *scan, uint32_t *value)
{
	uint64_t number;

	if (!ear_json_number(scan, &number, UINT32_MAX))
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool take_u64(struct ear_json_scan *scan, uint64_t *value)
{
	return ear_json_number(scan, value, UINT64_MAX);
}

/* A string that stays: into the builder. An empty one is there too. */
static bool take_text(struct ear_json_scan *scan, struct ear_text *text)
{
	struct ear_text string;

	if (!ear_json_string(scan, &string))
		return false;
	*text = ear_record_builder_copy(scan->builder, string);
	return text->text || fail(scan, "the record has too much text");
}

/* One of the words of a table. */
static bool find_word(struct ear_json_scan *scan, const char *const *words, unsigned *index)
{
	struct ear_text string;

	if (!ear_json_string(scan, &string))
		return false;
	for (*index = 0; words[*index]; ++*index)
		if (ear_text_is(string, words[*index]))
			return true;
	return fail(scan, "a word is not in the schema");
}

static bool take_word(struct ear_json_scan *scan, const char *const *words, uint8_t *value)
{
	unsigned index;

	if (!find_word(scan, words, &index))
		return false;
	*value = (uint8_t)index;
	return true;
}

static bool take_bus_flags(struct ear_json_scan *scan, uint16_t *flags)
{
	unsigned index;

	*flags = 0;
	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		if (!find_word(scan, ear_json_bus_flags, &index))
			return false;
		*flags |= (uint16_t)(1u << index);
	}
	return !scan->fault;
}

/* "0x" and digits: text after the prefix. */
static bool take_digits(struct ear_json_scan *scan, struct ear_text *digits)
{
	struct ear_text string;

	if (!ear_json_string(scan, &string))
		return false;
	if (string.size < 2 || string.text[0] != '0' || string.text[1] != 'x')
		return fail(scan, "a value does not begin with 0x");
	*digits = (struct ear_text){string.text + 2, string.size - 2};
	return true;
}

/* The texts of a register, as they come. */
struct register_texts {
	struct ear_text name, digits, unknown, note;
};

/* A number of any size, as bytes. */
static bool take_bytes(struct ear_json_scan *scan, struct ear_record_register *bytes,
	struct ear_text digits, const char *fault)
{
	struct ear_text_cursor cursor = ear_text_cursor(digits.text, digits.size);

	*bytes = (struct ear_record_register){0};
	return digits.size == 0 ||
	       (ear_record_builder_bytes(scan->builder, bytes, &cursor) &&
		       ear_text_at_end(&cursor)) ||
	       fail(scan, fault);
}

/* A value whose digits are all 0 where they are unknown, as records have it. */
static bool is_zero_where(
	const struct ear_record_register *reg, const uint8_t *value, const uint8_t *unknown)
{
	for (unsigned i = 0; i < reg->size; i++)
		if (unknown[i] & (value ? value[i] : (uint8_t)(reg->value >> 8 * i)))
			return false;
	return true;
}

/* What comes after the name: a wide value, unknown bits, the note. */
static bool finish_named(struct ear_json_scan *scan, struct ear_record_register *reg,
	const struct register_texts *texts)
{
	struct ear_record_register value = {0}, unknown = {0};
	bool wide = reg->size > 8;

	if (wide && !take_bytes(scan, &value, texts->digits, "a register value is not a number"))
		return false;
	if (!take_bytes(scan, &unknown, texts->unknown,
		    "the unknown bits of a register are not a number"))
		return false;
	if ((wide && value.text_size != reg->size) ||
		(texts->unknown.text && unknown.text_size != reg->size))
		return fail(scan, "a register value does not have the size of its register");
	if (texts->note.size > UINT16_MAX)
		return fail(scan, "the note of a register is too long");
	reg->unknown = unknown.text_size > 0;
	reg->note_size = (uint16_t)texts->note.size;
	for (unsigned i = 8; wide && i-- > 0;)
		reg->value = reg->value << 8 | value.text.bytes[i];
	if (reg->unknown && !is_zero_where(reg, wide ? value.text.bytes : NULL, unknown.text.bytes))
		return fail(scan, "an unknown bit of a register is not 0");
	char *text = ear_record_builder_text(scan->builder, ear_register_text_size(reg));
	if (!text)
		return fail(scan, "the record has too much text");
	reg->text.name = text;
	memcpy(text, texts->name.text, texts->name.size);
	text += texts->name.size;
	if (wide)
		memcpy(text, value.text.bytes, reg->size);
	text += wide ? reg->size : 0u;
	if (reg->unknown)
		memcpy(text, unknown.text.bytes, reg->size);
	if (reg->note_size)
		memcpy(text + (reg->unknown ? reg->size : 0u), texts->note.text, reg->note_size);
	return true;
}

/* The value, once the class and the size are known. */
static bool finish_register(struct ear_json_scan *scan, struct ear_record_register *reg,
	const struct register_texts *texts)
{
	struct ear_text digits = texts->digits;
	struct ear_text_cursor cursor = ear_text_cursor(digits.text, digits.size);
	bool named = reg->reg_class == EAR_REGISTER_NAMED, wide = named && reg->size > 8;

	if (reg->reg_class == EAR_REGISTER_V) {
		struct ear_record_register bytes;
		if (!take_bytes(scan, &bytes, digits, "a register value is not a number"))
			return false;
		reg->text_size = bytes.text_size;
		reg->text = bytes.text;
		return true;
	}
	if (!wide && digits.size > 0 &&
		(!ear_text_hex(&cursor, &reg->value) || !ear_text_at_end(&cursor)))
		return fail(scan, "a register value is not a number of at most 64 bits");
	if (!named || (!wide && !texts->unknown.text && texts->note.size == 0))
		return true;
	return finish_named(scan, reg, texts);
}

static bool take_register(struct ear_json_scan *scan, struct ear_record_register *reg)
{
	struct register_texts texts = {.name = {"", 0}};
	struct ear_text key;
	bool has_class = false, good = true;

	if (!ear_json_begin(scan, '{'))
		return false;
	while (good && ear_json_member(scan, &key)) {
		if (ear_text_is(key, "class"))
			good = has_class = take_word(scan, ear_json_classes, &reg->reg_class);
		else if (ear_text_is(key, "number"))
			good = take_u16(scan, &reg->number);
		else if (ear_text_is(key, "size"))
			good = take_u16(scan, &reg->size);
		else if (ear_text_is(key, "value"))
			good = take_digits(scan, &texts.digits);
		else if (ear_text_is(key, "name"))
			good = take_text(scan, &texts.name);
		else if (ear_text_is(key, "unknown"))
			good = take_digits(scan, &texts.unknown);
		else if (ear_text_is(key, "note"))
			good = take_text(scan, &texts.note);
		else
			good = ear_json_skip(scan);
	}
	if (scan->fault)
		return false;
	if (!has_class)
		return fail(scan, "a register has no class");
	if (reg->reg_class == EAR_REGISTER_NAMED) {
		reg->text.name = texts.name.text;
		reg->text_size = (uint32_t)texts.name.size;
	} else if (reg->number >= (reg->reg_class == EAR_REGISTER_CSR ? 4096 : 32)) {
		return fail(scan, "a register number is too large");
	}
	return finish_register(scan, reg, &texts);
}

static bool take_registers(struct ear_json_scan *scan,
	struct ear_record_register *append(struct ear_record_builder *builder))
{
	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		struct ear_record_register *reg = append(scan->builder);
		if (!reg)
			return fail(scan, "the record has too many registers");
		if (!take_register(scan, reg))
			return false;
		ear_json_resume(scan);
	}
	return !scan->fault;
}

/* timed: it is the last one of the builder, and may have a time. */
static bool take_access(struct ear_json_scan *scan, struct ear_record_access *access, bool timed)
{
	struct ear_text key;
	uint64_t time;
	bool good = true;

	if (!ear_json_begin(scan, '{'))
		return false;
	while (good && ear_json_member(scan, &key)) {
		if (ear_text_is(key, "write"))
			good = ear_json_bool(scan, &access->write);
		else if (ear_text_is(key, "address"))
			good = take_u64(scan, &access->address);
		else if (ear_text_is(key, "physical"))
			good = access->has_physical = take_u64(scan, &access->physical);
		else if (ear_text_is(key, "size"))
			good = take_u8(scan, &access->size);
		else if (ear_text_is(key, "value"))
			good = access->has_value = take_u64(scan, &access->value);
		else if (ear_text_is(key, "masked"))
			good = ear_json_bool(scan, &access->masked);
		else if (ear_text_is(key, "aborted"))
			good = ear_json_bool(scan, &access->aborted);
		else if (ear_text_is(key, "attributes"))
			good = take_bus_flags(scan, &access->attributes);
		else if (ear_text_is(key, "unknown"))
			good = take_u64(scan, &access->unknown);
		else if (timed && ear_text_is(key, "time"))
			good = take_u64(scan, &time) &&
			       ear_record_builder_access_time(scan->builder, time);
		else
			good = ear_json_skip(scan);
	}
	if (!access->has_value)
		access->unknown = 0;
	if (!scan->fault && access->unknown & access->value)
		return fail(scan, "an unknown bit of an access is not 0");
	return !scan->fault;
}

static bool take_memory(struct ear_json_scan *scan)
{
	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		struct ear_record_access *access = ear_record_builder_access(scan->builder);
		if (!access)
			return fail(scan, "the record has too many accesses");
		if (!take_access(scan, access, true))
			return false;
		ear_json_resume(scan);
	}
	return !scan->fault;
}

static bool take_step(struct ear_json_scan *scan, struct ear_walk_step *step)
{
	struct ear_text key;
	bool good = true;

	if (!ear_json_begin(scan, '{'))
		return false;
	while (good && ear_json_member(scan, &key)) {
		if (ear_text_is(key, "address"))
			good = take_u64(scan, &step->address);
		else if (ear_text_is(key, "entry"))
			good = step->has_entry = take_u64(scan, &step->entry);
		else if (ear_text_is(key, "attributes"))
			good = step->has_attributes = take_u32(scan, &step->attributes);
		else
			good = ear_json_skip(scan);
	}
	return !scan->fault;
}

static bool take_steps(struct ear_json_scan *scan)
{
	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		struct ear_walk_step *step = ear_record_builder_step(scan->builder);
		if (!step)
			return fail(scan, "the record has too many steps of page walks");
		if (!take_step(scan, step))
			return false;
		ear_json_resume(scan);
	}
	return !scan->fault;
}

static bool take_walk(struct ear_json_scan *scan, struct ear_walk *walk)
{
	struct ear_text key;
	bool good = true;

	if (!ear_json_begin(scan, '{'))
		return false;
	while (good && ear_json_member(scan, &key)) {
		if (ear_text_is(key, "data"))
			good = ear_json_bool(scan, &walk->data);
		else if (ear_text_is(key, "start"))
			good = take_u64(scan, &walk->start);
		else if (ear_text_is(key, "result"))
			good = take_u64(scan, &walk->result);
		else if (ear_text_is(key, "steps"))
			good = take_steps(scan);
		else
			good = ear_json_skip(scan);
	}
	return !scan->fault;
}

static bool take_walks(struct ear_json_scan *scan)
{
	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		struct ear_walk *walk = ear_record_builder_walk(scan->builder);
		if (!walk)
			return fail(scan, "the record has too many page walks");
		if (!take_walk(scan, walk))
			return false;
		ear_json_resume(scan);
	}
	return !scan->fault;
}

static bool take_words(struct ear_json_scan *scan, uint64_t words[2])
{
	unsigned count = 0;

	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		if (count == 2)
			return fail(scan, "the event has too many words");
		if (!take_u64(scan, &words[count++]))
			return false;
	}
	return !scan->fault;
}

/* Members that are a number or a text: where they go, and their type. */
enum type { U8, U16, U32, U64, TEXT, BOOL, BUS };

#define RECORD(member, type)   #member, offsetof(struct reader_json, builder.record.member), type
#define EXTRA(member, type)    #member, offsetof(struct reader_json, builder.extra.member), type
#define GAP(member, type)      #member, offsetof(struct reader_json, gap.member), type
#define AT(name, member, type) name, offsetof(struct reader_json, member), type

static const struct target {
	const char *key;
	size_t offset;
	enum type type;
	uint32_t sets;   /* flags of the record */
	size_t presence; /* offset of a bool to be set; 0: none */
} places[] = {
	{RECORD(hart, U16), 0, 0},
	{RECORD(index, U64), 0, 0},
	{AT("time", builder.record.ticks, U64), EAR_RECORD_HAS_TIME, 0},
	{RECORD(xlen, U8), 0, 0},
	{RECORD(pc, U64), 0, 0},
	{RECORD(pc_physical, U64), EAR_RECORD_PC_PHYSICAL, 0},
	{RECORD(opcode, U64), 0, offsetof(struct reader_json, has_opcode)},
	{RECORD(opcode_size, U8), 0, 0},
	{RECORD(next_pc, U64), 0, offsetof(struct reader_json, has_next_pc)},
	{RECORD(cause, U64), 0, offsetof(struct reader_json, has_cause)},
	{RECORD(frm, U8), 0, 0},
	{RECORD(vtype, U8), 0, 0},
	{RECORD(fflags, U8), 0, 0},
	{RECORD(fetch, BUS), 0, 0},
	{EXTRA(time_unit, TEXT), 0, 0},
	{EXTRA(mode_name, TEXT), 0, 0},
	{EXTRA(task, U64), 0, offsetof(struct reader_json, builder.extra.has_task)},
	{EXTRA(task_name, TEXT), 0, 0},
	{EXTRA(disassembly, TEXT), 0, 0},
	{EXTRA(sources, TEXT), 0, 0},
	{EXTRA(info, TEXT), 0, 0},
	{EXTRA(trap_value, U64), 0, offsetof(struct reader_json, builder.extra.has_trap_value)},
	{EXTRA(wide_opcode, U64), 0, 0},
	{EXTRA(trigger_action, U8), 0, offsetof(struct reader_json, builder.extra.has_trigger)},
	{GAP(count, U64), 0, offsetof(struct reader_json, gap.count_known)},
	{GAP(first, U64), 0, 0},
	{GAP(last, U64), 0, 0},
	{AT("address", gap.first, U64), 0, 0},
	{GAP(upper_bound, BOOL), 0, 0},
	{GAP(at_start, BOOL), 0, 0},
	{GAP(skipped_bytes, U64), 0, 0},
	{GAP(missing_frames, U64), 0, 0},
	{AT("source", event.source, U8), 0, 0},
	{AT("value", event.value, U32), 0, 0},
	{AT("name", event.name, TEXT), 0, 0},
	{AT("text", note, TEXT), 0, 0},
	{AT("attributes", attributes, BUS), 0, 0},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static bool take_target(struct reader_json *reader, const struct target *target)
{
	struct ear_json_scan *scan = &reader->scan;
	void *at = (char *)reader + target->offset;

	if (target->presence)
		*(bool *)((char *)reader + target->presence) = true;
	reader->builder.record.flags |= target->sets;
	switch (target->type) {
	case U8: return take_u8(scan, at);
	case U16: return take_u16(scan, at);
	case U32: return take_u32(scan, at);
	case U64: return take_u64(scan, at);
	case TEXT: return take_text(scan, at);
	case BUS: return take_bus_flags(scan, at);
	default: return ear_json_bool(scan, at);
	}
}

static bool take_flag(struct reader_json *reader, uint32_t flag)
{
	bool set;

	if (!ear_json_bool(&reader->scan, &set))
		return false;
	reader->builder.record.flags |= set ? flag : 0;
	return true;
}

/* Members that are neither of these. */
enum special {
	KIND,
	SECURE,
	ISA,
	PRIVILEGE,
	REASON,
	REGISTERS, /* from here on: not in a light record */
	READS,
	MEMORY,
	WALKS,
	INFERRED_REGISTERS,
	INFERRED_MEMORY,
	WORDS,
	SPECIALS
};

static const char *const specials[SPECIALS] = {[KIND] = "kind",
	[SECURE] = "secure",
	[ISA] = "isa",
	[PRIVILEGE] = "privilege",
	[REASON] = "reason",
	[REGISTERS] = "registers",
	[READS] = "reads",
	[MEMORY] = "memory",
	[WALKS] = "walks",
	[INFERRED_REGISTERS] = "inferred_registers",
	[INFERRED_MEMORY] = "inferred_memory",
	[WORDS] = "words"};

static bool take_inferred_registers(struct reader_json *reader)
{
	struct ear_record_inferred *inferred = &reader->inferred;
	struct ear_json_scan *scan = &reader->scan;

	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		struct ear_record_register *reg =
			&reader->inferred_registers[inferred->register_count];
		if (inferred->register_count == INFERRED_MAX)
			return fail(scan, "the record has too many registers");
		*reg = (struct ear_record_register){0};
		if (!take_register(scan, reg))
			return false;
		if (reg->reg_class > EAR_REGISTER_CSR)
			return fail(scan, "an inferred register is neither x, f nor a CSR");
		inferred->register_count++;
		ear_json_resume(scan);
	}
	return !scan->fault;
}

static bool take_inferred_memory(struct reader_json *reader)
{
	struct ear_record_inferred *inferred = &reader->inferred;
	struct ear_json_scan *scan = &reader->scan;

	if (!ear_json_begin(scan, '['))
		return false;
	while (ear_json_element(scan)) {
		struct ear_record_access *access = &reader->inferred_memory[inferred->memory_count];
		if (inferred->memory_count == INFERRED_MAX)
			return fail(scan, "the record has too many accesses");
		*access = (struct ear_record_access){0};
		if (!take_access(scan, access, false))
			return false;
		if (access->size > 8)
			return fail(scan, "an access has more than 8 bytes");
		if (access->unknown)
			return fail(scan, "an inferred access has unknown bits");
		inferred->memory_count++;
		ear_json_resume(scan);
	}
	return !scan->fault;
}

static bool take_special(struct reader_json *reader, enum special special)
{
	struct ear_record *record = &reader->builder.record;
	struct ear_json_scan *scan = &reader->scan;
	uint8_t word;

	if (special >= REGISTERS && reader->base.options.light)
		return ear_json_skip(scan);
	switch (special) {
	case KIND: reader->has_kind = true; return take_word(scan, ear_json_kinds, &record->kind);
	case SECURE:
		record->flags |= EAR_RECORD_HAS_SECURITY;
		return take_flag(reader, EAR_RECORD_SECURE);
	case ISA: return take_word(scan, ear_json_isas, &record->isa);
	case PRIVILEGE:
		reader->has_privilege = true;
		return take_word(scan, ear_json_privileges, &record->privilege);
	case REASON:
		if (!take_word(scan, ear_json_reasons, &word))
			return false;
		reader->gap.reason = (enum ear_gap_reason)word;
		return true;
	case REGISTERS: return take_registers(scan, ear_record_builder_register);
	case READS: return take_registers(scan, ear_record_builder_read);
	case MEMORY: return take_memory(scan);
	case WALKS: return take_walks(scan);
	case INFERRED_REGISTERS: return take_inferred_registers(reader);
	case INFERRED_MEMORY: return take_inferred_memory(reader);
	default: return take_words(scan, reader->event.words);
	}
}

/* All members by number: those of places, the flags, the specials. NULL: there are no more. */
static const char *member_name(unsigned number)
{
	const unsigned flags = PLACES + FLAGS;

	return number < PLACES             ? places[number].key
	       : number < flags            ? ear_json_flags[number - PLACES].name
	       : number < flags + SPECIALS ? specials[number - flags]
					   : NULL;
}

static unsigned hash(struct ear_text key)
{
	const unsigned first = (uint8_t)key.text[0], middle = (uint8_t)key.text[key.size / 2],
		       last = (uint8_t)key.text[key.size - 1];

	return ((unsigned)key.size * 5 + first * 7 + last * 13 + middle * 29) % SLOTS;
}

static void fill_slots(struct reader_json *reader)
{
	const char *name;

	for (unsigned number = 0; (name = member_name(number)); number++) {
		const size_t size = strlen(name);
		unsigned slot = hash((struct ear_text){name, size});
		while (reader->slots[slot])
			slot = (slot + 1) % SLOTS;
		reader->slots[slot] = (uint8_t)(number + 1);
	}
}

static bool take_member(struct reader_json *reader, struct ear_text key)
{
	unsigned slot = key.size > 0 ? hash(key) : 0;

	while (reader->slots[slot] && !ear_text_is(key, member_name(reader->slots[slot] - 1u)))
		slot = (slot + 1) % SLOTS;
	if (!reader->slots[slot])
		return ear_json_skip(&reader->scan);
	const unsigned number = reader->slots[slot] - 1u;
	if (number < PLACES)
		return take_target(reader, &places[number]);
	if (number < PLACES + FLAGS)
		return take_flag(reader, ear_json_flags[number - PLACES].flag);
	return take_special(reader, (enum special)(number - PLACES - FLAGS));
}

/* What depends on more than one member. */
static void settle(struct reader_json *reader)
{
	struct ear_record *record = &reader->builder.record;

	if (reader->inferred.register_count + reader->inferred.memory_count > 0) {
		reader->inferred.registers = reader->inferred_registers;
		reader->inferred.memory = reader->inferred_memory;
		reader->builder.extra.inferred = &reader->inferred;
	}
	switch (record->kind) {
	case EAR_RECORD_GAP: record->u.gap = reader->gap; return;
	case EAR_RECORD_EVENT: record->u.event = reader->event; return;
	case EAR_RECORD_IDLE: record->u.cycle.attributes = reader->attributes; return;
	case EAR_RECORD_NOTE: record->u.note.text = reader->note; return;
	case EAR_RECORD_INSTRUCTION: break;
	default: return;
	}
	record->flags |= reader->has_opcode ? 0 : EAR_RECORD_NO_OPCODE;
	record->flags |= reader->has_privilege ? 0 : EAR_RECORD_NO_PRIVILEGE;
	record->flags |= reader->has_next_pc ? 0 : EAR_RECORD_NO_NEXT_PC;
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) && !reader->has_cause)
		record->flags |= EAR_RECORD_NO_CAUSE;
}

/* What other parts of the program take for granted. */
static bool check(struct reader_json *reader)
{
	const struct ear_record *record = &reader->builder.record;
	struct ear_json_scan *scan = &reader->scan;

	if (!reader->has_kind)
		return fail(scan, "the object has no kind");
	bool xlen_known = record->xlen == 32 || record->xlen == 64;
	if (record->kind == EAR_RECORD_INSTRUCTION && !xlen_known &&
		(record->isa == EAR_ISA_RISCV || record->xlen != 0))
		return fail(scan, "xlen is neither 32 nor 64");
	if (record->opcode_size > 8 || record->frm > 7)
		return fail(scan, "a number is out of range");
	for (size_t i = 0; i < record->memory_count; i++)
		if (reader->builder.memory[i].size > 8)
			return fail(scan, "an access has more than 8 bytes");
	/* No format of RISC-V has unknown digits: they would become 0. */
	bool riscv = record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV;
	for (size_t i = 0; riscv && i < record->memory_count; i++)
		if (reader->builder.memory[i].unknown)
			return fail(scan, "an access of RISC-V has unknown bits");
	return true;
}

static void begin_record(struct reader_json *reader)
{
	struct ear_record_builder *builder = &reader->builder;

	ear_record_builder_reset(builder, EAR_RECORD_INSTRUCTION);
	builder->record.stream_offset = ear_text_input_offset(reader->base.input);
	builder->extra.line = ear_text_input_line_number(reader->base.input);
}

static bool parse_any(struct reader_json *reader, const char *line, size_t size)
{
	struct ear_text key;

	begin_record(reader);
	reader->scan = (struct ear_json_scan){
		.cursor = ear_text_cursor(line, size), .builder = &reader->builder};
	reader->gap = (struct ear_gap){0};
	reader->event = (struct ear_event){0};
	reader->note = (struct ear_text){0};
	reader->inferred = (struct ear_record_inferred){0};
	reader->attributes = 0;
	reader->has_kind = reader->has_opcode = reader->has_privilege = false;
	reader->has_next_pc = reader->has_cause = false;

	if (!ear_json_begin(&reader->scan, '{'))
		return false;
	while (ear_json_member(&reader->scan, &key))
		if (!take_member(reader, key))
			return false;
	if (!ear_json_end(&reader->scan) || !check(reader))
		return false;
	settle(reader);
	return true;
}

static bool parse_line(struct reader_json *reader, const char *line, size_t size)
{
	begin_record(reader);
	return ear_json_ordinary(&reader->builder, (struct ear_text){line, size},
		       reader->base.options.light) ||
	       parse_any(reader, line, size);
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_json *reader = (struct reader_json *)base;
	const char *line;
	size_t size;
	int result;

	while ((result = ear_text_input_line(base->input, &line, &size)) == 1) {
		struct ear_text_cursor cursor = ear_text_cursor(line, size);
		ear_text_skip_blanks(&cursor);
		if (ear_text_at_end(&cursor))
			continue;
		bool cut = ear_text_input_cut(base->input);
		if (parse_line(reader, line, size)) {
			*record = ear_record_builder_finish(&reader->builder);
			result = cut ? ear_reader_report(base,
					       "the last line has no line end; the file may be cut "
					       "off",
					       false)
				     : 0;
			return result ? result : 1;
		}
		if (reader->builder.error == EAR_E_NO_MEMORY)
			return EAR_E_NO_MEMORY;
		const char *cause =
			reader->scan.fault ? reader->scan.fault : "the line is not a JSON object";
		return ear_reader_skip(base, cause, false);
	}
	return result;
}

/* No line depends on those before it. */
static int save(const struct ear_reader *base, struct ear_snapshot *snapshot)
{
	(void)base;
	ear_snapshot_clear(snapshot);
	return 0;
}

static int restore(struct ear_reader *base, const struct ear_snapshot *snapshot)
{
	(void)base;
	(void)snapshot;
	return 0;
}

static const struct ear_reader_cut cut_anywhere = {save, restore};
static const struct ear_reader_resume resume_anywhere = {.walk = NULL};

static void free_reader(struct ear_reader *base)
{
	struct reader_json *reader = (struct reader_json *)base;

	ear_record_builder_fini(&reader->builder);
	free(reader);
}

/* Whether the source has page walks is for a target's header to know before the first of them: the
 * beginning of the file shows. An error here comes again with the first line.
 */
static bool has_walks(struct ear_text_input *input)
{
	const char *bytes;
	size_t size;

	if (ear_text_input_peek(input, &bytes, &size) < 0)
		return false;
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	while (!ear_text_at_end(&cursor)) {
		ear_text_until(&cursor, '"');
		if (ear_text_take_word(&cursor, "\"walks\":["))
			return true;
		ear_text_take(&cursor, '"');
	}
	return false;
}

struct ear_reader *ear_reader_json_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_json *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->base = (struct ear_reader){.input = input,
		.options = *options,
		.next = next,
		.free = free_reader,
		.cut = &cut_anywhere,
		.resume = &resume_anywhere};
	reader->base.has_walks = has_walks(input);
	reader->builder.ordered = true;
	fill_slots(reader);
	return &reader->base;
}

int ear_reader_json_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);

	while (ear_text_skip_blanks(&cursor) || ear_text_take(&cursor, '\n') ||
		ear_text_take(&cursor, '\r'))
		;
	if (!ear_text_take(&cursor, '{'))
		return 0;
	struct ear_text line = ear_text_until(&cursor, '\n');
	struct ear_text_cursor inside = ear_text_cursor(line.text, line.size);
	while (!ear_text_at_end(&inside)) {
		if (ear_text_take_word(&inside, "\"kind\""))
			return 95;
		inside.at++;
	}
	return 10;
}
