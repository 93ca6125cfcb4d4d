#ifndef EAR_ANALYSES_CALL_LOG_CALL_H
#define EAR_ANALYSES_CALL_LOG_CALL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/calls/recent_memory.h"

/* A call of a log, and what may be asked of a log (call_log.h). */
#define EAR_CALL_LOG_WINDOW (1u << 16)
#define EAR_CALL_LOG_TAILS  8 /* tail calls of a frame that are open at a time */

enum ear_call_log_kind {
	EAR_CALL_LOG_CALL,
	EAR_CALL_LOG_TAIL, /* a jump to where another function begins: ends with its caller */
	EAR_CALL_LOG_TRAP,
	EAR_CALL_LOG_INTERRUPT,
};

enum ear_call_log_end {
	EAR_CALL_LOG_RETURNED,
	EAR_CALL_LOG_UNWOUND,   /* longjmp, an exception of C++, a new task on its stack */
	EAR_CALL_LOG_FORGOTTEN, /* a gap, or a limit */
	EAR_CALL_LOG_OPEN,      /* it had not ended when the trace did, */
	EAR_CALL_LOG_WAITED,    /* or when EAR_CALL_LOG_WINDOW others had begun after it */
};

/* Registers that arguments and results are in. */
struct ear_call_registers {
	uint64_t x[8], f[8]; /* a0 .. a7, fa0 .. fa7 */
	uint32_t known;      /* bits: x from 0, f from 8 */
};

/* What memory held where registers point to: all zero where that is not known. */
struct ear_call_bytes {
	uint64_t address, known; /* a bit a byte */
	uint8_t bytes[EAR_RECENT_LINE];
};

struct ear_call_memory {
	struct ear_call_bytes arguments[8]; /* at a0 .. a7, before */
	struct ear_call_bytes stack;        /* at sp, before */
	struct ear_call_bytes result;       /* at a0, after */
};

struct ear_call_log_call {
	uint16_t hart;
	uint8_t kind;     /* enum ear_call_log_kind */
	uint8_t end;      /* enum ear_call_log_end */
	uint8_t xlen;     /* of the hart then */
	uint32_t depth;   /* calls that it is in, as far as they are known */
	uint64_t number;  /* of the instruction that called */
	uint64_t records; /* of its hart, from the one after that to the last one before the end;
			   * those of the interrupts and of other tasks, too */
	uint64_t last;    /* number of that one */
	bool has_clocks;  /* both have a time */
	uint64_t clocks;
	uint64_t entry;    /* where it began, */
	uint64_t function; /* and where its function does; entry if that has no name */
	uint64_t call_pc;  /* of the instruction that called, or was interrupted */
	/* With options->registers, else NULL: before its first instruction, and after its last one,
	 * which says something if it has returned. */
	const struct ear_call_registers *before, *after;
	const struct ear_call_memory *memory;
};

struct ear_call_log_options {
	struct ear_names *names; /* of ear_calls_analysis; NULL: there are none */
	uint32_t depth;          /* calls of this depth and deeper are left out; 0: none */
	const uint64_t *entries; /* only these functions, by address; they must stay */
	size_t entry_count;      /* 0: all */
	bool registers, by_end;  /* not both */
	bool part;               /* of a trace: hand out nothing, keep it for ear_call_log_join */
	/* With by_end, without depth, entries and ear_call_log_skip: what take does with calls is
	 * adding them to this one. Parts with sums do that with those that begin and end in them.
	 */
	struct ear_call_sum *sum; /* of who joins; NULL: none */
	bool sums;                /* of a part that is not written into a file */
	pthread_mutex_t *lock; /* held while names are asked; NULL: they are this thread's alone */
	/* Returns 0 to go on; any other value ends the function that called, which returns it. */
	int (*take)(void *context, const struct ear_call_log_call *call);
	void *context;
};

/* What makes the log less than it seems. */
struct ear_call_log_facts {
	uint64_t records; /* of instructions and interrupts */
	uint64_t calls;   /* that were handed out or wait */
	uint64_t gaps;
	uint64_t pathless; /* records of instruction sets of which no calls are known */
	bool has_time;     /* a call has clocks */
};

#endif
