/* Chains of values as text and JSON. A chain without branches is a list; where a record has several
 * sources, each is a block of its own below it. A record that comes again is named by its number.
 */
#include "cli/commands/why/chain_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "cli/commands/why/chain_member.h"
#include "cli/show/instruction_names.h"
#include "cli/show/memory_error.h"

#define BRANCHES_MAX 12 /* levels of indentation */

void chain_place_text(const struct chain_show *show, uint64_t pc, char *text, size_t size)
{
	char symbol[CHAIN_TEXT_MAX / 2 - 4] = "", line[CHAIN_TEXT_MAX / 2] = "";

	text[0] = '\0';
	if (!show->names || ear_names_text(show->names, pc, symbol, sizeof(symbol)) <= 0)
		return;
	if (ear_names_line_text(show->names, pc, line, sizeof(line)) > 0)
		snprintf(text, size, "%s (%s)", symbol, line);
	else
		snprintf(text, size, "%s", symbol);
}

void chain_value_text(
	const struct chain_show *show, const struct ear_value_place *place, char *text, size_t size)
{
	char name[CHAIN_TEXT_MAX / 2] = "";

	if (place->kind == EAR_VALUE_REGISTER) {
		ear_register_name(place->reg_class, place->number, text, size);
		return;
	}
	if (show->names && !chain_member_text(show->members, place->address, name, sizeof(name)))
		ear_names_text(show->names, place->address, name, sizeof(name));
	if (name[0])
		snprintf(text, size, "%s:%u", name, place->size);
	else
		snprintf(text, size, "0x%0*" PRIx64 ":%u", (int)show->digits, place->address,
			place->size);
}

void chain_instruction_text(const struct chain_show *show, uint64_t opcode, unsigned opcode_size,
	unsigned xlen, uint64_t pc, char *text, size_t size)
{
	const struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = (uint8_t)xlen,
		.opcode = opcode,
		.opcode_size = (uint8_t)opcode_size,
		.pc = pc,
		.isa = EAR_ISA_RISCV};

	char plain[CHAIN_TEXT_MAX] = "";

	if (opcode_size != 0 && opcode != 0)
		ear_instruction_text(show->instructions, &record, plain, sizeof(plain));
	instruction_with_names(plain, true, text, size);
}

/* ---- Text. ---- */

struct printer {
	struct chain_show *show;
	const struct ear_value_chain *chain;
	int place_width, text_width, number_width;
};

static const char *end_text(unsigned end)
{
	static const char *const texts[EAR_VALUE_ENDS] = {
		[EAR_VALUE_CONSTANT] = "a constant",
		[EAR_VALUE_IMAGE] = "as in the program's file; nothing wrote it",
		[EAR_VALUE_DEVICE] = "from a device",
		[EAR_VALUE_CORE] = "written by the core itself",
		[EAR_VALUE_CHANGED] = "not what was written there last: something else wrote it",
		[EAR_VALUE_BEGIN] = "unknown: nothing in the trace wrote it",
		[EAR_VALUE_GAP] = "unknown: records are missing before",
		[EAR_VALUE_OPAQUE] = "unknown: this instruction is not followed",
		[EAR_VALUE_LIMIT] = "and so on (--limit, --depth)",
	};

	return end < EAR_VALUE_ENDS && texts[end] ? texts[end] : "";
}

static void node_instruction(
	const struct printer *printer, const struct ear_value_node *node, char *text, size_t size)
{
	chain_instruction_text(
		printer->show, node->opcode, node->opcode_size, node->xlen, node->pc, text, size);
	if (!text[0])
		snprintf(text, size,
			node->end == EAR_VALUE_CORE && node->opcode_size == 0 ? "interrupt" : "-");
}

static void measure(struct printer *printer)
{
	char text[CHAIN_TEXT_MAX];

	for (size_t i = 0; i < printer->chain->node_count; i++) {
		const struct ear_value_node *node = &printer->chain->nodes[i];
		chain_place_text(printer->show, node->pc, text, sizeof(text));
		int width = text[0] ? (int)strlen(text) : (int)printer->show->digits + 2;
		if (width > printer->place_width && width <= 40)
			printer->place_width = width;
		node_instruction(printer, node, text, sizeof(text));
		width = (int)strlen(text);
		if (width > printer->text_width && width <= 32)
			printer->text_width = width;
		width = snprintf(text, sizeof(text), "%" PRIu64, node->number);
		if (width > printer->number_width)
			printer->number_width = width;
	}
}

static void print_value(bool known, uint64_t value)
{
	if (known)
		printf("0x%" PRIx64, value);
	else
		printf("?");
}

static void print_node_line(
	const struct printer *printer, const struct ear_value_node *node, int indent)
{
	char place[CHAIN_TEXT_MAX], text[CHAIN_TEXT_MAX], what[CHAIN_TEXT_MAX];

	chain_place_text(printer->show, node->pc, place, sizeof(place));
	node_instruction(printer, node, text, sizeof(text));
	chain_value_text(printer->show, &node->place, what, sizeof(what));
	if (!place[0])
		snprintf(
			place, sizeof(place), "0x%0*" PRIx64, (int)printer->show->digits, node->pc);
	printf("%*s#%-*" PRIu64 "  %-*s  ", indent, "", printer->number_width, node->number,
		printer->place_width, place);
	printf("%-*s  %s: ", printer->text_width, text, what);
	print_value(node->before_known, node->before);
	printf(" -> ");
	print_value(node->after_known, node->after);
	putchar('\n');
	if (node->folded > 0)
		printf("%*s... and %s%" PRIu64 " more by this instruction, back to #%" PRIu64 "\n",
			indent + 2, "", printer->chain->limited ? "at least " : "", node->folded,
			node->first_number);
	if (node->end != EAR_VALUE_FOLLOWED && node->end != EAR_VALUE_CONSTANT)
		printf("%*s%s\n", indent + 2, "", end_text(node->end));
}

static bool is_shown(const struct ear_value_source *source)
{
	return source->end != EAR_VALUE_NOT_ASKED;
}

static bool is_printed(const struct printer *printer, size_t i)
{
	const struct ear_value_node *node = &printer->chain->nodes[i];

	for (size_t k = 0; k < printer->show->seen_count; k++) {
		const struct chain_seen *seen = &printer->show->seen[k];
		if (seen->position == node->position && seen->place.kind == node->place.kind &&
			seen->place.reg_class == node->place.reg_class &&
			seen->place.number == node->place.number &&
			seen->place.address == node->place.address)
			return true;
	}
	return false;
}

static bool set_printed(struct printer *printer, size_t i)
{
	struct chain_show *show = printer->show;

	if (show->seen_count == show->seen_capacity) {
		size_t capacity = show->seen_capacity ? 2 * show->seen_capacity : 64;
		struct chain_seen *seen = realloc(show->seen, capacity * sizeof(*seen));
		if (!seen) {
			cli_error("out of memory");
			return false;
		}
		show->seen = seen;
		show->seen_capacity = capacity;
	}
	show->seen[show->seen_count++] = (struct chain_seen){
		printer->chain->nodes[i].position, printer->chain->nodes[i].place};
	return true;
}

/* Why a source is not followed; of folded writes it may be because they are many. */
static const char *source_end_text(
	const struct ear_value_source *source, const struct ear_value_node *owner)
{
	return source->end == EAR_VALUE_LIMIT && owner && owner->folded > 0
		       ? "and so on (cut: --at an older record shows more)"
		       : end_text(source->end);
}

static bool is_same_block(const struct ear_memory_block *a, const struct ear_memory_block *b)
{
	return a->address == b->address && a->allocated.number == b->allocated.number &&
	       a->is_free == b->is_free;
}

void chain_print_blocks(struct chain_show *show, uint64_t position, int indent)
{
	const struct ear_why *cause = show->cause;
	bool said = false;

	for (size_t i = 0; cause && i < cause->block_count; i++) {
		const struct ear_memory_block *block = &cause->blocks[i].block;
		if (cause->blocks[i].position != position)
			continue;
		if (!(show->blocks_printed >> i & 1))
			memory_block_print(show->names, block, indent);
		for (size_t k = 0; k < cause->block_count; k++)
			if (is_same_block(block, &cause->blocks[k].block))
				show->blocks_printed |= UINT64_C(1) << k;
		/* The first of several bytes. */
		if (show->objects[i] && !said && !(show->objects_printed >> i & 1))
			printf("%*saccessed as %s\n", indent, "", show->objects[i]);
		said = said || show->objects[i];
		show->objects_printed |= UINT64_C(1) << i;
	}
}

/* owner: the node whose sources they are; NULL: those of the value asked for. */
static void print_sources(struct printer *printer, const struct ear_value_node *owner, int indent);

static void print_source(struct printer *printer, const struct ear_value_source *source,
	const struct ear_value_node *owner, bool alone, int indent)
{
	char what[CHAIN_TEXT_MAX];

	chain_value_text(printer->show, &source->place, what, sizeof(what));
	const struct ear_value_node *node =
		source->node != EAR_VALUE_NO_NODE ? &printer->chain->nodes[source->node] : NULL;
	if (!alone || !node || source->is_address || is_printed(printer, source->node)) {
		printf("%*sfrom %s = ", indent, "", what);
		print_value(source->value_known, source->value);
		if (source->is_address)
			printf(", the address");
		if (node && is_printed(printer, source->node))
			printf(": #%" PRIu64 ", see there\n", node->number);
		else
			printf(node ? ":\n" : ": %s\n", source_end_text(source, owner));
		indent += 2;
	}
	if (!node || is_printed(printer, source->node))
		return;
	if (!set_printed(printer, source->node))
		return;
	print_node_line(printer, node, indent);
	chain_print_blocks(printer->show, node->position, indent + 2);
	if (printer->show->after)
		printer->show->after(printer->show, node, indent);
	print_sources(printer, node, indent);
}

static void print_sources(struct printer *printer, const struct ear_value_node *owner, int indent)
{
	const size_t first = owner ? owner->first_source : 0;
	const size_t count = owner ? owner->source_count : printer->chain->root_count;
	size_t shown = 0;

	for (size_t i = 0; i < count; i++)
		shown += is_shown(&printer->chain->sources[first + i]);
	for (size_t i = 0; i < count; i++) {
		const struct ear_value_source *source = &printer->chain->sources[first + i];
		if (is_shown(source))
			print_source(printer, source, owner, shown == 1, indent);
	}
}

void chain_print(struct chain_show *show, const struct ear_value_chain *chain, int indent)
{
	struct printer printer = {.show = show, .chain = chain};

	measure(&printer);
	print_sources(&printer, NULL, indent);
}

void chain_print_inferred(const struct trace_input *input)
{
	if (input->inferring)
		printf("values that %s does not have are inferred from the program (--infer)\n",
			input->path);
}

void chain_json_inferred(const struct trace_input *input, struct json *json)
{
	if (input->inferring)
		json_bool(json, "values_inferred", true);
}

void chain_show_fini(struct chain_show *show)
{
	chain_members_free(show->members);
	show->members = NULL;
	for (size_t i = 0; i < EAR_WHY_BLOCKS_MAX; i++)
		free(show->objects[i]);
	free(show->seen);
	free(show->calls);
	show->calls = NULL;
	ear_instructions_free(show->instructions);
	show->seen = NULL;
	show->instructions = NULL;
}

/* ---- JSON. ---- */

void chain_json_pc(const struct chain_show *show, struct json *json, uint64_t pc)
{
	char text[CHAIN_TEXT_MAX];

	json_hex(json, "pc", true, pc);
	if (!show->names)
		return;
	if (ear_names_text(show->names, pc, text, sizeof(text)) > 0)
		json_text(json, "symbol", text);
	if (ear_names_line_text(show->names, pc, text, sizeof(text)) > 0)
		json_text(json, "line", text);
}

void chain_json_place(
	const struct chain_show *show, struct json *json, const struct ear_value_place *place)
{
	char text[CHAIN_TEXT_MAX];

	if (place->kind == EAR_VALUE_REGISTER) {
		ear_register_name(place->reg_class, place->number, text, sizeof(text));
		json_text(json, "register", text);
		json_number(json, "hart", place->hart);
		return;
	}
	json_hex(json, "address", true, place->address);
	json_number(json, "size", place->size);
	if (show->names && ear_names_text(show->names, place->address, text, sizeof(text)) > 0)
		json_text(json, "symbol", text);
	if (chain_member_text(show->members, place->address, text, sizeof(text)))
		json_text(json, "member", text);
}

static void print_json_sources(const struct chain_show *show, struct json *json, const char *key,
	const struct ear_value_source *sources, size_t count)
{
	json_open(json, key, '[');
	for (size_t i = 0; i < count; i++) {
		const bool followed = sources[i].node != EAR_VALUE_NO_NODE;
		json_open(json, NULL, '{');
		chain_json_place(show, json, &sources[i].place);
		json_hex(json, "value", sources[i].value_known, sources[i].value);
		json_bool(json, "is_address", sources[i].is_address);
		json_known(json, "node", followed, sources[i].node);
		if (!followed)
			json_text(json, "end", ear_value_end_name(sources[i].end));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_json_node(const struct chain_show *show, struct json *json,
	const struct ear_value_chain *chain, const struct ear_value_node *node)
{
	char text[CHAIN_TEXT_MAX];

	json_open(json, NULL, '{');
	json_number(json, "record", node->number);
	json_number(json, "position", node->position);
	json_number(json, "hart", node->hart);
	chain_json_pc(show, json, node->pc);
	chain_instruction_text(
		show, node->opcode, node->opcode_size, node->xlen, node->pc, text, sizeof(text));
	json_text(json, "instruction", text);
	json_open(json, "writes", '{');
	chain_json_place(show, json, &node->place);
	json_close(json, '}');
	json_hex(json, "before", node->before_known, node->before);
	json_hex(json, "after", node->after_known, node->after);
	json_text(json, "end",
		node->end == EAR_VALUE_FOLLOWED ? NULL : ear_value_end_name(node->end));
	if (node->folded > 0) {
		json_number(json, "folded", node->folded);
		json_number(json, "first_record", node->first_number);
	}
	print_json_sources(
		show, json, "sources", &chain->sources[node->first_source], node->source_count);
	json_close(json, '}');
}

void chain_json(
	const struct chain_show *show, struct json *json, const struct ear_value_chain *chain)
{
	json_hex(json, "value", chain->value_known, chain->value);
	json_bool(json, "limited", chain->limited);
	print_json_sources(show, json, "roots", chain->sources, chain->root_count);
	json_open(json, "nodes", '[');
	for (size_t i = 0; i < chain->node_count; i++) {
		json_line(json, 1);
		print_json_node(show, json, chain, &chain->nodes[i]);
	}
	json_close(json, ']');
}
