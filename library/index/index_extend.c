/* Continues an old index at one of its checkpoints.
 *
 * Blocks of nodes stay as they are, at their offsets. What a builder has in memory comes from the
 * file: the nodes of higher levels that are not complete from the sets of their children, registers
 * and stacks from the checkpoint. Of memory nothing is needed but what it held where a later load
 * sees a byte first: that is asked of the old index, as any user would.
 *
 * The last node of the old index is never kept, nor its beginning: what was the end of the trace
 * may have been half a record.
 */
#include "library/index/index_extend.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/index/index_moment.h"
#include "library/index/index_walk.h"
#include "library/memory/memory_resume.h"
#include "library/memory/memory_volatile.h"
#include "library/state/flow.h"

#define COPY_SIZE   65536u
#define QUERY_SIZE  ((size_t)64 << 10) /* bytes of memory that are asked for at once */
#define QUERY_LEAST 256u /* blocks that may be asked for, and one more for so many records: */
#define QUERY_STEP  (1u << 18)

/* The trace ------------------------------------------------------------------------------------ */

/* Read up to position, by the old index: its checksums are compared. */
static int check_before(struct ear_index *old, struct ear_source *source, size_t node)
{
	struct ear_index_walk *walk;
	int result = ear_index_walk_new(&walk, old, source);

	if (result)
		return result;
	result = ear_index_walk_to(walk, old->directory.levels[0].nodes[node - 1].position);
	if (result == 0)
		result = ear_index_walk_to(walk, old->directory.levels[0].nodes[node].position);
	if (result == 0)
		result = ear_index_walk_check(walk);
	ear_index_walk_free(walk);
	return result == EAR_E_BAD_FILE ? EAR_E_BAD_ARGUMENT : result;
}

int ear_index_extend_init(
	struct ear_index_extend *extend, struct ear_index *old, struct ear_source *source)
{
	const struct ear_index_level *level = &old->directory.levels[0];
	size_t at;

	*extend = (struct ear_index_extend){.old = old};
	/* With virtual addresses, physical ones that come later would change what all mean. */
	if (level->count < 3 || old->directory.memory_key == EAR_MEMORY_VIRTUAL)
		return EAR_E_BAD_ARGUMENT;
	extend->node = level->count - 2;
	while (extend->node > 0 && level->nodes[extend->node].checkpoint.size == 0)
		extend->node--;
	if (extend->node == 0)
		return EAR_E_BAD_ARGUMENT;
	int result = check_before(old, source, extend->node);
	if (result == 0)
		result = ear_index_checkpoint_read(
			old, level->nodes[extend->node].position, &at, &extend->checkpoint);
	if (result == 0 && at != extend->node)
		result = EAR_E_BAD_FILE;
	return result == EAR_E_BAD_FILE ? EAR_E_BAD_ARGUMENT : result;
}

void ear_index_extend_fini(struct ear_index_extend *extend)
{
	ear_index_checkpoint_fini(&extend->checkpoint);
}

/* The file ------------------------------------------------------------------------------------- */

static uint64_t end_of(const struct ear_index_place *place, uint64_t end)
{
	return place->size > 0 && place->offset + place->size > end ? place->offset + place->size
								    : end;
}

/* The blocks of the nodes that stay, with what lies between them. */
static int copy_blocks(const struct ear_index *old, struct ear_index_merge *merge)
{
	uint64_t at = merge->writer.offset, end = at;

	for (unsigned l = 0; l < EAR_INDEX_LEVELS_MAX; l++) {
		const struct ear_index_level *level = &merge->directory.levels[l];
		for (size_t i = 0; i < level->count; i++) {
			end = end_of(&level->nodes[i].sets, end);
			end = end_of(&level->nodes[i].checkpoint, end);
			end = end_of(&level->nodes[i].version, end);
		}
	}
	while (at < end) {
		size_t size = end - at < COPY_SIZE ? (size_t)(end - at) : COPY_SIZE;
		uint64_t offset;
		uint8_t *bytes;
		int result = ear_index_file_read(old, at, size, &bytes);
		if (result)
			return result;
		result = ear_index_writer_put(&merge->writer, bytes, size, &offset);
		free(bytes);
		if (result)
			return result;
		at += size;
	}
	return 0;
}

static int copy_nodes(struct ear_index_level *to, const struct ear_index_level *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ear_index_node *node = ear_index_level_add(to);
		if (!node)
			return EAR_E_NO_MEMORY;
		*node = from->nodes[i];
	}
	return 0;
}

/* The children of a level since its last node. */
static int collect_children(struct ear_index *old, struct ear_index_collect *collect,
	unsigned level, size_t first, size_t end)
{
	int result = ear_index_collect_init(collect);

	if (result)
		return result;
	for (size_t i = first; i < end && result == 0; i++) {
		const struct ear_index_sets *sets;
		result = ear_index_file_sets(old, level - 1, i, &sets);
		if (result)
			break;
		ear_index_collect_add(collect, sets);
		ear_index_collect_next_child(collect);
	}
	return collect->failed ? EAR_E_NO_MEMORY : result;
}

/* A node of a higher level ends when a child comes after its last one. */
static int copy_levels(const struct ear_index_extend *extend, struct ear_index_merge *merge)
{
	struct ear_index *old = extend->old;
	size_t below = extend->node;
	int result = copy_nodes(&merge->directory.levels[0], &old->directory.levels[0], below);

	for (unsigned level = 1; level < EAR_INDEX_LEVELS_MAX && below > 0 && result == 0;
		level++) {
		size_t count = (below - 1) / EAR_INDEX_CHILDREN;
		result = copy_nodes(
			&merge->directory.levels[level], &old->directory.levels[level], count);
		if (result == 0)
			result = collect_children(old, &merge->levels[level], level,
				count * EAR_INDEX_CHILDREN, below);
		merge->level_count = level;
		below = count;
	}
	return result;
}

/* The hart of the first flow event, whose depth children say. */
static int find_first_hart(struct ear_index_merge *merge, struct ear_source *source)
{
	const struct ear_record *record;
	struct ear_flow flow = {0};
	uint64_t position = 0;
	int result = 1;

	ear_flow_begin(&flow);
	while (flow.count == 0 && (result = ear_source_next(source, &record)) == 1) {
		result = ear_flow_push(&flow, position++, record);
		if (result)
			break;
	}
	merge->depth_known = flow.count > 0;
	merge->first_hart = flow.count > 0 ? flow.events[0].hart : 0;
	ear_flow_fini(&flow);
	return result < 0 ? result : 0;
}

int ear_index_extend_merge(const struct ear_index_extend *extend, struct ear_index_merge *merge,
	struct ear_source *source)
{
	const struct ear_index_checkpoint *checkpoint = &extend->checkpoint;
	int result = copy_levels(extend, merge);

	if (result == 0)
		result = copy_blocks(extend->old, merge);
	if (result == 0)
		result = ear_state_restore(
			&merge->base, checkpoint->registers.bytes, checkpoint->registers.size);
	merge->no_stacks = checkpoint->stacks.size == 0;
	if (result == 0 && !merge->no_stacks)
		result = ear_call_stacks_load(
			merge->stacks, checkpoint->stacks.bytes, checkpoint->stacks.size);
	if (result == 0)
		result = find_first_hart(merge, source);
	if (result == 0)
		ear_index_merge_account(merge, checkpoint->anchor.position);
	return result;
}

/* Memory --------------------------------------------------------------------------------------- */

static int load_volatiles(const struct ear_index_extend *extend, struct ear_memory *whole)
{
	const struct ear_index_directory *directory = &extend->old->directory;
	struct ear_memory_volatile *volatiles;
	bool forgotten = false;
	uint8_t *bytes;

	for (size_t i = 0; i < extend->node; i++)
		forgotten |= (directory->levels[0].nodes[i].flags & EAR_INDEX_FLAG_FORGOTTEN) != 0;
	if (directory->volatiles.size == 0)
		return EAR_E_BAD_FILE;
	int result = ear_index_file_block(extend->old, &directory->volatiles, &bytes);
	if (result)
		return result;
	result = ear_memory_volatile_load(&volatiles, bytes, directory->volatiles.unpacked);
	free(bytes);
	if (result)
		return result;
	result = ear_memory_resume(whole, volatiles, forgotten);
	ear_memory_volatile_free(volatiles);
	return result;
}

/* Room for the answer to one question. */
struct answer {
	uint8_t bytes[QUERY_SIZE], said[QUERY_SIZE];
	bool known[QUERY_SIZE], settled[QUERY_SIZE];
};

static int ask(const struct ear_index_extend *extend, struct ear_index_moment *moment,
	struct ear_memory *whole, uint64_t number, size_t blocks, struct answer *answer)
{
	size_t size = blocks * EAR_MEMORY_BLOCK;
	int result = ear_index_memory(moment, extend->checkpoint.anchor.position,
		number * EAR_MEMORY_BLOCK, size, answer->bytes, answer->said);

	for (size_t i = 0; i < size && result == 0; i++) {
		answer->known[i] = answer->said[i] == EAR_INDEX_BYTE_KNOWN;
		answer->settled[i] = answer->said[i] != EAR_INDEX_BYTE_UNTOUCHED;
	}
	for (size_t i = 0; i < blocks && result == 0; i++) {
		size_t at = i * EAR_MEMORY_BLOCK;
		result = ear_memory_resume_block(whole, number + i, answer->bytes + at,
			answer->known + at, answer->settled + at);
	}
	return result;
}

static int ask_blocks(const struct ear_index_extend *extend, struct ear_index_moment *moment,
	struct ear_memory *whole, const uint64_t *numbers, size_t count)
{
	struct answer *answer = malloc(sizeof(*answer));
	int result = answer ? 0 : EAR_E_NO_MEMORY;

	for (size_t i = 0, run; i < count && result == 0; i += run) {
		for (run = 1; i + run < count && numbers[i + run] == numbers[i] + run &&
			      (run + 1) * EAR_MEMORY_BLOCK <= QUERY_SIZE;)
			run++;
		result = ask(extend, moment, whole, numbers[i], run, answer);
	}
	free(answer);
	return result;
}

int ear_index_extend_memory(const struct ear_index_extend *extend, struct ear_memory *whole,
	const struct ear_memory *part, const struct ear_memory_options *options,
	struct ear_source *source)
{
	struct ear_index_moment *moment = NULL;
	struct ear_index_walk *walk = NULL;
	uint64_t *numbers;
	size_t count;
	int result = ear_memory_first_blocks(part, &numbers, &count);

	if (result == 0 && count > QUERY_LEAST + extend->checkpoint.anchor.position / QUERY_STEP)
		result = EAR_E_BAD_ARGUMENT;
	if (result == 0)
		result = load_volatiles(extend, whole);
	if (result == 0)
		result = ear_index_walk_new(&walk, extend->old, source);
	if (result == 0)
		result = ear_index_moment_new(&moment, walk, options);
	if (result == 0)
		result = ask_blocks(extend, moment, whole, numbers, count);
	ear_index_moment_free(moment);
	ear_index_walk_free(walk);
	free(numbers);
	return result;
}
