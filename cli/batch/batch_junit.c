/* JUnit's XML of a batch. The names of traces are from outside: each goes through xml_print. */
#include "cli/batch/batch_junit.h"

#include "cli/base/xml.h"

static void write_row(const struct batch_table *table, size_t index, FILE *file)
{
	const struct batch_row *row = &table->rows[index];
	static const char *const tags[BATCH_STATES] = {
		[BATCH_NOT_DONE] = "skipped", [BATCH_NO] = "failure", [BATCH_FAILED] = "error"};

	if (!tags[row->state])
		return;
	fprintf(file, "      <%s message=\"", tags[row->state]);
	xml_print(file, row->text ? row->text : batch_table_state_name(table, row->state));
	fputs("\"/>\n", file);
}

void batch_junit_write(const struct batch_table *table, const char *command, FILE *file)
{
	fprintf(file,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"  <testsuite name=\"earshot %s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\">\n",
		command, table->list->count, table->counts[BATCH_NO], table->counts[BATCH_FAILED],
		table->counts[BATCH_NOT_DONE]);
	for (size_t i = 0; i < table->list->count; i++) {
		fprintf(file, "    <testcase classname=\"earshot.%s\" name=\"", command);
		xml_print(file, table->list->items[i].path);
		fputs(table->rows[i].state == BATCH_DONE ? "\"/>\n" : "\">\n", file);
		write_row(table, i, file);
		if (table->rows[i].state != BATCH_DONE)
			fputs("    </testcase>\n", file);
	}
	fputs("  </testsuite>\n</testsuites>\n", file);
}
