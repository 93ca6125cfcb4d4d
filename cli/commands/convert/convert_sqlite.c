/* Writes a database of SQLite: each table of docs/sql.md is read as a query of the trace, and its
 * rows are inserted into a table of the database. After a Ctrl-C the rows so far are there, and the
 * table info says that it ended there.
 */
#include "cli/commands/convert/convert_sqlite.h"

#include <earshot/error.h>
#include <earshot/names.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/confine.h"
#include "cli/base/files.h"
#include "cli/base/progress.h"
#include "library/sqlite/api.h"

struct database {
	sqlite3 *db;
	const char *path;
	const struct convert *convert;
	double shown;
	uint64_t rows;
};

/* name: of the table in the database; source: the function that it is read from. */
static const struct {
	const char *name, *source;
	const char *index; /* column that questions begin with; NULL: none */
} tables[] = {
	{"records", "trace", "pc"},
	{"registers", "trace_registers", NULL},
	{"accesses", "trace_accesses", "address"},
	{"calls", "trace_calls", NULL},
	{"tasks", "trace_tasks", NULL},
	{"info", "trace_info", NULL},
};

bool convert_is_sqlite(const struct convert *convert)
{
	size_t length = strlen(convert->output), ending = strlen(".sqlite");

	if (convert->output_format)
		return strcmp(convert->output_format, "sqlite") == 0;
	return length > ending && strcmp(convert->output + length - ending, ".sqlite") == 0;
}

/* An error of a table begins with the file that it is about; others are about the database. */
static bool fail(const struct database *database)
{
	const char *text = sqlite3_errmsg(database->db), *trace = database->convert->input.path;

	if (strncmp(text, trace, strlen(trace)) == 0)
		cli_error("%s", text);
	else
		cli_error("%s: %s", database->path, text);
	return false;
}

static bool run(struct database *database, char *text)
{
	bool done = text && sqlite3_exec(database->db, text, NULL, NULL, NULL) == SQLITE_OK;

	sqlite3_free(text);
	return done || fail(database);
}

/* "trace('t.shot', 'a.elf', NULL, NULL)" */
static char *source_of(const struct convert *convert, const char *function)
{
	return sqlite3_mprintf("%s(%Q, %Q, %Q, %Q)", function, convert->input.path,
		convert->symbols.elf, convert->input.format, convert->input.unit);
}

/* Rows from one statement to the other, until there are no more or Ctrl-C. */
static bool copy(struct database *database, sqlite3_stmt *from, sqlite3_stmt *to, const char *name)
{
	int result = SQLITE_ROW;

	while (!cli_interrupted && (result = sqlite3_step(from)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(from); i++)
			(void)sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
		if (sqlite3_step(to) != SQLITE_DONE || sqlite3_reset(to) != SQLITE_OK)
			return false;
		if ((++database->rows & 0xFFF) == 0 && cli_progress_due(&database->shown))
			cli_progress("%s: %" PRIu64 " rows", name, database->rows);
	}
	return result == SQLITE_ROW || result == SQLITE_DONE;
}

static bool add_table(struct database *database, size_t table)
{
	const char *name = tables[table].name;
	char *source = source_of(database->convert, tables[table].source);
	sqlite3_stmt *from = NULL, *to = NULL;

	if (!run(database,
		    sqlite3_mprintf("CREATE TABLE %s AS SELECT * FROM %s LIMIT 0", name, source))) {
		sqlite3_free(source);
		return false;
	}
	char *text = sqlite3_mprintf("SELECT * FROM %s", source);
	sqlite3_str *insert = sqlite3_str_new(database->db);
	bool good = sqlite3_prepare_v2(database->db, text, -1, &from, NULL) == SQLITE_OK;
	sqlite3_str_appendf(insert, "INSERT INTO %s VALUES (?", name);
	for (int i = 1; good && i < sqlite3_column_count(from); i++)
		sqlite3_str_appendall(insert, ", ?");
	sqlite3_str_appendall(insert, ")");
	char *inserted = sqlite3_str_finish(insert);
	good = good && sqlite3_prepare_v2(database->db, inserted, -1, &to, NULL) == SQLITE_OK &&
	       copy(database, from, to, name);
	if (!good)
		fail(database);
	sqlite3_finalize(from);
	sqlite3_finalize(to);
	sqlite3_free(text);
	sqlite3_free(inserted);
	sqlite3_free(source);
	if (good && tables[table].index && !cli_interrupted)
		good = run(database, sqlite3_mprintf("CREATE INDEX %s_%s ON %s (%s)", name,
					     tables[table].index, name, tables[table].index));
	return good;
}

/* The symbols of the program whose names the tables have. */
static bool add_symbols(struct database *database)
{
	return run(database,
		sqlite3_mprintf("CREATE TABLE symbols (name TEXT, address INT, size INT, "
				"kind TEXT, global INT);"
				"INSERT INTO symbols SELECT s.* FROM info, "
				"program_symbols(info.names) s WHERE info.names IS NOT NULL"));
}

/* What is there after a Ctrl-C is not complete, and the database says so. */
static bool add_interruption(struct database *database)
{
	return run(database,
		sqlite3_mprintf("DROP TABLE IF EXISTS info; CREATE TABLE info AS SELECT 0 AS "
				"complete, 'the conversion was interrupted' AS missing"));
}

static bool write_all(struct database *database)
{
	bool good = run(
		database, sqlite3_mprintf("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
					  "PRAGMA locking_mode = EXCLUSIVE; BEGIN"));

	for (size_t i = 0; good && i < sizeof(tables) / sizeof(tables[0]) && !cli_interrupted; i++)
		good = add_table(database, i);
	if (good && !cli_interrupted)
		good = add_symbols(database);
	if (good && cli_interrupted)
		good = add_interruption(database);
	return good && run(database, sqlite3_mprintf("COMMIT"));
}

/* What the trace itself lacks is said as for every other output. */
static int judge(struct database *database)
{
	sqlite3_stmt *info;
	int status = EAR_EXIT_DONE;

	if (sqlite3_prepare_v2(database->db, "SELECT missing, fault FROM info", -1, &info, NULL) ==
			SQLITE_OK &&
		sqlite3_step(info) == SQLITE_ROW) {
		const char *missing = (const char *)sqlite3_column_text(info, 0);
		const char *fault = (const char *)sqlite3_column_text(info, 1);
		if (missing)
			cli_warning("%s: %s", database->convert->input.name, missing);
		if (fault && !(missing && strstr(missing, fault)))
			cli_warning("%s: %s", database->convert->input.name, fault);
	}
	sqlite3_finalize(info);
	if (cli_interrupted) {
		cli_error("interrupted after %" PRIu64 " rows", database->rows);
		status = EAR_EXIT_FAILED;
	}
	return status;
}

/* The database has another name until it is whole, so that OUT keeps what it held if there is
 * nothing to write. */
static int write_database(struct convert *convert, struct ear_names *names, const char *path)
{
	struct database database = {.path = convert->output, .convert = convert};
	int status = EAR_EXIT_FAILED;

	(void)unlink(path);
	if (sqlite3_open(path, &database.db) != SQLITE_OK ||
		ear_sqlite_register(database.db, names) != SQLITE_OK)
		fail(&database);
	else if (write_all(&database))
		status = EAR_EXIT_DONE;
	cli_progress_clear();
	if (status == EAR_EXIT_DONE)
		status = judge(&database);
	sqlite3_close(database.db);
	if (status != EAR_EXIT_DONE && !cli_interrupted) {
		(void)unlink(path);
	} else if (rename(path, convert->output) != 0) {
		cli_error("%s: %s", convert->output, strerror(errno));
		(void)unlink(path);
		status = EAR_EXIT_FAILED;
	}
	return status;
}

int convert_sqlite(struct convert *convert)
{
	struct ear_names *names;

	if (strcmp(convert->output, "-") == 0 || convert->with_port || convert->hart.given ||
		convert->limit != UINT64_MAX || convert->input.pattern || convert->input.strict)
		return cli_usage("convert",
			"a database is a file (-o OUT), without --event-port, --tasks, "
			"--hart, --limit, --pattern and --strict");
	if (!files_read("", convert->input.path) ||
		(convert->symbols.elf && !files_read("--elf", convert->symbols.elf)) ||
		!files_write("-o", convert->output))
		return EAR_EXIT_FAILED;
	char *path = sqlite3_mprintf("%s.new", convert->output);
	/* An index is sorted in files beside the database, the one place where they may be made. */
	const char *slash = strrchr(convert->output, '/');
	sqlite3_temp_directory =
		slash ? sqlite3_mprintf("%.*s", (int)(slash - convert->output) + 1, convert->output)
		      : sqlite3_mprintf(".");
	if (!path || !sqlite3_temp_directory) {
		cli_error("%s", ear_error_text(EAR_E_NO_MEMORY));
		return EAR_EXIT_FAILED;
	}
	if (ear_names_open(&names) != 0)
		cli_warning("%s", ear_names_message(names));
	confine_index((const char *const[]){convert->output, NULL});
	cli_catch_signals(NULL);
	int status = write_database(convert, names, path);
	ear_names_close(names);
	sqlite3_free(path);
	return status;
}
