/* Records to QEMU4V and Tarmac.
 *
 * Both have the same lines: the instruction, its accesses, its registers, each with the stamp of
 * the record. They differ in what their readers accept, so what is written is decided first (the
 * functions below "What is written", which ear_writer_lost uses too), and then written.
 */
#include "formats/tarmac/writer_tarmac.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/isa/disassembly.h"
#include "decoder/isa/inst.h"
#include "formats/tarmac/tarmac_line.h"
#include "formats/text/text_cursor.h"
#include "formats/text/text_put.h"

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

/* --- What is written --- */

/* Units that both readers know. Others look like a kind of line. */
static bool is_known_unit(struct ear_text unit)
{
	static const char units[][4] = {"clk", "ns", "cs", "cyc", "tic", "ps", "us"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ear_text_is(unit, units[i]))
			return true;
	return false;
}

static struct ear_text unit_of(const struct ear_record *record)
{
	if (record->extra && record->extra->time_unit.text &&
		is_known_unit(record->extra->time_unit))
		return record->extra->time_unit;
	return (struct ear_text){"clk", 3};
}

static bool has_other_unit(const struct ear_record *record)
{
	return record->flags & EAR_RECORD_HAS_TIME && record->extra &&
	       record->extra->time_unit.text && !is_known_unit(record->extra->time_unit);
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

/* Tarmac has no data of an aborted access: they are written as zeros. */
static bool is_written(const struct ear_record_access *access, bool qemu4v)
{
	bool sized = access->size >= 1 && access->size <= 8;

	return is_access(access) && sized &&
	       (qemu4v ? access->has_value && !access->aborted
		       : access->has_value || access->aborted);
}

/* Registers of ARM that tarmac-trace-utilities know, with the digits that they want; 0: unknown.
 */
static unsigned named_digits(const struct ear_record_register *reg)
{
	static const struct {
		char letter;
		uint8_t count, digits;
	} numbered[] = {{'r', 16, 8}, {'w', 31, 8}, {'x', 31, 16}, {'e', 31, 16}, {'s', 32, 8},
		{'d', 32, 16}, {'q', 32, 32}, {'v', 32, 32}};
	static const struct {
		char name[8];
		uint8_t digits;
	} alone[] = {{"wsp", 8}, {"xsp", 16}, {"msp", 8}, {"lr", 8}, {"cpsr", 8}, {"psr", 8},
		{"fpscr", 8}, {"fpcr", 8}, {"fpsr", 8}, {"vpr", 8}, {"pc", 8}};
	struct ear_text name = {reg->text.name, reg->text_size};
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	char letter = ear_text_peek(&cursor);
	uint64_t number;

	if (letter >= 'A' && letter <= 'Z')
		letter = (char)(letter + 'a' - 'A');
	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		if (ear_text_is(name, alone[i].name))
			return alone[i].digits;
	if (ear_text_is(name, "sp"))
		return reg->size > 4 ? 16 : 8;
	if (name.size < 2)
		return 0;
	cursor.at++;
	if (!ear_text_decimal(&cursor, &number))
		return 0;
	/* A bank may follow: r13_svc. */
	if (!ear_text_at_end(&cursor) && (letter != 'r' || ear_text_peek(&cursor) != '_'))
		return 0;
	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++)
		if (numbered[i].letter == letter && number < numbered[i].count)
			return numbered[i].digits;
	return 0;
}

static unsigned tarmac_digits(const struct ear_record_register *reg)
{
	unsigned digits;

	switch (reg->reg_class) {
	case EAR_REGISTER_X: return reg->number > 0 && reg->number < 32 ? 16 : 0;
	case EAR_REGISTER_F: return reg->number < 32 ? 16 : 0;
	case EAR_REGISTER_NAMED:
		digits = named_digits(reg);
		/* A value that does not fit would make the line an error. */
		return reg->size * 2u <= digits || (reg->size <= 8 && digits < 16 &&
							   reg->value >> 4 * digits == 0)
			       ? digits
			       : 0;
	default: return 0;
	}
}

/* An event that tarmac-trace-utilities take: a known word, and only characters of their tokens. */
static bool is_tarmac_event(const struct ear_record *record)
{
	struct ear_text text = record->u.event.name;

	if (record->u.event.source != 0 || text.size == 0 || text.size > TEXT_MAX)
		return false;
	struct ear_text_cursor cursor = ear_text_cursor(text.text, text.size);
	if (!ear_tarmac_is_event_word(ear_text_until(&cursor, ' ')))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		char c = text.text[i];
		bool letter =
			(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!letter && !memchr("_-.# \t:()[],<>", c, 14))
			return false;
	}
	return true;
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

	if (is_written(access, qemu4v))
		return set;
	if (record->kind == EAR_RECORD_MEMORY)
		return set | EAR_FIELD_BIT(EAR_FIELD_LONE_ACCESS);
	return set |
	       EAR_FIELD_BIT(access->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS);
}

static uint64_t unfit(const struct ear_record *record, bool qemu4v)
{
	uint64_t set = bit_if(has_other_unit(record), EAR_FIELD_TIME);

	for (size_t i = 0; i < record->memory_count; i++)
		set |= unfit_access(record, &record->memory[i], qemu4v);
	if (record->kind == EAR_RECORD_IDLE)
		set |= EAR_FIELD_BIT(EAR_FIELD_BUS);
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		uint8_t none = qemu4v ? EAR_ISA_A64 : EAR_ISA_T32EE;
		set |= bit_if(
			record->isa == none || record->isa == EAR_ISA_JAZELLE, EAR_FIELD_OTHER_ISA);
	}
	if (qemu4v)
		return set;
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_NAMED)
			set |= bit_if(
				tarmac_digits(&record->registers[i]) == 0, EAR_FIELD_NAMED_WRITE);
	return set | bit_if(record->kind == EAR_RECORD_EVENT && !is_tarmac_event(record),
			     EAR_FIELD_EVENT);
}

uint64_t ear_writer_qemu4v_unfit(const struct ear_record *record)
{
	return unfit(record, true);
}

uint64_t ear_writer_tarmac_unfit(const struct ear_record *record)
{
	return unfit(record, false);
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

static char *put_mode(char *at, const struct ear_record *record)
{
	const struct ear_text none = {NULL, 0};
	struct ear_text name = record->extra ? record->extra->mode_name : none;

	if (name.text && name.size > 0 && name.size <= 64)
		at = ear_put_text(at, name);
	else if (record->flags & EAR_RECORD_NO_PRIVILEGE)
		at = ear_put_word(at, "---");
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
	struct ear_text text = ear_disassembler_text(writer->disassembler, record);

	if (!writer->qemu4v && !begins_well(text))
		text = (struct ear_text){
			EAR_DISASSEMBLY_UNKNOWN, sizeof(EAR_DISASSEMBLY_UNKNOWN) - 1};
	size_t size = text.size < TEXT_MAX ? text.size : TEXT_MAX;
	char *at = ear_text_output_reserve(writer->base.output, TEXT_MAX + 1);
	for (size_t i = 0; i < size; i++)
		at[i] = text.text[i] == '\n' || text.text[i] == '\r' ? ' ' : text.text[i];
	end_line(writer, at + size);
}

static void write_instruction(struct writer_tarmac *writer, const struct ear_record *record)
{
	unsigned size = record->opcode_size ? record->opcode_size : 4;
	char *at = begin_line(writer);

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
	at = ear_put_hex(at, record->opcode, 2 * (size < 8 ? size : 8));
	*at++ = ' ';
	*at++ = set_of(record, writer->qemu4v);
	*at++ = ' ';
	at = put_mode(at, record);
	at = ear_put_word(at, " : ");
	ear_text_output_commit(writer->base.output, at);
	put_text(writer, record);
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
	at = ear_put_hex(at, access->has_value ? access->value : 0, 2u * access->size);
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

static void write_register(struct writer_tarmac *writer, const struct ear_record *record,
	const struct ear_record_register *reg)
{
	const uint8_t *bytes = NULL;
	size_t size = reg->size;
	unsigned digits = writer->qemu4v ? qemu4v_digits(record, reg) : tarmac_digits(reg);

	if (digits == 0 || (reg->reg_class == EAR_REGISTER_NAMED && reg->text_size > 128))
		return;
	if (reg->reg_class == EAR_REGISTER_V) {
		bytes = reg->text.bytes;
		size = reg->text_size;
		digits = (unsigned)(2 * size);
		if (size == 0)
			return; /* there is no such line */
	} else if (reg->reg_class == EAR_REGISTER_NAMED && reg->size > 8) {
		bytes = (const uint8_t *)reg->text.name + reg->text_size;
	}
	char *at = ear_text_output_reserve(
		writer->base.output, LINE_SIZE + 2 * size + digits + EAR_PUT_SLACK);
	at = ear_put_bytes(at, writer->stamp, writer->stamp_size);
	at = ear_put_word(at, "R ");
	at = put_name(at, reg, writer->qemu4v);
	*at++ = ' ';
	for (; bytes && digits > 2 * size; digits--)
		*at++ = '0';
	for (size_t i = size; bytes && i-- > 0;)
		at = ear_put_hex(at, bytes[i], 2);
	if (!bytes)
		at = ear_put_hex(at, reg->value, digits);
	end_line(writer, at);
}

/* An exception after its instruction, an interrupt alone, since its instruction did not run. The
 * line has no way to leave the cause out.
 */
static void write_trap(struct writer_tarmac *writer, const struct ear_record *record)
{
	if (record->flags & EAR_RECORD_NO_CAUSE)
		return;
	unsigned digits = record->xlen == 64 ? 16 : 8;
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	char *at = begin_line(writer);

	at = ear_put_word(at, "E ");
	at = ear_put_hex(at, record->pc, address_digits(record, record->pc));
	*at++ = ' ';
	at = ear_put_hex(at, record->cause, digits);
	*at++ = ' ';
	at = ear_put_word(at, interrupt ? EAR_TARMAC_INTERRUPT : EAR_TARMAC_EXCEPTION);
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
		if (is_written(&record->memory[i], writer->qemu4v))
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

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_tarmac *writer = (struct writer_tarmac *)base;
	bool lone = record->kind == EAR_RECORD_MEMORY || record->kind == EAR_RECORD_REGISTERS;

	if (record->kind == EAR_RECORD_NOTE)
		write_note(writer, record->u.note.text);
	if (record->kind != EAR_RECORD_INSTRUCTION && record->kind != EAR_RECORD_EVENT && !lone)
		return base->output->error;
	int chosen = choose(writer, record);
	if (chosen <= 0)
		return chosen;
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
