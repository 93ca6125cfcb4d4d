/* Clocks of records, by hart. In a part the first timed record of a hart has clocks that depend on
 * the part before: it is kept with its owner until both are joined. After a gap there is none,
 * since the time that passed in it is in nobody's name.
 */
#include <stdlib.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"

/* The hart with a number, which is made if need be; NULL if memory is short. */
static struct ear_profile_time *hart_of(struct ear_profile_times *times, uint16_t number)
{
	for (size_t i = 0; i < times->hart_count; i++)
		if (times->harts[i].hart == number)
			return &times->harts[i];
	struct ear_profile_time *harts =
		realloc(times->harts, (times->hart_count + 1) * sizeof(*harts));
	if (!harts)
		return NULL;
	times->harts = harts;
	harts[times->hart_count] = (struct ear_profile_time){.hart = number};
	return &harts[times->hart_count++];
}

int ear_profile_times_count(struct ear_profile_times *times, const struct ear_record *record,
	uint32_t owner, uint64_t *clocks)
{
	if (!(record->flags & EAR_RECORD_HAS_TIME))
		return 0;
	struct ear_profile_time *hart = hart_of(times, record->hart);
	if (!hart)
		return EAR_E_NO_MEMORY;
	const bool is_first = !hart->timed && !hart->has_first && !times->stopped;
	if (hart->timed && record->ticks >= hart->ticks) {
		*clocks += record->ticks - hart->ticks;
		times->has_time = true;
	} else if (is_first) {
		hart->has_first = true;
		hart->first_ticks = record->ticks;
		hart->owner = owner;
	}
	hart->timed = true;
	hart->ticks = record->ticks;
	return is_first;
}

void ear_profile_times_stop(struct ear_profile_times *times)
{
	times->stopped = true;
	for (size_t i = 0; i < times->hart_count; i++)
		times->harts[i].timed = false;
}

void ear_profile_times_fini(struct ear_profile_times *times)
{
	free(times->harts);
	*times = (struct ear_profile_times){0};
}

/* ---- Parts. ---- */

/* The first record of a hart in next, whose last one here is own. */
static void join_first(struct ear_profile_times *times, struct ear_profile_time *own,
	const struct ear_profile_time *next, const struct ear_profile_times_joining *joining)
{
	if (own->timed && next->first_ticks >= own->ticks) {
		joining->add(joining->context, next->owner, next->first_ticks - own->ticks);
		times->has_time = true;
	} else if (!own->timed && !own->has_first && !times->stopped) {
		own->has_first = true;
		own->first_ticks = next->first_ticks;
		own->owner = joining->own(joining->context, next->owner);
	}
}

int ear_profile_times_join(struct ear_profile_times *times, const struct ear_profile_times *next,
	const struct ear_profile_times_joining *joining)
{
	for (size_t i = 0; i < next->hart_count; i++) {
		struct ear_profile_time *own = hart_of(times, next->harts[i].hart);
		if (!own)
			return EAR_E_NO_MEMORY;
		if (next->harts[i].has_first)
			join_first(times, own, &next->harts[i], joining);
	}
	if (next->stopped)
		ear_profile_times_stop(times);
	for (size_t i = 0; i < next->hart_count; i++) {
		struct ear_profile_time *own = hart_of(times, next->harts[i].hart);
		if (own && next->harts[i].timed) {
			own->timed = true;
			own->ticks = next->harts[i].ticks;
		}
	}
	times->has_time |= next->has_time;
	return 0;
}

void ear_profile_times_walk(
	struct ear_profile_times *times, struct ear_part_walk *walk, uint32_t owner_count)
{
	const size_t count = times->hart_count;

	for (size_t i = 0; ear_part_more(walk, i, count) && ear_part_line(walk, "hart"); i++) {
		struct ear_profile_time hart = {0}, *own = NULL;
		if (!ear_part_reads(walk))
			hart = times->harts[i];
		ear_part_u16(walk, &hart.hart, UINT16_MAX);
		ear_part_bool(walk, &hart.timed);
		ear_part_u64(walk, &hart.ticks, UINT64_MAX);
		ear_part_bool(walk, &hart.has_first);
		ear_part_u64(walk, &hart.first_ticks, UINT64_MAX);
		ear_part_u32(walk, &hart.owner, UINT32_MAX);
		if (!ear_part_reads(walk))
			continue;
		if (hart.has_first && hart.owner >= owner_count)
			ear_part_reject(walk, "its owner is missing");
		if (!walk->bad)
			own = hart_of(times, hart.hart);
		if (own)
			*own = hart;
		ear_profile_check_added(walk, own, times->hart_count > count);
	}
}
