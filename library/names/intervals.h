#ifndef EAR_INTERVALS_H
#define EAR_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which of many ranges of addresses, which may overlap, counts at an address: a cut of all
 * addresses into spans, each of which belongs to one range or to none.
 */
struct ear_interval {
	uint64_t first, last; /* last is included */
	uint64_t rank[2];     /* of those that have an address the greatest counts: first rank[0],
			       * then first, then rank[1] */
	uint32_t item;
};

#define EAR_INTERVALS_NONE UINT32_MAX

struct ear_spans {
	uint64_t *firsts; /* a span ends where the next one begins */
	uint32_t *items;
	size_t count;
};

/* Sorts the intervals. Returns 0 or EAR_E_NO_MEMORY; the spans are to be freed. */
int ear_spans_make(struct ear_spans *spans, struct ear_interval *intervals, size_t count);
void ear_spans_free(struct ear_spans *spans);

/* The item of an address, EAR_INTERVALS_NONE if there is none; *at is the span's number, count if
 * the address is before the first one.
 */
uint32_t ear_spans_find(const struct ear_spans *spans, uint64_t address, size_t *at);

/* The first and last address of a span that ear_spans_find gave. */
void ear_spans_bounds(const struct ear_spans *spans, size_t at, uint64_t *first, uint64_t *last);

#endif
