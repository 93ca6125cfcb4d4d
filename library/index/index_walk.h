#ifndef EAR_INDEX_WALK_H
#define EAR_INDEX_WALK_H

#include "library/index/file/index_progress.h"
#include "library/index/index_query.h"
#include "library/source/source.h"

/* Reading a trace from any position, by the anchors of its index, with a check that it is still the
 * trace that the index was made of.
 */
struct ear_index_walk;

/* index NULL: without one; then every walk back begins at the beginning of the trace. Both stay the
 * caller's, and source must be used by nobody else. Returns 0 or EAR_E_NO_MEMORY.
 */
int ear_index_walk_new(
	struct ear_index_walk **walk, struct ear_index *index, struct ear_source *source);
void ear_index_walk_free(struct ear_index_walk *walk);

/* The next record is the one at position (at most that of the end; the end of the trace without an
 * index). It decodes from the last anchor, or from here if that is nearer. Returns 0; as
 * ear_index_walk_next.
 */
int ear_index_walk_to(struct ear_index_walk *walk, uint64_t position);

/* The same for the position of another walk of the same file, which need not be decoded again: from
 * its decoder's state. The bytes of the stretch that it is in are not checked. */
int ear_index_walk_join(struct ear_index_walk *walk, const struct ear_index_walk *other);

/* The next record or run (as ear_source_next, ear_source_next_run).
 *
 * Returns 1; 0 at the end; EAR_E_BAD_FILE at the end of a stretch whose bytes are not those that
 * were indexed: ear_index_walk_changed is true then, and what came from the stretch, and every
 * other answer, is not to be trusted; any error of ear_source_next.
 */
int ear_index_walk_next(struct ear_index_walk *walk, const struct ear_record **record);
int ear_index_walk_next_run(struct ear_index_walk *walk, struct ear_source_run *run);

/* As next_run, but not beyond position end, which is behind the next record. */
int ear_index_walk_next_before(
	struct ear_index_walk *walk, uint64_t end, struct ear_source_run *run);

/* If the walk is at the end of a stretch: check what was read from it. Returns 0 or as
 * ear_index_walk_next. */
int ear_index_walk_check_end(struct ear_index_walk *walk);

/* Finish the stretch that is being read, so that what was read from it is checked; where the walk
 * stands afterwards is open. Returns 0 or as ear_index_walk_next. */
int ear_index_walk_check(struct ear_index_walk *walk);

bool ear_index_walk_changed(const struct ear_index_walk *walk);

/* NULL: there is none. */
struct ear_index *ear_index_walk_index(const struct ear_index_walk *walk);
const struct ear_source *ear_index_walk_source(const struct ear_index_walk *walk);

/* Of the record that comes next. */
uint64_t ear_index_walk_position(const struct ear_index_walk *walk);
uint64_t ear_index_walk_number(const struct ear_index_walk *walk);

/* During long walks; NULL: none. */
void ear_index_walk_set_progress(
	struct ear_index_walk *walk, ear_index_progress *progress, void *context);

#endif
