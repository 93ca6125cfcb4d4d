#include "decoder/record_encoder.h"

#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "decoder/riscv/inst.h"

#define HART_COUNT 256 /* values of a frame's stream id */

struct hart {
	struct ear_encoder encoder;
	uint64_t next_order;
};

/* One entry waits until the next record has come, because that tells where a trap or a return
 * from one went. Frames end when the hart changes, so records keep their order.
 */
struct ear_record_encoder {
	ear_encoder_sink *sink;
	void *context;
	struct hart *harts[HART_COUNT];
	bool pending;
	bool next_unknown; /* the pending entry's pc_wdata follows from the next record */
	uint8_t hart;      /* of the pending entry */
	uint64_t ticks;
	struct ear_retire entry;
	uint8_t current; /* hart of the frame being filled */
};

struct ear_record_encoder *ear_record_encoder_new(ear_encoder_sink *sink, void *context)
{
	struct ear_record_encoder *made = calloc(1, sizeof(*made));

	if (made) {
		made->sink = sink;
		made->context = context;
	}
	return made;
}

void ear_record_encoder_free(struct ear_record_encoder *encoder)
{
	if (!encoder)
		return;
	for (unsigned i = 0; i < HART_COUNT; i++)
		free(encoder->harts[i]);
	free(encoder);
}

static struct hart *find_hart(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	uint8_t id = (uint8_t)record->hart;
	struct ear_unit unit = {
		.protocol_major = EAR_PROTOCOL_MAJOR,
		.protocol_minor = EAR_PROTOCOL_MINOR,
		.xlen = record->xlen,
		.nret = 1,
		.flen = 64,
		.csr_slots = EAR_RETIRE_CSRS_MAX,
		.features = EAR_REG_FEATURES_PADDR_MASK,
		.hart = record->hart,
	};

	if (encoder->harts[id])
		return encoder->harts[id];
	struct hart *hart = calloc(1, sizeof(*hart));
	if (!hart)
		return NULL;
	if (record->flags & EAR_RECORD_HAS_TIME)
		unit.control = EAR_TIME_MODE_RECORD << EAR_UNIT_CONTROL_TIME_MODE_SHIFT;
	ear_encoder_init(&hart->encoder, &unit, encoder->sink, encoder->context);
	encoder->harts[id] = hart;
	return hart;
}

static void emit_pending(struct ear_record_encoder *encoder, const struct ear_record *next)
{
	if (!encoder->pending)
		return;
	if (encoder->next_unknown && next && next->hart == encoder->hart &&
		next->kind == EAR_RECORD_INSTRUCTION)
		encoder->entry.pc_wdata = next->pc;

	struct hart *hart = encoder->harts[encoder->hart];
	if (encoder->current != encoder->hart && encoder->harts[encoder->current])
		ear_encoder_flush(&encoder->harts[encoder->current]->encoder);
	encoder->current = encoder->hart;
	ear_encoder_push(&hart->encoder, &encoder->entry, encoder->ticks);
	encoder->pending = false;
}

static void fill_registers(struct ear_retire *entry, const struct ear_record *record)
{
	entry->fflags = record->fflags;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *at = &record->registers[i];
		if (at->class == EAR_REGISTER_X) {
			entry->rd_addr = (uint8_t)at->number;
			entry->rd_wdata = at->value;
		} else if (at->class == EAR_REGISTER_F) {
			entry->frd_valid = true;
			entry->frd_addr = (uint8_t)at->number;
			entry->frd_wdata = at->value;
		} else if (at->class == EAR_REGISTER_CSR &&
			   entry->csr_count < EAR_RETIRE_CSRS_MAX) {
			entry->csrs[entry->csr_count++] =
				(struct ear_retire_csr){at->number, at->value};
		}
	}
}

static void fill_access(struct ear_retire *entry, const struct ear_record_access *access,
	const struct ear_inst *inst)
{
	unsigned size = access->size ? access->size : inst->access_size;
	unsigned most = entry->xlen / 8u;
	uint8_t mask = (uint8_t)((1u << (size < most ? size : most)) - 1);

	entry->mem_addr = access->address;
	if (access->has_physical)
		entry->mem_paddr = access->physical;
	if (access->write && access->has_value) {
		entry->mem_wmask = mask;
		entry->mem_wdata = access->value;
	} else if (!access->write && !entry->trap && !entry->irq) {
		entry->mem_rmask = mask;
		entry->mem_rdata = access->has_value ? access->value : 0;
	}
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
	const struct ear_inst *inst)
{
	struct ear_retire *entry = &encoder->entry;
	uint64_t behind = record->pc + inst->size;

	encoder->next_unknown = entry->trap || entry->irq || inst->kind == EAR_KIND_SYSTEM;
	entry->pc_wdata = record->flags & EAR_RECORD_TAKEN ? record->next_pc : behind;
	if (encoder->next_unknown && record->next_pc != 0) {
		entry->pc_wdata = record->next_pc;
		encoder->next_unknown = false;
	}
	if (entry->xlen == 32)
		entry->pc_wdata = (uint32_t)entry->pc_wdata;
}

static void begin_entry(
	struct ear_record_encoder *encoder, const struct ear_record *record, struct hart *hart)
{
	struct ear_retire *entry = &encoder->entry;
	struct ear_inst inst;

	memset(entry, 0, sizeof(*entry));
	ear_inst_decode(&inst, (uint32_t)record->opcode, record->xlen);
	entry->xlen = record->xlen;
	entry->order = hart->next_order++;
	entry->insn = (uint32_t)record->opcode;
	entry->pc_rdata = record->pc;
	if (record->flags & EAR_RECORD_PC_PHYSICAL)
		entry->pc_paddr = record->pc_physical;
	entry->irq = record->flags & EAR_RECORD_INTERRUPT;
	entry->trap = entry->irq || record->flags & EAR_RECORD_TRAP;
	entry->intr = record->flags & EAR_RECORD_HANDLER;
	entry->halt = record->flags & EAR_RECORD_HALT;
	entry->cause = entry->trap ? record->cause : 0;
	fill_mode(entry, record);
	fill_registers(entry, record);
	for (size_t i = 0; i < record->memory_count; i++)
		fill_access(entry, &record->memory[i], &inst);
	fill_next(encoder, record, &inst);
	encoder->ticks = record->ticks;
	encoder->hart = (uint8_t)record->hart;
	encoder->pending = true;
}

static int push_gap(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	struct hart *hart = encoder->harts[(uint8_t)record->hart];
	const struct ear_gap *gap = &record->u.gap;

	if (!hart || !gap->count_known || gap->count == 0)
		return EAR_E_UNSUPPORTED;
	ear_encoder_put(&hart->encoder,
		&(struct ear_message){.kind = EAR_MSG_LOST,
			.u.lost = {.reason = EAR_LOST_FIFO_FULL,
				.count = gap->count,
				.first = hart->next_order,
				.last = hart->next_order + (gap->last - gap->first)}});
	hart->next_order += gap->last - gap->first + 1;
	return 0;
}

static int push_event(struct ear_record_encoder *encoder, const struct ear_record *record)
{
	struct hart *hart = encoder->harts[(uint8_t)record->hart];

	if (!hart || record->u.event.source == 0)
		return EAR_E_UNSUPPORTED;
	ear_encoder_put(&hart->encoder, &(struct ear_message){.kind = EAR_MSG_EVENT,
						.u.event = {.source = record->u.event.source,
							.order = hart->next_order,
							.value = record->u.event.value}});
	return 0;
}

int ear_record_encoder_push(struct ear_record_encoder *encoder, const struct ear_record *record)
{
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
	if (hart->encoder.unit.xlen != record->xlen)
		return EAR_E_UNSUPPORTED;
	begin_entry(encoder, record, hart);
	return 0;
}

void ear_record_encoder_finish(struct ear_record_encoder *encoder)
{
	emit_pending(encoder, NULL);
	for (unsigned i = 0; i < HART_COUNT; i++) {
		struct hart *hart = encoder->harts[i];
		if (!hart)
			continue;
		uint64_t count = hart->encoder.record_count;
		uint64_t lost = hart->next_order - count;
		ear_encoder_put(&hart->encoder, &(struct ear_message){.kind = EAR_MSG_STOP,
							.u.stop = {.reason = EAR_STOP_ENDED,
								.retired = hart->next_order,
								.delivered = count,
								.lost = lost}});
	}
}
