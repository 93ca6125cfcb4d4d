#include "decoder/predict/predictor_plain.h"

const struct ear_placed *ear_plain_place(
	struct ear_predictor *predictor, struct ear_placed *placed, uint64_t pc)
{
	placed->op = *find_operation(predictor, fetch(predictor, pc));
	placed->pc = pc;
	placed->generation = predictor->generation;

	const struct ear_operation *op = &placed->op;
	const unsigned mask = (1u << op->access) - 1;
	placed->fold = rotate(op->insn, 3) ^ rotate(pc, 5) ^ (uint32_t)op->rd << 20;
	if (predictor->geometry.operands)
		placed->fold ^= (uint32_t)op->rs1 << 10 ^ (uint32_t)op->rs2 << 15;
	if (op->kind == EAR_DO_LOAD)
		placed->fold ^= mask << 1;
	else if (op->kind == EAR_DO_STORE)
		placed->fold ^= mask << 9;
	if (predictor->geometry.unified)
		*code_mark(predictor, (uint32_t)pc) =
			*code_mark(predictor, (uint32_t)pc + op->size - 1) = 1;
	return placed;
}

/* Is the entry this one? Differences are gathered, for nearly always there are none. */
static inline __attribute__((always_inline)) bool same_entry(const struct ear_predictor *predictor,
	const struct ear_retire *entry, const struct ear_plain *plain, uint64_t order)
{
	const struct ear_operation *op = plain->op;
	const uint8_t mask = (uint8_t)((1u << op->access) - 1);
	const bool load = op->kind == EAR_DO_LOAD, store = op->kind == EAR_DO_STORE;
	const bool operands = predictor->geometry.operands;
	uint64_t wide = (entry->order ^ order) | (entry->pc_rdata ^ plain->pc) |
			(entry->pc_wdata ^ plain->next_pc) | (entry->rd_wdata ^ plain->result) |
			(entry->mem_addr ^ plain->address) |
			(entry->mem_rdata ^ (load ? plain->data : 0)) |
			(entry->mem_wdata ^ (store ? plain->data : 0)) | entry->cause |
			(entry->rs1_rdata ^ (operands ? plain->a : 0)) |
			(entry->rs2_rdata ^ (operands ? plain->b : 0));
	unsigned narrow = (entry->insn ^ op->insn) | (unsigned)(entry->rd_addr ^ op->rd) |
			  (unsigned)(entry->rs1_addr ^ (operands ? op->rs1 : 0)) |
			  (unsigned)(entry->rs2_addr ^ (operands ? op->rs2 : 0)) |
			  (unsigned)(entry->mem_rmask ^ (load ? mask : 0)) |
			  (unsigned)(entry->mem_wmask ^ (store ? mask : 0)) |
			  (unsigned)(entry->mode ^ predictor->mode) |
			  (unsigned)(entry->ixl ^ predictor->ixl) | entry->csr_count |
			  (unsigned)(entry->debug ^ predictor->debug) |
			  (unsigned)(entry->virt ^ predictor->virt) | entry->trap | entry->halt |
			  entry->intr | entry->irq;

	if (predictor->flen) {
		wide |= entry->frd_wdata;
		narrow |= (unsigned)entry->frd_valid | entry->frd_addr | entry->fflags;
	}
	return wide == 0 && narrow == 0;
}

bool ear_predictor_agree(struct ear_predictor *predictor, const struct ear_retire *entry)
{
	struct ear_plain_state state;
	struct ear_plain plain;

	if (!ear_plain_begin(predictor, &state) ||
		!(predictor->xlen == 32 ? ear_plain_guess(predictor, &state, &plain, 32)
					: ear_plain_guess(predictor, &state, &plain, 64)) ||
		!same_entry(predictor, entry, &plain, state.order))
		return false;
	ear_plain_learn(predictor, &state, &plain);
	ear_plain_end(predictor, &state);
	return true;
}
