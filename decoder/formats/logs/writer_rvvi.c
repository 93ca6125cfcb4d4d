/* Records to RVVI-TEXT, a line for each instruction. PARAMS come again when a record shows a wider
 * register or another hart: a writer does not know them before. ORDER is written where it is not
 * the one that readers expect.
 */
#include "decoder/formats/logs/writer_rvvi.h"

#include <stdlib.h>
#include <string.h>

#include "decoder/text/text_put.h"

#define ROOM        512 /* of an element, and of the beginning of a line */
#define ORDERS_MAX  64
#define VLEN_MAX    65536
#define HEADER      "VERSION 0 4\nVENDOR \"earshot\" 0 1\n"
#define INTERRUPTED (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)

struct writer_rvvi {
	struct ear_writer base;
	bool begun, gap;
	bool debug; /* DM of the line before */
	uint8_t xlen;
	unsigned flen, vlen, harts; /* as PARAMS say */
	char unit[4];               /* TIMESCALE, or empty: time is in cycles */
	uint16_t hart;
	uint64_t cycle, time;
	uint64_t orders[ORDERS_MAX]; /* of the next instruction of each hart */
};

/* Does TIMESCALE have the unit of the record's time? Others count as cycles. */
static bool is_timescale(struct ear_text unit)
{
	static const char *const units[] = {"s", "ms", "us", "ns", "ps", "fs"};

	for (size_t i = 0; unit.text && i < sizeof(units) / sizeof(units[0]); i++)
		if (unit.size == strlen(units[i]) && memcmp(unit.text, units[i], unit.size) == 0)
			return true;
	return false;
}

static unsigned up_to(unsigned value, unsigned at_least)
{
	return value > at_least ? value : at_least;
}

/* The parameters that this record needs. Returns true if they are others than before. */
static bool widen(struct writer_rvvi *writer, const struct ear_record *record)
{
	const struct writer_rvvi before = *writer;

	writer->xlen = record->xlen;
	writer->harts = up_to(writer->harts, record->hart + 1u);
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class == EAR_REGISTER_F)
			writer->flen = up_to(
				writer->flen, reg->size == 4 && reg->value <= UINT32_MAX ? 32 : 64);
		while (reg->reg_class == EAR_REGISTER_V && writer->vlen < 8 * reg->text_size &&
			writer->vlen < VLEN_MAX)
			writer->vlen = writer->vlen ? 2 * writer->vlen : 64;
	}
	if (record->extra && is_timescale(record->extra->time_unit)) {
		memset(writer->unit, 0, sizeof(writer->unit));
		memcpy(writer->unit, record->extra->time_unit.text, record->extra->time_unit.size);
	}
	return !writer->begun || before.xlen != writer->xlen || before.harts != writer->harts ||
	       before.flen != writer->flen || before.vlen != writer->vlen ||
	       strcmp(before.unit, writer->unit) != 0;
}

static char *put_number(char *at, const char *word, uint64_t value)
{
	return ear_put_decimal(ear_put_word(at, word), value);
}

/* At least so many digits. */
static char *put_0x(char *at, uint64_t value, unsigned digits)
{
	return ear_put_hex(
		ear_put_word(at, " 0x"), value, up_to(digits, ear_put_hex_digits(value)));
}

static void put_params(struct writer_rvvi *writer)
{
	char *at = ear_text_output_reserve(writer->base.output, ROOM);

	if (!writer->begun)
		at = ear_put_word(at, HEADER);
	at = put_number(at, "PARAMS ", writer->unit[0] ? 7 : 6);
	at = put_number(at, " ILEN ", 32);
	at = put_number(at, " XLEN ", writer->xlen);
	at = put_number(at, " FLEN ", writer->flen);
	at = put_number(at, " VLEN ", writer->vlen);
	at = put_number(at, " NHART ", writer->harts);
	at = put_number(at, " RETIRE ", 1);
	if (writer->unit[0])
		at = ear_put_word(ear_put_word(at, " TIMESCALE "), writer->unit);
	*at++ = '\n';
	writer->begun = true;
	ear_text_output_commit(writer->base.output, at);
}

/* Elements before RET: hart, order, time. A time that goes back is the difference modulo 2^64. */
static char *put_before(struct writer_rvvi *writer, char *at, const struct ear_record *record)
{
	uint64_t *order = record->hart < ORDERS_MAX ? &writer->orders[record->hart] : NULL;

	if (writer->gap)
		at = ear_put_word(at, "META 1 GAP ");
	writer->gap = false;
	if (record->hart != writer->hart)
		at = ear_put_word(put_number(at, "HART ", record->hart), " ");
	writer->hart = record->hart;
	if (!order || *order != record->index)
		at = ear_put_word(put_number(at, "ORDER ", record->index), " ");
	if (order)
		*order = record->index + 1;
	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return at;
	bool timed = record->extra && is_timescale(record->extra->time_unit);
	uint64_t *sum = timed ? &writer->time : &writer->cycle;
	at = put_number(at, timed ? "TIME " : "CYCLE ", record->ticks - *sum);
	*sum = record->ticks;
	return ear_put_word(at, " ");
}

static char *put_register(struct writer_rvvi *writer, char *at, const struct ear_record *record,
	const struct ear_record_register *reg)
{
	unsigned digits = record->xlen / 4u;

	switch (reg->reg_class) {
	case EAR_REGISTER_X: return put_0x(put_number(at, " X ", reg->number), reg->value, digits);
	case EAR_REGISTER_F:
		return put_0x(put_number(at, " F ", reg->number), reg->value, writer->flen / 4);
	case EAR_REGISTER_CSR:
		return put_0x(put_0x(ear_put_word(at, " C"), reg->number, 3), reg->value, digits);
	case EAR_REGISTER_V: break;
	default: return at;
	}
	if (ear_writer_rvvi_unfit(record))
		return at;
	at = ear_put_word(put_number(at, " V ", reg->number), " 0x");
	for (size_t i = reg->text_size; i-- > 0;) {
		ear_text_output_commit(writer->base.output, at);
		at = ear_text_output_reserve(writer->base.output, ROOM);
		at = ear_put_hex(at, reg->text.bytes[i], 2);
	}
	return at;
}

static char *put_privilege(struct writer_rvvi *writer, char *at, const struct ear_record *record)
{
	static const uint8_t modes[] = {0, 1, 3, 3, 0, 1, 3};
	uint8_t privilege = record->flags & EAR_RECORD_NO_PRIVILEGE ? EAR_PRIVILEGE_RESERVED
								    : record->privilege;
	bool debug = privilege == EAR_PRIVILEGE_DEBUG;

	if (privilege != EAR_PRIVILEGE_RESERVED)
		at = put_0x(ear_put_word(at, " MODE"), modes[privilege], 1);
	if (privilege == EAR_PRIVILEGE_VU || privilege == EAR_PRIVILEGE_VS)
		at = ear_put_word(at, " VIRT 0x1");
	if (debug != writer->debug)
		at = put_0x(ear_put_word(at, " DM"), debug, 1);
	writer->debug = debug;
	return at;
}

/* What the format has no element for. */
static char *put_meta(char *at, const struct ear_record *record)
{
	bool has_cause = record->flags & INTERRUPTED && !(record->flags & EAR_RECORD_NO_CAUSE);

	if (record->flags & EAR_RECORD_INTERRUPT && !has_cause)
		at = ear_put_word(at, " META 1 INTERRUPT");
	if (has_cause)
		at = put_0x(ear_put_word(at, " META 2 CAUSE"), record->cause, 1);
	if (record->extra && record->extra->has_trap_value)
		at = put_0x(ear_put_word(at, " META 2 TVAL"), record->extra->trap_value, 1);
	if (record->fflags)
		at = put_0x(ear_put_word(at, " META 2 FFLAGS"), record->fflags, 1);
	if (record->flags & EAR_RECORD_PC_PHYSICAL)
		at = put_0x(ear_put_word(at, " META 2 PHYSICAL"), record->pc_physical, 1);
	if (record->flags & EAR_RECORD_NO_OPCODE)
		at = ear_put_word(at, " META 1 NO_OPCODE");
	return at;
}

static char *put_access(char *at, const struct ear_record_access *access)
{
	bool known = ear_access_is_known(access);

	at = put_number(
		at, " META ", 3u + 2u * known + 2u * access->has_physical + 2u * access->masked);
	at = put_0x(ear_put_word(at, access->write ? " STORE" : " LOAD"), access->address, 1);
	at = put_number(at, " ", access->size);
	if (known)
		at = put_0x(ear_put_word(at, " DATA"), access->value, 2u * access->size);
	if (access->has_physical)
		at = put_0x(ear_put_word(at, " PHYSICAL"), access->physical, 1);
	if (access->masked)
		at = put_0x(ear_put_word(at, " MASKED"), 1, 1);
	return at;
}

static void write_instruction(struct writer_rvvi *writer, const struct ear_record *record)
{
	struct ear_text_output *output = writer->base.output;
	bool trap = record->flags & INTERRUPTED;
	bool no_opcode = record->flags & EAR_RECORD_NO_OPCODE;
	char *at = ear_text_output_reserve(output, ROOM);

	at = put_before(writer, at, record);
	at = put_0x(ear_put_word(at, trap ? "TRAP" : "RET"), record->pc, record->xlen / 4u);
	at = put_0x(
		at, no_opcode ? 0 : record->opcode, !no_opcode && record->opcode_size == 2 ? 4 : 8);
	at = put_privilege(writer, at, record);
	at = put_meta(at, record);
	for (size_t i = 0; i < record->register_count; i++) {
		ear_text_output_commit(output, at);
		at = ear_text_output_reserve(output, ROOM);
		at = put_register(writer, at, record, &record->registers[i]);
	}
	for (size_t i = 0; i < record->memory_count; i++) {
		ear_text_output_commit(output, at);
		at = put_access(ear_text_output_reserve(output, ROOM), &record->memory[i]);
	}
	*at++ = '\n';
	ear_text_output_commit(output, at);
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_rvvi *writer = (struct writer_rvvi *)base;

	writer->gap |= record->kind == EAR_RECORD_GAP;
	if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV ||
		record->flags & EAR_RECORD_SKIPPED)
		return base->output->error;
	if (widen(writer, record))
		put_params(writer);
	write_instruction(writer, record);
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	free(base);
}

uint64_t ear_writer_rvvi_unfit(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_V &&
			record->registers[i].text_size > VLEN_MAX / 8)
			return EAR_FIELD_BIT(EAR_FIELD_V_WRITE);
	return 0;
}

struct ear_writer *ear_writer_rvvi_make(
	struct ear_text_output *output, const struct ear_writer_options *options)
{
	struct writer_rvvi *writer = calloc(1, sizeof(*writer));

	(void)options;
	if (!writer)
		return NULL;
	writer->base = (struct ear_writer){.output = output, .push = push, .free = free_writer};
	writer->harts = 1;
	return &writer->base;
}
