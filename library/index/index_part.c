/* Records to nodes of level 0.
 *
 * One pass feeds all followers: sets, registers, memory, calls. The records, or summaries of runs,
 * come from a feed with the ends of stretches and nodes, in this thread or another one.
 */
#include "library/index/index_part.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/index/file/index_version.h"

#define CHANGES_MAX 32768u /* lines of a node that are kept */
#define STOP_STEP   32768u /* records between two questions */

void ear_index_product_fini(struct ear_index_product *product)
{
	ear_index_sets_fini(&product->sets);
	ear_index_checkpoint_fini(&product->checkpoint);
	free(product->events);
	ear_index_bytes_fini(&product->changes);
	ear_index_sparse_fini(&product->sparse);
	*product = (struct ear_index_product){0};
}

/* Whose registers they are: as whoever follows the whole trace says. */
static void set_source(struct ear_index_part *part)
{
	const struct ear_state_source source = ear_index_state_source(part->feed.source);

	ear_state_set_source(part->state, &source);
}

int ear_index_part_init(struct ear_index_part *part, struct ear_source *source, uint64_t end,
	struct ear_memory *memory, enum ear_memory_key key)
{
	*part = (struct ear_index_part){.memory = memory, .key = key};
	int result = ear_index_feed_init(&part->feed, source, end);
	if (result == 0)
		result = ear_source_anchor(source, &part->anchor);
	if (result == 0)
		result = ear_index_collect_init(&part->collect);
	if (result == 0)
		result = ear_state_new_part(&part->state);
	if (result == 0)
		set_source(part);
	return result;
}

void ear_index_part_fini(struct ear_index_part *part)
{
	ear_index_ahead_free(part->ahead);
	ear_index_feed_fini(&part->feed);
	ear_index_collect_fini(&part->collect);
	ear_flow_fini(&part->flow);
	ear_state_free(part->state);
	ear_anchor_fini(&part->anchor);
	*part = (struct ear_index_part){.ahead = NULL};
}

int ear_index_part_read_ahead(struct ear_index_part *part)
{
	return ear_index_ahead_new(&part->ahead, &part->feed);
}

/* What is pushed ------------------------------------------------------------------------------ */

static int push_run(struct ear_index_part *part, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts)
{
	ear_index_collect_push_run(&part->collect, run, compacts);
	int result = ear_state_push_run(part->state, run, compacts);
	if (result == 0)
		result = ear_memory_push_run(part->memory, run, compacts);
	if (result == 0)
		result =
			ear_flow_push_run(&part->flow, part->records, run, compacts, 0, run->count);
	part->records += run->count;
	return result;
}

static int push_summary(struct ear_index_part *part, const struct ear_run_summary *summary)
{
	ear_index_collect_push_summary(&part->collect, summary);
	int result = ear_state_push_summary(part->state, summary);
	if (result == 0)
		result = ear_memory_push_summary(part->memory, summary);
	if (result == 0)
		result = ear_flow_push_summary(&part->flow, part->records, summary);
	part->records += summary->run.count;
	return result;
}

static int push_record(struct ear_index_part *part, const struct ear_record *record)
{
	ear_index_collect_push(&part->collect, record);
	int result = ear_state_follow(part->state, record);
	if (result == 0)
		result = ear_memory_push(part->memory, record);
	if (result == 0)
		result = ear_flow_push(&part->flow, part->records, record);
	part->records++;
	return result;
}

static int ask_stop(struct ear_index_part *part, uint64_t records)
{
	part->unasked += records;
	if (!part->stop || part->unasked < STOP_STEP)
		return 0;
	part->unasked = 0;
	return part->stop(part->stop_context) ? EAR_E_CANCELLED : 0;
}

/* How many records the step has. */
static uint64_t count_records(const struct ear_index_step *step)
{
	return step->summary ? step->summary->run.count : step->run.run ? step->run.run->count : 1;
}

static int push_step(struct ear_index_part *part, const struct ear_index_step *step)
{
	const struct ear_source_run *run = &step->run;
	int result = 0;

	if (step->summary)
		result = push_summary(part, step->summary);
	else if (run->run)
		result = push_run(part, run->run, run->compacts);
	else if (run->record)
		result = push_record(part, run->record);
	if (result == 0 && part->collect.failed)
		result = EAR_E_NO_MEMORY;
	if (result)
		return result;
	struct ear_index_child *child = &part->collect.children[part->collect.child];
	if (step->reported)
		child->flags |= EAR_INDEX_FLAG_REPORT;
	if (step->stretch_ends) {
		child->checksum = step->checksum;
		child->bytes = step->bytes;
		ear_index_collect_next_child(&part->collect);
	}
	return ask_stop(part, count_records(step));
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
	part->forgotten |= changes.forgotten;
	product->changes_whole = part->from_begin || part->forgotten;
	product->changes_dropped = changes.count > CHANGES_MAX;
	if (!product->changes_dropped)
		result = save_changes(&product->changes, &changes);
	return result ? result : ear_index_sparse_make(&product->sparse, part->memory, &changes);
}

static int take_events(struct ear_index_part *part, struct ear_index_product *product)
{
	struct ear_flow *flow = &part->flow;
	int result = ear_flow_sync(flow, part->records);

	if (result)
		return result;
	product->events = malloc(flow->count * sizeof(*product->events) + 1);
	if (!product->events)
		return EAR_E_NO_MEMORY;
	if (flow->count > 0)
		memcpy(product->events, flow->events, flow->count * sizeof(*product->events));
	product->event_count = flow->count;
	flow->count = 0;
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
	part->records = 0;
	return result;
}

/* The node is complete, its last child too. */
static int end_node(struct ear_index_part *part, struct ear_index_product *product,
	struct ear_index_node_end *end)
{
	unsigned children = part->collect.child;

	part->anchor = end->anchor;
	product->end = end->position;
	product->end_number = end->number;
	*end = (struct ear_index_node_end){.position = 0};
	if (ear_memory_better_key(part->memory) != part->key)
		return EAR_E_BAD_ARGUMENT;
	if (children < EAR_INDEX_CHILDREN && part->collect.children[children].records > 0)
		children++;
	int result = take_changes(part, product);
	if (result == 0)
		result = take_events(part, product);
	if (result == 0)
		result = ear_index_collect_take(&part->collect, children, &product->sets);
	return result ? result : 1;
}

static int next_step(struct ear_index_part *part, struct ear_index_step *step)
{
	return part->ahead ? ear_index_ahead_next(part->ahead, step)
			   : ear_index_feed_next(&part->feed, step);
}

static int fill_node(struct ear_index_part *part, struct ear_index_product *product)
{
	struct ear_index_step step;
	int result;

	while ((result = next_step(part, &step)) == 1) {
		result = push_step(part, &step);
		if (result == 0 && step.end)
			result = end_node(part, product, step.end);
		if (result)
			break;
	}
	return result;
}

int ear_index_part_next(struct ear_index_part *part, struct ear_index_product *product)
{
	*product = (struct ear_index_product){0};
	int result = begin_node(part, product);
	if (result == 0)
		result = fill_node(part, product);
	if (result == 0) { /* nothing came */
		part->anchor = product->checkpoint.anchor;
		product->checkpoint.anchor = (struct ear_anchor){0};
	}
	if (result != 1)
		ear_index_product_fini(product);
	return result;
}
