/* The table of lines. libdw gives the rows of a unit by address; a row is for the addresses up to
 * the next one. Rows without addresses (the next has the same) and those of dropped functions are
 * left out.
 */
#include <dwarf.h>

#include "library/names/helper/helper_lines.h"
#include "library/names/helper/helper_sources.h"
#include "library/names/helper_message.h"

#define PATH_UNKNOWN ""

struct line_table {
	struct helper_file *file;
	struct ear_wire rows, strings;
	struct helper_sources sources;
	uint32_t count;
};

static void put_row(struct line_table *table, Dwarf_Line *line, uint64_t first, uint64_t end)
{
	int number = 0, column = 0;
	bool statement = false;
	const char *path = dwarf_linesrc(line, NULL, NULL);

	dwarf_lineno(line, &number);
	dwarf_linecol(line, &column);
	dwarf_linebeginstatement(line, &statement);
	ear_wire_u64(&table->rows, first);
	ear_wire_u64(&table->rows, end - 1);
	ear_wire_u32(
		&table->rows, helper_sources_number(&table->sources, path ? path : PATH_UNKNOWN));
	ear_wire_u32(&table->rows, number < 0 ? 0 : (uint32_t)number);
	ear_wire_u32(&table->rows, column < 0 ? 0 : (uint32_t)column);
	ear_wire_u32(&table->rows, statement ? EAR_LINE_STATEMENT : 0);
	table->count++;
}

static void put_unit(struct line_table *table, Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return;
	for (size_t i = 0; i + 1 < count && !table->rows.failed; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Addr first, end;
		bool is_end = true;

		dwarf_lineendsequence(line, &is_end);
		if (is_end || dwarf_lineaddr(line, &first) != 0 ||
			dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) != 0)
			continue;
		if (end > first && helper_file_has_code(table->file, first))
			put_row(table, line, first, end);
	}
}

const char *helper_lines(struct helper_file *file, struct ear_wire *answer)
{
	struct line_table table = {.file = file};
	Dwarf *dwarf = helper_file_dwarf(file);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	if (!dwarf)
		return "has no debug information";
	table.sources.strings = &table.strings;
	ear_wire_string(&table.strings, "");
	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_partial)
			put_unit(&table, &die);
	ear_wire_u32(answer, table.count);
	ear_wire_u32(answer, table.sources.count);
	ear_wire_u32(answer, (uint32_t)table.strings.size);
	ear_wire_u32(answer, 0);
	ear_wire_put(answer, table.rows.bytes, table.rows.size);
	ear_wire_put(answer, table.sources.list.bytes, table.sources.list.size);
	ear_wire_put(answer, table.strings.bytes, table.strings.size);
	answer->failed |= table.rows.failed || table.strings.failed || table.sources.list.failed;
	ear_wire_free(&table.rows);
	ear_wire_free(&table.strings);
	helper_sources_free(&table.sources);
	return NULL;
}
