#ifndef EAR_PAST_WINDOW_H
#define EAR_PAST_WINDOW_H

#include <earshot/trace.h>

#include "library/api/cursor.h"
#include "library/api/meter.h"

/* The records before a position, for questions that go backward: a window of them is in memory, and
 * what is older is found by the library's search. Records that are handed out are valid until the
 * next call that may load another window: those that return int.
 */
#define EAR_PAST_WINDOW 65536u /* records in memory, at most */
#define EAR_PAST_BLOCKS 64u    /* MiB of what they point to */

struct ear_past {
	struct ear_trace *trace;
	const struct ear_progress *progress;
	struct ear_cursor cursor;
	struct ear_meter meter;

	/* Records at first .. end - 1. */
	uint64_t first, end;
	struct ear_record *records;
	uint64_t *numbers;
	size_t capacity; /* of both */
	char **blocks;   /* what records point to */
	size_t block_count;
	size_t bytes;

	/* What was found of places: links of a chain ask for the same ones again and again. */
	struct ear_past_known *known;
	struct ear_past_complete *complete;

	/* One other record. */
	struct ear_record peeked;
	char *peeked_memory;
	uint64_t peeked_position, peeked_number;

	bool begins_asked;
	int begins; /* with the first instruction of the program */
};

/* Load the window that ends before position end, or at the end of the trace: *end becomes that.
 * Returns 0, EAR_E_CANCELLED, EAR_E_NO_MEMORY, or an error of reading. */
int ear_past_load(struct ear_past *past, uint64_t *end);

/* What a capture says about itself at its end, under a key: the text, "" if it does not say it. The
 * window is that of the end. */
void ear_past_end_fact(struct ear_past *past, const char *key, char *text, size_t size);

/* The record at position, with a window that has it and, if it is a new one, ends after it.
 * Returns 1 and *record; 0 at the end; or as ear_past_load. */
int ear_past_at(struct ear_past *past, uint64_t position, const struct ear_record **record);

/* A record of the window; NULL if position is outside of it. */
const struct ear_record *ear_past_in_window(const struct ear_past *past, uint64_t position);
uint64_t ear_past_number(const struct ear_past *past, uint64_t position); /* in the window */

/* The record at position, without another window: valid until the next peek. Returns as
 * ear_past_at. */
int ear_past_peek(struct ear_past *past, uint64_t position, const struct ear_record **record);

#endif
