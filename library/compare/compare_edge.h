#ifndef EAR_COMPARE_EDGE_H
#define EAR_COMPARE_EDGE_H

#include "library/compare/compare_walk.h"

/* Where a comparison begins and ends, by the rules of equivalence.h: boot code and the loop after
 * the end are passed, and it is found out whether a side leaves rows out.
 */

/* Before the first record is compared. Returns 0 or an error. */
int ear_edge_begin(struct ear_compare *compare);

/* The other side has ended: pass the loop in which this side waits for its simulator to stop, if
 * it is in one. Returns 0 or an error. */
int ear_edge_end(struct ear_compare *compare, unsigned which);

#endif
