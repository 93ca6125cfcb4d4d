#include "cli/input/source_paths.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"

bool source_paths_take(
	struct source_paths *paths, const struct command_option *option, const char *argument)
{
	const char *equals = strchr(argument, '=');

	if (!equals || equals == argument)
		return option_fail(option, argument, "OLD=NEW");
	if (paths->source_count == SOURCE_PATHS_MAX)
		return option_fail(option, argument, "one of at most 64");
	paths->old_prefix[paths->source_count] = argument;
	paths->old_size[paths->source_count] = (size_t)(equals - argument);
	paths->new_prefix[paths->source_count++] = equals + 1;
	return true;
}

bool source_paths_take_ignored(
	struct source_paths *paths, const struct command_option *option, const char *argument)
{
	if (paths->ignored_count == SOURCE_PATHS_MAX)
		return option_fail(option, argument, "one of at most 64");
	paths->ignored[paths->ignored_count++] = argument;
	return true;
}

/* Which --source a path begins with; source_count: none. */
static unsigned find_prefix(const struct source_paths *paths, const char *path)
{
	unsigned i = 0;

	while (i < paths->source_count &&
		strncmp(path, paths->old_prefix[i], paths->old_size[i]) != 0)
		i++;
	return i;
}

char *source_paths_copy(const struct source_paths *paths, const char *path)
{
	const unsigned prefix = find_prefix(paths, path);

	if (prefix == paths->source_count)
		return strdup(path);
	const char *rest = path + paths->old_size[prefix];
	char *mapped = malloc(strlen(paths->new_prefix[prefix]) + strlen(rest) + 1);
	if (mapped)
		strcpy(stpcpy(mapped, paths->new_prefix[prefix]), rest);
	return mapped;
}

const char *source_paths_map(struct source_paths *paths, const char *path)
{
	if (find_prefix(paths, path) == paths->source_count)
		return path;
	for (size_t i = 0; i < paths->known_count; i++)
		if (paths->known[i].path == path)
			return paths->known[i].mapped;
	struct source_paths_one *known =
		realloc(paths->known, (paths->known_count + 1) * sizeof(*known));
	if (!known)
		return path;
	paths->known = known;
	char *mapped = source_paths_copy(paths, path);
	if (!mapped)
		return path;
	known[paths->known_count++] = (struct source_paths_one){path, mapped};
	return mapped;
}

void source_paths_fini(struct source_paths *paths)
{
	for (size_t i = 0; i < paths->known_count; i++)
		free(paths->known[i].mapped);
	free(paths->known);
	paths->known = NULL;
	paths->known_count = 0;
}

bool source_paths_ignores(const struct source_paths *paths, const char *text)
{
	for (unsigned i = 0; i < paths->ignored_count; i++)
		if (fnmatch(paths->ignored[i], text, 0) == 0)
			return true;
	return false;
}
