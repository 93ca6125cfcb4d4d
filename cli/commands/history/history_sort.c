/* --sort: rows by what is in a column. A key of each row is kept while they are found in order;
 * then they are shown again in the other order, and only as many as --limit allows.
 */
#include "cli/commands/history/history_sort.h"

#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "common/array.h"

int history_sort_add(
	struct history_sort *sort, const struct history_row *row, struct history_key key)
{
	if (sort->count == HISTORY_SORT_MAX ||
		!EAR_ARRAY_RESERVE(sort->rows, &sort->room, sort->count + 1)) {
		free(key.text);
		return sort->count == HISTORY_SORT_MAX ? EAR_E_FULL : EAR_E_NO_MEMORY;
	}
	sort->rows[sort->count] = (struct history_sorted){.row = *row, .key = key};
	sort->count++;
	return 0;
}

static int compare_values(const struct history_key *a, const struct history_key *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	if (a->is_signed && b->is_signed)
		return ((int64_t)a->value > (int64_t)b->value) -
		       ((int64_t)a->value < (int64_t)b->value);
	return (a->value > b->value) - (a->value < b->value);
}

/* What is not known comes last; rows with the same key stay in their order. */
static int compare(const struct history_sorted *a, const struct history_sorted *b, bool descending)
{
	int order = 0;

	if (a->key.known != b->key.known)
		return a->key.known ? -1 : 1;
	if (a->key.known)
		order = compare_values(&a->key, &b->key);
	if (order != 0)
		return descending ? -order : order;
	return (a->row.position > b->row.position) - (a->row.position < b->row.position);
}

static int ascending(const void *a, const void *b)
{
	return compare(a, b, false);
}

static int descending(const void *a, const void *b)
{
	return compare(a, b, true);
}

void history_sort_end(struct history_sort *sort)
{
	if (sort->count > 0)
		qsort(sort->rows, sort->count, sizeof(*sort->rows),
			sort->descending ? descending : ascending);
}

void history_sort_free(struct history_sort *sort)
{
	for (size_t i = 0; i < sort->count; i++)
		free(sort->rows[i].key.text);
	free(sort->rows);
	*sort = (struct history_sort){0};
}
