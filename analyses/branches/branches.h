#ifndef EAR_ANALYSES_BRANCHES_H
#define EAR_ANALYSES_BRANCHES_H

#include <stddef.h>
#include <stdint.h>

#include "analyses/base/analysis.h"

/* Conditional branches of RISC-V: how often each was taken, and how often a two-bit saturating
 * counter would have mispredicted it: docs/analyses/branches.md.
 *
 * The record of a branch says itself whether it was taken, so what comes between it and the next
 * record of its hart does not matter. A branch that trapped did not retire and is not counted.
 */
extern const struct ear_analysis ear_branches_analysis; /* without options */

struct ear_branches; /* its count */

/* Pairs of a branch and a hart; a predictor is kept for each of them, in some 80 bytes. */
#define EAR_BRANCHES_MAX (1u << 20)

/* The states of a counter: 0 and 1 predict not taken, 2 and 3 taken. */
#define EAR_BRANCHES_STATES  4
#define EAR_BRANCHES_INITIAL 1 /* weakly not taken */

struct ear_branch {
	uint64_t pc;
	uint64_t executed; /* of these: */
	uint64_t taken, not_taken;
	uint64_t unknown; /* the trace does not show the outcome */
	uint64_t misses;  /* mispredictions among taken and not_taken */
};

/* The counts of branch to those of sum. */
void ear_branch_add(struct ear_branch *sum, const struct ear_branch *branch);

/* All branches by pc, those of several harts added up, into *list, which the caller frees. Returns
 * their number, or EAR_E_NO_MEMORY. */
int64_t ear_branches_list(const struct ear_branches *branches, struct ear_branch **list);

struct ear_branches_sums {
	uint64_t retired;  /* instruction records that are neither an interrupt nor a trap */
	uint64_t without;  /* of these, those without an opcode of RISC-V */
	uint64_t left_out; /* executions of branches beyond EAR_BRANCHES_MAX */
	uint64_t gaps;
};

struct ear_branches_sums ear_branches_sums(const struct ear_branches *branches);

#endif
