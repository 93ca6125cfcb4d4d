#ifndef EAR_ANALYSES_TOP_STATE_H
#define EAR_ANALYSES_TOP_STATE_H

#include <earshot/calls.h>

#include "analyses/base/numbering.h"
#include "analyses/top/top_types.h"

/* What counting (top.c), its tables (top_rows.c) and copying (top_take.c) share. */

#define EAR_TOP_NONE UINT32_MAX

/* What the names say of a pc: addresses first .. last have the same answer. */
struct ear_top_place {
	bool known, named;
	uint64_t pc, first, last, entry;
	const char *name;
};

#define EAR_TOP_PLACES  4096u /* a power of two */
#define EAR_TOP_OPCODES 4096u /* likewise */

/* Of an opcode, what is counted of it. */
struct ear_top_opcode {
	uint32_t opcode;
	uint8_t xlen; /* 0: nothing is here */
	uint8_t instruction_class;
};

/* A hart while it runs. */
struct ear_top_clock {
	bool timed, after_wait;
	uint64_t ticks; /* of its last record, if timed */
};

/* Numbers of rows that have something in the interval. */
struct ear_top_touched {
	uint32_t *numbers;
	uint32_t count, room;
};

struct ear_top {
	struct ear_top_options options;
	uint64_t *idle;
	struct ear_calls *calls;
	struct ear_instructions *instructions;
	struct ear_top_place *places;
	struct ear_top_opcode *opcodes;

	struct ear_top_function *functions;
	uint32_t function_count;
	struct ear_numbering function_numbers; /* by entry and hart */
	struct ear_top_touched touched_functions;

	struct ear_top_pc *pcs;
	uint32_t pc_count;
	struct ear_numbering pc_numbers; /* by pc and function */
	struct ear_top_touched touched_pcs;

	struct ear_top_hart *harts;
	struct ear_top_clock *clocks; /* of harts, by the same numbers */
	uint32_t hart_count;

	struct ear_top_cause causes[EAR_TOP_CAUSES + 2]; /* the last two: of no known cause */
	uint32_t cause_count;                            /* without these */

	uint32_t *depths; /* of paths 0 .. depth_count - 1 */
	uint32_t depth_count, depth_room;

	struct ear_top_sum now, sum;
	bool limited;
};

/* The function of a pc in a path of calls: addresses *first .. *last are of it. EAR_TOP_NONE if
 * memory is short. */
uint32_t ear_top_function_of(struct ear_top *top, uint64_t pc, uint16_t hart, uint32_t path,
	uint64_t *first, uint64_t *last);

/* The row of an instruction; EAR_TOP_NONE if memory is short, or with *full there are too many. */
uint32_t ear_top_pc_of(struct ear_top *top, uint64_t pc, uint32_t function, bool *full);

/* Something is about to be counted in a row of which nothing was counted in the interval. Returns
 * 0 or EAR_E_NO_MEMORY. */
int ear_top_touch(struct ear_top_touched *touched, uint32_t number);

static inline bool ear_top_counts_are_empty(const struct ear_top_counts *counts)
{
	return counts->all[EAR_TOP_RECORDS] == 0;
}

static inline void ear_top_counts_add(struct ear_top_counts *sum, const struct ear_top_counts *more)
{
	for (unsigned i = 0; i < EAR_TOP_KEYS; i++)
		sum->all[i] += more->all[i];
}

#endif
