#ifndef EAR_NTRACE_UNIT_H
#define EAR_NTRACE_UNIT_H

#include <stdint.h>

#include "decoder/flow/flow_ring.h"
#include "decoder/flow/flow_unit.h"

/* What an N-Trace stream does not say about its encoder: docs/ntrace.md, "Parameters". Each member
 * is a number of the JSON object of a unit, by its name. */
struct ear_ntrace_unit {
	uint32_t xlen;     /* 32, 64, or 0: not known */
	uint32_t src_bits; /* of the field SRC, 0 .. 12 */
	uint32_t htm;      /* 1: history messages, 0: branch messages, or EAR_NTRACE_ANY */
	uint32_t stack;    /* entries of the return stack of implicit return; 0: not used */
	uint32_t sijump;   /* sequential jumps have no message */
	uint32_t alljumps; /* inferable jumps are reported, too */
	uint32_t extend;   /* addresses may leave off copies of their highest bit */
	uint32_t tstamp;   /* messages may end with a time: 1, 0, or EAR_NTRACE_ANY */
	struct ear_flow_ring_unit ring;
	/* For encoders only. */
	uint32_t hist_bits;     /* outcomes that a history holds, 1 .. 31 */
	uint32_t icnt_max;      /* largest I-CNT */
	uint32_t icnt_by_sync;  /* a full I-CNT makes a message with SYNC 4 */
	uint32_t sync_every;    /* messages between periodic synchronisations; 0: none */
	uint32_t repeat_branch; /* RepeatBranch messages */
	uint32_t repeat_hist;   /* repeated histories, RCODE 2 */
	uint32_t ownership;     /* Ownership messages; a reader without compares no privilege */
	uint32_t btype_ext;     /* BTYPE 2 and 3; otherwise 1 for both */
};

#define EAR_NTRACE_ANY       2u
#define EAR_NTRACE_STACK_MAX 32u

extern const struct ear_ntrace_unit ear_ntrace_default_unit;

/* Read a unit from the name of one that is known, or its JSON text; NULL: the default. head: NULL,
 * or the first line of its file, before that. Result and fault as ear_flow_parameters_read. */
int ear_ntrace_unit_read(
	struct ear_ntrace_unit *unit, const char *head, const char *text, char *fault);

#endif
