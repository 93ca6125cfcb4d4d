#include "decoder/predict/predictor_plain.h"

static void fill_entry(const struct ear_predictor *predictor, struct ear_retire *entry,
	const struct ear_plain *plain)
{
	const struct ear_operation *op = plain->op;
	const uint8_t mask = (uint8_t)((1u << op->access) - 1);

	*entry = (struct ear_retire){
		.order = plain->order,
		.pc_rdata = plain->pc,
		.pc_wdata = plain->next_pc,
		.rd_wdata = plain->result,
		.mem_addr = plain->address,
		.insn = plain->insn,
		.xlen = predictor->xlen,
		.intr = plain->intr,
		.debug = predictor->debug,
		.virt = predictor->virt,
		.mode = predictor->mode,
		.ixl = predictor->ixl,
		.rd_addr = op->rd,
	};
	if (predictor->geometry.operands) {
		entry->rs1_addr = op->rs1;
		entry->rs2_addr = op->rs2;
		entry->rs1_rdata = plain->a;
		entry->rs2_rdata = plain->b;
	}
	if (op->kind == EAR_DO_LOAD) {
		entry->mem_rmask = mask;
		entry->mem_rdata = plain->data;
	} else if (op->kind == EAR_DO_STORE) {
		entry->mem_wmask = mask;
		entry->mem_wdata = plain->data;
	}
}

void ear_predictor_run(struct ear_predictor *predictor, struct ear_retire *entry)
{
	struct ear_plain plain;
	bool done = predictor->xlen == 32 ? ear_plain_step(predictor, &plain, 32)
					  : ear_plain_step(predictor, &plain, 64);

	if (done)
		fill_entry(predictor, entry, &plain);
	else
		ear_predictor_run_any(predictor, entry);
}
