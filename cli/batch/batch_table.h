#ifndef CLI_BATCH_TABLE_H
#define CLI_BATCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/batch/batch_list.h"

/* What became of each trace: rows, their total, and the worst status. */
#define BATCH_COLUMNS_MAX 4

enum batch_state { BATCH_NOT_DONE, BATCH_DONE, BATCH_NO, BATCH_FAILED, BATCH_STATES };

struct batch_row {
	enum batch_state state;
	unsigned known; /* set of columns */
	uint64_t numbers[BATCH_COLUMNS_MAX];
	char *text; /* of BATCH_NO what was found first, of BATCH_FAILED why; NULL: not said */
};

struct batch_table {
	const struct batch_list *list;
	const char *const *columns; /* names; NULL after the last one */
	const char *no;             /* the name of BATCH_NO */
	struct batch_row *rows;     /* one for each item of the list */
	size_t counts[BATCH_STATES];
};

/* Returns false without memory. */
bool batch_table_init(struct batch_table *table, const struct batch_list *list,
	const char *const *columns, const char *no);
void batch_table_fini(struct batch_table *table);

void batch_table_set(struct batch_table *table, size_t index, enum batch_state state);

/* The number of a column; other names are of no column. */
void batch_table_note(
	struct batch_row *row, const struct batch_table *table, const char *name, uint64_t number);

const char *batch_table_state_name(const struct batch_table *table, enum batch_state state);

/* The worst one, as an exit status; a trace that was not done is a failure. */
int batch_table_status(const struct batch_table *table);

/* "12 of 37 traces, 1 failed", for a progress line. */
void batch_table_progress(const struct batch_table *table, char *text, size_t size);

/* A name or a text from outside as a part of a line. */
void batch_table_print_name(FILE *to, const char *name);

void batch_table_print(const struct batch_table *table, FILE *to);

/* The members of a row, and after the last one the object "total". */
void batch_table_json_row(const struct batch_table *table, size_t index);
void batch_table_json_total(const struct batch_table *table);

#endif
