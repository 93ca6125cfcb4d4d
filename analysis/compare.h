#ifndef EAR_COMPARE_H
#define EAR_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/across.h"
#include "analysis/compare_record.h"
#include "decoder/record/record.h"
#include "decoder/record/record_copy.h"

/* Two traces, record by record: where they differ, and where they meet again.
 *
 * Instruction records are compared; everything else between them is passed over, except gaps: over
 * a gap both sides go to the same index, and what one of them has there is counted and not
 * compared. Memory is bounded by the window, however long the traces are.
 */

enum ear_compare_event_kind {
	EAR_COMPARE_DIFFERENT, /* the same instruction, with another outcome: difference */
	EAR_COMPARE_INSERTED,  /* count[0] records are only in A, count[1] only in B */
	EAR_COMPARE_ENDED,     /* side has ended, the other continues */
	EAR_COMPARE_PARTED,    /* no common instruction within the window: comparing ends */
	/* side has a gap, over which count[] records were not compared: those of the other side
	 * that lie in it; of this side only where the search for the end of the gap passed some. */
	EAR_COMPARE_GAP,
};

struct ear_compare_event {
	enum ear_compare_event_kind kind;
	unsigned side; /* 0 A, 1 B */
	bool again;    /* GAP: it was reported before, more records of the other side lie in it */
	uint64_t count[2];
	struct ear_record_difference difference;
	/* A tolerated value decided it, if its kind is not EAR_DECISION_NONE; not for GAP. */
	struct ear_decision decision;
};

struct ear_compare;

struct ear_compare_options {
	unsigned fields; /* set of enum ear_compare_field */
	bool unknown_equal;
	size_t window;     /* records to look ahead on each side, 0: no resynchronising */
	unsigned run;      /* instructions in a row that must match to meet again, >= 1 */
	unsigned context;  /* records kept before and shown after */
	int hart;          /* only this hart; -1 all */
	bool first_common; /* begin at the first instruction that both have */
	bool counted[2];   /* the side's indexes are counted by its reader (Whisper CSV) */
	bool has_start;    /* begin at this pc on both sides */
	uint64_t start_pc;
	struct ear_across_options across;
	/* The next record of side 0 or 1; results as ear_source_next. EAR_E_MORE: there is none
	 * yet; ear_compare_next returns it then, and can be called again. */
	int (*next)(void *context, unsigned side, const struct ear_record **record);
	void *next_context;
};

/* Returns 0 and *compare, to be freed, or EAR_E_NO_MEMORY. */
int ear_compare_new(struct ear_compare **compare, const struct ear_compare_options *options);
void ear_compare_free(struct ear_compare *compare);

/* Continue to the next event. Until the next call the sides stay at it: ear_compare_record
 * gives the records around it.
 *
 * Returns 1 and *event; 0 when both sides are at their end, or one is treated as ended, or they
 * parted; a negative value from next or EAR_E_NO_MEMORY.
 */
int ear_compare_next(struct ear_compare *compare, struct ear_compare_event *event);

/* Were the last pairs of both sides the same, with nothing read ahead? Then the caller may leave
 * out count pairs that it knows to be equal, which are counted here.
 */
bool ear_compare_idle(const struct ear_compare *compare);
void ear_compare_pass_equal(struct ear_compare *compare, uint64_t count);

/* The record at position of a side: 0 is the one that the event is about, negative ones are
 * before it (at most options.context), positive ones after it. NULL if it is not there.
 */
const struct ear_record *ear_compare_record(
	struct ear_compare *compare, unsigned side, int position);

/* What is known of interrupt handlers that are left out, NULL if none are; and whether one before
 * the current record, or the count after it, has returned elsewhere (across.h). */
const struct ear_handler_statistics *ear_compare_handlers(
	const struct ear_compare *compare, unsigned side);
bool ear_compare_switch(const struct ear_compare *compare, unsigned side, uint64_t count,
	struct ear_handler_switch *found, uint64_t *number);

/* Instruction records of a side that were passed so far, those left out included; pairs that were
 * compared. */
uint64_t ear_compare_count(const struct ear_compare *compare, unsigned side);
uint64_t ear_compare_pairs(const struct ear_compare *compare);

#endif
