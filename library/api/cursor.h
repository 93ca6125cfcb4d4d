#ifndef EAR_CURSOR_H
#define EAR_CURSOR_H

#include <earshot/trace.h>

#include "library/api/meter.h"
#include "library/api/seen.h"
#include "library/index/index_walk.h"
#include "library/source/source_anchor.h"

/* A place in a trace, with a reader of its own. Runs of compact records are handed out whole, in
 * parts, or record by record, whatever was asked before.
 */
struct ear_cursor {
	int fd;
	struct ear_source_options options;
	struct ear_source *source;   /* NULL: not open yet */
	struct ear_index *index;     /* that a seek uses; NULL: none */
	struct ear_index_walk *walk; /* of that; NULL: until the first seek */
	uint64_t position, number;   /* of the next record */
	struct ear_seen *seen;       /* notes what is passed; NULL: nobody does */

	/* The rest of a run: records at .. count - 1. run NULL: none. */
	const struct ear_compact_run *run;
	const struct ear_compact_record *compacts;
	const struct ear_operands *operands; /* of the whole run, if the source has them */
	size_t at;
	bool expanded_begun;
	struct ear_compact_run part;
	struct ear_expanded_record expanded;
	bool with_reads;
	const struct ear_source_layers *layers; /* over the source; NULL: none */

	/* The record handed out last, by ear_cursor_next; again: it comes once more. */
	const struct ear_record *last;
	bool again;
};

/* Open the source, unless it is. Returns as ear_source_new. */
int ear_cursor_open(struct ear_cursor *cursor);
void ear_cursor_close(struct ear_cursor *cursor);

/* Returns as ear_source_next. */
int ear_cursor_next(struct ear_cursor *cursor, const struct ear_record **record);

/* Each becomes the other. A record handed out by one of them is invalid. */
void ear_cursor_swap(struct ear_cursor *a, struct ear_cursor *b);

/* Let the record that ear_cursor_next returned just now be the next one again. */
void ear_cursor_back(struct ear_cursor *cursor);

/* As ear_cursor_next for a batch of at most max records, at least 1. */
int ear_cursor_next_batch(struct ear_cursor *cursor, struct ear_batch *batch, size_t max);

/* From now on seeks use this index, or none (NULL). */
void ear_cursor_use_index(struct ear_cursor *cursor, struct ear_index *index);

/* The cursor has an index: go to position by that, wherever it is now. Returns as ear_cursor_seek.
 */
int ear_cursor_walk_to(struct ear_cursor *cursor, uint64_t position, struct ear_meter *meter);

/* The same for the position of a walk of the same index, which has decoded what is before it. */
int ear_cursor_join(
	struct ear_cursor *cursor, const struct ear_index_walk *walk, struct ear_meter *meter);

/* The file is not the one that the index was made of. */
bool ear_cursor_changed(const struct ear_cursor *cursor);

/* Let the record at position be the next one. The meter counts records. Returns 1; 0 if the trace
 * ends before; EAR_E_CANCELLED, or an error of reading. */
int ear_cursor_seek(struct ear_cursor *cursor, uint64_t position, struct ear_meter *meter);

#endif
