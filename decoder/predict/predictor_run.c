#include "decoder/predict/checker.h"
#include "decoder/predict/predictor_inside.h"

/* The fast path of decoding: entries in which nothing differs and nothing is out of the ordinary.
 *
 * It is walk_entry of predictor.c for the operations with EAR_OPERATION_PLAIN, less everything that
 * cannot happen there; every other entry goes to walk_entry. Every CHECK compares what both
 * have made with the unit's own digest.
 */

static inline uint32_t fetch_fast(struct ear_predictor *predictor, uint32_t address)
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

/* Load or store: the access and, for a load, the result. Returns its part of the digest. */
static inline __attribute__((always_inline)) uint32_t run_access(struct ear_predictor *predictor,
	struct ear_retire *entry, const struct ear_operation *op, uint64_t address, uint64_t b,
	uint64_t *result)
{
	const uint8_t mask = (uint8_t)((1u << op->access) - 1);
	uint32_t fold = rotate(address, 15);

	entry->mem_addr = address;
	if (op->kind == EAR_DO_LOAD) {
		entry->mem_rmask = mask;
		entry->mem_wmask = 0;
		entry->mem_wdata = 0;
		entry->mem_rdata = ear_shadow_read(data_pool(predictor), (uint32_t)address, mask);
		*result = ear_check_load(op, entry->mem_rdata);
		return fold ^ rotate(mask, 1) ^ rotate(entry->mem_rdata, 17);
	}
	entry->mem_rmask = 0;
	entry->mem_wmask = mask;
	entry->mem_rdata = 0;
	entry->mem_wdata = ear_low_bits(b, 8u * op->access);
	ear_shadow_write(data_pool(predictor), (uint32_t)address, mask, entry->mem_wdata);
	if (predictor->geometry.unified)
		predictor->fetch_line = 0;
	*result = 0;
	return fold ^ rotate((uint32_t)mask << 8, 1) ^ rotate(entry->mem_wdata, 19);
}

static inline __attribute__((always_inline)) const struct ear_operation *run(
	struct ear_predictor *predictor, struct ear_retire *entry, const unsigned xlen)
{
	const uint64_t pc = predictor->pc;
	const uint32_t insn = fetch_fast(predictor, (uint32_t)pc);
	const struct ear_operation *op = find_operation(predictor, insn);
	const uint64_t a = predictor->x[op->rs1], b = predictor->x[op->rs2];
	const bool memory = op->flags & EAR_OPERATION_MEMORY;
	const uint64_t address = truncate(a + (uint64_t)(int64_t)op->imm, xlen);

	if (!(op->flags & EAR_OPERATION_PLAIN) || predictor->paddr ||
		(memory && (address & (op->access - 1u))) ||
		(predictor->trapped_before && predictor->trap_pc == pc))
		return ear_predictor_run_any(predictor, entry);

	uint64_t result;
	uint32_t fold = 0;
	struct ear_checked checked = {.next_pc = pc + op->size};
	if (memory) {
		fold = run_access(predictor, entry, op, address, b, &result);
	} else {
		entry->mem_addr = entry->mem_rdata = entry->mem_wdata = 0;
		entry->mem_rmask = entry->mem_wmask = 0;
		ear_check(&checked, op, pc, a, b, &predictor->geometry, xlen);
		result = checked.result;
	}
	result = op->rd ? truncate(result, xlen) : 0;
	const uint64_t next_pc = truncate(checked.next_pc, xlen);

	uint32_t status = (uint32_t)predictor->intr << 2 | (uint32_t)predictor->mode << 4 |
			  (uint32_t)predictor->ixl << 6 | (uint32_t)predictor->debug << 8 |
			  (uint32_t)predictor->virt << 9 | (uint32_t)op->rd << 20;
	if (predictor->geometry.operands) {
		entry->rs1_addr = op->rs1;
		entry->rs2_addr = op->rs2;
		entry->rs1_rdata = a;
		entry->rs2_rdata = b;
		status |= (uint32_t)op->rs1 << 10 | (uint32_t)op->rs2 << 15;
		fold ^= rotate(a, 9) ^ rotate(b, 11);
	} else {
		entry->rs1_addr = entry->rs2_addr = 0;
		entry->rs1_rdata = entry->rs2_rdata = 0;
	}
	entry->order = predictor->order;
	entry->pc_rdata = pc;
	entry->pc_wdata = next_pc;
	entry->rd_wdata = result;
	entry->insn = insn;
	entry->rd_addr = op->rd;
	entry->intr = predictor->intr;
	entry->mode = predictor->mode;
	entry->ixl = predictor->ixl;
	entry->debug = predictor->debug;
	entry->virt = predictor->virt;
	entry->cause = entry->frd_wdata = entry->pc_paddr = entry->mem_paddr = 0;
	entry->trap = entry->halt = entry->irq = entry->frd_valid = false;
	entry->frd_addr = entry->fflags = entry->csr_count = 0;

	fold ^= status ^ rotate(entry->order, 2) ^ rotate(insn, 3) ^ rotate(pc, 5) ^
		rotate(next_pc, 7) ^ rotate(result, 13);
	predictor->digest = advance(predictor->digest, fold);
	predictor->x[op->rd] = result; /* for x0 it is 0 */
	predictor->order++;
	predictor->pc = next_pc;
	predictor->intr = false;
	return op;
}

const struct ear_operation *ear_predictor_run(
	struct ear_predictor *predictor, struct ear_retire *entry)
{
	entry->xlen = predictor->xlen;
	return predictor->xlen == 32 ? run(predictor, entry, 32) : run(predictor, entry, 64);
}
