#ifndef EAR_ANALYSES_PROFILE_PRIVATE_H
#define EAR_ANALYSES_PROFILE_PRIVATE_H

#include "analyses/numbering.h"
#include "analyses/profile.h"

/* What counting (profile.c) and summing up (profile_sum.c) share. */

/* What ran in a function, in a path. */
struct ear_profile_cell {
	uint32_t path; /* 0: no path is known */
	uint32_t function;
	struct ear_profile_counts counts;
};

struct ear_profile_hart {
	uint16_t hart;
	bool timed;
	uint64_t ticks; /* of its last record, if timed */
};

struct ear_profile {
	struct ear_names *names;
	struct ear_calls *calls;
	struct ear_profile_counts total;
	uint64_t gaps, pathless;
	bool has_time;

	/* Functions by the address where they begin. */
	struct ear_profile_function *functions;
	uint32_t function_count;
	struct ear_numbering function_numbers;

	struct ear_profile_cell *cells;
	uint32_t cell_count;
	struct ear_numbering cell_numbers;

	/* The function that a record was in last: addresses first .. last are of it. */
	uint64_t first, last;
	uint32_t function; /* UINT32_MAX: none */

	bool counts_pcs;
	struct ear_profile_pc *pcs;
	uint32_t pc_count;
	struct ear_numbering pc_numbers; /* by pc and function */

	struct ear_profile_hart *harts;
	size_t hart_count;

	struct ear_profile_node *nodes;
	uint32_t node_count;
	struct ear_profile_edge *edges;
	uint32_t edge_count;
};

/* The function that an address is in; where names have none, one that begins at otherwise.
 * Returns UINT32_MAX if memory is short. */
uint32_t ear_profile_function_at(struct ear_profile *profile, uint64_t address, uint64_t otherwise);

void ear_profile_add(struct ear_profile_counts *sum, const struct ear_profile_counts *counts);

#endif
