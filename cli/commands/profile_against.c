#include "cli/commands/profile_against.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"

/* A function of one of them, or of both. */
struct pair {
	const struct ear_profile_function *old, *own;
	char *name;
	int64_t change; /* of what they are sorted by */
};

struct pairs {
	const struct profile_view *view, *old;
	struct pair *list;
	size_t count;
	bool timed;
};

static uint64_t size_of(const struct pairs *pairs, const struct ear_profile_function *function)
{
	if (!function)
		return 0;
	const struct ear_profile_counts *counts = pairs->view->sort == PROFILE_SORT_INCLUSIVE
							  ? &function->inclusive
							  : &function->self;
	return pairs->timed ? counts->clocks : counts->records;
}

static int compare_names(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : !x->own - !y->own; /* of one name, those of the new one first */
}

static int compare_changes(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	const int64_t left = llabs(x->change), right = llabs(y->change);

	if (left != right)
		return left > right ? -1 : 1;
	return strcmp(x->name, y->name);
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
		profile_name(view, function, name);
		struct pair *pair = &pairs->list[pairs->count++];
		*pair = (struct pair){.name = strdup(name)};
		*(is_old ? &pair->old : &pair->own) = function;
		if (!pair->name)
			return false;
	}
	return true;
}

/* Those of one name become one: the first of the new with the first of the old, and so on. */
static void match(struct pairs *pairs)
{
	size_t kept = 0;

	qsort(pairs->list, pairs->count, sizeof(*pairs->list), compare_names);
	for (size_t begin = 0, end; begin < pairs->count; begin = end) {
		size_t olds = begin;
		for (end = begin; end < pairs->count &&
				  strcmp(pairs->list[end].name, pairs->list[begin].name) == 0;
			end++)
			olds += pairs->list[end].own != NULL;
		const size_t owns = olds - begin;
		for (size_t i = begin; i < end; i++) {
			struct pair pair = pairs->list[i];
			if (!pair.own && i - olds < owns) {
				free(pair.name);
				continue;
			}
			if (pair.own && i - begin < end - olds)
				pair.old = pairs->list[olds + (i - begin)].old;
			pairs->list[kept++] = pair;
		}
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
		printf("... and %zu more (--top N)\n", changed - shown);
	if (pairs.count > changed)
		printf("%zu did not change\n", pairs.count - changed);
	free_pairs(&pairs);
	return true;
}

static void print_side(const char *name, const struct ear_profile_function *function, bool timed)
{
	printf(", \"%s\": ", name);
	if (!function) {
		printf("null");
		return;
	}
	printf("{\"self\": %" PRIu64 ", \"inclusive\": %" PRIu64 ", \"calls\": %" PRIu64,
		function->self.records, function->inclusive.records, function->calls);
	if (timed)
		printf(", \"clocks\": %" PRIu64 ", \"inclusive_clocks\": %" PRIu64,
			function->self.clocks, function->inclusive.clocks);
	else
		printf(", \"clocks\": null, \"inclusive_clocks\": null");
	printf("}");
}

bool profile_against_json(const struct profile_view *view, const struct profile_view *old)
{
	struct pairs pairs;

	if (!make_pairs(&pairs, view, old))
		return false;
	printf("{\"functions\": [");
	for (size_t i = 0; i < pairs.count; i++) {
		printf(i > 0 ? ",\n  {\"name\": " : "\n  {\"name\": ");
		cli_print_json(pairs.list[i].name);
		print_side("old", pairs.list[i].old, ear_profile_has_time(old->profile));
		print_side("new", pairs.list[i].own, ear_profile_has_time(view->profile));
		printf("}");
	}
	printf("\n]}\n");
	free_pairs(&pairs);
	return true;
}
