/* Pairs of two lists: both are sorted by key, and walked together. */
#include "cli/batch/batch_pairs.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/base/cli.h"
#include "common/array.h"

#define GROUPS_MAX 10

/* ---- Keys. ---- */

static bool cut_ending(const char *name, size_t *length, const char *ending)
{
	const size_t size = strlen(ending);

	if (*length <= size || strncasecmp(name + *length - size, ending, size) != 0 ||
		name[*length - size - 1] == '/')
		return false;
	*length -= size;
	return true;
}

/* Endings of two words are of one format: .spike.log. */
size_t batch_pairs_stem(const char *name)
{
	static const char *const packed[] = {".gz", ".zst", ".xz", ".bz2"};
	static const char *const formats[] = {".dv.csv", ".whisper.log", ".spike.log", ".sail.log",
		".ibex.log", ".shot", ".csv", ".json", ".jsonl", ".log", ".txt", ".trc", ".tarmac",
		".qemu4v", ".etrace", ".esptrace", ".ntrace", ".trace", ".bin"};
	size_t length = strlen(name);

	while (length > 0 && name[length - 1] == '/')
		length--;
	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
		if (cut_ending(name, &length, packed[i]))
			break;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (cut_ending(name, &length, formats[i]))
			break;
	return length;
}

static char *match_key(const regex_t *regex, const char *name)
{
	regmatch_t groups[GROUPS_MAX];
	const size_t first = regex->re_nsub > 0;

	if (regexec(regex, name, GROUPS_MAX, groups, 0) != 0)
		return NULL;
	char *key = calloc(1, strlen(name) * (GROUPS_MAX + 1) + GROUPS_MAX + 1);
	for (size_t i = first; key && i <= regex->re_nsub && i < GROUPS_MAX; i++) {
		if (i > first)
			strcat(key, "\n");
		if (groups[i].rm_so >= 0)
			strncat(key, name + groups[i].rm_so,
				(size_t)(groups[i].rm_eo - groups[i].rm_so));
	}
	return key;
}

/* regex NULL: by the name. */
static char *make_key(const char *name, const regex_t *regex, bool file)
{
	if (regex)
		return match_key(regex, name);
	const size_t length = batch_pairs_stem(name);
	size_t from = length;
	while (file && from > 0 && name[from - 1] != '/')
		from--;
	if (!file)
		from = 0;
	return strndup(name + from, length - from);
}

/* ---- Pairs. ---- */

struct keyed {
	char *key; /* NULL: none */
	struct batch_item *item;
	size_t index;
	const char *error; /* why it has no partner */
	struct keyed *partner;
};

static int compare_keys(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;
	const int order = !left->key || !right->key ? !left->key - !right->key
						    : strcmp(left->key, right->key);

	return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_indexes(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;

	return (left->index > right->index) - (left->index < right->index);
}

static struct keyed *sort_by_key(struct batch_list *list, const regex_t *regex, bool file)
{
	struct keyed *all = calloc(list->count + 1, sizeof(*all));

	for (size_t i = 0; all && i < list->count; i++) {
		struct batch_item *item = &list->items[i];

		all[i] = (struct keyed){.item = item, .index = i};
		if (!item->error)
			all[i].key = make_key(item->name, regex, file);
		if (!all[i].key)
			all[i].error = "its name does not match --pair";
	}
	if (all)
		qsort(all, list->count, sizeof(*all), compare_keys);
	return all;
}

/* Equal keys are next to each other. */
static void find_doubles(struct keyed *all, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		if (all[i].key && all[i + 1].key && strcmp(all[i].key, all[i + 1].key) == 0)
			all[i].error = all[i + 1].error =
				"another trace of its folder has the same name for --pair";
}

static void find_partners(struct keyed *a, size_t a_count, struct keyed *b, size_t b_count)
{
	size_t j = 0;

	for (size_t i = 0; i < a_count && a[i].key; i++) {
		while (j < b_count && b[j].key && strcmp(b[j].key, a[i].key) < 0)
			j++;
		if (j == b_count || !b[j].key || strcmp(b[j].key, a[i].key) != 0)
			continue;
		if (a[i].error || b[j].error) {
			a[i].error = b[j].error = "several traces have the same name for --pair";
			continue;
		}
		a[i].partner = &b[j];
		b[j].partner = &a[i];
	}
}

static bool add_pair(struct batch_list *pairs, const struct keyed *keyed, const char *none)
{
	const struct batch_item *item = keyed->item;
	const char *error = item->error ? item->error : keyed->error ? keyed->error : none;

	if (keyed->partner)
		error = NULL;
	if (!batch_list_add(pairs, item->path, (size_t)(item->name - item->path), error))
		return false;
	if (!keyed->partner)
		return true;
	struct batch_item *pair = &pairs->items[pairs->count - 1];
	pair->other = strdup(keyed->partner->item->path);
	return pair->other != NULL;
}

static bool add_pairs(
	struct batch_list *pairs, struct keyed *a, size_t a_count, struct keyed *b, size_t b_count)
{
	bool good = true;

	find_doubles(a, a_count);
	find_doubles(b, b_count);
	find_partners(a, a_count, b, b_count);
	/* The order of the list again; partners point to items, which stay. */
	for (size_t i = 0; i < b_count && good; i++)
		if (!b[i].partner)
			b[i].index += a_count;
	struct keyed *all = calloc(a_count + b_count + 1, sizeof(*all));
	size_t count = 0;
	for (size_t i = 0; all && i < a_count; i++)
		all[count++] = a[i];
	for (size_t i = 0; all && i < b_count; i++)
		if (!b[i].partner)
			all[count++] = b[i];
	if (all)
		qsort(all, count, sizeof(*all), compare_indexes);
	for (size_t i = 0; all && i < count && good; i++)
		good = add_pair(pairs, &all[i],
			all[i].index < a_count ? "it has no partner in B"
					       : "it has no partner in A");
	free(all);
	return all && good;
}

static void free_keys(struct keyed *all, size_t count)
{
	for (size_t i = 0; all && i < count; i++)
		free(all[i].key);
	free(all);
}

bool batch_pairs_make(
	struct batch_list *pairs, struct batch_list *a, struct batch_list *b, const char *rule)
{
	const bool file = strcmp(rule, "file") == 0, named = file || strcmp(rule, "name") == 0;
	regex_t regex;
	int wrong = named ? 0 : regcomp(&regex, rule, REG_EXTENDED);

	if (wrong) {
		char text[128];
		regerror(wrong, &regex, text, sizeof(text));
		cli_error("--pair: '%s': %s", rule, text);
		return false;
	}
	*pairs = (struct batch_list){.others = a->others + b->others,
		.links = a->links + b->links,
		.specials = a->specials + b->specials,
		.expanded = true};
	struct keyed *left = sort_by_key(a, named ? NULL : &regex, file);
	struct keyed *right = sort_by_key(b, named ? NULL : &regex, file);
	const bool good = left && right && add_pairs(pairs, left, a->count, right, b->count);
	if (!good)
		cli_error("out of memory");
	free_keys(left, a->count);
	free_keys(right, b->count);
	if (!named)
		regfree(&regex);
	return good;
}
