/* Records to JSON lines.
 *
 * Members are formatted in place, in one reserved room a line, without a tree. A member that a
 * record lacks is left out. Numbers that some languages cannot hold exactly are strings; bytes
 * that are not UTF-8 become lone surrogates, which the reader turns back.
 */
#include "decoder/formats/json/writer_json.h"

#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "decoder/formats/json/json_name.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/text_put.h"

#define ROOM         4096                      /* for the members without texts and arrays */
#define PLAIN_MAX    32                        /* registers in as much room */
#define EXACT_NUMBER ((UINT64_C(1) << 53) - 1) /* larger ones are not exact in every language */

struct writer_json {
	struct ear_writer base;
	void (*place)(const void *context, uint64_t address, struct ear_writer_place *place);
	const void *places;
};

static char *put_key(char *at, const char *key)
{
	*at++ = ',';
	*at++ = '"';
	at = ear_put_word(at, key);
	*at++ = '"';
	*at++ = ':';
	return at;
}

static char *put_hex_string(char *at, uint64_t value)
{
	at = ear_put_word(at, "\"0x");
	at = ear_put_hex(at, value, ear_put_hex_digits(value));
	*at++ = '"';
	return at;
}

static char *put_hex(char *at, const char *key, uint64_t value)
{
	return put_hex_string(put_key(at, key), value);
}

/* What is counted is a number as long as every language reads it exactly. */
static char *put_count(char *at, const char *key, uint64_t value)
{
	at = put_key(at, key);
	return value <= EXACT_NUMBER ? ear_put_decimal(at, value) : put_hex_string(at, value);
}

static char *put_bool(char *at, const char *key, bool value)
{
	return ear_put_word(put_key(at, key), value ? "true" : "false");
}

static char *put_name(char *at, const char *key, const char *name)
{
	at = put_key(at, key);
	*at++ = '"';
	at = ear_put_word(at, name);
	*at++ = '"';
	return at;
}

static void put(struct ear_text_output *output, const char *text)
{
	ear_text_output_put(output, text, strlen(text));
}

/* Bytes of the UTF-8 character at text, 0 if it is none (RFC 3629, section 4). */
static size_t utf8_size(const uint8_t *text, size_t size)
{
	size_t length = text[0] < 0x80   ? 1
			: text[0] < 0xC2 ? 0
			: text[0] < 0xE0 ? 2
			: text[0] < 0xF0 ? 3
			: text[0] < 0xF5 ? 4
					 : 0;

	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	if ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) ||
		(text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F))
		return 0;
	return length;
}

/* A byte that is not UTF-8 becomes \udc80 .. \udcff: what Python calls surrogateescape. */
static char *put_escape(char *at, uint8_t byte)
{
	if (byte == '"' || byte == '\\') {
		*at++ = '\\';
		*at++ = (char)byte;
		return at;
	}
	at = ear_put_word(at, byte < 0x80 ? "\\u00" : "\\udc");
	return ear_put_hex(at, byte, 2);
}

static char *put_unit(char *at, unsigned unit)
{
	return ear_put_hex(ear_put_word(at, "\\u"), unit, 4);
}

/* A character of several bytes that must not be shown as it is (common/printable.h): its units of
 * UTF-16, which any reader of JSON turns back.
 */
static char *put_hidden(char *at, const uint8_t *text, size_t size)
{
	unsigned character = text[0] & (0xFFu >> (size + 1));

	for (size_t i = 1; i < size; i++)
		character = character << 6 | (text[i] & 0x3F);
	if (character < 0x10000)
		return put_unit(at, character);
	character -= 0x10000;
	return put_unit(put_unit(at, 0xD800 + (character >> 10)), 0xDC00 + (character & 0x3FF));
}

static void put_string(struct ear_text_output *output, struct ear_text text)
{
	const uint8_t *bytes = (const uint8_t *)text.text;

	put(output, "\"");
	for (size_t i = 0; i < text.size;) {
		char *at = ear_text_output_reserve(output, ROOM + EAR_PUT_SLACK);
		const char *enough = at + ROOM - 16;
		while (i < text.size && at < enough) {
			size_t size = utf8_size(bytes + i, text.size - i);
			bool shown = size == 1 ? bytes[i] >= ' ' && bytes[i] != 0x7F
					       : size > 0 && ear_printable_span(text.text + i, size,
								     EAR_PRINTABLE_LINE);
			if (size < 2 && (!shown || bytes[i] == '"' || bytes[i] == '\\'))
				at = put_escape(at, bytes[i]);
			else if (shown)
				at = ear_put_bytes(at, text.text + i, size);
			else
				at = put_hidden(at, bytes + i, size);
			i += size ? size : 1;
		}
		ear_text_output_commit(output, at);
	}
	put(output, "\"");
}

static void put_text(struct ear_text_output *output, const char *key, struct ear_text text)
{
	if (!text.text)
		return;
	char *at = ear_text_output_reserve(output, ROOM);
	ear_text_output_commit(output, put_key(at, key));
	put_string(output, text);
}

/* A value of any size, lowest byte first in memory: all its digits, since they show the size. */
static void put_bytes(
	struct ear_text_output *output, const char *key, const uint8_t *bytes, size_t size)
{
	char *at = ear_text_output_reserve(output, ROOM);

	ear_text_output_commit(output, ear_put_word(put_key(at, key), "\"0x"));
	while (size > 0) {
		at = ear_text_output_reserve(output, ROOM + EAR_PUT_SLACK);
		for (size_t part = size < ROOM / 2 ? size : ROOM / 2; part > 0; part--)
			at = ear_put_hex(at, bytes[--size], 2);
		ear_text_output_commit(output, at);
	}
	put(output, "\"");
}

static char *put_bus_flags(char *at, const char *key, uint16_t flags)
{
	at = put_key(at, key);
	*at++ = '[';
	for (unsigned i = 0; ear_json_bus_flags[i]; i++) {
		if (!(flags >> i & 1))
			continue;
		if (at[-1] != '[')
			*at++ = ',';
		*at++ = '"';
		at = ear_put_word(at, ear_json_bus_flags[i]);
		*at++ = '"';
	}
	*at++ = ']';
	return at;
}

static bool is_plain(const struct ear_record_register *reg)
{
	return reg->reg_class <= EAR_REGISTER_CSR && reg->size == 0;
}

/* Most registers, in one piece. */
static char *put_plain_register(char *at, const struct ear_record_register *reg)
{
	at = ear_put_word(at, "{\"class\":\"");
	at = ear_put_word(at, ear_json_classes[reg->reg_class]);
	at = ear_put_decimal(ear_put_word(at, "\",\"number\":"), reg->number);
	at = put_hex_string(ear_put_word(at, ",\"value\":"), reg->value);
	*at++ = '}';
	return at;
}

static void write_register(struct ear_text_output *output, const struct ear_record_register *reg)
{
	char *at = ear_text_output_reserve(output, ROOM);
	bool wide = reg->reg_class == EAR_REGISTER_NAMED && reg->size > 8;

	at = ear_put_word(at, "{\"class\":\"");
	at = ear_put_word(at, ear_json_classes[reg->reg_class]);
	*at++ = '"';
	if (reg->reg_class != EAR_REGISTER_NAMED)
		at = put_count(at, "number", reg->number);
	if (reg->size)
		at = put_count(at, "size", reg->size);
	if (reg->reg_class != EAR_REGISTER_V && !wide)
		at = put_hex(at, "value", reg->value);
	ear_text_output_commit(output, at);
	if (reg->reg_class == EAR_REGISTER_NAMED)
		put_text(output, "name", (struct ear_text){reg->text.name, reg->text_size});
	if (reg->reg_class == EAR_REGISTER_V)
		put_bytes(output, "value", reg->text.bytes, reg->text_size);
	if (wide)
		put_bytes(output, "value", reg->text.bytes + reg->text_size, reg->size);
	if (ear_register_unknown(reg))
		put_bytes(output, "unknown", ear_register_unknown(reg), reg->size);
	put_text(output, "note", ear_register_note(reg));
	put(output, "}");
}

static void write_registers(struct ear_text_output *output, const char *key,
	const struct ear_record_register *registers, size_t count)
{
	if (count == 0)
		return;
	char *at = put_key(ear_text_output_reserve(output, ROOM), key);
	*at++ = '[';
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			*at++ = ',';
		if (is_plain(&registers[i])) {
			at = put_plain_register(at, &registers[i]);
		} else {
			ear_text_output_commit(output, at);
			write_register(output, &registers[i]);
			at = ear_text_output_reserve(output, ROOM);
		}
		if (i % PLAIN_MAX == PLAIN_MAX - 1) {
			ear_text_output_commit(output, at);
			at = ear_text_output_reserve(output, ROOM);
		}
	}
	*at++ = ']';
	ear_text_output_commit(output, at);
}

/* time: when it happened, 0 if that is not known. */
static void write_access(
	struct ear_text_output *output, const struct ear_record_access *access, uint64_t time)
{
	char *at = ear_text_output_reserve(output, ROOM);

	at = ear_put_word(at, access->write ? "{\"write\":true" : "{\"write\":false");
	at = put_hex(at, "address", access->address);
	if (access->has_physical)
		at = put_hex(at, "physical", access->physical);
	if (access->size)
		at = put_count(at, "size", access->size);
	if (access->has_value)
		at = put_hex(at, "value", access->value);
	if (access->has_value && access->unknown)
		at = put_hex(at, "unknown", access->unknown);
	if (access->masked)
		at = put_bool(at, "masked", true);
	if (access->aborted)
		at = put_bool(at, "aborted", true);
	if (access->attributes)
		at = put_bus_flags(at, "attributes", access->attributes);
	if (time)
		at = put_count(at, "time", time);
	*at++ = '}';
	ear_text_output_commit(output, at);
}

/* times: of each access, or NULL. */
static void write_memory(struct ear_text_output *output, const char *key,
	const struct ear_record_access *memory, size_t count, const uint64_t *times)
{
	if (count == 0)
		return;
	char *at = put_key(ear_text_output_reserve(output, ROOM), key);
	*at++ = '[';
	ear_text_output_commit(output, at);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			put(output, ",");
		write_access(output, &memory[i], times ? times[i] : 0);
	}
	put(output, "]");
}

/* In members of their own, so that who does not know of it takes none of them for observed. */
static void write_inferred(
	struct ear_text_output *output, const struct ear_record_inferred *inferred)
{
	if (!inferred)
		return;
	write_registers(
		output, "inferred_registers", inferred->registers, inferred->register_count);
	write_memory(output, "inferred_memory", inferred->memory, inferred->memory_count, NULL);
}

static void write_walk(struct ear_text_output *output, const struct ear_walk *walk)
{
	char *at = ear_text_output_reserve(output, ROOM);

	at = ear_put_word(at, walk->data ? "{\"data\":true" : "{\"data\":false");
	at = put_hex(at, "start", walk->start);
	at = put_hex(at, "result", walk->result);
	at = ear_put_word(at, ",\"steps\":[");
	ear_text_output_commit(output, at);
	for (size_t i = 0; i < walk->step_count; i++) {
		const struct ear_walk_step *step = &walk->steps[i];
		at = ear_text_output_reserve(output, ROOM);
		at = ear_put_word(at, i > 0 ? ",{\"address\":" : "{\"address\":");
		at = put_hex_string(at, step->address);
		if (step->has_entry)
			at = put_hex(at, "entry", step->entry);
		if (step->has_attributes)
			at = put_hex(at, "attributes", step->attributes);
		*at++ = '}';
		ear_text_output_commit(output, at);
	}
	put(output, "]}");
}

static void write_walks(struct ear_text_output *output, const struct ear_record_extra *extra)
{
	if (extra->walk_count == 0)
		return;
	put(output, ",\"walks\":[");
	for (size_t i = 0; i < extra->walk_count; i++) {
		if (i > 0)
			put(output, ",");
		write_walk(output, &extra->walks[i]);
	}
	put(output, "]");
}

static char *put_flags(char *at, const struct ear_record *record)
{
	for (const struct ear_json_flag *flag = ear_json_flags; flag->name; flag++)
		if (record->flags & flag->flag)
			at = put_bool(at, flag->name, true);
	if (record->flags & EAR_RECORD_HAS_SECURITY)
		at = put_bool(at, "secure", record->flags & EAR_RECORD_SECURE);
	return at;
}

/* What the opcode is, of RISC-V. The names are ours, so they need no escapes. */
static char *put_decoded(char *at, const struct ear_record *record)
{
	struct ear_inst inst;

	if (record->isa != EAR_ISA_RISCV || (record->flags & EAR_RECORD_NO_OPCODE) ||
		record->opcode > UINT32_MAX || (record->xlen != 32 && record->xlen != 64))
		return at;
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	at = put_name(at, "mnemonic", ear_inst_name(inst.id));
	return put_name(at, "class", ear_inst_kind_name(inst.kind));
}

/* A member that the source does not have is left out. */
static char *put_instruction(char *at, const struct ear_record *record)
{
	uint32_t flags = record->flags;
	uint32_t stopped = flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	at = put_name(at, "isa", ear_json_isas[record->isa]);
	at = put_count(at, "xlen", record->xlen);
	at = put_hex(at, "pc", record->pc);
	if (flags & EAR_RECORD_PC_PHYSICAL)
		at = put_hex(at, "pc_physical", record->pc_physical);
	if (!(flags & EAR_RECORD_NO_OPCODE))
		at = put_hex(at, "opcode", record->opcode);
	at = put_count(at, "opcode_size", record->opcode_size);
	at = put_decoded(at, record);
	if (!(flags & EAR_RECORD_NO_PRIVILEGE))
		at = put_name(at, "privilege", ear_json_privileges[record->privilege]);
	if (!(flags & EAR_RECORD_NO_NEXT_PC))
		at = put_hex(at, "next_pc", record->next_pc);
	if (stopped && !(flags & EAR_RECORD_NO_CAUSE))
		at = put_hex(at, "cause", record->cause);
	if (record->frm)
		at = put_count(at, "frm", record->frm);
	if (record->vtype && ear_opcode_uses_vtype((uint32_t)record->opcode) &&
		record->isa == EAR_ISA_RISCV)
		at = put_count(at, "vtype", record->vtype);
	if (record->fflags)
		at = put_count(at, "fflags", record->fflags);
	if (record->fetch)
		at = put_bus_flags(at, "fetch", record->fetch);
	return at;
}

static char *put_gap(char *at, const struct ear_gap *gap)
{
	at = put_name(at, "reason", ear_json_reasons[gap->reason]);
	if (gap->count_known) {
		at = put_count(at, "count", gap->count);
		at = put_count(at, "first", gap->first);
		at = put_count(at, "last", gap->last);
	} else if (gap->reason == EAR_GAP_NO_CODE) {
		at = put_hex(at, "address", gap->first);
	}
	if (gap->upper_bound)
		at = put_bool(at, "upper_bound", true);
	if (gap->at_start)
		at = put_bool(at, "at_start", true);
	if (gap->skipped_bytes)
		at = put_count(at, "skipped_bytes", gap->skipped_bytes);
	if (gap->missing_frames)
		at = put_count(at, "missing_frames", gap->missing_frames);
	return at;
}

static char *put_event(char *at, const struct ear_event *event)
{
	at = put_count(at, "source", event->source);
	at = put_hex(at, "value", event->value);
	at = put_hex_string(ear_put_word(put_key(at, "words"), "["), event->words[0]);
	*at++ = ',';
	at = put_hex_string(at, event->words[1]);
	*at++ = ']';
	return at;
}

static char *put_kind(char *at, const struct ear_record *record)
{
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: return put_instruction(at, record);
	case EAR_RECORD_GAP: return put_gap(at, &record->u.gap);
	case EAR_RECORD_EVENT: return put_event(at, &record->u.event);
	case EAR_RECORD_IDLE: return put_bus_flags(at, "attributes", record->u.cycle.attributes);
	default: return at;
	}
}

static void write_numbers(struct ear_text_output *output, const struct ear_record_extra *extra)
{
	char *at = ear_text_output_reserve(output, ROOM);

	if (extra->has_trap_value)
		at = put_hex(at, "trap_value", extra->trap_value);
	if (extra->wide_opcode)
		at = put_hex(at, "wide_opcode", extra->wide_opcode);
	if (extra->has_trigger)
		at = put_count(at, "trigger_action", extra->trigger_action);
	if (extra->has_task)
		at = put_count(at, "task", extra->task);
	ear_text_output_commit(output, at);
}

static void write_extra(struct ear_text_output *output, const struct ear_record_extra *extra)
{
	put_text(output, "time_unit", extra->time_unit);
	put_text(output, "mode_name", extra->mode_name);
	put_text(output, "task_name", extra->task_name);
	put_text(output, "disassembly", extra->disassembly);
	put_text(output, "sources", extra->sources);
	put_text(output, "info", extra->info);
	write_numbers(output, extra);
	write_registers(output, "reads", extra->reads, extra->read_count);
	write_walks(output, extra);
	write_inferred(output, extra->inferred);
}

static void write_place(const struct writer_json *writer, const struct ear_record *record)
{
	struct ear_text_output *output = writer->base.output;
	struct ear_writer_place place = {"", ""};

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	writer->place(writer->places, record->pc, &place);
	if (place.symbol[0])
		put_text(output, "symbol", (struct ear_text){place.symbol, strlen(place.symbol)});
	if (place.line[0])
		put_text(output, "source_line", (struct ear_text){place.line, strlen(place.line)});
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	const struct writer_json *writer = (const struct writer_json *)base;
	struct ear_text_output *output = base->output;
	char *at = ear_text_output_reserve(output, ROOM);

	at = ear_put_word(at, "{\"kind\":\"");
	at = ear_put_word(at, ear_json_kinds[record->kind]);
	*at++ = '"';
	at = put_count(at, "schema", EAR_JSON_SCHEMA);
	at = put_count(at, "hart", record->hart);
	at = put_count(at, "index", record->index);
	at = put_count(at, "offset", record->stream_offset);
	if (record->extra && record->extra->line)
		at = put_count(at, "line", record->extra->line);
	if (record->flags & EAR_RECORD_HAS_TIME)
		at = put_count(at, "time", record->ticks);
	at = put_kind(at, record);
	at = put_flags(at, record);
	ear_text_output_commit(output, at);
	write_registers(output, "registers", record->registers, record->register_count);
	write_memory(output, "memory", record->memory, record->memory_count,
		record->extra ? record->extra->access_times : NULL);
	if (record->kind == EAR_RECORD_EVENT)
		put_text(output, "name", record->u.event.name);
	if (record->kind == EAR_RECORD_NOTE)
		put_text(output, "text", record->u.note.text);
	if (record->extra)
		write_extra(output, record->extra);
	if (writer->place)
		write_place(writer, record);
	put(output, "}\n");
	return output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

static const struct ear_writer_cut cut = {.save = ear_writer_save_nothing,
	.restore = ear_writer_restore_nothing,
	.shows_index = true};

struct ear_writer *ear_writer_json_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	struct writer_json *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return NULL;
	if (options) {
		writer->place = options->place;
		writer->places = options->places;
	}
	writer->base = (struct ear_writer){.output = output,
		.push = push,
		.free = free_writer,
		.cut = writer->place ? NULL : &cut};
	return &writer->base;
}
