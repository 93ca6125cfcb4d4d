/* The columns of a Whisper CSV, by the names in its header. A header is any line that names at
 * least the pc and the opcode, wherever it comes: Whisper repeats it for each hart.
 */
#define _GNU_SOURCE /* memmem */

#include "decoder/formats/whisper/whisper_layout.h"

#include <string.h>

static const char *const column_names[] = {
	[EAR_WHISPER_PC] = "pc",
	[EAR_WHISPER_INST] = "inst",
	[EAR_WHISPER_REGISTERS] = "modified regs",
	[EAR_WHISPER_SOURCES] = "source operands",
	[EAR_WHISPER_MEMORY] = "memory",
	[EAR_WHISPER_INFO] = "inst info",
	[EAR_WHISPER_PRIVILEGE] = "privilege",
	[EAR_WHISPER_TRAP] = "trap",
	[EAR_WHISPER_DISASSEMBLY] = "disassembly",
	[EAR_WHISPER_HART] = "hartid",
	[EAR_WHISPER_FETCH_WALK] = "iptw",
	[EAR_WHISPER_DATA_WALK] = "dptw",
	[EAR_WHISPER_PMP] = "pmp",
};

_Static_assert(sizeof(column_names) / sizeof(column_names[0]) == EAR_WHISPER_COLUMN_COUNT,
	"every column has its name");

struct ear_text ear_whisper_trim(struct ear_text text)
{
	while (text.size > 0 && (*text.text == ' ' || *text.text == '\t')) {
		text.text++;
		text.size--;
	}
	while (text.size > 0 &&
		(text.text[text.size - 1] == ' ' || text.text[text.size - 1] == '\t'))
		text.size--;
	return text;
}

/* Take one column from the front; false at the end. text NULL in *line: all are taken. */
static bool split_column(struct ear_text *line, struct ear_text *column)
{
	const char *comma;

	if (!line->text)
		return false;
	comma = memchr(line->text, ',', line->size);
	*column = (struct ear_text){line->text, comma ? (size_t)(comma - line->text) : line->size};
	line->size -= column->size + (comma != NULL);
	line->text = comma ? comma + 1 : NULL;
	return true;
}

static uint8_t find_column(struct ear_text name)
{
	uint8_t column = 0;

	name = ear_whisper_trim(name);
	while (column < EAR_WHISPER_COLUMN_COUNT &&
		(strlen(column_names[column]) != name.size ||
			memcmp(column_names[column], name.text, name.size) != 0))
		column++;
	return column;
}

static bool is_usual(const struct ear_whisper_layout *layout)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->columns[i] != i)
			return false;
	return layout->count == 9 || layout->count == 10 || layout->count == 12;
}

bool ear_whisper_layout_parse(struct ear_whisper_layout *layout, struct ear_text line)
{
	struct ear_whisper_layout parsed = {.count = 0};
	bool seen[EAR_WHISPER_COLUMN_COUNT + 1] = {false};
	struct ear_text name;

	if (!memmem(line.text, line.size, "inst", 4))
		return false;
	while (split_column(&line, &name)) {
		if (parsed.count == EAR_WHISPER_LAYOUT_MAX)
			return false;
		parsed.columns[parsed.count] = find_column(name);
		seen[parsed.columns[parsed.count++]] = true;
	}
	if (!seen[EAR_WHISPER_PC] || !seen[EAR_WHISPER_INST])
		return false;
	parsed.usual = is_usual(&parsed);
	*layout = parsed;
	return true;
}

void ear_whisper_layout_assume(struct ear_whisper_layout *layout, size_t count)
{
	layout->count = count == 9 || count == 12 ? count : 10;
	layout->usual = true;
	for (size_t i = 0; i < layout->count; i++)
		layout->columns[i] = (uint8_t)i;
}

size_t ear_whisper_layout_count(struct ear_text line)
{
	struct ear_text column;
	size_t count = 0;

	while (split_column(&line, &column))
		count++;
	return count;
}

const char *ear_whisper_layout_split(const struct ear_whisper_layout *layout, struct ear_text line,
	struct ear_text columns[EAR_WHISPER_COLUMN_COUNT + 1])
{
	struct ear_text column;

	memset(columns, 0, (EAR_WHISPER_COLUMN_COUNT + 1) * sizeof(*columns));
	for (size_t i = 0; i < layout->count; i++) {
		unsigned which = layout->columns[i];
		if (!split_column(&line, &column))
			return "the line has fewer columns than the header";
		if (which == EAR_WHISPER_DISASSEMBLY) /* blanks at its end may belong to it */
			columns[which] = column;
		else
			columns[which] = ear_whisper_trim(column);
	}
	return line.text ? "the line has more columns than the header" : NULL;
}

bool ear_whisper_layout_has(const struct ear_whisper_layout *layout, enum ear_whisper_column column)
{
	return memchr(layout->columns, (int)column, layout->count) != NULL;
}
