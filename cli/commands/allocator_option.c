/* Allocators of the program, as the command line names them. */
#include "cli/commands/allocator_option.h"

#include <earshot/error.h>
#include <earshot/memory_errors.h>

#include "cli/base/cli.h"
#include "cli/options/options.h"

static bool take(void *value, const struct command_option *option, const char *argument)
{
	struct allocators *allocators = value;

	if (allocators->count == ALLOCATORS_MAX)
		return option_fail(option, argument, "taken: there are too many");
	allocators->list[allocators->count++] = argument;
	return true;
}

const struct command_option allocator_options[] = {
	{"allocator", 0, "NAME=KIND",
		.text = "For memory errors: the function NAME is an allocator, as `pool_get=24`, "
			"`my_malloc=malloc`, `my_free=free:1`; repeat for more.",
		.detail =
			"KIND is malloc, calloc, realloc, memalign or free, with :N if the arguments "
			"begin with number N, from 0; the size of the blocks, if it is always the "
			"same; or internal: a function that may read and write what is free.",
		.take = take},
	{0},
};

bool allocators_try(const struct allocators *allocators, const struct ear_names *names)
{
	const struct ear_memory_checker_options options = {.size = sizeof(options),
		.names = names,
		.allocators = allocators->list,
		.allocator_count = allocators->count};
	struct ear_memory_checker *checker = NULL;
	size_t wrong;
	const int result = ear_memory_checker_new(&checker, &options, &wrong);

	ear_memory_checker_free(checker);
	if (result == EAR_E_BAD_ARGUMENT && wrong < allocators->count)
		cli_error("--allocator %s: it must be NAME=KIND (see --help), and NAME a function "
			  "of the program",
			allocators->list[wrong]);
	else if (result)
		cli_error("%s", ear_error_text(result));
	return result == 0;
}
