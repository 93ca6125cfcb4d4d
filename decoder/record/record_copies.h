#ifndef EAR_RECORD_COPIES_H
#define EAR_RECORD_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/record/record.h"
#include "decoder/record/record_run.h"

/* Records to be carried from one thread to another: copies of them, with all that they point to,
 * and what was to be told about lines in between. Memory is used again.
 */
struct ear_record_copies_memory;

/* A line that something is to be told about, as ear_line_report has it. */
struct ear_record_note {
	size_t position; /* before the record with this number, from 0; runs count too */
	uint64_t line_number, offset;
	bool bad;
	char cause[160];
};

/* A run of records, kept in short. */
struct ear_record_copied_run {
	size_t position; /* before the copy with this number, from 0 */
	size_t first;    /* its first brief */
	struct ear_record_run run;
};

struct ear_record_copies {
	struct ear_record *records;
	size_t count, capacity;
	struct ear_record_copied_run *runs;
	size_t run_count, run_capacity;
	struct ear_record_brief *briefs; /* of all runs */
	size_t brief_count, brief_capacity;
	struct ear_record_note *notes;
	size_t note_count, note_capacity;

	struct ear_record_copies_memory *first,
		*last; /* the copies are in these, one after another */
	size_t used;   /* bytes of the last one */
	size_t size;   /* bytes of all copies and briefs */
};

/* All zero is an empty batch. */
void ear_record_copies_fini(struct ear_record_copies *batch);

void ear_record_copies_clear(struct ear_record_copies *batch);

/* Append a copy. Returns it, NULL if memory is short. */
struct ear_record *ear_record_copies_add(
	struct ear_record_copies *batch, const struct ear_record *record);

/* Append a run. Returns 0 or EAR_E_NO_MEMORY. */
int ear_record_copies_add_run(struct ear_record_copies *batch, const struct ear_record_run *run,
	const struct ear_record_brief *briefs);

/* Append a record, in short if it is an ordinary one. Returns 0 or EAR_E_NO_MEMORY. */
int ear_record_copies_add_short(struct ear_record_copies *batch, const struct ear_record *record);

/* Records of a batch, runs and copies, in their order. */
static inline size_t ear_record_copies_count(const struct ear_record_copies *batch)
{
	return batch->count + batch->brief_count;
}

/* A place in a batch. It must not be moved. */
struct ear_record_cursor {
	const struct ear_record_copies *batch;
	size_t at;       /* records before it */
	size_t next;     /* copy */
	size_t next_run; /* that is not begun */
	const struct ear_record_copied_run *run;
	size_t in_run;   /* records of run that were given */
	uint64_t absent; /* of the record given last: as the run has it */
	struct ear_record_made made;
};

/* NULL: a batch without records. */
void ear_record_cursor_begin(
	struct ear_record_cursor *cursor, const struct ear_record_copies *batch);

/* The next record, valid until the next call, for the caller to change; NULL if there is none. */
struct ear_record *ear_record_cursor_next(struct ear_record_cursor *cursor);

/* Note what is to be told behind the records so far. Returns 0 or EAR_E_NO_MEMORY. */
int ear_record_copies_note(struct ear_record_copies *batch, uint64_t line_number, uint64_t offset,
	const char *cause, bool bad);

#endif
