/* The predictor as an object: its memory, its reset, and the caches that only make it faster.
 *
 * Operations are cached twice: by opcode, so that an opcode is decoded once; and by pc, so that the
 * fast path needs no look-up in the code cache. The latter holds as long as no opcode can have
 * changed, which a generation number says: a change costs one increment instead of a clearing.
 */
#include "decoder/predict/predictor.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/isa/csr.h"
#include "decoder/predict/predictor_internal.h"

int ear_predictor_init(struct ear_predictor *predictor, const struct ear_unit *unit,
	const struct ear_geometry *geometry)
{
	memset(predictor, 0, sizeof(*predictor));
	predictor->geometry = *geometry;
	predictor->xlen = unit->xlen;
	predictor->flen = unit->flen;
	predictor->csr_slots = unit->csr_slots;
	predictor->paddr = unit->features & EAR_REG_FEATURES_PADDR_MASK;

	int result = ear_shadow_init(&predictor->code, &geometry->code);
	if (result == 0 && !geometry->unified)
		result = ear_shadow_init(&predictor->data, &geometry->data);
	predictor->by_opcode =
		calloc((size_t)1 << EAR_OPERATIONS_BY_OPCODE_LOG2, sizeof(*predictor->by_opcode));
	predictor->by_pc =
		calloc((size_t)1 << EAR_OPERATIONS_BY_PC_LOG2, sizeof(*predictor->by_pc));
	predictor->code_marks = calloc((size_t)1 << EAR_CODE_MARKS_LOG2, 1);
	if (result || !predictor->by_opcode || !predictor->by_pc || !predictor->code_marks) {
		ear_predictor_fini(predictor);
		return EAR_E_NO_MEMORY;
	}
	/* Each entry of by_opcode must be the operation of its own opcode from the beginning. */
	for (size_t i = 0; i < (size_t)1 << EAR_OPERATIONS_BY_OPCODE_LOG2; i++)
		ear_operation_decode(&predictor->by_opcode[i], 0, unit->xlen, unit->flen);
	ear_predictor_reset(predictor, 0);
	return 0;
}

void ear_predictor_fini(struct ear_predictor *predictor)
{
	ear_shadow_fini(&predictor->code);
	ear_shadow_fini(&predictor->data);
	free(predictor->by_opcode);
	free(predictor->by_pc);
	free(predictor->code_marks);
	predictor->by_opcode = NULL;
	predictor->by_pc = NULL;
	predictor->code_marks = NULL;
}

void ear_predictor_code_changed(struct ear_predictor *predictor)
{
	if (++predictor->generation != 0)
		return;
	memset(predictor->by_pc, 0, sizeof(*predictor->by_pc) << EAR_OPERATIONS_BY_PC_LOG2);
	predictor->generation = 1;
}

void ear_predictor_reset(struct ear_predictor *predictor, uint64_t order)
{
	predictor->order = order;
	predictor->pc = 0;
	predictor->intr = predictor->debug = predictor->virt = false;
	predictor->mode = EAR_MODE_M;
	predictor->ixl = predictor->xlen == 64 ? 2 : 1;
	memset(predictor->x, 0, sizeof(predictor->x));
	memset(predictor->f, 0, sizeof(predictor->f));
	predictor->fcsr = 0;
	predictor->mstatus = predictor->mtvec = predictor->mepc = 0;
	predictor->mcause = predictor->mtval = 0;
	memset(predictor->csrs, 0, sizeof(predictor->csrs));
	predictor->irq_cause = ((uint64_t)1 << (predictor->xlen - 1)) | EAR_INTERRUPT_TIMER;
	predictor->irq_without_insn = false;
	predictor->misaligned_traps = predictor->unknown_traps = false;
	predictor->trap_lists_mstatush = predictor->xlen == 32;
	predictor->mret_mpp = 0;
	predictor->tval_zero = 0;
	predictor->raised = 0;
	predictor->trapped_before = false;
	predictor->trap_pc = predictor->trap_cause = 0;
	memset(predictor->pc_pages, 0, sizeof(predictor->pc_pages));
	memset(predictor->data_pages, 0, sizeof(predictor->data_pages));
	memset(predictor->dictionary, 0, sizeof(predictor->dictionary));
	ear_shadow_clear(&predictor->code);
	if (!predictor->geometry.unified)
		ear_shadow_clear(&predictor->data);
	predictor->digest = 0;
	memset(predictor->code_marks, 0, (size_t)1 << EAR_CODE_MARKS_LOG2);
	ear_predictor_code_changed(predictor);
}
