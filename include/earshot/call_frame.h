#ifndef EAR_CALL_FRAME_H
#define EAR_CALL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* A frame of a call stack (moment.h, docs/library.md, section 8). */

enum ear_call_frame_kind {
	EAR_FRAME_BASE, /* the lowest known one; who called it, and where it began, is unknown */
	EAR_FRAME_CALL,
	EAR_FRAME_TRAP,      /* the handler of an exception */
	EAR_FRAME_INTERRUPT, /* the handler of an interrupt */
};

struct ear_call_frame {
	uint8_t kind;      /* enum ear_call_frame_kind */
	bool sp_known;     /* sp is known */
	uint64_t position; /* of the record that called, or trapped; BASE: from where on it is known
			    * to be active */
	uint64_t call_pc;  /* of the instruction that called, or trapped: where the frame below is.
			    * BASE: undefined */
	uint64_t entry;    /* where it began; after tail calls another function may be there.
			    * BASE: the first pc seen in it */
	uint64_t return_pc; /* CALL: where it returns to. TRAP, INTERRUPT: call_pc; BASE: undefined
			     */
	uint64_t sp;        /* x2 when it began, if sp_known */
	uint32_t stack;     /* number of its stack: each task, and each stack of handlers, has one;
			     * meaningful between two resets (a gap, the begin) only */
};

#endif
