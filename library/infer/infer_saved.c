/* Save and restore what is known: the passes over a window begin where the first one did. */
#include "library/infer/infer_saved.h"

int infer_save(struct infer_saved *saved, const struct ear_infer *infer)
{
	*saved = (struct infer_saved){.has_hart = infer->hart_count > 0,
		.index = infer->index,
		.counts = infer->counts,
		.floats = infer->floats,
		.doubles = infer->doubles};
	if (saved->has_hart)
		saved->hart = *infer->harts[0];
	return infer_memory_copy(&saved->memory, &infer->memory);
}

void infer_saved_fini(struct infer_saved *saved)
{
	infer_memory_fini(&saved->memory);
}

int infer_restore(struct ear_infer *infer, const struct infer_saved *saved)
{
	struct infer_memory memory;
	int result = infer_memory_copy(&memory, &saved->memory);

	if (result)
		return result;
	infer_memory_fini(&infer->memory);
	infer->memory = memory;
	if (saved->has_hart)
		*infer->harts[0] = saved->hart;
	else if (infer->hart_count > 0)
		infer_forget_hart(infer->harts[0]);
	infer->index = saved->index;
	infer->counts = saved->counts;
	infer->floats = saved->floats;
	infer->doubles = saved->doubles;
	return 0;
}
