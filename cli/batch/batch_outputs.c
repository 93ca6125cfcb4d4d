/* Names of outputs. Names of inputs stay below their folder (batch_list.h), so those of outputs do,
 * too. */
#include "cli/batch/batch_outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/cli.h"
#include "cli/batch/batch_pairs.h"

static bool set_output(
	struct batch_item *item, const char *folder, size_t length, const char *ending)
{
	const size_t size = strlen(folder) + length + strlen(ending) + 2;
	char *path = malloc(size);

	if (!path)
		return false;
	snprintf(path, size, "%s/%.*s%s", folder, (int)length, item->name, ending);
	free(item->output);
	item->output = path;
	return true;
}

static int compare_outputs(const void *a, const void *b)
{
	const struct batch_item *left = *(struct batch_item *const *)a;
	const struct batch_item *right = *(struct batch_item *const *)b;
	const int order = strcmp(left->output, right->output);

	return order ? order : (left > right) - (left < right);
}

/* Marks those that another one has, too. */
static void find_doubles(struct batch_item **sorted, size_t count, bool *doubles)
{
	qsort(sorted, count, sizeof(*sorted), compare_outputs);
	for (size_t i = 0; i < count; i++)
		doubles[i] = false;
	for (size_t i = 0; i + 1 < count; i++)
		if (strcmp(sorted[i]->output, sorted[i + 1]->output) == 0)
			doubles[i] = doubles[i + 1] = true;
}

static bool set_error(struct batch_item *item, const char *text)
{
	char error[PATH_MAX + 64];

	snprintf(error, sizeof(error), "%s: %s", item->output, text);
	item->error = strdup(error);
	return item->error != NULL;
}

static bool choose(struct batch_item **sorted, size_t count, bool *doubles, const char *folder,
	const char *ending)
{
	struct stat status;
	bool good = true;

	find_doubles(sorted, count, doubles);
	for (size_t i = 0; i < count && good; i++)
		if (doubles[i])
			good = set_output(sorted[i], folder, strlen(sorted[i]->name), ending);
	find_doubles(sorted, count, doubles);
	for (size_t i = 0; i < count && good; i++)
		if (doubles[i])
			good = set_error(sorted[i], "another trace would be written there, too");
		else if (lstat(sorted[i]->output, &status) == 0)
			good = set_error(sorted[i], "it is there already");
	return good;
}

bool batch_outputs_choose(struct batch_list *list, const char *folder, const char *ending)
{
	struct batch_item **sorted = calloc(list->count + 1, sizeof(*sorted));
	bool *doubles = calloc(list->count + 1, sizeof(*doubles));
	bool good = sorted && doubles;
	size_t count = 0;

	for (size_t i = 0; i < list->count && good; i++) {
		struct batch_item *item = &list->items[i];

		if (item->error)
			continue;
		good = set_output(item, folder, batch_pairs_stem(item->name), ending);
		sorted[count++] = item;
	}
	good = good && choose(sorted, count, doubles, folder, ending);
	if (!good)
		cli_error("out of memory");
	free(sorted);
	free(doubles);
	return good;
}

bool batch_outputs_make_folders(const char *path)
{
	char folder[PATH_MAX];

	if (snprintf(folder, sizeof(folder), "%s", path) >= (int)sizeof(folder)) {
		cli_error("%s: %s", path, strerror(ENAMETOOLONG));
		return false;
	}
	for (char *at = folder + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
			cli_error("%s: %s", folder, strerror(errno));
			return false;
		}
		*at = '/';
	}
	return true;
}
