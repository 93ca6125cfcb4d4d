#ifndef EAR_INDEX_PROGRESS_H
#define EAR_INDEX_PROGRESS_H

#include <stdint.h>

/* Called at least every 50 ms during whatever takes longer: *done* of *total* bytes of the trace
 * are read (total 0: unknown). Returns 0 to continue; any other value ends the work, which returns
 * EAR_E_CANCELLED and leaves nothing behind.
 */
typedef int ear_index_progress(void *context, uint64_t done, uint64_t total);

#endif
