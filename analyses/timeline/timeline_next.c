/* What was followed, in order: begins of slices are sorted; a heap has the ends of those that have
 * begun, and instants are in order as they came. Counters follow, one after the other. */
#include <stdlib.h>

#include "analyses/timeline/timeline.h"
#include "analyses/timeline/timeline_state.h"

const char *ear_timeline_category_name(unsigned category)
{
	static const char *const names[] = {[EAR_TIMELINE_CALL] = "call",
		[EAR_TIMELINE_TRAP] = "trap",
		[EAR_TIMELINE_INTERRUPT] = "interrupt",
		[EAR_TIMELINE_BASE] = "base",
		[EAR_TIMELINE_PRIVILEGE] = "privilege",
		[EAR_TIMELINE_TASK] = "task",
		[EAR_TIMELINE_GAP] = "gap",
		[EAR_TIMELINE_EVENT] = "event",
		[EAR_TIMELINE_MARK] = "mark",
		[EAR_TIMELINE_METHOD] = "method"};

	return category < EAR_TIMELINE_CATEGORIES ? names[category] : NULL;
}

const char *ear_timeline_how_name(unsigned how)
{
	static const char *const names[] = {[EAR_TIMELINE_RETURNED] = NULL,
		[EAR_TIMELINE_UNWOUND] = "unwound",
		[EAR_TIMELINE_FORGOTTEN] = "forgotten",
		[EAR_TIMELINE_CUT] = "cut"};

	return how <= EAR_TIMELINE_CUT ? names[how] : NULL;
}

/* Of each hart what it is and does comes first, then its stacks; counters come last. */
uint32_t ear_timeline_track_rank(const struct ear_timeline *timeline, size_t track)
{
	const struct ear_timeline_track *own = &timeline->tracks[track];
	const uint32_t number = (uint32_t)track;

	if (own->kind == EAR_TRACK_COUNTER)
		return (UINT16_MAX + 1u) * 4096u + number;
	if (own->kind == EAR_TRACK_CALLS || own->kind == EAR_TRACK_METHODS)
		return 4096u * own->hart + 4u + number;
	return 4096u * own->hart + own->kind;
}

/* ---- The heap. ---- */

static uint64_t end_of(const struct ear_timeline *timeline, uint32_t at)
{
	return ear_slices_at(&timeline->slices, timeline->ends[at])->end_order;
}

static void swap(struct ear_timeline *timeline, uint32_t a, uint32_t b)
{
	const uint32_t end = timeline->ends[a];

	timeline->ends[a] = timeline->ends[b];
	timeline->ends[b] = end;
}

static bool push_end(struct ear_timeline *timeline, uint32_t slice)
{
	if (timeline->end_count == timeline->end_capacity) {
		uint32_t capacity = timeline->end_capacity ? 2 * timeline->end_capacity : 256;
		uint32_t *ends = realloc(timeline->ends, capacity * sizeof(*ends));
		if (!ends)
			return false;
		timeline->ends = ends;
		timeline->end_capacity = capacity;
	}
	uint32_t at = timeline->end_count++;
	timeline->ends[at] = slice;
	for (; at > 0 && end_of(timeline, at) < end_of(timeline, (at - 1) / 2); at = (at - 1) / 2)
		swap(timeline, at, (at - 1) / 2);
	return true;
}

static uint32_t pop_end(struct ear_timeline *timeline)
{
	const uint32_t slice = timeline->ends[0];

	timeline->ends[0] = timeline->ends[--timeline->end_count];
	for (uint32_t at = 0;;) {
		uint32_t least = at;
		for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < timeline->end_count &&
				end_of(timeline, child) < end_of(timeline, least))
				least = child;
		if (least == at)
			return slice;
		swap(timeline, at, least);
		at = least;
	}
}

/* ---- Events. ---- */

static void set_name(
	const struct ear_timeline *timeline, struct ear_timeline_event *event, uint32_t number)
{
	event->name_number = number;
	event->name = timeline->name_list.list[number].name;
	event->address = timeline->name_list.list[number].address;
}

static bool next_end(struct ear_timeline *timeline, struct ear_timeline_event *event)
{
	const struct ear_slice *slice = ear_slices_at(&timeline->slices, pop_end(timeline));

	*event = (struct ear_timeline_event){.kind = EAR_TIMELINE_END,
		.category = slice->kind,
		.how = slice->how,
		.track = slice->track,
		.time = slice->end,
		.record = slice->position};
	return true;
}

static bool next_begin(struct ear_timeline *timeline, struct ear_timeline_event *event)
{
	const struct ear_slice *slice = ear_slices_at(&timeline->slices, timeline->next_slice);

	if (!push_end(timeline, timeline->next_slice))
		return false;
	timeline->next_slice++;
	*event = (struct ear_timeline_event){.kind = EAR_TIMELINE_BEGIN,
		.category = slice->kind,
		.how = slice->how,
		.track = slice->track,
		.time = slice->begin,
		.duration = slice->end - slice->begin,
		.merged = slice->merged,
		.record = slice->position};
	set_name(timeline, event, slice->name);
	return true;
}

static bool next_instant(struct ear_timeline *timeline, struct ear_timeline_event *event)
{
	const struct timeline_instant *instant = &timeline->instants.list[timeline->next_instant++];

	*event = (struct ear_timeline_event){.kind = EAR_TIMELINE_INSTANT,
		.category = instant->category,
		.track = instant->track,
		.time = instant->time,
		.record = instant->record};
	set_name(timeline, event, instant->name);
	return true;
}

static const struct timeline_counter *counter_at(const struct ear_timeline *timeline, uint32_t i)
{
	if (i >= 2 * timeline->hart_count)
		return &timeline->users[i - 2 * timeline->hart_count].counter;
	return i % 2 ? &timeline->harts[i / 2]->depth : &timeline->harts[i / 2]->rate;
}

static double value_of(const struct timeline_counter *counter, uint32_t i)
{
	const double value = (double)counter->samples[i].value;

	return counter->kind == TIMELINE_SUM ? value / (double)timeline_counter_clocks(counter, i)
					     : value;
}

static bool next_sample(struct ear_timeline *timeline, struct ear_timeline_event *event)
{
	const uint32_t count = (uint32_t)(2 * timeline->hart_count + timeline->user_count);

	for (; timeline->next_counter < count; timeline->next_counter++) {
		const struct timeline_counter *counter =
			counter_at(timeline, timeline->next_counter);
		uint32_t i = timeline->next_sample;
		/* Nothing retired in a window without a sample. */
		while (i < counter->count && !counter->samples[i].has &&
			counter->kind != TIMELINE_SUM)
			i++;
		timeline->next_sample = i + 1;
		if (i < counter->count) {
			*event = (struct ear_timeline_event){.kind = EAR_TIMELINE_COUNTER,
				.track = timeline->counter_track + timeline->next_counter,
				.time = timeline_counter_time(counter, i),
				.value = value_of(counter, i)};
			return true;
		}
		timeline->next_sample = 0;
	}
	return false;
}

bool ear_timeline_next(struct ear_timeline *timeline, struct ear_timeline_event *event)
{
	const bool begins = timeline->next_slice < timeline->slices.kept,
		   instants = timeline->next_instant < timeline->instants.count;
	const uint64_t begin = begins ? ear_slices_at(&timeline->slices, timeline->next_slice)
						->begin_order
				      : UINT64_MAX,
		       instant = instants ? timeline->instants.list[timeline->next_instant].order
					  : UINT64_MAX,
		       end = timeline->end_count > 0 ? end_of(timeline, 0) : UINT64_MAX;

	if (timeline->end_count > 0 && end < begin && end < instant)
		return next_end(timeline, event);
	if (begins && begin < instant)
		return next_begin(timeline, event);
	if (instants)
		return next_instant(timeline, event);
	if (next_sample(timeline, event))
		return true;
	timeline->next_slice = timeline->next_instant = 0;
	timeline->next_counter = timeline->next_sample = 0;
	return false;
}
