/* Records to QEMU4V and Tarmac.
 *
 * Both have the same lines: the instruction, its accesses, its registers, each with the stamp of
 * the record. They differ in what their readers accept, so what is written is decided first (the
 * functions below "What is written", which ear_writer_lost uses too), and then written.
 */
#include "decoder/formats/tarmac/writer_tarmac.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/formats/tarmac/tarmac_name.h"
#include "decoder/formats/tarmac/tarmac_utilities.h"
#include "decoder/isa/disassembly.h"
#include "decoder/isa/inst.h"
#include "decoder/text/text_cursor.h"
#include "decoder/text/text_put.h"

#define LINE_SIZE 256 /* of a line without its texts */
#define TEXT_MAX  4096

struct writer_tarmac {
	struct ear_writer base;
	bool qemu4v;
	struct ear_writer_hart hart; /* of QEMU4V only if the options chose one */
	bool begun;
	uint64_t time;
	/* In front of every line of the current record: "12 clk ". */
	char stamp[64];
	size_t stamp_size;
	struct ear_disassembler *disassembler;
};

const char *ear_tarmac_privilege_name(uint8_t privilege)
{
	static const char *const names[] = {
		[EAR_PRIVILEGE_U] = "u",
		[EAR_PRIVILEGE_S] = "s",
		[EAR_PRIVILEGE_RESERVED] = "reserved",
		[EAR_PRIVILEGE_M] = "m",
		[EAR_PRIVILEGE_VU] = "vu",
		[EAR_PRIVILEGE_VS] = "vs",
		[EAR_PRIVILEGE_DEBUG] = "d",
	};

	return privilege <= EAR_PRIVILEGE_DEBUG ? names[privilege] : "---";
}

bool ear_tarmac_is_aarch64_mode(struct ear_text mode)
{
	return mode.size == 4 && (mode.text[0] | 0x20) == 'e' && (mode.text[1] | 0x20) == 'l' &&
	       mode.text[2] >= '0' && mode.text[2] <= '3' &&
	       (mode.text[3] == 't' || mode.text[3] == 'h');
}

/* --- What is written --- */

static struct ear_text unit_of(const struct ear_record *record)
{
	if (record->extra && record->extra->time_unit.text &&
		ear_tarmac_is_unit(record->extra->time_unit))
		return record->extra->time_unit;
	return (struct ear_text){"clk", 3};
}

static bool has_other_unit(const struct ear_record *record)
{
	return record->flags & EAR_RECORD_HAS_TIME && record->extra &&
	       record->extra->time_unit.text && !ear_tarmac_is_unit(record->extra->time_unit);
}

#define LETTERS_QEMU4V (EAR_BUS_PRIVILEGED | EAR_BUS_UNPRIVILEGED)
#define LETTERS_TARMAC (EAR_BUS_EXCLUSIVE | EAR_BUS_UNPRIVILEGED | EAR_BUS_LOCKED)

/* A core's accesses are lines; what only the bus did, and fetches, would be taken for them. */
static bool is_access(const struct ear_record_access *access)
{
	unsigned attributes = access->attributes;
	bool bus_only = attributes & EAR_BUS_KNOWN && !(attributes & EAR_BUS_CORE);
	unsigned other = EAR_BUS_OPCODE | EAR_BUS_WAIT | EAR_BUS_DEBUG;

	return !bus_only && !(attributes & other) && !access->masked;
}

/* Tarmac has a sign for digits that are not known. What an instruction that trapped accessed is not
 * written without a value: nothing was transferred. */
static bool is_written(
	const struct ear_record *record, const struct ear_record_access *access, bool qemu4v)
{
	bool sized = access->size >= 1 && access->size <= 8;
	bool known = access->has_value && access->unknown == 0;

	if (!is_access(access) || !sized)
		return false;
	if (qemu4v)
		return known && !access->aborted;
	return access->has_value || access->aborted || !(record->flags & EAR_RECORD_TRAP);
}

/* --- Registers of other instruction sets, in Tarmac --- */

#define NAME_MAX 128

static bool is_word(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = text[i];
		if (!ear_text_is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
			c != '_' && c != '-' && c != '.' && c != '#')
			return false;
	}
	return size > 0;
}

/* "<127:64>" in whole bytes. Returns the digits of the range, 0 if it is none. */
static unsigned range_digits(struct ear_text range)
{
	struct ear_text_cursor cursor = ear_text_cursor(range.text, range.size);
	uint64_t high, low;

	if (!ear_text_take(&cursor, '<') || !ear_text_decimal(&cursor, &high) ||
		!ear_text_take(&cursor, ':') || !ear_text_decimal(&cursor, &low) ||
		!ear_text_take(&cursor, '>') || !ear_text_at_end(&cursor) || high > 4095 ||
		low > high || high % 8 != 7 || low % 8 != 0)
		return 0;
	return (unsigned)(high + 1 - low) / 4;
}

/* "R1 (USR)", "V0<127:64>": a word, and perhaps a word in brackets. Fills in the digits of a range.
 */
static bool is_name(struct ear_text name, unsigned *range)
{
	struct ear_text bare = ear_tarmac_bare_name(name);
	size_t at = bare.size;

	*range = 0;
	if (name.size > NAME_MAX || !is_word(bare.text, bare.size) || ear_text_is(bare, "DC") ||
		ear_text_is(bare, "IC") || ear_text_is(bare, "TLBI") || ear_text_is(bare, "AT"))
		return false;
	while (at < name.size && ear_text_is_blank(name.text[at]))
		at++;
	if (at == name.size)
		return at == bare.size;
	struct ear_text rest = {name.text + at, name.size - at};
	if (rest.text[0] == '<') {
		*range = range_digits(rest);
		return *range > 0;
	}
	return rest.size > 2 && rest.text[0] == '(' && rest.text[rest.size - 1] == ')' &&
	       is_word(rest.text + 1, rest.size - 2);
}

/* A value as wide as the utilities want it, if it fits: filled up, or without leading zeros. */
static unsigned fit(const struct ear_record_register *reg, unsigned width, unsigned wanted)
{
	bool narrow =
		reg->size <= 8 && !reg->unknown && wanted < 16 && reg->value >> 4 * wanted == 0;

	return width <= wanted || narrow ? wanted : 0;
}

/* Digits to write of a NAMED register, 0 if it cannot be written. Names that the utilities do not
 * know may have any width; those that they misunderstand ("S3_0_C15_C2_0" is "S3" to them) only one
 * that is no error.
 */
static __attribute__((noinline)) unsigned named_digits(const struct ear_record_register *reg)
{
	struct ear_text name = {reg->text.name, reg->text_size};
	unsigned width = reg->size ? 2u * reg->size : reg->value >> 32 ? 16 : 8, range;

	if (!is_name(name, &range))
		return 0;
	const struct ear_tarmac_name known = ear_tarmac_name(name);
	if (range > 0 && (known.rule != EAR_TARMAC_EXACT || range > known.digits))
		return 0;
	if (known.longer)
		return memchr(name.text, '_', name.size) && width >= known.digits ? width : 0;
	switch (known.rule) {
	case EAR_TARMAC_EXACT: return fit(reg, width, range ? range : known.digits);
	case EAR_TARMAC_UP_TO: return width <= known.digits ? width : 0;
	case EAR_TARMAC_ANY: return width < 8 ? 8 : width;
	case EAR_TARMAC_STACK: return width <= 8 ? 8 : width <= 16 ? 16 : width;
	default: return width;
	}
}

static unsigned tarmac_digits(const struct ear_record_register *reg)
{
	switch (reg->reg_class) {
	case EAR_REGISTER_X: return reg->number > 0 && reg->number < 32 ? 16 : 0;
	case EAR_REGISTER_F: return reg->number < 32 ? 16 : 0;
	case EAR_REGISTER_NAMED: return named_digits(reg);
	default: return 0;
	}
}

static enum ear_tarmac_rule rule_of(const struct ear_record_register *reg)
{
	return ear_tarmac_name((struct ear_text){reg->text.name, reg->text_size}).rule;
}

/* A digit that is known is lost with the other one of its byte: the utilities know unknown bytes.
 */
static bool loses_digit(const struct ear_record_register *reg)
{
	const uint8_t *unknown = ear_register_unknown(reg);

	if (!unknown || rule_of(reg) == EAR_TARMAC_IGNORED)
		return false;
	for (size_t i = 0; i < reg->size; i++)
		if (unknown[i] != 0 && unknown[i] != 0xFF)
			return true;
	return false;
}

static bool is_sign(char c)
{
	return memchr(":()[],<>", c, 8) != NULL;
}

/* Text after a value that the utilities neither refuse nor take for more of it. */
static bool takes_note(const struct ear_record_register *reg, struct ear_text note)
{
	struct ear_text_cursor cursor = ear_text_cursor(note.text, note.size);
	enum ear_tarmac_rule rule = rule_of(reg);

	for (size_t i = 0; i < note.size; i++)
		if ((unsigned char)note.text[i] < ' ')
			return false;
	if (note.size > 1024 || (!is_word(note.text, 1) && !is_sign(note.text[0])))
		return false;
	struct ear_text word = ear_text_token(&cursor);
	bool digits = strspn(word.text, "0123456789abcdefABCDEF_-xX") >= word.size;
	if (digits && rule != EAR_TARMAC_EXACT)
		return word.text[0] == '_' && rule == EAR_TARMAC_ANY;
	return rule != EAR_TARMAC_UP_TO;
}

/* A register as QEMU4V has it: a word, and all digits. */
static bool is_plain(const struct ear_record_register *reg)
{
	if (reg->unknown || reg->text_size == 0 || reg->text_size > NAME_MAX)
		return false;
	for (size_t i = 0; i < reg->text_size; i++)
		if ((unsigned char)reg->text.name[i] <= ' ')
			return false;
	return true;
}

/* --- Events --- */

/* "MNR4O__I 00022ae4 f7ffffcb", "MCW4___R (00000050:000000a8) TRANSFER 00000000": accesses of the
 * bus or of a coprocessor that are no data accesses. */
static bool is_other_transfer(struct ear_text word, struct ear_text line)
{
	static const char transfer[] = "TRANSFER";

	if (word.size == 0 || word.text[0] != 'M')
		return false;
	const char last = word.text[word.size - 1];
	if (word.size == 8 && (last == 'I' || last == 'A'))
		return true;
	if (word.size > 2 && last == 'I' && word.text[word.size - 2] == '_')
		return true;
	for (size_t i = 0; i + sizeof(transfer) - 1 <= line.size; i++)
		if (memcmp(line.text + i, transfer, sizeof(transfer) - 1) == 0)
			return true;
	return false;
}

/* "SIGNAL:": a sign ends a word, too. */
static struct ear_text cut_word(struct ear_text word)
{
	size_t size = 0;

	while (size < word.size && !is_sign(word.text[size]))
		size++;
	return (struct ear_text){word.text, size};
}

/* Events with which the utilities do what they do with any line of that beginning. */
static bool is_tarmac_event(const struct ear_record *record)
{
	const struct ear_tarmac_state state = {.has_time = false};
	struct ear_text text = record->u.event.name;
	struct ear_tarmac_head head = {.kind = EAR_TARMAC_EVENT};

	if (record->u.event.source != 0 || text.size == 0 || text.size > TEXT_MAX)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)text.text[i] < ' ' && text.text[i] != '\t')
			return false;
	head.rest = ear_text_cursor(text.text, text.size);
	head.word = ear_text_token(&head.rest);
	struct ear_text_cursor rest = head.rest;
	ear_text_skip_blanks(&rest);
	struct ear_text next = ear_text_token(&rest);
	if (ear_text_is(head.word, "R") &&
		(ear_text_is(next, "DC") || ear_text_is(next, "IC") || ear_text_is(next, "TLBI") ||
			ear_text_is(next, "AT")))
		head.kind = EAR_TARMAC_REGISTER;
	else if (head.word.size == 2 && (ear_text_is(next, "EXC") || ear_text_is(next, "Reset")) &&
		 (head.word.text[0] == 'I' || ear_text_is(head.word, "ES")))
		head.kind = EAR_TARMAC_INSTRUCTION;
	else if (!ear_tarmac_is_event_word(cut_word(head.word)) &&
		 !is_other_transfer(head.word, text))
		return false;
	return ear_tarmac_taken(&head, &state);
}

static uint64_t bit_if(bool condition, enum ear_field field)
{
	return condition ? EAR_FIELD_BIT(field) : 0;
}

static uint64_t unfit_access(
	const struct ear_record *record, const struct ear_record_access *access, bool qemu4v)
{
	unsigned letters = qemu4v ? LETTERS_QEMU4V : LETTERS_TARMAC;
	unsigned attributes = access->attributes & ~(unsigned)(EAR_BUS_KNOWN | EAR_BUS_CORE);
	uint64_t set =
		bit_if((attributes & ~letters) || (attributes & (attributes - 1) && qemu4v) ||
				access->attributes & EAR_BUS_KNOWN,
			EAR_FIELD_BUS);

	if (is_written(record, access, qemu4v))
		return set;
	if (record->kind == EAR_RECORD_MEMORY)
		return set | EAR_FIELD_BIT(EAR_FIELD_LONE_ACCESS);
	return set |
	       EAR_FIELD_BIT(access->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS);
}

static uint64_t unfit_register(const struct ear_record_register *reg, bool qemu4v)
{
	struct ear_text note = ear_register_note(reg);

	if (qemu4v)
		return bit_if(!is_plain(reg), EAR_FIELD_NAMED_WRITE);
	return bit_if(tarmac_digits(reg) == 0 || loses_digit(reg), EAR_FIELD_NAMED_WRITE) |
	       bit_if(note.text && !takes_note(reg, note), EAR_FIELD_REGISTER_NOTE);
}

#define NOT_OF_INTERRUPTS \
	(EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE) | \
		EAR_FIELD_BIT(EAR_FIELD_PC_PHYSICAL) | EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY))

static uint64_t unfit(const struct ear_record *record, bool qemu4v)
{
	uint64_t set = bit_if(has_other_unit(record), EAR_FIELD_TIME);

	for (size_t i = 0; i < record->memory_count; i++)
		set |= unfit_access(record, &record->memory[i], qemu4v);
	if (record->kind == EAR_RECORD_IDLE)
		set |= EAR_FIELD_BIT(EAR_FIELD_BUS);
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		set |= bit_if(
			(record->isa == EAR_ISA_T32EE && !qemu4v) || record->isa == EAR_ISA_JAZELLE,
			EAR_FIELD_OTHER_ISA);
		set |= bit_if(
			qemu4v && ear_disassembly_is_lost_beside(record), EAR_FIELD_DISASSEMBLY);
		/* ES has one address. */
		set |= bit_if(!qemu4v && record->flags & EAR_RECORD_NO_OPCODE &&
				      record->flags & EAR_RECORD_PC_PHYSICAL,
			EAR_FIELD_PC_PHYSICAL);
		/* An interrupt has no line of an instruction. */
		if (record->flags & EAR_RECORD_INTERRUPT)
			set |= ear_record_fields(record) & NOT_OF_INTERRUPTS;
	}
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_NAMED)
			set |= unfit_register(&record->registers[i], qemu4v);
	if (qemu4v)
		return set;
	return set | bit_if(record->kind == EAR_RECORD_EVENT && !is_tarmac_event(record),
			     EAR_FIELD_EVENT);
}

uint64_t ear_writer_qemu4v_unfit(const struct ear_record *record)
{
	return unfit(record, true);
}

uint64_t ear_writer_tarmac_unfit(const struct ear_record *record)
{
	bool whole = record->extra && record->extra->source.text; /* write_source */

	return whole ? 0 : unfit(record, false);
}

/* --- Lines --- */

static char *begin_line(struct writer_tarmac *writer)
{
	char *at = ear_text_output_reserve(writer->base.output, LINE_SIZE);

	return ear_put_bytes(at, writer->stamp, writer->stamp_size);
}

static void end_line(struct writer_tarmac *writer, char *at)
{
	*at++ = '\n';
	ear_text_output_commit(writer->base.output, at);
}

/* The time, or where the source has none a count that grows with the instructions. */
static void set_stamp(struct writer_tarmac *writer, const struct ear_record *record)
{
	uint64_t time = record->ticks;

	if (!(record->flags & EAR_RECORD_HAS_TIME)) {
		time = record->index;
		if (writer->begun && time <= writer->time)
			time = writer->time < UINT64_MAX ? writer->time + 1 : UINT64_MAX;
	}
	writer->time = time;
	char *at = ear_put_decimal(writer->stamp, time);
	*at++ = ' ';
	at = ear_put_text(at, unit_of(record));
	*at++ = ' ';
	/* Strict QEMU4V has the cpu in lines of instructions only. */
	if (!writer->qemu4v && record->hart != 0) {
		at = ear_put_word(at, "cpu");
		at = ear_put_decimal(at, record->hart);
		*at++ = ' ';
	}
	writer->stamp_size = (size_t)(at - writer->stamp);
}

static unsigned address_digits(const struct ear_record *record, uint64_t address)
{
	return record->xlen == 64 || address >> 32 ? 16 : 8;
}

/* In Tarmac, RISC-V is written as if it were A64: docs/text-formats.md says why. */
static char set_of(const struct ear_record *record, bool qemu4v)
{
	switch (record->isa) {
	case EAR_ISA_RISCV: return qemu4v ? 'A' : 'O';
	case EAR_ISA_A64: return qemu4v ? 'A' : 'O';
	case EAR_ISA_T32: return 'T';
	case EAR_ISA_T32EE: return qemu4v ? 'X' : 'T';
	default: return 'A';
	}
}

static char *put_mode(char *at, const struct ear_record *record, bool qemu4v)
{
	const struct ear_text none = {NULL, 0};
	struct ear_text name = record->extra ? record->extra->mode_name : none;

	if (qemu4v && record->isa == EAR_ISA_A64 && !ear_tarmac_is_aarch64_mode(name))
		at = ear_put_word(at, EAR_TARMAC_AARCH64);
	else if (record->isa != EAR_ISA_RISCV && name.size > 0 && name.size <= 64)
		at = ear_put_text(at, name);
	else if (record->flags & EAR_RECORD_NO_PRIVILEGE)
		at = ear_put_word(at, record->isa == EAR_ISA_RISCV ? EAR_TARMAC_RISCV : "---");
	else
		at = ear_put_word(at, ear_tarmac_privilege_name(record->privilege));
	if (record->flags & EAR_RECORD_HAS_SECURITY)
		at = ear_put_word(at, record->flags & EAR_RECORD_SECURE ? "_s" : "_ns");
	return at;
}

/* tarmac-trace-utilities parse the first word of the text as a keyword. */
static bool begins_well(struct ear_text text)
{
	char c = text.text[0];

	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       memchr("_.#<([-", c, 7) != NULL;
}

static void put_text(struct writer_tarmac *writer, const struct ear_record *record)
{
	struct ear_text text = writer->qemu4v
				       ? ear_disassembler_text_beside(writer->disassembler, record)
				       : ear_disassembler_line_text(writer->disassembler, record);

	if (!writer->qemu4v && text.size > 0 && !begins_well(text))
		text = (struct ear_text){
			EAR_DISASSEMBLY_UNKNOWN, sizeof(EAR_DISASSEMBLY_UNKNOWN) - 1};
	size_t size = text.size < TEXT_MAX ? text.size : TEXT_MAX;
	char *at = ear_text_output_reserve(writer->base.output, TEXT_MAX + 2);
	if (size > 0)
		*at++ = ' ';
	for (size_t i = 0; i < size; i++)
		at[i] = text.text[i] == '\n' || text.text[i] == '\r' ? ' ' : text.text[i];
	end_line(writer, at + size);
}

/* "ES (00008000:--------) A": the form that can say that the opcode is unknown. */
static __attribute__((noinline)) char *put_state(
	char *at, const struct ear_record *record, unsigned opcode_digits)
{
	at = ear_put_word(at, "ES (");
	at = ear_put_hex(at, record->pc, address_digits(record, record->pc));
	*at++ = ':';
	memset(at, '-', opcode_digits);
	at += opcode_digits;
	return ear_put_word(at, ") ");
}

/* "IT (1) 00008000 e3a00000 " */
static __attribute__((noinline)) char *put_executed(struct writer_tarmac *writer, char *at,
	const struct ear_record *record, unsigned opcode_digits)
{
	if (writer->qemu4v) {
		at = ear_put_decimal(at, record->hart);
		*at++ = ' ';
	}
	at = ear_put_word(at, record->flags & EAR_RECORD_SKIPPED ? "IS (" : "IT (");
	at = ear_put_decimal(at, record->index);
	at = ear_put_word(at, ") ");
	at = ear_put_hex(at, record->pc, address_digits(record, record->pc));
	if (!writer->qemu4v && record->flags & EAR_RECORD_PC_PHYSICAL) {
		*at++ = ':';
		at = ear_put_hex(
			at, record->pc_physical, address_digits(record, record->pc_physical));
	}
	*at++ = ' ';
	at = ear_put_hex(at, record->opcode, opcode_digits);
	*at++ = ' ';
	return at;
}

static void write_instruction(struct writer_tarmac *writer, const struct ear_record *record)
{
	unsigned size = record->opcode_size ? record->opcode_size : 4;
	unsigned digits = 2 * (size < 8 ? size : 8);
	bool unknown = record->flags & EAR_RECORD_NO_OPCODE && !writer->qemu4v;
	char *at = begin_line(writer);

	at = unknown ? put_state(at, record, digits) : put_executed(writer, at, record, digits);
	*at++ = set_of(record, writer->qemu4v);
	*at++ = ' ';
	at = put_mode(at, record, writer->qemu4v);
	at = ear_put_word(at, " :");
	if (unknown && record->flags & EAR_RECORD_SKIPPED)
		at = ear_put_word(at, " CCFAIL");
	ear_text_output_commit(writer->base.output, at);
	put_text(writer, record);
}

static __attribute__((noinline)) char *put_unknown(char *at, unsigned digits)
{
	memset(at, 'x', digits);
	return at + digits;
}

/* A value of which some digits are unknown. */
static __attribute__((noinline)) char *put_digits(char *at, const struct ear_record_access *access)
{
	for (unsigned left = 2u * access->size; left-- > 0;) {
		if (access->unknown >> 4 * left & 0xF)
			at = put_unknown(at, 1);
		else
			at = ear_put_hex(at, access->value >> 4 * left & 0xF, 1);
	}
	return at;
}

static void write_access(struct writer_tarmac *writer, const struct ear_record *record,
	const struct ear_record_access *access)
{
	char *at = begin_line(writer);

	*at++ = 'M';
	*at++ = access->write ? 'W' : 'R';
	at = ear_put_decimal(at, access->size);
	if (writer->qemu4v && access->attributes & EAR_BUS_PRIVILEGED)
		*at++ = 'X';
	else if (access->attributes & EAR_BUS_UNPRIVILEGED)
		*at++ = 'T';
	if (!writer->qemu4v && access->attributes & EAR_BUS_EXCLUSIVE)
		*at++ = 'X';
	if (!writer->qemu4v && access->attributes & EAR_BUS_LOCKED)
		*at++ = 'L';
	*at++ = ' ';
	at = ear_put_hex(at, access->address, address_digits(record, access->address));
	if (!writer->qemu4v && access->has_physical) {
		*at++ = ':';
		at = ear_put_hex(at, access->physical, address_digits(record, access->physical));
	}
	*at++ = ' ';
	if (access->aborted)
		at = ear_put_word(at, "(ABORTED) ");
	if (access->has_value && access->unknown == 0)
		at = ear_put_hex(at, access->value, 2u * access->size);
	else if (access->has_value)
		at = put_digits(at, access);
	else if (!access->aborted)
		at = put_unknown(at, 2u * access->size);
	if (at[-1] == ' ')
		at--;
	end_line(writer, at);
}

/* Number of a RISC-V register instead of A64's: ra is their link register, sp their sp. */
static char *put_role(char *at, unsigned number)
{
	if (number == 2)
		return ear_put_word(at, "xsp");
	*at++ = 'x';
	return ear_put_decimal(at, number == 1 ? 30 : number == 30 ? 1 : number == 31 ? 2 : number);
}

static char *put_name(char *at, const struct ear_record_register *reg, bool qemu4v)
{
	const char *name;

	switch (reg->reg_class) {
	case EAR_REGISTER_X:
		if (!qemu4v)
			return put_role(at, reg->number);
		*at++ = 'x';
		break;
	case EAR_REGISTER_F: *at++ = qemu4v ? 'f' : 'd'; break;
	case EAR_REGISTER_V: *at++ = 'v'; break;
	case EAR_REGISTER_CSR:
		name = ear_csr_name(reg->number);
		if (name)
			return ear_put_word(at, name);
		*at++ = 'c';
		break;
	default: return ear_put_bytes(at, reg->text.name, reg->text_size);
	}
	return ear_put_decimal(at, reg->number);
}

static unsigned qemu4v_digits(
	const struct ear_record *record, const struct ear_record_register *reg)
{
	if (reg->size)
		return 2u * reg->size;
	if (reg->reg_class == EAR_REGISTER_F)
		return record->xlen == 64 || reg->value >> 32 ? 16 : 8;
	return address_digits(record, reg->value);
}

/* Byte i of a NAMED register, the lowest is 0. A part that is unknown is a byte "--" to the
 * utilities; digits of a register that they ignore are as in the source. */
static char *put_byte(char *at, const struct ear_record_register *reg, size_t i, bool whole)
{
	const uint8_t *bytes = ear_register_bytes(reg), *unknown = ear_register_unknown(reg);
	unsigned byte = bytes ? bytes[i] : (unsigned)(reg->value >> 8 * i) & 0xFF;
	unsigned mask = unknown ? unknown[i] : 0;

	if (mask && whole) {
		*at++ = '-';
		*at++ = '-';
		return at;
	}
	at = ear_put_hex(at, byte, 2);
	if (mask & 0xF0)
		at[-2] = 'x';
	if (mask & 0x0F)
		at[-1] = 'x';
	return at;
}

static char *put_bytes(char *at, const struct ear_record_register *reg, unsigned digits)
{
	size_t size = reg->size;
	bool whole = reg->unknown && rule_of(reg) != EAR_TARMAC_IGNORED;

	if (size * 2 > digits)
		size = digits / 2; /* leading zeros, see fit() */
	for (; digits > 2 * size; digits--)
		*at++ = '0';
	while (size-- > 0)
		at = put_byte(at, reg, size, whole);
	return at;
}

/* A register of bytes, or by name. */
static __attribute__((noinline)) void write_other_register(struct writer_tarmac *writer,
	const struct ear_record *record, const struct ear_record_register *reg)
{
	bool vector = reg->reg_class == EAR_REGISTER_V;
	unsigned digits = writer->qemu4v ? qemu4v_digits(record, reg) : tarmac_digits(reg);
	struct ear_text note = ear_register_note(reg);

	if (vector)
		digits = writer->qemu4v ? 2 * reg->text_size : 0;
	if (digits == 0 || (!vector && writer->qemu4v && !is_plain(reg)))
		return; /* there is no such line */
	if (writer->qemu4v || (note.text && !takes_note(reg, note)))
		note = (struct ear_text){NULL, 0};
	char *at = ear_text_output_reserve(writer->base.output,
		LINE_SIZE + digits + reg->size * (size_t)2 + note.size + EAR_PUT_SLACK);
	at = ear_put_bytes(at, writer->stamp, writer->stamp_size);
	at = ear_put_word(at, "R ");
	at = put_name(at, reg, writer->qemu4v);
	*at++ = ' ';
	for (size_t i = vector ? reg->text_size : 0; i-- > 0;)
		at = ear_put_hex(at, reg->text.bytes[i], 2);
	if (!vector && (reg->size > 8 || reg->unknown))
		at = put_bytes(at, reg, digits);
	else if (!vector)
		at = ear_put_hex(at, reg->value, digits);
	if (note.text) {
		*at++ = ' ';
		at = ear_put_bytes(at, note.text, note.size);
	}
	end_line(writer, at);
}

static void write_register(struct writer_tarmac *writer, const struct ear_record *record,
	const struct ear_record_register *reg)
{
	if (reg->reg_class == EAR_REGISTER_V || reg->reg_class == EAR_REGISTER_NAMED) {
		write_other_register(writer, record, reg);
		return;
	}
	unsigned digits = writer->qemu4v ? qemu4v_digits(record, reg) : tarmac_digits(reg);
	if (digits == 0)
		return;
	char *at = begin_line(writer);
	at = ear_put_word(at, "R ");
	at = put_name(at, reg, writer->qemu4v);
	*at++ = ' ';
	end_line(writer, ear_put_hex(at, reg->value, digits));
}

/* An exception after its instruction, an interrupt alone, since its instruction did not run. The
 * line cannot leave the cause out: an unknown one is 0, and the name says so.
 */
static void write_trap(struct writer_tarmac *writer, const struct ear_record *record)
{
	bool unknown = record->flags & EAR_RECORD_NO_CAUSE;
	unsigned digits = record->xlen == 64 ? 16 : 8;
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	char *at = begin_line(writer);

	at = ear_put_word(at, "E ");
	at = ear_put_hex(at, record->pc, address_digits(record, record->pc));
	*at++ = ' ';
	at = ear_put_hex(at, record->cause, digits);
	*at++ = ' ';
	at = ear_put_word(at, interrupt ? EAR_TARMAC_INTERRUPT : EAR_TARMAC_EXCEPTION);
	if (unknown)
		at = ear_put_word(at, EAR_TARMAC_UNKNOWN);
	end_line(writer, at);
}

static void write_event(struct writer_tarmac *writer, const struct ear_record *record)
{
	struct ear_text name = record->u.event.name;

	if (writer->qemu4v || !is_tarmac_event(record))
		return;
	char *at = ear_text_output_reserve(writer->base.output, LINE_SIZE + TEXT_MAX);
	at = ear_put_bytes(at, writer->stamp, writer->stamp_size);
	end_line(writer, ear_put_text(at, name));
}

/* "Tarmac Text Rev 3": their only header. */
static void write_note(struct writer_tarmac *writer, struct ear_text text)
{
	if (writer->qemu4v || text.size < 7 || text.size > TEXT_MAX ||
		memcmp(text.text, "Tarmac ", 7) != 0)
		return;
	char *at = ear_text_output_reserve(writer->base.output, TEXT_MAX + 1);
	end_line(writer, ear_put_text(at, text));
}

static void write_items(struct writer_tarmac *writer, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count; i++)
		if (is_written(record, &record->memory[i], writer->qemu4v))
			write_access(writer, record, &record->memory[i]);
	for (size_t i = 0; i < record->register_count; i++)
		write_register(writer, record, &record->registers[i]);
}

/* As ear_writer_hart_choose; QEMU4V has room for all harts. */
static int choose(struct writer_tarmac *writer, const struct ear_record *record)
{
	if (writer->qemu4v && !writer->hart.filter)
		return 1;
	return ear_writer_hart_choose(&writer->hart, record);
}

/* The record's lines, as they are in a Tarmac that it was read from. A first line without a stamp
 * has the time of the line before: then that must be the record's. Returns false if they are not
 * there, or would not mean the same here.
 */
static inline bool write_source(struct writer_tarmac *writer, const struct ear_record *record)
{
	struct ear_text source = {NULL, 0};

	if (record->extra && !writer->qemu4v)
		source = record->extra->source;
	if (!source.text)
		return false;
	struct ear_text_cursor cursor = ear_text_cursor(source.text, source.size);
	ear_text_skip_blanks(&cursor);
	bool timed = record->flags & EAR_RECORD_HAS_TIME;
	bool stamped = ear_text_is_digit(ear_text_peek(&cursor));
	if (timed && !stamped && source.size > 0 &&
		(!writer->begun || writer->time != record->ticks))
		return false;
	if (!timed && writer->begun)
		return false; /* lines of other files came before */
	if (timed) {
		writer->time = record->ticks;
		writer->begun = true;
	}
	ear_text_output_put(writer->base.output, source.text, source.size);
	return true;
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_tarmac *writer = (struct writer_tarmac *)base;
	bool lone = record->kind == EAR_RECORD_MEMORY || record->kind == EAR_RECORD_REGISTERS;

	if (record->kind == EAR_RECORD_NOTE && !write_source(writer, record))
		write_note(writer, record->u.note.text);
	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_EVENT && !lone)
		return base->output->error;
	int chosen = choose(writer, record);
	if (chosen <= 0)
		return chosen;
	if (write_source(writer, record))
		return base->output->error;
	set_stamp(writer, record);
	writer->begun = true;
	if (record->kind == EAR_RECORD_EVENT) {
		write_event(writer, record);
	} else {
		bool interrupt = !lone && record->flags & EAR_RECORD_INTERRUPT;
		if (!lone && !interrupt)
			write_instruction(writer, record);
		bool trap = !lone && (interrupt || record->flags & EAR_RECORD_TRAP);
		if (trap && !writer->qemu4v)
			write_trap(writer, record);
		write_items(writer, record);
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	struct writer_tarmac *writer = (struct writer_tarmac *)base;

	ear_disassembler_free(writer->disassembler);
	free(writer);
}

static struct ear_writer *make(
	struct ear_text_output *output, const struct ear_writer_options *options, bool qemu4v)
{
	struct writer_tarmac *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->disassembler = ear_disassembler_new();
	if (!writer->disassembler) {
		free(writer);
		return NULL;
	}
	writer->base.output = output;
	writer->base.push = push;
	writer->base.free = free_writer;
	writer->qemu4v = qemu4v;
	writer->hart = ear_writer_hart(options);
	return &writer->base;
}

struct ear_writer *ear_writer_qemu4v_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	return make(output, options, true);
}

struct ear_writer *ear_writer_tarmac_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	return make(output, options, false);
}
