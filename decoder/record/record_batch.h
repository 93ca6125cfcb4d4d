#ifndef EAR_RECORD_BATCH_H
#define EAR_RECORD_BATCH_H

#include <earshot/record.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A batch of records that one thread hands to another: compact records where possible, else copies
 * with all that they point to; and the reports about lines between them. A cleared batch keeps its
 * memory.
 */
struct ear_record_batch_block;

/* A report about a line, with the arguments of ear_line_report. */
struct ear_record_batch_report {
	size_t position; /* number of records before it, those of runs included */
	uint64_t line_number, offset;
	unsigned kind; /* enum ear_line_kind */
	char cause[160];
};

/* A run of compact records in a batch. */
struct ear_record_batch_run {
	size_t position; /* number of copies before it */
	size_t first;    /* index of its first compact record */
	struct ear_compact_run run;
};

struct ear_record_batch {
	struct ear_record *records;
	size_t count, capacity;
	struct ear_record_batch_run *runs;
	size_t run_count, run_capacity;
	struct ear_compact_record *compacts; /* of all runs */
	size_t compact_count, compact_capacity;
	struct ear_record_batch_report *reports;
	size_t report_count, report_capacity;

	struct ear_record_batch_block *first, *last; /* memory of the copies, in order */
	size_t used;                                 /* bytes of the last block */
	size_t size;                                 /* bytes of all copies and compact records */
};

/* All zero is an empty batch. */
void ear_record_batch_fini(struct ear_record_batch *batch);

void ear_record_batch_clear(struct ear_record_batch *batch);

/* Append a copy. Returns the copy, or NULL if memory is short. */
struct ear_record *ear_record_batch_add(
	struct ear_record_batch *batch, const struct ear_record *record);

/* Append a run. Returns 0 or EAR_E_NO_MEMORY. */
int ear_record_batch_add_run(struct ear_record_batch *batch, const struct ear_compact_run *run,
	const struct ear_compact_record *compacts);

/* Append a record, in compact form if it is ordinary. Returns 0 or EAR_E_NO_MEMORY. */
int ear_record_batch_add_compact(struct ear_record_batch *batch, const struct ear_record *record);

/* The number of records in a batch, those of runs and copies. */
static inline size_t ear_record_batch_count(const struct ear_record_batch *batch)
{
	return batch->count + batch->compact_count;
}

/* A position in a batch. It must not move in memory. */
struct ear_record_cursor {
	const struct ear_record_batch *batch;
	size_t at;       /* number of records before it */
	size_t next;     /* index of the next copy */
	size_t next_run; /* index of the next run to begin */
	const struct ear_record_batch_run *run;
	size_t in_run;   /* records of the run already returned */
	uint64_t absent; /* absent fields of the record returned last */
	struct ear_expanded_record expanded;
};

/* NULL: a batch without records. */
void ear_record_cursor_begin(
	struct ear_record_cursor *cursor, const struct ear_record_batch *batch);

/* The next record, or NULL at the end. It is valid until the next call, and the caller may change
 * it.
 */
struct ear_record *ear_record_cursor_next(struct ear_record_cursor *cursor);

/* Append a report after the records so far. Returns 0 or EAR_E_NO_MEMORY. */
int ear_record_batch_add_report(struct ear_record_batch *batch, uint64_t line_number,
	uint64_t offset, const char *cause, unsigned kind);

#endif
