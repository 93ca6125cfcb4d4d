#ifndef EAR_TASK_TRACE_H
#define EAR_TASK_TRACE_H

#include <earshot/trace.h>
#include <stddef.h>
#include <stdint.h>

/* A random trace in which tasks of two harts take turns, run methods and get names; with gaps, and
 * records without a time. It is a JSON text in a file of its own. */
struct task_trace {
	char path[256];
	size_t count; /* records */
};

/* count: how many there are, or a few less. */
void task_trace_make(struct task_trace *made, uint64_t seed, size_t count);
void task_trace_free(struct task_trace *made);

/* Open it; fails the test if that cannot be done. */
struct ear_trace *task_trace_open(const struct task_trace *made);

#endif
