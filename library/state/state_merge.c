/* The registers of a part of a trace laid over those before it (state.h).
 *
 * What is settled in the part is as the part says. All else is as before, after what the part did
 * to it without knowing its value (struct ear_state_pending).
 */
#include <earshot/error.h>
#include <string.h>

#include "library/state/state_private.h"

static void lay_one(struct ear_hart *to, const struct ear_hart *from,
	enum ear_register_class reg_class, unsigned number)
{
	/* These hold nothing of their own. */
	bool view =
		reg_class == EAR_REGISTER_CSR && (number == EAR_CSR_FCSR || number == EAR_CSR_VCSR);
	uint64_t value;

	if (view || !ear_hart_is_settled(from, reg_class, number))
		return;
	if (ear_hart_get(from, reg_class, number, &value))
		ear_hart_set(to, reg_class, number, value);
	else
		ear_hart_lose(to, reg_class, number);
}

static void lay_csrs(struct ear_hart *to, const struct ear_hart *from)
{
	for (unsigned word = 0; word < EAR_CSR_COUNT / 64; word++)
		for (uint64_t bits = from->csr_settled[word]; bits; bits &= bits - 1)
			lay_one(to, from, EAR_REGISTER_CSR,
				word * 64 + (unsigned)__builtin_ctzll(bits));
}

static int lay_vectors(struct ear_hart *to, const struct ear_hart *from)
{
	for (unsigned i = 0; i < 32; i++) {
		const struct ear_state_vector *vector = &from->v[i];
		size_t size = vector->size;
		if (!(from->v_settled >> i & 1))
			continue;
		ear_hart_lose_vector(to, i);
		if (!vector->known)
			continue;
		if (!ear_hart_reserve_vector(&to->v[i], size))
			return EAR_E_NO_MEMORY;
		ear_hart_set_vector(to, i, vector->bytes, size);
	}
	return 0;
}

static int lay_names(struct ear_hart *to, const struct ear_hart *from)
{
	if (from->names_settled) {
		to->name_count = 0;
		to->names_settled = true;
	}
	if (from->name_count > 0 && ear_hart_reserve_names(to))
		return EAR_E_NO_MEMORY;
	/* The part had no room for all that it wrote: any other one may have been written. */
	for (size_t i = 0; from->full && i < to->name_count; i++) {
		struct ear_state_named *named = &to->names[i];
		if (!ear_hart_find_name(from, (struct ear_text){named->name, named->size}))
			named->known = false;
	}
	for (size_t i = 0; i < from->name_count; i++) {
		const struct ear_state_named *named = &from->names[i];
		ear_hart_set_name(to, (struct ear_text){named->name, named->size}, named->value,
			named->known);
	}
	to->full |= from->full;
	return 0;
}

/* The first instruction of the part, and what was expected. */
static void lay_arrival(struct ear_state *state, struct ear_hart *to, const struct ear_hart *from)
{
	const struct ear_arrival_rules rules = {.captured = state->source.captured};
	struct ear_arrival arrival = from->expected.first;
	struct ear_expected kept = to->expected;

	if (from->expected.has_first) {
		if (from->expected.first_of_numbers)
			arrival.any_index = state->next_known && arrival.index == state->next_index;
		if (to->seen || !state->part) {
			ear_hart_continue(to, &rules, &arrival, from->first_xlen);
		} else {
			kept.has_first = true;
			kept.first_of_numbers = from->expected.first_of_numbers && !state->numbered;
			kept.first = arrival;
			to->first_xlen = from->first_xlen;
		}
	}
	if (from->seen) {
		to->expected = from->expected;
		to->expected.has_first = kept.has_first;
		to->expected.first_of_numbers = kept.first_of_numbers;
		to->expected.first = kept.first;
		to->trapped = from->trapped;
		to->seen = true;
	}
	to->xlen = from->xlen ? from->xlen : to->xlen;
}

static int lay_hart(struct ear_state *state, struct ear_hart *to, const struct ear_hart *from)
{
	if (state->follows || from->seen)
		lay_arrival(state, to, from);
	ear_hart_apply_pending(to, &from->pending);
	for (unsigned i = 1; i < 32; i++)
		lay_one(to, from, EAR_REGISTER_X, i);
	for (unsigned i = 0; i < 32; i++)
		lay_one(to, from, EAR_REGISTER_F, i);
	lay_csrs(to, from);
	to->clic |= from->clic;
	if (to->clic)
		ear_hart_lose_clic(to);
	if (from->next_pc_settled) {
		to->next_pc = from->next_pc;
		to->next_pc_known = from->next_pc_known;
		to->next_pc_settled = true;
	}
	int result = lay_vectors(to, from);
	return result ? result : lay_names(to, from);
}

int ear_state_merge(struct ear_state *state, const struct ear_state *part)
{
	if (part->follows && !state->follows)
		ear_state_set_source(state, &part->source);
	for (size_t i = 0; i < part->hart_capacity; i++) {
		struct ear_hart *hart;
		if (!part->harts[i])
			continue;
		int result = ear_state_reach(state, (uint16_t)i, &hart);
		if (result == 0)
			result = lay_hart(state, hart, part->harts[i]);
		if (result)
			return result;
	}
	if (part->numbered) {
		state->numbered = true;
		state->next_known = part->next_known;
		state->next_index = part->next_index;
	}
	return 0;
}
