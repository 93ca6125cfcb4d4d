#ifndef EAR_INFER_SAVED_H
#define EAR_INFER_SAVED_H

#include "library/infer/infer_state.h"

/* All that is known at a moment, of a trace of at most one hart: to begin there again. */
struct infer_saved {
	struct infer_hart hart;
	bool has_hart;
	struct infer_memory memory;
	uint64_t index;
	struct ear_infer_counts counts;
	bool floats, doubles;
};

/* Returns 0, to be freed with infer_saved_fini; or EAR_E_NO_MEMORY. */
int infer_save(struct infer_saved *saved, const struct ear_infer *infer);
void infer_saved_fini(struct infer_saved *saved);

/* Returns 0; EAR_E_NO_MEMORY: infer is of no more use. */
int infer_restore(struct ear_infer *infer, const struct infer_saved *saved);

#endif
