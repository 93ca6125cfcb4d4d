#ifndef EAR_PREDICTOR_PLAIN_H
#define EAR_PREDICTOR_PLAIN_H

#include "decoder/predict/checker.h"
#include "decoder/predict/predictor_inside.h"

/* The fast path: entries in which nothing differs and nothing is out of the ordinary.
 *
 * It is walk_entry of predictor.c for the operations with EAR_OPERATION_PLAIN, less everything that
 * cannot happen there; every other entry goes to walk_entry. Every CHECK compares what both
 * have made with the unit's own digest.
 */

/* The part of the predictor that every entry changes, held apart while plain entries are made. */
struct ear_plain_state {
	uint64_t order, pc;
	uint64_t trap_pc; /* here it trapped before; 1, which is no pc, for nowhere */
	uint32_t digest;
	uint32_t fold; /* part of the digest of what stays: privilege and its like */
};

/* A plain entry: what it needs of a retire entry. All other fields are zero, but for mode, ixl,
 * debug and virt, which are the predictor's. */
struct ear_plain {
	const struct ear_operation *op;
	uint64_t pc, next_pc;
	uint64_t a, b;    /* operands */
	uint64_t result;  /* of rd, 0 without */
	uint64_t address; /* loads and stores, else 0 */
	uint64_t data;    /* loaded or stored, else 0 */
	uint32_t fold;    /* part of the digest, but for the order and what stays */
};

/* Returns false if no plain entry can come next. */
static inline bool ear_plain_begin(
	const struct ear_predictor *predictor, struct ear_plain_state *state)
{
	state->order = predictor->order;
	state->pc = predictor->pc;
	state->trap_pc = predictor->trapped_before ? predictor->trap_pc : 1;
	state->digest = predictor->digest;
	state->fold = (uint32_t)predictor->mode << 4 ^ (uint32_t)predictor->ixl << 6 ^
		      (uint32_t)predictor->debug << 8 ^ (uint32_t)predictor->virt << 9;
	return !predictor->intr && !predictor->paddr;
}

static inline void ear_plain_end(
	struct ear_predictor *predictor, const struct ear_plain_state *state)
{
	predictor->order = state->order;
	predictor->pc = state->pc;
	predictor->digest = state->digest;
}

/* rotate() where a value of XLEN 32 has nothing to fold. */
static inline __attribute__((always_inline)) uint32_t ear_plain_rotate(
	uint64_t value, unsigned by, unsigned xlen)
{
	uint32_t folded = xlen == 32 ? (uint32_t)value : (uint32_t)value ^ (uint32_t)(value >> 32);

	return folded << by | folded >> (32 - by);
}

/* Look the operation at pc up in the code pool, and keep it. */
const struct ear_placed *ear_plain_place(
	struct ear_predictor *predictor, struct ear_placed *placed, uint64_t pc);

static inline const struct ear_placed *ear_plain_find(struct ear_predictor *predictor, uint64_t pc)
{
	struct ear_placed *placed =
		&predictor->placed[pc >> 1 & (((size_t)1 << EAR_PLACED_LOG2) - 1)];

	if (placed->pc == pc && placed->generation == predictor->generation)
		return placed;
	return ear_plain_place(predictor, placed, pc);
}

/* Work the next entry out if it is a plain one. Nothing is learned yet. Returns false if not. */
static inline __attribute__((always_inline)) bool ear_plain_guess(struct ear_predictor *predictor,
	const struct ear_plain_state *state, struct ear_plain *plain, const unsigned xlen)
{
	const uint64_t pc = state->pc;
	const struct ear_placed *placed = ear_plain_find(predictor, pc);
	const struct ear_operation *op = &placed->op;
	const uint64_t a = predictor->x[op->rs1], b = predictor->x[op->rs2];
	uint32_t fold = placed->fold;
	struct ear_checked checked = {.next_pc = pc + op->size};

	if (!(op->flags & EAR_OPERATION_PLAIN) || pc == state->trap_pc)
		return false;
	plain->op = op;
	plain->pc = pc;
	plain->a = a;
	plain->b = b;
	plain->address = plain->data = 0;
	if (op->flags & EAR_OPERATION_MEMORY) {
		const unsigned mask = (1u << op->access) - 1;
		uint64_t address = truncate(a + (uint64_t)(int64_t)op->imm, xlen);
		if (address & (op->access - 1u))
			return false;
		plain->address = address;
		fold ^= ear_plain_rotate(address, 15, xlen);
		if (op->kind == EAR_DO_LOAD) {
			plain->data =
				ear_shadow_read(data_pool(predictor), (uint32_t)address, mask);
			checked.result = ear_check_load(op, plain->data);
			fold ^= ear_plain_rotate(plain->data, 17, xlen);
		} else {
			plain->data = ear_low_bits(b, 8u * op->access);
			fold ^= ear_plain_rotate(plain->data, 19, xlen);
		}
	} else {
		ear_check(&checked, op, pc, a, b, &predictor->geometry, xlen);
	}
	plain->result = op->rd ? truncate(checked.result, xlen) : 0;
	plain->next_pc = truncate(checked.next_pc, xlen);
	if (predictor->geometry.operands)
		fold ^= ear_plain_rotate(a, 9, xlen) ^ ear_plain_rotate(b, 11, xlen);
	plain->fold = fold ^ ear_plain_rotate(plain->next_pc, 7, xlen) ^
		      ear_plain_rotate(plain->result, 13, xlen);
	return true;
}

/* A store into the only pool there is may change an opcode, itself or by what it drives out. */
static inline void ear_plain_store_unified(
	struct ear_predictor *predictor, uint32_t address, unsigned mask, uint64_t data)
{
	uint32_t victims = predictor->code.victim;

	ear_shadow_write(&predictor->code, address, mask, data);
	if (predictor->code.victim != victims || *code_mark(predictor, address))
		ear_predictor_code_changed(predictor);
}

/* Learn what was worked out: it was so. */
static inline __attribute__((always_inline)) void ear_plain_learn(struct ear_predictor *predictor,
	struct ear_plain_state *state, const struct ear_plain *plain)
{
	const struct ear_operation *op = plain->op;

	if (op->kind == EAR_DO_STORE) {
		const unsigned mask = (1u << op->access) - 1;
		uint32_t address = (uint32_t)plain->address;
		if (predictor->geometry.unified)
			ear_plain_store_unified(predictor, address, mask, plain->data);
		else
			ear_shadow_write(&predictor->data, address, mask, plain->data);
	}
	state->digest = advance(state->digest, plain->fold ^ state->fold ^ rotate(state->order, 2));
	predictor->x[op->rd] = plain->result; /* for x0 it is 0 */
	state->pc = plain->next_pc;
	state->order++;
}

#endif
