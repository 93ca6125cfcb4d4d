#ifndef EAR_FOLLOWERS_H
#define EAR_FOLLOWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "library/memory/memory_state.h"
#include "library/source/source.h"
#include "library/state/flow.h"
#include "library/state/state.h"
#include "random.h"

/* Those who follow registers, memory and calls, together: the same trace can reach them in single
 * records, in runs and in summaries of runs, and must leave the same.
 */
struct followers {
	struct ear_state *state;
	struct ear_memory *memory;
	struct ear_flow flow;
	bool part;
};

struct followers_options {
	enum ear_memory_key key;
	bool captured; /* else the trace is a text */
	bool part;     /* not the first part of its trace */
};

/* Fails the test where something cannot be done, as all of these. */
void followers_begin(struct followers *followers, const struct followers_options *options);
void followers_end(struct followers *followers);

void followers_push(
	struct followers *followers, uint64_t position, const struct ear_record *record);
void followers_push_run(struct followers *followers, uint64_t position,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts);
/* The run fits (ear_run_summary_fits). */
void followers_push_summary(struct followers *followers, uint64_t position,
	const struct ear_compact_run *run, const struct ear_compact_record *compacts);

/* After count records. Ends what both have of calls. */
void followers_assert_same(struct followers *left, struct followers *right, uint64_t count);

#endif
