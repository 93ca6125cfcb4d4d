/* The rows. Positions are found many at a time; then the moment goes to each of them, forward,
 * which costs what decoding the records between does, if that is less than a place of the index.
 */
#include "cli/commands/history/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <earshot/error.h>

#include "cli/base/cli.h"
#include "cli/base/progress.h"
#include "cli/commands/history/history_sort.h"
#include "cli/show/json.h"

#define BATCH_SIZE    65536u
#define NAME_MAX_SIZE 128

/* Without tasks there is no column TASK. */
enum { NUMBER, TIME, HART, TASK, PATH, LINE, VARIABLES };

struct show {
	struct history_request *request;
	const struct history_search *search;
	struct ear_moment *moment;
	struct history_row *rows;
	size_t count, room; /* in rows; for how many the next search has room */
	struct table table;
	const char *columns[TABLE_COLUMNS_MAX + 1];
	struct json json;
	uint64_t shown, left_out; /* by a condition of which the value is not known */
	struct history_sort sort;
	size_t sorted; /* the column that is sorted by */
	/* Of a variable: its bytes now, then those before; and its text before. */
	uint8_t *bytes, *known;
	char *last;
};

/* ---- Where. ---- */

static void function_name(const struct show *show, uint64_t pc, char *text, size_t size)
{
	text[0] = '\0';
	if (show->request->input.names)
		ear_names_text(show->request->input.names, pc, text, size);
	text[strcspn(text, "+")] = '\0';
	if (!text[0])
		snprintf(text, size, "0x%" PRIx64, pc);
}

static const char *frame_word(const struct ear_call_frame *frame)
{
	return frame->kind == EAR_FRAME_TRAP        ? "<trap>"
	       : frame->kind == EAR_FRAME_INTERRUPT ? "<interrupt>"
						    : NULL;
}

/* Says each name of a path, the oldest function first: what is before a handler, the functions of
 * the frames, and those that were inlined into them. Returns false if it has no room. */
typedef bool take_name(void *context, const char *name);

static bool say_frame(const struct show *show, uint64_t pc, take_name *take, void *context)
{
	struct ear_inlined chain[EAR_INLINED_MAX];
	char name[NAME_MAX_SIZE];
	size_t count = 0;

	if (show->request->input.names)
		count = ear_names_inlined_at(
			show->request->input.names, pc, chain, sizeof(*chain), EAR_INLINED_MAX);
	function_name(show, pc, name, sizeof(name));
	if (!take(context, name))
		return false;
	for (size_t i = count; i-- > 0;)
		if (chain[i].is_inlined && !take(context, chain[i].function))
			return false;
	return true;
}

/* Returns the number of frames, or an error. */
static int64_t say_path(
	const struct show *show, const struct history_row *row, take_name *take, void *context)
{
	struct ear_call_frame frames[HISTORY_FRAMES_MAX];
	int64_t count = ear_moment_stack(show->moment, row->hart, frames, sizeof(*frames),
		HISTORY_FRAMES_MAX, &show->request->input.progress);
	bool goes_on = count >= 0;

	if (count > (int64_t)HISTORY_FRAMES_MAX)
		goes_on = take(context, "...");
	size_t i = count < 0                             ? 0
		   : count > (int64_t)HISTORY_FRAMES_MAX ? HISTORY_FRAMES_MAX
							 : (size_t)count;
	while (i-- > 0 && goes_on) {
		const char *word = frame_word(&frames[i]);
		goes_on = (!word || take(context, word)) &&
			  say_frame(show, i > 0 ? frames[i - 1].call_pc : row->pc, take, context);
	}
	return count;
}

/* A path as text: "main > walk x3 > visit". */
struct path {
	char text[TABLE_TEXT_MAX], last[NAME_MAX_SIZE];
	size_t used, times; /* of last */
};

static void put_path(struct path *path, const char *before, const char *text)
{
	const size_t room = sizeof(path->text) - path->used;
	int size = snprintf(path->text + path->used, room, "%s%s", before, text);

	path->used = (size_t)size < room ? path->used + (size_t)size : sizeof(path->text) - 1;
}

static void end_name(struct path *path)
{
	char times[32];

	if (path->times < 2)
		return;
	snprintf(times, sizeof(times), "%zu", path->times);
	put_path(path, " x", times);
}

static bool take_path(void *context, const char *name)
{
	struct path *path = context;

	if (strncmp(name, path->last, sizeof(path->last) - 1) == 0) {
		path->times++;
		return true;
	}
	end_name(path);
	put_path(path, path->used > 0 ? " > " : "", name);
	snprintf(path->last, sizeof(path->last), "%s", name);
	path->times = 1;
	return path->used + 1 < sizeof(path->text);
}

static struct table_cell path_cell(const struct show *show, const struct history_row *row)
{
	struct path path = {.used = 0};

	if (say_path(show, row, take_path, &path) < 0)
		return table_unknown();
	end_name(&path);
	return table_text(path.text);
}

static bool take_json_name(void *context, const char *name)
{
	json_text(context, NULL, name);
	return true;
}

static void print_json_path(struct show *show, const struct history_row *row)
{
	json_open(&show->json, "path", '[');
	int64_t count = say_path(show, row, take_json_name, &show->json);
	json_close(&show->json, ']');
	json_bool(&show->json, "path_complete", count >= 0 && count <= (int64_t)HISTORY_FRAMES_MAX);
}

/* ---- Values. ---- */

/* A variable at the moment, to be freed. Returns as ear_variable_find. */
static int find_variable(const struct show *show, const struct history_row *row, const char *text,
	size_t size, struct ear_variable *variable)
{
	struct ear_moment_view view = {.size = sizeof(view)};

	*variable = (struct ear_variable){.size = sizeof(*variable)};
	if (!show->request->input.names || !ear_moment_view(show->moment, row->hart, &view))
		return EAR_E_UNSUPPORTED;
	view.pc = row->pc;
	return ear_variable_find(variable, show->request->input.names, text, size, &view);
}

/* Returns a text for free(); NULL: it is not known. */
static char *value_text(
	const struct show *show, const struct history_row *row, const char *variable)
{
	struct ear_variable found;
	char *text = NULL;

	if (find_variable(show, row, variable, strlen(variable), &found))
		return NULL;
	if (show->request->format == TABLE_JSON)
		text = ear_variable_json(&found, show->request->input.names);
	else if (found.place != EAR_PLACE_NONE)
		text = ear_variable_text(&found, show->request->input.names, 2);
	ear_variable_free(&found);
	return text;
}

/* Is the row to be shown? */
static bool is_wanted(struct show *show, const struct history_row *row)
{
	const struct history_condition *where = &show->request->where;
	struct ear_variable variable;

	if (!where->text)
		return true;
	int holds = -1;
	if (find_variable(show, row, where->variable, where->variable_size, &variable) == 0) {
		holds = history_condition_holds(where, &variable);
		ear_variable_free(&variable);
	}
	show->left_out += holds < 0;
	return holds > 0;
}

/* ---- Executions. ---- */

static void add_place(struct show *show, const struct history_row *row, struct table_cell *cells)
{
	char text[TABLE_TEXT_MAX] = "";

	cells[NUMBER] = table_number(row->number);
	cells[TIME] = row->has_time ? table_number(row->time) : table_unknown();
	cells[HART] = table_number(row->hart);
	cells[TASK] = table_unknown();
	if (history_tasks_text(&show->request->tasks, row->task, text, sizeof(text)))
		cells[TASK] = table_text(text);
	text[0] = '\0';
	cells[PATH] = path_cell(show, row);
	if (show->request->input.names)
		ear_names_line_text(show->request->input.names, row->pc, text, sizeof(text));
	cells[LINE] = text[0] ? table_text(text) : table_address(row->pc);
}

/* A row of the table, of that many cells with TASK. */
static void add_row(struct show *show, struct table_cell *cells, size_t count)
{
	if (!show->request->tasks.tasks)
		memmove(&cells[TASK], &cells[TASK + 1], (count - TASK - 1) * sizeof(*cells));
	table_add(&show->table, cells);
}

static void print_json_task(struct show *show, const struct history_row *row)
{
	struct history_tasks *tasks = &show->request->tasks;
	char name[HISTORY_TASK_NAME] = "";
	uint64_t pid = 0;

	if (!tasks->tasks)
		return;
	const bool known = history_tasks_facts(tasks, row->task, &pid, name, sizeof(name));
	json_known(&show->json, "task", known, pid);
	json_text(&show->json, "task_name", name[0] ? name : NULL);
}

static void print_json_place(struct show *show, const struct history_row *row)
{
	char text[TABLE_TEXT_MAX] = "";

	if (show->request->input.names)
		ear_names_line_text(show->request->input.names, row->pc, text, sizeof(text));
	json_line(&show->json, 2);
	json_open(&show->json, NULL, '{');
	json_number(&show->json, "number", row->number);
	json_known(&show->json, "time", row->has_time, row->time);
	json_number(&show->json, "hart", row->hart);
	print_json_task(show, row);
	json_hex(&show->json, "pc", true, row->pc);
	json_text(&show->json, "line", text[0] ? text : NULL);
	print_json_path(show, row);
}

static void show_execution(struct show *show, const struct history_row *row)
{
	const struct history_request *request = show->request;
	const bool is_json = request->format == TABLE_JSON;
	struct table_cell cells[TABLE_COLUMNS_MAX];

	if (is_json) {
		print_json_place(show, row);
		json_open(&show->json, "variables", '{');
	} else {
		add_place(show, row, cells);
	}
	for (unsigned i = 0; i < request->variable_count; i++) {
		char *text = value_text(show, row, request->variables[i]);
		if (!is_json) {
			cells[VARIABLES + i] = table_text(text);
		} else {
			json_key(&show->json, request->variables[i]);
			printf("%s", text ? text : "null");
		}
		free(text);
	}
	if (!is_json) {
		add_row(show, cells, VARIABLES + request->variable_count);
		return;
	}
	json_close(&show->json, '}');
	json_close(&show->json, '}');
}

/* ---- Changes. ---- */

static size_t span_size(const struct show *show)
{
	return (size_t)(show->search->spans[0].last - show->search->spans[0].first) + 1;
}

/* The variable as the program's types have it. Returns a text for free(); NULL: it has none. */
static char *typed_text(const struct show *show, const struct history_row *row)
{
	const char *what = show->request->what;
	struct ear_variable found;
	char *text = NULL;

	if (find_variable(show, row, what, strlen(what), &found))
		return NULL;
	/* A local variable may have the same name. */
	if (found.place == EAR_PLACE_MEMORY && found.address == show->search->spans[0].first)
		text = show->request->format == TABLE_JSON
			       ? ear_variable_json(&found, show->request->input.names)
			       : ear_variable_text(&found, show->request->input.names, 2);
	ear_variable_free(&found);
	return text;
}

/* Its bytes, as a number: "0x12??". */
static char *bytes_text(const struct show *show)
{
	const char *quote = show->request->format == TABLE_JSON ? "\"" : "";
	const size_t size = span_size(show);
	char *text = malloc(2 * size + 5);

	if (!text)
		return NULL;
	char *at = text + sprintf(text, "%s0x", quote);
	for (size_t i = size; i-- > 0;)
		at += show->known[i] ? sprintf(at, "%02x", show->bytes[i]) : sprintf(at, "??");
	strcpy(at, quote);
	return text;
}

/* Read what it holds at the moment. Returns 1 if that is not what it held before, 0, or an error.
 */
static int read_bytes(struct show *show)
{
	const size_t size = span_size(show);
	uint8_t *bytes = show->bytes + size, *known = show->known + size;
	int64_t result = ear_moment_memory(show->moment, show->search->spans[0].first, bytes, known,
		size, &show->request->input.progress);

	if (result < 0)
		return (int)result;
	for (size_t i = 0; i < size; i++) {
		known[i] = known[i] != EAR_BYTE_UNKNOWN;
		bytes[i] = known[i] ? bytes[i] : 0;
	}
	if (memcmp(bytes, show->bytes, size) == 0 && memcmp(known, show->known, size) == 0)
		return 0;
	memcpy(show->bytes, bytes, size);
	memcpy(show->known, known, size);
	return 1;
}

static void show_change(struct show *show, const struct history_row *row, const char *value)
{
	struct table_cell cells[TABLE_COLUMNS_MAX];

	if (show->request->format != TABLE_JSON) {
		add_place(show, row, cells);
		cells[VARIABLES] = table_text(show->last);
		cells[VARIABLES + 1] = table_text(value);
		add_row(show, cells, VARIABLES + 2);
		return;
	}
	print_json_place(show, row);
	json_key(&show->json, "old");
	printf("%s", show->last ? show->last : "null");
	json_key(&show->json, "value");
	printf("%s", value ? value : "null");
	json_close(&show->json, '}');
}

/* ---- All rows. ---- */

static int keep_row(
	void *context, const struct ear_record *record, uint64_t position, uint64_t number)
{
	struct show *show = context;

	show->rows[show->count++] = (struct history_row){.position = position,
		.number = number,
		.pc = record->pc,
		.hart = record->hart,
		.has_time = record->flags & EAR_RECORD_HAS_TIME,
		.time = record->ticks};
	return show->count == show->room;
}

/* The text of what the variable holds, for free(). */
static char *whole_text(const struct show *show, const struct history_row *row)
{
	char *text = typed_text(show, row);

	return text ? text : bytes_text(show);
}

/* What it held before the write: after a gap that is not what was seen last. Returns 0 or an error.
 */
static int read_old(struct show *show, const struct history_row *row)
{
	int result = ear_moment_move(show->moment, row->position, &show->request->input.progress);

	if (result == 0)
		result = read_bytes(show);
	if (result != 1)
		return result;
	free(show->last);
	show->last = whole_text(show, row);
	return 0;
}

/* ---- Sorted. ---- */

/* What the column of a variable holds as a number. */
static struct history_key number_key(
	const struct show *show, const struct history_row *row, const char *variable)
{
	struct history_key key = {.known = false};
	struct ear_variable found;

	if (find_variable(show, row, variable, strlen(variable), &found) == 0) {
		key.known = history_number(&found, &key.is_signed, &key.value);
		ear_variable_free(&found);
	}
	return key;
}

static struct history_key cell_key(const struct table_cell *cell)
{
	struct history_key key = {.known = cell->kind != TABLE_UNKNOWN, .value = cell->number};

	if (cell->kind == TABLE_TEXT) {
		key.text = strdup(cell->text);
		key.known = key.text != NULL;
	}
	return key;
}

/* The bytes of the variable that changes. */
static struct history_key bytes_key(const struct show *show, const struct history_row *row)
{
	struct history_key key = number_key(show, row, show->request->what);
	const size_t size = span_size(show);
	const bool is_signed = key.known && key.is_signed;

	key = (struct history_key){.known = size <= 8, .is_signed = is_signed};
	for (size_t i = size; key.known && i-- > 0;) {
		key.known = show->known[i];
		key.value = key.value << 8 | show->bytes[i];
	}
	if (is_signed && size < 8 && key.value >> (8 * size - 1))
		key.value |= UINT64_MAX << 8 * size;
	return key;
}

/* Of the row that the moment is at. */
static struct history_key key_of(struct show *show, const struct history_row *row)
{
	struct table_cell cells[TABLE_COLUMNS_MAX];

	if (show->sorted >= VARIABLES)
		return number_key(show, row, show->request->variables[show->sorted - VARIABLES]);
	add_place(show, row, cells);
	return cell_key(&cells[show->sorted]);
}

/* ---- One row. ---- */

/* Go to a row. *old: what the variable held before, if that is sorted by. Returns 1 if it is one,
 * 0, or an error. */
static int reach_row(struct show *show, const struct history_row *row, struct history_key *old)
{
	const bool is_code = show->search->is_code;
	int result = is_code ? 0 : read_old(show, row);

	if (result == 0 && !is_code)
		*old = bytes_key(show, row);
	if (result == 0)
		result = ear_moment_move(
			show->moment, row->position + !is_code, &show->request->input.progress);
	if (result == 0 && !is_code)
		result = read_bytes(show);
	return result < 0 || is_code ? result < 0 ? result : 1 : result;
}

static void print_row(struct show *show, const struct history_row *row)
{
	cli_progress_clear();
	if (show->search->is_code) {
		show_execution(show, row);
		return;
	}
	char *value = whole_text(show, row);
	show_change(show, row, value);
	free(show->last);
	show->last = value;
}

/* Print the row, or keep it to be sorted. Returns 1 if it is one, 0, or an error. */
static int show_row(struct show *show, const struct history_row *row)
{
	struct history_key old = {.known = false}, key;
	int result = reach_row(show, row, &old);

	if (result != 1 || !is_wanted(show, row))
		return result < 0 ? result : 0;
	if (!show->request->sort) {
		print_row(show, row);
		return 1;
	}
	if (show->search->is_code || show->sorted < VARIABLES)
		key = key_of(show, row);
	else
		key = show->sorted == VARIABLES ? old : bytes_key(show, row);
	result = history_sort_add(&show->sort, row, key);
	if (!show->search->is_code) {
		free(show->last);
		show->last = whole_text(show, row);
	}
	return result < 0 ? result : 1;
}

/* Which task ran it? Returns 1 if it is the wanted one, 0, or an error. */
static int take_task(struct show *show, struct history_row *row)
{
	struct history_tasks *tasks = &show->request->tasks;

	if (!tasks->tasks)
		return 1;
	const int result = history_tasks_at(tasks, row->position, row->hart, &row->task);
	if (result < 0 || !show->request->task)
		return result < 0 ? result : 1;
	return row->task != 0 && ear_tasks_is(tasks->tasks, row->task, show->request->task);
}

static bool is_over(const struct show *show)
{
	return cli_interrupted || (show->request->limit > 0 && !show->request->sort &&
					  show->shown > show->request->limit);
}

/* Returns 0 or an error. One row more than the limit is looked for: so it is known that there is
 * one. */
static int show_rows(struct show *show, const struct ear_query *query, uint64_t from, uint64_t to)
{
	int result = 1;

	/* Of a few rows, the search for more of them would cost the rest of the trace. */
	show->room = BATCH_SIZE;
	if (show->request->limit > 0 && show->request->limit < BATCH_SIZE && !show->request->sort)
		show->room = (size_t)show->request->limit + 1;
	while (result == 1 && !is_over(show)) {
		show->count = 0;
		result = ear_trace_find_all(show->request->input.trace, query, from, to, keep_row,
			show, &show->request->input.progress);
		for (size_t i = 0; i < show->count && result >= 0 && !is_over(show); i++) {
			const bool is_last = show->request->limit > 0 && !show->request->sort &&
					     show->shown == show->request->limit;
			int shown = take_task(show, &show->rows[i]);
			if (shown == 1 && !is_last)
				shown = show_row(show, &show->rows[i]);
			if (shown < 0)
				result = shown;
			else
				show->shown += (uint64_t)shown;
		}
		if (show->count > 0)
			from = show->rows[show->count - 1].position + 1;
		show->room = 2 * show->room < BATCH_SIZE ? 2 * show->room : BATCH_SIZE;
	}
	return result < 0 ? result : 0;
}

/* The rows that were kept, in order. Returns 0 or an error. */
static int show_sorted(struct show *show)
{
	struct history_key old;
	int result = 1;

	history_sort_end(&show->sort);
	for (size_t i = 0; i < show->sort.count && result >= 0 && !cli_interrupted; i++) {
		if (show->request->limit > 0 && i == show->request->limit)
			break;
		result = reach_row(show, &show->sort.rows[i].row, &old);
		if (result == 1)
			print_row(show, &show->sort.rows[i].row);
	}
	return result < 0 ? result : 0;
}

/* ---- The beginning and the end. ---- */

static struct ear_query make_query(const struct history_search *search)
{
	struct ear_query query = EAR_QUERY_ANY;

	query.kinds = 1u << EAR_RECORD_INSTRUCTION;
	query.pcs = query.addresses = search->spans;
	query.pc_count = search->is_code ? search->count : 0;
	query.address_count = search->is_code ? 0 : search->count;
	query.accesses = search->is_code ? 0 : EAR_QUERY_WRITE;
	return query;
}

static int say_wrong(const struct show *show, const char *option)
{
	cli_progress_clear();
	cli_error("%s: %s", option, ear_names_message(show->request->input.names));
	return 0;
}

static const char *const places[VARIABLES] = {
	[NUMBER] = "number",
	[TIME] = "time",
	[HART] = "hart",
	[TASK] = "task",
	[PATH] = "path",
	[LINE] = "line",
};

/* Which column is sorted by? Returns false after printing that there is none. */
static bool find_column(struct show *show)
{
	const struct history_request *request = show->request;
	const char *name = request->sort;

	if (!name)
		return true;
	show->sort.descending = name[0] == '-';
	name += show->sort.descending;
	for (show->sorted = 0; show->sorted < VARIABLES; show->sorted++)
		if (strcmp(name, places[show->sorted]) == 0 &&
			(show->sorted != TASK || request->tasks.tasks))
			return true;
	if (!show->search->is_code) {
		show->sorted = VARIABLES + (strcmp(name, "value") == 0);
		if (show->sorted > VARIABLES || strcmp(name, "old") == 0)
			return true;
	}
	for (unsigned i = 0; i < request->variable_count && show->search->is_code; i++) {
		show->sorted = VARIABLES + i;
		if (strcmp(name, request->variables[i]) == 0)
			return true;
	}
	cli_progress_clear();
	cli_error("--sort: there is no column '%s'; the columns are those of the table", name);
	return false;
}

static void begin_output(struct show *show)
{
	size_t count = 0;

	for (size_t i = 0; i < VARIABLES; i++)
		if (i != TASK || show->request->tasks.tasks)
			show->columns[count++] = places[i];
	if (!show->search->is_code) {
		show->columns[count++] = "old";
		show->columns[count++] = "value";
	}
	for (unsigned i = 0; i < show->request->variable_count && show->search->is_code; i++)
		show->columns[count++] = show->request->variables[i];
	show->json = json_spaced();
	if (show->request->format != TABLE_JSON) {
		show->table = table_begin(show->request->format, show->columns, 0);
		return;
	}
	json_open(&show->json, NULL, '{');
	json_text(&show->json, "what", show->request->what);
	json_open(&show->json, show->search->is_code ? "executions" : "changes", '[');
}

static void end_output(struct show *show)
{
	const struct history_request *request = show->request;
	const bool is_more = request->limit > 0 && show->shown > request->limit;

	cli_progress_clear();
	if (request->format == TABLE_JSON) {
		json_close(&show->json, ']');
		json_bool(&show->json, "more", is_more || cli_interrupted);
		json_number(&show->json, "unknown", show->left_out);
		trace_input_json_verdict(&show->request->input, &show->json);
		json_close(&show->json, '}');
		putchar('\n');
	} else {
		table_end(&show->table, NULL);
	}
	if (request->input.quiet)
		return;
	if (is_more)
		cli_warning("there are more (--limit N)");
	if (show->left_out > 0)
		cli_warning("%" PRIu64
			    " are left out, since what --where asks for is not known there",
			show->left_out);
	if (show->search->more_locals > 0)
		cli_warning("%u variables have no column (--var EXPRESSION)",
			show->search->more_locals);
	if (request->tasks.tasks && ear_tasks_events(request->tasks.tasks) == 0)
		cli_warning("no event says which task runs");
	if (cli_interrupted)
		cli_warning("interrupted: there may be more");
}

/* The value before the first row, and room for it. Returns 0 or an error. */
static int begin_value(struct show *show)
{
	const size_t size = span_size(show);
	const struct history_row first = {.hart = ear_moment_hart(show->moment)};

	show->bytes = calloc(2, size);
	show->known = calloc(2, size);
	if (!show->bytes || !show->known)
		return EAR_E_NO_MEMORY;
	int result = read_bytes(show);
	if (result < 0)
		return result;
	show->last = whole_text(show, &first);
	return 0;
}

/* One that the compiler did not keep there may be known elsewhere. */
static bool is_wrong(const struct show *show, int result)
{
	return result == EAR_E_BAD_ARGUMENT &&
	       !strstr(ear_names_message(show->request->input.names), "optimized out");
}

/* Are there such variables at the first row? Returns 1, 0 after printing which one is not there, or
 * an error. Where there is no row, nobody knows. */
static int check_variables(struct show *show, const struct ear_query *query, uint64_t from)
{
	const struct history_request *request = show->request;
	const struct history_condition *where = &request->where;
	struct ear_variable variable;

	show->room = 1;
	int result = ear_trace_find_all(request->input.trace, query, from, UINT64_MAX, keep_row,
		show, &request->input.progress);
	if (result < 0 || show->count == 0)
		return result < 0 ? result : 1;
	const struct history_row row = show->rows[0];
	result = ear_moment_move(show->moment, row.position, &request->input.progress);
	if (result < 0)
		return result;
	for (unsigned i = 0; i < request->variable_count && request->input.names; i++) {
		const char *text = request->variables[i];
		result = find_variable(show, &row, text, strlen(text), &variable);
		ear_variable_free(&variable);
		if (is_wrong(show, result))
			return say_wrong(show, "--var");
	}
	if (!where->text || !request->input.names)
		return 1;
	result = find_variable(show, &row, where->variable, where->variable_size, &variable);
	const bool fits = result == 0 && history_condition_fits(where, &variable);
	ear_variable_free(&variable);
	if (is_wrong(show, result))
		return say_wrong(show, "--where");
	if (result == 0 && !fits) {
		cli_error(
			"--where: '%s': this variable has no numbers, or %s is not one of its values",
			where->text, where->value);
		return 0;
	}
	return 1;
}

static int run(struct show *show, uint64_t from, uint64_t to)
{
	struct trace_input *input = &show->request->input;
	const struct ear_query query = make_query(show->search);

	show->request->tasks.trace = input->trace;
	show->request->tasks.progress = &input->progress;
	int result = history_tasks_begin(&show->request->tasks);
	if (result == 0 && !find_column(show))
		return EAR_EXIT_FAILED;
	if (result == 0)
		result = ear_moment_new(&show->moment, input->trace, from, &input->progress);
	if (result == 0 && !show->search->is_code)
		result = begin_value(show);
	if (result == 0 && show->search->is_code) {
		const int is_good = check_variables(show, &query, from);
		if (is_good == 0)
			return EAR_EXIT_FAILED;
		result = is_good < 0 ? is_good : 0;
	}
	if (result == 0) {
		begin_output(show);
		result = show_rows(show, &query, from, to);
		if (result == 0 && show->request->sort)
			result = show_sorted(show);
		end_output(show);
	}
	if (result == EAR_E_NO_MEMORY)
		cli_error("out of memory");
	else if (result == EAR_E_FULL)
		cli_error("--sort: there are more than %u rows: --from, --to, --where, --task",
			HISTORY_SORT_MAX);
	else if (result && !(result == EAR_E_CANCELLED && cli_interrupted))
		trace_input_fail(input);
	if (result)
		return EAR_EXIT_FAILED;
	return show->shown > 0 ? EAR_EXIT_DONE : EAR_EXIT_NO;
}

int history_show(struct history_request *request, const struct history_search *search)
{
	struct show show = {.request = request, .search = search};
	struct ear_moment_place from = {.before = 0}, to = {.after = UINT64_MAX};
	int status = EAR_EXIT_FAILED, found = 1;

	if (request->from.text)
		found = moment_option_find(&request->input, request->from.text, &from);
	if (found == 1 && request->to.text)
		found = moment_option_find(&request->input, request->to.text, &to);
	if (found != 1)
		return found == 0 ? EAR_EXIT_NO : EAR_EXIT_FAILED;
	show.rows = malloc(BATCH_SIZE * sizeof(*show.rows));
	if (show.rows)
		status = run(&show, from.before, to.after);
	else
		cli_error("out of memory");
	ear_moment_free(show.moment);
	history_sort_free(&show.sort);
	history_tasks_end(&request->tasks);
	free(show.rows);
	free(show.bytes);
	free(show.known);
	free(show.last);
	return status;
}
