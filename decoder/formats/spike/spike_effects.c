/* Which registers Spike lists for an instruction, and in which order.
 *
 * Spike collects the writes of an instruction in a map whose key is number * 16 + kind, so that is
 * their order, and each register is there once. It writes some CSRs that others do not report: the
 * sum of the flags for every instruction that raises one, vstart for every vector instruction. And
 * it logs a CSR that is made of two by these. What a record of another source lacks of this is
 * added here; a record that comes from Spike has it.
 */
#include "decoder/formats/spike/spike_effects.h"

#include <earshot/error.h>
#include <stdlib.h>

#include "common/array.h"
#include "decoder/formats/spike/spike_cause.h"
#include "decoder/isa/csr.h"
#include "decoder/text/text_cursor.h"

void ear_spike_effects_fini(struct ear_spike_effects *effects)
{
	free(effects->list);
	*effects = (struct ear_spike_effects){0};
}

int ear_spike_wide_float(const struct ear_record_register *reg)
{
	struct ear_text_cursor cursor;
	uint64_t number;

	if (reg->reg_class != EAR_REGISTER_NAMED || reg->size != 16)
		return -1;
	cursor = ear_text_cursor(reg->text.name, reg->text_size);
	return ear_text_take(&cursor, 'f') && ear_text_decimal(&cursor, &number) && number < 32 &&
			       ear_text_at_end(&cursor)
		       ? (int)number
		       : -1;
}

/* The key of Spike's map; 0 for what it does not list. */
static unsigned key_of(const struct ear_record_register *reg)
{
	static const uint8_t kinds[] = {
		[EAR_REGISTER_X] = 0,
		[EAR_REGISTER_F] = 1,
		[EAR_REGISTER_V] = 2,
		[EAR_REGISTER_CSR] = 4,
	};

	if (reg->reg_class < EAR_REGISTER_NAMED)
		return reg->number * 16u + kinds[reg->reg_class];
	int number = ear_spike_wide_float(reg);
	return number < 0 ? 0 : (unsigned)number * 16 + kinds[EAR_REGISTER_F];
}

static void add(struct ear_spike_effects *effects, const struct ear_record_register *reg)
{
	effects->list[effects->count++] = reg;
}

static void derive(struct ear_spike_effects *effects, enum ear_csr number, uint64_t value)
{
	if (effects->derived_count == EAR_SPIKE_DERIVED_MAX)
		return; /* a record with a CSR many times: one of no hart */
	struct ear_record_register *reg = &effects->derived[effects->derived_count++];

	*reg = (struct ear_record_register){
		.reg_class = EAR_REGISTER_CSR, .number = (uint16_t)number, .value = value};
	add(effects, reg);
}

/* In virtual modes sstatus and sie are those of the guest. */
static bool is_virtual(const struct ear_record *record)
{
	return record->privilege == EAR_PRIVILEGE_VS || record->privilege == EAR_PRIVILEGE_VU;
}

static bool is_ill(const struct ear_record *record, uint64_t vtype)
{
	return vtype >> (record->xlen - 1) & 1;
}

/* A CSR that Spike lists otherwise, or not here. Returns false to list it as it is. */
static bool replace(struct ear_spike_effects *effects, const struct ear_record *record,
	const struct ear_record_register *reg, const struct ear_spike_opcode *opcode,
	const struct ear_spike_hart *before, const struct ear_spike_hart *after)
{
	bool is_explicit = opcode->flags & EAR_SPIKE_CSR;

	switch (reg->number) {
	case EAR_CSR_FCSR: /* others show the flags that an instruction raised by it */
		if (effects->derived_count == 0 && (is_explicit || !record->fflags))
			derive(effects, EAR_CSR_FFLAGS, reg->value & 0x1F);
		if (effects->derived_count == 1 && is_explicit)
			derive(effects, EAR_CSR_FRM, reg->value >> 5 & 7);
		return true;
	case EAR_CSR_VCSR:
		if (is_explicit && effects->derived_count == 0) {
			derive(effects, EAR_CSR_VXSAT, reg->value & 1);
			derive(effects, EAR_CSR_VXRM, reg->value >> 1 & 3);
		}
		return is_explicit;
	case EAR_CSR_VTYPE: /* only if it changes, or is refused */
		return opcode->flags & EAR_SPIKE_VSET && before->configured &&
		       reg->value == before->vtype && !is_ill(record, reg->value);
	case EAR_CSR_VL: /* not if the old length is asked for */
		return opcode->flags & EAR_SPIKE_KEEPS_VL && reg->value == before->vl &&
		       !is_ill(record, after->vtype);
	case EAR_CSR_SSTATUS:
		if (is_virtual(record) || !after->has_mstatus)
			return false;
		derive(effects, EAR_CSR_MSTATUS, after->mstatus);
		return true;
	case EAR_CSR_SIE: /* and sie itself */
		if (!is_virtual(record))
			derive(effects, EAR_CSR_MIE, after->mie);
		return false;
	default: return false;
	}
}

/* A vector access that traps has done a part of its work, and Spike lists that. What the trap
 * wrote is not listed. */
static bool is_listed(const struct ear_record *record, const struct ear_record_register *reg)
{
	return !(record->flags & EAR_RECORD_TRAP) || reg->reg_class == EAR_REGISTER_V ||
	       (reg->reg_class == EAR_REGISTER_CSR && reg->number == EAR_CSR_VSTART);
}

static int compare(const void *a, const void *b)
{
	const struct ear_record_register *one = *(const struct ear_record_register *const *)a;
	const struct ear_record_register *two = *(const struct ear_record_register *const *)b;
	unsigned left = key_of(one), right = key_of(two);

	if (left != right)
		return left < right ? -1 : 1;
	return (one > two) - (one < two); /* of one register the later write is the last */
}

/* Few instructions write more than two registers, and most lists are in order. */
static void sort(struct ear_spike_effects *effects)
{
	size_t kept = 0;

	for (size_t i = 1; i < effects->count; i++)
		if (compare(&effects->list[i - 1], &effects->list[i]) > 0) {
			qsort(effects->list, effects->count, sizeof(*effects->list), compare);
			break;
		}
	for (size_t i = 0; i < effects->count; i++)
		if (i + 1 == effects->count ||
			key_of(effects->list[i]) != key_of(effects->list[i + 1]))
			effects->list[kept++] = effects->list[i];
	effects->count = kept;
}

static bool make_room(struct ear_spike_effects *effects, size_t count)
{
	return EAR_ARRAY_RESERVE(effects->list, &effects->capacity, count);
}

/* Does the record come from Spike? It then has all that Spike lists. */
static bool is_spikes(const struct ear_record *record)
{
	return record->extra && record->extra->read_count > 0 &&
	       record->extra->reads[0].reg_class == EAR_REGISTER_NAMED;
}

int ear_spike_effects_collect(struct ear_spike_effects *effects, const struct ear_record *record,
	const struct ear_spike_opcode *opcode, const struct ear_spike_hart *before,
	const struct ear_spike_hart *after)
{
	bool has_flags = false, has_vstart = false;

	effects->count = 0;
	effects->derived_count = 0;
	effects->config = opcode->flags & EAR_SPIKE_CONFIG && after->configured;
	if (!make_room(effects, record->register_count + EAR_SPIKE_DERIVED_MAX))
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *reg = &record->registers[i];
		if (key_of(reg) == 0 || !is_listed(record, reg))
			continue;
		if (reg->reg_class == EAR_REGISTER_CSR) {
			has_flags |= reg->number == EAR_CSR_FFLAGS;
			has_vstart |= reg->number == EAR_CSR_VSTART;
			if (replace(effects, record, reg, opcode, before, after))
				continue;
		}
		add(effects, reg);
	}
	if (record->fflags && !has_flags && !(opcode->flags & EAR_SPIKE_CSR))
		derive(effects, EAR_CSR_FFLAGS, after->fflags);
	if (opcode->flags & (EAR_SPIKE_CONFIG | EAR_SPIKE_VSET) && !has_vstart &&
		!is_spikes(record))
		derive(effects, EAR_CSR_VSTART, 0);
	if (effects->count > 1)
		sort(effects);
	return 0;
}
