/* The registers of a hart of state.h: what is known, and what is settled. */
#include "library/state/hart.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t *place_of(
	const struct ear_hart *hart, enum ear_register_class reg_class, unsigned number)
{
	switch (reg_class) {
	case EAR_REGISTER_X: return &hart->x[number & 31];
	case EAR_REGISTER_F: return &hart->f[number & 31];
	default: return &hart->csr[number % EAR_CSR_COUNT];
	}
}

static bool is_known(
	const struct ear_hart *hart, enum ear_register_class reg_class, unsigned number)
{
	switch (reg_class) {
	case EAR_REGISTER_X: return hart->x_known >> (number & 31) & 1;
	case EAR_REGISTER_F: return hart->f_known >> (number & 31) & 1;
	default: return hart->csr_known[number % EAR_CSR_COUNT / 64] >> number % 64 & 1;
	}
}

bool ear_hart_is_settled(
	const struct ear_hart *hart, enum ear_register_class reg_class, unsigned number)
{
	switch (reg_class) {
	case EAR_REGISTER_X: return hart->x_settled >> (number & 31) & 1;
	case EAR_REGISTER_F: return hart->f_settled >> (number & 31) & 1;
	default: return hart->csr_settled[number % EAR_CSR_COUNT / 64] >> number % 64 & 1;
	}
}

static bool get_both(
	const struct ear_hart *hart, unsigned low, unsigned high, unsigned shift, uint64_t *value)
{
	if (!is_known(hart, EAR_REGISTER_CSR, low) || !is_known(hart, EAR_REGISTER_CSR, high))
		return false;
	*value = hart->csr[low] | hart->csr[high] << shift;
	return true;
}

bool ear_hart_get(const struct ear_hart *hart, enum ear_register_class reg_class, unsigned number,
	uint64_t *value)
{
	if (reg_class == EAR_REGISTER_CSR && number == EAR_CSR_FCSR)
		return get_both(hart, EAR_CSR_FFLAGS, EAR_CSR_FRM, EAR_FCSR_FRM_SHIFT, value);
	if (reg_class == EAR_REGISTER_CSR && number == EAR_CSR_VCSR)
		return get_both(hart, EAR_CSR_VXSAT, EAR_CSR_VXRM, 1, value);
	if (!is_known(hart, reg_class, number))
		return false;
	*value = *place_of(hart, reg_class, number);
	return true;
}

static void mark(
	struct ear_hart *hart, enum ear_register_class reg_class, unsigned number, bool known)
{
	uint32_t bit = 1u << (number & 31);
	uint64_t csr_bit = (uint64_t)1 << number % 64;
	unsigned word = number % EAR_CSR_COUNT / 64;

	switch (reg_class) {
	case EAR_REGISTER_X:
		hart->x_known = known ? hart->x_known | bit : hart->x_known & ~bit;
		hart->x_settled |= bit;
		break;
	case EAR_REGISTER_F:
		hart->f_known = known ? hart->f_known | bit : hart->f_known & ~bit;
		hart->f_settled |= bit;
		break;
	default:
		hart->csr_known[word] =
			known ? hart->csr_known[word] | csr_bit : hart->csr_known[word] & ~csr_bit;
		hart->csr_settled[word] |= csr_bit;
		break;
	}
}

void ear_hart_set(
	struct ear_hart *hart, enum ear_register_class reg_class, unsigned number, uint64_t value)
{
	if (reg_class == EAR_REGISTER_X && (number & 31) == 0)
		return;
	*(uint64_t *)(uintptr_t)place_of(hart, reg_class, number) = value;
	mark(hart, reg_class, number, true);
}

void ear_hart_lose(struct ear_hart *hart, enum ear_register_class reg_class, unsigned number)
{
	if (reg_class == EAR_REGISTER_X && (number & 31) == 0)
		return;
	*(uint64_t *)(uintptr_t)place_of(hart, reg_class, number) = 0;
	mark(hart, reg_class, number, false);
}

bool ear_hart_reserve_vector(struct ear_state_vector *vector, size_t size)
{
	if (size <= vector->capacity || size > EAR_STATE_VECTOR_MAX)
		return true;
	uint8_t *bytes = realloc(vector->bytes, size);
	if (!bytes)
		return false;
	vector->bytes = bytes;
	vector->capacity = size;
	return true;
}

void ear_hart_set_vector(struct ear_hart *hart, unsigned number, const uint8_t *bytes, size_t size)
{
	struct ear_state_vector *vector = &hart->v[number & 31];

	hart->v_settled |= 1u << (number & 31);
	vector->known = size > 0 && size <= EAR_STATE_VECTOR_MAX;
	if (!vector->known)
		return;
	memcpy(vector->bytes, bytes, size);
	vector->size = size;
}

void ear_hart_lose_vector(struct ear_hart *hart, unsigned number)
{
	hart->v[number & 31].known = false;
	hart->v_settled |= 1u << (number & 31);
}

struct ear_state_named *ear_hart_find_name(const struct ear_hart *hart, struct ear_text name)
{
	for (size_t i = 0; i < hart->name_count; i++)
		if (hart->names[i].size == name.size &&
			memcmp(hart->names[i].name, name.text, name.size) == 0)
			return &hart->names[i];
	return NULL;
}

/* Names beyond the limits are not followed: such a register stays unknown. */
void ear_hart_set_name(struct ear_hart *hart, struct ear_text name, uint64_t value, bool known)
{
	struct ear_state_named *named = ear_hart_find_name(hart, name);

	if (!named) {
		if (name.size > EAR_STATE_NAME_SIZE)
			return;
		if (!hart->names || hart->name_count == EAR_STATE_NAMES_MAX) {
			hart->full = true;
			return;
		}
		named = &hart->names[hart->name_count++];
		memset(named, 0, sizeof(*named));
		memcpy(named->name, name.text, name.size);
		named->size = name.size;
	}
	named->value = known ? value : 0;
	named->known = known;
}

int ear_hart_reserve_names(struct ear_hart *hart)
{
	if (!hart->names)
		hart->names = calloc(EAR_STATE_NAMES_MAX, sizeof(*hart->names));
	return hart->names ? 0 : EAR_E_NO_MEMORY;
}

void ear_hart_settle(struct ear_hart *hart, bool settled)
{
	hart->x_settled = hart->f_settled = hart->v_settled = settled ? UINT32_MAX : 0;
	hart->x_settled |= 1; /* x0 */
	memset(hart->csr_settled, settled ? 0xFF : 0, sizeof(hart->csr_settled));
	hart->names_settled = hart->next_pc_settled = settled;
}

void ear_hart_forget(struct ear_hart *hart)
{
	hart->x_known = 1;
	hart->f_known = 0;
	memset(hart->x, 0, sizeof(hart->x));
	memset(hart->f, 0, sizeof(hart->f));
	memset(hart->csr_known, 0, sizeof(hart->csr_known));
	for (unsigned i = 0; i < 32; i++)
		hart->v[i].known = false;
	hart->name_count = 0;
	hart->next_pc_known = false;
	hart->pending = (struct ear_state_pending){0};
	ear_hart_settle(hart, true);
}

void ear_hart_free(struct ear_hart *hart)
{
	for (unsigned i = 0; i < 32; i++)
		free(hart->v[i].bytes);
	free(hart->names);
}

int ear_hart_copy(struct ear_hart *to, const struct ear_hart *from)
{
	*to = *from;
	memset(to->v, 0, sizeof(to->v));
	to->names = NULL;
	to->name_count = 0;
	for (unsigned i = 0; i < 32; i++) {
		const struct ear_state_vector *vector = &from->v[i];
		if (!vector->known)
			continue;
		if (!ear_hart_reserve_vector(&to->v[i], vector->size))
			return EAR_E_NO_MEMORY;
		ear_hart_set_vector(to, i, vector->bytes, vector->size);
	}
	to->v_settled = from->v_settled;
	if (!from->names)
		return 0;
	if (ear_hart_reserve_names(to))
		return EAR_E_NO_MEMORY;
	memcpy(to->names, from->names, from->name_count * sizeof(*to->names));
	to->name_count = from->name_count;
	return 0;
}
