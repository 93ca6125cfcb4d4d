/* What the files of library/infer share: becoming unknown, and what a record shows. */
#include "library/infer/infer_state.h"

void infer_forget_hart(struct infer_hart *hart)
{
	*hart = (struct infer_hart){.hart = hart->hart, .xlen = hart->xlen};
	hart->x[0] = infer_exactly(0);
}

void infer_forget(struct ear_infer *infer)
{
	for (size_t i = 0; i < infer->hart_count; i++)
		infer_forget_hart(infer->harts[i]);
	infer_memory_forget(&infer->memory);
	infer->counts.forgotten++;
}

void infer_translate(struct ear_infer *infer)
{
	infer->memory.moved = true;
	infer_memory_forget(&infer->memory);
}

const struct ear_record_register *infer_shown(
	const struct ear_record *record, unsigned reg_class, unsigned number)
{
	for (size_t i = 0; i < record->register_count; i++)
		if (record->registers[i].reg_class == reg_class &&
			record->registers[i].number == number)
			return &record->registers[i];
	return NULL;
}
