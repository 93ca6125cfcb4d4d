#ifndef EAR_PREDICTOR_PLAIN_H
#define EAR_PREDICTOR_PLAIN_H

#include "decoder/predict/checker.h"
#include "decoder/predict/predictor_inside.h"

/* The fast path of decoding: entries in which nothing differs and nothing is out of the ordinary.
 *
 * It is walk_entry of predictor.c for the operations with EAR_OPERATION_PLAIN, less everything that
 * cannot happen there; every other entry goes to walk_entry. Every CHECK compares what both
 * have made with the unit's own digest.
 */

/* A plain entry: what it needs of a retire entry. All other fields are zero, but for mode, ixl,
 * debug and virt, which are the predictor's. */
struct ear_plain {
	const struct ear_operation *op;
	uint64_t order, pc, next_pc;
	uint64_t a, b;    /* operands */
	uint64_t result;  /* of rd, 0 without */
	uint64_t address; /* loads and stores, else 0 */
	uint64_t data;    /* loaded or stored, else 0 */
	uint32_t insn;
	bool intr;
};

static inline uint32_t ear_plain_fetch(struct ear_predictor *predictor, uint32_t address)
{
	const struct ear_shadow *pool = &predictor->code;
	uint32_t offset = address & pool->line_mask;

	if (predictor->fetch_line != (address >> pool->line_shift) + 1) {
		const uint8_t *found = ear_shadow_find(pool, address);
		if (!found)
			return fetch(predictor, address);
		predictor->fetch_bytes = found;
		predictor->fetch_line = (address >> pool->line_shift) + 1;
	}
	if (offset + 4 > pool->line_mask + 1)
		return fetch(predictor, address);
	uint32_t insn = ear_load_le32(predictor->fetch_bytes + offset);
	return (insn & 3) == 3 ? insn : insn & 0xFFFF;
}

/* rotate() where a value of XLEN 32 has nothing to fold. */
static inline __attribute__((always_inline)) uint32_t ear_plain_rotate(
	uint64_t value, unsigned by, unsigned xlen)
{
	uint32_t folded = xlen == 32 ? (uint32_t)value : (uint32_t)value ^ (uint32_t)(value >> 32);

	return folded << by | folded >> (32 - by);
}

/* Load or store. Returns its part of the digest. */
static inline __attribute__((always_inline)) uint32_t ear_plain_access(
	struct ear_predictor *predictor, struct ear_plain *plain, uint64_t address, unsigned xlen)
{
	const struct ear_operation *op = plain->op;
	const unsigned mask = (1u << op->access) - 1;
	uint32_t fold = ear_plain_rotate(address, 15, xlen);

	plain->address = address;
	if (op->kind == EAR_DO_LOAD) {
		plain->data = ear_shadow_read(data_pool(predictor), (uint32_t)address, mask);
		plain->result = ear_check_load(op, plain->data);
		return fold ^ mask << 1 ^ ear_plain_rotate(plain->data, 17, xlen);
	}
	plain->data = ear_low_bits(plain->b, 8u * op->access);
	ear_shadow_write(data_pool(predictor), (uint32_t)address, mask, plain->data);
	if (predictor->geometry.unified)
		predictor->fetch_line = 0;
	plain->result = 0;
	return fold ^ mask << 9 ^ ear_plain_rotate(plain->data, 19, xlen);
}

/* Make and learn the next entry if it is a plain one. Returns false, with nothing done, if not. */
static inline __attribute__((always_inline)) bool ear_plain_step(
	struct ear_predictor *predictor, struct ear_plain *plain, const unsigned xlen)
{
	const uint64_t pc = predictor->pc;
	const uint32_t insn = ear_plain_fetch(predictor, (uint32_t)pc);
	const struct ear_operation *op = find_operation(predictor, insn);
	const uint64_t a = predictor->x[op->rs1], b = predictor->x[op->rs2];
	const bool memory = op->flags & EAR_OPERATION_MEMORY;
	const uint64_t address = truncate(a + (uint64_t)(int64_t)op->imm, xlen);

	if (!(op->flags & EAR_OPERATION_PLAIN) || predictor->paddr ||
		(memory && (address & (op->access - 1u))) ||
		(predictor->trapped_before && predictor->trap_pc == pc))
		return false;

	uint32_t fold = 0;
	struct ear_checked checked = {.next_pc = pc + op->size};
	plain->op = op;
	plain->order = predictor->order++;
	plain->pc = pc;
	plain->insn = insn;
	plain->a = a;
	plain->b = b;
	plain->intr = predictor->intr;
	if (memory) {
		fold = ear_plain_access(predictor, plain, address, xlen);
	} else {
		plain->address = plain->data = 0;
		ear_check(&checked, op, pc, a, b, &predictor->geometry, xlen);
		plain->result = checked.result;
	}
	plain->result = op->rd ? truncate(plain->result, xlen) : 0;
	plain->next_pc = truncate(checked.next_pc, xlen);

	if (predictor->geometry.operands)
		fold ^= ear_plain_rotate(a, 9, xlen) ^ ear_plain_rotate(b, 11, xlen) ^
			(uint32_t)op->rs1 << 10 ^ (uint32_t)op->rs2 << 15;
	fold ^= (uint32_t)predictor->mode << 4 ^ (uint32_t)predictor->ixl << 6 ^
		(uint32_t)predictor->debug << 8 ^ (uint32_t)predictor->virt << 9 ^
		(uint32_t)plain->intr << 2 ^ (uint32_t)op->rd << 20 ^ rotate(plain->order, 2) ^
		ear_plain_rotate(insn, 3, 32) ^ ear_plain_rotate(pc, 5, xlen) ^
		ear_plain_rotate(plain->next_pc, 7, xlen) ^
		ear_plain_rotate(plain->result, 13, xlen);
	predictor->digest = advance(predictor->digest, fold);
	predictor->x[op->rd] = plain->result; /* for x0 it is 0 */
	predictor->pc = plain->next_pc;
	predictor->intr = false;
	return true;
}

#endif
