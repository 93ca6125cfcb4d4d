/* A timeline as an analysis. A part is rows of what happened, which cost more than slices: so a
 * trace that is one part is no part.
 */
#include <stdio.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/timeline/timeline.h"
#include "analyses/timeline/timeline_state.h"

#define OPTIONS_HEAP "heap" /* a part has what the heap's functions did */

static void describe(const void *count, char text[EAR_PART_WORD_MAX])
{
	strcpy(text, ear_timeline_has_heap(count) ? OPTIONS_HEAP : "-");
}

/* By any thread: only one that is alone asks for names. */
static int create(void **count, const struct ear_analysis_setup *setup)
{
	const struct ear_timeline_options *given = setup->options;
	const struct ear_timeline_options part = {.part = true, .whole = setup->whole};
	struct ear_names *names = given && !setup->whole ? given->names : NULL;
	struct ear_timeline *timeline = NULL;

	int result = ear_timeline_new(&timeline, names, setup->part ? &part : given);
	*count = timeline;
	return result;
}

static void free_count(void *count)
{
	ear_timeline_free(count);
}

static int start(void *count, struct ear_moment *moment, const struct ear_progress *progress)
{
	return ear_timeline_start(count, moment, progress);
}

static int take_batch(void *count, const struct ear_batch *batch)
{
	return ear_timeline_batch(count, batch);
}

static int finish(void *count)
{
	return ear_timeline_finish(count);
}

static int join(void *whole, void *next)
{
	return ear_timeline_join(whole, next);
}

static void walk_part(void *count, struct ear_part_walk *walk)
{
	struct ear_timeline *part = count;
	const bool has_title = part->title[0] && !strpbrk(part->title, "\n\r");

	if ((has_title || ear_part_reads(walk)) && ear_part_line(walk, "title")) {
		const char *title = ear_part_tail(walk, part->title);
		if (ear_part_reads(walk))
			snprintf(part->title, sizeof(part->title), "%s", title);
	}
	part->from_file |= ear_part_reads(walk);
	ear_rows_walk(&part->rows, walk);
}

const struct ear_analysis ear_timeline_analysis = {
	.name = "timeline",
	.unknown_line = "it is not a line of a timeline",
	.describe = describe,
	.create = create,
	.free = free_count,
	.start = start,
	.batch = take_batch,
	.finish = finish,
	.join = join,
	.walk = walk_part,
	.direct = true,
};
