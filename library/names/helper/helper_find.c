/* Variables by name. The tree is walked for each request, because there are few of them; an entry
 * that says where the variable is wins over a mere declaration.
 */
#include "library/names/helper/helper_find.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "library/names/near.h"

#define DEPTH_MAX 64

static bool is_container(unsigned tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type;
}

static bool is_code(unsigned tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool is_variable(Dwarf_Die *die)
{
	unsigned tag = (unsigned)dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant;
}

static bool has_value(Dwarf_Die *die)
{
	return dwarf_hasattr_integrate(die, DW_AT_location) ||
	       dwarf_hasattr_integrate(die, DW_AT_const_value);
}

/* ---- The place ---- */

static bool find_child_at(Dwarf_Die *parent, uint64_t pc, Dwarf_Die *found, unsigned depth)
{
	Dwarf_Die child;

	if (depth == DEPTH_MAX || dwarf_child(parent, &child) != 0)
		return false;
	do {
		unsigned tag = (unsigned)dwarf_tag(&child);

		if (is_code(tag) && dwarf_haspc(&child, pc) == 1) {
			*found = child;
			return true;
		}
		if (is_container(tag) && find_child_at(&child, pc, found, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static void fill_chain(struct helper_place *place)
{
	Dwarf_Die at = place->unit;

	while (place->chain_count < HELPER_CHAIN_MAX && find_child_at(&at, place->pc, &at, 0))
		place->chain[place->chain_count++] = at;
}

static bool next_unit(Dwarf *dwarf, Dwarf_CU **unit, Dwarf_Die *die)
{
	uint8_t type;

	while (dwarf_get_units(dwarf, *unit, unit, NULL, &type, die, NULL) == 0)
		if (type == DW_UT_compile)
			return true;
	return false;
}

void helper_find_place(
	struct helper_place *place, struct helper_file *file, bool has_pc, uint64_t pc)
{
	Dwarf *dwarf = helper_file_dwarf(file);
	Dwarf_CU *unit = NULL;

	*place = (struct helper_place){.file = file, .has_pc = has_pc, .pc = pc};
	while (has_pc && dwarf && !place->has_unit && next_unit(dwarf, &unit, &place->unit))
		place->has_unit = dwarf_haspc(&place->unit, pc) == 1;
	if (place->has_unit)
		fill_chain(place);
}

/* ---- By name ---- */

struct search {
	const char *name;
	bool any_namespace; /* namespaces need not be written */
	bool found;         /* a declaration, until there is better */
	Dwarf_Die *result;
};

/* Returns true when nothing better can come. */
static bool take(struct search *search, Dwarf_Die *die)
{
	if (!search->found || has_value(die)) {
		*search->result = *die;
		search->found = true;
	}
	return has_value(die);
}

static bool search_children(
	struct search *search, Dwarf_Die *parent, const char *name, unsigned depth);

/* "part::rest" where this entry is the part: the rest; else NULL. */
static const char *after_part(const char *name, const char *part)
{
	size_t size = part ? strlen(part) : 0;

	return size && strncmp(name, part, size) == 0 && strncmp(name + size, "::", 2) == 0
		       ? name + size + 2
		       : NULL;
}

static bool search_inside(struct search *search, Dwarf_Die *die, const char *name, unsigned depth)
{
	unsigned tag = (unsigned)dwarf_tag(die);
	const char *own = dwarf_diename(die), *rest = after_part(name, own);

	if (!is_container(tag) && !is_code(tag))
		return false;
	if (rest && search_children(search, die, rest, depth + 1))
		return true;
	bool block = tag == DW_TAG_lexical_block && depth > 0;
	bool open = tag == DW_TAG_namespace && (!own || search->any_namespace);
	return (block || open) && search_children(search, die, name, depth + 1);
}

static bool search_children(
	struct search *search, Dwarf_Die *parent, const char *name, unsigned depth)
{
	Dwarf_Die child;

	if (depth == DEPTH_MAX || dwarf_child(parent, &child) != 0)
		return false;
	do {
		const char *found = dwarf_diename(&child);

		if (is_variable(&child) && found && strcmp(found, name) == 0) {
			if (take(search, &child))
				return true;
		} else if (search_inside(search, &child, name, depth)) {
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool ends_with_path(const char *path, const char *end, size_t size)
{
	size_t length = path ? strlen(path) : 0;

	return length >= size && strncmp(path + length - size, end, size) == 0 &&
	       (length == size || path[length - size - 1] == '/');
}

static bool search_globals(struct helper_place *place, struct search *search)
{
	Dwarf *dwarf = helper_file_dwarf(place->file);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	const char *colons = strstr(search->name, "::");

	if (place->has_unit && search_children(search, &place->unit, search->name, 0))
		return true;
	while (dwarf && next_unit(dwarf, &unit, &die)) {
		if (search_children(search, &die, search->name, 0))
			return true;
		if (colons &&
			ends_with_path(dwarf_diename(&die), search->name,
				(size_t)(colons - search->name)) &&
			search_children(search, &die, colons + 2, 0))
			return true;
	}
	return false;
}

static bool search_locals(struct helper_place *place, struct search *search)
{
	for (unsigned i = place->chain_count; i > 0; i--) {
		Dwarf_Die child;

		if (dwarf_child(&place->chain[i - 1], &child) != 0)
			continue;
		do {
			const char *found = dwarf_diename(&child);
			if (is_variable(&child) && found && strcmp(found, search->name) == 0) {
				*search->result = child;
				return true;
			}
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	return false;
}

/* C++ declares a variable in its namespace or class and defines it at the end of the unit, with a
 * reference to the declaration. */
static void find_definition(Dwarf_Die *variable)
{
	Dwarf_Die unit, child, declaration;
	Dwarf_Attribute attribute;

	if (!dwarf_diecu(variable, &unit, NULL, NULL) || dwarf_child(&unit, &child) != 0)
		return;
	do {
		if (is_variable(&child) && dwarf_attr(&child, DW_AT_specification, &attribute) &&
			dwarf_formref_die(&attribute, &declaration) &&
			dwarf_dieoffset(&declaration) == dwarf_dieoffset(variable)) {
			*variable = child;
			return;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

bool helper_find_variable(struct helper_place *place, const char *name, Dwarf_Die *variable)
{
	struct search search = {.name = name, .result = variable};
	bool found =
		search_locals(place, &search) || search_globals(place, &search) || search.found;

	search.any_namespace = true;
	found = found || search_globals(place, &search) || search.found;
	if (found && !has_value(variable))
		find_definition(variable);
	return found;
}

/* ---- All names ---- */

struct nearest {
	const char *wrong, *name;
	unsigned distance;
};

static void compare(void *context, Dwarf_Die *die)
{
	struct nearest *nearest = context;
	const char *name = dwarf_diename(die);

	if (!name)
		return;
	unsigned distance = ear_near_distance(nearest->wrong, name, nearest->distance - 1);
	if (distance >= nearest->distance)
		return;
	nearest->distance = distance;
	nearest->name = name;
}

static void list_children(Dwarf_Die *parent, void (*take_one)(void *context, Dwarf_Die *die),
	void *context, bool with_namespaces, unsigned depth)
{
	Dwarf_Die child;

	if (depth == DEPTH_MAX || dwarf_child(parent, &child) != 0)
		return;
	do {
		if (is_variable(&child))
			take_one(context, &child);
		else if (with_namespaces && dwarf_tag(&child) == DW_TAG_namespace)
			list_children(&child, take_one, context, true, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

void helper_find_locals(struct helper_place *place,
	void (*take_one)(void *context, Dwarf_Die *variable), void *context)
{
	for (unsigned i = place->chain_count; i > 0; i--)
		list_children(&place->chain[i - 1], take_one, context, false, 0);
}

const char *helper_find_near(struct helper_place *place, const char *name)
{
	struct nearest nearest = {.wrong = name, .distance = ear_near_limit(name) + 1};
	Dwarf *dwarf = helper_file_dwarf(place->file);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	helper_find_locals(place, compare, &nearest);
	while (dwarf && next_unit(dwarf, &unit, &die) && nearest.distance > 1)
		list_children(&die, compare, &nearest, true, 0);
	return nearest.name;
}
