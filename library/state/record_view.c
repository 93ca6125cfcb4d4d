/* What the CSR writes of a record do to the CSRs of a group, and what was known of them before.
 *
 * Simulators agree on the state and not on how to list it: one writes fcsr, another fflags, a third
 * only what changed. So each side's writes are turned into bits of the widest CSR of the group,
 * with the value before, and two records are compared in the bits that either of them shows. The
 * value before comes from the same side, never from the other.
 */
#include "library/state/record_view.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"

#define SSTATUS_BITS \
	((uint64_t)3 << 32 | 1u << 1 | 1u << 5 | 1u << 6 | 1u << 8 | 3u << 9 | 3u << 13 | \
		3u << 15 | 1u << 18 | 1u << 19 | 1u << 23 | 1u << 24)

#define VECTOR_COUNT 32

struct member {
	uint16_t number;
	uint8_t group, shift;
	uint64_t mask; /* of its own value; all for the widest, DELEGATED or GUEST */
};

#define DELEGATED ((uint64_t)0) /* what mideleg says */
#define GUEST     ((uint64_t)1) /* what hideleg says, a bit lower */
#define GUEST_IRQ ((uint64_t)0x1444)

static const struct member members[] = {
	{EAR_CSR_FFLAGS, EAR_GROUP_FCSR, 0, EAR_FCSR_FFLAGS},
	{EAR_CSR_FRM, EAR_GROUP_FCSR, EAR_FCSR_FRM_SHIFT, 7},
	{EAR_CSR_FCSR, EAR_GROUP_FCSR, 0, 0xFF},
	{EAR_CSR_VSTART, EAR_GROUP_VSTART, 0, UINT64_MAX},
	{EAR_CSR_VXSAT, EAR_GROUP_VCSR, 0, 1},
	{EAR_CSR_VXRM, EAR_GROUP_VCSR, 1, 3},
	{EAR_CSR_VCSR, EAR_GROUP_VCSR, 0, 7},
	{EAR_CSR_SSTATUS, EAR_GROUP_STATUS, 0, SSTATUS_BITS},
	{EAR_CSR_SIE, EAR_GROUP_IE, 0, DELEGATED},
	{EAR_CSR_SIP, EAR_GROUP_IP, 0, DELEGATED},
	{EAR_CSR_VSIE, EAR_GROUP_IE, 1, GUEST},
	{EAR_CSR_VSIP, EAR_GROUP_IP, 1, GUEST},
	{EAR_CSR_MSTATUS, EAR_GROUP_STATUS, 0, UINT64_MAX},
	{EAR_CSR_MSTATUSH, EAR_GROUP_STATUSH, 0, UINT64_MAX},
	{EAR_CSR_VSSTATUS, EAR_GROUP_VSSTATUS, 0, UINT64_MAX},
	{EAR_CSR_MIE, EAR_GROUP_IE, 0, UINT64_MAX},
	{EAR_CSR_MIP, EAR_GROUP_IP, 0, UINT64_MAX},
	{EAR_CSR_HIE, EAR_GROUP_IE, 0, GUEST_IRQ},
	{EAR_CSR_HIP, EAR_GROUP_IP, 0, GUEST_IRQ},
	{EAR_CSR_VL, EAR_GROUP_VL, 0, UINT64_MAX},
	{EAR_CSR_VTYPE, EAR_GROUP_VTYPE, 0, UINT64_MAX},
	{EAR_CSR_TCONTROL, EAR_GROUP_TCONTROL, 0, UINT64_MAX},
};

static const struct member *find_member(uint16_t number)
{
	for (unsigned i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (members[i].number == number)
			return &members[i];
	return NULL;
}

enum ear_csr_group ear_csr_group_of(uint16_t number)
{
	const struct member *member = find_member(number);

	return member ? (enum ear_csr_group)member->group : EAR_GROUP_COUNT;
}

/* The bits of its own value that a CSR shows of its group. */
static uint64_t member_mask(const struct member *member, const struct ear_view_state *state,
	const struct ear_record *record, uint64_t value)
{
	uint64_t mask = member->mask;

	if (member->number == EAR_CSR_SSTATUS)
		mask |= (uint64_t)1 << (record->xlen - 1); /* SD */
	if (mask == DELEGATED && member->shift == 0)
		mask = state->has_delegated ? state->delegated : value;
	if (member->mask == GUEST && member->shift == 1)
		mask = state->has_guest ? state->guest >> 1 : value;
	return record->xlen == 32 ? (uint32_t)mask : mask;
}

/* What the record shows of a group begins with nothing shown. */
static struct ear_csr_effect *begin_effect(
	struct ear_record_view *view, const struct ear_view_state *state, enum ear_csr_group group)
{
	struct ear_csr_effect *effect = &view->effects[group];

	if (!((view->listed | view->implied) >> group & 1))
		*effect = (struct ear_csr_effect){
			.known = state->known[group], .before = state->value[group]};
	return effect;
}

static void add_write(struct ear_record_view *view, const struct ear_view_state *state,
	const struct ear_record *record, const struct ear_record_register *write)
{
	const struct member *member = find_member(write->number);

	view->csrs = true;
	if (!member)
		return;
	struct ear_csr_effect *effect = begin_effect(view, state, member->group);
	uint64_t own = member_mask(member, state, record, write->value);
	if (write->value & ~own)
		view->stray = write->number;
	uint64_t mask = own << member->shift;
	/* The widest CSR says more than its parts, wherever it is listed. */
	bool wins = member->mask == UINT64_MAX || !(view->listed >> member->group & 1);
	uint64_t take = wins ? mask : mask & ~effect->mask;
	effect->value = (effect->value & ~take) | (write->value << member->shift & take);
	effect->mask |= mask;
	effect->number = write->number;
	view->listed |= (uint16_t)(1u << member->group);
}

/* Room for registers of this size; the others are unknown then. Without memory all stay unknown. */
static bool fit_vectors(struct ear_view_state *state, size_t size)
{
	if (size == state->vector_size)
		return true;
	uint8_t *vectors = realloc(state->vectors, VECTOR_COUNT * size);
	if (!vectors)
		return false;
	state->vectors = vectors;
	state->vector_size = size;
	state->vector_known = 0;
	return true;
}

static void follow_vector(struct ear_view_state *state, struct ear_record_view *view,
	const struct ear_record_register *write)
{
	uint32_t bit = (uint32_t)1 << (write->number % VECTOR_COUNT);

	if (write->text_size == 0 || !fit_vectors(state, write->text_size)) {
		view->unknown |= bit;
		return;
	}
	uint8_t *value = state->vectors + (write->number % VECTOR_COUNT) * state->vector_size;
	if (!(state->vector_known & bit))
		view->unknown |= bit;
	else if (memcmp(value, write->text.bytes, state->vector_size) == 0)
		view->kept |= bit;
	memcpy(value, write->text.bytes, state->vector_size);
	state->vector_known |= bit;
}

/* OP-V, and the vector loads and stores among those of floating point. */
static bool is_vector(const struct ear_record *record)
{
	unsigned major = record->opcode & 0x7F, width = record->opcode >> 12 & 7;

	if (record->flags & EAR_RECORD_NO_OPCODE || record->isa != EAR_ISA_RISCV)
		return false;
	return major == 0x57 || ((major == 0x07 || major == 0x27) && (width == 0 || width >= 5));
}

static void imply(struct ear_record_view *view, const struct ear_view_state *state,
	enum ear_csr_group group, uint16_t number, uint64_t mask, uint64_t value)
{
	if (view->listed >> group & 1)
		return;
	struct ear_csr_effect *effect = begin_effect(view, state, group);
	effect->mask = mask;
	effect->value = value & mask;
	effect->number = number;
	view->implied |= (uint16_t)(1u << group);
}

/* The privilege after a record is that before it, unless it trapped or returned from a trap. */
static void follow_privilege(
	struct ear_view_state *state, struct ear_record_view *view, const struct ear_record *record)
{
	uint32_t changes = EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT;
	bool returns = record->opcode == 0x30200073 || record->opcode == 0x10200073 ||
		       record->opcode == 0x70200073 || record->opcode == 0x7B200073;

	view->has_privilege = state->has_privilege;
	view->privilege = state->privilege;
	if (!(record->flags & EAR_RECORD_NO_PRIVILEGE)) {
		view->has_privilege = true;
		view->privilege = record->privilege;
	}
	state->privilege = view->privilege;
	state->has_privilege = view->has_privilege && !(record->flags & changes) && !returns &&
			       !(record->flags & EAR_RECORD_NO_OPCODE);
}

static void apply(struct ear_view_state *state, const struct ear_record_view *view)
{
	for (unsigned left = view->listed | view->implied; left; left &= left - 1) {
		unsigned group = (unsigned)__builtin_ctz(left);
		const struct ear_csr_effect *effect = &view->effects[group];
		state->value[group] =
			(state->value[group] & ~effect->mask) | (effect->value & effect->mask);
		state->known[group] |= effect->mask;
	}
}

static void follow_delegation(struct ear_view_state *state, const struct ear_record_register *write)
{
	if (write->number == EAR_CSR_MIDELEG) {
		state->delegated = write->value;
		state->has_delegated = true;
	} else if (write->number == EAR_CSR_HIDELEG) {
		state->guest = write->value;
		state->has_guest = true;
	}
}

/* Records are missing: nothing is known any more. */
static void forget(struct ear_view_state *state)
{
	*state = (struct ear_view_state){
		.vectors = state->vectors, .vector_size = state->vector_size};
}

static void follow_registers(
	struct ear_view_state *state, struct ear_record_view *view, const struct ear_record *record)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register *write = &record->registers[i];
		if (write->reg_class == EAR_REGISTER_V)
			follow_vector(state, view, write);
		if (write->reg_class != EAR_REGISTER_CSR)
			continue;
		add_write(view, state, record, write);
		follow_delegation(state, write);
	}
}

void ear_view_next(struct ear_view_state *state, struct ear_record_view *view,
	const struct ear_record *record, bool trap_csrs)
{
	bool trapped = record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT);

	memset(view, 0, offsetof(struct ear_record_view, effects));
	if (record->kind == EAR_RECORD_GAP)
		forget(state);
	if (record->kind != EAR_RECORD_INSTRUCTION)
		return;
	view->fflags_before = state->value[EAR_GROUP_FCSR] & EAR_FCSR_FFLAGS;
	view->fflags_known = state->known[EAR_GROUP_FCSR] & EAR_FCSR_FFLAGS;
	follow_registers(state, view, record);
	if (record->fflags)
		imply(view, state, EAR_GROUP_FCSR, EAR_CSR_FCSR,
			view->fflags_known | record->fflags, view->fflags_before | record->fflags);
	if (!trapped && is_vector(record))
		imply(view, state, EAR_GROUP_VSTART, EAR_CSR_VSTART, UINT64_MAX, 0);
	follow_privilege(state, view, record);
	apply(state, view);
	if (trapped && !trap_csrs)
		state->known[EAR_GROUP_STATUS] = state->known[EAR_GROUP_STATUSH] =
			state->known[EAR_GROUP_VSSTATUS] = 0;
}

void ear_view_state_fini(struct ear_view_state *state)
{
	free(state->vectors);
	*state = (struct ear_view_state){0};
}
