#ifndef EAR_INFER_SNAPSHOT_H
#define EAR_INFER_SNAPSHOT_H

#include "decoder/record/record_copy.h"
#include "library/infer/infer_state.h"

/* Where a snapshot belongs in the last steps of a trace. */
struct infer_end {
	const struct ear_infer_held *held; /* before steps[at]; at the end after the last one */
	size_t at;
	const struct ear_infer_snapshot *memory; /* after the last step; NULL: not known */
};

/* size bytes, 1 .. 8, in the low bits; those that it does not have are not known. */
struct infer_value infer_snapshot_load(
	const struct ear_infer_snapshot *snapshot, uint64_t address, unsigned size);

/* Find *end among the last steps of a trace: their records, and what the forward pass, whose state
 * is that after them, found. Returns enum ear_infer_core_use: EAR_INFER_CORE_UNUSED leaves *end
 * alone. */
unsigned infer_snapshot_place(struct infer_end *end, const struct ear_infer *infer,
	const struct ear_record_copy *records, const struct infer_facts *steps, size_t count);

/* Does it hold something else than what is known after the last step? */
bool infer_snapshot_differs(const struct infer_end *end, struct ear_infer *infer,
	const struct infer_facts *steps, size_t count);

#endif
