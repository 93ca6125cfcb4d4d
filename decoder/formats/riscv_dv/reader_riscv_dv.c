/* The trace CSV of riscv-dv to records: a header that names the columns, then one line for each
 * instruction, with quotes around cells that hold commas. Columns are found by name, in any order.
 */
#include "decoder/formats/riscv_dv/reader_riscv_dv.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/base/line_reader.h"
#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/formats/base/xlen.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"

#define CELLS_MAX 64 /* columns of a line; more are none of this format */

enum column { PC, GPR, CSR, BINARY, MODE, INSTR_STR, RD, RD_VAL, FD, FD_VAL, COLUMN_COUNT };

static const char *const names[COLUMN_COUNT] = {
	[PC] = "pc",
	[GPR] = "gpr",
	[CSR] = "csr",
	[BINARY] = "binary",
	[MODE] = "mode",
	[INSTR_STR] = "instr_str",
};

/* Until March 2020: the destination in columns of its own, and csr is the name of an operand. */
static const char *const old_names[COLUMN_COUNT] = {
	[PC] = "addr",
	[BINARY] = "binary",
	[MODE] = "mode",
	[INSTR_STR] = "str",
	[RD] = "rd",
	[RD_VAL] = "rd_val",
	[FD] = "fd",
	[FD_VAL] = "fd_val",
};

struct reader_riscv_dv {
	struct ear_line_reader line;
	uint64_t count;
	uint64_t wide; /* a value that does not fit XLEN */
	bool has_header;
	unsigned columns[CELLS_MAX]; /* which column a cell is; COLUMN_COUNT: another one */
};

static int report(struct reader_riscv_dv *reader, const char *cause)
{
	return ear_line_reader_skip(&reader->line, cause);
}

/* A cell in quotes: what is between them; two quotes mean one and need a copy. */
static bool take_quoted(
	struct ear_text_cursor *cursor, struct ear_record_builder *builder, struct ear_text *cell)
{
	const char *begin = ++cursor->at;
	size_t doubled = 0;

	for (;; cursor->at++) {
		if (ear_text_at_end(cursor))
			return false;
		if (*cursor->at != '"')
			continue;
		if (cursor->end - cursor->at < 2 || cursor->at[1] != '"')
			break;
		cursor->at++;
		doubled++;
	}
	*cell = (struct ear_text){begin, (size_t)(cursor->at - begin)};
	cursor->at++;
	if (doubled == 0 || !builder)
		return true;
	char *copy = ear_record_builder_text(builder, cell->size);
	size_t size = 0;
	for (size_t i = 0; copy && i < cell->size; i++) {
		copy[size++] = cell->text[i];
		i += cell->text[i] == '"';
	}
	*cell = (struct ear_text){copy, size};
	return copy != NULL;
}

/* Split a line. Returns the count of cells, 0 if it is not a line of a CSV file. */
static unsigned split(struct ear_text_cursor cursor, struct ear_record_builder *builder,
	struct ear_text cells[CELLS_MAX])
{
	unsigned count = 0;

	for (;;) {
		if (count == CELLS_MAX)
			return 0;
		if (ear_text_peek(&cursor) == '"') {
			if (!take_quoted(&cursor, builder, &cells[count]))
				return 0;
		} else {
			cells[count] = ear_text_until(&cursor, ',');
		}
		count++;
		if (ear_text_at_end(&cursor))
			return count;
		if (!ear_text_take(&cursor, ','))
			return 0;
	}
}

/* Returns the set of columns found. */
static unsigned find_columns(unsigned columns[CELLS_MAX], const char *const known[COLUMN_COUNT],
	const struct ear_text *cells, unsigned count)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++) {
		columns[i] = 0;
		while (columns[i] < COLUMN_COUNT &&
			(!known[columns[i]] || !ear_text_is(cells[i], known[columns[i]])))
			columns[i]++;
		if (columns[i] < COLUMN_COUNT)
			found |= 1u << columns[i];
	}
	return found;
}

/* The header names the columns; a file made of several may have more than one. */
static bool take_header(
	struct reader_riscv_dv *reader, const struct ear_text *cells, unsigned count)
{
	const unsigned needed = 1u << PC | 1u << GPR | 1u << BINARY;
	const unsigned old_needed = 1u << PC | 1u << RD | 1u << RD_VAL | 1u << BINARY;
	unsigned columns[CELLS_MAX] = {0};

	if ((find_columns(columns, names, cells, count) & needed) != needed &&
		(find_columns(columns, old_names, cells, count) & old_needed) != old_needed)
		return false;
	memcpy(reader->columns, columns, sizeof(columns));
	reader->has_header = true;
	return true;
}

/* Hexadecimal, as the scripts write it without 0x. Returns the digits. */
static size_t take_hex(struct ear_text text, uint64_t *value)
{
	struct ear_text_cursor cursor = ear_text_cursor(text.text, text.size);

	ear_text_skip_blanks(&cursor);
	size_t digits = ear_text_0x(&cursor, value);
	if (digits == 0)
		digits = ear_text_hex(&cursor, value);
	ear_text_skip_blanks(&cursor);
	if (!ear_text_at_end(&cursor))
		return 0;
	return digits;
}

static bool fits(struct reader_riscv_dv *reader, uint64_t value)
{
	const bool good = ear_reader_fits(&reader->line.base, value);

	reader->wide = good ? reader->wide : value;
	return good;
}

/* A sign that was extended is none of RV32. */
static uint64_t to_xlen(const struct reader_riscv_dv *reader, uint64_t value)
{
	return reader->line.base.xlen == 32 ? (uint32_t)value : value;
}

/* "ra:80000004;fa0:3ff0000000000000". NULL, or what is wrong. A register of another name is a word
 * that is not understood. */
static const char *take_registers(struct reader_riscv_dv *reader,
	struct ear_record_builder *builder, struct ear_text cell, bool csr)
{
	struct ear_text_cursor cursor = ear_text_cursor(cell.text, cell.size);

	while (!ear_text_at_end(&cursor)) {
		struct ear_record_register reg = {.reg_class = EAR_REGISTER_CSR};
		enum ear_register_class reg_class = EAR_REGISTER_CSR;

		ear_text_skip_blanks(&cursor);
		struct ear_text item = ear_text_until(&cursor, ';');
		ear_text_take(&cursor, ';');
		struct ear_text_cursor inside = ear_text_cursor(item.text, item.size);
		struct ear_text name = ear_text_until(&inside, ':');
		const bool value_follows = ear_text_take(&inside, ':');
		bool known = csr ? ear_riscv_find_csr(name, &reg.number)
				 : ear_riscv_find_register(name, &reg_class, &reg.number);
		if (!known || reg_class == EAR_REGISTER_V) {
			ear_reader_word(&reader->line.base, 0, item);
			continue;
		}
		if (!value_follows)
			return "a register has no value";
		struct ear_text value = {inside.at, (size_t)(inside.end - inside.at)};
		if (!take_hex(value, &reg.value))
			return "a register value is not a number";
		if (reg_class == EAR_REGISTER_X && !fits(reader, reg.value))
			return EAR_READER_TOO_WIDE;
		if (reg_class == EAR_REGISTER_X)
			reg.value = to_xlen(reader, reg.value);
		reg.reg_class = (uint8_t)reg_class;
		if (reg_class == EAR_REGISTER_X && reg.number == 0)
			continue;
		struct ear_record_register *place = ear_record_builder_register(builder);
		if (!place)
			return "the record has too many registers";
		*place = reg;
	}
	return NULL;
}

/* "a0" and "00000005"; "na" and nothing where the scripts know none. */
static const char *take_destination(struct reader_riscv_dv *reader,
	struct ear_record_builder *builder, struct ear_text name, struct ear_text value)
{
	struct ear_record_register reg = {.number = 0};
	enum ear_register_class reg_class;

	if (name.size == 0 || ear_text_is(name, "na"))
		return NULL;
	if (!ear_riscv_find_register(name, &reg_class, &reg.number)) {
		ear_reader_word(&reader->line.base, 0, name);
		return NULL;
	}
	reg.reg_class = (uint8_t)reg_class;
	if (value.size == 0 || (reg_class == EAR_REGISTER_X && reg.number == 0))
		return NULL;
	if (!take_hex(value, &reg.value))
		return "a register value is not a number";
	if (reg_class == EAR_REGISTER_X && !fits(reader, reg.value))
		return EAR_READER_TOO_WIDE;
	if (reg_class == EAR_REGISTER_X)
		reg.value = to_xlen(reader, reg.value);
	struct ear_record_register *place = ear_record_builder_register(builder);
	if (place)
		*place = reg;
	return NULL;
}

/* "3" or "M", as the simulator said it; empty: unknown. */
static bool take_mode(struct ear_record *record, struct ear_text cell)
{
	static const struct {
		const char *text;
		uint8_t privilege;
	} modes[] = {
		{"0", EAR_PRIVILEGE_U},
		{"1", EAR_PRIVILEGE_S},
		{"2", EAR_PRIVILEGE_RESERVED},
		{"3", EAR_PRIVILEGE_M},
		{"U", EAR_PRIVILEGE_U},
		{"S", EAR_PRIVILEGE_S},
		{"M", EAR_PRIVILEGE_M},
		{"VU", EAR_PRIVILEGE_VU},
		{"VS", EAR_PRIVILEGE_VS},
		{"D", EAR_PRIVILEGE_DEBUG},
		{"u", EAR_PRIVILEGE_U},
		{"s", EAR_PRIVILEGE_S},
		{"m", EAR_PRIVILEGE_M},
		{"vu", EAR_PRIVILEGE_VU},
		{"vs", EAR_PRIVILEGE_VS},
		{"d", EAR_PRIVILEGE_DEBUG},
	};

	if (cell.size == 0)
		return true;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!ear_text_is(cell, modes[i].text))
			continue;
		record->privilege = modes[i].privilege;
		record->flags &= ~(uint32_t)EAR_RECORD_NO_PRIVILEGE;
		return true;
	}
	return false;
}

static void set_opcode(struct ear_record *record, uint64_t opcode)
{
	record->opcode_size = ear_opcode_size(opcode);
	record->opcode = record->opcode_size == 2 ? (uint16_t)opcode : opcode;
	record->flags &= ~(uint32_t)EAR_RECORD_NO_OPCODE;
}

/* The text is kept where the instruction table knows none. Of a reserved opcode it knows the name
 * that Spike's log has.
 */
static void keep_text(struct ear_record_builder *builder, struct ear_text text)
{
	uint32_t opcode = (uint32_t)builder->record.opcode;
	char name[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	ear_inst_decode(&inst, opcode, builder->record.xlen);
	if (inst.kind != EAR_KIND_ILLEGAL || text.size == 0)
		return;
	ear_inst_decode_reserved(&inst, opcode, builder->record.xlen);
	ear_inst_text(name, sizeof(name), &inst, EAR_INST_SPIKE_BASE);
	if (inst.kind == EAR_KIND_ILLEGAL || !ear_text_is(text, name))
		builder->extra.disassembly = ear_record_builder_copy(builder, text);
}

/* NULL, or what is wrong. */
static const char *fill(struct reader_riscv_dv *reader, struct ear_record_builder *builder,
	const struct ear_text by_column[COLUMN_COUNT])
{
	struct ear_record *record = &builder->record;
	const char *wrong = NULL;
	uint64_t opcode;

	record->isa = EAR_ISA_RISCV;
	record->opcode_size = 4;
	record->flags = EAR_RECORD_NO_PRIVILEGE | EAR_RECORD_NO_OPCODE;
	if (!take_hex(by_column[PC], &record->pc))
		return "the pc is missing or malformed";
	if (!fits(reader, record->pc))
		return EAR_READER_TOO_WIDE;
	record->pc = to_xlen(reader, record->pc);
	if (by_column[BINARY].size > 0) {
		if (!take_hex(by_column[BINARY], &opcode) || opcode > UINT32_MAX)
			return "the opcode is not a hexadecimal number of at most 32 bits";
		set_opcode(record, opcode);
	}
	if (!take_mode(record, by_column[MODE]))
		return "the mode is unknown";
	if (!reader->line.base.options.light) {
		wrong = take_registers(reader, builder, by_column[GPR], false);
		if (!wrong)
			wrong = take_registers(reader, builder, by_column[CSR], true);
		if (!wrong)
			wrong = take_destination(reader, builder, by_column[RD], by_column[RD_VAL]);
		if (!wrong)
			wrong = take_destination(reader, builder, by_column[FD], by_column[FD_VAL]);
	}
	record->xlen = reader->line.base.xlen;
	if (!wrong && !reader->line.base.options.light)
		keep_text(builder, by_column[INSTR_STR]);
	return wrong;
}

static int take_line(
	struct ear_line_reader *base, const char *line, size_t size, const struct ear_record **done)
{
	struct reader_riscv_dv *reader = (struct reader_riscv_dv *)base;
	struct ear_text cells[CELLS_MAX], by_column[COLUMN_COUNT] = {{0}};
	struct ear_record_builder *builder =
		ear_record_pair_begin(&reader->line.pair, EAR_RECORD_INSTRUCTION);
	unsigned count = split(ear_text_cursor(line, size), builder, cells);
	int result = 0;

	if (size == 0)
		return 0;
	if (count == 0)
		return report(reader, "the line is not one of a CSV file");
	if (take_header(reader, cells, count))
		return 0;
	if (!reader->has_header)
		return report(reader, "there is no header before the first line");
	for (unsigned i = 0; i < count; i++)
		if (reader->columns[i] < COLUMN_COUNT)
			by_column[reader->columns[i]] = cells[i];
	const char *wrong = fill(reader, builder, by_column);
	if (wrong && strcmp(wrong, EAR_READER_TOO_WIDE) == 0 &&
		ear_reader_take_back_32(&reader->line.base, reader->wide)) {
		result = ear_reader_report(&reader->line.base, EAR_READER_IS_64, EAR_LINE_NOTE);
		builder = ear_record_pair_begin(&reader->line.pair, EAR_RECORD_INSTRUCTION);
		wrong = fill(reader, builder, by_column);
	}
	if (builder->error == EAR_E_NO_MEMORY)
		return builder->error;
	if (wrong || builder->error)
		return report(reader, wrong ? wrong : "the record has too much text");
	builder->record.index = reader->count++;
	builder->record.stream_offset = ear_text_input_offset(reader->line.base.input);
	builder->extra.line = ear_text_input_line_number(reader->line.base.input);
	*done = ear_record_pair_turn_sparse(&reader->line.pair);
	return result;
}

/* What the numbers of the beginning look like: those of pcs and integer registers. */
struct widths {
	unsigned count_short, count_8, count_long, count_16, lines;
	bool sure; /* a value is wider than a digit too many makes it */
	struct ear_xlen_evidence evidence;
};

static void count_width(struct widths *widths, struct ear_text text, bool is_pc)
{
	uint64_t value;
	size_t digits = take_hex(text, &value);

	if (is_pc && digits > 0)
		ear_xlen_see_pc(&widths->evidence, digits, value);
	if (is_pc && digits == 16 && value >> 31 == UINT64_MAX >> 31)
		return; /* of any XLEN */
	widths->sure |= digits > 0 && value >> 36;
	if (digits > 8)
		*(digits == 16 ? &widths->count_16 : &widths->count_long) += 1;
	else if (digits > 0 && !is_pc) /* a pc may have lost its zeros */
		*(digits == 8 ? &widths->count_8 : &widths->count_short) += 1;
}

static void count_registers(struct widths *widths, struct ear_text cell)
{
	struct ear_text_cursor cursor = ear_text_cursor(cell.text, cell.size);

	while (!ear_text_at_end(&cursor)) {
		enum ear_register_class reg_class;
		uint16_t number;
		struct ear_text item = ear_text_until(&cursor, ';');
		ear_text_take(&cursor, ';');
		struct ear_text_cursor inside = ear_text_cursor(item.text, item.size);
		ear_text_skip_blanks(&inside);
		struct ear_text name = ear_text_until(&inside, ':');
		if (ear_text_take(&inside, ':') &&
			ear_riscv_find_register(name, &reg_class, &number) &&
			reg_class == EAR_REGISTER_X)
			count_width(widths,
				(struct ear_text){inside.at, (size_t)(inside.end - inside.at)},
				false);
	}
}

#define LINES_64 128 /* RV64 code of so many lines has more than one wide value */

/* XLEN as the beginning says. With leading zeros all values have 8 digits or 16, and most of them
 * decide; without, values of more than 8 digits do, but a lone one of 9 in a long text has one too
 * many. Where no value has leading zeros, 32 is a guess.
 */
static unsigned probe_xlen(struct ear_text_input *input, bool *extended, bool *guessed)
{
	struct reader_riscv_dv reader = {.has_header = false};
	struct widths widths = {0};
	const char *bytes;
	uint64_t opcode;
	size_t size;

	*extended = *guessed = false;
	if (ear_text_input_peek(input, &bytes, &size) != 0)
		return 32;
	for (struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
		!ear_text_at_end(&cursor);) {
		struct ear_text cells[CELLS_MAX], line = ear_text_until(&cursor, '\n');
		if (!ear_text_take(&cursor, '\n'))
			break;
		if (line.size > 0 && line.text[line.size - 1] == '\r')
			line.size--;
		unsigned count = split(ear_text_cursor(line.text, line.size), NULL, cells);
		if (count == 0 || take_header(&reader, cells, count) || !reader.has_header)
			continue;
		widths.lines++;
		for (unsigned i = 0; i < count; i++) {
			if (reader.columns[i] == PC)
				count_width(&widths, cells[i], true);
			else if (reader.columns[i] == RD_VAL && cells[i].size > 0)
				count_width(&widths, cells[i], false);
			else if (reader.columns[i] == GPR)
				count_registers(&widths, cells[i]);
			else if (reader.columns[i] == BINARY && take_hex(cells[i], &opcode))
				ear_xlen_see_opcode(&widths.evidence, opcode);
		}
	}
	unsigned wide = widths.count_16 + widths.count_long;
	if (widths.count_short == 0 && widths.count_8 + widths.count_16 > 1) {
		*extended = widths.evidence.extended > 0 && widths.count_16 <= widths.count_8;
		return widths.count_16 > widths.count_8 ? 64 : 32;
	}
	if (wide > 1 || (wide == 1 && (widths.sure || widths.lines < LINES_64)))
		return 64;
	*extended = widths.evidence.extended > 0 && widths.evidence.high == 0 &&
		    widths.evidence.only_64 == 0;
	*guessed = widths.evidence.extended == 0 || *extended;
	return *guessed ? 32 : 64;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_riscv_dv *reader = (struct reader_riscv_dv *)base;

	ear_state_u64(walk, &reader->count, UINT64_MAX);
	ear_state_bool(walk, &reader->has_header);
	for (unsigned i = 0; i < CELLS_MAX; i++) {
		uint8_t column = (uint8_t)reader->columns[i];
		ear_state_u8(walk, &column, COLUMN_COUNT);
		if (walk->loading)
			reader->columns[i] = column;
	}
	return ear_state_line_reader(walk, &reader->line);
}

static const struct ear_reader_resume resume = {.walk = walk_state};

struct ear_reader *ear_reader_riscv_dv_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_riscv_dv *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	ear_line_reader_init(&reader->line, input, options, take_line);
	reader->line.base.resume = &resume;
	reader->line.base.xlen = (uint8_t)options->xlen;
	if (options->xlen == 0)
		reader->line.base.xlen = (uint8_t)probe_xlen(
			input, &reader->line.base.extended, &reader->line.base.guessed);
	return &reader->line.base;
}

int ear_reader_riscv_dv_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	struct ear_text line = ear_text_until(&cursor, '\n');
	struct ear_text cells[CELLS_MAX];
	struct reader_riscv_dv reader = {0};

	if (line.size > 0 && line.text[line.size - 1] == '\r')
		line.size--;
	unsigned count = split(ear_text_cursor(line.text, line.size), NULL, cells);
	return count > 0 && take_header(&reader, cells, count) ? 95 : 0;
}
