#include "analyses/timeline_counter.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#define WINDOW_FIRST 64u

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
	for (uint32_t i = 0; i < TIMELINE_WINDOWS; i++) {
		struct timeline_sample sample = counter->samples[i];
		counter->samples[i].has = false;
		if (sample.has)
			put(counter, &counter->samples[i / 2], sample.value);
	}
	counter->window *= 2;
	counter->count = (counter->count + 1) / 2;
}

int timeline_counter_add(struct timeline_counter *counter, uint64_t time, int64_t value)
{
	if (!counter->begun) {
		counter->samples = calloc(TIMELINE_WINDOWS, sizeof(*counter->samples));
		if (!counter->samples)
			return EAR_E_NO_MEMORY;
		counter->begun = true;
		counter->origin = time;
		counter->window = WINDOW_FIRST;
	}
	uint64_t at = (time - counter->origin) / counter->window;
	for (; at >= TIMELINE_WINDOWS; at = (time - counter->origin) / counter->window)
		widen(counter);
	put(counter, &counter->samples[at], value);
	counter->last = time;
	if (at >= counter->count)
		counter->count = (uint32_t)at + 1;
	return 0;
}

void timeline_counter_fini(struct timeline_counter *counter)
{
	free(counter->samples);
	*counter = (struct timeline_counter){.kind = counter->kind};
}
