#ifndef EAR_CALL_STACK_WATCH_H
#define EAR_CALL_STACK_WATCH_H

#include <earshot/call_frame.h>

/* For those who want to know when frames begin and end. */
enum ear_call_stack_end {
	EAR_CALL_STACK_RETURNED,  /* control went to where the frame returns to */
	EAR_CALL_STACK_UNWOUND,   /* past it: longjmp, an exception, another task in its memory */
	EAR_CALL_STACK_FORGOTTEN, /* a gap, or a limit: what became of it is not known */
};

struct ear_call_stack_watch {
	/* Its mark, 1 or more, which the frame keeps. below: the mark of the frame below it; 0: a
	 * base. */
	uint32_t (*entered)(
		void *context, uint16_t hart, const struct ear_call_frame *frame, uint32_t below);
	/* position: of the record that ended it. Of frames that end together, the newest first. */
	void (*left)(void *context, uint16_t hart, const struct ear_call_frame *frame,
		uint32_t mark, enum ear_call_stack_end end, uint64_t position);
	void *context;
};

#endif
