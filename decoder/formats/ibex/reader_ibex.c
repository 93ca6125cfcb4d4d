/* Traces of the Ibex tracer, and of the tracers of PULP that it comes from, to records: one line
 * each, with columns that blanks or tabs separate.
 *
 * The effects at the end of a line have no column of their own: they begin where a word has the
 * form of a register with a value, or of an address. What is before them is the disassembly.
 *
 * Before 2026 nothing marks a trap or an interrupt. The next pc shows them then: it is not where
 * the instruction goes. What the opcode is decides which of the two it was.
 */
#include "decoder/formats/ibex/reader_ibex.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/formats/base/access.h"
#include "decoder/formats/base/line_reader.h"
#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"

#define MALFORMED "a register or an access is malformed"

/* What is said once of a trace. */
enum warning {
	WARNED_CAPABILITY = 1 << 0,
	WARNED_EXPANSION = 1 << 1,
	WARNED_ACCESS = 1 << 2,
	WARNED_UNKNOWN = 1 << 3,
	WARNED_ALL = 15,
};

struct reader_ibex {
	struct ear_line_reader line;
	uint64_t count;
	bool marked;       /* a mark of a trap or an interrupt was seen: there are marks */
	bool bare;         /* a value without 0x was seen: a tracer of PULP, whose core has loops */
	bool is_expansion; /* the open record is a part of a compressed instruction: */
	uint16_t expansion; /* this one */
	uint8_t warned;     /* a set of enum warning */
};

static int report(struct reader_ibex *reader, const char *cause)
{
	return ear_line_reader_skip(&reader->line, cause);
}

static int warn(struct reader_ibex *reader, enum warning warning, const char *text)
{
	if (reader->warned & warning)
		return 0;
	reader->warned |= (uint8_t)warning;
	return ear_reader_report(&reader->line.base, text, EAR_LINE_NOTE);
}

/* A line, and what the columns and effects add to the record. */
struct line {
	struct reader_ibex *reader;
	struct ear_record_builder *builder;
	struct ear_text_cursor cursor;
	struct ear_text text; /* disassembly */
	struct ear_inst inst;
	uint8_t warnings; /* to be given with the record */
};

/* The first columns: simulation time, clock cycle, pc and opcode. */
struct columns {
	uint64_t time, cycle, pc, opcode;
	size_t pc_digits, opcode_digits;
	bool prefix; /* numbers begin with 0x */
};

static void skip_letters(struct ear_text_cursor *cursor)
{
	while (ear_text_peek(cursor) >= 'a' && ear_text_peek(cursor) <= 'z')
		cursor->at++;
}

/* "134", "134ns", "134.500 ns" */
static bool take_time(struct ear_text_cursor *cursor, uint64_t *time)
{
	uint64_t fraction;

	if (!ear_text_decimal(cursor, time) ||
		(ear_text_take(cursor, '.') && !ear_text_decimal(cursor, &fraction)))
		return false;
	struct ear_text_cursor unit = *cursor;
	ear_text_skip_blanks(&unit);
	if (ear_text_peek(&unit) >= 'a')
		*cursor = unit;
	skip_letters(cursor);
	return true;
}

static bool take_columns(struct ear_text_cursor *cursor, struct columns *columns)
{
	ear_text_skip_blanks(cursor);
	if (!take_time(cursor, &columns->time) || !ear_text_skip_blanks(cursor) ||
		!ear_text_decimal(cursor, &columns->cycle) || !ear_text_skip_blanks(cursor))
		return false;
	columns->prefix = ear_text_take_word(cursor, "0x");
	columns->pc_digits = ear_text_hex(cursor, &columns->pc);
	if (columns->pc_digits == 0 || !ear_text_skip_blanks(cursor))
		return false;
	ear_text_take_word(cursor, "0x");
	columns->opcode_digits = ear_text_hex(cursor, &columns->opcode);
	return columns->opcode_digits > 0 && columns->opcode <= UINT32_MAX &&
	       (ear_text_at_end(cursor) || ear_text_skip_blanks(cursor));
}

/* A value with or without 0x, up to the end of its word. unknown: digits of it are not known.
 * Returns the digits; 0: it is no value. */
static size_t take_value(struct ear_text_cursor *cursor, uint64_t *value, bool *unknown, bool *bare)
{
	*bare = !ear_text_take_word(cursor, "0x");
	struct ear_text_cursor at = *cursor;
	size_t digits = ear_text_hex(&at, value);
	char next = ear_text_peek(&at);

	*unknown = digits == 0 || ear_text_is_placeholder(next);
	if (!*unknown) {
		*cursor = at;
		return digits;
	}
	*value = 0;
	return ear_text_placeholder(cursor);
}

/* "x8", "sp" and such with ":" or "=" after it. */
static bool take_register_name(
	struct ear_text_cursor *cursor, enum ear_register_class *reg_class, uint16_t *number)
{
	struct ear_text_cursor at = *cursor;

	while (ear_text_peek(&at) >= 'a' && ear_text_peek(&at) <= 'z')
		at.at++;
	while (ear_text_is_digit(ear_text_peek(&at)))
		at.at++;
	const struct ear_text name = {cursor->at, (size_t)(at.at - cursor->at)};
	if ((ear_text_peek(&at) != ':' && ear_text_peek(&at) != '=') ||
		!ear_riscv_find_register(name, reg_class, number) || *reg_class == EAR_REGISTER_V)
		return false;
	*cursor = at;
	return true;
}

/* The columns after begin with a register and its value, or with an address. */
static bool at_effects(struct ear_text_cursor cursor)
{
	enum ear_register_class reg_class;
	uint16_t number;

	return ear_text_take_word(&cursor, "PA:") || ear_text_take_word(&cursor, "expand_insn:") ||
	       take_register_name(&cursor, &reg_class, &number);
}

/* The disassembly: words up to the effects or the end. */
static struct ear_text take_text(struct ear_text_cursor *cursor)
{
	struct ear_text text = {cursor->at, 0};

	while (!ear_text_at_end(cursor) && !at_effects(*cursor)) {
		ear_text_token(cursor);
		text.size = (size_t)(cursor->at - text.text);
		ear_text_skip_blanks(cursor);
	}
	return text;
}

/* "+0x00012345a": tag and metadata of a capability of CHERIoT. */
static bool take_capability(struct line *line, uint64_t *metadata)
{
	if (!ear_text_take_word(&line->cursor, "+0x"))
		return false;
	line->warnings |= WARNED_CAPABILITY;
	return ear_text_hex(&line->cursor, metadata) > 0 || ear_text_placeholder(&line->cursor) > 0;
}

/* "x8:0x00008000" was read, "x8=0x00007fff" written; PULP has no 0x. */
static bool take_register(struct line *line)
{
	struct ear_record_builder *builder = line->builder;
	enum ear_register_class reg_class;
	uint64_t value, metadata;
	uint16_t number;
	bool unknown, bare;

	if (!take_register_name(&line->cursor, &reg_class, &number))
		return false;
	bool write = ear_text_take(&line->cursor, '=');
	if (!write)
		ear_text_take(&line->cursor, ':');
	size_t digits = take_value(&line->cursor, &value, &unknown, &bare);
	line->reader->bare |= bare && !unknown;
	if (digits == 0 ||
		(ear_text_peek(&line->cursor) == '+' && !take_capability(line, &metadata)))
		return false;
	if (unknown)
		line->warnings |= WARNED_UNKNOWN;
	if (unknown || (reg_class == EAR_REGISTER_X && number == 0))
		return true;
	struct ear_record_register *reg =
		write ? ear_record_builder_register(builder) : ear_record_builder_read(builder);
	if (reg)
		*reg = (struct ear_record_register){.reg_class = (uint8_t)reg_class,
			.size = digits <= 16 ? (uint8_t)((digits + 1) / 2) : 0,
			.number = number,
			.value = value};
	return reg != NULL;
}

static uint64_t keep_bytes(uint64_t value, unsigned size)
{
	return size == 0 || size >= 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

/* "0x????1234": of the bytes of a word, lowest last, those without "?" were written. All digits of
 * a word, and the access is of less: those of the opcode's size. */
static bool take_stored(struct line *line, struct ear_record_access *access)
{
	struct ear_text_cursor *cursor = &line->cursor;
	unsigned below = 0, known = 0, count = 0;
	uint64_t value = 0, metadata;

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
	if (ear_text_peek(cursor) == '+') {
		if (!take_capability(line, &metadata))
			return false;
		value |= metadata << 32;
		known = 16;
		access->size = 8;
	}
	access->address += below / 2;
	if (access->size == 0 || known / 2 < access->size)
		access->size = (uint8_t)(known / 2);
	access->value = keep_bytes(value, access->size);
	access->has_value = true;
	return true;
}

/* "load:0x.." */
static bool take_loaded(struct line *line, struct ear_record_access *access)
{
	uint64_t value, metadata;
	bool unknown, bare;

	if (take_value(&line->cursor, &value, &unknown, &bare) == 0 || bare)
		return false;
	if (ear_text_peek(&line->cursor) == '+') {
		if (!take_capability(line, &metadata))
			return false;
		value |= metadata << 32;
		access->size = 8;
	}
	access->value = keep_bytes(value, access->size);
	access->has_value = !unknown;
	return true;
}

/* Of accesses that the instruction table does not know, as PULP's p.lbu and cv.sw: b, h or w after
 * the letter l or s. */
static void judge_by_name(struct ear_record_access *access, struct ear_text text)
{
	struct ear_text_cursor cursor = ear_text_cursor(text.text, text.size);

	ear_text_take_word(&cursor, "c.");
	if (!ear_text_take_word(&cursor, "p.") && !ear_text_take_word(&cursor, "cv."))
		return;
	char letter = ear_text_peek(&cursor);
	if ((letter != 's' && letter != 'l') || cursor.end - cursor.at < 2)
		return;
	char width = cursor.at[1];
	access->write = letter == 's';
	access->size = width == 'b' ? 1 : width == 'h' ? 2 : width == 'w' ? 4 : 0;
}

static bool add_access(struct line *line, const struct ear_record_access *access)
{
	struct ear_record_access *place = ear_record_builder_access(line->builder);

	if (place)
		*place = *access;
	return place != NULL;
}

/* "PA:0x00001000 store:0x0000002a" or "load:0x..": after a trap without data, and so in PULP's.
 *
 * What the opcode does decides, not the word: from 2019 to 2024 a load shows the value of the write
 * port as "store:", and a store has a "load:" after its "store:" that nothing loaded. */
static bool take_access(struct line *line)
{
	struct ear_record_access stored = {.size = line->inst.access_size}, loaded = stored;
	uint64_t address;
	bool unknown, bare;

	if (!ear_text_take_word(&line->cursor, "PA:") ||
		!take_value(&line->cursor, &address, &unknown, &bare))
		return false;
	stored.address = loaded.address = address;
	ear_text_skip_blanks(&line->cursor);
	bool store = ear_text_take_word(&line->cursor, "store:");
	if (store && !take_stored(line, &stored))
		return false;
	ear_text_skip_blanks(&line->cursor);
	bool load = ear_text_take_word(&line->cursor, "load:");
	if (load && !take_loaded(line, &loaded))
		return false;
	if (unknown) {
		line->warnings |= WARNED_UNKNOWN;
		return true;
	}
	stored.write = true;
	if (store)
		loaded.value = loaded.has_value = false;
	if (line->inst.kind == EAR_KIND_AMO)
		return add_access(line, &loaded) && add_access(line, &stored);
	struct ear_record_access access = store ? stored : loaded;
	if (line->inst.access_size == 0 && !store && !load)
		judge_by_name(&access, line->text);
	ear_access_follow_opcode(&access, line->inst.kind, line->inst.access_size);
	return add_access(line, &access);
}

/* "63 1234ns": when a division of the floating-point unit ended. */
static bool take_stop(struct ear_text_cursor *cursor)
{
	uint64_t cycle, time;

	return ear_text_decimal(cursor, &cycle) && ear_text_skip_blanks(cursor) &&
	       take_time(cursor, &time);
}

/* A word that is nothing of the above: the rest of the line is used. */
static bool pass_word(struct line *line)
{
	ear_reader_word(&line->reader->line.base, 0, ear_text_token(&line->cursor));
	return true;
}

static bool take_effects(struct line *line)
{
	struct ear_text_cursor *cursor = &line->cursor;

	for (;;) {
		bool good;

		ear_text_skip_blanks(cursor);
		if (ear_text_at_end(cursor))
			return true;
		if (ear_text_take_word(cursor, "expand_insn: ("))
			good = ear_text_until(cursor, ')').size > 0 && ear_text_take(cursor, ')');
		else if (*cursor->at == 'P')
			good = take_access(line);
		else if (ear_text_is_digit(*cursor->at))
			good = take_stop(cursor);
		else if (at_effects(*cursor))
			good = take_register(line);
		else
			good = pass_word(line);
		if (!good)
			return false;
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

/* "-->" marks an instruction that trapped, "==>" the first one of an interrupt handler, "(C)" of
 * CV32E40P one that trapped. The text is kept, with blanks for tabs, where the instruction table
 * knows none. */
static void take_marks(struct line *line, bool light)
{
	struct ear_text_cursor cursor = ear_text_cursor(line->text.text, line->text.size);
	struct ear_record_builder *builder = line->builder;

	if (ear_text_take_word(&cursor, "-->") || ear_text_take_word(&cursor, "(C)")) {
		line->reader->marked = true;
		set_cause(&builder->record);
	} else if (ear_text_take_word(&cursor, "==>")) {
		line->reader->marked = true;
		builder->record.flags |= EAR_RECORD_HANDLER;
	}
	ear_text_skip_blanks(&cursor);
	line->text = (struct ear_text){cursor.at, (size_t)(cursor.end - cursor.at)};
	if (ear_text_take_word(&cursor, "c.") && line->inst.size == 4)
		line->warnings |= WARNED_EXPANSION;
	if (light || line->inst.kind != EAR_KIND_ILLEGAL || line->text.size == 0)
		return;
	char *copy = ear_record_builder_text(builder, line->text.size);
	for (size_t i = 0; copy && i < line->text.size; i++)
		copy[i] = line->text.text[i] == '\t' ? ' ' : line->text.text[i];
	builder->extra.disassembly = (struct ear_text){copy, copy ? line->text.size : 0};
}

/* The word of a text that has a character at. */
static struct ear_text find_word(struct ear_text text, const char *at)
{
	const char *begin = at;

	while (begin > text.text && !ear_text_is_blank(begin[-1]))
		begin--;
	return (struct ear_text){begin, (size_t)(text.text + text.size - begin)};
}

/* "expand_insn: (0xb842 cm.push ..)": the line is of one step of this instruction. */
static bool find_expansion(struct ear_text_cursor cursor, uint64_t *opcode)
{
	while (!ear_text_at_end(&cursor)) {
		if (ear_text_take_word(&cursor, "expand_insn: (0x"))
			return ear_text_hex(&cursor, opcode) > 0 && *opcode <= UINT16_MAX;
		ear_text_token(&cursor);
		ear_text_skip_blanks(&cursor);
	}
	return false;
}

/* Can the next pc be that of an instruction which runs on, and is no jump? Tracers of PULP show the
 * opcode that a compressed instruction stands for, so its size is not known. */
static bool runs_on(const struct ear_record *record, uint64_t next_pc)
{
	return next_pc == record->pc + 2 || next_pc == record->pc + 4;
}

static bool is_expected(
	const struct ear_record *record, const struct ear_inst *inst, uint64_t next_pc)
{
	uint64_t target = (uint32_t)(record->pc + (uint64_t)inst->imm);

	switch (inst->kind) {
	case EAR_KIND_BRANCH: return runs_on(record, next_pc) || next_pc == target;
	case EAR_KIND_JUMP: return inst->flags & EAR_INST_INDIRECT || next_pc == target;
	case EAR_KIND_SYSTEM:
		return runs_on(record, next_pc) || record->opcode == EAR_OPCODE_MRET ||
		       record->opcode == EAR_OPCODE_SRET || record->opcode == EAR_OPCODE_DRET ||
		       record->opcode == EAR_OPCODE_MNRET;
	default: return runs_on(record, next_pc);
	}
}

static bool is_named_illegal(struct ear_text text)
{
	struct ear_text_cursor cursor = ear_text_cursor(text.text, text.size);

	return ear_text_take_word(&cursor, "INVALID") || ear_text_take_word(&cursor, "illegal");
}

static bool traps_itself(const struct ear_inst *inst)
{
	return inst->id == EAR_INST_ECALL || inst->id == EAR_INST_EBREAK ||
	       inst->id == EAR_INST_C_EBREAK;
}

/* A trace without marks: did the instruction before trap, or an interrupt come after it? The core
 * of PULP has hardware loops, so a pc of another place alone shows nothing there. */
static int look_back(struct reader_ibex *reader, struct ear_record *next)
{
	struct ear_record_builder *open = ear_record_pair_open(&reader->line.pair);
	struct ear_record *before = &open->record;
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)before->opcode, before->xlen);
	if (before->flags & EAR_RECORD_TRAP || before->xlen != 32 ||
		is_expected(before, &inst, next->pc))
		return 0;
	if (traps_itself(&inst) ||
		(inst.kind == EAR_KIND_ILLEGAL &&
			(!reader->bare || is_named_illegal(open->extra.disassembly)))) {
		set_cause(before);
		return 0;
	}
	if (reader->bare || inst.kind == EAR_KIND_ILLEGAL)
		return 0;
	next->flags |= EAR_RECORD_HANDLER;
	return inst.access_size == 0
		       ? 0
		       : warn(reader, WARNED_ACCESS,
				 "after a load or store another place follows: taken for an "
				 "interrupt, though the access may have trapped");
}

/* A branch of a compressed instruction, shown as what it stands for, has 2 bytes. */
static void set_next(struct ear_record *before, const struct ear_record *next)
{
	struct ear_inst inst;

	if (!(before->flags & EAR_RECORD_NO_NEXT_PC) || next->pc != before->pc + 2)
		return;
	ear_inst_decode(&inst, (uint32_t)before->opcode, before->xlen);
	if (inst.kind == EAR_KIND_BRANCH) {
		before->next_pc = next->pc;
		before->flags &= ~(uint32_t)EAR_RECORD_NO_NEXT_PC;
	}
}

static const struct ear_record *turn(struct reader_ibex *reader)
{
	struct ear_record_pair *pair = &reader->line.pair;
	bool broken = pair->broken;
	const struct ear_record *done = ear_record_pair_turn(pair);

	if (done && !broken)
		set_next(&pair->builders[!pair->current].record,
			&pair->builders[pair->current].record);
	return done;
}

static int give_warnings(struct reader_ibex *reader, uint8_t warnings)
{
	static const struct {
		enum warning warning;
		const char *text;
	} rows[] = {
		{WARNED_CAPABILITY, "tags and bounds of capabilities in registers are not kept"},
		{WARNED_EXPANSION,
			"compressed instructions are shown, and kept, as what they stand for"},
		{WARNED_UNKNOWN, "a value is not known: the register or access is left out"},
	};
	int result = 0;

	for (size_t i = 0; warnings && result == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (warnings & rows[i].warning)
			result = warn(reader, rows[i].warning, rows[i].text);
	return result;
}

static struct ear_record_builder *begin(struct reader_ibex *reader, const struct columns *columns)
{
	struct ear_record_builder *builder =
		ear_record_pair_begin(&reader->line.pair, EAR_RECORD_INSTRUCTION);
	struct ear_record *record = &builder->record;

	record->index = reader->count;
	record->stream_offset = ear_text_input_offset(reader->line.base.input);
	record->ticks = columns->cycle;
	record->flags = EAR_RECORD_HAS_TIME | EAR_RECORD_NO_PRIVILEGE;
	record->isa = EAR_ISA_RISCV;
	record->xlen = (uint8_t)ear_reader_xlen(&reader->line.base, columns->pc_digits);
	record->pc = columns->pc;
	record->opcode = columns->opcode;
	record->opcode_size = columns->opcode_digits <= 4 || (columns->opcode & 3) != 3 ? 2 : 4;
	builder->extra.line = ear_text_input_line_number(reader->line.base.input);
	return builder;
}

/* The open record is of the same instruction, of which this line is the next step. */
static bool continues(
	const struct reader_ibex *reader, const struct columns *columns, uint64_t expansion)
{
	const struct ear_record_pair *pair = &reader->line.pair;

	return pair->open && !pair->broken && reader->is_expansion &&
	       reader->expansion == expansion &&
	       pair->builders[pair->current].record.pc == columns->pc;
}

static int take_line(
	struct ear_line_reader *base, const char *text, size_t size, const struct ear_record **done)
{
	struct reader_ibex *reader = (struct reader_ibex *)base;
	const bool light = base->base.options.light;
	struct line line = {.reader = reader, .cursor = ear_text_cursor(text, size)};
	struct ear_text_cursor header = line.cursor;
	struct columns columns;
	uint64_t expansion = 0;
	int result;

	ear_text_skip_blanks(&header);
	if (ear_text_at_end(&header) || ear_text_take_word(&header, "Time"))
		return 0;
	if (!ear_text_is_digit(ear_text_peek(&header))) /* every line begins with a time */
		return ear_line_reader_pass(base, EAR_READER_OTHER "trace of Ibex");
	if (!take_columns(&line.cursor, &columns))
		return report(
			reader, "the columns time, cycle, pc and opcode are missing or malformed");
	bool step = find_expansion(line.cursor, &expansion);
	bool more = step && continues(reader, &columns, expansion);
	line.builder = more ? ear_record_pair_open(&base->pair) : begin(reader, &columns);
	struct ear_record *record = &line.builder->record;
	ear_inst_decode(&line.inst, (uint32_t)columns.opcode, record->xlen);
	line.text = take_text(&line.cursor);
	take_marks(&line, light);
	const char *equals = memchr(line.text.text, '=', line.text.size);
	if (equals)
		ear_reader_word(&base->base, 0, find_word(line.text, equals));
	if (step) {
		record->opcode = expansion;
		record->opcode_size = 2;
	}
	if (!light && !take_effects(&line) && !line.builder->error)
		return report(reader, MALFORMED);
	if (line.builder->error)
		return line.builder->error == EAR_E_FULL
			       ? report(reader, "the record has too many effects")
			       : line.builder->error;
	if (!ear_line_reader_fits(base, line.builder))
		return report(reader, EAR_READER_TOO_WIDE);
	result = give_warnings(reader, line.warnings);
	if (result || more)
		return result;
	if (base->pair.open && !base->pair.broken && !reader->marked)
		result = look_back(reader, record);
	reader->count++;
	reader->is_expansion = step;
	reader->expansion = (uint16_t)expansion;
	*done = turn(reader);
	return result;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_ibex *reader = (struct reader_ibex *)base;

	ear_state_u64(walk, &reader->count, UINT64_MAX);
	ear_state_bool(walk, &reader->marked);
	ear_state_bool(walk, &reader->bare);
	ear_state_bool(walk, &reader->is_expansion);
	ear_state_u16(walk, &reader->expansion, UINT16_MAX);
	ear_state_u8(walk, &reader->warned, WARNED_ALL);
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

/* The header, or lines that could only be of this format: four columns, and tabs between or all
 * digits of RV32. */
int ear_reader_ibex_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	struct ear_text line = ear_text_until(&cursor, '\n');
	struct ear_text_cursor inside = ear_text_cursor(line.text, line.size);
	struct columns columns;

	ear_text_skip_blanks(&inside);
	if (ear_text_take_word(&inside, "Time") && ear_text_skip_blanks(&inside) &&
		ear_text_take_word(&inside, "Cycle"))
		return 95;
	inside = ear_text_cursor(line.text, line.size);
	if (!take_columns(&inside, &columns) || columns.pc_digits < 8)
		return 0;
	if (memchr(line.text, '\t', line.size))
		return 80;
	return columns.pc_digits == 8 && columns.opcode_digits == 8 && !columns.prefix ? 55 : 0;
}
