/* The pc that a trace executes most, found in columns: arrays of one member of many records.
 *
 *     ./columns run.shot
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <earshot/earshot.h>

#define ROWS  65536
#define SLOTS (1u << 20) /* of the table; more pcs than that are not distinguished */

static uint64_t pcs[ROWS];
static struct {
	uint64_t pc, count;
} table[SLOTS];

static void count_pc(uint64_t pc)
{
	size_t slot = (size_t)(pc >> 1) % SLOTS;

	table[slot].pc = pc;
	table[slot].count++;
}

int main(int argc, char **argv)
{
	char error[EAR_TRACE_ERROR_MAX];
	struct ear_trace_options options = EAR_TRACE_DEFAULTS;
	const struct ear_column columns[] = {{EAR_COLUMN_PC, pcs}};
	struct ear_trace *trace;
	size_t most = 0;
	int64_t rows;

	if (argc != 2) {
		fprintf(stderr, "usage: columns TRACE\n");
		return 2;
	}
	options.error = error;
	if (ear_trace_open(&trace, argv[1], &options) != 0) {
		fprintf(stderr, "columns: %s\n", error);
		return 1;
	}
	do {
		rows = ear_trace_columns(
			trace, columns, 1, ROWS, 1u << EAR_RECORD_INSTRUCTION, NULL, NULL);
		for (int64_t i = 0; i < rows; i++)
			count_pc(pcs[i]);
	} while (rows == ROWS);
	if (rows < 0)
		fprintf(stderr, "columns: %s\n", ear_trace_error(trace));
	for (size_t i = 0; i < SLOTS; i++)
		if (table[i].count > table[most].count)
			most = i;
	printf("%" PRIx64 " %" PRIu64 " times\n", table[most].pc, table[most].count);
	ear_trace_close(trace);
	return rows < 0;
}
