/* Reads all of a trace and all of its index, and compares them.
 *
 * The records of each node are collected again, as when it was built, and what comes out must be in
 * the sets that are in the file, which may be coarser. Every other block is read once.
 */
#include "library/index/index_verify.h"

#include <earshot/error.h>

#include "library/index/file/index_checkpoint.h"
#include "library/index/file/index_file.h"
#include "library/index/file/index_version.h"
#include "library/index/index_collect.h"
#include "library/index/index_walk.h"

/* Is all of *found in *sets? */
static bool has_all(const struct ear_index_sets *sets, const struct ear_index_sets *found)
{
	uint64_t code = (uint64_t)1 << found->code_shift, data = (uint64_t)1 << found->data_shift;

	for (size_t i = 0; i < found->code_count; i++) {
		uint64_t first = found->code[i].key << found->code_shift;
		if (found->code[i].children &
			~ear_index_sets_executed(sets, first, first + (code - 1)))
			return false;
	}
	for (size_t i = 0; i < found->data_count; i++) {
		uint64_t first = found->data[i].key << found->data_shift;
		uint64_t last = first + (data - 1);
		if (found->data[i].read & ~ear_index_sets_accessed(sets, first, last, true, false))
			return false;
		if (found->data[i].written &
			~ear_index_sets_accessed(sets, first, last, false, true))
			return false;
	}
	for (size_t i = 0; i < found->csr_count; i++)
		if (found->csrs[i].children &
			~ear_index_few_find(sets->csrs, sets->csr_count, found->csrs[i].key))
			return false;
	for (size_t i = 0; i < found->cause_count; i++)
		if (found->causes[i].children & ~(ear_index_few_find(sets->causes,
							  sets->cause_count, found->causes[i].key) |
							sets->any_cause))
			return false;
	return true;
}

static bool has_child(const struct ear_index_child *child, const struct ear_index_child *found)
{
	const uint32_t own =
		EAR_INDEX_FLAG_FORGOTTEN | EAR_INDEX_FLAG_CHANGE | EAR_INDEX_FLAG_REPORT;

	return child->records == found->records && child->instructions == found->instructions &&
	       child->traps == found->traps && child->interrupts == found->interrupts &&
	       child->events == found->events && child->gaps == found->gaps &&
	       child->ticks_low == found->ticks_low && child->ticks_high == found->ticks_high &&
	       child->order_low == found->order_low && child->order_high == found->order_high &&
	       child->x == found->x && child->f == found->f && child->v == found->v &&
	       (child->flags & ~own) == (found->flags & ~own);
}

static int compare_node(struct ear_index *index, size_t node, const struct ear_index_sets *found)
{
	const struct ear_index_sets *sets;
	int result = ear_index_file_sets(index, 0, node, &sets);

	if (result)
		return result;
	for (unsigned i = 0; i < sets->count; i++)
		if (!has_child(&sets->children[i], &found->children[i]))
			return EAR_E_BAD_FILE;
	return has_all(sets, found) ? 0 : EAR_E_BAD_FILE;
}

/* The records of a node once more. */
static int collect_node(struct ear_index *index, struct ear_index_walk *walk, size_t node,
	struct ear_index_collect *collect)
{
	const struct ear_index_node *here = &index->directory.levels[0].nodes[node];
	uint64_t end = ear_index_file_end(index, 0, node), child_end = here->position;
	int result = 0;

	ear_index_collect_begin(collect);
	for (unsigned child = 0; child < here->count && result == 0; child++) {
		const struct ear_index_sets *sets;
		result = ear_index_file_sets(index, 0, node, &sets);
		if (result)
			break;
		child_end += sets->children[child].records;
		while (result == 0 && ear_index_walk_position(walk) < child_end) {
			struct ear_source_run run;
			result = ear_index_walk_next_run(walk, &run);
			if (result <= 0)
				return result ? result : EAR_E_BAD_FILE;
			if (run.run)
				ear_index_collect_push_run(collect, run.run, run.compacts);
			else
				ear_index_collect_push(collect, run.record);
			result = collect->failed ? EAR_E_NO_MEMORY : 0;
		}
		if (child_end < end)
			ear_index_collect_next_child(collect);
	}
	return result;
}

/* Blocks of a node that no search reads. */
static int read_blocks(const struct ear_index *index, size_t node)
{
	const struct ear_index_node *here = &index->directory.levels[0].nodes[node];
	struct ear_index_checkpoint checkpoint = {0};
	struct ear_index_version version;
	size_t at;
	int result = 0;

	if (here->checkpoint.size > 0)
		result = ear_index_checkpoint_read(index, here->position, &at, &checkpoint);
	ear_index_checkpoint_fini(&checkpoint);
	if (result == 0 && here->version.size > 0) {
		result = ear_index_version_read(&version, index, node);
		if (result == 0)
			result = ear_index_version_check(&version, index);
		ear_index_version_fini(&version);
	}
	return result;
}

static int verify_nodes(struct ear_index *index, struct ear_index_walk *walk,
	struct ear_index_collect *collect, uint64_t *position)
{
	const struct ear_index_level *level = &index->directory.levels[0];
	int result = 0;

	for (size_t node = 0; node < level->count && result == 0; node++) {
		struct ear_index_sets found;
		*position = level->nodes[node].position;
		result = read_blocks(index, node);
		if (result == 0)
			result = ear_index_walk_to(walk, *position);
		if (result == 0)
			result = collect_node(index, walk, node, collect);
		if (result == 0)
			result = ear_index_collect_take(collect, level->nodes[node].count, &found);
		if (result)
			break;
		result = compare_node(index, node, &found);
		ear_index_sets_fini(&found);
	}
	return result;
}

int ear_index_check(struct ear_index *index)
{
	const struct ear_index_directory *directory = &index->directory;
	const struct ear_memory_volatile *volatiles;
	int result = ear_index_file_volatiles(index, &volatiles);

	for (unsigned level = 0; level < directory->level_count; level++)
		for (size_t node = 0; node < directory->levels[level].count && result == 0;
			node++) {
			const struct ear_index_sets *sets;
			result = ear_index_file_sets(index, level, node, &sets);
			if (result == 0 && level == 0)
				result = read_blocks(index, node);
		}
	return result;
}

/* Higher levels: what a child has, its parent has. */
static int verify_levels(struct ear_index *index)
{
	for (unsigned level = 1; level < index->directory.level_count; level++) {
		for (size_t node = 0; node < index->directory.levels[level - 1].count; node++) {
			const struct ear_index_sets *sets;
			uint32_t bit = 1u << node % EAR_INDEX_CHILDREN;
			int result = ear_index_file_sets(index, level - 1, node, &sets);
			if (result)
				return result;
			/* The children of the one below become one child here. */
			struct ear_index_sets below = *sets;
			const struct ear_index_sets *above;
			result = ear_index_file_sets(
				index, level, node / EAR_INDEX_CHILDREN, &above);
			if (result)
				return result;
			for (size_t i = 0; i < below.code_count; i++) {
				uint64_t first = below.code[i].key << below.code_shift;
				uint64_t last = first + (((uint64_t)1 << below.code_shift) - 1);
				if (!(ear_index_sets_executed(above, first, last) & bit))
					return EAR_E_BAD_FILE;
			}
		}
	}
	return 0;
}

int ear_index_verify(struct ear_index *index, struct ear_source *source,
	ear_index_progress *progress, void *context, uint64_t *position, bool *trace_changed)
{
	struct ear_index_collect collect;
	struct ear_index_walk *walk;
	int result = ear_index_walk_new(&walk, index, source);

	*position = UINT64_MAX;
	*trace_changed = false;
	if (result)
		return result;
	ear_index_walk_set_progress(walk, progress, context);
	result = ear_index_collect_init(&collect);
	if (result == 0)
		result = verify_levels(index);
	if (result == 0)
		result = verify_nodes(index, walk, &collect, position);
	if (result == 0)
		result = ear_index_walk_check(walk);
	*trace_changed = ear_index_walk_changed(walk);
	ear_index_collect_fini(&collect);
	ear_index_walk_free(walk);
	return result;
}
