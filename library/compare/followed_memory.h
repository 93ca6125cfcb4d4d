#ifndef EAR_FOLLOWED_MEMORY_H
#define EAR_FOLLOWED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which bytes of memory hold a value that depends on a tolerated read (tolerance.h), and what was
 * stored there. One side of a comparison, all of its harts.
 *
 * A byte counts only as long as it is read as it was stored: whatever else has written it, another
 * hart or a device, ends that. At most EAR_FOLLOWED_WORDS_MAX aligned words of 8 bytes are kept;
 * what does not fit is not followed, which is reported (ear_followed_lost).
 */
#define EAR_FOLLOWED_WORDS_MAX 131072u

/* Where a value comes from. */
struct ear_origin {
	uint32_t source; /* number of the source, 0: no tolerated read */
	bool has_value;  /* value is what is there */
	uint64_t record; /* number of the record that read it, on its side */
	uint64_t value;
};

struct ear_followed;

/* Returns an empty set, or NULL without memory. */
struct ear_followed *ear_followed_new(void);
void ear_followed_free(struct ear_followed *followed);

/* Words that hold something; stores that found no room. */
size_t ear_followed_count(const struct ear_followed *followed);
uint64_t ear_followed_lost(const struct ear_followed *followed);

/* Nothing is followed any more. */
void ear_followed_clear(struct ear_followed *followed);

/* size bytes, 1 .. 8, from address on are stored: with an origin, or without one (source 0).
 * Without has_value any value counts as the stored one. */
void ear_followed_store(struct ear_followed *followed, uint64_t address, unsigned size,
	const struct ear_origin *origin);

/* The access reads value, if has_value. Returns a set of its bytes, bit 0 the lowest, that are
 * followed; *stale those of which something else was stored. *origin is that of one of the former,
 * untouched if there is none.
 */
unsigned ear_followed_load(const struct ear_followed *followed, uint64_t address, unsigned size,
	bool has_value, uint64_t value, struct ear_origin *origin, unsigned *stale);

#endif
