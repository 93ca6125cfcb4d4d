#include "cli/commands/profile/profile_against.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"

/* A function of one of them, or of both. */
struct pair {
	const struct ear_profile_function *old, *own;
	char *name;         /* what people read */
	const char *symbol; /* by which it is matched; "" if there is none: by the name */
	const char *path;   /* of the source that it is in; "" if that is not known */
	int64_t change;     /* of what they are sorted by */
	bool gone;          /* it is in the pair of another one */
};

struct pairs {
	const struct profile_view *view, *old;
	struct pair *list;
	size_t count;
	bool timed, ignores;
	uint64_t ignored_old, ignored_own;
};

static uint64_t self_of(const struct pairs *pairs, const struct ear_profile_function *function)
{
	return pairs->timed ? function->self.clocks : function->self.records;
}

static uint64_t size_of(const struct pairs *pairs, const struct ear_profile_function *function)
{
	if (!function)
		return 0;
	const struct ear_profile_counts *counts = pairs->view->sort == PROFILE_SORT_INCLUSIVE
							  ? &function->inclusive
							  : &function->self;
	return pairs->timed ? counts->clocks : counts->records;
}

static int compare_symbols(const struct pair *x, const struct pair *y)
{
	const int order = strcmp(x->symbol, y->symbol);

	return order || x->symbol[0] ? order : strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = compare_symbols(x, y);

	if (order == 0)
		order = strcmp(x->path, y->path);
	if (order != 0)
		return order;
	if (!x->own != !y->own)
		return !x->own - !y->own;
	const uint64_t left = (x->own ? x->own : x->old)->entry;
	const uint64_t right = (y->own ? y->own : y->old)->entry;
	return left < right ? -1 : left > right;
}

static int compare_changes(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	const int64_t left = llabs(x->change), right = llabs(y->change);

	if (left != right)
		return left > right ? -1 : 1;
	return compare_names(a, b);
}

/* The functions of one profile that ran, at the end of the list. */
static bool add_all(struct pairs *pairs, const struct profile_view *view, bool is_old)
{
	char name[PROFILE_NAME_MAX];

	for (size_t i = 0; i < ear_profile_function_count(view->profile); i++) {
		const struct ear_profile_function *function =
			ear_profile_function(view->profile, i);
		if (function->inclusive.records == 0)
			continue;
		if (profile_ignores(view, function)) {
			pairs->ignores = true;
			*(is_old ? &pairs->ignored_old : &pairs->ignored_own) +=
				self_of(pairs, function);
			continue;
		}
		profile_name(view, function, name);
		struct ear_line line;
		const bool known = profile_begin_of(view, function, &line);
		struct pair *pair = &pairs->list[pairs->count++];
		*pair = (struct pair){.name = strdup(name),
			.symbol = function->name,
			.path = known ? line.path : ""};
		*(is_old ? &pair->old : &pair->own) = function;
		if (!pair->name)
			return false;
	}
	return true;
}

/* Between two places of the list, the first of the new with the first of the old, and so on. */
static void join(struct pairs *pairs, size_t begin, size_t end)
{
	size_t old = begin;

	for (size_t own = begin; own < end; own++) {
		struct pair *pair = &pairs->list[own];
		if (!pair->own || pair->old)
			continue;
		while (old < end && (pairs->list[old].own || pairs->list[old].gone))
			old++;
		if (old == end)
			return;
		pair->old = pairs->list[old].old;
		pairs->list[old].gone = true;
	}
}

/* Each stretch of one name, or of one name in one source. */
static void join_equals(struct pairs *pairs, bool in_source)
{
	for (size_t begin = 0, end; begin < pairs->count; begin = end) {
		const struct pair *first = &pairs->list[begin];
		for (end = begin + 1; end < pairs->count; end++)
			if (compare_symbols(&pairs->list[end], first) != 0 ||
				(in_source && strcmp(pairs->list[end].path, first->path) != 0))
				break;
		join(pairs, begin, end);
	}
}

/* Those of one name become one: of several, first those that are in the same source. */
static void match(struct pairs *pairs)
{
	size_t kept = 0;

	qsort(pairs->list, pairs->count, sizeof(*pairs->list), compare_names);
	join_equals(pairs, true);
	join_equals(pairs, false);
	for (size_t i = 0; i < pairs->count; i++) {
		if (pairs->list[i].gone)
			free(pairs->list[i].name);
		else
			pairs->list[kept++] = pairs->list[i];
	}
	pairs->count = kept;
	for (size_t i = 0; i < kept; i++)
		pairs->list[i].change = (int64_t)(size_of(pairs, pairs->list[i].own) -
						  size_of(pairs, pairs->list[i].old));
	qsort(pairs->list, kept, sizeof(*pairs->list), compare_changes);
}

static void free_pairs(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++)
		free(pairs->list[i].name);
	free(pairs->list);
}

static bool make_pairs(
	struct pairs *pairs, const struct profile_view *view, const struct profile_view *old)
{
	const size_t most = ear_profile_function_count(view->profile) +
			    ear_profile_function_count(old->profile);

	*pairs = (struct pairs){.view = view,
		.old = old,
		.list = calloc(most + 1, sizeof(*pairs->list)),
		.timed = ear_profile_has_time(view->profile) && ear_profile_has_time(old->profile)};
	if (!pairs->list || !add_all(pairs, view, false) || !add_all(pairs, old, true)) {
		cli_error("out of memory");
		free_pairs(pairs);
		return false;
	}
	match(pairs);
	return true;
}

/* ---- Printing. ---- */

static void print_row(uint64_t old, uint64_t own, const char *name)
{
	const int64_t change = (int64_t)(own - old);

	printf("%14" PRIu64 " %14" PRIu64 " %+14" PRId64, old, own, change);
	if (old > 0)
		printf(" %+8.1f", 100.0 * (double)change / (double)old);
	else
		printf(" %8s", "new");
	printf("  %s\n", name);
}

bool profile_against_table(const struct profile_view *view, const struct profile_view *old)
{
	struct pairs pairs;
	const struct ear_profile_counts before = ear_profile_total(old->profile),
					now = ear_profile_total(view->profile);
	size_t shown = 0, changed = 0;

	if (!make_pairs(&pairs, view, old))
		return false;
	printf("%14s %14s %14s %8s  function, by %s%s\n", "old", "new", "change", "%",
		pairs.timed ? "clocks" : "records",
		view->sort == PROFILE_SORT_INCLUSIVE ? ", inclusive" : "");
	print_row(pairs.timed ? before.clocks : before.records,
		pairs.timed ? now.clocks : now.records, "(all)");
	for (size_t i = 0; i < pairs.count; i++) {
		const struct pair *pair = &pairs.list[i];
		changed += pair->change != 0;
		if (pair->change == 0 || (view->top > 0 && shown == view->top))
			continue;
		print_row(size_of(&pairs, pair->old), size_of(&pairs, pair->own), pair->name);
		shown++;
	}
	if (shown < changed)
		printf("... and %zu more (--limit N)\n", changed - shown);
	if (pairs.count > changed)
		printf("%zu did not change\n", pairs.count - changed);
	if (pairs.ignores)
		print_row(pairs.ignored_old, pairs.ignored_own, "(ignored), of themselves");
	free_pairs(&pairs);
	return true;
}

static void print_side(
	struct json *json, const char *key, const struct ear_profile_function *function, bool timed)
{
	if (!function) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_number(json, "self", function->self.records);
	json_number(json, "inclusive", function->inclusive.records);
	json_known(json, "calls", !function->is_only_inlined, function->calls);
	json_known(json, "clocks", timed, function->self.clocks);
	json_known(json, "inclusive_clocks", timed, function->inclusive.clocks);
	json_close(json, '}');
}

static void print_verdict(struct json *json, const char *key, const struct verdict *verdict)
{
	json_open(json, key, '{');
	verdict_json(verdict, json);
	json_close(json, '}');
}

bool profile_against_json(const struct profile_view *view, const struct profile_view *old)
{
	struct json json = json_spaced();
	struct pairs pairs;

	if (!make_pairs(&pairs, view, old))
		return false;
	json_open(&json, NULL, '{');
	print_verdict(&json, "old", old->verdict);
	print_verdict(&json, "new", view->verdict);
	json_line(&json, 1);
	json_open(&json, "functions", '[');
	for (size_t i = 0; i < pairs.count; i++) {
		json_line(&json, 2);
		json_open(&json, NULL, '{');
		json_text(&json, "name", pairs.list[i].name);
		print_side(&json, "old", pairs.list[i].old, ear_profile_has_time(old->profile));
		print_side(&json, "new", pairs.list[i].own, ear_profile_has_time(view->profile));
		json_close(&json, '}');
	}
	putchar('\n');
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
	free_pairs(&pairs);
	return true;
}
