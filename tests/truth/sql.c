/* earshot-sql TRACE [COUNT [SEED [DATABASE]]]
 * earshot-sql --interrupt TRACE
 *
 * Asks the tables of docs/sql.md random queries, and compares each answer with the same query of a
 * plain table, which is made of a scan without conditions. That scan is compared with the columns
 * of libearshot (ear_trace_columns) first. DATABASE is what earshot convert made of TRACE: its
 * tables are asked, too. Prints the processor time that each of them took.
 *
 * --interrupt: sqlite3_interrupt, while a search begins, ends it. It goes through the whole trace
 * and finds nothing, so that SQLite itself never gets to look.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "library/sqlite/api.h"

#include <earshot/trace.h>

enum { WRONG_SHOWN = 5, TEXT_MAX = 2048 };

static const struct {
	const char *name, *plain, *converted, *columns; /* conditions are asked of these columns */
} tables[] = {
	{"trace", "plain", "file.records",
		"position number hart ticks kind pc opcode privilege trap interrupt cause rd rd_value "
		"address is_write data event taken access_size"},
	{"trace_registers", "plain_registers", "file.registers",
		"position number hart pc register class value"},
	{"trace_accesses", "plain_accesses", "file.accesses",
		"position number hart pc address size is_write value"},
};

static uint64_t state;

/* xorshift64* */
static uint64_t below(uint64_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(2685821657736338717) >> 11) % limit;
}

static void fail(sqlite3 *db, const char *text)
{
	fprintf(stderr, "%s: %s\n", text, sqlite3_errmsg(db));
	exit(2);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *text)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK)
		fail(db, text);
	return statement;
}

static void run(sqlite3 *db, const char *text)
{
	sqlite3_stmt *statement = prepare(db, text);

	while (sqlite3_step(statement) == SQLITE_ROW)
		;
	if (sqlite3_finalize(statement) != SQLITE_OK)
		fail(db, text);
}

/* The plain tables ---------------------------------------------------------------------------- */

static void make_plain(sqlite3 *db, const char *trace)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char *text = sqlite3_mprintf("CREATE TABLE %s AS SELECT * FROM %s(%Q)",
			tables[i].plain, tables[i].name, trace);
		run(db, text);
		sqlite3_free(text);
	}
}

#define ROWS 1000

static bool is_equal(sqlite3_stmt *statement, int column, bool known, uint64_t value)
{
	bool is_null = sqlite3_column_type(statement, column) == SQLITE_NULL;

	return known ? !is_null && (uint64_t)sqlite3_column_int64(statement, column) == value
		     : is_null;
}

/* Each row against the library's columns. Returns how many there are. */
static uint64_t check_scan(sqlite3 *db, const char *path)
{
	static uint64_t position[ROWS], number[ROWS], ticks[ROWS], pc[ROWS], opcode[ROWS],
		rd_value[ROWS];
	static uint8_t has[ROWS], rd[ROWS], kind[ROWS];
	const struct ear_column columns[] = {{EAR_COLUMN_POSITION, position},
		{EAR_COLUMN_NUMBER, number}, {EAR_COLUMN_TICKS, ticks}, {EAR_COLUMN_PC, pc},
		{EAR_COLUMN_OPCODE, opcode}, {EAR_COLUMN_RD_VALUE, rd_value}, {EAR_COLUMN_HAS, has},
		{EAR_COLUMN_RD, rd}, {EAR_COLUMN_KIND, kind}};
	char error[EAR_TRACE_ERROR_MAX] = "";
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	struct ear_trace *trace;
	uint64_t total = 0;
	int64_t count;

	options.error = error;
	options.index = EAR_INDEX_NONE;
	if (ear_trace_open(&trace, path, &options)) {
		fprintf(stderr, "%s\n", error);
		exit(2);
	}
	sqlite3_stmt *rows =
		prepare(db, "SELECT position, number, ticks, pc, opcode, rd, rd_value FROM plain");
	while ((count = ear_trace_columns(trace, columns, sizeof(columns) / sizeof(columns[0]),
			ROWS, 0, NULL, NULL)) > 0) {
		for (int64_t i = 0; i < count; i++, total++) {
			bool is_instruction = kind[i] == EAR_RECORD_INSTRUCTION;
			if (sqlite3_step(rows) != SQLITE_ROW ||
				!is_equal(rows, 0, true, position[i]) ||
				!is_equal(rows, 1, is_instruction, number[i]) ||
				!is_equal(rows, 2, has[i] & EAR_HAS_TICKS, ticks[i]) ||
				!is_equal(rows, 3, has[i] & EAR_HAS_PC, pc[i]) ||
				!is_equal(rows, 4, has[i] & EAR_HAS_OPCODE, opcode[i]) ||
				!is_equal(rows, 5, rd[i] != 0, rd[i]) ||
				!is_equal(rows, 6, rd[i] != 0, rd_value[i])) {
				printf("the row of position %" PRIu64 " is wrong\n", total);
				exit(1);
			}
		}
	}
	if (count < 0 || sqlite3_step(rows) != SQLITE_DONE) {
		printf("the scan has %s rows\n", count < 0 ? "unreadable" : "too many");
		exit(1);
	}
	sqlite3_finalize(rows);
	ear_trace_close(trace);
	return total;
}

/* Queries ------------------------------------------------------------------------------------- */

/* A word of a list of words. */
static void some_word(const char *list, char *word)
{
	size_t count = 1;

	for (const char *at = list; *at; at++)
		count += *at == ' ';
	for (uint64_t skip = below(count); skip > 0; skip--)
		list = strchr(list, ' ') + 1;
	word[0] = '\0';
	strncat(word, list, strcspn(list, " "));
}

/* A value of the column that is there, as SQL; mostly a number is changed a little. */
static char *some_value(sqlite3 *db, const char *plain, const char *column, uint64_t rows)
{
	char *text =
		sqlite3_mprintf("SELECT quote(\"%w\"), typeof(\"%w\") FROM %s WHERE rowid = %lld",
			column, column, plain, (sqlite3_int64)below(rows) + 1);
	sqlite3_stmt *statement = prepare(db, text);
	char *value;

	sqlite3_free(text);
	if (sqlite3_step(statement) != SQLITE_ROW)
		value = sqlite3_mprintf("0");
	else if (strcmp((const char *)sqlite3_column_text(statement, 1), "integer") == 0 &&
		 below(3) == 0)
		value = sqlite3_mprintf(
			"(%s + %d)", sqlite3_column_text(statement, 0), (int)below(9) - 4);
	else
		value = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return value;
}

static void add_condition(
	sqlite3 *db, sqlite3_str *text, const char *plain, const char *columns, uint64_t rows)
{
	static const char *const comparisons[] = {
		"=", "=", "=", "<", "<=", ">", ">=", "<>", "IS", "= +"};
	char column[64];

	const uint64_t form = below(8);
	if (form == 4 && strstr(columns, "kind"))
		strcpy(column, "kind"); /* of the texts that become a search */
	else
		some_word(columns, column);
	char *value = some_value(db, plain, column, rows);
	char *other = some_value(db, plain, column, rows);
	switch (form) {
	case 0: sqlite3_str_appendf(text, "%s IN (%s, %s)", column, value, other); break;
	case 1: sqlite3_str_appendf(text, "%s BETWEEN %s AND %s", column, value, other); break;
	case 2:
		sqlite3_str_appendf(
			text, "%s >= %s AND %s <= %s + 50", column, value, column, value);
		break;
	case 3:
		sqlite3_str_appendf(text, "(%s = %s OR %s = %s)", column, value, column, other);
		break;
	case 4: sqlite3_str_appendf(text, "%s = upper(%s) COLLATE NOCASE", column, value); break;
	default:
		sqlite3_str_appendf(text, "%s %s %s", column,
			comparisons[below(sizeof(comparisons) / sizeof(comparisons[0]))], value);
		break;
	}
	sqlite3_free(value);
	sqlite3_free(other);
}

/* All rows of an answer as a hash, so that two are compared without keeping them. */
static uint64_t answer(sqlite3 *db, const char *text, uint64_t *rows)
{
	sqlite3_stmt *statement = prepare(db, text);
	uint64_t hash = UINT64_C(14695981039346656037);
	int result;

	*rows = 0;
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const unsigned char *at = sqlite3_column_text(statement, i);
			hash = (hash ^ (uint64_t)sqlite3_column_type(statement, i)) *
			       UINT64_C(1099511628211);
			for (; at && *at; at++)
				hash = (hash ^ *at) * UINT64_C(1099511628211);
		}
		++*rows;
	}
	if (sqlite3_finalize(statement) != SQLITE_OK)
		fail(db, text);
	return hash;
}

/* The ways to an answer, and the processor time that each took. */
enum { VIRTUAL, PLAIN, CONVERTED, WAYS };
static double seconds[WAYS];

static uint64_t timed_answer(sqlite3 *db, const char *text, uint64_t *rows, unsigned way)
{
	struct timespec before, after;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	const uint64_t hash = answer(db, text, rows);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	seconds[way] += (double)(after.tv_sec - before.tv_sec) +
			1e-9 * (double)(after.tv_nsec - before.tv_nsec);
	return hash;
}

static bool ask(
	sqlite3 *db, const char *trace, bool converted, const uint64_t rows[], uint64_t *answered)
{
	size_t table = below(2) ? 0 : below(3);
	sqlite3_str *conditions = sqlite3_str_new(db);
	uint64_t found, wanted;

	for (uint64_t i = 0, count = 1 + below(3); i < count; i++) {
		if (i)
			sqlite3_str_appendall(conditions, " AND ");
		add_condition(db, conditions, tables[table].plain, tables[table].columns,
			rows[table] ? rows[table] : 1);
	}
	char *where = sqlite3_str_finish(conditions);
	char *limit = below(3) ? sqlite3_mprintf("") : sqlite3_mprintf("LIMIT %d", (int)below(40));
	const char *what = table == 0 ? "*" : "position, number, pc, hart, value";
	const char *order = table == 0 ? "position" : "1, 2, 3, 4, 5"; /* no two are equal */
	char *asked = sqlite3_mprintf("SELECT %s FROM %s(%Q) WHERE %s ORDER BY %s %s", what,
		tables[table].name, trace, where, order, limit);
	char *plain = sqlite3_mprintf("SELECT %s FROM %s WHERE %s ORDER BY %s %s", what,
		tables[table].plain, where, order, limit);
	const uint64_t hash = timed_answer(db, plain, &wanted, PLAIN);
	bool right = timed_answer(db, asked, &found, VIRTUAL) == hash && found == wanted;
	if (right && converted) {
		char *third = sqlite3_mprintf("SELECT %s FROM %s WHERE %s ORDER BY %s %s", what,
			tables[table].converted, where, order, limit);
		right = timed_answer(db, third, &found, CONVERTED) == hash && found == wanted;
		sqlite3_free(third);
	}
	*answered += wanted > 0;
	if (!right)
		printf("%" PRIu64 " rows, there are %" PRIu64 ": %s\n", found, wanted, asked);
	sqlite3_free(where);
	sqlite3_free(limit);
	sqlite3_free(asked);
	sqlite3_free(plain);
	return right;
}

/* Interrupts ---------------------------------------------------------------------------------- */

/* Of a statement that has begun: SQLite itself does not see the interrupt before the search. */
static void begin(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	sqlite3_interrupt(sqlite3_context_db_handle(context));
	sqlite3_result_value(context, values[0]);
}

/* The end of a search for a condition, which finds nothing. */
static bool is_ended(sqlite3 *db, const char *trace, const char *condition)
{
	char *text = sqlite3_mprintf("SELECT pc FROM trace(%Q) WHERE %s", trace, condition);
	sqlite3_stmt *statement = prepare(db, text);
	const int result = sqlite3_step(statement);
	const bool right = result == SQLITE_INTERRUPT;

	(void)sqlite3_finalize(statement);
	if (!right)
		printf("%s: result %d, not an interrupt\n", condition, result);
	sqlite3_free(text);
	return right;
}

/* Two conditions: a search of the library, and the records one after the other. */
static int test_interrupts(sqlite3 *db, const char *trace)
{
	static const char *const conditions[] = {"pc = begin(3)", "hart = begin(77)"};
	const size_t count = sizeof(conditions) / sizeof(conditions[0]);
	uint64_t rows;
	bool right = true;

	if (sqlite3_create_function(db, "begin", 1, SQLITE_UTF8, NULL, begin, NULL, NULL))
		return 2;
	for (size_t i = 0; i < count; i++)
		right = is_ended(db, trace, conditions[i]) && right;
	/* And the next one is a search again. */
	static const char *const next[] = {"pc = 3", "hart = 77"};
	for (size_t i = 0; i < count; i++) {
		char *text = sqlite3_mprintf("SELECT pc FROM trace(%Q) WHERE %s", trace, next[i]);
		(void)answer(db, text, &rows);
		right = rows == 0 && right;
		sqlite3_free(text);
	}
	puts(right ? "interrupted" : "not interrupted");
	return !right;
}

int main(int argc, char **argv)
{
	const bool interrupts = argc == 3 && strcmp(argv[1], "--interrupt") == 0;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 1000;
	uint64_t rows[3] = {0}, wrong = 0, answered = 0;
	sqlite3 *db;

	if (argc < 2) {
		fprintf(stderr, "usage: earshot-sql TRACE [COUNT [SEED [DATABASE]]]\n");
		return 2;
	}
	state = (argc > 3 ? strtoull(argv[3], NULL, 0) : 1) * UINT64_C(0x9E3779B97F4A7C15) + 1;
	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
		ear_sqlite_register(db, NULL) != SQLITE_OK)
		fail(db, "no tables");
	if (interrupts) {
		const int status = test_interrupts(db, argv[2]);
		sqlite3_close(db);
		return status;
	}
	if (argc > 4) {
		char *text = sqlite3_mprintf("ATTACH %Q AS file", argv[4]);
		run(db, text);
		sqlite3_free(text);
	}
	make_plain(db, argv[1]);
	rows[0] = check_scan(db, argv[1]);
	for (size_t i = 1; i < 3; i++) {
		char *text = sqlite3_mprintf("SELECT * FROM %s", tables[i].plain);
		(void)answer(db, text, &rows[i]);
		sqlite3_free(text);
	}
	for (uint64_t i = 0; i < count && wrong < WRONG_SHOWN; i++)
		wrong += !ask(db, argv[1], argc > 4, rows, &answered);
	printf("%" PRIu64 " queries, %" PRIu64 " wrong, %" PRIu64 " with an answer, %" PRIu64
	       " records\n",
		count, wrong, answered, rows[0]);
	printf("processor seconds: %.2f of the trace, %.2f of the plain tables", seconds[VIRTUAL],
		seconds[PLAIN]);
	if (argc > 4)
		printf(", %.2f of the database", seconds[CONVERTED]);
	putchar('\n');
	sqlite3_close(db);
	return wrong > 0;
}
