#ifndef EAR_PROGRESS_CALL_H
#define EAR_PROGRESS_CALL_H

#include <stdint.h>

/* The function of a struct ear_progress (earshot/trace.h): shows a line when it is due, and ends
 * the work after Ctrl-C. */
int cli_progress_call(void *context, uint64_t done, uint64_t total, const char *what);

#endif
