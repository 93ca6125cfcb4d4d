#ifndef EAR_ANY_TRACE_H
#define EAR_ANY_TRACE_H

#include <earshot/record.h>
#include <stdbool.h>

#include "random.h"

/* A trace by chance: a run of one hart or of several that makes sense, as a source shows it that
 * leaves out some of it. Any member of a record may be absent: in all of the trace, as a tool
 * leaves it out, or in one record.
 */
#define ANY_TRACE_MAX 48

struct any_record {
	struct ear_record record;
	struct ear_record_extra extra;
	struct ear_record_register registers[6], reads[4];
	struct ear_record_access memory[6];
	struct ear_walk walks[1];
	struct ear_walk_step steps[1];
	char texts[6][32]; /* of registers: bytes or name */
	uint8_t slots[6];  /* which one is that of a register */
	/* Where the instruction went, also if the record does not say it. */
	uint64_t next_pc;
	bool taken;
	uint64_t cause; /* and of a trap, why */
};

struct any_trace {
	struct any_record records[ANY_TRACE_MAX];
	size_t count;
};

/* What a trace has. */
enum any_trace_kind {
	ANY_TRACE_RV32,
	ANY_TRACE_RV64,
	ANY_TRACE_ARM, /* with Thumb */
	ANY_TRACE_AARCH64,
	ANY_TRACE_KINDS
};

/* Fill in a trace of so many records; they point into it: it must not move. harts: 1 or more. */
void any_trace_make(struct any_trace *trace, struct random *random, enum any_trace_kind kind,
	size_t count, unsigned harts);

/* The trace was copied: its records point into it again. */
void any_trace_point(struct any_trace *trace);

/* Show less of a record: one member of step 0, 1, .. becomes absent, if it is there. Returns false
 * where there is no such step. For a test that looks for the smallest record that fails. */
bool any_record_simplify(struct any_record *any, unsigned step);

#endif
