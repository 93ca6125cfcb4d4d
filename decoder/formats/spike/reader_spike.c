/* Logs of Spike, and of the cores and simulators that write its lines, to records.
 *
 * -l gives a line with the opcode and its disassembly, --log-commits one with the effects; a log
 * has either or both. A commit line belongs to the open record if hart, pc and opcode are the
 * same, else it begins a record. Exceptions are lines of their own.
 *
 * A core with a scoreboard commits an instruction before its value is there. Such a record waits in
 * a queue, with those after it, until the line of the value comes (spike_late.h).
 */
#include "decoder/formats/spike/reader_spike.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/base/access.h"
#include "decoder/formats/base/line_reader.h"
#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/formats/spike/spike_cause.h"
#include "decoder/formats/spike/spike_late.h"
#include "decoder/formats/spike/spike_line.h"
#include "decoder/formats/spike/spike_opcode.h"
#include "decoder/formats/spike/spike_pairs.h"
#include "decoder/formats/spike/spike_values.h"
#include "decoder/formats/spike/spike_xlen.h"
#include "decoder/isa/opcode.h"
#include "decoder/record/field.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"

/* A record is the line of -l, with the opcode and its disassembly, then the line of
 * --log-commits, with the effects, or the lines of an exception; each may be missing.
 */
struct reader_spike {
	struct ear_line_reader line;
	uint64_t count;
	bool committed;      /* the open record has had its commit line */
	bool has_commits;    /* there was a commit line */
	bool has_listing;    /* one of -l */
	bool plain_commits;  /* the commit line read last has no "core": not Spike's own */
	bool has_exceptions; /* one that only logs with exceptions have */
	bool is_cva6;        /* one that only CVA6 writes */
	bool has_unknown;    /* a value that is not known and never comes */
	bool warned_repeat;  /* about "Executed N times" */
	bool warned_unknown; /* about values that are not known */
	bool has_fetch;      /* the line of -l read last: pc and opcode, and its hart */
	uint16_t fetch_hart;
	uint64_t fetch_pc, fetch_opcode;
	bool has_trigger; /* a debug trigger fired; its trap comes next */
	uint8_t trigger_action;
	uint16_t trigger_hart;
	bool listed; /* the open record has a line of -l */
	struct ear_spike_pairs pairs;
	struct ear_spike_opcodes *opcodes;
	struct ear_spike_late *late;
	void (*free_base)(struct ear_reader *reader);
	int (*next_base)(struct ear_reader *reader, const struct ear_record **record);
};

static int report(struct reader_spike *reader, const char *cause)
{
	ear_spike_late_give_up(reader->late);
	return ear_line_reader_skip(&reader->line, cause);
}

/* Said once. */
static int warn(struct reader_spike *reader, bool *warned, const char *text)
{
	if (*warned)
		return 0;
	*warned = true;
	return ear_reader_report(&reader->line.base, text, EAR_LINE_NOTE);
}

#define UNKNOWN_VALUE "a value is not known: the register or the data are left out"

static uint64_t to_xlen(uint64_t value, unsigned xlen)
{
	return xlen == 32 ? (uint32_t)value : value;
}

static struct ear_record_builder *begin(
	struct reader_spike *reader, const struct ear_spike_line *line, uint64_t pc, unsigned xlen)
{
	struct ear_record_builder *builder =
		ear_record_pair_begin(&reader->line.pair, EAR_RECORD_INSTRUCTION);
	struct ear_record *record = &builder->record;

	record->hart = line->hart;
	record->index = reader->count;
	record->stream_offset = ear_text_input_offset(reader->line.base.input);
	record->isa = EAR_ISA_RISCV;
	record->xlen = (uint8_t)xlen;
	record->pc = to_xlen(pc, xlen);
	record->flags = EAR_RECORD_NO_PRIVILEGE | (line->interrupt ? EAR_RECORD_HANDLER : 0u);
	builder->extra.line = ear_text_input_line_number(reader->line.base.input);
	return builder;
}

static const struct ear_spike_opcode *find_opcode(
	struct reader_spike *reader, const struct ear_record *record)
{
	return ear_spike_opcode(reader->opcodes, (uint32_t)record->opcode, record->xlen);
}

/* The record that ends, if it has its line of -l alone, although it retired. */
static void note_lone_listing(struct reader_spike *reader)
{
	const struct ear_record_builder *open = ear_record_pair_open(&reader->line.pair);

	if (open && !reader->line.pair.broken &&
		!(open->record.flags &
			(EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE)))
		ear_spike_pairs_lone(&reader->pairs, &reader->line.base,
			find_opcode(reader, &open->record)->writes ? EAR_SPIKE_LONE_WRITE
								   : EAR_SPIKE_LONE_SILENT,
			open->extra.line);
}

static const struct ear_record *turn(struct reader_spike *reader)
{
	if (reader->listed && !reader->committed)
		note_lone_listing(reader);
	reader->count++;
	reader->committed = reader->listed = false;
	return ear_record_pair_turn(&reader->line.pair);
}

/* What the form of the lines so far does not show: without -l no log has exceptions, and CVA6 shows
 * an interrupt by its handler alone. */
static void note_form(struct reader_spike *reader)
{
	uint64_t lacks = 0;

	if (reader->has_commits && !reader->has_listing && !reader->has_exceptions)
		lacks = EAR_FIELD_BIT(EAR_FIELD_TRAP) | EAR_FIELD_BIT(EAR_FIELD_CAUSELESS) |
			EAR_FIELD_BIT(EAR_FIELD_INTERRUPT);
	else if (reader->is_cva6)
		lacks = EAR_FIELD_BIT(EAR_FIELD_INTERRUPT);
	reader->line.base.lacks = lacks;
}

/* What is more than 32 bits long is no instruction: it traps as its lowest 32 bits would. */
static void set_opcode(struct ear_record_builder *builder, uint64_t opcode)
{
	struct ear_record *record = &builder->record;

	record->opcode_size = ear_opcode_size(opcode);
	record->opcode = record->opcode_size == 2 ? (uint16_t)opcode : (uint32_t)opcode;
	record->flags &= ~(uint32_t)EAR_RECORD_NO_OPCODE;
	builder->extra.wide_opcode = opcode > UINT32_MAX ? opcode : 0;
}

static void set_head_opcode(struct ear_record_builder *builder, const struct ear_spike_head *head)
{
	set_opcode(builder, head->opcode);
	builder->record.flags |= head->no_opcode ? EAR_RECORD_NO_OPCODE : 0;
}

/* The disassembly is kept where it is not what the writer would write: of other versions and
 * configurations, and of instructions that only Spike knows. */
static void keep_text(
	struct reader_spike *reader, struct ear_record_builder *builder, struct ear_text text)
{
	if (text.size > 5 && memcmp(text.text, "DASM(", 5) == 0) { /* for spike-dasm */
		reader->is_cva6 = true;
		return;
	}
	if (text.size == 0 || reader->line.base.options.light)
		return;
	if (builder->record.flags & EAR_RECORD_NO_OPCODE) {
		if (!ear_text_is(text, "unknown"))
			builder->extra.disassembly = ear_record_builder_copy(builder, text);
		return;
	}
	const struct ear_spike_opcode *opcode = find_opcode(reader, &builder->record);
	if (text.size != opcode->text_size || memcmp(text.text, opcode->text, text.size) != 0)
		builder->extra.disassembly = ear_record_builder_copy(builder, text);
}

/* NULL, or what is wrong. */
static const char *take_head(
	struct reader_spike *reader, struct ear_text_cursor *cursor, struct ear_spike_head *head)
{
	size_t digits;

	if (!ear_spike_take_pc(cursor, head, &digits))
		return "the pc or the opcode is missing or malformed";
	head->xlen = ear_reader_xlen(&reader->line.base, digits);
	head->pc = ear_spike_extend_pc(head->pc, digits);
	return ear_reader_fits(&reader->line.base, head->pc) ? NULL : EAR_READER_TOO_WIDE;
}

/* "0x80000038" alone. */
static const char *take_bare_pc(
	struct reader_spike *reader, struct ear_text_cursor *cursor, struct ear_spike_head *head)
{
	size_t digits = ear_text_0x(cursor, &head->pc);

	if (digits == 0)
		return "the pc or the opcode is missing or malformed";
	head->opcode = 0;
	head->xlen = ear_reader_xlen(&reader->line.base, digits);
	return ear_reader_fits(&reader->line.base, head->pc) ? NULL : EAR_READER_TOO_WIDE;
}

/* The line of -l. */
static int take_instruction(
	struct reader_spike *reader, struct ear_spike_line *line, const struct ear_record **done)
{
	struct ear_spike_head head;
	const char *fault = take_head(reader, &line->cursor, &head);

	if (fault)
		return report(reader, fault);
	struct ear_record_builder *builder = begin(reader, line, head.pc, head.xlen);
	set_head_opcode(builder, &head);
	ear_text_skip_blanks(&line->cursor);
	if (!head.no_opcode && ear_spike_is_of_other_xlen(line->cursor, &builder->record))
		return report(reader, "the disassembly is of the other XLEN (see --xlen)");
	reader->has_listing = true;
	reader->has_fetch = !head.no_opcode;
	reader->fetch_hart = line->hart;
	reader->fetch_pc = head.pc;
	reader->fetch_opcode = head.opcode;
	keep_text(reader, builder, ear_text_until(&line->cursor, '\n'));
	if (builder->error)
		return builder->error;
	*done = turn(reader);
	reader->listed = true;
	return 0;
}

/* Data of a store: of CVA6 all digits of a register, of which the opcode says how many bytes are
 * stored. */
static bool take_stored(struct ear_record_builder *builder, const struct ear_record_access *like,
	const struct ear_spike_opcode *opcode, struct ear_text_cursor *cursor)
{
	const struct ear_text_cursor begin = *cursor;
	struct ear_record_access access = *like;
	size_t digits = ear_text_hex(cursor, &access.value);

	if (digits == 0 ||
		(opcode->kind != EAR_KIND_LOAD &&
			(opcode->access_size == 0 || digits <= 2 * (size_t)opcode->access_size))) {
		*cursor = begin;
		return ear_record_builder_memory(builder, like, cursor) > 0;
	}
	struct ear_record_access *place = ear_record_builder_access(builder);
	access.has_value = true;
	ear_access_follow_opcode(&access, opcode->kind, opcode->access_size);
	if (place)
		*place = access;
	return place != NULL;
}

/* "mem 0x<address>" is a load, with data after it a store. */
static bool take_memory(struct reader_spike *reader, struct ear_record_builder *builder,
	struct ear_text_cursor *cursor)
{
	struct ear_record_access like = {0};
	struct ear_text_cursor after;

	if (!ear_text_take_word(cursor, "mem ") ||
		(ear_text_skip_blanks(cursor), !ear_text_0x(cursor, &like.address)))
		return false;
	after = *cursor;
	const struct ear_spike_opcode *opcode = find_opcode(reader, &builder->record);
	like.size = opcode->access_size;
	if (ear_text_skip_blanks(&after) && ear_text_take_word(&after, "0x")) {
		like.write = true;
		*cursor = after;
		if (!ear_text_placeholder(cursor))
			return reader->plain_commits
				       ? take_stored(builder, &like, opcode, cursor)
				       : ear_record_builder_memory(builder, &like, cursor) > 0;
	}
	if (reader->plain_commits)
		ear_access_follow_opcode(&like, opcode->kind, opcode->access_size);
	struct ear_record_access *access = ear_record_builder_access(builder);
	if (access)
		*access = like;
	return access != NULL;
}

static bool take_value(struct ear_record_builder *builder, enum ear_register_class reg_class,
	uint64_t number, struct ear_text_cursor *cursor)
{
	struct ear_record_register reg = {
		.reg_class = (uint8_t)reg_class, .number = (uint16_t)number};
	size_t digits;

	if (reg_class == EAR_REGISTER_V) {
		if (!ear_text_take_word(cursor, "0x") ||
			!ear_record_builder_bytes(builder, &reg, cursor))
			return false;
	} else if ((digits = ear_text_0x(cursor, &reg.value)) != 0) {
		reg.size = digits <= 16 ? (uint8_t)((digits + 1) / 2) : 0;
	} else if (reg_class != EAR_REGISTER_F ||
		   !ear_spike_take_wide_float(builder, &reg, cursor)) {
		return false;
	}
	if (reg_class == EAR_REGISTER_X && number == 0)
		return true;
	struct ear_record_register *place = ear_record_builder_register(builder);
	if (place)
		*place = reg;
	return place != NULL;
}

/* "p16 0xXXXX": the value comes in a line of its own, or never. */
static bool take_late_value(struct reader_spike *reader, struct ear_record_builder *builder,
	enum ear_register_class reg_class, uint64_t number, struct ear_text_cursor *cursor)
{
	struct ear_text_cursor at = *cursor;
	uint64_t tag;
	char first = ear_text_peek(&at);

	if (first == '0' && at.end - at.at > 2 && ear_hex_digit(at.at[2]) >= 0)
		return false;
	bool tagged = ear_text_take(&at, 'p') && ear_text_decimal(&at, &tag) &&
		      ear_text_skip_blanks(&at) > 0;

	if (!tagged)
		at = *cursor;
	if (!ear_text_placeholder(&at))
		return false;
	*cursor = at;
	if (tagged)
		ear_spike_late_expect(reader->late, builder, reg_class, (uint16_t)number);
	else
		reader->has_unknown = true;
	return true;
}

/* "x5  0x..", "x 5 0x..", "f5 ..", "v8 ..", "c768_mstatus 0x.." */
static bool take_register(struct reader_spike *reader, struct ear_record_builder *builder,
	struct ear_text_cursor *cursor)
{
	char letter = *cursor->at++;
	enum ear_register_class reg_class = letter == 'x'   ? EAR_REGISTER_X
					    : letter == 'f' ? EAR_REGISTER_F
					    : letter == 'v' ? EAR_REGISTER_V
							    : EAR_REGISTER_CSR;
	uint64_t number;

	ear_text_skip_blanks(cursor);
	if (!ear_text_decimal(cursor, &number) || number >= (letter == 'c' ? 4096u : 32u))
		return false;
	if (letter == 'c')
		ear_text_until(cursor, ' ');
	return ear_text_skip_blanks(cursor) &&
	       (take_late_value(reader, builder, reg_class, number, cursor) ||
		       take_value(builder, reg_class, number, cursor));
}

static bool take_effect(struct reader_spike *reader, struct ear_record_builder *builder,
	struct ear_text_cursor *cursor)
{
	switch (ear_spike_is_effect(*cursor) ? *cursor->at : '\0') {
	case 'x':
	case 'f':
	case 'v':
	case 'c': return take_register(reader, builder, cursor);
	case 'e': return ear_spike_take_vector_config(builder, cursor);
	case 'm': return take_memory(reader, builder, cursor);
	default: return false;
	}
}

/* The disassembly after the effects, as Dromajo printed it in 2020: its first word is that of the
 * opcode. */
static bool take_text(struct reader_spike *reader, struct ear_record_builder *builder,
	struct ear_text_cursor *cursor)
{
	struct ear_text text = {cursor->at, (size_t)(cursor->end - cursor->at)};
	const size_t size = ear_text_token(cursor).size;
	const struct ear_spike_opcode *opcode = find_opcode(reader, &builder->record);

	cursor->at = text.text;
	if (builder->record.flags & EAR_RECORD_NO_OPCODE || size > opcode->text_size ||
		memcmp(text.text, opcode->text, size) != 0 ||
		(size < opcode->text_size && opcode->text[size] != ' '))
		return false;
	while (ear_text_is_blank(text.text[text.size - 1]))
		text.size--;
	keep_text(reader, builder, text);
	return true;
}

/* Everything after "(0x<opcode>)" of a commit line. NULL, or what is wrong. What is malformed in
 * the line's last words may be cut off with the rest of the text; elsewhere it is not understood,
 * and the record stays. */
static const char *take_effects(struct reader_spike *reader, struct ear_record_builder *builder,
	struct ear_text_cursor *cursor)
{
	while (ear_text_skip_blanks(cursor), !ear_text_at_end(cursor)) {
		struct ear_text_cursor at = *cursor;

		if (*cursor->at == '\0')
			return "the line holds a NUL character";
		if (take_effect(reader, builder, &at)) {
			*cursor = at;
			continue;
		}
		if (builder->error || ear_text_input_cut(reader->line.base.input))
			return "an effect is malformed";
		if (take_text(reader, builder, cursor))
			break;
		ear_reader_word(&reader->line.base, builder->record.hart, ear_text_token(cursor));
	}
	return NULL;
}

static bool is_commit_of_open(const struct reader_spike *reader, const struct ear_spike_line *line,
	const struct ear_spike_head *head, bool has_opcode)
{
	const struct ear_record *record =
		&reader->line.pair.builders[reader->line.pair.current].record;
	uint64_t mask = record->opcode_size == 2 ? 0xFFFF : 0xFFFFFFFF;

	return reader->line.pair.open && !reader->committed && record->hart == line->hart &&
	       !(record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)) &&
	       to_xlen(record->pc, head->xlen) == to_xlen(head->pc, head->xlen) &&
	       !(has_opcode && (record->opcode ^ head->opcode) & mask);
}

/* A commit line has no line of -l, and Spike prints none there: of the first instruction after an
 * interrupt, and of one that repeats itself, where lines of other harts may be between. */
static bool needs_no_listing(const struct reader_spike *reader, const struct ear_spike_line *line,
	const struct ear_spike_head *head)
{
	const struct ear_record *last =
		&reader->line.pair.builders[reader->line.pair.current].record;

	return (reader->line.pair.open &&
		       (last->hart != line->hart || last->flags & EAR_RECORD_INTERRUPT)) ||
	       (reader->has_fetch && reader->fetch_hart == line->hart &&
		       reader->fetch_pc == head->pc && reader->fetch_opcode == head->opcode);
}

static void note_pair(struct reader_spike *reader, const struct ear_spike_line *line,
	const struct ear_spike_head *head, bool of_open)
{
	const bool known = reader->pairs.any && reader->pairs.silent;

	if (of_open && reader->listed && !known)
		ear_spike_pairs_note(
			&reader->pairs, &reader->line.base, ear_spike_is_silent(line->cursor));
	else if (!of_open && !needs_no_listing(reader, line, head))
		ear_spike_pairs_lone(&reader->pairs, &reader->line.base, EAR_SPIKE_LONE_COMMIT,
			ear_text_input_line_number(reader->line.base.input));
}

/* The bits of all integer registers, which have all digits. */
static uint64_t find_widest(const struct ear_record_builder *builder)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < builder->record.register_count; i++)
		if (builder->registers[i].reg_class == EAR_REGISTER_X &&
			builder->registers[i].value >> 31 != UINT64_MAX >> 31)
			bits |= builder->registers[i].value;
	return bits;
}

/* The line of --log-commits, after the digit of the privilege. */
static int take_commit(struct reader_spike *reader, struct ear_spike_line *line, char privilege,
	const struct ear_record **done)
{
	struct ear_record_builder *builder;
	struct ear_spike_head head;
	const char *fault = take_head(reader, &line->cursor, &head);
	int result = 0;

	if (fault)
		return report(reader, fault);
	bool of_open = is_commit_of_open(reader, line, &head, true);
	note_pair(reader, line, &head, of_open);
	reader->plain_commits = !line->has_core;
	if (of_open) {
		builder = ear_record_pair_open(&reader->line.pair);
		builder->record.xlen = (uint8_t)head.xlen;
		builder->record.pc = to_xlen(head.pc, head.xlen);
	} else {
		builder = begin(reader, line, head.pc, head.xlen);
		set_head_opcode(builder, &head);
	}
	const char *wrong = reader->line.base.options.light
				    ? NULL
				    : take_effects(reader, builder, &line->cursor);
	if (builder->error == EAR_E_NO_MEMORY)
		return builder->error;
	if (!wrong && !ear_line_reader_fits(&reader->line, builder)) {
		if (ear_reader_take_back_32(&reader->line.base, find_widest(builder))) {
			head.xlen = builder->record.xlen = 64;
			builder->record.pc = head.pc;
			result = ear_reader_report(
				&reader->line.base, EAR_READER_IS_64, EAR_LINE_NOTE);
		} else {
			wrong = EAR_READER_TOO_WIDE;
		}
	}
	if (wrong && of_open) { /* the instruction was there: what it did is not known */
		builder->record.register_count = 0;
		builder->record.memory_count = 0;
		builder->extra.read_count = 0;
	}
	if (wrong)
		ear_spike_late_forget(reader->late, builder);
	if (wrong)
		return report(reader, builder->error ? "the record has too many effects" : wrong);
	for (size_t i = 0; i < builder->record.register_count; i++)
		if (builder->registers[i].reg_class == EAR_REGISTER_X)
			builder->registers[i].value =
				to_xlen(builder->registers[i].value, head.xlen);
	for (size_t i = 0; i < builder->record.memory_count; i++)
		builder->memory[i].address = to_xlen(builder->memory[i].address, head.xlen);
	builder->record.privilege = ear_spike_privilege_of(privilege);
	if (privilege != '2') /* no core has it: our writer's sign of an unknown one */
		builder->record.flags &= ~(uint32_t)EAR_RECORD_NO_PRIVILEGE;
	if (!of_open)
		*done = turn(reader);
	reader->committed = reader->has_commits = true;
	note_form(reader);
	return !result && reader->has_unknown ? warn(reader, &reader->warned_unknown, UNKNOWN_VALUE)
					      : result;
}

/* "x5 p5 0x..": a value of an instruction that was committed before. Returns 1 if it is none. */
static int take_late_line(struct reader_spike *reader, struct ear_text_cursor cursor)
{
	struct ear_record_register reg = {0};
	char letter = ear_text_peek(&cursor);
	uint64_t number, tag;

	if ((letter != 'x' && letter != 'f') || cursor.end - cursor.at < 2)
		return 1;
	cursor.at++;
	ear_text_skip_blanks(&cursor);
	if (!ear_text_decimal(&cursor, &number) || number > 31 || !ear_text_skip_blanks(&cursor) ||
		!ear_text_take(&cursor, 'p') || !ear_text_decimal(&cursor, &tag) ||
		!ear_text_skip_blanks(&cursor))
		return 1;
	size_t digits = ear_text_0x(&cursor, &reg.value);
	if (digits == 0 || !ear_text_at_end(&cursor))
		return report(reader, "the value of a register is malformed");
	reg.reg_class = letter == 'x' ? EAR_REGISTER_X : EAR_REGISTER_F;
	reg.number = (uint16_t)number;
	reg.size = digits <= 16 ? (uint8_t)((digits + 1) / 2) : 0;
	if (reader->line.base.options.light)
		return 0;
	if (reg.reg_class == EAR_REGISTER_X && !ear_reader_fits(&reader->line.base, reg.value))
		return report(reader, EAR_READER_TOO_WIDE);
	int result =
		ear_spike_late_arrive(reader->late, ear_record_pair_open(&reader->line.pair), &reg);
	return result <= 0 ? result
			   : ear_reader_report(&reader->line.base,
				     "a late value is of no instruction that waits for it",
				     EAR_LINE_BAD);
}

/* The address of a data access that trapped is the trap value. */
static int add_trap_value(
	struct reader_spike *reader, struct ear_record_builder *builder, uint64_t value)
{
	const struct ear_record *record = &builder->record;

	builder->extra.has_trap_value = true;
	builder->extra.trap_value = to_xlen(value, record->xlen);
	if (!ear_spike_is_data_cause(record->cause) || record->memory_count > 0 ||
		record->flags & (EAR_RECORD_NO_OPCODE | EAR_RECORD_INTERRUPT))
		return 0;
	struct ear_record_access *access = ear_record_builder_access(builder);
	if (!access)
		return builder->error;
	access->address = builder->extra.trap_value;
	access->size = find_opcode(reader, record)->access_size;
	access->write = record->cause == 6 || record->cause == 7 || record->cause == 15 ||
			record->cause == 23;
	return 0;
}

/* May a trap with this cause be that of the open record? After a commit line only a vector access
 * traps, which has done some elements. */
static bool may_trap(
	struct reader_spike *reader, const struct ear_record_builder *open, uint64_t cause)
{
	if (open->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) ||
		ear_riscv_is_fetch_cause(cause))
		return false;
	return !reader->committed ||
	       (ear_spike_is_data_cause(cause) &&
		       find_opcode(reader, &open->record)->flags & EAR_SPIKE_VECTOR_MEMORY);
}

/* Spike shows an instruction that must serialize, one of CSRs, before it runs. Has an interrupt
 * come first? An instruction that ran has its commit line, or goes elsewhere. */
static bool is_unexecuted(struct reader_spike *reader, const struct ear_record_builder *open)
{
	const uint32_t opcode = (uint32_t)open->record.opcode;

	return !reader->committed &&
	       !(open->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)) &&
	       (reader->has_commits ||
		       (ear_opcode_major(opcode) == EAR_OPCODE_SYSTEM && opcode >> 12 & 7));
}

static void take_trigger(struct reader_spike *reader, struct ear_record_builder *builder)
{
	if (!reader->has_trigger || reader->trigger_hart != builder->record.hart)
		return;
	builder->extra.has_trigger = true;
	builder->extra.trigger_action = reader->trigger_action;
	reader->has_trigger = false;
}

/* The opcode of a trap without a line of -l of its own: that of the line before, if its instruction
 * runs and traps again; none of a fetch that failed or that a trigger stopped. */
static void set_trap_opcode(struct reader_spike *reader, struct ear_record_builder *builder)
{
	struct ear_record *record = &builder->record;
	bool again = reader->has_fetch && reader->fetch_hart == record->hart &&
		     reader->fetch_pc == record->pc;

	record->opcode_size = 2;
	if (record->flags & EAR_RECORD_INTERRUPT)
		record->flags |= EAR_RECORD_NO_OPCODE;
	else if (ear_riscv_is_fetch_cause(record->cause))
		return;
	else if (again && !builder->extra.has_trigger)
		set_opcode(builder, reader->fetch_opcode);
	else
		record->flags |= EAR_RECORD_NO_OPCODE;
}

static int take_exception(
	struct reader_spike *reader, struct ear_spike_line *line, const struct ear_record **done)
{
	struct ear_record_builder *open = ear_record_pair_open(&reader->line.pair);
	struct ear_text name = ear_text_until(&line->cursor, ',');
	uint64_t epc = 0, value = 0;
	size_t digits;
	bool has_value = false;

	if (!ear_spike_take_pairs(&line->cursor, &epc, &digits, &value, &has_value))
		return report(reader, "the exception has no epc");
	reader->has_exceptions = true;
	note_form(reader);
	/* An open record without a commit line shows XLEN by its own pc. */
	unsigned xlen = open ? open->record.xlen : ear_reader_xlen(&reader->line.base, digits);
	if (!ear_reader_fits(&reader->line.base, epc))
		return report(reader, EAR_READER_TOO_WIDE);
	struct ear_record trap = {.xlen = (uint8_t)xlen};
	if (!ear_spike_take_cause(&trap, name))
		return report(reader, "the interrupt has no number");
	bool of_open = open && open->record.hart == line->hart &&
		       open->record.pc == to_xlen(epc, xlen) &&
		       (trap.flags & EAR_RECORD_TRAP ? may_trap(reader, open, trap.cause)
						     : is_unexecuted(reader, open));
	struct ear_record_builder *builder = of_open ? open : begin(reader, line, epc, xlen);
	builder->record.cause = trap.cause;
	builder->record.flags |= trap.flags;
	take_trigger(reader, builder);
	if (!of_open) {
		set_trap_opcode(reader, builder);
		*done = turn(reader);
	}
	return has_value && !reader->line.base.options.light
		       ? add_trap_value(reader, builder, value)
		       : 0;
}

/* "ILLEGAL_INSTR exception @ 0x80000038 (0x0000000b)" of CVA6: of an instruction that has no other
 * line, or only that of -l; in 2020 "exception : 0x80000038". Returns 1 if it is none. */
static int take_cva6_exception(
	struct reader_spike *reader, struct ear_spike_line *line, const struct ear_record **done)
{
	struct ear_text_cursor cursor = line->cursor;
	struct ear_text name = ear_text_token(&cursor);
	struct ear_spike_head head;

	if (ear_text_is(name, "exception"))
		name.size = 0;
	else if (!ear_text_skip_blanks(&cursor) || !ear_text_take_word(&cursor, "exception"))
		return 1;
	bool bare = name.size == 0 && ear_text_take_word(&cursor, " : "); /* in 2020: no opcode */
	if (!bare && !ear_text_take_word(&cursor, " @ "))
		return 1;
	const char *fault =
		bare ? take_bare_pc(reader, &cursor, &head) : take_head(reader, &cursor, &head);
	if (fault)
		return report(reader, fault);
	bool of_open = is_commit_of_open(reader, line, &head, !bare);
	struct ear_record_builder *builder = of_open ? ear_record_pair_open(&reader->line.pair)
						     : begin(reader, line, head.pc, head.xlen);
	int cause = ear_spike_find_cva6_cause(name);
	builder->record.flags |= EAR_RECORD_TRAP | (cause < 0 ? EAR_RECORD_NO_CAUSE : 0u);
	builder->record.cause = cause < 0 ? 0 : (uint64_t)cause;
	reader->has_exceptions = reader->is_cva6 = true;
	note_form(reader);
	if (of_open)
		return 0;
	builder->record.opcode_size = 2;
	if (bare)
		builder->record.flags |= EAR_RECORD_NO_OPCODE;
	else if (!ear_riscv_is_fetch_cause(builder->record.cause) || cause < 0)
		set_opcode(builder, head.opcode);
	*done = turn(reader);
	return 0;
}

static int take_trap_value(struct reader_spike *reader, struct ear_spike_line *line)
{
	struct ear_record_builder *open = ear_record_pair_open(&reader->line.pair);
	uint64_t value;

	ear_text_skip_blanks(&line->cursor);
	if (!ear_text_0x(&line->cursor, &value))
		return report(reader, "the trap value is not a number");
	if (!open || open->record.hart != line->hart ||
		!(open->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)))
		return report(reader, "the trap value belongs to no trap");
	return reader->line.base.options.light ? 0 : add_trap_value(reader, open, value);
}

/* "trigger action 0": the trap of this hart that follows is a trigger's. */
static int note_trigger(struct reader_spike *reader, struct ear_spike_line *line)
{
	uint64_t action;

	if (!ear_text_decimal(&line->cursor, &action) || action > UINT8_MAX)
		return report(reader, "the trigger has no action");
	reader->has_trigger = true;
	reader->trigger_action = (uint8_t)action;
	reader->trigger_hart = line->hart;
	return 0;
}

/* Without commit lines the repeats are in no line at all. */
static int take_repeat(struct reader_spike *reader)
{
	if (reader->has_commits || reader->warned_repeat)
		return 0;
	reader->warned_repeat = true;
	return ear_reader_report(&reader->line.base,
		"repeats of one instruction are not in this log (use --log-commits)", false);
}

/* A line without "core": a commit line begins with the privilege. */
static int take_other(
	struct reader_spike *reader, struct ear_spike_line *line, const struct ear_record **done)
{
	int result = take_late_line(reader, line->cursor);

	if (result == 1)
		result = take_cva6_exception(reader, line, done);
	return result == 1 ? ear_line_reader_pass(&reader->line, EAR_READER_OTHER "Spike log")
			   : result;
}

/* One line. Sets *done if a record ends with it. Returns 0 or an error. */
static int take_line(
	struct ear_line_reader *base, const char *text, size_t size, const struct ear_record **done)
{
	struct reader_spike *reader = (struct reader_spike *)base;
	struct ear_spike_line line = {.cursor = ear_text_cursor(text, size)};
	struct ear_text_cursor *cursor = &line.cursor;

	if (size == 0)
		return 0;
	if (!ear_spike_take_core(cursor, &line) && *text != 'c')
		ear_spike_find_core(cursor, &line);
	if (!line.has_core)
		(void)ear_spike_take_line_number(cursor, &(uint64_t){0});
	char first = ear_text_peek(cursor);
	bool digit = first >= '0' && first <= '3' && cursor->end - cursor->at > 2 &&
		     cursor->at[1] == ' ';
	if (digit) {
		cursor->at++;
		ear_text_skip_blanks(cursor);
	}
	if (digit && !line.has_core && ear_text_peek(cursor) != '0' &&
		ear_text_peek(cursor) != 'e') /* a number of a console */
		return ear_line_reader_pass(&reader->line, EAR_READER_OTHER "Spike log");
	if (digit && !ear_text_take_word(cursor, "exception "))
		return take_commit(reader, &line, first, done);
	if (digit || (line.has_core && ear_text_take_word(cursor, "exception ")))
		return take_exception(reader, &line, done);
	if (!line.has_core)
		return take_other(reader, &line, done);
	if (ear_text_take_word(cursor, ">>>>")) /* the symbol at the next pc */
		return 0;
	if (ear_text_take_word(cursor, "Executed "))
		return take_repeat(reader);
	if (ear_text_take_word(cursor, "trigger action "))
		return note_trigger(reader, &line);
	if (ear_text_take_word(cursor, "tval ") || ear_text_take_word(cursor, "badaddr "))
		return take_trap_value(reader, &line);
	return take_instruction(reader, &line, done);
}

/* As the loop over lines, but records that wait for a value are kept back, and those after them. */
static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_spike *reader = (struct reader_spike *)base;

	for (;;) {
		*record = ear_spike_late_take(reader->late);
		if (*record)
			return 1;
		int result = reader->next_base(base, record);
		if (result == 0 && ear_spike_late_give_up(reader->late)) {
			result = warn(reader, &reader->warned_unknown, UNKNOWN_VALUE);
			if (result)
				return result;
			continue;
		}
		if (result != 1 || !ear_spike_late_keep(reader->late, &reader->line.pair, *record))
			return result;
	}
}

/* Nothing is saved while a record waits. */
static bool find_place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct reader_spike *reader = (const struct reader_spike *)base;

	*offset = ear_text_input_next_offset(base->input);
	*line_number = ear_text_input_next_line(base->input);
	return !ear_spike_late_waits(reader->late);
}

static void free_reader(struct ear_reader *base)
{
	struct reader_spike *reader = (struct reader_spike *)base;

	ear_spike_opcodes_free(reader->opcodes);
	ear_spike_late_free(reader->late);
	reader->free_base(base);
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_spike *reader = (struct reader_spike *)base;

	ear_state_u64(walk, &reader->count, UINT64_MAX);
	ear_state_bool(walk, &reader->committed);
	ear_state_bool(walk, &reader->has_commits);
	ear_state_bool(walk, &reader->has_listing);
	ear_state_bool(walk, &reader->has_exceptions);
	ear_state_bool(walk, &reader->is_cva6);
	ear_state_bool(walk, &reader->has_unknown);
	ear_state_bool(walk, &reader->warned_repeat);
	ear_state_bool(walk, &reader->warned_unknown);
	ear_state_bool(walk, &reader->has_fetch);
	ear_state_u16(walk, &reader->fetch_hart, UINT16_MAX);
	ear_state_u64(walk, &reader->fetch_pc, UINT64_MAX);
	ear_state_u64(walk, &reader->fetch_opcode, UINT64_MAX);
	ear_state_bool(walk, &reader->has_trigger);
	ear_state_u8(walk, &reader->trigger_action, UINT8_MAX);
	ear_state_u16(walk, &reader->trigger_hart, UINT16_MAX);
	return ear_state_line_reader(walk, &reader->line);
}

static const struct ear_reader_resume resume = {.place = find_place, .walk = walk_state};

struct ear_reader *ear_reader_spike_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_spike *reader = calloc(1, sizeof(*reader));
	const char *bytes;
	size_t size;

	if (!reader)
		return NULL;
	ear_line_reader_init(&reader->line, input, options, take_line);
	ear_text_input_glance(input, &bytes, &size);
	bool guessed;
	if (options->xlen == 0 && ear_spike_xlen(bytes, size, &guessed) == 32) {
		reader->line.base.xlen = 32;
		reader->line.base.extended = true;
		reader->line.base.guessed = guessed;
	}
	reader->line.base.resume = &resume;
	reader->free_base = reader->line.base.free;
	reader->line.base.free = free_reader;
	reader->next_base = reader->line.base.next;
	reader->line.base.next = next;
	reader->opcodes = ear_spike_opcodes_new();
	reader->late = ear_spike_late_new();
	if (!reader->opcodes || !reader->late) {
		free_reader(&reader->line.base);
		return NULL;
	}
	return &reader->line.base;
}
