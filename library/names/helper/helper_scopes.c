/* Functions, and those that were inlined into them, from the tree of debug entries. A row for each
 * range of addresses; the parent of an inlined one is the function around it, wherever blocks are
 * between. The walk is depth first, so a parent's row comes before its children's.
 */
#include <dwarf.h>

#include "library/names/helper/helper_lines.h"
#include "library/names/helper/helper_sources.h"
#include "library/names/helper_message.h"

#define DEPTH_MAX 256

struct scope_table {
	struct helper_file *file;
	struct ear_wire rows, strings;
	struct helper_sources paths;
	Dwarf_Files *files; /* of the unit */
	uint32_t count;
};

static uint32_t name_of(struct scope_table *table, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *linked = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		linked = dwarf_formstring(&attribute);
	if (linked) {
		uint32_t offset = helper_demangle(&table->strings, linked, UINT32_MAX);
		if (offset != UINT32_MAX)
			return offset;
	}
	const char *name = dwarf_diename(die);
	return ear_wire_string(&table->strings, name ? name : linked);
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
		return 0;
	return value > UINT32_MAX ? 0 : (uint32_t)value;
}

static uint32_t put_path(struct scope_table *table, const char *path)
{
	if (!path)
		return 0;
	return helper_sources_string(&table->paths, helper_sources_number(&table->paths, path));
}

static uint32_t call_path(struct scope_table *table, Dwarf_Die *die)
{
	uint32_t number = number_of(die, DW_AT_call_file);

	return put_path(
		table, table->files ? dwarf_filesrc(table->files, number, NULL, NULL) : NULL);
}

/* Returns the row that children refer to, parent if there is none. */
static uint32_t put_scope(
	struct scope_table *table, Dwarf_Die *die, uint32_t parent, bool is_inlined)
{
	Dwarf_Addr base, first, end, entry = 0;
	ptrdiff_t at = 0;
	uint32_t row = UINT32_MAX, name = 0, declared = 0, path = 0;
	int line = 0;
	bool has_entry = dwarf_entrypc(die, &entry) == 0;

	while ((at = dwarf_ranges(die, at, &base, &first, &end)) > 0) {
		if (table->rows.failed)
			break;
		if (end <= first || !helper_file_has_code(table->file, first))
			continue;
		if (row == UINT32_MAX) {
			row = table->count;
			name = name_of(table, die);
			/* Of copies, their abstract origin's; of a method, its definition's. */
			declared = put_path(table, dwarf_decl_file(die));
			if (dwarf_decl_line(die, &line) != 0)
				line = 0;
			path = is_inlined ? call_path(table, die) : 0;
		}
		ear_wire_u64(&table->rows, first);
		ear_wire_u64(&table->rows, end - 1);
		ear_wire_u64(&table->rows, has_entry ? entry : first);
		ear_wire_u32(&table->rows, name);
		ear_wire_u32(&table->rows, is_inlined ? parent : UINT32_MAX);
		ear_wire_u32(&table->rows, declared);
		ear_wire_u32(&table->rows, (uint32_t)line);
		ear_wire_u32(&table->rows, path);
		ear_wire_u32(&table->rows, is_inlined ? number_of(die, DW_AT_call_line) : 0);
		ear_wire_u32(&table->rows, is_inlined ? number_of(die, DW_AT_call_column) : 0);
		ear_wire_u32(&table->rows, is_inlined ? EAR_SCOPE_INLINED : 0);
		table->count++;
	}
	return row == UINT32_MAX ? parent : row;
}

static void walk(struct scope_table *table, Dwarf_Die *die, uint32_t parent, unsigned depth);

static void visit(struct scope_table *table, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		walk(table, die, put_scope(table, die, parent, false), depth);
		break;
	case DW_TAG_inlined_subroutine:
		walk(table, die, put_scope(table, die, parent, true), depth);
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type: /* Rust has methods in their types */
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: walk(table, die, parent, depth); break;
	default: break;
	}
}

static void walk(struct scope_table *table, Dwarf_Die *die, uint32_t parent, unsigned depth)
{
	Dwarf_Die child;

	if (depth == DEPTH_MAX || dwarf_child(die, &child) != 0)
		return;
	do {
		if (table->rows.failed || table->strings.failed)
			return;
		visit(table, &child, parent, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

const char *helper_scopes(struct helper_file *file, struct ear_wire *answer)
{
	struct scope_table table = {.file = file};
	Dwarf *dwarf = helper_file_dwarf(file);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	if (!dwarf)
		return "has no debug information";
	table.paths.strings = &table.strings;
	ear_wire_string(&table.strings, "");
	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile)
			continue;
		if (dwarf_getsrcfiles(&die, &table.files, NULL) != 0)
			table.files = NULL;
		walk(&table, &die, UINT32_MAX, 0);
	}
	ear_wire_u32(answer, table.count);
	ear_wire_u32(answer, (uint32_t)table.strings.size);
	ear_wire_put(answer, table.rows.bytes, table.rows.size);
	ear_wire_put(answer, table.strings.bytes, table.strings.size);
	answer->failed |= table.rows.failed || table.strings.failed;
	ear_wire_free(&table.rows);
	ear_wire_free(&table.strings);
	helper_sources_free(&table.paths);
	return NULL;
}
