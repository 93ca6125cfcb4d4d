/* States of state.h as bytes.
 *
 * Numbers as in common/varint.h, but for the values of registers, which have 8 bytes each, so that
 * everything stays in its place from one state to the next: an index keeps differences.
 *
 *     version 1, flags, index expected next
 *     what a hart begins with
 *     count of harts; for each its number, what is expected of it, its registers
 */
#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "common/varint.h"
#include "library/state/state_private.h"

#define VERSION 1

enum {
	FLAG_PART = 1,
	FLAG_NUMBERED = 2,
	FLAG_NEXT = 4,
	FLAG_FOLLOWS = 8,
	FLAG_CAPTURED = 16,
	FLAG_FFLAGS = 32,
	FLAGS_ALL = 63
};

enum {
	HART_NAMES_SETTLED = 1,
	HART_FULL = 2,
	HART_CLIC = 4,
	HART_NEXT_PC_KNOWN = 8,
	HART_NEXT_PC_SETTLED = 16,
	HART_SEEN = 32,
	HART_TRAPPED = 64,
	HART_INDEX_KNOWN = 128,
	HART_PC_KNOWN = 256,
	HART_HAS_FIRST = 512,
	HART_FIRST_OF_NUMBERS = 1024,
	HART_FIRST_RISCV = 2048,
	HART_FIRST_HANDLER = 4096,
	HART_FIRST_ANY_INDEX = 8192,
	HART_CSRS_SETTLED = 1 << 14,
	HART_FLOATS = 1 << 15,
	HART_ALL = (1 << 16) - 1
};

enum {
	PENDING_OPEN = 1,
	PENDING_F = 2,
	PENDING_V = 4,
	PENDING_ANY = 8,
	PENDING_VSTART = 16,
	PENDING_VXSAT = 32,
	PENDING_ALL = 63
};

static void put_word(struct ear_varint_out *out, uint64_t value)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	ear_varint_put_bytes(out, bytes, sizeof(bytes));
}

static uint64_t get_word(struct ear_varint_in *in)
{
	const uint8_t *bytes = ear_varint_get_bytes(in, 8);
	uint64_t value = 0;

	for (unsigned i = 0; i < 8 && bytes; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

static bool are_csrs_settled(const struct ear_hart *hart)
{
	for (size_t i = 0; i < EAR_CSR_COUNT / 64; i++)
		if (hart->csr_settled[i] != UINT64_MAX)
			return false;
	return true;
}

static unsigned flags_of(const struct ear_hart *hart)
{
	const struct ear_expected *expected = &hart->expected;

	return (hart->names_settled ? HART_NAMES_SETTLED : 0u) | (hart->full ? HART_FULL : 0u) |
	       (hart->clic ? HART_CLIC : 0u) | (hart->next_pc_known ? HART_NEXT_PC_KNOWN : 0u) |
	       (hart->next_pc_settled ? HART_NEXT_PC_SETTLED : 0u) | (hart->seen ? HART_SEEN : 0u) |
	       (hart->trapped ? HART_TRAPPED : 0u) |
	       (expected->index_known ? HART_INDEX_KNOWN : 0u) |
	       (expected->pc_known ? HART_PC_KNOWN : 0u) |
	       (expected->has_first ? HART_HAS_FIRST : 0u) |
	       (expected->first_of_numbers ? HART_FIRST_OF_NUMBERS : 0u) |
	       (expected->first.riscv ? HART_FIRST_RISCV : 0u) |
	       (expected->first.handler ? HART_FIRST_HANDLER : 0u) |
	       (expected->first.any_index ? HART_FIRST_ANY_INDEX : 0u) |
	       (are_csrs_settled(hart) ? HART_CSRS_SETTLED : 0u) |
	       (hart->f_known ? HART_FLOATS : 0u);
}

/* What is pending for registers that are settled does not matter any more. */
static struct ear_state_pending find_pending(const struct ear_hart *hart)
{
	struct ear_state_pending pending = hart->pending;

	if (ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_MSTATUS) &&
		ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_SSTATUS) &&
		ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_VSSTATUS))
		pending.dirty_f = pending.dirty_v = pending.dirty_all = false;
	if (ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_FFLAGS)) {
		pending.fflags_open = false;
		pending.fflags = 0;
	}
	pending.vstart &= !ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_VSTART);
	pending.vxsat &= !ear_hart_is_settled(hart, EAR_REGISTER_CSR, EAR_CSR_VXSAT);
	return pending;
}

static void put_pending(struct ear_varint_out *out, const struct ear_state_pending *pending)
{
	ear_varint_put(out, pending->fflags);
	ear_varint_put(out, (pending->fflags_open ? PENDING_OPEN : 0u) |
				    (pending->dirty_f ? PENDING_F : 0u) |
				    (pending->dirty_v ? PENDING_V : 0u) |
				    (pending->dirty_all ? PENDING_ANY : 0u) |
				    (pending->vstart ? PENDING_VSTART : 0u) |
				    (pending->vxsat ? PENDING_VXSAT : 0u));
}

static void put_registers(struct ear_varint_out *out, const struct ear_hart *hart, bool floats)
{
	put_word(out, hart->x_known | (uint64_t)hart->x_settled << 32);
	put_word(out, hart->f_known | (uint64_t)hart->f_settled << 32);
	for (unsigned i = 1; i < 32; i++)
		put_word(out, hart->x_known >> i & 1 ? hart->x[i] : 0);
	for (unsigned i = 0; floats && i < 32; i++)
		put_word(out, hart->f_known >> i & 1 ? hart->f[i] : 0);
}

static void put_csrs(struct ear_varint_out *out, const struct ear_hart *hart, bool settled)
{
	unsigned count = 0;

	for (unsigned word = 0; word < EAR_CSR_COUNT / 64; word++) {
		if (!settled)
			put_word(out, hart->csr_settled[word]);
		count += (unsigned)__builtin_popcountll(hart->csr_known[word]);
	}
	ear_varint_put(out, count);
	for (unsigned word = 0; word < EAR_CSR_COUNT / 64; word++)
		for (uint64_t bits = hart->csr_known[word]; bits; bits &= bits - 1) {
			unsigned number = word * 64 + (unsigned)__builtin_ctzll(bits);
			ear_varint_put(out, number);
			put_word(out, hart->csr[number]);
		}
}

static void put_vectors(struct ear_varint_out *out, const struct ear_hart *hart)
{
	uint32_t known = 0;

	for (unsigned i = 0; i < 32; i++)
		known |= (uint32_t)hart->v[i].known << i;
	ear_varint_put(out, hart->v_settled);
	ear_varint_put(out, known);
	for (unsigned i = 0; i < 32; i++) {
		const struct ear_state_vector *vector = &hart->v[i];
		if (!vector->known)
			continue;
		ear_varint_put(out, vector->size);
		ear_varint_put_bytes(out, vector->bytes, vector->size);
	}
}

static void put_names(struct ear_varint_out *out, const struct ear_hart *hart)
{
	ear_varint_put(out, hart->name_count);
	for (size_t i = 0; i < hart->name_count; i++) {
		const struct ear_state_named *named = &hart->names[i];
		ear_varint_put(out, named->size * 2 + named->known);
		ear_varint_put_bytes(out, named->name, named->size);
		put_word(out, named->value);
	}
}

static void put_hart(struct ear_varint_out *out, const struct ear_hart *hart)
{
	const struct ear_expected *expected = &hart->expected;
	const struct ear_state_pending pending = find_pending(hart);
	unsigned flags = flags_of(hart);

	ear_varint_put(out, flags);
	ear_varint_put(out, hart->xlen);
	ear_varint_put(out, hart->first_xlen);
	put_word(out, hart->next_pc_known ? hart->next_pc : 0);
	put_word(out, expected->index_known ? expected->index : 0);
	put_word(out, expected->pc_known ? expected->pc : 0);
	ear_varint_put(out, expected->privilege);
	if (expected->has_first) {
		put_word(out, expected->first.index);
		put_word(out, expected->first.pc);
		ear_varint_put(out, expected->first.privilege);
	}
	put_pending(out, &pending);
	put_registers(out, hart, flags & HART_FLOATS);
	put_csrs(out, hart, flags & HART_CSRS_SETTLED);
	put_vectors(out, hart);
	put_names(out, hart);
}

size_t ear_state_save(const struct ear_state *state, uint8_t *bytes, size_t size)
{
	struct ear_varint_out out = ear_varint_out(bytes, size);

	ear_varint_put(&out, VERSION);
	ear_varint_put(&out, (state->part ? FLAG_PART : 0u) |
				     (state->numbered ? FLAG_NUMBERED : 0u) |
				     (state->next_known ? FLAG_NEXT : 0u) |
				     (state->follows ? FLAG_FOLLOWS : 0u) |
				     (state->source.captured ? FLAG_CAPTURED : 0u) |
				     (state->source.shows_fflags ? FLAG_FFLAGS : 0u));
	put_word(&out, state->next_known ? state->next_index : 0);
	put_hart(&out, &state->initial);
	ear_varint_put(&out, state->hart_count);
	for (size_t i = 0; i < state->hart_capacity; i++) {
		if (!state->harts[i])
			continue;
		ear_varint_put(&out, i);
		put_hart(&out, state->harts[i]);
	}
	return out.size;
}

/* ---- Reading. Each function sets in->bad where bytes say what cannot be. ---- */

static uint64_t get_limited(struct ear_varint_in *in, uint64_t max)
{
	uint64_t value = ear_varint_get(in);

	if (value <= max)
		return value;
	in->bad = true;
	return 0;
}

static void get_flags(struct ear_varint_in *in, struct ear_hart *hart, unsigned *flags)
{
	struct ear_expected *expected = &hart->expected;

	*flags = (unsigned)get_limited(in, HART_ALL);
	hart->names_settled = *flags & HART_NAMES_SETTLED;
	hart->full = *flags & HART_FULL;
	hart->clic = *flags & HART_CLIC;
	hart->next_pc_known = *flags & HART_NEXT_PC_KNOWN;
	hart->next_pc_settled = *flags & HART_NEXT_PC_SETTLED;
	hart->seen = *flags & HART_SEEN;
	hart->trapped = *flags & HART_TRAPPED;
	expected->index_known = *flags & HART_INDEX_KNOWN;
	expected->pc_known = *flags & HART_PC_KNOWN;
	expected->has_first = *flags & HART_HAS_FIRST;
	expected->first_of_numbers = *flags & HART_FIRST_OF_NUMBERS;
	expected->first.riscv = *flags & HART_FIRST_RISCV;
	expected->first.handler = *flags & HART_FIRST_HANDLER;
	expected->first.any_index = *flags & HART_FIRST_ANY_INDEX;
}

static void get_pending(struct ear_varint_in *in, struct ear_state_pending *pending)
{
	pending->fflags = (uint8_t)get_limited(in, EAR_FCSR_FFLAGS);
	uint64_t flags = get_limited(in, PENDING_ALL);
	pending->fflags_open = flags & PENDING_OPEN;
	pending->dirty_f = flags & PENDING_F;
	pending->dirty_v = flags & PENDING_V;
	pending->dirty_all = flags & PENDING_ANY;
	pending->vstart = flags & PENDING_VSTART;
	pending->vxsat = flags & PENDING_VXSAT;
}

static void get_registers(struct ear_varint_in *in, struct ear_hart *hart, bool floats)
{
	uint64_t x = get_word(in), f = get_word(in);

	hart->x_known = (uint32_t)x | 1;
	hart->x_settled = (uint32_t)(x >> 32) | 1;
	hart->f_known = floats ? (uint32_t)f : 0;
	hart->f_settled = (uint32_t)(f >> 32);
	in->bad |= hart->x_known & ~hart->x_settled || hart->f_known & ~hart->f_settled;
	for (unsigned i = 1; i < 32; i++)
		hart->x[i] = get_word(in);
	for (unsigned i = 0; floats && i < 32; i++)
		hart->f[i] = get_word(in);
}

static void get_csrs(struct ear_varint_in *in, struct ear_hart *hart, bool settled)
{
	for (unsigned word = 0; word < EAR_CSR_COUNT / 64; word++)
		hart->csr_settled[word] = settled ? UINT64_MAX : get_word(in);
	uint64_t count = get_limited(in, EAR_CSR_COUNT);
	for (uint64_t i = 0; i < count && !in->bad; i++) {
		unsigned number = (unsigned)get_limited(in, EAR_CSR_COUNT - 1);
		hart->csr[number] = get_word(in);
		hart->csr_known[number / 64] |= (uint64_t)1 << number % 64;
		in->bad |= !(hart->csr_settled[number / 64] >> number % 64 & 1);
	}
}

static int get_vectors(struct ear_varint_in *in, struct ear_hart *hart)
{
	uint32_t settled = (uint32_t)get_limited(in, UINT32_MAX);
	uint32_t known = (uint32_t)get_limited(in, UINT32_MAX);

	in->bad |= (known & ~settled) != 0;
	for (unsigned i = 0; i < 32 && !in->bad; i++) {
		if (!(known >> i & 1))
			continue;
		size_t size = (size_t)get_limited(in, EAR_STATE_VECTOR_MAX);
		const uint8_t *bytes = ear_varint_get_bytes(in, size);
		in->bad |= size == 0;
		if (in->bad)
			break;
		if (!ear_hart_reserve_vector(&hart->v[i], size))
			return EAR_E_NO_MEMORY;
		ear_hart_set_vector(hart, i, bytes, size);
	}
	hart->v_settled = settled;
	return 0;
}

static int get_names(struct ear_varint_in *in, struct ear_hart *hart)
{
	uint64_t count = get_limited(in, EAR_STATE_NAMES_MAX);

	if (count > 0 && !in->bad && ear_hart_reserve_names(hart))
		return EAR_E_NO_MEMORY;
	for (uint64_t i = 0; i < count && !in->bad; i++) {
		uint64_t head = get_limited(in, EAR_STATE_NAME_SIZE * 2 + 1);
		const uint8_t *name = ear_varint_get_bytes(in, head / 2);
		uint64_t value = get_word(in);
		struct ear_text text = {(const char *)name, head / 2};
		in->bad |= in->bad || ear_hart_find_name(hart, text) != NULL;
		if (!in->bad)
			ear_hart_set_name(hart, text, value, head & 1);
	}
	return 0;
}

static int get_hart(struct ear_varint_in *in, struct ear_hart *hart)
{
	struct ear_expected *expected = &hart->expected;
	unsigned flags;

	get_flags(in, hart, &flags);
	hart->xlen = (uint8_t)get_limited(in, 64);
	hart->first_xlen = (uint8_t)get_limited(in, 64);
	hart->next_pc = get_word(in);
	expected->index = get_word(in);
	expected->pc = get_word(in);
	expected->privilege = (uint8_t)get_limited(in, UINT8_MAX);
	if (expected->has_first) {
		expected->first.index = get_word(in);
		expected->first.pc = get_word(in);
		expected->first.privilege = (uint8_t)get_limited(in, UINT8_MAX);
	}
	get_pending(in, &hart->pending);
	get_registers(in, hart, flags & HART_FLOATS);
	get_csrs(in, hart, flags & HART_CSRS_SETTLED);
	int result = in->bad ? EAR_E_BAD_FILE : get_vectors(in, hart);
	if (result == 0)
		result = get_names(in, hart);
	return result == 0 && in->bad ? EAR_E_BAD_FILE : result;
}

static int get_harts(struct ear_varint_in *in, struct ear_state *state)
{
	uint64_t count = get_limited(in, EAR_STATE_HARTS_MAX);

	for (uint64_t i = 0; i < count && !in->bad; i++) {
		uint64_t number = get_limited(in, UINT16_MAX);
		if (in->bad || ear_state_find(state, number))
			return EAR_E_BAD_FILE;
		struct ear_hart *hart = calloc(1, sizeof(*hart));
		if (!hart || ear_state_add(state, (uint16_t)number, hart)) {
			free(hart);
			return EAR_E_NO_MEMORY;
		}
		int result = get_hart(in, hart);
		hart->expected.hart = (uint16_t)number;
		if (result)
			return result;
	}
	return in->bad || in->at != in->end ? EAR_E_BAD_FILE : 0;
}

int ear_state_restore(struct ear_state **state, const uint8_t *bytes, size_t size)
{
	struct ear_varint_in in = ear_varint_in(bytes, size);
	uint64_t version = ear_varint_get(&in), flags = get_limited(&in, FLAGS_ALL);

	if (in.bad || version != VERSION)
		return EAR_E_BAD_FILE;
	struct ear_state *made = calloc(1, sizeof(*made));
	if (!made)
		return EAR_E_NO_MEMORY;
	made->part = flags & FLAG_PART;
	made->numbered = flags & FLAG_NUMBERED;
	made->next_known = flags & FLAG_NEXT;
	made->follows = flags & FLAG_FOLLOWS;
	made->source.captured = flags & FLAG_CAPTURED;
	made->source.shows_fflags = flags & FLAG_FFLAGS;
	made->next_index = get_word(&in);
	int result = get_hart(&in, &made->initial);
	if (result == 0)
		result = get_harts(&in, made);
	if (result)
		ear_state_free(made);
	else
		*state = made;
	return result;
}
