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

	/* Its first record that has a time belongs to a path, function and pc, but the clocks
	 * before it are not known: those of a part that comes before. */
	bool has_first;
	uint64_t first_ticks, first_pc;
	uint32_t first_path, first_function; /* UINT32_MAX: it is not counted */
};

/* What the trace showed, so that what it lacks is not taken for nothing. */
enum ear_profile_seen {
	EAR_PROFILE_OPCODE = 1,      /* some opcode of RISC-V */
	EAR_PROFILE_ACCESS = 2,      /* some access */
	EAR_PROFILE_NO_ACCESS = 4,   /* a load or store without one */
	EAR_PROFILE_OUTCOME = 8,     /* whether some branch was taken */
	EAR_PROFILE_NO_OUTCOME = 16, /* a branch of which that is not known */
	EAR_PROFILE_SEEN_MAX = 31,
};

struct ear_profile_shows ear_profile_shows(uint8_t seen, bool time);

/* The clocks of records: of each hart since its last one that had a time. All zero: no record came.
 */
struct ear_profile_times {
	struct ear_profile_time {
		uint16_t hart;
		bool timed;
		uint64_t ticks;
	} * harts;
	size_t hart_count;
	bool has_time; /* some record had clocks */
};

/* Adds them to *clocks. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_times_count(
	struct ear_profile_times *times, const struct ear_record *record, uint64_t *clocks);
void ear_profile_times_stop(struct ear_profile_times *times); /* at a gap: in nobody's name */
void ear_profile_times_fini(struct ear_profile_times *times);

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
	struct ear_names *names;
	struct ear_calls *calls;
	struct ear_profile_counts total;
	uint64_t gaps, pathless;
	bool has_time, limited, muted;
	uint8_t seen;   /* set of enum ear_profile_seen */
	char **strings; /* names of functions that came with other profiles */
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

/* A function by its name and where it begins, or by what it is inlined into; a cell; an
 * instruction: their places, where counts are added. Names are kept, not copied. Return UINT32_MAX,
 * or NULL, if memory is short; NULL of an instruction also if there are EAR_PROFILE_PCS_MAX: *full
 * is set then. */
uint32_t ear_profile_take_function(struct ear_profile *profile, const char *name, uint64_t entry);
uint32_t ear_profile_take_inlined(
	struct ear_profile *profile, const char *name, const char *source, uint32_t outer);
struct ear_profile_cell *ear_profile_take_cell(
	struct ear_profile *profile, uint32_t path, uint32_t function);
struct ear_profile_pc *ear_profile_take_pc(
	struct ear_profile *profile, uint64_t pc, uint32_t function, bool *full);

/* Room for one more. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_grow_functions(struct ear_profile *profile);

/* The function that has the code: what is inlined into it, or into what is, is no entry of a call.
 * UINT32_MAX of UINT32_MAX. */
uint32_t ear_profile_outermost(const struct ear_profile *profile, uint32_t function);

/* What the names say of a pc; NULL if memory is short. */
const struct ear_profile_place *ear_profile_look_up(struct ear_profile *profile, uint64_t pc);

/* What is known of an address, UINT32_MAX: nothing; and let it be known. Returns false if memory is
 * short. */
uint32_t ear_profile_known_at(const struct ear_profile *profile, uint64_t address);
bool ear_profile_know(struct ear_profile *profile, uint64_t address, uint32_t function);

/* If names say what is at the address, it is known from now on. Returns false if memory is short.
 */
bool ear_profile_learn(struct ear_profile *profile, uint64_t address);

/* A name that stays as long as the profile. NULL if memory is short. */
const char *ear_profile_keep(struct ear_profile *profile, const char *name);

/* What options filter: is a function, by where it begins, one of these? A set of the bits. */
enum { EAR_PROFILE_WITHIN = 1, EAR_PROFILE_WITHOUT = 2 };
uint8_t ear_profile_filter(const struct ear_profile_options *options, uint64_t entry);
/* Is what is in such functions, all taken together, counted? */
bool ear_profile_keeps(const struct ear_profile_options *options, uint8_t filters);

/* What counting needs, and the sums do not: paths of calls, when they have been taken; and cells.
 * Nothing is counted any more. */
void ear_profile_free_calls(struct ear_profile *profile);
void ear_profile_free_counting(struct ear_profile *profile);

/* The hart with a number; NULL if there is none, and make is false or memory is short. */
struct ear_profile_hart *ear_profile_hart_of(
	struct ear_profile *profile, uint16_t number, bool make);

/* Cells find themselves by their functions: those have other numbers now. */
void ear_profile_renumber(struct ear_profile *profile, const uint32_t *numbers);

/* Functions become rows, which are numbered anew: rows says so. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_make_rows(struct ear_profile *profile);

/* The function that an address is in; where names have none, one that begins at otherwise.
 * Returns UINT32_MAX if memory is short. */
uint32_t ear_profile_function_at(struct ear_profile *profile, uint64_t address, uint64_t otherwise);

/* What a record counts for, but for its clocks; and what it shows. */
void ear_profile_count(
	const struct ear_record *record, struct ear_profile_counts *counts, uint8_t *seen);

void ear_profile_add(struct ear_profile_counts *sum, const struct ear_profile_counts *counts);

#endif
