/* Records to the wire, through the reference encoder: one unit for each hart.
 *
 * A record becomes a retire entry. Where the record does not say where it goes (a trap, a return),
 * the entry waits for the next record, whose pc says it. What a unit is (XLEN, physical addresses)
 * shows only in its records: when it changes, a new UNIT is sent, as by another unit.
 */
#include "decoder/codec/record_encoder.h"

#include <earshot/error.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "decoder/isa/inst.h"

const struct ear_geometry ear_record_encoder_geometry = {.multiply = true,
	.divide = true,
	.code = {16, 2, 2},
	.data = {16, 2, 2},
	.dictionary_log2 = 9,
	.csr_log2 = 6};

#define HART_COUNT 256 /* values of a frame's stream id */
#define CACHE_BITS 10

/* The properties of an opcode that the encoder needs. */
struct opcode {
	uint32_t insn;
	uint8_t xlen; /* 0: empty slot */
	uint8_t size, kind, access_size;
};

struct hart {
	struct ear_encoder encoder;
	struct ear_predictor predictor; /* predict mode */
	uint64_t next_order;
	uint64_t offset;        /* index of the source's records less their order */
	uint64_t lost, missing; /* records that gaps name: by the unit, and on the way */
	bool numbered;          /* offset is known */
	bool resumes;           /* a gap of unknown size: the source's next index counts */
	bool provisional;       /* made for a gap: the first instruction defines the unit */
	bool physical; /* a record had a physical address; without, the decoder is faster */
};

/* An entry whose next pc is unknown waits for the next record, whose pc it is: that of a trap, or
 * of a return from one. Frames end when the hart changes, so records keep their order.
 */
struct ear_record_encoder {
	ear_encoder_sink *sink;
	void *context;
	bool predict;
	struct ear_geometry geometry;
	uint64_t fields;
	struct hart *harts[HART_COUNT];
	bool pending;
	bool next_unknown; /* the pending entry's pc_wdata follows from the next record */
	uint32_t unknown;  /* EAR_DIFFER_* of the pending entry */
	uint8_t hart;      /* of the pending entry */
	uint64_t ticks;
	struct ear_retire entry;
	uint8_t current; /* hart of the frame being filled */
	struct ear_renumbered renumbered;
	struct opcode opcodes[1 << CACHE_BITS];
};

struct ear_record_encoder *ear_record_encoder_new(
	ear_encoder_sink *sink, void *context, const struct ear_record_encoder_options *options)
{
	struct ear_record_encoder *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->sink = sink;
	made->context = context;
	made->fields = options->fields;
	made->predict = options->geometry != NULL;
	if (made->predict) {
		made->geometry = *options->geometry;
		made->geometry.operands = false;
	}
	return made;
}

void ear_record_encoder_free(struct ear_record_encoder *encoder)
{
	if (!encoder)
		return;
	for (unsigned i = 0; i < HART_COUNT; i++) {
		if (encoder->harts[i])
			ear_predictor_fini(&encoder->harts[i]->predictor);
		free(encoder->harts[i]);
	}
	free(encoder);
}

static bool shows_physical(const struct ear_record *record)
{
	bool physical = record->flags & EAR_RECORD_PC_PHYSICAL;

	for (size_t i = 0; i < record->memory_count; i++)
		physical |= record->memory[i].has_physical;
	return physical;
}

static void describe_unit(const struct ear_record_encoder *encoder, struct ear_unit *unit,
	const struct ear_record *record, bool physical)
{
	*unit = (struct ear_unit){
		.protocol_major = EAR_PROTOCOL_MAJOR,
		.protocol_minor = EAR_PROTOCOL_MINOR,
		.xlen = record->xlen,
		.nret = 1,
		.flen = 64,
		.csr_slots = EAR_RETIRE_CSRS_MAX,
		.features = physical ? EAR_REG_FEATURES_PADDR_MASK : 0,
		.hart = record->hart,
	};
	if (record->flags & EAR_RECORD_HAS_TIME)
		unit->control = EAR_TIME_MODE_RECORD << EAR_UNIT_CONTROL_TIME_MODE_SHIFT;
	if (encoder->predict) {
		unit->mode = EAR_UNIT_MODE_PREDICT;
		unit->features |= EAR_REG_FEATURES_PREDICT_MASK;
		ear_geometry_build(unit->geometry, &encoder->geometry);
	}
}

/* The hart's XLEN changes, or physical addresses begin: it becomes another unit. */
static int change_unit(
	struct ear_record_encoder *encoder, struct hart *hart, const struct ear_record *record)
{
	struct ear_predictor predictor;

	ear_encoder_check(&hart->encoder);
	ear_encoder_flush(&hart->encoder);
	describe_unit(encoder, &hart->encoder.unit, record, hart->physical);
	if (encoder->predict) {
		if (ear_predictor_init(&predictor, &hart->encoder.unit, &encoder->geometry))
			return EAR_E_NO_MEMORY;
		ear_predictor_fini(&hart->predictor);
		hart->predictor = predictor;
	}
	ear_encoder_sync(&hart->encoder);
	return 0;
}

static struct hart *make_hart(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	struct hart *hart = calloc(1, sizeof(*hart));
	struct ear_unit unit;

	if (!hart)
		return NULL;
	hart->physical = shows_physical(record);
	describe_unit(encoder, &unit, record, hart->physical);
	ear_encoder_init(&hart->encoder, &unit, encoder->sink, encoder->context);
	if (encoder->predict) {
		if (ear_predictor_init(&hart->predictor, &unit, &encoder->geometry)) {
			free(hart);
			return NULL;
		}
		ear_encoder_predict(&hart->encoder, &hart->predictor);
	}
	encoder->harts[(uint8_t)record->hart] = hart;
	return hart;
}

static struct hart *find_hart(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	struct hart *hart = encoder->harts[(uint8_t)record->hart];

	if (!hart)
		return make_hart(encoder, record);
	bool physical = !hart->physical && shows_physical(record);
	hart->physical |= physical;
	if ((physical || hart->provisional || hart->encoder.unit.xlen != record->xlen) &&
		change_unit(encoder, hart, record) != 0)
		return NULL;
	hart->provisional = false;
	return hart;
}

/* Frames of one hart at a time. */
static void switch_hart(struct ear_record_encoder *encoder, uint8_t id)
{
	if (encoder->current != id && encoder->harts[encoder->current])
		ear_encoder_flush(&encoder->harts[encoder->current]->encoder);
	encoder->current = id;
}

static void emit_pending(struct ear_record_encoder *encoder, const struct ear_record *next)
{
	if (!encoder->pending)
		return;
	if (encoder->next_unknown && next && (uint8_t)next->hart == encoder->hart &&
		next->kind == EAR_RECORD_INSTRUCTION)
		encoder->entry.pc_wdata = next->pc;
	else if (encoder->next_unknown)
		encoder->unknown |= EAR_DIFFER_NEXT_PC;

	struct ear_encoder *to = &encoder->harts[encoder->hart]->encoder;
	switch_hart(encoder, encoder->hart);
	if (encoder->predict && encoder->unknown)
		ear_encoder_push_known(to, &encoder->entry, encoder->ticks, encoder->unknown);
	else
		ear_encoder_push(to, &encoder->entry, encoder->ticks);
	encoder->pending = false;
}

static const struct opcode *find_opcode(
	struct ear_record_encoder *encoder, const struct ear_record *record)
{
	uint32_t insn = (uint32_t)record->opcode;
	struct opcode *opcode = &encoder->opcodes[ear_hash_slot32(insn, CACHE_BITS)];
	struct ear_inst inst;

	if (opcode->insn != insn || opcode->xlen != record->xlen) {
		ear_inst_decode_within(&inst, insn, record->xlen, NULL);
		*opcode =
			(struct opcode){insn, record->xlen, inst.size, inst.kind, inst.access_size};
	}
	return opcode;
}

static uint64_t unfit_registers(const struct ear_record *record)
{
	static const struct {
		size_t max;
		uint64_t field;
	} rules[] = {
		[EAR_REGISTER_X] = {1, EAR_FIELD_BIT(EAR_FIELD_X_WRITE)},
		[EAR_REGISTER_F] = {1, EAR_FIELD_BIT(EAR_FIELD_F_WRITE)},
		[EAR_REGISTER_CSR] = {EAR_RETIRE_CSRS_MAX, EAR_FIELD_BIT(EAR_FIELD_CSR_WRITE)},
	};
	size_t counts[EAR_REGISTER_CSR + 1] = {0};
	uint64_t unfit = 0;

	for (size_t i = 0; i < record->register_count; i++) {
		unsigned reg_class = record->registers[i].reg_class;
		if (reg_class <= EAR_REGISTER_CSR && ++counts[reg_class] > rules[reg_class].max)
			unfit |= rules[reg_class].field;
	}
	return unfit;
}

static uint64_t unfit_accesses(const struct ear_record *record)
{
	const struct ear_record_access *first = record->memory;
	size_t counts[2] = {0};
	uint64_t unfit = 0;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		enum ear_field field =
			access->write ? EAR_FIELD_STORE_ADDRESS : EAR_FIELD_LOAD_ADDRESS;
		if (++counts[access->write] > 1 || access->address != first->address)
			unfit |= EAR_FIELD_BIT(field);
		if (access->size > record->xlen / 8)
			unfit |= EAR_FIELD_BIT(EAR_FIELD_ACCESS_SIZE);
	}
	return unfit;
}

uint64_t ear_record_encoder_unfit(const struct ear_record *record)
{
	if (record->kind != EAR_RECORD_INSTRUCTION ||
		(record->register_count <= 1 && record->memory_count == 0))
		return 0;
	return unfit_registers(record) | unfit_accesses(record);
}

static void fill_registers(struct ear_retire *entry, const struct ear_record *record)
{
	entry->fflags = record->fflags;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *at = &record->registers[i];
		if (at->reg_class == EAR_REGISTER_X) {
			entry->rd_addr = (uint8_t)at->number;
			entry->rd_wdata = at->value;
		} else if (at->reg_class == EAR_REGISTER_F) {
			entry->frd_valid = true;
			entry->frd_addr = (uint8_t)at->number;
			entry->frd_wdata = at->value;
		} else if (at->reg_class == EAR_REGISTER_CSR &&
			   entry->csr_count < EAR_RETIRE_CSRS_MAX) {
			entry->csrs[entry->csr_count++] =
				(struct ear_retire_csr){at->number, at->value};
		}
	}
}

static bool source_has(const struct ear_record_encoder *encoder, enum ear_field field)
{
	return encoder->fields & EAR_FIELD_BIT(field);
}

static uint8_t access_mask(
	const struct ear_retire *entry, const struct ear_record_access *access, unsigned size)
{
	unsigned most = entry->xlen / 8u;

	if (access && access->size)
		size = access->size;
	return (uint8_t)((1u << (size < most ? size : most)) - 1);
}

/* The bytes that a load read, from the register that it wrote. */
static void fill_read(struct ear_record_encoder *encoder, const struct ear_record_access *access,
	const struct opcode *opcode)
{
	struct ear_retire *entry = &encoder->entry;
	bool loads = opcode->kind == EAR_KIND_LOAD || opcode->kind == EAR_KIND_LR ||
		     opcode->kind == EAR_KIND_AMO;
	unsigned size = opcode->access_size;
	uint64_t value;

	entry->mem_rmask = access_mask(entry, access, size);
	if (access->has_value && !access->unknown) {
		entry->mem_rdata = access->value;
		return;
	}
	if (!loads || size == 0 || 8 * size > entry->xlen ||
		(entry->rd_addr == 0 && !entry->frd_valid)) {
		encoder->unknown |= EAR_DIFFER_RDATA;
		return;
	}
	value = entry->rd_addr ? entry->rd_wdata : entry->frd_wdata;
	entry->mem_rdata = size == 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

static void fill_write(struct ear_record_encoder *encoder, const struct ear_record_access *access,
	const struct opcode *opcode)
{
	struct ear_retire *entry = &encoder->entry;

	if (access->has_value && !access->unknown) {
		entry->mem_wmask = access_mask(entry, access, opcode->access_size);
		entry->mem_wdata = access->value;
	} else if (!source_has(encoder, EAR_FIELD_STORE_VALUE) && encoder->predict) {
		entry->mem_wmask = access_mask(entry, access, opcode->access_size);
		encoder->unknown |= EAR_DIFFER_WDATA;
	}
}

static void fill_memory(struct ear_record_encoder *encoder, const struct ear_record *record,
	const struct opcode *opcode)
{
	struct ear_retire *entry = &encoder->entry;
	bool load = opcode->kind == EAR_KIND_LOAD || opcode->kind == EAR_KIND_LR;
	bool store = opcode->kind == EAR_KIND_STORE || opcode->kind == EAR_KIND_SC ||
		     opcode->kind == EAR_KIND_AMO;

	for (size_t i = 0; i < record->memory_count; i++) {
		const struct ear_record_access *access = &record->memory[i];
		entry->mem_addr = access->address;
		if (access->has_physical)
			entry->mem_paddr = access->physical;
		if (access->write)
			fill_write(encoder, access, opcode);
		else if (!entry->trap)
			fill_read(encoder, access, opcode);
	}
	if (record->memory_count == 0 &&
		((load && !source_has(encoder, EAR_FIELD_LOAD_ADDRESS)) ||
			(store && !source_has(encoder, EAR_FIELD_STORE_ADDRESS))))
		encoder->unknown |=
			EAR_DIFFER_ADDRESS | EAR_DIFFER_MASKS | EAR_DIFFER_RDATA | EAR_DIFFER_WDATA;
}

static void fill_mode(struct ear_retire *entry, const struct ear_record *record)
{
	switch (record->privilege) {
	case EAR_PRIVILEGE_VU:
		entry->virt = true;
		entry->mode = EAR_PRIVILEGE_U;
		break;
	case EAR_PRIVILEGE_VS:
		entry->virt = true;
		entry->mode = EAR_PRIVILEGE_S;
		break;
	case EAR_PRIVILEGE_DEBUG:
		entry->debug = true;
		entry->mode = EAR_PRIVILEGE_M;
		break;
	default: entry->mode = record->privilege; break;
	}
	entry->ixl = entry->xlen == 64 ? 2 : 1;
}

static void fill_next(struct ear_record_encoder *encoder, const struct ear_record *record,
	const struct opcode *opcode)
{
	struct ear_retire *entry = &encoder->entry;
	uint64_t following = record->pc + opcode->size;

	encoder->next_unknown = entry->trap || entry->irq || opcode->kind == EAR_KIND_SYSTEM;
	entry->pc_wdata = record->flags & EAR_RECORD_TAKEN ? record->next_pc : following;
	if (encoder->next_unknown && record->next_pc != 0) {
		entry->pc_wdata = record->next_pc;
		encoder->next_unknown = false;
	}
	if (entry->xlen == 32)
		entry->pc_wdata = (uint32_t)entry->pc_wdata;
}

/* Signals of 32 bits carry no more: for instance of a 64-bit store by a core with D and XLEN 32. */
static void cut_to_32(struct ear_retire *entry)
{
	entry->pc_rdata = (uint32_t)entry->pc_rdata;
	entry->rd_wdata = (uint32_t)entry->rd_wdata;
	entry->mem_addr = (uint32_t)entry->mem_addr;
	entry->mem_rdata = (uint32_t)entry->mem_rdata;
	entry->mem_wdata = (uint32_t)entry->mem_wdata;
	entry->cause = (uint32_t)entry->cause;
	for (unsigned i = 0; i < entry->csr_count; i++)
		entry->csrs[i].value = (uint32_t)entry->csrs[i].value;
}

static void note_renumbered(
	struct ear_renumbered *renumbered, const struct ear_record *record, uint64_t order)
{
	if (renumbered->count++ > 0)
		return;
	renumbered->from = record->index;
	renumbered->to = order;
	renumbered->hart = record->hart;
}

const struct ear_renumbered *ear_record_encoder_renumbered(const struct ear_record_encoder *encoder)
{
	return &encoder->renumbered;
}

/* Orders count from the first record on, which may have any index. */
static uint64_t take_order(
	struct ear_record_encoder *encoder, struct hart *hart, const struct ear_record *record)
{
	if (!hart->numbered)
		hart->offset = record->index - hart->next_order;
	hart->numbered = true;
	if (record->index != hart->next_order)
		note_renumbered(&encoder->renumbered, record, hart->next_order);
	return hart->next_order++;
}

static void begin_entry(
	struct ear_record_encoder *encoder, const struct ear_record *record, struct hart *hart)
{
	struct ear_retire *entry = &encoder->entry;
	const struct opcode *opcode = find_opcode(encoder, record);

	memset(entry, 0, offsetof(struct ear_retire, csrs));
	encoder->unknown = 0;
	entry->xlen = record->xlen;
	entry->order = take_order(encoder, hart, record);
	entry->insn = (uint32_t)record->opcode;
	entry->pc_rdata = record->pc;
	if (record->flags & EAR_RECORD_PC_PHYSICAL)
		entry->pc_paddr = record->pc_physical;
	entry->irq = record->flags & EAR_RECORD_INTERRUPT;
	entry->trap = entry->irq || record->flags & EAR_RECORD_TRAP;
	/* Few sources mark the first instruction of a handler: it is the one after a trap. */
	entry->intr =
		record->flags & EAR_RECORD_HANDLER || (encoder->predict && hart->predictor.intr);
	entry->halt = record->flags & EAR_RECORD_HALT;
	entry->cause = entry->trap ? record->cause : 0;
	fill_mode(entry, record);
	fill_registers(entry, record);
	fill_memory(encoder, record, opcode);
	fill_next(encoder, record, opcode);
	if (entry->xlen == 32)
		cut_to_32(entry);
	encoder->ticks = record->ticks;
	encoder->hart = (uint8_t)record->hart;
	encoder->pending = true;
}

/* A gap before the first instruction of a hart: its unit is not known yet. */
static struct hart *make_provisional(
	struct ear_record_encoder *encoder, const struct ear_record *record)
{
	const struct ear_record instruction = {.hart = record->hart, .xlen = 32};
	struct hart *hart = make_hart(encoder, &instruction);

	if (!hart)
		return NULL;
	hart->provisional = true;
	hart->encoder.first_due = false; /* the capture's first record is missing */
	if (!record->u.gap.count_known)
		hart->next_order = record->index;
	return hart;
}

/* The reason of LOST for a gap, as in a part of a capture (docs/protocol.md, section 4.3): only a
 * unit loses a known number of records, all other gaps are relayed.
 */
static uint8_t lost_reason(const struct ear_gap *gap)
{
	enum ear_gap_reason reason = gap->reason;

	if (gap->count_known && gap->count > 0 && reason == EAR_GAP_UNIT_FIFO)
		return EAR_LOST_FIFO_FULL;
	if (reason == EAR_GAP_UNIT_FIFO)
		reason = EAR_GAP_MISSING_FRAME;
	return (uint8_t)((EAR_LOST_ON_THE_WAY + reason) |
			 (gap->count_known ? 0 : EAR_LOST_UNCOUNTED));
}

static int push_gap(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	const struct ear_gap *gap = &record->u.gap;
	struct hart *hart = encoder->harts[(uint8_t)record->hart];

	if (!hart)
		hart = make_provisional(encoder, record);
	if (!hart)
		return EAR_E_NO_MEMORY;
	uint64_t count = gap->count_known ? gap->count : 0;
	uint64_t span = count > 0 ? gap->last - gap->first + 1 : 0;
	uint8_t reason = lost_reason(gap);
	/* The index of the next record says where a gap of unknown size ends. */
	if (!gap->count_known && hart->numbered && record->index - hart->offset > hart->next_order)
		hart->next_order = record->index - hart->offset;
	switch_hart(encoder, (uint8_t)record->hart);
	ear_encoder_put(&hart->encoder, &(struct ear_message){.kind = EAR_MSG_LOST,
						.u.lost = {.reason = reason,
							.count = count,
							.first = hart->next_order,
							.last = hart->next_order + span - 1}});
	hart->next_order += span;
	if (reason != EAR_LOST_FIFO_FULL)
		hart->missing += count;
	else
		hart->lost += count;
	return 0;
}

static int push_event(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	struct hart *hart = encoder->harts[(uint8_t)record->hart];

	if (!hart || record->u.event.source == 0)
		return EAR_E_UNSUPPORTED;
	switch_hart(encoder, (uint8_t)record->hart);
	ear_encoder_put(&hart->encoder, &(struct ear_message){.kind = EAR_MSG_EVENT,
						.u.event = {.source = record->u.event.source,
							.order = hart->next_order,
							.value = record->u.event.value}});
	return 0;
}

/* Another hart has this stream id already: 256 beside 0. */
static bool is_taken(const struct ear_record_encoder *encoder, const struct ear_record *record)
{
	const struct hart *hart = encoder->harts[(uint8_t)record->hart];

	return hart && hart->encoder.unit.hart != record->hart;
}

int ear_record_encoder_push(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	if (is_taken(encoder, record))
		return EAR_E_UNSUPPORTED;
	emit_pending(encoder, record);
	if (record->kind == EAR_RECORD_GAP)
		return push_gap(encoder, record);
	if (record->kind == EAR_RECORD_EVENT)
		return push_event(encoder, record);
	if (record->kind != EAR_RECORD_INSTRUCTION || record->isa != EAR_ISA_RISCV ||
		(record->xlen != 32 && record->xlen != 64))
		return EAR_E_UNSUPPORTED;

	struct hart *hart = find_hart(encoder, record);
	if (!hart)
		return EAR_E_NO_MEMORY;
	begin_entry(encoder, record, hart);
	return 0;
}

void ear_record_encoder_flush(struct ear_record_encoder *encoder)
{
	emit_pending(encoder, NULL);
	if (encoder->harts[encoder->current])
		ear_encoder_flush(&encoder->harts[encoder->current]->encoder);
}

static void put_stop(struct ear_encoder *encoder, uint64_t delivered, uint64_t lost)
{
	ear_encoder_put(encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
					 .u.stop = {.reason = EAR_STOP_ENDED,
						 .retired = delivered + lost,
						 .delivered = delivered,
						 .lost = lost}});
}

/* A trace without records has an end, too: STOP makes its stream complete. */
static void put_stop_alone(struct ear_record_encoder *encoder)
{
	struct ear_encoder none;

	ear_encoder_init(&none, &(struct ear_unit){.xlen = 32}, encoder->sink, encoder->context);
	put_stop(&none, 0, 0);
}

void ear_record_encoder_finish(struct ear_record_encoder *encoder)
{
	bool any = false;

	ear_record_encoder_flush(encoder);
	for (unsigned i = 0; i < HART_COUNT; i++) {
		struct hart *hart = encoder->harts[i];
		if (hart)
			put_stop(&hart->encoder, hart->encoder.record_count + hart->missing,
				hart->lost);
		any |= hart != NULL;
	}
	if (!any)
		put_stop_alone(encoder);
}
