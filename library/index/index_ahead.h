#ifndef EAR_INDEX_AHEAD_H
#define EAR_INDEX_AHEAD_H

#include "library/index/index_feed.h"

/* A feed in another thread, some batches ahead of who follows its records. Nothing differs but the
 * thread. Memory: 64 batches of some 128 KiB.
 */
struct ear_index_ahead;

/* Begin. The feed and its source belong to the thread until free, or until next returned 0 or an
 * error. Returns 0 and *ahead, to be freed; EAR_E_NO_MEMORY if there is no memory or no thread. */
int ear_index_ahead_new(struct ear_index_ahead **ahead, struct ear_index_feed *feed);
void ear_index_ahead_free(struct ear_index_ahead *ahead);

/* As ear_index_feed_next. */
int ear_index_ahead_next(struct ear_index_ahead *ahead, struct ear_index_step *step);

#endif
