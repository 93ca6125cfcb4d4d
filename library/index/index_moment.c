/* What a moment holds.
 *
 * Followers begin at the checkpoint before the moment with what it says, and get the records up to
 * the moment. Memory is too large for a checkpoint: there the follower begins with nothing, and a
 * byte that the records do not settle is looked up, from new to old: in the newest version that
 * has it, and, where a version was left out to save space, in the records themselves.
 */
#include "library/index/index_moment.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/index/file/index_checkpoint.h"
#include "library/index/index_past.h"
#include "library/stack/call_stack.h"
#include "library/state/flow.h"

#define MEMORY_MAX ((size_t)16 << 20)

struct ear_index_moment {
	struct ear_index_walk *walk;
	struct ear_index *index; /* NULL: none */
	struct ear_memory_options options;
	struct ear_state_source source;
	const struct ear_state *initial;
	const struct ear_memory_segment *image;
	size_t image_count;
	const struct ear_memory_volatile *volatiles; /* the index's, or: */
	struct ear_memory_volatile *scanned;
	bool volatiles_read;

	/* Followers: those in followed, from checkpoint begin of node to position. */
	bool placed;
	unsigned followed, wanted; /* enum ear_index_follow */
	size_t node;
	uint64_t begin, position;
	struct ear_state *state;
	struct ear_memory *memory;
	bool forgotten; /* memory was, since begin */
	struct ear_call_stacks *stacks;
	struct ear_flow flow;
	uint64_t flow_begin;
	bool no_stacks;
	struct ear_index_log log; /* of the records from begin to position */

	struct ear_index_past past;
	bool past_made;
};

int ear_index_moment_new(struct ear_index_moment **moment, struct ear_index_walk *walk,
	const struct ear_memory_options *memory)
{
	struct ear_index_moment *made = calloc(1, sizeof(*made));

	if (!made)
		return EAR_E_NO_MEMORY;
	made->walk = walk;
	made->index = ear_index_walk_index(walk);
	made->source = ear_index_state_source(ear_index_walk_source(walk));
	made->options = *memory;
	made->options.spill = NULL;
	made->options.image = NULL;
	made->options.image_count = 0;
	made->options.key = made->index ? made->index->directory.memory_key : EAR_MEMORY_FLAT;
	*moment = made;
	return 0;
}

static void drop_followers(struct ear_index_moment *moment)
{
	ear_state_free(moment->state);
	ear_memory_free(moment->memory);
	ear_call_stacks_free(moment->stacks);
	ear_flow_fini(&moment->flow);
	moment->state = NULL;
	moment->memory = NULL;
	moment->stacks = NULL;
	moment->flow = (struct ear_flow){0};
	moment->placed = false;
	moment->forgotten = false;
	moment->no_stacks = false;
}

void ear_index_moment_free(struct ear_index_moment *moment)
{
	if (!moment)
		return;
	drop_followers(moment);
	ear_index_log_fini(&moment->log);
	ear_index_past_fini(&moment->past);
	ear_memory_volatile_free(moment->scanned);
	free(moment);
}

void ear_index_moment_set_initial(struct ear_index_moment *moment, const struct ear_state *initial)
{
	moment->initial = initial;
	moment->placed = false;
}

void ear_index_moment_set_image(
	struct ear_index_moment *moment, const struct ear_memory_segment *segments, size_t count)
{
	moment->image = segments;
	moment->image_count = count;
}

void ear_index_moment_follow(struct ear_index_moment *moment, unsigned wanted)
{
	moment->wanted = wanted;
}

/* Followers ----------------------------------------------------------------------------------- */

/* They get what the checkpoint says; all of it is foreign. */
static int fill_followers(
	struct ear_index_moment *moment, const struct ear_index_checkpoint *checkpoint)
{
	const struct ear_index_bytes *registers = &checkpoint->registers;
	const struct ear_index_bytes *stacks = &checkpoint->stacks;
	const struct ear_index_bytes *expected = &checkpoint->expected;
	struct ear_state *part = NULL;
	int result = ear_state_restore(&part, registers->bytes, registers->size);

	if (result == 0)
		result = ear_state_merge(moment->state, part);
	ear_state_free(part);
	moment->no_stacks = stacks->size == 0;
	if (result == 0 && !moment->no_stacks)
		result = ear_call_stacks_load(moment->stacks, stacks->bytes, stacks->size);
	if (result == 0)
		result = ear_memory_expected_load(moment->memory, expected->bytes, expected->size);
	return result;
}

static int new_memory(
	const struct ear_index_moment *moment, bool indexed, struct ear_memory **memory)
{
	return indexed ? ear_index_past_memory(&moment->past, memory)
		       : ear_memory_new(memory, &moment->options);
}

static int make_followers(struct ear_index_moment *moment, bool indexed)
{
	int result = moment->initial ? ear_state_clone(&moment->state, moment->initial)
				     : ear_state_new(&moment->state);

	if (result == 0)
		ear_state_set_source(moment->state, &moment->source);
	if (result == 0)
		result = new_memory(moment, indexed, &moment->memory);
	if (result == 0)
		result = ear_call_stacks_new(&moment->stacks);
	ear_flow_begin(&moment->flow);
	return result;
}

static bool has_records(const struct ear_index_moment *moment)
{
	return moment->index && moment->index->directory.level_count > 0;
}

/* Can logs say what memory holds, where nothing is forgotten? */
static bool has_logs(const struct ear_index_moment *moment)
{
	return has_records(moment) && moment->options.key == EAR_MEMORY_FLAT &&
	       moment->index->directory.flags & EAR_INDEX_FILE_CAPTURE;
}

/* The past is looked at with an index only. */
static int make_past(struct ear_index_moment *moment)
{
	if (moment->past_made || !has_records(moment))
		return 0;
	moment->past_made = true;
	return ear_index_past_init(&moment->past, moment->walk, &moment->options);
}

/* The followers are at the checkpoint before position. */
static int begin_followers(struct ear_index_moment *moment, uint64_t position)
{
	struct ear_index_checkpoint checkpoint = {0};
	bool indexed = has_records(moment);
	int result = make_past(moment);

	drop_followers(moment);
	moment->node = 0;
	moment->begin = 0;
	if (result == 0 && indexed) {
		result = ear_index_checkpoint_read(
			moment->index, position, &moment->node, &checkpoint);
		moment->begin = checkpoint.anchor.position;
	}
	if (result == 0)
		result = make_followers(moment, indexed);
	if (result == 0 && indexed)
		result = fill_followers(moment, &checkpoint);
	ear_index_checkpoint_fini(&checkpoint);
	moment->position = moment->begin;
	moment->flow_begin = moment->begin;
	moment->placed = result == 0;
	ear_index_log_begin(&moment->log, 0, UINT64_MAX);
	/* Memory that is followed needs no log. */
	moment->log.failed = !indexed || moment->followed & EAR_INDEX_FOLLOW_MEMORY ||
			     !ear_index_past_has_logs(&moment->past, moment->node, moment->node);
	return result;
}

static int push_run(struct ear_index_moment *moment, const struct ear_source_run *run)
{
	bool state = moment->followed & EAR_INDEX_FOLLOW_REGISTERS;
	bool memory = moment->followed & EAR_INDEX_FOLLOW_MEMORY;
	bool stacks = moment->followed & EAR_INDEX_FOLLOW_STACKS && !moment->no_stacks;
	uint64_t in_part = moment->position - moment->flow_begin;
	size_t count = run->run ? run->run->count : 1;
	int result = 0;

	ear_index_log_push(&moment->log, run);
	if (run->run) {
		if (state)
			result = ear_state_push_run(moment->state, run->run, run->compacts);
		if (result == 0 && memory)
			result = ear_memory_push_run(moment->memory, run->run, run->compacts);
		if (result == 0 && stacks)
			result = ear_flow_push_run(
				&moment->flow, in_part, run->run, run->compacts, 0, count);
	} else {
		if (state)
			result = ear_state_follow(moment->state, run->record);
		if (result == 0 && memory)
			result = ear_memory_push(moment->memory, run->record);
		if (result == 0 && stacks)
			result = ear_flow_push(&moment->flow, in_part, run->record);
	}
	moment->position += count;
	return result;
}

/* The events so far go into the stacks. sync: the stacks are asked for. */
static int push_events(struct ear_index_moment *moment, bool sync)
{
	int result = 0;

	if (moment->no_stacks || !(moment->followed & EAR_INDEX_FOLLOW_STACKS) ||
		(!sync && moment->flow.count < 65536))
		return 0;
	if (sync)
		result = ear_flow_sync(&moment->flow, moment->position - moment->flow_begin);
	if (result == 0)
		result = ear_call_stacks_push(moment->stacks, moment->flow.events,
			moment->flow.count, moment->flow_begin);
	moment->flow.count = 0;
	if (sync) {
		ear_flow_begin(&moment->flow);
		moment->flow_begin = moment->position;
	}
	return result;
}

/* Bring the followers to position, among them those that are needed. */
static int stand_at(struct ear_index_moment *moment, uint64_t position, unsigned needed)
{
	bool near = moment->placed && moment->position <= position &&
		    (!moment->index || ear_index_checkpoint_before(moment->index, position) <=
					       moment->position);
	bool all = (moment->followed & needed) == needed;
	int result = 0;

	if (!near || !all) {
		/* Who asks about several things at one place gets all of them from now on. A log
		 * costs less than memory. */
		unsigned wanted = moment->wanted;
		if (has_logs(moment))
			wanted &= ~(unsigned)EAR_INDEX_FOLLOW_MEMORY;
		moment->followed = (near ? moment->followed : 0) | needed | wanted;
		result = begin_followers(moment, position);
	}

	if (result == 0 && moment->position < position)
		result = ear_index_walk_to(moment->walk, moment->position);
	while (result == 0 && moment->position < position) {
		struct ear_source_run run;
		result = ear_index_walk_next_before(moment->walk, position, &run);
		if (result == 0)
			result = EAR_E_BAD_ARGUMENT; /* there is no such record */
		else if (result == 1)
			result = push_run(moment, &run);
		if (result == 0)
			result = push_events(moment, false);
	}
	if (result)
		moment->placed = false;
	return result;
}

int ear_index_state(
	struct ear_index_moment *moment, uint64_t position, const struct ear_state **state)
{
	int result = stand_at(moment, position, EAR_INDEX_FOLLOW_REGISTERS);

	*state = moment->state;
	return result;
}

int ear_index_stacks(
	struct ear_index_moment *moment, uint64_t position, const struct ear_call_stacks **stacks)
{
	int result = stand_at(moment, position, EAR_INDEX_FOLLOW_STACKS);

	if (result == 0)
		result = push_events(moment, true);
	*stacks = moment->stacks;
	if (result)
		moment->placed = false;
	return result == 0 && moment->no_stacks ? EAR_E_UNSUPPORTED : result;
}

/* Memory -------------------------------------------------------------------------------------- */

static int scan_to_end(struct ear_index_moment *moment, struct ear_memory *memory)
{
	struct ear_source_run run;
	int result = ear_index_walk_to(moment->walk, 0);

	while (result == 0) {
		result = ear_index_walk_next_run(moment->walk, &run);
		if (result <= 0)
			return result == EAR_E_BAD_FILE ? 0 : result;
		result = run.run ? ear_memory_push_run(memory, run.run, run.compacts)
				 : ear_memory_push(memory, run.record);
	}
	return result;
}

/* Without an index: which bytes are volatile, and what addresses mean, the trace itself says. */
static int scan_volatiles(struct ear_index_moment *moment)
{
	for (unsigned i = 0; i < 3 && !moment->volatiles_read; i++) {
		struct ear_memory *memory;
		int result = ear_memory_new(&memory, &moment->options);
		if (result)
			return result;
		result = scan_to_end(moment, memory);
		enum ear_memory_key better = ear_memory_better_key(memory);
		const struct ear_memory_volatile *found = ear_memory_volatile(memory);
		size_t size = ear_memory_volatile_save(found, NULL, 0);
		uint8_t *bytes = malloc(size + 1);
		if (!bytes)
			result = EAR_E_NO_MEMORY;
		if (result == 0 && better == moment->options.key) {
			ear_memory_volatile_save(found, bytes, size);
			result = ear_memory_volatile_load(&moment->scanned, bytes, size);
			moment->volatiles = moment->scanned;
			moment->volatiles_read = result == 0;
		}
		moment->options.key = better;
		moment->placed = false;
		free(bytes);
		ear_memory_free(memory);
		if (result)
			return result;
	}
	return 0;
}

static int prepare_memory(struct ear_index_moment *moment)
{
	return moment->index ? ear_index_file_volatiles(moment->index, &moment->volatiles)
			     : scan_volatiles(moment);
}

/* Segments that may have been written before position. It is asked after a gap only. */
static int find_written(struct ear_index_moment *moment, uint64_t position, uint64_t *written)
{
	*written = 0;
	for (size_t i = 0; i < moment->image_count && i < EAR_MEMORY_SEGMENTS_MAX; i++) {
		const struct ear_memory_segment *segment = &moment->image[i];
		const struct ear_index_term term = {.kind = EAR_INDEX_WRITE,
			.first = segment->address,
			.last = segment->address + (segment->size - 1)};
		const struct ear_index_query query = {&term, 1};
		struct ear_index_stretch stretch;
		int result = 1;
		if (segment->size > 0 && moment->index && moment->options.key == EAR_MEMORY_FLAT)
			result = ear_index_previous(moment->index, &query, position, &stretch);
		if (result < 0)
			return result;
		*written |= (uint64_t)(result > 0) << i;
	}
	return 0;
}

static int end_lines(
	struct ear_index_moment *moment, uint64_t position, struct ear_index_lines *lines)
{
	struct ear_memory_options options = moment->options;
	uint64_t written = 0;
	int result = lines->forgotten ? find_written(moment, position, &written) : 0;

	options.image = moment->image;
	options.image_count = moment->image_count;
	for (size_t i = 0; i < lines->count && result == 0; i++)
		ear_memory_line_end(
			&lines->lines[i], &options, lines->forgotten, written, moment->volatiles);
	return result;
}

static void copy_bytes(const struct ear_index_lines *lines, uint64_t address, size_t size,
	uint8_t *bytes, uint8_t *known)
{
	uint64_t first = lines->lines[0].address;

	for (size_t i = 0; i < size; i++) {
		uint64_t offset = address + i - first;
		const struct ear_memory_line *line = &lines->lines[offset / EAR_MEMORY_LINE];
		unsigned byte = (unsigned)(offset % EAR_MEMORY_LINE);
		bytes[i] = line->bytes[byte];
		known[i] = line->known >> byte & 1 ? EAR_INDEX_BYTE_KNOWN
			   : !(line->settled >> byte & 1) && !lines->forgotten
				   ? EAR_INDEX_BYTE_UNTOUCHED
				   : EAR_INDEX_BYTE_UNKNOWN;
	}
}

/* What the records from the checkpoint before position on say of the lines, by a log of them: one
 * that there is, or one that is made now. Returns 1 and *node, that of the checkpoint; 0: a log
 * does not say it; or an error. */
static int ask_log(struct ear_index_moment *moment, uint64_t position,
	struct ear_index_lines *lines, size_t *node)
{
	const struct ear_index *index = moment->index;

	if (!has_records(moment) || position > index->directory.records)
		return 0;
	size_t last = ear_index_file_find(index, position);
	*node = ear_index_file_find(index, ear_index_checkpoint_before(index, position));
	if (!ear_index_past_has_logs(&moment->past, *node, last))
		return 0;
	if (moment->placed && moment->position == position && moment->node == *node &&
		!moment->log.failed)
		return ear_index_log_lines(&moment->log, lines->lines, lines->count);
	for (size_t i = 0; i < lines->count; i++)
		lines->ends[i] = SIZE_MAX;
	return ear_index_past_replay(&moment->past, *node, last, position, lines);
}

/* The same by following all of memory. */
static int ask_follower(struct ear_index_moment *moment, uint64_t position,
	struct ear_index_lines *lines, size_t *node)
{
	int result = stand_at(moment, position, EAR_INDEX_FOLLOW_MEMORY);

	if (result)
		return result;
	*node = moment->node;
	lines->forgotten = moment->forgotten;
	result = ear_index_lines_under(lines, moment->memory);
	moment->forgotten = lines->forgotten;
	return result;
}

static int ask_lines(
	struct ear_index_moment *moment, uint64_t position, struct ear_index_lines *lines)
{
	size_t node = 0;
	int result = moment->followed & EAR_INDEX_FOLLOW_MEMORY && moment->placed &&
				     moment->position == position
			     ? 0
			     : ask_log(moment, position, lines, &node);

	if (result == 0)
		result = ask_follower(moment, position, lines, &node);
	if (result >= 0 && has_records(moment))
		result = ear_index_past_lines(&moment->past, node, lines);
	return result < 0 ? result : end_lines(moment, position, lines);
}

int ear_index_memory(struct ear_index_moment *moment, uint64_t position, uint64_t address,
	size_t size, uint8_t *bytes, uint8_t *known)
{
	struct ear_index_lines lines;

	if (size == 0)
		return 0;
	if (size > MEMORY_MAX || address + (size - 1) < address)
		return EAR_E_BAD_ARGUMENT;
	int result = prepare_memory(moment);
	if (result == 0)
		result = make_past(moment);
	if (result)
		return result;
	result = ear_index_lines_init(&lines, address, size);
	if (result == 0)
		result = ask_lines(moment, position, &lines);
	if (result == 0)
		copy_bytes(&lines, address, size, bytes, known);
	ear_index_lines_fini(&lines);
	return result;
}

bool ear_index_has_log(struct ear_index_moment *moment, uint64_t first, uint64_t end)
{
	if (!has_logs(moment) || end > moment->index->directory.records || make_past(moment))
		return false;
	return first >= end ||
	       ear_index_past_has_logs(&moment->past, ear_index_file_find(moment->index, first),
		       ear_index_file_find(moment->index, end - 1));
}

int ear_index_never_known(struct ear_index_moment *moment, uint64_t line, uint64_t *mask)
{
	struct ear_memory_line all = {.address = line, .known = UINT64_MAX, .settled = UINT64_MAX};
	struct ear_memory_options options = moment->options;
	int result = prepare_memory(moment);

	if (result)
		return result;
	options.image_count = 0;
	ear_memory_line_end(&all, &options, false, 0, moment->volatiles);
	*mask = ~all.known;
	return 0;
}
