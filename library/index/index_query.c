/* Where in a trace something may be found.
 *
 * Each term of a query gives a mask of the children of a node; the masks are combined with AND, and
 * the search goes down into the children that are left, in order, until it is at a stretch. So a
 * node is opened only if all nodes above it say that it may hold a match.
 */
#include "library/index/index_query.h"

#include "library/index/file/index_checkpoint.h"
#include "library/index/file/index_file.h"
#include <earshot/error.h>

#define NO_PRIVILEGE 7

struct ear_index_totals ear_index_totals(const struct ear_index *index)
{
	const struct ear_index_directory *directory = &index->directory;
	struct ear_index_totals totals = {.records = directory->records,
		.instructions = directory->instructions,
		.first_ticks = UINT64_MAX,
		.complete = (directory->flags & EAR_INDEX_FILE_COMPLETE) != 0 &&
			    (directory->flags & EAR_INDEX_FILE_FAULTY) == 0};

	for (unsigned i = 0; i < directory->level_count; i++)
		totals.nodes += directory->levels[i].count;
	for (size_t i = 0; i < directory->levels[0].count; i++) {
		const struct ear_index_node *node = &directory->levels[0].nodes[i];
		totals.stretches += node->count;
		totals.checkpoints += node->checkpoint.size > 0;
		totals.versions += node->version.size > 0;
		if (node->ticks_low < totals.first_ticks)
			totals.first_ticks = node->ticks_low;
		if (node->ticks_high > totals.last_ticks)
			totals.last_ticks = node->ticks_high;
	}
	return totals;
}

/* Terms ------------------------------------------------------------------------------------- */

static uint32_t privilege_flag(uint64_t privilege)
{
	return privilege < NO_PRIVILEGE ? (uint32_t)EAR_INDEX_FLAG_PRIVILEGE << privilege : 0;
}

/* Does what is said of a child allow a match? Terms about lines and keys are left to the sets. */
static bool child_may_match(const struct ear_index_child *child, const struct ear_index_term *term)
{
	unsigned number = (unsigned)(term->last & 31);

	switch (term->kind) {
	case EAR_INDEX_REGISTER:
		switch (term->first) {
		case EAR_REGISTER_X: return child->x >> number & 1;
		case EAR_REGISTER_F: return child->f >> number & 1;
		case EAR_REGISTER_V: return child->v >> number & 1;
		case EAR_REGISTER_CSR: return child->flags & EAR_INDEX_FLAG_CSR;
		default: return child->flags & EAR_INDEX_FLAG_NAMED;
		}
	case EAR_INDEX_TRAP: return child->flags & EAR_INDEX_FLAG_TRAP;
	case EAR_INDEX_INTERRUPT: return child->flags & EAR_INDEX_FLAG_INTERRUPT;
	case EAR_INDEX_ANY_TRAP:
	case EAR_INDEX_CAUSE:
		return child->flags & (EAR_INDEX_FLAG_TRAP | EAR_INDEX_FLAG_INTERRUPT);
	case EAR_INDEX_PRIVILEGE: return child->flags & privilege_flag(term->first);
	case EAR_INDEX_PRIVILEGE_CHANGE: return child->flags & EAR_INDEX_FLAG_CHANGE;
	case EAR_INDEX_EVENT: return child->flags & EAR_INDEX_FLAG_EVENT;
	case EAR_INDEX_GAP: return child->flags & EAR_INDEX_FLAG_GAP;
	case EAR_INDEX_REPORT: return child->flags & EAR_INDEX_FLAG_REPORT;
	case EAR_INDEX_TICKS:
		return child->ticks_low <= term->last && child->ticks_high >= term->first &&
		       child->ticks_low <= child->ticks_high;
	case EAR_INDEX_ORDER:
		return child->order_low <= term->last && child->order_high >= term->first &&
		       child->order_low <= child->order_high;
	default: return true;
	}
}

/* The same of a node, from the directory. */
static bool node_may_match(const struct ear_index_node *node, const struct ear_index_query *query)
{
	const struct ear_index_child child = {.ticks_low = node->ticks_low,
		.ticks_high = node->ticks_high,
		.order_low = node->order_low,
		.order_high = node->order_high,
		.flags = node->flags,
		.x = UINT32_MAX,
		.f = UINT32_MAX,
		.v = UINT32_MAX};

	for (size_t i = 0; i < query->count; i++)
		if (!child_may_match(&child, &query->terms[i]))
			return false;
	return true;
}

static ear_index_mask span_mask(const struct ear_index_sets *sets, enum ear_index_term_kind kind,
	uint64_t first, uint64_t last)
{
	if (kind == EAR_INDEX_PC)
		return ear_index_sets_executed(sets, first, last);
	return ear_index_sets_accessed(
		sets, first, last, kind != EAR_INDEX_WRITE, kind != EAR_INDEX_READ);
}

static ear_index_mask spans_mask(
	const struct ear_index_sets *sets, const struct ear_index_term *term)
{
	ear_index_mask mask = 0;

	if (!term->spans)
		return span_mask(sets, term->kind, term->first, term->last);
	for (size_t i = 0; i < term->span_count; i++)
		mask |= span_mask(sets, term->kind, term->spans[i].first, term->spans[i].last);
	return mask;
}

/* What the sets say of a term; all children where they say nothing. */
static ear_index_mask sets_mask(
	const struct ear_index_sets *sets, const struct ear_index_term *term)
{
	uint64_t first = term->first, last = term->last;

	switch (term->kind) {
	case EAR_INDEX_PC:
	case EAR_INDEX_READ:
	case EAR_INDEX_WRITE:
	case EAR_INDEX_ACCESS: return spans_mask(sets, term);
	case EAR_INDEX_CAUSE:
		return sets->any_cause | ear_index_few_find(sets->causes, sets->cause_count, first);
	case EAR_INDEX_REGISTER:
		if (first == EAR_REGISTER_CSR)
			return ear_index_few_find(sets->csrs, sets->csr_count, last);
		if (first == EAR_REGISTER_NAMED)
			return sets->any_name |
			       ear_index_few_find(sets->names, sets->name_count,
				       ear_index_name_hash(term->name.text, term->name.size));
		return UINT16_MAX;
	default: return UINT16_MAX;
	}
}

static ear_index_mask query_mask(
	const struct ear_index_sets *sets, const struct ear_index_query *query)
{
	uint32_t mask = (1u << sets->count) - 1;

	for (size_t i = 0; i < query->count; i++) {
		for (unsigned child = 0; child < sets->count; child++)
			if (!child_may_match(&sets->children[child], &query->terms[i]))
				mask &= ~(1u << child);
		if (mask)
			mask &= sets_mask(sets, &query->terms[i]);
	}
	return (ear_index_mask)mask;
}

/* Going down -------------------------------------------------------------------------------- */

/* A node that is being searched: its sets may be dropped while its children are. */
struct opened {
	unsigned count;
	uint32_t mask;
	uint64_t starts[EAR_INDEX_CHILDREN + 1], numbers[EAR_INDEX_CHILDREN];
};

static int open_node(struct opened *opened, struct ear_index *index, unsigned level, size_t node,
	const struct ear_index_query *query)
{
	const struct ear_index_node *here = &index->directory.levels[level].nodes[node];
	const struct ear_index_sets *sets;

	opened->mask = 0;
	opened->count = 0;
	if (!node_may_match(here, query))
		return 0;
	int result = ear_index_file_sets(index, level, node, &sets);
	if (result)
		return result;
	opened->count = sets->count;
	opened->mask = query_mask(sets, query);
	uint64_t position = here->position, number = here->number;
	for (unsigned i = 0; i < sets->count; i++) {
		opened->starts[i] = position;
		opened->numbers[i] = number;
		position += sets->children[i].records;
		number += sets->children[i].instructions;
	}
	opened->starts[sets->count] = position;
	return 0;
}

static int search_next(struct ear_index *index, const struct ear_index_query *query, unsigned level,
	size_t node, uint64_t position, struct ear_index_stretch *stretch)
{
	struct opened opened;
	int result = open_node(&opened, index, level, node, query);

	for (unsigned i = 0; result == 0 && i < opened.count; i++) {
		if (!(opened.mask >> i & 1) || opened.starts[i + 1] <= position)
			continue;
		if (level > 0) {
			result = search_next(index, query, level - 1, node * EAR_INDEX_CHILDREN + i,
				position, stretch);
			continue;
		}
		unsigned end = i + 1;
		while (end < opened.count && opened.mask >> end & 1)
			end++;
		*stretch = (struct ear_index_stretch){
			.position = opened.starts[i] > position ? opened.starts[i] : position,
			.end = opened.starts[end],
			.begin = opened.starts[i],
			.number = opened.numbers[i]};
		return 1;
	}
	return result;
}

static int search_previous(struct ear_index *index, const struct ear_index_query *query,
	unsigned level, size_t node, uint64_t position, struct ear_index_stretch *stretch)
{
	struct opened opened;
	int result = open_node(&opened, index, level, node, query);

	for (unsigned i = opened.count; result == 0 && i-- > 0;) {
		if (!(opened.mask >> i & 1) || opened.starts[i] >= position)
			continue;
		if (level > 0) {
			result = search_previous(index, query, level - 1,
				node * EAR_INDEX_CHILDREN + i, position, stretch);
			continue;
		}
		unsigned first = i;
		while (first > 0 && opened.mask >> (first - 1) & 1)
			first--;
		*stretch = (struct ear_index_stretch){.position = opened.starts[first],
			.end = opened.starts[i + 1] < position ? opened.starts[i + 1] : position,
			.begin = opened.starts[first],
			.number = opened.numbers[first]};
		return 1;
	}
	return result;
}

int ear_index_next(struct ear_index *index, const struct ear_index_query *query, uint64_t position,
	struct ear_index_stretch *stretch)
{
	unsigned levels = index->directory.level_count;

	if (levels == 0 || position >= index->directory.records)
		return 0;
	return search_next(index, query, levels - 1, 0, position, stretch);
}

int ear_index_previous(struct ear_index *index, const struct ear_index_query *query,
	uint64_t position, struct ear_index_stretch *stretch)
{
	unsigned levels = index->directory.level_count;

	if (levels == 0 || position == 0)
		return 0;
	return search_previous(index, query, levels - 1, 0, position, stretch);
}

/* Counts and places ------------------------------------------------------------------------- */

static void count_child(struct ear_index_counts *counts, const struct ear_index_child *child)
{
	counts->records += child->records;
	counts->instructions += child->instructions;
	counts->traps += child->traps;
	counts->interrupts += child->interrupts;
	counts->events += child->events;
	counts->gaps += child->gaps;
	counts->position += child->records;
}

int ear_index_count(struct ear_index *index, uint64_t position, struct ear_index_counts *counts)
{
	size_t node = 0;

	*counts = (struct ear_index_counts){0};
	for (unsigned level = index->directory.level_count; level-- > 0;) {
		const struct ear_index_sets *sets;
		unsigned child = 0;
		int result = ear_index_file_sets(index, level, node, &sets);
		if (result)
			return result;
		while (child < sets->count &&
			sets->children[child].records <= position - counts->position)
			count_child(counts, &sets->children[child++]);
		if (child == sets->count)
			return 0;
		node = node * EAR_INDEX_CHILDREN + child;
	}
	return 0;
}

int ear_index_find_number(
	struct ear_index *index, uint64_t number, struct ear_index_stretch *stretch)
{
	const struct ear_index_sets *sets;
	size_t node = 0;

	if (number >= index->directory.instructions)
		return 0;
	for (unsigned level = index->directory.level_count; level-- > 0;) {
		const struct ear_index_node *here = &index->directory.levels[level].nodes[node];
		uint64_t position = here->position, before = here->number;
		unsigned child = 0;
		int result = ear_index_file_sets(index, level, node, &sets);
		if (result)
			return result;
		while (child + 1 < sets->count &&
			sets->children[child].instructions <= number - before) {
			position += sets->children[child].records;
			before += sets->children[child].instructions;
			child++;
		}
		node = node * EAR_INDEX_CHILDREN + child;
		*stretch = (struct ear_index_stretch){.position = position,
			.begin = position,
			.end = position + sets->children[child].records,
			.number = before};
	}
	return 1;
}

int ear_index_find_ticks(struct ear_index *index, uint64_t ticks, struct ear_index_stretch *stretch)
{
	const struct ear_index_term term = {
		.kind = EAR_INDEX_TICKS, .first = ticks, .last = UINT64_MAX};
	const struct ear_index_query query = {&term, 1};

	return ear_index_next(index, &query, 0, stretch);
}

/* Memory -------------------------------------------------------------------------------------- */

static bool is_forgotten(const struct ear_index_child *child)
{
	return child->flags & EAR_INDEX_FLAG_FORGOTTEN;
}

/* The last node of level 0 below a node, and before end, in which memory changed or was forgotten.
 */
static int search_change(struct ear_index *index, unsigned level, size_t node,
	const struct ear_span *span, size_t end, size_t *found)
{
	const struct ear_index_sets *sets;
	size_t step = (size_t)1 << 4 * level; /* nodes of level 0 below */
	int result;

	if (node * step >= end)
		return 0;
	result = ear_index_file_sets(index, level, node, &sets);
	if (result)
		return result;
	uint32_t mask = ear_index_sets_changed(sets, span->first, span->last);
	for (unsigned i = 0; i < sets->count; i++)
		mask |= is_forgotten(&sets->children[i]) ? 1u << i : 0;
	if (level == 0) {
		*found = node;
		return mask != 0;
	}
	for (unsigned i = sets->count; i-- > 0 && result == 0;)
		if (mask >> i & 1)
			result = search_change(
				index, level - 1, node * EAR_INDEX_CHILDREN + i, span, end, found);
	return result;
}

int ear_index_previous_change(
	struct ear_index *index, const struct ear_span *span, size_t end, size_t *node)
{
	unsigned levels = index->directory.level_count;

	return levels == 0 ? 0 : search_change(index, levels - 1, 0, span, end, node);
}
