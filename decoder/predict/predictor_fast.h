#ifndef EAR_PREDICTOR_FAST_H
#define EAR_PREDICTOR_FAST_H

#include "decoder/predict/checker.h"
#include "decoder/predict/predictor_internal.h"

/* The fast path: ordinary entries in which every field is as predicted.
 *
 * It is the step of predictor_step.c for operations with EAR_OPERATION_FAST, without all that
 * cannot happen to them; every other entry takes the step. A difference between the two would show
 * at the next CHECK, which compares the digest with the unit's own.
 */

/* The part of the predictor that every entry changes, in registers as long as entries are fast. */
struct ear_fast_state {
	uint64_t order, pc;
	uint64_t trap_pc; /* an entry here trapped before; 1, which is no pc: none did */
	uint32_t digest;
	uint32_t fold; /* terms of the digest that do not change: privilege and the like */
};

/* The fields of a retire entry that the fast path computes. All others are zero, except mode, ixl,
 * debug and virt, which are the predictor's.
 */
struct ear_fast_entry {
	const struct ear_operation *op;
	uint64_t pc, next_pc;
	uint64_t a, b;    /* operands */
	uint64_t result;  /* of rd, 0 without */
	uint64_t address; /* loads and stores, else 0 */
	uint64_t data;    /* loaded or stored, else 0 */
	uint32_t fold;    /* terms of the digest, without order and those of the state */
};

/* Returns false if the next entry cannot take the fast path. */
static inline bool ear_fast_begin(
	const struct ear_predictor *predictor, struct ear_fast_state *state)
{
	state->order = predictor->order;
	state->pc = predictor->pc;
	state->trap_pc = predictor->trapped_before ? predictor->trap_pc : 1;
	state->digest = predictor->digest;
	state->fold = (uint32_t)predictor->mode << 4 ^ (uint32_t)predictor->ixl << 6 ^
		      (uint32_t)predictor->debug << 8 ^ (uint32_t)predictor->virt << 9;
	return !predictor->intr && !predictor->paddr;
}

static inline void ear_fast_end(struct ear_predictor *predictor, const struct ear_fast_state *state)
{
	predictor->order = state->order;
	predictor->pc = state->pc;
	predictor->digest = state->digest;
}

/* digest_term, where a value of XLEN 32 has nothing to fold. */
EAR_STEP_INLINE uint32_t ear_fast_term(uint64_t value, unsigned rotation, unsigned xlen)
{
	uint32_t folded = xlen == 32 ? (uint32_t)value : (uint32_t)value ^ (uint32_t)(value >> 32);

	return folded << rotation | folded >> (32 - rotation);
}

/* Fill in *cached with the operation that the code cache has at pc. */
const struct ear_cached_operation *ear_fast_cache_operation(
	struct ear_predictor *predictor, struct ear_cached_operation *cached, uint64_t pc);

static inline const struct ear_cached_operation *ear_fast_find(
	struct ear_predictor *predictor, uint64_t pc)
{
	struct ear_cached_operation *cached =
		&predictor->by_pc[pc >> 1 & (((size_t)1 << EAR_OPERATIONS_BY_PC_LOG2) - 1)];

	if (cached->pc == pc && cached->generation == predictor->generation)
		return cached;
	return ear_fast_cache_operation(predictor, cached, pc);
}

/* What is written into a unified cache may change an opcode: the one it hits, or one that it
 * evicts. */
static inline void ear_fast_write_unified(
	struct ear_predictor *predictor, uint32_t address, unsigned mask, uint64_t data)
{
	uint32_t victims = predictor->code.victim;

	ear_shadow_write(&predictor->code, address, mask, data);
	if (predictor->code.victim != victims || *code_mark(predictor, address))
		ear_predictor_code_changed(predictor);
}

/* The access of a load or store. delta: a load sees so much more than the cache has. Returns false
 * if it is misaligned.
 */
EAR_STEP_INLINE bool ear_fast_access(struct ear_predictor *predictor, struct ear_fast_entry *fast,
	struct ear_checked *checked, uint32_t *fold, const uint64_t delta, const unsigned xlen)
{
	const struct ear_operation *op = fast->op;
	const unsigned mask = (1u << op->access) - 1;
	uint64_t address = to_xlen(fast->a + (uint64_t)(int64_t)op->imm, xlen);

	if (address & (op->access - 1u))
		return false;
	fast->address = address;
	*fold ^= ear_fast_term(address, 15, xlen);
	if (op->kind == EAR_DO_LOAD) {
		fast->data = ear_shadow_read(data_cache(predictor), (uint32_t)address, mask);
		if (delta)
			fast->data = ear_low_bits(fast->data + delta, 8u * op->access);
		checked->result = ear_check_load(op, fast->data);
		*fold ^= ear_fast_term(fast->data, 17, xlen);
	} else {
		fast->data = ear_low_bits(fast->b, 8u * op->access);
		*fold ^= ear_fast_term(fast->data, 19, xlen);
	}
	return true;
}

/* The fields that follow from the others. */
EAR_STEP_INLINE void ear_fast_finish(const struct ear_predictor *predictor,
	struct ear_fast_entry *fast, const struct ear_checked *checked, uint32_t fold,
	const unsigned xlen)
{
	fast->result = fast->op->rd ? to_xlen(checked->result, xlen) : 0;
	fast->next_pc = to_xlen(checked->next_pc, xlen);
	if (predictor->geometry.operands)
		fold ^= ear_fast_term(fast->a, 9, xlen) ^ ear_fast_term(fast->b, 11, xlen);
	fast->fold = fold ^ ear_fast_term(fast->next_pc, 7, xlen) ^
		     ear_fast_term(fast->result, 13, xlen);
}

/* Predict the next entry. The predictor does not change. Returns false if the entry cannot take the
 * fast path.
 */
EAR_STEP_INLINE bool ear_fast_predict(struct ear_predictor *predictor,
	const struct ear_fast_state *state, struct ear_fast_entry *fast, const unsigned xlen)
{
	const uint64_t pc = state->pc;
	const struct ear_cached_operation *cached = ear_fast_find(predictor, pc);
	const struct ear_operation *op = &cached->op;
	const uint64_t a = predictor->x[op->rs1], b = predictor->x[op->rs2];
	uint32_t fold = cached->fold;
	struct ear_checked checked = {.next_pc = pc + op->size};

	if (!(op->flags & EAR_OPERATION_FAST) || pc == state->trap_pc)
		return false;
	fast->op = op;
	fast->pc = pc;
	fast->a = a;
	fast->b = b;
	fast->address = fast->data = 0;
	if (!(op->flags & EAR_OPERATION_MEMORY))
		ear_check(&checked, op, pc, a, b, &predictor->geometry, xlen);
	else if (!ear_fast_access(predictor, fast, &checked, &fold, 0, xlen))
		return false;
	ear_fast_finish(predictor, fast, &checked, fold, xlen);
	return true;
}

/* The same for an entry that differs in what a load saw, by delta. Returns false, too, if the entry
 * is no load.
 */
EAR_STEP_INLINE bool ear_fast_predict_load(struct ear_predictor *predictor,
	const struct ear_fast_state *state, struct ear_fast_entry *fast, uint64_t delta,
	const unsigned xlen)
{
	const uint64_t pc = state->pc;
	const struct ear_cached_operation *cached = ear_fast_find(predictor, pc);
	const struct ear_operation *op = &cached->op;
	uint32_t fold = cached->fold;
	struct ear_checked checked = {.next_pc = pc + op->size};

	if (!(op->flags & EAR_OPERATION_FAST) || op->kind != EAR_DO_LOAD || pc == state->trap_pc)
		return false;
	fast->op = op;
	fast->pc = pc;
	fast->a = predictor->x[op->rs1];
	fast->b = predictor->x[op->rs2];
	if (!ear_fast_access(predictor, fast, &checked, &fold, delta, xlen))
		return false;
	ear_fast_finish(predictor, fast, &checked, fold, xlen);
	return true;
}

/* The data cache gets what the entry loaded or stored. */
EAR_STEP_INLINE void ear_fast_write(
	struct ear_predictor *predictor, const struct ear_fast_entry *fast)
{
	const unsigned mask = (1u << fast->op->access) - 1;
	uint32_t address = (uint32_t)fast->address;

	if (predictor->geometry.unified)
		ear_fast_write_unified(predictor, address, mask, fast->data);
	else
		ear_shadow_write(&predictor->data, address, mask, fast->data);
}

/* Train the predictor with the entry that ear_fast_predict gave. */
EAR_STEP_INLINE void ear_fast_train(struct ear_predictor *predictor, struct ear_fast_state *state,
	const struct ear_fast_entry *fast)
{
	const struct ear_operation *op = fast->op;

	if (op->kind == EAR_DO_STORE)
		ear_fast_write(predictor, fast);
	state->digest = digest_advance(
		state->digest, fast->fold ^ state->fold ^ digest_term(state->order, 2));
	predictor->x[op->rd] = fast->result; /* 0, if rd is x0 */
	state->pc = fast->next_pc;
	state->order++;
}

/* The same with the entry that ear_fast_predict_load gave. */
EAR_STEP_INLINE void ear_fast_train_load(struct ear_predictor *predictor,
	struct ear_fast_state *state, const struct ear_fast_entry *fast)
{
	ear_fast_train(predictor, state, fast);
	ear_fast_write(predictor, fast);
}

#endif
