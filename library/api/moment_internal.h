#ifndef EAR_MOMENT_INTERNAL_H
#define EAR_MOMENT_INTERNAL_H

#include <earshot/moment.h>

struct ear_index_walk;
struct ear_state;
struct ear_call_stacks;

/* What histories (history.c) and paths of calls (calls.c) take from a moment. */

/* The registers; NULL if the moment is at no position. Valid until the moment is used again. */
const struct ear_state *ear_moment_state(const struct ear_moment *moment);

/* The reader of the records before it, where it is; NULL: it is elsewhere. */
const struct ear_index_walk *ear_moment_walk(const struct ear_moment *moment);

/* Is what memory holds at positions first .. end what it held at first, and what the accesses in
 * between say (index_log.h)? Then nothing is forgotten there. */
bool ear_moment_has_log(struct ear_moment *moment, uint64_t first, uint64_t end);

/* The bytes of a line (EAR_MEMORY_LINE) that are never known, a bit for each. Returns 0 and *mask,
 * or an error of reading, which the trace has. */
int ear_moment_never_known(struct ear_moment *moment, uint64_t line, uint64_t *mask);

/* The call stacks; valid until the moment is used again. Returns 0; EAR_E_UNSUPPORTED, which the
 * trace does not have, or as ear_moment_stack. */
int ear_moment_stacks(struct ear_moment *moment, const struct ear_call_stacks **stacks,
	const struct ear_progress *progress);

#endif
