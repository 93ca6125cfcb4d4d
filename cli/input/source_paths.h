#ifndef EAR_SOURCE_PATHS_H
#define EAR_SOURCE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options/command.h"

/* Paths of sources as debug information has them, and what the command line says of them: where
 * they are now (--source OLD=NEW), and which are left out (--ignore GLOB). All zero: nothing. */
#define SOURCE_PATHS_MAX 64

struct source_paths {
	const char *old_prefix[SOURCE_PATHS_MAX]; /* the text before its "=" */
	size_t old_size[SOURCE_PATHS_MAX];
	const char *new_prefix[SOURCE_PATHS_MAX];
	unsigned source_count;
	const char *ignored[SOURCE_PATHS_MAX];
	unsigned ignored_count;

	struct source_paths_one {
		const char *path;
		char *mapped;
	} * known; /* that source_paths_map gave */
	size_t known_count;
};

/* The arguments stay the caller's. Return false after printing what is wrong. */
bool source_paths_take(
	struct source_paths *paths, const struct command_option *option, const char *argument);
bool source_paths_take_ignored(
	struct source_paths *paths, const struct command_option *option, const char *argument);

/* The path with the first OLD that it begins with replaced: a copy to be freed, NULL if memory is
 * short. */
char *source_paths_copy(const struct source_paths *paths, const char *path);

/* The same, which lasts until source_paths_fini, of a path that lasts as long; the path itself if
 * nothing is to be replaced, or memory is short. */
const char *source_paths_map(struct source_paths *paths, const char *path);
void source_paths_fini(struct source_paths *paths);

/* Does a text match a GLOB of --ignore? A "*" matches "/", too. */
bool source_paths_ignores(const struct source_paths *paths, const char *text);

#endif
