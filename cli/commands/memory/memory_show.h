#ifndef CLI_MEMORY_SHOW_H
#define CLI_MEMORY_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include <earshot/tasks.h>

#include "analyses/memory/memory_result.h"
#include "cli/show/table.h"
#include "cli/show/verdict.h"

/* What 'earshot memory' prints. */

enum memory_view {
	MEMORY_SUMMARY,
	MEMORY_REGION,
	MEMORY_SECTION,
	MEMORY_SYMBOL,
	MEMORY_PAGE,
	MEMORY_HEAT,
	MEMORY_STACK,
	MEMORY_UNINITIALIZED,
	MEMORY_CODE_WRITES,
	MEMORY_MISALIGNED,
	MEMORY_WORKING_SET,
	MEMORY_SHARING,
	MEMORY_HEAP,
	MEMORY_ERRORS, /* memory_errors_show.h */
};

struct memory_show {
	struct ear_usage *memory;
	struct ear_names *names;
	struct ear_tasks *tasks;  /* NULL: they are those of the memory */
	bool with_tasks;          /* of stacks */
	bool no_loads, no_stores; /* the trace shows none, however many there were */
	enum table_format format;
	uint64_t top; /* rows; 0: all */
	const struct verdict *verdict;
};

/* Returns false if memory is short. */
bool memory_show(const struct memory_show *show, enum memory_view view);

#endif
