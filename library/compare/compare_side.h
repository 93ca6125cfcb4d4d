#ifndef EAR_COMPARE_SIDE_H
#define EAR_COMPARE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/record/record_copy.h"
#include "library/state/record_view.h"

/* One side of a comparison (compare.c): a ring of copies of its records, and the line of positions
 * on which they lie.
 *
 *        passed        current   ahead
 *   [ p p p ]            [c]     [a a a a ...]
 *     <= context                  <= window + run
 *
 * The position of a record is its index plus shift, and never goes back: sources without useful
 * indexes are counted.
 */
struct ear_side {
	struct ear_record_copy *copies;
	struct ear_record_view *views; /* of the copies; NULL: no rule of equivalence holds */
	struct ear_record_view view;   /* of the record that was read last */
	struct ear_view_state state;
	bool trap_csrs; /* a trap lists the CSRs that it writes */
	size_t capacity;
	size_t current; /* index of the current record's copy */
	size_t passed;  /* copies before it */
	size_t ahead;   /* copies from the current one on */
	bool ended;     /* nothing can be read after them */
	uint64_t count; /* instruction records passed */

	bool counted;      /* indexes are counted by reading, and only gaps say them */
	bool begun;        /* something was passed */
	bool sparse;       /* indexes have jumped without a gap: a filter held records back */
	uint64_t position; /* of what comes after all that was passed */
	uint64_t shift;
};

/* How far to trust the position after a gap, a set. */
enum ear_side_doubt {
	EAR_SIDE_SEARCH = 1 << 0,   /* if the sides do not agree there, search nearby */
	EAR_SIDE_SLIDE = 1 << 1,    /* and on and on: the size is not known */
	EAR_SIDE_EXACT = 1 << 2,    /* the index says nothing at all */
	EAR_SIDE_HANDLERS = 1 << 3, /* it is about right: handlers were left out */
};

/* The record at this place from the current one on; it is there. */
static inline const struct ear_record *ear_side_at(const struct ear_side *side, size_t place)
{
	return &side->copies[(side->current + place) % side->capacity].record;
}

/* And its view; NULL without views. */
static inline const struct ear_record_view *ear_side_view(const struct ear_side *side, size_t place)
{
	return side->views ? &side->views[(side->current + place) % side->capacity] : NULL;
}

/* A record was read, which is kept next, or not at all. */
static inline void ear_side_look(struct ear_side *side, const struct ear_record *record)
{
	if (side->views)
		ear_view_next(&side->state, &side->view, record, side->trap_csrs);
}

/* Does position a come before b? They may wrap around. */
static inline bool ear_side_before(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

static inline uint64_t ear_side_position(
	const struct ear_side *side, const struct ear_record *record)
{
	uint64_t position = record->index + side->shift;

	return side->begun && ear_side_before(position, side->position) ? side->position : position;
}

/* An instruction record was passed, which need not be in the ring. */
static inline void ear_side_advance(struct ear_side *side, const struct ear_record *record)
{
	uint64_t position = ear_side_position(side, record);

	side->sparse |= side->begun && position != side->position;
	side->shift = position - record->index;
	side->position = position + 1;
	side->begun = true;
	side->count++;
}

/* Is a gap at this place? false if nothing is there. */
static inline bool ear_side_is_gap(const struct ear_side *side, size_t place)
{
	return place < side->ahead && ear_side_at(side, place)->kind == EAR_RECORD_GAP;
}

/* Instruction records from the current one on, before a gap or the end of what is there; at most
 * max. */
size_t ear_side_plain_count(const struct ear_side *side, size_t max);

/* Put a copy of the record after what is there. Returns 0 or EAR_E_NO_MEMORY. */
int ear_side_keep(struct ear_side *side, const struct ear_record *record);

/* Continue by one record, which is there; context: how many passed ones are kept. Returns how far
 * the position after it can be trusted, a set of enum ear_side_doubt: 0 but after a gap.
 */
unsigned ear_side_pass(struct ear_side *side, size_t context);

#endif
