/* The table at the end of a batch. The numbers of a row are on the left, as wide as they are, and
 * the name of the trace, which may be of any length, ends its line. A column of which a trace that
 * was read lacks the number has no total.
 */
#include "cli/batch/batch_table.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/cli.h"
#include "common/plural.h"
#include "common/printable.h"

#define NUMBER_WIDTH 14

bool batch_table_init(struct batch_table *table, const struct batch_list *list,
	const char *const *columns, const char *no)
{
	*table = (struct batch_table){.list = list, .columns = columns, .no = no};
	table->rows = calloc(list->count + 1, sizeof(*table->rows));
	table->counts[BATCH_NOT_DONE] = list->count;
	if (!table->rows)
		cli_error("out of memory");
	return table->rows != NULL;
}

void batch_table_fini(struct batch_table *table)
{
	for (size_t i = 0; table->rows && i < table->list->count; i++)
		free(table->rows[i].text);
	free(table->rows);
	table->rows = NULL;
}

void batch_table_note(
	struct batch_row *row, const struct batch_table *table, const char *name, uint64_t number)
{
	for (unsigned i = 0; i < BATCH_COLUMNS_MAX && table->columns[i]; i++)
		if (strcmp(table->columns[i], name) == 0) {
			row->numbers[i] = number;
			row->known |= 1u << i;
		}
}

const char *batch_table_state_name(const struct batch_table *table, enum batch_state state)
{
	switch (state) {
	case BATCH_DONE: return "done";
	case BATCH_NO: return table->no ? table->no : "no";
	case BATCH_FAILED: return "failed";
	default: return "not done";
	}
}

void batch_table_set(struct batch_table *table, size_t index, enum batch_state state)
{
	table->counts[table->rows[index].state]--;
	table->counts[state]++;
	table->rows[index].state = state;
}

int batch_table_status(const struct batch_table *table)
{
	if (table->counts[BATCH_FAILED] > 0 || table->counts[BATCH_NOT_DONE] > 0)
		return EAR_EXIT_FAILED;
	return table->counts[BATCH_NO] > 0 ? EAR_EXIT_NO : EAR_EXIT_DONE;
}

/* The sum of a column; false: there is none. */
static bool find_total(const struct batch_table *table, unsigned column, uint64_t *total)
{
	bool known = false;

	*total = 0;
	for (size_t i = 0; i < table->list->count; i++) {
		const struct batch_row *row = &table->rows[i];
		const bool has = row->known >> column & 1;

		if (!has && (row->state == BATCH_DONE || row->state == BATCH_NO))
			return false;
		*total += has ? row->numbers[column] : 0;
		known = known || has;
	}
	return known;
}

/* "5 done, 1 failed" */
static void add_states(const struct batch_table *table, const char *before, char *text, size_t size)
{
	static const enum batch_state states[] = {
		BATCH_DONE, BATCH_NO, BATCH_FAILED, BATCH_NOT_DONE};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		const size_t count = table->counts[states[i]], used = strlen(text);

		if (count == 0)
			continue;
		snprintf(text + used, size - used, "%s%zu %s", before, count,
			batch_table_state_name(table, states[i]));
		before = ", ";
	}
}

void batch_table_progress(const struct batch_table *table, char *text, size_t size)
{
	const size_t count = table->list->count;
	const size_t failed = table->counts[BATCH_FAILED], no = table->counts[BATCH_NO];

	snprintf(text, size, "%zu of %zu trace%s", count - table->counts[BATCH_NOT_DONE], count,
		ear_plural(count));
	if (failed > 0)
		snprintf(text + strlen(text), size - strlen(text), ", %zu failed", failed);
	if (no > 0)
		snprintf(text + strlen(text), size - strlen(text), ", %zu %s", no,
			batch_table_state_name(table, BATCH_NO));
}

static void print_number(FILE *to, bool known, uint64_t number)
{
	if (known)
		fprintf(to, "%*" PRIu64 "  ", NUMBER_WIDTH, number);
	else
		fprintf(to, "%*s  ", NUMBER_WIDTH, "-");
}

void batch_table_print_name(FILE *to, const char *name)
{
	char text[PATH_MAX];

	ear_printable_string(text, sizeof(text), name, EAR_PRINTABLE_LINE);
	fputs(text, to);
}

void batch_table_print(const struct batch_table *table, FILE *to)
{
	const struct batch_list *list = table->list;
	size_t width = strlen("not done");
	char text[512];

	if (table->no && strlen(table->no) > width)
		width = strlen(table->no);
	for (unsigned i = 0; table->columns[i]; i++)
		fprintf(to, "%*s  ", NUMBER_WIDTH, table->columns[i]);
	fprintf(to, "%-*s  trace\n", (int)width, "state");
	for (size_t i = 0; i < list->count; i++) {
		const struct batch_row *row = &table->rows[i];

		for (unsigned j = 0; table->columns[j]; j++)
			print_number(to, row->known >> j & 1, row->numbers[j]);
		fprintf(to, "%-*s  ", (int)width, batch_table_state_name(table, row->state));
		batch_table_print_name(to, list->items[i].path);
		fputc('\n', to);
	}
	for (unsigned j = 0; table->columns[j]; j++) {
		uint64_t total;
		const bool known = find_total(table, j, &total);
		print_number(to, known, total);
	}
	fprintf(to, "%-*s  total\n", (int)width, "");
	batch_list_text(list, text, sizeof(text));
	char *rest = strchr(text, ';');
	char skipped[sizeof(text)] = "";
	if (rest) {
		strcpy(skipped, rest);
		*rest = '\0';
	}
	add_states(table, ": ", text, sizeof(text));
	fprintf(to, "%s%s\n", text, skipped);
}

static void print_json_numbers(
	const struct batch_table *table, unsigned column, bool known, uint64_t number)
{
	fputs(", ", stdout);
	cli_print_json(table->columns[column]);
	if (known)
		printf(": %" PRIu64, number);
	else
		fputs(": null", stdout);
}

void batch_table_json_row(const struct batch_table *table, size_t index)
{
	const struct batch_row *row = &table->rows[index];

	fputs("\"trace\": ", stdout);
	cli_print_json(table->list->items[index].path);
	fputs(", \"state\": ", stdout);
	cli_print_json(batch_table_state_name(table, row->state));
	for (unsigned i = 0; table->columns[i]; i++)
		print_json_numbers(table, i, row->known >> i & 1, row->numbers[i]);
}

void batch_table_json_total(const struct batch_table *table)
{
	const struct batch_list *list = table->list;

	printf("\"total\": {\"traces\": %zu", list->count);
	for (enum batch_state state = BATCH_NOT_DONE; state < BATCH_STATES; state++) {
		fputs(", ", stdout);
		cli_print_json(batch_table_state_name(table, state));
		printf(": %zu", table->counts[state]);
	}
	printf(", \"others\": %" PRIu64 ", \"links\": %" PRIu64 ", \"special\": %" PRIu64,
		list->others, list->links, list->specials);
	for (unsigned i = 0; table->columns[i]; i++) {
		uint64_t total;
		const bool known = find_total(table, i, &total);
		print_json_numbers(table, i, known, total);
	}
	putchar('}');
}
