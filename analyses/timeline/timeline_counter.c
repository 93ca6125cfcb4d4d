#include "analyses/timeline/timeline_counter.h"

#include <stdlib.h>

#include <earshot/error.h>

/* The window, from time 0, that a time is in. */
static uint64_t window_of(const struct timeline_counter *counter, uint64_t time)
{
	return time >> counter->shift;
}

static void put(const struct timeline_counter *counter, struct timeline_sample *to, int64_t value)
{
	if (!to->has)
		*to = (struct timeline_sample){value, true};
	else if (counter->kind == TIMELINE_SUM)
		to->value += value;
	else if (counter->kind == TIMELINE_LAST || value > to->value)
		to->value = value;
}

static void widen(struct timeline_counter *counter)
{
	const uint64_t first = window_of(counter, counter->origin);
	uint32_t at = 0;

	for (uint32_t i = 0; i < counter->count; i++) {
		const struct timeline_sample sample = counter->samples[i];
		counter->samples[i].has = false;
		at = (uint32_t)((first + i) / 2 - first / 2);
		if (sample.has)
			put(counter, &counter->samples[at], sample.value);
	}
	counter->shift++;
	counter->count = at + 1;
}

int timeline_counter_add(struct timeline_counter *counter, uint64_t time, int64_t value)
{
	if (!counter->begun) {
		counter->samples = calloc(TIMELINE_WINDOWS, sizeof(*counter->samples));
		if (!counter->samples)
			return EAR_E_NO_MEMORY;
		counter->begun = true;
		counter->origin = time;
		counter->shift = TIMELINE_WINDOW_SHIFT;
	}
	uint64_t at = window_of(counter, time) - window_of(counter, counter->origin);
	while (at >= TIMELINE_WINDOWS) {
		widen(counter);
		at = window_of(counter, time) - window_of(counter, counter->origin);
	}
	put(counter, &counter->samples[at], value);
	counter->last = time;
	if (at >= counter->count)
		counter->count = (uint32_t)at + 1;
	return 0;
}

bool timeline_counter_last(const struct timeline_counter *counter, int64_t *value)
{
	if (counter->count == 0)
		return false;
	*value = counter->samples[counter->count - 1].value;
	return true;
}

bool timeline_counter_next(const struct timeline_counter *counter, uint64_t *time)
{
	*time = (window_of(counter, *time) + 1) << counter->shift;
	return *time != 0;
}

uint64_t timeline_counter_time(const struct timeline_counter *counter, uint32_t i)
{
	return i == 0 ? counter->origin
		      : (window_of(counter, counter->origin) + i) << counter->shift;
}

uint64_t timeline_counter_clocks(const struct timeline_counter *counter, uint32_t i)
{
	const uint64_t from = timeline_counter_time(counter, i),
		       left = ((UINT64_C(1) << counter->shift) - 1) &
			      ~from; /* of the window, behind that time */

	return (counter->last - from < left ? counter->last - from : left) + 1;
}

void timeline_counter_fini(struct timeline_counter *counter)
{
	free(counter->samples);
	*counter = (struct timeline_counter){.kind = counter->kind};
}
