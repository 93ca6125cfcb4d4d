/* Reading a trace from any position.
 *
 * A walk begins at the anchor of a node and passes the borders of the node's stretches; at each it
 * compares the checksum of the bytes since the one before. Near a border it goes record by record,
 * because a run may lie across it.
 */
#include "library/index/index_walk.h"

#include <stdlib.h>

#include "library/index/file/index_checkpoint.h"
#include "library/index/file/index_file.h"
#include <earshot/error.h>

#define PROGRESS_STEP 65536u /* records */

struct ear_index_walk {
	struct ear_index *index;
	struct ear_source *source;
	struct ear_anchor beginning; /* without an index */
	ear_index_progress *progress;
	void *context;
	uint64_t asked;  /* position at which progress was called last */
	uint64_t target; /* of ear_index_walk_to, while it goes there */
	bool begun;      /* beginning is filled in */
	bool placed;     /* the source is where a walk brought it */
	bool changed;

	/* The stretch that is being read; end 0: not from its beginning, and not checked. */
	size_t node;
	unsigned child;
	uint64_t end, checksum;
};

int ear_index_walk_new(
	struct ear_index_walk **walk, struct ear_index *index, struct ear_source *source)
{
	struct ear_index_walk *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->index = index;
	made->source = source;
	*walk = made;
	return 0;
}

void ear_index_walk_free(struct ear_index_walk *walk)
{
	if (!walk)
		return;
	ear_anchor_fini(&walk->beginning);
	free(walk);
}

bool ear_index_walk_changed(const struct ear_index_walk *walk)
{
	return walk->changed;
}

struct ear_index *ear_index_walk_index(const struct ear_index_walk *walk)
{
	return walk->index;
}

const struct ear_source *ear_index_walk_source(const struct ear_index_walk *walk)
{
	return walk->source;
}

uint64_t ear_index_walk_position(const struct ear_index_walk *walk)
{
	return ear_source_position(walk->source);
}

uint64_t ear_index_walk_number(const struct ear_index_walk *walk)
{
	return ear_source_number(walk->source);
}

void ear_index_walk_set_progress(
	struct ear_index_walk *walk, ear_index_progress *progress, void *context)
{
	walk->progress = progress;
	walk->context = context;
}

static int ask(struct ear_index_walk *walk)
{
	uint64_t position = ear_source_position(walk->source);

	if (!walk->progress || position - walk->asked < PROGRESS_STEP)
		return 0;
	walk->asked = position;
	if (walk->progress(walk->context, position, walk->target) == 0)
		return 0;
	return EAR_E_CANCELLED;
}

/* Checks ------------------------------------------------------------------------------------ */

/* The source is where this stretch begins. */
static int begin_stretch(struct ear_index_walk *walk, size_t node, unsigned child)
{
	const struct ear_index_sets *sets;
	uint64_t end = walk->index->directory.levels[0].nodes[node].position;
	int result = ear_index_file_sets(walk->index, 0, node, &sets);

	walk->end = 0;
	if (result)
		return result;
	for (unsigned i = 0; i <= child; i++)
		end += sets->children[i].records;
	walk->node = node;
	walk->child = child;
	walk->end = end;
	walk->checksum = sets->children[child].checksum;
	if (walk->checksum != 0)
		ear_source_checksum_begin(walk->source);
	return 0;
}

/* Are the bytes of the stretch, at whose end the source is, those that they were? To those of the
 * last one belongs what comes behind the last record, such as lines of a console. */
static bool is_unchanged(struct ear_index_walk *walk, bool last)
{
	const struct ear_record *record;

	if (walk->checksum == 0 || ear_index_checksum(walk->source) == walk->checksum)
		return true;
	return last && ear_source_next(walk->source, &record) == 0 &&
	       ear_index_checksum(walk->source) == walk->checksum;
}

/* The source is where the stretch ends. */
static int end_stretch(struct ear_index_walk *walk)
{
	const struct ear_index_level *level = &walk->index->directory.levels[0];
	const bool last =
		walk->node + 1 >= level->count && walk->child + 1 >= level->nodes[walk->node].count;

	if (!is_unchanged(walk, last)) {
		walk->changed = true;
		return EAR_E_BAD_FILE;
	}
	if (walk->child + 1 < level->nodes[walk->node].count)
		return begin_stretch(walk, walk->node, walk->child + 1);
	if (walk->node + 1 < level->count)
		return begin_stretch(walk, walk->node + 1, 0);
	walk->end = 0;
	return 0;
}

static int pass_border(struct ear_index_walk *walk)
{
	return walk->end > 0 && ear_source_position(walk->source) == walk->end ? end_stretch(walk)
									       : 0;
}

/* What the trace gives where the index knows better. */
static int check_end(struct ear_index_walk *walk)
{
	if (walk->index && ear_source_position(walk->source) < walk->index->directory.records) {
		walk->changed = true;
		return EAR_E_BAD_FILE;
	}
	return 0;
}

/* Reading ----------------------------------------------------------------------------------- */

int ear_index_walk_next(struct ear_index_walk *walk, const struct ear_record **record)
{
	int result = pass_border(walk);

	if (result == 0)
		result = ask(walk);
	if (result)
		return result;
	result = ear_source_next(walk->source, record);
	return result == 0 ? check_end(walk) : result;
}

int ear_index_walk_next_run(struct ear_index_walk *walk, struct ear_source_run *run)
{
	int result = pass_border(walk);

	if (result == 0)
		result = ask(walk);
	if (result)
		return result;
	if (walk->end > 0 && walk->end - ear_source_position(walk->source) < EAR_COMPACT_RUN_MAX) {
		*run = (struct ear_source_run){0};
		result = ear_source_next(walk->source, &run->record);
	} else {
		result = ear_source_next_run(walk->source, run);
	}
	return result == 0 ? check_end(walk) : result;
}

int ear_index_walk_next_before(
	struct ear_index_walk *walk, uint64_t end, struct ear_source_run *run)
{
	if (end - ear_source_position(walk->source) > EAR_COMPACT_RUN_MAX)
		return ear_index_walk_next_run(walk, run);
	*run = (struct ear_source_run){0};
	return ear_index_walk_next(walk, &run->record);
}

int ear_index_walk_check_end(struct ear_index_walk *walk)
{
	return pass_border(walk);
}

/* Read on to position, which is not before here. */
static int read_to(struct ear_index_walk *walk, uint64_t position)
{
	int result = 1;

	walk->target = position;
	while (result == 1) {
		uint64_t here = ear_source_position(walk->source);
		const struct ear_record *record;
		struct ear_source_run run;
		if (here >= position)
			break;
		result = position - here > EAR_COMPACT_RUN_MAX ? ear_index_walk_next_run(walk, &run)
							       : ear_index_walk_next(walk, &record);
	}
	walk->target = 0;
	if (result == 0)
		return EAR_E_BAD_ARGUMENT;
	return result < 0 ? result : 0;
}

int ear_index_walk_check(struct ear_index_walk *walk)
{
	if (walk->end == 0)
		return 0;
	uint64_t end = walk->end;
	int result = read_to(walk, end);
	return result ? result : pass_border(walk);
}

static int seek(struct ear_index_walk *walk, const struct ear_anchor *anchor)
{
	walk->placed = false;
	walk->end = 0;
	int result = ear_source_seek(walk->source, anchor);
	if (result == EAR_E_BAD_FILE)
		walk->changed = true;
	walk->placed = result == 0;
	walk->asked = anchor->position;
	return result;
}

/* The anchor at or before position: of an index the last one; else the beginning. */
static int seek_before(struct ear_index_walk *walk, uint64_t position)
{
	struct ear_anchor anchor = {0};
	size_t node;

	if (!walk->index || walk->index->directory.level_count == 0)
		return seek(walk, &walk->beginning);
	int result = ear_index_checkpoint_anchor(walk->index, position, &node, &anchor);
	if (result)
		return result;
	result = seek(walk, &anchor);
	ear_anchor_fini(&anchor);
	return result ? result : begin_stretch(walk, node, 0);
}

/* Before the first seek: where the source begins is known. */
static int begin(struct ear_index_walk *walk)
{
	if (walk->begun || ear_source_position(walk->source) > 0)
		return 0;
	walk->begun = true;
	int result = ear_source_anchor(walk->source, &walk->beginning);
	if (result == 0)
		walk->placed = !walk->index;
	return result;
}

/* Is the position before here, or after a checkpoint that is after here? */
static bool needs_seek(const struct ear_index_walk *walk, uint64_t position)
{
	const uint64_t here = ear_source_position(walk->source);

	return !walk->placed || position < here ||
	       (walk->index && ear_index_checkpoint_before(walk->index, position) > here);
}

int ear_index_walk_to(struct ear_index_walk *walk, uint64_t position)
{
	int result = begin(walk);

	if (result)
		return result;
	if (walk->index && position > walk->index->directory.records)
		return EAR_E_BAD_ARGUMENT;
	if (needs_seek(walk, position))
		result = seek_before(walk, position);
	return result ? result : read_to(walk, position);
}

int ear_index_walk_join(struct ear_index_walk *walk, const struct ear_index_walk *other)
{
	const uint64_t position = ear_source_position(other->source);
	struct ear_anchor anchor = {0};
	int result = begin(walk);

	if (result)
		return result;
	if (!other->placed || !needs_seek(walk, position) ||
		ear_source_anchor(other->source, &anchor))
		return ear_index_walk_to(walk, position);
	result = seek(walk, &anchor);
	ear_anchor_fini(&anchor);
	if (result)
		return result;
	walk->node = other->node;
	walk->child = other->child;
	walk->end = other->end;
	walk->checksum = 0;
	return 0;
}
