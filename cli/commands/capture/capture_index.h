#ifndef EAR_CAPTURE_INDEX_H
#define EAR_CAPTURE_INDEX_H

#include <stdbool.h>

#include "cli/output/outputs.h"

/* The indexes of capture files while they are written (capture --index): a thread of the lowest
 * priority builds, and then extends, what is there to be read. docs/index.md, section 7.
 */
struct capture_index;

/* Is there a capture file that can have an index? */
bool capture_index_possible(const struct outputs *outputs);

/* The outputs are open. Returns NULL after printing if it cannot be done. */
struct capture_index *capture_index_begin(const struct outputs *outputs);

/* The capture is over, and its files are complete: end the thread, build what is missing, with
 * progress, and print where the indexes are unless quiet. Another signal ends it; an index that is
 * extended later may be left. complete false: only end the thread. NULL is fine. */
void capture_index_end(struct capture_index *index, bool complete, bool quiet);

#endif
