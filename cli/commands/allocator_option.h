#ifndef CLI_ALLOCATOR_OPTION_H
#define CLI_ALLOCATOR_OPTION_H

#include <earshot/names.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/options/command.h"

/* Allocators of the program that --allocator names, for the checker of memory errors. */
#define ALLOCATORS_MAX 64

struct allocators {
	const char *list[ALLOCATORS_MAX];
	size_t count;
};

/* The option, for a struct allocators. */
extern const struct command_option allocator_options[];

/* Is each one right, and in the program? Returns false after printing why not. */
bool allocators_try(const struct allocators *allocators, const struct ear_names *names);

#endif
