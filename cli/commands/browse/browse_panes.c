/* What is on the screen. Panes have fixed places, which depend on the size of the terminal alone,
 * so that nothing jumps while one steps: what does not fit is cut, and the pane of the focus can
 * have all of the screen. A terminal of fewer than 80 columns or 20 rows has one pane at a time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/browse/browse.h"

/* ---- Places. ---- */

static bool is_small(void)
{
	return browse_screen_columns() < 80 || browse_screen_rows() < 20;
}

static void place_panes(struct browse *browse)
{
	const int rows = browse_screen_rows() - 2, columns = browse_screen_columns();
	struct browse_area *areas = browse->areas;

	memset(areas, 0, sizeof(browse->areas));
	if (browse->zoomed || is_small()) {
		areas[browse->focus] = (struct browse_area){0, 0, rows, columns};
		return;
	}
	/* Of 22 rows 7, 9 and 6; a quarter for the last one where there are more. */
	const int upper = rows * 8 / 25, lower = rows / 4 + (rows < 30),
		  middle = rows - upper - lower;
	const int left =
		browse->pair ? columns / 2 : columns - (columns >= 120 ? columns * 2 / 5 : 37);
	const int code = columns >= 120 ? columns / 2 : 40;

	areas[BROWSE_PANE_SOURCE] = (struct browse_area){0, 0, upper, code - 1};
	areas[BROWSE_PANE_CODE] = (struct browse_area){0, code, upper, columns - code};
	areas[BROWSE_PANE_RECORDS] = (struct browse_area){upper, 0, middle, left - 1};
	areas[BROWSE_PANE_REGISTERS] = (struct browse_area){upper, left, middle, columns - left};
	areas[BROWSE_PANE_STACK] = (struct browse_area){upper + middle, 0, lower, code - 1};
	areas[BROWSE_PANE_MEMORY] =
		(struct browse_area){upper + middle, code, lower, columns - code};
}

/* ---- Records. ---- */

/* Values before the record are asked of the history, which comes back to the cursor after. */
static bool changes(struct browse_model *model, const struct ear_record *record,
	const struct ear_record_register *reg, uint64_t position)
{
	uint64_t first, end, value;

	ear_history_window(model->history, &first, &end);
	if (position < first || position >= end || reg->reg_class > EAR_REGISTER_CSR ||
		ear_history_move(model->history, position, NULL))
		return false;
	return ear_history_register(model->history, record->hart,
		       (enum ear_register_class)reg->reg_class, reg->number, &value) &&
	       value != reg->value;
}

static void put_registers(struct browse_model *model, struct browse_line *line,
	const struct ear_record *record, uint64_t position)
{
	for (size_t i = 0; i < record->register_count; i++) {
		const struct ear_record_register reg = record->registers[i];
		char name[64];

		if (reg.reg_class == EAR_REGISTER_NAMED)
			snprintf(name, sizeof(name), "%.*s",
				(int)(reg.text_size < 60 ? reg.text_size : 60), reg.text.name);
		else
			ear_register_name((enum ear_register_class)reg.reg_class, reg.number, name,
				sizeof(name));
		if (line->used + 3 >= line->width)
			return;
		if (reg.reg_class == EAR_REGISTER_V)
			browse_print(line, BROWSE_PLAIN, " %s=(%u bytes)", name, reg.text_size);
		else
			browse_print(line,
				changes(model, record, &reg, position) ? BROWSE_CHANGED
								       : BROWSE_PLAIN,
				" %s=0x%" PRIx64 "%s", name, reg.value,
				reg.unknown ? " (in part)" : "");
		record = browse_model_record(model, position);
		if (!record)
			return;
	}
}

static void put_accesses(
	struct browse_model *model, struct browse_line *line, const struct ear_record *record)
{
	for (size_t i = 0; i < record->memory_count && line->used + 4 < line->width; i++) {
		const struct ear_record_access *access = &record->memory[i];
		char where[128] = "", value[32] = "?";

		if (model->names)
			ear_names_text(model->names, access->address, where, sizeof(where));
		if (!where[0])
			snprintf(where, sizeof(where), "0x%" PRIx64, access->address);
		if (access->has_value)
			snprintf(value, sizeof(value), "0x%" PRIx64, access->value);
		if (access->write)
			browse_print(line, BROWSE_MEMORY, " [%.100s]=%s", where, value);
		else if (record->register_count > 0 && access->has_value)
			browse_print(line, BROWSE_MEMORY, " <-[%.100s]", where);
		else
			browse_print(line, BROWSE_MEMORY, " %s<-[%.100s]", value, where);
	}
}

#define WIDE_MIN 70 /* columns of a record with its address */

static void put_instruction(struct browse *browse, struct browse_line *line,
	const struct ear_record *record, uint64_t position)
{
	struct browse_model *model = browse_here(browse);
	char text[256];
	const int begin = line->used;

	/* Both of two traces have room for an address, or none has. */
	const bool wide = line->width >= WIDE_MIN &&
			  (!browse->pair || browse_screen_columns() / 2 > WIDE_MIN);

	if (wide)
		browse_print(line, BROWSE_DIM,
			record->xlen == 64 ? "%012" PRIx64 " " : "%08" PRIx64 " ", record->pc);
	browse_record_text(model, record, text, sizeof(text));
	if (record->flags & (EAR_RECORD_TRAP | EAR_RECORD_INTERRUPT)) {
		browse_put(line, BROWSE_LOSS, text);
		return;
	}
	if (wide)
		browse_add_target(model, record->pc, record->xlen, text, sizeof(text));
	browse_put(line, BROWSE_PLAIN, text);
	browse_pad(line, begin + (wide ? 36 : 20));
	/* Both may move the windows that the record is in. */
	put_registers(model, line, record, position);
	record = browse_model_record(model, position);
	if (record)
		put_accesses(model, line, record);
}

#define TIME_REACH 1000

bool browse_has_times(struct browse *browse)
{
	for (unsigned side = 0; side < (browse->pair ? 2u : 1u); side++) {
		struct browse_model *model = &browse->models[side];
		const uint64_t begin = model->cursor > TIME_REACH ? model->cursor - TIME_REACH : 0;
		for (uint64_t at = begin; at < model->cursor + TIME_REACH; at++) {
			const struct ear_record *record = ear_history_record(model->history, at);
			if (record && record->flags & EAR_RECORD_HAS_TIME)
				return true;
		}
	}
	return false;
}

/* Columns that a number of an instruction has. */
static int digits(const struct browse_model *model)
{
	const uint64_t most = model->counted ? model->counts.instructions : 999999;
	int count = 4;

	for (uint64_t power = 10000; power <= most && count < 20; power *= 10)
		count++;
	return count;
}

static void put_record(struct browse *browse, struct browse_line *line, uint64_t position)
{
	struct browse_model *model = browse_here(browse);
	uint64_t number = 0;
	char text[512];

	browse_model_number(model, position, &number);
	const struct ear_record *record = browse_model_record(model, model->cursor);
	const uint16_t hart = record ? record->hart : 0;
	record = browse_model_record(model, position);
	if (!record)
		return;
	if (record->kind == EAR_RECORD_INSTRUCTION)
		browse_print(line, BROWSE_DIM, "%*" PRIu64 " ", digits(model), number);
	else
		browse_pad(line, digits(model) + 1);
	if (browse->times && record->flags & EAR_RECORD_HAS_TIME)
		browse_print(line, BROWSE_DIM, "@%-9" PRIu64 " ", record->ticks);
	else if (browse->times)
		browse_put(line, BROWSE_DIM, "           ");
	if (record->hart != hart && record->kind != EAR_RECORD_GAP)
		browse_print(line, BROWSE_EVENT, "h%u ", record->hart);
	if (record->kind == EAR_RECORD_INSTRUCTION) {
		put_instruction(browse, line, record, position);
		return;
	}
	browse_record_text(model, record, text, sizeof(text));
	browse_put(line, record->kind == EAR_RECORD_GAP ? BROWSE_LOSS : BROWSE_EVENT, text);
}

static void put_fold(struct browse *browse, struct browse_line *line, const struct browse_row *row)
{
	struct browse_model *model = browse_here(browse);
	char name[160] = "";

	const uint64_t count = row->last - row->first + 1;
	if (row->fold->kind == BROWSE_NODE_LOOP) {
		browse_print(line, BROWSE_EVENT,
			"     + loop 0x%" PRIx64 ": %" PRIu64 " rounds, %" PRIu64 " records%s",
			row->fold->low, row->fold->rounds, count, row->cut ? " or more" : "");
		return;
	}
	if (model->names)
		ear_names_text(model->names, row->fold->frame.entry, name, sizeof(name));
	if (!name[0])
		snprintf(name, sizeof(name), "0x%" PRIx64, row->fold->frame.entry);
	browse_print(line, BROWSE_PLACE, "     + %s%.120s: %" PRIu64 " records%s",
		row->fold->frame.kind == EAR_FRAME_INTERRUPT ? "interrupt "
		: row->fold->frame.kind == EAR_FRAME_TRAP    ? "trap "
							     : "",
		name, count, row->cut ? " or more" : "");
}

/* Rows before the cursor, up to max of them, the nearest one last. */
static int rows_before(struct browse_model *model, struct browse_row *rows, int max)
{
	uint64_t position = model->cursor;
	int count = 0;

	while (count < max && browse_row_before(model, position, &rows[max - 1 - count])) {
		position = rows[max - 1 - count++].first;
		if (rows[max - count].cut)
			break;
	}
	return count;
}

static void put_row(
	struct browse *browse, const struct browse_area *area, int i, const struct browse_row *row)
{
	struct browse_model *model = browse_here(browse);
	struct browse_line line = browse_area_line(area, i);

	line.current = !row->fold && row->first == model->cursor;
	if (row->fold)
		put_fold(browse, &line, row);
	else
		put_record(browse, &line, row->first);
	browse_fill(&line);
}

/* The cursor is in the middle, but at the begin of the trace. */
static void draw_records_of(
	struct browse *browse, unsigned side, const struct browse_area *area, const char *title)
{
	const unsigned focus = browse->side;
	const int height = area->rows - 1, above = height / 2;
	struct browse_row rows[512];

	browse->side = side;
	struct browse_model *model = browse_here(browse);
	browse_heading(browse,
		area == &browse->areas[BROWSE_PANE_RECORDS] ? BROWSE_PANE_RECORDS
							    : BROWSE_PANE_REGISTERS,
		title);
	if (model->empty) {
		struct browse_line line = browse_area_line(area, 0);
		browse_put(&line, BROWSE_LOSS, "there are no records in it");
		browse->side = focus;
		return;
	}
	if (height > 0 && height <= 512) {
		const int before = rows_before(model, rows, above);
		int i = 0;
		for (; i < before; i++)
			put_row(browse, area, i, &rows[above - before + i]);
		uint64_t position = model->cursor;
		struct browse_row row;
		while (i < height && browse_row_at(model, position, &row)) {
			put_row(browse, area, i++, &row);
			position = row.last + 1;
			if (row.cut)
				break;
		}
		struct browse_line line = browse_area_line(area, i);
		if (i < height && !browse_model_record(model, position))
			browse_put(&line, BROWSE_DIM, "        (the trace ends)");
	}
	/* The values of the other panes are those after the cursor. */
	browse_go(model, model->cursor);
	browse->side = focus;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* With its folder, if the other trace has the same name. */
static const char *pair_name(const struct browse *browse, unsigned side)
{
	const char *path = browse->inputs[side]->path, *base = base_name(path);

	if (strcmp(base, base_name(browse->inputs[!side]->path)) != 0)
		return base;
	while (base > path && base[-1] == '/')
		base--;
	while (base > path && base[-1] != '/')
		base--;
	return base;
}

static void draw_records(struct browse *browse)
{
	static const char *const folds[] = {"", ", calls folded", ", calls and loops folded"};
	const struct browse_area *area = &browse->areas[BROWSE_PANE_RECORDS];
	char title[300];

	if (area->rows == 0)
		return;
	if (browse->pair)
		snprintf(title, sizeof(title), "A %.200s%s", pair_name(browse, 0),
			folds[browse->models[0].fold]);
	else
		snprintf(title, sizeof(title), "records%s", folds[browse->models[0].fold]);
	draw_records_of(browse, browse->pair ? 0 : browse->side, area, title);
}

static void draw_other(struct browse *browse)
{
	const struct browse_area *area = &browse->areas[BROWSE_PANE_REGISTERS];
	char title[300];

	if (area->rows == 0)
		return;
	snprintf(title, sizeof(title), "B %.200s", pair_name(browse, 1));
	draw_records_of(browse, 1, area, title);
}

/* ---- The lines at the bottom. ---- */

static void put_place(struct browse_model *model, struct browse_line *line)
{
	const struct ear_record *record = browse_model_record(model, model->cursor);
	char place[300] = "";

	if (!record)
		return;
	if (record->flags & EAR_RECORD_HAS_TIME)
		browse_print(line, BROWSE_STATUS, " @%" PRIu64, record->ticks);
	if (record->kind == EAR_RECORD_INSTRUCTION)
		browse_place_text(model, record->pc, place, sizeof(place));
	if (place[0])
		browse_print(line, BROWSE_STATUS, "  %s", place);
	if (record->hart)
		browse_print(line, BROWSE_STATUS, "  hart %u", record->hart);
	if (record->extra && record->extra->has_task)
		browse_print(line, BROWSE_STATUS, "  task %" PRIu64, record->extra->task);
}

static void draw_status(struct browse *browse)
{
	struct browse_model *model = browse_here(browse);
	struct browse_line line = {.row = browse_screen_rows() - 1 - browse_message_rows(browse),
		.width = browse_screen_columns()};
	/* The last record alone is at 100 %. */
	const double exact = browse_model_percent(model);
	const double percent = exact < 100 && exact > 99.9 ? 99.9 : exact;
	uint64_t number = 0;
	char name[120], right[400] = "";

	snprintf(name, sizeof(name), "%.100s", base_name(browse->inputs[browse->side]->path));
	browse_print(&line, BROWSE_STATUS, "%s", name);
	if (!model->empty && browse_model_number(model, model->cursor, &number)) {
		browse_print(&line, BROWSE_STATUS, "  #%" PRIu64, number);
		if (model->counted)
			browse_print(
				&line, BROWSE_STATUS, " of %" PRIu64, model->counts.instructions);
		if (percent >= 0)
			browse_print(
				&line, BROWSE_STATUS, " %.*f%%", percent < 100 ? 1 : 0, percent);
		put_place(model, &line);
	}
	if (browse->pair)
		browse_pair_text(browse, right, sizeof(right));
	browse_pad(&line, line.width - browse_width(right) - 1);
	browse_print(&line, BROWSE_STATUS, "%s", right);
	while (line.used < line.width)
		browse_put(&line, BROWSE_STATUS, " ");
}

static void draw_message(struct browse *browse)
{
	struct browse_line line = {
		.row = browse_screen_rows() - 1, .width = browse_screen_columns() - 1};
	struct browse_item item;
	char text[128];

	if (browse->message[0]) {
		const char *rest = browse->message;
		const int rows = browse_message_rows(browse);
		for (int i = 0; i < rows; i++) {
			struct browse_line part = line;
			part.row = line.row - rows + 1 + i;
			browse_put_wrapped(&part,
				browse->message_is_error ? BROWSE_LOSS : BROWSE_PLAIN, &rest);
			browse_fill(&part);
		}
		return;
	}
	if (browse_selected(browse, &item)) {
		browse_item_text(&item, text, sizeof(text));
		browse_put(&line, BROWSE_SELECTED, text);
		browse_put(&line, BROWSE_DIM, "  [ last write  ] next  ");
	} else if (browse->focus == BROWSE_PANE_SOURCE || browse->focus == BROWSE_PANE_CODE) {
		browse_put(&line, BROWSE_DIM, "[ executed last  ] next  ");
	}
	if (browse->pair)
		browse_print(&line, BROWSE_DIM, "d next difference  Tab to %s  ",
			browse->side ? "A" : "B");
	if (browse->focus == BROWSE_PANE_STACK)
		browse_put(&line, BROWSE_DIM, "Enter go there  h help  : command  q quit");
	else
		browse_put(&line, BROWSE_DIM, "h help  Enter menu  : command  / search  q quit");
}

void browse_draw(struct browse *browse)
{
	browse_screen_clear();
	browse_screen_cursor(-1, 0);
	if (browse_screen_columns() < BROWSE_COLUMNS_MIN ||
		browse_screen_rows() < BROWSE_ROWS_MIN) {
		char text[80];
		snprintf(text, sizeof(text), "%d x %d is too small: %d x %d, please",
			browse_screen_columns(), browse_screen_rows(), BROWSE_COLUMNS_MIN,
			BROWSE_ROWS_MIN);
		const char *rest = text;
		for (int row = 0; row < browse_screen_rows() && *rest; row++) {
			struct browse_line line = {.row = row, .width = browse_screen_columns()};
			browse_put_wrapped(&line, BROWSE_LOSS, &rest);
		}
		browse_screen_show();
		return;
	}
	place_panes(browse);
	draw_records(browse);
	if (browse->pair)
		draw_other(browse);
	else
		browse_draw_registers(browse, &browse->areas[BROWSE_PANE_REGISTERS]);
	browse_draw_source(browse, &browse->areas[BROWSE_PANE_SOURCE]);
	browse_draw_code(browse, &browse->areas[BROWSE_PANE_CODE]);
	browse_draw_memory(browse, &browse->areas[BROWSE_PANE_MEMORY]);
	browse_draw_stack(browse, &browse->areas[BROWSE_PANE_STACK]);
	draw_status(browse);
	draw_message(browse);
	if (browse->list.shown)
		browse_list_draw(browse);
	browse_screen_show();
}
