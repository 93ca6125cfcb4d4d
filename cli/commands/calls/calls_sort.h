#ifndef CLI_CALLS_SORT_H
#define CLI_CALLS_SORT_H

#include <stdbool.h>

#include "analyses/calls/call_log.h"
#include "cli/commands/calls/calls_show.h"

/* The calls that come first in an order: at most so many are kept. */
struct calls_sort;

enum calls_order { CALLS_BY_NUMBER, CALLS_LONGEST, CALLS_SHORTEST, CALLS_SLOWEST, CALLS_FASTEST };

#define CALLS_SORT_MAX (1u << 20)

/* Returns NULL without memory. */
struct calls_sort *calls_sort_new(enum calls_order order, size_t max);
void calls_sort_free(struct calls_sort *sort); /* NULL is fine */

/* Returns 0, or EAR_E_NO_MEMORY. */
int calls_sort_add(struct calls_sort *sort, const struct ear_call_log_call *call);

/* All that are kept, in order. Returns false after printing that memory is short. */
bool calls_sort_show(struct calls_sort *sort, struct calls_show *show);
/* How many are not kept. */
uint64_t calls_sort_left_out(const struct calls_sort *sort);

#endif
