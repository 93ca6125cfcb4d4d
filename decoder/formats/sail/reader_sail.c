/* Logs of the Sail RISC-V model to records.
 *
 * A line for the instruction, then one for each effect. Reads for page walks and fetches come
 * before the instruction that they are for: they are collected until its line is there. A trap
 * shows up as text lines and CSR writes, from which pc, cause and privilege are put together.
 */
#include "decoder/formats/sail/reader_sail.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "decoder/formats/base/line_reader.h"
#include "decoder/formats/base/record_builder.h"
#include "decoder/formats/base/record_state.h"
#include "decoder/isa/csr.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"

#define STEPS_MAX 64 /* reads of page tables before an instruction */

/* A record begins with the line of the instruction, or with the exception or interrupt that came
 * instead of one. Effects follow it, each on a line of its own; only the reads of the fetch come
 * before it.
 */
struct reader_sail {
	struct ear_line_reader line;
	uint64_t next_index;
	bool orphan;       /* the last instruction line was bad: its effects belong to nothing */
	bool has_fetch;    /* mem[X] was seen: */
	uint64_t fetch_at; /* the first of the instruction to come */
	struct ear_walk_step steps[STEPS_MAX]; /* reads that are nobody's data */
	unsigned step_count;
	bool has_privilege; /* "trapping from S to M": */
	uint8_t privilege;  /* the S */
	bool warned_walk;
};

static int report(struct reader_sail *reader, const char *cause)
{
	return ear_line_reader_skip(&reader->line, cause);
}

static bool find_privilege(struct ear_text name, uint8_t *privilege)
{
	static const struct {
		const char *text;
		uint8_t privilege;
	} names[] = {
		{"M", EAR_PRIVILEGE_M},
		{"S", EAR_PRIVILEGE_S},
		{"U", EAR_PRIVILEGE_U},
		{"VS", EAR_PRIVILEGE_VS},
		{"VU", EAR_PRIVILEGE_VU},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (ear_text_is(name, names[i].text)) {
			*privilege = names[i].privilege;
			return true;
		}
	}
	return false;
}

static struct ear_record_builder *begin(struct reader_sail *reader, uint64_t pc, unsigned xlen)
{
	struct ear_record_builder *builder =
		ear_record_pair_begin(&reader->line.pair, EAR_RECORD_INSTRUCTION);

	builder->record.index = reader->next_index;
	builder->record.stream_offset = ear_text_input_offset(reader->line.base.input);
	builder->record.isa = EAR_ISA_RISCV;
	builder->record.xlen = (uint8_t)xlen;
	builder->record.pc = pc;
	builder->record.opcode_size = 2;
	builder->extra.line = ear_text_input_line_number(reader->line.base.input);
	return builder;
}

static const struct ear_record *turn(struct reader_sail *reader)
{
	reader->orphan = false;
	return ear_record_pair_turn(&reader->line.pair);
}

/* The same if the pc of the record begun is only supposed. */
static const struct ear_record *turn_sparse(struct reader_sail *reader)
{
	reader->orphan = false;
	return ear_record_pair_turn_sparse(&reader->line.pair);
}

/* The fetch that went before: where it was in memory, and the page tables it read. */
static int add_fetch(struct reader_sail *reader, struct ear_record_builder *builder)
{
	if (reader->has_fetch) {
		builder->record.flags |= EAR_RECORD_PC_PHYSICAL;
		builder->record.pc_physical = reader->fetch_at;
	}
	if (reader->step_count > 0) {
		struct ear_walk *walk = ear_record_builder_walk(builder);
		if (!walk)
			return builder->error;
		walk->start = builder->record.pc;
		walk->result = reader->has_fetch ? reader->fetch_at : 0;
		for (unsigned i = 0; i < reader->step_count; i++) {
			struct ear_walk_step *step = ear_record_builder_step(builder);
			if (!step)
				return builder->error;
			*step = reader->steps[i];
		}
	}
	reader->has_fetch = false;
	reader->step_count = 0;
	return 0;
}

/* The disassembly ends where the symbol begins: two blanks or more. */
static struct ear_text trim_symbol(struct ear_text text)
{
	for (size_t i = 0; i + 1 < text.size; i++)
		if (text.text[i] == ' ' && text.text[i + 1] == ' ')
			text.size = i;
	while (text.size > 0 && text.text[text.size - 1] == ' ')
		text.size--;
	return text;
}

static void keep_text(struct ear_record_builder *builder, struct ear_text text)
{
	struct ear_inst inst;

	text = trim_symbol(text);
	ear_inst_decode(&inst, (uint32_t)builder->record.opcode, builder->record.xlen);
	struct ear_text_cursor cursor = ear_text_cursor(text.text, text.size);
	if (inst.kind == EAR_KIND_ILLEGAL && text.size > 0 &&
		!ear_text_take_word(&cursor, "illegal"))
		builder->extra.disassembly = ear_record_builder_copy(builder, text);
}

/* "[12] [M]: 0x0000000080000000 (0x00000297) auipc x5, 0x0" after the first bracket. */
static int take_instruction(
	struct reader_sail *reader, struct ear_text_cursor *cursor, const struct ear_record **done)
{
	uint64_t step, pc, opcode;
	uint8_t privilege;

	reader->orphan = true;
	if (!ear_text_decimal(cursor, &step) || !ear_text_take_word(cursor, "] ["))
		return report(reader, "the number of the step is missing");
	if (!find_privilege(ear_text_until(cursor, ']'), &privilege) ||
		!ear_text_take_word(cursor, "]: "))
		return report(reader, "the privilege is missing or unknown");
	size_t pc_digits = ear_text_0x(cursor, &pc);
	size_t digits = 0;
	if (pc_digits > 0 && ear_text_take_word(cursor, " ("))
		digits = ear_text_0x(cursor, &opcode);
	if (digits == 0 || opcode > UINT32_MAX || !ear_text_take(cursor, ')'))
		return report(reader, "the pc or the opcode is missing or malformed");
	unsigned xlen = ear_reader_xlen(&reader->line.base, pc_digits);
	if (!ear_reader_fits(&reader->line.base, pc))
		return report(reader, EAR_READER_TOO_WIDE);
	reader->next_index = step;
	struct ear_record_builder *builder = begin(reader, pc, xlen);
	builder->record.opcode_size = digits <= 4 ? 2 : 4;
	builder->record.opcode = digits <= 4 ? (uint16_t)opcode : opcode;
	builder->record.privilege = privilege;
	reader->has_privilege = false;
	int result = 0;
	if (!reader->line.base.options.light) {
		ear_text_skip_blanks(cursor);
		keep_text(builder, ear_text_until(cursor, '\n'));
		result = add_fetch(reader, builder);
	}
	if (result == 0)
		result = builder->error;
	if (result)
		return result;
	reader->next_index = step + 1;
	*done = turn(reader);
	return 0;
}

/* The record that a line of effects belongs to, or NULL. */
static struct ear_record_builder *owner(struct reader_sail *reader)
{
	return reader->orphan ? NULL : ear_record_pair_open(&reader->line.pair);
}

/* What an interrupt left in mepc is where it came. */
static void learn_epc(struct ear_record_builder *builder, uint16_t csr, uint64_t value)
{
	struct ear_record *record = &builder->record;
	bool stopped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	bool unknown = record->flags & EAR_RECORD_INTERRUPT || record->opcode == 0;

	if (stopped && unknown &&
		(csr == EAR_CSR_MEPC || csr == EAR_CSR_SEPC || csr == EAR_CSR_VSEPC))
		record->pc = value;
}

/* "CSR mstatus (0x300) <- 0x.."; older: without number, and "(input: 0x..)" after. */
static int take_csr(struct reader_sail *reader, struct ear_text_cursor *cursor)
{
	struct ear_record_builder *builder = owner(reader);
	struct ear_text name = ear_text_until(cursor, ' ');
	uint64_t number, value;
	uint16_t csr = 0;

	bool known = false;
	if (ear_text_take_word(cursor, " (")) {
		known = ear_text_0x(cursor, &number) && number < 4096 && ear_text_take(cursor, ')');
		csr = (uint16_t)(known ? number : 0);
	} else {
		known = ear_riscv_find_csr(name, &csr);
	}
	if (!known)
		return report(reader, "the CSR is unknown");
	bool write = ear_text_take_word(cursor, " <- ");
	if ((!write && !ear_text_take_word(cursor, " -> ")) || !ear_text_0x(cursor, &value))
		return report(reader, "a CSR has no value");
	if (!builder || reader->line.base.options.light)
		return 0;
	struct ear_record_register *reg =
		write ? ear_record_builder_register(builder) : ear_record_builder_read(builder);
	if (!reg)
		return builder->error == EAR_E_FULL
			       ? report(reader, "the record has too many registers")
			       : builder->error;
	*reg = (struct ear_record_register){
		.reg_class = EAR_REGISTER_CSR, .number = csr, .value = value};
	if (write)
		learn_epc(builder, csr, value);
	return 0;
}

/* "x5 <- 0x..", "t0 <- 0x..", "f1 <- ..", "v2 <- ..". Returns 1 if it is none of these. */
static int take_register(struct reader_sail *reader, struct ear_text_cursor cursor)
{
	struct ear_record_builder *builder = owner(reader);
	struct ear_text name = ear_text_until(&cursor, ' ');
	struct ear_record_register reg = {0};
	enum ear_register_class reg_class;

	if (!ear_text_take_word(&cursor, " <- ") ||
		!ear_riscv_find_register(name, &reg_class, &reg.number))
		return 1;
	if (!builder || reader->line.base.options.light)
		return 0;
	reg.reg_class = (uint8_t)reg_class;
	if (reg_class == EAR_REGISTER_V) {
		ear_text_take_word(&cursor, "0x"); /* some versions have none */
		if (!ear_record_builder_bytes(builder, &reg, &cursor))
			return report(reader, "a register has no value");
	} else {
		size_t digits = ear_text_0x(&cursor, &reg.value);
		if (digits == 0)
			return report(reader, "a register has no value");
		reg.size = digits <= 16 ? (uint8_t)((digits + 1) / 2) : 0;
	}
	if (reg_class == EAR_REGISTER_X && reg.number == 0)
		return 0;
	if (reg_class == EAR_REGISTER_X && !ear_reader_fits(&reader->line.base, reg.value))
		return report(reader, EAR_READER_TOO_WIDE);
	struct ear_record_register *place = ear_record_builder_register(builder);
	if (!place)
		return builder->error == EAR_E_FULL
			       ? report(reader, "the record has too many registers")
			       : builder->error;
	*place = reg;
	return 0;
}

static bool reads_no_memory(const struct ear_record *record)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	return inst.kind != EAR_KIND_ILLEGAL && inst.access_size == 0 &&
	       inst.kind != EAR_KIND_CACHE && inst.kind != EAR_KIND_VLOAD &&
	       inst.kind != EAR_KIND_VSTORE;
}

/* A read by an instruction that reads nothing is of a page table, for the next fetch. */
static int take_walk_read(
	struct reader_sail *reader, uint64_t address, struct ear_text_cursor cursor)
{
	uint64_t entry;

	if (!ear_text_hex(&cursor, &entry))
		return report(reader, "an access has no value");
	if (reader->step_count < STEPS_MAX)
		reader->steps[reader->step_count++] = (struct ear_walk_step){
			.address = address, .entry = entry, .has_entry = true};
	return 0;
}

/* A number of bits that are no multiple of 4 is binary: the 34 of a physical address of RV32. */
static bool take_bits(struct ear_text_cursor *cursor, uint64_t *value)
{
	struct ear_text_cursor at = *cursor;

	if (ear_text_0x(cursor, value))
		return true;
	*value = 0;
	if (!ear_text_take_word(&at, "0b") ||
		(ear_text_peek(&at) != '0' && ear_text_peek(&at) != '1'))
		return false;
	for (; ear_text_peek(&at) == '0' || ear_text_peek(&at) == '1'; at.at++) {
		if (*value >> 63)
			return false;
		*value = *value << 1 | (*at.at == '1');
	}
	*cursor = at;
	return true;
}

/* "mem[R,0x0080001000] -> 0x00000001": X is a fetch, R and W are data; addresses are physical.
 * Until 2025 a store has no letter: "mem[0x80001000] <- 0x01". */
static int take_memory(struct reader_sail *reader, struct ear_text_cursor *cursor)
{
	struct ear_record_builder *builder = owner(reader);
	bool fetch = ear_text_peek(cursor) == 'X';
	struct ear_record_access like = {.has_physical = true};

	struct ear_text_cursor typed = *cursor;
	ear_text_until(&typed, ',');
	if (ear_text_take(&typed, ','))
		*cursor = typed;
	if (!take_bits(cursor, &like.address))
		return report(reader, "an access has no address");
	like.write = ear_text_take_word(cursor, "] <- 0x");
	if (!like.write && !ear_text_take_word(cursor, "] -> 0x"))
		return report(reader, "an access has no value");
	like.physical = like.address;
	if (reader->line.base.options.light)
		return 0;
	if (fetch) {
		if (!reader->has_fetch)
			reader->fetch_at = like.address;
		reader->has_fetch = true;
		return 0;
	}
	if (!like.write && (!builder || reads_no_memory(&builder->record)))
		return take_walk_read(reader, like.address, *cursor);
	if (!builder)
		return 0;
	if (!ear_record_builder_memory(builder, &like, cursor)) {
		if (builder->error == EAR_E_NO_MEMORY)
			return builder->error;
		return report(reader, builder->error ? "the record has too many accesses"
						     : "an access has no value");
	}
	return 0;
}

/* "trapping from S to M to handle ..." */
static int take_trapping(struct reader_sail *reader, struct ear_text_cursor *cursor)
{
	reader->has_privilege = find_privilege(ear_text_until(cursor, ' '), &reader->privilege);
	return 0;
}

/* The word after "#": a name, or the cause in hexadecimal. */
static bool find_cause(struct ear_text name, bool interrupt, uint64_t *cause)
{
	struct ear_text_cursor cursor = ear_text_cursor(name.text, name.size);
	int found =
		interrupt ? ear_riscv_find_sail_interrupt(name) : ear_riscv_find_sail_cause(name);

	if (found >= 0) {
		*cause = (uint64_t)found;
		return true;
	}
	return ear_text_0x(&cursor, cause) && ear_text_at_end(&cursor) && *cause < 256;
}

/* " with tval 0x.." or " | tval=0x.." somewhere after. */
static bool find_tval(struct ear_text_cursor cursor, uint64_t *value)
{
	for (; !ear_text_at_end(&cursor); cursor.at++)
		if (ear_text_take_word(&cursor, "tval ") || ear_text_take_word(&cursor, "tval="))
			return ear_text_0x(&cursor, value) > 0;
	return false;
}

/* Where the record before goes if it goes straight on; 0 if it may not. */
static uint64_t straight_on(const struct ear_record *before)
{
	struct ear_inst inst;

	ear_inst_decode(&inst, (uint32_t)before->opcode, before->xlen);
	if (before->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT) ||
		inst.kind == EAR_KIND_BRANCH || inst.kind == EAR_KIND_JUMP ||
		inst.kind == EAR_KIND_SYSTEM)
		return 0;
	return before->pc + before->opcode_size;
}

/* Something came instead of an instruction: a record of its own. Its pc is where the one before
 * it ended, until mepc gives the right one. */
static struct ear_record_builder *begin_stop(struct reader_sail *reader)
{
	struct ear_record_builder *before = ear_record_pair_open(&reader->line.pair);
	unsigned xlen = before                           ? before->record.xlen
			: reader->line.base.options.xlen ? reader->line.base.options.xlen
							 : 32;
	uint64_t pc = before ? straight_on(&before->record) : 0;

	struct ear_record_builder *builder = begin(reader, pc, xlen);
	builder->record.privilege = reader->has_privilege ? reader->privilege : 0;
	builder->record.flags = reader->has_privilege ? 0 : EAR_RECORD_NO_PRIVILEGE;
	return builder;
}

/* "handling exc#illegal-instruction at priv M with tval 0x.." */
static int take_exception(
	struct reader_sail *reader, struct ear_text_cursor *cursor, const struct ear_record **done)
{
	struct ear_record_builder *builder = owner(reader);
	struct ear_text name = ear_text_until(cursor, ' ');
	uint64_t cause = 0, value = 0;
	bool known = find_cause(name, false, &cause);
	bool has_value = find_tval(*cursor, &value);
	bool fetch = known && ear_riscv_is_fetch_cause(cause);
	bool own = !builder || fetch ||
		   builder->record.flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	if (own) {
		builder = begin_stop(reader);
		if (has_value && fetch)
			builder->record.pc = value;
		if (!fetch)
			builder->record.flags |= EAR_RECORD_NO_OPCODE;
		int result = add_fetch(reader, builder);
		if (result)
			return result;
	}
	builder->record.cause = cause;
	builder->record.flags |= EAR_RECORD_TRAP | (known ? 0 : EAR_RECORD_NO_CAUSE);
	builder->extra.has_trap_value = has_value;
	builder->extra.trap_value = value;
	if (own)
		*done = has_value && fetch ? turn(reader) : turn_sparse(reader);
	reader->has_privilege = false;
	return 0;
}

/* "handling int#machine-timer-interrupt at priv M"; older: "Handling interrupt: 0x07". */
static int take_interrupt(
	struct reader_sail *reader, struct ear_text_cursor *cursor, const struct ear_record **done)
{
	uint64_t cause = 0;
	bool known = find_cause(ear_text_until(cursor, ' '), true, &cause);
	struct ear_record_builder *open = owner(reader);

	/* Some versions print it twice: with the cause, then with the handler. */
	if (open && open->record.flags & EAR_RECORD_INTERRUPT && open->record.register_count == 0)
		return 0;
	struct ear_record_builder *builder = begin_stop(reader);
	builder->record.flags |=
		EAR_RECORD_INTERRUPT | EAR_RECORD_NO_OPCODE | (known ? 0 : EAR_RECORD_NO_CAUSE);
	builder->record.cause = known ? (uint64_t)1 << (builder->record.xlen - 1) | cause : 0;
	int result = add_fetch(reader, builder);
	if (result)
		return result;
	*done = turn_sparse(reader);
	reader->has_privilege = false;
	return 0;
}

#define BOX "\xE2\x95" /* what characters that draw a table begin with */

/* Lines of the platform and of the run as a whole, that say nothing about an instruction. */
static bool is_other(struct ear_text_cursor cursor)
{
	static const char *const words[] = {"ret-ing from ", "clint", "htif", "Entry point", "ELF ",
		"tick", "SUCCESS", "FAILURE", "Running file", "using ",
		"Instructions:", "Execution:", "Initialization:", "PTW:", "reservation", "mem_",
		"loading ", "Setting ", "begin_signature", "end_signature", "tohost", "max step",
		" clint timer", "within_phys_mem", "  plat_", "unhandled ", "TLB", BOX,
		"interrupt exit from ", "forced exit from ", "timed-out exit from ",
		"remaining in ", "entering ", "PMA access check failed", "MAG PMA check failed"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ear_text_take_word(&cursor, words[i]))
			return true;
	return false;
}

static int take_other(struct reader_sail *reader, struct ear_text_cursor cursor)
{
	if (!ear_text_take_word(&cursor, "PTW:") || reader->warned_walk)
		return 0;
	reader->warned_walk = true;
	return ear_reader_report(&reader->line.base,
		"lines \"PTW:\" are not read: page tables are known from mem lines", false);
}

static int take_line(
	struct ear_line_reader *base, const char *line, size_t size, const struct ear_record **done)
{
	struct reader_sail *reader = (struct reader_sail *)base;
	struct ear_text_cursor cursor = ear_text_cursor(line, size);

	if (size == 0)
		return 0;
	if (ear_text_take(&cursor, '['))
		return take_instruction(reader, &cursor, done);
	if (ear_text_take_word(&cursor, "CSR "))
		return take_csr(reader, &cursor);
	if (ear_text_take_word(&cursor, "mem["))
		return take_memory(reader, &cursor);
	if (ear_text_take_word(&cursor, "trapping from "))
		return take_trapping(reader, &cursor);
	if (ear_text_take_word(&cursor, "handling exc#"))
		return take_exception(reader, &cursor, done);
	if (ear_text_take_word(&cursor, "handling int#") ||
		ear_text_take_word(&cursor, "Handling interrupt: "))
		return take_interrupt(reader, &cursor, done);
	int result = take_register(reader, cursor);
	if (result <= 0)
		return result;
	return is_other(cursor) ? take_other(reader, cursor)
				: ear_line_reader_pass(&reader->line, EAR_READER_OTHER "Sail log");
}

static int walk_state(struct ear_reader *base, struct ear_state_walk *walk)
{
	struct reader_sail *reader = (struct reader_sail *)base;
	uint8_t count = (uint8_t)reader->step_count;

	ear_state_u64(walk, &reader->next_index, UINT64_MAX);
	ear_state_bool(walk, &reader->orphan);
	ear_state_bool(walk, &reader->has_fetch);
	ear_state_u64(walk, &reader->fetch_at, UINT64_MAX);
	ear_state_bool(walk, &reader->has_privilege);
	ear_state_u8(walk, &reader->privilege, EAR_PRIVILEGE_DEBUG);
	ear_state_bool(walk, &reader->warned_walk);
	ear_state_u8(walk, &count, STEPS_MAX);
	reader->step_count = count;
	for (unsigned i = 0; i < count; i++)
		ear_state_walk_step(walk, &reader->steps[i]);
	return ear_state_line_reader(walk, &reader->line);
}

static const struct ear_reader_resume resume = {.walk = walk_state};

struct ear_reader *ear_reader_sail_make(
	struct ear_text_input *input, const struct ear_reader_options *options)
{
	struct reader_sail *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	ear_line_reader_init(&reader->line, input, options, take_line);
	reader->line.base.resume = &resume;
	return &reader->line.base;
}

/* One line of an instruction is enough: nothing else looks like it. */
int ear_reader_sail_detect(const char *bytes, size_t size)
{
	struct ear_text_cursor cursor = ear_text_cursor(bytes, size);
	uint64_t number;

	for (unsigned lines = 0; !ear_text_at_end(&cursor) && lines < 400; lines++) {
		struct ear_text line = ear_text_until(&cursor, '\n');
		struct ear_text_cursor inside = ear_text_cursor(line.text, line.size);
		uint8_t privilege;
		if (ear_text_take(&inside, '[') && ear_text_decimal(&inside, &number) &&
			ear_text_take_word(&inside, "] [") &&
			find_privilege(ear_text_until(&inside, ']'), &privilege) &&
			ear_text_take_word(&inside, "]: 0x"))
			return 90;
		ear_text_take(&cursor, '\n');
	}
	return 0;
}
