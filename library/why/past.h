#ifndef EAR_PAST_H
#define EAR_PAST_H

#include <earshot/value_chain.h>

#include "library/why/past_window.h"

/* What was written before a position, for questions that go backward: a window of records is in
 * memory, and what is older is found by the library's search. */

/* Returns 0, EAR_E_UNSUPPORTED (a pipe), EAR_E_NO_MEMORY. */
int ear_past_init(
	struct ear_past *past, struct ear_trace *trace, const struct ear_progress *progress);
void ear_past_fini(struct ear_past *past);

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

/* False: the trace was read as a whole, and has no gap record. So no search for one is needed. */
bool ear_past_has_gaps(const struct ear_past *past);

/* A capture has a gap record wherever something is missing. */
bool ear_past_is_capture(const struct ear_past *past);

/* Is it memory that changes by itself, by the options of the trace? */
bool ear_past_is_device(const struct ear_past *past, const struct ear_value_place *place);

#endif
