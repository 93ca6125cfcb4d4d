/* Records to nodes of level 0.
 *
 * One pass feeds all followers: sets, registers, memory, flow. Where stretches and nodes end is
 * counted in units of cost, so that it depends on the trace only. An end can only be where the
 * source has an anchor: among the gaps at the end of a damaged capture there may be none, and the
 * last stretch becomes longer.
 */
#include "index/index_part.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "index/index_version.h"

#define COST_RUN    1u
#define COST_RECORD 2u
#define COST_TEXT   8u
#define CHANGES_MAX 32768u /* lines of a node that are kept */
#define STOP_STEP   32768u /* records between two questions */

void ear_index_product_fini(struct ear_index_product *product)
{
	ear_index_sets_fini(&product->sets);
	ear_index_checkpoint_fini(&product->checkpoint);
	free(product->events);
	ear_index_bytes_fini(&product->changes);
	*product = (struct ear_index_product){0};
}

/* Whose registers they are: as whoever follows the whole trace says. */
static void set_source(struct ear_index_part *part)
{
	const struct ear_state_source source = ear_index_state_source(part->source);

	ear_state_set_source(part->state, &source);
}

int ear_index_part_init(struct ear_index_part *part, struct ear_source *source, uint64_t end,
	struct ear_memory *memory, enum ear_memory_key key)
{
	*part = (struct ear_index_part){.source = source, .end = end, .memory = memory, .key = key};
	part->text = ear_source_text_format(source) != NULL;
	part->stretch = EAR_INDEX_STRETCH;
	int result = ear_index_collect_init(&part->collect);
	if (result == 0)
		result = ear_state_new_part(&part->state);
	if (result == 0)
		set_source(part);
	return result ? result : ear_source_anchor(source, &part->anchor);
}

void ear_index_part_fini(struct ear_index_part *part)
{
	ear_index_collect_fini(&part->collect);
	ear_flow_fini(&part->flow);
	ear_state_free(part->state);
	ear_anchor_fini(&part->anchor);
	*part = (struct ear_index_part){0};
}

/* What is pushed ------------------------------------------------------------------------------ */

static int push_run(struct ear_index_part *part, uint64_t position,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts)
{
	ear_index_collect_push_run(&part->collect, run, compacts);
	int result = ear_state_push_run(part->state, run, compacts);
	if (result == 0)
		result = ear_memory_push_run(part->memory, run, compacts);
	if (result == 0)
		result = ear_flow_push_run(&part->flow, position, run, compacts, 0, run->count);
	return result;
}

static int push_record(
	struct ear_index_part *part, uint64_t position, const struct ear_record *record)
{
	ear_index_collect_push(&part->collect, record);
	int result = ear_state_follow(part->state, record);
	if (result == 0)
		result = ear_memory_push(part->memory, record);
	if (result == 0)
		result = ear_flow_push(&part->flow, position, record);
	return result;
}

/* The next run or record; position is that in the node. Returns 1 and adds to *cost, 0 at the end,
 * or an error. */
static int push_next(struct ear_index_part *part, uint64_t begin, uint64_t *cost)
{
	uint64_t position = ear_source_position(part->source) - begin;
	struct ear_source_run run;
	int result = ear_source_next_run(part->source, &run);

	if (result == EAR_E_BAD_FILE) {
		part->fault = result;
		result = 0;
	}
	if (result <= 0)
		return result;
	if (run.run) {
		result = push_run(part, position, run.run, run.compacts);
		*cost += run.run->count * COST_RUN;
	} else {
		result = push_record(part, position, run.record);
		*cost += part->text ? COST_TEXT : COST_RECORD;
	}
	if (result == 0 && part->collect.failed)
		result = EAR_E_NO_MEMORY;
	return result ? result : 1;
}

/* Ends ---------------------------------------------------------------------------------------- */

static int save_changes(struct ear_index_bytes *to, const struct ear_memory_changes *changes)
{
	size_t size = ear_memory_changes_save(changes, NULL, 0);
	uint8_t *bytes = ear_index_bytes_grow(to, size);

	if (!bytes)
		return EAR_E_NO_MEMORY;
	ear_memory_changes_save(changes, bytes, size);
	return 0;
}

/* Lines without changed neighbours. What is written in one go, and often, would cost too much, and
 * is found by replaying one node; what stands alone would cost a node for each line. */
static int save_alone(struct ear_index_bytes *to, const struct ear_memory_changes *all)
{
	struct ear_memory_line alone[EAR_INDEX_ALONE_MAX];
	struct ear_memory_changes changes = *all;

	changes.lines = alone;
	changes.count = 0;
	for (size_t i = 0; i < all->count && changes.count < EAR_INDEX_ALONE_MAX; i++)
		if (ear_index_line_alone(all->lines, all->count, i))
			alone[changes.count++] = all->lines[i];
	return save_changes(to, &changes);
}

/* Memory that changed in the node. */
static int take_changes(struct ear_index_part *part, struct ear_index_product *product)
{
	struct ear_memory_changes changes;
	int result = ear_memory_changes(part->memory, &changes);

	if (result)
		return result;
	for (size_t i = 0; i < changes.count; i++)
		ear_index_collect_changed(&part->collect, changes.lines[i].address);
	product->forgotten = changes.forgotten;
	if (changes.forgotten)
		part->collect.children[0].flags |= EAR_INDEX_FLAG_FORGOTTEN;
	product->changes_dropped = changes.count > CHANGES_MAX;
	if (product->changes_dropped)
		return save_alone(&product->changes, &changes);
	return save_changes(&product->changes, &changes);
}

static int take_events(
	struct ear_index_part *part, struct ear_index_product *product, uint64_t records)
{
	int result = ear_flow_sync(&part->flow, records);

	if (result)
		return result;
	product->events = malloc(part->flow.count * sizeof(*product->events) + 1);
	if (!product->events)
		return EAR_E_NO_MEMORY;
	memcpy(product->events, part->flow.events, part->flow.count * sizeof(*product->events));
	product->event_count = part->flow.count;
	part->flow.count = 0;
	return 0;
}

static int save_expected(const struct ear_memory *memory, struct ear_index_bytes *bytes)
{
	size_t size = ear_memory_expected_save(memory, NULL, 0);
	uint8_t *room = ear_index_bytes_grow(bytes, size);

	if (size > 0 && !room)
		return EAR_E_NO_MEMORY;
	if (size > 0)
		ear_memory_expected_save(memory, room, size);
	return 0;
}

static int begin_node(struct ear_index_part *part, struct ear_index_product *product)
{
	struct ear_index_checkpoint *checkpoint = &product->checkpoint;

	checkpoint->anchor = part->anchor;
	part->anchor = (struct ear_anchor){0};
	int result = ear_index_save_state(part->state, &checkpoint->registers);
	if (result == 0)
		result = save_expected(part->memory, &checkpoint->expected);
	ear_index_collect_begin(&part->collect);
	ear_flow_begin(&part->flow);
	ear_source_checksum_begin(part->source);
	return result;
}

/* Can the stretch end here? Then its checksum is known, and the anchor is the part's. Returns 1, 0
 * or an error. */
static int end_stretch(struct ear_index_part *part, uint64_t byte)
{
	struct ear_index_child *child = &part->collect.children[part->collect.child];

	ear_anchor_fini(&part->anchor);
	int result = ear_source_anchor(part->source, &part->anchor);
	if (result == EAR_E_UNSUPPORTED)
		return 0;
	if (result)
		return result;
	child->checksum = ear_index_checksum(part->source);
	child->bytes = part->anchor.byte - byte;
	return 1;
}

/* The node is complete, its last child too. */
static int end_node(struct ear_index_part *part, struct ear_index_product *product)
{
	const struct ear_anchor *begin = &product->checkpoint.anchor;
	unsigned children = part->collect.child;

	if (children < EAR_INDEX_CHILDREN && part->collect.children[children].records > 0)
		children++;
	product->end = ear_source_position(part->source);
	product->end_number = ear_source_number(part->source);
	int result = take_changes(part, product);
	if (result == 0)
		result = take_events(part, product, product->end - begin->position);
	if (result == 0)
		result = ear_index_collect_take(&part->collect, children, &product->sets);
	return result ? result : 1;
}

static int fill_node(struct ear_index_part *part, struct ear_index_product *product)
{
	uint64_t begin = product->checkpoint.anchor.position;
	uint64_t byte = product->checkpoint.anchor.byte, cost = 0, asked = begin;

	while (!part->at_end && part->collect.child < EAR_INDEX_CHILDREN) {
		int result = push_next(part, begin, &cost);
		if (result < 0)
			return result;
		part->trace_ended = part->at_end = result == 0;
		uint64_t position = ear_source_position(part->source);
		bool ends = part->at_end || position > part->end;
		if (part->stop && position - asked >= STOP_STEP) {
			asked = position;
			if (part->stop(part->stop_context))
				return EAR_E_CANCELLED;
		}
		if (cost < part->stretch && !ends)
			continue;
		if (part->collect.children[part->collect.child].records == 0)
			break;
		result = end_stretch(part, byte);
		if (result < 0)
			return result;
		if (result == 0)
			continue;
		part->at_end = ends;
		cost = 0;
		byte = part->anchor.byte;
		ear_index_collect_next_child(&part->collect);
		ear_source_checksum_begin(part->source);
	}
	return ear_memory_better_key(part->memory) == part->key ? 0 : EAR_E_BAD_ARGUMENT;
}

int ear_index_part_next(struct ear_index_part *part, struct ear_index_product *product)
{
	*product = (struct ear_index_product){0};
	if (part->at_end)
		return 0;
	int result = begin_node(part, product);
	if (result == 0)
		result = fill_node(part, product);
	if (result == 0 && ear_source_position(part->source) == product->checkpoint.anchor.position)
		result = 0; /* nothing came */
	else if (result == 0)
		result = end_node(part, product);
	if (result != 1)
		ear_index_product_fini(product);
	return result;
}
