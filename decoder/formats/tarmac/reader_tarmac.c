/* QEMU4V and Tarmac to records.
 *
 * Lines belong together by their time (and cpu), not by their order: the register and memory lines
 * of an instruction may come before it. So one record stays open and takes every line of the same
 * stamp; another stamp, or a second instruction, closes it. tarmac_head.c finds stamp and kind of
 * a line, tarmac_line.c reads the rest.
 */
#include "decoder/formats/tarmac/reader_tarmac.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/formats/tarmac/tarmac_line.h"
#include "decoder/formats/tarmac/tarmac_mode.h"
#include "decoder/formats/tarmac/tarmac_utilities.h"
#include "decoder/formats/tarmac/writer_tarmac.h"
#include "decoder/isa/disassembly.h"
#include "decoder/text/char_mask.h"
#include "decoder/text/riscv_name.h"

#define KEPT_MAX (1u << 20) /* of the lines of a record that have to be copied */

/* The lines of a record that are kept in it. */
struct kept {
	bool off;    /* a line of it was not kept */
	char *text;  /* where they are copied to; NULL: they are in the block */
	size_t room; /* at text */
};

struct reader_tarmac {
	struct ear_reader base;
	bool qemu4v;
	int isa;           /* as the user says, or -1 */
	char implicit_set; /* of instructions without one; 0: they are bad */
	struct ear_tarmac_state state;
	struct ear_record_pair pair; /* the record that lines are added to, and the one before */
	bool roles;                  /* of the open record: register numbers were exchanged */
	uint8_t last_isa, last_xlen;
	uint64_t next_index;

	/* The block: lines at .. end-1 are left. */
	const char *at, *end, *line;
	uint64_t line_number, offset; /* of line */
	bool cut;                     /* the line has no line end: it may be cut off */

	bool keep;        /* lines, as they are; but none of a record if the utilities refuse one */
	bool refused;     /* the line was reported as bad */
	bool known_taken; /* the utilities take the line */
	struct kept kept[2]; /* of the records of the pair */

	/* A record of both kinds without an instruction becomes two records. */
	struct ear_record *split;
	size_t split_count;

	/* LD and ST continue in a line that begins where their address stood. */
	size_t diagram_column;
	struct ear_text diagram_word;

	struct ear_disassembler *disassembler;
};

static int warn(const struct reader_tarmac *reader, const char *cause)
{
	return ear_reader_report_at(
		&reader->base, reader->line_number, reader->offset, cause, false);
}

static int skip(struct reader_tarmac *reader, const char *cause)
{
	reader->refused = true;
	reader->pair.broken = reader->pair.open;
	return ear_reader_skip_at(&reader->base, reader->line_number, reader->offset,
		(uint64_t)(reader->at - reader->line), cause, reader->cut, reader->pair.open);
}

/* --- Finishing a record --- */

/* What the exchange of docs/text-formats.md, "Tarmac", made of a number. */
static unsigned original_number(unsigned number)
{
	static const uint8_t exchanged[][2] = {{30, 1}, {1, 30}, {2, 31}};

	for (size_t i = 0; i < sizeof(exchanged) / sizeof(exchanged[0]); i++)
		if (exchanged[i][0] == number)
			return exchanged[i][1];
	return number;
}

/* The same for a register: "xsp", "x1" .. "x30" and "d0" .. "d31". */
static bool resolve_role(struct ear_text name, enum ear_register_class *kind, uint16_t *number)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	uint64_t value;

	if (ear_text_is(name, "xsp")) {
		*kind = EAR_REGISTER_X;
		*number = 2;
		return true;
	}
	bool floating = ear_text_take(&cursor, 'd');
	if ((!floating && !ear_text_take(&cursor, 'x')) || !ear_text_decimal(&cursor, &value) ||
		value > 31 || !ear_text_at_end(&cursor))
		return false;
	*kind = floating ? EAR_REGISTER_F : EAR_REGISTER_X;
	*number = (uint16_t)(floating ? value : original_number((unsigned)value));
	return true;
}

/* A vector's value in bytes, which may be fewer than a wide value has. */
static void resolve_vector(struct ear_record_builder *builder, struct ear_record_register *reg)
{
	const char *bytes = reg->text.name + reg->text_size;

	if (reg->size <= 8) {
		char *made = ear_record_builder_text(builder, 8);
		if (!made)
			return;
		for (unsigned i = 0; i < 8; i++)
			made[i] = (char)(reg->value >> 8 * i);
		bytes = made;
	}
	reg->reg_class = EAR_REGISTER_V;
	reg->text.bytes = (const uint8_t *)bytes;
	reg->text_size = reg->size;
	reg->size = 0;
	reg->value = 0;
}

/* "r10" is what QEMU4V's MIPS guests made of a number; RISC-V guests may do the same. */
static inline bool find_register(
	struct ear_text name, enum ear_register_class *kind, uint16_t *number)
{
	char copy[4];

	if (name.size == 2 && name.text[0] == 'x' && name.text[1] >= '0' && name.text[1] <= '9') {
		*kind = EAR_REGISTER_X;
		*number = (uint16_t)(name.text[1] - '0');
		return true;
	}
	if (ear_riscv_find_register(name, kind, number))
		return true;
	if (name.size >= 2 && name.size <= 3 && name.text[0] == 'r') {
		memcpy(copy, name.text, name.size);
		copy[0] = 'x';
		if (ear_riscv_find_register((struct ear_text){copy, name.size}, kind, number))
			return true;
	}
	*kind = EAR_REGISTER_CSR;
	return ear_riscv_find_csr(name, number);
}

/* RISC-V registers get their numbers; what is none of them keeps its name. */
static inline void resolve(struct reader_tarmac *reader, struct ear_record_builder *builder,
	struct ear_record_register *reg)
{
	struct ear_text name = {reg->text.name, reg->text_size};
	enum ear_register_class kind;
	uint16_t number;

	bool found = reader->roles ? resolve_role(name, &kind, &number)
				   : find_register(name, &kind, &number);
	if (!found || reg->unknown || reg->note_size || (kind != EAR_REGISTER_V && reg->size > 8))
		return;
	reg->number = number;
	if (kind == EAR_REGISTER_V) {
		resolve_vector(builder, reg);
		return;
	}
	reg->reg_class = (uint8_t)kind;
	reg->text_size = 0;
	if (reader->roles && kind == EAR_REGISTER_X) /* 16 digits on RV32, too */
		reg->size = reader->last_xlen / 8;
}

/* Other formats of RISC-V have no unknown digits: a value with one is unknown. */
static inline void resolve_access(struct ear_record_access *access)
{
	if (access->unknown == 0)
		return;
	access->has_value = false;
	access->value = access->unknown = 0;
}

static inline void resolve_all(struct reader_tarmac *reader, struct ear_record_builder *builder)
{
	for (size_t i = 0; i < builder->record.register_count; i++)
		resolve(reader, builder, &builder->registers[i]);
	for (size_t i = 0; i < builder->record.memory_count; i++)
		resolve_access(&builder->memory[i]);
	builder->extra.source = (struct ear_text){NULL, 0}; /* the writer has its own forms */
}

/* The open record gets no more lines. */
static void complete(struct reader_tarmac *reader)
{
	struct ear_record_builder *builder = ear_record_pair_open(&reader->pair);

	if (!builder)
		return;
	struct ear_record *record = &builder->record;
	uint8_t isa = record->kind == EAR_RECORD_INSTRUCTION ? record->isa : reader->last_isa;
	if (isa == EAR_ISA_RISCV)
		resolve_all(reader, builder);
	if (record->kind == EAR_RECORD_REGISTERS && record->register_count == 0)
		record->kind = EAR_RECORD_MEMORY;
}

/* A complete record on its way out; without an instruction perhaps as two records. */
static const struct ear_record *deliver(struct reader_tarmac *reader, const struct ear_record *done)
{
	if (!done || done->kind != EAR_RECORD_REGISTERS || done->memory_count == 0)
		return done;
	unsigned which = done == &reader->pair.builders[1].record;
	struct ear_record *record = &reader->pair.builders[which].record;
	reader->split = record;
	reader->split_count = record->register_count;
	record->kind = EAR_RECORD_MEMORY;
	record->register_count = 0;
	return record;
}

static const struct ear_record *deliver_rest(struct reader_tarmac *reader)
{
	struct ear_record *record = reader->split;

	reader->split = NULL;
	record->kind = EAR_RECORD_REGISTERS;
	record->register_count = reader->split_count;
	record->memory_count = 0;
	/* Their lines are among those of the accesses. */
	unsigned which = record == &reader->pair.builders[1].record;
	struct ear_text *source = &reader->pair.builders[which].extra.source;
	if (source->text)
		*source = (struct ear_text){"", 0};
	return record;
}

/* The record begun becomes the open one. Returns 1 if the one before it is out, else 0. */
static int turn(struct reader_tarmac *reader, const struct ear_record **record)
{
	complete(reader);
	*record = deliver(reader, ear_record_pair_turn(&reader->pair));
	return *record != NULL;
}

/* --- Beginning a record --- */

static void set_common(struct reader_tarmac *reader, struct ear_record_builder *builder,
	const struct ear_tarmac_head *head)
{
	struct ear_record *record = &builder->record;
	const struct ear_tarmac_state *state = &reader->state;

	record->hart = head->cpu;
	record->index = reader->next_index;
	record->stream_offset = reader->offset;
	builder->extra.line = reader->line_number;
	if (!state->has_time)
		return;
	record->ticks = state->time;
	record->flags = EAR_RECORD_HAS_TIME;
	bool clocks = state->unit_size == 0 ||
		      (state->unit_size == 3 && memcmp(state->unit, "clk", 3) == 0);
	if (!clocks)
		builder->extra.time_unit = ear_record_builder_copy(
			builder, (struct ear_text){state->unit, state->unit_size});
}

static struct kept *kept_of(struct reader_tarmac *reader, const struct ear_record_builder *builder)
{
	return &reader->kept[builder - reader->pair.builders];
}

static inline struct ear_record_builder *begin(
	struct reader_tarmac *reader, const struct ear_tarmac_head *head, enum ear_record_kind kind)
{
	struct ear_record_builder *builder = ear_record_pair_begin(&reader->pair, kind);

	set_common(reader, builder, head);
	if (reader->keep)
		*kept_of(reader, builder) = (struct kept){.off = false};
	return builder;
}

/* True if a line belongs to the open record: same time, and the same cpu if it has one. */
static bool belongs(const struct reader_tarmac *reader, const struct ear_record *open,
	const struct ear_tarmac_head *head)
{
	bool timed = open->flags & EAR_RECORD_HAS_TIME;

	if (head->has_cpu && open->hart != head->cpu)
		return false;
	return timed == reader->state.has_time && (!timed || open->ticks == reader->state.time);
}

static void set_mode(struct reader_tarmac *reader, struct ear_record_builder *builder,
	const struct ear_tarmac_instruction *instruction)
{
	struct ear_record *record = &builder->record;
	int privilege = instruction->mode.size ? ear_tarmac_find_privilege(instruction->mode) : -1;

	if (reader->isa >= 0)
		record->isa = (uint8_t)reader->isa;
	else
		record->isa = privilege >= 0 ? EAR_ISA_RISCV
			      : reader->qemu4v && ear_tarmac_is_aarch64(instruction->mode)
				      ? EAR_ISA_A64
				      : ear_tarmac_isa_of_set(instruction->set);
	if (record->isa == EAR_ISA_RISCV && privilege >= 0 &&
		privilege != EAR_TARMAC_ANY_PRIVILEGE) {
		record->privilege = (uint8_t)privilege;
	} else {
		record->flags |= EAR_RECORD_NO_PRIVILEGE;
		if (instruction->mode.size && privilege != EAR_TARMAC_ANY_PRIVILEGE &&
			!ear_text_is(instruction->mode, EAR_TARMAC_AARCH64))
			builder->extra.mode_name = instruction->mode;
	}
	reader->roles = record->isa == EAR_ISA_RISCV && instruction->set == 'O';
	reader->last_isa = record->isa;
	reader->last_xlen = record->xlen;
}

/* The text, unless it says what our table says. A line without one keeps that. */
static void set_text(
	struct reader_tarmac *reader, struct ear_record_builder *builder, struct ear_text text)
{
	struct ear_record *record = &builder->record;

	if (text.size == 0)
		text = (struct ear_text){"", 0};
	if (ear_text_is(text, EAR_DISASSEMBLY_UNKNOWN))
		return;
	if (record->isa == EAR_ISA_RISCV) {
		struct ear_text ours = ear_disassemble(reader->disassembler, EAR_ISA_RISCV,
			record->xlen, record->pc, record->opcode, record->opcode_size);
		if (ours.size == text.size && memcmp(ours.text, text.text, text.size) == 0)
			return;
	}
	builder->extra.disassembly = text;
}

static bool is_riscv(
	const struct reader_tarmac *reader, const struct ear_tarmac_instruction *instruction)
{
	if (reader->isa >= 0)
		return reader->isa == EAR_ISA_RISCV;
	return instruction->mode.size && ear_tarmac_find_privilege(instruction->mode) >= 0;
}

static void set_instruction(struct reader_tarmac *reader, struct ear_record_builder *builder,
	const struct ear_tarmac_instruction *instruction)
{
	struct ear_record *record = &builder->record;
	unsigned xlen = reader->base.options.xlen;

	if (!xlen && is_riscv(reader, instruction))
		xlen = reader->base.xlen;
	record->kind = EAR_RECORD_INSTRUCTION;
	record->pc = instruction->pc;
	record->pc_physical = instruction->pc_physical;
	record->opcode = instruction->opcode;
	record->opcode_size = (uint8_t)((instruction->opcode_digits + 1) / 2);
	record->xlen = (uint8_t)(xlen ? xlen : instruction->pc_digits > 8 ? 64 : 32);
	/* A number that is not the next one: records are missing, or an interrupt, before it. */
	if (instruction->has_index && instruction->index != reader->next_index &&
		builder != ear_record_pair_open(&reader->pair))
		reader->pair.broken |= reader->pair.open;
	if (instruction->has_index)
		reader->next_index = instruction->index;
	record->index = reader->next_index++;
	if (instruction->has_physical)
		record->flags |= EAR_RECORD_PC_PHYSICAL;
	if (!instruction->has_opcode)
		record->flags |= EAR_RECORD_NO_OPCODE;
	if (instruction->skipped)
		record->flags |= EAR_RECORD_SKIPPED;
	if (instruction->secure >= 0)
		record->flags |= EAR_RECORD_HAS_SECURITY;
	if (instruction->secure > 0)
		record->flags |= EAR_RECORD_SECURE;
	set_mode(reader, builder, instruction);
	if (reader->qemu4v &&
		ear_disassembly_hides_opcode(record->isa, record->opcode, instruction->text))
		record->flags |= EAR_RECORD_NO_OPCODE;
	if (!reader->base.options.light)
		set_text(reader, builder, instruction->text);
}

/* --- Lines --- */

/* What Tarmac has and QEMU4V does not. */
static const char *check_qemu4v(
	const struct ear_tarmac_head *head, const struct ear_tarmac_instruction *instruction)
{
	if (head->kind != EAR_TARMAC_INSTRUCTION || head->word.text[1] == 'F')
		return "not QEMU4V: the instruction is not marked with IT or IS";
	if (!instruction->has_index || instruction->has_physical)
		return "not QEMU4V: the instruction does not have a number and one address";
	if (instruction->set == 'O' || instruction->set == 'J')
		return "not QEMU4V: the instruction set is not A, T or X";
	return instruction->has_mode ? NULL : "not QEMU4V: the mode is missing";
}

static int take_event(struct reader_tarmac *reader, const struct ear_tarmac_head *head,
	const struct ear_record **record)
{
	if (reader->qemu4v)
		return skip(reader, "the line is not an instruction, an access or a register");

	struct ear_record_builder *builder = begin(reader, head, EAR_RECORD_EVENT);
	struct ear_text name = {head->word.text, (size_t)(head->rest.end - head->word.text)};
	builder->record.u.event.name = ear_record_builder_copy(builder, name);
	return builder->error ? builder->error : turn(reader, record);
}

/* Our own event of a trap, docs/text-formats.md. An exception belongs to the open instruction,
 * an interrupt is an instruction record of its own. */
static bool take_trap(struct reader_tarmac *reader, const struct ear_tarmac_head *head,
	const struct ear_record **record, int *result)
{
	struct ear_record_builder *builder = ear_record_pair_open(&reader->pair);
	struct ear_text_cursor cursor = head->rest;
	uint64_t pc = 0, cause = 0;

	size_t digits = ear_text_hex(&cursor, &pc);
	if (reader->qemu4v || !ear_text_is(head->word, "E") || digits == 0 ||
		ear_text_skip_blanks(&cursor) == 0 || ear_text_hex(&cursor, &cause) == 0 ||
		ear_text_skip_blanks(&cursor) == 0)
		return false;
	struct ear_text name = {cursor.at, (size_t)(cursor.end - cursor.at)};
	uint32_t no_cause = ear_tarmac_ends_in_unknown(&name) ? EAR_RECORD_NO_CAUSE : 0;
	*result = 0;
	if (ear_text_is(name, EAR_TARMAC_EXCEPTION) && builder &&
		builder->record.kind == EAR_RECORD_INSTRUCTION && builder->record.pc == pc &&
		belongs(reader, &builder->record, head)) {
		builder->record.flags |= EAR_RECORD_TRAP | no_cause;
		builder->record.cause = cause;
		return true;
	}
	if (!ear_text_is(name, EAR_TARMAC_INTERRUPT))
		return false;
	builder = begin(reader, head, EAR_RECORD_INSTRUCTION);
	builder->record.pc = pc;
	builder->record.cause = cause;
	builder->record.isa = EAR_ISA_RISCV;
	builder->record.xlen = reader->base.xlen ? reader->base.xlen : digits > 8 ? 64 : 32;
	builder->record.index = reader->next_index++;
	builder->record.flags |=
		EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE | EAR_RECORD_NO_PRIVILEGE | no_cause;
	*result = turn(reader, record);
	return true;
}

static int take_instruction(struct reader_tarmac *reader, const struct ear_tarmac_head *head,
	const struct ear_record **record)
{
	struct ear_record_builder *open = ear_record_pair_open(&reader->pair);
	struct ear_tarmac_instruction instruction;
	const char *cause = ear_tarmac_instruction(&instruction, head, reader->implicit_set);

	if (cause && !cause[0])
		return take_event(reader, head, record);
	if (!cause && reader->qemu4v)
		cause = check_qemu4v(head, &instruction);
	if (cause)
		return skip(reader, cause);
	if (reader->keep)
		reader->known_taken =
			ear_tarmac_takes_instruction(head, &reader->state, &instruction);
	if (is_riscv(reader, &instruction)) {
		ear_reader_xlen(&reader->base, instruction.pc_digits);
		if (!ear_reader_fits(&reader->base, instruction.pc))
			return skip(reader, EAR_READER_TOO_WIDE);
	}

	/* Lines of this time that came first are this instruction's. */
	bool early = open && open->record.kind == EAR_RECORD_REGISTERS && reader->state.has_time &&
		     belongs(reader, &open->record, head);
	if (early) {
		open->record.hart = head->cpu;
		set_instruction(reader, open, &instruction);
		return 0;
	}
	/* The flags of the open record are used in turn, those of the new one later. */
	bool roles = reader->roles;
	uint8_t isa = reader->last_isa, xlen = reader->last_xlen;
	struct ear_record_builder *builder = begin(reader, head, EAR_RECORD_INSTRUCTION);
	set_instruction(reader, builder, &instruction);
	if (builder->error)
		return builder->error;
	bool new_roles = reader->roles;
	uint8_t new_isa = reader->last_isa, new_xlen = reader->last_xlen;
	reader->roles = roles;
	reader->last_isa = isa;
	reader->last_xlen = xlen;
	int result = turn(reader, record);
	reader->roles = new_roles;
	reader->last_isa = new_isa;
	reader->last_xlen = new_xlen;
	return result;
}

/* Is it an integer register of RISC-V, with a value that does not fit? */
static bool is_too_wide(const struct reader_tarmac *reader, const struct ear_record_register *reg)
{
	struct ear_text name = {reg->text.name, reg->text_size};
	enum ear_register_class kind;
	uint16_t number;

	if (reader->last_isa != EAR_ISA_RISCV || reader->base.xlen != 32 || reg->size > 8)
		return false;
	bool found = reader->roles ? resolve_role(name, &kind, &number)
				   : find_register(name, &kind, &number);
	return found && kind == EAR_REGISTER_X && !ear_reader_fits(&reader->base, reg->value);
}

/* An access or a register, into the open record or one of its own. */
static int take_item(struct reader_tarmac *reader, const struct ear_tarmac_head *head,
	const struct ear_record **record)
{
	struct ear_record_builder *open = ear_record_pair_open(&reader->pair);
	bool same = open && belongs(reader, &open->record, head) &&
		    (open->record.kind == EAR_RECORD_INSTRUCTION ||
			    open->record.kind == EAR_RECORD_REGISTERS);
	struct ear_record_builder *builder =
		same ? open : begin(reader, head, EAR_RECORD_REGISTERS);
	const char *cause;

	if (head->kind == EAR_TARMAC_REGISTER) {
		struct ear_record_register reg;
		cause = ear_tarmac_register(&reg, builder, head);
		if (!cause && is_too_wide(reader, &reg))
			cause = EAR_READER_TOO_WIDE;
		if (!cause && reader->qemu4v && (reg.unknown || reg.note_size))
			cause = "not QEMU4V: the register value is not one number";
		if (!cause) {
			struct ear_record_register *appended = ear_record_builder_register(builder);
			if (appended)
				*appended = reg;
		}
	} else {
		cause = ear_tarmac_access(builder, head, reader->qemu4v);
	}
	if (builder->error) {
		int error = builder->error;
		builder->error = 0;
		return error == EAR_E_NO_MEMORY ? error : skip(reader, "the record is too large");
	}
	if (cause && !cause[0])
		return take_event(reader, head, record);
	if (cause)
		return skip(reader, cause);
	return same ? 0 : turn(reader, record);
}

static int take_note(struct reader_tarmac *reader, const struct ear_tarmac_head *head,
	const char *end, const struct ear_record **record)
{
	struct ear_record_builder *builder = begin(reader, head, EAR_RECORD_NOTE);
	struct ear_text line = {reader->line, (size_t)(end - reader->line)};

	builder->record.u.note.text = ear_record_builder_copy(builder, line);
	return builder->error ? builder->error : turn(reader, record);
}

/* A line that continues with LD or ST. Returns false if it is none. */
static bool continue_diagram(
	struct reader_tarmac *reader, struct ear_tarmac_head *head, const char *end)
{
	const char *at = reader->line;

	while (at < end && *at == ' ')
		at++;
	if (at == end || (size_t)(at - reader->line) != reader->diagram_column)
		return false;
	*head = (struct ear_tarmac_head){.kind = EAR_TARMAC_DIAGRAM,
		.word = reader->diagram_word,
		.rest = {at, end},
		.continued = true};
	return true;
}

/* Room for the lines of a record, those that it has included. Returns NULL if they are too long or
 * memory is short. */
static char *reserve_kept(struct ear_record_builder *builder, struct kept *kept, size_t size)
{
	struct ear_text *source = &builder->extra.source;

	if (size > kept->room) {
		char *text = size <= KEPT_MAX ? ear_record_builder_text(builder, 2 * size) : NULL;
		if (!text)
			return NULL;
		if (source->size > 0)
			memcpy(text, source->text, source->size);
		kept->room = 2 * size;
		source->text = kept->text = text;
	}
	return kept->text;
}

/* The line at reader->line, which is good, to those of its record. */
static void keep_line(struct reader_tarmac *reader, const struct ear_tarmac_head *head)
{
	struct ear_record_builder *builder = ear_record_pair_open(&reader->pair);
	size_t size = (size_t)(reader->at - reader->line);

	if (!builder)
		return;
	struct kept *kept = kept_of(reader, builder);
	struct ear_text *source = &builder->extra.source;
	kept->off |= !reader->known_taken && !ear_tarmac_taken(head, &reader->state);
	bool adjacent =
		!kept->text && (!source->text || source->text + source->size == reader->line);
	if (!kept->off && adjacent && !reader->cut) {
		source->text = source->text ? source->text : reader->line;
		source->size += size;
		return;
	}
	/* A line before this one was left out, or this one has no end, or the block is another. */
	char *text = kept->off ? NULL : reserve_kept(builder, kept, source->size + size + 1);
	if (!text) {
		kept->off = true;
		*source = (struct ear_text){NULL, 0};
		return;
	}
	memcpy(text + source->size, reader->line, size);
	source->size += size;
	if (reader->cut)
		text[source->size++] = '\n';
}

static int take_kind(struct reader_tarmac *reader, const struct ear_tarmac_head *head,
	const char *end, const struct ear_record **record)
{
	bool light = reader->base.options.light;
	int result;

	reader->diagram_column = 0;
	switch (head->kind) {
	case EAR_TARMAC_BLANK: return 0;
	case EAR_TARMAC_INSTRUCTION:
	case EAR_TARMAC_STATE: return take_instruction(reader, head, record);
	case EAR_TARMAC_DIAGRAM:
		reader->diagram_column = (size_t)(head->rest.at - reader->line);
		reader->diagram_word =
			(struct ear_text){head->word.text[0] == 'S' ? "ST" : "LD", 2};
		return light ? 0 : take_item(reader, head, record);
	case EAR_TARMAC_ACCESS:
	case EAR_TARMAC_REGISTER: return light ? 0 : take_item(reader, head, record);
	case EAR_TARMAC_HEADER: return take_note(reader, head, end, record);
	default:
		return take_trap(reader, head, record, &result) ? result
								: take_event(reader, head, record);
	}
}

/* The line at reader->line. Returns 1 and a record that became complete, 0, or an error. */
static int take_line(
	struct reader_tarmac *reader, const char *end, const struct ear_record **record)
{
	struct ear_tarmac_head head;
	const char *cause = NULL;
	int result;

	reader->refused = reader->known_taken = false;
	if (reader->diagram_column == 0 || !continue_diagram(reader, &head, end))
		cause = ear_tarmac_head(&head, &reader->state, reader->line, end);
	if (cause)
		return skip(reader, cause);
	if (reader->state.cut_time) {
		reader->state.cut_time = false;
		result = warn(reader, "the fraction of the time is cut off");
		if (result < 0)
			return result;
	}
	if (reader->qemu4v && head.kind != EAR_TARMAC_BLANK &&
		(!head.stamped || reader->state.unit_size == 0 ||
			(head.has_cpu && !head.decimal_cpu)))
		return skip(reader, "not QEMU4V: the line does not begin with a time and its unit");

	result = take_kind(reader, &head, end, record);
	if (!reader->keep || reader->refused || result < 0)
		return result;
	keep_line(reader, &head);
	return result;
}

/* The open record outlives the block that its texts point into. */
static int rescue(struct reader_tarmac *reader)
{
	struct ear_record_builder *open = ear_record_pair_open(&reader->pair);

	if (!open)
		return 0;
	struct ear_record_extra *extra = &open->extra;
	if (extra->disassembly.size > 0)
		extra->disassembly = ear_record_builder_copy(open, extra->disassembly);
	if (extra->mode_name.text)
		extra->mode_name = ear_record_builder_copy(open, extra->mode_name);
	if (extra->source.text && !kept_of(reader, open)->text &&
		!reserve_kept(open, kept_of(reader, open), extra->source.size + 1)) {
		kept_of(reader, open)->off = true;
		extra->source = (struct ear_text){NULL, 0};
	}
	for (size_t i = 0; i < open->record.register_count; i++) {
		struct ear_record_register *reg = &open->registers[i];
		if (reg->reg_class != EAR_REGISTER_NAMED ||
			ear_register_text_size(reg) > reg->text_size)
			continue; /* a name with something after it is in the builder already */
		struct ear_text name = {reg->text.name, reg->text_size};
		reg->text.name = ear_record_builder_copy(open, name).text;
	}
	return open->error;
}

/* The next block of lines. Returns 1, 0 at the end of the file, or an error. */
static int take_block(struct reader_tarmac *reader)
{
	struct ear_text_input *input = reader->base.input;
	size_t size;

	int result = rescue(reader);
	if (result < 0)
		return result;
	reader->state.stamp_size = 0;
	if (reader->end) /* every line of the block before was counted */
		ear_text_input_count_lines(
			input, reader->line_number - ear_text_input_line_number(input) + 1);
	result = ear_text_input_block(input, &reader->at, &size);
	if (result <= 0)
		return result;
	reader->end = reader->at + size;
	reader->line = reader->at;
	reader->line_number = ear_text_input_line_number(input) - 1;
	reader->offset = ear_text_input_offset(input);
	return 1;
}

/* Most lines have less than 64 characters. */
static inline const char *find_newline(const char *begin, const char *end)
{
	if (end - begin > 64) {
		uint64_t ends = ear_char_mask(begin, '\n');
		if (ends)
			return begin + __builtin_ctzll(ends);
	}
	return memchr(begin, '\n', (size_t)(end - begin));
}

static int next_line(struct reader_tarmac *reader, const struct ear_record **record)
{
	const char *begin = reader->at;
	const char *newline = find_newline(begin, reader->end);
	const char *end = newline ? newline : reader->end;

	reader->offset += (size_t)(begin - reader->line);
	reader->line = begin;
	reader->line_number++;
	reader->at = newline ? newline + 1 : reader->end;
	reader->cut = !newline;
	if (reader->cut) {
		int result = warn(reader, "the last line has no line end; the file may be cut off");
		if (result < 0)
			return result;
	}
	if (end > begin && end[-1] == '\r')
		end--;
	return take_line(reader, end, record);
}

static int next(struct ear_reader *base, const struct ear_record **record)
{
	struct reader_tarmac *reader = (struct reader_tarmac *)base;
	int result = 0;

	*record = NULL;
	if (reader->split) {
		*record = deliver_rest(reader);
		return 1;
	}
	while (result == 0) {
		if (reader->at < reader->end) {
			result = next_line(reader, record);
			continue;
		}
		result = take_block(reader);
		if (result < 0)
			return result;
		if (result == 0) {
			complete(reader);
			*record = deliver(reader, ear_record_pair_end(&reader->pair));
			return *record != NULL;
		}
		result = 0;
	}
	return result;
}

static bool place(const struct ear_reader *base, uint64_t *offset, uint64_t *line_number)
{
	const struct reader_tarmac *reader = (const struct reader_tarmac *)base;
	bool begun = reader->end != NULL;

	*offset = begun ? reader->offset + (uint64_t)(reader->at - reader->line)
			: ear_text_input_next_offset(base->input);
	*line_number = begun ? reader->line_number + 1 : ear_text_input_next_line(base->input);
	return !reader->split && !reader->keep;
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_tarmac *reader = (struct reader_tarmac *)base;
	uint32_t column = (uint32_t)reader->diagram_column;
	bool store = column > 0 && reader->diagram_word.text[0] == 'S';

	ear_tarmac_state_walk(walk, &reader->state);
	ear_state_bool(walk, &reader->roles);
	ear_state_u8(walk, &reader->last_isa, EAR_ISA_UNKNOWN);
	ear_state_u8(walk, &reader->last_xlen, 64);
	ear_state_u64(walk, &reader->next_index, UINT64_MAX);
	ear_state_u32(walk, &column);
	ear_state_bool(walk, &store);
	reader->diagram_column = column;
	reader->diagram_word = (struct ear_text){store ? "ST" : "LD", 2};
	return ear_state_pair(walk, &reader->pair);
}

static const struct ear_reader_resume resume = {place, walk_state};

static void free_reader(struct ear_reader *base)
{
	struct reader_tarmac *reader = (struct reader_tarmac *)base;

	ear_record_pair_fini(&reader->pair);
	ear_disassembler_free(reader->disassembler);
	free(reader);
}

static char find_implicit_set(struct ear_text_input *input)
{
	const char *bytes;
	size_t size;

	ear_text_input_glance(input, &bytes, &size);
	return ear_tarmac_implicit_set(bytes, size);
}

static struct ear_reader *make(
	struct ear_text_input *input, const struct ear_reader_options *options, bool qemu4v)
{
	struct reader_tarmac *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->disassembler = ear_disassembler_new();
	if (!reader->disassembler) {
		free(reader);
		return NULL;
	}
	reader->base.input = input;
	if (options)
		reader->base.options = *options;
	reader->base.next = next;
	reader->base.free = free_reader;
	reader->base.resume = &resume;
	reader->qemu4v = qemu4v;
	reader->keep = options && options->lines && !options->light && !qemu4v;
	reader->isa = options && options->isa ? ear_isa_find(options->isa) : -1;
	if (!qemu4v)
		reader->implicit_set = reader->isa >= 0 ? ear_tarmac_set_of_isa(reader->isa)
							: find_implicit_set(input);
	reader->last_isa = (uint8_t)(reader->isa >= 0 ? reader->isa : EAR_ISA_UNKNOWN);
	return &reader->base;
}

struct ear_reader *ear_reader_qemu4v_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	return make(input, options, true);
}

struct ear_reader *ear_reader_tarmac_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	return make(input, options, false);
}
