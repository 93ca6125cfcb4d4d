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

/* ---- Outputs that are there. ---- */

struct file {
	dev_t device;
	ino_t number;
};

static int compare_files(const void *a, const void *b)
{
	const struct file *one = a, *other = b;

	if (one->device != other->device)
		return one->device < other->device ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

/* The traces as files. NULL without memory. */
static struct file *list_files(struct batch_item *const *items, size_t count, size_t *found)
{
	struct file *files = calloc(count + 1, sizeof(*files));
	struct stat status;

	*found = 0;
	for (size_t i = 0; files && i < count; i++)
		if (stat(items[i]->path, &status) == 0)
			files[(*found)++] = (struct file){status.st_dev, status.st_ino};
	if (files && *found > 1)
		qsort(files, *found, sizeof(*files), compare_files);
	return files;
}

/* An output that is there: why it stays, NULL if it may be written over. */
static const char *find_reason(struct batch_item *item, const struct stat *status, bool overwrite,
	const struct file *files, size_t file_count)
{
	const struct file file = {status->st_dev, status->st_ino};

	if (!overwrite)
		return "it is there already (--overwrite writes over it)";
	if (!S_ISREG(status->st_mode))
		return "what is there is not a file";
	if (bsearch(&file, files, file_count, sizeof(file), compare_files))
		return "it is one of the traces that are read";
	item->replaces = true;
	item->old_size = (int64_t)status->st_size;
	item->old_seconds = (int64_t)status->st_mtim.tv_sec;
	item->old_nanoseconds = (int64_t)status->st_mtim.tv_nsec;
	return NULL;
}

bool batch_outputs_is_part(const struct batch_item *item)
{
	struct stat status;

	if (!item->output || lstat(item->output, &status) != 0)
		return false;
	return !item->replaces || (int64_t)status.st_size != item->old_size ||
	       (int64_t)status.st_mtim.tv_sec != item->old_seconds ||
	       (int64_t)status.st_mtim.tv_nsec != item->old_nanoseconds;
}

/* ---- All of them. ---- */

static bool choose(struct batch_item **sorted, size_t count, bool *doubles, const char *folder,
	const char *ending, bool overwrite)
{
	struct stat status;
	size_t file_count;
	struct file *files = list_files(sorted, count, &file_count);
	bool good = files != NULL;

	find_doubles(sorted, count, doubles);
	for (size_t i = 0; i < count && good; i++)
		if (doubles[i])
			good = set_output(sorted[i], folder, strlen(sorted[i]->name), ending);
	find_doubles(sorted, count, doubles);
	for (size_t i = 0; i < count && good; i++)
		if (doubles[i]) {
			good = set_error(sorted[i], "another trace would be written there, too");
		} else if (lstat(sorted[i]->output, &status) == 0) {
			const char *reason =
				find_reason(sorted[i], &status, overwrite, files, file_count);
			good = !reason || set_error(sorted[i], reason);
		}
	free(files);
	return good;
}

bool batch_outputs_choose(
	struct batch_list *list, const char *folder, const char *ending, bool overwrite)
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
	good = good && choose(sorted, count, doubles, folder, ending, overwrite);
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
