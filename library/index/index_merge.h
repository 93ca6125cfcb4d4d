#ifndef EAR_INDEX_MERGE_H
#define EAR_INDEX_MERGE_H

#include "library/index/file/index_version.h"
#include "library/index/index_part.h"
#include "library/stack/call_stack.h"

/* Nodes of level 0, in the order of the trace, become an index file: higher levels, call stacks,
 * registers, versions of memory, and what fits the budget. docs/index.md, sections 6 and 7.
 */

struct ear_index_merge {
	struct ear_index_writer writer;
	struct ear_index_directory directory; /* as far as it is written */
	bool text;
	struct ear_index_packer *packer;
	struct ear_index_collect levels[EAR_INDEX_LEVELS_MAX]; /* of level 1 and above */
	unsigned level_count;                                  /* that are in use */
	struct ear_call_stacks *stacks;
	bool no_stacks;   /* they could not be followed */
	bool depth_known; /* first_hart is */
	uint16_t first_hart;
	struct ear_state *base; /* registers at the begin of the part; NULL: it is the first */
	struct ear_index_bytes whole; /* contents of the last whole checkpoint */
	size_t whole_node;
	size_t whole_size; /* of its block */
	unsigned skipped;  /* nodes without checkpoint in a row */
	struct ear_index_pending pending;
	double line_size;                /* bytes of a line in the last version */
	struct ear_index_pending sparse; /* some lines of the last node */
	size_t alone_size; /* bytes of a checkpoint, the last one without a version, and */
	size_t joint_size; /* the last one with a version */
	int64_t credit;    /* bytes that may be written */
	struct ear_index_spent {
		uint64_t sets, levels, checkpoints, versions;
	} spent;
};

/* Begin in an empty file. Returns 0, EAR_E_NO_MEMORY, EAR_E_IO; fini is right in all cases. */
int ear_index_merge_init(struct ear_index_merge *merge, int fd, bool text);
void ear_index_merge_fini(struct ear_index_merge *merge);

/* Before the first node: so many records, and nodes of level 0, are in the file already. */
void ear_index_merge_account(struct ear_index_merge *merge, uint64_t records);

/* The next node; product keeps what it has. Returns 0, EAR_E_NO_MEMORY, EAR_E_IO (errno),
 * EAR_E_FULL (the trace is too long).
 */
int ear_index_merge_add(struct ear_index_merge *merge, struct ear_index_product *product);

/* The part ends; state: what it says of registers. Returns as above. */
int ear_index_merge_end_part(struct ear_index_merge *merge, const struct ear_state *state);

/* All nodes are there: the last ones of the higher levels, volatile bytes, directory, end. identity
 * and flags of the directory are filled in by the caller before. Returns as above.
 */
int ear_index_merge_finish(
	struct ear_index_merge *merge, const struct ear_memory_volatile *volatiles);

#endif
