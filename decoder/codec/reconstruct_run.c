/* The fast path of reconstruct.c: ordinary records become compact records.
 *
 * The loop predicts, fills in a compact record and trains, and does nothing else
 * (predictor_fast.h); whatever is the same for a whole run (time, privilege, index) is written
 * once. An entry that differs from its prediction joins the run if it is an ordinary one, too: by
 * the fast path if it is a load that saw something else, which nearly all are, otherwise after the
 * step of the predictor. Then the predictor has gone on; so what turns out not to be ordinary waits
 * until ear_reconstruct_difference takes it.
 */
#include "decoder/codec/reconstruct.h"
#include "decoder/codec/reconstruct_internal.h"
#include "decoder/predict/predictor_fast.h"

static uint8_t privilege(const struct ear_predictor *predictor)
{
	if (predictor->debug)
		return EAR_PRIVILEGE_DEBUG;
	if (predictor->virt)
		return predictor->mode == 0 ? EAR_PRIVILEGE_VU : EAR_PRIVILEGE_VS;
	return predictor->mode;
}

/* What a run is made into. */
struct target {
	struct ear_compact_run *run;
	struct ear_compact_record *compacts;
	struct ear_operands *operands; /* NULL: not wanted */
	uint32_t offset, ticks;        /* of the message and its time, from those of the run */
};

EAR_STEP_INLINE void fill_compact(struct ear_compact_record *compact,
	const struct ear_fast_entry *fast, uint32_t offset, uint32_t ticks, const unsigned xlen)
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
	compact->offset = offset;
	compact->flags = (uint8_t)((taken ? EAR_COMPACT_TAKEN : 0) |
				   (op->kind == EAR_DO_STORE ? EAR_COMPACT_WRITE : 0));
	compact->ticks = ticks;
}

EAR_STEP_INLINE void fill_operands(struct ear_operands *operands, const struct ear_fast_entry *fast)
{
	*operands = (struct ear_operands){
		.a = fast->a, .b = fast->b, .rs1 = fast->op->rs1, .rs2 = fast->op->rs2};
}

/* count records as predicted. Returns how many could be made; with_operands is constant. */
EAR_STEP_INLINE size_t predict_run(struct ear_predictor *predictor, const struct target *target,
	size_t count, const bool with_operands, const unsigned xlen)
{
	struct ear_compact_record *compacts = target->compacts + target->run->count;
	struct ear_operands *operands =
		with_operands ? target->operands + target->run->count : NULL;
	struct ear_fast_state state;
	size_t i = 0;

	if (!ear_fast_begin(predictor, &state))
		return 0;
	for (; i < count; i++) {
		struct ear_fast_entry fast;
		if (!ear_fast_predict(predictor, &state, &fast, xlen))
			break;
		fill_compact(&compacts[i], &fast, 0, 0, xlen);
		if (with_operands)
			fill_operands(&operands[i], &fast);
		ear_fast_train(predictor, &state, &fast);
	}
	ear_fast_end(predictor, &state);
	/* Not above: in a long run both are 0, and registers are few. */
	for (size_t k = 0; k < i && (target->offset | target->ticks); k++) {
		compacts[k].offset = target->offset;
		compacts[k].ticks = target->ticks;
	}
	return i;
}

/* A load that differs in what it saw, and in nothing else. */
EAR_STEP_INLINE bool add_load(struct ear_predictor *predictor, const struct target *target,
	uint64_t delta, const unsigned xlen)
{
	size_t i = target->run->count;
	struct ear_fast_state state;
	struct ear_fast_entry fast;

	if (!ear_fast_begin(predictor, &state) ||
		!ear_fast_predict_load(predictor, &state, &fast, delta, xlen))
		return false;
	fill_compact(&target->compacts[i], &fast, target->offset, target->ticks, xlen);
	if (target->operands)
		fill_operands(&target->operands[i], &fast);
	ear_fast_train_load(predictor, &state, &fast);
	ear_fast_end(predictor, &state);
	return true;
}

/* Is the entry what its opcode says, with nothing else, and the next one of the run? */
static bool is_ordinary(const struct ear_reconstruct *reconstruct, const struct target *target,
	const struct ear_operation *op, uint64_t pc, uint8_t mode)
{
	const struct ear_retire *entry = &reconstruct->entry;
	const unsigned mask = (1u << op->access) - 1;
	const bool load = op->kind == EAR_DO_LOAD, store = op->kind == EAR_DO_STORE;
	const bool jumps = op->kind >= EAR_DO_JAL && op->kind <= EAR_DO_BGEU;
	const uint64_t after = to_xlen(entry->pc_rdata + op->size, entry->xlen);
	const uint64_t wide = entry->cause | entry->pc_paddr | entry->mem_paddr |
			      (entry->pc_rdata ^ pc) |
			      (entry->order ^ (target->run->first_index + target->run->count));
	const unsigned narrow = (unsigned)entry->trap | entry->halt | entry->intr | entry->irq |
				entry->frd_valid | entry->fflags | entry->csr_count |
				(unsigned)(entry->rd_addr ^ op->rd) |
				(unsigned)(entry->mem_rmask ^ (load ? mask : 0)) |
				(unsigned)(entry->mem_wmask ^ (store ? mask : 0)) |
				(unsigned)(mode ^ target->run->privilege);

	/* Operands for which the geometry has no place, in a run neither. */
	if (reconstruct->with_reads && !target->operands && (entry->rs1_addr | entry->rs2_addr))
		return false;
	return op->flags & EAR_OPERATION_FAST && wide == 0 && narrow == 0 &&
	       (load || store || entry->mem_addr == 0) && (jumps || entry->pc_wdata == after);
}

static void fill_from_entry(struct ear_compact_record *compact, const struct ear_retire *entry,
	const struct ear_operation *op, const struct target *target)
{
	const struct ear_fast_entry fast = {.op = op,
		.pc = entry->pc_rdata,
		.next_pc = entry->pc_wdata,
		.result = op->rd ? entry->rd_wdata : 0,
		.address = entry->mem_addr,
		.data = ear_low_bits(op->kind == EAR_DO_LOAD ? entry->mem_rdata : entry->mem_wdata,
			8u * op->access)};

	fill_compact(compact, &fast, target->offset, target->ticks, entry->xlen);
}

/* Any other difference. Returns false if the entry waits. */
static bool add_entry(struct ear_reconstruct *reconstruct, const struct target *target,
	struct ear_record_message *message)
{
	struct ear_predictor *predictor = reconstruct->predictor;
	const struct ear_retire *entry = &reconstruct->entry;
	const uint64_t pc = predictor->pc;
	const size_t i = target->run->count;

	ear_reconstruct_decode(reconstruct, message);
	const struct ear_operation *op = find_operation(predictor, entry->insn);
	reconstruct->entry_waits =
		!is_ordinary(reconstruct, target, op, pc, ear_reconstruct_privilege(entry));
	if (reconstruct->entry_waits)
		return false;
	fill_from_entry(&target->compacts[i], entry, op, target);
	if (target->operands)
		target->operands[i] = (struct ear_operands){
			entry->rs1_rdata, entry->rs2_rdata, entry->rs1_addr, entry->rs2_addr};
	return true;
}

static bool add_difference(struct ear_reconstruct *reconstruct, const struct target *target,
	struct ear_record_message *message)
{
	struct ear_predictor *predictor = reconstruct->predictor;
	const struct ear_difference *difference = &message->differences[0];
	uint64_t delta = message->entry.mem_rdata;

	if (difference->mask == EAR_DIFFER_RDATA && difference->relative &&
		(predictor->xlen == 32 ? add_load(predictor, target, delta, 32)
				       : add_load(predictor, target, delta, 64))) {
		message->done++;
		message->count--;
		return true;
	}
	return add_entry(reconstruct, target, message);
}

static __attribute__((noinline)) size_t add_predicted(
	struct ear_predictor *predictor, const struct target *target, size_t count)
{
	if (target->operands)
		return predictor->xlen == 32 ? predict_run(predictor, target, count, true, 32)
					     : predict_run(predictor, target, count, true, 64);
	return predictor->xlen == 32 ? predict_run(predictor, target, count, false, 32)
				     : predict_run(predictor, target, count, false, 64);
}

bool ear_reconstruct_run_time(struct ear_reconstruct *reconstruct,
	const struct ear_compact_run *run, const struct ear_message *message)
{
	uint64_t ticks = reconstruct->ticks + message->u.ticks;

	if (!run->all_timed || ticks < run->ticks || ticks - run->ticks > UINT32_MAX)
		return false;
	reconstruct->ticks = ticks;
	return true;
}

bool ear_reconstruct_begin_run(
	const struct ear_reconstruct *reconstruct, struct ear_compact_run *run, uint64_t offset)
{
	const struct ear_predictor *predictor = reconstruct->predictor;

	run->count = 0;
	/* An index after a gap without an end is for ear_reconstruct_arrive. */
	if (!reconstruct->following || reconstruct->gap_pending || reconstruct->entry_waits ||
		!reconstruct->capture.open || !reconstruct->order_known ||
		reconstruct->expected_order != predictor->order)
		return false;
	*run = (struct ear_compact_run){
		.first_index = predictor->order,
		.stream_offset = offset,
		.ticks = reconstruct->ticks,
		.hart = reconstruct->hart,
		.xlen = predictor->xlen,
		.privilege = privilege(predictor),
		.frm = reconstruct->frm,
		.vtype = reconstruct->vtype,
		.first_timed = reconstruct->ticks_known,
		.all_timed = reconstruct->ticks_known && reconstruct->every_record_timed,
		.ordinary = true,
	};
	return true;
}

void ear_reconstruct_add_run(struct ear_reconstruct *reconstruct, struct ear_compact_run *run,
	struct ear_compact_record *compacts, struct ear_operands *operands,
	struct ear_record_message *message, uint64_t offset)
{
	struct ear_predictor *predictor = reconstruct->predictor;
	const struct target target = {run, compacts,
		reconstruct->with_reads && predictor->geometry.operands ? operands : NULL,
		(uint32_t)(offset - run->stream_offset),
		run->all_timed ? (uint32_t)(reconstruct->ticks - run->ticks) : 0};
	uint32_t room = EAR_RUN_CHECK_INTERVAL - reconstruct->unchecked;
	size_t before = run->count, end = EAR_COMPACT_RUN_MAX;

	if (end - before > room)
		end = before + room;
	if (message->run > 0 && before < end) {
		size_t count = message->run < end - before ? message->run : end - before;
		count = add_predicted(predictor, &target, count);
		message->run -= (uint32_t)count;
		run->count += count;
	}
	while (message->run == 0 && message->count > 0 && run->count < end &&
		add_difference(reconstruct, &target, message))
		run->count++;
	if (run->count == before && !reconstruct->entry_waits)
		return;
	/* The index of the predictor was the expected one, also if that of an entry that waits is
	 * not. */
	if (reconstruct->frame_fresh)
		reconstruct->frame.order = run->first_index + before;
	reconstruct->frame_fresh = false;
	reconstruct->fresh = false;
	reconstruct->unchecked += (uint32_t)(run->count - before) + reconstruct->entry_waits;
	if (run->count == before)
		return;
	reconstruct->capture.records += run->count - before;
	reconstruct->expected_order = run->first_index + run->count;
	if (!reconstruct->every_record_timed)
		reconstruct->ticks_known = false;
}
