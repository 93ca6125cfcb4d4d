#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/profile_private.h"

int ear_profile_times_count(
	struct ear_profile_times *times, const struct ear_record *record, uint64_t *clocks)
{
	size_t i = 0;

	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return 0;
	while (i < times->hart_count && times->harts[i].hart != record->hart)
		i++;
	if (i == times->hart_count) {
		struct ear_profile_time *harts = realloc(times->harts, (i + 1) * sizeof(*harts));
		if (!harts)
			return EAR_E_NO_MEMORY;
		times->harts = harts;
		harts[times->hart_count++] = (struct ear_profile_time){.hart = record->hart};
	}
	struct ear_profile_time *hart = &times->harts[i];
	if (hart->timed && record->ticks >= hart->ticks) {
		*clocks += record->ticks - hart->ticks;
		times->has_time = true;
	}
	hart->timed = true;
	hart->ticks = record->ticks;
	return 0;
}

void ear_profile_times_stop(struct ear_profile_times *times)
{
	for (size_t i = 0; i < times->hart_count; i++)
		times->harts[i].timed = false;
}

void ear_profile_times_fini(struct ear_profile_times *times)
{
	free(times->harts);
	*times = (struct ear_profile_times){0};
}
