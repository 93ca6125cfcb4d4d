/* The state of a hart that Spike's lines depend on.
 *
 * Spike prints the configuration of its vector unit, and the sum of the flags. Records from
 * elsewhere have only what was written, so both are followed from the writes. States are an array
 * by the number of the hart, which has at most 65536 of 40 bytes.
 */
#include "decoder/formats/spike/spike_hart.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "decoder/isa/opcode.h"
#include "decoder/text/text_cursor.h"

#define FLAGS_MASK 0x1F

void ear_spike_harts_fini(struct ear_spike_harts *harts)
{
	free(harts->list);
	*harts = (struct ear_spike_harts){0};
}

static const struct ear_spike_hart fresh = {.executions = 1};

static bool grow(struct ear_spike_harts *harts, size_t count)
{
	size_t room = harts->count ? harts->count : 1;

	while (room < count)
		room *= 2;
	struct ear_spike_hart *grown = realloc(harts->list, room * sizeof(*grown));
	if (!grown)
		return false;
	for (size_t i = harts->count; i < room; i++)
		grown[i] = fresh;
	harts->list = grown;
	harts->count = room;
	return true;
}

struct ear_spike_hart *ear_spike_harts_find(struct ear_spike_harts *harts, uint16_t hart)
{
	if (hart >= harts->count && !grow(harts, (size_t)hart + 1))
		return NULL;
	return &harts->list[hart];
}

/* SEW and LMUL come from the type that was asked for, also if the hart refused it: then the CSR
 * holds vill alone, and the immediate of the instruction has them. */
static void set_type(struct ear_spike_hart *hart, const struct ear_record *record,
	const struct ear_spike_opcode *opcode, uint64_t type)
{
	hart->vtype = type;
	bool ill = type >> (record->xlen - 1) & 1;

	if (ill && opcode->flags & EAR_SPIKE_VSET && opcode->opcode >> 30 != 2)
		type = opcode->opcode >> 20 & (opcode->opcode >> 31 ? 0x3FF : 0x7FF);
	hart->sew = (uint16_t)(8u << (type >> 3 & 7));
	hart->lmul = type & 7;
	hart->configured = true;
}

/* What the source says that a vector instruction ran with. */
static void take_read(struct ear_spike_hart *hart, const struct ear_record_register *reg)
{
	struct ear_text name = {reg->text.name, reg->text_size};

	if (reg->reg_class == EAR_REGISTER_CSR && reg->number == EAR_CSR_VL)
		hart->vl = reg->value;
	if (reg->reg_class != EAR_REGISTER_NAMED)
		return;
	if (ear_text_is(name, EAR_SPIKE_SEW)) {
		if (!hart->configured || hart->sew != reg->value)
			hart->vtype = UINT64_MAX; /* not known */
		hart->sew = (uint16_t)reg->value;
		hart->configured = true;
	}
	if (ear_text_is(name, EAR_SPIKE_LMUL))
		hart->lmul = reg->value & 7;
}

bool ear_spike_is_config(const struct ear_record_register *reg)
{
	struct ear_text name = {reg->text.name, reg->text_size};

	if (reg->reg_class == EAR_REGISTER_CSR)
		return reg->number == EAR_CSR_VL;
	return reg->reg_class == EAR_REGISTER_NAMED &&
	       (ear_text_is(name, EAR_SPIKE_SEW) || ear_text_is(name, EAR_SPIKE_LMUL));
}

static unsigned epc_bit(unsigned csr)
{
	switch (csr) {
	case EAR_CSR_SEPC: return 1u << EAR_PRIVILEGE_S;
	case EAR_CSR_MEPC: return 1u << EAR_PRIVILEGE_M;
	default: return 0;
	}
}

static void follow_pc(struct ear_spike_hart *hart, const struct ear_record *record,
	const struct ear_spike_opcode *opcode)
{
	bool trap = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	hart->plain_pc = trap;
	if (trap)
		hart->written_epcs = 0;
	else if (opcode->flags & EAR_SPIKE_CSR)
		for (size_t i = 0; i < record->register_count; i++)
			hart->written_epcs |=
				(uint8_t)epc_bit(record->registers[i].reg_class == EAR_REGISTER_CSR
							 ? record->registers[i].number
							 : 0);
	else if (opcode->opcode == EAR_OPCODE_MRET)
		hart->plain_pc = hart->written_epcs >> EAR_PRIVILEGE_M & 1;
	else if (opcode->opcode == EAR_OPCODE_SRET)
		hart->plain_pc = hart->written_epcs >> EAR_PRIVILEGE_S & 1;
}

static uint64_t merge(uint64_t value, uint64_t part, uint64_t mask)
{
	return (value & ~mask) | (part & mask);
}

/* mstatus and mie, also by what they show to supervisors. */
static void follow_status(struct ear_spike_hart *hart, const struct ear_record *record,
	const struct ear_record_register *reg)
{
	uint64_t mask = record->xlen == 32 ? EAR_SSTATUS_MASK_32 : EAR_SSTATUS_MASK_64;

	switch (reg->number) {
	case EAR_CSR_MSTATUS:
		hart->mstatus = reg->value;
		hart->has_mstatus = true;
		break;
	case EAR_CSR_SSTATUS: hart->mstatus = merge(hart->mstatus, reg->value, mask); break;
	case EAR_CSR_MIE: hart->mie = reg->value; break;
	case EAR_CSR_SIE: hart->mie = merge(hart->mie, reg->value, hart->mideleg); break;
	case EAR_CSR_MIDELEG: hart->mideleg = reg->value; break;
	default: break;
	}
}

void ear_spike_hart_follow(struct ear_spike_hart *hart, const struct ear_record *record,
	const struct ear_spike_opcode *opcode)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (reg->reg_class != EAR_REGISTER_CSR)
			continue;
		if (reg->number == EAR_CSR_VL)
			hart->vl = reg->value;
		else if (reg->number == EAR_CSR_VTYPE)
			set_type(hart, record, opcode, reg->value);
		else if (reg->number == EAR_CSR_FFLAGS || reg->number == EAR_CSR_FCSR)
			hart->fflags = reg->value & FLAGS_MASK;
		else
			follow_status(hart, record, reg);
	}
	hart->fflags |= record->fflags & FLAGS_MASK;
	for (size_t i = 0; record->extra && i < record->extra->read_count; i++)
		take_read(hart, &record->extra->reads[i]);
	if (record->xlen == 32)
		follow_pc(hart, record, opcode);
}

static bool is_fresh(const struct ear_spike_hart *hart)
{
	return !hart->may_repeat && hart->executions == 1 && !hart->configured && hart->vl == 0 &&
	       hart->fflags == 0 && !hart->has_mstatus && hart->mstatus == 0 && hart->mie == 0 &&
	       hart->mideleg == 0 && !hart->plain_pc && hart->written_epcs == 0;
}

/* A hart with nothing that its next lines depend on is left out: so most chunks of a trace begin
 * in the same state. */
int ear_spike_harts_save(const struct ear_spike_harts *harts, struct ear_snapshot *snapshot)
{
	int result = 0;

	ear_snapshot_clear(snapshot);
	for (size_t i = 0; i < harts->count && result == 0; i++) {
		struct ear_spike_hart hart;
		uint64_t number = i;
		memset(&hart, 0, sizeof(hart)); /* the padding, too */
		hart.executions = harts->list[i].executions;
		hart.may_repeat = harts->list[i].may_repeat;
		hart.last_pc = hart.may_repeat ? harts->list[i].last_pc : 0;
		hart.last_bits = hart.may_repeat ? harts->list[i].last_bits : 0;
		hart.configured = harts->list[i].configured;
		hart.sew = harts->list[i].sew;
		hart.lmul = harts->list[i].lmul;
		hart.vl = harts->list[i].vl;
		hart.vtype = harts->list[i].vtype;
		hart.fflags = harts->list[i].fflags;
		hart.has_mstatus = harts->list[i].has_mstatus;
		hart.mstatus = harts->list[i].mstatus;
		hart.mie = harts->list[i].mie;
		hart.mideleg = harts->list[i].mideleg;
		hart.plain_pc = harts->list[i].plain_pc;
		hart.written_epcs = harts->list[i].written_epcs;
		if (is_fresh(&hart))
			continue;
		result = ear_snapshot_put(snapshot, &number, sizeof(number));
		if (result == 0)
			result = ear_snapshot_put(snapshot, &hart, sizeof(hart));
	}
	return result;
}

int ear_spike_harts_restore(struct ear_spike_harts *harts, const struct ear_snapshot *snapshot)
{
	uint64_t number;
	const size_t size = sizeof(number) + sizeof(struct ear_spike_hart);

	for (size_t i = 0; i < harts->count; i++)
		harts->list[i] = fresh;
	for (size_t at = 0; at + size <= snapshot->size; at += size) {
		memcpy(&number, snapshot->bytes + at, sizeof(number));
		struct ear_spike_hart *hart = ear_spike_harts_find(harts, (uint16_t)number);
		if (!hart)
			return EAR_E_NO_MEMORY;
		memcpy(hart, snapshot->bytes + at + sizeof(number), sizeof(*hart));
	}
	return 0;
}
