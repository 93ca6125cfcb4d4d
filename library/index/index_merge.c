/* Nodes to an index file.
 *
 * What a node may cost is an income for each record; what is not spent is kept. The sets come
 * first, since without them a search reads everything; then the checkpoint, without which one
 * decodes longer; then memory. Each has a coarser form that costs less, so the file keeps to its
 * budget whatever the trace does.
 */
#include "library/index/index_merge.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#define CREDIT_FIRST     65536
#define SETS_PART        0.4  /* of the income of a node, at least */
#define SETS_LEAST       1024 /* bytes, whatever the income */
#define CHECKPOINT_WHOLE 32   /* nodes between whole checkpoints, at least */
#define SPARSE_PART      0.25 /* of the income, for a partial version */
#define SKIPPED_MAX      3
#define SOON             2 /* nodes whose income is waited for */
#define PREFIX_LINES     8192
#define NODE_COST        160 /* bytes in the directory */
#define LINE_SIZE_FIRST  12
#define CODE_SHIFT_STEP  2
#define INCOME_CAPTURE   (0.245 / 8) /* bytes a record */
#define INCOME_TEXT      (2.0 / 8)

int ear_index_merge_init(struct ear_index_merge *merge, int fd, bool text)
{
	*merge = (struct ear_index_merge){
		.text = text, .credit = CREDIT_FIRST, .line_size = LINE_SIZE_FIRST};
	merge->packer = ear_index_packer_new();
	int result = merge->packer ? ear_index_pending_init(&merge->pending) : EAR_E_NO_MEMORY;
	if (result == 0)
		result = ear_index_pending_init(&merge->sparse);
	if (result == 0)
		result = ear_call_stacks_new(&merge->stacks);
	return result ? result : ear_index_writer_begin(&merge->writer, fd);
}

void ear_index_merge_fini(struct ear_index_merge *merge)
{
	ear_index_directory_fini(&merge->directory);
	ear_index_packer_free(merge->packer);
	for (unsigned i = 0; i < EAR_INDEX_LEVELS_MAX; i++)
		ear_index_collect_fini(&merge->levels[i]);
	ear_call_stacks_free(merge->stacks);
	ear_state_free(merge->base);
	ear_index_bytes_fini(&merge->whole);
	ear_index_pending_fini(&merge->pending);
	ear_index_pending_fini(&merge->sparse);
	*merge = (struct ear_index_merge){0};
}

static int put_block(struct ear_index_merge *merge, const struct ear_index_bytes *block,
	size_t unpacked, struct ear_index_place *place)
{
	place->size = (uint32_t)block->size;
	place->unpacked = (uint32_t)unpacked;
	merge->credit -= (int64_t)block->size;
	return block->failed ? EAR_E_NO_MEMORY
			     : ear_index_writer_put(
				       &merge->writer, block->bytes, block->size, &place->offset);
}

/* Sets ---------------------------------------------------------------------------------------- */

static int pack_sets(struct ear_index_merge *merge, const struct ear_index_sets *sets,
	unsigned level, struct ear_index_bytes *block, size_t *unpacked)
{
	struct ear_index_bytes bytes = {0};

	ear_index_sets_write(sets, level, &bytes);
	*unpacked = bytes.size;
	block->size = 0;
	int result = bytes.failed ? EAR_E_NO_MEMORY
				  : ear_index_pack(
					    merge->packer, block, bytes.bytes, bytes.size, NULL, 0);
	ear_index_bytes_fini(&bytes);
	return result;
}

/* Make the sets smaller by one step. False: they cannot be. */
static bool coarsen(struct ear_index_sets *sets)
{
	unsigned data = sets->data_shift, code = sets->code_shift;

	if (sets->words && sets->data_count > 0) {
		sets->words = false;
	} else if (sets->data_count >= sets->code_count && data + 1 <= EAR_INDEX_SHIFT_MAX &&
		   sets->data_count > 1) {
		/* Far too many: several steps at once. */
		unsigned step = sets->data_count > 8192 ? 2 : 1;
		ear_index_sets_coarsen_data(
			sets, data + step <= EAR_INDEX_SHIFT_MAX ? data + step : data + 1);
	} else if (code + CODE_SHIFT_STEP <= EAR_INDEX_SHIFT_MAX && sets->code_count > 1) {
		ear_index_sets_coarsen_code(sets, code + CODE_SHIFT_STEP);
	} else {
		return false;
	}
	return true;
}

/* The sets into the file, as fine as the limit allows. */
static int put_sets(struct ear_index_merge *merge, struct ear_index_sets *sets, unsigned level,
	size_t limit, struct ear_index_place *place)
{
	struct ear_index_bytes block = {0};
	size_t unpacked;
	int result = pack_sets(merge, sets, level, &block, &unpacked);

	while (result == 0 && block.size > limit && coarsen(sets)) {
		/* Nothing that has so many entries fits: not even tried. */
		while (sets->data_count > 4 * limit && coarsen(sets))
			;
		result = pack_sets(merge, sets, level, &block, &unpacked);
	}
	if (result == 0)
		result = put_block(merge, &block, unpacked, place);
	*(level ? &merge->spent.levels : &merge->spent.sets) += block.size;
	ear_index_bytes_fini(&block);
	return result;
}

static void fill_node(struct ear_index_node *node, const struct ear_index_sets *sets,
	uint64_t position, uint64_t number)
{
	const struct ear_index_child sum = ear_index_sets_union(sets);

	node->position = position;
	node->number = number;
	node->ticks_low = sum.ticks_low;
	node->ticks_high = sum.ticks_high;
	node->order_low = sum.order_low;
	node->order_high = sum.order_high;
	node->flags = sum.flags;
	node->count = (uint8_t)sets->count;
}

/* Higher levels ------------------------------------------------------------------------------- */

static int add_above(struct ear_index_merge *merge, unsigned level,
	const struct ear_index_sets *sets, double income);

/* The node of a level that is being collected ends with count children. */
static int end_above(struct ear_index_merge *merge, unsigned level, unsigned count, double income)
{
	struct ear_index_level *nodes = &merge->directory.levels[level];
	const struct ear_index_level *below = &merge->directory.levels[level - 1];
	const struct ear_index_node *first = &below->nodes[nodes->count * EAR_INDEX_CHILDREN];
	struct ear_index_sets sets;
	int result = ear_index_collect_take(&merge->levels[level], count, &sets);

	if (result)
		return result;
	struct ear_index_node *node = ear_index_level_add(nodes);
	if (!node)
		result = EAR_E_NO_MEMORY;
	if (result == 0)
		fill_node(node, &sets, first->position, first->number);
	if (result == 0)
		result = put_sets(merge, &sets, level,
			income > SETS_LEAST ? (size_t)income : SETS_LEAST, &node->sets);
	ear_index_collect_begin(&merge->levels[level]);
	if (result == 0)
		result = add_above(merge, level + 1, &sets, income);
	ear_index_sets_fini(&sets);
	return result;
}

/* A node is a child of the level above. */
static int add_above(struct ear_index_merge *merge, unsigned level,
	const struct ear_index_sets *sets, double income)
{
	struct ear_index_collect *collect = &merge->levels[level];

	if (level == EAR_INDEX_LEVELS_MAX)
		return EAR_E_FULL;
	if (!collect->csrs) {
		int result = ear_index_collect_init(collect);
		if (result)
			return result;
		merge->level_count = level;
	}
	unsigned children = collect->child;
	if (children == EAR_INDEX_CHILDREN) {
		int result = end_above(merge, level, children, income);
		if (result)
			return result;
	}
	ear_index_collect_add(collect, sets);
	ear_index_collect_next_child(collect);
	return collect->failed ? EAR_E_NO_MEMORY : 0;
}

/* Stacks -------------------------------------------------------------------------------------- */

static int32_t clamp_depth(int64_t depth)
{
	return depth > INT32_MAX ? INT32_MAX : depth < INT32_MIN ? INT32_MIN : (int32_t)depth;
}

static void note_depth(struct ear_index_merge *merge, struct ear_index_child *child)
{
	struct ear_call_depth depth;

	if (!merge->depth_known || merge->no_stacks ||
		!ear_call_stack_depth(merge->stacks, merge->first_hart, &depth))
		return;
	child->depth = clamp_depth(depth.depth);
	child->lowest = clamp_depth(depth.lowest);
}

/* The events of the node, stretch by stretch. */
static int follow_stacks(struct ear_index_merge *merge, struct ear_index_product *product)
{
	const struct ear_flow_event *events = product->events;
	uint64_t begin = product->checkpoint.anchor.position, records = 0;
	size_t at = 0;

	if (!merge->depth_known && product->event_count > 0) {
		merge->first_hart = events[0].hart;
		merge->depth_known = true;
	}
	for (unsigned i = 0; i < product->sets.count; i++) {
		size_t first = at;
		records += product->sets.children[i].records;
		bool last = i + 1 == product->sets.count;
		while (at < product->event_count && (last || events[at].position < records))
			at++;
		ear_call_stack_begin_interval(merge->stacks);
		int result = merge->no_stacks ? 0
					      : ear_call_stacks_push(merge->stacks, events + first,
							at - first, begin);
		if (result == EAR_E_FULL)
			merge->no_stacks = true;
		else if (result)
			return result;
		note_depth(merge, &product->sets.children[i]);
	}
	return 0;
}

/* Checkpoints --------------------------------------------------------------------------------- */

/* Registers at the begin of the node: those at the begin of the part, and what the part did. All
 * are said as of a part that begins with the trace. */
static int join_registers(struct ear_index_merge *merge, struct ear_index_bytes *registers)
{
	struct ear_state *joined = NULL, *part = NULL;

	if (!merge->base)
		return 0;
	int result = ear_state_clone(&joined, merge->base);
	if (result == 0)
		result = ear_state_restore(&part, registers->bytes, registers->size);
	if (result == 0)
		result = ear_state_merge(joined, part);
	ear_index_bytes_fini(registers);
	if (result == 0)
		result = ear_index_save_state(joined, registers);
	ear_state_free(joined);
	ear_state_free(part);
	return result;
}

static int save_stacks(struct ear_index_merge *merge, struct ear_index_bytes *stacks)
{
	return merge->no_stacks
		       ? 0
		       : ear_call_stacks_save(merge->stacks, true, &stacks->bytes, &stacks->size);
}

/* Pack the checkpoint, whole or as a difference, whichever is due. *back: as in the file. */
static int pack_checkpoint(struct ear_index_merge *merge, size_t node,
	const struct ear_index_bytes *contents, const struct ear_index_bytes *lines,
	struct ear_index_bytes *block, uint32_t *back)
{
	size_t distance = node - merge->whole_node;
	int result;

	block->size = 0;
	*back = merge->whole.size > 0 ? (uint32_t)distance : 0;
	result = ear_index_checkpoint_pack(
		merge->packer, block, contents, *back, &merge->whole, lines);
	/* One that differs much is made whole, once that is not too often. */
	if (result || *back == 0 || lines || distance < CHECKPOINT_WHOLE ||
		block->size < merge->whole_size / 2)
		return result;
	block->size = 0;
	*back = 0;
	return ear_index_checkpoint_pack(merge->packer, block, contents, 0, NULL, NULL);
}

/* Put it into the file. contents become those of the last whole one, if it is whole. */
static int put_checkpoint(struct ear_index_merge *merge, size_t node,
	struct ear_index_bytes *contents, const struct ear_index_bytes *block, uint32_t back)
{
	struct ear_index_node *here = &merge->directory.levels[0].nodes[node];
	int result = put_block(merge, block, contents->size, &here->checkpoint);

	merge->skipped = 0;
	merge->spent.checkpoints += block->size;
	if (back == 0) {
		ear_index_bytes_fini(&merge->whole);
		merge->whole = *contents;
		*contents = (struct ear_index_bytes){0};
		merge->whole_node = node;
		merge->whole_size = block->size;
	}
	return result;
}

/* Versions ------------------------------------------------------------------------------------ */

static int put_version(struct ear_index_merge *merge, size_t node,
	const struct ear_index_bytes *block, uint32_t list_size, bool partial)
{
	struct ear_index_node *here = &merge->directory.levels[0].nodes[node];

	here->flags &= ~(uint32_t)EAR_INDEX_FLAG_PARTIAL;
	here->flags |= partial ? EAR_INDEX_FLAG_PARTIAL : 0;
	merge->spent.versions += block->size;
	return put_block(merge, block, list_size, &here->version);
}

/* What the version of all that is pending may cost. */
static double version_guess(const struct ear_index_merge *merge)
{
	return (double)merge->pending.count * merge->line_size + 64;
}

/* Where a version of everything will not fit soon, one of some lines. */
static int put_sparse(struct ear_index_merge *merge, struct ear_index_product *product, size_t node,
	double income)
{
	struct ear_index_bytes block = {0};
	uint32_t list_size;

	if (merge->pending.covers > 0 && version_guess(merge) < SOON * income)
		return 0;
	int result = 0;
	bool done = product->sparse.count == 0;
	while (result == 0 && !done) {
		block.size = 0;
		result = ear_index_pending_set_sparse(
			&merge->sparse, &product->sparse, product->changes_whole);
		if (result == 0)
			result = ear_index_version_pack(
				merge->packer, &block, &list_size, &merge->sparse);
		done = (double)block.size < income * SPARSE_PART;
		if (result == 0 && done)
			result = put_version(merge, node, &block, list_size, true);
		else if (result == 0)
			done = !ear_index_sparse_shrink(&product->sparse);
	}
	merge->sparse.sparse = NULL;
	ear_index_bytes_fini(&block);
	return result;
}

static int follow_memory(struct ear_index_merge *merge, struct ear_index_product *product,
	size_t node, double income)
{
	int result = 0;

	if (product->forgotten_before)
		ear_index_pending_forget(&merge->pending);
	if (product->changes_dropped)
		ear_index_pending_clear(&merge->pending);
	else
		result = ear_index_pending_add(&merge->pending, product->changes.bytes,
			product->changes.size, product->changes_whole);
	if (result != 0 && result != EAR_E_FULL)
		return result;
	return put_sparse(merge, product, node, income);
}

/* Checkpoint and version of one moment: the begin of node, which is the end of the node before. The
 * version comes first, since the checkpoint then needs half of its space. Where both cannot be had
 * now but soon, it is waited for. */
struct both {
	struct ear_index_bytes contents, lines, version, checkpoint;
	uint32_t back, list_size;
};

static int put_both(struct ear_index_merge *merge, size_t node, struct both *both, bool *done)
{
	const struct ear_index_pending *pending = &merge->pending;
	bool lines = pending->count <= PREFIX_LINES;
	int result;

	*done = false;
	if (node == 0 || pending->covers == 0 ||
		version_guess(merge) + (double)merge->joint_size > (double)merge->credit)
		return 0;
	result = ear_index_version_pack(merge->packer, &both->version, &both->list_size, pending);
	if (pending->count > 0)
		merge->line_size = (double)both->version.size / (double)pending->count;
	if (result == 0 && lines)
		result = ear_index_pending_bytes(pending, &both->lines);
	if (result == 0)
		result = pack_checkpoint(merge, node, &both->contents, lines ? &both->lines : NULL,
			&both->checkpoint, &both->back);
	if (result)
		return result;
	merge->joint_size = both->checkpoint.size;
	if ((int64_t)(both->version.size + both->checkpoint.size) > merge->credit)
		return 0;
	result = put_version(merge, node - 1, &both->version, both->list_size, false);
	if (result == 0)
		result =
			put_checkpoint(merge, node, &both->contents, &both->checkpoint, both->back);
	ear_index_pending_clear(&merge->pending);
	*done = true;
	return result;
}

static int put_either(struct ear_index_merge *merge, size_t node, struct both *both, double income)
{
	double together = version_guess(merge) + (double)merge->joint_size;

	if (node > 0 && merge->skipped < SKIPPED_MAX && merge->pending.covers > 0 &&
		together < SOON * income && (double)merge->alone_size > income / 4) {
		merge->skipped++; /* what it would cost is better spent on both */
		return 0;
	}
	int result =
		pack_checkpoint(merge, node, &both->contents, NULL, &both->checkpoint, &both->back);
	if (result)
		return result;
	merge->alone_size = both->checkpoint.size;
	if (node > 0 && (int64_t)both->checkpoint.size > merge->credit &&
		merge->skipped < SKIPPED_MAX) {
		merge->skipped++;
		return 0;
	}
	return put_checkpoint(merge, node, &both->contents, &both->checkpoint, both->back);
}

static int put_moment(struct ear_index_merge *merge, struct ear_index_product *product, size_t node,
	double income)
{
	struct both both = {0};
	bool done = false;
	int result = join_registers(merge, &product->checkpoint.registers);

	if (result == 0)
		result = save_stacks(merge, &product->checkpoint.stacks);
	if (result == 0)
		ear_index_checkpoint_put(&product->checkpoint, &both.contents);
	if (both.contents.failed)
		result = EAR_E_NO_MEMORY;
	if (result == 0)
		result = put_both(merge, node, &both, &done);
	if (result == 0 && !done)
		result = put_either(merge, node, &both, income);
	ear_index_bytes_fini(&both.contents);
	ear_index_bytes_fini(&both.lines);
	ear_index_bytes_fini(&both.version);
	ear_index_bytes_fini(&both.checkpoint);
	return result;
}

/* Nodes --------------------------------------------------------------------------------------- */

void ear_index_merge_account(struct ear_index_merge *merge, uint64_t records)
{
	double income = (double)records * (merge->text ? INCOME_TEXT : INCOME_CAPTURE);
	uint64_t nodes = merge->directory.levels[0].count;

	merge->credit += (int64_t)income - (int64_t)(NODE_COST * nodes + merge->writer.offset);
}

int ear_index_merge_add(struct ear_index_merge *merge, struct ear_index_product *product)
{
	struct ear_index_level *level = &merge->directory.levels[0];
	const struct ear_anchor *anchor = &product->checkpoint.anchor;
	uint64_t records = product->end - anchor->position;
	double income = (double)records * (merge->text ? INCOME_TEXT : INCOME_CAPTURE);
	size_t node = level->count;

	if (node == EAR_INDEX_NODES_MAX)
		return EAR_E_FULL;
	struct ear_index_node *here = ear_index_level_add(level);
	if (!here)
		return EAR_E_NO_MEMORY;
	merge->credit += (int64_t)income - NODE_COST;
	double limit = income * SETS_PART;
	if ((double)merge->credit > income)
		limit += ((double)merge->credit - income) / 2;
	int result = put_moment(merge, product, node, income);
	if (result == 0)
		result = follow_stacks(merge, product);
	if (result == 0)
		result = put_sets(merge, &product->sets, 0,
			limit > SETS_LEAST ? (size_t)limit : SETS_LEAST, &here->sets);
	if (result == 0) {
		fill_node(here, &product->sets, anchor->position, anchor->number);
		merge->directory.records = product->end;
		merge->directory.instructions = product->end_number;
		result = add_above(merge, 1, &product->sets, income);
	}
	return result ? result : follow_memory(merge, product, node, income);
}

int ear_index_merge_end_part(struct ear_index_merge *merge, const struct ear_state *state)
{
	return merge->base ? ear_state_merge(merge->base, state)
			   : ear_state_clone(&merge->base, state);
}

/* The end ------------------------------------------------------------------------------------- */

/* Levels end from below, until one has a single node. */
static int finish_levels(struct ear_index_merge *merge)
{
	struct ear_index_directory *directory = &merge->directory;
	unsigned level = 0;

	while (directory->levels[level].count > 1) {
		struct ear_index_collect *collect = &merge->levels[++level];
		double income = SETS_LEAST;
		if (level == EAR_INDEX_LEVELS_MAX)
			return EAR_E_FULL;
		/* What is above gets the rest of this level when it ends. */
		if (collect->child > 0) {
			income = (double)merge->credit / 8;
			int result = end_above(merge, level, collect->child, income);
			if (result)
				return result;
		}
	}
	directory->level_count = directory->levels[0].count > 0 ? level + 1 : 0;
	return 0;
}

static int put_volatiles(struct ear_index_merge *merge, const struct ear_memory_volatile *volatiles)
{
	size_t size = ear_memory_volatile_save(volatiles, NULL, 0);
	uint8_t *bytes = malloc(size + 1);

	if (!bytes)
		return EAR_E_NO_MEMORY;
	ear_memory_volatile_save(volatiles, bytes, size);
	int result =
		ear_index_writer_block(&merge->writer, bytes, size, &merge->directory.volatiles);
	free(bytes);
	return result;
}

int ear_index_merge_finish(
	struct ear_index_merge *merge, const struct ear_memory_volatile *volatiles)
{
	int result = finish_levels(merge);

	if (result == 0)
		result = put_volatiles(merge, volatiles);
	return result ? result : ear_index_writer_finish(&merge->writer, &merge->directory);
}
