/* Groups: rows sorted by text are runs of equal ones, and the runs are sorted by size. Groups of
 * the same size are in the order of their first traces. */
#include "cli/batch/batch_groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"

#define NAMES_SHOWN 3

struct member {
	const char *text;
	size_t index;
};

struct group {
	const struct member *first;
	size_t count;
};

struct groups {
	struct member *members;
	struct group *list;
	size_t count;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *left = a, *right = b;
	const int order = strcmp(left->text, right->text);

	return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->first->index < right->first->index ? -1 : 1;
}

static struct groups find_groups(const struct batch_table *table)
{
	const size_t rows = table->list->count;
	struct groups groups = {
		.members = calloc(rows + 1, sizeof(*groups.members)),
		.list = calloc(rows + 1, sizeof(*groups.list)),
	};
	size_t count = 0;

	if (!groups.members || !groups.list)
		return groups;
	for (size_t i = 0; i < rows; i++)
		if (table->rows[i].state == BATCH_NO && table->rows[i].text)
			groups.members[count++] = (struct member){table->rows[i].text, i};
	qsort(groups.members, count, sizeof(*groups.members), compare_members);
	for (size_t i = 0; i < count; i++) {
		struct group *last = &groups.list[groups.count - 1];

		if (i > 0 && strcmp(groups.members[i - 1].text, groups.members[i].text) == 0)
			last->count++;
		else
			groups.list[groups.count++] = (struct group){&groups.members[i], 1};
	}
	qsort(groups.list, groups.count, sizeof(*groups.list), compare_groups);
	return groups;
}

static void free_groups(struct groups *groups)
{
	free(groups->members);
	free(groups->list);
}

void batch_groups_print(const struct batch_table *table, FILE *to)
{
	struct groups groups = find_groups(table);

	for (size_t i = 0; i < groups.count; i++) {
		const struct group *group = &groups.list[i];

		fprintf(to, "%s%7zu  ", i == 0 ? "\n  count  found first\n" : "", group->count);
		batch_table_print_name(to, group->first->text);
		fputs(": ", to);
		for (size_t j = 0; j < group->count && j < NAMES_SHOWN; j++) {
			fputs(j > 0 ? ", " : "", to);
			batch_table_print_name(to, table->list->items[group->first[j].index].path);
		}
		fputs(group->count > NAMES_SHOWN ? ", ...\n" : "\n", to);
	}
	free_groups(&groups);
}

void batch_groups_json(const struct batch_table *table)
{
	struct groups groups = find_groups(table);

	fputs("\"groups\": [", stdout);
	for (size_t i = 0; i < groups.count; i++) {
		const struct group *group = &groups.list[i];

		fputs(i > 0 ? ",\n  {\"first\": " : "\n  {\"first\": ", stdout);
		cli_print_json(group->first->text);
		printf(", \"count\": %zu, \"traces\": [", group->count);
		for (size_t j = 0; j < group->count; j++) {
			fputs(j > 0 ? ", " : "", stdout);
			cli_print_json(table->list->items[group->first[j].index].path);
		}
		fputs("]}", stdout);
	}
	fputs("]", stdout);
	free_groups(&groups);
}
