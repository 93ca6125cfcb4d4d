#ifndef CLI_MEMORY_ERRORS_SHOW_H
#define CLI_MEMORY_ERRORS_SHOW_H

#include <stdbool.h>

#include <earshot/memory_errors.h>

#include "cli/show/verdict.h"

/* What 'earshot memory --errors' prints. */
struct memory_errors_show {
	struct ear_memory_checker *checker;
	const struct ear_names *names; /* NULL: none */
	const struct verdict *verdict;
	bool json, quiet;
	uint64_t top; /* errors; 0: all */
};

/* Returns how many errors there are. */
size_t memory_errors_show(const struct memory_errors_show *show);

#endif
