/* Memory errors as text and as JSON: the access, its place, the object, and who made and freed it.
 */
#include "cli/commands/memory/memory_errors_show.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/base/cli.h"
#include "cli/show/json.h"

/* ---- Places. ---- */

/* " main+0x4 (fw.c:12)"; "" without names. */
static void name_place(const struct memory_errors_show *show, uint64_t pc, char *text, size_t size)
{
	char name[160], line[160];

	text[0] = '\0';
	if (!show->names || ear_names_text(show->names, pc, name, sizeof(name)) <= 0)
		return;
	if (ear_names_line_text(show->names, pc, line, sizeof(line)) > 0)
		snprintf(text, size, " %s (%s)", name, line);
	else
		snprintf(text, size, " %s", name);
}

static void print_moment(const struct memory_errors_show *show, const char *what,
	const struct ear_memory_moment *moment)
{
	char place[336];

	name_place(show, moment->pc, place, sizeof(place));
	printf("    %s #%" PRIu64 " 0x%" PRIx64 "%s\n", what, moment->number, moment->pc, place);
}

/* ---- Text. ---- */

static void print_block(const struct memory_errors_show *show, const struct ear_memory_error *error)
{
	const struct ear_memory_block *block = &error->block;

	printf("    the block: %" PRIu64 " byte%s at 0x%" PRIx64, block->bytes,
		block->bytes == 1 ? "" : "s", block->address);
	if (error->address < block->address)
		printf(", which begins %" PRIu64 " after it\n", block->address - error->address);
	else
		printf(", offset %" PRIu64 "\n", error->address - block->address);
	print_moment(show, "allocated", &block->allocated);
	if (block->is_free)
		print_moment(show, "freed", &block->freed);
}

static void print_error(const struct memory_errors_show *show, const struct ear_memory_error *error)
{
	char place[336], text[EAR_MEMORY_ERROR_TEXT_MAX];

	name_place(show, error->moment.pc, place, sizeof(place));
	ear_memory_error_text(error, text, sizeof(text));
	printf("#%" PRIu64 " 0x%" PRIx64 "%s: %s: %s\n", error->moment.number, error->moment.pc,
		place, ear_memory_error_name(error->kind), text);
	if (error->caller) {
		name_place(show, error->caller - 1, place, sizeof(place));
		printf("    called from 0x%" PRIx64 "%s\n", error->caller, place);
	}
	if (error->kind == EAR_MEMORY_UNWRITTEN)
		print_moment(show, "decides", &error->other);
	if (error->kind == EAR_MEMORY_LEFT_FRAME && error->other.pc)
		print_moment(show, "returned", &error->other);
	if (error->has_block)
		print_block(show, error);
	if (error->count > 1)
		printf("    %" PRIu64 " times\n", error->count);
}

/* ---- JSON. ---- */

static void json_moment(const struct memory_errors_show *show, struct json *json, const char *key,
	const struct ear_memory_moment *moment)
{
	char text[320];
	const uint64_t pc = moment->pc;

	json_open(json, key, '{');
	json_number(json, "record", moment->number);
	json_hex(json, "pc", moment->pc != 0, moment->pc);
	json_text(json, "function",
		show->names && ear_names_text(show->names, pc, text, sizeof(text)) > 0 ? text
										       : NULL);
	json_text(json, "line",
		show->names && ear_names_line_text(show->names, pc, text, sizeof(text)) > 0 ? text
											    : NULL);
	json_close(json, '}');
}

static void json_block(const struct memory_errors_show *show, struct json *json,
	const struct ear_memory_block *block)
{
	json_open(json, "block", '{');
	json_hex(json, "address", true, block->address);
	json_number(json, "size", block->bytes);
	json_text(json, "function", block->function);
	json_moment(show, json, "allocated", &block->allocated);
	if (block->is_free)
		json_moment(show, json, "freed", &block->freed);
	json_close(json, '}');
}

static void json_error(const struct memory_errors_show *show, struct json *json,
	const struct ear_memory_error *error)
{
	const struct ear_memory_moment caller = {error->moment.number, error->caller - 1};

	json_line(json, 2);
	json_open(json, NULL, '{');
	json_text(json, "kind", ear_memory_error_name(error->kind));
	json_number(json, "hart", error->hart);
	json_number(json, "count", error->count);
	json_moment(show, json, "at", &error->moment);
	if (error->caller)
		json_moment(show, json, "caller", &caller);
	json_hex(json, "address", true, error->address);
	if (error->size > 0) {
		json_number(json, "size", error->size);
		json_bool(json, "write", error->write);
	}
	if (error->kind == EAR_MEMORY_STACK_LIMIT)
		json_hex(json, "limit", true, error->limit);
	if (error->kind == EAR_MEMORY_OVERLAP) {
		json_hex(json, "source", true, error->limit);
		json_number(json, "size", error->bytes);
	}
	if (error->kind == EAR_MEMORY_UNWRITTEN)
		json_moment(show, json, "decides", &error->other);
	if (error->kind == EAR_MEMORY_LEFT_FRAME && error->other.pc)
		json_moment(show, json, "returned", &error->other);
	if (error->has_block)
		json_block(show, json, &error->block);
	json_close(json, '}');
}

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
	for (size_t i = 0; i < shown; i++)
		json_error(show, &json, &errors[i]);
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
		cli_warning("the program has no function of a heap that is known (--allocator)");
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
			print_error(show, &errors[i]);
		if (shown < count)
			printf("... and %zu more (--limit N)\n", count - shown);
		printf("%" PRIu64 " records, %zu error%s\n", facts.records, count,
			count == 1 ? "" : "s");
	}
	if (!show->quiet)
		warn(show, &facts);
	return count;
}
