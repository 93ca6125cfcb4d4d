/* Memory errors as text and as JSON: the access, its place, the object, and who made and freed it.
 */
#include "cli/show/memory_error.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Places. ---- */

/* " main+0x4 (fw.c:12)"; "" without names. */
static void name_place(const struct ear_names *names, uint64_t pc, char *text, size_t size)
{
	char name[160], line[160];

	text[0] = '\0';
	if (!names || ear_names_text(names, pc, name, sizeof(name)) <= 0)
		return;
	if (ear_names_line_text(names, pc, line, sizeof(line)) > 0)
		snprintf(text, size, " %s (%s)", name, line);
	else
		snprintf(text, size, " %s", name);
}

static void print_moment(const struct ear_names *names, const char *what,
	const struct ear_memory_moment *moment, int indent)
{
	char place[336];

	name_place(names, moment->pc, place, sizeof(place));
	printf("%*s%s #%" PRIu64 " 0x%" PRIx64 "%s\n", indent, "", what, moment->number, moment->pc,
		place);
}

/* ---- Text. ---- */

static void print_block(
	const struct ear_names *names, const struct ear_memory_error *error, int indent)
{
	const struct ear_memory_block *block = &error->block;

	printf("%*sthe block: %" PRIu64 " byte%s at 0x%" PRIx64, indent, "", block->bytes,
		block->bytes == 1 ? "" : "s", block->address);
	if (error->address < block->address)
		printf(", which begins %" PRIu64 " after it\n", block->address - error->address);
	else
		printf(", offset %" PRIu64 "\n", error->address - block->address);
	print_moment(names, "allocated", &block->allocated, indent);
	if (block->is_free)
		print_moment(names, "freed", &block->freed, indent);
}

static void print_calls(const struct ear_names *names, const char *what,
	const struct ear_memory_moment *allocated, const struct ear_memory_moment *freed)
{
	char place[336];

	name_place(names, allocated->pc, place, sizeof(place));
	printf("%s allocated by%s at #%" PRIu64, what, place, allocated->number);
	if (freed) {
		name_place(names, freed->pc, place, sizeof(place));
		printf(", freed by%s at #%" PRIu64, place, freed->number);
	}
	putchar('\n');
}

void memory_block_print(
	const struct ear_names *names, const struct ear_memory_block *block, int indent)
{
	printf("%*sin a block of %" PRIu64 " byte%s at 0x%" PRIx64, indent, "", block->bytes,
		block->bytes == 1 ? "" : "s", block->address);
	print_calls(names, ",", &block->allocated, block->is_free ? &block->freed : NULL);
	if (!block->before_freed.pc)
		return;
	printf("%*s", indent, "");
	print_calls(names, "the block there before it was", &block->before_allocated,
		&block->before_freed);
}

void memory_error_print(
	const struct ear_names *names, const struct ear_memory_error *error, int indent)
{
	char place[336], text[EAR_MEMORY_ERROR_TEXT_MAX];

	name_place(names, error->moment.pc, place, sizeof(place));
	ear_memory_error_text(error, text, sizeof(text));
	printf("%*s#%" PRIu64 " 0x%" PRIx64 "%s: %s: %s\n", indent, "", error->moment.number,
		error->moment.pc, place, ear_memory_error_name(error->kind), text);
	indent += 4;
	if (error->caller) {
		name_place(names, error->caller - 1, place, sizeof(place));
		printf("%*s%s 0x%" PRIx64 "%s\n", indent, "", "called from", error->caller, place);
	}
	if (error->kind == EAR_MEMORY_UNWRITTEN)
		print_moment(names, "decides", &error->other, indent);
	if (error->kind == EAR_MEMORY_LEFT_FRAME && error->other.pc)
		print_moment(names, "returned", &error->other, indent);
	if (error->has_block)
		print_block(names, error, indent);
	if (error->count > 1)
		printf("%*s%" PRIu64 " times\n", indent, "", error->count);
}

/* ---- JSON. ---- */

static void json_moment(const struct ear_names *names, struct json *json, const char *key,
	const struct ear_memory_moment *moment)
{
	char text[320];
	const uint64_t pc = moment->pc;

	json_open(json, key, '{');
	json_number(json, "record", moment->number);
	json_hex(json, "pc", moment->pc != 0, moment->pc);
	json_text(json, "function",
		names && ear_names_text(names, pc, text, sizeof(text)) > 0 ? text : NULL);
	json_text(json, "line",
		names && ear_names_line_text(names, pc, text, sizeof(text)) > 0 ? text : NULL);
	json_close(json, '}');
}

void memory_block_json(
	const struct ear_names *names, struct json *json, const struct ear_memory_block *block)
{
	json_open(json, "block", '{');
	json_hex(json, "address", true, block->address);
	json_number(json, "size", block->bytes);
	json_text(json, "function", block->function);
	json_moment(names, json, "allocated", &block->allocated);
	if (block->is_free)
		json_moment(names, json, "freed", &block->freed);
	if (block->before_freed.pc) {
		json_moment(names, json, "before_allocated", &block->before_allocated);
		json_moment(names, json, "before_freed", &block->before_freed);
	}
	json_close(json, '}');
}

void memory_error_json(
	const struct ear_names *names, struct json *json, const struct ear_memory_error *error)
{
	const struct ear_memory_moment caller = {error->moment.number, error->caller - 1};

	json_open(json, NULL, '{');
	json_text(json, "kind", ear_memory_error_name(error->kind));
	json_number(json, "hart", error->hart);
	json_number(json, "count", error->count);
	json_moment(names, json, "at", &error->moment);
	if (error->caller)
		json_moment(names, json, "caller", &caller);
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
	if (error->kind == EAR_MEMORY_OBJECT) {
		json_open(json, "object", '{');
		json_text(json, "name", error->object);
		json_hex(json, "address", true, error->limit);
		json_number(json, "size", error->bytes);
		json_close(json, '}');
		json_text(json, "hit", error->hit);
	}
	if (error->kind == EAR_MEMORY_UNWRITTEN)
		json_moment(names, json, "decides", &error->other);
	if (error->kind == EAR_MEMORY_LEFT_FRAME && error->other.pc)
		json_moment(names, json, "returned", &error->other);
	if (error->has_block)
		memory_block_json(names, json, &error->block);
	json_close(json, '}');
}
