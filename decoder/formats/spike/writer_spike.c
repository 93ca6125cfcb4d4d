/* Records to logs as Spike writes them with -l --log-commits.
 *
 * An instruction has a line with its disassembly, unless it is the one before once more, then one
 * with its effects, or the lines of its trap. Before the first line comes the symbol at its pc.
 * spike_opcode.c has the texts, spike_effects.c the registers; here the lines are put together.
 */
#include "decoder/formats/spike/writer_spike.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/protocol/bytes.h"
#include "decoder/formats/spike/spike_cause.h"
#include "decoder/formats/spike/spike_effects.h"
#include "decoder/formats/spike/spike_hart.h"
#include "decoder/formats/spike/spike_opcode.h"
#include "decoder/isa/csr.h"
#include "decoder/isa/inst.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/riscv_name.h"
#include "decoder/text/text_cursor.h"
#include "decoder/text/text_put.h"

#define LINE_SIZE 256 /* of what has no texts of the source */

struct writer_spike {
	struct ear_writer base;
	const char *(*symbol)(const void *context, uint64_t address);
	const void *symbols;
	struct ear_spike_opcodes *opcodes;
	struct ear_spike_harts harts;
	struct ear_spike_effects effects;
};

/* "0x" and all digits of XLEN bits. */
static char *put_word(char *at, uint64_t value, unsigned xlen)
{
	return ear_put_hex(ear_put_word(at, "0x"), value, xlen == 32 ? 8 : 16);
}

static char *put_core(char *at, const struct ear_record *record)
{
	char digits[20];
	size_t size = (size_t)(ear_put_decimal(digits, record->hart) - digits);

	at = ear_put_word(at, "core");
	for (size_t i = size; i < 4; i++)
		*at++ = ' ';
	at = ear_put_bytes(at, digits, size);
	return ear_put_word(at, ": ");
}

/* Text of any length, part by part. Line ends in it become blanks. */
static void put_text(struct ear_text_output *output, struct ear_text text)
{
	for (size_t done = 0; done < text.size;) {
		size_t part = text.size - done < 4096 ? text.size - done : 4096;
		char *at = ear_text_output_reserve(output, part);
		for (size_t i = 0; i < part; i++)
			at[i] = text.text[done + i] == '\n' ? ' ' : text.text[done + i];
		ear_text_output_commit(output, at + part);
		done += part;
	}
}

static void put_end(struct ear_text_output *output)
{
	char *at = ear_text_output_reserve(output, 1);

	*at++ = '\n';
	ear_text_output_commit(output, at);
}

/* The bits in the line of -l: all that the fetch read. */
static uint64_t fetched_bits(const struct ear_record *record)
{
	return record->extra && record->extra->wide_opcode ? record->extra->wide_opcode
							   : record->opcode;
}

/* 8 digits also of a compressed opcode, and as many as it needs of a wide one. */
static char *put_bits(char *at, uint64_t bits)
{
	unsigned digits = ear_put_hex_digits(bits);

	return ear_put_hex(at, bits, digits > 8 ? digits : 8);
}

/* ">>>>  main", the symbol at the pc. */
static void write_symbol(const struct writer_spike *writer, const struct ear_spike_hart *hart,
	const struct ear_record *record)
{
	struct ear_text_output *output = writer->base.output;
	bool hidden = record->xlen == 32 && record->pc >> 31 && !hart->plain_pc;
	const char *name = hidden ? NULL : writer->symbol(writer->symbols, record->pc);

	if (!name)
		return;
	char *at = ear_text_output_reserve(output, LINE_SIZE);
	ear_text_output_commit(output, ear_put_word(put_core(at, record), ">>>>  "));
	put_text(output, (struct ear_text){name, strlen(name)});
	put_end(output);
}

/* A text that Whisper has for what is no instruction: Spike has another one. */
static bool is_whispers(const struct ear_record *record, struct ear_text text)
{
	char other[EAR_INST_TEXT_SIZE];
	struct ear_inst inst;

	if (record->isa != EAR_ISA_RISCV || (record->flags & EAR_RECORD_NO_OPCODE))
		return false;
	if (ear_text_is(text, "illegal"))
		return true;
	ear_inst_decode_reserved(&inst, (uint32_t)record->opcode, record->xlen);
	int size = ear_inst_disassemble(other, sizeof(other), &inst);
	return text.size == (size_t)size && memcmp(text.text, other, text.size) == 0;
}

/* The line of -l, with what comes before it. */
static void write_disassembly(const struct writer_spike *writer, const struct ear_spike_hart *hart,
	const struct ear_record *record, const struct ear_spike_opcode *opcode)
{
	struct ear_text_output *output = writer->base.output;

	if (writer->symbol)
		write_symbol(writer, hart, record);
	char *at = ear_text_output_reserve(output, 2 * LINE_SIZE + EAR_SPIKE_TEXT_SIZE);
	if (hart->executions != 1) {
		at = ear_put_decimal(
			ear_put_word(put_core(at, record), "Executed "), hart->executions);
		at = ear_put_word(at, " times\n");
	}
	at = put_word(put_core(at, record), record->pc, record->xlen);
	if (record->flags & EAR_RECORD_NO_OPCODE)
		at = ear_put_word(at, " (" EAR_SPIKE_NO_OPCODE);
	else
		at = put_bits(ear_put_word(at, " (0x"), fetched_bits(record));
	at = ear_put_word(at, ") ");
	bool own = record->extra && record->extra->disassembly.text &&
		   !is_whispers(record, record->extra->disassembly);
	if (!own && record->flags & EAR_RECORD_NO_OPCODE)
		at = ear_put_word(at, "unknown");
	else if (!own)
		at = ear_put_bytes(at, opcode->text, opcode->text_size);
	ear_text_output_commit(output, at);
	if (own)
		put_text(output, record->extra->disassembly);
	put_end(output);
}

/* An instruction was fetched. One that runs again and again has one line, and their count comes
 * before the next other line. */
static void show_fetch(const struct writer_spike *writer, struct ear_spike_hart *hart,
	const struct ear_record *record, const struct ear_spike_opcode *opcode)
{
	uint64_t bits = fetched_bits(record);

	if (hart->may_repeat && hart->last_pc == record->pc && hart->last_bits == bits) {
		hart->executions++;
	} else {
		write_disassembly(writer, hart, record, opcode);
		hart->executions = 1;
		hart->last_pc = record->pc;
		hart->last_bits = bits;
	}
	hart->may_repeat = record->flags & EAR_RECORD_NO_NEXT_PC || record->next_pc == record->pc;
}

/* The configuration of a vector instruction: " e32 m1 l4". */
static char *put_vector_config(char *at, const struct ear_spike_hart *hart)
{
	bool fraction = hart->lmul >= 4;

	at = ear_put_decimal(ear_put_word(at, " e"), hart->sew);
	at = ear_put_word(at, fraction ? " mf" : " m");
	at = ear_put_decimal(at, (uint64_t)1 << (fraction ? 8 - hart->lmul : hart->lmul));
	return ear_put_decimal(ear_put_word(at, " l"), hart->vl);
}

static void put_vector(struct ear_text_output *output, const struct ear_record_register *reg)
{
	for (size_t i = reg->text_size; i > 0;) {
		size_t part = i < 1024 ? i : 1024;
		char *at = ear_text_output_reserve(output, 2 * part + EAR_PUT_SLACK);
		for (; part > 0; part--)
			at = ear_put_hex(at, reg->text.bytes[--i], 2);
		ear_text_output_commit(output, at);
	}
}

/* " x5  0x..": the number takes two places. */
static char *put_numbered(char *at, char letter, unsigned number)
{
	*at++ = ' ';
	*at++ = letter;
	at = ear_put_decimal(at, number);
	if (number < 10)
		*at++ = ' ';
	*at++ = ' ';
	return at;
}

static char *put_csr(char *at, const struct ear_record_register *reg, unsigned xlen)
{
	const char *name = ear_csr_spike_name(reg->number);

	at = ear_put_decimal(ear_put_word(at, " c"), reg->number);
	*at++ = '_';
	at = ear_put_word(at, name ? name : "unknown-csr");
	*at++ = ' ';
	return put_word(at, reg->value, xlen);
}

/* An f register has the digits of FLEN. If the source does not say it, it is 64, unless a narrow
 * result is not boxed. Of 128 bits the upper ones are those of a box. */
static char *put_float(
	char *at, const struct ear_record_register *reg, const struct ear_spike_opcode *opcode)
{
	bool narrow = reg->size ? reg->size <= 4
				: opcode->flags & EAR_SPIKE_NARROW && reg->value >> 32 == 0;

	at = ear_put_word(put_numbered(at, 'f', reg->number), "0x");
	if (reg->size == 16)
		at = ear_put_hex(at, UINT64_MAX, 16);
	return ear_put_hex(at, reg->value, narrow && reg->value >> 32 == 0 ? 8 : 16);
}

static char *put_wide_float(char *at, const struct ear_record_register *reg)
{
	const uint8_t *bytes = (const uint8_t *)reg->text.name + reg->text_size;

	at = put_numbered(at, 'f', (unsigned)ear_spike_wide_float(reg));
	at = ear_put_hex(ear_put_word(at, "0x"), ear_load_le64(bytes + 8), 16);
	return ear_put_hex(at, ear_load_le64(bytes), 16);
}

static void write_register(struct ear_text_output *output, const struct ear_record *record,
	const struct ear_record_register *reg, const struct ear_spike_opcode *opcode)
{
	char *at = ear_text_output_reserve(output, LINE_SIZE);

	switch (reg->reg_class) {
	case EAR_REGISTER_X:
		at = put_word(put_numbered(at, 'x', reg->number), reg->value, record->xlen);
		break;
	case EAR_REGISTER_F: at = put_float(at, reg, opcode); break;
	case EAR_REGISTER_CSR: at = put_csr(at, reg, record->xlen); break;
	case EAR_REGISTER_V:
		at = ear_put_word(put_numbered(at, 'v', reg->number), "0x");
		ear_text_output_commit(output, at);
		put_vector(output, reg);
		return;
	case EAR_REGISTER_NAMED: at = put_wide_float(at, reg); break;
	default: return;
	}
	ear_text_output_commit(output, at);
}

static void write_registers(const struct writer_spike *writer, const struct ear_record *record,
	const struct ear_spike_opcode *opcode, const struct ear_spike_hart *hart)
{
	struct ear_text_output *output = writer->base.output;
	const struct ear_spike_effects *effects = &writer->effects;
	bool config = effects->config;

	for (size_t i = 0; i < effects->count || config; i++) {
		bool f0 = i < effects->count && effects->list[i]->reg_class == EAR_REGISTER_F &&
			  effects->list[i]->number == 0;
		if (config && !f0) {
			char *at = ear_text_output_reserve(output, LINE_SIZE);
			ear_text_output_commit(output, put_vector_config(at, hart));
			config = false;
		}
		if (i < effects->count)
			write_register(output, record, effects->list[i], opcode);
	}
}

/* An amocas that stores nothing has read all the same. */
static bool is_store(const struct ear_record *record, const struct ear_record_access *access)
{
	return access->write &&
	       (ear_access_is_known(access) || !ear_opcode_compares(record->opcode));
}

/* An access that was not done: an element that the mask switched off, a store of nothing, and in a
 * trap the access that caused it. */
static bool is_done(const struct ear_record *record, const struct ear_record_access *access)
{
	if (access->masked || (is_store(record, access) && !ear_access_is_known(access)))
		return false;
	if (access->write && !ear_access_is_known(access) && access != record->memory)
		return false; /* an amocas whose read is the access before */
	return !(record->flags & EAR_RECORD_TRAP) || access->has_value ||
	       access != &record->memory[record->memory_count - 1] || !record->extra ||
	       !record->extra->has_trap_value || access->address != record->extra->trap_value;
}

/* " mem 0x<address>", with the data of a store. */
static void write_access(struct ear_text_output *output, const struct ear_record *record,
	uint64_t address, const struct ear_record_access *access, unsigned size)
{
	char *at = ear_text_output_reserve(output, LINE_SIZE);

	at = put_word(ear_put_word(at, " mem "), address, record->xlen);
	if (is_store(record, access))
		at = ear_put_hex(ear_put_word(at, " 0x"),
			access->value >> 8 * (address - access->address), 2 * size);
	ear_text_output_commit(output, at);
}

/* Loads are listed without data, before the stores. */
static void write_accesses(struct ear_text_output *output, const struct ear_record *record,
	const struct ear_spike_opcode *opcode, bool write)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		unsigned size = access->size ? access->size : record->xlen / 8;
		if (is_store(record, access) != write || !is_done(record, access))
			continue;
		if (size > 8)
			size = 8;
		unsigned part = opcode->flags & EAR_SPIKE_BYTES ? 1 : size;
		for (unsigned done = 0; done < size; done += part)
			write_access(output, record, access->address + done, access, part);
	}
}

/* Spike has one digit: the virtualised modes are written as U and S, debug mode as M. No core has
 * the mode 2, so it stands for an unknown one. */
static char privilege_digit(const struct ear_record *record)
{
	static const char digits[] = {
		[EAR_PRIVILEGE_U] = '0',
		[EAR_PRIVILEGE_S] = '1',
		[EAR_PRIVILEGE_RESERVED] = '2',
		[EAR_PRIVILEGE_M] = '3',
		[EAR_PRIVILEGE_VU] = '0',
		[EAR_PRIVILEGE_VS] = '1',
		[EAR_PRIVILEGE_DEBUG] = '3',
	};

	return record->flags & EAR_RECORD_NO_PRIVILEGE ? '2' : digits[record->privilege];
}

static void write_commit(const struct writer_spike *writer, const struct ear_record *record,
	const struct ear_spike_opcode *opcode, const struct ear_spike_hart *hart)
{
	struct ear_text_output *output = writer->base.output;
	char *at = ear_text_output_reserve(output, LINE_SIZE);

	at = put_core(at, record);
	*at++ = privilege_digit(record);
	*at++ = ' ';
	at = put_word(at, record->pc, record->xlen);
	if (record->flags & EAR_RECORD_NO_OPCODE)
		at = ear_put_word(at, " (" EAR_SPIKE_NO_OPCODE);
	else
		at = ear_put_hex(
			ear_put_word(at, " (0x"), record->opcode, record->opcode_size == 2 ? 4 : 8);
	*at++ = ')';
	ear_text_output_commit(output, at);
	write_registers(writer, record, opcode, hart);
	if (record->memory_count > 0 && !(opcode->flags & EAR_SPIKE_NO_ACCESS)) {
		write_accesses(output, record, opcode, false);
		write_accesses(output, record, opcode, true);
	}
	put_end(output);
}

/* What Spike has for a cause, where the source has no value. */
static bool derive_trap_value(const struct ear_record *record, uint64_t *value)
{
	bool opcode = !(record->flags & EAR_RECORD_NO_OPCODE);

	if (ear_spike_is_data_cause(record->cause)) {
		if (record->memory_count == 0)
			return false;
		*value = record->memory[record->memory_count - 1].address;
		return true;
	}
	if (record->cause == EAR_EXCEPTION_ILLEGAL) {
		*value = record->opcode;
		return opcode;
	}
	*value = record->pc; /* of what was fetched, and of ebreak */
	return ear_riscv_is_fetch_cause(record->cause) ||
	       (record->cause == EAR_EXCEPTION_BREAKPOINT && opcode);
}

/* The CSR that a trap wrote, or what the cause says. */
static bool find_trap_value(const struct ear_record *record, uint64_t *value)
{
	if (record->flags & (EAR_RECORD_INTERRUPT | EAR_RECORD_NO_CAUSE)) {
		*value = record->extra ? record->extra->trap_value : 0;
		return record->extra && record->extra->has_trap_value;
	}
	if (!ear_spike_cause_has_value(record->cause))
		return false;
	if (record->extra && record->extra->has_trap_value) {
		*value = record->extra->trap_value;
		return true;
	}
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_CSR &&
			(reg->number == EAR_CSR_MTVAL || reg->number == EAR_CSR_STVAL ||
				reg->number == EAR_CSR_VSTVAL)) {
			*value = reg->value;
			return true;
		}
	}
	return derive_trap_value(record, value);
}

static char *put_cause(char *at, const struct ear_record *record)
{
	uint64_t cause = record->cause;
	const char *name = ear_spike_cause(cause);

	if (record->flags & EAR_RECORD_NO_CAUSE)
		return ear_put_word(at, record->flags & EAR_RECORD_INTERRUPT
						? EAR_SPIKE_INTERRUPT_UNKNOWN
						: "trap_unknown");
	if (record->flags & EAR_RECORD_INTERRUPT)
		return ear_put_decimal(ear_put_word(at, "interrupt #"), cause & 0xFF);
	if (name)
		return ear_put_word(at, name);
	return ear_put_decimal(ear_put_word(at, "trap #"), cause & 0xFF);
}

static void write_exception(struct ear_text_output *output, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(output, (size_t)3 * LINE_SIZE);
	uint64_t value;

	if (record->extra && record->extra->has_trigger) {
		at = ear_put_word(put_core(at, record), "trigger action ");
		at = ear_put_decimal(at, record->extra->trigger_action);
		*at++ = '\n';
	}
	at = put_cause(ear_put_word(put_core(at, record), "exception "), record);
	at = put_word(ear_put_word(at, ", epc "), record->pc, record->xlen);
	*at++ = '\n';
	if (find_trap_value(record, &value)) {
		at = ear_put_word(put_core(at, record), "          tval ");
		at = put_word(at, value, record->xlen);
		*at++ = '\n';
	}
	ear_text_output_commit(output, at);
}

/* A vector access that traps has a commit line, too: elements before the trap are done. */
static bool has_commit(const struct ear_record *record, const struct ear_spike_opcode *opcode)
{
	if (record->flags & EAR_RECORD_INTERRUPT)
		return false;
	return !(record->flags & EAR_RECORD_TRAP) ||
	       (opcode->flags & EAR_SPIKE_VECTOR_MEMORY && ear_spike_is_data_cause(record->cause) &&
		       !(record->flags & EAR_RECORD_NO_CAUSE));
}

static int push_instruction(struct writer_spike *writer, const struct ear_record *record)
{
	struct ear_spike_hart *hart = ear_spike_harts_find(&writer->harts, record->hart);
	const struct ear_spike_opcode *opcode =
		ear_spike_opcode(writer->opcodes, (uint32_t)record->opcode, record->xlen);
	bool fetched = !(record->flags & EAR_RECORD_TRAP) || record->flags & EAR_RECORD_NO_CAUSE ||
		       (!ear_riscv_is_fetch_cause(record->cause) &&
			       !(record->flags & EAR_RECORD_NO_OPCODE));

	if (!hart)
		return EAR_E_NO_MEMORY;
	/* Without its own line it would have the opcode of the line before, at the same pc. */
	fetched |= record->flags & EAR_RECORD_NO_OPCODE && hart->last_pc == record->pc &&
		   !ear_riscv_is_fetch_cause(record->cause) &&
		   !(record->extra && record->extra->has_trigger);
	if (fetched && !(record->flags & EAR_RECORD_INTERRUPT))
		show_fetch(writer, hart, record, opcode);
	struct ear_spike_hart before = *hart;
	ear_spike_hart_follow(hart, record, opcode);
	if (has_commit(record, opcode)) {
		if (ear_spike_effects_collect(&writer->effects, record, opcode, &before, hart))
			return EAR_E_NO_MEMORY;
		write_commit(writer, record, opcode, hart);
	}
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT))
		write_exception(writer->base.output, record);
	return 0;
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	int result = 0;

	if (record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV)
		result = push_instruction((struct writer_spike *)base, record);
	return result ? result : base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	struct writer_spike *writer = (struct writer_spike *)base;

	ear_spike_opcodes_free(writer->opcodes);
	ear_spike_harts_fini(&writer->harts);
	ear_spike_effects_fini(&writer->effects);
	free(writer);
}

static int save(const struct ear_writer *base, struct ear_snapshot *snapshot)
{
	return ear_spike_harts_save(&((const struct writer_spike *)base)->harts, snapshot);
}

static int restore(struct ear_writer *base, const struct ear_snapshot *snapshot)
{
	return ear_spike_harts_restore(&((struct writer_spike *)base)->harts, snapshot);
}

static const struct ear_writer_cut cut = {.save = save, .restore = restore, .follows = true};

struct ear_writer *ear_writer_spike_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	struct writer_spike *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->base = (struct ear_writer){
		.output = output, .push = push, .free = free_writer, .cut = &cut};
	writer->symbol = options ? options->symbol : NULL;
	writer->symbols = options ? options->symbols : NULL;
	writer->opcodes = ear_spike_opcodes_new();
	if (!writer->opcodes) {
		free_writer(&writer->base);
		return NULL;
	}
	return &writer->base;
}

uint64_t ear_writer_spike_unfit(const struct ear_record *record)
{
	const struct ear_record_extra *extra = record->extra;
	uint64_t set = 0;

	if (record->kind == EAR_RECORD_INSTRUCTION && record->privilege > EAR_PRIVILEGE_M)
		set |= EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE);
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_NAMED &&
			ear_spike_wide_float(&record->registers[i]) < 0)
			set |= EAR_FIELD_BIT(EAR_FIELD_NAMED_WRITE);
	for (size_t i = 0; extra && i < extra->read_count; i++)
		if (!ear_spike_is_config(&extra->reads[i]))
			set |= EAR_FIELD_BIT(EAR_FIELD_READ_VALUE);
	return set;
}
