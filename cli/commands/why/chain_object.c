/* What a byte of the heap is to the function that accessed it. The heap has no types, but variables
 * do: one that holds a pointer to a structure, at the moment before the access, says what the bytes
 * from there on are. That is the variable of memory that the pointer was loaded from, or the one of
 * the function that is in the register that the address is made of. The accesses
 * are asked for in the order of the trace, so that all of them cost one pass over it.
 */
#include "cli/commands/why/chain_object.h"

#include <earshot/moment.h>
#include <earshot/variable.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/progress.h"
#include "cli/commands/why/chain_member.h"

#define NAME_MAX_SIZE    64
#define MEMBER_MAX_SIZE  128
#define CHAIN_OBJECT_MAX 256
#define PLAIN_MAX        1000000u /* records that are read again and again */

/* What the pointer NAME points to, at the moment. Returns false: it is not known, or no structure.
 */
static bool find_target(struct ear_names *names, const struct ear_moment_view *view,
	const char *name, struct ear_variable *target)
{
	char expression[NAME_MAX_SIZE + 1];

	*target = (struct ear_variable){.size = sizeof(*target)};
	const int length = snprintf(expression, sizeof(expression), "*%s", name);
	if ((size_t)length >= sizeof(expression))
		return false;
	if (ear_variable_find(target, names, expression, (size_t)length, view) == 0 &&
		target->place == EAR_PLACE_MEMORY && target->type_count > 0 &&
		target->types[0].kind == EAR_TYPE_STRUCT)
		return true;
	ear_variable_free(target);
	return false;
}

/* What the address of an access is made of. */
struct base {
	int number;     /* of the x register; -1: not known */
	bool is_loaded; /* from memory, from this address */
	uint64_t address;
};

/* Is that the pointer? */
static bool is_base(struct ear_names *names, const struct ear_moment_view *view, const char *name,
	const struct base *base)
{
	struct ear_variable pointer = {.size = sizeof(pointer)};
	bool is = false;

	if (ear_variable_find(&pointer, names, name, strlen(name), view) == 0) {
		is = (pointer.place == EAR_PLACE_REGISTER && base->number > 0 &&
			     pointer.register_number == (unsigned)base->number) ||
		     (pointer.place == EAR_PLACE_MEMORY && base->is_loaded &&
			     pointer.address == base->address);
		ear_variable_free(&pointer);
	}
	return is;
}

/* "s->handler (struct session)", if the target of s has the byte. */
static bool write_text(const struct ear_variable *target, const char *name, uint64_t address,
	char text[CHAIN_OBJECT_MAX])
{
	char member[MEMBER_MAX_SIZE];

	if (address < target->address || address - target->address >= target->types[0].size)
		return false;
	chain_member_of(target, address - target->address, member, sizeof(member));
	const bool is_member = member[0] == '.';
	const char *type = target->types[0].type_name;
	snprintf(text, CHAIN_OBJECT_MAX, "%s%.*s%s%s%s%.*s%s", is_member ? "" : "(*", NAME_MAX_SIZE,
		name, is_member ? "->" : ")", member + is_member, type && type[0] ? " (" : "",
		NAME_MAX_SIZE - 1, type ? type : "", type && type[0] ? ")" : "");
	return true;
}

static bool find_local(struct ear_names *names, const struct ear_moment_view *view,
	const struct base *base, uint64_t address, char *text)
{
	struct ear_local *locals = NULL;
	size_t count = 0;
	bool found = false;

	if (ear_variable_locals(names, view->pc, &locals, &count) != 0)
		return false;
	for (size_t i = 0; i < count && !found; i++) {
		struct ear_variable target;
		const char *type = locals[i].type_name;
		if (!type || !type[0] || type[strlen(type) - 1] != '*' ||
			strlen(locals[i].name) >= NAME_MAX_SIZE ||
			!is_base(names, view, locals[i].name, base) ||
			!find_target(names, view, locals[i].name, &target))
			continue;
		found = write_text(&target, locals[i].name, address, text);
		ear_variable_free(&target);
	}
	free(locals);
	return found;
}

/* The x register that the address of a load or store is made of; -1: not known. The instruction is
 * that of the program's file. */
static int find_base(
	struct ear_names *names, const struct ear_instructions *instructions, uint64_t pc)
{
	struct ear_function function = {.size = sizeof(function)};
	struct ear_instruction instruction = {.size = sizeof(instruction)};
	uint8_t bytes[4] = {0};
	bool writable;
	int base = -1;

	if (!ear_names_function_at(names, pc, &function) ||
		ear_names_image(names, function.file, pc, bytes, sizeof(bytes), &writable) < 2)
		return -1;
	uint32_t opcode = bytes[0] | (uint32_t)bytes[1] << 8;
	if ((bytes[0] & 3) == 3)
		opcode |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	const struct ear_names_file *file = ear_names_file(names, function.file);
	if (!file || ear_instruction_decode(instructions, &instruction, opcode, file->xlen) ||
		(instruction.instruction_class != EAR_CLASS_LOAD &&
			instruction.instruction_class != EAR_CLASS_STORE))
		return -1;
	for (size_t i = 0; i < instruction.operand_count; i++) {
		const struct ear_instruction_operand *operand = &instruction.operands[i];
		if (!operand->is_immediate && operand->reg_class == EAR_REGISTER_X &&
			operand->access & EAR_OPERAND_IS_READ)
			base = operand->number;
	}
	return base;
}

/* The address that the pointer in the base register was loaded from. Returns whether that is known.
 */
static bool find_pointer(struct trace_input *input, const struct ear_why_block *block,
	uint16_t hart, int base, uint64_t *address)
{
	const struct ear_value_chain_options options = {
		.size = sizeof(options), .nodes = 1, .depth = 1};
	const struct ear_value value = {.place = {.kind = EAR_VALUE_REGISTER,
						.reg_class = EAR_REGISTER_X,
						.number = (uint16_t)base,
						.hart = hart},
		.before = block->position};
	const struct ear_value_chain *chain;
	bool found = false;

	if (ear_trace_value_chain(input->trace, &value, &options, &chain, &input->progress))
		return false;
	for (size_t i = 0; chain->node_count > 0 && i < chain->nodes[0].source_count && !found;
		i++) {
		const struct ear_value_source *source =
			&chain->sources[chain->nodes[0].first_source + i];
		found = source->place.kind == EAR_VALUE_MEMORY && !source->is_address;
		*address = source->place.address;
	}
	ear_value_chain_free(chain);
	return found;
}

/* By the variable of memory that the pointer came from. */
static bool find_loaded(struct chain_show *show, struct trace_input *input,
	const struct ear_moment_view *view, uint64_t pointer, uint64_t address, char *text)
{
	char name[NAME_MAX_SIZE];
	struct ear_variable target;
	uint64_t offset;

	const struct ear_symbol *symbol = ear_names_symbol_at(input->names, pointer, &offset);
	if (!symbol || symbol->kind != EAR_NAMES_OBJECT || offset >= symbol->size)
		return false;
	if (!chain_member_text(show->members, pointer, name, sizeof(name)) &&
		(offset > 0 || ear_names_text(input->names, pointer, name, sizeof(name)) >=
				       (int)sizeof(name)))
		return false;
	if (!find_target(input->names, view, name, &target))
		return false;
	const bool found = write_text(&target, name, address, text);
	ear_variable_free(&target);
	return found;
}

static bool find_object(struct chain_show *show, struct trace_input *input,
	const struct ear_why_block *block, struct ear_moment_view *view, char *text)
{
	const uint16_t hart = show->cause->hart;
	struct base base = {.number = find_base(input->names, show->instructions, view->pc)};

	if (base.number > 0)
		base.is_loaded = find_pointer(input, block, hart, base.number, &base.address);
	return (base.is_loaded &&
		       find_loaded(show, input, view, base.address, block->address, text)) ||
	       find_local(input->names, view, &base, block->address, text);
}

/* Of inferred values there is no index: each question reads the trace from its beginning. */
static bool is_too_far(const struct trace_input *input, const struct ear_why_block *block)
{
	return input->inferring && block->position > PLAIN_MAX;
}

void chain_objects_find(struct chain_show *show, struct trace_input *input)
{
	const struct ear_why *cause = show->cause;
	struct ear_moment *moment = NULL;
	int result = 0;

	for (size_t i = 0; i < cause->block_count && input->names && result == 0; i++) {
		const struct ear_why_block *block = &cause->blocks[i];
		struct ear_moment_view view = {.size = sizeof(view)};
		char text[CHAIN_OBJECT_MAX];
		if (is_too_far(input, block))
			break;
		result = moment ? ear_moment_move(moment, block->position, &input->progress)
				: ear_moment_new(
					  &moment, input->trace, block->position, &input->progress);
		if (result == 0 && ear_moment_view(moment, cause->hart, &view) &&
			find_object(show, input, block, &view, text))
			show->objects[i] = strdup(text);
	}
	ear_moment_free(moment);
	cli_progress_clear();
}
