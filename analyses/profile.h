#ifndef EAR_ANALYSES_PROFILE_H
#define EAR_ANALYSES_PROFILE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <earshot/calls.h>
#include <earshot/names.h>
#include <earshot/trace.h>

#include "analyses/part.h"

/* Where a run spent its instructions: by function, and by the path of calls that led there.
 * docs/analyses.md, section 3.
 *
 *     ear_profile_new(&profile, names, NULL);
 *     while (ear_trace_next_batch(trace, &batch) == 1)
 *             ear_profile_batch(profile, &batch);
 *     ear_profile_finish(profile);
 *     ... ear_profile_functions, ear_profile_path
 *     ear_profile_free(profile);
 */
struct ear_profile;

/* What is counted. clocks: the time of a record less that of the one before it of the same hart,
 * where both have one. */
struct ear_profile_counts {
	uint64_t records; /* of instructions and interrupts */
	uint64_t clocks;
	uint64_t reads, writes; /* accesses of instructions that retired, */
	uint64_t read_bytes, written_bytes;
	uint64_t lines;            /* of 64 bytes that these touched: one over a border, two */
	uint64_t taken, not_taken; /* conditional branches, where that is known */
	uint64_t traps;            /* instructions that trapped */
	uint64_t interrupts;       /* taken, instead of an instruction */
};

/* All members are numbers of this type, so that they can be gone through. */
#define EAR_PROFILE_COUNTS (sizeof(struct ear_profile_counts) / sizeof(uint64_t))

struct ear_profile_function {
	const char *name; /* "" : no symbol, entry says where */
	uint64_t entry;   /* 0: the function is not known */
	struct ear_profile_counts self;
	/* With all that it called; a record counts once for a function, however often that is among
	 * its callers. */
	struct ear_profile_counts inclusive;
	uint64_t calls; /* of its entry by calls, traps and interrupts */

	/* With options.inlined: some of it ran inlined into other functions; all of it did, so that
	 * it has no entry and calls are not known; its source, NULL if that is not known. */
	bool is_inlined, is_only_inlined;
	const char *source;
	uint32_t
		outer; /* until it is finished: the one that it is inlined into; UINT32_MAX: none */
};

/* A node of the tree of calls. Numbers are 0 .. count - 1, a parent's is lower. */
struct ear_profile_node {
	uint32_t parent; /* UINT32_MAX: a root */
	uint32_t function;
	uint8_t kind;     /* enum ear_call_frame_kind */
	bool is_inlined;  /* into the parent; with calls: it is called there, too */
	uint64_t call_pc; /* where it was called; of a root, and after a tail call: undefined */
	uint64_t calls;
	struct ear_profile_counts self, inclusive;
};

/* An instruction. */
struct ear_profile_pc {
	uint64_t pc;
	uint32_t function; /* that it is in */
	uint32_t opcode;   /* that it had first, if opcode_size > 0: of RISC-V */
	uint8_t opcode_size, xlen;
	bool changed; /* it had others, too */
	/* records has those that trapped, and interrupts that were taken instead. */
	uint64_t records, clocks, taken, not_taken, traps, interrupts;
};

/* All calls of a function from one place in another one. What a recursion calls counts at each of
 * its depths. Or jumps to it by the function that was called last, from wherever in it: calls is 0,
 * call_pc where the function begins. */
struct ear_profile_edge {
	uint32_t caller, callee; /* functions */
	uint64_t call_pc;
	uint64_t calls;
	struct ear_profile_counts inclusive;
};

struct ear_profile_options {
	bool interrupts_inside; /* handlers are below what they interrupted, no roots */
	bool pcs;               /* count instructions, too */
	bool inlined;           /* functions that were inlined are functions, too */
	/* Only records with one of these functions among their callers, or in it; and none with one
	 * of those. By where they begin; the arrays stay the caller's. */
	const uint64_t *within, *without;
	size_t within_count, without_count; /* 0: all; none */
	pthread_mutex_t *lock; /* held while names are asked; NULL: they are this thread's alone */
};

#define EAR_PROFILE_PCS_MAX (1u << 24) /* instructions; others count for their function only */

/* names NULL: there are none; they must stay. Returns 0 and *profile, or EAR_E_NO_MEMORY. */
int ear_profile_new(struct ear_profile **profile, struct ear_names *names,
	const struct ear_profile_options *options);
void ear_profile_free(struct ear_profile *profile); /* NULL is fine */

/* Returns 0 or an error as ear_calls_batch. */
int ear_profile_batch(struct ear_profile *profile, const struct ear_batch *batch);

/* Parts: before the first batch, the profile begins at the moment (ear_calls_start), which is not
 * needed after it. Where no calls are known none are. Returns 0 or an error as ear_calls_start. */
struct ear_moment;
int ear_profile_start(struct ear_profile *profile, struct ear_moment *moment,
	const struct ear_progress *progress);

/* Add what was counted of the part that comes next, by a profile with the same options: the result
 * is the profile of both, wherever they were cut. No more batches may come to either of them. next
 * must not be finished, and may be freed.
 *
 * Returns 0; EAR_E_NO_MEMORY: profile is of no use any more. */
int ear_profile_join(struct ear_profile *profile, struct ear_profile *next);

/* From now on records change the stacks, but do not count; or count again. */
void ear_profile_mute(struct ear_profile *profile, bool muted);

/* What comes next is another run: no time passed to it. */
void ear_profile_pause(struct ear_profile *profile);

/* Files of parts (part.h): what was counted, by a profile that is not finished, after the head; and
 * into a new profile with the same options, after ear_part_open. The first returns 0 or
 * EAR_E_NO_MEMORY; the second false, and the reader has the error. */
int ear_profile_write(struct ear_profile *profile, struct ear_part_writer *writer);
bool ear_profile_read(struct ear_profile *profile, struct ear_part_reader *reader);

/* All has been counted: make functions and nodes. Returns 0 or EAR_E_NO_MEMORY. */
int ear_profile_finish(struct ear_profile *profile);

/* After that. Functions with what they have, by address; nodes, parents first. */
size_t ear_profile_function_count(const struct ear_profile *profile);
const struct ear_profile_function *ear_profile_function(
	const struct ear_profile *profile, size_t function);
size_t ear_profile_node_count(const struct ear_profile *profile);
const struct ear_profile_node *ear_profile_node(const struct ear_profile *profile, size_t node);

size_t ear_profile_edge_count(const struct ear_profile *profile);
const struct ear_profile_edge *ear_profile_edge(const struct ear_profile *profile, size_t edge);
/* With pcs, by function and address. */
size_t ear_profile_pc_count(const struct ear_profile *profile);
const struct ear_profile_pc *ear_profile_pc(const struct ear_profile *profile, size_t pc);

struct ear_profile_counts ear_profile_total(const struct ear_profile *profile);
bool ear_profile_has_time(const struct ear_profile *profile);
/* Does the trace show times, accesses, and whether branches were taken? If not, their counts are 0.
 */
struct ear_profile_shows {
	bool time, accesses, branches;
};
struct ear_profile_shows ear_profile_shows_of(const struct ear_profile *profile);
uint64_t ear_profile_gaps(const struct ear_profile *profile);
/* Records of instruction sets of which no calls are known. */
uint64_t ear_profile_pathless(const struct ear_profile *profile);
/* Deeper paths were not kept apart. */
bool ear_profile_limited(const struct ear_profile *profile);

#endif
