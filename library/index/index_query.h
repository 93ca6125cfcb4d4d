#ifndef EAR_INDEX_QUERY_H
#define EAR_INDEX_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/source/source_anchor.h"
#include <earshot/record.h>
#include <earshot/search.h>

/* Questions to an index that is open: where in a trace something may be found. See index.h. */
struct ear_index;

/* What is indexed. */
struct ear_index_totals {
	uint64_t records, instructions; /* of any kind; of instructions */
	uint64_t stretches, nodes, checkpoints, versions;
	uint64_t first_ticks, last_ticks; /* lowest and highest; first > last: no record has any */
	bool complete;                    /* the trace was read to its end without an error */
};
struct ear_index_totals ear_index_totals(const struct ear_index *index);

/* Where something may be found --------------------------------------------------------------- */

enum ear_index_term_kind {
	EAR_INDEX_PC,        /* an instruction at first .. last; also an interrupt taken there */
	EAR_INDEX_READ,      /* an access that reads a byte of first .. last */
	EAR_INDEX_WRITE,     /* that writes one */
	EAR_INDEX_ACCESS,    /* either */
	EAR_INDEX_REGISTER,  /* a register is written: first is enum ear_register_class, last its
			      * number; NAMED: name */
	EAR_INDEX_TRAP,      /* an exception */
	EAR_INDEX_INTERRUPT, /* an interrupt taken */
	EAR_INDEX_ANY_TRAP,  /* either */
	EAR_INDEX_CAUSE,     /* a trap or interrupt with the cause first (interrupt bit at 63) */
	EAR_INDEX_PRIVILEGE, /* an instruction with privilege first */
	EAR_INDEX_PRIVILEGE_CHANGE, /* may differ from the instruction before it */
	EAR_INDEX_EVENT,
	EAR_INDEX_GAP,
	EAR_INDEX_REPORT, /* the reader reports a line before it, or in it */
	EAR_INDEX_TICKS,  /* records with ticks in first .. last */
	EAR_INDEX_ORDER,  /* instructions whose index (rvfi_order) is in first .. last */
};

struct ear_index_term {
	enum ear_index_term_kind kind;
	uint64_t first, last;         /* inclusive */
	const struct ear_span *spans; /* PC, READ, WRITE, ACCESS: any of these instead of first and
				       * last; NULL: none */
	size_t span_count;
	struct ear_text name; /* REGISTER, NAMED */
};

/* All terms hold for the same record. No terms: any record. What no term says (a value, an opcode)
 * the caller compares. */
struct ear_index_query {
	const struct ear_index_term *terms;
	size_t count;
};

/* A part of the trace: records position .. end - 1. */
struct ear_index_stretch {
	uint64_t position, end;
	uint64_t begin;  /* where its first stretch begins, <= position */
	uint64_t number; /* instruction records before begin */
};

/* The first part of the trace with a record at position or after that may match; the last part with
 * a record before position that may. It is cut to that side of position. Consecutive stretches
 * that may match come as one, up to the end of their node.
 *
 * Returns 1 and *stretch; 0 if no record there matches; EAR_E_BAD_FILE (damaged index: reopen with
 * EAR_INDEX_BUILD_ALWAYS), EAR_E_IO, EAR_E_NO_MEMORY.
 */
int ear_index_next(struct ear_index *index, const struct ear_index_query *query, uint64_t position,
	struct ear_index_stretch *stretch);
int ear_index_previous(struct ear_index *index, const struct ear_index_query *query,
	uint64_t position, struct ear_index_stretch *stretch);

/* The same for a count: at least how many records of which kind are in the trace before position,
 * from whole stretches; and where the rest begins that is to be counted record by record. */
struct ear_index_counts {
	uint64_t records, instructions, traps, interrupts, events, gaps;
	uint64_t position; /* those before it are counted */
};
int ear_index_count(struct ear_index *index, uint64_t position, struct ear_index_counts *counts);

/* Places ------------------------------------------------------------------------------------- */

/* The stretch in which the instruction record with this number is (end: it is not in the trace,
 * 0 is returned); in which the first record is whose ticks are at least so many. Returns as
 * ear_index_next.
 */
int ear_index_find_number(
	struct ear_index *index, uint64_t number, struct ear_index_stretch *stretch);
int ear_index_find_ticks(
	struct ear_index *index, uint64_t ticks, struct ear_index_stretch *stretch);

/* Memory --------------------------------------------------------------------------------------- */

/* The last node of level 0, of those before node end, in which what is known of a byte of span may
 * have changed, or all of memory was forgotten. Returns 1 and *node, or as ear_index_next. */
int ear_index_previous_change(
	struct ear_index *index, const struct ear_span *span, size_t end, size_t *node);

#endif
