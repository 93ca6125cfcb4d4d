#ifndef EAR_ANALYSES_ROWS_H
#define EAR_ANALYSES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/base/part_walk.h"

/* What happened in a part of a trace, in order, for who puts the parts together: rows of numbers,
 * each of a kind. A number is kept as its difference to that in the row of its kind before, so rows
 * that are alike take a byte a number.
 *
 *     struct ear_rows rows = {0};
 *     ear_rows_add(&rows, KIND, (uint64_t[]){ticks, entry}, 2);
 *     ear_rows_rewind(&rows);
 *     while (ear_rows_next(&rows, &kind, numbers, &count)) ...
 *     ear_rows_fini(&rows);
 */
#define EAR_ROWS_KINDS   32u
#define EAR_ROWS_NUMBERS 32u

/* The newest row of a kind. */
struct ear_rows_last {
	uint64_t numbers[EAR_ROWS_NUMBERS];
	uint8_t count;
};

/* All zero is an empty one. */
struct ear_rows {
	struct ear_rows_chunk *first, *last; /* bytes, in pieces that do not move */
	uint64_t count;                      /* rows */
	uint64_t bytes;                      /* memory that they take */
	struct ear_rows_last added[EAR_ROWS_KINDS];

	const struct ear_rows_chunk *chunk; /* where ear_rows_next is */
	size_t at;
	struct ear_rows_last taken[EAR_ROWS_KINDS];
};

void ear_rows_fini(struct ear_rows *rows); /* it is empty then */

/* kind below EAR_ROWS_KINDS, count up to EAR_ROWS_NUMBERS. Returns false if memory is short. */
bool ear_rows_add(struct ear_rows *rows, unsigned kind, const uint64_t *numbers, unsigned count);

/* The next row is the first one. */
void ear_rows_rewind(struct ear_rows *rows);
/* Its numbers; those that it does not have are left as they are. Returns false behind the last one;
 * rows that are added then are next. */
bool ear_rows_next(
	struct ear_rows *rows, unsigned *kind, uint64_t numbers[EAR_ROWS_NUMBERS], unsigned *count);

/* In a walk over a part: all, as lines "row KIND NUMBER ...". Writing rewinds them. */
void ear_rows_walk(struct ear_rows *rows, struct ear_part_walk *walk);

#endif
