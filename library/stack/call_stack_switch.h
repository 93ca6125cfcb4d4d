#ifndef EAR_CALL_STACK_SWITCH_H
#define EAR_CALL_STACK_SWITCH_H

#include <earshot/call_frame.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library/stack/call_stack_limits.h"
#include "library/stack/call_stack_watch.h"
#include "library/state/flow.h"

/* The stacks of a hart: for call_stack.c, which follows the events, and call_stack_save.c, which
 * writes and reads them. */

#define NO_STACK UINT32_MAX

struct frame {
	uint64_t position, call_pc, entry, return_pc, sp;
	uint8_t kind; /* enum ear_call_frame_kind, not BASE */
	bool sp_known;
	uint32_t number; /* ear_call_stack_newest; 0: none yet */
	uint32_t mark;   /* ear_call_stacks_watch; 0: none */
};

/* How the hart came to the current stack, until the next transfer. */
enum arrival {
	ARRIVAL_NONE,
	ARRIVAL_SAME,   /* sp was set within the stack */
	ARRIVAL_BACK,   /* into one of the stacks below, of what a handler interrupted */
	ARRIVAL_EXACT,  /* to where another was left */
	ARRIVAL_WITHIN, /* into another, elsewhere */
	ARRIVAL_NEW,    /* to where none was known */
};

/* A piece of memory used as a stack. The base is not among its frames. */
struct stack {
	uint32_t number;
	uint32_t parent; /* number of the stack from which it was entered, NO_STACK: none */
	struct frame *frames;
	size_t count, capacity;
	size_t shared; /* frames that are as in the last save; 0 if the stack was not in it */
	uint64_t base_position, base_entry;
	bool base_seen;       /* base_entry is known */
	uint32_t base_number; /* as of a frame; of what is below it, if there is a parent */
	int64_t base_depth;   /* 0, less one each time the base returned */
	bool start_known, left_known, extent_known;
	uint64_t start;     /* the first value that sp was set to */
	uint64_t left;      /* sp when it was left */
	uint64_t low, high; /* the least and greatest sp seen in it */
	uint64_t left_at;   /* grows with each switch */
	/* A trap came before the transfer that the arrival is for, when there were so many frames.
	 */
	enum arrival arrival;
	size_t arrival_count;
};

/* sp was set, and no transfer came since. */
struct pending {
	bool set, building, from_frame_pointer, leave_known;
	uint64_t leave; /* sp before, if leave_known */
	uint64_t value;
};

struct hart {
	uint16_t number;
	bool foreign;
	bool begun;  /* a record was seen */
	bool broken; /* there was a gap since the begin of the interval */
	bool sp_known, has_next_pc, has_index, has_last, last_stopped;
	bool waiting; /* the event below has no target yet */
	struct ear_flow_event wait;
	uint64_t wait_position;
	uint64_t sp; /* at the begin of the part */
	uint64_t next_pc, next_index;
	struct pending pending;
	struct stack *stacks; /* EAR_CALL_STACKS_MAX of them, once there is one */
	uint32_t stack_count;
	uint32_t current; /* position in stacks */
	uint32_t next_number;
	uint64_t switches;
	size_t frame_count;   /* of all stacks */
	int64_t parent_depth; /* depth of the stacks below the current one */
	int64_t lowest;
	const struct ear_call_stack_watch *watch; /* of the stacks; its functions may be NULL */
	uint64_t now;                             /* position of what enters and leaves frames */
};

struct stack *ear_call_stack_current(const struct hart *hart);

/* Position of a stack by number, NO_STACK if there is none. */
uint32_t ear_call_stack_by_number(const struct hart *hart, uint32_t number);

/* Depth of a stack alone; of the one at a position with those below it. */
int64_t ear_call_stack_own_depth(const struct stack *stack);
int64_t ear_call_stack_total_depth(const struct hart *hart, uint32_t at);

/* Room for count frames in a stack. Returns 0 or EAR_E_NO_MEMORY. */
int ear_call_stack_reserve(struct stack *stack, size_t count);

/* Nothing is known from position on: one stack, of which nothing is known. */
void ear_call_stack_forget(struct hart *hart, uint64_t position);
void ear_call_stack_drop_hart(struct hart *hart);

/* Of the current stack: enter a frame (0 or EAR_E_NO_MEMORY); leave all but count of them. */
int ear_call_stack_push_frame(struct hart *hart, struct frame frame);
void ear_call_stack_pop_to(struct hart *hart, size_t count);
/* The same, and the lowest of those that are left is returned from. */
void ear_call_stack_return_to(struct hart *hart, size_t count);

/* The mark of what runs in the current stack, and of what is below its frame. */
uint32_t ear_call_stack_newest_mark(const struct hart *hart);

/* What people see of a frame. */
struct ear_call_frame ear_call_stack_show(const struct stack *stack, const struct frame *frame);

/* Frames that have no mark are entered: of the stack at a position, and of those below it. */
void ear_call_stack_enter_all(struct hart *hart, uint32_t at);

/* The base has returned: what runs at pc is who called it. */
void ear_call_stack_return_above_base(struct hart *hart, uint64_t position, uint64_t pc);

/* A task begins in the current stack. */
void ear_call_stack_begin_task(struct hart *hart, uint64_t position, uint64_t pc);

/* sp has this value in the stack. */
void ear_call_stack_note_sp(struct stack *stack, uint64_t sp);

/* sp had this value all the time in which it was not known: frames get it. */
void ear_call_stack_complete_sp(struct stack *stack, uint64_t sp);

/* Of a trap: does an xRET to pc return to what it interrupted? Behind an ecall, too. */
bool ear_call_frame_continues_at(const struct frame *frame, uint64_t pc);

/* A new stack was entered, and control goes back to what a handler of a stack below interrupted, of
 * which sp was not known: that is the same one. Returns false if there is none. */
bool ear_call_stack_rejoin(struct hart *hart, uint64_t pc, uint64_t sp);

/* A transfer comes at pc: what sp was set to since the last one counts now. */
enum arrival ear_call_stack_settle(struct hart *hart, uint64_t position, uint64_t pc);

#endif
