/* The fast path of reconstruct.c: a run of records as predicted becomes compact records.
 *
 * The loop predicts, fills in a compact record and trains, and does nothing else
 * (predictor_fast.h); whatever is the same for a whole run (time, privilege, index) is written once
 * after it. An entry that is not ordinary ends the run, and ear_reconstruct_difference takes it.
 */
#include "decoder/codec/reconstruct.h"
#include "decoder/predict/predictor_fast.h"

static uint8_t privilege(const struct ear_predictor *predictor)
{
	if (predictor->debug)
		return EAR_PRIVILEGE_DEBUG;
	if (predictor->virt)
		return predictor->mode == 0 ? EAR_PRIVILEGE_VU : EAR_PRIVILEGE_VS;
	return predictor->mode;
}

EAR_STEP_INLINE void fill_compact(
	struct ear_compact_record *compact, const struct ear_fast_entry *fast, const unsigned xlen)
{
	const struct ear_operation *op = fast->op;
	bool taken = fast->next_pc != to_xlen(fast->pc + op->size, xlen) ||
		     op->flags & EAR_OPERATION_JUMP;

	compact->pc = fast->pc;
	compact->next_pc = fast->next_pc;
	compact->result = fast->result;
	compact->address = fast->address;
	compact->data = fast->data;
	compact->opcode = op->insn;
	compact->opcode_size = op->size;
	compact->rd = op->rd;
	compact->size = op->access ? op->access : EAR_COMPACT_NO_ACCESS;
	compact->offset = 0;
	compact->flags = (uint8_t)((taken ? EAR_COMPACT_TAKEN : 0) |
				   (op->kind == EAR_DO_STORE ? EAR_COMPACT_WRITE : 0));
}

EAR_STEP_INLINE void fill_operands(struct ear_operands *operands, const struct ear_fast_entry *fast)
{
	*operands = (struct ear_operands){
		.a = fast->a, .b = fast->b, .rs1 = fast->op->rs1, .rs2 = fast->op->rs2};
}

/* operands NULL: not wanted. */
EAR_STEP_INLINE size_t predict_run(struct ear_predictor *predictor,
	struct ear_compact_record *compacts, struct ear_operands *operands, size_t count,
	const unsigned xlen)
{
	struct ear_fast_state state;
	size_t i = 0;

	if (!ear_fast_begin(predictor, &state))
		return 0;
	for (; i < count; i++) {
		struct ear_fast_entry fast;
		if (!ear_fast_predict(predictor, &state, &fast, xlen))
			break;
		fill_compact(&compacts[i], &fast, xlen);
		if (operands)
			fill_operands(&operands[i], &fast);
		ear_fast_train(predictor, &state, &fast);
	}
	ear_fast_end(predictor, &state);
	return i;
}

void ear_reconstruct_run(struct ear_reconstruct *reconstruct, struct ear_compact_run *run,
	struct ear_compact_record *compacts, struct ear_operands *operands,
	struct ear_record_message *message, uint64_t offset)
{
	struct ear_predictor *predictor = reconstruct->predictor;
	uint32_t room = EAR_RUN_CHECK_INTERVAL - reconstruct->unchecked;
	size_t count = message->run < room ? message->run : room;

	run->count = 0;
	if (!reconstruct->following || reconstruct->gap_pending || reconstruct->entry_waits ||
		!reconstruct->capture.open || reconstruct->expected_order != predictor->order ||
		count == 0)
		return;
	if (count > EAR_COMPACT_RUN_MAX)
		count = EAR_COMPACT_RUN_MAX;
	uint64_t first = predictor->order;
	if (reconstruct->with_reads && predictor->geometry.operands)
		count = predictor->xlen == 32
				? predict_run(predictor, compacts, operands, count, 32)
				: predict_run(predictor, compacts, operands, count, 64);
	else
		count = predictor->xlen == 32 ? predict_run(predictor, compacts, NULL, count, 32)
					      : predict_run(predictor, compacts, NULL, count, 64);
	if (count == 0)
		return;
	*run = (struct ear_compact_run){
		.count = count,
		.first_index = first,
		.stream_offset = offset,
		.ticks = reconstruct->ticks,
		.hart = reconstruct->hart,
		.xlen = predictor->xlen,
		.privilege = privilege(predictor),
		.frm = reconstruct->frm,
		.vtype = reconstruct->vtype,
		.first_timed = reconstruct->ticks_known,
		.all_timed = reconstruct->ticks_known && reconstruct->every_record_timed,
	};
	message->run -= (uint32_t)count;
	reconstruct->unchecked += (uint32_t)count;
	reconstruct->fresh = false;
	reconstruct->capture.records += count;
	reconstruct->frame_fresh = false;
	reconstruct->expected_order = predictor->order;
	if (!reconstruct->every_record_timed)
		reconstruct->ticks_known = false;
}
