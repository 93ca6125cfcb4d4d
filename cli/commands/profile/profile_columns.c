/* The tree of calls as columns. A page draws it from rows in depth-first order, where a node's
 * subtree is what follows it; the profile has parents first. Children are linked to lists by one
 * walk from the end, so that siblings keep the order of the profile, and a stack without recursion
 * walks the tree.
 *
 * If there are too many nodes, the smallest go: those with less inclusive records than some number.
 * A node has at least as many as its children, so what is above a node that stays, stays. What is
 * left out of a node is put together in one row below it, so that sums stay true.
 */
#include "cli/commands/profile/profile_columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <earshot/error.h>

#include "analyses/base/columns.h"
#include "cli/base/cli.h"

#define NONE UINT32_MAX

enum {
	NODE_DEPTH,
	NODE_NAME,
	NODE_FUNCTION,
	NODE_KIND,
	NODE_SELF,
	NODE_CALLS,
	NODE_MERGED,
	NODE_CLOCKS,
	NODE_COLUMNS
};

static const struct ear_columns_column node_columns[NODE_COLUMNS] = {
	[NODE_DEPTH] = {"depth", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[NODE_NAME] = {"name", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[NODE_FUNCTION] = {"function", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[NODE_KIND] = {"kind", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[NODE_SELF] = {"self", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
	[NODE_CALLS] = {"calls", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
	[NODE_MERGED] = {"merged", EAR_COLUMNS_U32, EAR_COLUMNS_PLAIN},
	[NODE_CLOCKS] = {"self_clocks", EAR_COLUMNS_U64, EAR_COLUMNS_PLAIN},
};

/* Strings that are not names. */
enum { TEXT_SMALLER = 4, TEXT_INLINED = 5, TEXTS };

struct tree {
	const struct profile_view *view;
	struct ear_columns *columns;
	uint32_t count;
	uint32_t *child, *sibling; /* of a node: the first one, the next one */
	uint32_t *names;           /* of a function: 1 + its string; 0: none yet */
	uint64_t *clocks;          /* of a node, inclusive */
	uint64_t least;            /* records of a node that stays */
	bool timed;
	uint64_t row, merged; /* put; nodes that are left out */
	uint32_t table;
};

/* What is left out of a node, in one row. */
struct rest {
	uint64_t records, clocks;
	uint32_t nodes;
};

static const struct ear_profile_node *node_at(const struct tree *tree, uint32_t node)
{
	return ear_profile_node(tree->view->profile, node);
}

static bool stays(const struct tree *tree, uint32_t node)
{
	return node_at(tree, node)->inclusive.records >= tree->least;
}

/* ---- The links. ---- */

static uint32_t *list_of(struct tree *tree, uint32_t node)
{
	const uint32_t parent = node_at(tree, node)->parent;

	return &tree->child[parent == NONE ? tree->count : parent];
}

static void link_nodes(struct tree *tree)
{
	for (uint32_t i = 0; i <= tree->count; i++)
		tree->child[i] = NONE;
	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t *list = list_of(tree, i);
		tree->sibling[i] = *list;
		*list = i;
	}
}

static int compare_falling(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* How many records a node must have so that view->top of them are there at most. */
static bool choose_least(struct tree *tree)
{
	const uint64_t top = tree->view->top;

	if (top == 0 || top >= tree->count)
		return true;
	uint64_t *sizes = calloc(tree->count, sizeof(*sizes));
	if (!sizes)
		return false;
	for (uint32_t i = 0; i < tree->count; i++)
		sizes[i] = node_at(tree, i)->inclusive.records;
	qsort(sizes, tree->count, sizeof(*sizes), compare_falling);
	tree->least = sizes[top] + 1;
	free(sizes);
	return true;
}

/* The same for what was left out of it: whole subtrees. */
static void add_up_clocks(struct tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++)
		tree->clocks[i] = node_at(tree, i)->self.clocks;
	for (uint32_t i = tree->count; i-- > 0;)
		if (node_at(tree, i)->parent != NONE)
			tree->clocks[node_at(tree, i)->parent] += tree->clocks[i];
}

/* The children of a node that are left out, with all below them. */
static struct rest rest_of(const struct tree *tree, uint32_t parent)
{
	struct rest rest = {0, 0, 0};

	for (uint32_t i = tree->child[parent]; i != NONE; i = tree->sibling[i]) {
		if (stays(tree, i))
			continue;
		rest.records += node_at(tree, i)->inclusive.records;
		rest.clocks += tree->clocks[i];
		rest.nodes++;
	}
	return rest;
}

/* ---- Rows. ---- */

static uint32_t name_of(struct tree *tree, uint32_t function)
{
	char name[PROFILE_NAME_MAX];

	if (tree->names[function] == 0) {
		profile_name(tree->view, ear_profile_function(tree->view->profile, function), name);
		tree->names[function] = 1 + ear_columns_add_string(tree->columns, name);
	}
	return tree->names[function] - 1;
}

static void put_row(struct tree *tree, const uint64_t values[NODE_COLUMNS])
{
	for (size_t i = 0; i < NODE_CLOCKS + (size_t)tree->timed; i++)
		ear_columns_put(tree->columns, tree->table, i, tree->row, values[i]);
	tree->row++;
}

static void put_node(struct tree *tree, uint32_t number, uint32_t depth)
{
	const struct ear_profile_node *node = node_at(tree, number);
	const bool is_called = !node->is_inlined || node->calls > 0;
	const uint64_t values[] = {
		[NODE_DEPTH] = depth,
		[NODE_NAME] = name_of(tree, node->function),
		[NODE_FUNCTION] = node->function,
		[NODE_KIND] = is_called ? node->kind & 3u : TEXT_INLINED,
		[NODE_SELF] = node->self.records,
		[NODE_CALLS] = is_called ? node->calls : EAR_COLUMNS_UNKNOWN,
		[NODE_MERGED] = 0,
		[NODE_CLOCKS] = node->self.clocks,
	};

	put_row(tree, values);
}

static void put_rest(struct tree *tree, uint32_t parent, uint32_t depth)
{
	const struct rest rest = rest_of(tree, parent);
	const uint64_t values[] = {
		[NODE_DEPTH] = depth,
		[NODE_NAME] = TEXT_SMALLER,
		[NODE_FUNCTION] = 0,
		[NODE_KIND] = TEXT_SMALLER,
		[NODE_SELF] = rest.records,
		[NODE_CALLS] = EAR_COLUMNS_UNKNOWN,
		[NODE_MERGED] = rest.nodes,
		[NODE_CLOCKS] = rest.clocks,
	};

	if (rest.nodes > 0)
		put_row(tree, values);
}

/* The first child of a node, or the next sibling, that stays; NONE. */
static uint32_t next_staying(const struct tree *tree, uint32_t node)
{
	while (node != NONE && !stays(tree, node))
		node = tree->sibling[node];
	return node;
}

static void put_tree(struct tree *tree)
{
	uint32_t node = next_staying(tree, tree->child[tree->count]), depth = 0;

	while (node != NONE) {
		put_node(tree, node, depth);
		const uint32_t child = next_staying(tree, tree->child[node]);
		if (child != NONE) {
			node = child;
			depth++;
			continue;
		}
		put_rest(tree, node, depth + 1);
		for (;;) {
			const uint32_t next = next_staying(tree, tree->sibling[node]);
			const uint32_t parent = node_at(tree, node)->parent;
			if (next != NONE || parent == NONE) {
				node = next;
				break;
			}
			put_rest(tree, parent, depth);
			node = parent;
			depth--;
		}
	}
	put_rest(tree, tree->count, 0);
}

static uint64_t count_rows(struct tree *tree)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i <= tree->count; i++) {
		const bool is_node = i < tree->count;
		if (is_node)
			tree->merged += !stays(tree, i);
		if (is_node && !stays(tree, i))
			continue;
		rows += (uint64_t)is_node + (rest_of(tree, i).nodes > 0);
	}
	return rows;
}

/* ---- The output. ---- */

static int write_out(void *context, const void *bytes, size_t size)
{
	const char *from = bytes;

	(void)context;
	while (size > 0) {
		const ssize_t count = write(STDOUT_FILENO, from, size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return errno;
		from += count;
		size -= (size_t)count;
	}
	return 0;
}

static int write_tree(struct tree *tree, struct ear_byte_output *output)
{
	const struct ear_profile *profile = tree->view->profile;
	const struct ear_profile_counts total = ear_profile_total(profile);
	char meta[2048], clocks[24] = "null";

	if (tree->timed)
		snprintf(clocks, sizeof(clocks), "%" PRIu64, total.clocks);
	snprintf(meta, sizeof(meta),
		"\"unit\":\"records\",\"total\":%" PRIu64 ",\"clocks\":%s,\"total_clocks\":%s"
		",\"nodes\":%" PRIu32 ",\"merged\":%" PRIu64 ",\"smaller_than\":%" PRIu64
		",\"gaps\":%" PRIu64 ",\"without_path\":%" PRIu64
		",\"limited\":%s,\"unknown\":%" PRIu64 ",%s",
		total.records, tree->timed ? "true" : "false", clocks, tree->count, tree->merged,
		tree->least, ear_profile_gaps(profile), ear_profile_pathless(profile),
		ear_profile_limited(profile) ? "true" : "false", EAR_COLUMNS_UNKNOWN,
		verdict_members(tree->view->verdict));
	return ear_columns_write(tree->columns, meta, output);
}

static int write_columns(struct tree *tree, struct ear_byte_output *output)
{
	static const char *const texts[TEXTS] = {[EAR_FRAME_BASE] = "base",
		[EAR_FRAME_CALL] = "call",
		[EAR_FRAME_TRAP] = "trap",
		[EAR_FRAME_INTERRUPT] = "interrupt",
		[TEXT_SMALLER] = "(smaller)",
		[TEXT_INLINED] = "inlined"};

	link_nodes(tree);
	add_up_clocks(tree);
	if (!choose_least(tree))
		return EAR_E_NO_MEMORY;
	for (size_t i = 0; i < TEXTS; i++)
		ear_columns_add_string(tree->columns, texts[i]);
	tree->table = ear_columns_add_table(tree->columns, "nodes", node_columns,
		NODE_CLOCKS + (size_t)tree->timed, count_rows(tree));
	put_tree(tree);
	return write_tree(tree, output);
}

bool profile_columns(const struct profile_view *view)
{
	struct ear_byte_output output = {.write = write_out};
	struct tree tree = {.view = view,
		.count = (uint32_t)ear_profile_node_count(view->profile),
		.timed = ear_profile_has_time(view->profile)};
	int result = ear_byte_output_begin(&output);

	tree.child = calloc((size_t)tree.count + 1, sizeof(*tree.child));
	tree.sibling = calloc((size_t)tree.count + 1, sizeof(*tree.sibling));
	tree.clocks = calloc((size_t)tree.count + 1, sizeof(*tree.clocks));
	tree.names = calloc(ear_profile_function_count(view->profile) + 1, sizeof(*tree.names));
	if (!tree.child || !tree.sibling || !tree.clocks || !tree.names ||
		ear_columns_new(&tree.columns) != 0)
		result = EAR_E_NO_MEMORY;
	if (!result && fflush(stdout) == 0)
		result = write_columns(&tree, &output);
	ear_columns_free(tree.columns);
	free(tree.child);
	free(tree.sibling);
	free(tree.clocks);
	free(tree.names);
	ear_byte_output_end(&output);
	if (result == EPIPE)
		return true; /* who reads has seen enough */
	if (result)
		cli_error("the profile cannot be written: %s",
			result == EAR_E_NO_MEMORY ? "out of memory" : strerror(result));
	return result == 0;
}
