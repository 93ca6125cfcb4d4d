#ifndef EAR_INDEX_CHECKPOINT_H
#define EAR_INDEX_CHECKPOINT_H

#include "library/index/file/index_file.h"
#include "library/source/source_anchor.h"
#include "library/state/state.h"

/* Checkpoints: where reading can begin, and what registers, stacks and the order of memory are
 * there. docs/index.md, section 3.
 */

/* The parts of a checkpoint. */
struct ear_index_checkpoint {
	struct ear_anchor anchor;
	struct ear_index_bytes registers; /* ear_state_save */
	struct ear_index_bytes stacks;    /* ear_call_stacks_save */
	struct ear_index_bytes expected;  /* ear_memory_expected_save */
};

void ear_index_checkpoint_fini(struct ear_index_checkpoint *checkpoint);

/* Contents of a checkpoint as bytes, uncompressed. */
void ear_index_checkpoint_put(
	const struct ear_index_checkpoint *checkpoint, struct ear_index_bytes *bytes);

/* The block of a checkpoint with these contents, as a difference to another one's, which is back
 * nodes before; back 0: whole. lines: of the version that the node before has, or NULL: much of a
 * predictor's caches is memory. Returns as ear_index_pack. */
int ear_index_checkpoint_pack(struct ear_index_packer *packer, struct ear_index_bytes *block,
	const struct ear_index_bytes *contents, uint32_t back, const struct ear_index_bytes *base,
	const struct ear_index_bytes *lines);

/* The position of the last checkpoint at or before position; 0 if the index has no records. */
uint64_t ear_index_checkpoint_before(const struct ear_index *index, uint64_t position);

/* That checkpoint, and its node. Returns 0; EAR_E_BAD_FILE, EAR_E_NO_MEMORY, EAR_E_IO; fini is
 * right in all cases. */
int ear_index_checkpoint_read(const struct ear_index *index, uint64_t position, size_t *node,
	struct ear_index_checkpoint *checkpoint);

/* Only its anchor, to be freed with ear_anchor_fini. */
int ear_index_checkpoint_anchor(
	const struct ear_index *index, uint64_t position, size_t *node, struct ear_anchor *anchor);

/* ear_state_save. Returns 0 or EAR_E_NO_MEMORY. */
int ear_index_save_state(const struct ear_state *state, struct ear_index_bytes *bytes);

/* For ear_state_set_source: what all who follow the registers of a trace say of its source. */
struct ear_state_source ear_index_state_source(const struct ear_source *source);

/* ear_source_checksum, but never 0, which says that there is none. */
static inline uint64_t ear_index_checksum(struct ear_source *source)
{
	uint64_t checksum = ear_source_checksum(source);

	return checksum ? checksum : 1;
}

#endif
