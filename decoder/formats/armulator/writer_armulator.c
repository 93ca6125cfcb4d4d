/* Records to ARMulator traces.
 *
 * A record becomes its bus cycles, its instruction line, and the registers that changed: ARMulator
 * prints those whose value differs from the last one that it printed, so the writer keeps all of
 * them. Where the source has no bus cycles, the writer makes the fetch; whether it is sequential
 * follows from the address of the cycle before.
 */
#include "decoder/formats/armulator/writer_armulator.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/source_date.h"
#include "decoder/formats/armulator/armulator_text.h"
#include "decoder/isa/disassembly.h"
#include "decoder/isa/inst.h"
#include "decoder/text/text_cursor.h"
#include "decoder/text/text_put.h"

#define LINE_SIZE  256 /* of a line without its texts */
#define TEXT_MAX   4096
#define NAME_MAX   64 /* of a register; a longer one is not a name */
#define NAME_COUNT 256
#define SORT_MAX   64

struct named {
	char name[NAME_MAX];
	uint64_t value;
};

struct writer_armulator {
	struct ear_writer base;
	struct ear_writer_hart hart;
	bool headed;  /* the header is written, or the source's has begun */
	bool sourced; /* and the source in it, which shows the instruction set */
	bool timed;   /* lines begin with a time, or blanks in its place */
	bool has_time;
	uint64_t time;
	bool cycles_made;    /* fetches are made here: the source has no bus cycles */
	uint8_t mode;        /* RISC-V privilege written last, or EAR_ARMULATOR_NO_MODE */
	uint64_t sequential; /* address after the core's last cycle */

	/* Values written last; registers are written where they differ. */
	uint64_t x[32], f[32], csr[4096];
	struct named named[NAME_COUNT];
	size_t named_count;

	struct ear_disassembler *disassembler;
};

/* --- Parts of lines --- */

static unsigned wide_digits(uint64_t value)
{
	unsigned digits = ear_put_hex_digits(value);

	return digits > 8 ? digits : 8;
}

/* As %08lX prints on a host whose long has 64 bits. */
static char *put_upper(char *at, uint64_t value)
{
	return ear_put_hex_upper(at, value, wide_digits(value));
}

/* The time if it has changed, else blanks; nothing in a trace without times. */
static char *begin_line(struct writer_armulator *writer, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(writer->base.output, LINE_SIZE);
	bool known = record->flags & EAR_RECORD_HAS_TIME;

	if (!writer->timed)
		return at;
	if (!known || (writer->has_time && record->ticks == writer->time))
		return ear_put_word(at, "            ");
	writer->has_time = true;
	writer->time = record->ticks;
	at = ear_put_word(at, "T ");
	at = put_upper(at, record->ticks);
	return ear_put_word(at, "  ");
}

static void end_line(struct writer_armulator *writer, char *at)
{
	*at++ = '\n';
	ear_text_output_commit(writer->base.output, at);
}

static char *put_plain(char *at, struct ear_text text, bool lower)
{
	size_t size = text.size < TEXT_MAX ? text.size : TEXT_MAX;

	for (size_t i = 0; i < size; i++) {
		char c = text.text[i];
		if (c == '\n' || c == '\r')
			c = ' ';
		else if (lower && c >= 'A' && c <= 'Z')
			c = (char)(c + 'a' - 'A');
		*at++ = c;
	}
	return at;
}

/* --- Header --- */

static bool is_header_note(struct ear_text text)
{
	static const char *const words[] = {
		"Date: ", "Source: ", "Options: ", "Range: ", "Sample: "};

	if (text.size == 0)
		return true;
	struct ear_text_cursor line = ear_text_cursor(text.text, text.size);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ear_text_take_word(&line, words[i]))
			return true;
	return false;
}

static void write_note(struct writer_armulator *writer, struct ear_text text)
{
	if (!is_header_note(text))
		return;
	writer->headed = writer->sourced = true;
	writer->cycles_made = false;
	char *at = ear_text_output_reserve(writer->base.output, TEXT_MAX + 1);
	end_line(writer, put_plain(at, text, false));
}

static char *put_date(char *at)
{
	time_t now;
	bool fixed = ear_source_date(&now);
	struct tm parts;
	char text[64];

	if (!(fixed ? gmtime_r(&now, &parts) : localtime_r(&now, &parts)))
		return ear_put_word(at, "Thu Jan  1 00:00:00 1970");
	size_t size = strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &parts);
	return ear_put_bytes(at, text, size);
}

/* Only an instruction shows the instruction set: for what comes before it the source has no name,
 * and gets one in a second line. */
static char *put_source(struct writer_armulator *writer, char *at, const struct ear_record *record)
{
	writer->sourced = record->kind == EAR_RECORD_INSTRUCTION;
	if (writer->sourced && record->isa == EAR_ISA_RISCV)
		return ear_put_decimal(
			ear_put_word(at, EAR_ARMULATOR_SOURCE), record->xlen == 64 ? 64 : 32);
	return ear_put_word(at, writer->sourced && record->isa == EAR_ISA_A64
					? EAR_ARMULATOR_AARCH64
					: "Source: Earshot");
}

static void write_source(struct writer_armulator *writer, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(writer->base.output, LINE_SIZE);

	end_line(writer, put_source(writer, at, record));
}

static void write_header(struct writer_armulator *writer, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(writer->base.output, 512);

	at = ear_put_word(at, "Date: ");
	at = put_date(at);
	*at++ = '\n';
	at = put_source(writer, at, record);
	at = ear_put_word(at, "\nOptions: Trace Instructions  (Disassemble,Registers)  "
			      "Trace Memory Cycles  Trace Events  \n");
	end_line(writer, at);
	writer->headed = true;
}

/* --- Bus cycles --- */

static bool has_cycle_size(const struct ear_record_access *access)
{
	return access->size == 1 || access->size == 2 || access->size == 4 || access->size == 8;
}

/* Are all digits of the data known? The format has none for others. */
static bool is_known(const struct ear_record_access *access)
{
	return access->has_value && access->unknown == 0;
}

static char *put_letters(char *at, const struct ear_record_access *access, bool sequential)
{
	unsigned attributes = access->attributes;
	bool silent = !is_known(access) && !(attributes & EAR_BUS_WAIT) && !access->aborted;

	/* A cycle without data: AMBA has a letter for addresses only. */
	*at++ = silent ? 'A' : sequential ? 'S' : 'N';
	*at++ = access->write ? 'W' : 'R';
	*at++ = (char)('0' + access->size);
	*at++ = attributes & EAR_BUS_OPCODE ? 'O' : '_';
	*at++ = attributes & EAR_BUS_LOCKED ? 'L' : '_';
	*at++ = attributes & EAR_BUS_SPECULATIVE ? 'S' : attributes & EAR_BUS_KILLED ? 'K' : '_';
	*at++ = attributes & EAR_BUS_MORE ? 'D' : '_';
	if (attributes & EAR_BUS_BURST_4)
		*at++ = '4';
	else if (attributes & EAR_BUS_BURST_8)
		*at++ = '8';
	return at;
}

static char *put_data(char *at, const struct ear_record_access *access)
{
	*at++ = ' ';
	if (access->size < 8)
		return ear_put_hex_upper(at, access->value, 2u * access->size);
	at = ear_put_hex_upper(at, (uint32_t)access->value, 8);
	*at++ = ' ';
	return ear_put_hex_upper(at, access->value >> 32, 8);
}

/* A cycle is the core's unless the source says where it was seen. */
static void write_access(struct writer_armulator *writer, const struct ear_record *record,
	const struct ear_record_access *access)
{
	unsigned attributes = access->attributes;
	bool core = !(attributes & EAR_BUS_KNOWN) || attributes & EAR_BUS_CORE;
	bool sequential = attributes & EAR_BUS_KNOWN ? attributes & EAR_BUS_SEQUENTIAL
						     : access->address == writer->sequential;

	if (!has_cycle_size(access) || access->masked)
		return;
	char *at = begin_line(writer, record);
	*at++ = core ? 'M' : 'B';
	at = put_letters(at, access, sequential);
	*at++ = ' ';
	at = put_upper(at, access->address);
	if (attributes & EAR_BUS_WAIT)
		at = ear_put_word(at, " (wait)");
	else if (is_known(access))
		at = put_data(at, access);
	if (access->aborted)
		at = ear_put_word(at, " (abort)");
	if (attributes & EAR_BUS_DEBUG)
		at = ear_put_word(at, access->write ? " (poke)" : " (peek)");
	end_line(writer, at);
	if (core)
		writer->sequential = access->address + access->size;
}

static void write_idle(struct writer_armulator *writer, const struct ear_record *record)
{
	unsigned attributes = record->u.cycle.attributes;
	char *at = begin_line(writer, record);

	*at++ = attributes & EAR_BUS_CORE ? 'M' : 'B';
	*at++ = attributes & EAR_BUS_COPROCESSOR ? 'C' : 'I';
	if (attributes & EAR_BUS_OPCODE)
		*at++ = 'O';
	end_line(writer, at);
}

static void write_fetch(struct writer_armulator *writer, const struct ear_record *record)
{
	const struct ear_record_access fetch = {
		.address = record->pc,
		.value = record->opcode,
		.size = record->opcode_size,
		.has_value = true,
		.attributes = record->fetch ? record->fetch : EAR_BUS_CORE | EAR_BUS_OPCODE,
	};

	if (record->fetch || (writer->cycles_made && !(record->flags & EAR_RECORD_NO_OPCODE)))
		write_access(writer, record, &fetch);
}

/* --- Instructions --- */

/* A text of ours: the mnemonic of an instruction that was executed is in upper case. */
static void raise_mnemonic(char *text, const char *end)
{
	for (; text < end && *text != ' '; text++)
		if (*text >= 'a' && *text <= 'z')
			*text = (char)(*text - 'a' + 'A');
}

static void write_line(struct writer_armulator *writer, const struct ear_record *record,
	struct ear_text text, bool ours)
{
	bool skipped = record->flags & EAR_RECORD_SKIPPED;
	unsigned size = record->opcode_size ? record->opcode_size : 4;
	char *at = begin_line(writer, record);

	if (record->isa == EAR_ISA_T32 && size == 4) /* no two entries: 8 digits would be ARM */
		at = ear_put_word(at, skipped ? "ITF " : "ITP ");
	else
		at = ear_put_word(at, skipped ? "IS " : "IT ");
	at = put_upper(at, record->pc);
	*at++ = ' ';
	at = ear_put_hex(at, record->opcode, 2 * (size < 8 ? size : 8));
	if (text.size > 0)
		*at++ = ' ';
	ear_text_output_commit(writer->base.output, at);
	char *begin = at = ear_text_output_reserve(writer->base.output, TEXT_MAX + 1);
	at = put_plain(at, text, skipped);
	if (ours && !skipped)
		raise_mnemonic(begin, at);
	end_line(writer, at);
}

/* With its fetch, if there is one. A Thumb instruction of 32 bits is two entries. */
static void write_instruction(struct writer_armulator *writer, const struct ear_record *record)
{
	const struct ear_text text = ear_disassembler_text_beside(writer->disassembler, record);
	bool ours = !record->extra || !record->extra->disassembly.text;
	struct ear_record entry = *record;

	ours &= !ear_text_is(text, EAR_DISASSEMBLY_UNKNOWN);
	if (record->isa == EAR_ISA_T32 && record->opcode_size == 4 &&
		!(record->flags & EAR_RECORD_NO_OPCODE) &&
		record->opcode >> 16 >= EAR_ARMULATOR_WIDE) {
		const char *first = text.size > 0 ? ear_armulator_first_half(record->opcode) : "";
		entry.opcode_size = 2;
		entry.opcode = record->opcode >> 16;
		write_fetch(writer, &entry);
		write_line(writer, &entry, (struct ear_text){first, strlen(first)}, false);
		entry.pc += 2;
		entry.opcode = record->opcode & 0xFFFF;
		entry.fetch |= entry.fetch & EAR_BUS_KNOWN ? EAR_BUS_SEQUENTIAL : 0;
	}
	write_fetch(writer, &entry);
	write_line(writer, &entry, text, ours);
}

static char *put_event(char *at, uint64_t first, uint64_t second, uint32_t number)
{
	at = ear_put_word(at, "E ");
	at = put_upper(at, first);
	*at++ = ' ';
	at = put_upper(at, second);
	*at++ = ' ';
	at = ear_put_hex(at, number, ear_put_hex_digits(number));
	*at++ = ' ';
	return at;
}

static void write_event(struct writer_armulator *writer, const struct ear_record *record,
	uint64_t first, uint64_t second, uint32_t number)
{
	end_line(writer, put_event(begin_line(writer, record), first, second, number));
}

/* The event of ARMulator that is most like the cause of an exception. */
static uint32_t trap_event(uint64_t cause)
{
	switch (cause) {
	case 0:
	case 1:
	case 12:
	case 20: return EAR_ARMULATOR_PREFETCH_ABORT;
	case 3: return EAR_ARMULATOR_BREAKPOINT;
	case 4:
	case 5:
	case 6:
	case 7:
	case 13:
	case 15:
	case 21:
	case 23: return EAR_ARMULATOR_DATA_ABORT;
	case 8:
	case 9:
	case 10:
	case 11: return EAR_ARMULATOR_SWI;
	default: return EAR_ARMULATOR_UNDEFINED;
	}
}

static void write_mode(struct writer_armulator *writer, const struct ear_record *record)
{
	bool unknown = record->flags & EAR_RECORD_NO_PRIVILEGE;
	uint8_t mode = unknown ? EAR_ARMULATOR_NO_MODE : record->privilege;

	if (record->isa != EAR_ISA_RISCV || mode == writer->mode)
		return;
	writer->mode = mode;
	write_event(writer, record, record->pc, mode, EAR_ARMULATOR_MODE_CHANGE);
}

/* --- Registers --- */

static struct ear_text name_of(const struct ear_record_register *reg)
{
	return (struct ear_text){reg->text.name, reg->text_size};
}

/* "p15c1": written in a line of their own. */
static bool is_coprocessor(const struct ear_record_register *reg)
{
	uint64_t number;

	if (reg->reg_class != EAR_REGISTER_NAMED)
		return false;
	struct ear_text_cursor cursor = ear_text_cursor(reg->text.name, reg->text_size);
	return ear_text_take(&cursor, 'p') && ear_text_decimal(&cursor, &number) &&
	       ear_text_take(&cursor, 'c') && ear_text_decimal(&cursor, &number) &&
	       ear_text_at_end(&cursor);
}

/* A name that the line's own signs do not cut, and a value of one number. r15 is never written. */
static bool is_written(const struct ear_record_register *reg)
{
	struct ear_text name = name_of(reg);

	switch (reg->reg_class) {
	case EAR_REGISTER_X: return reg->number > 0 && reg->number < 32;
	case EAR_REGISTER_F: return reg->number < 32;
	case EAR_REGISTER_CSR: return reg->number < 4096;
	case EAR_REGISTER_NAMED: break;
	default: return false;
	}
	if (name.size == 0 || name.size >= NAME_MAX || reg->size > 8 || reg->unknown ||
		ear_text_is(name, "r15"))
		return false;
	for (size_t i = 0; i < name.size; i++)
		if (name.text[i] <= ' ' || strchr("=,", name.text[i]))
			return false;
	return true;
}

/* r0 to r14, then cpsr, then spsr; RISC-V's x, f and CSRs. */
static unsigned rank_of(const struct ear_record_register *reg)
{
	struct ear_text name = name_of(reg);
	uint64_t number;

	if (reg->reg_class == EAR_REGISTER_X)
		return reg->number;
	if (reg->reg_class != EAR_REGISTER_NAMED)
		return reg->reg_class == EAR_REGISTER_F ? 100u + reg->number : 200;
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	if (ear_text_take(&cursor, 'r') && ear_text_decimal(&cursor, &number) &&
		ear_text_at_end(&cursor) && number < 15)
		return (unsigned)number;
	return ear_text_is(name, "cpsr") ? 16 : ear_text_is(name, "spsr") ? 17 : 300;
}

/* Where the value written last is kept; NULL if there is no room: then it is always written. */
static uint64_t *find_value(struct writer_armulator *writer, const struct ear_record_register *reg)
{
	struct ear_text name = name_of(reg);

	switch (reg->reg_class) {
	case EAR_REGISTER_X: return &writer->x[reg->number];
	case EAR_REGISTER_F: return &writer->f[reg->number];
	case EAR_REGISTER_CSR: return &writer->csr[reg->number];
	default: break;
	}
	for (size_t i = 0; i < writer->named_count; i++)
		if (ear_text_is(name, writer->named[i].name))
			return &writer->named[i].value;
	if (writer->named_count == NAME_COUNT)
		return NULL;
	struct named *named = &writer->named[writer->named_count++];
	memcpy(named->name, name.text, name.size);
	named->name[name.size] = '\0';
	named->value = 0;
	return &named->value;
}

static char *put_name(char *at, const struct ear_record_register *reg)
{
	const char *name = reg->reg_class == EAR_REGISTER_CSR ? ear_csr_name(reg->number) : NULL;

	if (name)
		return ear_put_word(at, name);
	if (reg->reg_class == EAR_REGISTER_NAMED)
		return ear_put_text(at, name_of(reg));
	*at++ = reg->reg_class == EAR_REGISTER_X   ? 'x'
		: reg->reg_class == EAR_REGISTER_F ? 'f'
						   : 'c';
	return ear_put_decimal(at, reg->number);
}

static char *put_value(char *at, const struct ear_record_register *reg, bool coprocessor)
{
	bool wide = reg->size > 4 || reg->value >> 32;

	if (coprocessor)
		at = ear_put_word(at, "0x");
	if (wide) {
		at = ear_put_hex(at, reg->value >> 32, 8);
		if (coprocessor)
			*at++ = '_';
	}
	return ear_put_hex(at, (uint32_t)reg->value, 8);
}

/* Ordered by rank; as many as one instruction writes, or in the order of the source. */
static size_t sort(const struct ear_record_register **sorted, const struct ear_record *record)
{
	size_t count = record->register_count < SORT_MAX ? record->register_count : SORT_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct ear_record_register *moved = &record->registers[i];
		size_t to = i;
		if (moved->reg_class == EAR_REGISTER_V) {
			sorted[i] = moved;
			continue;
		}
		for (; to > 0 && sorted[to - 1]->reg_class != EAR_REGISTER_V &&
			rank_of(sorted[to - 1]) > rank_of(moved);
			to--)
			sorted[to] = sorted[to - 1];
		sorted[to] = moved;
	}
	return count;
}

/* One line for the registers of the core or of coprocessors that have changed. */
static void write_changes(struct writer_armulator *writer, const struct ear_record *record,
	const struct ear_record_register *const *registers, size_t count, bool coprocessor)
{
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		const struct ear_record_register *reg = registers[i];
		if (!is_written(reg) || is_coprocessor(reg) != coprocessor)
			continue;
		uint64_t *value = find_value(writer, reg);
		if (value && *value == reg->value)
			continue;
		if (value)
			*value = reg->value;
		char *at = begun ? ear_text_output_reserve(writer->base.output, LINE_SIZE)
				 : begin_line(writer, record);
		at = ear_put_word(at, begun ? ", " : coprocessor ? "RCP " : "R ");
		begun = true;
		at = put_name(at, reg);
		*at++ = '=';
		ear_text_output_commit(writer->base.output, put_value(at, reg, coprocessor));
	}
	if (begun)
		end_line(writer, ear_text_output_reserve(writer->base.output, 1));
}

static void write_registers(struct writer_armulator *writer, const struct ear_record *record)
{
	const struct ear_record_register *sorted[SORT_MAX];
	struct ear_record part = *record;

	/* No instruction writes so many: in several lines. */
	for (; part.register_count > 0;) {
		size_t count = sort(sorted, &part);
		write_changes(writer, record, sorted, count, false);
		write_changes(writer, record, sorted, count, true);
		part.registers += count;
		part.register_count -= count;
	}
}

/* --- Records --- */

static uint64_t bit_if(bool condition, enum ear_field field)
{
	return condition ? EAR_FIELD_BIT(field) : 0;
}

uint64_t ear_writer_armulator_unfit(const struct ear_record *record)
{
	const unsigned other = EAR_BUS_EXCLUSIVE | EAR_BUS_UNPRIVILEGED | EAR_BUS_PRIVILEGED;
	uint64_t set = 0;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		set |= bit_if(access->attributes & other, EAR_FIELD_BUS);
		set |= bit_if(access->unknown,
			access->write ? EAR_FIELD_STORE_VALUE : EAR_FIELD_LOAD_VALUE);
		if (!has_cycle_size(access))
			set |= EAR_FIELD_BIT(
				access->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS);
	}
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_NAMED)
			set |= bit_if(!is_written(&record->registers[i]), EAR_FIELD_NAMED_WRITE);
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return set;
	/* An interrupt has no line of an instruction. */
	if (record->flags & EAR_RECORD_INTERRUPT)
		set |= ear_record_fields(record) &
		       (EAR_FIELD_BIT(EAR_FIELD_OPCODE) | EAR_FIELD_BIT(EAR_FIELD_DISASSEMBLY));
	set |= bit_if(ear_disassembly_is_lost_beside(record), EAR_FIELD_DISASSEMBLY);
	if (record->isa == EAR_ISA_RISCV)
		return set;
	/* Modes of other sets are in their own registers. */
	return set | bit_if(record->extra && record->extra->mode_name.size, EAR_FIELD_PRIVILEGE);
}

static void write_executed(struct writer_armulator *writer, const struct ear_record *record)
{
	bool interrupt = record->flags & EAR_RECORD_INTERRUPT;
	bool trap = record->flags & EAR_RECORD_TRAP && record->isa == EAR_ISA_RISCV;

	write_mode(writer, record);
	uint64_t cause =
		record->flags & EAR_RECORD_NO_CAUSE ? EAR_ARMULATOR_NO_CAUSE : record->cause;

	if (interrupt) {
		write_event(writer, record, record->pc, cause, EAR_ARMULATOR_IRQ);
	} else {
		write_instruction(writer, record);
	}
	write_registers(writer, record);
	for (size_t i = 0; i < record->memory_count; i++)
		write_access(writer, record, &record->memory[i]);
	if (trap && !interrupt)
		write_event(writer, record, record->pc, cause, trap_event(cause));
}

static void write_own_event(struct writer_armulator *writer, const struct ear_record *record)
{
	const struct ear_event *event = &record->u.event;

	if (event->source != 0) {
		write_event(writer, record, event->source, event->value, EAR_ARMULATOR_UNIT_EVENT);
		return;
	}
	char *at = begin_line(writer, record);
	at = put_event(at, event->words[0], event->words[1], event->value);
	ear_text_output_commit(writer->base.output, at);
	at = ear_text_output_reserve(writer->base.output, TEXT_MAX + 1);
	end_line(writer, event->name.text ? put_plain(at, event->name, false) : at);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_armulator *writer = (struct writer_armulator *)base;

	if (record->kind == EAR_RECORD_NOTE) {
		write_note(writer, record->u.note.text);
		return base->output->error;
	}
	int chosen = ear_writer_hart_choose(&writer->hart, record);
	if (chosen <= 0)
		return chosen;
	if (!writer->headed)
		write_header(writer, record);
	if (!writer->sourced && record->kind == EAR_RECORD_INSTRUCTION)
		write_source(writer, record);
	writer->timed |= (record->flags & EAR_RECORD_HAS_TIME) != 0;
	switch (record->kind) {
	case EAR_RECORD_INSTRUCTION: write_executed(writer, record); break;
	case EAR_RECORD_MEMORY:
		writer->cycles_made &= !(record->memory_count && record->memory[0].attributes);
		for (size_t i = 0; i < record->memory_count; i++)
			write_access(writer, record, &record->memory[i]);
		break;
	case EAR_RECORD_IDLE:
		writer->cycles_made = false;
		write_idle(writer, record);
		break;
	case EAR_RECORD_REGISTERS: write_registers(writer, record); break;
	case EAR_RECORD_EVENT: write_own_event(writer, record); break;
	case EAR_RECORD_GAP:
		write_event(writer, record,
			record->u.gap.count_known ? record->u.gap.first : record->index,
			record->u.gap.count_known ? record->u.gap.count : 0, EAR_ARMULATOR_GAP);
		break;
	default: break;
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	struct writer_armulator *writer = (struct writer_armulator *)base;

	ear_disassembler_free(writer->disassembler);
	free(writer);
}

struct ear_writer *ear_writer_armulator_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	struct writer_armulator *writer = calloc(1, sizeof(*writer));

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
	writer->cycles_made = true;
	writer->mode = EAR_ARMULATOR_NO_MODE;
	writer->headed = writer->sourced = options && options->no_header;
	writer->hart = ear_writer_hart(options);
	return &writer->base;
}
