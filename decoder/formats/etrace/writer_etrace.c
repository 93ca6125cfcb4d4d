/* Records to E-Trace: an encoder for each hart, whose packets come in the order of the records.
 *
 * An instruction waits for the next record, which shows where it went. Where the flow cannot go to
 * the next record by itself, or a trap has no cause, records are missing: the trace ends, the loss
 * is reported, and it begins anew.
 */
#include "decoder/formats/etrace/writer_etrace.h"

#include <earshot/error.h>
#include <stdio.h>
#include <stdlib.h>

#include "decoder/flow/flow_held.h"
#include "decoder/flow/flow_unit.h"
#include "decoder/formats/etrace/etrace_encoder.h"
#include "decoder/formats/etrace/etrace_frame.h"

#define HARTS_MAX 64u

/* A value of the privilege that no privilege has: it is not known, or has no name there. */
#define PRIVILEGE_UNKNOWN 2u

struct writer_etrace;

struct hart {
	struct writer_etrace *writer;
	uint16_t number;
	bool on; /* a record was encoded since the last loss */
	bool timed;
	uint64_t time; /* of the record that is encoded, or the last one with a time */
	struct ear_flow_held held;
	uint64_t value; /* of its trap */
	/* The encoder has up to three items at a time. */
	struct ear_flow_instruction instructions[4];
	unsigned next;
	struct ear_etrace_encoder encoder;
};

struct writer_etrace {
	struct ear_writer base;
	struct ear_etrace_unit unit, wide; /* wide: instead of unit, if the records are of RV64 */
	bool begun;
	uint64_t mask;
	const struct ear_flow_code *code;
	struct ear_writer_hart only; /* without srcID */
	struct hart *harts[HARTS_MAX];
	size_t count;
};

static void emit(void *context, const struct ear_etrace_packet *packet)
{
	struct hart *hart = context;
	const struct ear_etrace_unit *unit = &hart->writer->unit;
	const bool timed = hart->timed && unit->timestamp_bytes > 0;
	struct ear_etrace_bits bits = {0};
	uint8_t bytes[EAR_ETRACE_FRAME_MAX];

	ear_etrace_packet_put(&bits, unit, unit->implicit_exception, packet);
	unsigned size = ear_etrace_frame_write(bytes, unit, &bits,
		unit->srcid_bits ? hart->number : 0, timed ? &packet->time : NULL);
	ear_text_output_put(hart->writer->base.output, (const char *)bytes, size);
}

/* The hart of a record, into *found. Returns 0 or an error. */
static int find(struct writer_etrace *writer, uint16_t number, struct hart **found)
{
	for (size_t i = 0; i < writer->count; i++) {
		*found = writer->harts[i];
		if ((*found)->number == number)
			return 0;
	}
	if (writer->count == HARTS_MAX ||
		(writer->unit.srcid_bits && number >> writer->unit.srcid_bits))
		return EAR_E_UNSUPPORTED;
	*found = calloc(1, sizeof(**found));
	if (!*found || ear_etrace_encoder_init(&(*found)->encoder, &writer->unit,
			       writer->unit.resync_max, emit, *found)) {
		free(*found);
		return EAR_E_NO_MEMORY;
	}
	(*found)->writer = writer;
	(*found)->number = number;
	writer->harts[writer->count++] = *found;
	return 0;
}

/* --- Instructions --- */

static uint8_t privilege_of(const struct ear_flow_held *held, const struct ear_etrace_unit *unit)
{
	static const uint8_t values[] = {[EAR_PRIVILEGE_U] = 0,
		[EAR_PRIVILEGE_S] = 1,
		[EAR_PRIVILEGE_RESERVED] = PRIVILEGE_UNKNOWN,
		[EAR_PRIVILEGE_M] = 3,
		[EAR_PRIVILEGE_VU] = 4,
		[EAR_PRIVILEGE_VS] = 5,
		[EAR_PRIVILEGE_DEBUG] = PRIVILEGE_UNKNOWN};
	const uint8_t value = held->has_privilege ? values[held->privilege] : PRIVILEGE_UNKNOWN;

	return value >> unit->privilege_width ? PRIVILEGE_UNKNOWN : value;
}

/* Can a packet have this address? */
static bool has_address(const struct ear_etrace_unit *unit, uint64_t pc)
{
	const unsigned width = unit->iaddress_width;
	const uint64_t all = unit->xlen == 64 ? ear_etrace_sign_extend(pc, width)
					      : ear_etrace_low_bits(pc, width);

	return all == pc && (pc & ((UINT64_C(1) << unit->iaddress_lsb) - 1)) == 0;
}

/* A trap has a cause that a packet can have. */
static bool has_cause(const struct ear_flow_held *held, const struct ear_etrace_unit *unit)
{
	const uint64_t cause = held->cause & ~(UINT64_C(1) << (unit->xlen - 1));

	return held->trapped && held->has_cause &&
	       cause == ear_etrace_low_bits(cause, unit->ecause_width);
}

static bool is_encodable(const struct hart *hart)
{
	const struct ear_flow_held *held = &hart->held;
	const struct ear_etrace_unit *unit = &hart->writer->unit;

	return has_address(unit, held->pc) &&
	       (ear_flow_held_traps(held) ? has_cause(held, unit) : held->has_opcode);
}

static void push_item(struct hart *hart, uint64_t to)
{
	const struct ear_flow_held *held = &hart->held;
	const struct ear_etrace_unit *unit = &hart->writer->unit;
	struct ear_flow_instruction *instruction = &hart->instructions[hart->next++ % 4];

	*instruction = held->instruction;
	if (held->has_time) {
		hart->timed = true;
		hart->time = held->time;
	}
	const struct ear_etrace_item item = {.pc = held->pc,
		.instruction = instruction,
		.trap = held->trapped,
		.interrupt = held->interrupted,
		.taken = instruction->kind == EAR_FLOW_BRANCH &&
			 ear_flow_is_taken(held, hart->writer->mask, to),
		.privilege = privilege_of(held, unit),
		.cause = held->cause & ~(UINT64_C(1) << (unit->xlen - 1)),
		.value = hart->value & hart->writer->mask,
		.time = hart->time};

	ear_etrace_encoder_push(&hart->encoder, &item);
	hart->on = true;
}

static void lose(struct hart *hart)
{
	if (hart->on)
		ear_etrace_encoder_lose(&hart->encoder);
	hart->on = false;
}

/* What was held, now that the next record is known: next NULL at a loss or the end. */
static void encode(struct hart *hart, const uint64_t *next)
{
	const uint64_t mask = hart->writer->mask;
	struct ear_flow_held *held = &hart->held;
	uint64_t to = next ? *next : 0;

	if (!held->present)
		return;
	held->present = false;
	bool fits = next && (held->trapped || ear_flow_leads_to(held, mask, to));
	if (!is_encodable(hart) || (!fits && !ear_flow_own_next(held, mask, &to))) {
		lose(hart);
		return;
	}
	push_item(hart, to);
	if (!fits && next)
		lose(hart);
}

/* The CSR write of mtval or stval, or what the source says instead. */
static uint64_t trap_value(const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == EAR_REGISTER_CSR &&
			(record->registers[i].number == 0x343 ||
				record->registers[i].number == 0x143))
			return record->registers[i].value;
	return record->extra && record->extra->has_trap_value ? record->extra->trap_value : 0;
}

static void push_instruction(struct hart *hart, const struct ear_record *record)
{
	const struct ear_etrace_unit *unit = &hart->writer->unit;
	const uint64_t pc = record->pc & hart->writer->mask;

	if (record->isa != EAR_ISA_RISCV || record->xlen != unit->xlen) {
		encode(hart, NULL);
		lose(hart);
		return;
	}
	encode(hart, &pc);
	ear_flow_hold(&hart->held, record, unit->xlen, hart->writer->code);
	hart->value = record->flags & EAR_RECORD_TRAP ? trap_value(record) : 0;
}

/* --- The writer --- */

static void begin(struct writer_etrace *writer, unsigned xlen)
{
	if (xlen == 64)
		writer->unit = writer->wide;
	writer->mask = UINT64_MAX >> (64 - writer->unit.xlen);
	writer->begun = true;
}

static int push(struct ear_writer *base, const struct ear_record *record)
{
	struct writer_etrace *writer = (struct writer_etrace *)base;
	struct hart *hart;
	int result = 1;

	if (record->kind == EAR_RECORD_GAP && ear_gap_forgets(&record->u.gap))
		for (size_t i = 0; i < writer->count; i++)
			if (writer->harts[i]->number == record->hart) {
				encode(writer->harts[i], NULL);
				lose(writer->harts[i]);
			}
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return base->output->error;
	if (!writer->begun)
		begin(writer, record->xlen);
	if (writer->unit.srcid_bits == 0)
		result = ear_writer_hart_choose(&writer->only, record);
	if (result <= 0 || (result = find(writer, record->hart, &hart)) != 0)
		return result;
	push_instruction(hart, record);
	return base->output->error;
}

static int finish(struct ear_writer *base)
{
	struct writer_etrace *writer = (struct writer_etrace *)base;

	for (size_t i = 0; i < writer->count; i++) {
		struct hart *hart = writer->harts[i];
		encode(hart, NULL);
		if (hart->on)
			ear_etrace_encoder_finish(&hart->encoder);
	}
	return base->output->error;
}

static void free_writer(struct ear_writer *base)
{
	struct writer_etrace *writer = (struct writer_etrace *)base;

	for (size_t i = 0; i < writer->count; i++) {
		ear_etrace_encoder_fini(&writer->harts[i]->encoder);
		free(writer->harts[i]);
	}
	free(writer);
}

static uint64_t absent(const struct ear_etrace_unit *unit)
{
	bool timed = unit->time_width > 0 || unit->timestamp_bytes > 0;

	return (unit->srcid_bits ? 0 : EAR_FIELD_BIT(EAR_FIELD_HART)) |
	       (timed ? 0 : EAR_FIELD_BIT(EAR_FIELD_TIME)) |
	       (unit->privilege_width ? 0 : EAR_FIELD_BIT(EAR_FIELD_PRIVILEGE));
}

/* Of the forms that a unit can have, some are only read. */
static int read_unit(struct ear_etrace_unit *unit, const struct ear_writer_options *options,
	unsigned xlen, char *fault, size_t size)
{
	int result = ear_etrace_unit_read(
		unit, NULL, options ? options->unit : NULL, false, xlen, fault, size);

	if (result == 0 &&
		(unit->atb_id || unit->privilege_width == 1 || unit->framing == EAR_ETRACE_PULP)) {
		snprintf(fault, size, "\"%s\": such a trace can only be read",
			unit->atb_id                       ? "atb_id"
			: unit->framing == EAR_ETRACE_PULP ? "framing"
							   : "privilege_width");
		result = EAR_E_BAD_ARGUMENT;
	}
	return result;
}

int ear_writer_etrace_make(struct ear_writer **writer, struct ear_text_output *output,
	const struct ear_writer_options *options, char *fault, size_t size)
{
	struct writer_etrace *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	int result = read_unit(&made->unit, options, 32, fault, size);
	if (result == 0)
		result = read_unit(&made->wide, options, 64, fault, size);
	if (result) {
		free(made);
		return result;
	}
	ear_text_output_be_exact(output);
	made->code = options ? options->code : NULL;
	made->only = ear_writer_hart(options);
	made->base = (struct ear_writer){.output = output,
		.absent = absent(&made->unit),
		.push = push,
		.finish = finish,
		.free = free_writer};
	*writer = &made->base;
	return 0;
}
