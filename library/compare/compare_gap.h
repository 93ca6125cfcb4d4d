#ifndef EAR_COMPARE_GAP_H
#define EAR_COMPARE_GAP_H

#include <stdbool.h>

#include "library/compare/compare_event.h"

struct ear_compare;

/* Gaps of a comparison (compare.c): how the sides get to the same instruction after one. */

/* Open the gap at which a side is, if there is one. Before the first pair, the beginnings of
 * both sides say how their indexes go together. Returns 1, 0 if there is none, or an error.
 */
int ear_gap_open(struct ear_compare *compare);

/* A side has ended, and what it had last was a gap of unknown size: all that is left of the other
 * may lie in it. Opens it again if so.
 */
bool ear_gap_reopen(struct ear_compare *compare);

/* Returns 1 for the event that a gap is crossed, 0 when none is open, or an error. */
int ear_gap_cross(struct ear_compare *compare, struct ear_compare_event *event);

#endif
