#ifndef EAR_PAST_H
#define EAR_PAST_H

#include <earshot/search.h>
#include <earshot/trace.h>
#include <earshot/value_chain.h>

#include "library/api/cursor.h"
#include "library/api/meter.h"

/* The records before a position, for questions that go backward: a window of them is in memory, and
 * what is older is found by the library's search. Records that are handed out are valid until the
 * next call that may load another window: those that return int.
 */
#define EAR_PAST_WINDOW 65536u /* records in memory, at most */

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
	size_t block_count, block_used;
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

/* Returns 0, EAR_E_UNSUPPORTED (a pipe), EAR_E_NO_MEMORY. */
int ear_past_init(
	struct ear_past *past, struct ear_trace *trace, const struct ear_progress *progress);
void ear_past_fini(struct ear_past *past);

/* Load the window that ends before position end, or at the end of the trace: *end becomes that.
 * Returns 0, EAR_E_CANCELLED, EAR_E_NO_MEMORY, or an error of reading. */
int ear_past_load(struct ear_past *past, uint64_t *end);

/* What a capture says about itself at its end, under a key: the text, "" if it does not say it. The
 * window is that of the end. */
void ear_past_end_fact(struct ear_past *past, const char *key, char *text, size_t size);

/* The record at position, with a window that has it and, if it is a new one, ends behind it.
 * Returns 1 and *record; 0 at the end; or as ear_past_load. */
int ear_past_at(struct ear_past *past, uint64_t position, const struct ear_record **record);

/* A record of the window; NULL if position is outside of it. */
const struct ear_record *ear_past_in_window(const struct ear_past *past, uint64_t position);
uint64_t ear_past_number(const struct ear_past *past, uint64_t position); /* in the window */

/* The record at position, without another window: valid until the next peek. Returns as
 * ear_past_at. */
int ear_past_peek(struct ear_past *past, uint64_t position, const struct ear_record **record);

/* The last write of a place before a position: of a register, or of any byte of memory. */
enum ear_past_result {
	EAR_PAST_FOUND,
	EAR_PAST_NONE,  /* nothing in the trace wrote it */
	EAR_PAST_GAP,   /* records are missing before something is found */
	EAR_PAST_OLDER, /* not in the window; only without far */
};

struct ear_past_found {
	enum ear_past_result result;
	uint64_t position; /* FOUND; OLDER: nothing wrote it from there on */
};

/* Returns 0 and *found, or as ear_past_load. far: search what is older than the window, too. */
int ear_past_last_write(struct ear_past *past, const struct ear_value_place *place, uint64_t before,
	bool far, struct ear_past_found *found);

/* Is this access one that changed memory? */
bool ear_past_is_write(const struct ear_record *record, const struct ear_record_access *access);

/* Does the access touch a byte of the place? */
bool ear_past_touches(const struct ear_record_access *access, const struct ear_value_place *place);

/* The value that a record wrote to a place: the last of its writes. Returns false if it wrote
 * nothing there, or the value is not known, or only a part of it. */
bool ear_past_written(
	const struct ear_record *record, const struct ear_value_place *place, uint64_t *value);

/* The value of a place at a position, by what was written and read before. Returns 1 and *value; 0:
 * not known; or as ear_past_load. */
int ear_past_value(struct ear_past *past, const struct ear_value_place *place, uint64_t before,
	uint64_t *value);

/* Memory in the image of the program, where nothing wrote it. Returns 1 and *value; 0: the image
 * does not have it, or the trace begins later than the program did; or an error of reading. */
int ear_past_image(struct ear_past *past, const struct ear_value_place *place, uint64_t *value);

/* A capture has a gap record wherever something is missing. */
bool ear_past_is_capture(const struct ear_past *past);

/* Is it memory that changes by itself, by the options of the trace? */
bool ear_past_is_device(const struct ear_past *past, const struct ear_value_place *place);

#endif
