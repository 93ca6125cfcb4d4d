/* Traces of the Ibex tracer to records: one line each, with columns that blanks or tabs separate.
 *
 * The effects at the end of a line have no column of their own: they begin where a word has the
 * form of a register with a value, or of an address. What is before them is the disassembly.
 */
#include "decoder/formats/ibex/reader_ibex.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/formats/base/line_reader.h"
#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"

struct reader_ibex {
	struct ear_line_reader line;
	uint64_t count;
};

static int report(struct reader_ibex *reader, const char *cause)
{
	return ear_line_reader_skip(&reader->line, cause);
}

/* The first columns: simulation time, clock cycle, pc and opcode. */
struct columns {
	uint64_t time, cycle, pc, opcode;
	size_t pc_digits, opcode_digits;
};

static bool take_columns(struct ear_text_cursor *cursor, struct columns *columns)
{
	ear_text_skip_blanks(cursor);
	if (!ear_text_decimal(cursor, &columns->time))
		return false;
	while (ear_text_peek(cursor) >= 'a' && ear_text_peek(cursor) <= 'z')
		cursor->at++; /* a unit after the time, "134ns" */
	if (!ear_text_skip_blanks(cursor) || !ear_text_decimal(cursor, &columns->cycle) ||
		!ear_text_skip_blanks(cursor))
		return false;
	columns->pc_digits = ear_text_hex(cursor, &columns->pc);
	if (columns->pc_digits == 0 || !ear_text_skip_blanks(cursor))
		return false;
	columns->opcode_digits = ear_text_hex(cursor, &columns->opcode);
	return columns->opcode_digits > 0 && columns->opcode <= UINT32_MAX &&
	       (ear_text_at_end(cursor) || ear_text_skip_blanks(cursor));
}

/* The columns after begin with a register and its value, or with an address. */
static bool at_effects(struct ear_text_cursor cursor)
{
	uint64_t number;

	if (ear_text_take_word(&cursor, "PA:0x"))
		return true;
	if (!ear_text_take(&cursor, 'x') && !ear_text_take(&cursor, 'f'))
		return false;
	return ear_text_decimal(&cursor, &number) &&
	       (ear_text_take_word(&cursor, ":0x") || ear_text_take_word(&cursor, "=0x"));
}

/* The disassembly: words up to the effects or the end. */
static struct ear_text take_text(struct ear_text_cursor *cursor)
{
	struct ear_text text = {cursor->at, 0};

	while (!ear_text_at_end(cursor) && !at_effects(*cursor)) {
		while (!ear_text_at_end(cursor) && *cursor->at != ' ' && *cursor->at != '\t')
			cursor->at++;
		text.size = (size_t)(cursor->at - text.text);
		ear_text_skip_blanks(cursor);
	}
	return text;
}

/* "x8:0x00008000" was read, "x8=0x00007fff" written. */
static bool take_register(struct ear_record_builder *builder, struct ear_text_cursor *cursor)
{
	enum ear_register_class reg_class = *cursor->at++ == 'x' ? EAR_REGISTER_X : EAR_REGISTER_F;
	uint64_t number, value;

	if (!ear_text_decimal(cursor, &number) || number > 31)
		return false;
	bool write = ear_text_take(cursor, '=');
	if (!write && !ear_text_take(cursor, ':'))
		return false;
	size_t digits = ear_text_0x(cursor, &value);
	if (digits == 0)
		return false;
	if (reg_class == EAR_REGISTER_X && number == 0)
		return true;
	struct ear_record_register *reg =
		write ? ear_record_builder_register(builder) : ear_record_builder_read(builder);
	if (reg)
		*reg = (struct ear_record_register){.reg_class = (uint8_t)reg_class,
			.size = digits <= 16 ? (uint8_t)((digits + 1) / 2) : 0,
			.number = (uint16_t)number,
			.value = value};
	return reg != NULL;
}

/* "0x????1234": of the bytes of a word, lowest last, those without "?" were written. */
static bool take_partial(struct ear_text_cursor *cursor, struct ear_record_access *access)
{
	unsigned below = 0, known = 0, count = 0;
	uint64_t value = 0;

	if (!ear_text_take_word(cursor, "0x"))
		return false;
	for (; count < 16 && !ear_text_at_end(cursor); count++, cursor->at++) {
		int digit = ear_hex_digit(*cursor->at);
		if (digit >= 0) {
			if (below > 0) /* a hole between two */
				return false;
			value = value << 4 | (unsigned)digit;
			known++;
		} else if (*cursor->at != '?') {
			break;
		} else if (known > 0) {
			below++;
		}
	}
	if (count == 0 || known == 0 || known % 2 || below % 2)
		return false;
	access->address += below / 2;
	access->size = (uint8_t)(known / 2);
	access->value = value;
	access->has_value = true;
	return true;
}

static uint64_t keep_bytes(uint64_t value, unsigned size)
{
	return size == 0 || size >= 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

/* "PA:0x00001000 store:0x0000002a" or "load:0x..": after a trap without data. */
static bool take_access(struct ear_record_builder *builder, struct ear_text_cursor *cursor)
{
	struct ear_record_access access = {0};
	struct ear_inst inst;

	if (!ear_text_take_word(cursor, "PA:") || !ear_text_0x(cursor, &access.address))
		return false;
	ear_inst_decode(&inst, (uint32_t)builder->record.opcode, builder->record.xlen);
	access.size = inst.access_size;
	access.write = inst.kind == EAR_KIND_STORE;
	ear_text_skip_blanks(cursor);
	if (ear_text_take_word(cursor, "store:")) {
		access.write = true;
		if (!take_partial(cursor, &access))
			return false;
	} else if (ear_text_take_word(cursor, "load:")) {
		access.write = false;
		if (!ear_text_0x(cursor, &access.value))
			return false;
		access.value = keep_bytes(access.value, access.size);
		access.has_value = true;
	}
	struct ear_record_access *place = ear_record_builder_access(builder);
	if (place)
		*place = access;
	return place != NULL;
}

static bool take_effects(struct ear_record_builder *builder, struct ear_text_cursor *cursor)
{
	for (;;) {
		ear_text_skip_blanks(cursor);
		switch (ear_text_peek(cursor)) {
		case '\0': return ear_text_at_end(cursor);
		case 'x':
		case 'f':
			if (!take_register(builder, cursor))
				return false;
			break;
		default:
			if (!take_access(builder, cursor))
				return false;
			break;
		}
	}
}

/* What an opcode says about its own trap; the tracer does not give the cause. */
static void set_cause(struct ear_record *record)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	record->flags |= EAR_RECORD_TRAP;
	if (inst.kind == EAR_KIND_ILLEGAL)
		record->cause = 2;
	else if (inst.id == EAR_INST_EBREAK || inst.id == EAR_INST_C_EBREAK)
		record->cause = 3;
	else
		record->flags |= EAR_RECORD_NO_CAUSE;
}

/* "-->" marks an instruction that trapped, "==>" the first one of an interrupt handler. The text
 * is kept, with blanks for tabs, where the instruction table knows none. */
static void take_marks(struct ear_record_builder *builder, struct ear_text text, bool light)
{
	struct ear_text_cursor cursor = ear_text_cursor(text.text, text.size);
	struct ear_inst inst;

	if (ear_text_take_word(&cursor, "-->"))
		set_cause(&builder->record);
	else if (ear_text_take_word(&cursor, "==>"))
		builder->record.flags |= EAR_RECORD_HANDLER;
	ear_inst_decode(&inst, (uint32_t)builder->record.opcode, builder->record.xlen);
	if (light || inst.kind != EAR_KIND_ILLEGAL || ear_text_at_end(&cursor))
		return;
	size_t size = (size_t)(cursor.end - cursor.at);
	char *copy = ear_record_builder_text(builder, size);
	for (size_t i = 0; copy && i < size; i++)
		copy[i] = cursor.at[i] == '\t' ? ' ' : cursor.at[i];
	builder->extra.disassembly = (struct ear_text){copy, copy ? size : 0};
}

static int take_line(
	struct ear_line_reader *base, const char *line, size_t size, const struct ear_record **done)
{
	struct reader_ibex *reader = (struct reader_ibex *)base;
	const struct ear_reader_options *options = &base->base.options;
	struct ear_text_cursor cursor = ear_text_cursor(line, size);
	struct ear_text_cursor header = cursor;
	struct columns columns;

	ear_text_skip_blanks(&header);
	if (ear_text_at_end(&header) || ear_text_take_word(&header, "Time"))
		return 0;
	if (!take_columns(&cursor, &columns))
		return report(
			reader, "the columns time, cycle, pc and opcode are missing or malformed");
	struct ear_record_builder *builder =
		ear_record_pair_begin(&base->pair, EAR_RECORD_INSTRUCTION);
	struct ear_record *record = &builder->record;
	record->index = reader->count;
	record->stream_offset = ear_text_input_offset(base->base.input);
	record->ticks = columns.cycle;
	record->flags = EAR_RECORD_HAS_TIME | EAR_RECORD_NO_PRIVILEGE;
	record->isa = EAR_ISA_RISCV;
	record->xlen = (uint8_t)ear_reader_xlen(&base->base, columns.pc_digits);
	record->pc = columns.pc;
	record->opcode = columns.opcode;
	record->opcode_size = columns.opcode_digits <= 4 ? 2 : 4;
	builder->extra.line = ear_text_input_line_number(base->base.input);
	take_marks(builder, take_text(&cursor), options->light);
	if (!options->light && !take_effects(builder, &cursor) && !builder->error)
		return report(reader, "a register or an access is malformed");
	if (builder->error)
		return builder->error == EAR_E_FULL
			       ? report(reader, "the record has too many effects")
			       : builder->error;
	if (!ear_line_reader_fits(base, builder))
		return report(reader, EAR_READER_TOO_WIDE);
	reader->count++;
	*done = ear_record_pair_turn(&base->pair);
	return 0;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_ibex *reader = (struct reader_ibex *)base;

	ear_state_u64(walk, &reader->count, UINT64_MAX);
	return ear_state_line_reader(walk, &reader->line);
}

static const struct ear_reader_resume resume = {.walk = walk_state};

struct ear_reader *ear_reader_ibex_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_ibex *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	ear_line_reader_init(&reader->line, input, options, take_line);
	reader->line.base.resume = &resume;
	return &reader->line.base;
}

/* The header, or lines that could only be of this format: five columns and tabs between. */
int ear_reader_ibex_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	struct ear_text line = ear_text_until(&cursor, '\n');
	struct ear_text_cursor inside = ear_text_cursor(line.text, line.size);
	struct columns columns;

	if (ear_text_take_word(&inside, "Time\t"))
		return 95;
	ear_text_skip_blanks(&inside);
	if (ear_text_take_word(&inside, "Time ") && ear_text_skip_blanks(&inside) &&
		ear_text_take_word(&inside, "Cycle"))
		return 90;
	inside = ear_text_cursor(line.text, line.size);
	bool tabs = memchr(line.text, '\t', line.size) != NULL;
	return tabs && take_columns(&inside, &columns) && columns.pc_digits >= 8 ? 80 : 0;
}
