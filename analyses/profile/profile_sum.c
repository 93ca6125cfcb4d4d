/* Summing up: from counts by path and function to functions and the tree. Paths have lower numbers
 * than those below them, so a loop from the last one to the first sums subtrees up; what a record
 * counts for once, though it is several times among its callers, is found by walking the tree.
 * Functions with their calls, and nodes, are made of the same paths, which stay as they are: by two
 * threads, if that is wanted.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "analyses/profile/profile_private.h"
#include "analyses/profile/profile_rows.h"

#define NONE UINT32_MAX

/* Of each path, by number; that of 0 is of records without a path. */
struct path {
	struct ear_profile_counts whole; /* with the paths below */
	uint32_t parent, child, next;    /* 0: none */
	uint32_t caller;                 /* function that called it; NONE: a root */
	uint32_t callee;                 /* that it entered; NONE: not known */
	uint32_t cells;                  /* the first of its cells + 1 */
	uint64_t entered;
	uint64_t call_pc;
	uint8_t kind;
	uint8_t filters; /* EAR_PROFILE_WITHIN, _WITHOUT: of it and those above */
};

struct sum {
	struct ear_profile *profile;
	struct path *paths;
	uint32_t path_count;  /* the highest number */
	uint32_t *next_cells; /* of each cell, the next one of its path + 1 */
	uint32_t *active;     /* of each function, how often it is on the path */
	uint32_t *table;      /* of nodes + 1, by parent and function */
	uint32_t table_size;
};

/* ---- Paths. ---- */

static int take_paths(struct sum *sum)
{
	struct ear_profile *profile = sum->profile;

	sum->path_count = ear_calls_count(profile->calls);
	sum->paths = calloc((size_t)sum->path_count + 1, sizeof(*sum->paths));
	sum->next_cells = calloc((size_t)profile->cell_count + 1, sizeof(*sum->next_cells));
	if (!sum->paths || !sum->next_cells)
		return EAR_E_NO_MEMORY;
	sum->paths[0].caller = sum->paths[0].callee = NONE;
	for (uint32_t i = 1; i <= sum->path_count; i++) {
		struct ear_call_path path = {.size = sizeof(path)};
		struct path *own = &sum->paths[i];
		(void)ear_calls_path(profile->calls, i, &path);
		*own = (struct path){.parent = path.parent,
			.kind = path.kind,
			.entered = path.entered,
			.call_pc = path.call_pc,
			.caller = NONE,
			.callee = NONE};
		if (path.kind != EAR_FRAME_BASE)
			own->callee = ear_profile_outermost(
				profile, ear_profile_function_at(profile, path.entry, path.entry));
		if (path.parent)
			own->caller = ear_profile_function_at(profile, path.call_pc,
				sum->paths[path.parent].callee == NONE
					? 0
					: profile->functions[sum->paths[path.parent].callee].entry);
		if ((path.kind != EAR_FRAME_BASE && own->callee == NONE) ||
			(path.parent && own->caller == NONE))
			return EAR_E_NO_MEMORY;
	}
	return 0;
}

static void link_paths(struct sum *sum)
{
	struct ear_profile *profile = sum->profile;

	for (uint32_t i = profile->cell_count; i > 0; i--) {
		struct path *path = &sum->paths[profile->cells[i - 1].path];
		sum->next_cells[i - 1] = path->cells;
		path->cells = i;
		ear_profile_add(&path->whole, &profile->cells[i - 1].counts);
	}
	for (uint32_t i = sum->path_count; i > 0; i--) {
		struct path *path = &sum->paths[i], *parent = &sum->paths[path->parent];
		if (path->parent == 0)
			continue;
		path->next = parent->child;
		parent->child = i;
		ear_profile_add(&parent->whole, &path->whole);
	}
}

/* Calls of what is not counted are not counted. */
static void filter_calls(struct sum *sum)
{
	const struct ear_profile *profile = sum->profile;
	const struct ear_profile_options *options = &profile->options;

	for (uint32_t i = 1; i <= sum->path_count; i++) {
		struct path *path = &sum->paths[i];
		path->filters = sum->paths[path->parent].filters;
		if (path->caller != NONE)
			path->filters |=
				ear_profile_filter(options, profile->functions[path->caller].entry);
		if (path->callee != NONE)
			path->filters |=
				ear_profile_filter(options, profile->functions[path->callee].entry);
		if (!ear_profile_keeps(options, path->filters))
			path->entered = 0;
	}
}

/* ---- Functions. ---- */

/* By address; what has a name before what has none. What was inlined comes last. */
static int compare_functions(const void *a, const void *b)
{
	const struct ear_profile_function *x = a, *y = b;

	if ((x->outer == NONE) != (y->outer == NONE))
		return x->outer == NONE ? -1 : 1;
	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return (x->name[0] == '\0') - (y->name[0] == '\0');
}

/* So that the order does not say in which order they were met. calls is the number of each, until
 * it counts. */
static int sort_functions(struct sum *sum)
{
	struct ear_profile *profile = sum->profile;
	const uint32_t count = profile->function_count;
	uint32_t *numbers = calloc((size_t)count + 1, sizeof(*numbers));

	if (!numbers)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		profile->functions[i].calls = i;
	qsort(profile->functions, count, sizeof(*profile->functions), compare_functions);
	for (uint32_t i = 0; i < count; i++) {
		numbers[profile->functions[i].calls] = i;
		profile->functions[i].calls = 0;
	}
	for (uint32_t i = 0; i < count; i++)
		if (profile->functions[i].outer != NONE)
			profile->functions[i].outer = numbers[profile->functions[i].outer];
	ear_profile_renumber(profile, numbers);
	for (uint32_t i = 1; i <= sum->path_count; i++) {
		struct path *path = &sum->paths[i];
		path->caller = path->caller == NONE ? NONE : numbers[path->caller];
		path->callee = path->callee == NONE ? NONE : numbers[path->callee];
	}
	free(numbers);
	return 0;
}

static uint32_t row_of(const struct ear_profile *profile, uint32_t function)
{
	return profile->rows ? profile->rows[function] : function;
}

static uint32_t outer_of(const struct ear_profile *profile, uint32_t function)
{
	return profile->rows ? profile->parts[function].outer : NONE;
}

/* A function, and those that it is inlined into, become active. */
static void enter_function(
	struct sum *sum, uint32_t function, const struct ear_profile_counts *counts)
{
	for (; function != NONE; function = outer_of(sum->profile, function)) {
		const uint32_t row = row_of(sum->profile, function);
		if (sum->active[row]++ == 0)
			ear_profile_add(&sum->profile->functions[row].inclusive, counts);
	}
}

static void leave_function(struct sum *sum, uint32_t function)
{
	for (; function != NONE; function = outer_of(sum->profile, function))
		sum->active[row_of(sum->profile, function)]--;
}

static void enter(struct sum *sum, uint32_t number)
{
	struct ear_profile *profile = sum->profile;
	const struct path *path = &sum->paths[number];

	enter_function(sum, path->caller, &path->whole);
	if (path->callee != NONE)
		profile->functions[row_of(profile, path->callee)].calls += path->entered;
	for (uint32_t i = path->cells; i > 0; i = sum->next_cells[i - 1]) {
		const struct ear_profile_cell *cell = &profile->cells[i - 1];
		ear_profile_add(
			&profile->functions[row_of(profile, cell->function)].self, &cell->counts);
		enter_function(sum, cell->function, &cell->counts);
		leave_function(sum, cell->function);
	}
}

static void leave(struct sum *sum, uint32_t number)
{
	leave_function(sum, sum->paths[number].caller);
}

/* All paths below a root, and it. */
static void walk(struct sum *sum, uint32_t root)
{
	uint32_t at = root;

	enter(sum, at);
	for (;;) {
		if (sum->paths[at].child) {
			at = sum->paths[at].child;
			enter(sum, at);
			continue;
		}
		while (at != root && !sum->paths[at].next) {
			leave(sum, at);
			at = sum->paths[at].parent;
		}
		leave(sum, at);
		if (at == root)
			return;
		at = sum->paths[at].next;
		enter(sum, at);
	}
}

/* ---- The tree: a node for each function below another one's node. ---- */

static uint32_t take_node(struct sum *sum, uint32_t parent, uint32_t function)
{
	struct ear_profile *profile = sum->profile;
	uint64_t hash = ((uint64_t)parent << 32 | function) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t mask = sum->table_size - 1, at = (uint32_t)(hash >> 32) & mask;

	for (; sum->table[at]; at = (at + 1) & mask) {
		const struct ear_profile_node *node = &profile->nodes[sum->table[at] - 1];
		if (node->parent == parent && node->function == function)
			return sum->table[at] - 1;
	}
	profile->nodes[profile->node_count] =
		(struct ear_profile_node){.parent = parent, .function = function};
	sum->table[at] = ++profile->node_count;
	return profile->node_count - 1;
}

/* The same for a function below those that it is inlined into. */
static uint32_t take_nodes(struct sum *sum, uint32_t parent, uint32_t function)
{
	const uint32_t outer = outer_of(sum->profile, function);

	if (outer != NONE)
		parent = take_nodes(sum, parent, outer);
	const uint32_t node = take_node(sum, parent, row_of(sum->profile, function));
	sum->profile->nodes[node].is_inlined |= outer != NONE;
	return node;
}

/* How many functions a function is, with those that it is inlined into; 0 of none. */
static size_t depth_of(const struct ear_profile *profile, uint32_t function)
{
	size_t depth = 0;

	for (; function != NONE; function = outer_of(profile, function))
		depth++;
	return depth;
}

/* Nodes are at most as many as paths, their callers and cells. */
static size_t count_nodes(const struct sum *sum)
{
	const struct ear_profile *profile = sum->profile;
	size_t count = (size_t)sum->path_count + 1;

	for (uint32_t i = 1; i <= sum->path_count; i++)
		count += depth_of(profile, sum->paths[i].caller);
	for (uint32_t i = 0; i < profile->cell_count; i++)
		count += depth_of(profile, profile->cells[i].function);
	return count;
}

static int make_nodes(struct sum *sum)
{
	struct ear_profile *profile = sum->profile;
	const size_t most = count_nodes(sum);
	/* Of each path, the node of its caller: where its functions are. */
	uint32_t *callers = calloc((size_t)sum->path_count + 1, sizeof(*callers));

	for (sum->table_size = 64; sum->table_size < 2 * most; sum->table_size *= 2)
		;
	sum->table = calloc(sum->table_size, sizeof(*sum->table));
	profile->nodes = calloc(most, sizeof(*profile->nodes));
	if (!callers || !sum->table || !profile->nodes) {
		free(callers);
		return EAR_E_NO_MEMORY;
	}
	callers[0] = NONE;
	for (uint32_t i = 1; i <= sum->path_count; i++) {
		const struct path *path = &sum->paths[i];
		callers[i] = NONE;
		if (path->caller != NONE)
			callers[i] = take_nodes(sum, callers[path->parent], path->caller);
		if (path->callee == NONE)
			continue;
		struct ear_profile_node *node =
			&profile->nodes[take_nodes(sum, callers[i], path->callee)];
		bool first = node->calls == 0 && node->kind == 0;
		node->calls += path->entered;
		/* Of several, the least. */
		if (first || path->kind > node->kind)
			node->kind = path->kind;
		if (first || path->call_pc < node->call_pc)
			node->call_pc = path->call_pc;
	}
	for (uint32_t i = 0; i < profile->cell_count; i++) {
		const struct ear_profile_cell *cell = &profile->cells[i];
		uint32_t node = take_nodes(sum, callers[cell->path], cell->function);
		ear_profile_add(&profile->nodes[node].self, &cell->counts);
	}
	free(callers);
	return 0;
}

/* ---- Calls, and instructions. ---- */

static int compare_edges(const void *a, const void *b)
{
	const struct ear_profile_edge *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->call_pc != y->call_pc)
		return x->call_pc < y->call_pc ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static uint32_t *find_edge(const struct ear_numbering *numbers,
	const struct ear_profile_edge *edges, const struct ear_profile_edge *edge)
{
	const uint64_t functions = (uint64_t)edge->caller << 32 | edge->callee;
	uint32_t at = ear_numbering_first(numbers, ear_numbering_hash(edge->call_pc, functions));

	while (numbers->places[at] && compare_edges(&edges[numbers->places[at] - 1], edge) != 0)
		at = ear_numbering_next(numbers, at);
	return &numbers->places[at];
}

/* That of a path is added to an equal one, or becomes one. */
static int add_edge(struct ear_profile *profile, struct ear_numbering *numbers,
	const struct ear_profile_edge *edge)
{
	bool again;
	struct ear_profile_edge *edges = ear_numbering_grow(
		numbers, profile->edges, sizeof(*edges), profile->edge_count, &again);

	if (!edges)
		return EAR_E_NO_MEMORY;
	profile->edges = edges;
	for (uint32_t i = 0; i < profile->edge_count && again; i++)
		*find_edge(numbers, edges, &edges[i]) = i + 1;
	uint32_t *slot = find_edge(numbers, edges, edge);
	if (*slot) {
		edges[*slot - 1].calls += edge->calls;
		ear_profile_add(&edges[*slot - 1].inclusive, &edge->inclusive);
	} else {
		edges[profile->edge_count] = *edge;
		*slot = ++profile->edge_count;
	}
	return 0;
}

/* Of what is not called: from where in the caller is not known, and how often is not: 0. */
static int add_uncalled(struct ear_profile *profile, struct ear_numbering *numbers, uint32_t caller,
	uint32_t callee, const struct ear_profile_counts *counts)
{
	const uint32_t row = row_of(profile, caller);
	const struct ear_profile_edge edge = {
		row, row_of(profile, callee), profile->functions[row].entry, 0, *counts};

	return add_edge(profile, numbers, &edge);
}

/* What ran in a path in, or below, another function than the one that was called: it was jumped to,
 * or is inlined into that one. */
static int add_jump(struct sum *sum, struct ear_numbering *numbers, uint32_t number,
	uint32_t function, const struct ear_profile_counts *counts)
{
	const struct path *path = &sum->paths[number];
	int result = 0;

	for (uint32_t outer; (outer = outer_of(sum->profile, function)) != NONE && result == 0;
		function = outer)
		result = add_uncalled(sum->profile, numbers, outer, function, counts);
	if (result || path->callee == NONE || path->callee == function)
		return result;
	return add_uncalled(sum->profile, numbers, path->callee, function, counts);
}

/* Those of each path, and equal ones put together: far less than there are paths. */
static int make_edges(struct sum *sum)
{
	struct ear_profile *profile = sum->profile;
	struct ear_numbering numbers = {0};
	int result = 0;

	for (uint32_t i = 0; i < profile->cell_count && result == 0; i++)
		result = add_jump(sum, &numbers, profile->cells[i].path, profile->cells[i].function,
			&profile->cells[i].counts);

	for (uint32_t i = 1; i <= sum->path_count && result == 0; i++) {
		const struct path *path = &sum->paths[i];
		if (path->caller == NONE || path->callee == NONE)
			continue;
		const struct ear_profile_edge edge = {row_of(profile, path->caller),
			row_of(profile, path->callee), path->call_pc, path->entered, path->whole};
		result = add_edge(profile, &numbers, &edge);
		if (result == 0)
			result = add_jump(sum, &numbers, path->parent, path->caller, &path->whole);
	}
	if (profile->edge_count > 0)
		qsort(profile->edges, profile->edge_count, sizeof(*profile->edges), compare_edges);
	ear_numbering_fini(&numbers);
	return result;
}

static int compare_pcs(const void *a, const void *b)
{
	const struct ear_profile_pc *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void sum_nodes(struct ear_profile *profile)
{
	for (uint32_t i = profile->node_count; i > 0; i--) {
		struct ear_profile_node *node = &profile->nodes[i - 1];
		ear_profile_add(&node->inclusive, &node->self);
		if (node->parent != NONE)
			ear_profile_add(&profile->nodes[node->parent].inclusive, &node->inclusive);
	}
}

/* Numbers of nodes by their functions: as many buckets as there are functions. */
static int sort_by_function(struct ear_profile *profile, uint32_t *order)
{
	uint32_t *starts = calloc((size_t)profile->function_count + 2, sizeof(*starts));

	if (!starts)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = 0; i < profile->node_count; i++)
		starts[profile->nodes[i].function + 1]++;
	for (uint32_t i = 0; i < profile->function_count; i++)
		starts[i + 1] += starts[i];
	for (uint32_t i = 0; i < profile->node_count; i++)
		order[starts[profile->nodes[i].function]++] = i;
	free(starts);
	return 0;
}

/* The nodes in the order of a walk, children by function. */
static int sort_nodes(struct ear_profile *profile)
{
	const uint32_t count = profile->node_count;
	struct ear_profile_node *sorted = calloc((size_t)count + 1, sizeof(*sorted));
	uint32_t *first = calloc((size_t)count + 1, sizeof(*first)); /* by parent + 1 */
	uint32_t *next = calloc((size_t)count + 1, sizeof(*next));   /* numbers + 1 */
	uint32_t *order = calloc((size_t)count + 1, sizeof(*order));
	uint32_t *numbers = calloc((size_t)count + 1, sizeof(*numbers));
	const bool good = sorted && first && next && order && numbers &&
			  sort_by_function(profile, order) == 0;

	/* Each is put before those that are there, so the last function first. */
	for (uint32_t i = count; good && i > 0; i--) {
		const uint32_t node = order[i - 1], parent = profile->nodes[node].parent + 1;
		next[node] = first[parent];
		first[parent] = node + 1;
	}
	uint32_t made = 0, at = good ? first[0] : 0;
	while (at) {
		const uint32_t node = at - 1;
		uint32_t parent = profile->nodes[node].parent;
		numbers[node] = made;
		sorted[made] = profile->nodes[node];
		sorted[made++].parent = parent == NONE ? NONE : numbers[parent];
		at = first[node + 1];
		for (uint32_t up = node; !at; up = parent) {
			at = next[up];
			parent = profile->nodes[up].parent;
			if (!at && parent == NONE)
				break;
		}
	}
	if (good) {
		free(profile->nodes);
		profile->nodes = sorted;
	} else {
		free(sorted);
	}
	free(first);
	free(next);
	free(order);
	free(numbers);
	return good ? 0 : EAR_E_NO_MEMORY;
}

/* Nodes of what is not counted are none. */
static int drop_nodes(struct ear_profile *profile)
{
	uint32_t *numbers = calloc((size_t)profile->node_count + 1, sizeof(*numbers));
	uint32_t kept = 0;

	if (!numbers)
		return EAR_E_NO_MEMORY;
	for (uint32_t i = profile->node_count; i > 0; i--) {
		const struct ear_profile_node *node = &profile->nodes[i - 1];
		numbers[i - 1] |= node->inclusive.records > 0 || node->calls > 0;
		if (numbers[i - 1] && node->parent != NONE)
			numbers[node->parent] = 1;
	}
	for (uint32_t i = 0; i < profile->node_count; i++) {
		struct ear_profile_node node = profile->nodes[i];
		if (!numbers[i])
			continue;
		numbers[i] = kept;
		node.parent = node.parent == NONE ? NONE : numbers[node.parent];
		profile->nodes[kept++] = node;
	}
	profile->node_count = kept;
	free(numbers);
	return 0;
}

/* Before the nodes are copied: a million paths are a hundred megabytes. */
static void free_paths(struct sum *sum)
{
	free(sum->paths);
	free(sum->next_cells);
	free(sum->active);
	free(sum->table);
	sum->paths = NULL;
	sum->next_cells = sum->active = sum->table = NULL;
	ear_profile_free_counting(sum->profile);
}

/* ---- In two threads: one makes functions and calls, the other one the tree. ---- */

struct half {
	struct sum *sum;
	int result;
};

static void *make_functions(void *context)
{
	struct half *half = context;
	struct sum *sum = half->sum;
	struct ear_profile *profile = sum->profile;

	for (uint32_t i = 0; i <= sum->path_count; i++)
		if (i == 0 || sum->paths[i].parent == 0)
			walk(sum, i);
	half->result = make_edges(sum);
	for (uint32_t i = 0; i < profile->pc_count; i++)
		profile->pcs[i].function = row_of(profile, profile->pcs[i].function);
	if (profile->pc_count > 0)
		qsort(profile->pcs, profile->pc_count, sizeof(*profile->pcs), compare_pcs);
	return NULL;
}

static int make_all(struct sum *sum)
{
	struct half half = {.sum = sum};
	pthread_t thread;

	sum->active = calloc((size_t)sum->profile->function_count + 1, sizeof(*sum->active));
	if (!sum->active)
		return EAR_E_NO_MEMORY;
	link_paths(sum);
	const bool apart = sum->profile->options.two_threads &&
			   pthread_create(&thread, NULL, make_functions, &half) == 0;
	if (!apart)
		make_functions(&half);
	const int result = make_nodes(sum);
	if (apart)
		pthread_join(thread, NULL);
	return half.result ? half.result : result;
}

int ear_profile_sum(struct ear_profile *profile)
{
	struct sum sum = {.profile = profile};
	const bool filters =
		profile->options.within_count > 0 || profile->options.without_count > 0;
	int result = ear_calls_end(profile->calls);

	if (result == 0)
		result = take_paths(&sum);
	ear_profile_free_calls(profile);
	if (result == 0 && filters)
		filter_calls(&sum);
	if (result == 0)
		result = sort_functions(&sum);
	if (result == 0 && profile->options.inlined)
		result = ear_profile_make_rows(profile);
	if (result == 0)
		result = make_all(&sum);
	free_paths(&sum);
	if (result == 0)
		result = sort_nodes(profile);
	if (result == 0)
		sum_nodes(profile);
	if (result == 0 && filters)
		result = drop_nodes(profile);
	free_paths(&sum);
	return result;
}
