/* Records to logs as Spike writes them with -l --log-commits: the line with the disassembly, then
 * the line with the effects, or the lines of the trap in its place.
 */
#include "formats/spike/writer_spike.h"

#include <stdlib.h>

#include "decoder/isa/csr.h"
#include "formats/text/riscv_name.h"
#include "formats/text/text_put.h"

#define LINE_SIZE 256 /* of what has no texts of the source */

struct writer_spike {
	struct ear_writer base;
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

/* The line of -l: the opcode has 8 digits, also of a compressed instruction. */
static void write_disassembly(struct ear_text_output *output, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(output, LINE_SIZE + EAR_RISCV_ABI_TEXT_SIZE);
	bool own = record->extra && record->extra->disassembly.text;
	struct ear_inst inst;

	at = put_word(put_core(at, record), record->pc, record->xlen);
	at = ear_put_hex(ear_put_word(at, " (0x"), record->opcode, 8);
	at = ear_put_word(at, ") ");
	if (!own && record->isa == EAR_ISA_RISCV) {
		ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
		if (inst.kind == EAR_KIND_ILLEGAL)
			at = ear_put_word(at, "unknown");
		else
			at += ear_riscv_abi_text(at, &inst);
	}
	ear_text_output_commit(output, at);
	if (own)
		put_text(output, record->extra->disassembly);
	put_end(output);
}

/* The configuration of a vector instruction: " e32 m1 l4". */
static char *put_vector_config(char *at, const struct ear_record_extra *extra)
{
	uint64_t sew = 0, lmul = 0, length = 0;

	for (size_t i = 0; i < extra->read_count; i++) {
		const struct ear_record_register *reg = &extra->reads[i];
		struct ear_text name = {reg->text.name, reg->text_size};
		if (reg->reg_class == EAR_REGISTER_CSR && reg->number == EAR_CSR_VL)
			length = reg->value;
		if (reg->reg_class != EAR_REGISTER_NAMED)
			continue;
		if (ear_text_is(name, "vsew"))
			sew = reg->value;
		if (ear_text_is(name, "vlmul"))
			lmul = reg->value & 7;
	}
	if (sew == 0)
		return at;
	at = ear_put_decimal(ear_put_word(at, " e"), sew);
	at = ear_put_word(at, lmul > 4 ? " mf" : " m");
	at = ear_put_decimal(at, (uint64_t)1 << (lmul > 4 ? 8 - lmul : lmul & 3));
	return ear_put_decimal(ear_put_word(at, " l"), length);
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
	const char *name = ear_csr_name(reg->number);

	at = ear_put_decimal(ear_put_word(at, " c"), reg->number);
	*at++ = '_';
	at = ear_put_word(at, name ? name : "unknown-csr");
	*at++ = ' ';
	return put_word(at, reg->value, xlen);
}

static void write_register(struct ear_text_output *output, const struct ear_record *record,
	const struct ear_record_register *reg)
{
	char *at = ear_text_output_reserve(output, LINE_SIZE);
	unsigned digits = reg->size ? 2u * reg->size : reg->value >> 32 ? 16 : 8;

	switch (reg->reg_class) {
	case EAR_REGISTER_X:
		at = put_word(put_numbered(at, 'x', reg->number), reg->value, record->xlen);
		break;
	case EAR_REGISTER_F: /* FLEN is unknown: as many digits as the value needs */
		at = ear_put_word(put_numbered(at, 'f', reg->number), "0x");
		at = ear_put_hex(at, reg->value, digits > 16 ? 16 : digits);
		break;
	case EAR_REGISTER_CSR: at = put_csr(at, reg, record->xlen); break;
	case EAR_REGISTER_V:
		at = ear_put_word(put_numbered(at, 'v', reg->number), "0x");
		ear_text_output_commit(output, at);
		put_vector(output, reg);
		return;
	default: return;
	}
	ear_text_output_commit(output, at);
}

/* Loads are listed without data; what has no value was no access. */
static void write_accesses(
	struct ear_text_output *output, const struct ear_record *record, bool write)
{
	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		unsigned size = access->size ? access->size : record->xlen / 8;
		if (access->write != write || access->masked || (write && !access->has_value))
			continue;
		char *at = ear_text_output_reserve(output, LINE_SIZE);
		at = put_word(ear_put_word(at, " mem "), access->address, record->xlen);
		if (write)
			at = ear_put_hex(
				ear_put_word(at, " 0x"), access->value, 2 * (size > 8 ? 8 : size));
		ear_text_output_commit(output, at);
	}
}

/* Spike has one digit: the virtualised modes are written as U and S, debug mode as M. */
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

	return record->flags & EAR_RECORD_NO_PRIVILEGE ? '3' : digits[record->privilege];
}

static void write_commit(struct ear_text_output *output, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(output, LINE_SIZE);
	unsigned opcode_digits = record->opcode_size == 2 ? 4 : record->opcode_size == 8 ? 16 : 8;
	bool vector = false;

	at = put_core(at, record);
	*at++ = privilege_digit(record);
	*at++ = ' ';
	at = put_word(at, record->pc, record->xlen);
	at = ear_put_hex(ear_put_word(at, " (0x"), record->opcode, opcode_digits);
	*at++ = ')';
	ear_text_output_commit(output, at);
	for (size_t i = 0; i < record->register_count; i++) {
		if (record->registers[i].reg_class == EAR_REGISTER_V && !vector && record->extra) {
			at = ear_text_output_reserve(output, LINE_SIZE);
			ear_text_output_commit(output, put_vector_config(at, record->extra));
			vector = true;
		}
		write_register(output, record, &record->registers[i]);
	}
	write_accesses(output, record, false);
	write_accesses(output, record, true);
	put_end(output);
}

static bool find_trap_value(const struct ear_record *record, uint64_t *value)
{
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
	return false;
}

static char *put_cause(char *at, const struct ear_record *record)
{
	uint64_t cause = record->cause;
	const char *name = ear_riscv_spike_cause(cause);

	if (record->flags & EAR_RECORD_NO_CAUSE)
		return ear_put_word(at, "trap_unknown");
	if (record->flags & EAR_RECORD_INTERRUPT)
		return ear_put_decimal(ear_put_word(at, "interrupt #"), cause & 0xFF);
	if (name)
		return ear_put_word(at, name);
	return ear_put_decimal(ear_put_word(at, "trap #"), cause & 0xFF);
}

static void write_exception(struct ear_text_output *output, const struct ear_record *record)
{
	char *at = ear_text_output_reserve(output, (size_t)2 * LINE_SIZE);
	uint64_t value;

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

static int push(struct ear_writer *base, const struct ear_record *record)
{
	uint32_t stopped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);
	bool fetched = record->flags & EAR_RECORD_TRAP && ear_riscv_is_fetch_cause(record->cause) &&
		       !(record->flags & EAR_RECORD_NO_CAUSE);

	if (record->kind != EAR_RECORD_INSTRUCTION)
		return base->output->error;
	if (!(record->flags & EAR_RECORD_INTERRUPT) && !fetched)
		write_disassembly(base->output, record);
	if (stopped)
		write_exception(base->output, record);
	else
		write_commit(base->output, record);
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

static const struct ear_writer_cut cut = {
	ear_writer_save_nothing, ear_writer_restore_nothing, false};

struct ear_writer *ear_writer_spike_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	(void)options;
	struct writer_spike *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return NULL;
	writer->base = (struct ear_writer){
		.output = output, .push = push, .free = free_writer, .cut = &cut};
	return &writer->base;
}
