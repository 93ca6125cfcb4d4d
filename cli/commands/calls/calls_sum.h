#ifndef CLI_CALLS_SUM_H
#define CLI_CALLS_SUM_H

#include "analyses/calls/call_sum.h"
#include "cli/commands/calls/calls_show.h"

/* Print how long the calls of each function took. max: of so many functions, 0: of all. Returns
 * false after printing that memory is short. */
bool calls_sum_show(const struct calls_show *show, const struct ear_call_sum *sum, uint64_t max);

/* Print how many calls of each function took how long: a line for each length that there is. */
void calls_histogram_show(const struct calls_show *show, const struct ear_call_sum *sum);

#endif
