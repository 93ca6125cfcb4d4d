/* A table-valued function as SQLite sees it: its columns, and cursors on its rows. How rows are
 * made is in the files of the tables.
 */
#include "library/sqlite/table.h"

#include <earshot/error.h>
#include <stdlib.h>
#include <string.h>

#include "library/sqlite/table_open.h"
#include "library/sqlite/table_plan.h"

struct module {
	const struct table *table;
	struct ear_names *names;
};

struct vtab {
	sqlite3_vtab base;
	sqlite3 *db;
	const struct module *module;
};

/* SQLite -------------------------------------------------------------------------------------- */

static int connect(sqlite3 *db, void *context, int argc, const char *const *argv,
	sqlite3_vtab **base, char **message)
{
	const struct module *module = context;
	const struct table *table = module->table;
	sqlite3_str *schema = sqlite3_str_new(db);

	(void)argc;
	(void)argv;
	(void)message;
	sqlite3_str_appendf(schema, "CREATE TABLE x(");
	for (unsigned i = 0; i < table->count; i++)
		sqlite3_str_appendf(schema, "%s\"%w\" %s%s", i ? ", " : "", table->columns[i].name,
			table->columns[i].type,
			i >= table->count - table->parameters ? " HIDDEN" : "");
	sqlite3_str_appendf(schema, ")");
	char *text = sqlite3_str_finish(schema);
	if (!text)
		return SQLITE_NOMEM;
	int result = sqlite3_declare_vtab(db, text);
	sqlite3_free(text);
	if (result)
		return result;
	(void)sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
	struct vtab *vtab = calloc(1, sizeof(*vtab));
	if (!vtab)
		return SQLITE_NOMEM;
	vtab->module = module;
	vtab->db = db;
	*base = &vtab->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	return table_plan(((struct vtab *)(void *)base)->module->table, info);
}

static int take_progress(void *context, uint64_t done, uint64_t total, const char *what)
{
	(void)done;
	(void)total;
	(void)what;
	return cursor_is_interrupted(context);
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **opened)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	const struct module *module = ((struct vtab *)(void *)base)->module;
	cursor->table = module->table;
	cursor->db = ((struct vtab *)(void *)base)->db;
	cursor->progress = (struct ear_progress){sizeof(cursor->progress), take_progress, cursor};
	cursor->lent = module->names;
	*opened = &cursor->base;
	return SQLITE_OK;
}

static void end_query(struct cursor *cursor)
{
	if (cursor->begun && cursor->table->end)
		cursor->table->end(cursor);
	cursor->begun = false;
	cursor->private = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)(void *)base;

	end_query(cursor);
	cursor_close(cursor);
	(void)sqlite3_finalize(cursor->probe);
	free(cursor->cells);
	free(cursor->bytes);
	free(cursor);
	return SQLITE_OK;
}

/* SQLite's error for a result, with its sentence. */
static int fail(struct cursor *cursor, int result)
{
	if (cursor->interrupted)
		return SQLITE_INTERRUPT;
	const char *text = cursor->error[0] ? cursor->error : ear_error_text(result);
	const char *file = cursor->parameters[0];

	bool says_file = !file || strncmp(text, file, strlen(file)) == 0;
	sqlite3_free(cursor->base.pVtab->zErrMsg);
	cursor->base.pVtab->zErrMsg =
		says_file ? sqlite3_mprintf("%s", text) : sqlite3_mprintf("%s: %s", file, text);
	return result == EAR_E_NO_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int refill(struct cursor *cursor)
{
	cursor->row = cursor->row_count = cursor->byte_count = 0;
	cursor->error[0] = '\0';
	if (cursor_is_interrupted(cursor))
		return SQLITE_INTERRUPT;
	int result = cursor->table->fill(cursor);
	if (cursor->no_memory)
		result = EAR_E_NO_MEMORY;
	return result ? fail(cursor, result) : SQLITE_OK;
}

static int filter(
	sqlite3_vtab_cursor *base, int used, const char *plan, int count, sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)(void *)base;

	end_query(cursor);
	cursor->used = (uint32_t)used;
	cursor->row = cursor->row_count = 0;
	cursor->row_id = 0;
	cursor->error[0] = '\0';
	cursor->interrupted = false;
	table_ask(cursor, plan, count, values);
	if (cursor->no_memory)
		return SQLITE_NOMEM;
	int result = cursor_open(cursor);
	if (result)
		return fail(cursor, result);
	if (cursor->wanted.nothing)
		return SQLITE_OK;
	cursor->begun = true;
	result = cursor->table->begin ? cursor->table->begin(cursor) : 0;
	return result ? fail(cursor, result) : refill(cursor);
}

static int next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)(void *)base;

	cursor->row_id++;
	cursor->row++;
	return cursor->row < cursor->row_count ? SQLITE_OK : refill(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)(const void *)base;

	return cursor->row >= cursor->row_count;
}

static void give_parameter(struct cursor *cursor, sqlite3_context *to, unsigned column)
{
	unsigned which = (unsigned)(cursor->table->columns[column].term - TERM_FILE);

	if (cursor->parameters[which])
		sqlite3_result_text(to, cursor->parameters[which], -1, SQLITE_TRANSIENT);
}

static int give_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int column)
{
	struct cursor *cursor = (struct cursor *)(void *)base;
	const struct table *table = cursor->table;

	if (column < 0 || (unsigned)column >= table->count)
		return SQLITE_OK;
	if ((unsigned)column >= table->count - table->parameters) {
		give_parameter(cursor, to, (unsigned)column);
		return SQLITE_OK;
	}
	const struct cell *cell = &cursor->cells[cursor->row * table->count + (unsigned)column];
	switch (cell->type) {
	case CELL_INTEGER: sqlite3_result_int64(to, cell->value.integer); break;
	case CELL_LITERAL: sqlite3_result_text(to, cell->value.literal, -1, SQLITE_STATIC); break;
	case CELL_TEXT:
		sqlite3_result_text(
			to, cursor->bytes + cell->value.offset, (int)cell->size, SQLITE_TRANSIENT);
		break;
	case CELL_BLOB:
		sqlite3_result_blob(
			to, cursor->bytes + cell->value.offset, (int)cell->size, SQLITE_TRANSIENT);
		break;
	default: break;
	}
	return SQLITE_OK;
}

static int give_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = ((const struct cursor *)(const void *)base)->row_id;
	return SQLITE_OK;
}

int table_register(sqlite3 *db, const struct table *table, struct ear_names *names)
{
	/* Without create these are functions of every connection, and no tables of a database. */
	static const sqlite3_module module_functions = {
		.xConnect = connect,
		.xBestIndex = best_index,
		.xDisconnect = disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter,
		.xNext = next,
		.xEof = is_at_end,
		.xColumn = give_column,
		.xRowid = give_row_id,
	};

	struct module *context = malloc(sizeof(*context));
	if (!context)
		return SQLITE_NOMEM;
	*context = (struct module){table, names};
	return sqlite3_create_module_v2(db, table->name, &module_functions, context, free);
}
