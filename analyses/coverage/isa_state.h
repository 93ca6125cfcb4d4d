#ifndef EAR_ANALYSES_ISA_STATE_H
#define EAR_ANALYSES_ISA_STATE_H

#include "analyses/base/numbering.h"
#include "analyses/base/part_walk.h"
#include "analyses/coverage/isa_opcode.h"

/* What is known while records are counted (isa_coverage.h): opcodes, harts, and what is open. */

#define EAR_ISA_RECENT 4096u /* a power of two */
#define EAR_ISA_HARTS  1024u

/* Steps and values are those at the end of what was counted. What is open is as it was before the
 * first record; the rest is known or not. */
struct isa_hart {
	uint16_t number;
	struct isa_step before[EAR_ISA_DISTANCES]; /* the last one first */
	uint64_t known, open;                      /* sets of registers */
	uint64_t values[EAR_ISA_VALUED];
	bool has_privilege;
	uint8_t privilege; /* of its last record */
	bool knows_frm, frm_is_open;
	uint8_t frm;

	/* The begin. */
	struct isa_step first[EAR_ISA_DISTANCES]; /* in order; their hazards are not counted */
	uint8_t first_count;
	bool has_first_privilege;
	uint8_t first_privilege;
	bool steps_are_cut; /* no more of them is open: a trap, or what forgets all */
	bool forgotten;     /* nothing is open: a gap, or what is like one */
};

/* How often an opcode ran on a hart with open operands. The other operand of x registers has a
 * value by enum ear_isa_value, or one of these. */
#define ISA_OTHER_UNKNOWN 7
#define ISA_OTHER_OPEN    8 /* is counted for rs1 only */
#define ISA_OTHERS        9

struct isa_open_count {
	uint32_t number; /* of the opcode, from 1 */
	uint32_t hart;   /* its place */
	uint64_t rs1[ISA_OTHERS], rs2[ISA_OTHERS];
	uint64_t rounded; /* by a frm that is open */
};

struct ear_isa_coverage {
	const struct ear_instructions *instructions;
	struct ear_instructions *own; /* instructions, if they are of this count alone */
	const char *march;            /* NULL: all */
	struct ear_isa_opcode *opcodes;
	uint32_t opcode_count;
	struct ear_numbering numbering;
	uint32_t recent[EAR_ISA_RECENT]; /* numbers + 1, by a hash of the word; 0: none */
	struct isa_hart *harts;
	size_t hart_count, last_hart;
	bool is_open;
	bool paused;            /* since it was made: of a hart that comes later nothing is open */
	bool unwanted, skipped; /* the next batch, and the instruction before it: not counted */
	struct isa_open_count *open_counts;
	uint32_t open_count;
	struct ear_numbering open_numbering;
	struct ear_isa_sums sums;
};

/* *number: of the opcode, from 1; 0: there is no room for it. Returns 0 or
 * EAR_E_NO_MEMORY. */
int ear_isa_find_opcode(
	struct ear_isa_coverage *coverage, uint32_t opcode, uint8_t xlen, uint32_t *number);
/* NULL if memory is short, or there are too many. */
struct isa_hart *ear_isa_find_hart(struct ear_isa_coverage *coverage, uint16_t number);
void ear_isa_forget(struct isa_hart *hart);
void ear_isa_forget_steps(struct isa_hart *hart);

/* NULL if memory is short. */
struct isa_open_count *ear_isa_open_count(
	struct ear_isa_coverage *coverage, uint32_t number, uint32_t hart);

/* Functions of ear_isa_coverage_analysis: the next part, which is open, follows what the whole,
 * which is not, has; and a part as text. */
int ear_isa_join(void *whole, void *part);
void ear_isa_walk_part(void *count, struct ear_part_walk *walk);

#endif
