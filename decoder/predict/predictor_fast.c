/* The fast path of the encoder: does an entry agree with its prediction in every field?
 *
 * The prediction is that of predictor_fast.h. All fields are compared before one branch, because
 * nearly always all are equal. What is computed once for a pc (its operation, the digest's terms of
 * pc, opcode and register numbers) is cached by pc, until the code cache changes.
 */
#include "decoder/predict/predictor_fast.h"

const struct ear_cached_operation *ear_fast_cache_operation(
	struct ear_predictor *predictor, struct ear_cached_operation *cached, uint64_t pc)
{
	cached->op = *find_operation(predictor, fetch(predictor, pc));
	cached->pc = pc;
	cached->generation = predictor->generation;

	const struct ear_operation *op = &cached->op;
	const unsigned mask = (1u << op->access) - 1;
	cached->fold = digest_term(op->insn, 3) ^ digest_term(pc, 5) ^ (uint32_t)op->rd << 20;
	if (predictor->geometry.operands)
		cached->fold ^= (uint32_t)op->rs1 << 10 ^ (uint32_t)op->rs2 << 15;
	if (op->kind == EAR_DO_LOAD)
		cached->fold ^= mask << 1;
	else if (op->kind == EAR_DO_STORE)
		cached->fold ^= mask << 9;
	if (predictor->geometry.unified)
		*code_mark(predictor, (uint32_t)pc) =
			*code_mark(predictor, (uint32_t)pc + op->size - 1) = 1;
	return cached;
}

/* Are all fields of the entry as predicted? */
EAR_STEP_INLINE bool same_entry(const struct ear_predictor *predictor,
	const struct ear_retire *entry, const struct ear_fast_entry *fast, uint64_t order)
{
	const struct ear_operation *op = fast->op;
	const uint8_t mask = (uint8_t)((1u << op->access) - 1);
	const bool load = op->kind == EAR_DO_LOAD, store = op->kind == EAR_DO_STORE;
	const bool operands = predictor->geometry.operands;
	uint64_t wide = (entry->order ^ order) | (entry->pc_rdata ^ fast->pc) |
			(entry->pc_wdata ^ fast->next_pc) | (entry->rd_wdata ^ fast->result) |
			(entry->mem_addr ^ fast->address) |
			(entry->mem_rdata ^ (load ? fast->data : 0)) |
			(entry->mem_wdata ^ (store ? fast->data : 0)) | entry->cause |
			(entry->rs1_rdata ^ (operands ? fast->a : 0)) |
			(entry->rs2_rdata ^ (operands ? fast->b : 0));
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
	struct ear_fast_state state;
	struct ear_fast_entry fast;

	if (!ear_fast_begin(predictor, &state) ||
		!(predictor->xlen == 32 ? ear_fast_predict(predictor, &state, &fast, 32)
					: ear_fast_predict(predictor, &state, &fast, 64)) ||
		!same_entry(predictor, entry, &fast, state.order))
		return false;
	ear_fast_train(predictor, &state, &fast);
	ear_fast_end(predictor, &state);
	return true;
}
