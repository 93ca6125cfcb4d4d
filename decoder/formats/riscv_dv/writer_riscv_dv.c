/* Records to the trace CSV of riscv-dv.
 *
 * The scripts that make such files take the disassembly of a log apart: name, operands and branch
 * offsets have columns of their own. The writer does the same with its own disassembly and with a
 * source's text.
 */
#include "decoder/formats/riscv_dv/writer_riscv_dv.h"

#include <stdlib.h>

#include "decoder/text/riscv_name.h"
#include "decoder/text/text_put.h"

#define HEADER    "pc,instr,gpr,csr,binary,mode,instr_str,operand,pad\r\n"
#define ROOM      256
#define TEXT_SIZE 512 /* of a source's text; what is longer is cut */

struct writer_riscv_dv {
	struct ear_writer base;
	bool header_written;
};

/* An instruction's text in parts, as the CSV has them. */
struct parts {
	char text[TEXT_SIZE];    /* "lw      a0,8(sp)" without the pc of branches */
	char operand[TEXT_SIZE]; /* "a0,sp,8" */
	size_t text_size, operand_size, name_size;
};

/* A cell that holds commas or quotes is in quotes, with its quotes doubled. */
static char *put_cell(char *at, const char *text, size_t size)
{
	bool plain = !memchr(text, ',', size) && !memchr(text, '"', size);

	if (plain)
		return ear_put_bytes(at, text, size);
	*at++ = '"';
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			*at++ = '"';
		*at++ = text[i];
	}
	*at++ = '"';
	return at;
}

/* "pc + 8" is 8 and "pc - 8" is -8 in the CSV. */
static void drop_pc(struct parts *parts)
{
	const char *from = parts->text, *end = from + parts->text_size;
	char *to = parts->text;

	while (from < end) {
		bool offset = end - from > 5 && memcmp(from, "pc ", 3) == 0 && from[4] == ' ';
		if (offset && (from[3] == '+' || from[3] == '-')) {
			if (from[3] == '-')
				*to++ = '-';
			from += 5;
		} else {
			*to++ = *from++;
		}
	}
	parts->text_size = (size_t)(to - parts->text);
}

/* One operand: "8(sp)" becomes "sp,8", a hexadecimal offset of a jump decimal. */
static char *put_operand(char *at, struct ear_text operand, bool jump)
{
	struct ear_text_cursor cursor = ear_text_cursor(operand.text, operand.size);
	struct ear_text_cursor number = cursor;
	uint64_t value;

	bool negative = ear_text_take(&number, '-');
	if (jump && ear_text_0x(&number, &value) && ear_text_at_end(&number)) {
		if (negative)
			*at++ = '-';
		return ear_put_decimal(at, value);
	}
	struct ear_text offset = ear_text_until(&cursor, '(');
	if (!ear_text_take(&cursor, '(') || offset.size == 0)
		return ear_put_bytes(at, operand.text, operand.size);
	struct ear_text base = ear_text_until(&cursor, ')');
	at = ear_put_bytes(at, base.text, base.size);
	*at++ = ',';
	return ear_put_bytes(at, offset.text, offset.size);
}

static void split(struct parts *parts, bool jump)
{
	struct ear_text_cursor cursor = ear_text_cursor(parts->text, parts->text_size);
	char *at = parts->operand;

	parts->name_size = ear_text_until(&cursor, ' ').size;
	ear_text_skip_blanks(&cursor);
	while (!ear_text_at_end(&cursor)) {
		struct ear_text operand = ear_text_until(&cursor, ',');
		if (at > parts->operand)
			*at++ = ',';
		at = put_operand(at, operand, jump);
		if (ear_text_take(&cursor, ','))
			ear_text_skip_blanks(&cursor);
	}
	parts->operand_size = (size_t)(at - parts->operand);
}

static void split_text(struct parts *parts, const struct ear_record *record)
{
	struct ear_inst inst = {0};
	size_t size = 0;

	if (record->extra && record->extra->disassembly.text) {
		/* Half of the room: an operand may grow by a comma for each parenthesis. */
		size = record->extra->disassembly.size;
		size = size < TEXT_SIZE / 2 ? size : TEXT_SIZE / 2;
		for (size_t i = 0; i < size; i++) {
			char here = record->extra->disassembly.text[i];
			parts->text[i] = here == '\n' || here == '\r' || here == '\0' ? ' ' : here;
		}
	} else if (record->isa == EAR_ISA_RISCV && !(record->flags & EAR_RECORD_NO_OPCODE)) {
		ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
		if (inst.kind == EAR_KIND_ILLEGAL) /* what Spike's log calls it */
			ear_inst_decode_reserved(&inst, (uint32_t)record->opcode, record->xlen);
		if (inst.kind != EAR_KIND_ILLEGAL)
			size = (size_t)ear_inst_text(
				parts->text, TEXT_SIZE, &inst, EAR_INST_SPIKE_BASE);
	}
	parts->text_size = size;
	drop_pc(parts);
	split(parts, inst.kind == EAR_KIND_JUMP);
}

static char *put_value(char *at, uint64_t value, unsigned xlen)
{
	unsigned digits = xlen == 64 || value >> 32 ? 16 : 8;

	*at++ = ':';
	return ear_put_hex(at, value, digits);
}

/* The cell of x and f registers, or that of CSRs. */
static void write_registers(
	struct ear_text_output *output, const struct ear_record *record, bool csrs)
{
	bool first = true;

	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		bool is_csr = reg->reg_class == EAR_REGISTER_CSR;
		bool is_gpr = reg->reg_class == EAR_REGISTER_X || reg->reg_class == EAR_REGISTER_F;
		if (csrs ? !is_csr : !is_gpr)
			continue;
		char *at = ear_text_output_reserve(output, ROOM);
		const char *name = is_csr ? ear_csr_name(reg->number)
					  : ear_riscv_abi_name(reg->reg_class, reg->number);
		if (!first)
			*at++ = ';';
		first = false;
		if (name)
			at = ear_put_word(at, name);
		else
			at = ear_put_decimal(ear_put_word(at, "c"), reg->number);
		ear_text_output_commit(output, put_value(at, reg->value, record->xlen));
	}
}

static char *put_mode(char *at, const struct ear_record *record)
{
	static const char *const modes[] = {
		[EAR_PRIVILEGE_U] = "0",
		[EAR_PRIVILEGE_S] = "1",
		[EAR_PRIVILEGE_RESERVED] = "2",
		[EAR_PRIVILEGE_M] = "3",
		[EAR_PRIVILEGE_VU] = "VU",
		[EAR_PRIVILEGE_VS] = "VS",
		[EAR_PRIVILEGE_DEBUG] = "D",
	};

	if (record->flags & EAR_RECORD_NO_PRIVILEGE)
		return at;
	return ear_put_word(at, modes[record->privilege]);
}

static void write_row(struct ear_text_output *output, const struct ear_record *record)
{
	struct parts parts;
	char *at = ear_text_output_reserve(output, ROOM + 2 * TEXT_SIZE);

	split_text(&parts, record);
	at = ear_put_hex(at, record->pc, record->xlen == 64 ? 16 : 8);
	*at++ = ',';
	at = put_cell(at, parts.text, parts.name_size);
	*at++ = ',';
	ear_text_output_commit(output, at);
	write_registers(output, record, false);
	ear_text_output_put(output, ",", 1);
	write_registers(output, record, true);
	at = ear_text_output_reserve(output, ROOM + 4 * TEXT_SIZE);
	*at++ = ',';
	if (!(record->flags & EAR_RECORD_NO_OPCODE))
		at = ear_put_hex(at, record->opcode, 8);
	*at++ = ',';
	at = put_mode(at, record);
	*at++ = ',';
	at = put_cell(at, parts.text, parts.text_size);
	*at++ = ',';
	at = put_cell(at, parts.operand, parts.operand_size);
	at = ear_put_word(at, ",\r\n");
	ear_text_output_commit(output, at);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_riscv_dv *writer = (struct writer_riscv_dv *)base;

	if (!writer->header_written)
		ear_text_output_put(base->output, HEADER, sizeof(HEADER) - 1);
	writer->header_written = true;
	if (record->kind == EAR_RECORD_INSTRUCTION && record->isa == EAR_ISA_RISCV &&
		!(record->flags & EAR_RECORD_INTERRUPT))
		write_row(base->output, record);
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

static int save(const struct ear_writer *base, struct ear_snapshot *snapshot)
{
	const struct writer_riscv_dv *writer = (const struct writer_riscv_dv *)base;

	ear_snapshot_clear(snapshot);
	return ear_snapshot_put(snapshot, &writer->header_written, 1);
}

static int restore(struct ear_writer *base, const struct ear_snapshot *snapshot)
{
	struct writer_riscv_dv *writer = (struct writer_riscv_dv *)base;

	writer->header_written = snapshot->bytes[0];
	return 0;
}

static const struct ear_writer_cut cut = {.save = save, .restore = restore};

struct ear_writer *ear_writer_riscv_dv_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	(void)options;
	struct writer_riscv_dv *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return NULL;
	writer->base = (struct ear_writer){
		.output = output, .push = push, .free = free_writer, .cut = &cut};
	return &writer->base;
}
