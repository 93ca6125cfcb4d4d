/* Calls that have begun and not ended, in the order in which they began. */
#include "analyses/calls/call_log_begun.h"

#include <stdlib.h>

#define NONE UINT64_MAX

static int compare_sequences(const void *a, const void *b)
{
	const uint64_t x = ((const struct call_log_begun *)a)->sequence,
		       y = ((const struct call_log_begun *)b)->sequence;

	return (x > y) - (x < y);
}

struct call_log_begun *call_log_list_begun(const struct ear_call_log *log, size_t *count)
{
	struct call_log_begun *list = calloc((size_t)log->open_count + 1, sizeof(*list));

	*count = 0;
	for (uint32_t i = 1; i <= log->open_count && list; i++)
		if (log->open[i].used && log->open[i].sequence != NONE)
			list[(*count)++] = (struct call_log_begun){log->open[i].sequence, i};
	if (*count > 1)
		qsort(list, *count, sizeof(*list), compare_sequences);
	return list;
}
