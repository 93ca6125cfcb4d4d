/* What 'earshot memory --errors' prints: the errors, how many, and what limits it. */
#include "cli/commands/memory/memory_errors_show.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/show/json.h"
#include "cli/show/memory_error.h"

static void print_json(const struct memory_errors_show *show,
	const struct ear_memory_checker_facts *facts, const struct ear_memory_error *errors,
	size_t shown)
{
	struct json json = json_spaced();

	json_open(&json, NULL, '{');
	json_number(&json, "records", facts->records);
	json_number(&json, "gaps", facts->gaps);
	verdict_json(show->verdict, &json);
	json_known(&json, "allocations", facts->has_heap, facts->allocations);
	json_known(&json, "frees", facts->has_heap, facts->frees);
	json_open(&json, "errors", '[');
	for (size_t i = 0; i < shown; i++) {
		json_line(&json, 2);
		memory_error_json(show->names, &json, &errors[i]);
	}
	json_close(&json, ']');
	json_close(&json, '}');
	putchar('\n');
}

/* ---- What limits it. ---- */

static void warn(
	const struct memory_errors_show *show, const struct ear_memory_checker_facts *facts)
{
	if (!show->names)
		cli_warning("there are no names: the heap and limits of stacks are not known "
			    "(--elf FILE)");
	else if (!facts->has_heap)
		cli_warning("the program has no malloc, free and the like, so the heap is not "
			    "checked (--allocator names others)");
	if (!facts->has_sp)
		cli_warning("the trace does not show sp: of frames nothing is known");
	if (facts->late)
		cli_warning("the trace does not begin where the program does: of frames and blocks "
			    "before it nothing is known");
	if (facts->gaps > 0)
		cli_warning("there are gaps, %" PRIu64 ": after each one, nothing of frames and "
			    "blocks before it is known",
			facts->gaps);
	if (facts->paged)
		cli_warning("addresses are translated from record %" PRIu64
			    " on: nothing after it is checked",
			facts->paged);
	if (facts->lost > 0)
		cli_warning("there are too many errors: %" PRIu64 " are left out", facts->lost);
	if (facts->blocks_lost > 0)
		cli_warning("there are too many blocks of the heap: %" PRIu64 " are left out",
			facts->blocks_lost);
}

size_t memory_errors_show(const struct memory_errors_show *show)
{
	struct ear_memory_checker_facts facts = {.size = sizeof(facts)};
	const struct ear_memory_error *errors;
	const size_t count = ear_memory_checker_errors(show->checker, &errors);
	const size_t shown = show->top && show->top < count ? (size_t)show->top : count;

	ear_memory_checker_facts(show->checker, &facts);
	if (show->json) {
		print_json(show, &facts, errors, shown);
	} else {
		for (size_t i = 0; i < shown; i++)
			memory_error_print(show->names, &errors[i], 0);
		if (shown < count)
			printf("... and %zu more (--limit N)\n", count - shown);
		printf("%" PRIu64 " records, %zu error%s\n", facts.records, count,
			count == 1 ? "" : "s");
	}
	if (!show->quiet)
		warn(show, &facts);
	return count;
}
