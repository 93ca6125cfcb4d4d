#ifndef EAR_ANDROID_CALLS_H
#define EAR_ANDROID_CALLS_H

#include "cli/android/tools/flow.h"

/* Follows calls: for each task which functions it is in, by how its blocks follow each other. */
struct ear_android_call_frame {
	struct ear_android_symbol *symbol;
	uint32_t back;     /* where it returns to; 0: not known */
	uint64_t entered;  /* of a method: the time of its event */
	bool is_event;     /* pushed by a method event */
	bool is_method;    /* and no native one */
	bool is_exception; /* pushed by an exception */
	bool interrupted;  /* an exception is above it */
};

struct ear_android_stack {
	uint32_t pid;
	bool is_kernel;  /* of all tasks: see apart */
	uint64_t cycles; /* for which it ran */
	size_t depth;
};

/* A frame, 0 .. depth-1; valid until the next call of a hook. */
const struct ear_android_call_frame *ear_android_stack_frame(
	const struct ear_android_stack *stack, size_t number);

/* Each returns 0, or an error that ends all. */
struct ear_android_call_hooks {
	/* A function was entered, or is left: the last frame of the stack. */
	int (*call)(void *context, uint64_t time, bool enter, const struct ear_android_stack *stack,
		const struct ear_android_call_frame *frame, size_t depth);
	/* A block runs; its calls come after this. stack: that of the block before, or NULL. A
	 * result of 1 ends the trace here, without leaving anything. NULL: nobody asks. */
	int (*ran)(void *context, const struct ear_android_run *run,
		const struct ear_android_stack *stack);
	void *context;
};

/* Follow the calls of all of a trace; at its end everything is left, task by task. apart: the
 * kernel has a stack of its own, which is that of all tasks, and is empty while user code runs; it
 * comes last. Returns 0, 1 if a hook ended it,
 * or an error: ear_android_trace_message has the sentence. */
int ear_android_calls_run(
	struct ear_android_trace *trace, bool apart, const struct ear_android_call_hooks *hooks);

#endif
