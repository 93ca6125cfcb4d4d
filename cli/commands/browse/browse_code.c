/* The source, and the disassembly beside it, with the path that was executed: "<" before the
 * cursor,
 * ">" after it, "=" both, in the call that the cursor is in. The marks come from the records around
 * the cursor, up to REACH on each side, so they cost the same in any trace.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/browse/browse.h"

#define REACH   3000
#define PCS_MAX 2048 /* a power of two */

enum { PAST = 1, NEXT = 2 };

/* Addresses that were executed in the call, with their last opcode. */
struct path {
	struct path_pc {
		uint64_t pc;
		uint32_t opcode;
		uint8_t opcode_size, xlen, marks; /* marks 0: free */
	} pcs[PCS_MAX];
	unsigned count;
	/* What it was made for. */
	const struct ear_trace *trace;
	uint64_t cursor;
};

static struct path path;

static struct path_pc *find_pc(uint64_t pc, bool add)
{
	size_t at = (size_t)(pc * UINT64_C(0x9E3779B97F4A7C15) >> 40) % PCS_MAX;

	while (path.pcs[at].marks && path.pcs[at].pc != pc)
		at = (at + 1) % PCS_MAX;
	if (path.pcs[at].marks)
		return &path.pcs[at];
	if (!add || path.count >= PCS_MAX / 2)
		return NULL;
	path.count++;
	path.pcs[at].pc = pc;
	return &path.pcs[at];
}

static void note(struct browse_model *model, uint64_t position, uint32_t frame, uint8_t mark)
{
	const struct ear_record *record = browse_model_record(model, position);
	const uint32_t node = browse_calls_node(&model->calls, position);

	if (!record || record->kind != EAR_RECORD_INSTRUCTION ||
		record->flags & EAR_RECORD_INTERRUPT ||
		browse_calls_frame(&model->calls, node) != frame)
		return;
	struct path_pc *pc = find_pc(record->pc, true);
	if (!pc)
		return;
	pc->marks |= mark;
	pc->opcode = (uint32_t)record->opcode;
	pc->opcode_size = record->flags & EAR_RECORD_NO_OPCODE ? 0 : record->opcode_size;
	pc->xlen = record->xlen;
}

static void follow_path(struct browse_model *model)
{
	if (path.trace == model->trace && path.cursor == model->cursor && path.count > 0)
		return;
	memset(&path, 0, sizeof(path));
	path.trace = model->trace;
	path.cursor = model->cursor;
	const struct browse_calls *calls = browse_model_calls(model);
	const uint32_t frame = browse_calls_frame(calls, browse_calls_node(calls, model->cursor));
	note(model, model->cursor, frame, PAST | NEXT);
	for (uint64_t i = 1; i < REACH && model->cursor >= i; i++)
		if (model->cursor - i >= calls->first)
			note(model, model->cursor - i, frame, PAST);
	for (uint64_t i = 1; i < REACH && model->cursor + i < calls->end; i++)
		note(model, model->cursor + i, frame, NEXT);
}

static void put_marks(struct browse_line *line, unsigned marks, bool here)
{
	if (here)
		browse_put(line, BROWSE_PLAIN, "* ");
	else if (marks == (PAST | NEXT))
		browse_put(line, BROWSE_PLACE, "= ");
	else if (marks == PAST)
		browse_put(line, BROWSE_PAST, "< ");
	else if (marks == NEXT)
		browse_put(line, BROWSE_NEXT, "> ");
	else
		browse_put(line, BROWSE_PLAIN, "  ");
}

static bool here(struct browse *browse, uint64_t *pc)
{
	struct browse_model *model = browse_here(browse);
	const struct ear_record *record = browse_model_record(model, model->cursor);

	if (!record || record->kind != EAR_RECORD_INSTRUCTION)
		return false;
	*pc = record->pc;
	return true;
}

/* ---- Source. ---- */

static bool line_of(struct browse *browse, struct ear_line *line)
{
	const struct ear_names *names = browse_here(browse)->names;
	uint64_t pc;

	*line = (struct ear_line){.size = sizeof(*line)};
	return names && here(browse, &pc) && ear_names_line_at(names, pc, line) && line->line > 0;
}

bool browse_selected_line(struct browse *browse, const char **file, uint32_t *number)
{
	struct ear_line line;

	if (!line_of(browse, &line))
		return false;
	const int64_t wanted = (int64_t)line.line + browse->line_off;
	if (wanted < 1)
		return false;
	*file = line.path;
	*number = (uint32_t)wanted;
	return true;
}

/* The marks of a line: those of its addresses. */
static unsigned marks_of_line(const struct ear_names *names, const char *file, uint32_t number)
{
	unsigned marks = 0;

	for (size_t i = 0; i < PCS_MAX; i++) {
		struct ear_line line = {.size = sizeof(line)};
		if (path.pcs[i].marks && ear_names_line_at(names, path.pcs[i].pc, &line) &&
			line.line == number && strcmp(line.path, file) == 0)
			marks |= path.pcs[i].marks;
	}
	return marks;
}

/* A line of the source from a column on. Its tabs are narrow here. */
static void put_source(struct browse_line *line, const char *source, int left)
{
	for (; *source == ' ' || *source == '\t'; source++) {
		const int width = *source == '\t' ? 4 : 1;
		const int seen = left >= width ? 0 : width - left;
		left -= width - seen;
		browse_print(line, BROWSE_PLAIN, "%*s", seen, "");
	}
	browse_put(line, BROWSE_PLAIN, browse_after(source, left));
}

void browse_draw_source(struct browse *browse, const struct browse_area *area)
{
	struct browse_model *model = browse_here(browse);
	struct ear_line line;
	char title[300];

	if (area->rows == 0)
		return;
	if (!line_of(browse, &line)) {
		browse_heading(browse, BROWSE_PANE_SOURCE, "source");
		struct browse_line text = browse_area_line(area, 0);
		browse_put(&text, BROWSE_DIM,
			!model->names ? "no program is known: --elf FILE"
				      : "no line of the source is known here");
		return;
	}
	const int left = browse->left[BROWSE_PANE_SOURCE];
	snprintf(title, sizeof(title),
		left > 0 ? "%.250s:%" PRIu32 ", from column %d" : "%.250s:%" PRIu32,
		ear_names_base(line.path), line.line, left + 1);
	browse_heading(browse, BROWSE_PANE_SOURCE, title);
	follow_path(model);
	const int rows = area->rows - 1;
	const int64_t selected =
		(int64_t)line.line + (browse->focus == BROWSE_PANE_SOURCE ? browse->line_off : 0);
	int64_t first = selected - rows / 2;
	const bool has_file = source_lines_indented(browse->sources, line.path, line.line);
	if (first < 1 && has_file)
		first = 1;
	for (int i = 0; i < rows; i++) {
		struct browse_line text = browse_area_line(area, i);
		const int64_t number = first + i;
		if (!has_file && number != line.line) {
			if (i == 0)
				browse_put(
					&text, BROWSE_DIM, "the file of the source is not there:");
			else if (i == 1)
				browse_put(&text, BROWSE_DIM, line.path);
			else if (i == 2 && line.path[0] != '/')
				browse_put(&text, BROWSE_DIM, "from the folder of this command");
			continue;
		}
		const char *source =
			source_lines_indented(browse->sources, line.path, (uint32_t)number);
		if (has_file && !source)
			break;
		const bool is_here = number == line.line;
		text.current = browse->focus == BROWSE_PANE_SOURCE ? number == selected : is_here;
		put_marks(&text, marks_of_line(model->names, line.path, (uint32_t)number), is_here);
		browse_print(&text, BROWSE_DIM, "%4" PRId64 " ", number);
		put_source(&text, source ? source : "", left);
		if (text.current)
			browse_fill(&text);
	}
}

/* ---- Disassembly. ---- */

#define CODE_MAX 512

struct code_row {
	uint64_t pc;
	uint32_t opcode;
	uint8_t size, xlen;
	bool gap; /* what is before it is not known */
};

/* The file of names that has the address, the last one that does. */
static int64_t image(struct ear_names *names, uint64_t address, uint8_t *bytes, size_t size)
{
	bool writable;

	for (size_t file = ear_names_file_count(names); file > 0; file--) {
		const int64_t count =
			ear_names_image(names, file - 1, address, bytes, size, &writable);
		if (count > 0)
			return count;
	}
	return 0;
}

/* From the image, from first to last: instructions of 2 or 4 bytes. */
static size_t rows_of_image(struct ear_names *names, uint64_t first, uint64_t last, uint8_t xlen,
	struct code_row rows[CODE_MAX])
{
	static uint8_t bytes[2048];
	const uint64_t wanted = last - first + 1;
	size_t count = 0;
	const int64_t got =
		image(names, first, bytes, wanted < sizeof(bytes) ? (size_t)wanted : sizeof(bytes));

	for (int64_t at = 0; at + 2 <= got && count < CODE_MAX;) {
		const uint8_t size = (bytes[at] & 3) == 3 ? 4 : 2;
		uint32_t opcode = 0;
		if (at + size > got)
			break;
		for (uint8_t i = 0; i < size; i++)
			opcode |= (uint32_t)bytes[at + i] << 8 * i;
		rows[count++] = (struct code_row){first + (uint64_t)at, opcode, size, xlen, false};
		at += size;
	}
	return count;
}

static int compare_rows(const void *a, const void *b)
{
	const struct code_row *left = a, *right = b;

	return left->pc < right->pc ? -1 : left->pc > right->pc;
}

/* Without an image, what was executed around the cursor. */
static size_t rows_of_path(struct code_row rows[CODE_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < PCS_MAX && count < CODE_MAX; i++)
		if (path.pcs[i].marks)
			rows[count++] = (struct code_row){path.pcs[i].pc, path.pcs[i].opcode,
				path.pcs[i].opcode_size, path.pcs[i].xlen, false};
	qsort(rows, count, sizeof(rows[0]), compare_rows);
	for (size_t i = 1; i < count; i++)
		rows[i].gap = rows[i - 1].pc + rows[i - 1].size != rows[i].pc;
	return count;
}

/* Rows around pc, and which of them it is. */
static size_t read_rows(
	struct browse_model *model, uint64_t pc, struct code_row rows[CODE_MAX], size_t *at)
{
	const struct ear_record *record = browse_model_record(model, model->cursor);
	struct ear_function function = {.size = sizeof(function)};
	size_t count = 0;

	follow_path(model);
	if (model->names && record && record->isa == EAR_ISA_RISCV &&
		ear_names_function_at(model->names, pc, &function)) {
		/* Of a long function what is around the pc: from an address that was executed. */
		uint64_t first = function.first;
		if (pc - first > 1024) {
			first = pc;
			for (size_t i = 0; i < PCS_MAX; i++)
				if (path.pcs[i].marks && path.pcs[i].pc < first &&
					pc - path.pcs[i].pc < 1024)
					first = path.pcs[i].pc;
		}
		count = rows_of_image(model->names, first, function.last, record->xlen, rows);
	}
	for (*at = 0; *at < count && rows[*at].pc != pc; ++*at)
		;
	if (*at < count)
		return count;
	count = rows_of_path(rows);
	for (*at = 0; *at < count && rows[*at].pc != pc; ++*at)
		;
	return *at < count ? count : 0;
}

static struct code_row code[CODE_MAX];

bool browse_selected_code(struct browse *browse, uint64_t *pc)
{
	size_t at;

	if (!here(browse, pc))
		return false;
	const size_t count = read_rows(browse_here(browse), *pc, code, &at);
	const int64_t wanted = (int64_t)at + browse->code_off;
	if (count == 0 || wanted < 0 || wanted >= (int64_t)count)
		return false;
	*pc = code[wanted].pc;
	return true;
}

static void put_code(struct browse_model *model, struct browse_line *line,
	const struct code_row *row, bool is_here, int left)
{
	const struct path_pc *executed = find_pc(row->pc, false);
	struct ear_record record = {.kind = EAR_RECORD_INSTRUCTION,
		.xlen = row->xlen,
		.opcode = row->opcode,
		.opcode_size = row->size,
		.pc = row->pc,
		.flags = EAR_RECORD_NO_NEXT_PC};
	char text[200];

	put_marks(line, executed ? executed->marks : 0, is_here);
	browse_print(line, BROWSE_DIM, "%08" PRIx64 " ", row->pc);
	const struct ear_record *cursor = browse_model_record(model, model->cursor);
	if (is_here && cursor)
		browse_instruction_text(model, cursor, text, sizeof(text));
	else if (row->size > 0 && cursor && cursor->isa == EAR_ISA_RISCV)
		browse_instruction_text(model, &record, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "executed");
	browse_add_target(model, row->pc, row->xlen, text, sizeof(text));
	browse_put(line, BROWSE_PLAIN, browse_after(text, left));
}

void browse_draw_code(struct browse *browse, const struct browse_area *area)
{
	struct browse_model *model = browse_here(browse);
	struct ear_function function = {.size = sizeof(function)};
	char title[160] = "code";
	uint64_t pc;
	size_t at;

	if (area->rows == 0)
		return;
	const bool is_there = here(browse, &pc);
	if (is_there && model->names && ear_names_function_at(model->names, pc, &function))
		snprintf(title, sizeof(title), "%.150s", function.name);
	browse_heading(browse, BROWSE_PANE_CODE, title);
	if (!is_there)
		return;
	const size_t count = read_rows(model, pc, code, &at);
	const bool focus = browse->focus == BROWSE_PANE_CODE;
	int64_t selected = (int64_t)at + (focus ? browse->code_off : 0);
	if (selected < 0)
		selected = 0;
	if (selected >= (int64_t)count)
		selected = (int64_t)count - 1;
	if (focus)
		browse->code_off = (int)(selected - (int64_t)at);
	const int rows = area->rows - 1;
	int64_t first = selected - rows / 2;
	if (first + rows > (int64_t)count)
		first = (int64_t)count - rows;
	if (first < 0)
		first = 0;
	for (int i = 0; i < rows && first + i < (int64_t)count; i++) {
		struct browse_line line = browse_area_line(area, i);
		const struct code_row *row = &code[first + i];
		line.current = focus ? first + i == selected : row->pc == pc;
		put_code(model, &line, row, row->pc == pc, browse->left[BROWSE_PANE_CODE]);
		if (line.current)
			browse_fill(&line);
		else if (row->gap)
			browse_put(&line, BROWSE_DIM, "   (not next to the one above)");
	}
}
