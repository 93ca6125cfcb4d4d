#ifndef EAR_FLOW_H
#define EAR_FLOW_H

#include "library/state/run_summary.h"
#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flow events: what the records of a trace mean for call stacks, and nothing else. Most
 * instructions make none. call_stack.h makes stacks of them.
 *
 * A trace may be cut into parts, each with a struct ear_flow of its own, in any thread. The events
 * of the parts, one after the other, mean the same as those of the whole, wherever it was cut: what
 * the end of one part and the begin of the next have to do with each other is said by
 * EAR_FLOW_BEGIN and EAR_FLOW_SYNC, and found by the tracker.
 *
 *     ear_flow_begin(flow);
 *     ... ear_flow_push_run(flow, position, run, compacts, 0, run->count); ear_flow_push(...)
 *     ear_flow_sync(flow, position);
 *     ear_call_stacks_push(stacks, flow->events, flow->count, first);   part after part
 *     flow->count = 0;
 *
 * Positions are counted from the begin of a part, which is shorter than 2^32 records.
 */

enum ear_flow_kind {
	/* Control flow. pc: of the instruction. target: where it went. */
	EAR_FLOW_CALL,      /* a jump that links in x1 or x5 */
	EAR_FLOW_SWAP,      /* jalr from one link register to the other: returns, then calls */
	EAR_FLOW_RETURN,    /* jalr by a link register that does not link */
	EAR_FLOW_JUMP,      /* another indirect jump */
	EAR_FLOW_TRAP,      /* an exception; pc: of the instruction that trapped */
	EAR_FLOW_INTERRUPT, /* pc: of the instruction that did not execute */
	EAR_FLOW_XRET,      /* mret, sret, mnret, dret */

	/* What is known otherwise. */
	EAR_FLOW_SET, /* sp was written, not by adding to it. target: the value */
	EAR_FLOW_WAS, /* target: what sp was from the begin, or the gap, to the first write since */
	EAR_FLOW_AT,  /* target: pc of the first record after an event with NO_TARGET */
	EAR_FLOW_HANDLER, /* the first instruction of a handler, without a record of the interrupt.
			   * pc: that of the instruction. */
	EAR_FLOW_GAP,     /* records are missing */
	EAR_FLOW_BEGIN,   /* the hart's first record of a part. pc: its index; target: its pc */
	EAR_FLOW_SYNC,    /* the end of a part. pc: the index expected next; target: next_pc */
	EAR_FLOW_FOREIGN, /* instructions without opcodes, or of another instruction set: there is
			   * no call stack of this hart */
};

enum ear_flow_flag {
	EAR_FLOW_SP_SAME = 1 << 0,    /* sp was not written since BEGIN, and is not in the event */
	EAR_FLOW_SP_UNKNOWN = 1 << 1, /* written, with a value that the source does not say */
	EAR_FLOW_NO_TARGET = 1 << 2,  /* target is not known */
	EAR_FLOW_SHORT = 1 << 3,      /* the instruction has 2 bytes. SYNC: only sp is known */
	EAR_FLOW_WIDE = 1 << 4,       /* XLEN is 64 */
	EAR_FLOW_BY_X5 = 1 << 5,      /* RETURN, SWAP: by x5; CALL: links in x5. SYNC: no record of
				       * another hart came later. */
	EAR_FLOW_OFFSET = 1 << 6,     /* RETURN: jalr with an offset. SET: from the frame pointer.
				       * BEGIN: no record of any hart came before in the part.
				       * SYNC: pc is not expected of the next record. */
	EAR_FLOW_PART = 1 << 7,       /* SET: adds to what may be part of a value; with OFFSET: is
				       * part of a value (lui, auipc).
				       * HANDLER: nothing is known of the record before.
				       * BEGIN: the index follows that of another hart's record.
				       * SYNC: the last record trapped, or was an interrupt. */
};

struct ear_flow_event {
	uint64_t pc, target;
	uint64_t sp;       /* x2 at the event, before the instruction; SYNC: after the last one */
	uint32_t position; /* of its record, from the begin of the part; SYNC: of the end */
	uint16_t hart;
	uint8_t kind;  /* enum ear_flow_kind */
	uint8_t flags; /* enum ear_flow_flag */
};

struct ear_flow_hart;

/* Makes events. The owner takes them from events[0 .. count - 1] whenever it likes, and sets count
 * to 0. */
struct ear_flow {
	struct ear_flow_event *events;
	size_t count, capacity;
	struct ear_flow_hart *harts;
	size_t hart_count, hart_capacity;
	size_t last, newest; /* positions in harts: looked up last; of the last instruction */
	uint64_t next_index; /* one more than the index of the last record of any hart */
	bool begun;          /* there was a record */
};

/* All zero is a flow at the begin of a part. */
void ear_flow_fini(struct ear_flow *flow);

/* Begin a part: nothing is known of the records before. Events that were not taken stay. */
void ear_flow_begin(struct ear_flow *flow);

/* The record at position (records of any kind before it, from the begin of the part).
 * Returns 0; EAR_E_NO_MEMORY; EAR_E_FULL: more than EAR_FLOW_HARTS_MAX harts.
 */
#define EAR_FLOW_HARTS_MAX 1024
int ear_flow_push(struct ear_flow *flow, uint64_t position, const struct ear_record *record);

/* The records first .. end - 1 of a run; position is that of record first. The same events as by
 * ear_flow_push of each of them, in a few cycles a record. Returns as ear_flow_push.
 */
int ear_flow_push_run(struct ear_flow *flow, uint64_t position, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts, size_t first, size_t end);

/* The same for a run that was summarized. Its marks are the records that may make events. */
int ear_flow_push_summary(
	struct ear_flow *flow, uint64_t position, const struct ear_run_summary *summary);

/* End a part: an event SYNC for each hart that had records in it. What follows is a new part, with
 * positions from 0 again. Also to ask for the stack at a moment. Returns as ear_flow_push.
 */
int ear_flow_sync(struct ear_flow *flow, uint64_t position);

#endif
