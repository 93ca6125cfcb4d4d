/* Records of a source, cut into stretches and nodes.
 *
 * Where stretches and nodes end is counted in units of cost, so that it depends on the trace only.
 * An end can only be where the source has an anchor: among the gaps at the end of a damaged capture
 * there may be none, and the last stretch becomes longer.
 */
#include "library/index/index_feed.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/index/file/index_checkpoint.h"

#define COST_RUN    1u
#define COST_RECORD 2u
#define COST_TEXT   8u

void ear_index_node_end_fini(struct ear_index_node_end *end)
{
	ear_anchor_fini(&end->anchor);
	*end = (struct ear_index_node_end){.position = 0};
}

int ear_index_feed_init(struct ear_index_feed *feed, struct ear_source *source, uint64_t end)
{
	*feed = (struct ear_index_feed){.source = source,
		.end = end,
		.stretch = EAR_INDEX_STRETCH,
		.text = ear_source_text_format(source) != NULL,
		.node_begin = ear_source_position(source)};
	int result = ear_source_runs_init(&feed->runs, source, feed->text);
	if (result == 0)
		result = ear_source_anchor(source, &feed->anchor);
	ear_source_checksum_begin(source);
	return result;
}

void ear_index_feed_fini(struct ear_index_feed *feed)
{
	ear_source_runs_fini(&feed->runs);
	ear_anchor_fini(&feed->anchor);
	ear_index_node_end_fini(&feed->node_end);
}

/* The next run or record. Returns 1, 0 at the end, or an error. */
static int take_records(struct ear_index_feed *feed, struct ear_source_run *run)
{
	unsigned each = feed->text ? COST_TEXT : COST_RUN;
	/* A run ends where the stretch does. */
	uint64_t max =
		feed->cost < feed->stretch ? (feed->stretch - feed->cost + each - 1) / each : 1;
	int result = ear_source_runs_next(&feed->runs, run, max);

	if (result == EAR_E_BAD_FILE) {
		feed->fault = result;
		result = 0;
	}
	if (result <= 0) {
		*run = (struct ear_source_run){.run = NULL};
		return result;
	}
	if (run->run)
		feed->cost += run->run->count * each;
	else
		feed->cost += feed->text ? COST_TEXT : COST_RECORD;
	return 1;
}

static void summarize(struct ear_index_feed *feed, struct ear_index_step *step)
{
	ear_run_summary_make(&feed->summary, &feed->room, step->run.run, step->run.compacts);
	step->summary = &feed->summary;
	step->run = (struct ear_source_run){.run = NULL};
}

/* Can the stretch end here? Then its checksum is known, and the next one's anchor. Returns 1, 0 or
 * an error. */
static int end_stretch(struct ear_index_feed *feed, struct ear_index_step *step)
{
	uint64_t begin = feed->anchor.byte;

	ear_anchor_fini(&feed->anchor);
	int result = ear_source_anchor(feed->source, &feed->anchor);
	if (result == EAR_E_UNSUPPORTED)
		feed->anchor.byte = begin;
	if (result)
		return result == EAR_E_UNSUPPORTED ? 0 : result;
	step->stretch_ends = true;
	step->checksum = ear_index_checksum(feed->source);
	step->bytes = feed->anchor.byte - begin;
	ear_source_checksum_begin(feed->source);
	feed->cost = 0;
	feed->stretches++;
	return 1;
}

/* The anchor is both where the node ends and where the next stretch begins. */
static int copy_anchor(struct ear_anchor *to, const struct ear_anchor *from)
{
	*to = *from;
	if (!from->state)
		return 0;
	to->state = malloc(from->size);
	if (!to->state)
		return EAR_E_NO_MEMORY;
	memcpy(to->state, from->state, from->size);
	return 0;
}

static int end_node(struct ear_index_feed *feed, struct ear_index_step *step)
{
	struct ear_index_node_end *end = &feed->node_end;

	ear_index_node_end_fini(end); /* if nobody took it */
	end->position = ear_source_position(feed->source);
	end->number = ear_source_number(feed->source);
	int result = copy_anchor(&end->anchor, &feed->anchor);
	if (result)
		return result;
	step->end = end;
	feed->node_begin = end->position;
	feed->stretches = 0;
	return 1;
}

int ear_index_feed_next(struct ear_index_feed *feed, struct ear_index_step *step)
{
	*step = (struct ear_index_step){.stretch_ends = false};
	if (feed->at_end)
		return 0;
	int result = take_records(feed, &step->run);
	if (result < 0)
		return result;
	if (feed->summarize && step->run.run && ear_run_summary_fits(step->run.run))
		summarize(feed, step);
	if (feed->reports && *feed->reports != feed->reported) {
		feed->reported = *feed->reports;
		step->reported = true;
	}
	feed->trace_ended = feed->at_end = result == 0;
	uint64_t position = ear_source_runs_position(&feed->runs);
	if (position == feed->node_begin)
		return 0; /* nothing came */
	bool ends = feed->at_end || position > feed->end;
	if (ends ? feed->cost > 0 : feed->cost >= feed->stretch) {
		result = end_stretch(feed, step);
		if (result < 0)
			return result;
		feed->at_end |= ends && result == 1;
	}
	if (feed->at_end || feed->stretches == EAR_INDEX_CHILDREN)
		return end_node(feed, step);
	return 1;
}
