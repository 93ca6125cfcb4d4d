#ifndef EAR_COMPARE_EVENT_H
#define EAR_COMPARE_EVENT_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/compare/across.h"
#include "library/compare/compare_record.h"
#include "library/compare/equivalence.h"

/* What a comparison (compare.h) is asked, and what it answers. */

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
	bool at_start;     /* with has_start: they begin there, and start_pc is not looked for */
	uint64_t start_pc;
	struct ear_across_options across;
	const struct ear_equivalence *equivalence; /* of the formats; NULL: no rule holds */
	/* The next record of side 0 or 1; results as ear_source_next. EAR_E_MORE: there is none
	 * yet; ear_compare_next returns it then, and can be called again. */
	int (*next)(void *context, unsigned side, const struct ear_record **record);
	void *next_context;
};

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

#endif
