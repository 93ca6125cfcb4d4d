#include "cli/commands/profile/profile_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"

#define SHARE_LEAST 0.5 /* per cent, of what the tree shows */

/* ---- Names. ---- */

/* What people read: "main", "[0x80000150]", "[unknown]". */
void profile_name(const struct profile_view *view, const struct ear_profile_function *function,
	char text[PROFILE_NAME_MAX])
{
	if (function->name[0] && !function->is_only_inlined && view->names &&
		ear_names_text(view->names, function->entry, text, PROFILE_NAME_MAX) > 0)
		return;
	if (function->name[0])
		snprintf(text, PROFILE_NAME_MAX, "%s", function->name);
	else if (function->entry)
		snprintf(text, PROFILE_NAME_MAX, "[0x%" PRIx64 "]", function->entry);
	else
		snprintf(text, PROFILE_NAME_MAX, "[unknown]");
}

bool profile_line_at(const struct profile_view *view, uint64_t address, struct ear_line *line)
{
	*line = (struct ear_line){.size = sizeof(*line)};
	if (!view->names || !ear_names_line_at(view->names, address, line) || line->line == 0)
		return false;
	line->path = source_paths_map(view->paths, line->path);
	return true;
}

bool profile_begin_of(const struct profile_view *view, const struct ear_profile_function *function,
	struct ear_line *line)
{
	if (!function->is_only_inlined)
		return function->entry && profile_line_at(view, function->entry, line);
	*line = (struct ear_line){
		.size = sizeof(*line), .path = source_paths_map(view->paths, function->source)};
	return line->path[0] != '\0';
}

bool profile_ignores(const struct profile_view *view, const struct ear_profile_function *function)
{
	char name[PROFILE_NAME_MAX];
	struct ear_line line = {.size = sizeof(line)};

	if (view->paths->ignored_count == 0)
		return false;
	profile_name(view, function, name);
	if (source_paths_ignores(view->paths, name) ||
		source_paths_ignores(view->paths, function->name))
		return true;
	if (function->is_only_inlined)
		line.path = function->source;
	else if (!function->entry || !view->names ||
		 !ear_names_line_at(view->names, function->entry, &line) || line.line == 0)
		return false;
	return source_paths_ignores(view->paths, line.path) ||
	       source_paths_ignores(view->paths, source_paths_map(view->paths, line.path));
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* ---- Functions. ---- */

struct sorted {
	const struct ear_profile_function *function;
	size_t number;
	uint64_t key, then;
};

static int compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	if (x->then != y->then)
		return x->then > y->then ? -1 : 1;
	return x->function->entry < y->function->entry ? -1
						       : x->function->entry > y->function->entry;
}

/* The functions in order, and what those ran that are left out; NULL after printing that memory is
 * short. */
static struct sorted *sort_functions(
	const struct profile_view *view, size_t *count, struct ear_profile_counts *ignored)
{
	const size_t all = ear_profile_function_count(view->profile);
	struct sorted *list = calloc(all + 1, sizeof(*list));

	*count = 0;
	if (!list) {
		cli_error("out of memory");
		return NULL;
	}
	for (size_t i = 0; i < all; i++) {
		const struct ear_profile_function *function =
			ear_profile_function(view->profile, i);
		const uint64_t keys[] = {[PROFILE_SORT_SELF] = function->self.records,
			[PROFILE_SORT_INCLUSIVE] = function->inclusive.records,
			[PROFILE_SORT_CALLS] = function->calls};
		if (function->inclusive.records == 0)
			continue;
		if (profile_ignores(view, function)) {
			ignored->records += function->self.records;
			ignored->clocks += function->self.clocks;
		} else {
			list[(*count)++] = (struct sorted){
				function, i, keys[view->sort], function->inclusive.records};
		}
	}
	qsort(list, *count, sizeof(*list), compare);
	return list;
}

static void print_head(const struct profile_view *view)
{
	printf("%14s %6s %14s %6s %12s", "self", "%", "inclusive", "%", "calls");
	if (ear_profile_has_time(view->profile))
		printf(" %14s", "clocks");
	printf("  function\n");
}

/* calls NULL: how many is not known. */
static void print_counts(const struct profile_view *view, const struct ear_profile_counts *self,
	const struct ear_profile_counts *inclusive, const uint64_t *calls)
{
	const uint64_t total = ear_profile_total(view->profile).records;

	printf("%14" PRIu64 " %6.2f %14" PRIu64 " %6.2f ", self->records,
		percent(self->records, total), inclusive->records,
		percent(inclusive->records, total));
	if (calls)
		printf("%12" PRIu64, *calls);
	else
		printf("%12s", "-");
	if (ear_profile_has_time(view->profile))
		printf(" %14" PRIu64, self->clocks);
	printf("  ");
}

static const uint64_t *calls_of(const struct ear_profile_function *function)
{
	return function->is_only_inlined ? NULL : &function->calls;
}

bool profile_show_functions(const struct profile_view *view)
{
	char name[PROFILE_NAME_MAX];
	size_t count;
	struct ear_profile_counts ignored = {0};
	struct sorted *list = sort_functions(view, &count, &ignored);

	if (!list)
		return false;
	print_head(view);
	for (size_t i = 0; i < count && (view->top == 0 || i < view->top); i++) {
		const struct ear_profile_function *function = list[i].function;
		print_counts(view, &function->self, &function->inclusive, calls_of(function));
		profile_name(view, function, name);
		puts(name);
	}
	if (view->top && count > view->top)
		printf("... and %" PRIu64 " more (--limit N)\n", count - view->top);
	if (ignored.records > 0) {
		printf("%14" PRIu64 " %6.2f %14s %6s %12s", ignored.records,
			percent(ignored.records, ear_profile_total(view->profile).records), "-",
			"-", "-");
		if (ear_profile_has_time(view->profile))
			printf(" %14" PRIu64, ignored.clocks);
		printf("  (ignored)\n");
	}
	free(list);
	return true;
}

bool profile_sorted(const struct profile_view *view, size_t **list, size_t *count, size_t *more)
{
	struct ear_profile_counts ignored = {0};
	size_t all;
	struct sorted *sorted = sort_functions(view, &all, &ignored);

	*list = sorted ? calloc(all + 1, sizeof(**list)) : NULL;
	*count = *more = 0;
	for (size_t i = 0; i < all && *list; i++) {
		if (sorted[i].function->self.records == 0)
			continue;
		if (view->top == 0 || *count < view->top)
			(*list)[(*count)++] = sorted[i].number;
		else
			++*more;
	}
	if (sorted && !*list)
		cli_error("out of memory");
	free(sorted);
	return *list;
}

/* ---- The tree. ---- */

/* Children of each node, the largest first; roots are those of node 0, others of their number + 1.
 */
struct tree {
	const struct profile_view *view;
	uint32_t *first, *next; /* by number + 1; 0: none */
	uint64_t printed, left_out;
};

static uint64_t size_of(const struct tree *tree, uint32_t node)
{
	return ear_profile_node(tree->view->profile, node - 1)->inclusive.records;
}

static bool make_tree(struct tree *tree)
{
	const uint32_t count = (uint32_t)ear_profile_node_count(tree->view->profile);

	tree->first = calloc((size_t)count + 1, sizeof(*tree->first));
	tree->next = calloc((size_t)count + 1, sizeof(*tree->next));
	if (!tree->first || !tree->next) {
		cli_error("out of memory");
		return false;
	}
	for (uint32_t i = count; i > 0; i--) {
		uint32_t parent = ear_profile_node(tree->view->profile, i - 1)->parent;
		uint32_t *place = &tree->first[parent == UINT32_MAX ? 0 : parent + 1];
		while (*place && size_of(tree, *place) > size_of(tree, i))
			place = &tree->next[*place];
		tree->next[i] = *place;
		*place = i;
	}
	return true;
}

static void free_tree(struct tree *tree)
{
	free(tree->first);
	free(tree->next);
}

static void print_node(struct tree *tree, uint32_t number, unsigned depth)
{
	static const char *const kinds[] = {
		[EAR_FRAME_TRAP] = "  (trap)", [EAR_FRAME_INTERRUPT] = "  (interrupt)"};
	const struct profile_view *view = tree->view;
	const struct ear_profile_node *node = ear_profile_node(view->profile, number - 1);
	const bool is_called = !node->is_inlined || node->calls > 0;
	const char *kind = !is_called                            ? "  (inlined)"
			   : node->kind < 4 && kinds[node->kind] ? kinds[node->kind]
								 : "";
	char name[PROFILE_NAME_MAX];

	print_counts(view, &node->self, &node->inclusive, is_called ? &node->calls : NULL);
	profile_name(view, ear_profile_function(view->profile, node->function), name);
	printf("%*s%s%s\n", (int)(2 * (depth < 100 ? depth : 100)), "", name, kind);
	tree->printed++;
}

bool profile_show_tree(const struct profile_view *view)
{
	struct tree tree = {.view = view};
	const double total = (double)ear_profile_total(view->profile).records;
	unsigned depth = 0;
	bool good = make_tree(&tree);

	if (good)
		print_head(view);
	for (uint32_t at = good ? tree.first[0] : 0; at;) {
		bool wanted = view->top == 0 ||
			      (tree.printed < view->top &&
				      100.0 * (double)size_of(&tree, at) >= SHARE_LEAST * total);
		if (wanted)
			print_node(&tree, at, depth);
		else
			tree.left_out++;
		if (wanted && tree.first[at]) {
			at = tree.first[at];
			depth++;
			continue;
		}
		while (at && !tree.next[at]) {
			uint32_t parent = ear_profile_node(view->profile, at - 1)->parent;
			at = parent == UINT32_MAX ? 0 : parent + 1;
			depth--;
		}
		at = at ? tree.next[at] : 0;
	}
	if (tree.left_out > 0)
		printf("... smaller ones are left out (--limit 0 prints all)\n");
	free_tree(&tree);
	return good;
}

/* ---- For other programs. ---- */

/* Of counts, in their order. */
static const char *const count_names[EAR_PROFILE_COUNTS] = {"records", "clocks", "reads", "writes",
	"read_bytes", "written_bytes", "lines", "taken", "not_taken", "traps", "interrupts"};

/* Does the trace show what the count is of? */
static bool is_shown(const struct ear_profile_shows *shows, size_t count)
{
	const struct ear_profile_counts at = {0};
	const uint64_t *number = &at.all[count];

	if (number == &at.clocks)
		return shows->time;
	if (number >= &at.reads && number <= &at.lines)
		return shows->accesses;
	if (number == &at.taken || number == &at.not_taken)
		return shows->branches;
	if (number == &at.traps)
		return shows->traps;
	if (number == &at.interrupts)
		return shows->interrupts;
	return true;
}

void profile_json_counts(const struct ear_profile_shows *shows, struct json *json, const char *key,
	const struct ear_profile_counts *counts)
{
	json_open(json, key, '{');
	for (size_t i = 0; i < EAR_PROFILE_COUNTS; i++)
		json_known(json, count_names[i], is_shown(shows, i), counts->all[i]);
	json_close(json, '}');
}

static void print_json_function(const struct ear_profile_shows *shows, struct json *json,
	const struct ear_profile_function *function)
{
	const uint64_t *calls = calls_of(function);

	json_line(json, 2);
	json_open(json, NULL, '{');
	json_text(json, "name", function->name[0] ? function->name : NULL);
	json_hex(json, "entry", function->entry != 0, function->entry);
	profile_json_counts(shows, json, "self", &function->self);
	profile_json_counts(shows, json, "inclusive", &function->inclusive);
	if (function->is_inlined)
		json_bool(json, "inlined", true);
	json_known(json, "calls", calls, calls ? *calls : 0);
	json_close(json, '}');
}

static void print_json_node(const struct ear_profile_shows *shows, struct json *json,
	const struct ear_profile_node *node)
{
	static const char *const kinds[] = {[EAR_FRAME_BASE] = "base",
		[EAR_FRAME_CALL] = "call",
		[EAR_FRAME_TRAP] = "trap",
		[EAR_FRAME_INTERRUPT] = "interrupt"};
	const bool is_called = !node->is_inlined || node->calls > 0;

	json_line(json, 2);
	json_open(json, NULL, '{');
	json_known(json, "parent", node->parent != UINT32_MAX, node->parent);
	json_number(json, "function", node->function);
	json_text(json, "kind", is_called ? kinds[node->kind & 3] : "inlined");
	profile_json_counts(shows, json, "self", &node->self);
	profile_json_counts(shows, json, "inclusive", &node->inclusive);
	json_known(json, "calls", is_called, node->calls);
	json_close(json, '}');
}

void profile_show_json(const struct profile_view *view)
{
	const struct ear_profile *profile = view->profile;
	const struct ear_profile_counts total = ear_profile_total(profile);
	const struct ear_profile_shows shows = ear_profile_shows_of(profile);
	struct json json = json_spaced();

	json_open(&json, NULL, '{');
	profile_json_counts(&shows, &json, "total", &total);
	json_number(&json, "gaps", ear_profile_gaps(profile));
	verdict_json(view->verdict, &json);
	json_number(&json, "without_path", ear_profile_pathless(profile));
	json_bool(&json, "limited", ear_profile_limited(profile));
	json_line(&json, 0);
	json_open(&json, "functions", '[');
	for (size_t i = 0; i < ear_profile_function_count(profile); i++)
		print_json_function(&shows, &json, ear_profile_function(profile, i));
	putchar('\n');
	json_close(&json, ']');
	json_line(&json, 0);
	json_open(&json, "nodes", '[');
	for (size_t i = 0; i < ear_profile_node_count(profile); i++)
		print_json_node(&shows, &json, ear_profile_node(profile, i));
	putchar('\n');
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
}

/* From the root to the node. A semicolon divides functions, so it is none of a name. */
static void print_stack(const struct profile_view *view, uint32_t *stack, uint32_t node)
{
	size_t depth = 0;
	char name[PROFILE_NAME_MAX];

	for (; node != UINT32_MAX; node = ear_profile_node(view->profile, node)->parent)
		stack[depth++] = node;
	while (depth-- > 0) {
		const struct ear_profile_node *at = ear_profile_node(view->profile, stack[depth]);
		profile_name(view, ear_profile_function(view->profile, at->function), name);
		for (char *c = name; *c; c++)
			*c = *c == ';' ? ':' : *c;
		printf("%s%s", name, depth > 0 ? ";" : " ");
	}
}

bool profile_show_folded(const struct profile_view *view)
{
	const size_t count = ear_profile_node_count(view->profile);
	uint32_t *stack = calloc(count + 1, sizeof(*stack));

	if (!stack) {
		cli_error("out of memory");
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct ear_profile_node *node = ear_profile_node(view->profile, i);
		if (node->self.records == 0)
			continue;
		print_stack(view, stack, i);
		printf("%" PRIu64 "\n", node->self.records);
	}
	free(stack);
	return true;
}
