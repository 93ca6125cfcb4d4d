#ifndef EAR_ANALYSES_PROFILE_STATE_H
#define EAR_ANALYSES_PROFILE_STATE_H

#include <earshot/calls.h>
#include <earshot/names.h>

#include "analyses/base/numbering.h"
#include "analyses/profile/profile_types.h"

/* What is counted until it is summed up. */

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

	/* Its first record that has a time belongs to a path, function and pc, but the clocks
	 * before it are not known: those of a part that comes before. */
	bool has_first;
	uint64_t first_ticks, first_pc;
	uint32_t first_path, first_function; /* UINT32_MAX: it is not counted */
};

/* What the names say of a pc. */
struct ear_profile_place {
	bool known, named;
	uint32_t function;    /* if named */
	uint64_t pc;          /* if known */
	uint64_t first, last; /* addresses that are of the function */
};

/* What the names said of an address where something was called, or entered: of a part that was read
 * from a file, which has no names. */
struct ear_profile_known {
	uint64_t address;
	uint32_t function;
};

#define EAR_PROFILE_PLACES 4096u /* a power of two */

struct ear_profile {
	struct ear_calls *calls;
	struct ear_profile_counts total;
	uint64_t gaps, pathless;
	bool has_time, limited, muted;
	bool is_part, is_written; /* instead of the whole; and not joined, but written */
	uint8_t seen;             /* set of enum ear_profile_seen */
	char **strings;           /* names of functions that came with other profiles */
	size_t string_count;
	const char *part_source; /* while a part is read: of the next function; NULL: none */

	/* Functions by the address where they begin. */
	struct ear_profile_function *functions;
	uint32_t function_count;
	struct ear_numbering function_numbers;

	struct ear_profile_cell *cells;
	uint32_t cell_count;
	struct ear_numbering cell_numbers;
	/* Of each path, a cell of it + 1, the last that was looked for; 0: none. */
	uint32_t *path_cells;
	uint32_t path_cell_count;

	struct ear_profile_options options;
	uint8_t *path_filters; /* of paths 0 .. path_filter_count - 1, if options filter */
	uint32_t path_filter_count, path_filter_capacity;
	struct ear_profile_place *places; /* EAR_PROFILE_PLACES, by pc */
	struct ear_profile_known *known;
	uint32_t known_count;
	struct ear_numbering known_numbers; /* by address */

	struct ear_profile_pc *pcs;
	uint32_t pc_count;
	struct ear_numbering pc_numbers; /* by pc and function */

	struct ear_profile_hart *harts;
	size_t hart_count;

	/* While it is summed up, with options.inlined: all functions by number, of which functions
	 * has the rows; and of each its row. NULL: each is a row. */
	struct ear_profile_function *parts;
	uint32_t *rows;

	struct ear_profile_node *nodes;
	uint32_t node_count;
	struct ear_profile_edge *edges;
	uint32_t edge_count;
};

#endif
