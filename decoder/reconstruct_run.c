#include "decoder/predict/predictor_plain.h"
#include "decoder/reconstruct.h"

/* The fast path of reconstruct.c: runs of records as predicted that are plain (predictor_plain.h).
 */

static uint8_t privilege(const struct ear_predictor *predictor)
{
	if (predictor->debug)
		return EAR_PRIVILEGE_DEBUG;
	if (predictor->virt)
		return predictor->mode == 0 ? EAR_PRIVILEGE_VU : EAR_PRIVILEGE_VS;
	return predictor->mode;
}

/* What is the same in all records of a batch. */
static void prepare(const struct ear_reconstruct *reconstruct, struct ear_record_batch *batch,
	size_t count, uint64_t offset)
{
	for (size_t i = 0; i < count; i++) {
		struct ear_record *record = &batch->records[i];
		record->kind = EAR_RECORD_INSTRUCTION;
		record->hart = reconstruct->hart;
		record->stream_offset = offset;
		record->ticks = reconstruct->ticks;
		record->extra = NULL;
		record->isa = EAR_ISA_RISCV;
		record->xlen = reconstruct->predictor->xlen;
		record->privilege = privilege(reconstruct->predictor);
		record->fflags = 0;
		record->frm = reconstruct->frm;
		record->pc_physical = 0;
		record->cause = 0;
		record->registers = &batch->registers[i];
		record->memory = &batch->memory[i];
		batch->registers[i] = (struct ear_record_register){.class = EAR_REGISTER_X};
		batch->memory[i] = (struct ear_record_access){.has_value = true};
	}
}

static inline __attribute__((always_inline)) void fill(struct ear_record_batch *batch, size_t i,
	const struct ear_plain *plain, uint64_t order, uint32_t flags, const unsigned xlen)
{
	struct ear_record *record = &batch->records[i];
	struct ear_record_register *reg = &batch->registers[i];
	struct ear_record_access *access = &batch->memory[i];
	const struct ear_operation *op = plain->op;
	bool taken = plain->next_pc != truncate(plain->pc + op->size, xlen) ||
		     op->flags & EAR_OPERATION_JUMP;

	record->index = order;
	record->opcode = op->insn;
	record->opcode_size = op->size;
	record->flags = flags | (taken ? EAR_RECORD_TAKEN : 0);
	record->pc = plain->pc;
	record->next_pc = plain->next_pc;
	record->register_count = op->rd != 0;
	reg->number = op->rd;
	reg->value = plain->result;
	record->memory_count = op->access != 0;
	access->address = plain->address;
	access->size = op->access;
	access->write = op->kind == EAR_DO_STORE;
	access->value = plain->data;
}

static inline __attribute__((always_inline)) size_t run(struct ear_reconstruct *reconstruct,
	struct ear_record_batch *batch, size_t count, const unsigned xlen)
{
	struct ear_predictor *predictor = reconstruct->predictor;
	uint32_t timed = reconstruct->ticks_known ? EAR_RECORD_HAS_TIME : 0;
	uint32_t flags = timed;
	struct ear_plain_state state;
	size_t i = 0;

	if (!ear_plain_begin(predictor, &state))
		return 0;
	for (; i < count; i++) {
		struct ear_plain plain;
		if (!ear_plain_guess(predictor, &state, &plain, xlen))
			break;
		fill(batch, i, &plain, state.order, flags, xlen);
		ear_plain_learn(predictor, &state, &plain);
		flags = reconstruct->every_record_timed ? timed : 0;
	}
	ear_plain_end(predictor, &state);
	return i;
}

void ear_reconstruct_run(struct ear_reconstruct *reconstruct, struct ear_record_batch *batch,
	struct ear_record_message *message, uint64_t offset)
{
	uint32_t room = EAR_RUN_CHECK_INTERVAL - reconstruct->unchecked;
	size_t count = message->run < room ? message->run : room;

	batch->count = 0;
	if (!reconstruct->following || reconstruct->gap_pending || count == 0)
		return;
	if (count > EAR_BATCH_SIZE)
		count = EAR_BATCH_SIZE;
	if (!message->prepared)
		prepare(reconstruct, batch, count, offset);
	message->prepared = count == EAR_BATCH_SIZE;
	count = reconstruct->predictor->xlen == 32 ? run(reconstruct, batch, count, 32)
						   : run(reconstruct, batch, count, 64);
	if (count == 0) {
		message->prepared = false;
		return;
	}
	batch->count = count;
	message->run -= (uint32_t)count;
	reconstruct->unchecked += (uint32_t)count;
	reconstruct->fresh = false;
	reconstruct->record_count += count;
	reconstruct->expected_order = reconstruct->predictor->order;
	if (!reconstruct->every_record_timed)
		reconstruct->ticks_known = false;
}
