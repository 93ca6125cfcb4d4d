#ifndef EAR_ANALYSES_TOP_TYPES_H
#define EAR_ANALYSES_TOP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/instruction.h>
#include <earshot/names.h>

/* What a live view (top.h) counts, and is asked for. */

#define EAR_TOP_ROWS_MAX (1u << 20) /* functions, and instructions: others share one row */
#define EAR_TOP_CAUSES   64u        /* other causes share one row */

struct ear_top_options {
	struct ear_names *names; /* NULL: there are none. They must stay */
	const uint64_t *idle;    /* where functions begin that only wait; copied */
	size_t idle_count;
	uint32_t rows_max; /* 0: EAR_TOP_ROWS_MAX */
};

/* As struct ear_profile_counts has them. */
enum ear_top_key { EAR_TOP_RECORDS, EAR_TOP_CLOCKS, EAR_TOP_TRAPS, EAR_TOP_INTERRUPTS };
#define EAR_TOP_KEYS 4

struct ear_top_counts {
	uint64_t all[EAR_TOP_KEYS]; /* by enum ear_top_key */
};

struct ear_top_function {
	const char *name; /* "": no symbol; entry says where it begins. Of the names */
	uint64_t entry;   /* 0: the function is not known */
	uint16_t hart;
	bool is_idle; /* one of options.idle */
	struct ear_top_counts now, sum;
};

struct ear_top_pc {
	uint64_t pc;
	uint32_t function; /* a number, for this file's own use */
	uint16_t hart;
	const char *name; /* of its function, with its entry */
	uint64_t entry;
	const char *path; /* of the source; NULL: not known */
	uint32_t line;
	struct ear_top_counts now, sum;
};

struct ear_top_cause {
	bool is_interrupt, is_known; /* not known: the trace has no cause, or there are too many */
	uint64_t cause;
	uint64_t now, sum;
};

/* What waiting is: wfi, a jump to itself, and functions of options.idle. clocks are those of such
 * records, and of a record that follows a wfi. */
struct ear_top_idle {
	uint64_t records, clocks, waits; /* waits: wfi */
};

struct ear_top_hart {
	uint16_t hart;
	bool has_depth;      /* calls are known */
	uint32_t depth;      /* frames, at the end of the interval */
	uint32_t depth_most; /* most frames in the interval, */
	uint32_t depth_ever; /* and since the beginning */
	uint64_t pc;         /* of its last record */
	struct ear_top_counts now, sum;
	struct ear_top_idle idle_now, idle_sum;
};

/* What ear_stat_analysis counts, too. */
struct ear_top_sum {
	struct ear_top_counts counts;
	struct ear_top_idle idle;
	uint64_t gaps, missing; /* records in gaps of known size */
	uint64_t blind;         /* gaps of unknown size */
	uint64_t events;
	uint64_t decoded; /* instructions that did not trap and have an opcode of RISC-V */
	uint64_t classes[EAR_CLASS_VECTOR + 1];
	uint64_t timed; /* records with a time */
};

/* Which rows are wanted. */
struct ear_top_wish {
	bool sum; /* rows since the beginning, by their sums; else those of the interval */
	enum ear_top_key key;
	size_t rows_max; /* of each list; 0: all */
	int hart;        /* of this one only; -1: of all */
};

/* A copy, which does not change while more is counted. Texts are those of the names. All zero is an
 * empty one. */
struct ear_top_view {
	struct ear_top_sum now, sum;
	struct ear_top_function *functions; /* most first */
	size_t function_count, function_room;
	struct ear_top_pc *pcs;
	size_t pc_count, pc_room;
	struct ear_top_hart *harts;
	size_t hart_count, hart_room;
	struct ear_top_cause causes[EAR_TOP_CAUSES + 2];
	size_t cause_count;
	/* What rows that were wanted have and are not in the lists. */
	struct ear_top_counts other_functions, other_pcs;
	bool limited; /* there were too many rows, or calls are too deep to be kept apart */
};

#endif
