#ifndef EAR_ANALYSES_CALL_LOG_STATE_H
#define EAR_ANALYSES_CALL_LOG_STATE_H

#include <earshot/calls.h>
#include <earshot/names.h>
#include <earshot/trace.h>

#include "analyses/base/part_frames.h"
#include "analyses/base/rows.h"
#include "analyses/calls/call_log_call.h"
#include "analyses/calls/call_sum.h"

/* What a log has, for its modules. */

#define CALL_LOG_CACHE 4096u /* a power of two */

/* The addresses around one that are of the same function. */
struct call_log_range {
	uint64_t pc; /* that was asked for */
	uint64_t first, last, entry;
	bool used, named, cold;
};

struct call_log_hart {
	uint16_t number;
	uint8_t xlen;
	bool timed; /* of its last record: */
	uint64_t ticks;
	uint64_t last; /* its number, */
	uint32_t opcode, mark;
	uint64_t records;
	struct call_log_range range; /* and the function that it is in */
	struct ear_call_registers registers;
	bool sp_known;
	uint64_t sp;
	/* Of a part: */
	bool begun;        /* a record of it was taken */
	uint64_t reported; /* records that the rows report */
	uint64_t before;   /* of who joins: records of the parts before */
};

/* A call that has not ended. Open ones are numbered from 1, so that 0 is none. */
struct call_log_open {
	uint64_t position; /* of the record that entered it */
	uint16_t hart;
	uint64_t sequence; /* among those that are handed out; NONE */
	uint64_t records, ticks;
	bool timed;
	uint32_t depth;
	uint32_t newest; /* of the first of a chain: the newest of it */
	uint32_t older;  /* of others: the one before; of a free one: the next free one */
	uint32_t length; /* of the first: how many the chain has */
	bool used;
	/* Of a part with sums: */
	uint32_t below;    /* mark of the frame below it; of a tail call, of its own */
	uint32_t reported; /* the mark that it was reported with, at the end */
};

struct call_log_waiting {
	struct ear_call_log_call call;
	uint32_t open; /* its number there; 0: it has ended */
};

struct ear_call_log {
	struct ear_call_log_options options;
	struct ear_names *names;
	struct ear_calls *calls;
	const struct ear_batch *batch;
	struct ear_call_log_facts facts;
	int failed;
	bool starting, skipped; /* calls that begin are not handed out */
	bool unwanted;          /* the next batch is of another task: of ear_calls_analysis */

	struct call_log_hart *harts;
	size_t hart_count, newest_hart;
	struct call_log_range cache[CALL_LOG_CACHE];

	struct call_log_open *open; /* from 1 */
	uint32_t open_count, open_capacity, open_free;

	struct ear_call_log_call *ending;     /* by_end: the calls that are open */
	struct call_log_waiting *ring;        /* by sequence */
	uint64_t first, next;                 /* sequences: the oldest that waits; the next one */
	struct ear_call_registers *registers; /* 2 a place of the ring */
	struct ear_call_memory *memory;       /* 1 a place of it */
	struct ear_recent_memory *recent;

	/* A part: what happened, for who joins it. */
	bool is_part;
	struct ear_rows rows;
	uint32_t marks;                /* that it gave */
	bool reported_skipped;         /* the newest row that says so */
	struct ear_part_frames frames; /* of who joins parts */

	/* A part with sums. Frames that are active at its begin have marks up to active, those that
	 * are entered in it have their number among those that are open behind that. */
	struct ear_call_sum *own; /* NULL: it has none */
	uint32_t active;
	size_t met; /* functions of own that were reported */
};

/* Is what happens with the frame of a mark reported to the join? */
static inline bool call_log_reports(const struct ear_call_log *log, uint32_t mark)
{
	return log->is_part && (!log->own || mark <= log->active);
}

#endif
