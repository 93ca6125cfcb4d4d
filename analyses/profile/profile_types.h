#ifndef EAR_ANALYSES_PROFILE_TYPES_H
#define EAR_ANALYSES_PROFILE_TYPES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a profile (profile.h) counts, and is made of. */

/* What is counted. clocks: the time of a record less that of the one before it of the same hart,
 * where both have one. */
#define EAR_PROFILE_COUNTS 11
struct ear_profile_counts {
	union {
		struct {
			uint64_t records; /* of instructions and interrupts */
			uint64_t clocks;
			uint64_t reads, writes; /* accesses of instructions that retired, */
			uint64_t read_bytes, written_bytes;
			uint64_t lines; /* of 64 bytes that these touched: one over a border, two */
			uint64_t taken, not_taken; /* conditional branches, where that is known */
			uint64_t traps;            /* instructions that trapped */
			uint64_t interrupts;       /* taken, instead of an instruction */
		};
		uint64_t all[EAR_PROFILE_COUNTS]; /* the same, in this order */
	};
};
_Static_assert(sizeof(struct ear_profile_counts) == EAR_PROFILE_COUNTS * sizeof(uint64_t),
	"all has as many counts as have names");

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

struct ear_names;

struct ear_profile_options {
	struct ear_names *names;      /* NULL: there are none, as in part files; they must stay */
	bool interrupts_inside;       /* handlers are below what they interrupted, no roots */
	bool pcs;                     /* count instructions, too */
	bool no_traps, no_interrupts; /* the trace cannot show them (ear_trace_carries) */
	bool inlined;                 /* functions that were inlined are functions, too */
	/* Only records with one of these functions among their callers, or in it; and none with one
	 * of those. By where they begin; the arrays stay the caller's. */
	const uint64_t *within, *without;
	size_t within_count, without_count; /* 0: all; none */
	pthread_mutex_t *lock; /* held while names are asked; NULL: they are this thread's alone */
	bool two_threads;      /* summing up may take a second one */
};

/* Does the trace show times, accesses, whether branches were taken, traps and interrupts? If not,
 * their counts are 0. */
struct ear_profile_shows {
	bool time, accesses, branches, traps, interrupts;
};
#endif
