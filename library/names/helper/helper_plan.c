/* From an expression to a plan: recursive descent over
 *
 *   expression  "*" expression | postfix
 *   postfix     primary { "." NAME | "->" NAME | "[" NUMBER "]" }
 *   primary     NAME | "(" expression ")"
 *
 * "()" alone is what the function at the pc takes and returns, without a place.
 *
 * Each part adds steps and gives the type of what it names.
 */
#include "library/names/helper/helper_plan.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/names/helper/helper_find.h"
#include "library/names/helper/helper_ops.h"
#include "library/names/helper/helper_types.h"
#include "library/names/helper_message.h"
#include "library/names/near.h"

#define DEPTH_MAX 64

struct planner {
	struct helper_place place;
	const char *at; /* in the expression */
	unsigned depth;
	struct helper_type type; /* of what is planned so far */
	Dwarf_Die *function;     /* it is "()" */
	struct ear_wire steps, types, strings;
	struct helper_ops ops;
	uint32_t step_count;
	char *wrong;
};

static bool fail(struct planner *planner, const char *form, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct planner *planner, const char *form, ...)
{
	va_list arguments;

	va_start(arguments, form);
	vsnprintf(planner->wrong, HELPER_WRONG_MAX, form, arguments);
	va_end(arguments);
	return false;
}

static void put_step(struct planner *planner, uint32_t kind, uint64_t size, uint64_t value)
{
	ear_wire_u32(&planner->steps, kind);
	ear_wire_u32(&planner->steps, (uint32_t)size);
	ear_wire_u64(&planner->steps, value);
	planner->step_count++;
}

static void skip_spaces(struct planner *planner)
{
	while (*planner->at == ' ')
		planner->at++;
}

static bool take(struct planner *planner, const char *sign)
{
	skip_spaces(planner);
	if (strncmp(planner->at, sign, strlen(sign)) != 0)
		return false;
	planner->at += strlen(sign);
	return true;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

/* A name up to the next operator. Of a variable it may have parts: "ns::name", "dir/fw.c::name". */
static bool take_name(struct planner *planner, char *name, size_t size, bool with_parts)
{
	size_t length = 0;

	skip_spaces(planner);
	const char *file_end = with_parts ? strstr(planner->at, "::") : NULL;
	const char *dot = file_end ? strpbrk(planner->at, "[]()*>") : NULL;
	if (dot && dot < file_end)
		file_end = NULL;
	for (const char *at = planner->at; *at; at++, length++) {
		bool part = with_parts && at[0] == ':' && at[1] == ':';
		bool in_file = file_end && at < file_end;
		if (part)
			at++, length++;
		else if (!is_letter(*at) && !in_file)
			break;
	}
	if (length == 0 || length >= size || isdigit((unsigned char)*planner->at))
		return fail(planner, "a name is missing at '%.40s'", planner->at);
	memcpy(name, planner->at, length);
	name[length] = '\0';
	planner->at += length;
	return true;
}

/* ---- Where a variable is ---- */

/* The expression of the frame's base, of the innermost function that has one. */
static size_t put_frame_base(struct planner *planner)
{
	for (unsigned i = planner->place.chain_count; i > 0; i--) {
		Dwarf_Attribute attribute;
		Dwarf_Op *ops;
		size_t count;

		if (!dwarf_attr_integrate(
			    &planner->place.chain[i - 1], DW_AT_frame_base, &attribute) ||
			dwarf_getlocation_addr(&attribute, planner->place.pc, &ops, &count, 1) != 1)
			continue;
		helper_ops_put(&planner->ops, ops, count, &attribute);
		return count;
	}
	return 0;
}

static bool put_constant(struct planner *planner, Dwarf_Attribute *attribute)
{
	Dwarf_Block block;
	Dwarf_Sword number;
	uint8_t bytes[8];
	uint64_t size = helper_type_size(&planner->type);

	if (dwarf_formblock(attribute, &block) == 0) {
		helper_ops_put_bytes(&planner->ops, block.data, block.length);
	} else if (dwarf_formsdata(attribute, &number) == 0) {
		for (unsigned i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)((uint64_t)number >> 8 * i);
		helper_ops_put_bytes(&planner->ops, bytes, size < 8 ? (size_t)size : 8);
	} else {
		return false;
	}
	put_step(planner, EAR_PLAN_EXPRESSION, 1, 0);
	return true;
}

static bool find_location(struct planner *planner, Dwarf_Attribute *attribute, Dwarf_Op **ops,
	size_t *count, const char *name)
{
	int found;

	if (planner->place.has_pc) {
		found = dwarf_getlocation_addr(attribute, planner->place.pc, ops, count, 1);
		if (found == 0 || (found == 1 && *count == 0))
			return fail(planner, "'%.200s' is optimized out here", name);
	} else {
		found = dwarf_getlocation(attribute, ops, count) == 0 && *count > 0 ? 1 : 0;
		if (found == 0)
			return fail(planner, "where '%.200s' is depends on the moment", name);
	}
	if (found < 0)
		return fail(planner, "damaged debug information of '%.200s'", name);
	return true;
}

static bool plan_place(struct planner *planner, Dwarf_Die *variable, const char *name)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) &&
		put_constant(planner, &attribute))
		return true;
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return fail(planner, "'%.200s' is optimized out, or is only declared here", name);
	if (!find_location(planner, &attribute, &ops, &count, name))
		return false;
	size_t base = put_frame_base(planner);
	helper_ops_put(&planner->ops, ops, count, &attribute);
	put_step(planner, EAR_PLAN_EXPRESSION, count, base);
	return true;
}

static bool plan_variable(struct planner *planner)
{
	char name[4096];
	Dwarf_Die variable;

	if (!take_name(planner, name, sizeof(name), true))
		return false;
	if (!helper_find_variable(&planner->place, name, &variable)) {
		const char *near = helper_find_near(&planner->place, name);
		return near ? fail(planner, "there is no variable '%.150s'; did you mean %.150s?",
				      name, near)
			    : fail(planner, "there is no variable '%.200s'", name);
	}
	planner->type = helper_type_of(&variable);
	return plan_place(planner, &variable, name);
}

/* ---- Its parts ---- */

static bool is_pointer(unsigned tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static const char *type_text(const struct planner *planner, char text[160])
{
	helper_type_text(&planner->type, text, 160);
	return text;
}

/* What a pointer points to, an array's first element; sign is for the message. */
static bool follow(struct planner *planner, const char *sign)
{
	struct helper_type peeled = helper_type_peel(planner->type);
	char text[160];

	if (helper_type_tag(&peeled) == DW_TAG_array_type) {
		planner->type = helper_type_element(&peeled);
		return true;
	}
	if (!is_pointer(helper_type_tag(&peeled)))
		return fail(planner, "'%s' needs a pointer, and this is %s", sign,
			type_text(planner, text));
	put_step(planner, EAR_PLAN_DEREFERENCE, helper_type_size(&peeled), 0);
	planner->type = helper_type_target(&peeled);
	return true;
}

struct near_member {
	const char *wrong;
	char name[128];
	unsigned distance;
};

static void compare_member(void *context, const char *name)
{
	struct near_member *near = context;
	unsigned distance = ear_near_distance(near->wrong, name, near->distance - 1);

	if (distance >= near->distance)
		return;
	near->distance = distance;
	snprintf(near->name, sizeof(near->name), "%s", name);
}

static bool plan_member(struct planner *planner)
{
	struct helper_type peeled, member;
	char name[1024], text[160];
	uint64_t offset;

	if (!take_name(planner, name, sizeof(name), false))
		return false;
	peeled = helper_type_peel(planner->type);
	unsigned tag = helper_type_tag(&peeled);
	if (tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) {
		if (!follow(planner, "."))
			return false;
		peeled = helper_type_peel(planner->type);
	} else if (tag == DW_TAG_pointer_type) {
		return fail(planner, "'.%.100s' needs a structure, and this is %s: use ->%.100s",
			name, type_text(planner, text), name);
	}
	if (helper_type_member(&peeled, name, &member, &offset)) {
		put_step(planner, EAR_PLAN_OFFSET, 0, offset);
		planner->type = member;
		return true;
	}
	struct near_member near = {.wrong = name, .distance = ear_near_limit(name) + 1};
	helper_type_members(&peeled, compare_member, &near);
	type_text(planner, text);
	return near.name[0] ? fail(planner, "%s has no member '%.100s'; did you mean %s?", text,
				      name, near.name)
			    : fail(planner, "%s has no member '%.100s'", text, name);
}

static bool plan_element(struct planner *planner)
{
	struct helper_type peeled = helper_type_peel(planner->type);
	unsigned tag = helper_type_tag(&peeled);
	char text[160], *end;

	skip_spaces(planner);
	errno = 0;
	uint64_t index = strtoull(planner->at, &end, 0);
	if (!isdigit((unsigned char)*planner->at) || errno)
		return fail(planner, "no number after '['");
	planner->at = end;
	if (!take(planner, "]"))
		return fail(planner, "']' is missing");
	if (tag == DW_TAG_array_type) {
		uint64_t count = helper_type_count(&peeled);
		if (count && index >= count)
			return fail(planner, "element %llu is behind the end of %s",
				(unsigned long long)index, type_text(planner, text));
		planner->type = helper_type_element(&peeled);
	} else if (!follow(planner, "[")) {
		return fail(planner, "'[' needs an array or a pointer, and this is %s",
			type_text(planner, text));
	}
	put_step(planner, EAR_PLAN_OFFSET, 0, index * helper_type_size(&planner->type));
	return true;
}

static bool plan_expression(struct planner *planner);

static bool plan_primary(struct planner *planner)
{
	if (!take(planner, "("))
		return plan_variable(planner);
	return plan_expression(planner) && (take(planner, ")") || fail(planner, "')' is missing"));
}

static bool plan_postfix(struct planner *planner)
{
	if (!plan_primary(planner))
		return false;
	for (;;) {
		bool good = true;

		if (take(planner, "->"))
			good = follow(planner, "->") && plan_member(planner);
		else if (take(planner, "."))
			good = plan_member(planner);
		else if (take(planner, "["))
			good = plan_element(planner);
		else
			return true;
		if (!good)
			return false;
		if (planner->step_count > EAR_MESSAGE_REQUEST_MAX)
			return fail(planner, "too long");
	}
}

static bool plan_expression(struct planner *planner)
{
	bool good;

	if (++planner->depth > DEPTH_MAX)
		return fail(planner, "too many parentheses");
	if (take(planner, "*"))
		good = plan_expression(planner) && follow(planner, "*");
	else
		good = plan_postfix(planner);
	planner->depth--;
	return good;
}

static bool plan_function(struct planner *planner)
{
	for (unsigned i = planner->place.chain_count; i > 0; i--) {
		Dwarf_Die *die = &planner->place.chain[i - 1];
		if (dwarf_tag(die) != DW_TAG_subprogram)
			continue;
		planner->function = die;
		helper_ops_put_bytes(&planner->ops, (const uint8_t *)"", 0);
		put_step(planner, EAR_PLAN_EXPRESSION, 1, 0);
		return true;
	}
	return fail(planner, "there is no function here");
}

/* ---- Answers ---- */

static void put_answer(struct planner *planner, struct ear_wire *answer)
{
	uint32_t types = planner->function ? helper_type_put_function(planner->function,
						     &planner->types, &planner->strings)
					   : helper_type_put(&planner->type, &planner->types,
						     &planner->strings);

	ear_wire_u32(answer, planner->step_count);
	ear_wire_u32(answer, types);
	ear_wire_u32(answer, planner->ops.count);
	ear_wire_u32(answer, (uint32_t)planner->ops.bytes.size);
	ear_wire_u32(answer, (uint32_t)planner->strings.size);
	ear_wire_u32(answer, 0);
	ear_wire_put(answer, planner->steps.bytes, planner->steps.size);
	ear_wire_put(answer, planner->types.bytes, planner->types.size);
	ear_wire_put(answer, planner->ops.rows.bytes, planner->ops.rows.size);
	ear_wire_put(answer, planner->ops.bytes.bytes, planner->ops.bytes.size);
	ear_wire_put(answer, planner->strings.bytes, planner->strings.size);
	answer->failed |= planner->steps.failed || planner->types.failed ||
			  planner->ops.rows.failed || planner->ops.bytes.failed ||
			  planner->strings.failed;
}

bool helper_plan(struct helper_file *file, bool has_pc, uint64_t pc, const char *expression,
	struct ear_wire *answer, char wrong[HELPER_WRONG_MAX])
{
	struct planner planner = {.at = expression, .wrong = wrong};

	helper_find_place(&planner.place, file, has_pc, pc);
	ear_wire_string(&planner.strings, "");
	bool good =
		strcmp(expression, "()") == 0 ? plan_function(&planner) : plan_expression(&planner);
	skip_spaces(&planner);
	if (good && !planner.function && *planner.at)
		good = fail(&planner, "unexpected text '%.40s'", planner.at);
	if (good)
		put_answer(&planner, answer);
	ear_wire_free(&planner.steps);
	ear_wire_free(&planner.types);
	ear_wire_free(&planner.strings);
	helper_ops_free(&planner.ops);
	return good;
}

struct local_list {
	struct ear_wire rows, strings;
	uint32_t count;
};

static void put_local(void *context, Dwarf_Die *variable)
{
	struct local_list *list = context;
	struct helper_type type = helper_type_of(variable);
	char text[256];

	if (!dwarf_diename(variable))
		return;
	helper_type_text(&type, text, sizeof(text));
	ear_wire_u32(&list->rows, ear_wire_string(&list->strings, dwarf_diename(variable)));
	ear_wire_u32(&list->rows, ear_wire_string(&list->strings, text));
	ear_wire_u32(&list->rows,
		dwarf_tag(variable) == DW_TAG_formal_parameter ? EAR_LOCAL_PARAMETER : 0);
	list->count++;
}

bool helper_locals(struct helper_file *file, uint64_t pc, struct ear_wire *answer,
	char wrong[HELPER_WRONG_MAX])
{
	struct helper_place place;
	struct local_list list = {0};

	if (!helper_file_dwarf(file)) {
		snprintf(wrong, HELPER_WRONG_MAX, "has no debug information");
		return false;
	}
	helper_find_place(&place, file, true, pc);
	ear_wire_string(&list.strings, "");
	helper_find_locals(&place, put_local, &list);
	ear_wire_u32(answer, list.count);
	ear_wire_u32(answer, (uint32_t)list.strings.size);
	ear_wire_put(answer, list.rows.bytes, list.rows.size);
	ear_wire_put(answer, list.strings.bytes, list.strings.size);
	answer->failed |= list.rows.failed || list.strings.failed;
	ear_wire_free(&list.rows);
	ear_wire_free(&list.strings);
	return true;
}
